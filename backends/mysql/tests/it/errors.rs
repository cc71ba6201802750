//! What goes wrong on MySQL and MariaDB, by its kind.
#![allow(clippy::indexing_slicing, clippy::print_stdout, clippy::unwrap_used, reason = "a test")]

use isogloss_compiler::expr::Value;
use isogloss_driver::{Backend, ConnectionExt, ErrorKind, TransactionOptions};
use isogloss_mysql::driver::{MySqlBackend, MySqlOptions, Tls, TlsMode};

use crate::live::private::Private;
use crate::live::proxy::Proxy;
use crate::live::{Database, Outcome, number, plain, servers, with};

const SCHEMA: &str = "CREATE TABLE parent (id INT PRIMARY KEY, email VARCHAR(40) NOT NULL, n INT) ENGINE = InnoDB;\
                      INSERT INTO parent VALUES (1, 'a@b', 1), (2, 'c@d', 1)";

/// A character that the column's character set lacks.
#[tokio::test]
async fn a_text_that_a_column_cannot_hold_is_a_bad_value() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let mut connection = backend.connect().await?;
        let table = "CREATE TABLE old (a VARCHAR(9) CHARACTER SET utf8mb3, b VARCHAR(9) CHARACTER SET latin1, \
                     c VARCHAR(9) COLLATE utf8mb4_general_ci, d VARCHAR(9) COLLATE utf8mb4_unicode_ci)";
        connection.script(table).await?;
        for sql in [
            "SELECT 1 FROM old WHERE a = ?",
            "SELECT 1 FROM old WHERE b = ?",
            "SELECT 1 FROM old WHERE a LIKE ?",
            "INSERT INTO old (a) VALUES (?)",
            "INSERT INTO old (b) VALUES (?)",
        ] {
            let error = connection.execute(&with(sql, [Value::from("\u{1F600}")])).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::BadValue, "{sql}: {error}");
        }
        let error = connection.execute(&plain("SELECT 1 FROM old WHERE c = d")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Syntax, "{error}");
    }
    Ok(())
}

#[tokio::test]
async fn a_connection_is_encrypted_if_the_server_can() -> Outcome {
    for url in servers() {
        let mut trusting = Tls::default();
        (trusting.verify, trusting.verify_host) = (false, false);
        match MySqlBackend::connect(MySqlOptions::url(&url)?.tls(trusting)).await {
            Ok(backend) => {
                let mut connection = backend.connect().await?;
                let sql = "SHOW STATUS WHERE Variable_name = 'Ssl_cipher' AND Value <> ''";
                assert!(connection.fetch_first::<(String, String)>(&plain(sql)).await?.is_some());
                // Its certificate is its own.
                let strict = MySqlBackend::connect(MySqlOptions::url(&url)?.tls(Tls::default())).await;
                assert_eq!(strict.unwrap_err().kind(), ErrorKind::Connect);
            }
            // It is never spoken to in the clear instead.
            Err(error) => assert!(error.message().contains("does not have this capability"), "{error}"),
        }
    }
    Ok(())
}

/// Nor where who stands between says that the server has no encryption: not even the user's name goes out.
#[tokio::test]
async fn what_has_to_be_encrypted_is_never_sent_in_the_clear() -> Outcome {
    let who = b"somebody_else";
    let tells = |sent: &[u8]| sent.windows(who.len()).any(|part| part == who);
    for url in servers() {
        let server = MySqlOptions::url(&url)?;
        let proxy = Proxy::new(&server.host, server.port).await;
        let mut options = MySqlOptions::new("127.0.0.1");
        (options.port, options.user) = (proxy.port, Some(String::from_utf8(who.to_vec())?));
        let mut trusting = Tls::default();
        (trusting.verify, trusting.verify_host) = (false, false);
        for strips in [false, true] {
            if strips {
                proxy.strip_encryption();
            }
            for tls in [Tls::default(), trusting.clone()] {
                let error = MySqlBackend::connect(options.clone().tls(tls)).await.unwrap_err();
                let sent = proxy.sent();
                assert!(error.kind() == ErrorKind::Connect && !tells(&sent), "{error}: {sent:?}");
            }
        }
        // The others take what there is.
        for tls in [TlsMode::Off, TlsMode::Preferred] {
            let error = MySqlBackend::connect(options.clone().tls(tls)).await.unwrap_err();
            assert!(error.kind() == ErrorKind::Connect && tells(&proxy.sent()), "{error}");
        }
    }
    Ok(())
}

async fn is_encrypted(options: MySqlOptions) -> Result<bool, isogloss_driver::Error> {
    let backend = MySqlBackend::connect(options).await?;
    let sql = "SHOW STATUS WHERE Variable_name = 'Ssl_cipher' AND Value <> ''";
    Ok(backend.connect().await?.fetch_first::<(String, String)>(&plain(sql)).await?.is_some())
}

