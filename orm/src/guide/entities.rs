//! Entities: tables, views and rows as structs.
//!
//! With the feature `entities`, a struct says what its table is, and conditions are made of its columns: a misspelt one, or
//! one that is compared with what it cannot hold, does not compile.
//!
//! ```standalone_crate
//! use isogloss::entity::catalog;
//! use isogloss::expr::Decimal;
//! use isogloss::prelude::*;
//! use isogloss::{Compiler, SQLITE};
//!
//! /// An enum is stored by its numbers, or by its names with `#[db_enum(text)]`.
//! #[derive(Debug, Clone, Copy, PartialEq, DbEnum)]
//! enum Status { Open = 1, Paid = 2 }
//!
//! /// A type of its own for a number: it compares with nothing else.
//! #[derive(Debug, Clone, Copy, PartialEq, Field)]
//! struct CustomerId(i64);
//!
//! #[derive(Debug, Entity)]
//! #[table(name = "customers", columns = "snake_case")]
//! struct Customer {
//!     #[column(primary_key, identity)]
//!     id: CustomerId,
//!     #[column(length = 100)]
//!     full_name: String, // the property `FullName`, the column `full_name`
//! }
//!
//! #[derive(Debug, Entity)]
//! #[table(name = "orders", columns = "snake_case")]
//! struct Order {
//!     #[column(primary_key, identity(start = 1000, increment = 1))]
//!     id: i64,
//!     #[foreign(Customer)]
//!     customer_id: CustomerId,
//!     #[column(precision = 18, scale = 2)]
//!     amount: Decimal,
//!     status: Status,
//!     note: Option<String>, // may be NULL
//!     #[column(json)]
//!     tags: Vec<String>, // what serde reads and writes
//!     #[column(constant = false)]
//!     deleted: bool, // a part of every condition
//!     #[column(timestamp)]
//!     version: i64,
//! }
//!
//! /// An order with a column of who bought it. It derefs to the order.
//! #[derive(Debug, View)]
//! #[view(of = Order)]
//! struct OrderView {
//!     order: Order,
//!     #[foreign_column(Customer, property = full_name)]
//!     customer_name: Option<String>,
//! }
//!
//! // What is derived is linked into one catalog, which is checked once.
//! let compiler = Compiler::new(catalog()?.clone());
//! let filter = Order::AMOUNT.gt(100) & Order::STATUS.eq(Status::Open) & OrderView::CUSTOMER_NAME.is_not_null();
//! let query = from(OrderView::NAME).filter(filter).select([Order::ID]).into_segment();
//! assert_eq!(
//!     compiler.compile(&query, &SQLITE)?.sql,
//!     r#"SELECT "T0"."id" AS "Id" FROM "orders" "T0" LEFT JOIN "customers" "Customer" ON "T0"."customer_id" = "Customer"."id" WHERE "T0"."deleted" = FALSE AND "T0"."amount" > ? AND "T0"."status" = ? AND "Customer"."full_name" IS NOT NULL"#
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - **Names**: a property is the field's name in `PascalCase`, and so is its column unless `columns` or `name` says
//!   otherwise. `Order::AMOUNT` is a typed column, `Order::columns(Some("T1"))` are all of a table under an alias.
//!   `Order::NAME` is the entity's own name, unless it has a field `name`: `<Order as Entity>::NAME` always is.
//! - **Types**: numbers, texts, bytes, dates, UUIDs, spans of time, `Decimal`, `Option` of each, enums, newtypes, `Json<T>`.
//!   Another type has a converter, which says what is stored: `#[column(converter = Cents)]`, see
//!   [`Converter`](crate::entity::Converter).
//! - **Relations**: `#[foreign(Customer, alias = "Buyer", join = Inner, auto_expand)]` on the column that holds the other's
//!   key, several times if need be. `#[table_join(Line, keys(order_id, no))]` on the struct is one by several columns, in
//!   the order of `Line`'s key; with `source = Order` it is one from a table that is joined itself. `enforced` says that the
//!   database has a foreign key constraint: a count leaves such an inner join out. What only the program knows when it runs
//!   is a text: `"Audit"`.
//! - **What the database writes**: an identity, a `computed = "{Price} * {Qty}"`, a `timestamp` whose `mode` has no
//!   `update`; every other `timestamp` is renewed by the program. NULL, 0 and the first
//!   moment of 1970 mean that a row was never read: let what inserts rows without this library begin at 1. A column whose
//!   `mode` has no `read` is not in a select without a list, and its field is `Default` then. An insert stores in the entity the
//!   identity, the `timestamp`, and the default of a column that only an update writes (`mode = "read|update"`). A computed
//!   value is in the entity when the row is read again.
//! - **Order**: `<` is there for what SQL orders as Rust does, [`Ordered`](crate::entity::Ordered). A text enum is not: its
//!   column is ordered by names.
//! - **Another name for this crate**: the macros take its path along. The derives are told, as serde's are:
//!   `#[table(crate = "orm")]`, `#[view(.., crate = "orm")]`, `#[db_enum(crate = "orm")]`, `#[field(crate = "orm")]`,
//!   `#[from_row(crate = "orm")]`.
//! - **What contradicts itself** does not compile: `identity` on a text, `constant` beside `computed`, a key that is an
//!   `Option`. What only the definitions of all tables show, [`catalog`](crate::entity::catalog) tells by name.
//!
//! # Rows
//!
//! A row becomes a struct by its columns' names, in whatever order they come. So does what is no entity:
//!
#![cfg_attr(feature = "driver", doc = "```standalone_crate")]
#![cfg_attr(not(feature = "driver"), doc = "```ignore")]
//! use isogloss::driver::ddl::Ddl;
//! use isogloss::driver::{Backend, ConnectionExt, rows};
//! use isogloss::entity::{Table as _, catalog};
//! use isogloss::expr::SelectItemExpr;
//! use isogloss::prelude::*;
//! use isogloss::sqlite::driver::{SqliteBackend, SqliteOptions};
//! use isogloss::{Compiler, SQLITE};
//!
//! #[derive(Debug, PartialEq, Entity)]
//! struct City {
//!     #[column(primary_key)]
//!     name: String,
//!     country: String,
//!     people: Option<i64>,
//! }
//!
//! #[derive(Debug, PartialEq, FromRow)]
//! struct Country {
//!     country: String,
//!     #[column(name = "cities")]
//!     count: i64,
//!     people: Option<i64>,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let backend = SqliteBackend::open(SqliteOptions::memory()).await?;
//! let mut connection = backend.connect().await?;
//! let catalog = catalog()?;
//! let (id, entity) = catalog.entity("City").ok_or("no entity")?;
//! for statement in SQLITE.create_table(catalog, id, &[])? {
//!     connection.script(&statement).await?;
//! }
//! let target = Compiler::new(catalog.clone()).target(backend.dialect());
//!
//! // A struct gives the values of its columns by their number.
//! let cities = [("Rome", Some(2_800_000)), ("Siena", None)]
//!     .map(|(name, people)| City { name: name.into(), country: "IT".into(), people });
//! let values = |city: &City| (0..entity.columns.len()).map(|column| city.value(column)).collect::<Result<Vec<_>, _>>();
//! let values = cities.iter().map(values).collect::<Result<Vec<_>, _>>()?;
//! let insert = target.bulk_insert("City", &["Name", "Country", "People"], &[])?;
//! connection.bulk_insert(&insert, rows(values)).await?;
//!
//! let all = from("City").order_by([City::PEOPLE.desc()]);
//! assert_eq!(connection.fetch::<City>(&target.compile(&all)?).await?, cities);
//!
//! let italian = City::COUNTRY.eq("IT");
//! let (cities, people) = (City::NAME.count().alias("cities"), City::PEOPLE.max().alias("People"));
//! let list = [SelectItemExpr::from(City::COUNTRY), cities.into(), people.into()];
//! let count = from("City").filter(italian).group_by([City::COUNTRY]).select(list).into_segment();
//! let countries: Vec<Country> = connection.fetch(&target.compile(&count)?).await?;
//! assert_eq!(countries, [Country { country: "IT".into(), count: 2, people: Some(2_800_000) }]);
//! # Ok(()) }
//! ```
//!
//! Of several columns of one name the first is meant; give the others an alias. A tuple is read by position.
//!
//! A NULL where the field is no `Option`, or a value of another type, is an error that names entity, property and column:
//! ``City.People: it is NULL, and the field is no `Option`: make it one, or leave such rows out``.
//!
//! # Generics, and what is defined elsewhere
//!
//! A generic struct registers nothing, as nobody knows for which types; add those that are used. Definitions that are known
//! only at run time stand beside it:
//!
//! ```standalone_crate
//! use isogloss::entity::{Linked, linked};
//! use isogloss::expr::DbValueType;
//! use isogloss::model::{ColumnDef, TableDef};
//! use isogloss::prelude::*;
//!
//! #[derive(Entity)]
//! struct Setting<T: Field> {
//!     #[column(primary_key)]
//!     key: String,
//!     value: T,
//! }
//!
//! let audit = TableDef::new("Audit").column(ColumnDef::new("Id", DbValueType::Int64).primary_key());
//! let catalog = linked().entity::<Setting<Option<f64>>>().table(audit).build()?;
//! assert!(catalog.entity("Setting").is_some() && catalog.entity("Audit").is_some());
//! assert_eq!(Setting::<f64>::VALUE.name(), "Value");
//! # Ok::<(), isogloss::model::CatalogErrors>(())
//! ```
