//! Conditions with the type of their entity.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

use isogloss_compiler::StatementRef;
use isogloss_compiler::expr::{
    Expr, ForeignExpr, GenericSqlExpr, GroupKey, LogicExpr, Name, OrderByItemExpr, SelectItemExpr, Value, ValueExpr,
    ValueOps, ValueTypeExpr,
};
use isogloss_compiler::walk::ExprRef;
use serde::{Serialize, Serializer};

use super::{Aggregate, Beside, Both, Column, Field, Selected, Takes, Typed, Window};

/// A condition on the rows of `E`, an entity or a view. `expr!` and the methods of typed columns create it.
///
/// It converts into a [`LogicExpr`] by `into()`. Conditions are combined by `&`, `|` and `!`, also with conditions that
/// are known only at run time: a `LogicExpr`, an `Option`, a `bool`. Methods that read or write rows of another entity
/// do not accept it:
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/shop.rs"));
/// use isogloss::entity::Condition;
/// use isogloss::prelude::*;
/// # fn main() {
/// fn adults(least: Option<i32>) -> Condition<User> {
///     User::ACTIVE & least.map(|least| User::AGE.ge(least))
/// }
/// let mut filter = adults(Some(18));
/// filter &= prop("Name").ne("Bob");
/// assert_eq!(filter, prop("Active").is_true() & prop("Age").ge(18) & prop("Name").ne("Bob"));
/// # }
/// ```
///
/// ```compile_fail
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/shop.rs"));
/// # use isogloss::prelude::*;
/// # fn main() {
/// query!(|u: User| u.filter(Order::AMOUNT.gt(5))); // this is about columns of `Order`, but the rows are those of `User`
/// # }
/// ```
pub struct Condition<E> {
    logic: LogicExpr,
    of: PhantomData<fn() -> E>,
}

impl<E> Condition<E> {
    pub(super) const fn new(logic: LogicExpr) -> Self {
        Self { logic, of: PhantomData }
    }

    /// The condition as a node of the tree.
    #[must_use]
    pub const fn logic(&self) -> &LogicExpr {
        &self.logic
    }

    /// Converts the condition into a node of the tree.
    #[must_use]
    pub fn into_logic(self) -> LogicExpr {
        self.logic
    }

    /// Names the condition in a select list; it is neither true nor false where NULL keeps it from being known.
    #[must_use]
    pub fn alias(self, alias: impl Into<Name>) -> Selected<E, Option<bool>> {
        Selected::new(self.logic.alias(alias))
    }

    /// The condition as one on the rows of a view of the entity.
    #[must_use]
    pub fn for_view<V: Takes<E>>(self) -> Condition<V> {
        Condition::new(self.logic)
    }

    /// Both conditions; `None` leaves one out.
    #[must_use]
    pub fn and<R: Predicate>(self, right: R) -> Condition<Both<E, R::Entity>>
    where
        E: Beside<R::Entity>,
    {
        Condition::new(self.logic & right.given())
    }

    /// One of both conditions; `None` leaves one out.
    #[must_use]
    pub fn or<R: Predicate>(self, right: R) -> Condition<Both<E, R::Entity>>
    where
        E: Beside<R::Entity>,
    {
        Condition::new(self.logic | right.given())
    }

    /// All of the given conditions; true if there are none.
    pub fn all<C: Predicate>(items: impl IntoIterator<Item = C>) -> Self
    where
        E: Takes<C::Entity>,
    {
        Self::new(LogicExpr::all(items.into_iter().map(Predicate::given)))
    }

    /// One of the given conditions; `None` if there are none.
    pub fn any_given<C: Predicate>(items: impl IntoIterator<Item = C>) -> Option<Self>
    where
        E: Takes<C::Entity>,
    {
        LogicExpr::any_given(items.into_iter().map(Predicate::given)).map(Self::new)
    }
}

/// A type that can be used as a condition: a predicate, an optional one, a boolean column, or a `bool` of the program.
///
/// A boolean column that is NULL is neither true nor false: such rows match neither the column nor its `!`. Use
/// `unwrap_or(false)` to decide otherwise.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no condition",
    label = "a condition is due here",
    note = "compare it: `o.amount > 100`; or give a `bool`, a `Condition`, a `LogicExpr`, an `Option` of one"
)]
pub trait Predicate {
    /// The entity of the condition; `()` for one without columns, and for trees that are known only at run time.
    type Entity;

