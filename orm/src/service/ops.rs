//! Services as trait objects: for a handler that accepts any implementation, and for test doubles.

use std::any::Any;
use std::ops::Deref;
use std::sync::Arc;

use async_trait::async_trait;
use isogloss_compiler::expr::{LogicExpr, UpdateExpr, Value};
use isogloss_driver::{FromRow, Row};

use super::{BatchResult, EachRow, EntityOperation, EntityService, EntityViewService, QueryOf, ServiceQuery};
use crate::OrmResult;
use crate::dao::{Keys, UpdateOf};
use crate::entity::{Entity, FieldError, Predicate, Table, Takes, View};

/// A row that was read by a [`ReadAny`].
pub type AnyRow = Box<dyn Any + Send>;

/// Reads a row as a type that its caller knows.
pub type ReadAny = Arc<dyn Fn(&dyn Row) -> isogloss_driver::Result<AnyRow> + Send + Sync>;

/// A trait of a service, each method of which the service has under the name behind `=`.
macro_rules! ops {
    (
        $(#[$doc:meta])*
        trait [$($trait:tt)*] { $($due:tt)* }
        [$($implements:tt)*] by $service:ident { $($given:tt)* }
        $(fn $name:ident($($arg:ident: $ty:ty),*) -> $out:ty = $method:ident;)*
    ) => {
        $(#[$doc])*
        #[async_trait]
        pub trait $($trait)* {
            $($due)*

            $(
                #[doc = concat!("The operation `", stringify!($method), "` of the service.")]
                async fn $name(&self $(, $arg: $ty)*) -> OrmResult<$out>;
            )*
        }

        #[async_trait]
        $($implements)* {
            $($given)*

            $(
                async fn $name(&self $(, $arg: $ty)*) -> OrmResult<$out> {
                    $service::$method(self $(, $arg)*).await
                }
            )*
        }
    };
}

ops! {
    /// The interface of [`EntityViewService`] as a trait object. `dyn EntityViewServiceOps` has the methods of the service;
    /// they call those of the trait, which a test double implements.
    trait [EntityViewServiceOps<V: Entity>: Send + Sync + 'static] {
        /// Returns the rows that a query finds as they arrive.
        fn find_each(&self, query: ServiceQuery) -> EachRow<V>;

        /// Returns the rows that a query finds as they arrive, each read by a closure.
        fn find_each_any(&self, query: ServiceQuery, read: ReadAny) -> EachRow<AnyRow>;

        /// Selects the shard with these table arguments.
        fn of_shard(&self, args: Vec<String>) -> Box<dyn EntityViewServiceOps<V>>;
    }
    [impl<V: Entity> EntityViewServiceOps<V> for EntityViewService<V>] by EntityViewService {
        fn find_each(&self, query: ServiceQuery) -> EachRow<V> {
            self.each(query)
        }

        fn find_each_any(&self, query: ServiceQuery, read: ReadAny) -> EachRow<AnyRow> {
            self.each_any(query, read)
        }

        fn of_shard(&self, args: Vec<String>) -> Box<dyn EntityViewServiceOps<V>> {
            Box::new(self.clone().with_args(args))
        }
    }
    fn get_key(key: Vec<Value>) -> Option<V> = get_object;
    fn find_one(query: ServiceQuery) -> Option<V> = search_one;
    fn find(query: ServiceQuery) -> Vec<V> = search;
    fn find_any(query: ServiceQuery, read: ReadAny) -> Vec<AnyRow> = search_any;
    fn find_one_any(query: ServiceQuery, read: ReadAny) -> Option<AnyRow> = search_one_any;
    fn has_key(key: Vec<Value>) -> bool = exists_id;
    fn has(query: ServiceQuery) -> bool = exists;
    fn number_of(query: ServiceQuery) -> u64 = count;
}

ops! {
    /// The interface of [`EntityService`] as a trait object. `dyn EntityServiceOps` has the methods of the service,
    /// including those that read; they call those of the trait, which a test double implements.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/shop.rs"));
    /// use isogloss::prelude::*;
    /// use isogloss::service::EntityServiceOps;
    ///
    /// async fn leave(users: &dyn EntityServiceOps<User>, id: i32) -> OrmResult<bool> {
    ///     let Some(mut user) = users.get_object(id).await? else { return Ok(false) };
    ///     user.active = false;
    ///     users.update(&mut user).await
    /// }
    /// # fn main() {}
    /// ```
    trait [EntityServiceOps<T: Table + Clone, V: View<Of = T> = T>: Send + Sync + 'static] {
        /// The service that reads.
        fn view(&self) -> &(dyn EntityViewServiceOps<V> + 'static);

        /// Selects the shard with these table arguments.
        fn of_shard(&self, args: Vec<String>) -> Box<dyn EntityServiceOps<T, V>>;
    }
    [impl<T: Table + Clone, V: View<Of = T>> EntityServiceOps<T, V> for EntityService<T, V>] by EntityService {
        fn view(&self) -> &(dyn EntityViewServiceOps<V> + 'static) {
            &**self
        }

        fn of_shard(&self, args: Vec<String>) -> Box<dyn EntityServiceOps<T, V>> {
            Box::new(self.clone().with_args(args))
        }
    }
    fn insert(entity: &mut T) -> bool = insert;
    fn update(entity: &mut T) -> bool = update;
    fn update_or_insert(entity: &mut T) -> bool = update_or_insert;
    fn delete(entity: &T) -> bool = delete;
    fn delete_key(key: Vec<Value>) -> bool = delete_id;
    fn delete_where(filter: Option<LogicExpr>) -> u64 = delete_all;
    fn delete_all_rows() -> u64 = delete_all_rows;
    fn update_where(update: UpdateExpr) -> u64 = update_all;
    fn batch_insert(entities: &mut [T]) -> BatchResult = batch_insert;
    fn batch_update(entities: &mut [T]) -> BatchResult = batch_update;
    fn batch_update_or_insert(entities: &mut [T]) -> BatchResult = batch_update_or_insert;
    fn batch_delete(entities: &[T]) -> BatchResult = batch_delete;
    fn batch_delete_keys(keys: Vec<Vec<Value>>) -> BatchResult = batch_delete_id;
    fn batch(operations: &mut [EntityOperation<T>]) -> BatchResult = batch;
}

/// What reads.
impl<'d, T: Table + Clone, V: View<Of = T>> Deref for dyn EntityServiceOps<T, V> + 'd {
    type Target = dyn EntityViewServiceOps<V> + 'd;

    fn deref(&self) -> &Self::Target {
        self.view()
    }
}

impl<V: Entity> dyn EntityViewServiceOps<V> + '_ {
    /// Selects the shard with these table arguments, as [`EntityViewService::with_args`] does.
    #[must_use]
    pub fn with_args<A: Into<String>>(&self, args: impl IntoIterator<Item = A>) -> Box<dyn EntityViewServiceOps<V>> {
        self.of_shard(args.into_iter().map(Into::into).collect())
    }

    /// Returns the row with a key: see [`EntityViewService::get_object`].
    ///
    /// # Errors
    /// Those of the service.
    pub async fn get_object(&self, key: impl Keys + Send) -> OrmResult<Option<V>> {
        self.get_key(key.into_values()?).await
    }

    /// Returns the first row that a query finds: see [`EntityViewService::search_one`].
    ///
    /// # Errors
    /// Those of the service.
    pub async fn search_one(&self, query: impl QueryOf<V> + Send) -> OrmResult<Option<V>> {
        self.find_one(query.into_query()).await
    }

    /// Returns the rows that a query finds: see [`EntityViewService::search`].
    ///
    /// # Errors
    /// Those of the service.
    pub async fn search(&self, query: impl QueryOf<V> + Send) -> OrmResult<Vec<V>> {
        self.find(query.into_query()).await
    }

    /// Returns the rows that a query finds as another type: see [`EntityViewService::search_as`].
    ///
    /// # Errors
    /// Those of the service; or it has read the rows as another type.
    pub async fn search_as<R: FromRow + Send + 'static>(&self, query: impl QueryOf<V> + Send) -> OrmResult<Vec<R>> {
        self.find_any(query.into_query(), read_any::<R>()).await?.into_iter().map(known::<R>).collect()
    }

    /// Returns the first row that a query finds as another type: see [`EntityViewService::search_one_as`].
    ///
    /// # Errors
    /// Those of the service; or it has read the row as another type.
    pub async fn search_one_as<R: FromRow + Send + 'static>(
        &self,
        query: impl QueryOf<V> + Send,
    ) -> OrmResult<Option<R>> {
        self.find_one_any(query.into_query(), read_any::<R>()).await?.map(known::<R>).transpose()
    }

    /// Calls a closure for each row as it arrives: see [`EntityViewService::for_each`].
    ///
    /// # Errors
    /// Those of the service, and of the closure.
    pub async fn for_each(
        &self,
        query: impl QueryOf<V> + Send,
        each: impl AsyncFnMut(V) -> OrmResult<()>,
    ) -> OrmResult<()> {
        self.find_each(query.into_query()).run(each).await
    }

    /// Returns whether there is a row with a key: see [`EntityViewService::exists_id`].
    ///
    /// # Errors
    /// Those of the service.
    pub async fn exists_id(&self, key: impl Keys + Send) -> OrmResult<bool> {
        self.has_key(key.into_values()?).await
    }

    /// Returns whether a query finds a row: see [`EntityViewService::exists`].
    ///
    /// # Errors
    /// Those of the service.
    pub async fn exists(&self, query: impl QueryOf<V> + Send) -> OrmResult<bool> {
        self.has(query.into_query()).await
    }

    /// Returns how many rows a query finds: see [`EntityViewService::count`].
    ///
    /// # Errors
    /// Those of the service.
    pub async fn count(&self, query: impl QueryOf<V> + Send) -> OrmResult<u64> {
        self.number_of(query.into_query()).await
    }
}

