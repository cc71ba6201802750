//! `LOAD DATA LOCAL`: rows as a file that is none, by which both engines take them the fastest.
//!
//! `LOCAL` makes the server go on where it would stop: a row that breaks a rule is left out, a value that does not fit is
//! made to, and a warning is all that tells. So a single warning, or a row too few, takes everything back.

use std::io::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use isogloss_compiler::BulkInsert;
use isogloss_compiler::expr::{DbType, DbValueType as T, Value};
use isogloss_driver::{Error, ErrorKind, Result, RowSource};
use mysql_async::{InfileData, ServerError, Value as Sent, from_row_opt};
use tokio::time::Instant;

use super::error::server;
use super::value::{bound, too_long};
use super::wire::Wire;

/// How many bytes go into a packet.
const CHUNK: usize = 256 << 10;

/// For how long a packet may be filled. A server that hears nothing for its `net_read_timeout` hangs up.
const FILLING: Duration = Duration::from_millis(100);

/// Whether rows can be loaded: bytes are of no character set, and a file is of one.
pub(super) fn can_load(wire: &Wire, into: &BulkInsert) -> bool {
    wire.facts().local_infile && into.columns.iter().all(|column| column.column.ty.base != T::Binary)
}

impl Wire {
    /// Inserts rows, within a transaction that is taken back after an error. Their source takes its time, which is none of the
    /// server's.
    pub(super) async fn load(&mut self, into: &BulkInsert, rows: Box<dyn RowSource>) -> Result<u64> {
        let state = Arc::new(Mutex::new(State { sent: 0, last: Instant::now(), failed: None }));
        let lines = Lines { into: into.clone(), rows, most: self.value_bytes(), state: Arc::clone(&state) };
        // The driver asks for something that may be shared, which rows are not.
        let lines = Mutex::new(Some(lines));
        self.infile(async move {
            let lines = lines.lock().unwrap_or_else(PoisonError::into_inner).take();
            Ok(Box::pin(stream::iter(lines.into_iter().flatten())) as InfileData)
        });
        let last = || state.lock().unwrap_or_else(PoisonError::into_inner).last;
        let loaded = self.loads(&sql(into), last).await;
        // A server that never asked for the rows must not get them for a later statement.
        self.infile(async { Err(std::io::Error::other("no file was offered").into()) });
        let (sent, failed) = {
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            (state.sent, state.failed.take())
        };
        if let Some(error) = failed {
            return Err(error);
        }
        loaded?;
        let (changed, warnings) = (self.changed(), self.warnings());
        if warnings > 0 {
            return Err(self.warned().await?);
        }
        if changed != sent {
            let message = format!("{sent} rows were sent, and {changed} inserted");
            return Err(Error::new(ErrorKind::Other, message));
        }
        Ok(sent)
    }

    /// The first warning, as the error that it would be elsewhere.
    async fn warned(&mut self) -> Result<Error> {
        let warning = self.first("SHOW WARNINGS LIMIT 1").await?;
        let warning: Option<(String, u16, String)> = warning.and_then(|row| from_row_opt(row).ok());
        let (_, code, message) = warning.unwrap_or_default();
        Ok(server(ServerError { code, message, state: String::new() }))
    }
}

/// The statement, for lines as the server takes them if nothing else is said.
fn sql(into: &BulkInsert) -> String {
    let mut sql = format!("LOAD DATA LOCAL INFILE 'rows' INTO TABLE {} CHARACTER SET utf8mb4 (", into.table);
    let mut sets = String::new();
    for (index, column) in into.columns.iter().enumerate() {
        sql.push_str(if index > 0 { ", " } else { "" });
        // The text `1` is no bit, and of an ENUM its name.
        let number = match column.column.ty.base {
            T::UInt64 => "UNSIGNED",
            whole if whole.is_integer() || whole == T::Boolean => "SIGNED",
            _ => {
                sql.push_str(&column.name);
                continue;
            }
        };
        sql.push_str(&format!("@c{index}"));
        sets.push_str(if sets.is_empty() { " SET " } else { ", " });
        sets.push_str(&format!("{} = CAST(@c{index} AS {number})", column.name));
    }
    sql.push(')');
    sql.push_str(&sets);
    sql
}

/// How it goes.
struct State {
    sent: u64,
    /// When rows were last asked for and given, or their end was.
    last: Instant,
    /// Why there are no more rows. The server ends the statement as if all had been sent.
    failed: Option<Error>,
}

/// The lines of a file.
struct Lines {
    into: BulkInsert,
    rows: Box<dyn RowSource>,
    most: usize,
    state: Arc<Mutex<State>>,
}

impl Iterator for Lines {
    type Item = std::io::Result<Bytes>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut out = Vec::with_capacity(CHUNK + 1024);
        let done = self.fill(&mut out);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.last = Instant::now();
        match done {
            Ok(rows) => state.sent += rows,
            Err(error) => {
                state.failed = Some(error);
                return None;
            }
        }
        (!out.is_empty()).then(|| Ok(out.into()))
    }
}

impl Lines {
    /// Writes rows until a packet is full or has taken long enough, and gives how many they are.
    fn fill(&mut self, out: &mut Vec<u8>) -> Result<u64> {
        let (mut row, mut rows) = (Vec::with_capacity(self.into.columns.len()), 0);
        let begun = Instant::now();
        while out.len() < CHUNK && begun.elapsed() < FILLING && self.rows.next(&mut row)? {
            self.into.complete(&mut row)?;
            for (index, (value, column)) in row.drain(..).zip(&self.into.columns).enumerate() {
                if index > 0 {
                    out.push(b'\t');
                }
                field(out, &value, column.column.ty, self.most)?;
            }
            out.push(b'\n');
            rows += 1;
        }
        Ok(rows)
    }
}

/// Writes a value. What is wrong with one is found as it is for a parameter.
fn field(out: &mut Vec<u8>, value: &Value, ty: DbType, most: usize) -> Result<()> {
    if let Value::Text(text) = value {
        too_long(text.len(), most)?;
        escaped(out, text.as_bytes());
        return Ok(());
    }
    let written = match bound(value, Some(ty), most)? {
        Sent::NULL => out.write_all(b"\\N"),
        Sent::Bytes(bytes) => {
            escaped(out, &bytes);
            Ok(())
        }
        Sent::Int(number) => write!(out, "{number}"),
        Sent::UInt(number) => write!(out, "{number}"),
        // The shortest text that reads as the number again.
        Sent::Float(number) => write!(out, "{number:e}"),
        Sent::Double(number) => write!(out, "{number:e}"),
        Sent::Date(year, month, day, hour, minute, second, micros) => {
            write!(out, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{micros:06}")
        }
        Sent::Time(negative, days, hours, minutes, seconds, micros) => {
            let (sign, hours) = (if negative { "-" } else { "" }, days * 24 + u32::from(hours));
            write!(out, "{sign}{hours:02}:{minutes:02}:{seconds:02}.{micros:06}")
        }
    };
    written.map_err(|error| Error::new(ErrorKind::Other, "a value could not be written").with_source(error))
}

/// Text, with what ends a field or a line written as something else.
fn escaped(out: &mut Vec<u8>, text: &[u8]) {
    for byte in text {
        match byte {
            b'\\' => out.extend(b"\\\\"),
            b'\t' => out.extend(b"\\t"),
            b'\n' => out.extend(b"\\n"),
            0 => out.extend(b"\\0"),
            other => out.push(*other),
        }
    }
}
