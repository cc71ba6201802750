//! Columns with the type of their field.

use std::fmt;
use std::marker::PhantomData;

use isogloss_compiler::expr::{
    GroupKey, OrderByItemExpr, PropertyExpr, SelectItemExpr, ValueOps, ValueTypeExpr, prop, prop_of,
};

/// A column of an entity whose field has the type `T`.
///
/// It can be compared with what such a column can hold, and nothing else.
pub struct Column<T> {
    alias: Option<&'static str>,
    name: &'static str,
    of: PhantomData<fn() -> T>,
}

impl<T> Column<T> {
    /// The column of that property, of the table that a name without an alias means.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { alias: None, name, of: PhantomData }
    }

    /// The same of the table with that alias, or of any if there is none.
    #[must_use]
    pub const fn of(self, alias: Option<&'static str>) -> Self {
        Self { alias, ..self }
    }

    /// The name of the property.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// The column as a node of the tree.
    #[must_use]
    pub fn prop(self) -> PropertyExpr {
        match self.alias {
            Some(alias) => prop_of(alias, self.name),
            None => prop(self.name),
        }
    }
}

impl<T> Clone for Column<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Column<T> {}

impl<T> fmt::Debug for Column<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Column").field(&self.name).finish()
    }
}

impl<T> From<Column<T>> for ValueTypeExpr {
    fn from(column: Column<T>) -> Self {
        column.prop().into()
    }
}

impl<T> From<Column<T>> for PropertyExpr {
    fn from(column: Column<T>) -> Self {
        column.prop()
    }
}

impl<T> From<Column<T>> for SelectItemExpr {
    fn from(column: Column<T>) -> Self {
        column.prop().into()
    }
}

impl<T> From<Column<T>> for GroupKey {
    fn from(column: Column<T>) -> Self {
        column.prop().into()
    }
}

impl<T> From<Column<T>> for OrderByItemExpr {
    fn from(column: Column<T>) -> Self {
        column.prop().asc()
    }
}
