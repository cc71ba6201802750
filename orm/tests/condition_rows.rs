//! Conditions in Rust find the rows that they say, on SQLite in memory.
#![cfg(all(feature = "entities", feature = "driver", feature = "sqlite"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test says what is wrong by failing")]

#[allow(dead_code, unreachable_pub, reason = "each test uses some of it")]
mod support;

use isogloss::driver::{AnyConnection, Backend, ConnectionExt};
use isogloss::prelude::*;
use isogloss::sqlite::driver::{SqliteBackend, SqliteOptions};
use support::{Department, Order, OrderView, User, catalog};

const SCRIPT: &str = r#"
CREATE TABLE "Departments" ("Id" INTEGER PRIMARY KEY, "Name" TEXT NOT NULL, "ParentId" INTEGER);
CREATE TABLE "Users" ("Id" INTEGER PRIMARY KEY, "Name" TEXT NOT NULL, "Email" TEXT, "Age" INTEGER NOT NULL,
    "Active" INTEGER NOT NULL, "Born" TEXT NOT NULL, "DeptId" INTEGER NOT NULL);
CREATE TABLE "Orders" ("Id" INTEGER PRIMARY KEY, "Amount" NUMERIC NOT NULL, "Status" INTEGER NOT NULL, "Note" TEXT,
    "Placed" TEXT NOT NULL, "Shipped" TEXT, "Weight" REAL NOT NULL, "UserId" INTEGER NOT NULL);
INSERT INTO "Departments" VALUES (1, 'R&D', NULL), (2, 'Sales', 1), (3, 'Ops', 1);
INSERT INTO "Users" VALUES
    (1, 'Ann', 'ann@example.com', 41, 1, '1983-02-01', 1),
    (2, 'Bob', NULL, 17, 1, '2007-05-30', 2),
    (3, 'Cem', 'cem@example.org', 29, 0, '1995-12-24', 2),
    (4, 'Ann', '', 65, 1, '1959-02-28', 3);
INSERT INTO "Orders" VALUES
    (1, '10.00', 1, NULL, '2024-01-31 08:30:00', '2024-02-03 09:00:00', 1.5, 1),
    (2, '99.95', 2, '50% off', '2024-02-01 23:00:00', NULL, 2.5, 1),
    (3, '7.25', 3, 'a_b', '2023-12-31 00:00:00', '2024-01-10 12:00:00', 0.25, 3),
    (4, '250.00', 7, 'late', '2024-06-15 12:00:00', '2024-06-15 18:00:00', 12.0, 4);
"#;

async fn shop() -> (std::sync::Arc<isogloss::Target>, Box<dyn Backend>, AnyConnection) {
    let backend: Box<dyn Backend> = Box::new(SqliteBackend::open(SqliteOptions::memory()).await.unwrap());
    let target = Compiler::new(catalog().unwrap()).target(backend.dialect());
    let mut connection = backend.connect().await.unwrap();
    connection.script(SCRIPT).await.unwrap();
    (target, backend, connection)
}

macro_rules! found {
    ($($name:ident: $entity:ident { $($condition:expr => [$($id:literal),*],)* })*) => {$(
        #[tokio::test]
        async fn $name() {
            let (target, _backend, mut connection) = shop().await;
            $({
                let query = from(stringify!($entity)).filter($condition).order_by(["Id"]).select(["Id"]).into_segment();
                let ids: Vec<(i64,)> = connection.fetch(&target.compile(&query).unwrap()).await.unwrap();
                let ids: Vec<i64> = ids.into_iter().map(|(id,)| id).collect();
                assert_eq!(ids, [$($id),*] as [i64; _], "{}", stringify!($condition));
            })*
        }
    )*};
}

