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
    let kind = told(error.code, &error.message).unwrap_or_else(|| kind(error.code, &error.state));
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

/// What a code stands for, where its class says nothing, or something else.
const CODES: [(ErrorKind, &[u16]); 18] = [
    (ErrorKind::UniqueViolation, &[1022, 1062, 1169, 1586, 1859]),
    (ErrorKind::ForeignKeyViolation, &[1216, 1217, 1451, 1452, 1557, 1701, 1761, 1762]),
    (ErrorKind::NotNullViolation, &[1048, 1263, 1364]),
    (ErrorKind::CheckViolation, &[1369, 3819, 4025]),
    (ErrorKind::Deadlock, &[1213, 1614]),
    // A row, or its table, has changed since the snapshot; a cluster gave another transaction the precedence. From 8002 on: TiDB.
    (ErrorKind::SerializationFailure, &[1020, 1412, 3101, 8002, 8005, 8022, 8028, 9007]),
    (ErrorKind::Timeout, &[1205, 1969, 3024, 3572]),
    (ErrorKind::Cancelled, &[1028, INTERRUPTED]),
    (ErrorKind::ReadOnly, &[1836]),
    // All clients together have prepared as many statements as the server keeps.
    (ErrorKind::Busy, &[1461]),
    // Too many connections: of all, of the user.
    (ErrorKind::Connect, &[1040, 1203]),
    (ErrorKind::ConnectionLost, &[1053, 1927, 3169, 4031]),
    (
        ErrorKind::Permission,
        &[1044, 1045, 1095, 1142, 1143, 1211, 1226, 1227, 1290, 1370, 1410, 1419, 1698, 1792, 1820, 1862, 3118],
    ),
    // 14 is a file that cannot be made longer: MariaDB names no error of the system with it, but a number without meaning.
    (ErrorKind::StorageFull, &[14, 20, 1021, 1114, 1197, 1878]),
    // A table that is damaged, was marked so, or whose repair has failed; an index.
    (ErrorKind::Corrupt, &[126, 127, 144, 145, 1034, 1035, 1194, 1195, 1712]),
    (ErrorKind::Configuration, &[1046]),
    // 1052 is of the class of constraints, for no reason.
    (ErrorKind::Syntax, &[1052, 1193]),
    (ErrorKind::BadValue, &[1153, 1162, 1264, 1265, 1292, 1300, 1301, 1366, 1406, 1411, 3854, 3903, 3904, 3988, 4038]),
];

/// The errors of JSON: a text that is none, a path, a value that does not fit.
const JSON: std::ops::RangeInclusive<u16> = 3140..=3158;

/// What the class of a state stands for, its first two characters. A warning has no state, and a constraint's says nothing of
/// which it is.
const CLASSES: [(&str, ErrorKind); 22] = [
    ("01", ErrorKind::Other),
    ("02", ErrorKind::Other),
    ("08", ErrorKind::ConnectionLost),
    ("0A", ErrorKind::Other),
    ("0K", ErrorKind::Other),
    ("0Z", ErrorKind::Other),
    ("20", ErrorKind::Other),
    ("21", ErrorKind::Other),
    ("22", ErrorKind::BadValue),
    ("23", ErrorKind::Other),
    ("24", ErrorKind::Other),
    ("25", ErrorKind::Other),
    ("28", ErrorKind::Permission),
    ("2F", ErrorKind::Other),
    ("3D", ErrorKind::Configuration),
    ("40", ErrorKind::SerializationFailure),
    ("42", ErrorKind::Syntax),
    ("44", ErrorKind::CheckViolation),
    ("45", ErrorKind::Other),
    ("70", ErrorKind::Cancelled),
    ("HY", ErrorKind::Other),
    ("XA", ErrorKind::TransactionFailed),
];

/// A code stands for one thing, a state for many of them.
fn kind(code: u16, state: &str) -> ErrorKind {
    if let Some((kind, _)) = CODES.iter().find(|(_, codes)| codes.contains(&code)) {
        return *kind;
    }
    if JSON.contains(&code) {
        return ErrorKind::BadValue;
    }
    let class = state.get(..2).unwrap_or_default();
    CLASSES.iter().find(|(name, _)| *name == class).map_or(ErrorKind::Other, |(_, kind)| *kind)
}

