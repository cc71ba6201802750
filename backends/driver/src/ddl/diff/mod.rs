//! Compares the tables of a database with those of a catalog.

mod columns;
mod constraints;
mod expected;
mod fit;
mod indexes;
mod referring;
mod replace;
mod types;

use isogloss_compiler::model::{Catalog, EntityId, SyncTableMode, TableName};

use super::Ddl;
use super::difference::{DiffOptions, Difference, Impact, Part};
use super::draft::Draft;
use super::spelling::{Spelling, quoted, refused};
use crate::Result;
use crate::introspect::{ColumnReport, Filled, SchemaReport, TableKind, TableReport};
use referring::Loosened;

pub(crate) use expected::expected;
pub use types::squeezed;
pub(crate) use types::{bare_default, plain_default, widens};

/// How a table is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// A column is added.
    AddColumn,
    /// A column is dropped.
    DropColumn,
    /// A column gets another type.
    Type {
        /// Whether every value of the old type is one of the new.
        widens: bool,
    },
    /// A column may hold NULL from now on, or no more.
    Nullable,
    /// A column gets another default, or none.
    Default,
    /// A column is numbered from now on, or no more.
    Identity,
    /// A column is computed from now on, in another way, or no more.
    Generated,
    /// A column gets another comment, or none.
    Comment,
    /// An index is made.
    CreateIndex,
    /// An index is dropped.
    DropIndex,
    /// A foreign key is added.
    AddConstraint,
    /// A check is added.
    AddCheck,
    /// The table is replaced by a new one with the same rows.
    Replace,
}

/// What an engine does not let a column change under.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InTheWay {
    /// Indexes and unique keys.
    pub indexes: bool,
    /// Indexes over expressions.
    pub expressions: bool,
    /// Check constraints.
    pub checks: bool,
    /// The primary key.
    pub primary_key: bool,
    /// Foreign keys, those of the table and those that refer to the column.
    pub foreign_keys: bool,
    /// Columns that are computed from it.
    pub computed: bool,
    /// Views that read it.
    pub views: bool,
}

/// The definition of a column, but for its name: type, default, and whether it may hold NULL. `None` if the report does not say
/// what it is computed from, or if the database numbers it.
#[must_use]
pub fn declared(column: &ColumnReport) -> Option<String> {
    let filled = match &column.filled {
        Filled::Not => String::new(),
        Filled::Default(text) if super::is_literal(text) => format!(" DEFAULT {text}"),
        Filled::Default(text) => format!(" DEFAULT ({text})"),
        Filled::Generated(Some(text)) => {
            return Some(format!("{} GENERATED ALWAYS AS ({text}) STORED", column.engine_type));
        }
        Filled::Generated(None) | Filled::Identity { .. } => return None,
    };
    let null = if column.nullable { "" } else { " NOT NULL" };
    Some(format!("{}{filled}{null}", column.engine_type))
}

/// A table in a message.
fn size(table: &TableReport) -> String {
    match table.columns.len() {
        1 => "a table of 1 column".to_owned(),
        count => format!("a table of {count} columns"),
    }
}

/// Said of a table that is never synchronized.
const BY_HAND: &str = "it is never synchronized: it is a view, or a table that is made by hand";

/// Returns whether statements drop a column or a table of a database.
fn is_loss(change: &Difference) -> bool {
    let is_drop = change.wanted.is_none() && matches!(change.part, Part::Column(_) | Part::Table);
    is_drop && !change.is_only_told() && !change.replaces
}

/// A table without foreign keys.
fn bare(table: &TableReport) -> TableReport {
    TableReport { foreign_keys: Vec::new(), ..table.clone() }
}

/// A comparison.
pub(crate) struct Diff<'d, S> {
    pub(crate) spelling: &'d S,
    pub(crate) now: &'d SchemaReport,
    /// The catalog that `now` says, if it is not a database.
    pub(crate) old: Option<&'d Catalog>,
    pub(crate) catalog: &'d Catalog,
    pub(crate) options: &'d DiffOptions,
}

/// A table that is there and should be.
pub(super) struct Pair<'d> {
    now: &'d TableReport,
    wanted: &'d TableReport,
    /// Its name as statements say it, and its parts.
    sql: String,
    parts: Vec<&'d str>,
    /// The columns that have another type than the catalog says, as what they refer to has it.
    types: &'d [(String, String)],
    /// The foreign keys that are dropped while the columns at both of their ends change.
    loosened: &'d [Loosened<'d>],
}

