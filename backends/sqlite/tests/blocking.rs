//! No statement on SQLite holds the thread of those that wait for it.
#![cfg(feature = "driver")]

mod support;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use isogloss_compiler::expr::Value;
use isogloss_driver::{
    AnyConnection, Backend, ConnectionExt, Error, ErrorKind, Flow, Result, Row, RowSink, TransactionOptions,
};
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};

use support::{File, Outcome, plain, with};

const MANY: i64 = 600_000;

/// What a thread may be held for, with room for a machine that is busy.
const HELD: Duration = Duration::from_millis(50);

/// A table of ten rows.
async fn small(file: &File) -> Result<AnyConnection> {
    file.remove();
    let backend = SqliteBackend::open(SqliteOptions::file(&file.0)).await?;
    let mut connection = backend.connect().await?;
    connection.script("CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, name TEXT)").await?;
    more(&mut connection, 10).await?;
    Ok(connection)
}

async fn more(connection: &mut AnyConnection, count: i64) -> Result<()> {
    let sql = format!(
        "INSERT INTO t (n, name) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {count}) \
         SELECT 0, 'name ' || i FROM n"
    );
    connection.execute(&plain(sql)).await.map(drop)
}

/// For how long others had to wait at most while something was done.
async fn gap<T>(work: impl Future<Output = Result<T>>) -> Result<(Duration, T)> {
    let ended = Arc::new(AtomicBool::new(false));
    let end = Arc::clone(&ended);
    let ticker = tokio::spawn(async move {
        let (mut longest, mut last) = (Duration::ZERO, Instant::now());
        while !end.load(Ordering::Relaxed) {
            tokio::time::sleep(Duration::from_millis(1)).await;
            longest = longest.max(last.elapsed());
            last = Instant::now();
        }
        longest
    });
    tokio::task::yield_now().await;
    let done = work.await;
    ended.store(true, Ordering::Relaxed);
    let longest = ticker.await.map_err(|lost| Error::new(ErrorKind::Other, lost.to_string()))?;
    Ok((longest, done?))
}

/// The machine may be busy: the shortest of three counts. Each begins with a connection that knows nothing.
async fn shortest<F: Future<Output = Result<Duration>>>(run: impl Fn(AnyConnection) -> F, name: &str) -> Outcome {
    let file = File::new(name);
    let mut longest = Duration::MAX;
    for _ in 0..3 {
        longest = longest.min(run(small(&file).await?).await?);
        if longest < HELD {
            return Ok(());
        }
    }
    Err(format!("others waited for {longest:?}").into())
}

#[tokio::test]
async fn a_query_that_was_quick_and_now_has_many_rows() -> Outcome {
    let all = || plain("SELECT id, n, name FROM t");
    let run = async |mut connection: AnyConnection| {
        for _ in 0..50 {
            assert_eq!(connection.fetch::<(i64, i64, String)>(&all()).await?.len(), 10);
        }
        more(&mut connection, MANY).await?;
        let (longest, rows) = gap(connection.fetch::<(i64, i64, String)>(&all())).await?;
        assert!(rows.iter().map(|row| row.0).eq(1..=MANY + 10), "each row once");
        Ok(longest)
    };
    shortest(run, "query").await
}

#[tokio::test]
async fn a_query_whose_second_row_is_far_away() -> Outcome {
    let some = || plain("SELECT id FROM t WHERE name IN ('name 3', 'name 599999')");
    let run = async |mut connection: AnyConnection| {
        for _ in 0..50 {
            assert_eq!(connection.fetch::<(i64,)>(&some()).await?, [(3,)]);
        }
        more(&mut connection, MANY).await?;
        let (longest, rows) = gap(connection.fetch::<(i64,)>(&some())).await?;
        assert_eq!(rows, [(3,), (13,), (600_009,)]);
        Ok(longest)
    };
    shortest(run, "far").await
}

#[tokio::test]
async fn a_time_limit_of_the_callers_holds() -> Outcome {
    let file = File::new("limit");
    let mut connection = small(&file).await?;
    let all = plain("SELECT a.id FROM t a, t b WHERE a.n + b.n = 0");
    for _ in 0..50 {
        connection.fetch::<(i64,)>(&all).await?;
    }
    more(&mut connection, 20_000).await?;
    let begun = Instant::now();
    let done = tokio::time::timeout(Duration::from_millis(30), connection.fetch::<(i64,)>(&all)).await;
    assert!(done.is_err() && begun.elapsed() < Duration::from_millis(500), "{:?}", begun.elapsed());
    assert_eq!(connection.fetch_one::<(i64,)>(&plain("SELECT 7")).await?, (7,));
    Ok(())
}

