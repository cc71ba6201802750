//! Tables that are made to agree with their entities.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use isogloss::config::DataSourceConfig;
use isogloss::dao::{ObjectDao, ObjectViewDao};
use isogloss::driver::ErrorKind;
use isogloss::entity::Linked as _;
use isogloss::expr::{DbValueType, Expr, from_args};
use isogloss::model::{CatalogBuilder, ColumnDef, SyncTableMode, TableDef};
use isogloss::prelude::*;
use isogloss::session::{Purpose, SessionError};
use isogloss::{Orm, OrmContext, OrmError, Session};
use tokio::sync::Notify;

use crate::dao::{Mark, catalog, mark};
use crate::support::engines::{Place, each_place};
use crate::support::scripted::{Call, Servers};
use crate::support::stop::until;

fn item() -> TableDef {
    TableDef::new("Item")
        .table("item")
        .column(ColumnDef::new("Id", DbValueType::Int32).column("id").primary_key())
        .column(ColumnDef::new("Name", DbValueType::String).column("name").length(20).index())
}

fn first() -> Catalog {
    Catalog::builder().table(item()).build().unwrap()
}

/// The same with a column, an index on what was there, and another table.
fn second() -> CatalogBuilder {
    let item = TableDef::new("Item")
        .table("item")
        .column(ColumnDef::new("Id", DbValueType::Int32).column("id").primary_key())
        .column(ColumnDef::new("Name", DbValueType::String).column("name").length(20).index())
        .column(ColumnDef::new("Price", DbValueType::Int32).column("price").default_sql("7").index());
    let kind = TableDef::new("Kind")
        .table("kind")
        .column(ColumnDef::new("Id", DbValueType::Int32).column("id").primary_key())
        .column(ColumnDef::new("Sum", DbValueType::Int32).column("sum").computed("{Id} * 2"));
    Catalog::builder().table(item).table(kind)
}

async fn price(context: &OrmContext) -> i64 {
    let mut lease = context.create_session().unwrap().lease(None, Purpose::Read).await.unwrap();
    let query = from("Item").select(["Price"]).into_segment();
    let target = Arc::clone(lease.target());
    lease.fetch_one::<(i64,)>(&target.compile(&query).unwrap()).await.unwrap().0
}

async fn insert(context: &OrmContext) {
    let mut lease = context.create_session().unwrap().lease(None, Purpose::Write).await.unwrap();
    let insert = Expr::from(table("Item").insert(["Id", "Name"], vec![1.into(), "a".into()]));
    let target = Arc::clone(lease.target());
    lease.execute(&target.compile(&insert).unwrap()).await.unwrap();
}

#[tokio::test]
async fn what_is_missing_is_added_and_nothing_else() {
    each_place(async |place: Place| {
        let old = place.context(first(), true);
        let plan = old.sync_plan().await.unwrap();
        assert_eq!((plan.len(), plan[0].statements.len(), plan[0].table.as_str()), (1, 2, "item"));
        assert!(plan[0].to_string().starts_with("-- item (main)\nCREATE TABLE"), "{}", plan[0]);
        // Nothing has been run yet.
        assert_eq!(old.sync_plan().await.unwrap(), plan);
        assert_eq!(old.sync_all().await.unwrap(), plan);
        assert!(old.sync_all().await.unwrap().is_empty());
        insert(&old).await;

        let new = place.context(second().build().unwrap(), true);
        let done = new.sync_all().await.unwrap();
        assert_eq!(done.iter().map(|table| table.statements.len()).collect::<Vec<_>>(), [2, 1], "{done:?}");
        assert!(done[0].statements[0].contains("ALTER TABLE"), "{done:?}");
        assert_eq!(price(&new).await, 7, "the row that was there has the default");
        // Another process finds all of it, generated columns and indexes too.
        assert!(place.context(second().build().unwrap(), true).sync_plan().await.unwrap().is_empty());
        // The old one finds nothing to take away.
        assert!(place.context(first(), true).sync_plan().await.unwrap().is_empty());
        old.close();
        new.close();
    })
    .await;
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "sync_parts", columns = "snake_case")]
#[foreign_key(Assembly, columns(assembly_id), on_delete = cascade)]
#[foreign_key("Part", columns(replaces))]
struct Part {
    #[column(primary_key)]
    id: i32,
    assembly_id: i32,
    replaces: Option<i32>,
}

