//! Q20, the potential part promotion: the suppliers of a nation who have more of some parts than half of what they shipped
//! in a year.

use isogloss_compiler::args;
use isogloss_compiler::expr::{ValueOps, from, func, prop, prop_of};

use super::{Query, date, decimal};

/// The potential part promotion.
pub(super) fn query() -> Query {
    let begin = || date("1994-01-01");
    let half_shipped = from("LineItem")
        .filter(prop("PartKey").eq(prop_of("stock", "PartKey")) & prop("SuppKey").eq(prop_of("stock", "SuppKey")))
        .filter(prop("ShipDate").ge(begin()) & prop("ShipDate").lt(func("AddYears", args![begin(), 1])))
        .select([decimal("0.5") * prop("Quantity").sum()]);
    let forest = from("Part").filter(prop("Name").starts_with("forest")).select(["PartKey"]);
    let in_excess = from("PartSupp")
        .aliased("stock")
        .filter(prop("PartKey").in_list(forest) & prop("AvailQty").gt(half_shipped))
        .select(["SuppKey"]);
    let query = from("SupplierView")
        .filter(prop("SuppKey").in_list(in_excess) & prop("NationName").eq("CANADA"))
        .order_by(["Name"])
        .select(["Name", "Address"]);
    Query::new(20, &["forest", "1994-01-01", "CANADA"], query).order(&[0])
}
