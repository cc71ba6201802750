//! A service for any entity of the catalog.

use std::any::type_name;
use std::fmt;

use async_trait::async_trait;
use compact_str::CompactString;
use isogloss_compiler::expr::{Name, Value, from};
use isogloss_compiler::model::EntityId;
use isogloss_driver::Row;

use super::linked::Served;
use super::row::{PartialRow, Stored, keep_unread, key_of, put, put_new};
use super::{DynamicObject, DynamicServiceOps, NotDynamic};
use crate::dao::{Access, DataTable, Keys, has_key, table_args};
use crate::entity::{Logable, Writable as _, Written};
use crate::service::entity_call::{EntityCalls, ShownArguments, called};
use crate::service::operation::Kind;
use crate::service::subscribers::EntitySubscribers;
use crate::service::{AnyRow, EachRow, QueryOf, ReadAny, ServiceError, ServiceQuery};
use crate::session::Session;
use crate::{OrmContext, OrmResult};

/// Writes and reads the rows of an entity, or reads those of a view of it, by the names in the catalog. It works for
/// definitions that are read at run time, and for structs.
///
/// It applies everything that an [`EntityService`](crate::service::EntityService) applies: the catalog's fixed filters,
/// the session's scope and transaction, permissions and logs. If the entity has a struct, a new row starts with the
/// struct's default, each value must fit its field, and subscribers to the struct are notified: see
/// [`EntityEvents`](crate::service::EntityEvents).
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/shop.rs"));
/// use isogloss::prelude::*;
/// use isogloss::service::DynamicService;
///
/// async fn rename(session: &Session, id: i32) -> OrmResult<bool> {
///     let users = DynamicService::new(session, "User", "User")?;
///     let mut user = users.object();
///     user.set("Id", id)?;
///     user.set("Name", "Ann")?;
///     users.update(&mut user).await
/// }
/// # fn main() {}
/// ```
#[derive(Clone)]
pub struct DynamicService {
    table: Access,
    view: Access,
    args: Vec<CompactString>,
    served: Served,
}

impl DynamicService {
    /// Creates a service for an entity, whose rows are read as the view `view`, or as the entity itself.
    ///
    /// # Errors
    /// [`ServiceError::NotDynamic`] with the reason.
    pub fn new(session: &Session, entity: &str, view: &str) -> OrmResult<Self> {
        let not_served = |reason| ServiceError::NotDynamic { entity: entity.to_owned(), reason };
        let served = Served::of(session.context(), entity, view).map_err(not_served)?;
        let access = |name| Access::new(session, Name::from_static(name), Vec::new());
        Ok(Self { table: access(served.name), view: access(served.view_name), args: Vec::new(), served })
    }

    /// Checks whether there can be a service for this entity and this view.
    ///
    /// # Errors
    /// Why there cannot be one.
    pub fn check(context: &OrmContext, entity: &str, view: &str) -> Result<(), NotDynamic> {
        Served::of(context, entity, view).map(drop)
    }

    /// Selects the shard with these table arguments.
    #[must_use]
    pub fn with_args<A: Into<CompactString>>(self, args: impl IntoIterator<Item = A>) -> Self {
        let args = table_args(args);
        Self { table: self.table.with_args(&args), view: self.view.with_args(&args), args, ..self }
    }

    /// The session that the service works in.
    #[must_use]
    pub fn session(&self) -> &Session {
        self.table.session()
    }

    /// A row of the entity without any value.
    #[must_use]
    pub fn object(&self) -> DynamicObject {
        self.blank(self.served.entity)
    }

    /// Inserts a row with the columns that are set, and stores in the object what the scope fixes, the generated key
    /// and the version.
    ///
    /// # Errors
    /// A value that does not fit, a violated constraint, a failing subscriber, or a statement that cannot be compiled
    /// or run.
    pub async fn insert(&self, object: &mut DynamicObject) -> OrmResult<bool> {
        let shown = self.writes().shown("insert", &[("entity", &*object)]);
        called!(self.writes(), "insert", shown, self.insert_row(object), bool::log)
    }

    /// Updates the columns that are set in the row with the object's key; returns `false` if there is none. If the
    /// object has a version, the row must have the same, and the object gets the new one.
    ///
    /// # Errors
    /// An object without a key, a value that does not fit, a violated constraint, a failing subscriber, or a statement
    /// that cannot be compiled or run.
    pub async fn update(&self, object: &mut DynamicObject) -> OrmResult<bool> {
        let shown = self.writes().shown("update", &[("entity", &*object)]);
        called!(self.writes(), "update", shown, self.update_row(object), bool::log)
    }

