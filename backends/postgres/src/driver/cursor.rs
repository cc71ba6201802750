//! A query whose rows are read as they are asked for.
//!
//! What has not been read waits at the server: the library reads no further than two packets ahead of the caller.

use std::sync::Arc;

use isogloss_driver::{BoxFuture, Cursor, Flow, Result, RowSink, next_for};

use super::connection::{Call, Started};
use super::decode::PostgresRow;
use super::error::{doubted, error};
use super::session::Running;
use super::typed::Rows;
use crate::wire::Shape;

/// An open query.
pub(super) struct PostgresCursor<'c> {
    rows: Rows,
    shapes: Arc<[Shape]>,
    /// Absent after the last row.
    running: Option<Running<'c>>,
    suspect: &'c mut bool,
    alone: bool,
    cancels: bool,
    sql: &'c str,
}

impl<'c> PostgresCursor<'c> {
    pub(super) fn new(started: Started<'c>, sql: &'c str) -> Self {
        let Started { rows, call: Call { shapes, running, suspect, alone, cancels } } = started;
        Self { rows, shapes, running: Some(running), suspect, alone, cancels, sql }
    }

    fn end(&mut self) {
        if let Some(running) = self.running.take() {
            running.end();
        }
    }
}

impl Cursor for PostgresCursor<'_> {
    fn fill(&mut self, mut sink: Box<dyn RowSink>) -> BoxFuture<'_, Result<(Box<dyn RowSink>, bool)>> {
        Box::pin(async move {
            if self.running.is_none() {
                return Ok((sink, false));
            }
            loop {
                let Some(next) = next_for(&*sink, self.rows.next()).await else { return Ok((sink, true)) };
                match next {
                    Ok(Some(row)) => {
                        let row = PostgresRow::new(&row, &self.shapes);
                        if sink.row(&row).map_err(|found| found.with_sql(self.sql))? == Flow::Enough {
                            return Ok((sink, true));
                        }
                    }
                    Ok(None) => {
                        self.end();
                        return Ok((sink, false));
                    }
                    Err(found) => {
                        let found = error(found).with_sql(self.sql);
                        if let Some(running) = self.running.take() {
                            running.end_by(&found);
                        }
                        *self.suspect = true;
                        return Err(if self.alone { doubted(found, self.sql) } else { found });
                    }
                }
            }
        })
    }
}

/// Gives up the rest. Of a statement that writes or locks, it is read and thrown away instead, behind the scenes: to
/// cancel it would take back what was done. A row that fails there has ended the transaction.
impl Drop for PostgresCursor<'_> {
    fn drop(&mut self) {
        *self.suspect |= self.running.is_some();
        if !self.cancels {
            self.end();
        }
    }
}
