//! Q7, the volume shipping: what two nations shipped to each other in two years.

use isogloss_compiler::expr::{ValueOps, from, func, prop};
use isogloss_compiler::items;

use super::{Query, date, discounted};

/// The volume shipping.
pub(super) fn query() -> Query {
    let between =
        |supplier, customer| prop("SupplierNationName").eq(supplier) & prop("CustomerNationName").eq(customer);
    let query = from("LineItemView")
        .filter(between("FRANCE", "GERMANY") | between("GERMANY", "FRANCE"))
        .filter(prop("ShipDate").between(date("1995-01-01"), date("1996-12-31")))
        .select(items![
            prop("SupplierNationName").alias("SuppNation"),
            prop("CustomerNationName").alias("CustNation"),
            func("Year", [prop("ShipDate")]).alias("Year"),
            discounted().alias("Volume"),
        ])
        .into_segment()
        .group_by(["SuppNation", "CustNation", "Year"])
        .order_by(["SuppNation", "CustNation", "Year"])
        .select(items!["SuppNation", "CustNation", "Year", prop("Volume").sum().alias("Revenue")]);
    Query::new(7, &["FRANCE", "GERMANY"], query)
        .order(&[0, 1, 2])
        // SQLite has no EXTRACT.
        .adapted(&["sqlite"], "extract(year from l_shipdate)", "cast(strftime('%Y', l_shipdate) as integer)")
}
