//! Rows of an answer, written while they come: as a table, CSV or a JSON object a line.

mod csv;
mod ndjson;
pub(crate) mod plain;
pub(crate) mod table;

use std::collections::VecDeque;
use std::io::{self, BufWriter, IsTerminal as _, Stdout, Write as _};
use std::pin::pin;
use std::time::Duration;

use clap::ValueEnum;
use futures_util::TryStreamExt as _;
use indicatif::{ProgressBar, ProgressStyle};
use isogloss::driver::{AnyConnection, ConnectionExt as _, Error, ErrorKind, Result, Row};
use isogloss::expr::{DbType, DbValueType, Value};
use isogloss::{Compiled, driver};

use crate::failure::Failure;

/// How rows are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RowFormat {
    /// A table, which is written at the end
    #[default]
    Table,
    /// Comma-separated values with a header; NULL is an empty field, as an empty text is
    Csv,
    /// A JSON object a line
    Ndjson,
}

/// What writes rows of a known form.
pub(crate) trait Writer: Send {
    /// Begins, when the columns are known.
    fn begin(&mut self, out: &mut BufWriter<Stdout>, names: &[String]) -> io::Result<()>;
    /// Writes a row.
    fn row(&mut self, out: &mut BufWriter<Stdout>, row: Vec<Value>) -> io::Result<()>;
    /// Writes what is left.
    fn end(&mut self, out: &mut BufWriter<Stdout>) -> io::Result<()>;
    /// Writes, in place of the end, that so many rows were written and others are missing.
    fn break_off(&mut self, out: &mut BufWriter<Stdout>, written: usize) -> io::Result<()>;
}

/// What writes the rows of a statement. Dropped before its end, it says in the output that rows are missing.
pub(crate) struct Rows {
    writer: Box<dyn Writer>,
    out: BufWriter<Stdout>,
    /// The names of the columns, as far as the compiler or the first row has told them.
    names: Vec<String>,
    types: Vec<Option<DbType>>,
    limit: Option<usize>,
    written: usize,
    has_more: bool,
    progress: ProgressBar,
    is_ended: bool,
    /// Why nothing more can be written.
    failed: Option<io::Error>,
}

/// What became of the rows.
#[derive(Debug)]
pub(crate) struct Written {
    /// How many were written.
    pub(crate) rows: usize,
    /// Whether there are more than the limit.
    pub(crate) has_more: bool,
}

impl Rows {
    /// Writes the rows of a statement, as many as the limit says.
    pub(crate) fn new(format: RowFormat, statement: &Compiled<'_>, limit: Option<usize>) -> Self {
        Self {
            writer: match format {
                RowFormat::Table => Box::new(table::TableRows::default()),
                RowFormat::Csv => Box::new(csv::CsvRows),
                RowFormat::Ndjson => Box::new(ndjson::NdjsonRows::default()),
            },
            out: BufWriter::new(io::stdout()),
            names: statement.columns.iter().map(|column| column.name.to_string()).collect(),
            types: statement.columns.iter().map(|column| column.ty).collect(),
            limit,
            written: 0,
            has_more: false,
            progress: progress(),
            is_ended: false,
            failed: None,
        }
    }

    /// Writes the rows while they come: how long the statement may take bounds the wait for its next rows, not all of it.
    pub(crate) async fn stream(mut self, connection: &mut AnyConnection, statement: &Compiled<'_>) -> Result<Self> {
        let types = std::mem::take(&mut self.types);
        let mut is_first = self.names.is_empty();
        let reader = move |row: &dyn Row| {
            let names = std::mem::take(&mut is_first).then(|| {
                (0..row.len()).map(|index| row.name(index).unwrap_or_default().to_owned()).collect::<Vec<_>>()
            });
            Ok((names, values(row, &types)?))
        };
        let mut chunks = pin!(connection.stream_chunks(statement, reader, VecDeque::new));
        while let Some(rows) = chunks.try_next().await? {
            for (names, values) in rows {
                if let Some(names) = names {
                    self.names = names;
                }
                self.has_more = self.limit.is_some_and(|limit| self.written >= limit);
                if self.has_more {
                    return Ok(self);
                }
                self.failed = self.write(values).err();
                if self.failed.is_some() {
                    return Ok(self);
                }
                self.written += 1;
                self.progress.inc(1);
            }
        }
        Ok(self)
    }

    /// Ends the output. Where the rows were not all written the failure says why.
    pub(crate) fn finish(mut self) -> Result<Written, Failure> {
        self.is_ended = true;
        self.progress.finish_and_clear();
        if let Some(error) = self.failed.take() {
            return Err(error.into());
        }
        if self.written == 0 {
            self.writer.begin(&mut self.out, &self.names)?;
        }
        self.writer.end(&mut self.out)?;
        self.out.flush()?;
        Ok(Written { rows: self.written, has_more: self.has_more })
    }

    fn write(&mut self, row: Vec<Value>) -> io::Result<()> {
        if self.written == 0 {
            self.writer.begin(&mut self.out, &self.names)?;
        }
        self.writer.row(&mut self.out, row)
    }
}

impl Drop for Rows {
    fn drop(&mut self) {
        self.progress.finish_and_clear();
        if !self.is_ended && self.failed.is_none() && self.written > 0 {
            // Who cannot be told that is told of the error.
            let _ = self.writer.break_off(&mut self.out, self.written);
        }
    }
}

/// The values of a row, by the types that the compiler knows.
fn values(row: &dyn Row, types: &[Option<DbType>]) -> driver::Result<Vec<Value>> {
    if !types.is_empty() && types.len() != row.len() {
        let message = format!("a row has {} columns, and the statement {}", row.len(), types.len());
        return Err(Error::new(ErrorKind::Decode, message));
    }
    (0..row.len())
        .map(|index| row.value(index, types.get(index).copied().flatten()).map(truth(types.get(index))))
        .collect()
}

/// Engines without truth values keep them as 0 and 1.
fn truth(ty: Option<&Option<DbType>>) -> impl Fn(Value) -> Value {
    let is_truth = ty.copied().flatten() == Some(DbValueType::Boolean.into());
    move |value| match value {
        Value::Int(number @ (0 | 1)) if is_truth => Value::Bool(number == 1),
        value => value,
    }
}

/// How many rows there were, on a terminal that the rows do not go to.
fn progress() -> ProgressBar {
    if !io::stderr().is_terminal() || io::stdout().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {human_pos} rows in {elapsed} ({per_sec})") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
