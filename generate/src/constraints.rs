//! Indexes, checks and foreign keys of a table as those of an entity.

use isogloss_compiler::expr::Name;
use isogloss_driver::introspect::{ForeignKeyReport, IndexKey, IndexReport, Kept, TableReport, names_column};

use crate::columns::{self, Column};
use crate::finding::What;
use crate::model::{Entity, list, told};
use crate::names::Scope;
use crate::relations::Key;

/// An index of several columns, or of some of the rows.
#[derive(Debug, Clone)]
pub(crate) struct Index {
    pub(crate) name: Option<String>,
    pub(crate) columns: Vec<Key>,
    pub(crate) unique: bool,
    /// The condition of its rows, with braces doubled.
    pub(crate) filter: Option<String>,
}

/// A foreign key that the database keeps.
#[derive(Debug, Clone)]
pub(crate) struct ForeignKey {
    pub(crate) name: Option<String>,
    /// The name of the entity.
    pub(crate) target: String,
    /// The columns, in the order of the key that they refer to.
    pub(crate) columns: Vec<Key>,
    /// What becomes of the rows at a DELETE, in the word of definitions, if something does.
    pub(crate) on_delete: Option<&'static str>,
    pub(crate) on_update: Option<&'static str>,
    /// Whether it is looked at when a transaction ends.
    pub(crate) deferred: bool,
}

/// The keys of an index as they are told: columns and expressions.
fn keys(index: &IndexReport) -> Vec<String> {
    let text = |key: &IndexKey| match key {
        IndexKey::Column(column) => column.clone(),
        IndexKey::Expression(text) if !text.is_empty() => text.split_whitespace().collect::<Vec<_>>().join(" "),
        _ => "..".to_owned(),
    };
    index.keys.iter().map(text).collect()
}

/// What a constraint leaves in doubt that is not kept for every row.
pub(crate) fn doubt(kept: Kept) -> Option<What> {
    match kept {
        Kept::Always => None,
        Kept::NotValidated => Some(What::NotValidated),
        _ => Some(What::NotEnforced),
    }
}

/// A name that a catalog takes.
pub(crate) fn named(name: &str) -> Option<String> {
    let fits = !name.trim().is_empty() && name.len() <= Name::MAX_LEN && !name.contains('.');
    // SQLite makes names of its own, which nobody may give, and numbers.
    let is_made = name.starts_with("sqlite_") || name.bytes().all(|byte| byte.is_ascii_digit());
    (fits && !is_made && !name.chars().any(char::is_control)).then(|| name.to_owned())
}

/// SQL of the database as a definition says it: what stands in braces is a property there.
fn plain(sql: &str) -> String {
    sql.replace('{', "{{").replace('}', "}}")
}

/// What becomes of rows, in the word of definitions; none if they have none for it. Engines tell NO ACTION and RESTRICT one for the
/// other where nothing is deferred.
fn action(rule: &str, deferred: bool) -> Option<Option<&'static str>> {
    match rule {
        "RESTRICT" if deferred => Some(Some("restrict")),
        "" | "NO ACTION" | "RESTRICT" => Some(None),
        "CASCADE" => Some(Some("cascade")),
        "SET NULL" => Some(Some("set_null")),
        _ => None,
    }
}

impl ForeignKey {
    /// One that refers to the primary key of an entity; none if definitions have no word for what it does.
    pub(crate) fn new(report: &ForeignKeyReport, target: &str, columns: Vec<Key>) -> Option<Self> {
        let (on_delete, on_update) =
            (action(&report.on_delete, report.deferred)?, action(&report.on_update, report.deferred)?);
        let (name, target) = (named(&report.name), target.to_owned());
        Some(Self { name, target, columns, on_delete, on_update, deferred: report.deferred })
    }
}

