//! Services as trait objects: for a handler that takes any, and a test that gives a double.

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

/// What a row was read as by a [`ReadAny`].
pub type AnyRow = Box<dyn Any + Send>;

/// Reads a row as something that its caller knows.
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
                #[doc = concat!("What the service does by `", stringify!($method), "`.")]
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
    /// What [`EntityViewService`] does, as a trait object. The trait object has the methods of the service itself, which
    /// call those that a double implements.
    trait [EntityViewServiceOps<V: Entity>: Send + Sync + 'static] {
        /// The rows that a query finds, as they come.
        fn find_each(&self, query: ServiceQuery) -> EachRow<V>;

        /// The rows that a query finds, each read by a closure, as they come.
        fn find_each_any(&self, query: ServiceQuery, read: ReadAny) -> EachRow<AnyRow>;

        /// One over the shard with these arguments.
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
    /// What [`EntityService`] does, as a trait object. The trait object has the methods of the service itself, those that
    /// read as well, which call those that a double implements.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mod.rs"));
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
        /// What reads.
        fn view(&self) -> &(dyn EntityViewServiceOps<V> + 'static);

        /// One over the shard with these arguments.
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
    /// Over the shard with these arguments, as [`EntityViewService::with_args`].
    #[must_use]
    pub fn with_args<A: Into<String>>(&self, args: impl IntoIterator<Item = A>) -> Box<dyn EntityViewServiceOps<V>> {
        self.of_shard(args.into_iter().map(Into::into).collect())
    }

    /// As [`EntityViewService::get_object`].
    ///
    /// # Errors
    /// Those of the service.
    pub async fn get_object(&self, key: impl Keys + Send) -> OrmResult<Option<V>> {
        self.get_key(key.into_values()?).await
    }

    /// As [`EntityViewService::search_one`].
    ///
    /// # Errors
    /// Those of the service.
    pub async fn search_one(&self, query: impl QueryOf<V> + Send) -> OrmResult<Option<V>> {
        self.find_one(query.into_query()).await
    }

    /// As [`EntityViewService::search`].
    ///
    /// # Errors
    /// Those of the service.
    pub async fn search(&self, query: impl QueryOf<V> + Send) -> OrmResult<Vec<V>> {
        self.find(query.into_query()).await
    }

    /// As [`EntityViewService::search_as`].
    ///
    /// # Errors
    /// Those of the service; or it has read rows as another type.
    pub async fn search_as<R: FromRow + Send + 'static>(&self, query: impl QueryOf<V> + Send) -> OrmResult<Vec<R>> {
        self.find_any(query.into_query(), read_any::<R>()).await?.into_iter().map(known::<R>).collect()
    }

    /// As [`EntityViewService::search_one_as`].
    ///
    /// # Errors
    /// Those of the service; or it has read the row as another type.
    pub async fn search_one_as<R: FromRow + Send + 'static>(
        &self,
        query: impl QueryOf<V> + Send,
    ) -> OrmResult<Option<R>> {
        self.find_one_any(query.into_query(), read_any::<R>()).await?.map(known::<R>).transpose()
    }

    /// As [`EntityViewService::for_each`].
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

    /// As [`EntityViewService::exists_id`].
    ///
    /// # Errors
    /// Those of the service.
    pub async fn exists_id(&self, key: impl Keys + Send) -> OrmResult<bool> {
        self.has_key(key.into_values()?).await
    }

    /// As [`EntityViewService::exists`].
    ///
    /// # Errors
    /// Those of the service.
    pub async fn exists(&self, query: impl QueryOf<V> + Send) -> OrmResult<bool> {
        self.has(query.into_query()).await
    }

    /// As [`EntityViewService::count`].
    ///
    /// # Errors
    /// Those of the service.
    pub async fn count(&self, query: impl QueryOf<V> + Send) -> OrmResult<u64> {
        self.number_of(query.into_query()).await
    }
}

impl<T: Table + Clone, V: View<Of = T>> dyn EntityServiceOps<T, V> + '_ {
    /// Over the shard with these arguments, as [`EntityService::with_args`].
    #[must_use]
    pub fn with_args<A: Into<String>>(&self, args: impl IntoIterator<Item = A>) -> Box<dyn EntityServiceOps<T, V>> {
        self.of_shard(args.into_iter().map(Into::into).collect())
    }

    /// As [`EntityService::delete_id`].
    ///
    /// # Errors
    /// Those of the service.
    pub async fn delete_id(&self, key: impl Keys + Send) -> OrmResult<bool> {
        self.delete_key(key.into_values()?).await
    }

    /// As [`EntityService::delete_all`].
    ///
    /// # Errors
    /// Those of the service.
    pub async fn delete_all<C: Predicate + Send>(&self, filter: C) -> OrmResult<u64>
    where
        T: Takes<C::Entity>,
    {
        self.delete_where(filter.given()).await
    }

    /// As [`EntityService::update_all`].
    ///
    /// # Errors
    /// Those of the service.
    pub async fn update_all(&self, update: impl UpdateOf<T> + Send) -> OrmResult<u64> {
        self.update_where(update.into_update()).await
    }

    /// As [`EntityService::batch_delete_id`].
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

pub(super) fn known<R: 'static>(row: AnyRow) -> OrmResult<R> {
    let other = |_| FieldError::new(format!("a row was not read as `{}`", std::any::type_name::<R>()));
    Ok(*row.downcast::<R>().map_err(other)?)
}
