//! A data source: its pools, and the choice of the pool for a read.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::model::{Catalog, Collation, ColumnCollation, EntityId, TextMode};
use isogloss_compiler::{Compiler, Target};
use isogloss_driver::{AnyConnection, Backend, Error, ErrorKind};
use tokio::time::Instant;

use super::status::{ReplicaStatus, SourceStatus};
use crate::config::{DataSourceConfig, PoolConfig};
use crate::dao::ByKey;
use crate::provider::Provider;
use crate::session::SessionError;
use crate::{OrmError, OrmResult, meter};

/// A data source of a context.
pub struct DataSource {
    name: Arc<str>,
    config: DataSourceConfig,
    primary: Pool,
    replicas: Vec<Replica>,
    /// Counts the sessions that have asked for a replica.
    turn: AtomicUsize,
}

/// A pool that is opened when it is first needed.
struct Pool {
    config: PoolConfig,
    provider: Arc<dyn Provider>,
    compiler: Arc<Compiler>,
    dialect: Option<Arc<dyn Dialect>>,
    text: TextMode,
    opened: RwLock<Option<Arc<Opened>>>,
    /// For good. Written while `opened` is.
    closed: AtomicBool,
    /// Held by whoever opens it.
    opening: tokio::sync::Mutex<()>,
    /// How many attempts to open it have failed, and why the last one did.
    in_vain: Mutex<(u64, Option<Error>)>,
}

/// What there is once a pool is open.
pub(crate) struct Opened {
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) target: Arc<Target>,
    pub(crate) param_limit: usize,
    pub(crate) by_key: ByKey,
    /// When it is asked again for the collations, if it has not told them.
    look: Option<Down>,
    /// The entities whose rows are written one by one, each with whether by upserts.
    alone: RwLock<Vec<(&'static str, bool)>>,
    /// What the engine has told of collations, and the catalog with them.
    known: Vec<ColumnCollation>,
    collated: OnceLock<Catalog>,
}

impl Opened {
    /// Whether two texts of each of these columns are equal in SQL only if every character of them is the same, as far as
    /// is known.
    pub(crate) fn tells_texts_apart<'c>(&self, entity: EntityId, mut columns: impl Iterator<Item = &'c usize>) -> bool {
        // The catalog of what compiles has no collations where all are by code points.
        let collated = self.collated.get_or_init(|| self.target.catalog().with_collations(&self.known));
        let known = &collated.get(entity).columns;
        columns.all(|column| {
            let column = known.get(*column);
            column.is_some_and(|column| !column.ty.base.is_text() || self.target.tells_texts_apart(column))
        })
    }

    /// Whether a statement that was compiled for another pool of the source is fit for this one: the server is of the same
    /// version, and the columns have the same collations.
    pub(crate) fn compiles_like(&self, other: &Self) -> bool {
        compile_alike(&self.target, &other.target)
    }

    /// Whether one statement for many rows of that entity was of no use here.
    pub(crate) fn writes_alone(&self, entity: &'static str, upserts: bool) -> bool {
        self.alone.read().unwrap_or_else(PoisonError::into_inner).contains(&(entity, upserts))
    }

    /// The engine takes each row of that entity by itself, and not many by one statement: a column may be of a type of the
    /// database's own. That is not tried again.
    pub(crate) fn write_alone(&self, entity: &'static str, upserts: bool, error: &OrmError) {
        tracing::warn!(target: "isogloss", entity, %error, "the rows of a batch are written one by one, which takes longer");
        self.alone.write().unwrap_or_else(PoisonError::into_inner).push((entity, upserts));
    }

    fn looks_again(&self) -> bool {
        self.look.is_some_and(|look| look.until <= Instant::now())
    }
}

struct Replica {
    pool: Pool,
    standing: Mutex<Standing>,
    /// Held by whoever finds out whether it is back.
    probing: tokio::sync::Mutex<()>,
    first: Duration,
    longest: Duration,
}

/// Whether a replica can be used, as far as is known.
struct Standing {
    down: Option<Down>,
    /// When it was set aside, or came back. The failure of what began before says nothing new.
    since: Instant,
}

/// A replica that is asked for a connection, or has given one, and since when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) replica: usize,
    began: Instant,
}

/// When what was tried in vain is tried again.
#[derive(Debug, Clone, Copy)]
struct Down {
    until: Instant,
    pause: Duration,
}

