//! HTTP APIs over entities, for axum: clients read, write and query rows with JSON trees, within what the program allows.
//!
//! A program implements [`EntityController`] for what it serves, or lets [`Controllers`] serve every entity that it has.
//! A [`Host`] says what all of them have in common: where sessions come from, who calls, and whose rows are meant.

mod body;
mod call;
mod controller;
mod controllers;
mod endpoints;
mod host;
mod id;
mod mount_error;
mod mounted;
mod names;
#[cfg(feature = "openapi")]
mod openapi;
mod problem;
mod query_string;
mod request;
mod routes;
mod rows;
mod rules;
mod version;

pub use call::Call;
pub use controller::EntityController;
pub use controllers::Controllers;
pub use host::Host;
pub use mount_error::MountError;
pub use mounted::Mounted;
#[cfg(feature = "openapi")]
pub use openapi::OpenApiDocument;
pub use problem::{FieldProblem, Problem, ProblemKind, WebResult};
pub use query_string::{BadParameter, QueryString, QueryStringError, StringQuery};
pub use rules::{Int64, Rules};
