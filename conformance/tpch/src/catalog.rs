//! The eight tables, their relations, and three views over them.

use isogloss_compiler::expr::{DbValueType, TableJoinType};
use isogloss_compiler::model::{Catalog, CatalogErrors, ColumnDef, ForeignType, TableDef, TableJoinDef, ViewDef};

/// The catalog of TPC-H: tables and columns are named as the standard names them (`l_extendedprice`), properties as a
/// program would (`ExtendedPrice`).
///
/// Every foreign key of the standard is one of a column that is never NULL, so the joins of the views are inner ones.
///
/// # Errors
/// Never: a test builds it.
pub fn catalog() -> Result<Catalog, CatalogErrors> {
    Catalog::builder()
        .table(region())
        .table(nation())
        .table(supplier())
        .table(customer())
        .table(part())
        .table(part_supp())
        .table(order())
        .table(line_item())
        .view(supplier_view())
        .view(part_supp_view())
        .view(line_item_view())
        .build()
}

fn region() -> TableDef {
    TableDef::new("Region")
        .table("region")
        .column(key("RegionKey", "r_regionkey").primary_key())
        .column(text("Name", "r_name", 25))
        .column(text("Comment", "r_comment", 152))
}

fn nation() -> TableDef {
    TableDef::new("Nation")
        .table("nation")
        .column(key("NationKey", "n_nationkey").primary_key())
        .column(text("Name", "n_name", 25))
        .column(refers("RegionKey", "n_regionkey", "Region"))
        .column(text("Comment", "n_comment", 152))
}

fn supplier() -> TableDef {
    TableDef::new("Supplier")
        .table("supplier")
        .column(key("SuppKey", "s_suppkey").primary_key())
        .column(text("Name", "s_name", 25))
        .column(text("Address", "s_address", 40))
        .column(refers("NationKey", "s_nationkey", "Nation"))
        .column(text("Phone", "s_phone", 15))
        .column(decimal("AcctBal", "s_acctbal"))
        .column(text("Comment", "s_comment", 101))
}

fn customer() -> TableDef {
    TableDef::new("Customer")
        .table("customer")
        .column(key("CustKey", "c_custkey").primary_key())
        .column(text("Name", "c_name", 25))
        .column(text("Address", "c_address", 40))
        .column(refers("NationKey", "c_nationkey", "Nation"))
        .column(text("Phone", "c_phone", 15))
        .column(decimal("AcctBal", "c_acctbal"))
        .column(text("MktSegment", "c_mktsegment", 10))
        .column(text("Comment", "c_comment", 117))
}

fn part() -> TableDef {
    TableDef::new("Part")
        .table("part")
        .column(key("PartKey", "p_partkey").primary_key())
        .column(text("Name", "p_name", 55))
        .column(text("Mfgr", "p_mfgr", 25))
        .column(text("Brand", "p_brand", 10))
        .column(text("Type", "p_type", 25))
        .column(ColumnDef::new("Size", DbValueType::Int32).column("p_size"))
        .column(text("Container", "p_container", 10))
        .column(decimal("RetailPrice", "p_retailprice"))
        .column(text("Comment", "p_comment", 23))
}

fn part_supp() -> TableDef {
    TableDef::new("PartSupp")
        .table("partsupp")
        .column(refers("PartKey", "ps_partkey", "Part").primary_key())
        .column(refers("SuppKey", "ps_suppkey", "Supplier").primary_key())
        .column(ColumnDef::new("AvailQty", DbValueType::Int32).column("ps_availqty"))
        .column(decimal("SupplyCost", "ps_supplycost"))
        .column(text("Comment", "ps_comment", 199))
}

fn order() -> TableDef {
    TableDef::new("Order")
        .table("orders")
        .column(key("OrderKey", "o_orderkey").primary_key())
        .column(refers("CustKey", "o_custkey", "Customer"))
        .column(text("OrderStatus", "o_orderstatus", 1))
        .column(decimal("TotalPrice", "o_totalprice"))
        .column(date("OrderDate", "o_orderdate"))
        .column(text("OrderPriority", "o_orderpriority", 15))
        .column(text("Clerk", "o_clerk", 15))
        .column(ColumnDef::new("ShipPriority", DbValueType::Int32).column("o_shippriority"))
        .column(text("Comment", "o_comment", 79))
}

