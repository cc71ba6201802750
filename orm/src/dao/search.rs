//! The arguments of searches.

use isogloss_compiler::expr::{Expr, ForeignExpr, GenericSqlExpr, LogicExpr, SelectExpr, SqlSegment, UpdateExpr};
use isogloss_compiler::{ExprString, Request, StatementRef};

use super::TableArgs;
use crate::OrmResult;
use crate::entity::{
    Column, Condition, Entity, Field, FieldError, Predicate, Query, Tables, Takes, Truth, Typed, Update,
};

/// What a search asks for: all rows, a filter, a query, or a template of the program's own SQL.
///
/// ```
/// use isogloss::dao::Search;
/// use isogloss::prelude::*;
/// let searches: [Search; 4] = [
///     ().into(),
///     prop("Id").gt(5).into(),
///     Some(prop("Id").gt(5)).into(),
///     from("User").order_by(["Name"]).take(10).into(),
/// ];
/// # let _ = searches;
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum Search {
    /// All rows.
    #[default]
    All,
    /// A filter or a query.
    Expr(Expr),
    /// A query over several tables or over another query, which need not begin with the rows that are searched.
    Over(Expr),
    /// A template of SQL.
    Template(ExprString),
}

impl Search {
    /// It as the compiler takes it.
    ///
    /// # Errors
    /// It is a statement that writes: a tree that came from outside must not do that where rows are read.
    pub(super) fn statement(&self) -> OrmResult<StatementRef<'_>> {
        match self {
            Self::All => Ok(StatementRef::Root),
            Self::Expr(Expr::Insert(_) | Expr::Update(_) | Expr::Delete(_)) => {
                let message = "a search reads: give it a filter or a query, and the others to an `ObjectDao`";
                Err(FieldError::new(message).into())
            }
            Self::Expr(expr) | Self::Over(expr) => Ok(expr.into()),
            Self::Template(template) => Ok(template.into()),
        }
    }

    /// How many rows it gives at most, if it says so.
    pub(super) fn most(&self) -> Option<u64> {
        let Some(Expr::Segment(segment)) = self.expr() else { return None };
        let mut segment = segment;
        loop {
            segment = match segment {
                SqlSegment::Section(section) => return section.take,
                // What one branch of a set gives is not all.
                SqlSegment::Select(select) if select.next_selects.is_empty() => select.source.as_ref()?,
                SqlSegment::Lock(lock) => lock.source.as_ref()?,
                _ => return None,
            };
        }
    }

    /// The request for it, of the rows of an entity, or in its data source.
    pub(super) fn request<'r>(&self, entity: &'r str, args: &'r TableArgs) -> Request<'r> {
        match self {
            Self::Over(_) => Request::within(entity),
            _ => Request::of(entity),
        }
        .table_args(args)
    }

    /// The tree that it is, if it is one.
    pub(crate) fn expr(&self) -> Option<&Expr> {
        match self {
            Self::Expr(expr) | Self::Over(expr) => Some(expr),
            Self::All | Self::Template(_) => None,
        }
    }
}

impl From<()> for Search {
    fn from((): ()) -> Self {
        Self::All
    }
}

impl From<Expr> for Search {
    fn from(expr: Expr) -> Self {
        Self::Expr(expr)
    }
}

impl From<LogicExpr> for Search {
    fn from(filter: LogicExpr) -> Self {
        Self::Expr(filter.into())
    }
}

/// Without a filter, every row.
impl From<Option<LogicExpr>> for Search {
    fn from(filter: Option<LogicExpr>) -> Self {
        filter.map_or(Self::All, Self::from)
    }
}

impl From<SqlSegment> for Search {
    fn from(query: SqlSegment) -> Self {
        Self::Expr(query.into())
    }
}

impl From<SelectExpr> for Search {
    fn from(query: SelectExpr) -> Self {
        Self::Expr(query.into_segment().into())
    }
}

