//! A backend that fails on demand.

use std::any::Any;
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
        Self { place, skip: 0, always: false, effect: Effect::Lost { ran: false } }
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

    /// At the begin of a transaction. Without another effect, the connection is lost.
    #[must_use]
    pub fn on_begin() -> Self {
        Self::at(Place::Begin)
    }

    /// At the COMMIT of a transaction. Without another effect, the connection is lost before it was done, which the program
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

    /// The connection is lost when a query has given so many rows.
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
struct Faults(Arc<Mutex<Vec<Fault>>>);

impl Faults {
    fn list(&self) -> MutexGuard<'_, Vec<Fault>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What happens to a call. Each fault counts those that it is about.
    fn meet(&self, is_here: impl Fn(&Place) -> bool) -> Option<Effect> {
        let mut list = self.list();
        let mut met = None;
        list.retain_mut(|fault| {
            if met.is_some() || !is_here(&fault.place) {
                return true;
            }
            if fault.skip > 0 {
                fault.skip -= 1;
                return true;
            }
            met = Some(fault.effect.clone());
            fault.always
        });
        met
    }

    fn statement(&self, sql: &str) -> Option<Effect> {
        self.meet(|place| matches!(place, Place::Statement(part) if sql.contains(part.as_str())))
    }
}

impl Faulty {
    /// A backend without faults yet.
    #[must_use]
    pub fn new(inner: Arc<dyn Backend>) -> Self {
        Self { inner, faults: Faults::default() }
    }

    /// Adds a fault. If several are about one call, the first that was added happens.
    pub fn add(&self, fault: Fault) {
        self.faults.list().push(fault);
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
            match self.faults.meet(|place| matches!(place, Place::Connect)) {
                Some(Effect::Error(kind)) => return Err(failed(kind)),
                Some(Effect::Slow(wait)) => tokio::time::sleep(wait).await,
                Some(Effect::Lost { .. } | Effect::AfterRows(_)) => return Err(lost()),
                None => {}
            }
            let inner = self.inner.connect().await?;
            Ok(AnyConnection::new(FaultyConnection { inner, faults: self.faults.clone() }))
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
}

/// Whether a call takes effect for good when it runs, so that one whose answer is lost is in doubt.
#[derive(Clone, Copy)]
struct IsFinal(bool);

impl FaultyConnection {
    fn writes(&self) -> IsFinal {
        IsFinal(self.inner.depth() == 0)
    }

    fn lose(&mut self, IsFinal(is_final): IsFinal) -> Error {
        self.inner.close();
        if is_final { lost().in_doubt() } else { lost() }
    }

