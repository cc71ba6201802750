//! Conditions in Rust: the SQL that they become, and the rows that they find.

use std::sync::LazyLock;

use isogloss::entity::{Column, Condition, Entity, Query, count};
use isogloss::expr::{ColumnName, Decimal, SqlSegment, ValueTypeExpr, exists, from, from_args, func};
use isogloss::prelude::*;
use isogloss::{Compiler, ExprString, POSTGRES, Request, args};

use crate::support::shop::{Department, Order, OrderView, User, catalog};

/// The text of a filter of an entity behind WHERE, in PostgreSQL's words.
fn filter(entity: &'static str, condition: impl Into<Option<LogicExpr>>) -> String {
    let compiler = Compiler::new(catalog().unwrap());
    let query = from(entity).filter(condition).select(["Id"]).into_segment();
    let sql = compiler.compile(&query, &POSTGRES).unwrap().sql;
    let (_, filter) = sql.split_once(" WHERE ").unwrap_or(("", "-"));
    let filter = filter.replace('"', "");
    if filter.contains("EXISTS") { filter } else { filter.replace("T0.", "") }
}

fn sql<E, R>(query: &Query<E, R>) -> String {
    Compiler::new(catalog().unwrap()).compile(query, &POSTGRES).unwrap().sql.replace('"', "")
}

macro_rules! texts {
    ($($name:ident: $entity:ident { $($condition:expr => $text:literal,)* })*) => {$(
        #[test]
        fn $name() {
            let texts = [$((filter(stringify!($entity), $condition), $text)),*];
            let wrong: Vec<_> = texts.iter().filter(|(is, wanted)| is != wanted).collect();
            assert!(wrong.is_empty(), "{wrong:#?}");
        }
    )*};
}

texts! {
    comparisons: Order {
        expr!(|o: Order| o.status == 1) => "Status = $1",
        expr!(|o: Order| 1 < o.status) => "Status > $1",
        expr!(|o: Order| o.amount >= 99.95) => "Amount >= $1",
        expr!(|o: Order| o.note == None) => "Note IS NULL",
        expr!(|o: Order| None != o.note) => "Note IS NOT NULL",
        expr!(|o: Order| o.note == "x" || o.note.is_none()) => "Note = $1 OR Note IS NULL",
        expr!(|o: Order| !(o.status == 1 && o.weight > -1.5)) => "NOT (Status = $1 AND Weight > $2)",
        expr!(|o: Order| o.user_id == o.status) => "UserId = Status",
    }
    arithmetic: Order {
        expr!(|o: Order| o.status + 1 > o.user_id * 2 % 3) => "Status + $1 > UserId * $2 % $3",
        expr!(|o: Order| 10 - o.status == -o.user_id) => "$1 - Status = -UserId",
        expr!(|o: Order| (o.weight / 2.0).round() >= 3.0) => "CAST(ROUND(CAST(CAST(Weight / $1 AS text) AS numeric)) AS double precision) >= $2",
        expr!(|o: Order| o.status as f64 * 1.5 > o.weight) => "CAST(Status AS double precision) * $1 > Weight",
        expr!(|o: Order| o.status.max(o.user_id).abs() < 5) => "ABS(GREATEST(Status, UserId)) < $1",
    }
    numbers_of_two_types: Order {
        expr!(|o: Order| o.amount * o.status > 100 && o.status * o.amount > dec!(99.5)) =>
            "Amount * Status > $1 AND Status * Amount > $2",
        expr!(|o: Order| o.amount / o.id + o.status >= o.user_id) => "Amount / NULLIF(Id, 0) + Status >= UserId",
        expr!(|o: Order| o.status < o.id && o.id == o.status && o.user_id != o.amount) =>
            "Status < Id AND Id = Status AND UserId <> Amount",
        expr!(|o: Order| (o.id - o.status) % 2 == 0 && 3 * o.id > o.status) => "(Id - Status) % $1 = $2 AND $3 * Id > Status",
        expr!(|o: Order| o.status * dec!(0.5) > dec!(1.5) && dec!(0.5) * o.status > 1) =>
            "Status * $1::numeric > $2 AND $3::numeric * Status > $4",
        expr!(|o: Order| o.status * 1.5 > 3.0 && o.weight * o.status > 3.0 && o.weight > o.status) =>
            "Status * $1::double precision > $2 AND Weight * Status > $3 AND Weight > Status",
        expr!(|o: Order| o.amount.between(o.status, o.id) && [o.id, 7].contains(&o.status)) =>
            "Amount >= Status AND Amount <= Id AND Status IN (Id, $1)",
        expr!(|o: Order| (o.placed - today()).num_days() > 3) =>
            "CAST(TRUNC(EXTRACT(EPOCH FROM Placed - CAST(CAST(STATEMENT_TIMESTAMP() AS date) AS timestamp)) / 86400) AS bigint) > $1",
        expr!(|o: Order| o.placed > today()) => "Placed > CAST(STATEMENT_TIMESTAMP() AS date)",
    }
}

