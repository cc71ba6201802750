//! A subquery that is used as a value gives one row at most.

use crate::dialect::Feature;
use crate::error::Result;
use crate::frame::{CompareOp, Pred, Query, Scalar, ScalarKind};
use crate::model::Property;

use super::Resolver;
use super::chain::{Building, Shown, Use};
use super::scope::{OutCol, Src, SrcKind};

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// The query of a value. Where the engine would take the first of several rows, they are counted, unless it is known
    /// that there is one at most.
    pub(super) fn one_value(&mut self, b: &'a mut Building<'a, 'e>, column: OutCol<'a>) -> Result<&'a Query<'a, 'e>> {
        if self.cx.target.has(Feature::ScalarRows) || self.gives_one_row(b) {
            return self.finish(b, Use::Values);
        }
        let query = self.finish(b, Use::Table)?;
        self.cx.counted(query, column.quoted)
    }

    /// Whether a query gives one row at most: an aggregate of all rows, a page of one, a row by its key, a group by its.
    fn gives_one_row(&self, b: &Building<'a, 'e>) -> bool {
        if b.page.1.is_some_and(|rows| rows < 2) || b.set.is_none() && b.from.is_none() {
            return true;
        }
        if b.set.is_some() || b.group.is_empty() && b.aggregated {
            return b.set.is_none();
        }
        let own = self.own_names(b);
        let given = |key: &Scalar<'a, 'e>| b.filters.iter().any(|pred| gives(pred, key, &own));
        if !b.group.is_empty() {
            return b.group.iter().all(given);
        }
        b.sources.iter().enumerate().all(|(index, source)| {
            let SrcKind::Entity { entity, .. } = source.kind else { return false };
            let used = source.used.get() | b.shown.get(index).map_or(0, Shown::joins);
            let is_given = |key: usize| self.column_of(source, key).is_some_and(|key| given(&key));
            let by_key = !entity.keys.is_empty() && entity.keys.iter().all(|key| is_given(*key));
            let unique = || entity.columns.iter().enumerate().any(|(at, column)| column.is_unique && is_given(at));
            (by_key || unique()) && self.joins_one_each(entity, used)
        })
    }

    fn column_of(&self, source: &Src<'a>, column: usize) -> Option<Scalar<'a, 'e>> {
        self.cx.entity_column(source, Property::Column(column), false)
    }
}

/// Whether a condition says what value a column has.
fn gives(pred: &Pred<'_, '_>, key: &Scalar<'_, '_>, own: &[&str]) -> bool {
    match pred {
        Pred::And(items) => items.iter().any(|item| gives(item, key, own)),
        Pred::Compare(compare) if compare.op == CompareOp::Equal => {
            let is_key =
                |side: &Scalar<'_, '_>| matches!(side.kind, ScalarKind::Column(_)) && side.kind.is_same(&key.kind);
            let is_given = |side: &Scalar<'_, '_>| match side.kind.as_column() {
                Some(column) => !own.iter().any(|own| column.is_of(own)),
                None => side.is_plain(),
            };
            is_key(&compare.left) && is_given(&compare.right) || is_key(&compare.right) && is_given(&compare.left)
        }
        _ => false,
    }
}
