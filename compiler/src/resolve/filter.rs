//! What holds for the rows of a table whatever a query says of them: the fixed filter of its entity, the mark of deleted
//! rows, and the filters of the request's scope. Every table that a statement reads or changes comes by here.

use std::cell::Cell;
use std::sync::LazyLock;

use crate::compiler::Request;
use crate::dialect::Feature;
use crate::entity_texts::MAIN;
use crate::error::{ErrorKind, Result};
use crate::expr::{FilterOff, Name, Value, ValueTypeExpr, constant, func};
use crate::frame::{CompareOp, Pred};
use crate::legalize::{Cx, compare, exact, logic};
use crate::model::{Entity, EntityId, Property};
use crate::render::{Prec, Writer};
use crate::scope::{AppliedFilter, Deleted, Filter, ScopeError};
use crate::target::{Target, Texts};

use super::scope::{NameScope, Src, SrcKind, Style};
use super::{Context, Place, Resolver, scope};

/// The name of the filter that hides the rows that are marked as deleted.
const SOFT_DELETE: &str = "soft_delete";

/// A filter of the scope that is about a table.
#[derive(Clone, Copy)]
pub(crate) struct Applied<'s> {
    /// Its place among those of the scope.
    place: usize,
    pub(crate) filter: &'s Filter,
    /// The entity over the table whose properties it names.
    pub(crate) over: EntityId,
}

/// The filters of a request's scope that are about an entity's table.
///
/// # Errors
/// None is, and the entity wants one.
pub(crate) fn applied<'s>(target: &Target, request: &Request<'s>, id: EntityId) -> Result<Vec<Applied<'s>>> {
    let entity = target.catalog().get(id);
    let no_scope = || ErrorKind::NoScope { entity: entity.name.to_string() }.into();
    let Some(scope) = request.scope else {
        return if entity.scoped { Err(no_scope()) } else { Ok(Vec::new()) };
    };
    if let Some(fault) = scope.fault() {
        return Err(ErrorKind::Scope(fault.clone()).into());
    }
    let mut found = Vec::new();
    for (place, filter) in scope.filters().iter().enumerate() {
        let over = filter.over(target.catalog(), id, |a, b| target.in_one_source(a, b));
        found.extend(over.map_err(ErrorKind::Scope)?.map(|over| Applied { place, filter, over }));
    }
    if found.is_empty() && entity.scoped && scope.reason().is_none() {
        return Err(no_scope());
    }
    Ok(found)
}

fn known(target: &Target, name: &Name) -> Result<EntityId> {
    let unknown = || ErrorKind::Scope(ScopeError::UnknownEntity { name: name.clone() });
    Ok(target.catalog().entity(name.as_str()).ok_or_else(unknown)?.0)
}

/// Whether two entities are over one table.
pub(super) fn one_table(target: &Target, a: EntityId, b: EntityId) -> bool {
    let catalog = target.catalog();
    catalog.first_of_table(a) == catalog.first_of_table(b) && target.in_one_source(catalog.get(a), catalog.get(b))
}

/// Which rows there are of an entity whose rows are marked as deleted; nothing, if the request does not say.
fn state(target: &Target, request: &Request<'_>, id: EntityId) -> Result<Option<Deleted>> {
    let Some(scope) = request.scope else { return Ok(None) };
    for (name, state) in scope.states() {
        if one_table(target, known(target, name)?, id) {
            return Ok(Some(*state));
        }
    }
    Ok(None)
}

/// Whether a filter is off at a node with these.
pub(super) fn is_off<'n>(off: &'n [FilterOff], filter: &Filter) -> Option<&'n FilterOff> {
    off.iter().find(|off| Some(&off.name) == filter.name.as_ref())
}

