//! ORDER BY, and where NULLs go.

use isogloss_compiler::expr::*;

use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    let by = |key: OrderByItemExpr| from("Order").order_by([key]).select([prop("Id")]);
    vec![
        case("ascending", by(prop("Amount").asc())),
        case("by_a_uuid", by(prop("Token").asc())),
        case("descending", by(prop("Amount").desc())),
        case(
            "several_keys",
            from("Order")
                .order_by([prop("Status").asc(), prop("CreatedTime").desc(), prop("Id").asc()])
                .select([prop("Id")]),
        ),
        case("by_an_expression", by((prop("Qty") * prop("Amount")).desc())),
        case(
            "by_a_function_with_a_parameter",
            by(func("Coalesce", [prop("Note").into(), ValueTypeExpr::from("")]).asc()),
        ),
        case(
            "by_an_alias",
            from("Order")
                .select([SelectItemExpr::from("Id"), (prop("Qty") * 2).alias("Twice")])
                .into_segment()
                .order_by([prop("Twice").desc()]),
        ),
        case(
            "nulls_last_of_an_alias",
            from("Order")
                .group_by([prop("CustomerId")])
                .select([SelectItemExpr::from("CustomerId"), prop("ShipDate").max().alias("Last")])
                .into_segment()
                .order_by([prop("Last").asc().nulls_last()]),
        ),
        case(
            "nulls_last_of_an_alias_that_hides_a_property",
            from("Order")
                .select([SelectItemExpr::from("Id"), (prop("SalesUserId") + prop("Qty")).alias("Note")])
                .into_segment()
                .order_by([prop("Note").asc().nulls_last()]),
        ),
        case(
            "by_an_alias_that_is_a_column_of_the_table",
            from("User")
                .select([SelectItemExpr::from("Id"), prop("Email").alias("Password")])
                .into_segment()
                .order_by([prop("Password").asc()]),
        ),
        case(
            "by_an_alias_with_nulls_last",
            from("User")
                .select([SelectItemExpr::from("Id"), func("Lower", [prop("Email")]).alias("Password")])
                .into_segment()
                .order_by([prop("Password").asc().nulls_last()]),
        ),
        case(
            "by_an_expression_of_an_alias",
            from("User")
                .select([SelectItemExpr::from("Id"), prop("Name").alias("Password")])
                .into_segment()
                .order_by([func("Lower", [prop("Password")]).asc(), func("Length", [prop("Email")]).desc()]),
        ),
        case(
            "by_an_expression_of_an_aggregate",
            from("Order")
                .group_by([prop("CustomerId")])
                .select([SelectItemExpr::from("CustomerId"), count_all().alias("N")])
                .into_segment()
                .order_by([(prop("N") % 2).asc(), prop("N").desc()]),
        ),
        case(
            "by_an_aggregate_of_an_aggregate",
            from("Order")
                .group_by([prop("CustomerId")])
                .select([SelectItemExpr::from("CustomerId"), count_all().alias("N")])
                .into_segment()
                .order_by([prop("N").max().asc()]),
        ),
        case(
            "by_an_alias_in_a_subquery",
            from("Order")
                .select([SelectItemExpr::from("Id"), prop("CustomerId").alias("Tier")])
                .into_segment()
                .order_by([ValueTypeExpr::from(SqlSegment::from(
                    from("Customer")
                        .filter(prop("Id").eq(prop_of("T0", "CustomerId")) & prop("Tier").gt(0))
                        .select([prop("Name").max()]),
                ))
                .asc()]),
        ),
        case("by_a_case", by(if_else(prop("Status").eq("Open"), 0, 1).asc())),
        case("by_a_constant", by(constant(1).asc())),
        case(
            "by_a_negative_constant",
            by(ValueTypeExpr::from(UnaryExpr { operator: UnaryOperator::Negative, operand: constant(1).into() }).asc()),
        ),
        case("by_a_computed_constant", by((value(1) + 1).asc())),
        case(
            "by_a_computed_key_twice",
            from("Order")
                .order_by([
                    (prop("SalesUserId") + 1).asc().nulls_last(),
                    (prop("SalesUserId") + 1).desc(),
                    prop("Id").asc(),
                ])
                .select([prop("Id")]),
        ),
        case("nulls_first_ascending", by(prop("ShipDate").asc().nulls_first())),
        case("nulls_last_ascending", by(prop("ShipDate").asc().nulls_last())),
        case("nulls_first_descending", by(prop("ShipDate").desc().nulls_first())),
        case("nulls_last_descending", by(prop("ShipDate").desc().nulls_last())),
        case("nulls_last_of_a_column_that_is_never_null", by(prop("Amount").asc().nulls_last())),
        case("nulls_last_of_an_expression", by((prop("SalesUserId") + 1).asc().nulls_last())),
        case(
            "nulls_last_of_a_joined_column",
            from("OrderView").order_by([prop("CustomerName").asc().nulls_last()]).select([prop("Id")]),
        ),
        case(
            "nulls_first_in_a_page",
            from("Order")
                .order_by([prop("ShipDate").desc().nulls_first(), prop("Id").asc()])
                .section(20, 10)
                .select([prop("Id")]),
        ),
        case(
            "twice_the_outer_counts_first",
            from("Order").order_by([prop("Id").asc()]).order_by([prop("Amount").desc()]).select([prop("Id")]),
        ),
        case(
            "in_a_derived_table",
            SqlSegment::from(FromExpr {
                source: from("Order")
                    .order_by([prop("Amount").desc()])
                    .select([prop("Id")])
                    .into_segment()
                    .aliased("o"),
                joins: vec![],
            })
            .select([prop("Id")]),
        ),
    ]
}
