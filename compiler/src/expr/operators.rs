//! Rust's operators on nodes: `+ - * / %`, unary `-` and `!` on values; `&`, `|` and `!` on predicates.

use std::ops::{Add, BitAnd, BitAndAssign, BitOr, BitOrAssign, Div, Mul, Neg, Not, Rem, Sub};

use super::{
    AndExpr, CaseExpr, CastExpr, FunctionExpr, LogicExpr, NotExpr, OrExpr, PropertyExpr, UnaryExpr, UnaryOperator,
    ValueBinaryExpr, ValueExpr, ValueOperator, ValueSet, ValueTypeExpr, WindowExpr,
};

macro_rules! arithmetic {
    ($node:ty: $($trait:ident $method:ident $operator:ident),*) => {$(
        impl<R: Into<ValueTypeExpr>> $trait<R> for $node {
            type Output = ValueTypeExpr;

            fn $method(self, right: R) -> ValueTypeExpr {
                ValueBinaryExpr { left: self.into(), operator: ValueOperator::$operator, right: right.into() }.into()
            }
        }
    )*};
}

macro_rules! value_operators {
    ($($node:ty),*) => {$(
        arithmetic!($node: Add add Add, Sub sub Subtract, Mul mul Multiply, Div div Divide, Rem rem Modulo);

        impl Neg for $node {
            type Output = ValueTypeExpr;

            fn neg(self) -> ValueTypeExpr {
                UnaryExpr { operator: UnaryOperator::Negative, operand: self.into() }.into()
            }
        }

        /// Bitwise not.
        impl Not for $node {
            type Output = ValueTypeExpr;

            fn not(self) -> ValueTypeExpr {
                UnaryExpr { operator: UnaryOperator::BitwiseNot, operand: self.into() }.into()
            }
        }
    )*};
}

value_operators!(
    ValueTypeExpr,
    PropertyExpr,
    ValueExpr,
    UnaryExpr,
    ValueBinaryExpr,
    FunctionExpr,
    ValueSet,
    CaseExpr,
    CastExpr,
    WindowExpr
);

/// What a predicate may be accumulated onto: another one, or nothing yet.
///
/// `&` and `|` take either side as an `Option`; `None` gives the other side. Conditions that are ANDed, some of them
/// perhaps absent, are best begun with [`LogicExpr::default`], which is true:
///
/// ```
/// use isogloss_compiler::expr::{from, prop, LogicExpr, ValueOps};
/// # let (name, least_age) = (Some("R&D"), Some(18));
/// let mut filter = LogicExpr::default();
/// filter &= name.map(|name| prop("Name").starts_with(name));
/// filter &= least_age.map(|age| prop("Age").ge(age));
/// let users = from("User").filter(filter);
/// # let _ = users;
/// ```
///
/// Alternatives are best begun with `None`, since what is true stays true whatever is ORed to it:
///
/// ```
/// use isogloss_compiler::expr::{from, prop, LogicExpr, ValueOps};
/// let mut either: Option<LogicExpr> = None;
/// for word in ["ann", "bob"] {
///     either |= prop("Name").icontains(word);
/// }
/// assert_eq!(either, Some(prop("Name").icontains("ann") | prop("Name").icontains("bob")));
/// let users = from("User").filter(either);
/// # let _ = users;
/// ```
///
/// Rust does not let two `Option`s have these operators: there are [`LogicExpr::all`] and [`LogicExpr::any_given`].
/// `Option`'s own methods `and` and `or` choose one of two and combine nothing.
impl BitAnd for LogicExpr {
    type Output = LogicExpr;

    fn bitand(self, right: LogicExpr) -> LogicExpr {
        match self {
            LogicExpr::And(mut and) => {
                match right {
                    LogicExpr::And(more) => and.items.extend(more.into_items()),
                    other => and.items.push(other),
                }
                LogicExpr::And(and)
            }
            left => LogicExpr::And(match right {
                LogicExpr::And(mut and) => {
                    and.items.insert(0, left);
                    and
                }
                right => AndExpr { items: vec![left, right] },
            }),
        }
    }
}

impl BitOr for LogicExpr {
    type Output = LogicExpr;

    fn bitor(self, right: LogicExpr) -> LogicExpr {
        match self {
            LogicExpr::Or(mut or) => {
                match right {
                    LogicExpr::Or(more) => or.items.extend(more.into_items()),
                    other => or.items.push(other),
                }
                LogicExpr::Or(or)
            }
            left => LogicExpr::Or(match right {
                LogicExpr::Or(mut or) => {
                    or.items.insert(0, left);
                    or
                }
                right => OrExpr { items: vec![left, right] },
            }),
        }
    }
}

macro_rules! optional_operator {
    ($($trait:ident $method:ident $assign:ident $assign_method:ident $op:tt;)*) => {$(
        impl $trait<Option<LogicExpr>> for LogicExpr {
            type Output = LogicExpr;

            fn $method(self, right: Option<LogicExpr>) -> LogicExpr {
                match right {
                    Some(right) => self $op right,
                    None => self,
                }
            }
        }

        impl $trait<LogicExpr> for Option<LogicExpr> {
            type Output = LogicExpr;

            fn $method(self, right: LogicExpr) -> LogicExpr {
                match self {
                    Some(left) => left $op right,
                    None => right,
                }
            }
        }

        impl $assign<LogicExpr> for Option<LogicExpr> {
            fn $assign_method(&mut self, right: LogicExpr) {
                *self = Some(self.take() $op right);
            }
        }

        impl $assign<Option<LogicExpr>> for LogicExpr {
            fn $assign_method(&mut self, right: Option<LogicExpr>) {
                if let Some(right) = right {
                    *self = std::mem::take(self) $op right;
                }
            }
        }

        impl $assign for LogicExpr {
            fn $assign_method(&mut self, right: LogicExpr) {
                *self = std::mem::take(self) $op right;
            }
        }
    )*};
}

optional_operator! {
    BitAnd bitand BitAndAssign bitand_assign &;
    BitOr bitor BitOrAssign bitor_assign |;
}

impl Not for LogicExpr {
    type Output = LogicExpr;

    fn not(self) -> LogicExpr {
        LogicExpr::Not(NotExpr { operand: self }.into())
    }
}
