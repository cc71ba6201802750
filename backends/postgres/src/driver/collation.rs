//! What pg_catalog says of collations.

use isogloss_driver::collation::Question;

/// A deterministic collation tells all texts apart; `citext`, `char(n)` and what is made of them have an `=` of their own.
/// An enum or a UUID that a program takes for a text is only alike to itself, and a UUID sorts as its text does.
/// The database's own has its provider in a column that not every version has.
pub(super) const COLLATIONS: Question = Question {
    query: "SELECT n.nspname::text, c.relname::text, a.attname::text, COALESCE(l.collname, t.typname)::text, \
    CASE WHEN t.typname IN ('bpchar', 'citext') AND pg_catalog.pg_type_is_visible(t.oid) OR l.oid IS NULL THEN t.typname::text END, \
    CASE WHEN t.typtype = 'e' THEN '1' WHEN l.oid IS NULL THEN '2' \
    WHEN t.typname NOT IN ('text', 'varchar') OR NOT l.collisdeterministic THEN '0' \
    WHEN pg_catalog.getdatabaseencoding() <> 'UTF8' THEN '1' \
    WHEN l.collname = 'ucs_basic' OR l.collprovider = 'b' OR l.collprovider = 'c' AND l.collcollate IN ('C', 'POSIX', 'C.utf8', 'C.UTF-8') \
    OR l.collprovider = 'd' AND CASE COALESCE(pg_catalog.to_jsonb(d) ->> 'datlocprovider', 'c') WHEN 'b' THEN TRUE \
    WHEN 'c' THEN d.datcollate IN ('C', 'POSIX', 'C.utf8', 'C.UTF-8') ELSE FALSE END THEN '2' ELSE '1' END, \
    CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN 'y' END \
    FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid \
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace JOIN pg_catalog.pg_type t ON t.oid = a.atttypid \
    LEFT JOIN pg_catalog.pg_collation l ON l.oid = a.attcollation \
    JOIN pg_catalog.pg_database d ON d.datname = pg_catalog.current_database() \
    WHERE a.attnum > 0 AND NOT a.attisdropped AND (t.typcategory = 'S' AND l.oid IS NOT NULL OR t.typtype = 'e' OR t.typname = 'uuid') AND c.relkind IN ('r', 'p', 'v', 'm', 'f') \
    AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND (pg_catalog.pg_table_is_visible(c.oid){schemas}) AND ({tables})",
    schema: "n.nspname::text",
    table: "c.relname::text",
    like: "pg_catalog.lower({name} COLLATE \"C\") LIKE pg_catalog.lower(${n} COLLATE \"C\") ESCAPE '!'",
    special: "!%_",
};
