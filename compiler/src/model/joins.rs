//! From relations as they are declared to the joins of an entity.
//!
//! 1. The joins by several columns come first, then those of columns, the entity's own before a view's.
//! 2. Where one says so, the relations of its target are added behind it, and so on; no relation is followed twice on
//!    one way, so that a tree of categories ends.
//! 3. A join is named by its alias or its target. Joins that are added by themselves and would have the name of another
//!    take their parent's in front, `SalesUser_Department`.
//! 4. Sources are looked up, and the joins put in an order in which each comes after the one that it hangs on.

use std::collections::VecDeque;

use super::build::Drafts;
use super::catalog::short;
use super::columns::check_name;
use super::define::Definition;
use super::error::Near;
use super::{CatalogError, CatalogErrors, Join};
use crate::expr::{DbType, DbValueType, Name, TableJoinType};
use crate::names;

/// The most joins of one entity.
const LIMIT: usize = 256;

/// A relation that a definition declares.
#[derive(Clone, Copy)]
pub(super) struct Edge<'d> {
    /// The definition.
    owner: &'d Name,
    /// The definition's number, and the relation's there: what makes it itself.
    id: (usize, usize),
    source: Option<&'d Name>,
    keys: &'d [Name],
    prime_keys: &'d [Name],
    target: &'d Name,
    alias: Option<&'d Name>,
    join_type: TableJoinType,
    auto_expand: bool,
    enforced: bool,
}

impl Edge<'_> {
    fn alias(&self) -> Name {
        self.alias.cloned().unwrap_or_else(|| Name::new(short(self.target.as_str())))
    }

    /// Whether the two declare one and the same join.
    fn same(&self, other: &Self) -> bool {
        self.alias() == other.alias()
            && (self.source, self.keys, self.prime_keys) == (other.source, other.keys, other.prime_keys)
            && (self.target, self.join_type, self.enforced) == (other.target, other.join_type, other.enforced)
    }
}

/// The relations of one definition: those of several columns first.
fn edges_of(number: usize, def: &Definition) -> impl Iterator<Item = Edge<'_>> {
    let by_join = def.table_joins.iter().map(|join| Edge {
        owner: &def.name,
        id: (0, 0),
        source: join.source.as_ref(),
        keys: &join.foreign_keys,
        prime_keys: &join.prime_keys,
        target: &join.entity,
        alias: join.alias.as_ref(),
        join_type: join.join_type,
        auto_expand: join.auto_expand,
        enforced: join.enforced,
    });
    let in_column = def.columns.iter().flat_map(|c| c.foreigns.iter().map(|foreign| (&c.name, foreign)));
    let beside = def.foreigns.iter().map(|(property, foreign)| (property, foreign));
    let by_column = in_column.chain(beside).map(|(property, foreign)| Edge {
        owner: &def.name,
        id: (0, 0),
        source: None,
        keys: std::slice::from_ref(property),
        prime_keys: &[],
        target: &foreign.entity,
        alias: foreign.alias.as_ref(),
        join_type: foreign.join_type,
        auto_expand: foreign.auto_expand,
        enforced: foreign.enforced,
    });
    by_join.chain(by_column).enumerate().map(move |(i, edge)| Edge { id: (number, i), ..edge })
}

/// A join while its place is not known yet.
struct JoinNode<'d> {
    edge: Edge<'d>,
    target: usize,
    alias: Name,
    /// The node that it hangs on.
    parent: Option<usize>,
    /// Whether a definition declares it for this entity; else another join brought it along.
    declared: bool,
}

/// The joins of the entity with that number.
pub(super) fn build(entity: usize, drafts: &Drafts<'_>, errors: &mut CatalogErrors) -> Vec<Join> {
    let mut nodes = declared(entity, drafts, errors);
    expand(entity, &mut nodes, drafts, errors);
    name(&mut nodes, errors);
    hang(entity, &mut nodes, drafts, errors);
    order(&nodes, errors)
        .into_iter()
        .map(|(node, source)| {
            let parent = node.parent.and_then(|parent| nodes.get(parent)).map_or(entity, |parent| parent.target);
            Join {
                alias: node.alias.clone(),
                source,
                target: drafts.id(node.target),
                keys: keys(node, parent, drafts, errors),
                join_type: node.edge.join_type,
                enforced: node.edge.enforced,
                used_by_default: false,
                declared: node.declared,
                wish: node.edge.alias(),
            }
        })
        .collect()
}

