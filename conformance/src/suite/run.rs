//! Runs cases on an engine.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::expr::{DbType, Expr, Value};
use isogloss_compiler::{Buffers, Compiled, Request, ResultColumn, Target, Verb, json};
use isogloss_driver::{AnyConnection, Backend, Connection, ConnectionExt, TransactionOptions};

use super::case::{Case, Check, Expect, Rows, Suite};
use super::engine::Engine;
use super::error::SuiteError;
use super::report::{CaseResult, Failure, Outcome, Report};
use super::requirement::EXACT_DECIMAL;
use super::schema::{Schema, SchemaTable};
use super::{ddl, plan};
use crate::data::{Answer, Reader};

/// How long a statement of a case may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// How many places this process has made: several runs may be under way at once.
static PLACES: AtomicU32 = AtomicU32::new(0);

/// Trees of cases nest deeper than those of strangers: the limits are about what is compiled, not what is read.
pub(super) const LIMITS: json::ReadLimits =
    json::ReadLimits::DEFAULT.depth(json::ReadLimits::MAX_DEPTH).bytes(64 << 20).list(2_000_000);

/// Runs the cases that are wanted on an engine, and tells each result as it comes.
///
/// Each schema is made once, in a place of its own name, and taken away at the end; writes run in transactions that are
/// rolled back.
///
/// # Errors
/// The engine cannot be reached.
pub async fn run(
    engine: &dyn Engine,
    suite: &Suite,
    wanted: impl Fn(&Case) -> bool,
    mut progress: impl FnMut(&CaseResult),
) -> Result<Report, SuiteError> {
    let backend = engine.backend();
    let label = backend.dialect().label();
    let mut session = Session::open(engine, &*backend).await?;
    let mut results = Vec::new();
    for case in suite.cases().filter(|case| wanted(case)) {
        let started = Instant::now();
        let outcome = session.case(case).await;
        let (group, name) = (case.group.clone(), case.name.clone());
        let result = CaseResult { group, name, outcome, elapsed: started.elapsed() };
        progress(&result);
        results.push(result);
    }
    session.close().await;
    Ok(Report { engine: engine.name().to_owned(), label, results })
}

/// Why a query has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoAnswer {
    /// The compiler refuses it.
    Refused(String),
    /// The engine has an error, or a value that cannot be read.
    Failed(String),
}

/// What an engine answers to queries over a schema, each with the types of its columns.
///
/// # Errors
/// The engine cannot be reached, or the schema not be made there.
pub async fn answers<'q>(
    engine: &dyn Engine,
    schema: &Arc<Schema>,
    queries: impl IntoIterator<Item = (&'q Expr, &'q [DbType])>,
) -> Result<Vec<Result<Answer, NoAnswer>>, SuiteError> {
    let backend = engine.backend();
    answers_as(engine, backend.dialect(), schema, queries).await
}

/// The same, of statements that are compiled for another version than the engine's.
///
/// # Errors
/// As [`answers`].
pub async fn answers_as<'q>(
    engine: &dyn Engine,
    dialect: &dyn Dialect,
    schema: &Arc<Schema>,
    queries: impl IntoIterator<Item = (&'q Expr, &'q [DbType])>,
) -> Result<Vec<Result<Answer, NoAnswer>>, SuiteError> {
    let backend = engine.backend();
    let mut session = Session::open(engine, &*backend).await?;
    let target = schema.compiler.target(dialect);
    let mut answers = Vec::new();
    for (query, types) in queries {
        let made = session.step_into(schema).await;
        made.map_err(|failure| SuiteError::Schema { engine: engine.name().to_owned(), why: failure.why })?;
        let answer = match target.compile(query) {
            Ok(compiled) => {
                let reader = Reader::typed(types.iter().copied().map(Some).collect(), Vec::new());
                let failed = |error: isogloss_driver::Error| NoAnswer::Failed(format!("{error}: {compiled}"));
                session.connection.query_into(&compiled, reader).await.map(Reader::into_answer).map_err(failed)
            }
            Err(error) => Err(NoAnswer::Refused(error.to_string())),
        };
        answers.push(answer);
    }
    session.close().await;
    Ok(answers)
}

