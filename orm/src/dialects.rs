//! The dialects: a module for each feature, and a constant for the version that most programs use.

#[allow(unused_imports, reason = "without any dialect, only the list below needs it")]
use crate::dialect::Dialect;

/// PostgreSQL.
#[cfg(feature = "postgres")]
pub mod postgres {
    pub use isogloss_postgres::*;

    /// PostgreSQL 15.
    pub const POSTGRES: Postgres = Postgres::V15;
}

/// MySQL and MariaDB.
#[cfg(feature = "mysql")]
pub mod mysql {
    pub use isogloss_mysql::*;

    /// MySQL 8.0.
    pub const MYSQL: MySql = MySql::V8_0;

    /// MariaDB 10.11.
    pub const MARIADB: MariaDb = MariaDb::new(10, 11);
}

/// SQLite.
#[cfg(feature = "sqlite")]
pub mod sqlite {
    pub use isogloss_sqlite::*;

    /// SQLite 3.45.
    pub const SQLITE: Sqlite = Sqlite::V3_45;
}

/// SQL Server.
#[cfg(feature = "sqlserver")]
pub mod sqlserver {
    pub use isogloss_sqlserver::*;

    /// SQL Server 2019.
    pub const SQLSERVER: SqlServer = SqlServer::V2019;
}

/// Oracle Database.
#[cfg(feature = "oracle")]
pub mod oracle {
    pub use isogloss_oracle::*;

    /// Oracle Database 19c.
    pub const ORACLE: Oracle = Oracle::V19;
}

/// DuckDB.
#[cfg(feature = "duckdb")]
pub mod duckdb {
    pub use isogloss_duckdb::*;

    /// DuckDB 1.5.
    pub const DUCKDB: DuckDb = DuckDb::V1_5;
}

#[cfg(feature = "duckdb")]
pub use duckdb::DUCKDB;
#[cfg(feature = "mysql")]
pub use mysql::{MARIADB, MYSQL};
#[cfg(feature = "oracle")]
pub use oracle::ORACLE;
#[cfg(feature = "postgres")]
pub use postgres::POSTGRES;
#[cfg(feature = "sqlite")]
pub use sqlite::SQLITE;
#[cfg(feature = "sqlserver")]
pub use sqlserver::SQLSERVER;

/// The default version of each dialect that is enabled by the crate's features.
///
/// ```
/// for dialect in isogloss::DIALECTS {
///     println!("{}", dialect.label());
/// }
/// ```
pub const DIALECTS: &[&dyn Dialect] = &[
    #[cfg(feature = "postgres")]
    &POSTGRES,
    #[cfg(feature = "mysql")]
    &MYSQL,
    #[cfg(feature = "mysql")]
    &MARIADB,
    #[cfg(feature = "sqlite")]
    &SQLITE,
    #[cfg(feature = "sqlserver")]
    &SQLSERVER,
    #[cfg(feature = "oracle")]
    &ORACLE,
    #[cfg(feature = "duckdb")]
    &DUCKDB,
];
