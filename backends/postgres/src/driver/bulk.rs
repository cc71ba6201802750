//! Many rows at once: statements on their way before the first is answered, and `COPY` in its binary form.

use std::pin::pin;
use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use futures_util::stream::FuturesOrdered;
use futures_util::{SinkExt, StreamExt, TryStreamExt};
use isogloss_compiler::expr::{DbType, Value};
use isogloss_compiler::{BulkInsert, Compiled};
use isogloss_driver::{Error, ErrorKind, Result, Row, RowSource};
use tokio_postgres::types::Type;
use tokio_postgres::{Client, CopyInSink};

use super::decode::PostgresRow;
use super::encode::{Bound, Shape, encode, framed, sized, weight};
use super::error::error;
use super::session::{Fate, Session};
use super::statements::{Key, Prepared, Types};

/// How many statements are under way at once, and how many bytes of values.
const ROWS: usize = 512;
const BYTES: usize = 4 << 20;

/// How many bytes of a COPY go into one message, at least.
const PACKET: usize = 64 << 10;

/// Values of rows of one width, one behind the other.
struct Batch {
    values: Vec<Value>,
    row: Vec<Value>,
    width: usize,
    rows: usize,
    most: usize,
}

impl Batch {
    fn new(width: usize, most: usize) -> Self {
        Self { values: Vec::new(), row: Vec::with_capacity(width), width, rows: 0, most }
    }

    /// Takes the next rows; none is the end.
    fn fill(&mut self, source: &mut dyn RowSource, complete: impl Fn(&mut Vec<Value>) -> Result<()>) -> Result<bool> {
        self.values.clear();
        self.rows = 0;
        let mut bytes = 0;
        while self.rows < ROWS && bytes < BYTES {
            self.row.clear();
            if !source.next(&mut self.row)? {
                break;
            }
            complete(&mut self.row)?;
            if self.row.len() != self.width {
                let message = format!("a row has {} values, the statement {} parameters", self.row.len(), self.width);
                return Err(Error::new(ErrorKind::BadValue, message));
            }
            for value in &self.row {
                sized(value, self.most)?;
                bytes += weight(value);
            }
            self.values.append(&mut self.row);
            self.rows += 1;
        }
        Ok(self.rows > 0)
    }

    fn rows(&self) -> impl Iterator<Item = &[Value]> {
        (0..self.rows).map(|row| self.values.get(row * self.width..(row + 1) * self.width).unwrap_or(&[]))
    }
}

async fn prepared<I: Types>(session: &mut Session, key: Key<'_, I>) -> Result<Arc<Prepared>> {
    if let Some(kept) = session.statements.find(&key) {
        return Ok(kept);
    }
    let running = session.line.start(Fate::Cancel);
    let done = session.statements.prepare(&session.client, &key).await;
    running.end();
    done.map_err(|found| {
        session.suspect = true;
        error(found)
    })
}

/// Runs a statement for each row, many of them under way at once.
pub(super) async fn many(session: &mut Session, statement: &Compiled<'_>, rows: &mut dyn RowSource) -> Result<u64> {
    let key = Key { sql: &statement.sql, types: statement.params.iter().map(|parameter| parameter.ty) };
    let prepared = prepared(session, key).await?;
    let mut batch = Batch::new(statement.params.len(), session.value_bytes);
    let mut count = 0;
    while batch.fill(rows, |_| Ok(()))? {
        let Session { client, line, suspect, .. } = &mut *session;
        let running = line.start(Fate::Cancel);
        // Each is sent when it is polled for the first time, which happens in their order.
        let mut sent: FuturesOrdered<_> =
            batch.rows().map(|row| client.execute_raw(&prepared.statement, row.iter().map(Bound))).collect();
        let mut failed = None;
        while let Some(done) = sent.next().await {
            match done {
                Ok(changed) => count += changed,
                // Those behind it have their answers, too.
                Err(found) => failed = failed.or(Some(found)),
            }
        }
        running.end();
        if let Some(found) = failed {
            *suspect = true;
            return Err(error(found));
        }
    }
    Ok(count)
}

/// The text that takes rows in binary form.
pub(super) fn copy_text(into: &BulkInsert) -> String {
    format!("COPY {} ({}) FROM STDIN (FORMAT binary)", into.table, names(into))
}

fn names(into: &BulkInsert) -> String {
    into.columns.iter().map(|column| &*column.name).collect::<Vec<_>>().join(", ")
}

/// The text that inserts a row and gives its key.
///
/// # Errors
/// The database numbers no column.
pub(super) fn insert_text(into: &BulkInsert) -> Result<String> {
    let Some(identity) = &into.identity else {
        let message = format!("the database numbers no column of `{}` that the rows leave out", into.entity);
        return Err(Error::new(ErrorKind::Configuration, message));
    };
    Ok(format!("{} RETURNING {}", into.sql(), identity.name))
}

