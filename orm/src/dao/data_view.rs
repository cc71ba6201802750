//! Reading rows without a struct.

use isogloss_compiler::Compiled;
use isogloss_compiler::expr::{Expr, SelectItemExpr, SqlSegment, from, prop};
use isogloss_driver::{Flow, Row, RowSink};

use super::access::{Access, over_session};
use super::data_table::{DataColumn, DataTable};
use super::{Search, SearchOf};
use crate::OrmResult;
use crate::context::Opened;
use crate::entity::{Entity, FieldError};
use crate::session::Purpose;

over_session! {
    /// Reads the rows of an entity or a view as a table of values.
    DataViewDao<V: Entity>, "Over the shard with these arguments, where the query gives none."
}

impl<V: Entity> DataViewDao<V> {
    /// What a filter, a query or a template finds.
    ///
    /// # Errors
    /// It does not compile or run.
    pub async fn search(&self, search: impl SearchOf<V> + Send) -> OrmResult<DataTable> {
        self.0.table(search.into_search()).await
    }

    /// Some properties of what a filter or a query without a select list finds.
    ///
    /// # Errors
    /// There is no such property; a query selects already; or it does not compile or run.
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
        let request = self.request().columns();
        let compile = |opened: &Opened| self.session.compile(&opened.target, search.statement()?, request);
        let sink = |_: &Opened, statement: &Compiled<'_>| Gather { table: DataTable::of(&statement.columns) };
        Ok(lease.gather(compile, sink).await?.table)
    }

    /// Some properties of what a search finds.
    pub(super) async fn properties(&self, properties: &[&str], search: Search) -> OrmResult<DataTable> {
        let query = match search {
            Search::All => from(self.name.clone()),
            Search::Expr(Expr::Logic(filter)) => from(self.name.clone()).filter(filter),
            Search::Expr(Expr::Segment(segment)) if !matches!(segment, SqlSegment::Select(_)) => segment,
            Search::Expr(_) | Search::Template(_) => {
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
