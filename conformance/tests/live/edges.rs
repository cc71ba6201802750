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
use isogloss_compiler::json;
use isogloss_conformance::data::Answer;
use isogloss_conformance::edges::{self, EdgeCall, EdgeRow, Edges};
use isogloss_conformance::suite::{self, Engine, NoAnswer, Schema, SuiteError};
use libtest_mimic::{Failed, Trial};

/// Functions whose value is another one each time.
const VOLATILE: [Func; 5] = [Func::Now, Func::UtcNow, Func::Today, Func::Random, Func::NewGuid];

/// The calls with what is expected in each row.
struct Asked {
    edges: Edges,
    calls: Vec<(EdgeCall, Expr, Vec<DbType>, Vec<EdgeRow>)>,
}

fn asked() -> &'static Asked {
    static ASKED: OnceLock<Asked> = OnceLock::new();
    ASKED.get_or_init(|| {
        let edges = Edges::new().unwrap();
        let calls = edges::calls().into_iter().filter(|call| !VOLATILE.contains(&call.func));
        let calls: Vec<EdgeCall> = calls.collect();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let by_sqlite = runtime.block_on(edges.by_sqlite(&calls)).unwrap();
        let calls = calls.into_iter().zip(&by_sqlite).map(|(call, answer)| {
            let rows = edges.rows_of(&call).into_iter().map(|row| row.or_by(answer.as_ref())).collect();
            let (query, types) = (call.query(), call.types());
            (call, query, types, rows)
        });
        let calls = calls.collect();
        Asked { edges, calls }
    })
}

/// One trial for each engine at hand.
pub fn trials() -> Vec<Trial> {
    let trial = |(index, (name, url)): (usize, (&'static str, Option<String>))| {
        Trial::test(format!("edges {name} {index}"), move || each_answer_is_right(name, url.as_deref()))
    };
    crate::engines().into_iter().enumerate().map(trial).collect()
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
    let mut is_new = |query: &Expr| target.compile(query).is_ok_and(|compiled| known.insert(compiled.to_string()));
    let places: Vec<usize> =
        (0..).zip(calls).filter(|(_, (_, query, ..))| is_new(query)).map(|(place, _)| place).collect();
    let queries =
        places.iter().filter_map(|place| calls.get(*place)).map(|(_, query, types, _)| (query, types.as_slice()));
    let answers: Answers = suite::answers_as(engine, dialect, schema, queries).await?;
    Ok(places.into_iter().zip(answers).collect())
}

fn each_answer_is_right(name: &str, url: Option<&str>) -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let schema = asked().edges.schema()?;
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
            let (call, _, _, rows) = &asked().calls[place];
            let (label, shown) = (dialect.label(), json::to_string(&Expr::from(call.value())));
            let answer = match answer {
                Ok(answer) => answer,
                Err(NoAnswer::Refused(_)) => continue,
                Err(NoAnswer::Failed(why)) => {
                    wrong.push(format!("{label}: {shown}: {why}"));
                    continue;
                }
            };
            for row in rows {
                count += 1;
                let Some(value) = answer.rows.get(row.row).and_then(|row| row.get(1)).cloned() else {
                    wrong.push(format!("{label}: {shown}: {} rows", answer.rows.len()));
                    break;
                };
                if let Some(fault) = row.fault(call.func, &value) {
                    wrong.push(format!("{label}: {shown}: {fault}"));
                }
            }
        }
    }
    println!("{count} values of {} texts on {}", texts.len(), own.label());
    let first: Vec<&str> = wrong.iter().map(String::as_str).take(400).collect();
    if wrong.is_empty() { Ok(()) } else { Err(format!("{} differ\n{}", wrong.len(), first.join("\n")).into()) }
}
