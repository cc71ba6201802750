//! NULL: in comparisons, under NOT, and where it counts as a value.

use isogloss_compiler::expr::*;

use super::{of_customers, of_orders, orders};
use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case("lower_of_null_or_a_bound_text", {
            let chosen = isogloss_compiler::expr::case([(prop("Qty").gt(1), null().into())], Some("ÄB".into()));
            of_orders(func("Lower", [ValueTypeExpr::from(chosen)]))
        }),
        case("a_part_of_null", of_orders(func("Left", [ValueTypeExpr::from(null()), prop("Qty").into()]))),
        case("least_of_nulls", from("Order").select([ValueTypeExpr::from(null()).min().alias("Least")])),
        case("lower_of_a_bound_text_or_null", {
            let chosen = func("Coalesce", [ValueTypeExpr::from("ÄB"), null().into()]);
            of_orders(func("Lower", [chosen]))
        }),
        case("equal_null", orders(prop("Note").eq(null()))),
        case("not_equal_null", orders(prop("Note").ne(null()))),
        case("equal_null_parameter", orders(prop("ShipDate").eq(Value::Null))),
        case("null_on_the_left", orders(null().eq(prop("Note")))),
        case("greater_than_null_is_never_true", orders(prop("Qty").gt(null()))),
        case("not_of_a_comparison_with_a_nullable_column", orders(!prop("SalesUserId").eq(5))),
        case("is_null_of_a_column_that_is_never_null", orders(prop("Qty").is_null())),
        case("distinct_from_a_value", orders(prop("SalesUserId").is_distinct_from(5))),
        case("not_distinct_from_a_value", orders(prop("SalesUserId").is_not_distinct_from(5))),
        case("not_of_distinct_and_another", orders(!(prop("SalesUserId").is_not_distinct_from(5) & prop("Qty").gt(1)))),
        case("distinct_from_a_column", orders(prop("SalesUserId").is_distinct_from(prop("CreatedByUserId")))),
        case("not_distinct_from_null", orders(prop("SalesUserId").is_not_distinct_from(null()))),
        case("distinct_from_null", orders(prop("SalesUserId").is_distinct_from(null()))),
        case("not_distinct_of_two_nullable_columns", orders(prop("Note").is_not_distinct_from(prop("OrderNo")))),
        case("distinct_of_two_nullable_columns", orders(prop("SalesUserId").is_distinct_from(prop("SalesUserId")))),
        case(
            "distinct_in_an_aggregate",
            of_orders(count_all().filter(prop("Note").is_distinct_from(prop("ShipDate").cast(DbValueType::String)))),
        ),
        case(
            "distinct_columns_as_a_value",
            of_customers(ValueTypeExpr::from(prop("City").is_distinct_from(prop("City")))),
        ),
        case("if_null", of_orders(prop("Note").if_null("none"))),
        case("null_selected", of_orders(null())),
        case("a_null_parameter_selected", of_orders(ValueTypeExpr::from(value(Value::Null)))),
        case("a_null_parameter_in_a_case", of_orders(if_else(prop("Paid").is_true(), value(Value::Null), prop("Qty")))),
        case(
            "a_null_parameter_in_a_union",
            from("Order")
                .select([value(Value::Null).alias("N")])
                .union_all(from("Order").select([prop("Qty").alias("N")])),
        ),
        case("empty_text", orders(prop("Note").eq(""))),
        case("not_empty_text", orders(prop("Note").ne(""))),
        case("empty_text_beside_a_column_that_is_never_null", orders(prop("OrderNo").ne(""))),
        case("less_than_empty_text", orders(prop("Note").gt(""))),
        case("empty_text_in_a_list", orders(prop("Note").in_list(["", "a"]))),
    ]
}
