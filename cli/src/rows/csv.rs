//! Rows as CSV: RFC 4180 with the line ends of Unix, and a header.

use std::io::{self, BufWriter, Stdout, Write as _};

use isogloss::expr::Value;

use super::{Writer, plain};
use crate::output::data;

#[derive(Debug)]
pub(super) struct CsvRows;

impl Writer for CsvRows {
    fn begin(&mut self, out: &mut BufWriter<Stdout>, names: &[String]) -> io::Result<()> {
        if names.is_empty() { Ok(()) } else { record(out, names.iter().cloned()) }
    }

    fn row(&mut self, out: &mut BufWriter<Stdout>, row: Vec<Value>) -> io::Result<()> {
        record(out, row.iter().map(|value| plain::text(value).unwrap_or_default()))
    }

    fn end(&mut self, _: &mut BufWriter<Stdout>) -> io::Result<()> {
        Ok(())
    }

    fn break_off(&mut self, out: &mut BufWriter<Stdout>, written: usize) -> io::Result<()> {
        writeln!(out, "# incomplete: {written} rows, and an error")
    }
}

fn record(out: &mut BufWriter<Stdout>, fields: impl Iterator<Item = String>) -> io::Result<()> {
    let fields: Vec<String> = fields.map(|field| data(&field).into_owned()).collect();
    let mut csv = csv::WriterBuilder::new().buffer_capacity(1024).from_writer(out);
    csv.write_record(fields).map_err(io::Error::from)?;
    csv.flush()
}
