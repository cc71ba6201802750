//! SQLite's errors, by their kinds.

use isogloss_driver::{Error, ErrorKind};
use rusqlite::{ErrorCode, ffi};

use crate::dialect::SEVERAL_ROWS;

/// What SQLite reported, for a statement.
pub(crate) fn error(error: rusqlite::Error, sql: &str) -> Error {
    let (kind, code, message) = match &error {
        rusqlite::Error::SqliteFailure(failure, message) => {
            let message = message.clone().unwrap_or_else(|| failure.to_string());
            if message.contains(SEVERAL_ROWS) {
                (ErrorKind::Other, Some(failure.extended_code), SEVERAL_ROWS.to_owned())
            } else {
                let kind = if of_values(&message) { ErrorKind::BadValue } else { kind(failure.extended_code) };
                (kind, Some(failure.extended_code), message)
            }
        }
        rusqlite::Error::SqlInputError { error, msg, offset, .. } => {
            let place = if *offset >= 0 { format!(" at byte {offset}") } else { String::new() };
            (kind(error.extended_code), Some(error.extended_code), format!("{msg}{place}"))
        }
        rusqlite::Error::InvalidParameterCount(given, wanted) => {
            (ErrorKind::BadValue, None, format!("{given} parameters are given, the statement has {wanted}"))
        }
        // A text that is none: its bytes are no UTF-8.
        rusqlite::Error::Utf8Error(..) | rusqlite::Error::FromSqlConversionFailure(..) => {
            (ErrorKind::Decode, None, error.to_string())
        }
        other => (ErrorKind::Other, None, other.to_string()),
    };
    let constraint = constraint(kind, &message);
    let mut found = Error::new(kind, message).with_sql(sql).with_source(error);
    if let Some(code) = code {
        found = found.with_code(code.to_string());
    }
    match constraint {
        Some(constraint) => found.with_constraint(constraint),
        None => found,
    }
}

/// Whether a statement that is all right met a value that is not: SQLite's code is the one for its syntax then, and only
/// the text tells.
fn of_values(message: &str) -> bool {
    matches!(message, "integer overflow" | "LIKE or GLOB pattern too complex" | "malformed JSON")
}

/// SQLite has taken the transaction back, and the caller has not been told yet.
pub(crate) fn rolled_back() -> Error {
    let message = "a statement of the transaction failed or was given up, and SQLite took all of it back: roll it back";
    Error::new(ErrorKind::TransactionFailed, message)
}

fn kind(code: i32) -> ErrorKind {
    match code {
        ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_ROWID => {
            return ErrorKind::UniqueViolation;
        }
        ffi::SQLITE_CONSTRAINT_FOREIGNKEY => return ErrorKind::ForeignKeyViolation,
        ffi::SQLITE_CONSTRAINT_NOTNULL => return ErrorKind::NotNullViolation,
        ffi::SQLITE_CONSTRAINT_CHECK => return ErrorKind::CheckViolation,
        // A reader that wants to write over what another has committed meanwhile.
        ffi::SQLITE_BUSY_SNAPSHOT => return ErrorKind::SerializationFailure,
        _ => {}
    }
    // The lower byte is the plain code.
    match code & 0xff {
        ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED => ErrorKind::Timeout,
        ffi::SQLITE_INTERRUPT => ErrorKind::Cancelled,
        ffi::SQLITE_PERM | ffi::SQLITE_AUTH | ffi::SQLITE_READONLY => ErrorKind::Permission,
        ffi::SQLITE_CANTOPEN | ffi::SQLITE_NOTADB => ErrorKind::Connect,
        ffi::SQLITE_TOOBIG | ffi::SQLITE_MISMATCH | ffi::SQLITE_RANGE => ErrorKind::BadValue,
        ffi::SQLITE_FULL => ErrorKind::StorageFull,
        ffi::SQLITE_ERROR => ErrorKind::Syntax,
        _ => ErrorKind::Other,
    }
}

/// The columns of a key or constraint: `UNIQUE constraint failed: Orders.Id`.
fn constraint(kind: ErrorKind, message: &str) -> Option<String> {
    let constrained =
        matches!(kind, ErrorKind::UniqueViolation | ErrorKind::NotNullViolation | ErrorKind::CheckViolation);
    let (_, name) = message.split_once("constraint failed: ").filter(|_| constrained)?;
    Some(name.to_owned())
}

/// Whether SQLite was told to give the statement up.
pub(crate) fn interrupted(found: &rusqlite::Error) -> bool {
    found.sqlite_error_code() == Some(ErrorCode::OperationInterrupted)
}

/// Whether another connection is in the way.
pub(crate) fn busy(found: &rusqlite::Error) -> bool {
    matches!(found.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}
