//! What a clone of a session does not share with the others: scope, principal, and where it reads.

use std::sync::Arc;

use isogloss_compiler::Scope;

use super::Session;
#[cfg(feature = "services")]
use crate::service::Principal;

/// The terms that one clone of a session works by.
#[derive(Clone, Default)]
pub(super) struct Terms {
    /// Outside of a transaction it reads from the primary: what it looks for may not have come to a replica yet.
    pub(super) primary: bool,
    /// Whoever it works for.
    #[cfg(feature = "services")]
    pub(super) principal: Option<Arc<dyn Principal>>,
    /// What holds for every row that it reads or writes.
    pub(super) scope: Option<Scope>,
}

impl Session {
    /// A clone of the session that works on other terms.
    pub(super) fn on(&self, change: impl FnOnce(&mut Terms)) -> Self {
        let mut terms = self.terms.as_deref().cloned().unwrap_or_default();
        change(&mut terms);
        Self { inner: Arc::clone(&self.inner), terms: Some(Arc::new(terms)) }
    }

    /// The terms, where there are any.
    pub(super) fn terms(&self) -> Option<&Terms> {
        self.terms.as_deref()
    }

    /// Returns this session with reads that go to the primary, also outside of a transaction. Use it to read what was
    /// just written, and may not have reached the replicas.
    ///
    /// ```
    /// # use isogloss::{OrmResult, Session};
    /// # use isogloss::dao::ObjectViewDao;
    /// # use isogloss::entity::Entity;
    /// async fn how_many<E: Entity>(session: &Session) -> OrmResult<u64> {
    ///     ObjectViewDao::<E>::new(&session.on_primary()).count(()).await
    /// }
    /// ```
    #[must_use]
    pub fn on_primary(&self) -> Self {
        self.on(|terms| terms.primary = true)
    }

    /// Returns this session with a principal, which [`SessionPrincipal`](crate::service::SessionPrincipal) reports as
    /// the caller.
    #[cfg(feature = "services")]
    #[must_use]
    pub fn with_principal(&self, principal: Arc<dyn Principal>) -> Self {
        self.on(|terms| terms.principal = Some(principal))
    }

    /// The principal that was set by [`with_principal`](Self::with_principal).
    #[cfg(feature = "services")]
    #[must_use]
    pub fn principal(&self) -> Option<&Arc<dyn Principal>> {
        self.terms()?.principal.as_ref()
    }
}