/// A table of the catalog, and what there is of it.
pub(super) struct Wanted<'d> {
    now: Option<&'d TableReport>,
    table: TableReport,
    /// See [`Pair::types`].
    types: Vec<(String, String)>,
}

impl<'d, S: Spelling> Diff<'d, S> {
    /// Foreign keys go before tables change, and come when all of them have. What loses data comes last: a statement that fails
    /// before it loses none.
    pub(crate) fn all(&self) -> Result<Vec<Difference>> {
        let declared = expected::declared(self.spelling, self.catalog, self.options)?;
        let mut wanted = Vec::new();
        for table in &declared.tables {
            let now = self.found(TableKind::Table, &table.schema, &table.name);
            let table = now.map_or_else(|| Ok(table.clone()), |now| self.fitted(now, table.clone()))?;
            wanted.push(Wanted { now, table, types: Vec::new() });
        }
        self.refer(&mut wanted);
        wanted.iter_mut().for_each(|wanted| self.spelling.reported(&mut wanted.table));
        let loosened = self.loosened(&wanted);
        let (mut drops, mut found, mut adds, mut losses) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for Wanted { now, table, types } in &wanted {
            match now {
                Some(now) => {
                    let pair = Pair { types, loosened: &loosened, ..self.pair(now, table) };
                    let (goes, comes) = self.foreign_keys(&pair)?;
                    let within = goes.iter().chain(&comes).filter(|key| key.replaces).cloned().collect();
                    let (lost, changes): (Vec<_>, Vec<_>) = self.table(&pair, within)?.into_iter().partition(is_loss);
                    let is_whole = changes.iter().any(|change| change.replaces);
                    found.extend(changes);
                    losses.extend(lost);
                    // They are in the table that replaces it.
                    drops.extend(goes.into_iter().filter(|_| !is_whole));
                    adds.extend(comes.into_iter().filter(|_| !is_whole));
                }
                None => match self.found(TableKind::View, &table.schema, &table.name) {
                    Some(view) => found.extend(self.view(view, table)),
                    None => {
                        let made = self.missing(table, types)?;
                        let is_made = !made.is_only_told();
                        found.push(made);
                        if is_made && self.spelling.foreign_keys_off().is_none() {
                            adds.extend(self.foreign_keys(&self.pair(&bare(table), table))?.1);
                        }
                    }
                },
            }
        }
        for key in &loosened {
            let (goes, comes) = self.loose(key);
            drops.push(goes);
            adds.push(comes);
        }
        let is_extra = |now: &&TableReport| {
            let is_wanted = declared.tables.iter().any(|table| self.is(now, &table.schema, &table.name));
            now.kind == TableKind::Table && !is_wanted && !self.is_left_alone(now)
        };
        for now in self.in_order(self.now.tables.iter().filter(is_extra).collect()) {
            if self.old.is_some() && self.spelling.foreign_keys_off().is_none() {
                drops.extend(self.foreign_keys(&self.pair(now, &bare(now)))?.0);
            }
            losses.push(self.extra(now)?);
        }
        drops.extend(found);
        drops.extend(adds);
        drops.extend(losses);
        Ok(drops)
    }

