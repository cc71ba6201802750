//! What the words of a script tell: what it leaves in its session, where strangers would find it, and whether it may begin
//! a transaction.

use isogloss_driver::{Error, ErrorKind, Result};

/// Refuses what a session would keep behind a pooler, which gives it to somebody else.
///
/// # Errors
/// [`ErrorKind::Configuration`], with what to do.
pub(super) fn check(sql: &str) -> Result<()> {
    for statement in statements(sql) {
        if let Some(advice) = kept(&statement) {
            let shown = statement.iter().take(3).cloned().collect::<Vec<_>>().join(" ");
            let message = format!("`{shown}` would stay in a session that others get from the pooler: {advice}");
            return Err(Error::new(ErrorKind::Configuration, message));
        }
    }
    Ok(())
}

/// Refuses a statement that a session would keep behind a pooler. Those that only read and write rows are told by their
/// first word.
///
/// # Errors
/// [`ErrorKind::Configuration`], with what to do.
pub(super) fn check_one(sql: &str) -> Result<()> {
    let first = sql.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let known = ["SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "VALUES"];
    let is_plain = known.iter().any(|word| first.eq_ignore_ascii_case(word)) && !sql.contains("advisory_lock");
    if is_plain { Ok(()) } else { check(sql) }
}

/// Whether there is a word in it that begins a transaction, be it inside of a function.
pub(super) fn may_begin(sql: &str) -> bool {
    statements(sql).iter().flatten().any(|word| matches!(&**word, "BEGIN" | "START"))
}

/// What to do in place of a statement that leaves something in its session.
fn kept(words: &[String]) -> Option<&'static str> {
    let word = |index: usize| words.get(index).map_or("", String::as_str);
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    let temporary = ["TEMP", "TEMPORARY"];
    match word(0) {
        "SET" if !matches!(word(1), "LOCAL" | "TRANSACTION" | "CONSTRAINTS") => {
            Some("say SET LOCAL in a transaction, or ALTER ROLE .. SET")
        }
        "RESET" | "DISCARD" => Some("there is nothing to reset"),
        "BEGIN" | "START" | "COMMIT" | "END" | "ROLLBACK" | "ABORT" | "SAVEPOINT" | "RELEASE" => {
            Some("say begin(), commit() and rollback() of the connection")
        }
        "LISTEN" | "UNLISTEN" | "PREPARE" | "EXECUTE" | "DEALLOCATE" | "LOAD" => {
            Some("use a connection of its own without the pooler")
        }
        "DECLARE" if has("HOLD") => Some("use a cursor without HOLD, in a transaction"),
        "CREATE" if words.iter().take(4).any(|word| temporary.contains(&word.as_str())) && !has("DROP") => {
            Some("say ON COMMIT DROP, in a transaction")
        }
        "SELECT" | "WITH"
            if words
                .windows(2)
                .any(|pair| matches!(pair, [into, what] if into == "INTO" && temporary.contains(&what.as_str()))) =>
        {
            Some("say CREATE TEMPORARY TABLE .. ON COMMIT DROP, in a transaction")
        }
        _ if words.iter().any(|word| {
            matches!(
                &**word,
                "PG_ADVISORY_LOCK" | "PG_ADVISORY_LOCK_SHARED" | "PG_TRY_ADVISORY_LOCK" | "PG_TRY_ADVISORY_LOCK_SHARED"
            )
        }) =>
        {
            Some("use pg_advisory_xact_lock, in a transaction")
        }
        _ => None,
    }
}

/// The words of each statement in capitals, without what stands in quotes and comments.
fn statements(sql: &str) -> Vec<Vec<String>> {
    let (mut all, mut words) = (Vec::new(), Vec::new());
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let len = match first {
            '\'' => {
                // A quote behind a backslash ends it not, where it began with E.
                let escapes =
                    words.last().is_some_and(|word| word == "E") && sql_before(sql, rest).ends_with(['e', 'E']);
                quoted(rest, '\'', escapes)
            }
            '"' => quoted(rest, '"', false),
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => comment(rest),
            '$' => dollars(rest),
            ';' => {
                all.push(std::mem::take(&mut words));
                1
            }
            c if is_word(c) => {
                // A dollar may stand inside of a name.
                let len = rest.find(|c| !is_word(c) && c != '$').unwrap_or(rest.len());
                words.push(rest.get(..len).unwrap_or_default().to_uppercase());
                len
            }
            c => c.len_utf8(),
        };
        rest = rest.get(len..).unwrap_or_default();
    }
    all.push(words);
    all
}

fn sql_before<'s>(sql: &'s str, rest: &str) -> &'s str {
    sql.get(..sql.len() - rest.len()).unwrap_or_default()
}

/// How long what is in quotes is, with them. One that is doubled begins another one behind it.
fn quoted(rest: &str, quote: char, escapes: bool) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' if escapes => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// How long a comment is, which may have others in it.
fn comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(here) = rest.get(at..).filter(|here| !here.is_empty()) {
        if here.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if here.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += here.chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

/// How long a text between `$tag$` and `$tag$` is; of a parameter, only its dollar.
fn dollars(rest: &str) -> usize {
    let inner = rest.get(1..).unwrap_or_default();
    let Some(end) = inner.find('$') else { return 1 };
    let tag = inner.get(..end).unwrap_or_default();
    if tag.starts_with(|c: char| c.is_ascii_digit()) || !tag.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return 1;
    }
    let mark = rest.get(..end + 2).unwrap_or_default();
    let body = rest.get(mark.len()..).unwrap_or_default();
    body.find(mark).map_or(rest.len(), |at| at + 2 * mark.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_in_a_session_is_refused() {
        for sql in [
            "SET TimeZone = 'UTC'",
            "CREATE TABLE t (n int); set session role x",
            "/* a /* b */ ; */ SET x = 1",
            "-- it's\nRESET ALL",
            "BEGIN; SELECT 1",
            "SELECT 1; COMMIT",
            "CREATE TEMP TABLE t (n int)",
            "CREATE GLOBAL TEMPORARY TABLE t (n int) ON COMMIT DELETE ROWS",
            "SELECT 1 INTO TEMP t",
            "LISTEN news",
            "PREPARE x AS SELECT 1",
            "SELECT pg_advisory_lock(1)",
            r"SELECT E'\''; SET x = 1; SELECT ''",
            "DECLARE c CURSOR WITH HOLD FOR SELECT 1",
        ] {
            let refused = check(sql).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Configuration, "{sql}");
        }
        for sql in [
            "CREATE TABLE t (\"set\" int); INSERT INTO t VALUES (1)",
            "SET LOCAL TimeZone = 'UTC'; set constraints all deferred; SET TRANSACTION READ ONLY",
            "CREATE FUNCTION f() RETURNS int AS $f$ BEGIN; SET x = 1; END; $f$ LANGUAGE plpgsql",
            "SELECT ';SET x = 1', 'it''s; SET y'",
            "CREATE TEMP TABLE t ON COMMIT DROP AS SELECT 1",
            "UPDATE t SET n = $1; SELECT $2",
            "CREATE TABLE temp_t (n int)",
            "",
        ] {
            assert!(check(sql).is_ok(), "{sql}");
        }
    }

    #[test]
    fn what_may_begin_a_transaction_is_known() {
        assert!(may_begin("begin; SELECT 1") && may_begin("SELECT 1;START TRANSACTION"));
        assert!(!may_begin("SET x = 1; SELECT 'BEGIN'"));
    }
}
