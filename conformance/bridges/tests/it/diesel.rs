//! Compiled statements on diesel's connections to SQLite.

use std::borrow::Cow;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Double, Nullable, Text};
use isogloss_compiler::chrono::NaiveDate;
use isogloss_compiler::expr::{Expr, LogicExpr, SqlSegment, Value, ValueOps, from, prop, table};
use isogloss_compiler::model::sample;
use isogloss_compiler::render::Parameter;
use isogloss_compiler::{Compiled, Compiler};
use isogloss_driver::ErrorKind;
use isogloss_driver::ddl::Ddl;
use isogloss_sqlite::Sqlite;
use isogloss_sqlite::diesel::statement;

fn connection() -> SqliteConnection {
    let mut connection = SqliteConnection::establish(":memory:").unwrap();
    let catalog = sample::catalog();
    for name in ["Customer", "Order"] {
        let (id, _) = catalog.entity(name).unwrap();
        for sql in Sqlite::default().create_table(&catalog, id, &[]).unwrap() {
            connection.batch_execute(&sql).unwrap();
        }
    }
    connection
}

fn with_compiled<T>(tree: impl Into<Expr>, run: impl FnOnce(&Compiled<'_>) -> T) -> T {
    let tree = tree.into();
    run(&Compiler::new(sample::catalog()).compile(&tree, &Sqlite::default()).unwrap())
}

fn insert_orders(connection: &mut SqliteConnection) -> usize {
    let day = NaiveDate::from_ymd_opt(2024, 1, 31).unwrap();
    let columns = [
        "OrderNo",
        "CustomerId",
        "ProductId",
        "Qty",
        "Amount",
        "Status",
        "Note",
        "Paid",
        "CreatedByUserId",
        "CreatedTime",
        "ShipDate",
        "TenantId",
    ];
    let row = |no: &str, amount: &str, note: Value, paid: bool| -> Vec<Value> {
        vec![
            no.into(),
            1.into(),
            2.into(),
            3.into(),
            amount.into(),
            "Open".into(),
            note,
            paid.into(),
            1.into(),
            day.and_hms_opt(10, 20, 30).unwrap().into(),
            day.into(),
            7.into(),
        ]
    };
    let rows = [row("A1", "12.50", Value::Null, true), row("B2", "99.99", "it's ?".into(), false)];
    with_compiled(table("Order").insert(columns, rows.concat()), |insert| {
        statement(insert).unwrap().execute(connection).unwrap()
    })
}

#[test]
fn rows_are_tuples_of_the_types_that_are_told() {
    let connection = &mut connection();
    assert_eq!(insert_orders(connection), 2);
    let query = from("Order")
        .filter(prop("ShipDate").eq("2024-01-31") & prop("TenantId").eq(7))
        .order_by([prop("Id").asc()])
        .select(["Id", "Amount", "Note", "Paid"])
        .into_segment();
    let rows: Vec<(i64, f64, Option<String>, bool)> = with_compiled(query, |query| {
        statement(query).unwrap().typed::<(BigInt, Double, Nullable<Text>, Bool)>().load(connection).unwrap()
    });
    assert_eq!(rows, [(1, 12.5, None, true), (2, 99.99, Some("it's ?".into()), false)]);
}

#[test]
fn rows_are_structs_by_the_names_of_columns() {
    #[derive(Debug, PartialEq, QueryableByName)]
    struct Order {
        #[diesel(sql_type = Text, column_name = "OrderNo")]
        no: String,
        #[diesel(sql_type = BigInt)]
        #[diesel(column_name = "Lines")]
        lines: i64,
    }
    let connection = &mut connection();
    insert_orders(connection);
    let query = |filter: LogicExpr| -> SqlSegment {
        from("Order").filter(filter).select([prop("OrderNo").into(), (prop("Qty") * 2).alias("Lines")]).into_segment()
    };
    let load = |filter, connection: &mut SqliteConnection| -> Vec<Order> {
        with_compiled(query(filter), |query| statement(query).unwrap().load(connection).unwrap())
    };
    assert_eq!(load(prop("Note").contains("?"), connection), [Order { no: "B2".into(), lines: 6 }]);
    // The same text again, with another value: the prepared statement takes it.
    assert_eq!(load(prop("Note").contains("'s"), connection), [Order { no: "B2".into(), lines: 6 }]);
    assert!(load(prop("Note").contains("none"), connection).is_empty());
    // A list that is bound as one.
    let many = prop("TenantId").in_list((0..1000).collect::<Vec<_>>());
    assert_eq!(load(many, connection).len(), 2);
}

#[test]
fn writes_tell_how_many_rows_they_changed_and_errors_are_diesels() {
    let connection = &mut connection();
    insert_orders(connection);
    let update = table("Order").update([("Paid", true)]).filter(prop("Amount").gt(50));
    let changed = with_compiled(update, |update| statement(update).unwrap().uncached().execute(connection).unwrap());
    assert_eq!(changed, 1);
    let twin = table("Customer").insert(["Id"], vec![1.into()]);
    let error = with_compiled(twin, |twin| statement(twin).unwrap().execute(connection).unwrap_err());
    assert!(matches!(error, diesel::result::Error::DatabaseError(..)), "{error:?}");
}

#[test]
fn what_sqlite_cannot_store_is_an_error_before_it_is_run() {
    let far = NaiveDate::from_ymd_opt(10_000, 6, 1).unwrap();
    let digits = "12345678901234567890".parse().unwrap();
    for (value, message) in [
        (Value::UInt(u64::MAX), "18446744073709551615: SQLite's whole numbers have 63 bits"),
        (Value::Decimal(Box::new(digits)), "12345678901234567890: SQLite's numbers have 15 digits"),
        (Value::Float(f64::NAN), "NaN: SQLite stores NULL for it"),
        (Value::Float(f64::INFINITY), "inf: the dialect has no infinities on SQLite"),
        (Value::Date(far), "'+10000-06-01': SQLite's dates are those of the years 0 to 9999"),
        (Value::List([].into()), "SQLite has nothing for a list"),
    ] {
        let params = vec![Parameter { value: Cow::Owned(value), ty: None }];
        let compiled = Compiled { sql: "SELECT ?".into(), params, ..Compiled::default() };
        let error = statement(&compiled).unwrap_err();
        assert_eq!((error.kind(), error.to_string()), (ErrorKind::BadValue, format!("bad value: {message}")));
    }
}
