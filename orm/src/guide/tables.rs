//! DDL: creating tables from the catalog.
//!
//! With the feature `ddl`, every dialect implements [`Ddl`](crate::driver::ddl::Ddl), which generates the statements that create
//! a table with its indexes, add a column, and drop a table. [`driver::ddl`](crate::driver::ddl) describes the types and
//! collations of columns. For an open backend it is `backend.ddl()`.
//!
//! ```
//! use isogloss::driver::ddl::Ddl;
//! use isogloss::expr::DbValueType;
//! use isogloss::model::{ColumnDef, TableDef};
//! use isogloss::prelude::*;
//! use isogloss::SQLITE;
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
//! Definitions that an engine does not support are errors: an increment other than 1 on SQLite and MySQL, an identity column
//! that is not the key on SQLite, a name that PostgreSQL would truncate.
