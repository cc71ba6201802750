//! UPDATE and INSERT with typed columns.

use std::fmt;
use std::marker::PhantomData;

use isogloss_compiler::StatementRef;
use isogloss_compiler::expr::{Expr, InsertExpr, Name, UpdateExpr, ValueTypeExpr, table};

use super::{Column, Field, Predicate, Property, Query, Table, Takes};

/// Builds an UPDATE of an entity's rows, whose condition is given next.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/shop.rs"));
/// use isogloss::entity::update;
/// use isogloss::expr::Expr;
/// use isogloss::prelude::*;
/// use isogloss::{Compiler, SQLITE};
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

/// An UPDATE of rows of the entity `E`, built by [`update`].
pub struct Update<E> {
    statement: UpdateExpr,
    of: PhantomData<fn() -> E>,
}

impl<E> Update<E> {
    /// Updates only the rows that satisfy a condition. Several are combined by AND, and `None` is no condition. Without
    /// any condition the statement is refused, unless [`all_rows`](Self::all_rows) is called.
    #[must_use]
    pub fn filter<C: Predicate>(self, condition: C) -> Self
    where
        E: Takes<C::Entity>,
    {
        Self { statement: self.statement.filter(condition.given()), ..self }
    }

    /// Updates every row.
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

/// Columns of `E` that are written: one, or a tuple of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are no columns of `{E}`",
    label = "columns of `{E}` are due here",
    note = "give one, or a tuple of several: `({E}::ID, {E}::NAME)`"
)]
pub trait Columns<E> {
    /// The types of their values: of one its type, of a tuple a tuple of theirs.
    type Values;

    /// The names of their properties.
    fn names(&self) -> Vec<&'static str>;
}

impl<E, T> Columns<E> for Column<E, T> {
    type Values = T;

    fn names(&self) -> Vec<&'static str> {
        vec![self.name()]
    }
}

impl<E, T, const N: usize> Columns<E> for [Column<E, T>; N] {
    type Values = [T; N];

    fn names(&self) -> Vec<&'static str> {
        self.iter().map(|column| column.name()).collect()
    }
}

/// A type of values that a column of `T` takes: `T` itself, and one that is never NULL for a column that may be.
#[diagnostic::on_unimplemented(
    message = "a value of `{Self}` does not go into a column of `{T}`",
    label = "this may be NULL, or is of another type",
    note = "for another value instead of NULL there is `.unwrap_or(x)`, for another type `.cast::<{T}>()`"
)]
pub trait Fits<T> {}

impl<T: Field> Fits<T> for T {}

impl<T: Field<Base = T>> Fits<Option<T>> for T {}

macro_rules! tuples {
    ($($($item:ident $of:ident)*;)*) => {$(
        impl<S, $($item),*> Columns<S> for ($(Column<S, $item>,)*) {
            type Values = ($($item,)*);

            fn names(&self) -> Vec<&'static str> {
                #[allow(non_snake_case, reason = "a value of each type, named as the type")]
                let ($($item,)*) = self;
                vec![$($item.name()),*]
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$($item: Fits<$of>, $of),*> Fits<($($of,)*)> for ($($item,)*) {}
    )*};
}

for_tuples!(tuples);

/// Builds an INSERT of the rows of a query into columns of `E`, whose types the query's rows have, in that order.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/shop.rs"));
/// use isogloss::entity::{Insert, insert};
/// use isogloss::expr::Expr;
/// use isogloss::prelude::*;
/// use isogloss::{Compiler, SQLITE};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let teams = query!(|u: User| u.filter(u.active).select((u.id + 1000, u.name, u.dept_id)));
/// let copy: Insert<Department> = insert((Department::ID, Department::NAME, Department::PARENT_ID), teams);
/// # #[cfg(feature = "sqlite")]
/// assert_eq!(
///     Compiler::new(catalog()?).compile(&Expr::from(copy), &SQLITE)?.sql,
///     r#"INSERT INTO "Departments" ("Id", "Name", "ParentId") SELECT "T1"."Id" + ?, "T1"."Name", "T1"."DeptId" FROM "Users" "T1" WHERE "T1"."Active" = 1"#
/// );
/// # Ok(()) }
/// ```
#[must_use]
pub fn insert<E: Table, C: Columns<E>, S, R: Fits<C::Values>>(columns: C, query: Query<S, R>) -> Insert<E> {
    let names = columns.names().into_iter().map(Name::from_static);
    Insert { statement: table(E::NAME).insert_query(names, query.into_segment()), of: PhantomData }
}

/// An INSERT of the rows of a query, built by [`insert`].
pub struct Insert<E> {
    statement: InsertExpr,
    of: PhantomData<fn() -> E>,
}

impl<E> Clone for Insert<E> {
    fn clone(&self) -> Self {
        Self { statement: self.statement.clone(), of: PhantomData }
    }
}

impl<E> fmt::Debug for Insert<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.statement.fmt(f)
    }
}

impl<E> From<Insert<E>> for InsertExpr {
    fn from(insert: Insert<E>) -> Self {
        insert.statement
    }
}

impl<E> From<Insert<E>> for Expr {
    fn from(insert: Insert<E>) -> Self {
        insert.statement.into()
    }
}
