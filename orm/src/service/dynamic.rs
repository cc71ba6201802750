//! Services of entities that are known when the program runs: what a generic controller works with.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use async_trait::async_trait;
use isogloss_compiler::expr::{DbType, Name, SqlSegment, Value, from, prop};
use isogloss_compiler::model::{Catalog, Column, Entity as Model, EntityId};
use isogloss_driver::Row;

use super::ops::known;
use super::{AnyRow, EachRow, EntityServiceOps, QueryOf, ReadAny, ServiceQuery};
use crate::OrmResult;
use crate::dao::{entity, has_key, model};
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

impl DynamicObject {
    /// The set columns, with their places.
    fn set_values(&self) -> impl Iterator<Item = (usize, &Value)> {
        self.values.iter().enumerate().filter_map(|(place, value)| Some((place, value.as_ref()?)))
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

impl<T: Table + Clone + Default, V: View<Of = T>> TypedService<T, V> {
    /// What finds the row with that key.
    fn by_key(&self, key: Vec<Value>) -> OrmResult<SqlSegment> {
        Ok(from(V::NAME).filter(has_key(model::<T>(&self.catalog)?, key)?))
    }

    /// The row with the key of an object, with what the object has set.
    async fn changed(&self, object: &DynamicObject) -> OrmResult<Option<T>> {
        let model = model::<T>(&self.catalog)?;
        let key = model.keys.iter().map(|place| object.value(*place).cloned().unwrap_or(Value::Null)).collect();
        let hidden = |(place, column): &(usize, &Column)| {
            !column.is_readable() && column.is_updatable() && object.value(*place).is_none()
        };
        if let Some((_, column)) = model.columns.iter().enumerate().find(hidden) {
            // The row is written whole, and nobody can say what it has there.
            let message =
                format!("`{}.{}` is not read, so that an update has to give it a value", T::NAME, column.name);
            return Err(FieldError::new(message).into());
        }
        let read: ReadAny = Arc::new(|row: &dyn Row| Ok(Box::new(T::from_row(row)?)));
        let query = QueryOf::<V>::into_query(self.by_key(key)?);
        let Some(row) = self.service.find_one_any(query, read).await? else { return Ok(None) };
        let mut entity = known::<T>(row)?;
        put(object, &mut entity)?;
        Ok(Some(entity))
    }
}

/// Sets what an object has.
fn put<T: Table>(object: &DynamicObject, entity: &mut T) -> Result<(), FieldError> {
    object.set_values().try_for_each(|(place, value)| entity.set(place, value))
}

/// Takes what a write has given: the key, the number that the database counts, and the version.
fn take<T: Table>(object: &mut DynamicObject, entity: &T) -> Result<(), FieldError> {
    let model = object.entity();
    let given: Vec<usize> = model.keys.iter().copied().chain(model.identity).chain(model.version).collect();
    given.into_iter().try_for_each(|place| object.set_value(place, entity.value(place)?))
}

#[async_trait]
impl<T: Table + Clone + Default, V: View<Of = T>> DynamicServiceOps for TypedService<T, V> {
    async fn insert(&self, object: &mut DynamicObject) -> OrmResult<bool> {
        let mut entity = T::default();
        put(object, &mut entity)?;
        let inserted = self.service.insert(&mut entity).await?;
        if inserted {
            take(object, &entity)?;
        }
        Ok(inserted)
    }

    async fn update(&self, object: &mut DynamicObject) -> OrmResult<bool> {
        let Some(mut entity) = self.changed(object).await? else { return Ok(false) };
        let updated = self.service.update(&mut entity).await?;
        if updated {
            take(object, &entity)?;
        }
        Ok(updated)
    }

    async fn delete_key(&self, key: Vec<Value>) -> OrmResult<bool> {
        self.service.delete_key(key).await
    }

    async fn get_key(&self, key: Vec<Value>) -> OrmResult<Option<DynamicObject>> {
        let (id, model) = entity::<V>(&self.catalog)?;
        let columns = model.columns.iter().enumerate();
        let read: Vec<(usize, Name, DbType)> = columns
            .filter(|(_, column)| column.is_readable())
            .map(|(place, column)| (place, column.name.clone(), column.ty))
            .collect();
        let query = self.by_key(key)?.select(read.iter().map(|(_, name, _)| prop(name.clone())));
        let catalog = self.catalog.clone();
        let read: ReadAny = Arc::new(move |row: &dyn Row| {
            let mut object = DynamicObject::new(&catalog, id);
            for (index, (place, _, ty)) in read.iter().enumerate() {
                if let Some(value) = object.values.get_mut(*place) {
                    *value = Some(row.typed_value(index, *ty)?);
                }
            }
            Ok(Box::new(object))
        });
        let row = self.service.find_one_any(QueryOf::<V>::into_query(query), read).await?;
        row.map(known).transpose()
    }

    async fn find_any(&self, query: ServiceQuery, read: ReadAny) -> OrmResult<Vec<AnyRow>> {
        self.service.find_any(query, read).await
    }

    fn find_each_any(&self, query: ServiceQuery, read: ReadAny) -> EachRow<AnyRow> {
        self.service.find_each_any(query, read)
    }

    async fn has_key(&self, key: Vec<Value>) -> OrmResult<bool> {
        self.service.has_key(key).await
    }

    async fn number_of(&self, query: ServiceQuery) -> OrmResult<u64> {
        self.service.number_of(query).await
    }
}

impl<T: Table + Clone, V: View<Of = T>> fmt::Debug for TypedService<T, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedService").field("entity", &T::NAME).field("view", &V::NAME).finish_non_exhaustive()
    }
}
