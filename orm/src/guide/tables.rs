//! Tables from the catalog.
//!
//! With the feature `ddl`, a dialect is a [`Ddl`](crate::driver::ddl::Ddl): it makes the statements that create a table with
//! its indexes, add a column, and drop a table. What each type becomes, and what the tables hold about collations, is said at
//! [`driver::ddl`](crate::driver::ddl). A backend that runs has it as `backend.ddl()`.
//!
//! ```
//! use isogloss::driver::ddl::Ddl;
//! use isogloss::prelude::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let order = TableDef::new("Order")
//!     .table("Orders_{0}")
//!     .column(ColumnDef::new("Id", DbValueType::Int64).primary_key().identity(1000, 1))
//!     .column(ColumnDef::new("No", DbValueType::String).length(20).unique())
//!     .column(ColumnDef::new("Qty", DbValueType::Int32))
//!     .column(ColumnDef::new("Price", DbValueType::Decimal).precision(18, 2))
//!     .column(ColumnDef::new("Total", DbValueType::Decimal).precision(18, 2).computed("{Qty} * {Price}"));
//! let catalog = Catalog::builder().table(order).build()?;
//! let (order, _) = catalog.entity("Order").ok_or("no entity")?;
//!
//! let statements = SQLITE.create_table(&catalog, order, &["2024".into()])?;
//! assert!(statements[0].starts_with(r#"CREATE TABLE "Orders_2024" ( "Id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT"#));
//! // SQLite counts from 1 unless it is told otherwise.
//! assert_eq!(statements[1], r#"INSERT INTO "sqlite_sequence" (name, seq) VALUES ('Orders_2024', 999)"#);
//! assert_eq!(statements[2], r#"CREATE UNIQUE INDEX "IX_Orders_2024_No" ON "Orders_2024" ("No")"#);
//! # Ok(()) }
//! ```
//!
//! What an engine cannot do is an error, as everywhere: a step other than 1 on SQLite and MySQL, a number that is no key on
//! SQLite, a name that PostgreSQL would cut off.
