//! What an expression means, computed over rows in memory: the answer that every engine must give.
//!
//! It is an interpreter of its own. It takes trees, values and the catalog as data, and shares nothing with the part of
//! the compiler that resolves, legalizes and renders. A meaning comes from the papers: SQL's three-valued logic, the
//! README's promises, the [functions' table](isogloss_compiler::functions). Where those are silent, the choice made
//! stands at the code that makes it. What it does not know it refuses, it never guesses; so it does with an answer that
//! is not determined, such as a page that cuts through rows that are equal in its order.
//!
//! - A comparison of texts is one of code points, case and blanks at the end counted: what a database with a binary
//!   collation does.
//! - A quotient of decimals, and an average of them, has 30 digits after the point. Engines have fewer: compare with
//!   [`Answer::near`].
//! - A whole number that does not fit 64 bits, and a decimal that does not fit 38 digits, is an error.
//! - Under a scope, the rows outside of it are not there, whatever asks for them.
//! - An item of a select list that has neither alias nor property has no name: the engines name it as they like.

mod aggregate;
mod date;
mod function;
mod logic;
mod number;
mod query;
mod scope;
mod select;
mod source;
mod text;
mod value;
mod window;
mod within;
mod write;

#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use isogloss_compiler::expr::{Expr, LogicExpr, SqlSegment, Value};
use isogloss_compiler::model::Catalog;
use isogloss_compiler::{Request, Verb};

use crate::data::{Answer, Data};
pub(crate) use scope::Kind;
use scope::Source;
pub use within::{Deleted, Filter, Whose, Within};

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The evaluator does not know it, or nothing determines it.
    Unsupported(String),
    /// Every engine must fail.
    Fault(String),
}

impl std::error::Error for Error {}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::Unsupported(why) => write!(f, "not evaluated: {why}"),
            Error::Fault(why) => write!(f, "an error on every engine: {why}"),
        }
    }
}

pub(crate) type Result<T> = std::result::Result<T, Error>;

pub(crate) fn unsupported<T>(why: impl Into<String>) -> Result<T> {
    Err(Error::Unsupported(why.into()))
}

pub(crate) fn fault<T>(why: impl Into<String>) -> Result<T> {
    Err(Error::Fault(why.into()))
}

/// The answer of a query over these rows. A write gives what its RETURNING does; [`execute`] changes the rows as well.
///
/// # Errors
/// What is not known here, and what must fail everywhere.
pub fn evaluate(catalog: &Catalog, data: &Data, expr: &Expr, request: &Request<'_>) -> Result<Answer> {
    Within::default().evaluate(catalog, data, expr, request)
}

/// What a write did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Written {
    /// How many rows it changed.
    pub rows: usize,
    /// What its RETURNING gives.
    pub returned: Answer,
}

/// Does to the rows what an INSERT, UPDATE or DELETE does.
///
/// # Errors
/// As [`evaluate`]; the rows stay as they are then.
pub fn execute(catalog: &Catalog, data: &mut Data, expr: &Expr) -> Result<Written> {
    Within::default().execute(catalog, data, expr)
}

/// An evaluation over one catalog and its rows.
pub(crate) struct Evaluator<'d> {
    catalog: &'d Catalog,
    data: &'d Data,
    request: Request<'d>,
    within: &'d Within,
    /// The common tables met so far, by their names in lower case.
    common: RefCell<HashMap<String, Rc<Common>>>,
    /// Whether only the columns of a query are asked for: then no table has a row.
    columns_only: Cell<bool>,
}

/// The rows of a common table, in their order.
pub(crate) struct Common {
    source: Source,
    rows: Vec<(Rc<[Value]>, Vec<Value>)>,
    order: Option<bool>,
}

impl<'d> Evaluator<'d> {
    fn new(catalog: &'d Catalog, data: &'d Data, request: Request<'d>, within: &'d Within) -> Self {
        Self { catalog, data, request, within, common: RefCell::default(), columns_only: Cell::new(false) }
    }

    /// The answer of the root query.
    fn answer(&self, query: Option<&SqlSegment>, filter: Option<&LogicExpr>) -> Result<Answer> {
        // How many rows there are, and whether there are any, is not a matter of their order; how many there are not
        // one of the page that is looked at.
        let query = match self.request.verb {
            Verb::Count => query.map(without_page),
            _ => query,
        };
        if self.request.verb != Verb::Select {
            self.as_many_as_its_table(query)?;
        }
        let mut found = self.chain(query, None)?;
        if let Some(filter) = filter {
            self.filter(&mut found, filter, None)?;
        }
        match self.request.verb {
            Verb::Select => found.answer(self),
            Verb::Count => {
                let count = i64::try_from(found.items.len()).unwrap_or(i64::MAX);
                Ok(Answer { columns: vec![String::new()], rows: vec![vec![count.into()]], ordered: true })
            }
            Verb::Exists => {
                let rows = if found.items.is_empty() { vec![] } else { vec![vec![Value::Int(1)]] };
                Ok(Answer { columns: vec![String::new()], rows, ordered: true })
            }
        }
    }
}

/// The query without the page and the order at its end, and without a plain select list over those.
fn without_page(query: &SqlSegment) -> &SqlSegment {
    let source = match query {
        SqlSegment::Section(node) => node.source.as_ref(),
        SqlSegment::OrderBy(node) => node.source.as_ref(),
        SqlSegment::Select(node) if select::is_plain(node) => {
            node.source.as_ref().filter(|source| matches!(source, SqlSegment::Section(_) | SqlSegment::OrderBy(_)))
        }
        _ => None,
    };
    source.map_or(query, without_page)
}
