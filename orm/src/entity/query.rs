//! Queries of an entity with typed columns.

use std::fmt;
use std::marker::PhantomData;

use isogloss_compiler::StatementRef;
use isogloss_compiler::expr::{
    CaseExpr, CastExpr, Expr, FunctionExpr, LockMode, LockWait, LogicExpr, OrderByItemExpr, PropertyExpr, SectionExpr,
    SelectItemExpr, SqlSegment, UpdateExpr, ValueExpr, ValueTypeExpr, WindowExpr, from, from_args, table,
};

use super::{Column, Condition, Entity, Predicate, Property, Selected, Sorted, Table, Takes, Typed};

/// A query of the rows of an entity or a view: what `query!` makes.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mod.rs"));
/// use isogloss::entity::Query;
/// # fn main() {
/// let page = Query::<User>::new().filter(User::AGE.ge(18)).order_by((User::NAME, User::AGE.desc())).skip(40).take(20);
/// # let _ = page;
/// # }
/// ```
pub struct Query<E> {
    segment: SqlSegment,
    of: PhantomData<fn() -> E>,
}

impl<E: Entity> Query<E> {
    /// All rows.
    #[must_use]
    pub fn new() -> Self {
        Self::of(from(E::NAME))
    }

    /// Arguments for the placeholders of the table's name. What was said of the query before is forgotten.
    #[must_use]
    pub fn table_args<A: Into<String>>(self, args: impl IntoIterator<Item = A>) -> Self {
        Self::of(from_args(E::NAME, args.into_iter().map(Into::into)))
    }
}

impl<E> Query<E> {
    fn of(segment: SqlSegment) -> Self {
        Self { segment, of: PhantomData }
    }

    /// Only the rows that satisfy the condition. Several are ANDed; `None` filters nothing.
    #[must_use]
    pub fn filter<C: Predicate>(self, condition: C) -> Self
    where
        E: Takes<C::Entity>,
    {
        Self::of(self.segment.filter(condition.given()))
    }

    /// One row for each distinct key.
    #[must_use]
    pub fn group_by(self, keys: impl Items<E, ValueTypeExpr>) -> Self {
        Self::of(self.segment.group_by(keys.items()))
    }

    /// Only the groups that satisfy the condition. Several are ANDed; `None` filters nothing.
    #[must_use]
    pub fn having<C: Predicate>(self, condition: C) -> Self
    where
        E: Takes<C::Entity>,
    {
        Self::of(self.segment.having(condition.given()))
    }

    /// In that order: by keys, the first of which counts most.
    #[must_use]
    pub fn order_by(self, keys: impl Items<E, OrderByItemExpr>) -> Self {
        Self::of(self.segment.order_by(keys.items()))
    }

    /// Without the first so many of the rows.
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

    /// At most so many rows.
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

    /// Keyset paging: at most `take` rows after the one whose order keys have these values.
    #[must_use]
    pub fn after<V: Into<ValueExpr>>(self, cursor: impl IntoIterator<Item = V>, take: u64) -> Self {
        Self::of(self.segment.after(cursor, take))
    }

    /// Locks the rows.
    #[must_use]
    pub fn lock(self, mode: LockMode, wait: LockWait) -> Self {
        Self::of(self.segment.lock(mode, wait))
    }

    /// Selects the items.
    #[must_use]
    pub fn select(self, items: impl Items<E, SelectItemExpr>) -> Self {
        Self::of(self.segment.select(items.items()).into())
    }

    /// Equal rows are one.
    #[must_use]
    pub fn distinct(self) -> Self {
        Self::of(match self.segment {
            SqlSegment::Select(select) => select.into_inner().distinct().into(),
            segment => segment.select_all().distinct().into(),
        })
    }

    /// The tree, as a statement of its own. Where the query is a part of another one, give it as it is:
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

impl<E> Clone for Query<E> {
    fn clone(&self) -> Self {
        Self::of(self.segment.clone())
    }
}

impl<E> fmt::Debug for Query<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.segment.fmt(f)
    }
}

impl<E> From<Query<E>> for SqlSegment {
    fn from(query: Query<E>) -> Self {
        query.segment
    }
}

