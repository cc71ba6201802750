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
    vec![
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
        case("a_deviation_of_distinct_numbers", of_orders(aggregate("StdDev", prop("Qty"), true))),
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
    ]
}
