//! The SQL of Cloudflare D1, which is SQLite with smaller limits.
//!
//! ```
//! use d1_dialect::D1;
//! use isogloss_compiler::expr::{Value, ValueOps, from, prop};
//! use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
//! use isogloss_compiler::{Compiler, expr::DbValueType};
//!
//! let user = TableDef::new("User").column(ColumnDef::new("Id", DbValueType::Int64).primary_key());
//! let compiler = Compiler::new(Catalog::builder().table(user).build()?);
//! let ids: Vec<Value> = (0..1_000).map(Value::Int).collect();
//!
//! // A thousand items are one parameter, a JSON text.
//! let listed = from("User").filter(prop("Id").in_list(ids)).select([prop("Id")]).into_segment();
//! assert_eq!(compiler.compile(&listed, &D1)?.params.len(), 1);
//!
//! // What would need a hundred and one is refused before D1 is asked.
//! let far = (0..101).fold(prop("Id").eq(-1), |any, id| any | prop("Id").gt(id));
//! let error = compiler.compile(&from("User").filter(far).select([prop("Id")]).into_segment(), &D1).unwrap_err();
//! assert!(error.to_string().contains("more than the 100 of d1 1.0"), "{error}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use isogloss_compiler::dialect::{Limits, Sheet, Variant};
use isogloss_sqlite::Sqlite;

/// What differs from SQLite: the [limits of D1](https://developers.cloudflare.com/d1/platform/limits/).
static SHEET: Sheet = Sheet {
    name: "d1",
    limits: Limits { parameters: 100, arguments: 32, ..isogloss_sqlite::SHEET.limits },
    native: &[],
    support: &[],
    functions: &[],
    ..isogloss_sqlite::SHEET
};

/// Cloudflare D1, which has had no versions so far.
pub const D1: Variant<Sqlite> = Variant::new(&SHEET, (1, 0, 0), Sqlite::V3_45);
