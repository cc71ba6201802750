//! What is generated, before it is written as text: entities with their columns and relations, under the names that they get.

use isogloss_compiler::model::{Catalog, CatalogBuilder, TableName};
use isogloss_driver::introspect::{SchemaReport, TableKind, TableReport};

use crate::columns::{self, Column};
use crate::constraints::{ForeignKey, Index};
use crate::finding::{Finding, What};
use crate::mapping::{Mapping, TableMapping};
use crate::names::{self, Scope};
use crate::relations::{self, Relation};
use crate::{Error, constraints, definitions, sequences};

/// The table that has the history of migrations, unless it was given another name.
const HISTORY: &str = "isogloss_migrations";

/// Whether the name of a table has its schema in front.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Schemas {
    /// If a table is in a schema in which the connection does not look for tables.
    #[default]
    WhereNeeded,
    /// Each table has it.
    Always,
    /// No table has it.
    Never,
}

/// How a model is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Options {
    /// Whether the name of a table has its schema in front.
    pub schemas: Schemas,
    /// Whether a struct keeps the plural of its table's name.
    pub plural: bool,
}

impl Options {
    /// Whether the name of a table has its schema in front.
    #[must_use]
    pub fn schemas(mut self, schemas: Schemas) -> Self {
        self.schemas = schemas;
        self
    }

    /// Whether a struct keeps the plural of its table's name: `orders` is `Orders`, and not `Order`.
    #[must_use]
    pub fn plural(mut self, plural: bool) -> Self {
        self.plural = plural;
        self
    }
}

/// The entities of a database, and what they cannot express of it.
#[derive(Debug, Clone)]
pub struct Model {
    pub(crate) entities: Vec<Entity>,
    findings: Vec<Finding>,
}

/// An entity: a table or view under the name of its struct.
#[derive(Debug, Clone)]
pub(crate) struct Entity {
    /// The struct's name, which is the entity's.
    pub(crate) name: String,
    /// The table's name in a catalog.
    pub(crate) table: String,
    pub(crate) schema: String,
    /// The table's own name.
    pub(crate) own: String,
    pub(crate) is_view: bool,
    pub(crate) comment: Option<String>,
    /// The name of the primary key, if the engine has not made it.
    pub(crate) key_name: Option<String>,
    pub(crate) members: Vec<Member>,
    /// The relations by several columns, or to columns that are no primary key.
    pub(crate) joins: Vec<Relation>,
    /// The indexes of several columns, or of some of the rows.
    pub(crate) indexes: Vec<Index>,
    /// The checks: names, and conditions with braces doubled.
    pub(crate) checks: Vec<(String, String)>,
    /// The foreign keys that the database keeps.
    pub(crate) foreign_keys: Vec<ForeignKey>,
    /// What belongs to no column.
    pub(crate) notes: Vec<Finding>,
}

/// A column of the table, in its place.
#[derive(Debug, Clone)]
pub(crate) enum Member {
    Column(Box<Column>),
    LeftOut(Finding),
}

impl Member {
    pub(crate) fn column(&self) -> Option<&Column> {
        match self {
            Member::Column(column) => Some(column),
            Member::LeftOut(_) => None,
        }
    }

    pub(crate) fn column_mut(&mut self) -> Option<&mut Column> {
        match self {
            Member::Column(column) => Some(column),
            Member::LeftOut(_) => None,
        }
    }
}

impl Entity {
    pub(crate) fn columns(&self) -> impl Iterator<Item = &Column> {
        self.members.iter().filter_map(Member::column)
    }

    pub(crate) fn columns_mut(&mut self) -> impl Iterator<Item = &mut Column> {
        self.members.iter_mut().filter_map(Member::column_mut)
    }

    pub(crate) fn column(&self, name: &str) -> Option<&Column> {
        let all = || self.columns();
        all().find(|column| column.name == name).or_else(|| all().find(|c| c.name.eq_ignore_ascii_case(name)))
    }

    /// The table with its schema, for people.
    pub(crate) fn place(&self) -> String {
        place(&self.schema, &self.own)
    }

    fn findings(&self) -> impl Iterator<Item = &Finding> {
        let of_members = self.members.iter().flat_map(|member| match member {
            Member::Column(column) => column.notes.as_slice(),
            Member::LeftOut(finding) => std::slice::from_ref(finding),
        });
        self.notes.iter().chain(of_members)
    }
}

pub(crate) fn place(schema: &str, table: &str) -> String {
    if schema.is_empty() { table.to_owned() } else { format!("{schema}.{table}") }
}

