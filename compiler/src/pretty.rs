//! SQL over several lines, for people.

use isogloss_lexis::Token;

use crate::tokens::tokens;

/// Breaks a statement before its main clauses, indented by the depth of its parentheses.
///
/// Literals, quoted names and comments are left as they are.
pub(crate) fn pretty(sql: &str) -> String {
    const CLAUSES: [&str; 21] = [
        "SELECT ",
        "FROM ",
        "WHERE ",
        "GROUP BY ",
        "HAVING ",
        "ORDER BY ",
        "LIMIT ",
        "OFFSET ",
        "FETCH ",
        "LEFT JOIN ",
        "RIGHT JOIN ",
        "FULL JOIN ",
        "CROSS JOIN ",
        "JOIN ",
        "UNION ",
        "INTERSECT ",
        "EXCEPT ",
        "SET ",
        "VALUES ",
        "ON CONFLICT ",
        "RETURNING ",
    ];
    let mut out = String::with_capacity(sql.len() + 64);
    let mut depth = 0_usize;
    // For each open parenthesis, whether a query stands in it.
    let mut queries: Vec<bool> = Vec::new();
    for token in tokens(sql) {
        let mut rest = match token {
            Token::Code(code) => code,
            Token::Quoted(text)
            | Token::Comment(text)
            | Token::OpenComment(text)
            | Token::Name(text)
            | Token::Hole(text) => {
                out.push_str(text);
                continue;
            }
        };
        while let Some(c) = rest.chars().next() {
            let next = rest.get(c.len_utf8()..).unwrap_or("");
            let query = next.starts_with("SELECT ") || next.starts_with("WITH ");
            let clause = c == ' ' && queries.last().copied().unwrap_or(true);
            rest = match c {
                '(' => {
                    queries.push(query);
                    out.push('(');
                    if query {
                        depth += 1;
                        line(&mut out, depth);
                        // The clause word itself follows on this line.
                        word(&mut out, next)
                    } else {
                        next
                    }
                }
                _ if clause && CLAUSES.iter().any(|clause| next.starts_with(clause)) => {
                    line(&mut out, depth);
                    let after = word(&mut out, next);
                    // `LEFT JOIN` is one word.
                    if after.starts_with(" JOIN ") { word(&mut out, after) } else { after }
                }
                _ => {
                    if c == ')' && queries.pop().unwrap_or(false) {
                        depth = depth.saturating_sub(1);
                        line(&mut out, depth);
                    }
                    out.push(c);
                    next
                }
            };
        }
    }
    out
}

/// Writes what is before the next blank but one at the beginning, and gives what is behind.
fn word<'t>(out: &mut String, rest: &'t str) -> &'t str {
    let begin = rest.len() - rest.trim_start_matches(' ').len();
    let end = rest.get(begin..).and_then(|rest| rest.find(' ')).map_or(rest.len(), |at| begin + at);
    let (word, after) = rest.split_at(end);
    out.push_str(word);
    after
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    for _ in 0..depth {
        out.push_str("    ");
    }
}

#[cfg(test)]
mod tests {
    use super::pretty;

    #[test]
    fn clauses_begin_lines_and_literals_stay() {
        let sql = "SELECT \"a FROM b\" FROM \"t\" \"T0\" LEFT JOIN \"u\" ON 1 = 1 WHERE EXISTS (SELECT 1 FROM \"x\" WHERE 'it''s FROM') ORDER BY 1";
        assert_eq!(
            pretty(sql),
            "SELECT \"a FROM b\"\nFROM \"t\" \"T0\"\nLEFT JOIN \"u\" ON 1 = 1\nWHERE EXISTS (\n    SELECT 1\n    FROM \"x\"\n    WHERE 'it''s FROM'\n)\nORDER BY 1"
        );
    }

    #[test]
    fn what_is_no_code_has_no_clauses() {
        for sql in [
            r"SELECT 'it\'s FROM a' AS `x FROM y`",
            "SELECT q'[it's FROM a]'",
            "SELECT E'it\\'s FROM a'",
            "SELECT $$it's FROM (SELECT 1$$",
            "SELECT 1 /* it's FROM a */",
            "SELECT [it's FROM a]",
            "SELECT 'it''s (SELECT 1'",
        ] {
            assert_eq!(pretty(sql), sql);
        }
    }
}
