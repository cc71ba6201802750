//! The columns of a table.

use isogloss_compiler::model::Catalog;

use super::super::difference::{Difference, Impact, Part};
use super::super::draft::Draft;
use super::super::spelling::{ColumnOf, Spelling, is_literal, quoted};
use super::super::statement::{Statement, table_ref};
use super::constraints::within;
use super::{Change, Diff, InTheWay, Pair, bare_default, widens};
use crate::Result;
use crate::introspect::{ColumnPlace, ColumnReport, Filled, TableReport, names_column};

/// Said where a column is NOT NULL from now on.
pub(super) const FILL_FIRST: &str = "it fails while a row has NULL there: fill those first";

impl<'d, S: Spelling> Diff<'d, S> {
    /// `key_stays`: whether the primary key of the table is there while they change.
    pub(super) fn columns(&self, pair: &Pair<'_>, key_stays: bool) -> Vec<Difference> {
        let mut found = Vec::new();
        for now in pair.now.columns.iter().filter(|now| self.column_of(pair.wanted, &now.name).is_none()) {
            found.push(self.extra_column(pair, now));
        }
        for wanted in &pair.wanted.columns {
            match self.column_of(pair.now, &wanted.name) {
                Some(now) => found.extend(self.column(pair, now, wanted, key_stays)),
                None => found.push(self.missing_column(pair, wanted)),
            }
        }
        found
    }

