//! How MySQL spells functions. MariaDB does so, too, but for rows of its own.

use isogloss_compiler::dialect::{On, Row};
use isogloss_compiler::functions::Func as F;
use isogloss_compiler::legalize::Rule;
use isogloss_compiler::render::Prec;

const NO_CONTAINS: &str = "its JSON_CONTAINS finds `1` in `[[1]]`, too, and an object in an array of objects: compare \
    JsonValue at a path, or register a function for that meaning";
pub(crate) const NO_WINDOW: &str = "it gathers groups only: use a subquery";
const NO_DISTINCT: &str = "MySQL gathers every value: take DISTINCT in a subquery";

/// UUID() is made of the time; this one is random.
pub(crate) const RANDOM_GUID: &str = "LOWER(CONCAT(HEX(RANDOM_BYTES(4)), '-', HEX(RANDOM_BYTES(2)), '-4', \
    RIGHT(HEX(RANDOM_BYTES(2)), 3), '-', SUBSTRING('89ab', 1 + FLOOR(RAND() * 4), 1), \
    RIGHT(HEX(RANDOM_BYTES(2)), 3), '-', HEX(RANDOM_BYTES(6))))";

/// Of regular expressions that take `(?s-i)`, which keeps them from following the collation, and lets a dot match a line break, and
/// `\0` for the match.
pub(crate) const REGEXP_REPLACE: Row = Row::call(F::RegexpReplace, "REGEXP_REPLACE({0}, CONCAT('(?s-i)', {1}), {2})");

/// No match may give an empty text.
pub(crate) const REGEXP_SUBSTR: Row = Row::call(
    F::RegexpSubstr,
    "CASE WHEN {0^} REGEXP CONCAT('(?s-i)', {1}) THEN REGEXP_SUBSTR({0}, CONCAT('(?s-i)', {1})) END",
);

/// Each match grows by a character. CHAR makes `\0x`, as MariaDB forgets in a generated column that X'5C3078' is one.
pub(crate) const REGEXP_COUNT: Row = Row::operator(
    F::RegexpCount,
    Prec::Add,
    "CHAR_LENGTH(REGEXP_REPLACE({0}, CONCAT('(?s-i)', {1}), CHAR(0x5C, 0x30, 0x78 USING utf8mb4))) - CHAR_LENGTH({0})",
);

