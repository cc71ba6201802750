//! Values of the program that the closure of an EXISTS captures.

use isogloss_compiler::expr::{LogicExpr, Name, SqlSegment, ValueTypeExpr};
use isogloss_compiler::walk::{ExprMut, ExprRef, VisitOrder, rewrite, visit_while};

use super::{Column, Condition, Typed};

/// The main table of a statement: what a condition calls the table that it is of, inside of its EXISTS.
const MAIN: &str = "T0";

/// A value that the closure of an EXISTS captures. The macros wrap every captured value in it. Method resolution finds
/// the conversion of a tree's node before the one of any other value.
#[derive(Debug)]
pub struct Captured<T>(pub T);

/// A captured value that is not a part of a tree, and stays as it is.
pub trait CapturedValue {
    /// The type of the value.
    type Value;

    /// The value inside of a closure over the table with this alias.
    fn within(self, alias: &'static str) -> Self::Value;

    /// The value as a constant of the entity with this alias, in a condition on `S`.
    fn of<S>(self, alias: Option<&'static str>) -> Self::Value;
}

impl<T> CapturedValue for Captured<T> {
    type Value = T;

    fn within(self, _: &'static str) -> T {
        self.0
    }

    fn of<S>(self, _: Option<&'static str>) -> T {
        self.0
    }
}

/// Never implemented: a captured column has only its name, and would refer to the innermost table with such a column.
#[diagnostic::on_unimplemented(
    message = "this column does not say of which table it is",
    label = "a column of the table outside, or of the one inside?",
    note = "inside of `exists` a column is named by the closure's argument: `o.amount`, not `Order::AMOUNT`"
)]
pub trait OfOneTable {}

impl<E, T> Captured<Column<E, T>> {
    /// Does not compile: see [`OfOneTable`].
    #[must_use]
    pub fn within(self, _: &'static str) -> Column<E, T>
    where
        Column<E, T>: OfOneTable,
    {
        self.0
    }

    /// The column of the closure's argument that is of its entity.
    #[must_use]
    pub fn of<S>(self, alias: Option<&'static str>) -> Column<S, T> {
        self.0.within(alias)
    }
}

impl<E> Captured<Condition<E>> {
    /// A condition on the entity with this alias.
    #[must_use]
    pub fn within(self, alias: &'static str) -> Condition<E> {
        Condition::new(Captured(self.0.into_logic()).within(alias))
    }
}

impl<E> Captured<Option<Condition<E>>> {
    /// An optional condition on the entity with this alias.
    #[must_use]
    pub fn within(self, alias: &'static str) -> Option<Condition<E>> {
        self.0.map(|condition| Captured(condition).within(alias))
    }
}

impl<E> Captured<&Condition<E>> {
    /// A borrowed condition on the entity with this alias.
    #[must_use]
    pub fn within(self, alias: &'static str) -> Condition<E> {
        Captured(self.0.clone()).within(alias)
    }
}

impl<E> Captured<&Option<Condition<E>>> {
    /// A borrowed optional condition on the entity with this alias.
    #[must_use]
    pub fn within(self, alias: &'static str) -> Option<Condition<E>> {
        Captured(self.0.clone()).within(alias)
    }
}

impl Captured<LogicExpr> {
    /// A condition on the entity with this alias.
    #[must_use]
    pub fn within(self, alias: &'static str) -> LogicExpr {
        let mut condition = self.0;
        move_into(&mut condition, alias);
        condition
    }
}

impl Captured<Option<LogicExpr>> {
    /// An optional condition on the entity with this alias.
    #[must_use]
    pub fn within(self, alias: &'static str) -> Option<LogicExpr> {
        self.0.map(|condition| Captured(condition).within(alias))
    }
}

impl Captured<&LogicExpr> {
    /// A borrowed condition on the entity with this alias.
    #[must_use]
    pub fn within(self, alias: &'static str) -> LogicExpr {
        Captured(self.0.clone()).within(alias)
    }
}

impl Captured<&Option<LogicExpr>> {
    /// A borrowed optional condition on the entity with this alias.
    #[must_use]
    pub fn within(self, alias: &'static str) -> Option<LogicExpr> {
        Captured(self.0.clone()).within(alias)
    }
}

impl<E, T> Captured<Typed<E, T>> {
    /// A value of the entity with this alias.
    #[must_use]
    pub fn within(self, alias: &'static str) -> Typed<E, T> {
        let mut node = ValueTypeExpr::from(self.0);
        move_into(&mut node, alias);
        Typed::new(node)
    }
}

/// Whether a name has that alias.
pub(super) fn mentions<'a>(tree: impl Into<ExprRef<'a>>, alias: &str) -> bool {
    let of = |node: ExprRef<'_>| matches!(node, ExprRef::Value(ValueTypeExpr::Property(property)) if is(property.alias.as_deref(), alias));
    !visit_while(tree, VisitOrder::Pre, |node| !of(node))
}

fn is(name: Option<&Name>, alias: &str) -> bool {
    name.is_some_and(|name| name.as_str().eq_ignore_ascii_case(alias))
}

