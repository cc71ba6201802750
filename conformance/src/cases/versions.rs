//! What another version of an engine makes of a case.

use isogloss_compiler::expr::*;
use isogloss_postgres::Postgres;
use isogloss_sqlite::Sqlite;

use super::{of_orders, orders};
use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    let right = || {
        from("Order")
            .join(
                TableJoinType::Right,
                from("Customer").aliased("c"),
                prop_of("c", "Id").eq(prop_of("T0", "CustomerId")),
            )
            .select([prop_of("c", "Name").alias("Customer")])
    };
    let ordered = || {
        of_orders(
            FunctionExpr {
                is_aggregate: true,
                ..func("StringAgg", [ValueTypeExpr::from(prop("OrderNo")), ", ".into()])
            }
            .order_by([prop("OrderNo").asc()]),
        )
    };
    vec![
        case("right_join_sqlite", right()).on([Sqlite::V3_38.into(), Sqlite::V3_39.into()]),
        case("string_agg_in_an_order_sqlite", ordered()).on([Sqlite::V3_40.into(), Sqlite::V3_44.into()]),
        case("regexp_postgres", orders(prop("Note").regexp_like("^a")))
            .on([Postgres::V12.into(), Postgres::V18.into()]),
        case(
            "upsert_postgres",
            table("Category").insert(["Id", "Name"], vec![1.into(), "Tea".into()]).on_conflict_update([] as [&str; 0]),
        )
        .on([Postgres::V12.into(), Postgres::V18.into()]),
        case("json_value_postgres", of_orders(func("JsonValue", [prop("Data").into(), ValueTypeExpr::from("$.a")])))
            .on([Postgres::V12.into(), Postgres::V17.into()]),
    ]
}
