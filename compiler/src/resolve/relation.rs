//! EXISTS over related entities.

use crate::error::{At, ErrorKind, Result};
use crate::expr::ForeignExpr;
use crate::frame::{CompareOp, Pred, Query};
use crate::model::Property;

use super::chain::Use;
use super::scope::{Scope, Src};
use super::source::entity;
use super::{Place, Resolver};

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// `EXISTS (SELECT 1 FROM entity WHERE fixed filter AND relation AND inner)`
    pub(crate) fn foreign(&mut self, scope: &Scope<'_, 'a>, node: &'e ForeignExpr) -> Result<Pred<'a, 'e>> {
        let (id, _) = entity(self.cx.target, node.entity.as_str())?;
        let read = self.watch_written();
        let query = self.subquery(|r| r.related_query(scope, node, id))?;
        self.exists(read, query)
    }

    fn related_query(
        &mut self,
        scope: &Scope<'_, 'a>,
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
            let scope = Scope::of(&building.sources, Some(scope));
            let pred = self.placed(Place::Rows, |r| r.logic(&scope, inner)).at("InnerExpr")?;
            building.filters.push(pred);
        }
        self.finish(building, Use::Exists)
    }

    /// The relations between the main entity of the scope and another: forward ones first, reverse ones only if there
    /// is none; several paths are ORed, the columns of a key ANDed.
    fn relation(
        &mut self,
        scope: &Scope<'_, 'a>,
        inner: &Src<'a>,
        to: crate::model::EntityId,
        name: &str,
    ) -> Result<Pred<'a, 'e>> {
        let catalog = self.cx.target.catalog();
        let Some((from, outer_entity, outer)) = scope.main() else {
            let why = "its outer query is over a derived table, which has no relations";
            return Err(ErrorKind::Misplaced { what: "an EXISTS along a relation".into(), why }.into());
        };
        let mut paths = self.cx.vec(1);
        let path = |r: &mut Self, pairs: &[(usize, usize)], forward: bool| -> Result<Pred<'a, 'e>> {
            let mut tests = r.cx.vec(pairs.len());
            for (source, target) in pairs {
                let (own, other) = if forward { (*target, *source) } else { (*source, *target) };
                let own = r.cx.entity_column(inner, Property::Column(own), false);
                let other = r.cx.entity_column(outer, Property::Column(other), true);
                if let (Some(own), Some(other)) = (own, other) {
                    tests.push(r.cx.compare(own, CompareOp::Equal, other)?);
                }
            }
            Ok(r.cx.all(&tests))
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
        Ok(self.cx.any(&paths))
    }

    /// `EXISTS (query)`.
    pub(crate) fn exists(&mut self, before: (bool, bool), query: &'a Query<'a, 'e>) -> Result<Pred<'a, 'e>> {
        if self.is_void(before, query) {
            return Ok(Pred::Const(false));
        }
        self.no_self_read(before)?;
        self.cx.over_query(Pred::Exists(query, false))
    }

    /// Whether a subquery has no rows, and need not be in the text: then it looks at nothing. MySQL takes one for a
    /// reader of the table that is written wherever it stands.
    pub(crate) fn is_void(&mut self, before: (bool, bool), query: &'a Query<'a, 'e>) -> bool {
        let void = self.cx.is_void(query);
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
        if reads && self.cx.rule_for(crate::dialect::Feature::SelfSubquery)?.is_some() {
            return Ok(self.cx.materialized(query));
        }
        Ok(query)
    }

    /// A subquery over the table that is written and that is asked for each row. On engines that would have to
    /// materialize it first, the condition that it is in chooses its rows by their keys, or it is refused.
    pub(crate) fn no_self_read(&mut self, before: (bool, bool)) -> Result<()> {
        if self.reads_written && !self.cx.target.has(crate::dialect::Feature::SelfSubquery) {
            match &mut self.rows_by_key {
                Some(by_key) => *by_key = true,
                None => {
                    let reason = "it would have to be materialized first, and is computed for each row: use a filter";
                    return Err(self.cx.target.refused(crate::dialect::Feature::SelfSubquery.title(), reason));
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
