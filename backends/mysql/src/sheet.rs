//! The data sheet: limits, and what MySQL lacks of standard SQL.

use isogloss_compiler::dialect::{
    Distribution, Feature, Limits, NullOrder, Placeholder, Quotes, Sheet, Since, Support,
};
use isogloss_compiler::features;
use isogloss_compiler::legalize::Rule;

use crate::functions::FUNCTIONS;

/// The data sheet of MySQL.
pub static SHEET: Sheet = Sheet {
    name: "mysql",
    quotes: Quotes('`', '`'),
    placeholder: Placeholder::Question,
    null_order: NullOrder::Least,
    // "The maximum number of tables that can be referenced in a single join is 61" (the manual, 8.4.7 there).
    limits: Limits { parameters: 65_535, identifier: 64, joined_tables: 61, ..Limits::NONE },
    distribution: Distribution::None,
    native: NATIVE,
    support: SUPPORT,
    functions: FUNCTIONS,
}
.complete();

const NO_RETURNING: &str = "MySQL gives no rows back: query them by key, in the same transaction";
const NO_NOPAD: &str =
    "MySQL counts blanks at the end of a text since 8.0.17, by utf8mb4_0900_bin: use the mode `database`";
const CIRCLE: &str = "assignments run from left to right here, and each of these needs the value that another one had \
                      before: keep one of them in a column of its own";
const NO_OLD_SETS: &str = "MySQL has it since 8.0.31: use EXISTS, or NOT EXISTS";

/// What it has of standard SQL in every version.
const NATIVE: &[Feature] = features![
    BooleanValue BooleanPredicate BooleanLiteral UntypedArgument UntypedNull TupleIn TupleInList ArrayInChange
    AggregateOrders StringAggDistinct StringAggWindow SubqueryInAggregate OuterInAggregate OuterGroup OuterInKey SubqueryInGroup RightJoin
    SetMemberParentheses PagedSetInSubquery Recursion RecursiveUnion RecursiveClauses OffsetWithoutOrder TwinsInPage ExistsPage OrOfTables ExistsByKey
    NotInQuery QueryInQuery RowOfQueryInQuery ScalarRows CoalesceQuery HavingWithoutGroup HavingOverConstants WindowDefault CaseFolding
    Window FrameRangeOffset WindowWithoutOrder LockUpdate LockShare LockSkipLocked LockNoWait LockWithLimit
    IntegerDivision TextTime SingleCast ColumnScale DivisionByZero Modulo FractionModulo NegativeLength RoundDigits
    DecimalDigits DateKinds DateValues OffsetKinds GuidOrder OffsetParts ConcatNull ConcatAny DecimalText
    EmptyString StringAggSeparator ZeroCharacter LikeBracket LargeText LargeBinary LikeEscape LikeCollation Regex RegexGroup
    RegexClass RegexLook RegexReference NullSafeEqual MultiRowInsert ReturningSubquery ConflictSubquery WriteWith
    ChangeWith IdentityValue UnsignedBig LockOrder LockOf JsonEqual JsonNull NestedJson
];

