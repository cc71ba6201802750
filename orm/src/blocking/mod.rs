//! The data access layer without `.await`, for programs that are not asynchronous: the same names, with the same meaning.
//!
//! Each call waits, on the thread that makes it. What has to go on meanwhile runs on threads of a runtime of the library's
//! own, so that no runtime is needed around it. In a task of a runtime of several threads, its thread hands on what it had to
//! do, as by tokio's `block_in_place`; where the task is bound to one thread, by a runtime of one thread or a `LocalSet`, it is
//! the error [`SessionError::OnlyThread`]. Await the methods of [`Session`](crate::Session) and of [`dao`](crate::dao) there, or call from a thread of its own.
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
//! context.add_data_source(source, true)?;
//! let session = Orm::from(context).create_session()?;
//!
//! let mut note = Note { id: 0, text: "Buy milk".into() };
//! ObjectDao::<Note>::new(&session).insert(&mut note)?;
//! session.transaction(|tx| {
//!     let notes = ObjectDao::<Note>::new(tx);
//!     notes.insert(&mut Note { id: 0, text: "Sleep".into() })?;
//!     notes.delete(&note).map(drop)
//! })?;
//! let left = ObjectViewDao::<Note>::new(&session).search(expr!(|n: Note| n.text.starts_with("S"))).to_list()?;
//! assert_eq!(left.len(), 1);
//! # Ok::<(), isogloss::OrmError>(())
//! ```

mod dao;

use std::future::Future;
use std::pin::pin;
use std::sync::OnceLock;
use std::task::{Context, Waker};
use std::time::Duration;

use compact_str::CompactString;
use isogloss_driver::TransactionOptions;
use tokio::runtime::{Builder, Handle, Runtime, RuntimeFlavor};

use crate::context::OrmBuilder;
use crate::session::{Conflict, RetryOptions, SessionError};
use crate::sync::TableSync;
use crate::{OrmContext, OrmError, OrmResult};

pub use dao::{DataDao, DataViewDao, EnumerableResult, ObjectDao, ObjectViewDao};

/// Waits for a future, which finds a runtime around it.
fn wait<T, E: From<OrmError>>(future: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    let _within = match around() {
        Around::Nothing => runtime()?.enter(),
        Around::OneThread => return Err(OrmError::from(SessionError::OnlyThread).into()),
        Around::Worker => return on_a_worker(future),
    };
    pollster::block_on(future)
}

/// A worker has tasks that it alone would run, such as the one that it has just woken, which may be that of the connection: it
/// hands them on before it waits.
fn on_a_worker<T, E: From<OrmError>>(future: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    let runtime = runtime()?;
    let mut waits = Some(future);
    let handed_on = std::panic::AssertUnwindSafe(|| {
        tokio::task::block_in_place(|| {
            let _within = runtime.enter();
            waits.take().map(pollster::block_on)
        })
    });
    match std::panic::catch_unwind(handed_on) {
        Ok(Some(done)) => done,
        // Tokio refuses it to tasks of a `LocalSet`, and has no other way to ask: they have one thread.
        Err(_) if waits.is_some() => Err(OrmError::from(SessionError::OnlyThread).into()),
        Err(panicked) => std::panic::resume_unwind(panicked),
        Ok(None) => Err(OrmError::from(SessionError::OnlyThread).into()),
    }
}

/// What a thread would keep from going on while it waits.
enum Around {
    /// Nothing that is waited for.
    Nothing,
    /// All that its runtime has: what was opened there would wait for it, and it for that.
    OneThread,
    /// A task of a runtime of several threads.
    Worker,
}

/// A thread for what blocks belongs to a runtime, too. A task is told from it by its share of the time, which ends after a
/// few steps; what blocks has as much as it likes.
fn around() -> Around {
    let Ok(handle) = Handle::try_current() else { return Around::Nothing };
    let around = match handle.runtime_flavor() {
        RuntimeFlavor::CurrentThread => Around::OneThread,
        // The workers run the tasks that are spawned, and not what the runtime waits for.
        _ if tokio::task::try_id().is_some() => Around::Worker,
        _ => return Around::Nothing,
    };
    let is_task = (0..STEPS)
        .any(|_| pin!(tokio::task::consume_budget()).poll(&mut Context::from_waker(Waker::noop())).is_pending());
    if is_task { around } else { Around::Nothing }
}

/// More steps than a task has at a time.
const STEPS: u32 = 1_000;

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

