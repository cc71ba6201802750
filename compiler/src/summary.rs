//! What a statement does to which tables, for traces and metrics: a text with few values.

/// The longest summary, in bytes, as OpenTelemetry's conventions for `db.query.summary` have it.
const LONGEST: usize = 255;

/// Functions whose arguments may have a FROM between them.
const WITH_FROM: [&str; 4] = ["EXTRACT", "TRIM", "SUBSTRING", "OVERLAY"];

enum Token<'s> {
    /// Blanks, or a comment.
    Blank,
    /// A name in quotes, without them.
    Name(&'s str),
    Word(&'s str),
    Open,
    Close,
    Other,
}

/// The operations and tables of a text, in their order: `SELECT Orders Customers`. Of a text that is neither a query nor a
/// write, its first word: `CREATE`.
pub(crate) fn summary(sql: &str) -> String {
    let mut out = String::new();
    let (mut first, mut before) = ("", "");
    let mut wrote = false;
    let mut table_is_next = false;
    // How many parentheses are open, and behind how many the arguments of such a function stand.
    let (mut depth, mut functions) = (0_u32, Vec::new());
    let mut rest = sql;
    while let Some((token, after)) = next(rest) {
        rest = after;
        let name = match token {
            Token::Blank => continue,
            Token::Name(name) if table_is_next => name,
            // What follows `FROM` may be a query.
            Token::Word(word) if table_is_next && !is(word, &["SELECT", "VALUES", "WITH", "ONLY", "LATERAL"]) => word,
            Token::Word(word) => {
                if first.is_empty() {
                    first = word;
                }
                let operation = match () {
                    () if is(word, &["SELECT"]) => true,
                    // Not that of FOR UPDATE.
                    () if is(word, &["INSERT", "UPDATE", "DELETE", "MERGE"]) && !is(before, &["FOR"]) => {
                        !std::mem::replace(&mut wrote, true)
                    }
                    () => false,
                };
                let word_upper = word.to_ascii_uppercase();
                if operation && !out.ends_with(&word_upper) && !push(&mut out, &word_upper) {
                    break;
                }
                table_is_next = is(word, &["JOIN", "INTO", "ONLY", "LATERAL"])
                    || is(word, &["FROM"]) && functions.last() != Some(&depth) && !is(before, &["DISTINCT"])
                    || is(word, &["UPDATE"]) && operation;
                before = word;
                continue;
            }
            Token::Open => {
                depth += 1;
                if is(before, &WITH_FROM) {
                    functions.push(depth);
                }
                before = "";
                continue;
            }
            Token::Close => {
                functions.pop_if(|at| *at == depth);
                depth = depth.saturating_sub(1);
                table_is_next = false;
                continue;
            }
            Token::Name(_) | Token::Other => {
                table_is_next = false;
                before = "";
                continue;
            }
        };
        let schema = rest.starts_with('.');
        if rest.starts_with('(') || !push(&mut out, name) {
            // A function, or too long.
            table_is_next = false;
            continue;
        }
        if schema {
            out.push('.');
            rest = rest.get(1..).unwrap_or_default();
        }
        table_is_next = schema;
    }
    if out.is_empty() {
        push(&mut out, &first.to_ascii_uppercase());
    }
    out
}

fn is(word: &str, words: &[&str]) -> bool {
    words.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// The first token of a text, and what is behind it.
fn next(text: &str) -> Option<(Token<'_>, &str)> {
    let first = text.chars().next()?;
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '#');
    let end_of = |end: Option<usize>| end.unwrap_or(text.len());
    let end = match first {
        '"' | '`' | '[' | '\'' => quoted_end(text, if first == '[' { ']' } else { first }),
        '-' if text.starts_with("--") => end_of(text.find('\n')),
        '/' if text.starts_with("/*") => end_of(text.find("*/").map(|at| at + 2)),
        c if c.is_alphabetic() || c == '_' => end_of(text.find(|c| !word(c))),
        c if c.is_whitespace() => end_of(text.find(|c: char| !c.is_whitespace())),
        c => c.len_utf8(),
    };
    let (token, after) = text.split_at(end);
    let token = match first {
        '"' | '`' | '[' => Token::Name(token.get(1..end.saturating_sub(1)).unwrap_or_default()),
        '(' => Token::Open,
        ')' => Token::Close,
        '-' | '/' if end > 1 => Token::Blank,
        c if c.is_whitespace() => Token::Blank,
        c if c.is_alphabetic() || c == '_' => Token::Word(token),
        _ => Token::Other,
    };
    Some((token, after))
}

/// Where a quoted token ends; a quote in it is doubled.
fn quoted_end(text: &str, quote: char) -> usize {
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c == quote && chars.next_if(|(_, next)| *next == quote).is_none() {
            return at + c.len_utf8();
        }
    }
    text.len()
}

/// Appends a word; not if that gets too long.
fn push(out: &mut String, word: &str) -> bool {
    if out.len() + word.len() + 1 > LONGEST {
        return false;
    }
    if !out.is_empty() && !out.ends_with('.') {
        out.push(' ');
    }
    out.push_str(word);
    true
}

#[cfg(test)]
mod tests {
    use super::summary;

    #[test]
    fn operations_and_tables_in_their_order() {
        for (sql, expected) in [
            (
                r#"SELECT "T0"."Id" FROM "Orders" "T0" LEFT JOIN "Users" "U" ON 1 = 1 WHERE "x" = 'FROM "a"'"#,
                "SELECT Orders Users",
            ),
            ("SELECT TOP (@P1) [T0].[A] FROM [sales].[Orders] [T0] ORDER BY [T0].[A]", "SELECT sales.Orders"),
            (r#"INSERT INTO "A" ("x") SELECT "T0"."x" FROM (SELECT "x" FROM "B") "T0""#, "INSERT A SELECT B"),
            (r#"INSERT INTO "A" ("x") VALUES (?) ON CONFLICT ("x") DO UPDATE SET "x" = 1"#, "INSERT A"),
            ("UPDATE `A` SET `b` = 1 WHERE EXISTS (SELECT 1 FROM `B` FOR UPDATE)", "UPDATE A SELECT B"),
            (r#"DELETE FROM "A""b""#, "DELETE A\"\"b"),
            ("BEGIN", "BEGIN"),
            ("create table notes (id int)", "CREATE"),
            ("select n from notes -- from nowhere\n where n > 1 /* join others */", "SELECT notes"),
            (
                "WITH x AS (SELECT 1 FROM a.b) delete from c WHERE d IN (SELECT e FROM f)",
                "SELECT a.b DELETE c SELECT f",
            ),
            (r#"SELECT 1 FROM "a" WHERE "b" IS DISTINCT FROM "c" FOR UPDATE"#, "SELECT a"),
            (
                r#"SELECT EXTRACT(YEAR FROM "b"), TRIM("c") FROM "a" JOIN LATERAL (SELECT 1 FROM "d") "x""#,
                "SELECT a SELECT d",
            ),
            ("SELECT * FROM generate_series(1, 2)", "SELECT"),
            ("SELECT 'FROM a', E FROM ONLY b", "SELECT b"),
        ] {
            assert_eq!(summary(sql), expected, "{sql}");
        }
        let long = format!(r#"SELECT 1 FROM "{}""#, "x".repeat(300));
        assert_eq!(summary(&long), "SELECT");
    }
}
