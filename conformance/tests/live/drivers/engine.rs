//! What is special about an engine.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use isogloss_driver::{Backend, ErrorKind, Isolation, PoolOptions, Result, TransactionOptions};

use crate::drivers::Outcome;
use crate::drivers::typed::Limits;

/// A pool of connections that is being opened.
pub type Opening<'a> = BoxFuture<'a, Result<Arc<dyn Backend>>>;

/// An engine, in an empty place of a test's own: a file, a schema, a database.
///
/// What has a default is the usual case; an engine that differs says in which way.
pub trait Engine: Send + Sync {
    /// A pool of connections to the place.
    fn open(&self, pool: PoolOptions) -> Opening<'_>;

    /// Takes the place away.
    fn end(&self) -> BoxFuture<'_, Outcome> {
        Box::pin(async { Ok(()) })
    }

    // ---- How it spells what no tree says ----

    /// A name as the engine keeps it that stands without quotes.
    fn folded(&self, name: &str) -> String {
        name.to_owned()
    }

    /// A query of one value.
    fn select(&self, value: &str) -> String {
        format!("SELECT {value} AS n")
    }

    /// A query of the numbers from 1 to ten to this power, as `n`, in some order. Each row is made when it is read.
    fn numbers(&self, power: u32) -> String;

    /// A query of numbers, among them 1, that fails at the row 5,000.
    fn failing(&self) -> String {
        format!("SELECT 1 / (5000 - n) AS n FROM ({}) q", self.numbers(4))
    }

    /// A query that never ends by itself, of one column, `n`.
    fn endless(&self) -> String {
        format!("SELECT COUNT(*) AS n FROM ({}) q", self.numbers(15))
    }

    /// A query that takes more than 100 ms and less than 5 s.
    fn slow(&self) -> String;

    /// Whether what a write does can be read as rows: `INSERT .. RETURNING ..`.
    fn returns(&self) -> bool {
        true
    }

    /// Whether a foreign key may be checked at the end of a transaction.
    fn defers(&self) -> bool {
        false
    }

    /// A mistake's code, which is not compared where it is `None`, and its constraint; see `errors`.
    fn told(&self, mistake: &str) -> (Option<&'static str>, Option<&'static str>);

    /// The constraint that is told of a mistake in a row, or nothing where it is none here.
    fn judges(&self, mistake: &str) -> Option<Option<&'static str>> {
        Some(self.told(mistake).1)
    }

    /// Whether the connection is lost with a stream in a transaction whose rows have not come in time.
    fn loses_slow_streams(&self) -> bool {
        false
    }

    /// Scripts by which the engine gives people other numbers than one after the other, and whether it may refuse to say which.
    fn numberings(&self) -> Vec<(&'static [&'static str], bool)> {
        Vec::new()
    }

    /// The kind that a mistake has here alone.
    fn unlike(&self, _mistake: &str) -> Option<ErrorKind> {
        None
    }

    /// The type of a column that refers to an item's number.
    fn parent(&self) -> &'static str {
        "BIGINT"
    }

    // ---- Transactions ----

    fn savepoints(&self) -> bool {
        true
    }

    /// Returns whether a bulk insert sends a COMMIT of its own at its end. One that is cut off before is not in doubt.
    fn commits_bulk_last(&self) -> bool {
        false
    }

    /// Whether a statement that fails ends its transaction: nothing more is taken but a rollback.
    fn fails_whole(&self) -> bool {
        false
    }

    /// What a transaction says after a statement in it, a write or a query, was ended by its time or was dropped; `None` where it
    /// goes on.
    fn interrupted(&self, _write: bool, _dropped: bool) -> Option<ErrorKind> {
        Some(ErrorKind::TransactionFailed)
    }

    /// Whether a write waits for a transaction that has written the same row. Otherwise it fails at once.
    fn waits(&self) -> bool {
        true
    }

    /// Each isolation (`None` is the usual one), and whether it sees what others commit meanwhile; an error if it is refused.
    fn isolations(&self) -> Vec<(Option<Isolation>, Result<bool, ErrorKind>)>;

    /// Transactions of which one fails where both change a row: without such a thing, they wait for each other.
    fn conflicting(&self) -> Option<TransactionOptions> {
        None
    }

    /// Two transactions of which each waits for the other: what the one that has failed says to what follows.
    /// `None` where nobody waits for a row, and where the failed statement alone is taken back.
    fn after_deadlock(&self) -> Option<ErrorKind> {
        Some(ErrorKind::TransactionFailed)
    }

    /// Texts that end a transaction behind the driver's back.
    fn endings(&self) -> &'static [&'static str] {
        &["COMMIT", "ROLLBACK"]
    }

    // ---- Sessions ----

    /// Statements, and what gives 0 where nothing is left of them in the session.
    fn leavings(&self) -> &'static [(&'static str, &'static str)];

    /// Statements that leave nothing, beside the usual ones.
    fn harmless(&self) -> &'static [&'static str] {
        &[]
    }

    /// A query of the session's number, and whether the pool keeps a session in which something was left.
    fn session(&self) -> Option<(&'static str, bool)> {
        None
    }

    // ---- Servers ----

    /// What is asked of a server. `None` is an engine in this process, and a server that nothing was written for yet.
    fn server(&self) -> Option<&dyn Server> {
        None
    }

    /// The least and most that the types hold.
    fn limits(&self) -> Limits;
}

/// A server: it goes on without whoever has asked it, and may be lost.
pub trait Server: Send + Sync {
    fn host(&self) -> (String, u16);

    /// A pool of connections to the place by way of another port of this machine.
    fn through(&self, port: u16, pool: PoolOptions) -> Opening<'_>;

    /// Pools of somebody who has no such user, or no such database, and what the error says of that.
    fn strangers(&self) -> Vec<(&'static str, Opening<'_>)>;

    /// Whether a connection that the server has ended is known for that before anything more is sent on it.
    fn hears_its_end(&self) -> bool {
        true
    }

    /// A statement that ends a connection, by its number.
    fn kill(&self, session: i64) -> String;

    /// A query of how many other connections to the place are like that.
    fn others(&self, which: Which) -> String;
}

#[derive(Debug, Clone, Copy)]
pub enum Which {
    /// All of them.
    There,
    /// Those that run something.
    Busy,
    /// That of a number.
    Number(i64),
    /// That of a number, if it runs something.
    Running(i64),
}
