//! Connections of one pool wait for each other's writes, and are woken when one ends.
#![cfg(feature = "driver")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test stops where it fails")]

mod support;

use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use isogloss_compiler::Compiled;
use isogloss_driver::{AnyConnection, Backend, ConnectionExt, ErrorKind, Result, TransactionOptions, rows};
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};

use support::{File, Outcome, plain};

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

const LONG: Duration = Duration::from_secs(60);

/// Whether it waits for others, once it has had time to begin.
async fn waits<T>(future: Pin<&mut impl Future<Output = T>>) -> bool {
    tokio::time::timeout(Duration::from_millis(100), future).await.is_err()
}

/// SQLite's own pauses would be of 100 ms by then.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_waits_is_woken() -> Outcome {
    let file = File::new("waits-woken");
    let (_backend, mut connections) = opened(&file, LONG, 2).await?;
    let [holder, other] = connections.as_mut_slice() else { panic!("two connections") };
    let plainly = TransactionOptions::default();
    let mut lags = Vec::new();
    for round in 0..11 {
        holder.begin(&plainly).await?;
        holder.execute(&insert("holder")).await?;
        let ended = OnceLock::new();
        let written = async {
            match round % 3 {
                0 => other.execute(&insert("other")).await?,
                1 => {
                    other.begin(&plainly).await?;
                    other.execute(&insert("other")).await?;
                    other.commit().await?;
                    1
                }
                _ => other.execute_many(&insert("other"), rows([[]])).await?,
            };
            Ok::<_, isogloss_driver::Error>(Instant::now())
        };
        let end = async {
            tokio::time::sleep(Duration::from_millis(330 + 7 * round)).await;
            let _ = ended.set(Instant::now());
            holder.commit().await
        };
        let (written, end) = tokio::join!(written, end);
        end?;
        lags.push(written?.duration_since(*ended.get().unwrap()));
    }
    lags.sort_unstable();
    assert!(lags[5] < Duration::from_millis(20), "{lags:?}");
    Ok(())
}

/// One that nobody waits for any more keeps no connection for as long as it might have waited.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_is_given_up_waits_no_longer() -> Outcome {
    let file = File::new("waits-given-up");
    let (_backend, mut connections) = opened(&file, LONG, 2).await?;
    let [holder, other] = connections.as_mut_slice() else { panic!("two connections") };
    let plainly = TransactionOptions::default();
    holder.begin(&plainly).await?;
    let begun = Instant::now();
    assert!(waits(pin!(other.execute(&insert("never")))).await);
    assert!(names(other).await?.is_empty());
    assert!(waits(pin!(other.begin(&plainly))).await);
    assert!(names(other).await?.is_empty());
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    holder.commit().await?;
    other.execute(&insert("now")).await?;
    assert_eq!(names(holder).await?, ["now"]);
    Ok(())
}

/// However a write ends, the others go on at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_ended_is_in_nobodys_way() -> Outcome {
    let file = File::new("waits-back");
    let (backend, mut connections) = opened(&file, LONG, 2).await?;
    let [one, other] = connections.as_mut_slice() else { panic!("two connections") };
    let plainly = TransactionOptions::default();
    let begun = Instant::now();

    one.begin(&plainly).await?;
    one.rollback().await?;
    other.execute(&insert("rolled back")).await?;

    one.execute(&plain("INSERT INTO t (id) VALUES (1)")).await.unwrap_err();
    other.execute(&insert("failed")).await?;

    one.script("BEGIN").await?;
    one.execute(&insert("by text")).await?;
    one.execute(&plain("COMMIT")).await?;
    other.execute(&insert("by a text")).await?;

    // One whose future is dropped while it waits.
    one.begin(&plainly).await?;
    assert!(waits(pin!(other.execute(&insert("never")))).await);
    one.commit().await?;
    one.execute(&insert("given up")).await?;

    // A transaction whose connection is dropped is taken back elsewhere.
    let mut dropped = backend.connect().await?;
    dropped.begin(&plainly).await?;
    dropped.execute(&insert("never")).await?;
    drop(dropped);
    other.execute(&insert("dropped")).await?;

    let expected = ["rolled back", "failed", "by text", "by a text", "given up", "dropped"];
    assert_eq!(names(one).await?, expected);
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    Ok(())
}

