//! Conditions in Rust find the rows that they say, on every engine that can be reached.

use std::future::Future;

use chrono::{NaiveDate, NaiveDateTime};
use isogloss::entity::{Condition, Json};
use isogloss::expr::Decimal;
use isogloss::prelude::*;

use crate::support::engines;
use crate::support::shop::{Department, Order, OrderView, User, catalog};

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn time(text: &str) -> NaiveDateTime {
    text.parse().unwrap()
}

fn user(id: i32, name: &str, email: Option<&str>, age: i32, active: bool, born: &str, dept_id: i32) -> User {
    User { id, name: name.into(), email: email.map(Into::into), age, active, born: day(born), dept_id }
}

async fn fill(session: &Session) {
    let department = |id, name: &str, parent_id| Department { id, name: name.into(), parent_id };
    let mut departments = [department(1, "R&D", None), department(2, "Sales", Some(1)), department(3, "Ops", Some(1))];
    ObjectDao::new(session).batch_insert(&mut departments).await.unwrap();
    let mut users = [
        user(1, "Ann", Some("ann@example.com"), 41, true, "1983-02-01", 1),
        user(2, "Bob", None, 17, true, "2007-05-30", 2),
        user(3, "Cem", Some("cem@example.org"), 29, false, "1995-12-24", 2),
        user(4, "Ann", Some(""), 65, true, "1959-02-28", 3),
    ];
    ObjectDao::new(session).batch_insert(&mut users).await.unwrap();
    let order = |id, amount: &str, status, note: Option<&str>, placed, shipped: Option<&str>, weight, user_id| Order {
        id,
        amount: amount.parse().unwrap(),
        status,
        note: note.map(Into::into),
        placed: time(placed),
        shipped: shipped.map(time),
        weight,
        user_id,
    };
    let mut orders = [
        order(1, "10.00", 1, None, "2024-01-31T08:30:00", Some("2024-02-03T09:00:00"), 1.5, 1),
        order(2, "99.95", 2, Some("50% off"), "2024-02-01T23:00:00", None, 2.5, 1),
        order(3, "7.25", 3, Some("a_b"), "2023-12-31T00:00:00", Some("2024-01-10T12:00:00"), 0.25, 3),
        order(4, "250.00", 7, Some("late"), "2024-06-15T12:00:00", Some("2024-06-15T18:00:00"), 12.0, 4),
    ];
    ObjectDao::new(session).batch_insert(&mut orders).await.unwrap();
}

/// Runs a test on every engine, with the rows above.
async fn each<F: Future<Output = ()>>(test: impl Fn(Session) -> F) {
    let tables = [("Department", [].as_slice()), ("User", &[]), ("Order", &[])];
    engines::each(
        || catalog().unwrap(),
        &tables,
        async |session| {
            fill(&session).await;
            test(session).await;
        },
    )
    .await;
}

