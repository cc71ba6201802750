//! Runs migrations.

use std::fmt;
use std::time::{Duration, Instant, SystemTime};

use chrono::{DateTime, SecondsFormat, Utc};
use isogloss_compiler::expr::Value;
use isogloss_compiler::model::Catalog;
use isogloss_driver::ddl::{DiffOptions, Difference, SyncLock};
use isogloss_driver::{AnyConnection, Backend};

use crate::error::{MigrateError, Result};
use crate::history::{Entry, History};
use crate::plan::{compare, resumed, statements_checksum};
use crate::split::{Script, split};
use crate::words::Words;
use crate::write::database_differences;
use crate::{Direction, Done, Migration, Migrations, Progress, Ran, State, Status, Step, lock};

/// How long the lock is waited for, unless told otherwise.
const WAIT: Duration = Duration::from_secs(60);

/// The table that has the history, unless told otherwise.
pub(crate) const TABLE: &str = "isogloss_migrations";

type Observer<'m> = dyn Fn(&Progress<'_>) + Send + Sync + 'm;

/// Runs the migrations of a program on a database: see the [crate](crate).
pub struct Migrator<'m> {
    pub(crate) backend: &'m dyn Backend,
    migrations: &'m Migrations,
    table: String,
    wait: Duration,
    pub(crate) resume: bool,
    observer: Option<Box<Observer<'m>>>,
}

impl fmt::Debug for Migrator<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Migrator").field("backend", &self.backend).field("table", &self.table).finish_non_exhaustive()
    }
}

impl<'m> Migrator<'m> {
    /// A runner of migrations on the database of a backend.
    #[must_use]
    pub fn new(backend: &'m dyn Backend, migrations: &'m Migrations) -> Self {
        Self { backend, migrations, table: TABLE.to_owned(), wait: WAIT, resume: false, observer: None }
    }

    /// Sets the name of the table that has the history: `isogloss_migrations` by default, and `schema.name` for one in a schema.
    #[must_use]
    pub fn table(mut self, name: impl Into<String>) -> Self {
        self.table = name.into();
        self
    }

