//! The columns that a view takes from joined tables.

use super::build::Drafts;
use super::columns::check_name;
use super::define::{Definition, ForeignColumnDef};
use super::joins::{self, Destination, NamedJoin};
use super::{CatalogError, CatalogErrors, ForeignColumn, Join};
use crate::expr::Name;
use crate::names;

/// Where a foreign column leads to from one entity: along a join, to a property there.
struct ForeignStep<'d> {
    entity: usize,
    join: usize,
    target: usize,
    wanted: &'d Name,
    filterable: bool,
}

/// The joins of the entity, with those that its foreign columns need besides the declared ones, and the foreign columns.
pub(super) fn build(
    entity: usize,
    declared: &[Vec<Join>],
    drafts: &Drafts<'_>,
    errors: &mut CatalogErrors,
) -> (Vec<Join>, Vec<ForeignColumn>) {
    let mut joins = declared.get(entity).cloned().unwrap_or_default();
    let mut columns: Vec<ForeignColumn> = Vec::new();
    for (owner, def) in definitions(entity, drafts).filter(|_| drafts.is_whole(entity)) {
        check_name(&owner.name, "property", def.name.as_str(), errors);
        let own = drafts.columns(entity).iter().map(|column| &column.name);
        if own.chain(columns.iter().map(|column| &column.name)).any(|name| *name == def.name) {
            let (entity, property) = (owner.name.clone(), def.name.clone());
            errors.push(CatalogError::DuplicateProperty { entity, property });
        }
        let Some((steps, column)) = follow(entity, owner, def, declared, drafts, errors) else { continue };
        let mut at = None;
        for step in &steps {
            at = graft(&mut joins, at, step, entity, declared);
        }
        let Some((join, end)) = at.zip(steps.last()) else { continue };
        let visible = drafts.columns(end.target).get(column).is_some_and(|column| column.filterable);
        columns.push(ForeignColumn {
            name: def.name.clone(),
            join,
            entity: drafts.id(end.target),
            column,
            through: steps.iter().map(|step| (drafts.id(step.target), step.wanted.clone())).collect(),
            filterable: visible && steps.iter().all(|step| step.filterable),
        });
    }
    for column in &columns {
        let mut at = Some(column.join);
        while let Some(join) = at.and_then(|at| joins.get_mut(at)).filter(|join| !join.used_by_default) {
            join.used_by_default = true;
            at = join.source;
        }
    }
    (joins, columns)
}

/// The foreign columns of an entity as they are written, inherited ones first, each with what declares it.
fn definitions<'d>(entity: usize, drafts: &Drafts<'d>) -> impl Iterator<Item = (&'d Definition, &'d ForeignColumnDef)> {
    let lineage = drafts.lineage(entity).iter().filter_map(|i| drafts.definition(*i)).collect::<Vec<_>>();
    lineage.into_iter().flat_map(|definition| definition.foreign_columns.iter().map(move |column| (definition, column)))
}

/// Follows a foreign column, through other views' foreign columns, to the column of a table.
fn follow<'d>(
    entity: usize,
    owner: &'d Definition,
    def: &'d ForeignColumnDef,
    declared: &[Vec<Join>],
    drafts: &Drafts<'d>,
    errors: &mut CatalogErrors,
) -> Option<(Vec<ForeignStep<'d>>, usize)> {
    let mut steps: Vec<ForeignStep<'d>> = Vec::new();
    let (mut at, mut owner, mut def) = (entity, owner, def);
    loop {
        let step = step(at, owner, def, declared, drafts, errors)?;
        let (target, wanted) = (step.target, step.wanted);
        let again = steps.iter().any(|s| (s.entity, s.join) == (step.entity, step.join) && s.wanted == wanted);
        steps.push(step);
        if again {
            let (entity, property) = (owner.name.clone(), def.name.clone());
            errors.push(CatalogError::ForeignCycle { entity, property });
            return None;
        }
        // What a view without its table lacks is said of that view already.
        if !drafts.is_whole(target) {
            return None;
        }
        if let Some(column) = drafts.columns(target).iter().position(|column| column.name == *wanted) {
            return Some((steps, column));
        }
        match definitions(target, drafts).find(|(_, next)| next.name == *wanted) {
            Some((next_owner, next)) => (at, owner, def) = (target, next_owner, next),
            None => {
                let own = drafts.columns(target).iter().map(|column| column.name.as_str());
                let foreign = definitions(target, drafts).map(|(_, column)| column.name.as_str());
                let near = names::near(wanted.as_str(), own.chain(foreign)).into();
                let (entity, property) = (owner.name.clone(), def.name.clone());
                let (target, wanted) = (drafts.name(target), wanted.clone());
                errors.push(CatalogError::UnknownForeignProperty { entity, property, target, wanted, near });
                return None;
            }
        }
    }
}

