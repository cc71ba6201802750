//! Queries over several tables, over other queries, and sets of rows.

use std::fmt;
use std::marker::PhantomData;

use isogloss_compiler::expr::{CommonTableExpr, Name, SelectExpr, SelectSetType, SqlSegment, TableJoinType, cte, from};
use isogloss_compiler::walk::{ExprMut, rewrite};

use super::captured::{make_room, rename};
use super::{Beside, Entity, FromRow, Predicate, Query, Takes};

/// The scope of a query over several tables: a tuple of them, in the order of the closure's parameters. An `Option` is
/// one that need not have a row.
///
/// Each table has an alias, the name of the parameter, so that a column says of which table it is.
#[derive(Debug)]
pub struct Tables<L>(PhantomData<fn() -> L>);

impl<L> Takes<Self> for Tables<L> {}

impl<L> Takes<()> for Tables<L> {}

impl<L> Beside<Self> for Tables<L> {
    type Both = Self;
}

impl<L> Beside<()> for Tables<L> {
    type Both = Self;
}

impl<L> Beside<Tables<L>> for () {
    type Both = Tables<L>;
}

/// The rows of a query over several tables that has no `select` yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unselected {}

/// A source of rows of `R` with an alias: a table, or a query.
pub struct Source<R> {
    segment: SqlSegment,
    of: PhantomData<fn() -> R>,
}

/// The table of an entity, or a view, with an alias, for a join:
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/shop.rs"));
/// use isogloss::entity::{Query, of};
/// # fn main() {
/// let (o, u) = (Order::USER_ID.aliased("o"), User::ID.aliased("u"));
/// let names = Query::over(of::<Order>("o"))
///     .left_join(of::<User>("u"), u.eq(o))
///     .select((Order::ID.aliased("o"), User::NAME.aliased("u").optional()));
/// let names: Query<_, (i64, Option<String>)> = names;
/// # let _ = names;
/// # }
/// ```
#[must_use]
pub fn of<E: Entity>(alias: &'static str) -> Source<E> {
    Source::new(from(E::NAME).aliased(Name::from_static(alias)))
}

impl<R> Source<R> {
    pub(super) const fn new(segment: SqlSegment) -> Self {
        Self { segment, of: PhantomData }
    }

    /// Sets the arguments for the placeholders of the table's name.
    #[must_use]
    pub fn table_args<A: Into<String>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        if let SqlSegment::Table(table) = &mut self.segment {
            table.table_args = args.into_iter().map(|arg| arg.into().into()).collect();
        }
        self
    }
}

impl<R> fmt::Debug for Source<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.segment.fmt(f)
    }
}

/// A query whose rows are of `R`, as a source of another one: `t.from(totals)` in `query!`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` gives no rows of `{R}`",
    label = "its rows are of another type than the closure's parameter",
    note = "the parameter has the type of the query's rows: `|t: Total| t.from(totals)` where `totals` selects `Total {{ .. }}`"
)]
pub trait Gives<R> {
    /// The query under an alias.
    fn under(self, alias: Name) -> SqlSegment;
}

impl<S, R> Gives<R> for Query<S, R> {
    fn under(self, alias: Name) -> SqlSegment {
        super::captured::subquery(self.into_segment()).aliased(alias)
    }
}

impl<S, R> Gives<R> for &Query<S, R> {
    fn under(self, alias: Name) -> SqlSegment {
        self.clone().under(alias)
    }
}

impl<R> Gives<R> for Cte<R> {
    fn under(self, alias: Name) -> SqlSegment {
        let node = SqlSegment::from(self.node);
        match &node {
            SqlSegment::CommonTable(table) if table.alias == alias => node,
            _ => node.aliased(alias),
        }
    }
}

impl<R> Gives<R> for &Cte<R> {
    fn under(self, alias: Name) -> SqlSegment {
        self.clone().under(alias)
    }
}

