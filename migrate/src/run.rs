//! One migration: in a transaction, or statement by statement.

use std::time::Instant;

use isogloss_compiler::expr::Value;
use isogloss_driver::ddl::{SyncLock, asked};
use isogloss_driver::introspect::{Definitions, IntrospectOptions, introspect};
use isogloss_driver::{AnyConnection, ConnectionExt as _, Error as DriverError, TransactionOptions, first_word};

use crate::error::{MigrateError, Result};
use crate::files::checksum;
use crate::history::{Entry, History};
use crate::migrator::{applied, settled};
use crate::plan::{resumed, statements_checksum};
use crate::split::Script;
use crate::words::Words;
use crate::{Direction, Migration, Migrator, Progress};

/// What changes rows, and is part of a transaction on every engine.
const ROWS: [&str; 7] = ["SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE", "WITH"];

impl Migrator<'_> {
    /// Runs a migration, unless another process has. Returns how many statements it has run.
    pub(crate) async fn one(
        &self,
        connection: &mut AnyConnection,
        history: &History<'_>,
        migration: &Migration,
        direction: Direction,
        script: &Script,
        begin: Instant,
    ) -> Result<Option<usize>> {
        let task = Task { migrator: self, history, migration, direction, script, begin };
        if !self.in_transaction(script) {
            return task.by_statement(connection).await;
        }
        let Some(keys) = self.backend.ddl().foreign_keys_off().filter(|_| script.foreign_keys_off) else {
            return task.in_transaction(connection, None).await;
        };
        connection.script(keys.off).await?;
        let done = task.in_transaction(connection, Some(keys.check)).await;
        let on = connection.script(keys.on).await;
        let done = done?;
        on?;
        Ok(done)
    }
}

struct Task<'t> {
    migrator: &'t Migrator<'t>,
    history: &'t History<'t>,
    migration: &'t Migration,
    direction: Direction,
    script: &'t Script,
    begin: Instant,
}

