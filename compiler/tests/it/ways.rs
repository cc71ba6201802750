//! What leads two ways is refused; the order of a page over tables that the sample has none of.

use isogloss_compiler::expr::{DbValueType as T, ValueOps, exists, exists_related, from, prop, prop_of};
use isogloss_compiler::model::{Catalog, CatalogBuilder, ColumnDef, ForeignType, TableDef, TableJoinDef, ViewDef};
use isogloss_compiler::{Compiler, StatementRef};

use crate::support::Plain;

fn id() -> ColumnDef {
    ColumnDef::new("Id", T::Int32).primary_key()
}

fn int(name: &'static str) -> ColumnDef {
    ColumnDef::new(name, T::Int32)
}

fn compiler(builder: CatalogBuilder) -> Compiler {
    Compiler::new(builder.build().unwrap())
}

#[track_caller]
fn sql<'e>(compiler: &Compiler, statement: impl Into<StatementRef<'e>>) -> String {
    compiler.compile(statement, &Plain).unwrap().sql.to_string()
}

#[track_caller]
fn error<'e>(compiler: &Compiler, statement: impl Into<StatementRef<'e>>) -> String {
    compiler.compile(statement, &Plain).unwrap_err().to_string()
}

/// A department has users, and maybe a head among them.
fn departments(head: ColumnDef) -> Compiler {
    let user = TableDef::new("User").column(id()).column(int("DeptId").foreign(ForeignType::new("Dept")));
    compiler(Catalog::builder().table(TableDef::new("Dept").column(id()).column(head)).table(user))
}

#[test]
fn an_exists_along_keys_that_lead_both_ways_is_refused() {
    let staffed = from("Dept").filter(exists_related("User", None));
    let plain = departments(int("Head"));
    assert!(sql(&plain, &staffed).contains(r#""T1"."DeptId" = "T0"."Id""#));
    // A further key would lead to the head.
    let both = departments(int("Head").foreign(ForeignType::new("User")));
    assert_eq!(
        error(&both, &staffed),
        "an EXISTS along the relation from `Dept` to `User` may mean the rows that `Dept.Head` refers to, or those whose \
         `User.DeptId` refers to this one: use `exists` with a condition that names the columns at $.Where"
    );
    assert!(
        error(&both, &from("User").filter(exists_related("Dept", None))).contains("`User.DeptId` refers to, or those")
    );
    let said = from("Dept").filter(exists("User", prop("DeptId").eq(prop_of("T0", "Id"))));
    assert!(sql(&both, &said).contains(r#""T1"."DeptId" = "T0"."Id""#));
}

#[test]
fn a_name_of_two_joins_is_none_in_a_query() {
    let shop = |alias: Option<&'static str>| {
        let dept = ForeignType::new("Dept");
        let dept = alias.into_iter().fold(dept, ForeignType::alias);
        let user = TableDef::new("User").column(id()).column(int("DeptId").foreign(ForeignType::new("Dept")));
        let order = TableDef::new("Order")
            .column(id())
            .column(int("UserId").foreign(ForeignType::new("User").auto_expand()))
            .column(int("ShippedFrom").foreign(dept));
        compiler(
            Catalog::builder().table(TableDef::new("Dept").column(id()).column(int("Floor"))).table(user).table(order),
        )
    };
    let by = |alias: &'static str| from("Order").filter(prop_of(alias, "Floor").eq(1));
    assert_eq!(
        error(&shop(None), &by("Dept")),
        "bad name `Dept`: two joins would have it: give the relation an alias of its own, and name that one at $.Where.Left"
    );
    assert!(sql(&shop(None), &by("User_Dept")).contains(r#""User"."DeptId" = "User_Dept"."Id""#));
    let named = shop(Some("Warehouse"));
    assert!(sql(&named, &by("Dept")).contains(r#""User"."DeptId" = "Dept"."Id""#));
    assert!(sql(&named, &by("Warehouse")).contains(r#""T0"."ShippedFrom" = "Warehouse"."Id""#));
}

#[test]
fn a_page_of_a_table_without_a_key_is_ordered_by_every_column_that_can_be() {
    let log = TableDef::new("Log").column(int("Day")).column(int("Kind")).column(ColumnDef::new("Data", T::Json));
    let compiler = compiler(Catalog::builder().table(log));
    let page = from("Log").order_by([prop("Kind").desc()]).take(5).select([prop("Kind")]).into_segment();
    let compiled = compiler.compile(&page, &Plain).unwrap();
    assert!(compiled.sql.contains(r#"ORDER BY "T0"."Kind" DESC, "T0"."Day""#), "{}", compiled.sql);
    assert!(compiled.notes.iter().any(|note| note.rule.name() == "ties_in_page"), "{:?}", compiled.notes);
}

#[test]
fn a_page_of_a_view_whose_join_finds_several_rows_is_ordered_by_these_as_well() {
    let line = TableDef::new("Line").column(id()).column(int("OrderId")).column(int("Qty"));
    let order = TableDef::new("Order").column(id()).column(int("Kind"));
    let view = ViewDef::new("OrderView", "Order")
        .table_join(TableJoinDef::new("Line", ["Id"]).prime_keys(["OrderId"]))
        .foreign_column("Qty", "Line", "Qty");
    let compiler = compiler(Catalog::builder().table(line).table(order).view(view));
    let all = from("OrderView").order_by([prop("Kind")]).take(5);
    assert!(
        sql(&compiler, &all).contains(r#"ORDER BY "T0"."Kind", "T0"."Id", "Line"."Id""#),
        "{}",
        sql(&compiler, &all)
    );
    let few = from("OrderView").order_by([prop("Kind")]).take(5).select([prop("Kind")]).into_segment();
    assert!(sql(&compiler, &few).contains(r#"ORDER BY "T0"."Kind", "T0"."Id" LIMIT"#), "{}", sql(&compiler, &few));
    let one = from("OrderView").order_by([prop("Kind")]).take(5).select([prop("Qty")]).into_segment();
    assert!(
        sql(&compiler, &one).contains(r#"ORDER BY "T0"."Kind", "T0"."Id", "Line"."Id""#),
        "{}",
        sql(&compiler, &one)
    );
}

#[test]
fn a_key_that_a_filter_fixes_is_no_key_of_the_order() {
    let line =
        TableDef::new("Line").column(int("OrderId").primary_key()).column(int("No").primary_key()).column(int("Qty"));
    let compiler = compiler(Catalog::builder().table(line));
    let page = from("Line").filter(prop("OrderId").eq(7)).order_by([prop("Qty")]).take(5);
    assert!(sql(&compiler, &page).contains(r#"ORDER BY "T0"."Qty", "T0"."No""#), "{}", sql(&compiler, &page));
}

#[test]
fn a_page_of_a_table_that_is_a_query_is_ordered_by_its_key() {
    let order = TableDef::new("Order").column(id()).column(int("Kind")).column(int("Total"));
    let compiler = compiler(Catalog::builder().table(order));
    let table = || from("Order").select([prop("Total"), prop("Kind"), prop("Id")]).into_segment().aliased("q");
    let page = table().filter(prop("Kind").gt(1)).order_by([prop("Kind")]).take(5);
    assert!(sql(&compiler, &page).contains(r#"ORDER BY "T1"."Kind", "T1"."Id""#), "{}", sql(&compiler, &page));
}
