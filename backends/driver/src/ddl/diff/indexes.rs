//! The indexes of a table.

use isogloss_compiler::dialect::Quotes;

use super::super::difference::{Difference, Impact, Part};
use super::super::draft::Draft;
use super::super::spelling::Spelling;
use super::super::statement::Statement;
use super::{Change, Diff, Pair};
use crate::Result;
use crate::introspect::{IndexKey, IndexReport, TableReport, names_column};

/// An index, or a unique key: some engines take the one for the other.
struct Known<'t> {
    name: &'t str,
    unique: bool,
    /// None if one is an expression.
    columns: Option<Vec<&'t str>>,
    keys: &'t [IndexKey],
    condition: Option<&'t str>,
    method: Option<&'t str>,
    is_key: bool,
}

/// Without those that the engine has made for a foreign key, and which come and go with it.
fn known(table: &TableReport) -> Vec<Known<'_>> {
    let own = |index: &&IndexReport| !index.of_foreign_key;
    let indexes = table.indexes.iter().filter(own).map(|index| Known {
        name: &index.name,
        unique: index.unique,
        columns: columns(index),
        keys: &index.keys,
        condition: index.condition.as_deref(),
        method: index.method.as_deref(),
        is_key: false,
    });
    let keys = table.unique_keys.iter().map(|key| Known {
        name: &key.name,
        unique: true,
        columns: Some(key.columns.iter().map(String::as_str).collect()),
        keys: &[],
        condition: None,
        method: None,
        is_key: true,
    });
    indexes.chain(keys).collect()
}

fn columns(index: &IndexReport) -> Option<Vec<&str>> {
    let column = |key: &'_ IndexKey| matches!(key, IndexKey::Column(_));
    index.keys.iter().all(column).then(|| {
        let columns = index.keys.iter().filter_map(|key| match key {
            IndexKey::Column(name) => Some(name.as_str()),
            IndexKey::Expression(_) => None,
        });
        columns.collect()
    })
}

impl<'d, S: Spelling> Diff<'d, S> {
    /// Those that go, and those that come.
    pub(super) fn indexes(&self, pair: &Pair<'_>) -> Result<(Vec<Difference>, Vec<Difference>)> {
        let (now, wanted) = (known(pair.now), known(pair.wanted));
        let (mut drops, mut creates) = (Vec::new(), Vec::new());
        let is_right = |a: &Known<'_>, b: &Known<'_>| self.is_right(a, b);
        for index in &wanted {
            let there = now.iter().find(|there| self.same(there.name, index.name));
            if there.is_some_and(|there| is_right(there, index)) {
                continue;
            }
            // One of another name does what it is for. It stays, so that it may not be what goes.
            let other = now.iter().filter(|other| !wanted.iter().any(|wanted| self.same(wanted.name, other.name)));
            if there.is_none() && self.old.is_none() && other.clone().any(|other| is_right(other, index)) {
                continue;
            }
            let mut created = self.created(pair, index)?;
            if let Some(there) = there {
                let dropped = self.dropped(pair, there, Some(index))?;
                match dropped.as_ref().and_then(|dropped| self.exchanged(pair, index.name, dropped, &created)) {
                    Some(exchanged) => created = exchanged,
                    None => drops.extend(dropped),
                }
            }
            creates.push(created);
        }
        for there in now.iter().filter(|there| !wanted.iter().any(|index| self.same(index.name, there.name))) {
            let serves = wanted.iter().any(|index| self.old.is_none() && is_right(there, index));
            if serves
                && !now
                    .iter()
                    .any(|other| wanted.iter().any(|index| self.same(index.name, other.name) && is_right(there, index)))
            {
                continue;
            }
            drops.extend(self.dropped(pair, there, None)?);
        }
        Ok((drops, creates))
    }