    /// Deletes the row with a key; returns `false` if there is none.
    ///
    /// # Errors
    /// A key that does not have the entity's key columns, a violated constraint, a failing subscriber, or a statement
    /// that cannot be compiled or run.
    pub async fn delete(&self, key: impl Keys + Send) -> OrmResult<bool> {
        let key = key.into_values()?;
        let shown = self.writes().shown("delete_id", &[("key", &key)]);
        called!(self.writes(), "delete_id", shown, self.delete_row(key), bool::log)
    }

    /// Returns the row with a key; `None` if there is none.
    ///
    /// # Errors
    /// A key that does not have the entity's key columns, or a query that cannot be compiled or run.
    pub async fn get(&self, key: impl Keys + Send) -> OrmResult<Option<DynamicObject>> {
        let key = key.into_values()?;
        let shown = self.shown("get_object", "key", &key);
        let row = async {
            let filter = has_key(self.view.model()?, key)?;
            Ok(self.objects(self.view.table(filter.into()).await?).into_iter().next())
        };
        called!(self.reads(), "get_object", shown, row, Option::log)
    }

    /// Returns the rows that a filter or a query finds; `search(())` finds all rows. Items of a select list that are
    /// not properties of the view are left out.
    ///
    /// # Errors
    /// A query of another entity, or one that cannot be compiled or run.
    pub async fn search(&self, query: impl QueryOf<DynamicObject> + Send) -> OrmResult<Vec<DynamicObject>> {
        let query = query.into_query();
        let shown = self.shown("search", "query", &query);
        let rows = async { Ok(self.objects(self.view.table(query.into_search()).await?)) };
        called!(self.reads(), "search", shown, rows, Vec::log)
    }

    /// Returns whether a filter or a query finds a row.
    ///
    /// # Errors
    /// A query of another entity, or one that cannot be compiled or run.
    pub async fn exists(&self, query: impl QueryOf<DynamicObject> + Send) -> OrmResult<bool> {
        let query = query.into_query();
        let shown = self.shown("exists", "query", &query);
        called!(self.reads(), "exists", shown, self.view.exists(query.into_search()), bool::log)
    }

    /// Returns whether there is a row with a key.
    ///
    /// # Errors
    /// A key that does not have the entity's key columns, or a query that cannot be compiled or run.
    pub async fn exists_id(&self, key: impl Keys + Send) -> OrmResult<bool> {
        let key = key.into_values()?;
        let shown = self.shown("exists_id", "key", &key);
        called!(self.reads(), "exists_id", shown, self.view.has_row(key), bool::log)
    }

    /// Returns how many rows a filter or a query finds; `count(())` counts all rows.
    ///
    /// # Errors
    /// A query of another entity, or one that cannot be compiled or run.
    pub async fn count(&self, query: impl QueryOf<DynamicObject> + Send) -> OrmResult<u64> {
        let query = query.into_query();
        let shown = self.shown("count", "query", &query);
        called!(self.reads(), "count", shown, self.view.count(query.into_search()), u64::log)
    }

    async fn insert_row(&self, object: &mut DynamicObject) -> OrmResult<bool> {
        let Some(make) = self.served.row else { return self.table.insert::<dyn Written>(object).await };
        let mut row = make();
        put_new(object, &mut *row)?;
        let before = Stored::of(object, &*row)?;
        let inserted = match self.listeners(&*row) {
            Some(listeners) => listeners.write(self.session(), &self.args, Kind::Insert, &mut *row).await?,
            None => self.table.insert(&mut *row).await?,
        };
        if inserted {
            before.changed(object, &*row)?;
        }
        Ok(inserted)
    }

    async fn update_row(&self, object: &mut DynamicObject) -> OrmResult<bool> {
        let model = self.table.model()?;
        if !model.version.is_some_and(|place| object.has(place)) && !self.table.is_changed(object)? {
            return self.table.has_row(key_of(object)?).await;
        }
        let Some(make) = self.served.row else { return self.table.update::<dyn Written>(object, None).await };
        let mut row = make();
        if let Some(listeners) = self.listeners(&*row) {
            return self
                .session()
                .atomically(async |_: &Session| self.update_heard(listeners, object, row).await)
                .await;
        }
        put(object, &mut *row)?;
        let before = Stored::of(object, &*row)?;
        let set = object.set_values().map(|(place, _)| place).collect();
        let mut part = PartialRow { row, set };
        let updated = self.table.update::<dyn Written>(&mut part, None).await?;
        if updated {
            before.changed(object, &*part.row)?;
        }
        Ok(updated)
    }

