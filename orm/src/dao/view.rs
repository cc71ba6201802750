//! Reads entities and views.

use isogloss_compiler::Verb;
use isogloss_compiler::expr::Value;
use isogloss_driver::{FromRow, Layout, ReadRow, Row};

use super::access::{Access, over_session};
use super::entity::{has_key, key_of};
use super::{Keys, Rows, Search, SearchOf};
use crate::OrmResult;
use crate::entity::{Entity, View};
use crate::session::Purpose;

over_session! {
    /// Reads the rows of an entity or a view.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> isogloss::OrmResult<()> {
    /// # use isogloss::config::DataSourceConfig;
    /// # use isogloss::entity::Linked as _;
    /// use isogloss::prelude::*;
    ///
    /// #[derive(Debug, Clone, PartialEq, Default, Entity)]
    /// #[table(name = "tasks", columns = "snake_case")]
    /// struct Task {
    ///     #[column(primary_key, identity)]
    ///     id: i64,
    ///     title: String,
    /// }
    /// # let context = OrmContext::new(Catalog::builder().entity::<Task>().build()?);
    /// # context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true))?;
    /// # let session = context.create_session()?;
    /// # let mut tasks = ["write", "read"].map(|title| Task { title: title.into(), ..Task::default() });
    /// # ObjectDao::new(&session).batch_insert(&mut tasks).await?;
    ///
    /// let tasks = ObjectViewDao::<Task>::new(&session);
    /// assert_eq!(tasks.get(2).await?.unwrap().title, "read");
    ///
    /// // A condition, or a query with an order and a page.
    /// let with_a = tasks.search(expr!(|t: Task| t.title.contains("a"))).all().await?;
    /// let first = tasks.search(query!(|t: Task| t.order_by(t.title).take(1))).all().await?;
    /// assert_eq!(with_a, first);
    /// assert_eq!(
    ///     session.sql_stack().pop().unwrap(),
    ///     r#"SELECT "T0"."id" AS "Id", "T0"."title" AS "Title" FROM "tasks" "T0" ORDER BY "T0"."title", "T0"."id" LIMIT ?"#
    /// );
    /// # Ok(()) }
    /// ```
    ObjectViewDao<V: Entity>, "Selects the shard with these table arguments, unless the query gives its own."
}

impl<V: Entity> ObjectViewDao<V> {
    /// Searches for rows by a filter, a query or a template; `search(())` finds all rows. The query runs when the
    /// result is read.
    ///
    /// The rows are those of the entity or the view; of a query with a `select`, they are what it selects: a tuple, a
    /// struct that derives `FromRow`, or the type of its one item.
    pub fn search<Q: SearchOf<V>>(&self, search: Q) -> Rows<Q::Row>
    where
        Q::Row: FromRow + Send + 'static,
    {
        self.search_as(search)
    }

    /// Searches as [`search`](Self::search) does, and reads the rows as another type: a tuple, or a struct that derives
    /// `FromRow`.
    pub fn search_as<R: FromRow + Send + 'static>(&self, search: impl SearchOf<V>) -> Rows<R> {
        self.0.rows(search.into_search(), Layout::default())
    }

    /// Searches as [`search`](Self::search) does, and reads each row by a closure, for rows without a type of their
    /// own.
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
    ///     users.search_with(query, read).all().await
    /// }
    /// # fn main() {}
    /// ```
    pub fn search_with<T, F>(&self, search: impl SearchOf<V>, read: F) -> Rows<T, F>
    where
        T: Send + 'static,
        F: FnMut(&dyn Row) -> isogloss_driver::Result<T> + Clone + Send + Sync + 'static,
    {
        self.0.rows(search.into_search(), read)
    }

    /// Returns the row with a key; `None` if there is none.
    ///
    /// # Errors
    /// A key that does not have the entity's key columns, or a query that cannot be compiled or run.
    pub async fn get(&self, key: impl Keys + Send) -> OrmResult<Option<V>> {
        super::by_key::get::<V>(&self.0, key.into_values()?).await
    }

    /// Returns how many rows a search finds.
    ///
    /// # Errors
    /// A query that cannot be compiled or run.
    pub async fn count(&self, search: impl SearchOf<V> + Send) -> OrmResult<u64> {
        self.0.count(search.into_search()).await
    }

    /// Returns whether a search finds a row.
    ///
    /// # Errors
    /// A query that cannot be compiled or run.
    pub async fn exists(&self, search: impl SearchOf<V> + Send) -> OrmResult<bool> {
        self.0.exists(search.into_search()).await
    }

    /// Returns whether there is a row with a key.
    ///
    /// # Errors
    /// A key that does not have the entity's key columns, or a query that cannot be compiled or run.
    pub async fn exists_key(&self, key: impl Keys + Send) -> OrmResult<bool> {
        self.0.has_row(key.into_values()?).await
    }

    /// Returns whether the row with the entity's key exists.
    ///
    /// # Errors
    /// A query that cannot be compiled or run.
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
    ) -> Rows<T, R> {
        Rows::new(self.clone(), search, reader)
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
        let statement = self.session.compile(
            &target,
            search.statement()?,
            search.request(self.name.as_str(), &self.args).verb(verb),
        )?;
        Ok(lease.fetch_first::<(i64,)>(&statement).await?.map(|(first,)| first))
    }
}