impl Model {
    /// The entities of the tables and views of a database.
    #[must_use]
    pub fn new(report: &SchemaReport, mapping: &Mapping, options: &Options) -> Self {
        let mut findings = unknown(report, mapping);
        let several = report.tables.iter().any(|table| Some(&table.schema) != report.tables.first().map(|t| &t.schema));
        let qualified = match options.schemas {
            Schemas::Always => true,
            Schemas::Never => false,
            Schemas::WhereNeeded => {
                report.tables.iter().any(|table| report.default_schema.as_ref() != Some(&table.schema))
            }
        };
        let mut tables: Vec<(&TableReport, Option<&TableMapping>, String)> = Vec::new();
        for table in report.tables.iter().filter(|table| table.name != HISTORY) {
            let said = mapping.table(&table.schema, &table.name);
            if said.is_some_and(|said| said.skip) {
                continue;
            }
            match table_name(table, qualified) {
                Ok(name) => tables.push((table, said, name)),
                Err(why) => findings.push(Finding {
                    table: place(&table.schema, &table.name),
                    part: None,
                    what: What::TableName { why },
                }),
            }
        }
        let mut names =
            Names::new(tables.iter().filter_map(|(_, said, _)| Some(said.as_ref()?.name.as_ref()?.0.as_str())));
        let mut entities = Vec::new();
        let mut made: Vec<&TableReport> = Vec::new();
        for (table, said, name) in tables {
            if let Some(why) = &table.broken {
                let (table, what) = (place(&table.schema, &table.name), What::BrokenView { why: why.clone() });
                findings.push(Finding { table, part: None, what });
                continue;
            }
            let members = columns::of(table, said);
            if !members.iter().any(|member| matches!(member, Member::Column(_))) {
                let left_out = members.into_iter().filter_map(|member| match member {
                    Member::LeftOut(finding) => Some(finding),
                    Member::Column(_) => None,
                });
                findings.extend(left_out);
                findings.push(Finding { table: place(&table.schema, &table.name), part: None, what: What::NoColumns });
                continue;
            }
            let mut entity = Entity {
                name: String::new(),
                table: name,
                schema: table.schema.clone(),
                own: table.name.clone(),
                is_view: table.kind == TableKind::View,
                comment: table.comment.clone(),
                key_name: None,
                members,
                joins: Vec::new(),
                indexes: Vec::new(),
                checks: Vec::new(),
                foreign_keys: Vec::new(),
                notes: Vec::new(),
            };
            names.name(&mut entity, said, options.plural, several);
            entity.key(table, said.and_then(|said| said.primary_key.as_ref()).unwrap_or(&table.primary_key));
            entity.constrain(table);
            entities.push(entity);
            made.push(table);
        }
        relations::relate(&mut entities, &made);
        findings.extend(entities.iter().flat_map(Entity::findings).cloned());
        findings.extend(report.sequences.iter().filter_map(|sequence| sequences::finding(sequence, report)));
        Self { entities, findings }
    }

    /// What the entities do not express, or not as the database has it, table by table.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The names of the structs.
    pub fn entities(&self) -> impl Iterator<Item = &str> {
        self.entities.iter().map(|entity| entity.name.as_str())
    }

    /// The name of each struct, and the schema and the name of its table.
    pub fn tables(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.entities.iter().map(|entity| (entity.name.as_str(), entity.schema.as_str(), entity.own.as_str()))
    }

    /// Whether there is no table.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entities.is_empty()
    }

    /// Definitions for [`CatalogBuilder::from_toml`].
    #[must_use]
    pub fn to_toml(&self) -> String {
        definitions::toml(self)
    }

    /// Definitions for [`CatalogBuilder::from_json`].
    #[must_use]
    pub fn to_json(&self) -> String {
        definitions::json(self)
    }

    /// The catalog of the definitions.
    ///
    /// # Errors
    /// A type that the mapping gives does not fit what its column is: a text that the database numbers, say.
    pub fn catalog(&self) -> Result<Catalog, Error> {
        Ok(CatalogBuilder::from_json(&self.to_json())?.build()?)
    }
}

impl Entity {
    pub(crate) fn note(&mut self, part: Option<&str>, what: What) {
        let (table, part) = (self.place(), part.map(str::to_owned));
        self.notes.push(Finding { table, part, what });
    }

