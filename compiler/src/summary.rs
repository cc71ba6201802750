//! What a statement does to which tables, for traces and metrics: a text with few values. It is made of the text, as there is
//! one of what a program wrote by hand, too.

use isogloss_lexis::Token;

use crate::tokens::tokens;

/// The longest summary, in bytes, as OpenTelemetry's conventions for `db.query.summary` have it.
const LONGEST: usize = 255;

/// What reads and tables may take of it. A write has room always.
const LONGEST_READ: usize = LONGEST - " DELETE".len();

/// Functions whose arguments may have a FROM between them.
const WITH_FROM: [&str; 4] = ["EXTRACT", "TRIM", "SUBSTRING", "OVERLAY"];

enum Word<'s> {
    /// Blanks, or a comment.
    Blank,
    /// A name in quotes, without them.
    Name(&'s str),
    Plain(&'s str),
    Dot,
    Open,
    Close,
    Other,
}

/// The operations and tables of a text, in their order: `SELECT Orders Customers`. Of a text that is neither a query nor a
/// write, its first word: `CREATE`.
pub(crate) fn summary(sql: &str) -> String {
    let mut out = String::new();
    let (mut first, mut before) = ("", "");
    let (mut wrote, mut full) = (false, false);
    let mut table_is_next = false;
    // How many parentheses are open, and behind how many the arguments of such a function stand.
    let (mut depth, mut functions) = (0_u32, Vec::new());
    let mut words = words(sql).peekable();
    while let Some(word) = words.next() {
        let name = match word {
            Word::Blank => continue,
            Word::Name(name) if table_is_next => name,
            // What follows `FROM` may be a query.
            Word::Plain(word) if table_is_next && !is(word, &["SELECT", "VALUES", "WITH", "ONLY", "LATERAL"]) => word,
            Word::Plain(word) => {
                if first.is_empty() {
                    first = word;
                }
                // Not that of FOR UPDATE.
                let writes = is_write(word, before) && !std::mem::replace(&mut wrote, true);
                let operation = writes || is(word, &["SELECT"]);
                let word_upper = word.to_ascii_uppercase();
                let told = out.rsplit(' ').next() == Some(&word_upper);
                if operation && !told && (writes || !full) {
                    full |= !push(&mut out, &word_upper, if writes { LONGEST } else { LONGEST_READ });
                }
                table_is_next = is(word, &["JOIN", "INTO", "ONLY", "LATERAL"])
                    || is(word, &["FROM"]) && functions.last() != Some(&depth) && !is(before, &["DISTINCT"])
                    || is(word, &["UPDATE"]) && operation;
                before = word;
                continue;
            }
            Word::Open => {
                depth += 1;
                if is(before, &WITH_FROM) {
                    functions.push(depth);
                }
                before = "";
                continue;
            }
            Word::Close => {
                functions.pop_if(|at| *at == depth);
                depth = depth.saturating_sub(1);
                table_is_next = false;
                continue;
            }
            Word::Name(_) | Word::Dot | Word::Other => {
                table_is_next = false;
                before = "";
                continue;
            }
        };
        let mut table = name.to_owned();
        while words.next_if(|next| matches!(next, Word::Dot)).is_some() {
            let part = words.next_if(|next| matches!(next, Word::Name(_) | Word::Plain(_)));
            let Some(Word::Name(part) | Word::Plain(part)) = part else { break };
            table.push('.');
            table.push_str(part);
        }
        table_is_next = false;
        let function = matches!(words.peek(), Some(Word::Open));
        if !full && !function {
            push(&mut out, &table, LONGEST_READ);
        }
    }
    if out.is_empty() {
        push(&mut out, &first.to_ascii_uppercase(), LONGEST);
    }
    out
}

/// Whether a text only reads rows: a query, in which no word writes. What cannot be told counts as a write.
pub(crate) fn only_reads(sql: &str) -> bool {
    let (mut before, mut first, mut selects) = ("", true, false);
    for word in words(sql) {
        before = match word {
            Word::Blank => continue,
            // A name behind a dot is no keyword.
            Word::Plain(word) if before != "." => {
                if std::mem::take(&mut first) && !is(word, &["SELECT", "WITH", "EXPLAIN"]) {
                    return false;
                }
                // SELECT .. INTO makes a table, or writes a file.
                if is_write(word, before) || is(word, &["INTO"]) {
                    return false;
                }
                selects |= is(word, &["SELECT"]);
                word
            }
            Word::Dot => ".",
            _ => "",
        };
    }
    selects
}

/// Whether a word writes: not that of FOR UPDATE or FOR NO KEY UPDATE.
fn is_write(word: &str, before: &str) -> bool {
    is(word, &["INSERT", "UPDATE", "DELETE", "MERGE"]) && !is(before, &["FOR", "KEY"])
}

fn is(word: &str, words: &[&str]) -> bool {
    words.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// The words of a text, and what stands between them.
fn words(sql: &str) -> impl Iterator<Item = Word<'_>> {
    tokens(sql).flat_map(|token| {
        let (whole, mut code) = match token {
            Token::Code(code) => (None, code),
            Token::Quoted(text) if text.starts_with(['"', '`', '[']) => {
                (text.get(1..text.len() - 1).map(Word::Name), "")
            }
            Token::Comment(_) | Token::OpenComment(_) => (Some(Word::Blank), ""),
            Token::Quoted(_) | Token::Name(_) | Token::Hole(_) => (Some(Word::Other), ""),
        };
        let rest = std::iter::from_fn(move || {
            let (word, after) = next(code)?;
            code = after;
            Some(word)
        });
        whole.into_iter().chain(rest)
    })
}

/// The first word of code, and what is behind it.
fn next(code: &str) -> Option<(Word<'_>, &str)> {
    let first = code.chars().next()?;
    let in_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '#');
    let until = |ends: &dyn Fn(char) -> bool| code.split_at(code.find(ends).unwrap_or(code.len()));
    let ((text, after), word): (_, fn(_) -> _) = match first {
        c if c.is_alphabetic() || c == '_' => (until(&|c| !in_word(c)), Word::Plain),
        c if c.is_whitespace() => (until(&|c| !c.is_whitespace()), |_| Word::Blank),
        '.' => (code.split_at(1), |_| Word::Dot),
        '(' => (code.split_at(1), |_| Word::Open),
        ')' => (code.split_at(1), |_| Word::Close),
        c => (code.split_at(c.len_utf8()), |_| Word::Other),
    };
    Some((word(text), after))
}

