//! How long things may take.

use std::time::Duration;

use isogloss_driver::{ConnectionExt, ErrorKind};
use tokio::time::sleep;

use crate::drivers::site::{Site, pool};
use crate::drivers::statements::plain;
use crate::drivers::transactions::plainly;
use crate::drivers::{Outcome, not_here};

tests! {
    a_statement_has_the_time_that_it_is_given
    a_wait_for_another_has_an_end
    a_long_statement_blocks_nobody
}

const SHORT: Duration = Duration::from_millis(50);

/// However it runs. The limit is its connection's, or its transaction's, and not the next one's who gets the connection.
async fn a_statement_has_the_time_that_it_is_given(site: &Site) -> Outcome {
    let db = site.with(pool(1)).await?;
    let (endless, slow) = (plain(db.endless()), plain(db.slow()));
    let write = plain(format!("INSERT INTO item (id) {}", db.endless()));
    let mut connection = db.connect().await?;
    connection.set_statement_timeout(Some(SHORT)).await?;
    for how in 0..4 {
        let done = match how {
            0 => connection.execute(&write).await.map(drop),
            1 => connection.fetch::<(i64,)>(&endless).await.map(drop),
            2 => connection.execute(&endless).await.map(drop),
            _ => connection.script(&endless.sql).await,
        };
        assert_eq!(done.map_err(|error| error.kind()), Err(ErrorKind::Timeout), "{how}");
        db.works(&mut *connection).await?;
    }
    assert_eq!(connection.fetch::<(i64,)>(&slow).await.unwrap_err().kind(), ErrorKind::Timeout);
    drop(connection);
    let mut connection = db.connect().await?;
    connection.fetch::<(i64,)>(&slow).await?;
    connection.set_statement_timeout(Some(Duration::from_secs(60))).await?;
    connection.begin(&plainly().statement_timeout(SHORT)).await?;
    assert_eq!(connection.fetch::<(i64,)>(&endless).await.unwrap_err().kind(), ErrorKind::Timeout);
    connection.rollback().await?;
    connection.fetch::<(i64,)>(&slow).await?;
    connection.set_statement_timeout(None).await?;
    connection.fetch::<(i64,)>(&slow).await?;
    Ok(())
}

/// That of the statement, in a transaction or not.
async fn a_wait_for_another_has_an_end(site: &Site) -> Outcome {
    let db = site.db().await?;
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
    // Some wait with the begin of a transaction that writes.
    let limited = async {
        other.begin(&plainly()).await?;
        other.execute(&update).await
    };
    assert_eq!(limited.await.unwrap_err().kind(), ErrorKind::Timeout);
    if other.depth() > 0 {
        other.rollback().await?;
    }
    assert_eq!(other.execute(&update).await.unwrap_err().kind(), ErrorKind::Timeout);
    one.commit().await?;
    assert_eq!(other.execute(&update).await?, 1);
    Ok(())
}

/// A task on the same thread runs to its end beside a statement that has none.
async fn a_long_statement_blocks_nobody(site: &Site) -> Outcome {
    let db = site.db().await?;
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
