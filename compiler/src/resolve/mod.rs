//! Names become columns, relations become joins and EXISTS, fixed filters go where they belong, values take their
//! types. Nothing here knows how an engine spells anything.

mod chain;
mod condition;
mod constant;
mod context;
mod cte;
mod cursor;
mod distributed;
mod filter;
mod finish;
mod function;
mod held;
mod insert;
mod label;
mod logic;
mod notation;
mod order;
mod others;
mod period;
mod relation;
mod scope;
mod select;
mod set;
mod shown;
mod single;
mod source;
mod template;
mod ties;
mod types;
mod value;
mod write;

use std::cell::Cell;

use crate::compiler::{Request, ResultColumn, StatementRef, Verb};
use crate::dialect::Feature;
use crate::error::{At, ErrorKind, Result};
use crate::expr::SqlSegment;
use crate::frame::{Query, Statement};
use crate::legalize::Cx;
use crate::model::EntityId;

pub(crate) use condition::{condition, constant_value};
pub(crate) use context::{Context, Matters, Place};
pub(crate) use filter::applied;
pub(crate) use held::{Held, HeldRow, held};
pub(crate) use logic::{fit, fit_equal};
pub(crate) use source::{entity, table_parts, too_many_args};
pub(crate) use write::fixed_values;

use cte::Ctes;
use scope::NameScope;

/// Resolves one statement.
pub(crate) struct Resolver<'c, 'r, 'a, 'e> {
    pub(crate) cx: &'c mut Cx<'a, 'e>,
    pub(crate) request: &'r Request<'e>,
    /// The root entity of the request.
    root: Option<EntityId>,
    /// Whether the table at the bottom of the root query has not been met yet.
    root_open: bool,
    /// The first entity of the statement: every other one is in its data source.
    home: Cell<Option<EntityId>>,
    /// How deep the node is that is being looked at.
    depth: usize,
    /// The common table expressions met so far.
    ctes: Ctes<'a, 'e>,
    /// The table that is written, and whether a subquery has looked at it.
    written: Option<EntityId>,
    /// Its quoted name.
    written_name: &'a str,
    reads_written: bool,
    /// In a condition that may choose its rows by their keys: whether it has to.
    rows_by_key: Option<bool>,
    /// The filters of the scope that are being resolved, by their places in it.
    scope_filters: Vec<usize>,
    /// How many of the request's table arguments a table of the statement takes, once it has one.
    args_taken: Option<usize>,
    /// The select lists whose names the keys of an order may use that are being looked at, innermost last.
    lists: Vec<label::List<'a, 'e>>,
}

/// Resolves a statement into its frame.
pub(crate) fn statement<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    statement: StatementRef<'e>,
    request: &Request<'e>,
) -> Result<Statement<'a, 'e>> {
    let id = |name| source::entity(cx.target, name).map(|(id, _)| id);
    let (root, home) = (request.root.map(id).transpose()?, request.home.map(id).transpose()?);
    let mut resolver = Resolver::new(cx, request, root);
    resolver.home = Cell::new(root.or(home));
    match statement {
        StatementRef::Query(segment) => resolver.ctes.look_in(segment),
        StatementRef::Filter(filter) => resolver.ctes.look_in(filter),
        StatementRef::Insert(insert) => resolver.ctes.look_in(insert),
        StatementRef::Update(update) => resolver.ctes.look_in(update),
        StatementRef::Delete(delete) => resolver.ctes.look_in(delete),
        StatementRef::Root | StatementRef::Template(_) | StatementRef::Other(_) => {}
    }
    let resolved = match statement {
        StatementRef::Query(segment) => resolver.root_query(Some(segment)),
        StatementRef::Root => resolver.root_query(None),
        StatementRef::Filter(filter) => resolver.root_filter(filter),
        StatementRef::Insert(insert) => resolver.insert(insert),
        StatementRef::Update(update) => resolver.update(update),
        StatementRef::Delete(delete) => resolver.delete(delete),
        // What stands around a hole is the program's affair.
        StatementRef::Template(template) => resolver.placed(Place::Result, |r| r.template(template)),
        StatementRef::Other(what) => Err(ErrorKind::NoStatement { what }.into()),
    }?;
    resolver.args_are_taken()?;
    Ok(resolved)
}

