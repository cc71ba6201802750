//! What can be said of texts.

use isogloss_compiler::expr::{LogicOperator, ValueOps, ValueTypeExpr, func};

use super::operand::Exact;
use super::{Beside, Both, Column, Condition, Field, Operand, Typed};

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
        pub fn $method<A: Operand<$of, Exact>>(self, $arg: A) -> Typed<Both<E, A::Entity>, $result>
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
        ) -> Typed<Both<Both<E, A::Entity>, B::Entity>, $result>
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
                /// Begins with the text as it is.
                starts_with StartsWith;
                /// Ends with the text as it is.
                ends_with EndsWith;
                /// Contains the text as it is; `%` and `_` mean themselves.
                contains Contains;
                /// Begins with the text, with no regard to case.
                istarts_with IStartsWith;
                /// Ends with the text, with no regard to case.
                iends_with IEndsWith;
                /// Contains the text, with no regard to case.
                icontains IContains;
                /// Like a pattern: `%` any text, `_` any character, `\` the escape.
                like Like;
                /// Not like a pattern.
                not_like NotLike;
                /// Like a pattern, with no regard to case.
                ilike ILike;
                /// Matches a regular expression.
                regexp_like RegexpLike;
            }

            functions! {
                /// In lower case.
                to_lowercase "Lower" () -> T;
                /// In upper case.
                to_uppercase "Upper" () -> T;
                /// Without blanks at both ends.
                trim "Trim" () -> T;
                /// Without blanks at the start.
                trim_start "TrimStart" () -> T;
                /// Without blanks at the end.
                trim_end "TrimEnd" () -> T;
                /// Each occurrence of one text replaced by another.
                replace "Replace" (from: String, to: String) -> T;
                /// The part from a position (the first is 0), at most so many characters.
                substring "Substring" (start: i32, length: i32) -> T;
                /// The part from a position (the first is 0) to the end.
                skip_chars "Substring" (start: i32) -> T;
                /// The first so many characters.
                left "Left" (length: i32) -> T;
                /// The last so many characters.
                right "Right" (length: i32) -> T;
                /// The text so many times.
                repeat "Repeat" (times: i32) -> T;
                /// Without so many characters from a position (the first is 0).
                remove "Remove" (start: i32, length: i32) -> T;
                /// With a text put in before the character at a position (the first is 0).
                insert "Insert" (at: i32, text: String) -> T;
                /// Filled at the start with blanks to a length.
                pad_left "PadLeft" (length: i32) -> T;
                /// Filled at the end with blanks to a length.
                pad_right "PadRight" (length: i32) -> T;
                /// The characters in reverse.
                reverse "Reverse" () -> T;
                /// The number of characters, not of bytes; trailing blanks count.
                len "Length" () -> i32;
                /// Where a text is first found; the first place is 0, and -1 says that it is not there.
                index_of "IndexOf" (text: String) -> i32;
            }

            /// Both texts, one after the other; NULL if either is. The same as `+`.
            #[must_use]
            pub fn concat<A: Operand<String, Exact>>(self, text: A) -> Typed<Both<E, A::Entity>, T>
            where
                E: Beside<A::Entity>,
            {
                Typed::new(ValueTypeExpr::from(self).concat(text.operand()))
            }

            /// Is the empty text; of NULL that is unknown.
            #[must_use]
            pub fn is_empty(self) -> Condition<E> {
                Condition::new(ValueTypeExpr::from(self).eq(""))
            }
        }
    )*};
}

methods!(Column Typed);
