//! A name that remembers its entity stands for a column of that entity.

use isogloss_compiler::expr::{
    ColumnName, Expr, Name, PropertyExpr, SqlSegment, TableJoinType, ValueOps, exists, from, prop, prop_of, table,
};
use isogloss_compiler::{Compiler, json, model};

use crate::support::Plain;

static ORDER: ColumnName = ColumnName { entity: "Order", name: "Id" };
static CUSTOMER: ColumnName = ColumnName { entity: "Customer", name: "Id" };
static NAME: ColumnName = ColumnName { entity: "Customer", name: "Name" };
static VIEW: ColumnName = ColumnName { entity: "OrderView", name: "Id" };

fn bare(column: &'static ColumnName) -> PropertyExpr {
    prop(Name::of_column(column))
}

fn of(alias: &'static str, column: &'static ColumnName) -> PropertyExpr {
    prop_of(alias, Name::of_column(column))
}

fn compiled(query: &SqlSegment) -> Result<String, String> {
    let compiled = Compiler::new(model::sample::catalog()).compile(query, &Plain);
    compiled.map(|compiled| compiled.sql.to_string()).map_err(|error| error.to_string())
}

#[test]
fn another_entity_is_refused_wherever_its_name_is_found() {
    let joined = |on| from("Order").join(TableJoinType::Inner, from("Customer"), on);
    let cases = [
        (from("Order").filter(bare(&CUSTOMER).eq(1)), "$.Where.Left"),
        (from("Order").order_by([bare(&CUSTOMER).asc()]), "$.OrderBys[0].Field"),
        (from("Order").filter(exists("OrderItem", bare(&CUSTOMER).eq(1))), "$.Where.InnerExpr.Left"),
        (joined(prop_of("Order", "CustomerId").eq(of("Order", &CUSTOMER))), "$.Joins[0].On.Right"),
        (joined(prop("CustomerId").eq(of("Customer", &ORDER))), "$.Joins[0].On.Right"),
        (from("OrderView").filter(of("Customer", &ORDER).eq(1)), "$.Where.Left"),
        // Behind a select list, and over a page.
        (from("Order").select(["Id"]).into_segment().order_by([bare(&CUSTOMER)]), "$.OrderBys[0].Field"),
        (
            from("Order").select(["Id"]).into_segment().order_by([(bare(&CUSTOMER) + 1).asc()]),
            "$.OrderBys[0].Field.Left",
        ),
        (from("Order").take(3).filter(bare(&CUSTOMER).eq(1)), "$.Where.Left"),
        (
            from("Order").take(3).take(2).order_by([bare(&CUSTOMER)]).take(1).filter(prop("Id").eq(1)),
            "$.$where.$section.OrderBys[0].Field",
        ),
    ];
    for (query, place) in cases {
        let error = compiled(&query).unwrap_err();
        assert!(error.starts_with("the column `Id` belongs to `"), "{error}");
        assert!(error.contains("`: use `") && error.ends_with(&format!(" at {place}")), "{error}");
        // It is no part of what the tree means.
        let read = json::from_str(&json::to_string(&query)).unwrap();
        assert_eq!(read, query.clone().into());
        let Expr::Segment(read) = read else { panic!("{read}") };
        compiled(&read).unwrap();
    }
    assert_eq!(
        compiled(&from("Order").filter(bare(&CUSTOMER).eq(1))).unwrap_err(),
        "the column `Id` belongs to `Customer`, and would be read as that of `Order`: use `Order`'s, or give the alias of a \
         table of `Customer` at $.Where.Left"
    );
}

#[test]
fn its_own_entity_and_views_of_it_are_taken() {
    for query in [
        from("Order").filter(bare(&ORDER).eq(1)),
        // A view has the columns of its entity, and is of one table with it.
        from("OrderView").filter(bare(&ORDER).eq(1) & bare(&VIEW).eq(2)),
        from("Order").filter(bare(&VIEW).eq(1)),
        from("Order").select(["Id"]).into_segment().order_by([bare(&ORDER)]),
        from("Order").select([prop("CustomerId").alias("Id")]).into_segment().order_by([bare(&CUSTOMER)]),
        from("OrderView").take(3).filter(bare(&ORDER).eq(1)),
        from("OrderView").filter(of("Customer", &CUSTOMER).eq(1)),
        from("Order").filter(exists("OrderItem", prop("OrderId").eq(of("T0", &ORDER)))),
        // What a query selects is of no entity.
        SqlSegment::from(from("Order").select([prop("Id")])).aliased("d").filter(of("d", &CUSTOMER).eq(1)),
        from("Order").join(
            TableJoinType::Left,
            from("Customer").aliased("c"),
            of("c", &CUSTOMER).eq(of("Order", &ORDER)),
        ),
    ] {
        compiled(&query).unwrap();
    }
}

#[test]
fn what_is_written_is_a_column_of_its_own_entity() {
    let compiler = Compiler::new(model::sample::catalog());
    let refused = |statement: Expr, place: &str| {
        let error = compiler.compile(&statement, &Plain).unwrap_err().to_string();
        assert!(error.starts_with("the column `Name` belongs to `Customer`, ") && error.ends_with(place), "{error}");
    };
    let name = || Name::of_column(&NAME);
    refused(table("Product").update([(name(), "x")]).filter(prop("Id").eq(1)).into(), "at $.Sets[0]");
    refused(table("Product").insert_rows([name()], [["x".into()]]).into(), "at $.Columns[0]");
    let own = table("Customer").update([(name(), "x")]).filter(prop("Id").eq(1));
    compiler.compile(&own, &Plain).unwrap();
}

#[test]
fn an_entity_that_is_not_in_the_catalog_has_no_columns() {
    static LOOSE: ColumnName = ColumnName { entity: "LooseOrder", name: "Id" };
    let error = compiled(&from("Order").filter(bare(&LOOSE).eq(1))).unwrap_err();
    assert_eq!(error, "unknown entity `LooseOrder` at $.Where.Left");
}

/// A statement that is kept for one tree is not given for another that is refused.
#[test]
fn a_kept_statement_is_of_one_entity() {
    let compiler = Compiler::new(model::sample::catalog());
    for _ in 0..5 {
        compiler.compile(&from("Order").filter(bare(&ORDER).eq(1)), &Plain).unwrap();
        compiler.compile(&from("Order").filter(prop("Id").eq(1)), &Plain).unwrap();
        compiler.compile(&from("Order").filter(bare(&CUSTOMER).eq(1)), &Plain).unwrap_err();
    }
}
