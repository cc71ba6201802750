//! SQL over several lines, for people.

/// Breaks a statement before its main clauses, indented by the depth of its parentheses.
///
/// Literals and quoted identifiers are left as they are.
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
    let mut rest = sql;
    while let Some(c) = rest.chars().next() {
        let close = match c {
            '\'' | '"' | '`' => Some(c),
            '[' => Some(']'),
            _ => None,
        };
        if let Some(close) = close {
            let body = rest.get(1..).unwrap_or("");
            let end = body.find(close).map_or(rest.len(), |at| at + 1 + close.len_utf8());
            let (quoted, after) = rest.split_at(end.min(rest.len()));
            out.push_str(quoted);
            rest = after;
            continue;
        }
        match c {
            '(' => {
                let query = rest.get(1..).is_some_and(|r| r.starts_with("SELECT ") || r.starts_with("WITH "));
                queries.push(query);
                depth += usize::from(query);
                out.push('(');
                rest = rest.get(1..).unwrap_or("");
                if query {
                    line(&mut out, depth);
                    // The clause word itself follows on this line.
                    let word = rest.find(' ').map_or(rest.len(), |at| at + 1);
                    let (word, after) = rest.split_at(word);
                    out.push_str(word);
                    rest = after;
                }
                continue;
            }
            ')' if queries.pop().unwrap_or(false) => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
            }
            ' ' if queries.last().copied().unwrap_or(true) => {
                let next = rest.get(1..).unwrap_or("");
                if CLAUSES.iter().any(|clause| next.starts_with(clause)) {
                    line(&mut out, depth);
                    let word = next.find(' ').map_or(next.len(), |at| at);
                    let (word, after) = next.split_at(word);
                    out.push_str(word);
                    // `LEFT JOIN` is one word, and so is `FETCH NEXT`.
                    if let Some(after) = after.strip_prefix(" JOIN ") {
                        out.push_str(" JOIN ");
                        rest = after;
                    } else {
                        rest = after;
                    }
                    continue;
                }
            }
            _ => {}
        }
        out.push(c);
        rest = rest.get(c.len_utf8()..).unwrap_or("");
    }
    out
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
}
