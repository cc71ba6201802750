//! Oracle's errors, by their numbers.

use isogloss_driver::{Error, ErrorKind};

/// What the server, its client library or the crate reported.
pub(super) fn error(found: oracle::Error) -> Error {
    let message = || found.db_error().map_or_else(|| found.to_string(), |error| error.message().to_owned());
    let described = match (found.oci_code(), found.dpi_code()) {
        (Some(code), _) => server(code, &message()),
        (None, Some(code)) => client(code, &message()),
        (None, None) => {
            let kind = match found.kind() {
                oracle::ErrorKind::OutOfRange | oracle::ErrorKind::InvalidBindIndex => ErrorKind::BadValue,
                oracle::ErrorKind::InvalidTypeConversion | oracle::ErrorKind::ParseError => ErrorKind::Decode,
                _ => ErrorKind::Other,
            };
            Error::new(kind, found.to_string())
        }
    };
    described.with_source(found)
}

/// What the server reported, by its number.
fn server(number: i32, message: &str) -> Error {
    let code = format!("ORA-{number:05}");
    let described = Error::new(kind(number), without_code(message, &code));
    let described = match constraint(number, message) {
        Some(name) => described.with_constraint(name),
        None => described,
    };
    described.with_code(code)
}

/// What the client library reported, by its number.
fn client(number: i32, message: &str) -> Error {
    let code = format!("DPI-{number:04}");
    let message = without_code(message, &code);
    let message = match number {
        1047 => format!("{CLIENT} {message}"),
        _ => message.to_owned(),
    };
    Error::new(client_kind(number), message).with_code(code)
}

/// A message without the code that it begins with, which an error tells by itself.
fn without_code<'m>(message: &'m str, code: &str) -> &'m str {
    let message =
        message.strip_prefix("OCI Error: ").or_else(|| message.strip_prefix("DPI Error: ")).unwrap_or(message);
    message.strip_prefix(code).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(message)
}

/// What to do where there is no client library.
const CLIENT: &str = "Oracle's client library was not found: install Oracle Instant Client (Basic or Basic Light) of \
    this machine's architecture, and let the loader find it: its folder in LD_LIBRARY_PATH or in ldconfig's list, on \
    Windows in PATH.";

/// What was reported while connecting.
pub(super) fn connect_error(found: oracle::Error) -> Error {
    let described = error(found);
    let connect = Error::new(ErrorKind::Connect, described.message());
    let connect = match described.code() {
        Some(code) => connect.with_code(code),
        None => connect,
    };
    connect.with_source(described)
}

/// The kind of an `ORA` number.
fn kind(code: i32) -> ErrorKind {
    match code {
        1 => ErrorKind::UniqueViolation,
        2290 => ErrorKind::CheckViolation,
        // No such parent; there are children.
        2291 | 2292 => ErrorKind::ForeignKeyViolation,
        // By INSERT; by UPDATE.
        1400 | 1407 => ErrorKind::NotNullViolation,
        60 | 4020 => ErrorKind::Deadlock,
        8177 => ErrorKind::SerializationFailure,
        // A lock: at once, after a wait, of DDL, of another database.
        54 | 30006 | 4021 | 2049 => ErrorKind::Timeout,
        1013 => ErrorKind::Cancelled,
        // The session is killed or idle for too long, the server goes down, the line breaks.
        28 | 1012 | 1089 | 1090 | 1092 | 2396 | 2399 | 3113 | 3114 | 3135 | 12537 | 12547 | 12570 | 12571 | 25408 => {
            ErrorKind::ConnectionLost
        }
        // The login; no server, service or listener.
        1017 | 1034 | 1045 | 28000 | 28001 | 12154 | 12170 | 12505 | 12514 | 12528 | 12541 | 12543 | 12545 => {
            ErrorKind::Connect
        }
        // No privilege, none on this table, none to store; a transaction that only reads.
        1031 | 1720 | 1950 | 41900 | 1456 => ErrorKind::Permission,
        // The quota of the user; what an object, a segment, a table, an index, a large object would be extended by.
        257 | 1536 | 1631 | 1632 | 1650..=1659 | 1683 | 1688 | 1691 | 1692 | 19809 | 30036 => ErrorKind::StorageFull,
        // A damaged block; an index that does not agree with its table.
        1578 | 8102 => ErrorKind::Corrupt,
        // Too long, too large, too many digits; not all parameters.
        12899 | 1438 | 1426 | 1455 | 1461 | 1008 => ErrorKind::BadValue,
        // A name that is taken, or is there twice.
        955 | 957 => ErrorKind::Other,
        // Words, names (904) and tables (942); quotes; a parameter's name; PL/SQL.
        900..=999 | 1740 | 1745 | 1747 | 1756 | 6550 => ErrorKind::Syntax,
        _ => ErrorKind::Other,
    }
}

