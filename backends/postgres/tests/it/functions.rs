//! Functions at the edges where PostgreSQL's own fail, or mean something else.

use isogloss_compiler::expr::{DbValueType as T, Expr, Value, ValueOps, ValueTypeExpr, from, func, prop, value};
use isogloss_compiler::model::{ColumnDef, TableDef};
use isogloss_driver::ConnectionExt;

use crate::support::{Outcome, each};

/// What a function gives for columns, and for values that are known, of one row.
async fn answers(name: &'static str, ty: T, column: &str, cases: Vec<(Vec<Value>, Value)>) -> Outcome {
    const NAMES: [&str; 3] = ["A", "B", "C"];
    each(&format!("at_edges_{}", name.to_lowercase()), async |db| {
        let of = |ty: T| NAMES.map(|name| ColumnDef::new(name, ty).nullable());
        let edge = of(ty).into_iter().fold(TableDef::new("Edge"), TableDef::column);
        let target = db.target([edge])?;
        db.script(&format!(r#"CREATE TABLE "Edge" ("A" {column}, "B" {column}, "C" {column})"#)).await?;
        let into = target.bulk_insert("Edge", &NAMES, &[])?;
        let mut connection = db.connect().await?;
        for (arguments, expected) in &cases {
            connection.script(r#"TRUNCATE "Edge""#).await?;
            let mut row = arguments.clone();
            row.resize(NAMES.len(), Value::Null);
            connection.bulk_insert(&into, isogloss_driver::rows([row])).await?;
            let columns: Vec<ValueTypeExpr> =
                NAMES.iter().take(arguments.len()).map(|name| prop(*name).into()).collect();
            let known: Vec<ValueTypeExpr> = arguments.iter().map(|known| value(known.clone()).into()).collect();
            let both = [func(name, columns).alias("X"), func(name, known).alias("Y")];
            let query = Expr::from(from("Edge").select(both));
            let statement = target.compile(&query)?;
            let found: Vec<Vec<Value>> =
                connection.fetch(&statement).await.map_err(|e| format!("{name} {arguments:?}: {e:?}"))?;
            assert_eq!(found, [[expected.clone(), expected.clone()]], "{name} {arguments:?}");
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_date_that_is_none_is_null() -> Outcome {
    let date = |text: &str| text.parse::<chrono::NaiveDate>().map(Value::from);
    let of = |y: i64, m: i64, d: i64| -> Vec<Value> { vec![y.into(), m.into(), d.into()] };
    let mut cases = vec![
        (of(2024, 2, 29), date("2024-02-29")?),
        (of(2024, 12, 31), date("2024-12-31")?),
        (of(1, 1, 1), date("0001-01-01")?),
        (of(9999, 12, 31), date("9999-12-31")?),
        (vec![2024.into(), Value::Null, 1.into()], Value::Null),
    ];
    for none in [of(2023, 2, 29), of(2023, 2, 35), of(2023, 4, 31), of(2023, 13, 1), of(2023, 0, 1), of(2023, 1, 0)] {
        cases.push((none, Value::Null));
    }
    for none in [of(0, 1, 1), of(10_000, 1, 1), of(2023, 1, i64::MAX), of(i64::MIN, -1, 1)] {
        cases.push((none, Value::Null));
    }
    answers("MakeDate", T::Int64, "bigint", cases).await
}

#[tokio::test]
async fn a_shift_by_more_bits_than_there_are_leaves_none() -> Outcome {
    let mut cases = vec![
        (vec![5.into(), 2.into()], 20.into()),
        (vec![1.into(), 62.into()], (1_i64 << 62).into()),
        (vec![5.into(), Value::Null], Value::Null),
        (vec![Value::Null, 99.into()], Value::Null),
    ];
    for distance in [64, 65, 128, -1, -64, i64::MAX, i64::MIN] {
        cases.push((vec![5.into(), distance.into()], 0.into()));
    }
    answers("ShiftLeft", T::Int64, "bigint", cases.clone()).await?;
    cases[0].1 = 1.into();
    cases[1].1 = 0.into();
    answers("ShiftRight", T::Int64, "bigint", cases).await
}

#[tokio::test]
async fn a_power_that_is_too_small_is_nothing() -> Outcome {
    let of = |a: f64, b: f64| -> Vec<Value> { vec![a.into(), b.into()] };
    let cases = vec![
        (of(10.0, -400.0), 0.0.into()),
        (of(-10.0, -401.0), 0.0.into()),
        (of(0.5, 10_000.5), 0.0.into()),
        (of(2.0, -1074.0), 5e-324.into()),
        (of(2.0, -2.0), 0.25.into()),
        (of(0.0, 2.5), 0.0.into()),
        (of(0.0, -1.0), Value::Null),
        (of(-2.0, 0.5), Value::Null),
    ];
    answers("Power", T::Double, "double precision", cases).await
}
