//! The macros `expr!`, `query!` and `sql!`.
//!
//! Each passes on the path of this crate, so that it works under any name and through re-exports.

/// A condition or a value, written in Rust over the columns of an entity.
///
/// The closure's parameter has the entity's columns as fields, so that names and types are checked when the program is
/// compiled, and editors complete them. Expressions that mention the parameter become a part of the tree. All other
/// expressions are plain Rust: they are evaluated once, and bound as parameters. Captured values are borrowed, not
/// moved.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/shop.rs"));
/// use isogloss::prelude::*;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (min, name) = (Decimal::from(100), "Ann");
/// let filter = expr!(|o: OrderView| {
///     o.amount > min && o.customer_name.starts_with(name) && [1, 2].contains(&o.status)
/// });
/// let by_hand = prop("Amount").gt(100) & prop("CustomerName").starts_with("Ann") & prop("Status").in_list([1, 2]);
/// assert_eq!(filter, by_hand);
/// # Ok(()) }
/// ```
///
/// # What can be written
///
/// | written | meaning |
/// |---|---|
/// | `== != < <= > >=`, with a column on either side | comparison; with `None`, IS NULL |
/// | `&& \|\| !` | logic; a `bool` of the program is decided before the query runs |
/// | `+ - * / %`, unary `-` | arithmetic; `+` of texts concatenates, `-` of dates is a [`Difference`] |
/// | `o.a as i64` | CAST |
/// | `.is_none() .is_some() .unwrap_or(x) .or(x) .is_some_and(\|x\| ..) .is_none_or(\|x\| ..) .map_or(true, \|x\| ..)` | NULL, COALESCE |
/// | `.starts_with(t) .ends_with(t) .contains(t) .like(p)`, with the prefix `i` without regard to case | LIKE |
/// | `.to_lowercase() .trim() .replace(a, b) .substring(from, length) .len()`, ... | functions of texts |
/// | `o.tags.len() o.doc.at("$.name") o.doc.has("$.name")` | functions of JSON: the length of an array, a scalar as text |
/// | `.abs() .round() .round_to(2) .floor() .ceil() .sqrt() .pow(x) .ln() .sin() .max(x) .min(x)`, ... | functions of numbers |
/// | `.bit_and(x) .bit_or(x) .bit_xor(x) .bit_not()` | bits of whole numbers |
/// | `o.id.is_in(query)`, `o.amount > query`, a captured query or `query!(..)` | a subquery |
/// | `.year() .month() .hour() .add_days(n) .date()`, ..., `now() today() utc_now()` | dates, by the server's clock |
/// | `(a - b).num_days()` | whole units between two dates |
/// | `if c { x } else { y }`, `match o.a { 1 => x, 2 \| 3 => y, _ => z }` | CASE; if the program knows `c`, only one of both |
/// | `(1..=5).contains(&o.a)`, `matches!(o.a, 1 \| 5..=7)` | ranges and alternatives |
/// | `[1, 2].contains(&o.a)`, `list.contains(&o.a)`, `o.a.is_in(list)` | IN |
/// | `exists::<Department>(\|d\| d.id == o.dept_id)` | EXISTS |
/// | `exists_related::<Department>(\|d\| ..)` | EXISTS along the relations of the catalog |
/// | `exists_args::<Log>(["2024"], \|l\| ..)`, `exists_related_args` | the same with table arguments |
/// | a captured `Condition` of the same entity, a `LogicExpr`, an `Option` of one | that condition; `None` is no condition |
/// | `u.active`, `!u.active` | a boolean column; NULL satisfies neither |
/// | `dec!(12.50)` | a [`Decimal`](crate::expr::Decimal) |
/// | `constant(5)` | a constant that is written into the text instead of being bound |
/// | `{ let x = o.a * 2; x > 3 && x < 9 }` | names for what is used twice |
/// | `Line { id: o.id, twice: o.amount * 2 }`, `(o.id, o.amount)` | the row that a write returns |
///
/// The result is a [`Condition`](crate::entity::Condition) on the entity, or a value of it; of a struct or a tuple it is a
/// [`Selection`](crate::entity::Selection), whose fields are checked as in `query!`.
///
/// Inside of the closure of an EXISTS, a constant of an entity such as `Order::AMOUNT` is a column of the closure's
/// argument that is an `Order`; if there are two of them or none, it does not compile. A condition that is captured
/// there is one on the closure's own table. In a condition with an EXISTS, the outer table is `T0`, the statement's
/// main table. Use such a condition in the statement's own filter, in a closure that captures it, or in a `query!`, and
/// not in a subquery that is built by functions.
///
/// `==`, `!=`, `<`, lists and methods of texts have SQL's meaning: with NULL they are neither true nor false, and
/// neither is their `!`. A list or a query of values that may be NULL does not compile behind a `!`, as then nothing would
/// be found. `matches!`, `match`, `is_some_and`, `is_none_or` and `map_or` have Rust's meaning, and are
/// always true or false.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/shop.rs"));
/// use isogloss::prelude::*;
/// use isogloss::{Compiler, SQLITE};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let adults = expr!(|u: User| u.age >= 18);
/// let filter = expr!(|u: User| adults && exists::<Department>(|d| d.id == u.dept_id && d.name == "R&D"));
/// // By its key there is one department at most: on SQLite the EXISTS is a join.
/// # #[cfg(feature = "sqlite")]
/// assert_eq!(
///     Compiler::new(catalog()?).compile(&from("User").filter(filter).select(["Id"]).into_segment(), &SQLITE)?.sql,
///     r#"SELECT "T0"."Id" FROM "Users" "T0" JOIN "Departments" "T1" ON "T1"."Id" = "T0"."DeptId" AND "T1"."Name" = ? WHERE "T0"."Age" >= ?"#
/// );
/// // A value: for a select list, an order, an assignment.
/// let doubled = expr!(|u: User| u.age * 2);
/// # let _ = doubled;
/// # Ok(()) }
/// ```
///
/// A wrong name or a wrong type does not compile:
///
/// ```compile_fail
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/shop.rs"));
/// # fn main() {
/// let filter = isogloss::expr!(|u: User| u.nmae == "Ann"); // no field `nmae`; a field with a similar name exists: `name`
/// # }
/// ```
///
/// [`Difference`]: crate::entity::Difference
#[macro_export]
macro_rules! expr {
    ($($tokens:tt)*) => { $crate::entity::__private::expr! { $crate; $($tokens)* } };
}