fn compile_alike(ours: &Arc<Target>, theirs: &Arc<Target>) -> bool {
    let (our, their) = (ours.dialect(), theirs.dialect());
    Arc::ptr_eq(ours, theirs) || *our == *their && collations(ours).eq(collations(theirs))
}

fn collations(target: &Target) -> impl Iterator<Item = Option<&Collation>> {
    let columns = target.catalog().entities().flat_map(|(_, entity)| &entity.columns);
    columns.map(|column| column.collation.as_ref())
}

/// A connection, and where it leads to.
pub(crate) struct Reached {
    pub(crate) connection: AnyConnection,
    pub(crate) opened: Arc<Opened>,
    pub(crate) replica: Option<Asked>,
}

/// How long what was in vain is left alone: at first, and at most.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pauses(pub(crate) Duration, pub(crate) Duration);

/// How long the engine may take to say what the collations are.
const LOOK: Duration = Duration::from_secs(3);

/// When a look for the collations that was in vain is repeated: at first, and at most. Each time in vain doubles it.
const LOOK_AGAIN: Pauses = Pauses(Duration::from_millis(500), Duration::from_secs(60));

impl Pool {
    async fn open(&self) -> Result<Arc<Opened>, Error> {
        if let Some(opened) = self.get() {
            if !opened.looks_again() {
                return Ok(opened);
            }
            // One looks; the others go on by what is known.
            let Ok(_alone) = self.opening.try_lock() else { return Ok(opened) };
            return Ok(match self.get() {
                Some(opened) if opened.looks_again() => {
                    self.settle(Arc::clone(&opened.backend), opened.look.map(|look| look.pause)).await
                }
                Some(settled) => settled,
                // It was closed meanwhile, for the others.
                None => opened,
            });
        }
        let before = self.in_vain().0;
        let _alone = self.opening.lock().await;
        if let Some(opened) = self.get() {
            return Ok(opened);
        }
        // An attempt that has failed while this one waited for it is theirs together.
        if let (attempts, Some(error)) = &*self.in_vain()
            && *attempts != before
        {
            return Err(error.again());
        }
        let connected = self.provider.connect(&self.config).await.map_err(|error| self.discreet(error));
        let backend = connected.inspect_err(|error| {
            let mut in_vain = self.in_vain();
            *in_vain = (in_vain.0 + 1, Some(error.again()));
        })?;
        Ok(self.settle(backend, None).await)
    }

    /// Makes what compiles statements for it, by what the engine says of the collations of its columns. Those that it does
    /// not tell are not known, which is no error: a table may be made later. If it tells nothing at all, it is asked again.
    async fn settle(&self, backend: Arc<dyn Backend>, paused: Option<Duration>) -> Arc<Opened> {
        let looked = tokio::time::timeout(LOOK, self.collations(&*backend)).await;
        let (known, look) = match looked.unwrap_or_else(|_| Err(Error::new(ErrorKind::Timeout, "it did not say them")))
        {
            Ok(known) => (known, None),
            Err(error) => {
                let data_source = &self.config.name;
                tracing::warn!(target: "isogloss", %data_source, %error, "the collations of its columns are not known yet");
                let Pauses(first, longest) = LOOK_AGAIN;
                let pause = paused.map_or(first, |paused| (paused * 2).min(longest));
                (Vec::new(), Some(Down { until: Instant::now() + pause, pause }))
            }
        };
        let target = self.target(&*backend, &known);
        let engine = target.dialect().sheet().limits.parameters;
        let param_limit = match self.config.param_count_limit {
            0 => engine,
            limit => limit.min(engine),
        };
        let by_key = ByKey::new(target.catalog(), &self.config.name);
        let opened = Arc::new(Opened {
            backend,
            target,
            param_limit,
            by_key,
            look,
            alone: RwLock::default(),
            known,
            collated: OnceLock::new(),
        });
        let mut kept = self.opened.write().unwrap_or_else(PoisonError::into_inner);
        // It may have been closed meanwhile: then it is closed with the connection that this is for.
        if !self.closed.load(Ordering::SeqCst) {
            *kept = Some(Arc::clone(&opened));
        }
        drop(kept);
        opened
    }

