//! How long the server lets a statement run: what it was told, and what the next statement wants.
//!
//! The server is told of another limit together with the next statement, not before. Of a stream it bounds nothing, as it
//! would count the time that the reader takes: there, our own clock bounds each wait for rows.

use std::time::Duration;

/// A limit; without one if absent.
type Time = Option<Duration>;

/// The limit of a session.
#[derive(Debug)]
pub(super) struct Limit {
    /// What each task finds.
    usual: Time,
    /// What statements have now.
    wanted: Time,
    /// What it was before a transaction with its own.
    outer: Option<Time>,
    /// What the server has outside of transactions, as far as that is known.
    base: Option<Time>,
    /// What the server has now, as far as that is known.
    told: Option<Time>,
}

impl Limit {
    /// Of a session that was told the usual limit; through a pooler, it was told nothing.
    pub(super) fn new(usual: Time, pooled: bool) -> Self {
        let base = (!pooled).then_some(usual);
        Self { usual, wanted: usual, outer: None, base, told: base }
    }

    /// What each task finds.
    pub(super) fn usual(&self) -> Time {
        self.usual
    }

    /// What statements have now.
    pub(super) fn wanted(&self) -> Time {
        self.wanted
    }

    /// From now on.
    pub(super) fn want(&mut self, limit: Time) {
        self.wanted = limit;
    }

    /// The next task begins.
    pub(super) fn forget(&mut self) {
        (self.wanted, self.outer) = (self.usual, None);
    }

    /// What the server has to be told before it runs what wants this. Until it has answered, nobody knows what it has.
    pub(super) fn change(&mut self, wanted: Time, in_transaction: bool) -> Option<Change> {
        if self.told == Some(wanted) {
            return None;
        }
        self.told = None;
        if !in_transaction {
            self.base = None;
        }
        Some(Change(wanted))
    }

    /// The server has been told.
    pub(super) fn changed(&mut self, change: Change, in_transaction: bool) {
        self.told = Some(change.0);
        if !in_transaction {
            self.base = self.told;
        }
    }

    /// A transaction has begun, perhaps with a limit of its own, that the server was told with it; through a pooler, it was
    /// told in any case.
    pub(super) fn begun(&mut self, own: Time, pooled: bool) {
        if own.is_some() {
            self.outer = Some(self.wanted);
            self.wanted = own;
        }
        if own.is_some() || pooled {
            self.told = Some(self.wanted);
        }
    }

    /// A transaction has ended, and what the server was told in it.
    pub(super) fn ended(&mut self) {
        self.told = self.base;
        if let Some(outer) = self.outer.take() {
            self.wanted = outer;
        }
    }

    /// A savepoint was rolled back to, and perhaps what the server was told since.
    pub(super) fn went_back(&mut self) {
        self.told = None;
    }

    /// The session was reset, and told the usual limit.
    pub(super) fn reset(&mut self) {
        *self = Self::new(self.usual, false);
    }
}

/// Another limit, on its way to the server.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change(Time);

impl Change {
    /// In a transaction it ends with that.
    pub(super) fn text(self, in_transaction: bool) -> String {
        let local = if in_transaction { "LOCAL " } else { "" };
        format!("SET {local}statement_timeout = {}", number(self.0))
    }
}

/// The limit as the server counts it: in milliseconds, of which 0 is no limit.
pub(super) fn number(limit: Time) -> i32 {
    limit.map_or(0, |limit| i32::try_from(limit.as_millis()).unwrap_or(i32::MAX).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Time = Some(Duration::from_secs(30));
    const SHORT: Time = Some(Duration::from_millis(7));

    /// What the server is told before a statement, which it is told.
    fn told(limit: &mut Limit, wanted: Time, in_transaction: bool) -> Option<String> {
        let change = limit.change(wanted, in_transaction)?;
        limit.changed(change, in_transaction);
        Some(change.text(in_transaction))
    }

    #[test]
    fn the_server_is_told_what_it_does_not_know() {
        let mut limit = Limit::new(LONG, false);
        assert_eq!(told(&mut limit, LONG, false), None);
        assert_eq!(told(&mut limit, None, false).as_deref(), Some("SET statement_timeout = 0"));
        assert_eq!(told(&mut limit, None, false), None);
        // In a transaction, which begins without a limit.
        limit.begun(SHORT, false);
        assert_eq!((limit.wanted(), told(&mut limit, SHORT, true)), (SHORT, None));
        assert_eq!(told(&mut limit, None, true).as_deref(), Some("SET LOCAL statement_timeout = 0"));
        limit.went_back();
        assert_eq!(told(&mut limit, SHORT, true).as_deref(), Some("SET LOCAL statement_timeout = 7"));
        limit.ended();
        assert_eq!((limit.wanted(), told(&mut limit, None, false)), (LONG, None));
        assert_eq!(told(&mut limit, LONG, false).as_deref(), Some("SET statement_timeout = 30000"));
        // One whose answer nobody has seen.
        assert!(limit.change(SHORT, false).is_some() && limit.change(SHORT, false).is_some());
        limit.begun(None, false);
        limit.ended();
        assert!(limit.change(LONG, false).is_some());
    }
}
