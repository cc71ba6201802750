//! A connection that answers from rows that are given, for engines that do not run here.

use std::time::Duration;

use isogloss_compiler::chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime};
use isogloss_compiler::expr::{Decimal, Value};
use isogloss_compiler::uuid::Uuid;
use isogloss_compiler::{BulkInsert, Compiled};
use isogloss_driver::{
    BoxFuture, Connection, Cursor, Error, ErrorKind, Flow, Kind, Result, Row, RowSink, RowSource, TransactionOptions,
};

/// Statements, and the rows that each is answered by.
#[derive(Debug, Default)]
pub struct Recorded(Vec<(String, Vec<Vec<Value>>)>);

impl Recorded {
    /// Answers a statement of that text.
    pub fn answer(mut self, sql: &str, rows: Vec<Vec<Value>>) -> Self {
        self.0.push((sql.to_owned(), rows));
        self
    }
}

/// What nothing is recorded of.
fn unknown<T>(what: &str) -> Result<T> {
    Err(Error::new(ErrorKind::Other, format!("nothing is recorded of {what}")))
}

fn never<T: Send>(what: &'static str) -> BoxFuture<'static, Result<T>> {
    Box::pin(async move { unknown(what) })
}

impl Connection for Recorded {
    fn query<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        mut sink: Box<dyn RowSink>,
    ) -> BoxFuture<'c, Result<Box<dyn RowSink>>> {
        Box::pin(async move {
            let Some((_, rows)) = self.0.iter().find(|(sql, _)| *sql == *statement.sql) else {
                return unknown(&statement.sql);
            };
            for row in rows {
                if matches!(sink.row(&Values(row))?, Flow::Enough) {
                    break;
                }
            }
            Ok(sink)
        })
    }

    fn execute<'c>(&'c mut self, _: &'c Compiled<'_>) -> BoxFuture<'c, Result<u64>> {
        never("a write")
    }

    fn open<'c>(&'c mut self, _: &'c Compiled<'_>) -> BoxFuture<'c, Result<Box<dyn Cursor + 'c>>> {
        Box::pin(async { unknown("a cursor") })
    }

    fn execute_many<'c>(&'c mut self, _: &'c Compiled<'_>, _: Box<dyn RowSource>) -> BoxFuture<'c, Result<u64>> {
        never("writes")
    }

    fn bulk_insert<'c>(&'c mut self, _: &'c BulkInsert, _: Box<dyn RowSource>) -> BoxFuture<'c, Result<u64>> {
        never("a bulk insert")
    }

    fn bulk_insert_keys<'c>(
        &'c mut self,
        _: &'c BulkInsert,
        _: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<Vec<Value>>> {
        never("a bulk insert")
    }

    fn script<'c>(&'c mut self, _: &'c str) -> BoxFuture<'c, Result<()>> {
        never("a script")
    }

    fn begin<'c>(&'c mut self, _: &'c TransactionOptions) -> BoxFuture<'c, Result<()>> {
        never("a transaction")
    }

    fn commit(&mut self) -> BoxFuture<'_, Result<()>> {
        never("a transaction")
    }

    fn rollback(&mut self) -> BoxFuture<'_, Result<()>> {
        never("a transaction")
    }

    fn depth(&self) -> u32 {
        0
    }

    fn set_statement_timeout(&mut self, _: Option<Duration>) -> BoxFuture<'_, Result<()>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn ping(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn close(&mut self) {}
}

/// A row of values, each read as what it is.
struct Values<'r>(&'r [Value]);

macro_rules! reads {
    ($($name:ident, $ty:ty, $wanted:literal, $pattern:pat => $value:expr;)*) => {$(
        fn $name(&self, index: usize) -> Result<Option<$ty>> {
            match self.at(index)? {
                Value::Null => Ok(None),
                $pattern => Ok(Some($value)),
                _ => Err(self.bad(index, $wanted)),
            }
        }
    )*};
}

impl Values<'_> {
    fn at(&self, index: usize) -> Result<&Value> {
        self.0.get(index).map_or_else(|| unknown(&format!("column {index}")), Ok)
    }
}

impl Row for Values<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn name(&self, _: usize) -> Option<&str> {
        None
    }

    fn kind(&self, index: usize) -> Result<Kind> {
        Ok(match self.at(index)? {
            Value::Null => Kind::Null,
            Value::Int(_) => Kind::Int,
            Value::Text(_) => Kind::Text,
            _ => Kind::Other,
        })
    }

    reads! {
        bool, bool, "a truth value", Value::Bool(value) => *value;
        i64, i64, "a whole number", Value::Int(value) => *value;
        f64, f64, "a number", Value::Float(value) => *value;
        decimal, Decimal, "a decimal", Value::Decimal(value) => **value;
        text, &str, "a text", Value::Text(value) => value.as_str();
        bytes, &[u8], "bytes", Value::Bytes(value) => value;
        date, NaiveDate, "a date", Value::Date(value) => *value;
        time, NaiveTime, "a time", Value::Time(value) => *value;
        datetime, NaiveDateTime, "a date and time", Value::DateTime(value) => *value;
        datetime_offset, DateTime<FixedOffset>, "a date and time", Value::DateTimeOffset(value) => *value;
        uuid, Uuid, "a UUID", Value::Uuid(value) => *value;
    }

    fn own_value(&self, index: usize) -> Result<Value> {
        self.at(index).cloned()
    }
}
