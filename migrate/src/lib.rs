//! Migrations: numbered SQL files for each engine, run once, under a lock, and taken up where they were broken off.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use isogloss_migrate::{Migration, Migrations, Migrator};
//! use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};
//!
//! let backend = SqliteBackend::open(SqliteOptions::url(":memory:")?).await?;
//! let migrations = Migrations::new([
//!     Migration::new(1, "add_customers", "CREATE TABLE customers (id integer PRIMARY KEY);").down("DROP TABLE customers;"),
//!     Migration::new(2, "add_names", "ALTER TABLE customers ADD COLUMN name text;"),
//! ])?;
//! let migrator = Migrator::new(&backend, &migrations);
//! assert_eq!(migrator.plan(None).await?.len(), 2);
//! assert_eq!(migrator.run(None).await?.len(), 2);
//! assert!(migrator.run(None).await?.is_empty());
//! # Ok(()) }
//! ```
//!
//! # Files
//!
//! ```text
//! migrations/
//!   0001_add_customers/
//!     postgres.up.sql      what applies it on PostgreSQL
//!     postgres.down.sql    what reverts it; without one, it cannot be
//!     mysql.up.sql         MariaDB's, too, unless there is a mariadb.up.sql
//!     up.sql               of all other engines
//!     down.sql
//! ```
//!
//! A file is that of the engine, that of the engine that it is a variant of, or the one of all engines, in this order. A migration
//! without a file for an engine is an error on that engine: an empty file says that there is nothing to do. The down file is the one
//! that is called like the up file that was found.
//!
//! A semicolon ends a statement where the engine reads one as such: not in literals, quoted names, comments, and PostgreSQL's
//! dollar quotes. A body of statements that has semicolons of its own stands between marks, which are comments of one line:
//!
//! ```sql
//! -- isogloss: begin
//! CREATE TRIGGER kept AFTER DELETE ON customers BEGIN
//!   INSERT INTO deleted VALUES (old.id);
//! END;
//! -- isogloss: end
//! ```
//!
//! `DELIMITER` and `GO` are commands of a client, and refused, as are statements that begin or end a transaction: that is the
//! runner's. On SQL Server, a procedure, function or trigger stands between the marks in any case. More marks:
//!
//! - `-- isogloss: no-transaction`: the statements of the file run one by one, outside of a transaction, as `CREATE INDEX
//!   CONCURRENTLY` and `VACUUM` have to.
//! - `-- isogloss: foreign-keys-off`: for a SQLite table that is replaced by a new one. Foreign keys are turned off before the
//!   transaction, checked before its end, and turned on again.
//!
//! # What is guaranteed
//!
//! One process migrates at a time: PostgreSQL, MySQL, MariaDB and SQL Server have a lock of the session for it, SQLite the one of
//! its transactions. On PostgreSQL the connection must not go through a pooler that gives each transaction another session.
//!
//! On PostgreSQL, SQLite and SQL Server, a migration and its record are one transaction: all of it happens once, or nothing does,
//! whenever the process, the connection or the server ends. YugabyteDB commits each statement that changes a table.
//!
//! Elsewhere, and with `no-transaction`, each statement that changes a table commits by itself, and the next run goes on behind the
//! last one that was recorded:
//!
//! - A statement that changes rows (`INSERT`, `UPDATE`, `DELETE`, ..) and its record are one transaction. It takes effect once.
//! - Before any other statement it is recorded that it begins, with a checksum of what introspection says of the tables of the
//!   default schema that it names; behind it, that it has run. If the process ends in between, the next run waits for the lock,
//!   which the server keeps as long as it is at the statement, and looks at these tables again. If they have changed, a `CREATE`,
//!   `ALTER` or `DROP` of a table or an index has run: what somebody changes by hand in the same table in that moment is taken for
//!   it. If they have not, a `CREATE`, `ALTER` or `DROP` is run (again). An effect that introspection does not see, such as a
//!   trigger, then fails as being there already.
//! - Everything else is [`MigrateError::InDoubt`], and [`Migrator::resolve`] answers it: that failure, any other statement (`CALL`,
//!   `LOAD DATA`, `RENAME TABLE`, ..), one that names another schema, and one whose text has changed since. With `no-transaction` on
//!   PostgreSQL, tables that have changed are in doubt as well: an index may be half made.
//! - A `SET` is run again for the new session. `USE`, temporary tables and variables that a query fills are forgotten with the
//!   session, and refused in such a file.
//! - Oracle, CockroachDB and Galera have no lock that every user may take: a migration that was begun and has not ended goes on only
//!   after [`Migrator::resume`].
//!
//! What was applied may not change: its SHA-256 is in the history, and another one is [`MigrateError::Changed`]. Of a migration that
//! was broken off, the statements that have not run may be corrected. A migration that is numbered below one that was applied is
//! [`MigrateError::OutOfOrder`], one whose files are gone is [`MigrateError::Missing`].
//!
//! # Why not `refinery`
//!
//! It is a well-kept runner, and its drivers do not fit: it opens connections of rusqlite, postgres, tokio-postgres, mysql,
//! mysql_async and tiberius by itself, beside the pools, options and clocks of a [`Backend`](isogloss_driver::Backend), and knows no
//! Oracle. It takes no lock, so that two processes that start at once run a migration twice; it has no record of statements, so that
//! MySQL, MariaDB and Oracle are left half way by a process that ends; and it has no down files.

mod error;
mod files;
mod history;
mod lock;
mod migrator;
mod plan;
mod run;
mod split;
mod words;
mod write;

pub use error::{MigrateError, Result};
pub use files::{Migration, Migrations};
pub use isogloss_driver::ddl::{DiffOptions, Difference, Impact, Lock, Part, catalog_differences, differences};
pub use migrator::Migrator;
pub use plan::{Direction, Done, Progress, Ran, State, Status, Step};
pub use write::{Written, database_differences, write_migration};
