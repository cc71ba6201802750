//! ORDER BY, and where NULLs go.

use isogloss_compiler::expr::*;

use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    let ids = |segment: SqlSegment| segment.select([prop("Id")]);
    let no_note = || ValueTypeExpr::from(func("Coalesce", [prop("Note").into(), ValueTypeExpr::from("-")]));
    let sums = || {
        from("Order")
            .group_by([prop("CustomerId")])
            .select([SelectItemExpr::from("CustomerId"), prop("Amount").sum().alias("S")])
            .into_segment()
    };
    let no_args = || Vec::<ValueTypeExpr>::new();
    let by = |key: OrderByItemExpr| from("Order").order_by([key]).select([prop("Id")]);
    // The dearer of two orders of a customer, under the alias of one of them.
    let pairs = |alias: &str| {
        from("Order")
            .aliased("o")
            .join(
                TableJoinType::Inner,
                from("Order").aliased("x"),
                prop_of("x", "CustomerId").eq(prop_of("o", "CustomerId")),
            )
            .select([prop_of("o", "Id").into(), prop_of("x", "Amount").alias("Amount")] as [SelectItemExpr; 2])
            .into_segment()
            .aliased(alias)
    };
    let paged = |table: SqlSegment, alias: &str| {
        table.take(1).select([prop_of(alias, "Id"), prop_of(alias, "Amount")]).into_segment()
    };
    vec![
        case("of_a_select_by_its_alias", paged(pairs("m").order_by([prop_of("m", "Amount").desc()]), "m")),
        case(
            "of_a_select_by_an_alias_that_is_a_table_in_it",
            paged(pairs("o").order_by([prop_of("o", "Amount").desc()]), "o"),
        ),
        case(
            "of_a_select_by_what_is_computed_of_its_columns",
            paged(pairs("o").order_by([(prop_of("o", "Amount") * prop_of("o", "Id")).asc()]), "o"),
        ),
        case(
            "of_a_select_by_a_subquery_over_its_alias",
            paged(
                pairs("o").order_by([ValueTypeExpr::from(
                    from("Order").filter(prop("Amount").lt(prop_of("o", "Amount"))).select([count_all()]),
                )
                .asc()]),
                "o",
            ),
        ),
        case("of_a_select_by_a_column_that_it_lacks", pairs("o").order_by([prop_of("o", "Qty").asc()])),
        case(
            "of_groups_by_the_alias_of_their_select",
            sums().aliased("s").order_by([prop_of("s", "S").desc()]).take(3),
        ),
        case(
            "of_groups_by_what_is_computed_of_their_columns",
            sums().aliased("s").order_by([(prop_of("s", "S") + prop_of("s", "CustomerId")).desc()]).take(3),
        ),
        case(
            "of_a_set_by_its_alias",
            from("Order")
                .select([prop("Id"), prop("Qty")])
                .union_all(from("Order").select([prop("Id"), prop("Qty")]))
                .into_segment()
                .aliased("a")
                .order_by([prop_of("a", "Qty").desc()])
                .take(3),
        ),
        case("ascending", by(prop("Amount").asc())),
        case("by_a_uuid", by(prop("Token").asc())),
        case("descending", by(prop("Amount").desc())),
        case(
            "several_keys",
            from("Order")
                .order_by([prop("Status").asc(), prop("CreatedTime").desc(), prop("Id").asc()])
                .select([prop("Id")]),
        ),
        case("by_an_expression", by((prop("Qty") * prop("Amount")).desc())),
        case(
            "by_a_function_with_a_parameter",
            by(func("Coalesce", [prop("Note").into(), ValueTypeExpr::from("")]).asc()),
        ),
        case(
            "by_an_alias",
            from("Order")
                .select([SelectItemExpr::from("Id"), (prop("Qty") * 2).alias("Twice")])
                .into_segment()
                .order_by([prop("Twice").desc()]),
        ),
        case(
            "nulls_last_of_an_alias",
            from("Order")
                .group_by([prop("CustomerId")])
                .select([SelectItemExpr::from("CustomerId"), prop("ShipDate").max().alias("Last")])
                .into_segment()
                .order_by([prop("Last").asc().nulls_last()]),
        ),
        case(
            "nulls_last_of_an_alias_that_hides_a_property",
            from("Order")
                .select([SelectItemExpr::from("Id"), (prop("SalesUserId") + prop("Qty")).alias("Note")])
                .into_segment()
                .order_by([prop("Note").asc().nulls_last()]),
        ),
        case(
            "by_an_alias_that_is_a_column_of_the_table",
            from("User")
                .select([SelectItemExpr::from("Id"), prop("Email").alias("Password")])
                .into_segment()
                .order_by([prop("Password").asc()]),
        ),
        case(
            "by_an_alias_with_nulls_last",
            from("User")
                .select([SelectItemExpr::from("Id"), func("Lower", [prop("Email")]).alias("Password")])
                .into_segment()
                .order_by([prop("Password").asc().nulls_last()]),
        ),
        case(
            "by_an_expression_of_an_alias",
            from("User")
                .select([SelectItemExpr::from("Id"), prop("Name").alias("Password")])
                .into_segment()
                .order_by([func("Lower", [prop("Password")]).asc(), func("Length", [prop("Email")]).desc()]),
        ),
        case(
            "by_an_expression_of_an_aggregate",
            from("Order")
                .group_by([prop("CustomerId")])
                .select([SelectItemExpr::from("CustomerId"), count_all().alias("N")])
                .into_segment()
                .order_by([(prop("N") % 2).asc(), prop("N").desc()]),
        ),
        case(
            "by_an_aggregate_of_an_aggregate",
            from("Order")
                .group_by([prop("CustomerId")])
                .select([SelectItemExpr::from("CustomerId"), count_all().alias("N")])
                .into_segment()
                .order_by([prop("N").max().asc()]),
        ),
        case(
            "by_an_alias_in_a_subquery",
            from("Order")
                .select([SelectItemExpr::from("Id"), prop("CustomerId").alias("Tier")])
                .into_segment()
                .order_by([ValueTypeExpr::from(SqlSegment::from(
                    from("Customer")
                        .filter(prop("Id").eq(prop_of("T0", "CustomerId")) & prop("Tier").gt(0))
                        .select([prop("Name").max()]),
                ))
                .asc()]),
        ),
        case("by_a_case", by(if_else(prop("Status").eq("Open"), 0, 1).asc())),
        case("by_a_constant", by(constant(1).asc())),
        case(
            "by_a_negative_constant",
            by(ValueTypeExpr::from(UnaryExpr { operator: UnaryOperator::Negative, operand: constant(1).into() }).asc()),
        ),
        case("by_a_computed_constant", by((value(1) + 1).asc())),
        case(
            "by_a_computed_key_twice",
            from("Order")
                .order_by([
                    (prop("SalesUserId") + 1).asc().nulls_last(),
                    (prop("SalesUserId") + 1).desc(),
                    prop("Id").asc(),
                ])
                .select([prop("Id")]),
        ),
        case("nulls_first_ascending", by(prop("ShipDate").asc().nulls_first())),
        case("nulls_last_ascending", by(prop("ShipDate").asc().nulls_last())),
        case("nulls_first_descending", by(prop("ShipDate").desc().nulls_first())),
        case("nulls_last_descending", by(prop("ShipDate").desc().nulls_last())),
        case("nulls_last_of_a_column_that_is_never_null", by(prop("Amount").asc().nulls_last())),
        case("nulls_last_of_an_expression", by((prop("SalesUserId") + 1).asc().nulls_last())),
        case(
            "nulls_last_of_a_joined_column",
            from("OrderView").order_by([prop("CustomerName").asc().nulls_last()]).select([prop("Id")]),
        ),
        case(
            "nulls_first_in_a_page",
            from("Order")
                .order_by([prop("ShipDate").desc().nulls_first(), prop("Id").asc()])
                .section(20, 10)
                .select([prop("Id")]),
        ),
        case(
            "twice_the_outer_counts_first",
            from("Order").order_by([prop("Id").asc()]).order_by([prop("Amount").desc()]).select([prop("Id")]),
        ),
        case(
            "in_a_derived_table",
            SqlSegment::from(FromExpr {
                source: from("Order")
                    .order_by([prop("Amount").desc()])
                    .select([prop("Id")])
                    .into_segment()
                    .aliased("o"),
                joins: vec![],
            })
            .select([prop("Id")]),
        ),
        case("filtered_afterwards", ids(from("Order").order_by([prop("Amount").desc()]).filter(prop("Id").gt(1)))),
        case(
            "by_a_window_and_filtered_afterwards",
            ids(from("Order")
                .order_by([func("Rank", no_args()).over().order_by([prop("Amount").asc()]).desc()])
                .filter(prop("Id").gt(1))),
        ),
        case(
            "of_groups_filtered_afterwards",
            from("Order")
                .group_by([prop("CustomerId")])
                .order_by([prop("Amount").sum().desc()])
                .having(count_all().gt(1))
                .select([prop("CustomerId")]),
        ),
        case(
            "of_groups_as_a_table",
            from("Order")
                .group_by([prop("CustomerId")])
                .order_by([prop("Amount").sum().desc(), prop("CustomerId").asc()])
                .filter(prop("CustomerId").gt(1)),
        ),
        case("of_groups_with_fewer_items", sums().order_by([prop("S").desc()]).select([prop("CustomerId")])),
        case(
            "by_what_is_not_selected_and_filtered_afterwards",
            ids(from("Order").order_by([prop("Amount").desc(), prop("Id").asc()]))
                .into_segment()
                .filter(prop("Id").gt(1)),
        ),
        case(
            "by_what_is_computed_and_selected_from_afterwards",
            from("Order")
                .order_by([no_note().asc(), (prop("Qty") * 2).desc()])
                .select([prop("Id"), prop("Qty")])
                .into_segment()
                .select([prop("Qty")]),
        ),
        case(
            "by_a_name_that_the_list_gives_away",
            from("Order")
                .order_by([prop("Amount").desc()])
                .select([SelectItemExpr::from("Id"), prop("Qty").alias("Amount"), prop("Note").alias("C2")])
                .into_segment()
                .filter(prop("Amount").gt(1))
                .take(3),
        ),
        case(
            "nulls_last_and_filtered_afterwards",
            ids(from("Order").order_by([prop("ShipDate").asc().nulls_last(), prop("Id").asc()]))
                .into_segment()
                .filter(prop("Id").gt(1)),
        ),
        case(
            "by_a_joined_column_and_filtered_afterwards",
            ids(from("OrderView").order_by([prop("CustomerName").asc(), prop("Id").asc()]))
                .into_segment()
                .filter(prop("Id").gt(1))
                .take(20),
        ),
        case(
            "of_a_page_by_what_is_not_selected",
            ids(from("Order").order_by([prop("Amount").desc()]).take(5))
                .into_segment()
                .filter(prop("Id").gt(1))
                .take(2),
        ),
        case(
            "of_a_page_by_default",
            from("Order").take(5).select([prop("Qty")]).into_segment().filter(prop("Qty").gt(1)),
        ),
        case(
            "over_an_order_of_a_select",
            from("Order")
                .order_by([prop("Amount").desc()])
                .select([prop("Id"), prop("Qty")])
                .into_segment()
                .filter(prop("Qty").gt(1))
                .order_by([prop("Qty").asc()]),
        ),
        case(
            "of_distinct_rows_over_an_order",
            from("Order")
                .order_by([prop("CustomerId").asc()])
                .select([prop("CustomerId"), prop("Qty")])
                .into_segment()
                .select([prop("CustomerId")])
                .distinct(),
        ),
        case(
            "of_distinct_rows_over_an_order_of_more",
            from("Order")
                .order_by([prop("Amount").asc()])
                .select([prop("CustomerId"), prop("Amount")])
                .into_segment()
                .select([prop("CustomerId")])
                .distinct(),
        ),
        case(
            "of_every_column_distinct_by_what_is_computed",
            from("Category").order_by([func("Length", [prop("Name")]).asc()]).select_all().distinct(),
        ),
        case(
            "of_distinct_rows_over_a_page",
            from("Order").order_by([prop("Amount").asc()]).take(5).select([prop("CustomerId")]).distinct(),
        ),
        case(
            "of_the_first_rows_filtered_afterwards",
            from("Order")
                .order_by([prop("CustomerId").asc(), prop("CreatedTime").desc()])
                .select([prop("Id")])
                .distinct_on([prop("CustomerId")])
                .into_segment()
                .filter(prop("Id").gt(1)),
        ),
        case(
            "of_a_set_filtered_afterwards",
            from("Customer")
                .select([prop("Id"), prop("Name")])
                .union(from("User").select([prop("Id"), prop("Name")]))
                .into_segment()
                .order_by([prop("Name").asc(), prop("Id").asc()])
                .filter(prop("Id").gt(1)),
        ),
        case(
            "locked_and_filtered_afterwards",
            from("Order").order_by([prop("Id").asc()]).lock(LockMode::Update, LockWait::Wait).filter(prop("Qty").gt(1)),
        ),
        case(
            "keyset_filtered_before",
            ids(from("Order").order_by([prop("Id").asc()]).filter(prop("Qty").gt(1)).after([5], 10)),
        ),
        case(
            "grouped_afterwards",
            from("Order").order_by([prop("Id").asc()]).group_by([prop("Status")]).select([prop("Status")]),
        ),
        case(
            "by_an_aggregate_grouped_afterwards",
            from("Order").order_by([count_all().asc()]).group_by([prop("Status")]).select([prop("Status")]),
        ),
        case(
            "of_groups_by_a_row_in_a_subquery",
            from("Customer").filter(
                prop("Id").in_list(
                    from("Order")
                        .group_by([prop("CustomerId")])
                        .order_by([prop("Amount").asc()])
                        .select([prop("CustomerId")]),
                ),
            ),
        ),
        case(
            "of_groups_by_a_row_counted",
            from("Order").group_by([prop("CustomerId")]).order_by([prop("Amount").asc()]).select([prop("CustomerId")]),
        )
        .verb(isogloss_compiler::Verb::Count),
        case("filtered_afterwards_counted", from("Order").order_by([prop("Id").asc()]).filter(prop("Id").gt(1)))
            .verb(isogloss_compiler::Verb::Count),
        case(
            "aggregated_afterwards",
            from("Order").order_by([prop("Id").asc()]).select([prop("Qty").sum().alias("S")]),
        ),
        case(
            "joined_afterwards",
            ids(from("Order").order_by([prop("Amount").asc()]))
                .into_segment()
                .aliased("o")
                .join(
                    TableJoinType::Inner,
                    from("OrderItem").aliased("i"),
                    prop_of("i", "OrderId").eq(prop_of("o", "Id")),
                )
                .select([prop_of("i", "LineNo")]),
        ),
        // The page below has an order that its caller did not give.
        case(
            "distinct_rows_of_a_page_that_is_filtered",
            from("Order")
                .take(10)
                .select([prop("CustomerId"), prop("Qty")])
                .into_segment()
                .filter(prop("Qty").gt(1))
                .select([prop("CustomerId")])
                .distinct(),
        ),
        case(
            "a_cursor_over_a_page",
            from("Order")
                .take(10)
                .select([prop("OrderNo")])
                .into_segment()
                .filter(prop("OrderNo").ne("x"))
                .order_by(["OrderNo"])
                .after(["a"], 3),
        ),
        case(
            "by_an_aggregate_that_is_forgotten",
            from("Order").order_by([prop("Qty").sum().asc()]).select([count_all().alias("N")]),
        ),
    ]
}
