//! Scopes: the filters of a request (its tenant, user or region) on every table that its statements use.

mod check;
mod decide;
mod error;
#[cfg(test)]
#[path = "tests/parts.rs"]
pub(crate) mod parts;

use std::fmt;
use std::hash::{Hash as _, Hasher as _};
use std::sync::Arc;

use compact_str::CompactString;

use crate::expr::{LogicBinaryExpr, LogicExpr, LogicOperator, Name, SqlSegment, Value, ValueOps, ValueTypeExpr, prop};
use crate::model::{Catalog, Entity, EntityId};
use crate::walk::shape::Shape;
use crate::walk::{ExprRef, VisitOrder, visit_while};

pub(crate) use decide::decide;
pub use error::ScopeError;

/// Filters on every statement that is compiled with them, such as those of a tenant, a user or a region.
///
/// They apply wherever the fixed filter of an entity applies: in WHERE for the main table, in ON for a joined one,
/// inside of EXISTS, subqueries and common table expressions, in UPDATE and DELETE, and to the rows that an upsert
/// changes. Their values are bound, so that the statements of two tenants have the same text. Written rows are checked
/// against them, too: an INSERT gets the values that they determine, and a row outside of the scope is refused.
///
/// A scope is an immutable value, and cheap to clone. `Debug` does not show the values.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/plain.rs"));
/// # use isogloss_compiler::expr::{DbValueType, ValueOps, from, prop};
/// # use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
/// use isogloss_compiler::{Compiler, Request, Scope};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let order = TableDef::new("Order")
/// #     .column(ColumnDef::new("Id", DbValueType::Int32).primary_key())
/// #     .column(ColumnDef::new("TenantId", DbValueType::Int32));
/// # let compiler = Compiler::new(Catalog::builder().table(order).build()?);
/// let scope = Scope::new().column("TenantId", 7);
/// scope.check(compiler.catalog())?;
/// let query = from("Order").filter(prop("Id").gt(5)).select(["Id"]).into_segment();
/// let statement = compiler.compile_with(&query, &Request::default().scope(&scope), &Plain)?;
/// assert!(statement.sql.ends_with(r#"WHERE "T0"."TenantId" = ? AND "T0"."Id" > ?"#));
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct Scope(Arc<ScopeInner>);

#[derive(Clone, Default)]
struct ScopeInner {
    filters: Vec<Filter>,
    /// Which rows there are of entities whose rows are only marked as deleted.
    states: Vec<(Name, Deleted)>,
    unscoped: Option<CompactString>,
    /// What is wrong with it whatever the catalog says.
    fault: Option<ScopeError>,
}

/// A filter of a scope.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Filter {
    pub(crate) on: FilteredRows,
    pub(crate) name: Option<Name>,
    pub(crate) condition: LogicExpr,
    /// Whether written rows are not held to it.
    pub(crate) reads_only: bool,
    /// Whether it compares with an empty text, which some engines take for NULL.
    pub(crate) with_empty: bool,
}

impl Scope {
    /// What it has in common with the scopes of other requests, whose values differ.
    pub(crate) fn shape<'e>(&'e self, shape: &mut Shape<'e>) {
        let ScopeInner { filters, states, unscoped, fault } = &*self.0;
        shape.no_more_than(fault.is_none());
        unscoped.hash(shape);
        states.len().hash(shape);
        for (name, state) in states {
            shape.text(name.as_str());
            shape.write_u8(*state as u8);
        }
        filters.len().hash(shape);
        for Filter { on, name, condition, reads_only, with_empty } in filters {
            let (kind, of) = match on {
                FilteredRows::Entity(name) => (0, name),
                FilteredRows::Column(name) => (1, name),
            };
            shape.write(&[kind, (*reads_only).into(), (*with_empty).into(), name.is_some().into()]);
            [Some(of), name.as_ref()].into_iter().flatten().for_each(|name| shape.text(name.as_str()));
            shape.node(condition.into());
        }
    }
}

/// Whose rows a filter is about.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FilteredRows {
    /// Those of an entity, and of everything over its table.
    Entity(Name),
    /// Those of every table that has a column for this property.
    Column(Name),
}

/// Which rows there are of an entity whose rows are only marked as deleted. Those that are not, unless this is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deleted {
    With,
    Only,
}

impl Scope {
    /// A scope without filters.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A scope without filters, which also satisfies entities that require a scope. The reason is logged. There is no
    /// other way around a scope.
    #[must_use]
    pub fn unscoped(reason: impl Into<CompactString>) -> Self {
        Self::new().with(|scope| scope.unscoped = Some(reason.into()))
    }

