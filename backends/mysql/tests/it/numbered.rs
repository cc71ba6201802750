//! Rows of which the database makes all, where INSERT gives nothing back.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test fails by them")]

use isogloss_compiler::Compiler;
use isogloss_compiler::expr::DbValueType;
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_mysql::MySql;

#[test]
fn a_row_of_nothing_but_its_number_goes_by_the_fast_path() {
    let id = ColumnDef::new("Id", DbValueType::Int64).primary_key().identity(1, 1);
    let region = ColumnDef::new("Id", DbValueType::Int64).primary_key();
    let catalog =
        Catalog::builder().table(TableDef::new("Ticket").column(id)).table(TableDef::new("Region").column(region));
    let compiler = Compiler::new(catalog.build().unwrap());
    let target = compiler.target(&MySql::V8_0);
    let into = target.bulk_insert("Ticket", &[], &[]).unwrap();
    assert_eq!((into.sql(), into.given()), ("INSERT INTO `Ticket` () VALUES ()", 0));
    assert!(into.identity.is_some() && into.complete(&mut Vec::new()).is_ok());
    // Where the database makes none of it, there is nothing to insert.
    assert!(target.bulk_insert("Region", &[], &[]).unwrap_err().to_string().contains("it names no columns"));
}
