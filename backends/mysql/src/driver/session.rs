//! What a task does with a connection: its transactions, and what it leaves behind.

use std::time::Duration;

use isogloss_compiler::Compiled;
use isogloss_driver::{
    EarlierWrite, Error, ErrorKind, Isolation, Result, RowSink, TransactionOptions, first_word, only_reads, unfinished,
    untold,
};
use mysql_async::Value as Sent;

use super::error::guarded;
use super::over::Over;
use super::pool::Held;
use super::value::bound;
use super::wire::{At, Timed, Wire};

/// How long what was left open has to be taken back, before the connection is closed. A write that commits by itself, and
/// of which nobody wants the rest, has the time of a statement.
const TIDY: Duration = Duration::from_secs(5);

/// A connection out of the pool, and how deep in transactions it is.
#[derive(Debug)]
pub(super) struct Session {
    /// There until it is dropped.
    held: Option<Held>,
    pub(super) depth: u32,
    /// Whether a COMMIT was begun that was not heard of again.
    committing: bool,
    /// The time limit from before the transaction, which has its own.
    outer_timeout: Option<Option<Duration>>,
    /// What a write has failed with whose rows were given up, for what comes next: its caller has not been told.
    untold: Option<Error>,
}

impl Session {
    pub(super) fn new(held: Held) -> Self {
        Self { held: Some(held), depth: 0, committing: false, outer_timeout: None, untold: None }
    }

    fn held(&mut self) -> Result<&mut Held> {
        self.held.as_mut().ok_or_else(|| Error::new(ErrorKind::ConnectionLost, "the connection was given back"))
    }

    /// The connection, ready for a statement, of which nothing was sent where it is not.
    pub(super) async fn wire(&mut self) -> Result<&mut Wire> {
        self.ready(true).await.map_err(Error::unsent)
    }

    /// The connection, ready for a statement. It is not pinged for a read, because a read is repeated on a new connection if the
    /// server had closed this one.
    pub(super) async fn wire_for(&mut self, statement: &Compiled<'_>) -> Result<&mut Wire> {
        let is_sure = self.held()?.untried && !reads(statement);
        self.ready(is_sure).await.map_err(Error::unsent)
    }

    async fn ready(&mut self, is_sure: bool) -> Result<&mut Wire> {
        let (depth, committing) = (self.depth, self.committing);
        if self.held()?.closed {
            let message = "the connection was closed, as a call on it took too long: take another one from the pool";
            return Err(Error::new(ErrorKind::ConnectionLost, message));
        }
        self.clear_earlier().await?;
        if let Some(untold) = self.untold.take() {
            return Err(untold.of_earlier_write(EarlierWrite::at(depth)));
        }
        let wire: &mut Wire = self.held()?;
        wire.settle(depth > 0).await;
        let is_sure = is_sure || wire.conflicts || wire.unfinished.is_some();
        if is_sure && wire.untried && wire.is_at_rest() {
            // Where there is none, another connection takes its place.
            let _ = wire.sign_of_life().await;
        }
        match wire.at() {
            At::Rest => {}
            At::Rows | At::Midway | At::Lost if committing => return Err(unheard_of()),
            At::Rows | At::Midway | At::Lost if depth > 0 => {
                let message =
                    "the connection was lost, or a future of it dropped, and its transaction with it: roll back";
                return Err(Error::new(ErrorKind::ConnectionLost, message));
            }
            At::Rows | At::Midway | At::Lost if wire.scripted => {
                let message = "the connection was lost, or a future of it dropped, and with it what a script or a statement had \
                               set: take another one from the pool, and run that again";
                return Err(Error::new(ErrorKind::ConnectionLost, message));
            }
            At::Rows | At::Midway | At::Lost => wire.reopen().await?,
        }
        if depth == 0 && std::mem::take(&mut wire.conflicts) {
            wire.text("SET innodb_snapshot_isolation = DEFAULT").await?;
        }
        // A source of rows that panicked has left it so.
        if let Some(back) = wire.unfinished.take() {
            wire.text(back).await?;
        }
        match wire.over.filter(|_| depth > 0) {
            Some(over) => Err(over.error()),
            None => Ok(wire),
        }
    }

