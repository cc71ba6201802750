//! What a task does with a connection: its transactions, and what it leaves behind.

use std::time::Duration;

use isogloss_compiler::Compiled;
use isogloss_driver::{Error, ErrorKind, Isolation, Result, RowSink, TransactionOptions};
use mysql_async::Value as Sent;

use super::error::guarded;
use super::pool::Held;
use super::value::bound;
use super::wire::{At, Wire};

/// How long what was left open has to be taken back, before the connection is closed.
const TIDY: Duration = Duration::from_secs(5);

/// A connection out of the pool, and how deep in transactions it is.
#[derive(Debug)]
pub(super) struct Session {
    /// There until it is dropped.
    held: Option<Held>,
    pub(super) depth: u32,
    /// Whether the server has taken the transaction back already.
    over: bool,
    /// The time limit from before the transaction, which has its own.
    outer_timeout: Option<Option<Duration>>,
}

impl Session {
    pub(super) fn new(held: Held) -> Self {
        Self { held: Some(held), depth: 0, over: false, outer_timeout: None }
    }

    fn held(&mut self) -> Result<&mut Held> {
        self.held.as_mut().ok_or_else(|| Error::new(ErrorKind::ConnectionLost, "the connection was given back"))
    }

    /// The connection, ready for a statement.
    pub(super) async fn wire(&mut self) -> Result<&mut Wire> {
        let (depth, over) = (self.depth, self.over);
        let wire: &mut Wire = self.held()?;
        match wire.at() {
            At::Rest => {}
            At::Rows => wire.clear().await?,
            At::Midway | At::Lost if depth == 0 => wire.reopen().await?,
            At::Midway | At::Lost => {
                let message =
                    "the connection was lost, or a future of it dropped, and its transaction with it: roll back";
                return Err(Error::new(ErrorKind::ConnectionLost, message));
            }
        }
        // A source of rows that panicked has left it so.
        if let Some(back) = wire.unfinished.take() {
            wire.text(back).await?;
        }
        if over {
            let message = "the server has taken the transaction back: roll back, and run it again";
            return Err(Error::new(ErrorKind::Deadlock, message));
        }
        Ok(wire)
    }

    /// The connection with its open answer.
    pub(super) fn wire_as_it_is(&mut self) -> Result<&mut Wire> {
        self.held().map(|held| &mut **held)
    }

    /// Takes notice of an error that ends the transaction.
    pub(super) fn noted<T>(&mut self, done: Result<T>) -> Result<T> {
        if let (Err(error), Some(held)) = (&done, &self.held) {
            self.over |= self.depth > 0 && error.code().is_some_and(|code| held.ends_transaction(code));
        }
        done
    }

    pub(super) async fn execute(&mut self, statement: &Compiled<'_>) -> Result<u64> {
        let wire = self.wire().await?;
        let done = match wire.start(statement).await {
            Ok(()) => wire.finish().await.map(|count| count.min(wire.most_rows(&statement.sql))),
            // Some statements cannot be prepared.
            Err(error) if error.code() == Some("1295") && statement.params.is_empty() => {
                wire.text(&statement.sql).await.map(|()| wire.changed())
            }
            Err(error) => Err(error),
        };
        self.noted(done.map_err(|error| guarded(error, &statement.sql)))
    }

    pub(super) async fn query(&mut self, statement: &Compiled<'_>, sink: Box<dyn RowSink>) -> Result<Box<dyn RowSink>> {
        let wire = self.wire().await?;
        let done = match wire.start(statement).await {
            Ok(()) => wire.fill(sink).await,
            Err(error) => Err(error),
        };
        if wire.at() == At::Rows {
            wire.clear().await?;
        }
        self.noted(done.map_err(|error| guarded(error, &statement.sql))).map(|(sink, _)| sink)
    }

    async fn text(&mut self, sql: &str) -> Result<()> {
        let done = self.wire().await?.text(sql).await;
        self.noted(done)
    }

    pub(super) async fn script(&mut self, sql: &str) -> Result<()> {
        let wire = self.wire().await?;
        wire.scripted = true;
        let done = wire.text(sql).await;
        self.noted(done)
    }