macro_rules! predicates {
    ($($of:ty),*) => {$(
        impl From<$of> for Search {
            fn from(filter: $of) -> Self {
                LogicExpr::from(filter).into()
            }
        }
    )*};
}

predicates!(ForeignExpr, GenericSqlExpr);

impl<E, R> From<Query<E, R>> for Search {
    fn from(query: Query<E, R>) -> Self {
        SqlSegment::from(query).into()
    }
}

impl From<ExprString> for Search {
    fn from(template: ExprString) -> Self {
        Self::Template(template)
    }
}

/// An argument of a search for rows of `V`: a query of `V`, a condition on `V` or on the entity of a view `V`; a tree,
/// a client's JSON or a template, which are checked at run time; or `()` for all rows.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no search of rows of `{V}`",
    label = "no condition, query or template for rows of `{V}`",
    note = "`()` finds every row",
    note = "a query is of the rows that it gives: of a view where rows of a view are searched"
)]
pub trait SearchOf<V> {
    /// What the rows are that it finds: those of `V`, or what a query selects.
    type Row;

    /// Converts it to a search.
    fn into_search(self) -> Search;
}

macro_rules! searches {
    (untyped $($of:ty),*) => {$(
        impl<V> SearchOf<V> for $of {
            type Row = V;

            fn into_search(self) -> Search {
                self.into()
            }
        }
    )*};
    (typed $($of:ident),*) => {$(
        impl<V: Takes<E>, E, T: Field<Base: Truth>> SearchOf<V> for $of<E, T> {
            type Row = V;

            fn into_search(self) -> Search {
                self.into()
            }
        }

        impl<E, T: Field<Base: Truth>> From<$of<E, T>> for Search {
            fn from(filter: $of<E, T>) -> Self {
                filter.given().into()
            }
        }
    )*};
    ($($of:ty),*) => {$(
        impl<V: Takes<E>, E> SearchOf<V> for $of {
            type Row = V;

            fn into_search(self) -> Search {
                self.into()
            }
        }
    )*};
}

searches!(untyped Search, (), Expr, LogicExpr, Option<LogicExpr>, ForeignExpr, GenericSqlExpr);
searches!(untyped SqlSegment, SelectExpr, ExprString);
searches!(typed Column, Typed);
searches!(Condition<E>, Option<Condition<E>>);

/// A query is of `V` itself: one of the entity under a view selects no column of the view.
impl<V: Entity, R> SearchOf<V> for Query<V, R> {
    type Row = R;

    fn into_search(self) -> Search {
        self.into()
    }
}

/// A query over several tables, or over another query, runs where the rows of `V` are.
impl<V, L, R> SearchOf<V> for Query<Tables<L>, R> {
    type Row = R;

    fn into_search(self) -> Search {
        Search::Over(self.into())
    }
}

impl<E> From<Condition<E>> for Search {
    fn from(filter: Condition<E>) -> Self {
        filter.into_logic().into()
    }
}

/// Without a filter, every row.
impl<E> From<Option<Condition<E>>> for Search {
    fn from(filter: Option<Condition<E>>) -> Self {
        filter.map_or(Self::All, Self::from)
    }
}

/// An argument of [`update_where`](super::ObjectDao::update_where): an UPDATE of rows of `T` that was built by
/// [`update`](crate::entity::update), or by names.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no UPDATE of rows of `{T}`",
    label = "an UPDATE of `{T}` is due here",
    note = "`update::<{T}>(..).filter(..)` makes one"
)]
pub trait UpdateOf<T> {
    /// Converts it to a statement.
    fn into_update(self) -> UpdateExpr;
}

impl<T> UpdateOf<T> for UpdateExpr {
    fn into_update(self) -> UpdateExpr {
        self
    }
}

impl<T> UpdateOf<T> for Update<T> {
    fn into_update(self) -> UpdateExpr {
        self.into()
    }
}
