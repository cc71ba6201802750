//! Tracing and measuring of calls: a span of `tracing` for each, and with the feature `metrics` its duration. Both use
//! the names of OpenTelemetry's conventions for databases.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tracing::field::Empty;
use tracing::{Instrument, Level, Span};

use crate::meter;
use crate::{Error, Result};

/// The server or file that a backend connects to. Its fields are named after OpenTelemetry's attributes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Origin {
    /// `db.system.name`: `postgresql`, `cockroachdb`, `mysql`, `mariadb`, `sqlite`, `microsoft.sql_server` or `oracle.db`.
    pub system: &'static str,
    /// `db.namespace`: the name of the database.
    pub namespace: Option<String>,
    /// `server.address`: the host name.
    pub address: Option<String>,
    /// `server.port`.
    pub port: Option<u16>,
}

impl Origin {
    /// An engine with this `db.system.name`, without a server's address.
    #[must_use]
    pub fn new(system: &'static str) -> Self {
        Self { system, ..Self::default() }
    }

    /// Sets the database.
    #[must_use]
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Sets the server's address and port.
    #[must_use]
    pub fn server(mut self, address: impl Into<String>, port: u16) -> Self {
        (self.address, self.port) = (Some(address.into()), Some(port));
        self
    }
}

/// A call that is under way. Dropped before it has ended, it is told as cancelled.
pub(crate) struct Call {
    origin: Arc<Origin>,
    summary: String,
    span: Span,
    took: Duration,
    state: RunState,
}

#[derive(Clone, Copy)]
enum RunState {
    Running(Instant),
    /// Between two portions of a stream.
    Idle,
    Ended,
}

impl Call {
    /// A call with its span of target `isogloss` and level INFO; nothing where nobody listens, which costs a look at a flag.
    ///
    /// `summary` is what it does to which tables (`SELECT Orders`), `sql` its text where that has no values.
    pub(crate) fn begin(origin: &Arc<Origin>, summary: impl FnOnce() -> String, sql: Option<&str>) -> Option<Self> {
        if !cfg!(feature = "metrics") && !tracing::enabled!(target: "isogloss", Level::INFO) {
            return None;
        }
        let summary = summary();
        let (operation, collection) = parts(&summary);
        let span = tracing::info_span!(
            target: "isogloss",
            "db",
            otel.name = summary,
            otel.kind = "client",
            otel.status_code = Empty,
            db.system.name = origin.system,
            db.namespace = origin.namespace,
            db.operation.name = operation,
            db.operation.batch.size = Empty,
            db.collection.name = collection,
            db.query.summary = summary,
            db.query.text = sql,
            db.response.status_code = Empty,
            server.address = origin.address,
            server.port = origin.port,
            error.r#type = Empty,
        );
        let state = RunState::Running(Instant::now());
        Some(Self { origin: Arc::clone(origin), summary, span, took: Duration::ZERO, state })
    }

    /// Runs it to its end.
    pub(crate) async fn run<T>(mut self, run: impl Future<Output = Result<T>>) -> Result<T> {
        let done = run.instrument(self.span.clone()).await;
        self.end(done.as_ref().err());
        done
    }

    /// Runs a part of it, behind which more may come.
    pub(crate) async fn portion<T>(&mut self, run: impl Future<Output = Result<T>>) -> Result<T> {
        if !matches!(self.state, RunState::Ended) {
            self.state = RunState::Running(Instant::now());
        }
        let done = run.instrument(self.span.clone()).await;
        match (&done, self.state) {
            (Err(error), _) => self.end(Some(error)),
            (Ok(_), RunState::Running(since)) => {
                self.took += since.elapsed();
                self.state = RunState::Idle;
            }
            (Ok(_), _) => {}
        }
        done
    }

    /// Says how many rows of values there were.
    pub(crate) fn batch(&self, rows: u64) {
        // One is no batch by the conventions.
        if rows > 1 {
            self.span.record("db.operation.batch.size", rows);
        }
    }

    fn end(&mut self, error: Option<&Error>) {
        if let Some(error) = error {
            failed(&self.span, error);
        }
        self.told(error.map(|error| (error.kind().name(), error.code())));
    }

