//! Rows: what the tables of a catalog hold, and what a query answers.

use std::cmp::Ordering;
use std::fmt;

use isogloss_compiler::expr::{DbType, Decimal, Value};
use isogloss_driver::{Flow, Result, Row, RowSink};

/// The rows of one table of a catalog.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableData {
    /// The entity.
    pub entity: String,
    /// The properties that the rows have values for.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Value>>,
}

impl TableData {
    /// The place of a property in the rows; case does not matter.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.eq_ignore_ascii_case(name))
    }
}

/// The rows of a database.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Data {
    /// The tables, those that others refer to first.
    pub tables: Vec<TableData>,
}

impl Data {
    /// The rows of an entity; case does not matter.
    #[must_use]
    pub fn table(&self, entity: &str) -> Option<&TableData> {
        self.tables.iter().find(|table| table.entity.eq_ignore_ascii_case(entity))
    }

    /// The same, to be changed.
    pub fn table_mut(&mut self, entity: &str) -> Option<&mut TableData> {
        self.tables.iter_mut().find(|table| table.entity.eq_ignore_ascii_case(entity))
    }
}

impl FromIterator<TableData> for Data {
    fn from_iter<I: IntoIterator<Item = TableData>>(tables: I) -> Self {
        Self { tables: tables.into_iter().collect() }
    }
}

/// What a query gives.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// The names of the columns. One that is expected without a name may have any.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Value>>,
    /// Whether the order of the rows is determined.
    pub ordered: bool,
}

/// How two answers differ.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Difference {
    /// Other columns.
    Columns {
        /// The names that are expected.
        expected: Vec<String>,
        /// The names that came.
        actual: Vec<String>,
    },
    /// A row of an ordered answer.
    Row {
        /// Its number, from 0.
        index: usize,
        /// What is expected; `None`: no such row.
        expected: Option<Vec<Value>>,
        /// What came; `None`: no such row.
        actual: Option<Vec<Value>>,
    },
    /// Rows of an answer without an order.
    Rows {
        /// What is expected and did not come.
        missing: Vec<Vec<Value>>,
        /// What came and is not expected.
        extra: Vec<Vec<Value>>,
    },
}

impl std::error::Error for Difference {}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Columns { expected, actual } => write!(f, "columns {expected:?} expected, {actual:?} came"),
            Difference::Row { index, expected, actual } => {
                let row = |row: &Option<Vec<Value>>| row.as_ref().map_or("no row".to_owned(), |row| show(row));
                write!(f, "row {index}: {} expected, {} came", row(expected), row(actual))
            }
            Difference::Rows { missing, extra } => {
                let rows = |rows: &[Vec<Value>]| rows.iter().map(|row| show(row)).collect::<Vec<_>>().join(" ");
                match (missing.as_slice(), extra.as_slice()) {
                    (missing, []) => write!(f, "missing: {}", rows(missing)),
                    ([], extra) => write!(f, "not expected: {}", rows(extra)),
                    (missing, extra) => write!(f, "missing: {}; not expected: {}", rows(missing), rows(extra)),
                }
            }
        }
    }
}

/// A row as a message shows it.
fn show(row: &[Value]) -> String {
    format!("{row:?}")
}

/// How exactly decimals must agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Digits {
    All,
    Doubles,
}

/// How far two floats that are the same may be from each other, in parts of the greater one.
const TOLERANCE: f64 = 1e-12;

impl Answer {
    /// The types that its values have, as far as they tell: what an engine's rows are read as. SQLite keeps a date as
    /// text, SQL Server a truth value as a number.
    #[must_use]
    pub fn types(&self) -> Vec<Option<DbType>> {
        let of = |index: usize| {
            let mut values = self.rows.iter().filter_map(|row| row.get(index)?.natural_type());
            values.next().map(DbType::from)
        };
        (0..self.columns.len()).map(of).collect()
    }

    /// Whether `other` is what this answer expects: row for row where the order is determined, in any order elsewhere.
    ///
    /// Numbers are compared by their value, floats to 12 digits, dates and times to the microsecond, JSON as documents.
    /// Where a truth value is expected, 0 and 1 are taken for it. Case makes no difference in the names of columns.
    ///
    /// # Errors
    /// The first difference of ordered rows, all rows that have no partner of others.
    pub fn same(&self, other: &Answer) -> std::result::Result<(), Difference> {
        self.compare(other, Digits::All)
    }

    /// The same, where decimals agree to 12 digits only: for quotients, whose digits are the engine's, and for engines
    /// that keep decimals as doubles.
    ///
    /// # Errors
    /// As [`same`](Self::same).
    pub fn near(&self, other: &Answer) -> std::result::Result<(), Difference> {
        self.compare(other, Digits::Doubles)
    }

