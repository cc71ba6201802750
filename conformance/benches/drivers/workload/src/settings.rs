//! What is the same for all contestants of an engine. Each says on its own connections, by asking the server there, what
//! holds for it: a run ends where that is something else.

use std::collections::HashSet;

use crate::{Outcome, POOL};

/// What each connection to SQLite begins with.
pub const PRAGMAS: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; \
    PRAGMA busy_timeout = 5000";

/// A setting: an expression of the engine's that gives it as text.
pub struct Setting {
    pub name: &'static str,
    pub expression: &'static str,
    pub expected: &'static str,
}

const fn setting(name: &'static str, expression: &'static str, expected: &'static str) -> Setting {
    Setting { name, expression, expected }
}

const SQLITE: [Setting; 7] = [
    setting("journal_mode", "(SELECT journal_mode FROM pragma_journal_mode)", "wal"),
    setting("synchronous, 1 is NORMAL", "(SELECT CAST(synchronous AS TEXT) FROM pragma_synchronous)", "1"),
    setting("foreign_keys", "(SELECT CAST(foreign_keys AS TEXT) FROM pragma_foreign_keys)", "1"),
    setting("cache_size, KiB below zero", "(SELECT CAST(cache_size AS TEXT) FROM pragma_cache_size)", "-2000"),
    setting("page_size, bytes", "(SELECT CAST(page_size AS TEXT) FROM pragma_page_size)", "4096"),
    setting("locking_mode", "(SELECT locking_mode FROM pragma_locking_mode)", "normal"),
    setting("temp_store", "(SELECT CAST(temp_store AS TEXT) FROM pragma_temp_store)", "0"),
];

const POSTGRES: [Setting; 6] = [
    setting("TLS", "(SELECT CAST(ssl AS text) FROM pg_stat_ssl WHERE pid = pg_backend_pid())", "false"),
    setting("TCP", "CAST(inet_server_addr() IS NOT NULL AS text)", "true"),
    setting("synchronous_commit", "current_setting('synchronous_commit')", "on"),
    setting("transaction_isolation", "current_setting('transaction_isolation')", "read committed"),
    setting("plan_cache_mode", "current_setting('plan_cache_mode')", "auto"),
    setting("client_encoding", "current_setting('client_encoding')", "UTF8"),
];

macro_rules! of_mysql {
    ($schema:literal, $isolation:literal, $told:literal) => {
        [
            setting(
                "TLS",
                concat!("(SELECT VARIABLE_VALUE FROM ", $schema, ".session_status WHERE VARIABLE_NAME = 'Ssl_cipher')"),
                "",
            ),
            setting(
                "TCP",
                "(SELECT CASE WHEN host LIKE '%:%' THEN 'true' ELSE 'false' END FROM information_schema.processlist \
                 WHERE id = CONNECTION_ID())",
                "true",
            ),
            setting("transaction isolation", $isolation, "REPEATABLE-READ"),
            setting("autocommit", "CASE WHEN @@SESSION.autocommit THEN 'on' ELSE 'off' END", "on"),
            setting("character_set_client", "@@SESSION.character_set_client", "utf8mb4"),
            // At most one, with which a connection begins.
            setting(
                "pings and resets",
                concat!("(SELECT CASE WHEN ", $told, " < 2 THEN 'none' ELSE 'many' END)"),
                "none",
            ),
        ]
    };
}

const MYSQL: [Setting; 6] = of_mysql!(
    "performance_schema",
    "@@SESSION.transaction_isolation",
    "(SELECT SUM(COUNT_STAR) FROM performance_schema.events_statements_summary_by_thread_by_event_name WHERE \
     THREAD_ID = PS_CURRENT_THREAD_ID() AND EVENT_NAME IN ('statement/com/Ping', 'statement/com/Reset Connection'))"
);
const MARIADB: [Setting; 6] = of_mysql!(
    "information_schema",
    "@@SESSION.tx_isolation",
    "(SELECT CAST(VARIABLE_VALUE AS SIGNED) FROM information_schema.session_status \
     WHERE VARIABLE_NAME = 'Com_admin_commands')"
);

/// The settings of an engine.
pub fn settings(engine: &str, mariadb: bool) -> &'static [Setting] {
    match (engine, mariadb) {
        ("sqlite", _) => &SQLITE,
        ("postgres", _) => &POSTGRES,
        (_, false) => &MYSQL,
        (_, true) => &MARIADB,
    }
}

/// Gives which session it is, whether it has been asked before, and marks it: a pool that resets a session loses the mark.
/// A driver must not see that the mark is set: one that looks at what a statement sets takes that back alone.
pub fn mark(engine: &str) -> Option<&'static str> {
    match engine {
        "sqlite" => None,
        "postgres" => Some(
            "CAST(pg_backend_pid() AS text) || ' ' || COALESCE(NULLIF(current_setting('bench.seen', true), ''), '0') \
             || ' ' || substr(CAST(query_to_xml('SELECT set_config(''bench.seen'', ''1'', false)', true, false, '') AS text), 1, 1)",
        ),
        _ => Some("CAST(CONCAT(CONNECTION_ID(), ' ', COALESCE(@seen, 0), ' ', @seen := 1) AS CHAR)"),
    }
}

/// How often a contestant is asked, so that each connection of its pool has its turn, whatever their order is.
pub const TIMES: usize = 3 * POOL;

/// Whether sessions that are met again have kept their marks.
pub fn kept(answers: &[String]) -> Outcome<()> {
    let mut met = HashSet::new();
    for answer in answers {
        let mut parts = answer.split(' ');
        let (Some(session), Some(seen)) = (parts.next(), parts.next()) else { return Err(answer.clone().into()) };
        if !met.insert(session) && seen != "1" {
            return Err("its pool resets sessions, and those of the others do not".into());
        }
    }
    Ok(())
}
