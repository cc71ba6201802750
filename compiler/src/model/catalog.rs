//! All entities, by name and number.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{CatalogBuilder, Column, ColumnCollation, Entity, ForeignColumn, Relation, collation};
use crate::expr::Name;
use crate::names::{self, HashIndex, NameTable};

/// The number of an entity in its catalog. Only a catalog makes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntityId(pub(super) u32);

impl EntityId {
    /// The number, from 0: what a side table over all entities is indexed by.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What the tables are. It does not change once it is built; a clone is the same catalog.
///
/// ```
/// use isogloss_compiler::expr::DbValueType::{Int32, String};
/// use isogloss_compiler::model::{Catalog, ColumnDef, Property, TableDef};
/// let catalog = Catalog::builder()
///     .table(
///         TableDef::new("Customer")
///             .table("Customers")
///             .column(ColumnDef::new("Id", Int32).primary_key())
///             .column(ColumnDef::new("Name", String).length(100)),
///     )
///     .build()?;
/// let (_, customer) = catalog.entity("CUSTOMER").ok_or("no entity")?;
/// assert_eq!(customer.property("name"), Some(Property::Column(1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Catalog(Arc<CatalogInner>);

#[derive(Debug)]
struct CatalogInner {
    entities: Vec<Entity>,
    /// What an id of a larger catalog gives: an entity without name and columns, so that nothing can go wrong.
    nowhere: Entity,
    index: EntityIndex,
    /// The names of the tables that have no schema before theirs.
    tables: NameTable,
    /// Of each entity, the first one over a table of that name.
    firsts: Vec<EntityId>,
    /// Whether the entities are in more than one data source.
    several_sources: bool,
}

/// What each name of an entity means.
#[derive(Debug)]
pub(super) struct EntityIndex {
    entries: Vec<ByName>,
    index: HashIndex,
}

/// An entity by its full name, or by the part behind the last dot.
#[derive(Debug, Clone, Copy)]
struct ByName {
    entity: usize,
    short: bool,
}

impl ByName {
    fn name(self, full: &str) -> &str {
        if self.short { short(full) } else { full }
    }
}

impl EntityIndex {
    /// Names that differ from each other.
    pub(super) fn new(all: &[&str]) -> Self {
        let mut entries: Vec<ByName> = (0..all.len()).map(|entity| ByName { entity, short: false }).collect();
        let mut counts: HashMap<Name, usize> = HashMap::new();
        for name in all {
            *counts.entry(Name::new(short(name))).or_default() += 1;
        }
        for (entity, name) in all.iter().enumerate().filter(|(_, name)| name.contains('.')) {
            let name = short(name);
            if counts.get(&Name::new(name)) == Some(&1) {
                entries.push(ByName { entity, short: true });
            }
        }
        let name = |entry: &ByName| entry.name(all.get(entry.entity).copied().unwrap_or_default());
        let hashes: Vec<u64> = entries.iter().map(|entry| names::hash(name(entry))).collect();
        Self { entries, index: HashIndex::new(&hashes) }
    }

    /// The entity of that name, given the full name of each.
    pub(super) fn find<'n>(&self, name: &str, full: impl Fn(usize) -> &'n str) -> Option<usize> {
        let entry = |place: usize| self.entries.get(place);
        let same = |place| entry(place).is_some_and(|entry| names::same(entry.name(full(entry.entity)), name));
        self.index.find(names::hash(name), same).and_then(entry).map(|entry| entry.entity)
    }
}

impl Catalog {
    /// Starts a catalog.
    pub fn builder() -> CatalogBuilder {
        CatalogBuilder::default()
    }

    pub(super) fn new(entities: Vec<Entity>, nowhere: Entity) -> Self {
        let names: Vec<&str> = entities.iter().map(|entity| entity.name.as_str()).collect();
        let index = EntityIndex::new(&names);
        let mut tables = NameTable::default();
        tables.extend(entities.iter().enumerate().filter_map(|(place, entity)| match entity.table.plain() {
            Some([name]) => Some((name.as_str(), place)),
            _ => None,
        }));
        let mut first = HashMap::new();
        let ids = (0..).map(EntityId).zip(&entities);
        // A statement has one data source, so that two of these do not part the tables in it.
        let firsts = ids.map(|(id, entity)| {
            *first.entry(entity.table.to_string().to_lowercase()).or_insert(entity.base.unwrap_or(id))
        });
        let firsts: Vec<EntityId> = firsts.collect();
        let mut sources = entities.iter().map(|entity| &entity.data_source);
        let first = sources.next();
        let several_sources = sources.any(|source| Some(source) != first);
        Self(Arc::new(CatalogInner { index, nowhere, entities, tables, firsts, several_sources }))
    }

    /// Whether a statement calls a table by this name alone.
    pub(crate) fn has_table(&self, name: &str) -> bool {
        self.0.tables.get(name).is_some()
    }

