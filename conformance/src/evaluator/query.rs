//! Queries: each clause of the chain is over what the clauses before it gave.
//!
//! A filter, a grouping or a select list over an order forgets it, unless a page was cut by it before. A page without an
//! order is one by the primary key, of groups by their keys, of distinct rows and of sets by every column.

use std::cmp::Ordering;
use std::rc::Rc;

use isogloss_compiler::expr::{
    CommonTableExpr, Distinct, FromExpr, LogicExpr, Nulls, OrderByItemExpr, SectionExpr, SelectExpr, SelectSetType,
    SqlSegment, TableJoinExpr, TableJoinType, UnaryOperator, Value, ValueTypeExpr,
};
use isogloss_compiler::functions::{Class, Func};
use isogloss_compiler::model::{Entity, EntityId};

use super::logic::{compare, same_rows};
use super::scope::{Env, Field, Kind, Source, Tuple};
use super::{Common, Evaluator, Result, fault, unsupported, value};
use crate::data::Answer;

/// A row of a query on its way, or a group.
#[derive(Debug, Clone, Default)]
pub(crate) struct Item {
    /// The row, or the rows of the group.
    pub(crate) rows: Vec<Tuple>,
    /// What the select list makes of it.
    pub(crate) output: Vec<Value>,
    /// The keys of the order, those that count most first.
    keys: Vec<Value>,
}

/// A query on its way.
#[derive(Debug, Default)]
pub(crate) struct Query<'e> {
    pub(crate) sources: Vec<Source>,
    pub(crate) items: Vec<Item>,
    /// The keys of its groups, once it is grouped: none for one group of all rows.
    group: Option<&'e [ValueTypeExpr]>,
    /// The columns of its select list, once it has one.
    list: Option<Vec<Field>>,
    /// How many keys the order has, and whether it says where every NULL goes.
    order: Option<bool>,
    paged: bool,
    /// Whether the rows are those of the list alone: distinct ones, or a set's.
    alone: bool,
    alias: String,
}

