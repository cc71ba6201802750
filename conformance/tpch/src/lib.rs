//! TPC-H: the 22 queries of the standard as trees, beside the standard's own texts.
//!
//! The tables are those of TPC-H 3.0.1 (<https://www.tpc.org/tpch/>), filled by its generator, and the queries have the
//! parameters by which the standard validates an implementation. A tree says the same as its text in the way in which a
//! program would: a view's columns bring their joins along, an EXISTS follows a relation of the catalog.
//!
//! The texts are those of the [generator's package](tpchgen::q_and_a::queries), with the parameters filled in. Where an
//! engine lacks the standard's syntax, a query names what is written in its place, and why.

mod answer;
mod catalog;
mod load;
mod standard;

mod q01;
mod q02;
mod q03;
mod q04;
mod q05;
mod q06;
mod q07;
mod q08;
mod q09;
mod q10;
mod q11;
mod q12;
mod q13;
mod q14;
mod q15;
mod q16;
mod q17;
mod q18;
mod q19;
mod q20;
mod q21;
mod q22;

use std::str::FromStr;

use chrono::NaiveDate;
use isogloss_compiler::expr::{Decimal, Expr, Value, ValueExpr, ValueTypeExpr, constant, prop, value};

pub use answer::{Answer, difference, difference_from_published};
pub use catalog::catalog;
pub use load::{Rows, load, tables};
pub use standard::Adapted;

/// The scale of the tests: 60,000 lines, what every engine answers in seconds.
pub const SCALE: f64 = 0.01;

/// A query of the standard.
#[derive(Debug)]
pub struct Query {
    /// Its number, from 1.
    pub number: u8,
    /// The query as a tree.
    pub expr: Expr,
    /// What stands for `:1`, `:2`, ... in the standard's text.
    pub parameters: Vec<String>,
    /// How many rows are taken at most, where the standard limits them. It leaves the syntax to the engine.
    pub limit: Option<u64>,
    /// What engines spell otherwise than the standard.
    pub adapted: Vec<Adapted>,
    /// The columns of the answer that it is ordered by; rows that are equal in them stand in any order.
    pub order: &'static [usize],
}

/// The 22 queries for data of that scale.
#[must_use]
pub fn queries(scale: f64) -> Vec<Query> {
    vec![
        q01::query(),
        q02::query(),
        q03::query(),
        q04::query(),
        q05::query(),
        q06::query(),
        q07::query(),
        q08::query(scale),
        q09::query(),
        q10::query(),
        q11::query(scale),
        q12::query(),
        q13::query(),
        q14::query(),
        q15::query(),
        q16::query(),
        q17::query(scale),
        q18::query(),
        q19::query(),
        q20::query(),
        q21::query(),
        q22::query(),
    ]
}

impl Query {
    /// Its name: `q01` to `q22`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("q{:02}", self.number)
    }

    fn new(number: u8, parameters: &[&str], expr: impl Into<Expr>) -> Self {
        let parameters = parameters.iter().map(|&text| text.to_owned()).collect();
        Self { number, expr: expr.into(), parameters, limit: None, adapted: Vec::new(), order: &[] }
    }

    fn limit(self, rows: u64) -> Self {
        Self { limit: Some(rows), ..self }
    }

    fn adapted(mut self, on: &'static [&'static str], from: &'static str, to: &'static str) -> Self {
        self.adapted.push(Adapted { on, from, to });
        self
    }

    fn order(self, columns: &'static [usize]) -> Self {
        Self { order: columns, ..self }
    }
}

/// Whether the data is so small that it has no answer to some of the standard's parameters. The queries have others then,
/// which the standard allows as well.
fn is_small(scale: f64) -> bool {
    scale < 0.1
}

/// What a line costs after its discount.
fn discounted() -> ValueTypeExpr {
    prop("ExtendedPrice") * (constant(1) - prop("Discount"))
}

/// A date of the standard's parameters.
fn date(text: &str) -> ValueExpr {
    parsed::<NaiveDate>(text)
}

/// An exact number of the standard's parameters.
fn decimal(text: &str) -> ValueExpr {
    parsed::<Decimal>(text)
}

/// A text that is none of its type becomes NULL, and the query gives another answer than the standard's.
fn parsed<V: FromStr + Into<Value>>(text: &str) -> ValueExpr {
    value(text.parse::<V>().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalog_is_correct_and_there_are_22_queries() {
        assert_eq!(catalog().unwrap().entities().count(), 8 + 3);
        let numbers: Vec<u8> = queries(SCALE).iter().map(|query| query.number).collect();
        assert_eq!(numbers, (1..=22).collect::<Vec<_>>());
    }

    #[test]
    fn every_query_can_be_sent_as_json() {
        for query in queries(SCALE) {
            let text = isogloss_compiler::json::to_string(&query.expr);
            assert_eq!(isogloss_compiler::json::from_str(&text).unwrap(), query.expr, "Q{}", query.number);
        }
    }

    #[test]
    fn parameters_are_read() {
        assert_eq!(date("1998-12-01").value, Value::Date(NaiveDate::from_ymd_opt(1998, 12, 1).unwrap()));
        assert_eq!(decimal("0.05").value.to_decimal(), Some(Decimal::new(5, 2).unwrap()));
    }
}
