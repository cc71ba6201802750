//! The tables that `tpch` makes, as structs, and what a stranger's filter may say of them.
//!
//! A field is a column: `market_segment` is `MarketSegment` in trees and in the table. What the structs say is linked into
//! one catalog, and `entity::catalog()` gives it.

use isogloss::chrono::NaiveDate;
use isogloss::expr::Decimal;
use isogloss::prelude::*;

/// What a filter from outside may name: orders, and what can be reached from them.
///
/// An address may not be named at all, as its column says; a balance may, but not by this policy.
pub(crate) fn policy() -> QueryPolicy {
    ["Orders", "LineItem", "LineItemView", "Customer", "Nation", "Region", "Part", "PartSupp", "Supplier"]
        .into_iter()
        .fold(QueryPolicy::new(OrderView::NAME), QueryPolicy::allow_entity)
        .deny_properties("Customer", ["AccountBalance"])
        .deny_properties("Supplier", ["AccountBalance"])
}

#[derive(Debug, Entity)]
pub(crate) struct Region {
    #[column(primary_key)]
    pub(crate) id: i32,
    #[column(length = 25)]
    pub(crate) name: String,
    #[column(length = 152)]
    pub(crate) comment: String,
}

#[derive(Debug, Entity)]
pub(crate) struct Nation {
    #[column(primary_key)]
    pub(crate) id: i32,
    #[column(length = 25)]
    pub(crate) name: String,
    #[foreign(Region)]
    pub(crate) region_id: i32,
    #[column(length = 152)]
    pub(crate) comment: String,
}

#[derive(Debug, Entity)]
pub(crate) struct Supplier {
    #[column(primary_key)]
    pub(crate) id: i32,
    #[column(length = 25)]
    pub(crate) name: String,
    #[column(length = 40, not_filterable)]
    pub(crate) address: String,
    #[foreign(Nation, auto_expand)]
    pub(crate) nation_id: i32,
    #[column(length = 15)]
    pub(crate) phone: String,
    #[column(precision = 15, scale = 2)]
    pub(crate) account_balance: Decimal,
    #[column(length = 101)]
    pub(crate) comment: String,
}

#[derive(Debug, Entity)]
pub(crate) struct Customer {
    #[column(primary_key)]
    pub(crate) id: i32,
    #[column(length = 25)]
    pub(crate) name: String,
    #[column(length = 40, not_filterable)]
    pub(crate) address: String,
    #[foreign(Nation, auto_expand)]
    pub(crate) nation_id: i32,
    #[column(length = 15)]
    pub(crate) phone: String,
    #[column(precision = 15, scale = 2)]
    pub(crate) account_balance: Decimal,
    #[column(length = 10)]
    pub(crate) market_segment: String,
    #[column(length = 117)]
    pub(crate) comment: String,
}

#[derive(Debug, Entity)]
pub(crate) struct Part {
    #[column(primary_key)]
    pub(crate) id: i32,
    #[column(length = 55)]
    pub(crate) name: String,
    #[column(length = 25)]
    pub(crate) manufacturer: String,
    #[column(length = 10)]
    pub(crate) brand: String,
    #[column(length = 25)]
    pub(crate) r#type: String,
    pub(crate) size: i32,
    #[column(length = 10)]
    pub(crate) container: String,
    #[column(precision = 15, scale = 2)]
    pub(crate) retail_price: Decimal,
    #[column(length = 23)]
    pub(crate) comment: String,
}

#[derive(Debug, Entity)]
pub(crate) struct PartSupp {
    #[column(primary_key)]
    #[foreign(Part)]
    pub(crate) part_id: i32,
    #[column(primary_key)]
    #[foreign(Supplier)]
    pub(crate) supplier_id: i32,
    pub(crate) available_quantity: i32,
    #[column(precision = 15, scale = 2)]
    pub(crate) supply_cost: Decimal,
    #[column(length = 199)]
    pub(crate) comment: String,
}

/// Stored by its letter. Another letter in a filter is an error before any engine sees it.
#[derive(Debug, Clone, Copy, PartialEq, DbEnum)]
#[db_enum(text)]
pub(crate) enum Status {
    #[db_enum(rename = "F")]
    Fulfilled,
    #[db_enum(rename = "O")]
    Open,
    #[db_enum(rename = "P")]
    Partial,
}

