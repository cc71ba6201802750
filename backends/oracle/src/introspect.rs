//! What Oracle says of its tables, by the views `ALL_..`, which show each user what that user may see.
//!
//! A default and an expression are of type LONG there, which may be selected and nothing else.

use isogloss_compiler::dialect::Quotes;
use isogloss_compiler::expr::DbValueType as T;
use isogloss_driver::introspect::{EngineType, Introspection, PortableType};

/// The schema that is read as `s`; the parameter stands once, as some drivers bind by place.
macro_rules! schema {
    () => {
        "(SELECT COALESCE(:1, SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA')) AS owner FROM DUAL) s"
    };
}

/// Whether a column has texts with a length.
macro_rules! is_text {
    () => {
        "c.DATA_TYPE IN ('CHAR', 'VARCHAR2', 'NCHAR', 'NVARCHAR2')"
    };
}

/// Whether a constraint is kept.
macro_rules! kept {
    () => {
        "CASE WHEN k.STATUS = 'DISABLED' THEN 2 WHEN k.VALIDATED = 'NOT VALIDATED' THEN 1 ELSE 0 END"
    };
}

/// A number, if it has 64 bits.
macro_rules! number {
    ($of:literal) => {
        concat!("CASE WHEN ", $of, " BETWEEN -9223372036854775808 AND 9223372036854775807 THEN ", $of, " END")
    };
}

