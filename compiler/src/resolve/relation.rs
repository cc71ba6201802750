//! EXISTS over related entities.

use crate::dialect::Feature;
use crate::error::{At, ErrorKind, Result};
use crate::expr::{ForeignExpr, TableJoinType};
use crate::frame::{Body, BuiltJoin, CompareOp, Join, Pred, Query, Select, Source, ViewJoins};
use crate::legalize::{compare, logic, query, subquery};
use crate::model::{Entity, Property, Relation};
use crate::names;

use super::chain::{Building, Use};
use super::scope::{NameScope, Src, SrcKind};
use super::source::entity;
use super::{Resolver, scope};

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// `EXISTS (SELECT 1 FROM entity WHERE fixed filter AND relation AND inner)`
    pub(crate) fn foreign(&mut self, scope: &NameScope<'_, 'a>, node: &'e ForeignExpr) -> Result<Pred<'a, 'e>> {
        let (id, _) = entity(self.cx.target, node.entity.as_str())?;
        let read = self.watch_written();
        let query = self.subquery(|r| r.related_query(scope, node, id))?;
        self.exists(read, query)
    }

    fn related_query(
        &mut self,
        scope: &NameScope<'_, 'a>,
        node: &'e ForeignExpr,
        id: crate::model::EntityId,
    ) -> Result<&'a Query<'a, 'e>> {
        if !node.auto_related && node.inner.is_none() {
            let why = "nothing ties its rows to those around it: say AutoRelated, or give it a condition";
            return Err(ErrorKind::Misplaced { what: format!("an EXISTS over `{}`", node.entity), why }.into());
        }
        let target = self.cx.target.catalog().get(id);
        let (alias, quoted) = self.table_alias(node.alias.as_ref(), Some(scope)).at("Alias")?;
        let args = (!node.table_args.is_empty()).then_some(&*node.table_args);
        let (source, from) = self.aliased_table(id, args, alias, quoted)?;
        let building = self.building(Some((source, from)));
        if let Some(main) = building.sources.first() {
            let fixed = self.fixed(main)?;
            let related =
                if node.auto_related { Some(self.relation(scope, main, id, target.name.as_str())?) } else { None };
            building.filters.extend(fixed);
            building.filters.extend(related);
        }
        if let Some(inner) = &node.inner {
            let scope = NameScope::of(&building.sources, Some(scope));
            let pred = self.filtering(|r| r.logic(&scope, inner)).at("InnerExpr")?;
            building.filters.push(pred);
        }
        self.finish(building, Use::Exists)
    }

    /// The relations between the main entity of the scope and another, which lead one way: several paths are ORed, the
    /// columns of a key ANDed.
    fn relation(
        &mut self,
        scope: &NameScope<'_, 'a>,
        inner: &Src<'a>,
        to: crate::model::EntityId,
        name: &str,
    ) -> Result<Pred<'a, 'e>> {
        let catalog = self.cx.target.catalog();
        let Some((from, outer_entity, outer)) = scope.main() else {
            let why = "its outer query is over a derived table, which has no relations";
            return Err(ErrorKind::Misplaced { what: "an EXISTS along a relation".into(), why }.into());
        };
        let first =
            |from, to| catalog.relations(from, to).next().map(|relation| key_columns(catalog.get(from), relation));
        if let (Some(forward), Some(backward)) = (first(from, to), first(to, from)) {
            let (from, to) = (outer_entity.name.to_string(), name.to_owned());
            return Err(ErrorKind::RelationBothWays { from, to, forward, backward }.into());
        }
        let mut paths = self.cx.vec(1);
        let path = |r: &mut Self, pairs: &[(usize, usize)], forward: bool| -> Result<Pred<'a, 'e>> {
            let mut tests = r.cx.vec(pairs.len());
            for (source, target) in pairs {
                let (own, other) = if forward { (*target, *source) } else { (*source, *target) };
                let own = scope::entity_column(r.cx, inner, Property::Column(own), false);
                let other = scope::entity_column(r.cx, outer, Property::Column(other), true);
                if let (Some(own), Some(other)) = (own, other) {
                    tests.push(compare::compare(r.cx, own, CompareOp::Equal, other)?);
                }
            }
            Ok(logic::all(r.cx, &tests))
        };
        for relation in catalog.relations(from, to) {
            let pred = path(self, &relation.keys, true)?;
            paths.push(pred);
        }
        if paths.is_empty() {
            for relation in catalog.relations(to, from) {
                let pred = path(self, &relation.keys, false)?;
                paths.push(pred);
            }
        }
        if paths.is_empty() {
            let related = |a, b| catalog.relations(a, b).next().is_some() || catalog.relations(b, a).next().is_some();
            let mut between = catalog.entities().filter(|(id, _)| related(from, *id) && related(*id, to));
            let via = between.next().map(|(_, entity)| entity.name.to_string());
            return Err(ErrorKind::NoRelation { from: outer_entity.name.to_string(), to: name.to_owned(), via }.into());
        }
        Ok(logic::any(self.cx, &paths))
    }

    /// `EXISTS (query)`.
    pub(crate) fn exists(&mut self, before: (bool, bool), query: &'a Query<'a, 'e>) -> Result<Pred<'a, 'e>> {
        if self.is_void(before, query) {
            return Ok(Pred::Const(false));
        }
        self.no_self_read(before)?;
        if query.by_key && self.cx.changes && self.context().stands_alone() {
            self.chooses_by_key();
        }
        subquery::over_query(self.cx, Pred::Exists(query, false))
    }

    /// The term of a write's condition that is being resolved chooses the rows by their keys, if they have any.
    fn chooses_by_key(&mut self) {
        let catalog = self.cx.target.catalog();
        let has_key = self.written.is_some_and(|id| !catalog.get(id).keys.is_empty());
        if let Some(by_key) = self.rows_by_key.as_mut().filter(|_| has_key) {
            *by_key = true;
        }
    }

    /// What a select's condition asks by EXISTS, and finds by a key, is joined on an engine that would ask it row by row.
    ///
    /// ```sql
    /// -- before                                                                    -- after
    /// FROM t WHERE t.a = 1 AND EXISTS (SELECT 1 FROM u WHERE u.id = t.u AND u.b = 2)  FROM t JOIN u ON u.id = t.u AND u.b = 2 WHERE t.a = 1
    /// ```
    ///
    /// Exact: each row has one partner at most.
    pub(super) fn existing(
        &mut self,
        b: &mut Building<'a, 'e>,
        joins: &mut bumpalo::collections::Vec<'a, Join<'a, 'e>>,
    ) -> Result<()> {
        let is_table = matches!(&*b.sources, [Src { kind: SrcKind::Entity { .. }, .. }]);
        // A column that a text of the program's names alone would be one of two tables.
        if !is_table || b.lock.is_some() || self.cx.own_text || !self.cx.helps(Feature::ExistsByKey) {
            return Ok(());
        }
        let limit = self.cx.target.dialect().sheet().limits.joined_tables;
        let mut own = self.own_names(b);
        let mut rest = self.cx.vec(b.filters.len());
        for filter in &b.filters {
            let terms = if let Pred::And(terms) = filter { terms } else { std::slice::from_ref(filter) };
            for term in terms {
                let Some((source, select)) = partner(term, &mut own, limit) else {
                    rest.push(*term);
                    continue;
                };
                self.cx.rule_for(Feature::ExistsByKey)?;
                let (kind, on) = match select.joins {
                    [] => (TableJoinType::Inner, select.filter),
                    // The condition may be about what is joined behind.
                    _ => (TableJoinType::Cross, None),
                };
                joins.push(query::join(self.cx, BuiltJoin { kind, lateral: false, source, on, in_order: false })?);
                joins.extend_from_slice(select.joins);
                rest.extend(select.filter.filter(|_| on.is_none()));
            }
        }
        b.filters = rest;
        Ok(())
    }

    /// Whether a subquery has no rows, and need not be in the text: then it looks at nothing. MySQL takes one for a
    /// reader of the table that is written wherever it stands.
    pub(crate) fn is_void(&mut self, before: (bool, bool), query: &'a Query<'a, 'e>) -> bool {
        let void = query::is_void(self.cx, query);
        if void {
            self.reads_written = before.0;
            self.cx.correlated.set(before.1);
        }
        void
    }

    /// Starts to watch whether a subquery looks at the table that is written, and at the written row.
    pub(crate) fn watch_written(&mut self) -> (bool, bool) {
        (std::mem::replace(&mut self.reads_written, false), self.cx.correlated.replace(false))
    }

    /// A subquery over the table that is written: materialized first, on engines that need that. One that looks at the
    /// written row cannot be: see [`no_self_read`](Self::no_self_read).
    pub(crate) fn self_read(
        &mut self,
        before: (bool, bool),
        query: &'a crate::frame::Query<'a, 'e>,
    ) -> Result<&'a crate::frame::Query<'a, 'e>> {
        if self.cx.correlated.get() {
            self.no_self_read(before)?;
            return Ok(query);
        }
        let reads = self.reads_written;
        self.watched(before);
        if reads && self.cx.rule_for(Feature::SelfSubquery)?.is_some() {
            return Ok(query::materialized(self.cx, query));
        }
        Ok(query)
    }

    /// A subquery over the table that is written and that is asked for each row. On engines that would have to
    /// materialize it first, the condition that it is in chooses its rows by their keys, or it is refused.
    pub(crate) fn no_self_read(&mut self, before: (bool, bool)) -> Result<()> {
        if self.reads_written && !self.cx.target.has(Feature::SelfSubquery) {
            match &mut self.rows_by_key {
                Some(by_key) => *by_key = true,
                None => {
                    let reason = "it would have to be materialized first, and is computed for each row: use a filter";
                    return Err(self.cx.target.refused(Feature::SelfSubquery.title(), reason));
                }
            }
        }
        self.watched(before);
        Ok(())
    }

    /// What a subquery looks at, the one around it does.
    fn watched(&mut self, (read, correlated): (bool, bool)) {
        self.reads_written |= read;
        self.cx.correlated.set(self.cx.correlated.get() | correlated);
    }
}