/// It refers to a part, which refers to it.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "sync_assemblies", columns = "snake_case")]
#[foreign_key("Part", columns(main_part))]
#[foreign_key(Maker, columns(maker_id))]
struct Assembly {
    #[column(primary_key)]
    id: i32,
    main_part: Option<i32>,
    maker_id: Option<i32>,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "sync_makers", columns = "snake_case")]
struct Maker {
    #[column(primary_key)]
    id: i32,
}

/// At the start of the program, or when a table is first used.
#[tokio::test]
async fn new_tables_have_their_foreign_keys_on_every_engine() {
    let catalog = || Catalog::builder().entity::<Part>().entity::<Assembly>().entity::<Maker>().build().unwrap();
    for at_the_start in [true, false] {
        each_place(async |place: Place| {
            let context = place.context(catalog(), true);
            if at_the_start {
                let plan = context.sync_plan().await.unwrap();
                let tables: Vec<&str> = plan.iter().map(|table| table.entity.as_str()).collect();
                assert_eq!(tables, ["Maker", "Assembly", "Part"]);
                assert_eq!(context.sync_all().await.unwrap(), plan);
            }
            let session = context.create_session().unwrap();
            let (parts, assemblies) = (ObjectDao::<Part>::new(&session), ObjectDao::<Assembly>::new(&session));
            let orphan = parts.insert(&mut Part { id: 1, assembly_id: 7, replaces: None }).await.unwrap_err();
            assert!(orphan.is_foreign_key_violation(), "{orphan}");
            let orphan = Assembly { id: 7, main_part: Some(1), maker_id: None };
            assert!(assemblies.insert(&mut orphan.clone()).await.unwrap_err().is_foreign_key_violation());
            let orphan = Assembly { main_part: None, maker_id: Some(1), ..orphan };
            assert!(assemblies.insert(&mut orphan.clone()).await.unwrap_err().is_foreign_key_violation());
            ObjectDao::<Maker>::new(&session).insert(&mut Maker { id: 1 }).await.unwrap();
            assemblies.insert(&mut orphan.clone()).await.unwrap();
            parts.insert(&mut Part { id: 1, assembly_id: 7, replaces: None }).await.unwrap();
            parts.insert(&mut Part { id: 2, assembly_id: 7, replaces: Some(1) }).await.unwrap();
            let orphan = parts.insert(&mut Part { id: 3, assembly_id: 7, replaces: Some(9) }).await.unwrap_err();
            assert!(orphan.is_foreign_key_violation(), "{orphan}");
            assert!(parts.delete_by_keys(2).await.unwrap());
            assert!(assemblies.delete_by_keys(7).await.unwrap());
            assert_eq!(ObjectViewDao::<Part>::new(&session).count(()).await.unwrap(), 0, "the delete cascades");
            let other = place.context(catalog(), true);
            assert_eq!(other.sync_plan().await.unwrap(), [], "nothing is missing, and nothing differs");
            other.close();
            context.close();
        })
        .await;
    }
}

/// A table in a transaction comes after those that it refers to as well.
#[tokio::test]
async fn a_table_that_a_transaction_uses_first_refers_to_tables_that_exist() {
    let catalog = || Catalog::builder().entity::<Part>().entity::<Assembly>().entity::<Maker>().build().unwrap();
    each_place(async |place: Place| {
        let context = place.context(catalog(), true);
        let session = context.create_session().unwrap();
        let done = session.transaction(async |tx: &Session| {
            let mut assembly = Assembly { id: 7, main_part: None, maker_id: None };
            ObjectDao::<Assembly>::new(tx).insert(&mut assembly).await?;
            ObjectDao::<Maker>::new(tx).insert(&mut Maker { id: 1 }).await?;
            assembly.maker_id = Some(1);
            ObjectDao::<Assembly>::new(tx).update(&mut assembly).await
        });
        done.await.unwrap();
        assert_eq!(ObjectViewDao::<Assembly>::new(&session).count(()).await.unwrap(), 1);
        context.close();
    })
    .await;
}

