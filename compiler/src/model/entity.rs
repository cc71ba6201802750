//! The checked form of a table, or of a view over one.

use compact_str::CompactString;

use super::{Column, Constraint, EntityId, NamedRelation, TableCheck, TableIndex, TableName};
use crate::expr::{LogicExpr, Name, TableJoinType};
use crate::names::{self, HashIndex};

/// A table, or a view over one: its columns, and what can be reached from it.
///
/// Every index in it is valid in the entity that it speaks of.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Entity {
    /// Its name.
    pub name: Name,
    /// Its table; a view's is its entity's.
    pub table: TableName,
    /// What the database says of the table.
    pub comment: Option<String>,
    /// The name of its primary key, if the engine does not make one.
    pub key_name: Option<CompactString>,
    /// The data source that holds it; the default one if absent.
    pub data_source: Option<CompactString>,
    /// Whether the table is made to agree with the definition at run time.
    pub sync_table: SyncTableMode,
    /// The entity that a view is over.
    pub base: Option<EntityId>,
    /// That entity, and the views between, each over the one before it.
    pub lineage: Vec<EntityId>,
    /// The columns of the table, in order of definition. A view has those of its entity first, at the same indices.
    pub columns: Vec<Column>,
    /// The columns that come from joined tables.
    pub foreign_columns: Vec<ForeignColumn>,
    /// The primary key: indices of columns, in the order of their definition.
    pub keys: Vec<usize>,
    /// Every join that a query may need, each after the one that it hangs on.
    pub joins: Vec<Join>,
    /// The relations of the table itself: what an EXISTS over a related entity follows.
    pub relations: Vec<Relation>,
    /// The relations by which rows of other entities are loaded.
    pub named_relations: Vec<NamedRelation>,
    /// What holds for each of its rows: in front of every filter of every statement.
    pub fixed_filter: Option<LogicExpr>,
    /// Whether its table is for statements with a scope that has a filter on it.
    pub scoped: bool,
    /// The column that marks the rows that are deleted.
    pub soft_delete: Option<usize>,
    /// The column whose value says on which server a row lies, where an engine has several.
    pub distribution_key: Option<usize>,
    /// The indexes over several columns, or over some of the rows.
    pub indexes: Vec<TableIndex>,
    /// The conditions that the database keeps for each row.
    pub checks: Vec<TableCheck>,
    /// The foreign keys that the database keeps.
    pub constraints: Vec<Constraint>,
    /// The column that the database numbers.
    pub identity: Option<usize>,
    /// The column that holds the row's version.
    pub version: Option<usize>,
    /// What each name means: columns first, then foreign columns.
    pub(super) index: HashIndex,
}

/// Whether a table is made to agree with its definition at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SyncTableMode {
    /// As the data source says.
    #[default]
    Default,
    /// Never.
    Never,
    /// Always.
    Always,
}

/// What a property of an entity is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Property {
    /// The column with that index.
    Column(usize),
    /// The foreign column with that index.
    Foreign(usize),
}

/// A column that comes from a joined table.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ForeignColumn {
    /// The property's name.
    pub name: Name,
    /// The join that it comes from.
    pub join: usize,
    /// The entity at the end of that join.
    pub entity: EntityId,
    /// The column of that entity.
    pub column: usize,
    /// The views that it is taken through and that entity, each with the property's name there.
    pub through: Vec<(EntityId, Name)>,
    /// Whether a query of a client may name it.
    pub filterable: bool,
}

/// A join that an entity declares.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Join {
    /// Its name, and its table's alias.
    pub alias: Name,
    /// The join that it hangs on; the main table if absent.
    pub source: Option<usize>,
    /// The entity that is joined.
    pub target: EntityId,
    /// Columns of the source, each with the column of the target that it equals. A cross join has none.
    pub keys: Vec<(usize, usize)>,
    /// The kind of join.
    pub join_type: TableJoinType,
    /// Whether a constraint of the database says that what it refers to is there.
    pub enforced: bool,
    /// Whether a foreign column of the entity comes from it, or from a join that hangs on it.
    pub used_by_default: bool,
    /// Whether the entity's own definition declares it; else AutoExpand, or a foreign column of another view, did.
    pub declared: bool,
    /// The alias that it would have if no other join had it.
    pub(crate) wish: Name,
}

/// A way from the main table to another: what an EXISTS over a related entity follows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Relation {
    /// The entity at its end; for a view its entity, unless the keys are columns that only the view has.
    pub target: EntityId,
    /// Columns of the main table, each with the column of the target that it equals.
    pub keys: Vec<(usize, usize)>,
    /// The join that declares it.
    pub join: usize,
}

impl Entity {
    /// What the name means, ignoring case.
    pub fn property(&self, name: &str) -> Option<Property> {
        let same = |place| self.property_name(self.at(place)).is_some_and(|own| names::same(own.as_str(), name));
        self.index.find(names::hash(name), same).map(|place| self.at(place))
    }

    /// The property at a place of the index.
    #[inline]
    fn at(&self, place: usize) -> Property {
        match place.checked_sub(self.columns.len()) {
            None => Property::Column(place),
            Some(foreign) => Property::Foreign(foreign),
        }
    }

    /// The column whose value says that a row is not marked as deleted, if that is not its being NULL.
    pub(crate) fn unmarked(&self) -> Option<usize> {
        self.soft_delete.filter(|at| self.columns.get(*at).is_some_and(|column| !column.nullable))
    }

    /// The column of that name, ignoring case, if the table itself has it.
    pub fn column(&self, name: &str) -> Option<(usize, &Column)> {
        match self.property(name)? {
            Property::Column(index) => Some((index, self.columns.get(index)?)),
            Property::Foreign(_) => None,
        }
    }

    /// The relation of that name, ignoring case.
    pub fn relation(&self, name: &str) -> Option<&NamedRelation> {
        self.named_relations.iter().find(|relation| names::same(relation.name.as_str(), name))
    }

    /// The names of properties that a client may name and that this name may be a slip of, the nearest first.
    pub fn near_matches(&self, name: &str) -> Vec<&str> {
        let own = self.columns.iter().filter(|c| c.filterable).map(|c| c.name.as_str());
        let foreign = self.foreign_columns.iter().filter(|c| c.filterable).map(|c| c.name.as_str());
        names::near(name, own.chain(foreign))
    }

    /// The columns of the primary key, in the order in which a key's values are given.
    pub fn key_columns(&self) -> impl Iterator<Item = &Column> {
        self.keys.iter().filter_map(|index| self.columns.get(*index))
    }

    fn property_name(&self, property: Property) -> Option<&Name> {
        match property {
            Property::Column(index) => self.columns.get(index).map(|c| &c.name),
            Property::Foreign(index) => self.foreign_columns.get(index).map(|c| &c.name),
        }
    }

    /// Fills the index. Of two properties of one name, the first is found.
    pub(super) fn index_properties(&mut self) {
        let columns = self.columns.iter().map(|column| &column.name);
        let names = columns.chain(self.foreign_columns.iter().map(|foreign| &foreign.name));
        let hashes: Vec<u64> = names.map(|name| names::hash(name.as_str())).collect();
        self.index = HashIndex::new(&hashes);
    }
}
