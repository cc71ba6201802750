//! A backend that fails on demand.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::expr::Value;
use isogloss_compiler::{BulkInsert, Compiled};
use isogloss_driver::collation::Collations;
use isogloss_driver::ddl::Ddl;
use isogloss_driver::{
    AnyConnection, Backend, BoxFuture, Connection, Cursor, Error, ErrorKind, Flow, Origin, PoolStatus, Replication,
    Result, Row, RowSink, RowSource, TransactionOptions, only_reads,
};

/// A fault, and the call that it happens to: the next one, unless [`nth`](Self::nth) or [`always`](Self::always) says otherwise.
#[derive(Debug, Clone)]
pub struct Fault {
    place: Place,
    skip: u32,
    always: bool,
    effect: Effect,
    /// How many were added to its backend before it.
    number: u64,
}

#[derive(Debug, Clone)]
enum Place {
    Connect,
    Statement(String),
    Begin,
    Commit,
}

#[derive(Debug, Clone)]
enum Effect {
    Error(ErrorKind),
    Lost { ran: bool },
    Slow(Duration),
    AfterRows(u64),
}

impl Fault {
    fn at(place: Place) -> Self {
        Self { place, skip: 0, always: false, effect: Effect::Lost { ran: false }, number: 0 }
    }

    fn is_at(&self, sql: &str) -> bool {
        matches!(&self.place, Place::Statement(part) if sql.contains(part.as_str()))
    }

    /// Behind how many rows it happens.
    fn rows(&self) -> Option<u64> {
        match self.effect {
            Effect::AfterRows(rows) => Some(rows),
            _ => None,
        }
    }

    /// At a statement whose text contains this one: `UPDATE "orders"`. Without another effect, the connection is lost before
    /// the statement has run.
    #[must_use]
    pub fn on(sql: impl Into<String>) -> Self {
        Self::at(Place::Statement(sql.into()))
    }

    /// At a request for a connection. Without another effect, the server cannot be reached.
    ///
    /// A data source that is opened asks for a connection to read the collations of its columns, and goes on without them.
    #[must_use]
    pub fn on_connect() -> Self {
        Self { effect: Effect::Error(ErrorKind::Connect), ..Self::at(Place::Connect) }
    }

    /// At the begin of a transaction, not at a savepoint. Without another effect, the connection is lost.
    #[must_use]
    pub fn on_begin() -> Self {
        Self::at(Place::Begin)
    }

    /// At the COMMIT of a transaction, not where a savepoint is released. Without another effect, the connection is lost before it was done, which the program
    /// cannot know: the error [is in doubt](Error::is_in_doubt).
    #[must_use]
    pub fn on_commit() -> Self {
        Self::at(Place::Commit)
    }

    /// Lets calls pass that come before the `n`th one, which is counted from 1.
    #[must_use]
    pub fn nth(mut self, n: u32) -> Self {
        self.skip = n.saturating_sub(1);
        self
    }

    /// Repeats the fault at every further call.
    #[must_use]
    pub fn always(mut self) -> Self {
        self.always = true;
        self
    }

    /// The call fails by an error of this kind and does not run. The connection stays open, and so does a transaction.
    #[must_use]
    pub fn error(mut self, kind: ErrorKind) -> Self {
        self.effect = Effect::Error(kind);
        self
    }

    /// The call runs, and the connection is lost before its answer arrives. A COMMIT, or a write outside of a transaction, has
    /// taken effect then, and its error [is in doubt](Error::is_in_doubt).
    #[must_use]
    pub fn answer_lost(mut self) -> Self {
        self.effect = Effect::Lost { ran: true };
        self
    }

    /// The call waits before it runs. A time limit of the program may end it meanwhile.
    #[must_use]
    pub fn slow(mut self, wait: Duration) -> Self {
        self.effect = Effect::Slow(wait);
        self
    }

    /// The connection is lost when a query has given so many rows. One that gives fewer ends as usual, and the fault is left for
    /// the next.
    #[must_use]
    pub fn after_rows(mut self, rows: u64) -> Self {
        self.effect = Effect::AfterRows(rows);
        self
    }
}