/// A query, written in Rust over the columns of an entity: a [`Query`](crate::entity::Query).
///
/// The closure's parameter is the query, and its fields are columns. Inside of a clause everything can be written as in
/// [`expr!`](macro@crate::expr). Keys and items are one value, or a tuple of several.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/shop.rs"));
/// use isogloss::prelude::*;
/// use isogloss::{Compiler, SQLITE};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let adults = expr!(|u: User| u.age >= 18);
/// let page = query!(|u: User| u.filter(adults).order_by((u.name, u.id.desc())).skip(40).take(20));
///
/// let busy = query!(|o: OrderView| o
///     .filter(o.status != 0)
///     .group_by(o.customer_name)
///     .having(count() > 10)
///     .order_by(o.amount.sum().desc())
///     .select((o.customer_name, count().alias("orders"), o.amount.sum().alias("total"))));
/// # #[cfg(feature = "sqlite")]
/// # {
/// let compiler = Compiler::new(catalog()?);
/// assert!(compiler.compile(&page, &SQLITE)?.sql.ends_with(r#"ORDER BY "T0"."Name", "T0"."Id" DESC LIMIT ? OFFSET ?"#));
/// assert!(compiler.compile(&busy, &SQLITE)?.sql.contains("HAVING COUNT(*) > ?"));
/// # }
/// # Ok(()) }
/// ```
///
/// The clauses are `filter`, `group_by`, `having`, `order_by`, `skip`, `take`, `section`, `after`, `select`,
/// `distinct`, `lock` and `table_args`.
///
/// # Several tables
///
/// Each parameter is a table with its name as the alias. The first one begins the query, and `join`, `left_join`,
/// `right_join`, `full_join` and `cross_join` bring in the others, each with its condition. One that need not have a row
/// is an `Option`, and so are its columns. `t.from(query)` in the place of a table is a query whose rows have the
/// parameter's type, and a `query!` inside of a clause is a subquery, which may speak of the tables around it. One that
/// `join_lateral` or `left_join_lateral` joins, as `t.from(query!(..))`, may speak of the tables before it.
///
/// What `select` has is the type of the rows: one item, a tuple, or a struct that derives `FromRow`, whose fields are
/// checked as those of any literal.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/shop.rs"));
/// use isogloss::entity::Query;
/// use isogloss::prelude::*;
/// # fn main() {
/// #[derive(FromRow)]
/// struct Busy {
///     name: String,
///     department: Option<String>,
///     orders: i64,
/// }
///
/// let busy = query!(|u: User, d: Option<Department>, o: Order| u
///     .left_join(d, d.id == u.dept_id)
///     .join(o, o.user_id == u.id)
///     .group_by((u.name, d.name))
///     .select(Busy { name: u.name, department: d.name, orders: count() }));
/// let busy: Query<_, Busy> = busy;
/// # let _ = busy;
/// # }
/// ```
#[macro_export]
macro_rules! query {
    ($($tokens:tt)*) => { $crate::entity::__private::query! { $crate; $($tokens)* } };
}

/// A template of SQL, with holes for Rust expressions: an [`ExprString`](crate::ExprString), which documents the
/// notation.
///
/// A hole holds a captured name or an expression, or, as in `format!`, is filled by an argument after the text. It
/// accepts conditions and other expressions, values, lists for IN, and [`RawSql`](crate::RawSql). Bytes are one value,
/// and a list of numbers only behind IN. `None` is NULL as a value, and no condition as a condition. `{Table}`,
/// `{From}`, `{AllFields}` and `{FixedFilter}` are filled from the catalog. Brackets become the engine's quotes.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/shop.rs"));
/// use isogloss::prelude::*;
/// use isogloss::{Compiler, Request, SQLITE};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (min, list) = (100, vec![1, 2]);
/// let filter = expr!(|o: Order| o.note.is_none() || o.user_id == 7);
/// let template = sql!(
///     "SELECT {cols} FROM {From} WHERE [Amount] > {min + 1} AND {filter} AND [Status] IN {list}",
///     cols = [prop("Id").alias("Key")],
/// );
/// # #[cfg(feature = "sqlite")]
/// assert_eq!(
///     Compiler::new(catalog()?).compile_with(&template, &Request::of("Order"), &SQLITE)?.sql,
///     r#"SELECT "T0"."Id" AS "Key" FROM "Orders" "T0" WHERE "Amount" > ? AND ("T0"."Note" IS NULL OR "T0"."UserId" = ?) AND "Status" IN (?, ?)"#
/// );
/// # Ok(()) }
/// ```
///
/// A hole without a value, and a value without a hole, do not compile:
///
/// ```compile_fail
/// isogloss::sql!("SELECT * FROM [Orders WHERE [Id] = {id"); // a hole is left open
/// ```
#[macro_export]
macro_rules! sql {
    ($($tokens:tt)*) => { $crate::entity::__private::sql! { $crate; $($tokens)* } };
}

pub use {expr, query, sql};
