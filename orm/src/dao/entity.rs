//! What the catalog knows of a struct, with the values of its rows.

use isogloss_compiler::expr::{LogicExpr, Name, TableExpr, Value, ValueOps, prop, table};
use isogloss_compiler::model::{Catalog, Column, Entity as Model, EntityId};

use super::TableArgs;
use crate::OrmResult;
use crate::entity::{Entity, FieldError, Writable};

/// The catalog's entity of a struct.
pub(crate) fn model<E: Entity>(catalog: &Catalog) -> OrmResult<&Model> {
    Ok(named(catalog, E::NAME)?.1)
}

/// The catalog's entity of that name, with its number.
pub(crate) fn named<'c>(catalog: &'c Catalog, name: &str) -> OrmResult<(EntityId, &'c Model)> {
    let unknown = || FieldError::new(format!("`{name}` is not in the catalog: add it by `.entity::<{name}>()`"));
    Ok(catalog.entity(name).ok_or_else(unknown)?)
}

/// The table of a struct in a statement.
pub(super) fn table_of<E: Entity>(args: &TableArgs) -> TableExpr {
    shard(Name::from_static(E::NAME), args)
}

/// The table of that entity in a statement.
pub(super) fn shard(entity: Name, args: &TableArgs) -> TableExpr {
    TableExpr { table_args: args.as_slice().into(), ..table(entity) }
}

/// A column with its place.
pub(super) type Placed<'m> = (usize, &'m Column);

/// The columns that INSERT writes: all that it may, but for the one that the database numbers.
pub(super) fn inserted(model: &Model) -> Vec<Placed<'_>> {
    let columns = model.columns.iter().enumerate();
    columns.filter(|(place, column)| column.is_insertable() && Some(*place) != model.identity).collect()
}

/// The columns that UPDATE writes: all that it may, but for the key and the version, which it renews.
pub(super) fn updated(model: &Model) -> Vec<Placed<'_>> {
    let columns = model.columns.iter().enumerate();
    columns
        .filter(|(place, column)| {
            column.is_updatable()
                && !column.primary_key
                && Some(*place) != model.identity
                && Some(*place) != model.version
        })
        .collect()
}

/// What a row holds in a column.
pub(super) fn value_of(entity: &(impl Writable + ?Sized), place: usize) -> OrmResult<Value> {
    Ok(entity.stored(place)?)
}

/// The values of a row's key.
pub(super) fn key_of(entity: &(impl Writable + ?Sized), model: &Model) -> OrmResult<Vec<Value>> {
    keyed(model)?.iter().map(|place| value_of(entity, *place)).collect()
}

/// The places of the key's columns, in the order in which the struct has them.
pub(super) fn keyed(model: &Model) -> OrmResult<&[usize]> {
    if model.keys.is_empty() {
        return Err(FieldError::new(format!("`{}` has no primary key", model.name)).into());
    }
    Ok(&model.keys)
}

/// The key's columns, in that order.
pub(super) fn key_columns(model: &Model) -> OrmResult<Vec<&Column>> {
    Ok(keyed(model)?.iter().filter_map(|place| model.columns.get(*place)).collect())
}

/// That the key has these values.
pub(crate) fn has_key(model: &Model, key: Vec<Value>) -> OrmResult<LogicExpr> {
    let columns = key_columns(model)?;
    if columns.len() != key.len() {
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let (entity, given) = (&model.name, key.len());
        let message = format!("the key of `{entity}` is ({}), {given} values are given", names.join(", "));
        return Err(FieldError::new(message).into());
    }
    let mut parts = Vec::with_capacity(key.len());
    for (column, value) in columns.into_iter().zip(key) {
        if value.is_null() {
            let message = format!("`{}.{}` is of the key and never NULL", model.name, column.name);
            return Err(FieldError::new(message).into());
        }
        parts.push(prop(column.name.clone()).eq(value));
    }
    Ok(LogicExpr::all(parts))
}

/// A value that the database gave, back into the row.
pub(super) fn take(entity: &mut (impl Writable + ?Sized), place: usize, value: &Value) -> OrmResult<()> {
    Ok(entity.store(place, value)?)
}
