//! The connection pool that the backends share. It is bb8's, with the options of [`PoolOptions`].

use std::fmt;
use std::future::poll_fn;
use std::ops::{Deref, DerefMut};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::meter::{Meter, Under};
use crate::trace::told;
use crate::uses::{self, Taker, Use, Uses};
use crate::{Error, ErrorKind, PoolOptions, PoolStatus, Result};

/// Opens connections of one kind, and decides which of them may be reused.
pub trait Manage: Send + Sync + 'static {
    /// The type of a connection.
    type Connection: Send + 'static;

    /// The name of the server in messages: `db.example:5432`.
    fn server(&self) -> String;

    /// Opens a connection.
    fn connect(&self) -> impl Future<Output = Result<Self::Connection>> + Send;

    /// Prepares a connection for its next use, after it was idle for `unused`: it undoes what its last user has left
    /// open, and checks with a round trip that it is alive if it may have been lost.
    ///
    /// # Errors
    /// The connection is unusable. [`ErrorKind::Timeout`] means that the server gave no answer at all: the pool then also
    /// closes the connections that were idle for longer, as a firewall drops idle connections without a word.
    fn recycle(&self, connection: &mut Self::Connection, unused: Duration) -> impl Future<Output = Result<()>> + Send;

    /// Whether a connection is known to be unusable.
    fn is_broken(&self, connection: &mut Self::Connection) -> bool;
}

/// A connection pool.
pub struct Pool<M: Manage> {
    /// bb8 counts connections that are being opened, by tasks that it spawns. Of those that end with their runtime it hears
    /// nothing, and the places that it has for them are lost: another one takes its place then.
    inner: Mutex<bb8::Pool<Manager<M>>>,
    manager: Arc<M>,
    shared: Arc<Shared>,
    options: PoolOptions,
    server: String,
}

/// A connection that was taken out of a pool. It returns to the pool when it is dropped.
pub struct Pooled<M: Manage> {
    // Fields are dropped in this order: it is back before the next caller is let in.
    _use: Under,
    connection: bb8::PooledConnection<'static, Manager<M>>,
    _place: OwnedSemaphorePermit,
}

struct Shared {
    /// What traces and metrics call the pool.
    name: String,
    /// A place for each connection that there may be. Callers stand in line for them: bb8 wakes whom it likes, and whom
    /// another was quicker than waits anew.
    places: Arc<Semaphore>,
    max: usize,
    /// How many connections there are.
    open: AtomicU32,
    /// An attempt to open one has ended with its runtime.
    cut_short: AtomicBool,
    /// How many are being opened, and how many are asked whether they are alive.
    opening: AtomicU32,
    probing: AtomicU32,
    /// Connections that were idle since then, or for longer, are dead.
    silent: Mutex<Option<Instant>>,
    /// Of callers who lack a connection after an attempt to open one has failed, one tries again. How often attempts of
    /// that kind have failed in a row.
    again: tokio::sync::Mutex<u32>,
    /// Why the last attempt to connect failed.
    failure: Mutex<Option<Error>>,
    /// How many have failed.
    failures: AtomicU64,
    failed: Notify,
    /// How many callers wait, and how many have waited in vain.
    waiting: AtomicU32,
    timeouts: AtomicU64,
    uses: Uses,
    meter: Meter,
}

/// What bb8 holds.
struct Held<C> {
    /// It goes from hand to hand.
    connection: Box<C>,
    /// When it was opened, taken or given back.
    since: Instant,
    /// When it is old enough to be closed.
    expires: Option<Instant>,
    /// It is being looked at, for somebody who may have given up.
    unsure: bool,
    in_use: Arc<Use>,
    shared: Arc<Shared>,
}

impl<C> Drop for Held<C> {
    fn drop(&mut self) {
        self.shared.open.fetch_sub(1, Ordering::AcqRel);
        self.shared.uses.remove(&self.in_use);
        self.shared.meter.closed();
    }
}

impl<C> Held<C> {
    fn is_old(&self, now: Instant) -> bool {
        self.expires.is_some_and(|end| end <= now)
    }
}

/// Counts something as long as it is under way: an attempt to connect, a caller who waits.
struct CountGuard<'s>(&'s AtomicU32);

impl<'s> CountGuard<'s> {
    fn of(count: &'s AtomicU32) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(count)
    }
}

