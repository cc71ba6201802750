//! Where a test runs.

use std::panic::{AssertUnwindSafe, resume_unwind};
use std::path::PathBuf;

use futures_util::FutureExt;
use isogloss::OrmContext;
use isogloss::config::DataSourceConfig;

use crate::sessions::{Outcome, catalog, create, plain};
use crate::support::engines::until_counted;

/// An engine, with as many empty databases for a test as it asks for.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) engine: Engine,
    /// The test's own part of names.
    pub(crate) name: String,
    /// Of a server: who asks, where, and in which database.
    pub(crate) url: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    Memory,
    File,
    Postgres,
    MySql,
}

/// The databases of a place.
const COUNT: usize = 2;

impl Place {
    /// The engines for a test.
    fn all(test: &str) -> Vec<Self> {
        let name = format!("isogloss_{test}_{}", std::process::id());
        let here = |engine| Self { engine, name: name.clone(), url: String::new() };
        let mut places = vec![here(Engine::Memory), here(Engine::File)];
        for (variable, engine) in [("ISOGLOSS_POSTGRES_URL", Engine::Postgres), ("ISOGLOSS_MYSQL_URL", Engine::MySql)] {
            let urls = std::env::var(variable).unwrap_or_default();
            if urls.trim().is_empty() {
                isogloss_testkit::skipped(format_args!("no {variable}"));
            }
            places.extend(urls.split_whitespace().map(|url| Self { url: url.to_owned(), ..here(engine) }));
        }
        places
    }

    pub(crate) fn is_memory(&self) -> bool {
        self.engine == Engine::Memory
    }

    pub(crate) fn is_server(&self) -> bool {
        matches!(self.engine, Engine::Postgres | Engine::MySql)
    }

    pub(crate) fn provider(&self) -> &'static str {
        match self.engine {
            Engine::Memory | Engine::File => "sqlite",
            Engine::Postgres => "postgres",
            Engine::MySql => "mysql",
        }
    }

    pub(crate) fn folder(&self) -> PathBuf {
        std::env::temp_dir().join(&self.name)
    }

    /// The place of a database.
    pub(crate) fn connection_string(&self, number: usize) -> String {
        let name = format!("{}_{number}", self.name);
        match self.engine {
            Engine::Memory => ":memory:".to_owned(),
            Engine::File => format!("{}?create=true", self.folder().join(name).display()),
            Engine::Postgres => format!("{}?options=-c%20search_path%3D{name}", self.url),
            Engine::MySql => match self.url.rsplit_once('/') {
                Some((server, _)) => format!("{server}/{name}"),
                None => self.url.clone(),
            },
        }
    }

    /// Of a server: its user, its place as the URL has it, and that with the port, which is the engine's own where none is said.
    pub(crate) fn server(&self) -> Outcome<(&str, &str, String)> {
        let (user, rest) = self.url.split_once('@').ok_or("a URL with a user")?;
        let (server, _) = rest.split_once('/').ok_or("a URL with a database")?;
        let port = if self.engine == Engine::MySql { 3306 } else { 5432 };
        // The colons of an IPv6 address stand in brackets.
        let has_port = server.rsplit_once(':').is_some_and(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()));
        Ok((user, server, if has_port { server.to_owned() } else { format!("{server}:{port}") }))
    }

    pub(crate) fn source(&self, name: &str, number: usize) -> DataSourceConfig {
        DataSourceConfig::new(name, self.provider(), self.connection_string(number))
    }

    /// A context over what is there.
    pub(crate) fn reopened(&self) -> Outcome<OrmContext> {
        let context = OrmContext::new(catalog());
        context.add_data_source(self.source("main", 0))?;
        context.add_data_source(self.source("other", 1))?;
        Ok(context)
    }

    /// A context with the tables: `main`, the default, and `other`.
    pub(crate) async fn context(&self) -> Outcome<OrmContext> {
        let context = self.reopened()?;
        create(&context, "main").await?;
        create(&context, "other").await?;
        Ok(context)
    }

    /// Waits until a server runs a statement.
    pub(crate) async fn until_runs(&self, sql: &str) -> Outcome {
        let admin = OrmContext::new(catalog());
        admin.add_data_source(DataSourceConfig::new("admin", self.provider(), self.url.as_str()))?;
        let mut admin = admin.data_source(None)?.backend().await?.connect().await?;
        let (list, text) = match self.engine {
            Engine::Postgres => ("pg_stat_activity WHERE state = 'active'", "query"),
            _ => ("information_schema.processlist WHERE command NOT IN ('Sleep', 'Prepare')", "info"),
        };
        let running = plain(format!("SELECT COUNT(*) FROM {list} AND {text} = '{sql}'"));
        Ok(until_counted(&mut admin, &running).await?)
    }

    async fn prepare(&self, back: bool) -> Outcome {
        match self.engine {
            Engine::Memory => return Ok(()),
            Engine::File => {
                let _ = std::fs::remove_dir_all(self.folder());
                return if back { Ok(()) } else { Ok(std::fs::create_dir_all(self.folder())?) };
            }
            Engine::Postgres | Engine::MySql => {}
        }
        let admin = OrmContext::new(catalog());
        admin.add_data_source(DataSourceConfig::new("admin", self.provider(), self.url.as_str()))?;
        let mut admin = admin.data_source(None)?.backend().await?.connect().await?;
        let (what, cascade) = if self.engine == Engine::Postgres { ("SCHEMA", " CASCADE") } else { ("DATABASE", "") };
        for number in 0..COUNT {
            let name = format!("{}_{number}", self.name);
            admin.script(&format!("DROP {what} IF EXISTS {name}{cascade}")).await?;
            if !back {
                admin.script(&format!("CREATE {what} {name}")).await?;
            }
        }
        Ok(())
    }
}

/// Runs a test at each place.
pub(crate) async fn each(test: &str, run: impl AsyncFn(&Place) -> Outcome) -> Outcome {
    for place in Place::all(test) {
        place.prepare(false).await?;
        // A test that panics leaves nothing behind, either.
        let done = AssertUnwindSafe(run(&place)).catch_unwind().await;
        place.prepare(true).await?;
        match done {
            Ok(done) => done.map_err(|error| format!("{:?}: {error} ({error:?})", place.engine))?,
            Err(panic) => {
                println!("at {:?}", place.engine);
                resume_unwind(panic)
            }
        }
    }
    Ok(())
}
