//! The dialects and versions: those that are listed, and others by their names.

use std::sync::Arc;

use isogloss_compiler::dialect::{Dialect, Version};
use isogloss_mysql::{MariaDb, MySql};
use isogloss_oracle::Oracle;
use isogloss_postgres::Postgres;
use isogloss_sqlite::Sqlite;
use isogloss_sqlserver::SqlServer;

/// A dialect by its name, and the versions that are listed: each has something that the one before it has not.
pub(crate) struct Family {
    pub(crate) name: &'static str,
    /// The version that is meant where none is said.
    pub(crate) usual: &'static dyn Dialect,
    pub(crate) versions: &'static [&'static dyn Dialect],
    /// A version by its numbers.
    make: fn(Version) -> Arc<dyn Dialect>,
}

pub(crate) const FAMILIES: [Family; 6] = [
    Family {
        name: "postgres",
        usual: &Postgres::V15,
        versions: &[&Postgres::V12, &Postgres::V14, &Postgres::V15, &Postgres::V16, &Postgres::V18],
        make: |(major, ..)| Arc::new(Postgres::new(major)),
    },
    Family {
        name: "mysql",
        usual: &MySql::V8_0,
        versions: &[&MySql::V8_0, &MySql::V8_0_14, &MySql::V8_0_19, &MySql::V8_0_22, &MySql::V8_0_31, &MySql::V9_0],
        make: |(major, minor, patch)| Arc::new(MySql::new(major, minor, patch)),
    },
    Family {
        name: "mariadb",
        usual: &MariaDb::V10_11,
        versions: &[&MariaDb::V10_6, &MariaDb::V10_11, &const { MariaDb::new(11, 7) }],
        make: |(major, minor, _)| Arc::new(MariaDb::new(major, minor)),
    },
    Family {
        name: "sqlite",
        usual: &Sqlite::V3_45,
        versions: &[&Sqlite::V3_35, &Sqlite::V3_38, &Sqlite::V3_39, &Sqlite::V3_44, &Sqlite::V3_45],
        make: |(_, minor, patch)| Arc::new(Sqlite::new(minor, patch)),
    },
    Family {
        name: "sqlserver",
        usual: &SqlServer::V2019,
        versions: &[&SqlServer::V2017, &SqlServer::V2019, &SqlServer::V2022, &SqlServer::V2025],
        make: |(year, ..)| {
            Arc::new(match year {
                2017 => SqlServer::V2017,
                2019 => SqlServer::V2019,
                2022 => SqlServer::V2022,
                2025 => SqlServer::V2025,
                major => SqlServer::new(major),
            })
        },
    },
    Family {
        name: "oracle",
        usual: &Oracle::V19,
        versions: &[&Oracle::V12_1, &Oracle::V12_2, &Oracle::V18, &Oracle::V19, &Oracle::V21, &Oracle::V23],
        make: |(major, minor, _)| Arc::new(Oracle::new(major, minor)),
    },
];

/// A dialect by its name, alone or before a version: `postgres`, `mysql 8.0.31`, `oracle 23ai`.
pub(crate) fn named(text: &str) -> Result<Arc<dyn Dialect>, String> {
    let (name, version) = text.split_once(' ').unwrap_or((text, ""));
    let family = FAMILIES.iter().find(|family| family.name == name).ok_or_else(|| {
        let names = FAMILIES.map(|family| family.name).join(", ");
        format!("unknown dialect `{text}`: it is one of {names}, alone or before a version")
    })?;
    if version.is_empty() {
        return Ok(family.usual.to_shared());
    }
    if let Some(listed) = family.versions.iter().find(|listed| listed.label() == text) {
        return Ok(listed.to_shared());
    }
    let numbers =
        numbers(version).ok_or_else(|| format!("bad version `{version}` of {name}: it is a number as in `8.0.31`"))?;
    Ok((family.make)(numbers))
}

/// `8`, `8.0` or `8.0.31`; letters at the end are no part of it.
fn numbers(version: &str) -> Option<Version> {
    let mut parts =
        version.trim_end_matches(|c: char| c.is_ascii_alphabetic()).split('.').map(|part| part.parse().ok());
    let version = (parts.next()??, parts.next().unwrap_or(Some(0))?, parts.next().unwrap_or(Some(0))?);
    parts.next().is_none().then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_listed_is_found_by_its_label() {
        for family in &FAMILIES {
            assert_eq!(named(family.name).unwrap().label(), family.usual.label());
            assert!(family.versions.iter().any(|listed| listed.label() == family.usual.label()), "{}", family.name);
            for listed in family.versions {
                assert_eq!(listed.sheet().name, family.name);
                assert_eq!(named(&listed.label()).unwrap().version(), listed.version());
            }
        }
    }

    #[test]
    fn other_versions_are_made() {
        for (text, label) in [
            ("postgres 17.2", "postgres 17"),
            ("mysql 8.0.35", "mysql 8.0.35"),
            ("mariadb 10.5", "mariadb 10.5"),
            ("sqlite 3.50.1", "sqlite 3.50"),
            ("sqlserver 2017", "sqlserver 2017"),
            ("oracle 23", "oracle 23ai"),
        ] {
            assert_eq!(named(text).unwrap().label(), label);
        }
    }

    #[test]
    fn what_is_no_dialect_is_told() {
        for bad in
            ["", "db2", "Postgres", "postgres x", "postgres 15.x", "postgres -1", "mysql 8.0.1.2", "oracle 99999"]
        {
            assert!(named(bad).is_err(), "{bad}");
        }
        assert!(named("db2").unwrap_err().contains("one of postgres, mysql, mariadb"));
    }
}
