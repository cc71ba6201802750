//! Q1, the pricing summary report: what was billed, shipped and returned, up to 90 days before the last shipment.

use isogloss_compiler::expr::{ValueOps, constant, count_all, from, func, prop};
use isogloss_compiler::{args, items};

use super::{Query, date, discounted};

/// The pricing summary report.
pub(super) fn query() -> Query {
    let last_day = func("AddDays", args![date("1998-12-01"), -90]);
    let query = from("LineItem")
        .filter(prop("ShipDate").le(last_day))
        .group_by(["ReturnFlag", "LineStatus"])
        .order_by(["ReturnFlag", "LineStatus"])
        .select(items![
            "ReturnFlag",
            "LineStatus",
            prop("Quantity").sum().alias("SumQty"),
            prop("ExtendedPrice").sum().alias("SumBasePrice"),
            discounted().sum().alias("SumDiscPrice"),
            (discounted() * (constant(1) + prop("Tax"))).sum().alias("SumCharge"),
            prop("Quantity").avg().alias("AvgQty"),
            prop("ExtendedPrice").avg().alias("AvgPrice"),
            prop("Discount").avg().alias("AvgDisc"),
            count_all().alias("CountOrder"),
        ]);
    Query::new(1, &["90"], query)
        .order(&[0, 1])
        // An interval of three digits: nobody but the standard counts them.
        .adapted(&["sqlite", "postgres", "mysql", "mariadb"], " day (3)", " day")
}
