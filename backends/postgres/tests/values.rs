//! Values of every type, to PostgreSQL and back.
#![cfg(feature = "driver")]

mod support;

use std::borrow::Cow;

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use isogloss_compiler::Compiled;
use isogloss_compiler::expr::{DbType, DbValueType as T, Decimal, Value};
use isogloss_compiler::model::{ColumnDef, TableDef};
use isogloss_compiler::render::Parameter;
use isogloss_driver::{Connection, ConnectionExt, ErrorKind, Flow, Result, Row, RowSink, rows};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use uuid::Uuid;

use support::{Outcome, each, plain};

/// A type, as a column has it, and what it holds.
struct Kind {
    ty: T,
    column: &'static str,
    values: BoxedStrategy<Value>,
}

fn date() -> impl Strategy<Value = NaiveDate> {
    // From 4713 BC, where PostgreSQL begins, to where chrono ends.
    (-2_451_545..95_000_000_i32).prop_filter_map("chrono", |days| NaiveDate::from_num_days_from_ce_opt(days + 730_120))
}

fn time() -> impl Strategy<Value = NaiveTime> {
    (0..86_400_u32, 0..1_000_000_u32)
        .prop_filter_map("time", |(s, us)| NaiveTime::from_num_seconds_from_midnight_opt(s, us * 1_000))
}

fn datetime() -> impl Strategy<Value = NaiveDateTime> {
    (date(), time()).prop_map(|(date, time)| date.and_time(time))
}

fn instant() -> impl Strategy<Value = DateTime<FixedOffset>> {
    // A day from either end, so that the offset leads not beyond it.
    let at = (-2_451_544..94_999_999_i32, time()).prop_filter_map("chrono", |(days, time)| {
        Some(NaiveDate::from_num_days_from_ce_opt(days + 730_120)?.and_time(time))
    });
    (at, -14 * 60..14 * 60).prop_filter_map("offset", |(at, minutes)| {
        Some(DateTime::<Utc>::from_naive_utc_and_offset(at, Utc).with_timezone(&FixedOffset::east_opt(minutes * 60)?))
    })
}

fn decimal() -> impl Strategy<Value = Decimal> {
    (-(10_i128.pow(38) - 1)..10_i128.pow(38), 0..38_u32, 0..=38_u8)
        .prop_filter_map("decimal", |(mantissa, cut, scale)| Decimal::new(mantissa / 10_i128.pow(cut), scale).ok())
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "\\PC{0,300}"].prop_map(|text| text.replace('\0', ""))
}

fn kinds() -> Vec<Kind> {
    let kind = |ty, column, values| Kind { ty, column, values };
    vec![
        kind(T::Boolean, "boolean", any::<bool>().prop_map_into().boxed()),
        kind(T::Byte, "smallint", any::<u8>().prop_map_into().boxed()),
        kind(T::SByte, "smallint", any::<i8>().prop_map_into().boxed()),
        kind(T::Int16, "smallint", any::<i16>().prop_map_into().boxed()),
        kind(T::UInt16, "integer", any::<u16>().prop_map_into().boxed()),
        kind(T::Int32, "integer", any::<i32>().prop_map_into().boxed()),
        kind(T::UInt32, "bigint", any::<u32>().prop_map_into().boxed()),
        kind(T::Int64, "bigint", any::<i64>().prop_map_into().boxed()),
        kind(T::UInt64, "numeric(20)", any::<u64>().prop_map_into().boxed()),
        kind(T::Single, "real", any::<f32>().prop_map_into().boxed()),
        kind(T::Double, "double precision", any::<f64>().prop_map_into().boxed()),
        kind(T::Decimal, "numeric", decimal().prop_map_into().boxed()),
        // It has four digits behind its point.
        kind(
            T::Currency,
            "numeric",
            any::<i64>().prop_filter_map("currency", |n| Some(Value::from(Decimal::new(n.into(), 4).ok()?))).boxed(),
        ),
        kind(T::String, "text", text().prop_map_into().boxed()),
        kind(T::AnsiString, "varchar(1000)", text().prop_map_into().boxed()),
        kind(T::Binary, "bytea", any::<Vec<u8>>().prop_map_into().boxed()),
        kind(T::Date, "date", date().prop_map_into().boxed()),
        kind(T::Time, "time", time().prop_map_into().boxed()),
        kind(T::DateTime2, "timestamp", datetime().prop_map_into().boxed()),
        kind(T::DateTimeOffset, "timestamptz", instant().prop_map_into().boxed()),
        kind(T::Guid, "uuid", any::<[u8; 16]>().prop_map(|bytes| Uuid::from_bytes(bytes).into()).boxed()),
        kind(T::Json, "json", json()),
        kind(T::Jsonb, "jsonb", json()),
    ]
}

