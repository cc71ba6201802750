//! Hooks that run when a transaction has ended.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, MutexGuard, PoisonError};

use isogloss_driver::BoxFuture;

use super::terms::Terms;
use super::{Session, SessionError};
use crate::{OrmError, OrmResult};

/// How many errors of hooks a session keeps.
const MOST_ERRORS: usize = 100;

/// How the transaction of a hook has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The transaction is committed.
    Committed,
    /// The transaction is rolled back, or the savepoint around the hook is.
    RolledBack,
    /// Unknown: the COMMIT was sent and not answered, or given up; or the engine has ended the transaction by itself,
    /// such as for a statement that commits implicitly. Of several data sources, one may have committed and another
    /// not. Check the data before you rely on it.
    Unknown,
}

impl Outcome {
    /// What the end of a commit says of it.
    pub(super) fn of_commit(done: &OrmResult<()>) -> Self {
        match done {
            Ok(()) => Self::Committed,
            Err(OrmError::Session(SessionError::Commit(failed))) if failed.is_partial() => Self::Unknown,
            // The engine ended it by itself: by a statement that commits, or by one that takes back.
            Err(OrmError::Session(SessionError::Over { .. })) => Self::Unknown,
            Err(_) => Self::RolledBack,
        }
    }
}

/// A hook tells all errors that it has met.
type RunHook = Box<dyn FnOnce(Session, Outcome) -> BoxFuture<'static, Vec<OrmError>> + Send>;

struct Hook {
    run: RunHook,
    terms: Option<Arc<Terms>>,
    /// How deep the level is that it belongs to.
    depth: usize,
    /// None while its transaction is open, and where a commit was given up.
    outcome: Option<Outcome>,
}

/// Hooks in their order. Those that are dropped with their session are told to the log.
#[derive(Default)]
pub(super) struct Hooks(VecDeque<Hook>);

impl Hooks {
    /// Those of deeper levels belong to that one from now on.
    pub(super) fn release(&mut self, depth: usize) {
        self.0.iter_mut().for_each(|hook| hook.depth = hook.depth.min(depth));
    }

    /// What belongs to deeper levels is taken back.
    pub(super) fn undo(&mut self, depth: usize) {
        for hook in self.0.iter_mut().filter(|hook| hook.depth > depth) {
            hook.outcome = Some(Outcome::RolledBack);
        }
    }

