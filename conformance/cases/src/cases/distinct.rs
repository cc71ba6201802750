//! DISTINCT and DISTINCT ON.

use isogloss_compiler::expr::*;

use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    let pairs = || from("Order").select([prop("CustomerId"), prop("Status")]).distinct();
    let unary = UnaryExpr { operator: UnaryOperator::Distinct, operand: prop("City").into() };
    vec![
        case("rows", pairs()),
        case(
            "rows_ordered",
            from("Order").order_by([prop("CustomerId").asc()]).select([prop("CustomerId")]).distinct(),
        ),
        case(
            "rows_ordered_by_what_is_not_selected",
            from("Order").order_by([prop("Amount").asc()]).select([prop("CustomerId")]).distinct(),
        ),
        case(
            "rows_ordered_by_a_computed_item",
            from("Order")
                .select([func("Coalesce", [prop("Note").into(), ValueTypeExpr::from("-")]).alias("Note")])
                .distinct()
                .into_segment()
                .order_by([prop("Note").asc()]),
        ),
        case(
            "rows_ordered_by_what_is_selected_as_well",
            from("Order")
                .order_by([func("Coalesce", [prop("Note").into(), ValueTypeExpr::from("-")]).asc()])
                .select([func("Coalesce", [prop("Note").into(), ValueTypeExpr::from("-")])])
                .distinct(),
        ),
        case("constants_paged", from("Order").select([constant(3).alias("Three")]).distinct().into_segment().take(5)),
        case("rows_paged", pairs().into_segment().take(5)),
        case("rows_counted", pairs()).verb(isogloss_compiler::Verb::Count),
        case("every_column", from("Category").select_all().distinct()),
        case("the_unary_operator", from("Customer").select([SelectItemExpr::from(unary)])),
        case(
            "on_a_key",
            from("Order")
                .order_by([prop("CustomerId").asc(), prop("CreatedTime").desc()])
                .select([prop("CustomerId"), prop("Id"), prop("Amount")])
                .distinct_on([prop("CustomerId")]),
        ),
        case(
            "on_two_keys",
            from("Order")
                .order_by([prop("CustomerId").asc(), prop("Status").asc(), prop("Id").asc()])
                .select([prop("CustomerId"), prop("Status"), prop("Id")])
                .distinct_on([prop("CustomerId"), prop("Status")]),
        ),
        case(
            "on_without_an_order",
            from("Order").select([prop("CustomerId"), prop("Id")]).distinct_on([prop("CustomerId")]),
        ),
        case(
            "on_a_key_with_a_parameter",
            from("Order")
                .order_by(
                    [ValueTypeExpr::from(func("Coalesce", [prop("Note").into(), ValueTypeExpr::from("-")])).asc()],
                )
                .select([prop("Id"), prop("Note")])
                .distinct_on([ValueTypeExpr::from(func("Coalesce", [prop("Note").into(), ValueTypeExpr::from("-")]))]),
        ),
        case(
            "on_a_key_with_nulls_first",
            from("Order")
                .order_by([prop("SalesUserId").desc().nulls_first(), prop("Amount").asc()])
                .select([prop("SalesUserId"), prop("Id")])
                .distinct_on([prop("SalesUserId")]),
        ),
        case(
            "on_one_key_of_two_in_the_order",
            from("Order")
                .order_by([prop("Status").asc(), prop("Amount").desc()])
                .select([prop("Id")])
                .distinct_on([prop("CustomerId"), prop("Status")]),
        ),
        case(
            "on_a_key_behind_another",
            from("Order")
                .order_by([prop("Amount").desc(), prop("CustomerId").asc()])
                .select([prop("Id")])
                .distinct_on([prop("CustomerId")]),
        ),
        case(
            "on_a_key_behind_another_counted",
            from("Order")
                .order_by([prop("Amount").desc(), prop("CustomerId").asc()])
                .select([prop("Id")])
                .distinct_on([prop("CustomerId")]),
        )
        .verb(isogloss_compiler::Verb::Count),
        case(
            "on_beside_names_that_are_taken",
            from("Order")
                .order_by([prop("CustomerId").asc(), prop("Amount").desc()])
                .select([prop("CustomerId").alias("rn"), prop("Status").alias("o1")])
                .distinct_on([prop("CustomerId")]),
        ),
        case(
            "rows_ordered_by_an_item_with_a_parameter",
            from("Order")
                .order_by([
                    ValueTypeExpr::from(func("Coalesce", [prop("Note").into(), ValueTypeExpr::from("-")])).desc()
                ])
                .select([ValueTypeExpr::from(func("Coalesce", [prop("Note").into(), ValueTypeExpr::from("-")]))
                    .alias("Note")])
                .distinct(),
        ),
        case(
            "on_a_key_counted",
            from("Order").select([prop("CustomerId"), prop("Id")]).distinct_on([prop("CustomerId")]),
        )
        .verb(isogloss_compiler::Verb::Count),
        case(
            "on_over_a_view",
            from("OrderView")
                .order_by([prop("CustomerCity").asc(), prop("Id").desc()])
                .select([prop("CustomerCity"), prop("Id")])
                .distinct_on([prop("CustomerCity")]),
        ),
        case(
            "on_with_a_limit",
            from("Order")
                .order_by([prop("CustomerId").asc(), prop("Id").desc()])
                .take(10)
                .select([prop("CustomerId"), prop("Id")])
                .distinct_on([prop("CustomerId")]),
        ),
    ]
}
