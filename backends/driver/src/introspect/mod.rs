//! Reads what a database has from its engine's catalog.
//!
//! ```no_run
//! # async fn run(backend: &dyn isogloss_driver::Backend) -> isogloss_driver::Result<()> {
//! use isogloss_driver::introspect::{IntrospectOptions, introspect};
//! let mut connection = backend.connect().await?;
//! let report = introspect(&mut *connection, backend.ddl(), &IntrospectOptions::default()).await?;
//! for table in &report.tables {
//!     println!("{}.{}: {} columns", table.schema, table.name, table.columns.len());
//! }
//! # Ok(()) }
//! ```

mod report;

use std::collections::HashMap;

use crate::ddl::{Ddl, asked};
use crate::{Connection, ConnectionExt, Error, ErrorKind, Result};

pub use report::{
    CheckReport, ColumnReport, Filled, ForeignKeyReport, IndexKey, IndexReport, KeyReport, PortableType, SchemaReport,
    TableKind, TableReport,
};

/// Which part of a database is read.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct IntrospectOptions {
    /// The schemas; without any, the one that tables are in whose names have no schema.
    pub schemas: Vec<String>,
}

impl IntrospectOptions {
    /// Adds a schema.
    #[must_use]
    pub fn schema(mut self, schema: impl Into<String>) -> Self {
        self.schemas.push(schema.into());
        self
    }
}

/// The queries that tell what a schema has. Each takes the schema's name as its only parameter, NULL for the one that a name
/// without a schema is looked for in, and gives rows in the order in which they are reported. A text that is not given is NULL,
/// whether something holds is 1 or 0.
#[derive(Debug, Clone, Copy)]
pub struct Introspection {
    /// The tables: schema, name, `table` or `view`, comment, estimated rows.
    pub tables: &'static str,
    /// The columns, table by table in their order: table, name, type as the engine writes it, type's name, length, digits,
    /// digits behind the point, whether it may hold NULL, what fills it (`default`, `identity`, `generated` or NULL), the
    /// default, the expression or the numbers of an identity with a blank between them, collation, comment.
    pub columns: &'static str,
    /// The columns that the engine numbers, where `columns` cannot tell their numbers: table, column, the first one, what is
    /// added for the next one.
    pub identities: Option<&'static str>,
    /// The columns of keys, key by key in their order: table, key, `P`, `U` or `F`, column, and of a foreign key the schema,
    /// table and column that it refers to, what happens to its rows at a DELETE and at an UPDATE. A column that it refers to
    /// is NULL where it is that of the primary key.
    pub keys: &'static str,
    /// The keys of indexes which belong to no constraint, index by index in their order: table, index, whether it is unique,
    /// column, expression, condition.
    pub indexes: &'static str,
    /// The check constraints: table, name, condition.
    pub checks: Option<&'static str>,
    /// The type of a catalog's column that holds the values of a column.
    pub portable: fn(&EngineType<'_>) -> Option<PortableType>,
}

/// The type of a column, as the engine tells it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct EngineType<'t> {
    /// All of it: `character varying(100)`.
    pub text: &'t str,
    /// Its name alone.
    pub name: &'t str,
    /// The most characters or bytes.
    pub length: Option<i64>,
    /// The digits of a number, or those behind the seconds of a time.
    pub precision: Option<i64>,
    /// The digits behind the point.
    pub scale: Option<i64>,
}

impl EngineType<'_> {
    /// The length, where a catalog has room for it.
    #[must_use]
    pub fn length(&self) -> Option<u32> {
        self.length.and_then(|length| u32::try_from(length).ok())
    }

    /// The digits.
    #[must_use]
    pub fn precision(&self) -> Option<u8> {
        self.precision.and_then(|digits| u8::try_from(digits).ok())
    }

    /// The digits behind the point.
    #[must_use]
    pub fn scale(&self) -> Option<u8> {
        self.scale.and_then(|digits| u8::try_from(digits).ok())
    }
}

