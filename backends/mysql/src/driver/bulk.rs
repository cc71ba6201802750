//! One statement for many rows, and many rows in one statement.

use isogloss_compiler::expr::{DbType, DbValueType, Value};
use isogloss_compiler::model::Column;
use isogloss_compiler::{BulkInsert, Compiled};
use isogloss_driver::{Error, ErrorKind, Result, Row, RowSource, fitted};
use mysql_async::Value as Sent;

use super::error::guarded;
use super::load::can_load;
use super::session::{Session, doubted};
use super::value::{MySqlRow, bound};
use super::wire::{Wire, size};

/// How many places a statement of many rows has: more are no faster, and take long to prepare.
const PLACES: usize = 8192;

impl Session {
    /// Runs a statement for each row. The protocol sends one when the one before has been answered.
    pub(super) async fn execute_many(&mut self, statement: &Compiled<'_>, rows: Box<dyn RowSource>) -> Result<u64> {
        let types: Vec<Option<DbType>> = statement.params.iter().map(|param| param.ty).collect();
        let wire = self.wire().await?;
        let done = wire.many(&statement.sql, &types, fitted(statement, rows)).await;
        done.map_err(|error| guarded(error, &statement.sql))
    }

    /// Inserts rows, all or none.
    pub(super) async fn bulk_insert(&mut self, into: &BulkInsert, rows: Box<dyn RowSource>) -> Result<u64> {
        let outer = self.depth > 0;
        let wire = self.wire().await?;
        wire.open_whole(outer).await.map_err(Error::unsent)?;
        let done = if can_load(wire, into) { wire.load(into, rows).await } else { wire.insert(into, rows).await };
        wire.close_whole(outer, done).await
    }

    /// Inserts rows, all or none, each with the number that it got.
    pub(super) async fn bulk_insert_keys(&mut self, into: &BulkInsert, rows: Box<dyn RowSource>) -> Result<Vec<Value>> {
        let outer = self.depth > 0;
        let wire = self.wire().await?;
        wire.open_whole(outer).await.map_err(Error::unsent)?;
        let done = wire.insert_keys(into, rows).await;
        wire.close_whole(outer, done).await
    }
}

impl Wire {
    /// Begins what is done wholly or not at all: a transaction, or a savepoint of the one that is open.
    async fn open_whole(&mut self, outer: bool) -> Result<()> {
        let [begin, _, back] = whole(outer);
        self.text(begin).await?;
        self.unfinished = Some(back);
        Ok(())
    }

    /// Ends it, or takes it back. An error before the COMMIT is in no doubt: with a lost connection, the server takes back what
    /// is not committed.
    async fn close_whole<T>(&mut self, outer: bool, done: Result<T>) -> Result<T> {
        let [_, end, back] = whole(outer);
        let done = match done {
            Ok(done) => {
                self.unfinished = None;
                let ended = self.text(end).await;
                ended.map_err(|error| if outer { error } else { doubted(error) }).map(|()| done)
            }
            Err(error) => Err(error.unsent()),
        };
        if let Err(error) = &done
            && self.is_at_rest()
            && !(outer && error.code().is_some_and(|code| self.ends_transaction(code)))
            && self.text(back).await.is_err()
        {
            self.close();
        }
        self.unfinished = None;
        done
    }

    async fn many(&mut self, sql: &str, types: &[Option<DbType>], mut rows: Box<dyn RowSource>) -> Result<u64> {
        let statement = self.prepared(sql).await.map_err(Error::unsent)?;
        let mut row = Vec::with_capacity(types.len());
        let mut count = 0;
        while rows.next(&mut row)? {
            let params = self.params(&row, types)?;
            self.send(&statement, params).await?;
            let done = self.finish().await?;
            count += self.rows_of(sql, done);
            row.clear();
        }
        Ok(count)
    }

    /// Inserts rows by statements of many, within a transaction that is taken back after an error.
    async fn insert(&mut self, into: &BulkInsert, rows: Box<dyn RowSource>) -> Result<u64> {
        let mut parts = Parts::new(self, into, rows);
        let mut total = 0;
        while let Some((count, params)) = parts.next()? {
            let statement = self.prepared(&multiplied(into.sql(), count)).await?;
            self.send(&statement, params).await?;
            total += self.finish().await?;
        }
        Ok(total)
    }