/// The function table of MySQL. Its regular expressions are ICU's; `c` keeps them from following the
/// collation, `n` lets a dot match a line break.
pub(crate) const FUNCTIONS: &[Row] = &[
    Row::refuse(F::JsonArrayAgg, "over a window it writes truth values as 1 and 0: use a subquery")
        .on(On::Boolean)
        .over(),
    Row::refuse(F::JsonArrayAgg, NO_DISTINCT).distinct(),
    Row::call(F::JsonArrayAgg, "JSON_ARRAYAGG({0}{o})"),
    // A parameter would be read as JSON before it is looked at.
    Row::call(F::IsJson, "JSON_VALID(CAST({0} AS CHAR))"),
    Row::call(F::Replace, "REPLACE({0}, {1}, {2})"),
    Row::call(F::RegexpReplace, "REGEXP_REPLACE({0}, {1}, {2}, 1, 0, 'cn')"),
    Row::call(F::RegexpSubstr, "REGEXP_SUBSTR({0}, {1}, 1, 1, 'cn')"),
    // Each match grows by a character.
    Row::operator(
        F::RegexpCount,
        Prec::Add,
        "CHAR_LENGTH(REGEXP_REPLACE({0}, {1}, '$0x', 1, 0, 'cn')) - CHAR_LENGTH({0})",
    ),
    Row::call(F::NewGuid, RANDOM_GUID),
    Row::call(F::PercentRank, "PERCENT_RANK()"),
    Row::call(F::CumeDist, "CUME_DIST()"),
    Row::call(F::Lag, "LAG({0}, {1=}, {2})").args(3),
    Row::call(F::Lead, "LEAD({0}, {1=}, {2})").args(3),
    // Text.
    Row::call(F::Length, "CHAR_LENGTH({0})"),
    Row::call(F::ByteLength, "LENGTH({0})"),
    Row::call(F::Lower, "LOWER({0})"),
    Row::call(F::Upper, "UPPER({0})"),
    Row::call(F::Trim, "TRIM({0})").args(1),
    Row::expand(F::Trim, Rule::TrimCharacters),
    Row::call(F::TrimStart, "LTRIM({0})").args(1),
    Row::expand(F::TrimStart, Rule::TrimCharacters),
    Row::call(F::TrimEnd, "RTRIM({0})").args(1),
    Row::expand(F::TrimEnd, Rule::TrimCharacters),
    Row::call(F::Substring, "SUBSTRING({0}, {1} + 1)").args(2).plain(),
    Row::call(F::Substring, "SUBSTRING({0}, {1} + 1, {2})").plain(),
    // A position below 1 would count from the end.
    Row::call(F::Substring, "SUBSTRING({0}, GREATEST({1}, 0) + 1)").args(2),
    Row::call(F::Substring, "SUBSTRING({0}, GREATEST({1}, 0) + 1, {2})"),
    Row::operator(F::IndexOf, Prec::Add, "LOCATE({1}, {0}) - 1").args(2),
    Row::operator(F::IndexOf, Prec::Add, "LOCATE({1}, {0}, {2} + 1) - 1").plain(),
    Row::operator(F::IndexOf, Prec::Add, "LOCATE({1}, {0}, GREATEST({2}, 0) + 1) - 1"),
    Row::call(F::Remove, "LEFT({0}, {1})").args(2),
    Row::call(F::Remove, "INSERT({0}, {1} + 1, {2}, '')").plain(),
    // A length below 0 would take the rest.
    Row::call(F::Remove, "INSERT({0}, GREATEST({1}, 0) + 1, GREATEST({2}, 0), '')"),
    // INSERT puts nothing behind the last character.
    Row::call(F::Insert, "CONCAT(LEFT({0}, {1}), {2}, SUBSTRING({0}, {1} + 1))").plain(),
    Row::call(F::Insert, "CONCAT(LEFT({0}, {1}), {2}, SUBSTRING({0}, GREATEST({1}, 0) + 1))"),
    Row::call(F::Left, "LEFT({0}, {1})"),
    Row::call(F::Right, "RIGHT({0}, {1})"),
    // LPAD cuts what is longer.
    Row::call(F::PadLeft, "LPAD({0}, GREATEST(CHAR_LENGTH({0}), {1}), ' ')").args(2),
    Row::call(F::PadLeft, "LPAD({0}, GREATEST(CHAR_LENGTH({0}), {1}), {2})").plain(),
    // Nothing to fill with gives NULL.
    Row::call(
        F::PadLeft,
        "CASE WHEN CHAR_LENGTH({2}) = 0 THEN {0} \
        ELSE LPAD({0}, GREATEST(CHAR_LENGTH({0}), {1}), {2}) END",
    )
    .not_null_at(1),
    Row::call(
        F::PadLeft,
        "CASE WHEN CHAR_LENGTH({2}) = 0 AND {1^} IS NOT NULL THEN {0} \
        ELSE LPAD({0}, GREATEST(CHAR_LENGTH({0}), {1}), {2}) END",
    ),
    // A number would have another character set than what it is filled with.
    Row::call(F::PadRight, "RPAD({0t}, GREATEST(CHAR_LENGTH({0}), {1}), ' ')").args(2),
    Row::call(F::PadRight, "RPAD({0t}, GREATEST(CHAR_LENGTH({0}), {1}), {2})").plain(),
    Row::call(
        F::PadRight,
        "CASE WHEN CHAR_LENGTH({2}) = 0 THEN {0} \
        ELSE RPAD({0t}, GREATEST(CHAR_LENGTH({0}), {1}), {2}) END",
    )
    .not_null_at(1),
    Row::call(
        F::PadRight,
        "CASE WHEN CHAR_LENGTH({2}) = 0 AND {1^} IS NOT NULL THEN {0} \
        ELSE RPAD({0t}, GREATEST(CHAR_LENGTH({0}), {1}), {2}) END",
    ),
    Row::call(F::Repeat, "REPEAT({0}, {1})"),
    Row::call(F::Reverse, "REVERSE({0})"),
    Row::call(F::Space, "SPACE({0})"),
    Row::call(F::Ascii, "ASCII({0})"),
    Row::call(F::Char, "CHAR({0} USING utf8mb4)").plain(),
    // A NULL would be left out, and nothing is an empty text.
    Row::call(F::Char, "CASE WHEN {0^} BETWEEN 1 AND 127 THEN CHAR({0} USING utf8mb4) END"),
    Row::call(F::Concat, "CONCAT({*})"),
    Row::call(F::ConcatWs, "CONCAT_WS({*})"),
    // Numbers.
    Row::call(F::Abs, "ABS({0})"),
    Row::call(F::Sign, "SIGN({0})"),
    Row::call(F::Ceiling, "CEILING({0})"),
    Row::call(F::Floor, "FLOOR({0})"),
    // ROUND takes a double's half to the even side, and a double's digits are not those that one sees.
    Row::operator(F::Round, Prec::Add, "TRUNCATE({0}, 0) + SIGN({0}) * (ABS({0^} - TRUNCATE({0}, 0)) >= 0.5)")
        .args(1)
        .on(On::Float),
    Row::call(
        F::Round,
        "CASE WHEN ABS({0}) < 1e34 THEN ROUND(CAST({0} AS DECIMAL(65, 30)), {1}) + 0e0 \
        ELSE ROUND({0}, {1}) END",
    )
    .on(On::Float),
    Row::call(F::Round, "ROUND({*})"),
    Row::call(F::Truncate, "TRUNCATE({0}, 0)").args(1),
    Row::call(
        F::Truncate,
        "CASE WHEN ABS({0}) < 1e34 THEN TRUNCATE(CAST({0} AS DECIMAL(65, 30)), {1}) + 0e0 \
        ELSE TRUNCATE({0}, {1}) END",
    )
    .on(On::Float),
    Row::call(F::Truncate, "TRUNCATE({0}, {1})"),
    Row::call(F::Sqrt, "SQRT({0})"),
    // No number at all would be an error.
    Row::call(F::Power, "POWER({0}, {1})").plain(),
    Row::call(
        F::Power,
        "POWER(CASE WHEN {0^} > 0 OR {0^} = 0 AND {1^} >= 0 OR {0^} < 0 AND {1^} = TRUNCATE({1}, 0) \
        THEN {0} END, {1})",
    ),
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
    Row::call(F::Degrees, "DEGREES({0})"),
    Row::call(F::Radians, "RADIANS({0})"),
    // PI() comes back with six digits.
    Row::call(F::Pi, "ACOS(-1)"),
    Row::call(F::Mod, "MOD({0}, {1})"),
    Row::call(F::Random, "RAND()"),
    Row::call(F::Greatest, "GREATEST({*})"),
    Row::call(F::Least, "LEAST({*})"),
    // Bits come back without a sign.
    Row::call(F::BitAnd, "CAST({0^} & {1^} AS SIGNED)"),
    Row::call(F::BitOr, "CAST({0^} | {1^} AS SIGNED)"),
    Row::call(F::BitXor, "CAST({0^} ^ {1^} AS SIGNED)"),
    Row::call(F::ShiftLeft, "CAST({0^} << {1^} AS SIGNED)"),
    Row::call(F::ShiftRight, "CAST({0^} >> {1^} AS SIGNED)"),
    // NULL.
    Row::call(F::Coalesce, "COALESCE({*})"),
    // "MySQL evaluates expr1 twice if the arguments are not equal", and so does MariaDB.
    Row::call(F::NullIf, "NULLIF({0}, {1})").computed_twice(),
    // Dates and times.
    Row::call(F::Now, "NOW(6)"),
    Row::call(F::UtcNow, "UTC_TIMESTAMP(6)"),
    Row::call(F::Today, "CURDATE()"),
    // YEAR() has no sign, and what is subtracted from it neither.
    Row::call(F::Year, "EXTRACT(YEAR FROM {0})"),
    Row::call(F::Quarter, "QUARTER({0})"),
    Row::call(F::Month, "MONTH({0})"),
    Row::call(F::Week, "WEEK({0}, 3)"),
    Row::call(F::Day, "DAY({0})"),
    Row::call(F::DayOfYear, "DAYOFYEAR({0})"),
    Row::operator(F::DayOfWeek, Prec::Add, "DAYOFWEEK({0}) - 1"),
    Row::call(F::Hour, "HOUR({0})"),
    Row::call(F::Minute, "MINUTE({0})"),
    Row::call(F::Second, "SECOND({0})"),
    Row::operator(F::Millisecond, Prec::Multiply, "MICROSECOND({0}) DIV 1000"),
    Row::call(F::Date, "DATE({0})"),
    // TIME of a parameter would cut its fraction, on MariaDB.
    Row::call(F::TimeOfDay, "CAST({0} AS TIME(6))"),
    Row::call(F::AddYears, "DATE_ADD({0}, INTERVAL {1} YEAR)"),
    Row::call(F::AddQuarters, "DATE_ADD({0}, INTERVAL {1} QUARTER)"),
    Row::call(F::AddMonths, "DATE_ADD({0}, INTERVAL {1} MONTH)"),
    Row::call(F::AddWeeks, "DATE_ADD({0}, INTERVAL {1} WEEK)"),
    Row::call(F::AddDays, "DATE_ADD({0}, INTERVAL {1} DAY)"),
    Row::call(F::AddHours, "DATE_ADD({0}, INTERVAL {1} HOUR)"),
    Row::call(F::AddMinutes, "DATE_ADD({0}, INTERVAL {1} MINUTE)"),
    Row::call(F::AddSeconds, "DATE_ADD({0}, INTERVAL {1} SECOND)"),
    Row::call(F::AddMilliseconds, "DATE_ADD({0}, INTERVAL {1^} * 1000 MICROSECOND)"),
    Row::call(F::DateDiffYears, "TIMESTAMPDIFF(YEAR, {1}, {0})"),
    Row::call(F::DateDiffMonths, "TIMESTAMPDIFF(MONTH, {1}, {0})"),
    Row::call(F::DateDiffDays, "TIMESTAMPDIFF(DAY, {1}, {0})"),
    Row::call(F::DateDiffHours, "TIMESTAMPDIFF(HOUR, {1}, {0})"),
    Row::call(F::DateDiffMinutes, "TIMESTAMPDIFF(MINUTE, {1}, {0})"),
    Row::call(F::DateDiffSeconds, "TIMESTAMPDIFF(SECOND, {1}, {0})"),
    Row::operator(F::DateDiffMilliseconds, Prec::Multiply, "TIMESTAMPDIFF(MICROSECOND, {1}, {0}) DIV 1000"),
    Row::call(F::TruncYear, "CAST(DATE_FORMAT({0}, '%Y-01-01') AS DATE)").on(On::Date),
    Row::call(F::TruncYear, "CAST(DATE_FORMAT({0}, '%Y-01-01') AS DATETIME)"),
    Row::call(
        F::TruncQuarter,
        "DATE_SUB(CAST(DATE_FORMAT({0}, '%Y-%m-01') AS DATE), \
        INTERVAL (MONTH({0}) - 1) % 3 MONTH)",
    )
    .on(On::Date),
    Row::call(
        F::TruncQuarter,
        "DATE_SUB(CAST(DATE_FORMAT({0}, '%Y-%m-01') AS DATETIME), \
        INTERVAL (MONTH({0}) - 1) % 3 MONTH)",
    ),
    Row::call(F::TruncMonth, "CAST(DATE_FORMAT({0}, '%Y-%m-01') AS DATE)").on(On::Date),
    Row::call(F::TruncMonth, "CAST(DATE_FORMAT({0}, '%Y-%m-01') AS DATETIME)"),
    Row::call(F::TruncWeek, "DATE_SUB(DATE({0}), INTERVAL WEEKDAY({0}) DAY)").on(On::Date),
    Row::call(F::TruncWeek, "CAST(DATE_SUB(DATE({0}), INTERVAL WEEKDAY({0}) DAY) AS DATETIME)"),
    Row::call(F::TruncDay, "DATE({0})").on(On::Date),
    Row::call(F::TruncDay, "CAST(DATE({0}) AS DATETIME)"),
    Row::call(F::TruncHour, "DATE({0})").on(On::Date),
    Row::call(F::TruncHour, "CAST(DATE_FORMAT({0}, '%Y-%m-%d %H:00:00') AS DATETIME)"),
    Row::call(F::TruncMinute, "DATE({0})").on(On::Date),
    Row::call(F::TruncMinute, "CAST(DATE_FORMAT({0}, '%Y-%m-%d %H:%i:00') AS DATETIME)"),
    Row::call(F::LastDay, "LAST_DAY({0})"),
    // A day that does not exist is an error of CAST in a write.
    Row::call(
        F::MakeDate,
        "CASE WHEN {0^} BETWEEN 1 AND 9999 AND {1^} BETWEEN 1 AND 12 \
        AND {2^} BETWEEN 1 AND DAY(LAST_DAY(CONCAT(LPAD({0}, 4, '0'), '-', {1}, '-1'))) \
        THEN CAST(CONCAT(LPAD({0}, 4, '0'), '-', {1}, '-', {2}) AS DATE) END",
    ),
    // A difference would be cut toward zero. From year 0 to 1970 there are 719,528 days.
    Row::operator(F::ToUnixSeconds, Prec::Add, "TO_SECONDS({0}) - 62167219200"),
    Row::call(F::FromUnixSeconds, "DATE_ADD(TIMESTAMP '1970-01-01 00:00:00', INTERVAL {0} SECOND)"),
    Row::call(F::Format, "DATE_FORMAT({0}, {1})"),
    // JSON. JSON_VALUE gives objects as text, or truth values as 1 and 0.
    Row::call(
        F::JsonValue,
        "CASE WHEN CAST(JSON_TYPE(JSON_EXTRACT({0}, {1})) AS BINARY) NOT IN ('OBJECT', 'ARRAY', 'NULL') \
        THEN JSON_UNQUOTE(JSON_EXTRACT({0}, {1})) END",
    ),
    Row::call(
        F::JsonQuery,
        "CASE WHEN CAST(JSON_TYPE(JSON_EXTRACT({0}, {1})) AS BINARY) IN ('OBJECT', 'ARRAY') \
        THEN JSON_EXTRACT({0}, {1}) END",
    ),
    Row::call(F::JsonExists, "JSON_CONTAINS_PATH({0}, 'one', {1})"),
    // JSON_LENGTH of a scalar is 1, that of an object the number of its members.
    Row::call(F::JsonLength, "CASE WHEN CAST(JSON_TYPE({0}) AS BINARY) = 'ARRAY' THEN JSON_LENGTH({0}) END").args(1),
    Row::call(
        F::JsonLength,
        "CASE WHEN CAST(JSON_TYPE(JSON_EXTRACT({0}, {1})) AS BINARY) = 'ARRAY' \
        THEN JSON_LENGTH({0}, {1}) END",
    ),
    Row::refuse(F::JsonContains, NO_CONTAINS),
    Row::call(F::JsonSet, "JSON_SET({0}, {1}, {2})"),
    Row::call(F::JsonObject, "JSON_OBJECT({*})"),
    Row::call(F::JsonArray, "JSON_ARRAY({*})"),
    // Other.
    Row::call(F::Hex, "HEX({0})").on(On::Binary),
    Row::call(F::Hex, "HEX({0})").on(On::Text),
    Row::refuse(F::Hex, "it takes bytes or text"),
    // Aggregates.
    Row::call(F::Count, "COUNT(*)").args(0),
    Row::call(F::Count, "COUNT({0})"),
    Row::call(F::Sum, "SUM({0})"),
    // AVG of whole numbers has four digits.
    Row::call(F::Avg, "AVG({0^} + 0e0)").on(On::Integer),
    // AVG of decimals has four digits more than they have.
    Row::call(F::Avg, "AVG({d}CAST({0} AS DECIMAL(65, 30)))").on(On::Exact),
    Row::call(F::Avg, "AVG({0})"),
    Row::call(F::Min, "MIN({0})"),
    Row::call(F::Max, "MAX({0})"),
    Row::refuse(F::StringAgg, NO_WINDOW).over(),
    Row::call(F::StringAgg, "GROUP_CONCAT({0}{o} SEPARATOR {1'})").noted(Rule::GroupConcatLimit),
    Row::call(F::StdDev, "STDDEV_SAMP({0})"),
    Row::call(F::StdDevPop, "STDDEV_POP({0})"),
    Row::call(F::Variance, "VAR_SAMP({0})"),
    Row::call(F::VariancePop, "VAR_POP({0})"),
    // A truth value is 1 or 0.
    Row::call(F::BoolAnd, "MIN({0})"),
    Row::call(F::BoolOr, "MAX({0})"),
    // Windows. How many rows stands in the text.
    Row::call(F::RowNumber, "ROW_NUMBER()"),
    Row::call(F::Rank, "RANK()"),
    Row::call(F::DenseRank, "DENSE_RANK()"),
    Row::call(F::NTile, "NTILE({0=})"),
    Row::call(F::Lag, "LAG({0})").args(1),
    Row::call(F::Lag, "LAG({0}, {1=})"),
    Row::call(F::Lead, "LEAD({0})").args(1),
    Row::call(F::Lead, "LEAD({0}, {1=})"),
    Row::call(F::FirstValue, "FIRST_VALUE({0})"),
    Row::call(F::LastValue, "LAST_VALUE({0})"),
    Row::call(F::NthValue, "NTH_VALUE({0}, {1=})"),
];
