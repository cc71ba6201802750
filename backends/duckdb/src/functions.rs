//! How DuckDB spells functions, where that is not as PostgreSQL does.

use isogloss_compiler::dialect::{On, Row};
use isogloss_compiler::functions::Func as F;
use isogloss_compiler::render::Prec;

const NO_JSON_SET: &str =
    "DuckDB sets no value inside of JSON: make the document anew, by JsonObject or in the program";
const NO_JSON_CONTAINS: &str = "DuckDB looks for JSON at any depth: look at single values by JsonValue";

/// A double as the exact number that it prints as, where there is room for its digits: others have none behind the point.
macro_rules! exact {
    ($function:literal, $digits:literal) => {
        concat!(
            "COALESCE(CAST(",
            $function,
            "(TRY_CAST(CAST({0} AS text) AS decimal(38, 16))",
            $digits,
            ") AS double precision), {0})"
        )
    };
}

/// The whole units between two dates and times, toward zero.
macro_rules! diff {
    ($unit:literal) => {
        concat!("DATESUB('", $unit, "', {1s}, {0s})")
    };
}

/// The whole months: those whose first days lie between, but for the last one where its day does not come to that of the other
/// side. DATESUB takes the last day of a month for any later day of another one.
macro_rules! months {
    () => {
        "DATEDIFF('month', {1s}, {0s}) - CASE \
         WHEN {0s^} > {1s^} AND {0s^} - DATE_TRUNC('month', {0s}) < {1s^} - DATE_TRUNC('month', {1s}) THEN 1 \
         WHEN {0s^} < {1s^} AND {0s^} - DATE_TRUNC('month', {0s}) > {1s^} - DATE_TRUNC('month', {1s}) THEN -1 ELSE 0 END"
    };
}

/// A span added to a date and time. A product with an interval has 32 bits.
macro_rules! add {
    ($span:literal) => {
        concat!("{0s^} + ", $span, "({1})")
    };
}

/// A shift of the 64 bits, which as numbers overflow.
macro_rules! shift_left {
    () => {
        "CASE WHEN {1^} NOT BETWEEN 0 AND 63 THEN 0 & {0^} ELSE CAST(CAST(CAST({0} AS bigint) AS bit) << {1i^} AS bigint) END"
    };
}

