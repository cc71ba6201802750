//! How PostgreSQL spells functions.

use isogloss_compiler::dialect::{On, Row};
use isogloss_compiler::functions::Func as F;
use isogloss_compiler::legalize::Rule;
use isogloss_compiler::render::Prec;

const V14: (u16, u16, u16) = (14, 0, 0);
const V13: (u16, u16, u16) = (13, 0, 0);
const V15: (u16, u16, u16) = (15, 0, 0);
const V18: (u16, u16, u16) = (18, 0, 0);
const V16: (u16, u16, u16) = (16, 0, 0);

/// A field of a date or of a date and time; a date has no hours for PostgreSQL 14 and later.
macro_rules! field {
    ($field:literal) => {
        concat!("CAST(EXTRACT(", $field, " FROM {0}) AS integer)")
    };
    (time $field:literal) => {
        concat!("CAST(EXTRACT(", $field, " FROM {0s}) AS integer)")
    };
}

/// A span added to a date and time, and to a date, which would become a timestamp.
macro_rules! add {
    ($span:literal) => {
        concat!("{0s^} + {1^} * INTERVAL '", $span, "'")
    };
    (date $span:literal) => {
        concat!("CAST({0^} + {1^} * INTERVAL '", $span, "' AS date)")
    };
}

/// The whole units between two dates and times. A difference of timestamps has no months, so its epoch is exact.
macro_rules! diff {
    ($scale:literal) => {
        concat!("CAST(TRUNC(EXTRACT(EPOCH FROM {0s^} - {1s^})", $scale, ") AS bigint)")
    };
}

/// The same before PostgreSQL 14, whose EXTRACT gives a double: a fraction such as 1.001 is a bit too small in it.
macro_rules! diff_of_doubles {
    ($micros:literal) => {
        concat!("CAST(ROUND(EXTRACT(EPOCH FROM {0s^} - {1s^}) * 1000000) AS bigint) / ", $micros)
    };
}

/// The beginning of a unit. A date would become a timestamp with a zone.
macro_rules! trunc {
    ($unit:literal) => {
        concat!("DATE_TRUNC('", $unit, "', {0s})")
    };
    (date $unit:literal) => {
        concat!("CAST(DATE_TRUNC('", $unit, "', {0s}) AS date)")
    };
}

/// A double as the exact number that it prints as: `CAST(d AS numeric)` keeps 15 digits only, and `ROUND` of a double
/// rounds halves to even.
macro_rules! exact {
    ($arg:literal) => {
        concat!("CAST(CAST({", $arg, "} AS text) AS numeric)")
    };
}

/// What is at a path. `json` and text are read as `jsonb`, so that numbers print alike.
macro_rules! at_path {
    ($operator:literal) => {
        concat!("CAST({0} AS jsonb) ", $operator, " {1}")
    };
}

/// The same by a path that tells an item of an array from a member whose name is a number; `#>` does not.
macro_rules! at_step {
    () => {
        "JSONB_PATH_QUERY_FIRST(CAST({0} AS jsonb), {1q}, '{{}}', TRUE)"
    };
}

/// The path that keeps a scalar, and nothing of an object or array; one that is not strict looks into the array.
macro_rules! scalar {
    () => {
        r#"'strict $ ? (@.type() != "object" && @.type() != "array")'"#
    };
}

/// A shift, which takes the distance modulo the number of bits.
macro_rules! shift {
    ($shift:literal) => {
        concat!("CASE WHEN {1^} NOT BETWEEN 0 AND 63 THEN {0^} & 0 ELSE ", $shift, " {1i^} END")
    };
}

/// Rows for JSON that the variants have, too: for a plain path, and for any.
pub(crate) const JSON_QUERY_PLAIN: Row = Row::call(
    F::JsonQuery,
    concat!("CASE WHEN JSONB_TYPEOF(", at_path!("#>"), ") IN ('object', 'array') THEN ", at_path!("#>"), " END"),
)
.plain();
pub(crate) const JSON_QUERY: Row = Row::call(
    F::JsonQuery,
    concat!("CASE WHEN JSONB_TYPEOF(", at_step!(), ") IN ('object', 'array') THEN ", at_step!(), " END"),
);
pub(crate) const JSON_EXISTS_PLAIN: Row =
    Row::operator(F::JsonExists, Prec::Compare, concat!(at_path!("#>"), " IS NOT NULL")).plain().guarded();
pub(crate) const JSON_EXISTS: Row =
    Row::operator(F::JsonExists, Prec::Compare, concat!(at_step!(), " IS NOT NULL")).guarded();
