//! What is told of what is done to entities.

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

/// Listens to what services do to entities of type `T`. Every method has a default, which lets everything be.
///
/// | asked before | told after | where false leaves out |
/// |:--|:--|:--|
/// | [`on_inserting`](Self::on_inserting) | [`on_inserted`](Self::on_inserted) | the entity |
/// | [`on_updating`](Self::on_updating) | [`on_updated`](Self::on_updated) | the entity |
/// | [`on_updating_or_inserting`](Self::on_updating_or_inserting) | [`on_updated_or_inserted`](Self::on_updated_or_inserted) | the entity |
/// | [`on_deleting`](Self::on_deleting) | [`on_deleted`](Self::on_deleted) | the entity |
/// | [`on_delete_iding`](Self::on_delete_iding) | [`on_delete_ided`](Self::on_delete_ided) | the key |
/// | [`on_batch_delete_iding`](Self::on_batch_delete_iding) | [`on_batch_delete_ided`](Self::on_batch_delete_ided) | all keys |
/// | [`on_delete_alling`](Self::on_delete_alling) | [`on_delete_alled`](Self::on_delete_alled) | the whole |
/// | [`on_update_alling`](Self::on_update_alling) | [`on_update_alled`](Self::on_update_alled) | the whole |
///
/// - **In the transaction.** What has subscribers runs in a transaction: in one of its own, or as a savepoint of the one
///   that is open. All of the methods above are called inside of it, on the task of the caller, and what they write through
///   the [session](EventContext::session) belongs to it. The first error or panic is the operation's: nobody else is
///   called, and what the operation and its subscribers have written is taken back.
/// - **Before.** Subscribers are asked in the order in which they were registered, and what they change in the entity is
///   written. The first false cancels: those behind are not asked, nothing is written, and the operation gives `false` or
///   0. Of a batch all are asked first, in its order; those that are cancelled are left out, and named in the
///   [result](super::BatchResult).
/// - **After.** Told is what was written: an entity for which the operation gave `true`, a set of which at least one row was
///   hit, and of a batch each entity that was there, once all of it is written. The keys of
///   [`on_batch_delete_ided`](Self::on_batch_delete_ided) are told whether or not there were such rows.
/// - **Behind the end.** [`on_committed`](Self::on_committed), [`on_rolled_back`](Self::on_rolled_back) and
///   [`on_outcome_unknown`](Self::on_outcome_unknown) are told of each change that was written, when the outermost
///   transaction has ended: see [`Session::at_end`]. They are outside of it, with a session of their own that reads from
///   the primary. An error there stops nobody, and the change stays as it is.
///
/// What a method writes through services has events, too. Eight operations may stand inside of each other, then the
/// error is [`ServiceError::Cycle`](super::ServiceError::Cycle).
///
/// Data access objects raise no events.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mod.rs"));
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
/// orm.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true), true)?;
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
    /// An entity is to be inserted.
    async fn on_inserting(&self, entity: &mut T, event: &EventContext) -> OrmResult<bool> {
        Ok(true)
    }

    /// It was inserted, and has the number that the database gave it.
    async fn on_inserted(&self, entity: &T, event: &EventContext) -> OrmResult<()> {
        Ok(())
    }

    /// An entity is to be written over the row with its key.
    async fn on_updating(&self, entity: &mut T, event: &EventContext) -> OrmResult<bool> {
        Ok(true)
    }

    /// It was written over the row with its key.
    async fn on_updated(&self, entity: &T, event: &EventContext) -> OrmResult<()> {
        Ok(())
    }

    /// An entity is to be written over the row with its key, or inserted where there is none.
    async fn on_updating_or_inserting(&self, entity: &mut T, event: &EventContext) -> OrmResult<bool> {
        Ok(true)
    }

    /// It was written over the row with its key, or inserted.
    async fn on_updated_or_inserted(&self, entity: &T, event: &EventContext) -> OrmResult<()> {
        Ok(())
    }

    /// The row of an entity is to be deleted. Nothing of the entity is written, and so there is nothing to fill in.
    async fn on_deleting(&self, entity: &T, event: &EventContext) -> OrmResult<bool> {
        Ok(true)
    }

    /// It was deleted.
    async fn on_deleted(&self, entity: &T, event: &EventContext) -> OrmResult<()> {
        Ok(())
    }

    /// The row with a key is to be deleted.
    async fn on_delete_iding(&self, key: &[Value], event: &EventContext) -> OrmResult<bool> {
        Ok(true)
    }

    /// It was deleted.
    async fn on_delete_ided(&self, key: &[Value], event: &EventContext) -> OrmResult<()> {
        Ok(())
    }

    /// The rows with these keys are to be deleted.
    async fn on_batch_delete_iding(&self, keys: &[Vec<Value>], event: &EventContext) -> OrmResult<bool> {
        Ok(true)
    }

    /// Those of them that were there are deleted.
    async fn on_batch_delete_ided(&self, keys: &[Vec<Value>], event: &EventContext) -> OrmResult<()> {
        Ok(())
    }

    /// The rows of a condition are to be deleted. It may be narrowed.
    async fn on_delete_alling(&self, write: &mut SetWrite<T>, event: &EventContext) -> OrmResult<bool> {
        Ok(true)
    }

    /// They were deleted, so many of them.
    async fn on_delete_alled(&self, rows: u64, write: &SetWrite<T>, event: &EventContext) -> OrmResult<()> {
        Ok(())
    }

    /// The rows of a condition are to be changed. It may be narrowed.
    async fn on_update_alling(&self, write: &mut SetWrite<T>, event: &EventContext) -> OrmResult<bool> {
        Ok(true)
    }

    /// They were changed, so many of them.
    async fn on_update_alled(&self, rows: u64, write: &SetWrite<T>, event: &EventContext) -> OrmResult<()> {
        Ok(())
    }

    /// A change is committed for good: the time for mails, caches and queues.
    async fn on_committed(&self, change: &Change<T>, event: &EventContext) -> OrmResult<()> {
        Ok(())
    }

    /// A change that was written is taken back, with its transaction or a savepoint.
    async fn on_rolled_back(&self, change: &Change<T>, event: &EventContext) -> OrmResult<()> {
        Ok(())
    }

    /// Whether a change is committed is not known: see [`Outcome::Unknown`].
    async fn on_outcome_unknown(&self, change: &Change<T>, event: &EventContext) -> OrmResult<()> {
        Ok(())
    }
}

