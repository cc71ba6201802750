//! Oracle's errors, by their numbers.

use isogloss_driver::{Error, ErrorKind};

use super::codes::kind;

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
    let cause = cause(number, message);
    let described = Error::new(kind(cause), without_code(message, &code));
    let described = match constraint(cause, message) {
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

/// The number that a message is about: of a transaction that was rolled back, that of its cause.
///
/// ```text
/// ORA-02091: transaction rolled back
/// ORA-02291: integrity constraint (APP.FK_DEPT) violated - parent key not found
/// ```
fn cause(number: i32, message: &str) -> i32 {
    let causes = || message.split("ORA-").filter_map(|rest| rest.get(..5)?.parse().ok());
    if number == ROLLED_BACK { causes().find(|cause| *cause != ROLLED_BACK).unwrap_or(number) } else { number }
}

/// A transaction was rolled back, by a COMMIT that found a constraint broken most often.
const ROLLED_BACK: i32 = 2091;

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
    fn numbers_of_the_client_have_kinds() {
        assert_eq!(client_kind(1067), ErrorKind::Timeout);
        assert_eq!(client_kind(1080), ErrorKind::ConnectionLost);
    }

    /// By a constraint that is looked at with COMMIT.
    #[test]
    fn a_transaction_that_was_rolled_back_tells_why() {
        let text =
            "ORA-02091: transaction rolled back\nORA-02291: integrity constraint (APP.FK_DEPT) violated - parent";
        let error = server(2091, text);
        let found = (error.kind(), error.code(), error.constraint());
        assert_eq!(found, (ErrorKind::ForeignKeyViolation, Some("ORA-02091"), Some("FK_DEPT")));
        assert_eq!(server(2091, "ORA-02091: transaction rolled back").kind(), ErrorKind::SerializationFailure);
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