    /// Inserts the rows, and gives the number of each.
    async fn insert_keys(&mut self, into: &BulkInsert, rows: Box<dyn RowSource>) -> Result<Vec<Value>> {
        let Some(identity) = &into.identity else {
            let message = format!("the database numbers no column of `{}` that the rows leave out", into.entity);
            return Err(Error::new(ErrorKind::Configuration, message));
        };
        let numbering = if self.facts().product.is_mariadb() {
            // Who may not read the column is told so before anything is done.
            match self.prepared(&returning(into, &identity.name, 1)).await {
                Ok(_) => return self.insert_returning(into, &identity.name, rows).await,
                Err(error) if error.kind() == ErrorKind::Permission => Numbering::Alone,
                Err(error) => return Err(error),
            }
        } else if self.facts().product.numbers_in_order() {
            self.numbering(into).await?
        } else {
            Numbering::Alone
        };
        let mut parts = Parts::new(self, into, rows);
        if numbering == Numbering::Alone {
            parts.most = 1;
        }
        let mut keys = Vec::new();
        while let Some((count, params)) = parts.next()? {
            let statement = self.prepared(&multiplied(into.sql(), count)).await?;
            self.send(&statement, params).await?;
            match numbering {
                Numbering::Alone => keys.push(in_column(self.numbered().await?, &identity.column)),
                Numbering::By(step) => keys.extend(self.counted(into, &identity.name, count, step).await?),
            }
        }
        Ok(keys)
    }

    /// Inserts the rows, each of which INSERT gives back. It gives them as it inserts them, and numbers ascend: both say
    /// the same, or which row has which is not known. Then the rows of that statement are taken back, and inserted one
    /// by one as all that follow.
    async fn insert_returning(
        &mut self,
        into: &BulkInsert,
        name: &str,
        rows: Box<dyn RowSource>,
    ) -> Result<Vec<Value>> {
        let mut parts = Parts::new(self, into, rows);
        let width = parts.types.len().max(1);
        let mut keys = Vec::new();
        while let Some((count, params)) = parts.next()? {
            if count == 1 {
                keys.extend(self.returned(&returning(into, name, 1), params).await?);
                continue;
            }
            self.text("SAVEPOINT part").await?;
            let numbers = self.returned(&returning(into, name, count), params.clone()).await?;
            if numbers.len() == count && numbers.is_sorted_by(|a, b| a < b) {
                keys.extend(numbers);
                continue;
            }
            if !self.is_transactional(into).await? {
                return Err(not_in_order());
            }
            self.text("ROLLBACK TO SAVEPOINT part").await?;
            parts.most = 1;
            for row in params.chunks(width) {
                keys.extend(self.returned(&returning(into, name, 1), row.to_vec()).await?);
            }
        }
        let number = |number: i128| match u64::try_from(number) {
            Ok(number) => Ok(number.into()),
            Err(_) => i64::try_from(number).map(Value::from).map_err(|_| not_in_order()),
        };
        keys.into_iter().map(number).collect()
    }

    /// The numbers of the rows that an INSERT gives back.
    async fn returned(&mut self, sql: &str, params: Vec<Sent>) -> Result<Vec<i128>> {
        let statement = self.prepared(sql).await?;
        self.send(&statement, params).await?;
        let mut rows = Vec::new();
        while let Some(row) = self.next().await? {
            rows.push(row);
        }
        let mut numbers = Vec::with_capacity(rows.len());
        for row in &rows {
            numbers.extend(MySqlRow(row).whole(0, "a whole number")?);
        }
        Ok(numbers)
    }

    /// Whether a rollback takes back what is written into the table.
    async fn is_transactional(&mut self, into: &BulkInsert) -> Result<bool> {
        const ASKED: &str = "SELECT COUNT(*) FROM information_schema.TABLES t JOIN information_schema.ENGINES e \
            ON e.ENGINE = t.ENGINE WHERE t.TABLE_SCHEMA = COALESCE(?, DATABASE()) AND t.TABLE_NAME = ? AND e.TRANSACTIONS = 'YES'";
        let Some(place) = place(into) else { return Ok(false) };
        Ok(self.ask(ASKED, place.into()).await? == Some(1))
    }

    /// The number of the row that was just inserted.
    async fn numbered(&mut self) -> Result<u64> {
        self.finish().await?;
        self.last_insert_id().ok_or_else(|| Error::new(ErrorKind::Decode, "the server gave a new row no number"))
    }