    /// The transaction of those that are open has ended so.
    pub(super) fn end(&mut self, outcome: Outcome) {
        for hook in &mut self.0 {
            hook.outcome.get_or_insert(outcome);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes those of another, behind its own.
    pub(super) fn append(&mut self, other: &mut Self) {
        self.0.append(&mut other.0);
    }
}

impl Drop for Hooks {
    fn drop(&mut self) {
        if !self.0.is_empty() {
            let hooks = self.0.len();
            tracing::warn!(target: "isogloss", hooks, "a session ended before the hooks of its last transaction ran");
        }
    }
}

/// Hooks whose transaction has ended, and whether somebody runs them.
#[derive(Default)]
pub(super) struct Due {
    pub(super) hooks: Hooks,
    running: bool,
    errors: VecDeque<OrmError>,
}

/// The right to run the hooks of a session, one after the other. Dropped with a future on its way, it leaves the others for
/// the session's next operation.
pub(super) struct Turn<'s> {
    session: &'s Session,
    /// It has found nothing more, and another may have the next one.
    over: bool,
}

impl Session {
    /// Runs a future once the writes of the current transaction are committed: after the outermost transaction, or
    /// immediately if none is open. If the transaction is rolled back, or its outcome is unknown, the future is
    /// dropped; use [`at_end`](Self::at_end) to be told of that, too.
    ///
    /// Use it for mails, caches and queues, so that nobody hears of an order that is rolled back later.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> isogloss::OrmResult<()> {
    /// # use isogloss::config::DataSourceConfig;
    /// # use isogloss::prelude::*;
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicU32, Ordering};
    /// # let context = isogloss::OrmContext::new(Catalog::builder().build()?);
    /// # context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:"))?;
    /// # let session = context.create_session()?;
    /// let mails = Arc::new(AtomicU32::new(0));
    /// let sent = Arc::clone(&mails);
    /// session
    ///     .transaction(async |tx: &Session| {
    ///         tx.after_commit(async move |_| {
    ///             sent.fetch_add(1, Ordering::SeqCst);
    ///             Ok(())
    ///         })
    ///         .await?;
    ///         assert_eq!(mails.load(Ordering::SeqCst), 0);
    ///         OrmResult::Ok(())
    ///     })
    ///     .await?;
    /// assert_eq!(mails.load(Ordering::SeqCst), 1);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The transaction was ended outside of its closure, or the session is busy. Errors of the hook are not returned
    /// here: see [`at_end`](Self::at_end).
    pub async fn after_commit<F: Future<Output = OrmResult<()>> + Send + 'static>(
        &self,
        hook: impl FnOnce(Self) -> F + Send + 'static,
    ) -> OrmResult<()> {
        let committed = async move |session, outcome| match outcome {
            Outcome::Committed => hook(session).await,
            Outcome::RolledBack => Ok(()),
            Outcome::Unknown => {
                tracing::warn!(target: "isogloss", "a hook is dropped: whether its transaction is committed is not known");
                Ok(())
            }
        };
        self.at_end(committed).await
    }

    /// Runs a future once the outermost transaction has ended, and tells it the outcome. If no transaction is open, it
    /// runs immediately, as committed.
    ///
    /// Hooks run in the order in which they were registered, before the call that ends the transaction returns. Each
    /// gets a new session with the scope and the principal of this one, whose reads go to the primary; it is the
    /// [current](Self::current) session there. Hooks of a savepoint that was rolled back are told so once the whole
    /// transaction has ended. An error or a panic of a hook neither stops the others nor changes the outcome: it is
    /// logged, and kept for [`take_hook_errors`](Self::take_hook_errors).
    ///
    /// - If several tasks share the session, one of them runs the hooks of all: the call of another task may return
    ///   before its own hooks have run.
    /// - [`close_and_wait`](crate::OrmContext::close_and_wait) waits for hooks. In a closed context, their sessions
    ///   cannot begin anything.
    /// - If the future of a transaction was dropped, its hooks run with the session's next operation. If there is none,
    ///   or the future that runs the hooks is dropped, they do not run, which is logged.
    ///
    /// # Errors
    /// The transaction was ended outside of its closure, or the session is busy.
    pub async fn at_end<F: Future<Output = OrmResult<()>> + Send + 'static>(
        &self,
        hook: impl FnOnce(Self, Outcome) -> F + Send + 'static,
    ) -> OrmResult<()> {
        let run = |session, outcome| -> BoxFuture<'static, Vec<OrmError>> {
            let hook = hook(session, outcome);
            Box::pin(async move { hook.await.err().into_iter().collect() })
        };
        self.at_end_all(Box::new(run)).await
    }

    /// As [`at_end`](Self::at_end), for a hook that may give several errors.
    pub(crate) async fn at_end_all(&self, run: RunHook) -> OrmResult<()> {
        let mut state = self.lock().await?;
        state.is_whole()?;
        let hook = Hook { run, terms: self.terms.clone(), depth: self.depth(), outcome: None };
        if let Some(hooks) = state.hooks() {
            hooks.0.push_back(hook);
            return Ok(());
        }
        let mut alone = Hooks(VecDeque::from([hook]));
        alone.end(Outcome::Committed);
        state.ended.append(&mut alone);
        self.publish(&mut state);
        drop(state);
        self.run_hooks().await;
        Ok(())
    }

    /// The errors of hooks since the last call, the oldest first: at most 100. All of them are logged.
    pub fn take_hook_errors(&self) -> Vec<OrmError> {
        self.due().errors.drain(..).collect()
    }

    pub(super) fn due(&self) -> MutexGuard<'_, Due> {
        self.inner.due.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The right to run hooks, if there are any, and nobody has it.
    pub(super) fn hooks_turn(&self) -> Option<Turn<'_>> {
        let mut due = self.due();
        if due.running || due.hooks.0.is_empty() {
            return None;
        }
        due.running = true;
        Some(Turn { session: self, over: false })
    }

    /// Runs the hooks that wait, if nobody else does.
    pub(super) async fn run_hooks(&self) {
        if let Some(turn) = self.hooks_turn() {
            turn.run().await;
        }
    }

    /// A hook is not of the session that has written: what that does next, another task perhaps, is none of its business.
    async fn run_hook(&self, hook: Hook) {
        let Hook { run, terms, outcome, .. } = hook;
        let inner = &self.inner;
        let fresh = Self { terms, ..inner.context.session_over(Arc::clone(&inner.sources)) }.on_primary();
        let hook = async { run(fresh.clone(), outcome.unwrap_or(Outcome::Unknown)).await };
        #[cfg(feature = "services")]
        let hook = crate::service::apart(hook);
        let errors = match caught(fresh.scope(hook)).await {
            Some(errors) => errors,
            None => vec![SessionError::HookPanicked.into()],
        };
        for error in errors {
            let session = self.id();
            tracing::error!(target: "isogloss", session, %error, "a hook has failed behind the end of its transaction");
            let kept = &mut self.due().errors;
            kept.push_back(error);
            if kept.len() > MOST_ERRORS {
                kept.pop_front();
            }
        }
    }
}