/// The columns of an entity that a relation of it goes by: `` `Order.CustomerId` ``.
fn key_columns(entity: &Entity, relation: &Relation) -> String {
    let columns = relation.keys.iter().filter_map(|(own, _)| entity.columns.get(*own));
    let columns: Vec<String> = columns.map(|column| format!("`{}.{}`", entity.name, column.name)).collect();
    columns.join(", ")
}

/// What an EXISTS finds a row of by a key: a table, and the select that it is in. Its aliases are added to those of the query
/// around it. Nothing if that has one of them already, or would have more tables than the limit.
fn partner<'a, 'e>(
    pred: &Pred<'a, 'e>,
    own: &mut bumpalo::collections::Vec<'a, &'a str>,
    limit: usize,
) -> Option<(Source<'a, 'e>, &'a Select<'a, 'e>)> {
    let Pred::Exists(Query { by_key: true, ctes: [], body: Body::Select(select), offset: None, .. }, false) = pred
    else {
        return None;
    };
    let Some(source @ Source::Table { alias: Some(alias), .. }) = select.from else { return None };
    let before = own.len();
    let mut is_new = |alias: &'a str| {
        own.push(alias);
        own.iter().filter(|name| names::same(name, alias)).count() == 1
    };
    let joined = |join: &Join<'a, 'e>, is_new: &mut dyn FnMut(&'a str) -> bool| match join {
        Join::View(ViewJoins { outer: false, aliases, .. }) => aliases.iter().all(|alias| is_new(alias)),
        Join::Built(BuiltJoin { kind: TableJoinType::Inner | TableJoinType::Left, source, .. }) => match source {
            Source::Table { alias: Some(alias), .. } | Source::Derived { alias, .. } => is_new(alias),
            Source::Table { .. } => false,
        },
        _ => false,
    };
    if is_new(alias) && select.joins.iter().all(|join| joined(join, &mut is_new)) && own.len() <= limit {
        return Some((source, select));
    }
    own.truncate(before);
    None
}
