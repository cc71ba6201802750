//! PostgreSQL's errors, by their kinds.

use isogloss_driver::{Error, ErrorKind};
use tokio_postgres::error::DbError;

/// What the server or the library reported.
pub(super) fn error(found: tokio_postgres::Error) -> Error {
    if let Some(reported) = found.as_db_error() {
        let kind = kind(reported);
        let mut message = reported.message().to_owned();
        if let Some(hint) = reported.hint() {
            message.push_str("; ");
            message.push_str(hint);
        }
        let mut error = Error::new(kind, message).with_code(reported.code().code());
        if let Some(constraint) = constraint(kind, reported) {
            error = error.with_constraint(constraint);
        }
        if let Some(detail) = reported.detail() {
            error = error.with_detail(detail);
        }
        return error.with_source(found);
    }
    if found.is_closed() {
        return Error::new(ErrorKind::ConnectionLost, "the server closed the connection").with_source(found);
    }
    let text = told(&found);
    match found.into_source().map(|source| source.downcast::<Error>()) {
        // What the driver itself said of a parameter.
        Some(Ok(own)) => *own,
        Some(Err(source)) if source.is::<std::io::Error>() => {
            Error::new(ErrorKind::ConnectionLost, text).with_source(source)
        }
        Some(Err(source)) => Error::new(ErrorKind::Other, text).with_source(source),
        None => Error::new(ErrorKind::Other, text),
    }
}

/// An error of connecting: a broken connection then is one that never was.
pub(super) fn connecting(found: tokio_postgres::Error) -> Error {
    let text = told(&found);
    let error = error(found);
    match error.kind() {
        ErrorKind::Connect | ErrorKind::Configuration => error,
        _ => match error.code().map(str::to_owned) {
            Some(code) => Error::new(ErrorKind::Connect, error.message()).with_code(code).with_source(error),
            None => Error::new(ErrorKind::Connect, text).with_source(error),
        },
    }
}

/// The library's text, with what it was caused by.
fn told(found: &tokio_postgres::Error) -> String {
    match std::error::Error::source(found) {
        Some(cause) => format!("{found}: {cause}"),
        None => found.to_string(),
    }
}

fn kind(reported: &DbError) -> ErrorKind {
    let code = reported.code().code();
    match code {
        // An exclusion constraint is a key in the widest sense.
        "23505" | "23P01" => ErrorKind::UniqueViolation,
        "23503" | "23001" => ErrorKind::ForeignKeyViolation,
        "23502" => ErrorKind::NotNullViolation,
        "23514" => ErrorKind::CheckViolation,
        "40P01" => ErrorKind::Deadlock,
        "40001" => ErrorKind::SerializationFailure,
        "25P02" => ErrorKind::TransactionFailed,
        // A lock that was not had in time, or not at once where NOWAIT was asked for.
        "55P03" => ErrorKind::Timeout,
        // One code for two things, which only the text tells apart: somebody cancelled it, or its time is over.
        "57014" if reported.message().contains("user request") => ErrorKind::Cancelled,
        "57014" => ErrorKind::Timeout,
        // Shut down, crashed, idle for too long.
        "57P01" | "57P02" | "57P05" | "25P03" | "25P04" => ErrorKind::ConnectionLost,
        // Not up yet, or full.
        "57P03" | "53300" => ErrorKind::Connect,
        // A write where only reads are allowed.
        "42501" | "25006" => ErrorKind::Permission,
        "22001" | "22003" | "22007" | "22008" | "22021" | "22P02" | "22P03" | "22P05" | "54000" => ErrorKind::BadValue,
        "53100" => ErrorKind::StorageFull,
        "3D000" => ErrorKind::Connect,
        "3F000" => ErrorKind::Syntax,
        _ => match code.get(..2) {
            Some("42") => ErrorKind::Syntax,
            Some("08") => ErrorKind::ConnectionLost,
            Some("28") => ErrorKind::Connect,
            _ => ErrorKind::Other,
        },
    }
}

/// The constraint's name; of a column that is never NULL, the table's and its own.
fn constraint(kind: ErrorKind, reported: &DbError) -> Option<String> {
    if kind == ErrorKind::NotNullViolation
        && let (Some(table), Some(column)) = (reported.table(), reported.column())
    {
        return Some(format!("{table}.{column}"));
    }
    reported.constraint().map(str::to_owned)
}

/// Whether the server has ended the session with that error, rather than reported what somebody else has lost.
pub(super) fn ends_session(found: &Error) -> bool {
    found.kind() == ErrorKind::ConnectionLost && found.code().is_some_and(|code| !code.starts_with("08"))
}
