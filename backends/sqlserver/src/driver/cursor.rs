//! Rows that are read as they are asked for. What has not been read waits in the socket.

use std::time::Duration;

use futures_util::TryStreamExt;
use isogloss_driver::{BoxFuture, Cursor, ErrorKind, Flow, Result, RowSink, next_for};
use tiberius::{CommandItem, CommandStream};

use super::connection::within;
use super::raw::{State, skim};
use super::row::SqlServerRow;

/// An open query.
pub(super) struct SqlServerCursor<'c> {
    stream: CommandStream<'c>,
    state: &'c mut State,
    timeout: Option<Duration>,
    /// Its time was over.
    late: bool,
}

impl<'c> SqlServerCursor<'c> {
    /// Waits until the query has rows, or has failed.
    pub(super) async fn open(
        mut stream: CommandStream<'c>,
        state: &'c mut State,
        timeout: Option<Duration>,
    ) -> Result<Self> {
        while state.pending {
            match stream.try_next().await {
                Ok(Some(CommandItem::Metadata(_))) => break,
                Ok(Some(_)) => {}
                Ok(None) => state.pending = false,
                Err(found) => return Err(state.failed(found)),
            }
        }
        Ok(Self { stream, state, timeout, late: false })
    }

    async fn rows(&mut self, sink: &mut dyn RowSink) -> Result<bool> {
        while self.state.pending {
            let Some(next) = next_for(sink, self.stream.try_next()).await else { return Ok(true) };
            match next {
                Ok(Some(CommandItem::Row(row))) => {
                    if sink.row(&SqlServerRow(&row))? == Flow::Enough {
                        return Ok(true);
                    }
                }
                Ok(Some(_)) => {}
                Ok(None) => self.state.pending = false,
                Err(found) => return Err(self.state.failed(found)),
            }
        }
        Ok(false)
    }
}

impl Cursor for SqlServerCursor<'_> {
    fn fill(&mut self, mut sink: Box<dyn RowSink>) -> BoxFuture<'_, Result<(Box<dyn RowSink>, bool)>> {
        Box::pin(async move {
            let filled = within(self.timeout, self.rows(&mut *sink)).await;
            // Who is told of that is told that it was ended.
            self.late |= filled.as_ref().is_err_and(|error| error.kind() == ErrorKind::Timeout);
            Ok((sink, filled?))
        })
    }
}

impl Drop for SqlServerCursor<'_> {
    fn drop(&mut self) {
        if self.state.pending && !self.state.broken {
            skim(&mut self.stream, self.state);
            self.state.unwanted = self.state.pending && !self.state.reads && !self.late;
            if self.late {
                self.state.untold = None;
            }
        }
    }
}