    /// Tables that go, each before those that it refers to.
    fn in_order(&self, mut tables: Vec<&'d TableReport>) -> Vec<&'d TableReport> {
        let mut ordered = Vec::new();
        while !tables.is_empty() {
            let refers = |from: &TableReport, to: &TableReport| {
                !std::ptr::eq(from, to) && from.foreign_keys.iter().any(|key| self.is(to, &key.schema, &key.table))
            };
            let is_free = |to: &&TableReport| !tables.iter().any(|from| refers(from, to));
            // In a circle, none is.
            let next = tables.iter().position(is_free).unwrap_or_default();
            ordered.push(tables.remove(next));
        }
        ordered
    }

    /// Whether a table that is not compared is known nevertheless: it is ignored, or it is that of another data source or one of a
    /// sharded table's.
    fn is_left_alone(&self, now: &TableReport) -> bool {
        let parts = self.parts(now);
        let is_ignored = |name: &String| self.same(name, &now.name) || self.same(name, &parts.join("."));
        let is_named = |name: &TableName| {
            // The report of a schema does not say in which database it is.
            (1..=parts.len()).any(|most| parts.get(parts.len() - most..).is_some_and(|end| name.matches(end)))
                || name.to_string().split_once('.').is_some_and(|(_, name)| {
                    name.contains('.') && name.parse().is_ok_and(|name: TableName| name.matches(&parts))
                })
        };
        self.options.ignored.iter().any(is_ignored)
            || self.old.is_none()
                && self.catalog.entities().any(|(_, entity)| entity.base.is_none() && is_named(&entity.table))
    }

    fn pair<'p>(&self, now: &'p TableReport, wanted: &'p TableReport) -> Pair<'p> {
        // The name as the catalog has it: without a schema, it is found where the others are.
        let parts = self.parts(wanted);
        Pair { now, wanted, sql: quoted(self.spelling, parts.iter().copied()), parts, types: &[], loosened: &[] }
    }

    fn same(&self, a: &str, b: &str) -> bool {
        if self.spelling.ignores_case() { a.eq_ignore_ascii_case(b) } else { a == b }
    }

    /// Whether a table of the report is one of the catalog, whose schema may be the default one.
    fn is(&self, now: &TableReport, schema: &str, name: &str) -> bool {
        self.same(&now.name, name) && (schema.is_empty() || self.same(&now.schema, schema))
    }

    /// What the report has for a table of the catalog: first that of the default schema, if the catalog says none, and, where case
    /// makes no difference, that which has its very name.
    fn found(&self, kind: TableKind, schema: &str, name: &str) -> Option<&'d TableReport> {
        let named = self.now.tables.iter().filter(|now| now.kind == kind && self.is(now, schema, name));
        let is_elsewhere = |now: &TableReport| schema.is_empty() && !self.is_default(&now.schema);
        named.min_by_key(|now| (is_elsewhere(now), now.name != name))
    }

    /// Whether a name without a schema is looked for in this one, as far as the report says.
    fn is_default(&self, schema: &str) -> bool {
        self.now.default_schema.as_ref().is_none_or(|default| self.same(default, schema))
    }

