//! From a filter to SQL: read, check, build, compile. This is all there is to see of Isogloss.

use std::error::Error;
use std::num::TryFromIntError;

use isogloss::dialect::Placeholder;
use isogloss::json::Limits;
use isogloss::prelude::*;
use isogloss::sqlite::Sqlite;

use crate::args::Page;
use crate::catalog::{self, ROOT};

/// The columns that are shown.
const SHOWN: [&str; 8] =
    ["Id", "OrderDate", "Status", "Priority", "TotalPrice", "CustomerName", "MarketSegment", "NationName"];

/// The orders that the filter lets through, dearest first.
pub(crate) fn read(filter_json: Option<&str>, page: Page, compiler: &Compiler) -> Result<Expr, Box<dyn Error>> {
    let filter = match filter_json {
        None => example(),
        Some(text) => filter(text, compiler)?,
    };
    let query = from(ROOT)
        .filter(filter)
        .order_by([prop("TotalPrice").desc(), prop("Id").asc()])
        .section(page.skip.into(), page.take.into())
        .select(SHOWN.map(prop));
    Ok(query.into_segment().into())
}

/// A stranger's filter goes through three doors: the notation and its limits, the policy, the catalog's names and types.
fn filter(text: &str, compiler: &Compiler) -> Result<LogicExpr, Box<dyn Error>> {
    let filter: LogicExpr = json::read(text, &Limits::DEFAULT)?;
    catalog::policy().check(&filter, compiler.catalog())?;
    // The query around it would do as well, but here an error's path is one in the stranger's own text.
    compiler.compile_with(&filter, &Request::of(ROOT), &here()?)?;
    Ok(filter)
}

/// European orders since 1995 with a line of something green that went by rail or truck and came two months late.
pub(crate) fn example() -> LogicExpr {
    let days = func("DateDiffDays", [prop("ReceiptDate"), prop("CommitDate")]);
    let green = exists_related("Part", prop("Name").contains("green"));
    let line = days.gt(60) & prop("ShipMode").in_list(["RAIL", "TRUCK"]) & green;
    prop("OrderDate").ge("1995-01-01") & prop("RegionName").eq("EUROPE") & exists_related("LineItem", line)
}

/// The SQLite in this program.
fn here() -> Result<Sqlite, TryFromIntError> {
    // 3.53.2 is 3053002.
    let version = rusqlite::version_number();
    Ok(Sqlite::new((version / 1_000 % 1_000).try_into()?, (version % 1_000).try_into()?))
}

/// The dialects whose SQL is shown. That of the first is run as well.
pub(crate) fn dialects() -> Result<[Box<dyn Dialect>; 6], TryFromIntError> {
    Ok([
        Box::new(here()?),
        Box::new(POSTGRES),
        Box::new(MYSQL),
        Box::new(MARIADB),
        Box::new(SQLSERVER),
        Box::new(ORACLE),
    ])
}

/// What stands in the text for a parameter: `?1`, `$1`, `@P1`.
pub(crate) fn placeholder(dialect: &dyn Dialect, number: usize) -> String {
    match dialect.sheet().placeholder {
        Placeholder::Question => format!("?{number}"),
        Placeholder::Numbered(prefix) => format!("{prefix}{number}"),
    }
}
