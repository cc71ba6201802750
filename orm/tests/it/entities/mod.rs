//! Structs as tables, views and rows: what the derives make is what one would write by hand, and it runs.

#[cfg(all(feature = "mysql", feature = "oracle", feature = "sqlserver"))]
mod constraints;
mod rows;
mod shop;

use std::sync::Arc;

use isogloss::driver::ddl::Ddl;
use isogloss::driver::{AnyConnection, Backend, ConnectionExt};
use isogloss::entity::{Arged, Column, Condition, Json, JsonText, Linked, Table};
use isogloss::expr::{DbValueType, Decimal, Expr, LogicExpr, Value};
use isogloss::model::{CatalogBuilder, ColumnDef, ColumnMode, ForeignType, SyncTableMode, TableDef, ViewDef};
use isogloss::prelude::*;
use isogloss::sqlite::driver::{SqliteBackend, SqliteOptions};
use isogloss::{Compiled, Compiler, DIALECTS, POSTGRES, SQLITE, Target};

use crate::entities::shop::{
    Address, Channel, Claim, ClaimView, Customer, CustomerId, Line, LineView, Money, Order, OrderRegionView, OrderView,
    Region, Setting, Status,
};

/// The entities of the shop. Other tests of this program have entities of the same names.
fn builder() -> CatalogBuilder {
    Catalog::builder()
        .entity::<Region>()
        .entity::<Customer>()
        .entity::<Order>()
        .entity::<OrderView>()
        .entity::<OrderRegionView>()
        .entity::<Line>()
        .entity::<Claim>()
        .entity::<ClaimView>()
        .entity::<LineView>()
}

fn catalog() -> Catalog {
    builder().build().unwrap()
}

/// By hand, what the derives say of `Customer`, `Region`, `Order` and the views.
fn by_hand() -> Catalog {
    let customer = TableDef::new("Customer")
        .table("customers")
        .column(ColumnDef::new("Id", DbValueType::Int64).column("id").primary_key().identity(1, 1))
        .column(ColumnDef::new("Name", DbValueType::String).column("name").length(100).index())
        .column(
            ColumnDef::new("RegionCode", DbValueType::String)
                .column("region_code")
                .length(2)
                .nullable()
                .foreign(ForeignType::new("Region")),
        )
        .column(ColumnDef::new("Address", DbValueType::Json).column("address").nullable());
    let region = TableDef::new("Region")
        .table("regions")
        .column(ColumnDef::new("Code", DbValueType::String).column("code").primary_key())
        .column(ColumnDef::new("RegionName", DbValueType::String).column("region_name"));
    let buyer = ForeignType::new("Customer").alias("Buyer").auto_expand();
    let same = ForeignType::new("Customer").alias("Same").join_type(isogloss::expr::TableJoinType::Inner);
    let status = [("Open", 1), ("Paid", 2), ("Gone", 10)];
    let channel = [("web", 0), ("by_phone", 1)];
    let money = |name| ColumnDef::new(name, DbValueType::Decimal).precision(18, 2);
    let order = TableDef::new("Order")
        .table("orders")
        .sync_table(SyncTableMode::Never)
        .column(ColumnDef::new("Id", DbValueType::Int64).column("id").primary_key().identity(100, 1))
        .column(ColumnDef::new("CustomerId", DbValueType::Int64).column("customer_id").foreign(buyer).foreign(same))
        .column(money("Amount").column("amount"))
        .column(ColumnDef::new("Qty", DbValueType::Int32).column("qty"))
        .column(ColumnDef::new("Status", DbValueType::Int32).column("status").enumeration(status))
        .column(ColumnDef::new("Channel", DbValueType::String).column("channel").length(10).enumeration(channel))
        .column(ColumnDef::new("Fee", DbValueType::Int64).column("fee_cents"))
        .column(ColumnDef::new("Tip", DbValueType::Int64).column("tip").nullable())
        .column(ColumnDef::new("Tags", DbValueType::Json).column("tags"))
        .column(ColumnDef::new("Note", DbValueType::String).column("note").nullable().length(200).writable())
        .column(ColumnDef::new("Deleted", DbValueType::Boolean).column("deleted").constant(false).not_filterable())
        .column(ColumnDef::new("Version", DbValueType::Int64).column("version").timestamp())
        .column(money("Total").column("total").computed("{Amount} * {Qty}"))
        .column(
            ColumnDef::new("Secret", DbValueType::String).column("secret").default_sql("'x'").mode(ColumnMode::WRITE),
        );
    Catalog::builder()
        .table(customer)
        .table(region)
        .table(order)
        .view(ViewDef::new("OrderView", "Order").foreign_column("CustomerName", "Buyer", "Name"))
        .view(ViewDef::new("OrderRegionView", "OrderView").foreign_column("Region", "Region", "RegionName"))
        .build()
        .unwrap()
}

