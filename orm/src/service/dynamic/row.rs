//! Rows of structs, by the values of objects.

use isogloss_compiler::expr::Value;

use super::DynamicObject;
use crate::OrmResult;
use crate::dao::constants;
use crate::entity::{FieldError, Writable, Written};

/// Sets what an object has, and what each row of the entity has.
pub(super) fn put_new(object: &DynamicObject, row: &mut dyn Written) -> OrmResult<()> {
    let entity = object.entity();
    for (name, value) in constants(entity) {
        if let Some((place, _)) = entity.column(name.as_str()) {
            row.store(place, value)?;
        }
    }
    put(object, row)
}

/// Sets what an object has.
pub(super) fn put(object: &DynamicObject, row: &mut dyn Written) -> OrmResult<()> {
    let entity = object.entity();
    for (place, value) in object.set_values() {
        let name = entity.columns.get(place).map(|column| column.name.as_str()).unwrap_or_default();
        let bad = |error: FieldError| FieldError::new(format!("`{}.{name}`: {error}", entity.name));
        row.store(place, value).map_err(bad)?;
    }
    Ok(())
}

/// That an object has what nobody can read: a row that is written whole would lose it.
pub(super) fn all_read(object: &DynamicObject) -> OrmResult<()> {
    let entity = object.entity();
    let mut columns = entity.columns.iter().enumerate();
    let unread = columns.find(|(place, column)| !column.is_readable() && column.is_updatable() && !object.has(*place));
    let Some((_, column)) = unread else { return Ok(()) };
    let message = format!("`{}.{}` is not read, so that an update has to give it a value", entity.name, column.name);
    Err(FieldError::new(message).into())
}

/// The key of an object.
pub(super) fn key_of(object: &DynamicObject) -> OrmResult<Vec<Value>> {
    let none = || FieldError::new(format!("the key of `{}` is not set", object.entity().name));
    Ok(object.key().ok_or_else(none)?)
}

/// What a row holds in each column before it is written.
pub(super) struct Stored(Vec<Value>);

impl Stored {
    pub(super) fn of(object: &DynamicObject, row: &dyn Written) -> OrmResult<Self> {
        let places = 0..object.entity().columns.len();
        Ok(Self(places.map(|place| row.stored(place)).collect::<Result<_, FieldError>>()?))
    }

    /// An object takes what is another in the row now: what the scope, subscribers and the database have put into it.
    pub(super) fn changed(self, object: &mut DynamicObject, row: &dyn Written) -> OrmResult<()> {
        for (place, before) in self.0.into_iter().enumerate() {
            let now = row.stored(place)?;
            if now != before || object.has(place) {
                object.keep(place, now);
            }
        }
        Ok(())
    }
}

/// Some columns of a row.
pub(super) struct PartialRow {
    pub(super) row: Box<dyn Written>,
    pub(super) set: Vec<usize>,
}

impl Writable for PartialRow {
    fn has(&self, column: usize) -> bool {
        self.set.contains(&column)
    }

    fn stored(&self, column: usize) -> Result<Value, FieldError> {
        self.row.stored(column)
    }

    fn store(&mut self, column: usize, value: &Value) -> Result<(), FieldError> {
        self.row.store(column, value)
    }

    fn shard(&self) -> Vec<String> {
        self.row.shard()
    }

    fn last_version(&self) -> i64 {
        self.row.last_version()
    }
}