/// A context whose methods wait: an [`OrmContext`] by another name.
#[derive(Debug, Clone)]
pub struct Orm(OrmContext);

impl From<OrmContext> for Orm {
    fn from(context: OrmContext) -> Self {
        Self(context)
    }
}

impl Orm {
    /// The context of a configuration.
    ///
    /// # Errors
    /// As [`OrmBuilder::build`].
    pub fn build(builder: OrmBuilder) -> OrmResult<Self> {
        wait(builder.build()).map(Self)
    }

    /// The context itself, for all that does not wait.
    #[must_use]
    pub fn context(&self) -> &OrmContext {
        &self.0
    }

    /// A session of its own.
    ///
    /// # Errors
    /// As [`OrmContext::create_session`].
    pub fn create_session(&self) -> OrmResult<Session> {
        self.0.create_session().map(Session)
    }

    /// Connects to every source.
    ///
    /// # Errors
    /// As [`OrmContext::connect_all`].
    pub fn connect_all(&self) -> OrmResult<()> {
        wait(self.0.connect_all())
    }

    /// Asks every source whether it answers.
    ///
    /// # Errors
    /// As [`OrmContext::ping`].
    pub fn ping(&self) -> OrmResult<()> {
        wait(self.0.ping())
    }

    /// Closes the context, and waits until what is under way has come to its end.
    ///
    /// # Errors
    /// As [`OrmContext::close_and_wait`].
    pub fn close_and_wait(&self, wait_for: Duration) -> OrmResult<()> {
        wait(self.0.close_and_wait(wait_for))
    }

    /// Makes all tables agree with their entities.
    ///
    /// # Errors
    /// As [`OrmContext::sync_all`].
    pub fn sync_all(&self) -> OrmResult<Vec<TableSync>> {
        wait(self.0.sync_all())
    }

    /// What [`sync_all`](Self::sync_all) would do.
    ///
    /// # Errors
    /// As [`OrmContext::sync_plan`].
    pub fn sync_plan(&self) -> OrmResult<Vec<TableSync>> {
        wait(self.0.sync_plan())
    }

    /// Makes one table agree with its entity.
    ///
    /// # Errors
    /// As [`OrmContext::sync_table`].
    pub fn sync_table<A: Into<CompactString>>(
        &self,
        entity: &str,
        args: impl IntoIterator<Item = A>,
    ) -> OrmResult<TableSync> {
        wait(self.0.sync_table(entity, args))
    }
}

/// A session whose methods wait. A clone is the same session.
#[derive(Debug, Clone)]
pub struct Session(crate::Session);

impl From<crate::Session> for Session {
    fn from(session: crate::Session) -> Self {
        Self(session)
    }
}

impl Session {
    /// The session itself, for all that does not wait.
    #[must_use]
    pub fn session(&self) -> &crate::Session {
        &self.0
    }

    /// Begins a transaction, or a savepoint in one.
    ///
    /// # Errors
    /// As [`Session::begin`](crate::Session::begin).
    pub fn begin(&self, options: &TransactionOptions) -> OrmResult<()> {
        wait(self.0.begin(options))
    }

    /// Commits the transaction, or releases the innermost savepoint.
    ///
    /// # Errors
    /// As [`Session::commit`](crate::Session::commit).
    pub fn commit(&self) -> OrmResult<()> {
        wait(self.0.commit())
    }

    /// Takes everything back since the innermost [`begin`](Self::begin).
    ///
    /// # Errors
    /// As [`Session::rollback`](crate::Session::rollback).
    pub fn rollback(&self) -> OrmResult<()> {
        wait(self.0.rollback())
    }

    /// Runs something in a transaction, which is taken back if that fails or panics.
    ///
    /// # Errors
    /// What the closure fails with, or the commit.
    pub fn transaction<T, E: From<OrmError>>(&self, run: impl FnOnce(&Self) -> Result<T, E>) -> Result<T, E> {
        wait(self.0.transaction(async |_: &crate::Session| run(self)))
    }

    /// The same with options.
    ///
    /// # Errors
    /// As [`Session::transaction_with`](crate::Session::transaction_with).
    pub fn transaction_with<T, E: From<OrmError> + Conflict>(
        &self,
        options: impl Into<RetryOptions>,
        run: impl Fn(&Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let run = &run;
        wait(self.0.transaction_with(options, async move |_: &crate::Session| run(self)))
    }
}
