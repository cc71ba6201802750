//! What the words of a statement tell of what it does.

use super::scripts::pieces;

/// Whether a statement only reads, and locks no rows, as far as its words tell: no function is known here.
pub(super) fn reads(sql: &str) -> bool {
    let mut words = sql.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let mut before = words.next().unwrap_or_default();
    is_any(before, &["SELECT", "WITH", "VALUES"])
        && !words.any(|word| {
            let locks = is_any(before, &["FOR"]) && is_any(word, &["SHARE", "KEY"]);
            before = word;
            locks || is_any(word, &["INSERT", "UPDATE", "DELETE", "MERGE"])
        })
}

/// Whether a statement only reads, and calls no functions but those that are known to do nothing else: nothing is lost
/// where it is taken back.
///
/// What a view, an operator or a row-level policy calls is not seen.
pub(super) fn only_reads(sql: &str) -> bool {
    let sql = sql.trim_end().trim_end_matches(';');
    // Three pieces back, as a name may have its schema before it.
    let mut before = ["", "", ""];
    reads(sql)
        && pieces(sql).filter(|piece| !is_blank(piece)).all(|piece| {
            let harmless = piece != ";" && (piece != "(" || is_harmless(before));
            let [_, second, last] = before;
            before = [second, last, piece];
            harmless
        })
}

/// Whether nothing is called by what stands before a parenthesis.
fn is_harmless([first, second, last]: [&str; 3]) -> bool {
    let is_name = last.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '"'));
    // The name of a table with those of its columns, or a type.
    let is_named = is_any(second, &["AS", "WITH", "RECURSIVE", ":"]);
    let is_theirs = second == "." && !is_any(first, &["pg_catalog"]);
    !is_name || is_named || !is_theirs && HARMLESS.iter().any(|known| is_any(last, known))
}

fn is_blank(piece: &str) -> bool {
    piece.starts_with(char::is_whitespace) || piece.starts_with("--") || piece.starts_with("/*")
}

