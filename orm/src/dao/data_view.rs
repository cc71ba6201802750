//! Reads rows without a struct.

use isogloss_compiler::expr::{Expr, SelectItemExpr, SqlSegment, from, prop};
use isogloss_compiler::{Compiled, Request};
use isogloss_driver::{Flow, Row, RowSink};

use super::access::{Access, over_session};
use super::data_table::{DataColumn, DataTable};
use super::{Search, SearchOf};
use crate::OrmResult;
use crate::context::Opened;
use crate::entity::{Entity, FieldError};
use crate::session::{Lease, Purpose};

over_session! {
    /// Reads rows of an entity or a view as a [`DataTable`](super::DataTable) of values, for programs that know the
    /// columns only at run time.
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
    /// let table = DataViewDao::<Task>::new(&session).search_properties(&["Title"], prop("Id").gt(1)).await?;
    /// assert_eq!(table.len(), 1);
    /// assert_eq!(table.value(0, "Title"), Some(&"read".into()));
    /// assert_eq!(session.sql_stack().pop().unwrap(), r#"SELECT "T0"."title" AS "Title" FROM "tasks" "T0" WHERE "T0"."id" > ?"#);
    /// # Ok(()) }
    /// ```
    DataViewDao<V: Entity>, "Selects the shard with these table arguments, unless the query gives its own."
}

impl<V: Entity> DataViewDao<V> {
    /// Returns the rows that a filter, a query or a template finds.
    ///
    /// # Errors
    /// A statement that cannot be compiled or run.
    pub async fn search(&self, search: impl SearchOf<V> + Send) -> OrmResult<DataTable> {
        self.0.table(search.into_search()).await
    }

    /// Returns some properties of the rows that a filter, or a query without a select list, finds.
    ///
    /// # Errors
    /// An unknown property, a query that has a select list, or a statement that cannot be compiled or run.
    pub async fn search_properties(
        &self,
        properties: &[&str],
        search: impl SearchOf<V> + Send,
    ) -> OrmResult<DataTable> {
        self.0.properties(properties, search.into_search()).await
    }
}

impl Access {
    /// What a search finds, as a table.
    pub(crate) async fn table(&self, search: Search) -> OrmResult<DataTable> {
        let mut lease = self.lease(Purpose::Read, &self.args, search.expr()).await?;
        let request = search.request(self.name.as_str(), &self.args).columns();
        let compile = |opened: &Opened| self.session.compile(&opened.target, search.statement()?, request);
        let sink = |_: &Opened, statement: &Compiled<'_>| Gather { table: DataTable::of(&statement.columns) };
        Ok(lease.gather(compile, sink).await?.table)
    }

    /// What a statement that writes gives back, as a table.
    pub(super) async fn written(&self, lease: &mut Lease, statement: &Expr) -> OrmResult<DataTable> {
        let target = lease.target().clone();
        let statement = self.session.compile(&target, statement, Request::default().columns())?;
        Ok(lease.query_into(&statement, Gather { table: DataTable::of(&statement.columns) }).await?.table)
    }

    /// Some properties of what a search finds.
    pub(super) async fn properties(&self, properties: &[&str], search: Search) -> OrmResult<DataTable> {
        let query = match search {
            Search::All => from(self.name.clone()),
            Search::Expr(Expr::Logic(filter)) => from(self.name.clone()).filter(filter),
            Search::Expr(Expr::Segment(segment)) if !matches!(segment, SqlSegment::Select(_)) => segment,
            Search::Expr(_) | Search::Over(_) | Search::Template(_) => {
                return Err(
                    FieldError::new("the query selects already: give a filter, or a query without `select`").into()
                );
            }
        };
        let items = properties.iter().map(|name| SelectItemExpr::from(prop((*name).to_owned())));
        self.table(query.select(items).into()).await
    }
}

/// Gathers values, of the types that the compiler knows of their columns.
struct Gather {
    table: DataTable,
}

impl RowSink for Gather {
    fn row(&mut self, row: &dyn Row) -> isogloss_driver::Result<Flow> {
        if self.table.columns.len() != row.len() {
            // The program's own text: its rows say what they are.
            let column = |index| DataColumn { name: row.name(index).unwrap_or_default().into(), ty: None };
            self.table.columns = (0..row.len()).map(column).collect();
        }
        for (index, column) in self.table.columns.iter().enumerate() {
            self.table.values.push(row.value(index, column.ty)?);
        }
        Ok(Flow::More)
    }
}
