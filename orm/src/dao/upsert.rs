//! Updates a row that exists, or inserts it, safely beside concurrent writers.

use std::time::Duration;

use isogloss_compiler::dialect::{Feature, Support};
use isogloss_compiler::expr::{ValueTypeExpr, from};
use isogloss_compiler::legalize::Rule;
use isogloss_compiler::model::Entity as Model;
use isogloss_compiler::{ExprString, Request, identifier};

use super::ObjectDao;
use super::batch::{Write, may_be_the_statement};
use super::entity::{has_key, key_columns, key_of};
use super::failed_row::is_of_a_row;
use super::object::is_new;
use super::row::{RowGiven, accept};
use super::update::{changeable, first};
use crate::entity::Table;
use crate::session::Session;
use crate::{OrmError, OrmResult};

/// The outcome of [`update_or_insert`](super::ObjectDao::update_or_insert).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UpdateOrInsertResult {
    /// The row did not exist, and was inserted.
    Inserted,
    /// The row existed, and was updated.
    Updated,
    /// Nothing was written: the row has another version, it is outside of a fixed filter or the session's scope, or the
    /// entity has no version yet.
    Failed,
}

/// What became of an insert.
enum Insert {
    Done(RowGiven),
    /// There is a row with its key, which the insert may have violated.
    There(Option<OrmError>),
    /// It violates a key, and no row with its own was seen.
    Violated(OrmError),
}

/// What an insert does that leaves alone a row with its very key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExistingRow {
    /// The row stays as it is.
    Left,
    /// The row stays as it is, and is locked: nobody deletes it before the transaction ends.
    Locked,
    /// The engine has no such insert: it fails.
    Error,
}

/// How often an upsert begins again that finds no row to update, and one as it inserts: more often than somebody else can
/// be expected to delete and insert the row in between.
const ATTEMPTS: u32 = 24;

/// What comes about as often in a row is not due to others.
const NO_CHANCE: u32 = 8;

impl<T: Table> ObjectDao<T> {
    /// Updates the row with the entity's key, or inserts it if there is none. It is safe beside concurrent callers.
    ///
    /// An entity whose version column has no version yet (NULL, 0, or the first moment of 1970) was never read, and is
    /// only inserted. If the row exists, the outcome is [`Failed`](UpdateOrInsertResult::Failed), even if another
    /// program has inserted the row without a version. Read such a row and [`update`](Self::update) it, which gives it
    /// the next version.
    ///
    /// # Errors
    /// A violated constraint other than the key's, or a statement that cannot be compiled or run. A violation of the
    /// key is reported only if others delete and insert the row again and again in between.
    pub async fn update_or_insert(&self, entity: &mut T) -> OrmResult<UpdateOrInsertResult> {
        self.0.hold(Write::Upsert, entity).await?;
        let (done, given) = self.update_or_insert_row(entity).await?;
        accept(entity, given)?;
        Ok(done)
    }

    /// Updates the row with the entity's key or inserts it, and gives what the database has put into it, beside the result.
    pub(super) async fn update_or_insert_row(&self, entity: &T) -> OrmResult<(UpdateOrInsertResult, RowGiven)> {
        let model = self.0.model()?;
        if is_new(entity, model)? {
            return Ok((UpdateOrInsertResult::Inserted, self.0.insert_row(entity, false).await?.1));
        }
        let never_read = first(entity, model)?.is_some();
        let existing = self.existing_rows().await?;
        // An insert gives the row another number, and meets no row with its own.
        let numbered = model.identity.is_some_and(|identity| model.keys.contains(&identity));
        if existing == ExistingRow::Locked && self.0.session.in_transaction() && !numbered {
            return self.insert_or_update_locked(entity, model, never_read).await;
        }
        let most_there = match (&model.version, self.0.is_filtered(model).await?) {
            // Whatever version it has, it is not the one that the program has read.
            (Some(_), _) => 1,
            (None, true) => ATTEMPTS,
            (None, false) => u32::MAX,
        };
        // How often in a row; and what the last insert has violated.
        let (mut there, mut violated, mut last) = (0, 0, None);
        // Somebody else may insert the row between the two, or delete it: then it is there, or it is not.
        for _ in 0..ATTEMPTS {
            if !never_read && let (true, given) = self.write_over(entity, model).await? {
                return Ok((UpdateOrInsertResult::Updated, given));
            }
            (there, violated, last) = match self.insert_and_look(entity, model, existing, last).await? {
                Insert::Done(given) => return Ok((UpdateOrInsertResult::Inserted, given)),
                Insert::There(_) if there + 1 >= most_there => {
                    return Ok((UpdateOrInsertResult::Failed, RowGiven::new()));
                }
                Insert::There(error) => (there + 1, 0, error),
                // An insert that leaves its key alone may violate another one, by a row with both that has just come.
                Insert::Violated(error) if violated + 1 >= NO_CHANCE => return Err(error),
                Insert::Violated(error) => (0, violated + 1, Some(error)),
            };
            // Who deletes and inserts the row in step with this one does not stay in step.
            let met = there.max(violated).min(NO_CHANCE);
            if met > 1 {
                tokio::time::sleep(Duration::from_millis(met.into())).await;
            }
        }
        last.map_or_else(|| Ok((UpdateOrInsertResult::Failed, RowGiven::new())), Err)
    }

