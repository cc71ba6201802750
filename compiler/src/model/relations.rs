//! Relations by name: what a row points to, and what points back.
//!
//! Their keys are those of the foreign types and joins that are declared anyway: a relation says its kind and its target,
//! and which foreign key is meant where there are several.

use super::build::Drafts;
use super::columns::check_name;
use super::define::Definition;
use super::{CatalogError, CatalogErrors, Entity, EntityId, Join};
use crate::expr::Name;

/// How many rows of which side belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RelationKind {
    /// The row has a foreign key of the target.
    BelongsTo,
    /// One row of the target has a foreign key of this entity.
    HasOne,
    /// Rows of the target have a foreign key of this entity.
    HasMany,
    /// Rows of a table between have foreign keys of both.
    ManyToMany,
}

impl RelationKind {
    /// Whether a row has any number of rows by it, and not one at most.
    #[must_use]
    pub fn is_many(self) -> bool {
        matches!(self, Self::HasMany | Self::ManyToMany)
    }
}

/// The definition of a relation, by which rows of another entity are loaded.
///
/// ```
/// use isogloss_compiler::expr::DbValueType::Int32;
/// use isogloss_compiler::model::{Catalog, ColumnDef, ForeignType, RelationDef, TableDef};
/// let id = || ColumnDef::new("Id", Int32).primary_key();
/// let catalog = Catalog::builder()
///     .table(TableDef::new("Order").column(id()).relation(RelationDef::has_many("Items", "Item")))
///     .table(
///         TableDef::new("Item")
///             .column(id())
///             .column(ColumnDef::new("OrderId", Int32).foreign(ForeignType::new("Order")))
///             .relation(RelationDef::belongs_to("Order", "Order")),
///     )
///     .build()?;
/// let (_, order) = catalog.entity("Order").ok_or("no entity")?;
/// assert_eq!(order.relation("items").map(|items| items.keys.as_slice()), Some(&[(0, 1)][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct RelationDef {
    pub(super) name: Name,
    pub(super) kind: RelationKind,
    pub(super) target: Name,
    pub(super) through: Option<Name>,
    pub(super) key: Option<Name>,
    pub(super) target_key: Option<Name>,
}

impl RelationDef {
    pub(super) fn new(name: impl Into<Name>, kind: RelationKind, target: impl Into<Name>) -> Self {
        Self { name: name.into(), kind, target: target.into(), through: None, key: None, target_key: None }
    }

    /// The row that a foreign key of this entity refers to.
    pub fn belongs_to(name: impl Into<Name>, target: impl Into<Name>) -> Self {
        Self::new(name, RelationKind::BelongsTo, target)
    }

    /// The one row of the target whose foreign key refers to this entity.
    pub fn has_one(name: impl Into<Name>, target: impl Into<Name>) -> Self {
        Self::new(name, RelationKind::HasOne, target)
    }

    /// The rows of the target whose foreign key refers to this entity.
    pub fn has_many(name: impl Into<Name>, target: impl Into<Name>) -> Self {
        Self::new(name, RelationKind::HasMany, target)
    }

    /// The rows of the target that rows of an entity between relate to this one.
    pub fn many_to_many(name: impl Into<Name>, target: impl Into<Name>, through: impl Into<Name>) -> Self {
        Self { through: Some(through.into()), ..Self::new(name, RelationKind::ManyToMany, target) }
    }

    /// Which foreign key is meant where there are several: the property of one of its columns, or the alias of its join.
    /// Of a relation through an entity between, it is that which refers to this entity.
    #[must_use]
    pub fn key(mut self, key: impl Into<Name>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Which foreign key of the entity between refers to the target, where there are several.
    #[must_use]
    pub fn target_key(mut self, key: impl Into<Name>) -> Self {
        self.target_key = Some(key.into());
        self
    }
}

/// A relation by which rows of another entity are loaded.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NamedRelation {
    /// Its name.
    pub name: Name,
    /// How many rows of which side belong together.
    pub kind: RelationKind,
    /// The entity of the rows that are loaded.
    pub target: EntityId,
    /// Columns of the entity, each with the column of the target, or of the entity between, that it equals.
    pub keys: Vec<(usize, usize)>,
    /// The entity between.
    pub through: Option<Through>,
}

/// The entity between of a relation.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Through {
    /// The entity.
    pub entity: EntityId,
    /// Columns of it, each with the column of the target that it equals.
    pub keys: Vec<(usize, usize)>,
}