texts! {
    texts: OrderView {
        expr!(|o: OrderView| o.customer_name.starts_with("A") && o.note.contains("50%")) =>
            "User.Name LIKE $1 AND Note LIKE $2",
        expr!(|o: OrderView| o.note.trim().to_lowercase().len() > 3) => "LENGTH(LOWER(BTRIM(Note))) > $1",
        expr!(|o: OrderView| o.note.unwrap_or("none").replace("a", "b") + "!" == "x") => "REPLACE(COALESCE(Note, $1::text), $2::text, $3::text) || $4::text = $5",
        expr!(|o: OrderView| o.note.is_empty()) => "Note = $1",
        expr!(|o: OrderView| o.note.substring(0, 2).like("a_")) => "SUBSTRING(Note, $1::integer + 1, $2::integer) LIKE $3",
        expr!(|o: OrderView| "prefix-" + o.note == o.customer_name) => "$1::text || Note = User.Name",
        expr!(|o: OrderView| "a,b,c".contains(&o.note)) => "STRPOS($1::text, Note) > 0",
    }
    dates: Order {
        expr!(|o: Order| o.placed.year() == 2024 && o.placed.month() != 12) => "Placed >= $1 AND Placed < $2 AND CAST(EXTRACT(MONTH FROM Placed) AS integer) <> $3",
        expr!(|o: Order| (o.shipped - o.placed).num_days() > 3) => "CAST(TRUNC(EXTRACT(EPOCH FROM Shipped - Placed) / 86400) AS bigint) > $1",
        expr!(|o: Order| o.placed.add_days(30) < now()) => "Placed + $1::integer * INTERVAL '1 day' < CAST(STATEMENT_TIMESTAMP() AS timestamp)",
        expr!(|o: Order| o.placed.date() >= today()) => "CAST(Placed AS date) >= CAST(STATEMENT_TIMESTAMP() AS date)",
        expr!(|o: Order| o.shipped.unwrap_or(o.placed).hour() < 8) => "CAST(EXTRACT(HOUR FROM COALESCE(Shipped, Placed)) AS integer) < $1",
    }
    lists_and_ranges: Order {
        expr!(|o: Order| [1, 2].contains(&o.status)) => "Status IN ($1, $2)",
        expr!(|o: Order| [1, o.user_id].contains(&o.status)) => "Status IN ($1, UserId)",
        expr!(|o: Order| !o.status.is_in([1, 2]) && o.status.not_in([3])) => "Status NOT IN ($1, $2) AND Status NOT IN ($3)",
        expr!(|o: Order| !o.status.is_in(vec![1, 2]) && !(o.id > 3 || [4].contains(&o.status))) =>
            "Status NOT IN ($1, $2) AND NOT (Id > $3 OR Status IN ($4))",
        expr!(|o: Order| [Some(1), Some(2)].contains(&o.status) || !!o.status.is_in(vec![Some(3), None])) =>
            "Status IN ($1, $2) OR Status IN ($3, NULL)",
        expr!(|o: Order| (1..=5).contains(&o.status)) => "Status >= $1 AND Status <= $2",
        expr!(|o: Order| (1.5..2.5).contains(&o.amount)) => "Amount >= $1 AND Amount < $2",
        expr!(|o: Order| (..9).contains(&o.status) || (100..).contains(&o.status)) => "Status < $1 OR Status >= $2",
        expr!(|o: Order| matches!(o.status, 1 | 2 | 5..=7)) => "Status = $1 OR Status = $2 OR Status >= $3 AND Status <= $4",
        expr!(|o: Order| !o.note.is_some_and(|note| note.starts_with("x") && o.id > 1)) =>
            "NOT (Note IS NOT NULL AND Note LIKE $1 AND Id > $2)",
        expr!(|o: Order| o.shipped.is_none_or(|day| day > o.placed)) => "Shipped IS NULL OR Shipped > Placed",
        expr!(|o: Order| matches!(o.note, None | Some("x"))) => "Note IS NULL OR Note = $1",
    }
    cases: Order {
        expr!(|o: Order| (if o.status == 1 { "open" } else if o.status == 2 { "sent" } else { "?" }) == o.note) => "CASE WHEN Status = $1 THEN $2::text WHEN Status = $3 THEN $4::text ELSE $5::text END = Note",
        expr!(|o: Order| match o.status { 1 => o.user_id, 2 | 3 => 7, _ => -1 } > 3) => "CASE WHEN Status = $1 THEN UserId WHEN Status = $2 OR Status = $3 THEN $4::bigint ELSE $5::bigint END > $6",
        expr!(|o: Order| if o.note.is_none() { o.status == 1 } else { true }) => "CASE WHEN Note IS NULL THEN Status = $1 ELSE TRUE END",
        expr!(|o: Order| match o.status { 1..=3 => "low", 4 if o.weight > 1.0 => "mid", _ => "high" }.starts_with("l")) => "CASE WHEN Status >= $1 AND Status <= $2 THEN $3::text WHEN Status = $4 AND Weight > $5 THEN $6::text ELSE $7::text END LIKE $8",
        expr!(|o: Order| { let total = o.status * 2; total > 3 && total < 9 }) => "Status * $1 > $2 AND Status * $3 < $4",
    }
    truth: User {
        expr!(|u: User| u.active) => "Active",
        expr!(|u: User| !u.active && u.active == true) => "NOT Active AND Active = $1",
        expr!(|u: User| (u.age > 3) == u.active) => "(Age > $1) = Active",
        expr!(|_u: User| true) => "-",
        expr!(|u: User| false || u.age == 1) => "Age = $1",
        User::ACTIVE => "Active",
        !User::ACTIVE | User::AGE.gt(3) => "NOT Active OR Age > $1",
        User::AGE.gt(3) & User::ACTIVE & true => "Age > $1 AND Active",
        expr!(|u: User| u.active) | User::AGE.gt(3) => "Active OR Age > $1",
        Condition::<User>::from(expr!(|u: User| u.active)) => "Active",
    }
    exists_within: User {
        expr!(|u: User| exists::<Department>(|d| d.id == u.dept_id && d.name == "R&D")) => "EXISTS (SELECT 1 FROM Departments T1 WHERE T1.Id = T0.DeptId AND T1.Name = $1)",
        expr!(|u: User| !exists_related::<Department>(|d| d.name.starts_with("A"))) => "NOT EXISTS (SELECT 1 FROM Departments T1 WHERE T1.Id = T0.DeptId AND T1.Name LIKE $1)",
        expr!(|u: User| exists_related::<Order>()) => "EXISTS (SELECT 1 FROM Orders T1 WHERE T1.UserId = T0.Id)",
        expr!(|u: User| exists(|o: Order| o.user_id == u.id && exists::<Department>(|d| d.id == o.status && d.id == u.dept_id))) => "EXISTS (SELECT 1 FROM Orders o_1 WHERE o_1.UserId = T0.Id AND EXISTS (SELECT 1 FROM Departments T1 WHERE T1.Id = o_1.Status AND T1.Id = T0.DeptId))",
        expr!(|u: User| exists::<User>(|other| other.name == u.name && other.id != u.id)) => "EXISTS (SELECT 1 FROM Users T1 WHERE T1.Name = T0.Name AND T1.Id <> T0.Id)",
    }
}

