//! What comes of a case before an engine is asked, and a run that asks none.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::expr::Expr;
use isogloss_compiler::model::TextMode;
use isogloss_compiler::{Buffers, Compiled, Request, Target, json};
use isogloss_driver::ddl::Ddl;
use isogloss_driver::{AnyConnection, Backend, BoxFuture, Error, ErrorKind, Origin, PoolStatus, ServerDialect};

use super::case::{Case, Expect, Refusal, Suite};
use super::report::{Failure, Outcome};
use super::requirement::Requirement;
use super::run::LIMITS;
use super::schema::{Schema, SchemaTable};
use super::{Engine, ddl};

/// Why no engine is asked: what came of the case, and the reason.
pub(super) struct Settled {
    pub(super) outcome: Outcome,
    pub(super) why: String,
}

impl Settled {
    fn failed(failure: Failure) -> Self {
        Self { why: failure.why.clone(), outcome: Outcome::Failed(Box::new(failure)) }
    }
}

/// What compiles a case, as far as nothing is known of the collations of its columns.
pub(super) fn target(engine: &dyn Engine, dialect: &dyn Dialect, case: &Case) -> Arc<Target> {
    match engine.text() {
        _ if engine.exact_columns() => case.schema.exact.target(dialect),
        TextMode::Database => case.schema.compiler.target(dialect),
        text => case.schema.compiler.target_of(dialect, text, &[]),
    }
}

/// The tree of a case.
pub(super) fn tree(case: &Case) -> Result<Expr, Settled> {
    json::from_str_with(&case.expr, &LIMITS)
        .map_err(|error| wrong(case, &kind_of(&error.kind), &error.to_string(), &case.expr))
}

/// The statement of a case.
pub(super) fn statement<'e>(
    engine: &dyn Engine,
    case: &'e Case,
    target: &Target,
    expr: &'e Expr,
) -> Result<Compiled<'e>, Settled> {
    let refused_on = case.refusal_on(target.dialect());
    let missing = case.requires.iter().find(|requirement| !engine.has(requirement, target));
    if let Some(requirement) = missing.filter(|requirement| !requirement.refuses()) {
        let why = format!("needs `{}`: {}", requirement.name, requirement.about);
        return Err(Settled { outcome: Outcome::NotRequired(requirement.name), why });
    }
    let compiled = match target.compile_with(expr, &case.request().columns(), Buffers::default()) {
        Ok(compiled) => compiled,
        Err(error) if engine.refuses(case, &error) => {
            return Err(Settled { outcome: Outcome::Refused, why: format!("refused there: {error}") });
        }
        Err(error) if error.is_refused() || missing.is_some() || refused_on.is_some() => {
            return Err(refusal(case, refused_on, missing.copied(), &error.to_string()));
        }
        Err(error) => return Err(wrong(case, &kind_of(error.kind()), &error.to_string(), &case.expr)),
    };
    let compiled_anyhow = |why: String| Err(Settled::failed(Failure::of(why, &compiled)));
    if let Some(requirement) = missing {
        return compiled_anyhow(format!("`{}` is missing, but nothing was refused", requirement.name));
    }
    if refused_on.is_some() || matches!(case.expect, Expect::Refused(_)) {
        return compiled_anyhow("a refusal is expected, but it was compiled".to_owned());
    }
    Ok(compiled)
}

/// A refusal by the dialect: one that is asked for, or one that nothing explains.
fn refusal(case: &Case, refused_on: Option<&str>, missing: Option<&Requirement>, message: &str) -> Settled {
    let failed = |why: String| Settled::failed(Failure::new(why, &case.expr));
    let refused = |why: String| Settled { outcome: Outcome::Refused, why };
    if let Some(requirement) = missing {
        return refused(format!("needs `{}`: {message}", requirement.name));
    }
    if let Expect::Refused(Refusal { kind, message: part }) = &case.expect {
        return if kind == "Refused" && message.contains(part.as_str()) {
            refused(format!("to be refused: {message}"))
        } else {
            failed(format!("expected {kind} `{part}`, got {message}"))
        };
    }
    match refused_on {
        Some(part) if message.contains(part) => refused(format!("refused there: {message}")),
        Some(part) => failed(format!("expected a refusal with `{part}`, got {message}")),
        None => failed(message.to_owned()),
    }
}

/// An error that is the same on every engine.
fn wrong(case: &Case, kind: &str, message: &str, text: &str) -> Settled {
    match &case.expect {
        Expect::Refused(refusal) if refusal.kind == kind && message.contains(&refusal.message) => {
            Settled { outcome: Outcome::Passed, why: message.to_owned() }
        }
        Expect::Refused(Refusal { kind: wanted, message: part }) => {
            Settled::failed(Failure::new(format!("expected {wanted} `{part}`, got {kind}: {message}"), text))
        }
        _ => Settled::failed(Failure::new(format!("{kind}: {message}"), text)),
    }
}

/// The name of an error's variant.
fn kind_of(kind: &dyn Debug) -> String {
    format!("{kind:?}").chars().take_while(|c| c.is_ascii_alphanumeric()).collect()
}

/// What would come of each case on an engine, as far as can be told without it.
#[derive(Debug)]
pub struct DryRun {
    /// The dialect and its version.
    pub label: String,
    /// How many cases would be run, or have an error that is the same on every engine.
    pub run: usize,
    /// Cases that the compiler refuses, as it should: by the reason.
    pub refused: BTreeMap<String, Vec<String>>,
    /// Cases that are left out, as another answer is documented there: by the reason.
    pub left_out: BTreeMap<String, Vec<String>>,
    /// Cases that would fail before the engine is asked: by the reason.
    pub failing: BTreeMap<String, Vec<String>>,
}

