//! Truth values where a predicate is due, and predicates where a value is due.

use isogloss_compiler::expr::*;

use super::{of_orders, orders};
use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    let big = || prop("Amount").gt(100);
    vec![
        case("a_column_is_not_true", orders(prop("Paid").ne(constant(true)))),
        case("a_column_as_predicate", orders(prop("Paid").is_true())),
        case("not_a_column", orders(!prop("Paid").is_true())),
        case("not_equal_a_constant", orders(prop("Paid").ne(constant(true)))),
        case("a_column_among_others", orders(prop("Paid").is_true() & prop("IsDeleted").eq(false))),
        case("a_parameter_as_predicate", orders(value(true).is_true() & prop("Qty").gt(1))),
        case("a_constant_as_predicate", orders(constant(true).is_true())),
        case("a_predicate_selected", of_orders(ValueTypeExpr::from(big()))),
        case("a_nullable_predicate_selected", of_orders(ValueTypeExpr::from(prop("SalesUserId").eq(5)))),
        case(
            "an_exists_selected",
            of_orders(ValueTypeExpr::from(LogicExpr::from(exists_related("Customer", prop("Active").is_true())))),
        ),
        case("and_selected", of_orders(ValueTypeExpr::from(big() & prop("Paid").is_true()))),
        case("a_predicate_compared", orders(ValueTypeExpr::from(big()).eq(prop("Paid")))),
        case("a_predicate_compared_with_false", orders(ValueTypeExpr::from(big()).eq(false))),
        case(
            "a_predicate_in_an_order",
            from("Order").order_by([ValueTypeExpr::from(big()).desc(), prop("Id").asc()]).select([prop("Id")]),
        ),
        case(
            "a_predicate_in_a_group",
            from("Order").group_by([ValueTypeExpr::from(big())]).select([count_all().alias("N")]),
        ),
        case("a_case_of_booleans_as_predicate", orders(if_else(big(), prop("Paid"), true).is_true())),
        case("a_function_that_is_a_predicate", orders(func("IsJson", [prop("Note")]).is_true())),
        case("a_function_that_is_a_predicate_selected", of_orders(func("IsJson", [prop("Note")]))),
        case("true_selected", of_orders(constant(true))),
        case("a_boolean_parameter_selected", of_orders(value(true))),
    ]
}
