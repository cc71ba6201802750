//! What a statement does to which tables, for traces and metrics: a text with few values.

/// The longest summary, in bytes, as OpenTelemetry's conventions for `db.query.summary` have it.
const LONGEST: usize = 255;

/// The operations and tables of a text that this crate wrote, in their order: `SELECT Orders Customers`. Names in it
/// are quoted, so that a word outside of quotes is SQL's.
pub(crate) fn summary(sql: &str) -> String {
    let mut out = String::new();
    let mut wrote = false;
    let mut table_is_next = false;
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '"' | '`' | '[' | '\'' => quoted_end(rest, if first == '[' { ']' } else { first }),
            c if c.is_ascii_alphabetic() => {
                rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())
            }
            c => c.len_utf8(),
        };
        let (token, after) = rest.split_at(end);
        rest = after;
        match first {
            ' ' | '\n' => continue,
            '"' | '`' | '[' if table_is_next => {
                let name = token.get(1..token.len().saturating_sub(1)).unwrap_or_default();
                let schema = rest.starts_with('.');
                if !push(&mut out, name) {
                    break;
                }
                if schema {
                    out.push('.');
                    rest = rest.get(1..).unwrap_or_default();
                }
                table_is_next = schema;
                continue;
            }
            _ => {}
        }
        // What follows `FROM` may be a query.
        table_is_next = matches!(token, "FROM" | "JOIN" | "INTO" | "ONLY") || (table_is_next && token == "(");
        let operation = match token {
            "SELECT" => true,
            "INSERT" | "UPDATE" | "DELETE" | "MERGE" => !std::mem::replace(&mut wrote, true),
            _ => false,
        };
        if operation {
            let again = out.ends_with(token);
            if !again && !push(&mut out, token) {
                break;
            }
            table_is_next = token == "UPDATE";
        }
    }
    out
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
            ("BEGIN", ""),
        ] {
            assert_eq!(summary(sql), expected, "{sql}");
        }
        let long = format!(r#"SELECT 1 FROM "{}""#, "x".repeat(300));
        assert_eq!(summary(&long), "SELECT");
    }
}