/// A connection, and the schemas that were made by it.
struct Session<'e> {
    engine: &'e dyn Engine,
    backend: &'e dyn Backend,
    connection: AnyConnection,
    /// The schemas by name; the reason where one cannot be made.
    places: BTreeMap<String, Result<SchemaPlace, String>>,
    /// The place that the connection is in.
    at: Option<String>,
    /// What compiles the cases of a schema, by its name.
    targets: BTreeMap<String, Arc<Target>>,
}

/// Where the tables of a schema are.
struct SchemaPlace {
    name: String,
    /// What takes it away.
    drop: Vec<String>,
}

/// What an engine is asked, for a failure to show.
type Step<T> = Result<T, Failure>;

impl<'e> Session<'e> {
    async fn open(engine: &'e dyn Engine, backend: &'e dyn Backend) -> Result<Self, SuiteError> {
        let failed = |source| SuiteError::Connect { name: engine.name().to_owned(), source };
        let connection = connect(backend).await.map_err(failed)?;
        Ok(Self { engine, backend, connection, places: BTreeMap::new(), at: None, targets: BTreeMap::new() })
    }

    async fn case(&mut self, case: &Case) -> Outcome {
        let plain = plan::target(self.engine, self.backend.dialect(), case);
        let expr = match plan::tree(case) {
            Ok(expr) => expr,
            Err(settled) => return settled.outcome,
        };
        // What is settled without the engine needs no table of it.
        if let Err(settled) = plan::statement(self.engine, case, &plain, &expr) {
            return settled.outcome;
        }
        let target = match self.target(&case.schema, plain).await {
            Ok(target) => target,
            Err(failure) => return Outcome::Failed(Box::new(failure)),
        };
        let compiled = match plan::statement(self.engine, case, &target, &expr) {
            Ok(compiled) => compiled,
            Err(settled) => return settled.outcome,
        };
        match self.execute(case, &target, &expr, &compiled).await {
            Ok(()) => Outcome::Passed,
            Err(failure) => Outcome::Failed(Box::new(failure)),
        }
    }

    /// What compiles the cases of a schema: by the collations of its columns, if the engine is to be asked for them.
    async fn target(&mut self, schema: &Arc<Schema>, plain: Arc<Target>) -> Step<Arc<Target>> {
        if !self.engine.asks_collations() {
            return Ok(plain);
        }
        if let Some(target) = self.targets.get(&schema.name) {
            return Ok(Arc::clone(target));
        }
        let mut collations = Vec::new();
        if let Some(asked) = self.backend.collations() {
            self.step_into(schema).await?;
            let known = asked.tell(&mut *self.connection, schema.catalog()).await;
            collations = known.map_err(|error| Failure::new(error.to_string(), "the collations"))?;
        }
        let target = schema.compiler.target_of(self.backend.dialect(), self.engine.text(), &collations);
        self.targets.insert(schema.name.clone(), Arc::clone(&target));
        Ok(target)
    }

    async fn execute(&mut self, case: &Case, target: &Target, expr: &Expr, compiled: &Compiled<'_>) -> Step<()> {
        self.step_into(&case.schema).await?;
        let writes = matches!(expr, Expr::Insert(_) | Expr::Update(_) | Expr::Delete(_));
        if !writes && case.data.is_empty() {
            return self.query(case, target, compiled).await;
        }
        let begin = self.connection.begin(&TransactionOptions::default()).await;
        begin.map_err(|error| Failure::new(error.to_string(), "BEGIN"))?;
        let result = self.write(case, target, compiled).await;
        if self.connection.depth() > 0 && self.connection.rollback().await.is_err() {
            self.reconnect().await?;
        }
        result
    }

