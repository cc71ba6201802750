use isogloss::Compiler;
use isogloss::expr::DbValueType;
use isogloss::model::{ColumnDef, ForeignType, TableDef, ViewDef};
use isogloss::prelude::*;

fn shop() -> Result<Compiler, Box<dyn std::error::Error>> {
    let id = || ColumnDef::new("Id", DbValueType::Int32).primary_key();
    let customer = TableDef::new("Customer")
        .column(id().identity(1, 1))
        .column(ColumnDef::new("Name", DbValueType::String).length(100))
        .column(ColumnDef::new("City", DbValueType::String).length(60).nullable())
        .column(ColumnDef::new("Password", DbValueType::String).length(60).not_filterable());
    let order = TableDef::new("Order")
        .table("Orders")
        .column(id().identity(1, 1))
        .column(ColumnDef::new("CustomerId", DbValueType::Int32).foreign(ForeignType::new("Customer")))
        .column(ColumnDef::new("Total", DbValueType::Decimal).precision(18, 2))
        .column(ColumnDef::new("Day", DbValueType::Date));
    let employee = TableDef::new("Employee")
        .column(id())
        .column(ColumnDef::new("Name", DbValueType::String).length(100))
        .column(ColumnDef::new("BossId", DbValueType::Int32).nullable());
    let stock = TableDef::new("Stock")
        .column(ColumnDef::new("Sku", DbValueType::String).length(20).primary_key())
        .column(ColumnDef::new("Qty", DbValueType::Int32));
    let catalog = Catalog::builder()
        .table(customer)
        .table(order)
        .table(employee)
        .table(stock)
        .view(ViewDef::new("OrderView", "Order").foreign_column("CustomerName", "Customer", "Name"))
        .build()?;
    Ok(Compiler::new(catalog))
}
