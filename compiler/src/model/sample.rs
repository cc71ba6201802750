//! A catalog to try things on: a small system of orders. Tests, snapshots and examples share it.

use super::{Catalog, CatalogBuilder, ColumnDef, ColumnMode, ForeignType, TableDef, TableJoinDef, ViewDef};
use crate::expr::{DbType, DbValueType as T, TableJoinType};

/// The sample catalog.
///
/// # Panics
/// Never: a test builds it.
#[allow(clippy::expect_used, reason = "the definitions are below, and a test builds them")]
pub fn catalog() -> Catalog {
    builder().build().expect("the sample is correct")
}

/// The definitions of the sample catalog, to add to.
pub fn builder() -> CatalogBuilder {
    Catalog::builder()
        .table(customer())
        .table(category())
        .table(region())
        .table(product())
        .table(department())
        .table(user())
        .view(user_view())
        .table(order())
        .view(order_view())
        .table(order_item())
        .view(order_item_view())
        .table(sharded_order())
        .table(fixed_tenant_order())
        .table(shift())
        .table(memo())
        .table(ticket())
        .view(ticket_view())
        .table(old_ticket())
}

fn id() -> ColumnDef {
    ColumnDef::new("Id", T::Int32).primary_key().identity(1, 1)
}

fn name() -> ColumnDef {
    ColumnDef::new("Name", T::String).length(100)
}

fn customer() -> TableDef {
    TableDef::new("Customer")
        .table("Customers")
        .column(id())
        .column(name().index())
        .column(ColumnDef::new("City", T::String).length(60).nullable())
        .column(ColumnDef::new("Tier", T::Int32).enumeration([("Basic", 0), ("Silver", 1), ("Gold", 2)]))
        .column(ColumnDef::new("CreditLimit", T::Decimal).precision(18, 2).nullable())
        .column(ColumnDef::new("Active", T::Boolean))
        .column(ColumnDef::new("Birthday", T::Date).nullable())
}

fn category() -> TableDef {
    TableDef::new("Category")
        .table("Categories")
        .column(id())
        .column(name())
        .column(ColumnDef::new("ParentId", T::Int32).nullable().foreign(ForeignType::new("Category").alias("Parent")))
}

/// Its keys are the program's own: the database numbers nothing.
fn region() -> TableDef {
    TableDef::new("Region")
        .table("Regions")
        .column(ColumnDef::new("Id", T::Int32).primary_key())
        .column(name())
        .column(ColumnDef::new("Code", T::String).length(10).nullable().unique())
        .column(ColumnDef::new("ParentId", T::Int32).nullable().foreign(ForeignType::new("Region").alias("Parent")))
}

fn product() -> TableDef {
    TableDef::new("Product")
        .table("Products")
        .column(id())
        .column(name())
        .column(ColumnDef::new("Price", T::Decimal).precision(18, 2))
        .column(ColumnDef::new("Weight", T::Double).nullable())
        .column(ColumnDef::new("CategoryId", T::Int32).nullable().foreign(ForeignType::new("Category")))
}

fn department() -> TableDef {
    TableDef::new("Department")
        .table("Departments")
        .column(id())
        .column(name())
        .column(ColumnDef::new("ParentId", T::Int32).nullable().foreign(ForeignType::new("Department").alias("Parent")))
        .column(ColumnDef::new("State", T::Int32).enumeration([("Disabled", 0), ("Enabled", 1)]).constant("Enabled"))
}

fn user() -> TableDef {
    TableDef::new("User")
        .table("Users")
        .column(id())
        .column(name())
        .column(ColumnDef::new("DeptId", T::Int32).nullable().foreign(ForeignType::new("Department")))
        .column(ColumnDef::new("Age", T::Int32))
        .column(ColumnDef::new("Email", T::String).length(200).nullable().unique())
        .column(ColumnDef::new("IsAdmin", T::Boolean))
        .column(ColumnDef::new("Password", T::String).length(100).not_filterable())
}

fn user_view() -> ViewDef {
    ViewDef::new("UserView", "User").foreign_column("DeptName", "Department", "Name")
}

fn order() -> TableDef {
    let user = ForeignType::new("User").alias("SalesUser").auto_expand();
    TableDef::new("Order")
        .table("Orders")
        .column(ColumnDef::new("Id", T::Int64).primary_key().identity(1, 1))
        .column(ColumnDef::new("OrderNo", T::String).length(32).unique())
        .column(ColumnDef::new("CustomerId", T::Int32).foreign(ForeignType::new("Customer")))
        .column(ColumnDef::new("ProductId", T::Int32).foreign(ForeignType::new("Product").auto_expand()))
        .column(ColumnDef::new("SalesUserId", T::Int32).nullable().foreign(user))
        .column(ColumnDef::new("Qty", T::Int32))
        .column(ColumnDef::new("Amount", T::Decimal).precision(18, 2))
        .column(ColumnDef::new("Status", T::String).length(20).enumeration([
            ("Draft", 0),
            ("Open", 1),
            ("Shipped", 2),
            ("Closed", 3),
            ("Cancelled", 9),
        ]))
        .column(ColumnDef::new("Note", T::String).length(4000).nullable())
        .column(ColumnDef::new("Paid", T::Boolean))
        .column(ColumnDef::new("CreatedByUserId", T::Int32))
        .column(ColumnDef::new("CreatedTime", T::DateTime2).mode(ColumnMode::FINAL))
        .column(ColumnDef::new("ShipDate", T::Date).nullable())
        .column(ColumnDef::new("UpdatedTime", T::DateTimeOffset).nullable())
        .column(ColumnDef::new("IsDeleted", T::Boolean).default_sql("0"))
        .column(ColumnDef::new("TenantId", T::Int32))
        .column(ColumnDef::new("Token", T::Guid).nullable())
        .column(ColumnDef::new("Data", T::Json).nullable())
        .column(ColumnDef::new("Tags", DbType::array_of(T::String)).nullable())
}

