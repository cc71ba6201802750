//! Every type of MySQL and MariaDB, asked as every type.
#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "../../../driver/testing/decoding.rs"]
mod checks;

use checks::{Checks, Truth, date, datetime, decimals, floats, number, text, time, whole_numbers};
use chrono::TimeDelta;
use isogloss_driver::{Backend, ConnectionExt};

use crate::live::{Database, Outcome, plain, servers};

/// How many columns a table has.
const COLUMNS: usize = 200;

/// A column's type, what is written into it, and what it is then.
type Cell = (String, String, Truth);

fn numbers(cells: &mut Vec<Cell>) {
    let types: [(&str, i128, i128); 11] = [
        ("TINYINT", -128, 127),
        ("TINYINT UNSIGNED", 0, 255),
        ("SMALLINT", i16::MIN.into(), i16::MAX.into()),
        ("SMALLINT UNSIGNED", 0, u16::MAX.into()),
        ("MEDIUMINT", -8_388_608, 8_388_607),
        ("INT", i32::MIN.into(), i32::MAX.into()),
        ("INT UNSIGNED", 0, u32::MAX.into()),
        ("BIGINT", i64::MIN.into(), i64::MAX.into()),
        ("BIGINT UNSIGNED", 0, u64::MAX.into()),
        ("BIT(64)", 0, u64::MAX.into()),
        ("BIT(8)", 0, 255),
    ];
    for (ty, least, most) in types {
        for whole in whole_numbers().into_iter().filter(|whole| (least..=most).contains(whole)) {
            cells.push((ty.into(), whole.to_string(), number(whole)));
        }
    }
    for digits in decimals() {
        cells.push(("DECIMAL(38, 12)".into(), digits.clone(), number(&digits)));
    }
    for digits in ["9".repeat(38), "9".repeat(39), "9".repeat(65)] {
        cells.push(("DECIMAL(65, 0)".into(), digits.clone(), number(&digits)));
    }
    for float in floats() {
        cells.push(("DOUBLE".into(), format!("{float:e}"), Truth::Double(float)));
        if float.abs() < 3e38 && (float == 0.0 || float.abs() > 1e-30) {
            #[allow(clippy::cast_possible_truncation, reason = "as the server does")]
            cells.push(("FLOAT".into(), format!("{float:e}"), Truth::Single(float as f32)));
        }
    }
    cells.push(("YEAR".into(), "1999".into(), number(1999)));
    cells.push(("YEAR".into(), "0".into(), number(0)));
}

