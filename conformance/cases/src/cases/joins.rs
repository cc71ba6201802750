//! Joins: those of a view, when something uses them, and those of the caller.

use isogloss_compiler::expr::*;

use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    use TableJoinType as J;
    let on = || prop_of("c", "Id").eq(prop_of("T0", "CustomerId"));
    let names = || [prop_of("T0", "OrderNo").alias("No"), prop_of("c", "Name").alias("Customer")];
    let joined = |kind| {
        from("Order")
            .join(kind, from("Customer").aliased("c"), on())
            .select([prop("OrderNo").alias("No"), prop_of("c", "Name").alias("Customer")])
    };
    let lines = || {
        from("OrderItem")
            .filter(prop("OrderId").eq(prop_of("T0", "Id")))
            .order_by([prop("Price").desc()])
            .take(3)
            .select([prop("LineNo"), prop("Price")])
            .into_segment()
            .aliased("top")
    };
    vec![
        case(
            "on_an_exists_with_a_subquery",
            from("Customer")
                .join(
                    J::Left,
                    from("Order").aliased("o"),
                    exists(
                        "OrderItem",
                        prop("OrderId").eq(prop_of("o", "Id"))
                            & prop("ProductId")
                                .in_list(from("Product").filter(prop("Price").gt(5)).select([prop("Id")]))
                            & prop("ProductId").in_list((0..100).collect::<Vec<i64>>()),
                    ),
                )
                .select([SelectItemExpr::from(prop("Name")), prop_of("o", "OrderNo").into()]),
        ),
        case(
            "on_an_exists",
            from("Customer")
                .join(J::Left, from("Order").aliased("o"), exists("OrderItem", prop("OrderId").eq(prop_of("o", "Id"))))
                .select([prop_of("T0", "Id").alias("Id"), prop_of("o", "OrderNo").alias("OrderNo")]),
        ),
        case(
            "on_an_in",
            from("Customer")
                .join(
                    J::Left,
                    from("Order").aliased("o"),
                    prop_of("o", "Id").in_list(from("OrderItem").filter(prop("Qty").gt(1)).select([prop("OrderId")])),
                )
                .select([prop_of("T0", "Id").alias("Id"), prop_of("o", "OrderNo").alias("OrderNo")]),
        ),
        case(
            "or_over_several_tables",
            from("OrderView")
                .filter(
                    (prop("CustomerCity").eq("Oslo") & prop("Qty").gt(5) & prop("Note").is_null())
                        | (prop("CustomerCity").in_list(["Rome", "Paris"]) & prop("Qty").lt(3)),
                )
                .select([prop("Id")]),
        ),
        // What the query beside it computes is computed once more where its column is copied, and may be an error there.
        case(
            "or_over_a_query",
            from("Order")
                .join(
                    J::Inner,
                    from("Customer")
                        .select([prop("Id").alias("Id"), func("Upper", [prop("City")]).alias("Place")])
                        .into_segment()
                        .aliased("c"),
                    on(),
                )
                .filter(
                    (prop("Qty").eq(1) & prop_of("c", "Place").eq("OSLO"))
                        | (prop("Qty").eq(2) & prop_of("c", "Place").eq("ROME")),
                )
                .select([prop("OrderNo")]),
        ),
        case("view_all_columns", from("OrderView")),
        case("view_without_foreign_columns", from("OrderView").select([prop("Id"), prop("Qty")])),
        case("view_used_in_the_list", from("OrderView").select([prop("Id"), prop("CustomerName")])),
        case("view_used_in_the_filter", from("OrderView").filter(prop("CustomerCity").eq("Oslo")).select([prop("Id")])),
        case("view_used_in_the_order", from("OrderView").order_by([prop("ProductName").asc()]).select([prop("Id")])),
        case(
            "view_two_columns_of_one_join",
            from("OrderView").filter(prop("CustomerCity").eq("Oslo")).select([prop("CustomerName")]),
        ),
        case("view_chained", from("OrderView").filter(prop("CategoryName").eq("Tea")).select([prop("Id")])),
        case("view_chained_with_a_fixed_filter", from("OrderView").select([prop("Id"), prop("DepartmentName")])),
        case(
            "view_inner_join_behind_another",
            from("OrderItemView").filter(prop("CustomerName").eq("Ada")).select([prop("OrderId"), prop("LineNo")]),
        ),
        case("view_composite_key", from("OrderItemView").select([prop("OrderId"), prop("ReplacedQty")])),
        case("view_count_leaves_joins_out", from("OrderView").filter(prop("Qty").gt(1)))
            .verb(isogloss_compiler::Verb::Count),
        case("joined_alias_of_a_view", from("OrderView").select([prop("Id"), prop_of("Customer", "Tier")])),
        case(
            "by_the_name_of_the_entity",
            from("Order")
                .join(J::Inner, from("Customer"), prop("CustomerId").eq(prop_of("Customer", "Id")))
                .filter(prop_of("Customer", "City").eq("Oslo"))
                .select([prop_of("Order", "Id")]),
        ),
        case(
            "with_the_alias_of_a_declared_join",
            from("OrderView")
                .join(J::Inner, from("Customer").aliased("Customer"), prop_of("Customer", "Id").eq(prop("CustomerId")))
                .select([
                    prop("Id").alias("Id"),
                    prop("CustomerName").alias("CustomerName"),
                    prop_of("Customer", "City").alias("Town"),
                ]),
        ),
        case(
            "two_of_an_entity_by_its_name",
            from("Order")
                .join(J::Inner, from("Customer"), prop("CustomerId").eq(1))
                .join(J::Inner, from("Customer"), prop("CustomerId").eq(2))
                .filter(prop_of("Customer", "City").eq("Oslo")),
        ),
        case(
            "a_view_by_a_column_from_another_table",
            from("Customer")
                .join(J::Left, from("OrderView").aliased("v"), prop_of("v", "ProductName").eq(prop_of("T0", "Name")))
                .select([prop_of("v", "Id")]),
        ),
        case(
            "a_view_by_its_own_column",
            from("Customer")
                .join(J::Left, from("OrderView").aliased("v"), prop_of("v", "CustomerId").eq(prop_of("T0", "Id")))
                .select([prop_of("v", "ProductName")]),
        ),
        case("inner", joined(J::Inner)),
        case("left", joined(J::Left)),
        case("right", joined(J::Right)),
        case("full", joined(J::Full)),
        case(
            "full_by_an_inequality",
            from("Order")
                .join(J::Full, from("Customer").aliased("c"), prop_of("c", "Id").lt(prop_of("T0", "CustomerId")))
                .select(names()),
        ),
        case(
            "full_by_an_equality_and_more",
            from("Order")
                .join(J::Full, from("Customer").aliased("c"), on() & prop_of("c", "Tier").gt(prop_of("T0", "Qty")))
                .select(names()),
        ),
        case(
            "full_with_a_filter",
            from("Order")
                .join(J::Full, from("Customer").aliased("c"), on())
                .filter(prop_of("c", "City").eq("Oslo"))
                .select(names()),
        ),
        case(
            "full_with_an_order",
            from("Order")
                .join(J::Full, from("Customer").aliased("c"), on())
                .order_by([prop_of("c", "Name").asc()])
                .select(names()),
        ),
        case(
            "full_in_groups",
            from("Order")
                .join(J::Full, from("Customer").aliased("c"), on())
                .filter(prop_of("c", "Tier").gt(1))
                .group_by([prop_of("c", "City")])
                .having(prop_of("T0", "Amount").sum().gt(100))
                .order_by([prop_of("c", "City").asc()])
                .take(5)
                .select([SelectItemExpr::from(prop_of("c", "City")), prop_of("T0", "Amount").sum().alias("Total")]),
        ),
        case(
            "cross",
            from("Order")
                .join(J::Cross, from("Category").aliased("c"), None)
                .select([prop_of("T0", "Id").alias("Id"), prop_of("c", "Id").alias("Category")]),
        ),
        case(
            "without_a_condition",
            from("Order").join(J::Inner, from("Customer").aliased("c"), None).select([prop_of("T0", "Id")]),
        ),
        case(
            "two",
            from("Order")
                .join(J::Inner, from("Customer").aliased("c"), on())
                .join(J::Left, from("Product").aliased("p"), prop_of("p", "Id").eq(prop_of("T0", "ProductId")))
                .select([prop_of("c", "Name").alias("Customer"), prop_of("p", "Name").alias("Product")]),
        ),
        case(
            "itself",
            from("Category")
                .join(J::Left, from("Category").aliased("up"), prop_of("up", "Id").eq(prop_of("T0", "ParentId")))
                .select([prop_of("T0", "Name").alias("Name"), prop_of("up", "Name").alias("Parent")]),
        ),
        case(
            "a_table_with_a_fixed_filter",
            from("User")
                .join(J::Left, from("Department").aliased("d"), prop_of("d", "Id").eq(prop_of("T0", "DeptId")))
                .select([prop_of("T0", "Id").alias("Id"), prop_of("d", "Name").alias("Dept")]),
        ),
        case(
            "a_derived_table",
            from("Customer")
                .join(
                    J::Left,
                    from("Order")
                        .group_by([prop("CustomerId")])
                        .select([SelectItemExpr::from("CustomerId"), prop("Amount").sum().alias("Total")])
                        .into_segment()
                        .aliased("s"),
                    prop_of("s", "CustomerId").eq(prop_of("T0", "Id")),
                )
                .select([SelectItemExpr::from(prop_of("T0", "Name")), prop_of("s", "Total").into()]),
        ),
        case(
            "a_view",
            from("Customer")
                .join(J::Inner, from("OrderView").aliased("o"), prop_of("o", "CustomerId").eq(prop_of("T0", "Id")))
                .select([prop_of("o", "ProductName").alias("Product")]),
        ),
        case(
            "lateral_cross",
            from("Order")
                .join_lateral(J::Cross, lines(), None)
                .select([prop_of("T0", "Id").alias("Id"), prop_of("top", "Price").alias("Price")]),
        ),
        case(
            "lateral_left",
            from("Order")
                .join_lateral(J::Left, lines(), LogicExpr::default())
                .select([prop_of("T0", "Id").alias("Id"), prop_of("top", "Price").alias("Price")]),
        ),
        case(
            "lateral_right",
            from("Order")
                .join_lateral(J::Right, lines(), prop_of("top", "Price").gt(5))
                .select([prop_of("T0", "Id").alias("Id"), prop_of("top", "Price").alias("Price")]),
        ),
        case(
            "lateral_with_a_condition",
            from("Order")
                .join_lateral(J::Left, lines(), prop_of("top", "Price").gt(5))
                .select([prop_of("T0", "Id").alias("Id"), prop_of("top", "Price").alias("Price")]),
        ),
        case(
            "right_without_its_key",
            from("Order")
                .join(J::Right, from("Customer").aliased("c"), on() & prop_of("c", "Active").is_true())
                .filter(prop_of("T0", "Id").is_null())
                .select([prop_of("c", "Name").alias("Customer")]),
        ),
    ]
}
