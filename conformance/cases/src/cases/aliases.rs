//! Names: of tables, of columns, and what they mean where.

use isogloss_compiler::expr::*;

use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case("of_a_table", from("Order").aliased("o").filter(prop_of("o", "Qty").gt(5)).select([prop_of("o", "Id")])),
        case("of_an_item", from("Order").select([(prop("Qty") + 1).alias("Next Qty")])),
        case("an_item_without_a_name", from("Order").select([SelectItemExpr::from(prop("Qty") + 1)])),
        case("a_column_with_another_name", from("OrderItem").select([prop("LineNo"), prop("OrderId")])),
        case("a_property_that_is_named_otherwise", from("Order").select([prop("Qty").alias("Quantity")])),
        case(
            "an_alias_in_the_filter_of_its_own_select",
            from("Order").select([(prop("Qty") * 2).alias("Twice")]).into_segment().filter(prop("Twice").gt(1)),
        ),
        case(
            "an_alias_that_hides_a_property",
            from("Order")
                .select([SelectItemExpr::from("Id"), (prop("Qty") * 2).alias("Qty")])
                .into_segment()
                .order_by([prop("Qty").asc()]),
        ),
        case(
            "of_a_select_with_a_clause_over_it",
            from("Order").select([prop("Id"), prop("Qty")]).into_segment().aliased("d").filter(
                prop_of("d", "Qty").gt(1)
                    & LogicExpr::from(exists("OrderItem", prop("OrderId").eq(prop_of("d", "Id"))).aliased("d2")),
            ),
        ),
        case(
            "of_a_chain_with_a_clause_over_it",
            from("Order")
                .filter(prop("Qty").gt(1))
                .aliased("d")
                .filter(prop_of("d", "Id").gt(5))
                .select([prop_of("d", "Id")]),
        ),
        case("quotes_in_an_alias", from("Order").select([prop("Qty").alias(r#"a"b`c]d"#)])),
        case(
            "a_reserved_word",
            from("Order")
                .select([prop("Qty").alias("select")])
                .into_segment()
                .aliased("from")
                .filter(prop_of("from", "select").gt(1))
                .select([prop_of("from", "select")]),
        ),
        case(
            "ambiguous",
            from("Order")
                .join(
                    TableJoinType::Inner,
                    from("Customer").aliased("c"),
                    prop_of("c", "Id").eq(prop_of("T0", "CustomerId")),
                )
                .select([prop("Id")]),
        ),
        case(
            "twice_in_a_derived_table",
            SqlSegment::from(FromExpr {
                source: from("Order")
                    .aliased("o")
                    .join(
                        TableJoinType::Inner,
                        from("Customer").aliased("c"),
                        prop_of("c", "Id").eq(prop_of("o", "CustomerId")),
                    )
                    .select([prop_of("o", "Id"), prop_of("c", "Id")])
                    .into_segment()
                    .aliased("both"),
                joins: vec![],
            })
            .select([prop("Id")]),
        ),
        case(
            "twice_in_a_page",
            from("Order")
                .join(
                    TableJoinType::Inner,
                    from("Customer").aliased("c"),
                    prop_of("c", "Id").eq(prop_of("T0", "CustomerId")),
                )
                .take(5)
                .select([prop_of("T0", "Id"), prop_of("c", "Id")]),
        ),
        case(
            "twice_in_a_count",
            from("Order")
                .join(
                    TableJoinType::Inner,
                    from("Customer").aliased("c"),
                    prop_of("c", "Id").eq(prop_of("T0", "CustomerId")),
                )
                .select([prop_of("T0", "Id"), prop_of("c", "Id")])
                .distinct(),
        )
        .verb(isogloss_compiler::Verb::Count),
        case("unknown", from("Order").select([prop_of("x", "Id")])),
        case(
            "the_main_table_in_a_subquery",
            from("Order")
                .filter(exists(
                    "Order",
                    prop("CustomerId").eq(prop_of("T0", "CustomerId")) & prop("Id").ne(prop_of("T0", "Id")),
                ))
                .select([prop("Id")]),
        ),
        // An alias that the text has for another table in sight is written otherwise: it would capture its columns.
        case(
            "of_a_join_that_the_entity_declares",
            from("UserView").filter(exists("Customer", prop("DeptName").starts_with("a")).aliased("Department")),
        ),
        case(
            "of_the_main_table",
            from("Order").filter(exists_related("Customer", prop("Amount").eq(5)).aliased("T0")).select([prop("Id")]),
        ),
        case(
            "of_the_form_of_the_compiler",
            from("Order")
                .filter(
                    exists(
                        "Customer",
                        LogicExpr::from(exists("Product", prop_of("T1", "CreditLimit").eq(prop("Price")))),
                    )
                    .aliased("T1"),
                )
                .select([prop("Id")]),
        ),
        case(
            "of_a_table_that_is_written",
            table("Order").delete().filter(exists("Customer", prop("Amount").eq(5)).aliased("Orders")),
        ),
        case(
            "of_an_outer_table",
            from("Order")
                .aliased("o")
                .filter(exists("OrderItem", prop_of("o", "Price").gt(prop("Qty"))).aliased("o"))
                .select([prop("Id")]),
        ),
        case("the_name_of_the_entity", from("Order").filter(prop_of("Order", "Qty").gt(5)).select([prop("Id")])),
        case(
            "long",
            from("Order").select([prop("Qty")
                .alias("a_name_that_is_rather_long_but_that_every_engine_can_still_take_in_its_stride_even_so")]),
        ),
    ]
}
