//! Reading rows without a struct.

use compact_str::CompactString;
use isogloss_compiler::expr::{DbType, Expr, SelectItemExpr, SqlSegment, ValueTypeExpr, from, prop};
use isogloss_compiler::model::{Catalog, Entity as Model};
use isogloss_compiler::{Buffers, Request};
use isogloss_driver::{Flow, Row, RowSink};

use super::access::over_session;
use super::data_table::{DataColumn, DataTable};
use super::entity::model;
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
        let search = search.into_search();
        let mut lease = self.0.lease(Purpose::Read, &self.0.args, search.expr()).await?;
        let request = Request::of(V::NAME).table_args(&self.0.args);
        let compile =
            |opened: &Opened| Ok(opened.target.compile_with(search.statement()?, &request, Buffers::default())?);
        let catalog = self.0.session.context().catalog();
        let entity = model::<V>(catalog)?;
        let types = entity.columns.iter().map(|column| (column.name.as_str().into(), column.ty));
        let foreign = entity
            .foreign_columns
            .iter()
            .filter_map(|foreign| Some((foreign.name.as_str().into(), catalog.foreign(foreign)?.ty)));
        let types: Vec<_> = types.chain(foreign).collect();
        let sink = |_: &Opened| Gather { types: types.clone(), table: DataTable::default() };
        let mut gathered = lease.gather(compile, sink).await?;
        if gathered.table.is_empty() {
            gathered.name(&listed(&search, entity, catalog).unwrap_or_default());
        }
        Ok(gathered.table)
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
        let query = match search.into_search() {
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

/// The names of what a search selects, where they can be told without a row: not of a template, and not where an item is
/// computed and has no alias.
fn listed<'s>(search: &'s Search, root: &'s Model, catalog: &'s Catalog) -> Option<Vec<&'s str>> {
    let mut segment = match search {
        Search::All | Search::Expr(Expr::Logic(_)) => None,
        Search::Expr(Expr::Segment(segment)) => Some(segment),
        Search::Expr(_) | Search::Template(_) => return None,
    };
    while let Some(of) = segment {
        segment = match of {
            SqlSegment::Table(table) => return Some(whole(catalog.entity(table.entity.as_str())?.1)),
            SqlSegment::From(node) if node.joins.is_empty() => Some(&node.source),
            SqlSegment::Where(node) => node.source.as_ref(),
            SqlSegment::OrderBy(node) => node.source.as_ref(),
            SqlSegment::Section(node) => node.source.as_ref(),
            SqlSegment::Lock(node) => node.source.as_ref(),
            SqlSegment::Select(node) if node.selects.is_empty() => node.source.as_ref(),
            SqlSegment::Select(node) => return node.selects.iter().map(item_name).collect(),
            _ => return None,
        };
    }
    Some(whole(root))
}

fn item_name(item: &SelectItemExpr) -> Option<&str> {
    match (&item.alias, &item.value) {
        (Some(alias), _) => Some(alias.as_str()),
        (None, ValueTypeExpr::Property(property)) => Some(property.name.as_str()),
        _ => None,
    }
}

/// What a select without a list gives.
fn whole(entity: &Model) -> Vec<&str> {
    let columns = entity.columns.iter().filter(|column| column.is_readable() && column.computed.is_none());
    let foreign = entity.foreign_columns.iter().map(|foreign| foreign.name.as_str());
    columns.map(|column| column.name.as_str()).chain(foreign).collect()
}

/// Gathers values, of the types that the catalog knows of their names.
struct Gather {
    types: Vec<(CompactString, DbType)>,
    table: DataTable,
}

impl Gather {
    fn name(&mut self, names: &[&str]) {
        for name in names {
            let ty = self.types.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, ty)| *ty);
            self.table.columns.push(DataColumn { name: CompactString::from(*name), ty });
        }
    }
}

impl RowSink for Gather {
    fn row(&mut self, row: &dyn Row) -> isogloss_driver::Result<Flow> {
        if self.table.columns.is_empty() {
            let names: Vec<&str> = (0..row.len()).map(|index| row.name(index).unwrap_or_default()).collect();
            self.name(&names);
        }
        for (index, column) in self.table.columns.iter().enumerate() {
            self.table.values.push(row.value(index, column.ty)?);
        }
        Ok(Flow::More)
    }
}
