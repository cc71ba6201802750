//! The service of an entity, which writes and reads its rows.

use std::any::type_name;
use std::fmt;
use std::ops::Deref;

use compact_str::CompactString;
use isogloss_compiler::expr::{DeleteExpr, LogicExpr, TableExpr, Value, table};

use super::entity_call::{EntityCalls, called};
use super::events::SetWrite;
use super::listened::Listened;
use super::operation::{Kind, Runs};
use super::{BatchResult, EntityOperation, EntityViewService};
use crate::OrmResult;
use crate::dao::{Keys, ObjectDao, TableArgs, UpdateOf, table_args};
use crate::entity::{FieldError, Logable, Predicate, Table, Takes, View};
use crate::session::Session;

/// Writes the rows of an entity, and reads them, or those of a view of it, by its [`EntityViewService`].
///
/// Its writes raise events: see [`EntityEvents`](super::EntityEvents). Without subscribers, it works like an
/// [`ObjectDao`] at the same cost. An operation that a subscriber cancels writes nothing, and returns `false` or 0.
///
/// A batch is written completely or not at all, in a transaction of its own or as a part of the open one. Without
/// subscribers, a batch in its own transaction is run again after a conflict, as
/// [`batch_retry`](crate::context::OrmBuilder::batch_retry) says.
///
/// A service of the program's own contains one:
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/shop.rs"));
/// use std::ops::Deref;
///
/// use isogloss::prelude::*;
/// use isogloss::service::EntityService;
///
/// struct OrderService(EntityService<Order, OrderView>);
///
/// impl Deref for OrderService {
///     type Target = EntityService<Order, OrderView>;
///
///     fn deref(&self) -> &Self::Target {
///         &self.0
///     }
/// }
///
/// impl OrderService {
///     async fn cancel(&self, id: i64) -> OrmResult<bool> {
///         let update = isogloss::entity::update::<Order>([Order::STATUS.set(9)]).filter(Order::ID.eq(id));
///         Ok(self.update_all(update).await? > 0)
///     }
/// }
///
/// async fn first(session: &Session) -> OrmResult<Option<OrderView>> {
///     let orders = OrderService(EntityService::new(session));
///     orders.cancel(1).await?;
///     orders.search_one(expr!(|o: OrderView| o.customer_name == "Ann")).await
/// }
/// # fn main() {}
/// ```
pub struct EntityService<T, V = T> {
    view: EntityViewService<V>,
    dao: ObjectDao<T>,
    args: TableArgs,
}

impl<T, V> Clone for EntityService<T, V> {
    fn clone(&self) -> Self {
        Self { view: self.view.clone(), dao: self.dao.clone(), args: self.args.clone() }
    }
}

impl<T, V> fmt::Debug for EntityService<T, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EntityService").field("view", &self.view).field("args", &self.args).finish_non_exhaustive()
    }
}

/// What it reads with.
impl<T, V> Deref for EntityService<T, V> {
    type Target = EntityViewService<V>;

    fn deref(&self) -> &Self::Target {
        &self.view
    }
}

/// Each method that writes rows goes to the data access object where nobody listens.
macro_rules! unless_heard {
    ($self:ident, $method:expr, [$($arg:ident),*], |$listened:ident| $heard:expr, $unheard:expr) => {{
        let shown = $self.calls().shown($method, &[$((stringify!($arg), &$arg)),*]);
        let run = async {
            let session = $self.session();
            let context = session.context();
            match context.services().subscribers.of::<T>(context)? {
                None => $unheard.await,
                Some(listeners) => {
                    let $listened = Listened::new(session, &$self.args, &$self.dao, listeners);
                    $heard.await
                }
            }
        };
        called!($self.calls(), $method, shown, run, Logable::log)
    }};
}

impl<T: Table + Clone, V: View<Of = T>> EntityService<T, V> {
    /// Creates a service that works in a session.
    #[must_use]
    pub fn new(session: &Session) -> Self {
        Self { view: EntityViewService::new(session), dao: ObjectDao::new(session), args: Vec::new() }
    }

    /// Selects the shard with these table arguments, whatever the rows say. Reads use that shard unless the query gives
    /// its own arguments.
    #[must_use]
    pub fn with_args<A: Into<CompactString>>(self, args: impl IntoIterator<Item = A>) -> Self {
        let args = table_args(args);
        Self { view: self.view.with_args(args.clone()), dao: self.dao.with_args(args.clone()), args }
    }

    /// Inserts a row, and stores in the entity the generated key and the version.
    ///
    /// # Errors
    /// A violated constraint, a failing subscriber, or a statement that cannot be compiled or run.
    pub async fn insert(&self, entity: &mut T) -> OrmResult<bool> {
        unless_heard!(self, "insert", [entity], |heard| heard.write(Kind::Insert, entity), self.dao.insert(entity))
    }

