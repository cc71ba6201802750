//! Tables whose name has placeholders.

use isogloss_compiler::expr::*;

use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    let shard = |arg: &'static str| from_args("ShardedOrder", [arg]);
    let sharded = || TableExpr { table_args: ["2024".into()].into(), ..table("ShardedOrder") };
    vec![
        case("select", shard("2024").filter(prop("Amount").gt(5))),
        case("union_of_two", shard("2023").select([prop("Id")]).union_all(shard("2024").select([prop("Id")]))),
        case(
            "exists",
            from("Customer")
                .filter(exists("ShardedOrder", prop("CustomerId").eq(prop_of("T0", "Id"))).table_args(["2024"]))
                .select([prop("Id")]),
        ),
        case("related", shard("2024").filter(exists_related("Customer", prop("City").eq("Oslo"))).select([prop("Id")])),
        case(
            "insert",
            sharded()
                .insert(["Id", "OrderNo", "Amount", "CustomerId"], vec![1.into(), "N1".into(), 5.into(), 1.into()]),
        ),
        case("update", sharded().update([("Amount", 0)]).filter(prop("Id").eq(1))),
        case("delete", sharded().delete().filter(prop("Id").eq(1))),
        case(
            "joined",
            from("Customer")
                .join(
                    TableJoinType::Inner,
                    shard("2024").aliased("o"),
                    prop_of("o", "CustomerId").eq(prop_of("T0", "Id")),
                )
                .select([prop_of("o", "OrderNo").alias("No")]),
        ),
        case("an_argument_that_is_no_name", shard("2024\"; DROP TABLE x; --").select([prop("Id")])),
        case("no_argument", from("ShardedOrder").select([prop("Id")])),
        case("an_argument_of_a_plain_table", from_args("Order", ["2024"]).select([prop("Id")])),
        case(
            "an_argument_of_a_plain_table_that_is_joined",
            from("Customer")
                .join(
                    TableJoinType::Inner,
                    from_args("Order", ["2024"]).aliased("o"),
                    prop_of("o", "CustomerId").eq(prop_of("T0", "Id")),
                )
                .select([prop_of("o", "OrderNo").alias("No")]),
        ),
        case(
            "an_argument_of_a_plain_table_in_exists",
            from("Customer")
                .filter(exists("Order", prop("CustomerId").eq(prop_of("T0", "Id"))).table_args(["2024"]))
                .select([prop("Id")]),
        ),
        case(
            "an_argument_of_a_plain_table_that_is_written",
            TableExpr { table_args: ["2024".into()].into(), ..table("Order") }.delete().filter(prop("Id").eq(1)),
        ),
        case("an_argument_too_many", from_args("ShardedOrder", ["2024", "b"]).select([prop("Id")])),
    ]
}
