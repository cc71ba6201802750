//! What a database has otherwise than a catalog says.

use std::fmt;

/// Which differences are looked for.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct DiffOptions {
    /// The data source whose entities are compared; without one, those that name none.
    pub data_source: Option<String>,
    /// Whether columns, indexes and tables that the catalog does not name are dropped. They are only told otherwise. The tables of
    /// other data sources and those of sharded entities are named, and left alone.
    pub drop_extra: bool,
    /// Tables, as `name` or `schema.name`, that are left alone although the catalog does not name them, such as the history of migrations.
    pub ignored: Vec<String>,
}

impl DiffOptions {
    /// Compares the entities of that data source.
    #[must_use]
    pub fn data_source(mut self, name: impl Into<String>) -> Self {
        self.data_source = Some(name.into());
        self
    }

    /// Drops what the catalog does not name.
    #[must_use]
    pub fn drop_extra(mut self, drop: bool) -> Self {
        self.drop_extra = drop;
        self
    }

    /// Leaves a table alone.
    #[must_use]
    pub fn ignore(mut self, table: impl Into<String>) -> Self {
        self.ignored.push(table.into());
        self
    }
}

/// A difference between the tables of a database and those of a catalog, and the statements that mend it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The table, as its name is written in messages: `shop.customers`.
    pub table: String,
    /// What of the table is different.
    pub part: Part,
    /// What it is; none if it is missing.
    pub now: Option<String>,
    /// What it should be; none if it should not be there.
    pub wanted: Option<String>,
    /// The statements that make it what it should be, in order. Without any, it is only told.
    pub up: Vec<String>,
    /// The statements that make it what it was, in order.
    pub down: Vec<String>,
    /// What the statements do to a database in use.
    pub impact: Impact,
    /// Whether the statements replace the table by a new one, so that they run with [foreign keys turned
    /// off](super::Ddl::foreign_keys_off).
    pub replaces: bool,
}

/// What of a table is different.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// The table itself.
    Table,
    /// A column, by its name.
    Column(String),
    /// The type of a column.
    Type(String),
    /// Whether a column may hold NULL.
    Nullable(String),
    /// The default of a column.
    Default(String),
    /// How the database numbers a column.
    Identity(String),
    /// What a column is computed from.
    Generated(String),
    /// The comment on the table, or on a column, by its name.
    Comment(Option<String>),
    /// The primary key.
    PrimaryKey,
    /// An index, by its name.
    Index(String),
    /// A foreign key, by its name.
    ForeignKey(String),
    /// A check, by its name.
    Check(String),
}

/// What statements do to a database in use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Impact {
    /// Whether values are lost, or may be cut.
    pub loses_data: bool,
    /// Whether the rows are written again, which takes time with their number.
    pub rewrites: bool,
    /// Whom the statements keep waiting for as long as that takes.
    pub locks: Lock,
    /// What else to know, and how to do it while the table is used.
    pub note: Option<String>,
}

/// Whom a statement keeps waiting for longer than a moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lock {
    /// Nobody.
    #[default]
    None,
    /// Who writes to the table.
    Writes,
    /// Whoever uses the table.
    ReadsAndWrites,
}

impl Impact {
    /// Statements that keep these waiting.
    #[must_use]
    pub fn locking(locks: Lock) -> Self {
        Self { locks, ..Self::default() }
    }

    /// Statements that write the rows again, and keep these waiting meanwhile.
    #[must_use]
    pub fn rewriting(locks: Lock) -> Self {
        Self { rewrites: true, locks, ..Self::default() }
    }

    /// Adds a sentence.
    #[must_use]
    pub fn note(mut self, note: impl AsRef<str>) -> Self {
        let note = note.as_ref();
        self.note = Some(self.note.map_or_else(|| note.to_owned(), |before| format!("{before}; {note}")));
        self
    }

    /// Says whether values are lost.
    #[must_use]
    pub fn loses_data(mut self, loses: bool) -> Self {
        self.loses_data |= loses;
        self
    }
}

/// In words: `loses data, rewrites the table, locks writes`; nothing if there is nothing to say.
impl fmt::Display for Impact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let locks = match self.locks {
            Lock::None => None,
            Lock::Writes => Some("locks writes"),
            Lock::ReadsAndWrites => Some("locks reads and writes"),
        };
        let words = [self.loses_data.then_some("loses data"), self.rewrites.then_some("rewrites the table"), locks];
        let words: Vec<&str> = words.into_iter().flatten().chain(self.note.as_deref()).collect();
        f.write_str(&words.join(", "))
    }
}

impl Difference {
    /// Whether it is told only, and has no statements.
    #[must_use]
    pub fn is_only_told(&self) -> bool {
        self.up.is_empty()
    }
}

/// `customers.email type: varchar(100) -> varchar(200)`
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.table)?;
        match &self.part {
            Part::Table => Ok(()),
            Part::Column(name) => write!(f, ".{name}"),
            Part::Type(name) => write!(f, ".{name} type"),
            Part::Nullable(name) => write!(f, ".{name} nullable"),
            Part::Default(name) => write!(f, ".{name} default"),
            Part::Identity(name) => write!(f, ".{name} identity"),
            Part::Generated(name) => write!(f, ".{name} generated"),
            Part::Comment(None) => f.write_str(" comment"),
            Part::Comment(Some(name)) => write!(f, ".{name} comment"),
            Part::PrimaryKey => f.write_str(" primary key"),
            Part::Index(name) => write!(f, " index {name}"),
            Part::ForeignKey(name) => write!(f, " foreign key {name}"),
            Part::Check(name) => write!(f, " check {name}"),
        }?;
        let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "missing".to_owned());
        let wanted = self.wanted.as_deref().unwrap_or("not in the catalog");
        write!(f, ": {} -> {wanted}", text(&self.now))
    }
}
