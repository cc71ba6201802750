//! Spans, in the words of OpenTelemetry's stable conventions for databases.

use isogloss_compiler::Compiled;
use tracing::field::Empty;
use tracing::{Instrument, Level, Span};

use crate::{Error, Result};

/// Where a backend is. Its fields have the names of OpenTelemetry's attributes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Origin {
    /// `db.system.name`: `postgresql`, `mysql`, `mariadb`, `sqlite`, `microsoft.sql_server`, `oracle.db`.
    pub system: &'static str,
    /// `db.namespace`: the database.
    pub namespace: Option<String>,
    /// `server.address`.
    pub address: Option<String>,
    /// `server.port`.
    pub port: Option<u16>,
}

impl Origin {
    /// An engine of that name, on this machine.
    #[must_use]
    pub fn new(system: &'static str) -> Self {
        Self { system, ..Self::default() }
    }

    /// With a database.
    #[must_use]
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// On a server.
    #[must_use]
    pub fn server(mut self, address: impl Into<String>, port: u16) -> Self {
        (self.address, self.port) = (Some(address.into()), Some(port));
        self
    }
}

/// Whether nobody listens.
#[must_use]
pub fn is_off() -> bool {
    !tracing::enabled!(target: "isogloss", Level::INFO)
}

/// Runs a statement in a span of target `isogloss` and level INFO, and gives an error of it the statement.
///
/// The span is named by the statement's summary (`SELECT Orders`), and has its text. It has no parameters. Where nobody
/// listens, this costs a look at a flag.
///
/// # Errors
/// Those of the future.
pub async fn traced<T>(
    origin: &Origin,
    statement: &Compiled<'_>,
    run: impl Future<Output = Result<T>> + Send,
) -> Result<T> {
    if is_off() {
        return run.await.map_err(|error| error.with_statement(statement));
    }
    let span = span(origin, &statement.summary(), &statement.sql);
    let done = run.instrument(span.clone()).await;
    done.map_err(|error| {
        failed(&span, &error);
        error.with_statement(statement)
    })
}

/// The span of a statement.
pub fn span(origin: &Origin, summary: &str, sql: &str) -> Span {
    let operation = summary.split(' ').next().filter(|word| !word.is_empty());
    tracing::info_span!(
        target: "isogloss",
        "db",
        otel.name = summary,
        otel.kind = "client",
        otel.status_code = Empty,
        db.system.name = origin.system,
        db.namespace = origin.namespace,
        db.operation.name = operation,
        db.query.summary = summary,
        db.query.text = sql,
        db.response.status_code = Empty,
        server.address = origin.address,
        server.port = origin.port,
        error.r#type = Empty,
    )
}

/// Records an error on the span of its statement.
pub fn failed(span: &Span, error: &Error) {
    span.record("otel.status_code", "ERROR");
    span.record("error.type", error.kind().title());
    if let Some(code) = error.code() {
        span.record("db.response.status_code", code);
    }
}
