//! The calls that a task is in.

use std::fmt;
use std::future::Future;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use super::Method;
use crate::Session;

tokio::task_local! {
    static PATH: Arc<CallPath>;
}

/// A call that a task is in, and those around it. What runs beside it, the other arm of a `join!`, has a chain of its own
/// below the same calls; a task that is spawned has none.
pub(super) struct CallPath {
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

impl Drop for CallPath {
    fn drop(&mut self) {
        if self.begun.is_some() {
            self.session.calls().fetch_sub(1, Ordering::AcqRel);
        }
    }
}

/// A call that is a part of a transaction. Dropped on its way, by an error or with its future, it has failed.
pub(super) struct CallPart<'p> {
    begun: Option<&'p Begun>,
    method: Method,
}

impl CallPart<'_> {
    /// Nothing of it is half done.
    pub(super) fn keep(mut self) {
        self.begun = None;
    }
}

impl Drop for CallPart<'_> {
    fn drop(&mut self) {
        if let Some(begun) = self.begun {
            let _ = begun.failed.set(self.method);
        }
    }
}

impl CallPath {
    /// The innermost call that the task is in.
    pub(super) fn current() -> Option<Arc<Self>> {
        PATH.try_with(Arc::clone).ok()
    }

    /// Whether the task is in a call of that session.
    pub(super) fn is_inside(session: &Session) -> bool {
        PATH.try_with(|chain| chain.has(session)).unwrap_or(false)
    }

    /// A call below these.
    pub(super) fn below(session: &Session, outer: Option<Arc<Self>>) -> Arc<Self> {
        Arc::new(Self { session: session.clone(), begun: None, outer })
    }

    /// What is below a transaction that a call has just begun.
    pub(super) fn transaction(self: &Arc<Self>) -> Arc<Self> {
        self.session.calls().fetch_add(1, Ordering::AcqRel);
        let begun = Begun { depth: self.session.depth(), failed: OnceLock::new() };
        Arc::new(Self { session: self.session.clone(), begun: Some(begun), outer: Some(Arc::clone(self)) })
    }

    /// Runs what is below this, in its session.
    pub(super) async fn enter<F: Future>(self: &Arc<Self>, future: F) -> F::Output {
        self.session.scope(PATH.scope(Arc::clone(self), future)).await
    }

    /// Whether a call of that session is in it.
    pub(super) fn has(&self, session: &Session) -> bool {
        self.links().any(|link| link.session.is(session))
    }

    /// Begins a part of the transaction around it. One that was begun by hand is none of a call's.
    pub(super) fn part(&self, method: Method) -> CallPart<'_> {
        let begun = self.begun().next().filter(|begun| begun.depth == self.session.depth());
        CallPart { begun, method }
    }

    /// Whether a call that is not around this one has a transaction of the session: it may end before this one does.
    pub(super) fn is_beside_another(&self) -> bool {
        self.begun().count() < self.session.calls().load(Ordering::Acquire)
    }

    /// What calls have begun in its session, the innermost first.
    fn begun(&self) -> impl Iterator<Item = &Begun> {
        self.links().filter(|link| link.session.is(&self.session)).filter_map(|link| link.begun.as_ref())
    }

    /// The call that has failed as a part of this transaction.
    pub(super) fn failed_part(&self) -> Option<&Method> {
        self.begun.as_ref()?.failed.get()
    }

    fn links(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |link| link.outer.as_deref())
    }
}

impl fmt::Debug for CallPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallPath").field("session", &self.session).field("outer", &self.outer).finish_non_exhaustive()
    }
}
