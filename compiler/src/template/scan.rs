//! The scanner of templates: what of a text is code, what is a literal or a comment, where names and holes are.

use std::fmt;

use super::Lexis;
use crate::error::ErrorKind;
use crate::expr::Name;

/// A part of a template's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    /// Code, without brackets and braces; an escaped one is a token of its own.
    Code(&'t str),
    /// A literal or a quoted name, with its quotes.
    Quoted(&'t str),
    /// A comment.
    Comment(&'t str),
    /// A comment that the end of the text ends.
    OpenComment(&'t str),
    /// What stands between brackets; a `]` in it is doubled.
    Name(&'t str),
    /// What stands between braces.
    Hole(&'t str),
}

/// What is wrong with the text of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each variant's message is its documentation")]
pub enum TextProblem {
    #[error("a literal is left open")]
    OpenLiteral,
    #[error("a quoted name is left open")]
    OpenQuotedName,
    #[error("a comment is left open")]
    OpenComment,
    #[error("a bracket is left open; a bracket that stands for itself is written `[[`")]
    OpenBracket,
    #[error("a hole is left open; a brace that stands for itself is written `{{{{`")]
    OpenHole,
    #[error("a `]` closes nothing; one that stands for itself is written `]]`")]
    LoneBracket,
    #[error("a `}}` closes nothing; one that stands for itself is written `}}}}`")]
    LoneBrace,
    #[error("brackets hold no name; an empty subscript is written `[[]]`")]
    EmptyBrackets,
    #[error("a name in brackets holds a NUL character")]
    NulInName,
    #[error("braces hold a name, a number or nothing; a brace that stands for itself is written `{{{{`")]
    BadHole,
    #[error("a carriage return ends the line of a comment on some engines only: end it with a line feed")]
    CarriageReturn,
    #[error("the engine takes this for a parameter: use a hole")]
    Parameter,
    #[error("a hole stands behind a line comment that is not ended: end it with a line feed")]
    HoleInComment,
}

/// A place in the text of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextPlace {
    /// The byte, from 0.
    pub offset: usize,
    /// The line, from 1.
    pub line: usize,
    /// The character in its line, from 1.
    pub column: usize,
}

impl TextPlace {
    pub(crate) fn new(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.rsplit('\n').next().unwrap_or(before);
        Self {
            offset,
            line: before.bytes().filter(|b| *b == b'\n').count().saturating_add(1),
            column: line.chars().count().saturating_add(1),
        }
    }
}

impl fmt::Display for TextPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {} (byte {})", self.line, self.column, self.offset)
    }
}

/// The error for a problem at a byte of a text.
pub(crate) fn problem(text: &str, offset: usize, problem: TextProblem) -> crate::Error {
    ErrorKind::TemplateText { problem, place: TextPlace::new(text, offset) }.into()
}

/// Goes through a text. A token that is left open is an error at its beginning, after which the scanner is at the end.
#[derive(Debug)]
pub(crate) struct Scanner<'t> {
    text: &'t str,
    at: usize,
    lexis: Lexis,
}

impl<'t> Scanner<'t> {
    pub(crate) fn new(text: &'t str, lexis: Lexis) -> Self {
        Self { text, at: 0, lexis }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// The next token and the byte at which it begins.
    pub(crate) fn next(&mut self) -> crate::Result<Option<(usize, Token<'t>)>> {
        let start = self.at;
        loop {
            let rest = self.rest();
            let Some(c) = rest.chars().next() else { break };
            let found = if is_word(c) && c != '$' {
                let (word, after) = rest.split_at(word_length(rest));
                match self.prefixed(word, after) {
                    None => {
                        self.at += word.len();
                        continue;
                    }
                    found => found,
                }
            } else {
                self.special(c, rest)
            };
            match found {
                None => self.at += c.len_utf8(),
                // The code before it first.
                Some(_) if self.at > start => break,
                Some(Ok((length, token))) => {
                    self.at += length;
                    return Ok(Some((start, token)));
                }
                Some(Err(wrong)) => {
                    self.at = self.text.len();
                    return Err(problem(self.text, start, wrong));
                }
            }
        }
        Ok(self.text.get(start..self.at).filter(|code| !code.is_empty()).map(|code| (start, Token::Code(code))))
    }

    /// What begins with that character, unless it is code: its length and the token.
    fn special(&self, c: char, rest: &'t str) -> Option<Result<(usize, Token<'t>), TextProblem>> {
        let inner = rest.get(c.len_utf8()..).unwrap_or("");
        Some(match c {
            '[' | ']' | '{' | '}' if inner.starts_with(c) => Ok((2, Token::Code(inner.get(..1).unwrap_or("")))),
            ']' => Err(TextProblem::LoneBracket),
            '}' => Err(TextProblem::LoneBrace),
            '[' => name(inner).map(|name| (name.len() + 2, Token::Name(name))),
            '{' => hole(inner),
            '\'' => quoted(rest, 1, c, self.lexis.backslash, TextProblem::OpenLiteral),
            '"' => quoted(rest, 1, c, self.lexis.backslash, TextProblem::OpenQuotedName),
            '`' if self.lexis.backticks => quoted(rest, 1, c, false, TextProblem::OpenQuotedName),
            '-' if inner.starts_with('-') => {
                let next = inner.chars().nth(1);
                let begins = next.is_none_or(|n| n.is_whitespace() || n.is_control());
                if self.lexis.blank_after_dashes && !begins {
                    return None;
                }
                line_comment(rest)
            }
            '#' if self.lexis.hash_comments => line_comment(rest),
            '/' if inner.starts_with('*') => block_comment(rest, self.lexis.nested_comments),
            '$' if self.lexis.dollar_quotes => return dollar_quoted(rest),
            _ => return None,
        })
    }

    /// A literal that a word before its quote makes another one.
    fn prefixed(&self, word: &str, after: &'t str) -> Option<Result<(usize, Token<'t>), TextProblem>> {
        let inner = after.strip_prefix('\'')?;
        let rest = self.rest();
        if self.lexis.escape_strings && word.eq_ignore_ascii_case("e") {
            return Some(escape_string(rest, word.len() + 1));
        }
        if self.lexis.q_quotes && (word.eq_ignore_ascii_case("q") || word.eq_ignore_ascii_case("nq")) {
            let open = inner.chars().next().filter(|c| !c.is_whitespace())?;
            let close = match open {
                '[' => ']',
                '{' => '}',
                '(' => ')',
                '<' => '>',
                other => other,
            };
            let body = inner.get(open.len_utf8()..).unwrap_or("");
            let before = word.len() + 1 + open.len_utf8();
            let ends = body.match_indices(close).map(|(at, _)| at + close.len_utf8());
            let end = ends.into_iter().find(|at| body.get(*at..).is_some_and(|r| r.starts_with('\'')));
            return Some(match end {
                Some(end) => Ok(cut(rest, before + end + 1, Token::Quoted)),
                None => Err(TextProblem::OpenLiteral),
            });
        }
        None
    }
}

/// Whether a character may stand in a word. Whatever is not ASCII may, as PostgreSQL has it.
pub(crate) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$') || !c.is_ascii()
}

fn word_length(rest: &str) -> usize {
    rest.find(|c| !is_word(c)).unwrap_or(rest.len())
}

fn cut<'t>(rest: &'t str, length: usize, token: fn(&'t str) -> Token<'t>) -> (usize, Token<'t>) {
    let text = rest.get(..length).unwrap_or(rest);
    (text.len(), token(text))
}

/// The name behind an open bracket, up to the bracket that closes it.
fn name(inner: &str) -> Result<&str, TextProblem> {
    let mut chars = inner.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == '\0' {
            return Err(TextProblem::NulInName);
        }
        if c == ']' && chars.next_if(|(_, next)| *next == ']').is_none() {
            return inner.get(..at).filter(|name| !name.is_empty()).ok_or(TextProblem::EmptyBrackets);
        }
    }
    Err(TextProblem::OpenBracket)
}

