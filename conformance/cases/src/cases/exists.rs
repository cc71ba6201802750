//! EXISTS: over an entity, along a relation of the catalog, over a query.

use isogloss_compiler::expr::*;

use super::orders;
use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(
            "foreign",
            from("Customer")
                .filter(exists("Order", prop("CustomerId").eq(prop_of("T0", "Id")) & prop("Amount").gt(100)))
                .select([prop("Id")]),
        ),
        case(
            "foreign_with_an_alias",
            from("Customer")
                .filter(exists("Order", prop_of("o", "CustomerId").eq(prop_of("T0", "Id"))).aliased("o"))
                .select([prop("Id")]),
        ),
        case("foreign_without_a_condition", from("Customer").filter(exists("Order", None)).select([prop("Id")])),
        case(
            "foreign_names_of_the_outer_row",
            from("Customer").filter(exists("Order", prop("OrderNo").eq(prop("City")))).select([prop("Id")]),
        ),
        case("related_forward", orders(exists_related("Customer", prop("City").eq("Oslo")))),
        case(
            "related_beside_a_fragment",
            orders(LogicExpr::from(exists_related("Customer", None)) & LogicExpr::from(sql("at_least", 100))),
        ),
        case("related_by_names_that_differ_by_case", {
            let of = |alias, city| LogicExpr::from(exists_related("Customer", prop("City").eq(city)).aliased(alias));
            orders(of("c", "Oslo") & of("C", "Rome"))
        }),
        case(
            "of_a_composite_key",
            from("OrderItem")
                .filter(exists(
                    "OrderItem",
                    prop("OrderId").eq(prop_of("T0", "RefOrderId"))
                        & prop("LineNo").eq(prop_of("T0", "RefLineNo"))
                        & prop("Qty").gt(1),
                ))
                .select([prop("OrderId")]),
        ),
        case(
            "of_the_children_of_a_row",
            from("Department")
                .filter(exists("Department", prop_of("d", "ParentId").eq(prop_of("T0", "Id"))).aliased("d"))
                .select([prop("Id")]),
        ),
        case("related_without_a_condition", orders(exists_related("Customer", None))),
        case(
            "related_reverse",
            from("Customer").filter(exists_related("Order", prop("Amount").gt(100))).select([prop("Id")]),
        ),
        case(
            "related_with_fixed_filter",
            from("UserView").filter(exists_related("Department", prop("Name").starts_with("R&D"))).select([prop("Id")]),
        ),
        case(
            "related_reverse_with_fixed_filter",
            from("Department").filter(exists_related("User", prop("Age").ge(18))).select([prop("Id")]),
        ),
        case(
            "related_to_itself",
            from("Category").filter(exists_related("Category", prop("Name").eq("Drinks"))).select([prop("Id")]),
        ),
        case(
            "related_composite_key",
            from("OrderItem").filter(exists_related("OrderItem", prop("Qty").gt(1))).select([prop("OrderId")]),
        ),
        case("related_over_a_view", orders(exists_related("UserView", prop("DeptName").eq("Sales")))),
        case(
            "related_nested",
            from("Department")
                .filter(exists_related("User", LogicExpr::from(exists_related("Order", prop("Paid").is_true()))))
                .select([prop("Id")]),
        ),
        case(
            "related_several_paths",
            from("OrderItem").filter(exists_related("Product", prop("Price").gt(5))).select([prop("OrderId")]),
        ),
        case(
            "not_related",
            from("Customer").filter(!exists_related("Order", prop("Paid").eq(false))).select([prop("Id")]),
        ),
        case("related_or_another", orders(exists_related("Customer", prop("City").eq("Oslo")) | prop("Qty").gt(5))),
        case("related_to_a_stranger", from("Customer").filter(exists_related("Category", None)).select([prop("Id")])),
        case("related_to_what_two_joins_reach", orders(exists_related("Department", prop("Name").eq("Sales")))),
        case(
            "over_a_query",
            from("Customer")
                .filter(exists_query(
                    from("Order")
                        .filter(prop("CustomerId").eq(prop_of("T0", "Id")))
                        .group_by([prop("CustomerId")])
                        .having(count_all().gt(3))
                        .select([prop("CustomerId")]),
                ))
                .select([prop("Id")]),
        ),
        case(
            "not_over_a_query",
            from("Customer")
                .filter(!exists_query(from("Order").filter(prop("CustomerId").eq(prop_of("T0", "Id")))))
                .select([prop("Id")]),
        ),
        case(
            "over_a_query_with_a_limit",
            from("Customer")
                .filter(exists_query(
                    from("OrderView")
                        .filter(prop("CustomerId").eq(prop_of("T0", "Id")))
                        .order_by([prop("ProductName").asc()])
                        .take(5)
                        .select([prop("Id"), prop("DepartmentName")]),
                ))
                .select([prop("Id")]),
        ),
        case(
            "over_distinct_rows_with_an_offset",
            from("Customer")
                .filter(exists_query(
                    from("Order")
                        .filter(prop("CustomerId").eq(prop_of("T0", "Id")))
                        .select([prop("Status")])
                        .distinct()
                        .into_segment()
                        .section(2, 1),
                ))
                .select([prop("Id")]),
        ),
        case(
            "over_a_query_with_paging",
            from("Customer")
                .filter(exists_query(
                    from("Order")
                        .filter(prop("CustomerId").eq(prop_of("T0", "Id")))
                        .order_by([prop("Id").asc()])
                        .section(2, 1),
                ))
                .select([prop("Id")]),
        ),
    ]
}
