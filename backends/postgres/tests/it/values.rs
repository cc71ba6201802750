//! Values of every type, to PostgreSQL and back.

#[path = "../../../driver/testing/values.rs"]
mod typed;

use std::borrow::Cow;

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use isogloss_compiler::Compiled;
use isogloss_compiler::expr::{DbType, DbValueType as T, Decimal, Value};
use isogloss_compiler::render::Parameter;
use isogloss_driver::{ConnectionExt, ErrorKind};
use uuid::Uuid;

use typed::{Limits, TYPES, same, sample};

use crate::support::{Outcome, Typed, each, plain};

/// As parameters, one beside the other. Of an array of texts the server is to find out that it is one.
fn parameters(values: &[Value], ty: DbType) -> Compiled<'_> {
    let cast = if ty.array && ty.base.is_text() && ty.base != T::Xml { "::text[]" } else { "" };
    let places: Vec<String> = (1..=values.len()).map(|place| format!("${place}{cast}")).collect();
    let params = values.iter().map(|value| Parameter { value: Cow::Borrowed(value), ty: Some(ty) }).collect();
    Compiled { sql: format!("SELECT {}", places.join(", ")), params, ..Compiled::default() }
}

/// As parameters whose type the text does not tell, also of arrays.
#[tokio::test]
async fn parameters_come_back() -> Outcome {
    each("parameters", async |db| {
        let mut connection = db.connect().await?;
        let limits = Limits { days: -1_721_424..=95_730_119, odd_floats: true, zero: false, ..Limits::USUAL };
        for base in TYPES.into_iter().chain([T::Jsonb]) {
            let values: Vec<Value> = sample(&[base], &limits, 100).into_iter().flatten().collect();
            let arrays: Vec<Value> = values.chunks(4).map(|some| Value::List(some.to_vec().into())).collect();
            for (values, array) in [(values, false), (arrays, true)] {
                let ty = DbType { base, array };
                let rows = Typed::read(&mut *connection, &parameters(&values, ty), &vec![ty; values.len()]).await?;
                for (sent, got) in values.iter().zip(&rows[0]) {
                    let same = if array { sent == got } else { same(sent, got) };
                    assert!(same, "{ty:?}: {sent:?} came back as {got:?}");
                }
            }
        }
        Ok(())
    })
    .await
}

/// Also one that comes to the driver as it is.
#[tokio::test]
async fn a_leap_second_is_the_last_microsecond_before_it() -> Outcome {
    each("leap", async |db| {
        let mut connection = db.connect().await?;
        let time = |nanos| NaiveTime::from_hms_nano_opt(23, 59, 59, nanos).ok_or("no time");
        let day = NaiveDate::from_ymd_opt(2016, 12, 31).ok_or("no day")?;
        let sent = [Value::Time(time(1_500_000_000)?), Value::DateTime(day.and_time(time(1_500_000_000)?))];
        let last = time(999_999_000)?;
        let time_row: (NaiveTime,) = connection.fetch_one(&parameters(&sent[..1], T::Time.into())).await?;
        let row: (NaiveDateTime,) = connection.fetch_one(&parameters(&sent[1..], T::DateTime2.into())).await?;
        assert_eq!((time_row.0, row.0), (last, day.and_time(last)));
        Ok(())
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
            ("SELECT NULL::int AS n", "cannot decode: column `n` (index 0) holds NULL, not a whole number of 32 bits"),
            ("SELECT 3000000000 AS n", "cannot decode: column `n` (index 0) holds a whole number, not a whole number of 32 bits"),
            ("SELECT 1.5 AS n", "cannot decode: column `n` (index 0) holds a decimal, not a whole number"),
        ] {
            assert_eq!(connection.fetch_one::<(i32,)>(&plain(sql)).await.unwrap_err().to_string(), message);
        }
        let error = connection.fetch_one::<(NaiveDate,)>(&plain("SELECT 'infinity'::date AS d")).await.unwrap_err();
        assert_eq!(error.to_string(), "cannot decode: column `d` (index 0) holds a date, not a finite date");
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
            let rows = Typed::read(&mut *connection, &parameters(&[value], ty.into()), &[ty.into()]).await?;
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