    /// Updates the row with the entity's key; returns `false` if there is none, or it has another version.
    ///
    /// # Errors
    /// A violated constraint, a failing subscriber, or a statement that cannot be compiled or run.
    pub async fn update(&self, entity: &mut T) -> OrmResult<bool> {
        unless_heard!(self, "update", [entity], |heard| heard.write(Kind::Update, entity), self.dao.update(entity))
    }

    /// Updates the row with the entity's key, or inserts it if there is none; returns `false` if the row has another
    /// version, or is outside of a fixed filter.
    ///
    /// # Errors
    /// A violated constraint, a failing subscriber, or a statement that cannot be compiled or run.
    pub async fn update_or_insert(&self, entity: &mut T) -> OrmResult<bool> {
        let kind = Kind::UpdateOrInsert;
        unless_heard!(
            self,
            "update_or_insert",
            [entity],
            |heard| heard.write(kind, entity),
            kind.write(&self.dao, entity)
        )
    }

    /// Deletes the row with the entity's key; returns `false` if there is none.
    ///
    /// # Errors
    /// A violated constraint, a failing subscriber, or a statement that cannot be compiled or run.
    pub async fn delete(&self, entity: &T) -> OrmResult<bool> {
        let heard_of = async |heard: Listened<'_, T>| heard.write(Kind::Delete, &mut entity.clone()).await;
        unless_heard!(self, "delete", [entity], |heard| heard_of(heard), self.dao.delete(entity))
    }

    /// Deletes the row with a key; returns `false` if there is none.
    ///
    /// # Errors
    /// A violated constraint, a failing subscriber, a key that does not have the entity's key columns, or a statement
    /// that cannot be compiled or run.
    pub async fn delete_id(&self, key: impl Keys + Send) -> OrmResult<bool> {
        let key = key.into_values()?;
        unless_heard!(self, "delete_id", [key], |heard| heard.delete_id(key), self.dao.delete_by_keys(key))
    }

    /// Deletes the rows that a filter finds, and returns how many there were. Use
    /// [`delete_all_rows`](Self::delete_all_rows) to delete every row.
    ///
    /// # Errors
    /// An absent filter, a violated constraint, a failing subscriber, or a statement that cannot be compiled or run.
    pub async fn delete_all<C: Predicate + Send>(&self, filter: C) -> OrmResult<u64>
    where
        T: Takes<C::Entity>,
    {
        self.delete_set("delete_all", filter.given(), false).await
    }

    /// Deletes every row, and returns how many there were.
    ///
    /// # Errors
    /// A violated constraint, a failing subscriber, or a statement that cannot be run.
    pub async fn delete_all_rows(&self) -> OrmResult<u64> {
        self.delete_set("delete_all_rows", None, true).await
    }

    async fn delete_set(&self, method: &'static str, filter: Option<LogicExpr>, all_rows: bool) -> OrmResult<u64> {
        let table = TableExpr { table_args: self.args.as_slice().into(), ..table(T::NAME) };
        let write = |filter| SetWrite::deletes(DeleteExpr { table, filter, all_rows, returning: Vec::new() });
        unless_heard!(
            self,
            method,
            [filter],
            |heard| heard.write_set(write(filter)),
            self.dao.write_set(write(filter).into_statement())
        )
    }

    /// Runs an UPDATE of the entity's rows, and returns how many there were: `update::<Order>(..).filter(..)`, or
    /// `table("Order").update(..).filter(..)`. To update every row, it must say `all_rows()`.
    ///
    /// # Errors
    /// A statement of another entity or without a condition, a violated constraint, a failing subscriber, or a
    /// statement that cannot be compiled or run.
    pub async fn update_all(&self, update: impl UpdateOf<T> + Send) -> OrmResult<u64> {
        let update = update.into_update();
        unless_heard!(
            self,
            "update_all",
            [update],
            |heard| heard.write_set(SetWrite::updates(update)),
            self.dao.update_where(update)
        )
    }

    /// Inserts rows as a batch, and stores the generated keys in the entities.
    ///
    /// # Errors
    /// A violated constraint, with the row in [`OrmError::Row`](crate::OrmError::Row), a failing subscriber, or a
    /// statement that cannot be compiled or run. No row is inserted then.
    pub async fn batch_insert(&self, entities: &mut [T]) -> OrmResult<BatchResult> {
        self.batch_rows("batch_insert", Kind::Insert, entities).await
    }