#[tokio::test]
async fn who_says_whether_a_table_is_looked_at() {
    each_place(async |place: Place| {
        let of = |mode: SyncTableMode| Catalog::builder().table(item().sync_table(mode)).build().unwrap();
        for (mode, source, wanted) in [
            (SyncTableMode::Default, false, 0),
            (SyncTableMode::Default, true, 1),
            (SyncTableMode::Never, true, 0),
            (SyncTableMode::Always, false, 1),
        ] {
            let context = place.context(of(mode), source);
            assert_eq!(context.sync_plan().await.unwrap().len(), wanted, "{mode:?} {source}");
            let asked = Arc::new(AtomicUsize::new(0));
            let count = Arc::clone(&asked);
            context.on_table_syncing(move |table| {
                assert_eq!((table.entity, table.table, table.data_source), ("Item", "item", "main"));
                count.fetch_add(1, Ordering::Relaxed);
                !table.should_sync
            });
            assert_eq!(context.sync_plan().await.unwrap().len(), 1 - wanted, "{mode:?} {source}");
            assert!(asked.load(Ordering::Relaxed) > 0);
            context.close();
        }
    })
    .await;
}

#[tokio::test]
async fn tables_are_made_at_their_first_use() {
    each_place(async |place: Place| {
        let context = place.context(catalog(), true);
        let session = context.create_session().unwrap();
        // Each shard when it is written, and a view's joined tables with it.
        let mut all = vec![mark(2024, 1, "a", 1), mark(2025, 1, "a", 2)];
        ObjectDao::<Mark>::new(&session).batch_insert(&mut all).await.unwrap();
        assert_eq!(ObjectViewDao::<Mark>::new(&session).with_args(["2025"]).count(()).await.unwrap(), 1);
        assert_eq!(ObjectViewDao::<crate::dao::UserView>::new(&session).count(()).await.unwrap(), 0);

        // The shard that a query names, and what its filter looks into.
        let views = ObjectViewDao::<Mark>::new(&session);
        assert!(views.search(from_args("Mark", ["2026"])).all().await.unwrap().is_empty());
        let shard = isogloss::expr::TableExpr { table_args: ["2027".into()].into(), ..table("Mark") };
        let points = shard.delete().filter(prop("Points").gt(1));
        assert_eq!(ObjectDao::<Mark>::new(&session).delete_by(points).await.unwrap(), 0);
        let fresh = place.context(catalog(), true);
        let other = fresh.create_session().unwrap();
        let marked = expr!(|d: crate::dao::Department| exists_args::<Mark>(["2028"], |m| m.day == d.id));
        assert_eq!(ObjectViewDao::<crate::dao::Department>::new(&other).count(marked).await.unwrap(), 0);
        fresh.close();

        // In a transaction, too; on SQLite, where that takes the table back with it, it is made again.
        let users = ObjectDao::<crate::dao::User>::new(&session);
        let open = place.context(catalog(), true);
        let inner = open.create_session().unwrap();
        let done: Result<(), isogloss::OrmError> = inner
            .transaction(async |tx: &isogloss::Session| {
                ObjectDao::new(tx).insert(&mut mark(2030, 1, "a", 1)).await?;
                Err(isogloss::entity::FieldError::new("enough").into())
            })
            .await;
        assert_eq!(done.unwrap_err().to_string(), "enough");
        ObjectDao::new(&inner).insert(&mut mark(2030, 1, "a", 1)).await.unwrap();
        users.insert(&mut crate::dao::user("Ann", 1)).await.unwrap();
        open.close();
        context.close();
    })
    .await;
}

