//! Connections of one pool wait for each other's writes. The tests see who waits in the pool's line.

#[path = "../../../driver/testing/statements.rs"]
mod statements;

use std::path::{Path, PathBuf};
use std::pin::{Pin, pin};
use std::sync::{Arc, mpsc};
use std::task::{Context, Waker};
use std::time::Duration;

use isogloss_compiler::Compiled;
use isogloss_driver::{AnyConnection, Backend, ConnectionExt, Result, TransactionOptions, rows};
use rusqlite::Connection;
use tempfile::TempDir;

use super::log::Log;
use super::wait::{Line, Writing};
use super::*;
use statements::plain;

/// Longer than any test runs.
const PATIENCE: Duration = Duration::from_secs(3600);

/// A pool of connections to a file, and the line in which they wait.
struct Pool {
    line: Arc<Line>,
    backend: SqliteBackend,
    path: PathBuf,
    _folder: TempDir,
}

impl Pool {
    async fn new(line: Line) -> Result<Self> {
        let folder = tempfile::tempdir().unwrap();
        let (path, line) = (folder.path().join("a.db"), Arc::new(line));
        let backend = SqliteBackend::in_line(options(&path), Arc::clone(&line)).await?;
        let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)";
        backend.connect().await?.execute(&plain(table)).await?;
        Ok(Self { line, backend, path, _folder: folder })
    }

    /// Waits until a connection of the pool waits for others.
    async fn until_one_waits(&self) {
        while !self.line.has_waiting() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Polls `work` until it waits for others, and drops it.
    async fn drop_while_it_waits<T>(&self, work: impl Future<Output = Result<T>>) {
        tokio::select! {
            done = work => panic!("it waits for nobody: {:?}", done.map(drop)),
            () = self.until_one_waits() => {}
        }
    }

    fn log_bytes(&self) -> u64 {
        std::fs::metadata(format!("{}-wal", self.path.display())).unwrap().len()
    }
}

fn options(path: &Path) -> SqliteOptions {
    let mut options = SqliteOptions::file(path);
    options.busy_timeout = PATIENCE;
    options
}

fn insert(name: &str) -> Compiled<'static> {
    plain(format!("INSERT INTO t (name) VALUES ('{name}')"))
}

async fn names(connection: &mut AnyConnection) -> Result<Vec<String>> {
    let all: Vec<(String,)> = connection.fetch(&plain("SELECT name FROM t ORDER BY id")).await?;
    Ok(all.into_iter().map(|(name,)| name).collect())
}

/// Fails a test that hangs. The limit says nothing about the speed of the code under test.
async fn unless_it_hangs(test: impl Future<Output = Result<()>>) -> Result<()> {
    tokio::time::timeout(Duration::from_secs(60), test).await.expect("the test hangs")
}

/// Its own pauses are longer than the test may run.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_waits_is_woken() -> Result<()> {
    let test = async {
        let mut line = Line::default();
        line.pause = Some(Duration::from_secs(120));
        let pool = Pool::new(line).await?;
        let (mut holder, mut other) = (pool.backend.connect().await?, pool.backend.connect().await?);
        let plainly = TransactionOptions::default();
        for round in 0..30 {
            holder.begin(&plainly).await?;
            holder.execute(&insert("holder")).await?;
            let write = async {
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
                Result::Ok(())
            };
            let end = async {
                pool.until_one_waits().await;
                holder.commit().await
            };
            tokio::try_join!(write, end)?;
        }
        Ok(())
    };
    unless_it_hangs(test).await
}

/// One that nobody waits for any more keeps no connection for as long as it might have waited.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_is_given_up_waits_no_longer() -> Result<()> {
    let test = async {
        let pool = Pool::new(Line::default()).await?;
        let (mut holder, mut other) = (pool.backend.connect().await?, pool.backend.connect().await?);
        let plainly = TransactionOptions::default();
        holder.begin(&plainly).await?;
        pool.drop_while_it_waits(other.execute(&insert("never"))).await;
        assert!(names(&mut other).await?.is_empty());
        pool.drop_while_it_waits(other.begin(&plainly)).await;
        assert!(names(&mut other).await?.is_empty());
        holder.commit().await?;
        other.execute(&insert("now")).await?;
        assert_eq!(names(&mut holder).await?, ["now"]);
        Ok(())
    };
    unless_it_hangs(test).await
}

/// However a write ends, the others go on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_ended_is_in_nobodys_way() -> Result<()> {
    let test = async {
        let pool = Pool::new(Line::default()).await?;
        let (mut one, mut other) = (pool.backend.connect().await?, pool.backend.connect().await?);
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

        // One whose future is dropped while it waits.
        one.begin(&plainly).await?;
        pool.drop_while_it_waits(other.execute(&insert("never"))).await;
        one.commit().await?;
        one.execute(&insert("given up")).await?;

        // A transaction whose connection is dropped is taken back elsewhere.
        let mut dropped = pool.backend.connect().await?;
        dropped.begin(&plainly).await?;
        dropped.execute(&insert("never")).await?;
        drop(dropped);
        other.execute(&insert("dropped")).await?;

        let expected = ["rolled back", "failed", "by text", "by a text", "given up", "dropped"];
        assert_eq!(names(&mut one).await?, expected);
        Ok(())
    };
    unless_it_hangs(test).await
}

