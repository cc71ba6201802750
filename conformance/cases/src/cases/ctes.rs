//! Common table expressions.

use isogloss_compiler::expr::*;
use isogloss_oracle::Oracle;
use isogloss_sqlserver::SqlServer;

use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    let big = || from("Order").filter(prop("Amount").gt(100)).select([prop("Id"), prop("CustomerId"), prop("Amount")]);
    let tree = |more: LogicExpr| {
        let step = cte("tree").join(
            TableJoinType::Inner,
            from("Category").aliased("c"),
            prop_of("c", "ParentId").eq(prop_of("tree", "Id")),
        );
        from("Category")
            .filter(prop("ParentId").is_null())
            .select([SelectItemExpr::from("Id"), "Name".into(), constant(1).alias("Level")])
            .union_all(step.filter(more).select([
                prop_of("c", "Id").into(),
                prop_of("c", "Name").into(),
                SelectItemExpr::from(prop_of("tree", "Level") + 1),
            ]))
            .with("tree")
    };
    let below = |kind: TableJoinType, rounds: fn(SqlSegment) -> SelectExpr| {
        let step =
            cte("tree").join(kind, from("Category").aliased("c"), prop_of("c", "ParentId").eq(prop_of("tree", "Id")));
        let first = from("Category").filter(prop("ParentId").is_null()).select([prop("Id")]);
        SqlSegment::from(first.union_all(rounds(step)).with("tree")).select([prop("Id")])
    };
    let refused = || [SqlServer::V2019.into(), Oracle::V19.into()];
    let round = |name, rounds| case(name, below(TableJoinType::Inner, rounds));
    let plain = |step: SqlSegment| step.select([prop_of("c", "Id")]);
    let first = || from("Category").filter(prop("ParentId").is_null()).select([prop("Id")]);
    let members = |all: SelectExpr| SqlSegment::from(all.with("tree")).select([prop("Id")]);
    let children = || {
        let on = prop_of("c", "ParentId").eq(prop_of("tree", "Id"));
        plain(cte("tree").join(TableJoinType::Inner, from("Category").aliased("c"), on))
    };
    let children_of = |parents: SqlSegment| {
        let on = prop_of("c", "ParentId").eq(prop_of("p", "Id"));
        from("Category").aliased("c").join(TableJoinType::Inner, parents.aliased("p"), on)
    };
    vec![
        round("a_round_with_a_window", |step| {
            step.select([ValueTypeExpr::from(func("RowNumber", [] as [ValueTypeExpr; 0]).over())])
        }),
        case(
            "a_round_that_reads_itself_in_a_subquery",
            members(
                first().union_all(
                    from("Category")
                        .filter(prop("ParentId").in_list(cte("tree").select([prop("Id")])))
                        .select([prop("Id")]),
                ),
            ),
        ),
        case(
            "a_round_that_reads_itself_in_a_derived_table",
            members(first().union_all(plain(children_of(SqlSegment::from(cte("tree").select([prop("Id")])))))),
        ),
        case(
            "a_round_that_may_be_missing_in_an_outer_join",
            below(TableJoinType::Right, |step| step.select([prop_of("c", "Id")])),
        ),
        case("a_round_under_except", members(first().except(children()))),
        case("two_rounds", members(first().union_all(children()).union_all(children()))),
        round("a_round_of_distinct_rows", |step| step.select([prop_of("c", "Id")]).distinct()),
        round("a_round_with_a_page", |step| step.take(5).select([prop_of("c", "Id")])),
        round("a_round_with_an_aggregate", |step| step.select([prop_of("c", "Id").max()])),
        round("a_round_with_an_aggregate_in_a_subquery", |step| {
            let most = ValueTypeExpr::from(SqlSegment::from(from("User").select([prop("Id").max()])));
            step.filter(prop_of("c", "Id").lt(most)).select([prop_of("c", "Id")])
        })
        .on(refused()),
        case("a_round_with_an_outer_join", below(TableJoinType::Left, |step| step.select([prop_of("c", "Id")])))
            .on(refused()),
        case("plain", SqlSegment::from(big().with("big")).filter(prop("Amount").lt(1000)).select([prop("Id")])),
        case(
            "with_the_name_of_a_table",
            from("Order")
                .filter(prop("Id").in_list(SqlSegment::from(big().with("Orders")).select([prop("Id")])))
                .select([prop("Id")]),
        ),
        case(
            "used_twice",
            SqlSegment::from(big().with("big"))
                .filter(
                    prop("Amount").gt(ValueTypeExpr::from(SqlSegment::from(cte("big").select([prop("Amount").avg()])))),
                )
                .select([prop("Id")]),
        ),
        case(
            "joined",
            from("Customer")
                .join(
                    TableJoinType::Inner,
                    SqlSegment::from(big().with("big")),
                    prop_of("big", "CustomerId").eq(prop_of("T0", "Id")),
                )
                .select([prop_of("T0", "Name").alias("Name"), prop_of("big", "Amount").alias("Amount")]),
        ),
        case(
            "in_a_subquery",
            from("Customer")
                .filter(prop("Id").in_list(SqlSegment::from(big().with("big")).select([prop("CustomerId")])))
                .select([prop("Name")]),
        ),
        case(
            "two",
            SqlSegment::from(big().with("big"))
                .join(
                    TableJoinType::Inner,
                    SqlSegment::from(
                        from("Customer")
                            .filter(prop("City").eq("Oslo"))
                            .select([prop("Id"), prop("Name")])
                            .with("oslo"),
                    ),
                    prop_of("oslo", "Id").eq(prop_of("big", "CustomerId")),
                )
                .select([prop_of("oslo", "Name").alias("Name"), prop_of("big", "Amount").alias("Amount")]),
        ),
        case(
            "one_over_another",
            SqlSegment::from(
                SqlSegment::from(big().with("big"))
                    .group_by([prop("CustomerId")])
                    .select([SelectItemExpr::from("CustomerId"), prop("Amount").sum().alias("Total")])
                    .with("totals"),
            )
            .filter(prop("Total").gt(1000))
            .select([prop("CustomerId")]),
        ),
        case(
            "recursive",
            SqlSegment::from(tree(LogicExpr::default())).order_by([prop("Level").asc(), prop("Name").asc()]).select([
                prop("Id"),
                prop("Name"),
                prop("Level"),
            ]),
        ),
        case(
            "recursive_with_a_path",
            SqlSegment::from(
                from("Category")
                    .filter(prop("ParentId").is_null())
                    .select([SelectItemExpr::from("Id"), "Name".into(), prop("Name").alias("Path")])
                    .union_all(
                        cte("tree")
                            .join(
                                TableJoinType::Inner,
                                from("Category").aliased("c"),
                                prop_of("c", "ParentId").eq(prop_of("tree", "Id")),
                            )
                            .select([
                                SelectItemExpr::from(prop_of("c", "Id")),
                                prop_of("c", "Name").into(),
                                ValueTypeExpr::from(concat(prop_of("tree", "Path"), "/"))
                                    .concat(prop_of("c", "Name"))
                                    .alias("Path"),
                            ]),
                    )
                    .with("tree"),
            )
            .select([prop("Id"), prop("Path")]),
        ),
        case(
            "recursive_with_what_becomes_null",
            SqlSegment::from(
                from("Customer")
                    .filter(prop("Id").eq(1))
                    .select([SelectItemExpr::from("Id"), prop("Name").alias("Path")])
                    .union_all(
                        cte("chain")
                            .join(
                                TableJoinType::Inner,
                                from("Customer").aliased("c"),
                                prop_of("c", "Id").eq(prop_of("chain", "Id") + 1),
                            )
                            .select([
                                SelectItemExpr::from(prop_of("c", "Id")),
                                ValueTypeExpr::from(concat(prop_of("chain", "Path"), prop_of("c", "City")))
                                    .alias("Path"),
                            ]),
                    )
                    .with("chain"),
            )
            .select([prop("Id"), prop("Path")]),
        ),
        case(
            "recursive_with_sums",
            SqlSegment::from(
                from("Product")
                    .filter(prop("Id").eq(1))
                    .select([
                        SelectItemExpr::from("Id"),
                        prop("Price").alias("Total"),
                        prop("CategoryId").alias("Count"),
                        null().alias("Before"),
                    ])
                    .union_all(
                        cte("line")
                            .join(
                                TableJoinType::Inner,
                                from("Product").aliased("p"),
                                prop_of("p", "Id").eq(prop_of("line", "Id") + 1),
                            )
                            .select([
                                SelectItemExpr::from(prop_of("p", "Id")),
                                (prop_of("line", "Total") * prop_of("p", "Price")).alias("Total"),
                                (prop_of("line", "Count") + 1).alias("Count"),
                                prop_of("line", "Id").alias("Before"),
                            ]),
                    )
                    .with("line"),
            )
            .select([prop("Id"), prop("Total"), prop("Count"), prop("Before")]),
        ),
        case("recursive_with_a_bound", SqlSegment::from(tree(prop_of("tree", "Level").lt(5))).select([prop("Name")])),
        case(
            "recursive_over_distinct_rows",
            SqlSegment::from(
                from("Category")
                    .filter(prop("Id").eq(7))
                    .select([prop("Id"), prop("ParentId")])
                    .union(
                        cte("up")
                            .join(
                                TableJoinType::Inner,
                                from("Category").aliased("c"),
                                prop_of("c", "Id").eq(prop_of("up", "ParentId")),
                            )
                            .select([prop_of("c", "Id"), prop_of("c", "ParentId")]),
                    )
                    .with("up"),
            )
            .select([prop("Id")]),
        ),
        case(
            "with_paging",
            SqlSegment::from(big().with("big")).order_by([prop("Amount").desc()]).section(10, 5).select([prop("Id")]),
        ),
        case(
            "with_an_inner_limit",
            SqlSegment::from(
                from("Order")
                    .order_by([prop("Amount").desc()])
                    .take(10)
                    .select([prop("Id"), prop("Amount")])
                    .with("top"),
            )
            .filter(prop("Amount").gt(5))
            .select([prop("Id")]),
        ),
        case(
            "in_an_order_and_paged",
            SqlSegment::from(
                from("OrderView")
                    .order_by([prop("CustomerName").asc(), prop("Id").desc()])
                    .select([prop("Id"), prop("Amount")])
                    .with("q"),
            )
            .filter(prop("Amount").gt(5))
            .section(10, 5)
            .select([prop("Id")]),
        ),
        case(
            "of_a_union",
            SqlSegment::from(
                from("Customer").select([prop("Name")]).union(from("User").select([prop("Name")])).with("names"),
            )
            .filter(prop("Name").starts_with("A"))
            .select([prop("Name")]),
        ),
        case(
            "in_two_subqueries_of_a_delete",
            table("Order").delete().filter(
                prop("Id").in_list(
                    SqlSegment::from(
                        from("OrderItem").filter(prop("Qty").eq(0)).select([prop("OrderId")]).with("none"),
                    )
                    .select([prop("OrderId")]),
                ) & prop("Qty").in_list(
                    SqlSegment::from(
                        from("OrderItem").filter(prop("Qty").eq(0)).select([prop("OrderId")]).with("none"),
                    )
                    .select([prop("OrderId")]),
                ),
            ),
        ),
        case(
            "in_a_delete_over_joined_columns",
            table("OrderView").delete().filter(
                prop("CustomerCity").eq("Oslo")
                    & prop("Id").in_list(
                        SqlSegment::from(
                            from("OrderItem").filter(prop("Qty").eq(0)).select([prop("OrderId")]).with("none"),
                        )
                        .select([prop("OrderId")]),
                    ),
            ),
        ),
        case(
            "in_an_update",
            table("Order").update([("Qty", 0)]).filter(
                prop("Id").in_list(
                    SqlSegment::from(
                        from("OrderItem").filter(prop("Qty").eq(0)).select([prop("OrderId")]).with("none"),
                    )
                    .select([prop("OrderId")]),
                ),
            ),
        ),
        case(
            "in_an_insert",
            table("Category").insert_query(
                ["Name"],
                SqlSegment::from(from("Customer").select([prop("Name")]).with("c")).select([prop("Name")]),
            ),
        ),
        case(
            "of_two_tables_over_the_root",
            SqlSegment::from(
                from("Customer").select([prop("Name")]).union(from("User").select([prop("Name")])).with("n"),
            )
            .select([prop("Name")]),
        )
        .root("Customer"),
        case("undefined", cte("nowhere").select([prop("Id")])),
    ]
}
