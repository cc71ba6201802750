//! Case 29 of hostile requests: a cursor that is changed, of another query or user, or too old.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use isogloss::chrono::NaiveDate;
use isogloss::expr::DbValueType::{Double, Int32, String as Text};
use isogloss::expr::{Decimal, OrderByItemExpr, ValueOps as _, from, prop};
use isogloss::model::{Catalog, ColumnDef, ForeignType, TableDef, ViewDef};
use isogloss::uuid::Uuid;
use isogloss::{Compiler, SQLITE};

use super::*;

const SECRET: &[u8] = b"0123456789abcdef0123456789abcdef";

fn keys() -> CursorKeys {
    CursorKeys::new("a", SECRET).unwrap()
}

fn asked(parts: &[&str]) -> Subject {
    Subject(parts.iter().map(|part| (*part).to_owned()).collect())
}

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_800_000_000)
}

fn day_later() -> SystemTime {
    now() + Duration::from_secs(24 * 60 * 60)
}

#[test]
fn values_come_back_as_they_were() {
    let day = NaiveDate::from_ymd_opt(2024, 2, 29).unwrap();
    let at = day.and_hms_micro_opt(23, 59, 59, 999_999).unwrap();
    let values = vec![
        Value::Null,
        i64::MIN.into(),
        u64::MAX.into(),
        "Ü \"quoted\" \u{1F600}\n".into(),
        "0.10".parse::<Decimal>().unwrap().into(),
        true.into(),
        day.into(),
        at.time().into(),
        at.into(),
        at.and_utc().into(),
        Uuid::from_u128(7).into(),
    ];
    let cursor = keys().sign(&asked(&["q"]), values.clone(), now()).unwrap();
    assert!(cursor.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)), "{cursor}");
    let back = keys().open(&asked(&["q"]), &cursor, now()).unwrap();
    assert_eq!(format!("{back:?}"), format!("{values:?}"));
}

#[test]
fn each_byte_counts() {
    let cursor = keys().sign(&asked(&["q"]), vec![5.into()], now()).unwrap();
    for at in 0..cursor.len() {
        let mut bytes = cursor.clone().into_bytes();
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(bytes).unwrap();
        let problem = keys().open(&asked(&["q"]), &changed, now()).unwrap_err();
        assert_eq!(problem.kind(), ProblemKind::BadCursor, "{changed}");
    }
    for text in ["", ".", "v1", "v1.a", "v1.a.", "v1.a..", "v2.a.x.y", &cursor[1..], &format!("{cursor}A")] {
        assert!(keys().open(&asked(&["q"]), text, now()).is_err(), "{text}");
    }
}

#[test]
fn another_query_or_user_has_other_cursors() {
    let cursor = keys().sign(&asked(&["q", "ann"]), vec![5.into()], now()).unwrap();
    assert!(keys().open(&asked(&["q", "ann"]), &cursor, now()).is_ok());
    for other in [&["q", "bob"][..], &["p", "ann"], &["q"], &["qann"], &["q", "ann", ""], &["qa", "nn"]] {
        assert!(keys().open(&asked(other), &cursor, now()).is_err(), "{other:?}");
    }
}

#[test]
fn a_query_is_known_by_its_filter_and_order() {
    let of = |rows: SqlSegment| json::to_string(&rows);
    let rows = || from("Order").filter(prop("Id").gt(5));
    assert_eq!(of(rows().order_by(["Id"])), of(rows().order_by(["Id"])));
    assert_ne!(of(rows().order_by(["Id"])), of(rows().order_by([prop("Id").desc()])));
    assert_ne!(of(rows()), of(from("Order").filter(prop("Id").gt(6))));
    assert_ne!(of(from("Order")), of(from("OrderView")));
}

#[test]
fn a_cursor_ends_after_a_day() {
    let cursor = keys().sign(&asked(&[]), vec![], now()).unwrap();
    assert!(keys().open(&asked(&[]), &cursor, day_later()).is_ok());
    assert!(keys().open(&asked(&[]), &cursor, day_later() + Duration::from_secs(1)).is_err());
    let short = keys().lifetime(Duration::from_secs(60));
    assert!(short.open(&asked(&[]), &cursor, now() + Duration::from_secs(61)).is_err());
}

#[test]
fn a_key_is_replaced_by_another() {
    let old = keys().sign(&asked(&[]), vec![5.into()], now()).unwrap();
    let both = CursorKeys::new("b", b"another secret, of forty bytes or so....").unwrap().and("a", SECRET).unwrap();
    assert_eq!(both.open(&asked(&[]), &old, now()).unwrap(), [Value::from(5)]);
    let new = both.sign(&asked(&[]), vec![5.into()], now()).unwrap();
    assert!(new.starts_with("v1.b."));
    assert!(keys().open(&asked(&[]), &new, now()).is_err());
    // The same name with another secret.
    let other = CursorKeys::new("a", b"another secret, of forty bytes or so....").unwrap();
    assert!(other.open(&asked(&[]), &old, now()).is_err());
    let (one, two) = (CursorKeys::random().unwrap(), CursorKeys::random().unwrap());
    let own = one.sign(&asked(&[]), vec![], now()).unwrap();
    assert!(one.open(&asked(&[]), &own, now()).is_ok() && two.open(&asked(&[]), &own, now()).is_err());
}