/// A backend that passes calls on to another one and fails where a test says so.
///
/// A connection that is lost is closed, so that the pool behind it opens another one. Clones share their faults.
///
/// ```
/// use std::sync::Arc;
///
/// use isogloss::sqlite::driver::{SqliteBackend, SqliteOptions};
/// use isogloss_compiler::Compiled;
/// use isogloss_driver::{Backend, ConnectionExt, ErrorKind};
/// use isogloss_testing::{Fault, Faulty};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> isogloss_driver::Result<()> {
/// let database = Faulty::new(Arc::new(SqliteBackend::open(SqliteOptions::memory()).await?));
/// database.add(Fault::on("SELECT").nth(2).error(ErrorKind::Deadlock));
///
/// let mut connection = database.connect().await?;
/// let question = Compiled { sql: "SELECT 1".into(), ..Compiled::default() };
/// assert_eq!(connection.fetch::<(i64,)>(&question).await?, [(1,)]);
/// assert_eq!(connection.fetch::<(i64,)>(&question).await.unwrap_err().kind(), ErrorKind::Deadlock);
/// assert_eq!(connection.fetch::<(i64,)>(&question).await?, [(1,)]);
/// assert_eq!(database.left(), 0);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Faulty {
    inner: Arc<dyn Backend>,
    faults: Faults,
}

#[derive(Debug, Clone, Default)]
struct Faults {
    /// In the order in which they were added.
    list: Arc<Mutex<Vec<Fault>>>,
    added: Arc<AtomicU64>,
}

impl Faults {
    fn list(&self) -> MutexGuard<'_, Vec<Fault>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What happens to a call. Each fault counts those that it is about.
    fn meet(&self, is_here: impl Fn(&Fault) -> bool) -> Option<Fault> {
        let mut met = None;
        self.list().retain_mut(|fault| {
            if !is_here(fault) {
                return true;
            }
            if fault.skip > 0 {
                fault.skip -= 1;
                return true;
            }
            if met.is_some() {
                return true;
            }
            met = Some(fault.clone());
            fault.always
        });
        met
    }

    /// What happens to a call that gives no rows.
    fn statement(&self, sql: &str) -> Option<Fault> {
        self.meet(|fault| fault.is_at(sql) && fault.rows().is_none())
    }

    /// What happens to a query.
    fn query(&self, sql: &str) -> Option<Fault> {
        self.meet(|fault| fault.is_at(sql))
    }

    /// A fault that was met, and has not happened.
    fn give_back(&self, fault: Fault) {
        if !fault.always {
            let mut list = self.list();
            let place = list.partition_point(|other| other.number < fault.number);
            list.insert(place, fault);
        }
    }
}

impl Faulty {
    /// A backend without faults yet.
    #[must_use]
    pub fn new(inner: Arc<dyn Backend>) -> Self {
        Self { inner, faults: Faults::default() }
    }

    /// Adds a fault. If several are about one call, the first that was added happens.
    pub fn add(&self, mut fault: Fault) {
        let mut list = self.faults.list();
        fault.number = self.faults.added.fetch_add(1, Ordering::Relaxed);
        list.push(fault);
    }

    /// How many faults have not happened yet, with those that always do.
    #[must_use]
    pub fn left(&self) -> usize {
        self.faults.list().len()
    }

    /// Removes all faults.
    pub fn clear(&self) {
        self.faults.list().clear();
    }
}

fn lost() -> Error {
    Error::new(ErrorKind::ConnectionLost, "the connection is lost, as the test wants it")
}

fn failed(kind: ErrorKind) -> Error {
    Error::new(kind, "the call fails, as the test wants it")
}

impl Backend for Faulty {
    fn dialect(&self) -> &dyn Dialect {
        self.inner.dialect()
    }

    fn ddl(&self) -> &dyn Ddl {
        self.inner.ddl()
    }

    fn origin(&self) -> &Origin {
        self.inner.origin()
    }

    fn connect(&self) -> BoxFuture<'_, Result<AnyConnection>> {
        Box::pin(async move {
            let fault = self.faults.meet(|fault| matches!(fault.place, Place::Connect));
            match fault.map(|fault| fault.effect) {
                Some(Effect::Error(kind)) => return Err(failed(kind)),
                Some(Effect::Slow(wait)) => tokio::time::sleep(wait).await,
                Some(Effect::Lost { .. } | Effect::AfterRows(_)) => return Err(lost()),
                None => {}
            }
            let inner = self.inner.connect().await?;
            Ok(AnyConnection::new(FaultyConnection { inner, faults: self.faults.clone(), cut: AtomicBool::new(false) }))
        })
    }

    fn collations(&self) -> Option<&dyn Collations> {
        self.inner.collations()
    }

    fn replication(&self) -> Option<Replication> {
        self.inner.replication()
    }

    fn status(&self) -> PoolStatus {
        self.inner.status()
    }
}

#[derive(Debug)]
struct FaultyConnection {
    inner: AnyConnection,
    faults: Faults,
    /// A stream has lost it.
    cut: AtomicBool,
}

/// Whether a call takes effect for good when it runs, so that one whose answer is lost is in doubt.
#[derive(Clone, Copy)]
struct IsFinal(bool);

impl IsFinal {
    fn lost(self) -> Error {
        if self.0 { lost().in_doubt() } else { lost() }
    }
}

