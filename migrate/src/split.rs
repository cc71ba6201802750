//! Cuts the text of a migration into statements.

use isogloss_compiler::Lexis;
use isogloss_lexis::{Notation, Scanner, Token};

use crate::error::{MigrateError, Result};
use crate::files::MARK as ENCODING;
use crate::words::Words;

/// What begins a line that is for the runner.
const MARK: &str = "-- isogloss:";

/// The statements of a text, and how they are run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Script {
    /// The statements in order, without the semicolons between.
    pub(crate) statements: Vec<String>,
    /// Not in a transaction.
    pub(crate) no_transaction: bool,
    /// With foreign keys turned off.
    pub(crate) foreign_keys_off: bool,
}

/// Reads the text of a migration by the rules of its engine.
pub(crate) fn split(migration: &str, text: &str, lexis: Lexis) -> Result<Script> {
    let text = text.strip_prefix(ENCODING).unwrap_or(text);
    let mut cut = Cut { migration, text, lexis, script: Script::default(), begin: 0, code: false, body: None };
    for token in Scanner::new(text, lexis, Notation::NONE) {
        let (at, token) = token.map_err(|(at, problem)| cut.error(at, problem.to_string()))?;
        match token {
            Token::Code(code) if cut.body.is_none() => cut.code(at, code)?,
            Token::Comment(comment) | Token::OpenComment(comment) => cut.comment(at, comment)?,
            Token::Code(code) => cut.code |= !code.trim().is_empty(),
            Token::Quoted(_) | Token::Name(_) | Token::Hole(_) => cut.code = true,
        }
    }
    if let Some(at) = cut.body {
        return Err(cut.error(at, "this `begin` has no `-- isogloss: end`".to_owned()));
    }
    cut.end(text.len(), text.len(), false)?;
    Ok(cut.script)
}

struct Cut<'t> {
    migration: &'t str,
    text: &'t str,
    lexis: Lexis,
    script: Script,
    /// Where the statement begins.
    begin: usize,
    /// Whether it has more than comments.
    code: bool,
    /// Where the body began that is one statement, while in one.
    body: Option<usize>,
}

impl Cut<'_> {
    fn error(&self, at: usize, why: String) -> MigrateError {
        let line = self.text.get(..at).unwrap_or(self.text).matches('\n').count() + 1;
        MigrateError::Text { migration: self.migration.to_owned(), line, why }
    }

    fn code(&mut self, at: usize, code: &str) -> Result<()> {
        let mut from = 0;
        // Not what stands beside a comment or a quoted name.
        for (go, _) in code.match_indices(['G', 'g']).filter(|_| self.is_sql_server()) {
            let line = |at: usize| -> Option<&str> {
                let begin = self.text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
                self.text.get(begin..)?.lines().next()
            };
            if line(at + go).is_some_and(|line| line.trim().eq_ignore_ascii_case("GO")) {
                let why = "GO is a command of a client: end the statement before it by a semicolon, and leave it out";
                return Err(self.error(at + go, why.to_owned()));
            }
        }
        for (end, _) in code.match_indices(';') {
            self.code |= code.get(from..end).is_some_and(|part| !part.trim().is_empty());
            self.end(at + end, at + end + 1, false)?;
            from = end + 1;
        }
        self.code |= code.get(from..).is_some_and(|part| !part.trim().is_empty());
        Ok(())
    }

    /// The statement ends at a byte, and the next one begins at another.
    fn end(&mut self, end: usize, next: usize, is_body: bool) -> Result<()> {
        let statement = self.text.get(self.begin..end).unwrap_or_default().trim();
        if self.code {
            if let Some(why) = self.refused(statement, is_body) {
                let blank = self.text.get(self.begin..end).map_or(0, |text| text.len() - text.trim_start().len());
                return Err(self.error(self.begin + blank, why.to_owned()));
            }
            self.script.statements.push(statement.to_owned());
        }
        self.begin = next;
        self.code = false;
        Ok(())
    }

    /// By the rules of its names: no other engine has brackets for them alone.
    fn is_sql_server(&self) -> bool {
        self.lexis.bracket_names
    }

    /// Why a statement is not one of a migration.
    fn refused(&self, statement: &str, is_body: bool) -> Option<&'static str> {
        let words = Words::read(statement, self.lexis);
        match words.first().as_slice() {
            ["DELIMITER", ..] => Some(
                "DELIMITER is a command of a client: put `-- isogloss: begin` and `-- isogloss: end` around the statement",
            ),
            ["COMMIT" | "ROLLBACK" | "START" | "SAVEPOINT" | "RELEASE" | "ABORT" | "END", ..] | ["BEGIN"] => {
                Some(TRANSACTION)
            }
            ["BEGIN", second, ..] if TRANSACTIONS.contains(second) => Some(TRANSACTION),
            ["SET", more @ ..] if more.iter().any(|word| MODES.contains(word)) => Some(TRANSACTION),
            ["CREATE" | "ALTER", more @ ..] if self.is_sql_server() && !is_body => {
                let more = more.strip_prefix(&["OR", "ALTER"]).unwrap_or(more);
                matches!(more.first(), Some(&("PROCEDURE" | "PROC" | "FUNCTION" | "TRIGGER"))).then_some(
                    "the body of a procedure, function or trigger may have semicolons, and is a statement of its own: put \
                     `-- isogloss: begin` and `-- isogloss: end` around it",
                )
            }
            _ => None,
        }
    }

    fn comment(&mut self, at: usize, comment: &str) -> Result<()> {
        // A comment that engines run is code.
        self.code |= comment.starts_with("/*!") || comment.starts_with("/*M!");
        let Some(mark) = comment.trim_end().strip_prefix(MARK) else { return Ok(()) };
        let next = at + comment.len();
        match mark.trim() {
            "no-transaction" => self.script.no_transaction = true,
            "foreign-keys-off" => self.script.foreign_keys_off = true,
            "begin" if self.body.is_none() && !self.code => {
                self.begin = next;
                self.body = Some(at);
            }
            "end" if self.body.take().is_some() => self.end(at, next, true)?,
            "begin" => {
                return Err(self.error(at, "a `begin` stands in front of a statement, and not within one".to_owned()));
            }
            "end" => return Err(self.error(at, "this `end` has no `-- isogloss: begin`".to_owned())),
            other => {
                let known = "`no-transaction`, `foreign-keys-off`, `begin` or `end`";
                return Err(self.error(at, format!("`{other}` is none of {known}")));
            }
        }
        Ok(())
    }
}

