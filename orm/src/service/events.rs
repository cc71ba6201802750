//! Events of what services write.

use std::fmt;
use std::marker::PhantomData;

use async_trait::async_trait;
use compact_str::CompactString;
use isogloss_compiler::expr::{DeleteExpr, Expr, LogicExpr, Name, UpdateExpr, Value, ValueTypeExpr};
use isogloss_driver::BoxFuture;

use super::operation::Kind;
use crate::OrmResult;
use crate::dao::TableArgs;
use crate::entity::{Predicate, Takes};
use crate::session::{Outcome, Session};

/// Subscribes to what services do to entities of type `T`. All methods have a default that does nothing.
///
/// | before | after | what false leaves out |
/// |:--|:--|:--|
/// | [`on_inserting`](Self::on_inserting) | [`on_inserted`](Self::on_inserted) | the entity |
/// | [`on_updating`](Self::on_updating) | [`on_updated`](Self::on_updated) | the entity |
/// | [`on_updating_or_inserting`](Self::on_updating_or_inserting) | [`on_updated_or_inserted`](Self::on_updated_or_inserted) | the entity |
/// | [`on_deleting`](Self::on_deleting) | [`on_deleted`](Self::on_deleted) | the entity |
/// | [`on_delete_iding`](Self::on_delete_iding) | [`on_delete_ided`](Self::on_delete_ided) | the key |
/// | [`on_batch_delete_iding`](Self::on_batch_delete_iding) | [`on_batch_delete_ided`](Self::on_batch_delete_ided) | all keys |
/// | [`on_delete_alling`](Self::on_delete_alling) | [`on_delete_alled`](Self::on_delete_alled) | the whole operation |
/// | [`on_update_alling`](Self::on_update_alling) | [`on_update_alled`](Self::on_update_alled) | the whole operation |
///
/// [`on_change`](Self::on_change) is called after each change of any of these kinds: an audit or a cache implements it
/// alone, and misses none.
///
/// - **Transaction.** An operation with subscribers runs in a transaction: its own, or a savepoint of the open one. All
///   of the methods above are called inside of it, on the caller's task, and what they write by the
///   [session](EventContext::session) belongs to it. The first error or panic fails the operation: no other subscriber
///   is called, and the writes of the operation and its subscribers are rolled back.
/// - **Before.** Subscribers are called in the order of their registration, and their changes to the entity are
///   written. The first `false` cancels: later subscribers are not called, nothing is written, and the operation
///   returns `false` or 0. For a batch, all entities are asked about first, in order. Those that are cancelled are left
///   out, and listed in the [result](super::BatchResult).
/// - **After.** Subscribers are notified of what was written: an entity for which the operation returned `true`, an
///   operation on a set that affected at least one row, and each existing entity of a batch once all of it is written.
///   The keys of [`on_batch_delete_ided`](Self::on_batch_delete_ided) are reported whether or not such rows existed.
/// - **After the transaction.** [`on_committed`](Self::on_committed), [`on_rolled_back`](Self::on_rolled_back) and
///   [`on_outcome_unknown`](Self::on_outcome_unknown) are called for each change that was written, once the outermost
///   transaction has ended: see [`Session::at_end`]. They run outside of it, with a session of their own that reads
///   from the primary. An error there does not stop other subscribers, and does not affect the change.
///
/// What a subscriber writes by services raises events, too. More than eight nested operations are the error
/// [`ServiceError::Cycle`](super::ServiceError::Cycle).
///
/// Data access objects raise no events.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/shop.rs"));
/// use isogloss::config::DataSourceConfig;
/// use isogloss::prelude::*;
/// use isogloss::service::{Change, EntityEvents, EntityService, EventContext, async_trait};
///
/// struct Names;
///
/// #[async_trait]
/// impl EntityEvents<Department> for Names {
///     async fn on_inserting(&self, department: &mut Department, _: &EventContext) -> OrmResult<bool> {
///         department.name = department.name.trim().to_owned();
///         Ok(!department.name.is_empty())
///     }
///
///     async fn on_committed(&self, change: &Change<Department>, _: &EventContext) -> OrmResult<()> {
///         println!("for good: {change:?}");
///         Ok(())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> OrmResult<()> {
/// let orm = Orm::builder().catalog(catalog()?).entity_events::<Department, _>(|_| Ok(Names)).build().await?;
/// orm.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true))?;
/// let departments = EntityService::<Department>::new(&orm.create_session()?);
///
/// let mut research = Department { id: 1, name: " Research ".into(), parent_id: None };
/// assert!(departments.insert(&mut research).await?);
/// assert_eq!(research.name, "Research");
/// assert!(!departments.insert(&mut Department { id: 2, name: " ".into(), parent_id: None }).await?);
/// # Ok(()) }
/// ```
#[async_trait]
#[allow(unused_variables, reason = "the defaults let everything be, and the names are for who writes them anew")]
pub trait EntityEvents<T: Send + Sync>: Send + Sync {
    /// An entity is about to be inserted.
    async fn on_inserting(&self, entity: &mut T, event: &EventContext) -> OrmResult<bool> {
        Ok(true)
    }

