//! How SQLite spells functions.
//!
//! A date is the text `2024-01-31`, a date and time `2024-01-31 12:00:00` with 3 or 6 digits of a fraction behind it
//! unless that is 0, one with an offset the same in UTC with `+00:00` at the end. Results have the same shape, so that
//! they compare with what is stored. Parts are cut out of the text: `STRFTIME` rounds the fraction.
//!
//! Roots, powers, logarithms, angles and the remainder of numbers that are not whole need a build with
//! `SQLITE_ENABLE_MATH_FUNCTIONS`, or a connection that registers functions of those names. JSON needs a build with
//! `SQLITE_ENABLE_JSON1` before 3.38, where JsonValue writes numbers as SQLite does. Nothing else needs anything.

use isogloss_compiler::dialect::{On, Row};
use isogloss_compiler::functions::Func as F;
use isogloss_compiler::legalize::Rule;
use isogloss_compiler::render::Prec;

const V3_38: (u16, u16, u16) = (3, 38, 0);
const V3_43: (u16, u16, u16) = (3, 43, 0);
const V3_44: (u16, u16, u16) = (3, 44, 0);
const V3_46: (u16, u16, u16) = (3, 46, 0);

pub(crate) const NO_REGEX: &str = "SQLite has no regular expressions of its own";
const NO_DEVIATION: &str = "SQLite has no such aggregate, and a sum of squares loses the digits that matter";

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

/// The same since SQLite 3.46.
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

/// Rounded to digits after the point. A number such as 1.005 is stored a bit too small: a last bit more, unless it has
/// no bit to spare, makes it round as it prints.
macro_rules! round {
    () => {
        "ROUND({0^} * (1 + 2.3e-16 * (ABS({0}) * CAST('1e' || {1^} AS REAL) < 1e15)), {1})"
    };
}

/// The type of what is at a path.
macro_rules! json_type {
    () => {
        "JSON_TYPE({0}, {1})"
    };
}

/// The date of three numbers as text, whether there is such a date or not.
macro_rules! date_text {
    () => {
        "PRINTF('%04d-%02d-%02d', {0}, {1}, {2})"
    };
}

/// Why a function that makes an instant is refused where sqlx stores them.
const ISO: &str = "it makes `2024-01-31 12:00:00+00:00` of an instant, and sqlx stores `2024-01-31T12:00:00+00:00`: \
                   compute it in the program, and compare the column with that";

macro_rules! no_instants {
    ($($func:ident)*) => {
        &[
            Row::refuse(F::NewGuid, "sqlx stores 16 bytes for a UUID, and not its text: make it in the program"),
            Row::operator(F::DateDiffYears, Prec::Multiply, concat!(months!(time), " / 12")).every(On::DateTimeOffset),
            Row::call(F::DateDiffMonths, months!(time)).every(On::DateTimeOffset),
            $(Row::refuse(F::$func, ISO).on(On::DateTimeOffset),)*
        ]
    };
}

/// Before the function table, where sqlx writes the rows.
pub(crate) const BY_SQLX: &[Row] = no_instants!(
    AddYears AddQuarters AddMonths AddHours AddMinutes AddSeconds AddMilliseconds TruncYear TruncQuarter TruncMonth
    TruncWeek TruncDay TruncHour TruncMinute DateDiffYears DateDiffMonths
);

