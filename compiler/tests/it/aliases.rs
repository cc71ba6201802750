//! What is near an alias that no table has.

use isogloss_compiler::Compiler;
use isogloss_compiler::expr::{DbValueType as T, ValueOps, from, prop, prop_of};
use isogloss_compiler::model::{Catalog, CatalogBuilder, ColumnDef, ForeignType, TableDef, ViewDef};

use crate::support::Plain;

/// Both relations of an order bring a `Region` along.
fn shop() -> CatalogBuilder {
    let table = |name: &str| TableDef::new(name.to_owned()).column(ColumnDef::new("Id", T::Int32).primary_key());
    let region = || ColumnDef::new("RegionId", T::Int32).foreign(ForeignType::new("Area").alias("Region"));
    let foreign = |name: &str, to: &str| {
        ColumnDef::new(name.to_owned(), T::Int32).foreign(ForeignType::new(to.to_owned()).auto_expand())
    };
    Catalog::builder()
        .table(table("Area").column(ColumnDef::new("Name", T::String)))
        .table(table("Buyer").column(region()))
        .table(table("Seller").column(region()))
        .table(table("Order").column(foreign("BuyerId", "Buyer")).column(foreign("SellerId", "Seller")))
}

#[test]
fn joins_that_were_renamed_are_near() {
    let query = from("Order").filter(prop_of("Region", "Name").eq("x") & prop("Id").gt(1));
    let error = Compiler::new(shop().build().unwrap()).compile(&query, &Plain).unwrap_err().to_string();
    assert!(error.contains("unknown alias `Region`") && error.ends_with("(did you mean `Buyer_Region`?)"), "{error}");
    let query = from("Order").filter(prop_of("Buyer_Region", "Name").eq("x"));
    assert!(Compiler::new(shop().build().unwrap()).compile(&query, &Plain).is_ok());
    let view = ViewDef::new("Shown", "Order").foreign_column("RegionName", "Region", "Name");
    let error = shop().view(view).build().unwrap_err().to_string();
    assert!(error.contains("`Buyer_Region`") && error.contains("`Seller_Region`"), "{error}");
}
