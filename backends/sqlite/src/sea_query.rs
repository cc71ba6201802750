//! Filters as expressions of sea-query for SQLite.

use isogloss_compiler::expr::LogicExpr;
use isogloss_compiler::{Request, Target};
use isogloss_driver::Result;
use sea_query::Expr;

use crate::stored;

/// A filter over the request's root entity, for a query that `SqliteQueryBuilder` writes. The columns stand behind
/// `qualifier`, the table's alias or name there: for SeaORM it is the table's name.
///
/// # Errors
/// What [`Target::condition`] refuses, and values that cannot be bound.
pub fn condition(target: &Target, filter: &LogicExpr, request: &Request<'_>, qualifier: Option<&str>) -> Result<Expr> {
    isogloss_driver::sea_query::condition(target, filter, request, qualifier, stored)
}
