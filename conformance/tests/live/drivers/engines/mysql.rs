//! MySQL and MariaDB, in a database.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use isogloss_driver::{Backend, ErrorKind, Isolation, PoolOptions, Result, TransactionOptions};
use isogloss_mysql::driver::{MySqlBackend, MySqlOptions, TlsMode};

use crate::drivers::Outcome;
use crate::drivers::engine::{Engine, Server, Which};
use crate::drivers::typed::Limits;

pub struct MySql {
    /// Without the database.
    outside: MySqlOptions,
    options: MySqlOptions,
    name: String,
    is_mariadb: bool,
}

async fn opened(options: MySqlOptions) -> Result<Arc<dyn Backend>> {
    Ok(Arc::new(MySqlBackend::connect(options).await?))
}

impl MySql {
    pub async fn make(url: String, name: String) -> Outcome<Arc<dyn Engine>> {
        let outside = MySqlOptions::url(&url)?;
        let mut options = outside.clone();
        options.database = Some(name.clone());
        let backend = opened(outside.clone()).await?;
        backend.connect().await?.script(&format!("CREATE DATABASE {name} CHARACTER SET utf8mb4")).await?;
        let is_mariadb = backend.origin().system == "mariadb";
        Ok(Arc::new(Self { outside, options, name, is_mariadb }))
    }
}

impl Engine for MySql {
    fn open(&self, pool: PoolOptions) -> BoxFuture<'_, Result<Arc<dyn Backend>>> {
        Box::pin(opened(self.options.clone().pool(pool)))
    }

    fn end(&self) -> BoxFuture<'_, Outcome> {
        Box::pin(async {
            let drops = format!("SET lock_wait_timeout = 3; DROP DATABASE {}", self.name);
            Ok(opened(self.outside.clone()).await?.connect().await?.script(&drops).await?)
        })
    }

    fn numbers(&self, power: u32) -> String {
        let digits = (0..10).map(|digit| format!("SELECT {digit} AS d")).collect::<Vec<_>>().join(" UNION ALL ");
        let places = (0..power).map(|place| format!("({digits}) p{place}")).collect::<Vec<_>>().join(" STRAIGHT_JOIN ");
        let sum = (0..power).map(|place| format!("{} * p{place}.d", 10_u64.pow(place))).collect::<Vec<_>>().join(" + ");
        // A hash join would have all of the rows but the last place's in memory.
        format!("SELECT /*+ NO_BNL() */ 1 + {sum} AS n FROM {places}")
    }

    /// A division by zero is NULL.
    fn failing(&self) -> String {
        let two = "(SELECT 1 UNION ALL SELECT IF(n = 5000, 2, NULL) LIMIT 2)";
        format!("SELECT IF(n = 5000, {two}, n) AS n FROM ({}) q", self.numbers(4))
    }

    /// A SLEEP that stands before all tables ends without an error.
    fn endless(&self) -> String {
        "SELECT COUNT(*) AS n FROM (SELECT 1 AS a UNION SELECT 2) q WHERE SLEEP(3600) = 0".to_owned()
    }

    fn commits_bulk_last(&self) -> bool {
        true
    }

    fn slow(&self) -> String {
        self.endless().replace("3600", "0.1")
    }

    fn returns(&self) -> bool {
        self.is_mariadb
    }

    fn told(&self, mistake: &str) -> (Option<&'static str>, Option<&'static str>) {
        match mistake {
            "primary" => (Some("1062"), Some("PRIMARY")),
            "unique" => (Some("1062"), Some("one_name")),
            "foreign" => (Some("1452"), Some("has_parent")),
            "referred" => (Some("1451"), Some("has_parent")),
            "null" => (Some("1048"), Some("n")),
            "absent" => (Some("1364"), Some("n")),
            "check" => (None, Some("positive")),
            "text" => (Some("1366"), None),
            "column" => (Some("1054"), None),
            "table" => (Some("1146"), None),
            "word" => (Some("1064"), None),
            _ => (None, None),
        }
    }

    fn unlike(&self, mistake: &str) -> Option<ErrorKind> {
        (mistake == "failing").then_some(ErrorKind::Other)
    }

    fn numberings(&self) -> Vec<(&'static [&'static str], bool)> {
        vec![
            // Steps of a cluster.
            (&["SET SESSION auto_increment_increment = 7, auto_increment_offset = 3"], false),
            (
                &["CREATE TRIGGER others BEFORE INSERT ON person FOR EACH ROW SET NEW.id = 10000000 - \
                   10 * CAST(SUBSTRING_INDEX(NEW.name, ' ', -1) AS SIGNED) - CHAR_LENGTH(NEW.name)"],
                true,
            ),
        ]
    }

    /// A statement that its time has ended leaves its transaction; what was dropped has cost the connection.
    fn interrupted(&self, _write: bool, dropped: bool) -> Option<ErrorKind> {
        dropped.then_some(ErrorKind::ConnectionLost)
    }

    fn isolations(&self) -> Vec<(Option<Isolation>, Result<bool, ErrorKind>)> {
        use Isolation::*;
        let snapshot = if self.is_mariadb { Ok(false) } else { Err(ErrorKind::Configuration) };
        vec![
            (Some(ReadCommitted), Ok(true)),
            (Some(RepeatableRead), Ok(false)),
            (Some(Snapshot), snapshot),
            (None, Ok(false)),
        ]
    }

    fn conflicting(&self) -> Option<TransactionOptions> {
        self.is_mariadb.then(|| TransactionOptions::default().isolation(Isolation::Snapshot))
    }

    fn after_deadlock(&self) -> Option<ErrorKind> {
        Some(ErrorKind::Deadlock)
    }

    /// DDL commits.
    fn endings(&self) -> &'static [&'static str] {
        &[
            "COMMIT",
            "ROLLBACK",
            "DO 1; COMMIT",
            "CREATE TABLE IF NOT EXISTS u (a INT)",
            "TRUNCATE own",
            "DROP TABLE IF EXISTS u",
        ]
    }

    fn leavings(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("SET autocommit = 0", "SELECT 1 - @@autocommit"),
            ("/* so */ set autocommit = 0", "SELECT 1 - @@autocommit"),
            ("SELECT /*! 1, */ 1", "SELECT 0"),
            ("SET @x = 5", "SELECT @x IS NOT NULL"),
            ("SELECT @x := 5", "SELECT @x IS NOT NULL"),
            ("SELECT '''\\'', 5 INTO @y, @x", "SELECT @x IS NOT NULL"),
            ("WITH w AS (SELECT 5 AS a) SELECT a FROM w -- it's\nINTO @x", "SELECT @x IS NOT NULL"),
            ("USE mysql", "SELECT DATABASE() = 'mysql'"),
            ("SET sql_mode = ''", "SELECT @@sql_mode = ''"),
            ("(SELECT get_lock('isogloss', 0))", "SELECT COALESCE(IS_USED_LOCK('isogloss') = CONNECTION_ID(), 0)"),
            ("DO GET_LOCK('isogloss', 0)", "SELECT COALESCE(IS_USED_LOCK('isogloss') = CONNECTION_ID(), 0)"),
            ("CREATE TEMPORARY TABLE item (id INT)", "SELECT 0"),
            ("START TRANSACTION", "SELECT 0"),
            ("LOCK TABLES item WRITE", "SELECT 0"),
        ]
    }

    fn harmless(&self) -> &'static [&'static str] {
        &["SHOW TABLES", "REPLACE INTO item (id) VALUES (2)", "( SELECT @@autocommit, `id` FROM item /* @x */ )"]
    }

    fn session(&self) -> Option<(&'static str, bool)> {
        Some(("SELECT CONNECTION_ID()", false))
    }

    fn server(&self) -> Option<&dyn Server> {
        Some(self)
    }

    fn limits(&self) -> Limits {
        Limits { days: 366..=3_652_058, ..Limits::USUAL }
    }
}

