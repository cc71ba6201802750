//! The same without `.await`, on a thread of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use isogloss::OrmError;
use isogloss::blocking::{DataDao, DataViewDao, ObjectDao, ObjectViewDao, Orm, Session};
use isogloss::entity::{insert, update};
use isogloss::expr::Value;
use isogloss::prelude::*;
use isogloss::session::{RetryOptions, SessionError};

use crate::dao::{User, UserView, catalog, user};
use crate::support::engines::{Place, each_place};

#[tokio::test]
async fn what_waits_gives_the_same() {
    each_place(async |place: Place| {
        let context = place.context(catalog(), true);
        // A thread that belongs to a runtime of the caller's is as good as any other.
        tokio::task::spawn_blocking(move || run(&Orm::from(context))).await.unwrap().unwrap();
    })
    .await;
}

/// On the only thread of a runtime it would wait for what waits for it.
#[test]
fn on_the_only_thread_of_a_runtime_it_is_an_error() {
    for threads in [0, 1, 2] {
        let runtime = match threads {
            0 => tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap(),
            n => tokio::runtime::Builder::new_multi_thread().worker_threads(n).enable_all().build().unwrap(),
        };
        let (in_task, beside) = runtime.block_on(async {
            let orm = memory();
            let in_task = tokio::spawn(async move { count(&orm) }).await.unwrap();
            let orm = memory();
            (in_task, tokio::task::spawn_blocking(move || count(&orm)).await.unwrap())
        });
        assert_eq!(beside.unwrap(), 0);
        match in_task {
            Ok(count) => assert_eq!((threads > 0, count), (true, 0)),
            Err(error) => {
                assert_eq!(threads, 0);
                assert!(matches!(error, OrmError::Session(SessionError::OnlyThread)), "{error}");
                assert!(error.to_string().contains("spawn_blocking"), "{error}");
            }
        }
    }
}

fn memory() -> Orm {
    let context = isogloss::OrmContext::new(catalog());
    let source = isogloss::config::DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true);
    context.add_data_source(source).unwrap();
    Orm::from(context)
}

fn count(orm: &Orm) -> Result<u64, OrmError> {
    ObjectViewDao::<User>::new(&orm.create_session()?).count(())
}

/// Where a task has no share of the time, its thread is the only one all the same.
#[test]
fn in_a_task_without_a_share_of_the_time_it_is_an_error() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let orm = memory();
    let error =
        runtime.block_on(async { tokio::spawn(tokio::task::unconstrained(async move { count(&orm) })).await.unwrap() });
    assert!(matches!(error, Err(OrmError::Session(SessionError::OnlyThread))), "{error:?}");
}

/// A thread for what blocks keeps nobody waiting, also where it waits for a future itself.
#[test]
fn on_a_thread_for_what_blocks_it_may_be_in_a_future() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let orm = memory();
    let counted = runtime.block_on(async {
        let counts = move || tokio::runtime::Handle::current().block_on(async { count(&orm) });
        tokio::task::spawn_blocking(counts).await.unwrap()
    });
    assert_eq!(counted.unwrap(), 0);
}

