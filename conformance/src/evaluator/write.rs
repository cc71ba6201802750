//! INSERT, UPDATE and DELETE: the rows that they leave behind.

use isogloss_compiler::expr::{
    ConflictAction, DeleteExpr, InsertExpr, InsertSource, LogicExpr, Name, SelectItemExpr, TableExpr, UpdateExpr,
    Value, ValueTypeExpr,
};
use isogloss_compiler::model::{Column, Entity, EntityId};

use super::logic::same_rows;
use super::scope::{Env, Source};
use super::{Evaluator, Result, Written, fault, unsupported, value};
use crate::data::{Answer, Data, TableData};

/// A table that is written.
struct WriteTarget<'a> {
    id: EntityId,
    entity: &'a Entity,
    source: Source,
    data: Data,
}

impl WriteTarget<'_> {
    fn table(&mut self) -> Result<&mut TableData> {
        match self.data.table_mut(self.entity.name.as_str()) {
            Some(table) => Ok(table),
            None => unsupported(format!("there are no rows of `{}`", self.entity.name)),
        }
    }

    /// An error if a row has no value where it must have one.
    fn takes(&self, row: &[Value]) -> Result<()> {
        let null =
            |(column, value): &(&Column, &Value)| !column.nullable && column.computed.is_none() && value.is_null();
        match self.entity.columns.iter().zip(row).find(null) {
            Some((column, _)) => fault(format!("no value for `{}`", column.name)),
            None => Ok(()),
        }
    }

    /// The value of a property in a row of the source.
    fn value(&self, row: &[Value], name: &str) -> Value {
        self.source.field(name).and_then(|(at, _)| row.get(at)).cloned().unwrap_or_default()
    }
}

/// How many rows an INSERT may have: each is looked for among all that are there.
const MOST_ROWS: usize = 2_000;

