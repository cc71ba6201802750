//! A service of the program's own that reads and writes by values.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use async_trait::async_trait;
use isogloss_compiler::expr::{DbType, Name, SqlSegment, Value, from, prop};
use isogloss_compiler::model::EntityId;
use isogloss_driver::Row;

use super::row::{Stored, keep_unread, key_of, put, put_new};
use super::{DynamicObject, DynamicServiceOps};
use crate::OrmResult;
use crate::dao::{Access, has_key, named};
use crate::entity::{Table, View};
use crate::service::ops::known;
use crate::service::{AnyRow, EachRow, EntityServiceOps, QueryOf, ReadAny, ServiceQuery};
use crate::session::Session;

/// Reads and writes by values through a typed service of the program.
pub struct TypedService<T: Table + Clone, V: View<Of = T>> {
    service: Box<dyn EntityServiceOps<T, V>>,
    session: Session,
    of: PhantomData<fn() -> (T, V)>,
}

impl<T: Table + Clone + Default, V: View<Of = T>> TypedService<T, V> {
    /// Wraps a service, with the session that it works in.
    #[must_use]
    pub fn new(service: Box<dyn EntityServiceOps<T, V>>, session: &Session) -> Self {
        Self { service, session: session.clone(), of: PhantomData }
    }

    fn table(&self) -> Access {
        Access::new(&self.session, Name::from_static(T::NAME), Vec::new())
    }

    /// The entity or view that is read, and the columns of it that can be.
    fn readable(&self) -> OrmResult<(EntityId, Vec<(Name, DbType)>)> {
        let (id, model) = named(self.session.context().catalog(), V::NAME)?;
        let columns = model.columns.iter().filter(|column| column.is_readable());
        Ok((id, columns.map(|column| (column.name.clone(), column.ty)).collect()))
    }

    /// What finds the row with that key.
    fn by_key(&self, key: Vec<Value>) -> OrmResult<SqlSegment> {
        Ok(from(V::NAME).filter(has_key(self.table().model()?, key)?))
    }

    /// The row of a query, with its columns.
    async fn row(&self, query: SqlSegment) -> OrmResult<Option<DynamicObject>> {
        let (id, columns) = self.readable()?;
        let query = query.select(columns.iter().map(|(name, _)| prop(name.clone())));
        let catalog = self.session.context().catalog().clone();
        let read: ReadAny = Arc::new(move |row: &dyn Row| {
            let mut object = DynamicObject::new(&catalog, id);
            for (index, (name, ty)) in columns.iter().enumerate() {
                object.read(name.as_str(), row.typed_value(index, *ty)?);
            }
            Ok(Box::new(object))
        });
        let row = self.service.find_one_any(QueryOf::<V>::into_query(query), read).await?;
        row.map(known).transpose()
    }

    /// Writes a whole row, with what an object has. What the object does not have stays as it is, whoever else writes.
    async fn update_whole(&self, object: &mut DynamicObject) -> OrmResult<bool> {
        let query = self.table().locked(self.by_key(key_of(object)?)?).await?;
        let Some(row) = self.row(query).await? else { return Ok(false) };
        let mut entity = T::default();
        for (place, value) in row.set_values().filter(|(place, _)| *place < object.entity().columns.len()) {
            entity.set(place, value)?;
        }
        if !keep_unread(&self.table(), object, &mut entity).await? {
            return Ok(false);
        }
        put(object, &mut entity)?;
        let before = Stored::of(object, &entity)?;
        let updated = self.service.update(&mut entity).await?;
        if updated {
            before.changed(object, &entity)?;
        }
        Ok(updated)
    }
}

#[async_trait]
impl<T: Table + Clone + Default, V: View<Of = T>> DynamicServiceOps for TypedService<T, V> {
    async fn insert(&self, object: &mut DynamicObject) -> OrmResult<bool> {
        let mut entity = T::default();
        put_new(object, &mut entity)?;
        let before = Stored::of(object, &entity)?;
        let inserted = self.service.insert(&mut entity).await?;
        if inserted {
            before.changed(object, &entity)?;
        }
        Ok(inserted)
    }

    async fn update(&self, object: &mut DynamicObject) -> OrmResult<bool> {
        self.session.atomically(async |_: &Session| self.update_whole(object).await).await
    }

    async fn delete_key(&self, key: Vec<Value>) -> OrmResult<bool> {
        self.service.delete_key(key).await
    }

    async fn get_key(&self, key: Vec<Value>) -> OrmResult<Option<DynamicObject>> {
        self.row(self.by_key(key)?).await
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
