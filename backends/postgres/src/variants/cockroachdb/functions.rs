//! What CockroachDB spells otherwise than PostgreSQL.

use isogloss_compiler::dialect::{On, Row};
use isogloss_compiler::functions::Func as F;
use isogloss_compiler::render::Prec;

use crate::functions::{
    JSON_EXISTS, JSON_EXISTS_PLAIN, JSON_LENGTH, JSON_LENGTH_ALL, JSON_LENGTH_PLAIN, JSON_QUERY, JSON_QUERY_PLAIN,
    JSON_SET, JSON_SET_PLAIN,
};

const V25_2: (u16, u16, u16) = (25, 2, 0);

const NO_PATH: &str = "CockroachDB before 25.2 has no jsonpath, and `#>` takes a place in an array for a member of that name: \
                       read the array, or give the member another name";

/// A number as a double. A call is found by the types of its arguments: there is no `sqrt(int)`, nor `power(float, int)`.
macro_rules! double {
    ($arg:literal) => {
        concat!("CAST({", $arg, "} AS double precision)")
    };
}

/// A function of a double.
macro_rules! of_double {
    ($function:literal) => {
        concat!($function, "(", double!("0"), ")")
    };
}

/// The whole units between two dates and times. EXTRACT gives a double, so that the microseconds are counted.
macro_rules! diff {
    ($micros:literal) => {
        concat!("DIV(CAST(ROUND(EXTRACT(EPOCH FROM {0s^} - {1s^}) * 1000000) AS bigint), ", $micros, ")")
    };
}

/// Whole years and months between two dates and times; AGE takes none without an offset.
macro_rules! age {
    () => {
        "AGE(CAST({0s} AS timestamptz), CAST({1s} AS timestamptz))"
    };
}

/// The value at a place of JSON, if it is no object or array.
macro_rules! scalar_at {
    ($place:literal, $text:literal) => {
        concat!("CASE WHEN JSONB_TYPEOF(", $place, ") NOT IN ('object', 'array') THEN ", $text, " END")
    };
}

