//! What a text leaves in its session, as far as its words tell.

/// Reserved words that are in no statement that reads or writes rows: each begins another one, for which T-SQL wants no `;`, or
/// stands in one.
const OTHERS: [&str; 17] = [
    "ALTER",
    "BEGIN",
    "COMMIT",
    "CREATE",
    "DBCC",
    "DECLARE",
    "DROP",
    "EXEC",
    "EXECUTE",
    "OPEN",
    "REVERT",
    "ROLLBACK",
    "SAVE",
    "SETUSER",
    "STATISTICS",
    "TRAN",
    "TRANSACTION",
];

/// Whether a text may leave something in its session, where strangers would find it, or end the transaction: one with anything
/// in it but statements that read or write rows.
pub(super) fn leaves(sql: &str) -> bool {
    // Each UPDATE has a SET of its own, that of a MERGE, too. Another one is a statement.
    let (mut updates, mut sets) = (0, 0);
    // A temporary table that is made by a SELECT lives as long as its session. INTO may also be that of an INSERT into one.
    let (mut into, mut temporary) = (false, false);
    let mut words = Words(sql).peekable();
    let first = words.peek().copied().unwrap_or_default();
    while let Some(word) = words.next() {
        let is = |known: &str| known.eq_ignore_ascii_case(word);
        updates += usize::from(is("UPDATE"));
        sets += usize::from(is("SET"));
        into |= is("INTO");
        temporary |= word.trim_start_matches(['[', '"']).starts_with('#');
        // `OPTION (USE HINT ('..'))`, `OPTION (USE PLAN N'..')`
        let hints = |next: &&str| ["HINT", "PLAN"].iter().any(|hint| hint.eq_ignore_ascii_case(next));
        if OTHERS.into_iter().any(is) || is("USE") && !words.peek().is_some_and(hints) {
            return true;
        }
    }
    sets > updates || into && temporary || isogloss_driver::leaves(first, &[])
}

/// The words of a text: what stands in quotes, brackets and comments is none, but for the quoted name of a temporary table.
struct Words<'s>(&'s str);

impl<'s> Iterator for Words<'s> {
    type Item = &'s str;

    fn next(&mut self) -> Option<&'s str> {
        while let Some(c) = self.0.chars().next() {
            let end = match c {
                '\'' | '"' => quoted(self.0, c),
                '[' => quoted(self.0, ']'),
                '-' if self.0.starts_with("--") => self.0.find('\n').unwrap_or(self.0.len()),
                '/' if self.0.starts_with("/*") => commented(self.0),
                c if is_of_word(c) => self.0.find(|c| !is_of_word(c)).unwrap_or(self.0.len()),
                c => c.len_utf8(),
            };
            let (piece, rest) = self.0.split_at_checked(end)?;
            self.0 = rest;
            if is_of_word(c) || piece.starts_with("[#") || piece.starts_with("\"#") {
                return Some(piece);
            }
        }
        None
    }
}

/// A variable is one word, with its `@`: it is not that of its name.
fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '@' | '#' | '$')
}

/// How long what is in quotes is, with them. One that is doubled stands for itself.
fn quoted(text: &str, end: char) -> usize {
    let mut rest = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = rest.next() {
        if c == end && rest.next_if(|(_, next)| *next == end).is_none() {
            return at + c.len_utf8();
        }
    }
    text.len()
}

/// How long a comment is, with those inside of it.
fn commented(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_reads_and_writes_rows_leaves_nothing() {
        for sql in [
            "SELECT 1",
            "SELECT 1; SELECT 2;\n",
            "SELECT '; BEGIN TRAN', 'it''s EXEC', N'USE' FROM [Save] WHERE [a]]b EXEC] = \"a\"\"EXEC\"",
            "SELECT [EXEC]['SET'] FROM t",
            "/* app=web; EXEC */ SELECT 1 -- EXEC\n, 2",
            "/* /* */ EXEC */ SELECT 1",
            "UPDATE t SET a = 1 WHERE b = @set; UPDATE [t] SET a = 2",
            "MERGE a USING b ON 1 = 1 WHEN MATCHED THEN UPDATE SET a = 1 WHEN NOT MATCHED THEN INSERT (a) VALUES (1);",
            "WITH c AS (SELECT 1 AS executed, 2 AS trans_action) SELECT * FROM c",
            "INSERT INTO t OUTPUT inserted.a SELECT a FROM u",
            "SELECT '#' AS [a#], '##t' AS a INTO t -- #t",
            "INSERT ##t SELECT a FROM [#u] -- into",
            ";WITH c AS (SELECT 1 AS a) SELECT a FROM c OPTION (USE HINT ('FORCE_LEGACY_CARDINALITY_ESTIMATION'))",
        ] {
            assert!(!leaves(sql), "{sql}");
        }
    }

    #[test]
    fn what_else_is_in_a_text_may_leave_something() {
        for sql in [
            "BEGIN TRANSACTION",
            "sp_who",
            "EXEC sp_getapplock 'a', 'Exclusive', 'Session'",
            "SELECT 1; BEGIN TRAN",
            "SELECT 1; -- it\nBEGIN TRAN",
            "-- SELECT\nBEGIN TRAN",
            "UPDATE t SET a = 1\nBEGIN TRANSACTION",
            "SELECT 1 EXEC sp_getapplock 'a', 'Exclusive', 'Session'",
            "SELECT 1 exec('a')",
            "INSERT INTO t EXECUTE p",
            "SELECT 1 SET CONTEXT_INFO 0x1",
            "UPDATE t SET a = 1 SET LOCK_TIMEOUT 1",
            "UPDATE STATISTICS t SET LOCK_TIMEOUT 1",
            "SELECT 'a' COMMIT",
            "SELECT 1/**/USE other",
            "/* a */ SET LOCK_TIMEOUT 1",
            "/* /* */ SELECT */ EXEC p",
            "SELECT 1 CREATE TABLE #t (a int)",
            "DELETE FROM t DECLARE c CURSOR GLOBAL FOR SELECT 1 OPEN c",
            "SELECT 1 AS a INTO ##t",
            "SELECT 1 AS a into #t",
            "SELECT 1 AS a INTO [##t]",
            "SELECT 1 AS a INTO tempdb..\"#t\"",
            "SELECT 1; WITH c AS (SELECT 1 AS a) SELECT a INTO [tempdb].[dbo].[#t] FROM c",
            "",
        ] {
            assert!(leaves(sql), "{sql}");
        }
    }
}