    /// The numbers from that of the first row on. That no other row has one of them is counted.
    async fn counted(&mut self, into: &BulkInsert, name: &str, count: usize, step: u64) -> Result<Vec<Value>> {
        let first = self.numbered().await?;
        let numbers = (0..count as u64).map(|place| step.checked_mul(place).and_then(|more| first.checked_add(more)));
        let numbers: Vec<u64> = numbers.collect::<Option<_>>().ok_or_else(not_in_order)?;
        if let (Some(first), Some(last), true) = (numbers.first(), numbers.last(), count > 1) {
            let sql = format!("SELECT COUNT(*) FROM {} WHERE {name} BETWEEN ? AND ?", into.table);
            let found = self.ask(&sql, vec![Sent::UInt(*first), Sent::UInt(*last)]).await?;
            if found != Some(count as u64) {
                return Err(not_in_order());
            }
        }
        Ok(numbers.into_iter().map(Value::from).collect())
    }

    /// How the rows of a table get their numbers on MySQL.
    ///
    /// InnoDB gives the rows of an INSERT whose number is known before it runs numbers without gaps, whatever
    /// `innodb_autoinc_lock_mode` is ("InnoDB AUTO_INCREMENT Lock Mode Usage Implications" in the manual), each by
    /// `auto_increment_increment` more than the one before. A trigger may give others, and is seen only by who has the
    /// privilege for triggers; the numbers are counted by who may read: without these, each row is inserted alone.
    async fn numbering(&mut self, into: &BulkInsert) -> Result<Numbering> {
        const ASKED: &str = "SELECT @@auto_increment_increment FROM information_schema.TABLES t \
            WHERE t.TABLE_SCHEMA = COALESCE(?, DATABASE()) AND t.TABLE_NAME = ? AND t.ENGINE = 'InnoDB' \
            AND NOT EXISTS (SELECT 1 FROM information_schema.TRIGGERS g WHERE g.EVENT_OBJECT_SCHEMA = t.TABLE_SCHEMA \
            AND g.EVENT_OBJECT_TABLE = t.TABLE_NAME AND g.EVENT_MANIPULATION = 'INSERT' AND g.ACTION_TIMING = 'BEFORE') \
            AND (SELECT COUNT(DISTINCT p.t) FROM (\
            SELECT GRANTEE, NULL AS s, NULL AS n, PRIVILEGE_TYPE AS t FROM information_schema.USER_PRIVILEGES \
            UNION ALL SELECT GRANTEE, TABLE_SCHEMA, NULL, PRIVILEGE_TYPE FROM information_schema.SCHEMA_PRIVILEGES \
            UNION ALL SELECT GRANTEE, TABLE_SCHEMA, TABLE_NAME, PRIVILEGE_TYPE FROM information_schema.TABLE_PRIVILEGES\
            ) p WHERE p.t IN ('TRIGGER', 'SELECT') AND p.GRANTEE = CONCAT('''', REPLACE(CURRENT_USER(), '@', '''@'''), '''') \
            AND (p.s IS NULL OR p.s = t.TABLE_SCHEMA) AND (p.n IS NULL OR p.n = t.TABLE_NAME)) = 2";
        let Some(place) = place(into) else { return Ok(Numbering::Alone) };
        let step = self.ask(ASKED, place.into()).await?;
        Ok(step.map_or(Numbering::Alone, Numbering::By))
    }

    /// The number that a query gives.
    async fn ask(&mut self, sql: &str, params: Vec<Sent>) -> Result<Option<u64>> {
        let statement = self.prepared(sql).await?;
        self.send(&statement, params).await?;
        let row = self.next().await?;
        if row.is_some() {
            self.finish().await?;
        }
        row.map_or(Ok(None), |row| MySqlRow(&row).u64(0))
    }

    fn params(&self, row: &[Value], types: &[Option<DbType>]) -> Result<Vec<Sent>> {
        sent(row, types, self.value_bytes())
    }
}

/// The schema of a table, which may be the connection's, and its name.
fn place(into: &BulkInsert) -> Option<[Sent; 2]> {
    let bytes = |name: &str| Sent::Bytes(name.as_bytes().to_vec());
    match into.parts.as_slice() {
        [.., schema, table] => Some([bytes(schema), bytes(table)]),
        [table] => Some([Sent::NULL, bytes(table)]),
        [] => None,
    }
}