/// The function table.
pub const FUNCTIONS: &[Row] = &[
    // Text. LOWER and UPPER know ASCII letters only.
    Row::call(F::Length, "LENGTH({0})"),
    Row::call(F::ByteLength, "OCTET_LENGTH({0})").since(V3_43),
    Row::call(F::ByteLength, "LENGTH(CAST({0} AS BLOB))"),
    Row::call(F::Lower, "LOWER({0})"),
    Row::call(F::Upper, "UPPER({0})"),
    Row::call(F::Trim, "TRIM({*})"),
    Row::call(F::TrimStart, "LTRIM({*})"),
    Row::call(F::TrimEnd, "RTRIM({*})"),
    Row::call(F::Substring, "SUBSTR({0}, {1^} + 1)").args(2),
    Row::call(F::Substring, "SUBSTR({0}, {1^} + 1, {2})"),
    Row::operator(F::IndexOf, Prec::Add, "INSTR({0}, {1}) - 1").args(2),
    // A search from a position counts from there; nothing found stays -1.
    Row::call(
        F::IndexOf,
        "CASE INSTR(SUBSTR({0}, {2^} + 1), {1}) WHEN 0 THEN -1 ELSE INSTR(SUBSTR({0}, {2^} + 1), {1}) + {2^} - 1 END",
    )
    .plain(),
    // The empty text would be found behind the end.
    Row::call(
        F::IndexOf,
        "CASE WHEN {2^} > LENGTH({0}) OR INSTR(SUBSTR({0}, {2^} + 1), {1}) = 0 THEN -1 \
         ELSE INSTR(SUBSTR({0}, {2^} + 1), {1}) + {2^} - 1 END",
    )
    .guarded(),
    Row::call(F::Replace, "REPLACE({0}, {1}, {2})"),
    Row::call(F::Remove, "SUBSTR({0}, 1, {1})").args(2),
    Row::operator(F::Remove, Prec::Concat, "SUBSTR({0}, 1, {1}) || SUBSTR({0}, {1^} + {2^} + 1)"),
    Row::operator(F::Insert, Prec::Concat, "SUBSTR({0}, 1, {1}) || {2^} || SUBSTR({0}, {1^} + 1)"),
    Row::call(F::Left, "SUBSTR({0}, 1, {1})"),
    // The length once more: SUBSTR(a, -0) would be the whole text.
    Row::call(F::Right, "SUBSTR({0}, -{1^}, {1})"),
    // HEX of so many zero bytes, each of whose pairs of digits becomes the text. A blob of NULL bytes is empty.
    Row::operator(F::PadLeft, Prec::Concat, "REPLACE(HEX(ZEROBLOB({1^} - LENGTH({0}))), '00', ' ') || {0^}")
        .args(2)
        .guarded(),
    Row::operator(F::PadLeft, Prec::Concat, "REPLACE(HEX(ZEROBLOB({1^} - LENGTH({0}))), '00', {2}) || {0^}").guarded(),
    Row::operator(F::PadRight, Prec::Concat, "{0^} || REPLACE(HEX(ZEROBLOB({1^} - LENGTH({0}))), '00', ' ')")
        .args(2)
        .guarded(),
    Row::operator(F::PadRight, Prec::Concat, "{0^} || REPLACE(HEX(ZEROBLOB({1^} - LENGTH({0}))), '00', {2})").guarded(),
    Row::call(F::Repeat, "REPLACE(HEX(ZEROBLOB({1})), '00', {0})").guarded(),
    Row::call(
        F::Reverse,
        "(WITH RECURSIVE r(s, i, t) AS (SELECT {0}, LENGTH({0}), '' UNION ALL \
         SELECT s, i - 1, t || SUBSTR(s, i, 1) FROM r WHERE i > 0) SELECT t FROM r WHERE i = 0)",
    ),
    Row::call(F::Space, "REPLACE(HEX(ZEROBLOB({0})), '00', ' ')").guarded(),
    Row::call(F::Ascii, "CASE {0} WHEN '' THEN 0 ELSE UNICODE({0}) END"),
    Row::call(F::Char, "CHAR({0})").plain(),
    Row::call(F::Char, "CASE WHEN {0^} BETWEEN 1 AND 127 THEN CHAR({0}) END"),
    Row::expand(F::Concat, Rule::ConcatCast),
    // CONCAT_WS of SQLite 3.44 leaves out empty texts.
    Row::expand(F::ConcatWs, Rule::ConcatWsCase),
    Row::refuse(F::RegexpReplace, NO_REGEX),
    Row::refuse(F::RegexpSubstr, NO_REGEX),
    Row::refuse(F::RegexpCount, NO_REGEX),
    // Numbers.
    Row::call(F::Abs, "ABS({0})"),
    Row::operator(F::Sign, Prec::Add, "({0^} > 0) - ({0^} < 0)"),
    Row::call(F::Ceiling, "{0^}").on(On::Integer),
    Row::operator(F::Ceiling, Prec::Add, "ROUND({0}) + (ROUND({0}) < {0^})"),
    Row::call(F::Floor, "{0^}").on(On::Integer),
    Row::operator(F::Floor, Prec::Add, "ROUND({0}) - (ROUND({0}) > {0^})"),
    // The digits are known and not negative: see Feature::RoundDigits.
    Row::call(F::Round, "{0^}").on(On::Integer).guarded(),
    Row::call(F::Round, "ROUND({0})").args(1),
    Row::call(F::Round, round!()),
    Row::call(F::Truncate, "{0^}").on(On::Integer).guarded(),
    // Rounded, and one unit of the last digit back where that went away from zero.
    Row::call(
        F::Truncate,
        "CASE WHEN ABS(ROUND({0})) > ABS({0}) THEN ROUND({0}) - CASE WHEN {0^} > 0 THEN 1 ELSE -1 END \
         ELSE ROUND({0}) END",
    )
    .args(1),
    Row::call(
        F::Truncate,
        "CASE WHEN ABS(ROUND({0}, {1})) > ABS({0}) THEN ROUND(ROUND({0}, {1}) - CASE WHEN {0^} > 0 \
         THEN CAST('1e-' || {1^} AS REAL) ELSE -CAST('1e-' || {1^} AS REAL) END, {1}) ELSE ROUND({0}, {1}) END",
    ),
    Row::call(F::Sqrt, "SQRT({0})"),
    Row::call(F::Power, "POWER({0}, {1})").plain(),
    Row::call(F::Power, "CASE WHEN {0^} = 0 AND {1^} < 0 THEN NULL ELSE POWER({0}, {1}) END"),
    Row::call(F::Exp, "EXP({0})"),
    Row::call(F::Log, "LN({0})"),
    Row::call(F::Log10, "LOG10({0})"),
    Row::call(F::Log2, "LOG2({0})"),
    Row::call(F::Sin, "SIN({0})"),
    Row::call(F::Cos, "COS({0})"),
    Row::call(F::Tan, "TAN({0})"),
    Row::call(F::Asin, "ASIN({0})"),
    Row::call(F::Acos, "ACOS({0})"),
    Row::call(F::Atan, "ATAN({0})"),
    Row::call(F::Atan2, "ATAN2({0}, {1})"),
    Row::operator(F::Degrees, Prec::Multiply, "{0^} * 57.29577951308232"),
    Row::operator(F::Radians, Prec::Multiply, "{0^} * 0.017453292519943295"),
    Row::call(F::Pi, "3.141592653589793"),
    Row::call(F::Mod, "MOD({0}, {1})"),
    // 53 bits of a whole number: as many as a double holds.
    Row::operator(F::Random, Prec::Multiply, "(RANDOM() & 9007199254740991) / 9007199254740992.0"),
    Row::call(F::Greatest, "MAX({*})"),
    Row::call(F::Least, "MIN({*})"),
    Row::operator(F::BitAnd, Prec::Concat, "{0^} & {1^}"),
    Row::operator(F::BitOr, Prec::Concat, "{0^} | {1^}"),
    Row::operator(F::BitXor, Prec::Add, "({0^} | {1^}) - ({0^} & {1^})"),
    // A negative distance shifts to the other side.
    Row::call(F::ShiftLeft, "CASE WHEN {1^} < 0 THEN {0^} & 0 ELSE {0^} << {1^} END"),
    Row::call(F::ShiftRight, "CASE WHEN {1^} < 0 THEN {0^} & 0 ELSE {0^} >> {1^} END"),
    // NULL.
    Row::call(F::Coalesce, "COALESCE({*})"),
    Row::call(F::NullIf, "NULLIF({0}, {1})"),
    // Dates and times. A fraction of 0 is not written.
    Row::call(F::Now, "REPLACE(STRFTIME('%Y-%m-%d %H:%M:%f', 'now', 'localtime'), '.000', '')"),
    Row::call(F::UtcNow, "REPLACE(STRFTIME('%Y-%m-%d %H:%M:%f', 'now'), '.000', '')"),
    Row::call(F::Today, "DATE('now', 'localtime')"),
    Row::call(F::Year, "CAST(SUBSTR({0}, 1, 4) AS INTEGER)"),
    Row::operator(F::Quarter, Prec::Multiply, "(SUBSTR({0}, 6, 2) + 2) / 3"),
    Row::call(F::Month, "CAST(SUBSTR({0}, 6, 2) AS INTEGER)"),
    // The week of a date is the week of its Thursday.
    Row::operator(F::Week, Prec::Add, "(STRFTIME('%j', SUBSTR({0}, 1, 10), '-3 days', 'weekday 4') - 1) / 7 + 1"),
    Row::call(F::Day, "CAST(SUBSTR({0}, 9, 2) AS INTEGER)"),
    Row::call(F::DayOfYear, "CAST(STRFTIME('%j', SUBSTR({0}, 1, 10)) AS INTEGER)"),
    Row::call(F::DayOfWeek, "CAST(STRFTIME('%w', SUBSTR({0}, 1, 10)) AS INTEGER)"),
    Row::call(F::Hour, "CAST(SUBSTR({0}, 1, 2) AS INTEGER)").on(On::Time),
    Row::call(F::Hour, "CAST(SUBSTR({0}, 12, 2) AS INTEGER)"),
    Row::call(F::Minute, "CAST(SUBSTR({0}, 4, 2) AS INTEGER)").on(On::Time),
    Row::call(F::Minute, "CAST(SUBSTR({0}, 15, 2) AS INTEGER)"),
    Row::call(F::Second, "CAST(SUBSTR({0}, 7, 2) AS INTEGER)").on(On::Time),
    Row::call(F::Second, "CAST(SUBSTR({0}, 18, 2) AS INTEGER)"),
    Row::call(F::Millisecond, "CAST(ROUND(SUBSTR({0}, 9, 4) * 1000) AS INTEGER)").on(On::Time),
    Row::call(F::Millisecond, "CAST(ROUND(SUBSTR({0}, 20, 4) * 1000) AS INTEGER)"),
    Row::call(F::Date, "{0^}").on(On::Date),
    Row::call(F::Date, "SUBSTR({0}, 1, 10)"),
    Row::call(F::TimeOfDay, "'00:00:00'").on(On::Date).guarded(),
    Row::call(F::TimeOfDay, "SUBSTR({0}, 12, LENGTH({0}) - 17)").on(On::DateTimeOffset),
    Row::call(F::TimeOfDay, "SUBSTR({0}, 12)"),
    month_row!(date floor AddYears, "{1^}", "years"),
    month_row!(time floor AddYears, "{1^}", "years"),
    month_row!(date AddYears, "{1^}", "years"),
    month_row!(time AddYears, "{1^}", "years"),
    month_row!(date floor AddQuarters, "({1^} * 3)", "months"),
    month_row!(time floor AddQuarters, "({1^} * 3)", "months"),
    month_row!(date AddQuarters, "({1^} * 3)", "months"),
    month_row!(time AddQuarters, "({1^} * 3)", "months"),
    month_row!(date floor AddMonths, "{1^}", "months"),
    month_row!(time floor AddMonths, "{1^}", "months"),
    month_row!(date AddMonths, "{1^}", "months"),
    month_row!(time AddMonths, "{1^}", "months"),
    Row::call(F::AddWeeks, concat!("DATE({0}, ", units!("({1^} * 7)", "days"), ")")).on(On::Date),
    Row::operator(F::AddWeeks, Prec::Concat, add_days!("({1^} * 7)")),
    Row::call(F::AddDays, concat!("DATE({0}, ", units!("{1^}", "days"), ")")).on(On::Date),
    Row::operator(F::AddDays, Prec::Concat, add_days!("{1^}")),
    Row::call(F::AddHours, concat!("DATETIME({0}, ", units!("{1^}", "hours"), ")")).on(On::Date),
    Row::operator(F::AddHours, Prec::Concat, add_time!("hours")),
    Row::call(F::AddMinutes, concat!("DATETIME({0}, ", units!("{1^}", "minutes"), ")")).on(On::Date),
    Row::operator(F::AddMinutes, Prec::Concat, add_time!("minutes")),
    Row::call(F::AddSeconds, concat!("DATETIME({0}, ", units!("{1^}", "seconds"), ")")).on(On::Date),
    Row::operator(F::AddSeconds, Prec::Concat, add_time!("seconds")),
    Row::call(F::AddMilliseconds, add_milliseconds!(offset)).on(On::DateTimeOffset),
    Row::call(F::AddMilliseconds, add_milliseconds!()),
    Row::operator(F::DateDiffYears, Prec::Multiply, concat!(months!(date), " / 12")).every(On::Date),
    Row::operator(F::DateDiffYears, Prec::Multiply, concat!(months!(time), " / 12")),
    Row::call(F::DateDiffMonths, months!(date)).every(On::Date),
    Row::call(F::DateDiffMonths, months!(time)),
    Row::call(F::DateDiffDays, diff!(date "")).every(On::Date),
    Row::operator(F::DateDiffDays, Prec::Multiply, diff!("86400000000")),
    Row::operator(F::DateDiffHours, Prec::Multiply, diff!(date " * 24")).every(On::Date),
    Row::operator(F::DateDiffHours, Prec::Multiply, diff!("3600000000")),
    Row::operator(F::DateDiffMinutes, Prec::Multiply, diff!(date " * 1440")).every(On::Date),
    Row::operator(F::DateDiffMinutes, Prec::Multiply, diff!("60000000")),
    Row::operator(F::DateDiffSeconds, Prec::Multiply, diff!(date " * 86400")).every(On::Date),
    Row::operator(F::DateDiffSeconds, Prec::Multiply, diff!("1000000")),
    Row::operator(F::DateDiffMilliseconds, Prec::Multiply, diff!(date " * 86400000")).every(On::Date),
    Row::operator(F::DateDiffMilliseconds, Prec::Multiply, diff!("1000")),
    trunc!(date TruncYear, "SUBSTR({0}, 1, 4) || '-01-01'"),
    trunc!(offset TruncYear, "SUBSTR({0}, 1, 4)", "-01-01 00:00:00"),
    trunc!(time TruncYear, "SUBSTR({0}, 1, 4)", "-01-01 00:00:00"),
    trunc!(date TruncQuarter, "DATE({0}, 'start of month', ((1 - SUBSTR({0}, 6, 2)) % 3) || ' months')"),
    trunc!(offset TruncQuarter,
        "DATE(SUBSTR({0}, 1, 10), 'start of month', ((1 - SUBSTR({0}, 6, 2)) % 3) || ' months')", " 00:00:00"),
    trunc!(time TruncQuarter,
        "DATE(SUBSTR({0}, 1, 10), 'start of month', ((1 - SUBSTR({0}, 6, 2)) % 3) || ' months')", " 00:00:00"),
    trunc!(date TruncMonth, "SUBSTR({0}, 1, 7) || '-01'"),
    trunc!(offset TruncMonth, "SUBSTR({0}, 1, 7)", "-01 00:00:00"),
    trunc!(time TruncMonth, "SUBSTR({0}, 1, 7)", "-01 00:00:00"),
    // The Sunday that ends the week, six days back.
    trunc!(date TruncWeek, "DATE({0}, 'weekday 0', '-6 days')"),
    trunc!(offset TruncWeek, "DATE(SUBSTR({0}, 1, 10), 'weekday 0', '-6 days')", " 00:00:00"),
    trunc!(time TruncWeek, "DATE(SUBSTR({0}, 1, 10), 'weekday 0', '-6 days')", " 00:00:00"),
    Row::call(F::TruncDay, "{0^}").on(On::Date),
    trunc!(offset TruncDay, "SUBSTR({0}, 1, 10)", " 00:00:00"),
    trunc!(time TruncDay, "SUBSTR({0}, 1, 10)", " 00:00:00"),
    Row::call(F::TruncHour, "{0^}").on(On::Date),
    trunc!(offset TruncHour, "SUBSTR({0}, 1, 13)", ":00:00"),
    trunc!(time TruncHour, "SUBSTR({0}, 1, 13)", ":00:00"),
    Row::call(F::TruncMinute, "{0^}").on(On::Date),
    trunc!(offset TruncMinute, "SUBSTR({0}, 1, 16)", ":00"),
    trunc!(time TruncMinute, "SUBSTR({0}, 1, 16)", ":00"),
    Row::call(F::LastDay, "DATE(SUBSTR({0}, 1, 10), 'start of month', '+1 month', '-1 day')"),
    // NULL where there is no such date.
    Row::call(
        F::MakeDate,
        concat!(
            "CASE WHEN {0^} BETWEEN 1 AND 9999 AND DATE(",
            date_text!(),
            ") = ",
            date_text!(),
            " THEN ",
            date_text!(),
            " END"
        ),
    ),
    Row::call(F::ToUnixSeconds, "CAST(STRFTIME('%s', {0}) AS INTEGER)").on(On::Date),
    // A quotient is cut toward zero, so it is counted from the year 0.
    Row::operator(
        F::ToUnixSeconds,
        Prec::Add,
        concat!("(", micros!("0"), " + 62167219200000000) / 1000000 - 62167219200"),
    ),
    Row::call(F::FromUnixSeconds, "DATETIME({0}, 'unixepoch')"),
    Row::call(F::Format, "STRFTIME({1}, SUBSTR(REPLACE({0}, '+00:00', ''), 1, 23))").on(On::DateTimeOffset),
    Row::call(F::Format, "STRFTIME({1}, {0})").on(On::Date),
    Row::call(F::Format, "STRFTIME({1}, SUBSTR({0}, 1, 23))"),
    // JSON.
    // JSON_EXTRACT makes a number of SQLite's of one: 1.50 becomes 1.5, and a long one loses digits.
    Row::call(
        F::JsonValue,
        concat!(
            "CASE ",
            json_type!(),
            " WHEN 'text' THEN {0^} ->> {1} WHEN 'integer' THEN {0^} -> {1} WHEN 'real' THEN {0^} -> {1} ",
            "WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' END"
        ),
    )
    .since(V3_38),
    Row::call(
        F::JsonValue,
        concat!(
            "CASE ",
            json_type!(),
            " WHEN 'object' THEN NULL WHEN 'array' THEN NULL WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ",
            "ELSE CAST(JSON_EXTRACT({0}, {1}) AS TEXT) END"
        ),
    ),
    Row::call(
        F::JsonQuery,
        concat!("CASE WHEN ", json_type!(), " IN ('object', 'array') THEN JSON_EXTRACT({0}, {1}) END"),
    ),
    Row::operator(F::JsonExists, Prec::Compare, concat!(json_type!(), " IS NOT NULL")).guarded(),
    Row::call(F::JsonLength, "CASE WHEN JSON_TYPE({0}) = 'array' THEN JSON_ARRAY_LENGTH({0}) END").args(1),
    Row::call(F::JsonLength, concat!("CASE WHEN ", json_type!(), " = 'array' THEN JSON_ARRAY_LENGTH({0}, {1}) END")),
    Row::refuse(F::JsonContains, "SQLite compares no JSON: look at single values by JsonValue"),
    // JSON_SET makes the objects on the way, where nothing is expected to be added.
    Row::call(F::JsonSet, "CASE WHEN JSON_TYPE({0}, {1p}) = {1k} THEN JSON_SET({0}, {1}, {2j}) ELSE {0} END"),
    Row::call(F::JsonObject, "JSON_OBJECT({*j})"),
    Row::call(F::JsonArray, "JSON_ARRAY({*j})"),
    Row::call(F::IsJson, "JSON_VALID({0})"),
    // Other.
    Row::call(
        F::NewGuid,
        "LOWER(HEX(RANDOMBLOB(4)) || '-' || HEX(RANDOMBLOB(2)) || '-4' || SUBSTR(HEX(RANDOMBLOB(2)), 2) || '-' || \
         SUBSTR('89AB', (RANDOM() & 3) + 1, 1) || SUBSTR(HEX(RANDOMBLOB(2)), 2) || '-' || HEX(RANDOMBLOB(6)))",
    ),
    // HEX of NULL is the empty text, and of a number that of its digits.
    Row::call(F::Hex, "HEX({0})").on(On::Binary).guarded(),
    Row::call(F::Hex, "HEX({0})").on(On::Text).guarded(),
    Row::refuse(F::Hex, "it takes bytes or text"),
    // Aggregates.
    Row::call(F::Count, "COUNT(*)").args(0),
    Row::call(F::Count, "COUNT({0})"),
    Row::call(F::Sum, "SUM({0})"),
    Row::call(F::Avg, "AVG({0})"),
    Row::call(F::Min, "MIN({0})"),
    Row::call(F::Max, "MAX({0})"),
    // DISTINCT is for aggregates of one argument only.
    Row::call(
        F::StringAgg,
        "(SELECT GROUP_CONCAT(value, {1}) FROM JSON_EACH(JSON_GROUP_ARRAY({d}{0}){f}) WHERE value IS NOT NULL)",
    )
    .distinct(),
    Row::call(F::StringAgg, "GROUP_CONCAT({0}, {1}{o})").since(V3_44),
    Row::call(F::StringAgg, "GROUP_CONCAT({0}, {1})"),
    Row::refuse(F::StdDev, NO_DEVIATION),
    Row::refuse(F::StdDevPop, NO_DEVIATION),
    Row::refuse(F::Variance, NO_DEVIATION),
    Row::refuse(F::VariancePop, NO_DEVIATION),
    // Truth values are 1 and 0.
    Row::call(F::BoolAnd, "MIN({0})"),
    Row::call(F::BoolOr, "MAX({0})"),
    // Of no rows it would be an empty array.
    Row::call(F::JsonArrayAgg, "NULLIF(JSON_GROUP_ARRAY({d}{0j}{o}){f}, '[]')"),
    // Windows.
    Row::call(F::RowNumber, "ROW_NUMBER()"),
    Row::call(F::Rank, "RANK()"),
    Row::call(F::DenseRank, "DENSE_RANK()"),
    Row::call(F::PercentRank, "PERCENT_RANK()"),
    Row::call(F::CumeDist, "CUME_DIST()"),
    Row::call(F::NTile, "NTILE({0})"),
    Row::call(F::Lag, "LAG({*})"),
    Row::call(F::Lead, "LEAD({*})"),
    Row::call(F::FirstValue, "FIRST_VALUE({0})"),
    Row::call(F::LastValue, "LAST_VALUE({0})"),
    Row::call(F::NthValue, "NTH_VALUE({0}, {1})"),
];

