//! Queries of an entity with typed columns.

use std::fmt;
use std::marker::PhantomData;

use isogloss_compiler::StatementRef;
use isogloss_compiler::expr::{
    CaseExpr, CastExpr, Expr, FunctionExpr, LockMode, LockWait, LogicExpr, OrderByItemExpr, PropertyExpr, SectionExpr,
    SelectItemExpr, SqlSegment, ValueExpr, ValueTypeExpr, WindowExpr, from, from_args,
};

use super::{Aggregate, Column, Condition, Entity, Predicate, Selected, Selection, Sorted, Takes, Typed, Window};

/// A query. `query!` builds it; the methods here do the same with columns that are named as constants.
///
/// `E` is what its clauses speak of: an entity or a view, or several [`Tables`](super::Tables). `R` is what its rows are:
/// those of the entity, until a [`select`](Self::select) says which columns they have.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/shop.rs"));
/// use isogloss::entity::Query;
/// # fn main() {
/// let page = Query::<User>::new().filter(User::AGE.ge(18)).order_by((User::NAME, User::AGE.desc())).skip(40).take(20);
/// # let _ = page;
/// # }
/// ```
pub struct Query<E, R = E> {
    segment: SqlSegment,
    of: PhantomData<fn() -> (E, R)>,
}

impl<E: Entity> Query<E> {
    /// A query of all rows.
    #[must_use]
    pub fn new() -> Self {
        Self::of(from(E::NAME))
    }

    /// Sets the arguments for the placeholders of the table's name. Call it first: earlier clauses are discarded.
    #[must_use]
    pub fn table_args<A: Into<String>>(self, args: impl IntoIterator<Item = A>) -> Self {
        Self::of(from_args(E::NAME, args.into_iter().map(Into::into)))
    }
}

impl<E, R> Query<E, R> {
    pub(super) const fn of(segment: SqlSegment) -> Self {
        Self { segment, of: PhantomData }
    }

    /// Keeps the rows that satisfy a condition. Several are combined by AND; `None` filters nothing.
    #[must_use]
    pub fn filter<C: Predicate>(self, condition: C) -> Self
    where
        E: Takes<C::Entity>,
    {
        Self::of(self.segment.filter(condition.given()))
    }

    /// Groups the rows, with one row for each distinct key.
    #[must_use]
    pub fn group_by(self, keys: impl Items<E, ValueTypeExpr>) -> Self {
        Self::of(self.segment.group_by(keys.items()))
    }

    /// Keeps the groups that satisfy a condition. Several are combined by AND; `None` filters nothing.
    #[must_use]
    pub fn having<C: Predicate>(self, condition: C) -> Self
    where
        E: Takes<C::Entity>,
    {
        Self::of(self.segment.having(condition.given()))
    }

    /// Orders the rows by keys, the first of which has priority. The keys of a further call have priority over those of the
    /// calls before, as where sorted rows are sorted again: `order_by(name).order_by(city)` is by city, then by name.
    #[must_use]
    pub fn order_by(self, keys: impl Items<E, OrderByItemExpr>) -> Self {
        Self::of(self.segment.order_by(keys.items()))
    }

    /// Skips the first rows.
    #[must_use]
    pub fn skip(self, rows: u64) -> Self {
        Self::of(match self.segment {
            SqlSegment::Section(section) if section.after.is_empty() => {
                let SectionExpr { source, skip, take, after } = section.into_inner();
                let take = take.map(|take| take.saturating_sub(rows));
                SectionExpr { source, skip: skip.saturating_add(rows), take, after }.into()
            }
            segment => segment.skip(rows),
        })
    }

    /// Limits the number of rows.
    #[must_use]
    pub fn take(self, rows: u64) -> Self {
        Self::of(match self.segment {
            SqlSegment::Section(section) => {
                let section = section.into_inner();
                let take = section.take.map_or(rows, |take| take.min(rows));
                SectionExpr { take: Some(take), ..section }.into()
            }
            segment => segment.take(rows),
        })
    }

    /// Keyset paging: at most `take` rows after the row whose order keys have the values of `cursor`.
    #[must_use]
    pub fn after<V: Into<ValueExpr>>(self, cursor: impl IntoIterator<Item = V>, take: u64) -> Self {
        Self::of(self.segment.after(cursor, take))
    }

    /// Locks the rows until the end of the transaction.
    #[must_use]
    pub fn lock(self, mode: LockMode, wait: LockWait) -> Self {
        Self::of(self.segment.lock(mode, wait))
    }

    /// Selects items: columns, computed values, aggregates. They are the columns of the rows, and their types those of a
    /// row: `select((o.id, o.amount))` gives rows of `(i64, Decimal)`.
    ///
    /// Call it behind `filter`, `group_by` and `having`: behind it, these are of the result, which has the selected columns
    /// only. `query!` refuses them there; for a filter of the result there is `t.from(query)`.
    #[must_use]
    pub fn select<I: Selection<E>>(self, items: I) -> Query<E, I::Row> {
        Query::of(self.segment.select(items.selection()).into())
    }

