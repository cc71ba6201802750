//! SQLite's errors, by their kinds.

use isogloss_driver::{Error, ErrorKind};
use rusqlite::{ErrorCode, ffi};

use super::codes::kind;
use crate::dialect::SEVERAL_ROWS;

/// What SQLite reported, for a statement.
pub(crate) fn error(error: rusqlite::Error, sql: &str) -> Error {
    let (kind, code, message) = match &error {
        rusqlite::Error::SqliteFailure(failure, message) => {
            let message = message.clone().unwrap_or_else(|| failure.to_string());
            if message.contains(SEVERAL_ROWS) {
                (ErrorKind::Other, Some(failure.extended_code), SEVERAL_ROWS.to_owned())
            } else {
                let kind = of_text(&message).unwrap_or_else(|| kind(failure.extended_code));
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

/// The kind where SQLite's code tells another or none, and only the text tells.
fn of_text(message: &str) -> Option<ErrorKind> {
    match message {
        // A statement that is all right met a value that is not. The code is the one for its syntax.
        "integer overflow" | "LIKE or GLOB pattern too complex" | "malformed JSON" => Some(ErrorKind::BadValue),
        // ON DELETE RESTRICT is a trigger of SQLite's own.
        "FOREIGN KEY constraint failed" => Some(ErrorKind::ForeignKeyViolation),
        _ => None,
    }
}

/// SQLite has taken the transaction back, and the caller has not been told yet.
pub(crate) fn rolled_back() -> Error {
    let message = "a statement of the transaction failed or was given up, and SQLite took all of it back: roll it back";
    Error::new(ErrorKind::TransactionFailed, message)
}

/// The transaction is over, and its caller has not heard how.
pub(crate) fn committed() -> Error {
    let message = "the transaction was committed: the future of its COMMIT was dropped before that was told";
    Error::new(ErrorKind::TransactionFailed, message)
}

/// An error of a COMMIT, if it is one of the whole transaction. Where the disk failed, nobody knows whether it took effect:
/// what is in the log may be found there when the file is next opened.
pub(crate) fn unsure(found: Error, of_all: bool) -> Error {
    let code = found.code().and_then(|code| code.parse::<i32>().ok());
    let lost = found.kind() == ErrorKind::ConnectionLost || code.is_some_and(|code| code & 0xff == ffi::SQLITE_IOERR);
    if of_all && lost { found.in_doubt() } else { found }
}

/// Whether a file cannot be written, or its folder.
pub(crate) fn cannot_write(found: &rusqlite::Error) -> bool {
    matches!(found.sqlite_error_code(), Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_that_failed_at_the_disk_is_in_doubt() {
        let failed = |code| error(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None), "COMMIT");
        for (code, doubt) in [
            (ffi::SQLITE_IOERR_FSYNC, true),
            (ffi::SQLITE_IOERR, true),
            (ffi::SQLITE_BUSY, false),
            (ffi::SQLITE_FULL, false),
            (ffi::SQLITE_CONSTRAINT_FOREIGNKEY, false),
        ] {
            assert_eq!(unsure(failed(code), true).is_in_doubt(), doubt, "{code}");
            assert!(!unsure(failed(code), false).is_in_doubt(), "a savepoint's");
        }
        let lost = Error::new(ErrorKind::ConnectionLost, "the thread of the statement ended");
        assert!(unsure(lost, true).is_in_doubt());
    }
}
