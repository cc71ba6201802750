//! The service of an entity's or a view's rows: what reads them.

use std::any::type_name;
use std::fmt;

use compact_str::CompactString;
use isogloss_driver::{FromRow, Row};

use super::entity_call::{EntityCalls, Shown, called};
use super::ops::{AnyRow, ReadAny};
use super::{EachRow, QueryOf, ServiceQuery};
use crate::OrmResult;
use crate::dao::{Keys, ObjectViewDao};
use crate::entity::{Entity, LogText, Logable};
use crate::session::Session;

/// Reads the rows of an entity or a view.
///
/// It searches by conditions and queries only, so that a client's tree, which was checked, may be handed to it; what is
/// the program's own SQL is for [`ObjectViewDao`].
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mod.rs"));
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
    /// One over a session.
    #[must_use]
    pub fn new(session: &Session) -> Self {
        Self { session: session.clone(), dao: ObjectViewDao::new(session) }
    }

    /// Over the shard with these arguments, where the query gives none.
    #[must_use]
    pub fn with_args<A: Into<CompactString>>(self, args: impl IntoIterator<Item = A>) -> Self {
        Self { dao: self.dao.with_args(args), ..self }
    }

    /// Its session.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The row with that key.
    ///
    /// # Errors
    /// The key has other columns; or the query does not compile or run.
    pub async fn get_object(&self, key: impl Keys + Send) -> OrmResult<Option<V>> {
        let key = key.into_values()?;
        let shown = self.shown("get_object", "key", &key);
        called!(self.calls(), "get_object", shown, self.dao.get(key), Logable::log)
    }

    /// The first row that a filter or a query finds: the engine is asked for no more than that.
    ///
    /// # Errors
    /// The query is of another entity; or does not compile or run.
    pub async fn search_one(&self, query: impl QueryOf<V> + Send) -> OrmResult<Option<V>> {
        let query = query.into_query();
        let shown = self.shown("search_one", "query", &query);
        called!(
            self.calls(),
            "search_one",
            shown,
            self.dao.search(query.first_of(V::NAME)).first_or_default(),
            Logable::log
        )
    }

    /// The rows that a filter or a query finds: `search(())` finds all.
    ///
    /// # Errors
    /// The query is of another entity; or does not compile or run.
    pub async fn search(&self, query: impl QueryOf<V> + Send) -> OrmResult<Vec<V>> {
        let query = query.into_query();
        let shown = self.shown("search", "query", &query);
        called!(self.calls(), "search", shown, self.dao.search(query.into_search()).to_list(), Logable::log)
    }

    /// What a query selects, as rows of another shape: a tuple, a single value, or a struct that derives `FromRow`.
    ///
    /// # Errors
    /// The query is of another entity; does not compile or run; or a row does not fit, with its number.
    pub async fn search_as<R: FromRow + Send + 'static>(&self, query: impl QueryOf<V> + Send) -> OrmResult<Vec<R>> {
        let query = query.into_query();
        let shown = self.shown("search_as", "query", &query);
        called!(self.calls(), "search_as", shown, self.dao.search_as(query.into_search()).to_list(), name_of)
    }

    /// The first row of what a query selects, of another shape.
    ///
    /// # Errors
    /// The query is of another entity; does not compile or run; or the row does not fit.
    pub async fn search_one_as<R: FromRow + Send + 'static>(
        &self,
        query: impl QueryOf<V> + Send,
    ) -> OrmResult<Option<R>> {
        let query = query.into_query();
        let shown = self.shown("search_one_as", "query", &query);
        called!(
            self.calls(),
            "search_one_as",
            shown,
            self.dao.search_as(query.first_of(V::NAME)).first_or_default(),
            name_of
        )
    }

    /// Does something with each row as it comes, in constant memory. The first error ends it.
    ///
    /// Outside of a transaction the closure may use the session, if its pool has a second connection; in one, the rows
    /// have the session's connection until the end. The closure is the caller's own: what it calls is asked for permissions
    /// as it is without this call.
    ///
    /// # Errors
    /// That of the closure; the query is of another entity; or does not compile or run.
    pub async fn for_each(
        &self,
        query: impl QueryOf<V> + Send,
        each: impl AsyncFnMut(V) -> OrmResult<()>,
    ) -> OrmResult<()> {
        self.each(query.into_query()).run(each).await
    }

    /// Whether there is a row with that key.
    ///
    /// # Errors
    /// The key has other columns; or the query does not compile or run.
    pub async fn exists_id(&self, key: impl Keys + Send) -> OrmResult<bool> {
        let key = key.into_values()?;
        let shown = self.shown("exists_id", "key", &key);
        called!(self.calls(), "exists_id", shown, self.dao.exists_key(key), Logable::log)
    }

    /// Whether a filter or a query finds a row.
    ///
    /// # Errors
    /// The query is of another entity; or does not compile or run.
    pub async fn exists(&self, query: impl QueryOf<V> + Send) -> OrmResult<bool> {
        let query = query.into_query();
        let shown = self.shown("exists", "query", &query);
        called!(self.calls(), "exists", shown, self.dao.exists(query.into_search()), Logable::log)
    }

    /// How many rows a filter or a query finds: `count(())` counts all.
    ///
    /// # Errors
    /// The query is of another entity; or does not compile or run.
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
        called!(self.calls(), "search_as", shown, rows.to_list(), name_of)
    }

    pub(super) async fn search_one_any(&self, query: ServiceQuery, read: ReadAny) -> OrmResult<Option<AnyRow>> {
        let shown = self.shown("search_one_as", "query", &query);
        let rows = self.dao.search_with(query.first_of(V::NAME), move |row: &dyn Row| read(row));
        called!(self.calls(), "search_one_as", shown, rows.first_or_default(), name_of)
    }

    fn shown(&self, method: &'static str, name: &'static str, argument: &dyn Logable) -> Shown {
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