    fn compare(&self, other: &Answer, digits: Digits) -> std::result::Result<(), Difference> {
        let named = |(a, b): (&String, &String)| a.is_empty() || a.eq_ignore_ascii_case(b);
        if self.columns.len() != other.columns.len() || !self.columns.iter().zip(&other.columns).all(named) {
            let (expected, actual) = (self.columns.clone(), other.columns.clone());
            return Err(Difference::Columns { expected, actual });
        }
        let same = |a: &[Value], b: &[Value]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| agree(a, b, digits));
        if self.ordered {
            for index in 0..self.rows.len().max(other.rows.len()) {
                let (expected, actual) = (self.rows.get(index), other.rows.get(index));
                if !matches!((expected, actual), (Some(a), Some(b)) if same(a, b)) {
                    return Err(Difference::Row { index, expected: expected.cloned(), actual: actual.cloned() });
                }
            }
            return Ok(());
        }
        // Sorted, most rows stand beside their partners; those that do not (a tolerance is no order) are looked for.
        let sorted = |rows: &[Vec<Value>]| {
            let mut rows = rows.to_vec();
            rows.sort_by(|a, b| order_rows(a, b));
            rows
        };
        let (expected, mut extra) = (sorted(&self.rows), sorted(&other.rows));
        if expected.len() == extra.len() && expected.iter().zip(&extra).all(|(a, b)| same(a, b)) {
            return Ok(());
        }
        let mut missing = Vec::new();
        for row in expected {
            match extra.iter().position(|candidate| same(&row, candidate)) {
                Some(at) => {
                    extra.remove(at);
                }
                None => missing.push(row),
            }
        }
        if missing.is_empty() && extra.is_empty() { Ok(()) } else { Err(Difference::Rows { missing, extra }) }
    }
}

/// Returns whether two values are the same, as [`Answer::near`] takes them.
pub(crate) fn agrees(expected: &Value, actual: &Value) -> bool {
    agree(expected, actual, Digits::Doubles)
}

/// Whether an engine's value is what is expected.
fn agree(expected: &Value, actual: &Value, digits: Digits) -> bool {
    match (expected, actual) {
        (Value::Bool(truth), Value::Int(number)) => *number == i64::from(*truth),
        (Value::Float(_), _) | (_, Value::Float(_)) => near(number(expected), number(actual)),
        (Value::Decimal(_), _) if digits == Digits::Doubles => near(number(expected), number(actual)),
        (Value::Json(a), Value::Json(b)) => documents_agree(a, b),
        (Value::DateTime(a), Value::DateTime(b)) => a.and_utc().timestamp_micros() == b.and_utc().timestamp_micros(),
        (Value::DateTimeOffset(a), Value::DateTimeOffset(b)) => a.timestamp_micros() == b.timestamp_micros(),
        (a, b) => a == b,
    }
}

/// Whether two texts are one JSON document: blanks, the order of an object's names and how a number is written make no
/// difference.
fn documents_agree(a: &str, b: &str) -> bool {
    let document = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    match (document(a), document(b)) {
        (Some(a), Some(b)) => json_agrees(&a, &b),
        _ => false,
    }
}

fn json_agrees(a: &serde_json::Value, b: &serde_json::Value) -> bool {
    use serde_json::Value::{Array, Number, Object};
    match (a, b) {
        (Number(a), Number(b)) => a == b || near(a.as_f64(), b.as_f64()),
        (Array(a), Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| json_agrees(a, b)),
        (Object(a), Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| json_agrees(a, b)))
        }
        (a, b) => a == b,
    }
}

fn near(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()),
        _ => false,
    }
}

#[allow(clippy::cast_precision_loss, reason = "a double is asked for")]
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::UInt(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        Value::Decimal(number) => Some(Decimal::to_f64(number)),
        _ => None,
    }
}

/// An order that puts rows beside those that they may agree with.
fn order_rows(a: &[Value], b: &[Value]) -> Ordering {
    let cells = a.iter().zip(b).map(|(a, b)| rank(a).cmp(&rank(b)).then_with(|| order(a, b)));
    cells.fold(Ordering::Equal, Ordering::then)
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) | Value::Int(_) | Value::UInt(_) | Value::Float(_) | Value::Decimal(_) => 1,
        _ => 2,
    }
}

fn order(a: &Value, b: &Value) -> Ordering {
    let number = |value: &Value| match value {
        Value::Bool(truth) => Some(f64::from(*truth)),
        other => number(other),
    };
    match (a, b, number(a), number(b)) {
        (Value::Null, Value::Null, ..) => Ordering::Equal,
        (_, _, Some(a), Some(b)) => a.total_cmp(&b),
        (Value::Text(a), Value::Text(b), ..) => a.cmp(b),
        // What is left has no document to be compared by, or one text for one value.
        (Value::Json(_), Value::Json(_), ..) => Ordering::Equal,
        (a, b, ..) => format!("{a:?}").cmp(&format!("{b:?}")),
    }
}