#[test]
fn keys_that_are_no_good() {
    let error = CursorKeys::new("a", b"short").unwrap_err();
    assert_eq!(error.to_string(), "the key `a` of cursors has 5 bytes: use 32 random ones or more");
    assert_eq!(CursorKeys::new("a.b", SECRET).unwrap_err(), CursorKeyError::Name("a.b".into()));
    assert_eq!(CursorKeys::new("", SECRET).unwrap_err(), CursorKeyError::Name(String::new()));
    assert_eq!(keys().and("a", SECRET).unwrap_err(), CursorKeyError::Twice("a".into()));
    assert_eq!(format!("{:?}", keys()), r#"CursorKeys { keys: ["a"], lifetime: 86400s }"#);
}

fn catalog() -> Catalog {
    let id = || ColumnDef::new("Id", Int32).primary_key();
    Catalog::builder()
        .table(TableDef::new("Department").column(id()).column(ColumnDef::new("Name", Text).length(50)))
        .table(
            TableDef::new("User")
                .column(id())
                .column(ColumnDef::new("Name", Text).length(50))
                .column(ColumnDef::new("Rank", Int32).nullable())
                .column(ColumnDef::new("Weight", Double))
                .column(ColumnDef::new("Secret", Int32))
                .column(ColumnDef::new("DepartmentId", Int32).foreign(ForeignType::new("Department"))),
        )
        .view(ViewDef::new("UserView", "User").foreign_column("Department", "Department", "Name"))
        .table(TableDef::new("Log").column(ColumnDef::new("Text", Text).length(50)))
        .build()
        .unwrap()
}

fn keyset(rows: SqlSegment, of: &str) -> WebResult<Keyset> {
    let catalog = catalog();
    let (_, view) = catalog.entity(of).unwrap();
    Keyset::new(rows, &catalog, view, |name| name.as_str() != "Secret")
}

/// The condition and the order of the rows behind a cursor.
fn behind(order: Vec<OrderByItemExpr>, values: Vec<Value>) -> String {
    let rows = keyset(from("UserView").order_by(order), "UserView").unwrap().after(values, 5).unwrap();
    let statement = Compiler::new(catalog()).compile(&rows, &SQLITE).unwrap();
    statement.sql.split_once(" WHERE ").unwrap().1.to_owned()
}

#[test]
fn an_index_is_entered_where_no_key_is_null() {
    let descending = vec![prop("Name").desc(), prop("Id").desc()];
    assert_eq!(
        behind(descending, vec!["a".into(), 5.into()]),
        r#"("T0"."Name", "T0"."Id") < (?, ?) ORDER BY "T0"."Name" DESC, "T0"."Id" DESC LIMIT ?"#
    );
}

#[test]
fn nulls_have_their_place_in_the_order() {
    let asc = || vec![prop("Rank").asc()];
    let desc = || vec![prop("Rank").desc()];
    for (order, value, expected) in [
        (
            asc(),
            Value::from(3),
            r#"("T0"."Rank" >= ? OR "T0"."Rank" IS NULL) AND ("T0"."Rank" > ? OR "T0"."Rank" IS NULL OR "T0"."Id" > ?)"#,
        ),
        (asc(), Value::Null, r#""T0"."Rank" IS NULL AND "T0"."Id" > ?"#),
        (desc(), Value::from(3), r#""T0"."Rank" <= ? AND ("T0"."Rank" < ? OR "T0"."Id" > ?)"#),
        (desc(), Value::Null, r#""T0"."Rank" IS NOT NULL OR "T0"."Id" > ?"#),
    ] {
        let found = behind(order, vec![value, 9.into()]);
        assert_eq!(found.split_once(" ORDER BY ").unwrap().0, expected);
    }
    // The other row may be missing.
    let joined = behind(vec![prop("Department").asc()], vec![Value::Null, 9.into()]);
    assert!(joined.starts_with(r#""Department"."Name" IS NULL AND "T0"."Id" > ?"#), "{joined}");
}

#[test]
fn what_a_cursor_cannot_go_by() {
    for (rows, of) in [
        (from("UserView").order_by(["Weight"]), "UserView"),
        (from("UserView").order_by(["Secret"]), "UserView"),
        (from("UserView").order_by([(prop("Id") + 1).asc()]), "UserView"),
        (from("UserView").take(5), "UserView"),
        (from("UserView").select(["Id"]).into_segment(), "UserView"),
        (from("UserView").group_by(["Name"]), "UserView"),
        (from("Log"), "Log"),
    ] {
        assert_eq!(keyset(rows.clone(), of).unwrap_err().kind(), ProblemKind::BadQuery, "{rows:?}");
    }
}

#[test]
fn values_that_are_not_those_of_the_keys() {
    let keyset = keyset(from("UserView").order_by(["Name"]), "UserView").unwrap();
    for values in [vec![], vec!["a".into()], vec!["a".into(), "b".into()], vec!["a".into(), 1.into(), 2.into()]] {
        assert_eq!(keyset.after(values, 5).unwrap_err().kind(), ProblemKind::BadCursor);
    }
}

#[test]
fn a_cursor_that_no_url_would_take_is_not_made() {
    let sign = |length| keys().sign(&asked(&["q"]), vec!["x".repeat(length).into()], now());
    let cursor = sign(5_000).unwrap();
    assert!(cursor.len() < MOST && keys().open(&asked(&["q"]), &cursor, now()).is_ok());
    assert_eq!(sign(7_000).unwrap_err().kind(), ProblemKind::BadQuery);
}
