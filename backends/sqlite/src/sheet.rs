//! The data sheet: limits, and what SQLite lacks of standard SQL.

use isogloss_compiler::dialect::{
    Distribution, Feature, Limits, NullOrder, Placeholder, Quotes, Sheet, Since, Support,
};
use isogloss_compiler::features;
use isogloss_compiler::legalize::Rule;

use crate::functions::{FUNCTIONS, NO_REGEX};

/// The defaults of <https://www.sqlite.org/limits.html>: `SQLITE_MAX_VARIABLE_NUMBER`, `SQLITE_MAX_COMPOUND_SELECT`,
/// the 64 tables of a join, `SQLITE_MAX_FUNCTION_ARG` before 3.48. A tree of expressions is 1,000 deep at most
/// (`SQLITE_MAX_EXPR_DEPTH`), and `a AND b AND c` is one of two levels.
const LIMITS: Limits = Limits {
    parameters: 32_766,
    set_members: 500,
    joined_tables: 64,
    arguments: 127,
    side_by_side: 100,
    ..Limits::NONE
};

/// The data sheet.
pub static SHEET: Sheet = Sheet {
    name: "sqlite",
    quotes: Quotes('"', '"'),
    placeholder: Placeholder::Question,
    null_order: NullOrder::Least,
    limits: LIMITS,
    distribution: Distribution::None,
    native: NATIVE,
    support: SUPPORT,
    functions: FUNCTIONS,
}
.complete();

const NO_LOCKS: &str = "SQLite locks the whole database: begin the transaction IMMEDIATE";

/// What it has of standard SQL in every version.
const NATIVE: &[Feature] = features![
    BooleanValue BooleanPredicate BooleanLiteral UntypedParameter UntypedArgument UntypedNull NullBesideTexts
    NullsOrder TupleIn TupleCompare TupleOrder ArrayInChange ArrayInJoin ArrayOfTexts AggregateFilter
    AggregateOrders StringAggDistinct StringAggWindow SubqueryInAggregate OuterInAggregate SubqueryInGroup GroupSubqueryRepeated Intersect
    Except SetGroupNulls SetZeroSign Recursion RecursiveUnion RecursiveTypes RecursiveClauses RecursionDepth
    OffsetWithoutOrder TwinsInPage LimitInSubquery WindowInSubquery PagedSetInSubquery FullJoinCondition OuterInDerived ExistsPage ExistsInChange GroupKeyInside GroupKeyInHaving
    NotInQuery SubqueryInJoin ComputedText QueryInQuery RowOfQueryInQuery CoalesceQuery WindowDefault Window
    FrameGroups FrameExclude FrameRangeOffset WindowWithoutOrder LockWithLimit IntegerDivision IntegerCast
    DivisionByZero Modulo DecimalDigits GuidOrder OffsetParts BitNot ConcatNull ConcatAny EmptyString
    StringAggSeparator TrimComputed LikeBracket LargeText LargeBinary TrailingBlanks LikeEscape NullSafeEqual MultiRowInsert
    Upsert InsertReturning UpdateReturning DeleteReturning ReturningSubquery ConflictSubquery CrossAssignment
    SelfSubquery SelfSubqueryRows WriteWith ChangeWith IdentityValue DivisionInWrite LockOrder LockOf TextParameter
    OffsetParameter JsonBoolean JsonNull JsonIndex NestedJson
];

