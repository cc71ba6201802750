//! The scanner of templates: what of a text is code, what is a literal or a comment, where names and holes are.

use std::borrow::Cow;

use crate::{Lexis, TextProblem};

/// A part of a template's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token<'t> {
    /// Code, without brackets and braces; an escaped one is a token of its own.
    Code(&'t str),
    /// A literal or a quoted name, with its quotes.
    Quoted(&'t str),
    /// A comment.
    Comment(&'t str),
    /// A comment that the end of the text ends.
    OpenComment(&'t str),
    /// What stands between brackets: see [`unbracketed`].
    Name(&'t str),
    /// What stands between braces.
    Hole(&'t str),
}

/// How many bytes of what stands behind an opening brace are before the one that closes it.
pub type HoleEnd = fn(&str) -> Result<usize, TextProblem>;

/// What of a text is for the reader of the template, and not for the engine.
#[derive(Debug, Clone, Copy)]
pub struct Notation {
    /// Brackets hold a name, and are doubled where they stand for themselves. Else they are the engine's.
    pub brackets: bool,
    /// Where a hole ends, which stands between braces. Nothing: braces are the engine's.
    pub hole: Option<HoleEnd>,
}

impl Notation {
    /// All of the text is for the engine.
    pub const NONE: Self = Self { brackets: false, hole: None };
}

/// The name that stands between brackets, in which both brackets are doubled.
///
/// ```
/// assert_eq!(isogloss_lexis::unbracketed("a]][[b"), "a][b");
/// ```
#[must_use]
pub fn unbracketed(name: &str) -> Cow<'_, str> {
    if name.contains(['[', ']']) { name.replace("[[", "[").replace("]]", "]").into() } else { name.into() }
}

/// Goes through a text: the tokens, and the byte at which each begins. What is wrong is an error at the byte at which that
/// begins, and ends the tokens.
#[derive(Debug, Clone)]
pub struct Scanner<'t> {
    text: &'t str,
    at: usize,
    lexis: Lexis,
    notation: Notation,
}

type Found<'t> = Result<(usize, Token<'t>), TextProblem>;

impl<'t> Scanner<'t> {
    /// A scanner at the beginning of a text.
    #[must_use]
    pub fn new(text: &'t str, lexis: Lexis, notation: Notation) -> Self {
        Self { text, at: 0, lexis, notation }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// What begins with that character, unless it is code: its length and the token.
    fn special(&self, c: char, rest: &'t str) -> Option<Found<'t>> {
        let inner = rest.get(c.len_utf8()..).unwrap_or("");
        Some(match c {
            '\0' => Err(TextProblem::Nul),
            '[' if !self.notation.brackets => {
                if !self.lexis.bracket_names {
                    return None;
                }
                quoted(rest, 1, ']', false, TextProblem::OpenQuotedName)
            }
            ']' if !self.notation.brackets => return None,
            '{' | '}' if self.notation.hole.is_none() => return None,
            '[' if self.lexis.bracket_names && inner.starts_with('[') => doubled_name(inner),
            '[' | ']' | '{' | '}' if inner.starts_with(c) => Ok((2, Token::Code(inner.get(..1).unwrap_or("")))),
            ']' => Err(TextProblem::LoneBracket),
            '}' => Err(TextProblem::LoneBrace),
            '[' => name(inner).map(|name| (name.len() + 2, Token::Name(name))),
            '{' => (self.notation.hole?)(inner)
                .and_then(|end| inner.get(..end).ok_or(TextProblem::OpenHole))
                .map(|hole| (hole.len() + 2, Token::Hole(hole))),
            '\'' => quoted(rest, 1, c, self.lexis.backslash, TextProblem::OpenLiteral),
            '"' => quoted(rest, 1, c, self.lexis.backslash, TextProblem::OpenQuotedName),
            '`' if self.lexis.backticks => quoted(rest, 1, c, false, TextProblem::OpenQuotedName),
            '-' if inner.starts_with('-') => {
                let next = inner.chars().nth(1);
                // Of a byte, and not of a character.
                let begins = next.is_none_or(|n| n == ' ' || n.is_ascii_control());
                if self.lexis.blank_after_dashes && !begins {
                    // What is written there may begin with a blank.
                    let filled = next == Some('{') || next == Some('[') && self.notation.brackets;
                    return filled.then_some(Err(TextProblem::HoleBehindDashes));
                }
                line_comment(rest)
            }
            '#' if self.lexis.hash_comments => line_comment(rest),
            '/' if inner.starts_with('*') => {
                let comment = block_comment(rest, self.lexis.nested_comments);
                let executed = self.lexis.executed_comments && (inner.starts_with("*!") || inner.starts_with("*M!"));
                match comment {
                    // The engine would look for its end in another way, or find a parameter in it.
                    Ok((_, Token::Comment(text)))
                        if executed && !text.get(2..).is_some_and(|code| is_plain(code) && !code.contains('?')) =>
                    {
                        Err(TextProblem::ExecutedComment)
                    }
                    comment => comment,
                }
            }
            '$' if self.lexis.dollar_quotes => return dollar_quoted(rest),
            _ => return None,
        })
    }

    /// How long the word is that the text begins with.
    fn word(&self, rest: &str) -> usize {
        let begin = rest.chars().next().filter(|c| self.in_word(*c) && !matches!(c, '$' | '#'));
        let Some(begin) = begin else { return 0 };
        // Behind a number, a dollar begins something else.
        let ends = |c: char| !self.in_word(c) || c == '$' && begin.is_ascii_digit();
        rest.find(ends).unwrap_or(rest.len())
    }

    fn in_word(&self, c: char) -> bool {
        if self.lexis.q_quotes { c.is_alphanumeric() || matches!(c, '_' | '$' | '#') } else { is_word(c) }
    }

    /// A literal that a word before its quote makes another one.
    fn prefixed(&self, word: &str, after: &'t str) -> Option<Found<'t>> {
        let inner = after.strip_prefix('\'')?;
        let rest = self.rest();
        // Whether the number ends before its last letter depends on the version.
        if (self.lexis.escape_strings || self.lexis.q_quotes) && word.starts_with(|c: char| c.is_ascii_digit()) {
            return Some(Err(TextProblem::NumberBeforeLiteral));
        }
        if self.lexis.escape_strings && word.eq_ignore_ascii_case("e") {
            return Some(escape_string(rest, word.len() + 1));
        }
        if self.lexis.q_quotes && (word.eq_ignore_ascii_case("q") || word.eq_ignore_ascii_case("nq")) {
            return Some(q_quoted(rest, word.len() + 1, inner));
        }
        None
    }
}

impl<'t> Iterator for Scanner<'t> {
    type Item = Result<(usize, Token<'t>), (usize, TextProblem)>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.at;
        loop {
            let rest = self.rest();
            let Some(c) = rest.chars().next() else { break };
            let found = match rest.split_at(self.word(rest)) {
                ("", _) => self.special(c, rest),
                (word, after) => match self.prefixed(word, after) {
                    None => {
                        self.at += word.len();
                        continue;
                    }
                    found => found,
                },
            };
            let found = match found {
                Some(Ok((_, Token::Quoted(text) | Token::Comment(text) | Token::OpenComment(text))))
                    if text.contains('\0') =>
                {
                    Some(Err(TextProblem::Nul))
                }
                found => found,
            };
            match found {
                None => self.at += c.len_utf8(),
                // The code before it first.
                Some(_) if self.at > start => break,
                Some(Ok((length, token))) => {
                    self.at += length;
                    return Some(Ok((start, token)));
                }
                Some(Err(problem)) => {
                    self.at = self.text.len();
                    return Some(Err((start, problem)));
                }
            }
        }
        self.text.get(start..self.at).filter(|code| !code.is_empty()).map(|code| Ok((start, Token::Code(code))))
    }
}

/// Whether a character may stand in a word. Whatever is not ASCII may, as PostgreSQL has it.
#[inline]
#[must_use]
pub fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$') || !c.is_ascii()
}

fn cut<'t>(rest: &'t str, length: usize, token: fn(&'t str) -> Token<'t>) -> (usize, Token<'t>) {
    let text = rest.get(..length).unwrap_or(rest);
    (text.len(), token(text))
}

/// The name behind an open bracket, up to the bracket that closes it. A bracket that is not doubled opens another name, and this
/// one is left open.
fn name(inner: &str) -> Result<&str, TextProblem> {
    let mut chars = inner.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\0' => return Err(TextProblem::NulInName),
            '[' | ']' if chars.next_if(|(_, next)| *next == c).is_some() => {}
            '[' => break,
            ']' => return inner.get(..at).filter(|name| !name.is_empty()).ok_or(TextProblem::EmptyBrackets),
            _ => {}
        }
    }
    Err(TextProblem::OpenBracket)
}

/// The first bracket of `[[ .. ]]`, behind which the engine reads a name: of code that is code in a name as well.
fn doubled_name(inner: &str) -> Found<'_> {
    let name = inner.get(1..).and_then(|inner| inner.split_once("]]")).map(|(name, _)| name);
    let code = name.filter(|name| is_plain(name) && !name.contains(['[', ']', '{', '}', '\0']));
    let ends = code.and_then(|name| inner.get(name.len() + 3..)).is_some_and(|after| !after.starts_with(']'));
    inner.get(..1).filter(|_| ends).map(|bracket| (2, Token::Code(bracket))).ok_or(TextProblem::DoubledName)
}

/// Whether a text has no literals, no quoted names and no comments, whatever the engine.
fn is_plain(text: &str) -> bool {
    !text.contains(['\'', '"', '`', '#']) && !text.contains("--") && !text.contains("/*")
}

/// A literal of any delimiter, which stands behind `q'`.
fn q_quoted<'t>(rest: &'t str, before: usize, inner: &str) -> Found<'t> {
    let open = inner.chars().next().ok_or(TextProblem::OpenLiteral)?;
    let close = match open {
        ' ' | '\t' | '\n' | '\r' => return Err(TextProblem::BlankDelimiter),
        '[' => ']',
        '{' => '}',
        '(' => ')',
        '<' => '>',
        other => other,
    };
    let end = String::from_iter([close, '\'']);
    let body = inner.get(open.len_utf8()..).unwrap_or("");
    let length = body.find(&end).ok_or(TextProblem::OpenLiteral)?;
    Ok(cut(rest, before + open.len_utf8() + length + end.len(), Token::Quoted))
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

