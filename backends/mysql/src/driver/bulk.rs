//! One statement for many rows, and many rows in one statement.

use isogloss_compiler::expr::{DbType, Value};
use isogloss_compiler::{BulkInsert, Compiled};
use isogloss_driver::{Error, ErrorKind, Result, RowSource, fitted};
use mysql_async::Value as Sent;

use super::error::guarded;
use super::load::can_load;
use super::session::Session;
use super::value::bound;
use super::wire::{Wire, size};

/// How many places a statement of many rows has: more are no faster, and take long to prepare.
const PLACES: usize = 8192;

impl Session {
    /// Runs a statement for each row. The protocol sends one when the one before has been answered.
    pub(super) async fn execute_many(&mut self, statement: &Compiled<'_>, rows: Box<dyn RowSource>) -> Result<u64> {
        let types: Vec<Option<DbType>> = statement.params.iter().map(|param| param.ty).collect();
        let wire = self.wire().await?;
        let done = wire.many(&statement.sql, &types, fitted(statement, rows)).await;
        let done = done.map_err(|error| guarded(error, &statement.sql));
        self.noted(done)
    }

    /// Inserts rows, all or none.
    pub(super) async fn bulk_insert(&mut self, into: &BulkInsert, rows: Box<dyn RowSource>) -> Result<u64> {
        let outer = self.depth > 0;
        let wire = self.wire().await?;
        wire.open_whole(outer).await?;
        let done = if can_load(wire, into) { wire.load(into, rows).await } else { wire.insert(into, rows).await };
        let done = wire.close_whole(outer, done).await;
        self.noted(done)
    }

    /// Inserts rows, all or none, each with the number that it got.
    pub(super) async fn bulk_insert_keys(&mut self, into: &BulkInsert, rows: Box<dyn RowSource>) -> Result<Vec<Value>> {
        let outer = self.depth > 0;
        let wire = self.wire().await?;
        wire.open_whole(outer).await?;
        let done = wire.insert_keys(into, rows).await;
        let done = wire.close_whole(outer, done).await;
        self.noted(done)
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

    /// Ends it, or takes it back.
    async fn close_whole<T>(&mut self, outer: bool, done: Result<T>) -> Result<T> {
        let [_, end, back] = whole(outer);
        let done = match done {
            Ok(done) => self.text(end).await.map(|()| done),
            Err(error) => Err(error),
        };
        if let Err(error) = &done
            && self.is_at_rest()
            && !(outer && error.code().is_some_and(|code| self.ends_transaction(code)))
        {
            self.text(back).await?;
        }
        self.unfinished = None;
        done
    }

    async fn many(&mut self, sql: &str, types: &[Option<DbType>], mut rows: Box<dyn RowSource>) -> Result<u64> {
        let statement = self.prepared(sql).await?;
        let mut row = Vec::with_capacity(types.len());
        let mut count = 0;
        while rows.next(&mut row)? {
            let params = self.params(&row, types)?;
            self.send(&statement, params).await?;
            count += self.finish().await?.min(self.most_rows(sql));
            row.clear();
        }
        Ok(count)
    }

    /// Inserts rows by statements of many, within a transaction that is taken back after an error.
    async fn insert(&mut self, into: &BulkInsert, mut rows: Box<dyn RowSource>) -> Result<u64> {
        let types = types(into);
        let most = (PLACES / types.len().max(1)).max(1);
        let room = self.facts().packet / 2;
        let (mut row, mut params) = (Vec::with_capacity(types.len()), Vec::with_capacity(most * types.len()));
        let (mut count, mut bytes, mut total) = (0, 0, 0);
        loop {
            let more = rows.next(&mut row)?;
            if more {
                into.complete(&mut row)?;
                let next = self.params(&row, &types)?;
                let size = next.iter().map(size).sum::<usize>();
                if count > 0 && bytes + size > room {
                    total += self.insert_some(into, count, std::mem::take(&mut params)).await?;
                    (count, bytes) = (0, 0);
                }
                params.extend(next);
                (count, bytes) = (count + 1, bytes + size);
                row.clear();
            }
            if count == most || (count > 0 && !more) {
                total += self.insert_some(into, count, std::mem::take(&mut params)).await?;
                (count, bytes) = (0, 0);
            }
            if !more {
                return Ok(total);
            }
        }
    }

    async fn insert_some(&mut self, into: &BulkInsert, rows: usize, params: Vec<Sent>) -> Result<u64> {
        let statement = self.prepared(&multiplied(into.sql(), rows)).await?;
        self.send(&statement, params).await?;
        self.finish().await
    }

    /// One row at a time: of many in one statement the server tells the first number only, and those of others may
    /// stand between them.
    async fn insert_keys(&mut self, into: &BulkInsert, mut rows: Box<dyn RowSource>) -> Result<Vec<Value>> {
        if into.identity.is_none() {
            let message = format!("the database numbers no column of `{}` that the rows leave out", into.entity);
            return Err(Error::new(ErrorKind::Configuration, message));
        }
        let types = types(into);
        let statement = self.prepared(into.sql()).await?;
        let (mut row, mut keys) = (Vec::with_capacity(types.len()), Vec::new());
        while rows.next(&mut row)? {
            into.complete(&mut row)?;
            let params = self.params(&row, &types)?;
            self.send(&statement, params).await?;
            self.finish().await?;
            match self.last_insert_id() {
                Some(key) => keys.push(key.into()),
                None => return Err(Error::new(ErrorKind::Decode, "the server gave a new row no number")),
            }
            row.clear();
        }
        Ok(keys)
    }

    fn params(&self, row: &[Value], types: &[Option<DbType>]) -> Result<Vec<Sent>> {
        if row.len() != types.len() {
            let message = format!("a row has {} values, the statement {} parameters", row.len(), types.len());
            return Err(Error::new(ErrorKind::BadValue, message));
        }
        let most = self.value_bytes();
        row.iter().zip(types).map(|(value, ty)| bound(value, *ty, most)).collect()
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
