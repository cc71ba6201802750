//! A subquery that is used as a value gives one row at most.

use crate::dialect::Feature;
use crate::error::Result;
use crate::expr::{DbType, Family};
use crate::frame::{CompareOp, Pred, Query, Scalar, ScalarKind};
use crate::legalize::query;
use crate::model::Property;

use super::chain::{Building, Shown, Use};
use super::scope::{OutCol, Src, SrcKind};
use super::{Resolver, scope};

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// The query of a value. Where the engine would take the first of several rows, they are counted, unless it is known
    /// that there is one at most.
    pub(super) fn one_value(&mut self, b: &'a mut Building<'a, 'e>, column: OutCol<'a>) -> Result<&'a Query<'a, 'e>> {
        if self.cx.target.has(Feature::ScalarRows) || self.gives_one_row(b) {
            return self.finish(b, Use::Values);
        }
        let query = self.finish(b, Use::Table)?;
        query::counted(self.cx, query, column.quoted)
    }

    /// Whether a query gives one row at most: an aggregate of all rows, a page of one, a row by its key, a group by its.
    fn gives_one_row(&self, b: &Building<'a, 'e>) -> bool {
        if b.page.1.is_some_and(|rows| rows < 2) || b.set.is_none() && b.from.is_none() {
            return true;
        }
        if b.set.is_some() || b.group.is_empty() && b.aggregated {
            return b.set.is_none();
        }
        if !b.group.is_empty() {
            let own = self.own_names(b);
            return b.group.iter().all(|key| b.filters.iter().any(|pred| gives(pred, key, &own, Keys::Declared)));
        }
        self.rows_by_key(b, Keys::Declared)
    }

    /// Whether a query that is a plain select certainly has one row at most, chosen by a key.
    pub(super) fn is_by_key(&self, b: &Building<'a, 'e>) -> bool {
        let plain = b.set.is_none() && b.group.is_empty() && !b.aggregated && b.after.is_none();
        plain && b.from.is_some() && b.page == (0, None) && self.rows_by_key(b, Keys::Certain)
    }

    /// Whether the conditions say the key of each source.
    fn rows_by_key(&self, b: &Building<'a, 'e>, keys: Keys) -> bool {
        let own = self.own_names(b);
        let given = |key: &Scalar<'a, 'e>| b.filters.iter().any(|pred| gives(pred, key, &own, keys));
        b.sources.iter().enumerate().all(|(index, source)| {
            let SrcKind::Entity { entity, .. } = source.kind else { return false };
            let used = source.used.get() | b.shown.get(index).map_or(0, Shown::joins);
            let is_given = |key: usize| self.column_of(source, key).is_some_and(|key| given(&key));
            let by_key = !entity.keys.is_empty() && entity.keys.iter().all(|key| is_given(*key));
            let unique = || entity.columns.iter().enumerate().any(|(at, column)| column.is_unique && is_given(at));
            (by_key || keys == Keys::Declared && unique()) && self.joins_one_each(entity, used)
        })
    }

    fn column_of(&self, source: &Src<'a>, column: usize) -> Option<Scalar<'a, 'e>> {
        scope::entity_column(self.cx, source, Property::Column(column), false)
    }
}

/// What is taken for a key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keys {
    /// What is declared: a primary key, or a unique column.
    Declared,
    /// A primary key by which no two rows are found. A value that has several forms may be found by more than one beside another
    /// column, as a text is by that one's collation; a unique column may be one in the definition only.
    Certain,
}

/// Whether a condition says what value a key has.
pub(super) fn gives(pred: &Pred<'_, '_>, key: &Scalar<'_, '_>, own: &[&str], keys: Keys) -> bool {
    match pred {
        Pred::And(items) => items.iter().any(|item| gives(item, key, own, keys)),
        Pred::Compare(compare) if compare.op == CompareOp::Equal => {
            let is_key =
                |side: &Scalar<'_, '_>| matches!(side.kind, ScalarKind::Column(_)) && side.kind.is_same(&key.kind);
            let is_given = |side: &Scalar<'_, '_>| match side.kind.as_column() {
                Some(_) if keys == Keys::Certain && !key.ty.is_some_and(has_one_form) => false,
                Some(column) => !own.iter().any(|own| column.is_of(own)),
                None => side.is_plain(),
            };
            is_key(&compare.left) && is_given(&compare.right) || is_key(&compare.right) && is_given(&compare.left)
        }
        _ => false,
    }
}

/// Whether equal values of the type are stored alike.
fn has_one_form(ty: DbType) -> bool {
    matches!(ty.base.family(), Family::Integer | Family::Guid) && !ty.array
}