pub(crate) const QUESTIONS: Introspection = Introspection {
    default_schema: "SELECT SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA') FROM DUAL",
    tables: concat!(
        "SELECT q.OWNER, q.NAME, q.KIND, m.COMMENTS, q.NUM_ROWS FROM ",
        schema!(),
        " JOIN (SELECT OWNER, TABLE_NAME AS NAME, 'table' AS KIND, NUM_ROWS FROM ALL_TABLES \
         WHERE DROPPED = 'NO' AND NESTED = 'NO' AND SECONDARY = 'N' \
         UNION ALL SELECT OWNER, VIEW_NAME, 'view', NULL FROM ALL_VIEWS) q ON q.OWNER = s.owner \
         LEFT JOIN ALL_TAB_COMMENTS m ON m.OWNER = q.OWNER AND m.TABLE_NAME = q.NAME \
         ORDER BY q.NAME"
    ),
    columns: concat!(
        "SELECT c.TABLE_NAME, c.COLUMN_NAME, CASE WHEN ",
        is_text!(),
        " THEN c.DATA_TYPE || '(' || c.CHAR_LENGTH || CASE c.CHAR_USED WHEN 'B' THEN ' BYTE' ELSE ' CHAR' END || ')' \
         WHEN c.DATA_TYPE = 'RAW' THEN 'RAW(' || c.DATA_LENGTH || ')' \
         WHEN c.DATA_TYPE = 'NUMBER' AND c.DATA_PRECISION IS NOT NULL \
         THEN 'NUMBER(' || c.DATA_PRECISION || ',' || c.DATA_SCALE || ')' ELSE c.DATA_TYPE END, c.DATA_TYPE, CASE WHEN ",
        is_text!(),
        " THEN c.CHAR_LENGTH WHEN c.DATA_TYPE = 'RAW' THEN c.DATA_LENGTH END, c.DATA_PRECISION, c.DATA_SCALE, \
         CASE c.NULLABLE WHEN 'Y' THEN 1 ELSE 0 END, CASE WHEN c.VIRTUAL_COLUMN = 'YES' THEN 'generated' \
         WHEN c.DEFAULT_LENGTH IS NOT NULL THEN 'default' END, c.DATA_DEFAULT, NULL, m.COMMENTS, \
         CASE c.HIDDEN_COLUMN WHEN 'YES' THEN 1 ELSE 0 END FROM ",
        schema!(),
        " JOIN ALL_TAB_COLS c ON c.OWNER = s.owner \
         AND (c.HIDDEN_COLUMN = 'NO' OR c.USER_GENERATED = 'YES') \
         LEFT JOIN ALL_COL_COMMENTS m ON m.OWNER = c.OWNER AND m.TABLE_NAME = c.TABLE_NAME AND m.COLUMN_NAME = c.COLUMN_NAME \
         ORDER BY c.TABLE_NAME, c.COLUMN_ID"
    ),
    view_columns: None,
    // `START WITH: 1, INCREMENT BY: 1, MAX_VALUE: ..`
    identities: Some(concat!(
        "SELECT i.TABLE_NAME, i.COLUMN_NAME, \
         TO_NUMBER(REGEXP_SUBSTR(i.IDENTITY_OPTIONS, 'START WITH: (-?[0-9]+)', 1, 1, NULL, 1)), \
         TO_NUMBER(REGEXP_SUBSTR(i.IDENTITY_OPTIONS, 'INCREMENT BY: (-?[0-9]+)', 1, 1, NULL, 1)) FROM ",
        schema!(),
        " JOIN ALL_TAB_IDENTITY_COLS i ON i.OWNER = s.owner"
    )),
    bytes: None,
    updates: None,
    keys: concat!(
        "SELECT k.TABLE_NAME, k.CONSTRAINT_NAME, CASE k.CONSTRAINT_TYPE WHEN 'R' THEN 'F' ELSE k.CONSTRAINT_TYPE END AS KIND, \
         c.COLUMN_NAME, r.OWNER, r.TABLE_NAME, rc.COLUMN_NAME, k.DELETE_RULE, NULL, ",
        kept!(),
        ", CASE k.DEFERRED WHEN 'DEFERRED' THEN 1 ELSE 0 END FROM ",
        schema!(),
        " JOIN ALL_CONSTRAINTS k ON k.OWNER = s.owner AND k.CONSTRAINT_TYPE IN ('P', 'U', 'R') \
         JOIN ALL_CONS_COLUMNS c ON c.OWNER = k.OWNER AND c.CONSTRAINT_NAME = k.CONSTRAINT_NAME \
         LEFT JOIN ALL_CONSTRAINTS r ON r.OWNER = k.R_OWNER AND r.CONSTRAINT_NAME = k.R_CONSTRAINT_NAME \
         LEFT JOIN ALL_CONS_COLUMNS rc ON rc.OWNER = r.OWNER AND rc.CONSTRAINT_NAME = r.CONSTRAINT_NAME \
         AND rc.POSITION = c.POSITION \
         ORDER BY k.TABLE_NAME, KIND, k.CONSTRAINT_NAME, c.POSITION"
    ),
    indexes: concat!(
        "SELECT i.TABLE_NAME, i.INDEX_NAME, CASE i.UNIQUENESS WHEN 'UNIQUE' THEN 1 ELSE 0 END, \
         CASE WHEN e.COLUMN_POSITION IS NULL THEN c.COLUMN_NAME END, e.COLUMN_EXPRESSION, NULL, \
         CASE WHEN i.INDEX_TYPE = 'DOMAIN' THEN i.ITYP_NAME \
         WHEN i.INDEX_TYPE NOT IN ('NORMAL', 'FUNCTION-BASED NORMAL', 'IOT - TOP') THEN i.INDEX_TYPE END FROM ",
        schema!(),
        " JOIN ALL_INDEXES i ON i.TABLE_OWNER = s.owner AND i.INDEX_TYPE <> 'LOB' \
         AND NOT EXISTS (SELECT 1 FROM ALL_CONSTRAINTS k WHERE k.OWNER = i.TABLE_OWNER AND k.TABLE_NAME = i.TABLE_NAME \
         AND k.INDEX_NAME = i.INDEX_NAME AND k.CONSTRAINT_TYPE IN ('P', 'U')) \
         JOIN ALL_IND_COLUMNS c ON c.INDEX_OWNER = i.OWNER AND c.INDEX_NAME = i.INDEX_NAME \
         LEFT JOIN ALL_IND_EXPRESSIONS e ON e.INDEX_OWNER = c.INDEX_OWNER AND e.INDEX_NAME = c.INDEX_NAME \
         AND e.COLUMN_POSITION = c.COLUMN_POSITION \
         ORDER BY i.TABLE_NAME, i.INDEX_NAME, c.COLUMN_POSITION"
    ),
    // A column that is NOT NULL has a check for it.
    checks: Some(concat!(
        "SELECT k.TABLE_NAME, k.CONSTRAINT_NAME, k.SEARCH_CONDITION_VC, ",
        kept!(),
        ", 0 FROM ",
        schema!(),
        " JOIN ALL_CONSTRAINTS k ON k.OWNER = s.owner AND k.CONSTRAINT_TYPE = 'C' \
         AND (k.SEARCH_CONDITION_VC IS NULL OR NOT REGEXP_LIKE(k.SEARCH_CONDITION_VC, '^\"[^\"]+\" IS NOT NULL$')) \
         ORDER BY k.TABLE_NAME, k.CONSTRAINT_NAME"
    )),
    others: None,
    beside: &[],
    // Numbers may have 28 digits. The first one is not told.
    sequences: Some(concat!(
        "SELECT q.SEQUENCE_OWNER, q.SEQUENCE_NAME, NULL, ",
        number!("q.INCREMENT_BY"),
        ", ",
        number!("q.MIN_VALUE"),
        ", ",
        number!("q.MAX_VALUE"),
        ", CASE q.CYCLE_FLAG WHEN 'Y' THEN 1 ELSE 0 END, i.OWNER, i.TABLE_NAME, i.COLUMN_NAME, \
         CASE WHEN i.TABLE_NAME IS NULL THEN 0 ELSE 1 END FROM ",
        schema!(),
        " JOIN ALL_SEQUENCES q ON q.SEQUENCE_OWNER = s.owner \
         LEFT JOIN ALL_TAB_IDENTITY_COLS i ON i.OWNER = q.SEQUENCE_OWNER AND i.SEQUENCE_NAME = q.SEQUENCE_NAME \
         ORDER BY q.SEQUENCE_NAME"
    )),
    numbers: None,
    // A default is of type LONG, in which nothing is looked for.
    draws: Some(|default, schema, name| {
        let name = Quotes('"', '"').quoted([schema, name]) + ".";
        default.contains(&name)
    }),
    makes_key_name: Some(|_, name| name.starts_with("SYS_C")),
    indexes_foreign_keys: false,
    texts: None,
    portable,
    is_special: None,
    definitions: None,
    choices: None,
};