fn order_view() -> ViewDef {
    ViewDef::new("OrderView", "Order")
        .foreign_column("CustomerName", "Customer", "Name")
        .foreign_column("CustomerCity", "Customer", "City")
        .foreign_column("ProductName", "Product", "Name")
        .foreign_column("CategoryName", "Category", "Name")
        .foreign_column("SalesUserName", "SalesUser", "Name")
        .foreign_column("DepartmentName", "Department", "Name")
}

fn order_item() -> TableDef {
    TableDef::new("OrderItem")
        .table("sales.OrderItems")
        .column(ColumnDef::new("OrderId", T::Int64).primary_key().distribution_key().foreign(ForeignType::new("Order")))
        .column(ColumnDef::new("LineNo", T::Int32).column("Line No").primary_key())
        .column(ColumnDef::new("ProductId", T::Int32).foreign(ForeignType::new("Product")))
        .column(ColumnDef::new("Qty", T::Int32))
        .column(ColumnDef::new("Price", T::Decimal).precision(18, 2))
        .column(ColumnDef::new("Total", T::Decimal).precision(18, 2).computed("{Qty} * {Price}"))
        .column(ColumnDef::new("RefOrderId", T::Int64).nullable())
        .column(ColumnDef::new("RefLineNo", T::Int32).nullable())
        .column(ColumnDef::new("Version", T::Int32).timestamp())
        // The line that this one replaces. Its key: OrderId, LineNo.
        .table_join(TableJoinDef::new("OrderItem", ["RefOrderId", "RefLineNo"]).alias("Replaced"))
}

fn order_item_view() -> ViewDef {
    ViewDef::new("OrderItemView", "OrderItem")
        // The customer of the order: a join that hangs on another. An order has one, so the join is an inner one.
        .table_join(TableJoinDef::new("Customer", ["CustomerId"]).source("Order").join_type(TableJoinType::Inner))
        .foreign_column("OrderNo", "Order", "OrderNo")
        .foreign_column("CustomerName", "Customer", "Name")
        .foreign_column("ProductName", "Product", "Name")
        .foreign_column("ReplacedQty", "Replaced", "Qty")
}

fn sharded_order() -> TableDef {
    TableDef::new("ShardedOrder")
        .table("Orders_{0}")
        .column(ColumnDef::new("Id", T::Int64).primary_key())
        .column(ColumnDef::new("OrderNo", T::String).length(32))
        .column(ColumnDef::new("Amount", T::Decimal).precision(18, 2))
        .column(ColumnDef::new("CustomerId", T::Int32).foreign(ForeignType::new("Customer")))
}

fn fixed_tenant_order() -> TableDef {
    TableDef::new("FixedTenantOrder")
        .table("TenantOrders")
        .data_source("archive")
        .column(ColumnDef::new("Id", T::Int64).primary_key())
        .column(
            ColumnDef::new("TenantKind", T::Int32).enumeration([("Platform", 1), ("Merchant", 2)]).constant("Platform"),
        )
        .column(ColumnDef::new("Title", T::String).length(100).nullable())
}

/// Times of fewer digits behind their seconds.
fn shift() -> TableDef {
    TableDef::new("Shift")
        .table("Shifts")
        .column(ColumnDef::new("Id", T::Int64).primary_key())
        .column(ColumnDef::new("BeginTime", T::DateTime2).time_precision(0))
        .column(ColumnDef::new("EndTime", T::DateTime2).time_precision(3).nullable())
        .column(ColumnDef::new("UtcTime", T::DateTimeOffset).time_precision(0).nullable())
        .column(ColumnDef::new("UtcFine", T::DateTimeOffset).time_precision(2).nullable())
        .column(ColumnDef::new("Lunch", T::Time).time_precision(0).nullable())
        .column(ColumnDef::new("Tea", T::Time).time_precision(1).nullable())
        .column(ColumnDef::new("Coarse", T::DateTime2).time_precision(1).nullable())
        .column(ColumnDef::new("Fine", T::DateTime2).time_precision(6).nullable())
}

/// Its rows stay when they are deleted, with a mark.
fn memo() -> TableDef {
    TableDef::new("Memo")
        .table("Memos")
        .column(id())
        .column(ColumnDef::new("TenantId", T::Int32))
        .column(ColumnDef::new("Text", T::String).length(200).nullable())
        .column(ColumnDef::new("Removed", T::Boolean).soft_delete())
}

