//! A scope and its session.

use std::sync::OnceLock;

use di::ServiceProvider;

use super::from_services::registered;
use super::{ContainerError, FromServices};
use crate::{OrmResult, Session};

/// Resolves services from a scope, and creates scopes.
pub trait Resolve {
    /// Returns a service, or a value that is created from services: any [`FromServices`].
    ///
    /// # Errors
    /// A service is not registered, or a value cannot be created.
    fn resolve<T: FromServices>(&self) -> OrmResult<T>;

    /// Creates a scope whose session has the tenant and the caller of a request: everything in the scope uses them.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// use isogloss::container::{Resolve, ServiceProvider};
    /// use isogloss::service::Principal;
    /// use isogloss::{OrmResult, Scope};
    /// fn begin(provider: &ServiceProvider, tenant: i64, who: Arc<dyn Principal>) -> OrmResult<ServiceProvider> {
    ///     let scope = Scope::new().column("TenantId", tenant);
    ///     provider.create_scope_with(|session| Ok(session.scoped(&scope)?.with_principal(who)))
    /// }
    /// ```
    ///
    /// # Errors
    /// The error of the closure; or it returns a session that is not a clone of the one that it receives.
    fn create_scope_with(&self, terms: impl FnOnce(&Session) -> OrmResult<Session>) -> OrmResult<ServiceProvider>;
}

impl Resolve for ServiceProvider {
    fn resolve<T: FromServices>(&self) -> OrmResult<T> {
        T::from_services(self)
    }

    fn create_scope_with(&self, terms: impl FnOnce(&Session) -> OrmResult<Session>) -> OrmResult<ServiceProvider> {
        let scope = self.create_scope();
        let of_scope = registered::<OfScope>(&scope)?;
        let session = terms(&of_scope.session)?;
        if !session.is(&of_scope.session) {
            return Err(ContainerError::OtherSession.into());
        }
        of_scope.on_terms.get_or_init(|| session);
        Ok(scope)
    }
}

/// The session of a scope, which ends with it.
pub(super) struct OfScope {
    session: Session,
    on_terms: OnceLock<Session>,
}

impl OfScope {
    pub(super) fn new(session: Session) -> Self {
        Self { session, on_terms: OnceLock::new() }
    }

    /// What all are made over.
    pub(super) fn session(&self) -> Session {
        self.on_terms.get().unwrap_or(&self.session).clone()
    }
}

impl Drop for OfScope {
    fn drop(&mut self) {
        self.session.end();
    }
}