fn quoted(rest: &str, from: usize, quote: char, backslash: bool, open: TextProblem) -> Found<'_> {
    quote_end(rest, from, quote, backslash).map(|end| cut(rest, end, Token::Quoted)).ok_or(open)
}

/// `E'..'`. A literal on a later line continues it, and is read in the same way.
fn escape_string(rest: &str, from: usize) -> Found<'_> {
    let mut end = quote_end(rest, from, '\'', true).ok_or(TextProblem::OpenLiteral)?;
    loop {
        let mut next = rest.get(end..).unwrap_or("");
        let mut newline = false;
        loop {
            let trimmed = next.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\x0B');
            newline |= next.get(..next.len() - trimmed.len()).is_some_and(|blank| blank.contains(['\n', '\r']));
            next = trimmed;
            match next.strip_prefix("--") {
                Some(comment) => {
                    next = comment.get(comment.find(['\n', '\r']).unwrap_or(comment.len())..).unwrap_or("")
                }
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
fn dollar_quoted(rest: &str) -> Option<Found<'_>> {
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

fn line_comment(rest: &str) -> Found<'_> {
    let end = rest.find('\n');
    let comment = rest.get(..end.unwrap_or(rest.len())).unwrap_or(rest);
    if comment.strip_suffix('\r').unwrap_or(comment).contains('\r') {
        return Err(TextProblem::CarriageReturn);
    }
    Ok(cut(rest, comment.len(), if end.is_some() { Token::Comment } else { Token::OpenComment }))
}

fn block_comment(rest: &str, nested: bool) -> Found<'_> {
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
