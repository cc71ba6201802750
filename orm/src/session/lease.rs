//! Leases: a connection to a data source for some time.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::expr::Value;
use isogloss_compiler::{BulkInsert, Compiled, Target};
use isogloss_driver::{AnyConnection, Backend, ConnectionExt, ErrorKind, FromRow, RowSink, RowSource, only_reads};
use tokio::sync::OwnedMutexGuard;

use super::trace::Watch;
use super::{Session, SessionError, State};
use crate::context::{Asked, DataSource, Opened, Reached, UnderWay};
use crate::{OrmError, OrmResult};

/// The purpose of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Purpose {
    /// For reads, which may go to a replica outside of a transaction.
    Read,
    /// For writes, and for reads that must see the latest data.
    Write,
}

/// A connection to one data source, in the session's transaction if there is one. Other operations of the session wait
/// until it is dropped.
///
/// Use it for statements of your own, which [`Session::compile`] compiles. They are kept in [`Session::sql_stack`] and
/// logged if they are slow, and their errors name the data source.
pub struct Lease {
    state: Option<OwnedMutexGuard<State>>,
    purpose: Purpose,
    place: LeasedFrom,
    session: Session,
    source: Arc<DataSource>,
    opened: Arc<Opened>,
    replica: Option<Asked>,
    /// How many replicas have broken under it.
    broken: usize,
    /// A script has set what it likes: nowhere else is it so.
    scripted: bool,
    /// Outside of a transaction, the context waits for its end.
    _under_way: Option<UnderWay>,
}

/// Where the connection is.
enum LeasedFrom {
    /// It goes back to its pool.
    Own(AnyConnection),
    /// It belongs to the transaction.
    Unit(usize),
}

/// A read by a replica whose connection breaks is run again elsewhere, as nothing of it has been given to anybody.
macro_rules! read {
    ($lease:ident, $statement:ident, $method:ident) => {
        loop {
            $lease.may_write($statement);
            let watch = $lease.statement($statement);
            let done = $lease.connection()?.$method($statement).await;
            match $lease.done(&watch, &$statement.sql, done) {
                Err(error) if $lease.elsewhere(&error, $statement, false).await => {}
                done => return done,
            }
        }
    };
}

impl Session {
    /// Takes a connection to a data source; without a name, to the default one.
    ///
    /// Inside of a transaction, it is the transaction's connection, and the transaction begins on this data source if
    /// necessary. Outside of one, a [`Read`](Purpose::Read) goes to a replica. A session takes the next replica in
    /// turn, and keeps it while it is reachable. A replica that cannot be reached is not used for a while; the next one
    /// is tried, and at last the data source itself.
    ///
    /// A session that has written to a data source reads from its primary, until the replica has what was written: see
    /// [`read_your_writes`](crate::config::DataSourceConfig::read_your_writes).
    ///
    /// # Errors
    /// The data source does not exist or cannot be reached, another operation of the session has not finished in time
    /// ([`SessionError::Busy`]), or the context is closed.
    pub async fn lease(&self, source: Option<&str>, purpose: Purpose) -> OrmResult<Lease> {
        let source = self.inner.sources.find(source)?;
        let mut state = self.lock().await?;
        state.is_whole()?;
        let (place, opened, replica, under_way) = match &mut state.unit {
            Some(unit) => {
                let place = unit.join(source).await?;
                let held = unit.held(place).ok_or(SessionError::NoTransaction)?;
                held.wrote |= purpose == Purpose::Write;
                (LeasedFrom::Unit(place), Arc::clone(&held.opened), None, None)
            }
            None => {
                let under_way = self.inner.context.begin_lease()?;
                let Reached { connection, opened, replica } = match purpose {
                    Purpose::Read if !self.terms().is_some_and(|terms| terms.primary) => {
                        state.reader(source, self.streams_beside()).await?
                    }
                    Purpose::Read => source.primary().await?,
                    Purpose::Write => {
                        state.wrote(source);
                        source.primary().await?
                    }
                };
                (LeasedFrom::Own(connection), opened, replica, Some(under_way))
            }
        };
        let (session, source) = (self.clone(), Arc::clone(source));
        let state = Some(state);
        Ok(Lease {
            state,
            purpose,
            place,
            session,
            source,
            opened,
            replica,
            broken: 0,
            scripted: false,
            _under_way: under_way,
        })
    }

