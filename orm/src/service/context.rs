//! What handlers can read about a call.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::ops::Deref;
use std::time::{Duration, Instant};

use super::Method;
use crate::Session;
use crate::entity::LogText;

/// A call of a service method: the common part of [`ServiceInvokeContext`] and [`ServiceExceptionContext`].
pub struct ServiceCall<'c> {
    pub(super) method: Method,
    pub(super) service_type: &'static str,
    pub(super) session: Session,
    pub(super) target: Option<&'c (dyn Any + Send + Sync)>,
    pub(super) arguments: Arguments<'c>,
    pub(super) since: Instant,
}

impl ServiceCall<'_> {
    /// The name of the service.
    #[must_use]
    pub fn service_name(&self) -> &'static str {
        self.method.service()
    }

    /// The type of the service, with its modules.
    #[must_use]
    pub fn service_type(&self) -> &'static str {
        self.service_type
    }

    /// The name of the method.
    #[must_use]
    pub fn method_name(&self) -> &'static str {
        self.method.name()
    }

    /// The method, with its attributes and its return type.
    #[must_use]
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// The service itself, if the method takes `&self`.
    #[must_use]
    pub fn target<S: 'static>(&self) -> Option<&S> {
        self.target?.downcast_ref()
    }

    /// The arguments, as logs show them.
    #[must_use]
    pub fn arguments(&self) -> &Arguments<'_> {
        &self.arguments
    }

    /// The session of the service.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The number of the session.
    #[must_use]
    pub fn session_id(&self) -> u64 {
        self.session.id()
    }

    /// How long the call has taken so far.
    #[must_use]
    pub fn duration(&self) -> Duration {
        self.since.elapsed()
    }
}

impl fmt::Debug for ServiceCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}({})", self.service_name(), self.method_name(), self.arguments)
    }
}

/// The arguments of a call. They are formatted when a handler reads them, unless the method has consumed them. Those
/// with `#[log(skip)]` are shown as `*`.
#[derive(Debug, Default)]
pub struct Arguments<'c> {
    pub(super) all: Vec<Argument<'c>>,
    /// How many items of a collection are shown.
    pub(super) items: usize,
}

impl Arguments<'_> {
    /// The names of the method's parameters, in order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.all.iter().map(|argument| argument.name)
    }

    /// The text of an argument.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<String> {
        let argument = self.all.iter().find(|argument| argument.name == name)?;
        Some(argument.text(self.items))
    }
}

/// `id: 7, note: "new", password: *`
impl fmt::Display for Arguments<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, argument) in self.all.iter().enumerate() {
            let comma = if place > 0 { ", " } else { "" };
            write!(f, "{comma}{}: {}", argument.name, argument.text(self.items))?;
        }
        Ok(())
    }
}

/// An argument of a call; `#[service]` creates it.
pub struct Argument<'c> {
    name: &'static str,
    shown: Shown<'c>,
}

enum Shown<'c> {
    Hidden,
    Text(String),
    Later(Box<dyn Fn(&mut LogText) + Send + Sync + 'c>),
}

impl<'c> Argument<'c> {
    /// An argument that is not shown.
    #[must_use]
    pub fn hidden(name: &'static str) -> Self {
        Self { name, shown: Shown::Hidden }
    }

    /// An argument that the method consumes, and that is formatted before.
    #[must_use]
    pub fn now(name: &'static str, text: LogText) -> Self {
        Self { name, shown: Shown::Text(text.into_string()) }
    }

    /// An argument that is formatted when a handler reads it.
    #[must_use]
    pub fn later(name: &'static str, shows: impl Fn(&mut LogText) + Send + Sync + 'c) -> Self {
        Self { name, shown: Shown::Later(Box::new(shows)) }
    }

    fn text(&self, items: usize) -> String {
        match &self.shown {
            Shown::Hidden => "*".to_owned(),
            Shown::Text(text) => text.clone(),
            Shown::Later(shows) => {
                let mut text = LogText::with_items(items);
                shows(&mut text);
                text.into_string()
            }
        }
    }
}

impl fmt::Debug for Argument<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A call that begins, or has succeeded.
#[derive(Debug)]
pub struct ServiceInvokeContext<'c> {
    pub(super) call: &'c ServiceCall<'c>,
    pub(super) result: Option<&'c str>,
}

impl ServiceInvokeContext<'_> {
    /// The returned value, as logs show it; `None` before the end of the call.
    #[must_use]
    pub fn result(&self) -> Option<&str> {
        self.result
    }
}

/// A call that has failed.
pub struct ServiceExceptionContext<'c> {
    pub(super) call: &'c ServiceCall<'c>,
    pub(super) error: &'c (dyn Error + Send + Sync + 'static),
    pub(super) sql_stack: &'c [String],
}

impl<'c> ServiceExceptionContext<'c> {
    /// The error that the call returns. `downcast_ref` gives the method's own error type.
    #[must_use]
    pub fn error(&self) -> &'c (dyn Error + 'static) {
        self.error
    }

    /// The last statements of the call, at most 10, the newest at the end.
    #[must_use]
    pub fn sql_stack(&self) -> &[String] {
        self.sql_stack
    }
}

impl fmt::Debug for ServiceExceptionContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceExceptionContext")
            .field("call", self.call)
            .field("error", &self.error)
            .finish_non_exhaustive()
    }
}

impl<'c> Deref for ServiceInvokeContext<'c> {
    type Target = ServiceCall<'c>;

    fn deref(&self) -> &Self::Target {
        self.call
    }
}

impl<'c> Deref for ServiceExceptionContext<'c> {
    type Target = ServiceCall<'c>;

    fn deref(&self) -> &Self::Target {
        self.call
    }
}
