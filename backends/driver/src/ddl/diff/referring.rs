//! Foreign keys whose columns have to have the types of those that they refer to, and what that asks of other changes.

use super::super::constraints::constraint_text;
use super::super::difference::{Difference, Impact, Part};
use super::super::spelling::{Spelling, quoted};
use super::{Change, Diff, Pair, Wanted, constraints, widens};
use crate::introspect::{ColumnReport, ForeignKeyReport, IndexKey, IndexReport, TableKind, TableReport};

/// The type and the collation of a column that a foreign key refers to.
struct Referred {
    ty: String,
    collation: Option<String>,
}

/// A foreign key that goes while the columns at both of its ends change, and comes again.
pub(super) struct Loosened<'d> {
    table: &'d TableReport,
    key: &'d ForeignKeyReport,
}

impl<'d, S: Spelling> Diff<'d, S> {
    /// Gives the columns of foreign keys the types and collations of those of the database that they refer to.
    pub(super) fn refer(&self, wanted: &mut [Wanted<'d>]) {
        if !self.spelling.refers_by_type() || self.old.is_some() {
            return;
        }
        let all: Vec<Vec<(String, Referred)>> = wanted.iter().map(|own| self.referring(wanted, own)).collect();
        for (own, columns) in wanted.iter_mut().zip(all) {
            for (name, Referred { ty, collation }) in columns {
                let Some(column) = own.table.columns.iter_mut().find(|column| column.name == name) else { continue };
                let text =
                    collation.as_ref().map_or_else(|| ty.clone(), |collation| format!("{ty} COLLATE {collation}"));
                (column.engine_type, column.collation) = (ty, collation.or_else(|| column.collation.take()));
                own.types.push((name, text));
            }
        }
    }

    /// The columns of a table that are to have another type or collation.
    fn referring(&self, wanted: &[Wanted<'d>], own: &Wanted<'d>) -> Vec<(String, Referred)> {
        let mut found = Vec::new();
        for key in &own.table.foreign_keys {
            for (name, other) in key.columns.iter().zip(&key.referred) {
                let referred = self.referred(wanted, &key.schema, &key.table, other, wanted.len());
                let column = own.table.columns.iter().find(|column| self.same(&column.name, name));
                let Some((referred, column)) = referred.zip(column) else { continue };
                let is_text = column.portable.is_some_and(|ty| ty.ty.base.is_text());
                let reported = |ty: &str| self.spelling.reported_type(ty);
                let before = column.collation.clone().or_else(|| self.collation_of(own));
                let collation = referred.collation.filter(|collation| is_text && Some(collation) != before.as_ref());
                let is_other = !is_text && reported(&column.engine_type) != reported(&referred.ty);
                if is_other || collation.is_some() {
                    let ty = if is_other { referred.ty } else { column.engine_type.clone() };
                    found.push((column.name.clone(), Referred { ty, collation }));
                }
            }
        }
        found
    }

    /// The collation of texts in a table whose columns have none of their own.
    fn collation_of(&self, own: &Wanted<'d>) -> Option<String> {
        match own.now {
            Some(now) => now.collation.clone(),
            None => self.spelling.table_collation().map(str::to_owned),
        }
    }

    /// What a column is that a foreign key refers to, which may refer to another one itself.
    fn referred(
        &self,
        wanted: &[Wanted<'d>],
        schema: &str,
        table: &str,
        column: &str,
        steps: usize,
    ) -> Option<Referred> {
        let Some(own) = wanted.iter().find(|own| self.is_wanted(own, schema, table)) else {
            let there = self.found(TableKind::Table, schema, table)?;
            let column = there.columns.iter().find(|own| self.same(&own.name, column))?;
            let collation = column.collation.clone().or_else(|| there.collation.clone());
            return Some(Referred { ty: column.engine_type.clone(), collation });
        };
        let further = own.table.foreign_keys.iter().find_map(|key| {
            let at = key.columns.iter().position(|own| self.same(own, column))?;
            self.referred(wanted, &key.schema, &key.table, key.referred.get(at)?, steps.checked_sub(1)?)
        });
        further.or_else(|| {
            let column = own.table.columns.iter().find(|own| self.same(&own.name, column))?;
            let collation = column.collation.clone().or_else(|| self.collation_of(own));
            Some(Referred { ty: column.engine_type.clone(), collation })
        })
    }

    /// Returns whether a table is that of a name, by the schema that the catalog says or by that of the database.
    fn is_wanted(&self, own: &Wanted<'d>, schema: &str, table: &str) -> bool {
        let is_there =
            |now: &TableReport| self.found(TableKind::Table, schema, table).is_some_and(|it| std::ptr::eq(it, now));
        self.same(&own.table.name, table) && (self.same(&own.table.schema, schema) || own.now.is_some_and(is_there))
    }

    /// The foreign keys of the database that stay, and that the engine does not let change with the columns at both of their ends.
    pub(super) fn loosened(&self, wanted: &[Wanted<'d>]) -> Vec<Loosened<'d>> {
        if self.spelling.foreign_keys_off().is_some() {
            return Vec::new();
        }
        let ty = |column: &ColumnReport| self.spelling.reported_type(&column.engine_type);
        let is_loosened = |table: &TableReport, key: &ForeignKeyReport| {
            let Some(target) = self.found(TableKind::Table, &key.schema, &key.table) else { return false };
            let ends: Option<Vec<_>> = key
                .columns
                .iter()
                .zip(&key.referred)
                .map(|(own, other)| Some((self.both(wanted, table, own)?, self.both(wanted, target, other)?)))
                .collect();
            let Some(ends) = ends else { return false };
            let is_barred = |(from, to): (&ColumnReport, &ColumnReport)| {
                let change = Change::Type { widens: widens(&ty(from), &ty(to)) };
                ty(from) != ty(to) && self.spelling.in_the_way(change, from, to).foreign_keys
            };
            ends.iter().any(|(own, other)| is_barred(*own) || is_barred(*other))
                && ends.iter().all(|(own, other)| ty(own.1) == ty(other.1))
        };
        let mut found = Vec::new();
        for pair in wanted {
            let Some(table) = pair.now else { continue };
            let stays = |key: &&ForeignKeyReport| pair.table.foreign_keys.iter().any(|own| self.is_key(key, own));
            let keys = table.foreign_keys.iter().filter(stays).filter(|key| is_loosened(table, key));
            found.extend(keys.map(|key| Loosened { table, key }));
        }
        found
    }

    /// What a column of the database is, and what it should be.
    fn both<'t>(
        &self,
        wanted: &'t [Wanted<'d>],
        table: &'t TableReport,
        name: &str,
    ) -> Option<(&'t ColumnReport, &'t ColumnReport)> {
        let pair = wanted.iter().find(|pair| pair.now.is_some_and(|now| std::ptr::eq(now, table)));
        let now = table.columns.iter().find(|own| self.same(&own.name, name))?;
        let to = pair.and_then(|pair| pair.table.columns.iter().find(|own| self.same(&own.name, name)));
        Some((now, to.unwrap_or(now)))
    }

    /// Returns whether a foreign key is dropped while columns change.
    pub(super) fn is_loose(&self, pair: &Pair<'_>, key: &ForeignKeyReport) -> bool {
        pair.loosened.iter().any(|own| std::ptr::eq(own.key, key))
    }

    /// What drops a foreign key, and what adds it again.
    pub(super) fn loose(&self, loosened: &Loosened<'d>) -> (Difference, Difference) {
        let Loosened { table, key } = loosened;
        let parts = self.parts(table);
        let sql = quoted(self.spelling, parts.iter().copied());
        let text = constraints::text(key);
        let told = |up: &str, down: &str, impact: Impact| Difference {
            now: Some(text.clone()),
            wanted: Some(text.clone()),
            up: vec![up.to_owned()],
            down: vec![down.to_owned()],
            impact: impact.note("its columns and those that it refers to change their type"),
            ..self.difference(table, Part::ForeignKey(key.name.clone()))
        };
        let (drop, add) =
            (self.spelling.drop_constraint(&sql, &key.name, true), constraint_text(self.spelling, &parts, key));
        let goes = told(&drop, &add, Impact::default());
        (goes, told(&add, &drop, self.spelling.impact(Change::AddConstraint, None, None)))
    }

    /// Returns whether a foreign key of the table may need an index, where the engine wants one at each moment.
    pub(super) fn is_needed(&self, pair: &Pair<'_>, index: &str) -> bool {
        if !self.spelling.questions().is_some_and(|questions| questions.indexes_foreign_keys) {
            return false;
        }
        let first = pair.now.indexes.iter().filter(|own| self.same(&own.name, index)).filter_map(first_column);
        let of_key = pair.now.unique_keys.iter().filter(|own| self.same(&own.name, index));
        let mut columns = first.chain(of_key.filter_map(|key| key.columns.first().map(String::as_str)));
        columns.any(|column| {
            let begins = |key: &ForeignKeyReport| key.columns.iter().any(|own| self.same(own, column));
            pair.now.foreign_keys.iter().any(begins)
        })
    }
}

fn first_column(index: &IndexReport) -> Option<&str> {
    match index.keys.first()? {
        IndexKey::Column(name) => Some(name),
        IndexKey::Expression(_) => None,
    }
}
