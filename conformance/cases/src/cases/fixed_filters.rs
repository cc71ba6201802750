//! What holds for every row of an entity stands in every statement over it.

use isogloss_compiler::Verb;
use isogloss_compiler::expr::*;

use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case("a_table", from("Department")),
        case("with_a_filter", from("Department").filter(prop("Name").eq("Sales") | prop("Name").eq("R&D"))),
        case("a_bare_filter", prop("Name").eq("Sales")).root("Department"),
        case("count", from("Department").filter(prop("Name").eq("Sales"))).verb(Verb::Count),
        case("exists", from("Department").filter(prop("Id").eq(1))).verb(Verb::Exists),
        case("a_joined_table", from("UserView").select([prop("Id"), prop("DeptName")])),
        case(
            "an_inner_join_of_the_caller",
            from("User")
                .join(
                    TableJoinType::Inner,
                    from("Department").aliased("d"),
                    prop_of("d", "Id").eq(prop_of("T0", "DeptId")),
                )
                .select([prop_of("d", "Name").alias("Dept")]),
        ),
        case(
            "a_right_join",
            from("User")
                .join(
                    TableJoinType::Right,
                    from("Department").aliased("d"),
                    prop_of("d", "Id").eq(prop_of("T0", "DeptId")),
                )
                .select([prop_of("d", "Name").alias("Dept")]),
        ),
        case(
            "the_left_side_of_a_right_join",
            from("Department")
                .join(TableJoinType::Right, from("User").aliased("u"), prop_of("u", "DeptId").eq(prop_of("T0", "Id")))
                .select([prop_of("u", "Name").alias("User"), prop_of("T0", "Name").alias("Dept")]),
        ),
        case(
            "a_full_join",
            from("User")
                .join(
                    TableJoinType::Full,
                    from("Department").aliased("d"),
                    prop_of("d", "Id").eq(prop_of("T0", "DeptId")),
                )
                .select([prop_of("T0", "Name").alias("User"), prop_of("d", "Name").alias("Dept")]),
        ),
        case(
            "an_exists",
            from("User").filter(exists("Department", prop("Id").eq(prop_of("T0", "DeptId")))).select([prop("Id")]),
        ),
        case(
            "a_subquery",
            from("User").filter(prop("DeptId").in_list(from("Department").select([prop("Id")]))).select([prop("Id")]),
        ),
        case(
            "a_member_of_a_union",
            from("Department").select([prop("Name")]).union(from("User").select([prop("Name")])),
        ),
        case(
            "a_common_table_expression",
            SqlSegment::from(from("Department").select([prop("Id"), prop("Name")]).with("d")).select([prop("Name")]),
        ),
        case("update", table("Department").update([("Name", "x")]).filter(prop("Id").eq(1))),
        case("update_all_rows", table("Department").update([("Name", "x")]).all_rows()),
        case("delete", table("Department").delete().filter(prop("Id").eq(1))),
        case("delete_all_rows", table("Department").delete().all_rows()),
        case("insert_sets_the_constant", table("Department").insert(["Name"], vec!["Sales".into()])),
        case(
            "insert_with_another_value",
            table("Department").insert(["Name", "State"], vec!["Sales".into(), 0.into()]),
        ),
        case("update_of_the_constant", table("Department").update([("State", 0)]).filter(prop("Id").eq(1))),
        case(
            "update_to_the_constant",
            table("Department")
                .update([("State", ValueTypeExpr::from("Enabled")), ("Name", "x".into())])
                .filter(prop("Id").eq(1)),
        ),
        case(
            "update_to_a_computed_value",
            table("Department").update([("State", prop("State") + 1)]).filter(prop("Id").eq(1)),
        ),
        case(
            "insert_with_the_constant",
            table("Department").insert(["Name", "State"], vec!["Sales".into(), "Enabled".into()]),
        ),
        case("insert_of_two_rows", table("Department").insert(["Name"], vec!["Sales".into(), "R&D".into()])),
        case(
            "insert_of_computed_values",
            InsertExpr {
                source: InsertSource::Exprs(vec![func("Upper", [ValueTypeExpr::from("sales")]).into()]),
                ..table("Department").insert(["Name"], vec![])
            },
        ),
        case(
            "insert_of_a_computed_constant",
            InsertExpr {
                source: InsertSource::Exprs(vec![func("Abs", [ValueTypeExpr::from(-1)]).into()]),
                ..table("Department").insert(["State"], vec![])
            },
        ),
        case("insert_of_a_query", table("Department").insert_query(["Name"], from("Category").select([prop("Name")]))),
        case(
            "insert_of_a_union",
            table("Department").insert_query(
                ["Name"],
                from("Category").select([prop("Name")]).union(from("User").select([prop("Name")])),
            ),
        ),
        case(
            "insert_of_a_query_with_the_constant",
            table("Department").insert_query(["Name", "State"], from("User").select([prop("Name"), prop("Age")])),
        ),
        case(
            "upsert",
            table("FixedTenantOrder")
                .insert(["Id", "Title"], vec![1.into(), "Sales".into()])
                .on_conflict_update([] as [&str; 0]),
        ),
        case(
            "upsert_do_nothing",
            table("FixedTenantOrder")
                .insert(["Id", "Title"], vec![1.into(), "Sales".into()])
                .on_conflict_do_nothing([] as [&str; 0]),
        ),
        case(
            "upsert_of_another_constant",
            table("FixedTenantOrder").insert(["Id", "Title"], vec![1.into(), "Sales".into()]).conflict(
                [] as [&str; 0],
                ConflictAction::Update(vec![("TenantKind".into(), ValueTypeExpr::from("Merchant"))]),
            ),
        ),
        case("another_table", from("FixedTenantOrder").filter(prop("Title").contains("a"))),
    ]
}