    fn parts<'t>(&self, table: &'t TableReport) -> Vec<&'t str> {
        let schema = if table.schema.is_empty() { None } else { Some(table.schema.split('.')) };
        schema.into_iter().flatten().chain([table.name.as_str()]).collect()
    }

    /// The entities of a table in a catalog.
    fn entities(&self, catalog: &'d Catalog, table: &TableReport) -> Result<Vec<EntityId>> {
        let mut ids = Vec::new();
        for (id, entity) in expected::entities(catalog, self.options) {
            let draft = Draft::new(self.spelling, catalog, id, &[])?;
            if entity.base.is_none() && draft.parts == self.parts(table) {
                ids.push(id);
            }
        }
        Ok(ids)
    }

    /// The statements that make a table of a catalog, and those that drop it.
    fn whole(
        &self,
        catalog: &'d Catalog,
        table: &TableReport,
        types: &[(String, String)],
    ) -> Result<(Vec<String>, Vec<String>)> {
        let ids = self.entities(catalog, table)?;
        let (Some(first), more) = (ids.first(), ids.get(1..).unwrap_or_default()) else {
            return Ok(Default::default());
        };
        let mut create = Draft::new(self.spelling, catalog, *first, &[])?.types(types).create()?;
        let mut there = Draft::new(self.spelling, catalog, *first, &[])?.expected()?;
        for id in more {
            let draft = Draft::new(self.spelling, catalog, *id, &[])?.types(types);
            let own = draft.expected()?;
            for column in draft.entity.columns.iter().filter(|column| there.column(&column.column).is_none()) {
                create.extend(draft.add_column(column.name.as_str())?);
            }
            let sql = quoted(self.spelling, self.parts(&own));
            for check in own.checks.into_iter().filter(|own| !there.checks.iter().any(|known| known.name == own.name)) {
                // Where it has to be in the text of the table, the first entity has it.
                if self.spelling.foreign_keys_off().is_some() {
                    let why = "is of a second entity of the table: declare it in the first one";
                    return Err(refused(format!("check `{}` {why}", check.name)));
                }
                create.push(self.added_check(&sql, &check));
            }
            let columns = own.columns.into_iter().filter(|own| there.column(&own.name).is_none());
            there.columns.extend(columns.collect::<Vec<_>>());
        }
        Ok((create, self.spelling.drop_table(catalog, *first, &[])?))
    }

    fn difference(&self, table: &TableReport, part: Part) -> Difference {
        Difference {
            table: self.parts(table).join("."),
            part,
            now: None,
            wanted: None,
            up: Vec::new(),
            down: Vec::new(),
            impact: Impact::default(),
            replaces: false,
        }
    }

    /// What a view lacks. Its types are what its query computes.
    fn view(&self, now: &TableReport, wanted: &TableReport) -> Vec<Difference> {
        let lacks =
            wanted.columns.iter().filter(|column| !now.columns.iter().any(|own| self.same(&own.name, &column.name)));
        let told = |column: &ColumnReport| Difference {
            wanted: Some(column.engine_type.clone()),
            impact: Impact::default().note("it is a view, which is made by hand"),
            ..self.difference(wanted, Part::Column(column.name.clone()))
        };
        lacks.map(told).collect()
    }

    fn missing(&self, table: &TableReport, types: &[(String, String)]) -> Result<Difference> {
        let told = Difference { wanted: Some(size(table)), ..self.difference(table, Part::Table) };
        if self.is_made_by_hand(self.catalog, table)? {
            return Ok(Difference { impact: Impact::default().note(BY_HAND), ..told });
        }
        let (up, down) = self.whole(self.catalog, table, types)?;
        Ok(Difference { up, down, ..told })
    }

    /// Returns whether no entity of a table lets it be synchronized.
    fn is_made_by_hand(&self, catalog: &'d Catalog, table: &TableReport) -> Result<bool> {
        let is_never = |id: &EntityId| catalog.get(*id).sync_table == SyncTableMode::Never;
        let ids = self.entities(catalog, table)?;
        Ok(!ids.is_empty() && ids.iter().all(is_never))
    }

    fn extra(&self, now: &'d TableReport) -> Result<Difference> {
        let mut told = self.difference(now, Part::Table);
        told.now = Some(size(now));
        told.impact = Impact::default().loses_data(true);
        if let Some(old) = self.old {
            if self.is_made_by_hand(old, now)? {
                told.impact = Impact::default().note(BY_HAND);
            } else {
                (told.down, told.up) = self.whole(old, now, &[])?;
            }
        } else if self.options.drop_extra {
            told.up = vec![format!("DROP TABLE {}", quoted(self.spelling, self.parts(now)))];
            told.impact = told.impact.note("no statement brings the table back");
        } else {
            told.impact = Impact::default().note("it is left alone");
        }
        Ok(told)
    }

    /// `found` has what is changed within the text of the table.
    fn table(&self, pair: &Pair<'_>, mut found: Vec<Difference>) -> Result<Vec<Difference>> {
        // An index of a column that goes is dropped before it.
        let (drops, creates) = self.indexes(pair)?;
        let (goes, comes) = self.checks(pair);
        let (key_goes, key_comes) = self.key(pair);
        let is_needed = |drop: &Difference| matches!(&drop.part, Part::Index(name) if self.is_needed(pair, name));
        let (later, drops): (Vec<_>, Vec<_>) = drops.into_iter().partition(is_needed);
        let key_stays = !pair.now.primary_key.is_empty() && key_goes.as_ref().is_none_or(Difference::is_only_told);
        found.extend(drops.into_iter().chain(goes).chain(key_goes));
        found.extend(self.comment(pair));
        found.extend(self.columns(pair, key_stays));
        found.extend(comes.into_iter().chain(key_comes));
        let replaces = found.iter().chain(&later).any(|change| change.replaces);
        found.extend(creates);
        found.extend(later);
        Ok(if replaces { vec![self.replaced(pair, &found)] } else { found })
    }

    /// Whether a comment is another one. In a database, one that the catalog lacks was written by hand.
    fn is_new_comment(&self, now: Option<&str>, wanted: Option<&str>) -> bool {
        now != wanted && (wanted.is_some() || self.old.is_some())
    }

    fn comment(&self, pair: &Pair<'_>) -> Option<Difference> {
        let (now, wanted) = (pair.now.comment.as_deref(), pair.wanted.comment.as_deref());
        if !self.is_new_comment(now, wanted) {
            return None;
        }
        let mut told = self.difference(pair.wanted, Part::Comment(None));
        (told.now, told.wanted) = (now.map(str::to_owned), wanted.map(str::to_owned));
        // An engine without comments has nothing to tell.
        told.up = vec![self.spelling.comment_on(&pair.parts, None, now, wanted)?];
        told.down = self.spelling.comment_on(&pair.parts, None, wanted, now).into_iter().collect();
        Some(told)
    }
}
