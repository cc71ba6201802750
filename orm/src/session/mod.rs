//! Sessions: one unit of work over the data sources of a context.
//!
//! See the [guide](crate::guide::sessions).

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
use unit::Unit;

/// After how long an operation that waits for another one of its session says so in the log.
const PATIENCE: Duration = Duration::from_secs(1);

/// One unit of work over the data sources of a context. A clone is the same session, and cheap.
///
/// It holds a connection for a transaction and for the time of a statement, and no longer: to take one from the pool
/// again costs less than a statement does, and an idle session would keep it from others. One thing is done at a time: an
/// operation waits for the one before. Outside of a transaction a stream that reads has a connection of its own, and
/// nothing waits for its end, unless the pool has one connection only, as that of SQLite's `:memory:`. What would wait for a
/// stream longer than a second is the error [`SessionError::Busy`]; the end of a transaction waits for it as long as
/// [`lease_wait`](crate::context::OrmBuilder::lease_wait) says.
///
/// A transaction is of the session, not of the closure or task that has begun it: while it is open, every operation of
/// the session is in it, also of a clone, of the current session, and of a future that runs beside it, such as the other
/// arm of a `join!`. It is committed or taken back with it. What is to be done whatever becomes of the transaction, a log
/// or a counter, needs a session of its own: [`context().create_session()`](OrmContext::create_session). So does what runs
/// beside it.
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
/// # context.add_data_source(DataSourceConfig::new("main", "sqlite", format!("{}?create=true", file.display())), true)?;
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
    inner: Arc<Inner>,
    /// None are the usual ones.
    terms: Option<Arc<Terms>>,
}

struct Inner {
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
    running: Vec<u64>,
    /// Those of them that were committed by what the closure runs.
    committed: Vec<u64>,
    /// The hooks of transactions that have ended since this was last published.
    ended: Hooks,
    /// The replicas that the session reads from, with their sources: the same ones each time, so that what it has seen
    /// of one is not gone at the next look.
    chosen: Vec<(Arc<str>, usize)>,
}

impl Session {
    pub(crate) fn new(context: OrmContext, sources: Arc<Sources>, id: u64) -> Self {
        let stack = Mutex::new(Stack::new(context.settings()));
        let inner = Inner {
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

    /// Its context.
    #[must_use]
    pub fn context(&self) -> &OrmContext {
        &self.inner.context
    }

    /// Its number, by which logs tell the sessions of a context apart.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.inner.id
    }

    /// Whether both are the same session.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// How many transactions and savepoints are open.
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

    /// The last 10 statements, the newest at the end. They have no values, unless
    /// [`stack_parameters`](crate::context::OrmBuilder::stack_parameters) says so.
    #[must_use]
    pub fn sql_stack(&self) -> Vec<String> {
        self.stack(|stack| stack.texts())
    }

    /// Forgets these statements.
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
