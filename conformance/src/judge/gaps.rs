//! What the engines take and the judges' grammars do not: each construct is put in words that they know, so that the
//! rest of the statement is judged.

use isogloss_oracle::Oracle;
use isogloss_sqlserver::SqlServer;

use super::token::{Token, TokenKind, tokens};

/// The text for the judge of a dialect. What cannot be cut into tokens is left to the judge.
pub(super) fn readable(dialect: &str, sql: &str) -> String {
    let tokens = match dialect {
        "sqlserver" => tokens(&SqlServer::V2022, sql),
        _ => tokens(&Oracle::V23, sql),
    };
    let Ok(tokens) = tokens else { return sql.to_owned() };
    let mut words: Vec<String> = tokens.iter().map(|token| token.text.to_owned()).collect();
    match dialect {
        "sqlserver" => sqlserver(&tokens, &mut words),
        _ => oracle(&tokens, &mut words),
    }
    words.retain(|word| !word.is_empty());
    words.join(" ")
}

/// A construct: the words that begin it, how many of its tokens give way, and to what. What gives way to nothing only
/// adds to what is judged.
type Gap = (&'static [&'static str], usize, &'static str);

/// ScriptDom 15 knows SQL Server 2019.
const SQLSERVER: [Gap; 5] = [
    // 2022: a IS DISTINCT FROM b
    (&["IS", "DISTINCT", "FROM"], 3, "<>"),
    (&["IS", "NOT", "DISTINCT", "FROM"], 4, "="),
    // 2022: JSON_ARRAY(a NULL ON NULL)
    (&["NULL", "ON", "NULL"], 3, ""),
    (&["ABSENT", "ON", "NULL"], 3, ""),
    // 2025: WHERE REGEXP_LIKE(a, b)
    (&["REGEXP_LIKE"], 1, "1 = REGEXP_LIKE"),
];

/// ANTLR's grammar knows Oracle 19c.
const ORACLE: [Gap; 7] = [
    // 21c: OVER (ORDER BY a GROUPS BETWEEN .. EXCLUDE TIES)
    (&["GROUPS", "BETWEEN"], 1, "ROWS"),
    (&["EXCLUDE", "CURRENT", "ROW"], 3, ""),
    (&["EXCLUDE", "GROUP"], 2, ""),
    (&["EXCLUDE", "TIES"], 2, ""),
    (&["EXCLUDE", "NO", "OTHERS"], 3, ""),
    // 21c: JSON_QUERY(a, '$' RETURNING CLOB DISALLOW SCALARS)
    (&["DISALLOW", "SCALARS"], 2, ""),
    (&["ALLOW", "SCALARS"], 2, ""),
];

