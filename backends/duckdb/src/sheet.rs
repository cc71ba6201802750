//! The data sheet: limits, and what DuckDB lacks of standard SQL, or does in another way than PostgreSQL.

use isogloss_compiler::dialect::{
    Distribution, Feature, Limits, NullOrder, Placeholder, Quotes, Sheet, Since, Support,
};
use isogloss_compiler::features;
use isogloss_compiler::legalize::Rule;

use crate::functions::FUNCTIONS;

/// `max_expression_depth` is 1,000: a concatenation is as deep as it is long, and stands in other expressions.
const LIMITS: Limits = Limits { parameters: 65_535, side_by_side: 100, ..Limits::NONE };

/// The data sheet.
pub static SHEET: Sheet = Sheet {
    name: "duckdb",
    quotes: Quotes('"', '"'),
    placeholder: Placeholder::Numbered("$"),
    null_order: NullOrder::Last,
    limits: LIMITS,
    distribution: Distribution::None,
    native: NATIVE,
    support: SUPPORT,
    functions: FUNCTIONS,
};

const NO_LOCKS: &str =
    "DuckDB locks no rows: of two transactions that change a row the second fails at once, and is run again";
const NO_JOIN: &str =
    "DuckDB's outer joins have no subquery in their condition: join a query that has it in its filter";
const NO_LOOK: &str = "DuckDB's regular expressions look neither ahead nor behind: filter by two of them";
const NO_REFERENCE: &str =
    "DuckDB's regular expressions cannot refer to what a group has found: compare it by RegexpSubstr";

/// What PostgreSQL lacks and DuckDB has.
const NATIVE: &[Feature] = features![NotInQuery RegexBorder];

/// What differs from PostgreSQL.
pub const SUPPORT: &[(Feature, Since)] = &[
    // a IN ($1, $2, ...)         =>  a IN (SELECT UNNEST(CAST(CAST($1 AS json) AS bigint[])))
    (Feature::ArrayParameter, Support::Expand(Rule::ArrayAsJson).always()),
    // LEFT JOIN .. ON a IN ($1, $2, ...)  =>  the same
    (Feature::ArrayInJoin, Support::Expand(Rule::ListOneByOne).always()),
    // (a, b) = (1, 2)            =>  a = 1 AND b = 2, for NULL is a value in a row
    (Feature::TupleCompare, Support::Expand(Rule::TupleCompare).always()),
    // (a, b) > (1, 2)            =>  a >= 1 AND (a > 1 OR b > 2)
    (Feature::TupleOrder, Support::Expand(Rule::TupleCompare).always()),
    // (a, b) IN ((1, 2), (3, 4)) =>  (a, b) IN (VALUES (1, 2), (3, 4))
    (Feature::TupleInList, Support::Expand(Rule::TupleInValues).always()),
    (Feature::SubqueryInJoin, Support::Refuse(NO_JOIN).always()),
    (Feature::LockUpdate, Support::Refuse(NO_LOCKS).always()),
    (Feature::LockShare, Support::Refuse(NO_LOCKS).always()),
    (Feature::LockSkipLocked, Support::Refuse(NO_LOCKS).always()),
    (Feature::LockNoWait, Support::Refuse(NO_LOCKS).always()),
    (Feature::RegexLook, Support::Refuse(NO_LOOK).always()),
    (Feature::RegexReference, Support::Refuse(NO_REFERENCE).always()),
    (
        Feature::RoundDigits,
        Support::Refuse("DuckDB rounds a decimal to digits that are known: give them as a number").always(),
    ),
    (Feature::StringAggSeparator, Support::Refuse("DuckDB's separator is a constant: give it as a text").always()),
    (
        Feature::ReturningSubquery,
        Support::Refuse("DuckDB gives back no subquery: query it in the same transaction").always(),
    ),
    (Feature::ConflictSubquery, Support::Refuse("query its value before").always()),
    (Feature::JsonEqual, Support::Refuse("DuckDB compares JSON by its text: take values out by JsonValue").always()),
    (Feature::Array, Support::Refuse("DuckDB binds no lists: store JSON, or rows of another table").always()),
];