#[tokio::test]
async fn many_at_once_make_a_table_once() {
    each_place(async |place: Place| {
        let mut tasks = Vec::new();
        for _ in 0..6 {
            let place = place.clone();
            tasks.push(tokio::spawn(async move {
                // Each is another process, as far as the database knows.
                let context = place.context(second().build().unwrap(), true);
                let made = context.sync_all().await.unwrap();
                context.close();
                made.len()
            }));
        }
        let mut made = 0;
        for task in tasks {
            made += task.await.unwrap();
        }
        assert_eq!(made, 2, "each table is made by one of them");
    })
    .await;
}

#[tokio::test]
async fn what_fails_is_tried_again() {
    each_place(async |place: Place| {
        let bad = ColumnDef::new("Bad", DbValueType::Int32).column("bad").computed("no_such_function({Id})");
        let catalog = || Catalog::builder().table(item().column(bad.clone())).build().unwrap();
        let context = place.context(catalog(), true);
        for _ in 0..2 {
            let error = context.sync_all().await.unwrap_err();
            assert!(error.kind().is_some_and(|kind| kind != ErrorKind::Timeout), "{error}");
        }
        context.close();
        // Nothing of it is there.
        let good = place.context(first(), true);
        assert_eq!(good.sync_all().await.unwrap().len(), 1);
        good.close();
    })
    .await;
}

#[tokio::test]
async fn who_waits_for_a_look_that_fails_has_its_error() {
    let servers = Servers::new("look", 1);
    let context = Orm::builder().catalog(second().build().unwrap()).provider(servers.clone()).build().await.unwrap();
    context.add_default_data_source(DataSourceConfig::new("main", "scripted", "0").sync_table(true)).unwrap();
    context.create_session().unwrap().lease(None, Purpose::Read).await.unwrap();
    let server = &servers.all[0];
    server.falls_silent(Duration::from_millis(20));
    let look = |entity| context.sync_table(entity, [] as [&str; 0]);
    let (first, second, third, other) = tokio::join!(look("Item"), look("Item"), look("Item"), look("Kind"));
    for failed in [first, second, third, other] {
        assert_eq!(failed.unwrap_err().kind(), Some(ErrorKind::Timeout));
    }
    assert_eq!(server.count(Call::Connect), 2, "one for each table");
    server.clear();
    assert!(!look("Item").await.unwrap().statements.is_empty());
    context.close();
    servers.end();
}

#[tokio::test]
async fn what_only_the_query_joins_is_made_too() {
    each_place(async |place: Place| {
        let context = place.context(catalog(), true);
        let session = context.create_session().unwrap();
        let sales = isogloss::expr::prop_of("Department", "Name").eq("Sales");
        assert_eq!(ObjectViewDao::<crate::dao::User>::new(&session).count(sales).await.unwrap(), 0);
        context.close();
    })
    .await;
}

#[tokio::test]
async fn indexes_of_two_tables_do_not_share_a_name() {
    each_place(async |place: Place| {
        let long = "a_name_of_a_table_that_takes_most_of_what_there_is_for_one";
        let tables = [("a_b", "c"), ("a", "b_c"), (&*format!("{long}_x"), "y"), (long, "x_y")];
        let catalog = || {
            let builder = tables.iter().fold(Catalog::builder(), |builder, (table, column)| {
                let id = ColumnDef::new("Id", DbValueType::Int32).column("id").primary_key();
                let named = ColumnDef::new("Named", DbValueType::Int32).column(*column).index();
                builder.table(TableDef::new(format!("E{table}")).table(*table).column(id).column(named))
            });
            builder.build().unwrap()
        };
        let context = place.context(catalog(), true);
        let made = context.sync_all().await.unwrap();
        let statements: Vec<usize> = made.iter().map(|table| table.statements.len()).collect();
        assert_eq!(statements, [2, 2, 2, 2], "{made:?}");
        assert!(context.sync_plan().await.unwrap().is_empty());
        context.close();
    })
    .await;
}

