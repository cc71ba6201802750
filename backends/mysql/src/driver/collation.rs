//! What information_schema says of collations.

use isogloss_driver::collation::Question;

/// `NO PAD` of MySQL, `nopad` of MariaDB; the other binary collations ignore blanks at the end.
pub(super) const COLLATIONS: Question = Question {
    query: "SELECT c.TABLE_SCHEMA, c.TABLE_NAME, c.COLUMN_NAME, c.COLLATION_NAME, \
    CASE WHEN c.CHARACTER_SET_NAME <> 'utf8mb4' THEN c.CHARACTER_SET_NAME END, \
    CASE WHEN c.COLLATION_NAME IN ('utf8mb4_0900_bin', 'utf8mb4_nopad_bin', 'utf8mb3_nopad_bin', 'utf8_nopad_bin') THEN '2' \
    WHEN c.COLLATION_NAME LIKE '%\\_nopad\\_bin' THEN '1' ELSE '0' END, \
    CASE WHEN c.TABLE_SCHEMA = DATABASE() THEN 'y' END \
    FROM information_schema.COLUMNS c WHERE c.COLLATION_NAME IS NOT NULL AND (c.TABLE_SCHEMA = DATABASE(){schemas}) AND ({tables})",
    schema: "c.TABLE_SCHEMA",
    table: "c.TABLE_NAME",
    like: "LOWER({name}) LIKE LOWER(?) ESCAPE '!'",
    special: "!%_",
};
