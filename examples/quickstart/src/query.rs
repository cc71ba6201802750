//! From a filter to SQL: read, check, build, compile.

use std::error::Error;
use std::num::TryFromIntError;

use isogloss::chrono::NaiveDate;
use isogloss::dialect::Placeholder;
use isogloss::json::Limits;
use isogloss::prelude::*;
use isogloss::sqlite::Sqlite;
use isogloss_mysql::MySql;
use isogloss_oracle::Oracle;
use isogloss_postgres::Postgres;
use isogloss_sqlserver::SqlServer;

use crate::args::Page;
use crate::entities::{self, LineItem, OrderView, Part};

/// The columns that are shown.
pub(crate) const SHOWN: [&str; 8] =
    ["Id", "OrderDate", "Status", "Priority", "TotalPrice", "CustomerName", "MarketSegment", "NationName"];

/// The orders that the filter lets through, dearest first.
pub(crate) fn read(filter_json: Option<&str>, page: Page, compiler: &Compiler) -> Result<Expr, Box<dyn Error>> {
    let filter = match filter_json {
        None => example()?,
        Some(text) => filter(text, compiler)?,
    };
    let query = query!(|o: OrderView| o.filter(filter).order_by((o.total_price.desc(), o.id)));
    let query = SqlSegment::from(query).section(page.skip.into(), page.take.into()).select(SHOWN.map(prop));
    Ok(query.into_segment().into())
}

/// A stranger's filter goes through three doors: the notation and its limits, the policy, the catalog's names and types.
fn filter(text: &str, compiler: &Compiler) -> Result<LogicExpr, Box<dyn Error>> {
    let filter: LogicExpr = json::read(text, &Limits::DEFAULT)?;
    entities::policy().check(&filter, compiler.catalog())?;
    // The query around it would do as well, but here an error's path is one in the stranger's own text.
    compiler.compile_with(&filter, &Request::of(OrderView::NAME), &here()?)?;
    Ok(filter)
}

/// European orders since 1995 with a line of something green that went by rail or truck and came two months late.
///
/// rustc checks its names and types: try to misspell one.
pub(crate) fn example() -> Result<LogicExpr, Box<dyn Error>> {
    let start: NaiveDate = "1995-01-01".parse()?;
    let orders = expr!(|o: OrderView| {
        o.order_date >= start
            && o.region_name == "EUROPE"
            && exists_related::<LineItem>(|line| {
                (line.receipt_date - line.commit_date).num_days() > 60
                    && ["RAIL", "TRUCK"].contains(&line.ship_mode)
                    && exists_related::<Part>(|part| part.name.contains("green"))
            })
    });
    Ok(orders.into())
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
        Box::new(Postgres::V15),
        Box::new(MySql::V8_0),
        Box::new(MARIADB),
        Box::new(SqlServer::V2019),
        Box::new(Oracle::V19),
    ])
}

/// Shown where it differs from MySQL.
pub(crate) const MARIADB: MySql = MySql::mariadb(10, 11);

/// What stands in the text for a parameter: `?1`, `$1`, `@P1`.
pub(crate) fn placeholder(dialect: &dyn Dialect, number: usize) -> String {
    match dialect.sheet().placeholder {
        Placeholder::Question => format!("?{number}"),
        Placeholder::Numbered(prefix) => format!("{prefix}{number}"),
    }
}
