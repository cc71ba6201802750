//! How an engine reads text around names.

/// What an engine takes for a literal, a quoted name or a comment, beyond what all of them do: `'..'` and `".."` with
/// the quote doubled inside, `-- ..` to the end of the line, `/* .. */`.
///
/// A dialect names its own with `Dialect::lexis`; templates are scanned by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lexis {
    /// `\` escapes the next character of `'..'` and `".."`.
    pub backslash: bool,
    /// `E'..'`, in which `\` escapes the next character.
    pub escape_strings: bool,
    /// `$$ .. $$` and `$tag$ .. $tag$`.
    pub dollar_quotes: bool,
    /// `q'[ .. ]'` and `nq'[ .. ]'`, between `[ ]`, `{ }`, `( )`, `< >`, or twice the same of any other character that is
    /// no blank. A `#` is part of a word.
    pub q_quotes: bool,
    /// `` `..` `` with the quote doubled inside.
    pub backticks: bool,
    /// `[..]` is a quoted name, and brackets are nothing else.
    pub bracket_names: bool,
    /// A comment inside of `/* .. */` has an end of its own.
    pub nested_comments: bool,
    /// `/*! .. */` and `/*M! .. */` are code.
    pub executed_comments: bool,
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
        bracket_names: false,
        nested_comments: false,
        executed_comments: false,
        hash_comments: false,
        blank_after_dashes: false,
        parameters: "",
    };

    /// The readings among which a template must have one when it is parsed, before its dialect is known.
    pub const READINGS: [Lexis; 5] = [
        Lexis { bracket_names: true, nested_comments: true, ..Lexis::STANDARD },
        Lexis { backticks: true, bracket_names: true, ..Lexis::STANDARD },
        Lexis { escape_strings: true, dollar_quotes: true, nested_comments: true, ..Lexis::STANDARD },
        Lexis {
            backslash: true,
            backticks: true,
            executed_comments: true,
            hash_comments: true,
            blank_after_dashes: true,
            ..Lexis::STANDARD
        },
        Lexis { q_quotes: true, ..Lexis::STANDARD },
    ];

    /// What the first of the [readings](Self::READINGS) makes of a text that reads it to its end.
    ///
    /// # Errors
    /// If none does: the byte and the error of the one that came farthest.
    pub fn any<T, E>(mut read: impl FnMut(Lexis) -> Result<T, (usize, E)>) -> Result<T, (usize, E)> {
        let [first, others @ ..] = Self::READINGS;
        let mut farthest = match read(first) {
            Ok(done) => return Ok(done),
            Err(error) => error,
        };
        for lexis in others {
            match read(lexis) {
                Ok(done) => return Ok(done),
                Err(error) if error.0 > farthest.0 => farthest = error,
                Err(_) => {}
            }
        }
        Err(farthest)
    }
}