fn others(cells: &mut Vec<Cell>) {
    let mut cell = |ty: &str, sql: &str, truth: Truth| cells.push((ty.into(), sql.into(), truth));
    for word in ["", "12abc", "12", "-1.50", "true", "2024-02-29", "2024-02-29 10:20:30", "2024-02-29x", "NaN", "é"] {
        cell("VARCHAR(40)", &format!("'{word}'"), text(word));
        cell("TEXT", &format!("'{word}'"), text(word));
        cell("VARBINARY(40)", &format!("'{word}'"), Truth::Bytes(word.as_bytes().to_vec()));
    }
    let id = "00000000-0000-0000-0000-000000001234";
    cell("VARCHAR(40)", &format!("'{id}'"), text(id));
    cell("CHAR(16)", "'abcdefghijklmnop'", text("abcdefghijklmnop"));
    cell("TEXT", "'abcdefghijklmnop'", text("abcdefghijklmnop"));
    cell("BINARY(16)", "'abcdefghijklmnop'", Truth::Bytes(b"abcdefghijklmnop".to_vec()));
    cell("BLOB", "x'00ff'", Truth::Bytes(vec![0, 255]));
    cell("ENUM('a', 'b')", "'b'", text("b"));
    cell("SET('a', 'b')", "'a,b'", text("a,b"));
    cell("POINT", "ST_PointFromText('POINT(1 2)')", Truth::Foreign);
    for day in ["0001-01-01", "1582-10-10", "1999-12-31", "2024-02-29", "9999-12-31"] {
        cell("DATE", &format!("'{day}'"), date(day));
        for clock in ["00:00:00", "00:00:00.000001", "23:59:59.999999"] {
            cell("DATETIME(6)", &format!("'{day} {clock}'"), datetime(&format!("{day}T{clock}")));
        }
    }
    cell("TIMESTAMP(6)", "'2024-02-29 23:59:59.999999'", datetime("2024-02-29T23:59:59.999999"));
    // No day at all, one of no month, one of no year.
    for none in ["0000-00-00", "2024-00-00", "2024-02-00"] {
        cell("DATE", &format!("'{none}'"), Truth::Nothing);
        cell("DATETIME(6)", &format!("'{none} 10:20:30'"), Truth::Nothing);
    }
    cell("TIME(6)", "'00:00:00'", time("00:00:00"));
    cell("TIME(6)", "'23:59:59.999999'", time("23:59:59.999999"));
    for (span, micros) in [
        ("24:00:00", 86_400_000_000),
        ("838:59:59", 3_020_399_000_000),
        ("-838:59:59", -3_020_399_000_000),
        ("-00:00:00.5", -500_000),
        ("-10:20:30", -37_230_000_000),
    ] {
        cell("TIME(6)", &format!("'{span}'"), Truth::Span(TimeDelta::microseconds(micros)));
    }
    for ty in ["INT", "DECIMAL(20, 2)", "DOUBLE", "VARCHAR(9)", "BLOB", "DATE", "TIME", "DATETIME", "JSON", "BIT(8)"] {
        cell(ty, "NULL", Truth::Null);
    }
}

#[tokio::test]
async fn a_cell_is_its_value_in_the_type_that_is_asked_or_an_error() -> Outcome {
    let mut cells = Vec::new();
    numbers(&mut cells);
    others(&mut cells);
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let mut connection = backend.connect().await?;
        // Dates of old, as a table has them that was filled without the mode of today.
        connection.script("SET sql_mode = ''").await?;
        let mut wrong = Vec::new();
        for (table, part) in cells.chunks(COLUMNS).enumerate() {
            let columns: Vec<String> = part.iter().enumerate().map(|(n, (ty, ..))| format!("c{n} {ty} NULL")).collect();
            let values: Vec<&str> = part.iter().map(|(_, sql, _)| sql.as_str()).collect();
            let (columns, values) = (columns.join(", "), values.join(", "));
            connection
                .script(&format!("CREATE TABLE t{table} ({columns}); INSERT INTO t{table} VALUES ({values})"))
                .await?;
            let truths = part.iter().map(|(ty, sql, truth)| (format!("{sql} in {ty}"), truth.clone())).collect();
            let checks = connection.query_into(&plain(format!("SELECT * FROM t{table}")), Checks::of(truths)).await?;
            assert_eq!(checks.rows, 1);
            wrong.extend(checks.wrong);
        }
        // What is computed has no table.
        let computed: [(&str, Truth); 6] = [
            ("CAST('2024-02-29 10:20:30' AS DATETIME)", datetime("2024-02-29T10:20:30")),
            ("CONCAT('2024-02-29', ' 10:20:30')", text("2024-02-29 10:20:30")),
            ("SUM(1.25)", number("1.25")),
            ("18446744073709551615 + 0", number(u64::MAX)),
            ("1 = 1", number(1)),
            ("CAST('abcdefghijklmnop' AS BINARY)", Truth::Bytes(b"abcdefghijklmnop".to_vec())),
        ];
        let columns: Vec<String> = computed.iter().map(|(sql, _)| format!("{sql} AS c")).collect();
        let truths = computed.iter().map(|(sql, truth)| ((*sql).to_owned(), truth.clone())).collect();
        let select = plain(format!("SELECT {}", columns.join(", ")));
        wrong.extend(connection.query_into(&select, Checks::of(truths)).await?.wrong);
        assert!(wrong.is_empty(), "{} of {} cells:\n{}", wrong.len(), cells.len(), wrong.join("\n"));
    }
    Ok(())
}