/// An error for a filter with an empty text on an engine that takes it for NULL: the rows of nobody would pass.
pub(super) fn no_empty(target: &Target, filter: &Filter) -> Result<()> {
    if !filter.with_empty || target.has(Feature::EmptyString) {
        return Ok(());
    }
    let why =
        "it is NULL there, so that the filter would ask for the rows that have no value: give a value, or `is_null`";
    Err(target.refused(Feature::EmptyString.title(), why).at(filter.label().as_str()).at("Scope"))
}

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// What holds for the rows of a source, as the first condition on it.
    pub(crate) fn fixed(&mut self, source: &Src<'a>) -> Result<Option<Pred<'a, 'e>>> {
        let fixed = self.prepared_filter(source)?;
        self.with_filters(source, fixed)
    }

    /// What holds for the rows of a source, where no text was made of it in advance.
    pub(crate) fn fixed_pred(&mut self, source: &Src<'a>) -> Result<Option<Pred<'a, 'e>>> {
        let fixed = self.model_filter(source)?;
        self.with_filters(source, fixed)
    }

    /// Whether the request's scope says nothing of a table.
    pub(super) fn scope_is_silent(&self, id: EntityId) -> Result<bool> {
        let (target, request) = (self.cx.target, self.request);
        Ok(applied(target, request, id)?.is_empty() && state(target, request, id)?.is_none())
    }

    /// The fixed filter of a source beside the marks of deleted rows and the filters of the scope.
    #[inline]
    fn with_filters(&mut self, source: &Src<'a>, fixed: Option<Pred<'a, 'e>>) -> Result<Option<Pred<'a, 'e>>> {
        let SrcKind::Entity { id, entity, .. } = source.kind else { return Ok(fixed) };
        if self.request.scope.is_none() && !entity.scoped && entity.soft_delete.is_none() {
            return Ok(fixed);
        }
        self.filters(source, id, entity, fixed)
    }

    #[inline(never)]
    fn filters(
        &mut self,
        source: &Src<'a>,
        id: EntityId,
        entity: &Entity,
        fixed: Option<Pred<'a, 'e>>,
    ) -> Result<Option<Pred<'a, 'e>>> {
        let mut all = self.cx.vec(3);
        all.extend(fixed);
        all.extend(self.unmarked(source, id, entity)?);
        for applied in applied(self.cx.target, self.request, id)? {
            let off = is_off(source.off, applied.filter);
            self.tell(source, applied.filter.label(), off);
            if off.is_none() {
                all.push(self.scope_filter(source, applied)?);
            }
        }
        Ok(if all.is_empty() { None } else { Some(logic::all(self.cx, &all)) })
    }

    /// One filter of the scope, on a source.
    fn scope_filter(&mut self, source: &Src<'a>, applied: Applied<'e>) -> Result<Pred<'a, 'e>> {
        let target = self.cx.target;
        no_empty(target, applied.filter)?;
        let entity = target.catalog().get(applied.over);
        if self.scope_filters.contains(&applied.place) {
            let filters = self.request.scope.map_or(&[][..], |scope| scope.filters());
            let open = self.scope_filters.iter().chain([&applied.place]).filter_map(|place| filters.get(*place));
            let entities = open.map(|filter| filter.label().clone()).collect();
            return Err(ErrorKind::Scope(ScopeError::Cycle { entities }).into());
        }
        let SrcKind::Entity { style, args, .. } = source.kind else { return Ok(Pred::Const(true)) };
        let texts = self.texts(applied.over)?.1;
        // Inside of it the table is `T0`, and goes by the name of its entity, whatever the query calls it.
        let kind = SrcKind::Entity { id: applied.over, entity, texts, style, args, joins: &[] };
        let lone = Src::new(MAIN, source.quoted, kind);
        lone.missing.set(source.missing.get());
        self.scope_filters.push(applied.place);
        let scope = NameScope::of(std::slice::from_ref(&lone), None);
        let context = Context { place: Place::Rows, by_and: true, ..self.context() };
        let pred = self.within(context, |r| r.logic(&scope, &applied.filter.condition));
        self.scope_filters.pop();
        let pred = pred.map_err(|error| error.at(applied.filter.label().as_str()).at("Scope"))?;
        if lone.used.get() != 0 {
            let what = format!("a column of a joined table in the scope's filter on `{}`", entity.name);
            let why = "a filter names columns of its own table: ask for others by an EXISTS";
            return Err(ErrorKind::Misplaced { what, why }.into());
        }
        Ok(pred)
    }

    /// The condition that hides the rows that are marked as deleted, or the others.
    fn unmarked(&mut self, source: &Src<'a>, id: EntityId, entity: &Entity) -> Result<Option<Pred<'a, 'e>>> {
        let Some(mark) = entity.soft_delete else { return Ok(None) };
        let off = self.mark_is_off(source);
        let state = state(self.cx.target, self.request, id)?;
        if off.is_some() || state.is_some() {
            self.tell(source, &Name::new(SOFT_DELETE), off);
        }
        if off.is_some() || state == Some(Deleted::With) {
            return Ok(None);
        }
        let deleted = state == Some(Deleted::Only);
        let Some(column) = scope::entity_column(self.cx, source, Property::Column(mark), false) else {
            return Ok(None);
        };
        if column.nullable {
            return Ok(Some(compare::is_null_pred(self.cx, column, deleted)));
        }
        let value = self.made_constant(Value::Bool(deleted), column.ty);
        compare::compare(self.cx, column, CompareOp::Equal, value).map(Some)
    }

    fn mark_is_off(&self, source: &Src<'a>) -> Option<&'a FilterOff> {
        source.off.iter().find(|off| off.name == *SOFT_DELETE)
    }

    /// The column that a DELETE sets and what to, where it only marks the rows.
    pub(super) fn mark_of(&self, source: &Src<'a>) -> Option<(usize, &'static ValueTypeExpr)> {
        static DELETED: LazyLock<ValueTypeExpr> = LazyLock::new(|| constant(true).into());
        static NOW: LazyLock<ValueTypeExpr> = LazyLock::new(|| func("UtcNow", [] as [ValueTypeExpr; 0]).into());
        let SrcKind::Entity { entity, .. } = source.kind else { return None };
        let mark = entity.soft_delete.filter(|_| self.mark_is_off(source).is_none())?;
        let dated = entity.columns.get(mark).is_some_and(|column| column.nullable);
        Some((mark, if dated { &NOW } else { &DELETED }))
    }

    /// Tells of a filter that stands on a source, or is off there.
    pub(super) fn tell(&mut self, source: &Src<'a>, filter: &Name, off: Option<&FilterOff>) {
        let SrcKind::Entity { entity, style, .. } = source.kind else { return };
        let alias = match style {
            Style::Bare(_) => entity.table.to_string().into(),
            // An alias that the dialect gives has no quotes.
            Style::Main | Style::Alias if source.quoted.starts_with(char::is_alphanumeric) => source.quoted.into(),
            Style::Main | Style::Alias => super::source::unquoted(source.quoted).into(),
        };
        self.cx.filters.push(AppliedFilter {
            entity: entity.name.clone(),
            alias,
            filter: filter.clone(),
            off: off.map(|off| off.reason.clone()),
        });
    }

    /// The fixed filter of a source, as text that was made in advance where there is one.
    fn prepared_filter(&mut self, source: &Src<'a>) -> Result<Option<Pred<'a, 'e>>> {
        let SrcKind::Entity { entity, style, id, .. } = source.kind else { return Ok(None) };
        let Some(filter) = &entity.fixed_filter else { return Ok(None) };
        self.cx.own_text |= self.cx.target.registry().speaks_in(filter);
        if let Ok(whole) = self.whole(id) {
            let text = match style {
                Style::Main => &whole.fixed,
                Style::Bare(_) => &whole.fixed_bare,
                Style::Alias => &None,
            };
            if let Some(text) = text {
                return Ok(Some(Pred::Text(text)));
            }
        }
        self.model_filter(source)
    }

    /// The fixed filter of a source, resolved anew.
    pub(super) fn model_filter(&mut self, source: &Src<'a>) -> Result<Option<Pred<'a, 'e>>> {
        let SrcKind::Entity { id, entity, .. } = source.kind else { return Ok(None) };
        let Some(filter) = &entity.fixed_filter else { return Ok(None) };
        let lone = Src::new(source.alias, source.quoted, source.kind.copy());
        // The filter is the catalog's, not the tree's: it is a compilation of its own, into text without parameters.
        let mut cx: Cx<'a, 'a> = Cx::new(self.cx.bump, self.cx.target, Vec::new());
        cx.context.set(Context { in_join: self.context().in_join, ..Context::STATEMENT });
        cx.constants_only = true;
        let request = Request::default();
        let mut inner = Resolver::new(&mut cx, &request, None);
        inner.home = Cell::new(Some(id));
        let mut pred = inner.logic(&NameScope::of(std::slice::from_ref(&lone), None), filter)?;
        if cx.target.texts() != Texts::Plain {
            pred = exact::exact_condition(&mut cx, &pred)?;
        }
        let mut writer = Writer::new(self.cx.target, &cx.made, &cx.fragments);
        writer.pred(&pred, Prec::And)?;
        if lone.used.get() != 0 || !writer.params.is_empty() {
            let why = "its fixed filter takes constants and columns of its own table only";
            return Err(ErrorKind::BadStatement {
                statement: "a query",
                entity: entity.name.to_string(),
                why: why.into(),
            }
            .into());
        }
        let pred = Pred::Text(self.cx.bump.alloc_str(&writer.sql));
        // What the program makes of it may be another thing the next time.
        self.cx.looked.set(self.cx.looked.get() || !cx.fragments.is_empty());
        self.cx.own_text |= cx.own_text;
        for note in cx.notes {
            if !self.cx.notes.contains(&note) {
                self.cx.notes.push(note);
            }
        }
        Ok(Some(pred))
    }
}
