//! Blocking entity services.

use std::ops::Deref;

use compact_str::CompactString;
use isogloss_driver::FromRow;

use super::waiting::{waiting, waits};
use super::{Session, wait};
use crate::OrmResult;
use crate::dao::{Keys, UpdateOf};
use crate::entity::{Entity, Predicate, Table, Takes, View};
use crate::service::{self, BatchResult, EntityOperation, QueryOf};

/// Writes and reads the rows of an entity, with events: the blocking version of [`service::EntityService`]. It reads by
/// its [`EntityViewService`].
#[derive(Debug, Clone)]
pub struct EntityService<T, V = T>(service::EntityService<T, V>, EntityViewService<V>);

/// What it reads with.
impl<T, V> Deref for EntityService<T, V> {
    type Target = EntityViewService<V>;

    fn deref(&self) -> &Self::Target {
        &self.1
    }
}

impl<T: Table + Clone, V: View<Of = T>> EntityService<T, V> {
    /// Creates a service that works in a session.
    #[must_use]
    pub fn new(session: &Session) -> Self {
        Self::over(service::EntityService::new(session.session()))
    }

    /// Selects the shard with these table arguments.
    #[must_use]
    pub fn with_args<A: Into<CompactString>>(self, args: impl IntoIterator<Item = A>) -> Self {
        Self::over(self.0.with_args(args))
    }

    fn over(service: service::EntityService<T, V>) -> Self {
        let view = EntityViewService((*service).clone());
        Self(service, view)
    }
}

waits! {
    service::EntityService<T, V> where [T: Table + Clone, V: View<Of = T>] {
        fn insert(&self, entity: &mut T) -> bool;
        fn update(&self, entity: &mut T) -> bool;
        fn update_or_insert(&self, entity: &mut T) -> bool;
        fn delete(&self, entity: &T) -> bool;
        fn delete_id(&self, key: impl Keys + Send) -> bool;
        fn delete_all[C](&self, filter: C) -> u64;
        fn delete_all_rows(&self) -> u64;
        fn update_all(&self, update: impl UpdateOf<T> + Send) -> u64;
        fn batch_insert(&self, entities: &mut [T]) -> BatchResult;
        fn batch_update(&self, entities: &mut [T]) -> BatchResult;
        fn batch_update_or_insert(&self, entities: &mut [T]) -> BatchResult;
        fn batch_delete(&self, entities: &[T]) -> BatchResult;
        fn batch_delete_id(&self, keys: impl IntoIterator<Item = impl Keys> + Send) -> BatchResult;
        fn batch(&self, operations: &mut [EntityOperation<T>]) -> BatchResult;
    }
}

waiting! {
    /// Reads the rows of an entity or a view: the blocking version of [`service::EntityViewService`].
    service::EntityViewService<V> where [V: Entity] {
        fn get_object(&self, key: impl Keys + Send) -> Option<V>;
        fn search_one(&self, query: impl QueryOf<V> + Send) -> Option<V>;
        fn search(&self, query: impl QueryOf<V> + Send) -> Vec<V>;
        fn exists_id(&self, key: impl Keys + Send) -> bool;
        fn exists(&self, query: impl QueryOf<V> + Send) -> bool;
        fn count(&self, query: impl QueryOf<V> + Send) -> u64;
    }
}

impl<V: Entity> EntityViewService<V> {
    /// Blocking version of [`search_as`](service::EntityViewService::search_as).
    ///
    /// # Errors
    /// Those of [`EntityViewService::search_as`](crate::service::EntityViewService::search_as).
    pub fn search_as<R: FromRow + Send + 'static>(&self, query: impl QueryOf<V> + Send) -> OrmResult<Vec<R>> {
        wait(self.0.search_as(query))
    }

    /// Blocking version of [`search_one_as`](service::EntityViewService::search_one_as).
    ///
    /// # Errors
    /// Those of [`EntityViewService::search_one_as`](crate::service::EntityViewService::search_one_as).
    pub fn search_one_as<R: FromRow + Send + 'static>(&self, query: impl QueryOf<V> + Send) -> OrmResult<Option<R>> {
        wait(self.0.search_one_as(query))
    }

    /// Calls a closure for each row as it arrives, as [`for_each`](service::EntityViewService::for_each) does.
    ///
    /// # Errors
    /// Those of [`EntityViewService::for_each`](crate::service::EntityViewService::for_each).
    pub fn for_each(&self, query: impl QueryOf<V> + Send, mut each: impl FnMut(V) -> OrmResult<()>) -> OrmResult<()> {
        wait(self.0.for_each(query, async |row| each(row)))
    }
}
