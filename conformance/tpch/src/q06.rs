//! Q6, the forecasting revenue change: what small discounts of a year cost.

use isogloss_compiler::args;
use isogloss_compiler::expr::{ValueOps, from, func, prop};

use super::{Query, date, decimal};

/// The forecasting revenue change.
pub(super) fn query() -> Query {
    let begin = || date("1994-01-01");
    let query = from("LineItem")
        .filter(prop("ShipDate").ge(begin()) & prop("ShipDate").lt(func("AddYears", args![begin(), 1])))
        .filter(prop("Discount").between(decimal("0.05"), decimal("0.07")) & prop("Quantity").lt(24))
        .select([(prop("ExtendedPrice") * prop("Discount")).sum().alias("Revenue")]);
    Query::new(6, &["1994-01-01", "0.06", "24"], query)
        // SQLite's numbers are doubles, and 0.06 + 0.01 is less than 0.07 there: the bounds are written out.
        .adapted(&["sqlite"], "0.06 - 0.01 and 0.06 + 0.01", "0.05 and 0.07")
}
