//! What a database has, as its engine says it.

use isogloss_compiler::expr::DbType;

/// The tables and views of the schemas that were asked for, by their schemas and names.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct SchemaReport {
    /// The tables and views.
    pub tables: Vec<TableReport>,
}

/// Whether rows are stored or computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableKind {
    /// A table.
    Table,
    /// A view, whose rows a query gives.
    View,
}

/// A table or a view.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TableReport {
    /// The schema that it is in.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// Whether it is a table or a view.
    pub kind: TableKind,
    /// The comment on it.
    pub comment: Option<String>,
    /// How many rows the engine believes that it has; none where it was never counted.
    pub estimated_rows: Option<u64>,
    /// The columns, in their order.
    pub columns: Vec<ColumnReport>,
    /// The columns of the primary key, in its order.
    pub primary_key: Vec<String>,
    /// The unique keys that are declared as constraints.
    pub unique_keys: Vec<KeyReport>,
    /// The foreign keys.
    pub foreign_keys: Vec<ForeignKeyReport>,
    /// The indexes that belong to no key.
    pub indexes: Vec<IndexReport>,
    /// The check constraints. Of SQLite there are none, which has them in the text of the table only.
    pub checks: Vec<CheckReport>,
}

impl TableReport {
    /// The column of that name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&ColumnReport> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// A column.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ColumnReport {
    /// Its name.
    pub name: String,
    /// The type as the engine writes it: `character varying(100)`.
    pub engine_type: String,
    /// The type that it has in a catalog; none if no type there holds its values.
    pub portable: Option<PortableType>,
    /// Whether it may hold NULL.
    pub nullable: bool,
    /// What fills it if an INSERT does not.
    pub filled: Filled,
    /// The collation of its texts, if it is not that of the database.
    pub collation: Option<String>,
    /// The comment on it.
    pub comment: Option<String>,
}

/// A type of a catalog's column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PortableType {
    /// The type.
    pub ty: DbType,
    /// The most characters or bytes; none without a limit.
    pub length: Option<u32>,
    /// The digits of a decimal, or those behind the seconds of a time.
    pub precision: Option<u8>,
    /// The digits of a decimal behind its point.
    pub scale: Option<u8>,
}

impl PortableType {
    /// A type without a length or digits.
    #[must_use]
    pub fn new(ty: impl Into<DbType>) -> Self {
        Self { ty: ty.into(), length: None, precision: None, scale: None }
    }

    /// The type with a length.
    #[must_use]
    pub fn length(mut self, length: Option<u32>) -> Self {
        self.length = length;
        self
    }

    /// The type with digits, and of a decimal those behind its point.
    #[must_use]
    pub fn digits(mut self, precision: Option<u8>, scale: Option<u8>) -> Self {
        (self.precision, self.scale) = (precision, scale);
        self
    }
}

/// What fills a column that an INSERT gives no value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Filled {
    /// NULL, or nothing.
    Not,
    /// A default, in the engine's SQL.
    Default(String),
    /// The engine's numbering. MySQL, MariaDB and SQLite do not tell where it began, and are taken to count from 1.
    Identity {
        /// The first number.
        start: i64,
        /// What is added for the next one.
        increment: i64,
    },
    /// It is computed from other columns. The text is in the engine's SQL, and none where the engine does not tell it.
    Generated(Option<String>),
}

/// A unique key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyReport {
    /// The name of the constraint.
    pub name: String,
    /// Its columns, in its order.
    pub columns: Vec<String>,
}

/// A foreign key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ForeignKeyReport {
    /// The name of the constraint; on SQLite, where it has none, a number.
    pub name: String,
    /// Its columns, in its order.
    pub columns: Vec<String>,
    /// The schema of the table that it refers to.
    pub schema: String,
    /// The table that it refers to.
    pub table: String,
    /// The columns that it refers to, in the order of its own.
    pub referred: Vec<String>,
    /// What is done with its rows if a row that they refer to is deleted: `CASCADE`, `SET NULL` or `NO ACTION`, say.
    pub on_delete: String,
    /// What is done with its rows if the key of a row that they refer to changes.
    pub on_update: String,
}

/// An index.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexReport {
    /// Its name.
    pub name: String,
    /// Whether it takes no two rows with equal keys.
    pub unique: bool,
    /// Its keys, in their order.
    pub keys: Vec<IndexKey>,
    /// The condition of the rows that are in it, in the engine's SQL, if not all are; empty where the engine does not tell it.
    pub condition: Option<String>,
}

impl IndexReport {
    /// An index of all rows.
    #[must_use]
    pub fn new(name: impl Into<String>, unique: bool, keys: Vec<IndexKey>) -> Self {
        Self { name: name.into(), unique, keys, condition: None }
    }
}

/// A key of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum IndexKey {
    /// A column.
    Column(String),
    /// An expression, in the engine's SQL; empty where the engine does not tell it.
    Expression(String),
}

/// A check constraint.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckReport {
    /// The name of the constraint.
    pub name: String,
    /// The condition, in the engine's SQL; empty where the user may not see it.
    pub condition: String,
}