    fn told(&mut self, error: Option<(&'static str, Option<&str>)>) {
        match std::mem::replace(&mut self.state, RunState::Ended) {
            RunState::Running(since) => self.took += since.elapsed(),
            RunState::Idle => {}
            RunState::Ended => return,
        }
        meter::operation(&self.origin, parts(&self.summary), self.took, error);
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        match self.state {
            RunState::Running(_) => {
                self.span.record("otel.status_code", "ERROR");
                self.span.record("error.type", "cancelled");
                self.told(Some(("cancelled", None)));
            }
            RunState::Idle => self.told(None),
            RunState::Ended => {}
        }
    }
}

/// The operation of a summary, and its table if there is one alone.
fn parts(summary: &str) -> (Option<&str>, Option<&str>) {
    let (operation, tables) = summary.split_once(' ').unwrap_or((summary, ""));
    let collection = Some(tables).filter(|tables| !tables.is_empty() && !tables.contains(' '));
    (Some(operation).filter(|operation| !operation.is_empty()), collection)
}

/// Records an error on the span of its call.
pub(crate) fn failed(span: &Span, error: &Error) {
    span.record("otel.status_code", "ERROR");
    span.record("error.type", error.kind().name());
    if let Some(code) = error.code() {
        span.record("db.response.status_code", code);
    }
}

/// Logs at level WARN that a write was ended after its caller had consumed some of its rows and dropped it. It is for
/// backends.
pub fn unfinished() {
    tracing::warn!(
        target: "isogloss",
        "a write was ended before its rows were read to their end: they took longer than a statement may, or the \
         connection was lost, and whether it is done nobody knows"
    );
}

/// Logs at level WARN that a write failed after its caller had consumed some of its rows and dropped it, so that no
/// caller receives the error. It is for backends.
pub fn untold(error: &Error) {
    tracing::warn!(
        target: "isogloss",
        kind = error.kind().name(),
        code = error.code(),
        "a write has failed behind the rows that were taken of it, and its connection was given back before anybody was told"
    );
}

/// Runs what a pool does in a span of that name.
#[cfg(feature = "pool")]
pub(crate) async fn told<T>(what: &'static str, pool: &str, run: impl Future<Output = Result<T>>) -> Result<T> {
    let span = tracing::info_span!(
        target: "isogloss",
        "db.pool",
        otel.name = what,
        otel.kind = "client",
        otel.status_code = Empty,
        db.client.connection.pool.name = pool,
        db.response.status_code = Empty,
        error.r#type = Empty,
    );
    let done = run.instrument(span.clone()).await;
    if let Err(error) = &done {
        failed(&span, error);
    }
    done
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Debug;
    use std::sync::{Arc, Mutex};

    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    use super::*;
    use crate::ErrorKind;

    /// Keeps what is said of one span.
    #[derive(Clone, Default)]
    struct Heard(Arc<Mutex<BTreeMap<String, String>>>);

    impl Visit for Heard {
        fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
            self.0.lock().unwrap().insert(field.name().to_owned(), format!("{value:?}").replace('"', ""));
        }
    }

    impl Subscriber for Heard {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            metadata.target() == "isogloss"
        }

        fn new_span(&self, span: &Attributes<'_>) -> Id {
            span.record(&mut self.clone());
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, values: &Record<'_>) {
            values.record(&mut self.clone());
        }

        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, _: &Event<'_>) {}
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }

    #[test]
    fn a_span_has_the_names_of_the_conventions() {
        let heard = Heard::default();
        let origin = Arc::new(Origin::new("postgresql").namespace("shop").server("db", 5432));
        let listens = isogloss_testkit::events::listen(heard.clone());
        let run = async { Err::<(), _>(Error::new(ErrorKind::Deadlock, "chosen").with_code("40P01")) };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let sql = r#"SELECT "a" FROM "Orders""#;
        let call = Call::begin(&origin, || "SELECT Orders".to_owned(), Some(sql)).unwrap();
        runtime.block_on(call.run(run)).unwrap_err();
        drop(listens);
        let said: Vec<String> = heard.0.lock().unwrap().iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(
            said,
            [
                "db.collection.name=Orders",
                "db.namespace=shop",
                "db.operation.name=SELECT",
                "db.query.summary=SELECT Orders",
                r"db.query.text=SELECT \a\ FROM \Orders\",
                "db.response.status_code=40P01",
                "db.system.name=postgresql",
                "error.type=deadlock",
                "otel.kind=client",
                "otel.name=SELECT Orders",
                "otel.status_code=ERROR",
                "server.address=db",
                "server.port=5432",
            ]
        );
    }
}
