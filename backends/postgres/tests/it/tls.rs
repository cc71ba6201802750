//! Encrypted connections, and who gets in.

use isogloss_driver::{Backend, ConnectionExt, ErrorKind};
use isogloss_postgres::driver::{PostgresBackend, PostgresOptions};

use crate::support::server::{PASSWORD, Server};
use crate::support::{Outcome, given_up, plain};

#[tokio::test]
async fn a_connection_is_as_safe_as_asked() -> Outcome {
    let Some(server) = Server::shared() else { return Ok(()) };
    let ca = server.authority();
    let password = PASSWORD.replace(' ', "%20");
    let url = |host: &str, mode: &str| {
        format!("postgres://postgres:{password}@{host}:{}/postgres?sslmode={mode}", server.port())
    };
    let rooted = |host: &str, mode: &str| format!("{}&sslrootcert={}", url(host, mode), ca.display());
    let own = |host: &str| rooted(host, "verify-full");
    let stranger = server.stranger();
    let strange = |mode: &str| format!("{}&sslrootcert={}", url("localhost", mode), stranger.display());
    for url in [
        url("127.0.0.1", "prefer"),
        url("127.0.0.1", "require"),
        own("localhost"),
        // Who vouches for it is checked, its name is not.
        rooted("127.0.0.1", "require"),
        rooted("127.0.0.1", "verify-ca"),
        strange("prefer"),
    ] {
        let backend = PostgresBackend::connect(PostgresOptions::url(&url)?).await?;
        let mut connection = Backend::connect(&backend).await?;
        let encrypted = plain("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
        assert_eq!(connection.fetch_one::<(bool,)>(&encrypted).await?, (true,), "{url}");
        // To cancel goes the same way.
        let pid = connection.fetch_one::<(i32,)>(&plain("SELECT pg_backend_pid()")).await?.0;
        let mut watches = Backend::connect(&backend).await?;
        given_up(&mut connection, pid, &mut watches, "SELECT pg_sleep(3600)").await?;
        assert_eq!(connection.fetch_one::<(i32,)>(&plain("SELECT 1")).await?, (1,), "{url}");
    }
    for (url, why) in [
        (url("127.0.0.1", "disable"), "pg_hba.conf"),
        // Nobody whom Mozilla trusts vouches for it, nor is it called that.
        (url("localhost", "verify-full"), "certificate"),
        (own("127.0.0.1"), "certificate"),
        (url("localhost", "verify-ca"), "certificate"),
        (strange("require"), "certificate"),
        (strange("verify-ca"), "certificate"),
        (url("127.0.0.1", "prefer").replace(&password, "wrong"), "password authentication failed"),
    ] {
        let error = PostgresBackend::connect(PostgresOptions::url(&url)?).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Connect, "{url}: {error}");
        assert!(error.to_string().contains(why), "{url}: {error}");
        assert!(!format!("{error:?}").contains(PASSWORD));
    }
    for (mode, kind) in [
        ("disable", ErrorKind::Connect),
        ("prefer", ErrorKind::Configuration),
        ("require", ErrorKind::Configuration),
        ("verify-ca", ErrorKind::Configuration),
        ("verify-full", ErrorKind::Configuration),
    ] {
        let missing = url("localhost", &format!("{mode}&sslrootcert=/not/there.pem"));
        let error = PostgresBackend::connect(PostgresOptions::url(&missing)?).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{mode}: {error}");
        assert_eq!(error.to_string().contains("/not/there.pem"), mode != "disable", "{error}");
    }
    Ok(())
}

#[tokio::test]
async fn the_first_host_that_answers_is_taken() -> Outcome {
    let Some(server) = Server::shared() else { return Ok(()) };
    let url = format!("postgres://postgres@127.0.0.1:1,127.0.0.1:{}/template1", server.port());
    let backend = PostgresBackend::connect(PostgresOptions::url(&url)?).await?;
    Ok(Backend::connect(&backend).await?.ping().await?)
}
