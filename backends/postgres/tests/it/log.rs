//! What PostgreSQL tells its log.

use isogloss_driver::{Backend, ConnectionExt, ErrorKind, PoolOptions, TransactionOptions};
use isogloss_postgres::driver::{PostgresBackend, PostgresOptions};

use crate::support::server::Server;
use crate::support::{Outcome, plain};

/// A rollback of nothing is a warning in the server's log.
#[tokio::test]
async fn what_is_not_open_is_not_rolled_back() -> Outcome {
    let Some(server) = Server::shared() else { return Ok(()) };
    let backend =
        PostgresBackend::connect(PostgresOptions::url(&server.url())?.pool(PoolOptions::default().max(1))).await?;
    let mut connection = Backend::connect(&backend).await?;
    connection
        .script("CREATE TABLE t (n int UNIQUE DEFERRABLE INITIALLY DEFERRED); SET TimeZone = 'Asia/Tokyo'")
        .await?;
    drop(connection);
    let mut connection = Backend::connect(&backend).await?;
    assert_eq!(connection.fetch_one::<(String,)>(&plain("SHOW TimeZone")).await?.0, "UTC");
    let twice = plain("INSERT INTO t VALUES (1), (1)");
    for rolled_back in [true, false] {
        connection.begin(&TransactionOptions::default()).await?;
        connection.execute(&twice).await?;
        assert_eq!(connection.commit().await.unwrap_err().kind(), ErrorKind::UniqueViolation);
        if rolled_back {
            connection.rollback().await?;
        }
    }
    drop(connection);
    let mut connection = Backend::connect(&backend).await?;
    assert_eq!(
        (connection.depth(), connection.fetch_one::<(i64,)>(&plain("SELECT COUNT(*) FROM t")).await?),
        (0, (0,))
    );
    let log = server.log()?;
    assert!(log.contains("duplicate key") && !log.contains("no transaction in progress"), "{log}");
    // One that a script has begun is.
    connection.script("BEGIN; INSERT INTO t VALUES (1)").await?;
    drop(connection);
    let mut connection = Backend::connect(&backend).await?;
    assert_eq!(connection.fetch_one::<(i64,)>(&plain("SELECT COUNT(*) FROM t")).await?, (0,));
    Ok(())
}
