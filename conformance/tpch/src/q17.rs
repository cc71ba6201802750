//! Q17, the small-quantity-order revenue: what would be lost in a year without orders of small quantities.

use isogloss_compiler::expr::{ValueOps, from, prop, prop_of};

use super::{Query, decimal, is_small};

/// The small-quantity-order revenue. A small table of parts has no box of that brand.
pub(super) fn query(scale: f64) -> Query {
    let container = if is_small(scale) { "MED CAN" } else { "MED BOX" };
    let usual = from("LineItem")
        .filter(prop("PartKey").eq(prop_of("T0", "PartKey")))
        .select([decimal("0.2") * prop("Quantity").avg()]);
    let query = from("LineItemView")
        .filter(prop("Brand").eq("Brand#23") & prop("Container").eq(container))
        .filter(prop("Quantity").lt(usual))
        .select([(prop("ExtendedPrice").sum() / decimal("7.0")).alias("AvgYearly")]);
    Query::new(17, &["Brand#23", container], query)
}