#[test]
fn a_view_has_relations_and_columns_of_its_own() {
    let catalog = catalog();
    let (_, view) = catalog.entity("LineView").unwrap();
    assert_eq!((view.name.as_str(), view.columns.len(), view.foreign_columns.len()), ("Sales.LineView", 4, 2));
    assert!(!view.foreign_columns[0].filterable);
    let sql = Compiler::new(catalog.clone()).compile(&Expr::from(from("LineView")), &SQLITE).unwrap().sql;
    assert_eq!(
        sql,
        r#"SELECT "T0"."OrderId", "T0"."No", "T0"."Type", "T0"."remark" AS "Own", "Order"."status" AS "Status", "Again"."qty" AS "OrderQty" FROM "Line" "T0" LEFT JOIN "orders" "Again" ON "T0"."OrderId" = "Again"."id" AND "Again"."deleted" = FALSE JOIN "orders" "Order" ON "T0"."OrderId" = "Order"."id" AND "Order"."deleted" = FALSE WHERE "T0"."No" > 0"#
    );
}

fn texts(catalog: Catalog, query: &Expr) -> Vec<String> {
    let compiler = Compiler::new(catalog);
    DIALECTS.iter().map(|dialect| compiler.compile(query, *dialect).unwrap().sql).collect()
}

#[test]
fn what_is_derived_is_what_one_writes_by_hand() {
    let derived = catalog();
    let hand = by_hand();
    for name in ["Region", "Customer", "Order", "OrderView", "OrderRegionView"] {
        let (_, ours) = derived.entity(name).unwrap();
        let (_, theirs) = hand.entity(name).unwrap();
        assert_eq!(format!("{:?}", ours.columns), format!("{:?}", theirs.columns), "{name}");
        assert_eq!(format!("{:?}", ours.fixed_filter), format!("{:?}", theirs.fixed_filter));
        assert_eq!((&ours.sync_table, &ours.keys), (&theirs.sync_table, &theirs.keys));
        let filter: LogicExpr = match name {
            "OrderView" | "OrderRegionView" => {
                (OrderView::CUSTOMER_NAME.eq("Ann") & Order::STATUS.eq(Status::Shipped)).into()
            }
            "Order" => (Order::AMOUNT.gt(100) & Order::CHANNEL.is_in([Channel::Web, Channel::ByPhone])).into(),
            "Customer" => (Customer::ID.eq(CustomerId(7)) & Customer::ADDRESS.is_not_null()).into(),
            _ => Region::CODE.ne("EU").into(),
        };
        let query = Expr::from(from(name).filter(filter));
        assert_eq!(texts(derived.clone(), &query), texts(hand.clone(), &query));
    }
}

