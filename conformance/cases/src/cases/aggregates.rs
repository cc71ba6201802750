//! Aggregates: DISTINCT, FILTER and where they may stand.

use isogloss_compiler::expr::*;

use super::{of_customers, of_orders};
use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    let distinct = |f: &'static str, p: &'static str| aggregate(f, prop(p)).distinct();
    let lower = FunctionExpr { is_aggregate: true, ..func("Lower", [prop("Note")]) };
    vec![
        case(
            "a_function_of_one_row_marked_as_one",
            from("Order").order_by([prop("Id")]).select([lower.alias("v")]).into_segment().take(5),
        ),
        case("count_distinct", of_orders(distinct("Count", "CustomerId"))),
        case("sum_distinct", of_orders(distinct("Sum", "Amount"))),
        case("count_with_a_filter", of_orders(count_all().filter(prop("Paid").is_true()))),
        case("sum_with_a_filter", of_orders(prop("Amount").sum().filter(prop("Paid").is_true() & prop("Qty").gt(5)))),
        case("count_distinct_with_a_filter", of_orders(distinct("Count", "CustomerId").filter(prop("Qty").gt(5)))),
        case(
            "several",
            from("Order").select([
                count_all().alias("N"),
                prop("Amount").sum().alias("Total"),
                prop("Amount").avg().alias("Mean"),
                prop("CreatedTime").max().alias("Last"),
            ]),
        ),
        case("of_an_expression", of_orders((prop("Qty") * prop("Amount")).sum())),
        case("in_an_expression", of_orders(prop("Amount").sum() / count_all())),
        case("of_booleans", of_orders(prop("Paid").max())),
        case("of_a_case", of_orders(if_else(prop("Paid").is_true(), 1, 0).sum())),
        case(
            "in_a_scalar_subquery",
            of_customers(ValueTypeExpr::from(SqlSegment::from(
                from("Order").filter(prop("CustomerId").eq(prop_of("T0", "Id"))).select([prop("Amount").sum()]),
            ))),
        ),
        case(
            "of_an_exists",
            from("Order")
                .group_by([prop("CustomerId")])
                .having(
                    ValueTypeExpr::from(count_all().filter(exists_related("Customer", prop("City").eq("Oslo")))).gt(1),
                )
                .select([
                    SelectItemExpr::from("CustomerId"),
                    count_all().filter(exists_related("Customer", prop("City").eq("Oslo"))).alias("N"),
                ]),
        ),
        case(
            "of_a_subquery",
            from("Customer").select([ValueTypeExpr::from(SqlSegment::from(
                from("Order").filter(prop("CustomerId").eq(prop_of("T0", "Id"))).select([prop("Amount").max()]),
            ))
            .sum()
            .alias("Total")]),
        ),
        case(
            "of_columns_of_two_queries",
            from("Customer").select([ValueTypeExpr::from(SqlSegment::from(
                from("Order")
                    .filter(prop("CustomerId").eq(prop_of("T0", "Id")))
                    .select([(prop("Amount") - prop_of("T0", "CreditLimit")).max()]),
            ))
            .alias("Over")]),
        ),
        case(
            "of_rows_counted_by_a_column_of_another_query",
            from("Customer")
                .filter(
                    ValueTypeExpr::from(SqlSegment::from(
                        from("Order").select([count_all().filter(prop("CustomerId").eq(prop_of("T0", "Id")))]),
                    ))
                    .gt(1),
                )
                .select([prop("Id")]),
        ),
        case(
            "by_a_subquery",
            from("Customer")
                .group_by([ValueTypeExpr::from(SqlSegment::from(
                    from("Order").filter(prop("CustomerId").eq(prop_of("T0", "Id"))).select([count_all()]),
                ))])
                .select([count_all().alias("Customers")]),
        ),
        case(
            "max_of_one_is_an_aggregate",
            of_orders(FunctionExpr { is_aggregate: true, ..func("Max", [prop("Qty")]) }),
        ),
        case("json_in_an_order", of_orders(aggregate("JsonArrayAgg", prop("OrderNo")).order_by([prop("Id").asc()]))),
        case(
            "string_agg_with_a_filter",
            of_orders(
                FunctionExpr {
                    is_aggregate: true,
                    ..func("StringAgg", [ValueTypeExpr::from(prop("OrderNo")), ",".into()])
                }
                .filter(prop("Paid").is_true()),
            ),
        ),
    ]
}
