//! The engines that run a query, each with the tables of TPC-H.

use std::sync::Arc;
use std::time::{Duration, Instant};

use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::expr::{DbValueType, Expr, Value};
use isogloss_compiler::model::TextMode;
use isogloss_compiler::{Buffers, Compiled, Compiler, Request, Target, Verb};
use isogloss_driver::{
    AnyConnection, Backend, ConnectionExt as _, Error, ErrorKind, Flow, FromRow as _, PoolOptions, Result, Row,
    RowSink, TransactionOptions,
};
use isogloss_mysql::driver::{MySqlBackend, MySqlOptions};
use isogloss_postgres::driver::{PostgresBackend, PostgresOptions};
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};
use isogloss_tpch as tpch;
use serde::Deserialize;
use tokio::sync::Mutex;

/// How many rows are taken of an answer.
pub const MOST: usize = 500;

/// How long a query may take.
pub const TIMEOUT: Duration = Duration::from_secs(10);

/// A table in it that says of which scale the rows are. It is made when all of them are there.
const MARK: &str = "playground_scale";

/// What an engine's tables are.
#[derive(Debug, Clone)]
pub struct Tables {
    /// How much data there is: 1 is a gigabyte.
    pub scale: f64,
    /// The schema that they are in on a server. It is this program's own: it is dropped where it has other data.
    pub schema: String,
}

/// Where an engine is.
#[derive(Debug)]
pub enum Place {
    /// SQLite, in this process.
    Memory,
    /// A PostgreSQL server.
    Postgres(String),
    /// A MySQL or MariaDB server.
    MySql(String),
}

impl Place {
    async fn open(&self) -> Result<Box<dyn Backend>> {
        let pool = PoolOptions::default().statement_timeout(None);
        Ok(match self {
            Place::Memory => Box::new(SqliteBackend::open(SqliteOptions::memory().pool(pool)).await?),
            Place::Postgres(url) => Box::new(PostgresBackend::connect(PostgresOptions::url(url)?.pool(pool)).await?),
            Place::MySql(url) => Box::new(MySqlBackend::connect(MySqlOptions::url(url)?.pool(pool)).await?),
        })
    }

    /// What makes a schema anew, and what makes it the one that names mean.
    fn enter(&self, schema: &str) -> Option<(String, String)> {
        match self {
            Place::Memory => None,
            Place::Postgres(_) => Some((
                format!("DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema}"),
                format!("SET search_path = {schema}"),
            )),
            Place::MySql(_) => {
                Some((format!("DROP DATABASE IF EXISTS {schema}; CREATE DATABASE {schema}"), format!("USE {schema}")))
            }
        }
    }
}

/// An engine that has the tables, or will have them.
#[derive(Debug)]
pub struct Engine {
    place: Place,
    tables: Tables,
    backend: Box<dyn Backend>,
    target: Arc<Target>,
    /// What compiles for it where texts are compared by code points.
    exact: Arc<Target>,
    /// The one connection, with the schema set. It is made when it is first needed, and again when it was lost.
    connection: Mutex<Option<AnyConnection>>,
}

/// How a tree is compiled, as the page's options say it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Asked {
    /// The entity that a filter alone is over.
    pub root: Option<String>,
    /// What is asked of a query.
    pub verb: AskedVerb,
    /// What texts are compared by.
    pub text: AskedText,
}

/// What is asked of a query.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "words of the compiler's")]
pub enum AskedVerb {
    #[default]
    Rows,
    Count,
    Exists,
}

/// What texts are compared by.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "words of the compiler's")]
pub enum AskedText {
    #[default]
    Database,
    Exact,
}

