//! Many rows at once: statements on their way before the first is answered, and `COPY` in its binary form.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use futures_util::future::join;
use futures_util::stream::FuturesOrdered;
use futures_util::{SinkExt, StreamExt};
use isogloss_compiler::expr::{DbType, Value};
use isogloss_compiler::{BulkInsert, Compiled};
use isogloss_driver::{Error, ErrorKind, Result, Row, RowSource, weight};
use tokio_postgres::types::Type;
use tokio_postgres::{Client, CopyInSink, Statement};

use super::decode::PostgresRow;
use super::encode::sized;
use super::error::error;
use super::numbered::{FEW, Held, Numbering};
use super::scripts;
use super::session::{Fate, Session};
use super::statements::{Key, Prepared, Ready, Types};
use super::typed::Typed;
use crate::wire::{Scalar, Shape, Slot, encode, framed};

/// How many statements are under way at once, and how many bytes of values.
const ROWS: usize = 512;
const BYTES: usize = 4 << 20;

/// How many bytes of a COPY go into one message, at least.
const PACKET: usize = 64 << 10;

/// Runs something with each row, many of them under way at once, and takes what it gives in the order of the rows.
///
/// Each is sent when it is polled for the first time, which happens in that order, too. An error ends the rows; those
/// that are under way have their answers before it is given.
async fn piped<T, F: Future<Output = (Result<T>, Vec<Value>)>>(
    source: &mut dyn RowSource,
    mut check: impl FnMut(&mut Vec<Value>) -> Result<()>,
    run: impl Fn(Vec<Value>) -> F,
    mut take: impl FnMut(T),
) -> Result<()> {
    let mut under_way = FuturesOrdered::new();
    let (mut spare, mut weights, mut bytes) = (Vec::new(), VecDeque::new(), 0);
    let (mut ended, mut refused, mut failed) = (false, None, None);
    loop {
        while !ended && under_way.len() < ROWS && bytes < BYTES {
            let mut row: Vec<Value> = spare.pop().unwrap_or_default();
            match source.next(&mut row).and_then(|more| if more { check(&mut row).map(|()| true) } else { Ok(false) }) {
                Ok(true) => {
                    let weight = row.iter().map(weight).sum();
                    weights.push_back(weight);
                    bytes += weight;
                    under_way.push_back(run(row));
                }
                Ok(false) => ended = true,
                Err(found) => (ended, refused) = (true, Some(found)),
            }
        }
        let Some((done, mut row)) = under_way.next().await else { break };
        bytes -= weights.pop_front().unwrap_or(0);
        row.clear();
        spare.push(row);
        match done {
            Ok(given) => take(given),
            // Those behind the first fail because of it, perhaps.
            Err(found) => (ended, failed) = (true, failed.or(Some(found))),
        }
    }
    failed.or(refused).map_or(Ok(()), Err)
}

/// A row has as many values as there are parameters, each of a size that may be sent.
fn fits(row: &[Value], width: usize, most: usize) -> Result<()> {
    if row.len() != width {
        let message = format!("a row has {} values, the statement {width} parameters", row.len());
        return Err(Error::new(ErrorKind::BadValue, message));
    }
    row.iter().try_for_each(|value| sized(value, most))
}

pub(super) async fn prepared<I: Types>(session: &mut Session, key: &Key<'_, I>) -> Result<Ready> {
    if let Some(strange) = &session.pooled {
        return Ok(Ready::Typed(Typed::new(key.sql, key.types.clone(), strange)));
    }
    if let Some(kept) = session.statements.find(key) {
        return Ok(Ready::Named(kept));
    }
    let alone = session.depth == 0;
    let running = session.line.start(Fate::Cancel);
    let done = session.statements.prepare(&session.client, key, alone).await;
    running.end();
    session.suspect |= done.is_err();
    done.map(Ready::Named)
}

/// Runs a statement for each row, many of them under way at once.
///
/// Behind a pooler they are a transaction. Outside of one it may give the session to another program when it has the answers to
/// all that it has passed on, though a part of the next statement is on its way: the server would take the rest for a message of
/// that program's.
pub(super) async fn many(session: &mut Session, statement: &Compiled<'_>, rows: &mut dyn RowSource) -> Result<u64> {
    if session.pooled.is_none() {
        return each(session, statement, rows).await;
    }
    scripts::check_one(&statement.sql)?;
    begin(session, false).await.map_err(Error::unsent)?;
    let done = each(session, statement, rows).await;
    end(session, done).await
}