impl<'e> Query<'e> {
    fn env<'a>(&'a self, at: usize, parent: Option<&'a Env<'a>>) -> Env<'a> {
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
    fn shown(mut self, evaluator: &Evaluator<'_>) -> Result<(Vec<Field>, Vec<Item>)> {
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

    /// The result so far as the rows of one table, without an order.
    fn derived(self, evaluator: &Evaluator<'_>) -> Result<Query<'e>> {
        let alias = self.alias.clone();
        let (mut fields, items) = self.shown(evaluator)?;
        for (index, field) in fields.iter_mut().enumerate() {
            field.listed = true;
            if field.name.is_empty() {
                field.name = format!("C{index}");
            }
        }
        let source = Source { alias, fields, ..Source::default() };
        let row = |item: Item| Item { rows: vec![vec![item.output.into()]], ..Item::default() };
        Ok(Query { sources: vec![source], items: items.into_iter().map(row).collect(), ..Query::default() })
    }

    fn forget_order(&mut self) {
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
                query.forget_order();
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
                query.forget_order();
                self.one_group(&mut query);
                self.filter(&mut query, &node.having, parent)?;
                Ok(query)
            }
            SqlSegment::OrderBy(node) => {
                let mut query = self.chain(node.source.as_ref(), parent)?;
                if query.paged {
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

    /// An entity's rows, without those that its fixed filter leaves out.
    fn table<'e>(&self, entity: &str, alias: Option<&str>) -> Result<Query<'e>> {
        let Some((id, _)) = self.catalog.entity(entity) else { return fault(format!("no entity `{entity}`")) };
        let mut source = self.entity(id)?;
        source.alias = alias.unwrap_or_default().to_owned();
        let rows = self.rows_of(id, &source)?;
        let sources = vec![source];
        let items = rows.into_iter().map(|row| Item { rows: vec![vec![row]], ..Item::default() }).collect();
        Ok(Query { sources, items, ..Query::default() })
    }

    /// The columns of an entity and of what it joins.
    pub(crate) fn entity(&self, id: EntityId) -> Result<Source> {
        let entity = self.catalog.get(id);
        let mut fields = self.columns_of(entity);
        for foreign in &entity.foreign_columns {
            let Some(column) = self.catalog.foreign(foreign) else { return fault("a foreign column of nothing") };
            let mut field = Field::new(foreign.name.as_str(), Kind::of_type(column.ty));
            field.names.clone_from(&column.enum_values);
            fields.push(field);
        }
        let join = |join: &isogloss_compiler::model::Join| {
            (join.alias.as_str().to_owned(), self.columns_of(self.catalog.get(join.target)))
        };
        let joins = entity.joins.iter().map(join).collect();
        let name = entity.name.as_str().to_owned();
        Ok(Source { alias: String::new(), entity: Some((id, name)), fields, joins })
    }

    fn columns_of(&self, entity: &Entity) -> Vec<Field> {
        let known = |name: &str| self.stored(entity).is_none_or(|table| table.column(name).is_some());
        let field = |column: &isogloss_compiler::model::Column| Field {
            names: column.enum_values.clone(),
            listed: column.is_readable() && column.computed.is_none(),
            known: column.computed.is_none() || known(column.name.as_str()),
            ..Field::new(column.name.as_str(), Kind::of_type(column.ty))
        };
        entity.columns.iter().map(field).collect()
    }

    /// What the data has of an entity's table.
    fn stored(&self, entity: &Entity) -> Option<&crate::data::TableData> {
        let table = entity.base.map_or(entity, |base| self.catalog.get(base));
        self.data.table(table.name.as_str())
    }

    /// The rows of an entity that its fixed filter lets pass, as rows of its source.
    pub(crate) fn rows_of(&self, id: EntityId, source: &Source) -> Result<Vec<Rc<[Value]>>> {
        let entity = self.catalog.get(id);
        let targets: Vec<Vec<Vec<Value>>> =
            entity.joins.iter().map(|join| self.plain_rows(join.target)).collect::<Result<_>>()?;
        let mut all = Vec::new();
        for own in self.plain_rows(id)? {
            // The row of each join, where the key leads to one.
            let mut joined: Vec<Option<&Vec<Value>>> = Vec::with_capacity(entity.joins.len());
            for (join, rows) in entity.joins.iter().zip(&targets) {
                let mut keys: Vec<usize> = join.keys.iter().map(|(_, to)| *to).collect();
                let mut primary = self.catalog.get(join.target).keys.clone();
                keys.sort_unstable();
                primary.sort_unstable();
                if join.join_type != TableJoinType::Left || keys != primary {
                    // It would matter whether some name uses the join.
                    joined.push(None);
                    continue;
                }
                let from = join.source.map_or(Some(&own), |source| joined.get(source).copied().flatten());
                let mut partner = None;
                for row in rows {
                    let value = |row: Option<&Vec<Value>>, at: usize| row.and_then(|row| row.get(at)).cloned();
                    let mut holds = true;
                    for (a, b) in &join.keys {
                        let (a, b) = (value(from, *a).unwrap_or_default(), value(Some(row), *b).unwrap_or_default());
                        holds &= compare(&a, &b)?.is_some_and(Ordering::is_eq);
                    }
                    if holds {
                        partner = Some(row);
                    }
                }
                joined.push(partner);
            }
            let mut row = Vec::with_capacity(source.width());
            row.extend(own.iter().cloned());
            for foreign in &entity.foreign_columns {
                let partner = joined.get(foreign.join).copied().flatten();
                row.push(partner.and_then(|row| row.get(foreign.column)).cloned().unwrap_or_default());
            }
            for (join, partner) in entity.joins.iter().zip(&joined) {
                let count = self.catalog.get(join.target).columns.len();
                row.extend((0..count).map(|at| partner.and_then(|row| row.get(at)).cloned().unwrap_or_default()));
            }
            all.push(row.into());
        }
        Ok(all)
    }

    /// The rows of an entity's own table that its fixed filter lets pass.
    pub(crate) fn plain_rows(&self, id: EntityId) -> Result<Vec<Vec<Value>>> {
        let entity = self.catalog.get(id);
        let Some(stored) = self.stored(entity) else {
            return unsupported(format!("there are no rows of `{}`", entity.name));
        };
        let source = Source { fields: self.columns_of(entity), ..Source::default() };
        let places: Vec<Option<usize>> = source.fields.iter().map(|field| stored.column(&field.name)).collect();
        let mut rows = Vec::new();
        for row in &stored.rows {
            let value = |(place, field): (&Option<usize>, &Field)| {
                let value = place.and_then(|place| row.get(place)).cloned().unwrap_or_default();
                value::fit(&value, field.kind, field.names.as_ref())
            };
            let values: Vec<Value> = places.iter().zip(&source.fields).map(value).collect::<Result<_>>()?;
            let holds = match &entity.fixed_filter {
                Some(filter) => {
                    let rows = [vec![values.clone().into()]];
                    self.logic(&Env::of(std::slice::from_ref(&source), &rows, None), filter)?
                }
                None => Some(true),
            };
            if holds == Some(true) {
                rows.push(values);
            }
        }
        Ok(rows)
    }

    fn from<'e>(&self, node: &'e FromExpr, parent: Option<&Env<'_>>) -> Result<Query<'e>> {
        let mut query = self.source(&node.source, parent)?;
        for join in &node.joins {
            self.join(&mut query, join, parent)?;
        }
        Ok(query)
    }

    /// What stands in a FROM: a table, or a query as one.
    fn source<'e>(&self, segment: &'e SqlSegment, parent: Option<&Env<'_>>) -> Result<Query<'e>> {
        let query = self.chain(Some(segment), parent)?;
        match segment {
            SqlSegment::Table(_) | SqlSegment::From(_) | SqlSegment::CommonTable(_) => Ok(query),
            _ => query.derived(self),
        }
    }

    fn join<'e>(&self, query: &mut Query<'e>, join: &'e TableJoinExpr, parent: Option<&Env<'_>>) -> Result<()> {
        let mut joined = self.source(&join.source, parent)?;
        let [source] = joined.sources.as_slice() else { return unsupported("a join of several tables at once") };
        let width = source.width();
        query.sources.push(source.clone());
        let mut right = row_list(&joined);
        let mut used = vec![false; right.len()];
        let mut items = Vec::new();
        for item in std::mem::take(&mut query.items) {
            let Some(left) = item.rows.first() else { continue };
            if join.lateral {
                let rows = std::slice::from_ref(left);
                let beside = query.sources.split_last().map_or(&[][..], |(_, before)| before);
                joined = self.source(&join.source, Some(&Env::of(beside, rows, parent)))?;
                right = row_list(&joined);
            }
            let mut alone = true;
            for (at, row) in right.iter().enumerate() {
                let mut tuple = left.clone();
                tuple.push(Rc::clone(row));
                let rows = [tuple];
                let holds = match (&join.on, join.join_type) {
                    (_, TableJoinType::Cross) | (None, _) => Some(true),
                    (Some(on), _) => self.logic(&Env::of(&query.sources, &rows, parent), on)?,
                };
                if holds == Some(true) {
                    alone = false;
                    if let Some(used) = used.get_mut(at) {
                        *used = true;
                    }
                    items.push(Item { rows: rows.into(), ..Item::default() });
                }
            }
            if alone && matches!(join.join_type, TableJoinType::Left | TableJoinType::Full) {
                let mut tuple = left.clone();
                tuple.push(vec![Value::Null; width].into());
                items.push(Item { rows: vec![tuple], ..Item::default() });
            }
        }
        if matches!(join.join_type, TableJoinType::Right | TableJoinType::Full) {
            if join.lateral {
                return unsupported("a lateral join that keeps rows of its right side");
            }
            let before = query.sources.iter().rev().skip(1).rev();
            let nulls: Tuple = before.map(|source| vec![Value::Null; source.width()].into()).collect();
            for (row, _) in right.iter().zip(&used).filter(|(_, used)| !**used) {
                let mut tuple = nulls.clone();
                tuple.push(Rc::clone(row));
                items.push(Item { rows: vec![tuple], ..Item::default() });
            }
        }
        query.items = items;
        Ok(())
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

    fn group<'e>(&self, query: &mut Query<'e>, keys: &'e [ValueTypeExpr], parent: Option<&Env<'_>>) -> Result<()> {
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
    fn one_group(&self, query: &mut Query<'_>) {
        if query.group.is_none() {
            let rows = std::mem::take(&mut query.items).into_iter().flat_map(|item| item.rows).collect();
            query.items = vec![Item { rows, ..Item::default() }];
            query.group = Some(&[]);
            query.order = None;
            query.paged = false;
        }
    }

    fn order(&self, query: &mut Query<'_>, order: &[OrderByItemExpr], parent: Option<&Env<'_>>) -> Result<()> {
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

    fn section<'e>(&self, node: &'e SectionExpr, parent: Option<&Env<'_>>) -> Result<Query<'e>> {
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

    fn default_order(&self, query: &mut Query<'_>, parent: Option<&Env<'_>>) -> Result<()> {
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

    fn select<'e>(&self, node: &'e SelectExpr, parent: Option<&Env<'_>>) -> Result<Query<'e>> {
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
                Query { items: vec![Item { rows: vec![Vec::new()], ..Item::default() }], ..Query::default() }
            }
            (source, _) => self.chain(source.as_ref(), parent)?,
        };
        if query.list.is_some() {
            let (paged, order) = (query.paged, query.order);
            // A page keeps its order, as far as its columns tell it.
            let keys: Vec<Vec<Value>> = query.items.iter().map(|item| item.keys.clone()).collect();
            query = query.derived(self)?;
            if paged {
                query.order = order;
                for (item, keys) in query.items.iter_mut().zip(keys) {
                    item.keys = keys;
                }
                // Whether they do is not looked at: only a page's rows are known.
                query.order = query.order.map(|_| false);
            }
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
            // Which of the equal rows is kept is not known, nor is its place.
            query.forget_order();
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
    fn common_table<'e>(&self, node: &'e CommonTableExpr, parent: Option<&Env<'_>>) -> Result<Query<'e>> {
        let name = node.alias.as_str();
        if let Some(select) = &node.source {
            let recursive = select.next_selects.iter().any(|next| refers(&next.select, name));
            let (fields, rows) = if recursive {
                self.rounds(select, name, parent)?
            } else {
                self.select(select, parent)?.table(self)?
            };
            self.define(name, fields, rows);
        }
        let common = self.common.borrow().get(&name.to_ascii_lowercase()).cloned();
        let Some(common) = common else { return unsupported("a common table that is defined further on") };
        let row = |row: &Rc<[Value]>| Item { rows: vec![vec![Rc::clone(row)]], ..Item::default() };
        let items = common.rows.iter().map(row).collect();
        Ok(Query { sources: vec![common.source.clone()], items, ..Query::default() })
    }

    fn define(&self, name: &str, mut fields: Vec<Field>, rows: Vec<Vec<Value>>) {
        for (index, field) in fields.iter_mut().enumerate() {
            field.listed = true;
            if field.name.is_empty() {
                field.name = format!("C{index}");
            }
        }
        let source = Source { alias: name.to_owned(), fields, ..Source::default() };
        let rows = rows.into_iter().map(Into::into).collect();
        self.common.borrow_mut().insert(name.to_ascii_lowercase(), Rc::new(Common { source, rows }));
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
            self.define(name, fields.clone(), std::mem::take(&mut last));
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

/// The rows of a joined table.
fn row_list(query: &Query<'_>) -> Vec<Rc<[Value]>> {
    query.items.iter().filter_map(|item| item.rows.first()?.first().cloned()).collect()
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
pub(crate) fn has_aggregate(node: &ValueTypeExpr) -> bool {
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