    /// An entity was inserted, and has the key that the database has generated.
    async fn on_inserted(&self, entity: &T, event: &EventContext) -> OrmResult<()> {
        Ok(())
    }

    /// The row with an entity's key is about to be updated.
    async fn on_updating(&self, entity: &mut T, event: &EventContext) -> OrmResult<bool> {
        Ok(true)
    }

    /// The row with an entity's key was updated.
    async fn on_updated(&self, entity: &T, event: &EventContext) -> OrmResult<()> {
        Ok(())
    }

    /// The row with an entity's key is about to be updated, or inserted if there is none.
    async fn on_updating_or_inserting(&self, entity: &mut T, event: &EventContext) -> OrmResult<bool> {
        Ok(true)
    }

    /// The row with an entity's key was updated or inserted.
    async fn on_updated_or_inserted(&self, entity: &T, event: &EventContext) -> OrmResult<()> {
        Ok(())
    }

    /// The row of an entity is about to be deleted. Changes to the entity would have no effect.
    async fn on_deleting(&self, entity: &T, event: &EventContext) -> OrmResult<bool> {
        Ok(true)
    }

    /// The row of an entity was deleted.
    async fn on_deleted(&self, entity: &T, event: &EventContext) -> OrmResult<()> {
        Ok(())
    }

    /// The row with a key is about to be deleted.
    async fn on_delete_iding(&self, key: &[Value], event: &EventContext) -> OrmResult<bool> {
        Ok(true)
    }

    /// The row with a key was deleted.
    async fn on_delete_ided(&self, key: &[Value], event: &EventContext) -> OrmResult<()> {
        Ok(())
    }

    /// The rows with these keys are about to be deleted.
    async fn on_batch_delete_iding(&self, keys: &[Vec<Value>], event: &EventContext) -> OrmResult<bool> {
        Ok(true)
    }

    /// The rows with these keys were deleted, as far as they existed.
    async fn on_batch_delete_ided(&self, keys: &[Vec<Value>], event: &EventContext) -> OrmResult<()> {
        Ok(())
    }

    /// The rows that satisfy a condition are about to be deleted. The condition can be narrowed.
    async fn on_delete_alling(&self, write: &mut SetWrite<T>, event: &EventContext) -> OrmResult<bool> {
        Ok(true)
    }

    /// The rows that satisfy a condition were deleted; `rows` is their number.
    async fn on_delete_alled(&self, rows: u64, write: &SetWrite<T>, event: &EventContext) -> OrmResult<()> {
        Ok(())
    }

    /// The rows that satisfy a condition are about to be updated. The condition can be narrowed.
    async fn on_update_alling(&self, write: &mut SetWrite<T>, event: &EventContext) -> OrmResult<bool> {
        Ok(true)
    }

    /// The rows that satisfy a condition were updated; `rows` is their number.
    async fn on_update_alled(&self, rows: u64, write: &SetWrite<T>, event: &EventContext) -> OrmResult<()> {
        Ok(())
    }