    /// Converts it into a predicate; `None` is no condition.
    fn given(self) -> Option<LogicExpr>;
}

/// A boolean type.
#[diagnostic::on_unimplemented(
    message = "a column of `{Self}` is no condition",
    label = "a condition is due here",
    note = "compare it: `o.amount > 100`"
)]
pub trait Truth: Field {}

impl Truth for bool {}

macro_rules! predicates {
    ($([$($generic:ident)?] $of:ty: $entity:ty, |$it:ident| $given:expr;)*) => {$(
        impl$(<$generic>)? Predicate for $of {
            type Entity = $entity;

            fn given(self) -> Option<LogicExpr> {
                let $it = self;
                $given
            }
        }
    )*};
}

predicates! {
    [E] Condition<E>: E, |it| Some(it.logic);
    [E] Option<Condition<E>>: E, |it| it.map(|it| it.logic);
    [E] &Condition<E>: E, |it| Some(it.logic.clone());
    [E] &Option<Condition<E>>: E, |it| it.as_ref().map(|it| it.logic.clone());
    [] LogicExpr: (), |it| Some(it);
    [] Option<LogicExpr>: (), |it| it;
    [] &LogicExpr: (), |it| Some(it.clone());
    [] &Option<LogicExpr>: (), |it| it.clone();
    [] ForeignExpr: (), |it| Some(it.into());
    [] GenericSqlExpr: (), |it| Some(it.into());
    [] bool: (), |it| Some(known(it));
}

impl<E, T: Field<Base: Truth>> Predicate for Column<E, T> {
    type Entity = E;

    fn given(self) -> Option<LogicExpr> {
        Some(ValueTypeExpr::from(self).is_true())
    }
}

macro_rules! values {
    ($($of:ident)*) => {$(
        impl<E, T: Field<Base: Truth>> Predicate for $of<E, T> {
            type Entity = E;

            fn given(self) -> Option<LogicExpr> {
                Some(ValueTypeExpr::from(self).is_true())
            }
        }
    )*};
}

values!(Aggregate Window);

impl<E, T: Field<Base: Truth>> Predicate for Typed<E, T> {
    type Entity = E;

    fn given(self) -> Option<LogicExpr> {
        Some(match ValueTypeExpr::from(self) {
            ValueTypeExpr::Truth(logic) => logic.into_inner(),
            ValueTypeExpr::Value(ValueExpr { value: Value::Bool(is), .. }) => known(is),
            node => node.is_true(),
        })
    }
}

/// What is always so, or never.
pub(super) fn known(is: bool) -> LogicExpr {
    if is { LogicExpr::default() } else { LogicExpr::any([] as [LogicExpr; 0]) }
}

// On the left side: a condition, a column of truth values, a tree.
macro_rules! operators {
    ($($trait:ident $method:ident $assign:ident $assign_method:ident $op:tt;)*) => {$(
        impl<E: Beside<R::Entity>, R: Predicate> $trait<R> for Condition<E> {
            type Output = Condition<E::Both>;

            fn $method(self, right: R) -> Self::Output {
                Condition::new(self.logic $op right.given())
            }
        }

        impl<E: Takes<R::Entity>, R: Predicate> $assign<R> for Condition<E> {
            fn $assign_method(&mut self, right: R) {
                self.logic = std::mem::take(&mut self.logic) $op right.given();
            }
        }

        operators!(of a column: $trait $method $op, Column Typed Aggregate Window);

        impl<E: Beside<F>, F> $trait<Condition<F>> for Option<Condition<E>> {
            type Output = Condition<E::Both>;

            fn $method(self, right: Condition<F>) -> Self::Output {
                Condition::new(self.map(|left| left.logic) $op right.logic)
            }
        }

        impl<E: Takes<F>, F> $assign<Condition<F>> for Option<Condition<E>> {
            fn $assign_method(&mut self, right: Condition<F>) {
                *self = Some(Condition::new(self.take().map(|left| left.logic) $op right.logic));
            }
        }

        impl<E> $assign<Condition<E>> for LogicExpr {
            fn $assign_method(&mut self, right: Condition<E>) {
                *self = std::mem::take(self) $op right.logic;
            }
        }

        impl<E> $assign<Condition<E>> for Option<LogicExpr> {
            fn $assign_method(&mut self, right: Condition<E>) {
                *self = Some(self.take() $op right.logic);
            }
        }

        operators!(of a tree: $trait $method $op, LogicExpr ForeignExpr GenericSqlExpr);
    )*};
    (of a column: $trait:ident $method:ident $op:tt, $($of:ident)*) => {$(
        impl<E: Beside<R::Entity>, T: Field<Base: Truth>, R: Predicate> $trait<R> for $of<E, T> {
            type Output = Condition<E::Both>;

            fn $method(self, right: R) -> Self::Output {
                Condition::<E>::from(self) $op right
            }
        }
    )*};
    (of a tree: $trait:ident $method:ident $op:tt, $($of:ident)*) => {$(
        impl<E> $trait<Condition<E>> for $of {
            type Output = Condition<E>;

            fn $method(self, right: Condition<E>) -> Condition<E> {
                Condition::new(LogicExpr::from(self) $op right.logic)
            }
        }
    )*};
}