fn edges<'d>(entity: usize, drafts: &Drafts<'d>) -> Vec<Edge<'d>> {
    let lineage = drafts.lineage(entity);
    let all = lineage.iter().filter_map(|i| Some((*i, drafts.definition(*i)?)));
    let mut edges: Vec<Edge<'d>> = all.flat_map(|(i, def)| edges_of(i, def)).collect();
    // Those by several columns first. The sort is stable.
    edges.sort_by_key(|edge| drafts.definition(edge.id.0).is_some_and(|def| edge.id.1 >= def.table_joins.len()));
    edges
}

fn declared<'d>(entity: usize, drafts: &Drafts<'d>, errors: &mut CatalogErrors) -> Vec<JoinNode<'d>> {
    let mut nodes: Vec<JoinNode<'d>> = Vec::new();
    for edge in edges(entity, drafts) {
        let Some(target) = drafts.find(edge.target.as_str()) else {
            let (entity, alias, target) = (edge.owner.clone(), edge.alias(), edge.target.clone());
            let near = drafts.near(target.as_str());
            errors.push(CatalogError::UnknownTarget { entity, alias, target, near });
            continue;
        };
        match nodes.iter_mut().find(|node| node.edge.same(&edge)) {
            Some(known) => known.edge.auto_expand |= edge.auto_expand,
            None => nodes.push(JoinNode { alias: edge.alias(), edge, target, parent: None, declared: true }),
        }
    }
    nodes
}

fn expand<'d>(entity: usize, nodes: &mut Vec<JoinNode<'d>>, drafts: &Drafts<'d>, errors: &mut CatalogErrors) {
    let mut queue: VecDeque<usize> = (0..nodes.len()).collect();
    while let Some(parent) = queue.pop_front() {
        let Some(node) = nodes.get(parent).filter(|node| node.edge.auto_expand) else { continue };
        let mut way = Vec::new();
        let mut at = Some(node);
        while let Some(node) = at {
            way.push(node.edge.id);
            at = node.parent.and_then(|parent| nodes.get(parent));
        }
        for edge in edges(node.target, drafts) {
            let follows = edge.source.is_none() && !way.contains(&edge.id);
            let Some(target) = drafts.find(edge.target.as_str()).filter(|_| follows) else { continue };
            if nodes.len() >= LIMIT {
                let entity = drafts.name(entity);
                errors.push(CatalogError::TooManyJoins { entity, limit: LIMIT });
                return;
            }
            queue.push_back(nodes.len());
            nodes.push(JoinNode { alias: edge.alias(), edge, target, parent: Some(parent), declared: false });
        }
    }
}

/// Settles the aliases.
fn name(nodes: &mut [JoinNode<'_>], errors: &mut CatalogErrors) {
    let wanted: Vec<Name> = nodes.iter().map(|node| node.alias.clone()).collect();
    let mut taken: Vec<Name> = Vec::new();
    for (i, wish) in wanted.iter().enumerate() {
        let parent = nodes.get(i).and_then(|node| node.parent).and_then(|p| nodes.get(p)).map(|p| p.alias.clone());
        let Some(node) = nodes.get_mut(i) else { continue };
        if node.declared {
            if taken.contains(wish) {
                let (entity, alias) = (node.edge.owner.clone(), wish.clone());
                errors.push(CatalogError::DuplicateAlias { entity, alias });
            }
        } else if wanted.iter().filter(|other| *other == wish).count() > 1 {
            let plain = format!("{}_{wish}", parent.unwrap_or_default());
            let numbered = (2..).map(|n| Name::from(format!("{plain}_{n}")));
            let free = |name: &Name| !taken.contains(name) && !wanted.contains(name);
            node.alias = std::iter::once(Name::new(&plain)).chain(numbered).find(free).unwrap_or_default();
        }
        check_name(node.edge.owner, "alias", node.alias.as_str(), errors);
        taken.push(node.alias.clone());
    }
}

/// What a name of a join, or of the entity at its end, leads to.
pub(super) enum Destination {
    One(usize),
    Several(Vec<usize>),
    Nothing(Near),
}

/// A join that can be named.
pub(super) struct NamedJoin<'a> {
    pub(super) alias: &'a Name,
    /// The alias that it would have if no other join had it.
    pub(super) wish: &'a Name,
    /// The number of its target.
    pub(super) target: usize,
}

