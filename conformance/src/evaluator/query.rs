//! Queries: each clause of the chain is over what the clauses before it gave.
//!
//! A filter or a select list over an order keeps it; groups, distinct rows, sets and joins forget it. A page without an
//! order is one by the primary key, of groups by their keys, of distinct rows and of sets by every column.

use std::cmp::Ordering;

use isogloss_compiler::expr::{LogicExpr, Nulls, OrderByItemExpr, SectionExpr, SqlSegment, Value, ValueTypeExpr};

use super::logic::{compare, same_rows};
use super::scope::{Env, Field, Source, Tuple};
use super::{Evaluator, Result, fault, unsupported};
use crate::data::Answer;

/// A row of a query on its way, or a group.
#[derive(Debug, Clone, Default)]
pub(crate) struct Item {
    /// The row, or the rows of the group.
    pub(crate) rows: Vec<Tuple>,
    /// What the select list makes of it.
    pub(crate) output: Vec<Value>,
    /// The keys of the order, those that count most first.
    pub(super) keys: Vec<Value>,
}

/// A query on its way.
#[derive(Debug, Default)]
pub(crate) struct Query<'e> {
    pub(crate) sources: Vec<Source>,
    pub(crate) items: Vec<Item>,
    /// The keys of its groups, once it is grouped: none for one group of all rows.
    pub(super) group: Option<&'e [ValueTypeExpr]>,
    /// The columns of its select list, once it has one.
    pub(super) list: Option<Vec<Field>>,
    /// How many keys the order has, and whether it says where every NULL goes.
    pub(super) order: Option<bool>,
    pub(super) paged: bool,
    /// Whether the rows are those of the list alone: distinct ones, or a set's.
    pub(super) alone: bool,
    pub(super) alias: String,
}