/// An engine's answer to a query.
#[derive(Debug)]
pub struct Answer {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows, at most [`MOST`].
    pub rows: Vec<Vec<Value>>,
    /// Whether there are more.
    pub more: bool,
    /// From asking to the last row.
    pub time: Duration,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum NoAnswer {
    /// The tree is no query of this engine.
    #[error(transparent)]
    Compile(#[from] isogloss_compiler::Error),
    /// The engine did not run it.
    #[error(transparent)]
    Run(#[from] Error),
    /// The tree writes.
    #[error("only queries are run here: an INSERT, UPDATE or DELETE is shown, and the data stays as it is")]
    Write,
}

impl Engine {
    /// Opens the engine. Its tables are filled by the first query, or by [`Engine::prepare`].
    ///
    /// # Errors
    /// The server does not answer.
    pub async fn open(place: Place, tables: Tables, compiler: &Compiler) -> Result<Self> {
        let backend = place.open().await?;
        let target = compiler.target(backend.dialect());
        let exact = compiler.target_of(backend.dialect(), TextMode::Exact, &[]);
        Ok(Self { place, tables, backend, target, exact, connection: Mutex::new(None) })
    }

    /// The engine with its version.
    pub fn label(&self) -> String {
        self.backend.dialect().label()
    }

    /// Its dialect.
    pub fn dialect(&self) -> &dyn Dialect {
        self.backend.dialect()
    }

    /// Fills the tables, unless they are.
    ///
    /// # Errors
    /// What the engine reports.
    pub async fn prepare(&self) -> Result<()> {
        let mut held = self.connection.lock().await;
        self.ready(&mut held).await.map(|_| ())
    }

    /// Runs a query.
    ///
    /// # Errors
    /// What the compiler or the engine has to say.
    pub async fn run(&self, tree: &Expr, asked: &Asked) -> Result<Answer, NoAnswer> {
        if matches!(tree, Expr::Insert(_) | Expr::Update(_) | Expr::Delete(_)) {
            return Err(NoAnswer::Write);
        }
        let verb = match asked.verb {
            AskedVerb::Rows => Verb::Select,
            AskedVerb::Count => Verb::Count,
            AskedVerb::Exists => Verb::Exists,
        };
        let mut request = Request::default().verb(verb).columns();
        request.root = asked.root.as_deref();
        let target = match asked.text {
            AskedText::Database => &self.target,
            AskedText::Exact => &self.exact,
        };
        let statement = target.compile_with(tree, &request, Buffers::default())?;
        let mut held = self.connection.lock().await;
        let answer = match self.ready(&mut held).await {
            Ok(connection) => fetch(connection, &statement).await,
            Err(error) => Err(error),
        };
        if answer.as_ref().is_err_and(|error| error.kind() == ErrorKind::ConnectionLost) {
            *held = None;
        }
        Ok(answer?)
    }

    async fn ready<'h>(&self, held: &'h mut Option<AnyConnection>) -> Result<&'h mut AnyConnection> {
        let mut connection = match held.take() {
            Some(connection) => connection,
            None => self.connect().await?,
        };
        // A visitor that went on typing has left a query, and its transaction, behind.
        while connection.depth() > 0 {
            connection.rollback().await?;
        }
        Ok(held.insert(connection))
    }

    async fn connect(&self) -> Result<AnyConnection> {
        let mut connection = self.backend.connect().await?;
        let Tables { scale, schema } = &self.tables;
        if let Some((make, enter)) = self.place.enter(schema) {
            let filled = format!("SELECT scale FROM {schema}.{MARK}");
            let filled = Compiled { sql: filled, ..Compiled::default() };
            // Without the table the statement fails: then there is nothing yet.
            let there = connection.fetch_first::<f64>(&filled).await.unwrap_or_default();
            if there.is_none_or(|there| (there - scale).abs() > 1e-9) {
                connection.script(&make).await?;
                connection.script(&enter).await?;
                self.fill(&mut connection).await?;
                let mark = format!("CREATE TABLE {MARK} (scale double precision); INSERT INTO {MARK} VALUES ({scale})");
                connection.script(&mark).await?;
            }
            connection.script(&enter).await?;
        } else {
            // All or nothing: who asked first may not wait for the end.
            let all = TransactionOptions::default();
            connection.transaction(&all, async |connection| self.fill(connection).await).await?;
        }
        Ok(connection)
    }

    async fn fill(&self, connection: &mut AnyConnection) -> Result<()> {
        for (id, entity) in self.target.catalog().entities() {
            if entity.base.is_none() {
                for statement in self.backend.ddl().create_table(self.target.catalog(), id, &[])? {
                    connection.script(&statement).await?;
                }
            }
        }
        tpch::load(&mut **connection, &self.target, self.tables.scale).await
    }
}

async fn fetch(connection: &mut AnyConnection, statement: &Compiled<'_>) -> Result<Answer> {
    let only_reads = TransactionOptions::default().read_only().statement_timeout(TIMEOUT);
    let start = Instant::now();
    let mut table = connection
        .transaction(&only_reads, async |connection| connection.query_into(statement, Table::default()).await)
        .await?;
    for (index, column) in statement.columns.iter().enumerate() {
        if column.ty == Some(DbValueType::Boolean.into()) {
            table.rows.iter_mut().filter_map(|row| row.get_mut(index)).for_each(as_truth);
        }
    }
    let columns = match &*statement.columns {
        [] => table.names,
        known => known.iter().map(|column| column.name.to_string()).collect(),
    };
    Ok(Answer { columns, rows: table.rows, more: table.more, time: start.elapsed() })
}

/// Engines without truth values keep them as 0 and 1.
fn as_truth(value: &mut Value) {
    if let Value::Int(number @ (0 | 1)) = *value {
        *value = Value::Bool(number == 1);
    }
}

/// The first rows of an answer.
#[derive(Default)]
struct Table {
    names: Vec<String>,
    rows: Vec<Vec<Value>>,
    more: bool,
}

impl RowSink for Table {
    fn row(&mut self, row: &dyn Row) -> Result<Flow> {
        if self.rows.is_empty() {
            self.names = (0..row.len()).map(|index| row.name(index).unwrap_or_default().to_owned()).collect();
        }
        if self.rows.len() == MOST {
            self.more = true;
            return Ok(Flow::Enough);
        }
        self.rows.push(Vec::from_row(row)?);
        Ok(Flow::More)
    }

    fn most(&self) -> usize {
        MOST + 1
    }
}
