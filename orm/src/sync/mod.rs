//! Table sync: adds tables, columns and indexes that are missing, and changes or drops nothing. A new table gets its foreign
//! keys, after the tables that they refer to; a table that exists gets none.
//!
//! Whether a table is synced is decided by the first of these that says so: the hook of
//! [`OrmContext::on_table_syncing`], `#[table(sync_table = always)]` or `never`, and the `SyncTable` of the data
//! source. A table is synced when it is first used, or at the start of the program by [`OrmContext::sync_all`].
//! [`OrmContext::sync_plan`] only returns the statements, and tells what a sync would leave as it is: types, lengths, NULL,
//! defaults, indexes and foreign keys that are otherwise than the entities say.
//!
//! The tables of an operation are those of its entity, of everything that can be joined to it in the same data source,
//! and of what its filter or query names, each with the arguments of its shard. Tables that are named in the text of a
//! template, or in its holes, are not recognized: call [`OrmContext::sync_table`] or [`OrmContext::sync_all`] before.
//!
//! Existing columns and indexes are read from the engine's own catalog, and changes are made under a lock that other
//! processes wait for. On PostgreSQL, SQLite and SQL Server a table is synced in one transaction; elsewhere each
//! statement commits by itself, as it does on CockroachDB and YugabyteDB. CockroachDB has no such lock: a statement that
//! fails because another process was faster is checked again. A table counts as synced when all statements have succeeded.
//!
//! Syncing uses a connection of its own, even if the table is first used inside of a transaction: it does not commit
//! what the transaction has written, and the table remains if the transaction is rolled back. (SQLite has one writer at
//! a time; there it is done inside of the transaction.) If it has to wait for something that the transaction has
//! locked, such as a table that a foreign key refers to and the transaction has written, it fails with
//! [`SessionError::SyncBlocked`] after the time that [`lease_wait`](crate::context::OrmBuilder::lease_wait) sets: sync
//! the tables before.

mod plan;
mod run;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use isogloss_compiler::Scope;
use isogloss_compiler::compact_str::CompactString;
use isogloss_compiler::expr::{Expr, LogicExpr, SqlSegment};
use isogloss_compiler::model::{Catalog, Entity, EntityId, SyncTableMode};
use isogloss_compiler::walk::{ExprRef, VisitOrder, visit};
use isogloss_driver::ddl::{Ddl, Difference};
use tokio::sync::OnceCell;

use run::{Missing, Wanted};

use crate::context::{DataSource, OrmContext};
use crate::entity::FieldError;
use crate::session::{Purpose, Session, SessionError};
use crate::{OrmError, OrmResult};

/// A table that is about to be synced.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TableSyncing<'t> {
    /// The name of the entity.
    pub entity: &'t str,
    /// The name of the table, with the arguments of a shard.
    pub table: &'t str,
    /// The name of the data source.
    pub data_source: &'t str,
    /// Whether it would be synced, as its entity and its data source say.
    pub should_sync: bool,
}

/// What is missing of a table, and the statements that add it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableSync {
    /// The name of the data source.
    pub data_source: Arc<str>,
    /// The name of the entity.
    pub entity: String,
    /// The name of the table, with the arguments of a shard.
    pub table: String,
    /// The statements in order; empty if nothing is missing.
    pub statements: Vec<String>,
    /// What the table has otherwise than its entities say, with what would mend it and what that does to a table in use. It is
    /// told by [`OrmContext::sync_plan`], and nothing of it is run by a sync. What no entity names is no difference.
    pub differences: Vec<Difference>,
}

/// The statements, each with its end, for people and for a file; differences are comments behind them.
impl fmt::Display for TableSync {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What a database says may have line breaks, which would end a comment.
        let comment = |f: &mut fmt::Formatter<'_>, text: String| {
            text.split(['\n', '\r']).try_for_each(|line| writeln!(f, "-- {line}"))
        };
        comment(f, format!("{} ({})", self.table, self.data_source))?;
        self.statements.iter().try_for_each(|statement| writeln!(f, "{statement};"))?;
        self.differences.iter().try_for_each(|told| {
            let impact = told.impact.to_string();
            let impact = if impact.is_empty() { impact } else { format!(": {impact}") };
            comment(f, format!("left alone: {told}{impact}"))
        })
    }
}

/// The tables that a tree names, with their arguments.
fn named(tree: ExprRef<'_>) -> Vec<(&str, &[CompactString])> {
    let mut named: Vec<(&str, &[CompactString])> = Vec::new();
    visit(tree, VisitOrder::Pre, |node| match node {
        ExprRef::Table(table) => named.push((table.entity.as_str(), &table.table_args)),
        ExprRef::Segment(SqlSegment::Table(table)) => named.push((table.entity.as_str(), &table.table_args)),
        ExprRef::Logic(LogicExpr::Foreign(inner)) => named.push((inner.entity.as_str(), &inner.table_args)),
        _ => {}
    });
    named
}

