//! What the data dictionary says of collations.

use isogloss_driver::collation::Question;

/// `USING_NLS_COMP` compares as NLS_COMP of the session says, and sorts as its NLS_SORT does. `CHAR` ignores blanks at the
/// end.
pub(super) const COLLATIONS: Question = Question {
    query: "SELECT c.OWNER, c.TABLE_NAME, c.COLUMN_NAME, c.COLLATION, NULL, \
    CASE WHEN c.DATA_TYPE IN ('CHAR', 'NCHAR') THEN '0' WHEN c.COLLATION = 'BINARY' THEN '2' \
    WHEN c.COLLATION = 'USING_NLS_COMP' AND p.COMP = 'BINARY' THEN CASE p.SORT WHEN 'BINARY' THEN '2' ELSE '1' END \
    ELSE '0' END, CASE WHEN c.OWNER = SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA') THEN 'y' END \
    FROM ALL_TAB_COLS c CROSS JOIN (SELECT MAX(CASE PARAMETER WHEN 'NLS_COMP' THEN VALUE END) AS COMP, \
    MAX(CASE PARAMETER WHEN 'NLS_SORT' THEN VALUE END) AS SORT FROM NLS_SESSION_PARAMETERS) p \
    WHERE c.COLLATION IS NOT NULL AND c.HIDDEN_COLUMN = 'NO' \
    AND (c.OWNER = SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA'){schemas}) AND ({tables})",
    schema: "c.OWNER",
    table: "c.TABLE_NAME",
    like: "LOWER({name}) LIKE LOWER(:{n}) ESCAPE '!'",
    special: "!%_",
};