/// A common table expression with rows of `R`: a query with a name in the statement's WITH. [`Query::named`] and
/// [`Query::recursive`] make it, `t.from(cte)` in `query!` asks it. Where the parameter has its name, it is used as it
/// is; under another one it is a derived table.
pub struct Cte<R> {
    node: CommonTableExpr,
    of: PhantomData<fn() -> R>,
}

impl<R> Clone for Cte<R> {
    fn clone(&self) -> Self {
        Self { node: self.node.clone(), of: PhantomData }
    }
}

impl<R> fmt::Debug for Cte<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.node.fmt(f)
    }
}

/// The select of a query, for a set or a definition.
fn selected(segment: SqlSegment) -> SelectExpr {
    match segment {
        SqlSegment::Select(select) => select.into_inner(),
        other => other.select_all(),
    }
}

impl<S, R> Query<S, R> {
    fn set<S2>(self, set_type: SelectSetType, other: Query<S2, R>) -> Query<Tables<(R,)>, R> {
        let of = |query: SqlSegment| selected(query);
        let right = super::captured::subquery(other.into_segment());
        Query::of(of(self.into_segment()).set(set_type, of(right)).into())
    }

    /// The rows of both queries without duplicates. Their rows are of one type. For an order or a filter of all, ask the
    /// result by `query!(|t: Row| t.from(all).order_by(t.name))`.
    #[must_use]
    pub fn union<S2>(self, other: Query<S2, R>) -> Query<Tables<(R,)>, R>
    where
        R: FromRow,
    {
        self.set(SelectSetType::Union, other)
    }

    /// The rows of both queries.
    #[must_use]
    pub fn union_all<S2>(self, other: Query<S2, R>) -> Query<Tables<(R,)>, R>
    where
        R: FromRow,
    {
        self.set(SelectSetType::UnionAll, other)
    }

    /// The rows that both queries give.
    #[must_use]
    pub fn intersect<S2>(self, other: Query<S2, R>) -> Query<Tables<(R,)>, R>
    where
        R: FromRow,
    {
        self.set(SelectSetType::Intersect, other)
    }

    /// The rows of this query that the other one does not give.
    #[must_use]
    pub fn except<S2>(self, other: Query<S2, R>) -> Query<Tables<(R,)>, R>
    where
        R: FromRow,
    {
        self.set(SelectSetType::Except, other)
    }

    /// Names the query as a common table expression, which may be used more than once in a statement.
    #[must_use]
    pub fn named(self, name: impl Into<Name>) -> Cte<R>
    where
        R: FromRow,
    {
        Cte { node: selected(self.into_segment()).with(name), of: PhantomData }
    }

    /// A recursive common table expression: the rows of this query, and again and again those that `step` finds from the
    /// rows before.
    #[must_use]
    pub fn recursive<S2>(self, name: impl Into<Name>, step: impl FnOnce(Cte<R>) -> Query<S2, R>) -> Cte<R>
    where
        R: FromRow,
    {
        let name = name.into();
        let reference = CommonTableExpr { source: None, alias: name.clone() };
        let mut next = step(Cte { node: reference, of: PhantomData }).into_segment();
        call_by_name(&mut next, &name);
        Cte { node: selected(self.into_segment()).union_all(selected(next)).with(name), of: PhantomData }
    }
}

/// A recursive reference stands in FROM itself, and not in a derived table: then its columns are called by its name.
fn call_by_name(step: &mut SqlSegment, name: &Name) {
    let mut aliases = Vec::new();
    rewrite(&mut *step, |node| {
        if let ExprMut::Segment(segment) = node
            && let SqlSegment::Select(select) = &*segment
            && select.selects.is_empty()
            && let (Some(SqlSegment::CommonTable(table)), Some(alias)) = (&select.source, &select.alias)
            && table.source.is_none()
            && table.alias == *name
        {
            aliases.push(alias.clone());
            *segment = cte(name.clone());
        }
    });
    make_room(step, name.as_str());
    for alias in aliases {
        make_room(step, alias.as_str());
        rename(&mut *step, alias.as_str(), name);
    }
}

impl<R> Query<Tables<(R,)>, R> {
    /// A query of the rows of a source.
    #[must_use]
    pub fn over(source: Source<R>) -> Self {
        Self::of(source.segment)
    }
}

