//! No statement on SQLite holds the thread of those that wait for it.
//!
//! The tests occupy the only blocking thread. What ends nevertheless has run on the thread of its caller, and what is still
//! pending has left that thread.

use std::path::PathBuf;
use std::pin::pin;
use std::thread::ThreadId;
use std::time::Duration;

use isogloss_compiler::expr::Value;
use isogloss_driver::{AnyConnection, Backend, ConnectionExt, Flow, Result, Row, RowSink, TransactionOptions};
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};

use crate::support::{
    BlockingThread, File, Outcome, begin_blocking, is_inline, plain, unless_it_hangs, until_inline, with,
    with_one_blocking_thread,
};

/// So many rows take many times as long as a statement may on the thread of its caller.
const MANY: i64 = 100_000;

/// A table of ten rows.
async fn small(file: &File) -> Result<AnyConnection> {
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

/// How many rows of the file have this `n`, as another program sees it.
fn rows_with(file: &File, n: i64) -> std::result::Result<i64, rusqlite::Error> {
    let connection = rusqlite::Connection::open(&file.0)?;
    connection.query_row("SELECT COUNT(*) FROM t WHERE n = ?", [n], |row| row.get(0))
}

#[test]
fn a_query_that_was_quick_and_now_has_many_rows() -> Outcome {
    with_one_blocking_thread(async {
        let file = File::new()?;
        let mut connection = small(&file).await?;
        let all = plain("SELECT id, n, name FROM t");
        until_inline(async || connection.fetch::<(i64, i64, String)>(&all).await).await?;
        more(&mut connection, MANY).await?;
        let mut query = pin!(connection.fetch::<(i64, i64, String)>(&all));
        drop(begin_blocking(query.as_mut()));
        assert!(query.await?.iter().map(|row| row.0).eq(1..=MANY + 10), "each row once");
        Ok(())
    })
}

#[test]
fn a_query_whose_second_row_is_far_away() -> Outcome {
    with_one_blocking_thread(async {
        let file = File::new()?;
        let mut connection = small(&file).await?;
        let some = plain("SELECT id FROM t WHERE name IN ('name 3', 'name 99999')");
        until_inline(async || connection.fetch::<(i64,)>(&some).await).await?;
        more(&mut connection, MANY).await?;
        let mut query = pin!(connection.fetch::<(i64,)>(&some));
        drop(begin_blocking(query.as_mut()));
        assert_eq!(query.await?, [(3,), (13,), (100_009,)]);
        Ok(())
    })
}

/// The query would take hours.
#[test]
fn a_time_limit_of_the_callers_holds() -> Outcome {
    with_one_blocking_thread(async {
        let file = File::new()?;
        let mut connection = small(&file).await?;
        let all = plain("SELECT a.id FROM t a, t b WHERE a.n + b.n < 0");
        until_inline(async || connection.fetch::<(i64,)>(&all).await).await?;
        more(&mut connection, 4 * MANY).await?;
        let done = tokio::time::timeout(Duration::from_millis(30), connection.fetch::<(i64,)>(&all)).await;
        assert!(done.is_err());
        assert_eq!(connection.fetch_one::<(i64,)>(&plain("SELECT 7")).await?, (7,));
        Ok(())
    })
}

#[test]
fn an_update_that_was_quick_and_now_has_many_rows() -> Outcome {
    with_one_blocking_thread(async {
        let file = File::new()?;
        let mut connection = small(&file).await?;
        let update = plain("UPDATE t SET n = n + 1");
        until_inline(async || connection.execute(&update).await).await?;
        more(&mut connection, MANY).await?;
        let mut call = pin!(connection.execute(&update));
        let blocking = begin_blocking(call.as_mut());
        assert_eq!(rows_with(&file, 0)?, MANY, "nothing was done on the thread of its caller");
        drop(blocking);
        assert_eq!(call.await?, 100_010);
        assert_eq!(rows_with(&file, 1)?, MANY, "given up and begun again, it is done once");
        Ok(())
    })
}

#[test]
fn an_update_with_many_rows_in_a_transaction() -> Outcome {
    with_one_blocking_thread(async {
        let file = File::new()?;
        let mut connection = small(&file).await?;
        let update = plain("UPDATE t SET n = n + 1");
        until_inline(async || connection.execute(&update).await).await?;
        more(&mut connection, MANY).await?;
        connection.begin(&TransactionOptions::default()).await?;
        connection.execute(&plain("INSERT INTO t VALUES (1000000, 7, 'first')")).await?;
        {
            let mut call = pin!(connection.execute(&update));
            drop(begin_blocking(call.as_mut()));
            assert_eq!(call.await?, 100_011);
        }
        connection.commit().await?;
        let first = connection.fetch::<(i64,)>(&plain("SELECT n FROM t WHERE id = 1000000")).await?;
        assert_eq!(first, [(8,)], "what the transaction did before is there");
        Ok(())
    })
}

#[test]
fn a_delete_of_all_rows() -> Outcome {
    with_one_blocking_thread(async {
        let file = File::new()?;
        let mut connection = small(&file).await?;
        let delete = plain("DELETE FROM t");
        for _ in 0..50 {
            connection.execute(&delete).await?;
        }
        more(&mut connection, MANY).await?;
        let mut call = pin!(connection.execute(&delete));
        let blocking = begin_blocking(call.as_mut());
        assert_eq!(rows_with(&file, 0)?, MANY, "nothing was done on the thread of its caller");
        drop(blocking);
        assert_eq!(call.await?, 100_000);
        Ok(())
    })
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

/// Repeats a statement until it has given its rows on this thread five times. On a busy machine some turns look slow, and are
/// run elsewhere.
async fn until_it_stays(connection: &mut AnyConnection, statement: &isogloss_compiler::Compiled<'_>) -> Result<()> {
    let here = std::thread::current().id();
    let mut stayed = 0;
    while stayed < 5 {
        let sink = connection.query_into(statement, Threads::default()).await?;
        stayed += u32::from(sink.0.iter().all(|thread| *thread == here));
    }
    Ok(())
}

/// What is done by a key is done where the caller stands: a hop to another thread takes longer than all of it.
#[tokio::test]
async fn what_is_done_by_a_key_stays_on_its_thread() -> Outcome {
    let file = File::new()?;
    let mut connection = small(&file).await?;
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
            unless_it_hangs(until_it_stays(&mut connection, &plain(sql))).await?;
        }
    }
    connection.rollback().await?;
    Ok(())
}

