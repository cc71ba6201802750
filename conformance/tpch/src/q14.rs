//! Q14, the promotion effect: the percentage of a month's revenue that came from parts in promotion.

use isogloss_compiler::args;
use isogloss_compiler::expr::{ValueOps, constant, from, func, if_else, prop};

use super::{Query, date, decimal, discounted};

/// The promotion effect.
pub(super) fn query() -> Query {
    let begin = || date("1995-09-01");
    let promoted = if_else(prop("Type").starts_with("PROMO"), discounted(), constant(0)).sum();
    let query = from("LineItemView")
        .filter(prop("ShipDate").ge(begin()) & prop("ShipDate").lt(func("AddMonths", args![begin(), 1])))
        .select([(decimal("100.00") * promoted / discounted().sum()).alias("PromoRevenue")]);
    Query::new(14, &["1995-09-01"], query)
}
