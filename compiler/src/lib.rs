//! The compiler of Isogloss: compiles one expression tree, from Rust or from JSON, to SQL for PostgreSQL, MySQL and
//! MariaDB, SQLite, SQL Server and Oracle. It does no I/O.
//!
//! Its stages are modules:
//!
//! - [`expr`] is the tree, and [`json`] its notation for clients.
//! - [`model`] is the catalog of tables. [`walk`] has the policy for trees of untrusted clients.
//! - Resolving a tree over a catalog creates a [`frame`], in which every name is a column.
//! - [`legalize`] rewrites what the target engine lacks.
//! - [`render`] writes the SQL text.
//!
//! Programs use this crate through `isogloss`, which re-exports it together with the dialects. [`dialect`], [`frame`] and
//! [`render`] are for whoever writes a dialect.
//!
//! What a version may add to is `#[non_exhaustive]`: errors, options, notes, features, what a catalog tells. Exhaustive are
//! the nodes of the [tree](expr), of which whoever walks one wants to be told of each, and what is whole by its nature:
//! the [steps](walk::Visit) of a walk, the [ranks](render::Prec) of operators, the kinds of [functions], of
//! [properties](model::Property) and of [questions](Verb), what a hook of a dialect is asked.
//! [`Compiled`] and the [data sheet](dialect::Sheet) of a dialect are written with `..` behind the fields that are meant.

// Their types are in signatures: dates and times in `Value`, short texts in names and table arguments.
pub use {chrono, compact_str, uuid};

mod bulk;
mod compiler;
mod condition;
pub mod dialect;
mod entity_texts;
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

mod pretty;
mod regex;
mod registry;
pub mod render;
mod resolve;
mod scope;
mod scoped_rows;
mod summary;
mod target;
mod template;
mod tokens;
pub mod walk;
mod work;

pub use bulk::{BulkColumn, BulkInsert};
pub use compiler::{Buffers, CompileLimits, Compiled, Compiler, Request, ResultColumn, StatementRef, Verb};
pub use error::{Error, ErrorKind, Result};
pub use kept::{InsertRows, KeptStatements, Prepared, PreparedInsert};
pub use many::RowsStatement;
pub use registry::{FragmentContext, FragmentError, Registry};
pub use scope::{AppliedFilter, Scope, ScopeError};
pub use scoped_rows::ScopedRows;
pub use target::Target;
pub use template::{ExprString, Hole, Lexis, RawSql, TextPlace, TextProblem, identifier, list};

// The dialect of examples and tests names the crate.
#[cfg(test)]
extern crate self as isogloss_compiler;

#[cfg(test)]
mod tests;
