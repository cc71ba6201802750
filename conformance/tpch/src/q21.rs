//! Q21, the suppliers who kept orders waiting: those who alone were late in an order of several suppliers.

use isogloss_compiler::expr::{LogicExpr, TableJoinType, ValueOps, count_all, exists, from, prop, prop_of};
use isogloss_compiler::items;

use super::Query;

/// The suppliers who kept orders waiting.
pub(super) fn query() -> Query {
    let late = || prop("ReceiptDate").gt(prop("CommitDate"));
    let of_another =
        || prop("OrderKey").eq(prop_of("line", "OrderKey")) & prop("SuppKey").ne(prop_of("line", "SuppKey"));
    let line = prop_of("line", "SuppKey").eq(prop("SuppKey"));
    let order = prop_of("o", "OrderKey").eq(prop_of("line", "OrderKey"));
    let query = from("SupplierView")
        .join(TableJoinType::Inner, from("LineItem").aliased("line"), line)
        .join(TableJoinType::Inner, from("Order").aliased("o"), order)
        .filter(prop("NationName").eq("SAUDI ARABIA") & prop("OrderStatus").eq("F") & late())
        .filter(LogicExpr::from(exists("LineItem", of_another())) & !exists("LineItem", of_another() & late()))
        .group_by(["Name"])
        .select(items!["Name", count_all().alias("NumWait")])
        .into_segment()
        .order_by([prop("NumWait").desc(), prop("Name").asc()])
        .take(100);
    Query::new(21, &["SAUDI ARABIA"], query).limit(100).order(&[1, 0])
}