#[test]
fn the_left_side_decides_whether_the_right_is_looked_at() {
    let name: Option<&str> = None;
    let with = |name: Option<&str>| expr!(|u: User| name.is_none() || u.name == name.unwrap());
    assert_eq!(with(name), LogicExpr::default());
    assert_eq!(with(Some("Ann")), prop("Name").eq("Ann"));

    let flag = false;
    assert_eq!(filter("User", expr!(|u: User| flag && u.age > 1)), "FALSE");
    assert_eq!(expr!(|u: User| !flag && u.age > 1), prop("Age").gt(1));
    let least: Option<i32> = Some(18);
    let least = expr!(|u: User| if let Some(least) = least { u.age >= least } else { true });
    assert_eq!(least, prop("Age").ge(18));
    let order = "name";
    let key = expr!(|u: User| match order {
        "name" => u.name.to_lowercase(),
        _ => u.name.trim(),
    });
    assert_eq!(ValueTypeExpr::from(key), prop("Name").lower().into());
}

#[test]
fn what_is_absent_says_nothing_and_a_guard_guards() {
    let (a, b): (Option<LogicExpr>, Option<LogicExpr>) = (None, None);
    assert_eq!(filter("Order", expr!(|o: Order| a || b || o.status == 1)), "Status = $1");
    assert_eq!(filter("Order", expr!(|o: Order| !a || o.status == 1)), "Status = $1");
    assert_eq!(filter("Order", expr!(|o: Order| !(a && b) && o.status == 1)), "Status = $1");
    let limit: Option<i32> = "none".parse().ok();
    // As in Rust, what stands behind the guard is not looked at.
    let guarded = expr!(|o: Order| o.status == 1 || limit.is_some() && o.user_id == limit.unwrap());
    assert_eq!(filter("Order", guarded), "Status = $1");
    let guarded = expr!(|o: Order| o.status == 1 && (limit.is_none() || o.user_id == limit.unwrap()));
    assert_eq!(filter("Order", guarded), "Status = $1");
    // The right side is no closure of its own.
    let read = |text: &str| -> Result<Condition<Order>, std::num::ParseIntError> {
        Ok(expr!(|o: Order| o.status == 1 && o.user_id == text.parse::<i32>()?))
    };
    assert_eq!(filter("Order", read("7").unwrap()), "Status = $1 AND UserId = $2");
    assert!(read("x").is_err());
}

#[test]
fn what_is_captured_stays() {
    let (name, list) = (String::from("Ann"), vec![1, 2]);
    let set: std::collections::BTreeSet<i32> = list.iter().copied().collect();
    let other: Option<LogicExpr> = None;
    let adults = expr!(|u: User| u.age >= 18);
    let range = 1..5;
    let (by_slice, by_reference): (&[i32], &i32) = (&list, &list[0]);
    assert_eq!(
        filter("User", expr!(|u: User| u.id.not_in(by_slice) && u.id != by_reference)),
        "Id NOT IN ($1, $2) AND Id <> $3"
    );
    let all = expr!(|u: User| u.name == name
        && list.contains(&u.age)
        && u.id.is_in(&list)
        && set.contains(&u.dept_id)
        && range.contains(&u.id)
        && other
        && adults);
    assert_eq!(
        filter("User", all),
        "Name = $1 AND Age IN ($2, $3) AND Id IN ($4, $5) AND DeptId IN ($6, $7) AND Id >= $8 AND Id < $9 AND Age >= $10"
    );
    assert_eq!((name.len(), list.len(), set.len(), other, range.len()), (3, 2, 2, None, 4));
    assert_eq!(adults, prop("Age").ge(18));
}

impl User {
    const LEAST: i32 = 7;
}

