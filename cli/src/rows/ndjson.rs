//! Rows as JSON objects, one a line.

use std::io::{self, BufWriter, Stdout, Write as _};

use isogloss::expr::Value;

use super::{Writer, plain};
use crate::output::data;

#[derive(Debug, Default)]
pub(super) struct NdjsonRows {
    /// The names in quotes.
    names: Vec<String>,
    line: String,
}

impl Writer for NdjsonRows {
    fn begin(&mut self, _: &mut BufWriter<Stdout>, names: &[String]) -> io::Result<()> {
        self.names = names.iter().map(|name| plain::quoted(name)).collect();
        Ok(())
    }

    fn row(&mut self, out: &mut BufWriter<Stdout>, row: Vec<Value>) -> io::Result<()> {
        self.line.clear();
        for (name, value) in self.names.iter().zip(&row) {
            self.line.push(if self.line.is_empty() { '{' } else { ',' });
            self.line.push_str(name);
            self.line.push(':');
            plain::json(value, &mut self.line);
        }
        self.line.push('}');
        writeln!(out, "{}", data(&self.line))
    }

    fn end(&mut self, _: &mut BufWriter<Stdout>) -> io::Result<()> {
        Ok(())
    }

    fn break_off(&mut self, out: &mut BufWriter<Stdout>, written: usize) -> io::Result<()> {
        writeln!(out, r#"{{"$incomplete":{{"rows":{written}}}}}"#)
    }
}