/// Inserts rows by COPY. They have the types of the columns in the database, which a prepared INSERT tells.
pub(super) async fn copy(session: &mut Session, sql: &str, into: &BulkInsert, rows: &mut dyn RowSource) -> Result<u64> {
    let mut insert = format!("INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE VALUES (", into.table, names(into));
    for place in 1..=into.columns.len() {
        insert.push_str(&format!("{}${place}", if place == 1 { "" } else { ", " }));
    }
    insert.push(')');
    let most = session.value_bytes;
    let Session { client, line, suspect, .. } = session;
    // What was copied before an error is taken back with it: the copy is one statement.
    let running = line.start(Fate::Cancel);
    let run = async {
        // Not one that was kept: bytes for a type that the column no longer has would be taken for others.
        let columns = client.prepare(&insert).await.map_err(error)?;
        let types: Vec<(&Type, Shape)> = columns.params().iter().map(|ty| (ty, Shape::of(ty))).collect();
        copied(client, sql, &types, into, rows, most).await
    };
    let done = run.await;
    running.end();
    done.inspect_err(|_| *suspect = true)
}

async fn copied(
    client: &Client,
    sql: &str,
    types: &[(&Type, Shape)],
    into: &BulkInsert,
    rows: &mut dyn RowSource,
    most: usize,
) -> Result<u64> {
    let sink: CopyInSink<Bytes> = client.copy_in(sql).await.map_err(error)?;
    let mut sink = pin!(sink);
    let mut packet = BytesMut::with_capacity(PACKET * 2);
    // The signature, no flags, nothing more in the head.
    packet.put_slice(b"PGCOPY\n\xff\r\n\0");
    packet.put_i64(0);
    let width =
        i16::try_from(types.len()).map_err(|_| Error::new(ErrorKind::BadValue, "there are too many columns"))?;
    let mut row = Vec::with_capacity(types.len());
    while rows.next(&mut row)? {
        into.complete(&mut row)?;
        packet.put_i16(width);
        for (value, (ty, shape)) in row.drain(..).zip(types) {
            sized(&value, most)?;
            framed(&mut packet, |out| encode(&value, ty, *shape, out))?;
        }
        if packet.len() >= PACKET {
            sink.send(packet.split().freeze()).await.map_err(error)?;
            packet.reserve(PACKET * 2);
        }
    }
    packet.put_i16(-1);
    sink.send(packet.freeze()).await.map_err(error)?;
    sink.finish().await.map_err(error)
}

/// Inserts rows, all or none, each by a statement of its own that gives its key.
pub(super) async fn keys(
    session: &mut Session,
    sql: &str,
    into: &BulkInsert,
    rows: &mut dyn RowSource,
) -> Result<Vec<Value>> {
    let key = Key { sql, types: into.columns.iter().map(|column| Some(column.column.ty)) };
    let prepared = prepared(session, key).await?;
    if session.depth > 0 {
        return inserted(session, &prepared, into, rows, Fate::Cancel).await;
    }
    session.text("BEGIN", Fate::Close).await?;
    let done = inserted(session, &prepared, into, rows, Fate::Close).await;
    let ended = session.text(if done.is_ok() { "COMMIT" } else { "ROLLBACK" }, Fate::Close).await;
    done.and_then(|keys| ended.map(|()| keys))
}

async fn inserted(
    session: &mut Session,
    prepared: &Prepared,
    into: &BulkInsert,
    rows: &mut dyn RowSource,
    fate: Fate,
) -> Result<Vec<Value>> {
    let ty = into.identity.as_ref().map(|identity| identity.column.ty);
    let mut batch = Batch::new(into.columns.len(), session.value_bytes);
    let mut keys = Vec::new();
    while batch.fill(rows, |row| Ok(into.complete(row)?))? {
        let Session { client, line, suspect, .. } = &mut *session;
        let running = line.start(fate);
        let mut sent: FuturesOrdered<_> = batch.rows().map(|row| one_key(client, prepared, row, ty)).collect();
        let mut failed = None;
        while let Some(done) = sent.next().await {
            match done {
                Ok(key) => keys.push(key),
                Err(found) => failed = failed.or(Some(found)),
            }
        }
        running.end();
        if let Some(found) = failed {
            *suspect = true;
            return Err(found);
        }
    }
    Ok(keys)
}

async fn one_key(client: &Client, prepared: &Prepared, row: &[Value], ty: Option<DbType>) -> Result<Value> {
    let rows = client.query_raw(&prepared.statement, row.iter().map(Bound)).await.map_err(error)?;
    let mut rows = pin!(rows);
    let mut key = None;
    while let Some(row) = rows.try_next().await.map_err(error)? {
        key = Some(PostgresRow { row: &row, shapes: &prepared.shapes }.value(0, ty)?);
    }
    key.ok_or_else(|| Error::new(ErrorKind::Decode, "an INSERT gave no key: a rule or trigger has kept the row"))
}