impl<T: Table + Clone, V: View<Of = T>> dyn EntityServiceOps<T, V> + '_ {
    /// Selects the shard with these table arguments, as [`EntityService::with_args`] does.
    #[must_use]
    pub fn with_args<A: Into<String>>(&self, args: impl IntoIterator<Item = A>) -> Box<dyn EntityServiceOps<T, V>> {
        self.of_shard(args.into_iter().map(Into::into).collect())
    }

    /// Deletes the row with a key: see [`EntityService::delete_id`].
    ///
    /// # Errors
    /// Those of the service.
    pub async fn delete_id(&self, key: impl Keys + Send) -> OrmResult<bool> {
        self.delete_key(key.into_values()?).await
    }

    /// Deletes the rows that a filter finds: see [`EntityService::delete_all`].
    ///
    /// # Errors
    /// Those of the service.
    pub async fn delete_all<C: Predicate + Send>(&self, filter: C) -> OrmResult<u64>
    where
        T: Takes<C::Entity>,
    {
        self.delete_where(filter.given()).await
    }

    /// Runs an UPDATE of the entity's rows: see [`EntityService::update_all`].
    ///
    /// # Errors
    /// Those of the service.
    pub async fn update_all(&self, update: impl UpdateOf<T> + Send) -> OrmResult<u64> {
        self.update_where(update.into_update()).await
    }

    /// Deletes the rows with these keys as a batch: see [`EntityService::batch_delete_id`].
    ///
    /// # Errors
    /// Those of the service.
    pub async fn batch_delete_id<K: Keys>(&self, keys: impl IntoIterator<Item = K> + Send) -> OrmResult<BatchResult> {
        let keys = keys.into_iter().map(Keys::into_values).collect::<Result<_, FieldError>>()?;
        self.batch_delete_keys(keys).await
    }
}

fn read_any<R: FromRow + Send + 'static>() -> ReadAny {
    Arc::new(|row| Ok(Box::new(R::from_row(row)?)))
}

pub(crate) fn known<R: 'static>(row: AnyRow) -> OrmResult<R> {
    let other = |_| FieldError::new(format!("a row was not read as `{}`", std::any::type_name::<R>()));
    Ok(*row.downcast::<R>().map_err(other)?)
}