type Text = Option<String>;
type TableRow = (String, String, String, Text, Option<i64>);
type ColumnRow = (String, String, String, String, Option<i64>, Option<i64>, Option<i64>, i64, Text, Text, Text, Text);
type KeyRow = (String, String, String, String, Text, Text, Text, Text, Text);
type IndexRow = (String, String, i64, Text, Text, Text);
type IdentityRow = (String, String, i64, i64);
type CheckRow = (String, String, Text);

/// Reads the tables and views of schemas, over a connection of a backend whose [`Ddl`] is `ddl`. It takes six queries a schema at most,
/// whatever the number of its tables, and needs no right but to read the catalog: what the user may not see is not there.
///
/// # Errors
/// [`ErrorKind::Configuration`] for an engine that is not read, and errors of the queries.
pub async fn introspect(
    connection: &mut dyn Connection,
    ddl: &dyn Ddl,
    options: &IntrospectOptions,
) -> Result<SchemaReport> {
    let questions = ddl.introspection().ok_or_else(|| {
        Error::new(
            ErrorKind::Configuration,
            "the catalog of this engine is not read: introspection has no queries for it",
        )
    })?;
    let mut report = SchemaReport::default();
    let default = [String::new()];
    let schemas = if options.schemas.is_empty() { &default[..] } else { &options.schemas };
    for schema in schemas {
        read(connection, &questions, schema, &mut report).await?;
    }
    Ok(report)
}

async fn read(
    connection: &mut dyn Connection,
    questions: &Introspection,
    schema: &str,
    report: &mut SchemaReport,
) -> Result<()> {
    let of = |sql: &str| asked(sql, &[schema]);
    let tables: Vec<TableRow> = connection.fetch(&of(questions.tables)).await?;
    let mut found: Vec<TableReport> = tables.into_iter().map(table).collect();
    let places: HashMap<String, usize> = found.iter().enumerate().map(|(at, table)| (table.name.clone(), at)).collect();
    let mut tables = Tables { found: &mut found, places };
    for row in connection.fetch::<ColumnRow>(&of(questions.columns)).await? {
        tables.column(row, questions.portable)?;
    }
    if let Some(identities) = questions.identities {
        for (of, name, start, increment) in connection.fetch::<IdentityRow>(&of(identities)).await? {
            let columns = tables.named(&of).map(|table| &mut table.columns);
            if let Some(column) = columns.and_then(|all| all.iter_mut().find(|column| column.name == name)) {
                column.filled = Filled::Identity { start, increment };
            }
        }
    }
    for row in connection.fetch::<KeyRow>(&of(questions.keys)).await? {
        tables.key(row);
    }
    for row in connection.fetch::<IndexRow>(&of(questions.indexes)).await? {
        tables.index(row);
    }
    if let Some(checks) = questions.checks {
        for (of, name, condition) in connection.fetch::<CheckRow>(&of(checks)).await? {
            if let Some(table) = tables.named(&of) {
                table.checks.push(CheckReport { name, condition: condition.unwrap_or_default() });
            }
        }
    }
    tables.refer_to_keys();
    report.tables.append(&mut found);
    Ok(())
}

fn table((schema, name, kind, comment, rows): TableRow) -> TableReport {
    TableReport {
        schema,
        name,
        kind: if kind == "view" { TableKind::View } else { TableKind::Table },
        comment: comment.filter(|comment| !comment.is_empty()),
        estimated_rows: rows.and_then(|rows| u64::try_from(rows).ok()),
        columns: Vec::new(),
        primary_key: Vec::new(),
        unique_keys: Vec::new(),
        foreign_keys: Vec::new(),
        indexes: Vec::new(),
        checks: Vec::new(),
    }
}

/// The tables of a schema while they are read, by their names.
struct Tables<'r> {
    found: &'r mut Vec<TableReport>,
    places: HashMap<String, usize>,
}

