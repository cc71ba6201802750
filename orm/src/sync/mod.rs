//! Tables that are made to agree with their entities: what is missing is added, and nothing is changed or dropped.
//!
//! Whether a table is looked at is said by, the first that says something: the hook of
//! [`OrmContext::on_table_syncing`], `#[table(sync_table = always)]` or `never`, the `SyncTable` of the data source. It is
//! looked at when it is first used, or at the start of the program by [`OrmContext::sync_all`];
//! [`OrmContext::sync_plan`] only says what would be run.
//!
//! What is there is asked of the engine's own catalog, and changed under a lock that other processes wait for. On
//! PostgreSQL, SQLite and SQL Server it is one transaction; elsewhere each statement commits by itself. A table counts as
//! looked at when all of it has succeeded.

mod run;

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use isogloss_compiler::compact_str::CompactString;
use isogloss_compiler::expr::{Expr, LogicExpr, SqlSegment};
use isogloss_compiler::model::{Entity, EntityId, SyncTableMode};
use isogloss_compiler::walk::{ExprRef, Order, visit};

use crate::OrmResult;
use crate::context::{DataSource, OrmContext};
use crate::session::{Purpose, Session};

/// A table that is about to be looked at.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TableSyncing<'t> {
    /// The entity.
    pub entity: &'t str,
    /// The table, with the arguments of a sharded one.
    pub table: &'t str,
    /// The data source.
    pub data_source: &'t str,
    /// Whether it would be, by its entity and its source.
    pub should_sync: bool,
}

/// What was missing of a table, and what makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableSync {
    /// The data source.
    pub data_source: Arc<str>,
    /// The entity.
    pub entity: String,
    /// The table, with the arguments of a sharded one.
    pub table: String,
    /// The statements, in their order; none where all is there.
    pub statements: Vec<String>,
}

/// The statements, each with its end, for people and for a file.
impl fmt::Display for TableSync {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "-- {} ({})", self.table, self.data_source)?;
        self.statements.iter().try_for_each(|statement| writeln!(f, "{statement};"))
    }
}

type Hook = dyn Fn(&TableSyncing<'_>) -> bool + Send + Sync;

/// What a context knows of its tables.
#[derive(Default)]
pub(crate) struct Synced {
    /// Those that have been looked at, by source, entity and name: two entities of one table have columns of their own.
    done: Mutex<HashSet<(Arc<str>, EntityId, String)>>,
    hook: RwLock<Option<Arc<Hook>>>,
    /// Whether an entity or a source asks for it: settled at the first use, when no more are added.
    asked: OnceLock<bool>,
    /// One at a time.
    running: tokio::sync::Mutex<()>,
}

/// A table of a source.
struct Place<'c> {
    id: EntityId,
    entity: &'c Entity,
    source: Arc<DataSource>,
    args: Vec<CompactString>,
    table: String,
}

impl OrmContext {
    /// Says of each table whether it is to be looked at, whatever its entity and its source say.
    ///
    /// ```
    /// use isogloss::OrmContext;
    /// fn only_small_ones(context: &OrmContext) {
    ///     context.on_table_syncing(|table| table.should_sync && !table.table.starts_with("archive"));
    /// }
    /// ```
    pub fn on_table_syncing(&self, hook: impl Fn(&TableSyncing<'_>) -> bool + Send + Sync + 'static) {
        *self.tables().hook.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(hook));
    }

    /// Adds what is missing of every table that is to be looked at, but for sharded ones, and says what that was.
    ///
    /// # Errors
    /// A source that cannot be reached, a type that its engine lacks, a statement that fails.
    pub async fn sync_all(&self) -> OrmResult<Vec<TableSync>> {
        self.all(true).await
    }

    /// What [`sync_all`](Self::sync_all) would run.
    ///
    /// # Errors
    /// As [`sync_all`](Self::sync_all).
    pub async fn sync_plan(&self) -> OrmResult<Vec<TableSync>> {
        self.all(false).await
    }

    /// Adds what is missing of one table, whatever is said of it: of a sharded one, that of these arguments.
    ///
    /// # Errors
    /// There is no such entity; else as [`sync_all`](Self::sync_all).
    pub async fn sync_table<A: Into<CompactString>>(
        &self,
        entity: &str,
        args: impl IntoIterator<Item = A>,
    ) -> OrmResult<TableSync> {
        let Some((id, _)) = self.catalog().entity(entity) else {
            return Err(crate::entity::FieldError::new(format!("`{entity}` is not in the catalog")).into());
        };
        let place = self.place(id, args.into_iter().map(Into::into).collect())?;
        self.look(&place, true).await
    }

    async fn all(&self, apply: bool) -> OrmResult<Vec<TableSync>> {
        let mut found = Vec::new();
        for (id, entity) in self.catalog().entities() {
            if entity.base.is_some() || entity.table.args() > 0 {
                continue;
            }
            let place = self.place(id, Vec::new())?;
            if self.is_wanted(&place) {
                found.push(self.look(&place, apply).await?);
            }
        }
        found.retain(|table| !table.statements.is_empty());
        Ok(found)
    }

