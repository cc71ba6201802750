//! The errors of MySQL and MariaDB, by their kinds.

use isogloss_driver::{Error, ErrorKind};
use mysql_async::{DriverError, ServerError};

use crate::dialect::TWO_ROWS;

/// A statement was ended by a KILL.
pub(crate) const INTERRUPTED: u16 = 1317;

/// What the server or the driver reported.
pub(crate) fn error(error: mysql_async::Error) -> Error {
    let kind = match error {
        mysql_async::Error::Server(error) => return server(error),
        mysql_async::Error::Io(_) => ErrorKind::ConnectionLost,
        mysql_async::Error::Driver(
            DriverError::ConnectionClosed | DriverError::PacketOutOfOrder | DriverError::UnexpectedPacket { .. },
        ) => ErrorKind::ConnectionLost,
        mysql_async::Error::Driver(DriverError::PacketTooLarge) => ErrorKind::BadValue,
        mysql_async::Error::Url(_) => ErrorKind::Configuration,
        mysql_async::Error::Driver(_) | mysql_async::Error::Other(_) => ErrorKind::Other,
    };
    Error::new(kind, error.to_string()).with_source(error)
}

/// What was reported of an attempt to connect.
pub(crate) fn connecting(found: mysql_async::Error) -> Error {
    let code = match &found {
        mysql_async::Error::Server(error) => Some(error.code),
        _ => None,
    };
    let error = Error::new(ErrorKind::Connect, found.to_string()).with_source(found);
    match code {
        Some(code) => error.with_code(code.to_string()),
        None => error,
    }
}

/// What the server reported.
pub(crate) fn server(error: ServerError) -> Error {
    let kind = match error.code {
        // A parameter that the column's character set lacks a character of; else it is two columns that do not fit.
        1267 | 1270 | 1271 if error.message.contains("COERCIBLE)") => ErrorKind::BadValue,
        1267 | 1270 | 1271 => ErrorKind::Syntax,
        code => kind(code, &error.state),
    };
    let constraint = constraint(kind, &error.message).map(str::to_owned);
    let message = match without_value(error.code, &error.message) {
        Some(message) => Error::new(kind, message).with_detail(error.message.clone()),
        None => Error::new(kind, error.message.clone()),
    };
    let found = message.with_code(error.code.to_string()).with_source(error);
    match constraint {
        Some(constraint) => found.with_constraint(constraint),
        None => found,
    }
}

/// A message without the value that it is about: `Duplicate entry 'a@b.c' for key 'mail'`.
fn without_value(code: u16, message: &str) -> Option<String> {
    if !matches!(code, 1062 | 1292 | 1366 | 1367 | 1411 | 1525 | 1586 | 1859) {
        return None;
    }
    let head = message.split(['\'', ':']).next().unwrap_or_default().trim_end();
    let tail = [" for key ", " for column "].iter().filter_map(|word| message.rfind(word)).max();
    Some(format!("{head}{}", tail.and_then(|at| message.get(at..)).unwrap_or_default()))
}

/// An upsert's row that has another key of the table asks for a subquery of two rows, which stands there for that.
pub(crate) fn guarded(found: Error, sql: &str) -> Error {
    if found.code() != Some("1242") || !sql.contains(TWO_ROWS) {
        return found;
    }
    let message = "a row of the upsert has another unique key of a row that is there";
    Error::new(ErrorKind::UniqueViolation, message).with_code("1242").with_source(found)
}

/// A code stands for one thing; a state, which a warning has not, for many of them.
fn kind(code: u16, state: &str) -> ErrorKind {
    match code {
        1022 | 1062 | 1169 | 1586 | 1859 => ErrorKind::UniqueViolation,
        1216 | 1217 | 1451 | 1452 | 1761 | 1762 => ErrorKind::ForeignKeyViolation,
        1048 | 1263 | 1364 => ErrorKind::NotNullViolation,
        3819 | 4025 => ErrorKind::CheckViolation,
        1213 => ErrorKind::Deadlock,
        // A row, or its table, has changed since the snapshot; a cluster gave another transaction the precedence.
        1020 | 3101 | 1412 => ErrorKind::SerializationFailure,
        1205 | 1969 | 3024 | 3572 => ErrorKind::Timeout,
        INTERRUPTED => ErrorKind::Cancelled,
        1053 | 1927 | 4031 => ErrorKind::ConnectionLost,
        1044 | 1045 | 1095 | 1142 | 1143 | 1227 | 1290 | 1370 | 1410 | 1419 | 1698 | 1792 | 1836 => {
            ErrorKind::Permission
        }
        1021 | 1114 | 1878 => ErrorKind::StorageFull,
        1193 => ErrorKind::Syntax,
        1153 | 1264 | 1265 | 1292 | 1300 | 1301 | 1366 | 1406 | 1411 | 3140..=3158 | 3854 | 3988 | 4038 => {
            ErrorKind::BadValue
        }
        _ => match state.get(..2) {
            Some("40") => ErrorKind::SerializationFailure,
            Some("08") => ErrorKind::ConnectionLost,
            Some("22") => ErrorKind::BadValue,
            Some("42") => ErrorKind::Syntax,
            _ => ErrorKind::Other,
        },
    }
}