    /// Adds a condition on the rows of an entity. It applies to everything over the same table: its views, and other
    /// entities.
    ///
    /// A name without an alias is a property of that entity, wherever its table is used; inside of an EXISTS it is
    /// qualified by the entity's name.
    ///
    /// A comparison with a NULL value holds for no row, and neither does a NOT, an EXISTS or a subquery around it: use
    /// `is_null` to ask for NULL.
    #[must_use]
    pub fn filter_of(self, entity: impl Into<Name>, condition: impl Into<LogicExpr>) -> Self {
        self.add(FilteredRows::Entity(entity.into()), condition.into())
    }

    /// Adds the condition that a property has a value, for every entity with a property of that name. No row has the
    /// value NULL.
    #[must_use]
    pub fn column(self, property: impl Into<Name>, value: impl Into<Value>) -> Self {
        let (property, value): (Name, Value) = (property.into(), value.into());
        let condition = prop(property.clone()).eq(value);
        self.add(FilteredRows::Column(property), condition)
    }

    /// Adds the condition that a property has one of these values, for every entity with a property of that name. With
    /// an empty list no row passes, and NULL is not a value.
    #[must_use]
    pub fn column_in<V: Into<Value>>(self, property: impl Into<Name>, values: impl IntoIterator<Item = V>) -> Self {
        let property = property.into();
        let values: Vec<Value> = values.into_iter().map(Into::into).filter(|value| !value.is_null()).collect();
        let condition = prop(property.clone()).in_list(values);
        self.add(FilteredRows::Column(property), condition)
    }

    /// Names the filter that was added last, so that it can be switched off at a node by
    /// [`TableExpr::without_filter`](crate::expr::TableExpr::without_filter). A duplicate name is an error.
    #[must_use]
    pub fn named(self, name: impl Into<Name>) -> Self {
        let name = name.into();
        self.with(|scope| match scope.filters.last_mut() {
            Some(Filter { name: Some(first), .. }) => {
                scope.fault = Some(ScopeError::NamedTwice { name: first.clone(), second: name });
            }
            Some(last) => {
                last.name = Some(name);
                scope.look_for_faults();
            }
            None => scope.fault = Some(ScopeError::NoFilter { said: "named" }),
        })
    }

    /// Restricts the filter that was added last to rows that are read or selected by an UPDATE or DELETE: the values
    /// that a row gets when it is written are not checked.
    #[must_use]
    pub fn for_reads(self) -> Self {
        self.with(|scope| match scope.filters.last_mut() {
            Some(last) => last.reads_only = true,
            None => scope.fault = Some(ScopeError::NoFilter { said: "for_reads" }),
        })
    }

    /// The combination of two scopes: only rows that both let pass.
    ///
    /// A filter that both have is used once. What one of them says about the [deleted rows](Self::with_deleted) of an
    /// entity holds; where one includes them and the other includes nothing else, there is nothing else.
    #[must_use]
    pub fn and(self, other: &Scope) -> Self {
        self.with(|scope| {
            for filter in &other.0.filters {
                if !scope.filters.contains(filter) {
                    scope.filters.push(filter.clone());
                }
            }
            for (entity, state) in &other.0.states {
                let only = scope.state_of(entity) == Some(Deleted::Only);
                scope.set_state(entity.clone(), if only { Deleted::Only } else { *state });
            }
            if other.0.unscoped.is_none() {
                scope.unscoped = None;
            }
            scope.look_for_faults();
            if scope.fault.is_none() {
                scope.fault.clone_from(&other.0.fault);
            }
        })
    }

    /// Includes the soft-deleted rows of an entity.
    #[must_use]
    pub fn with_deleted(self, entity: impl Into<Name>) -> Self {
        self.with(|scope| scope.set_state(entity.into(), Deleted::With))
    }

    /// Includes only the soft-deleted rows of an entity, so that they can be listed, and restored by an UPDATE.
    #[must_use]
    pub fn only_deleted(self, entity: impl Into<Name>) -> Self {
        self.with(|scope| scope.set_state(entity.into(), Deleted::Only))
    }