/// What has large values is done elsewhere, however quick it has been: nothing ends it within a step.
#[tokio::test]
async fn what_has_large_values_leaves_its_thread() -> Outcome {
    let file = File::new()?;
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
            unless_it_hangs(until_it_stays(&mut connection, &sized(sql, 1_000))).await?;
            let sink = connection.query_into(&sized(sql, 2_000_000), Threads::default()).await?;
            assert!(sink.0.len() == 1 && sink.0 != [here], "{sql} in a transaction: {in_transaction}");
        }
    }
    Ok(connection.rollback().await?)
}

/// A query of which only the first row is taken reads no more than that: this one has no last row.
#[test]
fn the_first_row_of_many_is_read_alone() -> Outcome {
    with_one_blocking_thread(async {
        let file = File::new()?;
        let mut connection = small(&file).await?;
        let endless = plain("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n");
        let first = async || {
            let row = connection.fetch_first::<(i64,)>(&endless).await?;
            assert_eq!(row, Some((1,)));
            Ok::<_, isogloss_driver::Error>(())
        };
        // Its time is that of one row: it comes to run on this thread.
        until_inline(first).await?;
        Ok(())
    })
}

/// The last connection to a file brings the log into it, which is long where others have read all the time.
#[test]
fn a_file_with_a_long_log_is_closed() -> Outcome {
    with_one_blocking_thread(async {
        let file = File::new()?;
        let mut connection = small(&file).await?;
        let reader = rusqlite::Connection::open(&file.0)?;
        reader.execute_batch("BEGIN; SELECT n FROM t")?;
        more(&mut connection, MANY).await?;
        drop(reader);
        let log = PathBuf::from(format!("{}-wal", file.0.display()));
        let length = || std::fs::metadata(&log).map(|log| log.len());
        let long = length()?;
        assert!(long > 1 << 20, "the log has {long} bytes");
        let written = std::fs::metadata(&file.0)?.len();
        let blocking = BlockingThread::occupy();
        drop(connection);
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        assert_eq!((std::fs::metadata(&file.0)?.len(), length()?), (written, long), "the log is brought in elsewhere");
        drop(blocking);
        while log.exists() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert!(std::fs::metadata(&file.0)?.len() > written);
        Ok(())
    })
}

/// What bounded its work was the index.
#[test]
fn an_update_in_a_transaction_whose_index_is_gone() -> Outcome {
    with_one_blocking_thread(async {
        let file = File::new()?;
        let mut connection = small(&file).await?;
        let update = plain("UPDATE t SET n = n + 1 WHERE name = 'name 3'");
        connection.execute(&plain("CREATE UNIQUE INDEX by_name ON t (name)")).await?;
        let mut inline = false;
        while !inline {
            connection.begin(&TransactionOptions::default()).await?;
            inline = is_inline(connection.execute(&update)).await?;
            connection.commit().await?;
        }
        connection.execute(&plain("DROP INDEX by_name")).await?;
        more(&mut connection, MANY).await?;
        connection.begin(&TransactionOptions::default()).await?;
        {
            let mut call = pin!(connection.execute(&update));
            drop(begin_blocking(call.as_mut()));
            assert_eq!(call.await?, 2);
        }
        Ok(connection.commit().await?)
    })
}

/// SQLite brings its log to the file with some commit, which is left to another thread: the log does not grow for it.
#[tokio::test]
async fn a_log_stays_short() -> Outcome {
    let file = File::new()?;
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
    let file = File::new()?;
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