/// Adds the relations to all entities.
pub(super) fn build(drafts: &Drafts<'_>, entities: &mut [Entity], errors: &mut CatalogErrors) {
    for at in 0..entities.len() {
        let lineage = drafts.lineage(at).iter().filter_map(|i| drafts.definition(*i));
        let mut relations: Vec<NamedRelation> = Vec::new();
        for (owner, def) in lineage.flat_map(|owner| owner.relations.iter().map(move |def| (owner, def))) {
            check_name(&owner.name, "relation", def.name.as_str(), errors);
            let taken = entities.get(at).is_some_and(|entity| entity.property(def.name.as_str()).is_some());
            if taken || relations.iter().any(|known| known.name == def.name) {
                let (entity, property) = (owner.name.clone(), def.name.clone());
                errors.push(CatalogError::DuplicateProperty { entity, property });
            }
            relations.extend(Sides { drafts, entities, owner, def, at }.relation(errors));
        }
        if let Some(entity) = entities.get_mut(at) {
            entity.named_relations = relations;
        }
    }
}

/// A relation while its keys are looked for.
struct Sides<'a, 'd> {
    drafts: &'a Drafts<'d>,
    entities: &'a [Entity],
    owner: &'a Definition,
    def: &'a RelationDef,
    /// The entity that has it.
    at: usize,
}

impl Sides<'_, '_> {
    fn relation(&self, errors: &mut CatalogErrors) -> Option<NamedRelation> {
        let def = self.def;
        let target = self.entity(&def.target, errors)?;
        if def.through.is_some() != (def.kind == RelationKind::ManyToMany) {
            let (entity, relation) = (self.owner.name.clone(), def.name.clone());
            errors.push(CatalogError::RelationThrough { entity, relation });
            return None;
        }
        let back = |keys: Vec<(usize, usize)>| keys.into_iter().map(|(theirs, own)| (own, theirs)).collect();
        let (keys, through) = match &def.through {
            None if def.kind == RelationKind::BelongsTo => {
                (self.keys(self.at, target, def.key.as_ref(), errors)?, None)
            }
            None => (back(self.keys(target, self.at, def.key.as_ref(), errors)?), None),
            Some(through) => {
                let between = self.entity(through, errors)?;
                let own = back(self.keys(between, self.at, def.key.as_ref(), errors)?);
                let keys = self.keys(between, target, def.target_key.as_ref(), errors)?;
                (own, Some(Through { entity: self.drafts.id(between), keys }))
            }
        };
        let far = through.as_ref().map_or(target, |through| through.entity.index());
        for (own, theirs) in &keys {
            self.is_read(self.at, *own, errors)?;
            self.is_read(far, *theirs, errors)?;
        }
        Some(NamedRelation { name: def.name.clone(), kind: def.kind, target: self.drafts.id(target), keys, through })
    }

    /// Whether queries may select a column of a key, by whose values rows are brought together.
    fn is_read(&self, of: usize, column: usize, errors: &mut CatalogErrors) -> Option<()> {
        let column = self.entities.get(of)?.columns.get(column)?;
        if column.is_readable() {
            return Some(());
        }
        let (entity, relation) = (self.owner.name.clone(), self.def.name.clone());
        errors.push(CatalogError::UnreadKey { entity, relation, key: column.name.clone(), of: self.drafts.name(of) });
        None
    }

    fn entity(&self, name: &Name, errors: &mut CatalogErrors) -> Option<usize> {
        let found = self.drafts.find(name.as_str());
        if found.is_none() {
            let (entity, relation) = (self.owner.name.clone(), self.def.name.clone());
            let near = self.drafts.near(name.as_str());
            errors.push(CatalogError::UnknownRelated { entity, relation, target: name.clone(), near });
        }
        found
    }