/// What differs from standard SQL, and since which version it no longer does.
pub const SUPPORT: &[(Feature, Since)] = &[
    // a IN (?, ?, ...)                  =>  a IN (SELECT value FROM json_each(?))
    (Feature::ArrayParameter, Support::Expand(Rule::ArrayAsJson).always()),
    // (a, b) IN ((1, 2), (3, 4))        =>  (a, b) IN (VALUES (1, 2), (3, 4))
    (Feature::TupleInList, Support::Expand(Rule::TupleInValues).always()),
    // SELECT DISTINCT ON (a) ...        =>  ROW_NUMBER() OVER (PARTITION BY a ...) = 1
    (Feature::DistinctOn, Support::Expand(Rule::DistinctOnRowNumber).always()),
    // SELECT f(a, ?) GROUP BY f(a, ?)   =>  SELECT f(a, ?) GROUP BY 1
    (Feature::GroupParameter, Support::Expand(Rule::GroupByPosition).always()),
    // (SELECT .. FROM u GROUP BY t.a)   =>  (SELECT .. FROM u GROUP BY NULL)
    (Feature::OuterGroup, Support::Expand(Rule::OuterKeyIsNull).always()),
    // (SELECT .. FROM u ORDER BY t.a, u.b)  =>  (SELECT .. FROM u ORDER BY u.b)
    (Feature::OuterInKey, Support::Expand(Rule::OuterKeyLeftOut).always()),
    // SELECT 1 FROM t HAVING p          =>  SELECT 1 FROM (SELECT COUNT(*) FROM t HAVING p)
    (Feature::HavingOverConstants, Support::Expand(Rule::HavingDerived).always()),
    (Feature::RightJoin, Support::Refuse("SQLite has no RIGHT JOIN before 3.39: swap the sides").always()),
    (Feature::RightJoin, Support::Native.since((3, 39, 0))),
    (Feature::FullJoin, Support::Refuse("SQLite has no FULL JOIN before 3.39").always()),
    (Feature::FullJoin, Support::Native.since((3, 39, 0))),
    (Feature::Lateral, Support::Refuse("SQLite has no LATERAL: use scalar subqueries or a window").always()),
    // (SELECT ... LIMIT 1) UNION ...    =>  SELECT * FROM (SELECT ... LIMIT 1) UNION ...
    (Feature::SetMemberParentheses, Support::Expand(Rule::SetMemberDerived).always()),
    // a UNION (b INTERSECT c)           =>  a UNION SELECT * FROM (b INTERSECT c)
    (Feature::SetGroupParentheses, Support::Expand(Rule::SetMemberDerived).always()),
    (Feature::AggregateOrder, Support::Refuse("SQLite orders no aggregate before 3.44").always()),
    (Feature::AggregateOrder, Support::Native.since((3, 44, 0))),
    (Feature::LockUpdate, Support::Refuse(NO_LOCKS).always()),
    (Feature::LockShare, Support::Refuse(NO_LOCKS).always()),
    (Feature::LockSkipLocked, Support::Refuse(NO_LOCKS).always()),
    (Feature::LockNoWait, Support::Refuse(NO_LOCKS).always()),
    // a LIKE 'x%'                       =>  a GLOB 'x*'
    (Feature::LikeCollation, Support::Expand(Rule::LikeToGlob).always()),
    // a ILIKE 'x%'                      =>  a LIKE 'x%'
    // a = ?                             =>  a = ? AND a COLLATE BINARY = ?
    (Feature::ExactText, Support::Expand(Rule::ExactText).always()),
    (Feature::ILike, Support::Expand(Rule::ILikeIsLike).always()),
    (Feature::ZeroCharacter, Support::Refuse("its patterns and functions end a text there").always()),
    (Feature::Regex, Support::Refuse(NO_REGEX).always()),
    (Feature::RegexEnd, Support::Refuse(NO_REGEX).always()),
    (Feature::RegexAny, Support::Refuse(NO_REGEX).always()),
    (Feature::RegexGroup, Support::Refuse(NO_REGEX).always()),
    (Feature::RegexClass, Support::Refuse(NO_REGEX).always()),
    (Feature::RegexBorder, Support::Refuse(NO_REGEX).always()),
    (Feature::RegexLook, Support::Refuse(NO_REGEX).always()),
    (Feature::RegexReference, Support::Refuse(NO_REGEX).always()),
    // WHERE paid                        =>  WHERE paid = 1
    (Feature::TruthIndex, Support::Expand(Rule::TruthAsNumber).always()),
    (Feature::ExistsGroups, Support::Expand(Rule::ExistsGroupsCounted).always()),
    // EXISTS (SELECT 1 FROM t ..)       =>  EXISTS (SELECT 1 FROM t .. LIMIT 1)
    (Feature::ExistsPage, Support::Expand(Rule::ExistsLimited).since((3, 51, 0))),
    (Feature::ExistsPage, Support::Native.since((3, 53, 0))),
    // WHERE EXISTS (SELECT 1 FROM u WHERE u.id = t.u_id)  =>  FROM t JOIN u ON u.id = t.u_id
    (Feature::ExistsByKey, Support::Expand(Rule::ExistsJoined).always()),
    // FROM t JOIN j ON .. LIMIT n       =>  FROM t CROSS JOIN j ON .. LIMIT n
    (Feature::PageOfJoins, Support::Expand(Rule::JoinsInOrder).always()),
    // p.a = 1 AND l.b = 2 OR p.a = 3 AND l.b = 4          =>  .. AND (p.a = 1 OR p.a = 3) AND (l.b = 2 OR l.b = 4)
    (Feature::OrOfTables, Support::Expand(Rule::OrByTable).always()),
    // a = (SELECT b ...)                =>  a = (SELECT b FROM (SELECT b ... LIMIT 2) GROUP BY NULL HAVING ...)
    (Feature::ScalarRows, Support::Expand(Rule::ScalarCounted).always()),
    (Feature::CaseFolding, Support::Expand(Rule::AsciiCase).always()),
    (
        Feature::HavingWithoutGroup,
        Support::Refuse("SQLite before 3.39 wants groups: select the aggregates, and filter that query").always(),
    ),
    (Feature::HavingWithoutGroup, Support::Native.since((3, 39, 0))),
    (Feature::Array, Support::Refuse("SQLite has no arrays").always()),
    (Feature::JsonEqual, Support::Refuse("SQLite compares JSON by its text: take values out by JsonValue").always()),
    // CAST(a AS text) of a decimal      =>  PRINTF('%.15g', a)
    (Feature::DecimalText, Support::Expand(Rule::DecimalText).always()),
    (Feature::TextNumber, Support::Expand(Rule::TextNumber).always()),
    // CAST(a AS boolean) of a text      =>  CASE LOWER(TRIM(a)) WHEN 'true' THEN TRUE ...
    (Feature::TextTruth, Support::Expand(Rule::TextTruth).always()),
    // CAST(a AS timestamp) of a text    =>  STRFTIME('%Y-%m-%d %H:%M:%f', a)
    (Feature::TextTime, Support::Expand(Rule::TextTime).always()),
    // SET qty = price                   =>  SET qty = CAST(price AS INTEGER)
    (Feature::Assignment, Support::Expand(Rule::AssignmentCast).always()),
    // SET price = price / 3             =>  SET price = ROUND(price / 3, 2)
    (Feature::ColumnScale, Support::Expand(Rule::ScaleRounded).always()),
    // SET at = created                  =>  SET at = SUBSTR(created, 1, 19)
    (Feature::ColumnSeconds, Support::Expand(Rule::SecondsCut).always()),
    (Feature::SingleCast, Support::Expand(Rule::SingleDouble).always()),
    (Feature::NotFinite, Support::Refuse("SQLite stores NULL for NaN").always()),
    (Feature::UnsignedBig, Support::Refuse("SQLite's whole numbers end at 2^63 - 1: store it as text").always()),
    // a / b of decimals                 =>  CAST(a AS REAL) / b
    (Feature::DecimalDivision, Support::Expand(Rule::DivisionReal).always()),
    // a % 2.5                           =>  MOD(a, 2.5)
    (Feature::FractionModulo, Support::Expand(Rule::ModuloFunction).always()),
    // SUBSTR(a, 1, n)                   =>  SUBSTR(a, 1, CASE WHEN n < 0 THEN 0 ELSE n END)
    (Feature::NegativeLength, Support::Expand(Rule::LengthFromZero).always()),
    (Feature::RoundDigits, Support::Refuse("SQLite rounds to digits after the point, given as a number").always()),
    // day = time                        =>  day || ' 00:00:00' = time
    (Feature::DateKinds, Support::Expand(Rule::DateKinds).always()),
    (Feature::DateValues, Support::Expand(Rule::DateKinds).always()),
    // time = time with an offset        =>  time || '+00:00' = time with an offset
    (Feature::OffsetKinds, Support::Expand(Rule::DateKinds).always()),
];
