//! What comes too late, or half way, on a connection that others get from the pool.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use futures_util::{FutureExt, TryStreamExt};
use isogloss_driver::{Backend, ConnectionExt, ErrorKind, Isolation, TransactionOptions};
use isogloss_mysql::driver::{MySqlBackend, TlsMode};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};

use crate::live::clock::{advance, frozen, in_time, real_pause};
use crate::live::{Database, Outcome, number, plain, servers, until, until_running};

/// What may stand between, and do something about certain words.
struct Between {
    port: u16,
    /// Whether the sender of a KILL is hung up on.
    cuts: AtomicBool,
    /// Says that a KILL has come, which is not passed on yet.
    held: Notify,
    /// How many KILLs may be passed on.
    released: Semaphore,
    /// How many have been passed on.
    kills: AtomicU32,
    /// Whether no transaction can begin: its text is no SQL.
    spoils: AtomicBool,
    /// Says that the text has come which begins a transaction.
    begins: Notify,
}

impl Between {
    async fn new(host: &str, port: u16) -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let between = Arc::new(Self {
            port: listener.local_addr().unwrap().port(),
            cuts: false.into(),
            held: Notify::new(),
            released: Semaphore::new(0),
            kills: 0.into(),
            spoils: false.into(),
            begins: Notify::new(),
        });
        let (passes, place) = (Arc::clone(&between), (host.to_owned(), port));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (passes, server) = (Arc::clone(&passes), TcpStream::connect(&place).await.unwrap());
                tokio::spawn(async move { passes.pass(client, server).await });
            }
        });
        between
    }

    async fn pass(&self, client: TcpStream, server: TcpStream) {
        let ((mut asks, mut hears), (mut answers, mut takes)) = (client.into_split(), server.into_split());
        let answered = tokio::spawn(async move { tokio::io::copy(&mut answers, &mut hears).await });
        let mut buffer = vec![0; 64 << 10];
        while let Ok(len @ 1..) = asks.read(&mut buffer).await {
            let says = |words: &[u8]| buffer[..len].windows(words.len()).position(|part| part == words);
            let kills = says(b"KILL QUERY").is_some();
            if let Some(at) = says(b"START TRANSACTION") {
                if self.spoils.load(Ordering::SeqCst) {
                    buffer[at] = b'_';
                }
                self.begins.notify_one();
            }
            if kills && self.cuts.load(Ordering::SeqCst) {
                answered.abort();
            }
            if kills {
                self.held.notify_one();
                self.released.acquire().await.unwrap().forget();
            }
            if takes.write_all(&buffer[..len]).await.is_err() {
                break;
            }
            self.kills.fetch_add(kills.into(), Ordering::SeqCst);
        }
        answered.abort();
    }
}

/// A pool of one connection with something between.
async fn between(database: &Database, limit: Option<Duration>) -> (MySqlBackend, Arc<Between>) {
    let mut options = database.options();
    let between = Between::new(&options.host, options.port).await;
    (options.host, options.port, options.tls) = ("127.0.0.1".into(), between.port, TlsMode::Off);
    (options.pool.max, options.pool.statement_timeout) = (1, limit);
    // No KILL is given up while it is held.
    options.pool.grace = Duration::from_secs(3600);
    (MySqlBackend::connect(options).await.unwrap(), between)
}

