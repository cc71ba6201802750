//! Blocking data access objects.

use std::iter::from_fn;

use futures_util::StreamExt as _;
use isogloss_compiler::expr::{DeleteExpr, Name, Value};
use isogloss_driver::{FromRow, Layout, ReadRow, Row};

use super::wait;
use super::waiting::waiting;
use crate::OrmResult;
use crate::dao::{self, DataTable, Keys, SearchOf, UpdateOf, UpdateOrInsertResult};
use crate::entity::{Columns, Entity, Insert, Predicate, Selection, Table, Takes, View};

waiting! {
    /// Inserts, updates and deletes the rows of an entity: the blocking version of [`dao::ObjectDao`].
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
        fn update_only(&self, entity: &mut T, columns: impl Columns<T> + Send) -> bool;
        fn update_changed(&self, before: &T, entity: &mut T) -> bool;
        fn insert_from(&self, insert: Insert<T>) -> u64;
        fn delete_by(&self, delete: DeleteExpr) -> u64;
        fn batch_insert(&self, entities: &mut [T]) -> ();
        fn batch_update(&self, entities: &mut [T]) -> u64;
        fn batch_delete(&self, entities: &[T]) -> u64;
        fn batch_delete_by_keys(&self, keys: impl IntoIterator<Item = impl Keys> + Send) -> u64;
        fn batch_update_or_insert(&self, entities: &mut [T]) -> ();
    }
}

impl<T: Table> ObjectDao<T> {
    /// Blocking version of [`update_returning`](dao::ObjectDao::update_returning).
    ///
    /// # Errors
    /// Those of [`update_returning`](dao::ObjectDao::update_returning).
    pub fn update_returning<I>(&self, update: impl UpdateOf<T> + Send, items: I) -> OrmResult<Vec<I::Row>>
    where
        I: Selection<T, Row: FromRow + Send + 'static> + Send,
    {
        wait(self.0.update_returning(update, items))
    }

    /// Blocking version of [`delete_returning`](dao::ObjectDao::delete_returning).
    ///
    /// # Errors
    /// Those of [`delete_returning`](dao::ObjectDao::delete_returning).
    pub fn delete_returning<C, I>(&self, filter: C, items: I) -> OrmResult<Vec<I::Row>>
    where
        C: Predicate + Send,
        T: Takes<C::Entity>,
        I: Selection<T, Row: FromRow + Send + 'static> + Send,
    {
        wait(self.0.delete_returning(filter, items))
    }

    /// Blocking version of [`insert_from_returning`](dao::ObjectDao::insert_from_returning).
    ///
    /// # Errors
    /// Those of [`insert_from_returning`](dao::ObjectDao::insert_from_returning).
    pub fn insert_from_returning<I>(&self, insert: Insert<T>, items: I) -> OrmResult<Vec<I::Row>>
    where
        I: Selection<T, Row: FromRow + Send + 'static> + Send,
    {
        wait(self.0.insert_from_returning(insert, items))
    }
}

waiting! {
    /// Reads the rows of an entity or a view: the blocking version of [`dao::ObjectViewDao`].
    dao::ObjectViewDao<V> where [V: Entity] {
        fn get(&self, key: impl Keys + Send) -> Option<V>;
        fn count(&self, search: impl SearchOf<V> + Send) -> u64;
        fn exists(&self, search: impl SearchOf<V> + Send) -> bool;
        fn exists_key(&self, key: impl Keys + Send) -> bool;
    }
}

impl<V: Entity> ObjectViewDao<V> {
    /// Searches for rows by a filter, a query or a template; `search(())` finds all rows.
    pub fn search<Q: SearchOf<V>>(&self, search: Q) -> Rows<Q::Row>
    where
        Q::Row: FromRow + Send + 'static,
    {
        Rows(self.0.search(search))
    }

    /// Searches as [`search`](Self::search) does, and reads the rows as another type.
    pub fn search_as<R: FromRow + Send + 'static>(&self, search: impl SearchOf<V>) -> Rows<R> {
        Rows(self.0.search_as(search))
    }

    /// Searches as [`search`](Self::search) does, and reads each row by a closure.
    pub fn search_with<T, F>(&self, search: impl SearchOf<V>, read: F) -> Rows<T, F>
    where
        T: Send + 'static,
        F: FnMut(&dyn Row) -> isogloss_driver::Result<T> + Clone + Send + Sync + 'static,
    {
        Rows(self.0.search_with(search, read))
    }

    /// Blocking version of [`exists_entity`](dao::ObjectViewDao::exists_entity).
    ///
    /// # Errors
    /// Those of [`exists_entity`](dao::ObjectViewDao::exists_entity).
    pub fn exists_entity(&self, entity: &V::Of) -> OrmResult<bool>
    where
        V: View,
    {
        wait(self.0.exists_entity(entity))
    }
}

waiting! {
    /// Updates single properties of rows: the blocking version of [`dao::DataDao`].
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
    /// Reads rows as tables of values: the blocking version of [`dao::DataViewDao`].
    dao::DataViewDao<V> where [V: Entity] {
        fn search(&self, search: impl SearchOf<V> + Send) -> DataTable;
        fn search_properties(&self, properties: &[&str], search: impl SearchOf<V> + Send) -> DataTable;
    }
}

/// The rows that a search will return: the blocking version of [`dao::Rows`].
#[doc(alias = "EnumerableResult")]
#[derive(Debug)]
#[must_use = "nothing is asked until a method is called: `.all()`"]
pub struct Rows<T, R = Layout>(dao::Rows<T, R>);

impl<T: Send + 'static, R: ReadRow<T> + Clone + Sync> Rows<T, R> {
    /// Blocking version of [`all`](dao::Rows::all).
    ///
    /// # Errors
    /// Those of [`all`](dao::Rows::all).
    #[doc(alias = "to_list")]
    pub fn all(self) -> OrmResult<Vec<T>> {
        wait(self.0.all())
    }

    /// Blocking version of [`first`](dao::Rows::first).
    ///
    /// # Errors
    /// Those of [`first`](dao::Rows::first).
    #[doc(alias = "first_or_default")]
    pub fn first(self) -> OrmResult<Option<T>> {
        wait(self.0.first())
    }

    /// Iterates over the rows as they arrive, like [`stream`](dao::Rows::stream). The iterator holds the
    /// session's connection until it is dropped.
    pub fn iter(self) -> impl Iterator<Item = OrmResult<T>> {
        let mut rows = Box::pin(self.0.stream());
        from_fn(move || wait(async { rows.next().await.transpose() }).transpose())
    }
}
