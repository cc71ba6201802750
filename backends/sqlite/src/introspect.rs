//! What SQLite says of its tables, by its pragmas.
//!
//! The text of a generated column, of an index over an expression and of its condition, the collations of columns, check constraints,
//! the names of constraints and what is said behind the columns stand in the texts of tables and indexes only: see [`texts`].

mod texts;

use isogloss_compiler::dialect::Quotes;
use isogloss_compiler::expr::DbValueType as T;
use isogloss_driver::Error;
use isogloss_driver::introspect::{EngineType, Introspection, PortableType, Texts, ViewColumns};

/// The tables of a schema, without those of SQLite's own.
macro_rules! of_tables {
    ($select:literal, $joins:literal) => {
        concat!(
            "SELECT ",
            $select,
            " FROM pragma_table_list t ",
            $joins,
            " WHERE t.schema = COALESCE(?1, 'main') AND t.type IN ('table', 'view', 'virtual')",
            " AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!'"
        )
    };
}

/// Whether a column is another name of the row's number.
macro_rules! is_number {
    () => {
        "(c.pk = 1 AND t.wr = 0 AND UPPER(c.type) = 'INTEGER' \
         AND 1 = (SELECT COUNT(*) FROM pragma_table_xinfo(t.name, t.schema) k WHERE k.pk > 0))"
    };
}

/// The columns of the tables for which a condition holds.
macro_rules! columns {
    ($of:literal) => {
        concat!(
            "SELECT t.name, c.name, c.type, c.type, NULL, NULL, NULL, c.\"notnull\" = 0 AND NOT (c.pk > 0 AND t.wr = 1) AND NOT ",
            is_number!(),
            ", CASE c.hidden WHEN 2 THEN 'generated' WHEN 3 THEN 'stored' ELSE CASE WHEN ",
            is_number!(),
            " THEN 'identity' WHEN c.dflt_value IS NOT NULL THEN 'default' END END, CASE WHEN ",
            is_number!(),
            " THEN '1 1' ELSE c.dflt_value END, NULL, NULL, c.hidden = 1 \
             FROM pragma_table_list t JOIN pragma_table_xinfo(t.name, t.schema) c \
             WHERE t.schema = COALESCE(?1, 'main') AND ",
            $of,
            " ORDER BY t.name, c.cid"
        )
    };
}

pub(crate) const QUESTIONS: Introspection = Introspection {
    default_schema: "SELECT 'main'",
    tables: concat!(
        of_tables!("t.schema, t.name, CASE t.type WHEN 'view' THEN 'view' ELSE 'table' END, NULL, NULL", ""),
        " ORDER BY t.name"
    ),
    columns: columns!("t.type IN ('table', 'virtual')"),
    // What a view gives is found out by reading it, which fails if a table of it is gone.
    view_columns: Some(ViewColumns { query: columns!("t.name = ?2"), is_broken }),
    identities: None,
    bytes: None,
    updates: None,
    keys: concat!(
        "SELECT of, key, kind, own, schema, referred, other, on_delete, on_update, state, 0 FROM (",
        of_tables!(
            "t.name AS of, 'PRIMARY' AS key, 'P' AS kind, c.name AS own, NULL AS schema, NULL AS referred, NULL AS other, \
             NULL AS on_delete, NULL AS on_update, 0 AS state, c.pk AS place",
            "JOIN pragma_table_xinfo(t.name, t.schema) c ON c.pk > 0 AND t.type <> 'view'"
        ),
        " UNION ALL ",
        of_tables!(
            "t.name, i.name, 'U', c.name, NULL, NULL, NULL, NULL, NULL, 0, c.seqno",
            "JOIN pragma_index_list(t.name, t.schema) i ON i.origin = 'u' JOIN pragma_index_info(i.name, t.schema) c"
        ),
        " UNION ALL ",
        of_tables!(
            "t.name, CAST(f.id AS TEXT), 'F', f.\"from\", t.schema, f.\"table\", f.\"to\", f.on_delete, f.on_update, 0, f.seq",
            "JOIN pragma_foreign_key_list(t.name, t.schema) f"
        ),
        ") ORDER BY of, kind, key, place"
    ),
    indexes: concat!(
        of_tables!(
            "t.name, i.name, i.\"unique\", CASE c.desc WHEN 0 THEN c.name END, NULL, CASE i.partial WHEN 1 THEN '' END, NULL",
            "JOIN pragma_index_list(t.name, t.schema) i ON i.origin = 'c' \
             JOIN pragma_index_xinfo(i.name, t.schema) c ON c.key = 1"
        ),
        " ORDER BY t.name, i.name, c.seqno"
    ),
    checks: None,
    others: None,
    beside: &[],
    sequences: None,
    numbers: None,
    draws: None,
    makes_key_name: None,
    indexes_foreign_keys: false,
    texts: Some(Texts { query: of_schema, read: texts::read }),
    portable,
    is_special: None,
    definitions: None,
    choices: None,
};

