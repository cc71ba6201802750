//! Interception: transactions, permissions, logs and handlers around the calls of services.

use std::any::type_name;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::remote::RemoteErrorEvent;
use super::{
    LogLevel, LogRule, Method, PermissionRule, PrincipalProvider, ServiceError, ServiceExceptionContext,
    ServiceInvokeContext,
};
use crate::OrmResult;
use crate::context::OrmBuilder;
use crate::session;

/// A handler that is notified before a call begins.
#[async_trait]
pub trait ServiceInvokingEvent: Send + Sync {
    /// The call is about to begin. Its permission has not been checked yet, and no transaction is open.
    ///
    /// # Errors
    /// The call is not made, and fails with this error.
    async fn on_invoking(&self, context: &ServiceInvokeContext<'_>) -> OrmResult<()>;
}

/// A handler that is notified when a call has succeeded.
#[async_trait]
pub trait ServiceInvokedEvent: Send + Sync {
    /// The call has succeeded, and its transaction is committed.
    ///
    /// # Errors
    /// They are logged, and do not affect the result of the call.
    async fn on_invoked(&self, context: &ServiceInvokeContext<'_>) -> OrmResult<()>;
}

/// A handler that is notified when a call has failed.
#[async_trait]
pub trait ServiceExceptionEvent: Send + Sync {
    /// The call has failed, and its transaction is rolled back.
    ///
    /// # Errors
    /// They are logged, and do not affect the result of the call.
    async fn on_exception(&self, context: &ServiceExceptionContext<'_>) -> OrmResult<()>;
}

/// What is done around each call of a service. A program without it runs methods as they are written, and refuses those
/// whose attributes require it.
///
/// ```
/// use std::time::Duration;
/// use isogloss::Orm;
/// use isogloss::service::{Interception, PermissionRule, SessionPrincipal};
/// let interception = Interception::new()
///     .principals(SessionPrincipal)
///     .slow(Duration::from_secs(1))
///     .default_permission(PermissionRule::PRINCIPAL);
/// let builder = Orm::builder().with_interception(interception);
/// # let _ = builder;
/// ```
#[must_use = "it is given to the builder of a context"]
pub struct Interception {
    pub(super) principals: Option<Arc<dyn PrincipalProvider>>,
    pub(super) invoking: Vec<Handler<dyn ServiceInvokingEvent>>,
    pub(super) invoked: Vec<Handler<dyn ServiceInvokedEvent>>,
    pub(super) exception: Vec<Handler<dyn ServiceExceptionEvent>>,
    pub(super) on_error: Vec<Handler<dyn RemoteErrorEvent>>,
    pub(super) permission: PermissionRule,
    pub(super) entity_reads: PermissionRule,
    pub(super) entity_writes: PermissionRule,
    pub(super) log: LogRule,
    pub(super) entity_log: LogRule,
    pub(super) slow: Duration,
    pub(super) items: usize,
}

/// A handler and its name.
pub(super) struct Handler<H: ?Sized> {
    pub(super) name: &'static str,
    pub(super) handler: Arc<H>,
}

impl Default for Interception {
    fn default() -> Self {
        Self {
            principals: None,
            invoking: Vec::new(),
            invoked: Vec::new(),
            exception: Vec::new(),
            on_error: Vec::new(),
            permission: PermissionRule::ANYONE,
            entity_reads: PermissionRule::ANYONE,
            entity_writes: PermissionRule::PRINCIPAL,
            log: LogRule::new(),
            entity_log: LogRule::new().level(LogLevel::Debug),
            slow: Duration::from_secs(3),
            items: 10,
        }
    }
}

macro_rules! handlers {
    ($($(#[$doc:meta])* $method:ident: $event:ident;)*) => {$(
        $(#[$doc])*
        pub fn $method<H: $event + 'static>(mut self, handler: H) -> Self {
            self.$method.push(Handler { name: type_name::<H>(), handler: Arc::new(handler) });
            self
        }
    )*};
}

impl Interception {
    /// Interception with transactions and logs. The caller is not known.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the provider of principals, which determines the caller: [`SessionPrincipal`](super::SessionPrincipal), or
    /// the program's own. Without one, a service that requires permissions is an error.
    pub fn principals(mut self, provider: impl PrincipalProvider + 'static) -> Self {
        self.principals = Some(Arc::new(provider));
        self
    }

    handlers! {
        /// With a handler that hears of each outermost call before it begins. They are called in the order in which they were
        /// given; the first error stops the call.
        invoking: ServiceInvokingEvent;
        /// With a handler that hears of each outermost call that has succeeded.
        invoked: ServiceInvokedEvent;
        /// With a handler that hears of each outermost call that has failed.
        exception: ServiceExceptionEvent;
        /// With a handler that may answer in place of a [remote](crate::Session::remote) call that has failed.
        on_error: RemoteErrorEvent;
    }

    /// Sets from which duration on calls are logged as slow, with their statements; 3 seconds by default.
    pub fn slow(mut self, slow: Duration) -> Self {
        self.slow = slow;
        self
    }

    /// Sets how many items of a collection logs show; of a longer one they show the number. 10 by default.
    pub fn log_items(mut self, items: usize) -> Self {
        self.items = items;
        self
    }

    /// Sets who may call methods that do not say it: [`PermissionRule::ANYONE`] by default. It applies to the outermost
    /// call.
    pub fn default_permission(mut self, rule: PermissionRule) -> Self {
        self.permission = rule;
        self
    }

    /// Sets who may read and write by entity services outside of service methods: by default anyone may read, and any
    /// known caller may write.
    pub fn entity_permissions(mut self, reads: PermissionRule, writes: PermissionRule) -> Self {
        (self.entity_reads, self.entity_writes) = (reads, writes);
        self
    }

    /// Sets what is logged of methods that do not say it: everything, at the level of information, by default.
    pub fn default_log(mut self, rule: LogRule) -> Self {
        self.log = rule;
        self
    }

    /// Sets what is logged of entity services: everything, at the level of debugging, by default.
    pub fn entity_log(mut self, rule: LogRule) -> Self {
        self.entity_log = rule;
        self
    }

    /// Whether somebody is told of calls, beside the log.
    pub(super) fn has_handlers(&self) -> bool {
        !(self.invoking.is_empty() && self.invoked.is_empty() && self.exception.is_empty())
    }

    /// The log of a method.
    pub(super) fn log_of(&self, method: &Method) -> LogRule {
        method.log_rule().copied().unwrap_or(self.log)
    }
}

impl fmt::Debug for Interception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interception")
            .field("principals", &self.principals.is_some())
            .field("invoking", &self.invoking.len())
            .field("invoked", &self.invoked.len())
            .field("exception", &self.exception.len())
            .field("slow", &self.slow)
            .finish_non_exhaustive()
    }
}

impl OrmBuilder {
    /// Enables transactions, permissions, logs and events around the calls of services: see
    /// [`service`](mod@crate::service).
    pub fn with_interception(mut self, interception: Interception) -> Self {
        self.services.interception = Some(interception);
        self
    }
}

/// Whether a program can do what a method asks for.
///
/// # Errors
/// It runs without interception, or does not know who calls.
pub(super) fn check(method: &Method, interception: Option<&Interception>) -> OrmResult<()> {
    match interception {
        None if method.needs_interception() => Err(ServiceError::NoInterception { method: method.path() }.into()),
        Some(interception) if interception.principals.is_none() => match method.permission_rule() {
            Some(rule) if !rule.allows_anonymous() => Err(ServiceError::NoPrincipals { method: method.path() }.into()),
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

/// Runs what a handler does. A panic of it is an error that names it.
pub(super) async fn caught<T>(who: &str, handler: impl Future<Output = OrmResult<T>>) -> OrmResult<T> {
    let panicked = || Err(ServiceError::Panicked { who: who.to_owned() }.into());
    session::caught(handler).await.unwrap_or_else(panicked)
}