type SyncHook = dyn Fn(&TableSyncing<'_>) -> bool + Send + Sync;

/// What a context knows of its tables.
#[derive(Default)]
pub(crate) struct Synced {
    looked: Mutex<HashMap<TableKey, Arc<Look>>>,
    /// Entities of which nothing is left to look at, with their arguments: what an operation asks first, and most often
    /// last.
    settled: RwLock<HashMap<EntityId, HashSet<Vec<CompactString>>>>,
    hook: RwLock<Option<Arc<SyncHook>>>,
    /// Whether an entity or a source asks for it: settled at the first use, when no more are added.
    asked: OnceLock<bool>,
}

/// The look at a table: one caller at a time takes it, until one has succeeded.
#[derive(Default)]
struct Look {
    done: OnceCell<()>,
    /// How many have failed, and the error of the last.
    failures: Mutex<(u64, Option<isogloss_driver::Error>)>,
}

impl Look {
    fn failures(&self) -> MutexGuard<'_, (u64, Option<isogloss_driver::Error>)> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The error of a look that has failed since there were so many.
    fn failed_since(&self, count: u64) -> Option<isogloss_driver::Error> {
        let failures = self.failures();
        failures.1.as_ref().filter(|_| failures.0 > count).map(isogloss_driver::Error::again)
    }

    fn failed(&self, error: &OrmError) {
        if let Some(error) = error.driver() {
            let mut failures = self.failures();
            *failures = (failures.0 + 1, Some(error.again()));
        }
    }
}

/// A source, an entity and a table: two entities of one table have columns of their own.
type TableKey = (Arc<str>, EntityId, String);

/// A table of a source.
struct TablePlace<'c> {
    id: EntityId,
    entity: &'c Entity,
    source: Arc<DataSource>,
    args: Vec<CompactString>,
    table: String,
}

impl TablePlace<'_> {
    fn wanted<'t>(&'t self, ddl: &'t dyn Ddl, catalog: &'t Catalog, later: &'t [EntityId]) -> Wanted<'t> {
        Wanted { ddl, catalog, id: self.id, args: &self.args, later }
    }
}

impl Synced {
    fn is_settled(&self, id: EntityId, args: &[CompactString]) -> bool {
        let settled = self.settled.read().unwrap_or_else(PoisonError::into_inner);
        settled.get(&id).is_some_and(|known| known.contains(args))
    }

    fn settle(&self, id: EntityId, args: &[CompactString]) {
        let mut settled = self.settled.write().unwrap_or_else(PoisonError::into_inner);
        settled.entry(id).or_default().insert(args.to_vec());
    }

    fn look(&self, place: &TablePlace<'_>) -> Arc<Look> {
        let key = (Arc::clone(place.source.name()), place.id, place.table.clone());
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(looked.entry(key).or_default())
    }
}

