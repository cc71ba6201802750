//! What a statement says outside of its literals and comments.

use std::collections::BTreeSet;

use isogloss_compiler::Lexis;
use isogloss_lexis::{Notation, Scanner, Token, is_word};

/// The words of a statement.
#[derive(Debug, Default)]
pub(crate) struct Words {
    /// Those of its code up to a semicolon, in capital letters.
    words: Vec<String>,
    /// Whatever may be the name of a table, in small letters.
    names: BTreeSet<String>,
    /// Whether a name has a dot.
    qualified: bool,
    /// The code.
    code: String,
}

impl Words {
    pub(crate) fn read(statement: &str, lexis: Lexis) -> Self {
        let mut read = Self::default();
        for token in Scanner::new(statement, lexis, Notation::NONE) {
            match token {
                Ok((_, Token::Code(code))) => read.code(code),
                Ok((_, Token::Quoted(text) | Token::Name(text))) => {
                    read.names.insert(text.trim_matches(['"', '`', '[', ']', '\'']).to_lowercase());
                }
                _ => read.code.push(' '),
            }
        }
        read
    }

    fn code(&mut self, code: &str) {
        let is_first = !self.code.contains(';');
        let first = code.split(';').next().unwrap_or_default();
        let words = |code: &'_ str| -> Vec<String> {
            code.split(|c: char| !is_word(c)).filter(|word| !word.is_empty()).map(str::to_owned).collect()
        };
        if is_first {
            self.words.extend(words(first).into_iter().map(|word| word.to_uppercase()));
        }
        self.names.extend(words(code).into_iter().map(|word| word.to_lowercase()));
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        self.qualified |= code.match_indices('.').any(|(at, _)| {
            let (before, after) = (code.get(..at), code.get(at + 1..));
            !(is_digit(before.and_then(|text| text.chars().next_back()))
                && is_digit(after.and_then(|text| text.chars().next())))
        });
        self.code.push_str(code);
    }

    /// Its words up to a semicolon, in capital letters.
    pub(crate) fn first(&self) -> Vec<&str> {
        self.words.iter().map(String::as_str).collect()
    }

    /// Whether the statement may name that table.
    pub(crate) fn may_name(&self, table: &str) -> bool {
        self.names.contains(&table.to_lowercase())
    }

    /// Whether it sets something of the session.
    pub(crate) fn sets(&self) -> bool {
        self.first().first() == Some(&"SET")
    }

    /// Whether it happens or does not, so that it did not if it has failed.
    pub(crate) fn is_atomic(&self) -> bool {
        let begins = matches!(self.first().first(), Some(&("CREATE" | "ALTER" | "DROP" | "RENAME")));
        // An index may be half made.
        begins && !self.first().contains(&"CONCURRENTLY")
    }

    /// Whether it changes something of the default schema, and does no harm if it is run once more: it fails, or has no effect.
    pub(crate) fn defines(&self) -> bool {
        // Two tables may be exchanged again, and what is elsewhere is not seen.
        let exchanges = self.first().first() == Some(&"RENAME") || self.first().contains(&"EXCHANGE");
        self.is_atomic() && !self.qualified && !exchanges
    }

    /// Whether what it changes is seen in a table.
    pub(crate) fn changes_table(&self) -> bool {
        self.defines() && self.first().iter().take(5).any(|word| matches!(*word, "TABLE" | "INDEX"))
    }

    /// Why the statement cannot be one of those that are run one by one, where the session may end between two.
    pub(crate) fn needs_session(&self) -> Option<&'static str> {
        let words = self.first();
        let is_temporary = || {
            let mut more =
                words.iter().skip(1).skip_while(|word| matches!(**word, "OR" | "REPLACE" | "LOCAL" | "PRIVATE"));
            matches!(more.next(), Some(&("TEMPORARY" | "TEMP")))
        };
        match words.first().copied()? {
            "USE" => Some(
                "USE is forgotten when the migration is broken off: write the name of the database before that of the table",
            ),
            "CREATE" if is_temporary() => {
                Some("a temporary table is gone when the migration is broken off: make one that stays, and drop it")
            }
            "SET" if words.get(1) == Some(&"STATEMENT") || self.code.contains('(') => Some(
                "a SET is run again when the migration was broken off, and would not have this value: write what it computes where it \
                 is used",
            ),
            "SELECT" if self.code.contains(":=") || words.contains(&"INTO") && self.code.contains('@') => {
                Some("a variable is forgotten when the migration is broken off: write what it has where it is used")
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(statement: &str) -> Words {
        Words::read(statement, Lexis::STANDARD)
    }

    #[test]
    fn only_what_fails_when_it_is_run_once_more_defines() {
        for text in ["CREATE TABLE a (b decimal DEFAULT 1.5)", "/* x */ alter table a add b int", "DROP INDEX \"i.j\""]
        {
            assert!(read(text).defines() && read(text).changes_table(), "{text}");
        }
        for text in [
            "LOAD DATA INFILE 'x' INTO TABLE a",
            "CALL p()",
            "EXECUTE s",
            "/*!50003 INSERT INTO a VALUES (1) */",
            "ALTER TABLE other.a ADD b int",
            "ALTER TABLE a EXCHANGE PARTITION p WITH TABLE b",
            "CREATE INDEX CONCURRENTLY i ON a (b)",
            "RENAME TABLE a TO c, b TO a, c TO b",
        ] {
            assert!(!read(text).defines(), "{text}");
        }
        assert!(!read("CREATE TRIGGER t AFTER INSERT ON a FOR EACH ROW DELETE FROM b").changes_table());
        assert!(read("ALTER TABLE \"Orders\" ADD b int").may_name("orders"));
    }

    #[test]
    fn what_a_session_forgets_is_not_run_one_by_one() {
        for text in [
            "USE shop",
            "CREATE TEMPORARY TABLE a (b int)",
            "create or replace temporary table a (b int)",
            "SET @id = LAST_INSERT_ID()",
            "SET STATEMENT max_statement_time = 1 FOR DELETE FROM a",
            "SELECT id INTO @id FROM a",
        ] {
            assert!(read(text).needs_session().is_some(), "{text}");
        }
        for text in
            ["SET foreign_key_checks = 0", "CREATE TABLE temp (a int)", "SELECT 'a := @b'", "INSERT INTO a VALUES (@b)"]
        {
            assert!(read(text).needs_session().is_none(), "{text}");
        }
    }
}
