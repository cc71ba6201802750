//! The table that says what was applied to a database.

use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::expr::{DbValueType as T, Expr, LogicExpr, Value, ValueOps as _, from, prop, table};
use isogloss_compiler::model::{Catalog, ColumnDef, EntityId, TableDef};
use isogloss_compiler::{Compiled, Compiler, Target};
use isogloss_driver::ddl::Ddl;
use isogloss_driver::{Connection, ConnectionExt as _, Error, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use crate::{Direction, Migration};

const ENTITY: &str = "Migration";

/// Longer names are cut where they are recorded: the version says which migration it is.
const NAME: usize = 200;

/// What is known of a migration that was begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) version: u64,
    pub(crate) name: String,
    /// Of the migration's text; while it runs, of the statements that have.
    pub(crate) checksum: String,
    /// The direction it was going when it was broken off; none if it has ended.
    pub(crate) running: Option<Direction>,
    /// How many statements have run.
    pub(crate) done: usize,
    /// How many were begun: one more than `done` while one runs.
    pub(crate) begun: usize,
    /// The statement that was begun last, and the tables that it names as they were before, as checksums.
    pub(crate) before: Option<String>,
    pub(crate) applied_at: Option<String>,
    pub(crate) duration: Option<Duration>,
}

impl Entry {
    pub(crate) fn is_in_doubt(&self) -> bool {
        self.running.is_some() && self.begun > self.done
    }
}

/// The history of a database.
pub(crate) struct History<'b> {
    ddl: &'b dyn Ddl,
    catalog: Catalog,
    id: EntityId,
    target: Arc<Target>,
}

type Driver<T> = isogloss_driver::Result<T>;

impl<'b> History<'b> {
    pub(crate) fn new(dialect: &dyn Dialect, ddl: &'b dyn Ddl, name: &str) -> Driver<Self> {
        let text = |name: &str, length| ColumnDef::new(name, T::String).length(length);
        let table = TableDef::new(ENTITY)
            .table(name)
            .column(ColumnDef::new("version", T::Int64).primary_key())
            .column(text("name", 200))
            .column(text("checksum", 64))
            .column(text("state", 20))
            .column(ColumnDef::new("done", T::Int64))
            .column(ColumnDef::new("begun", T::Int64))
            .column(text("tables_before", 64).nullable())
            .column(text("applied_at", 40).nullable())
            .column(ColumnDef::new("duration_ms", T::Int64).nullable());
        let catalog = Catalog::builder().table(table).build().map_err(|error| compile(&error))?;
        let Some((id, _)) = catalog.entity(ENTITY) else {
            return Err(Error::new(ErrorKind::Compile, "the table of the history is not in its catalog"));
        };
        let target = Compiler::new(catalog.clone()).target(dialect);
        Ok(Self { ddl, catalog, id, target })
    }

