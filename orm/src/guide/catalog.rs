//! The catalog: definitions of tables, columns, relations and views.
//!
//! ```
//! use isogloss::expr::DbValueType;
//! use isogloss::model::{ColumnDef, ForeignType, TableDef, ViewDef};
//! use isogloss::prelude::*;
//! use isogloss::{Compiler, SQLITE};
//!
//! let catalog = Catalog::builder()
//!     .table(
//!         TableDef::new("Department")
//!             .table("hr.departments") // the entity's name if absent
//!             .column(ColumnDef::new("Id", DbValueType::Int32).column("id").primary_key().identity(1, 1))
//!             .column(ColumnDef::new("Name", DbValueType::String).column("name").length(100).unique())
//!             .column(ColumnDef::new("Deleted", DbValueType::Boolean).constant(false)),
//!     )
//!     .table(
//!         TableDef::new("User")
//!             .column(ColumnDef::new("Id", DbValueType::Int64).primary_key())
//!             .column(ColumnDef::new("Name", DbValueType::String).length(100))
//!             .column(ColumnDef::new("Role", DbValueType::Int32).enumeration([("Guest", 0), ("Admin", 1)]))
//!             .column(ColumnDef::new("Salary", DbValueType::Decimal).precision(18, 2).nullable())
//!             .column(ColumnDef::new("Password", DbValueType::String).length(60).not_filterable())
//!             .column(ColumnDef::new("DeptId", DbValueType::Int32).nullable().foreign(ForeignType::new("Department"))),
//!     )
//!     .view(ViewDef::new("UserView", "User").foreign_column("DeptName", "Department", "Name"))
//!     .build()?;
//!
//! let compiler = Compiler::new(catalog);
//! let admins = from("UserView").filter(prop("Role").eq("Admin")).select(["Name", "DeptName"]).into_segment();
//! assert_eq!(
//!     compiler.compile(&admins, &SQLITE)?.sql,
//!     r#"SELECT "T0"."Name", "Department"."name" AS "DeptName" FROM "User" "T0" LEFT JOIN "hr"."departments" "Department" ON "T0"."DeptId" = "Department"."id" AND "Department"."Deleted" = FALSE WHERE "T0"."Role" = ?"#
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - An **entity** is a table. A **view** is an entity with additional columns of related ones. Expressions use the names of
//!   entities and properties, SQL those of tables and columns.
//! - A **foreign type** is a column with another entity's primary key. Its join is generated when a column of the target is
//!   used, by the target's name or an [`alias`](crate::model::ForeignType::alias).
//!   [`auto_expand`](crate::model::ForeignType::auto_expand) lets a view use relations of the target, too. A name that two
//!   of these joins would have means neither: the relation takes an alias, or the other join is named after its parent,
//!   `User_Dept`. Where the
//!   database has a constraint for it, [`enforced`](crate::model::ForeignType::enforced) says so, and a count leaves its
//!   inner join out. A **table join**
//!   ([`TableJoinDef`](crate::model::TableJoinDef)) is a relation by several columns, or from a table that is joined itself;
//!   its `prime_keys` are the target's properties, if they are not its primary key.
//! - A **constant** and a **fixed filter** restrict every statement to rows that satisfy them, also in joins and `EXISTS`.
//! - All errors are reported together, each with its entity and column:
//!
//! ```
//! # use isogloss::expr::DbValueType;
//! # use isogloss::model::{ColumnDef, ForeignType, TableDef};
//! # use isogloss::prelude::*;
//! let errors = Catalog::builder()
//!     .table(TableDef::new("User").column(ColumnDef::new("DeptId", DbValueType::Int32).foreign(ForeignType::new("Dept"))))
//!     .build()
//!     .unwrap_err();
//! assert!(errors.to_string().contains("`Dept`"));
//! ```
//!
//! With the feature `definitions`, catalogs are read from TOML and JSON files: `CatalogBuilder::from_toml`, in the module
//! `model::definitions`.
