//! From an existing database to a program: what [introspection](isogloss_driver::introspect) tells of a database becomes
//! Rust code, [definitions](isogloss_compiler::model::definitions), or a picture.
//!
//! ```no_run
//! # async fn run(backend: &dyn isogloss_driver::Backend) -> Result<(), Box<dyn std::error::Error>> {
//! use isogloss_driver::introspect::{IntrospectOptions, introspect};
//! use isogloss_generate::{Mapping, Model, Options};
//!
//! let mut connection = backend.connect().await?;
//! let report = introspect(&mut *connection, backend.ddl(), &IntrospectOptions::default()).await?;
//! let mapping = Mapping::from_toml(&std::fs::read_to_string("mapping.toml")?)?;
//! let model = Model::new(&report, &mapping, &Options::default());
//! for finding in model.findings() {
//!     eprintln!("{finding}");
//! }
//! std::fs::write("src/tables.rs", model.to_rust()?)?;
//! # Ok(()) }
//! ```
//!
//! # Names
//!
//! A table is a struct of the name of one row: `order_items` and `Order Items` are `OrderItem`. A column is a field in
//! `snake_case`: `CustomerID` is `customer_id`. A field that is a keyword takes `r#`, one that begins with a digit `_`; what has
//! no letter that Rust takes is `column`. A struct whose name Rust or the module has already takes `Row`: `options` is
//! `OptionRow`. A name that is taken takes a number, and is a [`Finding`]. The [`Mapping`] chooses others.
//!
//! # What is left out
//!
//! What an entity cannot express is a [`Finding`], and a comment at its place in the Rust code. Nothing else is left out.

mod columns;
mod constraints;
mod definitions;
mod finding;
mod krate;
mod mapping;
mod model;
mod names;
mod picture;
mod relations;
mod rust;
mod sequences;

pub use finding::{Finding, What};
pub use krate::CrateOptions;
pub use mapping::{BadMapping, Mapping};
pub use model::{Model, Options, Schemas};

use isogloss_compiler::model::CatalogErrors;
use isogloss_compiler::model::definitions::BadDefinitions;

/// Why nothing is generated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The code does not parse, which is a mistake of this crate.
    #[error("the code of the entities does not parse: {0}; this is a mistake of isogloss-generate, please report it")]
    Code(#[from] syn::Error),
    /// The definitions do not build, which is a mistake of this crate.
    #[error("the definitions are not read: {0}; this is a mistake of isogloss-generate, please report it")]
    Definitions(#[from] BadDefinitions),
    /// The definitions do not build: a type of the mapping may not fit what its column is.
    #[error("the definitions do not build: {0}; if a type of the mapping is named, take it away")]
    Catalog(#[from] CatalogErrors),
}
