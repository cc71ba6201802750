//! The chain of clauses becomes a select, or a select over a derived table where the order of clauses asks for it.

use bumpalo::collections::Vec as BumpVec;

use crate::dialect::Feature;
use crate::error::{At, ErrorKind, Result};
use crate::expr::{
    DbValueType, Distinct, LockMode, LockWait, Nulls, OrderByItemExpr, SectionExpr, SelectExpr, SelectItemExpr,
    SqlSegment, UnaryOperator, Value, ValueTypeExpr,
};
use crate::frame::{Body, Item, Items, Join, Lock, Order, Pred, Query, Scalar, ScalarKind, Select, Source};
use crate::functions::Func;
use crate::legalize::{Cx, typed};
use crate::model::Property;

use super::scope::{OutCol, Scope, Src, SrcKind};
use super::source::{entity, unquoted};
use super::{Place, Resolver};

/// How far a select has come in the order of clauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    From,
    Where,
    Group,
    Having,
    Order,
    Section,
}

/// What a query is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// It is the statement.
    Root,
    /// Its columns get names.
    Table,
    /// Its rows are a member of a set, or looked up.
    Rows,
    /// Only whether it has a row matters.
    Exists,
}

/// A select that is being put together.
pub(crate) struct Building<'a, 'e> {
    pub(crate) sources: BumpVec<'a, Src<'a>>,
    pub(crate) from: Option<Source<'a, 'e>>,
    pub(crate) joins: BumpVec<'a, Join<'a, 'e>>,
    pub(crate) filters: BumpVec<'a, Pred<'a, 'e>>,
    pub(crate) group: &'a [Scalar<'a, 'e>],
    having: BumpVec<'a, Pred<'a, 'e>>,
    order: BumpVec<'a, Order<'a, 'e>>,
    limit: Option<Scalar<'a, 'e>>,
    offset: Option<Scalar<'a, 'e>>,
    lock: Option<Lock>,
    distinct: bool,
    distinct_on: &'a [Scalar<'a, 'e>],
    /// The items, once a select list has been given.
    items: Option<BumpVec<'a, NamedItem<'a, 'e>>>,
    /// Whether an item is an aggregate.
    aggregated: bool,
    /// A set operation in place of a select, with its columns.
    set: Option<(Body<'a, 'e>, &'a [OutCol<'a>])>,
    stage: Stage,
}

