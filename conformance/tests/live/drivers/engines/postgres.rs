//! PostgreSQL, in a schema.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use isogloss_driver::{Backend, ErrorKind, Isolation, PoolOptions, Result, TransactionOptions};
use isogloss_postgres::driver::{PostgresBackend, PostgresOptions};

use crate::drivers::Outcome;
use crate::drivers::engine::{Engine, Server, Which};
use crate::drivers::typed::Limits;

pub struct Postgres {
    /// Without the schema.
    outside: PostgresOptions,
    options: PostgresOptions,
    schema: String,
}

async fn opened(options: PostgresOptions) -> Result<Arc<dyn Backend>> {
    Ok(Arc::new(PostgresBackend::connect(options).await?))
}

impl Postgres {
    pub async fn make(url: String, schema: String) -> Outcome<Arc<dyn Engine>> {
        let outside = PostgresOptions::url(&url)?;
        let mut options = outside.clone();
        options.application_name = Some(schema.clone());
        options.settings = Some(format!("-c search_path={schema}"));
        let engine = Self { outside, options, schema };
        engine.script(&format!("CREATE SCHEMA {}", engine.schema)).await?;
        Ok(Arc::new(engine))
    }

    async fn script(&self, sql: &str) -> Outcome {
        Ok(opened(self.outside.clone()).await?.connect().await?.script(sql).await?)
    }
}

impl Engine for Postgres {
    fn open(&self, pool: PoolOptions) -> BoxFuture<'_, Result<Arc<dyn Backend>>> {
        Box::pin(opened(self.options.clone().pool(pool)))
    }

    fn end(&self) -> BoxFuture<'_, Outcome> {
        // What a failed test has left running fails this, and does not hold it.
        Box::pin(async { self.script(&format!("SET lock_timeout = '10s'; DROP SCHEMA {} CASCADE", self.schema)).await })
    }

    fn numbers(&self, power: u32) -> String {
        format!("SELECT generate_series(1, {}::bigint) AS n", 10_u64.pow(power))
    }

    fn endless(&self) -> String {
        "SELECT 1 AS n FROM pg_sleep(3600)".to_owned()
    }

    fn slow(&self) -> String {
        "SELECT 1 AS n FROM pg_sleep(0.2)".to_owned()
    }

    fn defers(&self) -> bool {
        true
    }

    fn told(&self, mistake: &str) -> (Option<&'static str>, Option<&'static str>) {
        match mistake {
            "primary" => (Some("23505"), Some("rules_key")),
            "unique" => (Some("23505"), Some("one_name")),
            "foreign" => (Some("23503"), Some("has_parent")),
            "referred" => (Some("23503"), Some("has_parent")),
            "null" | "absent" => (Some("23502"), Some("rules.n")),
            "check" => (Some("23514"), Some("positive")),
            "text" => (Some("22P02"), None),
            "column" => (Some("42703"), None),
            "table" => (Some("42P01"), None),
            "word" => (Some("42601"), None),
            "function" => (Some("42883"), None),
            _ => (None, None),
        }
    }

    /// The server limits no stream, and what the driver asks it to end there does not end within the grace.
    fn loses_slow_streams(&self) -> bool {
        true
    }

    fn numberings(&self) -> Vec<(&'static [&'static str], bool)> {
        vec![
            (&["ALTER TABLE person ALTER id SET INCREMENT BY -3 SET MINVALUE -9000000 SET START 5 RESTART"], false),
            // Numbers of another sequence than the column's own.
            (
                &[
                    "ALTER TABLE person ALTER id DROP IDENTITY",
                    "CREATE SEQUENCE other START 1000000",
                    "ALTER TABLE person ALTER id SET DEFAULT nextval('other') * 2",
                ],
                false,
            ),
            (
                &[
                    "CREATE FUNCTION leap() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
                     NEW.id = NEW.id * 10 * (CASE WHEN NEW.id % 3 = 0 THEN -1 ELSE 1 END); RETURN NEW; END $$",
                    "CREATE TRIGGER leap BEFORE INSERT ON person FOR EACH ROW EXECUTE FUNCTION leap()",
                ],
                false,
            ),
        ]
    }

    fn fails_whole(&self) -> bool {
        true
    }

    fn isolations(&self) -> Vec<(Option<Isolation>, Result<bool, ErrorKind>)> {
        use Isolation::*;
        let keep = [RepeatableRead, Snapshot, Serializable].map(|isolation| (Some(isolation), Ok(false)));
        keep.into_iter().chain([(Some(ReadCommitted), Ok(true)), (None, Ok(true))]).collect()
    }

    fn conflicting(&self) -> Option<TransactionOptions> {
        Some(TransactionOptions::default().isolation(Isolation::Serializable))
    }

    fn endings(&self) -> &'static [&'static str] {
        &["COMMIT", "SELECT 1; END; SELECT 2", "rollback", "ABORT", "COMMIT; BEGIN", "COMMIT AND CHAIN; SELECT 1"]
    }

    fn leavings(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("SET TimeZone = 'Asia/Tokyo'", "SELECT (current_setting('TimeZone') <> 'UTC')::int"),
            (
                "SELECT set_config('TimeZone', 'Asia/Tokyo', false)",
                "SELECT (current_setting('TimeZone') <> 'UTC')::int",
            ),
            (
                "SELECT pg_advisory_lock(1)",
                "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()",
            ),
            ("PREPARE \"Own\" AS SELECT 1", "SELECT COUNT(*) FROM pg_prepared_statements WHERE from_sql"),
            ("CREATE TEMP TABLE own_ (n int)", "SELECT COUNT(*) FROM pg_class WHERE oid = to_regclass('pg_temp.own_')"),
            ("DECLARE own_ CURSOR WITH HOLD FOR SELECT 1", "SELECT COUNT(*) FROM pg_cursors WHERE is_holdable"),
            ("SET ROLE pg_monitor", "SELECT (current_user <> session_user)::int"),
            ("BEGIN", "SELECT 0"),
        ]
    }

    /// It is cleaned, not closed.
    fn session(&self) -> Option<(&'static str, bool)> {
        Some(("SELECT pg_backend_pid()", true))
    }

    fn server(&self) -> Option<&dyn Server> {
        Some(self)
    }

    /// From 4713 BC, where PostgreSQL begins, to where chrono ends.
    fn limits(&self) -> Limits {
        Limits { days: -1_721_424..=95_730_119, odd_floats: true, zero: false, ..Limits::USUAL }
    }
}

