//! How identifiers are quoted.

use std::borrow::Cow;

/// The characters around an identifier. The closing one is doubled inside.
///
/// This is the one place where a name gets its quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quotes(pub char, pub char);

impl Quotes {
    /// What stands around a literal of text, for an engine to which a backslash is a character like any other.
    pub const LITERAL: Quotes = Quotes('\'', '\'');

    /// Appends a name in its quotes. Whatever it holds, it is one name to the engine, and ends where it ends.
    ///
    /// It says nothing about what the engine takes for a name: an empty one, a NUL character and what is too long are written as they
    /// are. See [`Limits`](super::Limits) for its length, and [`Limits::no_name`](super::Limits::no_name) for an engine whose names
    /// hold no quote.
    ///
    /// ```
    /// use isogloss_compiler::dialect::Quotes;
    ///
    /// let mut sql = "SELECT ".to_owned();
    /// Quotes('[', ']').quote_into(&mut sql, "a]; DROP TABLE [b");
    /// assert_eq!(sql, "SELECT [a]]; DROP TABLE [b]");
    /// ```
    #[inline]
    pub fn quote_into<T>(self, text: &mut T, name: &str)
    where
        T: for<'t> Extend<&'t str>,
    {
        let (mut open, mut close) = ([0; 4], [0; 4]);
        text.extend([&*self.0.encode_utf8(&mut open), &self.doubled(name), &*self.1.encode_utf8(&mut close)]);
    }

    /// Names in their quotes with dots between them: a table's name of several parts.
    ///
    /// ```
    /// use isogloss_compiler::dialect::Quotes;
    /// assert_eq!(Quotes('"', '"').quoted(["sales", "Order\"s"]), r#""sales"."Order""s""#);
    /// ```
    #[must_use]
    pub fn quoted<'n>(self, parts: impl IntoIterator<Item = &'n str>) -> String {
        let mut text = String::new();
        for part in parts {
            if !text.is_empty() {
                text.push('.');
            }
            self.quote_into(&mut text, part);
        }
        text
    }

    /// What stands between the quotes of a name, for whom somebody else writes them.
    #[must_use]
    pub fn doubled(self, name: &str) -> Cow<'_, str> {
        if name.contains(self.1) { name.replace(self.1, &String::from_iter([self.1; 2])).into() } else { name.into() }
    }

    /// The name that stands in quotes; the text itself, if it has none around it.
    pub(crate) fn unquoted(self, text: &str) -> String {
        let name = text.strip_prefix(self.0).and_then(|name| name.strip_suffix(self.1)).unwrap_or(text);
        name.replace(&String::from_iter([self.1; 2]), &String::from(self.1))
    }
}

#[cfg(test)]
mod tests {
    use super::Quotes;

    const ALL: [Quotes; 4] = [Quotes('"', '"'), Quotes('`', '`'), Quotes('[', ']'), Quotes::LITERAL];

    fn quoted(quotes: Quotes, name: &str) -> String {
        let mut text = "a.".to_owned();
        quotes.quote_into(&mut text, name);
        text
    }

    #[test]
    fn the_closing_quote_is_doubled() {
        assert_eq!(quoted(Quotes('"', '"'), r#"a"b""#), r#"a."a""b""""#);
        assert_eq!(quoted(Quotes('`', '`'), "`a``b"), "a.```a````b`");
        assert_eq!(quoted(Quotes('[', ']'), "]a]]"), "a.[]]a]]]]]");
        // Not the opening one, nor those of others.
        assert_eq!(quoted(Quotes('[', ']'), "[a[\"`'"), "a.[[a[\"`']");
        assert_eq!(quoted(Quotes::LITERAL, "it's"), "a.'it''s'");
    }

    #[test]
    fn what_no_engine_takes_is_written_as_it_is() {
        assert_eq!(quoted(Quotes('"', '"'), ""), r#"a."""#);
        assert_eq!(quoted(Quotes('"', '"'), "a\0b"), "a.\"a\0b\"");
        assert_eq!(quoted(Quotes('[', ']'), "é😀\n\\"), "a.[é😀\n\\]");
    }

    /// Read as the engines read it, a name ends at its last quote, and is itself again.
    #[test]
    fn a_name_is_one_name() {
        let mut names = vec![String::new()];
        for _ in 0..3 {
            let parts = ["\"", "`", "[", "]", "'", "a", ".", "\\", "\0", ""];
            names = names.iter().flat_map(|name| parts.map(|part| format!("{name}{part}"))).collect();
        }
        for quotes in ALL {
            for name in &names {
                let text = quotes.quoted([&**name]);
                let mut inside = text.strip_prefix(quotes.0).unwrap_or_default().chars().peekable();
                let mut read = String::new();
                let ends = loop {
                    match inside.next() {
                        Some(c) if c == quotes.1 && inside.next_if_eq(&c).is_none() => break inside.next().is_none(),
                        Some(c) => read.push(c),
                        None => break false,
                    }
                };
                assert!(ends && read == *name, "{text}");
                assert_eq!(quotes.unquoted(&text), *name);
                let arena = bumpalo::Bump::new();
                let mut same = bumpalo::collections::String::new_in(&arena);
                quotes.quote_into(&mut same, name);
                assert_eq!(same, text);
            }
        }
    }

    #[test]
    fn parts_have_dots_between_them() {
        assert_eq!(Quotes('[', ']').quoted(["a.b", "", "]"]), "[a.b].[].[]]]");
        assert_eq!(Quotes('[', ']').quoted([]), "");
    }
}
