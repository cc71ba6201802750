//! The texts of queries and statements.

use std::fmt::{self, Write};

use super::Text;
use crate::expr::{
    CommonTableExpr, ConflictAction, DeleteExpr, Distinct, FromExpr, GroupByExpr, HavingExpr, InsertExpr, InsertSource,
    LockExpr, LockMode, LockWait, LogicExpr, Name, NextSelect, Nulls, OrderByExpr, OrderByItemExpr, SectionExpr,
    SelectExpr, SelectItemExpr, SelectSetType, SqlSegment, TableExpr, TableJoinExpr, TableJoinType, UpdateExpr,
    ValueTypeExpr, WhereExpr,
};

/// A clause with its source.
#[derive(Clone, Copy)]
pub(super) enum Clause<'a> {
    Where(&'a WhereExpr),
    GroupBy(&'a GroupByExpr),
    Having(&'a HavingExpr),
    OrderBy(&'a OrderByExpr),
    Section(&'a SectionExpr),
    Lock(&'a LockExpr),
}

impl<'a> Clause<'a> {
    fn of(segment: &'a SqlSegment) -> Option<Self> {
        Some(match segment {
            SqlSegment::Where(node) => Clause::Where(node),
            SqlSegment::GroupBy(node) => Clause::GroupBy(node),
            SqlSegment::Having(node) => Clause::Having(node),
            SqlSegment::OrderBy(node) => Clause::OrderBy(node),
            SqlSegment::Section(node) => Clause::Section(node),
            SqlSegment::Lock(node) => Clause::Lock(node),
            _ => return None,
        })
    }

    fn source(self) -> Option<&'a SqlSegment> {
        match self {
            Clause::Where(node) => node.source.as_ref(),
            Clause::GroupBy(node) => node.source.as_ref(),
            Clause::Having(node) => node.source.as_ref(),
            Clause::OrderBy(node) => node.source.as_ref(),
            Clause::Section(node) => node.source.as_ref(),
            Clause::Lock(node) => node.source.as_ref(),
        }
    }
}

impl Text<'_, '_> {
    pub(super) fn segment(&mut self, segment: &SqlSegment) -> fmt::Result {
        self.inner(|text| match segment {
            SqlSegment::Select(node) => text.select(node),
            SqlSegment::Table(_) | SqlSegment::From(_) | SqlSegment::CommonTable(_) => {
                text.write_str("FROM ")?;
                text.source(Some(segment))
            }
            _ => text.chain(Some(segment)),
        })
    }

    /// A source and the clauses over it, however many there are.
    pub(super) fn chain(&mut self, segment: Option<&SqlSegment>) -> fmt::Result {
        let mut clauses = Vec::new();
        let mut at = segment;
        while let Some(clause) = at.and_then(Clause::of) {
            clauses.push(clause);
            at = clause.source();
        }
        self.write_str("FROM ")?;
        self.source(at)?;
        clauses.into_iter().rev().try_for_each(|clause| self.clause(clause))
    }

    /// What stands behind FROM or JOIN.
    pub(super) fn source(&mut self, source: Option<&SqlSegment>) -> fmt::Result {
        self.inner(|text| match source {
            None => text.write_str("the root"),
            Some(SqlSegment::Table(table)) => text.table(table),
            Some(SqlSegment::From(node)) => text.from(node),
            Some(SqlSegment::CommonTable(node)) => text.common_table(node),
            Some(SqlSegment::Select(node)) => {
                text.parenthesized(|text| text.select(node))?;
                text.named(node.alias.as_ref())
            }
            Some(other) => text.parenthesized(|text| text.chain(Some(other))),
        })
    }

    pub(super) fn table(&mut self, node: &TableExpr) -> fmt::Result {
        write!(self, "{}", node.entity)?;
        self.args(node.table_args.iter())?;
        self.named(node.alias.as_ref())
    }

    pub(super) fn from(&mut self, node: &FromExpr) -> fmt::Result {
        self.source(Some(&node.source))?;
        node.joins.iter().try_for_each(|join| self.write_str(" ").and_then(|()| self.join(join)))
    }

    pub(super) fn join(&mut self, node: &TableJoinExpr) -> fmt::Result {
        self.write_str(match node.join_type {
            TableJoinType::Inner => "JOIN ",
            TableJoinType::Left => "LEFT JOIN ",
            TableJoinType::Right => "RIGHT JOIN ",
            TableJoinType::Full => "FULL JOIN ",
            TableJoinType::Cross => "CROSS JOIN ",
        })?;
        self.write_str(if node.lateral { "LATERAL " } else { "" })?;
        self.source(Some(&node.source))?;
        match &node.on {
            Some(on) => {
                self.write_str(" ON ")?;
                self.logic(on)
            }
            None => Ok(()),
        }
    }

    pub(super) fn common_table(&mut self, node: &CommonTableExpr) -> fmt::Result {
        write!(self, "{}", node.alias)?;
        match &node.source {
            Some(select) => {
                self.write_str(" AS ")?;
                self.parenthesized(|text| text.select(select))
            }
            None => Ok(()),
        }
    }

    pub(super) fn clause(&mut self, clause: Clause<'_>) -> fmt::Result {
        match clause {
            Clause::Where(node) => self.write_str(" WHERE ").and_then(|()| self.logic(&node.filter)),
            Clause::GroupBy(node) => self.write_str(" GROUP BY ").and_then(|()| self.values(&node.group_by)),
            Clause::Having(node) => self.write_str(" HAVING ").and_then(|()| self.logic(&node.having)),
            Clause::OrderBy(node) => self.order(" ORDER BY ", &node.order_by),
            Clause::Section(node) => {
                if let Some(take) = node.take {
                    write!(self, " LIMIT {take}")?;
                }
                if node.skip > 0 {
                    write!(self, " OFFSET {}", node.skip)?;
                }
                if node.after.is_empty() {
                    return Ok(());
                }
                self.write_str(" AFTER ")?;
                self.parenthesized(|text| text.list(", ", &node.after, Self::plain))
            }
            Clause::Lock(node) => {
                self.write_str(if node.mode == LockMode::Share { " FOR SHARE" } else { " FOR UPDATE" })?;
                self.write_str(match node.wait {
                    LockWait::Wait => "",
                    LockWait::NoWait => " NOWAIT",
                    LockWait::SkipLocked => " SKIP LOCKED",
                })
            }
        }
    }

    pub(super) fn order(&mut self, before: &str, keys: &[OrderByItemExpr]) -> fmt::Result {
        if keys.is_empty() {
            return Ok(());
        }
        self.write_str(before)?;
        self.list(", ", keys, Self::key)
    }

    pub(super) fn key(&mut self, key: &OrderByItemExpr) -> fmt::Result {
        self.value(&key.field)?;
        self.write_str(if key.ascending { "" } else { " DESC" })?;
        self.write_str(match key.nulls {
            Nulls::Default => "",
            Nulls::First => " NULLS FIRST",
            Nulls::Last => " NULLS LAST",
        })
    }

    pub(super) fn select(&mut self, node: &SelectExpr) -> fmt::Result {
        self.write_str("SELECT ")?;
        match &node.distinct {
            Distinct::No => {}
            Distinct::Rows => self.write_str("DISTINCT ")?,
            Distinct::On(keys) => {
                self.write_str("DISTINCT ON (")?;
                self.values(keys)?;
                self.write_str(") ")?;
            }
        }
        if node.selects.is_empty() {
            self.write_str("*")?;
        }
        self.list(", ", &node.selects, Self::item)?;
        self.write_str(" ")?;
        self.chain(node.source.as_ref())?;
        node.next_selects.iter().try_for_each(|next| self.next(next))
    }

    pub(super) fn next(&mut self, next: &NextSelect) -> fmt::Result {
        self.write_str(match next.set_type {
            SelectSetType::UnionAll => " UNION ALL ",
            SelectSetType::Union => " UNION ",
            SelectSetType::Intersect => " INTERSECT ",
            SelectSetType::Except => " EXCEPT ",
        })?;
        if next.select.next_selects.is_empty() {
            return self.inner(|text| text.select(&next.select));
        }
        self.parenthesized(|text| text.select(&next.select))
    }

    pub(super) fn item(&mut self, node: &SelectItemExpr) -> fmt::Result {
        self.value(&node.value)?;
        self.named(node.alias.as_ref())
    }

    pub(super) fn assignments(&mut self, sets: &[(Name, ValueTypeExpr)]) -> fmt::Result {
        self.list(", ", sets, |text, (name, value)| {
            write!(text, "{name} = ")?;
            text.value(value)
        })
    }

    pub(super) fn insert(&mut self, node: &InsertExpr) -> fmt::Result {
        self.write_str("INSERT INTO ")?;
        self.table(&node.table)?;
        self.write_str(" (")?;
        self.list(", ", &node.columns, |text, name| write!(text, "{name}"))?;
        self.write_str(") ")?;
        let width = node.columns.len().max(1);
        match &node.source {
            InsertSource::Values(values) => {
                self.write_str("VALUES ")?;
                self.list(", ", values.chunks(width), |text, row| {
                    text.parenthesized(|text| text.list(", ", row, |text, value| write!(text, "{value}")))
                })?;
            }
            InsertSource::Exprs(values) => {
                self.write_str("VALUES ")?;
                self.list(", ", values.chunks(width), |text, row| text.parenthesized(|text| text.values(row)))?;
            }
            InsertSource::Query(query) => self.segment(query)?,
        }
        if let Some(conflict) = &node.conflict {
            self.write_str(" ON CONFLICT (")?;
            self.list(", ", &conflict.target, |text, name| write!(text, "{name}"))?;
            match &conflict.action {
                ConflictAction::DoNothing => self.write_str(") DO NOTHING")?,
                ConflictAction::UpdateAll => self.write_str(") DO UPDATE")?,
                ConflictAction::Update(sets) => {
                    self.write_str(") DO UPDATE SET ")?;
                    self.assignments(sets)?;
                }
            }
        }
        self.returning(&node.returning)
    }

    pub(super) fn update(&mut self, node: &UpdateExpr) -> fmt::Result {
        self.write_str("UPDATE ")?;
        self.table(&node.table)?;
        self.write_str(" SET ")?;
        self.assignments(&node.sets)?;
        self.rows(node.filter.as_ref(), &node.returning)
    }

    pub(super) fn delete(&mut self, node: &DeleteExpr) -> fmt::Result {
        self.write_str("DELETE FROM ")?;
        self.table(&node.table)?;
        self.rows(node.filter.as_ref(), &node.returning)
    }

    pub(super) fn rows(&mut self, filter: Option<&LogicExpr>, returning: &[SelectItemExpr]) -> fmt::Result {
        if let Some(filter) = filter {
            self.write_str(" WHERE ")?;
            self.logic(filter)?;
        }
        self.returning(returning)
    }

    pub(super) fn returning(&mut self, items: &[SelectItemExpr]) -> fmt::Result {
        if items.is_empty() {
            return Ok(());
        }
        self.write_str(" RETURNING ")?;
        self.list(", ", items, Self::item)
    }

    /// A clause by itself: its source, and it.
    pub(super) fn over(&mut self, clause: Clause<'_>) -> fmt::Result {
        self.chain(clause.source())?;
        self.clause(clause)
    }
}
