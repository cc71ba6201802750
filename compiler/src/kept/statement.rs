//! A statement without its values.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use compact_str::CompactString;

use crate::compiler::{Buffers, Compiled, ResultColumn, recycle_params};
use crate::error::Result;
use crate::expr::{DbType, Value};
use crate::legalize::Note;
use crate::model::{Column, EntityId, is_of};
use crate::render::Parameter;
use crate::scope::AppliedFilter;
use crate::target::Target;
use crate::walk::shape::{class, is_said};

/// Where a column is in the catalog: that a value is compared with, and that has to take it as it is.
pub(crate) type ColumnPlace = (EntityId, usize);

/// What takes the value of a slot as it is: a column, a type that is known by what stands beside it, or anything.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Taker<C> {
    Column(C),
    Type(DbType),
    /// A column or a type that a look does not tell this of.
    By(By<C>),
    Any,
}

/// How a value takes the type of what it meets.
pub(crate) type Fit = for<'v> fn(&'v Value, Option<&Column>, Option<DbType>) -> Result<Cow<'v, Value>>;

/// By what a value has the form in which it is bound.
#[derive(Debug, Clone, Copy)]
pub(crate) struct By<C> {
    pub(crate) fit: Fit,
    pub(crate) column: Option<C>,
    pub(crate) ty: Option<DbType>,
}

/// A question whose answer decided about the statement. It is asked again of each other value.
pub(crate) type Question = fn(&Value) -> bool;

