//! Q4, the order priority checking: how many orders of a quarter had a line that was received too late.

use isogloss_compiler::expr::{ValueOps, count_all, exists_related, from, func, prop};
use isogloss_compiler::{args, items};

use super::{Query, date};

/// The order priority checking.
pub(super) fn query() -> Query {
    let begin = || date("1993-07-01");
    let query = from("Order")
        .filter(prop("OrderDate").ge(begin()) & prop("OrderDate").lt(func("AddMonths", args![begin(), 3])))
        .filter(exists_related("LineItem", prop("CommitDate").lt(prop("ReceiptDate"))))
        .group_by(["OrderPriority"])
        .order_by(["OrderPriority"])
        .select(items!["OrderPriority", count_all().alias("OrderCount")]);
    Query::new(4, &["1993-07-01"], query).order(&[0])
}
