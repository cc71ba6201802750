//! Connections of one pool write in the order in which they came.
#![cfg(feature = "driver")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops where it fails")]

use std::path::PathBuf;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use isogloss_compiler::Compiled;
use isogloss_driver::{AnyConnection, Backend, BoxFuture, ConnectionExt, ErrorKind, Result, TransactionOptions, rows};
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};

type Outcome = std::result::Result<(), Box<dyn std::error::Error>>;

struct File(PathBuf);

impl File {
    fn new(test: &str) -> Self {
        let file = Self(std::env::temp_dir().join(format!("isogloss-turns-{test}-{}.db", std::process::id())));
        file.remove();
        file
    }

    fn remove(&self) {
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{suffix}", self.0.display()));
        }
    }
}

impl Drop for File {
    fn drop(&mut self) {
        self.remove();
    }
}

fn plain(sql: &str) -> Compiled<'static> {
    Compiled { sql: sql.to_owned(), ..Compiled::default() }
}

fn insert(name: &str) -> Compiled<'static> {
    plain(&format!("INSERT INTO t (name) VALUES ('{name}')"))
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

/// It stands in line from then on.
fn comes(future: Pin<&mut (impl Future + ?Sized)>) {
    assert!(future.poll(&mut Context::from_waker(Waker::noop())).is_pending(), "it waits for the one that writes");
}

const LONG: Duration = Duration::from_secs(20);

/// A statement, a transaction and many rows: each way to write stands in the one line.
#[tokio::test]
async fn who_came_first_writes_first() -> Outcome {
    let file = File::new("order");
    let (_backend, mut connections) = opened(&file, LONG, 4).await?;
    let [holder, a, b, c] = connections.as_mut_slice() else { panic!("four connections") };
    let plainly = TransactionOptions::default();
    for round in 0..9 {
        holder.begin(&plainly).await?;
        holder.execute(&insert("holder")).await?;
        let (alone, many) = (insert("a"), insert("c"));
        let writes: [BoxFuture<'_, Result<u64>>; 3] = [
            Box::pin(a.execute(&alone)),
            Box::pin(async {
                b.begin(&plainly).await?;
                let done = b.execute(&insert("b")).await?;
                b.commit().await?;
                Ok(done)
            }),
            Box::pin(c.execute_many(&many, rows([[]]))),
        ];
        let [mut first, mut second, mut third] = writes;
        // They come in another order each time.
        let order: [usize; 3] = [[0, 1, 2], [2, 1, 0], [1, 0, 2]][round % 3];
        for place in order {
            match place {
                0 => comes(first.as_mut()),
                1 => comes(second.as_mut()),
                _ => comes(third.as_mut()),
            }
        }
        holder.commit().await?;
        let (first, second, third) = tokio::join!(first, second, third);
        assert_eq!((first?, second?, third?), (1, 1, 1));
        let mut expected = vec!["holder"];
        expected.extend(order.map(|place| ["a", "b", "c"][place]));
        assert_eq!(names(holder).await?, expected, "round {round}");
        holder.execute(&plain("DELETE FROM t")).await?;
    }
    Ok(())
}

/// A turn ends with what it was for, however that ends.
#[tokio::test]
async fn a_turn_comes_back() -> Outcome {
    let file = File::new("back");
    let (backend, mut connections) = opened(&file, LONG, 2).await?;
    let [one, other] = connections.as_mut_slice() else { panic!("two connections") };
    let plainly = TransactionOptions::default();

    one.begin(&plainly).await?;
    one.rollback().await?;
    other.execute(&insert("rolled back")).await?;

    one.execute(&plain("INSERT INTO t (id) VALUES (1)")).await.unwrap_err();
    other.execute(&insert("failed")).await?;

    one.script("BEGIN").await?;
    one.execute(&insert("by text")).await?;
    one.execute(&plain("COMMIT")).await?;
    other.execute(&insert("by a text")).await?;

    // One whose future is dropped while it stands in line.
    one.begin(&plainly).await?;
    comes(pin!(other.execute(&insert("never"))).as_mut());
    one.commit().await?;
    one.execute(&insert("nobody in line")).await?;

    // A transaction whose connection is dropped is taken back elsewhere.
    let mut dropped = backend.connect().await?;
    dropped.begin(&plainly).await?;
    dropped.execute(&insert("never")).await?;
    drop(dropped);
    other.execute(&insert("dropped")).await?;

    let expected = ["rolled back", "failed", "by text", "by a text", "nobody in line", "dropped"];
    assert_eq!(names(one).await?, expected);
    Ok(())
}

/// Who waits in vain is told so as SQLite tells it, and does not stand in line any more.
#[tokio::test]
async fn nobody_waits_for_ever() -> Outcome {
    let file = File::new("vain");
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
    }
    // What reads waits for nobody.
    assert!(names(other).await?.is_empty());
    one.commit().await?;
    other.execute(&insert("now")).await?;
    assert_eq!(names(one).await?, ["now"]);
    Ok(())
}

/// Another pool of the same file knows nothing of the line, and is waited for all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_pools_are_waited_for() -> Outcome {
    let file = File::new("pools");
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

/// The log goes to the file while many write, too: it would grow by each page that is written.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_does_not_grow_for_as_long_as_others_write() -> Outcome {
    const TASKS: usize = 8;
    const ROWS: usize = 1_500;
    let file = File::new("log");
    let (backend, _connections) = opened(&file, LONG, 1).await?;
    let backend = Arc::new(backend);
    let tasks = (0..TASKS).map(|_| {
        let backend = Arc::clone(&backend);
        tokio::spawn(async move {
            let statement = plain("INSERT INTO t (name) VALUES (hex(randomblob(4000)))");
            for _ in 0..ROWS {
                backend.connect().await?.execute(&statement).await?;
            }
            Ok::<_, isogloss_driver::Error>(())
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await??;
    }
    let size = |suffix: &str| std::fs::metadata(format!("{}{suffix}", file.0.display())).map(|file| file.len());
    let (log, rows) = (size("-wal")?, (TASKS * ROWS * 8_000) as u64);
    assert!(log < rows / 8, "the log has {log} bytes, {rows} were written");
    Ok(())
}
