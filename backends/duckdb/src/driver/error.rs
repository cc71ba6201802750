//! DuckDB's errors, by their kinds. It has no codes: a message begins with the class of its error.

use isogloss_driver::{Error, ErrorKind};

use ErrorKind as K;

/// What DuckDB reported.
pub(super) fn error(found: duckdb::Error) -> Error {
    let text = match &found {
        duckdb::Error::DuckDBFailure(_, Some(text)) => text.clone(),
        duckdb::Error::InvalidParameterCount(given, wanted) => {
            let message = format!("{given} parameters are given, the statement has {wanted}");
            return Error::new(K::BadValue, message).with_source(found);
        }
        duckdb::Error::NulError(_) => {
            return Error::new(K::Syntax, "there is a zero character in the statement's text").with_source(found);
        }
        other => other.to_string(),
    };
    told(&text).with_source(found)
}

/// The error of a message.
fn told(text: &str) -> Error {
    let (class, rest) = match text.split_once(" Error: ") {
        Some((class, rest)) if class.len() < 32 => (class, rest),
        _ => ("", text),
    };
    // What follows shows the place in the text.
    let line = rest.lines().next().unwrap_or_default().trim();
    let kind = kind(class, rest);
    let of_row = matches!(kind, K::UniqueViolation | K::ForeignKeyViolation | K::SerializationFailure);
    let told = match of_row {
        // The key stands between quotes, and is a row's value.
        true => Error::new(kind, without_values(line)).with_detail(line),
        false => Error::new(kind, line),
    };
    let told = match constraint(kind, line) {
        Some(name) => told.with_constraint(name),
        None => told,
    };
    if class.is_empty() { told } else { told.with_code(class) }
}

/// A message without what stands between double quotes.
fn without_values(line: &str) -> String {
    let mut parts = line.split('"');
    let before = parts.next().unwrap_or_default();
    match parts.next_back() {
        Some(after) => format!("{}{}", before.trim_end(), after),
        None => before.to_owned(),
    }
}

/// The column of a constraint, as far as DuckDB tells: `NOT NULL constraint failed: t.a`.
fn constraint(kind: ErrorKind, line: &str) -> Option<&str> {
    match kind {
        K::NotNullViolation => line.split_once("constraint failed: ").map(|(_, name)| name),
        K::CheckViolation => {
            let (_, condition) = line.split_once(" with expression CHECK(")?;
            condition.strip_suffix(')')
        }
        _ => None,
    }
}

fn kind(class: &str, message: &str) -> ErrorKind {
    let has = |part: &str| message.contains(part);
    match class {
        // The appender tells no class.
        "Constraint" | "" if has("NOT NULL constraint") => K::NotNullViolation,
        "Constraint" | "" if has("CHECK constraint") => K::CheckViolation,
        "Constraint" | "" if has("foreign key") => K::ForeignKeyViolation,
        "Constraint" | "" if has("uplicate key") => K::UniqueViolation,
        "" if has("could not be found") => K::Syntax,
        "" if has("out of range for the destination type") => K::BadValue,
        "Constraint" => K::BadValue,
        "TransactionContext" if has("is aborted") => K::TransactionFailed,
        "TransactionContext" if has("read-only mode") => K::Permission,
        // What another transaction has inserted meanwhile, as COMMIT finds.
        "TransactionContext" if has("duplicate key") => K::UniqueViolation,
        "TransactionContext" if has("onflict") => K::SerializationFailure,
        "TransactionContext" | "Transaction" => K::Other,
        "INTERRUPT" => K::Cancelled,
        "Binder" | "Catalog" | "Parser" | "Syntax" | "Parameter Not Resolved" | "Parameter Not Allowed" => K::Syntax,
        "Conversion" | "Out of Range" | "Mismatch Type" | "Divide by Zero" | "Decimal" | "Sequence" => K::BadValue,
        // A statement that is all right met a value that is not.
        "Invalid Input" if has("More than one row returned by a subquery") => K::Other,
        "Invalid Input" => K::BadValue,
        "Permission" => K::Permission,
        "Out of Memory" => K::StorageFull,
        "IO" if has("No space left") || has("disk full") => K::StorageFull,
        "IO" if has("orrupt") => K::Corrupt,
        "Serialization" => K::Corrupt,
        // The database has closed itself.
        "FATAL" => K::ConnectionLost,
        _ => K::Other,
    }
}

/// Whether DuckDB says that there is no transaction to end.
pub(super) fn has_none(error: &Error) -> bool {
    error.message().ends_with("no transaction is active")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_kinds() {
        for (text, expected) in [
            ("Constraint Error: Duplicate key \"id: 1\" violates primary key constraint.", K::UniqueViolation),
            ("Constraint Error: NOT NULL constraint failed: t.a", K::NotNullViolation),
            ("Constraint Error: CHECK constraint failed on table t with expression CHECK((b > 0))", K::CheckViolation),
            (
                "Constraint Error: Violates foreign key constraint because key \"id: 7\" does not exist",
                K::ForeignKeyViolation,
            ),
            // Those of the appender.
            ("Table \".main.item\" could not be found", K::Syntax),
            (
                "Type INT64 with value 9 can't be cast because the value is out of range for the destination type INT8",
                K::BadValue,
            ),
            ("TransactionContext Error: Current transaction is aborted (please ROLLBACK)", K::TransactionFailed),
            ("TransactionContext Error: Conflict on update!", K::SerializationFailure),
            ("Conversion Error: Could not convert string 'abc' to INT32\n\nLINE 1: ..", K::BadValue),
            ("Catalog Error: Table with name nope does not exist!\nDid you mean \"pg_enum\"?", K::Syntax),
            ("Failed to append: Duplicate key \"Id: 0\" violates primary key constraint.", K::UniqueViolation),
            ("INTERRUPT Error: Interrupted!", K::Cancelled),
            ("what nobody has seen", K::Other),
        ] {
            assert_eq!(told(text).kind(), expected, "{text}");
        }
    }

    #[test]
    fn a_message_has_no_key_of_a_row() {
        let error = told("Constraint Error: Duplicate key \"name: Ann\" violates unique constraint.");
        assert_eq!(error.message(), "Duplicate key violates unique constraint.");
        assert!(error.detail().is_some_and(|detail| detail.contains("Ann")));
        assert_eq!(told("Constraint Error: NOT NULL constraint failed: t.a").constraint(), Some("t.a"));
        assert_eq!(
            told("Catalog Error: no t\nDid you mean u?").to_string(),
            "syntax error or unknown name (Catalog): no t"
        );
    }
}