/// The join that a foreign column names.
fn step<'d>(
    at: usize,
    owner: &'d Definition,
    def: &'d ForeignColumnDef,
    declared: &[Vec<Join>],
    drafts: &Drafts<'d>,
    errors: &mut CatalogErrors,
) -> Option<ForeignStep<'d>> {
    let joins = declared.get(at)?;
    let named: Vec<NamedJoin<'_>> = joins
        .iter()
        .map(|join| NamedJoin { alias: &join.alias, wish: &join.wish, target: join.target.index() })
        .collect();
    let (entity, property, foreign) = (owner.name.clone(), def.name.clone(), def.foreign.clone());
    let error = match joins::find(&def.foreign, &named, drafts) {
        Destination::One(join) => {
            let target = named.get(join)?.target;
            let wanted = def.property.as_ref().unwrap_or(&def.name);
            return Some(ForeignStep { entity: at, join, target, wanted, filterable: def.filterable });
        }
        Destination::Several(found) => {
            let joins = found.iter().map(|join| way(*join, at, joins, drafts)).collect();
            CatalogError::AmbiguousForeign { entity, property, foreign, joins }
        }
        Destination::Nothing(near) => CatalogError::UnknownForeign { entity, property, foreign, near },
    };
    errors.push(error);
    None
}

/// The way to a join: its alias, and the columns that refer to each table on the way.
fn way(join: usize, entity: usize, joins: &[Join], drafts: &Drafts<'_>) -> String {
    let alias = joins.get(join).map(|join| join.alias.as_str()).unwrap_or_default();
    let mut columns = Vec::new();
    let mut next = joins.get(join);
    while let Some(join) = next {
        next = join.source.and_then(|source| joins.get(source));
        let from = next.map_or(entity, |source| source.target.index());
        let own = join.keys.iter().filter_map(|(own, _)| drafts.columns(from).get(*own));
        columns.extend(own.map(|column| format!("{}.{}", drafts.name(from), column.name)));
    }
    columns.reverse();
    format!("`{alias}` ({})", columns.join(", "))
}

/// Adds the joins of a step, made for the step's entity, behind the join `at` of the entity that is built, unless they
/// are there; returns the last one.
fn graft(
    joins: &mut Vec<Join>,
    mut at: Option<usize>,
    step: &ForeignStep<'_>,
    entity: usize,
    declared: &[Vec<Join>],
) -> Option<usize> {
    if step.entity == entity && at.is_none() {
        return Some(step.join);
    }
    let theirs = declared.get(step.entity)?;
    let mut way: Vec<&Join> = Vec::new();
    let mut next = theirs.get(step.join);
    while let Some(join) = next {
        way.push(join);
        next = join.source.and_then(|source| theirs.get(source));
    }
    for join in way.into_iter().rev() {
        at = match joins.iter().position(|known| joins::same_way(known, at, join)) {
            Some(known) => Some(known),
            None => {
                let alias = free_alias(joins, at, &join.alias);
                let wish = alias.clone();
                joins.push(Join { alias, wish, source: at, used_by_default: false, declared: false, ..join.clone() });
                Some(joins.len() - 1)
            }
        };
    }
    at
}

fn free_alias(joins: &[Join], parent: Option<usize>, wish: &Name) -> Name {
    let parent = parent.and_then(|parent| joins.get(parent)).map(|join| join.alias.as_str()).unwrap_or_default();
    let with_parent = format!("{parent}_{wish}");
    let numbered = (2..).map(|n| Name::from(format!("{with_parent}_{n}")));
    let mut wishes = [wish.clone(), Name::new(&with_parent)].into_iter().chain(numbered);
    wishes.find(|name| joins.iter().all(|join| join.alias != *name)).unwrap_or_default()
}
