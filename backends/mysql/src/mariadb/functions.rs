//! What MariaDB spells otherwise than MySQL.

use isogloss_compiler::dialect::{On, Row};
use isogloss_compiler::functions::Func as F;
use isogloss_compiler::legalize::Rule;
use isogloss_compiler::render::Prec;

use crate::functions::{NO_WINDOW, RANDOM_GUID, REGEXP_COUNT, REGEXP_REPLACE, REGEXP_SUBSTR};

const NO_BYTES: &str = "MariaDB has no random bytes before 10.10: make the UUID in the program";

/// Its regular expressions are PCRE's.
pub(super) const FUNCTIONS: &[Row] = &[
    Row::call(F::IsJson, "JSON_VALID({0})"),
    // Over a window, those of exact numbers are cut to four digits more than the numbers have.
    Row::call(F::StdDev, "STDDEV_SAMP({0^} + 0e0)").on(On::Exact).over(),
    Row::call(F::StdDevPop, "STDDEV_POP({0^} + 0e0)").on(On::Exact).over(),
    Row::call(F::Variance, "VAR_SAMP({0^} + 0e0)").on(On::Exact).over(),
    Row::call(F::VariancePop, "VAR_POP({0^} + 0e0)").on(On::Exact).over(),
    // In some collations, a NULL is not looked at where there is nothing to replace.
    Row::call(F::Replace, "REPLACE({0}, {1}, {2})").not_null_at(1).not_null_at(2),
    Row::call(F::Replace, "REPLACE({0}, {1}, {2})").guarded(),
    // From a position on, LOCATE of an empty text counts bytes, and finds none at the end.
    Row::operator(F::IndexOf, Prec::Add, "LOCATE({1}, {0}) - 1").args(2),
    Row::operator(F::IndexOf, Prec::Add, "LOCATE({1}, {0}, {2} + 1) - 1").plain(),
    Row::call(
        F::IndexOf,
        "CASE WHEN CHAR_LENGTH({1}) = 0 THEN CASE WHEN {2} <= CHAR_LENGTH({0}) THEN GREATEST({2}, 0) \
         WHEN {2} > CHAR_LENGTH({0}) THEN -1 END ELSE LOCATE({1}, {0}, GREATEST({2}, 0) + 1) - 1 END",
    ),
    REGEXP_REPLACE,
    REGEXP_SUBSTR,
    REGEXP_COUNT,
    Row::call(F::NewGuid, "UUID_v4()").since((11, 7, 0)),
    Row::call(F::NewGuid, RANDOM_GUID).since((10, 10, 0)),
    Row::refuse(F::NewGuid, NO_BYTES),
    Row::refuse(F::JsonArrayAgg, NO_WINDOW).over(),
    Row::call(F::JsonArrayAgg, "JSON_ARRAYAGG({0}{o})").noted(Rule::JsonArrayAggLimit),
    // By themselves they have ten digits behind the point.
    Row::call(F::PercentRank, "CAST(PERCENT_RANK(){v} AS DOUBLE)"),
    Row::call(F::CumeDist, "CAST(CUME_DIST(){v} AS DOUBLE)"),
    // Where the value is never NULL, a NULL is a row that is not there.
    Row::call(F::Lag, "COALESCE(LAG({0}, {1=}){v}, {2})").args(3).not_null(1),
    Row::call(F::Lag, "CASE WHEN LAG(1, {1=}){v=} IS NULL THEN {2} ELSE LAG({0}, {1=}){v} END").args(3),
    Row::call(F::Lead, "COALESCE(LEAD({0}, {1=}){v}, {2})").args(3).not_null(1),
    Row::call(F::Lead, "CASE WHEN LEAD(1, {1=}){v=} IS NULL THEN {2} ELSE LEAD({0}, {1=}){v} END").args(3),
];