    fn column_of<'t>(&self, table: &'t TableReport, name: &str) -> Option<&'t ColumnReport> {
        table.columns.iter().find(|column| self.same(&column.name, name))
    }

    /// The statements that add a column as a catalog has it.
    fn added(
        &self,
        pair: &Pair<'_>,
        catalog: &'d Catalog,
        table: &TableReport,
        to: &ColumnReport,
    ) -> Result<Vec<String>> {
        for id in self.entities(catalog, table)? {
            let draft = Draft::new(self.spelling, catalog, id, &[])?.types(pair.types);
            let Some(column) = draft.entity.columns.iter().find(|column| column.column == to.name) else { continue };
            // What has an index of its own gets it where indexes are compared.
            let mut statements = draft.add_without_index(column.name.as_str())?;
            if let Some(filler) = self.filler(catalog, table, &to.name)? {
                // The default was for the rows that are there.
                let from = ColumnReport { filled: Filled::Default(filler), ..to.clone() };
                statements
                    .extend(self.spelling.alter_column(&pair.sql, Change::Default, &from, to).into_iter().flatten());
            }
            return Ok(statements);
        }
        Ok(Vec::new())
    }

    fn missing_column(&self, pair: &Pair<'_>, wanted: &ColumnReport) -> Difference {
        let mut told = self.difference(pair.wanted, Part::Column(wanted.name.clone()));
        told.wanted = Some(text(wanted));
        told.impact = self.spelling.impact(Change::AddColumn, None, Some(wanted));
        match self.added(pair, self.catalog, pair.wanted, wanted) {
            Ok(statements) => told.up = statements,
            // What cannot be added can be where the table is replaced.
            Err(_) if self.spelling.foreign_keys_off().is_some() => told.replaces = true,
            Err(error) => told.impact = told.impact.note(error.to_string()),
        }
        if !told.is_only_told() {
            told.down = self.spelling.drop_column(&pair.sql, &quoted(self.spelling, [wanted.name.as_str()]));
        }
        told
    }

    fn extra_column(&self, pair: &Pair<'_>, now: &ColumnReport) -> Difference {
        let mut told = self.difference(pair.wanted, Part::Column(now.name.clone()));
        told.now = Some(text(now));
        if now.hidden {
            told.impact = Impact::default().note("it is hidden, and left alone");
            return told;
        }
        if !self.options.drop_extra {
            told.impact = Impact::default().note("it is left alone");
            return told;
        }
        if let Some(why) = view_in_the_way(pair.now, &now.name) {
            told.impact = Impact::default().note(format!("{why}: it is done by hand"));
            return told;
        }
        let name = quoted(self.spelling, [now.name.as_str()]);
        told.up = self.spelling.drop_column(&pair.sql, &name);
        told.impact = self.spelling.impact(Change::DropColumn, Some(now), None).loses_data(true);
        // Rows that are there would have nothing in it.
        let is_addable = now.nullable && now.filled == Filled::Not || matches!(now.filled, Filled::Default(_));
        let back = match self.old {
            Some(old) => self.added(pair, old, pair.now, now).ok(),
            None if !is_addable || self.needs_constant(now) => None,
            None => self.spelling.column_again(now).and_then(|text| {
                let parts: Vec<String> = pair.parts.iter().map(ToString::to_string).collect();
                let mut column = sea_query::ColumnDef::new(now.name.clone());
                column.custom(text);
                let add = Statement::AddColumn { table: table_ref(&parts)?, column: Box::new(column) };
                let comment = self.spelling.comment_on(&pair.parts, Some(&now.name), None, now.comment.as_deref());
                Some(std::iter::once(self.spelling.spell(&add)).chain(comment).collect())
            }),
        };
        match back {
            Some(back) => {
                if now.collation.is_some() && !back.iter().any(|sql| sql.contains(" COLLATE ")) {
                    told.impact = told.impact.note("the column comes back without its collation");
                }
                told.down = back;
            }
            None if self.spelling.foreign_keys_off().is_some() => told.replaces = true,
            None => told.impact = told.impact.note("no statement brings the column back"),
        }
        told
    }

    /// Whether the engine adds no column with such a default.
    fn needs_constant(&self, column: &ColumnReport) -> bool {
        self.spelling.adds_constants_only() && matches!(&column.filled, Filled::Default(text) if !is_literal(text))
    }

    fn column(&self, pair: &Pair<'_>, now: &ColumnReport, wanted: &ColumnReport, key_stays: bool) -> Vec<Difference> {
        let name = || wanted.name.clone();
        let mut found = Vec::new();
        let mut add = |part, change, from: String, to: String| {
            found.push(self.altered(pair, part, change, (now, from), (wanted, to)));
        };
        let (from, to) =
            (self.spelling.reported_type(&now.engine_type), self.spelling.reported_type(&wanted.engine_type));
        let is_default = |column: &ColumnReport| matches!(column.filled, Filled::Default(_) | Filled::Not);
        let affinity = |column: &ColumnReport| self.spelling.affinity(&column.engine_type);
        let differs = from != to && (affinity(now).is_none() || affinity(now) != affinity(wanted))
            // It is that of a column which a new foreign key refers to.
            || now.collation != wanted.collation && pair.types.iter().any(|(name, _)| *name == wanted.name);
        let both = differs && now.filled != wanted.filled && is_default(now) && is_default(wanted);
        let filled = |column: &ColumnReport| filled(&column.filled);
        let with = |ty: &str, column: &ColumnReport| format!("{ty}, {}", filled(column));
        let is_computed = |column: &ColumnReport| matches!(column.filled, Filled::Generated(_));
        let anew = differs && is_computed(now) && is_computed(wanted);
        if anew {
            // Its values are computed, not converted.
            add(Part::Generated(name()), Change::Generated, with(&from, now), with(&to, wanted));
        } else if both {
            // One default is no value of the other type.
            let change = Change::Type { widens: widens(&from, &to) };
            add(Part::Type(name()), change, with(&from, now), with(&to, wanted));
        } else if differs {
            add(Part::Type(name()), Change::Type { widens: widens(&from, &to) }, from, to);
        }
        // A column of a primary key is never NULL.
        let is_key = key_stays && pair.now.primary_key.iter().any(|key| self.same(key, &now.name));
        if now.nullable != wanted.nullable && !(is_key && wanted.nullable && self.spelling.foreign_keys_off().is_none())
        {
            let word = |nullable| if nullable { "NULL" } else { "NOT NULL" }.to_owned();
            add(Part::Nullable(name()), Change::Nullable, word(now.nullable), word(wanted.nullable));
        }
        match (&now.filled, &wanted.filled) {
            _ if both || anew => {}
            (Filled::Identity { .. }, Filled::Identity { .. }) if self.old.is_none() => {}
            (a, b) if a == b || is_null(a) && is_null(b) => {}
            (Filled::Generated(_), _) | (_, Filled::Generated(_)) => {
                add(Part::Generated(name()), Change::Generated, filled(now), filled(wanted));
            }
            (Filled::Identity { .. }, _) | (_, Filled::Identity { .. }) => {
                add(Part::Identity(name()), Change::Identity, filled(now), filled(wanted));
            }
            // What it was filled with when it was added to a table with rows.
            (Filled::Default(a), Filled::Not) if self.old.is_none() && self.is_filler(pair.wanted, wanted, a) => {}
            (Filled::Default(a), Filled::Default(b)) if self.same_default(wanted, a, b) => {}
            _ => add(Part::Default(name()), Change::Default, filled(now), filled(wanted)),
        }
        // A column that is made anew gets its comment with it.
        let is_new = found.iter().any(|told| matches!(told.part, Part::Generated(_)) && !told.up.is_empty());
        if now.comment != wanted.comment && !is_new {
            // Where it is said with the column, it changes nothing else: before the other changes, which say the column with it.
            let to = ColumnReport { comment: wanted.comment.clone(), ..now.clone() };
            let part = Part::Comment(Some(name()));
            let told = self.altered(pair, part, Change::Comment, (now, String::new()), (&to, String::new()));
            // Where there are none, there is no difference.
            if !told.up.is_empty() || told.impact.note.is_some() {
                found.insert(0, Difference { now: now.comment.clone(), wanted: wanted.comment.clone(), ..told });
            }
        }
        found
    }

    /// The statements that change a column.
    fn alter(&self, pair: &Pair<'_>, change: Change, from: &ColumnReport, to: &ColumnReport) -> Option<Vec<String>> {
        let (before, after) = (from.comment.as_deref(), to.comment.as_deref());
        let comment = |before| self.spelling.comment_on(&pair.parts, Some(&to.name), before, after);
        let mut statements = match change {
            Change::Comment => match comment(before) {
                Some(statement) => vec![statement],
                None => self.spelling.alter_column(&pair.sql, change, from, to)?,
            },
            _ => self.spelling.alter_column(&pair.sql, change, from, to)?,
        };
        match change {
            Change::Type { .. } if matches!(from.filled, Filled::Identity { .. }) => {
                statements.extend(
                    self.sequence(pair, from)
                        .and_then(|sequence| self.spelling.sequence_type(&sequence, &to.engine_type)),
                );
            }
            Change::Type { .. } if from.filled != to.filled => {
                statements.extend(self.spelling.alter_column(&pair.sql, Change::Default, from, to)?);
                statements.dedup();
            }
            // The column is a new one.
            Change::Generated if after.is_some() => statements.extend(comment(None)),
            _ => {}
        }
        // The check of a column, which has its name on MariaDB, is said anew with the column.
        let mut own = pair.now.checks.iter().filter(|check| check.of_column && self.same(&check.name, &from.name));
        if let Some(check) = own.next().filter(|check| self.stays(pair, check)) {
            for sql in
                statements.iter_mut().filter(|sql| sql.contains(" MODIFY COLUMN ") || sql.contains(" ADD COLUMN "))
            {
                sql.push_str(&within(check));
            }
        }
        Some(statements)
    }

    fn altered(
        &self,
        pair: &Pair<'_>,
        part: Part,
        change: Change,
        (now, from): (&ColumnReport, String),
        (wanted, to): (&ColumnReport, String),
    ) -> Difference {
        let mut told = self.difference(pair.wanted, part);
        (told.now, told.wanted) = (Some(from), Some(to));
        let alter = |from: &ColumnReport, to: &ColumnReport| self.alter(pair, change, from, to);
        let loses = match change {
            Change::Type { widens } => !widens,
            Change::Generated => true,
            _ => false,
        };
        told.impact = self.spelling.impact(change, Some(now), Some(wanted)).loses_data(loses);
        match alter(now, wanted) {
            Some(up) => told.up = up,
            None if self.spelling.foreign_keys_off().is_some() => told.replaces = change != Change::Comment,
            None => told.impact = told.impact.note("the engine has no statement for it: it is done by hand"),
        }
        let in_the_way = |from: &ColumnReport, to: &ColumnReport| match change {
            // It is dropped and added again, and what names it goes with it.
            Change::Generated => InTheWay { indexes: true, checks: true, views: true, ..InTheWay::default() },
            _ => self.spelling.in_the_way(change, from, to),
        };
        if !told.up.is_empty() {
            let back = alter(wanted, now).unwrap_or_default();
            match self.cleared(pair, now, in_the_way(now, wanted), told.up) {
                Ok(up) => {
                    told.up = up;
                    // The other way the type may not be wider.
                    told.down = self.cleared(pair, now, in_the_way(wanted, now), back).unwrap_or_default();
                }
                Err(why) => {
                    told.up = Vec::new();
                    told.impact = told.impact.note(format!("{why}: it is done by hand"));
                }
            }
        }
        if change == Change::Generated {
            return told;
        }
        // A catalog does not say what the database has of a column beside it.
        if self.old.is_some() && told.up.iter().any(|sql| sql.contains(" MODIFY COLUMN ")) {
            let note = "a collation, ON UPDATE or CHECK that the column was given by hand is lost: compare with the database to keep it";
            told.impact = told.impact.note(note);
        }
        if change == Change::Nullable && !wanted.nullable {
            told.impact = told.impact.note(FILL_FIRST);
        }
        told
    }

    /// The statements that change a column, between those that drop what is in their way and those that make it again; an error says
    /// what cannot be.
    fn cleared(
        &self,
        pair: &Pair<'_>,
        now: &ColumnReport,
        way: InTheWay,
        statements: Vec<String>,
    ) -> Result<Vec<String>, String> {
        if statements.is_empty() {
            return Ok(statements);
        }
        if let Some(why) = view_in_the_way(pair.now, &now.name).filter(|_| way.views) {
            return Err(why);
        }
        if way.primary_key && pair.now.primary_key.iter().any(|key| self.same(key, &now.name)) {
            return Err("the primary key is on the column, with what refers to it".to_owned());
        }
        if way.foreign_keys && self.is_in_foreign_key(pair, &now.name) {
            return Err("a foreign key is on the column".to_owned());
        }
        if way.computed && computed_from(pair.now, &now.name) {
            return Err("a column is computed from it".to_owned());
        }
        let indexes = match (way.indexes, way.expressions) {
            (false, false) => Some(Default::default()),
            (all, _) => self.indexes_around(pair, &now.name, all),
        };
        let Some((indexes, indexes_again)) = indexes else {
            return Err("an index of an expression, or of a kind of its own, is on the column".to_owned());
        };
        let (checks, checks_again) = if way.checks { self.checks_around(pair, &now.name) } else { Default::default() };
        let all = [checks, indexes, statements, indexes_again, checks_again];
        Ok(all.into_iter().flatten().collect())
    }

    /// The sequence that belongs to a column of the database.
    fn sequence(&self, pair: &Pair<'_>, column: &ColumnReport) -> Option<String> {
        let serves = |place: &ColumnPlace| {
            place.schema == pair.now.schema && place.table == pair.now.name && self.same(&place.column, &column.name)
        };
        let own = self.now.sequences.iter().find(|sequence| sequence.owned && sequence.serves.iter().any(serves))?;
        Some(quoted(self.spelling, [own.schema.as_str(), own.name.as_str()]))
    }

    fn is_filler(&self, table: &TableReport, column: &ColumnReport, default: &str) -> bool {
        let filler = self.filler(self.catalog, table, &column.name).ok().flatten();
        filler.is_some_and(|filler| self.same_default(column, &filler, default))
    }

    /// What rows that are there get in a column of a catalog that is never NULL and has no default.
    pub(super) fn filler(&self, catalog: &'d Catalog, table: &TableReport, name: &str) -> Result<Option<String>> {
        for id in self.entities(catalog, table)? {
            let draft = Draft::new(self.spelling, catalog, id, &[])?;
            if let Some(column) = draft.entity.columns.iter().find(|column| column.column == name) {
                if column.default.is_some() || column.nullable || column.computed.is_some() || column.identity.is_some()
                {
                    return Ok(None);
                }
                return Ok(draft.default(column, ColumnOf::OldTable)?.map(str::to_owned));
            }
        }
        Ok(None)
    }
}

