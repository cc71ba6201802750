//! How Oracle spells functions.
//!
//! `DATE` has no fraction of a second, and `TRUNC` and `ADD_MONTHS` give one whatever they get: where a fraction must
//! survive, an interval is added instead, or the result is a `TIMESTAMP` again. `NVL2` keeps a NULL argument's result
//! NULL where `||` would leave it out. `GREATEST(n, 0)` cuts a position to the text: a negative one counts from the end
//! in `SUBSTR`.

use isogloss_compiler::dialect::{On, Row};
use isogloss_compiler::functions::Func as F;
use isogloss_compiler::legalize::Rule;
use isogloss_compiler::render::Prec::{Add, Concat, Multiply};

const V12_2: (u16, u16, u16) = (12, 2, 0);
const V18: (u16, u16, u16) = (18, 0, 0);
const V19: (u16, u16, u16) = (19, 0, 0);
const V19_10: (u16, u16, u16) = (19, 10, 0);
const V21: (u16, u16, u16) = (21, 0, 0);
const V23: (u16, u16, u16) = (23, 0, 0);

const NO_JSON: &str = "Oracle makes no JSON before 12.2";

/// A DATE so many months later.
///
/// `ADD_MONTHS` makes the last day of a month the last of the other: it is right, or too late. The first of the other
/// month and the days since the first are right, or too late where the month is too short. So the earlier is right.
macro_rules! add_months {
    ($months:literal) => {
        concat!(
            "LEAST(ADD_MONTHS({0}, ",
            $months,
            "), ADD_MONTHS(TRUNC({0}, 'MM'), ",
            $months,
            ") + ({0^} - TRUNC({0}, 'MM')))"
        )
    };
}

/// The same of a TIMESTAMP, which takes the days between as an interval, so that its time stays; `$at` is the same time
/// in UTC.
macro_rules! add_months_to_time {
    ($months:literal) => {
        add_months_to_time!($months, "{0}")
    };
    ($months:literal, $at:literal) => {
        concat!(
            "{0^} + NUMTODSINTERVAL(LEAST(ADD_MONTHS(TRUNC(",
            $at,
            "), ",
            $months,
            "), ADD_MONTHS(TRUNC(",
            $at,
            ", 'MM'), ",
            $months,
            ") + (TRUNC(",
            $at,
            ") - TRUNC(",
            $at,
            ", 'MM'))) - TRUNC(",
            $at,
            "), 'DAY')"
        )
    };
}

/// How far a time is from the first of its month.
macro_rules! since_first {
    ($time:literal) => {
        concat!("CAST(", $time, " AS TIMESTAMP) - TRUNC(", $time, ", 'MM')")
    };
}

/// The months between the firsts of two months, and a half less or more where less or more of the month is over: cut
/// toward zero, the whole months.
///
/// `MONTHS_BETWEEN` of the times themselves takes two last days for a whole month, and looks at no time of day.
macro_rules! months {
    ($a:literal, $b:literal) => {
        concat!(
            "MONTHS_BETWEEN(TRUNC(",
            $a,
            ", 'MM'), TRUNC(",
            $b,
            ", 'MM')) + CASE WHEN ",
            since_first!($a),
            " < ",
            since_first!($b),
            " THEN -0.5 WHEN ",
            since_first!($a),
            " > ",
            since_first!($b),
            " THEN 0.5 ELSE 0 END"
        )
    };
}

/// A field of the interval from the second argument. The fields of a negative one are all negative, so each is cut
/// toward zero.
macro_rules! field {
    ($field:literal, $from:literal) => {
        concat!("EXTRACT(", $field, " FROM (", $from, " - {1^}))")
    };
}

macro_rules! days {
    ($from:literal) => {
        field!("DAY", $from)
    };
}

macro_rules! hours {
    ($from:literal) => {
        concat!(days!($from), " * 24 + ", field!("HOUR", $from))
    };
}

macro_rules! minutes {
    ($from:literal) => {
        concat!("(", hours!($from), ") * 60 + ", field!("MINUTE", $from))
    };
}

macro_rules! seconds {
    ($from:literal, $minute:literal, $unit:literal) => {
        concat!("(", minutes!($from), ") * ", $minute, " + TRUNC(", field!("SECOND", $from), $unit, ")")
    };
}

/// A time and so many units, of which there are `$day` in a day.
macro_rules! add_seconds {
    ($time:literal, $day:literal, $unit:literal) => {
        concat!(
            $time,
            " + NUMTODSINTERVAL(TRUNC({1^} / ",
            $day,
            "), 'DAY') + NUMTODSINTERVAL(MOD({1}, ",
            $day,
            ")",
            $unit,
            ", 'SECOND')"
        )
    };
}