    /// The same catalog with what a database says of the collations of its columns. The numbers of its entities are the
    /// same, too. What is not said stays as it was.
    ///
    /// Tables and columns are found whatever the case of their names, as some engines say them in another; where several
    /// differ in that only, by the very name, or not at all. A sharded table has what holds for every table that its name
    /// may mean and no other entity's name does.
    #[must_use]
    pub fn with_collations(&self, known: &[ColumnCollation]) -> Self {
        let mut by_name: HashMap<[String; 3], Vec<&ColumnCollation>> = HashMap::with_capacity(known.len());
        for column in known {
            let name = [column.schema.as_deref().unwrap_or_default(), &column.table, &column.column];
            let told = by_name.entry(name.map(str::to_lowercase)).or_default();
            // An engine that is asked table by table says it again for each entity.
            if !told.contains(&column) {
                told.push(column);
            }
        }
        let mut entities = self.0.entities.clone();
        let plain = |entity: &Entity| entity.table.plain().map(|parts| parts.join(".").to_lowercase());
        let plain: HashSet<String> = entities.iter().filter_map(plain).collect();
        for entity in &mut entities {
            let of_shards = match entity.table.plain() {
                Some(_) => HashMap::new(),
                None => collation::of_shards(&entity.table, known, &plain),
            };
            let parts = entity.table.plain().unwrap_or_default();
            let (table, schema) =
                parts.split_last().map_or(("", String::new()), |(table, schema)| (&**table, schema.join(".")));
            for column in &mut entity.columns {
                let is = |known: &&&ColumnCollation| {
                    known.table == table
                        && known.column == column.column
                        && known.schema.as_deref().unwrap_or_default() == schema
                };
                let found = by_name.get(&[&schema, table, &column.column].map(|name: &str| name.to_lowercase()));
                let one = found
                    .and_then(|found| found.iter().find(is).or_else(|| found.first().filter(|_| found.len() == 1)));
                let told = one.map(|known| known.collation.clone());
                let told = told.or_else(|| of_shards.get(&*column.column.to_lowercase()).cloned().flatten());
                column.collation = told.or(column.collation.take());
            }
        }
        Self::new(entities, self.0.nowhere.clone())
    }

    /// Whether a statement may meet entities of different data sources.
    #[inline]
    pub(crate) fn has_several_sources(&self) -> bool {
        self.0.several_sources
    }

    /// The entity of that name, ignoring case. One named `Sales.Order` is also found as `Order` if it is the only one.
    pub fn entity(&self, name: &str) -> Option<(EntityId, &Entity)> {
        let entities = &self.0.entities;
        let entity = self.0.index.find(name, |i| entities.get(i).map_or("", |entity| entity.name.as_str()))?;
        Some((EntityId(u32::try_from(entity).ok()?), entities.get(entity)?))
    }

    /// The entity of that number. An id of another catalog gives what has its number here, or an entity without columns.
    pub fn get(&self, id: EntityId) -> &Entity {
        self.0.entities.get(id.index()).unwrap_or(&self.0.nowhere)
    }

    /// All entities, in order of definition.
    pub fn entities(&self) -> impl Iterator<Item = (EntityId, &Entity)> {
        (0..).map(EntityId).zip(&self.0.entities)
    }

    /// The names of entities that this name may be a slip of, the nearest first.
    pub fn near_matches(&self, name: &str) -> Vec<&str> {
        names::near(name, self.0.entities.iter().map(|entity| entity.name.as_str()))
    }

    /// The entity that owns the table: a view's entity, or the entity itself.
    pub fn table_of(&self, id: EntityId) -> EntityId {
        self.get(id).base.unwrap_or(id)
    }

    /// The first entity over the entity's table, or over one of the same name, which several may be over.
    pub(crate) fn first_of_table(&self, id: EntityId) -> EntityId {
        self.0.firsts.get(id.index()).copied().unwrap_or(id)
    }

    /// Whether an entity's table may be that of another one, for scopes: they are of the same name, whatever their schema,
    /// as a name without one means one of them, or a shard of the one may be the other.
    pub(crate) fn may_be_over(&self, id: EntityId, other: EntityId) -> bool {
        self.first_of_table(id) == self.first_of_table(other) || self.get(id).table.may_be(&self.get(other).table)
    }

    /// The column that a foreign column comes from.
    pub fn foreign(&self, column: &ForeignColumn) -> Option<&Column> {
        self.get(column.entity).columns.get(column.column)
    }

    /// The relations that lead from one entity's table to another's. The reverse ones are those with the two swapped.
    pub fn relations(&self, from: EntityId, to: EntityId) -> impl Iterator<Item = &Relation> {
        let table = self.table_of(to);
        self.get(from).relations.iter().filter(move |relation| relation.target == table || relation.target == to)
    }
}

/// The part of a name behind its last dot.
pub(super) fn short(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(_, last)| last)
}
