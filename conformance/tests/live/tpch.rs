//! The queries of TPC-H: their snapshots, and their answers beside those of the standard's own texts on real engines.
//!
//! A query on an engine is a test of its own: `cargo test -p isogloss-conformance --test live 'tpch sqlite'`. SQLite is always
//! there, and what it answers is what every other engine must answer. PostgreSQL, MySQL and MariaDB are where
//! `ISOGLOSS_POSTGRES_URL` and `ISOGLOSS_MYSQL_URL` say, several of a kind with blanks between them.
//!
//! `ISOGLOSS_TPCH_SCALE=0.1` takes ten times the data. At a scale of 1 there are 6,000,000 lines, and the answers are also
//! those that the standard publishes.

use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

use isogloss_cases::{Case, stone};
use isogloss_compiler::{Compiled, Compiler, Target};
use isogloss_conformance::tpch::{self, Answer, Query};
use isogloss_driver::{AnyConnection, Backend, ConnectionExt};
use isogloss_mysql::driver::{MySqlBackend, MySqlOptions};
use isogloss_postgres::driver::{PostgresBackend, PostgresOptions};
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};
use libtest_mimic::{Failed, Trial};
use tokio::runtime::Runtime;

/// The snapshots, and each query on each engine; the engines are cleared after the run.
pub fn trials() -> (Vec<Trial>, Engines) {
    let scale = env::var("ISOGLOSS_TPCH_SCALE").map_or(tpch::SCALE, |text| text.parse().expect("a scale is a number"));
    let world = Arc::new(World {
        scale,
        compiler: Compiler::new(tpch::catalog().expect("the catalog is correct")),
        runtime: Runtime::new().expect("threads can be had"),
    });
    let mut trials: Vec<Trial> = tpch::cases().into_iter().map(|case| snapshot(&world, case)).collect();

    let sqlite = Arc::new(Engine::new(Place::Memory, None, &world));
    let mut engines = vec![Arc::clone(&sqlite)];
    for (variable, place) in
        [("ISOGLOSS_POSTGRES_URL", Place::Postgres as fn(String) -> Place), ("ISOGLOSS_MYSQL_URL", Place::MySql)]
    {
        let urls = env::var(variable).unwrap_or_default();
        if urls.trim().is_empty() {
            trials.push(Trial::test(format!("tpch skipped: no {variable}"), || Ok(())).with_ignored_flag(true));
        }
        for url in urls.split_whitespace() {
            engines.push(Arc::new(Engine::new(place(url.to_owned()), Some(Arc::clone(&sqlite)), &world)));
        }
    }
    let queries: Vec<Arc<Query>> = tpch::queries(scale).into_iter().map(Arc::new).collect();
    for engine in &engines {
        trials.extend(queries.iter().map(|query| {
            let (engine, query) = (Arc::clone(engine), Arc::clone(query));
            Trial::test(format!("tpch {}/{}", engine.name, query.name()), move || engine.check(&query))
        }));
    }
    (trials, Engines(engines))
}

/// The engines that the queries ran on.
pub struct Engines(Vec<Arc<Engine>>);

impl Engines {
    /// Drops the tables that were loaded.
    pub fn clear(&self) {
        self.0.iter().for_each(|engine| engine.clear());
    }
}

/// What all engines share.
struct World {
    scale: f64,
    compiler: Compiler,
    runtime: Runtime,
}

/// The query in all dialects, none of which refuses it.
fn snapshot(world: &Arc<World>, case: Case) -> Trial {
    let world = Arc::clone(world);
    Trial::test(format!("tpch/{}", case.name), move || {
        let mut settings = insta::Settings::new();
        settings.set_snapshot_path(PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../snapshots/tpch")));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        for target in case.targets() {
            stone::compile(&world.compiler, &case, &target)?;
        }
        let stone = stone::stone(&world.compiler, "tpch", &case);
        settings.bind(|| insta::assert_snapshot!(case.name.as_str(), stone));
        Ok(())
    })
}

/// Where an engine is.
enum Place {
    Memory,
    Postgres(String),
    MySql(String),
}

impl Place {
    async fn open(&self) -> isogloss_driver::Result<Box<dyn Backend>> {
        Ok(match self {
            Place::Memory => Box::new(SqliteBackend::open(SqliteOptions::memory()).await?),
            Place::Postgres(url) => Box::new(PostgresBackend::connect(PostgresOptions::url(url)?).await?),
            Place::MySql(url) => Box::new(MySqlBackend::connect(MySqlOptions::url(url)?).await?),
        })
    }

