//! What MySQL and MariaDB say of their tables, by `information_schema`, which shows each user what that user may see.

use isogloss_compiler::dialect::Version;
use isogloss_compiler::expr::DbValueType as T;
use isogloss_driver::introspect::{Choices, Definitions, EngineType, Introspection, PortableType};

use crate::alter::{QUOTES, escaped, literal};

/// That two rows are of one table. MariaDB keeps `Orders` and `orders` apart, and its `information_schema` takes one for the other.
macro_rules! one_table {
    ($one:literal, $other:literal) => {
        concat!(
            $one,
            ".TABLE_NAME = ",
            $other,
            ".TABLE_NAME AND CAST(",
            $one,
            ".TABLE_NAME AS BINARY) = CAST(",
            $other,
            ".TABLE_NAME AS BINARY)"
        )
    };
}

/// The columns of a schema: what the engines differ in are the texts of defaults.
macro_rules! columns {
    ($is_default:literal, $default:expr, $generated:expr, $type:literal, $join:expr) => {
        concat!(
            "SELECT c.TABLE_NAME, c.COLUMN_NAME, CASE ",
            $type,
            " WHEN 'json' THEN 'json' ELSE c.COLUMN_TYPE END, ",
            $type,
            ", CAST(c.CHARACTER_MAXIMUM_LENGTH AS SIGNED), \
             CAST(COALESCE(c.NUMERIC_PRECISION, c.DATETIME_PRECISION) AS SIGNED), CAST(c.NUMERIC_SCALE AS SIGNED), \
             CASE c.IS_NULLABLE WHEN 'YES' THEN 1 ELSE 0 END, \
             CASE WHEN c.EXTRA LIKE '%auto_increment%' THEN 'identity' WHEN c.EXTRA LIKE '%STORED%' THEN 'stored' \
             WHEN COALESCE(c.GENERATION_EXPRESSION, '') <> '' THEN 'generated' WHEN ",
            $is_default,
            " THEN 'default' END, \
             CASE WHEN c.EXTRA LIKE '%auto_increment%' THEN '1 1' WHEN COALESCE(c.GENERATION_EXPRESSION, '') <> '' \
             THEN ",
            $generated,
            " ELSE ",
            $default,
            " END, \
             CASE WHEN c.COLLATION_NAME <> t.TABLE_COLLATION THEN c.COLLATION_NAME END, c.COLUMN_COMMENT, \
             CASE WHEN c.EXTRA LIKE '%INVISIBLE%' THEN 1 ELSE 0 END \
             FROM information_schema.COLUMNS c JOIN information_schema.TABLES t \
             ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND ",
            one_table!("t", "c"),
            " ",
            $join,
            " \
             WHERE c.TABLE_SCHEMA = COALESCE(?, DATABASE()) ORDER BY c.TABLE_NAME, c.ORDINAL_POSITION"
        )
    };
}

/// Whether a key is a whole column in its usual order. Of a spatial one, the engines tell a part.
macro_rules! is_plain {
    () => {
        "(s.INDEX_TYPE <> 'BTREE' OR s.SUB_PART IS NULL AND COALESCE(s.COLLATION, 'A') <> 'D')"
    };
}

/// The indexes of a schema that are no unique keys, or have an expression or the first characters of a column as one of their
/// keys: introspection takes those for no unique key.
macro_rules! indexes {
    ($expression:literal, $is_expression:literal) => {
        concat!(
            "SELECT s.TABLE_NAME, s.INDEX_NAME, 1 - s.NON_UNIQUE, CASE WHEN ", is_plain!(), " THEN s.COLUMN_NAME END, \
             CASE WHEN s.COLUMN_NAME IS NULL THEN ", $expression, " WHEN ", is_plain!(), " THEN NULL \
             ELSE CONCAT('`', REPLACE(s.COLUMN_NAME, '`', '``'), '`', COALESCE(CONCAT('(', s.SUB_PART, ')'), ''), \
             CASE s.COLLATION WHEN 'D' THEN ' DESC' ELSE '' END) END, NULL, \
             CASE WHEN s.INDEX_NAME = 'PRIMARY' THEN 'PRIMARY KEY' WHEN s.INDEX_TYPE <> 'BTREE' THEN s.INDEX_TYPE END \
             FROM information_schema.STATISTICS s WHERE s.TABLE_SCHEMA = COALESCE(?, DATABASE()) AND (s.NON_UNIQUE = 1 \
             OR EXISTS (SELECT 1 FROM information_schema.STATISTICS e WHERE e.TABLE_SCHEMA = s.TABLE_SCHEMA AND ",
            one_table!("e", "s"),
            " AND e.INDEX_NAME = s.INDEX_NAME AND (e.SUB_PART IS NOT NULL", $is_expression, "))) \
             ORDER BY s.TABLE_NAME, s.INDEX_NAME, s.SEQ_IN_INDEX"
        )
    };
}

