//! Q10, the returned item reporting: the 20 customers who sent back most of what they ordered in a quarter.

use isogloss_compiler::expr::{ValueOps, from, func, prop};
use isogloss_compiler::{args, items};

use super::{Query, date, discounted};

/// The returned item reporting.
pub(super) fn query() -> Query {
    let begin = || date("1993-10-01");
    let query = from("LineItemView")
        .filter(prop("OrderDate").ge(begin()) & prop("OrderDate").lt(func("AddMonths", args![begin(), 3])))
        .filter(prop("ReturnFlag").eq("R"))
        .group_by([
            "CustKey",
            "CustomerName",
            "CustomerAcctBal",
            "CustomerPhone",
            "CustomerNationName",
            "CustomerAddress",
            "CustomerComment",
        ])
        .select(items![
            "CustKey",
            "CustomerName",
            discounted().sum().alias("Revenue"),
            "CustomerAcctBal",
            "CustomerNationName",
            "CustomerAddress",
            "CustomerPhone",
            "CustomerComment",
        ])
        .into_segment()
        .order_by([prop("Revenue").desc()])
        .take(20);
    Query::new(10, &["1993-10-01"], query).limit(20).order(&[2])
}
