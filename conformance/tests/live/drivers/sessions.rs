//! What one leaves in its session is not the next one's.

use std::pin::pin;

use futures_util::TryStreamExt;
use isogloss_compiler::expr::Value;
use isogloss_driver::{AnyConnection, Connection, ConnectionExt, Result, rows};

use crate::drivers::site::{Db, Site, pool};
use crate::drivers::statements::{number, plain};
use crate::drivers::transactions::plainly;
use crate::drivers::{Outcome, not_here};

tests! {
    what_a_statement_leaves_is_not_the_next_one_s
    what_leaves_nothing_keeps_its_session
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    Execute,
    Query,
    Stream,
    Many,
    Script,
}

const WAYS: [Way; 5] = [Way::Execute, Way::Query, Way::Stream, Way::Many, Way::Script];

async fn run(connection: &mut AnyConnection, way: Way, sql: &str) -> Result<()> {
    let statement = plain(sql);
    match way {
        Way::Execute => connection.execute(&statement).await.map(drop),
        Way::Query => connection.fetch::<Vec<Value>>(&statement).await.map(drop),
        Way::Stream => pin!(connection.stream::<Vec<Value>>(&statement)).try_next().await.map(drop),
        Way::Many => connection.execute_many(&statement, rows([[]])).await.map(drop),
        Way::Script => connection.script(sql).await,
    }
}

/// However it was run. What is written next is kept, and all of before is there.
async fn what_a_statement_leaves_is_not_the_next_one_s(site: &Site) -> Outcome {
    let db = site.with(pool(1)).await?;
    let mut count = 0;
    for way in WAYS {
        for (sql, left) in db.leavings() {
            let what = format!("{way:?} {sql}");
            let mut connection = db.connect().await?;
            let id = session(&db, &mut *connection).await?;
            // Some run as text alone, which `execute` knows of.
            let done = run(&mut connection, way, sql).await;
            assert!(done.is_ok() || !matches!(way, Way::Execute | Way::Script), "{what}: {done:?}");
            drop(connection);
            let mut connection = db.connect().await?;
            assert_eq!(number(&mut *connection, left).await?, 0, "{what}");
            if let Some((_, keeps)) = db.session() {
                assert_eq!(session(&db, &mut *connection).await? == id, keeps, "{what}");
            }
            assert_eq!(connection.execute(&db.insert(count..count + 1)).await?, 1, "{what}");
            count += 1;
            drop(connection);
            assert_eq!(db.count(&mut *db.connect().await?).await?, count, "{what}");
        }
    }
    Ok(())
}

async fn session(db: &Db, connection: &mut dyn Connection) -> Result<i64> {
    match db.session() {
        Some((session, _)) => number(connection, session).await,
        None => Ok(0),
    }
}

/// The usual statements cost no connection; nor does a transaction that nobody has ended.
async fn what_leaves_nothing_keeps_its_session(site: &Site) -> Outcome {
    let db = site.with(pool(1)).await?;
    if db.session().is_none() {
        return not_here("a session has no number here");
    }
    let id = session(&db, &mut *db.connect().await?).await?;
    let texts = [
        "INSERT INTO item (id) VALUES (1)",
        "UPDATE item SET n = 7 WHERE name <> 'SET @x := 5; BEGIN' /* @x */",
        "SELECT id FROM item",
        "( SELECT n FROM item )",
        "WITH w AS (SELECT 1 AS a FROM item) SELECT a FROM w",
        "DELETE FROM item",
    ];
    for sql in texts.iter().chain(db.harmless()) {
        for way in [Way::Execute, Way::Query, Way::Stream, Way::Many] {
            // What is done twice may fail, which leaves nothing either.
            let done = run(&mut db.connect().await?, way, sql).await;
            assert!(done.is_ok() || way != Way::Execute, "{sql}: {done:?}");
            assert_eq!(session(&db, &mut *db.connect().await?).await?, id, "{way:?} {sql}");
        }
    }
    let mut connection = db.connect().await?;
    connection.execute(&plain("DELETE FROM item")).await?;
    connection.begin(&plainly()).await?;
    connection.execute(&db.insert(7..8)).await?;
    drop(connection);
    let mut connection = db.connect().await?;
    assert_eq!((session(&db, &mut *connection).await?, db.count(&mut *connection).await?), (id, 0));
    Ok(())
}
