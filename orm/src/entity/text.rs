//! Methods of texts.

use isogloss_compiler::expr::{LogicOperator, ValueOps, ValueTypeExpr, func};

use super::operand::Exact;
use super::{Aggregate, Beside, Both, Column, Condition, Field, NullWith, Operand, Typed, Window};

macro_rules! predicates {
    ($($(#[$doc:meta])* $method:ident $operator:ident;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $method<R: Operand<String>>(self, text: R) -> Condition<Both<E, R::Entity>>
        where
            E: Beside<R::Entity>,
        {
            Condition::new(ValueTypeExpr::from(self).compare(LogicOperator::$operator, text.operand()))
        }
    )*};
}

macro_rules! functions {
    ($($(#[$doc:meta])* $method:ident $function:literal $args:tt -> $result:ty;)*) => {$(
        functions!(one $(#[$doc])* $method $function $args -> $result);
    )*};
    (one $(#[$doc:meta])* $method:ident $function:literal () -> $result:ty) => {
        $(#[$doc])*
        #[must_use]
        pub fn $method(self) -> Typed<E, $result> {
            Typed::new(func($function, [ValueTypeExpr::from(self)]))
        }
    };
    (one $(#[$doc:meta])* $method:ident $function:literal ($arg:ident: $of:ty) -> $result:ty) => {
        $(#[$doc])*
        #[must_use]
        pub fn $method<A: Operand<$of, Exact>>(self, $arg: A) -> Typed<Both<E, A::Entity>, NullWith<$result, A::Of>>
        where
            E: Beside<A::Entity>,
        {
            Typed::new(func($function, [self.into(), $arg.operand()]))
        }
    };
    (one $(#[$doc:meta])* $method:ident $function:literal ($one:ident: $of:ty, $two:ident: $with:ty) -> $result:ty) => {
        $(#[$doc])*
        #[must_use]
        pub fn $method<A: Operand<$of, Exact>, B: Operand<$with, Exact>>(
            self,
            $one: A,
            $two: B,
        ) -> Typed<Both<Both<E, A::Entity>, B::Entity>, NullWith<NullWith<$result, A::Of>, B::Of>>
        where
            E: Beside<A::Entity, Both: Beside<B::Entity>>,
        {
            Typed::new(func($function, [self.into(), $one.operand(), $two.operand()]))
        }
    };
}

macro_rules! methods {
    ($($of:ident)*) => {$(
        #[allow(clippy::len_without_is_empty, reason = "it is there, and gives a predicate")]
        impl<E, T: Field<Base = String>> $of<E, T> {
            predicates! {
                /// Whether it begins with a text, in which `%` and `_` mean themselves.
                starts_with StartsWith;
                /// Whether it ends with a text, in which `%` and `_` mean themselves.
                ends_with EndsWith;
                /// Whether it contains a text, in which `%` and `_` mean themselves.
                contains Contains;
                /// Whether it begins with a text, without regard to case.
                istarts_with IStartsWith;
                /// Whether it ends with a text, without regard to case.
                iends_with IEndsWith;
                /// Whether it contains a text, without regard to case.
                icontains IContains;
                /// Whether it matches a LIKE pattern: `%` is any text, `_` any character, `\` the escape.
                like Like;
                /// Whether it does not match a LIKE pattern.
                not_like NotLike;
                /// Whether it matches a LIKE pattern, without regard to case.
                ilike ILike;
                /// Whether it matches a regular expression.
                regexp_like RegexpLike;
            }

            functions! {
                /// Converts to lower case.
                to_lowercase "Lower" () -> T;
                /// Converts to upper case.
                to_uppercase "Upper" () -> T;
                /// Removes blanks at both ends.
                trim "Trim" () -> T;
                /// Removes blanks at the start.
                trim_start "TrimStart" () -> T;
                /// Removes blanks at the end.
                trim_end "TrimEnd" () -> T;
                /// Replaces each occurrence of a text by another.
                replace "Replace" (from: String, to: String) -> T;
                /// The part from a position, counted from 0, with at most `length` characters.
                substring "Substring" (start: i32, length: i32) -> T;
                /// The part from a position, counted from 0, to the end.
                skip_chars "Substring" (start: i32) -> T;
                /// The first `length` characters.
                left "Left" (length: i32) -> T;
                /// The last `length` characters.
                right "Right" (length: i32) -> T;
                /// Repeats the text.
                repeat "Repeat" (times: i32) -> T;
                /// Removes `length` characters from a position, counted from 0.
                remove "Remove" (start: i32, length: i32) -> T;
                /// Inserts a text before the character at a position, counted from 0.
                insert "Insert" (at: i32, text: String) -> T;
                /// Pads with blanks at the start to a length.
                pad_left "PadLeft" (length: i32) -> T;
                /// Pads with blanks at the end to a length.
                pad_right "PadRight" (length: i32) -> T;
                /// Reverses the characters.
                reverse "Reverse" () -> T;
                /// The number of characters, including trailing blanks.
                len "Length" () -> T::Like<i32>;
                /// The position of the first occurrence of a text, counted from 0; -1 if there is none.
                index_of "IndexOf" (text: String) -> T::Like<i32>;
            }

            /// Concatenates two texts; NULL if one is. It is also written `+`.
            #[must_use]
            pub fn concat<A: Operand<String, Exact>>(self, text: A) -> Typed<Both<E, A::Entity>, NullWith<T, A::Of>>
            where
                E: Beside<A::Entity>,
            {
                Typed::new(ValueTypeExpr::from(self).concat(text.operand()))
            }

            /// Whether the text is empty; unknown for NULL.
            #[must_use]
            pub fn is_empty(self) -> Condition<E> {
                Condition::new(ValueTypeExpr::from(self).eq(""))
            }
        }
    )*};
}

methods!(Column Typed Aggregate Window);
