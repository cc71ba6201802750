//! What a policy allows, told without a tree.

use super::known::Known;
use super::{QueryPolicy, Schema, UnknownName};
use crate::expr::{LogicOperator, Name};
use crate::walk::ExprType;

/// An entity or view that a tree may name.
pub(crate) struct Allowed<'a> {
    pub(crate) entity: &'a Name,
    /// Its properties that may be named.
    pub(crate) properties: Vec<Name>,
    /// What an EXISTS among its rows may be over, and whether along their relation.
    pub(crate) exists: Vec<(&'a Name, bool)>,
}

impl QueryPolicy {
    /// The entities and views that a tree may name, the root first.
    pub(crate) fn allowed<'a>(&'a self, schema: &'a dyn Schema) -> Result<Vec<Allowed<'a>>, UnknownName> {
        let known = Known::new(self, schema)?;
        let entities = known.entities();
        let allowed = entities.iter().map(|entity| {
            let properties = schema.properties(entity).unwrap_or_default().into_iter();
            let related = |to: &Name| {
                let relations = schema.relations(entity, to);
                relations.is_none_or(|all| !all.is_empty() && all.iter().all(|relation| known.follows(relation)))
            };
            let others = entities.iter().filter(|other| known.reads(other));
            Allowed {
                entity,
                properties: properties.filter(|property| known.property(entity, property) == Some(true)).collect(),
                exists: others.map(|other| (*other, related(other))).collect(),
            }
        });
        Ok(allowed.collect())
    }

    pub(crate) fn allows_kind(&self, kind: ExprType) -> bool {
        self.kinds.contains(kind)
    }

    pub(crate) fn allows_operator(&self, operator: LogicOperator) -> bool {
        self.operators.contains(&operator)
    }

    /// The functions, in order.
    pub(crate) fn functions(&self) -> Vec<&str> {
        sorted(self.functions.iter())
    }

    /// The fragments, in order.
    pub(crate) fn fragments(&self) -> Vec<&str> {
        sorted(self.fragments.iter())
    }

    pub(crate) fn allows_table_args(&self) -> bool {
        self.table_args
    }

    /// The longest list.
    pub(crate) fn list_items(&self) -> usize {
        self.max_list_items
    }

    /// The most rows of a page.
    pub(crate) fn take(&self) -> Option<u64> {
        self.max_take
    }
}

fn sorted<'a>(names: impl Iterator<Item = &'a Name>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names.map(Name::as_str).collect();
    names.sort_unstable();
    names
}
