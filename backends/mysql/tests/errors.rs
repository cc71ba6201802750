//! What goes wrong on MySQL and MariaDB, by its kind.
#![cfg(feature = "driver")]
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test")]

mod live;

use std::time::{Duration, Instant};

use isogloss_compiler::expr::Value;
use isogloss_driver::{Backend, ConnectionExt, ErrorKind, Isolation, TransactionOptions};
use isogloss_mysql::driver::{MySqlBackend, MySqlOptions, Tls, TlsMode};
use live::private::Private;
use live::proxy::Proxy;
use live::{Database, Outcome, number, plain, servers, with};

const SCHEMA: &str = "CREATE TABLE parent (id INT PRIMARY KEY, email VARCHAR(40) NOT NULL, n INT, \
                      CONSTRAINT one_email UNIQUE (email), CONSTRAINT positive CHECK (n > 0)) ENGINE = InnoDB;\
                      CREATE TABLE child (id INT PRIMARY KEY, parent INT, \
                      CONSTRAINT child_parent FOREIGN KEY (parent) REFERENCES parent (id)) ENGINE = InnoDB;\
                      INSERT INTO parent VALUES (1, 'a@b', 1), (2, 'c@d', 1); INSERT INTO child VALUES (1, 1)";

#[tokio::test]
async fn a_broken_rule_is_named() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let mut connection = backend.connect().await?;
        connection.script(SCHEMA).await?;
        let not_null = ErrorKind::NotNullViolation;
        for (sql, kind, code, constraint) in [
            ("INSERT INTO parent VALUES (1, 'x', 1)", ErrorKind::UniqueViolation, "1062", Some("PRIMARY")),
            ("INSERT INTO parent VALUES (9, 'a@b', 1)", ErrorKind::UniqueViolation, "1062", Some("one_email")),
            ("UPDATE parent SET email = 'c@d' WHERE id = 1", ErrorKind::UniqueViolation, "1062", Some("one_email")),
            ("INSERT INTO child VALUES (2, 77)", ErrorKind::ForeignKeyViolation, "1452", Some("child_parent")),
            ("DELETE FROM parent WHERE id = 1", ErrorKind::ForeignKeyViolation, "1451", Some("child_parent")),
            ("INSERT INTO parent VALUES (9, NULL, 1)", not_null, "1048", Some("email")),
            ("INSERT INTO parent (id) VALUES (9)", not_null, "1364", Some("email")),
            ("INSERT INTO parent VALUES (9, 'x', 99999999999)", ErrorKind::BadValue, "1264", None),
            ("INSERT INTO parent VALUES (9, 'x', 'seven')", ErrorKind::BadValue, "1366", None),
            ("SELECT nothing FROM parent", ErrorKind::Syntax, "1054", None),
            ("SELECT 1 FROM nowhere", ErrorKind::Syntax, "1146", None),
            ("SELEKT 1", ErrorKind::Syntax, "1064", None),
            ("SELECT nowhere(1)", ErrorKind::Syntax, "1305", None),
        ] {
            let error = connection.execute(&plain(sql)).await.unwrap_err();
            let found = (error.kind(), error.code(), error.constraint());
            assert_eq!(found, (kind, Some(code), constraint), "{error}");
            assert_eq!(error.sql(), Some(sql));
        }
        let error = connection.execute(&plain("INSERT INTO parent VALUES (9, 'x', -1)")).await.unwrap_err();
        assert_eq!((error.kind(), error.constraint()), (ErrorKind::CheckViolation, Some("positive")), "{error}");
        let error = connection.execute(&with("SELECT ?", [])).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadValue);
        assert_eq!(number(&mut *connection, "SELECT COUNT(*) FROM parent").await, 2);
    }
    Ok(())
}

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
async fn the_server_must_be_there_and_let_the_user_in() -> Outcome {
    let nobody = MySqlOptions::url("mysql://root@127.0.0.1:1/x")?;
    assert_eq!(MySqlBackend::connect(nobody).await.unwrap_err().kind(), ErrorKind::Connect);
    for url in servers() {
        let mut options = MySqlOptions::url(&url)?;
        (options.user, options.password) = (Some("nobody_of_that_name".into()), Some("s3cr3t".into()));
        let shown = format!("{options:?}");
        assert!(!shown.contains("s3cr3t"), "{shown}");
        let error = MySqlBackend::connect(options).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
        let mut options = MySqlOptions::url(&url)?;
        options.database = Some("isogloss_no_such_database".into());
        assert_eq!(MySqlBackend::connect(options).await.unwrap_err().kind(), ErrorKind::Connect);
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
    let Some(server) = Private::encrypted("tls").await else { return Ok(()) };
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
async fn a_deadlock_ends_one_transaction_wholly() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let (mut one, mut other) = (backend.connect().await?, backend.connect().await?);
        one.script(SCHEMA).await?;
        let plainly = TransactionOptions::default();
        one.begin(&plainly).await?;
        other.begin(&plainly).await?;
        let set = |id: i64| with("UPDATE parent SET n = n + 1 WHERE id = ?", [id.into()]);
        one.execute(&set(1)).await?;
        other.execute(&set(2)).await?;
        let waits = tokio::spawn(async move {
            let done = one.execute(&set(2)).await.map(drop);
            (one, done)
        });
        tokio::time::sleep(Duration::from_millis(200)).await;
        let mine = other.execute(&set(1)).await.map(drop);
        let (mut one, theirs) = waits.await?;
        let (ended, lives, error) = match (mine, theirs) {
            (Err(error), Ok(())) => (&mut other, &mut one, error),
            (Ok(()), Err(error)) => (&mut one, &mut other, error),
            both => panic!("one of them ends: {both:?}"),
        };
        assert!(error.kind() == ErrorKind::Deadlock && error.kind().is_transient(), "{error}");
        // Nothing more is written outside of the transaction that is no more.
        let error = ended.execute(&set(1)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Deadlock);
        assert_eq!(ended.commit().await.unwrap_err().kind(), ErrorKind::Deadlock);
        assert_eq!(ended.depth(), 0);
        lives.commit().await?;
        assert_eq!(number(&mut **ended, "SELECT SUM(n) FROM parent").await, 4);
    }
    Ok(())
}