    /// Whether a stream of it has a connection beside what else it does.
    fn streams_beside(&self) -> bool {
        self.inner.beside.load(Ordering::Acquire) > 0
    }
}

impl State {
    /// A connection for reads, to the replica that the session has chosen.
    async fn reader(&mut self, source: &Arc<DataSource>, streams: bool) -> OrmResult<Reached> {
        let chosen = self.chosen.iter().position(|(name, _)| name == source.name());
        let before = chosen.and_then(|at| self.chosen.get(at)).map(|(_, replica)| *replica);
        let mut written = self.written.iter_mut().find(|written| written.is_of(source));
        if let Some(written) = &mut written
            && !written.may_be_at(before)
        {
            return written.primary(source).await;
        }
        let mut reached = source.reader(before, streams).await?;
        if let Some(asked @ Asked { replica, .. }) = reached.replica {
            if let Some(written) = written
                && !written.is_at(source, asked, &mut reached.connection).await
            {
                // Who waits for a connection holds no other one, for which others may wait.
                drop(reached);
                return source.primary().await;
            }
            match chosen.and_then(|at| self.chosen.get_mut(at)) {
                Some(chosen) => chosen.1 = replica,
                None => self.chosen.push((Arc::clone(source.name()), replica)),
            }
        }
        Ok(reached)
    }
}

impl Lease {
    /// A stream has it from now on. One that reads outside of a transaction has a connection of its own, and the session
    /// goes on beside it, unless the source has no other: who came next would wait for it, and not hear what has it. Where
    /// a replica has no other, the source itself has. Where replicas are asked for what was written, a write keeps the session:
    /// its end is not known before.
    pub(super) fn streams(&mut self, statement: &Compiled<'_>) {
        let writes = self.may_write(statement);
        let others = self.replica.is_some() || self.opened.backend.status().max > 1;
        if others && !writes && matches!(self.place, LeasedFrom::Own(_)) && self.purpose == Purpose::Read {
            self.session.inner.beside.fetch_add(1, Ordering::AcqRel);
            self.state = None;
        }
        if self.state.is_some() {
            self.session.inner.streams.store(true, Ordering::Release);
        }
    }

    /// The data source.
    #[must_use]
    pub fn data_source(&self) -> &Arc<DataSource> {
        &self.source
    }

    /// The target that compiles statements for this data source, in the version of its server.
    #[must_use]
    pub fn target(&self) -> &Arc<Target> {
        &self.opened.target
    }

    /// The pool that the connection is of, with what is kept for it.
    pub(crate) fn opened(&self) -> &Opened {
        &self.opened
    }

    /// The dialect of [`target`](Self::target).
    #[must_use]
    pub fn dialect(&self) -> &dyn Dialect {
        self.opened.target.dialect()
    }

    /// The pool of the connection, which also generates DDL.
    #[must_use]
    pub fn backend(&self) -> &Arc<dyn Backend> {
        &self.opened.backend
    }

    /// The maximal number of parameters of a statement: the configured one, or that of the engine if it is smaller.
    #[must_use]
    pub fn param_limit(&self) -> usize {
        self.opened.param_limit
    }

    /// The number of the replica that it is connected to, counted from 0; `None` is the data source itself.
    #[must_use]
    pub fn replica(&self) -> Option<usize> {
        self.replica.map(|asked| asked.replica)
    }

    /// Whether it belongs to a transaction.
    #[must_use]
    pub fn in_transaction(&self) -> bool {
        matches!(self.place, LeasedFrom::Unit(_))
    }