impl FaultyConnection {
    fn writes(&self) -> IsFinal {
        IsFinal(self.inner.depth() == 0)
    }

    fn reads_or_writes(&self, statement: &Compiled<'_>) -> IsFinal {
        IsFinal(self.inner.depth() == 0 && !only_reads(statement))
    }

    /// The connection, which is closed if a stream has lost it.
    fn inner(&mut self) -> &mut AnyConnection {
        if std::mem::take(self.cut.get_mut()) {
            self.inner.close();
        }
        &mut self.inner
    }

    fn lose(&mut self, is_final: IsFinal) -> Error {
        self.inner.close();
        is_final.lost()
    }

    /// What happens before a call runs.
    async fn before(&mut self, fault: Option<&Fault>, is_final: IsFinal) -> Result<()> {
        match fault.map(|fault| &fault.effect) {
            Some(Effect::Error(kind)) => Err(failed(*kind)),
            Some(Effect::Lost { ran: false }) => Err(self.lose(is_final)),
            Some(Effect::Slow(wait)) => {
                tokio::time::sleep(*wait).await;
                Ok(())
            }
            Some(Effect::Lost { ran: true } | Effect::AfterRows(_)) | None => Ok(()),
        }
    }

    /// What becomes of its answer.
    fn after<T>(&mut self, fault: Option<&Fault>, is_final: IsFinal, done: Result<T>) -> Result<T> {
        match fault.map(|fault| &fault.effect) {
            Some(Effect::Lost { ran: true }) => done.and_then(|_| Err(self.lose(is_final))),
            Some(Effect::AfterRows(_)) if is_lost(&done) => Err(self.lose(is_final)),
            _ => done,
        }
    }
}

impl Drop for FaultyConnection {
    fn drop(&mut self) {
        self.inner();
    }
}

fn is_lost<T>(done: &Result<T>) -> bool {
    done.as_ref().is_err_and(|error| error.kind() == ErrorKind::ConnectionLost)
}

/// Runs a call between what happens before and after it.
macro_rules! fails {
    ($self:ident, $fault:expr, $is_final:expr, $run:expr) => {
        Box::pin(async move {
            let (fault, is_final): (Option<Fault>, IsFinal) = ($fault, $is_final);
            $self.before(fault.as_ref(), is_final).await?;
            let done = $run.await;
            $self.after(fault.as_ref(), is_final, done)
        })
    };
}

/// Loses the connection behind so many rows.
struct Cut {
    inner: Box<dyn RowSink>,
    rows: u64,
}

impl Cut {
    fn of(sink: Box<dyn RowSink>, rows: Option<u64>) -> Box<dyn RowSink> {
        match rows {
            Some(rows) => Box::new(Self { inner: sink, rows }),
            None => sink,
        }
    }

    /// The sink as it was before [`of`](Self::of), and how many rows are left.
    fn apart(sink: Box<dyn RowSink>, rows: Option<u64>) -> Result<(Box<dyn RowSink>, Option<u64>)> {
        if rows.is_none() {
            return Ok((sink, None));
        }
        let sink: Box<dyn Any> = sink;
        match sink.downcast::<Self>() {
            Ok(cut) => Ok((cut.inner, Some(cut.rows))),
            Err(_) => Err(Error::new(ErrorKind::Other, "the connection gave back another sink than it was given")),
        }
    }
}

impl RowSink for Cut {
    fn row(&mut self, row: &dyn Row) -> Result<Flow> {
        self.rows = self.rows.checked_sub(1).ok_or_else(lost)?;
        self.inner.row(row)
    }

    fn most(&self) -> usize {
        self.inner.most()
    }
}

impl Connection for FaultyConnection {
    fn execute<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<u64>> {
        fails!(self, self.faults.statement(&statement.sql), self.writes(), self.inner().execute(statement))
    }

