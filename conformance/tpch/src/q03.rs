//! Q3, the shipping priority: the ten most valuable orders that had not been shipped at a day.

use isogloss_compiler::expr::{ValueOps, from, prop};
use isogloss_compiler::items;

use super::{Query, date, discounted};

/// The shipping priority.
pub(super) fn query() -> Query {
    let query = from("LineItemView")
        .filter(prop("MktSegment").eq("BUILDING"))
        .filter(prop("OrderDate").lt(date("1995-03-15")) & prop("ShipDate").gt(date("1995-03-15")))
        .group_by(["OrderKey", "OrderDate", "ShipPriority"])
        .select(items!["OrderKey", discounted().sum().alias("Revenue"), "OrderDate", "ShipPriority"])
        .into_segment()
        .order_by([prop("Revenue").desc(), prop("OrderDate").asc()])
        .take(10);
    Query::new(3, &["BUILDING", "1995-03-15"], query).limit(10).order(&[1, 2])
}