    /// Something was written, in whatever way: the change has its kind, and the rows, keys or condition. It is called
    /// after the method for that kind, in the same transaction.
    ///
    /// The HTTP API deletes by key, which is [`Change::DeletedId`].
    async fn on_change(&self, change: &Change<T>, event: &EventContext) -> OrmResult<()> {
        Ok(())
    }

    /// A change is committed: the time for mails, caches and queues.
    async fn on_committed(&self, change: &Change<T>, event: &EventContext) -> OrmResult<()> {
        Ok(())
    }

    /// A change that was written is rolled back, with its transaction or a savepoint.
    async fn on_rolled_back(&self, change: &Change<T>, event: &EventContext) -> OrmResult<()> {
        Ok(())
    }

    /// It is unknown whether a change is committed: see [`Outcome::Unknown`].
    async fn on_outcome_unknown(&self, change: &Change<T>, event: &EventContext) -> OrmResult<()> {
        Ok(())
    }
}

/// What a subscriber can use: the session, and the arguments of the shard.
#[derive(Debug, Clone)]
pub struct EventContext {
    pub(super) session: Session,
    pub(super) args: TableArgs,
}

impl EventContext {
    /// The session of the operation, in its transaction. After the end of the transaction, a session of its own.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The table arguments that the service was created with. Those that an entity determines are in the entity.
    #[must_use]
    pub fn args(&self) -> &[CompactString] {
        &self.args
    }
}

/// A change that was written.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Change<T> {
    /// An entity was inserted.
    Inserted(T),
    /// The row with an entity's key was updated.
    Updated(T),
    /// The row with an entity's key was updated or inserted.
    UpdatedOrInserted(T),
    /// The row of an entity was deleted.
    Deleted(T),
    /// The row with a key was deleted.
    DeletedId(Vec<Value>),
    /// The rows with these keys were deleted, as far as they existed.
    BatchDeletedIds(Vec<Vec<Value>>),
    /// The rows that satisfy a condition were deleted; with their number.
    DeletedAll(u64, SetWrite<T>),
    /// The rows that satisfy a condition were updated; with their number.
    UpdatedAll(u64, SetWrite<T>),
}

/// An UPDATE or DELETE of the rows that satisfy a condition, as the caller has given it and subscribers have narrowed
/// it. Fixed filters of the catalog and the session's scope apply in addition, and are not shown.
pub struct SetWrite<T> {
    /// A DELETE is kept as an UPDATE that sets nothing.
    write: UpdateExpr,
    deletes: bool,
    narrowed: bool,
    of: PhantomData<fn() -> T>,
}

impl<T> SetWrite<T> {
    pub(super) const fn updates(write: UpdateExpr) -> Self {
        Self { write, deletes: false, narrowed: false, of: PhantomData }
    }

    pub(super) fn deletes(delete: DeleteExpr) -> Self {
        let DeleteExpr { table, filter, all_rows, returning } = delete;
        let write = UpdateExpr { table, sets: Vec::new(), filter, all_rows, returning };
        Self { deletes: true, ..Self::updates(write) }
    }

    /// The condition; `None` if every row is affected.
    #[must_use]
    pub const fn condition(&self) -> Option<&LogicExpr> {
        self.write.filter.as_ref()
    }

    /// The assignments; empty for a DELETE.
    #[must_use]
    pub fn sets(&self) -> &[(Name, ValueTypeExpr)] {
        &self.write.sets
    }

    /// Narrows the operation to rows that also satisfy this condition; `None` changes nothing.
    pub fn narrow<C: Predicate>(&mut self, condition: C)
    where
        T: Takes<C::Entity>,
    {
        let Some(condition) = condition.given() else { return };
        self.write.filter = Some(match self.write.filter.take() {
            Some(filter) => filter & condition,
            None => condition,
        });
        self.write.all_rows = false;
        self.narrowed = true;
    }

    /// Whether it means fewer rows than the caller has said.
    pub(super) const fn is_narrowed(&self) -> bool {
        self.narrowed
    }