    /// Sets how long it waits for another process that is migrating: a minute by default.
    #[must_use]
    pub fn lock_wait(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// Goes on with a migration that was broken off also where the engine has no lock of a session. There nothing says whether
    /// another process is still at it: make sure that none is.
    #[must_use]
    pub fn resume(mut self, resume: bool) -> Self {
        self.resume = resume;
        self
    }

    /// Sets what is told where a migration is, for a log or a terminal.
    #[must_use]
    pub fn on_progress(mut self, observer: impl Fn(&Progress<'_>) + Send + Sync + 'm) -> Self {
        self.observer = Some(Box::new(observer));
        self
    }

    /// Says of each migration how far it is. It writes nothing, and waits for nobody.
    ///
    /// # Errors
    /// The database cannot be asked.
    pub async fn status(&self) -> Result<Vec<Status>> {
        let mut connection = self.backend.connect().await?;
        let history = self.history()?.read(&mut *connection).await?;
        let known = |migration: &Migration| match history.iter().find(|entry| entry.version == migration.version()) {
            Some(entry) => status(entry),
            None => Status {
                version: migration.version(),
                name: migration.name().to_owned(),
                state: State::Pending,
                applied_at: None,
                duration: None,
            },
        };
        let mut all: Vec<Status> = self.migrations.iter().map(known).collect();
        // What has no files any more is there, too.
        all.extend(history.iter().filter(|entry| self.migrations.get(entry.version).is_none()).map(status));
        all.sort_by_key(|status| status.version);
        Ok(all)
    }

    /// Says what [`run`](Self::run) would do. It writes nothing.
    ///
    /// # Errors
    /// Those of [`run`](Self::run), but for those of the statements.
    pub async fn plan(&self, target: Option<u64>) -> Result<Vec<Step>> {
        self.planned(Direction::Up, target).await
    }

    /// Says what [`down`](Self::down) would do. It writes nothing.
    ///
    /// # Errors
    /// Those of [`down`](Self::down), but for those of the statements.
    pub async fn plan_down(&self, to: u64) -> Result<Vec<Step>> {
        self.planned(Direction::Down, Some(to)).await
    }

    /// Applies the migrations that are not, up to that version, or all, and returns which those were.
    ///
    /// # Errors
    /// The files and the history contradict each other, another process has the lock for too long, or a statement fails.
    pub async fn run(&self, target: Option<u64>) -> Result<Vec<Done>> {
        self.locked(Direction::Up, target).await
    }

    /// Reverts the migrations above that version, the newest first, and returns which those were. With 0 it reverts all.
    ///
    /// # Errors
    /// Those of [`run`](Self::run), or a migration has no down file.
    pub async fn down(&self, to: u64) -> Result<Vec<Done>> {
        self.locked(Direction::Down, Some(to)).await
    }

    /// Says of a migration that was broken off whether its statement that was begun last took effect, after
    /// [`MigrateError::InDoubt`].
    ///
    /// # Errors
    /// No statement of that migration is in doubt, or another process is migrating.
    pub async fn resolve(&self, version: u64, ran: Ran) -> Result<()> {
        let migration = self.known(version)?;
        let history = self.history()?;
        self.with_lock(async |connection| {
            let entry = history.entry(&mut **connection, version).await?.filter(Entry::is_in_doubt);
            let Some((entry, direction)) = entry.and_then(|entry| entry.running.map(|running| (entry, running))) else {
                return Err(MigrateError::Settled { migration: migration.to_string() });
            };
            let script = self.script(migration, direction)?;
            let done = resumed(migration, &script.statements, &entry)? + usize::from(ran == Ran::Yes);
            let run = script.statements.get(..done).unwrap_or_default();
            Ok(history.set(&mut **connection, version, settled(run)).await?)
        })
        .await
    }

    /// What the database has otherwise than a catalog says: [`database_differences`](crate::database_differences), which leave alone
    /// the table that has the history of this runner.
    ///
    /// # Errors
    /// Those of [`database_differences`](crate::database_differences).
    pub async fn differences(&self, catalog: &Catalog, options: &DiffOptions) -> Result<Vec<Difference>> {
        database_differences(self.backend, catalog, &options.clone().ignore(self.table.as_str())).await
    }

    pub(crate) fn history(&self) -> Result<History<'m>> {
        Ok(History::new(self.backend.dialect(), self.backend.ddl(), &self.table)?)
    }

    pub(crate) fn tell(&self, progress: &Progress<'_>) {
        if let Some(observer) = &self.observer {
            observer(progress);
        }
    }

    /// Whether statements that change tables are part of a transaction, as is the lock for them.
    pub(crate) fn has_transactions(&self) -> bool {
        matches!(self.backend.ddl().sync_lock(), SyncLock::Transaction | SyncLock::InTransaction(_))
    }

    pub(crate) fn in_transaction(&self, script: &Script) -> bool {
        // YugabyteDB commits each statement that changes a table.
        self.has_transactions() && !script.no_transaction && self.backend.dialect().sheet().name != "yugabytedb"
    }

    fn known(&self, version: u64) -> Result<&Migration> {
        self.migrations.get(version).ok_or_else(|| {
            let known = self
                .migrations
                .iter()
                .last()
                .map_or("there is none".to_owned(), |last| format!("the last one is {last}"));
            MigrateError::Unknown { version, known }
        })
    }

    pub(crate) fn script(&self, migration: &Migration, direction: Direction) -> Result<Script> {
        let dialect = self.backend.dialect();
        let text = match direction {
            Direction::Up => migration.up(),
            Direction::Down => migration
                .down_text()
                .ok_or_else(|| MigrateError::NoDown { migration: migration.to_string(), engine: dialect.label() })?,
        };
        let script = split(&format!("{migration} {direction}"), text, dialect.lexis())?;
        if script.foreign_keys_off && self.backend.ddl().foreign_keys_off().is_none() {
            let why = format!("{} changes tables without `foreign-keys-off`: leave the mark out", dialect.label());
            return Err(MigrateError::Unsupported { migration: migration.to_string(), why });
        }
        if script.foreign_keys_off && script.no_transaction {
            let why =
                "`foreign-keys-off` needs a transaction, at whose end they are checked: leave `no-transaction` out";
            return Err(MigrateError::Unsupported { migration: migration.to_string(), why: why.to_owned() });
        }
        for (index, statement) in script.statements.iter().enumerate().filter(|_| !self.in_transaction(&script)) {
            if let Some(why) = Words::read(statement, dialect.lexis()).needs_session() {
                let why = format!("statement {}: {why}", index + 1);
                return Err(MigrateError::Unsupported { migration: migration.to_string(), why });
            }
        }
        Ok(script)
    }

    /// The migrations that are to be run, in order, each with what the history says of it.
    fn chosen<'h>(
        &self,
        history: &'h [Entry],
        direction: Direction,
        target: Option<u64>,
    ) -> Result<Vec<(&'m Migration, Option<&'h Entry>)>> {
        compare(self.migrations, history)?;
        if let Some(version) = target.filter(|version| *version > 0) {
            self.known(version)?;
        }
        let migrations: &'m Migrations = self.migrations;
        let all = migrations
            .iter()
            .map(|migration| (migration, history.iter().find(|entry| entry.version == migration.version())));
        let wanted = all.filter(|(migration, entry)| match direction {
            Direction::Up => {
                target.is_none_or(|target| migration.version() <= target)
                    && entry.is_none_or(|entry| entry.running.is_some())
            }
            Direction::Down => entry.is_some() && target.is_none_or(|target| migration.version() > target),
        });
        let mut wanted: Vec<_> = wanted.collect();
        if direction == Direction::Down {
            wanted.reverse();
        }
        for (migration, entry) in &wanted {
            let other = entry.and_then(|entry| entry.running).filter(|running| *running != direction);
            if let Some(direction) = other {
                return Err(MigrateError::Unfinished { migration: migration.to_string(), direction });
            }
        }
        Ok(wanted)
    }

