//! Every type of PostgreSQL, asked as every type.

#[path = "../../../driver/testing/decoding.rs"]
mod checks;

use checks::{Checks, Truth, date, datetime, decimals, floats, instant, number, text, time, whole_numbers};
use chrono::TimeDelta;
use isogloss_driver::ConnectionExt;

use crate::support::{Outcome, each, plain};

/// How many columns a statement is asked for.
const COLUMNS: usize = 500;

fn numbers(cells: &mut Vec<(String, Truth)>) {
    let types: [(&str, i128, i128); 4] = [
        ("int2", i16::MIN.into(), i16::MAX.into()),
        ("int4", i32::MIN.into(), i32::MAX.into()),
        ("int8", i64::MIN.into(), i64::MAX.into()),
        ("oid", 0, u32::MAX.into()),
    ];
    for (ty, least, most) in types {
        for whole in whole_numbers().into_iter().filter(|whole| (least..=most).contains(whole)) {
            cells.push((format!("'{whole}'::{ty}"), number(whole)));
        }
    }
    for digits in decimals() {
        cells.push((format!("'{digits}'::numeric"), number(&digits)));
        cells.push((format!("'{digits}'::numeric(38, 12)"), number(&digits)));
    }
    let long = format!("1{}.5", "0".repeat(40));
    let fine = format!("0.{}5", "0".repeat(50));
    for digits in [long, fine, "9".repeat(38), "9".repeat(39), format!("0.{}", "7".repeat(38))] {
        cells.push((format!("'{digits}'::numeric"), number(&digits)));
    }
    cells.push(("('1' || repeat('0', 400))::numeric".into(), Truth::Nothing));
    cells.push(("'1000000003.25'::numeric(20, 2)".into(), number("1000000003.25")));
    for float in floats() {
        cells.push((format!("'{float:e}'::float8"), Truth::Double(float)));
        if float.abs() < 3e38 && (float == 0.0 || float.abs() > 1e-30) {
            #[allow(clippy::cast_possible_truncation, reason = "as the server does")]
            cells.push((format!("'{float:e}'::float4"), Truth::Single(float as f32)));
        }
    }
    for (text, float) in [("NaN", f64::NAN), ("Infinity", f64::INFINITY), ("-Infinity", f64::NEG_INFINITY)] {
        cells.push((format!("'{text}'::float8"), Truth::Double(float)));
        cells.push((format!("'{text}'::numeric"), Truth::Double(float)));
    }
}

