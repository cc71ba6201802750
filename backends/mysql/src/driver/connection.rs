//! Statements on one connection.

use std::time::Duration;

use isogloss_compiler::expr::Value;
use isogloss_compiler::{BulkInsert, Compiled};
use isogloss_driver::{BoxFuture, Connection, Cursor, Result, RowSink, RowSource, TransactionOptions};

use super::cursor::MySqlCursor;
use super::pool::Held;
use super::session::Session;
use super::wire::Timed;

/// A connection from a [`MySqlBackend`](super::MySqlBackend).
#[derive(Debug)]
pub struct MySqlConnection {
    session: Session,
}

impl MySqlConnection {
    pub(super) fn new(held: Held) -> Self {
        Self { session: Session::new(held) }
    }
}

impl Connection for MySqlConnection {
    fn execute<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<u64>> {
        Box::pin(self.session.execute(statement))
    }

    fn query<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        sink: Box<dyn RowSink>,
    ) -> BoxFuture<'c, Result<Box<dyn RowSink>>> {
        Box::pin(self.session.query(statement, sink))
    }

    fn open<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<Box<dyn Cursor + 'c>>> {
        let session = &mut self.session;
        Box::pin(async move {
            let wire = session.wire_for(statement).await?;
            wire.start(statement, Timed::Rows).await?;
            Ok(Box::new(MySqlCursor { wire, sql: &statement.sql }) as Box<dyn Cursor>)
        })
    }

    fn execute_many<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<u64>> {
        Box::pin(self.session.execute_many(statement, rows))
    }

    fn bulk_insert<'c>(&'c mut self, into: &'c BulkInsert, rows: Box<dyn RowSource>) -> BoxFuture<'c, Result<u64>> {
        Box::pin(self.session.bulk_insert(into, rows))
    }

    fn bulk_insert_keys<'c>(
        &'c mut self,
        into: &'c BulkInsert,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<Vec<Value>>> {
        Box::pin(self.session.bulk_insert_keys(into, rows))
    }

    fn script<'c>(&'c mut self, sql: &'c str) -> BoxFuture<'c, Result<()>> {
        Box::pin(async move { self.session.script(sql).await.map_err(|error| error.with_sql(sql)) })
    }

    fn begin<'c>(&'c mut self, options: &'c TransactionOptions) -> BoxFuture<'c, Result<()>> {
        Box::pin(self.session.begin(options))
    }

    fn commit(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.session.commit())
    }

    fn rollback(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.session.rollback())
    }

    fn depth(&self) -> u32 {
        self.session.depth
    }

    fn set_statement_timeout(&mut self, timeout: Option<Duration>) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.session.set_timeout(timeout))
    }

    fn ping(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.session.wire().await?.ping().await })
    }

    fn close(&mut self) {
        self.session.close();
    }

    fn unsettled(&mut self) -> Option<BoxFuture<'_, Result<()>>> {
        self.session.is_unsettled().then(|| Box::pin(self.session.clear_earlier()) as BoxFuture<'_, _>)
    }

    fn may_have_taken_effect(&self) -> bool {
        self.session.may_have_taken_effect()
    }
}