/// What writes nothing to the file waits for nobody.
#[tokio::test]
async fn only_writes_wait() -> Outcome {
    let file = File::new("waits-others");
    let (backend, mut connections) = opened(&file, Duration::from_millis(50), 2).await?;
    let [holder, other] = connections.as_mut_slice() else { panic!("two connections") };
    holder.begin(&TransactionOptions::default()).await?;
    holder.execute(&insert("holder")).await?;
    let copy = File::new("waits-others-copy");
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
    let file = File::new("waits-vain");
    let (_backend, mut connections) = opened(&file, Duration::from_millis(50), 2).await?;
    let [one, other] = connections.as_mut_slice() else { panic!("two connections") };
    one.begin(&TransactionOptions::default()).await?;
    let many = insert("many");
    for error in [
        other.execute(&insert("never")).await.unwrap_err(),
        other.begin(&TransactionOptions::default()).await.unwrap_err(),
        other.execute_many(&many, rows([[]])).await.unwrap_err(),
    ] {
        assert_eq!((error.kind(), error.code()), (ErrorKind::Timeout, Some("5")), "{error}");
        assert!(error.to_string().contains("database is locked"), "{error}");
    }
    // What reads waits for nobody.
    assert!(names(other).await?.is_empty());
    one.commit().await?;
    other.execute(&insert("now")).await?;
    assert_eq!(names(one).await?, ["now"]);
    Ok(())
}

/// Another pool of the same file wakes nobody, and is waited for all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_pools_are_waited_for() -> Outcome {
    let file = File::new("waits-pools");
    let (_backend, mut connections) = opened(&file, LONG, 1).await?;
    let [own] = connections.as_mut_slice() else { panic!("one connection") };
    let stranger = SqliteBackend::open(SqliteOptions::file(&file.0)).await?;
    let mut strange = stranger.connect().await?;
    strange.begin(&TransactionOptions::default()).await?;
    strange.execute(&insert("stranger")).await?;
    let write = async { own.execute(&insert("own")).await };
    let end = async {
        tokio::time::sleep(Duration::from_millis(30)).await;
        strange.commit().await
    };
    let (written, ended) = tokio::join!(write, end);
    written?;
    ended?;
    assert_eq!(names(own).await?, ["stranger", "own"]);
    Ok(())
}

const PAGE: u64 = 4_096;

fn log_pages(file: &File) -> std::io::Result<u64> {
    Ok(std::fs::metadata(format!("{}-wal", file.0.display()))?.len() / PAGE)
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
    let file = File::new("waits-log");
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
    let written = many_write(&backend, 1_500).await;
    done.store(true, Ordering::Relaxed);
    for reader in readers {
        reader.await??;
    }
    written?;
    let pages = log_pages(&file)?;
    assert!(pages < 18_000, "the log has {pages} pages, and some 36,000 were written");
    Ok(())
}

/// One that reads for long has the log grow, as SQLite cannot do without what it reads. The others write on meanwhile, and
/// the log begins anew behind it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_reads_for_long_is_in_nobodys_way() -> Outcome {
    let file = File::new("waits-reader");
    let (backend, mut connections) = opened(&file, LONG, 1).await?;
    let backend = Arc::new(backend);
    let [reader] = connections.as_mut_slice() else { panic!("one connection") };
    reader.begin(&TransactionOptions::default().read_only()).await?;
    assert!(names(reader).await?.is_empty());
    let begun = Instant::now();
    many_write(&backend, 500).await?;
    let time = begun.elapsed();
    assert!(log_pages(&file)? > 8_000 && time < Duration::from_secs(30), "{time:?}");
    reader.commit().await?;
    // It is long by now, and takes its time.
    many_write(&backend, 1_000).await?;
    let pages = log_pages(&file)?;
    many_write(&backend, 1_000).await?;
    let more = log_pages(&file)? - pages;
    assert!(more < 8_000, "{more} pages more, and more than 16,000 were written");
    Ok(())
}