/// The columns of keys; a unique key may be left to the indexes.
macro_rules! keys {
    ($but:expr) => {
        concat!(
            "SELECT k.TABLE_NAME, k.CONSTRAINT_NAME, \
             CASE c.CONSTRAINT_TYPE WHEN 'PRIMARY KEY' THEN 'P' WHEN 'UNIQUE' THEN 'U' ELSE 'F' END AS kind, k.COLUMN_NAME, \
             k.REFERENCED_TABLE_SCHEMA, k.REFERENCED_TABLE_NAME, k.REFERENCED_COLUMN_NAME, r.DELETE_RULE, r.UPDATE_RULE, 0, 0 \
             FROM information_schema.KEY_COLUMN_USAGE k \
             JOIN information_schema.TABLE_CONSTRAINTS c ON c.CONSTRAINT_SCHEMA = k.CONSTRAINT_SCHEMA \
             AND ", one_table!("c", "k"), " AND c.CONSTRAINT_NAME = k.CONSTRAINT_NAME AND c.CONSTRAINT_TYPE <> 'CHECK' \
             AND (c.CONSTRAINT_TYPE = 'FOREIGN KEY') = (k.REFERENCED_TABLE_NAME IS NOT NULL) \
             LEFT JOIN information_schema.REFERENTIAL_CONSTRAINTS r ON r.CONSTRAINT_SCHEMA = k.CONSTRAINT_SCHEMA \
             AND ", one_table!("r", "k"), " AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME AND k.REFERENCED_TABLE_NAME IS NOT NULL \
             WHERE k.TABLE_SCHEMA = COALESCE(?, DATABASE())", $but,
            " ORDER BY k.TABLE_NAME, kind, k.CONSTRAINT_NAME, k.ORDINAL_POSITION"
        )
    };
}

/// Collations, engines and what is said behind the columns; and triggers.
const BESIDE: [&str; 2] = [
    "SELECT q.of_table, NULL, q.kind, q.text FROM (\
     SELECT t.TABLE_NAME AS of_table, CASE k.n WHEN 1 THEN 'collation' ELSE 'detail' END AS kind, \
     CASE k.n WHEN 1 THEN t.TABLE_COLLATION \
     WHEN 2 THEN CASE WHEN t.ENGINE <> 'InnoDB' THEN CONCAT('ENGINE=', t.ENGINE) END \
     WHEN 3 THEN NULLIF(t.CREATE_OPTIONS, '') \
     ELSE CASE t.TABLE_TYPE WHEN 'SYSTEM VERSIONED' THEN 'WITH SYSTEM VERSIONING' END END AS text \
     FROM information_schema.TABLES t \
     JOIN (SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4) k \
     WHERE t.TABLE_SCHEMA = COALESCE(?, DATABASE()) AND t.TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED')) q \
     WHERE q.text IS NOT NULL ORDER BY q.of_table, q.kind, q.text",
    "SELECT EVENT_OBJECT_TABLE, TRIGGER_NAME, 'trigger', CONCAT('CREATE TRIGGER `', REPLACE(TRIGGER_NAME, '`', '``'), '` ', \
     ACTION_TIMING, ' ', EVENT_MANIPULATION, ' ON `', REPLACE(EVENT_OBJECT_TABLE, '`', '``'), '` FOR EACH ROW ', ACTION_STATEMENT) \
     FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = COALESCE(?, DATABASE()) ORDER BY EVENT_OBJECT_TABLE, TRIGGER_NAME",
];