#[test]
fn a_constant_of_an_entity_is_of_the_closure_over_it() {
    let exists = |condition: Condition<User>| filter("User", condition);
    // Both tables have an `Id`.
    assert_eq!(
        exists(expr!(|u: User| exists::<Order>(|o| Order::USER_ID == User::ID && Order::ID > 5 && o.id < 9))),
        "EXISTS (SELECT 1 FROM Orders T1 WHERE T1.UserId = T0.Id AND T1.Id > $1 AND T1.Id < $2)"
    );
    // At any depth, and in the methods and calls that they stand in.
    let born = |day: Column<_, chrono::NaiveDate>| day.year();
    assert_eq!(
        exists(expr!(|u: User| exists::<Order>(|o| exists::<Department>(|d| {
            Department::ID == Order::STATUS && Order::ID.gt(1) && User::NAME.len() == 3 && born(User::BORN) > 1
        })))),
        "EXISTS (SELECT 1 FROM Orders o_1 WHERE EXISTS (SELECT 1 FROM Departments T1 WHERE T1.Id = o_1.Status \
         AND o_1.Id > $1 AND LENGTH(T0.Name) = $2 AND T0.Born >= $3))"
    );
    // What is no column stays what it is.
    assert_eq!(
        exists(expr!(|u: User| exists::<Order>(|o| User::LEAST < o.status && o.id != User::LEAST))),
        "EXISTS (SELECT 1 FROM Orders T1 WHERE $1 < T1.Status AND T1.Id <> $2)"
    );
}

#[test]
fn a_condition_with_an_exists_is_of_the_closure_that_captures_it() {
    let has_department = expr!(|o: Order| exists::<Department>(|d| d.id == o.status));
    let busy = expr!(|u: User| exists::<Order>(|o| o.user_id == u.id && has_department));
    let nested = "EXISTS (SELECT 1 FROM Orders o_1 WHERE o_1.UserId = T0.Id AND \
                  EXISTS (SELECT 1 FROM Departments T1 WHERE T1.Id = o_1.Status))";
    assert_eq!(filter("User", busy.clone()), nested);
    // Once more, and beside what is absent.
    let none: Option<LogicExpr> = None;
    let friends = expr!(|u: User| exists::<User>(|friend| friend.dept_id == u.dept_id && busy && none));
    assert_eq!(
        filter("User", friends),
        "EXISTS (SELECT 1 FROM Users friend_1 WHERE friend_1.DeptId = T0.DeptId AND EXISTS (SELECT 1 FROM Orders o_1 WHERE \
         o_1.UserId = friend_1.Id AND EXISTS (SELECT 1 FROM Departments T1 WHERE T1.Id = o_1.Status)))"
    );
    // An alias of its own does not take the name of the table outside.
    let same = expr!(|o: Order| exists::<Order>(|o| o.id == 1 && exists::<User>(|u| u.id == o.user_id)));
    let shadow = expr!(|x: Order| exists::<Order>(
        |y| y.id != x.id && exists::<User>(|u| u.id == y.user_id && u.age == x.status)
    ));
    let outer = expr!(|u: User| exists::<Order>(|y| shadow && y.user_id == u.id && same));
    assert_eq!(
        filter("User", outer),
        "EXISTS (SELECT 1 FROM Orders y_1 WHERE EXISTS (SELECT 1 FROM Orders y_1_ WHERE y_1_.Id <> y_1.Id AND \
         EXISTS (SELECT 1 FROM Users T1 WHERE T1.Id = y_1_.UserId AND T1.Age = y_1.Status)) AND y_1.UserId = T0.Id AND \
         EXISTS (SELECT 1 FROM Orders o_1 WHERE o_1.Id = $1 AND EXISTS (SELECT 1 FROM Users T2 WHERE T2.Id = o_1.UserId)))"
    );
    // A condition of the inner table, and one that speaks of the statement's main table by its alias, stay as they are.
    let (open, main) = (expr!(|o: Order| o.status == 1), prop("UserId").eq(prop_of("T0", "Id")));
    assert_eq!(
        filter("User", expr!(|u: User| exists::<Order>(|o| open && main && o.id > 0))),
        "EXISTS (SELECT 1 FROM Orders T1 WHERE T1.Status = $1 AND T1.UserId = T0.Id AND T1.Id > $2)"
    );
}

#[test]
fn what_is_captured_is_evaluated_once() {
    let calls = std::cell::Cell::new(0);
    let next = || {
        calls.set(calls.get() + 1);
        calls.get()
    };
    let once = |condition: Condition<Order>, text: &str| {
        assert_eq!(filter("Order", condition), text);
        assert_eq!(calls.replace(0), 1, "{text}");
    };
    once(expr!(|o: Order| (1..5).contains(&(o.status + next()))), "Status + $1 >= $2 AND Status + $3 < $4");
    once(expr!(|o: Order| (1..=o.status).contains(&next())), "$1::bigint >= $2::bigint AND $3 <= Status");
    once(
        expr!(|o: Order| o.note.left(next()).is_some_and(|note| note == "x" || note == "y")),
        "LEFT(Note, $1::integer) IS NOT NULL AND (LEFT(Note, $2::integer) = $3 OR LEFT(Note, $4::integer) = $5)",
    );
    once(expr!(|o: Order| matches!(o.status + next(), 1 | 2)), "Status + $1 = $2 OR Status + $3 = $4");
    once(
        expr!(|o: Order| match o.status + next() {
            1 => o.user_id,
            2 => 7,
            _ => 8,
        } == 1),
        "CASE WHEN Status + $1 = $2 THEN UserId WHEN Status + $3 = $4 THEN $5::bigint ELSE $6::bigint END = $7",
    );
}

