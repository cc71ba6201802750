//! The service of an entity or a view that only reads.

use std::any::type_name;
use std::fmt;

use compact_str::CompactString;
use isogloss_driver::{FromRow, Row};

use super::entity_call::{EntityCalls, ShownArguments, called};
use super::ops::{AnyRow, ReadAny};
use super::{EachRow, QueryOf, ServiceQuery};
use crate::OrmResult;
use crate::dao::{Keys, ObjectViewDao};
use crate::entity::{Entity, LogText, Logable};
use crate::session::Session;

/// Reads the rows of an entity or a view.
///
/// It accepts conditions and queries only, and no SQL of the program's own, so that a checked tree of a client can be
/// passed to it. For templates of SQL use [`ObjectViewDao`].
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/shop.rs"));
/// use isogloss::prelude::*;
/// use isogloss::service::EntityViewService;
///
/// async fn names(session: &Session) -> OrmResult<Vec<(String, i32)>> {
///     let users = EntityViewService::<User>::new(session);
///     let adults = users.count(expr!(|u: User| u.age >= 18)).await?;
///     println!("{adults} of {}", users.count(()).await?);
///     users.search_as(query!(|u: User| u.filter(u.age >= 18).select((u.name, u.age)))).await
/// }
/// # fn main() {}
/// ```
pub struct EntityViewService<V> {
    session: Session,
    dao: ObjectViewDao<V>,
}

impl<V> Clone for EntityViewService<V> {
    fn clone(&self) -> Self {
        Self { session: self.session.clone(), dao: self.dao.clone() }
    }
}

impl<V> fmt::Debug for EntityViewService<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EntityViewService").field("session", &self.session).finish_non_exhaustive()
    }
}

impl<V: Entity> EntityViewService<V> {
    /// Creates a service that works in a session.
    #[must_use]
    pub fn new(session: &Session) -> Self {
        Self { session: session.clone(), dao: ObjectViewDao::new(session) }
    }

    /// Selects the shard with these table arguments, unless the query gives its own.
    #[must_use]
    pub fn with_args<A: Into<CompactString>>(self, args: impl IntoIterator<Item = A>) -> Self {
        Self { dao: self.dao.with_args(args), ..self }
    }

    /// The session that the service works in.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the row with a key; `None` if there is none.
    ///
    /// # Errors
    /// A key that does not have the entity's key columns, or a query that cannot be compiled or run.
    pub async fn get_object(&self, key: impl Keys + Send) -> OrmResult<Option<V>> {
        let key = key.into_values()?;
        let shown = self.shown("get_object", "key", &key);
        called!(self.calls(), "get_object", shown, self.dao.get(key), Logable::log)
    }

    /// Returns the first row that a filter or a query finds. The engine is asked for one row only.
    ///
    /// # Errors
    /// A query of another entity, or one that cannot be compiled or run.
    pub async fn search_one(&self, query: impl QueryOf<V> + Send) -> OrmResult<Option<V>> {
        let query = query.into_query();
        let shown = self.shown("search_one", "query", &query);
        called!(self.calls(), "search_one", shown, self.dao.search(query.first_of(V::NAME)).first(), Logable::log)
    }

    /// Returns the rows that a filter or a query finds; `search(())` finds all rows.
    ///
    /// # Errors
    /// A query of another entity, or one that cannot be compiled or run.
    pub async fn search(&self, query: impl QueryOf<V> + Send) -> OrmResult<Vec<V>> {
        let query = query.into_query();
        let shown = self.shown("search", "query", &query);
        called!(self.calls(), "search", shown, self.dao.search(query.into_search()).all(), Logable::log)
    }

