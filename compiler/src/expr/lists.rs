//! Lists: the right side of IN, rows to insert, keys of groups, and lists of different types.

use super::{LogicExpr, Name, SelectExpr, SqlSegment, Value, ValueSet, ValueTypeExpr};

/// The right side of an IN: a list of values, a row of expressions, or a subquery.
pub trait InList {
    /// Converts it into a node.
    fn into_list(self) -> ValueTypeExpr;
}

impl<T: Into<Value>> InList for Vec<T> {
    fn into_list(self) -> ValueTypeExpr {
        Value::List(self.into_iter().map(Into::into).collect()).into()
    }
}

impl<T: Into<Value>, const N: usize> InList for [T; N] {
    fn into_list(self) -> ValueTypeExpr {
        Value::List(self.into_iter().map(Into::into).collect()).into()
    }
}

impl<T: Clone + Into<Value>> InList for &[T] {
    fn into_list(self) -> ValueTypeExpr {
        Value::List(self.iter().cloned().map(Into::into).collect()).into()
    }
}

impl InList for SqlSegment {
    fn into_list(self) -> ValueTypeExpr {
        self.into()
    }
}

impl InList for SelectExpr {
    fn into_list(self) -> ValueTypeExpr {
        SqlSegment::from(self).into()
    }
}

/// Rows of two values and more, for a row on the left side.
macro_rules! row_lists {
    ($($($item:ident)*;)*) => {$(
        impl<$($item: Into<ValueTypeExpr>),*> InList for Vec<($($item,)*)> {
            fn into_list(self) -> ValueTypeExpr {
                #[allow(non_snake_case, reason = "a value of each type, named as the type")]
                super::row(self.into_iter().map(|($($item,)*)| super::row([$($item.into()),*]))).into()
            }
        }

        impl<$($item: Into<ValueTypeExpr>,)* const N: usize> InList for [($($item,)*); N] {
            fn into_list(self) -> ValueTypeExpr {
                #[allow(non_snake_case, reason = "a value of each type, named as the type")]
                super::row(self.into_iter().map(|($($item,)*)| super::row([$($item.into()),*]))).into()
            }
        }
    )*};
}

row_lists! {
    A B;
    A B C;
    A B C D;
}

impl InList for ValueSet {
    fn into_list(self) -> ValueTypeExpr {
        self.into()
    }
}

impl InList for ValueTypeExpr {
    fn into_list(self) -> ValueTypeExpr {
        self
    }
}

/// A row of `N` values: a tuple, or an array of [`Value`]s.
pub trait RowValues<const N: usize> {
    /// Appends the values to those of the rows before.
    fn push_to(self, values: &mut Vec<Value>);
}

impl<const N: usize> RowValues<N> for [Value; N] {
    fn push_to(self, values: &mut Vec<Value>) {
        values.extend(self);
    }
}

macro_rules! row_values {
    ($($count:literal $($item:ident)*;)*) => {$(
        impl<$($item: Into<Value>),*> RowValues<$count> for ($($item,)*) {
            fn push_to(self, values: &mut Vec<Value>) {
                #[allow(non_snake_case, reason = "a value of each type, named as the type")]
                let ($($item,)*) = self;
                values.extend([$($item.into()),*]);
            }
        }
    )*};
}

row_values! {
    1 A;
    2 A B;
    3 A B C;
    4 A B C D;
    5 A B C D E;
    6 A B C D E F;
    7 A B C D E F G;
    8 A B C D E F G H;
    9 A B C D E F G H I;
    10 A B C D E F G H I J;
    11 A B C D E F G H I J K;
    12 A B C D E F G H I J K L;
}

/// A key of GROUP BY, of a window's partition or of DISTINCT ON: a value, or a property by its name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct GroupKey(ValueTypeExpr);

impl From<&'static str> for GroupKey {
    /// A property by its name.
    fn from(name: &'static str) -> Self {
        Self(super::prop(Name::from_static(name)).into())
    }
}

impl From<LogicExpr> for GroupKey {
    fn from(node: LogicExpr) -> Self {
        Self(node.into())
    }
}