fn others(cells: &mut Vec<(String, Truth)>) {
    let mut cell = |sql: &str, truth: Truth| cells.push((sql.to_owned(), truth));
    cell("true", Truth::Bool(true));
    cell("false", Truth::Bool(false));
    for word in ["", "12abc", "12", "-1.50", "true", "2024-02-29", "2024-02-29 10:20:30", "2024-02-29x", "NaN", "é"] {
        cell(&format!("'{word}'::text"), text(word));
        cell(&format!("'{word}'::varchar(40)"), text(word));
    }
    let id = uuid::Uuid::from_u128(0x1234);
    cell(&format!("'{id}'::uuid"), Truth::Uuid(id));
    cell(&format!("'{id}'::text"), text(&id.to_string()));
    cell("'abcdefghijklmnop'::text", text("abcdefghijklmnop"));
    cell(r"'\x00ff'::bytea", Truth::Bytes(vec![0, 255]));
    cell("'abcdefghijklmnop'::bytea", Truth::Bytes(b"abcdefghijklmnop".to_vec()));
    cell("'[1, 2]'::json", Truth::Json("[1, 2]".into()));
    cell("'[1, 2]'::jsonb", Truth::Json("[1, 2]".into()));
    cell("'1'::jsonb", Truth::Json("1".into()));
    for day in ["0001-01-01", "1582-10-10", "1999-12-31", "2024-02-29", "9999-12-31"] {
        cell(&format!("'{day}'::date"), date(day));
        for clock in ["00:00:00", "00:00:00.000001", "23:59:59.999999"] {
            cell(&format!("'{day} {clock}'::timestamp"), datetime(&format!("{day}T{clock}")));
            cell(&format!("'{day} {clock}+00'::timestamptz"), instant(&format!("{day}T{clock}+00:00")));
        }
    }
    // 1 BC is the year 0.
    cell("'0001-12-31 BC'::date", date("0000-12-31"));
    cell("'0044-03-15 12:00:00 BC'::timestamp", datetime("-0043-03-15T12:00:00"));
    for endless in ["infinity", "-infinity"] {
        for ty in ["date", "timestamp", "timestamptz"] {
            cell(&format!("'{endless}'::{ty}"), Truth::Nothing);
        }
    }
    cell("'00:00:00'::time", time("00:00:00"));
    cell("'23:59:59.999999'::time", time("23:59:59.999999"));
    cell("'24:00:00'::time", Truth::Nothing);
    cell("'10:20:30+02'::timetz", Truth::Foreign);
    cell("'10:20:30'::interval", Truth::Span(TimeDelta::seconds(10 * 3600 + 20 * 60 + 30)));
    cell("'-2 days 01:00:00'::interval", Truth::Span(TimeDelta::hours(-47)));
    cell("'1 month'::interval", Truth::Nothing);
    for foreign in ["'12.34'::money", "'(1,2)'::point", "'10.0.0.1'::inet", "B'1'", "ROW(1, 2)", "'[1,2)'::int4range"] {
        cell(foreign, Truth::Foreign);
    }
    let types = ["bool", "int2", "int8", "numeric", "float4", "float8", "text", "bytea", "date", "time", "timestamp"];
    for ty in types.iter().chain(&["timestamptz", "interval", "uuid", "json", "jsonb", "oid", "inet", "int4[]"]) {
        cell(&format!("NULL::{ty}"), Truth::Null);
    }
}

#[tokio::test]
async fn a_cell_is_its_value_in_the_type_that_is_asked_or_an_error() -> Outcome {
    each("decoding", async |db| {
        let mut cells = Vec::new();
        numbers(&mut cells);
        others(&mut cells);
        let mut connection = db.connect().await?;
        let mut wrong = Vec::new();
        for part in cells.chunks(COLUMNS) {
            let columns: Vec<String> = part.iter().map(|(sql, _)| format!("{sql} AS c")).collect();
            let select = plain(format!("SELECT {}", columns.join(", ")));
            let checks = connection.query_into(&select, Checks::of(part.to_vec())).await?;
            assert_eq!(checks.rows, 1);
            wrong.extend(checks.wrong);
        }
        assert!(wrong.is_empty(), "{} of {} cells:\n{}", wrong.len(), cells.len(), wrong.join("\n"));
        Ok(())
    })
    .await
}

/// An average is read by a property whose type is a whole number's.
#[tokio::test]
async fn a_fraction_is_no_whole_number() -> Outcome {
    use isogloss_compiler::expr::DbValueType as T;
    each("fraction", async |db| {
        let mut connection = db.connect().await?;
        let average = plain("SELECT AVG(n) AS \"N\" FROM (VALUES (1000000003), (1000000003.5)) AS t (n)");
        struct Typed(Option<isogloss_driver::Result<isogloss_compiler::expr::Value>>);
        impl isogloss_driver::RowSink for Typed {
            fn row(&mut self, row: &dyn isogloss_driver::Row) -> isogloss_driver::Result<isogloss_driver::Flow> {
                self.0 = Some(row.value(0, Some(T::Int32.into())));
                Ok(isogloss_driver::Flow::More)
            }
        }
        let read = connection.query_into(&average, Typed(None)).await?.0.ok_or("no row")?;
        let error = read.err().ok_or("a whole number")?;
        assert_eq!(error.to_string(), "cannot decode: column `N` (index 0) holds a decimal, not Int32");
        Ok(())
    })
    .await
}