/// A value that the compilation made of one of the tree, and would make of others in the same way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Made<'e, C> {
    /// Its place among those that the compilation made.
    pub(crate) index: u32,
    pub(crate) of: &'e Value,
    pub(crate) how: How<C>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum How<C> {
    /// A pattern of a text without wildcards, with what stands before and after that.
    Around([&'static str; 2]),
    /// In the type of what it meets.
    By(By<C>),
}

/// Which of the values that may be made again is the one at that place: they stand in the order in which they were made.
pub(crate) fn made_again<C>(all: &[Made<'_, C>], index: u32) -> Option<usize> {
    all.binary_search_by_key(&index, |made| made.index).ok()
}

/// What a compilation has recorded of the values of the slots.
#[derive(Debug, Default)]
pub(crate) struct Record<'e> {
    /// The parameters that were made of them, by their places.
    pub(crate) made: Vec<(usize, Made<'e, ColumnPlace>)>,
    /// Those that are parameters as they stand, with what takes them.
    pub(crate) open: Vec<(&'e Value, Taker<ColumnPlace>)>,
    /// What was asked of them, and the answers.
    pub(crate) asked: Vec<(&'e Value, Question, bool)>,
    /// Whether nothing else was asked of any.
    pub(crate) is_enough: bool,
}

/// A statement that others differ from in the values of their slots only.
#[derive(Debug)]
pub(super) struct KeptStatement {
    sql: Box<str>,
    params: Box<[ParamOf]>,
    /// How many parameters that gives.
    count: usize,
    /// The columns that take the values of slots.
    takers: Box<[(usize, ColumnPlace)]>,
    /// What else is asked of them, if there is anything.
    more: Option<Box<More>>,
    notes: Vec<Note>,
    columns: Vec<ResultColumn>,
    filters: Vec<AppliedFilter>,
}

/// What is asked of the values that stand elsewhere than beside a column which takes them as a look tells.
#[derive(Debug)]
struct More {
    /// The types that take values.
    types: Box<[(usize, DbType)]>,
    others: Box<[(usize, By<ColumnPlace>)]>,
    /// Those that are made of values, with their classes.
    fitted: Box<[(usize, By<ColumnPlace>, u8)]>,
    asked: Box<[(usize, Question, bool)]>,
}

/// A parameter without its value.
type ParamOf = (ParamSource, Option<DbType>);

/// Where the value of a parameter comes from.
#[derive(Debug)]
enum ParamSource {
    Slot(usize),
    /// Each item of a slot's list.
    Items(usize),
    /// One of a slot's list.
    Item(usize, usize),
    Around(usize, [&'static str; 2]),
    /// One of those that are made.
    Fitted(usize),
    Same(Value),
}

impl KeptStatement {
    /// What is kept of a statement, if its slots are all that differs between it and others of its shape.
    pub(super) fn of(target: &Target, compiled: &Compiled<'_>, slots: &[&Value], record: &Record<'_>) -> Option<Self> {
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
        let mut taken = vec![false; slots.len()];
        let mut takers = Vec::with_capacity(record.open.len());
        let (mut types, mut others) = (Vec::new(), Vec::new());
        for (value, taker) in &record.open {
            let slot = slot_of(value)?;
            *taken.get_mut(slot)? = true;
            match taker {
                Taker::Column(place) => takers.push((slot, *place)),
                Taker::Type(ty) => types.push((slot, *ty)),
                Taker::By(by) => others.push((slot, *by)),
                Taker::Any => {}
            }
        }
        takers.sort_unstable();
        takers.dedup();
        types.sort_by_key(|(slot, _)| *slot);
        types.dedup();
        let mut asked = Vec::with_capacity(record.asked.len());
        for (value, question, answer) in &record.asked {
            // Of the values of a list, which it was is not known of another list.
            let (slot, None) = places.get(&std::ptr::from_ref::<Value>(value))? else { return None };
            asked.push((*slot, *question, *answer));
        }
        asked.sort_by_key(|(slot, ..)| *slot);
        asked.dedup_by(|(slot, question, _), (other, same, _)| slot == other && std::ptr::fn_addr_eq(*question, *same));
        // One whose length is no part of the shape.
        let is_packed = |slot: usize| match slots.get(slot) {
            Some(Value::List(items)) => items.len() >= target.packed(),
            _ => false,
        };
        let mut sources = Vec::with_capacity(params.len());
        for param in params {
            let place = match &param.value {
                Cow::Borrowed(value) => places.get(&std::ptr::from_ref::<Value>(value)),
                Cow::Owned(_) => None,
            };
            let source = match place {
                Some((slot, None)) => ParamSource::Slot(*slot),
                // Whatever the text has of its items, another list has others.
                Some((slot, Some(_))) if is_packed(*slot) => return None,
                Some((slot, Some(at))) => ParamSource::Item(*slot, *at),
                None => ParamSource::Same((*param.value).clone()),
            };
            sources.push((source, param.ty));
        }
        let mut fitted = Vec::new();
        for (param, Made { of, how, .. }) in &record.made {
            let slot = slot_of(of)?;
            let value = &params.get(*param)?.value;
            sources.get_mut(*param)?.0 = match how {
                How::Around(ends) if **value == with_ends(of, *ends) => ParamSource::Around(slot, *ends),
                How::By(by) if by.made(target, of).is_some_and(|made| made == **value) => {
                    fitted.push((slot, *by, class(value)?));
                    ParamSource::Fitted(fitted.len() - 1)
                }
                _ => return None,
            };
            *taken.get_mut(slot)? = true;
        }
        let is_param =
            |slot: usize| sources.iter().any(|(source, _)| matches!(source, ParamSource::Slot(of) if *of == slot));
        if (0..slots.len()).any(|slot| is_packed(slot) && !is_param(slot)) {
            return None;
        }
        // Who knows what was made of one that is no parameter.
        if slots.iter().zip(taken).any(|(value, is_taken)| !(is_taken || is_said(value))) {
            return None;
        }
        let has_more = !(types.is_empty() && others.is_empty() && fitted.is_empty() && asked.is_empty());
        let more = has_more.then(|| {
            let (types, others) = (types.into(), others.into());
            Box::new(More { types, others, fitted: fitted.into(), asked: asked.into() })
        });
        Some(Self {
            sql: sql.as_str().into(),
            count: sources.len(),
            params: whole_lists(sources, slots).into(),
            takers: takers.into(),
            more,
            notes: notes.clone(),
            columns: columns.clone(),
            filters: filters.clone(),
        })
    }

    /// The values that are made, if each of the others is one that its column or its type takes as it is, and all answers are
    /// as they were.
    pub(super) fn fitted(&self, target: &Target, slots: &[&Value]) -> Option<Vec<Value>> {
        let taken = self.takers.iter().all(|(slot, (entity, column))| {
            let column = target.catalog().get(*entity).columns.get(*column);
            slots.get(*slot).zip(column).is_some_and(|(value, column)| match value {
                Value::List(items) => column.keeps_all(items),
                value => column.keeps(value),
            })
        });
        match &self.more {
            _ if !taken => None,
            None => Some(Vec::new()),
            Some(more) => more.fitted(target, slots),
        }
    }

    /// How many bytes it has, as far as a look tells.
    pub(super) fn bytes(&self) -> usize {
        let Self { sql, params, count: _, takers, more, notes, columns, filters } = self;
        let more = more.as_deref().map_or(0, More::bytes);
        let lists = size_of_val(&**params) + size_of_val(&**takers) + size_of_val(&**notes) + more;
        size_of::<Self>() + sql.len() + lists + size_of_val(&**columns) + size_of_val(&**filters)
    }

    /// The statement with other values.
    pub(super) fn filled<'e>(&self, slots: &[&'e Value], fitted: &[Value], buffers: Buffers) -> Compiled<'e> {
        let (mut sql, params) = buffers.into_parts();
        let mut params = recycle_params(params);
        // Room of the size that is needed costs less than room that grows.
        if sql.capacity() < self.sql.len() {
            sql = String::with_capacity(self.sql.len());
        }
        if params.capacity() < self.count {
            params = Vec::with_capacity(self.count);
        }
        sql.push_str(&self.sql);
        for (source, ty) in &self.params {
            let value = match source {
                ParamSource::Slot(slot) => slots.get(*slot).map_or_else(Cow::default, |value| Cow::Borrowed(*value)),
                ParamSource::Items(slot) => {
                    if let Some(Value::List(items)) = slots.get(*slot) {
                        params.extend(items.iter().map(|item| Parameter { value: Cow::Borrowed(item), ty: *ty }));
                    }
                    continue;
                }
                ParamSource::Item(slot, at) => match slots.get(*slot) {
                    Some(Value::List(items)) => items.get(*at).map_or_else(Cow::default, Cow::Borrowed),
                    _ => Cow::default(),
                },
                ParamSource::Around(slot, ends) => {
                    Cow::Owned(slots.get(*slot).map(|text| with_ends(text, *ends)).unwrap_or_default())
                }
                ParamSource::Fitted(made) => {
                    fitted.get(*made).map_or_else(Cow::default, |value| Cow::Owned(value.clone()))
                }
                ParamSource::Same(value) => Cow::Owned(value.clone()),
            };
            params.push(Parameter { value, ty: *ty });
        }
        let (notes, columns, filters) = (self.notes.clone(), self.columns.clone(), self.filters.clone());
        Compiled { sql, params, outputs: Vec::new(), notes, columns, filters }
    }
}

/// The parameters, with one place for those that are the items of one list.
fn whole_lists(sources: Vec<ParamOf>, slots: &[&Value]) -> Vec<ParamOf> {
    let length = |slot: usize| match slots.get(slot) {
        Some(Value::List(items)) => items.len(),
        _ => 0,
    };
    let whole = |from: &[ParamOf]| match from {
        [(ParamSource::Item(slot, 0), ty), ..] => {
            let mut all = from.get(..length(*slot))?.iter().enumerate();
            let is_next = |(at, source): (usize, &ParamOf)| matches!(source, (ParamSource::Item(of, place), own) if of == slot && *place == at && own == ty);
            all.all(is_next).then_some((ParamSource::Items(*slot), *ty, length(*slot)))
        }
        _ => None,
    };
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(rest) = sources.get(at..).filter(|rest| !rest.is_empty()) {
        if let Some((source, ty, length)) = whole(rest) {
            found.push((at, source, ty, length));
            at += length;
        } else {
            at += 1;
        }
    }
    let mut sources = sources;
    for (at, source, ty, length) in found.into_iter().rev() {
        sources.splice(at..at + length, [(source, ty)]);
    }
    sources
}

impl More {
    fn fitted(&self, target: &Target, slots: &[&Value]) -> Option<Vec<Value>> {
        let is = |(slot, ty): &(usize, DbType)| match slots.get(*slot) {
            Some(Value::List(items)) => items.iter().all(|item| is_of(item, *ty)),
            value => value.is_some_and(|value| is_of(value, *ty)),
        };
        let takes = |(slot, by): &(usize, By<_>)| slots.get(*slot).is_some_and(|value| by.takes(target, value));
        let answers = |(slot, question, answer): &(usize, Question, bool)| {
            slots.get(*slot).is_some_and(|value| question(value) == *answer)
        };
        let made = |(slot, by, kind): &(usize, By<_>, u8)| {
            by.made(target, slots.get(*slot)?).filter(|made| class(made) == Some(*kind))
        };
        let Self { types, others, fitted, asked } = self;
        let all = types.iter().all(is) && others.iter().all(takes) && asked.iter().all(answers);
        if all { fitted.iter().map(made).collect() } else { None }
    }

    fn bytes(&self) -> usize {
        let Self { types, others, fitted, asked } = self;
        let lists = size_of_val(&**types) + size_of_val(&**others) + size_of_val(&**fitted) + size_of_val(&**asked);
        size_of::<Self>() + lists
    }
}

impl By<ColumnPlace> {
    fn column<'t>(&self, target: &'t Target) -> Option<&'t Column> {
        self.column.and_then(|(entity, column)| target.catalog().get(entity).columns.get(column))
    }

    /// Whether that gives the value as it is, and a look does not tell.
    fn takes(&self, target: &Target, value: &Value) -> bool {
        let column = self.column(target);
        let is_seen = match (column, self.ty) {
            (Some(column), _) => column.keeps(value),
            (None, ty) => ty.is_none_or(|ty| is_of(value, ty)),
        };
        !is_seen && matches!((self.fit)(value, column, self.ty), Ok(Cow::Borrowed(_)))
    }

    /// What that makes of a value that it does not give as it is.
    fn made(&self, target: &Target, value: &Value) -> Option<Value> {
        match (self.fit)(value, self.column(target), self.ty) {
            Ok(Cow::Owned(made)) => Some(made),
            _ => None,
        }
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

/// Finds columns in the catalog.
pub(crate) struct Places<'t> {
    target: &'t Target,
    known: HashMap<*const Column, ColumnPlace>,
}

impl<'t> Places<'t> {
    pub(crate) fn new(target: &'t Target) -> Self {
        Self { target, known: HashMap::new() }
    }

    fn of(&mut self, column: &Column) -> Option<ColumnPlace> {
        match self.known.entry(column) {
            Entry::Occupied(place) => Some(*place.get()),
            Entry::Vacant(new) => Some(*new.insert(place_of(self.target, column)?)),
        }
    }

    fn of_by(&mut self, by: By<&Column>) -> Option<By<ColumnPlace>> {
        let column = match by.column {
            Some(column) => Some(self.of(column)?),
            None => None,
        };
        Some(By { fit: by.fit, column, ty: by.ty })
    }

    /// What takes a value, with its column's place.
    pub(crate) fn of_taker(&mut self, taker: Taker<&Column>) -> Option<Taker<ColumnPlace>> {
        Some(match taker {
            Taker::Column(column) => Taker::Column(self.of(column)?),
            Taker::By(by) => Taker::By(self.of_by(by)?),
            Taker::Type(ty) => Taker::Type(ty),
            Taker::Any => Taker::Any,
        })
    }

    /// How a value was made, with its column's place.
    pub(crate) fn of_made<'e>(&mut self, made: Made<'e, &Column>) -> Option<Made<'e, ColumnPlace>> {
        let how = match made.how {
            How::Around(ends) => How::Around(ends),
            How::By(by) => How::By(self.of_by(by)?),
        };
        Some(Made { index: made.index, of: made.of, how })
    }
}

/// Where a column is in the catalog: found by where it lies, as there may be many.
fn place_of(target: &Target, column: &Column) -> Option<ColumnPlace> {
    let mut entities = target.catalog().entities();
    let (id, entity) =
        entities.find(|(_, entity)| entity.columns.as_ptr_range().contains(&std::ptr::from_ref(column)))?;
    Some((id, entity.columns.iter().position(|own| std::ptr::eq(own, column))?))
}