/// Appends a word; not if that gets longer than `most`.
fn push(out: &mut String, word: &str, most: usize) -> bool {
    if out.len() + word.len() + 1 > most {
        return false;
    }
    if !out.is_empty() {
        out.push(' ');
    }
    out.push_str(word);
    true
}

#[cfg(test)]
mod tests {
    use super::{only_reads, summary};

    #[test]
    fn what_only_reads_has_no_word_that_writes() {
        for sql in [
            "SELECT 1",
            "(SELECT a.update FROM b) UNION SELECT 'INSERT INTO x' FOR UPDATE",
            "WITH x AS (SELECT 1 FROM s.f(1)) SELECT * FROM x FOR NO KEY UPDATE",
            "-- INSERT\nEXPLAIN SELECT \"into\" FROM t",
        ] {
            assert!(only_reads(sql), "{sql}");
        }
        let tables = (0..80).map(|n| format!("JOIN s{n}.t{n} ON 1 = 1 ")).collect::<String>();
        for sql in [
            "",
            "BEGIN",
            "WITH x AS (SELECT * FROM pg_catalog.generate_series(1, 3)) INSERT INTO t SELECT 1 FROM x RETURNING id",
            "WITH x AS (DELETE FROM a RETURNING b) SELECT * FROM x",
            "SELECT a INTO b FROM c",
            "CREATE TABLE a AS SELECT 1",
            "REPLACE a SELECT 1",
            "CALL p((SELECT 1))",
            &format!("WITH x AS (SELECT 1 FROM a {tables}) UPDATE b SET c = 1"),
        ] {
            assert!(!only_reads(sql), "{sql}");
        }
    }

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
            (
                "WITH x AS (SELECT * FROM pg_catalog.generate_series(1, 3)) INSERT INTO a.b.t SELECT 1 FROM x",
                "SELECT INSERT a.b.t SELECT x",
            ),
            ("SELECT 'FROM a', E FROM ONLY b", "SELECT b"),
            (r"SELECT '\' FROM a' FROM `b`", "SELECT b"),
            ("SELECT q'[it's]' FROM b", "SELECT b"),
            ("WITH x AS (DELETE FROM a RETURNING 'it''s') SELECT $$it's$$ FROM x", "DELETE a SELECT x"),
            // What cannot be read has no literal in it.
            ("SELECT 'a FROM b", "SELECT b"),
        ] {
            assert_eq!(summary(sql), expected, "{sql}");
        }
        let long = format!(r#"SELECT 1 FROM "{}""#, "x".repeat(300));
        assert_eq!(summary(&long), "SELECT");
        let tables = (0..80).map(|n| format!("JOIN t{n} ON 1 = 1 ")).collect::<String>();
        let long = summary(&format!("WITH x AS (SELECT 1 FROM a {tables}) INSERT INTO b SELECT 1 FROM x"));
        assert!(long.starts_with("SELECT a t0 t1 ") && long.ends_with(" INSERT") && long.len() <= 255, "{long}");
    }
}
