//! Writers that go on whatever happens, and what they were told.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use isogloss::{OrmContext, OrmError};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::child::one;
use crate::{HANG, Outcome};

/// What a writer waits after a failure: who is refused at once does not ask without a pause.
const PAUSE: Duration = Duration::from_millis(2);

/// Tasks that write pairs of rows, each pair in a transaction.
pub struct Load {
    shared: Arc<LoadShared>,
    tasks: Vec<JoinHandle<Loaded>>,
}

#[derive(Default)]
struct LoadShared {
    next: AtomicI64,
    newest: AtomicI64,
    confirmed: AtomicU64,
    failed: AtomicU64,
    ended: AtomicBool,
}

/// What the writers were told.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The transactions that were confirmed.
    pub confirmed: Vec<i64>,
    /// How many others failed, by the kind of the error.
    pub failed: BTreeMap<&'static str, usize>,
    /// One error of each kind.
    pub errors: BTreeMap<&'static str, OrmError>,
}

impl Load {
    /// Starts so many writers.
    #[must_use]
    pub fn start(context: &OrmContext, writers: usize) -> Self {
        // Number 0 would be confirmed from the beginning.
        let shared = Arc::new(LoadShared { next: AtomicI64::new(1), ..LoadShared::default() });
        let tasks = (0..writers).map(|_| tokio::spawn(write(context.clone(), Arc::clone(&shared)))).collect();
        Self { shared, tasks }
    }

    /// How long it takes until a transaction is confirmed that begins now.
    ///
    /// # Errors
    /// None is in that time.
    pub async fn goes_on(&self, limit: Duration) -> Outcome<Duration> {
        let (begun, first) = (Instant::now(), self.shared.next.load(Ordering::Relaxed));
        while self.shared.newest.load(Ordering::Relaxed) < first {
            if begun.elapsed() > limit {
                return Err(format!("nothing was confirmed in {limit:?} after it went on").into());
            }
            sleep(Duration::from_millis(1)).await;
        }
        Ok(begun.elapsed())
    }

    /// Waits until `count` more transactions are confirmed.
    ///
    /// # Errors
    /// They are not within [`HANG`].
    pub async fn confirms(&self, count: u64) -> Outcome<()> {
        rises(&self.shared.confirmed, count).await.ok_or_else(|| "no more transactions are confirmed".into())
    }

    /// Waits until `count` more transactions have failed.
    ///
    /// # Errors
    /// They have not within [`HANG`].
    pub async fn fails(&self, count: u64) -> Outcome<()> {
        rises(&self.shared.failed, count).await.ok_or_else(|| "no transaction fails".into())
    }

    /// Ends the writers.
    ///
    /// # Errors
    /// One has panicked, or none has written anything.
    pub async fn end(self) -> Outcome<Loaded> {
        self.shared.ended.store(true, Ordering::Relaxed);
        let mut all = Loaded::default();
        for task in self.tasks {
            let own = task.await?;
            all.confirmed.extend(own.confirmed);
            own.failed.into_iter().for_each(|(kind, count)| *all.failed.entry(kind).or_default() += count);
            all.errors.extend(own.errors);
        }
        if all.confirmed.is_empty() { Err(format!("nothing was confirmed, {all:?}").into()) } else { Ok(all) }
    }
}

/// Waits until a counter has risen by `count`, for [`HANG`] at most.
async fn rises(counter: &AtomicU64, count: u64) -> Option<()> {
    let wanted = counter.load(Ordering::Relaxed) + count;
    let rises = async {
        while counter.load(Ordering::Relaxed) < wanted {
            sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(HANG, rises).await.ok()
}

async fn write(context: OrmContext, shared: Arc<LoadShared>) -> Loaded {
    let mut own = Loaded::default();
    while !shared.ended.load(Ordering::Relaxed) {
        let pair = shared.next.fetch_add(1, Ordering::Relaxed);
        match one(&context, pair).await {
            Ok(()) => {
                own.confirmed.push(pair);
                shared.confirmed.fetch_add(1, Ordering::Relaxed);
                shared.newest.fetch_max(pair, Ordering::Relaxed);
            }
            Err(error) => {
                let kind = error.kind().map_or("other", |kind| kind.name());
                *own.failed.entry(kind).or_default() += 1;
                own.errors.insert(kind, error);
                shared.failed.fetch_add(1, Ordering::Relaxed);
                sleep(PAUSE).await;
            }
        }
    }
    own
}

impl Loaded {
    /// That something failed, and in one of these ways only.
    ///
    /// # Errors
    /// It did not.
    pub fn failed_as(&self, kinds: &[&str]) -> Outcome<()> {
        let other = self.errors.iter().find(|(kind, _)| !kinds.contains(kind));
        match other {
            Some((kind, error)) => Err(format!("{:?}, {kind} among them: {error}", self.failed).into()),
            None if self.failed.is_empty() => Err("nothing has failed".into()),
            None => Ok(()),
        }
    }
}
