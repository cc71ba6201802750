//! The calls that a task is in.

use std::fmt;
use std::future::Future;
use std::sync::{Arc, OnceLock};

use super::Method;
use crate::Session;

tokio::task_local! {
    static CHAIN: Arc<Chain>;
}

/// A call that a task is in, and those around it. What runs beside it, the other arm of a `join!`, has a chain of its own
/// below the same calls; a task that is spawned has none.
pub(super) struct Chain {
    session: Session,
    begun: Option<Begun>,
    outer: Option<Arc<Self>>,
}

/// A transaction or savepoint that a call has begun.
struct Begun {
    /// How many are open with it.
    depth: usize,
    /// The first call that has failed as a part of it.
    failed: OnceLock<Method>,
}

impl Chain {
    /// The innermost call that the task is in.
    pub(super) fn current() -> Option<Arc<Self>> {
        CHAIN.try_with(Arc::clone).ok()
    }

    /// Whether the task is in a call of that session.
    pub(super) fn is_inside(session: &Session) -> bool {
        CHAIN.try_with(|chain| chain.has(session)).unwrap_or(false)
    }

    /// A call below these.
    pub(super) fn below(session: &Session, outer: Option<Arc<Self>>) -> Arc<Self> {
        Arc::new(Self { session: session.clone(), begun: None, outer })
    }

    /// What is below a transaction that a call has just begun.
    pub(super) fn transaction(self: &Arc<Self>) -> Arc<Self> {
        let begun = Begun { depth: self.session.depth(), failed: OnceLock::new() };
        Arc::new(Self { session: self.session.clone(), begun: Some(begun), outer: Some(Arc::clone(self)) })
    }

    /// Runs what is below this, in its session.
    pub(super) async fn enter<F: Future>(self: &Arc<Self>, future: F) -> F::Output {
        self.session.scope(CHAIN.scope(Arc::clone(self), future)).await
    }

    /// Whether a call of that session is in it.
    pub(super) fn has(&self, session: &Session) -> bool {
        self.links().any(|link| link.session.is(session))
    }

    /// A call has failed that was a part of the transaction around it. One that was begun by hand is none of a call's.
    pub(super) fn part_failed(&self, method: Method) {
        let own = self.links().filter(|link| link.session.is(&self.session)).find_map(|link| link.begun.as_ref());
        if let Some(begun) = own.filter(|begun| begun.depth == self.session.depth()) {
            let _ = begun.failed.set(method);
        }
    }

    /// The call that has failed as a part of this transaction.
    pub(super) fn failed_part(&self) -> Option<&Method> {
        self.begun.as_ref()?.failed.get()
    }

    fn links(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |link| link.outer.as_deref())
    }
}

impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chain").field("session", &self.session).field("outer", &self.outer).finish_non_exhaustive()
    }
}