    /// Why there are no filters, if it was created by [`unscoped`](Self::unscoped).
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.0.unscoped.as_deref()
    }

    /// The conditions of its filters in the order in which they were added. They may use tables that a statement does
    /// not name.
    pub fn conditions(&self) -> impl Iterator<Item = &LogicExpr> {
        self.0.filters.iter().map(|filter| &filter.condition)
    }

    pub(crate) fn filters(&self) -> &[Filter] {
        &self.0.filters
    }

    pub(crate) fn fault(&self) -> Option<&ScopeError> {
        self.0.fault.as_ref()
    }

    pub(crate) fn states(&self) -> &[(Name, Deleted)] {
        &self.0.states
    }

    fn add(self, on: FilteredRows, condition: LogicExpr) -> Self {
        let tables = visit_while(&condition, VisitOrder::Pre, |node| !is_common_table(node));
        let condition = strict(condition);
        let with_empty = !visit_while(&condition, VisitOrder::Pre, |node| !has_empty(node));
        let filter = Filter { on, name: None, condition, reads_only: false, with_empty };
        self.with(|scope| {
            if !tables {
                scope.fault = Some(ScopeError::CommonTable { filter: filter.label().clone() });
            }
            scope.filters.push(filter);
        })
    }

    fn with(mut self, change: impl FnOnce(&mut ScopeInner)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }
}

impl ScopeInner {
    fn state_of(&self, entity: &Name) -> Option<Deleted> {
        self.states.iter().find(|(known, _)| known == entity).map(|(_, state)| *state)
    }

    fn set_state(&mut self, entity: Name, state: Deleted) {
        self.states.retain(|(known, _)| *known != entity);
        self.states.push((entity, state));
    }

    fn look_for_faults(&mut self) {
        let names = || self.filters.iter().filter_map(|filter| filter.name.as_ref());
        let twice = names().enumerate().find(|(at, name)| names().take(*at).any(|before| before == *name));
        if let Some((_, name)) = twice {
            self.fault = Some(ScopeError::SameName { name: name.clone() });
        }
    }
}

/// A condition in which a comparison with a value that turns out to be NULL is true of no row: not a test for NULL, which
/// `is_null` is. A term that has one anywhere below, such as a NOT or an EXISTS, is true of no row either: a NOT would turn
/// what is false there into true.
fn strict(condition: LogicExpr) -> LogicExpr {
    match condition {
        LogicExpr::And(mut node) => LogicExpr::And(std::mem::take(&mut node.items).into_iter().map(strict).collect()),
        LogicExpr::Or(mut node) => LogicExpr::Or(std::mem::take(&mut node.items).into_iter().map(strict).collect()),
        term if visit_while(&term, VisitOrder::Pre, |node| !has_null(node)) => term,
        _ => nothing(),
    }
}

/// What is true of no row.
fn nothing() -> LogicExpr {
    LogicExpr::Or(std::iter::empty::<LogicExpr>().collect())
}

fn has_null(node: ExprRef<'_>) -> bool {
    matches!(node, ExprRef::Logic(LogicExpr::Binary(node)) if is_of_null(node))
}

fn has_empty(node: ExprRef<'_>) -> bool {
    let of_empty = |node: &LogicBinaryExpr| has(&node.left, Value::is_empty) || has(&node.right, Value::is_empty);
    matches!(node, ExprRef::Logic(LogicExpr::Binary(node)) if of_empty(node))
}

fn is_of_null(node: &LogicBinaryExpr) -> bool {
    use LogicOperator::{IsDistinctFrom, IsNotDistinctFrom};
    // A NULL among the values of a list is no value; within a row, it is compared.
    let rows = matches!(node.left, ValueTypeExpr::Set(_));
    let listed = matches!(node.operator.positive(), LogicOperator::In) && !rows;
    !matches!(node.operator, IsDistinctFrom | IsNotDistinctFrom)
        && (has(&node.left, Value::is_null) || !listed && has(&node.right, Value::is_null))
}

/// Whether one side of a comparison is a bound value of a kind, or a list or row that has one.
fn has(side: &ValueTypeExpr, kind: fn(&Value) -> bool) -> bool {
    fn value_has(value: &Value, kind: fn(&Value) -> bool) -> bool {
        kind(value) || matches!(value, Value::List(items) if items.iter().any(|item| value_has(item, kind)))
    }
    match side {
        ValueTypeExpr::Value(it) => !it.is_const && value_has(&it.value, kind),
        ValueTypeExpr::Set(set) => set.items.iter().any(|item| has(item, kind)),
        _ => false,
    }
}

fn is_common_table(node: ExprRef<'_>) -> bool {
    matches!(node, ExprRef::Segment(SqlSegment::CommonTable(_)))
}

impl FilteredRows {
    /// The entity or the property.
    pub(crate) fn name(&self) -> &Name {
        match self {
            FilteredRows::Column(name) | FilteredRows::Entity(name) => name,
        }
    }
}