    /// What makes a schema of the test's own the one that names mean, and what drops it.
    fn schema(&self) -> (String, String) {
        let name = format!("isogloss_tpch_{}", std::process::id());
        match self {
            Place::Memory => Default::default(),
            Place::Postgres(_) => {
                (format!("CREATE SCHEMA {name}; SET search_path = {name}"), format!("DROP SCHEMA {name} CASCADE"))
            }
            Place::MySql(_) => (format!("CREATE DATABASE {name}; USE {name}"), format!("DROP DATABASE {name}")),
        }
    }
}

/// An engine with the tables, loaded when the first query wants them.
struct Engine {
    /// Its dialect and version, as in `postgres-18`; the dialect is what an adaptation of the standard's text names.
    name: String,
    place: Place,
    /// The engine whose answers it must give.
    model: Option<Arc<Engine>>,
    world: Arc<World>,
    loaded: OnceLock<Result<Mutex<Loaded>, String>>,
}

struct Loaded {
    connection: AnyConnection,
    target: Arc<Target>,
}

impl Engine {
    fn new(place: Place, model: Option<Arc<Engine>>, world: &Arc<World>) -> Self {
        let backend = world.runtime.block_on(place.open()).expect("the server answers");
        let name = backend.dialect().label().replace(' ', "-");
        Self { name, place, model, world: Arc::clone(world), loaded: OnceLock::new() }
    }

    /// The tree gives the same answer as the standard's text, and as on the other engine.
    fn check(&self, query: &Query) -> Result<(), Failed> {
        let dialect = self.name.split('-').next().unwrap_or_default();
        let standard = query.standard(dialect).ok_or("the standard's text is not what its adaptations expect")?;
        let expected = self.standard(&standard)?;
        let actual = self.tree(query)?;
        if expected.iter().flatten().all(|value| value.is_null()) {
            return Err("the data has no answer to it, so there is nothing to compare".into());
        }
        let differs = |beside: &str, difference: Option<String>| match difference {
            Some(difference) => Err(format!("beside {beside}: {difference}")),
            None => Ok(()),
        };
        differs("the standard's text", tpch::difference(&expected, &actual, query.order))?;
        if let Some(model) = &self.model {
            differs(&model.name, tpch::difference(&model.tree(query)?, &actual, query.order))?;
        }
        if self.world.scale == 1.0 {
            let published = query.published().ok_or("the standard publishes no answer")?;
            differs("the published answer", tpch::difference_from_published(&published, &actual, query.order))?;
        }
        Ok(())
    }

    fn tree(&self, query: &Query) -> Result<Answer, String> {
        self.with(async |loaded| {
            let compiled = loaded.target.compile(&query.expr)?;
            Ok(loaded.connection.fetch(&compiled).await?)
        })
    }

    /// One of the statements is the query; what it reads is made before and dropped after.
    fn standard(&self, statements: &[String]) -> Result<Answer, String> {
        self.with(async |loaded| {
            let mut answer = Answer::new();
            for sql in statements {
                if sql.starts_with("select") {
                    let statement = Compiled { sql: sql.clone(), ..Compiled::default() };
                    answer = loaded.connection.fetch(&statement).await?;
                } else {
                    loaded.connection.script(sql).await?;
                }
            }
            Ok(answer)
        })
    }

    fn with<T>(&self, run: impl AsyncFnOnce(&mut Loaded) -> Result<T, Box<dyn Error>>) -> Result<T, String> {
        let load = || self.world.runtime.block_on(self.load()).map(Mutex::new).map_err(|error| format!("{error:?}"));
        let mut loaded = self.loaded.get_or_init(load).as_ref()?.lock().map_err(|_| "an earlier query has panicked")?;
        self.world.runtime.block_on(run(&mut loaded)).map_err(|error| format!("{error:?}"))
    }

    async fn load(&self) -> Result<Loaded, Box<dyn Error>> {
        let backend = self.place.open().await?;
        let mut connection = backend.connect().await?;
        let target = self.world.compiler.target(backend.dialect());
        let (enter, _) = self.place.schema();
        connection.script(&enter).await?;
        for (id, entity) in target.catalog().entities() {
            if entity.base.is_none() {
                for statement in backend.ddl().create_table(target.catalog(), id, &[])? {
                    connection.script(&statement).await?;
                }
            }
        }
        tpch::load(&mut *connection, &target, self.world.scale).await?;
        Ok(Loaded { connection, target })
    }

    fn clear(&self) {
        if let Some(Ok(loaded)) = self.loaded.get()
            && let Ok(mut loaded) = loaded.lock()
        {
            let (_, leave) = self.place.schema();
            if let Err(error) = self.world.runtime.block_on(loaded.connection.script(&leave)) {
                println!("{}: {leave}: {error}", self.name);
            }
        }
    }
}
