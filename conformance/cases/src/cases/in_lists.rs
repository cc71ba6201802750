//! IN.

use isogloss_compiler::expr::*;

use super::{order_rows, orders};
use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    let customers = || from("Customer").filter(prop("City").eq("Oslo")).select([prop("Id")]);
    let pairs = || row([ValueTypeExpr::from(row([1, 2])), row([3, 4]).into()]);
    vec![
        case(
            "a_set_with_an_empty_text",
            orders(prop("Note").in_list(row([ValueTypeExpr::from("x"), "".into(), prop("OrderNo").into()]))),
        ),
        case("not_in_a_set_with_an_empty_text", orders(prop("Note").not_in_list(row(["x", ""])))),
        case(
            "not_in_rows_with_an_empty_text",
            orders(
                row([prop("OrderNo"), prop("Note")])
                    .not_in_list(row([ValueTypeExpr::from(row(["a", ""])), row(["b", "x"]).into()])),
            ),
        ),
        case("several", orders(prop("CustomerId").in_list([1, 2, 3]))),
        case("one", orders(prop("CustomerId").in_list([1]))),
        case("none", orders(prop("CustomerId").in_list([] as [i32; 0]))),
        case("not_in_several", orders(prop("CustomerId").not_in_list([1, 2, 3]))),
        case("not_in_none", orders(prop("CustomerId").not_in_list([] as [i32; 0]))),
        case("with_null", orders(prop("SalesUserId").in_list([Some(1), None]))),
        case("not_in_with_null", orders(prop("SalesUserId").not_in_list([Some(1), None]))),
        case("only_null", orders(prop("SalesUserId").in_list([None::<i32>]))),
        case("enum_names", orders(prop("Status").in_list(["Open", "Shipped"]))),
        case("dates_given_as_text", orders(prop("ShipDate").in_list(["2024-01-31", "2024-02-29"]))),
        case("computed_items", orders(prop("Id").in_list(row([prop("Qty") + 1, prop("Qty") * 2])))),
        case("a_long_list_is_one_parameter", orders(prop("CustomerId").in_list((1..=100).collect::<Vec<i32>>()))),
        case("a_long_not_in", orders(prop("CustomerId").not_in_list((1..=100).collect::<Vec<i32>>()))),
        case(
            "a_long_list_in_a_join",
            from("Order")
                .aliased("o")
                .join(
                    TableJoinType::Left,
                    from("Customer").aliased("c"),
                    prop_of("o", "CustomerId").in_list((1..=70).collect::<Vec<i32>>()),
                )
                .select([prop_of("c", "Name")]),
        ),
        case(
            "a_long_list_of_text",
            orders(prop("OrderNo").in_list((1..=80).map(|n| format!("N{n}")).collect::<Vec<_>>())),
        ),
        case(
            "a_long_list_of_text_in_not_in",
            orders(prop("OrderNo").not_in_list((1..=70).map(|n| format!("N{n}")).collect::<Vec<_>>())),
        ),
        case(
            "a_long_list_of_dates",
            orders(
                prop("ShipDate")
                    .in_list((1..=80).map(|n| format!("2024-{:02}-{:02}", n % 12 + 1, n % 28 + 1)).collect::<Vec<_>>()),
            ),
        ),
        case(
            "a_long_list_of_decimals",
            orders(prop("Amount").in_list((1..=80_i64).map(Decimal::from).collect::<Vec<_>>())),
        ),
        case(
            "values_built_one_by_one_with_an_empty_text",
            orders(prop("Note").not_in_list(row([ValueTypeExpr::from(""), "a".into()]))),
        ),
        case(
            "not_in_a_subquery_of_a_joined_column",
            orders(prop("Id").not_in_list(from("OrderItemView").select([prop("ReplacedQty")]))),
        ),
        case(
            "not_in_a_subquery_of_groups",
            orders(
                prop("CustomerId").not_in_list(
                    from("Customer").group_by([prop("Id")]).having(count_all().gt(1)).select([prop("Id")]),
                ),
            ),
        ),
        case(
            "a_long_list_of_texts_longer_than_the_column",
            orders(prop("OrderNo").in_list((1..=80).map(|n| format!("{n:040}")).collect::<Vec<_>>())),
        ),
        case(
            "a_long_list_of_finer_decimals",
            orders(
                prop("Amount").in_list(
                    (1..=80_i128)
                        .filter_map(|n| Decimal::new(n, 12).ok())
                        .chain([Decimal::from(5_i64)])
                        .collect::<Vec<_>>(),
                ),
            ),
        ),
        case("a_subquery", orders(prop("CustomerId").in_list(customers()))),
        case("not_in_a_subquery", orders(prop("CustomerId").not_in_list(customers()))),
        case(
            "not_in_a_subquery_of_a_nullable_column",
            orders(prop("Id").not_in_list(from("OrderItem").select([prop("RefOrderId")]))),
        ),
        case(
            "a_subquery_with_a_limit",
            orders(prop("CustomerId").in_list(customers().into_segment().order_by([prop("Id").asc()]).take(5))),
        ),
        case(
            "a_correlated_subquery",
            orders(prop("Id").in_list(
                from("OrderItem").filter(prop("ProductId").eq(prop_of("T0", "ProductId"))).select([prop("OrderId")]),
            )),
        ),
        case("rows", orders(row([prop("CustomerId"), prop("ProductId")]).in_list(pairs()))),
        case("not_in_rows", orders(row([prop("CustomerId"), prop("ProductId")]).not_in_list(pairs()))),
        case(
            "rows_in_a_subquery",
            orders(
                row([prop("Id"), prop("ProductId")])
                    .in_list(from("OrderItem").select([prop("OrderId"), prop("ProductId")])),
            ),
        ),
        case(
            "not_in_rows_of_a_subquery",
            orders(
                row([prop("Id"), prop("ProductId")])
                    .not_in_list(from("OrderItem").select([prop("OrderId"), prop("ProductId")])),
            ),
        ),
        case("not_of_in_a_subquery", orders(!prop("CustomerId").in_list(customers()))),
        case("not_of_in", orders(!prop("CustomerId").in_list([1, 2]))),
        case("in_its_own_table", orders(prop("Id").in_list(order_rows(prop("Qty").gt(5))))),
    ]
}
