//! What a third party implements to have its dialect tested.

use std::sync::Arc;

use isogloss_compiler::Target;
use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::model::{Column, TextMode};
use isogloss_driver::Backend;
use isogloss_driver::ddl::quoted;

use super::{Case, Requirement};

/// An engine under test.
///
/// The defaults are right for the dialects of this workspace and for those that inherit from them. A third party gives name and
/// backend, and replaces what its engine spells differently.
pub trait Engine: Send + Sync {
    /// What reports call it.
    fn name(&self) -> &str;

    /// Where statements run.
    fn backend(&self) -> Arc<dyn Backend>;

    /// Statements that make a place of that name (a schema, a database) for the suite's tables, in which texts compare by
    /// their code points. None, if the tables go where the connection is.
    fn make_place(&self, place: &str) -> Vec<String> {
        match kin(self.backend().dialect()) {
            "postgres" => vec![format!("CREATE SCHEMA \"{place}\"")],
            "mysql" => vec![format!("CREATE DATABASE `{place}` CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin")],
            "mariadb" => vec![format!("CREATE DATABASE `{place}` CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin")],
            "sqlserver" => vec![format!("CREATE DATABASE [{place}] COLLATE Latin1_General_100_BIN2")],
            _ => Vec::new(),
        }
    }

    /// Statements by which a connection steps into the place.
    fn enter_place(&self, place: &str) -> Vec<String> {
        match kin(self.backend().dialect()) {
            "postgres" => vec![format!("SET search_path = \"{place}\"")],
            "mysql" | "mariadb" => vec![format!("USE `{place}`")],
            "sqlserver" => vec![format!("USE [{place}]")],
            _ => Vec::new(),
        }
    }

    /// Statements that take the place away. None, if its tables go one by one.
    fn drop_place(&self, place: &str) -> Vec<String> {
        match kin(self.backend().dialect()) {
            "postgres" => vec![format!("DROP SCHEMA IF EXISTS \"{place}\" CASCADE")],
            "mysql" | "mariadb" => vec![format!("DROP DATABASE IF EXISTS `{place}`")],
            "sqlserver" => vec!["USE [master]".to_owned(), format!("DROP DATABASE IF EXISTS [{place}]")],
            _ => Vec::new(),
        }
    }

    /// A statement that gives a text column the collation of the engine's texts, where the place cannot say so for all of
    /// them: one by code points.
    ///
    /// PostgreSQL's `C` would do, but folds the letters of ASCII only.
    fn collate(&self, table: &str, column: &Column) -> Option<String> {
        let backend = self.backend();
        let dialect = backend.dialect();
        if kin(dialect) != "postgres" || !column.ty.base.is_text() || column.ty.array {
            return None;
        }
        // It compares by code points, and does not change the collation of a column.
        if dialect.sheet().name == "cockroachdb" {
            return None;
        }
        let collation = if dialect.version() >= (17, 0, 0) { "pg_c_utf8" } else { "C.utf8" };
        let name = quoted(dialect, [&*column.column]);
        Some(format!("ALTER TABLE {table} ALTER COLUMN {name} TYPE text COLLATE \"{collation}\""))
    }

    /// A statement that makes a table, as the engine under test is to have it.
    fn written(&self, statement: String) -> String {
        statement
    }

    /// What texts are compared by.
    fn text(&self) -> TextMode {
        TextMode::Database
    }

    /// Whether each column of texts says for itself that they are compared by code points.
    fn exact_columns(&self) -> bool {
        false
    }

    /// Whether statements are compiled by what the engine says of the collations of its columns.
    fn asks_collations(&self) -> bool {
        false
    }

    /// Whether it is right that the dialect refuses a case that is answered elsewhere, by that error: where its limits are
    /// below those of the engines that the cases were written for.
    fn refuses(&self, case: &Case, error: &isogloss_compiler::Error) -> bool {
        let _ = (case, error);
        false
    }

    /// Whether it has what a case asks for: what its dialect's tables say.
    fn has(&self, requirement: &Requirement, target: &Target) -> bool {
        requirement.is_met(target)
    }
}

/// The dialect of this workspace that it is or inherits from, by its name.
pub(super) fn kin(dialect: &dyn Dialect) -> &'static str {
    const KNOWN: [&str; 7] = ["duckdb", "mariadb", "mysql", "oracle", "postgres", "sqlite", "sqlserver"];
    dialect.lineage().map(|one| one.sheet().name).find(|name| KNOWN.contains(name)).unwrap_or_default()
}