/// A statement whose time is over ends by itself, and its KILL comes behind it, perhaps when nobody waits for it any more.
#[tokio::test]
async fn a_kill_that_is_late_ends_nothing_of_the_next_one() -> Outcome {
    const LIMIT: Duration = Duration::from_secs(600);
    for url in servers() {
        let database = Database::new(&url).await;
        let (backend, between) = between(&database, Some(LIMIT)).await;
        let mut watches = database.backend().await.connect().await?;
        watches.script("CREATE TABLE t (n INT PRIMARY KEY); INSERT INTO t VALUES (0)").await?;
        let waits = plain("SELECT n FROM t -- it waits for the table");
        // Over a connection of its own, over one that was kept, and over one that is lost with it, new and kept.
        for (round, cut) in (1_u32..).zip([true, false, false, true]) {
            between.cuts.store(cut, Ordering::SeqCst);
            let mut connection = backend.connect().await?;
            let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
            // To prepare it takes the table, too.
            connection.stream::<(i64,)>(&waits).try_collect::<Vec<_>>().await?;
            watches.script("LOCK TABLES t WRITE").await?;
            let clock = frozen();
            let late = async {
                until_running(&mut *watches, id, "it waits for the table").await;
                advance(LIMIT + Duration::from_secs(1));
                in_time(between.held.notified()).await;
                if !cut {
                    watches.script("UNLOCK TABLES").await.unwrap();
                    let idle = format!(
                        "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = {id} AND COMMAND = 'Sleep'"
                    );
                    until(&mut *watches, &idle, |count| count == 1).await;
                    between.released.add_permits(1);
                }
            };
            let (ended, ()) = tokio::join!(connection.stream::<(i64,)>(&waits).try_collect::<Vec<_>>(), late);
            drop(clock);
            match ended {
                Ok(rows) => assert!(rows == [(0,)] && !cut, "{round}: it ended by itself"),
                Err(error) => assert!(error.kind() == ErrorKind::Timeout && cut, "{round}: {error}"),
            }
            drop(connection);
            watches.script("UNLOCK TABLES").await?;
            let mut next = backend.connect().await?;
            next.set_statement_timeout(None).await?;
            let id = number(&mut *next, "SELECT CONNECTION_ID()").await;
            let again = "SELECT n FROM t -- it waits again";
            assert_eq!(number(&mut *next, again).await, 0);
            let passed = async || {
                while between.kills.load(Ordering::SeqCst) < round {
                    real_pause().await;
                }
            };
            if cut {
                watches.script("LOCK TABLES t WRITE").await?;
                let comes = async {
                    until_running(&mut *watches, id, "it waits again").await;
                    between.released.add_permits(1);
                    in_time(passed()).await;
                    // The server has some time for what it is sent.
                    for _ in 0..10 {
                        real_pause().await;
                    }
                    watches.script("UNLOCK TABLES").await.unwrap();
                };
                assert_eq!(tokio::join!(number(&mut *next, again), comes), (0, ()), "{round}");
            } else {
                // A SLEEP that is ended says 1.
                assert_eq!(number(&mut *next, "SELECT SLEEP(1)").await, 0, "{round}");
                in_time(passed()).await;
            }
            assert_eq!(between.kills.load(Ordering::SeqCst), round);
        }
    }
    Ok(())
}

/// What the next transaction is to be like is not what another one's is: not where it could not begin, nor where nobody
/// waited for it.
#[tokio::test]
async fn an_isolation_is_that_of_its_transaction_alone() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let (backend, between) = between(&database, None).await;
        let mut first = backend.connect().await?;
        first.script("CREATE TABLE t (n INT PRIMARY KEY) ENGINE = InnoDB; INSERT INTO t VALUES (1)").await?;
        drop(first);
        let serializable = TransactionOptions::default().isolation(Isolation::Serializable);
        let mut watches = database.pool(1).await.connect().await?;
        watches.script("SET innodb_lock_wait_timeout = 1").await?;
        for way in ["spoiled", "dropped", "half way", "begun"] {
            let mut connection = backend.connect().await?;
            match way {
                "spoiled" => {
                    between.spoils.store(true, Ordering::SeqCst);
                    let error = connection.begin(&serializable).await.unwrap_err();
                    assert_eq!(error.code(), Some("1064"), "behind the isolation, which was set: {error}");
                    between.spoils.store(false, Ordering::SeqCst);
                }
                "dropped" => assert!(connection.begin(&serializable).now_or_never().is_none()),
                "half way" => {
                    let _ = between.begins.notified().now_or_never();
                    tokio::select! {
                        biased;
                        () = between.begins.notified() => {}
                        begun = connection.begin(&serializable) => begun?,
                    }
                }
                _ => {
                    connection.begin(&serializable).await?;
                    connection.commit().await?;
                }
            }
            // The same holder's next transaction, and another one's: what a serializable one reads nobody writes.
            for held in [true, false] {
                if !held {
                    drop(connection);
                    connection = backend.connect().await?;
                }
                if connection.depth() > 0 {
                    connection.rollback().await?;
                }
                connection.begin(&TransactionOptions::default()).await?;
                assert_eq!(number(&mut *connection, "SELECT COUNT(*) FROM t").await, 1);
                let written = watches.execute(&plain("UPDATE t SET n = n + 1")).await;
                assert!(written.is_ok(), "{way} {held}: {written:?}");
                connection.rollback().await?;
            }
        }
        // It would be seen.
        let mut connection = backend.connect().await?;
        connection.begin(&serializable).await?;
        assert_eq!(number(&mut *connection, "SELECT COUNT(*) FROM t").await, 1);
        assert!(watches.execute(&plain("UPDATE t SET n = n + 1")).await.is_err());
    }
    Ok(())
}
