//! What the engines take and the judges' grammars do not: each construct is put in words that they know, so that the
//! rest of the statement is judged.

use isogloss_oracle::Oracle;
use isogloss_sqlserver::SqlServer;

use super::token::{Kind, Token, tokens};

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

/// ScriptDom 15 knows SQL Server 2019.
fn sqlserver(tokens: &[Token<'_>], words: &mut [String]) {
    let mut at = 0;
    while let Some(rest) = tokens.get(at..).filter(|rest| !rest.is_empty()) {
        // 2022: a IS DISTINCT FROM b, a IS NOT DISTINCT FROM b
        if begins(rest, &["IS", "DISTINCT", "FROM"]) {
            at += replace(words, at, 3, "<>");
        } else if begins(rest, &["IS", "NOT", "DISTINCT", "FROM"]) {
            at += replace(words, at, 4, "=");
        // 2025: REGEXP_LIKE(a, b) as a predicate
        } else if begins(rest, &["REGEXP_LIKE"]) {
            at += replace(words, at, 1, "1 = REGEXP_LIKE");
        } else {
            at += 1;
        }
    }
}

/// ANTLR's grammar has no WITH in a subquery of an expression, and no lone carriage return in a literal.
fn oracle(tokens: &[Token<'_>], words: &mut [String]) {
    for (at, token) in tokens.iter().enumerate() {
        if token.kind == Kind::Text
            && let Some(word) = words.get_mut(at)
        {
            *word = word.replace('\r', " ");
        }
        // IN (WITH x AS (..) SELECT ..)  =>  IN (SELECT * FROM (WITH x AS (..) SELECT ..))
        let open = at.checked_sub(1).and_then(|before| tokens.get(before)).is_some_and(|before| before.is_symbol("("));
        let value = at
            .checked_sub(2)
            .and_then(|before| tokens.get(before))
            .is_some_and(|before| !before.is_word("FROM") && !before.is_word("AS"));
        if token.is_word("WITH") && open && value {
            let close = closing(tokens, at);
            if let Some(word) = words.get_mut(at) {
                *word = "SELECT * FROM (WITH".into();
            }
            if let Some(word) = words.get_mut(close) {
                word.push(')');
            }
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

fn begins(tokens: &[Token<'_>], words: &[&str]) -> bool {
    words.iter().enumerate().all(|(at, word)| tokens.get(at).is_some_and(|token| token.is_word(word)))
}

/// Puts one word in the place of several, and says how many.
fn replace(words: &mut [String], at: usize, count: usize, by: &str) -> usize {
    for (place, word) in words.iter_mut().skip(at).take(count).enumerate() {
        *word = if place == 0 { by.to_owned() } else { String::new() };
    }
    count
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn only_what_the_grammars_lack_is_put_in_other_words() {
        for (dialect, sql, readable_sql) in [
            (
                "sqlserver",
                "SELECT 1 WHERE a IS NOT DISTINCT FROM @P1 OR b IS DISTINCT FROM c",
                "SELECT 1 WHERE a = @P1 OR b <> c",
            ),
            (
                "sqlserver",
                "SELECT 1 WHERE NOT REGEXP_LIKE(a, N'IS DISTINCT FROM')",
                "SELECT 1 WHERE NOT 1 = REGEXP_LIKE ( a , N'IS DISTINCT FROM' )",
            ),
            ("sqlserver", "SELECT a IS NULL", "SELECT a IS NULL"),
            (
                "oracle",
                "DELETE FROM t WHERE a IN (WITH x AS (SELECT 1) SELECT (2))",
                "DELETE FROM t WHERE a IN ( SELECT * FROM (WITH x AS ( SELECT 1 ) SELECT ( 2 ) ))",
            ),
            (
                "oracle",
                "SELECT 1 FROM (WITH x AS (SELECT 1) SELECT 2)",
                "SELECT 1 FROM ( WITH x AS ( SELECT 1 ) SELECT 2 )",
            ),
            ("oracle", "SELECT 'a\rb'", "SELECT 'a b'"),
        ] {
            assert_eq!(readable(dialect, sql), readable_sql);
        }
    }
}