async fn each(session: &mut Session, statement: &Compiled<'_>, rows: &mut dyn RowSource) -> Result<u64> {
    session.limited(false).await.map_err(Error::unsent)?;
    let key = Key { sql: &statement.sql, types: statement.params.iter().map(|parameter| parameter.ty) };
    let prepared = prepared(session, &key).await.map_err(Error::unsent)?;
    if let Ready::Named(prepared) = &prepared {
        session.changed |= prepared.changes;
        session.begun |= prepared.begins;
        session.ends |= prepared.ends;
    }
    let (width, most) = (statement.params.len(), session.value_bytes);
    let done = changed(session, &prepared, rows, |row| fits(row, width, most)).await;
    if done.is_err() {
        // Perhaps the error is that it is no longer of use.
        session.statements.forget(&key);
    }
    done
}

/// How many rows a statement has changed, run for each row of parameters.
async fn changed(
    session: &mut Session,
    statement: &Ready,
    rows: &mut dyn RowSource,
    check: impl FnMut(&mut Vec<Value>) -> Result<()>,
) -> Result<u64> {
    let Session { client, line, suspect, .. } = session;
    let client = &**client;
    let run = |row: Vec<Value>| async move { (statement.changed(client, &row).await, row) };
    let mut count = 0;
    let running = line.start(Fate::Cancel);
    let done = piped(rows, check, run, |changed| count += changed).await;
    running.end();
    *suspect |= done.is_err();
    done.map(|()| count)
}

/// Begins what is to be done as a whole: with a transaction, unless one is open; one without the server's limit, if it streams
/// rows. What is given up in it is taken back before the session does anything else.
///
/// So is a COPY, which would be whole by itself: it is answered before it is committed, and what a deferred constraint says
/// of it would go unheard.
async fn begin(session: &mut Session, streams: bool) -> Result<()> {
    if session.depth > 0 {
        return Ok(());
    }
    // Given up on its way, it is taken back, too, if it has begun.
    session.half = true;
    session.begin_by(&session.begin_text("BEGIN", None, streams), Fate::Cancel).await
}

