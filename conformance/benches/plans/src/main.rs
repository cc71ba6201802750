//! How the engines plan what is emitted, beside what an expert writes.
//!
//! ```sh
//! cargo run --release -- sqlite postgres=postgres://postgres@127.0.0.1/postgres mysql=mysql://root@127.0.0.1/test
//! cargo run --release -- sqlite --only Q19 --samples 21 --scale 0.01 --show
//! ```
//!
//! The data are those of TPC-H (`--scale 0.1`), in a schema of their own that is dropped at the end, with an index on each
//! foreign key and on the dates of orders and lines. Both texts take turns; what is quoted is the ratio of their medians and
//! these in milliseconds. Both must give equal rows, or change equally many. PostgreSQL is asked twice: with plans for the
//! parameters at hand, and with generic ones, as it takes them for a statement that is run often.

mod everyday;

use std::error::Error;
use std::time::{Duration, Instant};

use isogloss_compiler::expr::{Expr, Value};
use isogloss_compiler::{Compiled, Compiler, Target};
use isogloss_driver::{AnyConnection, Backend, ConnectionExt as _, TransactionOptions};
use isogloss_mysql::driver::{MySqlBackend, MySqlOptions};
use isogloss_postgres::driver::{PostgresBackend, PostgresOptions};
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// No pair takes longer.
const PATIENCE: Duration = Duration::from_secs(40);

struct Options {
    engines: Vec<(String, String)>,
    only: Vec<String>,
    samples: usize,
    scale: f64,
    show: bool,
}

fn options() -> Outcome<Options> {
    let mut options = Options { engines: Vec::new(), only: Vec::new(), samples: 11, scale: 0.1, show: false };
    let mut given = std::env::args().skip(1);
    while let Some(word) = given.next() {
        let mut next = || given.next().ok_or(format!("{word} wants a value"));
        match word.as_str() {
            "--only" => options.only.push(next()?),
            "--samples" => options.samples = next()?.parse()?,
            "--scale" => options.scale = next()?.parse()?,
            "--show" => options.show = true,
            "sqlite" => options.engines.push(("sqlite".to_owned(), String::new())),
            other => match other.split_once('=') {
                Some((engine, url)) => options.engines.push((engine.to_owned(), url.to_owned())),
                None => return Err(format!("what is `{other}`?").into()),
            },
        }
    }
    Ok(options)
}

/// A statement, and an expert's texts for it, the last of which is the statement.
struct Asked {
    name: String,
    tree: Expr,
    expert: Vec<String>,
    after: Vec<String>,
    writes: bool,
}

/// The statements, with the texts of a dialect.
fn asked(dialect: &str, scale: f64) -> Outcome<Vec<Asked>> {
    let mut all = Vec::new();
    for pair in everyday::pairs() {
        let (expert, after) = (vec![(pair.expert)(dialect)], Vec::new());
        all.push(Asked { name: pair.name.to_owned(), tree: pair.tree, expert, after, writes: pair.writes });
    }
    for query in isogloss_tpch::queries(scale) {
        let texts = query.standard(dialect).ok_or("a text of the standard is not what its adaptations expect")?;
        let at = texts.iter().position(|text| text.starts_with("select")).ok_or("no query in the standard's text")?;
        let (expert, after) = (texts[..=at].to_vec(), texts[at + 1..].to_vec());
        all.push(Asked { name: query.name().to_uppercase(), tree: query.expr, expert, after, writes: false });
    }
    Ok(all)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let options = options()?;
    for (engine, url) in &options.engines {
        let (enter, leave) = schema(engine);
        let backend: Box<dyn Backend> = match engine.as_str() {
            "sqlite" => Box::new(SqliteBackend::open(SqliteOptions::memory()).await?),
            "postgres" => Box::new(PostgresBackend::connect(PostgresOptions::url(url)?).await?),
            "mysql" => Box::new(MySqlBackend::connect(MySqlOptions::url(url)?).await?),
            other => return Err(format!("what is `{other}`?").into()),
        };
        let mut connection = backend.connect().await?;
        connection.script(&enter).await?;
        let done = on(&*backend, &mut connection, &options).await;
        connection.script(&leave).await?;
        done?;
    }
    Ok(())
}

