//! Select lists, set operations and common tables.

use std::rc::Rc;

use isogloss_compiler::expr::{
    CommonTableExpr, Distinct, LogicExpr, SelectExpr, SelectSetType, SqlSegment, UnaryOperator, Value, ValueTypeExpr,
};
use isogloss_compiler::functions::{Class, Func};

use super::logic::same_rows;
use super::query::{Item, Query};
use super::scope::{Env, Field, Kind, Source};
use super::{Common, Evaluator, Result, fault, unsupported, value};

impl Evaluator<'_> {
    pub(super) fn select<'e>(&self, node: &'e SelectExpr, parent: Option<&Env<'_>>) -> Result<Query<'e>> {
        let mut query = self.one_select(node, parent)?;
        for next in &node.next_selects {
            let right = self.select(&next.select, parent)?;
            query = self.set(query, right, next.set_type)?;
        }
        Ok(query)
    }

    fn one_select<'e>(&self, node: &'e SelectExpr, parent: Option<&Env<'_>>) -> Result<Query<'e>> {
        let mut query = match (&node.source, self.request.root) {
            (None, None) => {
                let one = || Item { rows: vec![Vec::new()], ..Item::default() };
                Query { items: if self.columns_only.get() { vec![] } else { vec![one()] }, ..Query::default() }
            }
            (source, _) => self.chain(source.as_ref(), parent)?,
        };
        if query.list.is_some() {
            query = query.derived(self)?;
        }
        if node.selects.is_empty() && node.distinct == Distinct::No {
            return Ok(query);
        }
        let unary = |node: &'e ValueTypeExpr| match node {
            ValueTypeExpr::Unary(unary) if unary.operator == UnaryOperator::Distinct => Some(&unary.operand),
            _ => None,
        };
        let first = node.selects.first().and_then(|item| unary(&item.value));
        let distinct = first.is_some() || node.distinct == Distinct::Rows;
        if matches!(node.distinct, Distinct::On(_)) {
            return unsupported("DISTINCT ON");
        }
        if query.paged && query.group.is_some() && distinct {
            // The rows of a page are made distinct; aggregates beside its keys are those of its groups.
            query = query.derived(self)?;
        }
        let value_of = |index: usize, value: &'e ValueTypeExpr| first.filter(|_| index == 0).unwrap_or(value);
        if node.selects.iter().enumerate().any(|(index, item)| has_aggregate(value_of(index, &item.value))) {
            self.one_group(&mut query);
        }
        if node.selects.is_empty() {
            let (order, keys) = (query.order, query.group);
            let (fields, items) = query.shown(self)?;
            query = Query { list: Some(fields), items, order, group: keys, ..Query::default() };
        } else {
            let mut fields = Vec::new();
            let env = Env { grouped: query.group.is_some(), ..Env::of(&query.sources, &[], parent) };
            for (index, item) in node.selects.iter().enumerate() {
                let value = value_of(index, &item.value);
                let mut field = match value {
                    ValueTypeExpr::Property(property) => {
                        Field { name: property.name.as_str().to_owned(), ..env.find(property)?.field.clone() }
                    }
                    other => Field::new("", self.kind(&env, other)?),
                };
                if let Some(alias) = &item.alias {
                    field.name = alias.as_str().to_owned();
                }
                field.listed = true;
                fields.push(field);
            }
            let mut outputs = Vec::new();
            for at in 0..query.items.len() {
                let env = query.env(at, parent);
                let items = node.selects.iter().enumerate();
                let output = items.map(|(index, item)| self.value(&env, value_of(index, &item.value)));
                outputs.push(output.collect::<Result<Vec<_>>>()?);
            }
            for (item, output) in query.items.iter_mut().zip(outputs) {
                item.output = output;
            }
            query.list = Some(fields);
        }
        if distinct {
            query.items = distinct_items(std::mem::take(&mut query.items))?;
            // Whether the keys of the order are selected, and it is still known then, is not looked at.
            let ordered = query.order.is_some();
            query.forget_order();
            query.order = ordered.then_some(false);
            query.alone = true;
        }
        Ok(query)
    }

    /// Two results as one.
    fn set<'e>(&self, left: Query<'e>, right: Query<'e>, set_type: SelectSetType) -> Result<Query<'e>> {
        let (mut fields, left) = left.table(self)?;
        let (others, right) = right.table(self)?;
        if fields.len() != others.len() {
            return fault("members of a set with different numbers of columns");
        }
        for (field, other) in fields.iter_mut().zip(&others) {
            field.kind = Kind::widest(field.kind, other.kind);
        }
        let wide = |rows: Vec<Vec<Value>>| -> Result<Vec<Item>> {
            let row = |row: Vec<Value>| {
                let values = row.into_iter().zip(&fields).map(|(value, field)| value::widen(value, field.kind));
                Ok(Item { output: values.collect::<Result<_>>()?, ..Item::default() })
            };
            rows.into_iter().map(row).collect()
        };
        let (mut items, others) = (wide(left)?, wide(right)?);
        match set_type {
            SelectSetType::UnionAll => items.extend(others),
            SelectSetType::Union => {
                items.extend(others);
                items = distinct_items(items)?;
            }
            SelectSetType::Intersect | SelectSetType::Except => {
                let wanted = set_type == SelectSetType::Intersect;
                let mut kept = Vec::new();
                for item in distinct_items(items)? {
                    let mut there = false;
                    for other in &others {
                        there |= same_rows(&item.output, &other.output)?;
                    }
                    if there == wanted {
                        kept.push(item);
                    }
                }
                items = kept;
            }
            _ => return unsupported("that set operation"),
        }
        Ok(Query { items, list: Some(fields), alone: true, ..Query::default() })
    }

    /// A common table, made where it is defined, and found again by its name.
    pub(super) fn common_table<'e>(&self, node: &'e CommonTableExpr, parent: Option<&Env<'_>>) -> Result<Query<'e>> {
        let name = node.alias.as_str();
        if let Some(select) = &node.source {
            let recursive = select.next_selects.iter().any(|next| refers(&next.select, name));
            if recursive {
                // The rounds have no order among them.
                let (fields, rows) = self.rounds(select, name, parent)?;
                self.define(name, fields, without_keys(rows), None);
            } else {
                let query = self.select(select, parent)?;
                let order = query.order;
                let (fields, items) = query.shown(self)?;
                self.define(name, fields, items.into_iter().map(|item| (item.output, item.keys)).collect(), order);
            }
        }
        let common = self.common.borrow().get(&name.to_ascii_lowercase()).cloned();
        let Some(common) = common else { return unsupported("a common table that is defined further on") };
        let row = |(row, keys): &(Rc<[Value]>, Vec<Value>)| Item {
            rows: vec![vec![Rc::clone(row)]],
            keys: keys.clone(),
            ..Item::default()
        };
        let items = common.rows.iter().map(row).collect();
        Ok(Query { sources: vec![common.source.clone()], items, order: common.order, ..Query::default() })
    }

    /// Keeps a common table; its rows are in the order of the keys beside them.
    fn define(&self, name: &str, mut fields: Vec<Field>, rows: Vec<(Vec<Value>, Vec<Value>)>, order: Option<bool>) {
        for (index, field) in fields.iter_mut().enumerate() {
            field.listed = true;
            if field.name.is_empty() {
                field.name = format!("C{index}");
            }
        }
        let source = Source { alias: name.to_owned(), fields, ..Source::default() };
        let rows = rows.into_iter().map(|(row, keys)| (row.into(), keys)).collect();
        self.common.borrow_mut().insert(name.to_ascii_lowercase(), Rc::new(Common { source, rows, order }));
    }

    /// The rows of a recursive query: each round is over those of the round before, until one gives nothing new.
    fn rounds(
        &self,
        select: &SelectExpr,
        name: &str,
        parent: Option<&Env<'_>>,
    ) -> Result<(Vec<Field>, Vec<Vec<Value>>)> {
        const MOST: usize = 1_000;
        let (fields, mut all) = self.one_select(select, parent)?.table(self)?;
        let mut last = all.clone();
        for _ in 0..MOST {
            if last.is_empty() {
                return Ok((fields, all));
            }
            self.define(name, fields.clone(), without_keys(std::mem::take(&mut last)), None);
            for next in &select.next_selects {
                let (_, rows) = self.select(&next.select, parent)?.table(self)?;
                for row in rows {
                    let mut there = false;
                    for other in &all {
                        there |= same_rows(other, &row)?;
                    }
                    match next.set_type {
                        SelectSetType::UnionAll => last.push(row.clone()),
                        SelectSetType::Union if !there => last.push(row.clone()),
                        SelectSetType::Union => continue,
                        _ => return unsupported("a recursion by that set operation"),
                    }
                    all.push(row);
                }
            }
        }
        unsupported("a recursion of more than 1,000 rounds")
    }
}

