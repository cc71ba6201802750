//! The tokens of a text.

use isogloss_compiler::Lexis;
use isogloss_compiler::dialect::{Dialect, Placeholder};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A keyword, or a name without quotes.
    Word,
    /// A name in quotes.
    Name,
    /// A text literal, with the letters that stand before its quote.
    Text,
    /// A number.
    Number,
    /// A placeholder.
    Parameter,
    /// A comment.
    Comment,
    /// Anything else: an operator, a bracket, a comma.
    Symbol,
}

/// A piece of a text, as it stands there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub kind: TokenKind,
    pub text: &'t str,
}

impl<'t> Token<'t> {
    /// Whether it is that keyword, which is given in capitals.
    pub fn is_word(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text.eq_ignore_ascii_case(word)
    }

    /// Whether it is that operator, bracket or comma.
    pub fn is_symbol(&self, symbol: &str) -> bool {
        self.kind == TokenKind::Symbol && self.text == symbol
    }

    /// What stands between the quotes of a name or a literal, as it stands there.
    pub fn inside(&self) -> &'t str {
        let begin = self.text.find(['\'', '"', '[', '`']).map_or(0, |at| at + 1);
        self.text.get(begin..self.text.len().saturating_sub(1)).unwrap_or_default()
    }
}

/// The operators of several characters, those first that begin like a shorter one.
const OPERATORS: [&str; 14] = ["<=>", "->>", "#>>", "<>", "<=", ">=", "!=", "||", "::", "=>", "->", "@>", "<@", "#>"];

/// Cuts a text into tokens.
///
/// # Errors
/// The rest of the text, from a literal, a name or a comment that has no end.
pub(super) fn tokens<'t>(dialect: &dyn Dialect, sql: &'t str) -> Result<Vec<Token<'t>>, &'t str> {
    let lexer = Lexer { lexis: dialect.lexis(), quote: dialect.sheet().quotes.0, mark: dialect.sheet().placeholder };
    let mut tokens = Vec::new();
    let mut rest = sql.trim_start();
    while !rest.is_empty() {
        let (kind, length) = lexer.next(rest).ok_or(rest)?;
        let (text, after) = rest.split_at_checked(length).ok_or(rest)?;
        tokens.push(Token { kind, text });
        rest = after.trim_start();
    }
    Ok(tokens)
}

/// How a dialect is read.
struct Lexer {
    lexis: Lexis,
    /// What opens a name.
    quote: char,
    mark: Placeholder,
}

impl Lexer {
    /// The kind and the length of the first token; none, if it has no end.
    fn next(&self, rest: &str) -> Option<(TokenKind, usize)> {
        if let Some(length) = self.parameter(rest) {
            return Some((TokenKind::Parameter, length));
        }
        if rest.starts_with("--") {
            return Some((TokenKind::Comment, rest.find('\n').unwrap_or(rest.len())));
        }
        if rest.starts_with("/*") {
            return Some((TokenKind::Comment, rest.find("*/")? + 2));
        }
        let first = rest.chars().next()?;
        if first == '\'' {
            return Some((TokenKind::Text, quoted(rest, '\'', self.lexis.backslash)?));
        }
        if first == '"' {
            return Some((TokenKind::Name, quoted(rest, '"', false)?));
        }
        if first == self.quote {
            return Some((TokenKind::Name, quoted(rest, if first == '[' { ']' } else { first }, false)?));
        }
        if first.is_ascii_digit() {
            return Some((TokenKind::Number, number(rest)));
        }
        if is_word(first) {
            let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let after = rest.get(word..).unwrap_or_default();
            // N'..', X'..', E'..': with the literal one token.
            if word == 1 && after.starts_with('\'') {
                let escapes = self.lexis.backslash || self.lexis.escape_strings && first.eq_ignore_ascii_case(&'e');
                return Some((TokenKind::Text, word + quoted(after, '\'', escapes)?));
            }
            return Some((TokenKind::Word, word));
        }
        let operator = OPERATORS.iter().find(|operator| rest.starts_with(*operator));
        Some((TokenKind::Symbol, operator.map_or(first.len_utf8(), |operator| operator.len())))
    }

    fn parameter(&self, rest: &str) -> Option<usize> {
        match self.mark {
            Placeholder::Question => rest.starts_with('?').then_some(1),
            Placeholder::Numbered(prefix) => {
                let number = rest.strip_prefix(prefix)?;
                let digits = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
                (digits > 0).then_some(prefix.len() + digits)
            }
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '#' | '@')
}

/// The length of a number, which may have an exponent and a letter for its type.
fn number(rest: &str) -> usize {
    let mut exponent = false;
    rest.find(|c: char| {
        let sign = exponent && matches!(c, '+' | '-');
        exponent = c.eq_ignore_ascii_case(&'e');
        !(sign || c.is_ascii_alphanumeric() || c == '.')
    })
    .unwrap_or(rest.len())
}

/// The length of what begins with a quote and ends before its closing one, which is doubled inside.
fn quoted(rest: &str, close: char, backslash: bool) -> Option<usize> {
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c == '\\' && backslash {
            chars.next();
        } else if c == close && chars.next_if(|(_, next)| *next == close).is_none() {
            return Some(at + c.len_utf8());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use isogloss_mysql::MySql;
    use isogloss_oracle::Oracle;
    use isogloss_postgres::Postgres;
    use isogloss_sqlserver::SqlServer;

    use super::*;

    fn texts<'t>(dialect: &dyn Dialect, sql: &'t str) -> Vec<(TokenKind, &'t str)> {
        tokens(dialect, sql).unwrap().into_iter().map(|token| (token.kind, token.text)).collect()
    }

    #[test]
    fn a_text_is_cut_where_the_engine_cuts_it() {
        assert_eq!(
            texts(&SqlServer::V2019, "[a]]b].x<=@P12+N'it''s'-- [\n, 1.5e-3"),
            [
                (TokenKind::Name, "[a]]b]"),
                (TokenKind::Symbol, "."),
                (TokenKind::Word, "x"),
                (TokenKind::Symbol, "<="),
                (TokenKind::Parameter, "@P12"),
                (TokenKind::Symbol, "+"),
                (TokenKind::Text, "N'it''s'"),
                (TokenKind::Comment, "-- ["),
                (TokenKind::Symbol, ","),
                (TokenKind::Number, "1.5e-3"),
            ]
        );
        assert_eq!(
            texts(&MySql::V8_0, "`a``b` = 'it\\'s' AND ?"),
            [
                (TokenKind::Name, "`a``b`"),
                (TokenKind::Symbol, "="),
                (TokenKind::Text, "'it\\'s'"),
                (TokenKind::Word, "AND"),
                (TokenKind::Parameter, "?")
            ]
        );
        assert_eq!(
            texts(&Oracle::V19, "'\\'||:1"),
            [(TokenKind::Text, "'\\'"), (TokenKind::Symbol, "||"), (TokenKind::Parameter, ":1")]
        );
        assert_eq!(
            texts(&Postgres::V15, "E'\\''::text"),
            [(TokenKind::Text, "E'\\''"), (TokenKind::Symbol, "::"), (TokenKind::Word, "text")]
        );
    }

    #[test]
    fn what_has_no_end_is_an_error() {
        for sql in ["SELECT 'a", "SELECT [a", "SELECT 1 /* a"] {
            assert_eq!(tokens(&SqlServer::V2019, sql).unwrap_err(), &sql[sql.find(['\'', '[', '/']).unwrap()..]);
        }
    }
}