/// What a subscriber may use.
#[derive(Debug, Clone)]
pub struct EventContext {
    pub(super) session: Session,
    pub(super) args: TableArgs,
}

impl EventContext {
    /// The session: that of the operation, in its transaction; behind the end of that, one of its own.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The arguments that the service was given for the table's name. An entity's own are in the entity.
    #[must_use]
    pub fn args(&self) -> &[CompactString] {
        &self.args
    }
}

/// What was written.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Change<T> {
    /// An entity was inserted.
    Inserted(T),
    /// An entity was written over the row with its key.
    Updated(T),
    /// An entity was written over the row with its key, or inserted.
    UpdatedOrInserted(T),
    /// The row of an entity was deleted.
    Deleted(T),
    /// The row with a key was deleted.
    DeletedId(Vec<Value>),
    /// The rows with these keys were deleted, as far as there were any.
    BatchDeletedIds(Vec<Vec<Value>>),
    /// The rows of a condition were deleted.
    DeletedAll(u64, SetWrite<T>),
    /// The rows of a condition were changed.
    UpdatedAll(u64, SetWrite<T>),
}

/// An UPDATE or DELETE of the rows of a condition, as the caller has given it, and as subscribers have narrowed it. What the
/// catalog fixes for the entity, and what the session's scope says, is not shown and holds besides.
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

    /// The condition; none where every row is meant.
    #[must_use]
    pub const fn condition(&self) -> Option<&LogicExpr> {
        self.write.filter.as_ref()
    }

    /// What is set; nothing where the rows are deleted.
    #[must_use]
    pub fn sets(&self) -> &[(Name, ValueTypeExpr)] {
        &self.write.sets
    }

    /// Leaves out the rows that are not of that condition; `None` leaves all.
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
    /// Tells what was written.
    pub(super) fn tell<'e>(&'e self, events: &'e dyn EntityEvents<T>, event: &'e EventContext) -> Answer<'e, ()> {
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
