//! Cursors: rows that are read on demand.

use std::any::Any;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

use futures_core::Stream;
use futures_util::future::poll_immediate;
use futures_util::{TryStreamExt as _, stream};

use crate::{BoxFuture, Error, ErrorKind, Flow, FromRow, Layout, ReadRow, Result, Row, RowSink};

/// How many rows a stream reads at a time: at first, and at most. Small rows that come quickly are read by many, so that it
/// costs little to hand them over to another thread; large or slow ones by few, which bounds the memory that they take, and
/// how long the first of them waits for the last.
const FIRST: usize = 32;
const MOST: usize = 1_024;

/// Rows that took less than the first time, from one call to the next, are followed by twice as many; those that took more
/// than the second, by half as many.
const QUICK: Duration = Duration::from_millis(1);
const SLOW: Duration = Duration::from_millis(8);

fn next_count(count: usize, took: Duration) -> usize {
    if took < QUICK {
        (count * 2).min(MOST)
    } else if took > SLOW {
        (count / 2).max(1)
    } else {
        count
    }
}

/// An open query. Rows that it has not read yet wait at the server or in the socket.
///
/// Dropping it early discards the remaining rows, by cancelling the query or reading them, before the connection runs
/// anything else.
pub trait Cursor: Send {
    /// Passes rows to `sink` until it has enough, and returns `true`, or until there are no more, and returns `false`.
    /// After `true`, the next call continues with the row that follows. It also returns `true` instead of
    /// waiting for the server while the reader could use [the rows that are there](RowSink::is_awaited).
    fn fill(&mut self, sink: Box<dyn RowSink>) -> BoxFuture<'_, Result<(Box<dyn RowSink>, bool)>>;
}

/// Returns the next item, or `None` if it is not ready and the sink already has rows. `next` is then dropped, so it must be
/// cancel-safe.
pub fn next_for<F: Future>(sink: &dyn RowSink, next: F) -> impl Future<Output = Option<F::Output>> + use<F> {
    let is_awaited = sink.is_awaited();
    async move { if is_awaited { poll_immediate(next).await } else { Some(next.await) } }
}

/// Takes a few rows at a time. One that does not fit ends them: those before it are given out first.
struct Ahead<T, R> {
    rows: VecDeque<T>,
    count: usize,
    reader: R,
    failed: Option<Error>,
}

impl<T: Send + 'static, R: ReadRow<T>> RowSink for Ahead<T, R> {
    fn row(&mut self, row: &dyn Row) -> Result<Flow> {
        match self.reader.read(row) {
            Ok(row) => self.rows.push_back(row),
            Err(error) => self.failed = Some(error),
        }
        Ok(if self.rows.len() < self.count && self.failed.is_none() { Flow::More } else { Flow::Enough })
    }

    fn is_awaited(&self) -> bool {
        !self.rows.is_empty()
    }
}

enum CursorState<'c, F, R> {
    Closed(F, R),
    Open(Box<dyn Cursor + 'c>, R, usize),
    Failed(Error),
    Ended,
}

/// The rows of a cursor, some at a time, that is opened when the first of them are asked for. Each time they
/// are put into what `room` gives, which is empty.
pub(crate) fn chunks<'c, T, F, R>(
    open: F,
    reader: R,
    mut room: impl FnMut() -> VecDeque<T> + Send + 'c,
) -> impl Stream<Item = Result<VecDeque<T>>> + Send + 'c
where
    T: Send + 'static,
    F: Future<Output = Result<Box<dyn Cursor + 'c>>> + Send + 'c,
    R: ReadRow<T>,
{
    stream::try_unfold(CursorState::Closed(open, reader), move |state| {
        let mut rows = room();
        async move {
            let (mut cursor, reader, count) = match state {
                CursorState::Closed(open, reader) => (open.await?, reader, FIRST),
                CursorState::Open(cursor, reader, count) => (cursor, reader, count),
                CursorState::Failed(error) => return Err(error),
                CursorState::Ended => return Ok(None),
            };
            rows.reserve(count);
            let begun = Instant::now();
            let ahead = Ahead { rows, count, reader, failed: None };
            let (sink, more) = cursor.fill(Box::new(ahead)).await?;
            let count = next_count(count, begun.elapsed());
            let sink: Box<dyn Any> = sink;
            let Ok(sink) = sink.downcast::<Ahead<T, R>>() else {
                let message = "the cursor gave back another sink than it was given";
                return Err(Error::new(ErrorKind::Other, message));
            };
            // At its end, the cursor is dropped now: what it has is free before the last rows are taken.
            Ok(Some(match sink.failed {
                Some(error) => (sink.rows, CursorState::Failed(error)),
                None if more => (sink.rows, CursorState::Open(cursor, sink.reader, count)),
                None => (sink.rows, CursorState::Ended),
            }))
        }
    })
}

/// The same, a row at a time.
pub(crate) fn stream<'c, T, F>(open: F) -> impl Stream<Item = Result<T>> + Send + 'c
where
    T: FromRow + Send + 'static,
    F: Future<Output = Result<Box<dyn Cursor + 'c>>> + Send + 'c,
{
    chunks(open, Layout::default(), VecDeque::new).map_ok(|rows| stream::iter(rows.into_iter().map(Ok))).try_flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_rows_come_by_many_and_slow_ones_one_by_one() {
        let after = |took: Duration, turns: usize| (0..turns).fold(FIRST, |count, _| next_count(count, took));
        assert_eq!(after(Duration::ZERO, 4), FIRST * 16);
        assert_eq!(after(Duration::ZERO, 100), MOST);
        assert_eq!(after(QUICK, 100), FIRST);
        assert_eq!(after(SLOW, 100), FIRST);
        assert_eq!(after(SLOW * 2, 100), 1);
    }
}