/// What is said by the message alone.
fn told(code: u16, message: &str) -> Option<ErrorKind> {
    match code {
        // A parameter that the column's character set lacks a character of; else it is two columns that do not fit.
        1267 | 1270 | 1271 if message.contains("COERCIBLE)") => Some(ErrorKind::BadValue),
        1267 | 1270 | 1271 => Some(ErrorKind::Syntax),
        // The option that it names is `--read-only` or `--super-read-only`.
        1290 if message.contains("read-only") => Some(ErrorKind::ReadOnly),
        // The transaction of a savepoint is no more.
        1305 if message.starts_with("SAVEPOINT ") => Some(ErrorKind::TransactionFailed),
        // A node of Galera that has lost the others, at a COMMIT.
        1180 if message.contains("Primary Component") => Some(ErrorKind::ConnectionLost),
        // The system's error for a disk that is full.
        3 | 1026 | 1030 | 1180
            if message.contains("rror 28") || message.contains("rrno: 28") || message.contains("code: 28") =>
        {
            Some(ErrorKind::StorageFull)
        }
        _ => None,
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

/// Whether the server has closed the connection behind this error, or is of no use behind it: a node of Galera that has lost the
/// others (1047) takes nothing, and may not come back.
pub(crate) fn is_last(code: u16) -> bool {
    matches!(code, 1047 | 1053 | 1153 | 1180 | 1927 | 3169 | 4031)
}

/// Returns whether a server says this unasked, before it closes a connection: when it ends, when the connection was killed, or
/// idle for too long.
pub(crate) fn is_farewell(code: u16) -> bool {
    matches!(code, 1053 | 1927 | 3169 | 4031)
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "a test")]
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
    fn each_code_stands_for_one_thing() {
        let codes: Vec<u16> = CODES.iter().flat_map(|(_, codes)| codes.iter().copied()).collect();
        for (place, code) in codes.iter().enumerate() {
            assert!(!codes[..place].contains(code) && !JSON.contains(code), "{code}");
        }
    }

    /// Of "Server Error Message Reference" of MySQL, and of "MariaDB Error Codes".
    const DOCUMENTED: &str = "01 02 08 0A 0K 0Z 20 21 22 23 24 25 28 2F 3D 40 42 44 45 70 HY XA";

    #[test]
    fn each_documented_class_has_its_row() {
        let rows: Vec<&str> = CLASSES.iter().map(|(class, _)| *class).collect();
        assert_eq!(rows.join(" "), DOCUMENTED);
    }

    /// What has a state of each of them.
    #[test]
    fn each_documented_class_has_its_kind() {
        use ErrorKind as K;
        // All that are documented with a state of the class of constraints: it says nothing of which.
        for (code, wanted) in [
            (1022, K::UniqueViolation),
            (1048, K::NotNullViolation),
            (1052, K::Syntax),
            (1062, K::UniqueViolation),
            (1169, K::UniqueViolation),
            (1216, K::ForeignKeyViolation),
            (1217, K::ForeignKeyViolation),
            (1451, K::ForeignKeyViolation),
            (1452, K::ForeignKeyViolation),
            (1557, K::ForeignKeyViolation),
            (1586, K::UniqueViolation),
            (1761, K::ForeignKeyViolation),
            (1762, K::ForeignKeyViolation),
            (1859, K::UniqueViolation),
        ] {
            assert_eq!(kind(code, "23000"), wanted, "{code}");
        }
        let all = [
            (1642, "01000", K::Other),
            (1643, "02000", K::Other),
            (1645, "0K000", K::Other),
            (1887, "0Z002", K::Other),
            (1339, "20000", K::Other),
            (1321, "2F005", K::Other),
            (1329, "02000", K::Other),
            (1040, "08004", K::Connect),
            (1043, "08S01", K::ConnectionLost),
            (1158, "08S01", K::ConnectionLost),
            (1286, "42000", K::Syntax),
            (1295, "HY000", K::Other),
            (1312, "0A000", K::Other),
            (1222, "21000", K::Other),
            (1242, "21000", K::Other),
            (1365, "22012", K::BadValue),
            (1367, "22007", K::BadValue),
            (1690, "22003", K::BadValue),
            (1325, "24000", K::Other),
            (1568, "25001", K::Other),
            (1792, "25006", K::Permission),
            (1873, "28000", K::Permission),
            (1046, "3D000", K::Configuration),
            (1213, "40001", K::Deadlock),
            (1689, "40001", K::SerializationFailure),
            (1203, "42000", K::Connect),
            (14, "HY000", K::StorageFull),
            (20, "HY000", K::StorageFull),
            (1226, "42000", K::Permission),
            (1064, "42000", K::Syntax),
            (1146, "42S02", K::Syntax),
            (1369, "44000", K::CheckViolation),
            (1644, "45000", K::Other),
            (1317, "70100", K::Cancelled),
            (1927, "70100", K::ConnectionLost),
            (1402, "XA100", K::TransactionFailed),
            (1614, "XA102", K::Deadlock),
        ];
        for (code, state, wanted) in all {
            assert_eq!(kind(code, state), wanted, "{code} {state}");
        }
        for class in DOCUMENTED.split(' ').filter(|class| *class != "23") {
            assert!(all.iter().any(|(_, state, _)| state.starts_with(class)), "nothing of {class}");
        }
    }

    #[test]
    fn some_things_are_in_the_message_only() {
        let of =
            |code, message: &str| server(ServerError { code, message: message.into(), state: "42000".into() }).kind();
        assert_eq!(of(1305, "SAVEPOINT s1 does not exist"), ErrorKind::TransactionFailed);
        assert_eq!(of(1305, "FUNCTION d.f does not exist"), ErrorKind::Syntax);
        let full = "Got error 28 \"No space left on device\" from storage engine InnoDB";
        assert_eq!(of(1030, full), ErrorKind::StorageFull);
        let option =
            |name: &str| format!("The server is running with the {name} option so it cannot execute this statement");
        assert_eq!(of(1290, &option("--read-only")), ErrorKind::ReadOnly);
        assert_eq!(of(1290, &option("--super-read-only")), ErrorKind::ReadOnly);
        assert_eq!(of(1290, &option("--secure-file-priv")), ErrorKind::Permission);
        assert_eq!(of(1836, "Running in read-only mode"), ErrorKind::ReadOnly);
    }

    #[test]
    fn a_cluster_says_what_to_do() {
        let of = |code, state: &str, message: &str| {
            server(ServerError { code, message: message.into(), state: state.into() }).kind()
        };
        let alone = "WSREP has not yet prepared node for application use";
        assert_eq!(of(1047, "08S01", alone), ErrorKind::ConnectionLost);
        let fragment =
            "Error while appending streaming replication fragment(provider status: Not connected to Primary Component)";
        assert_eq!(of(1180, "HY000", fragment), ErrorKind::ConnectionLost);
        assert_eq!(of(1180, "HY000", "Got error 28 \"No space left on device\" during COMMIT"), ErrorKind::StorageFull);
        // TiDB's have no state that says more.
        for code in [8002, 8005, 8022, 8028, 9007] {
            assert_eq!(of(code, "HY000", "Write conflict"), ErrorKind::SerializationFailure, "{code}");
        }
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
