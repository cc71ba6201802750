//! The engines that the suite can be pointed at by name.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use isogloss_driver::Backend;
#[cfg(feature = "duckdb")]
use isogloss_duckdb::driver::{DuckDbBackend, DuckDbOptions};
use isogloss_mysql::driver::{MySqlBackend, MySqlOptions};
use isogloss_mysql::{MariaDb, MySql};
use isogloss_oracle::Oracle;
use isogloss_oracle::driver::{OracleBackend, OracleOptions};
use isogloss_postgres::Postgres;
use isogloss_postgres::driver::{PostgresBackend, PostgresOptions};
use isogloss_sqlite::Sqlite;
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};
use isogloss_sqlserver::SqlServer;
use isogloss_sqlserver::driver::{SqlServerBackend, SqlServerOptions};

use isogloss_compiler::Target;
use isogloss_compiler::model::{Column, TextMode};
use isogloss_driver::ddl::quoted;

use super::engine::kin;
use super::{Case, Engine, Requirement, SuiteError, unasked};

/// Their names, each with what it takes behind `=`.
pub const ENGINES: &[(&str, &str)] = &[
    ("sqlite", "a file; in memory without"),
    ("postgres", "postgres://user:password@host:5432/database"),
    ("mysql", "mysql://user:password@host:3306/database, of MySQL or MariaDB"),
    ("sqlserver", "sqlserver://user:password@host:1433/database"),
    ("oracle", "oracle://user:password@host:1521/service"),
    #[cfg(feature = "duckdb")]
    ("duckdb", "a file; in memory without"),
];

/// What is missing of an engine that is a server.
const NO_URL: &str = "it is a server: give its URL behind `=`";

/// An engine that this crate has a driver for.
struct Known {
    name: String,
    // Before what it made: its connections are closed first.
    backend: Arc<dyn Backend>,
    _made: Option<Made>,
}

/// A file that was not there before. It goes with its engine.
struct Made(PathBuf);

impl Made {
    fn at(path: &str) -> Option<Self> {
        (!Path::new(path).exists()).then(|| Self(path.into()))
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        // What SQLite keeps beside a file goes when the last connection is closed, as a rule.
        for end in ["", "-wal", "-shm", "-journal", ".wal"] {
            let mut path = self.0.clone().into_os_string();
            path.push(end);
            // It is not there, or somebody else's to remove.
            let _ = fs::remove_file(path);
        }
    }
}

impl Engine for Known {
    fn name(&self) -> &str {
        &self.name
    }

    fn backend(&self) -> Arc<dyn Backend> {
        Arc::clone(&self.backend)
    }
}

/// What statements make of tables whose texts compare without case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Brownfield {
    /// They compare as the tables do, which is not what the cases expect.
    Database,
    /// They compare by code points, and nothing is known of the columns.
    Exact,
    /// They compare by code points, and the engine is asked for the collations of the columns.
    ExactKnown,
    /// Each column says that its texts compare by code points, and everything else as the tables do.
    ExactColumns,
}

/// An engine whose tables are as a database has them that nobody made for this: texts compare without case, and on most
/// engines without blanks at the end.
struct OnBrownfield {
    name: String,
    engine: Box<dyn Engine>,
    how: Brownfield,
}

/// The engine with tables whose texts compare without case.
#[must_use]
pub fn brownfield(engine: Box<dyn Engine>, how: Brownfield) -> Box<dyn Engine> {
    let name = format!("{} brownfield", engine.name());
    Box::new(OnBrownfield { name, engine, how })
}

impl Engine for OnBrownfield {
    fn name(&self) -> &str {
        &self.name
    }

    fn backend(&self) -> Arc<dyn Backend> {
        self.engine.backend()
    }

    fn make_place(&self, place: &str) -> Vec<String> {
        match kin(self.backend().dialect()) {
            "mysql" | "mariadb" => {
                vec![format!("CREATE DATABASE `{place}` CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")]
            }
            "sqlserver" => vec![format!("CREATE DATABASE [{place}] COLLATE SQL_Latin1_General_CP1_CI_AS")],
            // Without a schema of its own, an extension would be somebody else's.
            "postgres" => vec![
                format!("CREATE SCHEMA \"{place}\""),
                format!(
                    "DO $$ BEGIN CREATE COLLATION \"{place}\".ci (provider = icu, locale = 'und-u-ks-level2', \
                     deterministic = false); EXCEPTION WHEN OTHERS THEN \
                     CREATE EXTENSION IF NOT EXISTS citext; END $$"
                ),
            ],
            _ => self.engine.make_place(place),
        }
    }

    fn enter_place(&self, place: &str) -> Vec<String> {
        match kin(self.backend().dialect()) {
            "postgres" => vec![format!("SET search_path = \"{place}\", public")],
            // As the driver does for the database that it connects to.
            "mysql" | "mariadb" => {
                vec![format!("USE `{place}`"), "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci".to_owned()]
            }
            _ => self.engine.enter_place(place),
        }
    }

    fn drop_place(&self, place: &str) -> Vec<String> {
        self.engine.drop_place(place)
    }

    fn collate(&self, table: &str, column: &Column) -> Option<String> {
        let backend = self.backend();
        let dialect = backend.dialect();
        if kin(dialect) != "postgres" || !column.ty.base.is_text() || column.ty.array {
            return None;
        }
        let name = quoted(dialect, [&*column.column]);
        Some(format!(
            "DO $$ BEGIN ALTER TABLE {table} ALTER COLUMN {name} TYPE text COLLATE ci; EXCEPTION WHEN undefined_object \
             THEN ALTER TABLE {table} ALTER COLUMN {name} TYPE citext; END $$"
        ))
    }

