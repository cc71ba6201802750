//! The text of a template, read as the compiler reads it. What stands in its holes is Rust.

use isogloss_lexis::{Lexis, Notation, Scanner, TextProblem, Token};

/// A part of the text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    /// As it stands.
    Text(&'t str),
    /// What stands between braces, and the byte at which they open.
    Hole(usize, &'t str),
}

/// The pieces of a text, in the first reading of an engine that comes to its end. The compiler reads it again in the dialect's own.
pub(super) fn pieces(text: &str) -> Result<Vec<Piece<'_>>, (usize, TextProblem)> {
    Lexis::any(|lexis| {
        let mut pieces = Vec::new();
        let mut start = 0;
        for token in Scanner::new(text, lexis, Notation { brackets: true, hole: Some(rust) }) {
            if let (at, Token::Hole(hole)) = token? {
                pieces.push(Piece::Text(text.get(start..at).unwrap_or("")));
                pieces.push(Piece::Hole(at, hole.trim()));
                start = at + hole.len() + 2;
            }
        }
        pieces.push(Piece::Text(text.get(start..).unwrap_or("")));
        Ok(pieces)
    })
}

/// How many bytes of Rust stand before the brace that closes a hole. In a text, a character or a comment of Rust it closes nothing.
fn rust(inner: &str) -> Result<usize, TextProblem> {
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(c) = inner.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = inner.get(at..).unwrap_or("");
        let length = match c {
            '}' if depth == 0 => return Ok(at),
            '}' => {
                depth -= 1;
                1
            }
            '{' => {
                depth += 1;
                1
            }
            '"' => string(rest, '"').ok_or(TextProblem::OpenHole)?,
            '\'' => character(rest),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => comment(rest).ok_or(TextProblem::OpenHole)?,
            c if is_word(c) => {
                let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                let raw = matches!(rest.get(..word), Some("r" | "br" | "cr"));
                let behind = rest.get(word..).filter(|_| raw).map(raw_string);
                word + behind.unwrap_or(Ok(0))?
            }
            c => c.len_utf8(),
        };
        at += length;
    }
    Err(TextProblem::OpenHole)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// How long a text is, with its quotes.
fn string(rest: &str, quote: char) -> Option<usize> {
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c == quote {
            return Some(at + 1);
        }
    }
    None
}

/// How long a character is, with its quotes; of a lifetime or a label, the quote.
fn character(rest: &str) -> usize {
    let mut chars = rest.chars().skip(1);
    match (chars.next(), chars.next()) {
        (Some('\\'), _) => string(rest, '\'').unwrap_or(1),
        (Some(c), Some('\'')) => c.len_utf8() + 2,
        _ => 1,
    }
}

/// How long a comment is. Another one in it has an end of its own.
fn comment(rest: &str) -> Option<usize> {
    let (mut at, mut depth) = (2, 1_usize);
    while depth > 0 {
        at += rest.get(at..)?.find(['*', '/'])?;
        let here = rest.get(at..).unwrap_or("");
        if here.starts_with("*/") {
            (at, depth) = (at + 2, depth - 1);
        } else if here.starts_with("/*") {
            (at, depth) = (at + 2, depth + 1);
        } else {
            at += 1;
        }
    }
    Some(at)
}

/// How long `#".."#` is behind its `r`; nothing, if no text begins there.
fn raw_string(rest: &str) -> Result<usize, TextProblem> {
    let hashes = rest.find(|c| c != '#').unwrap_or(rest.len());
    let Some(inner) = rest.get(hashes..).and_then(|rest| rest.strip_prefix('"')) else { return Ok(0) };
    let end = format!("\"{}", "#".repeat(hashes));
    let length = inner.find(&end).ok_or(TextProblem::OpenHole)?;
    Ok(hashes + 1 + length + end.len())
}

#[cfg(test)]
mod tests {
    use super::{Piece, pieces};

    fn holes(text: &str) -> Result<Vec<(usize, &str)>, String> {
        let holes = |piece| if let Piece::Hole(at, hole) = piece { Some((at, hole)) } else { None };
        pieces(text)
            .map(|pieces| pieces.into_iter().filter_map(holes).collect())
            .map_err(|(at, problem)| format!("{at}: {problem}"))
    }

    #[test]
    fn holes_are_found_outside_of_literals_and_comments() {
        let text = "a {x} '{y}' -- {z}\n[b]]c] {if t { 1 } else { 2 }} {{q}}";
        assert_eq!(holes(text), Ok(vec![(2, "x"), (26, "if t { 1 } else { 2 }")]));
        // As the engine reads them that has them.
        assert_eq!(holes("q'[it's {y}]' {x}"), Ok(vec![(14, "x")]), "Oracle");
        assert_eq!(holes("nQ'}it's {y}}' {x}"), Ok(vec![(15, "x")]), "Oracle");
        assert_eq!(holes(r"'it\'s {y}' {x}"), Ok(vec![(12, "x")]), "MySQL");
        assert_eq!(holes("$t$ it's {y} $t$ {x}"), Ok(vec![(17, "x")]), "PostgreSQL");
        assert_eq!(holes(r"e'it\'s {y}' `a {x}"), Ok(vec![(16, "x")]), "PostgreSQL");
        assert_eq!(holes("/* it's /* {y} */ ' */ {x}"), Ok(vec![(23, "x")]), "PostgreSQL, SQL Server");
    }

    #[test]
    fn what_closes_nothing_in_rust_closes_no_hole() {
        for hole in [
            r#"f("}")"#,
            r#"f("\"}")"#,
            r##"r#"}"}"#"##,
            r#"br"}\""#,
            "f('}')",
            r"f('\'', '}')",
            r"f('\u{7d}', '}')",
            "'a: { break 'a x }",
            "x /* } /* } */ } */",
            "x // }\n + 1",
            "r#type + r",
        ] {
            assert_eq!(holes(&format!("{{ {hole} }} {{y}}")).as_deref(), Ok(&[(0, hole), (hole.len() + 5, "y")][..]));
        }
    }

    #[test]
    fn what_is_left_open_is_an_error_at_its_beginning() {
        for text in [
            "a [b",
            "a 'b",
            "a {b",
            "a /* b",
            "a \"b",
            "a ]",
            "a }",
            "a [b c [d] e",
            "a [b [c]",
            "a {\"b}",
            "a {r#\"b}\"",
            "a {b /* } c",
            "a q'[b] c",
        ] {
            let at = if text.contains("q'") { "3: " } else { "2: " };
            assert!(holes(text).is_err_and(|error| error.starts_with(at)), "{text}: {:?}", holes(text));
        }
        assert_eq!(holes("a [b]]c[[d] {x}"), Ok(vec![(12, "x")]), "both brackets are doubled in a name");
        let farther = holes("q'[it's]' [Id = {x}");
        assert!(farther.as_ref().is_err_and(|error| error.starts_with("10: a bracket")), "{farther:?}");
    }
}
