//! The service of an entity's or a view's rows: what reads them.

use std::fmt;
use std::pin::pin;

use compact_str::CompactString;
use futures_core::Stream;
use futures_util::StreamExt as _;
use isogloss_driver::{FromRow, Row};

use super::ops::{AnyRow, ReadAny};
use super::{QueryOf, ServiceQuery, call};
use crate::OrmResult;
use crate::dao::{Keys, ObjectViewDao};
use crate::entity::Entity;
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
        self.call("get_object", self.dao.get(key)).await
    }

    /// The first row that a filter or a query finds: the engine is asked for no more than that.
    ///
    /// # Errors
    /// The query is of another entity; or does not compile or run.
    pub async fn search_one(&self, query: impl QueryOf<V> + Send) -> OrmResult<Option<V>> {
        let search = query.into_query().first_of(V::NAME);
        self.call("search_one", self.dao.search(search).first_or_default()).await
    }

    /// The rows that a filter or a query finds: `search(())` finds all.
    ///
    /// # Errors
    /// The query is of another entity; or does not compile or run.
    pub async fn search(&self, query: impl QueryOf<V> + Send) -> OrmResult<Vec<V>> {
        self.call("search", self.dao.search(query.into_query().into_search()).to_list()).await
    }

    /// What a query selects, as rows of another shape: a tuple, a single value, or a struct that derives `FromRow`.
    ///
    /// # Errors
    /// The query is of another entity; does not compile or run; or a row does not fit, with its number.
    pub async fn search_as<R: FromRow + Send + 'static>(&self, query: impl QueryOf<V> + Send) -> OrmResult<Vec<R>> {
        self.call("search_as", self.dao.search_as(query.into_query().into_search()).to_list()).await
    }

    /// The first row of what a query selects, of another shape.
    ///
    /// # Errors
    /// The query is of another entity; does not compile or run; or the row does not fit.
    pub async fn search_one_as<R: FromRow + Send + 'static>(
        &self,
        query: impl QueryOf<V> + Send,
    ) -> OrmResult<Option<R>> {
        let search = query.into_query().first_of(V::NAME);
        self.call("search_one_as", self.dao.search_as(search).first_or_default()).await
    }

    /// Does something with each row as it comes, in constant memory. The first error ends it.
    ///
    /// Outside of a transaction the closure may use the session, if its pool has a second connection; in one, the rows
    /// have the session's connection until the end.
    ///
    /// # Errors
    /// That of the closure; the query is of another entity; or does not compile or run.
    pub async fn for_each(
        &self,
        query: impl QueryOf<V> + Send,
        mut each: impl AsyncFnMut(V) -> OrmResult<()>,
    ) -> OrmResult<()> {
        let rows = self.stream(query.into_query());
        let all = async move {
            let mut rows = pin!(rows);
            while let Some(row) = rows.next().await {
                each(row?).await?;
            }
            Ok(())
        };
        self.call("for_each", all).await
    }

    /// Whether there is a row with that key.
    ///
    /// # Errors
    /// The key has other columns; or the query does not compile or run.
    pub async fn exists_id(&self, key: impl Keys + Send) -> OrmResult<bool> {
        self.call("exists_id", self.dao.exists_key(key)).await
    }

    /// Whether a filter or a query finds a row.
    ///
    /// # Errors
    /// The query is of another entity; or does not compile or run.
    pub async fn exists(&self, query: impl QueryOf<V> + Send) -> OrmResult<bool> {
        self.call("exists", self.dao.exists(query.into_query().into_search())).await
    }

    /// How many rows a filter or a query finds: `count(())` counts all.
    ///
    /// # Errors
    /// The query is of another entity; or does not compile or run.
    pub async fn count(&self, query: impl QueryOf<V> + Send) -> OrmResult<u64> {
        self.call("count", self.dao.count(query.into_query().into_search())).await
    }

    pub(super) fn stream(&self, query: ServiceQuery) -> impl Stream<Item = OrmResult<V>> + Send + use<V> {
        self.dao.search(query.into_search()).stream()
    }

    pub(super) async fn search_any(&self, query: ServiceQuery, read: ReadAny) -> OrmResult<Vec<AnyRow>> {
        let rows = self.dao.search_with(query.into_search(), move |row: &dyn Row| read(row));
        self.call("search_as", rows.to_list()).await
    }

    pub(super) async fn search_one_any(&self, query: ServiceQuery, read: ReadAny) -> OrmResult<Option<AnyRow>> {
        let rows = self.dao.search_with(query.first_of(V::NAME), move |row: &dyn Row| read(row));
        self.call("search_one_as", rows.first_or_default()).await
    }

    fn call<R, F: Future<Output = OrmResult<R>>>(&self, method: &'static str, run: F) -> F {
        call(&self.session, V::NAME, method, run)
    }
}
