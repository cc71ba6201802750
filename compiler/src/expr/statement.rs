//! INSERT, UPDATE and DELETE. They stand at a root only: no slot of a query or a predicate takes one.

use super::{LogicExpr, Name, SelectItemExpr, SqlSegment, TableExpr, Value, ValueTypeExpr, child};

/// INSERT, with an upsert where `conflict` is given.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct InsertExpr {
    /// The table.
    pub table: TableExpr,
    /// The properties that get values. Without any, and without values, it is one row of which the database makes all, of
    /// an entity whose rows it numbers.
    pub columns: Vec<Name>,
    /// The rows.
    pub source: InsertSource,
    /// What happens to a row that is there already.
    pub conflict: Option<OnConflict>,
    /// What comes back of each row.
    pub returning: Vec<SelectItemExpr>,
}

/// The rows of an INSERT.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InsertSource {
    /// Plain values, row after row, in one flat list: its length is a multiple of the columns'.
    Values(Vec<Value>),
    /// Computed values, row after row, in one flat list; each is stored as [`UpdateExpr::sets`] says.
    Exprs(Vec<ValueTypeExpr>),
    /// The rows of a query; each value is stored as [`UpdateExpr::sets`] says.
    Query(SqlSegment),
}

impl Drop for InsertSource {
    fn drop(&mut self) {
        if let InsertSource::Values(values) = self {
            values.drain(..).filter_map(|value| child::forget_plain(value, Value::is_plain)).for_each(drop);
        }
    }
}

/// What happens to a proposed row that collides with one that is there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OnConflict {
    /// The properties of the key that collides; the primary key if empty.
    pub target: Vec<Name>,
    /// What happens.
    pub action: ConflictAction,
}

/// What happens to a row that collides.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConflictAction {
    /// The proposed row is dropped.
    DoNothing,
    /// Every inserted property but the target's takes the proposed value.
    UpdateAll,
    /// These properties are set. `excluded.Name` is the proposed value, a bare name the one that is there.
    Update(Vec<(Name, ValueTypeExpr)>),
}

/// UPDATE.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UpdateExpr {
    /// The table.
    pub table: TableExpr,
    /// The properties and what they are set to.
    ///
    /// An assignment is a CAST to the property's type, of INSERT and upserts as well: a fraction that becomes whole is cut,
    /// a date and time loses its time, a truth value becomes `true` or 1. Where no CAST means the same on every engine it
    /// is refused (`BadAssignment`). A decimal is rounded to the digits behind the point that the property's definition
    /// says, a half away from 0. A plain value is not cast but converted, and refused if it would lose something else.
    /// A value that its column has no room for (a number out of range, a longer text) is an error of the engine; SQLite,
    /// whose columns have no limits, keeps it. What a fragment or a registered function gives without a type stays as it is.
    pub sets: Vec<(Name, ValueTypeExpr)>,
    /// The rows that are changed. Refused if absent, unless `all_rows` is set.
    pub filter: Option<LogicExpr>,
    /// Whether every row is meant.
    pub all_rows: bool,
    /// What comes back of each changed row.
    pub returning: Vec<SelectItemExpr>,
}

/// DELETE.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DeleteExpr {
    /// The table.
    pub table: TableExpr,
    /// The rows that are removed. Refused if absent, unless `all_rows` is set.
    pub filter: Option<LogicExpr>,
    /// Whether every row is meant.
    pub all_rows: bool,
    /// What comes back of each removed row.
    pub returning: Vec<SelectItemExpr>,
}
