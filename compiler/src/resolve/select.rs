//! Select lists: their items, the names that these get, and what an order may say of them.

use bumpalo::collections::Vec as BumpVec;

use crate::error::{At, ErrorKind, Result};
use crate::expr::{
    DbValueType, Distinct, Name, OrderByItemExpr, SelectExpr, SelectItemExpr, SqlSegment, UnaryOperator, ValueTypeExpr,
};
use crate::frame::{Item, Order, Scalar, ScalarKind};
use crate::legalize::listed::{Names, twin};
use crate::legalize::{exact, group, json, query};
use crate::names;

use super::chain::{Building, NamedItem, Stage, Ties};
use super::label::List;
use super::scope::{NameScope, OutCol, Src, SrcKind};
use super::source::unquoted;
use super::{Matters, Place, Resolver, scope};

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    pub(super) fn one_select(
        &mut self,
        node: &'e SelectExpr,
        parent: Option<&NameScope<'_, 'a>>,
    ) -> Result<&'a mut Building<'a, 'e>> {
        let matters = self.matters_below(node);
        let mut building = match (&node.source, self.root) {
            // SELECT without a source: one row.
            (None, None) => self.building(None),
            (source, _) => self.mattering(matters, |r| r.fold_or_root(source.as_ref(), parent)).at("$select")?,
        };
        let page = building.stage == Stage::Section;
        if building.is_selected() {
            building = self.derive(building)?;
        }
        if node.selects.is_empty() && node.distinct == Distinct::No {
            return Ok(building);
        }
        let first = distinct_item(node);
        let distinct = first.is_some() || node.distinct == Distinct::Rows;
        let value_of = |index: usize, item: &'e SelectItemExpr| first.filter(|_| index == 0).unwrap_or(&item.value);
        // A page's rows are aggregated or made distinct after it is cut; those of a page of groups are the groups', as
        // they are without the page. What is resolved twice would take twice as
        // long for each level of such pages, so this is asked of the tree.
        if building.stage == Stage::Section {
            if building.group.is_empty() && node.selects.iter().any(|item| self.contents(&item.value).aggregate) {
                building = self.derive_rows(building)?;
            } else if distinct {
                building = self.derive(building)?;
            }
        }
        let mut items = self.cx.vec(node.selects.len());
        let mut aggregated = false;
        let needed = self.only_shown(building);
        for (index, item) in node.selects.iter().enumerate() {
            let value = value_of(index, item);
            let scope = NameScope::of(&building.sources, parent);
            let mut named =
                self.placed(Place::Result, |r| r.item(&scope, value, item)).at_index(index).at("Selects")?;
            let contents = self.contents(value);
            named.place = contents.place();
            aggregated |= contents.aggregate;
            items.push(named);
        }
        building.needed_again(&needed, |shown| &mut shown.items);
        // HAVING makes one group of all rows as an aggregate does.
        let is_constant = |item: &NamedItem<'a, 'e>| query::is_constant(self.cx, &item.value);
        let is_one_group = building.group.is_empty() && !building.having.is_empty();
        aggregated |= is_one_group && !items.is_empty() && items.iter().all(is_constant);
        if aggregated && building.group.is_empty() {
            // One row has no order.
            building.aggregated = building.order_place == Place::Groups;
            self.forget_order(building)?;
        }
        if let Distinct::On(keys) = &node.distinct {
            let scope = NameScope::of(&building.sources, parent);
            building.distinct_on = self.placed(Place::Groups, |r| r.values(&scope, keys, "Distinct"))?;
            json::no_json(self.cx, "DISTINCT ON", building.distinct_on)?;
            if building.group.is_empty() && keys.iter().any(|key| self.contents(key).aggregate) {
                let why = "there are no groups here: group the rows first";
                return Err(ErrorKind::Misplaced { what: "an aggregate in DISTINCT ON".into(), why }.into());
            }
            if building.distinct_on.iter().any(|key| query::is_constant(self.cx, key)) {
                let why = "it tells no rows apart: leave it out, or take the first row by a limit";
                return Err(ErrorKind::Misplaced { what: "a constant in DISTINCT ON".into(), why }.into());
            }
            if building.distinct_on.iter().any(|key| matches!(key.kind, ScalarKind::Query(_))) {
                let why = "select it in a derived table, and name its column";
                return Err(ErrorKind::Misplaced { what: "a subquery as a key of DISTINCT ON".into(), why }.into());
            }
        }
        building.distinct = distinct;
        building.aggregated = aggregated;
        if !node.selects.is_empty() {
            building.items = Some(items);
        }
        if distinct {
            self.distinct_order(building);
        }
        if distinct && page && !self.selects(building, &building.order) {
            // The order has cut the page. Distinct rows do not have it unless its keys are selected.
            building.order.clear();
            building.carried = 0;
            building.appended = 0;
            building.ties = Ties::Allowed;
        }
        Ok(building)
    }

    /// What matters of the query that a select list is over.
    fn matters_below(&self, node: &SelectExpr) -> Matters {
        let aggregate = |item: &SelectItemExpr| self.contents(&item.value).aggregate;
        match &node.distinct {
            // Its order says which row of those with equal keys is taken.
            Distinct::On(_) if self.context().matters != Matters::Count => Matters::Order,
            Distinct::On(_) => Matters::Rows,
            Distinct::Rows => self.context().matters.rows(),
            Distinct::No if distinct_item(node).is_some() => self.context().matters.rows(),
            // One row has no order, groups do.
            Distinct::No if self.context().matters == Matters::Rows => Matters::Rows,
            Distinct::No if node.selects.iter().any(aggregate) && !ends_in_groups(node.source.as_ref()) => {
                Matters::Rows
            }
            Distinct::No => self.context().matters,
        }
    }

    /// An item of a select list.
    pub(crate) fn item(
        &mut self,
        scope: &NameScope<'_, 'a>,
        value: &'e ValueTypeExpr,
        item: &'e SelectItemExpr,
    ) -> Result<NamedItem<'a, 'e>> {
        let scalar = self.value(scope, value).at("Value")?;
        if let Some(alias) = &item.alias {
            let quoted = self.cx.alias(alias.as_str())?;
            let name = unquoted(quoted);
            let renamed = !matches!(value, ValueTypeExpr::Property(_))
                || scalar.column.is_none_or(|c| c.column.as_str() != alias.as_str());
            return Ok(NamedItem { name: Some(name), quoted: Some(quoted), renamed, ..NamedItem::of(scalar) });
        }
        if let ValueTypeExpr::Property(property) = value {
            let name = property.name.as_str();
            let (name, renamed) = match scalar.column {
                Some(column) if column.name.as_str() == name => (column.name.as_str(), column.column.as_str() != name),
                Some(column) => (self.cx.str(name), column.column.as_str() != name),
                None => (self.cx.str(name), false),
            };
            return Ok(NamedItem { name: Some(name), renamed, ..NamedItem::of(scalar) });
        }
        Ok(NamedItem::of(scalar))
    }

    /// The quoted name of an item.
    pub(super) fn quoted_name(&self, item: &NamedItem<'a, 'e>) -> Option<&'a str> {
        item.quoted.or_else(|| item.name.map(|name| self.cx.quoted(&[name])))
    }

    /// An item of a RETURNING list.
    pub(crate) fn returned(&self, item: &NamedItem<'a, 'e>) -> Item<'a, 'e> {
        Item { value: item.value, alias: if item.renamed { self.quoted_name(item) } else { None } }
    }

    /// The keys of an order, and where they may stand. After a select list, a name means an item of it first.
    pub(super) fn orders(
        &mut self,
        building: &Building<'a, 'e>,
        parent: Option<&NameScope<'_, 'a>>,
        nodes: &'e [OrderByItemExpr],
        step: &'static str,
    ) -> Result<(BumpVec<'a, Order<'a, 'e>>, Place)> {
        let items = building.items.as_deref().unwrap_or_default();
        let names = Names::of(items.iter().map(|item| item.name));
        // The keys that are no names of the list by themselves look into it.
        let inside =
            building.items.is_some() && nodes.iter().any(|key| !matches!(key.field, ValueTypeExpr::Property(_)));
        let outer = self.lists.len();
        if inside {
            self.lists.push(List {
                items: self.cx.slice(items),
                names: Names::of(items.iter().map(|item| item.name)),
                used: Place::Rows,
            });
        }
        let keys = self.keys(building, parent, (nodes, step), &names);
        self.lists.truncate(outer);
        keys
    }

    fn keys(
        &mut self,
        building: &Building<'a, 'e>,
        parent: Option<&NameScope<'_, 'a>>,
        (nodes, step): (&'e [OrderByItemExpr], &'static str),
        names: &Names<'a>,
    ) -> Result<(BumpVec<'a, Order<'a, 'e>>, Place)> {
        let mut keys = self.cx.vec(nodes.len());
        let mut place = Place::Rows;
        let twins = names.twin().is_some();
        for (index, node) in nodes.iter().enumerate() {
            if twins {
                self.one_of_that_name(building, &node.field).at("Field").at_index(index).at(step)?;
            }
            let value = match self.output(building, parent, names, &node.field).at("Field").at_index(index).at(step)? {
                Some((value, of)) => {
                    place = place.max(of);
                    value
                }
                None if building.set.is_some() => {
                    let why = "it names no column of the set operation";
                    return Err(ErrorKind::Misplaced { what: "an order".into(), why }.into()).at_index(index).at(step);
                }
                None => {
                    let (value, of) = self.key(building, parent, &node.field).at("Field").at_index(index).at(step)?;
                    place = place.max(of);
                    value
                }
            };
            query::order(self.cx, &mut keys, value, !node.ascending, node.nulls)?;
        }
        Ok((keys, place))
    }

    /// Refuses the name of two items that differ: engines take one of them, or none.
    fn one_of_that_name(&self, building: &Building<'a, 'e>, field: &ValueTypeExpr) -> Result<()> {
        let (ValueTypeExpr::Property(property), Some(items)) = (field, &building.items) else { return Ok(()) };
        let name = property.name.as_str();
        let mut found = items.iter().filter(|item| item.name.is_some_and(|own| own.eq_ignore_ascii_case(name)));
        if property.alias.is_none()
            && let Some(first) = found.next()
            && found.any(|item| !group::same(self.cx, &item.value, &first.value))
        {
            let why = "two items of the select have it: give one another alias, or order by its value".to_owned();
            return Err(ErrorKind::BadName { name: name.to_owned(), why }.into());
        }
        Ok(())
    }

    /// A key that is no name of the select list by itself. Inside of it, a name means an item of the list first, and
    /// a column of the tables below only then.
    fn key(
        &mut self,
        building: &Building<'a, 'e>,
        parent: Option<&NameScope<'_, 'a>>,
        field: &'e ValueTypeExpr,
    ) -> Result<(Scalar<'a, 'e>, Place)> {
        let mut scope = NameScope::of(&building.sources, parent);
        let list = (building.items.is_some() && !matches!(field, ValueTypeExpr::Property(_)))
            .then(|| self.lists.len().checked_sub(1))
            .flatten();
        scope.list = list;
        let value = self.placed(Place::Result, |r| r.value(&scope, field))?;
        let used =
            list.and_then(|list| self.lists.get_mut(list)).map(|list| std::mem::replace(&mut list.used, Place::Rows));
        Ok((value, used.unwrap_or(Place::Rows).max(self.contents(field).place())))
    }

    /// The item of the select list that a name means, and where it may stand.
    fn output(
        &self,
        building: &Building<'a, 'e>,
        parent: Option<&NameScope<'_, 'a>>,
        names: &Names<'a>,
        field: &ValueTypeExpr,
    ) -> Result<Option<(Scalar<'a, 'e>, Place)>> {
        let ValueTypeExpr::Property(property) = field else { return Ok(None) };
        let is_of_select = |alias: &Name| building.alias.is_some_and(|own| names::same(own, alias.as_str()));
        if property.alias.as_deref().is_some_and(|alias| !is_of_select(alias)) {
            return Ok(None);
        }
        let name = property.name.as_str();
        if let Some((_, columns)) = building.set {
            let column = scope::find_column(self.cx, columns, name);
            return Ok(column.map(|column| (column.by_name(self.cx), Place::Rows)));
        }
        let item = building.items.as_ref().zip(names.find(name)).and_then(|(items, place)| items.get(place));
        let Some(item) = item else { return Ok(None) };
        if property.alias.is_none() {
            scope::of_item(self.cx, &NameScope::of(&building.sources, parent), property, &item.value)?;
        }
        Ok(Some((item.value, item.place)))
    }

    /// Whether an order is one of a select as a table: the select has an alias, by which the keys name its columns, and they
    /// are no plain names of its items.
    pub(super) fn is_over_table(&self, building: &Building<'a, 'e>, keys: &[OrderByItemExpr]) -> bool {
        let Some(alias) = building.alias.filter(|_| building.is_selected()) else { return false };
        let has = |name: &str| match (&building.items, building.set) {
            (_, Some((_, columns))) => scope::find_column(self.cx, columns, name).is_some(),
            (Some(items), None) => items.iter().any(|item| item.name.is_some_and(|own| names::same(own, name))),
            (None, None) => false,
        };
        let is_item = |key: &OrderByItemExpr| match &key.field {
            ValueTypeExpr::Property(property) => {
                let is_of_select = |of: &Name| names::same(alias, of.as_str());
                property.alias.as_deref().is_none_or(is_of_select) && has(property.name.as_str())
            }
            _ => false,
        };
        !keys.iter().all(is_item)
    }

    /// The columns of a select's result.
    pub(crate) fn columns(&mut self, building: &Building<'a, 'e>) -> Result<&'a [OutCol<'a>]> {
        if let Some((_, columns)) = building.set {
            return Ok(columns);
        }
        let mut columns = self.cx.vec(8);
        if let Some(items) = &building.items {
            for (index, item) in items.iter().enumerate() {
                let (name, quoted) = match (item.name, item.quoted) {
                    (Some(name), Some(quoted)) => (name, quoted),
                    (Some(name), None) => (name, self.cx.quoted(&[name])),
                    _ => self.unnamed(index),
                };
                columns.push(self.out_column(name, quoted, &item.value));
            }
        } else if !building.group.is_empty() {
            for (index, key) in building.group.iter().enumerate() {
                let (name, quoted) = match key.column {
                    Some(column) => (column.name.as_str(), self.cx.quoted(&[column.name.as_str()])),
                    None => self.unnamed(index),
                };
                columns.push(self.out_column(name, quoted, key));
            }
        } else {
            for source in &building.sources {
                self.source_columns(source, &mut columns);
            }
        }
        Ok(columns.into_bump_slice())
    }

    /// The column that a value becomes.
    fn out_column(&self, name: &'a str, quoted: &'a str, value: &Scalar<'a, 'e>) -> OutCol<'a> {
        let Scalar { ty, nullable, column, .. } = *value;
        OutCol { name, quoted, ty, nullable, column, text: exact::given_text(self.cx, value) }
    }

    /// The columns of what becomes a table.
    pub(super) fn table_columns(&mut self, building: &mut Building<'a, 'e>) -> Result<&'a [OutCol<'a>]> {
        let columns = self.typed_columns(building)?;
        self.no_twins(building, columns)?;
        Ok(columns)
    }

    /// The columns of a subquery. One of NULL without a type is text there, as an engine takes it for that.
    pub(super) fn typed_columns(&mut self, building: &mut Building<'a, 'e>) -> Result<&'a [OutCol<'a>]> {
        let columns = self.columns(building)?;
        if columns.iter().all(|column| column.ty.is_some()) {
            return Ok(columns);
        }
        let mut typed = self.cx.vec(columns.len());
        typed.extend(columns.iter().enumerate().map(|(index, column)| {
            let item = building.items.as_ref().and_then(|items| items.get(index));
            let null = column.ty.is_none() && item.is_some_and(|item| self.cx.is_null(&item.value));
            OutCol { ty: if null { Some(DbValueType::String.into()) } else { column.ty }, ..*column }
        }));
        Ok(typed.into_bump_slice())
    }

    /// Refuses two columns of one name in what becomes a table: no engine tells which of them is meant, and some take
    /// no such table at all.
    pub(super) fn no_twins(&self, building: &Building<'a, 'e>, columns: &[OutCol<'a>]) -> Result<()> {
        // The columns of an entity have been checked.
        if building.items.is_none() && building.sources.len() < 2 && building.group.is_empty() && building.set.is_none()
        {
            return Ok(());
        }
        match twin(columns.iter().map(|column| column.name)) {
            None => Ok(()),
            Some(name) => {
                let why = "two columns of a derived table have it: select what is needed, and give one an alias".into();
                Err(ErrorKind::BadName { name: name.to_owned(), why }.into())
            }
        }
    }

    /// The name that an item without one gets in a derived table.
    pub(super) fn unnamed(&self, index: usize) -> (&'a str, &'a str) {
        let name = self.cx.str(&format!("C{index}"));
        (name, self.cx.quoted(&[name]))
    }

    pub(super) fn source_columns(&self, source: &Src<'a>, columns: &mut BumpVec<'a, OutCol<'a>>) {
        match source.kind {
            SrcKind::Columns(all) => columns.extend(all.iter().copied()),
            SrcKind::Entity { entity, .. } => {
                for column in entity.columns.iter().filter(|column| column.is_readable()) {
                    let name = column.name.as_str();
                    let quoted = self.cx.quoted(&[name]);
                    let (ty, nullable) = (Some(column.ty), column.nullable);
                    columns.push(OutCol { name, quoted, ty, nullable, column: Some(column), text: None });
                }
                for foreign in &entity.foreign_columns {
                    let column = self.cx.target.catalog().foreign(foreign);
                    let name = foreign.name.as_str();
                    let quoted = self.cx.quoted(&[name]);
                    columns.push(OutCol { name, quoted, ty: column.map(|c| c.ty), nullable: true, column, text: None });
                }
            }
        }
    }

    /// The items of every column of the sources.
    pub(super) fn all_items(&self, building: &Building<'a, 'e>) -> BumpVec<'a, NamedItem<'a, 'e>> {
        let mut items = self.cx.vec(8);
        for source in &building.sources {
            let mut columns = self.cx.vec(8);
            self.source_columns(source, &mut columns);
            for column in columns {
                let value = match source.kind {
                    SrcKind::Columns(_) => Some(scope::held(self.cx, source, &column)),
                    SrcKind::Entity { .. } => scope::column_in(self.cx, source, column.name, false),
                };
                if let Some(value) = value {
                    let renamed = column.column.is_some_and(|c| c.column.as_str() != column.name)
                        && matches!(source.kind, SrcKind::Entity { .. });
                    let (name, quoted) = (Some(column.name), Some(column.quoted));
                    items.push(NamedItem { name, quoted, renamed, ..NamedItem::of(value) });
                }
            }
        }
        items
    }
}

/// The first item without the `DISTINCT` that may stand before it.
fn distinct_item(node: &SelectExpr) -> Option<&ValueTypeExpr> {
    match &node.selects.first()?.value {
        ValueTypeExpr::Unary(unary) if unary.operator == UnaryOperator::Distinct => Some(&unary.operand),
        _ => None,
    }
}

/// Whether a select over a chain of clauses may be one of groups.
fn ends_in_groups(mut segment: Option<&SqlSegment>) -> bool {
    loop {
        segment = match segment {
            Some(SqlSegment::GroupBy(_)) => return true,
            Some(SqlSegment::Where(node)) => node.source.as_ref(),
            Some(SqlSegment::Having(node)) => node.source.as_ref(),
            Some(SqlSegment::OrderBy(node)) => node.source.as_ref(),
            Some(SqlSegment::Section(node)) => node.source.as_ref(),
            Some(SqlSegment::Lock(node)) => node.source.as_ref(),
            Some(SqlSegment::Select(node)) if node.selects.is_empty() => node.source.as_ref(),
            _ => return false,
        };
    }
}
