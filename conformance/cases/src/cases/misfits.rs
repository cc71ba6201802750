//! What some engine refuses: refused on every dialect, with the place, or written so that all take it.

use isogloss_compiler::expr::*;
use isogloss_compiler::functions::Func;

use super::{of_orders, orders};
use crate::{Case, case};

fn call(func_: Func, args: Vec<ValueTypeExpr>) -> FunctionExpr {
    func(func_.signature().name, args)
}

pub(super) fn cases() -> Vec<Case> {
    use Func as F;
    let p = |name: &'static str| ValueTypeExpr::from(prop(name));
    let ranked = || func("RowNumber", [] as [ValueTypeExpr; 0]).over().order_by([prop("Id").asc()]);
    let null_of = |entity| from(entity).select([null().alias("N")]).into_segment();
    let lines = || {
        let mine = from("OrderItem").filter(prop("OrderId").eq(prop_of("T0", "Id")));
        ValueTypeExpr::from(mine.select([count_all()]).into_segment()).alias("Lines")
    };
    vec![
        case("rows_of_two_lengths", orders(row([prop("Qty"), prop("TenantId")]).eq(row([1])))),
        case("a_day_and_a_number", of_orders(prop("ShipDate") + 1)),
        case("a_text_and_a_number", of_orders(prop("Note") + 1)),
        case("a_truth_value_and_a_number", of_orders(prop("Paid") + 1)),
        case("a_format_of_no_token", of_orders(call(F::Format, vec![p("CreatedTime"), "yyyy-qq".into()]))),
        case("an_index_that_is_no_number", of_orders(call(F::JsonValue, vec![p("Data"), "$[a]".into()]))),
        case("a_path_without_a_point", of_orders(call(F::JsonValue, vec![p("Data"), "$a".into()]))),
        case("a_path_that_is_a_number", of_orders(call(F::JsonValue, vec![p("Data"), 5.into()]))),
        case("a_number_as_json", of_orders(call(F::JsonValue, vec![p("Qty"), "$.a".into()]))),
        case(
            "a_scalar_of_two_columns",
            of_orders(ValueTypeExpr::from(from("Customer").take(1).select([prop("Id"), prop("Name")]).into_segment())),
        ),
        case("a_group_by_a_constant", from("Order").group_by([constant(1)]).select([count_all().alias("N")])),
        case(
            "a_frame_that_ends_before_it_begins",
            of_orders(prop("Qty").sum().over().order_by([prop("Id").asc()]).frame(
                FrameUnit::Rows,
                FrameBound::Following(1),
                FrameBound::Preceding(1),
            )),
        ),
        case(
            "a_range_without_an_order",
            of_orders(prop("Qty").sum().over().frame(
                FrameUnit::Range,
                FrameBound::Preceding(1),
                FrameBound::CurrentRow,
            )),
        ),
        case("distinct_over_a_window", of_orders(aggregate("Sum", prop("Qty")).distinct().over())),
        case("an_insert_of_no_columns", table("Region").insert([] as [&str; 0], Vec::new())),
        case("an_insert_of_a_column_twice", table("Region").insert(["Id", "Id"], vec![1.into(), 2.into()])),
        case("an_update_of_nothing", table("Order").update([] as [(&str, Value); 0]).all_rows()),
        case(
            "greatest_of_17_numbers",
            of_orders(func("Greatest", (0..17).map(|n| prop("Qty") + n).collect::<Vec<_>>())),
        ),
        case(
            "a_union_of_days_and_numbers",
            from("Order").select([prop("ShipDate")]).union(from("Order").select([prop("Qty")])),
        ),
        case("a_function_with_a_filter", of_orders(call(F::Lower, vec![p("Note")]).filter(prop("Qty").gt(1)))),
        case(
            "a_function_of_the_program_with_a_filter",
            of_orders(func("Similarity", [p("Note"), p("OrderNo")]).filter(prop("Qty").gt(1))),
        ),
        case("a_cast_to_an_object", of_orders(prop("Note").cast(DbValueType::Object))),
        case("in_of_two_columns", orders(prop("Qty").in_list(from("Order").select([prop("Id"), prop("Qty")])))),
        case("rows_in_shorter_ones", orders(row([prop("Qty"), prop("TenantId")]).in_list(row([row([1])])))),
        case(
            "distinct_texts_in_another_order",
            of_orders(
                FunctionExpr {
                    args: vec![
                        UnaryExpr { operator: UnaryOperator::Distinct, operand: prop("OrderNo").into() }.into(),
                        ", ".into(),
                    ],
                    is_aggregate: true,
                    ..func("StringAgg", [] as [ValueTypeExpr; 0])
                }
                .order_by([prop("Qty").asc()]),
            ),
        ),
        case(
            "an_upsert_that_changes_its_key",
            table("Category").insert(["Id", "Name"], vec![1.into(), "Tea".into()]).on_conflict_update(["Id"]),
        ),
        case("distinct_on_null", from("Order").select([prop("Id")]).distinct_on([ValueTypeExpr::from(null())])),
        case("distinct_on_a_window", from("Order").select([prop("Id")]).distinct_on([ValueTypeExpr::from(ranked())])),
        case("distinct_on_an_aggregate", from("Order").select([prop("Id")]).distinct_on([p("Qty").max()])),
        case(
            "distinct_on_a_subquery",
            from("Order")
                .select([prop("Id")])
                .distinct_on([ValueTypeExpr::from(from("Customer").take(1).select([prop("Name")]).into_segment())]),
        ),
        case(
            "distinct_on_with_one_name_twice",
            from("Order").select([prop("Id").alias("a"), prop("Qty").alias("a")]).distinct_on([p("Note")]),
        ),
        case("a_window_in_a_window", of_orders(prop("Qty").sum().over().partition_by([ValueTypeExpr::from(ranked())]))),
        case("a_window_ordered_by_a_constant", of_orders(prop("Qty").sum().over().order_by([constant(1).asc()]))),
        case(
            "a_frame_of_a_rank",
            of_orders(ranked().frame(FrameUnit::Rows, FrameBound::Preceding(1), FrameBound::CurrentRow)),
        ),
        case(
            "a_lock_with_a_window_as_a_key",
            from("Order").order_by([ranked().asc()]).lock(LockMode::Update, LockWait::Wait),
        ),
        case(
            "an_aggregate_beside_a_window_in_an_order",
            from("Order").order_by([count_all().desc(), ranked().asc()]).select([prop("Id")]),
        ),
        case("one_in_rows", orders(value(1).not_in_list(row([row([1, 2])])))),
        case("a_column_in_rows", orders(prop("Qty").in_list(row([row([1, 2])])))),
        case(
            "an_order_by_a_name_that_two_have",
            from("Order")
                .select([prop("Id").alias("a"), prop("Qty").alias("a")])
                .into_segment()
                .order_by([prop("a").asc()]),
        ),
        case("a_subquery_of_null_as_a_predicate", orders(ValueTypeExpr::from(null_of("Customer")).is_true())),
        case("a_number_in_nulls", orders(prop("Qty").in_list(null_of("Customer")))),
        case("minus_of_a_text", of_orders(-p("Note"))),
        case("minus_of_null", of_orders(-ValueTypeExpr::from(null()))),
        case("null_and_null", of_orders(ValueTypeExpr::from(null()) + null())),
        case("bits_of_a_decimal", of_orders(call(F::BitOr, vec![p("Amount"), 1.into()]))),
        case("a_number_as_a_date", of_orders(prop("Qty").cast(DbValueType::Date))),
        case("a_truth_as_a_uuid", of_orders(prop("Paid").cast(DbValueType::Guid))),
        case("an_hour_of_a_number", of_orders(call(F::Hour, vec![p("Qty")]))),
        case("an_hour_of_null", of_orders(call(F::Hour, vec![null().into()]))),
        case("an_average_of_a_uuid", of_orders(call(F::Avg, vec![uuid::Uuid::from_u128(7).into()]))),
        case("a_sum_of_null", of_orders(call(F::Sum, vec![constant(Value::Null).into()]))),
        case("a_search_for_a_number", orders(prop("Note").like(prop("Qty")))),
        case("a_search_for_a_date", orders(prop("Note").contains(prop("ShipDate")))),
        case("a_deviation_of_distinct_numbers", of_orders(aggregate("StdDev", prop("Qty")).distinct())),
        case(
            "texts_of_a_distinct_constant",
            from("Order").select([FunctionExpr {
                args: vec![
                    UnaryExpr { operator: UnaryOperator::Distinct, operand: constant("a").into() }.into(),
                    ",".into(),
                ],
                is_aggregate: true,
                ..func("StringAgg", [] as [ValueTypeExpr; 0])
            }
            .alias("Result")]),
        ),
        case("texts_by_a_column", of_orders(call(F::StringAgg, vec![p("Note"), p("OrderNo")]))),
        case(
            "texts_by_a_computed_text",
            of_orders(call(F::StringAgg, vec![p("Note"), concat(p("OrderNo"), "x").into()])),
        ),
        case("trim_of_a_columns_characters", of_orders(call(F::Trim, vec![p("Note"), p("OrderNo")]))),
        case(
            "trim_of_computed_characters",
            of_orders(call(F::TrimEnd, vec![p("Note"), concat(p("OrderNo"), "x").into()])),
        ),
        case("a_date_by_its_iso_form", of_orders(call(F::Format, vec![p("ShipDate"), "yyyy-MM-dd".into()]))),
        case("a_minute_by_its_iso_form", of_orders(call(F::Format, vec![p("CreatedTime"), "yyyy-MM-dd HH:mm".into()]))),
        case("a_date_with_a_time_of_it", of_orders(call(F::Format, vec![p("ShipDate"), "yyyy-MM-dd HH:mm".into()]))),
        case("a_document_of_constant_times", of_orders(call(F::JsonArrayAgg, vec![constant(leap_time()).into()]))),
        case("a_document_of_constants", of_orders(call(F::JsonArrayAgg, vec![constant("a").into()]))),
        case(
            "a_full_join_under_distinct_on",
            from("Order")
                .join(
                    TableJoinType::Full,
                    from("Customer").aliased("c"),
                    prop_of("c", "Id").eq(prop_of("T0", "CustomerId")),
                )
                .select([prop_of("T0", "Id").alias("Id")])
                .distinct_on([ValueTypeExpr::from(prop_of("T0", "Qty"))]),
        ),
        case(
            "rows_before_the_row",
            of_orders(call(F::Lag, vec![p("Qty"), 2.into()]).over().order_by([prop("Id").asc()])),
        ),
        case(
            "rows_before_the_row_backwards",
            of_orders(call(F::Lag, vec![p("Qty"), (-1).into(), 0.into()]).over().order_by([prop("Id").asc()])),
        ),
        case(
            "rows_behind_the_row_backwards",
            of_orders(call(F::Lead, vec![p("Qty"), constant(-3).into()]).over().order_by([prop("Id").asc()])),
        ),
        case("row_zero", of_orders(call(F::NthValue, vec![p("Qty"), 0.into()]).over().order_by([prop("Id").asc()]))),
        case("no_buckets", of_orders(call(F::NTile, vec![0.into()]).over().order_by([prop("Id").asc()]))),
        case(
            "a_column_beside_a_group_in_a_subquery",
            from("Order").group_by([prop("CustomerId")]).select([SelectItemExpr::from("CustomerId"), lines()]),
        ),
        case(
            "a_column_beside_a_group_in_exists",
            from("Order")
                .group_by([prop("CustomerId")])
                .having(exists("OrderItem", prop("OrderId").eq(prop_of("T0", "Id"))))
                .select([prop("CustomerId")]),
        ),
        case(
            "a_computed_key_of_a_group_in_a_subquery",
            from("Order").group_by([ValueTypeExpr::from(prop("Qty")) + 1]).select([ValueTypeExpr::from(
                from("Product")
                    .filter(prop("Id").eq(ValueTypeExpr::from(prop_of("T0", "Qty")) + 1))
                    .select([count_all()])
                    .into_segment(),
            )
            .alias("Products")]),
        ),
        case(
            "a_column_beside_an_aggregate_in_a_subquery",
            from("Order").select([ValueTypeExpr::from(count_all()).alias("Orders"), lines()]),
        ),
        case("computed_buckets", of_orders(call(F::NTile, vec![p("Qty")]).over().order_by([prop("Id").asc()]))),
    ]
}

fn leap_time() -> Option<chrono::NaiveDateTime> {
    chrono::NaiveDate::from_ymd_opt(2024, 2, 29)?.and_hms_opt(10, 20, 30)
}
