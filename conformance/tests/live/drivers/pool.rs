//! Pools of connections.

use std::sync::Arc;
use std::time::Duration;

use isogloss_driver::{ConnectionExt, ErrorKind};
use tokio::time::timeout;

use crate::drivers::Outcome;
use crate::drivers::site::{Site, pool};
use crate::drivers::statements::plain;
use crate::drivers::transactions::plainly;

tests! {
    one_has_an_end_and_makes_nobody_wait_for_long
    a_connection_that_was_closed_is_nobody_s
}

/// Only what hangs takes so long.
const HANGS: Duration = Duration::from_secs(120);

/// All wait at once: one after the other, they would wait for longer than a test may take.
async fn one_has_an_end_and_makes_nobody_wait_for_long(site: &Site) -> Outcome {
    let db = site.db().await?;
    let options = pool(2).wait(Duration::from_secs(1));
    let own = at_last(|| db.open(options.clone())).await?;
    let held = [at_last(|| own.connect()).await?, at_last(|| own.connect()).await?];
    let waits = (0..400).map(|_| {
        let backend = Arc::clone(&own);
        tokio::spawn(async move { backend.connect().await.map(drop).map_err(|error| error.kind()) })
    });
    for waits in waits.collect::<Vec<_>>() {
        assert_eq!(waits.await?, Err(ErrorKind::PoolExhausted));
    }
    drop(held);
    at_last(|| own.connect()).await?.ping().await?;
    let status = own.status();
    assert!(status.open >= 1 && status.open <= 2 && status.open == status.idle, "{status:?}");
    Ok(())
}

/// Opens something, again and again where the machine is too slow for the pool's wait.
async fn at_last<T, F: Future<Output = isogloss_driver::Result<T>>>(
    open: impl Fn() -> F,
) -> isogloss_driver::Result<T> {
    let opened = async {
        loop {
            match open().await {
                Err(error) if matches!(error.kind(), ErrorKind::Connect | ErrorKind::PoolExhausted) => {}
                done => return done,
            }
        }
    };
    timeout(HANGS, opened).await.expect("it is opened")
}

/// Nor is what it had begun.
async fn a_connection_that_was_closed_is_nobody_s(site: &Site) -> Outcome {
    let db = site.db().await?;
    for running in [false, true] {
        let mut connection = db.connect().await?;
        connection.begin(&plainly()).await?;
        connection.execute(&db.insert(1..2)).await?;
        if running {
            let endless = plain(db.endless());
            assert!(timeout(Duration::from_millis(20), connection.execute(&endless)).await.is_err());
        }
        connection.close();
        for lost in [
            connection.execute(&db.insert(2..3)).await.map(drop),
            connection.fetch::<(i64,)>(&plain("SELECT id FROM item")).await.map(drop),
            connection.commit().await,
            connection.ping().await,
        ] {
            assert_eq!(lost.unwrap_err().kind(), ErrorKind::ConnectionLost);
        }
        drop(connection);
        // What was written is gone, and its locks are.
        let mut next = db.connect().await?;
        next.set_statement_timeout(Some(HANGS)).await?;
        assert_eq!(next.execute(&db.insert(1..2)).await?, 1);
        assert_eq!(next.execute(&plain("DELETE FROM item")).await?, 1);
    }
    Ok(())
}