/// An expression as MySQL shows it, which has a backslash before each quote and each backslash.
macro_rules! unescaped {
    ($text:literal) => {
        concat!("REPLACE(REPLACE(", $text, r", '\\''', ''''), '\\\\', '\\')")
    };
}

const TABLES: &str = "SELECT TABLE_SCHEMA, TABLE_NAME, CASE WHEN TABLE_TYPE LIKE '%VIEW' THEN 'view' ELSE 'table' END, \
    CASE WHEN TABLE_TYPE LIKE '%VIEW' THEN NULL ELSE TABLE_COMMENT END, CAST(TABLE_ROWS AS SIGNED) \
    FROM information_schema.TABLES WHERE TABLE_SCHEMA = COALESCE(?, DATABASE()) AND TABLE_TYPE <> 'SEQUENCE' ORDER BY TABLE_NAME";

/// What a version of MySQL has: keys of indexes are expressions since 8.0.13, and check constraints are there since 8.0.16.
pub(crate) fn mysql(version: Version) -> Introspection {
    let checks = MYSQL.checks.filter(|_| version >= (8, 0, 16));
    let mysql = Introspection { checks, ..MYSQL };
    if version < (8, 0, 13) { Introspection { indexes: indexes!("NULL", ""), keys: keys!(""), ..mysql } } else { mysql }
}

/// A default of MySQL is the bare text of a literal, or an expression.
const MYSQL: Introspection = Introspection {
    default_schema: "SELECT DATABASE()",
    tables: TABLES,
    columns: columns!(
        "c.COLUMN_DEFAULT IS NOT NULL",
        concat!(
            "CASE WHEN c.EXTRA LIKE '%DEFAULT_GENERATED%' THEN ",
            unescaped!("c.COLUMN_DEFAULT"),
            " WHEN c.NUMERIC_PRECISION IS NOT NULL THEN c.COLUMN_DEFAULT ELSE ",
            r"CONCAT('''', REPLACE(REPLACE(c.COLUMN_DEFAULT, '\\', '\\\\'), '''', ''''''), '''') END"
        ),
        unescaped!("c.GENERATION_EXPRESSION"),
        "c.DATA_TYPE",
        ""
    ),
    view_columns: None,
    identities: None,
    // Their texts end at a byte of 0. A column that is never NULL has its default in a row, or where there is none.
    bytes: Some(|schema, table, columns| {
        defaults(schema, table, columns, |name, from| {
            format!(", (SELECT HEX(ANY_VALUE(DEFAULT({name}))) FROM {from} HAVING COUNT(*) = 0)")
        })
    }),
    // Behind it, there may be more words of the column.
    updates: Some(
        "SELECT TABLE_NAME, COLUMN_NAME, SUBSTRING_INDEX(SUBSTRING_INDEX(SUBSTRING(EXTRA, LOCATE('on update ', EXTRA) + 10), ' ', 1), \
         ',', 1) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = COALESCE(?, DATABASE()) AND EXTRA LIKE '%on update %'",
    ),
    // A unique index with an expression is no key of the columns that it also has.
    keys: keys!(concat!(
        " AND NOT EXISTS (SELECT 1 FROM information_schema.STATISTICS e WHERE e.TABLE_SCHEMA = k.TABLE_SCHEMA AND ",
        one_table!("e", "k"),
        " AND e.INDEX_NAME = k.CONSTRAINT_NAME AND c.CONSTRAINT_TYPE = 'UNIQUE' AND e.EXPRESSION IS NOT NULL)"
    )),
    indexes: indexes!("s.EXPRESSION", " OR e.EXPRESSION IS NOT NULL"),
    checks: Some(concat!(
        "SELECT c.TABLE_NAME, c.CONSTRAINT_NAME, ",
        unescaped!("k.CHECK_CLAUSE"),
        ", CASE c.ENFORCED WHEN 'NO' THEN 2 ELSE 0 END, 0 FROM information_schema.TABLE_CONSTRAINTS c \
         JOIN information_schema.CHECK_CONSTRAINTS k ON k.CONSTRAINT_SCHEMA = c.CONSTRAINT_SCHEMA \
         AND k.CONSTRAINT_NAME = c.CONSTRAINT_NAME WHERE c.CONSTRAINT_TYPE = 'CHECK' \
         AND c.TABLE_SCHEMA = COALESCE(?, DATABASE()) ORDER BY c.TABLE_NAME, c.CONSTRAINT_NAME"
    )),
    others: None,
    beside: &BESIDE,
    sequences: None,
    numbers: None,
    draws: None,
    makes_key_name: None,
    indexes_foreign_keys: true,
    texts: None,
    portable,
    is_special: Some(is_special),
    // What `information_schema` says of keys opens every table there is.
    definitions: Some(Definitions {
        names: "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() ORDER BY TABLE_NAME",
        query: |table| format!("SHOW CREATE TABLE {}", QUOTES.quoted([table])),
        lasting: |text| match text.split_once(" AUTO_INCREMENT=") {
            Some((before, after)) => format!("{before}{}", after.trim_start_matches(|c: char| c.is_ascii_digit())),
            None => text.to_owned(),
        },
    }),
    choices: Some(choices),
};

