//! How an engine reads text around names.

/// What an engine takes for a literal, a quoted name or a comment, beyond what all of them do: `'..'` and `".."` with
/// the quote doubled inside, `-- ..` to the end of the line, `/* .. */`.
///
/// A dialect names its own with [`Dialect::lexis`](crate::dialect::Dialect::lexis); templates are scanned by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lexis {
    /// `\` escapes the next character of `'..'` and `".."`.
    pub backslash: bool,
    /// `E'..'`, in which `\` escapes the next character.
    pub escape_strings: bool,
    /// `$$ .. $$` and `$tag$ .. $tag$`.
    pub dollar_quotes: bool,
    /// `q'[ .. ]'` with any delimiter.
    pub q_quotes: bool,
    /// `` `..` `` with the quote doubled inside.
    pub backticks: bool,
    /// A comment inside of `/* .. */` has an end of its own.
    pub nested_comments: bool,
    /// `# ..` to the end of the line.
    pub hash_comments: bool,
    /// `--` begins a comment only before a blank or at the end.
    pub blank_after_dashes: bool,
    /// Characters that begin a parameter when a letter, a digit or `_` follows, beside the placeholders that the
    /// dialect writes itself.
    pub parameters: &'static str,
}

impl Lexis {
    /// What all engines share.
    pub const STANDARD: Lexis = Lexis {
        backslash: false,
        escape_strings: false,
        dollar_quotes: false,
        q_quotes: false,
        backticks: false,
        nested_comments: false,
        hash_comments: false,
        blank_after_dashes: false,
        parameters: "",
    };

    /// The readings among which a template must have one when it is parsed, before its dialect is known.
    pub(crate) const READINGS: [Lexis; 5] = [
        Lexis { nested_comments: true, ..Lexis::STANDARD },
        Lexis { backticks: true, ..Lexis::STANDARD },
        Lexis { escape_strings: true, dollar_quotes: true, nested_comments: true, ..Lexis::STANDARD },
        Lexis { backslash: true, backticks: true, hash_comments: true, blank_after_dashes: true, ..Lexis::STANDARD },
        Lexis { q_quotes: true, ..Lexis::STANDARD },
    ];
}