#[derive(Debug, Entity)]
pub(crate) struct Orders {
    #[column(primary_key)]
    pub(crate) id: i64,
    /// A view over orders reaches the customer's nation and its region, too.
    #[foreign(Customer, auto_expand)]
    pub(crate) customer_id: i32,
    #[column(length = 1)]
    pub(crate) status: Status,
    #[column(precision = 15, scale = 2)]
    pub(crate) total_price: Decimal,
    pub(crate) order_date: NaiveDate,
    #[column(length = 15)]
    pub(crate) priority: String,
    #[column(length = 15)]
    pub(crate) clerk: String,
    pub(crate) ship_priority: i32,
    #[column(length = 79)]
    pub(crate) comment: String,
}

#[derive(Debug, Entity)]
#[table_join(PartSupp, keys(part_id, supplier_id))]
pub(crate) struct LineItem {
    #[column(primary_key)]
    #[foreign(Orders)]
    pub(crate) order_id: i64,
    #[column(primary_key)]
    pub(crate) line_number: i32,
    #[foreign(Part)]
    pub(crate) part_id: i32,
    #[foreign(Supplier)]
    pub(crate) supplier_id: i32,
    pub(crate) quantity: i32,
    #[column(precision = 15, scale = 2)]
    pub(crate) extended_price: Decimal,
    #[column(precision = 15, scale = 2)]
    pub(crate) discount: Decimal,
    #[column(precision = 15, scale = 2)]
    pub(crate) tax: Decimal,
    #[column(length = 1)]
    pub(crate) return_flag: String,
    #[column(length = 1)]
    pub(crate) line_status: String,
    pub(crate) ship_date: NaiveDate,
    pub(crate) commit_date: NaiveDate,
    pub(crate) receipt_date: NaiveDate,
    #[column(length = 25)]
    pub(crate) ship_instructions: String,
    #[column(length = 10)]
    pub(crate) ship_mode: String,
    #[column(length = 44)]
    pub(crate) comment: String,
}

/// An order with columns of the tables that it refers to.
#[derive(Debug, View)]
#[view(of = Orders)]
pub(crate) struct OrderView {
    pub(crate) order: Orders,
    #[foreign_column(Customer, property = name)]
    pub(crate) customer_name: String,
    #[foreign_column(Customer, property = address)]
    pub(crate) customer_address: String,
    #[foreign_column(Customer)]
    pub(crate) market_segment: String,
    #[foreign_column(Nation, property = name)]
    pub(crate) nation_name: String,
    #[foreign_column(Region, property = name)]
    pub(crate) region_name: String,
}

/// A line with columns of the tables that it refers to.
#[derive(Debug, View)]
#[view(of = LineItem)]
pub(crate) struct LineItemView {
    pub(crate) line: LineItem,
    #[foreign_column(Part, property = name)]
    pub(crate) part_name: String,
    #[foreign_column(Part, property = brand)]
    pub(crate) part_brand: String,
    #[foreign_column(Supplier, property = name)]
    pub(crate) supplier_name: String,
    #[foreign_column(Orders)]
    pub(crate) order_date: NaiveDate,
    #[foreign_column(Orders, property = priority)]
    pub(crate) order_priority: String,
    #[foreign_column(PartSupp)]
    pub(crate) supply_cost: Decimal,
}

#[cfg(test)]
mod tests {
    use isogloss::entity::catalog;

    use crate::tpch;

    /// Every column of the catalog is one of the table's, and the other way round.
    #[test]
    fn the_entities_and_the_tables_agree() {
        let loaded = tpch::open(None, "0.001".parse().unwrap(), &indicatif::ProgressBar::hidden()).unwrap();
        for (_, entity) in catalog().unwrap().entities().filter(|(_, entity)| entity.base.is_none()) {
            let mut statement = loaded.connection.prepare("SELECT name FROM pragma_table_info(?1)").unwrap();
            let names = statement.query_map([entity.table.to_string()], |row| row.get(0)).unwrap();
            let names: Vec<String> = names.collect::<Result<_, _>>().unwrap();
            let known: Vec<String> = entity.columns.iter().map(|column| column.column.to_string()).collect();
            assert_eq!(known, names, "{}", entity.name);
        }
    }
}