#[cfg(test)]
mod tests {
    use isogloss_compiler::Compiler;
    use isogloss_compiler::dialect::Dialect;
    use isogloss_compiler::expr::{Expr, ValueOps, ValueTypeExpr, aggregate, from, func, null, prop, value};
    use isogloss_compiler::model::sample;

    use super::*;

    /// The spelling of a value over an order.
    fn spelled(value: impl Into<ValueTypeExpr>, dialect: &dyn Dialect) -> String {
        let value = value.into().alias("r");
        let query = Expr::from(from("Order").select([value]));
        match Compiler::new(sample::catalog()).compile(&query, dialect) {
            Ok(statement) => statement.sql.split(" AS \"r\"").next().unwrap().replacen("SELECT ", "", 1),
            Err(error) => error.to_string(),
        }
    }

    fn call<const N: usize>(name: &'static str, args: [ValueTypeExpr; N]) -> ValueTypeExpr {
        func(name, args).into()
    }

    fn p(name: &'static str) -> ValueTypeExpr {
        prop(name).into()
    }

    #[test]
    fn every_function_is_spelled_or_refused() {
        for version in [crate::Sqlite::V3_35, crate::Sqlite::V3_45, crate::Sqlite::new(50, 0)] {
            for func in F::ALL {
                let row = FUNCTIONS.iter().find(|row| row.func == *func && row.since <= version.version());
                assert!(row.is_some(), "{func:?} on {}", version.label());
            }
        }
    }