impl GroupKey {
    pub(super) fn of(value: impl Into<ValueTypeExpr>) -> Self {
        Self(value.into())
    }
}

/// The keys as values.
pub(super) fn group_keys<I: Into<GroupKey>>(keys: impl IntoIterator<Item = I>) -> Vec<ValueTypeExpr> {
    keys.into_iter().map(|key| key.into().0).collect()
}

/// A list of arguments or row items of different types, each of which is converted to a
/// [`ValueTypeExpr`](crate::expr::ValueTypeExpr): a plain value becomes a parameter. It may be empty.
///
/// ```
/// use isogloss_compiler::args;
/// use isogloss_compiler::expr::{func, prop, row, ValueOps};
/// let padded = func("PadLeft", args![prop("Code"), 8, "0"]);
/// let now = func("Now", args![]);
/// let pair = row(args![prop("City"), prop("Name").lower()]).in_list([("Rome", "ann"), ("Bonn", "bob")]);
/// # let _ = (padded, now, pair);
/// ```
#[macro_export]
macro_rules! args {
    ($($arg:expr),* $(,)?) => {
        ::std::vec::Vec::<$crate::expr::ValueTypeExpr>::from([$($crate::expr::ValueTypeExpr::from($arg)),*])
    };
}

/// A list of select items of different types, each of which is converted to a
/// [`SelectItemExpr`](crate::expr::SelectItemExpr): a text is the name of a property.
///
/// ```
/// use isogloss_compiler::items;
/// use isogloss_compiler::expr::{from, prop, ValueOps};
/// let list = from("User").select(items!["Id", prop("Name").upper().alias("name"), prop("Age").ge(18).alias("adult")]);
/// # let _ = list;
/// ```
#[macro_export]
macro_rules! items {
    ($($item:expr),* $(,)?) => {
        ::std::vec::Vec::<$crate::expr::SelectItemExpr>::from([$($crate::expr::SelectItemExpr::from($item)),*])
    };
}

#[cfg(test)]
mod tests {
    use crate::expr::{Expr, LogicExpr, Name, ValueOps, exists_related, from, prop, row, table};

    #[test]
    fn a_condition_that_is_absent_filters_nothing() {
        let none = None::<LogicExpr>;
        assert_eq!(from("A").filter(none.clone()).having(none.clone()), from("A"));
        assert_eq!(table("A").delete().filter(none.clone()).filter, None);
        let one = || prop("X").eq(1);
        assert_eq!(one().and(none.clone()).or(none.clone()), one());
        assert_eq!(from("A").filter(Some(one())), from("A").filter(one()));
        assert_eq!(
            from("A").filter(exists_related("B", None)),
            from("A").filter(Some(exists_related("B", None).into()))
        );
        let mut filter = none;
        filter &= exists_related("B", None);
        filter |= exists_related("C", None);
        assert_eq!(filter, Some(exists_related("B", None) | LogicExpr::from(exists_related("C", None))));
    }

    #[test]
    fn a_name_is_a_property_in_every_list() {
        let (name, key) = (Name::new("Id"), prop("Id"));
        let by_name = from("A").group_by(["Id"]).order_by(["Id"]).select(["Id"]);
        let by_run_time_name = from("A").group_by([name.clone()]).order_by([name.clone()]).select([name]);
        let by_node = from("A").group_by([key.clone()]).order_by([key.clone()]).select([key]);
        assert_eq!(Expr::from(by_name.clone()), Expr::from(by_run_time_name));
        assert_eq!(Expr::from(by_name), Expr::from(by_node));
    }

    #[test]
    fn rows_are_tuples() {
        let pair = || row([prop("A"), prop("B")]);
        assert_eq!(pair().in_list([(1, "x")]), pair().in_list(vec![(1, "x")]));
        assert_eq!(pair().in_list([(1, 2)]), pair().in_list(row([row([1, 2])])));
        assert_eq!(
            table("T").insert_rows(["A", "B"], [(1, "x"), (2, "y")]),
            table("T").insert_rows(["A", "B"], [[1.into(), "x".into()], [2.into(), "y".into()]])
        );
    }
}