impl OrmContext {
    /// Sets a hook that decides for each table whether it is synced, whatever its entity and its data source say. It is
    /// called when a table is first used, and by each call that syncs all tables.
    ///
    /// ```
    /// use isogloss::OrmContext;
    /// fn only_small_ones(context: &OrmContext) {
    ///     context.on_table_syncing(|table| table.should_sync && !table.table.starts_with("archive"));
    /// }
    /// ```
    pub fn on_table_syncing(&self, hook: impl Fn(&TableSyncing<'_>) -> bool + Send + Sync + 'static) {
        *self.tables().hook.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(hook));
        self.tables().settled.write().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Adds what is missing of every table to be synced, except for sharded tables, and returns what that was.
    ///
    /// # Errors
    /// A data source that cannot be reached, a type that its engine lacks, or a statement that fails; or the context is
    /// closed.
    pub async fn sync_all(&self) -> OrmResult<Vec<TableSync>> {
        let mut done = self.all(true).await?;
        done.retain(|table| !table.statements.is_empty());
        Ok(done)
    }

    /// Adds what is missing of one table, even if it is not to be synced otherwise. For a sharded table, the arguments
    /// select the shard.
    ///
    /// # Errors
    /// There is no such entity; otherwise those of [`sync_all`](Self::sync_all).
    pub async fn sync_table<A: Into<CompactString>>(
        &self,
        entity: &str,
        args: impl IntoIterator<Item = A>,
    ) -> OrmResult<TableSync> {
        let Some((id, _)) = self.catalog().entity(entity) else {
            return Err(FieldError::new(format!("`{entity}` is not in the catalog")).into());
        };
        let _under_way = self.begin_lease()?;
        let place = self.place(id, args.into_iter().map(Into::into).collect())?;
        let (id, table) = (place.id, place.table.clone());
        let done = self.look_at(vec![place], true).await?;
        let own = done.into_iter().find(|(other, done)| *other == id && done.table == table);
        own.map(|(_, done)| done).ok_or_else(|| FieldError::new(format!("`{entity}` is no table")).into())
    }

    async fn all(&self, apply: bool) -> OrmResult<Vec<TableSync>> {
        let _under_way = self.begin_lease()?;
        let mut places = Vec::new();
        for (id, entity) in self.catalog().entities() {
            if entity.base.is_some() || entity.table.args() > 0 {
                continue;
            }
            let place = self.place(id, Vec::new())?;
            if self.is_wanted(&place) {
                places.push(place);
            }
        }
        Ok(self.look_at(places, apply).await?.into_iter().map(|(_, done)| done).collect())
    }

    /// The tables of an entity and of what can be joined to it in its source, at their first use.
    pub(crate) async fn ready(&self, session: &Session, entity: &str, args: &[CompactString]) -> OrmResult<()> {
        if !self.may_sync() {
            return Ok(());
        }
        let Some((id, entity)) = self.catalog().entity(entity) else { return Ok(()) };
        if self.tables().is_settled(id, args) {
            return Ok(());
        }
        // A transaction is under way by itself, and comes to its end also where the context is closed.
        let _under_way = if session.in_transaction() { None } else { Some(self.begin_lease()?) };
        let source = self.data_source_of(entity)?;
        let mut places = Vec::new();
        for table in std::iter::once(id).chain(entity.joins.iter().map(|join| join.target)) {
            let table = self.catalog().table_of(table);
            // Without its arguments, a sharded table is no table: the statement says so.
            if self.catalog().get(table).table.args() > args.len() {
                continue;
            }
            let place = self.place(table, args.to_vec())?;
            if Arc::ptr_eq(&place.source, &source) && !self.is_done(&place) && self.is_wanted(&place) {
                places.push(place);
            }
        }
        if places.is_empty() || self.first(session, &source, places).await? {
            self.tables().settle(id, args);
        }
        Ok(())
    }

    /// Makes the tables ready that a statement and the session's scope name, with the arguments that they give them.
    pub(crate) async fn ready_for(
        &self,
        session: &Session,
        entity: &str,
        args: &[CompactString],
        statement: Option<&Expr>,
    ) -> OrmResult<()> {
        if !self.may_sync() {
            return Ok(());
        }
        self.ready(session, entity, args).await?;
        let scope = session.current_scope().into_iter().flat_map(Scope::conditions).map(ExprRef::from);
        for (entity, own) in statement.map(ExprRef::from).into_iter().chain(scope).flat_map(named) {
            self.ready(session, entity, if own.is_empty() { args } else { own }).await?;
        }
        Ok(())
    }

    /// Looks at tables of a source that are about to be used. Says whether that holds for good.
    async fn first(&self, session: &Session, source: &Arc<DataSource>, places: Vec<TablePlace<'_>>) -> OrmResult<bool> {
        if !session.in_transaction() {
            return self.look_at(places, true).await.map(|_| true);
        }
        let mut lease = session.lease(Some(source.name()), Purpose::Write).await?;
        // It has one writer at a time, which is this transaction. What is taken back with it is not there.
        if lease.dialect().lineage().any(|dialect| dialect.sheet().name == "sqlite") {
            let backend = Arc::clone(lease.backend());
            for place in self.with_referred(places)? {
                let connection = lease.connection()?;
                let done = place.wanted(backend.ddl(), self.catalog(), &[]).within(connection).await;
                done.map_err(|error| source.failed(error))?;
            }
            return Ok(false);
        }
        drop(lease);
        // What the transaction has locked may be what the other connection waits for.
        let (waited, table) = (self.settings().lease_wait, places.first().map(|place| place.table.clone()));
        match tokio::time::timeout(waited, self.look_at(places, true)).await {
            Ok(done) => done.map(|_| true),
            Err(_) => {
                let (data_source, table) = (Arc::clone(source.name()), table.unwrap_or_default());
                Err(SessionError::SyncBlocked { data_source, table, waited }.into())
            }
        }
    }

    /// The tables with those that their foreign keys refer to, each after these. Tables that refer to each other come in any
    /// order.
    fn with_referred<'c>(&'c self, places: Vec<TablePlace<'c>>) -> OrmResult<Vec<TablePlace<'c>>> {
        let (mut ordered, mut seen) = (Vec::new(), HashSet::new());
        // A table whose targets are on the stack above it is taken from there after them.
        let mut stack: Vec<(TablePlace<'c>, bool)> = places.into_iter().rev().map(|place| (place, false)).collect();
        while let Some((place, is_due)) = stack.pop() {
            if is_due {
                ordered.push(place);
                continue;
            }
            if !seen.insert((place.id, place.table.clone())) {
                continue;
            }
            let mut targets = Vec::new();
            for constraint in &place.entity.constraints {
                let target = self.place(self.catalog().table_of(constraint.target), Vec::new())?;
                let is_beside = Arc::ptr_eq(&target.source, &place.source);
                if is_beside && !self.is_done(&target) && self.is_wanted(&target) {
                    targets.push((target, false));
                }
            }
            stack.push((place, true));
            stack.extend(targets.into_iter().rev());
        }
        Ok(ordered)
    }

    /// Finds what is missing of tables, and of those that they refer to, and makes it.
    async fn look_at(&self, places: Vec<TablePlace<'_>>, apply: bool) -> OrmResult<Vec<(EntityId, TableSync)>> {
        let places = self.with_referred(places)?;
        let ids: Vec<EntityId> = places.iter().map(|place| place.id).collect();
        let (mut found, mut waiting) = (Vec::with_capacity(places.len()), Vec::new());
        for (at, place) in places.iter().enumerate() {
            let missing = self.look(place, ids.get(at + 1..).unwrap_or_default(), apply).await?;
            let mut statements: Vec<String> = missing.all().cloned().collect();
            waiting.extend(missing.later);
            let due: Vec<String> =
                waiting.extract_if(.., |(target, _)| *target == place.id).map(|(_, statement)| statement).collect();
            if apply && !due.is_empty() {
                let mut connection = place.source.primary().await?.connection;
                for statement in &due {
                    connection.script(statement).await.map_err(|error| place.source.failed(error))?;
                }
            }
            statements.extend(due);
            let (data_source, entity) = (Arc::clone(place.source.name()), place.entity.name.to_string());
            let table = place.table.clone();
            found.push((place.id, TableSync { data_source, entity, table, statements, differences: Vec::new() }));
        }
        Ok(found)
    }

    /// Finds what is missing of a table, and makes it.
    async fn look(&self, place: &TablePlace<'_>, later: &[EntityId], apply: bool) -> OrmResult<Missing> {
        if !apply {
            return self.missing(place, later, false).await;
        }
        let mut made = Missing::default();
        let look = self.tables().look(place);
        let failures = look.failures().0;
        let take = async || {
            // Another one would take as long: who has waited for a look that failed has its error.
            if let Some(error) = look.failed_since(failures) {
                return Err(place.source.failed(error));
            }
            made = self.missing(place, later, true).await.inspect_err(|error| look.failed(error))?;
            let statements = made.all().count();
            if statements > 0 {
                tracing::info!(target: "isogloss", table = %place.table, statements, "the table was made to agree");
            }
            OrmResult::Ok(())
        };
        look.done.get_or_try_init(take).await?;
        Ok(made)
    }

    async fn missing(&self, place: &TablePlace<'_>, later: &[EntityId], apply: bool) -> OrmResult<Missing> {
        let backend = place.source.backend().await?;
        let mut connection = place.source.primary().await?.connection;
        let wanted = place.wanted(backend.ddl(), self.catalog(), later);
        let done = if apply { wanted.apply(&mut connection).await } else { wanted.missing(&mut connection).await };
        done.map_err(|error| place.source.failed(error))
    }

    fn place(&self, id: EntityId, args: Vec<CompactString>) -> OrmResult<TablePlace<'_>> {
        let id = self.catalog().table_of(id);
        let entity = self.catalog().get(id);
        let parts = entity.table.expand(&args);
        let parts = parts.map_err(|error| FieldError::new(format!("`{}`: {error}", entity.name)))?;
        let table = parts.join(".");
        // A table without shards has the same name whatever the arguments are.
        let args = if entity.table.args() == 0 { Vec::new() } else { args };
        Ok(TablePlace { id, entity, source: self.data_source_of(entity)?, args, table })
    }

    /// Whether any table is looked at by itself.
    fn may_sync(&self) -> bool {
        let asked = || {
            self.catalog().entities().any(|(_, entity)| entity.sync_table == SyncTableMode::Always)
                || self.data_sources().iter().any(|source| source.config().sync_table)
        };
        *self.tables().asked.get_or_init(asked) || self.has_hook()
    }

    fn is_wanted(&self, place: &TablePlace<'_>) -> bool {
        let should_sync = match place.entity.sync_table {
            SyncTableMode::Never => false,
            SyncTableMode::Always => true,
            SyncTableMode::Default => place.source.config().sync_table,
        };
        let hook = self.tables().hook.read().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(hook) = hook else { return should_sync };
        let (entity, data_source) = (place.entity.name.as_str(), place.source.name());
        hook(&TableSyncing { entity, table: &place.table, data_source, should_sync })
    }

    fn is_done(&self, place: &TablePlace<'_>) -> bool {
        self.tables().look(place).done.initialized()
    }

    fn has_hook(&self) -> bool {
        self.tables().hook.read().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}
