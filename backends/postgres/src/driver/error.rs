//! PostgreSQL's errors, by their kinds.

use isogloss_driver::{Error, ErrorKind};
use tokio_postgres::error::{DbError, Severity};

use super::reads::only_reads;
use super::statements::has_other_columns;
use super::states;

/// What the server or the library reported.
pub(super) fn error(found: tokio_postgres::Error) -> Error {
    if let Some(reported) = found.as_db_error() {
        let kind = kind(reported);
        let mut message = reported.message().to_owned();
        if let Some(hint) = reported.hint() {
            message.push_str("; ");
            message.push_str(hint);
        }
        if has_other_columns(reported) {
            message.push_str("; a table has changed since the statement was prepared: run the transaction again");
        }
        if matches!(reported.code().code(), "26000" | "42P05") {
            message.push_str("; behind a pooler such as PgBouncer, connect with `pooled=true`");
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
        // One code for two things, which only the text tells apart: somebody cancelled it, or its time is over.
        "57014" if is_asked(reported.message()) => ErrorKind::Cancelled,
        // A statement with another number of parameters; a pooler has it for all that it ends a session with.
        "08P01" if !is_fatal(reported) => ErrorKind::BadValue,
        // Nothing was run. In another attempt, the statement is prepared again.
        _ if has_other_columns(reported) => ErrorKind::SerializationFailure,
        _ => states::kind(code),
    }
}

/// Whether somebody asked for the end of a statement, by the words of PostgreSQL or those of CockroachDB, which are longer where
/// its time is over.
fn is_asked(message: &str) -> bool {
    message.contains("user request") || message == "query execution canceled"
}

fn is_fatal(reported: &DbError) -> bool {
    matches!(reported.parsed_severity(), Some(Severity::Fatal | Severity::Panic))
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
    let library = std::error::Error::source(found).and_then(|source| source.downcast_ref::<tokio_postgres::Error>());
    let reported = library.and_then(tokio_postgres::Error::as_db_error);
    reported.is_some_and(is_fatal)
        || found.kind() == ErrorKind::ConnectionLost && found.code().is_some_and(|code| !code.starts_with("08"))
}

/// Whether an error leaves it open what became of what was sent: the connection or the session is gone, or our own clock
/// gave up. A limit of the server's is an answer.
pub(super) fn is_unanswered(found: &Error) -> bool {
    let is_own = found.code().is_none();
    ends_session(found)
        || is_own && matches!(found.kind(), ErrorKind::ConnectionLost | ErrorKind::Timeout | ErrorKind::Cancelled)
}

/// An error of a statement that commits by itself: one that may have written is in doubt without an answer.
pub(super) fn doubted(found: Error, sql: &str) -> Error {
    if is_unanswered(&found) && !only_reads(sql) { found.in_doubt() } else { found }
}

#[cfg(test)]
mod tests {
    use super::is_asked;

    #[test]
    fn who_ended_a_statement_is_told_apart() {
        assert!(is_asked("canceling statement due to user request") && is_asked("query execution canceled"));
        for late in
            ["canceling statement due to statement timeout", "query execution canceled due to statement timeout"]
        {
            assert!(!is_asked(late), "{late}");
        }
    }
}
