//! Queries in queries.

use isogloss_compiler::expr::*;

use super::{of_customers, orders};
use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    let scalar = |select: SelectExpr| ValueTypeExpr::from(SqlSegment::from(select));
    let mine = || from("Order").filter(prop("CustomerId").eq(prop_of("T0", "Id")));
    let least = || scalar(from("Order").select([prop("Amount").min()]));
    vec![
        case("a_scalar_in_the_list", of_customers(scalar(mine().select([count_all()])))),
        case("a_scalar_in_the_filter", orders(prop("Amount").gt(scalar(from("Order").select([prop("Amount").avg()]))))),
        case(
            "a_correlated_scalar_in_the_filter",
            orders(prop("Amount").gt(scalar(
                from("Order").filter(prop("CustomerId").eq(prop_of("T0", "CustomerId"))).select([prop("Amount").avg()]),
            ))),
        ),
        case(
            "in_of_a_page_that_looks_outside",
            orders(
                prop("ProductId").in_list(
                    from("Product")
                        .filter(prop("Price").lt(prop_of("T0", "Amount")))
                        .order_by([prop("Price").desc()])
                        .take(1)
                        .select([prop("Id")]),
                ),
            ),
        ),
        case(
            "groups_by_a_column_around_them",
            of_customers(scalar(mine().group_by([prop_of("T0", "Tier")]).select([count_all()]))),
        ),
        case(
            "groups_by_a_column_around_them_without_an_aggregate",
            of_customers(scalar(mine().group_by([prop_of("T0", "Tier")]).select([prop_of("T0", "Tier")]))),
        ),
        case(
            "a_group_by_a_column_around_it_that_exists",
            from("Customer").filter(exists_query(mine().group_by([prop_of("T0", "Tier")]))).select([prop("Id")]),
        ),
        case(
            "groups_by_a_column_around_them_too",
            of_customers(scalar(
                mine()
                    .group_by([prop_of("T0", "Tier"), prop("ProductId")])
                    .having(prop("ProductId").eq(1))
                    .select([prop("Amount").sum()]),
            )),
        ),
        case(
            "an_order_by_a_column_around_it",
            of_customers(scalar(
                mine().order_by([prop_of("T0", "Name").asc(), prop("Amount").desc()]).take(1).select([prop("Amount")]),
            )),
        ),
        case(
            "an_order_by_columns_of_two_queries",
            of_customers(scalar(
                mine().order_by([(prop("ProductId") + prop_of("T0", "Tier")).asc()]).take(1).select([prop("Amount")]),
            )),
        ),
        case(
            "a_derived_table_that_looks_outside",
            of_customers(scalar(
                SqlSegment::from(mine().order_by([prop("Amount").desc()]).take(3).select([prop("Amount")]))
                    .select([prop("Amount").sum()]),
            )),
        ),
        case(
            "exists_over_a_derived_table_that_looks_outside",
            from("Customer")
                .filter(exists_query(
                    SqlSegment::from(mine().take(3).select([prop("Amount")])).filter(prop("Amount").gt(5)),
                ))
                .select([prop("Id")]),
        ),
        case("a_scalar_of_several_rows", of_customers(scalar(mine().select([prop("OrderNo")])))),
        case(
            "a_scalar_of_several_rows_compared",
            orders(prop("Amount").gt(scalar(from("OrderItem").filter(prop("Price").gt(5)).select([prop("Price")])))),
        ),
        case("a_scalar_of_several_distinct_rows", of_customers(scalar(mine().select([prop("Qty") + 1]).distinct()))),
        case(
            "a_scalar_of_a_union",
            of_customers(scalar(mine().select([prop("Qty")]).union(from("User").select([prop("Age")])))),
        ),
        case("a_scalar_of_a_page_of_two", of_customers(scalar(mine().take(2).select([prop("OrderNo")])))),
        case(
            "a_scalar_by_a_key",
            from("Order").select([scalar(
                from("Customer").filter(prop("Id").eq(prop_of("T0", "CustomerId"))).select([prop("Name")]),
            )
            .alias("Customer")]),
        ),
        case(
            "a_scalar_by_a_composite_key",
            from("Order").select([scalar(
                from("OrderItem")
                    .filter(prop("OrderId").eq(prop_of("T0", "Id")) & prop("LineNo").eq(1))
                    .select([prop("Price")]),
            )
            .alias("Price")]),
        ),
        case(
            "a_scalar_by_half_of_a_key",
            from("Order").select([scalar(
                from("OrderItem").filter(prop("OrderId").eq(prop_of("T0", "Id"))).select([prop("Price")]),
            )
            .alias("Price")]),
        ),
        case(
            "a_scalar_by_a_unique_column",
            of_customers(scalar(from("Order").filter(prop("OrderNo").eq("N1")).select([prop("Id")]))),
        ),
        case(
            "a_scalar_of_a_view_by_its_key",
            of_customers(scalar(from("OrderView").filter(prop("Id").eq(1)).select([prop("ProductName")]))),
        ),
        case(
            "a_scalar_of_a_group_by_its_key",
            of_customers(scalar(mine().group_by([prop("CustomerId")]).select([prop("Amount").sum()]))),
        ),
        case(
            "a_scalar_of_groups",
            of_customers(scalar(mine().group_by([prop("Status")]).select([prop("Amount").sum()]))),
        ),
        case(
            "a_scalar_with_an_order_and_a_limit",
            of_customers(scalar(mine().order_by([prop("CreatedTime").desc()]).take(1).select([prop("OrderNo")]))),
        ),
        case(
            "a_scalar_in_the_order",
            from("Customer").order_by([scalar(mine().select([prop("Amount").max()])).desc()]).select([prop("Id")]),
        ),
        case(
            "a_derived_table",
            SqlSegment::from(FromExpr {
                source: from("Order")
                    .filter(prop("Qty").gt(5))
                    .select([prop("Id"), prop("Amount")])
                    .into_segment()
                    .aliased("big"),
                joins: vec![],
            })
            .filter(prop("Amount").gt(10))
            .select([prop("Id")]),
        ),
        case(
            "group_of_a_group",
            from("Order")
                .group_by([prop("CustomerId")])
                .select([SelectItemExpr::from("CustomerId"), count_all().alias("N")])
                .into_segment()
                .group_by([prop("N")])
                .select([SelectItemExpr::from("N"), count_all().alias("Customers")]),
        ),
        case(
            "a_filter_on_a_limit",
            from("Order")
                .order_by([prop("Amount").desc()])
                .take(100)
                .filter(prop("Paid").is_true())
                .select([prop("Id")]),
        ),
        case(
            "an_order_of_a_limit",
            from("Order").order_by([prop("Amount").desc()]).take(10).order_by([prop("Id").asc()]).select([prop("Id")]),
        ),
        case(
            "a_select_over_a_select",
            from("Order")
                .select([(prop("Qty") * 2).alias("Twice")])
                .into_segment()
                .filter(prop("Twice").gt(5))
                .select([prop("Twice")]),
        ),
        case(
            "two_levels_of_correlation",
            from("Customer")
                .filter(exists(
                    "Order",
                    prop("CustomerId").eq(prop_of("T0", "Id"))
                        & exists("OrderItem", prop("OrderId").eq(prop_of("T1", "Id")) & prop("Price").gt(5)),
                ))
                .select([prop("Id")]),
        ),
        case(
            "a_scalar_or_a_number",
            from("Order").select([func(
                "Coalesce",
                [scalar(from("User").select([prop("Age").max()])), ValueTypeExpr::from(0)],
            )
            .alias("Age")]),
        ),
        case(
            "compared_with_a_scalar_of_another_type",
            orders(prop("Id").eq(scalar(from("Customer").select([prop("Id").max()])))),
        ),
        case("a_scalar_in_a_query", orders(least().in_list(from("OrderItem").select([prop("Price")])))),
        case(
            "a_row_with_a_scalar_in_a_query",
            orders(
                row([ValueTypeExpr::from(prop("Id")), least()])
                    .in_list(from("OrderItem").select([prop("OrderId"), prop("Price")])),
            ),
        ),
        case(
            "a_text_that_a_query_computes",
            from("Category")
                .select([SelectItemExpr::from("Id"), func("TrimStart", [prop("Name")]).alias("Name")])
                .into_segment()
                .filter(prop("Name").eq(func("Replace", [ValueTypeExpr::from(prop("Name")), "a".into(), "".into()])))
                .select([prop("Id")]),
        ),
    ]
}