type Hook = Arc<dyn Fn(&std::panic::PanicHookInfo<'_>) + Send + Sync>;

/// Puts the hook for panics back that was there before, unless it is the test that panics.
struct Back(Option<Hook>);

impl Drop for Back {
    fn drop(&mut self) {
        if let Some(before) = self.0.take().filter(|_| !std::thread::panicking()) {
            std::panic::set_hook(Box::new(move |info| before(info)));
        }
    }
}

/// What runs on no worker of its runtime: the future that this waits for, and the tasks of a `LocalSet`. Its share of the
/// time, after which it is to yield, is spent after some calls.
#[tokio::test]
async fn beside_the_workers_it_comes_to_its_end() {
    // A panic that is caught would be told, and end a program that is built with `panic = "abort"`.
    let (panicked, before) = (Arc::new(AtomicBool::new(false)), Arc::new(std::panic::take_hook()));
    let (seen, told) = (Arc::clone(&panicked), Arc::clone(&before));
    std::panic::set_hook(Box::new(move |info| {
        seen.fetch_or(info.to_string().contains("can call blocking only"), Ordering::SeqCst);
        told(info);
    }));
    let _back = Back(Some(before));
    each_place(async |place: Place| {
        for local in [false, true] {
            let context = place.context(catalog(), true);
            let (tell, told) = tokio::sync::oneshot::channel();
            std::thread::spawn(move || {
                let runtime =
                    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
                let counts = async {
                    let session = context.create_session().unwrap();
                    isogloss::dao::ObjectViewDao::<User>::new(&session).count(()).await.unwrap();
                    let session = Session::from(session);
                    let count = move || {
                        (0..300).map(|_| ObjectViewDao::<User>::new(&session).count(())).sum::<Result<u64, _>>()
                    };
                    if local { tokio::task::spawn_local(async move { count() }).await.unwrap() } else { count() }
                };
                let tasks = tokio::task::LocalSet::new();
                let counts = if local { tasks.block_on(&runtime, counts) } else { runtime.block_on(counts) };
                tell.send(counts).unwrap();
            });
            let ended = tokio::time::timeout(Duration::from_secs(60), told).await;
            assert_eq!(ended.unwrap_or_else(|_| panic!("it stalls, local: {local}")).unwrap().unwrap(), 0);
        }
    })
    .await;
    assert!(!panicked.load(Ordering::SeqCst));
}

/// The tasks of a `LocalSet` have the thread of the runtime.
#[test]
fn in_a_local_set_of_a_runtime_of_one_thread_it_is_an_error() {
    let orm = memory();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let local = tokio::task::LocalSet::new();
    let error = local.block_on(&runtime, async { tokio::task::spawn_local(async move { count(&orm) }).await.unwrap() });
    assert!(matches!(error, Err(OrmError::Session(SessionError::OnlyThread))), "{error:?}");
}

/// The connection was opened by a task, and its own is of the same runtime: the worker that wakes it must not keep it.
#[tokio::test]
async fn in_a_task_of_several_threads_it_comes_to_its_end() {
    each_place(async |place: Place| {
        for (workers, shared) in [(1, true), (2, true), (4, true), (1, false), (2, false)] {
            let context = place.context(catalog(), true);
            let counts = move || {
                let builder = &mut tokio::runtime::Builder::new_multi_thread();
                let runtime = builder.worker_threads(workers).enable_all().build().unwrap();
                let counts = runtime.block_on(async {
                    let session = context.create_session().unwrap();
                    isogloss::dao::ObjectViewDao::<User>::new(&session).count(()).await.unwrap();
                    let orm = Orm::from(context.clone());
                    let count = move || {
                        let session = orm.create_session()?;
                        (0..20).map(|_| ObjectViewDao::<User>::new(&session).count(())).sum::<Result<u64, _>>()
                    };
                    let counts = async move { count() };
                    // Where its share of the time has no end, it is in a task all the same.
                    let ended = match shared {
                        true => tokio::spawn(counts),
                        false => tokio::spawn(tokio::task::unconstrained(counts)),
                    };
                    tokio::time::timeout(Duration::from_secs(60), ended).await
                });
                runtime.shutdown_background();
                counts
            };
            let counts = tokio::task::spawn_blocking(counts).await.unwrap();
            let ended = counts.unwrap_or_else(|_| panic!("it stalls with {workers} workers"));
            assert_eq!(ended.unwrap().unwrap(), 0);
        }
    })
    .await;
}

#[tokio::test]
async fn it_answers_and_is_closed() {
    each_place(async |place: Place| {
        let context = place.context(catalog(), false);
        let ended = tokio::task::spawn_blocking(move || {
            let orm = Orm::from(context);
            orm.ping()?;
            let session = orm.create_session()?;
            session.begin(&isogloss::driver::TransactionOptions::default())?;
            let error = orm.close_and_wait(Duration::from_millis(50)).unwrap_err();
            assert!(matches!(error, OrmError::Session(SessionError::StillOpen { transactions: 1, .. })), "{error}");
            session.rollback()?;
            orm.close_and_wait(Duration::from_secs(60))
        });
        ended.await.unwrap().unwrap();
    })
    .await;
}

fn run(orm: &Orm) -> Result<(), OrmError> {
    let session = orm.create_session()?;
    let (users, views) = (ObjectDao::<User>::new(&session), ObjectViewDao::<User>::new(&session));
    let mut all: Vec<User> = (0..500).map(|n| user(&format!("U{n}"), n)).collect();
    users.batch_insert(&mut all)?;
    assert_eq!(views.get(all[7].id)?.as_ref(), Some(&all[7]));
    assert_eq!((views.count(())?, views.exists_key(-1)?), (500, false));

    // Rows that are not taken are given up with the iterator.
    let first: Vec<User> =
        views.search(from("User").order_by([User::AGE.asc()])).iter().take(3).collect::<Result<_, _>>()?;
    assert_eq!(first, all[..3]);
    assert_eq!(views.search(()).iter().count(), 500);

    let failed: Result<(), OrmError> = session.transaction(|tx: &Session| {
        ObjectDao::<User>::new(tx).delete_all_rows()?;
        assert_eq!(views.count(())?, 0, "the session is the same");
        Err(isogloss::entity::FieldError::new("no").into())
    });
    assert_eq!((failed.unwrap_err().to_string().as_str(), views.count(())?), ("no", 500));
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        session.transaction(|tx: &Session| -> Result<(), OrmError> {
            ObjectDao::<User>::new(tx).delete_all_rows()?;
            panic!("on purpose")
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(views.count(())?, 500);
    let deleted = session.transaction_with(RetryOptions::attempts(2), |tx: &Session| {
        tx.transaction(|tx| ObjectDao::<User>::new(tx).delete_where(expr!(|u: User| u.age >= 100)))
    })?;
    assert_eq!(deleted, 400);

    session.begin(&isogloss::driver::TransactionOptions::default())?;
    assert!(DataDao::<User>::new(&session).update_values([("Age", 999)], all[0].id)?);
    session.rollback()?;
    let table = DataViewDao::<UserView>::new(&session).search_properties(&["Name"], User::AGE.eq(0))?;
    assert_eq!(table.value(0, "Name"), Some(&Value::from("U0")));
    returned(&users)
}

/// Typed writes. MySQL and MariaDB return no rows of an UPDATE, MySQL none at all.
fn returned(users: &ObjectDao<User>) -> Result<(), OrmError> {
    let known = |error: OrmError| assert!(error.to_string().contains("RETURNING"), "{error}");
    let columns = (User::NAME, User::AGE, User::VERSION);
    let copy = || insert(columns, query!(|u: User| u.filter(u.age == 7).select((u.name, u.age + 500, u.version))));
    assert_eq!(users.insert_from(copy())?, 1);
    users.insert_from_returning(copy(), User::AGE).map_or_else(known, |ages| assert_eq!(ages, [Some(507)]));
    let older = update::<User>([User::AGE.set(User::AGE + 1)]).filter(User::AGE.eq(507));
    let items = expr!(|u: User| (u.name, u.age - 500));
    let names = users.update_returning(older, items.clone());
    names.map_or_else(known, |names| assert!(names.iter().all(|row| *row == ("U7".to_owned(), Some(8))), "{names:?}"));
    let gone = users.delete_returning(expr!(|u: User| u.age > 500), items);
    gone.map_or_else(known, |names| assert!(!names.is_empty()));

    let mut one = user("one", 1);
    users.insert(&mut one)?;
    let before = one.clone();
    one.age = Some(2);
    assert!(users.update_only(&mut one, User::AGE)?);
    let second = one.clone();
    one.name = "two".into();
    assert!(users.update_changed(&second, &mut one)? && one.version > before.version);
    Ok(())
}
