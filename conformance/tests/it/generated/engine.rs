//! The engines that are asked.

use std::fmt::Write as _;
use std::sync::Arc;

use isogloss_compiler::expr::{DbValueType as T, Expr, SqlSegment, Value, ValueOps, from, prop, table};
use isogloss_compiler::model::{Catalog, Column, TextMode};
use isogloss_compiler::{Buffers, CompileLimits, Compiler, ErrorKind, Request, Target};
use isogloss_conformance::data::{Answer, Data, Reader, TableData};
use isogloss_conformance::generate::{self, catalog::TABLES};
use isogloss_driver::{AnyConnection, Backend, ConnectionExt, TransactionOptions};
use isogloss_mysql::driver::{MySqlBackend, MySqlOptions};
use isogloss_postgres::driver::{PostgresBackend, PostgresOptions};
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};

use crate::generated::world::World;

/// Why there is no answer.
#[derive(Debug)]
pub enum Trouble {
    /// The compiler refuses the tree.
    Refused(String),
    /// The engine reports an error.
    Engine(String),
    /// The answer is another one than is due.
    Differs(String),
}

/// An engine with the generated catalog's tables.
pub struct Engine {
    pub name: String,
    target: Arc<Target>,
    /// Writes rows that a fixed filter hides.
    fill: Arc<Target>,
    connection: AnyConnection,
    backend: Arc<dyn Backend>,
    /// The server, and the database on it that is ours.
    server: Option<(Arc<dyn Backend>, String)>,
}

/// The name of our database on a server.
fn database(world: &World, mode: TextMode) -> String {
    format!("isogloss_generated_{}_{}_{mode}", std::process::id(), world.name)
}

impl Engine {
    /// Every engine that can be reached, with its tables in a database of their own. In mode `database` its collations are by
    /// code points; in mode `exact` they take `a` for `A`, and some of them a blank at the end for nothing.
    pub async fn all(world: &World, mode: TextMode) -> Vec<Self> {
        let sqlite = SqliteBackend::open(SqliteOptions::memory()).await.unwrap();
        let mut engines = vec![Self::new(Arc::new(sqlite), world, mode, None).await];
        #[cfg(feature = "duckdb")]
        {
            use isogloss_duckdb::driver::{DuckDbBackend, DuckDbOptions};
            let duckdb = DuckDbBackend::open(DuckDbOptions::memory()).await.unwrap();
            engines.push(Self::new(Arc::new(duckdb), world, mode, None).await);
        }
        for url in isogloss_testkit::servers::postgres() {
            engines.push(Self::postgres(&url, world, mode).await);
        }
        for url in isogloss_testkit::servers::mysql() {
            engines.push(Self::mysql(&url, world, mode).await);
        }
        engines
    }

    async fn postgres(url: &str, world: &World, mode: TextMode) -> Self {
        let options = PostgresOptions::url(url).unwrap();
        let server: Arc<dyn Backend> = Arc::new(PostgresBackend::connect(options.clone()).await.unwrap());
        let name = database(world, mode);
        // Texts are compared by code points, and letters still have a case.
        let create =
            format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8'");
        server.connect().await.unwrap().script(&create).await.unwrap();
        let mut own = options;
        own.database = Some(name.clone());
        let backend: Arc<dyn Backend> = Arc::new(PostgresBackend::connect(own).await.unwrap());
        if mode == TextMode::Exact {
            let loose = "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)";
            let mut connection = backend.connect().await.unwrap();
            if let Err(error) = connection.script(loose).await {
                isogloss_testkit::skipped(format_args!("loose collations on {}: {error}", backend.dialect().label()));
                connection.script("CREATE COLLATION loose FROM \"C\"").await.unwrap();
            }
        }
        Self::new(backend, world, mode, Some((server, name))).await
    }

    async fn mysql(url: &str, world: &World, mode: TextMode) -> Self {
        let options = MySqlOptions::url(url).unwrap();
        let server: Arc<dyn Backend> = Arc::new(MySqlBackend::connect(options.clone()).await.unwrap());
        let mariadb = server.dialect().label().starts_with("mariadb");
        let collation = match (mode, mariadb) {
            // By code points, blanks at the end counted.
            (TextMode::Database, true) => "utf8mb4_nopad_bin",
            (TextMode::Database, false) => "utf8mb4_0900_bin",
            (TextMode::Exact, true) => "utf8mb4_general_ci",
            (TextMode::Exact, false) => "utf8mb4_0900_ai_ci",
        };
        let name = database(world, mode);
        let create = format!("CREATE DATABASE {name} CHARACTER SET utf8mb4 COLLATE {collation}");
        server.connect().await.unwrap().script(&create).await.unwrap();
        let mut own = options;
        own.database = Some(name.clone());
        let backend = Arc::new(MySqlBackend::connect(own).await.unwrap());
        Self::new(backend, world, mode, Some((server, name))).await
    }