pub(crate) const JSON_LENGTH_ALL: Row = Row::call(
    F::JsonLength,
    "CASE WHEN JSONB_TYPEOF(CAST({0} AS jsonb)) = 'array' THEN JSONB_ARRAY_LENGTH(CAST({0} AS jsonb)) END",
)
.args(1);
pub(crate) const JSON_LENGTH_PLAIN: Row = Row::call(
    F::JsonLength,
    concat!("CASE WHEN JSONB_TYPEOF(", at_path!("#>"), ") = 'array' THEN JSONB_ARRAY_LENGTH(", at_path!("#>"), ") END"),
)
.plain();
pub(crate) const JSON_LENGTH: Row = Row::call(
    F::JsonLength,
    concat!("CASE WHEN JSONB_TYPEOF(", at_step!(), ") = 'array' THEN JSONB_ARRAY_LENGTH(", at_step!(), ") END"),
);

/// JSONB_SET fails on a place that cannot be there, and is NULL for a NULL.
pub(crate) const JSON_SET_PLAIN: Row = Row::call(
    F::JsonSet,
    "CASE WHEN JSONB_TYPEOF(CAST({0} AS jsonb) #> {1p}) = {1k} \
     THEN JSONB_SET(CAST({0} AS jsonb), {1}, COALESCE(TO_JSONB({2j}), 'null')) ELSE CAST({0} AS jsonb) END",
)
.plain();
pub(crate) const JSON_SET: Row = Row::call(
    F::JsonSet,
    "CASE WHEN JSONB_TYPEOF(JSONB_PATH_QUERY_FIRST(CAST({0} AS jsonb), {1r}, '{{}}', TRUE)) = {1k} \
     THEN JSONB_SET(CAST({0} AS jsonb), {1}, COALESCE(TO_JSONB({2j}), 'null')) ELSE CAST({0} AS jsonb) END",
);

