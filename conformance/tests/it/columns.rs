//! The columns of a query's rows: their names, and the types of what is selected.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use isogloss_cases::targets;
use isogloss_compiler::expr::{
    DbType, DbValueType as T, SqlSegment, ValueOps, ValueTypeExpr, count_all, cte, from, null, prop, prop_of, table,
};
use isogloss_compiler::model::{Catalog, ColumnDef, ForeignType, TableDef, ViewDef};
use isogloss_compiler::{Compiler, ExprString, Request, StatementRef, Verb};
use isogloss_sqlite::Sqlite;

fn catalog() -> Catalog {
    Catalog::builder()
        .table(
            TableDef::new("Dep")
                .column(ColumnDef::new("Id", T::Int32).primary_key())
                .column(ColumnDef::new("Name", T::String)),
        )
        .table(
            TableDef::new("Emp")
                .column(ColumnDef::new("Id", T::Int32).primary_key())
                .column(ColumnDef::new("Name", T::String).column("emp name"))
                .column(ColumnDef::new("N", T::Int32))
                .column(ColumnDef::new("Pay", T::Decimal))
                .column(ColumnDef::new("DepId", T::Int32).foreign(ForeignType::new("Dep"))),
        )
        .view(ViewDef::new("EmpView", "Emp").foreign_column("DepName", "Dep", "Name"))
        .build()
        .unwrap()
}

#[track_caller]
fn columns<'e>(statement: impl Into<StatementRef<'e>>, request: &Request<'_>, expected: &[(&str, Option<T>)]) {
    let (compiler, statement) = (Compiler::new(catalog()), statement.into());
    let expected: Vec<(&str, Option<DbType>)> =
        expected.iter().map(|(name, ty)| (*name, ty.map(DbType::from))).collect();
    for target in targets() {
        let compiled = compiler.compile_with(statement, &request.columns(), &*target.dialect).unwrap();
        let found: Vec<(&str, Option<DbType>)> = compiled.columns.iter().map(|c| (c.name.as_str(), c.ty)).collect();
        assert_eq!(found, expected, "{}", target.label());
    }
}

const EMP: [(&str, Option<T>); 5] = [
    ("Id", Some(T::Int32)),
    ("Name", Some(T::String)),
    ("N", Some(T::Int32)),
    ("Pay", Some(T::Decimal)),
    ("DepId", Some(T::Int32)),
];

#[test]
fn an_alias_says_nothing_of_the_type() {
    let items = [
        prop("N").sum().alias("N"),
        count_all().alias("Name"),
        prop("Pay").avg().alias("Id"),
        prop("N").avg().alias("Pay"),
        (prop("N").max() / 2).alias("DepId"),
        prop("Name").min().alias("Other"),
        null().alias("Nothing"),
    ];
    let types = [T::Int64, T::Int64, T::Decimal, T::Double, T::Int32, T::String].map(Some);
    let names = ["N", "Name", "Id", "Pay", "DepId", "Other"];
    let mut expected: Vec<(&str, Option<T>)> = names.into_iter().zip(types).collect();
    expected.push(("Nothing", None));
    columns(&from("Emp").select(items).into_segment(), &Request::default(), &expected);
}

#[test]
fn those_of_a_table_and_of_a_view() {
    columns(&from("Emp"), &Request::default(), &EMP);
    columns(StatementRef::Root, &Request::of("Emp"), &EMP);
    let filter = prop("N").gt(1);
    let mut view = EMP.to_vec();
    view.push(("DepName", Some(T::String)));
    columns(&filter, &Request::of("EmpView"), &view);
    columns(&from("EmpView").order_by(["Id"]).take(3), &Request::default(), &view);
}

#[test]
fn those_of_a_derived_table_a_set_and_a_group() {
    let sums = || from("Emp").group_by([prop("DepId")]).select([prop("DepId").into(), prop("N").sum().alias("Name")]);
    let expected = [("DepId", Some(T::Int32)), ("Name", Some(T::Int64))];
    columns(&SqlSegment::from(sums()).aliased("d").filter(prop_of("d", "Name").gt(1)), &Request::default(), &expected);
    columns(&SqlSegment::from(sums().union_all(sums())), &Request::default(), &expected);
    columns(&SqlSegment::from(sums().with("t")), &Request::default(), &expected);
    let both = SqlSegment::from(sums().with("t"))
        .filter(prop("DepId").in_list(cte("t").select([prop("DepId")]).into_segment()));
    columns(&both, &Request::default(), &expected);
    columns(&from("Emp").group_by([prop("DepId")]), &Request::default(), &expected[..1]);
    // An item without an alias has its place.
    let unnamed = from("Emp").select([ValueTypeExpr::from(prop("Id")), prop("Pay") * 2]);
    columns(&unnamed.into_segment(), &Request::default(), &[("Id", Some(T::Int32)), ("C1", Some(T::Decimal))]);
}

#[test]
fn those_of_a_template_that_is_known() {
    let request = Request::of("Emp");
    columns(&ExprString::new().search().text("WHERE [T0].[N] > ").value(1), &request, &EMP);
    let query = SqlSegment::from(from("Emp").select([prop("N").sum().alias("Id")]));
    columns(&ExprString::new().hole(query.clone()), &request, &[("Id", Some(T::Int64))]);
    columns(&ExprString::new().text("SELECT * FROM (").hole(query).text(") x"), &request, &[]);
}

#[test]
fn none_of_what_has_no_rows_of_its_own() {
    columns(&from("Emp"), &Request::default().verb(Verb::Count), &[]);
    columns(&from("Emp"), &Request::default().verb(Verb::Exists), &[]);
    columns(&table("Emp").delete().all_rows(), &Request::default(), &[]);
    let query = from("Emp");
    let asked_for_nothing = Compiler::new(catalog()).compile(&query, &Sqlite::V3_45).unwrap();
    assert_eq!(asked_for_nothing.columns, Vec::new());
}
