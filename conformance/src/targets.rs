//! The dialects and versions that the cases are compiled for.

use std::sync::Arc;

use isogloss_compiler::dialect::Dialect;
use isogloss_mysql::MySql;
use isogloss_oracle::Oracle;
use isogloss_postgres::Postgres;
use isogloss_sqlite::Sqlite;
use isogloss_sqlserver::SqlServer;

/// A dialect in a version.
#[derive(Debug, Clone)]
pub struct Target {
    /// The dialect.
    pub dialect: Arc<dyn Dialect>,
    /// Another target, by the name of its dialect's label: this one is shown where its text differs from that one's.
    pub unlike: Option<&'static str>,
}

impl Target {
    /// The name and version.
    pub fn label(&self) -> String {
        self.dialect.label()
    }
}

impl<D: Dialect> From<D> for Target {
    fn from(dialect: D) -> Self {
        Target { dialect: dialect.to_shared(), unlike: None }
    }
}

/// Every dialect in its usual version, in the order of a snapshot.
pub fn targets() -> Vec<Target> {
    vec![
        Postgres::V15.into(),
        MySql::default().into(),
        Target { unlike: Some("mysql"), ..MySql::mariadb(10, 11).into() },
        Sqlite::V3_45.into(),
        SqlServer::V2019.into(),
        Oracle::V19.into(),
    ]
}

/// Versions of the dialects beside the usual ones, each with something that those around it have not.
pub fn other_versions() -> Vec<Target> {
    let sqlite = [Sqlite::V3_35, Sqlite::V3_44, Sqlite::new(46, 0)];
    let oracle = [Oracle::V12_1, Oracle::V12_2, Oracle::V18, Oracle::new(19, 10), Oracle::V21, Oracle::V23];
    let mut all: Vec<Target> = [Postgres::V12, Postgres::V14, Postgres::V16, Postgres::V18].map(Target::from).into();
    all.extend([MySql::V8_0_22, MySql::V8_0_31, MySql::V9_0].map(Target::from));
    all.extend([MySql::mariadb(10, 6), MySql::mariadb(11, 7)].map(|d| Target { unlike: Some("mysql"), ..d.into() }));
    all.extend(sqlite.map(Target::from));
    all.extend([SqlServer::V2017, SqlServer::V2022, SqlServer::V2025].map(Target::from));
    all.extend(oracle.map(Target::from));
    all
}