/// The beginning of a unit in UTC.
macro_rules! truncated_at_utc {
    ($unit:literal) => {
        concat!("FROM_TZ(CAST(TRUNC(SYS_EXTRACT_UTC({0})", $unit, ") AS TIMESTAMP), 'UTC')")
    };
}

/// The function table.
pub(crate) const FUNCTIONS: &[Row] = &[
    // Text.
    // LENGTH of a RAW is that of its digits.
    Row::call(F::Length, "DBMS_LOB.GETLENGTH({0})").on(On::Binary),
    Row::call(F::Length, "LENGTH({0})"),
    Row::call(F::ByteLength, "DBMS_LOB.GETLENGTH({0})").on(On::Binary),
    Row::call(F::ByteLength, "LENGTHB({0})"),
    Row::call(F::Lower, "LOWER({0})"),
    Row::call(F::Upper, "UPPER({0})"),
    Row::call(F::Trim, "TRIM({0})").args(1),
    // TRIM takes one character only.
    Row::call(F::Trim, "LTRIM(RTRIM({0}, {1}), {1})"),
    Row::call(F::TrimStart, "LTRIM({*})"),
    Row::call(F::TrimEnd, "RTRIM({*})"),
    Row::call(F::Substring, "SUBSTR({0}, {1^} + 1)").args(2).plain(),
    Row::call(F::Substring, "SUBSTR({0}, {1^} + 1, {2})").plain(),
    Row::call(F::Substring, "SUBSTR({0}, GREATEST({1}, 0) + 1)").args(2),
    Row::call(F::Substring, "SUBSTR({0}, GREATEST({1}, 0) + 1, {2})"),
    Row::operator(F::IndexOf, Add, "INSTR({0}, {1}) - 1").args(2),
    Row::operator(F::IndexOf, Add, "INSTR({0}, {1}, {2^} + 1) - 1").plain(),
    Row::operator(F::IndexOf, Add, "INSTR({0}, {1}, GREATEST({2}, 0) + 1) - 1"),
    // A NULL is taken for the empty text.
    Row::call(F::Replace, "REPLACE({*})").not_null_at(1).not_null_at(2),
    Row::call(F::Replace, "REPLACE({*})").guarded(),
    Row::call(F::Remove, "SUBSTR({0}, 1, {1})").args(2),
    Row::operator(F::Remove, Concat, "SUBSTR({0}, 1, {1}) || SUBSTR({0}, {1^} + {2^} + 1)").plain(),
    Row::call(
        F::Remove,
        "NVL2({2}, SUBSTR({0}, 1, GREATEST({1}, 0)) \
         || SUBSTR({0}, GREATEST({1}, 0) + GREATEST({2}, 0) + 1), NULL)",
    ),
    Row::operator(F::Insert, Concat, "SUBSTR({0}, 1, {1}) || {2^} || SUBSTR({0}, {1^} + 1)").plain().not_null(1),
    Row::call(
        F::Insert,
        "CASE WHEN {0^} IS NOT NULL AND {1^} IS NOT NULL \
         THEN SUBSTR({0}, 1, GREATEST({1}, 0)) || {2^} || SUBSTR({0}, GREATEST({1}, 0) + 1) END",
    )
    .not_null_at(2),
    Row::call(
        F::Insert,
        "CASE WHEN {0^} IS NOT NULL AND {1^} IS NOT NULL AND {2^} IS NOT NULL \
         THEN SUBSTR({0}, 1, GREATEST({1}, 0)) || {2^} || SUBSTR({0}, GREATEST({1}, 0) + 1) END",
    ),
    Row::call(F::Left, "SUBSTR({0}, 1, {1})"),
    Row::call(F::Right, "SUBSTR({0}, GREATEST(LENGTH({0}) - {1^}, 0) + 1)"),
    // Only blanks are made by LPAD and RPAD: they cut a longer text, and count a wide character twice.
    Row::operator(F::PadLeft, Concat, "LPAD(' ', {1^} - LENGTH({0})) || {0^}").args(2).plain().noted(Rule::PadLimit),
    Row::operator(F::PadLeft, Concat, "REPLACE(RPAD(' ', {1^} - LENGTH({0})), ' ', {2}) || {0^}").plain().noted(Rule::PadLimit),
    Row::call(F::PadLeft, "NVL2({1}, LPAD(' ', {1^} - LENGTH({0})) || {0^}, NULL)").args(2).noted(Rule::PadLimit),
    Row::call(F::PadLeft, "NVL2({1}, REPLACE(RPAD(' ', {1^} - LENGTH({0})), ' ', {2}) || {0^}, NULL)")
        .not_null_at(2)
        .noted(Rule::PadLimit),
    Row::call(
        F::PadLeft,
        "CASE WHEN {1^} IS NOT NULL AND {2^} IS NOT NULL THEN REPLACE(RPAD(' ', {1^} - LENGTH({0})), ' ', {2}) || {0^} END",
    )
    .noted(Rule::PadLimit),
    Row::operator(F::PadRight, Concat, "{0^} || RPAD(' ', {1^} - LENGTH({0}))").args(2).plain().noted(Rule::PadLimit),
    Row::operator(F::PadRight, Concat, "{0^} || REPLACE(RPAD(' ', {1^} - LENGTH({0})), ' ', {2})").plain().noted(Rule::PadLimit),
    Row::call(F::PadRight, "NVL2({1}, {0^} || RPAD(' ', {1^} - LENGTH({0})), NULL)").args(2).noted(Rule::PadLimit),
    Row::call(F::PadRight, "NVL2({1}, {0^} || REPLACE(RPAD(' ', {1^} - LENGTH({0})), ' ', {2}), NULL)")
        .not_null_at(2)
        .noted(Rule::PadLimit),
    Row::call(
        F::PadRight,
        "CASE WHEN {1^} IS NOT NULL AND {2^} IS NOT NULL THEN {0^} || REPLACE(RPAD(' ', {1^} - LENGTH({0})), ' ', {2}) END",
    )
    .noted(Rule::PadLimit),
    Row::call(F::Repeat, "REPLACE(RPAD(' ', {1}), ' ', {0})").noted(Rule::RepeatLimit),
    // REVERSE is undocumented and reverses bytes.
    Row::call(
        F::Reverse,
        "(SELECT LISTAGG(SUBSTR({0}, LENGTH({0}) + 1 - LEVEL, 1)) WITHIN GROUP (ORDER BY LEVEL) \
         FROM DUAL CONNECT BY LEVEL <= LENGTH({0}))",
    ),
    Row::call(F::Space, "RPAD(' ', {0})").noted(Rule::RepeatLimit),
    Row::call(F::Ascii, "ASCII({0})"),
    Row::call(F::Char, "CHR({0})").plain(),
    Row::call(F::Char, "CASE WHEN {0^} BETWEEN 1 AND 127 THEN CHR({0}) END"),
    Row::expand(F::Concat, Rule::ConcatNull),
    Row::expand(F::ConcatWs, Rule::ConcatWsCase),
    // `c` minds case whatever NLS_SORT says, `n` lets a dot match a line break.
    // A pattern that is NULL is found nowhere.
    Row::call(F::RegexpReplace, "REGEXP_REPLACE({0}, {1}, {2}, 1, 0, 'cn')").not_null_at(1),
    Row::call(F::RegexpReplace, "NVL2({1}, REGEXP_REPLACE({0}, {1}, {2}, 1, 0, 'cn'), NULL)"),
    Row::call(F::RegexpSubstr, "REGEXP_SUBSTR({0}, {1}, 1, 1, 'cn')"),
    Row::call(F::RegexpCount, "REGEXP_COUNT({0}, {1}, 1, 'cn')"),
    // Numbers.
    Row::call(F::Abs, "ABS({0})"),
    Row::call(F::Sign, "SIGN({0})").on(On::Exact),
    // SIGN of a BINARY_DOUBLE 0 is 1.
    Row::call(F::Sign, "CASE WHEN {0^} > 0 THEN 1 WHEN {0^} < 0 THEN -1 WHEN {0^} = 0 THEN 0 END"),
    Row::call(F::Ceiling, "CEIL({0})"),
    Row::call(F::Floor, "FLOOR({0})"),
    // A BINARY_DOUBLE is rounded to even.
    Row::call(F::Round, "CAST(ROUND(CAST({0} AS NUMBER)) AS BINARY_DOUBLE)").args(1).on(On::Float),
    Row::call(F::Round, "CAST(ROUND(CAST({0} AS NUMBER), {1}) AS BINARY_DOUBLE)").on(On::Float),
    Row::call(F::Round, "ROUND({*})"),
    Row::call(F::Truncate, "TRUNC({*})"),
    // A NUMBER gives a NUMBER, of 38 digits; POWER and EXP end at 1e126 there.
    Row::call(F::Sqrt, "SQRT(CASE WHEN {0^} >= 0 THEN {0} END)").on(On::Float),
    Row::call(F::Sqrt, "SQRT(CASE WHEN {0^} >= 0 THEN CAST({0} AS BINARY_DOUBLE) END)"),
    Row::call(F::Power, "POWER({0}, {1})").on(On::Float).plain(),
    Row::call(F::Power, "POWER(CAST({0} AS BINARY_DOUBLE), {1})").plain(),
    Row::call(
        F::Power,
        "POWER(CASE WHEN {0^} > 0 OR {0^} = 0 AND {1^} >= 0 OR {0^} < 0 AND {1^} = TRUNC({1}) \
         THEN CAST({0} AS BINARY_DOUBLE) END, {1})",
    ),
    Row::call(F::Exp, "EXP({0})").on(On::Float),
    Row::call(F::Exp, "EXP(CAST({0} AS BINARY_DOUBLE))"),
    Row::call(F::Log, "LN(CASE WHEN {0^} > 0 THEN {0} END)").on(On::Float),
    Row::call(F::Log, "LN(CASE WHEN {0^} > 0 THEN CAST({0} AS BINARY_DOUBLE) END)"),
    // LOG(2, 8) is 2 and 38 nines, which are 3 to a double.
    Row::call(F::Log10, "LOG(10, CASE WHEN {0^} > 0 THEN {0} END)").on(On::Float),
    Row::call(F::Log10, "CAST(LOG(10, CASE WHEN {0^} > 0 THEN {0} END) AS BINARY_DOUBLE)"),
    Row::call(F::Log2, "LOG(2, CASE WHEN {0^} > 0 THEN {0} END)").on(On::Float),
    Row::call(F::Log2, "CAST(LOG(2, CASE WHEN {0^} > 0 THEN {0} END) AS BINARY_DOUBLE)"),
    Row::call(F::Sin, "SIN({0})").on(On::Float),
    Row::call(F::Sin, "SIN(CAST({0} AS BINARY_DOUBLE))"),
    Row::call(F::Cos, "COS({0})").on(On::Float),
    Row::call(F::Cos, "COS(CAST({0} AS BINARY_DOUBLE))"),
    Row::call(F::Tan, "TAN({0})").on(On::Float),
    Row::call(F::Tan, "TAN(CAST({0} AS BINARY_DOUBLE))"),
    Row::call(F::Asin, "ASIN(CASE WHEN {0^} BETWEEN -1 AND 1 THEN {0} END)").on(On::Float),
    Row::call(F::Asin, "ASIN(CASE WHEN {0^} BETWEEN -1 AND 1 THEN CAST({0} AS BINARY_DOUBLE) END)"),
    Row::call(F::Acos, "ACOS(CASE WHEN {0^} BETWEEN -1 AND 1 THEN {0} END)").on(On::Float),
    Row::call(F::Acos, "ACOS(CASE WHEN {0^} BETWEEN -1 AND 1 THEN CAST({0} AS BINARY_DOUBLE) END)"),
    Row::call(F::Atan, "ATAN({0})").on(On::Float),
    Row::call(F::Atan, "ATAN(CAST({0} AS BINARY_DOUBLE))"),
    // Of two zeros it fails.
    Row::call(F::Atan2, "CASE WHEN {0^} = 0 AND {1^} = 0 THEN 0 ELSE ATAN2({*}) END").on(On::Float),
    Row::call(F::Atan2, "CASE WHEN {0^} = 0 AND {1^} = 0 THEN 0 ELSE ATAN2(CAST({0} AS BINARY_DOUBLE), {1}) END"),
    Row::operator(F::Degrees, Multiply, "{0^} * 180 / ACOS(-1D)"),
    Row::operator(F::Radians, Multiply, "{0^} * ACOS(-1D) / 180"),
    Row::call(F::Pi, "ACOS(-1D)"),
    // MOD(a, 0) is a.
    Row::call(F::Mod, "MOD({*})").not_zero_at(1),
    Row::call(F::Mod, "MOD({0}, NULLIF({1}, 0))"),
    Row::call(F::Random, "DBMS_RANDOM.VALUE"),
    Row::call(F::Greatest, "GREATEST({*})"),
    Row::call(F::Least, "LEAST({*})"),
    Row::call(F::BitAnd, "BITAND({*})"),
    Row::operator(F::BitOr, Add, "{0^} + {1^} - BITAND({0}, {1})"),
    Row::operator(F::BitXor, Add, "{0^} + {1^} - 2 * BITAND({0}, {1})"),
    // A NUMBER goes on beyond 64 bits: what is above them is taken away, and the highest of them is the sign.
    Row::operator(
        F::ShiftLeft,
        Add,
        "MOD(MOD({0^} * POWER(2, {1}), 18446744073709551616) + 27670116110564327424, 18446744073709551616) \
         - 9223372036854775808",
    ),
    Row::call(F::ShiftRight, "FLOOR({0^} / POWER(2, {1}))"),
    // NULL.
    // COALESCE wants two.
    Row::call(F::Coalesce, "COALESCE({*})"),
    Row::call(F::NullIf, "NULLIF({*})"),
    // Dates and times.
    Row::call(F::Now, "CAST(SYSTIMESTAMP AS TIMESTAMP)"),
    Row::call(F::UtcNow, "SYS_EXTRACT_UTC(SYSTIMESTAMP)"),
    Row::call(F::Today, "TRUNC(SYSDATE)"),
    // EXTRACT takes the parts of a TIMESTAMP WITH TIME ZONE in UTC; TO_CHAR and TRUNC in its own zone.
    Row::call(F::Year, "EXTRACT(YEAR FROM {0})"),
    Row::call(F::Quarter, "TO_NUMBER(TO_CHAR(SYS_EXTRACT_UTC({0}), 'Q'))").on(On::DateTimeOffset),
    Row::call(F::Quarter, "TO_NUMBER(TO_CHAR({0}, 'Q'))"),
    Row::call(F::Month, "EXTRACT(MONTH FROM {0})"),
    Row::call(F::Week, "TO_NUMBER(TO_CHAR(SYS_EXTRACT_UTC({0}), 'IW'))").on(On::DateTimeOffset),
    Row::call(F::Week, "TO_NUMBER(TO_CHAR({0}, 'IW'))"),
    Row::call(F::Day, "EXTRACT(DAY FROM {0})"),
    Row::call(F::DayOfYear, "TO_NUMBER(TO_CHAR(SYS_EXTRACT_UTC({0}), 'DDD'))").on(On::DateTimeOffset),
    Row::call(F::DayOfYear, "TO_NUMBER(TO_CHAR({0}, 'DDD'))"),
    // TO_CHAR's D follows NLS_TERRITORY; the ISO week always begins on Monday.
    Row::call(F::DayOfWeek, "MOD(TRUNC(SYS_EXTRACT_UTC({0})) - TRUNC(SYS_EXTRACT_UTC({0}), 'IW') + 1, 7)")
        .on(On::DateTimeOffset),
    Row::call(F::DayOfWeek, "MOD(TRUNC({0}) - TRUNC({0}, 'IW') + 1, 7)"),
    Row::call(F::Hour, "EXTRACT(HOUR FROM {0})").on(On::Time),
    Row::call(F::Hour, "EXTRACT(HOUR FROM {0})").on(On::DateTimeOffset),
    Row::call(F::Hour, "TO_NUMBER(TO_CHAR({0}, 'HH24'))"),
    Row::call(F::Minute, "EXTRACT(MINUTE FROM {0})").on(On::Time),
    Row::call(F::Minute, "EXTRACT(MINUTE FROM {0})").on(On::DateTimeOffset),
    Row::call(F::Minute, "TO_NUMBER(TO_CHAR({0}, 'MI'))"),
    Row::call(F::Second, "TRUNC(EXTRACT(SECOND FROM {0}))").on(On::Time),
    Row::call(F::Second, "TO_NUMBER(TO_CHAR({0}, 'SS'))"),
    Row::call(F::Millisecond, "MOD(TRUNC(EXTRACT(SECOND FROM {0}) * 1000), 1000)").on(On::Time),
    Row::call(F::Millisecond, "MOD(TRUNC(EXTRACT(SECOND FROM CAST({0} AS TIMESTAMP)) * 1000), 1000)"),
    Row::call(F::Date, "TRUNC(SYS_EXTRACT_UTC({0}))").on(On::DateTimeOffset),
    Row::call(F::Date, "TRUNC({0})"),
    Row::operator(F::TimeOfDay, Add, "SYS_EXTRACT_UTC({0}) - TRUNC(SYS_EXTRACT_UTC({0}))").on(On::DateTimeOffset),
    Row::operator(F::TimeOfDay, Add, "CAST({0} AS TIMESTAMP) - TRUNC({0})"),
    Row::call(F::AddYears, add_months!("{1^} * 12")).on(On::Date),
    Row::operator(F::AddYears, Add, add_months_to_time!("{1^} * 12", "SYS_EXTRACT_UTC({0})")).on(On::DateTimeOffset),
    Row::operator(F::AddYears, Add, add_months_to_time!("{1^} * 12")),
    Row::call(F::AddQuarters, add_months!("{1^} * 3")).on(On::Date),
    Row::operator(F::AddQuarters, Add, add_months_to_time!("{1^} * 3", "SYS_EXTRACT_UTC({0})")).on(On::DateTimeOffset),
    Row::operator(F::AddQuarters, Add, add_months_to_time!("{1^} * 3")),
    Row::call(F::AddMonths, add_months!("{1}")).on(On::Date),
    Row::operator(F::AddMonths, Add, add_months_to_time!("{1}", "SYS_EXTRACT_UTC({0})")).on(On::DateTimeOffset),
    Row::operator(F::AddMonths, Add, add_months_to_time!("{1}")),
    Row::operator(F::AddWeeks, Add, "{0^} + {1^} * 7").on(On::Date),
    Row::operator(F::AddWeeks, Add, "{0^} + NUMTODSINTERVAL({1^} * 7, 'DAY')"),
    Row::operator(F::AddDays, Add, "{0^} + {1^}").on(On::Date),
    Row::operator(F::AddDays, Add, "{0^} + NUMTODSINTERVAL({1}, 'DAY')"),
    Row::operator(F::AddHours, Add, "CAST({0} AS TIMESTAMP) + NUMTODSINTERVAL({1}, 'HOUR')").on(On::Date),
    Row::operator(F::AddHours, Add, "{0^} + NUMTODSINTERVAL({1}, 'HOUR')"),
    Row::operator(F::AddMinutes, Add, "CAST({0} AS TIMESTAMP) + NUMTODSINTERVAL({1}, 'MINUTE')").on(On::Date),
    Row::operator(F::AddMinutes, Add, "{0^} + NUMTODSINTERVAL({1}, 'MINUTE')"),
    // NUMTODSINTERVAL of more than 2^31 seconds gives 2^31 of them.
    Row::operator(F::AddSeconds, Add, add_seconds!("CAST({0} AS TIMESTAMP)", "86400", "")).on(On::Date),
    Row::operator(F::AddSeconds, Add, add_seconds!("{0^}", "86400", "")),
    Row::operator(F::AddMilliseconds, Add, add_seconds!("CAST({0} AS TIMESTAMP)", "86400000", " / 1000")).on(On::Date),
    Row::operator(F::AddMilliseconds, Add, add_seconds!("{0^}", "86400000", " / 1000")),
    Row::call(F::DateDiffYears, concat!("TRUNC((", months!("SYS_EXTRACT_UTC({0})", "SYS_EXTRACT_UTC({1})"), ") / 12)"))
        .on(On::DateTimeOffset),
    Row::call(F::DateDiffYears, concat!("TRUNC((", months!("{0}", "{1}"), ") / 12)")),
    Row::call(F::DateDiffMonths, concat!("TRUNC(", months!("SYS_EXTRACT_UTC({0})", "SYS_EXTRACT_UTC({1})"), ")"))
        .on(On::DateTimeOffset),
    Row::call(F::DateDiffMonths, concat!("TRUNC(", months!("{0}", "{1}"), ")")),
    Row::operator(F::DateDiffDays, Add, "{0^} - {1^}").every(On::Date),
    Row::call(F::DateDiffDays, days!("{0^}")).on(On::DateTimeOffset),
    Row::call(F::DateDiffDays, days!("CAST({0} AS TIMESTAMP)")),
    Row::operator(F::DateDiffHours, Add, hours!("{0^}")).on(On::DateTimeOffset),
    Row::operator(F::DateDiffHours, Add, hours!("CAST({0} AS TIMESTAMP)")),
    Row::operator(F::DateDiffMinutes, Add, minutes!("{0^}")).on(On::DateTimeOffset),
    Row::operator(F::DateDiffMinutes, Add, minutes!("CAST({0} AS TIMESTAMP)")),
    Row::operator(F::DateDiffSeconds, Add, seconds!("{0^}", "60", "")).on(On::DateTimeOffset),
    Row::operator(F::DateDiffSeconds, Add, seconds!("CAST({0} AS TIMESTAMP)", "60", "")),
    Row::operator(F::DateDiffMilliseconds, Add, seconds!("{0^}", "60000", " * 1000")).on(On::DateTimeOffset),
    Row::operator(F::DateDiffMilliseconds, Add, seconds!("CAST({0} AS TIMESTAMP)", "60000", " * 1000")),
    Row::call(F::TruncYear, "TRUNC({0}, 'YYYY')").on(On::Date),
    Row::call(F::TruncYear, truncated_at_utc!(", 'YYYY'")).on(On::DateTimeOffset),
    Row::call(F::TruncYear, "CAST(TRUNC({0}, 'YYYY') AS TIMESTAMP)"),
    Row::call(F::TruncQuarter, "TRUNC({0}, 'Q')").on(On::Date),
    Row::call(F::TruncQuarter, truncated_at_utc!(", 'Q'")).on(On::DateTimeOffset),
    Row::call(F::TruncQuarter, "CAST(TRUNC({0}, 'Q') AS TIMESTAMP)"),
    Row::call(F::TruncMonth, "TRUNC({0}, 'MM')").on(On::Date),
    Row::call(F::TruncMonth, truncated_at_utc!(", 'MM'")).on(On::DateTimeOffset),
    Row::call(F::TruncMonth, "CAST(TRUNC({0}, 'MM') AS TIMESTAMP)"),
    Row::call(F::TruncWeek, "TRUNC({0}, 'IW')").on(On::Date),
    Row::call(F::TruncWeek, truncated_at_utc!(", 'IW'")).on(On::DateTimeOffset),
    Row::call(F::TruncWeek, "CAST(TRUNC({0}, 'IW') AS TIMESTAMP)"),
    Row::call(F::TruncDay, "TRUNC({0})").on(On::Date),
    Row::call(F::TruncDay, truncated_at_utc!("")).on(On::DateTimeOffset),
    Row::call(F::TruncDay, "CAST(TRUNC({0}) AS TIMESTAMP)"),
    Row::call(F::TruncHour, "TRUNC({0}, 'HH24')").on(On::Date),
    Row::call(F::TruncHour, truncated_at_utc!(", 'HH24'")).on(On::DateTimeOffset),
    Row::call(F::TruncHour, "CAST(TRUNC({0}, 'HH24') AS TIMESTAMP)"),
    Row::call(F::TruncMinute, "TRUNC({0}, 'MI')").on(On::Date),
    Row::call(F::TruncMinute, truncated_at_utc!(", 'MI'")).on(On::DateTimeOffset),
    Row::call(F::TruncMinute, "CAST(TRUNC({0}, 'MI') AS TIMESTAMP)"),
    Row::call(F::LastDay, "LAST_DAY(TRUNC(SYS_EXTRACT_UTC({0})))").on(On::DateTimeOffset),
    Row::call(F::LastDay, "LAST_DAY(TRUNC({0}))"),
    Row::call(F::MakeDate, "TO_DATE(NVL2({0^} + {1^} + {2^}, {0^} || '-' || {1^} || '-' || {2^}, NULL), 'YYYY-MM-DD')"),
    Row::operator(
        F::ToUnixSeconds,
        Add,
        "(TRUNC(SYS_EXTRACT_UTC({0})) - DATE '1970-01-01') * 86400 + TO_NUMBER(TO_CHAR(SYS_EXTRACT_UTC({0}), 'SSSSS'))",
    )
    .on(On::DateTimeOffset),
    Row::operator(F::ToUnixSeconds, Add, "(TRUNC({0}) - DATE '1970-01-01') * 86400 + TO_NUMBER(TO_CHAR({0}, 'SSSSS'))"),
    // An INTERVAL of seconds ends in 2038.
    Row::call(F::FromUnixSeconds, "CAST(DATE '1970-01-01' + {0^} / 86400 AS TIMESTAMP)"),
    Row::call(F::Format, "TO_CHAR(CAST({0} AS TIMESTAMP), {1}, 'NLS_DATE_LANGUAGE=ENGLISH')").on(On::Date),
    Row::call(F::Format, "TO_CHAR(SYS_EXTRACT_UTC({0}), {1}, 'NLS_DATE_LANGUAGE=ENGLISH')").on(On::DateTimeOffset),
    Row::call(F::Format, "TO_CHAR({0}, {1}, 'NLS_DATE_LANGUAGE=ENGLISH')"),
    // JSON.
    Row::call(F::JsonValue, "JSON_VALUE({0}, {1})").noted(Rule::JsonValueLimit),
    Row::call(F::JsonQuery, "JSON_QUERY({0}, {1} RETURNING CLOB DISALLOW SCALARS)").since(V21),
    Row::call(F::JsonQuery, "JSON_QUERY({0}, {1} RETURNING CLOB)").since(V18),
    Row::call(F::JsonQuery, "JSON_QUERY({0}, {1})"),
    Row::call(F::JsonExists, "CASE WHEN JSON_EXISTS({0}, {1}) THEN TRUE WHEN {0^} IS NOT NULL THEN FALSE END")
        .since(V23),
    Row::call(F::JsonExists, "CASE WHEN JSON_EXISTS({0}, {1}) THEN 1 WHEN {0^} IS NOT NULL THEN 0 END"),
    // size() of what is no array is 1.
    Row::call(
        F::JsonLength,
        "CASE WHEN JSON_QUERY({0}, '$' RETURNING CLOB) LIKE '[%' THEN JSON_VALUE({0}, '$.size()' RETURNING NUMBER) END",
    )
    .args(1)
    .since(V18),
    Row::call(
        F::JsonLength,
        "CASE WHEN JSON_QUERY({0}, {1} RETURNING CLOB) LIKE '[%' \
         THEN JSON_VALUE(JSON_QUERY({0}, {1} RETURNING CLOB), '$.size()' RETURNING NUMBER) END",
    )
    .since(V18),
    Row::refuse(F::JsonLength, "Oracle counts no JSON array before 18c"),
    Row::refuse(F::JsonContains, "Oracle has no test of containment: compare with JsonValue or JsonExists"),
    Row::call(F::JsonSet, "JSON_TRANSFORM({0}, SET {1} = {2j} RETURNING CLOB)").since(V19_10),
    Row::refuse(F::JsonSet, "Oracle changes no JSON by path before 19.10: give the whole document"),
    Row::call(F::JsonObject, "JSON_OBJECT({* VALUE } RETURNING CLOB)").since(V18),
    Row::call(F::JsonObject, "JSON_OBJECT({* VALUE })").since(V12_2),
    Row::refuse(F::JsonObject, NO_JSON),
    Row::call(F::JsonArray, "JSON_ARRAY({*j} NULL ON NULL RETURNING CLOB)").since(V18),
    Row::call(F::JsonArray, "JSON_ARRAY({*j} NULL ON NULL)").since(V12_2),
    Row::refuse(F::JsonArray, NO_JSON),
    Row::call(F::IsJson, "CASE WHEN {0^} IS JSON STRICT THEN TRUE WHEN {0^} IS NOT NULL THEN FALSE END").since(V23),
    Row::call(F::IsJson, "CASE WHEN {0^} IS JSON STRICT THEN 1 WHEN {0^} IS NOT NULL THEN 0 END").since(V21),
    // A number or a text by itself is no JSON before 21c, but an array of one of them is.
    // Nothing at all between the brackets is JSON, too, and so are two values; a CLOB has no longest text.
    Row::call(
        F::IsJson,
        "CASE WHEN {0^} IS NULL THEN NULL WHEN (TO_CLOB('[') || {0^} || ']') IS JSON STRICT \
         AND JSON_EXISTS(TO_CLOB('[') || {0^} || ']', '$[0]') \
         AND NOT JSON_EXISTS(TO_CLOB('[') || {0^} || ']', '$[1]') THEN 1 ELSE 0 END",
    ),
    // Other.
    Row::call(F::NewGuid, "SYS_GUID()").noted(Rule::GuidGuessed),
    Row::call(F::Hex, "RAWTOHEX({0})").on(On::Binary),
    Row::call(F::Hex, "RAWTOHEX({0})").on(On::Text),
    Row::refuse(F::Hex, "it takes bytes or text"),
    // Aggregates.
    Row::call(F::Count, "COUNT(*)").args(0),
    Row::call(F::Count, "COUNT({0})"),
    Row::call(F::Sum, "SUM({0})"),
    Row::call(F::Avg, "AVG({0})"),
    Row::call(F::Min, "MIN({0})"),
    Row::call(F::Max, "MAX({0})"),
    Row::call(F::StringAgg, "LISTAGG({0}, {1}){w}").since(V19).noted(Rule::ListAggLimit),
    Row::call(F::StringAgg, "LISTAGG({0}, {1}){W}").noted(Rule::ListAggLimit),
    // STDDEV and VARIANCE are 0 of one value.
    Row::call(F::StdDev, "STDDEV_SAMP({0})"),
    Row::call(F::StdDevPop, "STDDEV_POP({0})"),
    Row::call(F::Variance, "VAR_SAMP({0})"),
    Row::call(F::VariancePop, "VAR_POP({0})"),
    Row::expand(F::BoolAnd, Rule::BoolAggregate),
    Row::expand(F::BoolOr, Rule::BoolAggregate),
    Row::refuse(F::JsonArrayAgg, "JSON_ARRAYAGG has no DISTINCT: use a derived table").distinct(),
    Row::refuse(F::JsonArrayAgg, "JSON_ARRAYAGG takes no window: join a grouped query").over(),
    Row::call(F::JsonArrayAgg, "JSON_ARRAYAGG({0j}{o} NULL ON NULL RETURNING CLOB)").since(V18),
    Row::call(F::JsonArrayAgg, "JSON_ARRAYAGG({0j}{o} NULL ON NULL)").since(V12_2),
    Row::refuse(F::JsonArrayAgg, NO_JSON),
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
    Row::call(F::NthValue, "NTH_VALUE({*})"),
];