#[test]
fn the_columns_of_a_view_are_those_of_its_entity_and_its_own() {
    let o = OrderRegionView::columns(None);
    assert_eq!((o.region.name(), o.customer_name.name(), o.amount.name()), ("Region", "CustomerName", "Amount"));
    let copied = o;
    // What is of the entity, of a view of it and of a view of that goes together, in any order.
    let of = |filter: Condition<OrderRegionView>| filter.into_logic();
    let two = (Order::QTY.gt(1) & OrderView::CUSTOMER_NAME.is_null()) | OrderRegionView::REGION.eq("EU");
    let turned = OrderRegionView::REGION.eq("EU") | (OrderView::CUSTOMER_NAME.is_null() & Order::QTY.gt(1));
    assert_eq!(of(two), (prop("Qty").gt(1) & prop("CustomerName").is_null()) | prop("Region").eq("EU"));
    assert_eq!(of(turned), prop("Region").eq("EU") | (prop("CustomerName").is_null() & prop("Qty").gt(1)));
    // The entity beside the view over its view, and a column of it beside one of that.
    assert_eq!(of(Order::QTY.gt(1) & OrderRegionView::REGION.eq("EU")), prop("Qty").gt(1) & prop("Region").eq("EU"));
    let longer = prop("Qty").gt(isogloss::expr::func("Length", [prop("Region")]));
    assert_eq!(of(Order::QTY.gt(OrderRegionView::REGION.len())), longer);
    let entitys = Order::QTY.gt(1);
    assert_eq!(of(entitys.clone().for_view()), expr!(|o: OrderRegionView| entitys && true).into_logic());
    assert_eq!(copied.of_alias(), "Id");
    assert_eq!(<OrderRegionView as Entity>::NAME, "OrderRegionView");
    fn is_over<V: View<Of = Order>>() {}
    is_over::<OrderRegionView>();
    is_over::<Order>();
    let view = OrderRegionView {
        view: OrderView { order: Order { qty: 3, ..Order::default() }, ..OrderView::default() },
        region: None,
    };
    assert_eq!(view.qty, 3);
}

trait Shown {
    fn of_alias(&self) -> &'static str;
}

impl Shown for <OrderRegionView as Entity>::Columns<OrderRegionView> {
    fn of_alias(&self) -> &'static str {
        self.id.name()
    }
}

