//! Texts that the server has prepared.

use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hashlink::{DefaultHashBuilder, LruCache};
use isogloss_compiler::expr::{DbType, Value};
use isogloss_driver::{Error, ErrorKind, Result};
use tokio_postgres::error::DbError;
use tokio_postgres::{Client, Statement};

use super::encode::{Bound, declared};
use super::error::error;
use super::reads::reads;
use super::relay::of_this_process;
use super::scripts;
use super::typed::{Rows, Typed};
use crate::wire::Shape;

/// A prepared statement.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) statement: Statement,
    /// The shapes of its columns.
    pub(super) shapes: Arc<[Shape]>,
    /// Whether it only reads, as far as its words tell.
    pub(super) reads: bool,
    /// Whether its session keeps something of it.
    pub(super) changes: bool,
    /// Whether it may begin a transaction.
    pub(super) begins: bool,
    /// Whether it may end one.
    pub(super) ends: bool,
}

/// A statement that may be run: prepared, or with all that it takes to do without.
pub(super) enum Ready {
    Named(Arc<Prepared>),
    Typed(Typed),
}

impl Ready {
    /// Runs it. The rows come with the shapes of their columns.
    pub(super) async fn rows(&self, client: &Client, params: &[Value]) -> Result<(Rows, Arc<[Shape]>)> {
        match self {
            Self::Named(prepared) => {
                let rows = client.query_raw(&prepared.statement, params.iter().map(Bound)).await.map_err(error)?;
                Ok((Rows::new(rows), Arc::clone(&prepared.shapes)))
            }
            Self::Typed(typed) => typed.rows(client, params.iter()).await,
        }
    }

    /// Runs it, and gives how many rows it has changed.
    pub(super) async fn changed(&self, client: &Client, params: &[Value]) -> Result<u64> {
        match self {
            Self::Named(prepared) => {
                client.execute_raw(&prepared.statement, params.iter().map(Bound)).await.map_err(error)
            }
            Self::Typed(typed) => typed.changed(client, params).await,
        }
    }
}

/// Counts changes of tables that the sessions of a pool have made or met: other sessions may keep statements from before.
#[derive(Debug, Clone, Default)]
pub(super) struct TableChanges(Arc<AtomicU64>);

impl TableChanges {
    pub(super) fn note(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Those of one session, as many as its options say: the least used one goes first.
pub(super) struct Statements {
    kept: LruCache<u64, Kept>,
    hasher: DefaultHashBuilder,
    changes: TableChanges,
    /// How many of the changes there were when nothing was kept yet.
    seen: u64,
}

struct Kept {
    sql: Box<str>,
    types: Box<[Option<DbType>]>,
    prepared: Arc<Prepared>,
}

/// The types of parameters, in their order.
pub(super) trait Types: Iterator<Item = Option<DbType>> + Clone {}

impl<I: Iterator<Item = Option<DbType>> + Clone> Types for I {}

/// What finds a statement: a text may be prepared for parameters of other types, too.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key<'k, I> {
    pub(super) sql: &'k str,
    pub(super) types: I,
}

impl Statements {
    pub(super) fn new(most: usize, changes: TableChanges) -> Self {
        let seen = changes.0.load(Ordering::Relaxed);
        Self { kept: LruCache::new(most), hasher: DefaultHashBuilder::default(), changes, seen }
    }

    /// Forgets all if tables have changed since: a stale statement ends the transaction that runs it.
    pub(super) fn renew(&mut self) {
        let now = self.changes.0.load(Ordering::Relaxed);
        if std::mem::replace(&mut self.seen, now) != now {
            self.kept.clear();
        }
    }

    /// Notes that a table may have changed.
    pub(super) fn note_change(&self) {
        self.changes.note();
    }

    /// The one that is kept.
    pub(super) fn find<I: Types>(&mut self, key: &Key<'_, I>) -> Option<Arc<Prepared>> {
        let hash = self.hash(key);
        let kept = self.kept.get(&hash)?;
        let same = *kept.sql == *key.sql && kept.types.iter().copied().eq(key.types.clone());
        same.then(|| Arc::clone(&kept.prepared))
    }

    /// Prepares a text, and keeps it.
    ///
    /// A pooler that shares prepared statements by their texts may have one that is of no use any more. Outside of a
    /// transaction, which the error has ended, another text is tried.
    ///
    /// # Errors
    /// What the server says of it, and another number of parameters than it has.
    pub(super) async fn prepare<I: Types>(
        &mut self,
        client: &Client,
        key: &Key<'_, I>,
        alone: bool,
    ) -> Result<Arc<Prepared>> {
        let types: Vec<_> = key.types.clone().map(declared).collect();
        let prepared = match client.prepare_typed(key.sql, &types).await {
            Err(found) if alone && is_stale(&found) => client.prepare_typed(&other(key.sql), &types).await,
            prepared => prepared,
        };
        let statement = prepared.map_err(error)?;
        let (given, wanted) = (types.len(), statement.params().len());
        if given != wanted {
            let message = format!("{given} parameters are given, the statement has {wanted}");
            return Err(Error::new(ErrorKind::BadValue, message));
        }
        let shapes = statement.columns().iter().map(|column| Shape::of(column.type_())).collect();
        let changes = scripts::check_one(key.sql).is_err();
        let (begins, ends) = (changes && scripts::may_begin(key.sql), changes && scripts::may_end(key.sql));
        let prepared = Arc::new(Prepared { statement, shapes, reads: reads(key.sql), changes, begins, ends });
        if self.kept.capacity() > 0 {
            let types = key.types.clone().collect();
            let kept = Kept { sql: key.sql.into(), types, prepared: Arc::clone(&prepared) };
            self.kept.insert(self.hash(key), kept);
        }
        Ok(prepared)
    }

    /// Forgets one that is no longer of use.
    pub(super) fn forget<I: Types>(&mut self, key: &Key<'_, I>) {
        let hash = self.hash(key);
        self.kept.remove(&hash);
    }

    fn hash<I: Types>(&self, key: &Key<'_, I>) -> u64 {
        use std::hash::{Hash, Hasher};
        let mut hasher = self.hasher.build_hasher();
        key.sql.hash(&mut hasher);
        key.types.clone().for_each(|ty| hasher.write_u8(ty.map_or(u8::MAX, DbType::number)));
        hasher.finish()
    }
}

/// A text that means the same, and that nobody has prepared yet.
fn other(sql: &str) -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    format!("{sql}\n-- {}{}", NUMBER.fetch_add(1, Ordering::Relaxed), of_this_process())
}

/// Whether a statement that was kept is of no use any more: a table has other columns, or somebody has thrown the
/// statements away. It was not run.
pub(super) fn is_stale(found: &tokio_postgres::Error) -> bool {
    found.as_db_error().is_some_and(|reported| reported.code().code() == "26000" || has_other_columns(reported))
}

/// `cached plan must not change result type`, in whatever language; CockroachDB's routines have other names.
pub(super) fn has_other_columns(reported: &DbError) -> bool {
    reported.code().code() == "0A000"
        && (reported.routine() == Some("RevalidateCachedQuery")
            || reported.message().ends_with("cached plan must not change result type"))
}