    /// Returns whether what was sent last may have taken effect if the connection is closed now: not before the COMMIT of
    /// rows that are inserted all or none.
    pub(super) fn may_have_taken_effect(&self) -> bool {
        self.held.as_ref().is_none_or(|held| held.unfinished.is_none())
    }

    /// Whether an earlier statement has left some of its answer.
    pub(super) fn is_unsettled(&self) -> bool {
        self.held.as_ref().is_some_and(|held| held.at() == At::Rows)
    }

    /// Brings to its end what an earlier statement has left of its answer. What a write fails with there is kept for what
    /// comes next.
    pub(super) async fn clear_earlier(&mut self) -> Result<()> {
        let wire: &mut Wire = self.held()?;
        if wire.at() == At::Rows {
            self.untold = wire.clear_earlier().await.err();
        }
        Ok(())
    }

    /// The connection with its open answer.
    pub(super) fn wire_as_it_is(&mut self) -> Result<&mut Wire> {
        self.held().map(|held| &mut **held)
    }

    pub(super) async fn execute(&mut self, statement: &Compiled<'_>) -> Result<u64> {
        let wire = self.wire_for(statement).await?;
        let done = match wire.start(statement, Timed::Statement).await {
            Ok(()) => wire.finish_in_time().await.map(|count| wire.rows_of(&statement.sql, count)),
            // Some statements cannot be prepared.
            Err(error) if error.code() == Some("1295") && statement.params.is_empty() => {
                wire.text(&statement.sql).await.map(|()| wire.changed())
            }
            Err(error) => Err(error),
        };
        done.map_err(|error| guarded(error, &statement.sql))
    }

    pub(super) async fn query(&mut self, statement: &Compiled<'_>, sink: Box<dyn RowSink>) -> Result<Box<dyn RowSink>> {
        let wire = self.wire_for(statement).await?;
        let done = match wire.start(statement, Timed::Statement).await {
            Ok(()) => wire.fill_in_time(sink).await,
            Err(error) => Err(error),
        };
        // A write that fails behind its first rows has done nothing.
        let done = wire.clear_or_close().await.and(done);
        done.map_err(|error| guarded(error, &statement.sql)).map(|(sink, _)| sink)
    }

    async fn text(&mut self, sql: &str) -> Result<()> {
        self.wire().await?.text(sql).await
    }

    pub(super) async fn script(&mut self, sql: &str) -> Result<()> {
        let wire = self.wire().await?;
        (wire.scripted, wire.reads) = (true, false);
        wire.text(sql).await
    }

    pub(super) async fn begin(&mut self, options: &TransactionOptions) -> Result<()> {
        let depth = self.depth;
        options.check(depth)?;
        let timeout = options.statement_timeout.filter(|_| depth == 0);
        let wire = self.ready(false).await.map_err(Error::unsent)?;
        let outer = wire.timeout();
        if timeout.is_some() {
            wire.set_timeout(timeout);
        }
        if depth > 0 {
            wire.text(&format!("SAVEPOINT s{depth}")).await?;
        } else {
            if let Err(error) = wire.begin(options).await {
                wire.set_timeout(outer);
                // Its isolation is set for the next transaction, which is another one.
                if options.isolation.is_some() {
                    wire.close();
                }
                return Err(error);
            }
            wire.over = None;
            self.outer_timeout = timeout.map(|_| outer);
        }
        self.depth += 1;
        Ok(())
    }

