//! Q13, the customer distribution: how many customers have how many orders, special requests left out.

use isogloss_compiler::expr::{TableJoinType, ValueOps, count_all, from, prop, prop_of};
use isogloss_compiler::items;

use super::Query;

/// The customer distribution.
pub(super) fn query() -> Query {
    let on =
        prop_of("c", "CustKey").eq(prop_of("o", "CustKey")) & prop_of("o", "Comment").not_like("%special%requests%");
    let query = from("Customer")
        .aliased("c")
        .join(TableJoinType::Left, from("Order").aliased("o"), on)
        .group_by([prop_of("c", "CustKey")])
        .select(items![prop_of("c", "CustKey"), prop_of("o", "OrderKey").count().alias("Orders")])
        .into_segment()
        .group_by(["Orders"])
        .select(items!["Orders", count_all().alias("Customers")])
        .into_segment()
        .order_by([prop("Customers").desc(), prop("Orders").desc()]);
    Query::new(13, &["special", "requests"], query)
        .order(&[1, 0])
        // SQLite and MariaDB take no names of columns behind the alias of a derived table.
        .adapted(&["sqlite", "mariadb"], "count(o_orderkey)", "count(o_orderkey) as c_count")
        .adapted(&["sqlite", "mariadb"], "as c_orders (c_custkey, c_count)", "as c_orders")
}
