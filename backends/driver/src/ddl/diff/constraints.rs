//! Foreign keys and checks of a table.

use isogloss_compiler::model::Catalog;

use super::super::constraints::constraint_text;
use super::super::difference::{Difference, Impact, Part};
use super::super::draft::Draft;
use super::super::spelling::{Spelling, quoted};
use super::{Change, Diff, Pair};
use crate::Result;
use crate::introspect::{
    CheckReport, ColumnReport, ForeignKeyReport, Introspection, TableKind, TableReport, names_column,
};

impl<'d, S: Spelling> Diff<'d, S> {
    /// The primary key, which goes before columns change and comes behind. Its statements are for an engine that knows it by a name,
    /// and for a key that nothing refers to.
    pub(super) fn key(&self, pair: &Pair<'_>) -> (Option<Difference>, Option<Difference>) {
        let (now, wanted) = (pair.now, pair.wanted);
        let same = now.primary_key.len() == wanted.primary_key.len()
            && now.primary_key.iter().zip(&wanted.primary_key).all(|(a, b)| self.same(a, b));
        if same {
            return (None, None);
        }
        let text = |key: &[String]| Some(key.join(", ")).filter(|key| !key.is_empty());
        let told = || Difference {
            now: text(&now.primary_key),
            wanted: text(&wanted.primary_key),
            replaces: self.spelling.foreign_keys_off().is_some(),
            ..self.difference(wanted, Part::PrimaryKey)
        };
        let by_hand = || Impact::default().note("a key is changed by hand, with all that refers to it");
        if told().replaces {
            return (None, Some(told()));
        }
        if wanted.primary_key.is_empty() && self.old.is_none() && !self.options.drop_extra {
            let impact = Impact::default().note("it is left alone");
            return (Some(Difference { impact, ..told() }), None);
        }
        let refers = |key: &ForeignKeyReport| {
            self.same(&key.table, &now.name) && self.is_schema(&key.schema, &now.schema, &now.name)
        };
        let is_referred = self.now.tables.iter().flat_map(|table| &table.foreign_keys).any(refers);
        // One whose column goes, goes with it, and no column comes that is part of one.
        let is_there = |name: &String| {
            [now, wanted].iter().all(|table| table.columns.iter().any(|own| self.same(&own.name, name)))
        };
        let is_whole = now.primary_key.iter().chain(&wanted.primary_key).all(is_there);
        let Some(drop) = self.dropped_key(&pair.sql, now).filter(|_| !is_referred && is_whole) else {
            return (None, Some(Difference { impact: by_hand(), ..told() }));
        };
        let (goes, comes) = (self.added_key(&pair.sql, now), self.added_key(&pair.sql, wanted));
        let goes = (!now.primary_key.is_empty()).then(|| {
            let mut impact = self.spelling.impact(Change::DropIndex, None, None);
            // A catalog does not say by which name the engine has made it.
            if self.old.is_some() && now.primary_key_is_made {
                impact =
                    impact.note("the key of a table that was renamed has a name of before: compare with the database");
            }
            Difference { wanted: None, up: drop, down: goes, impact, ..told() }
        });
        let comes = (!wanted.primary_key.is_empty()).then(|| {
            let mut impact =
                self.spelling.impact(Change::AddConstraint, None, None).note("it fails while rows have equal keys");
            let down = self.dropped_key(&pair.sql, wanted).unwrap_or_default();
            if down.is_empty() {
                impact = impact.note("no statement drops it again, as the engine makes its name: give it a `key_name`");
            }
            Difference { now: None, up: comes, down, impact, ..told() }
        });
        (goes, comes)
    }

