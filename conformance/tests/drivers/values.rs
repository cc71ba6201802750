//! Values of every type, there and back.

use isogloss_compiler::expr::{DbType, DbValueType as T, Value, ValueOps, from, prop, table};
use isogloss_compiler::model::ColumnDef;
use isogloss_driver::{AnyConnection, PoolOptions, rows};

use crate::Outcome;
use crate::site::{Db, Site};
use crate::statements::Typed;
use crate::typed::{TYPES, same, sample};

tests! {
    each_type_comes_back_as_it_went
    a_parameter_meets_the_value_that_was_stored_from_it
}

fn names() -> Vec<String> {
    std::iter::once("id".to_owned()).chain((0..TYPES.len()).map(|n| format!("c{n}"))).collect()
}

/// A place whose table `own` has a column of each type, as the engine's own DDL makes it; and rows for it.
async fn filled(site: &Site, count: usize) -> Outcome<(Db, Vec<Vec<Value>>)> {
    let column = |n: usize, ty: T| {
        let column = ColumnDef::new(format!("c{n}"), ty).nullable();
        match ty {
            T::Decimal => column.precision(38, 10),
            // A large object.
            T::Binary => column.length(10_000),
            _ => column,
        }
    };
    let own = |table| {
        (0..).zip(TYPES).fold(table, |table: isogloss_compiler::model::TableDef, (n, ty)| table.column(column(n, ty)))
    };
    let db = site.over(PoolOptions::default(), own).await?;
    let rows = (0_i64..).zip(sample(&TYPES, &db.limits(), count));
    let rows = rows.map(|(id, row)| std::iter::once(Value::from(id)).chain(row).collect()).collect();
    Ok((db, rows))
}

async fn are_there(db: &Db, connection: &mut AnyConnection, sent: &[Vec<Value>], how: &str) -> Outcome {
    let types: Vec<DbType> = std::iter::once(T::Int64).chain(TYPES).map(DbType::from).collect();
    let all = db.compile(from("own").order_by([prop("id").asc()]).select(names().into_iter().map(prop)));
    let got = Typed::read(&mut **connection, &all, &types).await?;
    assert_eq!(sent.len(), got.len());
    for ((sent, got), ty) in sent.iter().zip(&got).flat_map(|(sent, got)| sent.iter().zip(got).zip(&types)) {
        assert!(same(sent, got), "{how}, {:?}: {sent:?} came back as {got:?}", ty.base);
    }
    Ok(())
}

/// By one statement, by one for many rows, and by the engine's fastest way; with bytes among them and without.
async fn each_type_comes_back_as_it_went(site: &Site) -> Outcome {
    let (db, sent) = filled(site, 200).await?;
    let mut connection = db.connect().await?;
    let empty = db.compile(table("own").delete().filter(prop("id").ge(0)));
    let names = names();
    for row in &sent {
        let insert = db.compile(table("own").insert(names.clone(), row.clone()));
        assert_eq!(connection.execute(&insert).await?, 1);
    }
    are_there(&db, &mut connection, &sent, "by statements").await?;
    connection.execute(&empty).await?;
    let insert = db.compile(table("own").insert(names.clone(), sent[0].clone()));
    connection.execute_many(&insert, rows(sent.clone())).await?;
    are_there(&db, &mut connection, &sent, "by one for many").await?;
    for without_bytes in [false, true] {
        connection.execute(&empty).await?;
        let bytes = TYPES.iter().position(|ty| *ty == T::Binary).unwrap() + 1;
        let kept: Vec<usize> = (0..names.len()).filter(|place| !without_bytes || *place != bytes).collect();
        let columns: Vec<&str> = kept.iter().map(|place| names[*place].as_str()).collect();
        let given = sent.iter().map(|row| kept.iter().map(|place| row[*place].clone()).collect::<Vec<_>>());
        let count = connection.bulk_insert(&db.bulk("own", &columns), rows(given.collect::<Vec<_>>())).await?;
        assert_eq!(count, 200);
        let mut due = sent.clone();
        if without_bytes {
            due.iter_mut().for_each(|row| row[bytes] = Value::Null);
        }
        are_there(&db, &mut connection, &due, "at once").await?;
    }
    Ok(())
}

/// Where it can be compared: a decimal is a double on SQLite, and JSON has no order.
async fn a_parameter_meets_the_value_that_was_stored_from_it(site: &Site) -> Outcome {
    let (db, sent) = filled(site, 30).await?;
    let mut connection = db.connect().await?;
    let names = names();
    let columns: Vec<&str> = names.iter().map(String::as_str).collect();
    connection.bulk_insert(&db.bulk("own", &columns), rows(sent.clone())).await?;
    for row in &sent {
        for ((name, value), ty) in names.iter().zip(row).skip(1).zip(TYPES) {
            let odd = matches!(value, Value::Float(n) if n.is_nan());
            if value.is_null() || odd || matches!(ty, T::Json | T::Decimal | T::Currency | T::Binary) {
                continue;
            }
            let query = from("own").filter(prop("id").eq(row[0].clone()).and(prop(name.clone()).eq(value.clone())));
            let found: Vec<Vec<Value>> =
                isogloss_driver::ConnectionExt::fetch(&mut *connection, &db.compile(query.select([prop("id")])))
                    .await?;
            assert_eq!(found.len(), 1, "{ty:?}: {value:?}");
        }
    }
    Ok(())
}
