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
