//! Case 29 of hostile requests: a cursor that is changed, of another query or user, or too old.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use isogloss::chrono::NaiveDate;
use isogloss::expr::{Decimal, ValueOps as _, from, prop};
use isogloss::uuid::Uuid;

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