    fn close(&self) {
        let mut opened = self.opened.write().unwrap_or_else(PoisonError::into_inner);
        self.closed.store(true, Ordering::SeqCst);
        *opened = None;
    }

    fn target(&self, backend: &dyn Backend, known: &[ColumnCollation]) -> Arc<Target> {
        let dialect = self.dialect.as_deref().unwrap_or(backend.dialect());
        if self.text == TextMode::Database && known.iter().all(|column| column.collation.is_exact()) {
            return self.compiler.target(dialect);
        }
        let target = self.compiler.target_of(dialect, self.text, known);
        if self.text == TextMode::Database {
            self.say_which(target.catalog());
        }
        target
    }

    async fn collations(&self, backend: &dyn Backend) -> Result<Vec<ColumnCollation>, Error> {
        let Some(asked) = backend.collations() else { return Ok(Vec::new()) };
        let mut connection = backend.connect().await?;
        asked.tell(&mut *connection, self.compiler.catalog()).await
    }

    /// Says once which columns are not compared by code points.
    fn say_which(&self, catalog: &Catalog) {
        let mut columns = Vec::new();
        for (_, entity) in catalog.entities().filter(|(_, entity)| entity.base.is_none()) {
            for column in &entity.columns {
                if let Some(collation) = column.collation.as_ref().filter(|collation| !collation.is_exact()) {
                    columns.push(format!("{}.{} ({})", entity.name, column.name, collation.name));
                }
            }
        }
        if !columns.is_empty() {
            let (data_source, count) = (&self.config.name, columns.len());
            columns.truncate(20);
            tracing::info!(
                target: "isogloss",
                %data_source, count, columns = columns.join(", "),
                "texts are compared by the database's collations here, not by code points: the mode `exact` does that"
            );
        }
    }

    fn in_vain(&self) -> MutexGuard<'_, (u64, Option<Error>)> {
        self.in_vain.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self) -> Option<Arc<Opened>> {
        self.opened.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether all of its connections are in use, and it may make no more.
    fn is_full(&self) -> bool {
        let status = self.get().map(|opened| opened.backend.status());
        status.is_some_and(|status| status.idle == 0 && status.open >= status.max)
    }

    async fn connect(&self) -> Result<(AnyConnection, Arc<Opened>), Error> {
        let opened = self.open().await?;
        Ok((opened.backend.connect().await?, opened))
    }

    /// What a provider says is for logs. The connection string, which a provider may quote, is not.
    fn discreet(&self, error: Error) -> Error {
        let secret = &self.config.connection_string;
        let mut said = format!("{error} {error:?}");
        let mut cause = std::error::Error::source(&error);
        while let Some(error) = cause {
            said.push_str(&format!("{error} {error:?}"));
            cause = error.source();
        }
        if !secret.contains(['@', '=']) || !said.contains(secret.as_str()) {
            return error;
        }
        Error::new(error.kind(), "the provider cannot open it; what it says has the connection string in it")
    }
}

impl Replica {
    fn new(pool: Pool, Pauses(first, longest): Pauses) -> Self {
        let standing = Mutex::new(Standing { down: None, since: Instant::now() });
        Self { pool, standing, probing: tokio::sync::Mutex::default(), first, longest }
    }

    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_up(&self) -> bool {
        self.standing().down.is_none()
    }

    /// Since when it is tried, if it may be now. Of one that was set aside, one caller at a time finds out whether it is
    /// back, who holds the guard until then; and one in a pause, where callers give up before they know.
    fn may_try(&self) -> Option<(Instant, Option<tokio::sync::MutexGuard<'_, ()>>)> {
        let now = Instant::now();
        let Some(down) = &mut self.standing().down else { return Some((now, None)) };
        if down.until > now {
            return None;
        }
        let alone = self.probing.try_lock().ok()?;
        down.until = now + down.pause;
        Some((now, Some(alone)))
    }

    /// Sets it aside, for longer if it was, by the failure of what began at that time: whether that says anything new.
    fn set_aside(&self, began: Instant) -> bool {
        let mut standing = self.standing();
        if began < standing.since {
            return false;
        }
        let pause = standing.down.map_or(self.first, |down| (down.pause * 2).min(self.longest));
        let since = Instant::now();
        *standing = Standing { down: Some(Down { until: since + pause, pause }), since };
        true
    }