/// Another pool of the same file wakes nobody, and is waited for all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_pools_are_waited_for() -> Result<()> {
    let test = async {
        let pool = Pool::new(Line::default()).await?;
        let mut own = pool.backend.connect().await?;
        let stranger = SqliteBackend::open(options(&pool.path)).await?;
        let mut strange = stranger.connect().await?;
        strange.begin(&TransactionOptions::default()).await?;
        strange.execute(&insert("stranger")).await?;
        let row = insert("own");
        let end = async {
            pool.until_one_waits().await;
            strange.commit().await
        };
        tokio::try_join!(own.execute(&row), end)?;
        assert_eq!(names(&mut own).await?, ["stranger", "own"]);
        Ok(())
    };
    unless_it_hangs(test).await
}

/// Who is in the way of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Other {
    /// A transaction of the pool that writes.
    Writer,
    /// A transaction of another program that writes.
    Stranger,
    /// One that reads from the log.
    Reader,
}

/// Commits a long log on this thread, which leaves its checkpoint to the blocking thread. Has the other one come before that,
/// and returns whether the log has begun anew after `meanwhile`, which is given the COMMIT.
async fn checkpoint_beside(
    pool: &Pool,
    other: Other,
    meanwhile: impl AsyncFnOnce(&mut Pin<&mut dyn Future<Output = Result<()>>>, Box<dyn FnOnce()>) -> Result<()>,
) -> Result<bool> {
    let mut writer = pool.backend.connect().await?;
    let large = |bytes: u32| plain(format!("INSERT INTO t (name) VALUES (hex(zeroblob({bytes})))"));
    let beside = Connection::open(&pool.path).unwrap();
    let count = || beside.query_row("SELECT COUNT(*) FROM t", [], |row| row.get::<_, i64>(0)).unwrap();
    loop {
        let before = count();
        writer.begin(&TransactionOptions::default()).await?;
        writer.execute(&large(2_500_000)).await?;
        let (free, freed) = mpsc::channel::<()>();
        tokio::task::spawn_blocking(move || freed.recv());
        let mut commit = pin!(writer.commit());
        let done = commit.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        // A COMMIT that is not yet known to be quick waits for the blocking thread, too.
        if done.is_ready() || count() == before {
            drop(free);
            if done.is_pending() {
                commit.await?;
            }
            continue;
        }
        let begin = match other {
            Other::Reader => "BEGIN; SELECT COUNT(*) FROM t",
            Other::Writer | Other::Stranger => "BEGIN IMMEDIATE; INSERT INTO t (name) VALUES ('other')",
        };
        beside.execute_batch(begin).unwrap();
        let writing = (other == Other::Writer).then(|| Writing::begin(&pool.line));
        drop(free);
        let end = Box::new(move || {
            beside.execute_batch("COMMIT").unwrap();
            drop(writing);
        });
        let mut commit: Pin<&mut dyn Future<Output = Result<()>>> = commit;
        meanwhile(&mut commit, end).await?;
        break;
    }
    let before = pool.log_bytes();
    writer.execute(&large(500_000)).await?;
    Ok(pool.log_bytes() == before)
}

fn with_one_blocking_thread(test: impl Future<Output = Result<()>>) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).enable_all().build().unwrap();
    runtime.block_on(unless_it_hangs(test))
}

/// A checkpoint of the pool stands in line for as long as its transactions take.
#[test]
fn a_checkpoint_waits_for_transactions_of_the_pool() -> Result<()> {
    with_one_blocking_thread(async {
        let pool = Pool::new(Line::default()).await?;
        let begins_anew = checkpoint_beside(&pool, Other::Writer, async |commit, end| {
            tokio::select! {
                done = &mut *commit => panic!("the checkpoint waits for nobody: {done:?}"),
                () = pool.until_one_waits() => {}
            }
            // Longer than it waits where nobody writes.
            let long = tokio::time::timeout(Log::default().short * 2, &mut *commit).await;
            assert!(long.is_err(), "the checkpoint was left: {long:?}");
            end();
            commit.await
        });
        assert!(begins_anew.await?);
        Ok(())
    })
}

/// It has the writers' lock, or waits for it in line before others: the COMMIT ends while the other one is still there.
#[test]
fn a_checkpoint_is_left_where_others_stay_in_the_way() -> Result<()> {
    with_one_blocking_thread(async {
        for other in [Other::Stranger, Other::Reader] {
            let pool = Pool::new(Line::default()).await?;
            let left = checkpoint_beside(&pool, other, async |commit, end| {
                commit.await?;
                end();
                Ok(())
            });
            left.await?;
        }
        Ok(())
    })
}

/// The moment is long here.
#[test]
fn a_checkpoint_waits_a_moment_for_those_that_read() -> Result<()> {
    with_one_blocking_thread(async {
        let mut line = Line::default();
        line.log.short = PATIENCE;
        let pool = Pool::new(line).await?;
        let begins_anew = checkpoint_beside(&pool, Other::Reader, async |commit, end| {
            tokio::select! {
                done = &mut *commit => panic!("the checkpoint waits for nobody: {done:?}"),
                () = pool.until_one_waits() => {}
            }
            end();
            commit.await
        });
        assert!(begins_anew.await?);
        Ok(())
    })
}
