//! Filters as expressions of sea-query for SQLite.

use isogloss_compiler::expr::LogicExpr;
use isogloss_compiler::{Request, Target};
use isogloss_driver::Result;
use isogloss_driver::sea_query::Stored;
use sea_query::Expr;

use crate::dialect::bound_beside;

/// A filter over the request's root entity, for a query that `SqliteQueryBuilder` writes. The columns stand behind
/// `qualifier`, the table's alias or name there: for SeaORM it is the table's name.
///
/// SeaORM writes instants and UUIDs in forms of its own: the target is one for
/// [`Sqlite::stored_by`](crate::Sqlite::stored_by)`(Storage::Sqlx)`.
///
/// # Errors
/// What [`Target::condition`] refuses, and values that cannot be bound; instants and UUIDs, where the dialect does
/// not say who writes the rows.
pub fn condition(target: &Target, filter: &LogicExpr, request: &Request<'_>, qualifier: Option<&str>) -> Result<Expr> {
    isogloss_driver::sea_query::condition(target, filter, request, qualifier, |value, _| {
        bound_beside(value).map(Stored::Value)
    })
}
