//! Servers that are not there, or say nothing.
#![allow(clippy::unwrap_used, reason = "a test fails by it")]

use std::time::Duration;

use isogloss_driver::{ErrorKind, PoolOptions};
use isogloss_sqlserver::driver::{SqlServerBackend, SqlServerOptions};
use tokio::net::TcpListener;

/// The error of connecting with this limit, which is returned although the server never answers.
async fn connect_error(place: std::net::SocketAddr, wait: Duration) -> isogloss_driver::Error {
    let options = SqlServerOptions::url(&format!("sqlserver://sa:secret@{place}/shop")).unwrap();
    let connects = SqlServerBackend::connect(options.pool(PoolOptions::default().wait(wait)));
    let connected = tokio::time::timeout(Duration::from_secs(120), connects).await;
    let error = connected.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
    assert!(error.message().starts_with(&format!("{place}: ")), "{error}");
    error
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_not_waited_for() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let place = silent.local_addr().unwrap();
    let error = connect_error(place, Duration::from_millis(300)).await;
    assert!(error.message().contains("did not answer within 300ms"), "{error}");
    drop(silent);
    // Nobody listens there any more: the refusal is returned long before the limit.
    let error = connect_error(place, Duration::from_secs(3600)).await;
    assert!(!error.message().contains("did not answer"), "{error}");
}
