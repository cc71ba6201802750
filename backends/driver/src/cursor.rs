//! Rows that are read as they are asked for.

use std::any::Any;
use std::collections::VecDeque;

use futures_core::Stream;
use futures_util::stream;

use crate::{BoxFuture, Error, ErrorKind, Flow, FromRow, Result, Row, RowSink};

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

/// Takes a few rows at a time.
struct Ahead<T>(VecDeque<T>);

impl<T: FromRow + Send + 'static> RowSink for Ahead<T> {
    fn row(&mut self, row: &dyn Row) -> Result<Flow> {
        self.0.push_back(T::from_row(row)?);
        Ok(if self.0.len() < AHEAD { Flow::More } else { Flow::Enough })
    }
}

enum State<'c, T, F> {
    Closed(F),
    Open(Box<dyn Cursor + 'c>, VecDeque<T>),
    Last(VecDeque<T>),
}

/// The rows of a cursor that is opened when the first of them is asked for.
pub(crate) fn stream<'c, T, F>(open: F) -> impl Stream<Item = Result<T>> + Send + 'c
where
    T: FromRow + Send + 'static,
    F: Future<Output = Result<Box<dyn Cursor + 'c>>> + Send + 'c,
{
    stream::try_unfold(State::Closed(open), |mut state| async move {
        loop {
            state = match state {
                State::Closed(open) => State::Open(open.await?, VecDeque::with_capacity(AHEAD)),
                State::Open(cursor, mut rows) if !rows.is_empty() => {
                    return Ok(rows.pop_front().map(|row| (row, State::Open(cursor, rows))));
                }
                State::Open(mut cursor, rows) => {
                    let (sink, more) = cursor.fill(Box::new(Ahead(rows))).await?;
                    let sink: Box<dyn Any> = sink;
                    let Ok(sink) = sink.downcast::<Ahead<T>>() else {
                        let message = "the cursor gave back another sink than it was given";
                        return Err(Error::new(ErrorKind::Other, message));
                    };
                    if more { State::Open(cursor, sink.0) } else { State::Last(sink.0) }
                }
                State::Last(mut rows) => return Ok(rows.pop_front().map(|row| (row, State::Last(rows)))),
            }
        }
    })
}