const NAME: &str = "Ann";
static LEAST: i64 = 5;
static LONG: LazyLock<String> = LazyLock::new(|| "long".to_owned());
static OWNED: String = String::new();
static STATES: LazyLock<Vec<i32>> = LazyLock::new(|| vec![1, 2]);

#[test]
fn constants_and_statics_are_values() {
    let with = expr!(|o: OrderView| o.customer_name == NAME
        && NAME == o.note
        && o.id > LEAST
        && o.note != *LONG
        && o.note != OWNED
        && STATES.contains(&o.status)
        && o.status.is_in(&*STATES)
        && o.id != i64::MAX);
    let text = "User.Name = $1 AND Note = $2 AND Id > $3 AND Note <> $4 AND Note <> $5 AND Status IN ($6, $7) \
                AND Status IN ($8, $9) AND Id <> $10";
    assert_eq!(filter("OrderView", with), text);
    assert_eq!(
        filter("User", expr!(|u: User| exists::<Order>(|o| o.note == OWNED && o.id == LEAST))),
        "EXISTS (SELECT 1 FROM Orders T1 WHERE T1.Note = $1 AND T1.Id = $2)"
    );
}

#[test]
fn what_stands_beside_a_column_may_have_any_owner() {
    use std::borrow::Cow;
    let owned = String::from("x");
    let (borrowed, cow, boxed) = (&owned, Cow::Borrowed("x"), Box::<str>::from("x"));
    let (some, none): (Option<&str>, Option<String>) = (Some("x"), None);
    let (texts, cows) = (vec![owned.clone()], [cow.clone()]);
    assert_eq!(
        filter("Order", expr!(|o: Order| o.note == owned && o.note == borrowed && o.note == cow && o.note == boxed)),
        "Note = $1 AND Note = $2 AND Note = $3 AND Note = $4"
    );
    assert_eq!(
        filter(
            "Order",
            expr!(|o: Order| o.note == some && o.note == none && o.note.contains(borrowed) && texts.contains(&o.note))
        ),
        "Note = $1 AND Note IS NULL AND Note LIKE $2 AND Note IN ($3)"
    );
    assert_eq!(
        filter("Order", expr!(|o: Order| o.note.is_in(&cows) && o.status < cows.len())),
        "Note IN ($1) AND Status < $2"
    );
    assert_eq!(
        filter("Order", expr!(|o: Order| o.note.unwrap_or_else(|| "none".to_owned()) == "x")),
        "COALESCE(Note, $1::text) = $2"
    );
    let (rate, three, day): (Decimal, i64, chrono::NaiveDate) =
        ("1.5".parse().unwrap(), 3, "2024-01-31".parse().unwrap());
    let noon = day.and_hms_opt(12, 0, 0).unwrap();
    let at = &noon;
    assert_eq!(
        filter(
            "Order",
            expr!(|o: Order| o.amount * rate > three && rate * o.amount - three < rate && o.amount * three > 1)
        ),
        "Amount * $1 > $2 AND $3 * Amount - $4 < $5 AND Amount * $6 > $7"
    );
    assert_eq!(
        filter("Order", expr!(|o: Order| o.placed < at && o.shipped > Some(noon))),
        "Placed < $1 AND Shipped > $2"
    );
    // A day is its midnight.
    assert_eq!(expr!(|o: Order| o.placed == day), prop("Placed").eq(day.and_hms_opt(0, 0, 0).unwrap()));
}

#[test]
fn conditions_of_one_entity_are_joined() {
    const LEAST: Decimal = dec!(12.50);
    let adults = || User::AGE.ge(18);
    let mut filter: Option<Condition<User>> = None;
    for name in ["Ann", "Bob"] {
        filter |= User::NAME.eq(name);
    }
    assert_eq!(filter.clone().unwrap(), prop("Name").eq("Ann") | prop("Name").eq("Bob"));
    assert_eq!(filter.clone() & adults(), (prop("Name").eq("Ann") | prop("Name").eq("Bob")) & prop("Age").ge(18));
    let given = adults().and(filter.clone()).or(None::<Condition<User>>).or(false);
    assert_eq!(given.into_logic(), (adults() & filter | LogicExpr::any([] as [LogicExpr; 0])).into_logic());
    let both = [Some(adults()), None, Some(!adults())];
    assert_eq!(Condition::<User>::all(&both), prop("Age").ge(18) & !prop("Age").ge(18));
    assert_eq!(Condition::<User>::any_given(both).unwrap(), prop("Age").ge(18) | !prop("Age").ge(18));
    // Trees go in and out, on either side.
    let mut tree = LogicExpr::default();
    tree &= adults();
    assert_eq!(tree.clone() & adults(), adults() & tree.clone());
    assert_eq!(exists_related("Order", None) & adults(), LogicExpr::from(exists_related("Order", None)) & tree);
    assert_eq!(
        expr!(|o: Order| o.amount > LEAST && o.amount < dec!(-1)),
        Order::AMOUNT.gt(LEAST) & Order::AMOUNT.lt(dec!(-1))
    );
    // A column of an alias is of the table that has it.
    assert_eq!(
        self::filter("User", exists("Order", Order::USER_ID.eq(User::ID.aliased("T0")) & Order::STATUS.eq(1))),
        "EXISTS (SELECT 1 FROM Orders T1 WHERE T1.UserId = T0.Id AND T1.Status = $1)"
    );
}

