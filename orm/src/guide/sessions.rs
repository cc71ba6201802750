//! Data sources, sessions and transactions.
//!
//! With the feature `orm`, a program configures its databases, creates one [`OrmContext`](crate::OrmContext) for them, and does
//! each unit of work in a [`Session`](crate::Session).
//!
//! # From the settings to a statement
//!
//! ```
//! use isogloss::config::OrmConfig;
//! use isogloss::expr::DbValueType;
//! use isogloss::model::{ColumnDef, TableDef};
//! use isogloss::prelude::*;
//! use isogloss::session::Purpose;
//! use isogloss::{Orm, OrmError, Session};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Elsewhere: Provider = "postgres", ConnectionString = "postgres://app:secret@db.example/shop"
//! let config = OrmConfig::from_toml(r#"
//!     [Orm]
//!     Default = "main"
//!
//!     [[Orm.DataSources]]
//!     Name = "main"
//!     Provider = "sqlite"
//!     ConnectionString = ":memory:"
//! "#)?;
//!
//! // Without a catalog, it is that of the entities that are linked into the program.
//! let account = TableDef::new("Account")
//!     .column(ColumnDef::new("Id", DbValueType::Int32).primary_key())
//!     .column(ColumnDef::new("Money", DbValueType::Int64));
//! let orm = Orm::builder().config(config).catalog(Catalog::builder().table(account).build()?).build().await?;
//! let session = orm.create_session()?;
//! let create = r#"CREATE TABLE "Account" ("Id" INTEGER PRIMARY KEY, "Money" INTEGER NOT NULL CHECK ("Money" >= 0))"#;
//! session.lease(None, Purpose::Write).await?.script(create).await?;
//!
//! // A lease is a connection for a while; its target compiles for the server that it leads to.
//! let rows = table("Account").insert_rows(["Id", "Money"], [(1, 100), (2, 0)]);
//! let mut lease = session.lease(None, Purpose::Write).await?;
//! let insert = lease.target().compile(&rows)?.into_owned();
//! assert_eq!(lease.execute(&insert).await?, 2);
//! drop(lease);
//!
//! // What is done in a transaction is done as a whole: committed on `Ok`, taken back on `Err`, by a panic, and by whoever
//! // drops the future.
//! async fn add(session: &Session, id: i32, money: i64) -> Result<u64, OrmError> {
//!     let update = table("Account").update([("Money", prop("Money") + money)]).filter(prop("Id").eq(id));
//!     let mut lease = session.lease(None, Purpose::Write).await?;
//!     let update = lease.target().compile(&update)?.into_owned();
//!     lease.execute(&update).await
//! }
//! async fn give(session: &Session, money: i64) -> Result<u64, OrmError> {
//!     session
//!         .transaction(async |tx: &Session| {
//!             add(tx, 2, money).await?;
//!             add(tx, 1, -money).await
//!         })
//!         .await
//! }
//! give(&session, 30).await?;
//! let error = give(&session, 200).await.unwrap_err();
//! assert_eq!(error.kind(), Some(isogloss::driver::ErrorKind::CheckViolation));
//!
//! let query = from("Account").order_by([prop("Id")]).select(["Money"]).into_segment();
//! let mut lease = session.lease(None, Purpose::Read).await?;
//! let query = lease.target().compile(&query)?.into_owned();
//! assert_eq!(lease.fetch::<(i64,)>(&query).await?, [(70,), (30,)]);
//!
//! // The last ten statements, without their values.
//! assert!(session.sql_stack()[0].starts_with("CREATE TABLE"));
//! # Ok(()) }
//! ```
//!
//! # Sources
//!
//! - **Providers**: `postgres`, `mysql` or `mariadb`, `sqlite`, `sqlserver`, `oracle`, `duckdb`, each with its feature. A program
//!   registers its own by [`OrmBuilder::provider`](crate::context::OrmBuilder::provider). A connection string is a URL;
//!   for SQLite it is a path, or `:memory:`. An SQLite file must exist, so that a wrong name does not create a
//!   database; `app.db?create=true` creates it.
//! - **Settings**: keys and defaults are listed at [`DataSourceConfig`](crate::config::DataSourceConfig). An unknown
//!   key is an error that names the most similar one. Connection strings appear neither in `Debug` nor in errors.
//! - **Pools** are opened when they are first needed, or by [`connect_all`](crate::OrmContext::connect_all) at the
//!   start.
//! - **The source of a statement** is that of its entity, [`data_source_of`](crate::OrmContext::data_source_of), or the
//!   default. The default and its name are one source, with one connection and one transaction.
//! - **One statement uses one source**: subqueries, joins and views over entities of another source are refused, and
//!   the error names both. Run two queries instead, and pass the keys of one to the other. A transaction may cover
//!   several sources.
//! - **Sources are fixed** when the first session is created. Adding one later is an error.
//!
//! # Sessions
//!
//! - A session is cheap: create one for each request or job. A clone is the same session and may be moved to another
//!   task. It runs one operation at a time. A task that holds a lease, or a stream in a transaction, and uses the same
//!   session for something else would wait for itself; after some time this is the error
//!   [`SessionError::Busy`](crate::session::SessionError::Busy).
//! - Outside of a transaction, a stream that reads has a connection of its own, if the pool has more than one: a
//!   program that also writes takes two connections. A database in memory has one. A stream of a lease with
//!   [`Purpose::Write`](crate::session::Purpose::Write) uses the session's own connection. Further reads of a session
//!   with an open stream skip a replica that has no free connection.
//! - [`scope`](crate::Session::scope) makes a session the current one of a future, so that it need not be passed on;
//!   [`Session::current`](crate::Session::current) returns it. A spawned task has none.
//! - Outside of transactions, a session reads from one of the replicas, the next in turn, and keeps it. A replica that
//!   cannot be reached is not used for a while, longer each time. The session then tries the next one with the same
//!   read, and at last the source itself; a stream that has begun ends with the error. In a transaction, everything
//!   goes to the source. A session that has written to a source reads from it until the replica has that, see
//!   [`read_your_writes`](crate::config::DataSourceConfig::read_your_writes). A replica may lag behind others' writes:
//!   read what must be current by [`on_primary`](crate::Session::on_primary).
//!
//! # Transactions
//!
//! - A transaction inside of another one is a savepoint: if it fails, the outer one continues.
//! - A transaction belongs to the session: while it is open, all operations of the session are a part of it, by any
//!   clone and in any concurrent future. Work that runs in `join!` with a transaction, or must survive its rollback,
//!   needs a session of its own: `session.context().create_session()?`. (SQLite has one writer at a time: there that
//!   session writes before the transaction or after it.) Two transactions of one session that overlap without being
//!   nested are the error [`SessionError::Overlap`](crate::session::SessionError::Overlap): in one task, as in a `join!`,
//!   the second is refused and the first goes on; those of several tasks are both rolled back.
//! - A transaction covers every source that is used in it, and begins on each when it is first used. They commit one
//!   after the other, in the order of their first use. If one cannot commit, those after it are rolled back, and the
//!   error has the outcome on [each](crate::session::CommitError::outcomes). There is no two-phase commit.
//! - After a conflict with a concurrent transaction, [`transaction_with`](crate::Session::transaction_with) runs it
//!   again from its start.
//!
//! ```
//! # use isogloss::config::DataSourceConfig;
//! # use isogloss::prelude::*;
//! use isogloss::driver::{Isolation, TransactionOptions};
//! use isogloss::session::RetryOptions;
//! use isogloss::{OrmContext, OrmError, Session};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let context = OrmContext::new(Catalog::builder().build()?);
//! context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:"))?;
//! let session = context.create_session()?;
//!
//! let serializable = TransactionOptions::default().isolation(Isolation::Serializable);
//! let options = RetryOptions::attempts(5).options(serializable);
//! // It may go to a task, with what it borrows.
//! let done = tokio::spawn(async move {
//!     let note = String::from("done");
//!     session.transaction_with(options, async |_tx: &Session| Ok::<_, OrmError>(note.len())).await
//! });
//! assert_eq!(done.await??, 4);
//! # Ok(()) }
//! ```