    /// The case in a transaction.
    async fn write(&mut self, case: &Case, target: &Target, compiled: &Compiled<'_>) -> Step<()> {
        for table in &case.data {
            load(&mut *self.connection, target, table).await?;
        }
        let Expect::Write { affected, returning, check } = &case.expect else {
            return self.query(case, target, compiled).await;
        };
        let failed = |error: isogloss_driver::Error| Failure::of(error.to_string(), compiled);
        match returning {
            Some(rows) => {
                let got = read(&mut *self.connection, compiled, rows).await.map_err(failed)?;
                self.compare(target, rows, &got, compiled)?;
            }
            None => {
                let changed = self.connection.execute(compiled).await.map_err(failed)?;
                if affected.is_some_and(|expected| expected != changed) {
                    let affected = affected.unwrap_or_default();
                    return Err(Failure::of(format!("{affected} rows were to be changed, {changed} were"), compiled));
                }
            }
        }
        match check {
            Some(check) => self.check(check, target).await,
            None => Ok(()),
        }
    }

    async fn check(&mut self, check: &Check, target: &Target) -> Step<()> {
        let failed = |why: String| Failure::new(format!("check: {why}"), &check.expr);
        let expr = json::from_str_with(&check.expr, &LIMITS).map_err(|error| failed(error.to_string()))?;
        let compiled = target.compile_with(&expr, &Request::default(), Buffers::default());
        let compiled = compiled.map_err(|error| failed(error.to_string()))?;
        let got = read(&mut *self.connection, &compiled, &check.rows).await;
        let got = got.map_err(|error| Failure::of(format!("check: {error}"), &compiled))?;
        self.compare(target, &check.rows, &got, &compiled)
    }

    async fn query(&mut self, case: &Case, target: &Target, compiled: &Compiled<'_>) -> Step<()> {
        match &case.expect {
            Expect::Rows(rows) => {
                let got = read(&mut *self.connection, compiled, rows).await;
                let got = got.map_err(|error| Failure::of(error.to_string(), compiled))?;
                self.compare(target, rows, &got, compiled)?;
                self.columns(case, rows, compiled).await
            }
            Expect::Fails(kind) => match self.connection.execute(compiled).await {
                Err(error) if format!("{:?}", error.kind()) == *kind => Ok(()),
                Err(error) => Err(Failure::of(format!("{kind} is expected, got {error}"), compiled)),
                Ok(_) => Err(Failure::of(format!("{kind} is expected, but it ran"), compiled)),
            },
            _ => Err(Failure::of("the case is about a write, its tree is none".to_owned(), compiled)),
        }
    }

    /// What the compiler says of a query's columns: their names, and types by which the rows can be read.
    async fn columns(&mut self, case: &Case, rows: &Rows, compiled: &Compiled<'_>) -> Step<()> {
        if case.request().verb != Verb::Select {
            return Ok(());
        }
        let failed = |why: String| Failure::of(format!("the compiled columns: {why}"), compiled);
        let (said, expected) = (&compiled.columns, &rows.answer.columns);
        let other = |(said, expected): (&ResultColumn, &String)| expected != "_" && said.name != *expected;
        if said.len() != expected.len() || said.iter().zip(expected).any(other) {
            return Err(failed(format!("{said:?}, and those of the rows are {expected:?}")));
        }
        let types = said.iter().map(|column| column.ty).collect();
        let read = self.connection.query_into(compiled, Reader::typed(types, expected.clone())).await;
        read.map(drop).map_err(|error| failed(error.to_string()))
    }

    /// Decimals agree by value; to 12 digits on an engine that keeps them as doubles.
    fn compare(&self, target: &Target, expected: &Rows, got: &Answer, compiled: &Compiled<'_>) -> Step<()> {
        let exact = self.engine.has(&EXACT_DECIMAL, target);
        let same = if exact { expected.answer.same(got) } else { expected.answer.near(got) };
        same.map_err(|difference| Failure::of(difference.to_string(), compiled))
    }

    /// Makes the schema if it is not there yet, and steps into it.
    async fn step_into(&mut self, schema: &Arc<Schema>) -> Step<()> {
        if !self.places.contains_key(&schema.name) {
            let place = self.make(schema).await;
            self.places.insert(schema.name.clone(), place);
            self.at = None;
        }
        let place = match self.places.get(&schema.name) {
            Some(Ok(place)) => place.name.clone(),
            Some(Err(why)) => return Err(Failure::new(format!("schema `{}`: {why}", schema.name), "")),
            None => return Ok(()),
        };
        if self.at.as_ref() != Some(&place) {
            self.enter(&place).await?;
        }
        Ok(())
    }

