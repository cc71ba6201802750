//! Texts of statements over the sample tables.

#![allow(dead_code, clippy::unwrap_used, reason = "each test takes what it needs, and may fail")]

use isogloss_compiler::expr::*;
use isogloss_compiler::model::sample;
use isogloss_compiler::{Compiler, ErrorKind};
use isogloss_sqlserver::SqlServer;

pub(crate) fn sql(version: SqlServer, statement: impl Into<Expr>) -> String {
    let statement = statement.into();
    Compiler::new(sample::catalog()).compile(&statement, &version).unwrap().sql
}

/// What stands between `SELECT ` and ` FROM [Orders] [T0]`.
pub(crate) fn item(value: impl Into<ValueTypeExpr>) -> String {
    item_in(SqlServer::V2019, value)
}

pub(crate) fn item_in(version: SqlServer, value: impl Into<ValueTypeExpr>) -> String {
    let sql = sql(version, from("Order").select([value.into()]));
    sql.trim_start_matches("SELECT ").trim_end_matches(" FROM [Orders] [T0]").to_owned()
}

/// What stands behind WHERE.
pub(crate) fn condition(logic: impl Into<LogicExpr>) -> String {
    condition_in(SqlServer::V2019, logic)
}

pub(crate) fn condition_in(version: SqlServer, logic: impl Into<LogicExpr>) -> String {
    let sql = sql(version, from("Order").filter(logic.into()).select([prop("Id")]));
    sql.trim_start_matches("SELECT [T0].[Id] FROM [Orders] [T0] WHERE ").to_owned()
}

pub(crate) fn query(segment: impl Into<Expr>) -> String {
    sql(SqlServer::V2019, segment)
}

pub(crate) fn refused(statement: impl Into<Expr>) -> String {
    let statement = statement.into();
    let error = Compiler::new(sample::catalog()).compile(&statement, &SqlServer::V2019).unwrap_err();
    match error.kind() {
        ErrorKind::Refused { feature, dialect, reason } => format!("{feature}; {dialect}; {reason}"),
        other => format!("{other:?}"),
    }
}

pub(crate) fn ids(entity: &str) -> SelectExpr {
    from(entity).select([prop("Id")])
}

/// The names of the rules that were applied to select it.
pub(crate) fn rules(value: impl Into<ValueTypeExpr>) -> Vec<&'static str> {
    let query: Expr = from("Order").select([value.into()]).into();
    let compiled = Compiler::new(sample::catalog()).compile(&query, &SqlServer::V2019).unwrap();
    compiled.notes.iter().map(|note| note.rule.name()).collect()
}
