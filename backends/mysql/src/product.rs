//! What a server is, by what it says of itself.

use std::sync::Arc;

use isogloss_compiler::dialect::{Dialect, Identity as _, Variant};

use crate::{Galera, MariaDb, MySql, TiDb, Vitess, tidb, vitess};

/// What a server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Product {
    MySql(MySql),
    MariaDb(MariaDb),
    #[cfg_attr(not(feature = "driver"), expect(dead_code, reason = "its version does not say it"))]
    Galera(Galera),
    TiDb(TiDb),
    Vitess(Vitess),
    #[cfg_attr(not(feature = "driver"), expect(dead_code, reason = "its version does not say it"))]
    Aurora(Variant<MySql>),
}

impl Product {
    /// That of a server that says `9.7.4-2`, `10.11.19-MariaDB-0+deb12u1`, `8.0.11-TiDB-v8.5.1` or `8.0.40-Vitess` of itself.
    pub(crate) fn named(version: &str) -> Self {
        let (major, minor, patch) = numbers(version);
        if version.contains("MariaDB") {
            return Self::MariaDb(MariaDb::new(major, minor));
        }
        if let Some((_, own)) = version.split_once("-TiDB-v") {
            let (major, minor, _) = numbers(own);
            return Self::TiDb(tidb(major, minor));
        }
        if version.to_ascii_lowercase().contains("-vitess") {
            // It does not say its own version: it is of MySQL 8.4 since 23.
            return Self::Vitess(vitess(if (major, minor) >= (8, 4) { 23 } else { 20 }));
        }
        Self::MySql(MySql::new(major, minor, patch))
    }

    fn shared(self) -> Arc<dyn Dialect> {
        match self {
            Self::MySql(dialect) => dialect.to_shared(),
            Self::MariaDb(dialect) => dialect.to_shared(),
            Self::Galera(dialect) => dialect.to_shared(),
            Self::TiDb(dialect) => dialect.to_shared(),
            Self::Vitess(dialect) => dialect.to_shared(),
            Self::Aurora(dialect) => dialect.to_shared(),
        }
    }
}

/// The three numbers that a version begins with.
pub(crate) fn numbers(version: &str) -> (u16, u16, u16) {
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(|number| number.parse().unwrap_or(0));
    let mut number = || numbers.next().unwrap_or(0);
    (number(), number(), number())
}

/// The dialect of a server by what its `VERSION()` says, for programs that connect by other means than the driver here.
///
/// ```
/// use isogloss_mysql::by_version;
///
/// assert_eq!(by_version("8.4.6").label(), "mysql 8.4.6");
/// assert_eq!(by_version("10.11.19-MariaDB-0+deb12u1").label(), "mariadb 10.11");
/// assert_eq!(by_version("8.0.11-TiDB-v8.5.1").label(), "tidb 8.5");
/// assert_eq!(by_version("8.4.6-Vitess").label(), "vitess 23");
/// ```
///
/// A version does not say that a MariaDB is a node of Galera, and a MySQL Aurora: that is [`galera`](crate::galera()) and
/// [`aurora_mysql`](crate::aurora_mysql()), whose SQL is the same. Of Vitess it says nothing but which MySQL it is like: name it by
/// [`vitess`](crate::vitess()) where its own version is known.
#[must_use]
pub fn by_version(version: &str) -> Arc<dyn Dialect> {
    Product::named(version).shared()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(Product::named("9.7.4-2"), Product::MySql(MySql::new(9, 7, 4)));
        assert_eq!(Product::named("8.0.36"), Product::MySql(MySql::new(8, 0, 36)));
        assert_eq!(Product::named("10.11.19-MariaDB-0+deb12u1"), Product::MariaDb(MariaDb::V10_11));
        assert_eq!(Product::named("5.7.25-TiDB-v6.5.3"), Product::TiDb(tidb(6, 5)));
        assert_eq!(Product::named("8.0.11-TiDB-v8.5.3-serverless"), Product::TiDb(tidb(8, 5)));
        assert_eq!(Product::named("8.0.40-Vitess"), Product::Vitess(vitess(20)));
        assert_eq!(Product::named("8.0.31-vitess-16.0.0"), Product::Vitess(vitess(20)));
    }
}
