//! Columns with the Rust type of their field.

use std::fmt;
use std::marker::PhantomData;

use isogloss_compiler::expr::{
    ColumnName, GroupKey, Name, OrderByItemExpr, PropertyExpr, SelectItemExpr, ValueOps, ValueTypeExpr, prop, prop_of,
};

/// A column of the entity `E` whose field has the type `T`.
///
/// It can only be compared with values that such a column can hold, and only be used in conditions on `E`. A tree without
/// types remembers the entity: compiling refuses the column on rows of another one that has a property of that name.
pub struct Column<E, T> {
    alias: Option<&'static str>,
    name: Named,
    of: PhantomData<fn() -> (E, T)>,
}

/// The property of a column.
#[derive(Clone, Copy)]
enum Named {
    /// Of an entity's rows.
    Column(&'static ColumnName),
    /// Of the rows of a query.
    Item(&'static str),
}

impl<E, T> Column<E, T> {
    /// The column of a property. Without an alias, a name refers to the innermost table.
    #[must_use]
    pub const fn new(name: &'static ColumnName) -> Self {
        Self { alias: None, name: Named::Column(name), of: PhantomData }
    }

    /// The column of a query's rows.
    pub(super) const fn item(alias: &'static str, name: &'static str) -> Self {
        Self { alias: Some(alias), name: Named::Item(name), of: PhantomData }
    }

    /// The column of the table with this alias; `None` is any table.
    #[must_use]
    pub const fn of(self, alias: Option<&'static str>) -> Self {
        Self { alias, ..self }
    }

    /// The column of the table with this alias in the statement, for a condition on any entity. Use it for joins and
    /// EXISTS that are built by functions.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/shop.rs"));
    /// use isogloss::expr::exists;
    /// use isogloss::prelude::*;
    /// # fn main() {
    /// let of_user = Order::USER_ID.eq(User::ID.aliased("T0"));
    /// assert_eq!(exists("Order", of_user), exists("Order", prop("UserId").eq(prop_of("T0", "Id"))));
    /// # }
    /// ```
    #[must_use]
    pub const fn aliased(self, alias: &'static str) -> Column<(), T> {
        self.within(Some(alias))
    }

    /// The same of that alias, in conditions of `S`.
    pub(super) const fn within<S>(self, alias: Option<&'static str>) -> Column<S, T> {
        Column { alias, name: self.name, of: PhantomData }
    }

    /// Returns this column with another type for its values.
    pub(super) const fn retyped<U>(self) -> Column<E, U> {
        Column { alias: self.alias, name: self.name, of: PhantomData }
    }

    /// The name of the property.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.name {
            Named::Column(column) => column.name,
            Named::Item(name) => name,
        }
    }

    /// The column as a node of the tree.
    #[must_use]
    pub fn prop(self) -> PropertyExpr {
        match self.alias {
            Some(alias) => prop_of(Name::from_static(alias), self.node_name()),
            None => prop(self.node_name()),
        }
    }

    /// The name of the property, which remembers the entity.
    pub(super) const fn node_name(self) -> Name {
        match self.name {
            Named::Column(column) => Name::of_column(column),
            Named::Item(name) => Name::from_static(name),
        }
    }
}

impl<E, T> Clone for Column<E, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E, T> Copy for Column<E, T> {}

impl<E, T> fmt::Debug for Column<E, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Column").field(&self.name()).finish()
    }
}

macro_rules! becomes {
    ($($to:ty),*) => {$(
        impl<E, T> From<Column<E, T>> for $to {
            fn from(column: Column<E, T>) -> Self {
                column.prop().into()
            }
        }
    )*};
}

becomes!(ValueTypeExpr, PropertyExpr, SelectItemExpr, GroupKey, isogloss_compiler::expr::Expr);

impl<E, T> From<Column<E, T>> for OrderByItemExpr {
    fn from(column: Column<E, T>) -> Self {
        column.prop().asc()
    }
}