    pub(super) async fn commit(&mut self) -> Result<()> {
        if self.depth == 0 {
            return Err(Error::new(ErrorKind::Other, "there is no transaction to commit"));
        }
        if self.depth > 1 {
            let sql = format!("RELEASE SAVEPOINT s{}", self.depth - 1);
            self.text(&sql).await?;
            self.depth -= 1;
            return Ok(());
        }
        let done = match self.wire().await.map(drop) {
            Ok(()) => {
                self.committing = true;
                let done = self.wire_as_it_is()?.text("COMMIT").await.map_err(doubted);
                self.committing = false;
                done
            }
            Err(error) => Err(error),
        };
        if done.is_ok() {
            self.left();
        } else if self.rollback().await.is_err() && self.depth > 0 {
            // What could not be committed is not kept half open.
            self.give_up();
            self.left();
        }
        done
    }

    pub(super) async fn rollback(&mut self) -> Result<()> {
        let depth = self.depth;
        if depth == 0 {
            return Err(Error::new(ErrorKind::Other, "there is no transaction to roll back"));
        }
        // What failed is taken back in any case, and so is what runs yet.
        self.untold = None;
        let wire: &mut Wire = self.held()?;
        wire.reads = true;
        let _ = wire.clear_or_close().await;
        wire.settle(true).await;
        let over = wire.over;
        // With a lost connection, the server has taken all back, and so it has after most of the errors that say so: after a
        // deadlock over the locks of tables it has not.
        if wire.at() == At::Rest && (depth == 1 || over.is_none()) {
            match depth - 1 {
                0 => wire.text("ROLLBACK").await?,
                n => wire.text(&format!("ROLLBACK TO SAVEPOINT s{n}; RELEASE SAVEPOINT s{n}")).await?,
            }
        }
        // Only what was taken back is told as that.
        let untrue = over.filter(|over| *over == Over::Committed).map_or(Ok(()), |over| Err(over.error()));
        if depth > 1 {
            self.depth -= 1;
            return untrue;
        }
        let unheard = self.committing && self.wire_as_it_is()?.at() != At::Rest;
        self.left();
        if unheard { Err(unheard_of()) } else { untrue }
    }

    /// The transaction is over.
    fn left(&mut self) {
        (self.depth, self.committing) = (0, false);
        if let (Some(timeout), Some(held)) = (self.outer_timeout.take(), &mut self.held) {
            held.set_timeout(timeout);
        }
    }

    fn give_up(&mut self) {
        if let Some(held) = &mut self.held {
            held.close();
        }
    }

    /// The connection is of no use any more, nor is what was begun on it.
    pub(super) fn close(&mut self) {
        // Who closes it has told of what was under way.
        self.committing = false;
        if self.depth == 0 && self.held.as_ref().is_some_and(|held| held.commits_rest()) {
            unfinished();
        }
        if let Some(held) = &mut self.held {
            held.close_for_good();
        }
    }

    pub(super) async fn set_timeout(&mut self, timeout: Option<Duration>) -> Result<()> {
        self.ready(false).await.map_err(Error::unsent)?.set_timeout(timeout);
        Ok(())
    }
}

/// An error of a COMMIT that was sent: whether it was done is not known where the server has not answered it.
pub(super) fn doubted(error: Error) -> Error {
    match error.kind() {
        // A node without its cluster says that it does not.
        ErrorKind::ConnectionLost if matches!(error.code(), Some("1047" | "1180")) => error,
        ErrorKind::ConnectionLost | ErrorKind::Timeout | ErrorKind::Cancelled => error.in_doubt(),
        _ => error,
    }
}

/// The connection was lost with a COMMIT on its way.
fn unheard_of() -> Error {
    let message = "the future of a COMMIT was dropped before its end, and the connection lost: whether it took effect is not known";
    Error::new(ErrorKind::ConnectionLost, message).in_doubt()
}

/// Whether a statement only reads, so that the rest of its rows can be given up. Any other one has to end.
fn reads(statement: &Compiled<'_>) -> bool {
    let first = first_word(&statement.sql);
    let is = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(first));
    is(&["SELECT", "SHOW", "VALUES", "TABLE", "EXPLAIN", "DESCRIBE"]) || is(&["WITH"]) && only_reads(statement)
}