    /// What is to be known about the primary key.
    fn key(&mut self, table: &TableReport, key: &[String]) {
        let place: Vec<String> = self.columns().filter(|c| c.primary_key).map(|c| c.name.clone()).collect();
        if let Some(column) = columns::missing(&self.members, key).cloned() {
            self.note(None, What::KeyColumn { column });
        } else if place.is_empty() {
            self.note(None, What::NoPrimaryKey);
        } else if place.len() == table.primary_key.len() && place != table.primary_key {
            self.note(None, What::KeyOrder { order: list(&table.primary_key) });
        }
        let is_own = !place.is_empty() && place.len() == table.primary_key.len() && !table.primary_key_is_made;
        self.key_name = table.primary_key_name.as_deref().filter(|_| is_own).and_then(constraints::named);
        if let Some(clause) = &table.primary_key_clause {
            self.note(Some("PRIMARY KEY"), What::KeyClause { clause: told(clause) });
        }
        if let Some(what) = constraints::doubt(table.primary_key_kept) {
            self.note(Some("PRIMARY KEY"), what);
        }
    }
}

/// The names of structs that are taken.
struct Names {
    by_hand: Scope,
    taken: Scope,
}

impl Names {
    fn new<'n>(by_hand: impl Iterator<Item = &'n str>) -> Self {
        let mut names = Self { by_hand: Scope::default(), taken: Scope::default() };
        for name in by_hand {
            names.by_hand.take(name);
            names.by_hand.take(&format!("{name}Columns"));
        }
        names
    }

    /// A derive makes a second struct, whose name ends in `Columns`.
    fn is_free(&self, name: &str) -> bool {
        let second = format!("{name}Columns");
        [name, &second].iter().all(|name| !self.taken.has(name) && !self.by_hand.has(name))
    }

    fn name(&mut self, entity: &mut Entity, said: Option<&TableMapping>, plural: bool, several: bool) {
        let by_hand = said.and_then(|said| said.name.as_ref()).map(|name| name.0.clone());
        let wanted = by_hand.clone().unwrap_or_else(|| names::structure(&entity.own, plural));
        let second = format!("{wanted}Columns");
        let name = if by_hand.is_some() && !self.taken.has(&wanted) && !self.taken.has(&second) || self.is_free(&wanted)
        {
            wanted.clone()
        } else {
            let with_schema = format!("{}{wanted}", names::structure(&entity.schema, true));
            let others = std::iter::successors(Some(2_u64), |n| n.checked_add(1)).map(|n| format!("{wanted}{n}"));
            let mut candidates = several.then_some(with_schema).into_iter().chain(others);
            candidates.find(|name| self.is_free(name)).unwrap_or_default()
        };
        if name != wanted {
            entity.note(None, What::Renamed { from: wanted, to: name.clone() });
        }
        self.taken.take(&name);
        self.taken.take(&format!("{name}Columns"));
        entity.name = name;
    }
}

/// The name in a catalog, or why there is none.
fn table_name(table: &TableReport, qualified: bool) -> Result<String, String> {
    if let Some(part) = [&table.schema, &table.name].into_iter().find(|part| part.contains('.')) {
        return Err(format!("`{part}` has a dot, which parts a table's name from its schema"));
    }
    if table.name.contains(['{', '}']) {
        return Err("it has a brace, which stands around the number of a shard".to_owned());
    }
    let name = if qualified { place(&table.schema, &table.name) } else { table.name.clone() };
    name.parse::<TableName>().map(|_| name.clone()).map_err(|error| error.to_string())
}

/// What the mapping names and the database lacks.
fn unknown(report: &SchemaReport, mapping: &Mapping) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, said) in &mapping.tables {
        let is = |table: &&TableReport| table.name == *name || place(&table.schema, &table.name) == *name;
        let found: Vec<&TableReport> = report.tables.iter().filter(is).collect();
        let mut unknown = |part: Option<&String>, what: String| {
            let what = What::UnknownInMapping { what };
            findings.push(Finding { table: name.clone(), part: part.cloned(), what });
        };
        if found.is_empty() {
            unknown(None, "this table".to_owned());
            continue;
        }
        let columns = said.columns.keys().chain(said.types.keys()).chain(said.primary_key.iter().flatten());
        let mut told: Vec<&String> = Vec::new();
        for column in columns.filter(|column| found.iter().all(|table| table.column(column).is_none())) {
            if !told.contains(&column) {
                told.push(column);
                unknown(Some(column), "this column".to_owned());
            }
        }
    }
    findings
}

/// `a`, `b` and `c`.
pub(crate) fn list(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, front)) if !front.is_empty() => format!("{} and {last}", front.join(", ")),
        _ => quoted.concat(),
    }
}

/// SQL of the database in one line; what it does not tell is so.
pub(crate) fn told(sql: &str) -> String {
    let words: Vec<&str> = sql.split_whitespace().collect();
    if words.is_empty() { "..".to_owned() } else { format!("`{}`", words.join(" ")) }
}
