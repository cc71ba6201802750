//! What a statement could come to: its program, as SQLite explains it.

use std::collections::HashMap;

use rusqlite::{Connection, Result};

use super::pace::Work;

/// Instructions that go over a whole table at once, so that nothing can end them before.
const WHOLE: &[&str] = &[
    "Checkpoint",
    "Clear",
    "Count",
    "CreateBtree",
    "Destroy",
    "IncrVacuum",
    "IntegrityCk",
    "JournalMode",
    "ParseSchema",
    "SqlExec",
    "Vacuum",
];

/// One of a program's instructions.
struct Step {
    address: i64,
    code: String,
    p1: i64,
    p2: i64,
    p3: i64,
}

/// What a cursor goes over.
#[derive(Clone, Copy, PartialEq)]
enum Over {
    /// What the statement itself has put together.
    Own,
    /// The list of numbered tables.
    Sequences,
    Table,
}

/// Looks at the program of a statement. It is not run.
pub(super) fn work(connection: &Connection, sql: &str, reads: bool) -> Result<Work> {
    let program = steps(connection, sql)?;
    if program.iter().any(|step| WHOLE.contains(&step.code.as_str())) {
        return Ok(Work::Whole);
    }
    if reads {
        return Ok(Work::Reads);
    }
    let sequences = connection
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_sequence'", [], |row| row.get(0))
        .ok();
    Ok(if is_bounded(&program, sequences) { Work::Bounded } else { Work::Open })
}

fn steps(connection: &Connection, sql: &str) -> Result<Vec<Step>> {
    let mut explain = connection.prepare(&format!("EXPLAIN {sql}"))?;
    let mut rows = explain.raw_query();
    let mut steps = Vec::new();
    while let Some(row) = rows.next()? {
        let (address, code) = (row.get(0)?, row.get(1)?);
        steps.push(Step { address, code, p1: row.get(2)?, p2: row.get(3)?, p3: row.get(4)? });
    }
    Ok(steps)
}

/// Whether no loop of a program is longer than its text.
fn is_bounded(program: &[Step], sequences: Option<i64>) -> bool {
    // What is opened once for all, at the end of the program, to which its beginning jumps.
    let mut cursors: HashMap<i64, Over> = program.iter().rev().filter_map(|step| step.opens(sequences)).collect();
    // Where the loops lie: one within another runs as often as both multiplied.
    let mut loops: Vec<(i64, i64)> = Vec::new();
    // Where the violations end that are looked for only if there are any.
    let mut rare = 0;
    for step in program {
        if let Some((cursor, over)) = step.opens(sequences) {
            cursors.insert(cursor, over);
        }
        if step.code == "FkIfZero" {
            rare = step.p2;
        }
        // The last instruction goes back to the first.
        let returns = step.code == "Goto" && (2..=step.address).contains(&step.p2);
        let bounded = match step.code.as_str() {
            _ if step.address < rare => true,
            "Next" | "Prev" | "SorterNext" => cursors.get(&step.p1).is_some_and(|over| *over != Over::Table),
            // A trigger, and a table of somebody else's making.
            "Program" | "VFilter" | "VNext" | "VUpdate" => false,
            // What goes back may only ask another part of the program for its next row, whose own loops are here, too.
            "Goto" if returns => usize::try_from(step.p2)
                .ok()
                .and_then(|target| program.get(target))
                .is_some_and(|target| target.code == "Yield"),
            _ => true,
        };
        let loops_back = returns || matches!(step.code.as_str(), "Next" | "Prev" | "SorterNext");
        if loops_back && step.address >= rare {
            if loops.iter().any(|(begin, end)| step.p2 <= *end && step.address >= *begin) {
                return false;
            }
            loops.push((step.p2, step.address));
        }
        if !bounded {
            return false;
        }
    }
    true
}

