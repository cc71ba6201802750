//! Versions that the database makes: they are read back in the transaction of the write, so that nobody else has written
//! the row since.

use std::collections::{HashMap, HashSet};

use isogloss_compiler::expr::Value;
use isogloss_compiler::model::Entity as Model;

use super::access::Access;
use super::batch::{BatchGiven, MOST_ROWS, among};
use super::entity::{Placed, has_key, key_columns, key_of, keyed};
use super::row::Got;
use super::{DataViewDao, ObjectDao, TableArgs};
use crate::OrmResult;
use crate::entity::{Table, Writable};

/// The version that the database renews, with its place, if it is not the program that does.
pub(super) fn made(model: &Model) -> Option<Placed<'_>> {
    let place = model.version?;
    model.columns.get(place).filter(|column| !column.is_updatable()).map(|column| (place, column))
}

impl Access {
    /// The version of a row that was just written, and that got that number if it got one.
    pub(super) async fn made_version<R: Writable + ?Sized>(
        &self,
        entity: &R,
        number: Option<&Got>,
    ) -> OrmResult<Option<Got>> {
        let model = self.model()?;
        let version = model.version.and_then(|place| Some((place, model.columns.get(place)?)));
        let Some((place, column)) = version.filter(|_| !model.keys.is_empty()) else { return Ok(None) };
        let key = numbered(key_of(entity, model)?, model, number)?;
        let shard = Self::new(&self.session, self.name.clone(), self.args_of(entity));
        let rows = shard.properties(&[column.name.as_str()], has_key(model, key)?.into()).await?;
        Ok(rows.value(0, column.name.as_str()).map(|version| (place, version.clone())))
    }
}

impl<T: Table> ObjectDao<T> {
    /// The versions of the rows of a shard.
    pub(super) async fn made_versions(
        &self,
        entities: &[T],
        args: &TableArgs,
        places: &[usize],
        given: &mut BatchGiven,
    ) -> OrmResult<()> {
        let model = self.0.model()?;
        let Some((version, column)) = made(model).filter(|_| !model.keys.is_empty()) else { return Ok(()) };
        // A row that was written by itself has been read back already.
        let known: HashSet<usize> =
            given.iter().filter(|(_, column, _)| *column == version).map(|(place, ..)| *place).collect();
        let places: Vec<usize> = places.iter().copied().filter(|place| !known.contains(place)).collect();
        let is_number = |(_, column, _): &&(usize, usize, Value)| Some(*column) == model.identity;
        let numbers: HashMap<usize, Got> =
            given.iter().filter(is_number).map(|(place, column, value)| (*place, (*column, value.clone()))).collect();
        let mut names: Vec<&str> = key_columns(model)?.into_iter().map(|column| column.name.as_str()).collect();
        names.push(column.name.as_str());
        let rows = DataViewDao::<T>::new(&self.0.session).with_args(args.iter().cloned());
        for places in places.chunks((MOST_ROWS / names.len()).max(1)) {
            let mut by_key = HashMap::with_capacity(places.len());
            for place in places {
                let Some(entity) = entities.get(*place) else { continue };
                by_key.insert(numbered(key_of(entity, model)?, model, numbers.get(place))?, *place);
            }
            let found = rows.search_properties(&names, among(model, by_key.keys().cloned().collect())?).await?;
            for row in found.rows() {
                if let Some((value, key)) = row.split_last()
                    && let Some(place) = by_key.remove(key)
                {
                    given.push((place, version, value.clone()));
                }
            }
            // What the engine takes for the same key, and the program does not.
            for place in by_key.into_values() {
                let Some(entity) = entities.get(place) else { continue };
                let got = self.0.made_version(entity, numbers.get(&place)).await?;
                given.extend(got.map(|(column, value)| (place, column, value)));
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