    /// Whether a column is part of a foreign key, or of what one refers to.
    pub(super) fn is_in_foreign_key(&self, pair: &Pair<'_>, column: &str) -> bool {
        let has = |names: &[String]| names.iter().any(|name| self.same(name, column));
        let refers = |key: &ForeignKeyReport| {
            self.same(&key.table, &pair.now.name)
                && self.is_schema(&key.schema, &pair.now.schema, &pair.now.name)
                && has(&key.referred)
        };
        let is_fixed = |key: &&ForeignKeyReport| !self.is_loose(pair, key);
        pair.now.foreign_keys.iter().filter(is_fixed).any(|key| has(&key.columns))
            || self.now.tables.iter().flat_map(|table| &table.foreign_keys).filter(is_fixed).any(refers)
    }

    /// The statement that drops the primary key of a table, if it has one; none if it has no name, or one that is not known.
    fn dropped_key(&self, sql: &str, table: &TableReport) -> Option<Vec<String>> {
        if !self.spelling.names_keys() {
            return None;
        }
        if table.primary_key.is_empty() {
            return Some(Vec::new());
        }
        Some(vec![self.spelling.drop_constraint(sql, table.primary_key_name.as_deref()?, false)])
    }

    /// The statement that adds the primary key of a table, if it has one: by the name that it is dropped by, also where the engine
    /// has made it, as it would make another one.
    fn added_key(&self, sql: &str, table: &TableReport) -> Vec<String> {
        if table.primary_key.is_empty() {
            return Vec::new();
        }
        let name = table.primary_key_name.as_ref();
        let name =
            name.map(|name| format!("CONSTRAINT {} ", quoted(self.spelling, [name.as_str()]))).unwrap_or_default();
        let columns = table.primary_key.iter().map(|column| quoted(self.spelling, [column.as_str()]));
        vec![format!("ALTER TABLE {sql} ADD {name}PRIMARY KEY ({})", columns.collect::<Vec<_>>().join(", "))]
    }

    /// Foreign keys that go, before any table does, and those that come, when all tables are there.
    pub(super) fn foreign_keys(&self, pair: &Pair<'_>) -> Result<(Vec<Difference>, Vec<Difference>)> {
        let (mut drops, mut adds) = (Vec::new(), Vec::new());
        for wanted in &pair.wanted.foreign_keys {
            if pair.now.foreign_keys.iter().any(|now| self.is_key(now, wanted)) {
                continue;
            }
            let mut told = self.difference(pair.wanted, Part::ForeignKey(wanted.name.clone()));
            told.wanted = Some(text(wanted));
            told.replaces = self.spelling.foreign_keys_off().is_some();
            if !told.replaces {
                told.up.extend(self.named(self.catalog, pair.wanted, |draft| draft.constraint_named(&wanted.name))?);
                told.down = self.without(pair, pair.wanted, &wanted.name);
            }
            let impact = self.spelling.impact(Change::AddConstraint, None, None);
            told.impact = impact.note("it fails while a row refers to nothing");
            adds.push(told);
        }
        for now in &pair.now.foreign_keys {
            if pair.wanted.foreign_keys.iter().any(|wanted| self.is_key(now, wanted)) {
                continue;
            }
            let mut told = self.difference(pair.wanted, Part::ForeignKey(now.name.clone()));
            told.now = Some(text(now));
            // One that the catalog has otherwise is in the way of the new one.
            let is_changed = pair.wanted.foreign_keys.iter().any(|wanted| wanted.name == now.name);
            if !self.options.drop_extra && !is_changed {
                told.impact = Impact::default().note("it is left alone");
            } else if self.spelling.foreign_keys_off().is_some() {
                told.replaces = true;
            } else {
                told.up = self.without(pair, pair.now, &now.name);
                told.down = match self.old {
                    Some(old) => {
                        self.named(old, pair.now, |draft| draft.constraint_named(&now.name))?.into_iter().collect()
                    }
                    None => vec![constraint_text(self.spelling, &pair.parts, now)],
                };
            }
            drops.push(told);
        }
        Ok((drops, adds))
    }

