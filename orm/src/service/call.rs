//! Calls of service methods, with what interception adds to them.

use std::any::{Any, type_name};
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use isogloss_driver::TransactionOptions;

use super::context::{Argument, Arguments};
use super::interception::caught;
use super::nesting::CallPath;
use super::{
    Interception, Method, PermissionRule, Principal, Service, ServiceCall, ServiceError, ServiceExceptionContext,
    ServiceFailure, ServiceInvokeContext, interception, log, remote,
};
use crate::entity::LogText;
use crate::session::{Conflict, SessionError};
use crate::{OrmContext, OrmError, OrmResult, Session};

/// Whom an error names where a principal cannot be found out.
const WHO_CALLS: &str = "PrincipalProvider";

tokio::task_local! {
    /// A provider is at work, which would be asked again, and so on.
    static LOOKED_UP: ();
}

/// A call of a method in a `#[service]`; the macro creates it.
#[derive(Debug)]
pub struct Call<'c> {
    call: ServiceCall<'c>,
    path: Arc<CallPath>,
    /// Whether no call of the session is around it.
    outermost: bool,
    principal: Option<Arc<dyn Principal>>,
    /// Whether it has begun the transaction that it runs in, and an error of it has taken that back.
    alone: bool,
    /// How often its transaction was run.
    attempt: u32,
}

impl<'c> Call<'c> {
    /// Begins a call of a service's method.
    ///
    /// # Errors
    /// The program does not support what the method's attributes ask for.
    pub fn of<S: Service>(service: &S, method: Method) -> OrmResult<Self> {
        Self::new(service.session(), method, type_name::<S>())
    }

    /// A call of a method of the service of that type.
    pub(super) fn new(session: &Session, method: Method, service_type: &'static str) -> OrmResult<Self> {
        let interception = of(session.context());
        interception::check(&method, interception)?;
        let outer = CallPath::current();
        if outer.is_none() {
            remote::check(&method)?;
        }
        let outermost = !outer.as_ref().is_some_and(|outer| outer.has(session));
        if outermost && interception.is_some() {
            session.clear_sql_stack();
        }
        let arguments = Arguments { all: Vec::new(), items: interception.map_or(0, |interception| interception.items) };
        let session = session.clone();
        let path = CallPath::below(&session, outer);
        let call = ServiceCall { method, service_type, session, target: None, arguments, since: Instant::now() };
        Ok(Self { call, path, outermost, principal: None, alone: false, attempt: 1 })
    }

    /// Whether a handler or a log may read the arguments.
    #[must_use]
    pub fn shows_arguments(&self) -> bool {
        let shows = |interception: &Interception| {
            interception.has_handlers() || log::may_show_arguments(interception, &self.call.method)
        };
        self.outermost && of(self.call.session.context()).is_some_and(shows)
    }

    /// An empty text for an argument.
    #[must_use]
    pub fn text(&self) -> LogText {
        LogText::with_items(self.call.arguments.items)
    }

    /// Sets the arguments that handlers and logs can read.
    pub fn show(&mut self, target: Option<&'c (dyn Any + Send + Sync)>, arguments: Vec<Argument<'c>>) {
        self.call.target = target;
        self.call.arguments.all = arguments;
    }

    /// Runs what precedes the body: handlers are notified, and the caller's permission is checked.
    ///
    /// # Errors
    /// The error of a handler, or a missing permission. The body does not run.
    pub async fn begin(&mut self) -> OrmResult<()> {
        let context = self.call.session.context().clone();
        let Some(interception) = of(&context) else { return Ok(()) };
        let path = Arc::clone(&self.path);
        let begun = path.enter(self.before(interception)).await;
        if let Err(error) = &begun {
            self.failed(interception, error).await;
        }
        begun
    }

    async fn before(&mut self, interception: &Interception) -> OrmResult<()> {
        if self.outermost {
            let context = ServiceInvokeContext { call: &self.call, result: None };
            for handler in &interception.invoking {
                caught(handler.name, handler.handler.on_invoking(&context)).await?;
            }
        }
        self.permit(interception).await?;
        if self.outermost {
            log::invoked(interception, &self.call);
        }
        Ok(())
    }

