//! Dialects by their names and versions.

use std::sync::Arc;

use isogloss::DIALECTS;
use isogloss::dialect::{Dialect, Version};

use crate::failure::{Failure, Result};
use crate::project::Project;

/// A dialect by its name: the version that is meant where none is said, and others by their numbers.
struct Named {
    name: &'static str,
    usual: fn() -> Arc<dyn Dialect>,
    make: fn(Version) -> Arc<dyn Dialect>,
}

macro_rules! named {
    ($($(#[$feature:meta])* $name:literal: $usual:expr, $numbers:pat => $make:expr;)*) => {
        [$($(#[$feature])* Named {
            name: $name,
            usual: || Arc::new($usual),
            make: |$numbers| Arc::new($make),
        },)*]
    };
}

fn known() -> Vec<Named> {
    let known = named! {
        #[cfg(feature = "postgres")]
        "postgres": isogloss::POSTGRES, (major, ..) => isogloss::postgres::Postgres::new(major);
        #[cfg(feature = "postgres")]
        "cockroachdb": isogloss::postgres::CockroachDb::V25_2, (major, minor, _) => isogloss::postgres::CockroachDb::new(major, minor);
        #[cfg(feature = "postgres")]
        "yugabytedb": isogloss::postgres::yugabytedb(2025, 1), (major, minor, _) => isogloss::postgres::yugabytedb(major, minor);
        #[cfg(feature = "mysql")]
        "mysql": isogloss::MYSQL, (major, minor, patch) => isogloss::mysql::MySql::new(major, minor, patch);
        #[cfg(feature = "mysql")]
        "mariadb": isogloss::MARIADB, (major, minor, _) => isogloss::mysql::MariaDb::new(major, minor);
        #[cfg(feature = "mysql")]
        "galera": isogloss::mysql::galera(10, 11), (major, minor, _) => isogloss::mysql::galera(major, minor);
        #[cfg(feature = "mysql")]
        "tidb": isogloss::mysql::tidb(8, 5), (major, minor, _) => isogloss::mysql::tidb(major, minor);
        #[cfg(feature = "mysql")]
        "vitess": isogloss::mysql::vitess(22), (major, ..) => isogloss::mysql::vitess(major);
        #[cfg(feature = "sqlite")]
        "sqlite": isogloss::SQLITE, (_, minor, patch) => isogloss::sqlite::Sqlite::new(minor, patch);
        #[cfg(feature = "sqlserver")]
        "sqlserver": isogloss::SQLSERVER, numbers => sqlserver(numbers);
        #[cfg(feature = "oracle")]
        "oracle": isogloss::ORACLE, (major, minor, _) => isogloss::oracle::Oracle::new(major, minor);
        #[cfg(feature = "duckdb")]
        "duckdb": isogloss::DUCKDB, (major, minor, _) => isogloss::duckdb::DuckDb::new(major, minor);
    };
    known.into()
}

/// A SQL Server by the year that people call it by, or by its own number.
#[cfg(feature = "sqlserver")]
fn sqlserver((version, ..): Version) -> isogloss::sqlserver::SqlServer {
    use isogloss::sqlserver::SqlServer;
    match version {
        2017 => SqlServer::V2017,
        2019 => SqlServer::V2019,
        2022 => SqlServer::V2022,
        2025 => SqlServer::V2025,
        major => SqlServer::new(major),
    }
}

/// The dialects that a command line asks for; without any those of the project, or all.
pub(crate) fn asked(said: &[String], project: &Project) -> Result<Vec<Arc<dyn Dialect>>> {
    match (said, &*project.dialects) {
        ([], []) => named(&["all".to_owned()]),
        ([], texts) | (texts, _) => named(texts),
    }
}

/// The dialects of a list: each `NAME` or `NAME:VERSION`, or `all`.
pub(crate) fn named(texts: &[String]) -> Result<Vec<Arc<dyn Dialect>>> {
    let mut found: Vec<Arc<dyn Dialect>> = Vec::new();
    for text in texts {
        let more = if text == "all" {
            DIALECTS.iter().map(|dialect| dialect.to_shared()).collect()
        } else {
            vec![one(text).map_err(Failure::Input)?]
        };
        for dialect in more {
            if !found.iter().any(|known| **known == *dialect) {
                found.push(dialect);
            }
        }
    }
    Ok(found)
}

fn one(text: &str) -> Result<Arc<dyn Dialect>, String> {
    let (name, version) = text.split_once(':').map_or((text, None), |(name, version)| (name, Some(version)));
    let known = known();
    let found = known.iter().find(|dialect| dialect.name == name).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|dialect| dialect.name).collect();
        format!(
            "unknown dialect `{text}`: it is `all` or one of {}, alone or with a version as in `mysql:8.0.31`",
            names.join(", ")
        )
    })?;
    let Some(version) = version else { return Ok((found.usual)()) };
    let numbers = numbers(version)
        .ok_or_else(|| format!("bad version `{version}` of {name}: it is a number as in `19` or `8.0.31`"))?;
    Ok((found.make)(numbers))
}

/// `8`, `8.0` or `8.0.31`; letters at the end, as in `19c`, are no part of it.
fn numbers(version: &str) -> Option<Version> {
    let version = version.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let mut parts = version.split('.').map(|part| part.parse().ok());
    let numbers = (parts.next()??, parts.next().unwrap_or(Some(0))?, parts.next().unwrap_or(Some(0))?);
    parts.next().is_none().then_some(numbers)
}

#[cfg(all(
    test,
    feature = "postgres",
    feature = "mysql",
    feature = "sqlite",
    feature = "sqlserver",
    feature = "oracle"
))]
mod tests {
    use super::*;

    fn labels(texts: &[&str]) -> Result<Vec<String>> {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        Ok(named(&texts)?.iter().map(|dialect| dialect.label()).collect())
    }

    #[test]
    fn names_have_versions() {
        for (text, label) in [
            ("postgres", "postgres 15"),
            ("postgres:17.2", "postgres 17"),
            ("mysql:8.0.35", "mysql 8.0.35"),
            ("mariadb:11.4", "mariadb 11.4"),
            ("sqlite:3.50.1", "sqlite 3.50"),
            ("sqlserver:2017", "sqlserver 2017"),
            ("oracle:23ai", "oracle 23ai"),
            ("tidb:8.5", "tidb 8.5"),
        ] {
            assert_eq!(labels(&[text]).unwrap(), [label]);
        }
    }

    #[test]
    fn every_usual_dialect_is_known_by_its_name() {
        for dialect in DIALECTS {
            assert_eq!(labels(&[dialect.sheet().name]).unwrap(), [dialect.label()]);
        }
        assert_eq!(labels(&["sqlite", "all"]).unwrap().len(), DIALECTS.len());
    }

    #[test]
    fn what_is_no_dialect_is_told() {
        for bad in ["", "db2", "Postgres", "postgres:", "postgres:x", "postgres:15.x", "mysql:8.0.1.2", "oracle:99999"]
        {
            assert!(labels(&[bad]).is_err(), "{bad}");
        }
    }
}
