//! UPDATE of a row by its key, the version that it must have, and the next one.

use chrono::{DateTime, NaiveDateTime, SubsecRound as _, TimeDelta, Utc};
use isogloss_compiler::expr::{
    DbValueType as T, Family, LogicExpr, LogicOperator, Name, TableExpr, UpdateExpr, Value, ValueOps, ValueTypeExpr,
    if_else, prop,
};
use isogloss_compiler::model::{Catalog, Column, Entity as Model};
use isogloss_driver::{Error, ErrorKind};

use super::entity::{Placed, has_key, key_of, keyed, updated, value_of};
use crate::OrmResult;
use crate::entity::{FieldError, Writable};

/// The version that a row must have, and the one that it gets.
pub(super) struct Version {
    place: usize,
    name: Name,
    old: Value,
    new: Option<Value>,
}

impl Version {
    /// That of a row, or the one that is given.
    pub(super) fn of(
        entity: &(impl Writable + ?Sized),
        model: &Model,
        given: Option<Value>,
    ) -> OrmResult<Option<Self>> {
        let column = |place: usize| model.columns.get(place).map(|column| (place, column));
        let Some((place, column)) = model.version.and_then(column) else {
            return match given {
                None => Ok(None),
                Some(_) => {
                    Err(FieldError::new(format!("`{}` has no version: mark a column by `timestamp`", model.name))
                        .into())
                }
            };
        };
        let old = given.map_or_else(|| value_of(entity, place), Ok)?;
        let old = column.rounded(&old).unwrap_or(old);
        let new = next(model, column, &old, entity.last_version())?;
        Ok(Some(Self { place, name: column.name.clone(), old, new }))
    }

    /// Whether the row has none.
    pub(super) fn is_null(&self) -> bool {
        self.old.is_null()
    }

    /// The column and what it has now, if that is another.
    pub(super) fn given(self) -> Option<(usize, Value)> {
        self.new.map(|new| (self.place, new))
    }
}

/// The version that a new row gets, with its place, where the row itself says none: NULL, 0, or the first moment of 1970, as a
/// default has it. Whoever writes a row that was never read does not hit one that somebody else has just inserted.
pub(super) fn first(entity: &(impl Writable + ?Sized), model: &Model) -> OrmResult<Option<(usize, Value)>> {
    let placed = model.version.and_then(|place| Some((place, model.columns.get(place)?)));
    let Some((place, column)) = placed.filter(|(_, column)| column.is_insertable() && column.is_updatable()) else {
        return Ok(None);
    };
    let says_none = match value_of(entity, place)? {
        Value::Null | Value::Int(0) | Value::UInt(0) => true,
        Value::DateTime(at) => at == NaiveDateTime::default(),
        Value::DateTimeOffset(at) => at == DateTime::UNIX_EPOCH,
        _ => false,
    };
    let version = if last(column, entity.last_version()).is_some() { Some(1.into()) } else { now(column) };
    Ok(version.filter(|_| says_none).map(|version| (place, version)))
}

/// The version behind another; none where the database makes it.
fn next(model: &Model, column: &Column, old: &Value, last_version: i64) -> OrmResult<Option<Value>> {
    if !column.is_updatable() {
        return Ok(None);
    }
    let new = match (last(column, last_version), old) {
        (None, old) => now(column).map(|now| later(now, old)),
        (Some(last), Value::Int(old)) if *old < last => Some((old + 1).into()),
        (Some(_), Value::Int(_) | Value::UInt(_) | Value::Null) => Some(1.into()),
        (Some(_), _) => None,
    };
    let (entity, name, ty) = (&model.name, &column.name, column.ty.base.name());
    let other = || FieldError::new(format!("`{entity}.{name}` is a version of type {ty}: give one of that type"));
    Ok(Some(new.ok_or_else(other)?))
}

