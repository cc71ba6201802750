//! Numbers for rows that are taken before the rows are written: by `COPY`, which gives nothing back, each row is written
//! with its own.

use isogloss_compiler::BulkInsert;
use isogloss_compiler::expr::{DbType, DbValueType as T, Value};
use isogloss_compiler::model::Column;
use isogloss_driver::{Error, ErrorKind, Result, Row, RowSource, weight};

use super::bulk::prepared;
use super::decode::PostgresRow;
use super::error::error;
use super::session::{Fate, Session};
use super::statements::{Key, Ready};

/// Fewer rows are as quick one by one.
pub(super) const FEW: usize = 32;

/// How many rows are held at once, and how many bytes of values.
const MOST: usize = 32_768;
const BYTES: usize = 16 << 20;

/// The next numbers of a column: of the sequence that its default takes them from. None where a row might get another
/// number than it is written with, or COPY would not do what INSERT does: where a trigger or rule sees the row before, a
/// policy guards the rows, the table is none by itself (it may be in parts), or this user may not do both by hand.
const NUMBERS: &str = "\
    SELECT nextval(s.numbers) FROM (\
        SELECT pg_get_serial_sequence($1::text, $2::text)::regclass AS numbers, c.oid AS of, c.relhasrules AS rules, \
            c.relkind AS kind \
        FROM pg_class c WHERE c.oid = $1::text::regclass OFFSET 0\
    ) s CROSS JOIN generate_series(1, $3::bigint) \
    WHERE s.kind = 'r' AND NOT s.rules AND NOT row_security_active(s.of) \
        AND has_sequence_privilege(s.numbers, 'USAGE, UPDATE') \
        AND NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = s.of AND t.tgtype & 7 = 7 AND t.tgenabled <> 'D') \
        AND has_column_privilege(s.of, $2::text, 'INSERT') \
        AND EXISTS (SELECT FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum \
            WHERE a.attrelid = s.of AND a.attname = $2::text AND (a.attidentity <> '' \
            OR pg_get_expr(d.adbin, d.adrelid) = format('nextval(%L::regclass)', s.numbers::text)))";

/// Where numbers come from.
pub(super) struct Numbering {
    statement: Ready,
    table: Value,
    column: Value,
}

impl Numbering {
    /// The numbers of a column.
    pub(super) async fn prepare(session: &mut Session, into: &BulkInsert, column: &Column) -> Result<Self> {
        let types = [T::String, T::String, T::Int64].map(|ty| Some(DbType::from(ty)));
        let statement = prepared(session, &Key { sql: NUMBERS, types: types.into_iter() }).await?;
        let (table, column) = ((&*into.table).into(), column.column.as_str().into());
        Ok(Self { statement, table, column })
    }

    /// So many of them; or fewer, where some may be missing.
    pub(super) async fn take(&self, session: &mut Session, count: usize, all: bool) -> Result<Vec<i64>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let params = [self.table.clone(), self.column.clone(), count.into()];
        let Session { client, line, suspect, .. } = session;
        let running = line.start(Fate::Cancel);
        let asked = async {
            let (mut rows, shapes) = self.statement.rows(client, &params).await?;
            let mut numbers = Vec::new();
            while let Some(row) = rows.next().await.map_err(error)? {
                numbers.extend(PostgresRow::new(&row, &shapes).i64(0)?);
            }
            Ok(numbers)
        };
        let numbers: Result<Vec<i64>> = asked.await;
        running.end();
        *suspect |= numbers.is_err();
        match numbers? {
            numbers if all && i64::try_from(numbers.len()) != Ok(count) => {
                Err(Error::new(ErrorKind::Other, format!("the sequence gave {} of {count} numbers", numbers.len())))
            }
            numbers => Ok(numbers),
        }
    }
}

/// Rows that are read already.
pub(super) struct Held {
    rows: std::vec::IntoIter<Vec<Value>>,
    all: bool,
}

impl Held {
    /// As many rows as are held at once.
    pub(super) fn read(source: &mut dyn RowSource) -> Result<Self> {
        let (mut rows, mut bytes, mut all) = (Vec::new(), 0, false);
        while rows.len() < MOST && bytes < BYTES {
            let mut row = Vec::new();
            if !source.next(&mut row)? {
                all = true;
                break;
            }
            bytes += row.iter().map(weight).sum::<usize>();
            rows.push(row);
        }
        Ok(Self { rows: rows.into_iter(), all })
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no others behind them.
    pub(super) fn is_all(&self) -> bool {
        self.all
    }

    /// These, and then the rest.
    pub(super) fn followed_by(self, rest: &mut dyn RowSource) -> impl RowSource + '_ {
        Both(self, rest)
    }
}

impl RowSource for Held {
    fn next(&mut self, row: &mut Vec<Value>) -> Result<bool> {
        Ok(self.rows.next().map(|held| *row = held).is_some())
    }
}

struct Both<'r>(Held, &'r mut dyn RowSource);

impl RowSource for Both<'_> {
    fn next(&mut self, row: &mut Vec<Value>) -> Result<bool> {
        Ok(self.0.next(row)? || !self.0.all && self.1.next(row)?)
    }
}
