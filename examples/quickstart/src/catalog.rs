//! What Isogloss is told of the tables that `tpch` makes, and what a stranger's filter may say of them.

use isogloss::model::CatalogErrors;
use isogloss::prelude::*;

/// TPC-H: eight tables, and two views with columns from the tables that they refer to.
pub(crate) fn catalog() -> Result<Catalog, CatalogErrors> {
    Catalog::builder()
        .table(region())
        .table(nation())
        .table(supplier())
        .table(customer())
        .table(part())
        .table(part_supp())
        .table(orders())
        .table(line_item())
        .view(order_view())
        .view(line_item_view())
        .build()
}

/// What a filter from outside may name: orders, and what can be reached from them.
///
/// An address may not be named at all, as its column says; a balance may, but not by this policy.
pub(crate) fn policy() -> QueryPolicy {
    ["Orders", "LineItem", "LineItemView", "Customer", "Nation", "Region", "Part", "PartSupp", "Supplier"]
        .into_iter()
        .fold(QueryPolicy::new(ROOT), QueryPolicy::allow_entity)
        .deny_properties("Customer", ["AccountBalance"])
        .deny_properties("Supplier", ["AccountBalance"])
}

/// What a filter is about.
pub(crate) const ROOT: &str = "OrderView";

fn region() -> TableDef {
    TableDef::new("Region").column(id(DbValueType::Int32)).column(text("Name", 25)).column(text("Comment", 152))
}

fn nation() -> TableDef {
    TableDef::new("Nation")
        .column(id(DbValueType::Int32))
        .column(text("Name", 25))
        .column(refers("RegionId", DbValueType::Int32, ForeignType::new("Region")))
        .column(text("Comment", 152))
}

fn supplier() -> TableDef {
    TableDef::new("Supplier")
        .column(id(DbValueType::Int32))
        .column(text("Name", 25))
        .column(text("Address", 40).not_filterable())
        .column(refers("NationId", DbValueType::Int32, ForeignType::new("Nation").auto_expand()))
        .column(text("Phone", 15))
        .column(money("AccountBalance"))
        .column(text("Comment", 101))
}

fn customer() -> TableDef {
    TableDef::new("Customer")
        .column(id(DbValueType::Int32))
        .column(text("Name", 25))
        .column(text("Address", 40).not_filterable())
        .column(refers("NationId", DbValueType::Int32, ForeignType::new("Nation").auto_expand()))
        .column(text("Phone", 15))
        .column(money("AccountBalance"))
        .column(text("MarketSegment", 10))
        .column(text("Comment", 117))
}

fn part() -> TableDef {
    TableDef::new("Part")
        .column(id(DbValueType::Int32))
        .column(text("Name", 55))
        .column(text("Manufacturer", 25))
        .column(text("Brand", 10))
        .column(text("Type", 25))
        .column(ColumnDef::new("Size", DbValueType::Int32))
        .column(text("Container", 10))
        .column(money("RetailPrice"))
        .column(text("Comment", 23))
}

fn part_supp() -> TableDef {
    TableDef::new("PartSupp")
        .column(refers("PartId", DbValueType::Int32, ForeignType::new("Part")).primary_key())
        .column(refers("SupplierId", DbValueType::Int32, ForeignType::new("Supplier")).primary_key())
        .column(ColumnDef::new("AvailableQuantity", DbValueType::Int32))
        .column(money("SupplyCost"))
        .column(text("Comment", 199))
}

fn orders() -> TableDef {
    TableDef::new("Orders")
        .column(id(DbValueType::Int64))
        // A view over orders reaches the customer's nation and its region, too.
        .column(refers("CustomerId", DbValueType::Int32, ForeignType::new("Customer").auto_expand()))
        // A name that is no member is an error before any engine sees it.
        .column(text("Status", 1).enumeration([("F", 0), ("O", 1), ("P", 2)]))
        .column(money("TotalPrice"))
        .column(ColumnDef::new("OrderDate", DbValueType::Date))
        .column(text("Priority", 15))
        .column(text("Clerk", 15))
        .column(ColumnDef::new("ShipPriority", DbValueType::Int32))
        .column(text("Comment", 79))
}

fn line_item() -> TableDef {
    TableDef::new("LineItem")
        .column(refers("OrderId", DbValueType::Int64, ForeignType::new("Orders")).primary_key())
        .column(ColumnDef::new("LineNumber", DbValueType::Int32).primary_key())
        .column(refers("PartId", DbValueType::Int32, ForeignType::new("Part")))
        .column(refers("SupplierId", DbValueType::Int32, ForeignType::new("Supplier")))
        .column(ColumnDef::new("Quantity", DbValueType::Int32))
        .column(money("ExtendedPrice"))
        .column(money("Discount"))
        .column(money("Tax"))
        .column(text("ReturnFlag", 1))
        .column(text("LineStatus", 1))
        .column(ColumnDef::new("ShipDate", DbValueType::Date))
        .column(ColumnDef::new("CommitDate", DbValueType::Date))
        .column(ColumnDef::new("ReceiptDate", DbValueType::Date))
        .column(text("ShipInstructions", 25))
        .column(text("ShipMode", 10))
        .column(text("Comment", 44))
        .table_join(TableJoinDef::new("PartSupp", ["PartId", "SupplierId"]))
}

fn order_view() -> ViewDef {
    ViewDef::new("OrderView", "Orders")
        .foreign_column("CustomerName", "Customer", "Name")
        .foreign_column("CustomerAddress", "Customer", "Address")
        .foreign_column("MarketSegment", "Customer", "MarketSegment")
        .foreign_column("NationName", "Nation", "Name")
        .foreign_column("RegionName", "Region", "Name")
}

fn line_item_view() -> ViewDef {
    ViewDef::new("LineItemView", "LineItem")
        .foreign_column("PartName", "Part", "Name")
        .foreign_column("PartBrand", "Part", "Brand")
        .foreign_column("SupplierName", "Supplier", "Name")
        .foreign_column("OrderDate", "Orders", "OrderDate")
        .foreign_column("OrderPriority", "Orders", "Priority")
        .foreign_column("SupplyCost", "PartSupp", "SupplyCost")
}

fn id(ty: DbValueType) -> ColumnDef {
    ColumnDef::new("Id", ty).primary_key()
}

fn text(name: &'static str, length: u32) -> ColumnDef {
    ColumnDef::new(name, DbValueType::String).length(length)
}

fn money(name: &'static str) -> ColumnDef {
    ColumnDef::new(name, DbValueType::Decimal).precision(15, 2)
}

fn refers(name: &'static str, ty: DbValueType, to: ForeignType) -> ColumnDef {
    ColumnDef::new(name, ty).foreign(to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpch;

    /// Every column of the catalog is one of the table's, and the other way round.
    #[test]
    fn the_catalog_and_the_tables_agree() {
        let catalog = catalog().unwrap();
        let loaded = tpch::open(None, "0.001".parse().unwrap(), &indicatif::ProgressBar::hidden()).unwrap();
        for (_, entity) in catalog.entities().filter(|(_, entity)| entity.base.is_none()) {
            let mut statement = loaded.connection.prepare("SELECT name FROM pragma_table_info(?1)").unwrap();
            let names = statement.query_map([entity.table.to_string()], |row| row.get(0)).unwrap();
            let names: Vec<String> = names.collect::<Result<_, _>>().unwrap();
            let known: Vec<String> = entity.columns.iter().map(|column| column.column.to_string()).collect();
            assert_eq!(known, names, "{}", entity.name);
        }
    }
}