found! {
    users: User {
        expr!(|u: User| u.age >= 18 && u.active) => [1, 4],
        expr!(|u: User| !u.active || u.email.is_none()) => [2, 3],
        expr!(|u: User| u.email.unwrap_or("none").ends_with("org")) => [3],
        expr!(|u: User| u.email.is_empty()) => [4],
        expr!(|u: User| u.name.to_uppercase() + "!" == "ANN!") => [1, 4],
        expr!(|u: User| u.name.len() == 3 && u.name.substring(1, 2).contains("nn")) => [1, 4],
        expr!(|u: User| u.born.year() < 1990 && u.born.day() != 1) => [4],
        expr!(|u: User| matches!(u.age, 17 | 60..=70)) => [2, 4],
        expr!(|u: User| exists::<Department>(|d| d.id == u.dept_id && d.name == "R&D")) => [1],
        expr!(|u: User| exists_related::<Department>(|d| d.parent_id == 1)) => [2, 3, 4],
        expr!(|u: User| exists::<User>(|other| other.name == u.name && other.id != u.id)) => [1, 4],
        expr!(|u: User| exists_related::<Order>(|o| o.amount > 200)) => [4],
        expr!(|u: User| !exists(|o: Order| o.user_id == u.id && exists::<Department>(|d| d.id == o.status && d.id <= u.dept_id)))
            => [2, 3, 4],
        expr!(|u: User| match u.dept_id { 1 => "a", 2 | 3 if u.active => "b", _ => "c" } == "b") => [2, 4],
        expr!(|u: User| if u.active { u.age < 18 } else { u.age > 18 }) => [2, 3],
        expr!(|u: User| (u.age > 30) == u.active) => [1, 3, 4],
    }
    orders: OrderView {
        expr!(|o: OrderView| o.amount > 9.99 && o.amount < 100) => [1, 2],
        expr!(|o: OrderView| o.customer_name == "Ann" && o.note == None) => [1],
        expr!(|o: OrderView| o.note.contains("50%") || o.note.starts_with("a_")) => [2, 3],
        expr!(|o: OrderView| (o.shipped - o.placed).num_days() >= 3) => [1, 3],
        expr!(|o: OrderView| o.placed.add_months(1).month() == 3 || o.placed.hour() == 12) => [2, 4],
        expr!(|o: OrderView| o.status % 2 == 1 && o.status * 2 - 1 < 10) => [1, 3],
        expr!(|o: OrderView| (1..3).contains(&o.status) || (7..).contains(&o.status)) => [1, 2, 4],
        expr!(|o: OrderView| (o.weight * 2.0).round() as i64 == 5) => [2],
        expr!(|o: OrderView| o.weight.max(2.0).floor() == 2.0 && 3 > o.status) => [1, 2],
        expr!(|o: OrderView| o.shipped.unwrap_or(o.placed) < o.placed.add_hours(12)) => [2, 4],
        expr!(|o: OrderView| o.placed.format("yyyy-MM") == "2024-01") => [1],
        expr!(|o: OrderView| "Ann, Bob".contains(&o.customer_name)) => [1, 2, 4],
    }
}

#[tokio::test]
async fn queries() {
    let (target, _backend, mut connection) = shop().await;
    let query = query!(|o: OrderView| o.filter(o.status != 3).group_by(o.customer_name).having(count() > 1).select((
        o.customer_name,
        count().alias("n"),
        o.status.max().alias("most")
    )));
    let rows: Vec<(String, i64, i64)> = connection.fetch(&target.compile(&query).unwrap()).await.unwrap();
    assert_eq!(rows, [("Ann".to_owned(), 3, 7)]);

    let page = query!(|o: OrderView| o.order_by((o.customer_name.desc(), o.id)).skip(1).take(2));
    let orders: Vec<OrderView> = connection.fetch(&target.compile(&page).unwrap()).await.unwrap();
    assert_eq!(orders.iter().map(|o| o.order.id).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(orders[1].customer_name.as_deref(), Some("Ann"));

    let least = Decimal::from(50);
    let template = sql!(
        "SELECT COUNT(*) FROM {From} WHERE CAST([Amount] AS REAL) > {least} AND {rest}",
        rest = expr!(|o: OrderView| o.status < 5)
    );
    let statement =
        target.compile_with(&template, &isogloss::Request::of("OrderView"), isogloss::Buffers::default()).unwrap();
    assert_eq!(connection.fetch_one::<(i64,)>(&statement).await.unwrap(), (1,));
}

#[tokio::test]
async fn writes_take_conditions() {
    let (target, _backend, mut connection) = shop().await;
    let condition = expr!(|u: User| u.age < 18 || exists::<Department>(|d| d.id == u.dept_id && d.name == "Ops"));
    let age = expr!(|u: User| u.age + 1);
    let update = Expr::from(table("User").update([("Age", age)]).filter(condition.clone()));
    assert_eq!(connection.execute(&target.compile(&update).unwrap()).await.unwrap(), 2);
    let delete = Expr::from(table("User").delete().filter(condition));
    assert_eq!(connection.execute(&target.compile(&delete).unwrap()).await.unwrap(), 1);
}