    fn query<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        sink: Box<dyn RowSink>,
    ) -> BoxFuture<'c, Result<Box<dyn RowSink>>> {
        let fault = self.faults.query(&statement.sql);
        let (is_final, faults) = (self.reads_or_writes(statement), self.faults.clone());
        let (rows, met) = (fault.as_ref().and_then(Fault::rows), fault.clone());
        let run = async move |inner: &mut AnyConnection| {
            let sink = inner.query(statement, Cut::of(sink, rows)).await?;
            match (Cut::apart(sink, rows)?, met) {
                ((_, Some(0)), _) => Err(lost()),
                ((sink, Some(_)), Some(fault)) => {
                    faults.give_back(fault);
                    Ok(sink)
                }
                ((sink, _), _) => Ok(sink),
            }
        };
        fails!(self, fault, is_final, run(self.inner()))
    }

    fn open<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<Box<dyn Cursor + 'c>>> {
        Box::pin(async move {
            let fault = self.faults.query(&statement.sql);
            let is_final = self.reads_or_writes(statement);
            self.before(fault.as_ref(), is_final).await?;
            if matches!(fault, Some(Fault { effect: Effect::Lost { ran: true }, .. })) {
                drop(self.inner().open(statement).await?);
                return Err(self.lose(is_final));
            }
            self.inner();
            let Self { inner, faults, cut } = self;
            let inner = inner.open(statement).await?;
            let cutting = fault.and_then(|fault| Some((fault.rows()?, fault)));
            Ok(Box::new(FaultyCursor { inner, cutting, is_final, faults, cut }) as Box<dyn Cursor + 'c>)
        })
    }

    fn execute_many<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<u64>> {
        let fault = self.faults.statement(&statement.sql);
        fails!(self, fault, self.writes(), self.inner().execute_many(statement, rows))
    }

    fn runs_many_at_once(&self) -> bool {
        self.inner.runs_many_at_once()
    }

    fn bulk_insert<'c>(&'c mut self, into: &'c BulkInsert, rows: Box<dyn RowSource>) -> BoxFuture<'c, Result<u64>> {
        fails!(self, self.faults.statement(into.sql()), self.writes(), self.inner().bulk_insert(into, rows))
    }

    fn bulk_insert_keys<'c>(
        &'c mut self,
        into: &'c BulkInsert,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<Vec<Value>>> {
        fails!(self, self.faults.statement(into.sql()), self.writes(), self.inner().bulk_insert_keys(into, rows))
    }

    fn script<'c>(&'c mut self, sql: &'c str) -> BoxFuture<'c, Result<()>> {
        fails!(self, self.faults.statement(sql), self.writes(), self.inner().script(sql))
    }

    fn begin<'c>(&'c mut self, options: &'c TransactionOptions) -> BoxFuture<'c, Result<()>> {
        let outermost = self.inner.depth() == 0;
        let fault = self.faults.meet(|fault| outermost && matches!(fault.place, Place::Begin));
        fails!(self, fault, IsFinal(false), self.inner().begin(options))
    }

    fn commit(&mut self) -> BoxFuture<'_, Result<()>> {
        let outermost = self.inner.depth() == 1;
        let fault = self.faults.meet(|fault| outermost && matches!(fault.place, Place::Commit));
        fails!(self, fault, IsFinal(outermost), self.inner().commit())
    }

    fn rollback(&mut self) -> BoxFuture<'_, Result<()>> {
        self.inner().rollback()
    }

    fn depth(&self) -> u32 {
        self.inner.depth()
    }

    fn set_statement_timeout(&mut self, timeout: Option<Duration>) -> BoxFuture<'_, Result<()>> {
        self.inner().set_statement_timeout(timeout)
    }

    fn ping(&mut self) -> BoxFuture<'_, Result<()>> {
        self.inner().ping()
    }

    fn close(&mut self) {
        self.inner.close();
    }

    fn unsettled(&mut self) -> Option<BoxFuture<'_, Result<()>>> {
        self.inner().unsettled()
    }
}

/// A stream that may end in the middle.
struct FaultyCursor<'c> {
    inner: Box<dyn Cursor + 'c>,
    /// How many rows there are before the fault.
    cutting: Option<(u64, Fault)>,
    is_final: IsFinal,
    faults: &'c Faults,
    cut: &'c AtomicBool,
}

impl FaultyCursor<'_> {
    fn lose(&mut self) -> Error {
        self.cutting = None;
        self.cut.store(true, Ordering::Relaxed);
        self.is_final.lost()
    }
}

impl Cursor for FaultyCursor<'_> {
    fn fill(&mut self, sink: Box<dyn RowSink>) -> BoxFuture<'_, Result<(Box<dyn RowSink>, bool)>> {
        Box::pin(async move {
            let before = self.cutting.as_ref().map(|(rows, _)| *rows);
            let filled = self.inner.fill(Cut::of(sink, before)).await;
            if before.is_some() && is_lost(&filled) {
                return Err(self.lose());
            }
            let (sink, more) = filled?;
            let (sink, left) = Cut::apart(sink, before)?;
            if left == Some(0) && !more {
                return Err(self.lose());
            }
            if let (Some((rows, _)), Some(left)) = (&mut self.cutting, left) {
                *rows = left;
            }
            Ok((sink, more))
        })
    }
}

/// It has ended, or nobody wants the rest.
impl Drop for FaultyCursor<'_> {
    fn drop(&mut self) {
        match self.cutting.take() {
            Some((0, _)) => drop(self.lose()),
            Some((_, fault)) => self.faults.give_back(fault),
            None => {}
        }
    }
}
