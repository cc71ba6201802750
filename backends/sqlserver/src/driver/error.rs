//! SQL Server's errors, by their numbers.

use isogloss_driver::{Error, ErrorKind};
use tiberius::error::Error as Found;

/// What the server or the driver reported.
pub(super) fn error(found: Found) -> Error {
    let described = match &found {
        Found::Server(server) => {
            let kind = kind(server.code(), server.class(), server.message());
            let (message, value) = without_value(server.code(), server.message());
            let described = Error::new(kind, message).with_code(server.code().to_string());
            let described = if value { described.with_detail(server.message()) } else { described };
            match constraint(server.code(), server.message()) {
                Some(name) => described.with_constraint(name),
                None => described,
            }
        }
        Found::Io { message, .. } => Error::new(ErrorKind::ConnectionLost, message.clone()),
        Found::Protocol(_) | Found::Routing { .. } => Error::new(ErrorKind::ConnectionLost, found.to_string()),
        Found::Tls(_) => Error::new(ErrorKind::Connect, found.to_string()),
        // A value that a bulk load has no form for.
        Found::BulkInput(_) | Found::Encoding(_) => Error::new(ErrorKind::BadValue, found.to_string()),
        Found::Conversion(_) | Found::Utf8 | Found::Utf16 => Error::new(ErrorKind::Decode, found.to_string()),
        _ => Error::new(ErrorKind::Other, found.to_string()),
    };
    described.with_source(found)
}

/// What was reported while connecting.
pub(super) fn connect_error(found: Found) -> Error {
    let described = Error::new(
        ErrorKind::Connect,
        match &found {
            Found::Server(server) => server.message().to_owned(),
            other => other.to_string(),
        },
    );
    match found.code() {
        Some(code) => described.with_code(code.to_string()).with_source(found),
        None => described.with_source(found),
    }
}

/// The kind of an error with that number and class. Class 15 is what the server does not understand, 20 and over end the
/// connection.
fn kind(code: u32, class: u8, message: &str) -> ErrorKind {
    match code {
        // A constraint; a unique index.
        2627 | 2601 => ErrorKind::UniqueViolation,
        547 if message.contains("CHECK constraint") => ErrorKind::CheckViolation,
        547 => ErrorKind::ForeignKeyViolation,
        515 => ErrorKind::NotNullViolation,
        1205 => ErrorKind::Deadlock,
        // It may still read, and be rolled back.
        3930 => ErrorKind::TransactionFailed,
        // SNAPSHOT: the row, or its metadata, has changed. 413xx: tables in memory.
        3960 | 3961 | 41301 | 41302 | 41305 | 41325 => ErrorKind::SerializationFailure,
        // A lock; memory for the query.
        1222 | 8628 | 8645 => ErrorKind::Timeout,
        // The login; the database that it asked for; the database is not there at the moment.
        18452 | 18456 | 4060 | 40613 => ErrorKind::Connect,
        // Column, table, ambiguous column, multi-part name, procedure, function, type, variable.
        207 | 208 | 209 | 4104 | 2812 | 195 | 243 | 2715 | 137 => ErrorKind::Syntax,
        // On an object, on a column, in the database; on the server; a database that only reads.
        229 | 230 | 262 | 297 | 300 | 916 | 1088 | 4902 | 3906 | 15247 => ErrorKind::Permission,
        // Too long for a column; over the range of a type.
        2628 | 8152 | 8115 | 220 | 232 | 248 => ErrorKind::BadValue,
        // A file group, a file of it, the log; the quota of the database.
        1101 | 1105 | 9002 | 40544 => ErrorKind::StorageFull,
        _ if class >= 20 => ErrorKind::ConnectionLost,
        _ if class == 15 => ErrorKind::Syntax,
        _ => ErrorKind::Other,
    }
}

