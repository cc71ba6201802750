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
        Found::Tls(_) => Error::new(ErrorKind::ConnectionLost, found.to_string()),
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
            Found::Tls(message) => untrusted(message),
            other => other.to_string(),
        },
    );
    match found.code() {
        Some(code) => described.with_code(code.to_string()).with_source(found),
        None => described.with_source(found),
    }
}

/// Rewrites the driver's certificate error: names URL parameters instead of the driver's methods.
fn untrusted(message: &str) -> String {
    match message.split_once(" To connect anyway") {
        Some((cause, _)) => format!(
            "{cause} Set `ca` to the file of the authority that signed the certificate. For a self-signed certificate on a \
             trusted network, set `trust_server_certificate=true`, which accepts any certificate."
        ),
        None => message.to_owned(),
    }
}

/// An error that was thrown away with the answer that it stood in: its number is what the server keeps of it.
pub(super) fn unread(code: i64) -> Error {
    let kind = match u32::try_from(code) {
        // Of a foreign key or of a CHECK: only the message tells.
        Ok(547) | Err(_) => ErrorKind::Other,
        Ok(code) => kind(code, 16, ""),
    };
    Error::new(kind, "the server has reported that, and its message was not read").with_code(code.to_string())
}

/// The kind of an error with that number and class.
fn kind(code: u32, class: u8, message: &str) -> ErrorKind {
    let known = KINDS.iter().find(|(_, codes)| codes.contains(&code)).map(|(kind, _)| *kind);
    match known {
        Some(ErrorKind::ForeignKeyViolation) if message.contains("CHECK constraint") => ErrorKind::CheckViolation,
        Some(kind) => kind,
        None => of_class(class),
    }
}

/// What the documentation says of a class of errors, which it calls severity.
fn of_class(class: u8) -> ErrorKind {
    match class {
        // An object that is not there. What cannot be understood.
        11 | 15 => ErrorKind::Syntax,
        // Rows have moved while they were read without locks.
        12 => ErrorKind::SerializationFailure,
        13 => ErrorKind::Deadlock,
        14 => ErrorKind::Permission,
        // 16: what a user can mend. 17: memory, locks or another resource. 18: the engine's own. 19: its own limits.
        0..=19 => ErrorKind::Other,
        // A table or an index; the database; the medium that it is on.
        22..=24 => ErrorKind::Corrupt,
        // 20: this process. 21: all of the database. From 20 on the server closes the connection.
        20.. => ErrorKind::ConnectionLost,
    }
}