/// Goes through a suite without asking the engine: all statements that a run would send are compiled.
pub fn dry_run(engine: &dyn Engine, suite: &Suite, wanted: impl Fn(&Case) -> bool) -> DryRun {
    let backend = engine.backend();
    let dialect = backend.dialect();
    let mut found = DryRun {
        label: dialect.label(),
        run: 0,
        refused: BTreeMap::new(),
        left_out: BTreeMap::new(),
        failing: BTreeMap::new(),
    };
    let mut schemas = BTreeMap::<String, Result<(), String>>::new();
    for case in suite.cases().filter(|case| wanted(case)) {
        let target = target(engine, dialect, case);
        let made = schemas.entry(case.schema.name.clone()).or_insert_with(|| places(engine, &case.schema, &target));
        let settled = tree(case).and_then(|expr| {
            statement(engine, case, &target, &expr)?;
            around(case, &target).and(made.clone()).map_err(|why| Settled::failed(Failure::new(why, &case.expr)))
        });
        let Err(Settled { outcome, why }) = settled else {
            found.run += 1;
            continue;
        };
        let reasons = match outcome {
            Outcome::Passed => {
                found.run += 1;
                continue;
            }
            Outcome::Refused => &mut found.refused,
            Outcome::NotRequired(_) => &mut found.left_out,
            Outcome::Failed(_) => &mut found.failing,
        };
        reasons.entry(why).or_default().push(format!("{}/{}", case.group, case.name));
    }
    found
}

/// The tables of a schema, and its rows.
fn places(engine: &dyn Engine, schema: &Schema, target: &Target) -> Result<(), String> {
    ddl::tables(engine, schema).map_err(|error| format!("schema `{}`: {error}", schema.name))?;
    rows(&schema.tables, target).map_err(|why| format!("schema `{}`: {why}", schema.name))
}

/// What stands around the statement: rows of the case's own, and its check.
fn around(case: &Case, target: &Target) -> Result<(), String> {
    rows(&case.data, target)?;
    let Expect::Write { check: Some(check), .. } = &case.expect else { return Ok(()) };
    let expr = json::from_str_with(&check.expr, &LIMITS).map_err(|error| format!("check: {error}"))?;
    let compiled = target.compile_with(&expr, &Request::default(), Buffers::default());
    compiled.map(drop).map_err(|error| format!("check: {error}"))
}

fn rows(tables: &[SchemaTable], target: &Target) -> Result<(), String> {
    let limits = &target.dialect().sheet().limits;
    for insert in tables.iter().flat_map(|table| table.inserts(limits)) {
        target.compile(&insert).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// An engine of which nothing but the dialect is there.
#[derive(Debug)]
struct Unasked<D> {
    dialect: D,
    label: String,
    origin: Origin,
}

/// A dialect without an engine, for a [`dry_run`].
#[must_use]
pub fn unasked(dialect: impl ServerDialect) -> Box<dyn Engine> {
    let origin = Origin::new(dialect.sheet().name);
    Box::new(Nobody(Arc::new(Unasked { label: dialect.label(), dialect, origin })))
}

struct Nobody<D>(Arc<Unasked<D>>);

impl<D: ServerDialect> Engine for Nobody<D> {
    fn name(&self) -> &str {
        &self.0.label
    }

    fn backend(&self) -> Arc<dyn Backend> {
        Arc::<Unasked<D>>::clone(&self.0)
    }
}

impl<D: ServerDialect> Backend for Unasked<D> {
    fn dialect(&self) -> &dyn Dialect {
        &self.dialect
    }

    fn ddl(&self) -> &dyn Ddl {
        &self.dialect
    }

    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn connect(&self) -> BoxFuture<'_, isogloss_driver::Result<AnyConnection>> {
        let nobody = Error::new(ErrorKind::Connect, "a dry run asks no engine");
        Box::pin(std::future::ready(Err(nobody)))
    }

    fn status(&self) -> PoolStatus {
        PoolStatus::default()
    }
}

#[cfg(all(test, feature = "engines"))]
mod tests {
    use isogloss_oracle::Oracle;

    use super::super::every_version;
    use super::*;

    /// Whoever points the suite at a server finds what is the server's, and nothing that is known without it.
    #[test]
    fn no_case_fails_before_its_engine_is_asked() {
        let suite = Suite::own().unwrap();
        let engines = every_version();
        let failing = |engine: &dyn Engine| {
            let run = dry_run(engine, &suite, |_| true);
            (!run.failing.is_empty()).then_some((run.label, run.failing))
        };
        let (some, others) = engines.split_at(engines.len() / 2);
        let failing: Vec<_> = std::thread::scope(|scope| {
            let others = scope.spawn(|| others.iter().filter_map(|engine| failing(&**engine)).collect::<Vec<_>>());
            let some = some.iter().filter_map(|engine| failing(&**engine)).collect::<Vec<_>>();
            [some, others.join().unwrap()].concat()
        });
        assert!(failing.is_empty(), "{failing:#?}");
        assert!(engines.len() > 30);
    }

    #[test]
    fn what_an_engine_lacks_is_listed_with_its_reason() {
        let suite = Suite::own().unwrap();
        let oracle = dry_run(&*unasked(Oracle::V19), &suite, |_| true);
        let cases = oracle.run
            + [&oracle.refused, &oracle.left_out]
                .map(|reasons| reasons.values().map(Vec::len).sum())
                .iter()
                .sum::<usize>();
        assert_eq!(cases, suite.cases().count());
        assert!(oracle.refused.keys().any(|why| why.starts_with("needs `lock_share`: ")), "{:#?}", oracle.refused);
        assert!(oracle.left_out.keys().any(|why| why.starts_with("needs `array`: ")), "{:#?}", oracle.left_out);
    }
}