/// A table of marks without their points.
async fn half(session: &Session, year: u16) {
    let mut lease = session.lease(None, Purpose::Write).await.unwrap();
    let table = format!("marks_{year}");
    lease.script(&format!("CREATE TABLE {table} (day int NOT NULL, code varchar(10) NOT NULL)")).await.unwrap();
}

#[tokio::test]
async fn a_transaction_does_not_wait_for_itself() {
    each_place(async |place: Place| {
        let wait = Duration::from_millis(400);
        let context = place.waiting(catalog(), wait).await;
        let session = context.create_session().unwrap();
        half(&session, 2024).await;
        let done = session.transaction(async |tx: &Session| {
            let mut lease = tx.lease(None, Purpose::Write).await?;
            let on_sqlite = lease.dialect().sheet().name == "sqlite";
            lease.script("INSERT INTO marks_2024 VALUES (1, 'a')").await?;
            drop(lease);
            // The column that is missing is added by another connection, for which this one is in the way.
            let done = ObjectDao::new(tx).insert(&mut mark(2024, 2, "b", 1)).await;
            assert_eq!(done.is_ok(), on_sqlite, "{done:?}");
            done
        });
        let done = tokio::time::timeout(Duration::from_secs(60), done).await.expect("it does not wait for good");
        if let Err(error) = done {
            assert!(matches!(&error, OrmError::Session(SessionError::SyncBlocked { .. })), "{error}");
            assert_eq!(error.kind(), Some(ErrorKind::Timeout));
            let text = error.to_string();
            assert!(text.starts_with("data source `main`: table `marks_2024` could not be"), "{text}");
            // As it says.
            context.sync_table("Mark", ["2024"]).await.unwrap();
            ObjectDao::new(&session).insert(&mut mark(2024, 2, "b", 1)).await.unwrap();
        }
        context.close();
    })
    .await;
}

/// An index of a large table takes longer than a service gives its statements, and so may the wait for others.
#[tokio::test]
async fn a_table_takes_the_time_that_it_takes() {
    each_place(async |place: Place| {
        // The looks at the table have the limit, too.
        let limit = Duration::from_secs(3);
        let limited = OrmContext::new(catalog());
        let source = DataSourceConfig::new("main", place.provider, &place.url).statement_timeout(limit);
        limited.add_data_source(source).unwrap();
        // What stands beside it has the time that it takes on a slow machine.
        let context = place.context(catalog(), true);
        let session = context.create_session().unwrap();
        if session.lease(None, Purpose::Write).await.unwrap().dialect().sheet().name == "sqlite" {
            // It waits for other writers as long as its busy timeout says.
            return context.close();
        }
        half(&session, 2024).await;
        let is_held = Notify::new();
        let holds = session.transaction(async |tx: &Session| {
            tx.lease(None, Purpose::Write).await?.script("INSERT INTO marks_2024 VALUES (1, 'a')").await?;
            is_held.notify_one();
            place.until_blocked("ALTER TABLE%marks_2024").await;
            tokio::time::sleep(limit + Duration::from_millis(200)).await;
            Ok::<_, OrmError>(())
        });
        let changes = async {
            is_held.notified().await;
            limited.sync_table("Mark", ["2024"]).await
        };
        let ((), changed) = tokio::try_join!(holds, changes).unwrap();
        assert!(!changed.statements.is_empty());
        // What others run has its limit again.
        let session = limited.create_session().unwrap();
        let mut lease = session.lease(None, Purpose::Write).await.unwrap();
        // MySQL ends a SLEEP without an error where no table is read.
        let postgres = lease.dialect().sheet().name == "postgres";
        let sleep = if postgres { "SELECT 1 FROM pg_sleep(600)" } else { "SELECT SLEEP(600) FROM marks_2024" };
        let late = lease.execute(&isogloss::Compiled { sql: sleep.into(), ..Default::default() }).await;
        assert_eq!(late.unwrap_err().kind(), Some(ErrorKind::Timeout));
        drop(lease);
        limited.close();
        context.close();
    })
    .await;
}

