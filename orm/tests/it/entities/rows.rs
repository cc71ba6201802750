//! Rows that become structs by the names of their columns, and those that do not.

use isogloss::Compiled;
use isogloss::driver::{Backend, ConnectionExt};
use isogloss::prelude::*;
use isogloss::sqlite::driver::{SqliteBackend, SqliteOptions};

use crate::entities::shop::{Address, Channel, Region, Status};

/// A row of a report.
#[derive(Debug, PartialEq, FromRow)]
struct Report {
    order_count: i64,
    #[column(name = "biggest")]
    max: Option<i64>,
    #[column(json)]
    doc: Address,
    #[column(skip)]
    nothing: u8,
}

/// One that has an entity in it.
#[derive(Debug, PartialEq, FromRow)]
struct Flat {
    extra: String,
    #[from_row(flatten)]
    region: Region,
}

async fn read_all<T: isogloss::driver::FromRow + Send + 'static>(sql: &str) -> Result<Vec<T>, String> {
    let backend = SqliteBackend::open(SqliteOptions::memory()).await.unwrap();
    let mut connection = backend.connect().await.unwrap();
    connection.fetch::<T>(&Compiled { sql: sql.into(), ..Compiled::default() }).await.map_err(|error| error.to_string())
}

async fn read<T: isogloss::driver::FromRow + Send + 'static>(sql: &str) -> Result<T, String> {
    Ok(read_all(sql).await?.remove(0))
}

#[tokio::test]
async fn rows_are_read_by_alias_in_any_order() {
    let region = Region { code: "EU".into(), region_name: "Europe".into() };
    for sql in [
        "SELECT 'EU' AS Code, 'Europe' AS RegionName",
        "SELECT 'Europe' AS RegionName, 'x' AS other, 'EU' AS Code",
        "SELECT 'Europe' AS region_name, 'EU' AS CODE",
    ] {
        // What is known of the columns after the first row holds for the second.
        let both = read_all::<Region>(&format!("{sql} UNION ALL {sql}")).await.unwrap();
        assert_eq!(both, [region.clone(), region.clone()]);
    }
    // Of two columns of one name, the first is meant, wherever the row begins.
    for sql in [
        "SELECT 'EU' AS Code, 'Europe' AS RegionName, 'x' AS Code, 'y' AS RegionName",
        "SELECT 'Europe' AS RegionName, 'EU' AS Code, 'y' AS RegionName, 'x' AS Code",
    ] {
        assert_eq!(read::<Region>(sql).await.unwrap(), region);
    }
    let report: Report =
        read("SELECT '{\"street\":\"S\",\"zip\":1}' AS Doc, 5 AS order_count, NULL AS Biggest").await.unwrap();
    let doc = Address { street: "S".into(), zip: 1 };
    assert_eq!(report, Report { order_count: 5, max: None, doc, nothing: 0 });
    let flat: Flat = read("SELECT 'e' AS extra, 'EU' AS Code, 'Europe' AS RegionName").await.unwrap();
    assert_eq!(flat, Flat { extra: "e".into(), region });
}

#[tokio::test]
async fn what_does_not_fit_says_where() {
    for (sql, says) in [
        (
            "SELECT NULL AS Code, 'Europe' AS RegionName",
            "cannot decode: Region.Code (column `code`): it is NULL, and the field is no `Option`: make it one, or leave such rows out",
        ),
        (
            "SELECT 'EU' AS Code",
            "cannot decode: Region.RegionName (column `region_name`): the row has no column `RegionName`: select it; it has `Code`",
        ),
        (
            "SELECT 'EU' AS Code, x'00' AS RegionName",
            "cannot decode: Region.RegionName (column `region_name`): column `RegionName` (index 1) holds bytes, not text",
        ),
    ] {
        assert_eq!(read::<Region>(sql).await.unwrap_err(), says);
    }
    let bad = read::<Report>("SELECT 1 AS OrderCount, 2 AS biggest, '{' AS Doc").await.unwrap_err();
    assert!(
        bad.starts_with("cannot decode: Report.Doc (column `doc`): the JSON does not fit: it ends too soon, at line 1"),
        "{bad}"
    );
    assert_eq!(
        read::<(Status,)>("SELECT 3").await.unwrap_err(),
        "cannot decode: column `3` (index 0): it is none of 1 (`Open`), 2 (`Paid`), 10 (`Gone`)"
    );
    assert_eq!(
        read::<(Status, Channel)>("SELECT 'gone', 'by_phone'").await.unwrap(),
        (Status::Shipped, Channel::ByPhone)
    );
    assert_eq!(read::<(Channel,)>("SELECT 1").await.unwrap(), (Channel::ByPhone,));
    assert_eq!(
        read::<(Channel,)>("SELECT 'fax'").await.unwrap_err(),
        "cannot decode: column `'fax'` (index 0): it is none of `web`, `by_phone`"
    );
}