fn portable(ty: &EngineType<'_>) -> Option<PortableType> {
    /// The most characters that are counted on of a large object.
    const LARGE: u32 = (1 << 31) - 1;
    let of = PortableType::new;
    let seconds = ty.name.split_once('(').and_then(|(_, rest)| rest.split_once(')')?.0.parse::<u8>().ok());
    let seconds = seconds.filter(|digits| *digits <= 6);
    Some(match ty.name {
        "NUMBER" => number(ty),
        "FLOAT" | "BINARY_DOUBLE" => of(T::Double),
        "BINARY_FLOAT" => of(T::Single),
        "BOOLEAN" => of(T::Boolean),
        "VARCHAR2" | "NVARCHAR2" => of(T::String).length(ty.length()),
        "CHAR" | "NCHAR" => of(T::StringFixedLength).length(ty.length()),
        "CLOB" | "NCLOB" => of(T::String).length(Some(LARGE)),
        "RAW" if ty.length == Some(16) => of(T::Guid),
        "RAW" => of(T::Binary).length(ty.length()),
        "BLOB" => of(T::Binary).length(Some(LARGE)),
        // It has a time of day.
        "DATE" => of(T::DateTime2).digits(Some(0), None),
        "JSON" => of(T::Json),
        "XMLTYPE" => of(T::Xml),
        name if name.starts_with("INTERVAL DAY(0) TO SECOND") => of(T::Time),
        name if name.starts_with("TIMESTAMP") && name.ends_with("WITH LOCAL TIME ZONE") => {
            of(T::DateTimeOffset).digits(seconds, None)
        }
        name if name.starts_with("TIMESTAMP") && name.ends_with("WITH TIME ZONE") => {
            of(T::DateTimeOffset).digits(seconds, None)
        }
        name if name.starts_with("TIMESTAMP") => of(T::DateTime2).digits(seconds, None),
        _ => return None,
    })
}

/// The smallest type that holds every number of so many digits.
fn number(ty: &EngineType<'_>) -> PortableType {
    match (ty.precision, ty.scale) {
        (Some(1), Some(0)) => PortableType::new(T::Boolean),
        (Some(2..=4), Some(0)) => PortableType::new(T::Int16),
        (Some(5..=9), Some(0)) => PortableType::new(T::Int32),
        (Some(10..=18), Some(0)) => PortableType::new(T::Int64),
        // `INTEGER`
        (None, Some(0)) => PortableType::new(T::Decimal).digits(Some(38), Some(0)),
        _ => ty.decimal(),
    }
}
