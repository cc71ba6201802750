//! Reading rows without a struct.

use compact_str::CompactString;
use isogloss_compiler::expr::{DbType, Expr, SelectItemExpr, SqlSegment, from, prop};
use isogloss_compiler::{Buffers, Request, Target};
use isogloss_driver::{Flow, Row, RowSink};

use super::Search;
use super::access::over_session;
use super::data_table::{DataColumn, DataTable};
use super::entity::model;
use crate::OrmResult;
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
    pub async fn search(&self, search: impl Into<Search> + Send) -> OrmResult<DataTable> {
        let search = search.into();
        let mut lease = self.0.lease(Purpose::Read, &self.0.args, search.expr()).await?;
        let request = Request::of(V::NAME).table_args(&self.0.args);
        let compile = |target: &Target| Ok(target.compile_with(search.statement(), &request, Buffers::default())?);
        let catalog = self.0.session.context().catalog();
        let entity = model::<V>(catalog)?;
        let types = entity.columns.iter().map(|column| (column.name.as_str().into(), column.ty));
        let foreign = entity
            .foreign_columns
            .iter()
            .filter_map(|foreign| Some((foreign.name.as_str().into(), catalog.foreign(foreign)?.ty)));
        let types: Vec<_> = types.chain(foreign).collect();
        let sink = || Gather { types: types.clone(), table: DataTable::default() };
        Ok(lease.gather(compile, sink).await?.table)
    }

    /// Some properties of what a filter or a query without a select list finds.
    ///
    /// # Errors
    /// There is no such property; a query selects already; or it does not compile or run.
    pub async fn search_properties(
        &self,
        properties: &[&str],
        search: impl Into<Search> + Send,
    ) -> OrmResult<DataTable> {
        let query = match search.into() {
            Search::All => from(V::NAME),
            Search::Expr(Expr::Logic(filter)) => from(V::NAME).filter(filter),
            Search::Expr(Expr::Segment(segment)) if !matches!(segment, SqlSegment::Select(_)) => segment,
            Search::Expr(_) | Search::Template(_) => {
                return Err(
                    FieldError::new("the query selects already: give a filter, or a query without `select`").into()
                );
            }
        };
        let items = properties.iter().map(|name| SelectItemExpr::from(prop((*name).to_owned())));
        self.search(query.select(items)).await
    }
}

/// Gathers values, of the types that the catalog knows of their names.
struct Gather {
    types: Vec<(CompactString, DbType)>,
    table: DataTable,
}

impl RowSink for Gather {
    fn row(&mut self, row: &dyn Row) -> isogloss_driver::Result<Flow> {
        if self.table.columns.is_empty() {
            for index in 0..row.len() {
                let name = CompactString::from(row.name(index).unwrap_or_default());
                let ty = self.types.iter().find(|(known, _)| known.eq_ignore_ascii_case(&name)).map(|(_, ty)| *ty);
                self.table.columns.push(DataColumn { name, ty });
            }
        }
        for (index, column) in self.table.columns.iter().enumerate() {
            self.table.values.push(row.value(index, column.ty)?);
        }
        Ok(Flow::More)
    }
}