    /// The statements that drop a foreign key of a table, and the index that the engine has made for it, which stays behind.
    fn without(&self, pair: &Pair<'_>, table: &TableReport, name: &str) -> Vec<String> {
        let mut statements = vec![self.spelling.drop_constraint(&pair.sql, name, true)];
        if table.indexes.iter().any(|index| index.of_foreign_key && index.name == name) {
            statements.extend(self.spelling.drop_index(&pair.parts, name, false));
        }
        statements
    }

    /// What the first entity of a table gives that has it.
    fn named(
        &self,
        catalog: &'d Catalog,
        table: &TableReport,
        of: impl Fn(&Draft<'d, S>) -> Result<Option<String>>,
    ) -> Result<Option<String>> {
        for id in self.entities(catalog, table)? {
            if let Some(found) = of(&Draft::new(self.spelling, catalog, id, &[])?)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    pub(super) fn is_key(&self, now: &ForeignKeyReport, wanted: &ForeignKeyReport) -> bool {
        // In any order: each column with the one that it refers to.
        let pairs = |key: &ForeignKeyReport| {
            let name = |name: &String| if self.spelling.ignores_case() { name.to_lowercase() } else { name.clone() };
            let mut pairs: Vec<_> = key.columns.iter().map(name).zip(key.referred.iter().map(name)).collect();
            pairs.sort();
            pairs
        };
        // Where nothing is deferred, both refuse at once, and engines tell one for the other.
        let at_once = |action: &str| action == "RESTRICT" && !wanted.deferred;
        let action = |action: &str| if at_once(action) { "NO ACTION".to_owned() } else { action.to_uppercase() };
        pairs(now) == pairs(wanted)
            && self.same(&now.table, &wanted.table)
            && self.is_schema(&now.schema, &wanted.schema, &wanted.table)
            && action(&now.on_delete) == action(&wanted.on_delete)
            && action(&now.on_update) == action(&wanted.on_update)
            && now.deferred == wanted.deferred
    }

    /// Whether a foreign key refers to a table of the schema that the catalog says, or of that where it is found if it says none.
    fn is_schema(&self, now: &str, wanted: &str, table: &str) -> bool {
        let found = || self.found(TableKind::Table, "", table);
        let is_found = || self.is_default(now) || found().is_some_and(|found| self.same(now, &found.schema));
        // A table of SQLite refers to tables of its schema.
        self.spelling.foreign_keys_off().is_some()
            || self.same(now, wanted)
            || self.old.is_none() && wanted.is_empty() && is_found()
    }

    pub(super) fn added_check(&self, table: &str, check: &CheckReport) -> String {
        let name = quoted(self.spelling, [check.name.as_str()]);
        format!("ALTER TABLE {table} ADD CONSTRAINT {name} CHECK ({})", check.condition)
    }

    /// The statements that drop a check of a table that is there, and add it again. One that is part of a column is said with it, as
    /// the column is at that time: before the columns change, or when they have changed down to one of that name.
    fn check_statements(&self, pair: &Pair<'_>, check: &CheckReport, until: Option<&str>) -> [String; 2] {
        let named = |column: &&ColumnReport| self.same(&column.name, &check.name);
        let changed =
            pair.wanted.columns.iter().take_while(|column| until.is_some_and(|name| !self.same(&column.name, name)));
        let mut columns = changed.chain(&pair.now.columns).filter(|column| check.of_column && named(column));
        let anew = |column| self.spelling.alter_column(&pair.sql, Change::Nullable, column, column)?.into_iter().next();
        match columns.next().and_then(anew) {
            Some(column) => [column.clone(), column + &within(check)],
            None => [self.spelling.drop_constraint(&pair.sql, &check.name, false), self.added_check(&pair.sql, check)],
        }
    }

    /// Whether a check of the table stays.
    pub(super) fn stays(&self, pair: &Pair<'_>, check: &CheckReport) -> bool {
        let is_wanted = pair.wanted.checks.iter().any(|wanted| self.is_check(check, wanted));
        is_wanted || !self.options.drop_extra && self.old.is_none()
    }

    /// Whether a check is that of the catalog: in a database, one without a name, or of another one, does what it is for.
    pub(super) fn is_check(&self, now: &CheckReport, wanted: &CheckReport) -> bool {
        let (is_named, is_same) = (self.same(&now.name, &wanted.name), now.condition == wanted.condition);
        if self.old.is_some() { is_named && is_same } else { is_named || is_same }
    }

    /// The statements that drop the checks that may name a column and that stay, and those that add them again. One that is part of
    /// the column goes and comes with it.
    pub(super) fn checks_around(&self, pair: &Pair<'_>, column: &str) -> (Vec<String>, Vec<String>) {
        let names = |check: &&CheckReport| {
            let is_own = check.of_column && self.same(&check.name, column);
            !is_own && self.stays(pair, check) && names_column(&check.condition, column)
        };
        let checks = pair.now.checks.iter().filter(names).map(|check| self.check_statements(pair, check, Some(column)));
        checks.map(|[drop, add]| (drop, add)).unzip()
    }

    /// Checks, by their names: engines write the condition anew, so that only two catalogs are compared by it.
    ///
    /// Those that go, and those that come: a column cannot go before a check that names it.
    pub(super) fn checks(&self, pair: &Pair<'_>) -> (Vec<Difference>, Vec<Difference>) {
        let tells = |questions: Introspection| questions.checks.is_some() || questions.texts.is_some();
        if self.old.is_none() && !self.spelling.questions().is_some_and(tells) {
            return Default::default();
        }
        let replaces = self.spelling.foreign_keys_off().is_some();
        let is = |now: &CheckReport, wanted: &CheckReport| self.is_check(now, wanted);
        let (mut drops, mut adds) = (Vec::new(), Vec::new());
        for now in pair.now.checks.iter().filter(|now| !pair.wanted.checks.iter().any(|wanted| is(now, wanted))) {
            // MariaDB's own, of a column that holds JSON.
            if now.condition.starts_with("json_valid(") {
                continue;
            }
            let mut told = self.difference(pair.wanted, Part::Check(now.name.clone()));
            told.now = Some(now.condition.clone());
            match (self.options.drop_extra, replaces) {
                (false, _) => told.impact = Impact::default().note("it is left alone"),
                (true, true) => told.replaces = true,
                (true, false) => {
                    let [drop, add] = self.check_statements(pair, now, None);
                    (told.up, told.down) = (vec![drop], vec![add]);
                }
            }
            drops.push(told);
        }
        for wanted in pair.wanted.checks.iter().filter(|wanted| !pair.now.checks.iter().any(|now| is(now, wanted))) {
            let mut told = self.difference(pair.wanted, Part::Check(wanted.name.clone()));
            told.wanted = Some(wanted.condition.clone());
            told.replaces = replaces;
            if !replaces {
                let [drop, add] = self.check_statements(pair, wanted, None);
                (told.up, told.down) = (vec![add], vec![drop]);
            }
            told.impact = self.spelling.impact(Change::AddCheck, None, None).note("it fails while a row is against it");
            adds.push(told);
        }
        (drops, adds)
    }
}

/// A check as part of a column.
pub(super) fn within(check: &CheckReport) -> String {
    format!(" CHECK ({})", check.condition)
}

/// A foreign key in a message.
pub(super) fn text(key: &ForeignKeyReport) -> String {
    let (columns, referred) = (key.columns.join(", "), key.referred.join(", "));
    let table = if key.schema.is_empty() { key.table.clone() } else { format!("{}.{}", key.schema, key.table) };
    let deferred = if key.deferred { ", deferred" } else { "" };
    format!("{columns} -> {table} ({referred}) on delete {}, on update {}{deferred}", key.on_delete, key.on_update)
}
