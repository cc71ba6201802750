//! Rows that are passed on one after the other.

use futures_core::Stream;
use futures_core::stream::BoxStream;
use futures_util::{StreamExt as _, stream};

use super::call::Call;
use crate::OrmResult;
use crate::entity::Logable;

/// The rows that a query finds as they arrive, within the service call that reads them.
pub struct EachRow<V> {
    rows: BoxStream<'static, OrmResult<V>>,
    call: OrmResult<Option<Box<Call<'static>>>>,
}

impl<V> EachRow<V> {
    /// The rows of a stream, without a call: for test doubles.
    pub fn new(rows: impl Stream<Item = OrmResult<V>> + Send + 'static) -> Self {
        Self::of(rows, Ok(None))
    }

    pub(super) fn of(
        rows: impl Stream<Item = OrmResult<V>> + Send + 'static,
        call: OrmResult<Option<Box<Call<'static>>>>,
    ) -> Self {
        Self { rows: rows.boxed(), call }
    }

    /// Converts it into a stream. The call begins when the first row is requested, and ends with the last row or the
    /// first error.
    pub fn into_stream(self) -> BoxStream<'static, OrmResult<V>>
    where
        V: Send + 'static,
    {
        let Self { rows, call } = self;
        let call = match call {
            Ok(None) => return rows,
            Ok(Some(call)) => call,
            Err(error) => return stream::iter([Err(error)]).boxed(),
        };
        let begun = async move {
            let mut call = call;
            call.begin().await?;
            OrmResult::Ok(stream::unfold(Some((rows, call)), |open| async {
                let (mut rows, call) = open?;
                let done = match call.inside(rows.next()).await {
                    Some(Ok(row)) => return Some((Ok(row), Some((rows, call)))),
                    Some(Err(error)) => Err(error),
                    None => Ok(()),
                };
                drop(rows);
                let failed = call.end(done, Logable::log).await.err()?;
                Some((Err(failed), None))
            }))
        };
        stream::once(begun)
            .flat_map(|begun| match begun {
                Ok(rows) => rows.boxed(),
                Err(error) => stream::iter([Err(error)]).boxed(),
            })
            .boxed()
    }

    /// Does something with each row. The first error ends it.
    pub(super) async fn run(self, mut each: impl AsyncFnMut(V) -> OrmResult<()>) -> OrmResult<()> {
        let Self { mut rows, call } = self;
        let Some(mut call) = call? else {
            while let Some(row) = rows.next().await {
                each(row?).await?;
            }
            return Ok(());
        };
        call.begin().await?;
        // The closure is the caller's: what it does is not done inside of this call, nor with what that may do.
        let done = async {
            while let Some(row) = call.inside(rows.next()).await {
                each(row?).await?;
            }
            Ok(())
        };
        let done = done.await;
        drop(rows);
        call.end(done, Logable::log).await
    }
}

impl<V> std::fmt::Debug for EachRow<V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EachRow").field("call", &self.call).finish_non_exhaustive()
    }
}