#[tokio::test]
async fn a_connection_is_encrypted_if_nothing_else_is_said() -> Outcome {
    for url in servers() {
        let mut trusting = Tls::default();
        (trusting.verify, trusting.verify_host) = (false, false);
        let able = is_encrypted(MySqlOptions::url(&url)?.tls(trusting)).await.is_ok();
        assert_eq!(is_encrypted(MySqlOptions::url(&url)?).await?, able);
        assert!(!is_encrypted(MySqlOptions::url(&url)?.tls(TlsMode::Off)).await?);
    }
    let Some(server) = Private::impatient() else { return Ok(()) };
    if !server.is_encrypted {
        isogloss_testkit::skipped("no openssl is installed");
        return Ok(());
    }
    assert!(is_encrypted(server.options()).await?);
    assert!(!is_encrypted(server.options().tls(TlsMode::Off)).await?);
    // Its certificate is its own.
    let mut strict = Tls::default();
    let error = is_encrypted(server.options().tls(strict.clone())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
    (strict.verify, strict.verify_host) = (false, false);
    assert!(is_encrypted(server.options().tls(strict)).await?);
    Ok(())
}

#[tokio::test]
async fn a_user_may_not_do_all() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let mut connection = backend.connect().await?;
        let user = format!("u_{}", std::process::id());
        let grant = format!(
            "CREATE TABLE t (a INT); DROP USER IF EXISTS {user}@localhost, {user}@'127.0.0.1'; \
             CREATE USER {user}@localhost IDENTIFIED BY 'p@ss wörd'; CREATE USER {user}@'127.0.0.1' IDENTIFIED BY 'p@ss wörd'; \
             GRANT SELECT ON {0}.* TO {user}@localhost; GRANT SELECT ON {0}.* TO {user}@'127.0.0.1'",
            database.name
        );
        connection.script(&grant).await?;
        let mut options = database.options();
        (options.user, options.password) = (Some(user.clone()), Some("p@ss wörd".into()));
        let theirs = MySqlBackend::connect(options).await?;
        let mut weak = theirs.connect().await?;
        assert_eq!(number(&mut *weak, "SELECT COUNT(*) FROM t").await, 0);
        for sql in ["INSERT INTO t VALUES (1)", "DROP TABLE t", "SELECT * FROM mysql.user"] {
            assert_eq!(weak.execute(&plain(sql)).await.unwrap_err().kind(), ErrorKind::Permission, "{sql}");
        }
        connection.script(&format!("DROP USER {user}@localhost, {user}@'127.0.0.1'")).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_row_that_has_changed_ends_the_transaction() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        if !crate::live::is_mariadb(&backend) {
            continue;
        }
        let (mut one, mut other) = (backend.connect().await?, backend.connect().await?);
        one.script(SCHEMA).await?;
        one.script("SET innodb_snapshot_isolation = ON").await?;
        one.begin(&TransactionOptions::default()).await?;
        one.execute(&plain("INSERT INTO parent VALUES (3, 'e@f', 1)")).await?;
        assert_eq!(number(&mut *one, "SELECT n FROM parent WHERE id = 1").await, 1);
        other.execute(&plain("UPDATE parent SET n = 5 WHERE id = 1")).await?;
        let error = one.execute(&plain("UPDATE parent SET n = n + 1 WHERE id = 1")).await.unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::SerializationFailure, Some("1020")), "{error}");
        // The server has taken back what was written, so nothing more is.
        let error = one.execute(&plain("UPDATE parent SET n = 9 WHERE id = 2")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Deadlock, "{error}");
        one.rollback().await?;
        assert_eq!(number(&mut *one, "SELECT SUM(n) FROM parent").await, 6);
    }
    Ok(())
}

#[tokio::test]
async fn a_wait_for_a_lock_has_an_end() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let (mut one, mut other) = (backend.connect().await?, backend.connect().await?);
        one.script(SCHEMA).await?;
        one.begin(&TransactionOptions::default()).await?;
        one.execute(&plain("UPDATE parent SET n = 5 WHERE id = 1")).await?;
        // The server's own limit.
        other.script("SET innodb_lock_wait_timeout = 1").await?;
        let error = other.execute(&plain("UPDATE parent SET n = 6 WHERE id = 1")).await.unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::Timeout, Some("1205")));
        let nowait = other.execute(&plain("SELECT * FROM parent FOR UPDATE NOWAIT")).await.unwrap_err();
        assert_eq!(nowait.kind(), ErrorKind::Timeout, "{nowait}");
        one.rollback().await?;
        assert_eq!(number(&mut *one, "SELECT SUM(n) FROM parent").await, 2);
    }
    Ok(())
}

#[tokio::test]
async fn a_value_that_is_too_long_is_not_sent() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let mut pool = crate::live::pool(1);
        pool.value_bytes = 1000;
        let backend = MySqlBackend::connect(database.options().pool(pool)).await?;
        let mut connection = backend.connect().await?;
        for (value, fits) in [("a".repeat(1000).into(), true), ("a".repeat(1001).into(), false)] {
            let found = connection.fetch_one::<(i64,)>(&with("SELECT LENGTH(?)", [value])).await;
            match found {
                Ok((length,)) => assert!(fits && length == 1000),
                Err(error) => assert!(!fits && error.kind() == ErrorKind::BadValue, "{error}"),
            }
        }
        // One that the pool allows, and the server's packets do not hold.
        let backend = database.backend().await;
        let mut connection = backend.connect().await?;
        let packet = usize::try_from(number(&mut *connection, "SELECT @@max_allowed_packet").await)?;
        let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
        let long = |bytes: usize| Value::Bytes(vec![1; bytes].into());
        for values in [vec![long(packet)], vec![long(packet / 2), long(packet / 2), long(100)]] {
            let places = vec!["LENGTH(?)"; values.len()].join(" + ");
            // Together they are sent one by one, if they are over the protocol's own packet.
            let each_fits = values.iter().all(|value| matches!(value, Value::Bytes(bytes) if bytes.len() < packet));
            let found = connection.fetch_one::<(i64,)>(&with(&format!("SELECT {places}"), values)).await;
            match found {
                Ok(_) => assert!(each_fits),
                Err(error) => assert_eq!(error.kind(), ErrorKind::BadValue, "{error}"),
            }
        }
        let fits = with("SELECT LENGTH(?)", [long(packet - 2000)]);
        assert_eq!(connection.fetch_one::<(i64,)>(&fits).await?.0, i64::try_from(packet - 2000)?);
        assert_eq!(number(&mut *connection, "SELECT CONNECTION_ID()").await, id, "it is the same connection");
    }
    Ok(())
}
