//! One statement for many rows of parameters: calls of it in one batch.
//!
//! ```sql
//! DECLARE @n bigint = 0, @e int;
//! EXEC sp_executesql @P1, @P2, @P3, @P4; SELECT @n += ROWCOUNT_BIG(), @e = @@ERROR; IF @e <> 0 RETURN;
//! EXEC sp_executesql @P1, @P2, @P5, @P6; SELECT @n += ROWCOUNT_BIG(), @e = @@ERROR; IF @e <> 0 RETURN;
//! SELECT @n
//! ```
//! The text of the statement is the first parameter, how its own are declared stands in the ones behind it, and the values of
//! the rows follow: nothing in its text is renumbered. The batch ends at the first row that fails, as single statements would.
//!
//! The server says nothing before the end of a batch, so that the limit of a statement's time is that of a batch: where it is
//! short, a batch has fewer rows.

use std::fmt::Write as _;
use std::time::Duration;

use isogloss_compiler::Compiled;
use isogloss_compiler::expr::{DbType, DbValueType, Value};
use isogloss_driver::{Error, ErrorKind, Flow, Result, Row, RowSink, RowSource, weight};

use super::connection::SqlServerConnection;
use super::raw::{Params, Reads, declared};
use crate::SHEET;

/// The rows of a batch, and the bytes of their values.
const ROWS: usize = 256;
const BYTES: usize = 4 << 20;

/// What each row of a batch has of its limit at least. A batch of all its rows has that within the usual 30 seconds.
const TIME: Duration = Duration::from_millis(100);

/// Runs a statement for each row, and gives how many rows they changed.
pub(super) async fn execute(
    connection: &mut SqlServerConnection,
    statement: &Compiled<'_>,
    rows: &mut dyn RowSource,
) -> Result<u64> {
    let types: Vec<Option<DbType>> = statement.params.iter().map(|param| param.ty).collect();
    let text = Value::from(statement.sql.as_str());
    let (limit, mut count) = (connection.timeout(), 0);
    loop {
        let values = part(types.len(), limit, rows)?;
        let mut calls = values.iter().map(|row| row.iter().zip(types.iter().copied()).collect::<Params<'_>>());
        match values.len() {
            0 => return Ok(count),
            1 => count += connection.run(&statement.sql, &calls.next().unwrap_or_default(), Reads(false), None).await?,
            _ => count += batch(connection, &text, calls.collect()).await?,
        }
    }
}

/// As many rows as a batch takes: each may be declared in a way of its own.
fn part(width: usize, limit: Option<Duration>, rows: &mut dyn RowSource) -> Result<Vec<Vec<Value>>> {
    // One without parameters has no ways of declaring them.
    let most = if width == 0 { 1 } else { (SHEET.limits.parameters - 1) / (width + 1) };
    let in_time = limit.map_or(ROWS, |limit| (limit.as_millis() / TIME.as_millis()).try_into().unwrap_or(ROWS));
    let most = most.min(in_time).clamp(1, ROWS);
    let (mut part, mut bytes) = (Vec::new(), 0);
    while part.len() < most && bytes < BYTES {
        let mut row = Vec::with_capacity(width);
        if !rows.next(&mut row)? {
            break;
        }
        bytes += row.iter().map(weight).sum::<usize>();
        part.push(row);
    }
    Ok(part)
}

/// Runs a statement for each row of parameters, by one batch.
async fn batch(connection: &mut SqlServerConnection, text: &Value, calls: Vec<Params<'_>>) -> Result<u64> {
    let most = connection.raw()?.value_bytes;
    // Most often all are declared alike.
    let mut ways: Vec<Value> = Vec::new();
    let mut places = Vec::with_capacity(calls.len());
    for call in &calls {
        let way = Value::from(declared(call, most)?.0);
        let known = ways.iter().position(|known| *known == way);
        places.push(known.unwrap_or(ways.len()));
        if known.is_none() {
            ways.push(way);
        }
    }
    let width = calls.first().map_or(0, Vec::len);
    let sql = sql(&places, ways.len(), width);
    let string = Some(DbType::from(DbValueType::String));
    let mut params: Params<'_> = vec![(text, string)];
    params.extend(ways.iter().map(|way| (way, string)));
    params.extend(calls.into_iter().flatten());
    let mut changed = Changed(None);
    connection.run(&sql, &params, Reads(false), Some(&mut changed)).await?;
    changed.0.ok_or_else(|| Error::new(ErrorKind::Other, "the server has not told how many rows were changed"))
}

/// The batch of calls, each declared in the way at its place.
fn sql(places: &[usize], ways: usize, width: usize) -> String {
    let mut sql = String::from("DECLARE @n bigint = 0, @e int; ");
    let mut next = ways + 2;
    for place in places {
        // Writing to a String does not fail.
        let _ = write!(sql, "EXEC sp_executesql @P1, @P{}", place + 2);
        for _ in 0..width {
            let _ = write!(sql, ", @P{next}");
            next += 1;
        }
        sql.push_str("; SELECT @n += ROWCOUNT_BIG(), @e = @@ERROR; IF @e <> 0 RETURN; ");
    }
    sql.push_str("SELECT @n");
    sql
}

/// The number in the last row: what the statements themselves give comes before it.
struct Changed(Option<u64>);

impl RowSink for Changed {
    fn row(&mut self, row: &dyn Row) -> Result<Flow> {
        self.0 = row.i64(0).ok().flatten().and_then(|count| u64::try_from(count).ok());
        Ok(Flow::More)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_of_calls() {
        assert_eq!(
            sql(&[0, 1, 0], 2, 1),
            "DECLARE @n bigint = 0, @e int; \
             EXEC sp_executesql @P1, @P2, @P4; SELECT @n += ROWCOUNT_BIG(), @e = @@ERROR; IF @e <> 0 RETURN; \
             EXEC sp_executesql @P1, @P3, @P5; SELECT @n += ROWCOUNT_BIG(), @e = @@ERROR; IF @e <> 0 RETURN; \
             EXEC sp_executesql @P1, @P2, @P6; SELECT @n += ROWCOUNT_BIG(), @e = @@ERROR; IF @e <> 0 RETURN; \
             SELECT @n"
        );
    }

    #[test]
    fn a_part_has_room_for_the_parameters_of_all_its_rows() {
        for width in [0, 1, 7, 8, 30, 1_000, 2_098] {
            let row = move |_| std::iter::repeat_n(Value::from(1), width).collect::<Vec<_>>();
            let mut rows = isogloss_driver::rows((0..1_000).map(row));
            let count = part(width, None, &mut *rows).unwrap().len();
            assert!((1..=ROWS).contains(&count));
            assert!(count == 1 || 1 + count + count * width <= SHEET.limits.parameters, "{width}: {count}");
        }
    }

    #[test]
    fn a_row_of_a_batch_has_its_time() {
        for (limit, count) in [(0, 1), (99, 1), (400, 4), (1_050, 10), (30_000, 256), (u64::MAX, 256)] {
            let mut rows = isogloss_driver::rows((0..1_000).map(|n| [Value::from(n)]));
            assert_eq!(part(1, Some(Duration::from_millis(limit)), &mut *rows).unwrap().len(), count, "{limit} ms");
        }
    }
}
