//! Sessions: one unit of work over the data sources of a context.
//!
//! The [guide](crate::guide::sessions) has a page on them.

mod current;
#[cfg(feature = "di")]
mod end;
mod error;
mod hooks;
mod lease;
mod retry;
mod scoped;
mod stream;
mod terms;
mod trace;
mod transaction;
mod unit;
mod written;

use std::fmt;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::OwnedMutexGuard;

pub use error::{CommitError, CommitOutcome, Ending, Holder, SessionError};
pub use hooks::Outcome;
#[cfg(feature = "services")]
pub(crate) use hooks::caught;
pub use lease::{Lease, Purpose};
pub use retry::{Conflict, RetryOptions};
pub(crate) use stream::rows;

use crate::context::Sources;
use crate::{OrmContext, OrmResult};
use hooks::{Due, Hooks};
use terms::Terms;
use trace::Stack;
use transaction::Running;
use unit::Unit;
use written::Written;

/// After how long an operation that waits for another one of its session says so in the log.
const PATIENCE: Duration = Duration::from_secs(1);

/// A unit of work over the data sources of a context. A clone refers to the same session, and is cheap.
///
/// Data access objects and services read and write in a session:
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> isogloss::OrmResult<()> {
/// # use isogloss::config::DataSourceConfig;
/// # use isogloss::entity::Linked as _;
/// use isogloss::prelude::*;
///
/// #[derive(Debug, Clone, PartialEq, Default, Entity)]
/// #[table(name = "tasks", columns = "snake_case")]
/// struct Task {
///     #[column(primary_key, identity)]
///     id: i64,
///     title: String,
/// }
/// # let context = OrmContext::new(Catalog::builder().entity::<Task>().build()?);
/// # context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true))?;
///
/// let session = context.create_session()?;
/// session
///     .transaction(async |tx: &Session| {
///         let mut task = Task { id: 0, title: "write".into() };
///         ObjectDao::new(tx).insert(&mut task).await?;
///         task.title = "read".into();
///         ObjectDao::new(tx).update(&mut task).await
///     })
///     .await?;
///
/// // The last statements, without the values of their parameters.
/// assert_eq!(session.sql_stack(), [
///     r#"INSERT INTO "tasks" ("title") VALUES (?) RETURNING "tasks"."id" AS "Id""#,
///     r#"UPDATE "tasks" AS "T0" SET "title" = ? WHERE "T0"."id" = ?"#,
/// ]);
/// # Ok(()) }
/// ```
///
/// # Connections
///
/// A session holds a connection for the time of a statement or a transaction, and no longer. It runs one operation at a
/// time: the next one waits for the one before. A stream that reads outside of a transaction has a connection of its
/// own, so that nothing waits for it, unless the pool has only one connection, as for SQLite's `:memory:`. An operation
/// that would wait for a stream longer than a second fails with [`SessionError::Busy`]. The end of a transaction waits
/// for the time that [`lease_wait`](crate::context::OrmBuilder::lease_wait) sets.
///
/// # Transactions
///
/// A transaction belongs to the session, not to the closure or task that has begun it. While it is open, every
/// operation of the session is a part of it: of its clones, of the current session, and of futures that run
/// concurrently, such as the other arm of a `join!`. Use another session, by
/// [`context().create_session()`](OrmContext::create_session), for concurrent work, and for writes that must survive a
/// rollback, such as those to a log:
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> isogloss::OrmResult<()> {
/// # use isogloss::config::DataSourceConfig;
/// # use isogloss::prelude::*;
/// # use isogloss::session::Purpose;
/// # use isogloss::{OrmContext, OrmError, Session};
/// # let context = OrmContext::new(Catalog::builder().build()?);
/// # let file = std::env::temp_dir().join(format!("isogloss_beside_{}.db", std::process::id()));
/// # context.add_data_source(DataSourceConfig::new("main", "sqlite", format!("{}?create=true", file.display())))?;
/// # let write = async |session: &Session, sql: &str| session.lease(None, Purpose::Write).await?.script(sql).await;
/// let session = context.create_session()?;
/// write(&session, "CREATE TABLE notes (text)").await?;
/// let failed: Result<(), OrmError> = session
///     .transaction(async |_: &Session| {
///         // Not `_`, and yet in the transaction.
///         write(&session, "INSERT INTO notes VALUES ('taken back')").await?;
///         Err(isogloss::driver::Error::new(isogloss::driver::ErrorKind::Other, "enough").into())
///     })
///     .await;
/// assert!(failed.is_err());
/// write(&session.context().create_session()?, "INSERT INTO notes VALUES ('kept')").await?;
/// let mut lease = session.lease(None, Purpose::Read).await?;
/// let all = isogloss::Compiled { sql: "SELECT text FROM notes".into(), ..Default::default() };
/// assert_eq!(lease.fetch::<(String,)>(&all).await?, [("kept".to_owned(),)]);
/// # drop(lease);
/// # context.close();
/// # for end in ["", "-wal", "-shm"] { let _ = std::fs::remove_file(format!("{}{end}", file.display())); }
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Session {
    inner: Arc<SessionInner>,
    /// None are the usual ones.
    terms: Option<Arc<Terms>>,
}

struct SessionInner {
    context: OrmContext,
    sources: Arc<Sources>,
    id: u64,
    state: Arc<tokio::sync::Mutex<State>>,
    /// How many levels of transactions are open: what is in the state, for whoever does not want to wait.
    depth: AtomicUsize,
    /// Whether it is a stream that has the state.
    streams: AtomicBool,
    /// How many streams there are beside the state, each with a connection of its own.
    beside: AtomicUsize,
    /// How many transactions and savepoints calls of services have open.
    #[cfg(feature = "services")]
    calls: AtomicUsize,
    /// Levels whose futures were dropped before their end.
    abandoned: Mutex<Vec<u64>>,
    /// What is to run behind transactions that have ended.
    due: Mutex<Due>,
    stack: Mutex<Stack>,
    /// The scope that it is of has ended.
    #[cfg(feature = "di")]
    ended: AtomicBool,
}

/// What one operation at a time may change.
#[derive(Default)]
struct State {
    /// The transaction.
    unit: Option<Unit>,
    /// Counts levels of transactions.
    serial: u64,
    /// The levels whose closures run.
    running: Vec<Running>,
    /// Those of them that were committed by what the closure runs.
    committed: Vec<u64>,
    /// The hooks of transactions that have ended since this was last published.
    ended: Hooks,
    /// The replicas that the session reads from, with their sources: the same ones each time, so that what it has seen
    /// of one is not gone at the next look.
    chosen: Vec<(Arc<str>, usize)>,
    /// What it has written that replicas may lack.
    written: Vec<Written>,
}

impl Session {
    pub(crate) fn new(context: OrmContext, sources: Arc<Sources>, id: u64) -> Self {
        let stack = Mutex::new(Stack::new(context.settings()));
        let inner = SessionInner {
            context,
            sources,
            id,
            state: Arc::default(),
            depth: AtomicUsize::new(0),
            streams: AtomicBool::new(false),
            beside: AtomicUsize::new(0),
            #[cfg(feature = "services")]
            calls: AtomicUsize::new(0),
            abandoned: Mutex::default(),
            due: Mutex::default(),
            stack,
            #[cfg(feature = "di")]
            ended: AtomicBool::new(false),
        };
        Self { inner: Arc::new(inner), terms: None }
    }

    /// The context of the session.
    #[must_use]
    pub fn context(&self) -> &OrmContext {
        &self.inner.context
    }

    /// The number of the session, by which logs tell the sessions of a context apart.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.inner.id
    }

    /// Whether both are the same session.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// The number of open transactions and savepoints.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.inner.depth.load(Ordering::Acquire)
    }

    /// Whether a transaction is open.
    #[must_use]
    pub fn in_transaction(&self) -> bool {
        self.depth() > 0
    }

    /// How many of them calls of services have begun.
    #[cfg(feature = "services")]
    pub(crate) fn calls(&self) -> &AtomicUsize {
        &self.inner.calls
    }

    /// The last 10 statements, the newest at the end. They are without the values of parameters, unless
    /// [`stack_parameters`](crate::context::OrmBuilder::stack_parameters) is set.
    #[must_use]
    pub fn sql_stack(&self) -> Vec<String> {
        self.stack(|stack| stack.texts())
    }

    /// Clears the list of the last statements.
    pub fn clear_sql_stack(&self) {
        self.stack(Stack::clear);
    }

    fn stack<T>(&self, run: impl FnOnce(&mut Stack) -> T) -> T {
        run(&mut self.inner.stack.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until it is this operation's turn, and takes back what was given up before. Who waits for a stream soon hears
    /// that, as most often the same task holds it.
    async fn lock(&self) -> OrmResult<OwnedMutexGuard<State>> {
        self.lock_beside(PATIENCE).await
    }

    /// Stands in line for what ends a transaction: a stream in it may come to its end in another task, and what was written
    /// is not taken back for that.
    async fn lock_to_end(&self) -> OrmResult<OwnedMutexGuard<State>> {
        self.lock_beside(Duration::MAX).await
    }

    /// Waits for a stream no longer than that.
    async fn lock_beside(&self, stream: Duration) -> OrmResult<OwnedMutexGuard<State>> {
        loop {
            let state = Arc::clone(&self.inner.state);
            // Most often nobody else is there, and no need for a clock.
            let mut state = match Arc::clone(&state).try_lock_owned() {
                Ok(state) => state,
                Err(_) => self.turn(state, stream).await?,
            };
            self.settle(&mut state).await;
            self.publish(&mut state);
            #[cfg(feature = "di")]
            self.refuse_ended(&mut state)?;
            // Hooks of what was given up before; in a transaction, those of the session wait for its end.
            let turn = if state.unit.is_none() { self.hooks_turn() } else { None };
            match turn {
                None => return Ok(state),
                Some(hooks) => {
                    drop(state);
                    hooks.run().await;
                }
            }
        }
    }

    /// Stands in line. Who waits for long is told what for while there is time to look at it.
    async fn turn(&self, state: Arc<tokio::sync::Mutex<State>>, stream: Duration) -> OrmResult<OwnedMutexGuard<State>> {
        let waited = self.inner.context.settings().lease_wait;
        let holder = || if self.inner.streams.load(Ordering::Acquire) { Holder::Stream } else { Holder::Operation };
        let mut turn = pin!(state.lock_owned());
        let soon = PATIENCE.min(waited);
        if let Ok(state) = tokio::time::timeout(soon, turn.as_mut()).await {
            return Ok(state);
        }
        let (session, holder_now) = (self.id(), holder());
        if holder_now == Holder::Stream && stream.min(waited) <= soon {
            return Err(SessionError::Busy { waited: soon, holder: holder_now }.into());
        }
        tracing::warn!(target: "isogloss", session, "an operation of a session waits for {holder_now} of it");
        match tokio::time::timeout(waited - soon, turn).await {
            Ok(state) => Ok(state),
            Err(_) => Err(SessionError::Busy { waited, holder: holder() }.into()),
        }
    }

    /// Tells those who do not wait for the state what has become of it.
    fn publish(&self, state: &mut State) {
        if !state.ended.is_empty() {
            self.due().hooks.append(&mut state.ended);
        }
        self.inner.depth.store(state.unit.as_ref().map_or(0, Unit::depth), Ordering::Release);
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("id", &self.id()).field("depth", &self.depth()).finish_non_exhaustive()
    }
}
