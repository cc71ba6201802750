//! How long things may take.

use std::time::Duration;

use isogloss_driver::{ConnectionExt, ErrorKind, PoolOptions};
use tokio::time::sleep;

use crate::drivers::site::{Site, pool};
use crate::drivers::statements::plain;
use crate::drivers::transactions::plainly;
use crate::drivers::{Outcome, not_here};

tests! {
    a_statement_has_the_time_that_it_is_given
    a_limit_outlives_the_savepoint_that_was_rolled_back
    a_wait_for_another_has_an_end
    a_long_statement_blocks_nobody
}

const SHORT: Duration = Duration::from_millis(50);
/// Only what hangs takes so long.
const HANGS: Duration = Duration::from_secs(120);

/// A pool that ends nothing by itself: a test sets its limits where they are the point.
fn patient(max: u32) -> PoolOptions {
    pool(max).statement_timeout(Some(HANGS)).grace(HANGS)
}

/// However it runs. The limit is its connection's, or its transaction's, and not the next one's who gets the connection.
async fn a_statement_has_the_time_that_it_is_given(site: &Site) -> Outcome {
    let db = site.with(patient(1)).await?;
    let (endless, slow) = (plain(db.endless()), plain(db.slow()));
    let write = plain(format!("INSERT INTO item (id) {}", db.endless()));
    let mut connection = db.connect().await?;
    for how in 0..4 {
        connection.set_statement_timeout(Some(SHORT)).await?;
        let done = match how {
            0 => connection.execute(&write).await.map(drop),
            1 => connection.fetch::<(i64,)>(&endless).await.map(drop),
            2 => connection.execute(&endless).await.map(drop),
            _ => connection.script(&endless.sql).await,
        };
        assert_eq!(done.map_err(|error| error.kind()), Err(ErrorKind::Timeout), "{how}");
        connection.set_statement_timeout(None).await?;
        db.works(&mut *connection).await?;
    }
    connection.set_statement_timeout(Some(SHORT)).await?;
    assert_eq!(connection.fetch::<(i64,)>(&slow).await.unwrap_err().kind(), ErrorKind::Timeout);
    drop(connection);
    let mut connection = db.connect().await?;
    connection.fetch::<(i64,)>(&slow).await?;
    connection.set_statement_timeout(Some(HANGS)).await?;
    // Some begin within the limit already.
    connection.begin(&plainly().statement_timeout(Duration::from_secs(2))).await?;
    assert_eq!(connection.fetch::<(i64,)>(&endless).await.unwrap_err().kind(), ErrorKind::Timeout);
    connection.rollback().await?;
    connection.fetch::<(i64,)>(&slow).await?;
    connection.set_statement_timeout(None).await?;
    connection.fetch::<(i64,)>(&slow).await?;
    Ok(())
}

/// The limit is sent again after the rollback, which undoes a SET in the savepoint.
async fn a_limit_outlives_the_savepoint_that_was_rolled_back(site: &Site) -> Outcome {
    let db = site.with(patient(1)).await?;
    if !db.savepoints() {
        return not_here("there are no savepoints here");
    }
    if db.interrupted(false, false).is_some() && !db.fails_whole() {
        return not_here("a statement that is ended ends its transaction here");
    }
    let (endless, mut connection) = (plain(db.endless()), db.connect().await?);
    connection.begin(&plainly()).await?;
    connection.begin(&plainly()).await?;
    connection.set_statement_timeout(Some(SHORT)).await?;
    for depth in [2, 1] {
        assert_eq!(connection.depth(), depth);
        let error = connection.fetch::<(i64,)>(&endless).await.unwrap_err();
        let by_the_server = !error.message().contains("the connection was closed");
        assert!(error.kind() == ErrorKind::Timeout && by_the_server, "{depth}: {error}");
        connection.rollback().await?;
    }
    connection.set_statement_timeout(None).await?;
    db.works(&mut *connection).await
}

/// That of the statement, in a transaction or not.
async fn a_wait_for_another_has_an_end(site: &Site) -> Outcome {
    let db = site.with(patient(2)).await?;
    if !db.waits() {
        return not_here("no write waits for another here");
    }
    let (mut one, mut other) = (db.connect().await?, db.connect().await?);
    one.execute(&db.insert(1..2)).await?;
    one.begin(&plainly()).await?;
    one.execute(&plain("UPDATE item SET n = 5")).await?;
    let update = plain("UPDATE item SET n = 6");
    let limit = Duration::from_millis(300);
    other.set_statement_timeout(Some(limit)).await?;
    // A server ends what takes too long. Where there is none, it is the caller who waits no longer.
    let held_up = if db.needs_server().is_ok() { ErrorKind::Timeout } else { ErrorKind::Busy };
    // Some wait with the begin of a transaction that writes.
    let limited = async {
        other.begin(&plainly()).await?;
        other.execute(&update).await
    };
    assert_eq!(limited.await.unwrap_err().kind(), held_up);
    if other.depth() > 0 {
        other.rollback().await?;
    }
    assert_eq!(other.execute(&update).await.unwrap_err().kind(), held_up);
    one.commit().await?;
    other.set_statement_timeout(None).await?;
    assert_eq!(other.execute(&update).await?, 1);
    Ok(())
}

/// A task on the same thread runs to its end beside a statement that has none.
async fn a_long_statement_blocks_nobody(site: &Site) -> Outcome {
    let db = site.with(patient(1)).await?;
    let (endless, mut connection) = (plain(db.endless()), db.connect().await?);
    let ticks = tokio::spawn(async {
        for _ in 0..10 {
            sleep(Duration::from_millis(10)).await;
        }
    });
    tokio::select! {
        done = connection.fetch_one::<(i64,)>(&endless) => return Err(format!("an endless statement ended: {done:?}").into()),
        ticks = ticks => ticks?,
    }
    db.works(&mut *connection).await
}
