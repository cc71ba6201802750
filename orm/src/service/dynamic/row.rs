//! Rows of structs, by the values of objects.

use isogloss_compiler::expr::{Expr, Name, Value, from, prop};
use isogloss_compiler::model::Column;

use super::DynamicObject;
use crate::OrmResult;
use crate::dao::{Access, has_key};
use crate::entity::{FieldError, Writable, Written};

/// Sets what an object has, and what each row of the entity has.
pub(super) fn put_new(object: &DynamicObject, row: &mut dyn Written) -> OrmResult<()> {
    for (place, value) in object.constants() {
        row.store(place, value)?;
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

/// Puts into a row what queries leave out of it, as it is stored: who writes the whole row would lose it. What the object has is
/// not asked for, and neither is what no UPDATE sets. False if the session finds no such row, which a service of the program's own
/// may see: it must not be written then.
pub(super) async fn keep_unread(table: &Access, object: &DynamicObject, row: &mut dyn Written) -> OrmResult<bool> {
    let model = table.model()?;
    let is_unread =
        |place: usize, column: &Column| !column.is_readable() && column.is_updatable() && !object.has(place);
    let columns = model.columns.iter().enumerate().filter(|(place, column)| is_unread(*place, column));
    let unread: Vec<(usize, &Name)> = columns.map(|(place, column)| (place, &column.name)).collect();
    if unread.is_empty() {
        return Ok(true);
    }
    let query = table.locked(from(model.name.clone()).filter(has_key(model, key_of(object)?)?)).await?;
    let query = query.select(unread.iter().map(|(_, name)| prop((*name).clone())));
    let found = table.table(Expr::from(query).into()).await?;
    let Some(values) = found.rows().next() else { return Ok(false) };
    for ((place, _), value) in unread.iter().zip(values) {
        row.store(*place, value)?;
    }
    Ok(true)
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
