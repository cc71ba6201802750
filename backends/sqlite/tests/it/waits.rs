//! Connections of one pool wait for each other's writes, and are woken when one ends.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test stops where it fails")]

use std::io::Read as _;
use std::path::Path;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use isogloss_compiler::Compiled;
use isogloss_driver::{AnyConnection, Backend, ConnectionExt, ErrorKind, Result, TransactionOptions, rows};
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};

use crate::support::{File, Outcome, plain, poll_inline, unless_it_hangs, until_inline, with_one_blocking_thread};

fn insert(name: &str) -> Compiled<'static> {
    plain(format!("INSERT INTO t (name) VALUES ('{name}')"))
}

/// A pool of connections, and so many of them.
async fn opened(file: &File, wait: Duration, count: usize) -> Result<(SqliteBackend, Vec<AnyConnection>)> {
    let mut options = SqliteOptions::file(&file.0);
    options.busy_timeout = wait;
    let backend = SqliteBackend::open(options).await?;
    let mut connections = Vec::new();
    for _ in 0..count {
        connections.push(backend.connect().await?);
    }
    if let Some(first) = connections.first_mut() {
        first.script("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)").await?;
    }
    Ok((backend, connections))
}

async fn names(connection: &mut AnyConnection) -> Result<Vec<String>> {
    let all: Vec<(String,)> = connection.fetch(&plain("SELECT name FROM t ORDER BY id")).await?;
    Ok(all.into_iter().map(|(name,)| name).collect())
}

/// Longer than any test runs.
const LONG: Duration = Duration::from_secs(3600);

/// What writes nothing to the file waits for nobody.
#[tokio::test]
async fn only_writes_wait() -> Outcome {
    let file = File::new()?;
    let (backend, mut connections) = opened(&file, Duration::from_millis(50), 2).await?;
    let [holder, other] = connections.as_mut_slice() else { panic!("two connections") };
    holder.begin(&TransactionOptions::default()).await?;
    holder.execute(&insert("holder")).await?;
    let copy = File::new()?;
    let vacuum = format!("VACUUM INTO '{}'", copy.0.display());
    for sql in [
        "CREATE TEMP TABLE own (a)",
        "INSERT INTO own VALUES (1)",
        "CREATE TABLE IF NOT EXISTS t (a)",
        "PRAGMA cache_size = 10",
        "EXPLAIN INSERT INTO t (name) VALUES ('a')",
        "ATTACH ':memory:' AS beside",
        "CREATE TABLE beside.t (a)",
        "INSERT INTO beside.t VALUES (1)",
        "DETACH beside",
        &vacuum,
    ] {
        // More than once, so that it runs where its caller stands, too.
        let again =
            !["CREATE TEMP", "ATTACH", "CREATE TABLE beside", "DETACH", "VACUUM"].iter().any(|w| sql.starts_with(w));
        for _ in 0..if again { 3 } else { 1 } {
            other.execute(&plain(sql)).await.map_err(|error| format!("{sql}: {error}"))?;
        }
    }
    holder.commit().await?;
    drop(backend);
    Ok(())
}

/// Who waits in vain is told so as SQLite tells it.
#[tokio::test]
async fn nobody_waits_for_ever() -> Outcome {
    let file = File::new()?;
    let (_backend, mut connections) = opened(&file, Duration::from_millis(50), 2).await?;
    let [one, other] = connections.as_mut_slice() else { panic!("two connections") };
    one.begin(&TransactionOptions::default()).await?;
    let many = insert("many");
    for error in [
        other.execute(&insert("never")).await.unwrap_err(),
        other.begin(&TransactionOptions::default()).await.unwrap_err(),
        other.execute_many(&many, rows([[]])).await.unwrap_err(),
    ] {
        assert_eq!((error.kind(), error.code()), (ErrorKind::Busy, Some("5")), "{error}");
        assert!(error.to_string().contains("database is locked"), "{error}");
    }
    // What reads waits for nobody.
    assert!(names(other).await?.is_empty());
    one.commit().await?;
    other.execute(&insert("now")).await?;
    assert_eq!(names(one).await?, ["now"]);
    Ok(())
}

const PAGE: u64 = 4_096;

fn log_pages(file: &File) -> std::io::Result<u64> {
    Ok(std::fs::metadata(format!("{}-wal", file.0.display()))?.len() / PAGE)
}

/// How often the log has begun anew, by the count in its header.
fn beginnings(file: &File) -> std::io::Result<u32> {
    let mut header = [0; 16];
    std::fs::File::open(format!("{}-wal", file.0.display()))?.read_exact(&mut header)?;
    let [.., a, b, c, d] = header;
    Ok(u32::from_be_bytes([a, b, c, d]))
}