    async fn planned(&self, direction: Direction, target: Option<u64>) -> Result<Vec<Step>> {
        let mut connection = self.backend.connect().await?;
        let history = self.history()?.read(&mut *connection).await?;
        let steps = self.chosen(&history, direction, target)?.into_iter().map(|(migration, entry)| {
            let script = self.script(migration, direction)?;
            let done = entry
                .filter(|entry| entry.running.is_some())
                .map_or(Ok(0), |entry| resumed(migration, &script.statements, entry))?;
            Ok(Step {
                version: migration.version(),
                name: migration.name().to_owned(),
                direction,
                transaction: self.in_transaction(&script),
                statements: script.statements.into_iter().skip(done).collect(),
            })
        });
        steps.collect()
    }

    async fn locked(&self, direction: Direction, target: Option<u64>) -> Result<Vec<Done>> {
        let history = self.history()?;
        self.with_lock(async |connection| {
            self.tell(&Progress::Locked);
            let known = history.read(&mut **connection).await?;
            let chosen = self.chosen(&known, direction, target)?;
            // Nothing is run if the text of one cannot be.
            let mut scripts = Vec::new();
            for (migration, _) in chosen {
                scripts.push((migration, self.script(migration, direction)?));
            }
            let mut done = Vec::new();
            for (migration, script) in scripts {
                let begin = Instant::now();
                self.tell(&Progress::Begins { migration, direction });
                // What others have done since is read again: not every engine has a lock.
                if let Some(statements) = self.one(connection, &history, migration, direction, &script, begin).await? {
                    self.tell(&Progress::Ended { migration, direction });
                    let (version, name) = (migration.version(), migration.name().to_owned());
                    done.push(Done { version, name, direction, statements, duration: begin.elapsed() });
                }
            }
            Ok(done)
        })
        .await
    }

    /// Makes the history's table and runs what is given, under the lock of the session if the engine has one.
    async fn with_lock<T>(&self, run: impl AsyncFnOnce(&mut AnyConnection) -> Result<T>) -> Result<T> {
        let mut connection = self.backend.connect().await?;
        // A migration takes as long as it takes.
        connection.set_statement_timeout(None).await?;
        let lock = self.backend.ddl().session_lock();
        if let Some(lock) = &lock {
            lock::take(&mut connection, lock, self.wait).await?;
        }
        let made = self.history()?.make(&mut *connection).await.map_err(MigrateError::from);
        let done = match made {
            Ok(()) => run(&mut connection).await,
            Err(error) => Err(error),
        };
        if let Some(lock) = &lock {
            let freed = lock::free(&mut connection, lock).await;
            // What went wrong first is what is told. A lock that may be held yet ends with its session.
            if freed.is_err() {
                connection.close();
            }
            let done = done?;
            freed?;
            return Ok(done);
        }
        done
    }
}

fn status(entry: &Entry) -> Status {
    let state = match entry.running {
        None => State::Applied,
        Some(direction) => State::Unfinished { direction, done: entry.done, in_doubt: entry.is_in_doubt() },
    };
    Status {
        version: entry.version,
        name: entry.name.clone(),
        state,
        applied_at: entry.applied_at.clone(),
        duration: entry.duration,
    }
}

/// What is recorded when these statements have run, and no other was begun.
pub(crate) fn settled(run: &[String]) -> [(&'static str, Value); 4] {
    let done = i64::try_from(run.len()).unwrap_or(i64::MAX);
    [
        ("done", done.into()),
        ("begun", done.into()),
        ("checksum", statements_checksum(run).into()),
        ("tables_before", Value::Null),
    ]
}

/// What is recorded when a migration is applied.
pub(crate) fn applied(migration: &Migration, statements: usize, begin: Instant) -> [(&'static str, Value); 6] {
    let statements = i64::try_from(statements).unwrap_or(i64::MAX);
    let millis = i64::try_from(begin.elapsed().as_millis()).unwrap_or(i64::MAX);
    let now = DateTime::<Utc>::from(SystemTime::now()).to_rfc3339_opts(SecondsFormat::Secs, true);
    [
        ("state", crate::history::state(None).into()),
        ("checksum", migration.checksum().into()),
        ("done", statements.into()),
        ("begun", statements.into()),
        ("applied_at", now.into()),
        ("duration_ms", millis.into()),
    ]
}
