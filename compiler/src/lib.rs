//! Isogloss' compiler: one expression tree, typed or from JSON, compiled to SQL for PostgreSQL, MySQL and MariaDB,
//! SQLite, SQL Server and Oracle.
//!
//! A compiler in the usual sense: [`expr`] is what the user said, [`model`] what the tables are; resolving makes a
//! [`frame`] of both, [`legalize`] sees that nothing is left in it that the target lacks, and [`render`] writes it.
//! It does no I/O.

// Their types are in signatures: dates and times in `Value`, short texts in names and table arguments.
pub use {chrono, compact_str, uuid};

mod bulk;
mod compiler;
mod condition;
pub mod dialect;
mod error;
pub mod expr;
pub mod frame;
pub mod functions;
pub mod json;
mod kept;
pub mod legalize;
mod many;
pub mod model;
mod names;
mod prepared;
mod pretty;
mod regex;
mod registry;
pub mod render;
mod resolve;
mod scope;
mod scoped_rows;
mod summary;
mod template;
pub mod walk;

pub use bulk::{BulkColumn, BulkInsert};
pub use compiler::{Buffers, CompileLimits, Compiled, Compiler, Request, ResultColumn, StatementRef, Target, Verb};
pub use error::{Error, ErrorKind, Result};
pub use kept::KeptStatements;
pub use many::RowsStatement;
pub use registry::{FragmentContext, FragmentError, Registry};
pub use scope::{AppliedFilter, Scope, ScopeError};
pub use scoped_rows::ScopedRows;
pub use template::{ExprString, Hole, Lexis, RawSql, TextPlace, TextProblem, identifier, list};