    /// The connection itself. What it runs is neither kept nor logged. Do not begin or end transactions on it: that is
    /// the session's task.
    ///
    /// What it writes is not noticed: unless the lease was taken with [`Purpose::Write`], the session may read from a
    /// replica that does not have it yet.
    ///
    /// # Errors
    /// The transaction that it belongs to has ended.
    pub fn connection(&mut self) -> OrmResult<&mut AnyConnection> {
        match &mut self.place {
            LeasedFrom::Own(connection) => Ok(connection),
            LeasedFrom::Unit(place) => {
                let unit = self.state.as_mut().and_then(|state| state.unit.as_mut());
                let held = unit.and_then(|unit| unit.held(*place));
                Ok(&mut held.ok_or(SessionError::NoTransaction)?.connection)
            }
        }
    }

    /// Runs a statement that returns no rows, and gives the number of affected rows.
    ///
    /// # Errors
    /// Those of the driver.
    pub async fn execute(&mut self, statement: &Compiled<'_>) -> OrmResult<u64> {
        self.writes();
        let watch = self.statement(statement);
        let done = self.connection()?.execute(statement).await;
        self.done(&watch, &statement.sql, done)
    }

    /// Runs a statement with a sink for its rows, and returns the sink.
    ///
    /// # Errors
    /// Those of the driver and of the sink.
    pub async fn query_into<S: RowSink>(&mut self, statement: &Compiled<'_>, sink: S) -> OrmResult<S> {
        self.may_write(statement);
        let watch = self.statement(statement);
        let done = self.connection()?.query_into(statement, sink).await;
        self.done(&watch, &statement.sql, done)
    }

    /// Compiles a query and runs it into a sink. If the connection of a replica breaks, what the sink has is thrown away,
    /// and the query is run elsewhere into another.
    pub(crate) async fn gather<'s, S: RowSink>(
        &mut self,
        compile: impl Fn(&Opened) -> OrmResult<Compiled<'s>>,
        sink: impl Fn(&Opened, &Compiled<'s>) -> S,
    ) -> OrmResult<S> {
        loop {
            let statement = compile(&self.opened)?;
            match self.query_into(&statement, sink(&self.opened, &statement)).await {
                Err(error) if self.elsewhere(&error, &statement, true).await => {}
                done => return done,
            }
        }
    }

