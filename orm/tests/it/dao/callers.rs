//! Twelve callers write one row at once, each in a session of its own.

use futures_util::future::join_all;
use isogloss::dao::{ObjectDao, ObjectViewDao, UpdateOrInsertResult as Done};
use isogloss::driver::TransactionOptions;
use isogloss::entity::{Linked as _, Table};
use isogloss::model::Catalog;
use isogloss::prelude::*;
use isogloss::{OrmResult, Session};

use crate::support::engines;

/// A key and a value.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "tallies", columns = "snake_case")]
struct Tally {
    #[column(primary_key, length = 20)]
    name: String,
    count: i32,
}

/// With a second unique key.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "badges", columns = "snake_case")]
struct Badge {
    #[column(primary_key, length = 20)]
    name: String,
    #[column(unique)]
    number: i32,
}

/// With a version, which says none.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "drafts", columns = "snake_case")]
struct Draft {
    #[column(primary_key, length = 20)]
    name: String,
    count: i32,
    #[column(timestamp)]
    version: i32,
}

/// With a fixed filter.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "shelves", columns = "snake_case")]
struct Shelf {
    #[column(primary_key, length = 20)]
    name: String,
    count: i32,
    #[column(constant = true)]
    open: bool,
}

/// With a column that only an UPDATE writes, and which is never NULL and has no default.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "stamps", columns = "snake_case")]
struct Stamp {
    #[column(primary_key, length = 20)]
    name: String,
    count: i32,
    #[column(mode = "read|update", default = "7")]
    later: i32,
}

/// Nothing but a key.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "tags", columns = "snake_case")]
struct Tag {
    #[column(primary_key, length = 20)]
    name: String,
    #[column(primary_key)]
    number: i32,
}

fn catalog() -> Catalog {
    let all = Catalog::builder().entity::<Tally>().entity::<Badge>().entity::<Draft>();
    all.entity::<Shelf>().entity::<Stamp>().entity::<Tag>().build().unwrap()
}

const TABLES: &[(&str, &[&str])] =
    &[("Tally", &[]), ("Badge", &[]), ("Draft", &[]), ("Shelf", &[]), ("Stamp", &[]), ("Tag", &[])];

const CALLERS: i32 = 12;
const ROUNDS: i32 = 6;

/// What each of twelve callers got, in a transaction of its own that has read before, or without one.
async fn at_once<T, O, F>(session: &Session, in_transaction: bool, call: F) -> Vec<O>
where
    T: Table,
    O: Send + 'static,
    F: AsyncCall<O>,
{
    let one = |caller: i32| {
        let session = session.context().create_session().unwrap();
        let call = call.clone();
        tokio::spawn(async move {
            if !in_transaction {
                return call.run(session, caller).await;
            }
            // What the transaction sees is decided here.
            session.begin(&TransactionOptions::default()).await?;
            let done = async {
                ObjectViewDao::<Tag>::new(&session).exists_key(("none", 0)).await?;
                call.run(session.clone(), caller).await
            };
            match done.await {
                Ok(done) => session.commit().await.map(|()| done),
                Err(error) => {
                    let _ = session.rollback().await;
                    Err(error)
                }
            }
        })
    };
    let done = join_all((0..CALLERS).map(one)).await;
    done.into_iter()
        .enumerate()
        .map(|(caller, done)| done.unwrap().unwrap_or_else(|e| panic!("{} {caller}: {e:?}", T::NAME)))
        .collect()
}

/// What a caller does in its session.
trait AsyncCall<O>: Clone + Send + Sync + 'static {
    fn run(&self, session: Session, caller: i32) -> impl Future<Output = OrmResult<O>> + Send;
}

impl<O, F, R> AsyncCall<O> for F
where
    F: Fn(Session, i32) -> R + Clone + Send + Sync + 'static,
    R: Future<Output = OrmResult<O>> + Send,
{
    fn run(&self, session: Session, caller: i32) -> impl Future<Output = OrmResult<O>> + Send {
        self(session, caller)
    }
}

async fn upserted<T: Table + Clone>(
    session: &Session,
    in_transaction: bool,
    row: impl Fn(i32) -> T + Clone + Send + Sync + 'static,
) -> Vec<Done> {
    let call = move |session: Session, caller: i32| {
        let mut row = row(caller);
        async move { ObjectDao::<T>::new(&session).update_or_insert(&mut row).await }
    };
    at_once::<T, _, _>(session, in_transaction, call).await
}

