//! What is there of a table, by the engine's own catalog.

use isogloss_compiler::Compiled;
use isogloss_compiler::expr::{DbType, DbValueType, Value};
use isogloss_compiler::render::Parameter;

/// How to learn what is there of a table, and what there should be. It fails on no engine where there is no table, and
/// leaves a transaction as it is.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Inspection {
    /// The table's name as the engine says it, for people.
    pub table: String,
    /// A query for the names of its columns, one a row; there are none where there is no table.
    pub columns: Compiled<'static>,
    /// A query for the names of its indexes, one a row.
    pub indexes: Compiled<'static>,
    /// What there should be.
    pub wanted: Vec<Wanted>,
    /// Whether the engine takes names that differ in their case for one.
    pub ignores_case: bool,
}

/// A column that should be there.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wanted {
    /// The property.
    pub property: String,
    /// The column.
    pub column: String,
    /// The name of its own index, if it has one.
    pub index: Option<String>,
}

impl Inspection {
    #[cfg(feature = "ddl")]
    pub(super) fn new(
        table: String,
        columns: Compiled<'static>,
        indexes: Compiled<'static>,
        wanted: Vec<Wanted>,
        ignores_case: bool,
    ) -> Self {
        Self { table, columns, indexes, wanted, ignores_case }
    }

    /// Whether a name is among those that are there.
    #[must_use]
    pub fn has(&self, there: &[String], name: &str) -> bool {
        there.iter().any(|known| if self.ignores_case { known.eq_ignore_ascii_case(name) } else { known == name })
    }
}

impl Wanted {
    #[cfg(feature = "ddl")]
    pub(super) fn new(property: &str, column: &str, index: Option<String>) -> Self {
        Self { property: property.to_owned(), column: column.to_owned(), index }
    }
}

/// What keeps others from changing tables at the same time, also in other processes.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum SyncLock {
    /// A transaction is enough: it has the whole database.
    Transaction,
    /// A query in a transaction, which holds until its end. Where it gives a number, one below zero says that the lock
    /// could not be had.
    InTransaction(Compiled<'static>),
    /// A query that takes it, with a 1 where it could be had, and one that gives it back. Statements that change tables
    /// commit by themselves.
    OfSession {
        /// Takes it.
        take: Compiled<'static>,
        /// Gives it back.
        free: Compiled<'static>,
    },
    /// The engine has none that every user may take. What fails because somebody else was first is looked at again.
    None,
}

/// A query of the engine's catalog, with texts as its parameters; an empty one is NULL.
#[must_use]
pub fn asked(sql: impl Into<String>, texts: &[&str]) -> Compiled<'static> {
    let ty = Some(DbType::from(DbValueType::String));
    let value = |text: &&str| if text.is_empty() { Value::Null } else { Value::from(*text) };
    let params = texts.iter().map(|text| Parameter { value: std::borrow::Cow::Owned(value(text)), ty }).collect();
    Compiled { sql: sql.into(), params, ..Compiled::default() }
}
