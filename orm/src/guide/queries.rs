//! Queries: conditions, joins, groups, subqueries, windows and paging.
//!
//! A query is a chain over a table, in the order in which one says it; [`select`](crate::expr::SqlSegment::select) ends it.
//! What stands behind `select(..).into_segment()` asks of the selected columns. The SQL here is SQLite's.
//!
//! # Conditions that may be absent
//!
//! `filter` takes a condition or an `Option` of one, and several filters are ANDed. What a request leaves out is left out:
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/shop.rs"));
//! use isogloss::expr::SqlSegment;
//! use isogloss::SQLITE;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let shop = shop()?;
//! fn search(name: Option<&str>, cities: &[&str], least: Option<i32>) -> SqlSegment {
//!     let mut filter = LogicExpr::default(); // true
//!     filter &= name.map(|name| prop("Name").icontains(name));
//!     filter &= LogicExpr::any_given(cities.iter().map(|city| prop("City").eq(*city)));
//!     filter &= least.map(|total| exists_related("Order", prop("Total").ge(total)).into());
//!     from("Customer").filter(filter).select(["Id"]).into()
//! }
//! let all = shop.compile(&search(None, &[], None), &SQLITE)?.sql;
//! assert_eq!(all, r#"SELECT "T0"."Id" FROM "Customer" "T0""#);
//! let some = shop.compile(&search(None, &["Rome", "Bonn"], None), &SQLITE)?.sql;
//! assert_eq!(some, r#"SELECT "T0"."Id" FROM "Customer" "T0" WHERE "T0"."City" = ? OR "T0"."City" = ?"#);
//! # Ok(()) }
//! ```
//!
//! [`any`](crate::expr::LogicExpr::any) of nothing is false, which is right for "one of these" and wrong for "if given";
//! [`any_given`](crate::expr::LogicExpr::any_given) is the other one.
//!
//! # Joins
//!
//! What the catalog relates needs no join. A view's column brings its join, and
//! [`exists_related`](crate::expr::exists_related) asks along the keys, forward or backward. Where keys lead both ways,
//! as from an entity to itself, [`exists`](crate::expr::exists) with a condition says which way is meant:
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/shop.rs"));
//! use isogloss::SQLITE;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let shop = shop()?;
//! let query = from("OrderView").filter(prop("CustomerName").eq("Ann")).select(["Id"]).into_segment();
//! assert_eq!(
//!     shop.compile(&query, &SQLITE)?.sql,
//!     r#"SELECT "T0"."Id" FROM "Orders" "T0" LEFT JOIN "Customer" "Customer" ON "T0"."CustomerId" = "Customer"."Id" WHERE "Customer"."Name" = ?"#
//! );
//!
//! let query = from("Customer").filter(exists_related("Order", prop("Total").gt(100))).select(["Id"]).into_segment();
//! assert_eq!(
//!     shop.compile(&query, &SQLITE)?.sql,
//!     r#"SELECT "T0"."Id" FROM "Customer" "T0" WHERE EXISTS (SELECT 1 FROM "Orders" "T1" WHERE "T1"."CustomerId" = "T0"."Id" AND "T1"."Total" > ?)"#
//! );
//! # Ok(()) }
//! ```
//!
//! Any other join names both sides by alias:
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/shop.rs"));
//! use isogloss::expr::TableJoinType;
//! use isogloss::SQLITE;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let shop = shop()?;
//! let query = from("Order")
//!     .aliased("o")
//!     .join(
//!         TableJoinType::Left,
//!         from("Customer").aliased("c"),
//!         prop_of("o", "CustomerId").eq(prop_of("c", "Id")),
//!     )
//!     .filter(prop_of("c", "City").eq("Rome"))
//!     .select([prop_of("o", "Id").alias("OrderId"), prop_of("c", "Name").alias("Customer")])
//!     .into_segment();
//! assert_eq!(
//!     shop.compile(&query, &SQLITE)?.sql,
//!     r#"SELECT "o"."Id" AS "OrderId", "c"."Name" AS "Customer" FROM "Orders" "o" LEFT JOIN "Customer" "c" ON "o"."CustomerId" = "c"."Id" WHERE "c"."City" = ?"#
//! );
//! # Ok(()) }
//! ```
//!
//! # Groups
//!
//! In a list of items of different kinds, [`items!`](crate::items) makes a text a property:
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/shop.rs"));
//! use isogloss::expr::count_all;
//! use isogloss::SQLITE;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let shop = shop()?;
//! let query = from("Order")
//!     .group_by(["CustomerId"])
//!     .having(count_all().gt(10))
//!     .order_by([prop("Total").sum().desc()])
//!     .select(items!["CustomerId", count_all().alias("Orders"), prop("Total").sum().alias("Sum")])
//!     .into_segment();
//! assert_eq!(
//!     shop.compile(&query, &SQLITE)?.sql,
//!     r#"SELECT "T0"."CustomerId", COUNT(*) AS "Orders", SUM("T0"."Total") AS "Sum" FROM "Orders" "T0" GROUP BY "T0"."CustomerId" HAVING COUNT(*) > ? ORDER BY SUM("T0"."Total") DESC"#
//! );
//! # Ok(()) }
//! ```
//!
//! # Subqueries, rows, unions
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/shop.rs"));
//! use isogloss::expr::row;
//! use isogloss::{POSTGRES, SQLITE};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let shop = shop()?;
//! let average = from("Order").select([prop("Total").avg()]);
//! let query = from("Order").filter(prop("Total").gt(average)).select(["Id"]).into_segment();
//! assert_eq!(
//!     shop.compile(&query, &SQLITE)?.sql,
//!     r#"SELECT "T0"."Id" FROM "Orders" "T0" WHERE "T0"."Total" > (SELECT AVG("T1"."Total") FROM "Orders" "T1")"#
//! );
//!
//! // A list of rows is one of tuples.
//! let pairs = row([prop("City"), prop("Name")]).in_list([("Rome", "Ann"), ("Bonn", "Bob")]);
//! let query = from("Customer").filter(pairs).select(["Id"]).into_segment();
//! assert_eq!(
//!     shop.compile(&query, &POSTGRES)?.sql,
//!     r#"SELECT "T0"."Id" FROM "Customer" "T0" WHERE ("T0"."City", "T0"."Name") IN (($1, $2), ($3, $4))"#
//! );
//!
//! let people = from("Customer").select(["Name"]).union(from("Employee").select(["Name"])).into_segment();
//! assert_eq!(
//!     shop.compile(&people, &SQLITE)?.sql,
//!     r#"SELECT "T0"."Name" FROM "Customer" "T0" UNION SELECT "T1"."Name" FROM "Employee" "T1""#
//! );
//! # Ok(()) }
//! ```
//!
//! # Common table expressions
//!
//! [`with`](crate::expr::SelectExpr::with) defines one where it is used as a source, and [`cte`](crate::expr::cte) refers
//! to it. A query over it keeps the order of its definition, until it groups the rows, joins them or orders them itself;
//! the rows of a recursive one have no order. A reference inside of the definition makes it recursive:
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/shop.rs"));
//! use isogloss::expr::{SqlSegment, TableJoinType, cte};
//! use isogloss::SQLITE;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let shop = shop()?;
//! let boss = from("Employee").filter(prop("Id").eq(1)).select(["Id", "Name"]);
//! let below = from("Employee")
//!     .aliased("e")
//!     .join(TableJoinType::Inner, cte("tree"), prop_of("e", "BossId").eq(prop_of("tree", "Id")))
//!     .select([prop_of("e", "Id"), prop_of("e", "Name")]);
//! let query = SqlSegment::from(boss.union_all(below).with("tree")).select(["Name"]).into_segment();
//! assert_eq!(
//!     shop.compile(&query, &SQLITE)?.sql,
//!     r#"WITH RECURSIVE "tree" ("Id", "Name") AS (SELECT "T1"."Id", "T1"."Name" FROM "Employee" "T1" WHERE "T1"."Id" = ? UNION ALL SELECT "e"."Id", "e"."Name" FROM "Employee" "e" JOIN "tree" ON "e"."BossId" = "tree"."Id") SELECT "tree"."Name" FROM "tree""#
//! );
//! # Ok(()) }
//! ```
//!
//! # Windows
//!
//! The three dearest orders of each customer, and a moving sum. [`args!`](crate::args) is for arguments of different kinds,
//! or none:
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/shop.rs"));
//! use isogloss::expr::{FrameBound, FrameUnit};
//! use isogloss::SQLITE;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let shop = shop()?;
//! let place = func("RowNumber", args![]).over().partition_by(["CustomerId"]).order_by([prop("Total").desc()]);
//! let ranked = from("Order").select(items!["Id", "Total", place.alias("Place")]);
//! let query = ranked.into_segment().filter(prop("Place").le(3)).select(["Id", "Total"]).into_segment();
//! assert_eq!(
//!     shop.compile(&query, &SQLITE)?.sql,
//!     r#"SELECT "T1"."Id", "T1"."Total" FROM (SELECT "T0"."Id", "T0"."Total", ROW_NUMBER() OVER (PARTITION BY "T0"."CustomerId" ORDER BY "T0"."Total" DESC) AS "Place" FROM "Orders" "T0") "T1" WHERE "T1"."Place" <= ?"#
//! );
//!
//! let week = prop("Total")
//!     .sum()
//!     .over()
//!     .order_by(["Day"])
//!     .frame(FrameUnit::Rows, FrameBound::Preceding(6), FrameBound::CurrentRow);
//! let query = from("Order").select(items!["Day", week.alias("Week")]).into_segment();
//! assert_eq!(
//!     shop.compile(&query, &SQLITE)?.sql,
//!     r#"SELECT "T0"."Day", SUM("T0"."Total") OVER (ORDER BY "T0"."Day" ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS "Week" FROM "Orders" "T0""#
//! );
//! # Ok(()) }
//! ```
//!
//! # Orders
//!
//! A filter, a select list or a page over an order keeps it, even where its keys are no columns of what comes out. Of two
//! orders the outer one counts first. Groups, sets, joins and counts forget it, and so do distinct rows of a page whose keys
//! are not selected; other distinct rows have to be ordered by what is selected.
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/shop.rs"));
//! use isogloss::SQLITE;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let shop = shop()?;
//! let best = from("Order").order_by([prop("Total").desc()]).filter(prop("Day").ge("2024-01-01")).take(3).select(["Id"]);
//! assert_eq!(
//!     shop.compile(&best.into_segment().filter(prop("Id").gt(7)), &SQLITE)?.sql,
//!     concat!(
//!         r#"SELECT "T1"."Id" FROM (SELECT "T0"."Id", "T0"."Total" FROM "Orders" "T0" WHERE "T0"."Day" >= ? "#,
//!         r#"ORDER BY "T0"."Total" DESC, "T0"."Id" LIMIT ?) "T1" WHERE "T1"."Id" > ? ORDER BY "T1"."Total" DESC, "T1"."Id""#
//!     )
//! );
//! # Ok(()) }
//! ```
//!
//! # Pages
//!
//! `section(skip, take)` is the usual page. A keyset page goes on behind the last row of the page before, at the same cost
//! however far one pages; its last key is the primary key, so that no row gets lost among equal ones:
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/shop.rs"));
//! use isogloss::expr::value;
//! use isogloss::{SQLITE, Verb};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let shop = shop()?;
//! let page = from("Order").order_by([prop("Day").desc(), prop("Id").desc()]).section(20, 10).select(["Id"]).into_segment();
//! assert_eq!(
//!     shop.compile(&page, &SQLITE)?.sql,
//!     r#"SELECT "T0"."Id" FROM "Orders" "T0" ORDER BY "T0"."Day" DESC, "T0"."Id" DESC LIMIT ? OFFSET ?"#
//! );
//! let (last_day, last_id) = ("2024-03-01", 4711);
//! let next = from("Order")
//!     .order_by([prop("Day").desc(), prop("Id").desc()])
//!     .after([value(last_day), value(last_id)], 10)
//!     .select(["Id"])
//!     .into_segment();
//! assert_eq!(
//!     shop.compile(&next, &SQLITE)?.sql,
//!     r#"SELECT "T0"."Id" FROM "Orders" "T0" WHERE ("T0"."Day", "T0"."Id") < (?, ?) ORDER BY "T0"."Day" DESC, "T0"."Id" DESC LIMIT ?"#
//! );
//!
//! // How many rows there are in all, and whether there is one.
//! assert_eq!(shop.compile_as(Verb::Count, &page, &SQLITE)?.sql, r#"SELECT COUNT(*) FROM "Orders" "T0""#);
//! let open = from("Order").filter(prop("Total").gt(1000));
//! assert_eq!(
//!     shop.compile_as(Verb::Exists, &open, &SQLITE)?.sql,
//!     r#"SELECT 1 FROM "Orders" "T0" WHERE "T0"."Total" > ? LIMIT 1"#
//! );
//! # Ok(()) }
//! ```