    pub(super) async fn begin(&mut self, options: &TransactionOptions) -> Result<()> {
        let depth = self.depth;
        options.check(depth)?;
        let timeout = options.statement_timeout.filter(|_| depth == 0);
        let wire = self.wire().await?;
        let outer = wire.timeout();
        if timeout.is_some() {
            wire.set_timeout(timeout).await?;
        }
        if depth > 0 {
            let done = wire.text(&format!("SAVEPOINT s{depth}")).await;
            self.noted(done)?;
        } else {
            wire.text(&beginning(options)).await?;
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
        let done = self.text("COMMIT").await;
        match done {
            Ok(()) => self.left().await,
            // What could not be committed is not kept half open.
            Err(error) => self.rollback().await.and(Err(error)),
        }
    }

    pub(super) async fn rollback(&mut self) -> Result<()> {
        let depth = self.depth;
        if depth == 0 {
            return Err(Error::new(ErrorKind::Other, "there is no transaction to roll back"));
        }
        let over = self.over;
        let wire: &mut Wire = self.held()?;
        if wire.at() == At::Rows {
            wire.clear().await?;
        }
        // With a lost connection, the server has taken all back, and so it has after some errors.
        if wire.at() == At::Rest && (depth == 1 || !over) {
            match depth - 1 {
                0 => wire.text("ROLLBACK").await?,
                n => wire.text(&format!("ROLLBACK TO SAVEPOINT s{n}; RELEASE SAVEPOINT s{n}")).await?,
            }
        }
        if depth > 1 {
            self.depth -= 1;
            return Ok(());
        }
        self.left().await
    }

    /// The transaction is over.
    async fn left(&mut self) -> Result<()> {
        (self.depth, self.over) = (0, false);
        match self.outer_timeout.take() {
            Some(timeout) => self.set_timeout(timeout).await,
            None => Ok(()),
        }
    }

    /// The connection is of no use any more, nor is what was begun on it.
    pub(super) fn close(&mut self) {
        if let Some(held) = &mut self.held {
            held.give_up();
        }
    }

    pub(super) async fn set_timeout(&mut self, timeout: Option<Duration>) -> Result<()> {
        self.wire().await?.set_timeout(timeout).await
    }
}

/// What begins a transaction. The isolation is that of the next one only.
fn beginning(options: &TransactionOptions) -> String {
    let mut sql = String::new();
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

impl Wire {
    /// Sends a statement. One that the server has forgotten, or that has to be prepared again for a table that was
    /// changed, is.
    pub(super) async fn start(&mut self, statement: &Compiled<'_>) -> Result<()> {
        let params = self.bound(statement)?;
        let prepared = self.prepared(&statement.sql).await?;
        match self.send(&prepared, params).await {
            Err(error) if matches!(error.code(), Some("1243" | "1615")) => {
                self.forget(&statement.sql);
                let prepared = self.prepared(&statement.sql).await?;
                self.send(&prepared, self.bound(statement)?).await
            }
            sent => sent,
        }
    }

    fn bound(&self, statement: &Compiled<'_>) -> Result<Vec<Sent>> {
        let most = self.value_bytes();
        statement.params.iter().map(|param| bound(&param.value, param.ty, most)).collect()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let Some(mut held) = self.held.take() else { return };
        // What is not whole the pool throws away, and what that leaves running is killed.
        let whole = matches!(held.at(), At::Rest | At::Rows);
        let clean = self.depth == 0 && held.at() == At::Rest && held.unfinished.is_none();
        if !whole || clean || held.scripted {
            return;
        }
        let open = self.depth > 0 || held.unfinished.take().is_some();
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            held.give_up();
            return;
        };
        runtime.spawn(async move {
            let tidy = async {
                if held.at() == At::Rows {
                    held.clear().await?;
                }
                if open { held.text("ROLLBACK").await } else { Ok(()) }
            };
            let done = tokio::time::timeout(TIDY, tidy).await;
            if !matches!(done, Ok(Ok(()))) {
                held.give_up();
            }
        });
    }
}