/// What makes a schema of the program's own the one that names mean, and what drops it.
fn schema(engine: &str) -> (String, String) {
    let name = format!("isogloss_plans_{}", std::process::id());
    match engine {
        "postgres" => {
            (format!("CREATE SCHEMA {name}; SET search_path = {name}"), format!("DROP SCHEMA {name} CASCADE"))
        }
        "mysql" => (format!("CREATE DATABASE {name}; USE {name}"), format!("DROP DATABASE {name}")),
        _ => Default::default(),
    }
}

async fn on(backend: &dyn Backend, connection: &mut AnyConnection, options: &Options) -> Outcome<()> {
    let compiler = Compiler::new(isogloss_tpch::catalog()?);
    let target = compiler.target(backend.dialect());
    for (id, entity) in target.catalog().entities() {
        if entity.base.is_none() {
            for statement in backend.ddl().create_table(target.catalog(), id, &[])? {
                connection.script(&statement).await?;
            }
        }
    }
    for (table, column) in [("orders", "o_orderdate"), ("lineitem", "l_shipdate")] {
        connection.script(&format!("CREATE INDEX own_{column} ON {table} ({column})")).await?;
    }
    isogloss_tpch::load(&mut **connection, &target, options.scale).await?;
    let dialect = backend.dialect();
    let modes: &[&str] = match dialect.sheet().name {
        "postgres" => &["force_custom_plan", "force_generic_plan"],
        _ => &[""],
    };
    for mode in modes {
        println!("\n{} {mode}, scale {}, {} samples\n", dialect.label(), options.scale, options.samples);
        println!("| | emitted / expert | emitted | expert |\n|:--|--:|--:|--:|");
        if !mode.is_empty() {
            connection.script(&format!("SET plan_cache_mode = {mode}")).await?;
        }
        for asked in asked(dialect.sheet().name, options.scale)? {
            if options.only.is_empty() || options.only.iter().any(|only| asked.name.contains(only.as_str())) {
                let [emitted, expert] = measured(connection, &target, &asked, options)
                    .await
                    .map_err(|error| format!("{}: {error}", asked.name))?;
                let ratio = emitted.as_secs_f64() / expert.as_secs_f64();
                let ms = |time: Duration| time.as_secs_f64() * 1000.0;
                println!("| {} | {ratio:.2} | {:.3} | {:.3} |", asked.name, ms(emitted), ms(expert));
            }
        }
    }
    Ok(())
}

/// The medians of a statement and of an expert's text, who take turns.
async fn measured(
    connection: &mut AnyConnection,
    target: &Target,
    asked: &Asked,
    options: &Options,
) -> Outcome<[Duration; 2]> {
    let emitted = target.compile(&asked.tree)?;
    let (expert, before) = asked.expert.split_last().ok_or("no text")?;
    if options.show {
        println!("-- {}\n{}\n-- {:?}\n-- expert\n{expert}", asked.name, emitted.pretty(), emitted.params);
    }
    for text in before {
        connection.script(text).await?;
    }
    let expert = Compiled { sql: expert.clone(), ..Compiled::default() };
    let mut times = [Vec::new(), Vec::new()];
    let begun = Instant::now();
    for sample in 0..=options.samples {
        let mut answers = Vec::new();
        for (statement, times) in [&emitted, &expert].into_iter().zip(&mut times) {
            let (took, answer) = run(connection, statement, asked.writes).await?;
            // The first one warms what is cold.
            if sample > 0 {
                times.push(took);
            }
            answers.push(answer);
        }
        if sample == 0
            && let Some(difference) = isogloss_tpch::difference(&answers[1], &answers[0], &[])
        {
            return Err(format!("beside the expert's: {difference}").into());
        }
        if begun.elapsed() > PATIENCE && sample > 0 {
            break;
        }
    }
    for text in &asked.after {
        connection.script(text).await?;
    }
    Ok(times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2]
    }))
}

async fn run(
    connection: &mut AnyConnection,
    statement: &Compiled<'_>,
    writes: bool,
) -> Outcome<(Duration, Vec<Vec<Value>>)> {
    if !writes {
        let begun = Instant::now();
        let rows = connection.fetch(statement).await?;
        return Ok((begun.elapsed(), rows));
    }
    connection.begin(&TransactionOptions::default()).await?;
    let begun = Instant::now();
    let changed = connection.execute(statement).await?;
    let took = begun.elapsed();
    connection.rollback().await?;
    Ok((took, vec![vec![Value::from(changed)]]))
}
