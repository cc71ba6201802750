//! Q18, the large volume customer: the 100 most expensive of the orders of a very large quantity.

use isogloss_compiler::expr::{TableJoinType, ValueOps, from, prop, prop_of};
use isogloss_compiler::items;

use super::Query;

/// The large volume customer. Its joins are written out, as in the standard.
pub(super) fn query() -> Query {
    let large = from("LineItem").group_by(["OrderKey"]).having(prop("Quantity").sum().gt(300)).select(["OrderKey"]);
    let order_key = || prop_of("o", "OrderKey");
    let query = from("Customer")
        .aliased("c")
        .join(TableJoinType::Inner, from("Order").aliased("o"), prop_of("o", "CustKey").eq(prop_of("c", "CustKey")))
        .join(TableJoinType::Inner, from("LineItem").aliased("l"), prop_of("l", "OrderKey").eq(order_key()))
        .filter(order_key().in_list(large))
        .group_by([prop_of("c", "Name"), prop_of("c", "CustKey"), order_key(), prop("OrderDate"), prop("TotalPrice")])
        .select(items![
            prop_of("c", "Name"),
            prop_of("c", "CustKey"),
            order_key(),
            "OrderDate",
            "TotalPrice",
            prop("Quantity").sum().alias("SumQuantity"),
        ])
        .into_segment()
        .order_by([prop("TotalPrice").desc(), prop("OrderDate").asc()])
        .take(100);
    Query::new(18, &["300"], query).limit(100).order(&[4, 3])
}
