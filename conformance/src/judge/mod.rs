//! Judges of the texts for engines that are not at hand.
//!
//! [`structure`] says what is wrong with a statement that a grammar takes and its engine does not: it knows the limits
//! of every dialect, and more of SQL Server and Oracle. [`Judge`] is a grammar: a program that is asked about one
//! statement after the other.

mod gaps;
mod group;
mod limits;
mod names;
mod oracle;
mod outline;
mod process;
mod query;
mod scope;
mod sqlserver;
mod structure;
mod token;
mod tree;

use std::fmt;

use isogloss_compiler::Compiled;
use isogloss_compiler::dialect::Dialect;

pub use process::{Judge, JudgeError};

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What the engine does not take.
    pub what: &'static str,
    /// The part of the text.
    pub part: String,
}

impl Finding {
    fn new(what: &'static str, part: impl Into<String>) -> Self {
        Finding { what, part: part.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.part)
    }
}

/// What is wrong with a statement, as far as its text tells.
pub fn structure(dialect: &dyn Dialect, compiled: &Compiled<'_>) -> Vec<Finding> {
    findings(dialect, &compiled.sql, compiled.params.len(), compiled.outputs.len())
}

/// What is wrong with a text that has so many parameters, and behind them so many outputs.
fn findings(dialect: &dyn Dialect, sql: &str, parameters: usize, outputs: usize) -> Vec<Finding> {
    let mut found = Vec::new();
    let tokens = match token::tokens(dialect, sql) {
        Ok(tokens) => tokens,
        Err(rest) => return vec![Finding::new("a literal, a name or a comment has no end", rest)],
    };
    limits::check(dialect, &tokens, parameters, outputs, &mut found);
    let nodes = match tree::tree(&tokens) {
        Ok(nodes) => nodes,
        Err(bracket) => {
            found.push(Finding::new("a bracket or CASE has no partner", bracket));
            return found;
        }
    };
    let outline = match dialect.sheet().name {
        "sqlserver" | "oracle" => outline::Outline::new(&nodes),
        _ => return found,
    };
    limits::lists(dialect, &outline, &mut found);
    let booleans = dialect.sheet().name == "oracle" && dialect.version() >= oracle::V23;
    structure::check(booleans, &nodes, &outline, &mut found);
    match dialect.sheet().name {
        "sqlserver" => sqlserver::check(&tokens, &nodes, &outline, &mut found),
        _ => oracle::check(dialect.version(), &tokens, &outline, &mut found),
    }
    found
}

/// Holds that a text has the one finding that is meant, and that the text beside it, which is right, has none.
#[cfg(test)]
fn assert_found(dialect: &dyn Dialect, wrong: &[(&str, &str)], right: &[&str]) {
    let of = |sql: &str| {
        let tokens = token::tokens(dialect, sql).unwrap_or_default();
        let parameters =
            tokens.iter().filter(|token| token.kind == token::TokenKind::Parameter).map(|token| token.text);
        let parameters = parameters.collect::<std::collections::HashSet<_>>().len();
        findings(dialect, sql, parameters, 0).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    for (sql, finding) in wrong {
        assert_eq!(of(sql), [*finding], "{sql}");
    }
    for sql in right {
        assert_eq!(of(sql), [] as [&str; 0], "{sql}");
    }
}