/// Gathers the rows of a query, each column as the type that is expected of it, or as the engine has it.
#[derive(Debug, Clone, Default)]
pub struct Reader {
    types: Vec<Option<DbType>>,
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
}

impl Reader {
    /// A reader of an answer that is expected: of columns of its types.
    #[must_use]
    pub fn of(expected: &Answer) -> Self {
        Self { types: expected.types(), columns: expected.columns.clone(), rows: Vec::new() }
    }

    /// A reader of columns of these types.
    #[must_use]
    pub fn typed(types: Vec<Option<DbType>>, columns: Vec<String>) -> Self {
        Self { types, columns, rows: Vec::new() }
    }

    /// What was read. Without a row nobody told the names of the columns: they are those that are expected.
    #[must_use]
    pub fn into_answer(self) -> Answer {
        Answer { columns: self.columns, rows: self.rows, ordered: true }
    }
}

impl RowSink for Reader {
    fn row(&mut self, row: &dyn Row) -> Result<Flow> {
        if self.rows.is_empty() {
            self.columns = (0..row.len()).map(|index| row.name(index).unwrap_or_default().to_owned()).collect();
        }
        let value = |index: usize| row.value(index, self.types.get(index).copied().flatten());
        self.rows.push((0..row.len()).map(value).collect::<Result<_>>()?);
        Ok(Flow::More)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(ordered: bool, rows: &[&[Value]]) -> Answer {
        let columns = (0..rows.first().map_or(0, |row| row.len())).map(|n| format!("c{n}")).collect();
        Answer { columns, rows: rows.iter().map(|row| row.to_vec()).collect(), ordered }
    }

    fn decimal(text: &str) -> Value {
        Value::from(text.parse::<Decimal>().unwrap())
    }

    fn json(text: &str) -> Value {
        Value::Json(text.into())
    }

    #[test]
    fn an_order_counts_where_it_is_determined() {
        let (one, two) = ([Value::from(1)], [Value::from(2)]);
        let (there, back) = ([&one[..], &two[..]], [&two[..], &one[..]]);
        assert!(answer(false, &there).same(&answer(false, &back)).is_ok());
        assert!(answer(true, &there).same(&answer(true, &back)).is_err());
        assert!(answer(true, &there).same(&answer(true, &there[..1])).is_err());
    }

    #[test]
    fn rows_count_as_often_as_they_come() {
        let (one, two) = ([Value::from(1)], [Value::Null]);
        let expected = answer(false, &[&one, &one, &two]);
        let difference = expected.same(&answer(false, &[&one, &two, &two])).unwrap_err();
        assert_eq!(difference, Difference::Rows { missing: vec![one.to_vec()], extra: vec![two.to_vec()] });
    }

    #[test]
    fn values_agree_by_what_they_mean() {
        let agrees = |a: &Value, b: &Value| {
            answer(true, &[std::slice::from_ref(a)]).same(&answer(true, &[std::slice::from_ref(b)])).is_ok()
        };
        assert!(agrees(&decimal("1.0"), &decimal("1.00")) && agrees(&1.into(), &decimal("1.00")));
        assert!(!agrees(&decimal("0.3"), &decimal("0.30000000000000004")));
        assert!(agrees(&0.3.into(), &0.300_000_000_000_000_04.into()) && !agrees(&0.3.into(), &0.300_000_001.into()));
        assert!(
            agrees(&true.into(), &1.into()) && !agrees(&true.into(), &2.into()) && !agrees(&1.into(), &true.into())
        );
        assert!(agrees(&json(r#"{"a": 1, "b": [true, null]}"#), &json(r#"{"b":[true,null],"a":1.0}"#)));
        assert!(!agrees(&json("[1, 2]"), &json("[2, 1]")) && !agrees(&json("[]"), &json("{}")));
        assert!(
            !agrees(&Value::Null, &0.into()) && !agrees(&"".into(), &Value::Null) && !agrees(&"a".into(), &"A".into())
        );
    }

    #[test]
    fn doubles_stand_for_decimals_where_that_is_asked() {
        let (third, sum) = ([decimal("0.3")], [decimal("0.30000000000000004")]);
        let (expected, actual) = (answer(false, &[&third]), answer(false, &[&sum]));
        assert!(expected.same(&actual).is_err() && expected.near(&actual).is_ok());
        assert!(expected.near(&answer(false, &[&[decimal("0.31")]])).is_err());
    }

    #[test]
    fn json_finds_its_row_in_any_order() {
        let rows = |a: &str, b: &str| answer(false, &[&[json(a)], &[json(b)]]);
        assert!(rows(r#"{"a":1,"b":2}"#, "[1]").same(&rows("[1]", r#"{"b":2,"a":1}"#)).is_ok());
    }
}