/// The kinds of the numbers, as the server's own list of messages has them.
const KINDS: &[(ErrorKind, &[u32])] = &[
    // An index that is made over such rows; a unique index; a constraint.
    (ErrorKind::UniqueViolation, &[1505, 2601, 2627]),
    // Or a CHECK, by the message.
    (ErrorKind::ForeignKeyViolation, &[547]),
    (ErrorKind::NotNullViolation, &[515]),
    // The range of an identity; a view's WITH CHECK OPTION.
    (ErrorKind::CheckViolation, &[548, 550]),
    (ErrorKind::Deadlock, &[1205]),
    // No transaction to save, ended in a trigger, by an error in one, none to commit or to roll back, ended by
    // another session, cannot be committed, or not back to a savepoint, not that of the request, found at the end of a batch, no
    // such savepoint.
    (ErrorKind::TransactionFailed, &[628, 3609, 3616, 3902, 3903, 3926, 3930, 3931, 3989, 3998, 6401]),
    // SNAPSHOT: not yet allowed, the row's version is gone, the row or its metadata has changed, a victim of the version
    // store. 41xxx: tables in memory.
    (ErrorKind::SerializationFailure, &[3957, 3958, 3960, 3961, 3966, 41301, 41302, 41305, 41325, 41839]),
    // A lock; a plan; memory for the query.
    (ErrorKind::Timeout, &[1222, 8628, 8645]),
    // Databases that are not there at the moment, by themselves and in availability groups.
    (ErrorKind::Connect, &[921, 922, 923, 924, 926, 927, 942, 945, 976, 978, 979, 983]),
    // The login and its database, its default one, on a secondary; the server pauses, a trigger, is being upgraded; untrusted,
    // wrong, disabled, locked, expired, to be changed.
    (ErrorKind::Connect, &[4060, 4063, 4064, 4221, 17142, 17892, 18401, 18452, 18456, 18470, 18486, 18487, 18488]),
    // Azure: limits of sessions and requests, an error of the service, busy, no such server, moving, the firewall, resources.
    (ErrorKind::Connect, &[10928, 10929, 40197, 40501, 40532, 40613, 40615, 49918, 49919, 49920]),
    // A database that only reads, as that of a secondary.
    (ErrorKind::ReadOnly, &[3906]),
    // Killed; shutting down.
    (ErrorKind::ConnectionLost, &[596, 6005, 6006]),
    // Variable, function, parameter, column, table, ambiguous column, as many values as columns, type, no such database.
    (ErrorKind::Syntax, &[137, 195, 201, 207, 208, 209, 213, 243, 911, 2715]),
    // Types that do not go together, are not converted by themselves, not in an operator, or not at all; a column twice, a
    // computed one or an identity that is given a value; an argument or an operand of a wrong type.
    (ErrorKind::Syntax, &[206, 257, 264, 271, 402, 529, 544, 8116, 8117]),
    // Schema, procedure, multi-part name, function, GROUP BY, parameters, a column twice, a parameter without a value.
    (ErrorKind::Syntax, &[2760, 2812, 4104, 4121, 8120, 8144, 8145, 8156, 8178]),
    // On an object, on a column, in the database; on the server; a row that a security policy blocks.
    (ErrorKind::Permission, &[229, 230, 262, 297, 300, 916, 1088, 3704, 4902, 5011, 6102, 15247, 33504]),
    // Over the range of a type; conversions of texts, dates and moneys; sums of dates.
    (ErrorKind::BadValue, &[210, 220, 232, 234, 235, 241, 242, 244, 245, 248, 289, 293, 295, 296, 517, 535, 542]),
    // Lengths of parts of a text; a row that is wider than a page, or than its index.
    (ErrorKind::BadValue, &[511, 536, 537, 1946]),
    // Divided by zero, or no number, as a logarithm of zero.
    (ErrorKind::BadValue, &[3607, 3623, 8134]),
    // Too long for a column; no value of the type, overflow, no uniqueidentifier; a path of JSON, nothing at it, no JSON.
    (ErrorKind::BadValue, &[2628, 3606, 8023, 8114, 8115, 8152, 8169, 13607, 13608, 13609]),
    // A file group, a file of it, the edition's limit, the version store, the log; the quota of the database, in memory.
    (ErrorKind::StorageFull, &[1101, 1105, 1827, 3959, 3967, 9002, 40544, 41823, 41840]),
    // A page of another object; one that the system cannot read; one that does not hold what it should.
    (ErrorKind::Corrupt, &[605, 823, 824]),
];

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
        // Arithmetic overflow error for data type tinyint, value = 300.
        220 | 232 => message.find(", value = ").map(|at| (at, message.len())),
        2628 => message.find(" Truncated value").map(|at| (at, message.len())),
        // Conversion failed when converting the varchar value 'abc' to data type int.
        244 | 245 | 248 => message.find(" value '").zip(message.rfind("' ")).map(|(from, to)| (from + 6, to + 1)),
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
        let documented: [(K, &[u32]); 14] = [
            (K::UniqueViolation, &[2627, 2601]),
            (K::ForeignKeyViolation, &[547]),
            (K::NotNullViolation, &[515]),
            (K::Deadlock, &[1205]),
            (K::TransactionFailed, &[628, 3609, 3616, 3902, 3903, 3930, 3931, 3989, 3998, 6401]),
            (K::SerializationFailure, &[3957, 3958, 3960, 3961, 3966, 41301, 41302, 41305, 41325]),
            (K::Timeout, &[1222, 8628, 8645]),
            (K::Connect, &[18452, 18456, 18470, 18486, 18487, 18488, 4060, 40613, 40197, 40501, 10928, 10929, 49918]),
            (K::Syntax, &[207, 208, 209, 213, 2812, 4104, 8120]),
            (K::ReadOnly, &[3906]),
            (K::Permission, &[229, 230, 262, 297, 300, 916, 15247]),
            (K::BadValue, &[220, 232, 241, 242, 244, 245, 248, 517, 535, 2628, 8114, 8115, 8152, 8169]),
            (K::BadValue, &[289, 536, 537, 3607, 3623, 8134]),
            (K::StorageFull, &[1101, 1105, 9002, 40544]),
        ];
        for (expected, codes) in documented {
            for code in codes {
                assert_eq!(kind(*code, 16, ""), expected, "{code}");
            }
        }
        assert_eq!(kind(596, 21, ""), K::ConnectionLost);
        assert_eq!(
            (unread(2627).kind(), unread(547).kind(), unread(-1).kind()),
            (K::UniqueViolation, K::Other, K::Other)
        );
    }

    #[test]
    fn a_class_has_the_kind_that_its_documentation_tells() {
        use ErrorKind as K;
        // https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-error-severities
        let documented = [
            (11, K::Syntax),
            (12, K::SerializationFailure),
            (13, K::Deadlock),
            (14, K::Permission),
            (15, K::Syntax),
            (16, K::Other),
            (17, K::Other),
            (18, K::Other),
            (19, K::Other),
            (20, K::ConnectionLost),
            (21, K::ConnectionLost),
            (22, K::Corrupt),
            (23, K::Corrupt),
            (24, K::Corrupt),
        ];
        assert!(documented.iter().map(|(class, _)| *class).eq(11..=24));
        for (class, expected) in documented {
            // A number that no list has, and those of the lists by themselves.
            assert_eq!(kind(99_999, class, ""), expected, "{class}");
            assert_eq!(kind(8134, class, ""), K::BadValue, "{class}");
        }
    }

    #[test]
    fn a_number_has_one_kind() {
        let mut all: Vec<u32> = KINDS.iter().flat_map(|(_, codes)| codes.iter().copied()).collect();
        for (_, codes) in KINDS {
            assert!(codes.is_sorted(), "{codes:?}");
        }
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
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
        let overflow = "Arithmetic overflow error for data type tinyint, value = 300.";
        let told = "Arithmetic overflow error for data type tinyint";
        assert_eq!(without_value(220, overflow), (told.to_owned(), true));
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
