//! What a database has, as its engine says it.

use std::ops::RangeInclusive;

use isogloss_compiler::expr::{DbType, DbValueType};

/// The tables and views of the schemas that were asked for, by their schemas and names.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct SchemaReport {
    /// The schema in which a name without one is looked for; none where the connection has chosen none.
    pub default_schema: Option<String>,
    /// The tables and views.
    pub tables: Vec<TableReport>,
    /// The sequences, those that number a column by itself among them.
    pub sequences: Vec<SequenceReport>,
}

/// A sequence. What does not fit into 64 bits is not told.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SequenceReport {
    /// The schema that it is in.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// The first number. Oracle does not tell it.
    pub start: Option<i64>,
    /// What is added for the next one.
    pub increment: Option<i64>,
    /// The smallest number.
    pub min: Option<i64>,
    /// The largest number.
    pub max: Option<i64>,
    /// Whether it goes on from the other end when it has come to one.
    pub cycles: bool,
    /// The columns that take their numbers from it.
    pub serves: Vec<ColumnPlace>,
    /// Whether it belongs to a column, and goes with it.
    pub owned: bool,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ColumnPlace {
    /// The schema of the table.
    pub schema: String,
    /// The table.
    pub table: String,
    /// The column.
    pub column: String,
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
    /// The name of the primary key; none on MySQL, MariaDB and SQLite, whose keys need none.
    pub primary_key_name: Option<String>,
    /// Whether the engine has made that name by itself.
    pub primary_key_is_made: bool,
    /// What the primary key says beside the names of its columns, as in [`KeyReport::clause`]; `DESC` and what follows, where it is
    /// part of its column and goes down.
    pub primary_key_clause: Option<String>,
    /// The unique keys that are declared as constraints.
    pub unique_keys: Vec<KeyReport>,
    /// The foreign keys.
    pub foreign_keys: Vec<ForeignKeyReport>,
    /// The indexes that belong to no key.
    pub indexes: Vec<IndexReport>,
    /// The check constraints.
    pub checks: Vec<CheckReport>,
    /// Whether the engine keeps the primary key, which Oracle and SQL Server may not.
    pub primary_key_kept: Kept,
    /// Constraints of kinds that are the engine's own.
    pub others: Vec<OtherConstraint>,
    /// What is said of the table behind its columns: `STRICT` and `WITHOUT ROWID` of SQLite. Other engines tell of it by
    /// [`details`](Self::details).
    pub options: Vec<String>,
    /// The statements that make its triggers, on PostgreSQL, MySQL, MariaDB and SQLite.
    pub triggers: Vec<String>,
    /// The collation of texts whose columns have none of their own, on MySQL and MariaDB.
    pub collation: Option<String>,
    /// What else the engine says of the table, its columns and keys, and no other part of the report does.
    pub details: Vec<Detail>,
    /// The views that read its columns, where the engine refuses to change a column that a view reads: on PostgreSQL.
    pub readers: Vec<Reader>,
    /// Why the engine cannot read it: a view may name a table that is gone. It has no columns then.
    pub broken: Option<String>,
}

impl TableReport {
    /// The column of that name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&ColumnReport> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// Something of a table, in the engine's words: `UNLOGGED`, `ENGINE=MyISAM`, `DEFERRABLE`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Detail {
    /// The column or key that it is of; none for the table itself.
    pub part: Option<String>,
    /// What it is.
    pub text: String,
}

/// A view that reads a column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reader {
    /// The column.
    pub column: String,
    /// The view, as SQL of its schema names it.
    pub view: String,
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
    /// Whether a `SELECT *` leaves it out.
    pub hidden: bool,
    /// Whether the engine stores the values that it computes for the column.
    pub stored: bool,
    /// What the column gets at an UPDATE of its row that gives it no value: `CURRENT_TIMESTAMP`, on MySQL and MariaDB.
    pub updated: Option<String>,
    /// What becomes of a NULL that it may not hold, where that is no error at once: `REPLACE` of SQLite's `NOT NULL ON CONFLICT
    /// REPLACE`.
    pub on_null: Option<String>,
    /// The values that it takes, of a type that lists them.
    pub choices: Option<Choices>,
    /// Whether the engine's type does what its portable one does not: `int unsigned` refuses numbers below 0, `citext` takes `a` for
    /// `A`.
    pub is_special: bool,
}

/// The values that a column takes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Choices {
    /// The values, in their order.
    pub members: Vec<String>,
    /// Whether a row may have several of them: a `SET`.
    pub several: bool,
}

impl Choices {
    /// One of these values, or several of them.
    #[must_use]
    pub fn new(members: Vec<String>, several: bool) -> Self {
        Self { members, several }
    }
}

