//! The end of a session with the scope that it is of, whoever has a clone of it.

use std::sync::atomic::Ordering;

use super::{Session, SessionError, State};
use crate::OrmResult;

impl Session {
    /// Ends it: an open transaction is taken back, at the end of what is under way in it, and nothing more is begun.
    pub(crate) fn end(&self) {
        self.inner.ended.store(true, Ordering::SeqCst);
        self.reap();
    }

    pub(super) fn has_ended(&self) -> bool {
        self.inner.ended.load(Ordering::SeqCst)
    }

    /// Takes back the transaction of one that has ended, if nobody is at work in it. Whoever is does the same at its end.
    pub(super) fn take_back_ended(&self) {
        if let Ok(mut state) = self.inner.state.try_lock() {
            state.give_up();
            self.publish(&mut state);
        }
    }

    /// # Errors
    /// It has ended, and what was begun meanwhile is taken back.
    pub(super) fn refuse_ended(&self, state: &mut State) -> OrmResult<()> {
        if !self.has_ended() {
            return Ok(());
        }
        state.give_up();
        self.publish(state);
        Err(SessionError::Ended.into())
    }
}