    fn written(&self, statement: String) -> String {
        let (word, with) = match kin(self.backend().dialect()) {
            "mysql" => ("utf8mb4_0900_bin", "utf8mb4_general_ci"),
            "mariadb" => ("utf8mb4_nopad_bin", "utf8mb4_general_ci"),
            "sqlite" | "duckdb" => return without_case(&statement),
            _ => return statement,
        };
        statement.replace(word, with)
    }

    fn text(&self) -> TextMode {
        match self.how {
            Brownfield::Database | Brownfield::ExactColumns => TextMode::Database,
            Brownfield::Exact | Brownfield::ExactKnown => TextMode::Exact,
        }
    }

    fn exact_columns(&self) -> bool {
        self.how == Brownfield::ExactColumns
    }

    fn asks_collations(&self) -> bool {
        self.how == Brownfield::ExactKnown
    }

    fn refuses(&self, case: &Case, error: &isogloss_compiler::Error) -> bool {
        self.engine.refuses(case, error)
    }

    fn has(&self, requirement: &Requirement, target: &Target) -> bool {
        self.engine.has(requirement, target)
    }
}

/// SQLite's or DuckDB's CREATE TABLE with `COLLATE NOCASE` behind each type of texts.
fn without_case(statement: &str) -> String {
    let mut out = String::with_capacity(statement.len() * 2);
    for (index, part) in statement.split(' ').enumerate() {
        let text = ["varchar(", "nvarchar(", "char(", "text"].iter().any(|ty| part.to_lowercase().starts_with(ty));
        out.push_str(if index > 0 { " " } else { "" });
        let end = part.len() - part.chars().rev().take_while(|c| *c == ',').count();
        let (ty, rest) = part.split_at(end);
        out.push_str(ty);
        out.push_str(if text { " COLLATE NOCASE" } else { "" });
        out.push_str(rest);
    }
    out
}

/// Connects to an engine by its name and URL. Its report is headed by the dialect and version that the server said.
/// A file of SQLite's that was not there before is removed with the engine.
///
/// # Errors
/// The name is not known, a URL is missing, or the engine does not answer.
pub async fn connect(name: &str, url: Option<&str>) -> Result<Box<dyn Engine>, SuiteError> {
    let engine = |what: &str| SuiteError::Engine { name: name.to_owned(), what: what.to_owned() };
    let source = |source| SuiteError::Connect { name: name.to_owned(), source };
    let server = || url.ok_or_else(|| engine(NO_URL));
    let mut made = None;
    let backend: Arc<dyn Backend> = match name {
        #[cfg(feature = "duckdb")]
        "duckdb" => {
            made = url.and_then(Made::at);
            let options = url.map_or_else(DuckDbOptions::memory, DuckDbOptions::file);
            Arc::new(DuckDbBackend::open(options).await.map_err(source)?)
        }
        "sqlite" => {
            made = url.and_then(Made::at);
            let options = url.map_or_else(SqliteOptions::memory, SqliteOptions::file);
            Arc::new(SqliteBackend::open(options).await.map_err(source)?)
        }
        "postgres" => {
            let options = PostgresOptions::url(server()?).map_err(source)?;
            Arc::new(PostgresBackend::connect(options).await.map_err(source)?)
        }
        "mysql" => {
            let options = MySqlOptions::url(server()?).map_err(source)?;
            Arc::new(MySqlBackend::connect(options).await.map_err(source)?)
        }
        "sqlserver" => {
            let options = SqlServerOptions::url(server()?).map_err(source)?;
            Arc::new(SqlServerBackend::connect(options).await.map_err(source)?)
        }
        "oracle" => {
            let options = OracleOptions::url(server()?).map_err(source)?;
            Arc::new(OracleBackend::connect(options).await.map_err(source)?)
        }
        _ => {
            let known: Vec<&str> = ENGINES.iter().map(|(name, _)| *name).collect();
            return Err(engine(&format!("it is none of {}", known.join(", "))));
        }
    };
    Ok(Box::new(Known { name: backend.dialect().label(), backend, _made: made }))
}

/// Every engine in each version that the dialects tell apart, to be asked nothing.
#[must_use]
pub fn every_version() -> Vec<Box<dyn Engine>> {
    let mut all: Vec<Box<dyn Engine>> = Vec::new();
    let sqlite = [Sqlite::V3_35, Sqlite::V3_38, Sqlite::V3_39, Sqlite::V3_40, Sqlite::V3_44, Sqlite::V3_45];
    all.extend(sqlite.map(unasked));
    let postgres =
        [Postgres::V12, Postgres::V13, Postgres::V14, Postgres::V15, Postgres::V16, Postgres::V17, Postgres::V18];
    all.extend(postgres.map(unasked));
    let mysql = [MySql::V8_0, MySql::V8_0_14, MySql::V8_0_19, MySql::V8_0_22, MySql::V8_0_31, MySql::V8_4, MySql::V9_0];
    all.extend(mysql.map(unasked));
    all.extend([MariaDb::V10_6, MariaDb::V10_11, MariaDb::V11_4].map(unasked));
    let sqlserver = [SqlServer::V2017, SqlServer::V2019, SqlServer::V2022, SqlServer::V2025];
    all.extend(sqlserver.map(unasked));
    let oracle = [Oracle::V12_1, Oracle::V12_2, Oracle::V18, Oracle::V19, Oracle::V21, Oracle::V23];
    all.extend(oracle.map(unasked));
    all
}
