//! One expression tree, and its SQL for PostgreSQL, MySQL and MariaDB, SQLite, SQL Server and Oracle: with the same
//! answer on each of them, or refused with an error that says why.
//!
//! A tree is built by functions and operators, or read from a client's JSON. A [`Catalog`](model::Catalog) says what the
//! tables are, a [`Compiler`] makes SQL of both, for any [`Dialect`](dialect::Dialect). Nothing here does I/O.
//!
// The texts hold where all three dialects are there.
#![cfg_attr(all(feature = "sqlite", feature = "postgres", feature = "sqlserver"), doc = "```")]
#![cfg_attr(not(all(feature = "sqlite", feature = "postgres", feature = "sqlserver")), doc = "```ignore")]
//! use isogloss::prelude::*;
//!
//! let catalog = Catalog::builder()
//!     .table(
//!         TableDef::new("User")
//!             .table("Users")
//!             .column(ColumnDef::new("Id", DbValueType::Int32).primary_key())
//!             .column(ColumnDef::new("Name", DbValueType::String).length(100))
//!             .column(ColumnDef::new("Admin", DbValueType::Boolean)),
//!     )
//!     .build()?;
//! let compiler = Compiler::new(catalog);
//!
//! let admins = from("User").filter(prop("Admin").is_true()).order_by([prop("Id").asc()]).take(10).select([prop("Name")]);
//! let query = Expr::from(admins.into_segment());
//! let sql = |dialect: &dyn Dialect| compiler.compile(&query, dialect).map(|compiled| compiled.sql);
//!
//! // A boolean is a predicate by itself in PostgreSQL and SQLite, a bit to compare in SQL Server.
//! assert_eq!(
//!     sql(&POSTGRES)?,
//!     r#"SELECT "T0"."Name" FROM "Users" "T0" WHERE "T0"."Admin" ORDER BY "T0"."Id" LIMIT $1"#
//! );
//! assert_eq!(
//!     sql(&SQLITE)?,
//!     r#"SELECT "T0"."Name" FROM "Users" "T0" WHERE "T0"."Admin" = 1 ORDER BY "T0"."Id" LIMIT ?"#
//! );
//! assert_eq!(
//!     sql(&SQLSERVER)?,
//!     "SELECT TOP (@P1) [T0].[Name] FROM [Users] [T0] WHERE [T0].[Admin] = 1 ORDER BY [T0].[Id]"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # From outside
//!
//! A filter from a client is read within limits, checked against what a [`QueryPolicy`](walk::QueryPolicy) allows, and
//! only then compiled:
//!
//! ```
//! use isogloss::prelude::*;
//! # let user = TableDef::new("User")
//! #     .column(ColumnDef::new("Id", DbValueType::Int32).primary_key())
//! #     .column(ColumnDef::new("Name", DbValueType::String))
//! #     .column(ColumnDef::new("Password", DbValueType::String).not_filterable());
//! # let catalog = Catalog::builder().table(user).build()?;
//! let filter = json::from_str(r##"{"$":"startswith","Left":{"#":"Password"},"Right":"a"}"##)?;
//! let refusal = QueryPolicy::new("User").check(&filter, &catalog).unwrap_err();
//! assert_eq!(refusal.to_string(), "`Password` is not available on `User`; at $.Left");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use isogloss_compiler::*;

/// What runs statements: backends, connections, rows; and what makes tables.
#[cfg(any(feature = "driver", feature = "ddl", feature = "diesel", feature = "sea-query"))]
pub use isogloss_driver as driver;

mod dialects;
// Its examples run where the dialects are that they show.
#[cfg(any(not(doctest), all(feature = "sqlite", feature = "postgres", feature = "mysql")))]
pub mod guide;
pub mod prelude;

pub use dialects::*;

/// The README's example runs, too.
#[cfg(all(
    doctest,
    feature = "sqlite",
    feature = "postgres",
    feature = "mysql",
    feature = "sqlserver",
    feature = "oracle"
))]
#[doc = include_str!("../../README.md")]
struct Readme;
