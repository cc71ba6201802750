//! Calls on behalf of another program.

use std::any::{Any, type_name};
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;

use super::interception::caught;
use super::{Method, ServiceError, ServiceExceptionContext, ServiceFailure};
use crate::{OrmError, OrmResult, Session};

tokio::task_local! {
    static REMOTE: Option<Door>;
}

/// Where a call that fails leaves what is known of it.
#[derive(Clone, Default)]
struct Door(Arc<Mutex<Option<Failed>>>);

/// A call that has failed, as far as it outlives its end.
#[derive(Debug, Clone)]
struct Failed {
    method: Method,
    arguments: String,
    session_id: u64,
    sql_stack: Vec<String>,
    duration: Duration,
}

/// A remote call that has failed.
pub struct RemoteErrorContext<'c> {
    failed: &'c Failed,
    error: &'c dyn ServiceFailure,
}

impl<'c> RemoteErrorContext<'c> {
    /// The method, with its service and its return type.
    #[must_use]
    pub fn method(&self) -> &Method {
        &self.failed.method
    }

    /// The error of the call.
    #[must_use]
    pub fn error(&self) -> &'c (dyn Error + 'static) {
        self.error
    }

    /// The arguments, as logs show them.
    #[must_use]
    pub fn arguments(&self) -> &str {
        &self.failed.arguments
    }

    /// The number of the session.
    #[must_use]
    pub fn session_id(&self) -> u64 {
        self.failed.session_id
    }

    /// The last statements of the call, the newest at the end.
    #[must_use]
    pub fn sql_stack(&self) -> &[String] {
        &self.failed.sql_stack
    }

    /// How long the call has taken.
    #[must_use]
    pub fn duration(&self) -> Duration {
        self.failed.duration
    }
}

impl fmt::Debug for RemoteErrorContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteErrorContext").field("call", self.failed).field("error", &self.error).finish()
    }
}

/// The value that a remote caller receives instead of an error.
#[derive(Debug, Default)]
pub struct RemoteAnswer(Option<Box<dyn Any + Send>>);

impl RemoteAnswer {
    /// Sets the value that the call returns. It has the type that the method returns, without its `Result`; `()` for a
    /// method that returns nothing.
    pub fn handle<T: Any + Send>(&mut self, value: T) {
        self.0 = Some(Box::new(value));
    }
}

/// A handler that may replace the error of a remote call by a value.
#[async_trait]
pub trait RemoteErrorEvent: Send + Sync {
    /// A remote call has failed. Handlers are called until one sets an answer; without one, the error is returned.
    ///
    /// # Errors
    /// They are logged, and the next handler is called.
    async fn on_error(&self, context: &RemoteErrorContext<'_>, answer: &mut RemoteAnswer) -> OrmResult<()>;
}

impl Session {
    /// Runs a service call on behalf of another program, such as in an HTTP handler. If it fails, the handlers of
    /// [`Interception::on_error`](super::Interception::on_error) may replace the error by a value.
    ///
    /// A method with `#[service_method(remote = false)]` cannot be called this way, except by another method of a
    /// service.
    ///
    /// # Errors
    /// Those of the call, if no handler replaces them; [`ServiceError::WrongAnswer`] if a handler sets a value of
    /// another type.
    pub async fn remote<T: 'static, E: From<OrmError> + ServiceFailure>(
        &self,
        call: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let door = Door::default();
        let error = match REMOTE.scope(Some(door.clone()), call).await {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        let failed = door.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (Some(failed), Some(interception)) = (failed, &self.context().services().interception) else {
            return Err(error);
        };
        let context = RemoteErrorContext { failed: &failed, error: &error };
        for handler in &interception.on_error {
            let mut answer = RemoteAnswer::default();
            if let Err(error) = caught(handler.name, handler.handler.on_error(&context, &mut answer)).await {
                super::log::handler_failed(handler.name, &failed.method, &error);
                continue;
            }
            let Some(value) = answer.0 else { continue };
            return match value.downcast() {
                Ok(value) => Ok(*value),
                Err(_) => Err(E::from(wrong_answer::<T>(handler.name, &failed.method).into())),
            };
        }
        Err(error)
    }
}

fn wrong_answer<T>(handler: &str, method: &Method) -> ServiceError {
    let method = method.path();
    ServiceError::WrongAnswer { handler: handler.to_owned(), method, wanted: type_name::<T>() }
}

/// Runs what no other program has asked for, though a call of one has led to it.
pub(crate) async fn apart<F: Future>(future: F) -> F::Output {
    REMOTE.scope(None, future).await
}

/// Whether a call that begins may do so, if it comes from another program.
///
/// # Errors
/// It is not for such calls.
pub(super) fn check(method: &Method) -> OrmResult<()> {
    let refused = !method.is_remote() && REMOTE.try_with(Option::is_some).unwrap_or(false);
    if refused { Err(ServiceError::NotRemote { method: method.path() }.into()) } else { Ok(()) }
}

/// Leaves what is known of a call that has failed, if it came from another program.
pub(super) fn leave(context: &ServiceExceptionContext<'_>) {
    let _ = REMOTE.try_with(|door| {
        let Some(door) = door else { return };
        let failed = Failed {
            method: *context.method(),
            arguments: context.arguments().to_string(),
            session_id: context.session_id(),
            sql_stack: context.sql_stack().to_vec(),
            duration: context.duration(),
        };
        *door.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(failed);
    });
}