    /// Returns the rows that a query selects as another type: a tuple, a single value, or a struct that derives
    /// `FromRow`.
    ///
    /// # Errors
    /// A query of another entity, one that cannot be compiled or run, or a row that does not fit, with its number.
    pub async fn search_as<R: FromRow + Send + 'static>(&self, query: impl QueryOf<V> + Send) -> OrmResult<Vec<R>> {
        let query = query.into_query();
        let shown = self.shown("search_as", "query", &query);
        called!(self.calls(), "search_as", shown, self.dao.search_as(query.into_search()).all(), name_of)
    }

    /// Returns the first row that a query selects as another type.
    ///
    /// # Errors
    /// A query of another entity, one that cannot be compiled or run, or a row that does not fit.
    pub async fn search_one_as<R: FromRow + Send + 'static>(
        &self,
        query: impl QueryOf<V> + Send,
    ) -> OrmResult<Option<R>> {
        let query = query.into_query();
        let shown = self.shown("search_one_as", "query", &query);
        called!(self.calls(), "search_one_as", shown, self.dao.search_as(query.first_of(V::NAME)).first(), name_of)
    }

    /// Calls a closure for each row as it arrives, in constant memory. The first error ends it.
    ///
    /// Outside of a transaction, the closure may use the session if its pool has a second connection. Inside of one,
    /// the rows hold the session's connection until the end. The closure is the caller's own code: permissions of what
    /// it calls are checked as usual.
    ///
    /// # Errors
    /// The error of the closure, a query of another entity, or one that cannot be compiled or run.
    pub async fn for_each(
        &self,
        query: impl QueryOf<V> + Send,
        each: impl AsyncFnMut(V) -> OrmResult<()>,
    ) -> OrmResult<()> {
        self.each(query.into_query()).run(each).await
    }

    /// Returns whether there is a row with a key.
    ///
    /// # Errors
    /// A key that does not have the entity's key columns, or a query that cannot be compiled or run.
    pub async fn exists_id(&self, key: impl Keys + Send) -> OrmResult<bool> {
        let key = key.into_values()?;
        let shown = self.shown("exists_id", "key", &key);
        called!(self.calls(), "exists_id", shown, self.dao.exists_key(key), Logable::log)
    }

    /// Returns whether a filter or a query finds a row.
    ///
    /// # Errors
    /// A query of another entity, or one that cannot be compiled or run.
    pub async fn exists(&self, query: impl QueryOf<V> + Send) -> OrmResult<bool> {
        let query = query.into_query();
        let shown = self.shown("exists", "query", &query);
        called!(self.calls(), "exists", shown, self.dao.exists(query.into_search()), Logable::log)
    }

    /// Returns how many rows a filter or a query finds; `count(())` counts all rows.
    ///
    /// # Errors
    /// A query of another entity, or one that cannot be compiled or run.
    pub async fn count(&self, query: impl QueryOf<V> + Send) -> OrmResult<u64> {
        let query = query.into_query();
        let shown = self.shown("count", "query", &query);
        called!(self.calls(), "count", shown, self.dao.count(query.into_search()), Logable::log)
    }

    pub(super) fn each(&self, query: ServiceQuery) -> EachRow<V> {
        let shown = self.shown("for_each", "query", &query);
        let call = self.calls().stepwise::<()>("for_each", shown);
        EachRow::of(self.dao.search(query.into_search()).stream(), call)
    }

    pub(super) fn each_any(&self, query: ServiceQuery, read: ReadAny) -> EachRow<AnyRow> {
        let shown = self.shown("for_each", "query", &query);
        let call = self.calls().stepwise::<()>("for_each", shown);
        let rows = self.dao.search_with(query.into_search(), move |row: &dyn Row| read(row));
        EachRow::of(rows.stream(), call)
    }

    pub(super) async fn search_any(&self, query: ServiceQuery, read: ReadAny) -> OrmResult<Vec<AnyRow>> {
        let shown = self.shown("search_as", "query", &query);
        let rows = self.dao.search_with(query.into_search(), move |row: &dyn Row| read(row));
        called!(self.calls(), "search_as", shown, rows.all(), name_of)
    }

    pub(super) async fn search_one_any(&self, query: ServiceQuery, read: ReadAny) -> OrmResult<Option<AnyRow>> {
        let shown = self.shown("search_one_as", "query", &query);
        let rows = self.dao.search_with(query.first_of(V::NAME), move |row: &dyn Row| read(row));
        called!(self.calls(), "search_one_as", shown, rows.first(), name_of)
    }

    fn shown(&self, method: &'static str, name: &'static str, argument: &dyn Logable) -> ShownArguments {
        self.calls().shown(method, &[(name, argument)])
    }

    fn calls(&self) -> EntityCalls<'_> {
        EntityCalls {
            session: &self.session,
            entity: V::NAME,
            service_type: type_name::<Self>(),
            permission: |interception| interception.entity_reads,
        }
    }
}

/// Of results of a type of the caller's, the log shows its name.
fn name_of<R>(_: &R, text: &mut LogText) {
    text.name(type_name::<R>());
}
