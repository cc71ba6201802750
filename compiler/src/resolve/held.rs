//! Rows that are written are held to the scope: what an INSERT makes is inside of it, and no UPDATE moves a row out.

use crate::compiler::Request;
use crate::entity_texts::MAIN;
use crate::error::{ErrorKind, Result};
use crate::expr::{FilterOff, LogicExpr, LogicOperator, Name, PropertyExpr, Value, ValueTypeExpr};
use crate::model::{Catalog, Column, Computed, ComputedPart, Entity, EntityId};
use crate::names;
use crate::scope::{Filter, decide};
use crate::target::Target;
use crate::walk::{ExprRef, VisitOrder, visit_while};

use super::Resolver;
use super::filter::{applied, is_off, no_empty};
use super::scope::{Src, SrcKind};

/// A filter of the scope that written rows of an entity are held to.
pub(crate) struct Held<'s, 'm> {
    pub(crate) filter: &'s Filter,
    catalog: &'m Catalog,
    /// The entity whose properties it names, and the one whose rows are written.
    over: EntityId,
    written: &'m Entity,
}

/// The filters of a request's scope that written rows of an entity are held to.
pub(crate) fn held<'s, 'm>(
    target: &'m Target,
    request: &Request<'s>,
    id: EntityId,
    off: &[FilterOff],
) -> Result<Vec<Held<'s, 'm>>> {
    let (catalog, written) = (target.catalog(), target.catalog().get(id));
    let all = applied(target, request, id)?.into_iter();
    let all = all.filter(|applied| !applied.filter.reads_only && is_off(off, applied.filter).is_none());
    all.map(|applied| {
        no_empty(target, applied.filter)?;
        Ok(Held { filter: applied.filter, catalog, over: applied.over, written })
    })
    .collect()
}