    /// The columns of the one foreign key that an entity has of another, each with the one that it equals.
    fn keys(
        &self,
        of: usize,
        to: usize,
        key: Option<&Name>,
        errors: &mut CatalogErrors,
    ) -> Option<Vec<(usize, usize)>> {
        let (holder, table) = (self.entities.get(of)?, self.drafts.table_of(to));
        let leads = |join: &&Join| {
            join.declared
                && join.source.is_none()
                && !join.keys.is_empty()
                && self.drafts.table_of(join.target.index()) == table
                && join.keys.iter().all(|(_, theirs)| *theirs < self.drafts.columns(to).len())
        };
        let named = |join: &&Join| {
            let column = |name: &Name| {
                join.keys.iter().any(|(own, _)| holder.columns.get(*own).is_some_and(|column| column.name == *name))
            };
            key.is_none_or(|key| join.alias == *key || column(key))
        };
        let mut found: Vec<&Join> = Vec::new();
        for join in holder.joins.iter().filter(leads).filter(named) {
            if !found.iter().any(|known| known.keys == join.keys) {
                found.push(join);
            }
        }
        if let [join] = found.as_slice() {
            return Some(join.keys.clone());
        }
        let (entity, relation) = (self.owner.name.clone(), self.def.name.clone());
        let (of, to) = (self.drafts.name(of), self.drafts.name(to));
        errors.push(if found.is_empty() {
            CatalogError::NoForeignKey { entity, relation, of, to, key: key.cloned() }
        } else {
            let joins = found.into_iter().map(|join| join.alias.clone()).collect();
            CatalogError::AmbiguousRelation { entity, relation, of, to, joins }
        });
        None
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

    use super::RelationDef;
    use crate::expr::DbValueType::Int32;
    use crate::model::{Catalog, CatalogBuilder, ColumnDef, ColumnMode, ForeignType, TableDef, TableJoinDef, ViewDef};

    fn id() -> ColumnDef {
        ColumnDef::new("Id", Int32).primary_key()
    }

    fn to(column: &str, entity: &str) -> ColumnDef {
        ColumnDef::new(column, Int32).nullable().foreign(ForeignType::new(entity).alias(format!("By{column}")))
    }

    fn shop(order: TableDef, item: TableDef) -> CatalogBuilder {
        Catalog::builder().table(order.column(id())).table(item.column(id()))
    }

    fn wrong(builder: CatalogBuilder) -> String {
        builder.build().unwrap_err().to_string()
    }

    #[test]
    fn keys_are_those_of_the_foreign_types() {
        let order = TableDef::new("Order").relation(RelationDef::has_many("Items", "ItemView"));
        let item = TableDef::new("Item")
            .column(to("OrderId", "Order"))
            .column(to("OtherId", "Item"))
            .relation(RelationDef::belongs_to("Order", "Order"))
            .relation(RelationDef::belongs_to("Other", "Item").key("ByOtherId"))
            .relation(RelationDef::has_many("Others", "Item").key("OtherId"))
            .relation(RelationDef::many_to_many("Orders", "Order", "Link"));
        let link = TableDef::new("Link").column(to("ItemId", "Item")).column(to("OrderId", "Order"));
        let catalog = shop(order, item).table(link).view(ViewDef::new("ItemView", "Item")).build().unwrap();
        let keys = |entity: &str, name: &str| {
            let relation = catalog.entity(entity).unwrap().1.relation(name).unwrap();
            (relation.keys.clone(), relation.through.as_ref().map(|through| through.keys.clone()))
        };
        assert_eq!(keys("Order", "Items"), (vec![(0, 0)], None));
        assert_eq!(keys("Item", "order"), (vec![(0, 0)], None));
        assert_eq!(keys("ItemView", "Other"), (vec![(1, 2)], None));
        assert_eq!(keys("Item", "Others"), (vec![(2, 1)], None));
        assert_eq!(keys("Item", "Orders"), (vec![(2, 0)], Some(vec![(1, 0)])));
    }

    #[test]
    fn several_columns_are_one_key() {
        let order = TableDef::new("Order").column(ColumnDef::new("Region", Int32).primary_key());
        let item = TableDef::new("Item")
            .column(ColumnDef::new("R", Int32))
            .column(ColumnDef::new("O", Int32))
            .table_join(TableJoinDef::new("Order", ["R", "O"]));
        let order = order.relation(RelationDef::has_many("Items", "Item"));
        let catalog = shop(order, item).build().unwrap();
        assert_eq!(catalog.entity("Order").unwrap().1.relation("Items").unwrap().keys, [(0, 0), (1, 1)]);
    }

    #[test]
    fn what_is_not_clear_is_told() {
        let items = || RelationDef::has_many("Items", "Item");
        let order = || TableDef::new("Order").relation(items());
        let none = wrong(shop(order(), TableDef::new("Item")));
        assert!(none.contains("relation `Items`: `Item` has no foreign key of `Order`"), "{none}");
        assert!(
            none.contains("declare it by a foreign type of a column, or by a join from the table itself"),
            "{none}"
        );
        let two = TableDef::new("Item").column(to("A", "Order")).column(to("B", "Order"));
        let several = wrong(shop(order(), two.clone()));
        assert!(
            several.contains("`Item` has several foreign keys of `Order`: name one by `key`, `ByA`, `ByB`"),
            "{several}"
        );
        let named = TableDef::new("Order").relation(items().key("B"));
        assert!(shop(named, two.clone()).build().is_ok());
        let other = wrong(shop(TableDef::new("Order").relation(items().key("C")), two));
        assert!(other.contains("has no foreign key `C` of `Order`"), "{other}");
        let unknown = wrong(shop(TableDef::new("Order").relation(RelationDef::has_many("Items", "Itme")), {
            TableDef::new("Item")
        }));
        assert!(unknown.contains("leads to entity `Itme`, which is not defined (did you mean `Item`?)"), "{unknown}");
        let unread = TableDef::new("Item").column(to("OrderId", "Order").mode(ColumnMode::INSERT));
        let unread = wrong(shop(order(), unread));
        let why = "relation `Items`: key `OrderId` of `Item` is not read by queries: give its mode READ, or leave the relation out";
        assert!(unread.contains(why), "{unread}");
        let twice = wrong(shop(order().relation(items()), TableDef::new("Item").column(to("A", "Order"))));
        assert!(twice.contains("two properties `Items`"), "{twice}");
    }
}
