//! PostgreSQL's error codes, by their kinds.

use isogloss_driver::ErrorKind::{self, *};

/// The kinds of classes of codes, and before them those of single codes that are of another kind.
const KINDS: &[(&str, ErrorKind)] = &[
    // Successful completion, warnings, no data, a statement that is not complete.
    ("00", Other),
    ("01", Other),
    ("02", Other),
    ("03", Other),
    // Connections: of the program, or of the server to another one.
    ("08001", Connect),
    ("08004", Connect),
    ("08", ConnectionLost),
    ("09", Other),
    // What the server has not.
    ("0A", Other),
    ("0B", Other),
    ("0F", Other),
    ("0L", Permission),
    ("0P", Permission),
    ("0Z", Other),
    ("10", BadValue),
    ("20", Other),
    // A subquery with more than one row.
    ("21", Other),
    // Data: what a type does not hold, and what is divided by zero.
    ("22", BadValue),
    // Constraints. One of exclusion is a key in the widest sense.
    ("23001", ForeignKeyViolation),
    ("23502", NotNullViolation),
    ("23503", ForeignKeyViolation),
    ("23505", UniqueViolation),
    ("23P01", UniqueViolation),
    ("23", CheckViolation),
    ("24", Other),
    // Transactions: a write where only reads are allowed, one that an error has ended, one that was idle for too long.
    ("25006", ReadOnly),
    ("25P02", TransactionFailed),
    ("25P03", ConnectionLost),
    ("25P04", ConnectionLost),
    ("25", Other),
    // A prepared statement that is not there: some pooler stands between.
    ("26", Configuration),
    ("27", Other),
    ("28", Connect),
    ("2B", Other),
    ("2D", Other),
    ("2F", Other),
    ("34", Syntax),
    ("38", Other),
    ("39", Other),
    // A savepoint that is gone with its transaction.
    ("3B", TransactionFailed),
    ("3D", Connect),
    ("3F", Syntax),
    // A transaction was taken back. 40003: nobody knows whether.
    ("40000", SerializationFailure),
    ("40001", SerializationFailure),
    ("40002", CheckViolation),
    ("40003", ConnectionLost),
    ("40P01", Deadlock),
    ("40", Other),
    // The text. 42P05: a prepared statement that is there already, as some pooler stands between.
    ("42501", Permission),
    ("42P05", Configuration),
    ("42", Syntax),
    // A view's WITH CHECK OPTION.
    ("44", CheckViolation),
    // Resources: the disk, and the number of connections.
    ("53100", StorageFull),
    ("53300", Connect),
    ("53", Other),
    // Limits of the program: a row that is too wide for its index.
    ("54000", BadValue),
    ("54", Other),
    // A lock that was not had in time, or not at once where NOWAIT was asked for.
    ("55P03", Timeout),
    ("55", Other),
    // Somebody intervened: the time is over; shut down, crashed, not up yet, the database dropped, idle for too long.
    ("57014", Timeout),
    ("57P03", Connect),
    ("57P", ConnectionLost),
    ("57", Other),
    // The system; a file of the configuration; servers behind the server; a function's own; what should not be, a damaged
    // page and a damaged index among it.
    ("58", Other),
    ("F0", Configuration),
    ("HV", Other),
    ("P0", Other),
    ("XX001", Corrupt),
    ("XX002", Corrupt),
    ("XX", Other),
];

/// The kind of a code: that of the first row that it begins with.
pub(super) fn kind(code: &str) -> ErrorKind {
    KINDS.iter().find(|(start, _)| code.starts_with(start)).map_or(Other, |(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the appendix A of PostgreSQL's documentation.
    const CLASSES: &str = "00 01 02 03 08 09 0A 0B 0F 0L 0P 0Z 10 20 21 22 23 24 25 26 27 28 2B 2D 2F 34 38 39 3B 3D 3F 40 \
                           42 44 53 54 55 57 58 F0 HV P0 XX";

    #[test]
    fn each_class_has_its_row_behind_those_of_its_codes() {
        for class in CLASSES.split(' ') {
            let row = KINDS.iter().position(|(start, _)| *start == class);
            let last = KINDS.iter().rposition(|(start, _)| start.starts_with(class));
            assert!(row.is_some() && row == last, "{class}");
        }
        for (start, _) in KINDS {
            assert!(CLASSES.split(' ').any(|class| start.starts_with(class)), "{start} is of no class");
        }
    }

    #[test]
    fn codes_are_of_their_kinds() {
        for (code, expected) in [
            ("3B001", TransactionFailed),
            ("25P02", TransactionFailed),
            ("22001", BadValue),
            ("22023", BadValue),
            ("2201B", BadValue),
            ("22012", BadValue),
            ("44000", CheckViolation),
            ("23514", CheckViolation),
            ("40003", ConnectionLost),
            ("57P01", ConnectionLost),
            ("57P04", ConnectionLost),
            ("57P03", Connect),
            ("53100", StorageFull),
            ("53200", Other),
            ("53300", Connect),
            ("55006", Other),
            ("55P03", Timeout),
            ("58030", Other),
            ("XX000", Other),
            ("XX001", Corrupt),
            ("XX002", Corrupt),
            ("ZZ999", Other),
        ] {
            assert_eq!(kind(code), expected, "{code}");
        }
    }
}
