//! Names that lead to another server.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test")]

use isogloss_driver::Backend;
use isogloss_mysql::driver::MySqlBackend;

use crate::live::private::Private;
use crate::live::proxy::Proxy;
use crate::live::{Outcome, given_up, number, pool};

/// Behind a name that leads to another server by then, the number of a connection is that of a stranger.
#[tokio::test]
async fn a_stranger_on_another_server_is_not_killed() -> Outcome {
    let Some(one) = Private::impatient() else { return Ok(()) };
    let Some(two) = Private::without_local_files() else { return Ok(()) };
    let mut options = one.options().pool(pool(1));
    let proxy = Proxy::new("127.0.0.1", options.port).await;
    options.port = proxy.port;
    let (ours, theirs) = (one.options().pool(pool(1)), two.options().pool(pool(100)));
    let (mut watches, theirs) =
        (MySqlBackend::connect(ours).await?.connect().await?, MySqlBackend::connect(theirs).await?);
    // Both servers give numbers in turn: the one that is behind catches up.
    let mut stranger = theirs.connect().await?;
    let mut stranger_id = number(&mut *stranger, "SELECT CONNECTION_ID()").await;
    let (backend, mut connection, id) = loop {
        let backend = MySqlBackend::connect(options.clone()).await?;
        let mut connection = backend.connect().await?;
        let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
        while stranger_id < id {
            stranger = MySqlBackend::connect(two.options().pool(pool(1))).await?.connect().await?;
            stranger_id = number(&mut *stranger, "SELECT CONNECTION_ID()").await;
        }
        if stranger_id == id {
            break (backend, connection, id);
        }
    };
    proxy.leads_to("127.0.0.1", two.options().port);
    given_up(&mut connection, id, &mut watches, "SELECT SLEEP(1000)").await;
    drop(connection);
    // It is closed, and the next one is at the other server. Its place in the pool was free when the KILL was given up.
    let mut connection = backend.connect().await?;
    assert_eq!(number(&mut *connection, "SELECT @@port").await, i64::from(two.options().port));
    assert_eq!(number(&mut *stranger, "SELECT CONNECTION_ID()").await, stranger_id);
    // There it is ended as ever.
    let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
    given_up(&mut connection, id, &mut stranger, "SELECT SLEEP(1000)").await;
    drop(connection);
    let gone = format!("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = {id}");
    drop(backend.connect().await?);
    assert_eq!(number(&mut *stranger, &gone).await, 0);
    Ok(())
}