/// How new rows get their numbers on MySQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Numbering {
    /// Those of one statement follow each other by so many.
    By(u64),
    /// Of a row that is inserted alone it is known.
    Alone,
}

/// The number of a row in its column: the protocol says it without a sign.
#[allow(clippy::cast_possible_wrap, reason = "a negative number is said by its bits")]
fn in_column(number: u64, column: &Column) -> Value {
    match column.ty.base {
        DbValueType::UInt64 => number.into(),
        _ => Value::from(number as i64),
    }
}

fn not_in_order() -> Error {
    let message = "the numbers of the new rows do not follow each other, so that which row has which is not known: a trigger \
                   may give them; insert the rows one by one";
    Error::new(ErrorKind::Other, message)
}

/// The values of a row as they are sent.
fn sent(row: &[Value], types: &[Option<DbType>], most: usize) -> Result<Vec<Sent>> {
    if row.len() != types.len() {
        let message = format!("a row has {} values, the statement {} parameters", row.len(), types.len());
        return Err(Error::new(ErrorKind::BadValue, message));
    }
    row.iter().zip(types).map(|(value, ty)| bound(value, *ty, most)).collect()
}

/// Rows in parts, each for one statement.
struct Parts<'i> {
    into: &'i BulkInsert,
    rows: Box<dyn RowSource>,
    types: Vec<Option<DbType>>,
    /// How many rows a part has at most, and how many bytes.
    most: usize,
    room: usize,
    value_bytes: usize,
    row: Vec<Value>,
    /// The row that the last part had no room for.
    left: Option<Vec<Sent>>,
    ended: bool,
}

impl<'i> Parts<'i> {
    fn new(wire: &Wire, into: &'i BulkInsert, rows: Box<dyn RowSource>) -> Self {
        let types = types(into);
        let most = (PLACES / types.len().max(1)).max(1);
        let (room, value_bytes) = (wire.facts().packet / 2, wire.value_bytes());
        Self { into, rows, types, most, room, value_bytes, row: Vec::new(), left: None, ended: false }
    }

    /// The parameters of the next part, and how many rows they are.
    fn next(&mut self) -> Result<Option<(usize, Vec<Sent>)>> {
        let (mut params, mut count, mut bytes) = (Vec::new(), 0, 0);
        while count < self.most {
            let Some(next) = self.next_row()? else { break };
            let size = next.iter().map(size).sum::<usize>();
            if count > 0 && bytes + size > self.room {
                self.left = Some(next);
                break;
            }
            params.extend(next);
            (count, bytes) = (count + 1, bytes + size);
        }
        Ok((count > 0).then_some((count, params)))
    }

    fn next_row(&mut self) -> Result<Option<Vec<Sent>>> {
        if self.left.is_some() {
            return Ok(self.left.take());
        }
        self.row.clear();
        self.ended = self.ended || !self.rows.next(&mut self.row)?;
        if self.ended {
            return Ok(None);
        }
        self.into.complete(&mut self.row)?;
        sent(&self.row, &self.types, self.value_bytes).map(Some)
    }
}

/// What begins a transaction, or a savepoint of the one that is open, ends it, and takes it back.
fn whole(outer: bool) -> [&'static str; 3] {
    if outer {
        ["SAVEPOINT bulk", "RELEASE SAVEPOINT bulk", "ROLLBACK TO SAVEPOINT bulk; RELEASE SAVEPOINT bulk"]
    } else {
        ["START TRANSACTION", "COMMIT", "ROLLBACK"]
    }
}

fn types(into: &BulkInsert) -> Vec<Option<DbType>> {
    into.columns.iter().map(|column| Some(column.column.ty)).collect()
}

/// The text for that many rows, which gives back their numbers.
fn returning(into: &BulkInsert, name: &str, rows: usize) -> String {
    format!("{} RETURNING {name}", multiplied(into.sql(), rows))
}

/// The text for more than one row.
fn multiplied(sql: &str, rows: usize) -> String {
    // A name may have the word in it; what stands behind the last one is parameters.
    let Some((_, row)) = sql.rsplit_once(" VALUES ") else { return sql.to_owned() };
    let mut out = String::with_capacity(sql.len() + rows * (row.len() + 2));
    out.push_str(sql);
    for _ in 1..rows {
        out.push_str(", ");
        out.push_str(row);
    }
    out
}
