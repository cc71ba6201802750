//! SQL of the program's own: functions, fragments and templates.
//!
//! The SQL text of all of these is the program's, never a client's; values of clients are bound. Functions and fragments are in
//! the compiler's [`Registry`](crate::Registry):
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/shop.rs"));
//! use isogloss::expr::sql;
//! use isogloss::{FragmentContext, MYSQL, Registry, SQLITE};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let shop = shop()?;
//! let mut registry = Registry::default();
//!
//! // A function: its text for each dialect that has it, by the names of their sheets: `postgres`, `mysql`, `mariadb`,
//! // `sqlite`, `sqlserver`, `oracle`. On the others it is refused.
//! registry.function(
//!     "Soundex",
//!     Some(DbValueType::String.into()),
//!     [("mysql", "SOUNDEX({0})"), ("mariadb", "SOUNDEX({0})"), ("sqlserver", "SOUNDEX({0})"), ("oracle", "SOUNDEX({0})")],
//! )?;
//!
//! // A fragment: any predicate or value, with an argument.
//! registry.fragment("since", |cx: &mut FragmentContext<'_, '_>, day| {
//!     cx.column("Day")?;
//!     cx.text(" >= ");
//!     cx.bind(day.clone());
//!     Ok(())
//! });
//! let compiler = Compiler::with_registry(shop.catalog().clone(), registry);
//!
//! let alike = func("Soundex", [prop("Name")]).eq(func("Soundex", args!["Meier"]));
//! let query = from("Customer").filter(alike).select(["Id"]).into_segment();
//! assert!(compiler.compile(&query, &MYSQL)?.sql.contains("SOUNDEX(`T0`.`Name`)"));
//! assert!(compiler.compile(&query, &SQLITE).is_err_and(|error| error.is_refused()));
//!
//! let query = from("Order").filter(sql("since", "2024-01-01") & prop("Total").gt(5)).select(["Id"]).into_segment();
//! assert_eq!(
//!     compiler.compile(&query, &SQLITE)?.sql,
//!     r#"SELECT "T0"."Id" FROM "Orders" "T0" WHERE ("T0"."Day" >= ?) AND "T0"."Total" > ?"#
//! );
//! # Ok(()) }
//! ```
//!
//! A registered function hides the portable one of its name. A client may use a fragment or an own function only
//! where its [`QueryPolicy`](crate::walk::QueryPolicy) allows it by name.
//!
//! # Templates
//!
//! A whole statement of the program, with holes for values and expressions; [`ExprString`](crate::ExprString) has the notation:
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/shop.rs"));
//! use isogloss::{ExprString, Request, SQLITE};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let shop = shop()?;
//! let template = ExprString::parse("SELECT strftime('%Y', [Day]), COUNT(*) FROM {From} WHERE {filter} GROUP BY 1")?
//!     .bind("filter", prop("Total").gt(100) | prop("CustomerId").eq(1));
//! let statement = shop.compile_with(&template, &Request::of("Order"), &SQLITE)?;
//! assert_eq!(
//!     statement.sql,
//!     r#"SELECT strftime('%Y', "Day"), COUNT(*) FROM "Orders" "T0" WHERE ("T0"."Total" > ? OR "T0"."CustomerId" = ?) GROUP BY 1"#
//! );
//! # Ok(()) }
//! ```
