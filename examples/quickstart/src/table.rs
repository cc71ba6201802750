//! Rows, and how they look on a terminal.
//!
//! Invariant: a number or a date is never cut, text is cut only between characters, and nothing from the database reaches the
//! terminal as a control character.

use std::io::{self, Write};
use std::time::Duration;

use comfy_table::{
    Cell, CellAlignment, ColumnConstraint, ContentArrangement, ContentLineStyle, LineStyle, Row, Table, TableStyle,
};
use isogloss::expr::Value;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// A line below the header, and between columns: what a terminal of 80 columns has room for.
const STYLE: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none().junction('┆'))
    .header_separator(LineStyle::none().fill('═').junction('╪'))
    .content_lines(ContentLineStyle::none().junction('┆'));

/// Columns of the terminal for one text.
const TEXT_WIDTH: usize = 32;

/// Writes the rows as a table, as wide as the terminal at most, and a line such as `20 rows in 1.8 ms`.
pub(crate) fn write(
    out: &mut dyn Write,
    columns: &[&str],
    rows: &[&[Value]],
    elapsed: Duration,
    width: Option<u16>,
) -> io::Result<()> {
    writeln!(out, "{}", table(columns, rows, width))?;
    let noun = if rows.len() == 1 { "row" } else { "rows" };
    writeln!(out, "{} {noun} in {}", rows.len(), duration(elapsed))
}

fn table(columns: &[&str], rows: &[&[Value]], width: Option<u16>) -> Table {
    let column = |index: usize| rows.iter().filter_map(move |row| row.get(index));
    let kinds: Vec<Kind> = (0..columns.len()).map(|index| Kind::of(column(index))).collect();
    let mut table = Table::new();
    // The width is the caller's to know: standard output need not be where this is written.
    table.force_no_tty().load_style(STYLE).set_content_arrangement(ContentArrangement::Dynamic);
    if let Some(width) = width {
        table.set_width(width);
    }
    table.set_header(columns.iter().zip(&kinds).map(|(name, kind)| kind.cell(cut(name, TEXT_WIDTH))));
    for row in rows {
        let mut cells = Row::from(row.iter().zip(&kinds).map(|(value, kind)| kind.cell(kind.text(value))));
        cells.max_height(1);
        table.add_row(cells);
    }
    for (column, kind) in table.column_iter_mut().zip(&kinds) {
        if *kind != Kind::Text {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    table
}

/// The width of the terminal, where standard output is one.
pub(crate) fn terminal_width() -> Option<u16> {
    Table::new().width()
}

/// How a column is shown, judged by its rows.
#[derive(Debug, PartialEq)]
enum Kind {
    Text,
    Date,
    /// Right-aligned, all with as many decimals as the one that needs most.
    Number {
        decimals: usize,
    },
}

impl Kind {
    fn of<'a>(values: impl Iterator<Item = &'a Value>) -> Self {
        let of_one = |value: &Value| match value {
            Value::Int(_) | Value::UInt(_) => Self::Number { decimals: 0 },
            Value::Decimal(number) => Self::Number { decimals: number.normalize().scale().into() },
            Value::Date(_) => Self::Date,
            _ => Self::Text,
        };
        let kinds = values.filter(|value| !value.is_null()).map(of_one);
        kinds.reduce(Self::both).unwrap_or(Self::Text)
    }

    fn both(self, other: Self) -> Self {
        match (self, other) {
            (Self::Number { decimals }, Self::Number { decimals: more }) => {
                Self::Number { decimals: decimals.max(more) }
            }
            (Self::Date, Self::Date) => Self::Date,
            _ => Self::Text,
        }
    }

    fn cell(&self, text: String) -> Cell {
        let side = match self {
            Self::Text | Self::Date => CellAlignment::Left,
            Self::Number { .. } => CellAlignment::Right,
        };
        Cell::new_owned(text).set_alignment(side)
    }

    fn text(&self, value: &Value) -> String {
        match (value, self) {
            (Value::Decimal(number), Self::Number { decimals }) => {
                let number = number.normalize();
                let point = if number.scale() == 0 && *decimals > 0 { "." } else { "" };
                format!("{number}{point}{}", "0".repeat(decimals.saturating_sub(number.scale().into())))
            }
            _ => cut(&show(value), TEXT_WIDTH),
        }
    }
}

/// A value by itself, without the quotes of SQL.
fn show(value: &Value) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        Value::Date(date) => date.to_string(),
        other => other.to_string(),
    }
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

    fn written(columns: &[&str], rows: &[&[Value]], width: Option<u16>) -> String {
        let mut out = Vec::new();
        write(&mut out, columns, rows, Duration::from_micros(1_800), width).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn decimal(text: &str) -> Value {
        Value::Decimal(Box::new(text.parse().unwrap()))
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
        let rows: [&[Value]; 3] = [
            &[1.into(), "Ada".into(), decimal("12.50")],
            &[1_000.into(), Value::Null, decimal("3.255")],
            &[7.into(), "Bob".into(), decimal("4")],
        ];
        assert_eq!(
            written(&["Id", "Name", "Price"], &rows, None),
            [
                "   Id ┆ Name ┆  Price ",
                "══════╪══════╪════════",
                "    1 ┆ Ada  ┆ 12.500 ",
                " 1000 ┆ NULL ┆  3.255 ",
                "    7 ┆ Bob  ┆  4.000 ",
                "3 rows in 1.8 ms",
                "",
            ]
            .join("\n")
        );
    }

    #[test]
    fn one_row_is_no_rows() {
        assert!(written(&["Id"], &[&[1.into()]], None).ends_with("\n1 row in 1.8 ms\n"));
        let none = written(&["Id"], &[], None);
        assert!(none.contains("Id") && none.ends_with("\n0 rows in 1.8 ms\n"), "{none}");
    }

    #[test]
    fn a_narrow_terminal_shortens_text_and_no_number() {
        let rows: [&[Value]; 1] = [&[123_456_789.into(), "quickly final pinto beans".into(), decimal("1234.5")]];
        let text = written(&["Id", "Comment", "Price"], &rows, Some(40));
        assert!(text.lines().all(|line| line.width() <= 40), "{text}");
        assert_eq!(text.lines().count(), 4, "{text}");
        assert!(text.contains("123456789") && text.contains("1234.5") && text.contains('…'), "{text}");
    }

    #[test]
    fn values_show_as_what_they_are() {
        let day = Value::Date("1996-01-02".parse().unwrap());
        for (value, expected) in [(Value::Null, "NULL"), ("it's".into(), "it's"), (day, "1996-01-02")] {
            assert_eq!(show(&value), expected);
        }
        assert_eq!(Kind::of([decimal("0.30"), Value::Null].iter()), Kind::Number { decimals: 1 });
        assert_eq!(Kind::of([Value::Null].iter()), Kind::Text);
    }

    #[test]
    fn durations_have_two_digits() {
        let text = |micros| duration(Duration::from_micros(micros));
        assert_eq!([text(420), text(1_800), text(12_300), text(3_400_000)], ["0.42 ms", "1.8 ms", "12 ms", "3.4 s"]);
    }
}