/// The function table.
pub const FUNCTIONS: &[Row] = &[
    // Text.
    Row::call(F::Length, "OCTET_LENGTH({0})").on(On::Binary),
    Row::call(F::ByteLength, "OCTET_LENGTH({0})").on(On::Binary),
    Row::call(F::ByteLength, "STRLEN({0t})"),
    // Without characters, it takes every kind of blank.
    Row::call(F::Trim, "TRIM({0t}, ' ')").args(1),
    Row::call(F::Trim, "TRIM({0t}, {1t})"),
    Row::call(F::TrimStart, "LTRIM({0t}, ' ')").args(1),
    Row::call(F::TrimEnd, "RTRIM({0t}, ' ')").args(1),
    Row::call(F::Remove, "LEFT({0t}, {1i})").args(2),
    Row::operator(F::Remove, Prec::Concat, "LEFT({0t}, {1i}) || SUBSTRING({0t}, {1i^} + {2i^} + 1)"),
    Row::operator(F::Insert, Prec::Concat, "LEFT({0t}, {1i}) || {2t^} || SUBSTRING({0t}, {1i^} + 1)"),
    // REVERSE keeps an accent behind its letter.
    Row::call(F::Reverse, "ARRAY_TO_STRING(LIST_REVERSE(REGEXP_EXTRACT_ALL({0t}, '.', 0, 's')), '')"),
    Row::call(F::RegexpReplace, "REGEXP_REPLACE({0t}, {1t}, {2t}, 'gs')"),
    Row::call(F::RegexpSubstr, "CASE WHEN REGEXP_MATCHES({0t}, {1t}, 's') THEN REGEXP_EXTRACT({0t}, {1t}, 0, 's') END"),
    Row::call(F::RegexpCount, "CAST(LEN(REGEXP_EXTRACT_ALL({0t}, {1t}, 0, 's')) AS integer)"),
    // Numbers.
    Row::call(F::Round, exact!("ROUND", "")).args(1).on(On::Float),
    Row::call(F::Round, exact!("ROUND", ", {1i}")).on(On::Float),
    Row::call(F::Truncate, exact!("TRUNC", ", {1i}")).args(2).on(On::Float),
    Row::call(F::Log2, "CASE WHEN {0^} > 0 THEN LOG2({0f}) END"),
    Row::call(F::BitXor, "XOR({0}, {1})"),
    Row::call(F::ShiftLeft, shift_left!()),
    // NULL. NULLIF is a macro, which writes a CASE.
    Row::call(F::NullIf, "NULLIF({0}, {1})").computed_twice(),
    // Dates and times.
    // There is none but the time at which the transaction began.
    Row::call(F::Now, "CAST(NOW() AS timestamp)"),
    Row::call(F::UtcNow, "TIMEZONE('UTC', NOW())"),
    Row::call(F::Today, "CAST(NOW() AS date)"),
    Row::operator(F::AddHours, Prec::Add, add!("TO_HOURS")),
    Row::operator(F::AddMinutes, Prec::Add, add!("TO_MINUTES")),
    Row::operator(F::AddSeconds, Prec::Add, add!("TO_SECONDS")),
    Row::operator(F::AddMilliseconds, Prec::Add, add!("TO_MILLISECONDS")),
    Row::operator(F::DateDiffYears, Prec::Multiply, concat!("(", months!(), ") // 12")),
    Row::operator(F::DateDiffMonths, Prec::Add, months!()),
    Row::operator(F::DateDiffDays, Prec::Add, "{0^} - {1^}").every(On::Date),
    Row::call(F::DateDiffDays, diff!("day")),
    Row::call(F::DateDiffHours, diff!("hour")),
    Row::call(F::DateDiffMinutes, diff!("minute")),
    Row::call(F::DateDiffSeconds, diff!("second")),
    Row::call(F::DateDiffMilliseconds, diff!("millisecond")),
    Row::call(F::LastDay, "LAST_DAY({0})").on(On::Date),
    Row::call(F::LastDay, "LAST_DAY(CAST({0} AS date))"),
    // MAKE_DATE fails where there is no such date, and takes years of every calendar.
    Row::call(F::MakeDate, "CASE WHEN {0^} BETWEEN 1 AND 9999 THEN TRY(MAKE_DATE({0i}, {1i}, {2i})) END"),
    // A quotient is cut toward zero, so it is counted from the year 0.
    Row::operator(F::ToUnixSeconds, Prec::Add, "(EPOCH_US({0s}) + 62167219200000000) // 1000000 - 62167219200"),
    Row::operator(F::FromUnixSeconds, Prec::Add, "TIMESTAMP '1970-01-01' + TO_SECONDS({0})"),
    Row::call(F::Format, "STRFTIME({0s}, {1})"),
    // JSON.
    Row::call(
        F::JsonValue,
        "CASE WHEN JSON_TYPE({0}, {1}) NOT IN ('OBJECT', 'ARRAY') THEN JSON_EXTRACT_STRING({0}, {1}) END",
    ),
    Row::call(F::JsonQuery, "CASE WHEN JSON_TYPE({0}, {1}) IN ('OBJECT', 'ARRAY') THEN JSON_EXTRACT({0}, {1}) END"),
    Row::call(F::JsonExists, "JSON_EXISTS({0}, {1})"),
    Row::call(F::JsonLength, "CASE WHEN JSON_TYPE({0}) = 'ARRAY' THEN CAST(JSON_ARRAY_LENGTH({0}) AS integer) END")
        .args(1),
    Row::call(
        F::JsonLength,
        "CASE WHEN JSON_TYPE({0}, {1}) = 'ARRAY' THEN CAST(JSON_ARRAY_LENGTH({0}, {1}) AS integer) END",
    ),
    Row::refuse(F::JsonContains, NO_JSON_CONTAINS),
    Row::refuse(F::JsonSet, NO_JSON_SET),
    Row::call(F::JsonObject, "JSON_OBJECT({*j})"),
    Row::call(F::JsonArray, "JSON_ARRAY({*j})"),
    Row::call(F::IsJson, "JSON_VALID({0})"),
    // Other.
    Row::call(F::Hex, "HEX({0})").on(On::Binary),
    Row::call(F::Hex, "HEX({0})").on(On::Text),
    // Aggregates. A sum of whole numbers has 128 bits.
    Row::call(F::Sum, "CAST(SUM({0}){f} AS bigint)").on(On::Integer),
    Row::call(F::Min, "MIN({0})"),
    Row::call(F::Max, "MAX({0})"),
    // JSON_GROUP_ARRAY takes neither an order nor a filter.
    Row::call(F::JsonArrayAgg, "TO_JSON(LIST({d}{0j}{o}){f})"),
];
