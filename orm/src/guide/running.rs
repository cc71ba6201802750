//! Running statements: backends, connections, rows, transactions, bulk inserts, errors.
//!
//! With the feature `driver`, each dialect's crate has a backend: a connection pool for a server or file. All of them implement
//! the same traits, so that a program can choose the engine when it starts:
//!
//! | engine | backend | based on |
//! |---|---|---|
//! | SQLite | `sqlite::driver::SqliteBackend` | rusqlite, with SQLite compiled in |
//! | PostgreSQL | `postgres::driver::PostgresBackend` | tokio-postgres |
//! | MySQL, MariaDB | `mysql::driver::MySqlBackend` | mysql_async |
//! | SQL Server | `sqlserver::driver::SqlServerBackend` | tiberius |
//! | Oracle | `oracle::driver::OracleBackend` | ODPI-C by the crate `oracle`; needs Oracle's client library to run |
//! | DuckDB | `duckdb::driver::DuckDbBackend` | the crate `duckdb`; links DuckDB's library, see the driver's module |
//!
//! ```
//! use futures_util::StreamExt;
//! use isogloss::driver::{Backend, ConnectionExt, FromColumn, FromRow, Row, TransactionOptions, rows};
//! use isogloss::expr::{DbValueType, Expr, Value};
//! use isogloss::model::{ColumnDef, TableDef};
//! use isogloss::prelude::*;
//! use isogloss::{Buffers, Compiler, Request, Verb};
//! use isogloss::sqlite::driver::{SqliteBackend, SqliteOptions};
//!
//! struct User {
//!     id: i64,
//!     name: String,
//! }
//!
//! /// A row is read straight from the driver's memory.
//! impl FromRow for User {
//!     fn from_row(row: &dyn Row) -> isogloss::driver::Result<Self> {
//!         Ok(Self { id: FromColumn::required(row, 0)?, name: FromColumn::required(row, 1)? })
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let user = TableDef::new("User")
//!     .table("Users")
//!     .column(ColumnDef::new("Id", DbValueType::Int64).primary_key().identity(1, 1))
//!     .column(ColumnDef::new("Name", DbValueType::String).length(100))
//!     .column(ColumnDef::new("Mail", DbValueType::String).length(100).nullable().unique());
//! let catalog = Catalog::builder().table(user).build()?;
//!
//! // Elsewhere: PostgresBackend::connect(PostgresOptions::url("postgres://me:secret@db/shop")?).await?
//! let backend: Box<dyn Backend> = Box::new(SqliteBackend::open(SqliteOptions::memory()).await?);
//!
//! // The dialect is that of the server, in its version. A target is made once and shared.
//! let target = Compiler::new(catalog).target(backend.dialect());
//! let mut connection = backend.connect().await?;
//! connection
//!     .script(r#"CREATE TABLE "Users" ("Id" INTEGER PRIMARY KEY, "Name" TEXT NOT NULL, "Mail" TEXT UNIQUE)"#)
//!     .await?;
//!
//! // Rows by the engine's fast path; here with the numbers that the database gave them.
//! let users = target.bulk_insert("User", &["Name", "Mail"], &[])?;
//! let new = ["Ann", "Bob", "Cem"].map(|name| [Value::from(name), format!("{name}@example.com").into()]);
//! assert_eq!(connection.bulk_insert_keys(&users, rows(new)).await?, [1.into(), 2.into(), 3.into()]);
//!
//! let query = from("User").filter(prop("Name").ne("Bob")).order_by([prop("Id")]).select([prop("Id"), prop("Name")]);
//! let query = query.into_segment();
//! let found: Vec<User> = connection.fetch(&target.compile(&query)?).await?;
//! assert_eq!((found[1].id, found[1].name.as_str()), (3, "Cem"));
//!
//! // Columns without a struct: a tuple, or values.
//! let count = target.compile_with(&query, &Request::default().verb(Verb::Count), Buffers::default())?;
//! assert_eq!(connection.fetch_one::<(i64,)>(&count).await?, (2,));
//!
//! // What fails in a transaction takes it back; one in another is a savepoint.
//! let all = Expr::from(table("User").delete().all_rows());
//! let all = target.compile(&all)?;
//! let options = TransactionOptions::default();
//! let done: Result<(), Box<dyn std::error::Error>> = connection
//!     .transaction(&options, async |connection| {
//!         assert_eq!(connection.execute(&all).await?, 3);
//!         Err("on second thought".into())
//!     })
//!     .await;
//! assert_eq!(done.unwrap_err().to_string(), "on second thought");
//! assert_eq!(connection.fetch_one::<(i64,)>(&count).await?, (2,));
//!
//! // Rows as they come. The stream has the connection until it is dropped.
//! let statement = target.compile(&query)?;
//! {
//!     let mut users = std::pin::pin!(connection.stream::<User>(&statement));
//!     while let Some(user) = users.next().await {
//!         println!("{}", user?.name);
//!     }
//! }
//!
//! // Errors have the same kinds everywhere, and the engine's code.
//! let twice = Expr::from(table("User").insert(["Name", "Mail"], vec!["Dan".into(), "Ann@example.com".into()]));
//! let error = connection.execute(&target.compile(&twice)?).await.unwrap_err();
//! assert_eq!(error.kind(), isogloss::driver::ErrorKind::UniqueViolation);
//! assert_eq!((error.code(), error.constraint()), (Some("2067"), Some("Users.Mail")));
//! # Ok(()) }
//! ```
//!
//! - **Streams** read some rows ahead, 1,024 at most, and wait until they are consumed. A stream that is dropped early
//!   discards the rest of the query, and the connection is ready for the next statement; an open transaction continues.
//!   On PostgreSQL, `fetch_first` in a transaction reads and discards all other rows, as cancelling would end the
//!   transaction: use `take(1)`.
//! - **Values**: `fetch::<Vec<Value>>` returns what the engine stores, which on SQLite is numbers and texts for
//!   booleans, dates and decimals. Structs and tuples read them as the types of their fields.
//! - **Transactions** can also be controlled by `begin`, `commit` and `rollback`. A function that returns in between
//!   leaves the transaction open. A connection that is dropped rolls back. After an error, a transaction continues on
//!   some engines, and is over on others (PostgreSQL accepts only the rollback, a deadlock ends it everywhere): run
//!   what may fail in a savepoint, and roll back if a commit fails.
//! - **A database in memory** of SQLite has one connection: a second caller waits for the first.
//! - **SQLite and async**: fast statements run on the thread of the caller, and move to another thread after 0.2
//!   milliseconds. A write in a transaction cannot be moved: one that scans a table always runs on the other thread.
//! - **A statement that runs often**: [`Target::prepare`](crate::Target::prepare) compiles it once, and
//!   [`Prepared::bind`](crate::Prepared::bind) gives it other values, with the checks of a compilation.
//!   [`Target::prepare_insert`](crate::Target::prepare_insert) does so for rows of borrowed values.
//! - **A statement for many rows**: `execute_many` runs one statement with the values of each row, pipelined if the
//!   protocol supports it.
//! - **Time limits**: `set_statement_timeout`, or [`TransactionOptions`](crate::driver::TransactionOptions). For
//!   streams and bulk inserts they limit each wait, not the whole. Dropping a future cancels its statement on the
//!   server if the engine supports it.
//! - **Failed transactions**: on SQLite, a write that takes too long or is dropped ends its transaction; on PostgreSQL,
//!   any error does, unless it is inside of a savepoint. Until the rollback, further statements fail with the kind
//!   `TransactionFailed`, and write nothing.
//! - **Texts on PostgreSQL** are sent without a type, so that they take that of the column: an enum, `citext`,
//!   `char(n)`. In SQL of your own, cast a text whose type is not determined: `CAST($1 AS text) IS NULL`.
//! - **Behind PgBouncer** in its mode `transaction`, and similar poolers, connect with `?pooled=true`, or set `Pooled`
//!   in the configuration. Then no state is left in a session that another client may use next: statements are not kept
//!   prepared, a time limit outside of a transaction is that of our own clock, and `SET`, `LISTEN`, `BEGIN` in a script
//!   and temporary tables without `ON COMMIT DROP` are refused. It needs PgBouncer 1.18 or later, without
//!   `ignore_startup_parameters`. Do not use `options=`, but `ALTER ROLE .. SET`. `SELECT set_config(..)` and settings
//!   of functions are not detected: pass `true` as its last argument. Without `pooled`, prepared statements have names
//!   that are unique to the process, so that they cause errors there and not wrong rows; but limits and settings of its
//!   sessions would be visible to others.
//! - **The pool**: [`PoolOptions`](crate::driver::PoolOptions) limits how many connections are open, how many are kept
//!   and for how long, and how long a caller waits. If the server is down, callers get an error at once.
//! - **Traces**: each statement is a `tracing` span with the target `isogloss` and the names of OpenTelemetry's
//!   conventions, without parameters. `Error::parameters` has them, for a log that may contain them.
//! - **Limits**: a value that the engine cannot hold, or over `PoolOptions::value_bytes`, is an error before anything
//!   is sent. Numbers of SQLite have 15 digits: a decimal with more is refused there.
