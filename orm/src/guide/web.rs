//! Queries of untrusted clients: reading, checking, conditions of a request.
//!
//! A client's filter is checked three times, and each error names the place in the client's own text:
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/shop.rs"));
//! use isogloss::expr::SqlSegment;
//! use isogloss::{Request, SQLITE};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let shop = shop()?;
//! fn orders(shop: &Compiler, text: &str, user: i32) -> Result<SqlSegment, Box<dyn std::error::Error>> {
//!     // 1. The notation, within limits.
//!     let filter: LogicExpr = json::read(text, &json::ReadLimits::DEFAULT)?;
//!     // 2. What a client may name.
//!     QueryPolicy::new("OrderView").check(&filter, shop.catalog())?;
//!     // 3. The catalog: compiled by itself, an error's path is one in the client's text.
//!     shop.compile_with(&filter, &Request::of("OrderView"), &SQLITE)?;
//!     // Outside of the client's filter, and before it: what the request's user may see. And how many rows.
//!     Ok(from("OrderView").filter(prop("CustomerId").eq(user)).filter(filter).order_by(["Id"]).take(20))
//! }
//!
//! let query = orders(&shop, r##"{"$or":[{"$":">","Left":{"#":"Total"},"Right":100},{"$":"==","Left":{"#":"Id"},"Right":1}]}"##, 7)?;
//! let statement = shop.compile(&query, &SQLITE)?;
//! assert!(statement.sql.ends_with(
//!     r#"WHERE "T0"."CustomerId" = ? AND ("T0"."Total" > ? OR "T0"."Id" = ?) ORDER BY "T0"."Id" LIMIT ?"#
//! ));
//!
//! let error = orders(&shop, r##"{"$":">","Left":{"#":"Totl"},"Right":100}"##, 7).unwrap_err();
//! assert_eq!(error.to_string(), "`Totl` is not available on `OrderView` at $.Left");
//! # Ok(()) }
//! ```
//!
//! What [`from`](crate::expr::from) without a select list gives is every readable column, also those that are
//! [`not_filterable`](crate::model::ColumnDef::not_filterable): that says what a client may name, not what a query returns.
//! A column that no query should select has a [`mode`](crate::model::ColumnDef::mode) without
//! [`READ`](crate::model::ColumnMode::READ); a page that goes to a client is best given its list of columns.
//!
//! # The user or tenant of a request
//!
//! Give them to the compilation as a [`Scope`](crate::Scope). It stands in front of the client's filter, and on every other table
//! that the query reaches: what a view joins, what an `EXISTS` or a subquery of the client's looks into. Its values are bound.
//! No JSON names it or switches it off.
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/shop.rs"));
//! use isogloss::{Request, SQLITE};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let shop = shop()?;
//! let scope = Scope::new().column("CustomerId", 7); // every entity that has the property
//! scope.check(shop.catalog())?;
//! let theirs = json::from_str(r##"{"$or":[{"$":">","Left":{"#":"Total"},"Right":100},{"$":"==","Left":{"#":"Id"},"Right":1}]}"##)?;
//! let statement = shop.compile_with(&theirs, &Request::of("OrderView").scope(&scope), &SQLITE)?;
//! assert!(statement.sql.ends_with(r#"WHERE "T0"."CustomerId" = ? AND ("T0"."Total" > ? OR "T0"."Id" = ?)"#));
//! # Ok(()) }
//! ```
//!
//! An entity that is [`scoped`](crate::model::TableDef::scoped) is refused in a statement without one. A session of the data access
//! layer carries its scope into everything that it compiles.
//!
//! A condition that is no scope is ANDed outside of the client's filter, as above: whatever the filter says, it stays inside of its
//! parentheses. In an UPDATE or DELETE, `filter` does the same.
//!
//! Put it before the client's filter, as a scope is. Filters stand in the text in the order given, and an engine that goes by it does not
//! evaluate a client's `Total * 1000000 > 1` on the rows of others, where an overflow would tell that there are such rows.
//! No engine promises that order: an index may make another one cheaper. So an error of a client's statement is an answer,
//! too. Say that the query failed, log the engine's text, and do not pass it on. Where even that says too much, keep the tenants
//! apart in the engine, as below.
//!
//! Do not use [`fixed_filter`](crate::model::TableDef::fixed_filter) or a column's
//! [`constant`](crate::model::ColumnDef::constant) for it. They are for what the model fixes for good (a soft delete, a kind of
//! row): a catalog is built once and shared by all requests, its texts are prepared for all of them, and its constants
//! stand in the text. With one catalog for each tenant, a mix-up of two catalogs is a leak, and each prepares its own texts.
//!
//! Other than a scope, a condition on the root does **not** reach the other tables of the query. So, where a table has no filter in
//! the scope:
//!
//! - allow a client only entities that are reached from the root by a key of the same tenant, where the root's condition
//!   settles theirs; a policy allows none but the root from the start, and that as the outermost source only: in a subquery
//!   over it the client would see the rows that the condition leaves out;
//! - where a table of its own needs it, AND it inside: `exists_related("Order", filter & prop("TenantId").eq(tenant))`;
//! - or keep the tenants apart in the engine: row level security, a schema or a table for each
//!   (`TableDef::table("orders_{0}")` with [`Request::table_args`](crate::Request::table_args)).