    /// The tables of an entity and of what a view joins to it, at their first use.
    pub(crate) async fn ready(&self, session: &Session, entity: &str, args: &[CompactString]) -> OrmResult<()> {
        if !self.may_sync() {
            return Ok(());
        }
        let Some((id, entity)) = self.catalog().entity(entity) else { return Ok(()) };
        let joined = entity.joins.iter().filter(|join| join.used_by_default).map(|join| join.target);
        for id in std::iter::once(id).chain(joined) {
            let id = self.catalog().table_of(id);
            // Without its arguments, a sharded table is no table: the statement says so.
            if self.catalog().get(id).table.args() > args.len() {
                continue;
            }
            let place = self.place(id, args.to_vec())?;
            if !self.is_done(&place) && self.is_wanted(&place) {
                self.first(session, &place).await?;
            }
        }
        Ok(())
    }

    /// The same with the tables that a statement names, and the arguments that it gives them. What stands in a template is
    /// not looked at.
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
        let mut named: Vec<(&str, &[CompactString])> = Vec::new();
        if let Some(statement) = statement {
            visit(statement, Order::Pre, |node| match node {
                ExprRef::Table(table) => named.push((table.entity.as_str(), &table.table_args)),
                ExprRef::Segment(SqlSegment::Table(table)) => named.push((table.entity.as_str(), &table.table_args)),
                ExprRef::Logic(LogicExpr::Foreign(inner)) => named.push((inner.entity.as_str(), &inner.table_args)),
                _ => {}
            });
        }
        for (entity, own) in named {
            self.ready(session, entity, if own.is_empty() { args } else { own }).await?;
        }
        Ok(())
    }

    async fn first(&self, session: &Session, place: &Place<'_>) -> OrmResult<()> {
        if session.in_transaction() {
            let mut lease = session.lease(Some(place.source.name()), Purpose::Write).await?;
            // It has one writer at a time, which is this transaction. What is taken back with it is not there.
            if lease.dialect().sheet().name == "sqlite" {
                let backend = Arc::clone(lease.backend());
                let connection = lease.connection()?;
                run::within(connection, backend.ddl(), self.catalog(), place.id, &place.args).await?;
                return Ok(());
            }
        }
        self.look(place, true).await.map(drop)
    }

    /// Finds what is missing, and makes it.
    async fn look(&self, place: &Place<'_>, apply: bool) -> OrmResult<TableSync> {
        let _running = self.tables().running.lock().await;
        let mut sync = TableSync {
            data_source: Arc::clone(place.source.name()),
            entity: place.entity.name.to_string(),
            table: place.table.clone(),
            statements: Vec::new(),
        };
        if apply && self.is_done(place) {
            return Ok(sync);
        }
        let backend = place.source.backend().await?;
        let reached = place.source.primary().await?;
        let mut connection = reached.connection;
        let (ddl, catalog) = (backend.ddl(), self.catalog());
        let done = if apply {
            run::apply(&mut connection, ddl, catalog, place.id, &place.args).await
        } else {
            run::missing(&mut connection, ddl, catalog, place.id, &place.args).await
        };
        sync.statements = done.map_err(|error| place.source.failed(error))?;
        if apply {
            if !sync.statements.is_empty() {
                tracing::info!(target: "isogloss", table = %place.table, statements = sync.statements.len(), "the table was made to agree");
            }
            let key = (Arc::clone(place.source.name()), place.id, place.table.clone());
            self.tables().done.lock().unwrap_or_else(PoisonError::into_inner).insert(key);
        }
        Ok(sync)
    }

    fn place(&self, id: EntityId, args: Vec<CompactString>) -> OrmResult<Place<'_>> {
        let id = self.catalog().table_of(id);
        let entity = self.catalog().get(id);
        let parts = entity.table.expand(&args);
        let parts = parts.map_err(|error| crate::entity::FieldError::new(format!("`{}`: {error}", entity.name)))?;
        let table = parts.join(".");
        // A table without shards has the same name whatever the arguments are.
        let args = if entity.table.args() == 0 { Vec::new() } else { args };
        Ok(Place { id, entity, source: self.data_source_of(entity)?, args, table })
    }

    /// Whether any table is looked at by itself.
    fn may_sync(&self) -> bool {
        let asked = || {
            self.catalog().entities().any(|(_, entity)| entity.sync_table == SyncTableMode::Always)
                || self.data_sources().iter().any(|source| source.config().sync_table)
        };
        *self.tables().asked.get_or_init(asked) || self.has_hook()
    }

    fn is_wanted(&self, place: &Place<'_>) -> bool {
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

    fn is_done(&self, place: &Place<'_>) -> bool {
        let done = self.tables().done.lock().unwrap_or_else(PoisonError::into_inner);
        done.contains(&(Arc::clone(place.source.name()), place.id, place.table.clone()))
    }

    fn has_hook(&self) -> bool {
        self.tables().hook.read().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}
