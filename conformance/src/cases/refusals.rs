//! What is wrong on every dialect, and what its error says.

use isogloss_compiler::expr::*;

use super::{of_orders, orders};
use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case("unknown_property", from("UserView").filter(prop("DeptNmae").eq("x"))),
        case("unknown_entity", from("Ordre")),
        case("unknown_function", of_orders(func("Uper", [prop("Note")]))),
        case("wrong_number_of_arguments", of_orders(func("Substring", [prop("Note")]))),
        case("a_value_that_does_not_fit", orders(prop("ShipDate").eq("yesterday"))),
        case("an_enum_name_that_is_none", orders(prop("Status").eq("Lost"))),
        case("another_root", from("Customer")).root("Order"),
        case("another_source_in_a_list", orders(prop("Id").in_list(from("FixedTenantOrder").select([prop("Id")])))),
        case("another_source_in_an_exists", orders(exists("FixedTenantOrder", prop("Id").eq(prop_of("T0", "Id"))))),
        case(
            "another_source_in_a_scalar",
            of_orders(ValueTypeExpr::from(SqlSegment::from(from("FixedTenantOrder").select([prop("Id").max()])))),
        ),
        case(
            "another_source_in_a_join",
            from("FixedTenantOrder")
                .aliased("t")
                .join(TableJoinType::Left, from("Order").aliased("o"), prop_of("o", "Id").eq(prop_of("t", "Id")))
                .select([prop_of("t", "Id")]),
        ),
        case(
            "another_source_in_a_set",
            from("Order").select([prop("Id")]).union_all(from("FixedTenantOrder").select([prop("Id")])),
        ),
        case(
            "another_source_in_a_cte",
            SqlSegment::from(from("FixedTenantOrder").select([prop("Id")]).with("t"))
                .filter(LogicExpr::from(exists("Order", prop("Qty").gt(1)))),
        ),
        case(
            "another_source_in_an_insert",
            table("FixedTenantOrder").insert_query(["Id", "Title"], from("Order").select([prop("Id"), prop("Note")])),
        ),
        case(
            "another_source_in_an_update",
            table("FixedTenantOrder")
                .update([("Title", "x")])
                .filter(LogicExpr::from(exists("Order", prop("Id").eq(prop_of("FixedTenantOrder", "Id"))))),
        ),
        case(
            "another_source_in_a_delete",
            table("Order").delete().filter(exists("FixedTenantOrder", prop("Title").eq("x"))),
        ),
        case("a_value_is_no_statement", prop("Qty")),
        case("a_select_item_is_no_statement", prop("Qty").alias("x")),
        case("an_order_is_no_statement", prop("Qty").asc()),
        case(
            "a_join_is_no_statement",
            Expr::TableJoin(Child::new(TableJoinExpr {
                source: from("Order"),
                on: None,
                join_type: TableJoinType::Inner,
                lateral: false,
            })),
        ),
        case(
            "a_column_beside_an_aggregate",
            from("Order").select([SelectItemExpr::from(prop("Status")), prop("Amount").max().alias("Most")]),
        ),
        case("a_column_that_is_no_group", from("Order").group_by([prop("Status")]).select([prop("Qty")])),
        case(
            "an_order_by_no_group",
            from("Order").group_by([prop("Status")]).order_by([prop("Qty").asc()]).select([prop("Status")]),
        ),
        case(
            "a_condition_on_no_group",
            from("Order").group_by([prop("Status")]).having(prop("Qty").gt(1)).select([prop("Status")]),
        ),
        case("a_text_beside_a_number", orders(prop("OrderNo").eq(prop("Qty")))),
        case("a_date_beside_a_number", orders(prop("ShipDate").gt(prop("Qty")))),
        case("an_in_of_another_type", orders(prop("OrderNo").in_list(from("Customer").select([prop("Id")])))),
        case(
            "rows_of_other_types",
            orders(ValueTypeExpr::from(row([prop("Qty"), prop("OrderNo")])).eq(row([prop("Id"), prop("Amount")]))),
        ),
        case("a_sum_of_texts", of_orders(prop("Note").sum())),
        case("a_month_of_a_number", of_orders(func("Month", [prop("Qty")]))),
        case("a_text_as_a_predicate", orders(prop("Note").is_true())),
        case("a_bitwise_not_of_a_truth", of_orders(!prop("Paid"))),
        case("a_case_of_two_types", of_orders(if_else(prop("Paid").is_true(), prop("Qty"), prop("Note")))),
        case("a_coalesce_of_two_types", of_orders(func("Coalesce", [prop("Note"), prop("Qty")]))),
        case("a_window_over_no_aggregate", of_orders(func("Lower", [prop("Note")]).over())),
        case("a_window_function_without_a_window", of_orders(func("RowNumber", [] as [ValueTypeExpr; 0]))),
        case("a_map_as_a_value", orders(prop("Note").eq(Value::Map(Box::default())))),
        case(
            "values_joined_by_blanks",
            of_orders(ValueTypeExpr::from(ValueSet { join: ValueJoinType::Blank, items: vec![prop("Note").into()] })),
        ),
        case("rows_of_other_widths", orders(row([prop("Id"), prop("Qty")]).eq(row([1, 2, 3])))),
        case("a_list_compared", orders(prop("Qty").eq(row([1, 2])))),
        case("an_aggregate_in_a_filter", orders(prop("Amount").sum().gt(5))),
        case("a_fragment_of_its_own_failing", from("Customer").filter(sql("at_least", 5))),
        case("a_filter_without_a_root", prop("Qty").eq(5)),
        case("an_alias_that_is_too_long", from("Order").select([prop("Id").alias(Name::new("a".repeat(129)))])),
        case(
            "an_argument_of_another_kind",
            of_orders(func("AddDays", [ValueTypeExpr::from(prop("CreatedTime")), "x".into()])),
        ),
        case(
            "more_rows_than_parameters",
            table("Customer").insert_rows(["Name", "City"], (0..33_000).map(|_| ("Ann", "Rome"))),
        ),
        case(
            "a_random_number_or_another",
            of_orders(func(
                "Coalesce",
                [ValueTypeExpr::from(func("Random", [] as [ValueTypeExpr; 0])), value(0.5).into()],
            )),
        ),
        case(
            "a_random_number_but_one",
            of_orders(func(
                "NullIf",
                [ValueTypeExpr::from(func("Random", [] as [ValueTypeExpr; 0])), value(0.5).into()],
            )),
        ),
        case(
            "distinct_outside_of_an_aggregate",
            orders(
                ValueTypeExpr::from(UnaryExpr { operator: UnaryOperator::Distinct, operand: prop("Qty").into() }).eq(1),
            ),
        ),
        case(
            "rows_in_a_set_operation",
            orders(
                ValueTypeExpr::from(row([prop("Id"), prop("Qty")])).in_list(
                    from("Customer")
                        .select([prop("Id"), prop("Tier")])
                        .union(from("Customer").select([prop("Id"), prop("Id")])),
                ),
            ),
        ),
        case(
            "rows_in_a_select_from_a_set_operation",
            orders(
                ValueTypeExpr::from(row([prop("Id"), prop("Qty")])).in_list(
                    SqlSegment::from(
                        from("Customer")
                            .select([prop("Id"), prop("Tier")])
                            .union(from("Customer").select([prop("Id"), prop("Id")])),
                    )
                    .select([prop("Id"), prop("Tier")]),
                ),
            ),
        ),
        case(
            "a_page_of_distinct_groups_that_exists",
            orders(exists_query(
                from("Customer")
                    .group_by([prop("City"), prop("Tier")])
                    .select([prop("City")])
                    .distinct()
                    .into_segment()
                    .section(1, 1),
            )),
        ),
        case(
            "a_set_operation_of_1002",
            (0..1_001).fold(from("Customer").select([prop("Id")]), |all, _| {
                all.union_all(from("Customer").select([prop("Id")]))
            }),
        ),
        case("a_row_of_65_values", orders(ValueTypeExpr::from(row(vec![prop("Qty"); 65])).eq(row(vec![1; 65])))),
    ]
}
