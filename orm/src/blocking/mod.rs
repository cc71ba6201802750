//! The data access layer without `async`: the same types and methods as in [`session`](mod@crate::session) and
//! [`dao`](crate::dao), which block the calling thread.
//!
//! No runtime is needed: background work runs on threads of a runtime that the library starts. Inside of a
//! multi-threaded runtime, a call blocks its thread as tokio's `block_in_place` does, so that other tasks move to other
//! threads; in a `LocalSet`, its other tasks wait. On a runtime with a single thread, a call fails with
//! [`SessionError::OnlyThread`]. There, use the asynchronous [`Session`](crate::Session), or call from a thread of your
//! own.
//!
//! ```
//! use isogloss::blocking::{ObjectDao, ObjectViewDao, Orm};
//! use isogloss::config::DataSourceConfig;
//! use isogloss::entity::Linked;
//! use isogloss::prelude::*;
//!
//! #[derive(Debug, Clone, PartialEq, Entity)]
//! #[table(name = "notes")]
//! struct Note {
//!     #[column(primary_key, identity)]
//!     id: i64,
//!     text: String,
//! }
//!
//! let source = DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true);
//! let context = isogloss::OrmContext::new(Catalog::builder().entity::<Note>().build()?);
//! context.add_data_source(source)?;
//! let session = Orm::from(context).create_session()?;
//!
//! let mut note = Note { id: 0, text: "Buy milk".into() };
//! ObjectDao::<Note>::new(&session).insert(&mut note)?;
//! session.transaction(|tx| {
//!     let notes = ObjectDao::<Note>::new(tx);
//!     notes.insert(&mut Note { id: 0, text: "Sleep".into() })?;
//!     notes.delete(&note).map(drop)
//! })?;
//! let left = ObjectViewDao::<Note>::new(&session).search(expr!(|n: Note| n.text.starts_with("S"))).all()?;
//! assert_eq!(left.len(), 1);
//! # Ok::<(), isogloss::OrmError>(())
//! ```

mod dao;
#[cfg(feature = "services")]
mod service;
mod waiting;

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use compact_str::CompactString;
use isogloss_driver::TransactionOptions;
use tokio::runtime::{Builder, Handle, Runtime, RuntimeFlavor};

use crate::context::OrmBuilder;
use crate::entity::{Related, Relation, View};
#[cfg(feature = "services")]
use crate::service::DynamicObject;
use crate::session::{Conflict, Outcome, RetryOptions, SessionError};
use crate::sync::TableSync;
use crate::{OrmContext, OrmError, OrmResult};

pub use dao::{DataDao, DataViewDao, ObjectDao, ObjectViewDao, Rows};
#[cfg(feature = "services")]
pub use service::{EntityService, EntityViewService};

/// Waits for a future, which finds a runtime around it.
fn wait<T, E: From<OrmError>>(future: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    let around = around();
    if matches!(around, Around::OneThread) {
        return Err(OrmError::from(SessionError::OnlyThread).into());
    }
    let runtime = runtime()?;
    let waits = || {
        let _within = runtime.enter();
        // A task has a share of the time, and is to yield when it is spent: here it would be asked to for ever.
        pollster::block_on(tokio::task::unconstrained(future))
    };
    // What the worker alone would run, such as a task that it has just woken, which may be that of the connection, is handed
    // on. Elsewhere that is of no use, and a panic in a `LocalSet`.
    if matches!(around, Around::Worker) { tokio::task::block_in_place(waits) } else { waits() }
}

/// What a thread would keep from going on while it waits.
enum Around {
    /// Nothing that is waited for.
    Nothing,
    /// All that its runtime has: what was opened there would wait for it, and it for that.
    OneThread,
    /// Tasks that no other thread of their runtime would run.
    Worker,
}

fn around() -> Around {
    let Ok(handle) = Handle::try_current() else { return Around::Nothing };
    if !has_tasks() {
        // What a runtime of several threads waits for, a `LocalSet` in that, a worker that has handed on what it had, and a
        // thread for what blocks.
        return Around::Nothing;
    }
    match handle.runtime_flavor() {
        RuntimeFlavor::CurrentThread => Around::OneThread,
        _ => Around::Worker,
    }
}