#[test]
fn joins_hang_on_joins_and_keys_may_have_several_columns() {
    let query = Expr::from(from("ClaimView"));
    let compiler = Compiler::new(catalog());
    let sql = compiler.compile(&query, &SQLITE).unwrap().sql;
    assert!(sql.contains(r#"ON "T0"."OrderId" = "Line"."OrderId" AND "T0"."LineNo" = "Line"."No""#), "{sql}");
    assert!(sql.contains(r#""customers" "C" ON "Order"."customer_id" = "C"."id""#), "{sql}");
}

/// What only PostgreSQL's columns hold.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(register = false)]
struct Series {
    #[column(primary_key)]
    id: i32,
    points: Vec<i64>,
    names: Option<Vec<String>>,
    span: chrono::TimeDelta,
    letters: Box<str>,
    #[column(nullable)]
    doc: Json<Address>,
    #[deprecated = "kept for old rows"]
    old: Option<u8>,
}

#[test]
fn arrays_and_spans_are_columns() {
    let series = Series {
        id: 1,
        points: vec![3, 4],
        names: None,
        span: chrono::TimeDelta::milliseconds(1500),
        letters: "abc".into(),
        doc: Json(Address { street: "S".into(), zip: 7 }),
        ..Series::default()
    };
    let mut again = Series::default();
    for column in 0..6 {
        again.set(column, &series.value(column).unwrap()).unwrap();
    }
    assert_eq!(again, series);
    again.set(3, &Value::Int(15_000_000)).unwrap();
    assert_eq!(again, series);
    let catalog = builder().entity::<Series>().build().unwrap();
    let (_, entity) = catalog.entity("Series").unwrap();
    assert!(entity.columns[1].ty.array && entity.columns[2].nullable);
    let ids = vec![1, 2];
    let filter = Series::ID.is_in(&ids)
        & Series::LETTERS.eq(&series.letters)
        & Series::POINTS.eq(vec![1])
        & Series::SPAN.gt(chrono::TimeDelta::zero())
        & Series::LETTERS.ne("x");
    let query = Expr::from(from("Series").filter(filter));
    assert!(Compiler::new(catalog).compile(&query, &POSTGRES).is_ok());
}

/// A connection with the tables of the catalog, beside whatever the database has.
async fn prepared(backend: &dyn Backend, ddl: &dyn Ddl, before: &[String]) -> (AnyConnection, Arc<Target>) {
    let catalog = catalog();
    let mut connection = backend.connect().await.unwrap();
    for statement in before {
        connection.script(statement).await.unwrap();
    }
    for name in ["Region", "Customer", "Order"] {
        let (id, _) = catalog.entity(name).unwrap();
        for statement in ddl.create_table(&catalog, id, &[]).unwrap() {
            connection.script(&statement).await.unwrap();
        }
    }
    (connection, Compiler::new(catalog).target(backend.dialect()))
}

/// Inserts a row with every column that an INSERT gives.
async fn insert<T: Table>(connection: &mut AnyConnection, target: &Target, row: &T) {
    let (_, entity) = target.catalog().entity(T::NAME).unwrap();
    let mut names = Vec::new();
    let mut values = Vec::new();
    for (index, column) in entity.columns.iter().enumerate().filter(|(_, column)| column.is_insertable()) {
        names.push(column.name.clone());
        values.push(row.value(index).unwrap());
    }
    let statement = Expr::from(table(T::NAME).insert(names, values));
    connection.execute(&target.compile(&statement).unwrap()).await.unwrap();
}

fn order() -> Order {
    Order {
        id: 1,
        customer_id: CustomerId(1),
        amount: "12.50".parse().unwrap(),
        qty: 4,
        status: Status::Shipped,
        channel: Channel::ByPhone,
        fee: Money(150),
        tip: None,
        tags: vec!["a".into(), "b\"c".into()],
        note: None,
        version: 1,
        secret: "s".into(),
        ..Order::default()
    }
}

/// Numbers that 32 bits do not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, DbEnum)]
#[repr(i64)]
enum Wide {
    #[default]
    Low = -5,
    High = 3_000_000_000,
}

/// A key that the struct has only after it is stored, and an enum of numbers in a column of texts.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(register = false)]
struct Note {
    #[column(primary_key, identity, not_null)]
    id: Option<i64>,
    #[column(type = "String", length = 10)]
    status: Status,
    wide: Wide,
    tone: Option<Wide>,
    #[column(computed = prop("Id") + 1)]
    next: i64,
}

#[tokio::test]
async fn enums_are_stored_as_their_columns_say() {
    let catalog = builder().entity::<Note>().build().unwrap();
    let (id, entity) = catalog.entity("Note").unwrap();
    assert_eq!((entity.columns[2].ty, entity.columns[0].nullable), (DbValueType::Int64.into(), false));
    let backend = SqliteBackend::open(SqliteOptions::memory()).await.unwrap();
    let mut connection = backend.connect().await.unwrap();
    for statement in SQLITE.create_table(&catalog, id, &[]).unwrap() {
        connection.script(&statement).await.unwrap();
    }
    let target = Compiler::new(catalog.clone()).target(backend.dialect());
    let note = Note { status: Status::Shipped, wide: Wide::High, ..Note::default() };
    insert(&mut connection, &target, &note).await;
    let statement = Compiled { sql: r#"SELECT "Status", "Wide" FROM "Note""#.into(), ..Compiled::default() };
    let stored: (String, i64) = connection.fetch_one(&statement).await.unwrap();
    assert_eq!(stored, ("Gone".to_owned(), 3_000_000_000));
    let all = from("Note").filter(Note::STATUS.eq(Status::Shipped) & Note::TONE.is_null());
    let found: Note = connection.fetch_one(&target.compile(&all).unwrap()).await.unwrap();
    assert_eq!(found, Note { id: Some(1), next: 2, ..note.clone() });
    let named = from("Note").select([Note::ID.prop(), Note::NEXT.prop()]);
    let named: (i64, i64) = connection.fetch_one(&target.compile(&named.into_segment()).unwrap()).await.unwrap();
    assert_eq!(named, (1, 2));
}

/// The first URL of a list in the environment.
fn url(name: &str) -> Option<String> {
    let urls = std::env::var(name).unwrap_or_default();
    let first = urls.split_whitespace().next().map(str::to_owned);
    if first.is_none() {
        isogloss_testkit::skipped(format_args!("no {name}"));
    }
    first
}

#[tokio::test]
async fn rows_go_to_sqlite_and_come_back() {
    let backend = SqliteBackend::open(SqliteOptions::memory()).await.unwrap();
    let (connection, target) = prepared(&backend, &SQLITE, &[]).await;
    there_and_back(connection, target).await;
}

#[tokio::test]
async fn rows_go_to_postgres_and_come_back() {
    use isogloss::postgres::driver::{PostgresBackend, PostgresOptions};
    let Some(url) = url("ISOGLOSS_POSTGRES_URL") else { return };
    let backend = PostgresBackend::connect(PostgresOptions::url(&url).unwrap()).await.unwrap();
    let schema = format!("entities_{}", std::process::id());
    let before = [
        format!("DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema}"),
        format!("SET search_path TO {schema}"),
    ];
    let (connection, target) = prepared(&backend, &POSTGRES, &before).await;
    let result = tokio::spawn(there_and_back(connection, target)).await;
    let mut connection = backend.connect().await.unwrap();
    let own = format!("CREATE TYPE {schema}.channel AS ENUM ('web', 'by_phone')");
    connection.script(&own).await.unwrap();
    let sql = format!("SELECT ARRAY[1, 2]::bigint[], NULL::text[], 'by_phone'::{schema}.channel, 15000000::bigint");
    let statement = Compiled { sql, ..Compiled::default() };
    type Read = (Vec<i64>, Option<Vec<String>>, Channel, chrono::TimeDelta);
    let read: Result<Read, _> = connection.fetch_one(&statement).await;
    connection.script(&format!("DROP SCHEMA {schema} CASCADE")).await.unwrap();
    assert_eq!(read.unwrap(), (vec![1, 2], None, Channel::ByPhone, chrono::TimeDelta::milliseconds(1500)));
    result.unwrap();
}

#[cfg(feature = "mysql")]
#[tokio::test]
async fn rows_go_to_mysql_and_come_back() {
    use isogloss::mysql::driver::{MySqlBackend, MySqlOptions};
    let Some(url) = url("ISOGLOSS_MYSQL_URL") else { return };
    let backend = MySqlBackend::connect(MySqlOptions::url(&url).unwrap()).await.unwrap();
    let schema = format!("entities_{}", std::process::id());
    let before = [format!("DROP DATABASE IF EXISTS {schema}; CREATE DATABASE {schema}"), format!("USE {schema}")];
    let (connection, target) = prepared(&backend, backend.ddl(), &before).await;
    let result = tokio::spawn(there_and_back(connection, target)).await;
    let mut connection = backend.connect().await.unwrap();
    connection.script(&format!("DROP DATABASE {schema}")).await.unwrap();
    result.unwrap();
}

async fn there_and_back(mut connection: AnyConnection, target: Arc<Target>) {
    let region = Region { code: "EU".into(), region_name: "Europe".into() };
    insert(&mut connection, &target, &region).await;
    let address = Address { street: "High St".into(), zip: 123 };
    let customer =
        Customer { name: "Ann".into(), region_code: Some("EU".into()), address: Some(address), ..Customer::default() };
    insert(&mut connection, &target, &customer).await;
    insert(&mut connection, &target, &order()).await;

    let query = from("Customer");
    let customers: Vec<Customer> = connection.fetch(&target.compile(&query).unwrap()).await.unwrap();
    assert_eq!(customers, [Customer { id: CustomerId(1), ..customer }]);

    // What a select without a list leaves out is its default.
    let query = from("Order").filter(Order::ID.eq(100));
    let found: Order = connection.fetch_one(&target.compile(&query).unwrap()).await.unwrap();
    let kept = Order { id: 100, total: Decimal::from(50), secret: String::new(), ..order() };
    assert_eq!(found, kept);

    let query = from("OrderRegionView").filter(OrderView::CUSTOMER_NAME.eq("Ann"));
    let view: OrderRegionView = connection.fetch_one(&target.compile(&query).unwrap()).await.unwrap();
    assert_eq!((view.region.as_deref(), view.customer_name.as_deref()), (Some("Europe"), Some("Ann")));
    assert_eq!(view.view.order, kept);

    // Scalars, and an enumeration by name from where only its number is stored.
    let query = from("Order").select([Order::STATUS]).into_segment();
    let status: Status = connection.fetch_one(&target.compile(&query).unwrap()).await.unwrap();
    assert_eq!(status, Status::Shipped);
    let query = from("Order").select([Order::TIP]).into_segment();
    let tip: Option<i64> = connection.fetch_one(&target.compile(&query).unwrap()).await.unwrap();
    assert_eq!(tip, None);
}

#[test]
fn values_are_stored_and_taken_back() {
    let mut order = order();
    assert_eq!(order.value(1), Ok(Value::Int(1)));
    assert_eq!(order.value(4), Ok(Value::Int(10)));
    assert_eq!(order.value(5), Ok("by_phone".into()));
    assert_eq!(order.value(7), Ok(Value::Null));
    assert_eq!(order.value(8), Ok(Value::Json(r#"["a","b\"c"]"#.into())));
    assert_eq!(order.value(99).unwrap_err().to_string(), "`Order` has no column 99, counted from 0");
    order.set(0, &Value::Int(77)).unwrap();
    order.set(4, &"paid".into()).unwrap();
    order.set(7, &Value::Int(5)).unwrap();
    assert_eq!((order.id, order.status, order.tip), (77, Status::Paid, Some(Money(5))));
    assert_eq!(
        order.set(0, &"x".into()).unwrap_err().to_string(),
        "Order.Id (column `id`): a whole number is wanted, it is text"
    );
    order.fee = Money(-1);
    assert_eq!(order.value(6).unwrap_err().to_string(), "Order.Fee (column `fee_cents`): money is not negative");
    let _: Column<Order, JsonText> = Order::TAGS;
    let _: Column<Order, Option<i64>> = Order::TIP;
}

#[test]
fn a_value_of_another_kind_is_taken_if_it_is_the_same() {
    // What a column of another type gives back: `#[column(type = "Decimal")] id: i64`.
    let decimal = |text: &str| Value::from(text.parse::<Decimal>().unwrap());
    let mut order = order();
    order.set(0, &decimal("77.00")).unwrap();
    assert_eq!(order.id, 77);
    assert_eq!(
        order.set(0, &decimal("77.5")).unwrap_err().to_string(),
        "Order.Id (column `id`): a whole number is wanted, it is decimal"
    );
    order.set(2, &Value::Int(5)).unwrap();
    assert_eq!(order.amount, Decimal::from(5));
    assert!(order.set(3, &Value::Int(3_000_000_000)).is_err());
    assert_eq!(f64::load(&decimal("1.5")), Ok(1.5));
    assert_eq!(f32::load(&Value::Float(1.5)), Ok(1.5));
    assert!(f32::load(&Value::Float(1e300)).is_err());
    assert!(f32::load(&Value::Float(f64::INFINITY)).is_ok_and(f32::is_infinite));
    assert_eq!(u64::load(&decimal("18446744073709551615")), Ok(u64::MAX));
    assert_eq!(bool::load(&Value::Int(1)), Ok(true));
    assert!(bool::load(&Value::Int(2)).is_err());
    let id = "67e55044-10b1-426f-9247-bb680e5fe0c8";
    assert_eq!(isogloss::uuid::Uuid::load(&id.into()).map(|id| id.to_string()), Ok(id.to_owned()));
}

/// The facade, given on by another crate under a name of its own.
mod toolbox {
    pub(crate) mod orm {
        pub(crate) use isogloss::*;
    }
}

mod given_on {
    use super::toolbox::orm::entity::{DbEnum, Entity, Field, FromRow, Linked as _, View};
    use super::toolbox::orm::model::Catalog;
    use super::toolbox::orm::{self, expr, query, sql};

    #[derive(Debug, Clone, Copy, PartialEq, DbEnum)]
    #[db_enum(crate = "super::toolbox::orm")]
    enum Color {
        Red = 1,
    }

    #[derive(Debug, Clone, Copy, PartialEq, Field)]
    #[field(crate = "super::toolbox::orm")]
    struct PaintId(i64);

    #[derive(Debug, PartialEq, Entity)]
    #[table(crate = "super::toolbox::orm")]
    struct Paint {
        #[column(primary_key, identity)]
        id: PaintId,
        color: Color,
        #[column(json)]
        tags: Vec<String>,
    }

    #[derive(Debug, PartialEq, View)]
    #[view(of = Paint, crate = "super::toolbox::orm")]
    struct PaintView {
        paint: Paint,
    }

    #[derive(Debug, PartialEq, FromRow)]
    #[from_row(crate = "super::toolbox::orm")]
    #[allow(dead_code, reason = "only its derive is compiled")]
    struct Colors {
        color: Color,
        count: i64,
    }

    #[test]
    fn a_crate_that_gives_the_facade_on_is_named() {
        let catalog = Catalog::builder().entity::<Paint>().entity::<PaintView>().build().unwrap();
        let red = Color::Red;
        let filter = expr!(|p: Paint| p.color == red && exists::<Paint>(|other| other.id != p.id));
        let query = query!(|p: PaintView| p.filter(filter).take(1));
        let template = sql!("SELECT {AllFields} FROM {From} WHERE {filter}", filter = expr!(|p: Paint| p.color == red));
        let compiler = orm::Compiler::new(catalog);
        assert!(compiler.compile(&query, &orm::SQLITE).is_ok());
        assert!(compiler.compile_with(&template, &orm::Request::of("Paint"), &orm::SQLITE).is_ok());
    }
}

#[test]
fn what_is_generic_is_registered_by_hand() {
    let catalog = builder().entity::<Setting<Option<String>>>().build().unwrap();
    let (_, setting) = catalog.entity("Setting").unwrap();
    assert!(setting.columns[1].nullable && setting.columns[1].ty == DbValueType::String.into());
    let row = Setting { id: 1, value: Some("x".to_owned()) };
    assert_eq!(row.value(1), Ok("x".into()));
    let filter = Setting::<Option<String>>::VALUE.eq("x") & Setting::<Option<String>>::columns(None).id.eq(1);
    assert!(Compiler::new(catalog).compile(&Expr::from(from("Setting").filter(filter)), &SQLITE).is_ok());
}

mod bad {
    //! Definitions that only the catalog can judge.
    use super::*;

    #[derive(Debug, Entity)]
    #[table(register = false)]
    pub(crate) struct Wrong {
        #[column(primary_key)]
        pub(crate) id: i32,
        #[foreign("Nowhere")]
        pub(crate) other: i32,
        #[column(constant = "Closed")]
        pub(crate) status: Status,
        #[column(computed = "{Pric} * 2")]
        pub(crate) price: Decimal,
    }

    #[derive(Debug, View)]
    #[view(of = Wrong, register = false)]
    pub(crate) struct WrongView {
        pub(crate) wrong: Wrong,
        #[foreign_column("Elsewhere")]
        pub(crate) name: String,
    }
}

#[test]
fn the_catalog_names_what_is_wrong() {
    let errors = builder().entity::<bad::Wrong>().entity::<bad::WrongView>().build().unwrap_err().to_string();
    for says in [
        "`Nowhere`",
        "constant of column `Status`: text \"Closed\" does not fit `Status`, Int32: expected `Open`, `Paid`, `Gone`",
        "`Price`",
        "`Elsewhere`",
    ] {
        assert!(errors.contains(says), "{says}: {errors}");
    }
    let alone = Catalog::builder().entity::<OrderView>().build().unwrap_err().to_string();
    assert!(alone.contains("view `OrderView` is over `Order`, which is not defined"), "{alone}");
}

/// A shard a year.
#[derive(Debug, Default, Entity)]
#[table(name = "log_{0}", arged, register = false, data_source = "archive", fixed_filter = prop("Level").gt(0))]
struct Log {
    #[column(primary_key)]
    id: i64,
    level: i32,
    year: i32,
}

impl Arged for Log {
    fn table_args(&self) -> Vec<String> {
        vec![self.year.to_string()]
    }
}

#[test]
fn a_row_may_say_its_shard() {
    let log = Log { id: 1, level: 2, year: 2024 };
    assert_eq!(Table::table_args(&log), ["2024"]);
    assert!(Table::table_args(&order()).is_empty());
    let catalog = builder().entity::<Log>().build().unwrap();
    let (_, entity) = catalog.entity("Log").unwrap();
    assert_eq!(entity.data_source.as_deref(), Some("archive"));
    assert!(entity.fixed_filter.is_some());
}