    pub(super) fn into_statement(self) -> Expr {
        if !self.deletes {
            return self.write.into();
        }
        let UpdateExpr { table, filter, all_rows, returning, .. } = self.write;
        DeleteExpr { table, filter, all_rows, returning }.into()
    }

    /// Asks before it is run.
    pub(super) fn ask<'e>(&'e mut self, events: &'e dyn EntityEvents<T>, event: &'e EventContext) -> Answer<'e, bool>
    where
        T: Send + Sync,
    {
        match self.deletes {
            true => events.on_delete_alling(self, event),
            false => events.on_update_alling(self, event),
        }
    }

    /// That it was run, and has hit so many rows.
    pub(super) fn change(self, rows: u64) -> Change<T> {
        if self.deletes { Change::DeletedAll(rows, self) } else { Change::UpdatedAll(rows, self) }
    }
}

impl<T> Clone for SetWrite<T> {
    fn clone(&self) -> Self {
        let Self { write, deletes, narrowed, of } = self;
        Self { write: write.clone(), deletes: *deletes, narrowed: *narrowed, of: *of }
    }
}

impl<T> PartialEq for SetWrite<T> {
    fn eq(&self, other: &Self) -> bool {
        self.deletes == other.deletes && self.write == other.write
    }
}

impl<T> fmt::Debug for SetWrite<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SetWrite").field("sets", &self.write.sets).field("condition", &self.write.filter).finish()
    }
}

/// What a method of [`EntityEvents`] gives.
pub(super) type Answer<'e, R> = BoxFuture<'e, OrmResult<R>>;

impl Kind {
    /// Asks before an entity is written.
    pub(super) fn ask<'e, T: Send + Sync>(
        self,
        events: &'e dyn EntityEvents<T>,
        entity: &'e mut T,
        event: &'e EventContext,
    ) -> Answer<'e, bool> {
        match self {
            Self::Insert => events.on_inserting(entity, event),
            Self::Update => events.on_updating(entity, event),
            Self::UpdateOrInsert => events.on_updating_or_inserting(entity, event),
            Self::Delete => events.on_deleting(entity, event),
        }
    }

    /// That an entity was written.
    pub(super) fn change<T>(self, entity: T) -> Change<T> {
        match self {
            Self::Insert => Change::Inserted(entity),
            Self::Update => Change::Updated(entity),
            Self::UpdateOrInsert => Change::UpdatedOrInserted(entity),
            Self::Delete => Change::Deleted(entity),
        }
    }
}

impl<T: Send + Sync> Change<T> {
    /// Tells what was written: by the method for its kind, and by the one for all kinds.
    pub(super) fn tell<'e>(&'e self, events: &'e dyn EntityEvents<T>, event: &'e EventContext) -> Answer<'e, ()> {
        Box::pin(async move {
            self.tell_kind(events, event).await?;
            events.on_change(self, event).await
        })
    }

    fn tell_kind<'e>(&'e self, events: &'e dyn EntityEvents<T>, event: &'e EventContext) -> Answer<'e, ()> {
        match self {
            Self::Inserted(entity) => events.on_inserted(entity, event),
            Self::Updated(entity) => events.on_updated(entity, event),
            Self::UpdatedOrInserted(entity) => events.on_updated_or_inserted(entity, event),
            Self::Deleted(entity) => events.on_deleted(entity, event),
            Self::DeletedId(key) => events.on_delete_ided(key, event),
            Self::BatchDeletedIds(keys) => events.on_batch_delete_ided(keys, event),
            Self::DeletedAll(rows, write) => events.on_delete_alled(*rows, write, event),
            Self::UpdatedAll(rows, write) => events.on_update_alled(*rows, write, event),
        }
    }

    /// Tells how the transaction has ended in which it was written.
    pub(super) fn tell_end<'e>(
        &'e self,
        events: &'e dyn EntityEvents<T>,
        outcome: Outcome,
        event: &'e EventContext,
    ) -> Answer<'e, ()> {
        match outcome {
            Outcome::Committed => events.on_committed(self, event),
            Outcome::RolledBack => events.on_rolled_back(self, event),
            Outcome::Unknown => events.on_outcome_unknown(self, event),
        }
    }
}