/// Ends what was begun.
async fn end<T>(session: &mut Session, done: Result<T>) -> Result<T> {
    if !session.half {
        return done;
    }
    let ended = if done.is_ok() { session.commit().await } else { session.text("ROLLBACK", Fate::Close).await };
    session.half = false;
    session.ended();
    done.and_then(|given| ended.map(|()| given))
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

/// The INSERT of one row that tells the types of columns.
struct Described {
    sql: String,
    statement: Statement,
}

impl Described {
    /// Prepares it, and asks something else meanwhile, which the server answers behind it.
    async fn read<A>(
        session: &mut Session,
        sql: String,
        ask: impl AsyncFnOnce(&Client) -> Result<A>,
    ) -> Result<(Self, A)> {
        let Session { client, line, suspect, .. } = session;
        let running = line.start(Fate::Cancel);
        // Not one that was kept: bytes for a type that the column no longer has would be taken for others.
        let (columns, answer) = join(client.prepare(&sql), ask(client)).await;
        running.end();
        let done = columns.map_err(error).and_then(|statement| Ok((Self { sql, statement }, answer?)));
        done.inspect_err(|_| *suspect = true)
    }
}

/// The text of an INSERT of one row.
fn row_text(session: &Session, table: &str, names: &str, width: usize) -> String {
    let overriding = session.product.dialect().overriding();
    let mut insert = format!("INSERT INTO {table} ({names}){overriding} VALUES (");
    for place in 1..=width {
        insert.push_str(&format!("{}${place}", if place == 1 { "" } else { ", " }));
    }
    insert.push(')');
    insert
}

/// Whether COPY does with a table what INSERT does. It refuses a view, some foreign tables, and a policy that is for who asks,
/// and it passes over rules. Of a table in parts, neither of them asks for the policies and rules of the parts.
const COPIES: &str = "\
    SELECT c.relkind IN ('r', 'p') AND NOT row_security_active(c.oid) AND NOT (c.relhasrules AND EXISTS (\
        SELECT FROM pg_catalog.pg_rewrite r WHERE r.ev_class = c.oid AND r.ev_type = '3' AND r.ev_enabled <> 'D')) \
    FROM pg_catalog.pg_class c WHERE c.oid = $1::text::regclass";

/// Asks whether COPY does what INSERT does. Nothing is prepared for it, so that it is answered along with what was sent before.
async fn copies(client: &Client, table: &str) -> Result<bool> {
    let rows = client.query_typed(COPIES, &[(&table, Type::TEXT)]).await.map_err(error)?;
    rows.first().map_or(Ok(false), |row| row.try_get(0).map_err(error))
}

/// What a COPY needs to know of its columns; none where the binary form of a type is not known: COPY would take the
/// letters of a text for the form.
fn forms(columns: &Statement) -> Option<Vec<(&Type, Shape)>> {
    let types: Vec<(&Type, Shape)> = columns.params().iter().map(|ty| (ty, Shape::of(ty))).collect();
    types.iter().all(|(_, shape)| shape.scalar != Scalar::Other).then_some(types)
}

/// Inserts rows by COPY, where that does what INSERT does. They have the types of the columns in the database, which a
/// prepared INSERT tells. Elsewhere, and beside a type whose binary form is not known, that INSERT takes them.
///
/// The server's limit is not for it: the source of the rows takes its time.
pub(super) async fn copy(session: &mut Session, sql: &str, into: &BulkInsert, rows: &mut dyn RowSource) -> Result<u64> {
    session.limited(true).await?;
    begin(session, true).await?;
    let done = copied_or_inserted(session, sql, into, rows).await;
    end(session, done).await
}

async fn copied_or_inserted(
    session: &mut Session,
    sql: &str,
    into: &BulkInsert,
    rows: &mut dyn RowSource,
) -> Result<u64> {
    let width = into.columns.len();
    let insert = row_text(session, &into.table, &names(into), width);
    // CockroachDB lets its administrators alone copy rows.
    let may_copy = !session.product.is_cockroachdb();
    // With each batch: the role may be another one by then, and the table have a policy or a rule. Behind the INSERT that was
    // prepared nobody changes the table, so that the answer holds until the end of the transaction.
    let ask = async |client: &Client| if may_copy { copies(client, &into.table).await } else { Ok(false) };
    let (columns, copies) = Described::read(session, insert, ask).await?;
    let most = session.value_bytes;
    let complete = |row: &mut Vec<Value>| into.complete(row);
    if copies && let Some(types) = forms(&columns.statement) {
        return copied(session, sql, &types, rows, complete).await;
    }
    let check = |row: &mut Vec<Value>| {
        complete(row)?;
        fits(row, width, most)
    };
    let insert = match &session.pooled {
        Some(strange) => Ready::Typed(Typed::of(&columns.sql, columns.statement.params().iter().cloned(), strange)),
        None => Ready::Named(Arc::new(Prepared {
            statement: columns.statement.clone(),
            shapes: Arc::default(),
            reads: false,
            changes: false,
            begins: false,
            ends: false,
        })),
    };
    changed(session, &insert, rows, check).await.map_err(|error| error.with_sql(&columns.sql))
}

/// Copies rows. What was copied before an error is taken back with it: the copy is one statement.
async fn copied(
    session: &mut Session,
    sql: &str,
    types: &[(&Type, Shape)],
    rows: &mut dyn RowSource,
    complete: impl FnMut(&mut Vec<Value>) -> isogloss_compiler::Result<()>,
) -> Result<u64> {
    let Session { client, line, suspect, value_bytes, .. } = session;
    let running = line.start(Fate::Cancel);
    let done = sent(client, sql, types, rows, complete, *value_bytes).await;
    running.end();
    done.inspect_err(|_| *suspect = true)
}

async fn sent(
    client: &Client,
    sql: &str,
    types: &[(&Type, Shape)],
    rows: &mut dyn RowSource,
    mut complete: impl FnMut(&mut Vec<Value>) -> isogloss_compiler::Result<()>,
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
        complete(&mut row)?;
        packet.put_i16(width);
        for (value, (ty, shape)) in row.drain(..).zip(types) {
            sized(&value, most)?;
            framed(&mut packet, |out| encode(&value, Slot::of(ty, *shape), out))?;
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

/// Inserts rows, all or none, and gives the number of each: copied with numbers that are taken before, or each by a
/// statement of its own that gives its key.
pub(super) async fn keys(
    session: &mut Session,
    sql: &str,
    into: &BulkInsert,
    rows: &mut dyn RowSource,
) -> Result<Vec<Value>> {
    session.limited(true).await?;
    begin(session, true).await?;
    let done = numbered_or_inserted(session, sql, into, rows).await;
    end(session, done).await
}

async fn numbered_or_inserted(
    session: &mut Session,
    sql: &str,
    into: &BulkInsert,
    rows: &mut dyn RowSource,
) -> Result<Vec<Value>> {
    let held = Held::read(rows)?;
    // A sequence of CockroachDB's is not asked for many numbers at once.
    if held.len() >= FEW
        && !session.product.is_cockroachdb()
        && let Some(identity) = &into.identity
    {
        let names = format!("{}, {}", names(into), identity.name);
        let insert = row_text(session, &into.table, &names, into.columns.len() + 1);
        let (columns, ()) = Described::read(session, insert, async |_: &Client| Ok(())).await?;
        if let Some(types) = forms(&columns.statement) {
            let numbering = Numbering::prepare(session, into, &identity.column).await?;
            let first = numbering.take(session, held.len(), false).await?;
            if first.len() == held.len() {
                let sql = format!("COPY {} ({names}) FROM STDIN (FORMAT binary)", into.table);
                let copy = Copy { sql: &sql, types: &types, into };
                return numbered(session, &copy, &numbering, first, held, rows).await;
            }
        }
    }
    let rows: &mut dyn RowSource = &mut held.followed_by(rows);
    let key = Key { sql, types: into.columns.iter().map(|column| Some(column.column.ty)) };
    let prepared = prepared(session, &key).await?;
    let done = inserted(session, &prepared, into, rows).await;
    if done.is_err() {
        session.statements.forget(&key);
    }
    done
}

/// A COPY into columns of known forms.
struct Copy<'c> {
    sql: &'c str,
    types: &'c [(&'c Type, Shape)],
    into: &'c BulkInsert,
}