fn fill(gaps: &[Gap], tokens: &[Token<'_>], words: &mut [String]) {
    for at in 0..tokens.len() {
        let rest = tokens.get(at..).unwrap_or_default();
        let Some((_, count, by)) = gaps.iter().find(|(begin, ..)| begins(rest, begin)) else { continue };
        for (place, word) in words.iter_mut().skip(at).take(*count).enumerate() {
            *word = if place == 0 { (*by).to_owned() } else { String::new() };
        }
    }
}

/// Whether these words come next; `'` stands for a literal.
fn begins(tokens: &[Token<'_>], words: &[&str]) -> bool {
    words.iter().enumerate().all(|(at, word)| {
        tokens.get(at).is_some_and(|token| token.is_word(word) || *word == "'" && token.kind == TokenKind::Text)
    })
}

fn sqlserver(tokens: &[Token<'_>], words: &mut [String]) {
    fill(&SQLSERVER, tokens, words);
    for ((token, before), word) in tokens.iter().skip(1).zip(tokens).zip(words.iter_mut().skip(1)) {
        // 2022: JSON_OBJECT(N'a':b)
        if token.is_symbol(":") && before.kind == TokenKind::Text {
            *word = ",".into();
        }
    }
}

fn oracle(tokens: &[Token<'_>], words: &mut [String]) {
    fill(&ORACLE, tokens, words);
    // A lone carriage return in a literal.
    for (token, word) in tokens.iter().zip(words.iter_mut()).filter(|(token, _)| token.kind == TokenKind::Text) {
        *word = token.text.replace('\r', " ");
    }
    let mut put = |place: usize, by: &str| {
        if let Some(word) = words.get_mut(place) {
            *word = by.to_owned();
        }
    };
    let mut depth = 0_usize;
    let mut values = false;
    for (at, window) in tokens.windows(3).enumerate() {
        let [first, second, third] = window else { continue };
        values |= first.is_word("VALUES");
        if first.is_symbol("(") {
            depth += 1;
        } else if first.is_symbol(")") {
            depth = depth.saturating_sub(1);
        }
        // IN (WITH x AS (..) SELECT ..)  =>  IN (SELECT * FROM (WITH x AS (..) SELECT ..))
        if !(first.is_word("FROM") || first.is_word("AS")) && second.is_symbol("(") && third.is_word("WITH") {
            put(at + 2, "SELECT * FROM (WITH");
            put(closing(tokens, at + 2), "))");
        }
        // 23ai: VALUES (a), (b)  =>  VALUES (a, b)
        if values && depth == 0 && first.is_symbol(")") && second.is_symbol(",") && third.is_symbol("(") {
            put(at, "");
            put(at + 2, "");
        }
        if first.is_word("JSON_TRANSFORM") {
            transform(tokens, at + 2, &mut put);
        }
    }
}

/// 21c: `JSON_TRANSFORM(a, SET '$.b' = c FORMAT JSON RETURNING CLOB)`  =>  `JSON_TRANSFORM(a, '$.b', c)`
fn transform(tokens: &[Token<'_>], begin: usize, put: &mut impl FnMut(usize, &str)) {
    for at in begin..closing(tokens, begin) {
        let rest = tokens.get(at..).unwrap_or_default();
        if begins(rest, &["SET", "'"]) {
            put(at, "");
            put(at + 2, ",");
        } else if begins(rest, &["FORMAT", "JSON"]) || begins(rest, &["RETURNING", "CLOB"]) {
            put(at, "");
            put(at + 1, "");
        }
    }
}

/// Where the bracket ends in which a token stands.
fn closing(tokens: &[Token<'_>], at: usize) -> usize {
    let mut depth = 0_usize;
    for (place, token) in tokens.iter().enumerate().skip(at) {
        if token.is_symbol("(") {
            depth += 1;
        } else if token.is_symbol(")") {
            let Some(less) = depth.checked_sub(1) else { return place };
            depth = less;
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn only_what_the_grammars_lack_is_put_in_other_words() {
        for (dialect, sql, other) in [
            ("sqlserver", "a IS NOT DISTINCT FROM @P1 OR b IS DISTINCT FROM c", "a = @P1 OR b <> c"),
            ("sqlserver", "NOT REGEXP_LIKE(a, N'IS DISTINCT FROM')", "NOT 1 = REGEXP_LIKE ( a , N'IS DISTINCT FROM' )"),
            (
                "sqlserver",
                "JSON_ARRAY(a NULL ON NULL), JSON_OBJECT(N'a':b)",
                "JSON_ARRAY ( a ) , JSON_OBJECT ( N'a' , b )",
            ),
            ("sqlserver", "a IS NULL", "a IS NULL"),
            (
                "oracle",
                "a IN (WITH x AS (SELECT 1) SELECT (2)) OR b",
                "a IN ( SELECT * FROM (WITH x AS ( SELECT 1 ) SELECT ( 2 ) )) OR b",
            ),
            ("oracle", "FROM (WITH x AS (SELECT 1) SELECT 2)", "FROM ( WITH x AS ( SELECT 1 ) SELECT 2 )"),
            (
                "oracle",
                "INSERT INTO t (a) VALUES (f((1), (2))), (2)",
                "INSERT INTO t ( a ) VALUES ( f ( ( 1 ) , ( 2 ) ) , 2 )",
            ),
            (
                "oracle",
                "OVER (ORDER BY a GROUPS BETWEEN b AND c EXCLUDE TIES)",
                "OVER ( ORDER BY a ROWS BETWEEN b AND c )",
            ),
            ("oracle", "JSON_QUERY(a, '$' RETURNING CLOB DISALLOW SCALARS)", "JSON_QUERY ( a , '$' RETURNING CLOB )"),
            (
                "oracle",
                "JSON_TRANSFORM(a, SET '$.b' = c = 1 FORMAT JSON RETURNING CLOB) SET d = 'e'",
                "JSON_TRANSFORM ( a , '$.b' , c = 1 ) SET d = 'e'",
            ),
            ("oracle", "'a\rb'", "'a b'"),
        ] {
            assert_eq!(readable(dialect, sql), other);
        }
    }
}