impl<L, R> Query<Tables<L>, R> {
    /// A query of a source as the first of several.
    #[doc(hidden)]
    #[must_use]
    pub fn first<F>(source: Source<F>) -> Self {
        Self::of(source.segment)
    }

    fn joined<J>(
        self,
        join_type: TableJoinType,
        source: Source<J>,
        on: Option<isogloss_compiler::expr::LogicExpr>,
    ) -> Query<Tables<L>, Unselected> {
        Query::of(self.into_segment().join(join_type, source.segment, on))
    }

    /// Joins the rows of a source that satisfy a condition.
    #[must_use]
    pub fn join<J, C: Predicate>(self, source: Source<J>, on: C) -> Query<Tables<L>, Unselected>
    where
        Tables<L>: Takes<C::Entity>,
    {
        self.joined(TableJoinType::Inner, source, on.given())
    }

    /// Joins the rows of a source that satisfy a condition, and keeps the rows that have none: its columns are NULL there,
    /// which [`optional`](super::Column::optional) says.
    #[must_use]
    pub fn left_join<J, C: Predicate>(self, source: Source<J>, on: C) -> Query<Tables<L>, Unselected>
    where
        Tables<L>: Takes<C::Entity>,
    {
        self.joined(TableJoinType::Left, source, on.given())
    }

    /// Joins the rows of a source, and keeps those of the source that match none: what stands before is NULL there.
    #[must_use]
    pub fn right_join<J, C: Predicate>(self, source: Source<J>, on: C) -> Query<Tables<L>, Unselected>
    where
        Tables<L>: Takes<C::Entity>,
    {
        self.joined(TableJoinType::Right, source, on.given())
    }

    /// Joins the rows of a source, and keeps those of both sides that match none.
    #[must_use]
    pub fn full_join<J, C: Predicate>(self, source: Source<J>, on: C) -> Query<Tables<L>, Unselected>
    where
        Tables<L>: Takes<C::Entity>,
    {
        self.joined(TableJoinType::Full, source, on.given())
    }

    /// Joins each row with each row of a source.
    #[must_use]
    pub fn cross_join<J>(self, source: Source<J>) -> Query<Tables<L>, Unselected> {
        self.joined(TableJoinType::Cross, source, None)
    }

    /// Joins to each row the rows that a query gives for it, which speaks of the tables before it: LATERAL, or APPLY.
    #[must_use]
    pub fn join_lateral<J>(self, source: Source<J>) -> Query<Tables<L>, Unselected> {
        Query::of(self.into_segment().join_lateral(TableJoinType::Cross, source.segment, None))
    }

    /// Joins to each row the rows that a query gives for it, and keeps the rows for which it gives none.
    #[must_use]
    pub fn left_join_lateral<J>(self, source: Source<J>) -> Query<Tables<L>, Unselected> {
        Query::of(self.into_segment().join_lateral(TableJoinType::Left, source.segment, None))
    }
}

/// Calls the columns of a query by their places, as those of a tuple are.
pub(super) fn placed(mut query: SqlSegment) -> SqlSegment {
    call_by_place(&mut query);
    query
}

/// The clauses behind a select list have its names.
fn call_by_place(query: &mut SqlSegment) {
    let source = match query {
        SqlSegment::Select(select) => return place(select),
        SqlSegment::CommonTable(table) => return table.source.iter_mut().for_each(place),
        SqlSegment::OrderBy(order) => &mut order.source,
        SqlSegment::Section(section) => &mut section.source,
        SqlSegment::Lock(lock) => &mut lock.source,
        _ => return,
    };
    source.iter_mut().for_each(call_by_place);
}

fn place(select: &mut SelectExpr) {
    // All columns of what has names of its own: a page, or a common table expression under another name.
    if select.selects.is_empty() {
        select.source.iter_mut().for_each(call_by_place);
    }
    for (place, item) in select.selects.iter_mut().enumerate() {
        item.alias = Some(Name::new(format!("Item{place}")));
    }
}
