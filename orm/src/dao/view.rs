//! Reading entities and views.

use isogloss_compiler::{Request, Verb};
use isogloss_driver::{FromRow, Layout, Row};

use super::access::over_session;
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
        EnumerableResult::new(self.0.clone(), search.into_search(), Layout::default())
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
        EnumerableResult::new(self.0.clone(), search.into_search(), read)
    }

    /// The row with that key.
    ///
    /// # Errors
    /// The key has other columns; or the query does not compile or run.
    pub async fn get(&self, key: impl Keys + Send) -> OrmResult<Option<V>> {
        super::by_key::get(&self.0, key.into_values()?).await
    }

    /// How many rows there are.
    ///
    /// # Errors
    /// The query does not compile or run.
    pub async fn count(&self, search: impl SearchOf<V> + Send) -> OrmResult<u64> {
        let count: Option<i64> = self.ask(search.into_search(), Verb::Count).await?;
        Ok(count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0))
    }

    /// Whether there is such a row.
    ///
    /// # Errors
    /// The query does not compile or run.
    pub async fn exists(&self, search: impl SearchOf<V> + Send) -> OrmResult<bool> {
        Ok(self.ask::<i64>(search.into_search(), Verb::Exists).await?.is_some())
    }

    /// Whether there is a row with that key.
    ///
    /// # Errors
    /// The key has other columns; or the query does not compile or run.
    pub async fn exists_key(&self, key: impl Keys + Send) -> OrmResult<bool> {
        let filter = has_key(self.0.model()?, key.into_values()?)?;
        self.exists(filter).await
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

    /// The first column of the first row.
    async fn ask<R: isogloss_driver::FromColumn + Send + 'static>(
        &self,
        search: Search,
        verb: Verb,
    ) -> OrmResult<Option<R>> {
        let mut lease = self.0.lease(Purpose::Read, &self.0.args, search.expr()).await?;
        let target = lease.target().clone();
        let request = Request::of(V::NAME).table_args(&self.0.args).verb(verb);
        let statement = self.0.session.compile(&target, search.statement()?, request)?;
        Ok(lease.fetch_first::<(R,)>(&statement).await?.map(|(first,)| first))
    }
}
