//! Compiles one expression tree to SQL for PostgreSQL, MySQL and MariaDB, SQLite, SQL Server and Oracle, with the same
//! answer on each of them, or refuses it with an error that says why.
//!
//! A tree is built by functions and operators, or read from a client's JSON. A [`Catalog`](model::Catalog) defines the
//! tables, and a [`Compiler`] compiles the tree for any [`Dialect`](dialect::Dialect), without I/O. Further layers are features
//! of this crate:
//!
//! | feature | what it adds |
//! |:--|:--|
//! | `driver` | connection pools for the engines, and rows as values of your types |
//! | `entities` | structs as tables, and conditions that are written in Rust |
//! | `orm` | both, with data sources, sessions and data access objects |
//! | `services` | entity services with events; methods with permissions, logs and transactions |
//! | `di` | services in a container, with a session for each scope |
//! | `blocking` | the data access layer without `async` |
//!
//! The crate `isogloss-web` generates an HTTP API from entities. The module `guide` has pages of examples by topic.
//!
// The texts hold where all three dialects are there.
#![cfg_attr(all(feature = "sqlite", feature = "postgres", feature = "sqlserver"), doc = "```")]
#![cfg_attr(not(all(feature = "sqlite", feature = "postgres", feature = "sqlserver")), doc = "```ignore")]
//! use isogloss::dialect::Dialect;
//! use isogloss::expr::{DbValueType, Expr};
//! use isogloss::model::{ColumnDef, TableDef};
//! use isogloss::prelude::*;
//! use isogloss::{Compiler, POSTGRES, SQLITE, SQLSERVER};
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
//! # Trees of untrusted clients
//!
//! A client's filter is read within limits, checked by a [`QueryPolicy`](walk::QueryPolicy), and only then compiled:
//!
//! ```
//! use isogloss::expr::DbValueType;
//! use isogloss::model::{ColumnDef, TableDef};
//! use isogloss::prelude::*;
//! # let user = TableDef::new("User")
//! #     .column(ColumnDef::new("Id", DbValueType::Int32).primary_key())
//! #     .column(ColumnDef::new("Name", DbValueType::String))
//! #     .column(ColumnDef::new("Password", DbValueType::String).not_filterable());
//! # let catalog = Catalog::builder().table(user).build()?;
//! let filter = json::from_str(r##"{"$":"startswith","Left":{"#":"Password"},"Right":"a"}"##)?;
//! let refusal = QueryPolicy::new("User").check(&filter, &catalog).unwrap_err();
//! assert_eq!(refusal.to_string(), "`Password` is not available on `User` at $.Left");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use isogloss_compiler::*;

/// The driver interface: backends, connections, rows, and DDL.
#[cfg(any(
    feature = "driver",
    feature = "ddl",
    feature = "diesel",
    feature = "sea-query",
    feature = "sqlx",
    feature = "entities"
))]
pub use isogloss_driver as driver;
#[cfg(feature = "migrate")]
pub use isogloss_migrate as migrate;

#[cfg(feature = "blocking")]
pub mod blocking;
#[cfg(feature = "orm")]
pub mod config;
#[cfg(feature = "di")]
pub mod container;
#[cfg(feature = "orm")]
pub mod context;
#[cfg(feature = "orm")]
pub mod dao;
mod dialects;
#[cfg(feature = "entities")]
pub mod entity;
#[cfg(feature = "orm")]
mod error;
#[cfg(feature = "entities")]
mod macros;
// Its examples run where the dialects are that they show.
#[cfg(any(not(doctest), all(feature = "sqlite", feature = "postgres", feature = "mysql")))]
pub mod guide;
#[cfg(feature = "orm")]
mod meter;
pub mod prelude;
#[cfg(feature = "orm")]
pub mod provider;
#[cfg(feature = "services")]
pub mod service;
#[cfg(feature = "orm")]
pub mod session;
#[cfg(feature = "orm")]
pub mod sync;

#[cfg(feature = "orm")]
pub use context::{Orm, OrmContext};
#[cfg(feature = "orm")]
pub use error::{OrmError, OrmResult};
#[cfg(feature = "orm")]
pub use session::Session;

pub use dialects::*;

/// The README's example runs, too.
#[cfg(all(doctest, feature = "orm", feature = "sqlite"))]
#[doc = include_str!("../../README.md")]
struct Readme;

#[cfg(all(
    doctest,
    feature = "services",
    feature = "sqlite",
    feature = "postgres",
    feature = "mysql",
    feature = "sqlserver",
    feature = "oracle"
))]
mod cookbook;

/// The chapters of the book run, too.
#[cfg(all(doctest, feature = "orm", feature = "sqlite"))]
mod book {
    #[doc = include_str!("../../docs/src/install.md")]
    struct Install;
    #[doc = include_str!("../../docs/src/entities.md")]
    struct Entities;
    #[doc = include_str!("../../docs/src/database.md")]
    struct Database;
    #[doc = include_str!("../../docs/src/conditions.md")]
    struct Conditions;
    #[doc = include_str!("../../docs/src/queries.md")]
    struct Queries;
    #[cfg(all(feature = "postgres", feature = "mysql", feature = "sqlserver", feature = "oracle"))]
    #[doc = include_str!("../../docs/src/typed-queries.md")]
    struct TypedQueries;
    #[doc = include_str!("../../docs/src/sessions.md")]
    struct Sessions;
    #[doc = include_str!("../../docs/src/daos.md")]
    struct Daos;
    #[doc = include_str!("../../docs/src/relations.md")]
    struct Relations;
    #[doc = include_str!("../../docs/src/batches.md")]
    struct Batches;
    #[cfg(feature = "services")]
    #[doc = include_str!("../../docs/src/services.md")]
    struct Services;
    #[cfg(feature = "services")]
    #[doc = include_str!("../../docs/src/events.md")]
    struct Events;
    #[cfg(feature = "services")]
    #[doc = include_str!("../../docs/src/permissions.md")]
    struct Permissions;
    #[doc = include_str!("../../docs/src/scopes.md")]
    struct Scopes;
    #[cfg(feature = "di")]
    #[doc = include_str!("../../docs/src/injection.md")]
    struct Injection;
    #[doc = include_str!("../../docs/src/shards.md")]
    struct Shards;
    #[doc = include_str!("../../docs/src/sync.md")]
    struct Sync;
    #[cfg(all(feature = "migrate", feature = "postgres"))]
    #[doc = include_str!("../../docs/src/migrations.md")]
    struct Migrations;
    #[doc = include_str!("../../docs/src/errors.md")]
    struct Errors;
    #[doc = include_str!("../../docs/src/operations.md")]
    struct Operations;
    #[doc = include_str!("../../docs/src/outside.md")]
    struct Outside;
    #[cfg(feature = "postgres")]
    #[doc = include_str!("../../docs/src/compiler.md")]
    struct Compiler;
    #[cfg(feature = "mysql")]
    #[doc = include_str!("../../docs/src/variants.md")]
    struct Variants;
    #[doc = include_str!("../../docs/src/engines.md")]
    struct Engines;
    #[doc = include_str!("../../docs/src/limits.md")]
    struct Limits;
    #[doc = include_str!("../../docs/src/proof.md")]
    struct Proof;
    #[doc = include_str!("../../docs/src/speed.md")]
    struct Speed;
}