#[tokio::test]
async fn a_row_that_has_changed_ends_the_transaction() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        if !live::is_mariadb(&backend) {
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

/// And in the next transaction, of another isolation, it does not.
#[tokio::test]
async fn a_row_that_has_changed_since_a_snapshot_is_a_conflict() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        if !live::is_mariadb(&backend) {
            continue;
        }
        let (mut one, mut other) = (backend.connect().await?, backend.connect().await?);
        other.script(SCHEMA).await?;
        let change = plain("UPDATE parent SET n = n + 1 WHERE id = 1");
        for (isolation, conflicts) in [(Isolation::Snapshot, true), (Isolation::RepeatableRead, false)] {
            one.begin(&TransactionOptions::default().isolation(isolation)).await?;
            number(&mut *one, "SELECT n FROM parent WHERE id = 1").await;
            other.execute(&change).await?;
            match one.execute(&change).await {
                Ok(_) => assert!(!conflicts),
                Err(error) => assert!(conflicts && error.kind() == ErrorKind::SerializationFailure, "{error}"),
            }
            one.rollback().await?;
        }
    }
    Ok(())
}

/// A statement that ends the transaction by itself, as DDL does, ends its savepoints.
#[tokio::test]
async fn a_savepoint_whose_transaction_is_over_is_a_transaction_that_failed() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let mut connection = database.backend().await.connect().await?;
        let plainly = TransactionOptions::default();
        connection.begin(&plainly).await?;
        connection.begin(&plainly).await?;
        connection.execute(&plain("CREATE TABLE t (a INT)")).await?;
        let error = connection.commit().await.unwrap_err();
        assert!(error.kind() == ErrorKind::TransactionFailed && error.message().contains("is committed"), "{error}");
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
        // The statement's, in a transaction that goes on.
        other.script("SET innodb_lock_wait_timeout = 50").await?;
        let limited = TransactionOptions::default().statement_timeout(Duration::from_millis(300));
        other.begin(&limited).await?;
        let begun = Instant::now();
        let error = other.execute(&plain("UPDATE parent SET n = 6 WHERE id = 1")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
        assert!(begun.elapsed() < Duration::from_secs(3));
        other.execute(&plain("INSERT INTO parent VALUES (3, 'e@f', 1)")).await?;
        other.commit().await?;
        one.rollback().await?;
        assert_eq!(number(&mut *one, "SELECT SUM(n) FROM parent").await, 3);
    }
    Ok(())
}

#[tokio::test]
async fn a_statement_has_the_time_that_it_is_given() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.pool(1).await;
        let mut connection = backend.connect().await?;
        connection.script("CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (2)").await?;
        connection.set_statement_timeout(Some(Duration::from_millis(200))).await?;
        let long = "SELECT COUNT(*) FROM information_schema.COLUMNS a, information_schema.COLUMNS b, \
                    information_schema.COLUMNS c, information_schema.COLUMNS d WHERE a.ORDINAL_POSITION > SQRT(b.ORDINAL_POSITION)";
        let slow = "UPDATE t SET a = a + SLEEP(10)";
        for sql in [long, slow] {
            let begun = Instant::now();
            let error = connection.execute(&plain(sql)).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Timeout, "{sql}: {error}");
            assert!(begun.elapsed() < Duration::from_secs(5), "{sql}: {:?}", begun.elapsed());
            assert_eq!(number(&mut *connection, "SELECT 7").await, 7);
        }
        assert_eq!(connection.script(slow).await.unwrap_err().kind(), ErrorKind::Timeout);
        // The next one to get the connection has all the time.
        drop(connection);
        let mut connection = backend.connect().await?;
        connection.execute(&plain("DO SLEEP(0.4)")).await?;
        // A transaction has its own limit.
        connection.set_statement_timeout(Some(Duration::from_secs(60))).await?;
        connection.begin(&TransactionOptions::default().statement_timeout(Duration::from_millis(100))).await?;
        assert_eq!(connection.execute(&plain(slow)).await.unwrap_err().kind(), ErrorKind::Timeout);
        connection.commit().await?;
        connection.execute(&plain("DO SLEEP(0.2)")).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_value_that_is_too_long_is_not_sent() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let mut pool = live::pool(1);
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
