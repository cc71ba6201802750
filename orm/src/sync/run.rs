//! Asking what is missing of a table, and making it.

use std::time::Duration;

use isogloss_compiler::compact_str::CompactString;
use isogloss_compiler::expr::Value;
use isogloss_compiler::model::{Catalog, EntityId};
use isogloss_driver::ddl::{Ddl, SyncLock};
use isogloss_driver::{AnyConnection, ConnectionExt as _, Error, ErrorKind, Isolation, Result, TransactionOptions};

/// How long a statement may take that makes a table or an index, with the wait for others who do: more than a service gives
/// its statements.
const LONGEST: Duration = Duration::from_secs(3_600);

/// A table as its entity wants it, for an engine.
pub(super) struct Wanted<'t> {
    pub(super) ddl: &'t dyn Ddl,
    pub(super) catalog: &'t Catalog,
    pub(super) id: EntityId,
    /// The arguments of a sharded one.
    pub(super) args: &'t [CompactString],
    /// The tables that are looked at after it.
    pub(super) later: &'t [EntityId],
}

/// What makes a table agree with its entity.
#[derive(Debug, Default)]
pub(super) struct Missing {
    statements: Vec<String>,
    /// The foreign keys of a new table.
    keys: Vec<String>,
    /// Those to tables that are looked at after it.
    pub(super) later: Vec<(EntityId, String)>,
}

impl Missing {
    fn is_empty(&self) -> bool {
        self.statements.is_empty()
    }

    /// The statements in order, but for what is done later.
    pub(super) fn all(&self) -> impl Iterator<Item = &String> {
        self.statements.iter().chain(&self.keys)
    }
}

impl Wanted<'_> {
    /// What makes the table agree with its entity: nothing if it does. A new table has its foreign keys; one that exists may hold
    /// rows that a foreign key refuses, so that it gets none.
    pub(super) async fn missing(&self, connection: &mut AnyConnection) -> Result<Missing> {
        let Self { ddl, catalog, id, args, later } = *self;
        let table = ddl.inspect(catalog, id, args)?;
        let columns = names(connection.fetch::<(String,)>(&table.columns).await?);
        if columns.is_empty() {
            let mut missing = Missing { statements: ddl.create_table(catalog, id, args)?, ..Missing::default() };
            let targets = catalog.get(id).constraints.iter().map(|constraint| catalog.table_of(constraint.target));
            for (target, statement) in targets.zip(ddl.add_constraints(catalog, id, args)?) {
                if later.contains(&target) {
                    missing.later.push((target, statement));
                } else {
                    missing.keys.push(statement);
                }
            }
            return Ok(missing);
        }
        let indexes = names(connection.fetch::<(String,)>(&table.indexes).await?);
        let mut statements = Vec::new();
        for wanted in &table.wanted {
            if !table.has(&columns, &wanted.column) {
                // With its index.
                statements.extend(ddl.add_column(catalog, id, &wanted.property, args)?);
            } else if wanted.index.as_ref().is_some_and(|index| !table.has(&indexes, index)) {
                statements.extend(ddl.create_index(catalog, id, &wanted.property, args)?);
            }
        }
        Ok(Missing { statements, ..Missing::default() })
    }

    /// Makes what is missing, under the engine's lock, and says what it was.
    pub(super) async fn apply(&self, connection: &mut AnyConnection) -> Result<Missing> {
        // Mostly there is nothing to do, and nobody has to wait.
        if self.missing(connection).await?.is_empty() {
            return Ok(Missing::default());
        }
        connection.set_statement_timeout(Some(LONGEST)).await?;
        let options = TransactionOptions::default();
        match self.ddl.sync_lock() {
            SyncLock::Transaction => connection.transaction(&options, async |tx| self.within(tx).await).await,
            SyncLock::InTransaction(take) => {
                let locked = async |tx: &mut AnyConnection| {
                    let got = tx.fetch::<Vec<Value>>(&take).await?;
                    if matches!(got.first().map(Vec::as_slice), Some([Value::Int(code)]) if *code < 0) {
                        return Err(busy());
                    }
                    self.within(tx).await
                };
                // What others have committed while the lock was waited for is there then.
                let options = options.isolation(Isolation::ReadCommitted);
                connection.transaction(&options, locked).await
            }
            SyncLock::OfSession { take, free } => {
                let (got,): (Option<i64>,) = connection.fetch_one(&take).await?;
                if got != Some(1) {
                    return Err(busy());
                }
                let done = self.within(connection).await;
                let freed = connection.fetch::<(Option<i64>,)>(&free).await;
                let done = done?;
                freed?;
                Ok(done)
            }
            _ => {
                let missing = self.missing(connection).await?;
                for statement in &missing.statements {
                    if let Err(error) = connection.script(statement).await {
                        // Somebody else may have been first.
                        if self.missing(connection).await?.statements.contains(statement) {
                            return Err(error);
                        }
                    }
                }
                for key in &missing.keys {
                    connection.script(key).await?;
                }
                Ok(missing)
            }
        }
    }

    /// Looks again, and makes what is missing still.
    pub(super) async fn within(&self, connection: &mut AnyConnection) -> Result<Missing> {
        let missing = self.missing(connection).await?;
        for statement in missing.all() {
            connection.script(statement).await?;
        }
        Ok(missing)
    }
}

fn names(rows: Vec<(String,)>) -> Vec<String> {
    rows.into_iter().map(|(name,)| name).collect()
}

fn busy() -> Error {
    Error::new(ErrorKind::Timeout, "another process has been changing tables for a minute")
}
