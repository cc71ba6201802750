//! Compiled statements on MySQL and MariaDB connections of [diesel] and diesel-async.

use std::borrow::Cow;

use diesel::mysql::Mysql;
use diesel::mysql::data_types::{MysqlTime, MysqlTimestampType};
use diesel::mysql::sql_types::{Datetime, Unsigned};
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::result::QueryResult;
use diesel::sql_types::{BigInt, Binary, Double, Float, Nullable, Text, Time};
use isogloss_compiler::Compiled;
use isogloss_compiler::chrono::{Datelike, NaiveDateTime, NaiveTime, Timelike};
use isogloss_compiler::expr::{DbValueType as T, Value};
use isogloss_compiler::render::Parameter;
use isogloss_driver::diesel::Statement;
use isogloss_driver::{Error, ErrorKind, Result};

/// A parameter as the engines store it.
#[derive(Debug)]
pub struct Bind<'v>(Sent<'v>);

#[derive(Debug)]
enum Sent<'v> {
    Null,
    Int(i64),
    Unsigned(u64),
    Single(f32),
    Double(f64),
    Text(Cow<'v, str>),
    Bytes(&'v [u8]),
    DateTime(MysqlTime),
    Time(MysqlTime),
}

/// A compiled statement for a `MysqlConnection`, or an `AsyncMysqlConnection` of diesel-async.
///
/// Its texts reckon with a session whose time zone is UTC and whose modes are strict, and with `utf8mb4`.
///
/// # Errors
/// [`ErrorKind::BadValue`] for what the engines have no room for.
pub fn statement<'s>(compiled: &'s Compiled<'_>) -> Result<Statement<'s, Bind<'s>>> {
    let binds: Result<Vec<_>> = compiled.params.iter().map(bound).collect();
    Ok(Statement::new(&compiled.sql, binds.map_err(|error| error.with_statement(compiled))?))
}

fn bound<'v>(parameter: &'v Parameter<'_>) -> Result<Bind<'v>> {
    let bad = |why: String| Err(Error::new(ErrorKind::BadValue, why));
    Ok(Bind(match &*parameter.value {
        Value::Null => Sent::Null,
        Value::Bool(truth) => Sent::Int((*truth).into()),
        Value::Int(number) => Sent::Int(*number),
        Value::UInt(number) => Sent::Unsigned(*number),
        Value::Float(number) if !number.is_finite() => {
            return bad(format!("{number}: MySQL and MariaDB have no NaN and no infinities"));
        }
        // Beside a column of single floats a double equals none of them.
        #[allow(clippy::cast_possible_truncation, reason = "the nearest single float is meant")]
        Value::Float(number) if parameter.ty == Some(T::Single.into()) && (*number as f32).is_finite() => {
            Sent::Single(*number as f32)
        }
        Value::Float(number) => Sent::Double(*number),
        Value::Decimal(number) => Sent::Text(number.to_string().into()),
        Value::Text(text) => Sent::Text(text.as_str().into()),
        Value::Json(text) => Sent::Text((&**text).into()),
        Value::Bytes(bytes) => Sent::Bytes(bytes),
        Value::Uuid(id) => Sent::Text(id.to_string().into()),
        Value::Date(date) => date_time(date.and_time(NaiveTime::MIN))?,
        Value::Time(time) => Sent::Time(MysqlTime::new(
            0,
            0,
            0,
            time.hour(),
            time.minute(),
            time.second(),
            micros(time.nanosecond()).into(),
            false,
            MysqlTimestampType::MYSQL_TIMESTAMP_TIME,
            0,
        )),
        Value::DateTime(at) => date_time(*at)?,
        Value::DateTimeOffset(at) => date_time(at.naive_utc())?,
        other => return bad(format!("MySQL and MariaDB have nothing for a {}", other.kind())),
    }))
}

/// A date and time, to the microsecond.
fn date_time(at: NaiveDateTime) -> Result<Sent<'static>> {
    let Ok(year @ 1..=9999) = u32::try_from(at.year()) else {
        return Err(Error::new(ErrorKind::BadValue, format!("{at}: MySQL and MariaDB have the years 1 to 9999")));
    };
    Ok(Sent::DateTime(MysqlTime::new(
        year,
        at.month(),
        at.day(),
        at.hour(),
        at.minute(),
        at.second(),
        micros(at.nanosecond()).into(),
        false,
        MysqlTimestampType::MYSQL_TIMESTAMP_DATETIME,
        0,
    )))
}

/// A leap second, which has more than 1,000,000, is the last one of its minute.
fn micros(nanos: u32) -> u32 {
    (nanos / 1000).min(999_999)
}

impl QueryFragment<Mysql> for Bind<'_> {
    fn walk_ast<'b>(&'b self, mut pass: AstPass<'_, 'b, Mysql>) -> QueryResult<()> {
        match &self.0 {
            Sent::Null => pass.push_bind_param_value_only::<Nullable<Text>, Option<&str>>(&None),
            Sent::Int(number) => pass.push_bind_param_value_only::<BigInt, _>(number),
            Sent::Unsigned(number) => pass.push_bind_param_value_only::<Unsigned<BigInt>, _>(number),
            Sent::Single(number) => pass.push_bind_param_value_only::<Float, _>(number),
            Sent::Double(number) => pass.push_bind_param_value_only::<Double, _>(number),
            Sent::Text(text) => pass.push_bind_param_value_only::<Text, str>(text),
            Sent::Bytes(bytes) => pass.push_bind_param_value_only::<Binary, [u8]>(bytes),
            Sent::DateTime(at) => pass.push_bind_param_value_only::<Datetime, _>(at),
            Sent::Time(time) => pass.push_bind_param_value_only::<Time, _>(time),
        }
    }
}
