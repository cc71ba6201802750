//! The row in the body of an insert or an update.
//!
//! Invariant: a column is set only where the catalog says that clients may. No member is ignored, and no digit that the
//! column's definition has no room for is cut off. What is kept of a JSON document is for its field to say: a
//! `serde_json::Value` has numbers of 64 bits, and the last of two members with one name.

pub(crate) mod members;
#[cfg(test)]
mod tests;
mod value;

use isogloss::expr::Value;
use isogloss::model::{Catalog, Column, Entity, EntityId};
use isogloss::service::DynamicObject;
use serde_json::value::RawValue;

use crate::id::{id_of, is_address};
use crate::names::{camel, shown};
use crate::{FieldProblem, Mounted, Problem, WebResult};

/// What is done with the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Write {
    Insert,
    /// The body has the row's key, and may have its version.
    Update,
}

/// Reads a row. What is wrong with it is told together, member by member.
pub(crate) fn read(mounted: &Mounted, body: &[u8], write: Write) -> WebResult<DynamicObject> {
    let sees = |property: &str| mounted.visible().any(|visible| *visible == *property);
    let depth = mounted.rules().json.depth;
    Reader::new(&mounted.catalog, mounted.entity, &mounted.members, &sees, write, depth).read(body)
}

/// The decimals of a row that are no doubles: what is wrong with them where an engine stores them as such.
pub(crate) fn inexact(object: &DynamicObject) -> Vec<FieldProblem> {
    let columns = object.entity().columns.iter().enumerate();
    let inexact = columns.filter(|(place, _)| match object.value(*place) {
        Some(Value::Decimal(number)) => number.to_f64().to_string().parse() != Ok(**number),
        _ => false,
    });
    let names = inexact.map(|(_, column)| camel(column.name.as_str()));
    names.map(|name| FieldProblem::new(&*name, "too-precise", format!("`{name}`: it has at most 15 digits."))).collect()
}

/// How many members a client is told of: no answer is much longer than its request.
const MOST_TOLD: usize = 100;

struct Reader<'c> {
    entity: &'c Entity,
    object: DynamicObject,
    /// What clients call each column.
    names: &'c [String],
    sees: &'c dyn Fn(&str) -> bool,
    write: Write,
    /// How deep a document may be.
    depth: usize,
    wrong: Vec<FieldProblem>,
}

impl<'c> Reader<'c> {
    fn new(
        catalog: &'c Catalog,
        id: EntityId,
        names: &'c [String],
        sees: &'c dyn Fn(&str) -> bool,
        write: Write,
        depth: usize,
    ) -> Self {
        let (entity, object) = (catalog.get(id), DynamicObject::new(catalog, id));
        Self { entity, object, names, sees, write, depth, wrong: Vec::new() }
    }

    fn read(mut self, body: &[u8]) -> WebResult<DynamicObject> {
        let mut given = vec![false; self.names.len()];
        for (member, raw) in members::of(body)? {
            if self.wrong.len() >= MOST_TOLD {
                return Err(Problem::of_fields(self.wrong));
            }
            let Some((place, column)) = self.column(&member) else {
                let member = shown(&member);
                // A row that was read has it, and is not written with it.
                if (self.sees)(&member) && self.entity.property(&member).is_none() {
                    let detail = format!("`{member}` is read from another table: leave it out.");
                    self.tell(&member, "not-writable", &detail);
                } else {
                    self.tell(&member, "unknown", &format!("There is no member `{member}` to set."));
                }
                continue;
            };
            match given.get_mut(place) {
                Some(given) if !*given => *given = true,
                _ => {
                    self.tell(&member, "duplicate", "It is there twice.");
                    continue;
                }
            }
            self.member(&member, place, column, raw)?;
        }
        let missing = self.missing(&given);
        self.wrong.extend(missing);
        if self.wrong.is_empty() { Ok(self.object) } else { Err(Problem::of_fields(self.wrong)) }
    }

    /// What has to be there, and is not.
    fn missing(&self, given: &[bool]) -> Vec<FieldProblem> {
        let missing = self.entity.columns.iter().enumerate().filter(|(place, column)| {
            let is_key = self.write == Write::Update && column.primary_key;
            let is_needed = self.may_set(column) && !column.nullable && column.default.is_none();
            (is_key || is_needed) && given.get(*place) == Some(&false)
        });
        let missing = missing.filter_map(|(place, _)| self.names.get(place));
        missing.map(|name| FieldProblem::new(name, "required", format!("`{name}` is required."))).collect()
    }

    /// The column of a member that clients know.
    fn column(&self, member: &str) -> Option<(usize, &'c Column)> {
        let place = self.names.iter().position(|name| name == member);
        let place = place.or_else(|| self.entity.columns.iter().position(|column| column.name.as_str() == member))?;
        let column = self.entity.columns.get(place)?;
        // The path of a row has its key, whether or not it is shown.
        let is_known = (self.sees)(column.name.as_str()) || self.write == Write::Update && column.primary_key;
        is_known.then_some((place, column))
    }

    fn member(&mut self, member: &str, place: usize, column: &Column, raw: &RawValue) -> WebResult<()> {
        let tells_which = self.write == Write::Update && (column.primary_key || self.entity.version == Some(place));
        if !tells_which && !self.may_set(column) {
            let verb = if self.write == Write::Insert { "set" } else { "changed" };
            self.tell(member, "not-writable", &format!("`{member}` cannot be {verb} by clients: leave it out."));
            return Ok(());
        }
        match value::of(raw.get(), column, self.depth) {
            Ok(value) if self.has_no_address(column, &value) => {
                let detail = format!("`{member}`: a row with this key would have no address. Choose another one.");
                self.tell(member, "no-address", &detail);
                Ok(())
            }
            Ok(value) => {
                self.object.set_value(place, value).map_err(|error| Problem::from(isogloss::OrmError::from(error)))
            }
            Err((code, why)) => {
                self.tell(member, code, &format!("`{member}`: {why}."));
                Ok(())
            }
        }
    }

    /// Returns whether a value is the whole key of a new row, which no path would lead to.
    fn has_no_address(&self, column: &Column, value: &Value) -> bool {
        let is_key = self.write == Write::Insert && column.primary_key && self.entity.keys.len() == 1;
        is_key && id_of([value]).is_some_and(|id| !is_address(&id))
    }

    fn may_set(&self, column: &Column) -> bool {
        let is_written = match self.write {
            Write::Insert => column.is_insertable(),
            Write::Update => column.is_updatable(),
        };
        is_written && column.writable && (self.sees)(column.name.as_str())
    }

    fn tell(&mut self, member: &str, code: &'static str, detail: &str) {
        self.wrong.push(FieldProblem::new(member, code, detail));
    }
}
