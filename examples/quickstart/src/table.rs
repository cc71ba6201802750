//! A result set, and how it looks on a terminal.
//!
//! Invariant: a number is never cut, text is cut only between characters, and nothing from the database reaches the
//! terminal as a control character.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Row, Table};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Columns of the terminal for one text.
const TEXT_WIDTH: usize = 32;

/// The first rows of an answer.
#[derive(Debug)]
pub(crate) struct ResultSet {
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
    /// There were more rows than were asked for.
    more: bool,
    /// From the text of the statement to the last row.
    elapsed: Duration,
}

impl ResultSet {
    /// Runs `sql` and reads at most `limit` rows.
    pub(crate) fn query(db: &Connection, sql: &str, params: &[Value], limit: usize) -> rusqlite::Result<Self> {
        let start = Instant::now();
        let mut statement = db.prepare(sql)?;
        let columns: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
        let mut found = statement.query(params_from_iter(params))?;
        let mut rows = Vec::new();
        let mut more = false;
        while let Some(row) = found.next()? {
            if rows.len() == limit {
                more = true;
                break;
            }
            rows.push((0..columns.len()).map(|i| row.get(i)).collect::<rusqlite::Result<_>>()?);
        }
        Ok(Self { columns, rows, more, elapsed: start.elapsed() })
    }

    /// Writes the table, as wide as the terminal at most, and a line such as `20 rows in 1.8 ms`.
    pub(crate) fn write(&self, out: &mut dyn Write, width: Option<u16>) -> io::Result<()> {
        if !self.columns.is_empty() {
            writeln!(out, "{}", self.table(width))?;
        }
        let first = if self.more { "first " } else { "" };
        let rows = self.rows.len();
        let noun = if rows == 1 { "row" } else { "rows" };
        writeln!(out, "{first}{rows} {noun} in {}", duration(self.elapsed))
    }

    fn table(&self, width: Option<u16>) -> Table {
        let kinds: Vec<Kind> = (0..self.columns.len()).map(|i| Kind::of(self.column(i))).collect();
        let mut table = Table::new();
        // The width is the caller's to know: standard output need not be where this is written.
        table.force_no_tty().load_style(UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
        if let Some(width) = width {
            table.set_width(width);
        }
        table.set_header(self.columns.iter().zip(&kinds).map(|(name, kind)| kind.cell(cut(name, TEXT_WIDTH))));
        for row in &self.rows {
            let mut cells = Row::from(row.iter().zip(&kinds).map(|(value, kind)| kind.cell(kind.text(value))));
            cells.max_height(1);
            table.add_row(cells);
        }
        for (column, kind) in table.column_iter_mut().zip(&kinds) {
            if matches!(kind, Kind::Number { .. }) {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
        table
    }

    fn column(&self, index: usize) -> impl Iterator<Item = &Value> {
        self.rows.iter().filter_map(move |row| row.get(index))
    }
}

/// The width of the terminal, where standard output is one.
pub(crate) fn terminal_width() -> Option<u16> {
    Table::new().width()
}

/// How a column is shown, judged by its rows: SQLite's results have no column types.
#[derive(Debug, PartialEq)]
enum Kind {
    Text,
    /// Right-aligned, all with as many decimals as the one that needs most.
    Number {
        decimals: usize,
    },
}

impl Kind {
    fn of<'a>(values: impl Iterator<Item = &'a Value>) -> Self {
        let mut numbers = None;
        for value in values {
            match value {
                Value::Null => {}
                Value::Integer(_) => numbers = numbers.or(Some(0)),
                Value::Real(real) => numbers = numbers.max(Some(decimals(*real))),
                Value::Text(_) | Value::Blob(_) => return Self::Text,
            }
        }
        numbers.map_or(Self::Text, |decimals| Self::Number { decimals })
    }

    fn cell(&self, text: String) -> Cell {
        let side = match self {
            Self::Text => CellAlignment::Left,
            Self::Number { .. } => CellAlignment::Right,
        };
        Cell::new_owned(text).set_alignment(side)
    }

    fn text(&self, value: &Value) -> String {
        match (value, self) {
            (Value::Real(real), Self::Number { decimals }) if is_plain(*real) => format!("{real:.decimals$}"),
            _ => cut(&show(value), TEXT_WIDTH),
        }
    }
}

/// A value by itself, whole: for parameters, and for what has no column to fit in.
pub(crate) fn show(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Integer(integer) => integer.to_string(),
        Value::Real(real) if is_plain(*real) => real.to_string(),
        Value::Real(real) => format!("{real:e}"),
        Value::Text(text) => text.clone(),
        Value::Blob(bytes) => {
            let mut hex = String::with_capacity(3 + 2 * bytes.len());
            hex.push_str("x'");
            for byte in bytes {
                // Writing to a string does not fail.
                let _ = write!(hex, "{byte:02x}");
            }
            hex.push('\'');
            hex
        }
    }
}

/// Six decimals show it well enough.
fn is_plain(real: f64) -> bool {
    real == 0.0 || (1e-6..1e15).contains(&real.abs())
}

/// The decimals that `real` needs, six at most: noise such as `0.30000000000000004` is none of the reader's business.
fn decimals(real: f64) -> usize {
    if !is_plain(real) {
        return 0;
    }
    let text = format!("{real:.6}");
    let text = text.trim_end_matches('0');
    text.split_once('.').map_or(0, |(_, decimals)| decimals.len())
}

/// At most `width` columns of the terminal on one line, the last of them `…` where something was cut.
fn cut(text: &str, width: usize) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.width() <= width {
        return text;
    }
    let mut kept = String::new();
    let mut columns = 1;
    for c in text.chars() {
        columns += c.width().unwrap_or(0);
        if columns > width {
            break;
        }
        kept.push(c);
    }
    kept.push('…');
    kept
}

