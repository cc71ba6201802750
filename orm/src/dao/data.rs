//! Writes some properties of rows, without a struct.

use isogloss_compiler::expr::{Expr, Name, Value, ValueTypeExpr};

use super::Keys;
use super::access::over_session;
use super::entity::{has_key, table_of};
use super::update::renewing;
use crate::OrmResult;
use crate::entity::{Predicate, Table, Takes};
use crate::session::Purpose;

over_session! {
    /// Updates single properties of an entity's rows, by name and without reading the rows first.
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
    ///     done_by: Option<String>,
    /// }
    /// # let context = OrmContext::new(Catalog::builder().entity::<Task>().build()?);
    /// # context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true))?;
    /// # let session = context.create_session()?;
    /// # let mut tasks = ["write", "read"].map(|title| Task { title: title.into(), ..Task::default() });
    /// # ObjectDao::new(&session).batch_insert(&mut tasks).await?;
    ///
    /// let tasks = DataDao::<Task>::new(&session);
    /// assert!(tasks.update_values([("DoneBy", "Ann")], 1).await?);
    /// assert_eq!(session.sql_stack().pop().unwrap(), r#"UPDATE "tasks" AS "T0" SET "done_by" = ? WHERE "T0"."id" = ?"#);
    ///
    /// let open = expr!(|t: Task| t.done_by.is_none());
    /// assert_eq!(tasks.update_all_values([("DoneBy", "Bob")], open).await?, 1);
    /// # Ok(()) }
    /// ```
    ///
    /// A version column gets its next version, unless a value is given for it.
    ///
    /// Values are written in the column's type. The converter of a field is not applied: for a field with
    /// `#[column(converter = Cents)]`, pass what [`Converter::store`](crate::entity::Converter::store) returns.
    DataDao<T: Table>, "Selects the shard with these table arguments."
}

impl<T: Table> DataDao<T> {
    /// Updates properties of all rows that a filter finds, and returns how many there were.
    ///
    /// # Errors
    /// An unknown property, a value that does not fit it, or a statement that cannot be compiled or run.
    pub async fn update_all_values<N: Into<Name>, V: Into<Value>, C: Predicate + Send>(
        &self,
        values: impl IntoIterator<Item = (N, V)> + Send,
        filter: C,
    ) -> OrmResult<u64>
    where
        T: Takes<C::Entity>,
    {
        let sets: Vec<(Name, ValueTypeExpr)> =
            values.into_iter().map(|(name, value)| (name.into(), ValueTypeExpr::from(value.into()))).collect();
        let update = table_of::<T>(&self.0.args).update(sets).filter(filter.given());
        let update = Expr::from(renewing(self.0.session.context().catalog(), update, T::LAST_VERSION));
        let mut lease = self.0.lease(Purpose::Write, &self.0.args, Some(&update)).await?;
        let target = lease.target().clone();
        lease.execute(&self.0.compile(&target, &update)?).await
    }

    /// Updates properties of the row with a key; returns `false` if there is none.
    ///
    /// # Errors
    /// Those of [`update_all_values`](Self::update_all_values), and a key that does not have the entity's key columns.
    pub async fn update_values<N: Into<Name>, V: Into<Value>>(
        &self,
        values: impl IntoIterator<Item = (N, V)> + Send,
        key: impl Keys + Send,
    ) -> OrmResult<bool> {
        let filter = has_key(self.0.model()?, key.into_values()?)?;
        Ok(self.update_all_values(values, filter).await? > 0)
    }
}
