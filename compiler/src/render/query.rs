//! Writes queries.

use crate::error::Result;
use crate::expr::{SelectSetType, TableJoinType};
use crate::frame::{Body, Cte, Item, Items, Join, Order, Query, Select, Source};

use super::{Prec, Writer, sql};

impl<'e> Writer<'_, 'e> {
    /// Writes a query.
    ///
    /// # Errors
    /// Those of writing the values.
    pub fn query(&mut self, query: &Query<'_, 'e>) -> Result<()> {
        self.with(query.ctes)?;
        let outer_lock = std::mem::replace(&mut self.table_lock, query.lock.map(|lock| lock.without_column()));
        let outer_order = std::mem::take(&mut self.aggregate_order);
        let outer_condition = std::mem::take(&mut self.in_condition);
        self.queries += 1;
        let topped = self.body(query)?;
        self.table_lock = outer_lock;
        if !query.order.is_empty() {
            self.order_by(query.order)?;
        }
        let limit = if topped { None } else { query.limit.as_ref() };
        if limit.is_some() || query.offset.is_some() {
            self.target.dialect().paging(self, limit, query.offset.as_ref())?;
        }
        if let Some(lock) = query.lock {
            self.lock_of = joined_main(&query.body);
            self.target.dialect().lock(self, lock);
            self.lock_of = None;
        }
        self.queries -= 1;
        self.aggregate_order = outer_order;
        self.in_condition = outer_condition;
        self.recursive_end(query.ctes);
        Ok(())
    }

    /// Writes the end of a statement with these common table expressions.
    pub fn recursive_end(&mut self, ctes: &[Cte<'_, 'e>]) {
        if ctes.iter().any(|cte| cte.recursive) {
            self.text(self.target.dialect().recursive_end());
        }
    }

    /// Writes the WITH clause of a statement, with a trailing blank.
    ///
    /// # Errors
    /// Those of writing the values.
    pub fn with(&mut self, ctes: &[Cte<'_, 'e>]) -> Result<()> {
        if ctes.is_empty() {
            return Ok(());
        }
        let recursive = ctes.iter().any(|cte| cte.recursive);
        self.text(if recursive { self.target.dialect().with_recursive() } else { "WITH " });
        for (index, cte) in ctes.iter().enumerate() {
            self.text(if index > 0 { ", " } else { "" });
            self.text(cte.name);
            if !cte.columns.is_empty() {
                self.text(" (");
                for (index, column) in cte.columns.iter().enumerate() {
                    self.text(if index > 0 { ", " } else { "" });
                    self.text(column);
                }
                self.text(")");
            }
            sql!(self, " AS (" [self.query(cte.query)] ")");
        }
        self.text(" ");
        Ok(())
    }

    fn body(&mut self, query: &Query<'_, 'e>) -> Result<bool> {
        match query.body {
            Body::Select(select) => self.select(select, query),
            Body::Set { op, left, right } => {
                let loose = matches!(left.body, Body::Set { op: inner, .. }
                    if op == SelectSetType::Intersect && inner != op)
                    && self.target.has(crate::dialect::Feature::SetGroupParentheses);
                self.member(left, loose || has_tail(left))?;
                self.text(match op {
                    SelectSetType::UnionAll => " UNION ALL ",
                    SelectSetType::Union => " UNION ",
                    SelectSetType::Intersect => " INTERSECT ",
                    SelectSetType::Except => self.target.dialect().except(),
                });
                self.member(right, has_tail(right) || matches!(right.body, Body::Set { .. }))?;
                Ok(false)
            }
        }
    }

    fn member(&mut self, query: &Query<'_, 'e>, parentheses: bool) -> Result<()> {
        if parentheses {
            sql!(self, "(" [self.query(query)] ")");
            Ok(())
        } else {
            self.query(query)
        }
    }

    /// Writes a select; tells whether the limit is in it already.
    fn select(&mut self, select: &Select<'_, 'e>, query: &Query<'_, 'e>) -> Result<bool> {
        self.text("SELECT ");
        if select.distinct {
            self.text("DISTINCT ");
        } else if !select.distinct_on.is_empty() {
            sql!(self, "DISTINCT ON (" [self.list(select.distinct_on)] ") ");
        }
        let topped = match &query.limit {
            Some(limit) if query.offset.is_none() => self.target.dialect().top(self, limit)?,
            _ => false,
        };
        match select.items {
            Items::Text(text) => self.text(text),
            Items::List(items) => self.items(items)?,
            Items::One => self.text("1"),
        }
        match &select.from {
            Some(source) => {
                sql!(self, " FROM "[self.source(source)]);
                // A hint locks the rows of the main table; those of a view's joins are only looked at.
                self.table_lock = None;
            }
            None => self.text(self.target.dialect().no_source()),
        }
        for join in select.joins {
            self.join(join)?;
        }
        self.filter(select.filter.as_ref())?;
        if !select.group.is_empty() {
            sql!(self, " GROUP BY "[self.list(select.group)]);
        }
        if let Some(having) = &select.having {
            sql!(self, " HAVING "[self.pred(having, Prec::Lowest)]);
        }
        Ok(topped)
    }

    pub(crate) fn items(&mut self, items: &[Item<'_, 'e>]) -> Result<()> {
        for (index, item) in items.iter().enumerate() {
            self.text(if index > 0 { ", " } else { "" });
            self.scalar(&item.value, Prec::Lowest)?;
            if let Some(alias) = item.alias {
                sql!(self, " AS " alias);
            }
        }
        Ok(())
    }

    pub(crate) fn source(&mut self, source: &Source<'_, 'e>) -> Result<()> {
        match source {
            Source::Table { name, alias } => {
                self.text(name);
                if let Some(alias) = alias {
                    sql!(self, " " alias);
                }
                if let Some(lock) = self.table_lock {
                    self.target.dialect().table_hint(self, lock);
                }
            }
            Source::Derived { query, alias } => sql!(self, "(" [self.query(query)] ") " alias),
        }
        Ok(())
    }

    pub(crate) fn join(&mut self, join: &Join<'_, 'e>) -> Result<()> {
        let join = match join {
            Join::View(joins) => {
                self.text(&joins.text);
                return Ok(());
            }
            Join::Built(join) => join,
        };
        if join.lateral && !self.target.has(crate::dialect::Feature::Lateral) {
            // The rule has seen to it that only these two kinds come here.
            self.text(if join.kind == TableJoinType::Left { " OUTER APPLY " } else { " CROSS APPLY " });
            return self.source(&join.source);
        }
        self.text(match join.kind {
            TableJoinType::Inner if join.in_order => self.target.dialect().ordered_join(),
            TableJoinType::Inner => " JOIN ",
            TableJoinType::Left => " LEFT JOIN ",
            TableJoinType::Right => " RIGHT JOIN ",
            TableJoinType::Full => " FULL JOIN ",
            TableJoinType::Cross => self.target.dialect().cross_join(),
        });
        if join.lateral {
            self.text("LATERAL ");
        }
        self.source(&join.source)?;
        if let Some(on) = &join.on {
            self.text(" ON ");
            self.condition(on)?;
        }
        Ok(())
    }

    /// Writes ` ORDER BY ...`.
    pub(crate) fn order_by(&mut self, order: &[Order<'_, 'e>]) -> Result<()> {
        self.orders(" ORDER BY ", order)
    }

    pub(crate) fn orders(&mut self, word: &str, order: &[Order<'_, 'e>]) -> Result<()> {
        self.text(word);
        for (index, key) in order.iter().enumerate() {
            self.text(if index > 0 { ", " } else { "" });
            self.scalar(&key.value, Prec::Lowest)?;
            if key.descending {
                self.text(" DESC");
            }
            match key.nulls_first {
                Some(true) => self.text(" NULLS FIRST"),
                Some(false) => self.text(" NULLS LAST"),
                None => {}
            }
        }
        Ok(())
    }
}

/// Whether a member of a set operation has clauses behind its body.
fn has_tail(query: &Query<'_, '_>) -> bool {
    !query.order.is_empty() || query.limit.is_some() || query.offset.is_some() || !query.ctes.is_empty()
}

/// The alias of the first table, where others are joined to it.
fn joined_main(body: &Body<'_, '_>) -> Option<String> {
    match body {
        Body::Select(Select { from: Some(Source::Table { alias: Some(alias), .. }), joins, .. })
            if !joins.is_empty() =>
        {
            Some((*alias).to_owned())
        }
        _ => None,
    }
}
