//! What is wrong on every dialect, and what its error says.

use isogloss_compiler::expr::*;
use isogloss_sqlserver::SqlServer;

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
        case("a_map_as_a_value", orders(prop("Note").eq(Value::Map([].into())))),
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
            "a_random_number_twice",
            of_orders(func("Doubled", [ValueTypeExpr::from(func("Random", [] as [ValueTypeExpr; 0]))])),
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
        case("a_select_of_nothing", SelectExpr::default().into_segment()),
        case("a_property_of_nothing", nowhere(prop("Qty").into())),
        case("an_aggregate_of_nothing", nowhere(aggregate("Sum", most_tier()).alias("Most"))),
        case(
            "an_alias_of_two_tables",
            from("Order")
                .aliased("o")
                .join(TableJoinType::Inner, from("Customer").aliased("O"), prop_of("o", "CustomerId").eq(1))
                .select([prop_of("o", "Id")]),
        ),
        case(
            "an_aggregate_of_the_query_around",
            from("Customer")
                .aliased("c")
                .select([ValueTypeExpr::from(SqlSegment::from(from("Order").select([prop_of("c", "Tier").max()])))
                    .alias("Most")]),
        ),
        case(
            "an_aggregate_of_an_outer_column_in_a_list",
            from("Customer").aliased("c").select([ValueTypeExpr::from(SqlSegment::from(
                from("Order").select([aggregate("BoolOr", ValueTypeExpr::from(!prop_of("c", "Tier").in_list([1, 2])))]),
            ))
            .alias("Any")]),
        ),
        case(
            "a_join_that_is_also_a_table_around",
            from("User").aliased("Customer").filter(LogicExpr::from(exists(
                "OrderView",
                prop("SalesUserId").eq(prop_of("Customer", "Id")) & prop("CustomerCity").eq("Oslo"),
            ))),
        ),
        case(
            "a_relation_of_a_derived_table",
            SqlSegment::from(from("Order").select([prop("CustomerId")]))
                .filter(LogicExpr::from(exists_related("Customer", prop("City").eq("Oslo")))),
        ),
        case(
            "a_cte_that_begins_with_itself",
            SqlSegment::from(
                cte("tree").select([prop("Id")]).union_all(from("Category").select([prop("Id")])).with("tree"),
            ),
        ),
        case("ctes_of_each_other", {
            let ids = || from("Category").select([prop("Id")]);
            let inner = ids().union_all(cte("outer").select([prop("Id")])).with("inner");
            SqlSegment::from(ids().union_all(SqlSegment::from(inner).select([prop("Id")])).with("outer"))
        }),
        case(
            "documents_compared",
            orders(prop("Note").cast(DbValueType::Xml).eq(prop("OrderNo").cast(DbValueType::Xml))),
        ),
        case("a_list_as_a_value", orders(prop("Qty").eq(Value::List(vec![1.into(), 2.into()].into())))),
        case("a_list_in_a_list", orders(prop("Qty").in_list([Value::List(vec![1.into()].into())]))),
        case("a_search_in_a_document", orders(prop("Data").contains("x"))),
        case("a_search_in_a_list", orders(prop("Tags").contains("x"))),
        case(
            "a_range_of_no_order",
            of_orders(prop("Qty").sum().over().frame(
                FrameUnit::Range,
                FrameBound::UnboundedPreceding,
                FrameBound::CurrentRow,
            )),
        ),
        case(
            "a_value_of_a_joined_table_in_an_update",
            table("OrderView").update([("Note", prop("CustomerName"))]).filter(prop("Id").eq(1)),
        ),
        case(
            "a_column_of_a_joined_table_that_comes_back",
            table("OrderView").delete().filter(prop("Id").eq(1)).returning([prop("CustomerName")]),
        ),
        case(
            "an_upsert_of_nothing",
            table("Region")
                .insert(["Id", "Name"], vec![1.into(), "North".into()])
                .conflict([] as [&str; 0], ConflictAction::Update(Vec::new())),
        ),
        case(
            "an_upsert_that_sets_its_key",
            table("Region")
                .insert(["Id", "Name"], vec![1.into(), "North".into()])
                .conflict([] as [&str; 0], ConflictAction::Update(vec![("Id".into(), value(2).into())])),
        ),
        case(
            "values_that_change_places",
            table("Order").update([("Qty", prop("TenantId")), ("TenantId", prop("Qty"))]).filter(prop("Id").eq(1)),
        ),
        case(
            "rows_not_in_rows_with_null",
            orders(
                ValueTypeExpr::from(row([prop("SalesUserId"), prop("TenantId")]))
                    .not_in_list(from("User").select([prop("Id"), prop("Age")])),
            ),
        ),
        case(
            "an_order_of_distinct_uuids",
            from("Order").order_by([prop("Token").asc()]).select([prop("Token")]).distinct(),
        ),
        case("a_group_by_a_fragment_with_a_value", {
            let key = || ValueTypeExpr::from(if_else(sql("at_least", 5), 1, 2));
            from("Order").group_by([key()]).select([key().alias("Key"), count_all().alias("N")])
        }),
        case("a_list_of_decimals_of_no_type", {
            let digits = ["99999999999999999999999999999999999999", "0.00000000000000000000000000000000000001"];
            let ends = digits.map(|digits| Value::Decimal(Box::new(digits.parse().unwrap_or_default())));
            orders(prop("Amount").in_list(ends.into_iter().chain((0..100).map(Value::Int)).collect::<Vec<_>>()))
        })
        .on([SqlServer::V2019.into()]),
        case("a_text_as_bytes", of_orders(prop("Note").cast(DbValueType::Binary))).on([SqlServer::V2017.into()]),
        case(
            "a_quote_in_a_format",
            of_orders(func("Format", [prop("CreatedTime").into(), ValueTypeExpr::from("yyyy'\"'")])),
        ),
        case(
            "rows_not_in_rows_that_may_hold_null",
            orders(
                ValueTypeExpr::from(row([prop("Id"), prop("Qty")]))
                    .not_in_list(from("OrderItem").select([prop("RefOrderId"), prop("RefLineNo")])),
            ),
        ),
        case(
            "not_of_rows_in_rows_that_may_hold_null",
            orders(
                !ValueTypeExpr::from(row([prop("Id"), prop("Qty")]))
                    .in_list(from("OrderItem").select([prop("RefOrderId"), prop("RefLineNo")])),
            ),
        ),
        case("rows_not_in_rows_without_null", {
            let known = |name: &'static str| func("Coalesce", [ValueTypeExpr::from(prop(name)), 0.into()]);
            orders(
                ValueTypeExpr::from(row([known("SalesUserId"), known("TenantId")]))
                    .not_in_list(from("OrderItem").select([known("RefOrderId"), known("RefLineNo")])),
            )
        }),
        case("a_window_over_documents", of_orders(prop("Qty").sum().over().partition_by([prop("Data")]))),
        case(
            "a_cursor_of_65_values",
            from("Order").order_by(vec![prop("Id").asc(); 65]).after(vec![1; 65], 5).select([prop("Id")]),
        ),
        case("rows_of_no_values", orders(row([] as [i32; 0]).eq(row([] as [i32; 0])))),
        case(
            "rows_in_a_query_without_a_select_list",
            orders(ValueTypeExpr::from(row([prop("Id"), prop("Qty")])).in_list(
                SqlSegment::from(from("Customer").select([prop("Id"), prop("Tier")])).filter(prop("Tier").gt(1)),
            )),
        ),
        case("a_value_that_does_not_fit_a_computed_one", orders((prop("Qty") + 1).eq("many"))),
    ]
}

/// A select without a source.
fn nowhere(item: SelectItemExpr) -> SqlSegment {
    SelectExpr { selects: vec![item], ..SelectExpr::default() }.into_segment()
}

/// A value of all customers.
fn most_tier() -> ValueTypeExpr {
    ValueTypeExpr::from(SqlSegment::from(from("Customer").select([prop("Tier").max()])))
}
