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
