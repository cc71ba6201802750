//! The data sheet: limits, and what PostgreSQL lacks of standard SQL.

use isogloss_compiler::dialect::{
    Distribution, Feature, Limits, NullOrder, Placeholder, Quotes, Sheet, Since, Support,
};
use isogloss_compiler::features;
use isogloss_compiler::legalize::Rule;

use crate::functions::FUNCTIONS;

/// The data sheet.
pub static SHEET: Sheet = Sheet {
    name: "postgres",
    quotes: Quotes('"', '"'),
    placeholder: Placeholder::Numbered("$"),
    null_order: NullOrder::Greatest,
    limits: Limits { parameters: 65_535, identifier: 63, identifier_bytes: true, ..Limits::NONE },
    distribution: Distribution::None,
    native: NATIVE,
    support: SUPPORT,
    functions: FUNCTIONS,
}
.complete();

/// What it has of standard SQL in every version.
const NATIVE: &[Feature] = features![
    BooleanValue BooleanPredicate BooleanLiteral UntypedNull NullBesideTexts NullsOrder TupleIn TupleInList
    TupleCompare TupleOrder ArrayParameter ArrayInChange ArrayInJoin ArrayOfTexts AggregateFilter AggregateOrder
    AggregateOrders StringAggDistinct StringAggWindow DistinctOn SubqueryInAggregate OuterInAggregate OuterGroup OuterInKey
    SubqueryInGroup RightJoin FullJoin Lateral Intersect Except SetMemberParentheses PagedSetInSubquery SetGroupParentheses
    SetGroupNulls SetZeroSign Recursion RecursiveUnion RecursiveClauses RecursionDepth OffsetWithoutOrder
    TwinsInPage LimitInSubquery WindowInSubquery OuterInDerived ExistsGroups ExistsPage ExistsInChange ExistsByKey PageOfJoins OrOfTables GroupKeyInside GroupKeyInHaving
    SubqueryInJoin ComputedText QueryInQuery RowOfQueryInQuery ScalarRows CoalesceQuery HavingWithoutGroup HavingOverConstants
    TruthIndex CaseFolding Window FrameGroups FrameExclude FrameRangeOffset WindowWithoutOrder LockUpdate LockShare
    LockSkipLocked LockNoWait LockWithLimit IntegerDivision DecimalDivision TextNumber TextTruth TextTime SingleCast
    ColumnScale Modulo FractionModulo RoundDigits DecimalDigits DateKinds DateValues GuidOrder BitNot ConcatNull
    DecimalText EmptyString StringAggSeparator TrimComputed ZeroCharacter LikeBracket LargeText LargeBinary TrailingBlanks
    LikeEscape LikeCollation ILike Regex RegexEnd RegexAny RegexGroup RegexClass RegexLook RegexReference
    NullSafeEqual MultiRowInsert Upsert InsertReturning UpdateReturning DeleteReturning ReturningSubquery
    ConflictSubquery CrossAssignment SelfSubquery SelfSubqueryRows WriteWith ChangeWith IdentityValue
    DivisionInWrite UnsignedBig LockOrder LockOf TextParameter OffsetParameter JsonEqual JsonBoolean JsonNull
    JsonIndex NotFinite NestedJson Array
];

/// What differs from standard SQL, and since which version it no longer does.
pub const SUPPORT: &[(Feature, Since)] = &[
    // a > $1                            =>  a COLLATE "C" > $1
    (Feature::ExactText, Support::Expand(Rule::ExactText).always()),
    // SELECT f(a, $1) GROUP BY f(a, $2)  =>  SELECT f(a, $1) GROUP BY f(a, $1)
    (Feature::GroupParameter, Support::Expand(Rule::GroupByShared).always()),
    // a FULL JOIN b ON a.x < b.x        =>  a LEFT JOIN b UNION ALL b's rows without a, for it joins by hash or merge only
    (Feature::FullJoinCondition, Support::Expand(Rule::FullJoinUnion).always()),
    // SELECT (SELECT ..) GROUP BY (SELECT ..)  =>  CROSS JOIN LATERAL (SELECT (SELECT ..) AS c0) g, GROUP BY g.c0
    (Feature::GroupSubqueryRepeated, Support::Expand(Rule::SubqueryApply).always()),
    // WITH RECURSIVE t AS (SELECT name ..  =>  WITH RECURSIVE t AS (SELECT CAST(name AS text) ..
    (Feature::RecursiveTypes, Support::Expand(Rule::RecursiveCast).always()),
    // a NOT IN (SELECT x FROM t)           =>  NOT EXISTS (SELECT 1 FROM t WHERE x = a)
    (Feature::NotInQuery, Support::Expand(Rule::NotInExists).always()),
    // SELECT $1                  =>  SELECT $1::bigint
    (Feature::UntypedParameter, Support::Expand(Rule::CastParameter).always()),
    // CAST(a AS integer)           =>  CAST(TRUNC(a) AS integer)
    (Feature::IntegerCast, Support::Expand(Rule::CastTruncate).always()),
    (Feature::UntypedArgument, Support::Expand(Rule::CastParameter).always()),
    // a / b                      =>  a / NULLIF(b, 0)
    (Feature::DivisionByZero, Support::Expand(Rule::DivisionNullIf).always()),
    // LEFT(a, n)                 =>  LEFT(a, CASE WHEN n < 0 THEN 0 ELSE n END)
    (Feature::NegativeLength, Support::Expand(Rule::LengthFromZero).always()),
    // time = time with an offset =>  TIMEZONE('UTC', time) = time with an offset
    (Feature::OffsetKinds, Support::Expand(Rule::DateKinds).always()),
    // EXTRACT(HOUR FROM a)       =>  EXTRACT(HOUR FROM TIMEZONE('UTC', a))
    (Feature::OffsetParts, Support::Expand(Rule::AtUtc).always()),
    // LAG(a, 1, $1)              =>  LAG(CAST(a AS text), 1, $1)
    (Feature::WindowDefault, Support::Expand(Rule::CastDefault).always()),
    (Feature::WindowDefault, Support::Native.since((14, 0, 0))),
    // a ~ '\bx'                  =>  a ~ '(?<![0-9A-Z_a-z])x', for \b is a backspace
    (Feature::RegexBorder, Support::Expand(Rule::RegexBorder).always()),
    // SET qty = price            =>  SET qty = CAST(TRUNC(price) AS integer)
    (Feature::Assignment, Support::Expand(Rule::AssignmentCast).always()),
    // SET at = created           =>  SET at = DATE_TRUNC('second', created)
    (Feature::ColumnSeconds, Support::Expand(Rule::SecondsCut).always()),
    // a || 1                     =>  a || CAST(1 AS text)
    (Feature::ConcatAny, Support::Expand(Rule::ConcatCast).always()),
];
