//! The texts made comparable: a token stream in which only the structure of the statement is left.

/// Cuts SQL into tokens, upper-cases words, and drops what contestants may spell as they like: white space,
/// parentheses (a test of its own looks at those of W6), `AS`, `ASC`, `OUTER`, the numbers of
/// placeholders; `!=` becomes `<>`.
pub fn normalised(sql: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut chars = sql.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\n' | '\t' | '(' | ')' => {}
            '"' => {
                let mut name = String::from('"');
                for c in chars.by_ref() {
                    name.push(c);
                    if c == '"' {
                        break;
                    }
                }
                out.push(name);
            }
            '$' => {
                while chars.next_if(char::is_ascii_digit).is_some() {}
                out.push("$".to_owned());
            }
            '<' | '>' | '!' | '=' => {
                let mut op = String::from(c);
                while let Some(c) = chars.next_if(|c| matches!(c, '=' | '>')) {
                    op.push(c);
                }
                out.push(if op == "!=" { "<>".to_owned() } else { op });
            }
            c if c.is_alphanumeric() || c == '_' => {
                let mut word: String = c.to_uppercase().collect();
                while let Some(c) = chars.next_if(|c| c.is_alphanumeric() || *c == '_') {
                    word.extend(c.to_uppercase());
                }
                if !matches!(word.as_str(), "AS" | "ASC" | "OUTER") {
                    out.push(word);
                }
            }
            c => out.push(c.to_string()),
        }
    }
    out
}

/// How many placeholders a text has.
pub fn placeholders(sql: &str) -> usize {
    normalised(sql).iter().filter(|t| *t == "$").count()
}
