//! The queries of TPC-H: their snapshots, and their answers beside those of the standard's own texts on real engines.
//!
//! A query on an engine is a test of its own: `cargo test -p isogloss-conformance --test tpch sqlite`. SQLite is always
//! there, and what it answers is what every other engine must answer.
//!
//! `ISOGLOSS_TPCH_SCALE=0.1` takes ten times the data. At a scale of 1 there are 6,000,000 lines, and the answers are also
//! those that the standard publishes.

use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

use isogloss_compiler::model::{Catalog, Column, Entity};
use isogloss_compiler::{Compiled, Compiler, Target};
use isogloss_conformance::tpch::{self, Answer, Query};
use isogloss_conformance::{case, stone};
use isogloss_driver::{Backend, Connection, ConnectionExt};
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};
use libtest_mimic::{Arguments, Failed, Trial};
use tokio::runtime::Runtime;

/// 60,000 lines: what answers in seconds.
const SCALE: f64 = 0.01;

/// The foreign keys. The standard lets every one of them have an index.
const INDEXES: &[(&str, &str)] = &[
    ("nation", "n_regionkey"),
    ("supplier", "s_nationkey"),
    ("customer", "c_nationkey"),
    ("partsupp", "ps_suppkey"),
    ("orders", "o_custkey"),
    ("lineitem", "l_partkey, l_suppkey"),
    ("lineitem", "l_suppkey"),
];

fn main() {
    let scale = env::var("ISOGLOSS_TPCH_SCALE").map_or(SCALE, |text| text.parse().expect("a scale is a number"));
    let compiler = Arc::new(Compiler::new(tpch::catalog().expect("the catalog is correct")));
    let mut trials: Vec<Trial> = tpch::queries(SCALE).into_iter().map(|query| snapshot(&compiler, query)).collect();

    let engines = [Arc::new(Engine::new("sqlite", scale, compiler))];
    let queries: Vec<Arc<Query>> = tpch::queries(scale).into_iter().map(Arc::new).collect();
    for engine in &engines {
        trials.extend(queries.iter().map(|query| {
            let (engine, query) = (Arc::clone(engine), Arc::clone(query));
            Trial::test(format!("{}/q{:02}", engine.name, query.number), move || engine.check(&query))
        }));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// The query in all dialects.
fn snapshot(compiler: &Arc<Compiler>, query: Query) -> Trial {
    let (compiler, name) = (Arc::clone(compiler), format!("q{:02}", query.number));
    Trial::test(format!("snapshots/{name}"), move || {
        let mut settings = insta::Settings::new();
        settings.set_snapshot_path(PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../snapshots/tpch")));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        let stone = stone::stone(&compiler, "tpch", &case(name.as_str(), query.expr));
        settings.bind(|| insta::assert_snapshot!(name.as_str(), stone));
        Ok(())
    })
}

/// An engine with the tables, loaded when the first query wants them.
struct Engine {
    name: &'static str,
    scale: f64,
    compiler: Arc<Compiler>,
    loaded: OnceLock<Result<Mutex<Loaded>, String>>,
}

struct Loaded {
    runtime: Runtime,
    connection: Box<dyn Connection>,
    target: Arc<Target>,
}

impl Engine {
    fn new(name: &'static str, scale: f64, compiler: Arc<Compiler>) -> Self {
        Self { name, scale, compiler, loaded: OnceLock::new() }
    }

    /// The tree and the standard's text give the same answer.
    fn check(&self, query: &Query) -> Result<(), Failed> {
        let loaded = self.loaded.get_or_init(|| self.load().map(Mutex::new).map_err(|error| format!("{error:?}")));
        let mut loaded = loaded.as_ref()?.lock().map_err(|_| "an earlier query has panicked")?;
        let standard = query.standard(self.name).ok_or("the standard's text is not what its adaptations expect")?;
        let expected = loaded.standard(&standard)?;
        let actual = loaded.tree(query)?;
        if expected.iter().flatten().all(|value| value.is_null()) {
            return Err("the data has no answer to it, so there is nothing to compare".into());
        }
        if let Some(difference) = tpch::difference(&expected, &actual, query.order) {
            return Err(format!("beside the standard's text: {difference}").into());
        }
        if self.scale == 1.0
            && let Some(published) = query.published()
            && let Some(difference) = tpch::difference_from_published(&published, &actual, query.order)
        {
            return Err(format!("beside the published answer: {difference}").into());
        }
        Ok(())
    }

    fn load(&self) -> Result<Loaded, Box<dyn Error>> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let (connection, target) = runtime.block_on(async {
            let backend = SqliteBackend::open(SqliteOptions::memory()).await?;
            let mut connection = backend.connect().await?;
            let target = self.compiler.target(backend.dialect());
            for table in tables(target.catalog(), sqlite_type) {
                connection.script(&table).await?;
            }
            tpch::load(&mut *connection, &target, self.scale).await?;
            for (number, (table, columns)) in INDEXES.iter().enumerate() {
                connection.script(&format!("CREATE INDEX tpch_{number} ON {table} ({columns})")).await?;
            }
            connection.script("ANALYZE").await?;
            Ok::<_, isogloss_driver::Error>((connection, target))
        })?;
        Ok(Loaded { runtime, connection, target })
    }
}

impl Loaded {
    fn tree(&mut self, query: &Query) -> Result<Answer, String> {
        let compiled = self.target.compile(&query.expr).map_err(|error| error.to_string())?;
        self.answer(&compiled)
    }

    /// One of the statements is the query; what it reads is made before and dropped after.
    fn standard(&mut self, statements: &[String]) -> Result<Answer, String> {
        let mut answer = None;
        for sql in statements {
            if sql.starts_with("select") {
                answer = Some(self.answer(&Compiled { sql: sql.clone(), ..Compiled::default() })?);
            } else {
                self.runtime.block_on(self.connection.script(sql)).map_err(|error| format!("{error:?}"))?;
            }
        }
        answer.ok_or_else(|| "the standard's text has no query".to_owned())
    }

    fn answer(&mut self, statement: &Compiled<'_>) -> Result<Answer, String> {
        self.runtime.block_on(self.connection.fetch(statement)).map_err(|error| format!("{error:?}"))
    }
}

/// `CREATE TABLE` of every table.
fn tables(catalog: &Catalog, type_of: fn(&Column) -> String) -> Vec<String> {
    let is_table = |entity: &&Entity| entity.base.is_none();
    catalog.entities().map(|(_, entity)| entity).filter(is_table).map(|entity| create(entity, type_of)).collect()
}

fn create(entity: &Entity, type_of: fn(&Column) -> String) -> String {
    let columns: Vec<String> =
        entity.columns.iter().map(|column| format!("{} {} NOT NULL", column.column, type_of(column))).collect();
    let keys: Vec<&str> = entity.key_columns().map(|key| &*key.column).collect();
    format!("CREATE TABLE {} ({}, PRIMARY KEY ({}))", entity.table, columns.join(", "), keys.join(", "))
}

fn sqlite_type(column: &Column) -> String {
    match column.ty.base {
        t if t.is_integer() => "INTEGER",
        t if t.is_decimal() => "REAL",
        _ => "TEXT",
    }
    .into()
}