fn hole(inner: &str) -> Result<(usize, Token<'_>), TextProblem> {
    let (name, _) = inner.split_once('}').ok_or(TextProblem::OpenHole)?;
    let trimmed = name.trim();
    if trimmed.bytes().all(|b| b.is_ascii_digit()) || Name::is_plain(trimmed) {
        Ok((name.len() + 2, Token::Hole(trimmed)))
    } else {
        Err(TextProblem::BadHole)
    }
}

/// Where a quoted text ends whose opening quote stands before `from`: behind its closing quote.
fn quote_end(rest: &str, from: usize, quote: char, backslash: bool) -> Option<usize> {
    let mut chars = rest.get(from..)?.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == '\\' && backslash {
            chars.next();
        } else if c == quote && chars.next_if(|(_, next)| *next == quote).is_none() {
            return Some(from + at + c.len_utf8());
        }
    }
    None
}

fn quoted(
    rest: &str,
    from: usize,
    quote: char,
    backslash: bool,
    open: TextProblem,
) -> Result<(usize, Token<'_>), TextProblem> {
    quote_end(rest, from, quote, backslash).map(|end| cut(rest, end, Token::Quoted)).ok_or(open)
}

/// `E'..'`. A literal on a later line continues it, and is read in the same way.
fn escape_string(rest: &str, from: usize) -> Result<(usize, Token<'_>), TextProblem> {
    let mut end = quote_end(rest, from, '\'', true).ok_or(TextProblem::OpenLiteral)?;
    loop {
        let mut next = rest.get(end..).unwrap_or("");
        let mut newline = false;
        loop {
            let trimmed = next.trim_ascii_start();
            newline |= next.get(..next.len() - trimmed.len()).is_some_and(|blank| blank.contains(['\n', '\r']));
            next = trimmed;
            match next.strip_prefix("--") {
                Some(comment) => next = comment.get(comment.find('\n').unwrap_or(comment.len())..).unwrap_or(""),
                None => break,
            }
        }
        if !newline || !next.starts_with('\'') {
            return Ok(cut(rest, end, Token::Quoted));
        }
        let from = rest.len() - next.len() + 1;
        end = quote_end(rest, from, '\'', true).ok_or(TextProblem::OpenLiteral)?;
    }
}