impl Task<'_> {
    fn version(&self) -> u64 {
        self.migration.version()
    }

    fn failed(&self, index: usize, undone: bool, source: DriverError) -> MigrateError {
        let sql = self.script.statements.get(index).cloned().unwrap_or_default();
        MigrateError::Statement { migration: self.migration.to_string(), statement: index + 1, sql, undone, source }
    }

    fn in_doubt(&self, index: usize, source: Option<DriverError>) -> MigrateError {
        let sql = self.script.statements.get(index).cloned().unwrap_or_default();
        MigrateError::InDoubt { migration: self.migration.to_string(), statement: index + 1, sql, source }
    }

    fn in_progress(&self) -> MigrateError {
        let engine = self.migrator.backend.dialect().label();
        MigrateError::InProgress { migration: self.migration.to_string(), engine }
    }

    fn words(&self, statement: &str) -> Words {
        Words::read(statement, self.migrator.backend.dialect().lexis())
    }

    /// Whether there is nothing to do, as another process has done it.
    fn is_done(&self, entry: Option<&Entry>) -> bool {
        match self.direction {
            Direction::Up => entry.is_some_and(|entry| entry.running.is_none()),
            Direction::Down => entry.is_none(),
        }
    }

    /// Records that the migration has ended.
    async fn end(&self, connection: &mut AnyConnection) -> Result<(), DriverError> {
        match self.direction {
            Direction::Up => {
                let sets = applied(self.migration, self.script.statements.len(), self.begin);
                self.history.set(&mut **connection, self.version(), sets).await
            }
            Direction::Down => self.history.forget(&mut **connection, self.version()).await,
        }
    }

    async fn in_transaction(
        &self,
        connection: &mut AnyConnection,
        check: Option<&'static str>,
    ) -> Result<Option<usize>> {
        connection.transaction(&TransactionOptions::default(), async |tx| self.within(tx, check).await).await
    }

    async fn within(&self, tx: &mut AnyConnection, check: Option<&'static str>) -> Result<Option<usize>> {
        // Where the session has no lock, the transaction has.
        if let (None, SyncLock::InTransaction(take)) =
            (self.migrator.backend.ddl().session_lock(), self.migrator.backend.ddl().sync_lock())
        {
            tx.fetch::<Vec<Value>>(&take).await?;
        }
        let entry = self.history.entry(&mut **tx, self.version()).await?;
        if self.is_done(entry.as_ref()) {
            return Ok(None);
        }
        // Its text said `no-transaction` when it was begun.
        if entry.as_ref().is_some_and(|entry| entry.running.is_some()) {
            let why = "it was begun statement by statement: put the mark `no-transaction` back";
            return Err(MigrateError::Unsupported { migration: self.migration.to_string(), why: why.to_owned() });
        }
        for (index, statement) in self.script.statements.iter().enumerate() {
            self.migrator.tell(&Progress::Statement { number: index + 1, sql: statement });
            tx.script(statement).await.map_err(|error| self.failed(index, true, error))?;
            self.migrator.tell(&Progress::Ran { number: index + 1 });
        }
        if let Some(check) = check {
            let check = asked(check, &[]);
            if let Some((table,)) = tx.fetch_first::<(String,)>(&check).await? {
                return Err(MigrateError::Dangling { migration: self.migration.to_string(), table });
            }
        }
        if entry.is_none() {
            self.history.begin(&mut **tx, self.migration, self.migration.checksum(), None).await?;
        }
        self.end(tx).await?;
        self.migrator.tell(&Progress::Recorded { number: self.script.statements.len() });
        Ok(Some(self.script.statements.len()))
    }

    /// Where each statement that changes a table commits by itself: what was begun and what has run is recorded beside it.
    async fn by_statement(&self, connection: &mut AnyConnection) -> Result<Option<usize>> {
        let statements = &self.script.statements;
        let entry = self.history.entry(&mut **connection, self.version()).await?;
        if self.is_done(entry.as_ref()) {
            return Ok(None);
        }
        let running = entry.as_ref().filter(|entry| entry.running.is_some());
        let mut next = match running {
            Some(entry) => {
                let ddl = self.migrator.backend.ddl();
                if ddl.session_lock().is_none() && !self.migrator.resume {
                    return Err(self.in_progress());
                }
                let next = resumed(self.migration, statements, entry)?;
                // The session of those that have run is gone.
                for (index, statement) in statements.iter().enumerate().take(next) {
                    if self.words(statement).sets() {
                        connection.script(statement).await.map_err(|error| self.failed(index, false, error))?;
                    }
                }
                if entry.is_in_doubt() { self.decide(connection, entry, next).await? } else { next }
            }
            None => {
                self.start(connection, entry.is_some()).await?;
                0
            }
        };
        let first = next;
        while next < statements.len() {
            self.statement(connection, next).await?;
            next += 1;
        }
        self.end(connection).await?;
        Ok(Some(statements.len().saturating_sub(first)))
    }

    async fn start(&self, connection: &mut AnyConnection, is_there: bool) -> Result<()> {
        if !is_there {
            // Of two processes without a lock, one fails here.
            let (begun, direction) = (statements_checksum(&[]), Some(self.direction));
            self.history.begin(&mut **connection, self.migration, begun, direction).await?;
        } else if !self.history.revert(&mut **connection, self.version(), settled(&[])).await? {
            return Err(self.in_progress());
        }
        Ok(())
    }

    /// Runs a statement, and records that it begins and that it has ended.
    async fn statement(&self, connection: &mut AnyConnection, index: usize) -> Result<()> {
        let Some(statement) = self.script.statements.get(index) else { return Ok(()) };
        let run = self.script.statements.get(..=index).unwrap_or_default();
        let number = index + 1;
        if ROWS.iter().any(|word| word.eq_ignore_ascii_case(first_word(statement))) {
            // Its rows and its record are committed together.
            self.migrator.tell(&Progress::Statement { number, sql: statement });
            let both = async |tx: &mut AnyConnection| {
                tx.script(statement).await.map_err(|error| self.failed(index, false, error))?;
                self.migrator.tell(&Progress::Ran { number });
                Ok::<_, MigrateError>(self.history.set(&mut **tx, self.version(), settled(run)).await?)
            };
            connection.transaction(&TransactionOptions::default(), both).await?;
        } else {
            let before = self.before(connection, statement).await?;
            let begun = i64::try_from(number).unwrap_or(i64::MAX);
            let sets = [("begun", begun.into()), ("tables_before", before.text().into())];
            self.history.set(&mut **connection, self.version(), sets).await?;
            self.migrator.tell(&Progress::Statement { number, sql: statement });
            if let Err(error) = connection.script(statement).await {
                return Err(self.not_run(connection, index, error).await);
            }
            self.migrator.tell(&Progress::Ran { number });
            self.history.set(&mut **connection, self.version(), settled(run)).await?;
        }
        self.migrator.tell(&Progress::Recorded { number });
        Ok(())
    }

    /// A statement failed. If the engine said so of one that happens or does not, it did not take effect.
    async fn not_run(&self, connection: &mut AnyConnection, index: usize, error: DriverError) -> MigrateError {
        let words = self.script.statements.get(index).map(|statement| self.words(statement)).unwrap_or_default();
        if !error.is_in_doubt() && (words.sets() || words.is_atomic()) {
            let run = self.script.statements.get(..index).unwrap_or_default();
            // If this fails the statement stays in doubt, and the next run decides.
            let _ = self.history.set(&mut **connection, self.version(), settled(run)).await;
        }
        self.failed(index, false, error)
    }

    /// What to run next, where a statement was begun and did not end. Whatever may have happened twice or not at all is in doubt.
    async fn decide(&self, connection: &mut AnyConnection, entry: &Entry, index: usize) -> Result<usize> {
        let Some(statement) = self.script.statements.get(index) else { return Err(self.in_doubt(index, None)) };
        let (words, now) = (self.words(statement), self.before(connection, statement).await?);
        let before = entry.before.as_deref().unwrap_or_default();
        // Another text stands there now than that which was begun.
        if !before.starts_with(&now.statement) {
            return Err(self.in_doubt(index, None));
        }
        let is_same = now.tables.is_some() && before == now.text();
        let (run, number) = (self.script.statements.get(..=index).unwrap_or_default(), index + 1);
        if words.sets() || is_same && words.defines() {
            // It did not run, or it changed what is not seen: run once more, the engine says which.
            self.migrator.tell(&Progress::Statement { number, sql: statement });
            connection.script(statement).await.map_err(|error| self.in_doubt(index, Some(error)))?;
            self.migrator.tell(&Progress::Ran { number });
        } else if is_same || now.tables.is_none() || !words.changes_table() || self.migrator.has_transactions() {
            // With a transaction for each statement, what was killed may have left something behind, such as half an index.
            return Err(self.in_doubt(index, None));
        }
        self.history.set(&mut **connection, self.version(), settled(run)).await?;
        self.migrator.tell(&Progress::Recorded { number });
        Ok(number)
    }

    /// A statement, and the tables that it names, as they are before it.
    async fn before(&self, connection: &mut AnyConnection, statement: &str) -> Result<Before> {
        let half = |text: &str| checksum([text]).chars().take(HALF).collect();
        let ddl = self.migrator.backend.ddl();
        let words = self.words(statement);
        let tables = if ddl.introspection().is_none() {
            None
        } else if let Some(definitions) = ddl.introspection().and_then(|questions| questions.definitions) {
            Some(half(&self.definitions(connection, &definitions, &words).await?))
        } else {
            let mut tables = introspect(&mut **connection, ddl, &IntrospectOptions::default()).await?.tables;
            // What others do to other tables says nothing of it.
            tables.retain(|table| words.may_name(&table.name));
            for table in &mut tables {
                // The statistics of rows change by themselves.
                table.estimated_rows = None;
            }
            Some(half(&format!("{tables:?}")))
        };
        Ok(Before { statement: half(statement), tables })
    }

    /// What defines the tables that a statement may name.
    async fn definitions(
        &self,
        connection: &mut AnyConnection,
        definitions: &Definitions,
        words: &Words,
    ) -> Result<String> {
        let names: Vec<(String,)> = connection.fetch(&asked(definitions.names, &[])).await?;
        let mut texts = String::new();
        for (name,) in names.iter().filter(|(name,)| words.may_name(name)) {
            let found = connection.fetch_first::<Vec<Value>>(&asked((definitions.query)(name), &[])).await;
            let text = match found {
                Ok(row) => format!("{row:?}"),
                // The engine has answered: another process may have dropped it.
                Err(error) if error.code().is_some() => error.to_string(),
                Err(error) => return Err(error.into()),
            };
            texts.push_str(&(definitions.lasting)(&text));
        }
        Ok(texts)
    }
}

/// The digits of a checksum that are kept: two of them are in one column.
const HALF: usize = 32;

/// What is recorded before a statement, as checksums.
struct Before {
    statement: String,
    /// None where the engine's catalog is not read.
    tables: Option<String>,
}

impl Before {
    fn text(&self) -> String {
        format!("{}{}", self.statement, self.tables.as_deref().unwrap_or_default())
    }
}
