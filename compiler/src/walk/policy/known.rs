//! What a policy names, as the schema calls it.

use std::collections::{HashMap, HashSet};

use super::{Method, PropertyInfo, QueryPolicy, RelationInfo, Schema, UnknownName};
use crate::expr::Name;

/// What several calls of one method have listed.
type Lists<'a> = Vec<&'a HashSet<Name>>;

/// A policy over a schema. Entities are compared by the schema's own names: whoever reads one from a tree asks
/// [`entity`](Known::entity) first.
pub(super) struct Known<'a> {
    pub(super) policy: &'a QueryPolicy,
    pub(super) schema: &'a dyn Schema,
    pub(super) root: &'a Name,
    /// The entity whose table the root shows: itself, unless it is a view or shares its table with another.
    root_table: &'a Name,
    /// Whether the root may be read in subqueries, joins and further members, too: it, or the entity that it is a view of, is
    /// allowed. Another entity over its table is not enough, as that one may have fewer columns.
    pub(super) root_again: bool,
    /// The entities that may be named; with a list, only its properties.
    entities: HashMap<&'a Name, Option<Lists<'a>>>,
    denied: HashMap<&'a Name, Lists<'a>>,
    /// The relations that may be followed whatever they go by: an entity, and the alias of its join.
    relations: HashSet<(&'a Name, &'a Name)>,
}

impl<'a> Known<'a> {
    pub(super) fn new(policy: &'a QueryPolicy, schema: &'a dyn Schema) -> Result<Self, UnknownName> {
        let find = |method: &'static str, entity: &'a Name| {
            schema.entity(entity).ok_or_else(|| UnknownName::Entity { method, entity: entity.clone() })
        };
        let root = find("new", &policy.root)?;
        let base = schema.base(root);
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
            let entity = find(method.name(), &named.entity)?;
            let has = |name: &Name| match method {
                Method::AllowRelation => schema.joined(entity, name).is_some(),
                _ => schema.has(entity, name),
            };
            // Of several it is always the same one.
            if let Some(name) = named.members.iter().filter(|name| !has(name)).min_by_key(|name| name.as_str()) {
                let (method, entity, name) = (method.name(), entity.clone(), name.clone());
                return Err(match named.method {
                    Method::AllowRelation => UnknownName::Join { method, entity, alias: name },
                    _ => UnknownName::Property { method, entity, property: name },
                });
            }
            match method {
                Method::AllowEntity => {
                    known.root_again |= entity == root || Some(entity) == base;
                    known.entities.entry(entity).or_default();
                }
                Method::OnlyProperties => {
                    known.entities.entry(entity).or_default().get_or_insert_default().push(&named.members);
                }
                Method::DenyProperties => known.denied.entry(entity).or_default().push(&named.members),
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

    /// The entities that may be named: the root first, the others by name.
    #[cfg(feature = "schema")]
    pub(super) fn entities(&self) -> Vec<&'a Name> {
        let mut entities: Vec<&Name> = self.entities.keys().copied().collect();
        entities.sort_unstable_by_key(|entity| (*entity != self.root, entity.as_str()));
        entities
    }

    /// The schema's own name of an entity. One that it does not have is nothing that a policy speaks of.
    pub(super) fn entity<'n>(&self, entity: &'n Name) -> &'n Name
    where
        'a: 'n,
    {
        self.schema.entity(entity).unwrap_or(entity)
    }

    /// Whether the property may be named; `None` if the entity does not have it.
    pub(super) fn property(&self, entity: &Name, property: &Name) -> Option<bool> {
        Some(self.permits(entity, property, &self.schema.property(entity, property)?))
    }

    /// Whether all properties that a select without a list gives are known and may be named.
    pub(super) fn permits_all(&self, entity: &Name) -> bool {
        let all = self.schema.properties(entity);
        all.is_some_and(|all| all.iter().all(|property| self.property(entity, property) == Some(true)))
    }

    /// A computed property may be named only if all that it is computed from may, or if a list of the policy has it.
    fn permits(&self, entity: &Name, property: &Name, info: &PropertyInfo) -> bool {
        let of_its_own = |(entity, property): &(Name, Name)| {
            self.schema.property(entity, property).is_some_and(|info| self.permits_alone(entity, property, &info))
        };
        let named = |entity: &Name, property: &Name| self.only(entity).is_some_and(|only| have(only, property));
        self.keeps_rows(entity, info)
            && self.permits_alone(entity, property, info)
            && (named(entity, property)
                || info.origins.iter().any(|(entity, property)| named(entity, property))
                || info.computed_from.iter().all(of_its_own))
    }

    /// Whether it may be named by itself: what it is computed from stands in the same row.
    fn permits_alone(&self, entity: &Name, property: &Name, info: &PropertyInfo) -> bool {
        let listed = |entity: &Name, property: &Name| {
            let denied = self.denied.get(entity).is_some_and(|denied| have(denied, property));
            !denied && self.only(entity).is_none_or(|only| have(only, property))
        };
        info.filterable
            && listed(entity, property)
            && info.origins.iter().all(|(entity, property)| listed(entity, property))
    }

    /// The lists of the entity's properties that may be named, if it has any.
    fn only(&self, entity: &Name) -> Option<&Lists<'a>> {
        self.entities.get(entity).and_then(Option::as_ref)
    }

    /// Whether the relation may be followed.
    pub(super) fn follows(&self, relation: &RelationInfo) -> bool {
        self.names_relation(relation)
            || relation.keys.iter().all(|(entity, property)| self.property(entity, property) == Some(true))
    }

    /// Whether the relation is allowed by its name.
    fn names_relation(&self, relation: &RelationInfo) -> bool {
        self.relations.contains(&(&relation.entity, &relation.alias))
    }

    /// Whether the property has no rows of the root but the query's own. What the root itself shows is the program's to
    /// say.
    fn keeps_rows(&self, entity: &Name, info: &PropertyInfo) -> bool {
        *entity == *self.root
            || match info.along.as_slice() {
                [] => info.origins.last().is_none_or(|(origin, _)| self.reads(origin)),
                along => along.iter().all(|join| self.leads_on(join)),
            }
    }

    /// Whether the join reads no rows of the root, unless the policy names it.
    pub(super) fn leads_on(&self, join: &RelationInfo) -> bool {
        self.reads(&join.target) || self.names_relation(join)
    }

    /// Whether another source than the outermost may read the table of that entity or view: the root's only if the policy
    /// allows the root once more.
    pub(super) fn reads(&self, entity: &Name) -> bool {
        self.root_again || table(self.schema, entity) != self.root_table
    }
}

fn have(lists: &Lists<'_>, property: &Name) -> bool {
    lists.iter().any(|list| list.contains(property))
}

/// The entity whose table an entity or view shows.
fn table<'n>(schema: &'n dyn Schema, entity: &'n Name) -> &'n Name {
    schema.table(entity).unwrap_or(entity)
}
