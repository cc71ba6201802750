//! Whoever writes the rows says in which form UUIDs and instants are stored, and with that what SQLite can do with them.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use isogloss_compiler::Compiler;
use isogloss_compiler::expr::*;
use isogloss_compiler::model::sample;
use isogloss_compiler::uuid::Uuid;
use isogloss_sqlite::{Sqlite, Storage};

#[test]
fn each_form_is_a_target_of_its_own() {
    let compiler = Compiler::new(sample::catalog());
    let kinds = [None, Some(Storage::Isogloss), Some(Storage::Sqlx)];
    let of = |storage: Option<Storage>| storage.map_or(Sqlite::default(), |by| Sqlite::default().stored_by(by));
    let targets = kinds.map(|storage| compiler.target(&of(storage)));
    for (one, target) in targets.iter().enumerate() {
        let same = |other| std::sync::Arc::ptr_eq(target, &compiler.target(&of(other)));
        assert_eq!(kinds.map(same), [0, 1, 2].map(|place| place == one));
    }
}

#[test]
fn the_bytes_of_a_uuid_are_no_text() {
    let uuids: Vec<Value> = (0..100).map(|n| Value::Uuid(Uuid::from_u128(n))).collect();
    let new = func("NewGuid", [] as [ValueTypeExpr; 0]);
    let column = |value: ValueTypeExpr| from("Order").select([value.alias("Result")]);
    for (query, version, message) in [
        (
            column(prop("Token").cast(DbValueType::String).into()),
            Sqlite::V3_45,
            "`CAST of a UUID` is refused by sqlite 3.45: sqlx stores 16 bytes for one, and not its text at $",
        ),
        (
            column(prop("OrderNo").cast(DbValueType::Guid).into()),
            Sqlite::V3_45,
            "`CAST to a UUID` is refused by sqlite 3.45: sqlx stores 16 bytes for one, and not its text at $",
        ),
        (
            column(new.into()),
            Sqlite::V3_45,
            "`NewGuid` is refused by sqlite 3.45: sqlx stores 16 bytes for a UUID, and not its text: make it in the program \
             at $.Selects[0].Value",
        ),
        (
            from("Order").filter(prop("Token").in_list(uuids)).select([prop("Id")]),
            Sqlite::V3_40,
            "`a list of UUIDs` is refused by sqlite 3.40: UNHEX, which makes bytes of them, came with SQLite 3.41 at $",
        ),
    ] {
        let compiler = Compiler::new(sample::catalog());
        let query = Expr::from(query);
        let error = compiler.compile(&query, &version.stored_by(Storage::Sqlx)).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert!(compiler.compile(&query, &version.stored_by(Storage::Isogloss)).is_ok(), "{message}");
    }
}
