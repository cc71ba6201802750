//! What a statement leaves in its session, as far as its words tell.

/// What else reads and writes rows, and tells of them.
const ROWS: [&str; 7] = ["REPLACE", "VALUES", "DO", "TABLE", "SHOW", "EXPLAIN", "DESCRIBE"];

/// Whether a statement may leave something in its session, where strangers would find it: any one but those that read and
/// write rows, and among these what sets a variable or takes a lock by name. What a function does inside is not seen.
pub(super) fn leaves(sql: &str) -> bool {
    // A comment that the server runs may be a statement of its own.
    if isogloss_driver::leaves(sql, &ROWS) {
        return true;
    }
    let upper = sql.to_ascii_uppercase();
    ["GET_LOCK", "/*!", "/*M!"].iter().any(|part| upper.contains(part)) || sql.contains('@') && names_variable(sql)
}

/// Whether the name of a variable of the session's own is in a text: `@x`. Those of the server, `@@x`, are only read here.
fn names_variable(sql: &str) -> bool {
    let mut rest = sql;
    while let Some(c) = rest.chars().next() {
        let skipped = match c {
            '\'' | '"' | '`' => quoted(rest, c),
            '#' => line(rest),
            '-' if rest.starts_with("-- ") || rest.starts_with("--\n") || rest.starts_with("--\t") => line(rest),
            '/' if rest.starts_with("/*") => {
                rest.get(2..).and_then(|rest| rest.find("*/")).map_or(rest.len(), |end| end + 4)
            }
            '@' if rest.starts_with("@@") => 2,
            '@' => return true,
            c => c.len_utf8(),
        };
        rest = rest.get(skipped..).unwrap_or_default();
    }
    false
}

fn line(rest: &str) -> usize {
    rest.find('\n').unwrap_or(rest.len())
}

/// How long what is in quotes is, with them. One that is doubled begins another one behind it.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' if quote != '`' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}
