//! What a third party implements to have its dialect tested.

use std::sync::Arc;

use isogloss_compiler::Target;
use isogloss_compiler::model::Column;
use isogloss_driver::Backend;

use super::{Requirement, ddl};

/// An engine under test.
///
/// The defaults are right for the dialects of this workspace, by their names. A third party gives name and backend, and
/// replaces what its engine spells differently.
pub trait Engine: Send + Sync {
    /// What reports call it.
    fn name(&self) -> &str;

    /// Where statements run.
    fn backend(&self) -> Arc<dyn Backend>;

    /// Statements that make a place of that name (a schema, a database) for the suite's tables, in which texts compare by
    /// their code points. None, if the tables go where the connection is.
    fn make_place(&self, place: &str) -> Vec<String> {
        match self.backend().dialect().sheet().name {
            "postgres" => vec![format!("CREATE SCHEMA \"{place}\"")],
            "mysql" => vec![format!("CREATE DATABASE `{place}` CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin")],
            "mariadb" => vec![format!("CREATE DATABASE `{place}` CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin")],
            "sqlserver" => vec![format!("CREATE DATABASE [{place}] COLLATE Latin1_General_100_BIN2")],
            _ => Vec::new(),
        }
    }

    /// Statements by which a connection steps into the place.
    fn enter_place(&self, place: &str) -> Vec<String> {
        match self.backend().dialect().sheet().name {
            "postgres" => vec![format!("SET search_path = \"{place}\"")],
            "mysql" | "mariadb" => vec![format!("USE `{place}`")],
            "sqlserver" => vec![format!("USE [{place}]")],
            _ => Vec::new(),
        }
    }

    /// Statements that take the place away, with these tables in it.
    fn drop_place(&self, place: &str, tables: &[&str]) -> Vec<String> {
        match self.backend().dialect().sheet().name {
            "postgres" => vec![format!("DROP SCHEMA \"{place}\" CASCADE")],
            "mysql" | "mariadb" => vec![format!("DROP DATABASE `{place}`")],
            "sqlserver" => vec!["USE [master]".to_owned(), format!("DROP DATABASE [{place}]")],
            _ => tables.iter().map(|table| format!("DROP TABLE {table}")).collect(),
        }
    }

    /// The type of a column in CREATE TABLE, with what numbers it if the database does.
    fn column_type(&self, column: &Column) -> String {
        ddl::column_type(self.backend().dialect(), column)
    }

    /// A column in CREATE TABLE that the database computes, by its quoted name, type and text.
    fn computed_column(&self, name: &str, ty: &str, text: &str) -> String {
        match self.backend().dialect().sheet().name {
            "sqlserver" => format!("{name} AS ({text})"),
            "postgres" => format!("{name} {ty} GENERATED ALWAYS AS ({text}) STORED"),
            _ => format!("{name} {ty} GENERATED ALWAYS AS ({text})"),
        }
    }

    /// Whether it has what a case asks for: what its dialect's tables say.
    fn has(&self, requirement: &Requirement, target: &Target) -> bool {
        requirement.is_met(target)
    }
}