    #[test]
    fn later_versions_stand_before_earlier_ones() {
        for (index, row) in FUNCTIONS.iter().enumerate() {
            for later in FUNCTIONS.iter().skip(index + 1).filter(|later| later.func == row.func) {
                let whatever = row.on == On::Anything && row.args.is_none() && !row.plain && !row.distinct;
                let shadowed = whatever && row.since <= later.since;
                assert!(!shadowed, "{later:?} is never reached");
            }
        }
    }

    #[test]
    fn spellings() {
        let cases: &[(ValueTypeExpr, &str)] = &[
            (call("Length", [p("Note")]), r#"LENGTH("T0"."Note")"#),
            (call("Substring", [p("Note"), value(2).into(), value(5).into()]), r#"SUBSTR("T0"."Note", ? + 1, ?)"#),
            (
                call("Substring", [p("Note"), p("Qty")]),
                r#"SUBSTR("T0"."Note", CASE WHEN "T0"."Qty" < 0 THEN 0 ELSE "T0"."Qty" END + 1)"#,
            ),
            (call("Left", [p("Note"), value(-1).into()]), r#"SUBSTR("T0"."Note", 1, 0)"#),
            (call("Right", [p("Note"), value(3).into()]), r#"SUBSTR("T0"."Note", -?, ?)"#),
            (call("IndexOf", [p("Note"), value("x").into()]), r#"INSTR("T0"."Note", ?) - 1"#),
            (
                call("PadLeft", [p("OrderNo"), value(8).into(), value("0").into()]),
                r#"REPLACE(HEX(ZEROBLOB(? - LENGTH("T0"."OrderNo"))), '00', ?) || "T0"."OrderNo""#,
            ),
            (
                call("PadLeft", [p("OrderNo"), value(8).into(), value("ab").into()]),
                r#"the third argument of PadLeft or PadRight is misplaced: it is one character at $.Selects[0].Value"#,
            ),
            (
                call("Repeat", [p("OrderNo"), p("SalesUserId")]),
                r#"CASE WHEN CASE WHEN "T0"."SalesUserId" < 0 THEN 0 ELSE "T0"."SalesUserId" END IS NULL THEN NULL ELSE REPLACE(HEX(ZEROBLOB(CASE WHEN "T0"."SalesUserId" < 0 THEN 0 ELSE "T0"."SalesUserId" END)), '00', "T0"."OrderNo") END"#,
            ),
            (call("Greatest", [p("Qty"), value(1).into()]), r#"MAX("T0"."Qty", ?)"#),
            (call("Greatest", [p("SalesUserId"), p("Qty")]), r#"MAX("T0"."SalesUserId", "T0"."Qty")"#),
            (
                call("Round", [p("Amount"), value(1).into()]),
                r#"ROUND("T0"."Amount" * (1 + 2.3e-16 * (ABS("T0"."Amount") * CAST('1e' || ? AS REAL) < 1e15)), ?)"#,
            ),
            (
                call("Round", [p("Amount"), value(-1).into()]),
                r#"`rounding to tens or to computed digits` is refused by sqlite 3.45: SQLite rounds to digits after the point, given as a number at $.Selects[0].Value"#,
            ),
            (call("Ceiling", [p("Qty")]), r#""T0"."Qty""#),
            (call("Log", [p("Amount")]), r#"LN("T0"."Amount")"#),
            (call("Mod", [p("Amount"), p("Qty")]), r#"MOD("T0"."Amount", "T0"."Qty")"#),
            (prop("Qty") % 3, r#""T0"."Qty" % ?"#),
            (call("Coalesce", [null().into(), p("Note")]), r#"COALESCE(NULL, "T0"."Note")"#),
            (call("Year", [p("CreatedTime")]), r#"CAST(SUBSTR("T0"."CreatedTime", 1, 4) AS INTEGER)"#),
            (call("Year", [p("ShipDate")]), r#"CAST(SUBSTR("T0"."ShipDate", 1, 4) AS INTEGER)"#),
            (
                call("Week", [p("ShipDate")]),
                r#"(STRFTIME('%j', SUBSTR("T0"."ShipDate", 1, 10), '-3 days', 'weekday 4') - 1) / 7 + 1"#,
            ),
            (call("Hour", [p("ShipDate")]), r#"CAST(SUBSTR("T0"."ShipDate", 12, 2) AS INTEGER)"#),
            (call("AddDays", [p("ShipDate"), value(1).into()]), r#"DATE("T0"."ShipDate", ? || ' days')"#),
            (
                call("AddMonths", [p("ShipDate"), value(1).into()]),
                r#"MIN(DATE("T0"."ShipDate", ? || ' months'), DATE("T0"."ShipDate", 'start of month', ? || ' months', '+1 month', '-1 day'))"#,
            ),
            (
                call("AddMonths", [p("CreatedTime"), value(1).into()]),
                r#"MIN(DATE(SUBSTR("T0"."CreatedTime", 1, 10), ? || ' months'), DATE(SUBSTR("T0"."CreatedTime", 1, 10), 'start of month', ? || ' months', '+1 month', '-1 day')) || SUBSTR("T0"."CreatedTime", 11)"#,
            ),
            (
                call("AddHours", [p("CreatedTime"), p("Qty")]),
                r#"DATETIME(SUBSTR("T0"."CreatedTime", 1, 19), "T0"."Qty" || ' hours') || SUBSTR("T0"."CreatedTime", 20)"#,
            ),
            (
                call("DateDiffDays", [p("ShipDate"), p("ShipDate")]),
                r#"CAST(JULIANDAY("T0"."ShipDate") - JULIANDAY("T0"."ShipDate") AS INTEGER)"#,
            ),
            (
                call("DateDiffDays", [p("CreatedTime"), p("ShipDate")]),
                r#"(STRFTIME('%s', SUBSTR("T0"."CreatedTime", 1, 19)) * 1000000 + CAST(ROUND(SUBSTR("T0"."CreatedTime", 20) * 1000000) AS INTEGER) - (STRFTIME('%s', SUBSTR("T0"."ShipDate", 1, 19)) * 1000000 + CAST(ROUND(SUBSTR("T0"."ShipDate", 20) * 1000000) AS INTEGER))) / 86400000000"#,
            ),
            (call("TruncMonth", [p("ShipDate")]), r#"SUBSTR("T0"."ShipDate", 1, 7) || '-01'"#),
            (
                call("TruncWeek", [p("CreatedTime")]),
                r#"DATE(SUBSTR("T0"."CreatedTime", 1, 10), 'weekday 0', '-6 days') || ' 00:00:00'"#,
            ),
            (
                call("Format", [p("CreatedTime"), value("yyyy-MM-dd HH:mm:ss.fff").into()]),
                r#"STRFTIME('%Y-%m-%d %H:%M:%f', SUBSTR("T0"."CreatedTime", 1, 23))"#,
            ),
            (
                call("JsonValue", [p("Data"), value("$.a[0]").into()]),
                r#"CASE JSON_TYPE("T0"."Data", '$."a"[0]') WHEN 'text' THEN "T0"."Data" ->> '$."a"[0]' WHEN 'integer' THEN "T0"."Data" -> '$."a"[0]' WHEN 'real' THEN "T0"."Data" -> '$."a"[0]' WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' END"#,
            ),
            (
                call("JsonExists", [p("Data"), value("$.a").into()]),
                r#"CASE WHEN "T0"."Data" IS NULL THEN NULL ELSE JSON_TYPE("T0"."Data", '$."a"') IS NOT NULL END"#,
            ),
            (
                call("JsonSet", [p("Data"), value("$.a.b").into(), value(true).into()]),
                r#"CASE WHEN JSON_TYPE("T0"."Data", '$."a"') = 'object' THEN JSON_SET("T0"."Data", '$."a"."b"', JSON(CASE ? WHEN 1 THEN 'true' WHEN 0 THEN 'false' END)) ELSE "T0"."Data" END"#,
            ),
            (
                call("JsonSet", [p("Data"), value("$").into(), value(1).into()]),
                r#"bad name `$`: it has no step: there is no place to set at $.Selects[0].Value.JsonSet[1]"#,
            ),
            (
                call("JsonObject", [value("a").into()]),
                r#"function `JsonObject` takes a value for every name, 1 given at $.Selects[0].Value"#,
            ),
            (
                call("Hex", [p("Qty")]),
                r#"`Hex` is refused by sqlite 3.45: it takes bytes or text at $.Selects[0].Value"#,
            ),
            (call("Sum", [p("Qty")]), r#"SUM("T0"."Qty")"#),
            (call("Sum", [p("Id")]), r#"SUM("T0"."Id")"#),
            (
                func("Avg", [p("Qty")]).filter(prop("Qty").gt(1)).into(),
                r#"AVG("T0"."Qty") FILTER (WHERE "T0"."Qty" > ?)"#,
            ),
            (
                func("Avg", [p("Qty")]).over().partition_by([prop("CustomerId")]).into(),
                r#"AVG("T0"."Qty") OVER (PARTITION BY "T0"."CustomerId")"#,
            ),
            (
                func("StringAgg", [p("OrderNo"), value(",").into()]).order_by([prop("Id").asc()]).into(),
                r#"GROUP_CONCAT("T0"."OrderNo", ? ORDER BY "T0"."Id")"#,
            ),
            (aggregate("Min", prop("Token")).distinct().into(), r#"MIN(DISTINCT "T0"."Token")"#),
            (call("BoolAnd", [p("Paid")]), r#"MIN("T0"."Paid")"#),
            (
                call("JsonArrayAgg", [p("Paid")]),
                r#"NULLIF(JSON_GROUP_ARRAY(JSON(CASE "T0"."Paid" WHEN 1 THEN 'true' WHEN 0 THEN 'false' END)), '[]')"#,
            ),
            (
                prop("CreatedTime").cast(isogloss_compiler::expr::DbValueType::Date).into(),
                r#"SUBSTR("T0"."CreatedTime", 1, 10)"#,
            ),
        ];
        for (value, expected) in cases {
            assert_eq!(spelled(value.clone(), &crate::Sqlite::V3_45), *expected);
        }
    }
}