fn line_item() -> TableDef {
    TableDef::new("LineItem")
        .table("lineitem")
        .column(refers("OrderKey", "l_orderkey", "Order").primary_key())
        .column(refers("PartKey", "l_partkey", "Part"))
        .column(refers("SuppKey", "l_suppkey", "Supplier"))
        .column(ColumnDef::new("LineNumber", DbValueType::Int32).column("l_linenumber").primary_key())
        .column(decimal("Quantity", "l_quantity"))
        .column(decimal("ExtendedPrice", "l_extendedprice"))
        .column(decimal("Discount", "l_discount"))
        .column(decimal("Tax", "l_tax"))
        .column(text("ReturnFlag", "l_returnflag", 1))
        .column(text("LineStatus", "l_linestatus", 1))
        .column(date("ShipDate", "l_shipdate"))
        .column(date("CommitDate", "l_commitdate"))
        .column(date("ReceiptDate", "l_receiptdate"))
        .column(text("ShipInstruct", "l_shipinstruct", 25))
        .column(text("ShipMode", "l_shipmode", 10))
        .column(text("Comment", "l_comment", 44))
        .table_join(TableJoinDef::new("PartSupp", ["PartKey", "SuppKey"]).join_type(TableJoinType::Inner))
}

fn supplier_view() -> ViewDef {
    ViewDef::new("SupplierView", "Supplier").foreign_column("NationName", "Nation", "Name")
}

fn part_supp_view() -> ViewDef {
    ViewDef::new("PartSuppView", "PartSupp")
        .table_join(behind("Supplier", "Nation", "NationKey"))
        .table_join(behind("Nation", "Region", "RegionKey"))
        .foreign_column("Mfgr", "Part", "Mfgr")
        .foreign_column("Brand", "Part", "Brand")
        .foreign_column("Type", "Part", "Type")
        .foreign_column("Size", "Part", "Size")
        .foreign_column("SupplierName", "Supplier", "Name")
        .foreign_column("SupplierAddress", "Supplier", "Address")
        .foreign_column("SupplierPhone", "Supplier", "Phone")
        .foreign_column("SupplierAcctBal", "Supplier", "AcctBal")
        .foreign_column("SupplierComment", "Supplier", "Comment")
        .foreign_column("NationName", "Nation", "Name")
        .foreign_column("RegionName", "Region", "Name")
}

fn line_item_view() -> ViewDef {
    ViewDef::new("LineItemView", "LineItem")
        .table_join(behind("Order", "Customer", "CustKey"))
        .table_join(behind("Customer", "Nation", "NationKey").alias("CustomerNation"))
        .table_join(behind("Supplier", "Nation", "NationKey").alias("SupplierNation"))
        .table_join(behind("SupplierNation", "Region", "RegionKey").alias("SupplierRegion"))
        .foreign_column("OrderDate", "Order", "OrderDate")
        .foreign_column("OrderPriority", "Order", "OrderPriority")
        .foreign_column("ShipPriority", "Order", "ShipPriority")
        .foreign_column("CustKey", "Order", "CustKey")
        .foreign_column("CustomerName", "Customer", "Name")
        .foreign_column("CustomerAddress", "Customer", "Address")
        .foreign_column("CustomerPhone", "Customer", "Phone")
        .foreign_column("CustomerAcctBal", "Customer", "AcctBal")
        .foreign_column("CustomerComment", "Customer", "Comment")
        .foreign_column("CustomerNationKey", "Customer", "NationKey")
        .foreign_column("CustomerNationName", "CustomerNation", "Name")
        .foreign_column("MktSegment", "Customer", "MktSegment")
        .foreign_column("SupplierNationKey", "Supplier", "NationKey")
        .foreign_column("SupplierNationName", "SupplierNation", "Name")
        .foreign_column("SupplierRegionName", "SupplierRegion", "Name")
        .foreign_column("PartName", "Part", "Name")
        .foreign_column("Brand", "Part", "Brand")
        .foreign_column("Type", "Part", "Type")
        .foreign_column("Container", "Part", "Container")
        .foreign_column("Size", "Part", "Size")
        .foreign_column("SupplyCost", "PartSupp", "SupplyCost")
}

/// An identifier, as the standard calls it: at a scale of 1,000 they still fit.
fn key(name: &'static str, column: &'static str) -> ColumnDef {
    ColumnDef::new(name, DbValueType::Int64).column(column)
}

fn text(name: &'static str, column: &'static str, length: u32) -> ColumnDef {
    ColumnDef::new(name, DbValueType::String).column(column).length(length)
}

fn decimal(name: &'static str, column: &'static str) -> ColumnDef {
    ColumnDef::new(name, DbValueType::Decimal).column(column).precision(15, 2)
}

fn date(name: &'static str, column: &'static str) -> ColumnDef {
    ColumnDef::new(name, DbValueType::Date).column(column)
}

/// A foreign key, with the index that the standard allows it.
fn refers(name: &'static str, column: &'static str, entity: &'static str) -> ColumnDef {
    key(name, column).foreign(ForeignType::new(entity).join_type(TableJoinType::Inner)).index()
}

/// A join that hangs on another one of the view.
fn behind(source: &'static str, entity: &'static str, property: &'static str) -> TableJoinDef {
    TableJoinDef::new(entity, [property]).source(source).join_type(TableJoinType::Inner)
}