fn is_any(word: &str, any: &[&str]) -> bool {
    any.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// Words that are followed by a parenthesis, and functions that only compute.
const HARMLESS: [&[&str]; 7] = [
    // Words of SQL.
    &[
        "ALL",
        "AND",
        "ANY",
        "ARRAY",
        "AS",
        "BETWEEN",
        "BY",
        "CASE",
        "CAST",
        "CROSS",
        "CUBE",
        "DISTINCT",
        "ELSE",
        "EXCEPT",
        "EXISTS",
        "EXTRACT",
        "FETCH",
        "FILTER",
        "FROM",
        "FULL",
        "GROUP",
        "GROUPING",
        "HAVING",
        "ILIKE",
        "IN",
        "INNER",
        "INTERSECT",
        "IS",
        "JOIN",
        "LATERAL",
        "LIKE",
        "LIMIT",
        "MATERIALIZED",
        "NOT",
        "OFFSET",
        "ON",
        "OR",
        "OVER",
        "PARTITION",
        "RETURNING",
        "ROLLUP",
        "ROW",
        "SELECT",
        "SETS",
        "SOME",
        "THEN",
        "UNION",
        "USING",
        "VALUES",
        "WHEN",
        "WHERE",
        "WINDOW",
        "WITHIN",
    ],
    // Text.
    &[
        "ASCII",
        "BIT_LENGTH",
        "BTRIM",
        "CHAR_LENGTH",
        "CHARACTER_LENGTH",
        "CHR",
        "CONCAT",
        "CONCAT_WS",
        "CONVERT_FROM",
        "CONVERT_TO",
        "DECODE",
        "ENCODE",
        "FORMAT",
        "INITCAP",
        "LEFT",
        "LENGTH",
        "LOWER",
        "LPAD",
        "LTRIM",
        "MD5",
        "OCTET_LENGTH",
        "OVERLAY",
        "POSITION",
        "REGEXP_COUNT",
        "REGEXP_MATCH",
        "REGEXP_MATCHES",
        "REGEXP_REPLACE",
        "REGEXP_SUBSTR",
        "REPEAT",
        "REPLACE",
        "REVERSE",
        "RIGHT",
        "RPAD",
        "RTRIM",
        "SPLIT_PART",
        "STARTS_WITH",
        "STRPOS",
        "SUBSTR",
        "SUBSTRING",
        "TRANSLATE",
        "TRIM",
        "UPPER",
    ],
    // Numbers.
    &[
        "ABS",
        "ACOS",
        "ASIN",
        "ATAN",
        "ATAN2",
        "CEIL",
        "CEILING",
        "COS",
        "DEGREES",
        "EXP",
        "FLOOR",
        "GREATEST",
        "LEAST",
        "LN",
        "LOG",
        "MOD",
        "PI",
        "POWER",
        "RADIANS",
        "RANDOM",
        "ROUND",
        "SIGN",
        "SIN",
        "SQRT",
        "TAN",
        "TRIM_SCALE",
        "TRUNC",
    ],
    // Dates and times.
    &[
        "AGE",
        "CLOCK_TIMESTAMP",
        "DATE_PART",
        "DATE_TRUNC",
        "MAKE_DATE",
        "MAKE_INTERVAL",
        "MAKE_TIME",
        "MAKE_TIMESTAMP",
        "NOW",
        "STATEMENT_TIMESTAMP",
        "TIMEZONE",
        "TO_CHAR",
        "TO_DATE",
        "TO_NUMBER",
        "TO_TIMESTAMP",
        "TRANSACTION_TIMESTAMP",
    ],
    // JSON, arrays, and what else is computed.
    &[
        "ARRAY_LENGTH",
        "ARRAY_POSITION",
        "CARDINALITY",
        "COALESCE",
        "GENERATE_SERIES",
        "GEN_RANDOM_UUID",
        "JSONB_ARRAY_ELEMENTS",
        "JSONB_ARRAY_LENGTH",
        "JSONB_BUILD_ARRAY",
        "JSONB_BUILD_OBJECT",
        "JSONB_PATH_QUERY_FIRST",
        "JSONB_SET",
        "JSONB_TYPEOF",
        "JSON_BUILD_ARRAY",
        "JSON_BUILD_OBJECT",
        "NULLIF",
        "TO_JSON",
        "TO_JSONB",
        "UNNEST",
    ],
    // Aggregates.
    &[
        "ARRAY_AGG",
        "AVG",
        "BOOL_AND",
        "BOOL_OR",
        "COUNT",
        "EVERY",
        "JSONB_AGG",
        "JSONB_OBJECT_AGG",
        "JSON_AGG",
        "JSON_OBJECT_AGG",
        "MAX",
        "MIN",
        "PERCENTILE_CONT",
        "PERCENTILE_DISC",
        "STDDEV",
        "STDDEV_POP",
        "STDDEV_SAMP",
        "STRING_AGG",
        "SUM",
        "VARIANCE",
        "VAR_POP",
        "VAR_SAMP",
    ],
    // Windows.
    &[
        "CUME_DIST",
        "DENSE_RANK",
        "FIRST_VALUE",
        "LAG",
        "LAST_VALUE",
        "LEAD",
        "NTH_VALUE",
        "NTILE",
        "PERCENT_RANK",
        "RANK",
        "ROW_NUMBER",
    ],
];

#[cfg(test)]
mod tests {
    use isogloss_compiler::dialect::Form;

    use super::*;
    use crate::functions::FUNCTIONS;

    #[test]
    fn what_writes_is_told_from_what_reads() {
        for sql in ["SELECT a FROM t", "with x as (select 1) select * from x", "VALUES (1)", "SELECT share FROM t"] {
            assert!(reads(sql) && only_reads(sql), "{sql}");
        }
        for sql in [
            "INSERT INTO t VALUES (1) RETURNING a",
            "WITH x AS (DELETE FROM t RETURNING a) SELECT a FROM x",
            "CALL f()",
            "SELECT a FROM t FOR NO KEY UPDATE",
            "SELECT a FROM t FOR SHARE",
            "select a from t for key share",
        ] {
            assert!(!reads(sql) && !only_reads(sql), "{sql}");
        }
    }

    #[test]
    fn what_calls_a_function_may_do_anything() {
        for sql in [
            "SELECT (a + (1)) * (2) FROM t AS x (a) WHERE a IN (1) OR ($1 || ('f(1)')) = -(1);",
            "WITH RECURSIVE \"x\" (\"n\") AS NOT MATERIALIZED (SELECT 1) SELECT x.n::numeric(10, 2) FROM x -- f(1)",
            "SELECT pg_catalog.lower(a), count /* f(1) */ (*) FILTER (WHERE a > 1) OVER (PARTITION BY (a)) FROM t",
        ] {
            assert!(only_reads(sql), "{sql}");
        }
        for sql in [
            "SELECT f(1)",
            "SELECT \"lower\"(a) FROM t",
            "SELECT own.lower(a) FROM t",
            "SELECT f /* it */\n(a) FROM t",
            "SELECT DISTINCT ON (a) f(a) FROM t",
            "SELECT a FROM t WHERE NOT f(a)",
            "SELECT 1; SELECT 2",
            "SELECT E'\\'', f(1), ''",
        ] {
            assert!(reads(sql) && !only_reads(sql), "{sql}");
        }
        for function in FUNCTIONS {
            if let Form::Text(_, spelling) = function.form {
                let text = spelling.text();
                assert!(only_reads(&format!("SELECT {text}")), "{text}");
            }
        }
    }
}