/// What begins a transaction. The isolation is that of the next one only.
fn beginning(options: &TransactionOptions) -> String {
    let mut sql = String::new();
    // Without it, a row that has changed since the snapshot is overwritten.
    if options.isolation == Some(Isolation::Snapshot) {
        sql.push_str("SET innodb_snapshot_isolation = ON; ");
    }
    if let Some(isolation) = options.isolation {
        sql.push_str("SET TRANSACTION ISOLATION LEVEL ");
        sql.push_str(match isolation {
            Isolation::ReadCommitted => "READ COMMITTED; ",
            Isolation::Serializable => "SERIALIZABLE; ",
            _ => "REPEATABLE READ; ",
        });
    }
    sql.push_str("START TRANSACTION");
    let snapshot = options.isolation == Some(Isolation::Snapshot);
    sql.push_str(match (snapshot, options.read_only) {
        (true, true) => " WITH CONSISTENT SNAPSHOT, READ ONLY",
        (true, false) => " WITH CONSISTENT SNAPSHOT",
        (false, true) => " READ ONLY",
        (false, false) => "",
    });
    sql
}

/// Two writers of a row would not conflict.
fn no_snapshot() -> Error {
    let message = "Isolation::Snapshot promises that a row which has changed since the transaction began is a conflict, and this \
                   server does not see that: MariaDB does from 10.6.18, 10.11.8 and 11.4.2 on, MySQL in no version. Take \
                   Isolation::RepeatableRead and lock what is read, or Isolation::Serializable";
    Error::new(ErrorKind::Configuration, message)
}

impl Wire {
    /// Begins a transaction.
    async fn begin(&mut self, options: &TransactionOptions) -> Result<()> {
        self.facts().product.begins(options)?;
        let snapshot = options.isolation == Some(Isolation::Snapshot);
        if snapshot && !self.facts().product.is_mariadb() {
            return Err(no_snapshot());
        }
        let mut begun = self.text(&beginning(options)).await;
        if self.was_closed() {
            self.replace().await?;
            begun = self.text(&beginning(options)).await;
        }
        match begun {
            // It has no such variable.
            Err(error) if snapshot && error.code() == Some("1193") => Err(no_snapshot()),
            begun => {
                self.conflicts |= snapshot;
                begun
            }
        }
    }

    /// Sends a statement. One that the server has forgotten, or that has to be prepared again for a table that was
    /// changed, is.
    pub(super) async fn start(&mut self, statement: &Compiled<'_>, timed: Timed) -> Result<()> {
        let reads = reads(statement);
        let sent = self.start_here(statement, reads, timed).await;
        if !reads || !self.was_closed() {
            return sent;
        }
        self.replace().await?;
        self.start_here(statement, reads, timed).await
    }

    async fn start_here(&mut self, statement: &Compiled<'_>, reads: bool, timed: Timed) -> Result<()> {
        let params = self.bound(statement)?;
        let prepared = self.prepared(&statement.sql).await.map_err(Error::unsent)?;
        self.reads = reads;
        match self.send_timed(&prepared, params, timed).await {
            Err(error) if matches!(error.code(), Some("1243" | "1615")) => {
                self.prepared.forget(&statement.sql);
                let prepared = self.prepared(&statement.sql).await.map_err(Error::unsent)?;
                self.send_timed(&prepared, self.bound(statement)?, timed).await
            }
            sent => sent,
        }
    }

    /// Brings an answer to its end that nobody wants; where that cannot be, the connection is closed. The error is that of a
    /// write, of which rows were taken as if it were done.
    async fn clear_or_close(&mut self) -> Result<()> {
        if self.at() != At::Rows {
            return Ok(());
        }
        let (reads, cleared) = (self.reads, self.clear().await);
        if cleared.is_err() && self.at() != At::Rest {
            self.close();
        }
        if reads { Ok(()) } else { cleared }
    }

