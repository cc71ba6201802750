//! Arithmetic and other methods of numbers.

use std::ops::{Add, Div, Mul, Neg, Rem, Sub};

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, Utc};
use isogloss_compiler::expr::{
    Decimal, UnaryExpr, UnaryOperator, ValueBinaryExpr, ValueOperator, ValueOps, ValueTypeExpr, func,
};

use super::operand::{Admits, Arithmetic, Comparison, Exact};
use super::{Aggregate, Beside, Both, Column, Difference, Field, NullWith, Operand, Typed, Window};

/// A number type.
#[diagnostic::on_unimplemented(message = "`{Self}` is no number", label = "this is said of numbers only")]
pub trait Number: Field {
    /// The type of a sum of such values.
    type Sum: Field;

    /// The type of an average of such values.
    type Average: Field;
}

/// A type with the operator `+`: numbers, and texts, which are concatenated.
#[diagnostic::on_unimplemented(
    message = "`+` adds no values of `{Self}`",
    label = "numbers are added, texts are joined",
    note = "for a date there are `add_days(n)`, `add_months(n)` and their like"
)]
pub trait Plus: Field {
    /// The operator in the tree.
    const OPERATOR: ValueOperator;
}

/// A type with the operator `-`: numbers, and dates, which have a [`Difference`].
#[diagnostic::on_unimplemented(
    message = "`-` subtracts no values of `{Self}`",
    label = "numbers are subtracted, and dates",
    note = "for fewer days there is `add_days(-n)`"
)]
pub trait Minus: Field {
    /// The result of the subtraction of columns of the entity `E`: for numbers a value of the type `T`, for dates one that
    /// may be NULL if `T` may.
    type Output<E, T>;

    /// Subtracts `right` from `left`.
    fn minus<E, T>(left: ValueTypeExpr, right: ValueTypeExpr) -> Self::Output<E, T>;
}

/// A type that arithmetic can be done with beside a value of type `B`: a number beside another number.
///
/// Whole numbers and decimals are exact. Floats can be combined with floats, and with whole numbers that they represent
/// exactly. Beside a decimal or a 64-bit number, cast one of both: `o.weight as Decimal`.
#[diagnostic::on_unimplemented(
    message = "a column of `{Self}` and one of `{B}` are not reckoned with each other",
    label = "no arithmetic between `{Self}` and `{B}`",
    note = "numbers are reckoned with numbers, texts are joined with texts; where a float stands beside a decimal or a number of 64 bits, cast one of both: `o.weight as Decimal`"
)]
pub trait Mixed<B>: Field {
    /// The type of the result: the wider of both.
    type Output: Field;
}

/// The result of arithmetic on a column of `T` and one of `U`; nullable if one of them is.
pub type Mix<T, U> = NullWith<NullWith<<<T as Field>::Base as Mixed<<U as Field>::Base>>::Output, U>, T>;

/// A result that may be NULL whatever it is computed of: of a division by 0, of a root of less than 0.
pub type Perhaps<T> = Option<<T as Field>::Base>;

/// A whole number, which has bits.
#[diagnostic::on_unimplemented(message = "`{Self}` is no whole number", label = "whole numbers have bits")]
pub trait Whole: Number {}

macro_rules! wholes {
    ($($of:ty)*) => {$(
        impl Whole for $of {}
    )*};
}

wholes! { i8 i16 i32 i64 u8 u16 u32 u64 }

macro_rules! functions {
    ($($(#[$doc:meta])* $method:ident $function:literal -> $result:ty;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $method(self) -> Typed<E, $result> {
            Typed::new(func($function, [ValueTypeExpr::from(self)]))
        }
    )*};
}

