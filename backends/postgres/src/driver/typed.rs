//! Statements that leave nothing behind in their session: unnamed ones, whose types go with them.

use std::collections::{HashMap, VecDeque};
use std::pin::Pin;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use futures_util::TryStreamExt;
use isogloss_compiler::expr::{DbType, Value};
use isogloss_driver::{Error, ErrorKind, Result};
use tokio_postgres::types::{Kind, ToSql, Type};
use tokio_postgres::{Client, Column, Row, RowStream};

use super::encode::{Bound, declared};
use super::error::error;
use super::relay::STAND_IN;
use crate::wire::{Scalar, Shape};

/// The type that the server finds out. What is sent of it is text, which is right for each type.
static OPEN: LazyLock<Type> = LazyLock::new(|| Type::new("unknown".into(), 0, Kind::Simple, "pg_catalog".into()));

/// A text, with the types of its parameters.
#[derive(Debug)]
pub(super) struct Typed {
    sql: Box<str>,
    types: Box<[Type]>,
    strange: Arc<Strange>,
}

/// Rows on their way, perhaps with some that were read before anybody wanted them.
pub(super) struct Rows {
    stream: Pin<Box<RowStream>>,
    read: VecDeque<Row>,
    ended: bool,
}

impl Rows {
    pub(super) fn new(stream: RowStream) -> Self {
        Self { stream: Box::pin(stream), read: VecDeque::new(), ended: false }
    }

    pub(super) async fn next(&mut self) -> Result<Option<Row>, tokio_postgres::Error> {
        if let Some(row) = self.read.pop_front() {
            return Ok(Some(row));
        }
        if self.ended {
            return Ok(None);
        }
        let row = self.stream.try_next().await?;
        self.ended = row.is_none();
        Ok(row)
    }

    /// How many rows the statement has changed or given, behind the last of them.
    pub(super) fn count(&self) -> u64 {
        self.stream.rows_affected().unwrap_or(0)
    }
}

impl Typed {
    pub(super) fn new(sql: &str, types: impl Iterator<Item = Option<DbType>>, strange: &Arc<Strange>) -> Self {
        Self::of(sql, types.map(declared), strange)
    }

    /// With types as the server knows them.
    pub(super) fn of(sql: &str, types: impl Iterator<Item = Type>, strange: &Arc<Strange>) -> Self {
        let open = |ty: Type| if ty == Type::UNKNOWN || ty == STAND_IN { OPEN.clone() } else { ty };
        Self { sql: sql.into(), types: types.map(open).collect(), strange: Arc::clone(strange) }
    }

    /// Learns the types of its columns before it is run: what asks for them later has its turn behind the last row.
    pub(super) async fn learn(&self, client: &Client) -> Result<()> {
        let statement = client.prepare_typed(&self.sql, &self.types).await.map_err(error)?;
        let unknown = self.strange.unknown(statement.columns());
        drop(statement);
        // The library closes it, and waits for no answer: what comes next is not to be sent before that.
        client.check_connection().await.map_err(error)?;
        if unknown.is_empty() { Ok(()) } else { self.strange.learn(client, &unknown).await }
    }

    /// Runs it. The rows come with the shapes of their columns, which the first of them tells.
    pub(super) async fn rows(
        &self,
        client: &Client,
        params: impl ExactSizeIterator<Item = &Value>,
    ) -> Result<(Rows, Arc<[Shape]>)> {
        let params = params.map(Bound).zip(self.types.iter().cloned());
        let mut rows = Rows::new(client.query_typed_raw(&self.sql, params).await.map_err(error)?);
        let Some(first) = rows.next().await.map_err(error)? else { return Ok((rows, Arc::default())) };
        let unknown = self.strange.unknown(first.columns());
        let mut read = VecDeque::from([first]);
        if !unknown.is_empty() {
            // What tells about types has its turn behind the last row.
            while let Some(row) = rows.next().await.map_err(error)? {
                read.push_back(row);
            }
            self.strange.learn(client, &unknown).await?;
        }
        let shapes = read.front().map(|row| row.columns().iter().map(|column| self.strange.shape(column)).collect());
        rows.read = read;
        Ok((rows, shapes.unwrap_or_default()))
    }

    /// Runs it, and gives how many rows it has changed.
    pub(super) async fn changed(&self, client: &Client, params: &[Value]) -> Result<u64> {
        let bound: Vec<Bound<'_>> = params.iter().map(Bound).collect();
        let bound = bound.iter().map(|value| value as &(dyn ToSql + Sync));
        let params: Vec<_> = bound.zip(self.types.iter().cloned()).collect();
        client.execute_typed(&self.sql, &params).await.map_err(error)
    }
}

/// What is known of the types that are not the server's own: of a pool, as they are of its database.
#[derive(Debug, Default)]
pub(super) struct Strange(Mutex<HashMap<u32, Shape>>);

const TYPES: &str = "\
    SELECT t.oid, t.typcategory = 'A', b.oid, b.typtype = 'e' OR b.typname = 'citext' FROM pg_catalog.pg_type t \
    JOIN pg_catalog.pg_type e ON e.oid = CASE WHEN t.typcategory = 'A' THEN t.typelem ELSE t.oid END \
    JOIN pg_catalog.pg_type b ON b.oid = CASE WHEN e.typtype = 'd' THEN e.typbasetype ELSE e.oid END \
    WHERE t.oid IN ";

impl Strange {
    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<u32, Shape>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Those of which nothing is known yet.
    fn unknown(&self, columns: &[Column]) -> Vec<u32> {
        if columns.iter().all(|column| number(column).is_none()) {
            return Vec::new();
        }
        let known = self.known();
        columns.iter().filter_map(number).filter(|oid| !known.contains_key(oid)).collect()
    }

    fn shape(&self, column: &Column) -> Shape {
        let other = Shape { scalar: Scalar::Other, array: false };
        number(column).map_or_else(|| Shape::of(column.type_()), |oid| self.known().get(&oid).copied().unwrap_or(other))
    }

    /// Asks the server what it has of an enum, `citext`, an array of either, and arrays of domains.
    async fn learn(&self, client: &Client, oids: &[u32]) -> Result<()> {
        let numbers: Vec<String> = oids.iter().map(u32::to_string).collect();
        let sql = format!("{TYPES}({})", numbers.join(", "));
        for row in client.query_typed(&sql, &[]).await.map_err(error)? {
            let told =
                || Some((row.try_get(0).ok()?, row.try_get(1).ok()?, row.try_get(2).ok()?, row.try_get(3).ok()?));
            let Some((oid, array, base, is_text)) = told() else {
                return Err(Error::new(ErrorKind::Decode, "what the server tells of a type is not as expected"));
            };
            let base: Option<Type> = Type::from_oid(base);
            let scalar = match base {
                _ if is_text => Scalar::Text,
                Some(base) => Shape::of(&base).scalar,
                None => Scalar::Other,
            };
            self.known().insert(oid, Shape { scalar, array });
        }
        Ok(())
    }
}

/// The number of a type that has a stand-in.
fn number(column: &Column) -> Option<u32> {
    column.table_oid().filter(|_| *column.type_() == STAND_IN)
}
