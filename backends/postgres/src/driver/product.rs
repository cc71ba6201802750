//! What a server is: PostgreSQL, one of its variants, or something that only speaks its protocol.

use isogloss_compiler::dialect::Variant;
use isogloss_driver::{Error, ErrorKind, Result, ServerDialect};

use crate::{ALLOYDB_SHEET, AURORA_POSTGRES_SHEET, CITUS_SHEET, CockroachDb, NEON_SHEET, Postgres, YUGABYTEDB_SHEET};

/// What tells it, as the items of a query that none of them refuses.
pub(super) const ASKED: &str = "version(), current_setting('server_version_num'), \
    (SELECT extversion FROM pg_catalog.pg_extension WHERE extname = 'citus'), \
    to_regproc('aurora_version') IS NOT NULL, \
    current_setting('alloydb.iam_authentication', true) IS NOT NULL, \
    current_setting('neon.timeline_id', true) IS NOT NULL";

/// How many they are.
pub(super) const ANSWERS: usize = 6;

/// The oldest versions that are known.
const OLDEST: u16 = 12;
const OLDEST_COCKROACHDB: (u16, u16) = (24, 1);

/// A server that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Product {
    Postgres(Postgres),
    CockroachDb(CockroachDb),
    Variant(Variant<Postgres>),
}

impl Product {
    /// That of the answers to what is [`ASKED`].
    ///
    /// # Errors
    /// One that is too old, or none that is known.
    pub(super) fn of(answers: &[String]) -> Result<Self> {
        let answer = |at: usize| answers.get(at).map(String::as_str).unwrap_or_default();
        let (version, number, citus) = (answer(0), answer(1).parse::<u32>().unwrap_or(0), answer(2));
        if let Some(reason) = unfit(version) {
            return Err(refused(reason));
        }
        // Its number is that of the PostgreSQL which it takes itself for.
        if let Some(own) = version.strip_prefix("CockroachDB ") {
            let (major, minor) = own.split_once('v').map(|(_, rest)| numbers(rest)).unwrap_or_default();
            if (major, minor) < OLDEST_COCKROACHDB {
                return Err(refused(format!("CockroachDB 24.1 or later is needed, the server says `{version}`")));
            }
            return Ok(Self::CockroachDb(CockroachDb::new(major, minor)));
        }
        let part = |number: u32| u16::try_from(number).unwrap_or(u16::MAX);
        let (major, minor) = (part(number / 10_000), part(number % 10_000));
        let postgres = Postgres::new(major);
        if let Some((_, own)) = version.split_once("-YB-") {
            if major < OLDEST {
                return Err(refused(format!("YugabyteDB 2025.1 or later is needed, the server says `{version}`")));
            }
            let (year, release) = numbers(own);
            return Ok(Self::Variant(Variant::new(&YUGABYTEDB_SHEET, (year, release, 0), postgres)));
        }
        if major < OLDEST {
            let message = format!("PostgreSQL {OLDEST} or later is needed, the server calls itself {major}");
            return Err(refused(message));
        }
        if !citus.is_empty() {
            let (major, minor) = numbers(citus);
            return Ok(Self::Variant(Variant::new(&CITUS_SHEET, (major, minor, 0), postgres)));
        }
        let hosted = [(3, &AURORA_POSTGRES_SHEET), (4, &ALLOYDB_SHEET), (5, &NEON_SHEET)];
        let found = hosted.into_iter().find(|(at, _)| answer(*at) == "t");
        Ok(found.map_or(Self::Postgres(postgres), |(_, sheet)| {
            Self::Variant(Variant::new(sheet, (major, minor, 0), postgres))
        }))
    }

    /// Its dialect.
    pub(super) fn dialect(self) -> Box<dyn ServerDialect> {
        match self {
            Self::Postgres(dialect) => Box::new(dialect),
            Self::CockroachDb(dialect) => Box::new(dialect),
            Self::Variant(dialect) => Box::new(dialect),
        }
    }

    pub(super) fn is_cockroachdb(self) -> bool {
        matches!(self, Self::CockroachDb(_))
    }

    /// What traces call it: the names of OpenTelemetry's `db.system.name`.
    pub(super) fn system(self) -> &'static str {
        if self.is_cockroachdb() { "cockroachdb" } else { "postgresql" }
    }
}