    /// Whether an index is as another one: engines write the condition anew, so that only two catalogs are compared by it.
    fn is_right(&self, a: &Known<'_>, b: &Known<'_>) -> bool {
        let same = |a: &[&str], b: &[&str]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same(a, b));
        a.unique == b.unique
            && a.method == b.method
            && a.condition.is_some() == b.condition.is_some()
            && (self.old.is_none() || a.condition == b.condition)
            && match (&a.columns, &b.columns) {
                (Some(a), Some(b)) => same(a, b),
                // So do they with expressions: they name the same columns.
                (None, None) if self.old.is_none() => {
                    let quotes = self.spelling.sheet().quotes;
                    let names = |key: &IndexKey| match key {
                        IndexKey::Column(name) => vec![name.clone()],
                        IndexKey::Expression(text) => quoted_names(text, quotes),
                    };
                    self.same(a.name, b.name) && a.keys.iter().map(names).eq(b.keys.iter().map(names))
                }
                (None, None) => self.same(a.name, b.name) && a.keys == b.keys,
                _ => false,
            }
            && self.leaves_out(a, b)
    }

    /// Whether an index leaves out the rows with NULL that another one leaves out.
    fn leaves_out(&self, a: &Known<'_>, b: &Known<'_>) -> bool {
        let quotes = self.spelling.sheet().quotes;
        let nulls = b.condition.unwrap_or_default().split(" AND ").filter_map(|part| part.strip_suffix(" IS NOT NULL"));
        let mut names = nulls.flat_map(|name| quoted_names(name, quotes));
        !b.unique || names.all(|name| a.condition.is_some_and(|condition| names_column(condition, &name)))
    }

    /// The statements that drop the indexes that name a column and that stay, and those that make them again: those over expressions
    /// alone, or all. None if one of them cannot be made again.
    pub(super) fn indexes_around(
        &self,
        pair: &Pair<'_>,
        column: &str,
        all: bool,
    ) -> Option<(Vec<String>, Vec<String>)> {
        let (now, wanted) = (known(pair.now), known(pair.wanted));
        let (mut drops, mut again) = (Vec::new(), Vec::new());
        let names = |index: &Known<'_>| match &index.columns {
            Some(columns) => columns.iter().any(|name| self.same(name, column)),
            None => index.keys.iter().any(|key| match key {
                IndexKey::Column(name) => self.same(name, column),
                IndexKey::Expression(text) => names_column(text, column),
            }),
        };
        let is_filtered = |index: &Known<'_>| index.condition.is_some_and(|text| names_column(text, column));
        for index in now.iter().filter(|index| all || index.columns.is_none()) {
            if !names(index) && !is_filtered(index) {
                continue;
            }
            let stays = match wanted.iter().find(|wanted| self.same(wanted.name, index.name)) {
                Some(wanted) => self.is_right(index, wanted),
                None => !self.options.drop_extra && self.old.is_none(),
            };
            if stays {
                drops.push(self.spelling.drop_index(&pair.parts, index.name, index.is_key)?);
                // That of the catalog, for one over expressions.
                let made = || self.statement(self.old.unwrap_or(self.catalog), pair.wanted, index.name).ok().flatten();
                again.push(self.again(pair, index).or_else(made)?);
            }
        }
        Some((drops, again))
    }

    /// One statement that makes another index of one that a foreign key needs.
    fn exchanged(&self, pair: &Pair<'_>, name: &str, dropped: &Difference, created: &Difference) -> Option<Difference> {
        if !self.is_needed(pair, name) {
            return None;
        }
        let replace = |create: &Option<&String>| self.spelling.replace_index(&pair.parts, name, create.as_ref()?);
        let up = replace(&created.up.first())?;
        let down = replace(&dropped.down.first()).into_iter().collect();
        Some(Difference { now: dropped.now.clone(), up: vec![up], down, ..created.clone() })
    }

    fn created(&self, pair: &Pair<'_>, index: &Known<'_>) -> Result<Difference> {
        let mut told = self.difference(pair.wanted, Part::Index(index.name.to_owned()));
        told.wanted = Some(text(index));
        told.up = self.statement(self.catalog, pair.wanted, index.name)?.into_iter().collect();
        told.down = self.spelling.drop_index(&pair.parts, index.name, false).into_iter().collect();
        told.impact = self.spelling.impact(Change::CreateIndex, None, None);
        if index.unique {
            told.impact = told.impact.note("it fails while rows have equal values there");
        }
        Ok(told)
    }

    fn dropped(&self, pair: &Pair<'_>, index: &Known<'_>, instead: Option<&Known<'_>>) -> Result<Option<Difference>> {
        let mut told = self.difference(pair.wanted, Part::Index(index.name.to_owned()));
        (told.now, told.wanted) = (Some(text(index)), instead.map(text));
        if instead.is_none() && !self.options.drop_extra {
            told.impact = Impact::default().note("it is left alone");
            return Ok(Some(told));
        }
        let Some(up) = self.spelling.drop_index(&pair.parts, index.name, index.is_key) else {
            told.impact = Impact::default().note("the engine has no statement for it: it is done by hand");
            return Ok(Some(told));
        };
        told.up = vec![up];
        told.impact = self.spelling.impact(Change::DropIndex, None, None);
        let back = match self.old {
            Some(old) => self.statement(old, pair.now, index.name)?,
            None => self.again(pair, index),
        };
        match back {
            Some(back) => told.down = vec![back],
            None => told.impact = told.impact.note("no statement brings it back"),
        }
        Ok(Some(told))
    }

    /// The statement that makes an index of a catalog.
    fn statement(
        &self,
        catalog: &'d isogloss_compiler::model::Catalog,
        table: &TableReport,
        name: &str,
    ) -> Result<Option<String>> {
        for id in self.entities(catalog, table)? {
            if let Some(statement) = Draft::new(self.spelling, catalog, id, &[])?.index_named(name)? {
                return Ok(Some(statement));
            }
        }
        Ok(None)
    }

    /// The statement that makes an index as a report has it.
    fn again(&self, pair: &Pair<'_>, index: &Known<'_>) -> Option<String> {
        if index.method.is_some() {
            return None;
        }
        let filter = match index.condition {
            Some("") => return None,
            condition => condition.map(str::to_owned),
        };
        Some(self.spelling.spell(&Statement::Index {
            parts: pair.parts.iter().map(ToString::to_string).collect(),
            name: index.name.to_owned(),
            columns: index.columns.as_ref()?.iter().map(ToString::to_string).collect(),
            unique: index.unique,
            filter,
            guard: None,
        }))
    }
}

/// The names between quotes in a text of SQL, in their order.
fn quoted_names(text: &str, Quotes(open, close): Quotes) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some((name, after)) = rest.split_once(open).and_then(|(_, rest)| rest.split_once(close)) {
        names.push(name.to_owned());
        rest = after;
    }
    names
}

/// An index in a message.
fn text(index: &Known<'_>) -> String {
    let unique = if index.unique { "unique on " } else { "on " };
    let columns = index.columns.as_ref().map_or("an expression".to_owned(), |columns| columns.join(", "));
    let condition = index.condition.map(|condition| format!(" where {condition}")).unwrap_or_default();
    let method = index.method.map(|method| format!(" by {method}")).unwrap_or_default();
    format!("{unique}{columns}{condition}{method}")
}