impl<E> From<Query<E>> for Expr {
    fn from(query: Query<E>) -> Self {
        query.segment.into()
    }
}

impl<E> From<Query<E>> for ValueTypeExpr {
    fn from(query: Query<E>) -> Self {
        super::captured::subquery(query.segment).into()
    }
}

impl<'e, E> From<&'e Query<E>> for StatementRef<'e> {
    fn from(query: &'e Query<E>) -> Self {
        (&query.segment).into()
    }
}

/// An UPDATE of the rows of an entity that satisfy the condition given next.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mod.rs"));
/// use isogloss::entity::update;
/// use isogloss::prelude::*;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let sets = [Order::STATUS.set(2), Order::AMOUNT.set(Order::AMOUNT * 2), Order::NOTE.set(None::<&str>)];
/// let raise = update::<Order>(sets).filter(expr!(|o: Order| o.status == 1 && o.amount < 50));
/// # #[cfg(feature = "sqlite")]
/// assert_eq!(
///     Compiler::new(catalog()?).compile(&Expr::from(raise), &SQLITE)?.sql,
///     r#"UPDATE "Orders" AS "T0" SET "Status" = ?, "Amount" = "T0"."Amount" * ?, "Note" = ? WHERE "T0"."Status" = ? AND "T0"."Amount" < ?"#
/// );
/// # Ok(()) }
/// ```
#[must_use]
pub fn update<E: Table>(sets: impl IntoIterator<Item = (Property<E>, ValueTypeExpr)>) -> Update<E> {
    Update { statement: table(E::NAME).update(sets), of: PhantomData }
}

/// An UPDATE of rows of the entity `E`: what [`update`] makes.
pub struct Update<E> {
    statement: UpdateExpr,
    of: PhantomData<fn() -> E>,
}

impl<E> Update<E> {
    /// The rows that are meant. Several conditions are ANDed; `None` is no condition, and without one the statement is
    /// refused, unless every row is meant.
    #[must_use]
    pub fn filter<C: Predicate>(self, condition: C) -> Self
    where
        E: Takes<C::Entity>,
    {
        Self { statement: self.statement.filter(condition.given()), ..self }
    }

    /// Every row is meant.
    #[must_use]
    pub fn all_rows(self) -> Self {
        Self { statement: self.statement.all_rows(), ..self }
    }
}

impl<E> Clone for Update<E> {
    fn clone(&self) -> Self {
        Self { statement: self.statement.clone(), of: PhantomData }
    }
}

impl<E> fmt::Debug for Update<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.statement.fmt(f)
    }
}

impl<E> From<Update<E>> for UpdateExpr {
    fn from(update: Update<E>) -> Self {
        update.statement
    }
}

impl<E> From<Update<E>> for Expr {
    fn from(update: Update<E>) -> Self {
        update.statement.into()
    }
}

impl<'e, E> From<&'e Update<E>> for StatementRef<'e> {
    fn from(update: &'e Update<E>) -> Self {
        (&update.statement).into()
    }
}

/// A key or an item of a clause of a query of `E`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no `{I}`",
    label = "this stands in no such clause",
    note = "give one column or expression, or a tuple of them: `(o.city, o.name.desc())`"
)]
pub trait Item<E, I> {
    /// It as a node.
    fn item(self) -> I;
}

/// Keys or items of a clause of a query of `E`: one, a tuple of several, or a list.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no `{I}`",
    label = "this stands in no such clause",
    note = "give one column or expression, or a tuple of them: `(o.city, o.name.desc())`"
)]
pub trait Items<E, I> {
    /// Them as a list.
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
    [F] Condition<F>;
    [F] Sorted<F>;
    [F] Selected<F>;
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
    ($($($item:ident)*;)*) => {$(
        impl<S, I, $($item: Item<S, I>),*> Items<S, I> for ($($item,)*) {
            fn items(self) -> Vec<I> {
                #[allow(non_snake_case, reason = "a value of each type, named as the type")]
                let ($($item,)*) = self;
                vec![$($item.item()),*]
            }
        }
    )*};
}

tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
    A B C D E F G H J;
    A B C D E F G H J K;
    A B C D E F G H J K L;
    A B C D E F G H J K L M;
}
