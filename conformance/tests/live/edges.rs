//! Each function over NULL, empty and extreme arguments, on each engine at hand.
//!
//! A call is one of [`isogloss_conformance::edges`]: each mixture of arguments that may be NULL, that may not, and that
//! are known, so that each row of a function table is reached. The texts of other versions run where they differ from
//! those of the engine's own. An answer is NULL where the signature says so, and what the evaluator gives; where that
//! knows nothing of a call, what SQLite gives.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use isogloss_cases::{other_versions, targets};
use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::expr::{DbType, Expr};
use isogloss_compiler::functions::Func;
use isogloss_compiler::{Compiler, json};
use isogloss_conformance::data::Answer;
use isogloss_conformance::edges::{self, EdgeCall, EdgeRow, Edges};
use isogloss_conformance::suite::{self, Engine, NoAnswer, Schema, SchemaTable, SuiteError};
use libtest_mimic::{Failed, Trial};

/// Functions whose value is another one each time.
const VOLATILE: [Func; 5] = [Func::Now, Func::UtcNow, Func::Today, Func::Random, Func::NewGuid];

/// The calls with what is expected in each row, and SQLite's answers.
struct Asked {
    edges: Edges,
    calls: Vec<(EdgeCall, Expr, Vec<DbType>, Vec<EdgeRow>)>,
}

fn asked() -> &'static Asked {
    static ASKED: OnceLock<Asked> = OnceLock::new();
    ASKED.get_or_init(|| {
        let edges = Edges::new().unwrap();
        let calls = edges::calls().into_iter().filter(|call| !VOLATILE.contains(&call.func));
        let calls = calls.map(|call| {
            let (query, types, rows) = (call.query(), call.types(), edges.rows_of(&call));
            (call, query, types, rows)
        });
        let calls = calls.collect();
        Asked { edges, calls }
    })
}

/// One trial for each engine at hand.
pub fn trials() -> Vec<Trial> {
    let mut engines = vec![("sqlite", None)];
    for (engine, variable) in [("postgres", "ISOGLOSS_POSTGRES_URL"), ("mysql", "ISOGLOSS_MYSQL_URL")] {
        engines.extend(isogloss_testkit::servers::urls(variable).into_iter().map(|url| (engine, Some(url))));
    }
    if cfg!(feature = "duckdb") {
        engines.push(("duckdb", None));
    }
    let trial = |(index, (name, url)): (usize, (&'static str, Option<String>))| {
        Trial::test(format!("edges {name} {index}"), move || each_answer_is_right(name, url.as_deref()))
    };
    engines.into_iter().enumerate().map(trial).collect()
}

fn schema() -> Arc<Schema> {
    let compiler = || Compiler::new(edges::catalog().unwrap());
    let table = SchemaTable { args: Vec::new(), data: asked().edges.table().clone() };
    Arc::new(Schema { name: "edges".to_owned(), compiler: compiler(), exact: compiler(), tables: vec![table] })
}

type Answers = Vec<Result<Answer, NoAnswer>>;

/// The answers of the engine to calls in a dialect, those whose text was asked before left out.
async fn answers(
    engine: &dyn Engine,
    dialect: &dyn Dialect,
    schema: &Arc<Schema>,
    known: &mut HashSet<String>,
) -> Result<HashMap<usize, Result<Answer, NoAnswer>>, SuiteError> {
    let target = schema.compiler.target(dialect);
    let calls = &asked().calls;
    let new = |(_, (_, query, ..)): &(usize, &(EdgeCall, Expr, Vec<DbType>, Vec<EdgeRow>))| {
        target.compile(query).is_ok_and(|compiled| known.insert(compiled.to_string()))
    };
    let places: Vec<usize> = calls.iter().enumerate().filter(new).map(|(place, _)| place).collect();
    let queries =
        places.iter().filter_map(|place| calls.get(*place)).map(|(_, query, types, _)| (query, types.as_slice()));
    let answers: Answers = suite::answers_as(engine, dialect, schema, queries).await?;
    Ok(places.into_iter().zip(answers).collect())
}

/// SQLite's answer to each call.
fn of_sqlite() -> &'static HashMap<usize, Result<Answer, NoAnswer>> {
    static ANSWERS: OnceLock<HashMap<usize, Result<Answer, NoAnswer>>> = OnceLock::new();
    ANSWERS.get_or_init(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let engine = suite::connect("sqlite", None).await.unwrap();
            answers(&*engine, engine.backend().dialect(), &schema(), &mut HashSet::new()).await.unwrap()
        })
    })
}

/// What an engine answers otherwise: it is documented, or the engine's own mistake.
fn is_known(call: &EdgeCall, dialect: &str, row: &EdgeRow) -> bool {
    let _ = (call, dialect, row);
    false
}

fn each_answer_is_right(name: &str, url: Option<&str>) -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let schema = schema();
    let (mut wrong, mut count) = (Vec::new(), 0);
    let engine = runtime.block_on(suite::connect(name, url))?;
    let backend = engine.backend();
    let own = backend.dialect();
    let family = own.sheet().name;
    let mut dialects = vec![own.to_shared()];
    let later = |dialect: &Arc<dyn Dialect>| dialect.version() <= own.version();
    let versions = targets().into_iter().chain(other_versions()).map(|target| target.dialect);
    dialects.extend(versions.filter(|dialect| dialect.sheet().name == family).filter(later));
    let mut texts = HashSet::new();
    for dialect in &dialects {
        let answers = runtime.block_on(answers(&*engine, &**dialect, &schema, &mut texts))?;
        for (place, answer) in answers {
            let (call, query, _, rows) = &asked().calls[place];
            let (label, shown) = (dialect.label(), json::to_string(&Expr::from(call.value())));
            let _ = query;
            let answer = match answer {
                Ok(answer) => answer,
                Err(NoAnswer::Refused(_)) => continue,
                Err(NoAnswer::Failed(why)) => {
                    wrong.push(format!("{label}: {shown}: {why}"));
                    continue;
                }
            };
            let beside = of_sqlite().get(&place).and_then(|answer| answer.as_ref().ok());
            for row in rows {
                count += 1;
                let value = |answer: &Answer| answer.rows.get(row.row).and_then(|row| row.get(1)).cloned();
                let (Some(value), beside) = (value(&answer), beside.and_then(value)) else {
                    wrong.push(format!("{label}: {shown}: {} rows", answer.rows.len()));
                    break;
                };
                let row = match (&row.expected, beside) {
                    (Err(_), Some(beside)) => &EdgeRow { expected: Ok(beside), ..row.clone() },
                    _ => row,
                };
                if let Some(fault) = row.fault(call.func, &value)
                    && !is_known(call, family, row)
                {
                    wrong.push(format!("{label}: {shown}: {fault}"));
                }
            }
        }
    }
    println!("{count} values of {} texts on {}", texts.len(), own.label());
    let first: Vec<&str> = wrong.iter().map(String::as_str).take(400).collect();
    if wrong.is_empty() { Ok(()) } else { Err(format!("{} differ\n{}", wrong.len(), first.join("\n")).into()) }
}