    /// It has answered: whether that is new.
    fn is_back(&self) -> bool {
        let mut standing = self.standing();
        let was_down = standing.down.take().is_some();
        if was_down {
            standing.since = Instant::now();
        }
        was_down
    }
}

impl DataSource {
    pub(crate) fn new(
        config: DataSourceConfig,
        provider: &Arc<dyn Provider>,
        compiler: &Arc<Compiler>,
        dialect: Option<Arc<dyn Dialect>>,
        pauses: Pauses,
    ) -> Self {
        let config_text = config.text;
        let pool = |config| Pool {
            config,
            provider: Arc::clone(provider),
            compiler: Arc::clone(compiler),
            dialect: dialect.clone(),
            text: config_text,
            opened: RwLock::default(),
            closed: AtomicBool::new(false),
            opening: tokio::sync::Mutex::default(),
            in_vain: Mutex::default(),
        };
        Self {
            name: config.name.as_str().into(),
            primary: pool(config.primary()),
            replicas: config.replicas().into_iter().map(|config| Replica::new(pool(config), pauses)).collect(),
            config,
            turn: AtomicUsize::new(0),
        }
    }

    /// The name of the data source.
    #[must_use]
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The configuration of the data source.
    #[must_use]
    pub fn config(&self) -> &DataSourceConfig {
        &self.config
    }

    /// The pool for writes. It is opened if necessary.
    ///
    /// # Errors
    /// The pool cannot be opened; or the context is closed.
    pub async fn backend(&self) -> Result<Arc<dyn Backend>, OrmError> {
        Ok(Arc::clone(&self.opened().await?.backend))
    }

    /// Checks that the server answers, over a connection of the pool.
    ///
    /// # Errors
    /// There is no connection, or no answer; or the context is closed.
    pub async fn ping(&self) -> Result<(), OrmError> {
        let mut reached = self.primary().await?;
        reached.connection.ping().await.map_err(|error| self.failed(error))
    }

    /// The target that statements for this data source are compiled with.
    ///
    /// # Errors
    /// The pool cannot be opened, as the version is reported by the server; or the context is closed.
    pub async fn target(&self) -> Result<Arc<Target>, OrmError> {
        Ok(Arc::clone(&self.opened().await?.target))
    }

    /// What is known of the engine where a pool is open already: that for writes, or that of a replica.
    pub(crate) fn known(&self) -> Option<Arc<Opened>> {
        self.primary.get().or_else(|| self.replicas.iter().find_map(|replica| replica.pool.get()))
    }

    /// The maximal number of parameters of a statement: the configured one, or that of the engine if it is smaller.
    ///
    /// # Errors
    /// The pool cannot be opened; or the context is closed.
    pub async fn param_limit(&self) -> Result<usize, OrmError> {
        Ok(self.opened().await?.param_limit)
    }

    /// The number of replicas that are not known to be unreachable.
    #[must_use]
    pub fn replicas_up(&self) -> usize {
        self.replicas.iter().filter(|replica| replica.is_up()).count()
    }

    /// The current state of its pools.
    #[must_use]
    pub fn status(&self) -> SourceStatus {
        let status = |pool: &Pool| pool.get().map(|opened| opened.backend.status());
        let of_replica = |replica: &Replica| ReplicaStatus::new(replica.is_up(), status(&replica.pool));
        SourceStatus { pool: status(&self.primary), replicas: self.replicas.iter().map(of_replica).collect() }
    }

    pub(crate) fn replica_count(&self) -> usize {
        self.replicas.len()
    }

    pub(crate) async fn opened(&self) -> Result<Arc<Opened>, OrmError> {
        self.is_open()?;
        self.primary.open().await.map_err(|error| self.failed(error))
    }

    /// # Errors
    /// Its context is closed, and nothing is under way any more.
    fn is_open(&self) -> OrmResult<()> {
        if self.primary.closed.load(Ordering::SeqCst) { Err(SessionError::Closed.into()) } else { Ok(()) }
    }

    /// Opens all of its pools. A replica that cannot be reached is set aside.
    pub(crate) async fn open_all(&self) -> Result<(), OrmError> {
        self.opened().await?;
        meter::replicas_up(&self.name, self.replicas_up());
        for (index, replica) in self.replicas.iter().enumerate() {
            let asked = Asked { replica: index, began: Instant::now() };
            if let Err(error) = replica.pool.open().await {
                self.set_aside(asked, &error);
            }
        }
        Ok(())
    }

