//! Many rows at once.

use std::sync::Arc;
use std::time::Duration;

use isogloss_compiler::expr::{Value, ValueOps, from, prop, table};
use isogloss_driver::{ConnectionExt, Error, ErrorKind, Result, RowSource, rows};
use tokio::time::timeout;

use crate::drivers::Outcome;
use crate::drivers::site::{Db, Site, pool};
use crate::drivers::statements::plain;
use crate::drivers::transactions::plainly;

tests! {
    rows_go_in_all_or_none
    what_looks_like_something_else_is_text
    a_source_that_fails_takes_all_back_and_says_nothing_of_this_connection
    a_source_that_panics_leaves_nothing_to_others
    a_source_may_take_its_time
    one_that_is_given_up_leaves_nothing
    one_that_is_refused_keeps_no_rows
    a_statement_for_many_rows_runs_in_their_order
    rows_have_the_types_of_their_statement
}

fn row(id: i64) -> [Value; 2] {
    [id.into(), format!("item {id}").into()]
}

/// In no transaction and in one, which goes on where an error does not end it.
async fn rows_go_in_all_or_none(site: &Site) -> Outcome {
    let db = site.db().await?;
    let (mut connection, into) = (db.connect().await?, db.bulk("item", &["id", "name"]));
    assert_eq!(connection.bulk_insert(&into, rows((0..100_000).map(row))).await?, 100_000);
    assert_eq!(connection.bulk_insert(&into, rows(Vec::<[Value; 2]>::new())).await?, 0);
    let read = from("item").filter(prop("id").eq(99_999)).select([prop("name")]);
    assert_eq!(connection.fetch_one::<(String,)>(&db.compile(read)).await?.0, "item 99999");
    for (bad, kind) in [
        // There already, far behind others that are not.
        (row(1), ErrorKind::UniqueViolation),
        ([(-1).into(), "item 7".into()], ErrorKind::UniqueViolation),
        (["x".into(), "a".into()], ErrorKind::Compile),
    ] {
        let given = || rows((100_000..120_000).map(row).chain([bad.clone()]));
        let error = connection.bulk_insert(&into, given()).await.unwrap_err();
        assert_eq!((error.kind(), connection.depth()), (kind, 0), "{error}");
        assert_eq!(db.count(&mut *connection).await?, 100_000);
        connection.begin(&plainly()).await?;
        connection.execute(&db.insert(200_000..200_001)).await?;
        assert_eq!(connection.bulk_insert(&into, given()).await.unwrap_err().kind(), kind);
        assert_eq!(connection.depth(), 1);
        if !db.fails_whole() {
            assert_eq!(db.count(&mut *connection).await?, 100_001, "{kind:?}");
        } else if kind != ErrorKind::Compile {
            assert_eq!(connection.commit().await.unwrap_err().kind(), ErrorKind::TransactionFailed);
        }
        connection.rollback().await?;
        assert_eq!(db.count(&mut *connection).await?, 100_000);
    }
    connection.begin(&plainly()).await?;
    assert_eq!(connection.bulk_insert(&into, rows((100_000..100_010).map(row))).await?, 10);
    connection.rollback().await?;
    assert_eq!(db.count(&mut *connection).await?, 100_000);
    Ok(())
}

/// What ends a line or a field, and what looks like NULL.
async fn what_looks_like_something_else_is_text(site: &Site) -> Outcome {
    let db = site.db().await?;
    let mut connection = db.connect().await?;
    let mut odd = vec!["\\N", "NULL", "a\tb\nc\\d\re\u{1a}", "\\", "\"quoted\"", "'", "🦀", "\\.", ","];
    odd.extend((!db.limits().empty_is_null).then_some(""));
    let given: Vec<[Value; 2]> = (0_i64..).zip(&odd).map(|(id, text)| [id.into(), (*text).into()]).collect();
    connection.bulk_insert(&db.bulk("item", &["id", "name"]), rows(given)).await?;
    let found: Vec<(String,)> = connection.fetch(&plain("SELECT name FROM item ORDER BY id")).await?;
    assert_eq!(found.into_iter().map(|row| row.0).collect::<Vec<_>>(), odd);
    Ok(())
}

/// Rows, and at one of them an end of another kind.
struct Ends(i64, fn() -> Error);

impl RowSource for Ends {
    fn next(&mut self, row: &mut Vec<Value>) -> Result<bool> {
        self.0 -= 1;
        row.extend([self.0.into(), Value::Null]);
        if self.0 > 0 { Ok(true) } else { Err(self.1()) }
    }
}

