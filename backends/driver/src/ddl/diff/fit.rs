//! What a database has beside its catalog, and what the catalog cannot say otherwise: it is no difference, and stays where something
//! else changes.

use isogloss_compiler::expr::DbValueType;
use isogloss_compiler::model::ColumnMode;

use super::super::draft::Draft;
use super::super::spelling::Spelling;
use super::{Diff, bare_default, plain_default, squeezed};
use crate::Result;
use crate::introspect::{ColumnReport, Filled, PortableType, TableReport};

impl<'d, S: Spelling> Diff<'d, S> {
    /// The table as it should be, with what stays of the one that is there.
    pub(super) fn fitted(&self, now: &TableReport, mut wanted: TableReport) -> Result<TableReport> {
        if self.old.is_none() {
            // The key of a catalog has the order of the table's columns.
            let has = |key: &[String], name: &String| key.iter().any(|own| self.same(own, name));
            let is_key = now.primary_key.len() == wanted.primary_key.len()
                && now.primary_key.iter().all(|name| has(&wanted.primary_key, name));
            if is_key {
                wanted.primary_key.clone_from(&now.primary_key);
                wanted.primary_key_clause.clone_from(&now.primary_key_clause);
            }
            // One of another name is the key, too.
            if wanted.primary_key_is_made {
                (wanted.primary_key_is_made, wanted.primary_key_name) = match &now.primary_key_name {
                    Some(name) => (now.primary_key_is_made, Some(name.clone())),
                    None => (true, wanted.primary_key_name),
                };
            }
            let is_numbered = |column: &ColumnReport| matches!(column.filled, Filled::Identity { .. });
            let is_number = |column: &ColumnReport| {
                let mut there = now.columns.iter().filter(|there| self.same(&there.name, &column.name));
                is_numbered(column) && there.any(is_numbered)
            };
            let has_number = wanted.columns.iter().any(is_number);
            let read_only = self.read_only(&wanted)?;
            for column in &mut wanted.columns {
                let Some(there) = now.columns.iter().find(|there| self.same(&there.name, &column.name)) else {
                    continue;
                };
                if fits(there, column) {
                    column.engine_type.clone_from(&there.engine_type);
                }
                // What a catalog has for a key is never NULL, and SQLite's may be.
                if is_key && has(&now.primary_key, &there.name) {
                    column.nullable = there.nullable;
                }
                let is_read = column.filled == Filled::Not && read_only.contains(&column.name);
                if is_computed(there) && (is_computed(column) || is_read) {
                    (column.filled, column.stored, column.nullable) =
                        (there.filled.clone(), there.stored, there.nullable);
                }
                // A catalog has one number in a table.
                if is_numbered(there) && column.filled == Filled::Not && has_number {
                    column.filled = there.filled.clone();
                }
            }
        }
        wanted.options.clone_from(&now.options);
        wanted.triggers.clone_from(&now.triggers);
        for column in &mut wanted.columns {
            let Some(there) = now.columns.iter().find(|there| self.same(&there.name, &column.name)) else { continue };
            column.on_null.clone_from(&there.on_null);
            column.collation.clone_from(&there.collation);
            column.updated.clone_from(&there.updated);
            column.hidden = there.hidden;
            if !self.is_new_comment(there.comment.as_deref(), column.comment.as_deref()) {
                column.comment.clone_from(&there.comment);
            }
        }
        Ok(wanted)
    }

    /// The columns that no statement of the program writes.
    fn read_only(&self, table: &TableReport) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for id in self.entities(self.catalog, table)? {
            let draft = Draft::new(self.spelling, self.catalog, id, &[])?;
            let is_written = |mode: ColumnMode| mode.contains(ColumnMode::INSERT) || mode.contains(ColumnMode::UPDATE);
            let columns = draft.entity.columns.iter().filter(|column| !is_written(column.mode));
            names.extend(columns.map(|column| column.column.to_string()));
        }
        Ok(names)
    }

    /// Whether two defaults of a column are one, whatever they are spelled by.
    pub(super) fn same_default(&self, column: &ColumnReport, a: &str, b: &str) -> bool {
        let [a, b] = [a, b].map(|text| self.spelling.reported_default(text));
        let (a, b) = (bare_default(&a), bare_default(&b));
        let is_text = column.portable.is_some_and(|ty| ty.ty.base.is_text());
        if is_text && a.starts_with('\'') && b.starts_with('\'') {
            // The digits of a text are characters.
            return a == b;
        }
        let plain = |text: &str| {
            let plain = plain_default(text);
            match plain.as_str() {
                "true" | "false" if self.spelling.truth(true) == "1" => u8::from(plain == "true").to_string(),
                _ => plain,
            }
        };
        plain(a) == plain(b)
    }
}

/// Whether introspection takes the type of a column for that of the catalog's, so that what is made from a database fits it. It may
/// hold fewer values: `mediumint` is `Int32`.
fn fits(now: &ColumnReport, wanted: &ColumnReport) -> bool {
    let is_shorter = counts_bytes(now) && !counts_bytes(wanted);
    let (Some(there), Some(wanted)) = (now.portable.map(PortableType::nearest), wanted.portable) else { return false };
    !is_shorter && (there == wanted || there.is_unlimited() && is_unsized(wanted) && is_alike(there, wanted))
}

/// Returns whether the catalog says no length or digits: what has no limit in the database keeps having none.
fn is_unsized(wanted: PortableType) -> bool {
    wanted.length.is_none() && wanted.precision.is_none()
}

fn is_alike(there: PortableType, wanted: PortableType) -> bool {
    let (a, b) = (there.ty, wanted.ty);
    a == b || a.base.is_decimal() && b.base == DbValueType::Decimal && a.array == b.array
}

/// Whether the length of a text is one in bytes, as Oracle takes it by itself: it holds fewer characters, unless it is the longest that
/// there is.
fn counts_bytes(column: &ColumnReport) -> bool {
    let is_limited = column.portable.is_some_and(|ty| ty.length.is_some_and(|length| length < 4_000));
    is_limited && squeezed(&column.engine_type).ends_with(" byte)")
}

fn is_computed(column: &ColumnReport) -> bool {
    matches!(column.filled, Filled::Generated(_))
}
