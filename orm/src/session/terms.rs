//! What a clone of a session has for itself, beside what it shares with the others.

use std::sync::Arc;

use isogloss_compiler::Scope;

use super::Session;

/// The terms that one clone of a session works by.
#[derive(Clone, Default)]
pub(super) struct Terms {
    /// Outside of a transaction it reads from the primary: what it looks for may not have come to a replica yet.
    pub(super) primary: bool,
    /// What holds for every row that it reads or writes.
    pub(super) scope: Option<Scope>,
}

impl Session {
    /// The same session on other terms.
    pub(super) fn on(&self, change: impl FnOnce(&mut Terms)) -> Self {
        let mut terms = self.terms.as_deref().cloned().unwrap_or_default();
        change(&mut terms);
        Self { inner: Arc::clone(&self.inner), terms: Some(Arc::new(terms)) }
    }

    /// The terms, where there are any.
    pub(super) fn terms(&self) -> Option<&Terms> {
        self.terms.as_deref()
    }

    /// This session with reads that go to the primary, also outside of a transaction: for what has just been written, and
    /// may not have come to a replica yet.
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
}
