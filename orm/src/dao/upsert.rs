//! Updates a row that exists, or inserts it, safely beside concurrent writers.

use std::time::Duration;

use isogloss_compiler::dialect::{Feature, Support};
use isogloss_compiler::expr::ValueTypeExpr;
use isogloss_compiler::legalize::Rule;
use isogloss_compiler::model::Entity as Model;
use isogloss_compiler::{ExprString, Request, identifier};

use super::ObjectDao;
use super::batch::{Write, may_be_the_statement};
use super::entity::{key_columns, key_of};
use super::object::is_new;
use super::row::{RowGiven, accept};
use super::update::first;
use crate::entity::Table;
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
        let leaves = self.leaves_alone().await?;
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
            if !never_read && let (true, given) = self.0.update_row(entity, None).await? {
                return Ok((UpdateOrInsertResult::Updated, given));
            }
            (there, violated, last) = match self.insert_and_look(entity, model, leaves, last).await? {
                Insert::Done(given) => return Ok((UpdateOrInsertResult::Inserted, given)),
                Insert::There(_) if there + 1 >= most_there => {
                    return Ok((UpdateOrInsertResult::Failed, RowGiven::default()));
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
        last.map_or_else(|| Ok((UpdateOrInsertResult::Failed, RowGiven::default())), Err)
    }

    /// Inserts a row; if it violates a key, looks whether there is one with its own. `before` is what the last insert has
    /// violated.
    async fn insert_and_look(
        &self,
        entity: &T,
        model: &Model,
        leaves: bool,
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
        let decides = before.is_some() && leaves && !numbered;
        let mut there = false;
        // In a transaction, an insert that fails takes back itself only, and on MySQL nobody deletes what it has met.
        let inserted = session.transaction(async |_| {
            let inserted = self.0.insert_row(entity, decides).await;
            if !leaves && inserted.as_ref().is_err_and(OrmError::is_unique_violation) {
                there = self.is_there(entity, model, true).await?;
            }
            inserted
        });
        match inserted.await {
            Ok((true, given)) => Ok(Insert::Done(given)),
            Ok((false, _)) => Ok(Insert::There(before)),
            Err(error) if error.is_unique_violation() => {
                let there = there || leaves && self.is_there(entity, model, locks).await?;
                Ok(if there { Insert::There(Some(error)) } else { Insert::Violated(error) })
            }
            // The table has no such key.
            Err(error) if decides && may_be_the_statement(&error) => Err(before.unwrap_or(error)),
            Err(error) => Err(error),
        }
    }

    /// Whether the engine has an insert that leaves a row with that very key alone.
    async fn leaves_alone(&self) -> OrmResult<bool> {
        let target = self.0.target().await?;
        Ok(matches!(target.support(Feature::Upsert), Support::Native | Support::Expand(Rule::UpsertMerge)))
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