/// The constraint that a message names: a key, a constraint, or the column that is never NULL.
fn constraint(kind: ErrorKind, message: &str) -> Option<&str> {
    let (before, quote) = match kind {
        ErrorKind::UniqueViolation => (" for key '", '\''),
        ErrorKind::ForeignKeyViolation => ("CONSTRAINT `", '`'),
        ErrorKind::NotNullViolation if message.starts_with("Field ") => ("Field '", '\''),
        ErrorKind::NotNullViolation => ("olumn '", '\''),
        ErrorKind::CheckViolation if message.contains("CONSTRAINT `") => ("CONSTRAINT `", '`'),
        ErrorKind::CheckViolation => ("constraint '", '\''),
        _ => return None,
    };
    // The last one: a key's value may hold anything.
    let (_, name) = message.rsplit_once(before)?;
    let (name, _) = name.split_once(quote)?;
    // MySQL says of which table a key is.
    Some(if kind == ErrorKind::UniqueViolation { name.rsplit('.').next().unwrap_or(name) } else { name })
}

/// Whether the server has closed the connection behind this error.
pub(crate) fn is_last(code: u16) -> bool {
    matches!(code, 1053 | 1153 | 1927 | 4031)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guard_stands_for_a_key() {
        let two_rows = || server(ServerError { code: 1242, message: "Subquery".into(), state: "21000".into() });
        let upsert = format!("INSERT .. ON DUPLICATE KEY UPDATE a = IF(t.a = new.a, t.a, {TWO_ROWS})");
        assert_eq!(guarded(two_rows(), &upsert).kind(), ErrorKind::UniqueViolation);
        assert_eq!(guarded(two_rows(), "SELECT (SELECT a FROM t)").kind(), two_rows().kind());
    }

    #[test]
    fn values_are_no_part_of_messages() {
        let of = |code, message: &str| {
            let error = server(ServerError { code, message: message.into(), state: "HY000".into() });
            assert_eq!(error.detail(), Some(message));
            error.message().to_owned()
        };
        let duplicate = of(1062, "Duplicate entry 'it's a for key 'b' for key 'users.email'");
        assert_eq!(duplicate, "Duplicate entry for key 'users.email'");
        let number = of(1366, "Incorrect integer value: 'ann' for column `d`.`t`.`age` at row 1");
        assert_eq!(number, "Incorrect integer value for column `d`.`t`.`age` at row 1");
        assert_eq!(of(1292, "Truncated incorrect DOUBLE value: 'ann'"), "Truncated incorrect DOUBLE value");
    }

    #[test]
    fn constraints_are_found_in_messages() {
        let of = |code, message: &str| {
            let error = ServerError { code, message: message.into(), state: "HY000".into() };
            server(error).constraint().map(str::to_owned)
        };
        assert_eq!(of(1062, "Duplicate entry 'a for key 'b' for key 'users.email'").as_deref(), Some("email"));
        assert_eq!(of(1062, "Duplicate entry '1' for key 'PRIMARY'").as_deref(), Some("PRIMARY"));
        let foreign = "a foreign key constraint fails (`d`.`c`, CONSTRAINT `c_p` FOREIGN KEY (`p`) REFERENCES `p`)";
        assert_eq!(of(1452, foreign).as_deref(), Some("c_p"));
        assert_eq!(of(1048, "Column 'name' cannot be null").as_deref(), Some("name"));
        assert_eq!(of(1364, "Field 'name' doesn't have a default value").as_deref(), Some("name"));
        assert_eq!(of(4025, "CONSTRAINT `positive` failed for `d`.`t`").as_deref(), Some("positive"));
        assert_eq!(of(3819, "Check constraint 'positive' is violated.").as_deref(), Some("positive"));
    }
}