/// Whether the thread runs the tasks of a runtime: it keeps who yields for later, while elsewhere they are woken at once.
fn has_tasks() -> bool {
    struct Woken(AtomicBool);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::SeqCst);
        }
    }

    let woken = Arc::new(Woken(AtomicBool::new(false)));
    let waker = Waker::from(Arc::clone(&woken));
    let yields = pin!(tokio::task::yield_now()).poll(&mut Context::from_waker(&waker));
    yields.is_pending() && !woken.0.load(Ordering::SeqCst)
}

/// The threads for what goes on while callers wait. They end with the program.
fn runtime() -> OrmResult<&'static Runtime> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime);
    }
    let built = Builder::new_multi_thread().worker_threads(2).thread_name("isogloss").enable_all().build();
    let made = built.map_err(SessionError::NoThreads)?;
    // Of several threads that come here at once, the first is heard.
    if let Err(late) = RUNTIME.set(made) {
        late.shutdown_background();
    }
    RUNTIME.get().ok_or_else(|| SessionError::NoThreads(std::io::ErrorKind::Other.into()).into())
}

/// A blocking context: an [`OrmContext`] with blocking methods.
#[derive(Debug, Clone)]
pub struct Orm(OrmContext);

impl From<OrmContext> for Orm {
    fn from(context: OrmContext) -> Self {
        Self(context)
    }
}

impl Orm {
    /// Builds the context of a configuration.
    ///
    /// # Errors
    /// Those of [`OrmBuilder::build`].
    pub fn build(builder: OrmBuilder) -> OrmResult<Self> {
        wait(builder.build()).map(Self)
    }

    /// The asynchronous context, for methods that do not block.
    #[must_use]
    pub fn context(&self) -> &OrmContext {
        &self.0
    }

    /// Creates a session.
    ///
    /// # Errors
    /// Those of [`OrmContext::create_session`].
    pub fn create_session(&self) -> OrmResult<Session> {
        self.0.create_session().map(Session)
    }

    /// Connects to every data source.
    ///
    /// # Errors
    /// Those of [`OrmContext::connect_all`].
    pub fn connect_all(&self) -> OrmResult<()> {
        wait(self.0.connect_all())
    }

    /// Checks that every data source answers.
    ///
    /// # Errors
    /// Those of [`OrmContext::ping`].
    pub fn ping(&self) -> OrmResult<()> {
        wait(self.0.ping())
    }

    /// Closes the context, and waits for the work that is in progress.
    ///
    /// # Errors
    /// Those of [`OrmContext::close_and_wait`].
    pub fn close_and_wait(&self, wait_for: Duration) -> OrmResult<()> {
        wait(self.0.close_and_wait(wait_for))
    }

    /// Adds missing tables, columns and indexes.
    ///
    /// # Errors
    /// Those of [`OrmContext::sync_all`].
    pub fn sync_all(&self) -> OrmResult<Vec<TableSync>> {
        wait(self.0.sync_all())
    }

    /// The statements that [`sync_all`](Self::sync_all) would run.
    ///
    /// # Errors
    /// Those of [`OrmContext::sync_plan`].
    pub fn sync_plan(&self) -> OrmResult<Vec<TableSync>> {
        wait(self.0.sync_plan())
    }

    /// Adds what is missing of one table.
    ///
    /// # Errors
    /// Those of [`OrmContext::sync_table`].
    pub fn sync_table<A: Into<CompactString>>(
        &self,
        entity: &str,
        args: impl IntoIterator<Item = A>,
    ) -> OrmResult<TableSync> {
        wait(self.0.sync_table(entity, args))
    }
}

/// A blocking session. A clone refers to the same session.
#[derive(Debug, Clone)]
pub struct Session(crate::Session);

impl From<crate::Session> for Session {
    fn from(session: crate::Session) -> Self {
        Self(session)
    }
}