/// Whether the rows of a table agree with a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Kept {
    /// All rows do.
    #[default]
    Always,
    /// Rows that are written do. Those that were there before were not looked at: `NOT VALID`, `NOVALIDATE`, not trusted.
    NotValidated,
    /// The engine does not look at it: `DISABLE`, `NOT ENFORCED`.
    Never,
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
    /// The length of a text or of bytes that the engine does not limit.
    pub const LONGEST: u32 = (1 << 30) - 1;

    /// A type without a length or digits.
    #[must_use]
    pub fn new(ty: impl Into<DbType>) -> Self {
        Self { ty: ty.into(), length: None, precision: None, scale: None }
    }

    /// The type as a column of a catalog has it; none if a catalog has not that length or those digits.
    #[must_use]
    pub fn sized(mut self) -> Option<Self> {
        let base = self.ty.base;
        let digits = |range: RangeInclusive<u8>| self.precision.is_none_or(|digits| range.contains(&digits));
        let fits = if base.is_decimal() {
            digits(1..=38) && self.scale.is_none_or(|scale| Some(scale) <= self.precision)
        } else if base.has_seconds() && !self.ty.array {
            digits(0..=6)
        } else {
            self.precision.is_none()
        };
        if base.is_decimal() {
            self.scale = self.scale.or(self.precision.map(|_| 0));
        }
        (fits && self.length != Some(0)).then_some(self)
    }

    /// A decimal with these digits; a `VarNumeric` without any. A scale below 0 stands for zeros before the point.
    #[must_use]
    pub fn decimal(precision: Option<i64>, scale: Option<i64>) -> Self {
        let Some(precision) = precision else { return Self::new(DbValueType::VarNumeric) };
        let zeros = scale.filter(|scale| *scale < 0).map_or(0, i64::saturating_neg);
        // What is too large for a catalog is no precision of one.
        let precision = u8::try_from(precision.saturating_add(zeros)).unwrap_or(u8::MAX);
        let scale = scale.map(|scale| u8::try_from(scale.max(0)).unwrap_or(u8::MAX));
        Self::new(DbValueType::Decimal).digits(Some(precision), scale)
    }

    /// The type as a catalog has it: without its length and digits if a catalog has no room for them. A decimal is a `VarNumeric`
    /// then, which no digits limit.
    #[must_use]
    pub fn nearest(self) -> Self {
        let mut wide = self.ty;
        if wide.base.is_decimal() && !wide.array {
            wide.base = DbValueType::VarNumeric;
        }
        self.sized().unwrap_or_else(|| Self::new(wide))
    }

    /// Returns whether the engine lets values be as long, or have as many digits, as it can store.
    #[must_use]
    pub fn is_unlimited(&self) -> bool {
        let is_long = self.length.is_some_and(|length| length >= Self::LONGEST);
        is_long || self.ty.base == DbValueType::VarNumeric && self.precision.is_none()
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
    /// Whether the engine keeps it.
    pub kept: Kept,
    /// Its columns with what they say of their own, and what stands behind them, if there is any of it: on SQLite
    /// `("name" COLLATE NOCASE) ON CONFLICT IGNORE`.
    pub clause: Option<String>,
}

/// A foreign key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ForeignKeyReport {
    /// The name of the constraint; on SQLite a number if it has none.
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
    /// Whether it is looked at when a transaction ends.
    pub deferred: bool,
    /// Whether the engine keeps it.
    pub kept: Kept,
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
    /// How it finds rows, if not by the engine's usual tree over its keys alone: `gin`, `FULLTEXT`, `NONCLUSTERED COLUMNSTORE`,
    /// `btree INCLUDE (note)`, `btree NULLS NOT DISTINCT`. One that finds none is `invalid` or `disabled`.
    pub method: Option<String>,
    /// Whether the engine has made it for a foreign key of its name, and makes it again with the key.
    pub of_foreign_key: bool,
}

impl IndexReport {
    /// An index of all rows.
    #[must_use]
    pub fn new(name: impl Into<String>, unique: bool, keys: Vec<IndexKey>) -> Self {
        Self { name: name.into(), unique, keys, condition: None, method: None, of_foreign_key: false }
    }
}

/// A key of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum IndexKey {
    /// A column, all of it and in its usual order.
    Column(String),
    /// An expression, or a column with an order, a collation, an operator class or a length of its own, in the engine's SQL: `n DESC`.
    /// Empty where the engine does not tell it.
    Expression(String),
}

/// A check constraint.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckReport {
    /// The name of the constraint; empty on SQLite if it has none.
    pub name: String,
    /// The condition, in the engine's SQL; empty where the user may not see it.
    pub condition: String,
    /// Whether the engine keeps it.
    pub kept: Kept,
    /// Whether it is part of the column of its name, and goes where the column is declared without it: on MariaDB.
    pub of_column: bool,
}

impl CheckReport {
    /// A check that the engine keeps.
    #[must_use]
    pub fn new(name: impl Into<String>, condition: impl Into<String>) -> Self {
        Self { name: name.into(), condition: condition.into(), kept: Kept::Always, of_column: false }
    }
}

/// A constraint of a kind that one engine has, such as `EXCLUDE` of PostgreSQL.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OtherConstraint {
    /// The name of the constraint.
    pub name: String,
    /// All of it, in the engine's SQL.
    pub definition: String,
}

/// Returns whether SQL of the database may name a column: it has the name as a whole word, in small letters or large ones.
#[must_use]
pub fn names_column(sql: &str, column: &str) -> bool {
    let (sql, name) = (sql.to_lowercase(), column.to_lowercase());
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '#');
    sql.match_indices(&name).any(|(at, found)| {
        let (before, after) = (sql.get(..at), sql.get(at + found.len()..));
        !before.is_some_and(|text| text.ends_with(is_word)) && !after.is_some_and(|text| text.starts_with(is_word))
    })
}
