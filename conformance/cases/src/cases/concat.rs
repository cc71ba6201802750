//! Concatenation: NULL if any part is.

use isogloss_compiler::expr::*;

use super::{of_customers, of_orders, of_products, orders};
use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case("two_columns", of_customers(prop("Name").concat(prop("Name")))),
        case("a_nullable_column", of_customers(prop("Name").concat(prop("City")))),
        case("with_a_text", of_customers(prop("Name").concat(" (VIP)"))),
        case(
            "three_parts",
            of_customers(ValueSet {
                join: ValueJoinType::Concat,
                items: vec![prop("Name").into(), ", ".into(), prop("City").into()],
            }),
        ),
        case("nested", of_customers(prop("Name").concat(prop("City").concat("!")))),
        case(
            "the_binary_operator",
            of_customers(ValueTypeExpr::from(ValueBinaryExpr {
                left: prop("Name").into(),
                operator: ValueOperator::Concat,
                right: "!".into(),
            })),
        ),
        case(
            "a_part_of_a_nullable_column",
            of_customers(
                ValueTypeExpr::from(func("Substring", [prop("City").into(), ValueTypeExpr::from(5)]))
                    .concat("x")
                    .concat(prop("City")),
            ),
        ),
        case("a_column_of_a_set_operation", {
            let lines = func("Repeat", [ValueTypeExpr::from(prop("Note")), 300.into()]);
            let texts = from("Order").select([prop("OrderNo")]).union_all(from("Order").select([lines.alias("Lines")]));
            SqlSegment::from(texts).select([prop("OrderNo").concat("!").alias("Result")])
        }),
        case("a_number", of_orders(prop("OrderNo").concat(prop("Qty")))),
        case("a_number_parameter", of_orders(prop("OrderNo").concat(5))),
        case("in_a_comparison", orders(prop("OrderNo").concat(prop("Note")).eq("ab"))),
        case("arithmetic_beside_it", of_orders((prop("Qty") + 1).concat(prop("OrderNo")))),
        case("a_truth_value", of_orders(prop("OrderNo").concat(prop("Paid")))),
        case("a_predicate", of_orders(prop("OrderNo").concat(ValueTypeExpr::from(prop("Id").gt(1))))),
        case("a_decimal", of_orders(prop("OrderNo").concat(prop("Amount")))),
        case(
            "a_decimal_parameter",
            of_orders(prop("OrderNo").concat("1.50".parse::<Decimal>().map_or(Value::Null, Value::from))),
        ),
        case("a_date", of_orders(prop("OrderNo").concat(prop("ShipDate")))),
        case("a_datetime", of_orders(prop("OrderNo").concat(prop("CreatedTime")))),
        case("a_time", of_orders(prop("OrderNo").concat(prop("CreatedTime").cast(DbValueType::Time)))),
        case("a_guid", of_orders(prop("OrderNo").concat(prop("Token")))),
        case("a_float", of_products(prop("Name").concat(prop("Weight")))),
        case("a_time_with_an_offset", of_orders(prop("OrderNo").concat(prop("UpdatedTime")))),
        case(
            "with_a_separator",
            of_orders(func(
                "ConcatWs",
                ["-".into(), prop("OrderNo").into(), prop("Paid").into(), prop("ShipDate").into()]
                    as [ValueTypeExpr; 4],
            )),
        ),
        case(
            "with_a_separator_that_may_be_null",
            of_orders(func("ConcatWs", [prop("Note"), prop("OrderNo"), prop("Note")])),
        ),
        case("text_of_a_decimal_in_a_function", of_orders(func("Length", [prop("Amount")]))),
        case("two_texts", of_orders(value("a").concat("b"))),
    ]
}