/// Whether an EXISTS or a subquery in it names the main table.
fn names_main(tree: ExprRef<'_>) -> bool {
    let found = |node| match node {
        ExprRef::Logic(LogicExpr::Foreign(foreign)) => {
            foreign.inner.as_ref().is_some_and(|inner| mentions(inner, MAIN))
        }
        ExprRef::Value(ValueTypeExpr::Query(query)) => mentions(&**query, MAIN),
        _ => false,
    };
    !visit_while(tree, VisitOrder::Pre, |node| !found(node))
}

/// Gives the main table another name inside of each EXISTS and each subquery.
fn rename_main<'a>(tree: impl Into<ExprMut<'a>>, alias: &Name) {
    rewrite(tree, |node| match node {
        ExprMut::Logic(LogicExpr::Foreign(foreign)) => {
            if let Some(inner) = &mut foreign.inner {
                rename(inner, MAIN, alias);
            }
        }
        ExprMut::Value(ValueTypeExpr::Query(query)) => rename(&mut **query, MAIN, alias),
        _ => {}
    });
}

/// A condition calls the table that it is of `T0` inside of its EXISTS. Where it becomes a part of another's EXISTS, that
/// table has another alias.
fn move_into<'a>(tree: impl Into<ExprMut<'a>>, alias: &'static str) {
    let mut tree = tree.into();
    if !names_main(tree.as_ref()) {
        return;
    }
    // An EXISTS of its own that has the alias would take the name to itself.
    let has = |name: Option<&Name>| is(name, alias);
    let taken = |node| matches!(node, ExprRef::Logic(LogicExpr::Foreign(foreign)) if has(foreign.alias.as_ref()));
    if !visit_while(tree.as_ref(), VisitOrder::Pre, |node| !taken(node)) {
        let mut other = format!("{alias}_");
        while mentions(tree.as_ref(), &other) {
            other.push('_');
        }
        rename(tree.reborrow(), alias, &Name::new(other));
    }
    rename_main(tree, &Name::from_static(alias));
}

/// The first table of a query has an alias, so that nothing in it calls it the main one.
fn is_aliased(query: &SqlSegment) -> bool {
    let mut first = None;
    visit_while(query, VisitOrder::Pre, |node| {
        if let ExprRef::Segment(SqlSegment::Table(table)) = node {
            first = Some(table.alias.is_some());
        }
        first.is_none()
    });
    first.unwrap_or(true)
}

/// A query that becomes a part of another statement, whose main table is not its own.
pub(super) fn subquery(mut query: SqlSegment) -> SqlSegment {
    if is_aliased(&query) || !names_main(ExprRef::from(&query)) {
        return query;
    }
    let alias = Name::from_static("Q0");
    rename_main(&mut query, &alias);
    let mut first = true;
    rewrite(&mut query, |node| {
        if let ExprMut::Segment(SqlSegment::Table(table)) = node
            && std::mem::take(&mut first)
        {
            table.alias = Some(alias.clone());
        }
    });
    query
}

/// Whether a table or a query in it has that alias.
fn gives<'a>(tree: impl Into<ExprRef<'a>>, alias: &str) -> bool {
    let given = |node| match node {
        ExprRef::Logic(LogicExpr::Foreign(foreign)) => is(foreign.alias.as_ref(), alias),
        ExprRef::Segment(SqlSegment::Table(table)) => is(table.alias.as_ref(), alias),
        ExprRef::Segment(SqlSegment::Select(select)) => is(select.alias.as_ref(), alias),
        _ => false,
    };
    !visit_while(tree, VisitOrder::Pre, |node| !given(node))
}

/// Gives another name to what has an alias inside of subqueries, which would take the columns of an outer table of that
/// name to itself, and then to what else has it.
pub(super) fn make_room(query: &mut SqlSegment, alias: &str) {
    let mut other = format!("{alias}_");
    while mentions(&*query, &other) || gives(&*query, &other) {
        other.push('_');
    }
    let other = Name::new(other);
    rewrite(&mut *query, |node| {
        if let ExprMut::Value(ValueTypeExpr::Query(inner)) = node
            && gives(&**inner, alias)
        {
            rename(&mut **inner, alias, &other);
        }
    });
    if gives(&*query, alias) {
        rename(query, alias, &other);
    }
}

/// Gives an alias another name, where it is given and where it is meant.
pub(super) fn rename<'a>(tree: impl Into<ExprMut<'a>>, from: &str, to: &Name) {
    rewrite(tree, |node| match node {
        ExprMut::Value(ValueTypeExpr::Property(property)) if is(property.alias.as_deref(), from) => {
            property.alias = Some(Box::new(to.clone()));
        }
        ExprMut::Logic(LogicExpr::Foreign(foreign)) if is(foreign.alias.as_ref(), from) => {
            foreign.alias = Some(to.clone());
        }
        ExprMut::Segment(SqlSegment::Table(table)) if is(table.alias.as_ref(), from) => {
            table.alias = Some(to.clone());
        }
        ExprMut::Segment(SqlSegment::Select(select)) if is(select.alias.as_ref(), from) => {
            select.alias = Some(to.clone());
        }
        _ => {}
    });
}