/// The constraint, index or column that the message names.
///
/// ```text
/// 2627  Violation of UNIQUE KEY constraint 'UQ_Email'. Cannot insert duplicate key in object 'dbo.Users'. ...
/// 2601  Cannot insert duplicate key row in object 'dbo.Users' with unique index 'IX_Email'. ...
/// 547   The INSERT statement conflicted with the FOREIGN KEY constraint "FK_Dept". The conflict occurred in ...
/// 515   Cannot insert the value NULL into column 'Name', table 'db.dbo.Users'; ...
/// ```
/// A message without the value that it is about, and whether it had one: `... The duplicate key value is (a@b.c).`
fn without_value(code: u32, message: &str) -> (String, bool) {
    let cut = match code {
        2601 | 2627 => message.find(" The duplicate key value is").map(|at| (at, message.len())),
        2628 => message.find(" Truncated value").map(|at| (at, message.len())),
        // Conversion failed when converting the varchar value 'abc' to data type int.
        245 | 248 => message.find(" value '").zip(message.rfind("' ")).map(|(from, to)| (from + 6, to + 1)),
        _ => None,
    };
    match cut.and_then(|(from, to)| Some((message.get(..from)?, message.get(to..)?))) {
        Some((head, tail)) => (format!("{head}{tail}"), true),
        None => (message.to_owned(), false),
    }
}

fn constraint(code: u32, message: &str) -> Option<&str> {
    let (before, quote) = match code {
        2627 => ("constraint '", '\''),
        2601 => ("index '", '\''),
        547 => ("constraint \"", '"'),
        515 => ("column '", '\''),
        _ => return None,
    };
    let (_, name) = message.split_once(before)?;
    name.split_once(quote).map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_kinds() {
        use ErrorKind as K;
        let plain = [
            (2627, 14, K::UniqueViolation),
            (2601, 14, K::UniqueViolation),
            (515, 16, K::NotNullViolation),
            (1205, 13, K::Deadlock),
            (3960, 16, K::SerializationFailure),
            (1222, 16, K::Timeout),
            (102, 15, K::Syntax),
            (156, 15, K::Syntax),
            (207, 16, K::Syntax),
            (208, 16, K::Syntax),
            (229, 14, K::Permission),
            (8115, 16, K::BadValue),
            (18456, 14, K::Connect),
            (596, 21, K::ConnectionLost),
            (8134, 16, K::Other),
        ];
        for (code, class, expected) in plain {
            assert_eq!(kind(code, class, ""), expected, "{code}");
        }
    }

    #[test]
    fn values_are_no_part_of_messages() {
        let unique = "Violation of UNIQUE KEY constraint 'UQ'. Cannot insert duplicate key in object 'dbo.Users'. The \
                      duplicate key value is (a@b.c).";
        let told = "Violation of UNIQUE KEY constraint 'UQ'. Cannot insert duplicate key in object 'dbo.Users'.";
        assert_eq!(without_value(2627, unique), (told.to_owned(), true));
        let convert = "Conversion failed when converting the varchar value 'it's ann' to data type int.";
        let told = "Conversion failed when converting the varchar value to data type int.";
        assert_eq!(without_value(245, convert), (told.to_owned(), true));
        assert_eq!(without_value(208, "Invalid object name 'x'."), ("Invalid object name 'x'.".to_owned(), false));
    }

    #[test]
    fn constraints_are_read_from_the_messages() {
        let check = "The INSERT statement conflicted with the CHECK constraint \"CK_Age\". The conflict occurred in \
                     database \"app\", table \"dbo.Users\", column 'Age'.";
        let foreign = "The DELETE statement conflicted with the REFERENCE constraint \"FK_Dept\". The conflict \
                       occurred in database \"app\", table \"dbo.Users\", column 'DeptId'.";
        let unique = "Violation of UNIQUE KEY constraint 'UQ_Email'. Cannot insert duplicate key in object \
                      'dbo.Users'. The duplicate key value is (a@b.c).";
        let index = "Cannot insert duplicate key row in object 'dbo.Users' with unique index 'IX_Email'. The duplicate \
                     key value is (a@b.c).";
        let null = "Cannot insert the value NULL into column 'Name', table 'app.dbo.Users'; column does not allow \
                    nulls. INSERT fails.";
        let all = [
            (547, check, ErrorKind::CheckViolation, "CK_Age"),
            (547, foreign, ErrorKind::ForeignKeyViolation, "FK_Dept"),
            (2627, unique, ErrorKind::UniqueViolation, "UQ_Email"),
            (2601, index, ErrorKind::UniqueViolation, "IX_Email"),
            (515, null, ErrorKind::NotNullViolation, "Name"),
        ];
        for (code, message, expected, name) in all {
            assert_eq!((kind(code, 16, message), constraint(code, message)), (expected, Some(name)));
        }
        assert_eq!(constraint(208, "Invalid object name 'x'."), None);
    }
}