/// The version that counts no further and begins again at 1, as neither the column nor the field takes more; none where it is a
/// time.
fn last(column: &Column, last_version: i64) -> Option<i64> {
    let (_, greatest) = column.ty.base.range()?;
    Some(i64::try_from(greatest).unwrap_or(i64::MAX).min(last_version))
}

fn now(column: &Column) -> Option<Value> {
    match column.ty.base.family() {
        Family::DateTime => Some(Utc::now().naive_utc().trunc_subsecs(6).into()),
        Family::DateTimeOffset => Some(Utc::now().trunc_subsecs(6).into()),
        _ => None,
    }
}

/// The version by time behind another: now, or the next moment after that one if the clock has not moved on, or was set back.
fn later(now: Value, old: &Value) -> Value {
    let moment = TimeDelta::microseconds(1);
    match (&now, old) {
        (Value::DateTime(at), Value::DateTime(old)) if at <= old => {
            old.trunc_subsecs(6).checked_add_signed(moment).map_or(now, Value::from)
        }
        (Value::DateTimeOffset(at), Value::DateTimeOffset(old)) if at <= old => {
            old.trunc_subsecs(6).checked_add_signed(moment).map_or(now, Value::from)
        }
        _ => now,
    }
}

/// An UPDATE of any rows, which renews their version if it does not say what that is. One by time becomes the present time, which
/// is not compared with what each row has: not every engine adds a microsecond to a time.
pub(super) fn renewing(catalog: &Catalog, mut update: UpdateExpr, last_version: i64) -> UpdateExpr {
    let Some((_, model)) = catalog.entity(update.table.entity.as_str()) else { return update };
    let version = model.version.and_then(|place| model.columns.get(place)).filter(|column| column.is_updatable());
    let given =
        |column: &&Column| update.sets.iter().any(|(name, _)| name.as_str().eq_ignore_ascii_case(column.name.as_str()));
    let Some(column) = version.filter(|column| !given(column)) else { return update };
    let old = || prop(column.name.clone());
    let new = match last(column, last_version) {
        Some(last) => Some(if_else(old().lt(last), old() + 1, 1).into()),
        None => now(column).map(ValueTypeExpr::from),
    };
    update.sets.extend(new.map(|new| (column.name.clone(), new)));
    update
}

/// An UPDATE that takes the mark of deleted rows away.
pub(super) fn restoring(table: TableExpr, model: &Model) -> OrmResult<UpdateExpr> {
    let marked = model.soft_delete.and_then(|place| model.columns.get(place));
    let none = || FieldError::new(format!("`{}` has no column that marks its deleted rows: `soft_delete`", model.name));
    let column = marked.ok_or_else(none)?;
    let not_deleted = if column.ty.base == T::Boolean { false.into() } else { Value::Null };
    Ok(table.update([(column.name.clone(), not_deleted)]))
}

/// The UPDATE that writes a row over the one with its key and its version.
pub(super) fn changes(
    table: TableExpr,
    entity: &(impl Writable + ?Sized),
    model: &Model,
    version: Option<&Version>,
) -> OrmResult<UpdateExpr> {
    let mut sets: Vec<(Name, ValueTypeExpr)> = Vec::new();
    for (place, column) in changeable(model).into_iter().filter(|(place, _)| entity.has(*place)) {
        sets.push((column.name.clone(), ValueTypeExpr::from(value_of(entity, place)?)));
    }
    let mut filter = has_key(model, key_of(entity, model)?)?;
    if let Some(version) = version {
        if let Some(new) = &version.new {
            sets.push((version.name.clone(), new.clone().into()));
        }
        filter &= prop(version.name.clone()).eq(version.old.clone());
    }
    if sets.is_empty() {
        let message = format!("`{}` has no column that an UPDATE may write, but for its key", model.name);
        return Err(FieldError::new(message).into());
    }
    Ok(table.update(sets).filter(filter))
}

