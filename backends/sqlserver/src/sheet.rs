//! The data sheet: limits, and what SQL Server lacks of standard SQL.

use isogloss_compiler::dialect::{
    Distribution, Feature, Limits, NullOrder, Placeholder, Quotes, Sheet, Since, Support, Version,
};
use isogloss_compiler::features;
use isogloss_compiler::legalize::Rule;

use crate::functions::{FUNCTIONS, NO_WINDOW};

/// The data sheet.
pub static SHEET: Sheet = Sheet {
    name: "sqlserver",
    quotes: Quotes('[', ']'),
    placeholder: Placeholder::Numbered("@P"),
    null_order: NullOrder::Least,
    // A call takes 2,100 parameters. A statement with parameters is a call of sp_executesql, whose first two are the
    // text and the list of the others' types: "The SQL Server hard limit is 2100, ADO.NET uses 2 for the sp_executesql
    // call" (Microsoft, `SqlMaxBatchParameters`). Rust's drivers call it in the same way.
    limits: Limits { parameters: 2_098, rows_in_values: ROWS_IN_VALUES, identifier: 128, regex: 4_000, ..Limits::NONE },
    distribution: Distribution::None,
    native: NATIVE,
    support: SUPPORT,
    functions: FUNCTIONS,
}
.complete();

/// The rows that `INSERT ... VALUES` takes. As a derived table, VALUES takes any number.
pub(crate) const ROWS_IN_VALUES: usize = 1_000;

/// 2022, as a version.
pub(crate) const V2022: Version = (16, 0, 0);
/// 2025, as a version.
pub(crate) const V2025: Version = (17, 0, 0);

/// What it has of standard SQL in every version.
const NATIVE: &[Feature] = features![
    UntypedParameter UntypedArgument NullBesideTexts TupleInList ArrayInChange ArrayInJoin ArrayOfTexts
    StringAggDistinct RightJoin FullJoin FullJoinCondition Intersect Except SetGroupParentheses SetGroupNulls SetZeroSign Recursion
    RecursionDepth TwinsInPage LimitInSubquery WindowInSubquery OuterInDerived OuterInKey ExistsGroups ExistsPage ExistsInChange ExistsByKey PageOfJoins OrOfTables GroupKeyInside
    GroupKeyInHaving GroupSubqueryRepeated NotInQuery SubqueryInJoin ComputedText QueryInQuery RowOfQueryInQuery ScalarRows
    HavingWithoutGroup HavingOverConstants WindowDefault TruthIndex CaseFolding Window LockUpdate LockShare LockNoWait LockWithLimit
    IntegerDivision DecimalDivision TextNumber TextTime SingleCast ColumnScale Modulo FractionModulo NegativeLength
    RoundDigits DateKinds DateValues OffsetKinds OffsetParts BitNot ConcatNull DecimalText EmptyString ZeroCharacter
    LargeText LargeBinary LikeEscape LikeCollation RegexEnd RegexAny RegexGroup RegexClass RegexBorder MultiRowInsert
    InsertReturning UpdateReturning DeleteReturning ConflictSubquery CrossAssignment SelfSubquery SelfSubqueryRows
    WriteWith ChangeWith DivisionInWrite UnsignedBig LockOf TextParameter OffsetParameter JsonBoolean JsonIndex
];