/// Many tasks write rows of two pages, until the log has begun anew so often.
async fn write_until_begun_anew(backend: &Arc<SqliteBackend>, file: &File, times: u32) -> Outcome {
    let until = beginnings(file)? + times;
    while beginnings(file)? < until {
        many_write(backend, 50).await?;
    }
    Ok(())
}

/// Many tasks write rows of two pages, in so many statements each.
async fn many_write(backend: &Arc<SqliteBackend>, statements: usize) -> Outcome {
    let tasks = (0..8).map(|_| {
        let backend = Arc::clone(backend);
        tokio::spawn(async move {
            let statement = plain("INSERT INTO t (name) VALUES (hex(randomblob(4000)))");
            for _ in 0..statements {
                backend.connect().await?.execute(&statement).await?;
            }
            Ok::<_, isogloss_driver::Error>(())
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await??;
    }
    Ok(())
}

/// The log goes to the file while many write and read: it would grow by each page that is written.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_does_not_grow_for_as_long_as_others_write() -> Outcome {
    let file = File::new()?;
    let (backend, _connections) = opened(&file, LONG, 1).await?;
    let backend = Arc::new(backend);
    let done = Arc::new(AtomicBool::new(false));
    let readers = (0..4).map(|_| {
        let (backend, done) = (Arc::clone(&backend), Arc::clone(&done));
        tokio::spawn(async move {
            while !done.load(Ordering::Relaxed) {
                let read = plain("SELECT MAX(length(name)) FROM (SELECT name FROM t ORDER BY id DESC LIMIT 50)");
                backend.connect().await?.fetch::<Option<i64>>(&read).await?;
            }
            Ok::<_, isogloss_driver::Error>(())
        })
    });
    let readers: Vec<_> = readers.collect();
    let written = unless_it_hangs(write_until_begun_anew(&backend, &file, 3)).await;
    done.store(true, Ordering::Relaxed);
    for reader in readers {
        reader.await??;
    }
    written
}

/// One that reads for long has the log grow, as SQLite cannot do without what it reads. The others write on meanwhile, and
/// the log begins anew behind it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_reads_for_long_is_in_nobodys_way() -> Outcome {
    let file = File::new()?;
    let (backend, mut connections) = opened(&file, LONG, 1).await?;
    let backend = Arc::new(backend);
    let [reader] = connections.as_mut_slice() else { panic!("one connection") };
    reader.begin(&TransactionOptions::default().read_only()).await?;
    assert!(names(reader).await?.is_empty());
    unless_it_hangs(many_write(&backend, 500)).await?;
    assert!(log_pages(&file)? > 8_000);
    reader.commit().await?;
    // It is long by now, and takes its time.
    unless_it_hangs(write_until_begun_anew(&backend, &file, 1)).await?;
    let pages = log_pages(&file)?;
    unless_it_hangs(write_until_begun_anew(&backend, &file, 2)).await?;
    assert_eq!(log_pages(&file)?, pages, "it is long enough");
    Ok(())
}

/// Whoever reads for long has the checkpoint wait with the writers' lock: for a moment, whatever others do meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_others_read_prolongs_no_wait() -> Outcome {
    let file = File::new()?;
    let (backend, mut connections) = opened(&file, LONG, 3).await?;
    let [reader, other, writer] = connections.as_mut_slice() else { panic!("three connections") };
    let reads = TransactionOptions::default().read_only();
    reader.begin(&reads).await?;
    assert!(names(reader).await?.is_empty());
    let done = AtomicBool::new(false);
    let others = async {
        while !done.load(Ordering::Relaxed) {
            other.begin(&reads).await?;
            names(other).await?;
            other.rollback().await?;
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Ok::<_, isogloss_driver::Error>(())
    };
    let written = async {
        let large = plain("INSERT INTO t (name) VALUES (hex(zeroblob(3000000)))");
        let written = writer.execute(&large).await;
        done.store(true, Ordering::Relaxed);
        written
    };
    unless_it_hangs(async { tokio::try_join!(others, written) }).await?;
    drop(backend);
    Ok(())
}

/// So does the checkpoint behind a COMMIT, and one in a script that says how long it waits.
#[tokio::test]
async fn the_end_of_a_transaction_holds_nobody_up() -> Outcome {
    let file = File::new()?;
    let (_backend, mut connections) = opened(&file, LONG, 2).await?;
    let [reader, writer] = connections.as_mut_slice() else { panic!("two connections") };
    let rows = |bytes: u32| format!("INSERT INTO t (name) VALUES (hex(zeroblob({bytes})))");
    for by_script in [false, true] {
        // Most of the log can be brought in, and the rest cannot.
        writer.execute(&plain(rows(1_800_000))).await?;
        reader.begin(&TransactionOptions::default().read_only()).await?;
        reader.execute(&plain("SELECT COUNT(*) FROM t")).await?;
        let write = async {
            if by_script {
                let timeout = LONG.as_millis();
                let script = format!("PRAGMA busy_timeout = {timeout}; {}; {}", rows(400_000), rows(1));
                return writer.script(&script).await;
            }
            writer.begin(&TransactionOptions::default()).await?;
            writer.execute(&plain(rows(400_000))).await?;
            writer.commit().await
        };
        unless_it_hangs(write).await?;
        assert!(log_pages(&file)? > 1_000);
        reader.commit().await?;
        writer.script("PRAGMA wal_checkpoint(TRUNCATE)").await?;
    }
    Ok(())
}

/// A log that has begun anew by itself is short, however long it was once.
#[tokio::test]
async fn a_log_that_was_long_once_is_brought_in_as_any_other() -> Outcome {
    let file = File::new()?;
    let (_backend, mut connections) = opened(&file, LONG, 2).await?;
    let [reader, writer] = connections.as_mut_slice() else { panic!("two connections") };
    let row = plain("INSERT INTO t (name) VALUES (hex(zeroblob(100000)))");
    reader.begin(&TransactionOptions::default().read_only()).await?;
    assert!(names(reader).await?.is_empty());
    for _ in 0..100 {
        writer.execute(&row).await?;
    }
    reader.commit().await?;
    reader.script("PRAGMA wal_checkpoint(TRUNCATE)").await?;
    assert_eq!(log_pages(&file)?, 0);
    for _ in 0..100 {
        writer.execute(&row).await?;
    }
    let pages = log_pages(&file)?;
    assert!(pages < 2_500, "{pages}");
    Ok(())
}

/// An attached file has a log of its own.
#[tokio::test]
async fn the_log_of_another_file_is_another_matter() -> Outcome {
    let (file, beside) = (File::new()?, File::new()?);
    let (_backend, mut connections) = opened(&file, LONG, 2).await?;
    let (_other, mut others) = opened(&beside, LONG, 1).await?;
    let ([writer, _], [reader]) = (connections.as_mut_slice(), others.as_mut_slice()) else { panic!("connections") };
    writer.script(&format!("ATTACH '{}' AS beside", beside.0.display())).await?;
    reader.begin(&TransactionOptions::default().read_only()).await?;
    assert!(names(reader).await?.is_empty());
    let insert = |table: &str| plain(format!("INSERT INTO {table} (name) VALUES (hex(zeroblob(100000)))"));
    for _ in 0..60 {
        writer.execute(&insert("beside.t")).await?;
    }
    assert!(log_pages(&beside)? > 2_500);
    for _ in 0..100 {
        writer.execute(&insert("main.t")).await?;
    }
    let pages = log_pages(&file)?;
    assert!(pages < 2_500, "{pages}");
    Ok(())
}

/// Whatever a script or a statement says of the wait, a statement where its caller stands does not wait.
#[test]
fn no_pragma_has_a_statement_wait_where_its_caller_stands() -> Outcome {
    with_one_blocking_thread(async {
        let file = File::new()?;
        let (_backend, mut connections) = opened(&file, LONG, 1).await?;
        let [other] = connections.as_mut_slice() else { panic!("one connection") };
        let row = insert("other");
        for by_script in [true, false] {
            let pragma = format!("PRAGMA busy_timeout = {}", LONG.as_millis());
            for _ in 0..2 {
                if by_script {
                    other.script(&pragma).await?;
                } else {
                    other.execute(&plain(&pragma)).await?;
                }
            }
            until_inline(async || other.execute(&row).await).await?;
            let holder = Holder::begin(&file.0);
            let mut write = pin!(other.execute(&row));
            let (done, blocking) = poll_inline(write.as_mut());
            assert!(done.is_pending(), "it waited on the thread of its caller");
            holder.commit();
            drop(blocking);
            write.await?;
        }
        Ok(())
    })
}

/// Another program that has the writers' lock.
struct Holder {
    commit: mpsc::Sender<()>,
    thread: JoinHandle<()>,
}

impl Holder {
    fn begin(path: &Path) -> Self {
        let connection = rusqlite::Connection::open(path).unwrap();
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        let (commit, committed) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            // One that waits for it on the thread of the test is let go in the end.
            let _ = committed.recv_timeout(Duration::from_secs(60));
            connection.execute_batch("COMMIT").unwrap();
        });
        Self { commit, thread }
    }

    fn commit(self) {
        self.commit.send(()).unwrap();
        self.thread.join().unwrap();
    }
}
