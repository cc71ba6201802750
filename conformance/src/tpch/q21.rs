//! Q21, the suppliers who kept orders waiting: those who alone were late in an order of several suppliers.

use isogloss_compiler::expr::{LogicExpr, TableJoinType, ValueOps, count_all, exists, from, prop, prop_of};
use isogloss_compiler::items;

use super::Query;

/// The suppliers who kept orders waiting.
pub(super) fn query() -> Query {
    let late = || prop("ReceiptDate").gt(prop("CommitDate"));
    let of_another =
        || prop("OrderKey").eq(prop_of("line", "OrderKey")) & prop("SuppKey").ne(prop_of("line", "SuppKey"));
    let order = prop_of("o", "OrderKey").eq(prop_of("line", "OrderKey"));
    let supplier = prop_of("s", "SuppKey").eq(prop_of("line", "SuppKey"));
    let query = from("LineItem")
        .aliased("line")
        .join(TableJoinType::Inner, from("Order").aliased("o"), order)
        .join(TableJoinType::Inner, from("SupplierView").aliased("s"), supplier)
        .filter(prop("OrderStatus").eq("F") & prop("NationName").eq("SAUDI ARABIA") & late())
        .filter(LogicExpr::from(exists("LineItem", of_another())) & !exists("LineItem", of_another() & late()))
        .group_by([prop_of("s", "Name")])
        .select(items![prop_of("s", "Name"), count_all().alias("NumWait")])
        .into_segment()
        .order_by([prop("NumWait").desc(), prop("Name").asc()])
        .take(100);
    Query::new(21, &["SAUDI ARABIA"], query).limit(100).order(&[1, 0])
}