/// Documents as PostgreSQL writes them.
fn json() -> BoxedStrategy<Value> {
    let plain = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|truth| truth.to_string()),
        decimal().prop_map(|number| number.to_string()),
        "[a-zä ]{0,9}".prop_map(|text| format!("\"{text}\"")),
    ];
    let nested = plain.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(", "))),
            inner.prop_map(|item| format!("{{\"k\": {item}}}")),
        ]
    });
    nested.prop_map(|text| Value::Json(text.into())).boxed()
}

fn or_null(values: BoxedStrategy<Value>) -> impl Strategy<Value = Value> {
    prop_oneof![1 => Just(Value::Null), 9 => values]
}

/// Reads each column as a type.
struct Columns {
    types: Vec<DbType>,
    rows: Vec<Vec<Value>>,
}

impl RowSink for Columns {
    fn row(&mut self, row: &dyn Row) -> Result<Flow> {
        let values = self.types.iter().enumerate().map(|(index, ty)| row.value(index, Some(*ty)));
        self.rows.push(values.collect::<Result<_>>()?);
        Ok(Flow::More)
    }
}

async fn read(connection: &mut dyn Connection, statement: &Compiled<'_>, types: &[DbType]) -> Outcome<Vec<Vec<Value>>> {
    Ok(connection.query_into(statement, Columns { types: types.to_vec(), rows: Vec::new() }).await?.rows)
}

fn check<S: Strategy>(cases: u32, values: &S, test: impl Fn(S::Value) -> Outcome) -> Outcome {
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let run = |value| test(value).map_err(|error| TestCaseError::fail(error.to_string()));
    Ok(runner.run(values, run).map_err(|error| error.to_string())?)
}

/// Of proptest's thread, where the runtime's other threads go on meanwhile.
fn wait<F: Future>(future: F) -> F::Output {
    tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(future))
}