macro_rules! bits {
    ($($(#[$doc:meta])* $method:ident $function:literal;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $method<R: Operand<T::Base, Exact>>(self, other: R) -> Typed<Both<E, R::Entity>, NullWith<T, R::Of>>
        where
            E: Beside<R::Entity>,
        {
            Typed::new(func($function, [self.into(), other.operand()]))
        }
    )*};
}

macro_rules! numbers {
    ($($of:ty: $sum:ty, $average:ty;)*) => {$(
        impl Number for $of {
            type Sum = $sum;
            type Average = $average;
        }

        impl Plus for $of {
            const OPERATOR: ValueOperator = ValueOperator::Add;
        }

        impl Minus for $of {
            type Output<E, T> = Typed<E, T>;

            fn minus<E, T>(left: ValueTypeExpr, right: ValueTypeExpr) -> Typed<E, T> {
                binary(left, ValueOperator::Subtract, right)
            }
        }
    )*};
}

numbers! {
    i8: i64, Decimal;
    i16: i64, Decimal;
    i32: i64, Decimal;
    i64: Decimal, Decimal;
    u8: i64, Decimal;
    u16: i64, Decimal;
    u32: i64, Decimal;
    u64: Decimal, Decimal;
    f32: f64, f64;
    f64: f64, f64;
    Decimal: Decimal, Decimal;
}

// Each type with those that are narrower, and with the one of its width that has another sign: of those the left one's.
macro_rules! mixed {
    ($($of:ty: [$($narrow:ty)*] [$($peer:ty)*];)*) => {$(
        mixed!(one $of, $of);
        $(mixed!(both $of, $narrow);)*
        $(mixed!(one $of, $peer);)*
        $(mixed!(compared $of, $peer);)*
    )*};
    (both $wide:ty, $narrow:ty) => {
        mixed!(one $wide, $narrow);
        mixed!(compared $wide, $narrow);
        mixed!(compared $narrow, $wide);

        impl Mixed<$wide> for $narrow {
            type Output = $wide;
        }
    };
    (one $of:ty, $with:ty) => {
        impl Mixed<$with> for $of {
            type Output = $of;
        }
    };
    (compared $of:ty, $with:ty) => {
        impl Admits<$with, $of> for Comparison {}
    };
}

// As the compiler has it: the wider type of both.
mixed! {
    i8: [] [u8];
    u8: [] [i8];
    i16: [i8 u8] [u16];
    u16: [i8 u8] [i16];
    i32: [i8 u8 i16 u16] [u32];
    u32: [i8 u8 i16 u16] [i32];
    i64: [i8 u8 i16 u16 i32 u32] [];
    u64: [i8 u8 i16 u16 i32 u32 i64] [];
    Decimal: [i8 u8 i16 u16 i32 u32 i64 u64] [];
    f32: [i8 u8 i16 u16] [];
    f64: [i8 u8 i16 u16 i32 u32 f32] [];
    String: [] [];
    NaiveDateTime: [NaiveDate] [];
    NaiveDate: [] [];
    DateTime<FixedOffset>: [] [DateTime<Utc>];
    DateTime<Utc>: [] [DateTime<FixedOffset>];
}

impl Plus for String {
    const OPERATOR: ValueOperator = ValueOperator::Concat;
}

pub(super) fn binary<E, T>(left: ValueTypeExpr, operator: ValueOperator, right: ValueTypeExpr) -> Typed<E, T> {
    Typed::new(ValueTypeExpr::from(ValueBinaryExpr { left, operator, right }))
}

macro_rules! operators {
    ($of:ident: $($trait:ident $method:ident $bound:ident $output:ty, |$left:ident, $right:ident| $make:expr;)*) => {$(
        impl<E, T: Field, R: Operand<T::Base, Arithmetic>> $trait<R> for $of<E, T>
        where
            E: Beside<R::Entity>,
            T::Base: $bound + Mixed<<R::Of as Field>::Base>,
        {
            type Output = $output;

            fn $method(self, right: R) -> Self::Output {
                let ($left, $right) = (self.into(), right.operand());
                $make
            }
        }
    )*};
}

macro_rules! methods {
    ($($of:ident)*) => {$(
        operators! { $of:
            Add add Plus Typed<Both<E, R::Entity>, Mix<T, R::Of>>,
                |left, right| binary(left, <T::Base as Plus>::OPERATOR, right);
            Sub sub Minus <T::Base as Minus>::Output<Both<E, R::Entity>, Mix<T, R::Of>>,
                |left, right| <T::Base as Minus>::minus(left, right);
            Mul mul Number Typed<Both<E, R::Entity>, Mix<T, R::Of>>,
                |left, right| binary(left, ValueOperator::Multiply, right);
            Div div Number Typed<Both<E, R::Entity>, Perhaps<Mix<T, R::Of>>>,
                |left, right| binary(left, ValueOperator::Divide, right);
            Rem rem Number Typed<Both<E, R::Entity>, Perhaps<Mix<T, R::Of>>>,
                |left, right| binary(left, ValueOperator::Modulo, right);
        }

        impl<E, T: Field> $of<E, T>
        where
            T::Base: Number,
        {
            functions! {
                /// The sign: -1, 0 or 1.
                signum "Sign" -> T::Like<i32>;
                /// The square root; NULL for a negative number.
                sqrt "Sqrt" -> Option<f64>;
                /// The number e to that power.
                exp "Exp" -> T::Like<f64>;
                /// The natural logarithm; NULL of zero and less.
                ln "Log" -> Option<f64>;
                /// The logarithm to base 10; NULL of zero and less.
                log10 "Log10" -> Option<f64>;
                /// The logarithm to base 2; NULL of zero and less.
                log2 "Log2" -> Option<f64>;
                /// The sine of radians.
                sin "Sin" -> T::Like<f64>;
                /// The cosine of radians.
                cos "Cos" -> T::Like<f64>;
                /// The tangent of radians.
                tan "Tan" -> T::Like<f64>;
                /// The arc sine in radians; NULL outside of -1 to 1.
                asin "Asin" -> Option<f64>;
                /// The arc cosine in radians; NULL outside of -1 to 1.
                acos "Acos" -> Option<f64>;
                /// The arc tangent in radians.
                atan "Atan" -> T::Like<f64>;
                /// Radians as degrees.
                to_degrees "Degrees" -> T::Like<f64>;
                /// Degrees as radians.
                to_radians "Radians" -> T::Like<f64>;
            }

            /// Raises to a power; NULL if the result is not a real number.
            #[must_use]
            pub fn pow<R: Operand<f64, Exact>>(self, exponent: R) -> Typed<Both<E, R::Entity>, Option<f64>>
            where
                E: Beside<R::Entity>,
            {
                Typed::new(func("Power", [self.into(), exponent.operand()]))
            }

            /// The angle in radians of the point whose second coordinate is the value, and whose first is the other one.
            #[must_use]
            pub fn atan2<R: Operand<f64, Exact>>(self, other: R) -> Typed<Both<E, R::Entity>, NullWith<T::Like<f64>, R::Of>>
            where
                E: Beside<R::Entity>,
            {
                Typed::new(func("Atan2", [self.into(), other.operand()]))
            }
        }

        impl<E, T: Field> $of<E, T>
        where
            T::Base: Whole,
        {
            bits! {
                /// The bits that are set in both.
                bit_and "BitAnd";
                /// The bits that are set in one of both, or in both.
                bit_or "BitOr";
                /// The bits that are set in one of both only.
                bit_xor "BitXor";
            }

            /// The bits that are not set.
            #[must_use]
            pub fn bit_not(self) -> Typed<E, T> {
                let node = UnaryExpr { operator: UnaryOperator::BitwiseNot, operand: self.into() };
                Typed::new(ValueTypeExpr::from(node))
            }
        }

        impl<E, T: Field> Neg for $of<E, T>
        where
            T::Base: Number,
        {
            type Output = Typed<E, T>;

            fn neg(self) -> Typed<E, T> {
                let node = UnaryExpr { operator: UnaryOperator::Negative, operand: self.into() };
                Typed::new(ValueTypeExpr::from(node))
            }
        }

        impl<E, T: Field> $of<E, T>
        where
            T::Base: Number,
        {
            /// The absolute value.
            #[must_use]
            pub fn abs(self) -> Typed<E, T> {
                Typed::new(func("Abs", [ValueTypeExpr::from(self)]))
            }

            /// The smallest whole number that is not less.
            #[must_use]
            pub fn ceil(self) -> Typed<E, T> {
                Typed::new(func("Ceiling", [ValueTypeExpr::from(self)]))
            }

            /// The largest whole number that is not greater.
            #[must_use]
            pub fn floor(self) -> Typed<E, T> {
                Typed::new(func("Floor", [ValueTypeExpr::from(self)]))
            }

            /// The nearest whole number; halves are rounded away from zero.
            #[must_use]
            pub fn round(self) -> Typed<E, T> {
                Typed::new(func("Round", [ValueTypeExpr::from(self)]))
            }

            /// Rounds to a number of digits after the decimal point; halves are rounded away from zero.
            #[must_use]
            pub fn round_to<R: Operand<i32, Exact>>(self, digits: R) -> Typed<Both<E, R::Entity>, NullWith<T, R::Of>>
            where
                E: Beside<R::Entity>,
            {
                Typed::new(func("Round", [self.into(), digits.operand()]))
            }

            /// Truncates to a whole number, toward zero.
            #[must_use]
            pub fn trunc(self) -> Typed<E, T> {
                Typed::new(func("Truncate", [ValueTypeExpr::from(self)]))
            }

            /// The sum; NULL without values.
            #[must_use]
            pub fn sum(self) -> Aggregate<E, Option<<T::Base as Number>::Sum>> {
                Aggregate::new(ValueTypeExpr::from(self).sum())
            }

            /// The average; NULL without values.
            #[must_use]
            pub fn avg(self) -> Aggregate<E, Option<<T::Base as Number>::Average>> {
                Aggregate::new(ValueTypeExpr::from(self).avg())
            }
        }
    )*};
}

methods!(Column Typed Aggregate Window);

macro_rules! dates {
    ($($of:ty),*) => {$(
        impl Minus for $of {
            type Output<E, T> = Difference<E, T>;

            fn minus<E, T>(left: ValueTypeExpr, right: ValueTypeExpr) -> Difference<E, T> {
                Difference::new(left, right)
            }
        }
    )*};
}

dates!(NaiveDate, NaiveDateTime, DateTime<Utc>, DateTime<FixedOffset>);
