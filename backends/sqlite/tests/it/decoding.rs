//! What SQLite stores, asked as every type: a column holds what was put into it, whatever its type is.

#[path = "../../../driver/testing/decoding.rs"]
mod checks;

use checks::{Checks, Truth, decimals, floats, number, text, whole_numbers};
use isogloss_compiler::Compiled;
use isogloss_driver::{Backend, ConnectionExt};
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};

const COLUMNS: usize = 200;

fn cells() -> Vec<(String, Truth)> {
    let mut cells = Vec::new();
    let stored = |whole: &i128| i64::try_from(*whole).is_ok_and(|whole| whole != i64::MIN);
    for whole in whole_numbers().into_iter().filter(stored) {
        cells.push((whole.to_string(), number(whole)));
        cells.push((format!("'{whole}'"), text(&whole.to_string())));
    }
    cells.extend(decimals().into_iter().map(|digits| (format!("'{digits}'"), text(&digits))));
    // With its exponent, a literal is no whole number.
    cells.extend(floats().into_iter().map(|float| (format!("{float:e}"), Truth::Double(float))));
    cells.push(("9e999".into(), Truth::Double(f64::INFINITY)));
    cells.push(("-9e999".into(), Truth::Double(f64::NEG_INFINITY)));
    for word in [
        "",
        "12abc",
        "1.5 ",
        "true",
        "NaN",
        "é",
        "2024-02-29",
        "2024-02-29x",
        "2024-02-30",
        "0000-00-00",
        "2024-02-29 00:00:00",
        "2024-02-29 10:20:30",
        "2024-02-29T10:20:30.123456",
        "2024-02-29 10:20:30x",
        "2024-02-29 24:00:00",
        "2024-02-29 10:20:30+02:00",
        "10:20:30",
        "10:20:30.5",
        "24:00:00",
        "-01:00:00",
        "[1, 2]",
        "00000000-0000-0000-0000-000000001234",
        "abcdefghijklmnop",
    ] {
        cells.push((format!("'{word}'"), text(word)));
    }
    cells.push(("x'00ff'".into(), Truth::Bytes(vec![0, 255])));
    cells.push(("CAST('abcdefghijklmnop' AS BLOB)".into(), Truth::Bytes(b"abcdefghijklmnop".to_vec())));
    cells.push(("NULL".into(), Truth::Null));
    cells
}

#[tokio::test]
async fn a_cell_is_its_value_in_the_type_that_is_asked_or_an_error() -> Result<(), Box<dyn std::error::Error>> {
    let backend = SqliteBackend::open(SqliteOptions::memory()).await?;
    let mut connection = Backend::connect(&backend).await?;
    let (cells, mut wrong) = (cells(), Vec::new());
    for part in cells.chunks(COLUMNS) {
        let columns: Vec<String> = part.iter().map(|(sql, _)| format!("{sql} AS c")).collect();
        let select = Compiled { sql: format!("SELECT {}", columns.join(", ")), ..Compiled::default() };
        let checks = connection.query_into(&select, Checks::of(part.to_vec())).await?;
        assert_eq!(checks.rows, 1);
        wrong.extend(checks.wrong);
    }
    assert!(wrong.is_empty(), "{} of {} cells:\n{}", wrong.len(), cells.len(), wrong.join("\n"));
    Ok(())
}
