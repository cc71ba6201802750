//! The dialects and versions that the cases are compiled for.

use std::sync::Arc;

use isogloss_compiler::dialect::Dialect;
use isogloss_duckdb::DuckDb;
use isogloss_mysql::{MariaDb, MySql, aurora_mysql, galera, tidb, vitess};
use isogloss_oracle::Oracle;
use isogloss_postgres::{CockroachDb, Postgres, alloydb, aurora_postgres, citus, neon, yugabytedb};
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
        Target { unlike: Some("mysql"), ..MariaDb::new(10, 11).into() },
        Sqlite::V3_45.into(),
        SqlServer::V2019.into(),
        Oracle::V19.into(),
        Target { unlike: Some("postgres"), ..DuckDb::V1_5.into() },
    ]
}

/// The variants of PostgreSQL.
fn variants_of_postgres() -> Vec<Target> {
    let as_postgres = |target: Target| Target { unlike: Some("postgres"), ..target };
    let mut all: Vec<Target> = [CockroachDb::V25_2, CockroachDb::V24_1].map(Target::from).into();
    all.push(yugabytedb(2025, 1).into());
    all.push(citus(13, 0, Postgres::V15).into());
    all.extend([aurora_postgres(15, 7), alloydb(15, 7), neon(15, 7)].map(Target::from));
    all.into_iter().map(as_postgres).collect()
}

/// Servers that speak as MySQL or MariaDB does.
pub(crate) fn variants_of_mysql() -> Vec<Target> {
    let aurora = aurora_mysql(3, 8, MySql::new(8, 0, 39));
    vec![
        Target { unlike: Some("mariadb"), ..galera(10, 11).into() },
        Target { unlike: Some("mysql"), ..tidb(8, 5).into() },
        Target { unlike: Some("tidb"), ..tidb(7, 1).into() },
        Target { unlike: Some("mysql"), ..vitess(22).into() },
        Target { unlike: Some("vitess"), ..vitess(20).into() },
        Target { unlike: Some("mysql"), ..aurora.into() },
    ]
}

/// Versions of the dialects beside the usual ones, each with something that those around it have not.
pub fn other_versions() -> Vec<Target> {
    let sqlite = [Sqlite::V3_35, Sqlite::V3_44, Sqlite::new(46, 0)];
    let oracle = [Oracle::V12_1, Oracle::V12_2, Oracle::V18, Oracle::new(19, 10), Oracle::V21, Oracle::V23];
    let mut all: Vec<Target> = [Postgres::V12, Postgres::V14, Postgres::V16, Postgres::V18].map(Target::from).into();
    all.extend(variants_of_postgres());
    all.extend([MySql::V8_0_22, MySql::V8_0_31, MySql::V9_0].map(Target::from));
    all.extend([MariaDb::new(10, 6), MariaDb::new(11, 7)].map(|d| Target { unlike: Some("mysql"), ..d.into() }));
    all.extend(variants_of_mysql());
    all.extend(sqlite.map(Target::from));
    all.extend([SqlServer::V2017, SqlServer::V2022, SqlServer::V2025].map(Target::from));
    all.extend(oracle.map(Target::from));
    all
}
