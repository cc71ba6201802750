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

/// Refuses a statement that a session would keep behind a pooler. Those that read and write rows are looked at closer only
/// where a word of theirs may be such a one.
///
/// # Errors
/// [`ErrorKind::Configuration`], with what to do.
pub(super) fn check_one(sql: &str) -> Result<()> {
    let first = sql.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let known = ["SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "VALUES", "WITH"];
    let may_keep = || ["advisory", "set_config", "temp"].iter().any(|hint| contains(sql, hint));
    if known.iter().any(|word| first.eq_ignore_ascii_case(word)) && !may_keep() { Ok(()) } else { check(sql) }
}

/// Whether a text has another one in it, in small or capital letters.
fn contains(sql: &str, wanted: &str) -> bool {
    sql.as_bytes().windows(wanted.len()).any(|part| part.eq_ignore_ascii_case(wanted.as_bytes()))
}

/// Whether there is a word in it that begins a transaction, be it inside of a function.
pub(super) fn may_begin(sql: &str) -> bool {
    statements(sql).iter().flatten().any(|word| matches!(&**word, "BEGIN" | "START" | "CHAIN"))
}

/// Whether there is a statement in it that may end a transaction.
pub(super) fn may_end(sql: &str) -> bool {
    let ends = |first: &String| matches!(&**first, "COMMIT" | "END" | "ROLLBACK" | "ABORT" | "PREPARE");
    statements(sql).iter().filter_map(|words| words.first()).any(ends)
}

/// Returns whether there is a statement in it that may give a table other columns.
pub(super) fn may_change_tables(sql: &str) -> bool {
    let changes = |first: &String| matches!(&**first, "ALTER" | "CREATE" | "DROP" | "DO" | "CALL");
    statements(sql).iter().filter_map(|words| words.first()).any(changes)
}

/// What to do in place of a statement that leaves something in its session.
fn kept(words: &[String]) -> Option<&'static str> {
    let begin = words.iter().position(|word| word != "(").unwrap_or_default();
    let words = words.get(begin..).unwrap_or_default();
    let word = |index: usize| words.get(index).map_or("", String::as_str);
    let temporary = |word: &str| matches!(word, "TEMP" | "TEMPORARY");
    let advice = match word(0) {
        "SET" if !matches!(word(1), "LOCAL" | "TRANSACTION" | "CONSTRAINTS") => {
            Some("say SET LOCAL in a transaction, or ALTER ROLE .. SET")
        }
        "RESET" | "DISCARD" => Some("there is nothing to reset"),
        // A transaction that was prepared belongs to no session.
        "COMMIT" | "ROLLBACK" if word(1) == "PREPARED" => None,
        "BEGIN" | "START" | "COMMIT" | "END" | "ROLLBACK" | "ABORT" | "SAVEPOINT" | "RELEASE" => {
            Some("say begin(), commit() and rollback() of the connection")
        }
        "LISTEN" | "UNLISTEN" | "PREPARE" | "EXECUTE" | "DEALLOCATE" | "LOAD" => {
            Some("use a connection of its own without the pooler")
        }
        "DECLARE" if follow(words, &["CURSOR", "WITH", "HOLD"]) => Some("use a cursor without HOLD, in a transaction"),
        "CREATE" => {
            let is_how = |word: &&String| matches!(&***word, "OR" | "REPLACE" | "GLOBAL" | "LOCAL");
            let what = words.iter().skip(1).find(|word| !is_how(word));
            let is_temporary = what.is_some_and(|word| temporary(word)) || names(words, "pg_temp");
            let stays = is_temporary && !follow(words, &["ON", "COMMIT", "DROP"]);
            stays.then_some("say CREATE TEMPORARY TABLE .. ON COMMIT DROP, in a transaction")
        }
        "EXPLAIN" => {
            words.iter().position(|word| matches!(&**word, "CREATE" | "EXECUTE")).and_then(|at| kept(words.get(at..)?))
        }
        _ => None,
    };
    advice.or_else(|| made(words)).or_else(|| called(words))
}

/// What a query makes of its rows.
fn made(words: &[String]) -> Option<&'static str> {
    let makes = words.iter().enumerate().any(|(at, word)| {
        let before = at.checked_sub(1).and_then(|at| words.get(at)).map_or("", String::as_str);
        let mut behind = words.iter().skip(at + 1).skip_while(|word| matches!(&***word, "GLOBAL" | "LOCAL"));
        let is_temporary = |word: &String| matches!(&**word, "TEMP" | "TEMPORARY") || is_name(word, "pg_temp");
        word == "INTO" && !matches!(before, "INSERT" | "MERGE") && behind.next().is_some_and(is_temporary)
    });
    makes.then_some("say CREATE TEMPORARY TABLE .. ON COMMIT DROP, in a transaction")
}

