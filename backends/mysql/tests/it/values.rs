//! Values of MySQL and MariaDB, read as every type, and what neither holds.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test")]

use chrono::{NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};
use isogloss_compiler::expr::{Decimal, Value};
use isogloss_driver::{Backend, ConnectionExt, ErrorKind};
use uuid::Uuid;

use crate::live::{Database, Outcome, number, plain, servers, with};

#[tokio::test]
async fn a_column_is_read_in_every_spelling() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let mut connection = backend.connect().await?;
        connection
            .script(
                "CREATE TABLE n (a TINYINT, b SMALLINT UNSIGNED, c MEDIUMINT, d YEAR, e BIT(9), f BIT(1), g FLOAT, \
                 h DECIMAL(20, 0), i ENUM('x', 'y'), j BINARY(16), k TIMESTAMP(3), l DATE, m TIME, o LONGTEXT, p SET('q', 'r')); \
                 INSERT INTO n VALUES (-128, 65535, -8388608, 2024, 300, b'1', 0.1, 12345678901234567890, 'y', \
                 X'67e5504410b1426f9247bb680e5fe0c8', '2024-01-31 10:20:30.125', '2024-01-31', '10:20:30', 'long', 'q,r')",
            )
            .await?;
        let numbers: (i8, u16, i32, i16, u32, bool, f32, u64) =
            connection.fetch_one(&plain("SELECT a, b, c, d, e, f, g, h FROM n")).await?;
        assert_eq!(numbers, (-128, 65_535, -8_388_608, 2024, 300, true, 0.1, 12_345_678_901_234_567_890));
        let sums: (i64, Decimal, f64, Decimal) =
            connection.fetch_one(&plain("SELECT SUM(a), SUM(h), AVG(b), g FROM n GROUP BY g")).await?;
        assert_eq!(
            (sums.0, sums.1.to_string().as_str(), sums.2, sums.3),
            (-128, "12345678901234567890", 65_535.0, "0.1".parse()?)
        );
        let texts: (String, Uuid, String, String) = connection.fetch_one(&plain("SELECT i, j, o, p FROM n")).await?;
        assert_eq!(texts, ("y".into(), "67e55044-10b1-426f-9247-bb680e5fe0c8".parse()?, "long".into(), "q,r".into()));
        let (at, day, time): (NaiveDateTime, NaiveDate, NaiveTime) =
            connection.fetch_one(&plain("SELECT k, l, m FROM n")).await?;
        assert_eq!((at, day, time), ("2024-01-31T10:20:30.125".parse()?, "2024-01-31".parse()?, "10:20:30".parse()?));
        let sql = "SELECT CONCAT('2024-01-31 10:20:30', '.5'), CONCAT('2024-01-31', ''), CONCAT('10:20', ':30'), DATE(k) FROM n";
        let computed: (NaiveDateTime, NaiveDate, NaiveTime, NaiveDate) = connection.fetch_one(&plain(sql)).await?;
        assert_eq!(computed, ("2024-01-31T10:20:30.5".parse()?, day, time, day));
        let any: Vec<Value> = connection.fetch_one(&plain("SELECT a, d, g, h, i, j, l, m, o FROM n")).await?;
        assert_eq!(any[0], Value::Int(-128));
        assert_eq!(any[1], Value::Int(2024));
        assert!(matches!(&any[3], Value::Decimal(n) if n.to_string() == "12345678901234567890"));
        assert_eq!(any[4], "y".into());
        assert!(matches!(&any[5], Value::Bytes(bytes) if bytes.len() == 16));
        assert_eq!((&any[6], &any[7]), (&Value::Date(day), &Value::Time(time)));
        let error = connection.fetch_one::<(i64,)>(&plain("SELECT i FROM n")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Decode);
        for (sql, what) in [("a", "u64"), ("b", "i8"), ("h", "i64")] {
            let sql = plain(format!("SELECT {sql} FROM n"));
            let error = match what {
                "u64" => connection.fetch_one::<(u64,)>(&sql).await.map(drop),
                "i8" => connection.fetch_one::<(i8,)>(&sql).await.map(drop),
                _ => connection.fetch_one::<(i64,)>(&sql).await.map(drop),
            };
            assert_eq!(error.unwrap_err().kind(), ErrorKind::Decode, "{what}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn what_a_type_does_not_hold_is_an_error() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let mut connection = backend.connect().await?;
        let far = NaiveDate::from_ymd_opt(10_000, 1, 1).unwrap();
        for value in [
            Value::Float(f64::NAN),
            Value::Float(f64::INFINITY),
            Value::Date(far),
            Value::DateTime(NaiveDate::from_ymd_opt(0, 1, 1).unwrap().and_hms_opt(0, 0, 0).unwrap()),
            Value::TimeSpan(TimeDelta::seconds(3_020_400)),
            Value::List([Value::Int(1)].into()),
        ] {
            let error = connection.execute(&with("SELECT ?", [value.clone()])).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::BadValue, "{value:?}");
            assert_eq!(error.parameters().len(), 1);
        }
        // Days that are none, from before the strict modes; and numbers of more digits than a decimal has.
        connection
            .script(
                "SET @@sql_mode = ''; CREATE TABLE z (d DATE, t DATETIME, n DECIMAL(65, 30), s TIME); \
                 INSERT INTO z VALUES ('0000-00-00', '2024-02-00 10:00:00', 12345678901234567890123456789012345.123456, '25:00:00')",
            )
            .await?;
        assert_eq!(
            connection.fetch_one::<(NaiveDate,)>(&plain("SELECT d FROM z")).await.unwrap_err().kind(),
            ErrorKind::Decode
        );
        assert_eq!(
            connection.fetch_one::<(NaiveDateTime,)>(&plain("SELECT t FROM z")).await.unwrap_err().kind(),
            ErrorKind::Decode
        );
        assert_eq!(
            connection.fetch_one::<(Decimal,)>(&plain("SELECT n FROM z")).await.unwrap_err().kind(),
            ErrorKind::Decode
        );
        assert_eq!(
            connection.fetch_one::<(NaiveTime,)>(&plain("SELECT s FROM z")).await.unwrap_err().kind(),
            ErrorKind::Decode
        );
        let all: Vec<Value> = connection.fetch_one(&plain("SELECT s FROM z")).await?;
        assert_eq!(all, [Value::TimeSpan(TimeDelta::hours(25))]);
        assert_eq!(number(&mut *connection, "SELECT 7").await, 7);
    }
    Ok(())
}