    async fn new(
        backend: Arc<dyn Backend>,
        world: &World,
        mode: TextMode,
        server: Option<(Arc<dyn Backend>, String)>,
    ) -> Self {
        let catalog = &world.catalog;
        let name = format!("{}{}", backend.dialect().label(), if mode == TextMode::Exact { ", exact" } else { "" });
        let mut connection = backend.connect().await.unwrap();
        connection.script(&tables(catalog, &name)).await.unwrap();
        let collations = match backend.collations() {
            Some(asked) if mode == TextMode::Exact => asked.tell(&mut *connection, catalog).await.unwrap(),
            _ => Vec::new(),
        };
        let limits = CompileLimits::default().in_list(generate::IN_LIST);
        let compiler = Compiler::new(catalog.clone()).with_limits(limits);
        let target = compiler.target_of(backend.dialect(), mode, &collations);
        let fill = Compiler::new(generate::catalog::unfiltered().unwrap()).target(backend.dialect());
        Self { name, target, fill, connection, backend, server }
    }

    /// Takes away what was made.
    pub async fn leave(self) {
        drop((self.connection, self.backend));
        if let Some((server, name)) = self.server {
            let drop = format!("DROP DATABASE IF EXISTS {name}");
            server.connect().await.unwrap().script(&drop).await.unwrap();
        }
    }

    /// Puts these rows in place of those that are there.
    pub async fn load(&mut self, data: &Data) {
        for rows in &data.tables {
            let fill = Arc::clone(&self.fill);
            let delete = Expr::from(table(rows.entity.clone()).delete().all_rows());
            self.connection.execute(&fill.compile(&delete).unwrap()).await.unwrap();
            let values: Vec<Value> = rows.rows.iter().flatten().cloned().collect();
            if !values.is_empty() {
                let insert = Expr::from(table(rows.entity.clone()).insert(rows.columns.clone(), values));
                self.connection.execute(&fill.compile(&insert).unwrap()).await.unwrap();
            }
        }
    }

    pub async fn begin(&mut self, options: &TransactionOptions) {
        self.connection.begin(options).await.unwrap();
    }

    pub async fn rollback(&mut self) {
        self.connection.rollback().await.unwrap();
    }

    /// Takes these rows away.
    pub async fn remove(&mut self, data: &Data) {
        for rows in data.tables.iter().filter(|table| !table.rows.is_empty()) {
            let ids: Vec<Value> = rows.rows.iter().filter_map(|row| row.first().cloned()).collect();
            let delete = Expr::from(table(rows.entity.clone()).delete().filter(prop("Id").in_list(ids)));
            let delete = self.fill.compile(&delete).unwrap();
            self.connection.execute(&delete).await.unwrap();
        }
    }

    /// All rows that are there, with the columns that these have.
    pub async fn dump(&mut self, data: &Data) -> Data {
        let mut dumped = Data::default();
        for rows in &data.tables {
            let all = from(rows.entity.clone()).select(rows.columns.iter().cloned().map(prop));
            let all = Expr::from(SqlSegment::from(all));
            let compiled = self.fill.compile(&all).unwrap();
            let like = Answer { columns: rows.columns.clone(), rows: rows.rows.clone(), ordered: false };
            let answer = self.connection.query_into(&compiled, Reader::of(&like)).await.unwrap().into_answer();
            dumped.tables.push(TableData { rows: answer.rows, ..rows.clone() });
        }
        dumped
    }

    /// Runs a write, and says how many rows it changed, and the text that did.
    pub async fn write(&mut self, statement: &Expr, request: &Request<'_>) -> Result<(u64, String), Trouble> {
        let compiled = self.target.compile_with(statement, request, Buffers::default()).map_err(refused)?;
        let text = format!("{compiled}\n{:?}", compiled.params);
        match self.connection.execute(&compiled).await {
            Ok(changed) => Ok((changed, text)),
            Err(error) => Err(Trouble::Engine(format!("{error}\n{text}"))),
        }
    }