/// What is converted into a tree without types is refused by the compiler of the statement, where Rust's cannot see it.
#[test]
fn a_tree_remembers_the_entity_of_a_column() {
    let compiler = Compiler::new(catalog().unwrap());
    let refused = |query: SqlSegment, says: &str| {
        let error = compiler.compile(&query, &POSTGRES).unwrap_err().to_string();
        assert!(error.starts_with(says), "{error}");
    };
    let of_order = "the column `Id` belongs to `User`, and would be read as that of `Order`: ";
    refused(from("Order").filter(User::ID.eq(1)), of_order);
    refused(from("Order").order_by([User::ID.desc()]), of_order);
    refused(from("Order").filter(expr!(|u: User| u.id == 1)), of_order);
    refused(from("User").filter(exists("Order", User::ID.eq(1))), of_order);
    refused(from("User").filter(exists("Order", Order::USER_ID.eq(User::ID.aliased("T1")))), of_order);
    let template = sql!("{} FOR SHARE", from("Order").filter(User::ID.eq(1)));
    let error = compiler.compile(&template, &POSTGRES).unwrap_err().to_string();
    assert!(error.starts_with(of_order), "{error}");
    let view = from("OrderView").filter(Order::ID.eq(1) & LogicExpr::from(OrderView::CUSTOMER_NAME.is_some()));
    compiler.compile(&view, &POSTGRES).unwrap();
}

#[test]
fn clauses_take_what_is_of_their_entity() {
    let query = Query::<OrderView>::new()
        .filter(Order::STATUS.gt(1) & OrderView::CUSTOMER_NAME.is_some())
        .group_by((OrderView::CUSTOMER_NAME, Order::STATUS))
        .having(isogloss::entity::count().gt(1))
        .order_by((OrderView::CUSTOMER_NAME.desc().nulls_last(), Order::STATUS))
        .select((Order::STATUS, Order::AMOUNT.sum().alias("total"), Order::STATUS.gt(3), "CustomerName"));
    assert_eq!(
        sql(&query),
        "SELECT T0.Status, SUM(T0.Amount) AS total, T0.Status > $1, User.Name AS CustomerName FROM Orders T0 \
         LEFT JOIN Users User ON T0.UserId = User.Id WHERE T0.Status > $2 AND User.Name IS NOT NULL \
         GROUP BY User.Name, T0.Status HAVING COUNT(*) > $3 ORDER BY User.Name DESC NULLS LAST, T0.Status"
    );
}

#[test]
fn constants_stand_in_the_text() {
    assert_eq!(filter("User", expr!(|u: User| u.age > constant(18) && u.name != "x")), "Age > 18 AND Name <> $1");
}

#[test]
fn queries() {
    let adults = expr!(|u: User| u.age >= 18);
    assert_eq!(
        sql(&query!(|u: User| u.filter(adults).order_by(u.name).skip(0).take(20).select(u.id))),
        "SELECT T0.Id FROM Users T0 WHERE T0.Age >= $1 ORDER BY T0.Name, T0.Id LIMIT $2"
    );
    assert_eq!(
        sql(&query!(|q: OrderView| q
            .filter(q.amount > 5 && q.customer_name.is_some())
            .group_by((q.customer_name, q.placed.year()))
            .having(count() > 2 && q.amount.sum() > 100)
            .order_by((q.amount.sum().desc().nulls_last(), q.customer_name))
            .section(10, 5)
            .select((
                q.customer_name,
                q.placed.year().alias("year"),
                q.amount.sum().alias("total"),
                count().alias("n")
            )))),
        "SELECT User.Name AS CustomerName, CAST(EXTRACT(YEAR FROM T0.Placed) AS integer) AS year, \
         SUM(T0.Amount) AS total, COUNT(*) AS n FROM Orders T0 LEFT JOIN Users User ON T0.UserId = User.Id \
         WHERE T0.Amount > $1 AND User.Name IS NOT NULL \
         GROUP BY User.Name, CAST(EXTRACT(YEAR FROM T0.Placed) AS integer) \
         HAVING COUNT(*) > $2 AND SUM(T0.Amount) > $3 \
         ORDER BY SUM(T0.Amount) DESC NULLS LAST, User.Name, CAST(EXTRACT(YEAR FROM T0.Placed) AS integer) \
         LIMIT $4 OFFSET $5"
    );
    assert_eq!(
        sql(&query!(|q: User| q.select((q.age, q.age > 17)).distinct())),
        "SELECT DISTINCT T0.Age, T0.Age > $1 FROM Users T0"
    );
    let page = query!(|q: User| q.take(20).skip(5).take(100));
    assert_eq!(page.into_segment(), from("User").section(5, 15));
}