/// Where a value of an UPDATE comes from.
#[derive(Debug, Clone)]
pub(super) enum Slot {
    /// A column of the row.
    Column(usize),
    /// The version that it gets.
    New,
    /// The version that it has.
    Old,
    /// It is the same for every row.
    Fixed(Value),
}

/// Where the values of what [`changes`] makes come from, in their order.
pub(super) fn slots(model: &Model, version: Option<&Version>) -> Vec<Slot> {
    let mut slots: Vec<Slot> = changeable(model).into_iter().map(|(place, _)| Slot::Column(place)).collect();
    slots.extend(version.filter(|version| version.new.is_some()).map(|_| Slot::New));
    slots.extend(keyed(model).into_iter().flatten().copied().map(Slot::Column));
    slots.extend(version.map(|_| Slot::Old));
    slots
}

/// The value that a row has for a slot.
pub(super) fn filled<E: Writable>(
    slot: &Slot,
    entity: &E,
    model: &Model,
    version: Option<&Version>,
) -> OrmResult<Value> {
    Ok(match slot {
        Slot::Column(place) => {
            let value = value_of(entity, *place)?;
            let column = model.columns.get(*place);
            if value.is_null()
                && let Some(column) = column.filter(|column| !column.nullable)
            {
                let message = format!("`{}.{}` is never NULL", model.name, column.name);
                return Err(Error::new(ErrorKind::NotNullViolation, message).into());
            }
            // As the statement of a single row has it.
            column.and_then(|column| column.rounded(&value)).unwrap_or(value)
        }
        Slot::New => version.and_then(|version| version.new.clone()).unwrap_or_default(),
        Slot::Old => version.map(|version| version.old.clone()).unwrap_or_default(),
        Slot::Fixed(value) => value.clone(),
    })
}

/// What an UPDATE of a row writes: what the fixed filter fixes is no part of it.
pub(super) fn changeable(model: &Model) -> Vec<Placed<'_>> {
    let fixed = constants(model);
    updated(model).into_iter().filter(|(_, column)| fixed.iter().all(|(name, _)| **name != column.name)).collect()
}

/// The properties that equal a constant in every row, with that.
pub(crate) fn constants(model: &Model) -> Vec<(&Name, &Value)> {
    let parts: Vec<&LogicExpr> = match &model.fixed_filter {
        None => Vec::new(),
        Some(LogicExpr::And(all)) => all.items.iter().collect(),
        Some(one) => vec![one],
    };
    parts.into_iter().filter_map(constant).collect()
}

fn constant(part: &LogicExpr) -> Option<(&Name, &Value)> {
    match part {
        LogicExpr::Binary(node) if node.operator == LogicOperator::Equal => match (&node.left, &node.right) {
            (ValueTypeExpr::Property(name), ValueTypeExpr::Value(value)) => Some((&name.name, &value.value)),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_by_time_is_later_than_the_one_before_it() {
        let at = |text: &str| text.parse::<NaiveDateTime>().unwrap();
        let (old, after) = (at("2024-01-31T10:20:00.000001"), at("2024-01-31T10:20:00.000002"));
        for (now, next) in
            [(old, after), (at("2024-01-31T10:19:00"), after), (at("2024-01-31T10:21:00"), at("2024-01-31T10:21:00"))]
        {
            assert_eq!(later(now.into(), &old.into()), next.into(), "{now}");
            let (now, next) = (now.and_utc().fixed_offset(), next.and_utc().fixed_offset());
            assert_eq!(later(now.into(), &old.and_utc().into()), next.into(), "{now}");
        }
        // A digit that is not stored is none that counts.
        assert_eq!(later(old.into(), &at("2024-01-31T10:20:00.000001999").into()), after.into());
        assert_eq!(later(old.into(), &Value::Null), old.into());
        let last = NaiveDateTime::MAX;
        assert_eq!(later(old.into(), &last.into()), old.into());
    }
}
