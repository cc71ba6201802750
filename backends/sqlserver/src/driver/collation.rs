//! What the catalog's views say of collations.

use isogloss_driver::collation::Question;

/// `=` ignores blanks at the end under every collation: so none of them compares by code points.
pub(super) const COLLATIONS: Question = Question {
    query: "SELECT s.name, o.name, c.name, c.collation_name, \
    CASE WHEN TYPE_NAME(c.system_type_id) IN ('char', 'varchar', 'text') THEN 'varchar' END, '0', \
    CASE WHEN s.name = SCHEMA_NAME() THEN 'y' END \
    FROM sys.columns c JOIN sys.objects o ON o.object_id = c.object_id JOIN sys.schemas s ON s.schema_id = o.schema_id \
    WHERE c.collation_name IS NOT NULL AND o.type IN ('U', 'V') AND (s.name = SCHEMA_NAME(){schemas}) AND ({tables})",
    schema: "s.name",
    table: "o.name",
    like: "LOWER({name}) LIKE LOWER(@P{n}) ESCAPE '!'",
    special: "!%_[",
};