    /// What a method says of itself holds for every call; what is said for all, for the outermost one.
    async fn permit(&mut self, interception: &Interception) -> OrmResult<()> {
        let own = self.call.method.permission_rule();
        let rule = own.or_else(|| self.outermost.then_some(&interception.permission)).copied();
        let Some(rule) = rule.filter(|rule| !rule.allows_anonymous()) else { return Ok(()) };
        let Some(provider) = &interception.principals else {
            return Err(ServiceError::NoPrincipals { method: self.call.method.path() }.into());
        };
        if LOOKED_UP.try_with(|()| ()).is_ok() {
            return Err(ServiceError::PrincipalAsked { method: self.call.method.path() }.into());
        }
        let found = async {
            let principal = LOOKED_UP.scope((), provider.principal(&self.call.session)).await?;
            let admitted = rule.admits(principal.as_deref());
            Ok(principal.filter(|_| admitted))
        };
        self.principal = caught(WHO_CALLS, found).await?;
        if self.principal.is_none() { Err(self.forbidden(&rule)) } else { Ok(()) }
    }

    fn forbidden(&self, rule: &PermissionRule) -> OrmError {
        let (service, method) = (self.call.method.service(), self.call.method.name());
        OrmError::Forbidden { service, method, permission: rule.to_string() }
    }

