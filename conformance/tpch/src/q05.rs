//! Q5, the local supplier volume: what suppliers of a region sold in a year to customers of their own nation.

use isogloss_compiler::expr::{ValueOps, from, func, prop};
use isogloss_compiler::{args, items};

use super::{Query, date, discounted};

/// The local supplier volume.
pub(super) fn query() -> Query {
    let begin = || date("1994-01-01");
    let query = from("LineItemView")
        .filter(prop("CustomerNationKey").eq(prop("SupplierNationKey")) & prop("SupplierRegionName").eq("ASIA"))
        .filter(prop("OrderDate").ge(begin()) & prop("OrderDate").lt(func("AddYears", args![begin(), 1])))
        .group_by(["SupplierNationName"])
        .select(items!["SupplierNationName", discounted().sum().alias("Revenue")])
        .into_segment()
        .order_by([prop("Revenue").desc()]);
    Query::new(5, &["ASIA", "1994-01-01"], query).order(&[1])
}
