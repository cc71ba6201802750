//! How SQL Server spells functions.
//!
//! Four habits of T-SQL stand behind many rows:
//! - LEN does not count trailing blanks, so they are made dots first.
//! - A negative length is an error in SUBSTRING, LEFT and RIGHT, and NULL in REPLICATE: it is raised to 0, unless it is
//!   known.
//! - A text that grows is cut at 8,000 bytes without an error, unless it is nvarchar(max).
//! - A part of a time with an offset is one of its local time: it is brought to UTC first.
//! - DATEDIFF counts the borders between two times, not the time between them: a finer unit is counted and divided.
//!   A microsecond is the finest unit that all engines share.

use isogloss_compiler::dialect::{On, Row};
use isogloss_compiler::functions::Func as F;
use isogloss_compiler::legalize::Rule;
use isogloss_compiler::render::Prec;

use crate::sheet::{V2022, V2025};

/// How far into its month a time is, in microseconds.
macro_rules! in_month {
    ($time:literal) => {
        concat!("DATEDIFF_BIG(microsecond, DATEFROMPARTS(YEAR(", $time, "), MONTH(", $time, "), 1), ", $time, ")")
    };
}

/// The whole months between two times: the borders between months, less one if the later time is not as far in its
/// month as the earlier one is in its.
macro_rules! months {
    ($from:literal, $to:literal) => {
        concat!(
            "DATEDIFF_BIG(month, ",
            $from,
            ", ",
            $to,
            ") - CASE WHEN ",
            $to,
            " > ",
            $from,
            " AND ",
            in_month!($to),
            " < ",
            in_month!($from),
            " THEN 1 WHEN ",
            $to,
            " < ",
            $from,
            " AND ",
            in_month!($to),
            " > ",
            in_month!($from),
            " THEN -1 ELSE 0 END"
        )
    };
}

/// The same between times of which one has an offset, at UTC.
macro_rules! utc_months {
    () => {
        months!(
            "CAST(SWITCHOFFSET(CAST({1} AS datetimeoffset), '+00:00') AS datetime2)",
            "CAST(SWITCHOFFSET(CAST({0} AS datetimeoffset), '+00:00') AS datetime2)"
        )
    };
}

/// A time with an offset, brought to UTC.
macro_rules! utc {
    () => {
        "SWITCHOFFSET({0}, '+00:00')"
    };
}

/// The midnight of a date, at UTC.
macro_rules! with_offset {
    ($date:expr) => {
        concat!("CAST(", $date, " AS datetimeoffset)")
    };
}

/// The filling in front of a text; one that is NULL is not looked at where the text is long enough.
const PAD_LEFT: &str = "CASE WHEN LEN(REPLACE({0}, ' ', '.')) >= {1} THEN {0} \
    ELSE REPLICATE(CAST({2} AS nvarchar(max)), {1^} - LEN(REPLACE({0}, ' ', '.'))) + {0^} END";

/// The same behind it.
const PAD_RIGHT: &str = "CASE WHEN LEN(REPLACE({0}, ' ', '.')) >= {1} THEN {0} \
    ELSE {0^} + REPLICATE(CAST({2} AS nvarchar(max)), {1^} - LEN(REPLACE({0}, ' ', '.'))) END";

/// A span that DATEADD may not take at once, as it takes an int: whole days, and the rest of one.
macro_rules! add_days_and {
    ($unit:literal, $of_a_day:literal, $time:literal) => {
        concat!("DATEADD(", $unit, ", {1^} % ", $of_a_day, ", DATEADD(day, {1^} / ", $of_a_day, ", ", $time, "))")
    };
}

