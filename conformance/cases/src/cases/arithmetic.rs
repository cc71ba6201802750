//! Arithmetic: whole numbers truncate toward zero, remainders take the dividend's sign, division by zero is NULL.

use isogloss_compiler::expr::*;

use super::{of_orders, of_products, orders};
use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    let bit_not =
        |operand: ValueTypeExpr| ValueTypeExpr::from(UnaryExpr { operator: UnaryOperator::BitwiseNot, operand });
    vec![
        case("add", of_orders(prop("Qty") + 1)),
        case("subtract", of_orders(prop("Qty") - 1)),
        case("multiply", of_orders(prop("Qty") * prop("Amount"))),
        case("parentheses_where_needed", of_orders((prop("Qty") + 1) * 2 - (prop("Id") - prop("TenantId")))),
        case("subtraction_on_the_right", of_orders(prop("Qty") - (prop("TenantId") - prop("CustomerId")))),
        case("minus", of_orders(-prop("Qty"))),
        case("minus_minus_is_no_comment", of_orders(-(-prop("Qty")))),
        case("minus_a_negative_constant", of_orders(prop("Qty") - constant(-1))),
        case(
            "minus_a_negative_decimal",
            of_orders(prop("Amount") - constant("-1.50".parse::<Decimal>().map_or(Value::Null, Value::from))),
        ),
        case("minus_a_negative_float", of_products(prop("Weight") - constant(-1.5))),
        case("minus_of_a_negative_integer", of_orders(-ValueTypeExpr::from(constant(-1)))),
        case(
            "minus_of_a_negative_decimal",
            of_orders(-ValueTypeExpr::from(constant("-1.50".parse::<Decimal>().map_or(Value::Null, Value::from)))),
        ),
        case("minus_of_a_negative_float", of_orders(-ValueTypeExpr::from(constant(-1.5)))),
        case("minus_of_a_sum", of_orders(-(prop("Qty") + 1))),
        case("divide_whole_numbers", of_orders(prop("Qty") / 2)),
        case("divide_by_a_column", of_orders(prop("Qty") / prop("TenantId"))),
        case("divide_by_zero", of_orders(prop("Qty") / 0)),
        case("divide_decimals", of_orders(prop("Amount") / prop("Qty"))),
        case("divide_a_decimal_by_a_constant", of_orders(prop("Amount") / 3)),
        case(
            "divide_a_constant_decimal",
            of_orders(ValueTypeExpr::from(constant(7)).cast(DbValueType::Decimal) / prop("Qty")),
        ),
        case(
            "round_a_constant_decimal",
            of_orders(func(
                "Round",
                [
                    func("Floor", [ValueTypeExpr::from(constant(7)).cast(DbValueType::Decimal)]).into(),
                    ValueTypeExpr::from(1),
                ],
            )),
        ),
        case("divide_floats", of_products(prop("Weight") / 3)),
        case("division_in_a_division", of_orders(prop("Qty") / (prop("TenantId") / 2))),
        case("modulo", of_orders(prop("Qty") % 3)),
        case("modulo_of_a_column", of_orders(prop("Qty") % prop("TenantId"))),
        case("modulo_of_decimals", of_orders(prop("Amount") % 7)),
        case("modulo_of_floats", of_products(prop("Weight") % 7)),
        case("modulo_of_decimals_from_floats", of_products(prop("Weight").cast(DbValueType::Decimal) % 7)),
        case("divide_a_quotient_of_decimals", of_orders(prop("Amount") / prop("Qty") / 3)),
        case("bitwise_not", of_orders(bit_not(prop("Qty").into()))),
        case("bitwise_not_in_a_product", of_orders(bit_not(prop("Qty").into()) * 2)),
        case("two_parameters", of_orders(ValueTypeExpr::from(1) + 2)),
        case("in_a_comparison", orders((prop("Qty") * 2).gt(prop("TenantId") + 1))),
        case(
            "a_column_computed_by_the_database",
            from("OrderItem").filter((prop("Total") / prop("Qty")).gt(5)).select([prop("OrderId")]),
        ),
    ]
}