operators! {
    BitAnd bitand BitAndAssign bitand_assign &;
    BitOr bitor BitOrAssign bitor_assign |;
}

impl<E> Not for Condition<E> {
    type Output = Self;

    fn not(self) -> Self {
        Self::new(!self.logic)
    }
}

macro_rules! truths {
    ($($of:ident)*) => {$(
        impl<E, T: Field<Base: Truth>> Not for $of<E, T> {
            type Output = Condition<E>;

            fn not(self) -> Condition<E> {
                !Condition::from(self)
            }
        }

        impl<E, T: Field<Base: Truth>> From<$of<E, T>> for Condition<E> {
            fn from(value: $of<E, T>) -> Self {
                Self::new(value.given().unwrap_or_default())
            }
        }

        impl<E, T: Field<Base: Truth>> From<$of<E, T>> for LogicExpr {
            fn from(value: $of<E, T>) -> Self {
                value.given().unwrap_or_default()
            }
        }

        impl<E, T: Field<Base: Truth>> From<$of<E, T>> for Option<LogicExpr> {
            fn from(value: $of<E, T>) -> Self {
                value.given()
            }
        }
    )*};
}

truths!(Column Typed Aggregate Window);

macro_rules! becomes {
    ($($to:ty),*) => {$(
        impl<E> From<Condition<E>> for $to {
            fn from(condition: Condition<E>) -> Self {
                condition.logic.into()
            }
        }
    )*};
}

becomes!(LogicExpr, Option<LogicExpr>, ValueTypeExpr, Expr, SelectItemExpr, GroupKey);

impl<E> From<Condition<E>> for OrderByItemExpr {
    fn from(condition: Condition<E>) -> Self {
        ValueTypeExpr::from(condition).asc()
    }
}

/// A tree that is known to be a condition of the entity.
impl<E> From<LogicExpr> for Condition<E> {
    fn from(logic: LogicExpr) -> Self {
        Self::new(logic)
    }
}

impl<'e, E> From<&'e Condition<E>> for ExprRef<'e> {
    fn from(condition: &'e Condition<E>) -> Self {
        (&condition.logic).into()
    }
}

impl<'e, E> From<&'e Condition<E>> for StatementRef<'e> {
    fn from(condition: &'e Condition<E>) -> Self {
        (&condition.logic).into()
    }
}

impl<E> Default for Condition<E> {
    /// What is always so. Onto it conditions are ANDed.
    fn default() -> Self {
        Self::new(LogicExpr::default())
    }
}

impl<E> Clone for Condition<E> {
    fn clone(&self) -> Self {
        Self::new(self.logic.clone())
    }
}

impl<E> fmt::Debug for Condition<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.logic, f)
    }
}

/// What it asks, as a text like SQL in no dialect: `Age >= 18`.
impl<E> fmt::Display for Condition<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.logic, f)
    }
}

impl<E> PartialEq for Condition<E> {
    fn eq(&self, other: &Self) -> bool {
        self.logic == other.logic
    }
}

impl<E> Eq for Condition<E> {}

impl<E> PartialEq<LogicExpr> for Condition<E> {
    fn eq(&self, other: &LogicExpr) -> bool {
        self.logic == *other
    }
}

impl<E> PartialEq<Condition<E>> for LogicExpr {
    fn eq(&self, other: &Condition<E>) -> bool {
        *self == other.logic
    }
}

impl<E> Hash for Condition<E> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.logic.hash(state);
    }
}

impl<E> Serialize for Condition<E> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.logic.serialize(serializer)
    }
}
