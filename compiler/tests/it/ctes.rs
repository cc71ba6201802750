//! Definitions that use each other.

use isogloss_compiler::Compiler;
use isogloss_compiler::expr::{DbValueType as T, SelectExpr, SqlSegment, ValueOps, cte, from, prop};
use isogloss_compiler::json::{self, ReadLimits};
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};

use crate::support::Plain;

fn compiler() -> Compiler {
    let order = TableDef::new("Order").column(ColumnDef::new("Id", T::Int32).primary_key());
    Compiler::new(Catalog::builder().table(order).build().unwrap())
}

/// A query over the one before, which it looks at a second time.
fn twice(before: SqlSegment, name: &str) -> SelectExpr {
    before.filter(prop("Id").in_list(cte(name.to_owned()).select(["Id"]))).select(["Id"])
}

/// The text of a query over `count` definitions, of which each is in the next one.
fn nested(count: usize) -> SqlSegment {
    let mut last = from("Order").select(["Id"]).with("c0");
    for n in 1..=count {
        last = twice(last.into(), &format!("c{}", n - 1)).with(format!("c{n}"));
    }
    last.into()
}

#[test]
fn each_of_nested_definitions_is_written_once() {
    let compiler = compiler();
    let text = |count: usize| compiler.compile(&nested(count), &Plain).unwrap().sql.to_string();
    for n in 0..=30 {
        assert_eq!(text(30).matches(&format!("\"c{n}\" AS (")).count(), 1);
    }
    let [few, more, most] = [10, 20, 30].map(|count| text(count).len());
    assert_eq!(most - more, more - few);
}

#[test]
fn what_is_written_and_read_again_has_the_same_text() {
    let query = nested(20);
    let back: SqlSegment = json::read_own(&json::to_string(&query), &ReadLimits::DEFAULT).unwrap();
    assert_eq!(compiler().compile(&back, &Plain).unwrap().sql, compiler().compile(&query, &Plain).unwrap().sql);
}