/// The kind of a `DPI` number: those of the client library.
fn client_kind(code: i32) -> ErrorKind {
    match code {
        // No library; one that is too old.
        1047 | 1072 => ErrorKind::Connect,
        1067 => ErrorKind::Timeout,
        // Not connected; closed by the server.
        1010 | 1080 => ErrorKind::ConnectionLost,
        _ => ErrorKind::Other,
    }
}

/// The constraint or column that the message names, without its schema and table.
///
/// ```text
/// ORA-00001: unique constraint (APP.UQ_EMAIL) violated
/// ORA-02290: check constraint (APP.CK_AGE) violated
/// ORA-01400: cannot insert NULL into ("APP"."USERS"."NAME")
/// ```
fn constraint(code: i32, message: &str) -> Option<&str> {
    if !matches!(code, 1 | 2290 | 2291 | 2292 | 1400 | 1407) {
        return None;
    }
    let (_, name) = message.split_once('(')?;
    let (name, _) = name.split_once(')')?;
    Some(name.rsplit('.').next().unwrap_or(name).trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_kinds() {
        use ErrorKind as K;
        let all = [
            (1, K::UniqueViolation),
            (2290, K::CheckViolation),
            (2291, K::ForeignKeyViolation),
            (2292, K::ForeignKeyViolation),
            (1400, K::NotNullViolation),
            (60, K::Deadlock),
            (8177, K::SerializationFailure),
            (54, K::Timeout),
            (1013, K::Cancelled),
            (3113, K::ConnectionLost),
            (3114, K::ConnectionLost),
            (12541, K::Connect),
            (1017, K::Connect),
            (1031, K::Permission),
            (900, K::Syntax),
            (904, K::Syntax),
            (942, K::Syntax),
            (955, K::Other),
            (12899, K::BadValue),
            (1476, K::Other),
        ];
        for (code, expected) in all {
            assert_eq!(kind(code), expected, "{code}");
        }
        assert_eq!(client_kind(1067), K::Timeout);
    }

    #[test]
    fn an_error_tells_its_code_once() {
        let error = server(12541, "ORA-12541: TNS:no listener");
        assert_eq!(error.to_string(), "cannot connect (ORA-12541): TNS:no listener");
        let error = server(1, "OCI Error: ORA-00001: unique constraint (APP.UQ) violated\nORA-06512: at line 1");
        let text = "unique violation (ORA-00001): unique constraint (APP.UQ) violated\nORA-06512: at line 1";
        assert_eq!((error.to_string().as_str(), error.constraint()), (text, Some("UQ")));
        let error = client(1080, "DPI-1080: connection was closed by ORA-03113");
        assert_eq!(error.to_string(), "connection lost (DPI-1080): connection was closed by ORA-03113");
        assert!(client(1047, "DPI Error: DPI-1047: no library").to_string().ends_with("in PATH. no library"));
    }

    #[test]
    fn constraints_are_read_from_the_messages() {
        let all = [
            (1, "ORA-00001: unique constraint (APP.UQ_EMAIL) violated", "UQ_EMAIL"),
            (1, "ORA-00001: unique constraint (APP.UQ) violated on table APP.T columns (A, B)", "UQ"),
            (2291, "ORA-02291: integrity constraint (APP.FK_DEPT) violated - parent key not found", "FK_DEPT"),
            (1400, "ORA-01400: cannot insert NULL into (\"APP\".\"USERS\".\"Name\")", "Name"),
        ];
        for (code, message, name) in all {
            assert_eq!(constraint(code, message), Some(name));
        }
        assert_eq!(constraint(942, "ORA-00942: table or view does not exist"), None);
    }
}
