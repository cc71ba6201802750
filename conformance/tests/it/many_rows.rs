//! One statement for many rows: its text on each dialect, and the rows as it takes them.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail")]

use isogloss_cases::targets;
use isogloss_compiler::chrono::NaiveDate;
use isogloss_compiler::dialect::{Dialect, RowsForm};
use isogloss_compiler::expr::{Decimal, UpdateExpr, Value, ValueOps, prop, table};
use isogloss_compiler::model::sample;
use isogloss_compiler::{Compiler, RowsStatement, Target};
use isogloss_mysql::{MariaDb, MySql};
use isogloss_postgres::Postgres;

fn target(dialect: &dyn Dialect) -> std::sync::Arc<Target> {
    Compiler::new(sample::catalog()).target(dialect)
}

fn update() -> UpdateExpr {
    let amount = "1.50".parse::<Decimal>().unwrap();
    let sets = [("OrderNo", Value::from("A")), ("Amount", amount.into()), ("Paid", true.into())];
    table("Order").update(sets).filter(prop("Id").eq(7))
}

fn rows(dialect: &dyn Dialect) -> RowsStatement {
    target(dialect).compile_rows(&update()).unwrap().unwrap()
}

#[test]
fn an_update_takes_arrays_or_one_text() {
    let postgres = rows(&Postgres::V15);
    assert_eq!((postgres.form(), postgres.width()), (RowsForm::Arrays, 4));
    assert_eq!(
        postgres.sql(),
        r#"UPDATE "Orders" SET "OrderNo" = given_rows.value_1, "Amount" = given_rows.value_2, "Paid" = given_rows.value_3 FROM unnest($1::text[], $2::numeric[], $3::boolean[], $4::bigint[]) AS given_rows (value_1, value_2, value_3, value_4) WHERE "Id" = given_rows.value_4"#
    );
    for dialect in [&MySql::V8_0 as &dyn Dialect, &MariaDb::V10_11] {
        let mysql = rows(dialect);
        assert_eq!((mysql.form(), mysql.width()), (RowsForm::Json, 4));
        let wrong = "ERROR ON EMPTY ERROR ON ERROR";
        assert_eq!(
            mysql.sql(),
            format!(
                "UPDATE `Orders`, JSON_TABLE(?, '$[*]' COLUMNS (value_1 LONGTEXT CHARACTER SET utf8mb4 PATH '$[0]' {wrong}, \
                 value_2 LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]' {wrong}, value_3 TINYINT PATH '$[2]' {wrong}, \
                 value_4 BIGINT PATH '$[3]' {wrong})) AS given_rows SET `OrderNo` = given_rows.value_1, \
                 `Amount` = given_rows.value_2, `Paid` = given_rows.value_3 WHERE `Id` = given_rows.value_4"
            )
        );
    }
    for other in
        targets().iter().filter(|target| !["postgres", "mysql", "mariadb"].contains(&target.dialect.sheet().name))
    {
        assert!(target(&*other.dialect).compile_rows(&update()).unwrap().is_none(), "{}", other.label());
    }
}

#[test]
fn the_rows_stand_in_their_places() {
    let values = || {
        vec![
            Value::from("a\"\\\u{1}😀"),
            Value::from("0.10".parse::<Decimal>().unwrap()),
            true.into(),
            1.into(),
            Value::Null,
            2.into(),
            false.into(),
            i64::MIN.into(),
        ]
    };
    let postgres = rows(&Postgres::V15).with_rows(values()).unwrap();
    assert_eq!(postgres.params.len(), 4);
    assert_eq!(*postgres.params[3].value, Value::from(vec![Value::from(1), i64::MIN.into()]));
    assert!(postgres.params[3].ty.is_some_and(|ty| ty.array));
    let mysql = rows(&MySql::V8_0).with_rows(values()).unwrap();
    let json = r#"[["a\"\\\u0001😀","0.10",1,1],[null,2,0,-9223372036854775808]]"#;
    assert_eq!((mysql.params.len(), &*mysql.params[0].value), (1, &Value::Json(json.into())));
}

#[test]
fn what_a_text_does_not_hold_is_an_error() {
    let statement = rows(&MySql::V8_0);
    let with = |value: Value| statement.with_rows(vec![value, 1.into(), true.into(), 1.into()]);
    let far = NaiveDate::from_ymd_opt(12_000, 1, 1).unwrap();
    for (value, kind) in [(f64::NAN.into(), "float"), (far.into(), "date"), (Value::List([].into()), "list")] {
        let error = with(value).err().map(|error| error.to_string());
        assert_eq!(error, Some(format!("{kind} cannot be bound as a parameter in rows as one parameter at $")));
    }
    let fits = [1.5.into(), Value::Bytes([0, 255].into()), NaiveDate::from_ymd_opt(1, 2, 3).unwrap().into()];
    let texts = ["\"1.5e0\"", "\"00ff\"", "\"0001-02-03\""];
    for (value, text) in fits.into_iter().zip(texts) {
        let statement = with(value).unwrap();
        assert_eq!(*statement.params[0].value, Value::Json(format!("[[{text},1,1,1]]").into()));
    }
}

#[test]
fn an_insert_of_many_rows_is_postgres_s() {
    let insert = table("Category").insert(["Name", "ParentId"], vec!["a".into(), 1.into()]);
    let text = target(&Postgres::V15).compile_rows(&insert).unwrap().unwrap();
    assert!(text.sql().contains(" SELECT given_rows.value_1, given_rows.value_2 FROM unnest("), "{}", text.sql());
    for dialect in [&MySql::V8_0 as &dyn Dialect, &MariaDb::V10_11] {
        assert!(target(dialect).compile_rows(&insert).unwrap().is_none());
    }
}