    /// Runs a statement and returns all of its rows.
    ///
    /// # Errors
    /// Those of the driver, and a row that does not fit.
    pub async fn fetch<T: FromRow + Send + 'static>(&mut self, statement: &Compiled<'_>) -> OrmResult<Vec<T>> {
        read!(self, statement, fetch)
    }

    /// Runs a statement and returns its first row, or `None` without rows.
    ///
    /// # Errors
    /// Those of the driver, and a row that does not fit.
    pub async fn fetch_first<T: FromRow + Send + 'static>(&mut self, statement: &Compiled<'_>) -> OrmResult<Option<T>> {
        read!(self, statement, fetch_first)
    }

    /// Runs a statement and returns its only row.
    ///
    /// # Errors
    /// Those of the driver, a row that does not fit, no row, or more than one.
    pub async fn fetch_one<T: FromRow + Send + 'static>(&mut self, statement: &Compiled<'_>) -> OrmResult<T> {
        read!(self, statement, fetch_one)
    }

    /// Runs a statement once for each row of parameters, and gives the total number of affected rows. It is atomic only
    /// inside of a transaction.
    ///
    /// # Errors
    /// Those of the driver and of the rows.
    pub async fn execute_many(&mut self, statement: &Compiled<'_>, rows: Box<dyn RowSource>) -> OrmResult<u64> {
        self.writes();
        let watch = self.statement(statement);
        let done = self.connection()?.execute_many(statement, rows).await;
        self.done(&watch, &statement.sql, done)
    }

    /// Inserts rows by the engine's fastest way, all of them or none, and gives their number.
    ///
    /// # Errors
    /// Those of the driver and of the rows.
    pub async fn bulk_insert(&mut self, into: &BulkInsert, rows: Box<dyn RowSource>) -> OrmResult<u64> {
        self.writes();
        let watch = self.watch(into.sql());
        let done = self.connection()?.bulk_insert(into, rows).await;
        self.done(&watch, into.sql(), done)
    }

    /// Inserts rows, all of them or none, and returns the key that the database has generated for each, in the order of
    /// the rows.
    ///
    /// # Errors
    /// Those of the driver and of the rows.
    pub async fn bulk_insert_keys(&mut self, into: &BulkInsert, rows: Box<dyn RowSource>) -> OrmResult<Vec<Value>> {
        self.writes();
        let watch = self.watch(into.sql());
        let done = self.connection()?.bulk_insert_keys(into, rows).await;
        self.done(&watch, into.sql(), done)
    }

    /// Runs a script: SQL text of one or more statements, without parameters.
    ///
    /// # Errors
    /// Those of the driver.
    pub async fn script(&mut self, sql: &str) -> OrmResult<()> {
        self.writes();
        let watch = self.watch(sql);
        self.scripted = true;
        let done = self.connection()?.script(sql).await;
        self.done(&watch, sql, done)
    }

    /// Whether a statement that gives rows may also write, as by RETURNING. Only replicas make a difference of it.
    pub(super) fn may_write(&mut self, statement: &Compiled<'_>) -> bool {
        let writes = self.replica.is_none() && self.source.replica_count() > 0 && !only_reads(statement);
        if writes {
            self.writes();
        }
        writes
    }

    /// What runs next may write, whatever the lease was taken for.
    fn writes(&mut self) {
        let Some(state) = &mut self.state else { return };
        match self.place {
            LeasedFrom::Own(_) => state.wrote(&self.source),
            LeasedFrom::Unit(place) => {
                if let Some(held) = state.unit.as_mut().and_then(|unit| unit.held(place)) {
                    held.wrote = true;
                }
            }
        }
    }

    /// Keeps a statement for diagnostics, and looks at the clock.
    pub(super) fn statement(&self, statement: &Compiled<'_>) -> Watch {
        self.session.stack(|stack| stack.statement(statement));
        Watch::start(self.slow())
    }

    fn slow(&self) -> Duration {
        self.source.config().slow_statement.unwrap_or(self.session.inner.context.settings().slow_statement)
    }

    fn watch(&self, sql: &str) -> Watch {
        self.session.stack(|stack| stack.push(sql));
        Watch::start(self.slow())
    }

    fn done<T>(&self, watch: &Watch, sql: &str, done: isogloss_driver::Result<T>) -> OrmResult<T> {
        watch.stop(self.source.name(), sql);
        done.map_err(|error| self.failed(error))
    }

    pub(super) fn failed(&self, error: isogloss_driver::Error) -> OrmError {
        if let (Some(asked), ErrorKind::ConnectionLost) = (self.replica, error.kind()) {
            self.source.set_aside(asked, &error);
        }
        self.source.failed(error)
    }

    /// Whether a read that a replica has failed at can be run on another connection, which this has from now on.
    /// Each replica gets its turn at most, and then the source itself: the statement may be what breaks them.
    async fn elsewhere(&mut self, error: &OrmError, statement: &Compiled<'_>, compiled_again: bool) -> bool {
        let lost = error.kind() == Some(ErrorKind::ConnectionLost);
        if self.scripted || self.replica.is_none() || !lost || !only_reads(statement) {
            return false;
        }
        let Some(state) = &mut self.state else { return false };
        self.broken += 1;
        let reached = if self.broken < self.source.replica_count() {
            state.reader(&self.source, self.session.streams_beside()).await
        } else {
            self.source.primary().await
        };
        let Ok(Reached { connection, opened, replica }) = reached else { return false };
        // The statement was compiled for the one that is gone.
        if !compiled_again && !opened.compiles_like(&self.opened) {
            return false;
        }
        (self.place, self.opened, self.replica) = (LeasedFrom::Own(connection), opened, replica);
        true
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if self.state.is_some() {
            self.session.inner.streams.store(false, Ordering::Release);
        } else {
            self.session.inner.beside.fetch_sub(1, Ordering::AcqRel);
        }
        self.state = None;
        self.session.reap();
    }
}

impl std::fmt::Debug for Lease {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lease")
            .field("data_source", self.source.name())
            .field("replica", &self.replica())
            .field("in_transaction", &self.in_transaction())
            .finish_non_exhaustive()
    }
}