impl Step {
    /// The cursor that it opens, and over what.
    fn opens(&self, sequences: Option<i64>) -> Option<(i64, Over)> {
        let over = match self.code.as_str() {
            "OpenEphemeral" | "OpenAutoindex" | "OpenPseudo" | "SorterOpen" => Over::Own,
            "OpenRead" | "OpenWrite" | "ReopenIdx" if self.p3 == 0 && sequences == Some(self.p2) => Over::Sequences,
            "OpenRead" | "OpenWrite" | "ReopenIdx" => Over::Table,
            _ => return None,
        };
        Some((self.p1, over))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_statement_bounds_its_work_or_not() {
        let connection = Connection::open_in_memory().unwrap();
        let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT UNIQUE);
             CREATE TABLE s (id INTEGER PRIMARY KEY AUTOINCREMENT, t INTEGER REFERENCES t(id), a TEXT);
             CREATE INDEX s_t ON s (t);
             CREATE TABLE two (a INTEGER, b INTEGER, c TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
             CREATE TABLE logged (id INTEGER PRIMARY KEY, a TEXT);
             CREATE TRIGGER log AFTER INSERT ON logged BEGIN UPDATE t SET a = a || 'x'; END;
             PRAGMA foreign_keys = ON";
        connection.execute_batch(schema).unwrap();
        for (sql, expected) in [
            ("INSERT INTO t VALUES (?, ?, ?)", Work::Bounded),
            ("INSERT INTO t VALUES (?, ?, ?), (?, ?, ?), (?, ?, ?)", Work::Bounded),
            ("INSERT INTO t (a, b) VALUES (?, ?) RETURNING id", Work::Bounded),
            ("INSERT INTO s (t, a) VALUES (?, ?)", Work::Bounded),
            ("INSERT INTO s (t, a) VALUES (?, ?) RETURNING id", Work::Bounded),
            ("INSERT INTO t VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET a = excluded.a", Work::Bounded),
            ("UPDATE t SET a = ? WHERE id = ?", Work::Bounded),
            ("UPDATE t SET a = ? WHERE b = ?", Work::Bounded),
            ("UPDATE two SET c = ? WHERE a = ? AND b = ?", Work::Bounded),
            ("DELETE FROM s WHERE id = ?", Work::Bounded),
            ("DELETE FROM two WHERE a = ? AND b = ?", Work::Bounded),
            ("UPDATE t SET a = ?", Work::Open),
            ("UPDATE t SET a = ? WHERE a = ?", Work::Open),
            ("UPDATE s SET a = ? WHERE t = ?", Work::Open),
            ("UPDATE two SET c = ? WHERE a = ?", Work::Open),
            ("UPDATE t SET a = (SELECT MAX(a) FROM s) WHERE id = ?", Work::Open),
            ("INSERT INTO t SELECT id + 1, a, NULL FROM s", Work::Open),
            ("INSERT INTO logged VALUES (?, ?)", Work::Open),
            ("INSERT INTO t (a) SELECT column1 FROM (VALUES (?), (?), (?)) AS v", Work::Bounded),
            ("INSERT INTO t (a) SELECT u.column1 FROM (VALUES (?), (?)) AS u, (VALUES (?), (?)) AS v", Work::Open),
            (
                "INSERT INTO t (a) SELECT u.column1 FROM (VALUES (?), (?)) AS u JOIN (VALUES (?), (?)) AS v \
              ON u.column1 = v.column1 WHERE u.column1 < ?",
                Work::Open,
            ),
            (
                "UPDATE t SET a = (SELECT MAX(u.column1 + v.column1) FROM (VALUES (?), (?)) AS u, (VALUES (?), (?)) AS v) \
              WHERE id = ?",
                Work::Open,
            ),
            // Its children are looked for.
            ("DELETE FROM t WHERE id = ?", Work::Open),
            ("DELETE FROM two", Work::Whole),
            ("CREATE TABLE u (a)", Work::Whole),
            ("SELECT COUNT(*) FROM t", Work::Whole),
            ("SELECT COUNT(*) FROM t WHERE a = ?", Work::Reads),
            ("SELECT * FROM t", Work::Reads),
        ] {
            let reads = connection.prepare(sql).unwrap().readonly();
            let listing: Vec<_> = steps(&connection, sql).unwrap();
            let listing: Vec<_> =
                listing.iter().map(|s| format!("{} {} {} {}", s.address, s.code, s.p1, s.p2)).collect();
            assert_eq!(work(&connection, sql, reads).unwrap(), expected, "{sql}:\n{}", listing.join("\n"));
        }
    }
}
