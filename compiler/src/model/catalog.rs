//! All entities, by name and number.

use std::sync::Arc;

use hashbrown::HashTable;

use super::names;
use super::{CatalogBuilder, Column, Entity, ForeignColumn, Relation};

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
pub struct Catalog(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    entities: Vec<Entity>,
    /// What an id of a larger catalog gives: an entity without name and columns, so that nothing can go wrong.
    nowhere: Entity,
    index: HashTable<Entry>,
}

/// What a name means: an entity by its full name, or by the part behind the last dot.
#[derive(Debug, Clone, Copy)]
struct Entry {
    id: EntityId,
    short: bool,
}

impl Catalog {
    /// Starts a catalog.
    pub fn builder() -> CatalogBuilder {
        CatalogBuilder::default()
    }

    pub(super) fn new(entities: Vec<Entity>, nowhere: Entity) -> Self {
        let ids = || (0..).map(EntityId).zip(&entities);
        let mut index: HashTable<Entry> = HashTable::with_capacity(entities.len());
        let name_of = |entry: &Entry| {
            let name = entities.get(entry.id.index()).map_or("", |entity| entity.name.as_str());
            if entry.short { short(name) } else { name }
        };
        let rehash = |entry: &Entry| names::hash(name_of(entry));
        for (id, entity) in ids() {
            index.insert_unique(names::hash(entity.name.as_str()), Entry { id, short: false }, rehash);
        }
        for (id, entity) in ids() {
            let name = short(entity.name.as_str());
            let means = |other: &Entity| short(other.name.as_str()).eq_ignore_ascii_case(name);
            if name.len() < entity.name.as_str().len() && entities.iter().filter(|e| means(e)).count() == 1 {
                index.insert_unique(names::hash(name), Entry { id, short: true }, rehash);
            }
        }
        Self(Arc::new(Inner { index, nowhere, entities }))
    }

    /// The entity of that name, ignoring case. One named `Sales.Order` is also found as `Order` if it is the only one.
    pub fn entity(&self, name: &str) -> Option<(EntityId, &Entity)> {
        let same = |entry: &Entry| {
            let own = self.get(entry.id).name.as_str();
            if entry.short { short(own) } else { own }.eq_ignore_ascii_case(name)
        };
        let entry = self.0.index.find(names::hash(name), same)?;
        Some((entry.id, self.get(entry.id)))
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
