//! Rows that are read as they are asked for.

use std::any::Any;
use std::collections::VecDeque;

use futures_core::Stream;
use futures_util::{TryStreamExt as _, stream};

use crate::{BoxFuture, Error, ErrorKind, Flow, FromRow, Layout, ReadRow, Result, Row, RowSink};

/// How many rows a stream reads ahead.
const AHEAD: usize = 256;

/// An open query. What it has not read yet waits at the engine or in the socket.
///
/// Dropped before its end, it gives the rest up: what is left is cancelled or thrown away before the connection runs
/// anything else.
pub trait Cursor: Send {
    /// Gives rows to the sink until it has enough of them or there are no more, which is when the answer is `false`.
    /// After `true`, another call goes on behind the last row.
    fn fill(&mut self, sink: Box<dyn RowSink>) -> BoxFuture<'_, Result<(Box<dyn RowSink>, bool)>>;
}

/// Takes a few rows at a time. One that does not fit ends them: those before it are given out first.
struct Ahead<T, R> {
    rows: VecDeque<T>,
    reader: R,
    failed: Option<Error>,
}

impl<T: Send + 'static, R: ReadRow<T>> RowSink for Ahead<T, R> {
    fn row(&mut self, row: &dyn Row) -> Result<Flow> {
        match self.reader.read(row) {
            Ok(row) => self.rows.push_back(row),
            Err(error) => self.failed = Some(error),
        }
        Ok(if self.rows.len() < AHEAD && self.failed.is_none() { Flow::More } else { Flow::Enough })
    }
}

enum State<'c, F, R> {
    Closed(F, R),
    Open(Box<dyn Cursor + 'c>, R),
    Failed(Error),
    Ended,
}

/// The rows of a cursor, some hundreds at a time, that is opened when the first of them are asked for. Each time they
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
    stream::try_unfold(State::Closed(open, reader), move |state| {
        let mut rows = room();
        async move {
            let (mut cursor, reader) = match state {
                State::Closed(open, reader) => (open.await?, reader),
                State::Open(cursor, reader) => (cursor, reader),
                State::Failed(error) => return Err(error),
                State::Ended => return Ok(None),
            };
            rows.reserve(AHEAD);
            let ahead = Ahead { rows, reader, failed: None };
            let (sink, more) = cursor.fill(Box::new(ahead)).await?;
            let sink: Box<dyn Any> = sink;
            let Ok(sink) = sink.downcast::<Ahead<T, R>>() else {
                let message = "the cursor gave back another sink than it was given";
                return Err(Error::new(ErrorKind::Other, message));
            };
            // At its end, the cursor is dropped now: what it has is free before the last rows are taken.
            Ok(Some(match sink.failed {
                Some(error) => (sink.rows, State::Failed(error)),
                None if more => (sink.rows, State::Open(cursor, sink.reader)),
                None => (sink.rows, State::Ended),
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
