//! Q12, the shipping modes and order priority: how many lines of urgent and of other orders came late, by the way in which
//! they were shipped.

use isogloss_compiler::expr::{ValueOps, count_all, from, func, prop};
use isogloss_compiler::{args, items};

use super::{Query, date};

/// The shipping modes and order priority. `COUNT(*) FILTER (WHERE ..)` says what the standard says by the sum of a CASE.
pub(super) fn query() -> Query {
    let begin = || date("1994-01-01");
    let urgent = || prop("OrderPriority").in_list(["1-URGENT", "2-HIGH"]);
    let query = from("LineItemView")
        .filter(prop("ShipMode").in_list(["MAIL", "SHIP"]))
        .filter(prop("CommitDate").lt(prop("ReceiptDate")) & prop("ShipDate").lt(prop("CommitDate")))
        .filter(prop("ReceiptDate").ge(begin()) & prop("ReceiptDate").lt(func("AddYears", args![begin(), 1])))
        .group_by(["ShipMode"])
        .order_by(["ShipMode"])
        .select(items![
            "ShipMode",
            count_all().filter(urgent()).alias("HighLineCount"),
            count_all().filter(!urgent()).alias("LowLineCount"),
        ]);
    Query::new(12, &["MAIL", "SHIP", "1994-01-01"], query).order(&[0])
}
