//! Q11, the important stock identification: the parts that are worth most of what a nation's suppliers have in stock.

use isogloss_compiler::expr::{ValueOps, from, prop};
use isogloss_compiler::items;

use super::{Query, decimal};

/// The important stock identification. What is important becomes less as the data grows.
pub(super) fn query(scale: f64) -> Query {
    let fraction = format!("{:.10}", 0.0001 / scale);
    let stock = || from("PartSuppView").filter(prop("NationName").eq("GERMANY"));
    let worth = || (prop("SupplyCost") * prop("AvailQty")).sum();
    let query = stock()
        .group_by(["PartKey"])
        .having(worth().gt(stock().select([worth() * decimal(&fraction)])))
        .select(items!["PartKey", worth().alias("Value")])
        .into_segment()
        .order_by([prop("Value").desc()]);
    Query::new(11, &["GERMANY", &fraction], query).order(&[1])
}