impl Drop for CountGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

struct Manager<M> {
    inner: Arc<M>,
    cached: usize,
    /// How long a connection is used at most; zero is without a limit.
    lifetime: Duration,
    shared: Arc<Shared>,
}

/// An attempt of bb8's to open a connection. Only the end of its runtime drops it before `has_ended` is set.
struct Attempt<'s> {
    shared: &'s Shared,
    has_ended: bool,
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        if !self.has_ended {
            self.shared.cut_short.store(true, Ordering::Release);
        }
    }
}

/// The pause before the first of further attempts to connect. Each that fails doubles it, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// A time between nine tenths of this and all of it, so that what began together does not end together.
fn about(time: Duration) -> Duration {
    time - time.mul_f64(0.1 * fastrand::f64())
}

impl<M: Manage> Manager<M> {
    async fn open(&self) -> Result<Held<M::Connection>> {
        let _opening = CountGuard::of(&self.shared.opening);
        let since = self.shared.meter.opening();
        match told("connect", &self.shared.name, self.inner.connect()).await {
            Ok(connection) => {
                self.shared.open.fetch_add(1, Ordering::AcqRel);
                self.shared.meter.opened(since);
                let now = Instant::now();
                let lifetime = Some(self.lifetime).filter(|lifetime| !lifetime.is_zero());
                Ok(Held {
                    connection: Box::new(connection),
                    since: now,
                    // One that is too long for a clock is as good as none.
                    expires: lifetime.and_then(|lifetime| now.checked_add(about(lifetime))),
                    unsure: false,
                    in_use: self.shared.uses.add(),
                    shared: Arc::clone(&self.shared),
                })
            }
            Err(error) => {
                *self.shared.failure() = Some(error.again());
                self.shared.failures.fetch_add(1, Ordering::AcqRel);
                self.shared.failed.notify_waiters();
                Err(error)
            }
        }
    }

    /// Opens a connection. As long as callers lack one and others are open, it tries again after pauses that grow.
    async fn open_in_time(&self) -> Result<Held<M::Connection>> {
        let mut error = match self.open().await {
            Err(error) if self.shared.is_lacking() => error,
            done => return done,
        };
        let mut failed = self.shared.again.lock().await;
        while self.shared.is_lacking() {
            tokio::time::sleep(about(LONGEST_PAUSE.min(FIRST_PAUSE * 2_u32.saturating_pow(*failed)))).await;
            if !self.shared.is_lacking() {
                break;
            }
            match self.open().await {
                Ok(held) => {
                    *failed = 0;
                    return Ok(held);
                }
                Err(latest) => error = latest,
            }
            *failed = failed.saturating_add(1);
        }
        *failed = 0;
        Err(error)
    }
}

impl<M: Manage> bb8::ManageConnection for Manager<M> {
    type Connection = Held<M::Connection>;
    type Error = Error;

    async fn connect(&self) -> Result<Self::Connection> {
        let mut attempt = Attempt { shared: &self.shared, has_ended: false };
        let done = self.open_in_time().await;
        attempt.has_ended = true;
        done
    }

    async fn is_valid(&self, held: &mut Self::Connection) -> Result<()> {
        let now = Instant::now();
        let since = std::mem::replace(&mut held.since, now);
        if held.is_old(now) || self.shared.silent().is_some_and(|silent| since <= silent) {
            return Err(Error::new(ErrorKind::ConnectionLost, "the connection is too old, or was idle for too long"));
        }
        held.unsure = true;
        let alive = {
            let _probing = CountGuard::of(&self.shared.probing);
            self.inner.recycle(&mut held.connection, now.duration_since(since)).await
        };
        held.unsure = false;
        if alive.as_ref().is_err_and(|error| error.kind() == ErrorKind::Timeout) {
            let mut silent = self.shared.silent();
            *silent = Some(silent.map_or(since, |silent| silent.max(since)));
        }
        alive
    }

    /// Asked when a connection comes back, which counts as taken until it is there: one more than are kept is as good
    /// as broken.
    fn has_broken(&self, held: &mut Self::Connection) -> bool {
        held.since = Instant::now();
        held.in_use.ends();
        let is_unwanted = held.unsure || held.is_old(held.since) || self.shared.idle() >= self.cached;
        is_unwanted || self.inner.is_broken(&mut held.connection)
    }
}