/// Its error is handed on. Of another database that is lost it leaves no doubt about this one.
async fn a_source_that_fails_takes_all_back_and_says_nothing_of_this_connection(site: &Site) -> Outcome {
    let db = site.with(pool(1)).await?;
    let into = db.bulk("item", &["id", "name"]);
    let other: fn() -> Error = || Error::new(ErrorKind::Other, "no more of that");
    let lost: fn() -> Error = || Error::new(ErrorKind::ConnectionLost, "the other database is gone");
    for (count, error) in [(1, other), (100_000, other), (1, lost), (100, lost)] {
        let mut connection = db.connect().await?;
        let told = connection.bulk_insert(&into, Box::new(Ends(count, error))).await.unwrap_err();
        let due = error();
        assert_eq!((told.kind(), told.message()), (due.kind(), due.message()));
        assert!(!told.is_in_doubt());
        db.works(&mut *connection).await?;
        connection.begin(&plainly()).await?;
        assert!(connection.execute_many(&db.insert_two(), Box::new(Ends(count.min(100), error))).await.is_err());
        connection.rollback().await?;
        assert_eq!(db.count(&mut *connection).await?, 0);
    }
    Ok(())
}

impl Db {
    /// An INSERT of an item's number and name.
    fn insert_two(&self) -> isogloss_compiler::Compiled<'static> {
        self.compile(table("item").insert(["id", "name"], vec![Value::from(1), "a".into()]))
    }
}

/// Panics in its middle.
struct Panicking(i64);

impl RowSource for Panicking {
    fn next(&mut self, row: &mut Vec<Value>) -> Result<bool> {
        self.0 += 1;
        assert!(self.0 < 20_000, "no more of that");
        row.extend([Value::from(self.0), Value::Null]);
        Ok(true)
    }
}

/// In no transaction and in one.
async fn a_source_that_panics_leaves_nothing_to_others(site: &Site) -> Outcome {
    let db = site.with(pool(1)).await?;
    let into = db.bulk("item", &["id", "name"]);
    for in_transaction in [false, true] {
        let (backend, into) = (Arc::clone(&db.backend), into.clone());
        let panicked = tokio::spawn(async move {
            let mut connection = backend.connect().await.unwrap();
            if in_transaction {
                connection.begin(&plainly()).await.unwrap();
            }
            let _ = connection.bulk_insert(&into, Box::new(Panicking(0))).await;
        });
        assert!(panicked.await.unwrap_err().is_panic());
        let mut connection = db.connect().await?;
        assert_eq!((db.count(&mut *connection).await?, connection.depth()), (0, 0));
        connection.begin(&plainly()).await?;
        connection.commit().await?;
    }
    Ok(())
}

/// Longer than a statement may: that is the limit of each.
async fn a_source_may_take_its_time(site: &Site) -> Outcome {
    const LIMIT: Duration = Duration::from_secs(1);
    let db = site.with(pool(1).statement_timeout(Some(LIMIT))).await?;
    // On a slow machine a single statement may take longer, but not each time.
    let mut tries = 1..5;
    loop {
        match slowly(&db).await {
            Err(error) if tries.next().is_some() && error.kind() == ErrorKind::Timeout => {}
            done => return Ok(done?),
        }
    }
}

async fn slowly(db: &Db) -> isogloss_driver::Result<()> {
    let mut connection = db.connect().await?;
    for table in ["item", "person"] {
        connection.execute(&plain(format!("DELETE FROM {table}"))).await?;
    }
    let slow = |kind: &'static str| {
        rows((0..60_i64).map(move |n| {
            std::thread::sleep(Duration::from_millis(40));
            [n.into(), Value::from(format!("{kind} {n}"))]
        }))
    };
    assert_eq!(connection.bulk_insert(&db.bulk("item", &["id", "name"]), slow("bulk")).await?, 60);
    connection.execute(&plain("DELETE FROM item")).await?;
    assert_eq!(connection.execute_many(&db.insert_two(), slow("many")).await?, 60);
    let named = rows((0..60_i64).map(|n| {
        std::thread::sleep(Duration::from_millis(40));
        [Value::from(format!("key {n}"))]
    }));
    assert_eq!(connection.bulk_insert_keys(&db.bulk("person", &["name"]), named).await?.len(), 60);
    // It holds behind them.
    let error = connection.execute(&plain(db.endless())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
    Ok(())
}