    async fn enter(&mut self, place: &str) -> Step<()> {
        for text in self.engine.enter_place(place) {
            self.connection.script(&text).await.map_err(|error| Failure::new(error.to_string(), &text))?;
        }
        self.at = Some(place.to_owned());
        Ok(())
    }

    async fn make(&mut self, schema: &Schema) -> Result<SchemaPlace, String> {
        let number = PLACES.fetch_add(1, Ordering::Relaxed);
        let name = format!("isogloss_{}_{}_{number}", schema.name, std::process::id());
        let target = schema.compiler.target(self.backend.dialect());
        let tables = ddl::tables(self.engine, schema).map_err(|error| error.to_string())?;
        let made = self.engine.make_place(&name).into_iter().chain(self.engine.enter_place(&name));
        for text in made.chain(tables.iter().flat_map(|table| table.make.iter().cloned())) {
            self.connection.script(&text).await.map_err(|error| format!("{error} in `{text}`"))?;
        }
        for table in &schema.tables {
            let loaded = load(&mut *self.connection, &target, table).await;
            loaded.map_err(|failure| format!("{} in `{}`", failure.why, failure.text))?;
        }
        let mut drop = self.engine.drop_place(&name);
        if drop.is_empty() {
            drop = tables.into_iter().flat_map(|table| table.drop).collect();
        }
        Ok(SchemaPlace { name, drop })
    }

    /// A connection that broke is replaced.
    async fn reconnect(&mut self) -> Step<()> {
        self.at = None;
        self.connection =
            connect(self.backend).await.map_err(|error| Failure::new(error.to_string(), "a new connection"))?;
        Ok(())
    }

    /// Takes away what was made. What cannot be is left, as the engine's log will say.
    async fn close(&mut self) {
        for (_, place) in std::mem::take(&mut self.places) {
            let Ok(place) = place else { continue };
            for text in place.drop {
                let _ = self.connection.script(&text).await;
            }
        }
    }
}

async fn connect(backend: &dyn Backend) -> isogloss_driver::Result<AnyConnection> {
    let mut connection = backend.connect().await?;
    connection.set_statement_timeout(Some(PATIENCE)).await?;
    Ok(connection)
}

async fn load(connection: &mut dyn Connection, target: &Target, table: &SchemaTable) -> Step<()> {
    for insert in table.inserts(&target.dialect().sheet().limits) {
        let compiled = target.compile(&insert);
        let compiled = compiled.map_err(|error| Failure::new(error.to_string(), &table.data.entity))?;
        connection.execute(&compiled).await.map_err(|error| Failure::of(error.to_string(), &compiled))?;
    }
    Ok(())
}

async fn read(
    connection: &mut dyn Connection,
    compiled: &Compiled<'_>,
    rows: &Rows,
) -> isogloss_driver::Result<Answer> {
    let reader = Reader::typed(rows.types.iter().copied().map(Some).collect(), rows.answer.columns.clone());
    let mut answer = connection.query_into(compiled, reader).await?.into_answer();
    // A name that the engine chooses is none that counts.
    for (got, expected) in answer.columns.iter_mut().zip(&rows.answer.columns) {
        if expected == "_" {
            expected.clone_into(got);
        }
    }
    Ok(answer)
}

impl Failure {
    pub(super) fn new(why: impl Into<String>, text: &str) -> Self {
        Self { why: why.into(), text: text.to_owned(), parameters: Vec::new() }
    }

    pub(super) fn of(why: String, compiled: &Compiled<'_>) -> Self {
        let parameter = |value: &Value| format!("{value:?}").chars().take(200).collect();
        Self {
            why,
            text: compiled.sql.clone(),
            parameters: compiled.params.iter().map(|p| parameter(&p.value)).collect(),
        }
    }
}
