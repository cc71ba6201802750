//! Templates as PostgreSQL reads them.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use isogloss_compiler::expr::{ValueOps, prop};
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_compiler::{Compiler, ExprString, Request, list};
use isogloss_postgres::Postgres;

fn sql(template: &ExprString) -> Result<String, isogloss_compiler::Error> {
    use isogloss_compiler::expr::DbValueType as T;
    let orders = TableDef::new("Order")
        .table("Orders")
        .column(ColumnDef::new("Id", T::Int64).primary_key())
        .column(ColumnDef::new("Amount", T::Decimal).precision(18, 2));
    let catalog = Catalog::builder().table(orders).build().unwrap();
    let target = Compiler::new(catalog).target(&Postgres::V15);
    target.compile_template(template, &Request::of("Order")).map(|compiled| compiled.sql)
}

#[test]
fn a_parameter_is_told_its_type_where_the_text_does_not() {
    let template = ExprString::parse("SELECT [Tags][[{n}]], E'it\\'s {n}' FROM {From} WHERE {f} AND [Id] IN ({ids})")
        .unwrap()
        .bind("n", 1)
        .bind("f", prop("Amount").gt(100))
        .bind("ids", list([1, 2]));
    assert_eq!(
        sql(&template).unwrap(),
        "SELECT \"Tags\"[$1::bigint], E'it\\'s {n}' FROM \"Orders\" \"T0\" \
         WHERE (\"T0\".\"Amount\" > $2) AND \"Id\" IN ($3::bigint, $4::bigint)"
    );
}

#[test]
fn a_long_name_is_refused_as_the_server_would_cut_it() {
    let long = format!("SELECT [{}]", "x".repeat(64));
    assert!(sql(&ExprString::parse(long).unwrap()).unwrap_err().to_string().contains("a length of 64"));
    // Functions and blocks in dollar quotes are taken over.
    let block = "DO $body$ BEGIN PERFORM '[x]' || $1; END $body$";
    assert_eq!(sql(&ExprString::parse(block).unwrap()).unwrap(), block);
    assert!(sql(&ExprString::parse("SELECT $1").unwrap()).is_err());
}
