//! Reading entities and views.

use isogloss_compiler::Verb;
use isogloss_compiler::expr::Value;
use isogloss_driver::{FromRow, Layout, ReadRow, Row};

use super::access::{Access, over_session};
use super::entity::{has_key, key_of};
use super::{EnumerableResult, Keys, Search, SearchOf};
use crate::OrmResult;
use crate::entity::{Entity, View};
use crate::session::Purpose;

over_session! {
    /// Reads the rows of an entity or a view.
    ObjectViewDao<V: Entity>, "Over the shard with these arguments, where the query gives none."
}

impl<V: Entity> ObjectViewDao<V> {
    /// The rows that a filter, a query or a template finds: `search(())` finds all.
    pub fn search(&self, search: impl SearchOf<V>) -> EnumerableResult<V> {
        self.search_as(search)
    }

    /// The same as rows of another shape: a tuple, or a struct that derives `FromRow`.
    pub fn search_as<R: FromRow + Send + 'static>(&self, search: impl SearchOf<V>) -> EnumerableResult<R> {
        self.0.rows(search.into_search(), Layout::default())
    }

    /// The same, each row read by a closure: what no type is made for.
    ///
    /// ```standalone_crate
    /// # use isogloss::dao::ObjectViewDao;
    /// # use isogloss::driver::Row;
    /// # use isogloss::prelude::*;
    /// # use isogloss::{OrmResult, Session};
    /// # #[derive(Entity)]
    /// # struct User { #[column(primary_key)] id: i32, name: String }
    /// async fn labels(session: &Session) -> OrmResult<Vec<String>> {
    ///     let users = ObjectViewDao::<User>::new(session);
    ///     let query = from("User").select(["Id", "Name"]);
    ///     let read = |row: &dyn Row| Ok(format!("{:?} {:?}", row.i64(0)?, row.text(1)?));
    ///     users.search_with(query, read).to_list().await
    /// }
    /// # fn main() {}
    /// ```
    pub fn search_with<T, F>(&self, search: impl SearchOf<V>, read: F) -> EnumerableResult<T, F>
    where
        T: Send + 'static,
        F: FnMut(&dyn Row) -> isogloss_driver::Result<T> + Clone + Send + Sync + 'static,
    {
        self.0.rows(search.into_search(), read)
    }

    /// The row with that key.
    ///
    /// # Errors
    /// The key has other columns; or the query does not compile or run.
    pub async fn get(&self, key: impl Keys + Send) -> OrmResult<Option<V>> {
        super::by_key::get::<V>(&self.0, key.into_values()?).await
    }

    /// How many rows there are.
    ///
    /// # Errors
    /// The query does not compile or run.
    pub async fn count(&self, search: impl SearchOf<V> + Send) -> OrmResult<u64> {
        self.0.count(search.into_search()).await
    }

    /// Whether there is such a row.
    ///
    /// # Errors
    /// The query does not compile or run.
    pub async fn exists(&self, search: impl SearchOf<V> + Send) -> OrmResult<bool> {
        self.0.exists(search.into_search()).await
    }

    /// Whether there is a row with that key.
    ///
    /// # Errors
    /// The key has other columns; or the query does not compile or run.
    pub async fn exists_key(&self, key: impl Keys + Send) -> OrmResult<bool> {
        self.0.has_row(key.into_values()?).await
    }

    /// Whether the row of that entity is there, by its key.
    ///
    /// # Errors
    /// The query does not compile or run.
    pub async fn exists_entity(&self, entity: &V::Of) -> OrmResult<bool>
    where
        V: View,
    {
        let key = key_of(entity, self.0.model()?)?;
        self.exists_key(key).await
    }
}

impl Access {
    /// The rows of a search, each read by a reader.
    pub(crate) fn rows<T: Send + 'static, R: ReadRow<T> + Clone + Sync>(
        &self,
        search: Search,
        reader: R,
    ) -> EnumerableResult<T, R> {
        EnumerableResult::new(self.clone(), search, reader)
    }

    /// How many rows a search finds.
    pub(crate) async fn count(&self, search: Search) -> OrmResult<u64> {
        let count = self.ask(search, Verb::Count).await?;
        Ok(count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0))
    }

    /// Whether a search finds a row.
    pub(crate) async fn exists(&self, search: Search) -> OrmResult<bool> {
        Ok(self.ask(search, Verb::Exists).await?.is_some())
    }

    /// Whether there is a row with that key.
    pub(crate) async fn has_row(&self, key: Vec<Value>) -> OrmResult<bool> {
        self.exists(has_key(self.model()?, key)?.into()).await
    }

    /// The first column of the first row.
    async fn ask(&self, search: Search, verb: Verb) -> OrmResult<Option<i64>> {
        let mut lease = self.lease(Purpose::Read, &self.args, search.expr()).await?;
        let target = lease.target().clone();
        let statement = self.session.compile(&target, search.statement()?, self.request().verb(verb))?;
        Ok(lease.fetch_first::<(i64,)>(&statement).await?.map(|(first,)| first))
    }
}