#[test]
fn templates() {
    let (min, list, none) = (100, vec!["a", "b"], Vec::<i32>::new());
    let condition = expr!(|o: Order| o.status == 1 || o.status == 2);
    let slice: &[i32] = &[1, 2];
    let direction = isogloss::RawSql::new("DESC");
    let template = sql!(
        "SELECT {cols} FROM {From} WHERE [Amount] > {min + 1} AND {condition} AND [Note] IN {list} AND [Status] IN {slice} \
         AND [UserId] = {} AND 1 = {0} AND [Id] < {top} AND '{' = '{' ORDER BY [Id] {direction}",
        7,
        top = min,
        cols = [Order::columns(None).id],
    );
    let compiler = Compiler::new(catalog().unwrap());
    let statement = compiler.compile_with(&template, &Request::of("Order"), &POSTGRES).unwrap();
    assert_eq!(
        statement.sql.replace('"', ""),
        "SELECT T0.Id FROM Orders T0 WHERE Amount > $1::bigint AND (T0.Status = $2 OR T0.Status = $3) \
         AND Note IN ($4::text, $5::text) AND Status IN ($6::bigint, $7::bigint) \
         AND UserId = $8::bigint AND 1 = $9::bigint AND Id < $10::bigint AND '{' = '{' ORDER BY Id DESC"
    );
    assert_eq!((list.len(), none.len(), min), (2, 0, 100));
    let open = sql!("SELECT 1 WHERE 1 IN {none}");
    assert!(compiler.compile_with(&open, &Request::of("Order"), &POSTGRES).is_err());
}

