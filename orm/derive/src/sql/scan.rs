//! The text of a template: where its holes are, and whether all that it opens is closed.
//!
//! What is a literal and what a comment is the engine's business. A text is wrong here only if it is wrong in the reading
//! of every engine; the reading that fits says where the holes are. The compiler reads it again in the dialect's own.

/// A part of the text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    /// As it stands.
    Text(&'t str),
    /// What stands between braces, and the byte at which they open.
    Hole(usize, &'t str),
}

/// What an engine takes for a literal or a comment.
#[derive(Clone, Copy)]
struct Reading {
    backslash: bool,
    backticks: bool,
    dollars: bool,
    hashes: bool,
    nested: bool,
}

const STANDARD: Reading = Reading { backslash: false, backticks: false, dollars: false, hashes: false, nested: true };

const READINGS: [Reading; 4] = [
    STANDARD,
    Reading { backticks: true, nested: false, ..STANDARD },
    Reading { dollars: true, ..STANDARD },
    Reading { backslash: true, backticks: true, hashes: true, nested: false, ..STANDARD },
];

/// The pieces of a text.
pub(super) fn scan(text: &str) -> Result<Vec<Piece<'_>>, (usize, &'static str)> {
    let mut first = None;
    for reading in READINGS {
        match read(text, reading) {
            Ok(pieces) => return Ok(pieces),
            Err(error) => first = first.or(Some(error)),
        }
    }
    Err(first.unwrap_or((0, "the text cannot be read")))
}

fn read(text: &str, reading: Reading) -> Result<Vec<Piece<'_>>, (usize, &'static str)> {
    let mut pieces = Vec::new();
    let (mut at, mut start) = (0, 0);
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or("");
        let inner = rest.get(c.len_utf8()..).unwrap_or("");
        let opened = |why: &'static str| (at, why);
        let length = match c {
            '[' | ']' | '{' | '}' if inner.starts_with(c) => 2,
            ']' => return Err(opened("a `]` closes nothing; one that stands for itself is written `]]`")),
            '}' => return Err(opened("a `}` closes nothing; one that stands for itself is written `}}`")),
            '[' => {
                let end = end_of(inner, ']', false).ok_or_else(|| {
                    opened("a bracket is left open; a bracket that stands for itself is written `[[`")
                })?;
                if end == 1 {
                    return Err(opened("brackets hold no name; an empty subscript is written `[[]]`"));
                }
                1 + end
            }
            '{' => {
                let end = hole_end(inner)
                    .ok_or_else(|| opened("a hole is left open; a brace that stands for itself is written `{{`"))?;
                pieces.push(Piece::Text(text.get(start..at).unwrap_or("")));
                pieces.push(Piece::Hole(at, inner.get(..end).unwrap_or("").trim()));
                start = at + end + 2;
                end + 2
            }
            '\'' => 1 + end_of(inner, c, reading.backslash).ok_or_else(|| opened("a literal is left open"))?,
            '"' => 1 + end_of(inner, c, reading.backslash).ok_or_else(|| opened("a quoted name is left open"))?,
            '`' if reading.backticks => {
                1 + end_of(inner, c, false).ok_or_else(|| opened("a quoted name is left open"))?
            }
            '-' if inner.starts_with('-') => rest.find('\n').unwrap_or(rest.len()),
            '#' if reading.hashes => rest.find('\n').unwrap_or(rest.len()),
            '/' if inner.starts_with('*') => {
                comment_end(rest, reading.nested).ok_or_else(|| opened("a comment is left open"))?
            }
            '$' if reading.dollars => dollar_end(rest, opened("a literal is left open"))?,
            _ => c.len_utf8(),
        };
        at += length;
    }
    pieces.push(Piece::Text(text.get(start..).unwrap_or("")));
    Ok(pieces)
}

/// Behind the closing mark, which stands for itself where it is doubled.
fn end_of(inner: &str, mark: char, backslash: bool) -> Option<usize> {
    let mut chars = inner.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == '\\' && backslash {
            chars.next();
        } else if c == mark && chars.next_if(|(_, next)| *next == mark).is_none() {
            return Some(at + c.len_utf8());
        }
    }
    None
}

/// The brace that closes a hole: Rust's own braces and texts are passed.
fn hole_end(inner: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut chars = inner.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => return Some(at),
            '}' => depth -= 1,
            '"' => {
                while let Some((_, c)) = chars.next() {
                    match c {
                        '\\' => {
                            chars.next();
                        }
                        '"' => break,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    None
}

fn comment_end(rest: &str, nested: bool) -> Option<usize> {
    let mut depth = 1_usize;
    let mut at = 2;
    while let Some(here) = rest.get(at..).filter(|here| !here.is_empty()) {
        if here.starts_with("*/") {
            at += 2;
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        } else if nested && here.starts_with("/*") {
            at += 2;
            depth += 1;
        } else {
            at += here.chars().next().map_or(1, char::len_utf8);
        }
    }
    None
}

/// Behind `$tag$ .. $tag$`, or behind the dollar if it begins something else.
fn dollar_end<E>(rest: &str, open: E) -> Result<usize, E> {
    let inner = rest.get(1..).unwrap_or("");
    let Some(tag) = inner.find('$').and_then(|end| inner.get(..end)) else { return Ok(1) };
    if !tag.chars().all(|c| c.is_alphanumeric() || c == '_') || tag.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(1);
    }
    let mark = tag.len() + 2;
    let (Some(quote), Some(body)) = (rest.get(..mark), rest.get(mark..)) else { return Ok(1) };
    body.find(quote).map(|at| mark + at + mark).ok_or(open)
}

#[cfg(test)]
mod tests {
    use super::{Piece, scan};

    #[test]
    fn holes_are_found_outside_of_literals_and_comments() {
        let pieces = scan("a {x} '{y}' -- {z}\n[b]]c] {if t { 1 } else { 2 }} {{q}}").unwrap_or_default();
        let holes = pieces.iter().filter_map(|piece| match piece {
            Piece::Hole(at, hole) => Some((*at, *hole)),
            Piece::Text(_) => None,
        });
        assert_eq!(holes.collect::<Vec<_>>(), [(2, "x"), (26, "if t { 1 } else { 2 }")]);
    }

    #[test]
    fn what_is_left_open_is_an_error_at_its_beginning() {
        for (text, at) in [("a [b", 2), ("a 'b", 2), ("a {b", 2), ("a /* b", 2), ("a \"b", 2), ("a ]", 2), ("a }", 2)] {
            assert_eq!(scan(text).map_err(|(at, _)| at).err(), Some(at), "{text}");
        }
        assert!(scan(r"a 'it\'s'").is_ok(), "in MySQL's reading");
        assert!(scan("a $x$ it's $x$").is_ok(), "in PostgreSQL's reading");
    }
}
