//! Transactions of a session.

use std::future::Future;
use std::sync::{Arc, MutexGuard, PoisonError};

use isogloss_driver::TransactionOptions;
use tokio::sync::OwnedMutexGuard;

use super::retry::{Conflict, RetryOptions};
use super::{Session, SessionError, State};
use crate::{OrmError, OrmResult};

impl Session {
    /// Begins a transaction, or a savepoint if one is open. A savepoint takes no options. The transaction covers every
    /// data source that is used until its end, and begins on each when it is first used.
    ///
    /// A function that returns before [`commit`](Self::commit) or [`rollback`](Self::rollback), such as by `?`, leaves
    /// it open until the session is dropped. [`transaction`](Self::transaction) ends it in every case.
    ///
    /// # Errors
    /// Options for a savepoint.
    pub async fn begin(&self, options: &TransactionOptions) -> OrmResult<()> {
        let mut state = self.lock().await?;
        state.is_whole()?;
        state.open(&self.inner.context, options)?;
        self.publish(&mut state);
        Ok(())
    }

    /// Commits the transaction, or releases the innermost savepoint. Several data sources commit one after the other.
    ///
    /// # Errors
    /// No transaction is open, or it cannot be committed, which ends it. If it has several data sources, or the COMMIT
    /// was sent and not answered, [`SessionError::Commit`] has the outcome on each.
    pub async fn commit(&self) -> OrmResult<()> {
        let _hooks_too = self.inner.context.still_under_way();
        let mut state = self.lock_to_end().await?;
        state.is_whole()?;
        let is_running = |level: &u64| state.running.iter().any(|running| running.level == *level);
        let level = state.innermost().filter(is_running);
        let done = state.commit().await;
        if done.is_ok() {
            state.committed.extend(level);
        }
        self.publish(&mut state);
        drop(state);
        self.run_hooks().await;
        done
    }

    /// Undoes everything since the innermost [`begin`](Self::begin).
    ///
    /// # Errors
    /// No transaction is open, or a connection is lost, and the transaction with it.
    pub async fn rollback(&self) -> OrmResult<()> {
        let _hooks_too = self.inner.context.still_under_way();
        let mut state = self.lock_to_end().await?;
        let done = match self.depth() {
            0 => Err(SessionError::NoTransaction.into()),
            depth => state.back_to(depth - 1).await,
        };
        self.publish(&mut state);
        drop(state);
        self.run_hooks().await;
        done
    }

