//! The database servers that tests run against.

use std::env;

use crate::skipped;

/// Returns the URLs in `variable`, which are separated by blanks.
///
/// Without any, the test runs on no server, and is reported as [skipped].
#[must_use]
pub fn urls(variable: &str) -> Vec<String> {
    let urls: Vec<String> = env::var(variable).unwrap_or_default().split_whitespace().map(str::to_owned).collect();
    if urls.is_empty() {
        skipped(format_args!("{variable} is not set"));
    }
    urls
}

/// Returns the PostgreSQL servers: the URLs in `ISOGLOSS_POSTGRES_URL`.
#[must_use]
pub fn postgres() -> Vec<String> {
    urls("ISOGLOSS_POSTGRES_URL")
}

/// Returns the MySQL and MariaDB servers: the URLs in `ISOGLOSS_MYSQL_URL`.
#[must_use]
pub fn mysql() -> Vec<String> {
    urls("ISOGLOSS_MYSQL_URL")
}

/// The lock of MySQL and MariaDB under which a test creates the schema `sales` of the sample catalog.
///
/// A schema is a database there, and its name is fixed. The lock ends with its connection.
pub const SALES_LOCK: &str = "isogloss.sales";

/// The table that a test creates in `sales`. A later test may drop a schema that contains it, which a killed one has left.
pub const SALES_MARK: &str = "isogloss_snapshots_mark";
