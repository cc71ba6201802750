//! Rows as a table, in the form that Markdown has for it.

use std::io::{self, BufWriter, Stdout, Write as _};

use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{Cell, CellAlignment, Table};
use isogloss::expr::Value;

use super::{Writer, plain};
use crate::text::{counted, one_line};

#[derive(Debug, Default)]
pub(super) struct TableRows {
    names: Vec<String>,
    rows: Vec<Vec<Value>>,
}

impl Writer for TableRows {
    fn begin(&mut self, _: &mut BufWriter<Stdout>, names: &[String]) -> io::Result<()> {
        names.clone_into(&mut self.names);
        Ok(())
    }

    fn row(&mut self, _: &mut BufWriter<Stdout>, row: Vec<Value>) -> io::Result<()> {
        self.rows.push(row);
        Ok(())
    }

    fn end(&mut self, out: &mut BufWriter<Stdout>) -> io::Result<()> {
        if !self.names.is_empty() {
            let rows = self.rows.iter().map(|row| row.iter().map(|value| (shown(value), is_number(value))).collect());
            writeln!(out, "{}", table(&self.names, rows))?;
        }
        writeln!(out, "{}", counted(self.rows.len(), "row", "rows"))
    }

    fn break_off(&mut self, _: &mut BufWriter<Stdout>, _: usize) -> io::Result<()> {
        Ok(())
    }
}

/// A table of texts, those of numbers on the right side. It is as wide as it has to be.
pub(crate) fn table(names: &[impl AsRef<str>], rows: impl Iterator<Item = Vec<(String, bool)>>) -> String {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN).force_no_tty();
    table.set_header(names.iter().map(|name| one_line(name.as_ref()).into_owned()));
    for row in rows {
        table.add_row(row.into_iter().map(|(text, is_right)| {
            let side = if is_right { CellAlignment::Right } else { CellAlignment::Left };
            Cell::new(one_line(&text)).set_alignment(side)
        }));
    }
    // Trailing blanks of the last column are of no use to anybody.
    table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

fn shown(value: &Value) -> String {
    plain::text(value).unwrap_or_else(|| "NULL".to_owned())
}

fn is_number(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::UInt(_) | Value::Float(_) | Value::Decimal(_))
}
