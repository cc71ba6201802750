//! Handlers that panic.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use super::ServiceError;
use crate::OrmResult;

/// Runs what a handler does. A panic of it is an error that names it.
pub(super) async fn caught<T>(who: &str, handler: impl Future<Output = OrmResult<T>>) -> OrmResult<T> {
    let mut handler = pin!(handler);
    // What the handler has left half done is its own: it is not polled again.
    poll_fn(|task| match catch_unwind(AssertUnwindSafe(|| handler.as_mut().poll(task))) {
        Ok(poll) => poll,
        Err(_) => Poll::Ready(Err(ServiceError::Panicked { who: who.to_owned() }.into())),
    })
    .await
}
