//! Paging, by offset and by key.

use isogloss_compiler::expr::*;

use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    let ids = |segment: SqlSegment| segment.select([prop("Id")]);
    let ordered = || from("Order").order_by([prop("CreatedTime").desc(), prop("Id").desc()]);
    let at = "2024-01-31T10:20:30";
    let by_status = || from("Order").order_by([prop("Status").asc()]);
    let own = || from("Order").aliased("o");
    let statuses = || from("Order").select([prop("Status")]);
    vec![
        case("of_rows_with_ties", ids(by_status().section(20, 10))),
        case("of_rows_with_ties_in_the_order_of_the_key", ids(from("Order").order_by([prop("Id").desc()]).take(10))),
        case("of_rows_with_ties_and_a_list", by_status().select([prop("Status")]).into_segment().take(10)),
        case(
            "of_rows_with_ties_by_a_composite_key",
            from("OrderItem").order_by([prop("LineNo").desc()]).take(10).select([prop("OrderId")]),
        ),
        case(
            "of_joined_rows_with_ties",
            own()
                .join(
                    TableJoinType::Left,
                    from("OrderItem").aliased("i"),
                    prop_of("i", "OrderId").eq(prop_of("o", "Id")),
                )
                .order_by([prop_of("o", "Status").asc()])
                .take(10)
                .select([prop_of("o", "Id"), prop_of("i", "LineNo")]),
        ),
        case(
            "of_rows_with_ties_joined_by_a_key",
            own()
                .join(
                    TableJoinType::Left,
                    from("User").aliased("u"),
                    prop_of("u", "Id").eq(prop_of("o", "SalesUserId")),
                )
                .order_by([prop_of("u", "Name").asc()])
                .take(10)
                .select([prop_of("o", "Id"), prop_of("u", "Name")]),
        ),
        case(
            "of_groups_with_ties",
            from("Order")
                .group_by([prop("CustomerId"), prop("Status")])
                .order_by([count_all().desc()])
                .take(10)
                .select(
                    [prop("CustomerId").into(), prop("Status").into(), count_all().alias("N")] as [SelectItemExpr; 3]
                ),
        ),
        case(
            "of_distinct_rows_with_ties",
            from("Order")
                .select([prop("Status"), prop("Qty")])
                .distinct()
                .into_segment()
                .order_by([prop("Qty").asc()])
                .take(10),
        ),
        case(
            "of_distinct_uuids_with_ties",
            from("Order")
                .select([prop("Token"), prop("Qty")])
                .distinct()
                .into_segment()
                .order_by([prop("Qty").asc()])
                .take(10),
        ),
        case("of_distinct_whole_rows", from("Category").select_all().distinct().into_segment().take(10)),
        case(
            "of_a_set_with_ties",
            from("Order")
                .select([prop("Status"), prop("Qty")])
                .union_all(from("Order").filter(prop("Paid").is_true()).select([prop("Status"), prop("Qty")]))
                .into_segment()
                .order_by([prop("Qty").desc()])
                .take(10),
        ),
        case("of_a_set_by_default", statuses().union(statuses()).into_segment().take(10)),
        case("of_a_page_with_ties", ids(by_status().take(100).order_by([prop("Qty").asc()]).take(10))),
        case(
            "of_a_filtered_page_with_ties_and_fewer_columns",
            by_status()
                .take(100)
                .select([prop("Status"), prop("Qty")])
                .into_segment()
                .filter(prop("Qty").gt(1))
                .order_by([prop("Qty").asc()])
                .take(10),
        ),
        case(
            "of_distinct_rows_of_a_page_with_ties",
            by_status()
                .take(100)
                .select([prop("Status"), prop("Qty")])
                .distinct()
                .into_segment()
                .filter(prop("Qty").gt(1))
                .take(10),
        ),
        case("aggregated", by_status().take(10).select([prop("Amount").sum().alias("S")])),
        case(
            "of_a_derived_table_with_ties",
            from("Order")
                .select([prop("Status"), prop("Qty")])
                .into_segment()
                .aliased("d")
                .filter(prop_of("d", "Qty").gt(1))
                .order_by([prop_of("d", "Qty").asc()])
                .take(10),
        ),
        case("of_a_view_with_ties", ids(from("OrderView").order_by([prop("CustomerName").asc()]).take(10))),
        case("keyset_of_an_order_with_ties", ids(by_status().after(["Open"], 10))),
        case("keyset_of_a_page_with_ties", ids(by_status().take(100).after(["Open"], 10))),
        case("with_ties_counted", by_status().take(10)).verb(isogloss_compiler::Verb::Count),
        case("with_ties_filtered_and_counted", by_status().take(10).filter(prop("Qty").gt(1)))
            .verb(isogloss_compiler::Verb::Count),
        case("with_ties_that_exists", by_status().section(10, 10)).verb(isogloss_compiler::Verb::Exists),
        case("first_page", ids(ordered().take(10))),
        case("later_page", ids(ordered().section(20, 10))),
        case("only_skip", ids(ordered().skip(20))),
        case("take_none", ids(ordered().take(0))),
        case("without_an_order_by_the_primary_key", ids(from("Order").section(20, 10))),
        case(
            "without_an_order_by_a_composite_key",
            from("OrderItem").take(5).select([prop("OrderId"), prop("LineNo")]),
        ),
        case("take_none_of_a_later_page", ids(ordered().section(20, 0))),
        case("of_a_page", ids(ordered().take(100).order_by([prop("Id").asc()]).take(10))),
        case("skip_then_take", ids(ordered().skip(3).take(5))),
        case("take_then_skip", ids(ordered().take(5).skip(3))),
        case("take_less_of_a_page", ids(ordered().section(20, 10).section(4, 100))),
        case("nothing_left_of_a_page", ids(ordered().take(5).skip(5))),
        case("a_filter_on_a_page_keeps_its_order", ids(ordered().take(5).filter(prop("Qty").gt(1)).take(2))),
        case("groups_of_a_page", ordered().take(5).group_by([prop("Status")]).select([prop("Status")])),
        case(
            "of_a_view",
            from("OrderView")
                .filter(prop("CustomerCity").eq("Oslo"))
                .order_by([prop("CustomerName").asc(), prop("Id").asc()])
                .section(20, 10)
                .select([prop("Id"), prop("CustomerName")]),
        ),
        case("huge_numbers", ids(ordered().section(u64::MAX, u64::MAX))),
        case("of_an_aggregate", from("Order").select([count_all().alias("N")]).into_segment().take(1)),
        case("keyset_of_one_key", ids(from("Order").order_by([prop("Id").asc()]).after([5], 10))),
        case("keyset_of_one_key_descending", ids(from("Order").order_by([prop("Id").desc()]).after([5], 10))),
        case("keyset_of_equal_directions", ids(ordered().after([Value::from(at), 5.into()], 10))),
        case(
            "keyset_of_mixed_directions",
            ids(from("Order")
                .order_by([prop("CreatedTime").desc(), prop("Id").asc()])
                .after([Value::from(at), 5.into()], 10)),
        ),
        case(
            "keyset_of_three_mixed_keys",
            ids(from("Order")
                .order_by([prop("Status").asc(), prop("CreatedTime").desc(), prop("Id").asc()])
                .after([Value::from("Open"), at.into(), 5.into()], 10)),
        ),
        case("keyset_by_default_order", ids(from("Order").after([5], 10))),
        case("keyset_counted", from("Order").filter(prop("Qty").gt(1)).order_by([prop("Id").asc()]).after([5], 10))
            .verb(isogloss_compiler::Verb::Count),
        case(
            "keyset_with_a_filter",
            ids(from("Order")
                .filter(prop("Paid").is_true() | prop("Qty").eq(1))
                .order_by([prop("Amount").desc(), prop("Id").asc()])
                .after([Value::from(10), 5.into()], 10)),
        ),
        case(
            "keyset_of_an_alias_that_is_a_column_of_the_table",
            from("User")
                .select([prop("Name").alias("Password"), prop("Id").alias("Id")])
                .into_segment()
                .order_by([prop("Password").asc()])
                .after(["m"], 10),
        ),
        case(
            "keyset_of_a_computed_item",
            from("Order")
                .select([SelectItemExpr::from("Id"), (prop("Qty") * 2).alias("Amount")])
                .into_segment()
                .order_by([prop("Amount").asc(), prop("Id").asc()])
                .after([4, 5], 10),
        ),
        case(
            "keyset_of_an_aggregate",
            from("Order").select([count_all().alias("N")]).into_segment().order_by([prop("N")]).after([4], 10),
        ),
        case(
            "keyset_of_a_window",
            from("Order")
                .select([SelectItemExpr::from("Id"), func("RowNumber", [] as [ValueTypeExpr; 0]).over().alias("N")])
                .into_segment()
                .order_by([prop("N")])
                .after([4], 10),
        ),
        case("keyset_of_a_constant", from("Order").order_by([constant(1).asc()]).after([4], 10)),
        case(
            "a_filter_on_a_page_by_a_computed_item",
            from("Order")
                .select([SelectItemExpr::from("Id"), (prop("Qty") * 2).alias("Twice")])
                .into_segment()
                .order_by([prop("Twice").desc(), prop("Id").asc()])
                .take(5)
                .filter(prop("Twice").gt(1))
                .take(2),
        ),
        case(
            "keyset_of_a_nullable_key",
            ids(from("Order")
                .order_by([prop("ShipDate").asc(), prop("Id").asc()])
                .after([Value::from("2024-01-31"), 5.into()], 10)),
        ),
        case(
            "keyset_behind_null",
            ids(from("Order").order_by([prop("ShipDate").asc(), prop("Id").asc()]).after([Value::Null, 5.into()], 10)),
        ),
        case(
            "keyset_with_nulls_first",
            ids(from("Order")
                .order_by([prop("ShipDate").desc().nulls_first(), prop("Id").desc()])
                .after([Value::from("2024-01-31"), 5.into()], 10)),
        ),
        case(
            "keyset_behind_null_that_is_first",
            ids(from("Order")
                .order_by([prop("ShipDate").desc().nulls_first(), prop("Id").asc()])
                .after([Value::Null, 5.into()], 10)),
        ),
        case(
            "keyset_with_nulls_last",
            ids(from("Order")
                .order_by([prop("ShipDate").asc().nulls_last(), prop("Id").asc()])
                .after([Value::from("2024-01-31"), 5.into()], 10)),
        ),
        case(
            "keyset_behind_null_that_is_last",
            ids(from("Order")
                .order_by([prop("ShipDate").asc().nulls_last(), prop("Id").desc()])
                .after([Value::Null, 5.into()], 10)),
        ),
        case(
            "keyset_of_a_nullable_key_alone",
            ids(from("Order").order_by([prop("ShipDate").asc().nulls_last()]).after([Value::Null], 10)),
        ),
        case(
            "keyset_of_a_nullable_key_without_its_primary_key",
            ids(from("Order")
                .order_by([prop("ShipDate").desc().nulls_first()])
                .take(100)
                .after([Value::from("2024-01-31")], 10)),
        ),
        case(
            "keyset_of_a_key_that_sorts_nulls_as_the_compiler_does",
            ids(from("Order")
                .order_by([
                    if_else(prop("ShipDate").is_null(), constant(0), constant(1)).asc(),
                    prop("ShipDate").asc(),
                    prop("Id").asc(),
                ])
                .after([Value::from(1), Value::from("2024-01-31"), 5.into()], 10)),
        ),
        case(
            "keyset_behind_null_of_a_key_that_is_never",
            ids(from("Order").order_by([prop("Id")]).after([Value::Null], 10)),
        ),
        case("keyset_of_another_length", ids(ordered().after([5], 10))),
    ]
}