/// Two digits at least: `1.8 ms`, `0.42 ms`, `12 ms`, `3.4 s`.
pub(crate) fn duration(duration: Duration) -> String {
    let ms = duration.as_secs_f64() * 1e3;
    match ms {
        ms if ms < 1.0 => format!("{ms:.2} ms"),
        ms if ms < 10.0 => format!("{ms:.1} ms"),
        ms if ms < 1_000.0 => format!("{ms:.0} ms"),
        ms => format!("{:.1} s", ms / 1e3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(set: &ResultSet, width: Option<u16>) -> String {
        let mut out = Vec::new();
        set.write(&mut out, width).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn query(sql: &str, limit: usize) -> ResultSet {
        let db = Connection::open_in_memory().unwrap();
        ResultSet { elapsed: Duration::from_micros(1_800), ..ResultSet::query(&db, sql, &[], limit).unwrap() }
    }

    #[test]
    fn text_is_cut_between_characters() {
        for (text, width, expected) in [
            ("short", 5, "short"),
            ("longer", 5, "long…"),
            ("Zürich-Öst", 5, "Züri…"),
            ("ÀÉÎÕÜß", 6, "ÀÉÎÕÜß"),
            ("日本語テスト", 12, "日本語テスト"),
            ("日本語テスト", 6, "日本…"), // a third character would need a seventh column
            ("日本語テスト", 7, "日本語…"),
            ("ab🦀🦀cd", 5, "ab🦀…"),
            ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"), // a letter keeps its accent
            ("two\nlines\u{1b}[31m", 32, "two lines [31m"),
        ] {
            let cut = cut(text, width);
            assert_eq!(cut, expected, "{text:?} in {width}");
            assert!(cut.width() <= width);
        }
    }

    #[test]
    fn numbers_stand_right_with_the_decimals_of_their_column() {
        let set = query("SELECT 1 AS Id, 'Ada' AS Name, 12.5 AS Price UNION ALL SELECT 1000, NULL, 3.25", 20);
        assert_eq!(
            written(&set, None),
            "\
┌──────┬──────┬───────┐
│   Id ┆ Name ┆ Price │
╞══════╪══════╪═══════╡
│    1 ┆ Ada  ┆ 12.50 │
│ 1000 ┆ NULL ┆  3.25 │
└──────┴──────┴───────┘
2 rows in 1.8 ms
"
        );
    }

    #[test]
    fn rows_beyond_the_limit_are_not_read() {
        let set = query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n", 3);
        assert!(written(&set, None).ends_with("first 3 rows in 1.8 ms\n"));
        assert!(written(&query("SELECT 1", 1), None).ends_with("\n1 row in 1.8 ms\n"));
        assert!(written(&query("SELECT 1 WHERE 0", 1), None).ends_with("\n0 rows in 1.8 ms\n"));
    }

    #[test]
    fn a_narrow_terminal_shortens_text_and_no_number() {
        let set = query("SELECT 123456789 AS Id, 'quickly final pinto beans' AS Comment, 1234.5 AS Price", 20);
        let text = written(&set, Some(40));
        assert!(text.lines().all(|line| line.width() <= 40), "{text}");
        assert_eq!(text.lines().count(), 6, "{text}");
        assert!(text.contains("123456789") && text.contains("1234.5") && text.contains('…'), "{text}");
    }

    #[test]
    fn values_show_as_what_they_are() {
        for (value, expected) in [
            (Value::Null, "NULL"),
            (Value::Real(0.1 + 0.2), "0.30000000000000004"),
            (Value::Real(1e300), "1e300"),
            (Value::Real(f64::INFINITY), "inf"),
            (Value::Blob(vec![0, 255]), "x'00ff'"),
        ] {
            assert_eq!(show(&value), expected);
        }
        assert_eq!(Kind::of([Value::Real(0.1 + 0.2), Value::Null].iter()), Kind::Number { decimals: 1 });
        assert_eq!(Kind::of([Value::Null].iter()), Kind::Text);
    }

    #[test]
    fn durations_have_two_digits() {
        let text = |micros| duration(Duration::from_micros(micros));
        assert_eq!([text(420), text(1_800), text(12_300), text(3_400_000)], ["0.42 ms", "1.8 ms", "12 ms", "3.4 s"]);
    }
}
