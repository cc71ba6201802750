//! The texts for dates and times, which SQLite has as text.

/// The text of a whole number of units, as a modifier of a date: `5 days`.
macro_rules! units {
    ($count:literal, $unit:literal) => {
        concat!($count, " || ' ", $unit, "'")
    };
}

/// Months or years later. A day that the month lacks runs over into the next one: the least of that and the month's
/// last day is meant.
macro_rules! add_months {
    ($date:literal, $count:literal, $unit:literal) => {
        concat!(
            "MIN(DATE(",
            $date,
            ", ",
            units!($count, $unit),
            "), DATE(",
            $date,
            ", 'start of month', ",
            units!($count, $unit),
            ", '+1 month', '-1 day'))"
        )
    };
}

/// Months or years later, since SQLite 3.46, which keeps to the last day of a month by itself.
macro_rules! add_months_floor {
    ($date:literal, $count:literal, $unit:literal) => {
        concat!("DATE(", $date, ", ", units!($count, $unit), ", 'floor')")
    };
}

/// The rows of a function that adds months or years: a date, then a date and time, whose time stays as it is.
macro_rules! month_row {
    (date $func:ident, $count:literal, $unit:literal) => {
        Row::call(F::$func, add_months!("{0}", $count, $unit)).on(On::Date)
    };
    (date floor $func:ident, $count:literal, $unit:literal) => {
        Row::call(F::$func, add_months_floor!("{0}", $count, $unit)).on(On::Date).since(V3_46)
    };
    (time $func:ident, $count:literal, $unit:literal) => {
        Row::operator(
            F::$func,
            Prec::Concat,
            concat!(add_months!("SUBSTR({0}, 1, 10)", $count, $unit), " || SUBSTR({0}, 11)"),
        )
    };
    (time floor $func:ident, $count:literal, $unit:literal) => {
        Row::operator(
            F::$func,
            Prec::Concat,
            concat!(add_months_floor!("SUBSTR({0}, 1, 10)", $count, $unit), " || SUBSTR({0}, 11)"),
        )
        .since(V3_46)
    };
}

/// Whole days later; the time stays as it is.
macro_rules! add_days {
    ($count:literal) => {
        concat!("DATE(SUBSTR({0}, 1, 10), ", units!($count, "days"), ") || SUBSTR({0}, 11)")
    };
}

/// Whole seconds, minutes or hours later; the fraction stays as it is.
macro_rules! add_time {
    ($unit:literal) => {
        concat!("DATETIME(SUBSTR({0}, 1, 19), ", units!("{1^}", $unit), ") || SUBSTR({0}, 20)")
    };
}

/// Thousandths of a second later. SQLite's own clock counts those; the digits behind them stay. Without a fraction there
/// is no point.
macro_rules! add_milliseconds {
    () => {
        concat!(
            "RTRIM(REPLACE(STRFTIME('%Y-%m-%d %H:%M:%f', SUBSTR({0}, 1, 23), ({1^} / 1000.0) || ' seconds') || ",
            "SUBSTR({0}, 24) || 'Z', '.000Z', ''), 'Z')"
        )
    };
    (offset) => {
        concat!(
            "(SELECT DATETIME(s, ((u - r) / 1000000) || ' seconds') || CASE WHEN r = 0 THEN '' ",
            "WHEN r % 1000 = 0 THEN PRINTF('.%03d', r / 1000) ELSE PRINTF('.%06d', r) END || '+00:00'",
            " FROM (SELECT s, u, (u % 1000000 + 1000000) % 1000000 AS r FROM (SELECT SUBSTR({0}, 1, 19) AS s, ",
            "CAST(ROUND(SUBSTR({0}, 20) * 1000000) AS INTEGER) + {1^} * 1000 AS u)))"
        )
    };
}

/// Millionths of a second since 1970.
macro_rules! micros {
    ($arg:literal) => {
        concat!(
            "STRFTIME('%s', SUBSTR({",
            $arg,
            "}, 1, 19)) * 1000000 + CAST(ROUND(SUBSTR({",
            $arg,
            "}, 20) * 1000000) AS INTEGER)"
        )
    };
}

/// The whole units between two dates and times; whole numbers divide toward zero.
macro_rules! diff {
    ($micros:literal) => {
        concat!("(", micros!("0"), " - (", micros!("1"), ")) / ", $micros)
    };
    (date $scale:literal) => {
        concat!("CAST(JULIANDAY({0}) - JULIANDAY({1}) AS INTEGER)", $scale)
    };
}

/// The whole months between two dates: one less where the day of the month has not come yet.
macro_rules! months {
    ($tail0:literal, $tail1:literal) => {
        concat!(
            "((SUBSTR({0}, 1, 4) - SUBSTR({1}, 1, 4)) * 12 + SUBSTR({0}, 6, 2) - SUBSTR({1}, 6, 2) + ",
            "CASE WHEN {0^} < {1^} THEN ",
            $tail0,
            " > ",
            $tail1,
            " ELSE -(",
            $tail0,
            " < ",
            $tail1,
            ") END)"
        )
    };
    (date) => {
        months!("SUBSTR({0}, 9)", "SUBSTR({1}, 9)")
    };
    (time) => {
        months!(
            "SUBSTR({0^} || SUBSTR(' 00:00:00', 1, 9 * (LENGTH({0}) = 10)), 9)",
            "SUBSTR({1^} || SUBSTR(' 00:00:00', 1, 9 * (LENGTH({1}) = 10)), 9)"
        )
    };
}

/// The rows of a function that cuts off the smaller units: a date, one with an offset, a date and time.
macro_rules! trunc {
    (date $func:ident, $text:literal) => {
        Row::operator(F::$func, Prec::Concat, $text).on(On::Date)
    };
    (offset $func:ident, $text:literal, $time:literal) => {
        Row::operator(F::$func, Prec::Concat, concat!($text, " || '", $time, "+00:00'")).on(On::DateTimeOffset)
    };
    (time $func:ident, $text:literal, $time:literal) => {
        Row::operator(F::$func, Prec::Concat, concat!($text, " || '", $time, "'"))
    };
}