/// The join of that alias; else the one to the entity of that name, or to a view or entity over the same table. A name that
/// a further relation would have taken from a join means neither of the two.
pub(super) fn find(name: &Name, joins: &[NamedJoin<'_>], drafts: &Drafts<'_>) -> Destination {
    let entity = drafts.find(name.as_str());
    let table = entity.map(|entity| drafts.table_of(entity));
    type Test<'t> = &'t dyn Fn(&NamedJoin<'_>) -> bool;
    let aliased: Test<'_> = &|join| *join.alias == *name || *join.wish == *name;
    let own: Test<'_> = &|join| *join.alias == *name;
    let exact: Test<'_> = &|join| Some(join.target) == entity;
    let same_table: Test<'_> = &|join| Some(drafts.table_of(join.target)) == table;
    let is_alias = joins.iter().any(own);
    for test in [aliased, exact, same_table].into_iter().skip(usize::from(!is_alias)) {
        let found: Vec<usize> = (0..).zip(joins).filter(|(_, join)| test(join)).map(|(i, _)| i).collect();
        match found.as_slice() {
            [] => {}
            [one] => return Destination::One(*one),
            _ => return Destination::Several(found),
        }
    }
    let known = joins.iter().flat_map(|join| [join.alias.as_str(), drafts.name_of(join.target)]);
    let mut near = names::near(name.as_str(), known);
    near.dedup();
    Destination::Nothing(near.into())
}

/// Looks the sources up.
fn hang(entity: usize, nodes: &mut [JoinNode<'_>], drafts: &Drafts<'_>, errors: &mut CatalogErrors) {
    let mut parents: Vec<(usize, usize)> = Vec::new();
    for (i, node) in nodes.iter().enumerate() {
        let Some(from) = node.edge.source.filter(|_| node.declared) else { continue };
        // A join does not hang on itself, so its own name means another join, or the main table.
        let others: Vec<usize> = (0..nodes.len()).filter(|other| *other != i).collect();
        let wishes: Vec<Name> = nodes.iter().map(|node| node.edge.alias()).collect();
        let named = others.iter().filter_map(|other| nodes.get(*other).zip(wishes.get(*other)));
        let named: Vec<NamedJoin<'_>> =
            named.map(|(node, wish)| NamedJoin { alias: &node.alias, wish, target: node.target }).collect();
        let is_main = drafts.find(from.as_str()).is_some_and(|e| drafts.lineage(entity).contains(&e));
        let (owner, alias, from) = (node.edge.owner.clone(), node.alias.clone(), from.clone());
        match find(&from, &named, drafts) {
            Destination::One(found) => parents.extend(others.get(found).map(|parent| (i, *parent))),
            _ if is_main => {}
            Destination::Several(found) => {
                let joins = found.iter().filter_map(|found| named.get(*found)).map(|join| join.alias.clone()).collect();
                errors.push(CatalogError::AmbiguousSource { entity: owner, alias, from, joins })
            }
            Destination::Nothing(near) => errors.push(CatalogError::UnknownSource { entity: owner, alias, from, near }),
        }
    }
    for (i, parent) in parents {
        if let Some(node) = nodes.get_mut(i) {
            node.parent = Some(parent);
        }
    }
}

/// The nodes, each after its parent and otherwise as they were, with the place of the parent.
fn order<'n, 'd>(nodes: &'n [JoinNode<'d>], errors: &mut CatalogErrors) -> Vec<(&'n JoinNode<'d>, Option<usize>)> {
    let mut places: Vec<Option<usize>> = vec![None; nodes.len()];
    let mut placed: Vec<(&JoinNode<'d>, Option<usize>)> = Vec::with_capacity(nodes.len());
    loop {
        let before = placed.len();
        for (i, node) in nodes.iter().enumerate() {
            let source = node.parent.map(|parent| places.get(parent).copied().flatten());
            let Some(place) = places.get_mut(i).filter(|place| place.is_none()) else { continue };
            // `Some(None)`: it has a parent, which has no place yet.
            if source != Some(None) {
                *place = Some(placed.len());
                placed.push((node, source.flatten()));
            }
        }
        if placed.len() == before {
            break;
        }
    }
    for (node, _) in nodes.iter().zip(&places).filter(|(_, place)| place.is_none()) {
        let (entity, alias) = (node.edge.owner.clone(), node.alias.clone());
        errors.push(CatalogError::JoinCycle { entity, alias });
    }
    placed
}

/// The pairs of columns that must be equal.
fn keys(node: &JoinNode<'_>, parent: usize, drafts: &Drafts<'_>, errors: &mut CatalogErrors) -> Vec<(usize, usize)> {
    let edge = &node.edge;
    let (entity, alias) = (edge.owner.clone(), node.alias.clone());
    if edge.join_type == TableJoinType::Cross {
        if !edge.keys.is_empty() {
            errors.push(CatalogError::CrossJoinKeys { entity, alias });
        }
        return Vec::new();
    }
    if !drafts.is_whole(node.target) {
        return Vec::new();
    }
    let mut look_up = |of: usize, names: &[Name]| {
        let columns = drafts.columns(of);
        names
            .iter()
            .map(|key| {
                let found = columns.iter().position(|column| column.name == *key);
                if found.is_none() {
                    let near = names::near(key.as_str(), columns.iter().map(|column| column.name.as_str())).into();
                    let (entity, alias, key, of) = (entity.clone(), alias.clone(), key.clone(), drafts.name(of));
                    errors.push(match node.parent {
                        // The relation is a property's: there is no join yet of which one could speak.
                        None if edge.source.is_none() && edge.prime_keys.is_empty() && edge.keys.len() == 1 => {
                            CatalogError::UnknownProperty { entity, property: key, target: edge.target.clone(), near }
                        }
                        _ => CatalogError::UnknownKey { entity, alias, key, of, near },
                    });
                }
                found
            })
            .collect::<Option<Vec<usize>>>()
    };
    let foreign = look_up(parent, edge.keys);
    let prime = match edge.prime_keys {
        [] => Some(drafts.keys(node.target).to_vec()),
        names => look_up(node.target, names),
    };
    let (Some(foreign), Some(prime)) = (foreign, prime) else {
        return Vec::new();
    };
    let target = drafts.name(node.target);
    if prime.is_empty() {
        errors.push(CatalogError::NoKey { entity, alias, target });
    } else if foreign.len() != prime.len() {
        let (foreign, prime) = (foreign.len(), prime.len());
        errors.push(CatalogError::KeyCount { entity, alias, foreign, prime, target });
    } else {
        let pairs: Vec<(usize, usize)> = foreign.into_iter().zip(prime).collect();
        for (f, p) in &pairs {
            let (Some(f), Some(p)) = (drafts.columns(parent).get(*f), drafts.columns(node.target).get(*p)) else {
                continue;
            };
            if !comparable(f.ty, p.ty) {
                errors.push(CatalogError::KeyType {
                    entity: entity.clone(),
                    alias: alias.clone(),
                    foreign: f.name.clone(),
                    foreign_ty: f.ty,
                    target: target.clone(),
                    prime: p.name.clone(),
                    prime_ty: p.ty,
                });
            }
        }
        return pairs;
    }
    Vec::new()
}

/// Whether values of the two types can be equal on every engine without a cast.
fn comparable(a: DbType, b: DbType) -> bool {
    let exact = |ty: DbValueType| ty.is_integer() || ty.is_decimal();
    let stamp = |ty: DbValueType| matches!(ty, DbValueType::DateTime | DbValueType::DateTime2);
    let (x, y) = (a.base, b.base);
    a.array == b.array
        && (x == y
            || exact(x) && exact(y)
            || x.is_float() && y.is_float()
            || x.is_text() && y.is_text()
            || stamp(x) && stamp(y))
}

/// Whether two joins lead to the same rows.
pub(super) fn same_way(join: &Join, source: Option<usize>, other: &Join) -> bool {
    (join.source, join.target, join.join_type) == (source, other.target, other.join_type) && join.keys == other.keys
}