/// Copies rows with their numbers, as many at a time as are held.
async fn numbered(
    session: &mut Session,
    copy: &Copy<'_>,
    numbering: &Numbering,
    mut numbers: Vec<i64>,
    mut held: Held,
    rows: &mut dyn RowSource,
) -> Result<Vec<Value>> {
    let mut keys = Vec::with_capacity(held.len());
    while !numbers.is_empty() {
        let mut next = numbers.iter();
        let complete = |row: &mut Vec<Value>| {
            copy.into.complete(row)?;
            row.extend(next.next().copied().map(Value::from));
            Ok(())
        };
        copied(session, copy.sql, copy.types, &mut held, complete).await?;
        keys.extend(numbers.drain(..).map(Value::from));
        if held.is_all() {
            break;
        }
        held = Held::read(rows)?;
        numbers = numbering.take(session, held.len(), true).await?;
    }
    Ok(keys)
}

async fn inserted(
    session: &mut Session,
    prepared: &Ready,
    into: &BulkInsert,
    rows: &mut dyn RowSource,
) -> Result<Vec<Value>> {
    let (ty, width, most) =
        (into.identity.as_ref().map(|identity| identity.column.ty), into.columns.len(), session.value_bytes);
    let Session { client, line, suspect, .. } = session;
    let client = &**client;
    let check = |row: &mut Vec<Value>| {
        into.complete(row)?;
        fits(row, width, most)
    };
    let run = |row: Vec<Value>| async move { (one_key(client, prepared, &row, ty).await, row) };
    let mut keys = Vec::new();
    let running = line.start(Fate::Cancel);
    let done = piped(rows, check, run, |key| keys.push(key)).await;
    running.end();
    *suspect |= done.is_err();
    done.map(|()| keys)
}

async fn one_key(client: &Client, prepared: &Ready, row: &[Value], ty: Option<DbType>) -> Result<Value> {
    let (mut rows, shapes) = prepared.rows(client, row).await?;
    let mut key = None;
    while let Some(row) = rows.next().await.map_err(error)? {
        key = Some(PostgresRow::new(&row, &shapes).value(0, ty)?);
    }
    key.ok_or_else(|| Error::new(ErrorKind::Decode, "an INSERT gave no key: a rule or trigger has kept the row"))
}