impl Filter {
    /// The entity over a table whose properties the filter names, if it is about that table. `one_source` tells whether two
    /// entities of the same table's name are in one database.
    pub(crate) fn over(
        &self,
        catalog: &Catalog,
        id: EntityId,
        one_source: impl Fn(&Entity, &Entity) -> bool,
    ) -> Result<Option<EntityId>, ScopeError> {
        let one_table =
            |other: EntityId| catalog.may_be_over(id, other) && one_source(catalog.get(other), catalog.get(id));
        match &self.on {
            FilteredRows::Entity(name) => {
                let unknown = || ScopeError::UnknownEntity { name: name.clone() };
                let (over, _) = catalog.entity(name.as_str()).ok_or_else(unknown)?;
                Ok(one_table(over).then_some(over))
            }
            FilteredRows::Column(name) => {
                let has = |entity: &Entity| entity.column(name.as_str()).is_some();
                if has(catalog.get(id)) {
                    return Ok(Some(id));
                }
                let mut others = catalog.entities().filter(|(_, entity)| has(entity)).map(|(other, _)| other);
                Ok(others.find(|other| one_table(*other)))
            }
        }
    }

    /// What it is called where it is told of: its name, or the property that it is about, or its entity.
    pub(crate) fn label(&self) -> &Name {
        self.name.as_ref().unwrap_or_else(|| self.on.name())
    }
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Scope");
        if let Some(reason) = self.reason() {
            shown.field("unscoped", &reason);
        }
        let filters: Vec<String> = self.0.filters.iter().map(|filter| filter.label().to_string()).collect();
        shown.field("filters", &filters).finish_non_exhaustive()
    }
}

/// A filter of a scope, or a named one of the catalog, that is used in a compiled statement or switched off there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct AppliedFilter {
    /// The entity whose rows it filters.
    pub entity: Name,
    /// The alias of its table in the SQL text, or the table itself if it has no alias.
    pub alias: CompactString,
    /// Its name, or its property, or its entity.
    pub filter: Name,
    /// The reason if it was switched off at this node.
    pub off: Option<CompactString>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{exists, from, row};

    #[test]
    fn a_scope_shows_no_values() {
        let scope = Scope::new().column("TenantId", "secret").named("tenant");
        assert_eq!(format!("{scope:?}"), r#"Scope { filters: ["tenant"], .. }"#);
    }

    #[test]
    fn names_are_given_once() {
        let twice = Scope::new().column("A", 1).named("a").column("B", 2).named("A");
        assert_eq!(twice.fault(), Some(&ScopeError::SameName { name: "A".into() }));
        let again = Scope::new().column("A", 1).named("a").named("b");
        assert_eq!(again.fault(), Some(&ScopeError::NamedTwice { name: "a".into(), second: "b".into() }));
        assert_eq!(Scope::new().named("a").fault(), Some(&ScopeError::NoFilter { said: "named" }));
        let one = Scope::new().column("A", 1).named("a");
        assert_eq!(one.clone().and(&one).fault(), None);
        assert!(one.clone().and(&Scope::new().column("A", 2).named("a")).fault().is_some());
    }

    #[test]
    fn a_value_that_is_null_lets_no_row_pass() {
        let lost = prop("UserId").eq(None::<i32>);
        let members = || from("Member").filter(lost.clone()).select(["NoteId"]);
        for condition in [
            lost.clone(),
            !lost.clone(),
            exists("Member", lost.clone() & prop("Id").gt(1)).into(),
            !LogicExpr::from(exists("Member", lost.clone())),
            prop("Id").in_list(members()),
            prop("Id").not_in_list(members()),
            row([prop("TenantId"), prop("Country")]).eq(row([Value::Null, 7.into()])),
            row([prop("TenantId"), prop("Country")]).in_list(row([row([Value::Null, 7.into()])])),
        ] {
            let shown = condition.to_string();
            assert_eq!(strict(condition.clone()), nothing(), "{shown}");
            let either = strict(condition | prop("Id").eq(1));
            assert_eq!(either, nothing() | prop("Id").eq(1), "{shown}");
        }
        for kept in [
            prop("UserId").is_null(),
            exists("Member", prop("UserId").is_null()).into(),
            prop("Id").in_list([Some(1), None]),
            prop("UserId").compare(LogicOperator::IsNotDistinctFrom, Value::Null),
        ] {
            assert_eq!(strict(kept.clone()), kept);
        }
    }

    #[test]
    fn both_is_never_wider() {
        let free = Scope::unscoped("a report");
        let tenant = Scope::new().column("TenantId", 1);
        assert_eq!(free.clone().and(&tenant).reason(), None);
        assert_eq!(tenant.clone().and(&free).reason(), None);
        assert_eq!(tenant.clone().and(&free).filters().len(), 1);
        assert_eq!(free.clone().and(&free).reason(), Some("a report"));
        let both = Scope::new().only_deleted("A").and(&Scope::new().with_deleted("A"));
        assert_eq!(both.states(), [("A".into(), Deleted::Only)]);
    }
}
