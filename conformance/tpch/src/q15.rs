//! Q15, the top supplier: who sold most in a quarter.

use isogloss_compiler::expr::{TableJoinType, ValueOps, cte, from, func, prop, prop_of};
use isogloss_compiler::{args, items};

use super::{Query, date, discounted};

/// The top supplier. The standard makes a view for it and drops that again; a common table expression does.
pub(super) fn query() -> Query {
    let begin = || date("1996-01-01");
    let revenue = from("LineItem")
        .filter(prop("ShipDate").ge(begin()) & prop("ShipDate").lt(func("AddMonths", args![begin(), 3])))
        .group_by(["SuppKey"])
        .select(items![prop("SuppKey").alias("SupplierNo"), discounted().sum().alias("TotalRevenue")])
        .with("revenue");
    let most = cte("revenue").select([prop("TotalRevenue").max()]);
    let query = from("Supplier")
        .aliased("s")
        .join(TableJoinType::Inner, revenue, prop_of("s", "SuppKey").eq(prop_of("revenue", "SupplierNo")))
        .filter(prop_of("revenue", "TotalRevenue").eq(most))
        .order_by([prop("SuppKey")])
        .select(items!["SuppKey", "Name", "Address", "Phone", prop_of("revenue", "TotalRevenue")]);
    Query::new(15, &["1996-01-01"], query).order(&[0])
}