    /// What happens before a call runs.
    async fn before(&mut self, effect: Option<&Effect>, is_final: IsFinal) -> Result<()> {
        match effect {
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
    fn after<T>(&mut self, effect: Option<&Effect>, is_final: IsFinal, done: Result<T>) -> Result<T> {
        match effect {
            Some(Effect::Lost { ran: true }) => done.and_then(|_| Err(self.lose(is_final))),
            Some(Effect::AfterRows(_)) if done.is_err() => {
                self.inner.close();
                done
            }
            _ => done,
        }
    }
}

/// Runs a call between what happens before and after it.
macro_rules! fails {
    ($self:ident, $effect:expr, $is_final:expr, $run:expr) => {
        Box::pin(async move {
            let (effect, is_final): (Option<Effect>, IsFinal) = ($effect, $is_final);
            $self.before(effect.as_ref(), is_final).await?;
            let done = $run.await;
            $self.after(effect.as_ref(), is_final, done)
        })
    };
}

/// Loses the connection behind so many rows.
struct Cut {
    inner: Box<dyn RowSink>,
    rows: u64,
}

impl Cut {
    fn of(sink: Box<dyn RowSink>, effect: Option<&Effect>) -> Box<dyn RowSink> {
        match effect {
            Some(Effect::AfterRows(rows)) => Box::new(Self { inner: sink, rows: *rows }),
            _ => sink,
        }
    }

    /// The sink as it was before [`of`](Self::of), and how many rows are left.
    fn apart(sink: Box<dyn RowSink>, effect: Option<&Effect>) -> Result<(Box<dyn RowSink>, Option<u64>)> {
        if !matches!(effect, Some(Effect::AfterRows(_))) {
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
        fails!(self, self.faults.statement(&statement.sql), self.writes(), self.inner.execute(statement))
    }

    fn query<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        sink: Box<dyn RowSink>,
    ) -> BoxFuture<'c, Result<Box<dyn RowSink>>> {
        let effect = self.faults.statement(&statement.sql);
        let sink = Cut::of(sink, effect.as_ref());
        let is_final = IsFinal(self.inner.depth() == 0 && !only_reads(statement));
        let wrapped = effect.clone();
        let run = async move |inner: &mut AnyConnection| {
            Ok(Cut::apart(inner.query(statement, sink).await?, wrapped.as_ref())?.0)
        };
        fails!(self, effect, is_final, run(&mut self.inner))
    }

    fn open<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<Box<dyn Cursor + 'c>>> {
        Box::pin(async move {
            let effect = self.faults.statement(&statement.sql);
            let is_final = IsFinal(self.inner.depth() == 0 && !only_reads(statement));
            self.before(effect.as_ref(), is_final).await?;
            if matches!(effect, Some(Effect::Lost { ran: true })) {
                drop(self.inner.open(statement).await?);
                return Err(self.lose(is_final));
            }
            let inner = self.inner.open(statement).await?;
            Ok(Box::new(FaultyCursor { inner, effect }) as Box<dyn Cursor + 'c>)
        })
    }

    fn execute_many<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<u64>> {
        let effect = self.faults.statement(&statement.sql);
        fails!(self, effect, self.writes(), self.inner.execute_many(statement, rows))
    }

    fn runs_many_at_once(&self) -> bool {
        self.inner.runs_many_at_once()
    }

    fn bulk_insert<'c>(&'c mut self, into: &'c BulkInsert, rows: Box<dyn RowSource>) -> BoxFuture<'c, Result<u64>> {
        fails!(self, self.faults.statement(into.sql()), self.writes(), self.inner.bulk_insert(into, rows))
    }

    fn bulk_insert_keys<'c>(
        &'c mut self,
        into: &'c BulkInsert,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<Vec<Value>>> {
        fails!(self, self.faults.statement(into.sql()), self.writes(), self.inner.bulk_insert_keys(into, rows))
    }

    fn script<'c>(&'c mut self, sql: &'c str) -> BoxFuture<'c, Result<()>> {
        fails!(self, self.faults.statement(sql), self.writes(), self.inner.script(sql))
    }

    fn begin<'c>(&'c mut self, options: &'c TransactionOptions) -> BoxFuture<'c, Result<()>> {
        let effect = self.faults.meet(|place| matches!(place, Place::Begin));
        fails!(self, effect, IsFinal(false), self.inner.begin(options))
    }

    fn commit(&mut self) -> BoxFuture<'_, Result<()>> {
        let outermost = self.inner.depth() == 1;
        let effect = self.faults.meet(|place| outermost && matches!(place, Place::Commit));
        fails!(self, effect, IsFinal(outermost), self.inner.commit())
    }

    fn rollback(&mut self) -> BoxFuture<'_, Result<()>> {
        self.inner.rollback()
    }

    fn depth(&self) -> u32 {
        self.inner.depth()
    }

    fn set_statement_timeout(&mut self, timeout: Option<Duration>) -> BoxFuture<'_, Result<()>> {
        self.inner.set_statement_timeout(timeout)
    }

    fn ping(&mut self) -> BoxFuture<'_, Result<()>> {
        self.inner.ping()
    }

    fn close(&mut self) {
        self.inner.close();
    }

    fn unsettled(&mut self) -> Option<BoxFuture<'_, Result<()>>> {
        self.inner.unsettled()
    }
}

/// A stream that may end in the middle.
struct FaultyCursor<'c> {
    inner: Box<dyn Cursor + 'c>,
    effect: Option<Effect>,
}

impl Cursor for FaultyCursor<'_> {
    fn fill(&mut self, sink: Box<dyn RowSink>) -> BoxFuture<'_, Result<(Box<dyn RowSink>, bool)>> {
        Box::pin(async move {
            let (sink, more) = self.inner.fill(Cut::of(sink, self.effect.as_ref())).await?;
            let (sink, left) = Cut::apart(sink, self.effect.as_ref())?;
            if let Some(left) = left {
                self.effect = Some(Effect::AfterRows(left));
            }
            Ok((sink, more))
        })
    }
}
