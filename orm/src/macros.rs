//! The macros of conditions, with what they mean.
//!
//! Each takes the path of this crate along, whatever the program calls it, and whichever crate gives it on.

/// A condition or a value, written in Rust over the columns of an entity.
///
/// The closure's parameter is the entity's struct of columns: names and types are checked when the program is compiled,
/// and an editor completes them. What mentions it becomes a part of the tree; everything else is Rust, is evaluated once,
/// and is bound as a parameter. What is captured is looked at, not moved.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mod.rs"));
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
/// # What there is
///
/// | written | means |
/// |---|---|
/// | `== != < <= > >=`, a column on either side | comparison; with `None`, IS NULL |
/// | `&& \|\| !` | logic; a `bool` of the program is decided before the query runs |
/// | `+ - * / %`, unary `-` | arithmetic; `+` of texts puts them together, `-` of dates is a [`Difference`] |
/// | `o.a as i64` | CAST |
/// | `.is_none() .is_some() .unwrap_or(x) .or(x) .is_some_and(\|x\| ..) .is_none_or(\|x\| ..) .map_or(true, \|x\| ..)` | NULL, COALESCE |
/// | `.starts_with(t) .ends_with(t) .contains(t) .like(p)`, with `i` before it without regard to case | LIKE |
/// | `.to_lowercase() .trim() .replace(a, b) .substring(from, length) .len()`, ... | functions of texts |
/// | `o.tags.len() o.doc.at("$.name") o.doc.has("$.name")` | functions of JSON: the length of an array, a scalar as text |
/// | `.abs() .round() .round_to(2) .floor() .ceil() .sqrt() .pow(x) .max(x) .min(x)`, ... | functions of numbers |
/// | `.year() .month() .hour() .add_days(n) .date()`, ..., `now() today() utc_now()` | dates; of the server's clock |
/// | `(a - b).num_days()` | whole units between two dates |
/// | `if c { x } else { y }`, `match o.a { 1 => x, 2 \| 3 => y, _ => z }` | CASE; if the program knows `c`, one of both |
/// | `(1..=5).contains(&o.a)`, `matches!(o.a, 1 \| 5..=7)` | ranges and alternatives |
/// | `[1, 2].contains(&o.a)`, `list.contains(&o.a)`, `o.a.is_in(list)` | IN |
/// | `exists::<Department>(\|d\| d.id == o.dept_id)` | EXISTS |
/// | `exists_related::<Department>(\|d\| ..)` | EXISTS along the relations of the catalog |
/// | `exists_args::<Log>(["2024"], \|l\| ..)`, `exists_related_args` | the same with arguments of the table's name |
/// | a captured `Condition` of the same entity, a `LogicExpr`, an `Option` of one | that condition; `None` says nothing |
/// | `u.active`, `!u.active` | a column of truth values; where it is NULL, neither |
/// | `dec!(12.50)` | a [`Decimal`](crate::expr::Decimal) |
/// | `constant(5)` | a constant that is written into the text |
/// | `{ let x = o.a * 2; x > 3 && x < 9 }` | names for what is used twice |
///
/// Inside of an EXISTS a constant of an entity, `Order::AMOUNT`, is a column of the closure's argument that is an `Order`; if
/// there are two or none, it does not compile. A condition that is captured there is of the closure's own table. What comes
/// out is a [`Condition`](crate::entity::Condition) of the entity, or a value of it. In a
/// condition with an EXISTS the outer table is `T0`, the main one of the statement: it stands in the statement's own
/// filter, in a closure that captures it, or in a `query!`, not in a subquery that is made by hand.
///
/// `==`, `!=`, `<`, lists and methods of texts are SQL's: with NULL they are neither true nor false, and so is their `!`.
/// `matches!`, `match`, `is_some_and`, `is_none_or` and `map_or` are Rust's, and always know.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mod.rs"));
/// use isogloss::prelude::*;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let adults = expr!(|u: User| u.age >= 18);
/// let filter = expr!(|u: User| adults && exists::<Department>(|d| d.id == u.dept_id && d.name == "R&D"));
/// # #[cfg(feature = "sqlite")]
/// assert_eq!(
///     Compiler::new(catalog()?).compile(&from("User").filter(filter).select(["Id"]).into_segment(), &SQLITE)?.sql,
///     r#"SELECT "T0"."Id" FROM "Users" "T0" WHERE "T0"."Age" >= ? AND EXISTS (SELECT 1 FROM "Departments" "T1" WHERE "T1"."Id" = "T0"."DeptId" AND "T1"."Name" = ?)"#
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
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mod.rs"));
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
/// The closure's parameter is the query, and its fields are columns. Inside of a clause everything is as in
/// [`expr!`](macro@crate::expr). Keys and items are one or a tuple of several.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mod.rs"));
/// use isogloss::prelude::*;
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
/// The clauses are `filter`, `group_by`, `having`, `order_by`, `skip`, `take`, `section`, `after`, `select`, `distinct`,
/// `lock` and `table_args`.
#[macro_export]
macro_rules! query {
    ($($tokens:tt)*) => { $crate::entity::__private::query! { $crate; $($tokens)* } };
}

/// A template of SQL, with holes for Rust: an [`ExprString`](crate::ExprString), where the notation of the text stands.
///
/// A hole holds a captured name or an expression; or, as in `format!`, it is filled by an argument behind the text. It
/// takes conditions and other expressions, values, lists for IN, and [`RawSql`](crate::RawSql). Bytes are one value, and a
/// list of numbers only behind IN; `None` is NULL, and of a condition nothing is said. `{Table}`, `{From}`,
/// `{AllFields}` and `{FixedFilter}` are filled from the catalog. Brackets become the engine's quotes.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mod.rs"));
/// use isogloss::prelude::*;
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
/// What is left open is an error of compiling the program, as are a hole without its value and a value without a hole:
///
/// ```compile_fail
/// isogloss::sql!("SELECT * FROM [Orders WHERE [Id] = {id"); // a hole is left open
/// ```
#[macro_export]
macro_rules! sql {
    ($($tokens:tt)*) => { $crate::entity::__private::sql! { $crate; $($tokens)* } };
}

pub use {expr, query, sql};
