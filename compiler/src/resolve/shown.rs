//! The joins of a view that a query needs: those that only show columns may be left out where nobody sees them.

use crate::entity_texts::{join_bit, join_bits};
use crate::expr::TableJoinType;
use crate::legalize::exact;
use crate::model::{Column, Entity, Join};

use super::Resolver;
use super::chain::{Building, Shown};
use super::scope::{Src, SrcKind};
use super::source::keeps_joined;

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// Leaves the joins out that only items and the order need, but for those that change the rows.
    pub(super) fn leave_shown_out(&self, b: &mut Building<'a, 'e>, counts: bool) {
        let all = b.items.is_none() && b.group.is_empty();
        b.shown.resize(b.sources.len(), Shown::default());
        for (source, shown) in b.sources.iter().zip(&mut b.shown) {
            let listed = if all { used_by_default(source) } else { 0 };
            *shown = Shown { items: self.makes_rows(source, shown.joins() | listed, counts), order: 0 };
        }
    }

    /// Leaves the joins out that only the order needs.
    pub(super) fn leave_order_out(&self, b: &mut Building<'a, 'e>) {
        for (source, shown) in b.sources.iter().zip(&mut b.shown).filter(|(_, shown)| shown.order != 0) {
            *shown = Shown { items: shown.items | self.makes_rows(source, shown.order, true), order: 0 };
        }
    }

    /// Which of these joins of a source make a difference to its rows: all but outer joins, which keep every row, unless the
    /// number of rows counts and they give more than one each; and but inner ones that find one for each.
    fn makes_rows(&self, source: &Src<'a>, joins: u128, counts: bool) -> u128 {
        let SrcKind::Entity { entity, .. } = source.kind else { return joins };
        let used = entity.joins.iter().enumerate().filter(|(index, _)| joins >> index & 1 == 1);
        let changes = |join: &Join| match join.join_type {
            TableJoinType::Left => counts && !self.joins_one(join),
            TableJoinType::Inner => source.missing.get() || !self.finds_one(entity, join),
            _ => true,
        };
        used.filter(|(_, join)| changes(join)).fold(0, |kept, (index, _)| kept | join_bits(entity, index))
    }

    /// Whether a join finds one row at most: by the key of its table.
    fn joins_one(&self, join: &Join) -> bool {
        let target = self.cx.target.catalog().get(join.target);
        !target.keys.is_empty() && target.keys.iter().all(|key| join.keys.iter().any(|(_, to)| to == key))
    }

    /// Whether an inner join finds a row for each: by a foreign key that the database enforces, whose columns are never NULL, and
    /// in a table of which nothing is filtered. The database goes by its collations, so that in the mode `exact` a text is not
    /// enough; and a join that adds rows has none for them.
    fn finds_one(&self, entity: &Entity, join: &Join) -> bool {
        let catalog = self.cx.target.catalog();
        let target = catalog.get(join.target);
        let source = match join.source.map(|parent| entity.joins.get(parent)) {
            None => Some(entity),
            Some(Some(parent)) if parent.join_type == TableJoinType::Inner => Some(catalog.get(parent.target)),
            _ => None,
        };
        let exact = exact::texts_exact(self.cx);
        let is_sure = |column: &Column| !(column.nullable || exact && column.ty.base.family().may_be_text());
        let keys = |of: &Entity| join.keys.iter().all(|(from, _)| of.columns.get(*from).is_some_and(is_sure));
        join.enforced
            && self.joins_one(join)
            && source.is_some_and(keys)
            && !entity.joins.iter().any(|join| keeps_joined(join.join_type))
            && target.fixed_filter.is_none()
            && target.soft_delete.is_none()
            && matches!(self.scope_is_silent(join.target), Ok(true))
    }

    /// Whether these joins of an entity give each of its rows one at most, and no row of their own.
    pub(super) fn joins_one_each(&self, entity: &Entity, used: u128) -> bool {
        let used = entity.joins.iter().enumerate().filter(|(index, _)| used >> index & 1 == 1);
        used.into_iter().all(|(_, join)| !keeps_joined(join.join_type) && self.joins_one(join))
    }
}

/// The joins that the columns of a source need which nobody has chosen from.
pub(super) fn used_by_default(source: &Src<'_>) -> u128 {
    let SrcKind::Entity { entity, .. } = source.kind else { return 0 };
    let joins = entity.joins.iter().enumerate().filter(|(_, join)| join.used_by_default);
    joins.fold(0, |used, (index, _)| used | join_bit(index))
}

/// Whether the joins of a page only show columns of its rows, and one of them is an inner one, with which an engine may begin.
pub(super) fn only_shows(b: &Building<'_, '_>) -> bool {
    let ([Src { kind: SrcKind::Entity { entity, .. }, used, .. }], [shown]) = (&*b.sources, &*b.shown) else {
        return false;
    };
    let plain = b.group.is_empty() && !b.aggregated && !b.distinct && b.distinct_on.is_empty() && b.lock.is_none();
    let is_inner =
        |(index, join): (usize, &Join)| shown.items & join_bit(index) != 0 && join.join_type == TableJoinType::Inner;
    plain && b.limit.is_some() && used.get() == 0 && shown.order == 0 && entity.joins.iter().enumerate().any(is_inner)
}
