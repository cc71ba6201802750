//! The data sheet: limits, and what Oracle lacks of standard SQL.

use isogloss_compiler::dialect::{
    Distribution, Feature, Limits, NullOrder, Placeholder, Quotes, Sheet, Since, Support, Version,
};
use isogloss_compiler::features;
use isogloss_compiler::legalize::Rule;

use crate::functions::FUNCTIONS;

/// The data sheet.
pub static SHEET: Sheet = Sheet {
    name: "oracle",
    quotes: Quotes('"', '"'),
    placeholder: Placeholder::Numbered(":"),
    null_order: NullOrder::Greatest,
    limits: LIMITS,
    distribution: Distribution::None,
    native: NATIVE,
    support: SUPPORT,
    functions: FUNCTIONS,
}
.complete();

/// The data sheet of 12.1, whose identifiers are shorter.
pub(crate) static SHEET_12_1: Sheet = Sheet { limits: Limits { identifier: 30, ..LIMITS }, ..SHEET };

const LIMITS: Limits = Limits {
    parameters: 65_535,
    rows_in_values: 5_000,
    in_items: 1_000,
    identifier: 128,
    identifier_bytes: true,
    quote_in_name: false,
    // ORA-12733
    regex: 512,
    ..Limits::NONE
};

pub(crate) const V18: Version = (18, 0, 0);
pub(crate) const V19: Version = (19, 0, 0);
pub(crate) const V21: Version = (21, 0, 0);
pub(crate) const V23: Version = (23, 0, 0);

/// What it has of standard SQL in every version.
const NATIVE: &[Feature] = features![
    UntypedParameter UntypedArgument NullBesideTexts NullsOrder TupleIn TupleInList ArrayInChange ArrayInJoin
    ArrayOfTexts AggregateOrder AggregateOrders SubqueryInAggregate GroupSubqueryRepeated OuterInAggregate OuterGroup OuterInKey RightJoin FullJoin FullJoinCondition Lateral
    Intersect Except SetGroupParentheses SetGroupNulls SetZeroSign Recursion RecursionDepth OffsetWithoutOrder
    LimitInSubquery WindowInSubquery PagedSetInSubquery OuterInDerived ExistsGroups ExistsPage ExistsInChange ExistsByKey PageOfJoins OrOfTables GroupKeyInside GroupKeyInHaving NotInQuery SubqueryInJoin
    ComputedText QueryInQuery RowOfQueryInQuery ScalarRows CoalesceQuery HavingWithoutGroup HavingOverConstants WindowDefault TruthIndex
    CaseFolding Window FrameRangeOffset LockUpdate LockSkipLocked LockNoWait DecimalDivision TextNumber TextTime
    SingleCast ColumnScale FractionModulo NegativeLength RoundDigits DecimalDigits DateKinds GuidOrder OffsetParts
    DecimalText TrimComputed ZeroCharacter LikeBracket TrailingBlanks LikeCollation Regex RegexEnd RegexAny
    RegexReference NullSafeEqual InsertReturning UpdateReturning DeleteReturning ConflictSubquery CrossAssignment
    SelfSubquery SelfSubqueryRows IdentityValue DivisionInWrite UnsignedBig LockOrder LockOf TextParameter
    OffsetParameter JsonNull NotFinite NestedJson
];