    /// Inserts the row, or locks the one with its key and updates that, in a transaction of MySQL's. An UPDATE that finds no
    /// row locks the gap where it would be, beside others who do the same, and their INSERTs would wait for each other. So
    /// would INSERTs that fail: each keeps a shared lock of the row.
    async fn insert_or_update_locked(
        &self,
        entity: &T,
        model: &Model,
        never_read: bool,
    ) -> OrmResult<(UpdateOrInsertResult, RowGiven)> {
        let failed = match self.0.insert_row(entity, true).await {
            Ok((true, given)) => return Ok((UpdateOrInsertResult::Inserted, given)),
            Ok((false, _)) => None,
            // A row that is there may have what this one lacks, such as a column that only an UPDATE writes.
            Err(error) if is_of_a_row(&error) && !never_read => Some(error),
            Err(error) => return Err(error),
        };
        if !never_read && let (true, given) = self.write_over(entity, model).await? {
            return Ok((UpdateOrInsertResult::Updated, given));
        }
        failed.map_or_else(|| Ok((UpdateOrInsertResult::Failed, RowGiven::new())), Err)
    }

    /// Writes the row over the one with its key. Nothing of a row is written that has no column but its key and constants: it is
    /// enough that the session finds it.
    async fn write_over(&self, entity: &T, model: &Model) -> OrmResult<(bool, RowGiven)> {
        if model.version.is_some() || !changeable(model).is_empty() {
            return self.0.update_row(entity, None).await;
        }
        let (key, shard) = (has_key(model, key_of(entity, model)?)?, self.0.with_args(&self.0.args_of(entity)));
        // What others have committed counts, and replicas do not.
        let found = self.0.session.atomically(async |_: &Session| {
            let query = shard.locked(from(T::NAME).filter(key)).await?;
            let names = key_columns(model)?.into_iter().map(|column| column.name.clone());
            shard.table(query.select(names).into()).await
        });
        Ok((!found.await?.is_empty(), RowGiven::new()))
    }

    /// Inserts a row; if it violates a key, looks whether there is one with its own. `before` is what the last insert has
    /// violated.
    async fn insert_and_look(
        &self,
        entity: &T,
        model: &Model,
        existing: ExistingRow,
        before: Option<OrmError>,
    ) -> OrmResult<Insert> {
        let session = &self.0.session;
        // In a transaction, MySQL would look at what was there when it began.
        let locks = session.in_transaction();
        let numbered = model.identity.is_some_and(|identity| model.keys.contains(&identity));
        // An insert would give it another number, and make a second row of it.
        if numbered && self.is_there(entity, model, locks).await? {
            return Ok(Insert::There(before));
        }
        let leaves = match existing {
            // The table may have no such key, without which there is no such insert.
            ExistingRow::Left => before.is_some(),
            ExistingRow::Locked => true,
            ExistingRow::Error => false,
        };
        let leaves = leaves && !numbered;
        // In a transaction, an insert that fails takes back itself only.
        let inserted = session.atomically(async |_| self.0.insert_row(entity, leaves).await);
        match inserted.await {
            Ok((true, given)) => Ok(Insert::Done(given)),
            Ok((false, _)) => Ok(Insert::There(before)),
            Err(error) if error.is_unique_violation() => {
                let there = self.is_there(entity, model, locks).await?;
                Ok(if there { Insert::There(Some(error)) } else { Insert::Violated(error) })
            }
            // The table has no such key.
            Err(error) if leaves && may_be_the_statement(&error) => Err(before.unwrap_or(error)),
            Err(error) => Err(error),
        }
    }

    /// What becomes of the row that an upsert of the engine finds.
    async fn existing_rows(&self) -> OrmResult<ExistingRow> {
        let target = self.0.target().await?;
        Ok(match target.support(Feature::Upsert) {
            Support::Native | Support::Expand(Rule::UpsertMerge) => ExistingRow::Left,
            // Vitess does not tell whether it has inserted the row.
            Support::Expand(Rule::UpsertDuplicateKey) if target.dialect().sheet().name != "vitess" => {
                ExistingRow::Locked
            }
            _ => ExistingRow::Error,
        })
    }

    /// Whether there is a row with the entity's key in its table: in any version, and whatever its filters say.
    async fn is_there(&self, entity: &T, model: &Model, locks: bool) -> OrmResult<bool> {
        let args = self.0.args_of(entity);
        let mut lease = self.0.lease_to_write(&args).await?;
        let target = lease.target().clone();
        let locks = locks && matches!(target.support(Feature::LockUpdate), Support::Native);
        let (hint, clause) = if locks { target.dialect().update_lock() } else { ("", "") };
        let mut template = ExprString::new().text(format!("SELECT 1 FROM {{Table}}{hint} WHERE "));
        for (index, (column, value)) in key_columns(model)?.into_iter().zip(key_of(entity, model)?).enumerate() {
            let (and, slot) = (if index > 0 { " AND " } else { "" }, format!("key_{index}"));
            template = template
                .text(and)
                .hole(identifier(column.column.clone()))
                .text(format!(" = {{{slot}}}"))
                .bind(slot, ValueTypeExpr::from(value));
        }
        let request = Request::of(T::NAME).table_args(&args);
        let statement = self.0.session.compile_unscoped(&target, &template.text(clause), request)?;
        Ok(lease.fetch_first::<(i64,)>(&statement).await?.is_some())
    }
}
