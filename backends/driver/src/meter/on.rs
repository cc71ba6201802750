//! What tells the recorder of the facade.

use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use metrics::{
    Counter, Gauge, Histogram, Label, SharedString, Unit, counter, describe_counter, describe_gauge,
    describe_histogram, gauge, histogram,
};

use crate::{Origin, PoolOptions};

const DURATION: &str = "db.client.operation.duration";
const COUNT: &str = "db.client.connection.count";
const MAX: &str = "db.client.connection.max";
const IDLE_MAX: &str = "db.client.connection.idle.max";
const PENDING: &str = "db.client.connection.pending_requests";
const TIMEOUTS: &str = "db.client.connection.timeouts";
const CREATE: &str = "db.client.connection.create_time";
const WAIT: &str = "db.client.connection.wait_time";
const USE: &str = "db.client.connection.use_time";
const PREPARED: &str = "isogloss.statements.prepared";

/// A call has ended: its operation and table, how long it took, and the kind and code of its error.
pub(crate) fn operation(
    origin: &Origin,
    (operation, collection): (Option<&str>, Option<&str>),
    took: Duration,
    error: Option<(&'static str, Option<&str>)>,
) {
    let text = |text: &str| SharedString::from(text.to_owned());
    let labels = [
        ("db.system.name", Some(origin.system.into())),
        ("db.namespace", origin.namespace.as_deref().map(text)),
        ("server.address", origin.address.as_deref().map(text)),
        ("server.port", origin.port.map(|port| port.to_string().into())),
        ("db.operation.name", operation.map(text)),
        ("db.collection.name", collection.map(text)),
        ("error.type", error.map(|(kind, _)| kind.into())),
        ("db.response.status_code", error.and_then(|(_, code)| code).map(text)),
    ];
    let labels: Vec<Label> =
        labels.into_iter().filter_map(|(name, value)| value.map(|value| Label::new(name, value))).collect();
    histogram!(DURATION, labels).record(took);
}

/// What a pool tells.
pub(crate) struct Meter(Arc<Handles>);

struct Handles {
    idle: Gauge,
    used: Gauge,
    pending: Gauge,
    timeouts: Counter,
    create: Histogram,
    wait: Histogram,
    using: Histogram,
}

/// How many statements the connections of a pool have prepared.
pub(crate) struct PreparedGauge(Gauge);

impl PreparedGauge {
    pub(crate) fn new(pool: &str) -> Self {
        describe_once();
        Self(gauge!(PREPARED, &[pool_label(pool)]))
    }

    pub(crate) fn up(&self) {
        self.0.increment(1);
    }

    pub(crate) fn down(&self) {
        self.0.decrement(1);
    }
}

impl std::fmt::Debug for PreparedGauge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(PREPARED)
    }
}

impl Meter {
    /// That of a pool with a name. What is told goes to the recorder that is installed by now.
    pub(crate) fn new(pool: &str, options: &PoolOptions) -> Self {
        describe_once();
        let pool = || pool_label(pool);
        let count = |state: &'static str| gauge!(COUNT, &[pool(), ("db.client.connection.state", state.into())]);
        gauge!(MAX, &[pool()]).set(f64::from(options.max));
        gauge!(IDLE_MAX, &[pool()]).set(f64::from(options.cached.min(options.max)));
        Self(Arc::new(Handles {
            idle: count("idle"),
            used: count("used"),
            pending: gauge!(PENDING, &[pool()]),
            timeouts: counter!(TIMEOUTS, &[pool()]),
            create: histogram!(CREATE, &[pool()]),
            wait: histogram!(WAIT, &[pool()]),
            using: histogram!(USE, &[pool()]),
        }))
    }

    /// A connection is being made.
    pub(crate) fn opening(&self) -> Instant {
        Instant::now()
    }

    /// A connection was made, which nobody has yet.
    pub(crate) fn opened(&self, since: Instant) {
        self.0.create.record(since.elapsed());
        self.0.idle.increment(1);
    }

    /// A connection that nobody has is closed.
    pub(crate) fn closed(&self) {
        self.0.idle.decrement(1);
    }

    /// A connection is taken, until what this gives is dropped.
    pub(crate) fn taken(&self) -> Under {
        self.0.idle.decrement(1);
        self.0.used.increment(1);
        Under::of(&self.0, |handles, took| {
            handles.used.decrement(1);
            handles.idle.increment(1);
            handles.using.record(took);
        })
    }

    /// A caller waits for a connection, until what this gives is dropped.
    pub(crate) fn waiting(&self) -> Under {
        self.0.pending.increment(1);
        Under::of(&self.0, |handles, took| {
            handles.pending.decrement(1);
            handles.wait.record(took);
        })
    }

    /// A caller has waited in vain.
    pub(crate) fn timed_out(&self) {
        self.0.timeouts.increment(1);
    }
}

/// Something under way.
pub(crate) struct Under {
    handles: Arc<Handles>,
    since: Instant,
    end: fn(&Handles, Duration),
}

impl Under {
    fn of(handles: &Arc<Handles>, end: fn(&Handles, Duration)) -> Self {
        Self { handles: Arc::clone(handles), since: Instant::now(), end }
    }
}

impl Drop for Under {
    fn drop(&mut self) {
        (self.end)(&self.handles, self.since.elapsed());
    }
}

fn pool_label(pool: &str) -> (&'static str, SharedString) {
    ("db.client.connection.pool.name", pool.to_owned().into())
}

fn describe_once() {
    static DESCRIBED: Once = Once::new();
    DESCRIBED.call_once(describe);
}

fn describe() {
    describe_histogram!(DURATION, Unit::Seconds, "How long calls of the database took.");
    describe_gauge!(COUNT, Unit::Count, "How many connections are open, by their state.");
    describe_gauge!(MAX, Unit::Count, "How many connections a pool opens at most.");
    describe_gauge!(IDLE_MAX, Unit::Count, "How many connections that nobody uses a pool keeps.");
    describe_gauge!(PENDING, Unit::Count, "How many callers wait for a connection.");
    describe_counter!(TIMEOUTS, Unit::Count, "How many callers have waited for a connection in vain.");
    describe_histogram!(CREATE, Unit::Seconds, "How long it took to make a connection.");
    describe_histogram!(WAIT, Unit::Seconds, "How long callers waited for a connection that was not there at once.");
    describe_histogram!(USE, Unit::Seconds, "How long a connection was in use.");
    describe_gauge!(PREPARED, Unit::Count, "How many statements the connections of a pool have prepared.");
}
