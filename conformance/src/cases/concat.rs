//! Concatenation: NULL if any part is.

use isogloss_compiler::expr::*;

use super::{of_customers, of_orders, orders};
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
        case("a_number", of_orders(prop("OrderNo").concat(prop("Qty")))),
        case("a_number_parameter", of_orders(prop("OrderNo").concat(5))),
        case("in_a_comparison", orders(prop("OrderNo").concat(prop("Note")).eq("ab"))),
        case("arithmetic_beside_it", of_orders((prop("Qty") + 1).concat(prop("OrderNo")))),
        case("two_texts", of_orders(value("a").concat("b"))),
    ]
}
