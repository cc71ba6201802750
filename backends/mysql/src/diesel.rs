//! Compiled statements on MySQL and MariaDB connections of [diesel] and diesel-async.

use diesel::mysql::Mysql;
use diesel::mysql::data_types::{MysqlTime, MysqlTimestampType};
use diesel::mysql::sql_types::{Datetime, Unsigned};
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::result::QueryResult;
use diesel::sql_types::{BigInt, Binary, Double, Float, Nullable, Text, Time};
use isogloss_compiler::Compiled;
use isogloss_compiler::chrono::{Datelike, NaiveDateTime, Timelike};
use isogloss_driver::Result;
use isogloss_driver::diesel::Statement;

use crate::bind::{Sent, sent};

/// A parameter as the engines store it.
#[derive(Debug)]
pub struct Bind<'v> {
    sent: Sent<'v>,
    /// A time as diesel sends it.
    time: MysqlTime,
}

/// A compiled statement for a `MysqlConnection`, or an `AsyncMysqlConnection` of diesel-async.
///
/// Its texts reckon with a session whose time zone is UTC and whose modes are strict, and with `utf8mb4`.
///
/// # Errors
/// [`BadValue`](isogloss_driver::ErrorKind::BadValue) for what the engines have no room for.
pub fn statement<'s>(compiled: &'s Compiled<'_>) -> Result<Statement<'s, Bind<'s>>> {
    let binds: Result<Vec<_>> = compiled.params.iter().map(|parameter| sent(parameter).map(Bind::of)).collect();
    Ok(Statement::new(&compiled.sql, binds.map_err(|error| error.with_statement(compiled))?))
}

impl<'v> Bind<'v> {
    fn of(sent: Sent<'v>) -> Self {
        let time = match &sent {
            Sent::DateTime(at) => mysql_time(*at, MysqlTimestampType::MYSQL_TIMESTAMP_DATETIME),
            Sent::Time(time) => {
                let time = NaiveDateTime::default().date().and_time(*time);
                let mut time = mysql_time(time, MysqlTimestampType::MYSQL_TIMESTAMP_TIME);
                (time.year, time.month, time.day) = (0, 0, 0);
                time
            }
            _ => mysql_time(NaiveDateTime::default(), MysqlTimestampType::MYSQL_TIMESTAMP_NONE),
        };
        Self { sent, time }
    }
}

fn mysql_time(at: NaiveDateTime, kind: MysqlTimestampType) -> MysqlTime {
    let micros = at.nanosecond() / 1000;
    // The years are 1 to 9999.
    let year = at.year().unsigned_abs();
    let (hour, minute, second) = (at.hour(), at.minute(), at.second());
    MysqlTime::new(year, at.month(), at.day(), hour, minute, second, micros.into(), false, kind, 0)
}

impl QueryFragment<Mysql> for Bind<'_> {
    fn walk_ast<'b>(&'b self, mut pass: AstPass<'_, 'b, Mysql>) -> QueryResult<()> {
        match &self.sent {
            Sent::Null => pass.push_bind_param_value_only::<Nullable<Text>, Option<&str>>(&None),
            Sent::Int(number) => pass.push_bind_param_value_only::<BigInt, _>(number),
            Sent::Unsigned(number) => pass.push_bind_param_value_only::<Unsigned<BigInt>, _>(number),
            Sent::Single(number) => pass.push_bind_param_value_only::<Float, _>(number),
            Sent::Double(number) => pass.push_bind_param_value_only::<Double, _>(number),
            Sent::Text(text) => pass.push_bind_param_value_only::<Text, str>(text),
            Sent::Bytes(bytes) => pass.push_bind_param_value_only::<Binary, [u8]>(bytes),
            Sent::DateTime(_) => pass.push_bind_param_value_only::<Datetime, _>(&self.time),
            Sent::Time(_) => pass.push_bind_param_value_only::<Time, _>(&self.time),
        }
    }
}
