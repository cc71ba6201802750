//! What is refused over catalogs that the sample is not, and beside statements: conditions, bulk inserts, parts of trees.

use isogloss_compiler::expr::{
    ConflictAction, DbValueType as T, Decimal, Expr, LogicExpr, SqlSegment, Value, ValueOps, case_of, constant, from,
    prop, table, value,
};
use isogloss_compiler::model::{Catalog, ColumnDef, ForeignType, TableDef, ViewDef};
use isogloss_compiler::{Compiler, Request};

use crate::support::Plain;

fn col(name: &str) -> ColumnDef {
    ColumnDef::new(name, T::Int32)
}

/// `Log` has no key, `Torn` and `Wide` have fixed filters that nothing passes or that look at another table.
fn compiler() -> Compiler {
    let catalog = Catalog::builder()
        .table(TableDef::new("Order").column(col("Id").primary_key()).column(ColumnDef::new("No", T::String)))
        .table(
            TableDef::new("Log")
                .column(ColumnDef::new("Note", T::String))
                .column(col("OrderId").foreign(ForeignType::new("Order"))),
        )
        .view(ViewDef::new("LogView", "Log").foreign_column("OrderNo", "Order", "No"))
        .table(
            TableDef::new("Torn")
                .column(col("Id").primary_key())
                .column(col("State"))
                .fixed_filter(prop("State").eq(constant(1)) & prop("State").eq(constant(2))),
        )
        .table(TableDef::new("Kind").column(col("Id").primary_key()).column(col("State").constant(1)));
    Compiler::new(catalog.build().unwrap())
}

#[test]
fn statements() {
    let cases: Vec<(Expr, &str)> = vec![
        (
            table("LogView").delete().filter(prop("OrderNo").eq("x")).into(),
            "a DELETE of `LogView`: it needs a primary key, as its condition chooses the rows by it",
        ),
        (
            table("Log").insert(["Note"], vec!["x".into()]).conflict([] as [&str; 0], ConflictAction::DoNothing).into(),
            "an upsert of `Log`: it needs a key that collides",
        ),
        (
            table("Torn").insert(["Id"], vec![1.into()]).into(),
            "an INSERT of `Torn`: its fixed filter says two values of `State`",
        ),
    ];
    for (tree, message) in cases {
        let error = compiler().compile(&tree, &Plain).unwrap_err();
        assert_eq!(error.kind().to_string(), message, "{error}");
    }
}

#[test]
fn conditions_and_values_of_their_own() {
    let target = compiler().target(&Plain);
    let filter = prop("No").eq("x");
    let told = |filter: &LogicExpr, request: &Request<'_>, qualifier| {
        target.condition(filter, request, qualifier).unwrap_err().to_string()
    };
    let order = Request::of("Order");
    let rootless = "a condition or a value without a table is misplaced: it is over the request's root entity: \
                    `Request::of(entity)` at $";
    assert_eq!(told(&filter, &Request::default(), None), rootless);
    assert_eq!(target.constant_value(&prop("No").into(), &Request::default()).unwrap_err().to_string(), rootless);
    assert_eq!(
        told(&filter, &order, Some("t1")),
        "bad name `t1`: the condition's own subqueries have aliases like it: choose another one at $"
    );
    let cte = SqlSegment::from(from("Order").select([prop("Id")]).with("ids"));
    assert_eq!(
        told(&prop("Id").in_list(cte.select([prop("Id")])), &order, None),
        "a common table expression is misplaced: a condition has no place for one: write the query where it is used at $"
    );
    assert_eq!(
        target.constant_value(&prop("OrderNo").into(), &Request::of("LogView")).unwrap_err().to_string(),
        "a column of a joined table is misplaced: a generated column is computed from its own table's columns at $"
    );
}

#[test]
fn rows_of_a_bulk_insert() {
    let insert = compiler().target(&Plain).bulk_insert("Kind", &["Id", "State"], &[]).unwrap();
    let told =
        |row: &[i64]| insert.complete(&mut row.iter().map(|n| Value::Int(*n)).collect()).map_err(|e| e.to_string());
    assert_eq!(told(&[1, 1]), Ok(()));
    let other = "a bulk insert of `Kind`: its fixed filter says another value of `State`: leave it out at $";
    assert_eq!(told(&[1, 2]), Err(other.to_owned()));
}

#[test]
fn parts_of_a_tree() {
    let parts = |texts: &[&str]| case_of(texts.iter().map(|text| value(*text).into())).unwrap_err().to_string();
    assert_eq!(parts(&["many", "few"]), "part 0 of a CASE is no condition with a value behind it");
    assert_eq!(parts(&[]), "part 0 of a CASE is no condition with a value behind it");
    for text in ["1.2.3", "", "123456789012345678901234567890123456789"] {
        let error = text.parse::<Decimal>().unwrap_err();
        assert_eq!(error.to_string(), "not a decimal number of at most 38 digits", "{text}");
    }
}
