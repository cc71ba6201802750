//! The data sheet: limits, and what MySQL and MariaDB lack of standard SQL.

use isogloss_compiler::dialect::{Feature, Limits, Placeholder, Quotes, Row, Sheet, Since, Support};
use isogloss_compiler::legalize::Rule;

use crate::functions::{FUNCTIONS, MARIADB_FUNCTIONS};

/// The data sheet of MySQL.
pub static SHEET: Sheet = sheet("mysql", SUPPORT, FUNCTIONS);

/// The data sheet of MariaDB.
pub static MARIADB_SHEET: Sheet = sheet("mariadb", MARIADB_SUPPORT, MARIADB_FUNCTIONS);

const fn sheet(name: &'static str, support: &'static [(Feature, Since)], functions: &'static [Row]) -> Sheet {
    Sheet {
        name,
        quotes: Quotes('`', '`'),
        placeholder: Placeholder::Question,
        // "The maximum number of tables that can be referenced in a single join is 61" (the manual, 8.4.7 there).
        limits: Limits { parameters: 65_535, identifier: 64, joined_tables: 61, ..Limits::NONE },
        support,
        functions,
    }
}

/// What both engines lack, then the rows of one of them: the last that fits the version counts.
macro_rules! both {
    ($($own:expr,)*) => { &[
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
        // a FULL JOIN b                     =>  a LEFT JOIN b UNION ALL b's rows without a
        (Feature::FullJoin, Support::Expand(Rule::FullJoinUnion).always()),
        // WITH RECURSIVE t AS (SELECT name  =>  WITH RECURSIVE t AS (SELECT CAST(name AS CHAR(4000))
        (Feature::RecursiveTypes, Support::Expand(Rule::RecursiveCast).always()),
        (Feature::RecursionDepth, Support::Expand(Rule::RecursionLimit).always()),
        // a IN (SELECT ... LIMIT 1)         =>  a IN (SELECT * FROM (SELECT ... LIMIT 1) T1)
        (Feature::LimitInSubquery, Support::Expand(Rule::LimitDerived).always()),
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
        (Feature::TrimComputed, Support::Refuse("its TRIM takes a whole text away, not any of its characters: give \
            them as a text").always()),
        // WHERE paid                        =>  WHERE paid = 1, for no index gives its order to the other
        (Feature::TruthIndex, Support::Expand(Rule::TruthAsNumber).always()),
        // JSON_ARRAY(paid)                  =>  JSON_ARRAY(paid = 1)
        (Feature::JsonBoolean, Support::Expand(Rule::JsonTruth).always()),
        // amount / qty                      =>  CAST(amount AS DECIMAL(65, 30)) / qty
        (Feature::DecimalDivision, Support::Expand(Rule::DivisionWide).always()),
        // JSON_VALUE(a, '$.b[0]')           =>  CASE WHEN (a's b is an array) THEN JSON_VALUE(a, '$.b[0]') END
        (Feature::JsonIndex, Support::Expand(Rule::JsonIndexGuard).always()),
        (Feature::UpdateReturning, Support::Refuse("its UPDATE gives no rows back: query them by key, in the same \
            transaction").always()),
        // UPDATE t SET a = b / c           =>  UPDATE t SET a = b / NULLIF(c, 0)
        (Feature::DivisionInWrite, Support::Expand(Rule::DivisionNullIf).always()),
        (Feature::NotFinite, Support::Refuse("it has no NaN and no infinities: store NULL").always()),
        (Feature::Array, Support::Refuse("it has no arrays: store JSON, or rows of another table").always()),
        // d.text = REPLACE(d.text, ..)      =>  d.text = REPLACE(CONCAT(d.text), ..)
        (Feature::ComputedText, Support::Expand(Rule::TextCopied).always()),
        $($own,)*
    ] };
}

const NO_RETURNING: &str = "MySQL gives no rows back: query them by key, in the same transaction";
pub(crate) const MARIADB_RETURNING: &str = "MariaDB gives back rows that it left as they were, too: query them by key";
const MARIADB_JSON: &str = "MariaDB compares JSON by its text before 10.7: compare JsonValue at a path";
pub(crate) const MARIADB_WITH: &str = "MariaDB has WITH in front of SELECT only: write the query where it is used";
const NO_NOPAD: &str =
    "MySQL counts blanks at the end of a text since 8.0.17, by utf8mb4_0900_bin: use the mode `database`";
const NO_OLD_SETS: &str = "MySQL has it since 8.0.31: use EXISTS, or NOT EXISTS";

/// What differs from standard SQL in MySQL, and since which version it no longer does.
pub const SUPPORT: &[(Feature, Since)] = both![
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
    // DELETE .. IN (SELECT .. same)     =>  DELETE .. IN (SELECT * FROM (SELECT .. same) T1)
    (Feature::SelfSubquery, Support::Expand(Rule::SelfSubqueryDerived).always()),
];

/// What differs from standard SQL in MariaDB, and since which version it no longer does.
pub const MARIADB_SUPPORT: &[(Feature, Since)] = both![
    // a = ?                             =>  a = ? AND a COLLATE utf8mb4_nopad_bin = ?
    (Feature::ExactText, Support::Expand(Rule::ExactText).always()),
    (Feature::Lateral, Support::Refuse("MariaDB has no LATERAL: use scalar subqueries or a window").always()),
    // (SELECT a ..) IN (SELECT b ..)    =>  COALESCE((SELECT a ..)) IN (SELECT b ..)
    (Feature::QueryInQuery, Support::Expand(Rule::QueryInCoalesced).always()),
    (Feature::RowOfQueryInQuery, Support::Refuse("MariaDB takes none: compare each value by EXISTS").always()),
    (Feature::OuterInDerived, Support::Refuse("MariaDB has it nowhere: use EXISTS, or a window").always()),
    // HAVING a + 1 > ?                  =>  HAVING MIN(a + 1) > ?
    (Feature::GroupKeyInHaving, Support::Expand(Rule::KeyAggregated).always()),
    // DELETE .. IN (?, ?, ...)          =>  the same: a table of the list would be read again for each row
    (Feature::ArrayInChange, Support::Expand(Rule::ListOneByOne).always()),
    // WITH c AS (..) DELETE .. IN (..)  =>  DELETE .. IN (WITH c AS (..) ..)
    (Feature::ChangeWith, Support::Expand(Rule::WriteWith).always()),
    (Feature::LockOf, Support::Expand(Rule::LockJoined).always()),
    (Feature::JsonEqual, Support::Refuse(MARIADB_JSON).always()),
    // data = ?                          =>  JSON_EQUALS(data, ?)
    (Feature::JsonEqual, Support::Native.since((10, 7, 0))),
    // RANK() OVER ()                    =>  RANK() OVER (ORDER BY NULL)
    (Feature::WindowWithoutOrder, Support::Expand(Rule::WindowOrderNull).always()),
];
