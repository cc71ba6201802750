//! GROUP BY and HAVING.

use isogloss_compiler::expr::*;

use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    let totals = || from("Order").group_by([prop("CustomerId")]);
    let list = || [SelectItemExpr::from("CustomerId"), prop("Amount").sum().alias("Total")];
    let note = || ValueTypeExpr::from(func("Coalesce", [prop("Note").into(), ValueTypeExpr::from("-")]));
    let notes = || from("Order").group_by([note()]);
    let customer = || {
        ValueTypeExpr::from(
            from("Customer").filter(prop("Id").eq(prop_of("T0", "CustomerId"))).select([prop("Name")]).into_segment(),
        )
    };
    let has_items = || {
        ValueTypeExpr::from(LogicExpr::from(exists(
            "OrderItem",
            prop("OrderId").eq(prop_of("T0", "Id")) & prop("Qty").gt(5),
        )))
    };
    let rest = || ValueTypeExpr::from(prop("Id")) % 3;
    vec![
        case("by_a_column", totals().select(list())),
        case(
            "by_a_subquery",
            from("Order")
                .group_by([customer()])
                .order_by([customer().asc()])
                .having(customer().gt("a"))
                .select([customer().alias("Name"), ValueTypeExpr::from(count_all()).alias("N")]),
        ),
        case(
            "by_a_subquery_inside_an_item",
            from("Order")
                .group_by([customer()])
                .select([ValueTypeExpr::from(func("Upper", [customer()])).alias("Name")]),
        ),
        case(
            "by_an_exists",
            from("Order")
                .group_by([has_items()])
                .select([has_items().alias("HasItems"), ValueTypeExpr::from(count_all()).alias("N")]),
        ),
        case(
            "a_subquery_reads_a_key",
            totals().select([
                SelectItemExpr::from("CustomerId"),
                ValueTypeExpr::from(
                    from("Customer")
                        .filter(prop("Id").eq(prop_of("T0", "CustomerId")))
                        .select([prop("Name")])
                        .into_segment(),
                )
                .alias("Name"),
            ]),
        ),
        case(
            "by_two_columns",
            from("Order").group_by([prop("CustomerId"), prop("Status")]).select([
                SelectItemExpr::from("CustomerId"),
                "Status".into(),
                count_all().alias("N"),
            ]),
        ),
        case(
            "by_an_expression",
            from("Order")
                .group_by([func("Year", [prop("CreatedTime")])])
                .select([func("Year", [prop("CreatedTime")]).alias("Year"), prop("Amount").sum().alias("Total")]),
        ),
        case(
            "by_a_joined_column",
            from("OrderView")
                .group_by([prop("CustomerCity")])
                .select([SelectItemExpr::from("CustomerCity"), count_all().alias("N")]),
        ),
        case(
            "by_an_expression_with_a_parameter",
            from("Order")
                .group_by([ValueTypeExpr::from(func("Coalesce", [prop("Note").into(), ValueTypeExpr::from("-")]))])
                .select([
                    SelectItemExpr::from(func("Coalesce", [prop("Note").into(), ValueTypeExpr::from("-")])),
                    count_all().alias("N"),
                ]),
        ),
        case(
            "by_a_case_with_a_parameter_in_an_order",
            from("Order")
                .group_by([ValueTypeExpr::from(if_else(prop("Amount").gt(100), "big", "small"))])
                .order_by([ValueTypeExpr::from(if_else(prop("Amount").gt(100), "big", "small")).desc()])
                .select([
                    ValueTypeExpr::from(if_else(prop("Amount").gt(100), "big", "small")).alias("Size"),
                    ValueTypeExpr::from(count_all()).alias("N"),
                ]),
        ),
        case("a_key_with_a_parameter_in_having", notes().having(note().gt("a")).select([note().alias("Note")])),
        case(
            "a_key_with_a_parameter_in_a_larger_item",
            notes().select([ValueTypeExpr::from(func("Upper", [note()])).alias("Note"), count_all().alias("N")]),
        ),
        case(
            "a_key_with_a_parameter_in_arithmetic",
            from("Order").group_by([rest()]).order_by([(rest() * 2).desc()]).select([
                rest().alias("Rest"),
                (rest() + 10).alias("More"),
                ValueTypeExpr::from(count_all()).alias("N"),
            ]),
        ),
        case(
            "a_key_with_a_parameter_in_a_window",
            from("Order")
                .group_by([ValueTypeExpr::from(prop("SalesUserId")) + 1])
                .order_by([(ValueTypeExpr::from(prop("SalesUserId")) + 1).asc().nulls_last()])
                .select([
                    (ValueTypeExpr::from(prop("SalesUserId")) + 1).alias("Next"),
                    ValueTypeExpr::from(
                        count_all().sum().over().order_by([(ValueTypeExpr::from(prop("SalesUserId")) + 1).asc()]),
                    )
                    .alias("Running"),
                ]),
        ),
        case(
            "two_keys_with_parameters",
            from("Order")
                .group_by([rest(), note()])
                .having(rest().gt(0) & note().ne("x"))
                .order_by([note().asc()])
                .select([note().alias("Note"), count_all().alias("N")])
                .into_segment()
                .take(5),
        ),
        case(
            "a_computed_key_in_having",
            from("Order")
                .group_by([ValueTypeExpr::from(prop("SalesUserId")) + prop("Qty")])
                .having((prop("SalesUserId") + prop("Qty")).gt(3))
                .select([(prop("SalesUserId") + prop("Qty")).alias("Key"), count_all().alias("N")]),
        ),
        case("a_key_with_a_parameter_counted", notes().having(note().gt("a")).select([note().alias("Note")]))
            .verb(isogloss_compiler::Verb::Count),
        case(
            "a_key_with_a_parameter_in_an_order_only",
            notes().order_by([note().desc()]).select([count_all().alias("N")]),
        ),
        case(
            "a_key_with_a_parameter_in_an_aggregate",
            notes().select([ValueTypeExpr::from(func("Length", [note()])).max().alias("Longest")]),
        ),
        case(
            "a_key_with_a_list_of_parameters",
            from("Order")
                .group_by([ValueTypeExpr::from(if_else(prop("Status").in_list(["Open", "Closed"]), 1, 0))])
                .having(ValueTypeExpr::from(if_else(prop("Status").in_list(["Open", "Closed"]), 1, 0)).eq(1))
                .select([count_all().alias("N")]),
        ),
        case(
            "a_concatenated_key_with_a_parameter",
            from("Order").group_by([ValueTypeExpr::from(prop("Status")).concat("/")]).select([ValueTypeExpr::from(
                prop("Status"),
            )
            .concat("/")
            .concat("x")
            .alias("Label")]),
        ),
        case(
            "a_column_of_a_key_with_a_parameter",
            notes().select([ValueTypeExpr::from(func("Upper", [prop("Note")])).alias("Note")]),
        ),
        case("having", totals().having(prop("Amount").sum().gt(1000)).select(list())),
        case("having_two", totals().having(count_all().gt(3) & prop("Amount").max().lt(50)).select(list())),
        case("having_over_a_constant", from("Order").having(count_all().gt(3)).select([constant("x").alias("Kind")])),
        case(
            "having_over_parameters_of_a_page",
            from("Order")
                .having(count_all().gt(3))
                .select([value("x").alias("Kind"), value(1).alias("One")])
                .into_segment()
                .take(1),
        ),
        case(
            "having_over_a_constant_in_exists",
            from("Customer")
                .filter(exists_query(from("Order").having(count_all().gt(3)).select([constant(1).alias("One")])))
                .select([prop("Id")]),
        ),
        case(
            "having_over_a_column",
            from("Order").having(count_all().gt(3)).select([constant("x").alias("Kind"), prop("Id").alias("Id")]),
        ),
        case("having_without_groups", from("Order").having(count_all().gt(3)).select([count_all().alias("N")])),
        case(
            "having_of_a_derived_table",
            from("Order").select([prop("Id"), prop("Qty")]).into_segment().having(prop("Qty").gt(3)),
        ),
        case("an_aggregate_in_the_order_of_rows", from("Order").order_by([prop("Qty").max().desc()]).take(5)),
        case("having_in_exists", from("Customer").filter(exists_query(from("Order").having(count_all().gt(3))))),
        case(
            "having_in_exists_of_an_aggregate",
            from("Customer").filter(exists_query(from("Order").having(count_all().gt(3)).select([count_all()]))),
        ),
        case(
            "where_and_having",
            from("Order")
                .filter(prop("Paid").is_true())
                .group_by([prop("CustomerId")])
                .having(count_all().ge(2))
                .select(list()),
        ),
        case("ordered_by_an_aggregate", totals().order_by([prop("Amount").sum().desc()]).select(list())),
        case("ordered_by_an_alias", totals().select(list()).into_segment().order_by([prop("Total").desc()])),
        case(
            "paged",
            totals()
                .select(list())
                .into_segment()
                .order_by([prop("Total").desc(), prop("CustomerId").asc()])
                .section(0, 10),
        ),
        case("paged_without_an_order", totals().take(10).select(list())),
        case("counted", totals().select(list())).verb(isogloss_compiler::Verb::Count),
    ]
}
