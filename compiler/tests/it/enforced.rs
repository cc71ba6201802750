//! A relation that the database enforces: its inner join is left out where nobody sees its columns and it changes no row.

use isogloss_compiler::expr::{DbValueType as T, SqlSegment, TableJoinType, ValueOps, from, prop, prop_of};
use isogloss_compiler::model::{Catalog, ColumnDef, ForeignType, TableDef, TableJoinDef, ViewDef};
use isogloss_compiler::{Buffers, Compiler, Request, Scope, Verb};

use crate::support::Plain;

fn id() -> ColumnDef {
    ColumnDef::new("Id", T::Int32).primary_key()
}

fn named(name: &str) -> TableDef {
    TableDef::new(name).column(id()).column(ColumnDef::new("Name", T::String).length(20))
}

fn compiler() -> Compiler {
    let inner = |entity: &str| ForeignType::new(entity).join_type(TableJoinType::Inner);
    let column = |name: &str| ColumnDef::new(name, T::Int32);
    let sale = TableDef::new("Sale")
        .column(id())
        .column(column("BuyerId").foreign(inner("Buyer").enforced()))
        .column(column("GoodId").foreign(inner("Good")))
        .column(column("SellerId").nullable().foreign(inner("Seller").enforced()))
        .column(column("PlaceId").foreign(inner("Place").enforced()));
    let place = named("Place").column(ColumnDef::new("Closed", T::Boolean).soft_delete());
    let buyer = named("Buyer").column(column("TownId"));
    // The town hangs on the buyer's join.
    let town = TableJoinDef::new("Town", ["TownId"]).source("Buyer").join_type(TableJoinType::Inner).enforced();
    // Each good, with a sale or without.
    let any = TableJoinDef::new("Good", ["GoodId"]).alias("Any").join_type(TableJoinType::Right);
    let view = |name: &str, entity: &str| {
        ViewDef::new(format!("Sale{name}"), "Sale").foreign_column(format!("{name}Name"), entity, "Name")
    };
    let catalog = Catalog::builder()
        .table(sale)
        .table(buyer)
        .table(place)
        .table(named("Good"))
        .table(named("Seller"))
        .table(named("Town"))
        .view(view("Buyer", "Buyer"))
        .view(view("Good", "Good"))
        .view(view("Seller", "Seller"))
        .view(view("Place", "Place"))
        .view(view("Town", "Town").table_join(town))
        .view(view("Any", "Any").table_join(any).foreign_column("BuyerName", "Buyer", "Name"));
    Compiler::new(catalog.build().unwrap())
}

/// The joined tables of the question whether a query has rows.
fn asked(query: SqlSegment, scope: Option<&Scope>) -> Vec<String> {
    let request = Request::default().verb(Verb::Exists);
    let request = scope.map_or(request, |scope| request.scope(scope));
    let sql = compiler().target(&Plain).compile_with(&query, &request, Buffers::default()).unwrap().sql;
    let tables = ["Any", "Buyer", "Good", "Seller", "Place", "Town"];
    let joins = |table: &str| sql.contains(&format!("JOIN \"{table}\"")) || sql.contains(&format!("\"{table}\" ON "));
    tables.into_iter().filter(|table| joins(table)).map(str::to_owned).collect()
}

#[test]
fn what_finds_one_row_for_each_is_left_out() {
    let joined = |view: &str| asked(from(view.to_owned()), None);
    assert_eq!(joined("SaleBuyer"), [] as [&str; 0]);
    assert_eq!(joined("SaleTown"), [] as [&str; 0]);
    // Nobody says that there is a row.
    assert_eq!(joined("SaleGood"), ["Good"]);
    // A sale without a seller has none.
    assert_eq!(joined("SaleSeller"), ["Seller"]);
    // The rows of some are marked as deleted.
    assert_eq!(joined("SalePlace"), ["Place"]);
}

#[test]
fn what_is_asked_of_it_stays() {
    let of_ann = from("SaleBuyer").filter(prop("BuyerName").eq("Ann"));
    assert_eq!(asked(of_ann, None), ["Buyer"]);
    let in_oslo = from("SaleTown").filter(prop("TownName").eq("Oslo"));
    assert_eq!(asked(in_oslo, None), ["Buyer", "Town"]);
    let scope = Scope::new().filter_of("Buyer", prop("Name").ne("Ann"));
    assert_eq!(asked(from("SaleBuyer"), Some(&scope)), ["Buyer"]);
    assert_eq!(asked(from("SaleTown"), Some(&scope)), ["Buyer"]);
}

#[test]
fn what_has_no_row_of_its_own_finds_none() {
    let both = from("SaleAny").select(["BuyerName", "AnyName"]);
    assert_eq!(asked(both.into(), None), ["Any", "Buyer", "Good"]);
    let sold = from("Town").join(TableJoinType::Left, from("SaleBuyer"), prop("Id").eq(prop_of("SaleBuyer", "Id")));
    assert_eq!(asked(sold, None), ["Buyer"]);
}