impl Turn<'_> {
    pub(super) async fn run(mut self) {
        while let Some(hook) = self.next() {
            self.session.run_hook(hook).await;
        }
    }

    /// The next one; without any it is over at once, so that whoever adds one from now on has the turn.
    fn next(&mut self) -> Option<Hook> {
        let mut due = self.session.due();
        let next = due.hooks.0.pop_front();
        if next.is_none() {
            self.over = true;
            due.running = false;
        }
        next
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if !self.over {
            self.session.due().running = false;
        }
    }
}

/// What a future gives; none if it panics.
pub(crate) async fn caught<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
        Ok(polled) => polled.map(Some),
        Err(_) => std::task::Poll::Ready(None),
    })
    .await
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

    use super::*;
    #[cfg(feature = "sqlite")]
    use crate::{OrmContext, config::DataSourceConfig};
    #[cfg(feature = "sqlite")]
    use isogloss_compiler::model::Catalog;

    #[cfg(feature = "sqlite")]
    fn due(session: &Session) {
        let run: RunHook = Box::new(|_, _| Box::pin(async { Vec::new() }));
        session.due().hooks.0.push_back(Hook { run, terms: None, depth: 0, outcome: Some(Outcome::Committed) });
    }

    #[test]
    #[cfg(feature = "sqlite")]
    fn a_turn_that_finds_nothing_leaves_the_next_hook_to_another() {
        let context = OrmContext::new(Catalog::builder().build().unwrap());
        context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:")).unwrap();
        let session = context.create_session().unwrap();
        due(&session);
        let mut first = session.hooks_turn().unwrap();
        assert!(session.hooks_turn().is_none());
        assert!(first.next().is_some() && first.next().is_none());
        due(&session);
        let mut second = session.hooks_turn().unwrap();
        drop(first);
        assert!(session.hooks_turn().is_none(), "the first does not end the turn of the second");
        assert!(second.next().is_some());
    }

    #[test]
    fn a_transaction_that_the_engine_has_ended_is_not_told_as_taken_back() {
        let over = Err(SessionError::Over { data_source: "main".into() }.into());
        assert_eq!(Outcome::of_commit(&over), Outcome::Unknown);
        assert_eq!(Outcome::of_commit(&Err(SessionError::Unusable.into())), Outcome::RolledBack);
    }
}