impl Tables<'_> {
    /// None for one that came while the others were read.
    fn named(&mut self, name: &str) -> Option<&mut TableReport> {
        self.found.get_mut(*self.places.get(name)?)
    }

    fn column(&mut self, row: ColumnRow, portable: fn(&EngineType<'_>) -> Option<PortableType>) -> Result<()> {
        let (of, name, text, type_name, length, precision, scale, nullable, fills, filled, collation, comment) = row;
        let Some(table) = self.named(&of) else { return Ok(()) };
        let portable = portable(&EngineType { text: &text, name: &type_name, length, precision, scale });
        let filled = match fills.as_deref() {
            None => Filled::Not,
            Some("generated") => Filled::Generated(filled),
            // Numbers that do not fit are not told, and are no reason to tell nothing else.
            Some("identity") => {
                identity(filled.as_deref().unwrap_or_default()).unwrap_or(Filled::Identity { start: 1, increment: 1 })
            }
            Some(_) => Filled::Default(filled.unwrap_or_default()),
        };
        let comment = comment.filter(|comment| !comment.is_empty());
        table.columns.push(ColumnReport {
            name,
            engine_type: text,
            portable,
            nullable: nullable != 0,
            filled,
            collation,
            comment,
        });
        Ok(())
    }

    fn key(&mut self, row: KeyRow) {
        let (of, name, kind, column, schema, referred, referred_column, on_delete, on_update) = row;
        let Some(table) = self.named(&of) else { return };
        match kind.as_str() {
            "P" => table.primary_key.push(column),
            "U" => match table.unique_keys.last_mut().filter(|key| key.name == name) {
                Some(key) => key.columns.push(column),
                None => table.unique_keys.push(KeyReport { name, columns: vec![column] }),
            },
            _ => {
                let referred_column = referred_column.unwrap_or_default();
                match table.foreign_keys.last_mut().filter(|key| key.name == name) {
                    Some(key) => {
                        key.columns.push(column);
                        key.referred.push(referred_column);
                    }
                    None => table.foreign_keys.push(ForeignKeyReport {
                        name,
                        columns: vec![column],
                        schema: schema.unwrap_or_default(),
                        table: referred.unwrap_or_default(),
                        referred: vec![referred_column],
                        on_delete: on_delete.unwrap_or_default(),
                        on_update: on_update.unwrap_or_default(),
                    }),
                }
            }
        }
    }

    fn index(&mut self, row: IndexRow) {
        let (of, name, unique, column, expression, condition) = row;
        let Some(table) = self.named(&of) else { return };
        let key = match column {
            Some(column) => IndexKey::Column(column),
            None => IndexKey::Expression(expression.unwrap_or_default()),
        };
        match table.indexes.last_mut().filter(|index| index.name == name) {
            Some(index) => index.keys.push(key),
            None => table.indexes.push(IndexReport { name, unique: unique != 0, keys: vec![key], condition }),
        }
    }

    /// Names the columns of primary keys that foreign keys refer to without naming them.
    fn refer_to_keys(&mut self) {
        let keys: HashMap<String, Vec<String>> =
            self.found.iter().map(|table| (table.name.to_lowercase(), table.primary_key.clone())).collect();
        for key in self.found.iter_mut().flat_map(|table| &mut table.foreign_keys) {
            if let Some(primary) = keys.get(&key.table.to_lowercase()) {
                for (referred, column) in key.referred.iter_mut().zip(primary) {
                    if referred.is_empty() {
                        referred.clone_from(column);
                    }
                }
            }
        }
    }
}

/// `1 1`: the first number, and what is added for the next one.
fn identity(text: &str) -> Option<Filled> {
    let (start, increment) = text.split_once(' ')?;
    Some(Filled::Identity { start: start.parse().ok()?, increment: increment.parse().ok()? })
}
