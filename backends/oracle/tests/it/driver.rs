//! The driver: without Oracle's client library everywhere, and on the servers of `ISOGLOSS_ORACLE_URL`, with blanks between.
#![allow(clippy::unwrap_used, reason = "a test fails by it")]

#[path = "../../../driver/testing/statements.rs"]
mod statements;

use std::time::Duration;

use isogloss_compiler::Compiled;
use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::render::Output;
use isogloss_driver::{Backend, ConnectionExt, ErrorKind};
use isogloss_oracle::driver::{OracleBackend, OracleOptions};
use statements::{given, plain};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Where there is a client library, there is no server on that port.
#[tokio::test]
async fn without_a_client_library_the_error_says_what_to_install() -> Outcome {
    let mut options = OracleOptions::url("oracle://app:secret@127.0.0.1:1/none")?;
    // The error does not wait for this limit.
    options.pool.wait = Duration::from_secs(3600);
    let error = tokio::time::timeout(Duration::from_secs(60), OracleBackend::connect(options)).await?.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connect);
    assert!(!format!("{error:?}").contains("secret"));
    match error.code() {
        Some("DPI-1047") => {
            assert!(error.to_string().contains("install Oracle Instant Client"), "{error}");
        }
        code => assert!(code.is_some_and(|code| code.starts_with("ORA-")), "{error}"),
    }
    Ok(())
}

/// `RETURNING .. INTO` gives what is written as rows.
#[tokio::test]
async fn what_is_written_comes_back_as_rows() -> Outcome {
    let urls = std::env::var("ISOGLOSS_ORACLE_URL").unwrap_or_default();
    if urls.trim().is_empty() {
        eprintln!("skipped: no ISOGLOSS_ORACLE_URL");
    }
    for url in urls.split_whitespace() {
        let mut connection = OracleBackend::connect(OracleOptions::url(url)?).await?.connect().await?;
        match connection.script("DROP TABLE isogloss_child PURGE").await {
            Err(error) if error.code() == Some("ORA-00942") => {}
            done => done?,
        }
        connection.script("CREATE TABLE isogloss_child (id NUMBER(10), item NUMBER(10))").await?;
        for id in 0..10 {
            connection.execute(&plain(format!("INSERT INTO isogloss_child VALUES ({id}, 7)"))).await?;
        }
        let sql = "UPDATE isogloss_child SET item = NULL WHERE id < :1 RETURNING id, item INTO :2, :3";
        let output = |name: &str| Output { name: name.into(), ty: Some(T::Int32.into()) };
        let outputs = vec![output("id"), output("item")];
        let update = Compiled { outputs, ..given(sql, [(3.into(), Some(T::Int32.into()))]) };
        let mut found: Vec<(i64, Option<i64>)> = connection.fetch(&update).await?;
        found.sort_unstable();
        assert_eq!(found, [(0, None), (1, None), (2, None)]);
        connection.script("DROP TABLE isogloss_child PURGE").await?;
    }
    Ok(())
}