    /// Whether what is left of an answer is that of a write that commits by itself.
    fn commits_rest(&self) -> bool {
        self.at() == At::Rows && !self.reads && !self.open
    }

    /// Brings to its end what an earlier statement has left of its answer. An error is that of a write.
    async fn clear_earlier(&mut self) -> Result<()> {
        let commits = self.commits_rest();
        let cleared = self.clear_or_close().await;
        if commits && cleared.as_ref().is_err_and(|error| error.kind() == ErrorKind::Timeout) {
            unfinished();
        }
        cleared
    }

    /// Takes back what was left open, and closes the connection if that cannot be.
    async fn undo(&mut self) {
        if !matches!(within(Some(TIDY), self.text("ROLLBACK")).await, Some(Ok(()))) {
            self.close();
        }
    }

    fn bound(&self, statement: &Compiled<'_>) -> Result<Vec<Sent>> {
        let most = self.value_bytes();
        statement.params.iter().map(|param| bound(&param.value, param.ty, most)).collect()
    }
}

/// What comes of something in that time, or at all if there is no limit.
async fn within<T>(limit: Option<Duration>, run: impl Future<Output = T>) -> Option<T> {
    match limit {
        Some(limit) => tokio::time::timeout(limit, run).await.ok(),
        None => Some(run.await),
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(error) = self.untold.as_ref().filter(|_| self.depth == 0) {
            untold(error);
        }
        let Some(mut held) = self.held.take() else { return };
        let open = self.depth > 0 || held.unfinished.take().is_some();
        let tidy = match held.at() {
            At::Rows => true,
            // With a connection that is closed, the server takes back what it has begun.
            At::Rest => open && !held.scripted,
            At::Midway | At::Lost => false,
        };
        if !tidy && !held.may_run() {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            held.close();
            return;
        };
        held.reads |= open;
        let limit = match held.timeout() {
            _ if held.reads => Some(TIDY),
            limit => limit.map(|limit| limit.saturating_add(held.server().options.pool.grace)),
        };
        // Its place in the pool is taken as long as the server has the connection.
        runtime.spawn(async move {
            if tidy {
                let commits = held.commits_rest();
                match within(limit, held.clear_earlier()).await {
                    // That of one whose time is over is told already.
                    Some(Err(error)) if error.kind() != ErrorKind::Timeout => untold(&error),
                    Some(_) => {}
                    None => {
                        if commits {
                            unfinished();
                        }
                        held.close();
                    }
                }
            }
            if tidy && open && held.is_at_rest() {
                held.undo().await;
            }
            if !held.is_at_rest() {
                held.end().await;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_reads_is_known() {
        let reads = |sql: &str| reads(&Compiled { sql: sql.to_owned(), ..Compiled::default() });
        for sql in [
            "SELECT a FROM t WHERE b = 'DELETE' FOR UPDATE",
            "(select 1) UNION SELECT 2",
            "WITH c AS (SELECT updated_at, replaced FROM inserts) SELECT updated_at FROM c",
            "WITH c AS (SELECT `delete` FROM t) SELECT * FROM c",
            "TABLE t",
            "VALUES ROW(1)",
            "SHOW TABLES",
            "EXPLAIN UPDATE t SET a = 1",
            "describe t",
        ] {
            assert!(reads(sql), "{sql}");
        }
        for sql in [
            "INSERT INTO t SELECT a FROM u RETURNING a",
            "REPLACE INTO t VALUES (1) RETURNING a",
            "WITH c AS (SELECT 1 AS a) DELETE FROM t WHERE a IN (SELECT a FROM c)",
            "WITH c AS (SELECT 1 AS a) UPDATE t, c SET t.a = c.a",
            "ANALYZE UPDATE t SET a = 1",
            "CALL p()",
            "DO SLEEP(1)",
        ] {
            assert!(!reads(sql), "{sql}");
        }
    }
}