/// A default of MariaDB is SQL, and NULL is one.
pub(crate) const MARIADB: Introspection = Introspection {
    // JSON is a text that is checked to be it.
    columns: columns!(
        "COALESCE(c.COLUMN_DEFAULT, 'NULL') <> 'NULL'",
        "c.COLUMN_DEFAULT",
        // The engine writes the times of a row's version.
        "NULLIF(NULLIF(c.GENERATION_EXPRESSION, 'ROW START'), 'ROW END')",
        "CASE WHEN j.CHECK_CLAUSE IS NULL THEN c.DATA_TYPE ELSE 'json' END",
        concat!(
            "LEFT JOIN information_schema.CHECK_CONSTRAINTS j ON j.CONSTRAINT_SCHEMA = c.TABLE_SCHEMA AND ",
            one_table!("j", "c"),
            " AND j.CONSTRAINT_NAME = c.COLUMN_NAME AND c.DATA_TYPE = 'longtext' \
             AND j.CHECK_CLAUSE = CONCAT('json_valid(`', c.COLUMN_NAME, '`)')"
        )
    ),
    // Their texts have a `?` for some bytes.
    bytes: Some(|schema, table, columns| defaults(schema, table, columns, |_, _| String::new())),
    keys: keys!(""),
    indexes: indexes!("NULL", ""),
    checks: Some(
        "SELECT TABLE_NAME, CONSTRAINT_NAME, CHECK_CLAUSE, 0, CASE LEVEL WHEN 'Column' THEN 1 ELSE 0 END FROM information_schema.CHECK_CONSTRAINTS \
         WHERE CONSTRAINT_SCHEMA = COALESCE(?, DATABASE()) AND CHECK_CLAUSE <> CONCAT('json_valid(`', CONSTRAINT_NAME, '`)') \
         ORDER BY TABLE_NAME, CONSTRAINT_NAME",
    ),
    // The numbers of a sequence are its row.
    sequences: Some(
        "SELECT TABLE_SCHEMA, TABLE_NAME, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM information_schema.TABLES \
         WHERE TABLE_SCHEMA = COALESCE(?, DATABASE()) AND TABLE_TYPE = 'SEQUENCE' ORDER BY TABLE_NAME",
    ),
    numbers: Some(|schema, name| {
        let of = QUOTES.quoted([schema, name]);
        // Those of an unsigned one may be larger.
        let number = |of: &str| format!("CASE WHEN {of} <= 9223372036854775807 THEN CAST({of} AS SIGNED) END");
        format!(
            "SELECT {}, CAST(increment AS SIGNED), {}, {}, CAST(cycle_option AS SIGNED) FROM {of}",
            number("start_value"),
            number("minimum_value"),
            number("maximum_value")
        )
    }),
    draws: Some(|default, schema, name| default.contains(&format!("nextval({})", QUOTES.quoted([schema, name])))),
    ..MYSQL
};

