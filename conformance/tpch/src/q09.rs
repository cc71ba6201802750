//! Q9, the product type profit measure: what each nation's suppliers earned with a line of parts, by year.

use isogloss_compiler::expr::{ValueOps, from, func, prop};
use isogloss_compiler::items;

use super::{Query, discounted};

/// The product type profit measure.
pub(super) fn query() -> Query {
    let year = || func("Year", [prop("OrderDate")]);
    let profit = discounted() - prop("SupplyCost") * prop("Quantity");
    let query = from("LineItemView")
        .filter(prop("PartName").contains("green"))
        .select(items![prop("SupplierNationName").alias("Nation"), year().alias("Year"), profit.alias("Amount")])
        .into_segment()
        .group_by(["Nation", "Year"])
        .order_by([prop("Nation").asc(), prop("Year").desc()])
        .select(items!["Nation", "Year", prop("Amount").sum().alias("SumProfit")]);
    Query::new(9, &["green"], query)
        .order(&[0, 1])
        // SQLite has no EXTRACT.
        .adapted(&["sqlite"], "extract(year from o_orderdate)", "cast(strftime('%Y', o_orderdate) as integer)")
}