/// It is for statements with a scope, and marks by a time.
fn ticket() -> TableDef {
    TableDef::new("Ticket")
        .table("Tickets")
        .scoped()
        .column(ColumnDef::new("Id", T::Int64).primary_key())
        .column(ColumnDef::new("TenantId", T::Int32))
        .column(ColumnDef::new("Title", T::String).length(100).nullable())
        .column(ColumnDef::new("MemoId", T::Int32).nullable().foreign(ForeignType::new("Memo")))
        .column(ColumnDef::new("DeletedTime", T::DateTime2).nullable().soft_delete())
}

fn ticket_view() -> ViewDef {
    ViewDef::new("TicketView", "Ticket").foreign_column("MemoText", "Memo", "Text")
}

/// Another entity over the table of the tickets, which knows less of it.
fn old_ticket() -> TableDef {
    TableDef::new("OldTicket").table("Tickets").column(ColumnDef::new("Id", T::Int64).primary_key())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Name, Value, ValueOps, constant, prop};
    use crate::model::{Entity, Property};

    fn show(catalog: &Catalog, entity: &Entity) -> Vec<String> {
        let name = |join: usize| entity.joins[join].alias.to_string();
        let foreign = |column: &super::super::ForeignColumn| {
            format!("{} = {}.{}", column.name, name(column.join), catalog.foreign(column).unwrap().name)
        };
        entity.foreign_columns.iter().map(foreign).collect()
    }

    #[test]
    fn a_views_columns_come_from_its_joins() {
        let catalog = catalog();
        let (_, view) = catalog.entity("orderview").unwrap();
        assert_eq!(
            show(&catalog, view),
            [
                "CustomerName = Customer.Name",
                "CustomerCity = Customer.City",
                "ProductName = Product.Name",
                "CategoryName = Category.Name",
                "SalesUserName = SalesUser.Name",
                "DepartmentName = Department.Name",
            ]
        );
        let joins: Vec<(&str, Option<usize>)> = view.joins.iter().map(|j| (j.alias.as_str(), j.source)).collect();
        assert_eq!(
            joins,
            [
                ("Customer", None),
                ("Product", None),
                ("SalesUser", None),
                ("Category", Some(1)),
                ("Department", Some(2))
            ]
        );
        assert!(view.joins.iter().all(|join| join.used_by_default));
        let (order_id, order) = catalog.entity("Order").unwrap();
        assert_eq!(view.base, Some(order_id));
        assert_eq!(view.columns.len(), order.columns.len());
        assert_eq!(view.property("AMOUNT"), order.property("amount"));
        assert_eq!(view.property("DepartmentName"), Some(Property::Foreign(5)));
        assert!(order.joins.iter().all(|join| !join.used_by_default));
    }

    #[test]
    fn composite_keys_are_in_the_order_of_their_definition() {
        let catalog = catalog();
        let (id, item) = catalog.entity("OrderItem").unwrap();
        let keys: Vec<&str> = item.key_columns().map(|column| column.name.as_str()).collect();
        assert_eq!(keys, ["OrderId", "LineNo"]);
        let replaced = item.joins.iter().find(|join| join.alias == *"Replaced").unwrap();
        assert_eq!((replaced.target, &*replaced.keys), (id, &[(6, 0), (7, 1)][..]));
        assert_eq!(item.version, Some(8));
        let (_, view) = catalog.entity("OrderItemView").unwrap();
        let customer = view.joins.iter().find(|join| join.alias == *"Customer").unwrap();
        let order = customer.source.and_then(|source| view.joins.get(source)).unwrap();
        assert_eq!(order.alias, Name::new("Order"));
    }

    #[test]
    fn a_constant_is_a_fixed_filter() {
        let catalog = catalog();
        let (_, department) = catalog.entity("Department").unwrap();
        let filter = department.fixed_filter.clone().unwrap();
        assert_eq!(filter, prop("State").eq(constant(1)));
        let crate::expr::LogicExpr::Binary(comparison) = filter else { panic!("{filter:?}") };
        assert!(matches!(&comparison.right, crate::expr::ValueTypeExpr::Value(value) if value.is_const));
        assert_eq!(department.columns[3].coerce(&Value::from("disabled")).unwrap().into_owned(), Value::Int(0));
    }

    #[test]
    fn relations_lead_both_ways() {
        let catalog = catalog();
        let id = |name: &str| catalog.entity(name).unwrap().0;
        let keys = |from: &str, to: &str| -> Vec<Vec<(usize, usize)>> {
            catalog.relations(id(from), id(to)).map(|relation| relation.keys.clone()).collect()
        };
        assert_eq!(keys("UserView", "Department"), [[(2, 0)]]);
        assert_eq!(keys("Order", "UserView"), [[(4, 0)]]);
        assert!(keys("Department", "User").is_empty());
        assert!(keys("Order", "Department").is_empty());
        assert_eq!(keys("OrderItem", "OrderView"), [[(0, 0)]]);
    }
}