/// `$tag$ .. $tag$`, unless the dollar begins something else.
fn dollar_quoted(rest: &str) -> Option<Result<(usize, Token<'_>), TextProblem>> {
    let inner = rest.get(1..)?;
    let tag = inner.get(..inner.find('$')?)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii();
    if !tag.chars().all(plain) || tag.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mark = rest.get(..tag.len() + 2)?;
    let body = rest.get(mark.len()..)?;
    Some(match body.find(mark) {
        Some(at) => Ok(cut(rest, mark.len() + at + mark.len(), Token::Quoted)),
        None => Err(TextProblem::OpenLiteral),
    })
}

fn line_comment(rest: &str) -> Result<(usize, Token<'_>), TextProblem> {
    let end = rest.find('\n');
    let comment = rest.get(..end.unwrap_or(rest.len())).unwrap_or(rest);
    if comment.strip_suffix('\r').unwrap_or(comment).contains('\r') {
        return Err(TextProblem::CarriageReturn);
    }
    Ok(cut(rest, comment.len(), if end.is_some() { Token::Comment } else { Token::OpenComment }))
}

fn block_comment(rest: &str, nested: bool) -> Result<(usize, Token<'_>), TextProblem> {
    let mut depth = 1_usize;
    let mut at = 2;
    while let Some(next) = rest.get(at..).and_then(|r| r.find(['*', '/'])) {
        at += next;
        let here = rest.get(at..).unwrap_or("");
        if here.starts_with("*/") {
            at += 2;
            depth -= 1;
            if depth == 0 {
                return Ok(cut(rest, at, Token::Comment));
            }
        } else if nested && here.starts_with("/*") {
            at += 2;
            depth += 1;
        } else {
            at += 1;
        }
    }
    Err(TextProblem::OpenComment)
}
