//! From a filter to a query: read, check, build.

use std::error::Error;
use std::num::TryFromIntError;

use isogloss::chrono::NaiveDate;
use isogloss::dialect::{Dialect, Placeholder};
use isogloss::expr::{Expr, SqlSegment};
use isogloss::json::ReadLimits;
use isogloss::prelude::*;
use isogloss::sqlite::Sqlite;
use isogloss::{Compiler, Request};
use isogloss_mysql::{MariaDb, MySql};
use isogloss_oracle::Oracle;
use isogloss_postgres::Postgres;
use isogloss_sqlserver::SqlServer;

use crate::args::Page;
use crate::entities::{self, LineItem, OrderView, Part};

/// The columns that are shown: as many as a terminal of 80 columns takes.
pub(crate) const SHOWN: [&str; 6] = ["Id", "OrderDate", "Status", "TotalPrice", "CustomerName", "NationName"];

/// What [`example`] asks, for people.
pub(crate) const QUESTION: &str = "Which orders from Europe since 1995 have a line with something green in it that went by rail or \
                                   truck and came over 60 days late? The dearest first.";

/// [`QUESTION`] as Rust. rustc checks its names and types: try to misspell one.
fn example() -> Result<LogicExpr, Box<dyn Error>> {
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

/// The filter of a client, or that of [`QUESTION`].
///
/// A client's passes three checks: the notation and its limits, the policy, the catalog's names and types.
pub(crate) fn filter(json: Option<&str>, compiler: &Compiler) -> Result<LogicExpr, Box<dyn Error>> {
    let Some(json) = json else { return example() };
    let filter: LogicExpr = json::read(json, &ReadLimits::DEFAULT)?;
    entities::policy().check(&filter, compiler.catalog())?;
    // The query around it would do as well, but here an error's path is one in the client's own text.
    compiler.compile_with(&filter, &Request::of(OrderView::NAME), &here()?)?;
    Ok(filter)
}

/// The orders that a filter lets through, dearest first.
pub(crate) fn orders(filter: LogicExpr, page: Page) -> Expr {
    let query = query!(|o: OrderView| o.filter(filter).order_by((o.total_price.desc(), o.id)));
    let query = SqlSegment::from(query).section(page.skip.into(), page.take.into()).select(SHOWN.map(prop));
    query.into_segment().into()
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
        Box::new(MariaDb::new(10, 11)),
        Box::new(SqlServer::V2019),
        Box::new(Oracle::V19),
    ])
}

/// What stands in the text for a parameter: `?1`, `$1`, `@P1`.
pub(crate) fn placeholder(dialect: &dyn Dialect, number: usize) -> String {
    match dialect.sheet().placeholder {
        Placeholder::Question => format!("?{number}"),
        Placeholder::Numbered(prefix) => format!("{prefix}{number}"),
    }
}