/// What is said of a statement that begins or ends a transaction.
const TRANSACTION: &str = "the transaction is that of the runner, which records in it what was run: leave the statement out, write \
     `-- isogloss: no-transaction` if there is to be none, and `-- isogloss: begin` and `-- isogloss: end` around a body";

/// What says by `SET` that each statement is in a transaction.
const MODES: [&str; 2] = ["AUTOCOMMIT", "IMPLICIT_TRANSACTIONS"];

/// What follows `BEGIN` where it begins a transaction, and not a block.
const TRANSACTIONS: [&str; 11] = [
    "TRAN",
    "TRANSACTION",
    "WORK",
    "DISTRIBUTED",
    "DEFERRED",
    "IMMEDIATE",
    "EXCLUSIVE",
    "CONCURRENT",
    "ISOLATION",
    "READ",
    "NOT",
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]

    use super::*;

    const POSTGRES: Lexis =
        Lexis { dollar_quotes: true, escape_strings: true, nested_comments: true, ..Lexis::STANDARD };
    const MYSQL: Lexis = Lexis {
        backslash: true,
        backticks: true,
        hash_comments: true,
        executed_comments: true,
        blank_after_dashes: true,
        ..Lexis::STANDARD
    };

    fn statements(text: &str, lexis: Lexis) -> Vec<String> {
        split("1 test", text, lexis).unwrap().statements
    }

    #[test]
    fn a_semicolon_ends_a_statement_where_the_engine_reads_one() {
        let text = "CREATE TABLE a (b text DEFAULT 'x;''y'); -- no; end\n;;\nINSERT INTO \"a;b\" VALUES (1) /* ; */;\n";
        assert_eq!(
            statements(text, Lexis::STANDARD),
            ["CREATE TABLE a (b text DEFAULT 'x;''y')", "-- no; end", "INSERT INTO \"a;b\" VALUES (1) /* ; */"]
                .iter()
                .filter(|text| !text.starts_with("--"))
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        );
        let body = "CREATE FUNCTION f() RETURNS int AS $b$ BEGIN; RETURN 1; END $b$ LANGUAGE plpgsql";
        assert_eq!(statements(&format!("{body}; SELECT E'\\';'"), POSTGRES), [body, "SELECT E'\\';'"]);
        assert_eq!(
            statements("SELECT '\\';' # a;b\n, `c;d`; SELECT 2", MYSQL),
            ["SELECT '\\';' # a;b\n, `c;d`", "SELECT 2"]
        );
        assert!(statements(" -- nothing\n /* at all */ ", Lexis::STANDARD).is_empty());
        assert_eq!(statements("/*!50003 SET @a = 1 */;", MYSQL).len(), 1);
    }

    #[test]
    fn a_body_is_one_statement() {
        let text = "-- isogloss: begin\nCREATE TRIGGER t AFTER INSERT ON a BEGIN\n  DELETE FROM b; -- x\nEND;\n-- isogloss: end\nDROP TABLE c";
        assert_eq!(
            statements(text, Lexis::STANDARD),
            ["CREATE TRIGGER t AFTER INSERT ON a BEGIN\n  DELETE FROM b; -- x\nEND;", "DROP TABLE c"]
        );
    }

    #[test]
    fn marks_say_how_a_file_is_run() {
        let script =
            split("1", "-- isogloss: no-transaction\nCREATE INDEX CONCURRENTLY i ON t (a);", POSTGRES).unwrap();
        assert!(script.no_transaction && !script.foreign_keys_off);
        assert_eq!(script.statements, ["-- isogloss: no-transaction\nCREATE INDEX CONCURRENTLY i ON t (a)"]);
    }

    #[test]
    fn what_cannot_be_cut_is_an_error_with_its_line() {
        for (text, line, why) in [
            ("SELECT 1;\n-- isogloss: notransaction\n", 2, "`notransaction` is none of"),
            ("\n\nSELECT 'a", 3, "literal"),
            ("-- isogloss: begin\nSELECT 1;", 1, "has no `-- isogloss: end`"),
            ("SELECT 1;\n-- isogloss: end", 2, "has no `-- isogloss: begin`"),
            ("SELECT\n-- isogloss: begin\n1", 2, "in front of a statement"),
            ("DELIMITER //\nSELECT 1//", 1, "a command of a client"),
            ("SELECT 1;\n\nBEGIN; SELECT 1; COMMIT", 3, "that of the runner"),
            ("SELECT 1;\nbegin /* now */ Transaction", 2, "that of the runner"),
            ("SELECT 1;\n\nROLLBACK", 3, "that of the runner"),
            ("CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM b;\nEND", 2, "around a body"),
            ("SET @@autocommit = 0", 1, "that of the runner"),
            ("-- isogloss: begin\nBEGIN; SELECT 1; COMMIT;\n-- isogloss: end", 2, "that of the runner"),
        ] {
            let error = split("1 test", text, Lexis::STANDARD).unwrap_err();
            let MigrateError::Text { line: at, why: told, .. } = &error else { panic!("{error}") };
            assert_eq!(*at, line, "{error}");
            assert!(told.contains(why), "{error}");
        }
    }

    #[test]
    fn a_block_is_no_transaction_and_a_mark_of_an_encoding_no_text() {
        let block = "-- isogloss: begin\nBEGIN\n  DELETE FROM a;\nEND;\n-- isogloss: end";
        assert_eq!(statements(block, Lexis::STANDARD), ["BEGIN\n  DELETE FROM a;\nEND;"]);
        assert_eq!(statements("\u{feff}SELECT 1", Lexis::STANDARD), ["SELECT 1"]);
        assert_eq!(statements("SELECT 'COMMIT'; SELECT a AS \"begin\"", Lexis::STANDARD).len(), 2);
    }

    #[test]
    fn sql_server_has_no_batches_here() {
        let lexis = Lexis { bracket_names: true, nested_comments: true, ..Lexis::STANDARD };
        for (text, line) in [
            ("SELECT 1\nGO\nSELECT 2", 2),
            ("CREATE OR ALTER PROCEDURE p AS BEGIN SELECT 1; SELECT 2; END", 1),
            ("SELECT 1;\nCREATE TRIGGER t ON a AFTER INSERT AS DELETE b;", 2),
        ] {
            let error = split("1 test", text, lexis).unwrap_err();
            let MigrateError::Text { line: at, .. } = &error else { panic!("{error}") };
            assert_eq!(*at, line, "{error}");
        }
        let text = "-- isogloss: begin\nCREATE PROCEDURE p AS BEGIN SELECT 1; END\n-- isogloss: end\nSELECT [go] FROM a -- go\n";
        assert_eq!(statements(text, lexis).len(), 2);
    }
}
