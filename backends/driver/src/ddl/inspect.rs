//! Reads from the engine's catalog which columns and indexes a table has.

use isogloss_compiler::Compiled;
use isogloss_compiler::expr::{DbType, DbValueType, Value};
use isogloss_compiler::render::Parameter;

/// The queries that tell which columns and indexes a table has, and the columns that it should have. The queries
/// succeed without a result if the table does not exist, and do not affect an open transaction.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Inspection {
    /// The table's name in the engine's notation, for messages.
    pub table: String,
    /// A query of the table's column names, one in each row. It returns no rows if the table does not exist.
    pub columns: Compiled<'static>,
    /// A query of the table's index names, one in each row.
    pub indexes: Compiled<'static>,
    /// The columns that the catalog declares.
    pub wanted: Vec<Wanted>,
    /// Whether the engine regards names that differ only in case as equal.
    pub ignores_case: bool,
}

/// A column that the catalog declares.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wanted {
    /// The name of the property.
    pub property: String,
    /// The name of the column.
    pub column: String,
    /// The name of the column's own index, if it has one.
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

    /// Whether `name` is in the list of existing names, by the engine's rules about case.
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

/// How concurrent changes of tables are prevented, also by other processes.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum SyncLock {
    /// A transaction is sufficient, as it locks the whole database.
    Transaction,
    /// A query inside of a transaction takes the lock, which is held until the transaction ends. If the query returns a
    /// number, a negative one says that the lock could not be taken.
    InTransaction(Compiled<'static>),
    /// A query takes a lock of the session and returns 1 on success, another one releases it. It is for engines whose
    /// DDL statements commit implicitly.
    OfSession {
        /// Takes the lock.
        take: Compiled<'static>,
        /// Releases the lock.
        free: Compiled<'static>,
    },
    /// The engine has no lock that every user may take. A statement that fails because another process was faster is
    /// checked again.
    None,
}

/// A lock that a session holds over several transactions, and that ends with the session.
#[derive(Debug, Clone)]
pub struct SessionLock {
    /// Tries to take the lock without waiting for it, and returns 1 on success.
    pub take: Compiled<'static>,
    /// Releases the lock.
    pub free: Compiled<'static>,
}

/// The statements that let tables be replaced whose rows others refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForeignKeysOff {
    /// Runs before the transaction begins: foreign keys are not checked, and nothing cascades.
    pub off: &'static str,
    /// Returns a row for each row that refers to nothing: the transaction must not be committed then.
    pub check: &'static str,
    /// Runs when the transaction has ended.
    pub on: &'static str,
}

/// A query of the engine's catalog with text parameters. An empty text is bound as NULL.
#[must_use]
pub fn asked(sql: impl Into<String>, texts: &[&str]) -> Compiled<'static> {
    let ty = Some(DbType::from(DbValueType::String));
    let value = |text: &&str| if text.is_empty() { Value::Null } else { Value::from(*text) };
    let params = texts.iter().map(|text| Parameter { value: std::borrow::Cow::Owned(value(text)), ty }).collect();
    Compiled { sql: sql.into(), params, ..Compiled::default() }
}