/// The next statement waits until the rows are gone.
async fn one_that_is_given_up_leaves_nothing(site: &Site) -> Outcome {
    let db = site.with(pool(1)).await?;
    let (into, named) = (db.bulk("item", &["id", "name"]), db.bulk("person", &["name"]));
    for millis in [0, 1, 5, 20, 100] {
        let wait = Duration::from_millis(millis);
        let mut connection = db.connect().await?;
        // A source takes its time, so that the other end is busy with some.
        let endless = (0_i64..).map(|id| [id.into(), Value::from(format!("{id} {}", "x".repeat(20)))]);
        assert!(timeout(wait, connection.bulk_insert(&into, rows(endless))).await.is_err());
        assert_eq!(db.count(&mut *connection).await?, 0);
        assert_eq!(connection.execute(&db.insert(0..1)).await?, 1);
        assert_eq!(connection.execute(&plain("DELETE FROM item")).await?, 1);
        let endless = (0_i64..).map(|n| [Value::from(format!("person {n}"))]);
        assert!(timeout(wait, connection.bulk_insert_keys(&named, rows(endless))).await.is_err());
        drop(connection);
        let mut connection = db.connect().await?;
        let people = crate::drivers::statements::number(&mut *connection, "SELECT COUNT(*) FROM person").await?;
        assert_eq!((people, connection.depth()), (0, 0));
    }
    Ok(())
}

async fn one_that_is_refused_keeps_no_rows(site: &Site) -> Outcome {
    let db = site.with(pool(1)).await?;
    let into = db.bulk("item", &["id"]);
    db.script("DROP TABLE item").await?;
    let mut connection = db.connect().await?;
    let kept = Arc::new(());
    let one = Arc::clone(&kept);
    let given = (0_i64..10).map(move |id| [Value::from(id + i64::from(Arc::strong_count(&one) == 0))]);
    let error = connection.bulk_insert(&into, rows(given)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Syntax, "{error}");
    assert_eq!(Arc::strong_count(&kept), 1, "the rows are still held");
    Ok(())
}

/// All or none in a transaction, up to the error without one.
async fn a_statement_for_many_rows_runs_in_their_order(site: &Site) -> Outcome {
    let db = site.db().await?;
    let (mut connection, statement) = (db.connect().await?, db.insert_two());
    assert_eq!(connection.execute_many(&statement, rows((0..3_000).map(row))).await?, 3_000);
    let rename = table("item").update([("name", "x")]).filter(prop("id").eq(1));
    let names = (0..200_i64).map(|n| [Value::from(format!("new {n}")), 42.into()]);
    assert_eq!(connection.execute_many(&db.compile(rename), rows(names)).await?, 200);
    let last = connection.fetch_one::<(String,)>(&plain("SELECT name FROM item WHERE id = 42")).await?;
    assert_eq!(last.0, "new 199");
    let twice = || rows([[9_000.into(), "a".into()], [9_001.into(), "b".into()], row(1)]);
    connection.begin(&plainly()).await?;
    let error = connection.execute_many(&statement, twice()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UniqueViolation, "{error}");
    assert_eq!(connection.execute(&db.insert(9_005..9_006)).await.is_err(), db.fails_whole());
    connection.rollback().await?;
    assert_eq!(db.count(&mut *connection).await?, 3_000);
    assert_eq!(connection.execute_many(&statement, twice()).await.unwrap_err().kind(), ErrorKind::UniqueViolation);
    assert_eq!(db.count(&mut *connection).await?, 3_002);
    let none = plain("UPDATE item SET n = n WHERE id = 1");
    assert_eq!(connection.execute_many(&none, rows([[], [], []] as [[Value; 0]; 3])).await?, 3);
    Ok(())
}

/// And as many values as it has parameters.
async fn rows_have_the_types_of_their_statement(site: &Site) -> Outcome {
    let db = site.db().await?;
    let mut connection = db.connect().await?;
    let one = table("item").insert(["id", "name", "moment"], vec![Value::from(1), "a".into(), Value::Null]);
    let one = db.compile(one);
    let row = |at: &str| rows([[Value::from(1), Value::Null, at.into()]]);
    for (row, message) in [
        (row("soon"), "row 1: value 3: "),
        (rows([[Value::Null]]), "row 1: it has 1 values, the statement 3 parameters"),
    ] {
        let error = connection.execute_many(&one, row).await.unwrap_err();
        assert!(error.kind() == ErrorKind::BadValue && error.message().starts_with(message), "{error}");
    }
    assert_eq!(connection.execute_many(&one, row("2024-01-31T10:00:00")).await?, 1);
    let found: (chrono::NaiveDateTime,) = connection.fetch_one(&plain("SELECT moment FROM item")).await?;
    assert_eq!(found.0, "2024-01-31T10:00:00".parse()?);
    Ok(())
}
