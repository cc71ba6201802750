//! What stands in a FROM: tables, views with what they join, and joins.

use std::cmp::Ordering;
use std::rc::Rc;

use isogloss_compiler::expr::{FromExpr, SqlSegment, TableJoinExpr, TableJoinType, Value};
use isogloss_compiler::model::{Entity, EntityId, Join};

use super::logic::compare;
use super::query::{Item, Query};
use super::scope::{Env, Field, Kind, Source, Tuple};
use super::{Evaluator, Result, fault, unsupported, value};

impl Evaluator<'_> {
    /// An entity's rows, those that are there.
    pub(super) fn table<'e>(&self, entity: &str, alias: Option<&str>) -> Result<Query<'e>> {
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
            field.known = entity.joins.get(foreign.join).is_some_and(|join| self.leads_to_one(entity, join));
            fields.push(field);
        }
        let join = |join: &isogloss_compiler::model::Join| {
            (join.alias.as_str().to_owned(), self.columns_of(self.catalog.get(join.target)))
        };
        let joins = entity.joins.iter().map(join).collect();
        let name = entity.name.as_str().to_owned();
        Ok(Source { alias: String::new(), entity: Some((id, name)), fields, joins })
    }

    pub(super) fn columns_of(&self, entity: &Entity) -> Vec<Field> {
        let known = |name: &str| self.stored(entity).is_none_or(|table| table.column(name).is_some());
        let field = |column: &isogloss_compiler::model::Column| Field {
            names: column.enum_values.clone(),
            seconds: column.seconds(),
            listed: column.is_readable(),
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

    /// Whether a join, and what it hangs on, gives each row one partner at most, and keeps the row without one.
    fn leads_to_one(&self, entity: &Entity, join: &Join) -> bool {
        let mut keys: Vec<usize> = join.keys.iter().map(|(_, to)| *to).collect();
        let mut primary = self.catalog.get(join.target).keys.clone();
        keys.sort_unstable();
        primary.sort_unstable();
        let source = join.source.map(|source| entity.joins.get(source));
        join.join_type == TableJoinType::Left
            && keys == primary
            && source.is_none_or(|source| source.is_some_and(|source| self.leads_to_one(entity, source)))
    }

    /// Refuses the rows of a query without a list of its own over a view whose joins change how many there are.
    pub(crate) fn as_many_as_its_table(&self, query: Option<&SqlSegment>) -> Result<()> {
        let source = match query {
            Some(SqlSegment::Where(node)) => node.source.as_ref(),
            Some(SqlSegment::OrderBy(node)) => node.source.as_ref(),
            Some(SqlSegment::Section(node)) => node.source.as_ref(),
            Some(SqlSegment::Lock(node)) => node.source.as_ref(),
            Some(SqlSegment::From(node)) => {
                node.joins.iter().try_for_each(|join| self.as_many_as_its_table(Some(&join.source)))?;
                return self.as_many_as_its_table(Some(&node.source));
            }
            Some(SqlSegment::Table(table)) => return self.has_as_many(table.entity.as_str()),
            None => return self.request.root.map_or(Ok(()), |root| self.has_as_many(root)),
            Some(_) => return Ok(()),
        };
        self.as_many_as_its_table(source)
    }

    fn has_as_many(&self, entity: &str) -> Result<()> {
        let Some((_, entity)) = self.catalog.entity(entity) else { return Ok(()) };
        let mut shown = entity.joins.iter().filter(|join| join.used_by_default);
        match shown.find(|join| !self.leads_to_one(entity, join)) {
            Some(join) => unsupported(format!("how many rows `{}` has, by its join `{}`", entity.name, join.alias)),
            None => Ok(()),
        }
    }

    /// The rows of an entity that are there, as rows of its source.
    pub(crate) fn rows_of(&self, id: EntityId, source: &Source) -> Result<Vec<Rc<[Value]>>> {
        let entity = self.catalog.get(id);
        let targets: Vec<Vec<Vec<Value>>> =
            entity.joins.iter().map(|join| self.plain_rows(join.target)).collect::<Result<_>>()?;
        let mut all = Vec::new();
        for own in self.plain_rows(id)? {
            // The row of each join, where the key leads to one.
            let mut joined: Vec<Option<&Vec<Value>>> = Vec::with_capacity(entity.joins.len());
            for (join, rows) in entity.joins.iter().zip(&targets) {
                if !self.leads_to_one(entity, join) {
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

    /// The rows of an entity's own table that are there.
    pub(crate) fn plain_rows(&self, id: EntityId) -> Result<Vec<Vec<Value>>> {
        let entity = self.catalog.get(id);
        if self.columns_only.get() {
            return Ok(Vec::new());
        }
        let Some(stored) = self.stored(entity) else {
            return unsupported(format!("there are no rows of `{}`", entity.name));
        };
        let (fields, rules) = (self.columns_of(entity), self.rules_of_reads(id));
        let mut rows = Vec::new();
        for row in &stored.rows {
            let value = |name: &str| stored.column(name).and_then(|at| row.get(at)).cloned().unwrap_or_default();
            if self.is_there(id, &rules, &value)? {
                let fitted = |field: &Field| value::fit(&value(&field.name), field.kind, field.names.as_ref());
                rows.push(fields.iter().map(fitted).collect::<Result<_>>()?);
            }
        }
        Ok(rows)
    }

    pub(super) fn from<'e>(&self, node: &'e FromExpr, parent: Option<&Env<'_>>) -> Result<Query<'e>> {
        let mut query = self.source(&node.source, parent)?;
        if !node.joins.is_empty() {
            query.forget_order();
        }
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
        let nulls: Tuple = query.sources.iter().map(|source| vec![Value::Null; source.width()].into()).collect();
        let mut joined = if join.lateral {
            // Only its columns count; its rows are looked for beside each row.
            self.source(&join.source, Some(&Env::of(&query.sources, std::slice::from_ref(&nulls), parent)))?
        } else {
            self.source(&join.source, parent)?
        };
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
            for (row, _) in right.iter().zip(&used).filter(|(_, used)| !**used) {
                let mut tuple = nulls.clone();
                tuple.push(Rc::clone(row));
                items.push(Item { rows: vec![tuple], ..Item::default() });
            }
        }
        query.items = items;
        Ok(())
    }
}

/// The rows of a joined table.
fn row_list(query: &Query<'_>) -> Vec<Rc<[Value]>> {
    query.items.iter().filter_map(|item| item.rows.first()?.first().cloned()).collect()
}
