//! Queries of an entity with typed columns.

use std::fmt;
use std::marker::PhantomData;

use isogloss_compiler::StatementRef;
use isogloss_compiler::expr::{
    Expr, LockMode, LockWait, Name, OrderByItemExpr, SectionExpr, SelectItemExpr, SqlSegment, UpdateExpr, ValueExpr,
    ValueTypeExpr, from, from_args, table,
};

use super::{Column, Condition, Entity, Table, Typed};

/// A query of the rows of an entity or a view: what `query!` makes.
///
/// ```
/// use isogloss::entity::{Column, Query};
/// # use isogloss::entity::{Definition, Entity};
/// # struct User;
/// # impl isogloss::driver::FromRow for User {
/// #     fn from_row(_: &dyn isogloss::driver::Row) -> isogloss::driver::Result<Self> { Ok(Self) }
/// # }
/// # impl Entity for User {
/// #     const NAME: &'static str = "User";
/// #     type Columns = ();
/// #     fn columns(_: Option<&'static str>) {}
/// #     fn definition() -> Definition { Definition::Table(isogloss::model::TableDef::new("User")) }
/// # }
/// const AGE: Column<i32> = Column::new("Age");
/// const NAME: Column<String> = Column::new("Name");
/// let page = Query::<User>::new().filter(AGE.ge(18)).order_by((NAME, AGE.desc())).skip(40).take(20);
/// # let _ = page;
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
    pub fn filter(self, condition: impl Condition) -> Self {
        Self::of(self.segment.filter(condition.given()))
    }

    /// One row for each distinct key.
    #[must_use]
    pub fn group_by(self, keys: impl Items<ValueTypeExpr>) -> Self {
        Self::of(self.segment.group_by(keys.items()))
    }

    /// Only the groups that satisfy the condition. Several are ANDed; `None` filters nothing.
    #[must_use]
    pub fn having(self, condition: impl Condition) -> Self {
        Self::of(self.segment.having(condition.given()))
    }

    /// In that order: by keys, the first of which counts most.
    #[must_use]
    pub fn order_by(self, keys: impl Items<OrderByItemExpr>) -> Self {
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
    pub fn select(self, items: impl Items<SelectItemExpr>) -> Self {
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
pub fn update<E: Table>(sets: impl IntoIterator<Item = (Name, ValueTypeExpr)>) -> UpdateExpr {
    table(E::NAME).update(sets)
}

/// Keys or items of a clause: one, a tuple of several, or a list.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no `{I}`",
    label = "this stands in no such clause",
    note = "give one column or expression, or a tuple of them: `(o.city, o.name.desc())`"
)]
pub trait Items<I> {
    /// Them as a list.
    fn items(self) -> Vec<I>;
}

macro_rules! single {
    ($($item:ty: $($of:ty),*;)*) => {$($(
        impl Items<$item> for $of {
            fn items(self) -> Vec<$item> {
                vec![self.into()]
            }
        }
    )*)*};
}

single! {
    SelectItemExpr: SelectItemExpr, isogloss_compiler::expr::LogicExpr;
    OrderByItemExpr: OrderByItemExpr;
    ValueTypeExpr: ValueTypeExpr;
}

impl<I, T> Items<I> for Column<T>
where
    Self: Into<I>,
{
    fn items(self) -> Vec<I> {
        vec![self.into()]
    }
}

impl<I, T> Items<I> for Typed<T>
where
    Self: Into<I>,
{
    fn items(self) -> Vec<I> {
        vec![self.into()]
    }
}

impl<I, A: Into<I>> Items<I> for Vec<A> {
    fn items(self) -> Vec<I> {
        self.into_iter().map(Into::into).collect()
    }
}

impl<I, A: Into<I>, const N: usize> Items<I> for [A; N] {
    fn items(self) -> Vec<I> {
        self.into_iter().map(Into::into).collect()
    }
}

macro_rules! tuples {
    ($($($item:ident)*;)*) => {$(
        impl<I, $($item: Into<I>),*> Items<I> for ($($item,)*) {
            fn items(self) -> Vec<I> {
                #[allow(non_snake_case, reason = "a value of each type, named as the type")]
                let ($($item,)*) = self;
                vec![$($item.into()),*]
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