    /// Writes a whole row, which subscribers are to see, with what the object has.
    async fn update_heard(
        &self,
        listeners: &dyn EntitySubscribers,
        object: &mut DynamicObject,
        mut row: Box<dyn Written>,
    ) -> OrmResult<bool> {
        if !self.load(object, &mut *row).await? {
            return Ok(false);
        }
        put(object, &mut *row)?;
        let before = Stored::of(object, &*row)?;
        let updated = listeners.write(self.session(), &self.args, Kind::Update, &mut *row).await?;
        if updated {
            before.changed(object, &*row)?;
        }
        Ok(updated)
    }

    /// Reads the row with an object's key; `false` if there is none. It stays as it is until the transaction ends, where
    /// the engine locks rows.
    async fn load(&self, object: &DynamicObject, row: &mut dyn Written) -> OrmResult<bool> {
        let model = self.table.model()?;
        let query = from(model.name.clone()).filter(has_key(model, key_of(object)?)?);
        let found = self.table.table(self.table.locked(query).await?.into()).await?;
        let Some(values) = found.rows().next() else { return Ok(false) };
        for (column, value) in found.columns().iter().zip(values) {
            if let Some((place, _)) = model.column(&column.name) {
                row.store(place, value)?;
            }
        }
        keep_unread(&self.table, object, row).await
    }

    async fn delete_row(&self, key: Vec<Value>) -> OrmResult<bool> {
        let row = self.served.row.map(|make| make());
        match row.and_then(|row| self.listeners(&*row)) {
            Some(listeners) => listeners.delete_key(self.session(), &self.args, key).await,
            None => self.table.delete_key(key, self.args.clone()).await,
        }
    }

    /// Those who listen to the struct of a row.
    fn listeners(&self, row: &dyn Written) -> Option<&dyn EntitySubscribers> {
        self.session().context().services().subscribers.of_row(row)
    }

    fn objects(&self, table: DataTable) -> Vec<DynamicObject> {
        let object = |values: &[Value]| {
            let mut object = self.blank(self.served.view);
            for (column, value) in table.columns().iter().zip(values) {
                object.read(&column.name, value.clone());
            }
            object
        };
        table.rows().map(object).collect()
    }

    fn blank(&self, entity: EntityId) -> DynamicObject {
        DynamicObject::new(self.session().context().catalog(), entity)
    }

    fn shown(&self, method: &'static str, name: &'static str, argument: &dyn Logable) -> ShownArguments {
        self.reads().shown(method, &[(name, argument)])
    }

    fn reads(&self) -> EntityCalls<'_> {
        EntityCalls {
            session: self.session(),
            entity: self.served.view_name,
            service_type: type_name::<Self>(),
            permission: |interception| interception.entity_reads,
        }
    }

    fn writes(&self) -> EntityCalls<'_> {
        EntityCalls { entity: self.served.name, permission: |interception| interception.entity_writes, ..self.reads() }
    }
}

#[async_trait]
impl DynamicServiceOps for DynamicService {
    async fn insert(&self, object: &mut DynamicObject) -> OrmResult<bool> {
        self.insert(object).await
    }

    async fn update(&self, object: &mut DynamicObject) -> OrmResult<bool> {
        self.update(object).await
    }

    async fn delete_key(&self, key: Vec<Value>) -> OrmResult<bool> {
        self.delete(key).await
    }

    async fn get_key(&self, key: Vec<Value>) -> OrmResult<Option<DynamicObject>> {
        self.get(key).await
    }

    async fn find_any(&self, query: ServiceQuery, read: ReadAny) -> OrmResult<Vec<AnyRow>> {
        let shown = self.shown("search_as", "query", &query);
        let rows = self.view.rows(query.into_search(), move |row: &dyn Row| read(row));
        called!(self.reads(), "search_as", shown, rows.all(), |_, text| text.name(type_name::<AnyRow>()))
    }

    fn find_each_any(&self, query: ServiceQuery, read: ReadAny) -> EachRow<AnyRow> {
        let shown = self.shown("for_each", "query", &query);
        let call = self.reads().stepwise::<()>("for_each", shown);
        EachRow::of(self.view.rows(query.into_search(), move |row: &dyn Row| read(row)).stream(), call)
    }

    async fn has_key(&self, key: Vec<Value>) -> OrmResult<bool> {
        self.exists_id(key).await
    }

    async fn number_of(&self, query: ServiceQuery) -> OrmResult<u64> {
        self.count(query).await
    }
}

impl fmt::Debug for DynamicService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Served { name, view_name, .. } = self.served;
        f.debug_struct("DynamicService").field("entity", &name).field("view", &view_name).finish_non_exhaustive()
    }
}