fn without_keys(rows: Vec<Vec<Value>>) -> Vec<(Vec<Value>, Vec<Value>)> {
    rows.into_iter().map(|row| (row, Vec::new())).collect()
}

/// Whether a select list gives a row for each row.
pub(crate) fn is_plain(node: &SelectExpr) -> bool {
    let distinct =
        |node: &ValueTypeExpr| matches!(node, ValueTypeExpr::Unary(unary) if unary.operator == UnaryOperator::Distinct);
    node.next_selects.is_empty()
        && node.distinct == Distinct::No
        && !node.selects.iter().any(|item| distinct(&item.value) || has_aggregate(&item.value))
}

/// Whether a chain reads a common table of that name.
fn refers(select: &SelectExpr, name: &str) -> bool {
    fn of(segment: &SqlSegment, name: &str) -> bool {
        let source = match segment {
            SqlSegment::CommonTable(node) => return node.source.is_none() && *node.alias.as_str() == *name,
            SqlSegment::From(node) => {
                return of(&node.source, name) || node.joins.iter().any(|join| of(&join.source, name));
            }
            SqlSegment::Select(node) => return refers(node, name),
            SqlSegment::Where(node) => node.source.as_ref(),
            SqlSegment::GroupBy(node) => node.source.as_ref(),
            SqlSegment::Having(node) => node.source.as_ref(),
            SqlSegment::OrderBy(node) => node.source.as_ref(),
            SqlSegment::Section(node) => node.source.as_ref(),
            _ => None,
        };
        source.is_some_and(|source| of(source, name))
    }
    select.source.as_ref().is_some_and(|source| of(source, name))
}