impl Server for MySql {
    fn host(&self) -> (String, u16) {
        (self.options.host.clone(), self.options.port)
    }

    fn through(&self, port: u16, pool: PoolOptions) -> BoxFuture<'_, Result<Arc<dyn Backend>>> {
        let mut options = self.options.clone().pool(pool);
        (options.host, options.port) = ("127.0.0.1".into(), port);
        // Of an encrypted answer nothing can be read before the whole block is there, wherever it is cut.
        options.tls = TlsMode::Off;
        Box::pin(opened(options))
    }

    fn strangers(&self) -> Vec<(&'static str, BoxFuture<'_, Result<Arc<dyn Backend>>>)> {
        let (mut nowhere, mut nobody) = (self.outside.clone(), self.outside.clone());
        nowhere.database = Some("isogloss_is_not_there".into());
        (nobody.user, nobody.password) = (Some("isogloss_is_nobody".into()), Some("secret".into()));
        // It is the way to tell who one is that may fail.
        vec![("isogloss_is_not_there", Box::pin(opened(nowhere))), ("", Box::pin(opened(nobody)))]
    }

    /// That is found out by what it is asked for.
    fn hears_its_end(&self) -> bool {
        false
    }

    fn kill(&self, session: i64) -> String {
        format!("KILL {session}")
    }

    fn others(&self, which: Which) -> String {
        let which = match which {
            Which::There => "TRUE".to_owned(),
            Which::Busy => "COMMAND <> 'Sleep'".to_owned(),
            Which::Number(session) => format!("ID = {session}"),
            Which::Running(session) => format!("ID = {session} AND COMMAND NOT IN ('Sleep', 'Prepare', 'Close stmt')"),
        };
        format!(
            "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = '{}' AND ID <> CONNECTION_ID() AND {which}",
            self.name
        )
    }
}