/// Why a server that says that of its version is none for this driver.
pub(super) fn unfit(version: &str) -> Option<String> {
    let reason = "it is an older PostgreSQL with another language, without keys that are kept, arrays and RETURNING";
    version.contains("Redshift").then(|| format!("Amazon Redshift is not supported: {reason}"))
}

/// Why a server at a host of that name is none for this driver.
pub(super) fn unfit_host(host: &str) -> Option<String> {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let reason = "it has one isolation level, one change of a table for each transaction, and no savepoints: use Aurora PostgreSQL";
    let is_dsql =
        host.ends_with(".on.aws") && host.split('.').any(|label| label == "dsql" || label.starts_with("dsql-"));
    is_dsql.then(|| format!("Amazon Aurora DSQL is not supported: {reason}"))
}

pub(super) fn refused(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Configuration, message)
}

/// The first two numbers of a version.
fn numbers(version: &str) -> (u16, u16) {
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(|number| number.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(answers: [&str; ANSWERS]) -> Result<String> {
        Product::of(&answers.map(str::to_owned)).map(|product| product.dialect().label())
    }

    #[test]
    fn servers_are_known_by_what_they_say() -> Result<()> {
        let plain = "PostgreSQL 15.7 (Debian 15.7-0+deb12u1) on x86_64-pc-linux-gnu, compiled by gcc, 64-bit";
        for (answers, label) in [
            ([plain, "150007", "", "f", "f", "f"], "postgres 15"),
            (
                ["CockroachDB CCL v25.4.1 (x86_64-pc-linux-gnu, built 2025/11/20)", "130000", "", "f", "f", "f"],
                "cockroachdb 25.4",
            ),
            (["CockroachDB CCL v26.3.0-rc.1 (aarch64)", "180000", "", "f", "f", "f"], "cockroachdb 26.3"),
            (["PostgreSQL 15.12-YB-2025.1.0.1-b3 on x86_64", "150012", "", "f", "f", "f"], "yugabytedb 2025.1"),
            (["PostgreSQL 15.2-YB-2.25.0.0-b0 on x86_64", "150002", "", "f", "f", "f"], "yugabytedb 2.25"),
            ([plain, "150007", "13.2-1", "f", "f", "f"], "citus 13.2"),
            ([plain, "160006", "", "t", "f", "f"], "aurora_postgres 16.6"),
            ([plain, "160003", "", "f", "t", "f"], "alloydb 16.3"),
            ([plain, "170002", "", "f", "f", "t"], "neon 17.2"),
        ] {
            assert_eq!(of(answers)?, label);
        }
        Ok(())
    }

    #[test]
    fn others_are_refused_by_name() {
        for (answers, told) in [
            (["PostgreSQL 8.0.2 on i686, Redshift 1.0.77467", "80002", "", "f", "f", "f"], "Amazon Redshift"),
            (["CockroachDB CCL v23.2.9 (x86_64)", "130000", "", "f", "f", "f"], "CockroachDB 24.1"),
            (["PostgreSQL 11.2-YB-2024.2.3.0-b0 on x86_64", "110002", "", "f", "f", "f"], "YugabyteDB 2025.1"),
            (["PostgreSQL 11.5 on x86_64", "110005", "", "f", "f", "f"], "PostgreSQL 12 or later"),
            (["", "", "", "", "", ""], "PostgreSQL 12 or later"),
        ] {
            let found = of(answers).expect_err(told);
            assert!(found.kind() == ErrorKind::Configuration && found.message().contains(told), "{found}");
        }
    }

    #[test]
    fn a_host_of_dsql_is_refused() {
        assert!(unfit_host("abcdefghijklmnopqrst.dsql.us-east-1.on.aws").is_some());
        assert!(unfit_host("abcdefghijklmnopqrst.dsql-fnh4.us-east-1.on.aws.").is_some());
        for host in ["localhost", "dsql.example", "shop.cluster-c0.us-east-1.rds.amazonaws.com", "/run/postgresql"] {
            assert_eq!(unfit_host(host), None);
        }
    }

    #[test]
    fn traces_know_the_system() -> Result<()> {
        let cockroach = Product::CockroachDb(CockroachDb::V24_1);
        assert_eq!((cockroach.system(), Product::Postgres(Postgres::V15).system()), ("cockroachdb", "postgresql"));
        Ok(())
    }
}