/// What differs from standard SQL, and since which version it no longer does.
pub const SUPPORT: &[(Feature, Since)] = &[
    // SELECT a > 1                      =>  SELECT CASE WHEN a > 1 THEN CAST(1 AS bit) WHEN a <= 1 THEN CAST(0 AS bit) END
    (Feature::BooleanValue, Support::Expand(Rule::BooleanAsCase).always()),
    // WHERE paid                        =>  WHERE paid = 1
    (Feature::BooleanPredicate, Support::Expand(Rule::BooleanAsComparison).always()),
    // WHERE TRUE                        =>  WHERE 1 = 1
    (Feature::BooleanLiteral, Support::Expand(Rule::BooleanAsComparison).always()),
    // LEFT(NULL, a)                     =>  NULL
    // MIN(NULL)                         =>  MIN(CAST(NULL AS int))
    (Feature::UntypedNull, Support::Expand(Rule::TypedNull).always()),
    // ORDER BY a NULLS LAST             =>  ORDER BY CASE WHEN a IS NULL THEN 1 ELSE 0 END, a
    (Feature::NullsOrder, Support::Expand(Rule::NullsOrder).always()),
    // (a, b) IN ((1, 2), (3, 4))        =>  a = 1 AND b = 2 OR a = 3 AND b = 4
    (Feature::TupleIn, Support::Expand(Rule::TupleInOr).always()),
    // (a, b) = (1, 2)                   =>  a = 1 AND b = 2
    (Feature::TupleCompare, Support::Expand(Rule::TupleCompare).always()),
    // (a, b) > (1, 2)                   =>  a >= 1 AND (a > 1 OR b > 2)
    (Feature::TupleOrder, Support::Expand(Rule::TupleCompare).always()),
    // a IN (@P1, @P2, ...)              =>  a IN (SELECT [v] FROM OPENJSON(@P1) WITH ([v] int '$'))
    (Feature::ArrayParameter, Support::Expand(Rule::ArrayAsJson).always()),
    // SUM(a) FILTER (WHERE p)           =>  SUM(CASE WHEN p THEN a END)
    (Feature::AggregateFilter, Support::Expand(Rule::FilterToCase).always()),
    (Feature::AggregateOrder, Support::Refuse("SQL Server orders inside of STRING_AGG only: use StringAgg").always()),
    (
        Feature::AggregateOrders,
        Support::Refuse(
            "SQL Server orders the rows of a select once for all of its STRING_AGGs: give them the same order, or select \
             one of them in a subquery",
        )
        .always(),
    ),
    (Feature::StringAggWindow, Support::Refuse(NO_WINDOW).always()),
    // SELECT DISTINCT ON (a) ...        =>  ROW_NUMBER() OVER (PARTITION BY a ...) = 1
    (Feature::DistinctOn, Support::Expand(Rule::DistinctOnRowNumber).always()),
    // SELECT f(a, @P1) GROUP BY f(a, @P2)  =>  SELECT f(a, @P1) GROUP BY f(a, @P1)
    (Feature::GroupParameter, Support::Expand(Rule::GroupByShared).always()),
    // SUM((SELECT ...))                 =>  CROSS APPLY (SELECT (SELECT ...) AS c0) g, SUM(g.c0)
    (Feature::SubqueryInAggregate, Support::Expand(Rule::SubqueryApply).always()),
    // (SELECT .. FROM u GROUP BY t.a)   =>  (SELECT .. FROM u HAVING COUNT(*) > 0)
    (Feature::OuterGroup, Support::Expand(Rule::OuterKeyLeftOut).always()),
    // Error 8124: SUM(a * outer.b)      =>  CROSS APPLY (SELECT a * outer.b AS c0) g, SUM(g.c0)
    (Feature::OuterInAggregate, Support::Expand(Rule::SubqueryApply).always()),
    (Feature::SubqueryInGroup, Support::Expand(Rule::SubqueryApply).always()),
    // JOIN LATERAL (...) x ON TRUE      =>  CROSS APPLY (...) x
    (Feature::Lateral, Support::Expand(Rule::LateralToApply).always()),
    // (SELECT ... LIMIT 1) UNION ...    =>  SELECT * FROM (SELECT TOP (1) ...) x UNION ...
    (Feature::SetMemberParentheses, Support::Expand(Rule::SetMemberDerived).always()),
    // A subquery pages only its last SELECT, as jOOQ's issue 16938 reports:
    // (a UNION b ORDER BY x OFFSET ..)  =>  (SELECT * FROM (a UNION b) T ORDER BY x OFFSET ..)
    (Feature::PagedSetInSubquery, Support::Expand(Rule::PagedSetDerived).always()),
    (
        Feature::RecursiveUnion,
        Support::Refuse("SQL Server takes UNION ALL only in a recursive common table expression").always(),
    ),
    // Errors 460, 461, 462 and 467.
    (
        Feature::RecursiveClauses,
        Support::Refuse(
            "SQL Server takes none in the rounds of a recursive common table expression: join, group or page what comes \
             of it",
        )
        .always(),
    ),
    // SELECT name UNION ALL SELECT path + name  =>  CAST(name AS nvarchar(max)), CAST(path + name AS nvarchar(max))
    (Feature::RecursiveTypes, Support::Expand(Rule::RecursiveCastAll).always()),
    // OFFSET 5                          =>  ORDER BY (SELECT NULL) OFFSET 5 ROWS
    (Feature::OffsetWithoutOrder, Support::Expand(Rule::OrderByNothing).always()),
    (Feature::FrameGroups, Support::Refuse("SQL Server has ROWS and RANGE frames only").always()),
    (Feature::FrameExclude, Support::Refuse("SQL Server excludes no rows from a frame").always()),
    (
        Feature::FrameRangeOffset,
        Support::Refuse("SQL Server's RANGE takes UNBOUNDED and CURRENT ROW only: use ROWS").always(),
    ),
    // ROW_NUMBER() OVER ()              =>  ROW_NUMBER() OVER (ORDER BY (SELECT NULL))
    (Feature::WindowWithoutOrder, Support::Expand(Rule::OrderByNothing).always()),
    // CAST(a AS integer)                =>  CAST(TRUNC(a) AS integer)
    (Feature::IntegerCast, Support::Expand(Rule::CastTruncate).always()),
    // SET qty = price                   =>  SET qty = CAST(ROUND(price, 0, 1) AS int)
    (Feature::Assignment, Support::Expand(Rule::AssignmentCast).always()),
    // SET at = created                  =>  SET at = CAST(CONVERT(char(19), created, 121) AS datetime2)
    (Feature::ColumnSeconds, Support::Expand(Rule::SecondsCut).always()),
    // CAST(a AS bit) of a text          =>  CAST(CASE LOWER(TRIM(a)) WHEN 'true' THEN 1 ... AS bit)
    (Feature::TextTruth, Support::Expand(Rule::TextTruth).always()),
    // a / b                             =>  a / NULLIF(b, 0)
    (Feature::DivisionByZero, Support::Expand(Rule::DivisionNullIf).always()),
    // a quotient has 38 digits, and often but 6 of them after the point: said in a note
    (Feature::DecimalDigits, Support::Expand(Rule::DecimalDigits).always()),
    // a || 1                            =>  a + CAST(1 AS nvarchar(max))
    (Feature::ConcatAny, Support::Expand(Rule::ConcatCast).always()),
    // Error 8733
    (
        Feature::StringAggSeparator,
        Support::Refuse("its separator is a text or a parameter: join the parts with a constant one").always(),
    ),
    // Error 8116
    (
        Feature::TrimComputed,
        Support::Refuse("SQL Server takes no text of a (max) type there: give the characters, or a column of at most 4,000")
            .always(),
    ),
    // SKIP LOCKED                       =>  WITH (.., READPAST)
    (Feature::LockSkipLocked, Support::Expand(Rule::ReadPast).always()),
    // a = @P1                           =>  a = @P1 AND a COLLATE Latin1_General_100_BIN2 + NCHAR(0) = @P1 + NCHAR(0)
    (Feature::ExactText, Support::Expand(Rule::ExactText).always()),
    // a LIKE '%[%'                      =>  a LIKE '%\[%' ESCAPE '\'
    (Feature::LikeBracket, Support::Expand(Rule::BracketEscape).always()),
    // LEFT(a, LEN(b)) = b               =>  LEFT(a, LEN(b)) + N'.' = b + N'.'
    (Feature::TrailingBlanks, Support::Expand(Rule::BlanksEnded).always()),
    // a ILIKE 'x%'                      =>  LOWER(a) LIKE LOWER('x%')
    (Feature::ILike, Support::Expand(Rule::ILikeLower).always()),
    (Feature::Regex, Support::Refuse("SQL Server has no regular expressions before 2025").always()),
    (Feature::Regex, Support::Native.since(V2025)),
    (
        Feature::RegexLook,
        Support::Refuse("SQL Server's regular expressions look neither ahead nor behind: test for it by another condition")
            .always(),
    ),
    (
        Feature::RegexReference,
        Support::Refuse("SQL Server's regular expressions refer to no group: write what it may match").always(),
    ),
    // a IS DISTINCT FROM 5              =>  a <> 5 OR a IS NULL
    // a IS DISTINCT FROM b              =>  NOT EXISTS (SELECT a INTERSECT SELECT b), which an index on a or b serves
    (Feature::NullSafeEqual, Support::Expand(Rule::NullSafeCase).always()),
    (Feature::NullSafeEqual, Support::Native.since(V2022)),
    // ORDER BY token                    =>  ORDER BY LOWER(CAST(token AS nvarchar(36)))
    (Feature::GuidOrder, Support::Expand(Rule::GuidText).always()),
    // COALESCE((SELECT ...), 0)         =>  ISNULL((SELECT ...), 0)
    (Feature::CoalesceQuery, Support::Expand(Rule::CoalesceIsNull).always()),
    // INSERT ... ON CONFLICT            =>  MERGE INTO t WITH (HOLDLOCK, UPDLOCK) ... WHEN MATCHED ... WHEN NOT MATCHED ...
    (Feature::Upsert, Support::Expand(Rule::UpsertMerge).always()),
    (
        Feature::ReturningSubquery,
        Support::Refuse("OUTPUT takes no subquery: let the key come back and read the rest by it").always(),
    ),
    (
        Feature::IdentityValue,
        Support::Refuse("leave it out, or write the statement between SET IDENTITY_INSERT ON and OFF by yourself")
            .always(),
    ),
    (Feature::LockOrder, Support::Expand(Rule::LockRead).always()),
    (
        Feature::JsonEqual,
        Support::Refuse("SQL Server compares the text of JSON: compare JsonValue at a path").always(),
    ),
    (Feature::NotFinite, Support::Refuse("SQL Server's float holds no NaN and no infinity").always()),
    (
        Feature::JsonNull,
        Support::Refuse("SQL Server takes a member away for NULL: give a value that is never NULL, by Coalesce")
            .always(),
    ),
    (
        Feature::NestedJson,
        Support::Refuse("SQL Server would quote it as text: take the object or array by JsonQuery first").always(),
    ),
    (Feature::Array, Support::Refuse("SQL Server has no arrays: keep the list as JSON").always()),
];