    /// Removes duplicate rows.
    #[must_use]
    pub fn distinct(self) -> Self {
        Self::of(match self.segment {
            SqlSegment::Select(select) => select.into_inner().distinct().into(),
            segment => segment.select_all().distinct().into(),
        })
    }

    /// Converts the query into the tree of a statement of its own. As a part of another query, use it directly:
    /// `ValueTypeExpr::from(query)`, or in a hole of `sql!`.
    #[must_use]
    pub fn into_segment(self) -> SqlSegment {
        self.segment
    }
}

impl<E: Entity> Default for Query<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E, R> Clone for Query<E, R> {
    fn clone(&self) -> Self {
        Self::of(self.segment.clone())
    }
}

/// Its tree; `{:#?}`, which `dbg!` takes, begins with what it asks, as a text like SQL.
impl<E, R> fmt::Debug for Query<E, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !f.alternate() {
            return fmt::Debug::fmt(&self.segment, f);
        }
        f.debug_struct("Query").field("asks", &format_args!("{}", self.segment)).field("tree", &self.segment).finish()
    }
}

/// What it asks, as a text like SQL in no dialect, with its values: `SELECT Name FROM User WHERE Age >= 18`. Compile it for
/// the statement of a dialect, which has a text of [several lines](crate::Compiled::pretty).
impl<E, R> fmt::Display for Query<E, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.segment, f)
    }
}

impl<E, R> From<Query<E, R>> for SqlSegment {
    fn from(query: Query<E, R>) -> Self {
        query.segment
    }
}

impl<E, R> From<Query<E, R>> for Expr {
    fn from(query: Query<E, R>) -> Self {
        query.segment.into()
    }
}

impl<E, R> From<Query<E, R>> for ValueTypeExpr {
    fn from(query: Query<E, R>) -> Self {
        super::captured::subquery(query.segment).into()
    }
}

impl<'e, E, R> From<&'e Query<E, R>> for StatementRef<'e> {
    fn from(query: &'e Query<E, R>) -> Self {
        (&query.segment).into()
    }
}

/// A key or an item in a clause of a query of `E`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no `{I}`",
    label = "this stands in no such clause",
    note = "give one column or expression, or a tuple of them: `(o.city, o.name.desc())`"
)]
pub trait Item<E, I> {
    /// Converts it into a node.
    fn item(self) -> I;
}

/// The keys or items of a clause of a query of `E`: one, a tuple of several, or a list.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no `{I}`",
    label = "this stands in no such clause",
    note = "give one column or expression, or a tuple of them: `(o.city, o.name.desc())`"
)]
pub trait Items<E, I> {
    /// Converts them into a list.
    fn items(self) -> Vec<I>;
}

macro_rules! single {
    ($([$($entity:ident)? $(, $generic:ident)*] $of:ty;)*) => {$(
        impl<S, I, $($entity)? $(, $generic)*> Item<S, I> for $of
        where
            Self: Into<I>,
            $(S: Takes<$entity>,)?
        {
            fn item(self) -> I {
                self.into()
            }
        }

        impl<S, I, $($entity)? $(, $generic)*> Items<S, I> for $of
        where
            Self: Into<I>,
            $(S: Takes<$entity>,)?
        {
            fn items(self) -> Vec<I> {
                vec![self.into()]
            }
        }
    )*};
}

single! {
    [F, T] Column<F, T>;
    [F, T] Typed<F, T>;
    [F, T] Aggregate<F, T>;
    [F, T] Window<F, T>;
    [F] Condition<F>;
    [F] Sorted<F>;
    [F, T] Selected<F, T>;
    [] SelectItemExpr;
    [] OrderByItemExpr;
    [] ValueTypeExpr;
    [] PropertyExpr;
    [] FunctionExpr;
    [] CaseExpr;
    [] CastExpr;
    [] WindowExpr;
    [] LogicExpr;
    [] &'static str;
}

impl<S, I, A: Item<S, I>> Items<S, I> for Vec<A> {
    fn items(self) -> Vec<I> {
        self.into_iter().map(Item::item).collect()
    }
}

impl<S, I, A: Item<S, I>, const N: usize> Items<S, I> for [A; N] {
    fn items(self) -> Vec<I> {
        self.into_iter().map(Item::item).collect()
    }
}

macro_rules! tuples {
    ($($($item:ident $_of:ident)*;)*) => {$(
        impl<S, I, $($item: Item<S, I>),*> Items<S, I> for ($($item,)*) {
            fn items(self) -> Vec<I> {
                #[allow(non_snake_case, reason = "a value of each type, named as the type")]
                let ($($item,)*) = self;
                vec![$($item.item()),*]
            }
        }
    )*};
}

for_tuples!(tuples);
