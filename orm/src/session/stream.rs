//! Streams of rows that own their connection.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use futures_core::Stream;
use futures_util::StreamExt;
use isogloss_compiler::Compiled;
use isogloss_driver::{BoxFuture, ConnectionExt, FromRow, Layout, ReadRow};

use super::Lease;
use crate::{OrmError, OrmResult};

impl Lease {
    /// Runs a statement and returns a stream of its rows. Rows are read ahead in batches: what arrives within about a
    /// millisecond, at most 1,024. Dropping the stream early cancels the rest of the query.
    pub fn stream<'l, T: FromRow + Send + 'static>(
        &'l mut self,
        statement: &'l Compiled<'_>,
    ) -> impl Stream<Item = OrmResult<T>> + Send + 'l {
        self.may_write(statement);
        self.statement(statement);
        let source = Arc::clone(self.data_source());
        // What keeps the connection from being had is the stream's only item.
        let (rows, none) = match self.connection() {
            Ok(connection) => (Some(connection.stream::<T>(statement)), None),
            Err(error) => (None, Some(error)),
        };
        let none = futures_util::stream::iter(none.map(Err));
        let rows = futures_util::stream::iter(rows).flatten();
        rows.map(move |row| row.map_err(|error| source.failed(error))).chain(none)
    }

    /// Runs a statement and returns a stream that owns the lease, and is `'static`. Otherwise it is like
    /// [`stream`](Self::stream).
    pub fn into_stream<T: FromRow + Send + 'static>(
        self,
        statement: Compiled<'static>,
    ) -> impl Stream<Item = OrmResult<T>> + Send + 'static {
        rows(async move { Ok((self, statement)) }, Layout::default(), |error, _| error)
    }
}

/// The rows of a statement that is had when the first of them is asked for. An error of a row is told with its number.
pub(crate) fn rows<T: Send + 'static>(
    open: impl Future<Output = OrmResult<(Lease, Compiled<'static>)>> + Send + 'static,
    reader: impl ReadRow<T>,
    told: impl Fn(OrmError, u64) -> OrmError + Send + 'static,
) -> impl Stream<Item = OrmResult<T>> + Send + 'static {
    let shared = Arc::new(Shared::<T>::default());
    let out = Arc::clone(&shared);
    let read = async move |out: &Shared<T>| {
        let (mut lease, statement) = open.await?;
        lease.streams(&statement);
        lease.statement(&statement);
        let (source, mut count) = (Arc::clone(lease.data_source()), 0);
        let room = || std::mem::take(&mut out.chunk().rows);
        let mut chunks = pin!(lease.connection()?.stream_chunks(&statement, reader, room));
        while let Some(chunk) = chunks.next().await {
            let rows = chunk.map_err(|error| told(source.failed(error), count + 1))?;
            count += rows.len() as u64;
            out.chunk().rows = rows;
            // The consumer polls on when it has taken them, and has left an empty list there.
            poll_fn(|_| if out.chunk().rows.is_empty() { Poll::Ready(()) } else { Poll::Pending }).await;
        }
        OrmResult::Ok(())
    };
    let producer = async move {
        if let Err(error) = read(&out).await {
            out.chunk().failed = Some(error);
        }
    };
    Owned { producer: Some(Box::pin(producer)), shared, rows: VecDeque::new() }
}

/// Rows on their way from what reads them to the stream, or what came instead of them.
struct Chunk<T> {
    rows: VecDeque<T>,
    failed: Option<OrmError>,
}

impl<T> Default for Chunk<T> {
    fn default() -> Self {
        Self { rows: VecDeque::new(), failed: None }
    }
}

struct Shared<T>(Mutex<Chunk<T>>);

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Shared<T> {
    fn chunk(&self) -> MutexGuard<'_, Chunk<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stream whose connection and statement live in the future that reads.
struct Owned<T> {
    producer: Option<BoxFuture<'static, ()>>,
    shared: Arc<Shared<T>>,
    rows: VecDeque<T>,
}

// Nothing in it is pinned but the future, which is in a box.
impl<T> Unpin for Owned<T> {}

impl<T> Stream for Owned<T> {
    type Item = OrmResult<T>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<OrmResult<T>>> {
        if let Some(row) = self.rows.pop_front() {
            return Poll::Ready(Some(Ok(row)));
        }
        self.produce(cx);
        let Self { rows, shared, .. } = &mut *self;
        let failed = {
            let mut chunk = shared.chunk();
            std::mem::swap(rows, &mut chunk.rows);
            if rows.is_empty() { chunk.failed.take() } else { None }
        };
        match (rows.pop_front(), failed) {
            (Some(row), _) => {
                // The next ones are on their way while these are taken.
                self.produce(cx);
                Poll::Ready(Some(Ok(row)))
            }
            (None, Some(error)) => Poll::Ready(Some(Err(error))),
            (None, None) if self.producer.is_none() => Poll::Ready(None),
            (None, None) => Poll::Pending,
        }
    }
}

impl<T> Owned<T> {
    /// Lets the future read on, as far as it gets without waiting.
    fn produce(&mut self, cx: &mut Context<'_>) {
        if self.producer.as_mut().is_some_and(|producer| producer.as_mut().poll(cx).is_ready()) {
            // The connection goes back now, not when the stream is dropped.
            self.producer = None;
        }
    }
}