/// What differs from standard SQL, and since which version it no longer does.
pub const SUPPORT: &[(Feature, Since)] = &[
    // CAST(a AS integer)                =>  CAST(TRUNC(a) AS integer)
    (Feature::IntegerCast, Support::Expand(Rule::CastTruncate).always()),
    // CAST(a AS SIGNED) of a text       =>  CASE LOWER(TRIM(a)) WHEN 'true' THEN TRUE ...
    (Feature::TextTruth, Support::Expand(Rule::TextTruth).always()),
    // SET qty = price                   =>  SET qty = CAST(TRUNCATE(price, 0) AS SIGNED)
    (Feature::Assignment, Support::Expand(Rule::AssignmentCast).always()),
    // CAST(a AS SIGNED) of a text       =>  the same: 0 for what is no number
    (Feature::TextNumber, Support::Expand(Rule::TextNumber).always()),
    // SELECT ?                          =>  SELECT CAST(? AS SIGNED)
    (Feature::UntypedParameter, Support::Expand(Rule::CastParameter).always()),
    // amount > ?                        =>  amount > CAST(? AS DECIMAL(65, 30))
    (Feature::TextParameter, Support::Expand(Rule::CastParameter).always()),
    // at < '.. 10:20:30 +02:00'         =>  at < '.. 08:20:30'
    (Feature::OffsetParameter, Support::Expand(Rule::OffsetUtc).always()),
    // ORDER BY a NULLS LAST             =>  ORDER BY CASE WHEN a IS NULL THEN 1 ELSE 0 END, a
    (Feature::NullsOrder, Support::Expand(Rule::NullsOrder).always()),
    // (a, b) = (1, 2)                   =>  a = 1 AND b = 2, for MariaDB says of rows that this is never unknown
    (Feature::TupleCompare, Support::Expand(Rule::TupleCompare).always()),
    // (a, b) > (1, 2)                   =>  a >= 1 AND (a > 1 OR b > 2), for no index serves rows
    (Feature::TupleOrder, Support::Expand(Rule::TupleCompare).always()),
    // a IN (?, ?, ...)                  =>  a IN (SELECT v FROM JSON_TABLE(?, ...))
    (Feature::ArrayParameter, Support::Expand(Rule::ArrayAsJson).always()),
    // SUM(a) FILTER (WHERE p)           =>  SUM(CASE WHEN p THEN a END)
    (Feature::AggregateFilter, Support::Expand(Rule::FilterToCase).always()),
    // SELECT DISTINCT ON (a) ...        =>  ROW_NUMBER() OVER (PARTITION BY a ...) = 1
    (Feature::DistinctOn, Support::Expand(Rule::DistinctOnRowNumber).always()),
    // SELECT f(a, ?) GROUP BY f(a, ?)  =>  GROUP BY 1
    (Feature::GroupParameter, Support::Expand(Rule::GroupByPosition).always()),
    // SELECT (SELECT ..) GROUP BY (SELECT ..)  =>  GROUP BY 1
    (Feature::GroupSubqueryRepeated, Support::Expand(Rule::GroupByPosition).always()),
    // a FULL JOIN b                     =>  a LEFT JOIN b UNION ALL b's rows without a
    (Feature::FullJoin, Support::Expand(Rule::FullJoinUnion).always()),
    (Feature::FullJoinCondition, Support::Expand(Rule::FullJoinUnion).always()),
    // WITH RECURSIVE t AS (SELECT name  =>  WITH RECURSIVE t AS (SELECT CAST(name AS CHAR(4000))
    (Feature::RecursiveTypes, Support::Expand(Rule::RecursiveCast).always()),
    (Feature::RecursionDepth, Support::Expand(Rule::RecursionLimit).always()),
    // a IN (SELECT ... LIMIT 1)         =>  a IN (SELECT * FROM (SELECT ... LIMIT 1) T1)
    (Feature::LimitInSubquery, Support::Expand(Rule::LimitDerived).always()),
    // a IN (SELECT RANK() OVER ..)      =>  a IN (SELECT * FROM (SELECT RANK() OVER ..) T1)
    (Feature::WindowInSubquery, Support::Expand(Rule::WindowDerived).always()),
    // EXISTS (SELECT DISTINCT a ..)     =>  EXISTS (SELECT 1 .. GROUP BY a HAVING COUNT(*) > 0 ..), of a page
    (Feature::ExistsGroups, Support::Expand(Rule::ExistsGroupsCounted).always()),
    // VALUES (.. same ..), (..)         =>  SELECT .. same .. UNION ALL SELECT ..
    (Feature::SelfSubqueryRows, Support::Expand(Rule::InsertSelect).always()),
    // a NOT IN (?, ?, ...)              =>  the same: of texts, each would be compared with every one of a table
    (Feature::ArrayOfTexts, Support::Expand(Rule::ListOneByOne).always()),
    (Feature::FrameGroups, Support::Refuse("its frames count rows or values: use ROWS or RANGE").always()),
    (Feature::FrameExclude, Support::Refuse("its frames leave nothing out: subtract the row's own value").always()),
    // ~a                                =>  -1 - a, for ~ gives a number without a sign
    (Feature::BitNot, Support::Expand(Rule::BitNotArithmetic).always()),
    // a ILIKE 'x%'                      =>  LOWER(a) LIKE LOWER('x%')
    (Feature::ILike, Support::Expand(Rule::ILikeLower).always()),
    // ON CONFLICT (k) DO UPDATE SET ..  =>  ON DUPLICATE KEY UPDATE ..
    (Feature::Upsert, Support::Expand(Rule::UpsertDuplicateKey).always()),
    // LEFT(a, CHAR_LENGTH(b)) = b       =>  LOCATE(b, a) = 1
    (Feature::TrailingBlanks, Support::Expand(Rule::BlanksCounted).always()),
    // a ~ 'x$'                          =>  a REGEXP 'x\z'
    (Feature::RegexEnd, Support::Expand(Rule::RegexEnd).always()),
    // a ~ '\bx'                         =>  a REGEXP '(?<![0-9A-Z_a-z])x', for other letters are in words as well
    (Feature::RegexBorder, Support::Expand(Rule::RegexBorder).always()),
    (
        Feature::TrimComputed,
        Support::Refuse(
            "its TRIM takes a whole text away, not any of its characters: give \
        them as a text",
        )
        .always(),
    ),
    // WHERE paid                        =>  WHERE paid = 1, for no index gives its order to the other
    (Feature::TruthIndex, Support::Expand(Rule::TruthAsNumber).always()),
    // JSON_ARRAY(paid)                  =>  JSON_ARRAY(paid = 1)
    (Feature::JsonBoolean, Support::Expand(Rule::JsonTruth).always()),
    // amount / qty                      =>  CAST(amount AS DECIMAL(65, 30)) / qty
    (Feature::DecimalDivision, Support::Expand(Rule::DivisionWide).always()),
    // JSON_VALUE(a, '$.b[0]')           =>  CASE WHEN (a's b is an array) THEN JSON_VALUE(a, '$.b[0]') END
    (Feature::JsonIndex, Support::Expand(Rule::JsonIndexGuard).always()),
    (
        Feature::UpdateReturning,
        Support::Refuse(
            "its UPDATE gives no rows back: query them by key, in the same \
        transaction",
        )
        .always(),
    ),
    // UPDATE t SET a = b / c           =>  UPDATE t SET a = b / NULLIF(c, 0)
    (Feature::DivisionInWrite, Support::Expand(Rule::DivisionNullIf).always()),
    (Feature::NotFinite, Support::Refuse("it has no NaN and no infinities: store NULL").always()),
    (Feature::Array, Support::Refuse("it has no arrays: store JSON, or rows of another table").always()),
    // d.text = REPLACE(d.text, ..)      =>  d.text = REPLACE(CONCAT(d.text), ..)
    (Feature::ComputedText, Support::Expand(Rule::TextCopied).always()),
    (Feature::ExactText, Support::Refuse(NO_NOPAD).always()),
    // a = ?                             =>  a = ? AND a COLLATE utf8mb4_0900_bin = ?
    (Feature::ExactText, Support::Expand(Rule::ExactText).since((8, 0, 17))),
    // COALESCE(?, NULL)                 =>  COALESCE(?, CAST(NULL AS CHAR))
    (Feature::NullBesideTexts, Support::Expand(Rule::CastParameter).always()),
    // a ~ 'x.y'                         =>  REGEXP_LIKE(a, 'x[\s\S]y', 'cn')
    (Feature::RegexAny, Support::Expand(Rule::RegexAny).always()),
    // UPPER(key)                        =>  UPPER(MIN(key))
    (Feature::GroupKeyInside, Support::Expand(Rule::KeyAggregated).always()),
    // HAVING a + 1 > ?                  =>  HAVING MIN(a + 1) > ?
    (Feature::GroupKeyInHaving, Support::Expand(Rule::KeyAggregated).always()),
    // SET at = created                  =>  SET at = created - INTERVAL MICROSECOND(created) MICROSECOND
    (Feature::ColumnSeconds, Support::Expand(Rule::SecondsCut).always()),
    (Feature::AggregateOrder, Support::Refuse("MySQL orders no aggregate but a concatenation of texts").always()),
    (Feature::Lateral, Support::Refuse("MySQL has LATERAL since 8.0.14: use scalar subqueries").always()),
    (Feature::Lateral, Support::Native.since((8, 0, 14))),
    (Feature::OuterInDerived, Support::Refuse("MySQL has it since 8.0.14: use EXISTS").always()),
    // LEFT JOIN .. ON a IN (?, ?, ...)  =>  the same: rows come twice for what a table of the list has twice
    (Feature::ArrayInJoin, Support::Expand(Rule::ListOneByOne).always()),
    (Feature::OuterInDerived, Support::Native.since((8, 0, 14))),
    // a UNION (b UNION c)               =>  a UNION SELECT * FROM (b UNION c) T1
    (Feature::SetGroupParentheses, Support::Expand(Rule::SetMemberDerived).always()),
    (Feature::SetGroupParentheses, Support::Native.since((8, 0, 22))),
    // JOIN b ON a IN (SELECT ..)        =>  JOIN b ON (a IN (SELECT ..)) = 1
    (Feature::SubqueryInJoin, Support::Expand(Rule::SubqueryAsNumber).always()),
    // (a UNION b) INTERSECT c           =>  SELECT * FROM (a UNION b) T1 INTERSECT c: NULL would be an empty text or zero
    (Feature::SetGroupNulls, Support::Expand(Rule::SetMemberDerived).always()),
    // SELECT score FROM a EXCEPT ..     =>  SELECT score + 0 AS score FROM a EXCEPT ..
    (Feature::SetZeroSign, Support::Expand(Rule::SetZeroAdded).always()),
    (Feature::Intersect, Support::Refuse(NO_OLD_SETS).always()),
    (Feature::Intersect, Support::Native.since((8, 0, 31))),
    (Feature::Except, Support::Refuse(NO_OLD_SETS).always()),
    (Feature::Except, Support::Native.since((8, 0, 31))),
    (Feature::InsertReturning, Support::Refuse(NO_RETURNING).always()),
    (Feature::DeleteReturning, Support::Refuse(NO_RETURNING).always()),
    // DELETE FROM t WHERE EXISTS (..)   =>  DELETE T0 FROM t T0 WHERE EXISTS (..)
    (Feature::ExistsInChange, Support::Expand(Rule::ChangeOfTables).always()),
    (Feature::ExistsInChange, Support::Native.since((8, 0, 21))),
    // FROM t JOIN j ON .. LIMIT n       =>  FROM t STRAIGHT_JOIN j ON .. LIMIT n
    (Feature::PageOfJoins, Support::Expand(Rule::JoinsInOrder).always()),
    // DELETE .. IN (SELECT .. same)     =>  DELETE .. IN (SELECT * FROM (SELECT .. same) T1)
    (Feature::SelfSubquery, Support::Expand(Rule::SelfSubqueryDerived).always()),
    // SET a = a + 1, b = a              =>  SET b = a, a = a + 1
    (Feature::CrossAssignment, Support::Refuse(CIRCLE).always()),
];