/// Of those who found no row, one inserts it, and all others find it.
fn one_inserts(done: &[Done], others: Done, of: &str) {
    let inserted = done.iter().filter(|done| **done == Done::Inserted).count();
    let found = done.iter().filter(|done| **done == others).count();
    assert_eq!((inserted, found), (1, done.len() - 1), "{of}: {done:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_that_upsert_one_row_at_once_all_succeed() {
    engines::each(catalog, TABLES, async |session: Session| {
        for (in_transaction, round) in
            [false, true].into_iter().flat_map(|tx| (0..ROUNDS).map(move |round| (tx, round)))
        {
            let name = format!("{in_transaction} {round}");
            let key = name.clone();
            let done = upserted(&session, in_transaction, move |count| Tally { name: key.clone(), count }).await;
            one_inserts(&done, Done::Updated, "Tally");
            let key = name.clone();
            let again = upserted(&session, in_transaction, move |count| Tally { name: key.clone(), count }).await;
            assert!(again.iter().all(|done| *done == Done::Updated), "{again:?}");

            let (key, number) = (name.clone(), round + if in_transaction { 100 } else { 0 });
            let done = upserted(&session, in_transaction, move |_| Badge { name: key.clone(), number }).await;
            one_inserts(&done, Done::Updated, "Badge");

            let key = name.clone();
            let draft = move |count| Draft { name: key.clone(), count, version: 0 };
            one_inserts(&upserted(&session, in_transaction, draft).await, Done::Failed, "Draft");

            let key = name.clone();
            let shelf = move |count| Shelf { name: key.clone(), count, open: true };
            one_inserts(&upserted(&session, in_transaction, shelf).await, Done::Updated, "Shelf");

            let key = name.clone();
            let stamp = move |count| Stamp { name: key.clone(), count, later: count };
            one_inserts(&upserted(&session, in_transaction, stamp).await, Done::Updated, "Stamp");

            let key = name.clone();
            let tag = move |_| Tag { name: key.clone(), number: round };
            one_inserts(&upserted(&session, in_transaction, tag).await, Done::Updated, "Tag");
        }
    })
    .await;
}

/// Rows beside each other, of which some exist.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_that_upsert_neighbouring_rows_at_once_all_succeed() {
    engines::each(catalog, TABLES, async |session: Session| {
        for round in 0..ROUNDS {
            let tally = move |caller| Tally { name: format!("{:02}", caller + round), count: caller };
            upserted(&session, true, tally).await;
            let badge = move |caller| Badge { name: format!("{:02}", caller + round), number: caller + round };
            upserted(&session, true, badge).await;
            let shelf = move |caller| Shelf { name: format!("{:02}", caller + round), count: caller, open: true };
            upserted(&session, true, shelf).await;
        }
        assert_eq!(ObjectViewDao::<Tally>::new(&session).count(()).await.unwrap(), 17);
        assert_eq!(ObjectViewDao::<Badge>::new(&session).count(()).await.unwrap(), 17);
    })
    .await;
}

/// Each batch of several rows, in other orders.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_that_upsert_the_same_batch_at_once_all_succeed() {
    engines::each(catalog, TABLES, async |session: Session| {
        for (in_transaction, round) in
            [false, true].into_iter().flat_map(|tx| (0..ROUNDS).map(move |round| (tx, round)))
        {
            let order = |caller: i32| (0..5).map(move |n| (n + caller) % 5);
            let name = move |n: i32| format!("{in_transaction} {round} {n}");
            let call = move |session: Session, caller: i32| async move {
                let mut rows: Vec<Tally> = order(caller).map(|n| Tally { name: name(n), count: caller }).collect();
                ObjectDao::<Tally>::new(&session).batch_update_or_insert(&mut rows).await
            };
            at_once::<Tally, _, _>(&session, in_transaction, call).await;
            let call = move |session: Session, caller: i32| async move {
                let mut rows: Vec<Shelf> =
                    order(caller).map(|n| Shelf { name: name(n), count: caller, open: true }).collect();
                ObjectDao::<Shelf>::new(&session).batch_update_or_insert(&mut rows).await
            };
            at_once::<Shelf, _, _>(&session, in_transaction, call).await;
        }
        let rows = u64::try_from(2 * ROUNDS * 5).unwrap();
        assert_eq!(ObjectViewDao::<Tally>::new(&session).count(()).await.unwrap(), rows);
        assert_eq!(ObjectViewDao::<Shelf>::new(&session).count(()).await.unwrap(), rows);
    })
    .await;
}

/// A row that is nothing but its key is inserted, or found.
#[tokio::test]
async fn a_row_without_a_column_beside_its_key_is_inserted_once() {
    engines::each(catalog, TABLES, async |session: Session| {
        let tags = ObjectDao::<Tag>::new(&session);
        let mut tag = Tag { name: "red".into(), number: 1 };
        assert_eq!(tags.update_or_insert(&mut tag).await.unwrap(), Done::Inserted);
        assert_eq!(tags.update_or_insert(&mut tag).await.unwrap(), Done::Updated);
        let in_transaction = session.transaction(async |tx: &Session| {
            let tags = ObjectDao::<Tag>::new(tx);
            let again = tags.update_or_insert(&mut tag.clone()).await?;
            OrmResult::Ok((again, tags.update_or_insert(&mut Tag { number: 2, ..tag.clone() }).await?))
        });
        assert_eq!(in_transaction.await.unwrap(), (Done::Updated, Done::Inserted));
        tags.batch_update_or_insert(&mut [tag.clone(), Tag { number: 3, ..tag }]).await.unwrap();
        assert_eq!(ObjectViewDao::<Tag>::new(&session).count(()).await.unwrap(), 3);
    })
    .await;
}