/// The function table.
pub const FUNCTIONS: &[Row] = &[
    // Text.
    Row::call(F::Length, "LENGTH({0})").on(On::Binary),
    Row::call(F::Length, "LENGTH({0t})"),
    Row::call(F::ByteLength, "OCTET_LENGTH({0})").on(On::Binary),
    Row::call(F::ByteLength, "OCTET_LENGTH({0t})"),
    Row::call(F::Lower, "LOWER({0t})"),
    Row::call(F::Upper, "UPPER({0t})"),
    Row::call(F::Trim, "BTRIM({0t})").args(1),
    Row::call(F::Trim, "BTRIM({0t}, {1t})"),
    Row::call(F::TrimStart, "LTRIM({0t})").args(1),
    Row::call(F::TrimStart, "LTRIM({0t}, {1t})"),
    Row::call(F::TrimEnd, "RTRIM({0t})").args(1),
    Row::call(F::TrimEnd, "RTRIM({0t}, {1t})"),
    Row::call(F::Substring, "SUBSTRING({0t}, {1i^} + 1)").args(2),
    Row::call(F::Substring, "SUBSTRING({0t}, {1i^} + 1, {2i})"),
    Row::operator(F::IndexOf, Prec::Add, "STRPOS({0t}, {1t}) - 1").args(2),
    // A search from a position counts from there; nothing found stays -1.
    Row::call(
        F::IndexOf,
        "CASE STRPOS(SUBSTRING({0t}, {2i^} + 1), {1t}) WHEN 0 THEN -1 \
         ELSE STRPOS(SUBSTRING({0t}, {2i^} + 1), {1t}) + {2i^} - 1 END",
    )
    .plain(),
    // The empty text would be found behind the end.
    Row::call(
        F::IndexOf,
        "CASE WHEN {2i^} > LENGTH({0t}) OR STRPOS(SUBSTRING({0t}, {2i^} + 1), {1t}) = 0 THEN -1 \
         ELSE STRPOS(SUBSTRING({0t}, {2i^} + 1), {1t}) + {2i^} - 1 END",
    )
    .guarded(),
    Row::call(F::Replace, "REPLACE({0t}, {1t}, {2t})"),
    Row::call(F::Remove, "LEFT({0t}, {1i})").args(2),
    Row::call(F::Remove, "OVERLAY({0t} PLACING '' FROM {1i^} + 1 FOR {2i})").plain(),
    // It adds the numbers up, and no text is longer.
    Row::call(
        F::Remove,
        "OVERLAY({0t} PLACING '' FROM {1i^} + 1 FOR CASE WHEN {2i} > 1073741823 THEN 1073741823 ELSE {2i} END)",
    ),
    Row::call(F::Insert, "OVERLAY({0t} PLACING {2t} FROM {1i^} + 1 FOR 0)"),
    Row::call(F::Left, "LEFT({0t}, {1i})"),
    Row::call(F::Right, "RIGHT({0t}, {1i})"),
    // LPAD and RPAD cut a text that is longer.
    Row::operator(F::PadLeft, Prec::Concat, "REPEAT(' ', {1i^} - LENGTH({0t})) || {0t^}").args(2),
    Row::operator(F::PadLeft, Prec::Concat, "REPEAT({2t}, {1i^} - LENGTH({0t})) || {0t^}"),
    Row::operator(F::PadRight, Prec::Concat, "{0t^} || REPEAT(' ', {1i^} - LENGTH({0t}))").args(2),
    Row::operator(F::PadRight, Prec::Concat, "{0t^} || REPEAT({2t}, {1i^} - LENGTH({0t}))"),
    Row::call(F::Repeat, "REPEAT({0t}, {1i})"),
    Row::call(F::Reverse, "REVERSE({0t})"),
    Row::call(F::Space, "REPEAT(' ', {0i})"),
    Row::call(F::Ascii, "ASCII({0t})"),
    Row::call(F::Char, "CHR({0i})").plain(),
    Row::call(F::Char, "CASE WHEN {0^} BETWEEN 1 AND 127 THEN CHR({0i}) END"),
    // CONCAT skips NULL.
    Row::expand(F::Concat, Rule::ConcatCast),
    Row::call(F::ConcatWs, "CONCAT_WS({*t})"),
    Row::call(F::RegexpReplace, "REGEXP_REPLACE({0t}, {1t}, {2t}, 'g')"),
    Row::call(F::RegexpSubstr, "REGEXP_SUBSTR({0t}, {1t})").since(V15),
    Row::refuse(F::RegexpSubstr, "PostgreSQL before 15 gives the first group instead of the match"),
    Row::call(F::RegexpCount, "REGEXP_COUNT({0t}, {1t})").since(V15),
    Row::call(F::RegexpCount, "CAST((SELECT COUNT(*) FROM REGEXP_MATCHES({0t}, {1t}, 'g')) AS integer)").guarded(),
    // Numbers. CEILING, FLOOR, ROUND and TRUNC make a double of a whole number.
    Row::call(F::Abs, "ABS({0})"),
    Row::call(F::Sign, "CAST(SIGN({0}) AS integer)"),
    Row::call(F::Ceiling, "{0^}").on(On::Integer),
    Row::call(F::Ceiling, "CEILING({0})"),
    Row::call(F::Floor, "{0^}").on(On::Integer),
    Row::call(F::Floor, "FLOOR({0})"),
    Row::call(F::Round, "{0^}").args(1).on(On::Integer),
    Row::call(F::Round, "CAST(ROUND({0}, {1i}) AS bigint)").on(On::Integer),
    Row::call(F::Round, concat!("CAST(ROUND(", exact!("0"), ") AS double precision)")).args(1).on(On::Float),
    Row::call(F::Round, concat!("CAST(ROUND(", exact!("0"), ", {1i}) AS double precision)")).on(On::Float),
    Row::call(F::Round, "ROUND({0})").args(1),
    Row::call(F::Round, "ROUND({0}, {1i})"),
    Row::call(F::Truncate, "{0^}").args(1).on(On::Integer),
    Row::call(F::Truncate, "CAST(TRUNC({0}, {1i}) AS bigint)").on(On::Integer),
    Row::call(F::Truncate, "TRUNC({0})").args(1),
    Row::call(F::Truncate, concat!("CAST(TRUNC(", exact!("0"), ", {1i}) AS double precision)")).on(On::Float),
    Row::call(F::Truncate, "TRUNC({0}, {1i})"),
    // Out of their domain these are errors.
    Row::call(F::Sqrt, "CASE WHEN {0^} >= 0 THEN SQRT({0f}) END"),
    Row::call(F::Power, "POWER({0f}, {1f})").plain(),
    // What is too small for a double is one, too.
    Row::call(
        F::Power,
        "CASE WHEN {0^} = 0 AND {1^} < 0 OR {0^} < 0 AND {1^} <> TRUNC({1f}) THEN NULL \
         WHEN {1^} * LN(NULLIF(ABS({0f}), 0)) < -745.13 THEN 0 ELSE POWER({0f}, {1f}) END",
    ),
    Row::call(F::Exp, "CASE WHEN {0^} < -745 THEN 0 ELSE EXP({0f}) END"),
    Row::call(F::Log, "CASE WHEN {0^} > 0 THEN LN({0f}) END"),
    Row::call(F::Log10, "CASE WHEN {0^} > 0 THEN LOG({0f}) END"),
    // LN(x) / LN(2) is no whole number for some powers of two.
    Row::call(F::Log2, concat!("CASE WHEN {0^} > 0 THEN CAST(LOG(2, ", exact!("0"), ") AS double precision) END")),
    Row::call(F::Sin, "SIN({0f})"),
    Row::call(F::Cos, "COS({0f})"),
    Row::call(F::Tan, "TAN({0f})"),
    Row::call(F::Asin, "CASE WHEN ABS({0}) <= 1 THEN ASIN({0f}) END"),
    Row::call(F::Acos, "CASE WHEN ABS({0}) <= 1 THEN ACOS({0f}) END"),
    Row::call(F::Atan, "ATAN({0f})"),
    Row::call(F::Atan2, "ATAN2({0f}, {1f})"),
    Row::call(F::Degrees, "DEGREES({0f})"),
    Row::call(F::Radians, "RADIANS({0f})"),
    Row::call(F::Pi, "PI()"),
    // Whole numbers and decimals have an operator.
    Row::call(F::Mod, "MOD({0}, NULLIF({1}, 0))"),
    Row::call(F::Random, "RANDOM()"),
    // They skip NULL.
    Row::call(F::Greatest, "GREATEST({*})").guarded(),
    Row::call(F::Least, "LEAST({*})").guarded(),
    Row::operator(F::BitAnd, Prec::Concat, "{0^} & {1^}"),
    Row::operator(F::BitOr, Prec::Concat, "{0^} | {1^}"),
    Row::operator(F::BitXor, Prec::Concat, "{0^} # {1^}"),
    // An integer has no place for the bits.
    Row::call(F::ShiftLeft, shift!("CAST({0} AS bigint) <<")).on(On::Int32),
    Row::call(F::ShiftLeft, shift!("{0^} <<")),
    Row::call(F::ShiftRight, shift!("CAST({0} AS bigint) >>")).on(On::Int32),
    Row::call(F::ShiftRight, shift!("{0^} >>")),
    // NULL.
    Row::call(F::Coalesce, "COALESCE({*})"),
    Row::call(F::NullIf, "NULLIF({0}, {1})"),
    // Dates and times.
    // NOW and LOCALTIMESTAMP are the time at which the transaction began.
    Row::call(F::Now, "CAST(STATEMENT_TIMESTAMP() AS timestamp)"),
    Row::call(F::UtcNow, "TIMEZONE('UTC', STATEMENT_TIMESTAMP())"),
    Row::call(F::Today, "CAST(STATEMENT_TIMESTAMP() AS date)"),
    Row::call(F::Year, field!("YEAR")).on(On::Date),
    Row::call(F::Year, field!(time "YEAR")),
    Row::call(F::Quarter, field!("QUARTER")).on(On::Date),
    Row::call(F::Quarter, field!(time "QUARTER")),
    Row::call(F::Month, field!("MONTH")).on(On::Date),
    Row::call(F::Month, field!(time "MONTH")),
    Row::call(F::Week, field!("WEEK")).on(On::Date),
    Row::call(F::Week, field!(time "WEEK")),
    Row::call(F::Day, field!("DAY")).on(On::Date),
    Row::call(F::Day, field!(time "DAY")),
    Row::call(F::DayOfYear, field!("DOY")).on(On::Date),
    Row::call(F::DayOfYear, field!(time "DOY")),
    Row::call(F::DayOfWeek, field!("DOW")).on(On::Date),
    Row::call(F::DayOfWeek, field!(time "DOW")),
    Row::call(F::Hour, field!("HOUR")).on(On::Time),
    Row::call(F::Hour, field!(time "HOUR")),
    Row::call(F::Minute, field!("MINUTE")).on(On::Time),
    Row::call(F::Minute, field!(time "MINUTE")),
    // The fields of the second have digits after the point.
    Row::call(F::Second, "CAST(TRUNC(EXTRACT(SECOND FROM {0})) AS integer)").on(On::Time),
    Row::call(F::Second, "CAST(TRUNC(EXTRACT(SECOND FROM {0s})) AS integer)"),
    Row::operator(F::Millisecond, Prec::Multiply, "CAST(TRUNC(EXTRACT(MILLISECONDS FROM {0})) AS integer) % 1000")
        .on(On::Time),
    Row::operator(F::Millisecond, Prec::Multiply, "CAST(TRUNC(EXTRACT(MILLISECONDS FROM {0s})) AS integer) % 1000"),
    Row::call(F::Date, "{0^}").on(On::Date),
    Row::call(F::Date, "CAST({0} AS date)"),
    Row::call(F::TimeOfDay, "CAST({0s} AS time)"),
    Row::call(F::AddYears, add!(date "1 year")).on(On::Date),
    Row::operator(F::AddYears, Prec::Add, add!("1 year")),
    Row::call(F::AddQuarters, add!(date "3 months")).on(On::Date),
    Row::operator(F::AddQuarters, Prec::Add, add!("3 months")),
    Row::call(F::AddMonths, add!(date "1 month")).on(On::Date),
    Row::operator(F::AddMonths, Prec::Add, add!("1 month")),
    Row::operator(F::AddWeeks, Prec::Add, "{0^} + 7 * {1i^}").on(On::Date),
    Row::operator(F::AddWeeks, Prec::Add, add!("7 days")),
    Row::operator(F::AddDays, Prec::Add, "{0^} + {1i^}").on(On::Date),
    Row::operator(F::AddDays, Prec::Add, add!("1 day")),
    Row::operator(F::AddHours, Prec::Add, add!("1 hour")),
    Row::operator(F::AddMinutes, Prec::Add, add!("1 minute")),
    Row::operator(F::AddSeconds, Prec::Add, add!("1 second")),
    Row::operator(F::AddMilliseconds, Prec::Add, add!("1 millisecond")),
    // AGE counts whole years and months toward zero. A difference of two dates is a number of days.
    Row::call(F::DateDiffYears, "CAST(EXTRACT(YEAR FROM AGE({0s}, {1s})) AS bigint)"),
    Row::call(
        F::DateDiffMonths,
        "CAST(EXTRACT(YEAR FROM AGE({0s}, {1s})) * 12 + EXTRACT(MONTH FROM AGE({0s}, {1s})) AS bigint)",
    ),
    Row::call(F::DateDiffDays, "CAST({0^} - {1^} AS bigint)").every(On::Date),
    Row::call(F::DateDiffDays, diff!(" / 86400")).since(V14),
    Row::operator(F::DateDiffDays, Prec::Multiply, diff_of_doubles!("86400000000")),
    Row::operator(F::DateDiffHours, Prec::Multiply, "CAST({0^} - {1^} AS bigint) * 24").every(On::Date),
    Row::call(F::DateDiffHours, diff!(" / 3600")).since(V14),
    Row::operator(F::DateDiffHours, Prec::Multiply, diff_of_doubles!("3600000000")),
    Row::operator(F::DateDiffMinutes, Prec::Multiply, "CAST({0^} - {1^} AS bigint) * 1440").every(On::Date),
    Row::call(F::DateDiffMinutes, diff!(" / 60")).since(V14),
    Row::operator(F::DateDiffMinutes, Prec::Multiply, diff_of_doubles!("60000000")),
    Row::operator(F::DateDiffSeconds, Prec::Multiply, "CAST({0^} - {1^} AS bigint) * 86400").every(On::Date),
    Row::call(F::DateDiffSeconds, diff!("")).since(V14),
    Row::operator(F::DateDiffSeconds, Prec::Multiply, diff_of_doubles!("1000000")),
    Row::operator(F::DateDiffMilliseconds, Prec::Multiply, "CAST({0^} - {1^} AS bigint) * 86400000").every(On::Date),
    Row::call(F::DateDiffMilliseconds, diff!(" * 1000")).since(V14),
    Row::operator(F::DateDiffMilliseconds, Prec::Multiply, diff_of_doubles!("1000")),
    Row::call(F::TruncYear, trunc!(date "year")).on(On::Date),
    Row::call(F::TruncYear, trunc!("year")),
    Row::call(F::TruncQuarter, trunc!(date "quarter")).on(On::Date),
    Row::call(F::TruncQuarter, trunc!("quarter")),
    Row::call(F::TruncMonth, trunc!(date "month")).on(On::Date),
    Row::call(F::TruncMonth, trunc!("month")),
    Row::call(F::TruncWeek, trunc!(date "week")).on(On::Date),
    Row::call(F::TruncWeek, trunc!("week")),
    Row::call(F::TruncDay, "{0^}").on(On::Date),
    Row::call(F::TruncDay, trunc!("day")),
    Row::call(F::TruncHour, "{0^}").on(On::Date),
    Row::call(F::TruncHour, trunc!("hour")),
    Row::call(F::TruncMinute, "{0^}").on(On::Date),
    Row::call(F::TruncMinute, trunc!("minute")),
    Row::call(F::LastDay, "CAST(DATE_TRUNC('month', {0s}) + INTERVAL '1 month -1 day' AS date)"),
    // MAKE_DATE fails where there is no such date. The days are counted from the first of the month, to see whether they
    // lead out of it.
    Row::call(
        F::MakeDate,
        "CASE WHEN {0^} BETWEEN 1 AND 9999 AND {1^} BETWEEN 1 AND 12 AND {2^} BETWEEN 1 AND 31 \
         THEN CASE EXTRACT(MONTH FROM MAKE_DATE({0i}, {1i}, 1) + {2i^} - 1) WHEN {1} \
         THEN MAKE_DATE({0i}, {1i}, 1) + {2i^} - 1 END END",
    ),
    Row::call(F::ToUnixSeconds, "CAST(FLOOR(EXTRACT(EPOCH FROM {0s})) AS bigint)"),
    Row::operator(F::FromUnixSeconds, Prec::Add, "TIMESTAMP '1970-01-01' + {0^} * INTERVAL '1 second'"),
    Row::call(F::Format, "TO_CHAR({0s}, {1})"),
    // JSON.
    // The document is read once: it is what takes the time.
    Row::operator(
        F::JsonValue,
        Prec::Concat,
        concat!("JSONB_PATH_QUERY_FIRST(", at_path!("#>"), ", ", scalar!(), ") #>> '{{}}'"),
    )
    .plain(),
    Row::operator(
        F::JsonValue,
        Prec::Concat,
        concat!("JSONB_PATH_QUERY_FIRST(", at_step!(), ", ", scalar!(), ") #>> '{{}}'"),
    ),
    JSON_QUERY_PLAIN,
    JSON_QUERY,
    JSON_EXISTS_PLAIN,
    JSON_EXISTS,
    JSON_LENGTH_ALL,
    JSON_LENGTH_PLAIN,
    JSON_LENGTH,
    Row::operator(F::JsonContains, Prec::Compare, "CAST({0} AS jsonb) @> CAST({1} AS jsonb)"),
    JSON_SET_PLAIN,
    JSON_SET,
    Row::call(F::JsonObject, "JSON_BUILD_OBJECT({*})"),
    Row::call(F::JsonArray, "JSON_BUILD_ARRAY({*})"),
    Row::operator(F::IsJson, Prec::Compare, "{0^} IS JSON").since(V16),
    Row::refuse(F::IsJson, "PostgreSQL before 16 fails on text that is no JSON, and cannot test it"),
    // Other.
    Row::call(F::NewGuid, "GEN_RANDOM_UUID()").since(V13),
    Row::refuse(F::NewGuid, "PostgreSQL before 13 makes UUIDs by an extension only: make it in the program"),
    Row::call(F::Hex, "UPPER(ENCODE({0}, 'hex'))").on(On::Binary),
    Row::call(F::Hex, "UPPER(ENCODE(CONVERT_TO({0}, 'UTF8'), 'hex'))").on(On::Text),
    Row::refuse(F::Hex, "it takes bytes or text"),
    // Aggregates.
    Row::call(F::Count, "COUNT(*)").args(0),
    Row::call(F::Count, "COUNT({0})"),
    // A sum of bigints is numeric.
    Row::call(F::Sum, "SUM({0})").on(On::Int32),
    Row::call(F::Sum, "CAST(SUM({0}){f} AS bigint)").on(On::Integer),
    Row::call(F::Sum, "SUM({0})"),
    Row::call(F::Avg, "CAST(AVG({0}){f} AS double precision)").on(On::Integer),
    Row::call(F::Avg, "AVG({0})"),
    // Truth values and UUIDs have no least or greatest one.
    Row::call(F::Min, "BOOL_AND({0})").on(On::Boolean),
    Row::call(F::Min, "CAST(MIN({d}CAST({0} AS text) COLLATE \"C\"){f} AS uuid)").on(On::Guid),
    Row::call(F::Min, "MIN({0})").since(V18),
    Row::refuse(F::Min, "PostgreSQL before 18 has no least bytes: take that of Hex").on(On::Binary),
    Row::call(F::Min, "MIN({0})"),
    Row::call(F::Max, "BOOL_OR({0})").on(On::Boolean),
    Row::call(F::Max, "CAST(MAX({d}CAST({0} AS text) COLLATE \"C\"){f} AS uuid)").on(On::Guid),
    Row::call(F::Max, "MAX({0})").since(V18),
    Row::refuse(F::Max, "PostgreSQL before 18 has no greatest bytes: take that of Hex").on(On::Binary),
    Row::call(F::Max, "MAX({0})"),
    Row::call(F::StringAgg, "STRING_AGG({d}{0t}, {1t}{o})"),
    Row::call(F::StdDev, "STDDEV_SAMP({0})").on(On::Float),
    Row::call(F::StdDev, "CAST(STDDEV_SAMP({0}){f} AS double precision)"),
    Row::call(F::StdDevPop, "STDDEV_POP({0})").on(On::Float),
    Row::call(F::StdDevPop, "CAST(STDDEV_POP({0}){f} AS double precision)"),
    Row::call(F::Variance, "VAR_SAMP({0})").on(On::Float),
    Row::call(F::Variance, "CAST(VAR_SAMP({0}){f} AS double precision)"),
    Row::call(F::VariancePop, "VAR_POP({0})").on(On::Float),
    Row::call(F::VariancePop, "CAST(VAR_POP({0}){f} AS double precision)"),
    Row::call(F::BoolAnd, "BOOL_AND({0})"),
    Row::call(F::BoolOr, "BOOL_OR({0})"),
    Row::call(F::JsonArrayAgg, "JSON_AGG({0}{o})"),
    // Windows.
    Row::call(F::RowNumber, "ROW_NUMBER()"),
    Row::call(F::Rank, "RANK()"),
    Row::call(F::DenseRank, "DENSE_RANK()"),
    Row::call(F::PercentRank, "PERCENT_RANK()"),
    Row::call(F::CumeDist, "CUME_DIST()"),
    Row::call(F::NTile, "CAST(NTILE({0i}){f} AS bigint)"),
    Row::call(F::Lag, "LAG({0})").args(1),
    Row::call(F::Lag, "LAG({0}, {1i})").args(2),
    Row::call(F::Lag, "LAG({0}, {1i}, {2})"),
    Row::call(F::Lead, "LEAD({0})").args(1),
    Row::call(F::Lead, "LEAD({0}, {1i})").args(2),
    Row::call(F::Lead, "LEAD({0}, {1i}, {2})"),
    Row::call(F::FirstValue, "FIRST_VALUE({0})"),
    Row::call(F::LastValue, "LAST_VALUE({0})"),
    Row::call(F::NthValue, "NTH_VALUE({0}, {1i})"),
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
        for version in [crate::Postgres::V12, crate::Postgres::V15, crate::Postgres::V18] {
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
            (
                call("Substring", [p("Note"), value(2).into(), value(5).into()]),
                r#"SUBSTRING("T0"."Note", $1::integer + 1, $2::integer)"#,
            ),
            (
                call("Substring", [p("Note"), p("Qty")]),
                r#"SUBSTRING("T0"."Note", CASE WHEN "T0"."Qty" < 0 THEN 0 ELSE "T0"."Qty" END + 1)"#,
            ),
            (call("Left", [p("Note"), value(-1).into()]), r#"LEFT("T0"."Note", 0)"#),
            (call("Right", [p("Note"), value(3).into()]), r#"RIGHT("T0"."Note", $1::integer)"#),
            (call("IndexOf", [p("Note"), value("x").into()]), r#"STRPOS("T0"."Note", $1::text) - 1"#),
            (
                call("PadLeft", [p("OrderNo"), value(8).into(), value("0").into()]),
                r#"REPEAT($1::text, $2::integer - LENGTH("T0"."OrderNo")) || "T0"."OrderNo""#,
            ),
            (
                call("PadLeft", [p("OrderNo"), value(8).into(), value("ab").into()]),
                r#"the third argument of PadLeft or PadRight is misplaced: it is one character at $.Selects[0].Value"#,
            ),
            (
                call("Repeat", [p("OrderNo"), p("SalesUserId")]),
                r#"REPEAT("T0"."OrderNo", CASE WHEN "T0"."SalesUserId" < 0 THEN 0 ELSE "T0"."SalesUserId" END)"#,
            ),
            (call("Greatest", [p("Qty"), value(1).into()]), r#"GREATEST("T0"."Qty", $1::integer)"#),
            (
                call("Greatest", [p("SalesUserId"), p("Qty")]),
                r#"CASE WHEN "T0"."SalesUserId" IS NULL THEN NULL ELSE GREATEST("T0"."SalesUserId", "T0"."Qty") END"#,
            ),
            (call("Round", [p("Amount"), value(1).into()]), r#"ROUND("T0"."Amount", $1::integer)"#),
            (call("Round", [p("Amount"), value(-1).into()]), r#"ROUND("T0"."Amount", $1::integer)"#),
            (call("Ceiling", [p("Qty")]), r#""T0"."Qty""#),
            (
                call("Log", [p("Amount")]),
                r#"CASE WHEN "T0"."Amount" > 0 THEN LN(CAST("T0"."Amount" AS double precision)) END"#,
            ),
            (call("Mod", [p("Amount"), p("Qty")]), r#""T0"."Amount" % NULLIF("T0"."Qty", 0)"#),
            (prop("Qty") % 3, r#""T0"."Qty" % $1"#),
            (call("Coalesce", [null().into(), p("Note")]), r#"COALESCE(NULL, "T0"."Note")"#),
            (call("Year", [p("CreatedTime")]), r#"CAST(EXTRACT(YEAR FROM "T0"."CreatedTime") AS integer)"#),
            (call("Year", [p("ShipDate")]), r#"CAST(EXTRACT(YEAR FROM "T0"."ShipDate") AS integer)"#),
            (call("Week", [p("ShipDate")]), r#"CAST(EXTRACT(WEEK FROM "T0"."ShipDate") AS integer)"#),
            (
                call("Hour", [p("ShipDate")]),
                r#"CAST(EXTRACT(HOUR FROM CAST("T0"."ShipDate" AS timestamp)) AS integer)"#,
            ),
            (call("AddDays", [p("ShipDate"), value(1).into()]), r#""T0"."ShipDate" + $1::integer"#),
            (
                call("AddMonths", [p("ShipDate"), value(1).into()]),
                r#"CAST("T0"."ShipDate" + $1::integer * INTERVAL '1 month' AS date)"#,
            ),
            (
                call("AddMonths", [p("CreatedTime"), value(1).into()]),
                r#""T0"."CreatedTime" + $1::integer * INTERVAL '1 month'"#,
            ),
            (call("AddHours", [p("CreatedTime"), p("Qty")]), r#""T0"."CreatedTime" + "T0"."Qty" * INTERVAL '1 hour'"#),
            (
                call("DateDiffDays", [p("ShipDate"), p("ShipDate")]),
                r#"CAST("T0"."ShipDate" - "T0"."ShipDate" AS bigint)"#,
            ),
            (
                call("DateDiffDays", [p("CreatedTime"), p("ShipDate")]),
                r#"CAST(TRUNC(EXTRACT(EPOCH FROM "T0"."CreatedTime" - CAST("T0"."ShipDate" AS timestamp)) / 86400) AS bigint)"#,
            ),
            (
                call("TruncMonth", [p("ShipDate")]),
                r#"CAST(DATE_TRUNC('month', CAST("T0"."ShipDate" AS timestamp)) AS date)"#,
            ),
            (call("TruncWeek", [p("CreatedTime")]), r#"DATE_TRUNC('week', "T0"."CreatedTime")"#),
            (
                call("Format", [p("CreatedTime"), value("yyyy-MM-dd HH:mm:ss.fff").into()]),
                r#"TO_CHAR("T0"."CreatedTime", 'YYYY-MM-DD HH24:MI:SS.MS')"#,
            ),
            (
                call("JsonValue", [p("Data"), value("$.a[0]").into()]),
                r#"JSONB_PATH_QUERY_FIRST(JSONB_PATH_QUERY_FIRST(CAST("T0"."Data" AS jsonb), 'strict $."a"[0]', '{}', TRUE), 'strict $ ? (@.type() != "object" && @.type() != "array")') #>> '{}'"#,
            ),
            (
                call("JsonExists", [p("Data"), value("$.a").into()]),
                r#"CASE WHEN "T0"."Data" IS NULL THEN NULL ELSE CAST("T0"."Data" AS jsonb) #> '{"a"}' IS NOT NULL END"#,
            ),
            (
                call("JsonSet", [p("Data"), value("$.a.b").into(), value(true).into()]),
                r#"CASE WHEN JSONB_TYPEOF(CAST("T0"."Data" AS jsonb) #> '{"a"}') = 'object' THEN JSONB_SET(CAST("T0"."Data" AS jsonb), '{"a","b"}', COALESCE(TO_JSONB($1::boolean), 'null')) ELSE CAST("T0"."Data" AS jsonb) END"#,
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
                r#"`Hex` is refused by postgres 15: it takes bytes or text at $.Selects[0].Value"#,
            ),
            (call("Sum", [p("Qty")]), r#"SUM("T0"."Qty")"#),
            (call("Sum", [p("Id")]), r#"CAST(SUM("T0"."Id") AS bigint)"#),
            (
                func("Avg", [p("Qty")]).filter(prop("Qty").gt(1)).into(),
                r#"CAST(AVG("T0"."Qty") FILTER (WHERE "T0"."Qty" > $1) AS double precision)"#,
            ),
            (
                func("Avg", [p("Qty")]).over().partition_by([prop("CustomerId")]).into(),
                r#"CAST(AVG("T0"."Qty") OVER (PARTITION BY "T0"."CustomerId") AS double precision)"#,
            ),
            (
                func("StringAgg", [p("OrderNo"), value(",").into()]).order_by([prop("Id").asc()]).into(),
                r#"STRING_AGG("T0"."OrderNo", $1::text ORDER BY "T0"."Id")"#,
            ),
            (
                aggregate("Min", prop("Token")).distinct().into(),
                r#"CAST(MIN(DISTINCT CAST("T0"."Token" AS text) COLLATE "C") AS uuid)"#,
            ),
            (call("BoolAnd", [p("Paid")]), r#"BOOL_AND("T0"."Paid")"#),
            (call("JsonArrayAgg", [p("Paid")]), r#"JSON_AGG("T0"."Paid")"#),
            (
                prop("CreatedTime").cast(isogloss_compiler::expr::DbValueType::Date).into(),
                r#"CAST("T0"."CreatedTime" AS date)"#,
            ),
        ];
        for (value, expected) in cases {
            assert_eq!(spelled(value.clone(), &crate::Postgres::V15), *expected);
        }
    }
}
