//! A statement without its values.

use std::borrow::Cow;
use std::collections::HashMap;

use compact_str::CompactString;

use crate::compiler::{Buffers, Compiled, ResultColumn, Target, recycle_params};
use crate::expr::{DbType, Value};
use crate::legalize::Note;
use crate::model::{Column, EntityId};
use crate::render::Parameter;
use crate::scope::AppliedFilter;
use crate::walk::shape::is_said;

/// Where a column is in the catalog: that a value is compared with, and that has to take it as it is.
pub(crate) type Place = (EntityId, usize);

/// A pattern that was made of a text of the tree without wildcards, by what stands around that.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Around<'e> {
    /// The pattern, among the values that the compilation made.
    pub(crate) made: u32,
    pub(crate) of: &'e Value,
    /// What stands before and after it.
    pub(crate) ends: [&'static str; 2],
}

/// What a compilation has recorded of the values of the slots.
#[derive(Debug, Default)]
pub(crate) struct Record<'e> {
    /// The parameters that are patterns, by their places.
    pub(crate) around: Vec<(usize, Around<'e>)>,
    /// Those that are parameters as they stand, with the columns that take them.
    pub(crate) open: Vec<(&'e Value, Place)>,
    /// Whether nothing else was asked of any.
    pub(crate) is_enough: bool,
}

/// A statement that others differ from in the values of their slots only.
#[derive(Debug)]
pub(super) struct Statement {
    sql: Box<str>,
    params: Box<[(Source, Option<DbType>)]>,
    /// The columns that take the values of slots.
    takers: Box<[(usize, Place)]>,
    notes: Vec<Note>,
    columns: Vec<ResultColumn>,
    filters: Vec<AppliedFilter>,
}

/// Where the value of a parameter comes from.
#[derive(Debug)]
enum Source {
    Slot(usize),
    /// One of a slot's list.
    Item(usize, usize),
    Around(usize, [&'static str; 2]),
    Same(Value),
}

impl Statement {
    /// What is kept of a statement, if its slots are all that differs between it and others of its shape.
    pub(super) fn of(compiled: &Compiled<'_>, slots: &[&Value], record: &Record<'_>) -> Option<Self> {
        let Compiled { sql, params, outputs, notes, columns, filters } = compiled;
        if !record.is_enough || !outputs.is_empty() {
            return None;
        }
        let mut places: HashMap<*const Value, (usize, Option<usize>)> = HashMap::with_capacity(slots.len());
        for (slot, value) in slots.iter().enumerate() {
            places.insert(*value, (slot, None));
            if let Value::List(items) = value {
                places.extend(items.iter().enumerate().map(|(at, item)| (std::ptr::from_ref(item), (slot, Some(at)))));
            }
        }
        let slot_of = |value: &Value| places.get(&std::ptr::from_ref(value)).map(|(slot, _)| *slot);
        let mut takers = Vec::with_capacity(record.open.len());
        for (value, place) in &record.open {
            takers.push((slot_of(value)?, *place));
        }
        takers.sort_unstable();
        takers.dedup();
        let mut sources = Vec::with_capacity(params.len());
        for param in params {
            let place = match &param.value {
                Cow::Borrowed(value) => places.get(&std::ptr::from_ref::<Value>(value)),
                Cow::Owned(_) => None,
            };
            let source = match place {
                Some((slot, None)) => Source::Slot(*slot),
                Some((slot, Some(at))) => Source::Item(*slot, *at),
                None => Source::Same((*param.value).clone()),
            };
            sources.push((source, param.ty));
        }
        let mut searched = Vec::new();
        for (param, Around { of, ends, .. }) in &record.around {
            let slot = slot_of(of)?;
            if params.get(*param)?.value != Cow::Owned(with_ends(of, *ends)) {
                return None;
            }
            sources.get_mut(*param)?.0 = Source::Around(slot, *ends);
            searched.push(slot);
        }
        // A condition that a rule repeats may be one of several columns.
        let is_taken = |slot| takers.binary_search_by_key(&slot, |(slot, _)| *slot).is_ok() || searched.contains(&slot);
        if slots.iter().enumerate().any(|(slot, value)| !is_said(value) && !is_taken(slot)) {
            return None;
        }
        Some(Self {
            sql: sql.as_str().into(),
            params: sources.into(),
            takers: takers.into(),
            notes: notes.clone(),
            columns: columns.clone(),
            filters: filters.clone(),
        })
    }

    /// Whether each value is one that its column takes as it is.
    pub(super) fn takes(&self, target: &Target, slots: &[&Value]) -> bool {
        self.takers.iter().all(|(slot, (entity, column))| {
            let column = target.catalog().get(*entity).columns.get(*column);
            slots.get(*slot).zip(column).is_some_and(|(value, column)| match value {
                Value::List(items) => column.keeps_all(items),
                value => column.keeps(value),
            })
        })
    }

    /// How many bytes it has, as far as a look tells.
    pub(super) fn bytes(&self) -> usize {
        let Self { sql, params, takers, notes, columns, filters } = self;
        let lists = size_of_val(&**params) + size_of_val(&**takers) + size_of_val(&**notes);
        size_of::<Self>() + sql.len() + lists + size_of_val(&**columns) + size_of_val(&**filters)
    }

    /// The statement with other values.
    pub(super) fn filled<'e>(&self, slots: &[&'e Value], buffers: Buffers) -> Compiled<'e> {
        let (mut sql, params) = buffers.into_parts();
        sql.push_str(&self.sql);
        let mut params = recycle_params(params);
        params.extend(self.params.iter().map(|(source, ty)| {
            let value = match source {
                Source::Slot(slot) => slots.get(*slot).map_or_else(Cow::default, |value| Cow::Borrowed(*value)),
                Source::Item(slot, at) => match slots.get(*slot) {
                    Some(Value::List(items)) => items.get(*at).map_or_else(Cow::default, Cow::Borrowed),
                    _ => Cow::default(),
                },
                Source::Around(slot, ends) => {
                    Cow::Owned(slots.get(*slot).map(|text| with_ends(text, *ends)).unwrap_or_default())
                }
                Source::Same(value) => Cow::Owned(value.clone()),
            };
            Parameter { value, ty: *ty }
        }));
        let (notes, columns, filters) = (self.notes.clone(), self.columns.clone(), self.filters.clone());
        Compiled { sql, params, outputs: Vec::new(), notes, columns, filters }
    }
}

/// A text with what stands around it.
fn with_ends(text: &Value, [before, after]: [&str; 2]) -> Value {
    let Value::Text(text) = text else { return Value::Null };
    let mut whole = CompactString::with_capacity(before.len() + text.len() + after.len());
    for part in [before, text, after] {
        whole.push_str(part);
    }
    Value::Text(whole)
}

/// Where a column is in the catalog: found by where it lies, as there may be many.
pub(crate) fn place_of(target: &Target, column: &Column) -> Option<Place> {
    let mut entities = target.catalog().entities();
    let (id, entity) =
        entities.find(|(_, entity)| entity.columns.as_ptr_range().contains(&std::ptr::from_ref(column)))?;
    Some((id, entity.columns.iter().position(|own| std::ptr::eq(own, column))?))
}