impl Entity {
    /// Unique keys, indexes and checks: what one column has is said there.
    pub(crate) fn constrain(&mut self, table: &TableReport) {
        for key in &table.unique_keys {
            if let Some(what) = doubt(key.kept) {
                self.note(Some(&key.name), what);
            }
            if let Some(clause) = &key.clause {
                self.note(Some(&key.name), What::KeyClause { clause: told(clause) });
            }
            if key.kept != Kept::Never {
                self.index(&key.name, &key.columns, true, None);
            }
        }
        for index in table.indexes.iter().filter(|index| !index.of_foreign_key) {
            let columns = index.keys.iter().map(|key| match key {
                IndexKey::Column(column) => Some(column.clone()),
                _ => None,
            });
            let columns: Option<Vec<String>> = columns.collect();
            let what = match (&index.method, columns, index.condition.as_deref()) {
                (Some(method), columns, _) => What::IndexMethod {
                    method: method.clone(),
                    columns: columns.map_or_else(|| list(&keys(index)), |columns| list(&columns)),
                },
                (None, None, _) => What::ExpressionIndex { keys: list(&keys(index)) },
                (None, Some(_), Some("")) => What::PartialIndex { condition: told("") },
                (None, Some(columns), condition) => {
                    self.index(&index.name, &columns, index.unique, condition);
                    continue;
                }
            };
            self.note(Some(&index.name), what);
        }
        // SQLite lets several constraints have one name, or none.
        let mut names = Scope::default();
        let mut numbered = Scope::default();
        for check in table.checks.iter().filter(|check| !check.name.is_empty()) {
            numbered.take(&check.name);
        }
        for (at, check) in table.checks.iter().enumerate() {
            if let Some(what) = doubt(check.kept) {
                self.note(Some(&check.name), what);
            }
            let name = if check.name.is_empty() {
                numbered.free(&format!("CK_{}_{}", table.name, at + 1), "_")
            } else {
                names.free(&check.name, "_")
            };
            let is_whole = !check.condition.is_empty() && !self.names_absent(&check.condition);
            match named(&name).filter(|_| is_whole) {
                _ if check.kept == Kept::Never => {}
                Some(name) => self.checks.push((name, plain(&check.condition))),
                None => self.note(Some(&check.name), What::Check { condition: told(&check.condition) }),
            }
        }
        for detail in &table.details {
            self.note(detail.part.as_deref(), What::Detail { text: told(&detail.text) });
        }
        for option in &table.options {
            self.note(None, What::Detail { text: told(option) });
        }
        for trigger in &table.triggers {
            self.note(None, What::Trigger { statement: told(trigger) });
        }
        for other in &table.others {
            self.note(Some(&other.name), What::OtherConstraint { definition: told(&other.definition) });
        }
    }

    fn index(&mut self, name: &str, columns: &[String], unique: bool, condition: Option<&str>) {
        if let ([one], None) = (columns, condition) {
            return self.indexed(name, one, unique);
        }
        if let ([one], Some(condition)) = (columns, condition)
            && unique
            && is_not_null(condition, one)
        {
            return self.indexed(name, one, true);
        }
        let found = columns.iter().map(|name| self.field(name));
        let keys =
            found.map(|column| column.map(|own| Key { field: own.field.clone(), property: own.property.clone() }));
        let keys: Option<Vec<Key>> = keys.collect();
        match (keys, condition) {
            (Some(columns), condition) if !condition.is_some_and(|condition| self.names_absent(condition)) => {
                self.indexes.push(Index { name: named(name), columns, unique, filter: condition.map(plain) });
            }
            (_, Some(condition)) => self.note(Some(name), What::PartialIndex { condition: told(condition) }),
            (_, None) if unique => self.note(Some(name), What::CompositeUnique { columns: list(columns) }),
            (_, None) => self.note(Some(name), What::CompositeIndex { columns: list(columns) }),
        }
    }

    /// The column of that name, if a field has it.
    fn field(&self, name: &str) -> Option<&Column> {
        self.columns().find(|own| own.name == *name && own.has_field())
    }

    /// Returns whether SQL may name a column that is left out.
    fn names_absent(&self, sql: &str) -> bool {
        columns::absent(&self.members).iter().any(|name| names_column(sql, name))
    }

    fn indexed(&mut self, name: &str, column: &str, unique: bool) {
        if self.field(column).is_none() {
            let columns = list(&[column.to_owned()]);
            let what = if unique { What::CompositeUnique { columns } } else { What::CompositeIndex { columns } };
            return self.note(Some(name), what);
        }
        // A key of one column has an index by itself.
        let keys = self.columns().filter(|column| column.primary_key).count();
        let found = self.columns_mut().find(|own| own.name == column);
        if let Some(column) = found.filter(|column| !(column.primary_key && keys == 1)) {
            column.unique |= unique;
            column.index |= !unique;
        }
    }
}

/// Whether a condition leaves out the rows that have NULL in a column, and no others, in the spelling of SQL Server: what is unique
/// is made so there, where a unique index takes one NULL.
fn is_not_null(condition: &str, column: &str) -> bool {
    let bare = condition.trim().trim_start_matches('(').trim_end_matches(')').trim();
    let words: Vec<&str> = bare.split_whitespace().collect();
    let [name, rest @ ..] = words.as_slice() else { return false };
    let name = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    name == Some(column)
        && rest.len() == 3
        && rest.iter().zip(["IS", "NOT", "NULL"]).all(|(a, b)| a.eq_ignore_ascii_case(b))
}
