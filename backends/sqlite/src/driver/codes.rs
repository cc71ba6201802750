//! SQLite's result codes, and their kinds.

use isogloss_driver::ErrorKind;
use isogloss_driver::ErrorKind as K;

/// The kind of a code. One that a later SQLite has is of the kind of its lower byte, which is the plain code.
pub(super) fn kind(code: i32) -> ErrorKind {
    let of = |code: i32| CODES.iter().find(|(known, _)| *known == code).map(|(_, kind)| *kind);
    of(code).or_else(|| of(code & 0xff)).unwrap_or(K::Other)
}

/// All codes of <https://sqlite.org/rescode.html>, each plain one before its own.
#[rustfmt::skip]
const CODES: &[(i32, ErrorKind)] = &[
    (0, K::Other), // OK
    (256, K::Other), // OK_LOAD_PERMANENTLY
    (512, K::Other), // OK_SYMLINK
    (1, K::Syntax), // ERROR
    (257, K::Syntax), // ERROR_MISSING_COLLSEQ
    (513, K::SerializationFailure), // ERROR_RETRY
    (769, K::SerializationFailure), // ERROR_SNAPSHOT
    (1025, K::Other), // ERROR_RESERVESIZE
    (1281, K::Other), // ERROR_KEY
    (1537, K::Other), // ERROR_UNABLE
    (2, K::Other), // INTERNAL
    (3, K::Permission), // PERM
    (4, K::Other), // ABORT
    (516, K::TransactionFailed), // ABORT_ROLLBACK
    (5, K::Busy), // BUSY
    (261, K::Busy), // BUSY_RECOVERY
    (517, K::SerializationFailure), // BUSY_SNAPSHOT
    (773, K::Busy), // BUSY_TIMEOUT
    (6, K::Busy), // LOCKED
    (262, K::Busy), // LOCKED_SHAREDCACHE
    (518, K::Busy), // LOCKED_VTAB
    (7, K::Other), // NOMEM
    (8, K::Permission), // READONLY
    (264, K::Permission), // READONLY_RECOVERY
    (520, K::Permission), // READONLY_CANTLOCK
    (776, K::Permission), // READONLY_ROLLBACK
    (1032, K::Connect), // READONLY_DBMOVED
    (1288, K::Permission), // READONLY_CANTINIT
    (1544, K::Permission), // READONLY_DIRECTORY
    (9, K::Cancelled), // INTERRUPT
    (10, K::Other), // IOERR
    (266, K::Other), // IOERR_READ
    (522, K::Other), // IOERR_SHORT_READ
    (778, K::Other), // IOERR_WRITE
    (1034, K::Other), // IOERR_FSYNC
    (1290, K::Other), // IOERR_DIR_FSYNC
    (1546, K::Other), // IOERR_TRUNCATE
    (1802, K::Other), // IOERR_FSTAT
    (2058, K::Other), // IOERR_UNLOCK
    (2314, K::Other), // IOERR_RDLOCK
    (2570, K::Other), // IOERR_DELETE
    (2826, K::Other), // IOERR_BLOCKED
    (3082, K::Other), // IOERR_NOMEM
    (3338, K::Other), // IOERR_ACCESS
    (3594, K::Other), // IOERR_CHECKRESERVEDLOCK
    (3850, K::Other), // IOERR_LOCK
    (4106, K::Other), // IOERR_CLOSE
    (4362, K::Other), // IOERR_DIR_CLOSE
    (4618, K::Other), // IOERR_SHMOPEN
    (4874, K::Other), // IOERR_SHMSIZE
    (5130, K::Other), // IOERR_SHMLOCK
    (5386, K::Other), // IOERR_SHMMAP
    (5642, K::Other), // IOERR_SEEK
    (5898, K::Other), // IOERR_DELETE_NOENT
    (6154, K::Other), // IOERR_MMAP
    (6410, K::Other), // IOERR_GETTEMPPATH
    (6666, K::Other), // IOERR_CONVPATH
    (6922, K::Other), // IOERR_VNODE
    (7178, K::Other), // IOERR_AUTH
    (7434, K::Other), // IOERR_BEGIN_ATOMIC
    (7690, K::Other), // IOERR_COMMIT_ATOMIC
    (7946, K::Other), // IOERR_ROLLBACK_ATOMIC
    (8202, K::Corrupt), // IOERR_DATA
    (8458, K::Corrupt), // IOERR_CORRUPTFS
    (8714, K::Other), // IOERR_IN_PAGE
    (8970, K::Other), // IOERR_BADKEY
    (9226, K::Other), // IOERR_CODEC
    (11, K::Corrupt), // CORRUPT
    (267, K::Corrupt), // CORRUPT_VTAB
    (523, K::Corrupt), // CORRUPT_SEQUENCE
    (779, K::Corrupt), // CORRUPT_INDEX
    (12, K::Other), // NOTFOUND
    (13, K::StorageFull), // FULL
    (14, K::Connect), // CANTOPEN
    (270, K::Connect), // CANTOPEN_NOTEMPDIR
    (526, K::Connect), // CANTOPEN_ISDIR
    (782, K::Connect), // CANTOPEN_FULLPATH
    (1038, K::Connect), // CANTOPEN_CONVPATH
    (1294, K::Connect), // CANTOPEN_DIRTYWAL
    (1550, K::Connect), // CANTOPEN_SYMLINK
    (15, K::Timeout), // PROTOCOL
    (16, K::Other), // EMPTY
    (17, K::SerializationFailure), // SCHEMA
    (18, K::BadValue), // TOOBIG
    (19, K::Other), // CONSTRAINT
    (275, K::CheckViolation), // CONSTRAINT_CHECK
    (531, K::Other), // CONSTRAINT_COMMITHOOK
    (787, K::ForeignKeyViolation), // CONSTRAINT_FOREIGNKEY
    (1043, K::Other), // CONSTRAINT_FUNCTION
    (1299, K::NotNullViolation), // CONSTRAINT_NOTNULL
    (1555, K::UniqueViolation), // CONSTRAINT_PRIMARYKEY
    (1811, K::Other), // CONSTRAINT_TRIGGER
    (2067, K::UniqueViolation), // CONSTRAINT_UNIQUE
    (2323, K::Other), // CONSTRAINT_VTAB
    (2579, K::UniqueViolation), // CONSTRAINT_ROWID
    (2835, K::Other), // CONSTRAINT_PINNED
    (3091, K::BadValue), // CONSTRAINT_DATATYPE
    (20, K::BadValue), // MISMATCH
    (21, K::Other), // MISUSE
    (22, K::Other), // NOLFS
    (23, K::Permission), // AUTH
    (279, K::Permission), // AUTH_USER
    (24, K::Other), // FORMAT
    (25, K::BadValue), // RANGE
    (26, K::Connect), // NOTADB
    (27, K::Other), // NOTICE
    (283, K::Other), // NOTICE_RECOVER_WAL
    (539, K::Other), // NOTICE_RECOVER_ROLLBACK
    (795, K::Other), // NOTICE_RBU
    (28, K::Other), // WARNING
    (284, K::Other), // WARNING_AUTOINDEX
    (100, K::Other), // ROW
    (101, K::Other), // DONE
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers as SQLite's documentation lists them.
    #[rustfmt::skip]
    const DOCUMENTED: &[i32] = &[
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
        27, 28, 100, 101, 256, 257, 261, 262, 264, 266, 267, 270, 275, 279, 283, 284, 512, 513, 516, 517,
        518, 520, 522, 523, 526, 531, 539, 769, 773, 776, 778, 779, 782, 787, 795, 1025, 1032, 1034, 1038,
        1043, 1281, 1288, 1290, 1294, 1299, 1537, 1544, 1546, 1550, 1555, 1802, 1811, 2058, 2067, 2314,
        2323, 2570, 2579, 2826, 2835, 3082, 3091, 3338, 3594, 3850, 4106, 4362, 4618, 4874, 5130, 5386,
        5642, 5898, 6154, 6410, 6666, 6922, 7178, 7434, 7690, 7946, 8202, 8458, 8714, 8970, 9226,
    ];

    #[test]
    fn every_documented_code_has_a_kind() {
        let mut known: Vec<i32> = CODES.iter().map(|(code, _)| *code).collect();
        known.sort_unstable();
        assert_eq!(known, DOCUMENTED);
        for (code, expected) in [
            (11, K::Corrupt),
            (779, K::Corrupt),
            (8458, K::Corrupt),
            (10, K::Other),
            (13, K::StorageFull),
            (19, K::Other),
            (787, K::ForeignKeyViolation),
            (3091, K::BadValue),
            (517, K::SerializationFailure),
            (1544, K::Permission),
            // Of a later version.
            (11 | 99 << 8, K::Corrupt),
            (98, K::Other),
        ] {
            assert_eq!(kind(code), expected, "{code}");
        }
    }
}