impl Shared {
    fn failure(&self) -> std::sync::MutexGuard<'_, Option<Error>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn silent(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.silent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many callers have a place, with a connection or not yet.
    fn placed(&self) -> usize {
        self.max - self.places.available_permits()
    }

    /// How many connections nobody has.
    fn idle(&self) -> usize {
        (self.open.load(Ordering::Acquire) as usize).saturating_sub(self.placed())
    }

    /// Returns whether there are connections, and callers who lack one.
    fn is_lacking(&self) -> bool {
        let open = self.open.load(Ordering::Acquire) as usize;
        (1..self.placed()).contains(&open)
    }

    /// Why nobody gets a connection, if an attempt to connect has failed after so many and there is none at all.
    fn why_not(&self, failures: u64) -> Option<Error> {
        if self.open.load(Ordering::Acquire) > 0 {
            return None;
        }
        self.failed_since(failures)
    }

    /// The last attempt to connect that has failed after so many.
    fn failed_since(&self, failures: u64) -> Option<Error> {
        if self.failures.load(Ordering::Acquire) == failures {
            return None;
        }
        self.failure().as_ref().map(Error::again)
    }
}

/// The connections of a pool.
fn built<M: Manage>(manager: &Arc<M>, shared: &Arc<Shared>, options: &PoolOptions) -> bb8::Pool<Manager<M>> {
    let manager = Manager {
        inner: Arc::clone(manager),
        cached: usize::try_from(options.cached).unwrap_or(usize::MAX),
        lifetime: options.max_lifetime,
        shared: Arc::clone(shared),
    };
    bb8::Pool::builder()
        .max_size(options.max.max(1))
        .idle_timeout((!options.keep_alive.is_zero()).then_some(options.keep_alive))
        // It has to differ from connection to connection, as attempts to connect have to be few.
        .max_lifetime(None)
        // The whole wait is bounded here, the one for a place included.
        .connection_timeout(Duration::MAX)
        .retry_connection(false)
        .test_on_check_out(true)
        // The one that was used last is the one whose caches are warm; the others grow old, and are closed.
        .queue_strategy(bb8::QueueStrategy::Lifo)
        .build_unchecked(manager)
}

impl<M: Manage> Pool<M> {
    /// Creates a pool and opens its first connection, so that a wrong address or password is reported at once.
    ///
    /// # Errors
    /// The error of opening the connection.
    pub async fn new(manager: M, options: PoolOptions) -> Result<Self> {
        let max = options.max.max(1);
        let places = usize::try_from(max).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
        let server = manager.server();
        let name = options.name.clone().unwrap_or_else(|| server.clone());
        let shared = Arc::new(Shared {
            meter: Meter::new(&name, &options),
            name,
            places: Arc::new(Semaphore::new(places)),
            max: places,
            open: AtomicU32::new(0),
            cut_short: AtomicBool::new(false),
            opening: AtomicU32::new(0),
            probing: AtomicU32::new(0),
            silent: Mutex::default(),
            again: tokio::sync::Mutex::default(),
            failure: Mutex::default(),
            failures: AtomicU64::new(0),
            failed: Notify::new(),
            waiting: AtomicU32::new(0),
            timeouts: AtomicU64::new(0),
            uses: Uses::default(),
        });
        let manager = Arc::new(manager);
        let inner = Mutex::new(built(&manager, &shared, &options));
        let pool = Self { inner, manager, shared, options, server };
        drop(pool.get().await?);
        Ok(pool)
    }