#[tokio::test]
async fn a_table_that_is_waited_for_keeps_none_from_others() {
    each_place(async |place: Place| {
        let context = place.waiting(catalog(), Duration::from_secs(600)).await;
        let session = context.create_session().unwrap();
        if session.lease(None, Purpose::Write).await.unwrap().dialect().sheet().name == "sqlite" {
            // It has one writer at a time.
            return context.close();
        }
        half(&session, 2024).await;
        place.context(catalog(), false).sync_table("Mark", ["2025"]).await.unwrap();
        let other = context.create_session().unwrap();
        let is_held = Notify::new();
        let first = session.transaction(async |tx: &Session| {
            tx.lease(None, Purpose::Write).await?.script("INSERT INTO marks_2024 VALUES (1, 'a')").await?;
            is_held.notify_one();
            // The other one waits for this transaction.
            place.until_blocked("ALTER TABLE%marks_2024").await;
            ObjectDao::new(tx).insert(&mut mark(2025, 1, "a", 1)).await
        });
        let second = async {
            is_held.notified().await;
            ObjectDao::new(&other).insert(&mut mark(2024, 2, "b", 1)).await
        };
        let both = async { tokio::join!(first, second) };
        let both = tokio::time::timeout(Duration::from_secs(60), both).await;
        let (first, second) = both.expect("neither waits for the other for good");
        assert!(first.unwrap() && second.unwrap());
        context.close();
    })
    .await;
}

fn closed<T: std::fmt::Debug>(done: Result<T, OrmError>) {
    assert!(matches!(done, Err(OrmError::Session(SessionError::Closed))), "{done:?}");
}

#[tokio::test]
async fn nothing_connects_behind_a_closed_context() {
    each_place(async |place: Place| {
        let context = place.context(catalog(), true);
        let (session, writing) = (context.create_session().unwrap(), context.create_session().unwrap());
        let source = context.data_source("main").unwrap();
        writing.begin(&isogloss::driver::TransactionOptions::default()).await.unwrap();
        context.close();
        closed(ObjectDao::new(&session).insert(&mut mark(2024, 1, "a", 1)).await);
        closed(context.sync_all().await);
        // The transaction comes to its end, with what is first used in it.
        ObjectDao::new(&writing).insert(&mut mark(2025, 1, "a", 1)).await.unwrap();
        writing.commit().await.unwrap();

        closed(ObjectDao::new(&writing).insert(&mut mark(2024, 1, "a", 1)).await);
        closed(context.sync_plan().await);
        closed(context.sync_table("Mark", ["2024"]).await);
        closed(source.backend().await.map(drop));
        closed(source.target().await.map(drop));
        closed(source.ping().await);
        assert!(format!("{source:?}").contains("status: None"), "{source:?}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shutdown_waits_for_tables_that_are_being_made() {
    each_place(async |place: Place| {
        let context = place.context(first(), true);
        let (begun, has_begun) = std::sync::mpsc::channel();
        let (go, may_go) = std::sync::mpsc::channel::<()>();
        let may_go = std::sync::Mutex::new(may_go);
        context.on_table_syncing(move |_| {
            begun.send(()).unwrap();
            may_go.lock().unwrap().recv().is_ok()
        });
        let making = tokio::spawn({
            let context = context.clone();
            async move { context.sync_all().await }
        });
        has_begun.recv().unwrap();
        let closing = tokio::spawn({
            let context = context.clone();
            async move { context.close_and_wait(Duration::from_secs(600)).await }
        });
        until(|| context.is_closed()).await;
        assert!(!closing.is_finished());
        go.send(()).unwrap();
        assert_eq!(making.await.unwrap().unwrap().len(), 1);
        closing.await.unwrap().unwrap();
    })
    .await;
}
