//! Entities of several data sources: a statement reads one of them.

use isogloss_compiler::expr::{
    DbValueType as T, Expr, ForeignExpr, LogicExpr, SelectExpr, SqlSegment, ValueOps, exists, exists_related, from,
    prop, prop_of, table,
};
use isogloss_compiler::model::{Catalog, ColumnDef, ForeignType, TableDef, ViewDef};
use isogloss_compiler::{Compiler, ErrorKind, ExprString, Request, StatementRef};

use crate::support::Plain;

/// `Order` in the default source, `Mine` in `main`, `Vip` and what is related to it in `archive`.
fn catalog() -> Catalog {
    let id = || ColumnDef::new("Id", T::Int32).primary_key();
    Catalog::builder()
        .table(
            TableDef::new("Order")
                .column(id())
                .column(ColumnDef::new("Note", T::String))
                .column(ColumnDef::new("VipId", T::Int32).foreign(ForeignType::new("Vip"))),
        )
        .view(ViewDef::new("OrderView", "Order").foreign_column("VipName", "Vip", "Name"))
        .table(TableDef::new("Mine").data_source("Main").column(id()))
        .table(TableDef::new("Vip").data_source("archive").column(id()).column(ColumnDef::new("Name", T::String)))
        .table(
            TableDef::new("Deed")
                .data_source("Archive")
                .column(id())
                .column(ColumnDef::new("VipId", T::Int32).foreign(ForeignType::new("Vip"))),
        )
        .view(ViewDef::new("DeedView", "Deed").foreign_column("VipName", "Vip", "Name"))
        .table(
            TableDef::new("Shown")
                .column(id())
                .fixed_filter(exists("Vip", prop("Name").eq(isogloss_compiler::expr::constant("x")))),
        )
        .table(TableDef::new("Log").table("Log_{0}").data_source("archive").column(id()))
        .build()
        .unwrap()
}

fn error<'e>(compiler: &Compiler, statement: impl Into<StatementRef<'e>>, request: &Request<'e>) -> ErrorKind {
    compiler.compile_with(statement, request, &Plain).unwrap_err().kind().clone()
}

#[track_caller]
fn refused(tree: impl Into<Expr>, request: &Request<'_>, entities: [&str; 2]) {
    refused_statement(&tree.into(), request, entities);
}

#[track_caller]
fn refused_statement<'e>(statement: impl Into<StatementRef<'e>>, request: &Request<'e>, entities: [&str; 2]) {
    let found = error(&Compiler::new(catalog()), statement, request);
    let ErrorKind::OtherSource { entity, beside, .. } = &found else { panic!("{found}") };
    assert_eq!([entity.as_str(), beside.as_str()], entities);
}

fn vips() -> SelectExpr {
    from("Vip").select([prop("Id")])
}

#[test]
fn the_error_names_both_and_says_what_to_do() {
    let query = from("Order").filter(prop("VipId").in_list(vips()));
    let error = Compiler::new(catalog()).compile(&query, &Plain).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`Vip` is in data source `archive`, and `Order` in the default data source: a statement reads one database. Run \
         two queries, and give the keys that the first one finds to the second as a list at $.Where.Right.$select"
    );
}

#[test]
fn wherever_another_source_is_met() {
    let none = Request::default();
    let both = ["Vip", "Order"];
    refused(from("Order").filter(prop("VipId").in_list(vips())), &none, both);
    refused(from("Order").filter(LogicExpr::from(exists_related("Vip", None))), &none, both);
    refused(from("Vip").filter(LogicExpr::from(exists_related("Order", None))), &none, ["Order", "Vip"]);
    refused(from("Order").filter(LogicExpr::from(exists("Vip", prop("Id").gt(0)))), &none, both);
    refused(SqlSegment::from(from("Order").select([prop("Id")]).union_all(vips())), &none, both);
    refused(table("Vip").insert_query(["Id"], from("Order").select([prop("Id")])), &none, ["Order", "Vip"]);
    let update = || table("Order").update([("Note", "x")]);
    refused(update().filter(prop("VipId").in_list(vips())), &none, both);
    refused(table("Order").delete().filter(prop("VipId").in_list(vips())), &none, both);
    // A view's own joins, where they are needed.
    let compiler = Compiler::new(catalog());
    refused(from("OrderView"), &none, ["Vip", "OrderView"]);
    refused(from("OrderView").filter(prop("VipName").eq("x")).select([prop("Id")]), &none, ["Vip", "OrderView"]);
    assert!(compiler.compile(&from("OrderView").select([prop("Id")]).into_segment(), &Plain).is_ok());
    assert!(compiler.compile(&from("DeedView"), &Plain).is_ok());
    // A filter of the catalog's.
    refused(from("Shown"), &none, ["Vip", "Shown"]);
    refused(table("Shown").delete().all_rows(), &none, ["Vip", "Shown"]);
    // A shard.
    refused(
        from("Order").filter(LogicExpr::from(ForeignExpr {
            table_args: ["1".into()].into(),
            ..exists("Log", prop("Id").gt(0))
        })),
        &none,
        ["Log", "Order"],
    );
}

#[test]
fn what_a_request_is_over_counts() {
    let of = Request::of("Order");
    refused(LogicExpr::from(exists("Vip", prop("Id").gt(0))), &of, ["Vip", "Order"]);
    let template =
        ExprString::new().text("SELECT 1 FROM {From} WHERE [T0].[Id] IN (").hole(vips().into_segment()).text(")");
    refused_statement(&template, &of, ["Vip", "Order"]);
    // The table of the text is nobody's; the queries in its holes are of the request's source.
    let query = ExprString::new().text("SELECT * FROM x WHERE id IN (").hole(vips().into_segment()).text(")");
    refused_statement(&query, &of, ["Vip", "Order"]);
}

#[test]
fn the_default_source_has_a_name_once_it_is_settled() {
    let query = from("Order").filter(prop("Id").in_list(from("Mine").select([prop("Id")])));
    let compiler = Compiler::new(catalog());
    refused_statement(&query, &Request::default(), ["Mine", "Order"]);
    compiler.settle_default_source("MAIN");
    assert!(compiler.compile(&query, &Plain).is_ok());
    let vip = from("Mine").filter(prop("Id").in_list(vips()));
    assert!(matches!(error(&compiler, &vip, &Request::default()), ErrorKind::OtherSource { .. }));
}

#[test]
fn one_source_however_it_is_written() {
    let query =
        from("Deed").aliased("d").filter(exists_related("Vip", prop("Name").eq("x")) & prop_of("d", "Id").gt(1));
    assert!(Compiler::new(catalog()).compile(&query, &Plain).is_ok());
}
