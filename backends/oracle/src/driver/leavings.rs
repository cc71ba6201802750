//! What a statement leaves in its session is not the next one's, in whatever way it was run: over connections of the test's own.

use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use futures_util::TryStreamExt;
use isogloss_compiler::expr::{DbType, Value};
use isogloss_compiler::{BulkInsert, Compiled};
use isogloss_driver::{AnyConnection, Backend, ConnectionExt, PoolOptions, Result, RowSink, RowSource, rows};
use tokio::sync::oneshot;

use super::cursor::Order;
use super::link::Link;
use super::run::Call;
use super::value::Binder;
use super::{OracleBackend, OracleOptions};

/// How many connections were made.
static MADE: AtomicI32 = AtomicI32::new(0);

/// A connection that does all that it is asked for, and finds no rows.
struct Double {
    autocommit: bool,
}

fn connect(_: &OracleOptions) -> Result<Box<dyn Link>> {
    MADE.fetch_add(1, Ordering::Relaxed);
    Ok(Box::new(Double { autocommit: false }))
}

impl Link for Double {
    fn version(&self) -> Result<(i32, i32)> {
        Ok((19, 0))
    }

    fn set_up(&self, _: &str) -> Result<()> {
        Ok(())
    }

    fn autocommit(&self) -> bool {
        self.autocommit
    }

    fn set_autocommit(&mut self, on: bool) {
        self.autocommit = on;
    }

    fn stop(&self) {}

    fn is_there(&self) -> bool {
        true
    }

    fn set_limit(&self, _: Option<Duration>) -> Result<()> {
        Ok(())
    }

    fn ping(&self) -> Result<()> {
        Ok(())
    }

    fn commit(&self) -> Result<()> {
        Ok(())
    }

    fn rollback(&self) -> Result<()> {
        Ok(())
    }

    fn run(&self, _: &Call, _: Option<&mut dyn RowSink>) -> Result<u64> {
        Ok(0)
    }

    fn serve(&self, _: &Call, opened: oneshot::Sender<Result<()>>, orders: &Receiver<Order>) -> Result<()> {
        let _ = opened.send(Ok(()));
        while let Ok((sink, answer)) = orders.recv() {
            let _ = answer.send(Ok((sink, false)));
        }
        Ok(())
    }

    fn many(&self, _: &str, _: &[Option<DbType>], _: &mut dyn RowSource, _: Binder) -> Result<u64> {
        Ok(0)
    }

    fn insert(&self, _: &BulkInsert, _: Box<dyn RowSource>, _: Binder) -> Result<u64> {
        Ok(0)
    }

    fn insert_keys(&self, _: &BulkInsert, _: Box<dyn RowSource>, _: Binder) -> Result<Vec<Value>> {
        Ok(Vec::new())
    }
}

#[derive(Debug, Clone, Copy)]
enum Way {
    Execute,
    Query,
    Stream,
    Many,
    Script,
}

async fn run(connection: &mut AnyConnection, way: Way, sql: &str) -> Result<()> {
    let statement = Compiled { sql: sql.to_owned(), ..Compiled::default() };
    match way {
        Way::Execute => connection.execute(&statement).await.map(drop),
        Way::Query => connection.fetch::<Vec<Value>>(&statement).await.map(drop),
        Way::Stream => connection.stream::<Vec<Value>>(&statement).try_collect::<Vec<_>>().await.map(drop),
        Way::Many => connection.execute_many(&statement, rows([[]])).await.map(drop),
        Way::Script => connection.script(sql).await,
    }
}

#[tokio::test]
async fn what_a_statement_leaves_is_not_the_next_one_s() -> Result<()> {
    let mut pool = PoolOptions::default();
    pool.max = 1;
    let backend = OracleBackend::over(connect, OracleOptions::new("double", "app", "").pool(pool)).await?;
    for way in [Way::Execute, Way::Query, Way::Stream, Way::Many, Way::Script] {
        for (sql, leaves) in [
            ("SELECT 1 FROM DUAL", false),
            ("UPDATE t SET a = 1", false),
            ("ALTER SESSION SET NLS_SORT = 'FRENCH'", true),
            ("BEGIN p; END;", true),
        ] {
            let made = MADE.load(Ordering::Relaxed);
            run(&mut backend.connect().await?, way, sql).await?;
            drop(backend.connect().await?);
            assert_eq!(MADE.load(Ordering::Relaxed) - made, i32::from(leaves), "{way:?} {sql}");
        }
    }
    Ok(())
}