/// The query of the defaults of columns, with what else `more` tells them by.
fn defaults(schema: &str, table: &str, columns: &[&str], more: impl Fn(&str, &str) -> String) -> String {
    let from = QUOTES.quoted(Some(schema).filter(|schema| !schema.is_empty()).into_iter().chain([table]));
    let one = |column: &&str| {
        let (name, text) = (QUOTES.quoted([*column]), literal(column));
        format!(
            "SELECT {text}, COALESCE((SELECT HEX(DEFAULT({name})) FROM (SELECT 1) one LEFT JOIN {from} ON FALSE), \
             (SELECT HEX(DEFAULT({name})) FROM {from} LIMIT 1){})",
            more(&name, &from)
        )
    };
    columns.iter().map(one).collect::<Vec<_>>().join(" UNION ALL ")
}

/// The members of `enum('a','it''s')`, and of a `set`.
fn choices(ty: &EngineType<'_>) -> Option<Choices> {
    let several = ty.name == "set";
    let list = ty.text.strip_prefix(if several { "set(" } else { "enum(" })?.strip_suffix(')')?;
    let (mut members, mut open) = (Vec::new(), None::<String>);
    let mut chars = list.chars().peekable();
    while let Some(c) = chars.next() {
        match (&mut open, c) {
            (None, '\'') => open = Some(String::new()),
            (None, _) => {}
            (Some(member), '\'') if chars.next_if_eq(&'\'').is_some() => member.push('\''),
            (Some(member), '\\') => member.extend(chars.next().map(escaped)),
            (Some(_), '\'') => members.extend(open.take()),
            (Some(member), c) => member.push(c),
        }
    }
    Some(Choices::new(members, several))
}

/// Some refuse numbers below 0, show zeros, are in the zone of the session, or fill up what is shorter.
fn is_special(ty: &EngineType<'_>) -> bool {
    ["unsigned", "zerofill"].iter().any(|word| ty.text.contains(word))
        || matches!(ty.name, "timestamp" | "char" | "binary" | "year" | "mediumint")
}

fn portable(ty: &EngineType<'_>) -> Option<PortableType> {
    let of = PortableType::new;
    let unsigned = ty.text.contains("unsigned");
    Some(match (ty.name, unsigned) {
        ("tinyint", false) if ty.text.starts_with("tinyint(1)") => of(T::Boolean),
        ("tinyint", false) => of(T::SByte),
        ("tinyint", true) => of(T::Byte),
        ("smallint", false) => of(T::Int16),
        ("smallint", true) => of(T::UInt16),
        ("mediumint", _) | ("int", false) => of(T::Int32),
        ("int", true) => of(T::UInt32),
        ("bigint", false) => of(T::Int64),
        ("bigint", true) => of(T::UInt64),
        ("year", _) => of(T::Int16),
        ("float", _) => of(T::Single),
        ("double", _) => of(T::Double),
        ("decimal", _) => ty.decimal(),
        ("varchar", _) => of(T::String).length(ty.length()),
        ("char", _) => of(T::StringFixedLength).length(ty.length()),
        ("tinytext" | "text" | "mediumtext" | "longtext" | "enum" | "set", _) => of(T::String).length(ty.length()),
        ("binary" | "varbinary", _) => of(T::Binary).length(ty.length()),
        ("tinyblob" | "blob" | "mediumblob" | "longblob", _) => of(T::Binary).length(ty.length()),
        ("date", _) => of(T::Date),
        ("time", _) => of(T::Time).digits(ty.precision(), None),
        ("datetime", _) => of(T::DateTime2).digits(ty.precision(), None),
        ("timestamp", _) => of(T::DateTimeOffset).digits(ty.precision(), None),
        ("json", _) => of(T::Json),
        ("uuid", _) => of(T::Guid),
        _ => return None,
    })
}
