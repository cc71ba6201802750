//! At the limits of engines: long lists, many parameters.

use isogloss_compiler::expr::*;
use isogloss_duckdb::DuckDb;
use isogloss_mysql::{MariaDb, MySql};
use isogloss_oracle::Oracle;
use isogloss_sqlite::Sqlite;
use isogloss_sqlserver::SqlServer;

use super::{of_orders, orders};
use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    // Computed items cannot be bound as one parameter: they show where a list is split.
    let computed = |n: i64| row((1..=n).map(|i| prop("Qty") + i).collect::<Vec<_>>());
    let built = |n: i64| row((1..=n).map(|i| ValueTypeExpr::from(value(i))).collect::<Vec<_>>());
    let plain = |n: i64| (1..=n).collect::<Vec<_>>();
    let mut cases: Vec<Case> = Vec::new();
    for n in [999, 1_000, 1_001] {
        cases.push(case(format!("in_{n}_values"), orders(prop("CustomerId").in_list(plain(n)))));
        cases.push(case(format!("in_{n}_expressions"), orders(prop("CustomerId").in_list(computed(n)))));
    }
    cases.push(case("not_in_1001_expressions", orders(prop("CustomerId").not_in_list(computed(1_001)))));
    cases.push(case("in_2500_expressions", orders(prop("CustomerId").in_list(computed(2_500)))));
    cases.push(case("in_70000_values", orders(prop("CustomerId").in_list(plain(70_000)))));
    cases.push(case("in_70000_values_built_one_by_one", orders(prop("CustomerId").in_list(built(70_000)))));
    cases.push(case("in_64_values", orders(prop("CustomerId").in_list(plain(64)))));
    cases.push(case("in_65_values", orders(prop("CustomerId").in_list(plain(65)))));
    // What is beyond some engine, on that engine only: the texts are long.
    let sqlite = || [Sqlite::V3_45.into()];
    let small = || [MySql::default().into(), MariaDb::V10_11.into(), Sqlite::V3_45.into()];
    let wide = |n: i64| (1..=n).map(|i| prop("Qty").ne(i)).collect::<Vec<_>>();
    cases.push(case("and_of_2500", orders(LogicExpr::all(wide(2_500)))).on(sqlite()));
    let text = |i: i64| ValueTypeExpr::from(format!("{i}").as_str());
    let parts = (1..=1_500).fold(ValueTypeExpr::from(prop("OrderNo")), |all, i| match all {
        ValueTypeExpr::Set(mut set) => {
            set.items.push(text(i));
            ValueTypeExpr::Set(set)
        }
        first => ValueTypeExpr::from(concat(first, text(i))),
    });
    cases.push(case("a_concatenation_of_1501", orders(parts.eq("x"))).on([Sqlite::V3_45.into(), DuckDb::V1_5.into()]));
    let list = |n: i64| (1..=n).map(text).collect::<Vec<_>>();
    cases.push(
        case("a_function_of_200_arguments", orders(ValueTypeExpr::from(func("Coalesce", list(200))).eq("x")))
            .on(sqlite()),
    );
    let ids = || from("Customer").select([prop("Id")]);
    cases.push(case("a_union_of_501", (1..=500).fold(ids(), |all, _| all.union_all(ids()))).on(sqlite()));
    let joined = (1..=64).fold(from("Customer").aliased("c0"), |all, i| {
        let alias = format!("c{i}");
        let on = prop_of(alias.as_str(), "Id").eq(prop_of("c0", "Id"));
        all.join(TableJoinType::Inner, from("Customer").aliased(alias.as_str()), on)
    });
    cases.push(case("a_join_of_65_tables", joined.select([prop_of("c0", "Id")])).on(small()));
    let mut deep = prop("Qty").eq(1);
    for n in 2..300 {
        deep = !(deep & prop("Qty").eq(n));
    }
    cases.push(case("a_deep_tree", orders(deep)));
    let named = |name: &str| from("Order").select([prop("Qty").alias(name)]);
    for n in [63, 64, 65, 128, 129] {
        cases.push(case(format!("a_name_of_{n}_letters"), named(&"n".repeat(n))));
    }
    cases.push(case("a_name_of_31_letters", named(&"n".repeat(31))).on([Oracle::V12_1.into(), Oracle::V12_2.into()]));
    let rows = |n: i32| table("Region").insert_rows(["Id", "Name"], (1..=n).map(|i| (i, "North")));
    for n in [1_000, 1_001] {
        cases.push(case(format!("an_insert_of_{n}_rows"), rows(n)).on([SqlServer::V2019.into()]));
    }
    for n in [5_000, 5_001] {
        cases.push(case(format!("an_insert_of_{n}_rows"), rows(n)).on([Oracle::V19.into()]));
    }
    for n in [4_000, 4_001] {
        let pattern = format!("^{}{}", "[0-9A-Za-z]".repeat(360), "x".repeat(n - 3_961));
        let case = case(format!("a_pattern_of_{n}_bytes"), orders(prop("Note").regexp_like(pattern.as_str())));
        cases.push(case.on([SqlServer::V2025.into()]));
    }
    let columns = [
        "OrderNo",
        "CustomerId",
        "ProductId",
        "SalesUserId",
        "Qty",
        "Amount",
        "Status",
        "Note",
        "Paid",
        "CreatedByUserId",
        "ShipDate",
        "UpdatedTime",
        "IsDeleted",
        "TenantId",
    ];
    let order = || -> [Value; 14] {
        let (no, one, none) = (Value::from("A1"), Value::from(1), Value::Null);
        let [status, note, yes] = [Value::from("Open"), Value::from("n"), Value::from(true)];
        [
            no,
            one.clone(),
            one.clone(),
            one.clone(),
            one.clone(),
            one.clone(),
            status,
            note,
            yes.clone(),
            one.clone(),
            none.clone(),
            none,
            yes,
            one,
        ]
    };
    let orders_of = |n: usize| table("Order").insert_rows(columns, (0..n).map(|_| order()));
    cases.push(case("an_insert_of_70000_values", orders_of(5_000)).on([Oracle::V19.into()]));
    let long = || "x".repeat(4_001);
    cases.push(case("a_long_text_compared", orders(prop("Note").eq(long().as_str()))));
    cases.push(case("a_long_text_in_a_list", orders(prop("Note").in_list([long()]))));
    let bytes = || prop("OrderNo").cast(DbValueType::Binary);
    cases.push(case("long_bytes_compared", orders(bytes().eq(vec![0_u8; 2_001]))));
    cases.push(case("long_bytes_in_a_list", orders(bytes().in_list([vec![0_u8; 2_001]]))));
    cases.push(case("bytes_of_a_long_text", of_orders(func("ByteLength", [ValueTypeExpr::from(long())]))));
    cases
}
