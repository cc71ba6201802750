//! How a tree becomes a statement: what is a root, and where parentheses stand.

use isogloss_compiler::expr::*;

use super::{order_rows, orders};
use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    let (a, b, c) = (|| prop("Qty").eq(1), || prop("Paid").eq(true), || prop("Amount").gt(10));
    vec![
        case("a_table", from("Order")),
        case("a_view", from("UserView")),
        case("a_bare_filter", prop("Name").eq("Ada")).root("Customer"),
        case("a_clause_without_source", SqlSegment::from(WhereExpr { source: None, filter: prop("Name").eq("Ada") }))
            .root("Customer"),
        case("names_ignore_case", from("oRdEr").filter(prop("aMOUNT").gt(1)).select([prop("ID")])),
        case("and", orders(a() & b() & c())),
        case("or_in_and", orders(a() & (b() | c()))),
        case("and_in_or", orders(a() & b() | c())),
        case("not_of_and", orders(!(a() & b()))),
        case("not_of_or", orders(!(a() | c()))),
        case("not_of_a_comparison", orders(!c())),
        case("not_of_not", orders(!!(a() & c()))),
        case("empty_and_is_true", orders(LogicExpr::And(AndExpr::default()))),
        case("empty_or_is_false", orders(LogicExpr::Or(OrExpr::default()))),
        case("absent_conditions_count_for_nothing", orders(LogicExpr::all([Some(a()), None, Some(c())]))),
        case("constant_folding", orders((a() | LogicExpr::default()) & c())),
        case("filters_add_up", from("Order").filter(a()).filter(b() | c()).select([prop("Id")])),
        case(
            "clauses_out_of_order_become_a_derived_table",
            from("Order").order_by([prop("Id").asc()]).take(10).filter(prop("Qty").gt(5)).select([prop("Id")]),
        ),
        case("a_select_of_a_select", SqlSegment::from(order_rows(a()).select([prop("Id")]))),
        case(
            "select_without_source",
            SelectExpr { selects: vec![value(1).alias("One")], ..SelectExpr::default() }.into_segment(),
        ),
        case("a_fragment", orders(sql("at_least", 100) & a())),
        case(
            "a_fragment_as_value",
            from("Order").select([SelectItemExpr {
                value: ValueTypeExpr::Sql(Child::new(sql("at_least", 100))),
                alias: Some("Enough".into()),
            }]),
        ),
        case(
            "a_function_of_the_program_with_too_few_arguments",
            from("Customer").filter(func("Similarity", [prop("Name")]).gt(0.8)).select([prop("Id")]),
        )
        .on([isogloss_postgres::Postgres::V15.into()]),
        case(
            "a_fragment_of_a_value",
            from("Order").filter(ValueTypeExpr::Sql(Child::new(sql("tenths", 1))).gt(100)).select([SelectItemExpr {
                value: ValueTypeExpr::Sql(Child::new(sql("tenths", 1))),
                alias: Some("Tenths".into()),
            }]),
        ),
        case("a_fragment_of_a_value_as_predicate", orders(LogicExpr::from(sql("settled", 1)) & a())),
        case(
            "a_function_of_the_program",
            from("Customer")
                .filter(func("Similarity", [prop("Name").into(), ValueTypeExpr::from("Ada")]).gt(0.8))
                .select([prop("Id")]),
        ),
    ]
}
