//! The engines that are asked.

use std::fmt::Write as _;
use std::sync::Arc;

use isogloss_compiler::expr::{DbValueType as T, Expr, Value, table};
use isogloss_compiler::model::{Catalog, Column};
use isogloss_compiler::{CompileLimits, Compiler, Request, Target};
use isogloss_conformance::data::{Answer, Data, Reader};
use isogloss_conformance::generate::{self, catalog::TABLES};
use isogloss_driver::{AnyConnection, Backend, ConnectionExt, TransactionOptions};
use isogloss_mysql::driver::{MySqlBackend, MySqlOptions};
use isogloss_postgres::driver::{PostgresBackend, PostgresOptions};
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};

use crate::urls;

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
    /// The server in whose database of ours the tables are.
    server: Option<Arc<dyn Backend>>,
}

/// The name of our database on a server.
fn database() -> String {
    format!("isogloss_generated_{}", std::process::id())
}

impl Engine {
    /// Every engine that can be reached, with its tables in a database of their own.
    pub async fn all(catalog: &Catalog) -> Vec<Self> {
        let sqlite = SqliteBackend::open(SqliteOptions::memory()).await.unwrap();
        let mut engines = vec![Self::new(Arc::new(sqlite), catalog, None).await];
        for url in urls::of("ISOGLOSS_POSTGRES_URL") {
            engines.push(Self::postgres(&url, catalog).await);
        }
        for url in urls::of("ISOGLOSS_MYSQL_URL") {
            engines.push(Self::mysql(&url, catalog).await);
        }
        engines
    }

    async fn postgres(url: &str, catalog: &Catalog) -> Self {
        let options = PostgresOptions::url(url).unwrap();
        let server: Arc<dyn Backend> = Arc::new(PostgresBackend::connect(options.clone()).await.unwrap());
        let name = database();
        // Texts are compared by code points, and letters still have a case.
        let create =
            format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8'");
        server.connect().await.unwrap().script(&create).await.unwrap();
        let mut own = options;
        own.database = Some(name);
        Self::new(Arc::new(PostgresBackend::connect(own).await.unwrap()), catalog, Some(server)).await
    }

    async fn mysql(url: &str, catalog: &Catalog) -> Self {
        let options = MySqlOptions::url(url).unwrap();
        let server: Arc<dyn Backend> = Arc::new(MySqlBackend::connect(options.clone()).await.unwrap());
        // Texts are compared by code points, blanks at their end counted.
        let mariadb = server.dialect().label().starts_with("mariadb");
        let collation = if mariadb { "utf8mb4_nopad_bin" } else { "utf8mb4_0900_bin" };
        let name = database();
        let create = format!("CREATE DATABASE {name} CHARACTER SET utf8mb4 COLLATE {collation}");
        server.connect().await.unwrap().script(&create).await.unwrap();
        let mut own = options;
        own.database = Some(name);
        Self::new(Arc::new(MySqlBackend::connect(own).await.unwrap()), catalog, Some(server)).await
    }

    async fn new(backend: Arc<dyn Backend>, catalog: &Catalog, server: Option<Arc<dyn Backend>>) -> Self {
        let name = backend.dialect().label();
        let limits = CompileLimits { in_list: generate::IN_LIST, ..CompileLimits::default() };
        let target = Compiler::new(catalog.clone()).with_limits(limits).target(backend.dialect());
        let fill = Compiler::new(generate::catalog::unfiltered().unwrap()).target(backend.dialect());
        let mut connection = backend.connect().await.unwrap();
        connection.script(&tables(catalog, &name)).await.unwrap();
        Self { name, target, fill, connection, backend, server }
    }

    /// Takes away what was made.
    pub async fn leave(self) {
        drop((self.connection, self.backend));
        if let Some(server) = self.server {
            let drop = format!("DROP DATABASE IF EXISTS {}", database());
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

    /// Runs a write, and says how many rows it changed.
    pub async fn write(&mut self, statement: &Expr) -> Result<u64, Trouble> {
        let compiled = self.target.compile(statement).map_err(refused)?;
        let changed = self.connection.execute(&compiled).await;
        changed.map_err(|error| Trouble::Engine(format!("{error}\n{compiled}\n{:?}", compiled.params)))
    }

    /// What the engine answers, read as the types that are expected; and the text that was asked.
    pub async fn ask(
        &mut self,
        query: &Expr,
        request: &Request<'_>,
        expected: &Answer,
    ) -> Result<(Answer, String), Trouble> {
        let compiled =
            self.target.compile_with(query, request, isogloss_compiler::Buffers::default()).map_err(refused)?;
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
    pub fn texts<const N: usize>(&self, queries: [Expr; N]) -> String {
        queries.iter().fold(String::new(), |mut texts, query| {
            let _ = match self.target.compile(query) {
                Ok(compiled) => writeln!(texts, "{compiled}\n  {:?}", compiled.params),
                Err(error) => writeln!(texts, "{error}"),
            };
            texts
        })
    }

    /// The one number that a query gives; 0 for NULL.
    pub async fn number(&mut self, query: &Expr, request: &Request<'_>) -> Result<i64, Trouble> {
        let compiled =
            self.target.compile_with(query, request, isogloss_compiler::Buffers::default()).map_err(refused)?;
        let number = self.connection.fetch_one::<(Option<i64>,)>(&compiled).await;
        let number = number.map_err(|error| Trouble::Engine(format!("{error}\n{compiled}\n{:?}", compiled.params)))?;
        Ok(number.0.unwrap_or(0))
    }
}

pub fn refused(error: isogloss_compiler::Error) -> Trouble {
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
    match (engine, column.ty.base) {
        ("sqlite", T::Int32 | T::Int64 | T::Boolean) => "INTEGER",
        ("sqlite", T::Decimal) => "NUMERIC",
        ("sqlite", T::Double) => "REAL",
        ("sqlite", _) => "TEXT",
        (_, T::Int32) => "INT",
        (_, T::Int64) => "BIGINT",
        (_, T::Boolean) => "BOOLEAN",
        (_, T::Decimal) => "DECIMAL(18, 2)",
        (_, T::Date) => "DATE",
        ("postgres", T::Double) => "DOUBLE PRECISION",
        ("postgres", T::DateTime2) => "TIMESTAMP",
        ("postgres", T::Guid) => "UUID",
        ("postgres", _) => "TEXT",
        (_, T::Double) => "DOUBLE",
        (_, T::DateTime2) => "DATETIME(6)",
        (_, T::Guid) => "CHAR(36)",
        _ => "VARCHAR(200)",
    }
}