    /// Runs the method's own check.
    ///
    /// # Errors
    /// The check panics or refuses.
    pub fn check(&self, check: impl FnOnce(&dyn Principal) -> bool) -> OrmResult<()> {
        let (Some(principal), Some(rule)) = (&self.principal, self.call.method.permission_rule()) else {
            return Err(self.forbidden(&PermissionRule::PRINCIPAL));
        };
        // Nothing of it is used after a panic.
        match catch_unwind(AssertUnwindSafe(|| check(&**principal))) {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.forbidden(rule)),
            Err(_) => Err(ServiceError::Panicked { who: self.call.method.path() }.into()),
        }
    }

    /// Reports the result of the check to handlers of failed calls.
    ///
    /// # Errors
    /// The error of the check.
    pub async fn checked(&self, checked: OrmResult<()>) -> OrmResult<()> {
        let context = self.call.session.context().clone();
        if let (Err(error), Some(interception)) = (&checked, of(&context)) {
            self.failed(interception, error).await;
        }
        checked
    }

    /// Runs the body in its transaction. Errors for which `commits` returns true do not roll it back.
    ///
    /// # Errors
    /// Those of the body and of the transaction.
    pub async fn run<T, E: From<OrmError>>(
        &mut self,
        body: impl Future<Output = Result<T, E>>,
        commits: impl Fn(&E) -> bool,
    ) -> Result<T, E> {
        let Some(rule) = self.call.method.transaction_rule() else { return self.path.enter(body).await };
        let rule = *rule;
        let open = self.call.session.is_open().await?;
        self.alone = !open;
        if open && self.path.is_beside_another() {
            return Err(OrmError::from(SessionError::Overlap).into());
        }
        if open && !rule.takes_savepoint() {
            return self.part(body, commits).await;
        }
        // A savepoint has the options of its transaction.
        let options = if open { TransactionOptions::default() } else { rule.options().transaction };
        self.transaction(&options, body, commits).await
    }

    /// Runs a step of a body that goes on outside of the call.
    pub(super) async fn inside<F: Future>(&self, step: F) -> F::Output {
        self.path.enter(step).await
    }

    /// Runs the body as a part of the transaction that is open.
    async fn part<T, E: From<OrmError>>(
        &self,
        body: impl Future<Output = Result<T, E>>,
        commits: impl Fn(&E) -> bool,
    ) -> Result<T, E> {
        let part = self.path.part(self.call.method);
        let depth = self.call.session.depth();
        let done = self.path.enter(body).await;
        if done.as_ref().map_or_else(commits, |_| true) {
            part.keep();
        }
        // What it has written since the end of the transaction is outside of any.
        if done.is_ok() && self.call.session.depth() < depth {
            return Err(OrmError::from(SessionError::Overlap).into());
        }
        done
    }

    async fn transaction<T, E: From<OrmError>>(
        &mut self,
        options: &TransactionOptions,
        body: impl Future<Output = Result<T, E>>,
        commits: impl Fn(&E) -> bool,
    ) -> Result<T, E> {
        let level = self.call.session.level(options).await?;
        let path = self.path.transaction();
        let done = path.enter(body).await;
        let failed = path
            .failed_part()
            .map(|inner| ServiceError::PartFailed { method: self.call.method.path(), inner: inner.path() });
        match (done, failed) {
            (Ok(_), Some(failed)) => level.end(Err(OrmError::from(failed).into())).await,
            (Err(error), None) if commits(&error) => {
                level.end(Ok::<(), E>(())).await?;
                self.alone = false;
                Err(error)
            }
            (done, _) => level.end(done).await,
        }
    }

    /// Runs the body as [`run`](Self::run) does. `None` if its transaction has failed by a conflict and is to be run
    /// again.
    pub async fn attempt<T, E: From<OrmError> + Conflict>(
        &mut self,
        body: impl Future<Output = Result<T, E>>,
        commits: impl Fn(&E) -> bool,
    ) -> Option<Result<T, E>> {
        let done = self.run(body, commits).await;
        let rule = self.call.method.transaction_rule().filter(|_| self.alone);
        match (&done, rule) {
            (Err(error), Some(rule)) if rule.options().again(&mut self.attempt, error).await => None,
            _ => Some(done),
        }
    }

    /// Runs what follows the body: handlers are notified of the outcome. `shows` formats the returned value for logs.
    ///
    /// # Errors
    /// Those of the body.
    pub async fn end<T, E: ServiceFailure>(
        self,
        done: Result<T, E>,
        shows: impl FnOnce(&T, &mut LogText),
    ) -> Result<T, E> {
        let context = self.call.session.context().clone();
        if let (true, Some(interception)) = (self.outermost, of(&context)) {
            match &done {
                Ok(value) => {
                    let looked = !interception.invoked.is_empty() || log::shows_result(interception, &self.call.method);
                    let result = looked.then(|| {
                        let mut text = self.text();
                        shows(value, &mut text);
                        text.into_string()
                    });
                    self.succeeded(interception, result.as_deref()).await;
                }
                Err(error) => self.failed(interception, error).await,
            }
        }
        done
    }

    async fn succeeded(&self, interception: &Interception, result: Option<&str>) {
        log::returned(interception, &self.call, result);
        let context = ServiceInvokeContext { call: &self.call, result };
        self.path
            .enter(async {
                for handler in &interception.invoked {
                    let told = caught(handler.name, handler.handler.on_invoked(&context)).await;
                    self.told(handler.name, told);
                }
            })
            .await;
    }

    async fn failed(&self, interception: &Interception, error: &dyn ServiceFailure) {
        if !self.outermost {
            return;
        }
        let sql_stack = self.call.session.sql_stack();
        log::failed(&self.call, error, &sql_stack);
        let context = ServiceExceptionContext { call: &self.call, error, sql_stack: &sql_stack };
        remote::leave(&context);
        self.path
            .enter(async {
                for handler in &interception.exception {
                    let told = caught(handler.name, handler.handler.on_exception(&context)).await;
                    self.told(handler.name, told);
                }
            })
            .await;
    }

    /// What a handler says of an end changes nothing.
    fn told(&self, handler: &str, told: OrmResult<()>) {
        if let Err(error) = told {
            log::handler_failed(handler, &self.call.method, &error);
        }
    }
}

/// What stands around calls in a context, if anything does.
pub(super) fn of(context: &OrmContext) -> Option<&Interception> {
    context.services().interception.as_ref()
}

/// An argument that is copied for each attempt of a method with `retry`.
#[diagnostic::on_unimplemented(
    message = "this argument is cloned for each attempt of a method with `retry`, and `{Self}` is not `Clone`",
    note = "take it by reference, or leave `retry` away"
)]
pub trait Again: Sized {
    /// Returns a copy.
    #[must_use]
    fn again(&self) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Clone> Again for T {
    fn again(&self) -> Self {
        self.clone()
    }
}
