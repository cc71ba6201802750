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
}

impl Wanted<'_> {
    /// What makes the table agree with its entity: nothing if it does.
    pub(super) async fn missing(&self, connection: &mut AnyConnection) -> Result<Vec<String>> {
        let Self { ddl, catalog, id, args } = *self;
        let table = ddl.inspect(catalog, id, args)?;
        let columns = names(connection.fetch::<(String,)>(&table.columns).await?);
        if columns.is_empty() {
            return ddl.create_table(catalog, id, args);
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
        Ok(statements)
    }

    /// Makes what is missing, under the engine's lock, and says what it was.
    pub(super) async fn apply(&self, connection: &mut AnyConnection) -> Result<Vec<String>> {
        // Mostly there is nothing to do, and nobody has to wait.
        if self.missing(connection).await?.is_empty() {
            return Ok(Vec::new());
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
                let statements = self.missing(connection).await?;
                for statement in &statements {
                    if let Err(error) = connection.script(statement).await {
                        // Somebody else may have been first.
                        if self.missing(connection).await?.contains(statement) {
                            return Err(error);
                        }
                    }
                }
                Ok(statements)
            }
        }
    }

    /// Looks again, and makes what is missing still.
    pub(super) async fn within(&self, connection: &mut AnyConnection) -> Result<Vec<String>> {
        let statements = self.missing(connection).await?;
        for statement in &statements {
            connection.script(statement).await?;
        }
        Ok(statements)
    }
}

fn names(rows: Vec<(String,)>) -> Vec<String> {
    rows.into_iter().map(|(name,)| name).collect()
}

fn busy() -> Error {
    Error::new(ErrorKind::Timeout, "another process has been changing tables for a minute")
}
