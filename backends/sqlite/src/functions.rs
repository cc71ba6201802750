//! How SQLite spells functions.
//!
//! A date is the text `2024-01-31`, a date and time `2024-01-31 12:00:00` with 3 or 6 digits of a fraction behind it
//! unless that is 0, one with an offset the same in UTC with `+00:00` at the end. Results have the same shape, so that
//! they compare with what is stored. Parts are cut out of the text: `STRFTIME` rounds the fraction.
//!
//! Roots, powers, logarithms, angles and the remainder of numbers that are not whole need a build with
//! `SQLITE_ENABLE_MATH_FUNCTIONS`, or a connection that registers functions of those names. JSON needs a build with
//! `SQLITE_ENABLE_JSON1` before 3.38, where JsonValue writes numbers as SQLite does. Nothing else needs anything.

#[macro_use]
mod dates;

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
    // Of an empty text to look for, REPLACE gives the first argument and does not look at the third.
    Row::call(F::Replace, "REPLACE({0}, {1}, {2})").not_null_at(2),
    Row::call(F::Replace, "CASE WHEN {2^} IS NOT NULL THEN REPLACE({0}, {1}, {2}) END"),
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
    Row::call(F::JsonSet, "CASE WHEN JSON_TYPE({0}, {1p}) = {1k} THEN JSON_SET({0}, {1}, {2j}) ELSE {0} END").plain(),
    // Of an item it takes the next one at most.
    Row::call(
        F::JsonSet,
        concat!(
            "CASE WHEN JSON_TYPE({0}, {1p}) = {1k} THEN JSON_SET({0}, CASE WHEN ",
            json_type!(),
            " IS NULL THEN {1p} || '[#]' ELSE {1} END, {2j}) ELSE {0} END"
        ),
    ),
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
        "(SELECT GROUP_CONCAT(value, {1} ORDER BY key) FROM JSON_EACH(JSON_GROUP_ARRAY({d}{0}{o}){f}) WHERE value IS NOT NULL)",
    )
    .distinct()
    .since(V3_44),
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
mod tests;