macro_rules! found {
    ($($name:ident: $entity:ident { $($condition:expr => [$($id:literal),*],)* })*) => {$(
        #[tokio::test]
        async fn $name() {
            each(async |session: Session| {
                $({
                    let query = from(stringify!($entity)).filter($condition).order_by(["Id"]).select(["Id"]);
                    let dao = ObjectViewDao::<$entity>::new(&session);
                    let ids = dao.search_as::<(i64,)>(query.into_segment()).all().await.unwrap();
                    let ids: Vec<i64> = ids.into_iter().map(|(id,)| id).collect();
                    assert_eq!(ids, [$($id),*] as [i64; _], "{}", stringify!($condition));
                })*
            })
            .await;
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
    numbers: OrderView {
        expr!(|o: OrderView| o.amount * o.status > 100) => [2, 4],
        expr!(|o: OrderView| o.status * o.amount == dec!(21.75)) => [3],
        expr!(|o: OrderView| o.amount * dec!(0.5) == 5 && dec!(0.5) * o.status == dec!(0.5)) => [1],
        expr!(|o: OrderView| o.amount - o.status > o.id * o.user_id) => [1, 2, 4],
        expr!(|o: OrderView| o.id == o.status && o.user_id < o.id) => [2],
        expr!(|o: OrderView| o.status * 1.5 == 4.5 || o.weight * o.status == 1.5) => [1, 3],
        expr!(|o: OrderView| o.weight > o.status) => [1, 2, 4],
        expr!(|o: OrderView| (o.placed - o.placed.date()).num_hours() == 12) => [4],
        expr!(|o: OrderView| o.placed == o.placed.date()) => [3],
    }
    truths: User {
        User::ACTIVE => [1, 2, 4],
        !User::ACTIVE | User::AGE.eq(17) => [2, 3],
        expr!(|u: User| u.active) => [1, 2, 4],
    }
    // What asks for `None` and `Some` is never unknown, as in Rust; a comparison with NULL is, as in SQL.
    nulls: Order {
        expr!(|o: Order| matches!(o.note, Some("late"))) => [4],
        expr!(|o: Order| !matches!(o.note, Some("late"))) => [1, 2, 3],
        expr!(|o: Order| !matches!(o.note, "late" | "a_b")) => [1, 2],
        expr!(|o: Order| !matches!(o.note, None | Some("late"))) => [2, 3],
        expr!(|o: Order| !matches!(o.note, Some(_))) => [1],
        expr!(|o: Order| !matches!(o.shipped, Some(_)) && !matches!(o.status, 1)) => [2],
        expr!(|o: Order| match o.note { Some("late") => 1, None => 2, _ => 3 } > 1) => [1, 2, 3],
        expr!(|o: Order| !match o.note { Some("late") => true, _ => false }) => [1, 2, 3],
        expr!(|o: Order| !o.note.is_some_and(|note| note == "late")) => [1, 2, 3],
        expr!(|o: Order| o.note.is_none_or(|note| note != "late")) => [1, 2, 3],
        expr!(|o: Order| !o.note.is_none_or(|note| note != "late")) => [4],
        expr!(|o: Order| !o.note.map_or(false, |note| note == "late")) => [1, 2, 3],
        expr!(|o: Order| o.note.map_or(true, |note| note != "late")) => [1, 2, 3],
        expr!(|o: Order| o.note != "late") => [2, 3],
        expr!(|o: Order| !(o.note == "late")) => [2, 3],
        expr!(|o: Order| o.note.is_distinct_from("late")) => [1, 2, 3],
        expr!(|o: Order| !["late"].contains(&o.note)) => [2, 3],
        expr!(|o: Order| !o.note.starts_with("l")) => [2, 3],
        expr!(|o: Order| { let none: Option<&str> = None; o.note == none }) => [1],
        expr!(|o: Order| { let none: Option<&str> = None; o.note != none }) => [2, 3, 4],
    }
    within: User {
        expr!(|u: User| exists::<Order>(|o| Order::USER_ID == User::ID && Order::ID > 2)) => [3, 4],
        {
            let hers = expr!(|o: Order| exists::<User>(|u| u.id == o.user_id && u.name == "Ann"));
            expr!(|u: User| exists::<Order>(|o| o.user_id == u.id && hers))
        } => [1, 4],
    }
}

/// What has a document.
#[derive(Debug, Clone, PartialEq, isogloss::entity::Entity)]
#[table(register = false)]
struct Article {
    #[column(primary_key)]
    id: i64,
    #[column(json)]
    tags: Vec<String>,
    extra: Option<Json<std::collections::BTreeMap<String, String>>>,
}

#[tokio::test]
async fn documents() {
    use isogloss::entity::{JsonText, Linked, update};
    let catalog = || Catalog::builder().entity::<Article>().build().unwrap();
    engines::each(catalog, &[("Article", &[])], async |session: Session| {
        let extra = [("color".to_owned(), "red".to_owned())].into_iter().collect();
        let tags = |tags: &[&str]| tags.iter().map(ToString::to_string).collect();
        let mut articles = [
            Article { id: 1, tags: tags(&["a", "b"]), extra: Some(Json(extra)) },
            Article { id: 2, tags: tags(&[]), extra: None },
        ];
        ObjectDao::new(&session).batch_insert(&mut articles).await.unwrap();
        let views = ObjectViewDao::<Article>::new(&session);
        let first = |filter: Condition<Article>| views.search(filter).all();
        for condition in [
            expr!(|a: Article| a.tags.len() == 2),
            expr!(|a: Article| a.tags.at("$[1]") == "b"),
            expr!(|a: Article| a.tags.has("$[0]")),
            expr!(|a: Article| a.extra.at("$.color") == "red" && !a.extra.has("$.size")),
        ] {
            assert_eq!(first(condition.clone()).await.unwrap(), articles[..1], "{condition:?}");
        }
        let filter = expr!(|a: Article| a.tags.len() == 0);
        let set = update::<Article>([Article::TAGS.set(JsonText(r#"["c"]"#.into()))]).filter(filter);
        assert_eq!(ObjectDao::<Article>::new(&session).update_where(set).await.unwrap(), 1);
        assert_eq!(first(Article::ID.eq(2)).await.unwrap()[0].tags, ["c"]);
    })
    .await;
}

/// What may be unknown.
#[derive(Debug, Clone, PartialEq, isogloss::entity::Entity)]
#[table(register = false)]
struct Answer {
    #[column(primary_key)]
    id: i32,
    yes: Option<bool>,
}

#[tokio::test]
async fn what_is_null_is_not_true_and_not_false() {
    use isogloss::entity::Linked;
    let catalog = || Catalog::builder().entity::<Answer>().build().unwrap();
    engines::each(catalog, &[("Answer", &[])], async |session: Session| {
        let answer = |id, yes| Answer { id, yes };
        let mut all = [answer(1, Some(true)), answer(2, Some(false)), answer(3, None)];
        ObjectDao::new(&session).batch_insert(&mut all).await.unwrap();
        let answers = ObjectViewDao::<Answer>::new(&session);
        for (search, found) in [
            (Answer::YES.into(), vec![1]),
            (expr!(|a: Answer| a.yes).into(), vec![1]),
            (expr!(|a: Answer| !a.yes), vec![2]),
            (!Answer::YES, vec![2]),
            (expr!(|a: Answer| !a.yes.unwrap_or(false)), vec![2, 3]),
            (expr!(|a: Answer| a.yes || a.id == 3), vec![1, 3]),
            (expr!(|a: Answer| a.yes.is_some_and(|yes| yes)), vec![1]),
            (expr!(|a: Answer| !a.yes.is_some_and(|yes| yes)), vec![2, 3]),
        ] {
            let search: Condition<Answer> = search;
            let mut ids: Vec<i32> =
                answers.search(search.clone()).all().await.unwrap().iter().map(|answer| answer.id).collect();
            ids.sort_unstable();
            assert_eq!(ids, found, "{search:?}");
        }
        // A column by itself is a search.
        assert_eq!(answers.count(Answer::YES).await.unwrap(), 1);
        assert_eq!(answers.count(expr!(|a: Answer| a.yes)).await.unwrap(), 1);
        assert_eq!(ObjectDao::<Answer>::new(&session).delete_where(Answer::YES).await.unwrap(), 1);
        assert_eq!(answers.count(None::<Condition<Answer>>).await.unwrap(), 2);
    })
    .await;
}

#[tokio::test]
async fn queries() {
    each(async |session: Session| {
        let views = ObjectViewDao::<OrderView>::new(&session);
        let query = query!(|o: OrderView| o
            .filter(o.status != 3)
            .group_by(o.customer_name)
            .having(count() > 1)
            .select((o.customer_name, count().alias("n"), o.status.max().alias("most"))));
        let rows = views.search_as::<(String, i64, i64)>(query.into_segment()).all().await.unwrap();
        assert_eq!(rows, [("Ann".to_owned(), 3, 7)]);

        let page = query!(|o: OrderView| o.order_by((o.customer_name.desc(), o.id)).skip(1).take(2));
        let orders = views.search(page.into_segment()).all().await.unwrap();
        assert_eq!(orders.iter().map(|o| o.order.id).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(orders[1].customer_name.as_deref(), Some("Ann"));

        let least = Decimal::from(50);
        let template = sql!(
            "SELECT COUNT(*) FROM {From} WHERE [Amount] > {least} AND {rest}",
            rest = expr!(|o: OrderView| o.status < 5)
        );
        assert_eq!(views.search_as::<(i64,)>(template).all().await.unwrap(), [(1,)]);
    })
    .await;
}

#[tokio::test]
async fn writes_take_conditions() {
    each(async |session: Session| {
        let users = ObjectDao::<User>::new(&session);
        let condition = expr!(|u: User| u.age < 18 || exists::<Department>(|d| d.id == u.dept_id && d.name == "Ops"));
        let sets = [User::AGE.set(expr!(|u: User| u.age + 1)), User::EMAIL.set(None::<&str>)];
        let raise = isogloss::entity::update::<User>(sets).filter(condition.clone());
        assert_eq!(users.update_where(raise).await.unwrap(), 2);
        let found = ObjectViewDao::<User>::new(&session).search(expr!(|u: User| u.email.is_none())).all().await;
        assert_eq!(found.unwrap().iter().map(|user| user.age).collect::<Vec<_>>(), [18, 66]);
        assert_eq!(users.delete_where(condition).await.unwrap(), 1);
    })
    .await;
}
