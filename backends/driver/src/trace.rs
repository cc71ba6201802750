//! Spans, in the words of OpenTelemetry's stable conventions for databases.

use futures_util::TryFutureExt as _;
use futures_util::future::Either;
use isogloss_compiler::{BulkInsert, Compiled};
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
pub fn traced<T: Send>(
    origin: &Origin,
    statement: &Compiled<'_>,
    run: impl Future<Output = Result<T>> + Send,
) -> impl Future<Output = Result<T>> + Send {
    let run = run.map_err(|error| error.with_statement(statement));
    in_span(origin, || statement.summary(), &statement.sql, run)
}

/// The same for an insert of many rows, by whatever text the engine takes for it.
///
/// # Errors
/// Those of the future.
pub fn traced_bulk<T: Send>(
    origin: &Origin,
    into: &BulkInsert,
    sql: &str,
    run: impl Future<Output = Result<T>> + Send,
) -> impl Future<Output = Result<T>> + Send {
    let run = run.map_err(|error| error.with_sql(sql));
    in_span(origin, || format!("INSERT {}", into.parts.join(".")), sql, run)
}

/// No `async fn`: that would keep room for the future where it is taken and where it is awaited, at each level.
fn in_span<T: Send>(
    origin: &Origin,
    summary: impl FnOnce() -> String,
    sql: &str,
    run: impl Future<Output = Result<T>> + Send,
) -> impl Future<Output = Result<T>> + Send {
    if is_off() {
        return Either::Left(run);
    }
    let span = span(origin, &summary(), sql);
    let noted = span.clone();
    let run = run.inspect_err(move |error| failed(&noted, error)).instrument(span);
    Either::Right(Box::pin(run))
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
    span.record("error.type", error.kind().name());
    if let Some(code) = error.code() {
        span.record("db.response.status_code", code);
    }
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
        let statement = Compiled { sql: r#"SELECT "a" FROM "Orders""#.into(), ..Compiled::default() };
        let origin = Origin::new("postgresql").namespace("shop").server("db", 5432);
        let error = tracing::subscriber::with_default(heard.clone(), || {
            let run = async { Err::<(), _>(Error::new(ErrorKind::Deadlock, "chosen").with_code("40P01")) };
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(traced(&origin, &statement, run)).unwrap_err()
        });
        assert_eq!(error.sql(), Some(r#"SELECT "a" FROM "Orders""#));
        let said: Vec<String> = heard.0.lock().unwrap().iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(
            said,
            [
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
