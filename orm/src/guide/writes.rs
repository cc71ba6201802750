//! Writes: INSERT, UPDATE, DELETE and upserts.
//!
//! A statement is compiled as a query is. The fixed filter of its table holds in it, and one that could change every row is
//! refused unless it says so. An assignment is a CAST to the type of its property, see
//! [`UpdateExpr::sets`](crate::expr::UpdateExpr::sets).
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/shop.rs"));
//! use isogloss::expr::value;
//! use isogloss::SQLITE;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let shop = shop()?;
//! let insert = table("Customer")
//!     .insert_rows(["Name", "City"], [("Ann", Some("Rome")), ("Bob", None)])
//!     .returning(["Id"]);
//! assert_eq!(
//!     shop.compile(&insert, &SQLITE)?.sql,
//!     r#"INSERT INTO "Customer" ("Name", "City") VALUES (?, ?), (?, ?) RETURNING "Customer"."Id""#
//! );
//!
//! let copy = table("Customer").insert_query(["Name"], from("Employee").select(["Name"]));
//! assert_eq!(
//!     shop.compile(&copy, &SQLITE)?.sql,
//!     r#"INSERT INTO "Customer" ("Name") SELECT "T1"."Name" FROM "Employee" "T1""#
//! );
//!
//! let update = table("Order").update([("Total", prop("Total") * 2)]).set("Day", "2024-01-01").filter(prop("Id").eq(7));
//! assert_eq!(
//!     shop.compile(&update, &SQLITE)?.sql,
//!     r#"UPDATE "Orders" AS "T0" SET "Total" = "T0"."Total" * ?, "Day" = ? WHERE "T0"."Id" = ?"#
//! );
//!
//! // A condition that may be absent cannot empty a table by mistake, nor can one whose constants make it true of every
//! // row. What names a column is not looked into: `Id = Id` is a condition.
//! let before: Option<&str> = None;
//! let delete = table("Order").delete().filter(before.map(|day| prop("Day").lt(day)));
//! assert!(shop.compile(&delete, &SQLITE).is_err());
//! assert!(shop.compile(&table("Order").delete().filter(prop("Id").eq(7) | value(1).eq(1)), &SQLITE).is_err());
//! assert_eq!(shop.compile(&delete.all_rows(), &SQLITE)?.sql, r#"DELETE FROM "Orders" AS "T0""#);
//! # Ok(()) }
//! ```
//!
//! # Upserts
//!
//! Each engine's own: `ON CONFLICT`, `ON DUPLICATE KEY UPDATE` or `MERGE`. In `Update`, `excluded` is the proposed row and a
//! bare name the one that is there:
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/shop.rs"));
//! use isogloss::expr::ConflictAction;
//! use isogloss::{MYSQL, SQLITE};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let shop = shop()?;
//! let row = || table("Stock").insert_rows(["Sku", "Qty"], [("A-1", 5)]);
//! assert_eq!(
//!     shop.compile(&row().on_conflict_update(["Sku"]), &SQLITE)?.sql,
//!     r#"INSERT INTO "Stock" ("Sku", "Qty") VALUES (?, ?) ON CONFLICT ("Sku") DO UPDATE SET "Qty" = EXCLUDED."Qty""#
//! );
//!
//! let sum = prop("Qty") + prop_of("excluded", "Qty");
//! let add = row().conflict(["Sku"], ConflictAction::Update(vec![("Qty".into(), sum)]));
//! assert_eq!(
//!     shop.compile(&add, &SQLITE)?.sql,
//!     r#"INSERT INTO "Stock" ("Sku", "Qty") VALUES (?, ?) ON CONFLICT ("Sku") DO UPDATE SET "Qty" = "Stock"."Qty" + EXCLUDED."Qty""#
//! );
//! assert!(shop.compile(&row().on_conflict_do_nothing(["Sku"]), &MYSQL).is_ok());
//! # Ok(()) }
//! ```
//!
//! # Many rows
//!
//! `insert_rows` takes as many rows as the engine takes parameters ([`Limits`](crate::dialect::Limits) of the dialect's
//! [`sheet`](crate::dialect::Dialect::sheet)); a statement is never split, so insert the rows in chunks of
//! `limits.parameters / columns`.
