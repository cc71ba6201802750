//! Running what was compiled: backends, connections, rows, transactions, many rows, errors.
//!
//! With the feature `driver`, each dialect's crate has a backend: a pool of connections that speaks to a server or file.
//! What runs on one runs on all of them, so that a program chooses when it starts:
//!
//! | engine | backend | what it rides on |
//! |---|---|---|
//! | SQLite | `sqlite::driver::SqliteBackend` | rusqlite, with SQLite compiled in |
//! | PostgreSQL | `postgres::driver::PostgresBackend` | tokio-postgres |
//! | MySQL, MariaDB | `mysql::driver::MySqlBackend` | mysql_async |
//! | SQL Server | `sqlserver::driver::SqlServerBackend` | tiberius |
//! | Oracle | `oracle::driver::OracleBackend` | ODPI-C by the crate `oracle`; needs Oracle's client library to run |
//!
//! ```
//! use futures_util::StreamExt;
//! use isogloss::driver::{Backend, ConnectionExt, FromColumn, FromRow, Row, TransactionOptions, rows};
//! use isogloss::prelude::*;
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
//! - **Rows as they come**: a stream reads some ahead, 1,024 at most, and waits for you. Dropped before its end, it gives the rest
//!   up, and the connection is ready for the next statement; so is a transaction around it. On PostgreSQL, `fetch_first` in
//!   a transaction reads the rest and throws it away, as a cancelled statement would end the transaction: say `take(1)`.
//! - **Values**: `fetch::<Vec<Value>>` gives what the engine stores, which on SQLite is numbers and texts for truth values,
//!   dates and decimals. A struct or a tuple reads them as its fields say.
//! - **Transactions**: `begin`, `commit` and `rollback` are there, too. A function that returns between them leaves the
//!   transaction open, and what comes next becomes a part of it. A connection that is dropped takes its transaction back.
//!   After an error, a transaction goes on on some engines and is over on others (PostgreSQL refuses all but the rollback,
//!   a deadlock ends it everywhere): put what may fail into one of its own, and roll back when a commit fails.
//! - **A database in memory** of SQLite's has one connection: a second caller waits for the first.
//! - **SQLite and async**: what is quick runs where the caller stands, and goes on to another thread when it has taken 0.2
//!   milliseconds. A write in a transaction cannot be moved: one that goes over a table always runs on the other thread.
//! - **A statement for many rows**: `execute_many` runs one text with other values; pipelined where the protocol can.
//! - **Time**: `set_statement_timeout`, or [`TransactionOptions`](crate::driver::TransactionOptions). Of a stream, and of what
//!   is copied in bulk, it bounds each wait, not the whole. A future that is
//!   dropped cancels its statement at the server where the engine can, and leaves nothing half read.
//! - **Transactions that failed**: on SQLite a write that takes too long or is given up ends its transaction, on PostgreSQL
//!   any error does, but for a savepoint around it. Until it is rolled back, what comes is an error of kind
//!   `TransactionFailed`; nothing of it is written.
//! - **Texts on PostgreSQL**: the driver sends a text without a type, so that it takes that of the column: an enum,
//!   `citext`, `char(n)`. In SQL of your own, cast one that nothing tells the type of: `CAST($1 AS text) IS NULL`.
//! - **Behind PgBouncer** in its mode `transaction`, and poolers like it, connect with `?pooled=true`, or say `Pooled` in the
//!   configuration: then nothing is left in a session that is somebody else's the next moment. Statements are not kept
//!   prepared; a limit outside of a transaction is that of our own clock; `SET`, `LISTEN`, `BEGIN` in a script and temporary
//!   tables without `ON COMMIT DROP` are refused.
//!   PgBouncer 1.18 or later, with no `ignore_startup_parameters` needed. `options=` is not for it: say `ALTER ROLE .. SET`.
//!   `SELECT set_config(..)`, and what a function sets, nobody sees: say `true` for its last argument.
//!   Without `pooled`, prepared statements have names of the process, so that they are errors there, not the rows of others;
//!   the limits and settings of its sessions others would find.
//! - **The pool**: [`PoolOptions`](crate::driver::PoolOptions) says how many connections there are at most, how many are
//!   kept, for how long, and how long a caller waits. Where there is no server, callers get an error at once.
//! - **Traces**: each statement is a `tracing` span of target `isogloss` with the names of OpenTelemetry's conventions;
//!   parameters are never in it. `Error::parameters` has them for a log that may.
//! - **Limits**: a value over what the engine holds, or over `PoolOptions::value_bytes`, is an error before anything is
//!   sent. SQLite's numbers have 15 digits: a decimal with more is refused there.