impl Server for Postgres {
    fn host(&self) -> (String, u16) {
        self.options.hosts[0].clone()
    }

    fn through(&self, port: u16, pool: PoolOptions) -> BoxFuture<'_, Result<Arc<dyn Backend>>> {
        let mut options = self.options.clone().pool(pool);
        options.hosts = vec![("127.0.0.1".into(), port)];
        Box::pin(opened(options))
    }

    fn strangers(&self) -> Vec<(&'static str, BoxFuture<'_, Result<Arc<dyn Backend>>>)> {
        let (mut nowhere, mut nobody) = (self.outside.clone(), self.outside.clone());
        nowhere.database = Some("isogloss_is_not_there".into());
        (nobody.user, nobody.password) = ("isogloss_is_nobody".into(), Some("secret".into()));
        vec![("isogloss_is_not_there", Box::pin(opened(nowhere))), ("isogloss_is_nobody", Box::pin(opened(nobody)))]
    }

    fn kill(&self, session: i64) -> String {
        format!("SELECT pg_terminate_backend({session})")
    }

    fn others(&self, which: Which) -> String {
        let which = match which {
            Which::There => "true".to_owned(),
            Which::Busy => "state <> 'idle'".to_owned(),
            Which::Number(session) => format!("pid = {session}"),
            Which::Running(session) => format!("pid = {session} AND state = 'active'"),
        };
        format!(
            "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = '{}' AND pid <> pg_backend_pid() AND {which}",
            self.schema
        )
    }
}
