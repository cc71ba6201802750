//! Q8, the national market share: the part of a nation in what its region bought of a type of part, by year.

use isogloss_compiler::expr::{SqlSegment, TableJoinType, ValueOps, constant, from, func, if_else, prop, prop_of};
use isogloss_compiler::items;

use super::{Query, date, is_small};

/// The national market share. Its joins are written out, as in the standard. In a small table nobody in Brazil sold that.
pub(super) fn query(scale: f64) -> Query {
    let nation = if is_small(scale) { "UNITED STATES" } else { "BRAZIL" };
    let joined = |left: SqlSegment, entity: &'static str, alias: &'static str, key: &'static str, of: &'static str| {
        left.join(TableJoinType::Inner, from(entity).aliased(alias), prop_of(alias, key).eq(prop_of(of, key)))
    };
    let lines = from("LineItem").aliased("l");
    let lines = joined(lines, "Part", "p", "PartKey", "l");
    let lines = joined(lines, "Supplier", "s", "SuppKey", "l");
    let lines = joined(lines, "Order", "o", "OrderKey", "l");
    let lines = joined(lines, "Customer", "c", "CustKey", "o");
    let lines = joined(lines, "Nation", "n1", "NationKey", "c");
    let lines = joined(lines, "Nation", "n2", "NationKey", "s");
    let lines = joined(lines, "Region", "r", "RegionKey", "n1");

    let volume = prop_of("l", "ExtendedPrice") * (constant(1) - prop_of("l", "Discount"));
    let of_nation = if_else(prop("Nation").eq(nation), prop("Volume"), constant(0));
    let query = lines
        .filter(prop_of("r", "Name").eq("AMERICA") & prop_of("p", "Type").eq("ECONOMY ANODIZED STEEL"))
        .filter(prop_of("o", "OrderDate").between(date("1995-01-01"), date("1996-12-31")))
        .select(items![
            func("Year", [prop_of("o", "OrderDate")]).alias("Year"),
            volume.alias("Volume"),
            prop_of("n2", "Name").alias("Nation"),
        ])
        .into_segment()
        .group_by(["Year"])
        .order_by(["Year"])
        .select(items!["Year", (of_nation.sum() / prop("Volume").sum()).alias("MktShare")]);
    Query::new(8, &[nation, "AMERICA", "ECONOMY ANODIZED STEEL"], query)
        .order(&[0])
        // SQLite has no EXTRACT.
        .adapted(&["sqlite"], "extract(year from o_orderdate)", "cast(strftime('%Y', o_orderdate) as integer)")
}
