//! What is wrong with a text, and where.

use std::fmt;

/// What is wrong with the text of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each variant's message is its documentation")]
pub enum TextProblem {
    OpenLiteral,
    OpenQuotedName,
    OpenComment,
    OpenBracket,
    OpenHole,
    LoneBracket,
    LoneBrace,
    EmptyBrackets,
    NulInName,
    Nul,
    BadHole,
    CarriageReturn,
    Parameter,
    HoleInComment,
    NumberBeforeLiteral,
    BlankDelimiter,
    ExecutedComment,
    DoubledName,
    HoleBehindDashes,
}

impl fmt::Display for TextProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OpenLiteral => "a literal is left open",
            Self::OpenQuotedName => "a quoted name is left open",
            Self::OpenComment => "a comment is left open",
            Self::OpenBracket => "a bracket is left open; a bracket that stands for itself is written `[[`",
            Self::OpenHole => "a hole is left open; a brace that stands for itself is written `{{`",
            Self::LoneBracket => "a `]` closes nothing; one that stands for itself is written `]]`",
            Self::LoneBrace => "a `}` closes nothing; one that stands for itself is written `}}`",
            Self::EmptyBrackets => "brackets hold no name; an empty subscript is written `[[]]`",
            Self::NulInName => "a name in brackets holds a NUL character",
            Self::Nul => "a NUL character, where some engines end the text",
            Self::BadHole => "braces hold a name, a number or nothing; a brace that stands for itself is written `{{`",
            Self::CarriageReturn => {
                "a carriage return ends the line of a comment on some engines only: end it with a line feed"
            }
            Self::Parameter => "the engine takes this for a parameter: use a hole",
            Self::HoleInComment => "a hole stands behind a line comment that is not ended: end it with a line feed",
            Self::NumberBeforeLiteral => "a number stands directly before a literal: put a blank between them",
            Self::BlankDelimiter => "a blank delimits no `q'..'`: use another character",
            Self::ExecutedComment => {
                "the engine runs what stands in `/*! .. */`: write it without quotes, comments and parameters, or outside"
            }
            Self::HoleBehindDashes => {
                "two dashes directly before a hole or a name begin a comment with a blank behind them: put it between the dashes"
            }
            Self::DoubledName => "the engine takes `[[..]]` for a quoted name: write it in single brackets",
        })
    }
}

impl std::error::Error for TextProblem {}

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
    /// The place of a byte of a text.
    ///
    /// ```
    /// use isogloss_lexis::TextPlace;
    /// assert_eq!(TextPlace::new("é\n  x", 5).to_string(), "line 2, column 3 (byte 5)");
    /// ```
    #[must_use]
    pub fn new(text: &str, offset: usize) -> Self {
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