    /// Closes its pools for good, each with its last connection.
    pub(crate) fn close(&self) {
        for pool in self.replicas.iter().map(|replica| &replica.pool).chain([&self.primary]) {
            pool.close();
        }
    }

    /// A connection to where writes go.
    pub(crate) async fn primary(&self) -> Result<Reached, OrmError> {
        self.is_open()?;
        let (connection, opened) = self.primary.connect().await.map_err(|error| self.failed(error))?;
        Ok(Reached { connection, opened, replica: None })
    }

    /// A connection for reads: to the replica that was chosen before, else the next in turn, else any that is up, else
    /// to where writes go. Who `streams` beside it may itself have all that a replica has, and does not wait for that.
    pub(crate) async fn reader(&self, chosen: Option<usize>, streams: bool) -> Result<Reached, OrmError> {
        self.is_open()?;
        let count = self.replicas.len();
        if count > 0 {
            let start = chosen.unwrap_or_else(|| self.turn.fetch_add(1, Ordering::Relaxed));
            for index in (0..count).map(|step| (start % count + step) % count) {
                let Some(replica) = self.replicas.get(index) else { continue };
                if streams && replica.pool.is_full() {
                    continue;
                }
                let Some((began, _alone)) = replica.may_try() else { continue };
                match replica.pool.connect().await {
                    Ok((connection, opened)) => {
                        if replica.is_back() {
                            meter::replicas_up(&self.name, self.replicas_up());
                            tracing::info!(target: "isogloss", data_source = %self.name, replica = index, "the replica is back");
                        }
                        // What this connection fails by later was not known when it was found back.
                        let asked = Asked { replica: index, began: Instant::now() };
                        return Ok(Reached { connection, opened, replica: Some(asked) });
                    }
                    // It is there, and busy.
                    Err(error) if error.kind() == ErrorKind::PoolExhausted => {}
                    Err(error) => self.set_aside(Asked { replica: index, began }, &error),
                }
            }
        }
        self.primary().await
    }

    /// A replica could not be reached, or a connection that it gave was lost.
    pub(crate) fn set_aside(&self, Asked { replica, began }: Asked, error: &Error) {
        if self.replicas.get(replica).is_some_and(|replica| replica.set_aside(began)) {
            meter::replicas_up(&self.name, self.replicas_up());
            tracing::warn!(target: "isogloss", data_source = %self.name, replica, %error, "the replica is set aside");
        }
    }

    pub(crate) fn failed(&self, error: Error) -> OrmError {
        OrmError::from(error).at(Arc::clone(&self.name))
    }
}

/// Without the connection strings.
impl fmt::Debug for DataSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = self.primary.get().map(|opened| opened.backend.status());
        f.debug_struct("DataSource").field("config", &self.config).field("status", &status).finish_non_exhaustive()
    }
}

#[cfg(all(test, feature = "sqlite"))]
mod tests {
    use isogloss_compiler::expr::DbValueType;
    use isogloss_compiler::model::{ColumnDef, TableDef};
    use isogloss_sqlite::{Sqlite, Storage};

    use super::*;

    #[test]
    fn a_statement_fits_where_version_storage_and_collations_are_the_same() {
        let note = TableDef::new("Note")
            .column(ColumnDef::new("Id", DbValueType::Int32).primary_key())
            .column(ColumnDef::new("Text", DbValueType::String));
        let compiler = Compiler::new(Catalog::builder().table(note).build().unwrap());
        let collation = ColumnCollation::new(None, "Note", "Text", Collation::loose("NOCASE"));
        let target = |dialect: Sqlite, known: &[_]| compiler.target_of(&dialect, TextMode::Exact, known);
        let usual = target(Sqlite::V3_45, &[]);
        assert!(compile_alike(&usual, &usual));
        assert!(compile_alike(&usual, &target(Sqlite::V3_45, &[])));
        assert!(!compile_alike(&usual, &target(Sqlite::V3_35, &[])));
        assert!(!compile_alike(&usual, &target(Sqlite::V3_45.stored_by(Storage::Sqlx), &[])));
        assert!(!compile_alike(&usual, &target(Sqlite::V3_45, std::slice::from_ref(&collation))));
    }
}
