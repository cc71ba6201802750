//! What a select list gives: its items with their types, and the type of its rows.

use std::fmt;
use std::marker::PhantomData;

use isogloss_compiler::expr::{
    CaseExpr, CastExpr, FunctionExpr, LogicExpr, Name, PropertyExpr, SelectItemExpr, ValueTypeExpr, WindowExpr, prop,
};

use super::{Aggregate, Column, Condition, Definition, Field, FromRow, Query, Selected, Table, Takes, Typed, Window};

/// The type of an item that is known only at run time, such as a property by its name. Rows with such items are read by
/// [`search_as`](crate::dao::ObjectViewDao::search_as), which says their type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Untyped {}

/// An item of a select list of a query over `S`, with the Rust type of its values.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no item of a select list",
    label = "this cannot be selected",
    note = "give a column or an expression, a tuple of them, or a struct: `Best {{ name: o.name, orders: count() }}`"
)]
pub trait SelectItem<S> {
    /// The type of its values; an `Option` where they may be NULL.
    type Of;

    /// Converts it into a node of the tree.
    fn select_item(self) -> SelectItemExpr;
}

/// The items of a select list of a query over `S`, with the type of the rows that they give: of one item its type, of a
/// tuple a tuple of theirs, of a struct in `query!` that struct.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no select list",
    label = "this cannot be selected",
    note = "give a column or an expression, a tuple of them, or a struct: `Best {{ name: o.name, orders: count() }}`"
)]
pub trait Selection<S> {
    /// The type of the rows.
    type Row;

    /// Converts it into nodes of the tree.
    fn selection(self) -> Vec<SelectItemExpr>;
}

macro_rules! items {
    ($([$($entity:ident)? $(, $generic:ident $(: $bound:path)?)*] $it:ty => $of:ty;)*) => {$(
        impl<S, $($entity)? $(, $generic $(: $bound)?)*> SelectItem<S> for $it
        where
            $(S: Takes<$entity>,)?
        {
            type Of = $of;

            fn select_item(self) -> SelectItemExpr {
                self.into()
            }
        }

        impl<S, $($entity)? $(, $generic $(: $bound)?)*> Selection<S> for $it
        where
            $(S: Takes<$entity>,)?
        {
            type Row = $of;

            fn selection(self) -> Vec<SelectItemExpr> {
                vec![self.into()]
            }
        }
    )*};
}

items! {
    [F, T] Column<F, T> => T;
    [F, T] Typed<F, T> => T;
    [F, T] Aggregate<F, T> => T;
    [F, T] Window<F, T> => T;
    [F] Condition<F> => Option<bool>;
    [F, T] Selected<F, T> => T;
    [] SelectItemExpr => Untyped;
    [] ValueTypeExpr => Untyped;
    [] PropertyExpr => Untyped;
    [] FunctionExpr => Untyped;
    [] CaseExpr => Untyped;
    [] CastExpr => Untyped;
    [] WindowExpr => Untyped;
    [] LogicExpr => Untyped;
    [] &'static str => Untyped;
}

/// A scalar subquery: NULL without a row.
impl<S, Q, T: Field> SelectItem<S> for Query<Q, T> {
    type Of = Option<T::Base>;

    fn select_item(self) -> SelectItemExpr {
        SelectItemExpr { value: self.into(), alias: None }
    }
}

impl<S, A: SelectItem<S>> Selection<S> for Vec<A> {
    type Row = Untyped;

    fn selection(self) -> Vec<SelectItemExpr> {
        self.into_iter().map(SelectItem::select_item).collect()
    }
}

impl<S, A: SelectItem<S>, const N: usize> Selection<S> for [A; N] {
    type Row = Untyped;

    fn selection(self) -> Vec<SelectItemExpr> {
        self.into_iter().map(SelectItem::select_item).collect()
    }
}

macro_rules! tuples {
    ($($($item:ident $_of:ident)*;)*) => {$(
        impl<S, $($item: SelectItem<S>),*> Selection<S> for ($($item,)*) {
            type Row = ($($item::Of,)*);

            fn selection(self) -> Vec<SelectItemExpr> {
                #[allow(non_snake_case, reason = "a value of each type, named as the type")]
                let ($($item,)*) = self;
                vec![$($item.select_item()),*]
            }
        }
    )*};
}

for_tuples!(tuples);

/// The fields of a struct in a select list, with columns of the entity `E`: `query!` and `expr!` make it of a struct literal.
pub struct Fields<E, R> {
    items: Vec<SelectItemExpr>,
    of: PhantomData<fn() -> (E, R)>,
}

impl<E, R> Clone for Fields<E, R> {
    fn clone(&self) -> Self {
        Self { items: self.items.clone(), of: PhantomData }
    }
}

impl<E, R> fmt::Debug for Fields<E, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(f)
    }
}

impl<E, R: FromRow> Fields<E, R> {
    /// The fields of `R`, whose types are checked already. Their columns have the names by which they are read, and the
    /// order of the struct, in which a query of whole entities has them: sets of rows match them by place.
    #[doc(hidden)]
    #[must_use]
    pub fn new(fields: Vec<(&'static str, SelectItemExpr)>, _: PhantomData<R>) -> Self {
        let placed = |(field, item): (&'static str, SelectItemExpr)| {
            let (place, name) = R::column_of(field).unwrap_or((usize::MAX, field));
            (place, name, SelectItemExpr { alias: Some(Name::from_static(name)), ..item })
        };
        let mut items: Vec<_> = fields.into_iter().map(placed).collect();
        items.sort_by_key(|(place, name, _)| (*place, *name));
        Self { items: items.into_iter().map(|(.., item)| item).collect(), of: PhantomData }
    }
}

/// Every column of an entity, read as the entity: see [`all`].
#[derive(Debug)]
pub struct All<E>(PhantomData<fn() -> E>);

/// Every column of an entity, for statements that return whole rows of it:
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/shop.rs"));
/// use isogloss::entity::all;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> OrmResult<()> {
/// # let session = filled().await?;
/// let orders = ObjectDao::<Order>::new(&session);
/// let deleted: Vec<Order> = orders.delete_returning(expr!(|o: Order| o.amount < 100), all()).await?;
/// assert_eq!(deleted[0].amount, 30.into());
/// # Ok(()) }
/// ```
#[must_use]
pub const fn all<E: Table>() -> All<E> {
    All(PhantomData)
}

impl<E: Table> Selection<E> for All<E> {
    type Row = E;

    fn selection(self) -> Vec<SelectItemExpr> {
        let item = |name: &Name| SelectItemExpr { value: prop(name.clone()).into(), alias: None };
        match E::definition() {
            Definition::Table(table) => table.listed().map(item).collect(),
            // A view is written as its entity.
            Definition::View(_) => Vec::new(),
        }
    }
}

impl<S: Takes<E>, E, R> Selection<S> for Fields<E, R> {
    type Row = R;

    fn selection(self) -> Vec<SelectItemExpr> {
        self.items
    }
}