#[tokio::test]
async fn an_update_that_was_quick_and_now_has_many_rows() -> Outcome {
    let update = || plain("UPDATE t SET n = n + 1");
    let run = async |mut connection: AnyConnection| {
        for _ in 0..50 {
            assert_eq!(connection.execute(&update()).await?, 10);
        }
        more(&mut connection, MANY).await?;
        let (longest, rows) = gap(connection.execute(&update())).await?;
        assert_eq!(rows, 600_010);
        let found = connection.fetch::<(i64, i64)>(&plain("SELECT n, COUNT(n) FROM t GROUP BY n ORDER BY n")).await?;
        assert_eq!(found, [(1, MANY), (51, 10)], "given up and begun again, it is done once");
        Ok(longest)
    };
    shortest(run, "update").await
}

#[tokio::test]
async fn an_update_with_many_rows_in_a_transaction() -> Outcome {
    let update = || plain("UPDATE t SET n = n + 1");
    let run = async |mut connection: AnyConnection| {
        for _ in 0..50 {
            connection.begin(&TransactionOptions::default()).await?;
            assert_eq!(connection.execute(&update()).await?, 10);
            connection.commit().await?;
        }
        more(&mut connection, MANY).await?;
        let work = async {
            connection.begin(&TransactionOptions::default()).await?;
            connection.execute(&plain("INSERT INTO t VALUES (1000000, 7, 'first')")).await?;
            let rows = connection.execute(&update()).await?;
            connection.commit().await?;
            Ok(rows)
        };
        let (longest, rows) = gap(work).await?;
        assert_eq!(rows, 600_011);
        let first = connection.fetch::<(i64,)>(&plain("SELECT n FROM t WHERE id = 1000000")).await?;
        assert_eq!(first, [(8,)], "what the transaction did before is there");
        Ok(longest)
    };
    shortest(run, "transaction").await
}

#[tokio::test]
async fn a_delete_of_all_rows() -> Outcome {
    let delete = || plain("DELETE FROM t");
    let run = async |mut connection: AnyConnection| {
        for _ in 0..50 {
            connection.execute(&delete()).await?;
        }
        more(&mut connection, MANY).await?;
        let (longest, rows) = gap(connection.execute(&delete())).await?;
        assert_eq!(rows, 600_000);
        Ok(longest)
    };
    shortest(run, "delete").await
}

/// On which thread each row came.
#[derive(Default)]
struct Threads(Vec<ThreadId>);

impl RowSink for Threads {
    fn row(&mut self, _: &dyn Row) -> Result<Flow> {
        self.0.push(std::thread::current().id());
        Ok(Flow::More)
    }
}

/// What is done by a key is done where the caller stands: a hop to another thread takes longer than all of it.
#[tokio::test]
async fn what_is_done_by_a_key_stays_on_its_thread() -> Outcome {
    let file = File::new("key");
    let mut connection = small(&file).await?;
    let here = std::thread::current().id();
    for in_transaction in [false, true] {
        if in_transaction {
            connection.begin(&TransactionOptions::default()).await?;
        }
        for sql in [
            "SELECT n FROM t WHERE id = 3",
            "UPDATE t SET n = n + 1 WHERE id = 3 RETURNING n",
            "INSERT INTO t (n) VALUES (1) RETURNING id",
            "SELECT id FROM t ORDER BY id LIMIT 5",
        ] {
            let statement = plain(sql);
            // The first write is looked at elsewhere.
            let mut stayed = 0;
            for _ in 0..10 {
                let sink = connection.query_into(&statement, Threads::default()).await?;
                stayed += u32::from(sink.0.iter().all(|thread| *thread == here));
            }
            assert!(stayed >= 5, "{sql} in a transaction: {in_transaction}, {stayed} of 10 stayed");
        }
    }
    connection.rollback().await?;
    Ok(())
}

/// What has large values is done elsewhere, however quick it has been: nothing ends it within a step.
#[tokio::test]
async fn what_has_large_values_leaves_its_thread() -> Outcome {
    let file = File::new("large");
    let mut connection = small(&file).await?;
    let here = std::thread::current().id();
    let sized = |sql: &str, len: usize| with(sql, [Value::from("x".repeat(len))]);
    for in_transaction in [false, true] {
        if in_transaction {
            connection.begin(&TransactionOptions::default()).await?;
        }
        for sql in [
            "SELECT length(?)",
            "INSERT INTO t (name) VALUES (?) RETURNING id",
            "UPDATE t SET name = ? WHERE id = 3 RETURNING id",
        ] {
            let mut stayed = 0;
            for _ in 0..10 {
                let sink = connection.query_into(&sized(sql, 1_000), Threads::default()).await?;
                stayed += u32::from(sink.0 == [here]);
            }
            assert!(stayed >= 5, "{sql} in a transaction: {in_transaction}, {stayed} of 10 stayed");
            let sink = connection.query_into(&sized(sql, 2_000_000), Threads::default()).await?;
            assert!(sink.0.len() == 1 && sink.0 != [here], "{sql} in a transaction: {in_transaction}");
        }
    }
    Ok(connection.rollback().await?)
}

