//! Which tables the condition of a write asks.

use crate::dialect::Feature;
use crate::expr::{LogicExpr, Name, SqlSegment};
use crate::model::EntityId;
use crate::walk::{ExprRef, VisitOrder, visit_while};

use super::Resolver;
use super::filter::one_table;

impl Resolver<'_, '_, '_, '_> {
    /// Whether a term of a write's condition is an EXISTS that an engine joins where the write names several tables.
    ///
    /// No condition of it, of the scope or of a table that is named may read the written table, which a DELETE of that form
    /// takes nowhere else, or have a text of the program's, which may call the table by its name.
    pub(super) fn asks_of_others(&self, written: EntityId, filter: Option<&LogicExpr>) -> bool {
        let target = self.cx.target;
        if !self.cx.helps(Feature::ExistsInChange) || !filter.is_some_and(asks_by_exists) {
            return false;
        }
        let catalog = target.catalog();
        let scope = self.request.scope.map_or(&[][..], |scope| scope.filters());
        let mut waiting: Vec<&LogicExpr> = scope.iter().map(|filter| &filter.condition).collect();
        waiting.extend(filter.into_iter().chain(&catalog.get(written).fixed_filter));
        let mut named = Vec::new();
        while let Some(condition) = waiting.pop() {
            if target.registry().speaks_in(condition) {
                return false;
            }
            let from = named.len();
            let mut of_other = |name: &Name| {
                let Some((id, entity)) = catalog.entity(name.as_str()) else { return true };
                let tables = std::iter::once(id).chain(entity.joins.iter().map(|join| join.target));
                for table in tables {
                    if one_table(target, table, written) {
                        return false;
                    }
                    if !named.contains(&table) {
                        named.push(table);
                    }
                }
                true
            };
            let of_others = visit_while(condition, VisitOrder::Pre, |node| match node {
                ExprRef::Segment(SqlSegment::Table(table)) | ExprRef::Table(table) => of_other(&table.entity),
                ExprRef::Logic(LogicExpr::Foreign(node)) => of_other(&node.entity),
                node => !is_of_root(node),
            });
            if !of_others {
                return false;
            }
            waiting.extend(named.iter().skip(from).filter_map(|table| catalog.get(*table).fixed_filter.as_ref()));
        }
        true
    }
}

/// Whether a clause has no source, so that it is over the root, which is the table that is written.
fn is_of_root(node: ExprRef<'_>) -> bool {
    match node {
        ExprRef::Segment(SqlSegment::Where(node)) => node.source.is_none(),
        ExprRef::Segment(SqlSegment::GroupBy(node)) => node.source.is_none(),
        ExprRef::Segment(SqlSegment::Having(node)) => node.source.is_none(),
        ExprRef::Segment(SqlSegment::OrderBy(node)) => node.source.is_none(),
        ExprRef::Segment(SqlSegment::Section(node)) => node.source.is_none(),
        ExprRef::Segment(SqlSegment::Lock(node)) => node.source.is_none(),
        ExprRef::Segment(SqlSegment::Select(node)) => node.source.is_none(),
        ExprRef::Select(node) => node.source.is_none(),
        _ => false,
    }
}

/// Whether a term of a condition is an EXISTS.
fn asks_by_exists(filter: &LogicExpr) -> bool {
    match filter {
        LogicExpr::And(node) => node.items.iter().any(asks_by_exists),
        other => matches!(other, LogicExpr::Foreign(_) | LogicExpr::Exists(_)),
    }
}
