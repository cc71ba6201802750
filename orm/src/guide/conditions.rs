//! Conditions in three ways: Rust expressions, the fluent API, SQL text.
//!
//! All three build the same tree and can be combined. The entities are structs: see [`entity`](crate::entity).
//!
//! # As Rust: `expr!` and `query!`
//!
//! [`expr!`](macro@crate::expr) takes a closure over an entity. Names and types are checked by rustc, captured variables become
//! parameters, and [its page](macro@crate::expr) has the whole vocabulary:
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/shop.rs"));
//! # use isogloss::prelude::*;
//! # use isogloss::{Compiler, POSTGRES, SQLITE};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let compiler = Compiler::new(catalog()?);
//! let (min, name, states) = (dec!(99.95), "Ann", vec![1, 2]);
//! let filter = expr!(|o: OrderView| {
//!     o.amount > min && o.customer_name.starts_with(name) && states.contains(&o.status)
//! });
//!
//! // A query is a chain of clauses; `q` is the query, `q.amount` a column of it.
//! let page = query!(|q: OrderView| q.filter(filter).order_by((q.amount.desc(), q.id)).skip(40).take(20));
//! assert!(compiler.compile(&page, &SQLITE)?.sql.ends_with(r#"ORDER BY "T0"."Amount" DESC, "T0"."Id" LIMIT ? OFFSET ?"#));
//!
//! // EXISTS is there inside of a closure: along a relation of the catalog, or by a condition of one's own.
//! let busy = expr!(|u: User| exists_related::<Order>(|o| o.status == 1 && o.amount > 1_000));
//! let namesake = expr!(|u: User| exists::<User>(|other| other.name == u.name && other.id != u.id));
//! assert!(compiler.compile(&query!(|u: User| u.filter(busy || namesake)), &POSTGRES)?.sql.contains("EXISTS"));
//! # Ok(()) }
//! ```
//!
//! Conditions that the program knows are decided before the query runs, with Rust's short circuit. An optional filter is
//! therefore written as in Rust:
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/shop.rs"));
//! # use isogloss::prelude::*;
//! # fn main() {
//! let search = |name: Option<&str>, adults: bool| {
//!     expr!(|u: User| (!adults || u.age >= 18) && if let Some(name) = name { u.name.contains(name) } else { true })
//! };
//! assert_eq!(search(Some("An"), false), prop("Name").contains("An"));
//! assert_eq!(search(None, true), prop("Age").ge(18));
//! # }
//! ```
//!
//! # NULL
//!
//! A comparison with NULL is neither true nor false, as in SQL: `!=`, `!`, lists and methods of texts leave those rows out.
//! With a NULL in its list or query, NOT IN is true of no row: in `not_in`, and behind a `!` that is written in the same `expr!`,
//! `Option`s do not compile there.
//! Expressions that look at `None` and `Some` decide as in Rust: `matches!`, `match`, `is_some_and`, `is_none_or`, `map_or`.
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/shop.rs"));
//! # use isogloss::prelude::*;
//! # use isogloss::{Compiler, SQLITE};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let compiler = Compiler::new(catalog()?);
//! let others = query!(|o: Order| o.filter(o.note != "x").select(o.id)); // none without a note
//! assert!(compiler.compile(&others, &SQLITE)?.sql.ends_with(r#"WHERE "T0"."Note" <> ?"#));
//! let others = query!(|o: Order| o.filter(!matches!(o.note, Some("x"))).select(o.id));
//! assert!(compiler.compile(&others, &SQLITE)?.sql.ends_with(r#"WHERE NOT ("T0"."Note" IS NOT NULL AND "T0"."Note" = ?)"#));
//! # Ok(()) }
//! ```
//!
//! With `==` and `!=`, `None` is IS NULL and IS NOT NULL, also as the value of a variable. In `set` it is NULL. An absent
//! condition is no condition.
//!
//! # By methods: typed columns
//!
//! Typed columns can be used without a macro. Their methods are those of the tree, and accept only values that such a column
//! can hold:
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/shop.rs"));
//! # use isogloss::prelude::*;
//! # use isogloss::{Compiler, SQLITE};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let compiler = Compiler::new(catalog()?);
//! use isogloss::entity::{Entity, Query};
//! let u = User::columns(None);
//! let mut filter = u.age.ge(18) & u.name.starts_with("A");
//! filter |= u.email.is_none();
//! let query = Query::<User>::new().filter(filter).order_by(u.name).select((u.id, (u.age * 2).alias("double")));
//! assert_eq!(
//!     compiler.compile(&query, &SQLITE)?.sql,
//!     r#"SELECT "T0"."Id", "T0"."Age" * ? AS "double" FROM "Users" "T0" WHERE "T0"."Age" >= ? AND "T0"."Name" GLOB ? OR "T0"."Email" IS NULL ORDER BY "T0"."Name""#
//! );
//! # Ok(()) }
//! ```
//!
//! A condition is a [`Condition<User>`](crate::entity::Condition). Queries, data access objects and conditions of another entity
//! do not accept it; a view accepts conditions on its entity. In a tree that is built by functions, convert it to a `LogicExpr`
//! by `into()`; there `User::ID.aliased("T0")` is a column of the table with that alias, for a condition on any entity. Its name
//! remembers the entity: where it would stand for a column of another one, the statement is refused
//! (`ErrorKind::OtherEntity`). Inside of `exists` in `expr!`, `Order::AMOUNT` is a column of the closure's argument that is an
//! `Order`, or does not compile.
//!
//! # Numbers of two types
//!
//! `+ - * / %` and comparisons take columns of two types of numbers, as the compiler does: the wider one is the result's, and
//! whole numbers and decimals are exact. `o.quantity * o.price` is a decimal whichever stands first. A float beside a decimal or
//! beside a number of 64 bits does not compile: cast one of both, `o.price as f64`. A value with digits after the point keeps
//! them beside a whole number: `o.quantity * dec!(0.5)` is a decimal.
//!
//! # Truth values
//!
//! A column of truth values is a condition: `expr!(|u: User| u.active)`, `User::ACTIVE & User::AGE.ge(18)`, `!User::ACTIVE`. Of an
//! `Option<bool>`, a NULL is not true, and not false: such a row is found neither by the column nor by its `!`, and
//! `.unwrap_or(false)` decides.
//!
//! `set` and [`update`](crate::entity::update) change rows by a condition:
//! `update::<User>([User::AGE.set(User::AGE + 1)]).filter(expr!(|u: User| u.active))`.
//!
//! Names that only the running program knows are [`prop("Name")`](crate::expr::prop): see [queries](super::queries).
//!
//! # As SQL text: `sql!`
//!
//! For SQL that a tree cannot express. The text is parsed when the program is compiled, and its holes are Rust expressions.
//! Bytes are one value, `{bytes}`, and a list of numbers only after IN:
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/shop.rs"));
//! # use isogloss::prelude::*;
//! # use isogloss::{Compiler, Request, SQLITE};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let compiler = Compiler::new(catalog()?);
//! let (list, filter) = (vec![1, 2], expr!(|o: OrderView| o.amount > 100 || o.customer_name == "Ann"));
//! let years = sql!("SELECT strftime('%Y', [Placed]), COUNT(*) FROM {From} WHERE {filter} AND [Status] IN {list} GROUP BY 1");
//! let statement = compiler.compile_with(&years, &Request::of("OrderView"), &SQLITE)?;
//! assert!(statement.sql.contains(r#"WHERE ("T0"."Amount" > ? OR "User"."Name" = ?) AND "Status" IN (?, ?)"#));
//! # Ok(()) }
//! ```