/// A text that only took its first rows takes no more than those.
#[tokio::test]
async fn the_first_row_of_many_is_read_alone() -> Outcome {
    let file = File::new("first");
    let mut connection = small(&file).await?;
    more(&mut connection, MANY).await?;
    let begun = Instant::now();
    for _ in 0..200 {
        assert_eq!(connection.fetch_first::<(i64,)>(&plain("SELECT id FROM t ORDER BY id")).await?, Some((1,)));
    }
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    Ok(())
}

/// The last connection to a file brings the log into it, which is long where others have read all the time.
#[tokio::test]
async fn a_file_with_a_long_log_is_closed() -> Outcome {
    let run = async |mut connection: AnyConnection| {
        let file: (String,) = connection.fetch_one(&plain("SELECT file FROM pragma_database_list")).await?;
        let mut reader = SqliteBackend::open(SqliteOptions::file(&file.0)).await?.connect().await?;
        reader.begin(&TransactionOptions::default().read_only()).await?;
        reader.fetch::<(i64,)>(&plain("SELECT n FROM t")).await?;
        more(&mut connection, MANY).await?;
        drop(reader);
        tokio::time::sleep(Duration::from_millis(100)).await;
        let log = PathBuf::from(format!("{}-wal", file.0));
        assert!(std::fs::metadata(&log).is_ok_and(|log| log.len() > 10 << 20), "the log is long");
        let closed = async {
            drop(connection);
            while log.exists() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            Ok(())
        };
        Ok(gap(closed).await?.0)
    };
    shortest(run, "close").await
}

/// What bounded its work was the index.
#[tokio::test]
async fn an_update_in_a_transaction_whose_index_is_gone() -> Outcome {
    let update = || plain("UPDATE t SET n = n + 1 WHERE name = 'name 3'");
    let run = async |mut connection: AnyConnection| {
        connection.execute(&plain("CREATE UNIQUE INDEX by_name ON t (name)")).await?;
        for _ in 0..50 {
            connection.begin(&TransactionOptions::default()).await?;
            assert_eq!(connection.execute(&update()).await?, 1);
            connection.commit().await?;
        }
        connection.execute(&plain("DROP INDEX by_name")).await?;
        more(&mut connection, MANY).await?;
        connection.begin(&TransactionOptions::default()).await?;
        let (longest, rows) = gap(connection.execute(&update())).await?;
        assert_eq!(rows, 2);
        connection.commit().await?;
        Ok(longest)
    };
    shortest(run, "index").await
}

/// SQLite brings its log to the file with some commit, which is left to another thread: the log does not grow for it.
#[tokio::test]
async fn a_log_stays_short() -> Outcome {
    let file = File::new("log");
    let mut connection = small(&file).await?;
    let insert = plain("INSERT INTO t (n, name) VALUES (1, hex(zeroblob(2000)))");
    for in_transaction in [false, true] {
        for _ in 0..1_500 {
            if in_transaction {
                connection.begin(&TransactionOptions::default()).await?;
            }
            connection.execute(&insert).await?;
            if in_transaction {
                connection.commit().await?;
            }
        }
    }
    let log = std::fs::metadata(format!("{}-wal", file.0.display()))?.len();
    assert!(log < 8 << 20, "the log has {log} bytes");
    Ok(())
}

/// SQLite asks whether to go on while it reads a text, too: what the statement before it has used up is not this one's.
#[tokio::test]
async fn a_long_text_is_read_whatever_came_before() -> Outcome {
    let file = File::new("long-text");
    let mut connection = small(&file).await?;
    for count in [300, 600, 900] {
        let parts: Vec<String> = (0..count).map(|n| format!("n <> {n} + 1")).collect();
        let long = plain(format!("SELECT id FROM t WHERE {}", parts.join(" AND ")));
        // One that has a while behind it since SQLite has asked.
        more(&mut connection, 1_000).await?;
        connection.execute(&plain("DELETE FROM t WHERE id > 10")).await?;
        connection.fetch::<(i64,)>(&plain("SELECT t.id FROM t, t AS other")).await?;
        tokio::time::sleep(Duration::from_millis(2)).await;
        assert_eq!(connection.fetch::<(i64,)>(&long).await?.len(), 10);
    }
    Ok(())
}
