//! Q2, the minimum cost supplier: who in Europe sells brass parts of a size at the lowest price there.

use isogloss_compiler::expr::{ValueOps, from, prop, prop_of};

use super::Query;

/// The minimum cost supplier.
pub(super) fn query() -> Query {
    let in_europe = || prop("RegionName").eq("EUROPE");
    let least = from("PartSuppView")
        .filter(prop("PartKey").eq(prop_of("T0", "PartKey")) & in_europe())
        .select([prop("SupplyCost").min()]);
    let query = from("PartSuppView")
        .filter(prop("Size").eq(15) & prop("Type").ends_with("BRASS") & in_europe())
        .filter(prop("SupplyCost").eq(least))
        .order_by([
            prop("SupplierAcctBal").desc(),
            prop("NationName").asc(),
            prop("SupplierName").asc(),
            prop("PartKey").asc(),
        ])
        .take(100)
        .select([
            "SupplierAcctBal",
            "SupplierName",
            "NationName",
            "PartKey",
            "Mfgr",
            "SupplierAddress",
            "SupplierPhone",
            "SupplierComment",
        ]);
    Query::new(2, &["15", "BRASS", "EUROPE"], query).limit(100).order(&[0, 2, 1, 3])
}