    fn inner(&self) -> bb8::Pool<Manager<M>> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if self.shared.cut_short.load(Ordering::Acquire) && self.shared.cut_short.swap(false, Ordering::AcqRel) {
            *inner = built(&self.manager, &self.shared, &self.options);
        }
        inner.clone()
    }

    /// Waits for a connection. Callers are served in the order in which they came.
    ///
    /// # Errors
    /// After [`PoolOptions::wait`]: [`ErrorKind::PoolExhausted`] if all connections were in use, [`ErrorKind::Connect`]
    /// if another one could have been opened but the server did not answer. The error of opening a connection is
    /// returned at once if no connection is open at all; otherwise it is tried again until then.
    pub async fn get(&self) -> Result<Pooled<M>> {
        let failures = self.shared.failures.load(Ordering::Acquire);
        let placed = AtomicBool::new(false);
        let mut got = pin!(self.in_turn(&placed, Taker::current()));
        // Most often there is one at once, and no need to look at a clock.
        if let Poll::Ready(done) = poll_fn(|cx| Poll::Ready(got.as_mut().poll(cx))).await {
            return done;
        }
        let shared = &*self.shared;
        let (_waits, _measured) = (CountGuard::of(&shared.waiting), shared.meter.waiting());
        told("wait for a connection", &shared.name, async {
            let waited = tokio::time::timeout(self.options.wait, self.unless_in_vain(got, failures)).await;
            waited.unwrap_or_else(|_| {
                shared.timeouts.fetch_add(1, Ordering::AcqRel);
                shared.meter.timed_out();
                Err(self.in_vain(placed.load(Ordering::Acquire), failures))
            })
        })
        .await
    }

    /// Why a caller has waited in vain, who had a place or still stood in line for one.
    fn in_vain(&self, placed: bool, failures: u64) -> Error {
        let PoolOptions { max, wait, .. } = self.options;
        let open = self.shared.open.load(Ordering::Acquire);
        let asked = [&self.shared.opening, &self.shared.probing].iter().any(|asked| asked.load(Ordering::Acquire) > 0);
        if open == 0 || placed && (asked || self.shared.failed_since(failures).is_some()) {
            return self.shared.failed_since(failures).unwrap_or_else(|| {
                let message = format!("{}: the server did not answer within {wait:?}", self.server);
                Error::new(ErrorKind::Connect, message)
            });
        }
        let others = if open < max { " or being opened" } else { "" };
        let in_use = self.shared.uses.longest();
        let longest = uses::told(&in_use);
        let message = format!("all of the {max} connections were in use{others} for {wait:?}{longest}");
        Error::new(ErrorKind::PoolExhausted, message).with_in_use(in_use)
    }

    /// Waits for a connection, as long as there is hope.
    async fn unless_in_vain<C>(&self, mut got: Pin<&mut impl Future<Output = Result<C>>>, failures: u64) -> Result<C> {
        loop {
            let failed = self.shared.failed.notified();
            if let Some(error) = self.shared.why_not(failures) {
                return Err(error);
            }
            tokio::select! {
                biased;
                done = &mut got => return done,
                () = failed => {}
            }
        }
    }

    async fn in_turn(&self, placed: &AtomicBool, taker: Taker) -> Result<Pooled<M>> {
        let closed = || Error::new(ErrorKind::Other, "the pool is closed");
        let place = Arc::clone(&self.shared.places).acquire_owned().await.map_err(|_| closed())?;
        placed.store(true, Ordering::Release);
        let inner = self.inner();
        match inner.get_owned().await {
            Ok(connection) => {
                connection.in_use.begins(connection.since, taker);
                Ok(Pooled { _use: self.shared.meter.taken(), connection, _place: place })
            }
            Err(bb8::RunError::User(error)) => Err(error),
            Err(bb8::RunError::TimedOut) => Err(closed()),
        }
    }

    /// The current state of the pool.
    #[must_use]
    pub fn status(&self) -> PoolStatus {
        let state = self.inner.lock().unwrap_or_else(PoisonError::into_inner).state();
        PoolStatus {
            max: self.options.max,
            waiting: self.shared.waiting.load(Ordering::Acquire),
            timeouts: self.shared.timeouts.load(Ordering::Acquire),
            ..PoolStatus::new(state.connections, state.idle_connections)
        }
    }

    /// The options of the pool.
    #[must_use]
    pub fn options(&self) -> &PoolOptions {
        &self.options
    }
}

impl<M: Manage> fmt::Debug for Pool<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("options", &self.options).field("status", &self.status()).finish()
    }
}

impl<M: Manage> Deref for Pooled<M> {
    type Target = M::Connection;

    fn deref(&self) -> &M::Connection {
        &self.connection.connection
    }
}

impl<M: Manage> DerefMut for Pooled<M> {
    fn deref_mut(&mut self) -> &mut M::Connection {
        &mut self.connection.connection
    }
}

impl<M: Manage<Connection: fmt::Debug>> fmt::Debug for Pooled<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pooled").field(&self.connection.connection).finish()
    }
}

#[cfg(test)]
mod tests;
