//! The dialects, one module a feature, and for each the version that most will mean.

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
    pub const MARIADB: MySql = MySql::mariadb(10, 11);
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

/// One of each dialect that is there.
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
];