/// What is a literal for one engine alone.
#[test]
fn a_template_is_read_as_its_engine_reads_it() {
    let compiler = Compiler::new(catalog().unwrap());
    let min = 5;
    #[cfg(feature = "oracle")]
    {
        use isogloss::ORACLE;
        let text = |template: &ExprString| compiler.compile(template, &ORACLE).unwrap().sql;
        assert_eq!(text(&sql!("SELECT q'[it's {x} [y]]', [a] + {min}")), r#"SELECT q'[it's {x} [y]]', "a" + :1"#);
        assert_eq!(text(&sql!("SELECT nQ'{it's}', {min}, q'<'>'")), "SELECT nQ'{it's}', :1, q'<'>'");
        assert_eq!(text(&sql!("SELECT Q'!'(!' || NQ'('{x})', {min}")), "SELECT Q'!'(!' || NQ'('{x})', :1");
        let other = compiler.compile(&sql!("SELECT q'[it's]', {min}"), &POSTGRES).unwrap_err();
        assert!(other.to_string().contains("closes nothing"), "{other}");
    }
    let text = |template: &ExprString| compiler.compile(template, &POSTGRES).unwrap().sql;
    assert_eq!(text(&sql!(r"SELECT E'it\'s {x}', {min + 1}")), r"SELECT E'it\'s {x}', $1::bigint");
    assert_eq!(text(&sql!("SELECT $t$it's {x}$t$, {min}")), "SELECT $t$it's {x}$t$, $1::bigint");
    // Braces and quotes of Rust end no hole.
    assert_eq!(text(&sql!(r#"SELECT {"}".to_owned()}, {i32::from('}' == '"')}"#)), "SELECT $1::text, $2::bigint");
    assert_eq!(text(&sql!("SELECT [a]]b[[c]")), r#"SELECT "a]b[c""#);
}

#[test]
fn what_may_be_absent_in_a_template_is_a_value() {
    let compiler = Compiler::new(catalog().unwrap());
    let text = |note: Option<String>| {
        let template = sql!("UPDATE [orders] SET [note] = {note}, [data] = {bytes}", bytes = vec![1_u8, 2]);
        compiler.compile(&template, &POSTGRES).unwrap().sql
    };
    assert_eq!(text(Some("x".into())), r#"UPDATE "orders" SET "note" = $1::text, "data" = $2::bytea"#);
    assert_eq!(text(None), r#"UPDATE "orders" SET "note" = NULL, "data" = $1::bytea"#);
}

#[test]
fn bytes_are_one_value_and_behind_in_a_list() {
    let compiler = Compiler::new(catalog().unwrap());
    let text = |template: &ExprString| compiler.compile(template, &POSTGRES).unwrap().sql.replace('"', "");
    let (owned, array) = (vec![1_u8, 2], [1_u8, 2]);
    let (slice, some): (&[u8], Option<&[u8]>) = (&owned, Some(&array));
    let boxed: Box<[u8]> = slice.into();
    for template in [
        sql!("SELECT {owned}"),
        sql!("SELECT {}", &owned),
        sql!("SELECT {slice}"),
        sql!("SELECT {array}"),
        sql!("SELECT {some}"),
        sql!("SELECT {boxed}"),
        sql!("SELECT {}", b"ab"),
        sql!("SELECT {}", &owned[..1]),
        sql!("SELECT {}", std::borrow::Cow::Borrowed(slice)),
    ] {
        assert_eq!(text(&template), "SELECT $1::bytea");
    }
    for template in [
        sql!("SELECT 1 IN {owned}"),
        sql!("SELECT 1 in ({slice})"),
        sql!("SELECT 1 IN {array}"),
        sql!("SELECT 1 IN {list}", list = b"ab"),
    ] {
        assert_eq!(
            text(&template).replace("((", "(").replace("))", ")").to_lowercase(),
            "select 1 in ($1::bigint, $2::bigint)"
        );
    }
    assert_eq!(text(&sql!("SELECT {}", None::<&[u8]>)), "SELECT NULL");
    // A column of bytes is compared with bytes of any owner.
    let data: Column<Order, Vec<u8>> = Column::new(&ColumnName { entity: "Order", name: "Note" });
    for same in [data.eq(slice), data.eq(array), data.eq(b"\x01\x02"), data.eq(boxed), data.eq(&owned)] {
        assert_eq!(same, prop("Note").eq(owned.as_slice()));
    }
}

#[test]
fn tables_with_arguments() {
    let inner = || prop("UserId").eq(prop_of("T0", "Id"));
    assert_eq!(
        expr!(|u: User| exists_args::<Order>(["2024"], |o| o.user_id == u.id)),
        LogicExpr::from(exists("Order", inner()).table_args(["2024"]))
    );
    assert_eq!(
        expr!(|u: User| u.active && exists_related_args::<Order>(["2024"])),
        prop("Active").is_true() & LogicExpr::from(exists_related("Order", None).table_args(["2024"]))
    );
    let query = query!(|o: Order| o.table_args(["2024"]).filter(o.id == 1));
    assert_eq!(query.into_segment(), from_args("Order", ["2024"]).filter(prop("Id").eq(1)));
}

/// A part of conditions that the program writes once.
fn is_due<E: Entity>(amount: Column<E, Decimal>, least: i64) -> Condition<E> {
    amount.ge(least)
}

struct Limits {
    least: i64,
    names: [String; 2],
}

impl Limits {
    fn condition(&self) -> Condition<OrderView> {
        expr!(|o: OrderView| o.id > self.least
            && self.names.contains(&o.customer_name)
            && o.note.as_deref() == Some("x"))
    }
}

#[test]
fn rust_stands_around() {
    let least = 5;
    assert_eq!(expr!(|o: Order| is_due(o.amount, least) && o.id == 1), prop("Amount").ge(5) & prop("Id").eq(1));

    let limits = Limits { least: 7, names: ["Ann".to_owned(), "Bob".to_owned()] };
    assert_eq!(filter("OrderView", limits.condition()), "Id > $1 AND User.Name IN ($2, $3) AND Note = $4");

    let parse = |text: &str| -> Result<Condition<Order>, std::num::ParseIntError> {
        Ok(expr!(|o: Order| o.status == text.trim().parse::<i32>()? && o.id > 0))
    };
    assert_eq!(parse(" 3 ").unwrap(), prop("Status").eq(3) & prop("Id").gt(0));
    assert!(parse("x").is_err());

    // Columns need no macro, and are used in one all the same.
    let columns = Order::columns(None);
    let (mine, total) = (columns.user_id.eq(3), columns.weight * 2.0);
    assert_eq!(
        filter("Order", expr!(|o: Order| mine && o.weight < total && !(o.status == 1))),
        "UserId = $1 AND Weight < Weight * $2 AND Status <> $3"
    );
    let o = columns;
    assert_eq!(
        expr!(|o: Order| {
            let o = o.id;
            o == 3
        }),
        o.id.eq(3)
    );
}

#[test]
fn a_query_inside_of_another_statement_keeps_its_own_table() {
    let busy = query!(|u: User| u.filter(exists::<Order>(|o| o.user_id == u.id && o.id > 1)).select(u.id));
    let compiler = Compiler::new(catalog().unwrap());
    let template = sql!("SELECT COUNT(*) FROM {From} WHERE [UserId] IN ({busy})");
    let inner =
        "SELECT Q0.Id FROM Users Q0 WHERE EXISTS (SELECT 1 FROM Orders T1 WHERE T1.UserId = Q0.Id AND T1.Id > $1)";
    let sql = compiler.compile_with(&template, &Request::of("Order"), &POSTGRES).unwrap().sql.replace('"', "");
    assert_eq!(sql, format!("SELECT COUNT(*) FROM Orders T0 WHERE UserId IN ({inner})"));
    let within = prop("UserId").in_list(ValueTypeExpr::from(busy));
    assert_eq!(filter("Order", within), format!("T0.UserId IN ({inner})"));
}

#[test]
fn keys_of_a_further_order_come_first() {
    let window = |keys| count().over().partition_by(Order::STATUS).order_by(keys);
    assert_eq!(
        ValueTypeExpr::from(window(Order::ID.asc()).order_by(Order::AMOUNT.desc()).partition_by(Order::USER_ID)),
        ValueTypeExpr::from(
            count()
                .over()
                .partition_by((Order::STATUS, Order::USER_ID))
                .order_by((Order::AMOUNT.desc(), Order::ID.asc()))
        )
    );
    let names = || func("StringAgg", args![prop("Name"), ","]);
    assert_eq!(names().order_by(["Id"]).order_by(["Name"]), names().order_by(["Name", "Id"]));
}

#[test]
fn a_condition_and_a_query_say_what_they_ask() {
    let late = expr!(|o: Order| o.status >= 2 && o.note == None);
    assert_eq!(late.to_string(), "Status >= 2 AND Note IS NULL");
    let query = query!(|o: Order| o.filter(late).order_by(o.id).take(3));
    assert_eq!(query.to_string(), "FROM Order WHERE Status >= 2 AND Note IS NULL ORDER BY Id LIMIT 3");
    assert!(format!("{query:?}").starts_with("Section("));
    let shown = format!("{query:#?}");
    assert!(
        shown.starts_with("Query {\n    asks: FROM Order WHERE Status >= 2 AND Note IS NULL ORDER BY Id LIMIT 3,\n")
    );
    assert!(shown.contains("    tree: Section("), "{shown}");
}
