//! Isogloss' compiler for browsers and Node: JSON in, the SQL of five dialects out.
//!
//! For wasm32 this is what the npm package `isogloss` is made of, by `build.sh`. Everywhere else the three functions are there
//! as well, and answer the same, byte for byte: a server can stand in for a browser that has no WebAssembly.
//!
//! ```
//! let catalog = r#"{"entity": [{"name": "User", "columns": [
//!     {"name": "Id", "type": "Int32", "primary_key": true}, {"name": "Name", "type": "String(100)"}]}]}"#;
//! let filter = r##"{"$":"startswith","Left":{"#":"Name"},"Right":"A_"}"##;
//! let answer = isogloss_wasm::compile(catalog, filter, r#"{"root": "User", "dialects": ["postgres", "oracle"]}"#);
//! assert!(answer.contains(r#"WHERE \"T0\".\"Name\" LIKE $1"#));
//! ```
//!
//! No call fails or panics: what is wrong with the texts is in the answer, under `error`.

mod compile;
mod describe;
mod json;
mod targets;
mod words;

use isogloss_compiler::model::{Catalog, CatalogBuilder};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen::prelude::wasm_bindgen;

use crate::json::Json;

/// Compiles a tree in the JSON notation over a catalog's definitions, for dialects and versions.
///
/// The options are an object with any of these keys, or an empty text:
///
/// | key | |
/// |---|---|
/// | `dialects` | names with or without a version, as in `["postgres", "oracle 23"]`; all that [`types`] lists if absent |
/// | `root` | the entity that a filter without a query is over |
/// | `verb` | `rows`, `count` or `exists` |
/// | `text` | `database` or `exact`: what texts are compared by |
/// | `tableArgs` | texts for the placeholders of sharded tables |
///
/// The answer is `{"tree":..,"results":[..]}` with the tree in its canonical form and a result for each dialect, or
/// `{"error":{"in":"catalog"|"tree"|"options","message":..,"path":..}}`. A result has `label`, `dialect` and `version`, and
/// either `sql`, `parameters`, `outputs`, `columns` and `notes`, or `error` with `message`, `path` and `refused`, whether it
/// is the dialect that cannot do it.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
#[must_use]
pub fn compile(catalog: &str, tree: &str, options: &str) -> String {
    compile::answer(catalog, tree, options)
}

/// What a catalog's definitions say: its entities and views with their properties and relations.
///
/// The answer is `{"entities":[..]}`, or `{"error":{"in":"catalog","message":..}}`.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
#[must_use]
pub fn catalog(definitions: &str) -> String {
    match build(definitions) {
        Ok(catalog) => describe::entities(&catalog),
        Err(message) => Json::error("catalog", &message, None),
    }
}

/// The words of the notation that are not a catalog's: the dialects with their versions, the types, and the functions with
/// their arguments and meaning.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
#[must_use]
pub fn types() -> String {
    words::all()
}

fn build(definitions: &str) -> Result<Catalog, String> {
    let builder = CatalogBuilder::from_json(definitions).map_err(|error| error.to_string())?;
    builder.build().map_err(|errors| errors.to_string())
}