impl Session {
    /// The asynchronous session, for methods that do not block.
    #[must_use]
    pub fn session(&self) -> &crate::Session {
        &self.0
    }

    /// Begins a transaction, or a savepoint if one is open.
    ///
    /// # Errors
    /// Those of [`Session::begin`](crate::Session::begin).
    pub fn begin(&self, options: &TransactionOptions) -> OrmResult<()> {
        wait(self.0.begin(options))
    }

    /// Commits the transaction, or releases the innermost savepoint.
    ///
    /// # Errors
    /// Those of [`Session::commit`](crate::Session::commit).
    pub fn commit(&self) -> OrmResult<()> {
        wait(self.0.commit())
    }

    /// Undoes everything since the innermost [`begin`](Self::begin).
    ///
    /// # Errors
    /// Those of [`Session::rollback`](crate::Session::rollback).
    pub fn rollback(&self) -> OrmResult<()> {
        wait(self.0.rollback())
    }

    /// Loads what rows relate to into their fields, by one query for each relation.
    ///
    /// # Errors
    /// Those of [`Session::load`](crate::Session::load).
    pub fn load<P, F>(&self, rows: &mut [P], relation: Relation<P::Of, F>) -> OrmResult<()>
    where
        P: View,
        F: Related<Row: Clone>,
    {
        wait(self.0.load(rows, relation))
    }

    /// Returns what each of the rows relates to, in their order, and leaves the rows as they are.
    ///
    /// # Errors
    /// Those of [`Session::related`](crate::Session::related).
    pub fn related<P, F>(&self, rows: &[P], relation: Relation<P::Of, F>) -> OrmResult<Vec<F::Found>>
    where
        P: View,
        F: Related<Row: Clone>,
    {
        wait(self.0.related(rows, relation))
    }

    /// Loads what rows relate to, by the names of relations in the catalog.
    ///
    /// # Errors
    /// Those of [`Session::load_named`](crate::Session::load_named).
    #[cfg(feature = "services")]
    pub fn load_named(&self, rows: &mut [DynamicObject], relations: &str) -> OrmResult<()> {
        wait(self.0.load_named(rows, relations))
    }

    /// Runs a closure in a transaction. It commits if the closure succeeds, and rolls back if it fails or panics.
    ///
    /// # Errors
    /// The error of the closure, or of the commit.
    pub fn transaction<T, E: From<OrmError>>(&self, run: impl FnOnce(&Self) -> Result<T, E>) -> Result<T, E> {
        wait(self.0.transaction(async |_: &crate::Session| run(self)))
    }

    /// Runs a closure in a transaction with options, such as an isolation level or a number of attempts.
    ///
    /// # Errors
    /// Those of [`Session::transaction_with`](crate::Session::transaction_with).
    pub fn transaction_with<T, E: From<OrmError> + Conflict>(
        &self,
        options: impl Into<RetryOptions>,
        run: impl Fn(&Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let run = &run;
        wait(self.0.transaction_with(options, async move |_: &crate::Session| run(self)))
    }

    /// Runs a closure once the writes of the current transaction are committed: see
    /// [`Session::after_commit`](crate::Session::after_commit).
    ///
    /// # Errors
    /// Those of [`Session::after_commit`](crate::Session::after_commit).
    pub fn after_commit(&self, hook: impl FnOnce(Self) -> OrmResult<()> + Send + 'static) -> OrmResult<()> {
        wait(self.0.after_commit(async move |session| hook(Self(session))))
    }

    /// Runs a closure once the outermost transaction has ended, and tells it the outcome: see
    /// [`Session::at_end`](crate::Session::at_end).
    ///
    /// # Errors
    /// Those of [`Session::at_end`](crate::Session::at_end).
    pub fn at_end(&self, hook: impl FnOnce(Self, Outcome) -> OrmResult<()> + Send + 'static) -> OrmResult<()> {
        wait(self.0.at_end(async move |session, outcome| hook(Self(session), outcome)))
    }
}