/// Whether a column gets NULL where no value is given.
fn is_null(filled: &Filled) -> bool {
    match filled {
        Filled::Default(text) => bare_default(text).eq_ignore_ascii_case("NULL"),
        other => *other == Filled::Not,
    }
}

/// Why a column does not change: the engine refuses it while a view reads the column.
fn view_in_the_way(table: &TableReport, column: &str) -> Option<String> {
    let reader = table.readers.iter().find(|reader| reader.column == column)?;
    Some(format!("the view {} reads the column", reader.view))
}

/// Whether another column of a table may be computed from one.
fn computed_from(table: &TableReport, name: &str) -> bool {
    table.columns.iter().any(|column| match &column.filled {
        Filled::Generated(Some(text)) => names_column(text, name),
        _ => false,
    })
}

/// A column in a message.
fn text(column: &ColumnReport) -> String {
    let null = if column.nullable { "" } else { " NOT NULL" };
    let filled = match &column.filled {
        Filled::Not => String::new(),
        other => format!(" {}", filled(other)),
    };
    format!("{}{null}{filled}", column.engine_type)
}

fn filled(filled: &Filled) -> String {
    match filled {
        Filled::Not => "no default".to_owned(),
        Filled::Default(text) => format!("DEFAULT {text}"),
        Filled::Identity { start, increment } => format!("numbered from {start} by {increment}"),
        Filled::Generated(Some(text)) => format!("computed as {text}"),
        Filled::Generated(None) => "computed".to_owned(),
    }
}