impl<'s, 'm> Held<'s, 'm> {
    /// The conditions that all have to hold.
    pub(crate) fn terms(&self) -> Vec<&'s LogicExpr> {
        let mut terms = Vec::new();
        let mut open = vec![&self.filter.condition];
        while let Some(term) = open.pop() {
            match term {
                LogicExpr::And(node) => open.extend(node.items.iter().rev()),
                term => terms.push(term),
            }
        }
        terms
    }

    /// The columns of the written entity whose values it says, each with its value.
    pub(crate) fn fixed(&self) -> Vec<(usize, &'s Value)> {
        let fixed = |term: &'s LogicExpr| {
            let LogicExpr::Binary(node) = term else { return None };
            let ((ValueTypeExpr::Property(property), ValueTypeExpr::Value(value))
            | (ValueTypeExpr::Value(value), ValueTypeExpr::Property(property))) = (&node.left, &node.right)
            else {
                return None;
            };
            let equal = matches!(node.operator, LogicOperator::Equal | LogicOperator::IsNotDistinctFrom);
            Some((self.place(property)?, &value.value)).filter(|(_, value)| equal && !value.is_null())
        };
        self.terms().into_iter().filter_map(fixed).collect()
    }

    /// The written entity's column that a property of the filter's entity is.
    pub(crate) fn place(&self, property: &PropertyExpr) -> Option<usize> {
        let over = self.catalog.get(self.over);
        let own = |alias: &Name| names::same(alias.as_str(), MAIN) || *alias == over.name;
        property.alias.as_deref().is_none_or(own).then(|| self.column(&property.name)).flatten()
    }

    fn column(&self, name: &Name) -> Option<usize> {
        let column = &self.catalog.get(self.over).column(name.as_str())?.1.column;
        self.written.columns.iter().position(|own| names::same(&own.column, column))
    }

    /// Adds the written entity's column of that name, and those that it is computed from; false where they are not known.
    fn add(&self, property: &PropertyExpr, found: &mut Vec<usize>) -> bool {
        let Some((_, column)) = self.catalog.get(self.over).column(property.name.as_str()) else { return true };
        let table = self.catalog.first_of_table(self.over);
        let entities = self.catalog.entities().filter(|(id, _)| self.catalog.first_of_table(*id) == table);
        let entities: Vec<&Entity> = entities.map(|(_, entity)| entity).collect();
        let mut names = vec![column.column.as_str()];
        let mut next = 0;
        while let Some(name) = names.get(next).copied() {
            next += 1;
            found.extend(self.written.columns.iter().position(|own| names::same(&own.column, name)));
            for entity in &entities {
                let here = entity.columns.iter().filter(|own| names::same(&own.column, name));
                for computed in here.filter_map(|own| own.computed.as_ref()) {
                    let Some(from) = computed_from(computed, entity) else { return false };
                    let new = from.into_iter().filter(|from| !names.contains(from)).collect::<Vec<_>>();
                    names.extend(new);
                }
            }
        }
        true
    }

    /// The written entity's columns that a condition asks of, and perhaps others; none of what may ask of any.
    pub(crate) fn columns(&self, term: &LogicExpr) -> Option<Vec<usize>> {
        let mut found = Vec::new();
        let known = visit_while(term, VisitOrder::Pre, |node| {
            match node {
                ExprRef::Value(ValueTypeExpr::Property(property)) => return self.add(property, &mut found),
                // A relation compares keys that the condition does not name.
                ExprRef::Logic(LogicExpr::Foreign(node)) if node.auto_related => {
                    let Some((id, _)) = self.catalog.entity(node.entity.as_str()) else { return false };
                    let own = self
                        .catalog
                        .relations(self.over, id)
                        .flat_map(|relation| relation.keys.iter().map(|key| key.0));
                    let reverse = self.catalog.relations(id, self.over);
                    let keys = own.chain(reverse.flat_map(|relation| relation.keys.iter().map(|key| key.1)));
                    let columns = &self.catalog.get(self.over).columns;
                    found.extend(keys.filter_map(|key| self.column(&columns.get(key)?.name)));
                }
                ExprRef::Logic(LogicExpr::Sql(_)) | ExprRef::Value(ValueTypeExpr::Sql(_)) => return false,
                _ => {}
            }
            true
        });
        known.then_some(found)
    }

    /// An error unless a row is inside, of which these values are known.
    pub(crate) fn takes<'v>(&self, known: &dyn Fn(usize) -> Option<&'v Value>) -> Result<()>
    where
        'm: 'v,
    {
        self.terms().into_iter().try_for_each(|term| self.admits(term, known))
    }

    /// An error if a row that is inside may be outside once it is changed: `set` says whether a column is set, and to what
    /// if that is known.
    pub(crate) fn keeps<'v>(&self, set: &dyn Fn(usize) -> Option<Option<&'v Value>>) -> Result<()>
    where
        'm: 'v,
    {
        for term in self.terms() {
            if self.columns(term).is_none_or(|columns| columns.iter().any(|column| set(*column).is_some())) {
                self.admits(term, &|column| set(column).flatten())?;
            }
        }
        Ok(())
    }

    /// An error if a row that is inside, and is given values of another one, may be outside: where one condition asks both of
    /// columns that are set and of some that are kept.
    pub(crate) fn is_replaced(&self, set: &[usize], kept: &dyn Fn(&usize) -> bool) -> Result<()> {
        let mixes = |term: &LogicExpr| match self.columns(term) {
            Some(columns) => columns.iter().any(|column| set.contains(column)) && columns.iter().any(kept),
            None => !set.is_empty(),
        };
        if self.terms().into_iter().any(mixes) { Err(self.outside(OPEN)) } else { Ok(()) }
    }

    /// The filter for rows of which these columns are given values, to be asked of each without the catalog.
    pub(crate) fn for_rows(&self, places: &[usize]) -> HeldRow {
        let place = |property: &PropertyExpr| places.iter().position(|place| Some(*place) == self.place(property));
        let mut known = Vec::new();
        let terms = self.terms().into_iter().cloned().collect::<Vec<_>>();
        for term in &terms {
            visit_while(term, VisitOrder::Pre, |node| {
                if let ExprRef::Value(ValueTypeExpr::Property(property)) = node
                    && let Some(place) = place(property)
                {
                    known.push((property.clone(), place));
                }
                true
            });
        }
        HeldRow { filter: self.filter.label().clone(), terms, known }
    }

    fn admits<'v>(&self, term: &LogicExpr, known: &dyn Fn(usize) -> Option<&'v Value>) -> Result<()>
    where
        'm: 'v,
    {
        let row = |property: &PropertyExpr| {
            let place = self.place(property)?;
            Some((known(place)?, self.written.columns.get(place)?))
        };
        decided(decide(term, &row)).map_err(|why| self.outside(why))
    }

    fn outside(&self, why: &'static str) -> crate::Error {
        outside(&self.written.name, self.filter.label(), why)
    }
}

