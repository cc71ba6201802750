//! Doubles of databases, for the tests of programs.
//!
//! - [`Recorded`] is a backend without a database. It answers each statement by what was recorded for it, and an unexpected
//!   statement is an error. [`Recorder`] records what a real backend answers, as a text that is kept beside the test.
//! - [`Faulty`] stands before a real backend and fails where a test says so: a statement, a COMMIT, a connection, a row in the
//!   middle of a stream.
//!
//! Both are backends like those of the engines, so that the program under test is unchanged:
//!
//! ```
//! use std::sync::Arc;
//!
//! use isogloss::config::DataSourceConfig;
//! use isogloss::entity::Linked as _;
//! use isogloss::expr::Value;
//! use isogloss::prelude::*;
//! use isogloss::provider::Given;
//! use isogloss_testing::{Answers, Recorded};
//!
//! #[derive(Debug, Clone, PartialEq, Default, Entity)]
//! #[table(name = "tasks", columns = "snake_case")]
//! struct Task {
//!     #[column(primary_key, identity)]
//!     id: i64,
//!     title: String,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let sql = r#"SELECT "T0"."id" AS "Id", "T0"."title" AS "Title" FROM "tasks" "T0" WHERE "T0"."title" = ?"#;
//! let answers = Answers::new().rows((sql, ["write"]), ["Id", "Title"], [[Value::from(1), "write".into()]]);
//! let database = Recorded::new(isogloss::SQLITE, answers);
//!
//! let orm = OrmContext::builder()
//!     .catalog(Catalog::builder().entity::<Task>().build()?)
//!     .provider(Given::new("double", Arc::new(database.clone())))
//!     .build()
//!     .await?;
//! orm.add_data_source(DataSourceConfig::new("main", "double", "given"))?;
//!
//! let session = orm.create_session()?;
//! let tasks = ObjectViewDao::<Task>::new(&session).search(expr!(|t: Task| t.title == "write")).all().await?;
//! assert_eq!(tasks, [Task { id: 1, title: "write".into() }]);
//! assert_eq!(database.asked().len(), 1);
//! # Ok(()) }
//! ```

mod answers;
mod faulty;
mod notation;
mod recorded;
mod recorder;
mod row;

/// The chapter of the book, as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/testing.md")]
mod chapter {}

pub use answers::{Answer, Answers, Asked, BadAnswers, Exchange};
pub use faulty::{Fault, Faulty};
pub use recorded::Recorded;
pub use recorder::Recorder;
