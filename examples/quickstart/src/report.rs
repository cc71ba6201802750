//! What the program prints, part by part.

use std::error::Error;
use std::io::{self, Write};
use std::time::Duration;

use console::style;
use isogloss::Compiler;
use isogloss::dialect::Dialect;
use isogloss::expr::{Expr, Value};

use crate::{layout, query, table};

/// How far a part stands under its heading.
const INDENT: usize = 2;

/// Prints a query.
pub(crate) struct Report<'a> {
    pub(crate) out: &'a mut dyn Write,
    pub(crate) compiler: &'a Compiler,
    pub(crate) query: &'a Expr,
    /// The columns of the terminal. What goes elsewhere is not broken over lines.
    pub(crate) width: Option<u16>,
}

impl Report<'_> {
    /// What is asked, and its filter as JSON.
    pub(crate) fn question(&mut self, question: &str, tree: &str) -> io::Result<()> {
        self.heading("question")?;
        self.part(&folded(question, self.room()))?;
        self.heading("filter, as JSON")?;
        self.part(&layout::json(tree, self.room()))
    }

    /// The SQL for a dialect, what is bound to it, and what was expressed by something else. A refusal is shown in its place.
    pub(crate) fn sql(&mut self, dialect: &dyn Dialect) -> Result<(), Box<dyn Error>> {
        self.heading(&dialect.label())?;
        let compiled = match self.compiler.compile(self.query, dialect) {
            Err(error) if error.is_refused() => return Ok(self.part(&error.to_string())?),
            compiled => compiled?,
        };
        self.part(&layout::painted(&layout::sql(&compiled.pretty(), self.room())))?;
        for (number, parameter) in (1..).zip(&compiled.params) {
            self.part(&format!("{} = {}", style(query::placeholder(dialect, number)).yellow(), parameter))?;
        }
        for note in &compiled.notes {
            self.part(&style(folded(&format!("note: {note}"), self.room())).dim().to_string())?;
        }
        Ok(())
    }

    /// The rows, and how long they took.
    pub(crate) fn rows(&mut self, columns: &[&str], rows: &[&[Value]], elapsed: Duration) -> io::Result<()> {
        writeln!(self.out)?;
        table::write(&mut self.out, columns, rows, elapsed, self.width)
    }

    /// Which engine lacks what: a line for each rule, a column for each dialect.
    pub(crate) fn rules(&mut self, dialects: &[Box<dyn Dialect>]) -> Result<(), Box<dyn Error>> {
        let mut rules: Vec<(String, Vec<bool>)> = Vec::new();
        let mut refusals = Vec::new();
        for (column, dialect) in dialects.iter().enumerate() {
            let compiled = match self.compiler.compile(self.query, &**dialect) {
                Err(error) if error.is_refused() => {
                    refusals.push(error.to_string());
                    continue;
                }
                compiled => compiled?,
            };
            for note in &compiled.notes {
                let rule = note.rule.to_string();
                let place = rules.iter().position(|(known, _)| *known == rule).unwrap_or_else(|| {
                    rules.push((rule, vec![false; dialects.len()]));
                    rules.len() - 1
                });
                if let Some(mark) = rules.get_mut(place).and_then(|(_, marks)| marks.get_mut(column)) {
                    *mark = true;
                }
            }
        }
        self.heading("each engine: ● where it lacks something, and a rule stands for it")?;
        let longest = rules.iter().map(|(rule, _)| rule.len()).max().unwrap_or(0);
        let names: Vec<&str> = dialects.iter().map(|dialect| dialect.sheet().name).collect();
        self.part(&format!("{:longest$}  {}", "", names.join("  ")))?;
        for (rule, marks) in rules {
            let cells =
                names.iter().zip(marks).map(|(name, mark)| format!("{:^1$}", if mark { "●" } else { "·" }, name.len()));
            self.part(format!("{rule:longest$}  {}", cells.collect::<Vec<_>>().join("  ")).trim_end())?;
        }
        for refusal in refusals {
            self.part(&folded(&refusal, self.room()))?;
        }
        let hint = "`--dialect all` shows their SQL with its notes, `--help` how to ask something else.";
        Ok(writeln!(self.out, "\n{hint}")?)
    }

    /// The columns that a part may have.
    fn room(&self) -> usize {
        self.width.map_or(usize::MAX, |width| usize::from(width).saturating_sub(INDENT).max(20))
    }

    fn heading(&mut self, text: &str) -> io::Result<()> {
        let before = if text == "question" { "" } else { "\n" };
        writeln!(self.out, "{before}{}", style(text).bold())
    }

    fn part(&mut self, text: &str) -> io::Result<()> {
        text.lines().try_for_each(|line| writeln!(self.out, "{:INDENT$}{line}", ""))
    }
}

/// Words over as many lines as they need.
fn folded(text: &str, width: usize) -> String {
    let mut lines = String::new();
    let mut used = 0;
    for word in text.split(' ') {
        let wide = console::measure_text_width(word);
        match used {
            0 => used = wide,
            _ if used + 1 + wide > width => {
                lines.push('\n');
                used = wide;
            }
            _ => {
                lines.push(' ');
                used += 1 + wide;
            }
        }
        lines.push_str(word);
    }
    lines
}
