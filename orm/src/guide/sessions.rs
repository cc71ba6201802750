//! Data sources, sessions and transactions.
//!
//! With the feature `orm`, a program says which databases it has, makes an [`OrmContext`](crate::OrmContext) of them once,
//! and does each unit of work in a [`Session`](crate::Session).
//!
//! # From the settings to a statement
//!
//! ```
//! use isogloss::config::OrmConfig;
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
//! - **Providers**: `postgres`, `mysql` or `mariadb`, `sqlite`, `sqlserver`, `oracle`, each with its feature; a program
//!   registers its own by [`OrmBuilder::provider`](crate::context::OrmBuilder::provider). A connection string is a URL, as
//!   the engine's options read it; SQLite's is a path, or `:memory:`. Its file must be there: a wrong name is no new
//!   database, which `app.db?create=true` makes.
//! - **Settings**: keys and defaults are at [`DataSourceConfig`](crate::config::DataSourceConfig). A key that is not known is
//!   an error that says which one it is like. Nothing shows a connection string: neither `Debug` nor an error.
//! - **Pools** are opened when they are first needed, or by [`connect_all`](crate::OrmContext::connect_all) at the start.
//! - **Which source**: that of the entity, [`data_source_of`](crate::OrmContext::data_source_of); without one, the default.
//!   The default and its name are one source, with one connection and one transaction.
//! - **One statement, one source**: subqueries, joins and views over entities of another one are refused, and the error names
//!   both. Run two queries, and give the keys of one to the other; a transaction may be over several sources.
//! - **Sources are settled** when the first session is created. One that comes later is an error.
//!
//! # Sessions
//!
//! - A session is cheap; make one for each request or job. A clone is the same session, and may go to another task: one thing
//!   is done at a time. What holds a lease, or in a transaction a stream, and asks the same session for another waits for
//!   itself; after a while, that is the error [`SessionError::Busy`](crate::session::SessionError::Busy). Outside of a
//!   transaction a stream that reads has a connection of its own, where the pool has more than one: who writes meanwhile
//!   takes two out of it. A database in memory has one. A stream of a lease with
//!   [`Purpose::Write`](crate::session::Purpose::Write) keeps the session's own. What a session reads beside its stream
//!   passes over a replica that has no connection left.
//! - [`scope`](crate::Session::scope) makes it the current session of what a future awaits, so that it need not be handed
//!   on; [`Session::current`](crate::Session::current) gives it. A spawned task has none of its own accord.
//! - A session reads from one of the replicas, the next in turn, and stays with it. One that cannot be reached is set aside,
//!   longer each time; the session goes to the next, at last to the source itself, with what it was about to read; a
//!   stream that has begun ends with the error. In a transaction, all goes to the source: what was written is read. Outside of one, a replica may not have it yet: read with
//!   [`Purpose::Write`](crate::session::Purpose::Write) what must not be old.
//!
//! # Transactions
//!
//! - One inside of another is a savepoint: if it fails, the one around goes on without it.
//! - It is of the session: while it is open, all that the session does is in it, by whatever clone, and in whatever future
//!   runs beside it. What runs in `join!` with a transaction, or is to be kept whatever becomes of it, has a session of its
//!   own: `session.context().create_session()?`. (On SQLite, which has one writer at a time, that one writes before the
//!   transaction or after it.) Two transactions of one session, neither of which is inside of the other, are the error
//!   [`SessionError::Overlap`](crate::session::SessionError::Overlap), and both are taken back.
//! - It covers every source that is used in it; each begins when it is first needed. They commit one after the other, in
//!   the order in which they came in. If one cannot, those behind it are taken back, and the error tells how it ended on
//!   [each](crate::session::CommitError::outcomes): nothing brings two servers to do both or neither.
//! - Others may get in its way: [`transaction_with`](crate::Session::transaction_with) runs it again, from its start.
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
//! context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:"), true)?;
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
