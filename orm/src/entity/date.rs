//! Methods of dates and times.

use std::marker::PhantomData;

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use isogloss_compiler::expr::{ValueTypeExpr, func};

use super::operand::Exact;
use super::{Aggregate, Beside, Both, Column, Field, NullWith, Operand, Typed, Window};

/// A type with a date.
#[diagnostic::on_unimplemented(message = "`{Self}` has no date", label = "this is said of dates only")]
pub trait Calendar: Field {}

/// A type with a time of day.
#[diagnostic::on_unimplemented(message = "`{Self}` has no time of day", label = "this is said of times only")]
pub trait Clock: Field {}

macro_rules! kinds {
    ($($kind:ident: $($of:ty),*;)*) => { $($(impl $kind for $of {})*)* };
}

kinds! {
    Calendar: NaiveDate, NaiveDateTime, DateTime<Utc>, DateTime<FixedOffset>;
    Clock: NaiveTime, NaiveDateTime, DateTime<Utc>, DateTime<FixedOffset>;
}

/// The difference between two dates: `a - b`. Its methods return it in whole units, truncated toward zero. `T` is the type
/// of the dates, an `Option` if one of both may be NULL.
#[derive(Debug, Clone)]
pub struct Difference<E, T> {
    from: ValueTypeExpr,
    to: ValueTypeExpr,
    of: PhantomData<fn() -> (E, T)>,
}

impl<E, T> Difference<E, T> {
    pub(super) fn new(to: ValueTypeExpr, from: ValueTypeExpr) -> Self {
        Self { from, to, of: PhantomData }
    }
}

macro_rules! units {
    ($($(#[$doc:meta])* $method:ident $function:literal;)*) => {
        impl<E, T: Field> Difference<E, T> {$(
            $(#[$doc])*
            #[must_use]
            pub fn $method(self) -> Typed<E, NullWith<i64, T>> {
                Typed::new(func($function, [self.to, self.from]))
            }
        )*}
    };
}

units! {
    /// In years.
    num_years "DateDiffYears";
    /// In months.
    num_months "DateDiffMonths";
    /// In days of 24 hours.
    num_days "DateDiffDays";
    /// In hours.
    num_hours "DateDiffHours";
    /// In minutes.
    num_minutes "DateDiffMinutes";
    /// In seconds.
    num_seconds "DateDiffSeconds";
    /// In thousandths of a second.
    num_milliseconds "DateDiffMilliseconds";
}

macro_rules! functions {
    ($of:ident, $kind:ident: $($(#[$doc:meta])* $method:ident $function:literal $args:tt -> $result:ty;)*) => {
        impl<E, T: Field> $of<E, T>
        where
            T::Base: $kind,
        {
            $(functions!(one $(#[$doc])* $method $function $args -> $result);)*
        }
    };
    (one $(#[$doc:meta])* $method:ident $function:literal () -> $result:ty) => {
        $(#[$doc])*
        #[must_use]
        pub fn $method(self) -> Typed<E, $result> {
            Typed::new(func($function, [ValueTypeExpr::from(self)]))
        }
    };
    (one $(#[$doc:meta])* $method:ident $function:literal ($arg:ident) -> $result:ty) => {
        $(#[$doc])*
        #[must_use]
        pub fn $method<A: Operand<i32, Exact>>(self, $arg: A) -> Typed<Both<E, A::Entity>, NullWith<$result, A::Of>>
        where
            E: Beside<A::Entity>,
        {
            Typed::new(func($function, [self.into(), $arg.operand()]))
        }
    };
}

macro_rules! methods {
    ($($of:ident)*) => {$(
        functions! { $of, Calendar:
            /// The year.
            year "Year" () -> T::Like<i32>;
            /// The quarter, 1 to 4.
            quarter "Quarter" () -> T::Like<i32>;
            /// The month, 1 to 12.
            month "Month" () -> T::Like<i32>;
            /// The ISO 8601 week of the year, 1 to 53.
            week "Week" () -> T::Like<i32>;
            /// The day of the month, 1 to 31.
            day "Day" () -> T::Like<i32>;
            /// The day of the year, 1 to 366.
            day_of_year "DayOfYear" () -> T::Like<i32>;
            /// The day of the week, Sunday 0 to Saturday 6.
            day_of_week "DayOfWeek" () -> T::Like<i32>;
            /// The date without the time.
            date "Date" () -> T::Like<NaiveDate>;
            /// So many years later; the 29th of February becomes the 28th where there is none.
            add_years "AddYears" (years) -> T;
            /// So many months later; a day that the month lacks becomes its last.
            add_months "AddMonths" (months) -> T;
            /// So many weeks later.
            add_weeks "AddWeeks" (weeks) -> T;
            /// So many days later.
            add_days "AddDays" (days) -> T;
        }

        impl<E, T: Field> $of<E, T>
        where
            T::Base: Calendar,
        {
            /// Formats it as text, by a pattern of the tokens `yyyy yy MM M dd d HH H hh mm ss fff tt`, and `'...'` for
            /// literal text.
            #[must_use]
            pub fn format(self, pattern: &str) -> Typed<E, T::Like<String>> {
                Typed::new(func("Format", [self.into(), ValueTypeExpr::from(pattern)]))
            }
        }

        functions! { $of, Clock:
            /// The hour, 0 to 23.
            hour "Hour" () -> T::Like<i32>;
            /// The minute, 0 to 59.
            minute "Minute" () -> T::Like<i32>;
            /// The whole second, 0 to 59.
            second "Second" () -> T::Like<i32>;
            /// The thousandths of the second, 0 to 999.
            millisecond "Millisecond" () -> T::Like<i32>;
            /// So many hours later.
            add_hours "AddHours" (hours) -> T;
            /// So many minutes later.
            add_minutes "AddMinutes" (minutes) -> T;
            /// So many seconds later.
            add_seconds "AddSeconds" (seconds) -> T;
            /// So many thousandths of a second later.
            add_milliseconds "AddMilliseconds" (milliseconds) -> T;
        }
    )*};
}

methods!(Column Typed Aggregate Window);
