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

mod read;
mod report;
mod sequences;

use crate::ddl::{Ddl, asked};
use crate::{Connection, ConnectionExt as _, Error, ErrorKind, Result};

pub use report::{
    CheckReport, Choices, ColumnPlace, ColumnReport, Detail, Filled, ForeignKeyReport, IndexKey, IndexReport, Kept,
    KeyReport, OtherConstraint, PortableType, Reader, SchemaReport, SequenceReport, TableKind, TableReport,
    names_column,
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
/// whether something holds is 1 or 0, and whether a constraint is kept is 0 where it is, 1 where it was not validated, 2 where it
/// is not looked at.
#[derive(Debug, Clone, Copy)]
pub struct Introspection {
    /// The schema in which a name without one is looked for, which is all that it gives; it takes no parameter.
    pub default_schema: &'static str,
    /// The tables: schema, name, `table` or `view`, comment, estimated rows.
    pub tables: &'static str,
    /// The columns, table by table in their order: table, name, type as the engine writes it, type's name, length, digits,
    /// digits behind the point, whether it may hold NULL, what fills it (`default`, `identity`, `generated`, `stored` for one that is also stored, or NULL), the
    /// default, the expression or the numbers of an identity with a blank between them, collation, comment, whether it is hidden.
    pub columns: &'static str,
    /// The columns of the views, where one view that is broken would end the query of all. Then `columns` leaves views out.
    pub view_columns: Option<ViewColumns>,
    /// The columns that the engine numbers, where `columns` cannot tell their numbers: table, column, the first one, what is
    /// added for the next one.
    pub identities: Option<&'static str>,
    /// Where `columns` does not tell each byte of a default, the query of the defaults of these columns of a table, by its schema and
    /// name: column, and the bytes as hexadecimal digits, or NULL where the engine does not tell them. It needs the right to read the
    /// table.
    pub bytes: Option<DefaultsQuery>,
    /// The columns that an UPDATE of their row changes, though it gives them no value: table, column, what they get.
    pub updates: Option<&'static str>,
    /// The columns of keys, key by key in their order: table, key, `P`, `U` or `F`, column, and of a foreign key the schema,
    /// table and column that it refers to, what happens to its rows at a DELETE and at an UPDATE, whether it is kept, whether
    /// it is looked at when a transaction ends. A column that it refers to is NULL where it is that of the primary key.
    pub keys: &'static str,
    /// The keys of indexes which belong to no constraint, index by index in their order: table, index, whether it is unique,
    /// column, expression, condition, how it finds rows if not by the engine's usual tree. A key that is more than a column, such as
    /// its first characters or its falling values, is an expression. A primary key with such a key is told, too, by the method
    /// [`PRIMARY_KEY`].
    pub indexes: &'static str,
    /// The check constraints: table, name, condition, whether it is kept, whether it is part of the column of its name.
    pub checks: Option<&'static str>,
    /// The constraints of other kinds: table, name, all of it.
    pub others: Option<&'static str>,
    /// The queries of what else tables have: table, column or key or NULL, kind, text. The kinds are `collation` (of the table's texts), `trigger` (its
    /// statement), `reader` (a view that reads the column, where no column changes under a view), and `detail` for everything that
    /// the other queries do not tell.
    pub beside: &'static [&'static str],
    /// The sequences, each with the columns that take their numbers from it: schema, name, the first number, what is added,
    /// the smallest, the largest, whether it cycles, the column's schema, table and name, whether the sequence belongs to it.
    pub sequences: Option<&'static str>,
    /// Where `sequences` cannot tell the numbers, the query of one sequence's, by its schema and name: the first number, what is
    /// added, the smallest, the largest, whether it cycles.
    pub numbers: Option<fn(&str, &str) -> String>,
    /// Where `sequences` cannot tell which columns it serves, whether a default takes its number from the sequence of that schema
    /// and name.
    pub draws: Option<fn(&str, &str, &str) -> bool>,
    /// Whether the engine has made the name of a primary key by itself, by the names of the table and the key; none where primary
    /// keys have no names.
    pub makes_key_name: Option<fn(&str, &str) -> bool>,
    /// Whether the engine makes an index for a foreign key, by its name.
    pub indexes_foreign_keys: bool,
    /// What stands in the texts of tables and indexes only.
    pub texts: Option<Texts>,
    /// The type of a catalog's column that holds the values of a column.
    pub portable: fn(&EngineType<'_>) -> Option<PortableType>,
    /// Whether a type does what its portable one does not.
    pub is_special: Option<fn(&EngineType<'_>) -> bool>,
    /// What tells that a table has changed, for an engine whose catalog takes long to answer.
    pub definitions: Option<Definitions>,
    /// The values of a type that lists them.
    pub choices: Option<fn(&EngineType<'_>) -> Option<Choices>>,
}

/// The method of an index that is the primary key.
pub const PRIMARY_KEY: &str = "PRIMARY KEY";

/// The query of the defaults of some columns of a table, by its schema and name.
pub type DefaultsQuery = fn(schema: &str, table: &str, columns: &[&str]) -> String;

/// The texts that define tables.
#[derive(Debug, Clone, Copy)]
pub struct Definitions {
    /// The query of the names of the tables in the default schema.
    pub names: &'static str,
    /// The query of what defines a table of that name.
    pub query: fn(&str) -> String,
    /// The text without what changes with its rows.
    pub lasting: fn(&str) -> String,
}

/// What tells the columns of one view.
#[derive(Debug, Clone, Copy)]
pub struct ViewColumns {
    /// The query, whose second parameter is the name of the view.
    pub query: &'static str,
    /// Whether an error of it says that the view is broken, and not that the database could not be asked.
    pub is_broken: fn(&Error) -> bool,
}

/// The texts that an engine keeps of its tables, their indexes and triggers, and what is read out of them.
#[derive(Debug, Clone, Copy)]
pub struct Texts {
    /// The query of a schema's, which may have no name, and takes no parameter: table, name of the index or NULL, text.
    pub query: fn(&str) -> String,
    /// Adds what the text of a table, of its index of that name, or of a trigger says.
    pub read: fn(&mut TableReport, Option<&str>, &str),
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

    /// The length, or [`PortableType::LONGEST`] where the type has none.
    #[must_use]
    pub fn length_or_longest(&self) -> Option<u32> {
        self.length().or(Some(PortableType::LONGEST))
    }

    /// A decimal with the digits of the type.
    #[must_use]
    pub fn decimal(&self) -> PortableType {
        PortableType::decimal(self.precision, self.scale)
    }
}

/// Reads the tables and views of schemas, over a connection of a backend whose [`Ddl`] is `ddl`. It takes twelve queries a schema at most,
/// whatever the number of its tables, but for one more for each view of SQLite and each sequence of MariaDB, and one for all. It needs no right but
/// to read the catalog: what the user may not see is not there.
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
    let (default_schema,) = connection.fetch_one(&asked(questions.default_schema, &[])).await?;
    let mut report = SchemaReport { default_schema, ..SchemaReport::default() };
    let default = [String::new()];
    let schemas = if options.schemas.is_empty() { &default[..] } else { &options.schemas };
    for schema in schemas {
        read::schema(connection, &questions, schema, &mut report).await?;
        sequences::read(connection, &questions, schema, &mut report).await?;
    }
    if let Some(draws) = questions.draws {
        sequences::serve(&mut report, draws);
    }
    Ok(report)
}