    /// Updates the rows with the entities' keys as a batch. If the entity has a version column, every row must have the
    /// entity's version, or no row is changed.
    ///
    /// # Errors
    /// A violated constraint, or another version, with the row in [`OrmError::Row`](crate::OrmError::Row); a failing
    /// subscriber, or a statement that cannot be compiled or run. No row is changed then.
    pub async fn batch_update(&self, entities: &mut [T]) -> OrmResult<BatchResult> {
        self.batch_rows("batch_update", Kind::Update, entities).await
    }

    /// Updates rows that exist, by their keys, and inserts the others, as a batch.
    ///
    /// # Errors
    /// A violated constraint other than the key's, with the row in [`OrmError::Row`](crate::OrmError::Row), a failing
    /// subscriber, or a statement that cannot be compiled or run. No row is written then.
    pub async fn batch_update_or_insert(&self, entities: &mut [T]) -> OrmResult<BatchResult> {
        self.batch_rows("batch_update_or_insert", Kind::UpdateOrInsert, entities).await
    }

    async fn batch_rows(&self, method: &'static str, kind: Kind, entities: &mut [T]) -> OrmResult<BatchResult> {
        unless_heard!(
            self,
            method,
            [entities],
            |heard| async {
                let rows = entities.iter().cloned().enumerate().map(|(place, entity)| (place, kind, entity));
                let (result, runs) = heard.write_all(rows.collect()).await?;
                for (place, written) in runs.into_entities() {
                    if let Some(entity) = entities.get_mut(place) {
                        *entity = written;
                    }
                }
                OrmResult::Ok(result)
            },
            async { Ok(BatchResult::of(kind.write_all(&self.dao, entities).await?)) }
        )
    }

    /// Deletes the rows with the entities' keys as a batch.
    ///
    /// # Errors
    /// A violated constraint, with the row in [`OrmError::Row`](crate::OrmError::Row), a failing subscriber, or a
    /// statement that cannot be compiled or run. No row is deleted then.
    pub async fn batch_delete(&self, entities: &[T]) -> OrmResult<BatchResult> {
        unless_heard!(
            self,
            "batch_delete",
            [entities],
            |heard| async {
                let rows = entities.iter().cloned().enumerate().map(|(place, entity)| (place, Kind::Delete, entity));
                Ok(heard.write_all(rows.collect()).await?.0)
            },
            async { Ok(BatchResult::of(self.dao.batch_delete(entities).await?)) }
        )
    }

    /// Deletes the rows with these keys as a batch.
    ///
    /// # Errors
    /// A violated constraint, a failing subscriber, a key that does not have the entity's key columns, or a statement
    /// that cannot be compiled or run. No row is deleted then.
    pub async fn batch_delete_id<K: Keys>(&self, keys: impl IntoIterator<Item = K> + Send) -> OrmResult<BatchResult> {
        let keys = keys.into_iter().map(Keys::into_values).collect::<Result<Vec<Vec<Value>>, FieldError>>()?;
        unless_heard!(self, "batch_delete_id", [keys], |heard| heard.batch_delete_id(keys), async {
            Ok(BatchResult::of(self.dao.batch_delete_by_keys(keys).await?))
        })
    }

    /// Runs the operation of each entity, in the given order. Adjacent operations of one kind are written together.
    ///
    /// # Errors
    /// A violated constraint, with the row in [`OrmError::Row`](crate::OrmError::Row) by its position in the whole
    /// batch, a failing subscriber, or a statement that cannot be compiled or run. No row is written then.
    pub async fn batch(&self, operations: &mut [EntityOperation<T>]) -> OrmResult<BatchResult> {
        let rows: Vec<(usize, Kind, T)> = operations
            .iter()
            .enumerate()
            .filter_map(|(place, row)| Some((place, row.operation.kind()?, row.entity.clone())))
            .collect();
        let keep = |operations: &mut [EntityOperation<T>], runs: Runs<T>| {
            for (place, written) in runs.into_entities() {
                if let Some(row) = operations.get_mut(place) {
                    row.entity = written;
                }
            }
        };
        unless_heard!(
            self,
            "batch",
            [operations],
            |heard| async {
                let (result, runs) = heard.write_all(rows).await?;
                keep(operations, runs);
                Ok(result)
            },
            async {
                let mut runs = Runs::new();
                rows.into_iter().for_each(|(place, kind, entity)| runs.push(kind, place, entity));
                let (written, runs) = runs.write(self.session(), &self.dao).await?;
                keep(operations, runs);
                Ok(BatchResult::of(written))
            }
        )
    }

    fn calls(&self) -> EntityCalls<'_> {
        EntityCalls {
            session: self.session(),
            entity: T::NAME,
            service_type: type_name::<Self>(),
            permission: |interception| interception.entity_writes,
        }
    }
}
