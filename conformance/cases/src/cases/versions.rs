//! What another version of an engine makes of a case.

use isogloss_compiler::expr::*;
use isogloss_mysql::{MariaDb, MySql};
use isogloss_oracle::Oracle;
use isogloss_postgres::Postgres;
use isogloss_sqlite::Sqlite;
use isogloss_sqlserver::SqlServer;

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
    let mysql = || [MySql::V8_0.into(), MySql::V8_0_19.into(), MySql::V8_0_31.into(), MySql::V8_4.into()];
    let ids = |status: &'static str| from("Order").filter(prop("Status").eq(status)).select([prop("CustomerId")]);
    let weights = |category: i32| from("Product").filter(prop("CategoryId").eq(category));
    let lightest =
        || weights(2).order_by([prop("Weight").asc()]).take(3).select([prop("Weight"), prop("Price")]).distinct();
    let upsert = || table("Category").insert(["Id", "Name"], vec![1.into(), "Tea".into()]);
    let rows = from("Customer").select([prop("Id"), prop("Name")]);
    let last = from("OrderItem")
        .filter(prop("OrderId").eq(prop_of("T0", "Id")))
        .order_by([prop("Price").desc()])
        .take(1)
        .select([prop("Price")])
        .into_segment()
        .aliased("last");
    let framed = |unit, exclude| {
        let (start, end) = (FrameBound::Preceding(1), FrameBound::CurrentRow);
        let mut window = prop("Amount").sum().over().order_by([prop("Id").asc()]).frame(unit, start, end);
        if let Some(frame) = &mut window.frame {
            frame.exclude = exclude;
        }
        of_orders(window)
    };
    let data = || orders(prop("Data").eq(Value::Json(r#"{"a":1}"#.into())));
    let dearest = from("Product")
        .filter(prop("Price").lt(prop_of("T0", "Amount")))
        .order_by([prop("Price").desc()])
        .take(1)
        .select([prop("Id")]);
    let distinct = FunctionExpr {
        args: vec![UnaryExpr { operator: UnaryOperator::Distinct, operand: prop("Status").into() }.into(), ", ".into()],
        is_aggregate: true,
        ..func("StringAgg", [] as [ValueTypeExpr; 0])
    };
    vec![
        case("union_of_a_union_mysql", ids("Open").union_all(ids("Closed").union(ids("Draft"))))
            .on([MySql::V8_0_19.into(), MySql::V8_0_22.into()]),
        case("a_page_that_looks_outside_mysql", orders(prop("ProductId").in_list(dearest)))
            .on([MySql::V8_0.into(), MySql::V8_0_14.into()]),
        case("json_compared_mariadb", data()).on([MariaDb::V10_6.into(), MariaDb::V10_11.into()]),
        case("json_compared_oracle", data()).on([Oracle::V12_2.into(), Oracle::V18.into()]),
        case("distinct_texts_joined_oracle", of_orders(distinct)).on([Oracle::V18.into(), Oracle::V19.into()]),
        case("groups_frame_oracle", framed(FrameUnit::Groups, FrameExclude::NoOthers))
            .on([Oracle::V19.into(), Oracle::V21.into()]),
        case("excluded_rows_oracle", framed(FrameUnit::Rows, FrameExclude::CurrentRow))
            .on([Oracle::V19.into(), Oracle::V21.into()]),
        case("insert_of_two_rows_oracle", table("Region").insert_rows(["Id", "Name"], [(1, "North"), (2, "South")]))
            .on([Oracle::V21.into(), Oracle::V23.into()]),
        case(
            "full_join_sqlite",
            from("Order")
                .join(
                    TableJoinType::Full,
                    from("Customer").aliased("c"),
                    prop_of("c", "Id").eq(prop_of("T0", "CustomerId")),
                )
                .select([prop_of("c", "Name").alias("Customer")]),
        )
        .on([Sqlite::V3_38.into(), Sqlite::V3_39.into()]),
        case("distinct_from_a_column_sqlserver", orders(prop("SalesUserId").is_distinct_from(prop("CreatedByUserId"))))
            .on([SqlServer::V2019.into(), SqlServer::V2022.into()]),
        case("upsert_mysql", upsert().on_conflict_update([] as [&str; 0])).on(mysql()),
        case(
            "upsert_of_a_query_mysql",
            table("Category").insert_query(["Id", "Name"], rows).on_conflict_update([] as [&str; 0]),
        )
        .on(mysql()),
        case("intersect_mysql", ids("Open").intersect(ids("Closed"))).on(mysql()),
        case("except_mysql", ids("Open").except(ids("Closed"))).on(mysql()),
        case("except_of_doubles_mysql", weights(1).select([prop("Weight"), prop("Price")]).except(lightest()))
            .on([MySql::V8_4.into(), MariaDb::new(10, 11).into()]),
        case("except_of_doubles_again_mysql", {
            let of = |category: i32| weights(category).select([prop("Weight"), prop("Price")]);
            of(1).except(of(2)).union(of(3).intersect(of(4))).except(of(5))
        })
        .on([MySql::V8_4.into(), MariaDb::new(10, 11).into()]),
        case(
            "intersect_of_a_union_mysql",
            ids("Open").union(ids("Closed")).intersect(ids("Draft").union_all(ids("Shipped"))),
        )
        .on([MySql::V8_4.into(), MariaDb::new(10, 11).into()]),
        case("except_of_an_intersection_mysql", ids("Open").except(ids("Closed").intersect(ids("Draft"))))
            .on([MySql::V8_4.into(), MariaDb::new(10, 11).into()]),
        case(
            "lateral_mysql",
            from("Order")
                .join_lateral(TableJoinType::Left, last, LogicExpr::default())
                .select([prop_of("T0", "Id").alias("Id"), prop_of("last", "Price").alias("Price")]),
        )
        .on([MySql::V8_0.into(), MySql::V8_0_14.into(), MySql::V8_4.into()]),
        case("cast_to_double_mysql", of_orders(prop("Amount").cast(DbValueType::Double)))
            .on([MySql::V8_0.into(), MySql::V8_0_19.into()]),
        case(
            "exists_in_a_page_sqlite",
            from("Customer").filter(exists_related("Order", None)).order_by(["Id"]).section(1, 5),
        )
        .on([Sqlite::V3_45.into(), Sqlite::new(51, 0).into(), Sqlite::new(53, 0).into()]),
        case("delete_by_an_exists_mysql", {
            table("Order").delete().filter(exists_related("Customer", prop("Active").eq(false)))
        })
        .on([
            MySql::V8_0.into(),
            MySql::V8_0_22.into(),
            MariaDb::new(10, 11).into(),
            MariaDb::new(11, 4).into(),
        ]),
        case("right_join_sqlite", right()).on([Sqlite::V3_38.into(), Sqlite::V3_39.into()]),
        case(
            "string_agg_distinct_sqlite",
            of_orders(
                FunctionExpr {
                    is_aggregate: true,
                    ..func("StringAgg", [ValueTypeExpr::from(prop("OrderNo")), ", ".into()])
                }
                .distinct(),
            ),
        )
        .on([Sqlite::V3_40.into(), Sqlite::V3_44.into()]),
        case("string_agg_in_an_order_sqlite", ordered()).on([Sqlite::V3_40.into(), Sqlite::V3_44.into()]),
        case("regexp_postgres", orders(prop("Note").regexp_like("^a")))
            .on([Postgres::V12.into(), Postgres::V18.into()]),
        case(
            "upsert_postgres",
            table("Category").insert(["Id", "Name"], vec![1.into(), "Tea".into()]).on_conflict_update([] as [&str; 0]),
        )
        .on([Postgres::V12.into(), Postgres::V18.into()]),
        case(
            "lag_with_a_default_postgres",
            of_orders(
                func("Lag", [prop("Note").into(), 1.into(), ValueTypeExpr::from("-")])
                    .over()
                    .order_by([prop("Id").asc()]),
            ),
        )
        .on([Postgres::V13.into(), Postgres::V14.into()]),
        case(
            "milliseconds_between_postgres",
            of_orders(func("DateDiffMilliseconds", [prop("CreatedTime"), prop("ShipDate")])),
        )
        .on([Postgres::V13.into(), Postgres::V14.into()]),
        case("min_of_bytes_postgres", of_orders(func("Min", [prop("OrderNo").cast(DbValueType::Binary)])))
            .on([Postgres::V17.into(), Postgres::V18.into()]),
        case("decimal_as_text_postgres", of_orders(prop("Amount").cast(DbValueType::String)))
            .on([Postgres::V12.into(), Postgres::V13.into()]),
        case(
            "format_with_names_sqlite",
            of_orders(func("Format", [prop("CreatedTime").into(), ValueTypeExpr::from("dddd, d MMMM hh tt")])),
        )
        .on([Sqlite::V3_40.into(), Sqlite::V3_44.into()]),
        case("json_value_sqlite", of_orders(func("JsonValue", [prop("Data").into(), ValueTypeExpr::from("$.a")])))
            .on([Sqlite::V3_35.into(), Sqlite::V3_38.into()]),
        case("having_without_groups_sqlite", from("Order").having(count_all().gt(5)).select([count_all().alias("N")]))
            .on([Sqlite::V3_38.into(), Sqlite::V3_39.into()]),
        case("json_value_postgres", of_orders(func("JsonValue", [prop("Data").into(), ValueTypeExpr::from("$.a")])))
            .on([Postgres::V12.into(), Postgres::V17.into()]),
    ]
}