/// Whoever reads for long has the checkpoint wait with the writers' lock: for a moment, whatever others do meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_others_read_prolongs_no_wait() -> Outcome {
    let file = File::new("waits-prolonged");
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
        let begun = Instant::now();
        let large = plain("INSERT INTO t (name) VALUES (hex(zeroblob(3000000)))");
        let written = writer.execute(&large).await;
        done.store(true, Ordering::Relaxed);
        written.map(|_| begun.elapsed())
    };
    let (others, time) = tokio::join!(others, written);
    others?;
    assert!(time? < Duration::from_secs(2));
    drop(backend);
    Ok(())
}

/// So does the checkpoint behind a COMMIT, and one in a script that says how long it waits.
#[tokio::test]
async fn the_end_of_a_transaction_holds_nobody_up() -> Outcome {
    let file = File::new("waits-held");
    let (_backend, mut connections) = opened(&file, LONG, 2).await?;
    let [reader, writer] = connections.as_mut_slice() else { panic!("two connections") };
    let rows = |bytes: u32| format!("INSERT INTO t (name) VALUES (hex(zeroblob({bytes})))");
    for by_script in [false, true] {
        // Most of the log can be brought in, and the rest cannot.
        writer.execute(&plain(rows(1_800_000))).await?;
        reader.begin(&TransactionOptions::default().read_only()).await?;
        reader.execute(&plain("SELECT COUNT(*) FROM t")).await?;
        let begun = Instant::now();
        if by_script {
            writer.script(&format!("PRAGMA busy_timeout = 20000; {}; {}", rows(400_000), rows(1))).await?;
        } else {
            writer.begin(&TransactionOptions::default()).await?;
            writer.execute(&plain(rows(400_000))).await?;
            writer.commit().await?;
        }
        let time = begun.elapsed();
        assert!(log_pages(&file)? > 1_000 && time < Duration::from_millis(700), "{time:?}");
        reader.commit().await?;
        writer.script("PRAGMA wal_checkpoint(TRUNCATE)").await?;
    }
    Ok(())
}

/// Transactions that take their time have the checkpoint stand in line.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_does_not_grow_for_as_long_as_transactions_wait_for_each_other() -> Outcome {
    let file = File::new("waits-transactions");
    let (backend, _connections) = opened(&file, LONG, 1).await?;
    let backend = Arc::new(backend);
    let tasks = (0..3).map(|_| {
        let backend = Arc::clone(&backend);
        tokio::spawn(async move {
            for _ in 0..14 {
                let mut connection = backend.connect().await?;
                connection.begin(&TransactionOptions::default()).await?;
                connection.execute(&plain("INSERT INTO t (name) VALUES (hex(zeroblob(400000)))")).await?;
                tokio::time::sleep(Duration::from_millis(70)).await;
                connection.commit().await?;
            }
            Ok::<_, isogloss_driver::Error>(())
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await??;
    }
    let pages = log_pages(&file)?;
    assert!(pages < 5_000, "the log has {pages} pages, and some 8,000 were written");
    Ok(())
}

/// A log that has begun anew by itself is short, however long it was once.
#[tokio::test]
async fn a_log_that_was_long_once_is_brought_in_as_any_other() -> Outcome {
    let file = File::new("waits-once");
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
    let (file, beside) = (File::new("waits-main"), File::new("waits-beside"));
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
#[tokio::test]
async fn no_pragma_has_a_statement_wait_where_its_caller_stands() -> Outcome {
    let file = File::new("waits-pragma");
    let (_backend, mut connections) = opened(&file, LONG, 2).await?;
    let [holder, other] = connections.as_mut_slice() else { panic!("two connections") };
    let row = insert("other");
    for by_script in [true, false] {
        let pragma = "PRAGMA busy_timeout = 2000";
        for _ in 0..2 {
            if by_script {
                other.script(pragma).await?;
            } else {
                other.execute(&plain(pragma)).await?;
            }
        }
        // It runs where its caller stands by then.
        for _ in 0..3 {
            other.execute(&row).await?;
        }
        holder.begin(&TransactionOptions::default()).await?;
        let begun = Instant::now();
        let end = async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            holder.commit().await
        };
        let (written, end) = tokio::join!(other.execute(&row), end);
        written?;
        end?;
        assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    }
    Ok(())
}