/// An item of a select list with the name that it has in the result.
#[derive(Clone, Copy)]
pub(crate) struct NamedItem<'a, 'e> {
    value: Scalar<'a, 'e>,
    name: Option<&'a str>,
    quoted: Option<&'a str>,
    /// Whether the text must say the name.
    renamed: bool,
}

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    pub(crate) fn building(&self, source: Option<(Src<'a>, Source<'a, 'e>)>) -> &'a mut Building<'a, 'e> {
        let mut sources = self.cx.vec(1);
        let from = source.map(|(source, from)| {
            sources.push(source);
            from
        });
        // In the arena, so that going from clause to clause moves a pointer.
        self.cx.bump.alloc(Building {
            sources,
            from,
            joins: self.cx.vec(0),
            filters: self.cx.vec(2),
            group: &[],
            having: self.cx.vec(0),
            order: self.cx.vec(0),
            limit: None,
            offset: None,
            lock: None,
            distinct: false,
            distinct_on: &[],
            items: None,
            aggregated: false,
            set: None,
            stage: Stage::From,
        })
    }

    /// Folds a chain, or starts one over the root entity.
    pub(crate) fn fold_or_root(
        &mut self,
        segment: Option<&'e SqlSegment>,
        parent: Option<&Scope<'_, 'a>>,
    ) -> Result<&'a mut Building<'a, 'e>> {
        match (segment, self.root) {
            (Some(segment), _) => self.fold(segment, parent),
            (None, Some(id)) => {
                let source = self.main_table(id, None, parent.is_some())?;
                self.start(source)
            }
            (None, None) => {
                let why = "it has no source, and the request names no root entity";
                Err(ErrorKind::Misplaced { what: "a clause".into(), why }.into())
            }
        }
    }

    /// A select over a source, with the source's fixed filter.
    fn start(&mut self, source: (Src<'a>, Source<'a, 'e>)) -> Result<&'a mut Building<'a, 'e>> {
        let building = self.building(Some(source));
        let fixed = match building.sources.first() {
            Some(main) => self.fixed(main)?,
            None => None,
        };
        building.filters.extend(fixed);
        Ok(building)
    }

    /// Folds a chain into a select.
    pub(crate) fn fold(
        &mut self,
        segment: &'e SqlSegment,
        parent: Option<&Scope<'_, 'a>>,
    ) -> Result<&'a mut Building<'a, 'e>> {
        match segment {
            SqlSegment::Table(table) => {
                let (id, found) = entity(self.cx.target, table.entity.as_str()).at("$table")?;
                self.check_root(id, &found.name)?;
                let source = self.main_table(id, Some(table), parent.is_some())?;
                self.start(source)
            }
            SqlSegment::From(from) => self.deeper("$from", |r| {
                let building = r.fold_source(&from.source, parent)?;
                for (index, join) in from.joins.iter().enumerate() {
                    r.explicit_join(building, join, parent).at_index(index).at("Joins")?;
                }
                Ok(building)
            }),
            SqlSegment::Where(node) => {
                let mut building = self.deeper("$where", |r| r.fold_or_root(node.source.as_ref(), parent))?;
                if building.stage > Stage::Where || building.is_selected() {
                    building = self.derive(building, parent)?;
                }
                let scope = Scope::of(&building.sources, parent);
                let pred = self.placed(Place::Rows, |r| r.logic(&scope, &node.filter)).at("Where")?;
                building.filters.push(pred);
                building.stage = Stage::Where;
                Ok(building)
            }
            SqlSegment::GroupBy(node) => {
                let mut building = self.deeper("$group", |r| r.fold_or_root(node.source.as_ref(), parent))?;
                if building.stage >= Stage::Group || building.is_selected() {
                    building = self.derive(building, parent)?;
                }
                let scope = Scope::of(&building.sources, parent);
                building.group = self.placed(Place::Rows, |r| r.values(&scope, &node.group_by, "GroupBys"))?;
                if let Some(at) = building.group.iter().position(|key| self.cx.is_given(key)) {
                    let why = "it groups nothing, and a number in the text would be the place of a column";
                    let error = ErrorKind::Misplaced { what: "a constant as the key of a group".into(), why };
                    return Err(error.into()).at_index(at).at("GroupBys");
                }
                building.stage = Stage::Group;
                Ok(building)
            }
            SqlSegment::Having(node) => {
                let mut building = self.deeper("$having", |r| r.fold_or_root(node.source.as_ref(), parent))?;
                if building.stage > Stage::Having || building.is_selected() {
                    building = self.derive(building, parent)?;
                }
                let scope = Scope::of(&building.sources, parent);
                let pred = self.placed(Place::Groups, |r| r.logic(&scope, &node.having)).at("Having")?;
                building.having.push(pred);
                building.stage = Stage::Having;
                Ok(building)
            }
            SqlSegment::OrderBy(node) => {
                let mut building = self.deeper("$orderby", |r| r.fold_or_root(node.source.as_ref(), parent))?;
                // The order of distinct rows or of a set is by their columns only: a key that sorts the NULLs is none.
                let nulls = node.order_by.iter().any(|key| key.nulls != Nulls::Default)
                    && (building.set.is_some() || building.distinct)
                    && !self.cx.target.has(Feature::NullsOrder);
                if building.stage > Stage::Order || nulls {
                    building = self.derive(building, parent)?;
                }
                let keys = self.orders(building, parent, &node.order_by, "OrderBys")?;
                // The outer order counts first.
                let inner = std::mem::replace(&mut building.order, keys);
                building.order.extend(inner);
                building.stage = Stage::Order;
                Ok(building)
            }
            SqlSegment::Section(node) => self.section(node, parent),
            SqlSegment::Lock(node) => {
                let building = self.deeper("$lock", |r| r.fold_or_root(node.source.as_ref(), parent))?;
                building.lock = Some(self.lock(building, node.mode, node.wait)?);
                Ok(building)
            }
            SqlSegment::Select(select) => self.deeper("$select", |r| r.select(select, parent)),
            SqlSegment::CommonTable(cte) => {
                let source = self.cte_source(cte, None)?;
                Ok(self.building(Some(source)))
            }
        }
    }

    /// The first table that is met stands at the bottom of the root query, also where derived tables or common table
    /// expressions lie between: it must be the root entity's.
    fn check_root(&mut self, id: crate::model::EntityId, name: &crate::expr::Name) -> Result<()> {
        let catalog = self.cx.target.catalog();
        if std::mem::take(&mut self.root_open)
            && let Some(root) = self.root
            && catalog.table_of(root) != catalog.table_of(id)
        {
            let what = format!("entity `{name}`");
            return Err(ErrorKind::Misplaced { what, why: "the request is for another root entity" }.into());
        }
        Ok(())
    }

    /// The first source of a FROM: a select there is a derived table.
    fn fold_source(
        &mut self,
        segment: &'e SqlSegment,
        parent: Option<&Scope<'_, 'a>>,
    ) -> Result<&'a mut Building<'a, 'e>> {
        match segment {
            SqlSegment::Table(_) | SqlSegment::From(_) | SqlSegment::CommonTable(_) => self.fold(segment, parent),
            other => {
                let source = self.derived_source(other, parent)?;
                Ok(self.building(Some(source)))
            }
        }
    }

    /// A query as a derived table.
    pub(crate) fn derived_source(
        &mut self,
        segment: &'e SqlSegment,
        parent: Option<&Scope<'_, 'a>>,
    ) -> Result<(Src<'a>, Source<'a, 'e>)> {
        let alias = match segment {
            SqlSegment::Select(select) => select.alias.as_ref(),
            _ => None,
        };
        // Its own main table is not the statement's: that one's alias is taken.
        self.cx.main_is_taken();
        let building = self.fold(segment, parent)?;
        self.derived(building, parent, alias.map(|a| a.as_str()))
    }

    fn derived(
        &mut self,
        building: &'a mut Building<'a, 'e>,
        parent: Option<&Scope<'_, 'a>>,
        alias: Option<&str>,
    ) -> Result<(Src<'a>, Source<'a, 'e>)> {
        let columns = self.columns(building)?;
        let query = self.finish(building, parent, Use::Table)?;
        let (alias, quoted) = self.table_alias(alias)?;
        let kind = SrcKind::Columns(columns);
        let source = Src { alias, quoted, kind, used: std::cell::Cell::new(0), missing: std::cell::Cell::new(false) };
        Ok((source, Source::Derived { query, alias: quoted }))
    }

    /// The select so far as a derived table, and a new select over it.
    fn derive(
        &mut self,
        building: &'a mut Building<'a, 'e>,
        parent: Option<&Scope<'_, 'a>>,
    ) -> Result<&'a mut Building<'a, 'e>> {
        let source = self.derived(building, parent, None)?;
        Ok(self.building(Some(source)))
    }

    fn section(&mut self, node: &'e SectionExpr, parent: Option<&Scope<'_, 'a>>) -> Result<&'a mut Building<'a, 'e>> {
        let mut building = self.deeper("$section", |r| r.fold_or_root(node.source.as_ref(), parent))?;
        if building.stage >= Stage::Section {
            building = self.derive(building, parent)?;
        }
        // No row is a page of nothing, wherever it begins; not every engine takes an offset with it.
        let (take, skip) = if node.take == Some(0) { (Some(0), 0) } else { (node.take, node.skip) };
        if take == Some(0) && building.set.is_some() {
            building = self.derive(building, parent)?;
        }
        if building.order.is_empty() {
            self.default_order(building)?;
        }
        if !node.after.is_empty() {
            let pred = self.after(building, node).at("After")?;
            building.filters.push(pred);
        }
        let number = |r: &mut Self, n: u64| {
            let value = i64::try_from(n).unwrap_or(i64::MAX);
            typed(r.cx.made(Value::Int(value), Some(DbValueType::Int64.into())))
        };
        if let Some(take) = take {
            building.limit = Some(number(self, take));
        }
        if skip > 0 {
            building.offset = Some(number(self, skip));
            if building.order.is_empty() && self.cx.rule_for(Feature::OffsetWithoutOrder)?.is_some() {
                let nothing = self.cx.no_order();
                building.order.push(nothing);
            }
        }
        building.stage = Stage::Section;
        Ok(building)
    }

    /// Paging without an order would be a matter of chance: by the primary key, the groups' keys, or every column.
    fn default_order(&mut self, building: &mut Building<'a, 'e>) -> Result<()> {
        let mut keys = self.cx.vec(1);
        if let Some((_, columns)) = building.set {
            for column in columns {
                keys.push(order_key(Scalar {
                    kind: ScalarKind::Column(column.quoted),
                    ty: column.ty,
                    nullable: column.nullable,
                    column: column.column,
                }));
            }
        } else if building.distinct {
            for item in building.items.iter().flatten() {
                keys.push(order_key(item.value));
            }
        } else if !building.group.is_empty() {
            keys.extend(building.group.iter().map(|key| order_key(*key)));
        } else if building.aggregated {
        } else if let Some(main) = building.sources.first() {
            match main.kind {
                SrcKind::Entity { entity, .. } => {
                    for key in &entity.keys {
                        keys.extend(self.cx.entity_column(main, Property::Column(*key), false).map(order_key));
                    }
                }
                SrcKind::Columns(columns) => {
                    for column in columns {
                        keys.extend(self.cx.column_in(main, column.name, false).map(order_key));
                    }
                }
            }
        }
        building.order = keys;
        Ok(())
    }

    /// Keyset paging: the rows behind the cursor in the order of the query.
    ///
    /// With equal directions it is a comparison of rows, else it is written out: `a > 1 OR a = 1 AND b < 2`.
    fn after(&mut self, building: &mut Building<'a, 'e>, node: &'e SectionExpr) -> Result<Pred<'a, 'e>> {
        use crate::frame::CompareOp::{Equal, Greater, Less};
        let cursor = |why: String| crate::Error::from(ErrorKind::Cursor { why });
        if building.set.is_some() || !building.group.is_empty() || building.distinct {
            return Err(cursor(
                "needs the rows of a table, not groups or a set: put the query into a derived table".into(),
            ));
        }
        if building.order.len() != node.after.len() {
            let (given, keys) = (node.after.len(), building.order.len());
            return Err(cursor(format!("has {given} values, the order has {keys} keys")));
        }
        let mut pairs = self.cx.vec(node.after.len());
        for (index, (key, value)) in building.order.iter().zip(&node.after).enumerate() {
            if key.value.nullable || value.value.is_null() {
                return Err(cursor("cannot follow a key that can be NULL: order by keys that are never NULL".into()))
                    .at_index(index);
            }
            let value = self.value_beside(value, &key.value).at_index(index)?;
            pairs.push((key.value, key.descending, value));
        }
        let one_way = pairs.iter().all(|(_, descending, _)| Some(*descending) == pairs.first().map(|p| p.1));
        if one_way && pairs.len() > 1 {
            let row = |r: &Self, side: &mut dyn Iterator<Item = Scalar<'a, 'e>>| {
                let mut items = r.cx.vec(pairs.len());
                items.extend(side);
                Scalar { kind: ScalarKind::Row(items.into_bump_slice()), ty: None, nullable: false, column: None }
            };
            let left = row(self, &mut pairs.iter().map(|p| p.0));
            let right = row(self, &mut pairs.iter().map(|p| p.2));
            let op = if pairs.first().is_some_and(|p| p.1) { Less } else { Greater };
            return self.cx.compare(left, op, right);
        }
        let mut pred = Pred::Const(false);
        for (key, descending, value) in pairs.iter().rev() {
            let ahead = self.cx.compare(*key, if *descending { Less } else { Greater }, *value)?;
            pred = match pred {
                Pred::Const(false) => ahead,
                rest => {
                    let same = self.cx.compare(*key, Equal, *value)?;
                    let tail = self.cx.all(&[same, rest]);
                    self.cx.any(&[ahead, tail])
                }
            };
        }
        Ok(pred)
    }

    fn lock(&mut self, building: &Building<'a, 'e>, mode: LockMode, wait: LockWait) -> Result<Lock> {
        let table = matches!(building.sources.first().map(|s| &s.kind), Some(SrcKind::Entity { .. }));
        if !table || building.set.is_some() || building.distinct || !building.group.is_empty() || building.aggregated {
            let why = "it needs the rows of a table, not groups, a set or a derived table";
            return Err(ErrorKind::Misplaced { what: "a row lock".into(), why }.into());
        }
        self.cx.lock(mode, wait)
    }

    pub(crate) fn select(
        &mut self,
        node: &'e SelectExpr,
        parent: Option<&Scope<'_, 'a>>,
    ) -> Result<&'a mut Building<'a, 'e>> {
        let root_open = self.root_open;
        let mut building = self.one_select(node, parent)?;
        for (index, next) in node.next_selects.iter().enumerate() {
            let (left, columns) = self.set_member(building, parent)?;
            self.ctes.anchor(self.cx, columns);
            // Every member of the root's set operation is over the root entity.
            self.root_open = root_open;
            let right = self.deeper("Next", |r| r.select(&next.select, parent).at_index(index))?;
            let (right, others) = self.set_member(right, parent)?;
            if columns.len() != others.len() {
                let why = "both sides need the same number of columns";
                return Err(ErrorKind::Misplaced { what: "a set operation".into(), why }.into());
            }
            let body = self.cx.set_operation(next.set_type, left, right)?;
            building = self.building(None);
            building.set = Some((body, columns));
            building.stage = Stage::Having;
        }
        Ok(building)
    }

    fn set_member(
        &mut self,
        building: &'a mut Building<'a, 'e>,
        parent: Option<&Scope<'_, 'a>>,
    ) -> Result<(&'a Query<'a, 'e>, &'a [OutCol<'a>])> {
        let columns = self.columns(building)?;
        // A member that may become a derived table names its columns.
        let rows = if self.cx.target.has(Feature::SetMemberParentheses) { Use::Rows } else { Use::Table };
        let query = self.finish(building, parent, rows)?;
        Ok((query, columns))
    }

    fn one_select(&mut self, node: &'e SelectExpr, parent: Option<&Scope<'_, 'a>>) -> Result<&'a mut Building<'a, 'e>> {
        let mut building = match (&node.source, self.root) {
            // SELECT without a source: one row.
            (None, None) => self.building(None),
            (source, _) => self.fold_or_root(source.as_ref(), parent)?,
        };
        if building.is_selected() {
            building = self.derive(building, parent)?;
        }
        if node.selects.is_empty() && node.distinct == Distinct::No {
            return Ok(building);
        }
        let mut items = self.cx.vec(node.selects.len());
        let mut aggregated = false;
        let mut distinct = node.distinct == Distinct::Rows;
        for (index, item) in node.selects.iter().enumerate() {
            let mut value = &item.value;
            if index == 0
                && let ValueTypeExpr::Unary(unary) = value
                && unary.operator == UnaryOperator::Distinct
            {
                distinct = true;
                value = &unary.operand;
            }
            let scope = Scope::of(&building.sources, parent);
            let item = self.placed(Place::Result, |r| r.item(&scope, value, item)).at_index(index).at("Selects")?;
            // Behind the item, whose depth has been checked by now.
            aggregated |= has_aggregate(value);
            items.push(item);
        }
        // A page's rows are aggregated or made distinct after it is cut.
        if building.stage == Stage::Section && (aggregated || distinct) {
            building = self.derive(building, parent)?;
            items.clear();
            for (index, item) in node.selects.iter().enumerate() {
                let value = match &item.value {
                    ValueTypeExpr::Unary(u) if u.operator == UnaryOperator::Distinct => &u.operand,
                    other => other,
                };
                let scope = Scope::of(&building.sources, parent);
                let item = self.placed(Place::Result, |r| r.item(&scope, value, item)).at_index(index).at("Selects")?;
                items.push(item);
            }
        }
        if aggregated && building.group.is_empty() {
            // One row has no order.
            building.order.clear();
        }
        if let Distinct::On(keys) = &node.distinct {
            let scope = Scope::of(&building.sources, parent);
            building.distinct_on = self.placed(Place::Result, |r| r.values(&scope, keys, "Distinct"))?;
        }
        building.distinct = distinct;
        building.aggregated = aggregated;
        if !node.selects.is_empty() {
            building.items = Some(items);
        }
        Ok(building)
    }

    /// An item of a select list.
    pub(crate) fn item(
        &mut self,
        scope: &Scope<'_, 'a>,
        value: &'e ValueTypeExpr,
        item: &'e SelectItemExpr,
    ) -> Result<NamedItem<'a, 'e>> {
        let scalar = self.value(scope, value).at("Value")?;
        if let Some(alias) = &item.alias {
            let quoted = self.cx.alias(alias.as_str())?;
            let name = unquoted(quoted);
            let renamed = !matches!(value, ValueTypeExpr::Property(_))
                || scalar.column.is_none_or(|c| c.column.as_str() != alias.as_str());
            return Ok(NamedItem { value: scalar, name: Some(name), quoted: Some(quoted), renamed });
        }
        if let ValueTypeExpr::Property(property) = value {
            let name = property.name.as_str();
            let (name, renamed) = match scalar.column {
                Some(column) if column.name.as_str() == name => (column.name.as_str(), column.column.as_str() != name),
                Some(column) => (self.cx.str(name), column.column.as_str() != name),
                None => (self.cx.str(name), false),
            };
            return Ok(NamedItem { value: scalar, name: Some(name), quoted: None, renamed });
        }
        Ok(NamedItem { value: scalar, name: None, quoted: None, renamed: false })
    }

    /// The quoted name of an item.
    fn quoted_name(&self, item: &NamedItem<'a, 'e>) -> Option<&'a str> {
        item.quoted.or_else(|| item.name.map(|name| self.cx.quoted(&[name])))
    }

    /// An item of a RETURNING list.
    pub(crate) fn returned(&self, item: &NamedItem<'a, 'e>) -> Item<'a, 'e> {
        Item { value: item.value, alias: if item.renamed { self.quoted_name(item) } else { None } }
    }

    /// The keys of an order. After a select list, a name means an item of it first.
    fn orders(
        &mut self,
        building: &Building<'a, 'e>,
        parent: Option<&Scope<'_, 'a>>,
        items: &'e [OrderByItemExpr],
        step: &'static str,
    ) -> Result<BumpVec<'a, Order<'a, 'e>>> {
        let mut keys = self.cx.vec(items.len());
        for (index, item) in items.iter().enumerate() {
            let value = match self.output(building, &item.field) {
                Some(value) => value,
                None if building.set.is_some() => {
                    let why = "it names no column of the set operation";
                    return Err(ErrorKind::Misplaced { what: "an order".into(), why }.into()).at_index(index).at(step);
                }
                None => self
                    .placed(Place::Result, |r| r.value(&Scope::of(&building.sources, parent), &item.field))
                    .at("Field")
                    .at_index(index)
                    .at(step)?,
            };
            self.cx.order(&mut keys, value, !item.ascending, item.nulls)?;
        }
        Ok(keys)
    }

    /// The item of the select list that a name means.
    fn output(&self, building: &Building<'a, 'e>, field: &ValueTypeExpr) -> Option<Scalar<'a, 'e>> {
        let ValueTypeExpr::Property(property) = field else { return None };
        if property.alias.is_some() {
            return None;
        }
        let name = property.name.as_str();
        if let Some((_, columns)) = building.set {
            let column = super::scope::find_column(columns, name)?;
            let OutCol { ty, nullable, column: origin, quoted, .. } = *column;
            return Some(Scalar { kind: ScalarKind::Column(quoted), ty, nullable, column: origin });
        }
        let items = building.items.as_ref()?;
        let item = items.iter().find(|i| i.name.is_some_and(|n| n.eq_ignore_ascii_case(name)))?;
        if item.renamed {
            return Some(Scalar { kind: ScalarKind::Column(self.quoted_name(item)?), ..item.value });
        }
        Some(item.value)
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
                let Scalar { ty, nullable, column, .. } = item.value;
                columns.push(OutCol { name, quoted, ty, nullable, column });
            }
        } else if !building.group.is_empty() {
            for (index, key) in building.group.iter().enumerate() {
                let (name, quoted) = match key.column {
                    Some(column) => (column.name.as_str(), self.cx.quoted(&[column.name.as_str()])),
                    None => self.unnamed(index),
                };
                columns.push(OutCol { name, quoted, ty: key.ty, nullable: key.nullable, column: key.column });
            }
        } else {
            for source in &building.sources {
                self.source_columns(source, &mut columns);
            }
        }
        Ok(columns.into_bump_slice())
    }

    /// The name that an item without one gets in a derived table.
    fn unnamed(&self, index: usize) -> (&'a str, &'a str) {
        let name = self.cx.str(&format!("C{index}"));
        (name, self.cx.quoted(&[name]))
    }

    fn source_columns(&self, source: &Src<'a>, columns: &mut BumpVec<'a, OutCol<'a>>) {
        match source.kind {
            SrcKind::Columns(all) => columns.extend(all.iter().copied()),
            SrcKind::Entity { entity, .. } => {
                for column in entity.columns.iter().filter(|c| c.is_readable() && c.computed.is_none()) {
                    let name = column.name.as_str();
                    let quoted = self.cx.quoted(&[name]);
                    let (ty, nullable) = (Some(column.ty), column.nullable);
                    columns.push(OutCol { name, quoted, ty, nullable, column: Some(column) });
                }
                for foreign in &entity.foreign_columns {
                    let column = self.cx.target.catalog().foreign(foreign);
                    let name = foreign.name.as_str();
                    let quoted = self.cx.quoted(&[name]);
                    columns.push(OutCol { name, quoted, ty: column.map(|c| c.ty), nullable: true, column });
                }
            }
        }
    }

    /// The items of every column of the sources.
    fn all_items(&self, building: &Building<'a, 'e>) -> BumpVec<'a, NamedItem<'a, 'e>> {
        let mut items = self.cx.vec(8);
        for source in &building.sources {
            let mut columns = self.cx.vec(8);
            self.source_columns(source, &mut columns);
            for column in columns {
                if let Some(value) = self.cx.column_in(source, column.name, false) {
                    let renamed = column.column.is_some_and(|c| c.column.as_str() != column.name)
                        && matches!(source.kind, SrcKind::Entity { .. });
                    items.push(NamedItem { value, name: Some(column.name), quoted: Some(column.quoted), renamed });
                }
            }
        }
        items
    }

    /// Puts the query together.
    pub(crate) fn finish(
        &mut self,
        b: &'a mut Building<'a, 'e>,
        parent: Option<&Scope<'_, 'a>>,
        usage: Use,
    ) -> Result<&'a Query<'a, 'e>> {
        let _ = parent;
        let paged = b.limit.is_some() || b.offset.is_some();
        if usage != Use::Root && !paged && b.distinct_on.is_empty() {
            // The order of a subquery's rows means nothing.
            b.order.clear();
        }
        let mut order: &'a [Order<'a, 'e>] = unique_keys(std::mem::replace(&mut b.order, self.cx.vec(0)));
        let Building { limit, offset, lock, .. } = *b;
        if let Some((body, _)) = b.set {
            return Ok(self.cx.node(Query { ctes: &[], body, order, limit, offset, lock }));
        }
        if b.distinct {
            selected(b, order)?;
        }
        let items = self.items(b, usage)?;
        let mut joins = self.cx.vec(b.joins.len() + 1);
        for (index, source) in b.sources.iter().enumerate() {
            if index > 0
                && let Some(join) = b.joins.get(index - 1)
            {
                joins.push(*join);
            }
            self.view_joins(source, &mut joins)?;
        }
        let filter = match self.cx.all(&b.filters) {
            Pred::Const(true) => None,
            pred => Some(pred),
        };
        let having = match self.cx.all(&b.having) {
            Pred::Const(true) => None,
            pred => Some(pred),
        };
        let mut select = Select {
            distinct: b.distinct,
            distinct_on: b.distinct_on,
            items,
            from: b.from,
            joins: joins.into_bump_slice(),
            filter,
            group: b.group,
            having,
        };
        order = self.cx.group_parameters(&mut select, order)?;
        if !b.distinct_on.is_empty() {
            let names = self.columns(b)?;
            let all = match &b.items {
                Some(items) => items.clone(),
                None => self.all_items(b),
            };
            let mut named = self.cx.vec(all.len());
            named.extend(all.iter().zip(names).map(|(item, column)| (item.value, column.quoted)));
            (select, order) = self.cx.distinct_on(select, &named, order)?;
            if usage != Use::Root && !paged && select.distinct_on.is_empty() {
                order = &[];
            }
        }
        let simple = b.group.is_empty() && !b.aggregated && !b.distinct && order.is_empty() && !paged;
        let key = |cx: &Cx<'a, 'e>| match b.sources.first() {
            Some(main @ Src { kind: SrcKind::Entity { entity, .. }, .. }) => {
                cx.entity_column(main, Property::Column(*entity.keys.first()?), false)
            }
            _ => None,
        };
        let body = self.cx.full_join(select, key, simple)?;
        let mut query = Query { ctes: &[], body, order, limit, offset, lock };
        if query.lock.is_some() {
            let mut keys = Vec::new();
            if let Some(main) = b.sources.first()
                && let SrcKind::Entity { entity, .. } = main.kind
            {
                let key = |k: &usize| self.cx.entity_column(main, Property::Column(*k), false);
                keys.extend(entity.keys.iter().filter_map(key));
            }
            query = self.cx.lock_with_limit(query, &keys)?;
        }
        Ok(self.cx.node(query))
    }

    fn items(&mut self, b: &mut Building<'a, 'e>, usage: Use) -> Result<Items<'a, 'e>> {
        if usage == Use::Exists && !b.distinct && b.group.is_empty() && !b.aggregated {
            return Ok(Items::One);
        }
        if b.items.is_none() && b.group.is_empty() {
            match (b.sources.first(), b.sources.len()) {
                (Some(main), 1) => match main.kind {
                    SrcKind::Entity { id, entity, style: super::scope::Style::Main, .. }
                        if b.distinct_on.is_empty() =>
                    {
                        let _ = entity;
                        let whole = self.whole(id)?;
                        main.used.set(main.used.get() | whole.items_use);
                        return Ok(Items::Text(&whole.items));
                    }
                    SrcKind::Columns(_) => return Ok(Items::Text("*")),
                    SrcKind::Entity { .. } => {}
                },
                (None, _) => {
                    return Err(ErrorKind::Misplaced {
                        what: "a select".into(),
                        why: "it has neither items nor a source",
                    }
                    .into());
                }
                _ => {}
            }
        }
        let items = match b.items.take() {
            Some(items) => items,
            None if b.group.is_empty() => self.all_items(b),
            None => {
                let mut items = self.cx.vec(b.group.len());
                for key in b.group {
                    let name = key.column.map(|c| c.name.as_str());
                    let quoted = name.map(|n| self.cx.quoted(&[n]));
                    let renamed = key.column.is_some_and(|c| c.column.as_str() != c.name.as_str());
                    items.push(NamedItem { value: *key, name, quoted, renamed });
                }
                items
            }
        };
        let mut list = self.cx.vec(items.len());
        for (index, item) in items.iter().enumerate() {
            let alias = match item.name {
                Some(_) if item.renamed => self.quoted_name(item),
                None if usage == Use::Table => Some(self.unnamed(index).1),
                _ => None,
            };
            list.push(Item { value: item.value, alias });
        }
        b.items = Some(items);
        Ok(Items::List(list.into_bump_slice()))
    }

    /// How many rows a query has, without its order and paging.
    pub(crate) fn count(&mut self, mut b: &'a mut Building<'a, 'e>) -> Result<&'a Query<'a, 'e>> {
        b.order.clear();
        b.limit = None;
        b.offset = None;
        b.lock = None;
        let ty = Some(DbValueType::Int64.into());
        let count = self.cx.call(Func::Count, &[], ty)?;
        let item = NamedItem { value: count, name: None, quoted: None, renamed: false };
        let plain = b.set.is_none() && b.group.is_empty() && !b.distinct && !b.aggregated && b.distinct_on.is_empty();
        if !plain {
            if b.set.is_none() && !b.distinct && b.distinct_on.is_empty() && !b.group.is_empty() {
                // Only the groups count, not what is selected of them.
                let one = NamedItem { value: self.cx.int(1), name: None, quoted: None, renamed: false };
                b.items = Some(bumpalo::vec![in self.cx.bump; one]);
            }
            b = self.derive(b, None)?;
        }
        b.items = Some(bumpalo::vec![in self.cx.bump; item]);
        b.aggregated = true;
        self.finish(b, None, Use::Root)
    }

    /// One row if the query has any.
    pub(crate) fn exists_row(&mut self, mut b: &'a mut Building<'a, 'e>) -> Result<&'a Query<'a, 'e>> {
        let plain = b.set.is_none() && b.limit.is_none() && b.offset.is_none();
        if !plain {
            b = self.derive(b, None)?;
        }
        b.order.clear();
        b.lock = None;
        b.limit = Some(self.cx.int(1));
        if b.group.is_empty() && !b.aggregated && b.distinct_on.is_empty() {
            b.distinct = false;
            let one = NamedItem { value: self.cx.int(1), name: None, quoted: None, renamed: false };
            b.items = Some(bumpalo::vec![in self.cx.bump; one]);
        }
        self.finish(b, None, Use::Root)
    }
}

impl<'a, 'e> Building<'a, 'e> {
    /// Selects these values.
    pub(crate) fn select_values(&mut self, values: BumpVec<'a, Scalar<'a, 'e>>) {
        let mut items = BumpVec::with_capacity_in(values.len(), values.bump());
        items.extend(values.iter().map(|v| NamedItem { value: *v, name: None, quoted: None, renamed: false }));
        self.items = Some(items);
    }
}

impl Building<'_, '_> {
    /// Whether it has a select list, so that a clause before it in SQL's order is over its result.
    pub(crate) fn is_selected(&self) -> bool {
        self.items.is_some() || self.set.is_some() || self.distinct || !self.distinct_on.is_empty()
    }
}

/// The keys without those whose column is a key already: they order nothing, and not every engine takes them.
fn unique_keys<'a, 'e>(keys: BumpVec<'a, Order<'a, 'e>>) -> &'a [Order<'a, 'e>] {
    let column = |key: &Order<'a, 'e>| match key.value.kind {
        ScalarKind::Column(text) => Some(text),
        _ => None,
    };
    let keys = keys.into_bump_slice_mut();
    let mut kept = 0;
    for index in 0..keys.len() {
        let (before, rest) = keys.split_at_mut(index);
        let Some(key) = rest.first().copied() else { break };
        let known = column(&key).is_some_and(|text| before.iter().take(kept).any(|k| column(k) == Some(text)));
        if !known && let Some(slot) = keys.get_mut(kept) {
            *slot = key;
            kept += 1;
        }
    }
    keys.get(..kept).unwrap_or_default()
}

fn order_key<'a, 'e>(value: Scalar<'a, 'e>) -> Order<'a, 'e> {
    let _ = Nulls::Default;
    Order { value, descending: false, nulls_first: None }
}

/// Distinct rows have an order by what is selected of them only.
fn selected(b: &Building<'_, '_>, order: &[Order<'_, '_>]) -> Result<()> {
    let Some(items) = &b.items else { return Ok(()) };
    let is = |item: &NamedItem<'_, '_>, key: &Scalar<'_, '_>| match (item.value.kind, key.kind) {
        (ScalarKind::Column(a), ScalarKind::Column(b)) => a == b || item.quoted == Some(b),
        (_, ScalarKind::Column(b)) => item.quoted == Some(b),
        // Rare enough to compare by what they print.
        (a, b) => format!("{a:?}") == format!("{b:?}"),
    };
    if order.iter().all(|key| items.iter().any(|item| is(item, &key.value))) {
        return Ok(());
    }
    let why = "distinct rows have only what is selected: select the key as well, or group the rows instead";
    Err(ErrorKind::Misplaced { what: "an order of distinct rows by something else".into(), why }.into())
}

/// Whether an aggregate stands in a value, outside of windows and subqueries.
fn has_aggregate(value: &ValueTypeExpr) -> bool {
    match value {
        ValueTypeExpr::Function(f) => {
            f.is_aggregate || is_aggregate(f.name.as_str(), f.args.len()) || f.args.iter().any(has_aggregate)
        }
        ValueTypeExpr::Unary(u) => has_aggregate(&u.operand),
        ValueTypeExpr::Binary(b) => has_aggregate(&b.left) || has_aggregate(&b.right),
        ValueTypeExpr::Set(s) => s.items.iter().any(has_aggregate),
        ValueTypeExpr::Case(c) => {
            c.cases.iter().any(|(_, v)| has_aggregate(v)) || c.otherwise.as_ref().is_some_and(has_aggregate)
        }
        ValueTypeExpr::Cast(c) => has_aggregate(&c.value),
        _ => false,
    }
}

/// Whether a function of that name is an aggregate without being marked as one.
fn is_aggregate(name: &str, args: usize) -> bool {
    // `Max` and `Min` of several arguments are the greatest and the least of them.
    Func::from_name(name).is_some_and(|func| {
        func.signature().class == crate::functions::Class::Aggregate
            && (args < 2 || !matches!(func, Func::Max | Func::Min))
    })
}
