//! A query whose rows are read as they are asked for. What is not read waits in the socket, and the server behind it.

use isogloss_driver::{BoxFuture, Cursor, Error, ErrorKind, Flow, Result, RowSink};

use super::value::MySqlRow;
use super::wire::{At, Wire, limited};

/// Reads from a connection. What it leaves unread, the connection's next statement clears.
pub(super) struct MySqlCursor<'c> {
    pub(super) wire: &'c mut Wire,
    pub(super) sql: &'c str,
}

impl Cursor for MySqlCursor<'_> {
    fn fill(&mut self, sink: Box<dyn RowSink>) -> BoxFuture<'_, Result<(Box<dyn RowSink>, bool)>> {
        Box::pin(async move {
            if self.wire.at() != At::Rows {
                return Err(Error::new(ErrorKind::Other, "the query has ended"));
            }
            let filled = self.wire.fill_in_time(sink).await;
            filled.map_err(|error| error.with_sql(self.sql))
        })
    }
}

impl Wire {
    /// Gives rows of a stream to the sink. The wait for them has a limit, and who takes them has not.
    async fn fill_in_time(&mut self, sink: Box<dyn RowSink>) -> Result<(Box<dyn RowSink>, bool)> {
        let (limit, killer) = (self.own_limit(), self.killer());
        match limited(self.fill(sink), limit, killer).await {
            Some((filled, late)) => {
                // The KILL may yet come, for the rest of the rows or for what is next.
                self.late |= late;
                filled.map_err(|error| self.of_late(error))
            }
            None => Err(self.out_of_time()),
        }
    }

    /// Gives rows to the sink until it has enough or there are no more, which is when the answer is `false`.
    pub(super) async fn fill(&mut self, mut sink: Box<dyn RowSink>) -> Result<(Box<dyn RowSink>, bool)> {
        while let Some(row) = self.next().await? {
            if sink.row(&MySqlRow(&row))? == Flow::Enough {
                return Ok((sink, true));
            }
        }
        Ok((sink, false))
    }
}