/// What differs from standard SQL, and since which version it no longer does.
pub const SUPPORT: &[(Feature, Since)] = &[
    // GREATEST(NULL, a)                 =>  NULL
    // MIN(NULL)                         =>  MIN(CAST(NULL AS NUMBER(10)))
    (Feature::UntypedNull, Support::Expand(Rule::TypedNull).always()),
    // SELECT a > 1                      =>  SELECT CASE WHEN a > 1 THEN 1 WHEN a <= 1 THEN 0 END
    (Feature::BooleanValue, Support::Expand(Rule::BooleanAsCase).always()),
    (Feature::BooleanValue, Support::Native.since(V23)),
    // WHERE paid                        =>  WHERE paid = 1
    (Feature::BooleanPredicate, Support::Expand(Rule::BooleanAsComparison).always()),
    (Feature::BooleanPredicate, Support::Native.since(V23)),
    // WHERE TRUE                        =>  WHERE 1 = 1
    (Feature::BooleanLiteral, Support::Expand(Rule::BooleanAsComparison).always()),
    (Feature::BooleanLiteral, Support::Native.since(V23)),
    // (a, b) = (1, 2)                   =>  a = 1 AND b = 2
    (Feature::TupleCompare, Support::Expand(Rule::TupleCompare).always()),
    // (a, b) > (1, 2)                   =>  a >= 1 AND (a > 1 OR b > 2)
    (Feature::TupleOrder, Support::Expand(Rule::TupleCompare).always()),
    // a IN (:1, :2, ...)                =>  a IN (SELECT v FROM JSON_TABLE(:1, '$[*]' ...))
    (Feature::ArrayParameter, Support::Expand(Rule::ArrayAsJson).always()),
    // SUM(a) FILTER (WHERE p)           =>  SUM(CASE WHEN p THEN a END)
    (Feature::AggregateFilter, Support::Expand(Rule::FilterToCase).always()),
    (Feature::StringAggDistinct, Support::Refuse("LISTAGG has no DISTINCT before 19c: use a derived table").always()),
    (Feature::StringAggDistinct, Support::Native.since(V19)),
    (
        Feature::StringAggWindow,
        Support::Refuse("LISTAGG takes whole partitions only: leave order and frame out").always(),
    ),
    // RANK() OVER ()                    =>  RANK() OVER (ORDER BY NULL)
    (Feature::WindowWithoutOrder, Support::Expand(Rule::WindowOrderNull).always()),
    // SELECT DISTINCT ON (a) ...        =>  ROW_NUMBER() OVER (PARTITION BY a ...) = 1
    (Feature::DistinctOn, Support::Expand(Rule::DistinctOnRowNumber).always()),
    // SELECT f(a, :1) GROUP BY f(a, :2)  =>  CROSS APPLY (SELECT f(a, :1) AS c0) g GROUP BY g.c0
    (Feature::GroupParameter, Support::Expand(Rule::GroupByApply).always()),
    // ORA-22818: GROUP BY (SELECT ...)  =>  CROSS APPLY (SELECT (SELECT ...) AS "c0" FROM DUAL) g GROUP BY g."c0"
    (Feature::SubqueryInGroup, Support::Expand(Rule::SubqueryApply).always()),
    // (SELECT ... LIMIT 1) UNION ...    =>  SELECT * FROM (SELECT ... LIMIT 1) UNION ...
    (Feature::SetMemberParentheses, Support::Expand(Rule::SetMemberDerived).always()),
    // WITH t AS (SELECT name ..         =>  WITH t AS (SELECT CAST(name AS VARCHAR2(4000)) ..
    (Feature::RecursiveTypes, Support::Expand(Rule::RecursiveCast).always()),
    (Feature::RecursiveUnion, Support::Refuse("Oracle recurses by UNION ALL only: use it, and DISTINCT").always()),
    (
        // ORA-32486
        Feature::RecursiveClauses,
        Support::Refuse("Oracle takes none in the rounds of a recursion: join, group or page what comes of it")
            .always(),
    ),
    (Feature::TwinsInPage, Support::Refuse("FETCH FIRST takes no two columns of one name: give one an alias").always()),
    (Feature::FrameGroups, Support::Refuse("Oracle has no GROUPS before 21c: use ROWS or RANGE").always()),
    (Feature::FrameGroups, Support::Native.since(V21)),
    (Feature::FrameExclude, Support::Refuse("Oracle excludes no rows of a frame before 21c").always()),
    (Feature::FrameExclude, Support::Native.since(V21)),
    (Feature::LockShare, Support::Refuse("Oracle locks no row for reading: readers never wait; use Update").always()),
    // ORA-02014: ... LIMIT 1 FOR UPDATE =>  WHERE key IN (SELECT ... FETCH FIRST 1 ROWS ONLY) FOR UPDATE
    (Feature::LockWithLimit, Support::Expand(Rule::LockByKey).always()),
    // CAST(a AS integer)                =>  CAST(TRUNC(a) AS integer)
    (Feature::IntegerCast, Support::Expand(Rule::CastTruncate).always()),
    // CAST(a AS NUMBER(1)) of a text    =>  CASE LOWER(TRIM(a)) WHEN 'true' THEN 1 ...
    (Feature::TextTruth, Support::Expand(Rule::TextTruth).always()),
    // SET qty = price                   =>  SET qty = CAST(TRUNC(price) AS NUMBER(10))
    (Feature::Assignment, Support::Expand(Rule::AssignmentCast).always()),
    // SET at = created                  =>  SET at = created - NUMTODSINTERVAL(MOD(EXTRACT(SECOND FROM created), 1), 'SECOND')
    (Feature::ColumnSeconds, Support::Expand(Rule::SecondsCut).always()),
    // a / b                             =>  TRUNC(a / b)
    (Feature::IntegerDivision, Support::Expand(Rule::DivisionTruncate).always()),
    // ORA-01476: a / b                  =>  a / NULLIF(b, 0)
    (Feature::DivisionByZero, Support::Expand(Rule::DivisionNullIf).always()),
    // a % b                             =>  MOD(a, NULLIF(b, 0))
    (Feature::Modulo, Support::Expand(Rule::ModuloFunction).always()),
    // ~a                                =>  -1 - a
    (Feature::BitNot, Support::Expand(Rule::BitNotArithmetic).always()),
    // a || b                            =>  CASE WHEN a IS NULL OR b IS NULL THEN NULL ELSE a || b END
    (Feature::ConcatNull, Support::Expand(Rule::ConcatNull).always()),
    // a || 1                            =>  a || CAST(1 AS VARCHAR2(4000))
    (Feature::ConcatAny, Support::Expand(Rule::ConcatCast).always()),
    // a = ''                            =>  a IS NULL
    (Feature::EmptyString, Support::Expand(Rule::EmptyIsNull).always()),
    // ORA-01424: a LIKE b               =>  a LIKE REGEXP_REPLACE(b, ..)
    (Feature::LikeEscape, Support::Expand(Rule::LikeEscapes).always()),
    // ORA-30497
    (
        Feature::StringAggSeparator,
        Support::Refuse("its separator is the same for a whole group: join the parts with a constant one").always(),
    ),
    // a = :1                            =>  a = :1 AND a COLLATE BINARY = :1
    (
        Feature::ExactText,
        Support::Refuse(
            "Oracle has COLLATE since 12.2: set NLS_COMP and NLS_SORT to BINARY, and use the mode `database`",
        )
        .always(),
    ),
    (Feature::ExactText, Support::Expand(Rule::ExactText).since((12, 2, 0))),
    // a ILIKE 'x%'                      =>  LOWER(a) LIKE LOWER('x%')
    (Feature::ILike, Support::Expand(Rule::ILikeLower).always()),
    // a ~ '(?:x)+'                      =>  REGEXP_LIKE(a, '(x)+', 'cn')
    (Feature::RegexGroup, Support::Expand(Rule::RegexGroup).always()),
    // a ~ '[\w\]]'                      =>  REGEXP_LIKE(a, '[]0-9A-Z_a-z]', 'cn')
    (Feature::RegexClass, Support::Expand(Rule::RegexClass).always()),
    // a ~ '\bx'                         =>  REGEXP_LIKE(a, '(^|[^0-9A-Z_a-z])x', 'cn')
    (Feature::RegexBorder, Support::Expand(Rule::RegexBorder).always()),
    (
        Feature::RegexLook,
        Support::Refuse("Oracle's regular expressions look neither ahead nor behind: test for it by another condition")
            .always(),
    ),
    // INSERT ... VALUES (..), (..)      =>  INSERT ... SELECT .. FROM DUAL UNION ALL SELECT .. FROM DUAL
    (Feature::MultiRowInsert, Support::Expand(Rule::InsertSelect).always()),
    (Feature::MultiRowInsert, Support::Native.since(V23)),
    // INSERT ... ON CONFLICT            =>  MERGE
    (Feature::Upsert, Support::Expand(Rule::UpsertMerge).always()),
    (Feature::ReturningSubquery, Support::Refuse("Oracle gives back columns: select the rest by key").always()),
    // WITH ... INSERT INTO t SELECT     =>  INSERT INTO t WITH ... SELECT
    (Feature::WriteWith, Support::Expand(Rule::WriteWith).always()),
    // WITH ... DELETE .. IN (..)        =>  DELETE .. IN (WITH ... ..)
    (Feature::ChangeWith, Support::Expand(Rule::WriteWith).always()),
    // COALESCE(day, time)               =>  COALESCE(CAST(day AS TIMESTAMP), time)
    (Feature::DateValues, Support::Expand(Rule::DateKinds).always()),
    // ORA-00932: a CLOB = 'x'
    (
        Feature::LargeText,
        Support::Refuse(
            "a text of over 4,000 bytes is a CLOB, which Oracle neither compares nor sorts: take a part of it by Left",
        )
        .always(),
    ),
    // ORA-00932: a BLOB = HEXTORAW('00')
    (
        Feature::LargeBinary,
        Support::Refuse(
            "a binary value of over 2,000 bytes is a BLOB, which Oracle neither compares nor sorts: give its column a \
             length of at most 2,000, or compare a hash that is stored beside it",
        )
        .always(),
    ),
    // time = time with an offset        =>  FROM_TZ(CAST(time AS TIMESTAMP), 'UTC') = time with an offset
    (Feature::OffsetKinds, Support::Expand(Rule::DateKinds).always()),
    // data = :1                         =>  JSON_EQUAL(data, :1)
    (Feature::JsonEqual, Support::Refuse("Oracle compares no JSON before 18c: compare JsonValue at a path").always()),
    (Feature::JsonEqual, Support::Native.since(V18)),
    // JSON_ARRAY(paid)                  =>  JSON_ARRAY(CASE WHEN paid = 1 THEN 'true' ELSE 'false' END FORMAT JSON)
    (Feature::JsonBoolean, Support::Expand(Rule::JsonTruthText).always()),
    (Feature::JsonBoolean, Support::Native.since(V23)),
    // JSON_VALUE(a, '$.b[0]')           =>  CASE WHEN JSON_QUERY(a, '$.b') LIKE '[%' THEN JSON_VALUE(a, '$.b[0]') END
    (
        Feature::JsonIndex,
        Support::Refuse("Oracle takes what is no array for one of one item, and has no test for arrays before 18c")
            .always(),
    ),
    (Feature::JsonIndex, Support::Expand(Rule::JsonIndexGuard).since(V18)),
    (Feature::Array, Support::Refuse("Oracle has no arrays without a type made for them: use JSON").always()),
];