/// What a function that is called leaves.
fn called(words: &[String]) -> Option<&'static str> {
    const LOCKS: [&str; 4] =
        ["pg_advisory_lock", "pg_advisory_lock_shared", "pg_try_advisory_lock", "pg_try_advisory_lock_shared"];
    words.iter().enumerate().find_map(|(at, word)| {
        let arguments = words.get(at + 1..).filter(|rest| rest.first().is_some_and(|next| next == "("))?;
        if LOCKS.iter().any(|lock| is_name(word, lock)) {
            return Some("use pg_advisory_xact_lock, in a transaction");
        }
        let stays = is_name(word, "set_config") && !is_local(arguments);
        stays.then_some("let its last argument be `true`, in a transaction")
    })
}

/// Whether the last argument of `set_config` is `true`.
fn is_local(arguments: &[String]) -> bool {
    let mut depth = 0_usize;
    let end = arguments.iter().position(|word| {
        match &**word {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    let last = end.and_then(|end| arguments.get(end.checked_sub(2)?..end));
    matches!(last, Some([before, word]) if before == "," && word == "TRUE")
}

fn follow(words: &[String], wanted: &[&str]) -> bool {
    words.windows(wanted.len()).any(|some| some.iter().eq(wanted))
}

fn names(words: &[String], name: &str) -> bool {
    words.iter().any(|word| is_name(word, name))
}

/// Whether a word is that name, which has small letters, in quotes or without.
fn is_name(word: &str, name: &str) -> bool {
    word.strip_prefix('"').map_or_else(|| word.eq_ignore_ascii_case(name), |quoted| quoted == name)
}

/// The words of each statement in capitals, with what tells of arguments; names in quotes as they are, behind one. Texts and
/// comments are left out.
fn statements(sql: &str) -> Vec<Vec<String>> {
    let (mut all, mut words) = (Vec::new(), Vec::new());
    for piece in pieces(sql) {
        match piece.chars().next() {
            Some('"') => words.push(piece.trim_end_matches('"').to_owned()),
            Some('(' | ')' | ',') => words.push(piece.to_owned()),
            Some(';') if is_body(&words) => {}
            Some(';') => all.push(std::mem::take(&mut words)),
            Some(c) if is_word(c) => words.push(piece.to_uppercase()),
            _ => {}
        }
    }
    all.push(words);
    all
}

/// The pieces of a text: words, what is in quotes, comments, and any other character by itself.
pub(super) fn pieces(sql: &str) -> impl Iterator<Item = &str> {
    let (mut rest, mut before) = (sql, "");
    std::iter::from_fn(move || {
        let len = match rest.chars().next()? {
            // A quote behind a backslash ends it not, where it began with E.
            '\'' => quoted(rest, '\'', before.eq_ignore_ascii_case("e")),
            '"' => quoted(rest, '"', false),
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => comment(rest),
            '$' => dollars(rest),
            // A dollar may stand inside of a name.
            c if is_word(c) => rest.find(|c| !is_word(c) && c != '$').unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        (before, rest) = rest.split_at_checked(len)?;
        Some(before)
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a statement is in the midst of the body of a function: between `BEGIN ATOMIC` and its `END`.
fn is_body(words: &[String]) -> bool {
    let begin =
        words.windows(2).position(|pair| matches!(pair, [begin, atomic] if begin == "BEGIN" && atomic == "ATOMIC"));
    let Some(begin) = begin.filter(|_| words.first().is_some_and(|word| word == "CREATE")) else { return false };
    let count = |wanted: &str| words.iter().skip(begin).filter(|word| *word == wanted).count();
    // Each CASE has an END of its own.
    count("END") <= count("CASE")
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
    fn the_words_of_a_statement_are_found() {
        let words = |sql: &str| statements(sql).into_iter().map(|words| words.join(" ")).collect::<Vec<_>>();
        assert_eq!(words("/* a /* b */ ; */ set X = 'a;b'; --;\nf(1, $1)"), ["SET X", "F ( 1 , 1 )"]);
        assert_eq!(words(r"SELECT E'\';'; SELECT 'a\'; $x$ ; $$ ; $x$"), ["SELECT E", "SELECT", ""]);
        assert_eq!(words(r#"SELECT "a;B" . c"#), [r#"SELECT "a;B C"#]);
        let body = "CREATE FUNCTION f() BEGIN ATOMIC SELECT CASE WHEN 1 THEN 2 END; SELECT 1; END; SELECT 2";
        assert_eq!(words(body).len(), 2);
    }

    #[test]
    fn what_may_begin_a_transaction_is_known() {
        assert!(may_begin("begin; SELECT 1") && may_begin("SELECT 1;START TRANSACTION"));
        assert!(!may_begin("SET x = 1; SELECT 'BEGIN'"));
    }

    #[test]
    fn what_may_change_a_table_is_known() {
        assert!(may_change_tables("SELECT 1; alter table t add b int") && may_change_tables("DO $$ BEGIN END $$"));
        assert!(!may_change_tables("SET x = 1; SELECT 'ALTER'; INSERT INTO t VALUES (1)"));
    }
}