/// The function table.
pub(crate) const FUNCTIONS: &[Row] = &[
    // Text.
    Row::call(F::Length, "DATALENGTH({0})").on(On::Binary),
    Row::call(F::Length, "LEN(REPLACE({0}, ' ', '.'))"),
    Row::call(F::ByteLength, "DATALENGTH({0})"),
    Row::call(F::Lower, "LOWER({0})"),
    Row::call(F::Upper, "UPPER({0})"),
    Row::call(F::Trim, "TRIM({0})").args(1),
    Row::call(F::Trim, "TRIM({1} FROM {0})"),
    Row::call(F::TrimStart, "LTRIM({0})").args(1),
    Row::call(F::TrimStart, "LTRIM({0}, {1})").since(V2022),
    // From the first character on that stays: it stands nowhere before. Nothing, if none stays.
    Row::call(
        F::TrimStart,
        "SUBSTRING({0}, CHARINDEX(LEFT(TRIM({1} FROM {0}), 1), {0}), \
         DATALENGTH({0}) * SIGN(DATALENGTH(TRIM({1} FROM {0}))))",
    ),
    Row::call(F::TrimEnd, "RTRIM({0})").args(1),
    Row::call(F::TrimEnd, "RTRIM({0}, {1})").since(V2022),
    // Up to the last character that stays: the first in the reverse.
    Row::call(
        F::TrimEnd,
        "LEFT({0}, (LEN(REPLACE({0}, ' ', '.')) - CHARINDEX(RIGHT(TRIM({1} FROM {0}), 1), REVERSE({0})) + 1) * \
         SIGN(DATALENGTH(TRIM({1} FROM {0}))))",
    ),
    Row::call(F::Substring, "SUBSTRING({0}, {1^} + 1, 2147483647)").args(2).plain(),
    Row::call(F::Substring, "SUBSTRING({0}, CASE WHEN {1} < 0 THEN 0 ELSE {1} END + 1, 2147483647)").args(2),
    Row::call(F::Substring, "SUBSTRING({0}, {1^} + 1, {2})").plain(),
    Row::call(
        F::Substring,
        "SUBSTRING({0}, CASE WHEN {1} < 0 THEN 0 ELSE {1} END + 1, CASE WHEN {2} < 0 THEN 0 ELSE {2} END)",
    ),
    // The empty text is found where the search begins, unless that is after the end; CHARINDEX gives 0 for it.
    Row::operator(F::IndexOf, Prec::Add, "CHARINDEX({1}, {0}) - 1").args(2).plain(),
    Row::operator(F::IndexOf, Prec::Add, "CHARINDEX({1}, {0}) - SIGN(DATALENGTH({1}))").args(2),
    Row::operator(F::IndexOf, Prec::Add, "CHARINDEX({1}, {0}, {2^} + 1) - 1").plain(),
    Row::call(
        F::IndexOf,
        "CASE WHEN DATALENGTH({1}) > 0 THEN CHARINDEX({1}, {0}, {2^} + 1) - 1 \
         WHEN DATALENGTH({1}) = 0 THEN CASE WHEN {2} < 0 THEN LEN({0}) * 0 \
         WHEN {2} <= LEN(REPLACE({0}, ' ', '.')) THEN {2} WHEN {2} > LEN(REPLACE({0}, ' ', '.')) THEN -1 END END",
    ),
    Row::call(F::Replace, "REPLACE(CAST({0} AS nvarchar(max)), {1}, {2})"),
    Row::call(F::Remove, "LEFT({0}, {1})").args(2).plain(),
    Row::call(F::Remove, "LEFT({0}, CASE WHEN {1} < 0 THEN 0 ELSE {1} END)").args(2),
    Row::operator(F::Remove, Prec::Add, "LEFT({0}, {1}) + SUBSTRING({0}, CAST({1} AS bigint) + {2^} + 1, 2147483647)")
        .plain(),
    Row::operator(
        F::Remove,
        Prec::Add,
        "LEFT({0}, CASE WHEN {1} < 0 THEN 0 ELSE {1} END) + SUBSTRING({0}, CAST(CASE WHEN {1} < 0 THEN 0 ELSE {1} END \
         AS bigint) + CASE WHEN {2} < 0 THEN 0 ELSE {2} END + 1, 2147483647)",
    ),
    Row::operator(
        F::Insert,
        Prec::Add,
        "CAST(LEFT({0}, {1}) AS nvarchar(max)) + {2^} + SUBSTRING({0}, {1^} + 1, 2147483647)",
    )
    .plain(),
    Row::operator(
        F::Insert,
        Prec::Add,
        "CAST(LEFT({0}, CASE WHEN {1} < 0 THEN 0 ELSE {1} END) AS nvarchar(max)) + {2^} + \
         SUBSTRING({0}, CASE WHEN {1} < 0 THEN 0 ELSE {1} END + 1, 2147483647)",
    ),
    Row::call(F::Left, "LEFT({0}, {1})").plain(),
    Row::call(F::Left, "LEFT({0}, CASE WHEN {1} < 0 THEN 0 ELSE {1} END)"),
    Row::call(F::Right, "RIGHT({0}, {1})").plain(),
    Row::call(F::Right, "RIGHT({0}, CASE WHEN {1} < 0 THEN 0 ELSE {1} END)"),
    Row::call(
        F::PadLeft,
        "CASE WHEN LEN(REPLACE({0}, ' ', '.')) >= {1} THEN {0} \
         ELSE REPLICATE(CAST(N' ' AS nvarchar(max)), {1^} - LEN(REPLACE({0}, ' ', '.'))) + {0^} END",
    )
    .args(2),
    Row::call(F::PadLeft, PAD_LEFT).not_null_at(2),
    Row::call(F::PadLeft, PAD_LEFT).guarded(),
    Row::call(
        F::PadRight,
        "CASE WHEN LEN(REPLACE({0}, ' ', '.')) >= {1} THEN {0} \
         ELSE {0^} + REPLICATE(CAST(N' ' AS nvarchar(max)), {1^} - LEN(REPLACE({0}, ' ', '.'))) END",
    )
    .args(2),
    Row::call(F::PadRight, PAD_RIGHT).not_null_at(2),
    Row::call(F::PadRight, PAD_RIGHT).guarded(),
    Row::call(F::Repeat, "REPLICATE(CAST({0} AS nvarchar(max)), {1})").plain(),
    Row::call(F::Repeat, "REPLICATE(CAST({0} AS nvarchar(max)), CASE WHEN {1} < 0 THEN 0 ELSE {1} END)"),
    Row::call(F::Reverse, "REVERSE({0})"),
    Row::call(F::Space, "REPLICATE(CAST(N' ' AS nvarchar(max)), {0})").plain(),
    Row::call(F::Space, "REPLICATE(CAST(N' ' AS nvarchar(max)), CASE WHEN {0} < 0 THEN 0 ELSE {0} END)"),
    // Of the empty text it would be NULL.
    Row::call(F::Ascii, "CASE WHEN DATALENGTH({0}) = 0 THEN 0 ELSE ASCII({0}) END"),
    Row::call(F::Char, "NCHAR({0})").plain(),
    Row::call(F::Char, "CASE WHEN {0^} BETWEEN 1 AND 127 THEN NCHAR({0}) END"),
    Row::expand(F::Concat, Rule::ConcatCast),
    // CONCAT_WS wants two texts, and takes NULL for an empty separator. COALESCE would compute the text twice.
    Row::call(F::ConcatWs, "ISNULL(CAST({1} AS nvarchar(max)), N'')").args(2).not_null(1),
    Row::call(F::ConcatWs, "CASE WHEN {0} IS NOT NULL THEN ISNULL(CAST({1} AS nvarchar(max)), N'') END").args(2),
    Row::call(F::ConcatWs, "CONCAT_WS({0}, CAST({1} AS nvarchar(max)), {2*})").not_null(1),
    Row::call(F::ConcatWs, "CASE WHEN {0} IS NOT NULL THEN CONCAT_WS({0}, CAST({1} AS nvarchar(max)), {2*}) END"),
    Row::call(F::RegexpReplace, "REGEXP_REPLACE({0}, {1}, {2}, 1, 0, 's')").since(V2025),
    Row::refuse(F::RegexpReplace, NO_REGEX),
    Row::call(F::RegexpSubstr, "REGEXP_SUBSTR({0}, {1}, 1, 1, 's')").since(V2025),
    Row::refuse(F::RegexpSubstr, NO_REGEX),
    Row::call(F::RegexpCount, "REGEXP_COUNT({0}, {1}, 1, 's')").since(V2025),
    Row::refuse(F::RegexpCount, NO_REGEX),
    // Numbers.
    Row::call(F::Abs, "ABS({0})"),
    Row::call(F::Sign, "CAST(SIGN({0}) AS int)"),
    Row::call(F::Ceiling, "CEILING({0})"),
    Row::call(F::Floor, "FLOOR({0})"),
    // ROUND keeps the number of digits, so that 9.9 as decimal(2, 1) would overflow: adding 0 makes room for one more.
    Row::call(F::Round, "ROUND({0}, 0)").args(1).on(On::Integer),
    Row::call(F::Round, "ROUND({0}, {1})").on(On::Integer),
    Row::call(F::Round, "ROUND({0^} + 0, 0)").args(1).on(On::Exact),
    Row::call(F::Round, "ROUND({0^} + 0, {1})").on(On::Exact),
    Row::call(F::Round, "ROUND({0}, 0)").args(1),
    Row::call(F::Round, "ROUND({0}, {1})"),
    Row::call(F::Truncate, "ROUND({0}, 0, 1)").args(1),
    Row::call(F::Truncate, "ROUND({0}, {1}, 1)"),
    Row::call(F::Sqrt, "SQRT(CASE WHEN {0} >= 0 THEN {0} END)"),
    // POWER, DEGREES and RADIANS have the type of their argument: of a whole number they would give a whole one.
    Row::call(F::Power, "POWER(CAST({0} AS float), {1})").plain(),
    Row::call(
        F::Power,
        "POWER(CASE WHEN {0} > 0 OR {0} = 0 AND {1} >= 0 OR {1} = FLOOR({1}) AND {0} <> 0 THEN CAST({0} AS float) END, {1})",
    ),
    Row::call(F::Exp, "EXP({0})"),
    Row::call(F::Log, "LOG(CASE WHEN {0} > 0 THEN {0} END)"),
    Row::call(F::Log10, "LOG10(CASE WHEN {0} > 0 THEN {0} END)"),
    Row::call(F::Log2, "LOG(CASE WHEN {0} > 0 THEN {0} END, 2)"),
    Row::call(F::Sin, "SIN({0})"),
    Row::call(F::Cos, "COS({0})"),
    Row::call(F::Tan, "TAN({0})"),
    // Outside of the domain is an error that ends the statement.
    Row::call(F::Asin, "ASIN(CASE WHEN {0} BETWEEN -1 AND 1 THEN {0} END)"),
    Row::call(F::Acos, "ACOS(CASE WHEN {0} BETWEEN -1 AND 1 THEN {0} END)"),
    Row::call(F::Atan, "ATAN({0})"),
    Row::call(F::Atan2, "CASE WHEN {0} = 0 AND {1} = 0 THEN 0 ELSE ATN2({0}, {1}) END"),
    Row::call(F::Degrees, "DEGREES(CAST({0} AS float))"),
    Row::call(F::Radians, "RADIANS(CAST({0} AS float))"),
    Row::call(F::Pi, "PI()"),
    Row::operator(F::Mod, Prec::Multiply, "{0^} % NULLIF({1}, 0)"),
    // RAND by itself is one number for all rows; NEWID is another for each.
    Row::call(F::Random, "RAND(CHECKSUM(NEWID()))"),
    // GREATEST and LEAST pass over NULL.
    Row::expand(F::Greatest, Rule::GreatestCase).on(On::Guid),
    Row::call(F::Greatest, "GREATEST({*})").not_null(u8::MAX).since(V2022),
    Row::expand(F::Greatest, Rule::GreatestCase),
    Row::expand(F::Least, Rule::GreatestCase).on(On::Guid),
    Row::call(F::Least, "LEAST({*})").not_null(u8::MAX).since(V2022),
    Row::expand(F::Least, Rule::GreatestCase),
    Row::operator(F::BitAnd, Prec::Add, "{0^} & {1^}"),
    Row::operator(F::BitOr, Prec::Add, "{0^} | {1^}"),
    Row::operator(F::BitXor, Prec::Add, "{0^} ^ {1^}"),
    Row::call(F::ShiftLeft, "LEFT_SHIFT(CAST({0} AS bigint), {1})").since(V2022),
    Row::operator(F::ShiftLeft, Prec::Multiply, "{0^} * POWER(CAST(2 AS bigint), {1})"),
    Row::call(F::ShiftRight, "RIGHT_SHIFT({0}, {1})").since(V2022),
    Row::operator(F::ShiftRight, Prec::Multiply, "{0^} / POWER(CAST(2 AS bigint), {1})"),
    // NULL. Both are written out as a CASE by the engine, which computes each value but the last one twice.
    Row::call(F::Coalesce, "COALESCE({*})").computed_twice(),
    Row::call(F::NullIf, "NULLIF({0}, {1})").computed_twice(),
    // Dates and times.
    Row::call(F::Now, "SYSDATETIME()"),
    Row::call(F::UtcNow, "SYSUTCDATETIME()"),
    Row::call(F::Today, "CAST(SYSDATETIME() AS date)"),
    Row::call(F::Year, concat!("YEAR(", utc!(), ")")).on(On::DateTimeOffset),
    Row::call(F::Year, "YEAR({0})"),
    Row::call(F::Quarter, concat!("DATEPART(quarter, ", utc!(), ")")).on(On::DateTimeOffset),
    Row::call(F::Quarter, "DATEPART(quarter, {0})"),
    Row::call(F::Month, concat!("MONTH(", utc!(), ")")).on(On::DateTimeOffset),
    Row::call(F::Month, "MONTH({0})"),
    Row::call(F::Week, concat!("DATEPART(iso_week, ", utc!(), ")")).on(On::DateTimeOffset),
    Row::call(F::Week, "DATEPART(iso_week, {0})"),
    Row::call(F::Day, concat!("DAY(", utc!(), ")")).on(On::DateTimeOffset),
    Row::call(F::Day, "DAY({0})"),
    Row::call(F::DayOfYear, concat!("DATEPART(dayofyear, ", utc!(), ")")).on(On::DateTimeOffset),
    Row::call(F::DayOfYear, "DATEPART(dayofyear, {0})"),
    // The first day of the week is the session's; in the sum it does not count.
    Row::operator(F::DayOfWeek, Prec::Multiply, concat!("(DATEPART(weekday, ", utc!(), ") + @@DATEFIRST - 1) % 7"))
        .on(On::DateTimeOffset),
    Row::operator(F::DayOfWeek, Prec::Multiply, "(DATEPART(weekday, {0}) + @@DATEFIRST - 1) % 7"),
    // A date has no parts of a time.
    Row::call(F::Hour, concat!("DATEPART(hour, ", utc!(), ")")).on(On::DateTimeOffset),
    Row::call(F::Hour, "DATEPART(hour, CAST({0} AS datetime2))").on(On::Date),
    Row::call(F::Hour, "DATEPART(hour, {0})"),
    Row::call(F::Minute, concat!("DATEPART(minute, ", utc!(), ")")).on(On::DateTimeOffset),
    Row::call(F::Minute, "DATEPART(minute, CAST({0} AS datetime2))").on(On::Date),
    Row::call(F::Minute, "DATEPART(minute, {0})"),
    Row::call(F::Second, "DATEPART(second, CAST({0} AS datetime2))").on(On::Date),
    Row::call(F::Second, "DATEPART(second, {0})"),
    Row::call(F::Millisecond, "DATEPART(millisecond, CAST({0} AS datetime2))").on(On::Date),
    Row::call(F::Millisecond, "DATEPART(millisecond, {0})"),
    Row::call(F::Date, concat!("CAST(", utc!(), " AS date)")).on(On::DateTimeOffset),
    Row::call(F::Date, "CAST({0} AS date)"),
    Row::call(F::TimeOfDay, concat!("CAST(", utc!(), " AS time)")).on(On::DateTimeOffset),
    Row::call(F::TimeOfDay, "CAST(CAST({0} AS datetime2) AS time)").on(On::Date),
    Row::call(F::TimeOfDay, "CAST({0} AS time)"),
    Row::call(F::AddYears, concat!("DATEADD(year, {1}, ", utc!(), ")")).on(On::DateTimeOffset),
    Row::call(F::AddYears, "DATEADD(year, {1}, {0})"),
    Row::call(F::AddQuarters, concat!("DATEADD(quarter, {1}, ", utc!(), ")")).on(On::DateTimeOffset),
    Row::call(F::AddQuarters, "DATEADD(quarter, {1}, {0})"),
    Row::call(F::AddMonths, concat!("DATEADD(month, {1}, ", utc!(), ")")).on(On::DateTimeOffset),
    Row::call(F::AddMonths, "DATEADD(month, {1}, {0})"),
    Row::call(F::AddWeeks, "DATEADD(week, {1}, {0})"),
    Row::call(F::AddDays, "DATEADD(day, {1}, {0})"),
    Row::call(F::AddHours, "DATEADD(hour, {1}, CAST({0} AS datetime2))").on(On::Date),
    Row::call(F::AddHours, "DATEADD(hour, {1}, {0})"),
    Row::call(F::AddMinutes, "DATEADD(minute, {1}, CAST({0} AS datetime2))").on(On::Date).int32_at(1),
    Row::call(F::AddMinutes, add_days_and!("minute", "1440", "CAST({0} AS datetime2)")).on(On::Date),
    Row::call(F::AddMinutes, "DATEADD(minute, {1}, {0})").int32_at(1),
    Row::call(F::AddMinutes, add_days_and!("minute", "1440", "{0}")),
    Row::call(F::AddSeconds, "DATEADD(second, {1}, CAST({0} AS datetime2))").on(On::Date).int32_at(1),
    Row::call(F::AddSeconds, add_days_and!("second", "86400", "CAST({0} AS datetime2)")).on(On::Date),
    Row::call(F::AddSeconds, "DATEADD(second, {1}, {0})").int32_at(1),
    Row::call(F::AddSeconds, add_days_and!("second", "86400", "{0}")),
    // A time keeps the digits of its column.
    Row::call(F::AddMilliseconds, "DATEADD(millisecond, {1}, CAST({0} AS datetimeoffset))")
        .on(On::DateTimeOffset)
        .int32_at(1),
    Row::call(F::AddMilliseconds, add_days_and!("millisecond", "86400000", "CAST({0} AS datetimeoffset)"))
        .on(On::DateTimeOffset),
    Row::call(F::AddMilliseconds, "DATEADD(millisecond, {1}, CAST({0} AS datetime2))").int32_at(1),
    Row::call(F::AddMilliseconds, add_days_and!("millisecond", "86400000", "CAST({0} AS datetime2)")),
    Row::operator(F::DateDiffYears, Prec::Multiply, concat!("(", months!("{1}", "{0}"), ") / 12")).every(On::Date),
    Row::operator(F::DateDiffYears, Prec::Multiply, concat!("(", months!("{1}", "{0}"), ") / 12")).every(On::DateTime),
    Row::operator(F::DateDiffYears, Prec::Multiply, concat!("(", utc_months!(), ") / 12")),
    Row::operator(F::DateDiffMonths, Prec::Add, months!("{1}", "{0}")).every(On::Date),
    Row::operator(F::DateDiffMonths, Prec::Add, months!("{1}", "{0}")).every(On::DateTime),
    Row::operator(F::DateDiffMonths, Prec::Add, utc_months!()),
    Row::call(F::DateDiffDays, "DATEDIFF_BIG(day, {1}, {0})").every(On::Date),
    // Divided twice: 86,400,000,000 is no int, so it would be a decimal, and the quotient too.
    Row::operator(F::DateDiffDays, Prec::Multiply, "DATEDIFF_BIG(microsecond, {1}, {0}) / 1000000 / 86400"),
    Row::operator(F::DateDiffHours, Prec::Multiply, "DATEDIFF_BIG(microsecond, {1}, {0}) / 1000000 / 3600"),
    Row::operator(F::DateDiffMinutes, Prec::Multiply, "DATEDIFF_BIG(microsecond, {1}, {0}) / 1000000 / 60"),
    Row::operator(F::DateDiffSeconds, Prec::Multiply, "DATEDIFF_BIG(microsecond, {1}, {0}) / 1000000"),
    Row::operator(F::DateDiffMilliseconds, Prec::Multiply, "DATEDIFF_BIG(microsecond, {1}, {0}) / 1000"),
    Row::call(F::TruncYear, concat!("DATETRUNC(year, ", utc!(), ")")).on(On::DateTimeOffset).since(V2022),
    Row::call(F::TruncYear, "DATETRUNC(year, {0})").since(V2022),
    Row::call(F::TruncYear, "DATEFROMPARTS(YEAR({0}), 1, 1)").on(On::Date),
    Row::call(F::TruncYear, with_offset!(concat!("DATEFROMPARTS(YEAR(", utc!(), "), 1, 1)"))).on(On::DateTimeOffset),
    Row::call(F::TruncYear, "CAST(DATEFROMPARTS(YEAR({0}), 1, 1) AS datetime2)"),
    Row::call(F::TruncQuarter, concat!("DATETRUNC(quarter, ", utc!(), ")")).on(On::DateTimeOffset).since(V2022),
    Row::call(F::TruncQuarter, "DATETRUNC(quarter, {0})").since(V2022),
    Row::call(F::TruncQuarter, "DATEFROMPARTS(YEAR({0}), DATEPART(quarter, {0}) * 3 - 2, 1)").on(On::Date),
    Row::call(
        F::TruncQuarter,
        with_offset!(concat!("DATEFROMPARTS(YEAR(", utc!(), "), DATEPART(quarter, ", utc!(), ") * 3 - 2, 1)")),
    )
    .on(On::DateTimeOffset),
    Row::call(F::TruncQuarter, "CAST(DATEFROMPARTS(YEAR({0}), DATEPART(quarter, {0}) * 3 - 2, 1) AS datetime2)"),
    Row::call(F::TruncMonth, concat!("DATETRUNC(month, ", utc!(), ")")).on(On::DateTimeOffset).since(V2022),
    Row::call(F::TruncMonth, "DATETRUNC(month, {0})").since(V2022),
    Row::call(F::TruncMonth, "DATEFROMPARTS(YEAR({0}), MONTH({0}), 1)").on(On::Date),
    Row::call(F::TruncMonth, with_offset!(concat!("DATEFROMPARTS(YEAR(", utc!(), "), MONTH(", utc!(), "), 1)")))
        .on(On::DateTimeOffset),
    Row::call(F::TruncMonth, "CAST(DATEFROMPARTS(YEAR({0}), MONTH({0}), 1) AS datetime2)"),
    Row::call(F::TruncWeek, concat!("DATETRUNC(iso_week, ", utc!(), ")")).on(On::DateTimeOffset).since(V2022),
    Row::call(F::TruncWeek, "DATETRUNC(iso_week, {0})").since(V2022),
    Row::call(F::TruncWeek, "DATEADD(day, -((DATEPART(weekday, {0}) + @@DATEFIRST + 5) % 7), {0})").on(On::Date),
    Row::call(
        F::TruncWeek,
        with_offset!(concat!(
            "DATEADD(day, -((DATEPART(weekday, ",
            utc!(),
            ") + @@DATEFIRST + 5) % 7), CAST(",
            utc!(),
            " AS date))"
        )),
    )
    .on(On::DateTimeOffset),
    Row::call(
        F::TruncWeek,
        "CAST(DATEADD(day, -((DATEPART(weekday, {0}) + @@DATEFIRST + 5) % 7), CAST({0} AS date)) AS datetime2)",
    ),
    Row::call(F::TruncDay, "{0^}").on(On::Date),
    Row::call(F::TruncDay, concat!("DATETRUNC(day, ", utc!(), ")")).on(On::DateTimeOffset).since(V2022),
    Row::call(F::TruncDay, "DATETRUNC(day, {0})").since(V2022),
    Row::call(F::TruncDay, with_offset!(concat!("CAST(", utc!(), " AS date)"))).on(On::DateTimeOffset),
    Row::call(F::TruncDay, "CAST(CAST({0} AS date) AS datetime2)"),
    Row::call(F::TruncHour, "{0^}").on(On::Date),
    Row::call(F::TruncHour, concat!("DATETRUNC(hour, ", utc!(), ")")).on(On::DateTimeOffset).since(V2022),
    Row::call(F::TruncHour, "DATETRUNC(hour, {0})").since(V2022),
    Row::call(
        F::TruncHour,
        concat!(
            "DATEADD(hour, DATEPART(hour, ",
            utc!(),
            "), ",
            with_offset!(concat!("CAST(", utc!(), " AS date)")),
            ")"
        ),
    )
    .on(On::DateTimeOffset),
    Row::call(F::TruncHour, "DATEADD(hour, DATEPART(hour, {0}), CAST(CAST({0} AS date) AS datetime2))"),
    Row::call(F::TruncMinute, "{0^}").on(On::Date),
    Row::call(F::TruncMinute, concat!("DATETRUNC(minute, ", utc!(), ")")).on(On::DateTimeOffset).since(V2022),
    Row::call(F::TruncMinute, "DATETRUNC(minute, {0})").since(V2022),
    Row::call(
        F::TruncMinute,
        concat!(
            "DATEADD(minute, DATEPART(hour, ",
            utc!(),
            ") * 60 + DATEPART(minute, ",
            utc!(),
            "), ",
            with_offset!(concat!("CAST(", utc!(), " AS date)")),
            ")"
        ),
    )
    .on(On::DateTimeOffset),
    Row::call(
        F::TruncMinute,
        "DATEADD(minute, DATEPART(hour, {0}) * 60 + DATEPART(minute, {0}), CAST(CAST({0} AS date) AS datetime2))",
    ),
    Row::call(F::LastDay, concat!("EOMONTH(", utc!(), ")")).on(On::DateTimeOffset),
    Row::call(F::LastDay, "EOMONTH({0})"),
    Row::call(F::MakeDate, "DATEFROMPARTS({0}, {1}, {2})"),
    Row::call(F::ToUnixSeconds, "DATEDIFF_BIG(second, '1970-01-01', {0})"),
    // DATEADD takes an int, which ends in 2038.
    Row::call(
        F::FromUnixSeconds,
        "DATEADD(second, {0^} % 86400, DATEADD(day, {0^} / 86400, CAST('1970-01-01' AS datetime2)))",
    ),
    Row::call(F::Format, concat!("FORMAT(", utc!(), ", {1}, 'en-US')")).on(On::DateTimeOffset),
    Row::call(F::Format, "FORMAT({0}, {1}, 'en-US')"),
    // JSON. JSON_VALUE gives NULL for a text of more than 4,000 characters; OPENJSON would not, but no index on a computed
    // column serves it.
    Row::call(F::JsonValue, "JSON_VALUE({0}, {1})").noted(Rule::JsonTextLength),
    Row::call(F::JsonQuery, "JSON_QUERY({0}, {1})"),
    Row::call(F::JsonExists, "CAST(JSON_PATH_EXISTS({0}, {1}) AS bit)").since(V2022),
    // A JSON null is a member like any other; a key that ends with blanks is another one.
    Row::call(
        F::JsonExists,
        "CASE WHEN EXISTS (SELECT 1 FROM OPENJSON(N'[' + JSON_QUERY({0}, {1p}) + N']') [j] CROSS APPLY \
         OPENJSON([j].[value]) [m] WHERE [j].[type] = {1k} AND [m].[key] + N'.' = {1n} + N'.') \
         THEN CAST(1 AS bit) ELSE CAST(0 AS bit) END",
    )
    .guarded(),
    // Between brackets, the value is an item whose type is known: 4 is an array.
    Row::call(
        F::JsonLength,
        "(SELECT CASE WHEN [j].[type] = 4 THEN (SELECT COUNT(*) FROM OPENJSON([j].[value])) END \
         FROM OPENJSON(N'[' + JSON_QUERY({0}) + N']') [j])",
    )
    .args(1),
    Row::call(
        F::JsonLength,
        "(SELECT CASE WHEN [j].[type] = 4 THEN (SELECT COUNT(*) FROM OPENJSON([j].[value])) END \
         FROM OPENJSON(N'[' + JSON_QUERY({0}, {1}) + N']') [j])",
    ),
    Row::refuse(F::JsonContains, "SQL Server compares no JSON: compare JsonValue at a path"),
    // JSON_MODIFY takes a member away for NULL.
    Row::call(F::JsonSet, "JSON_MODIFY({0}, {1}, {2j})"),
    Row::call(F::JsonObject, "JSON_OBJECT({:})").since(V2022),
    Row::call(F::JsonObject, "(SELECT {= AS } FOR JSON PATH, INCLUDE_NULL_VALUES, WITHOUT_ARRAY_WRAPPER)"),
    Row::call(F::JsonArray, "JSON_ARRAY({*j} NULL ON NULL)").since(V2022),
    Row::refuse(F::JsonArray, "SQL Server has no JSON_ARRAY before 2022"),
    Row::call(F::IsJson, "CAST(ISJSON({0}, VALUE) AS bit)").since(V2022),
    // ISJSON by itself takes objects and arrays only. Between brackets any value is valid, but so are several.
    Row::call(
        F::IsJson,
        "CAST(CASE ISJSON(N'[' + CAST({0} AS nvarchar(max)) + N']') WHEN 1 THEN CASE (SELECT COUNT(*) FROM \
         OPENJSON(N'[' + CAST({0} AS nvarchar(max)) + N']')) WHEN 1 THEN 1 ELSE 0 END WHEN 0 THEN 0 END AS bit)",
    ),
    // Other.
    Row::call(F::NewGuid, "NEWID()"),
    Row::call(F::Hex, "CONVERT(varchar(max), {0}, 2)").on(On::Binary),
    Row::refuse(F::Hex, "it takes bytes only"),
    // Aggregates.
    Row::call(F::Count, "COUNT_BIG(*)").args(0),
    Row::call(F::Count, "COUNT_BIG({0})"),
    // SUM and AVG of an int are an int.
    Row::call(F::Sum, "SUM({d}CAST({0} AS bigint))").on(On::Int32),
    Row::call(F::Sum, "SUM({0})"),
    Row::call(F::Avg, "AVG({d}CAST({0} AS float))").on(On::Integer),
    Row::call(F::Avg, "AVG({0})").on(On::Exact).noted(Rule::DecimalDigits),
    Row::call(F::Avg, "AVG({0})"),
    // MIN and MAX take no bit.
    Row::call(F::Min, "CAST(MIN({d}CAST({0} AS tinyint)){v} AS bit)").on(On::Boolean),
    Row::call(F::Min, "CAST(MIN({d}CAST({0} AS char(36))){v} AS uniqueidentifier)").on(On::Guid).noted(Rule::GuidText),
    Row::call(F::Min, "MIN({0})"),
    Row::call(F::Max, "CAST(MAX({d}CAST({0} AS tinyint)){v} AS bit)").on(On::Boolean),
    Row::call(F::Max, "CAST(MAX({d}CAST({0} AS char(36))){v} AS uniqueidentifier)").on(On::Guid).noted(Rule::GuidText),
    Row::call(F::Max, "MAX({0})"),
    Row::refuse(F::StringAgg, NO_DISTINCT).distinct(),
    Row::refuse(F::StringAgg, NO_WINDOW).over(),
    Row::call(F::StringAgg, "STRING_AGG(CAST({0} AS nvarchar(max)), {1}){w}"),
    Row::call(F::StdDev, "STDEV({0})"),
    Row::call(F::StdDevPop, "STDEVP({0})"),
    Row::call(F::Variance, "VAR({0})"),
    Row::call(F::VariancePop, "VARP({0})"),
    Row::call(F::BoolAnd, "CAST(MIN(CAST({0} AS tinyint)){v} AS bit)"),
    Row::call(F::BoolOr, "CAST(MAX(CAST({0} AS tinyint)){v} AS bit)"),
    Row::refuse(F::JsonArrayAgg, NO_DISTINCT).distinct(),
    Row::refuse(F::JsonArrayAgg, NO_WINDOW).over(),
    Row::operator(
        F::JsonArrayAgg,
        Prec::Add,
        "N'[' + STRING_AGG(COALESCE(CAST({0} AS nvarchar(max)), N'null'), N',') + N']'",
    )
    .on(On::Exact),
    Row::operator(
        F::JsonArrayAgg,
        Prec::Add,
        "N'[' + STRING_AGG(COALESCE(CONVERT(nvarchar(max), {0}, 3), N'null'), N',') + N']'",
    )
    .on(On::Float),
    Row::operator(
        F::JsonArrayAgg,
        Prec::Add,
        "N'[' + STRING_AGG(CASE {0} WHEN 1 THEN CAST(N'true' AS nvarchar(max)) WHEN 0 THEN N'false' ELSE N'null' END, \
         N',') + N']'",
    )
    .on(On::Boolean),
    Row::operator(
        F::JsonArrayAgg,
        Prec::Add,
        "N'[' + STRING_AGG(COALESCE(N'\"' + STRING_ESCAPE(CAST({0} AS nvarchar(max)), 'json') + N'\"', N'null'), N',') \
         + N']'",
    )
    .on(On::Text),
    Row::refuse(F::JsonArrayAgg, "SQL Server's JSON has no such type: cast the value to text"),
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
    Row::refuse(F::NthValue, "SQL Server has no NTH_VALUE: number the rows with RowNumber and choose one"),
];

const NO_REGEX: &str = "SQL Server has no regular expressions before 2025";
const NO_DISTINCT: &str = "STRING_AGG takes no DISTINCT: select the distinct rows in a derived table first";
pub(crate) const NO_WINDOW: &str = "STRING_AGG stands over no window: group the rows in a derived table and join it";
