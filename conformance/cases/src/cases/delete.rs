//! DELETE.

use isogloss_compiler::expr::*;

use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case("by_key", table("Order").delete().filter(prop("Id").eq(7))),
        case("by_a_list", table("Order").delete().filter(prop("Id").in_list([1, 2, 3]))),
        case("by_a_long_list", table("Order").delete().filter(prop("Id").in_list((1..=70).collect::<Vec<i32>>()))),
        case(
            "by_composite_keys",
            table("OrderItem").delete().filter(
                row([prop("OrderId"), prop("LineNo")])
                    .in_list(row([ValueTypeExpr::from(row([1, 1])), row([1, 2]).into()])),
            ),
        ),
        case("all_rows", table("Order").delete().all_rows()),
        case("where_a_constant_is_itself", table("Order").delete().filter(value(1).eq(1))),
        // A branch may pass the subquery over until rows are gone.
        case(
            "a_branch_that_reads_the_table",
            table("Order").delete().filter(
                !(prop("Id").eq(5)
                    & prop("CustomerId")
                        .in_list(from("Order").filter(prop("Qty").gt(1)).select(["CustomerId"]).into_segment())),
            ),
        ),
        case("where_not_false", table("Order").delete().filter(!value(1).eq(2))),
        case("where_nothing_is_looked_at", table("Order").delete().filter(func("Length", ["x"]).gt(0))),
        case("where_a_constant_is_true_as_well", table("Order").delete().filter(prop("Id").eq(7) & value(1).eq(1))),
        case("where_a_constant_is_another", table("Order").delete().filter(value(1).eq(2))),
        case(
            "over_the_root_with_a_subquery_over_another_table",
            table("Order").delete().filter(
                prop("CustomerId").in_list(from("Customer").filter(prop("City").eq("Oslo")).select([prop("Id")])),
            ),
        )
        .root("Order"),
        case(
            "an_exists_of_its_own_table",
            table("Category")
                .delete()
                .filter(exists("Category", prop("Id").eq(prop_of("T0", "ParentId")) & prop("Name").eq("Drinks"))),
        ),
        case("a_related_filter", table("Order").delete().filter(exists_related("Customer", prop("Active").eq(false)))),
        case("a_filter_over_a_joined_column", table("OrderView").delete().filter(prop("CustomerCity").eq("Oslo"))),
        case(
            "a_filter_over_its_own_table",
            table("Category")
                .delete()
                .filter(prop("ParentId").in_list(from("Category").filter(prop("Name").eq("Tea")).select([prop("Id")]))),
        ),
        case(
            "an_exists_over_its_own_table",
            table("Category")
                .delete()
                .filter(!exists("Category", prop("ParentId").eq(prop_of("T0", "Id"))).aliased("child")),
        ),
        case(
            "an_exists_over_its_own_table_and_a_column",
            table("Category").delete().filter(
                prop("Name").eq("Tea") & !exists("Category", prop("ParentId").eq(prop_of("T0", "Id"))).aliased("child"),
            ),
        ),
        case("by_a_quotient", table("Order").delete().filter((prop("Qty") / prop("CustomerId")).gt(3))),
        case("returning", table("Order").delete().filter(prop("Id").eq(7)).returning([prop("Id"), prop("OrderNo")])),
        case(
            "where_a_query_of_nothing_has_rows",
            table("Order")
                .delete()
                .filter(exists_query(SelectExpr { selects: vec![value(1).alias("One")], ..SelectExpr::default() })),
        ),
        case("without_a_condition", table("Order").delete()),
        case("with_a_condition_that_is_never_true", table("Order").delete().filter(prop("Id").in_list([] as [i32; 0]))),
    ]
}
