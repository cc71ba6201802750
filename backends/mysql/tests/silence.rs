//! Names that lead to another server.
#![cfg(feature = "driver")]
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test")]

mod live;

use std::time::Duration;

use isogloss_driver::Backend;
use isogloss_mysql::driver::MySqlBackend;
use live::private::Private;
use live::proxy::Proxy;
use live::{Outcome, number, plain};
use tokio::time::{sleep, timeout};

const SHORT: Duration = Duration::from_millis(300);

/// Behind a name that leads to another server by then, the number of a connection is that of a stranger.
#[tokio::test]
async fn a_stranger_on_another_server_is_not_killed() -> Outcome {
    let Some(one) = Private::new("one", "--local-infile=1").await else { return Ok(()) };
    let Some(two) = Private::new("two", "--local-infile=1").await else { return Ok(()) };
    let theirs = MySqlBackend::connect(two.options().pool(live::pool(30))).await?;
    let mut strangers = Vec::new();
    for _ in 0..30 {
        let mut stranger = theirs.connect().await?;
        let id = number(&mut *stranger, "SELECT CONNECTION_ID()").await;
        strangers.push((stranger, id));
    }
    let mut options = one.options().pool(live::pool(1));
    let proxy = Proxy::new("127.0.0.1", options.port).await;
    options.port = proxy.port;
    let backend = MySqlBackend::connect(options).await?;
    let mut connection = backend.connect().await?;
    let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
    assert!(strangers.iter().any(|(_, stranger)| *stranger == id), "the number {id} is given twice");
    proxy.leads_to("127.0.0.1", two.options().port);
    assert!(timeout(Duration::from_millis(20), connection.execute(&plain("SELECT SLEEP(100)"))).await.is_err());
    drop(connection);
    // It is closed, and the next one is at the other server.
    let mut connection = backend.connect().await?;
    assert_eq!(number(&mut *connection, "SELECT @@port").await, i64::from(two.options().port));
    sleep(SHORT).await;
    for (stranger, id) in &mut strangers {
        assert_eq!(number(&mut **stranger, "SELECT CONNECTION_ID()").await, *id);
    }
    // There it is ended as ever.
    let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
    assert!(timeout(Duration::from_millis(20), connection.execute(&plain("SELECT SLEEP(100)"))).await.is_err());
    drop(connection);
    let gone = format!("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = {id}");
    drop(backend.connect().await?);
    assert_eq!(number(&mut *strangers[0].0, &gone).await, 0);
    Ok(())
}
