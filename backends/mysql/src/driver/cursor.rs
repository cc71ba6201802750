//! A query whose rows are read as they are asked for. What is not read waits in the socket, and the server behind it.

use std::time::Duration;

use isogloss_driver::{BoxFuture, Cursor, Error, ErrorKind, Flow, Result, RowSink, next_for};
use tokio::time::Instant;

use super::kill::limited;
use super::value::MySqlRow;
use super::wire::{At, Wire};

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
    /// The limit by our own clock for the rest of an answer: that of a query which the server looks at is left to it.
    fn rest_limit(&self) -> Option<Duration> {
        let limit = self.own_limit().filter(|_| !self.reads || self.told.is_none())?;
        Some(self.due.map_or(limit, |due| due.saturating_duration_since(Instant::now())))
    }

    /// Gives rows to the sink. The wait for them has a limit, and who takes them has not.
    pub(super) async fn fill_in_time(&mut self, sink: Box<dyn RowSink>) -> Result<(Box<dyn RowSink>, bool)> {
        let limit = self.killing(self.rest_limit());
        let filled = limited(self.fill(sink), limit).await;
        self.ended_rest_in_time(filled)
    }

    /// Reads an answer to its end, with the same limit.
    pub(super) async fn finish_in_time(&mut self) -> Result<u64> {
        let limit = self.killing(self.rest_limit());
        let finished = limited(self.finish(), limit).await;
        self.ended_rest_in_time(finished)
    }

    fn ended_rest_in_time<T>(&mut self, done: Option<(Result<T>, bool)>) -> Result<T> {
        match done {
            Some((done, late)) => {
                // The KILL may yet come, for the rest of the rows or for what is next.
                self.late |= late;
                done.map_err(|error| self.of_late(error))
            }
            None => Err(self.out_of_time()),
        }
    }

    /// Gives rows to the sink until it has enough, or has some and the next are not there yet; the answer is `false` when there
    /// are no more.
    pub(super) async fn fill(&mut self, mut sink: Box<dyn RowSink>) -> Result<(Box<dyn RowSink>, bool)> {
        loop {
            // What writes may be a call with several answers, and the way from one to the next has to be gone to its end.
            let next = if self.reads { next_for(&*sink, self.next()).await } else { Some(self.next().await) };
            let Some(next) = next else { return Ok((sink, true)) };
            let Some(row) = next? else { return Ok((sink, false)) };
            if sink.row(&MySqlRow(&row))? == Flow::Enough {
                return Ok((sink, true));
            }
        }
    }
}