/// As parameters, one beside the other. Of an array of texts the server is to find out that it is one.
fn parameters(values: &[Value], ty: DbType) -> Compiled<'_> {
    let cast = if ty.array && ty.base.is_text() && ty.base != T::Xml { "::text[]" } else { "" };
    let places: Vec<String> = (1..=values.len()).map(|place| format!("${place}{cast}")).collect();
    let params = values.iter().map(|value| Parameter { value: Cow::Borrowed(value), ty: Some(ty) }).collect();
    Compiled { sql: format!("SELECT {}", places.join(", ")), params, ..Compiled::default() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parameters_come_back() -> Outcome {
    each("parameters", async |db| {
        let connection = tokio::sync::Mutex::new(db.connect().await?);
        for Kind { ty, values, .. } in kinds() {
            for array in [false, true] {
                let item = or_null(values.clone());
                let values = match array {
                    false => item.boxed(),
                    true => prop::collection::vec(item, 0..5).prop_map_into().boxed(),
                };
                let ty = DbType { base: ty, array };
                check(60, &prop::collection::vec(values, 1..30), |values| {
                    wait(async {
                        let mut connection = connection.lock().await;
                        let rows = read(&mut **connection, &parameters(&values, ty), &vec![ty; values.len()]).await?;
                        if rows != [values.clone()] {
                            return Err(format!("{ty:?}: {values:?} came back as {rows:?}").into());
                        }
                        Ok(())
                    })
                })?;
            }
        }
        Ok(())
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn columns_come_back_by_statements_and_by_copy() -> Outcome {
    each("columns", async |db| {
        let kinds = kinds();
        let mut item = TableDef::new("Item").column(ColumnDef::new("Id", T::Int32).primary_key());
        let (mut columns, mut names, mut types) = (String::new(), vec!["Id".to_owned()], vec![DbType::from(T::Int32)]);
        for (index, Kind { ty, column, .. }) in kinds.iter().enumerate() {
            let name = format!("C{index}");
            item = item.column(ColumnDef::new(name.as_str(), *ty).nullable());
            columns.push_str(&format!(", \"{name}\" {column}"));
            names.push(name);
            types.push((*ty).into());
        }
        db.script(&format!(r#"CREATE TABLE "Item" ("Id" int{columns})"#)).await?;
        let target = db.target([item])?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let into = target.bulk_insert("Item", &names, &[])?;
        let row: Vec<_> = kinds.into_iter().map(|kind| or_null(kind.values).boxed()).collect();
        let connection = tokio::sync::Mutex::new(db.connect().await?);
        let all = plain(r#"SELECT * FROM "Item" ORDER BY "Id""#);
        check(40, &prop::collection::vec(row, 1..20), |given| {
            wait(async {
                let mut connection = connection.lock().await;
                let given: Vec<Vec<Value>> =
                    (0_i32..).zip(given).map(|(id, row)| std::iter::once(id.into()).chain(row).collect()).collect();
                for copies in [true, false] {
                    connection.execute(&plain(r#"TRUNCATE "Item""#)).await?;
                    if copies {
                        connection.bulk_insert(&into, rows(given.clone())).await?;
                    } else {
                        let params = given[0].iter().zip(&types);
                        let params = params.map(|(value, ty)| Parameter { value: Cow::Borrowed(value), ty: Some(*ty) });
                        let insert =
                            Compiled { sql: into.sql().to_owned(), params: params.collect(), ..Compiled::default() };
                        connection.execute_many(&insert, rows(given.clone())).await?;
                    }
                    let found = read(&mut **connection, &all, &types).await?;
                    for (found, given) in found.iter().zip(&given) {
                        for ((found, given), name) in found.iter().zip(given).zip(&names) {
                            if found != given {
                                return Err(format!("{name}: {given:?} came back as {found:?}").into());
                            }
                        }
                    }
                    assert_eq!(found.len(), given.len());
                }
                Ok(())
            })
        })
    })
    .await
}

#[tokio::test]
async fn rows_are_read_as_the_callers_types() -> Outcome {
    each("types", async |db| {
        let mut connection = db.connect().await?;
        let sql = "SELECT true, 1::int2, 2::int4, 3::int8, 4.5::float4, 5.5::float8, 6.50::numeric, 'a'::text, '\\x01'::bytea";
        let row: (bool, i16, i32, i64, f32, f64, Decimal, String, Vec<u8>) = connection.fetch_one(&plain(sql)).await?;
        assert_eq!(row, (true, 1, 2, 3, 4.5, 5.5, "6.50".parse()?, "a".into(), vec![1]));
        let sql = "SELECT '2024-01-31'::date, '13:14:15.000016'::time, '2024-01-31 13:14'::timestamp,
                   '2024-01-31 13:14+02'::timestamptz, '00000000-0000-0000-0000-00000000000f'::uuid, NULL::int";
        let row: (NaiveDate, NaiveTime, NaiveDateTime, DateTime<Utc>, Uuid, Option<i32>) =
            connection.fetch_one(&plain(sql)).await?;
        assert_eq!(row.0, "2024-01-31".parse()?);
        assert_eq!(row.1, "13:14:15.000016".parse()?);
        assert_eq!(row.2, "2024-01-31T13:14:00".parse()?);
        assert_eq!(row.3, "2024-01-31T11:14:00Z".parse::<DateTime<Utc>>()?);
        assert_eq!((row.4, row.5), (Uuid::from_u128(15), None));
        // What SUM gives, what a BIGINT does not hold, the other spellings of text.
        let sql = "SELECT sum(n), 18446744073709551615::numeric, 'b'::char(3), 'c'::name, '[1]'::json, '[1]'::jsonb,
                   1::int2, 1.25::numeric FROM (VALUES (9::int8), (1)) x(n)";
        let row: (i64, u64, String, String, String, String, f64, f64) = connection.fetch_one(&plain(sql)).await?;
        assert_eq!(row, (10, u64::MAX, "b".into(), "c".into(), "[1]".into(), "[1]".into(), 1.0, 1.25));
        connection.script("CREATE TYPE mood AS ENUM ('calm', 'angry'); CREATE DOMAIN age AS int CHECK (value > 0)").await?;
        let row: (String, i32) = connection.fetch_one(&plain("SELECT 'calm'::mood, 7::age")).await?;
        assert_eq!(row, ("calm".into(), 7));
        let values: Vec<Vec<Value>> =
            connection.fetch(&plain("SELECT ARRAY[[1, 2], [3, NULL]], interval '1 day 2 hours', 'NaN'::numeric")).await?;
        let list = |items: [Value; 2]| Value::List(items.into());
        let [row] = values.as_slice() else { panic!("one row") };
        assert_eq!(row[0], list([list([1.into(), 2.into()]), list([3.into(), Value::Null])]));
        assert_eq!(row[1], TimeDelta::hours(26).into());
        assert!(matches!(row[2], Value::Float(number) if number.is_nan()));
        for (sql, message) in [
            ("SELECT NULL::int AS n", "cannot decode: column 0 `n` holds NULL, not a whole number of 32 bits"),
            ("SELECT 3000000000 AS n", "cannot decode: column 0 `n` holds a whole number, not a whole number of 32 bits"),
            ("SELECT 1.5 AS n", "cannot decode: column 0 `n` holds a decimal, not a whole number"),
        ] {
            assert_eq!(connection.fetch_one::<(i32,)>(&plain(sql)).await.unwrap_err().to_string(), message);
        }
        let error = connection.fetch_one::<(NaiveDate,)>(&plain("SELECT 'infinity'::date AS d")).await.unwrap_err();
        assert_eq!(error.to_string(), "cannot decode: column 0 `d` holds a date, not a finite date");
        let long = "SELECT 0.1234567890123456789012345678901234567891::numeric AS d";
        let error = connection.fetch_one::<(Decimal,)>(&plain(long)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Decode);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn what_does_not_fit_is_an_error_before_anything_is_sent() -> Outcome {
    each("unfit", async |db| {
        let mut connection = db.connect().await?;
        let big = "x".repeat((64 << 20) + 1);
        let early = NaiveDate::from_ymd_opt(-4_713, 11, 23).ok_or("no date")?;
        for (value, ty, message) in [
            (Value::from(40_000), T::Int16, "40000 is out of range for int2"),
            (Value::from(u64::MAX), T::Int64, "18446744073709551615 is out of range for int8"),
            (Value::from(1e300), T::Single, "is out of range for float4"),
            (Value::from(0.5), T::Int32, "0.5 is out of range for int4"),
            (Value::from(f64::INFINITY), T::Decimal, "inf is out of range for numeric"),
            (Value::from("a\0b"), T::String, "a text has a zero byte"),
            (Value::from(big), T::String, "a value has 67108865 bytes, over 67108864"),
            (Value::from(early), T::Date, "a date cannot be sent as date"),
            (Value::from("yes"), T::Boolean, "a text cannot be sent as bool"),
            (Value::from(TimeDelta::hours(25)), T::Time, "a timespan cannot be sent as time"),
        ] {
            // In a transaction, which is not ended by it.
            connection.begin(&isogloss_driver::TransactionOptions::default()).await?;
            let error = connection.execute(&parameters(&[value], ty.into())).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::BadValue, "{error}");
            assert!(error.to_string().contains(message), "{error}");
            connection.commit().await?;
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn values_take_the_type_that_they_meet() -> Outcome {
    each("meet", async |db| {
        let mut connection = db.connect().await?;
        let hour = TimeDelta::hours(1);
        for (value, ty, found) in [
            (Value::from(5), T::Decimal, Value::from("5".parse::<Decimal>()?)),
            (Value::from(1.5), T::Decimal, Value::from("1.5".parse::<Decimal>()?)),
            (Value::from(1e20), T::Decimal, Value::from("100000000000000000000".parse::<Decimal>()?)),
            (Value::from(2.5e-9), T::Decimal, Value::from("0.0000000025".parse::<Decimal>()?)),
            (Value::from(5), T::Double, Value::from(5.0)),
            (Value::from(f64::NAN), T::Double, Value::from(f64::NAN)),
            (Value::from(f64::NEG_INFINITY), T::Single, Value::from(f64::NEG_INFINITY)),
            (Value::from("2.0".parse::<Decimal>()?), T::Int32, Value::from(2)),
            (Value::from(1), T::Boolean, Value::from(true)),
            (Value::from(hour), T::Time, NaiveTime::from_hms_opt(1, 0, 0).ok_or("no time")?.into()),
            (Value::from(hour), T::Int64, Value::from(36_000_000_000_i64)),
            (Value::from(7), T::String, Value::from("7")),
            (Value::from(7), T::Jsonb, Value::Json("7".into())),
        ] {
            let rows = read(&mut *connection, &parameters(&[value], ty.into()), &[ty.into()]).await?;
            assert_eq!(rows, [[found]]);
        }
        // Where nothing tells the type, the server does; what it has no binary form for here goes as text.
        for (sql, value, found) in [
            ("SELECT lower($1)", Value::from("A"), Value::from("a")),
            ("SELECT host($1::inet)", Value::from("10.0.0.1"), Value::from("10.0.0.1")),
            ("SELECT $1::interval", Value::from(hour), Value::from(hour)),
            ("SELECT $1 + 1.5", Value::from(1), Value::from("2.5".parse::<Decimal>()?)),
        ] {
            let params = vec![Parameter { value: Cow::Borrowed(&value), ty: None }];
            let statement = Compiled { sql: sql.to_owned(), params, ..Compiled::default() };
            assert_eq!(connection.fetch::<Vec<Value>>(&statement).await?, [[found]]);
        }
        // One text, with two types.
        for (value, ty) in [(Value::from(1), T::Int64), (Value::from("a"), T::String), (Value::from(2), T::Int64)] {
            let statement = parameters(std::slice::from_ref(&value), ty.into());
            assert_eq!(connection.fetch::<Vec<Value>>(&statement).await?, [[value.clone()]]);
        }
        Ok(())
    })
    .await
}
