//! Services of entities that are known when the program runs: what a generic controller works with.

use std::fmt;
use std::marker::PhantomData;

use async_trait::async_trait;
use isogloss_compiler::expr::Value;
use isogloss_compiler::model::{Catalog, Entity as Model, EntityId};

use super::{AnyRow, EachRow, EntityServiceOps, ReadAny, ServiceQuery};
use crate::OrmResult;
use crate::entity::{FieldError, Table, View};

/// A row of an entity or a view that is known when the program runs: a value a property, as far as they are set.
#[derive(Debug, Clone)]
pub struct DynamicObject {
    catalog: Catalog,
    entity: EntityId,
    /// The columns of the entity, in order of definition.
    values: Vec<Option<Value>>,
}

impl DynamicObject {
    /// A row of that entity, nothing of which is set.
    #[must_use]
    pub fn new(catalog: &Catalog, entity: EntityId) -> Self {
        Self { catalog: catalog.clone(), entity, values: vec![None; catalog.get(entity).columns.len()] }
    }

    /// What the catalog knows of its entity.
    #[must_use]
    pub fn entity(&self) -> &Model {
        self.catalog.get(self.entity)
    }

    /// The value of the column with that place, if it is set.
    #[must_use]
    pub fn value(&self, column: usize) -> Option<&Value> {
        self.values.get(column)?.as_ref()
    }

    /// Sets a column, counted from 0 in order of definition.
    ///
    /// # Errors
    /// There is no such column.
    pub fn set_value(&mut self, column: usize, value: Value) -> Result<(), FieldError> {
        let name = self.entity().name.clone();
        let place = self.values.get_mut(column).ok_or_else(|| FieldError::no_column(name.as_str(), column))?;
        *place = Some(value);
        Ok(())
    }
}

/// What reads and writes the rows of an entity by values.
///
/// A [`TypedService`] does it through the entity's own service, so that its events are raised.
#[async_trait]
pub trait DynamicServiceOps: Send + Sync {
    /// Inserts a row of the set columns. It takes the number that the database gives it, and its version.
    async fn insert(&self, object: &mut DynamicObject) -> OrmResult<bool>;

    /// Writes the set columns over the row with its key; `false` if there is none, or it has another version.
    async fn update(&self, object: &mut DynamicObject) -> OrmResult<bool>;

    /// Deletes the row with that key; `false` if there is none.
    async fn delete_key(&self, key: Vec<Value>) -> OrmResult<bool>;

    /// The row with that key.
    async fn get_key(&self, key: Vec<Value>) -> OrmResult<Option<DynamicObject>>;

    /// What a query finds, each row read by a closure.
    async fn find_any(&self, query: ServiceQuery, read: ReadAny) -> OrmResult<Vec<AnyRow>>;

    /// The rows that a query finds, each read by a closure, as they come.
    fn find_each_any(&self, query: ServiceQuery, read: ReadAny) -> EachRow<AnyRow>;

    /// Whether there is a row with that key.
    async fn has_key(&self, key: Vec<Value>) -> OrmResult<bool>;

    /// How many rows a query finds.
    async fn number_of(&self, query: ServiceQuery) -> OrmResult<u64>;
}

/// The service of an entity and a view of it, which reads and writes by values.
pub struct TypedService<T: Table + Clone, V: View<Of = T>> {
    service: Box<dyn EntityServiceOps<T, V>>,
    catalog: Catalog,
    of: PhantomData<fn() -> (T, V)>,
}

impl<T: Table + Clone + Default, V: View<Of = T>> TypedService<T, V> {
    /// One over a service.
    #[must_use]
    pub fn new(service: Box<dyn EntityServiceOps<T, V>>, catalog: &Catalog) -> Self {
        Self { service, catalog: catalog.clone(), of: PhantomData }
    }
}

impl<T: Table + Clone, V: View<Of = T>> fmt::Debug for TypedService<T, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedService").field("entity", &T::NAME).field("view", &V::NAME).finish_non_exhaustive()
    }
}
