//! Values of every type, there and back.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime};
use isogloss_compiler::expr::{DbType, DbValueType as T, Value, ValueOps, constant, from, prop, table, value};
use isogloss_compiler::model::ColumnDef;
use isogloss_driver::{AnyConnection, PoolOptions, rows};

use crate::drivers::Outcome;
use crate::drivers::site::{Db, Site};
use crate::drivers::statements::Typed;
use crate::drivers::typed::{TYPES, same, sample};

tests! {
    each_type_comes_back_as_it_went
    a_parameter_meets_the_value_that_was_stored_from_it
    a_leap_second_is_the_last_microsecond_before_it
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

/// Whatever way it goes: no engine's clock has a second 60, and each would make another moment of it.
async fn a_leap_second_is_the_last_microsecond_before_it(site: &Site) -> Outcome {
    let own = |table: isogloss_compiler::model::TableDef| {
        let column = |name: &str, ty: T| ColumnDef::new(name, ty).nullable();
        table.column(column("t", T::Time)).column(column("d", T::DateTime2)).column(column("o", T::DateTimeOffset))
    };
    let db = site.over(PoolOptions::default(), own).await?;
    let mut connection = db.connect().await?;
    let columns = ["id", "t", "d", "o"];
    let at = |nanos: u32| -> (NaiveTime, NaiveDateTime, DateTime<chrono::FixedOffset>) {
        let time = NaiveTime::from_hms_nano_opt(23, 59, 59, nanos).unwrap();
        let at = NaiveDate::from_ymd_opt(2016, 12, 31).unwrap().and_time(time);
        (time, at, at.and_utc().fixed_offset())
    };
    let converted = |id: i64, (t, d, o): (NaiveTime, NaiveDateTime, DateTime<chrono::FixedOffset>)| -> Vec<Value> {
        vec![id.into(), t.into(), d.into(), o.into()]
    };
    let bare = |id: i64, (t, d, o)| vec![id.into(), Value::Time(t), Value::DateTime(d), Value::DateTimeOffset(o)];
    let last = converted(0, at(999_999_000));
    for leap in [at(1_000_000_000), at(1_500_000_000), at(1_999_999_999)] {
        let mut due = 0_usize;
        for make in [&converted as &dyn Fn(_, _) -> Vec<Value>, &bare] {
            let mut row = || {
                due += 1;
                make(i64::try_from(due).unwrap(), leap)
            };
            let insert = |row: Vec<Value>| db.compile(table("own").insert(columns, row));
            connection.execute(&insert(row())).await?;
            connection.execute_many(&insert(converted(0, at(0))), rows([row(), row()])).await?;
            connection.bulk_insert(&db.bulk("own", &columns), rows([row(), row()])).await?;
            // Written into the text, for which some engines have no form with an offset, and as the rows of one statement.
            let row_of_texts = row();
            let id = row_of_texts[0].clone();
            connection.execute(&db.compile(table("own").insert(["id"], vec![id.clone()]))).await?;
            let in_text = |name: &str, it: Value| if name == "o" { value(it) } else { constant(it) };
            let texts = columns.into_iter().zip(row_of_texts).skip(1).map(|(name, it)| (name, in_text(name, it)));
            let update = table("own").update(texts.collect::<Vec<_>>()).filter(prop("id").eq(value(id)));
            connection.execute(&db.compile(update)).await?;
            let one = table("own").insert(columns, converted(0, at(0)));
            if let Some(many) = db.target.compile_rows(&one)? {
                let all: Vec<Value> = [row(), row(), row()].concat();
                connection.execute(&many.with_rows(all)?).await?;
            }
        }
        let mut sent: Vec<Vec<Value>> = Vec::new();
        for id in 1..=due {
            let mut row = last.clone();
            row[0] = i64::try_from(id)?.into();
            sent.push(row);
        }
        let types: Vec<DbType> = [T::Int64, T::Time, T::DateTime2, T::DateTimeOffset].map(DbType::from).into();
        let all = db.compile(from("own").order_by([prop("id").asc()]).select(columns.map(prop)));
        let got = Typed::read(&mut *connection, &all, &types).await?;
        for (sent, got) in sent.iter().zip(&got) {
            assert!(sent.iter().zip(got).all(|(sent, got)| same(sent, got)), "{leap:?}: {got:?}");
        }
        assert_eq!(got.len(), due);

        // It is compared as it is stored: by itself, in a list, in a long one, in the text.
        for make in [&converted as &dyn Fn(_, _) -> Vec<Value>, &bare] {
            for (name, one) in columns.iter().zip(make(1, leap)).skip(1) {
                let others = (0..40).map(|second| make(1, at(second * 1_000))).map(|row| match *name {
                    "t" => row[1].clone(),
                    "d" => row[2].clone(),
                    _ => row[3].clone(),
                });
                let long: Vec<Value> = others.chain([one.clone()]).collect();
                let filters = [
                    prop(*name).eq(value(one.clone())),
                    prop(*name).eq(if *name == "o" { value(one.clone()) } else { constant(one.clone()) }),
                    prop(*name).in_list([one.clone()]),
                    prop(*name).in_list(long),
                ];
                for (how, filter) in filters.into_iter().enumerate() {
                    let query = db.compile(from("own").filter(filter).select([prop("id")]));
                    let found: Vec<(i64,)> = isogloss_driver::ConnectionExt::fetch(&mut *connection, &query).await?;
                    assert_eq!(found.len(), due, "{leap:?}, {name}, {how}: {}", query.sql);
                }
            }
        }
        connection.execute(&db.compile(table("own").delete().filter(prop("id").ge(0)))).await?;
    }
    Ok(())
}