/// Whether a view cannot be read because of what it says: a name that there is not, a view of itself, a collation that there is
/// not (`SQLITE_ERROR`, `SQLITE_ERROR_MISSING_COLLSEQ`). A file that cannot be read has a code of its own.
fn is_broken(error: &Error) -> bool {
    matches!(error.code(), Some("1" | "257"))
}

/// The texts of a schema, which no parameter names.
fn of_schema(schema: &str) -> String {
    let schema = if schema.is_empty() { "main" } else { schema };
    // A trigger has the name of its table as it was written.
    format!(
        "SELECT t.name, CASE s.type WHEN 'index' THEN s.name END, s.sql FROM {0}.sqlite_schema s \
         JOIN {0}.sqlite_schema t ON t.type = 'table' AND t.name = s.tbl_name COLLATE NOCASE \
         WHERE s.type IN ('table', 'index', 'trigger') AND s.sql IS NOT NULL AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!'",
        Quotes('"', '"').quoted([schema])
    )
}

/// The type that is declared: SQLite keeps its text, and stores what it is given.
fn portable(ty: &EngineType<'_>) -> Option<PortableType> {
    let (name, digits) = ty.text.split_once('(').unwrap_or((ty.text, ""));
    let mut digits = digits.trim_end_matches(')').split(',').map(|digits| digits.trim().parse::<u32>().ok());
    let (first, second) = (digits.next().flatten(), digits.next().flatten());
    let longest = Some(PortableType::LONGEST);
    let of = PortableType::new;
    Some(match name.trim().to_ascii_uppercase().as_str() {
        "INT" | "INTEGER" | "BIGINT" | "INT8" | "UNSIGNED BIG INT" => of(T::Int64),
        "MEDIUMINT" | "INT4" => of(T::Int32),
        "SMALLINT" | "INT2" | "TINYINT" => of(T::Int16),
        "BOOL" | "BOOLEAN" | "BIT" => of(T::Boolean),
        "REAL" | "DOUBLE" | "DOUBLE PRECISION" | "FLOAT" => of(T::Double),
        "DECIMAL" | "NUMERIC" | "NUMBER" | "MONEY" | "SMALLMONEY" => {
            PortableType::decimal(first.map(i64::from), second.map(i64::from))
        }
        "TEXT" | "NTEXT" | "TINYTEXT" | "MEDIUMTEXT" | "LONGTEXT" | "CLOB" => of(T::String).length(longest),
        "CHAR" | "VARCHAR" | "VARCHAR2" | "NCHAR" | "NVARCHAR" | "NVARCHAR2" | "CHARACTER" | "CHARACTER VARYING"
        | "VARYING CHARACTER" | "NATIVE CHARACTER" => of(T::String).length(first.or(longest)),
        "BLOB" | "TINYBLOB" | "MEDIUMBLOB" | "LONGBLOB" | "IMAGE" | "BINARY" | "VARBINARY" => {
            of(T::Binary).length(first.or(longest))
        }
        "DATE" => of(T::Date),
        "TIME" => of(T::Time),
        "DATETIME" | "TIMESTAMP" => of(T::DateTime2),
        "JSON" | "JSONB" => of(T::Json),
        "UUID" | "GUID" | "UNIQUEIDENTIFIER" => of(T::Guid),
        _ => return None,
    })
}
