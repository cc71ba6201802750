//! Q22, the global sales opportunity: customers with more than usual on their account who have ordered nothing, by the
//! country of their phone number.

use isogloss_compiler::expr::{ValueOps, constant, count_all, exists_related, from, func, prop};
use isogloss_compiler::{args, items};

use super::{Query, decimal};

const COUNTRIES: [&str; 7] = ["13", "31", "23", "29", "30", "18", "17"];

/// The global sales opportunity.
pub(super) fn query() -> Query {
    let country = || func("Left", args![prop("Phone"), constant(2)]);
    let usual = from("Customer")
        .filter(prop("AcctBal").gt(decimal("0.00")) & country().in_list(COUNTRIES))
        .select([prop("AcctBal").avg()]);
    let query = from("Customer")
        .filter(country().in_list(COUNTRIES) & prop("AcctBal").gt(usual) & !exists_related("Order", None))
        .select(items![country().alias("CntryCode"), "AcctBal"])
        .into_segment()
        .group_by(["CntryCode"])
        .order_by(["CntryCode"])
        .select(items!["CntryCode", count_all().alias("NumCust"), prop("AcctBal").sum().alias("TotAcctBal")]);
    Query::new(22, &COUNTRIES, query)
        .order(&[0])
        // SQLite's SUBSTRING is an ordinary function.
        .adapted(&["sqlite"], "substring(c_phone from 1 for 2)", "substring(c_phone, 1, 2)")
}
