//! Values that the database makes: a version that it renews, and the defaults of columns that INSERT leaves out. They are read
//! back in the transaction of the write, so that nobody else has written the row since.

use std::collections::{HashMap, HashSet};

use isogloss_compiler::expr::Value;
use isogloss_compiler::model::{Column, Entity as Model};

use super::access::Access;
use super::batch::{BatchGiven, MOST_ROWS, Write, among};
use super::entity::{Placed, has_key, key_columns, key_of, keyed};
use super::row::{Got, RowGiven};
use super::{DataViewDao, ObjectDao, TableArgs};
use crate::OrmResult;
use crate::entity::{Table, Writable};

/// The version that the database renews, with its place, if it is not the program that does.
pub(super) fn made(model: &Model) -> Option<Placed<'_>> {
    let place = model.version?;
    model.columns.get(place).filter(|column| !column.is_updatable()).map(|column| (place, column))
}

/// The columns that the database fills in as a row is written, and that the entity takes. An INSERT leaves some of those out that
/// an UPDATE writes: without their defaults, the entity's next UPDATE would overwrite these.
pub(super) fn made_by(write: Write, model: &Model) -> Vec<Placed<'_>> {
    let inserts = matches!(write, Write::Insert | Write::Upsert);
    let made = made(model).filter(|_| write != Write::Delete);
    let columns = model.columns.iter().enumerate();
    let is_left_out =
        |column: &Column| inserts && column.is_readable() && !column.is_insertable() && column.is_updatable();
    columns.filter(|(place, column)| made.is_some_and(|(made, _)| made == *place) || is_left_out(column)).collect()
}

impl Access {
    /// What the database has in these columns of a row that was just written, and that got that number if it got one.
    pub(super) async fn made_values<R: Writable + ?Sized>(
        &self,
        entity: &R,
        number: Option<&Got>,
        columns: &[Placed<'_>],
    ) -> OrmResult<RowGiven> {
        let model = self.model()?;
        if columns.is_empty() || model.keys.is_empty() {
            return Ok(RowGiven::new());
        }
        let key = numbered(key_of(entity, model)?, model, number)?;
        let shard = Self::new(&self.session, self.name.clone(), self.args_of(entity));
        let names: Vec<&str> = columns.iter().map(|(_, column)| column.name.as_str()).collect();
        let rows = shard.properties(&names, has_key(model, key)?.into()).await?;
        let values = rows.rows().next().into_iter().flatten().cloned();
        Ok(columns.iter().map(|(place, _)| *place).zip(values).collect())
    }
}

impl<T: Table> ObjectDao<T> {
    /// What the database has made of the rows of a shard, but for those that have got it already.
    pub(super) async fn made_values(
        &self,
        columns: &[Placed<'_>],
        entities: &[T],
        args: &TableArgs,
        places: &[usize],
        given: &mut BatchGiven,
    ) -> OrmResult<()> {
        let model = self.0.model()?;
        let Some((first, _)) = columns.first().filter(|_| !model.keys.is_empty()) else { return Ok(()) };
        // A row that was written by itself has been read back already.
        let known: HashSet<usize> =
            given.iter().filter(|(_, column, _)| column == first).map(|(place, ..)| *place).collect();
        let places: Vec<usize> = places.iter().copied().filter(|place| !known.contains(place)).collect();
        let is_number = |(_, column, _): &&(usize, usize, Value)| Some(*column) == model.identity;
        let numbers: HashMap<usize, Got> =
            given.iter().filter(is_number).map(|(place, column, value)| (*place, (*column, value.clone()))).collect();
        let keys = key_columns(model)?;
        let names: Vec<&str> = keys
            .iter()
            .copied()
            .chain(columns.iter().map(|(_, column)| *column))
            .map(|column| column.name.as_str())
            .collect();
        let rows = DataViewDao::<T>::new(&self.0.session).with_args(args.iter().cloned());
        for places in places.chunks((MOST_ROWS / names.len()).max(1)) {
            let mut by_key = HashMap::with_capacity(places.len());
            for place in places {
                let Some(entity) = entities.get(*place) else { continue };
                by_key.insert(numbered(key_of(entity, model)?, model, numbers.get(place))?, *place);
            }
            let found = rows.search_properties(&names, among(model, by_key.keys().cloned().collect())?).await?;
            for row in found.rows() {
                if let Some((key, values)) = row.split_at_checked(keys.len())
                    && let Some(place) = by_key.remove(key)
                {
                    given
                        .extend(columns.iter().zip(values).map(|((column, _), value)| (place, *column, value.clone())));
                }
            }
            // What the engine takes for the same key, and the program does not.
            for place in by_key.into_values() {
                let Some(entity) = entities.get(place) else { continue };
                let got = self.0.made_values(entity, numbers.get(&place), columns).await?;
                given.extend(got.into_iter().map(|(column, value)| (place, column, value)));
            }
        }
        Ok(())
    }
}

/// A key with the number that its row has just got.
fn numbered(mut key: Vec<Value>, model: &Model, number: Option<&Got>) -> OrmResult<Vec<Value>> {
    for (known, value) in keyed(model)?.iter().zip(&mut key) {
        if let Some((_, number)) = number.filter(|(numbered, _)| numbered == known) {
            value.clone_from(number);
        }
    }
    Ok(key)
}
