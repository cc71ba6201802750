//! Servers that are not there, or say nothing.
#![cfg(feature = "driver")]
#![allow(clippy::unwrap_used, reason = "a test fails by it")]

use std::time::{Duration, Instant};

use isogloss_driver::{ErrorKind, PoolOptions};
use isogloss_sqlserver::driver::{SqlServerBackend, SqlServerOptions};
use tokio::net::TcpListener;

async fn connected(place: std::net::SocketAddr) -> isogloss_driver::Error {
    let options = SqlServerOptions::url(&format!("sqlserver://sa:secret@{place}/shop")).unwrap();
    let pool = PoolOptions::default().wait(Duration::from_millis(300));
    let begun = Instant::now();
    let error = SqlServerBackend::connect(options.pool(pool)).await.unwrap_err();
    assert!(begun.elapsed() < Duration::from_secs(10), "{error}");
    assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
    assert!(error.message().starts_with(&format!("{place}: ")), "{error}");
    error
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_not_waited_for() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let place = silent.local_addr().unwrap();
    let error = connected(place).await;
    assert!(error.message().contains("did not answer within 300ms"), "{error}");
    drop(silent);
    // Now nobody listens there.
    assert!(!connected(place).await.message().contains("300ms"));
}