    fn compile(&self, expr: impl Into<Expr>) -> Driver<Compiled<'static>> {
        self.target.compile(&expr.into()).map(Compiled::into_owned).map_err(|error| compile(&error))
    }

    /// Whether the table is there.
    pub(crate) async fn exists(&self, connection: &mut dyn Connection) -> Driver<bool> {
        let inspection = self.ddl.inspect(&self.catalog, self.id, &[])?;
        Ok(!connection.fetch::<(String,)>(&inspection.columns).await?.is_empty())
    }

    /// Makes the table, if it is not there.
    pub(crate) async fn make(&self, connection: &mut dyn Connection) -> Driver<()> {
        if self.exists(connection).await? {
            return Ok(());
        }
        for statement in self.ddl.create_table(&self.catalog, self.id, &[])? {
            if let Err(error) = connection.script(&statement).await {
                // Without a lock, another process may have been first.
                if !self.exists(connection).await? {
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// What was begun, by version. Nothing if there is no table yet.
    pub(crate) async fn read(&self, connection: &mut dyn Connection) -> Driver<Vec<Entry>> {
        if !self.exists(connection).await? {
            return Ok(Vec::new());
        }
        let columns =
            ["version", "name", "checksum", "state", "done", "begun", "tables_before", "applied_at", "duration_ms"];
        let query = from(ENTITY).order_by([prop("version").asc()]).select(columns.map(prop));
        type Row = (i64, String, String, String, i64, i64, Option<String>, Option<String>, Option<i64>);
        let rows: Vec<Row> = connection.fetch(&self.compile(query)?).await?;
        rows.into_iter().map(entry).collect()
    }

    /// The entry of a version.
    pub(crate) async fn entry(&self, connection: &mut dyn Connection, version: u64) -> Driver<Option<Entry>> {
        Ok(self.read(connection).await?.into_iter().find(|entry| entry.version == version))
    }

    /// Records that a migration begins in a direction, or is applied if none is given.
    pub(crate) async fn begin(
        &self,
        connection: &mut dyn Connection,
        migration: &Migration,
        checksum: String,
        direction: Option<Direction>,
    ) -> Driver<()> {
        let columns = ["version", "name", "checksum", "state", "done", "begun"];
        let name: String = migration.name().chars().take(NAME).collect();
        let (version, state) = (number(migration.version()), state(direction));
        let values: Vec<Value> = vec![version.into(), name.into(), checksum.into(), state.into(), 0.into(), 0.into()];
        connection.execute(&self.compile(table(ENTITY).insert(columns, values))?).await.map(drop)
    }

    /// Changes what is recorded of a version.
    pub(crate) async fn set<const N: usize>(
        &self,
        connection: &mut dyn Connection,
        version: u64,
        sets: [(&'static str, Value); N],
    ) -> Driver<()> {
        let update = table(ENTITY).update(sets).filter(of(version));
        match connection.execute(&self.compile(update)?).await? {
            0 => Err(Error::new(
                ErrorKind::Other,
                format!("the history has lost version {version} while it was migrated"),
            )),
            _ => Ok(()),
        }
    }

    /// Records that a migration that is applied begins to be reverted. False if it is not applied any more: another process has
    /// begun.
    pub(crate) async fn revert(
        &self,
        connection: &mut dyn Connection,
        version: u64,
        sets: impl IntoIterator<Item = (&'static str, Value)>,
    ) -> Driver<bool> {
        let begins = [("state", Value::from(state(Some(Direction::Down))))];
        let applied = of(version).and(prop("state").eq(state(None)));
        let update = table(ENTITY).update(begins.into_iter().chain(sets)).filter(applied);
        Ok(connection.execute(&self.compile(update)?).await? == 1)
    }

    /// Forgets a version that was reverted.
    pub(crate) async fn forget(&self, connection: &mut dyn Connection, version: u64) -> Driver<()> {
        connection.execute(&self.compile(table(ENTITY).delete().filter(of(version)))?).await.map(drop)
    }
}

fn compile(error: &dyn std::fmt::Display) -> Error {
    Error::new(ErrorKind::Compile, format!("the history of migrations: {error}"))
}

fn of(version: u64) -> LogicExpr {
    prop("version").eq(number(version))
}

/// Versions are checked to fit when they are read.
pub(crate) fn number(version: u64) -> i64 {
    i64::try_from(version).unwrap_or(i64::MAX)
}

/// How a state is written.
pub(crate) fn state(direction: Option<Direction>) -> &'static str {
    match direction {
        None => "applied",
        Some(Direction::Up) => "applying",
        Some(Direction::Down) => "reverting",
    }
}

#[allow(clippy::type_complexity, reason = "a row as it is read")]
fn entry(row: (i64, String, String, String, i64, i64, Option<String>, Option<String>, Option<i64>)) -> Driver<Entry> {
    let (version, name, checksum, text, done, begun, before, applied_at, millis) = row;
    let odd =
        || Error::new(ErrorKind::Decode, format!("the history says of version {version} what no migration writes"));
    let running = match text.as_str() {
        "applied" => None,
        "applying" => Some(Direction::Up),
        "reverting" => Some(Direction::Down),
        _ => return Err(odd()),
    };
    Ok(Entry {
        version: u64::try_from(version).map_err(|_| odd())?,
        name,
        checksum,
        running,
        done: usize::try_from(done).map_err(|_| odd())?,
        begun: usize::try_from(begun).map_err(|_| odd())?,
        before,
        applied_at,
        duration: millis.and_then(|millis| u64::try_from(millis).ok()).map(Duration::from_millis),
    })
}