impl<'c, 'r, 'a, 'e> Resolver<'c, 'r, 'a, 'e> {
    pub(crate) fn new(cx: &'c mut Cx<'a, 'e>, request: &'r Request<'e>, root: Option<EntityId>) -> Self {
        Self {
            ctes: Ctes::new(cx),
            cx,
            request,
            root,
            root_open: root.is_some(),
            home: Cell::new(root),
            depth: 0,
            written: None,
            written_name: "",
            reads_written: false,
            rows_by_key: None,
            scope_filters: Vec::new(),
            args_taken: None,
            lists: Vec::new(),
        }
    }

    /// Resolves something that stands in a place where not every function may.
    pub(crate) fn placed<T>(&mut self, place: Place, run: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.within(Context { place, ..self.context() }, run)
    }

    /// Folds something of which this matters.
    pub(crate) fn mattering<T>(&mut self, matters: Matters, run: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.within(Context { matters, ..self.context() }, run)
    }

    /// A subquery of a predicate or a value.
    ///
    /// ```sql
    /// -- before                                       -- after, on an engine without WITH in front of a write
    /// WITH c AS (..) DELETE .. IN (SELECT a FROM c)   DELETE .. IN (WITH c AS (..) SELECT a FROM c)
    /// ```
    pub(crate) fn subquery(
        &mut self,
        run: impl FnOnce(&mut Self) -> Result<&'a Query<'a, 'e>>,
    ) -> Result<&'a Query<'a, 'e>> {
        let query = self.within(Context::SUBQUERY, run)?;
        if !self.cx.changes || self.context().in_subquery || self.cx.target.has(Feature::ChangeWith) {
            return Ok(query);
        }
        let ctes = self.ctes.hand_over(self.cx);
        if ctes.is_empty() {
            return Ok(query);
        }
        self.cx.rule_for(Feature::ChangeWith)?;
        Ok(self.cx.node(Query { ctes, ..*query }))
    }

    /// A query at the root.
    fn root_query(&mut self, segment: Option<&'e SqlSegment>) -> Result<Statement<'a, 'e>> {
        let matters = if self.request.verb == Verb::Select { Matters::Order } else { Matters::Count };
        let building = self.mattering(matters, |r| r.fold_or_root(segment, None))?;
        self.finish_root(building)
    }

    /// The root entity's rows that satisfy a filter.
    fn root_filter(&mut self, filter: &'e crate::expr::LogicExpr) -> Result<Statement<'a, 'e>> {
        let building = self.fold_or_root(None, None)?;
        let pred = self.logic(&NameScope::of(&building.sources, None), filter)?;
        building.filters.push(pred);
        self.finish_root(building)
    }

    fn finish_root(&mut self, building: &'a mut chain::Building<'a, 'e>) -> Result<Statement<'a, 'e>> {
        if self.request.verb == Verb::Select {
            self.note_columns(building)?;
        }
        let query = match self.request.verb {
            Verb::Select => self.finish(building, chain::Use::Root)?,
            Verb::Count => self.count(building)?,
            Verb::Exists => self.exists_row(building)?,
        };
        let ctes = self.ctes.take(self.cx);
        let query = if ctes.is_empty() { query } else { self.cx.node(crate::frame::Query { ctes, ..*query }) };
        Ok(Statement::Query(query))
    }

    /// Keeps the columns of the statement's rows, if they are asked for.
    fn note_columns(&mut self, building: &chain::Building<'a, 'e>) -> Result<()> {
        if self.request.columns {
            let columns = self.columns(building)?;
            self.result_columns(columns);
        }
        Ok(())
    }

    fn result_columns(&mut self, columns: &[scope::OutCol<'a>]) {
        let one = |column: &scope::OutCol<'a>| ResultColumn { name: column.name.into(), ty: column.ty };
        self.cx.columns = columns.iter().map(one).collect();
    }

    /// One level deeper, at a step of the path; refused below the limit.
    pub(crate) fn deeper<T>(&mut self, step: &'static str, run: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.level(run).at(step)
    }

    /// One level deeper, where the node's own keys are the steps; refused below the limit.
    pub(crate) fn level<T>(&mut self, run: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let limit = self.cx.target.limits().depth;
        if self.depth >= limit {
            return Err(ErrorKind::TooDeep { limit }.into());
        }
        self.depth += 1;
        let result = run(self);
        self.depth -= 1;
        result
    }
}