    /// Runs a closure in a transaction, or in a savepoint if one is open. It commits if the closure succeeds. It rolls
    /// back if the closure fails or panics, or the future is dropped early.
    ///
    /// ```
    /// use isogloss::{Compiled, OrmResult, Session};
    /// use isogloss::session::Purpose;
    /// async fn move_money(session: &Session, take: &Compiled<'_>, give: &Compiled<'_>) -> OrmResult<u64> {
    ///     session
    ///         .transaction(async |tx: &Session| {
    ///             let mut bank = tx.lease(None, Purpose::Write).await?;
    ///             Ok(bank.execute(take).await? + bank.execute(give).await?)
    ///         })
    ///         .await
    /// }
    /// ```
    ///
    /// # Errors
    /// The error of the closure, or of the commit; [`SessionError::Overlap`] beside another transaction of the session that
    /// the same task runs, as in a `join!`.
    pub async fn transaction<T, E: From<OrmError>>(
        &self,
        run: impl AsyncFnOnce(&Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let level = self.level_of_closure(&TransactionOptions::default()).await?;
        let done = level.inside(run(self)).await;
        level.end(done).await
    }

    /// Runs an operation of the library as [`transaction`](Self::transaction) runs a closure. It may be beside another one.
    pub(crate) async fn atomically<T, E: From<OrmError>>(
        &self,
        run: impl AsyncFnOnce(&Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let level = self.level(&TransactionOptions::default()).await?;
        let done = run(self).await;
        level.end(done).await
    }

    /// Runs a closure in a transaction with options: an isolation level, a time limit, or more attempts after
    /// conflicts.
    ///
    /// ```
    /// use isogloss::driver::{Isolation, TransactionOptions};
    /// use isogloss::session::RetryOptions;
    /// use isogloss::{OrmResult, Session};
    /// async fn careful(session: &Session) -> OrmResult<()> {
    ///     let serializable = TransactionOptions::default().isolation(Isolation::Serializable);
    ///     session.transaction_with(RetryOptions::attempts(5).options(serializable), async |_tx: &Session| Ok(())).await
    /// }
    /// ```
    ///
    /// Each attempt runs a clone of the closure, so that its future can be spawned: what it captures is borrowed or
    /// cloned. To count across attempts, use a [`Cell`](std::cell::Cell), or an atomic if the task may move between
    /// threads.
    ///
    /// A savepoint is attempted once, as a conflict ends the transaction around it, which must be run again.
    ///
    /// # Errors
    /// Those of [`transaction`](Self::transaction), in the last attempt.
    pub async fn transaction_with<T, E: From<OrmError> + Conflict>(
        &self,
        options: impl Into<RetryOptions>,
        run: impl AsyncFnOnce(&Self) -> Result<T, E> + Clone,
    ) -> Result<T, E> {
        let options = options.into();
        let mut attempt = 1;
        loop {
            let level = self.level_of_closure(&options.transaction).await?;
            let outermost = level.outermost;
            let done = level.inside(run.clone()(self)).await;
            match level.end(done).await {
                Err(error) if outermost && options.again(&mut attempt, &error).await => {}
                done => return done,
            }
        }
    }

    /// Runs an operation of the library as [`transaction_with`](Self::transaction_with) runs a closure. It may be beside
    /// another one.
    pub(crate) async fn atomically_with<T, E: From<OrmError> + Conflict>(
        &self,
        options: RetryOptions,
        run: impl AsyncFnOnce(&Self) -> Result<T, E> + Clone,
    ) -> Result<T, E> {
        let mut attempt = 1;
        loop {
            let level = self.level(&options.transaction).await?;
            let outermost = level.outermost;
            let done = run.clone()(self).await;
            match level.end(done).await {
                Err(error) if outermost && options.again(&mut attempt, &error).await => {}
                done => return done,
            }
        }
    }

    /// Whether a transaction is open that was not given up.
    #[cfg(feature = "services")]
    pub(crate) async fn is_open(&self) -> OrmResult<bool> {
        // Most often nothing was given up, and no need to wait.
        if self.abandoned().is_empty() {
            return Ok(self.in_transaction());
        }
        Ok(self.lock().await?.unit.is_some())
    }

    /// Opens a level of a transaction. Dropped before its end, it is given up.
    pub(crate) async fn level(&self, options: &TransactionOptions) -> OrmResult<Level> {
        let state = self.lock().await?;
        self.level_in(state, options, None)
    }

    /// Opens the level of a closure of the program, unless the same task runs another one beside it. In a `join!` of two
    /// transactions the second is refused, whether or not the engine lets the first one wait: what it wrote would be a part
    /// of the first one's transaction, or of none.
    async fn level_of_closure(&self, options: &TransactionOptions) -> OrmResult<Level> {
        let state = self.lock().await?;
        let task = ClosureTask(tokio::task::try_id());
        let is_beside = |running: &Running| running.closure == Some(task) && !self.is_inside(running.level);
        if state.running.iter().any(is_beside) {
            return Err(SessionError::Overlap.into());
        }
        let level = self.level_in(state, options, Some(task))?;
        if level.outermost {
            // The other arm of the `join!` asks for its level before this one goes on.
            tokio::task::yield_now().await;
        }
        Ok(level)
    }

    fn level_in(
        &self,
        mut state: OwnedMutexGuard<State>,
        options: &TransactionOptions,
        closure: Option<ClosureTask>,
    ) -> OrmResult<Level> {
        state.is_whole()?;
        let outermost = state.unit.is_none();
        let level = state.open(&self.inner.context, options)?;
        state.running.push(Running { level, closure });
        self.publish(&mut state);
        Ok(Level { session: self.clone(), level, outermost, over: false })
    }

    /// Returns whether what asks runs in the closure of that level.
    fn is_inside(&self, level: u64) -> bool {
        let chain = INSIDE.try_with(Arc::clone).ok();
        let mut closures = std::iter::successors(chain, |closure| closure.outer.clone());
        closures.any(|closure| closure.session.is(self) && closure.level == level)
    }

    fn abandoned(&self) -> MutexGuard<'_, Vec<u64>> {
        self.inner.abandoned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes back what was given up, before anything else is done.
    pub(super) async fn settle(&self, state: &mut State) {
        let given_up = self.abandoned().clone();
        if given_up.is_empty() {
            return;
        }
        if let Some(place) = outermost(state, &given_up) {
            // A unit whose savepoint could not be taken back says so to whoever goes on with it.
            let _ = state.back_to(place).await;
        }
        self.forget(state, &given_up);
    }

    /// Takes back at once a whole transaction that was given up, if nobody is at work in the session: a connection that
    /// is dropped takes its transaction back. Whoever is at work does the same at its end.
    pub(super) fn reap(&self) {
        #[cfg(feature = "di")]
        if self.has_ended() {
            return self.take_back_ended();
        }
        let given_up = self.abandoned().clone();
        if given_up.is_empty() {
            return;
        }
        if let Ok(mut state) = self.inner.state.try_lock() {
            match outermost(&state, &given_up) {
                Some(0) => state.give_up(),
                // A savepoint waits for the session's next operation.
                Some(_) => return,
                None => {}
            }
            self.forget(&mut state, &given_up);
            self.publish(&mut state);
        }
    }

    /// Forgets levels that are taken back. Others may have been given up meanwhile.
    fn forget(&self, state: &mut State, given_up: &[u64]) {
        state.running.retain(|running| !given_up.contains(&running.level));
        state.committed.retain(|level| !given_up.contains(level));
        self.abandoned().retain(|level| !given_up.contains(level));
    }
}

tokio::task_local! {
    /// The closures that a future runs in.
    static INSIDE: Arc<Closure>;
}

/// A closure of the program that runs in a level, and the one around it.
struct Closure {
    session: Session,
    level: u64,
    outer: Option<Arc<Self>>,
}

/// A level whose closure runs.
pub(super) struct Running {
    pub(super) level: u64,
    /// The task that runs it, if it is a closure of the program.
    closure: Option<ClosureTask>,
}

/// A task, or what runs without one.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ClosureTask(Option<tokio::task::Id>);

/// The place of the outermost of these levels.
fn outermost(state: &State, levels: &[u64]) -> Option<usize> {
    levels.iter().filter_map(|level| state.place(*level)).min()
}

/// An open level of [`Session::transaction`]. Dropped before its end, by a panic or with its future, it is given up.
pub(crate) struct Level {
    session: Session,
    level: u64,
    outermost: bool,
    over: bool,
}

impl Level {
    /// Runs the closure of the level.
    async fn inside<F: Future>(&self, closure: F) -> F::Output {
        let outer = INSIDE.try_with(Arc::clone).ok();
        INSIDE.scope(Arc::new(Closure { session: self.session.clone(), level: self.level, outer }), closure).await
    }

    /// Commits it if something has succeeded, else takes it back.
    pub(crate) async fn end<T, E: From<OrmError>>(mut self, done: Result<T, E>) -> Result<T, E> {
        let _hooks_too = self.session.inner.context.still_under_way();
        let ended = match self.session.lock_to_end().await {
            Ok(mut state) => {
                state.running.retain(|running| running.level != self.level);
                let ended = self.finish(&mut state, done.is_ok()).await;
                self.over = true;
                ended
            }
            // Whoever is at work takes it back at its end.
            Err(error) => Err(error),
        };
        self.session.run_hooks().await;
        match (done, ended) {
            (Ok(done), Ok(())) => Ok(done),
            (Ok(_), Err(error)) => Err(error.into()),
            // Why it is taken back is the error to be told.
            (Err(error), _) => Err(error),
        }
    }

    async fn finish(&self, state: &mut State, commit: bool) -> OrmResult<()> {
        let done = match state.place(self.level) {
            // What it ran has ended it.
            None if state.committed.contains(&self.level) => Ok(()),
            None => Err(SessionError::RolledBack.into()),
            Some(place) if !commit => state.back_to(place).await,
            Some(place) if place + 1 < self.session.depth() => {
                let _ = state.back_to(place).await;
                Err(SessionError::Overlap.into())
            }
            Some(place) => {
                let done = state.commit().await;
                if done.is_err() && state.place(self.level).is_some() {
                    let _ = state.back_to(place).await;
                }
                done
            }
        };
        state.committed.retain(|level| *level != self.level);
        self.session.publish(state);
        done
    }
}

impl Drop for Level {
    fn drop(&mut self) {
        if !self.over {
            self.session.abandoned().push(self.level);
            self.session.reap();
        }
    }
}
