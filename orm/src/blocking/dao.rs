//! Data access objects whose methods wait.

use std::iter::from_fn;

use futures_util::StreamExt as _;
use isogloss_compiler::expr::{DeleteExpr, Name, Value};
use isogloss_driver::{FromRow, Layout, ReadRow, Row};

use super::wait;
use super::waiting::waiting;
use crate::OrmResult;
use crate::dao::{self, DataTable, Keys, SearchOf, UpdateOf, UpdateOrInsertResult};
use crate::entity::{Entity, Predicate, Table, Takes, View};

waiting! {
    /// Writes an entity's rows: [`dao::ObjectDao`], which waits.
    dao::ObjectDao<T> where [T: Table] {
        fn insert(&self, entity: &mut T) -> bool;
        fn update(&self, entity: &mut T) -> bool;
        fn update_if(&self, entity: &mut T, version: impl Into<Value> + Send) -> bool;
        fn update_or_insert(&self, entity: &mut T) -> UpdateOrInsertResult;
        fn delete(&self, entity: &T) -> bool;
        fn delete_by_keys(&self, key: impl Keys + Send) -> bool;
        fn restore(&self, entity: &T) -> bool;
        fn restore_by_keys(&self, key: impl Keys + Send) -> bool;
        fn delete_where[C](&self, filter: C) -> u64;
        fn delete_all_rows(&self) -> u64;
        fn update_where(&self, update: impl UpdateOf<T> + Send) -> u64;
        fn delete_by(&self, delete: DeleteExpr) -> u64;
        fn batch_insert(&self, entities: &mut [T]) -> ();
        fn batch_update(&self, entities: &mut [T]) -> u64;
        fn batch_delete(&self, entities: &[T]) -> u64;
        fn batch_delete_by_keys(&self, keys: impl IntoIterator<Item = impl Keys> + Send) -> u64;
        fn batch_update_or_insert(&self, entities: &mut [T]) -> ();
    }
}

waiting! {
    /// Reads an entity's or a view's rows: [`dao::ObjectViewDao`], which waits.
    dao::ObjectViewDao<V> where [V: Entity] {
        fn get(&self, key: impl Keys + Send) -> Option<V>;
        fn count(&self, search: impl SearchOf<V> + Send) -> u64;
        fn exists(&self, search: impl SearchOf<V> + Send) -> bool;
        fn exists_key(&self, key: impl Keys + Send) -> bool;
    }
}

impl<V: Entity> ObjectViewDao<V> {
    /// The rows that a filter, a query or a template finds: `search(())` finds all.
    pub fn search(&self, search: impl SearchOf<V>) -> EnumerableResult<V> {
        EnumerableResult(self.0.search(search))
    }

    /// The same as rows of another shape.
    pub fn search_as<R: FromRow + Send + 'static>(&self, search: impl SearchOf<V>) -> EnumerableResult<R> {
        EnumerableResult(self.0.search_as(search))
    }

    /// The same, each row read by a closure.
    pub fn search_with<T, F>(&self, search: impl SearchOf<V>, read: F) -> EnumerableResult<T, F>
    where
        T: Send + 'static,
        F: FnMut(&dyn Row) -> isogloss_driver::Result<T> + Clone + Send + Sync + 'static,
    {
        EnumerableResult(self.0.search_with(search, read))
    }

    /// Waits for [`exists_entity`](dao::ObjectViewDao::exists_entity).
    ///
    /// # Errors
    /// The same.
    pub fn exists_entity(&self, entity: &V::Of) -> OrmResult<bool>
    where
        V: View,
    {
        wait(self.0.exists_entity(entity))
    }
}

waiting! {
    /// Writes single properties of rows: [`dao::DataDao`], which waits.
    dao::DataDao<T> where [T: Table] {
        fn update_all_values[C](
            &self,
            values: impl IntoIterator<Item = (impl Into<Name>, impl Into<Value>)> + Send,
            filter: C
        ) -> u64;
        fn update_values(
            &self,
            values: impl IntoIterator<Item = (impl Into<Name>, impl Into<Value>)> + Send,
            key: impl Keys + Send
        ) -> bool;
    }
}

waiting! {
    /// Reads rows as tables of values: [`dao::DataViewDao`], which waits.
    dao::DataViewDao<V> where [V: Entity] {
        fn search(&self, search: impl SearchOf<V> + Send) -> DataTable;
        fn search_properties(&self, properties: &[&str], search: impl SearchOf<V> + Send) -> DataTable;
    }
}

/// What a search will give: [`dao::EnumerableResult`], which waits.
#[derive(Debug)]
#[must_use = "nothing is asked until a method is called: `.to_list()`"]
pub struct EnumerableResult<T, R = Layout>(dao::EnumerableResult<T, R>);

impl<T: Send + 'static, R: ReadRow<T> + Clone + Sync> EnumerableResult<T, R> {
    /// Waits for [`to_list`](dao::EnumerableResult::to_list).
    ///
    /// # Errors
    /// The same.
    pub fn to_list(self) -> OrmResult<Vec<T>> {
        wait(self.0.to_list())
    }

    /// Waits for [`first_or_default`](dao::EnumerableResult::first_or_default).
    ///
    /// # Errors
    /// The same.
    pub fn first_or_default(self) -> OrmResult<Option<T>> {
        wait(self.0.first_or_default())
    }

    /// The rows as they come: [`stream`](dao::EnumerableResult::stream) as an iterator. Until it is dropped, it has the
    /// session's connection.
    pub fn iter(self) -> impl Iterator<Item = OrmResult<T>> {
        let mut rows = Box::pin(self.0.stream());
        from_fn(move || wait(async { rows.next().await.transpose() }).transpose())
    }
}