fn distinct_items(items: Vec<Item>) -> Result<Vec<Item>> {
    let mut kept: Vec<Item> = Vec::new();
    for item in items {
        let mut twice = false;
        for other in &kept {
            twice |= same_rows(&other.output, &item.output)?;
        }
        if !twice {
            kept.push(item);
        }
    }
    Ok(kept)
}

/// Whether a value is, or has in it, an aggregate of this query: not over a window, not in a subquery.
fn has_aggregate(node: &ValueTypeExpr) -> bool {
    let logic = |logic: &LogicExpr| logic_has_aggregate(logic);
    match node {
        ValueTypeExpr::Unary(node) => has_aggregate(&node.operand),
        ValueTypeExpr::Binary(node) => has_aggregate(&node.left) || has_aggregate(&node.right),
        ValueTypeExpr::Function(node) => {
            let greatest = !node.is_aggregate && node.args.len() > 1;
            let is_one = match Func::from_name(node.name.as_str()) {
                Some(Func::Max | Func::Min) if greatest => false,
                func => func.is_some_and(|func| func.signature().class == Class::Aggregate),
            };
            is_one || node.args.iter().any(has_aggregate)
        }
        ValueTypeExpr::Set(node) => node.items.iter().any(has_aggregate),
        ValueTypeExpr::Case(node) => {
            let mut cases = node.cases.iter();
            cases.any(|(condition, value)| logic(condition) || has_aggregate(value))
                || node.otherwise.as_ref().is_some_and(has_aggregate)
        }
        ValueTypeExpr::Cast(node) => has_aggregate(&node.value),
        ValueTypeExpr::Window(node) => {
            node.function.args.iter().any(has_aggregate)
                || node.partition_by.iter().any(has_aggregate)
                || node.order_by.iter().any(|key| has_aggregate(&key.field))
        }
        ValueTypeExpr::Truth(node) => logic(node),
        _ => false,
    }
}

fn logic_has_aggregate(node: &LogicExpr) -> bool {
    match node {
        LogicExpr::Binary(node) => has_aggregate(&node.left) || has_aggregate(&node.right),
        LogicExpr::And(node) => node.items.iter().any(logic_has_aggregate),
        LogicExpr::Or(node) => node.items.iter().any(logic_has_aggregate),
        LogicExpr::Not(node) => logic_has_aggregate(&node.operand),
        LogicExpr::IsTrue(value) => has_aggregate(value),
        _ => false,
    }
}