/// A filter of a scope that rows of one statement are held to, each by itself.
#[derive(Debug, Clone)]
pub(crate) struct HeldRow {
    filter: Name,
    terms: Vec<LogicExpr>,
    /// Properties that it names, with their places in a row.
    known: Vec<(PropertyExpr, usize)>,
}

impl HeldRow {
    /// An error unless a row is inside.
    pub(crate) fn takes<'v>(
        &self,
        entity: &Name,
        row: &'v [Value],
        column: impl Fn(usize) -> Option<&'v Column>,
    ) -> Result<()> {
        let known = |property: &PropertyExpr| {
            let (_, place) = self.known.iter().find(|(known, _)| known == property)?;
            Some((row.get(*place)?, column(*place)?))
        };
        let mut terms = self.terms.iter();
        terms.try_for_each(|term| decided(decide(term, &known)).map_err(|why| outside(entity, &self.filter, why)))
    }
}

/// The names of the columns that a computed one of an entity is computed from; none where its SQL may name any.
fn computed_from<'m>(computed: &'m Computed, entity: &'m Entity) -> Option<Vec<&'m str>> {
    let mut found = Vec::new();
    let known = match computed {
        Computed::Text(parts) => parts.iter().all(|part| match part {
            ComputedPart::Column(index) => {
                found.extend(entity.columns.get(*index).map(|column| column.column.as_str()));
                true
            }
            ComputedPart::Text(text) => names_nothing(text),
        }),
        Computed::Expr(expr) => visit_while(expr, VisitOrder::Pre, |node| {
            if let ExprRef::Value(ValueTypeExpr::Property(property)) = node {
                found.extend(entity.column(property.name.as_str()).map(|(_, column)| column.column.as_str()));
            }
            !matches!(node, ExprRef::Logic(LogicExpr::Sql(_)) | ExprRef::Value(ValueTypeExpr::Sql(_)))
        }),
    };
    known.then_some(found)
}

/// Whether SQL text has no word in it that may be a column's name: a function's has a parenthesis behind it.
fn names_nothing(text: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_alphabetic() || matches!(c, '_' | '"' | '`' | '[')) {
        let word = rest.get(at..).unwrap_or_default();
        rest = word.trim_start_matches(is_word);
        if !rest.trim_start().starts_with('(') || rest.len() == word.len() {
            return false;
        }
    }
    true
}

fn decided(inside: Option<bool>) -> Result<(), &'static str> {
    match inside {
        Some(true) => Ok(()),
        Some(false) => Err(OTHER),
        None => Err(OPEN),
    }
}

fn outside(entity: &Name, filter: &Name, why: &'static str) -> crate::Error {
    ErrorKind::OutOfScope { entity: entity.to_string(), filter: filter.to_string(), why: why.into() }.into()
}

/// What it is given is known, and is something else.
const OTHER: &str = "it is given another value";

/// It is not known what it is given.
const OPEN: &str = "what it is given does not say that it is inside. Leave the filter's columns out, or give plain \
                               values; a filter that no values decide is one `for_reads`";

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// The filters of the scope that written rows of a source are held to.
    pub(super) fn held(&self, source: &Src<'a>) -> Result<Vec<Held<'e, 'a>>> {
        let SrcKind::Entity { id, .. } = source.kind else { return Ok(Vec::new()) };
        held(self.cx.target, self.request, id, source.off)
    }
}
