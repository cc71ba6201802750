//! A service of the program's own, seen as one that reads and writes by values.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use async_trait::async_trait;
use isogloss_compiler::expr::{DbType, Name, SqlSegment, Value, from, prop};
use isogloss_compiler::model::{Catalog, Column};
use isogloss_driver::Row;

use super::{DynamicObject, DynamicServiceOps};
use crate::OrmResult;
use crate::dao::{has_key, model, named};
use crate::entity::{FieldError, Table, View};
use crate::service::ops::known;
use crate::service::{AnyRow, EachRow, EntityServiceOps, QueryOf, ReadAny, ServiceQuery};

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
        let (id, model) = named(&self.catalog, V::NAME)?;
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
                object.keep(*place, row.typed_value(index, *ty)?);
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