    /// What the engine answers, read as the types that are expected; and the text that was asked.
    pub async fn ask(
        &mut self,
        query: &Expr,
        request: &Request<'_>,
        expected: &Answer,
    ) -> Result<(Answer, String), Trouble> {
        let compiled = self.target.compile_with(query, request, Buffers::default()).map_err(refused)?;
        let mut text = compiled.sql.clone();
        for (index, parameter) in compiled.params.iter().enumerate() {
            let _ = write!(text, "\n  {}: {:?} {:?}", index + 1, parameter.value, parameter.ty.map(|ty| ty.base));
        }
        match self.connection.query_into(&compiled, Reader::of(expected)).await {
            Ok(reader) => Ok((reader.into_answer(), text)),
            Err(error) => Err(Trouble::Engine(format!("{error}\n{text}"))),
        }
    }

    /// What is asked by these queries.
    pub fn texts<const N: usize>(&self, queries: [Expr; N], request: &Request<'_>) -> String {
        queries.iter().fold(String::new(), |mut texts, query| {
            let _ = match self.target.compile_with(query, request, Buffers::default()) {
                Ok(compiled) => writeln!(texts, "{compiled}\n  {:?}", compiled.params),
                Err(error) => writeln!(texts, "{error}"),
            };
            texts
        })
    }

    /// The one number that a query gives; 0 for NULL.
    pub async fn number(&mut self, query: &Expr, request: &Request<'_>) -> Result<i64, Trouble> {
        let compiled = self.target.compile_with(query, request, Buffers::default()).map_err(refused)?;
        let number = self.connection.fetch_one::<(Option<i64>,)>(&compiled).await;
        let number = number.map_err(|error| Trouble::Engine(format!("{error}\n{compiled}\n{:?}", compiled.params)))?;
        Ok(number.0.unwrap_or(0))
    }
}

pub fn refused(error: isogloss_compiler::Error) -> Trouble {
    if let ErrorKind::OutOfScope { why, .. } = error.kind() {
        return Trouble::Refused(format!("(every dialect) a row would be outside of the scope: {why}"));
    }
    Trouble::Refused(if error.is_refused() {
        error.kind().to_string()
    } else {
        format!("(every dialect) {}", error.kind())
    })
}

/// The statements that make the tables.
fn tables(catalog: &Catalog, dialect: &str) -> String {
    let mysql = dialect.starts_with("mysql") || dialect.starts_with("mariadb");
    let quote = |name: &str| if mysql { format!("`{name}`") } else { format!("\"{name}\"") };
    let mut script = String::new();
    for name in TABLES {
        let (_, entity) = catalog.entity(name).unwrap();
        let columns: Vec<String> = entity
            .columns
            .iter()
            .map(|column| {
                let key = if column.primary_key { " PRIMARY KEY" } else { "" };
                let null = if column.nullable { "" } else { " NOT NULL" };
                format!("{} {}{null}{key}", quote(&column.column), type_of(column, dialect))
            })
            .collect();
        let name = quote(&entity.table.plain().unwrap()[0]);
        let _ = write!(script, "CREATE TABLE {name} ({});", columns.join(", "));
    }
    script
}

fn type_of(column: &Column, dialect: &str) -> &'static str {
    let engine = dialect.split(' ').next().unwrap_or_default();
    // One column of the loose collations is by code points all the same: a text has its own column's.
    let loose = dialect.ends_with(", exact") && column.name.as_str() != "Title";
    match (engine, column.ty.base) {
        ("sqlite", T::Int32 | T::Int64 | T::Boolean) => "INTEGER",
        ("sqlite", T::Decimal) => "NUMERIC",
        ("sqlite", T::Double) => "REAL",
        ("sqlite", T::String) if loose => "TEXT COLLATE NOCASE",
        ("sqlite", _) => "TEXT",
        ("duckdb", T::DateTime2) => "TIMESTAMP",
        ("duckdb", T::Guid) => "UUID",
        ("duckdb", T::String) if loose => "VARCHAR COLLATE NOCASE",
        (_, T::Int32) => "INT",
        (_, T::Int64) => "BIGINT",
        (_, T::Boolean) => "BOOLEAN",
        (_, T::Decimal) => "DECIMAL(18, 2)",
        (_, T::Date) => "DATE",
        ("postgres", T::Double) => "DOUBLE PRECISION",
        ("postgres", T::DateTime2) => "TIMESTAMP",
        ("postgres", T::Guid) => "UUID",
        ("postgres", _) if loose => "TEXT COLLATE loose",
        ("postgres", _) => "TEXT",
        (_, T::Double) => "DOUBLE",
        (_, T::DateTime2) => "DATETIME(6)",
        (_, T::Guid) => "CHAR(36)",
        ("mariadb", _) if !loose => "VARCHAR(200) COLLATE utf8mb4_nopad_bin",
        ("mysql", _) if !loose => "VARCHAR(200) COLLATE utf8mb4_0900_bin",
        _ => "VARCHAR(200)",
    }
}
