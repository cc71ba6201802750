//! Q16, the parts/supplier relationship: how many suppliers without complaints there are for parts of some kinds.

use isogloss_compiler::expr::{ValueOps, from, prop};
use isogloss_compiler::items;

use super::Query;

/// The parts/supplier relationship.
pub(super) fn query() -> Query {
    let complained_of = from("Supplier").filter(prop("Comment").like("%Customer%Complaints%")).select(["SuppKey"]);
    let query = from("PartSuppView")
        .filter(prop("Brand").ne("Brand#45") & !prop("Type").starts_with("MEDIUM POLISHED"))
        .filter(prop("Size").in_list([49, 14, 23, 45, 19, 3, 36, 9]))
        .filter(prop("SuppKey").not_in_list(complained_of))
        .group_by(["Brand", "Type", "Size"])
        .select(items!["Brand", "Type", "Size", prop("SuppKey").count_distinct().alias("SupplierCnt")])
        .into_segment()
        .order_by([prop("SupplierCnt").desc(), prop("Brand").asc(), prop("Type").asc(), prop("Size").asc()]);
    let parameters = ["Brand#45", "MEDIUM POLISHED", "49", "14", "23", "45", "19", "3", "36", "9"];
    Query::new(16, &parameters, query).order(&[3, 0, 1, 2])
}