pub(super) const FUNCTIONS: &[Row] = &[
    // Without characters, they take tabs and line ends away, too.
    Row::call(F::Trim, "BTRIM({0t}, ' ')").args(1),
    Row::call(F::TrimStart, "LTRIM({0t}, ' ')").args(1),
    Row::call(F::TrimEnd, "RTRIM({0t}, ' ')").args(1),
    // The empty text is found between all characters.
    Row::call(F::Replace, "REPLACE({0t}, {1t}, {2t})").plain(),
    Row::call(F::Replace, "CASE WHEN {1t^} = '' THEN {0t} ELSE REPLACE({0t}, {1t}, {2t}) END").guarded(),
    // The empty text is an error.
    Row::call(F::Ascii, "CASE WHEN {0t^} = '' THEN 0 ELSE ASCII({0t}) END"),
    // It gives the first group, if there is one.
    Row::call(F::RegexpSubstr, "REGEXP_EXTRACT({0t}, '(' || {1t^} || ')')"),
    // Each match grows by a character.
    Row::operator(F::RegexpCount, Prec::Add, r"LENGTH(REGEXP_REPLACE({0t}, {1t}, E'\\&x', 'g')) - LENGTH({0t})"),
    // Numbers.
    Row::call(F::Round, "CAST(ROUND(CAST({0} AS numeric), {1i}) AS bigint)").args(2).on(On::Integer),
    Row::call(F::Truncate, "CAST(TRUNC(CAST({0} AS numeric), {1i}) AS bigint)").args(2).on(On::Integer),
    Row::call(F::Sqrt, concat!("CASE WHEN {0^} >= 0 THEN ", of_double!("SQRT"), " END")),
    Row::call(F::Power, concat!("POWER(", double!("0"), ", ", double!("1"), ")")).plain(),
    Row::call(
        F::Power,
        concat!(
            "CASE WHEN {0^} = 0 AND {1^} < 0 OR {0^} < 0 AND {1^} <> TRUNC(",
            double!("1"),
            ") THEN NULL WHEN ",
            double!("1"),
            " * LN(NULLIF(ABS(",
            double!("0"),
            "), 0)) < -745.13 THEN 0 ELSE POWER(",
            double!("0"),
            ", ",
            double!("1"),
            ") END"
        ),
    ),
    Row::call(F::Exp, concat!("CASE WHEN {0^} < -745 THEN 0 ELSE ", of_double!("EXP"), " END")),
    Row::call(F::Log, concat!("CASE WHEN {0^} > 0 THEN ", of_double!("LN"), " END")),
    Row::call(F::Log10, concat!("CASE WHEN {0^} > 0 THEN ", of_double!("LOG"), " END")),
    Row::call(F::Sin, of_double!("SIN")),
    Row::call(F::Cos, of_double!("COS")),
    Row::call(F::Tan, of_double!("TAN")),
    Row::call(F::Asin, concat!("CASE WHEN ABS({0}) <= 1 THEN ", of_double!("ASIN"), " END")),
    Row::call(F::Acos, concat!("CASE WHEN ABS({0}) <= 1 THEN ", of_double!("ACOS"), " END")),
    Row::call(F::Atan, of_double!("ATAN")),
    Row::call(F::Atan2, concat!("ATAN2(", double!("0"), ", ", double!("1"), ")")),
    Row::call(F::Degrees, of_double!("DEGREES")),
    Row::call(F::Radians, of_double!("RADIANS")),
    // Dates and times. STATEMENT_TIMESTAMP is there with and without an offset.
    Row::call(F::UtcNow, "TIMEZONE('UTC', CAST(STATEMENT_TIMESTAMP() AS timestamptz))"),
    // The names of the fields are those that the documentation gives.
    Row::call(F::DayOfYear, "CAST(EXTRACT(DAYOFYEAR FROM {0s}) AS integer)"),
    Row::call(F::DayOfWeek, "CAST(EXTRACT(DAYOFWEEK FROM {0s}) AS integer)"),
    Row::operator(F::Millisecond, Prec::Multiply, "CAST(TRUNC(EXTRACT(MILLISECOND FROM {0})) AS integer) % 1000")
        .on(On::Time),
    Row::operator(F::Millisecond, Prec::Multiply, "CAST(TRUNC(EXTRACT(MILLISECOND FROM {0s})) AS integer) % 1000"),
    Row::call(F::DateDiffYears, concat!("CAST(EXTRACT(YEAR FROM ", age!(), ") AS bigint)")),
    Row::call(
        F::DateDiffMonths,
        concat!("CAST(EXTRACT(YEAR FROM ", age!(), ") * 12 + EXTRACT(MONTH FROM ", age!(), ") AS bigint)"),
    ),
    Row::call(F::DateDiffDays, "CAST({0^} - {1^} AS bigint)").every(On::Date),
    Row::call(F::DateDiffDays, diff!("86400000000")),
    Row::operator(F::DateDiffHours, Prec::Multiply, "CAST({0^} - {1^} AS bigint) * 24").every(On::Date),
    Row::call(F::DateDiffHours, diff!("3600000000")),
    Row::operator(F::DateDiffMinutes, Prec::Multiply, "CAST({0^} - {1^} AS bigint) * 1440").every(On::Date),
    Row::call(F::DateDiffMinutes, diff!("60000000")),
    Row::operator(F::DateDiffSeconds, Prec::Multiply, "CAST({0^} - {1^} AS bigint) * 86400").every(On::Date),
    Row::call(F::DateDiffSeconds, diff!("1000000")),
    Row::operator(F::DateDiffMilliseconds, Prec::Multiply, "CAST({0^} - {1^} AS bigint) * 86400000").every(On::Date),
    Row::call(F::DateDiffMilliseconds, diff!("1000")),
    Row::call(F::LastDay, "CAST(DATE_TRUNC('month', {0s}) + INTERVAL '1 month' - INTERVAL '1 day' AS date)"),
    // JSON.
    Row::call(F::JsonValue, scalar_at!("CAST({0} AS jsonb) #> {1}", "CAST({0} AS jsonb) #>> {1}")).plain(),
    Row::call(
        F::JsonValue,
        scalar_at!(
            "JSONB_PATH_QUERY_FIRST(CAST({0} AS jsonb), {1q}, '{{}}', TRUE)",
            "JSONB_PATH_QUERY_FIRST(CAST({0} AS jsonb), {1q}, '{{}}', TRUE) #>> '{{}}'"
        ),
    )
    .since(V25_2),
    Row::refuse(F::JsonValue, NO_PATH),
    JSON_QUERY_PLAIN,
    JSON_QUERY.since(V25_2),
    Row::refuse(F::JsonQuery, NO_PATH),
    JSON_EXISTS_PLAIN,
    JSON_EXISTS.since(V25_2),
    Row::refuse(F::JsonExists, NO_PATH),
    JSON_LENGTH_ALL,
    JSON_LENGTH_PLAIN,
    JSON_LENGTH.since(V25_2),
    Row::refuse(F::JsonLength, NO_PATH),
    JSON_SET_PLAIN,
    JSON_SET.since(V25_2),
    Row::refuse(F::JsonSet, NO_PATH),
    Row::call(F::IsJson, "JSON_VALID({0t})"),
    // Aggregates. A sum of whole numbers is a decimal, whatever their size.
    Row::call(F::Sum, "CAST(SUM({0}){f} AS bigint)").on(On::Integer),
    Row::call(F::Min, "MIN({0})").on(On::Binary),
    Row::call(F::Max, "MAX({0})").on(On::Binary),
];
