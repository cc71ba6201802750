//! Every rule that a catalog's definitions must keep, and what is made of those that do.

mod columns;
mod joins;

use super::*;
use crate::expr::DbValueType as T;

fn id() -> ColumnDef {
    ColumnDef::new("Id", T::Int32).primary_key()
}

fn col(name: &str) -> ColumnDef {
    ColumnDef::new(name, T::Int32)
}

/// An entity with an id.
fn entity(name: &str) -> TableDef {
    TableDef::new(name).column(id())
}

/// The messages of a build that fails.
fn errors(builder: CatalogBuilder) -> Vec<String> {
    builder.build().unwrap_err().iter().map(ToString::to_string).collect()
}

/// The message of a build that fails because of one table.
fn error(table: TableDef) -> String {
    let errors = errors(Catalog::builder().table(table));
    assert_eq!(errors.len(), 1, "{errors:#?}");
    errors.into_iter().next().unwrap()
}
