//! What a policy names, as the schema calls it.

use std::collections::{HashMap, HashSet};

use super::{Method, PropertyInfo, QueryPolicy, RelationInfo, Schema, UnknownName};
use crate::expr::Name;

/// A policy over a schema. Entities are compared by the schema's own names: whoever reads one from a tree asks
/// [`entity`](Known::entity) first.
pub(super) struct Known<'a> {
    pub(super) policy: &'a QueryPolicy,
    pub(super) schema: &'a dyn Schema,
    pub(super) root: &'a Name,
    /// The table that the root shows: itself, unless it is a view.
    root_table: Name,
    /// Whether the root may be read in subqueries, joins and further members, too.
    pub(super) root_again: bool,
    /// The entities that may be named; with a list, only its properties.
    entities: HashMap<&'a Name, Option<HashSet<&'a Name>>>,
    denied: HashMap<&'a Name, HashSet<&'a Name>>,
    /// The relations that may be followed whatever they go by: an entity, and the alias of its join.
    relations: HashSet<(&'a Name, &'a Name)>,
}

impl<'a> Known<'a> {
    pub(super) fn new(policy: &'a QueryPolicy, schema: &'a dyn Schema) -> Result<Self, UnknownName> {
        let find = |method: Method, entity: &'a Name| {
            schema.entity(entity).ok_or_else(|| UnknownName::Entity { method: method.name(), entity: entity.clone() })
        };
        let root = find(Method::New, &policy.root)?;
        let mut known = Self {
            policy,
            schema,
            root,
            root_table: table(schema, root),
            root_again: false,
            entities: HashMap::from([(root, None)]),
            denied: HashMap::new(),
            relations: HashSet::new(),
        };
        for named in &policy.named {
            let method = named.method;
            let entity = find(method, &named.entity)?;
            let has = |name: &Name| match method {
                Method::AllowRelation => schema.joined(entity, name).is_some(),
                _ => schema.property(entity, name).is_some(),
            };
            if let Some(name) = named.members.iter().find(|name| !has(name)) {
                let (method, entity, name) = (method.name(), entity.clone(), name.clone());
                return Err(match named.method {
                    Method::AllowRelation => UnknownName::Join { method, entity, alias: name },
                    _ => UnknownName::Property { method, entity, property: name },
                });
            }
            match method {
                Method::New => {}
                Method::AllowEntity => {
                    known.root_again |= entity == root;
                    known.entities.entry(entity).or_default();
                }
                Method::OnlyProperties => {
                    known.entities.entry(entity).or_default().get_or_insert_default().extend(&named.members);
                }
                Method::DenyProperties => known.denied.entry(entity).or_default().extend(&named.members),
                Method::AllowRelation => known.relations.extend(named.members.iter().map(|alias| (entity, alias))),
            }
        }
        Ok(known)
    }

    /// The schema's own name of an entity, if it may be named.
    pub(super) fn allowed(&self, entity: &Name) -> Option<&'a Name> {
        self.schema.entity(entity).filter(|entity| self.allows(entity))
    }

    /// Whether the entity of that own name may be named.
    pub(super) fn allows(&self, entity: &Name) -> bool {
        self.entities.contains_key(entity)
    }

    /// The schema's own name of an entity. One that it does not have is nothing that a policy speaks of.
    pub(super) fn entity(&self, entity: &'a Name) -> &'a Name {
        self.schema.entity(entity).unwrap_or(entity)
    }

    /// Whether the property, which the entity has, may be named. A computed one only if all that it is computed from
    /// may, or if a list of the policy has it.
    pub(super) fn permits(&self, entity: &Name, property: &Name, info: &PropertyInfo) -> bool {
        let of_its_own = |(entity, property): &(Name, Name)| {
            self.schema.property(entity, property).is_some_and(|info| self.permits_alone(entity, property, &info))
        };
        let named = |entity: &Name, property: &Name| self.only(entity).is_some_and(|only| only.contains(property));
        self.permits_alone(entity, property, info)
            && (named(entity, property)
                || info.origin.as_ref().is_some_and(|(entity, property)| named(entity, property))
                || info.computed_from.iter().all(of_its_own))
    }

    fn permits_alone(&self, entity: &Name, property: &Name, info: &PropertyInfo) -> bool {
        let listed = |entity: &Name, property: &Name| {
            let denied = self.denied.get(entity).is_some_and(|denied| denied.contains(property));
            !denied && self.only(entity).is_none_or(|only| only.contains(property))
        };
        info.filterable
            && self.keeps_rows(entity, info)
            && listed(entity, property)
            && info.origin.as_ref().is_none_or(|(entity, property)| listed(entity, property))
    }

    /// The list of the entity's properties that may be named, if it has one.
    fn only(&self, entity: &Name) -> Option<&HashSet<&'a Name>> {
        self.entities.get(entity).and_then(Option::as_ref)
    }

    /// Whether the relation may be followed.
    pub(super) fn follows(&self, relation: &RelationInfo) -> bool {
        self.names_relation(relation)
            || relation.keys.iter().all(|(entity, property)| {
                self.schema.property(entity, property).is_some_and(|info| self.permits(entity, property, &info))
            })
    }

    /// Whether the relation is allowed by its name.
    pub(super) fn names_relation(&self, relation: &RelationInfo) -> bool {
        self.relations.contains(&(&relation.entity, &relation.alias))
    }

    /// Whether the property has no rows of the root but the query's own. What the root itself shows is the program's to
    /// say.
    fn keeps_rows(&self, entity: &Name, info: &PropertyInfo) -> bool {
        let leaves = |(origin, _): &(Name, Name)| self.leaves_root(&info.along, origin);
        *entity == *self.root || info.origin.as_ref().is_none_or(leaves)
    }

    /// Whether the joins that lead to that entity read no rows of the root but the query's own, unless the policy names them.
    pub(super) fn leaves_root(&self, along: &[RelationInfo], target: &Name) -> bool {
        let leaves = |join: &RelationInfo| self.reads(&join.target) || self.names_relation(join);
        if along.is_empty() { self.reads(target) } else { along.iter().all(leaves) }
    }

    /// Whether another source than the outermost may read the table of that entity or view: the root's only if the policy
    /// allows the root once more or, where that is a view, the table.
    pub(super) fn reads(&self, entity: &Name) -> bool {
        if self.root_again {
            return true;
        }
        let of = table(self.schema, entity);
        of != self.root_table || of != *self.root && self.allows(&of)
    }
}

/// The table that an entity or view shows.
fn table(schema: &dyn Schema, entity: &Name) -> Name {
    schema.table(entity).unwrap_or_else(|| entity.clone())
}
