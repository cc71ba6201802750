//! Q19, the discounted revenue: what three kinds of parts brought that were sent by air and delivered in person.

use isogloss_compiler::expr::{LogicExpr, ValueOps, from, prop};

use super::{Query, discounted};

/// The discounted revenue.
pub(super) fn query() -> Query {
    let kind = |brand, containers: [&'static str; 4], least, largest| {
        LogicExpr::all([
            prop("Brand").eq(brand),
            prop("Container").in_list(containers),
            prop("Quantity").between(least, least + 10),
            prop("Size").between(1, largest),
        ])
    };
    let query = from("LineItemView")
        .filter(prop("ShipMode").in_list(["AIR", "AIR REG"]) & prop("ShipInstruct").eq("DELIVER IN PERSON"))
        .filter(LogicExpr::any([
            kind("Brand#12", ["SM CASE", "SM BOX", "SM PACK", "SM PKG"], 1, 5),
            kind("Brand#23", ["MED BAG", "MED BOX", "MED PKG", "MED PACK"], 10, 10),
            kind("Brand#34", ["LG CASE", "LG BOX", "LG PACK", "LG PKG"], 20, 15),
        ]))
        .select([discounted().sum().alias("Revenue")]);
    Query::new(19, &["Brand#12", "Brand#23", "Brand#34", "1", "10", "20"], query)
}