impl Evaluator<'_> {
    fn target(&self, table: &TableExpr) -> Result<WriteTarget<'_>> {
        let Some((id, entity)) = self.catalog.entity(table.entity.as_str()) else {
            return fault(format!("no entity `{}`", table.entity));
        };
        if entity.base.is_some() {
            return unsupported("a write to a view");
        }
        let mut source = self.entity(id)?;
        source.alias = table.alias.as_ref().map(|alias| alias.as_str().to_owned()).unwrap_or_default();
        Ok(WriteTarget { id, entity, source, data: self.data.clone() })
    }

    /// For each stored row of the table, the row of the source where the statement means it.
    fn meant(
        &self,
        target: &WriteTarget<'_>,
        filter: Option<&LogicExpr>,
        all: bool,
    ) -> Result<Vec<Option<Vec<Value>>>> {
        if filter.is_none() && !all {
            return fault("a write without a condition");
        }
        let visible = self.rows_of(target.id, &target.source)?;
        let sources = [target.source.clone()];
        let stored = self.data.table(target.entity.name.as_str()).map_or(&[][..], |table| &table.rows);
        let mut meant = vec![None; stored.len()];
        let keys = &target.entity.keys;
        let places: Vec<Option<usize>> = {
            let table = self.data.table(target.entity.name.as_str());
            let place =
                |key: &usize| table.and_then(|table| table.column(target.entity.columns.get(*key)?.name.as_str()));
            keys.iter().map(place).collect()
        };
        for row in visible {
            let rows = [vec![row]];
            let env = Env::of(&sources, &rows, None);
            let holds = match filter {
                Some(filter) => self.logic(&env, filter)?,
                None => Some(true),
            };
            let Some(row) = rows.first().and_then(|row| row.first()).filter(|_| holds == Some(true)) else { continue };
            let own: Vec<Value> = keys.iter().map(|key| row.get(*key).cloned().unwrap_or_default()).collect();
            for (slot, other) in meant.iter_mut().zip(stored) {
                let key: Vec<Value> =
                    places.iter().map(|at| at.and_then(|at| other.get(at)).cloned().unwrap_or_default()).collect();
                if same_rows(&own, &key)? {
                    *slot = Some(row.to_vec());
                }
            }
        }
        Ok(meant)
    }

    pub(crate) fn update(&self, node: &UpdateExpr) -> Result<(Data, Written)> {
        let mut target = self.target(&node.table)?;
        let meant = self.meant(&target, node.filter.as_ref(), node.all_rows)?;
        let sources = [target.source.clone()];
        let mut after = Vec::new();
        let mut sets: Vec<Vec<(String, Value)>> = Vec::new();
        for row in meant.iter().flatten() {
            let rows = [vec![row.clone().into()]];
            // Each value is computed from the row as it was.
            let values = self.assignments(&Env::of(&sources, &rows, None), target.entity, &node.sets)?;
            let mut new = row.clone();
            for (name, value) in &values {
                if let Some((place, _)) = target.source.field(name)
                    && let Some(slot) = new.get_mut(place)
                {
                    *slot = value.clone();
                }
            }
            self.stays_inside(target.id, &|name| target.value(&new, name))?;
            after.push(new);
            sets.push(values);
        }
        let table = target.table()?;
        let columns = table.columns.clone();
        let place = |name: &str| columns.iter().position(|column| column.eq_ignore_ascii_case(name));
        let mut sets = sets.into_iter();
        for (row, _) in table.rows.iter_mut().zip(&meant).filter(|(_, meant)| meant.is_some()) {
            for (name, value) in sets.next().into_iter().flatten() {
                if let Some(slot) = place(&name).and_then(|at| row.get_mut(at)) {
                    *slot = value;
                }
            }
        }
        let written = Written { rows: after.len(), returned: self.returned(&sources, after, &node.returning)? };
        Ok((target.data, written))
    }

    pub(crate) fn delete(&self, node: &DeleteExpr) -> Result<(Data, Written)> {
        let mut target = self.target(&node.table)?;
        let meant = self.meant(&target, node.filter.as_ref(), node.all_rows)?;
        let mark = self.mark(target.entity).map(str::to_owned);
        let table = target.table()?;
        match mark.and_then(|mark| table.column(&mark)) {
            Some(mark) => {
                for (row, _) in table.rows.iter_mut().zip(&meant).filter(|(_, meant)| meant.is_some()) {
                    match row.get_mut(mark) {
                        Some(slot @ Value::Bool(_)) => *slot = true.into(),
                        _ => return unsupported("the time at which a row is deleted"),
                    }
                }
            }
            None => {
                let mut keep = meant.iter().map(Option::is_none);
                table.rows.retain(|_| keep.next().unwrap_or(true));
            }
        }
        let rows: Vec<Vec<Value>> = meant.into_iter().flatten().collect();
        let count = rows.len();
        let returned = self.returned(&[target.source.clone()], rows, &node.returning)?;
        Ok((target.data, Written { rows: count, returned }))
    }

    pub(crate) fn insert(&self, node: &InsertExpr) -> Result<(Data, Written)> {
        let mut target = self.target(&node.table)?;
        let width = node.columns.len().max(1);
        // Each value, and whether it is computed.
        let given = |computed: bool| move |value: &Value| (value.clone(), computed);
        let proposed: Vec<Vec<(Value, bool)>> = match &node.source {
            InsertSource::Values(values) => {
                values.chunks(width).map(|row| row.iter().map(given(false)).collect()).collect()
            }
            InsertSource::Exprs(values) => {
                let env = Env::of(&[], &[], None);
                let value = |node: &ValueTypeExpr| Ok((self.value(&env, node)?, is_computed(node)));
                values.chunks(width).map(|row| row.iter().map(value).collect()).collect::<Result<_>>()?
            }
            InsertSource::Query(query) => {
                let rows = self.chain(Some(query), None)?.table(self)?.1;
                rows.iter().map(|row| row.iter().map(given(true)).collect()).collect()
            }
            _ => return unsupported("those rows of an INSERT"),
        };
        if proposed.len() > MOST_ROWS {
            return unsupported("an INSERT of so many rows: each is compared with each");
        }
        let sources = [target.source.clone()];
        let mut changed = Vec::new();
        for values in proposed {
            let mut row = vec![Value::Null; target.source.fields.len()];
            for (name, (given, computed)) in node.columns.iter().zip(values) {
                let Some((place, column)) = target.entity.column(name.as_str()) else {
                    return fault(format!("no column `{name}`"));
                };
                if let Some(slot) = row.get_mut(place) {
                    *slot = value::assigned(given, computed, column)?;
                }
            }
            self.defaults(&target, &node.columns, &mut row)?;
            self.stays_inside(target.id, &|name| target.value(&row, name))?;
            target.takes(&row)?;
            if let Some(new) = self.put(&mut target, node, &sources, row)? {
                changed.push(new);
            }
        }
        let rows = changed.len();
        Ok((target.data, Written { rows, returned: self.returned(&sources, changed, &node.returning)? }))
    }

    /// What a new row has in the columns that the statement does not name: what the scope and the fixed filter ask for,
    /// the next number of an identity, NULL.
    fn defaults(&self, target: &WriteTarget<'_>, given: &[Name], row: &mut [Value]) -> Result<()> {
        for (place, column) in target.entity.columns.iter().enumerate() {
            if given.contains(&column.name) {
                continue;
            }
            if column.identity.is_some() || column.default.is_some() || column.is_timestamp {
                return unsupported(format!("a value for `{}` that the engine makes", column.name));
            }
            let of_scope = self.fixed_values(target.id).into_iter().find(|(name, _)| **name == column.name);
            if let Some((_, fixed)) = of_scope {
                if let Some(slot) = row.get_mut(place) {
                    *slot = value::assigned(fixed.clone(), false, column)?;
                }
                continue;
            }
            if let Some(LogicExpr::Binary(fixed)) = &target.entity.fixed_filter
                && let (ValueTypeExpr::Property(property), ValueTypeExpr::Value(constant)) = (&fixed.left, &fixed.right)
                && property.name == column.name
                && let Some(slot) = row.get_mut(place)
            {
                *slot = constant.value.clone();
            } else if matches!(target.entity.fixed_filter, Some(LogicExpr::And(_))) && !column.nullable {
                return unsupported("a fixed filter over several columns in an INSERT");
            }
        }
        Ok(())
    }

    /// Adds a row, or does what is asked where its key is there already. Gives the row that is there then, if one was
    /// added or changed.
    fn put(
        &self,
        target: &mut WriteTarget<'_>,
        node: &InsertExpr,
        sources: &[Source; 1],
        row: Vec<Value>,
    ) -> Result<Option<Vec<Value>>> {
        let keys: Vec<usize> = match &node.conflict {
            Some(conflict) if !conflict.target.is_empty() => {
                conflict.target.iter().filter_map(|name| Some(target.entity.column(name.as_str())?.0)).collect()
            }
            _ => target.entity.keys.clone(),
        };
        let names: Vec<String> = target.entity.columns.iter().map(|column| column.name.as_str().to_owned()).collect();
        let table = target.table()?;
        let places: Vec<Option<usize>> = names.iter().map(|name| table.column(name)).collect();
        let in_order = |stored: &[Value]| -> Vec<Value> {
            places.iter().map(|place| place.and_then(|at| stored.get(at)).cloned().unwrap_or_default()).collect()
        };
        let key_of =
            |row: &[Value]| keys.iter().map(|key| row.get(*key).cloned().unwrap_or_default()).collect::<Vec<_>>();
        let own = key_of(&row);
        let mut there = None;
        for (at, stored) in table.rows.iter().enumerate() {
            let other = key_of(&in_order(stored));
            if !own.iter().any(Value::is_null) && same_rows(&own, &other)? {
                there = Some((at, in_order(stored)));
            }
        }
        let to_stored = |row: &[Value]| {
            let mut stored = vec![Value::Null; places.iter().flatten().max().map_or(0, |most| most + 1)];
            for (place, value) in places.iter().zip(row) {
                if let Some(slot) = place.and_then(|at| stored.get_mut(at)) {
                    *slot = value.clone();
                }
            }
            stored
        };
        let Some((at, old)) = there else {
            table.rows.push(to_stored(&row));
            return Ok(Some(row));
        };
        // A row that is not there for the statement is in its way all the same, and stays as it is.
        if node.conflict.is_some()
            && !self.is_there(target.id, &self.rules_of_reads(target.id), &|name| target.value(&old, name))?
        {
            return Ok(None);
        }
        let sets: Vec<(String, Value)> = match node.conflict.as_ref().map(|conflict| &conflict.action) {
            None => return fault("a row whose key is there already"),
            Some(ConflictAction::DoNothing) => return Ok(None),
            Some(ConflictAction::UpdateAll) => {
                let set = |name: &Name| {
                    let (place, _) = target.entity.column(name.as_str())?;
                    let value = row.get(place).cloned().unwrap_or_default();
                    (!keys.contains(&place)).then(|| (name.as_str().to_owned(), value))
                };
                node.columns.iter().filter_map(set).collect()
            }
            Some(ConflictAction::Update(sets)) => {
                let [source] = sources;
                let rows = [vec![old.clone().into()]];
                let env = Env { proposed: Some((source, &row)), ..Env::of(sources, &rows, None) };
                self.assignments(&env, target.entity, sets)?
            }
            _ => return unsupported("that action on a conflict"),
        };
        let mut new = old;
        for (name, value) in sets {
            if let Some(slot) = target.entity.column(&name).and_then(|(place, _)| new.get_mut(place)) {
                *slot = value;
            }
        }
        self.stays_inside(target.id, &|name| target.value(&new, name))?;
        if let Some(stored) = target.table()?.rows.get_mut(at) {
            *stored = to_stored(&new);
        }
        Ok(Some(new))
    }

    fn assignments(
        &self,
        env: &Env<'_>,
        entity: &Entity,
        sets: &[(Name, ValueTypeExpr)],
    ) -> Result<Vec<(String, Value)>> {
        let set = |(name, node): &(Name, ValueTypeExpr)| {
            let Some((_, column)) = entity.column(name.as_str()) else { return fault(format!("no column `{name}`")) };
            let value = value::assigned(self.value(env, node)?, is_computed(node), column)?;
            Ok((column.name.as_str().to_owned(), value))
        };
        sets.iter().map(set).collect()
    }

    fn returned(&self, sources: &[Source; 1], rows: Vec<Vec<Value>>, items: &[SelectItemExpr]) -> Result<Answer> {
        let name = |item: &SelectItemExpr| match (&item.alias, &item.value) {
            (Some(alias), _) => alias.as_str().to_owned(),
            (None, ValueTypeExpr::Property(property)) => property.name.as_str().to_owned(),
            _ => String::new(),
        };
        let mut answer = Answer { columns: items.iter().map(name).collect(), ..Answer::default() };
        if items.is_empty() {
            return Ok(answer);
        }
        for row in rows {
            let rows = [vec![row.into()]];
            let env = Env::of(sources, &rows, None);
            answer.rows.push(items.iter().map(|item| self.value(&env, &item.value)).collect::<Result<_>>()?);
        }
        Ok(answer)
    }
}

/// Whether a value is computed; a plain one is told its type by the column.
fn is_computed(node: &ValueTypeExpr) -> bool {
    !matches!(node, ValueTypeExpr::Value(_))
}