impl<'e> Query<'e> {
    pub(super) fn env<'a>(&'a self, at: usize, parent: Option<&'a Env<'a>>) -> Env<'a> {
        let rows = self.items.get(at).map_or(&[][..], |item| &item.rows);
        let grouped = self.group.is_some();
        Env { grouped, peers: Some((&self.items, at)), ..Env::of(&self.sources, rows, parent) }
    }

    /// Whether its rows come in a known order. Rows that are equal in its keys may do so in any.
    fn is_ordered(&self) -> Result<bool> {
        if self.order != Some(true) {
            return Ok(self.items.len() < 2);
        }
        for at in 1..self.items.len() {
            if !self.is_cut(at)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the order tells which row is the last before a place.
    fn is_cut(&self, at: usize) -> Result<bool> {
        match (at.checked_sub(1).and_then(|before| self.items.get(before)), self.items.get(at)) {
            (Some(a), Some(b)) => {
                Ok(!same_rows(&a.keys, &b.keys)? || self.list.is_some() && same_json_rows(&a.output, &b.output))
            }
            _ => Ok(true),
        }
    }

    /// The columns and the rows, as those of a table.
    pub(crate) fn table(self, evaluator: &Evaluator<'_>) -> Result<(Vec<Field>, Vec<Vec<Value>>)> {
        let (fields, items) = self.shown(evaluator)?;
        Ok((fields, items.into_iter().map(|item| item.output).collect()))
    }

    /// The answer, as the root query's.
    pub(crate) fn answer(self, evaluator: &Evaluator<'_>) -> Result<Answer> {
        let mut query = self;
        let (order, paged) = (query.order, query.paged);
        let (fields, items) = std::mem::take(&mut query).shown(evaluator)?;
        let shown = Query { items, order, paged, list: Some(fields), ..Query::default() };
        let ordered = shown.is_ordered()?;
        Ok(Answer {
            columns: shown.list.iter().flatten().map(|field| field.name.clone()).collect(),
            rows: shown.items.into_iter().map(|item| item.output).collect(),
            ordered,
        })
    }

    /// With every column where there is no select list.
    pub(super) fn shown(mut self, evaluator: &Evaluator<'_>) -> Result<(Vec<Field>, Vec<Item>)> {
        if let Some(fields) = self.list.take() {
            return Ok((fields, self.items));
        }
        if let Some(keys) = self.group {
            let mut fields = Vec::new();
            for key in keys {
                let env = Env::of(&self.sources, &[], None);
                let found = match key {
                    ValueTypeExpr::Property(property) => env.find(property)?.field.clone(),
                    _ => Field::new("", evaluator.kind(&env, key)?),
                };
                fields.push(found);
            }
            for at in 0..self.items.len() {
                let env = self.env(at, None);
                let output = keys.iter().map(|key| evaluator.value(&env, key)).collect::<Result<_>>()?;
                if let Some(item) = self.items.get_mut(at) {
                    item.output = output;
                }
            }
            return Ok((fields, self.items));
        }
        let listed = |source: &Source| -> Vec<(usize, Field)> {
            source.fields.iter().cloned().enumerate().filter(|(_, field)| field.listed).collect()
        };
        let places: Vec<Vec<(usize, Field)>> = self.sources.iter().map(listed).collect();
        for source in &self.sources {
            let Some((id, _)) = &source.entity else { continue };
            let is_unknown = |name: &str| source.field(name).is_some_and(|(_, field)| field.listed && !field.known);
            let mut columns = evaluator.catalog.get(*id).columns.iter();
            if let Some(column) = columns.find(|column| column.computed.is_some() && is_unknown(column.name.as_str())) {
                return unsupported(format!("the computed column `{}`", column.name));
            }
        }
        for item in &mut self.items {
            let Some(row) = item.rows.first() else { continue };
            let values = places
                .iter()
                .zip(row)
                .flat_map(|(places, row)| places.iter().map(|(at, _)| row.get(*at).cloned().unwrap_or_default()));
            item.output = values.collect();
        }
        Ok((places.into_iter().flatten().map(|(_, field)| field).collect(), self.items))
    }

    /// The result so far as the rows of one table, in their order.
    pub(super) fn derived(self, evaluator: &Evaluator<'_>) -> Result<Query<'e>> {
        let (alias, order) = (self.alias.clone(), self.order);
        let (mut fields, items) = self.shown(evaluator)?;
        for (index, field) in fields.iter_mut().enumerate() {
            field.listed = true;
            if field.name.is_empty() {
                field.name = format!("C{index}");
            }
        }
        let source = Source { alias, fields, ..Source::default() };
        let row = |item: Item| Item { rows: vec![vec![item.output.into()]], keys: item.keys, output: Vec::new() };
        Ok(Query { sources: vec![source], items: items.into_iter().map(row).collect(), order, ..Query::default() })
    }

    pub(super) fn forget_order(&mut self) {
        // What a page has left is known, whatever order it came in.
        self.order = None;
        self.paged = false;
        for item in &mut self.items {
            item.keys.clear();
        }
    }
}

/// Whether two rows look the same. Documents, which have no comparison, do if their texts are.
fn same_json_rows(a: &[Value], b: &[Value]) -> bool {
    a == b
}

/// Sorts by keys; whether these say where every NULL goes.
pub(crate) fn sort<T>(items: &mut [T], order: &[OrderByItemExpr], keys: impl Fn(&T) -> &Vec<Value>) -> Result<bool> {
    let mut failed = None;
    items.sort_by(|a, b| {
        let mut pairs = keys(a).iter().zip(keys(b)).zip(order);
        let order = pairs.try_fold(Ordering::Equal, |found, ((a, b), key)| match found {
            Ordering::Equal => in_order(a, b, key),
            found => Ok(found),
        });
        order.unwrap_or_else(|error| {
            failed = Some(error);
            Ordering::Equal
        })
    });
    if let Some(error) = failed {
        return Err(error);
    }
    let undecided = |(index, key): (usize, &OrderByItemExpr)| {
        let nulls = items.iter().filter(|item| keys(item).get(index).is_none_or(Value::is_null)).count();
        key.nulls == Nulls::Default && nulls > 0 && nulls < items.len()
    };
    Ok(!order.iter().enumerate().any(undecided))
}

fn in_order(a: &Value, b: &Value, key: &OrderByItemExpr) -> Result<Ordering> {
    let first = if key.nulls == Nulls::First { Ordering::Less } else { Ordering::Greater };
    Ok(match (a.is_null(), b.is_null()) {
        (true, true) => Ordering::Equal,
        (true, false) => first,
        (false, true) => first.reverse(),
        (false, false) => {
            let order = compare(a, b)?.unwrap_or(Ordering::Equal);
            if key.ascending { order } else { order.reverse() }
        }
    })
}

impl Evaluator<'_> {
    /// The columns of a query, without its rows.
    pub(crate) fn columns(&self, segment: &SqlSegment, parent: Option<&Env<'_>>) -> Result<Vec<Field>> {
        let outer = self.columns_only.replace(true);
        let found = self.chain(Some(segment), parent).and_then(|query| query.table(self));
        self.columns_only.set(outer);
        found.map(|(fields, _)| fields)
    }

    /// The rows of a chain of clauses.
    pub(crate) fn chain<'e>(&self, segment: Option<&'e SqlSegment>, parent: Option<&Env<'_>>) -> Result<Query<'e>> {
        let Some(segment) = segment else {
            return match self.request.root {
                Some(root) => self.table(root, None),
                None => fault("a clause without a source"),
            };
        };
        match segment {
            SqlSegment::Table(table) if !table.table_args.is_empty() => unsupported("a sharded table"),
            SqlSegment::Table(table) => self.table(table.entity.as_str(), table.alias.as_ref().map(|a| a.as_str())),
            SqlSegment::From(node) => self.from(node, parent),
            SqlSegment::Where(node) => {
                let mut query = self.chain(node.source.as_ref(), parent)?;
                if query.group.is_some() || query.list.is_some() || query.paged {
                    query = query.derived(self)?;
                }
                self.filter(&mut query, &node.filter, parent)?;
                Ok(query)
            }
            SqlSegment::GroupBy(node) => {
                let mut query = self.chain(node.source.as_ref(), parent)?;
                if query.group.is_some() || query.list.is_some() {
                    query = query.derived(self)?;
                }
                query.forget_order();
                self.group(&mut query, &node.group_by, parent)?;
                Ok(query)
            }
            SqlSegment::Having(node) => {
                let mut query = self.chain(node.source.as_ref(), parent)?;
                if query.list.is_some() || query.paged {
                    query = query.derived(self)?;
                }
                self.one_group(&mut query);
                self.filter(&mut query, &node.having, parent)?;
                Ok(query)
            }
            SqlSegment::OrderBy(node) => {
                let mut query = self.chain(node.source.as_ref(), parent)?;
                // A select with an alias is a table, whose columns the keys name.
                if query.paged || query.list.is_some() && !query.alias.is_empty() {
                    query = query.derived(self)?;
                }
                self.order(&mut query, &node.order_by, parent)?;
                Ok(query)
            }
            SqlSegment::Section(node) => self.section(node, parent),
            SqlSegment::Lock(node) => self.chain(node.source.as_ref(), parent),
            SqlSegment::Select(node) => {
                let mut query = self.select(node, parent)?;
                if let Some(alias) = &node.alias {
                    query.alias = alias.as_str().to_owned();
                    // Without a list it is the source that gets the name.
                    if let (None, [source]) = (&query.list, query.sources.as_mut_slice()) {
                        source.alias.clone_from(&query.alias);
                    }
                }
                Ok(query)
            }
            SqlSegment::CommonTable(node) => self.common_table(node, parent),
            _ => unsupported("that clause"),
        }
    }

    /// Keeps the rows, or groups, for which the condition is true.
    pub(crate) fn filter(&self, query: &mut Query<'_>, filter: &LogicExpr, parent: Option<&Env<'_>>) -> Result<()> {
        let mut kept = Vec::new();
        for at in 0..query.items.len() {
            kept.push(self.logic(&query.env(at, parent), filter)? == Some(true));
        }
        let mut kept = kept.into_iter();
        query.items.retain(|_| kept.next().unwrap_or(false));
        Ok(())
    }

    pub(super) fn group<'e>(
        &self,
        query: &mut Query<'e>,
        keys: &'e [ValueTypeExpr],
        parent: Option<&Env<'_>>,
    ) -> Result<()> {
        let mut groups: Vec<(Vec<Value>, Item)> = Vec::new();
        for at in 0..query.items.len() {
            let env = query.env(at, parent);
            let values: Vec<Value> = keys.iter().map(|key| self.value(&env, key)).collect::<Result<_>>()?;
            let Some(row) = env.rows.first().cloned() else { continue };
            let mut found = None;
            for (index, (other, _)) in groups.iter().enumerate() {
                if same_rows(other, &values)? {
                    found = Some(index);
                }
            }
            match found.and_then(|index| groups.get_mut(index)) {
                Some((_, group)) => group.rows.push(row),
                None => groups.push((values, Item { rows: vec![row], ..Item::default() })),
            }
        }
        query.items = groups.into_iter().map(|(_, item)| item).collect();
        query.group = Some(keys);
        Ok(())
    }

    /// All rows as one group, where aggregates are asked for without a key.
    pub(super) fn one_group(&self, query: &mut Query<'_>) {
        if query.group.is_none() {
            let rows = std::mem::take(&mut query.items).into_iter().flat_map(|item| item.rows).collect();
            query.items = if self.columns_only.get() { vec![] } else { vec![Item { rows, ..Item::default() }] };
            query.group = Some(&[]);
            query.order = None;
            query.paged = false;
        }
    }

    pub(super) fn order(
        &self,
        query: &mut Query<'_>,
        order: &[OrderByItemExpr],
        parent: Option<&Env<'_>>,
    ) -> Result<()> {
        let mut keys = Vec::new();
        for at in 0..query.items.len() {
            let output = query.items.get(at).map_or(&[][..], |item| &item.output);
            let list = query.list.as_deref().map(|fields| (fields, output));
            let env = if query.alone { Env::of(&[], &[], parent) } else { query.env(at, parent) };
            let env = Env { list, ..env };
            keys.push(order.iter().map(|key| self.value(&env, &key.field)).collect::<Result<Vec<_>>>()?);
        }
        let mut items: Vec<(Vec<Value>, Item)> = keys.into_iter().zip(std::mem::take(&mut query.items)).collect();
        let determined = sort(&mut items, order, |item| &item.0)?;
        let with_keys = |(mut keys, mut item): (Vec<Value>, Item)| {
            keys.append(&mut item.keys);
            item.keys = keys;
            item
        };
        query.items = items.into_iter().map(with_keys).collect();
        query.order = Some(determined && query.order.unwrap_or(true));
        Ok(())
    }

    pub(super) fn section<'e>(&self, node: &'e SectionExpr, parent: Option<&Env<'_>>) -> Result<Query<'e>> {
        if !node.after.is_empty() {
            return unsupported("keyset paging");
        }
        let mut query = self.chain(node.source.as_ref(), parent)?;
        if query.order.is_none() {
            self.default_order(&mut query, parent)?;
        }
        let count = query.items.len();
        let from = usize::try_from(node.skip).unwrap_or(usize::MAX).min(count);
        let take = node.take.map_or(usize::MAX, |take| usize::try_from(take).unwrap_or(usize::MAX));
        let to = from.saturating_add(take).min(count);
        if from < to || node.take != Some(0) {
            let cuts = (from > 0 && from < count) || (to > 0 && to < count);
            if cuts && (query.order != Some(true) || !query.is_cut(from)? || !query.is_cut(to)?) {
                return unsupported("a page that cuts through rows that are equal in its order");
            }
        }
        query.items.truncate(to);
        query.items.drain(..from);
        query.paged = true;
        Ok(query)
    }

    pub(super) fn default_order(&self, query: &mut Query<'_>, parent: Option<&Env<'_>>) -> Result<()> {
        let ascending = |field: ValueTypeExpr| OrderByItemExpr { field, ascending: true, nulls: Nulls::Default };
        let by_name = |name: &str| ascending(isogloss_compiler::expr::prop(name.to_owned()).into());
        let keys: Vec<OrderByItemExpr> = if query.alone {
            query.list.iter().flatten().map(|field| by_name(&field.name)).collect()
        } else if let Some(group) = query.group {
            group.iter().map(|key| ascending(key.clone())).collect()
        } else if let Some((id, _)) = query.sources.first().and_then(|main| main.entity.clone()) {
            self.catalog.get(id).key_columns().map(|key| by_name(key.name.as_str())).collect()
        } else {
            return if query.items.len() < 2 {
                Ok(())
            } else {
                unsupported("a page of a derived table without an order")
            };
        };
        // A name of the list would be taken for the key.
        let list = if query.alone { None } else { query.list.take() };
        let done = self.order(query, &keys, parent);
        query.list = query.list.take().or(list);
        done
    }
}
