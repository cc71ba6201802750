//! What holds for a request stands at every table of its statements.

use isogloss_compiler::expr::*;
use isogloss_compiler::{Scope, Verb};

use crate::{Case, case};

/// A tenant: orders, tickets and memos have one.
fn tenant() -> Scope {
    Scope::new().column("TenantId", 7).named("tenant")
}

/// Several tenants, as a set.
fn tenants() -> Scope {
    Scope::new().column_in("TenantId", [7, 9]).named("tenants")
}

/// Adults: a condition on one entity, and on what is over its table.
fn adults() -> Scope {
    Scope::new().filter_of("User", prop("Age").ge(18))
}

/// Customers with an order of the tenant: the filter of one entity reads another, which has its own.
fn customers() -> Scope {
    tenant().filter_of("Customer", exists_related("Order", prop("Paid").is_true())).named("customers").for_reads()
}

fn ticket(columns: &[&str], values: Vec<Value>) -> InsertExpr {
    table("Ticket").insert(columns.iter().copied(), values)
}

pub(super) fn cases() -> Vec<Case> {
    [reads(), nested(), set_writes(), inserts(), upserts(), marks(), switches(), refused()]
        .into_iter()
        .flatten()
        .collect()
}

fn reads() -> Vec<Case> {
    let orders = || from("Order").select([prop("Id")]);
    let joined = |kind| {
        from("Customer")
            .join(kind, from("Order").aliased("o"), prop_of("o", "CustomerId").eq(prop_of("T0", "Id")))
            .select([prop_of("T0", "Name"), prop_of("o", "OrderNo")])
    };
    let view = || from("OrderView").select([prop("Id"), prop("SalesUserName")]);
    vec![
        case("a_table", orders()).scope(tenant()),
        case("a_set_of_values", orders()).scope(tenants()),
        case("an_empty_set", orders()).scope(Scope::new().column_in("TenantId", [] as [i32; 0])),
        case("null", orders()).scope(Scope::new().column("TenantId", Value::Null)),
        case("null_in_a_condition", orders())
            .scope(Scope::new().filter_of("Order", prop("TenantId").eq(Value::Null) | prop("Qty").gt(1))),
        case("a_table_without_the_column", from("Category").select([prop("Id")])).scope(tenant()),
        case(
            "an_or_of_the_caller",
            from("Order").filter(prop("Qty").gt(5) | prop("Paid").is_true()).select([prop("Id")]),
        )
        .scope(tenant()),
        case("an_or_of_the_scope", orders())
            .scope(Scope::new().filter_of("Order", prop("TenantId").eq(7) | prop("CreatedByUserId").eq(3))),
        case("a_bare_filter", prop("Qty").gt(5)).root("Order").scope(tenant()),
        case("count", orders()).verb(Verb::Count).scope(tenant()),
        case("exists_verb", orders()).verb(Verb::Exists).scope(tenant()),
        case("two_scopes", orders()).scope(tenant().and(&tenants())),
        case("a_view_joins_a_table", view()).scope(adults()),
        case("a_view_and_what_it_joins", view()).scope(adults().and(&tenant())),
        case("a_left_join", joined(TableJoinType::Left)).scope(tenant()),
        case("an_inner_join", joined(TableJoinType::Inner)).scope(tenant()),
        case("a_right_join", joined(TableJoinType::Right)).scope(tenant()),
        case("a_full_join", joined(TableJoinType::Full)).scope(tenant()),
        case(
            "the_left_side_of_a_right_join",
            from("Order")
                .join(
                    TableJoinType::Right,
                    from("Customer").aliased("c"),
                    prop_of("T0", "CustomerId").eq(prop_of("c", "Id")),
                )
                .select([prop_of("c", "Name"), prop_of("T0", "OrderNo")]),
        )
        .scope(tenant()),
        case(
            "a_cross_join",
            from("Category").join(TableJoinType::Cross, from("Order").aliased("o"), None).select([prop_of("o", "Id")]),
        )
        .scope(tenant()),
        case(
            "a_self_join",
            from("Order")
                .join(TableJoinType::Left, from("Order").aliased("o"), prop_of("o", "Qty").eq(prop_of("T0", "Qty")))
                .select([prop_of("T0", "Id")]),
        )
        .scope(tenant()),
        case("a_filter_that_reads_another_table", from("Customer").select([prop("Id")])).scope(customers()),
        case("a_joined_filter_that_reads_another_table", from("OrderView").select([prop("Id"), prop("CustomerName")]))
            .scope(customers()),
        case(
            "an_order_by_a_joined_column",
            from("OrderView").order_by([prop("SalesUserName").asc()]).select([prop("Id")]),
        )
        .scope(adults()),
    ]
}

fn nested() -> Vec<Case> {
    let mine = || from("Order").select([prop("CustomerId")]);
    vec![
        case("an_exists", from("Customer").filter(exists_related("Order", prop("Qty").gt(5))).select([prop("Id")]))
            .scope(tenant()),
        case("a_not_exists", from("Customer").filter(!exists_related("Order", None)).select([prop("Id")]))
            .scope(tenant()),
        case("an_in", from("Customer").filter(prop("Id").in_list(mine())).select([prop("Id")])).scope(tenant()),
        case(
            "a_scalar_subquery",
            from("Customer").select([
                prop("Id").into(),
                ValueTypeExpr::from(SqlSegment::from(from("Order").select([aggregate("Max", prop("Qty"))])))
                    .alias("Most"),
            ]),
        )
        .scope(tenant()),
        case("a_derived_table", SqlSegment::from(mine()).filter(prop("CustomerId").gt(1)).select([prop("CustomerId")]))
            .scope(tenant()),
        case("a_common_table_expression", SqlSegment::from(mine().with("mine")).select([prop("CustomerId")]))
            .scope(tenant()),
        case("members_of_a_union", mine().union(from("Order").select([prop("SalesUserId")]))).scope(tenant()),
        case(
            "a_group",
            from("Order").group_by([prop("CustomerId")]).select([prop("CustomerId").into(), count_all().alias("Many")]),
        )
        .scope(tenant()),
    ]
}

fn set_writes() -> Vec<Case> {
    let change = || table("Order").update([("Qty", 5)]);
    vec![
        case("update", change().filter(prop("Id").eq(1))).scope(tenant()),
        case("update_all_rows", change().all_rows()).scope(tenant()),
        case("update_without_a_condition", change()).scope(tenant()),
        case("update_by_an_exists", change().filter(exists_related("Customer", prop("City").eq("Oslo"))))
            .scope(customers()),
        case(
            "update_by_a_joined_column",
            table("OrderView").update([("Qty", 5)]).filter(prop("CustomerCity").eq("Oslo")),
        )
        .scope(tenant()),
        case(
            "update_by_its_own_table",
            change().filter(prop("Qty").lt(from("Order").select([aggregate("Avg", prop("Qty"))]))),
        )
        .scope(tenant()),
        case("update_to_the_same_value", table("Order").update([("TenantId", 7), ("Qty", 5)]).filter(prop("Id").eq(1)))
            .scope(tenant()),
        case("update_out_of_the_scope", table("Order").update([("TenantId", 8)]).filter(prop("Id").eq(1)))
            .scope(tenant()),
        case("update_by_an_expression", table("Order").update([("TenantId", prop("Qty"))]).filter(prop("Id").eq(1)))
            .scope(tenant()),
        case("update_within_a_set", table("Order").update([("TenantId", 9)]).filter(prop("Id").eq(1))).scope(tenants()),
        case("update_of_a_related_key", table("Customer").update([("Id", 9)]).filter(prop("Id").eq(1)))
            .scope(Scope::new().filter_of("Customer", exists_related("Order", None))),
        case("delete", table("Order").delete().filter(prop("Id").eq(1))).scope(tenant()),
        case("delete_all_rows", table("Order").delete().all_rows()).scope(tenant()),
        case("delete_by_a_joined_column", table("OrderView").delete().filter(prop("CustomerCity").eq("Oslo")))
            .scope(tenant()),
    ]
}

fn inserts() -> Vec<Case> {
    let order = |columns: &[&str], values: Vec<Value>| table("Memo").insert(columns.iter().copied(), values);
    let users = || from("User").select([prop("Name")]);
    vec![
        case("insert_fills_the_value_in", order(&["Text"], vec!["a".into()])).scope(tenant()),
        case("insert_of_two_rows", order(&["Text"], vec!["a".into(), "b".into()])).scope(tenant()),
        case("insert_with_the_value", order(&["Text", "TenantId"], vec!["a".into(), 7.into()])).scope(tenant()),
        case(
            "insert_with_another_value",
            order(&["Text", "TenantId"], vec!["a".into(), 7.into(), "b".into(), 8.into()]),
        )
        .scope(tenant()),
        case(
            "insert_of_an_expression",
            InsertExpr {
                source: InsertSource::Exprs(vec![func("Abs", [ValueTypeExpr::from(-7)]).into()]),
                ..order(&["TenantId"], vec![])
            },
        )
        .scope(tenant()),
        case("insert_within_a_set", order(&["Text", "TenantId"], vec!["a".into(), 9.into()])).scope(tenants()),
        case("insert_without_one_of_a_set", order(&["Text"], vec!["a".into()])).scope(tenants()),
        case("insert_of_a_query", table("Memo").insert_query(["Text"], users())).scope(tenant().and(&adults())),
        case("insert_of_a_union", table("Memo").insert_query(["Text"], users().union(users()))).scope(tenant()),
        case(
            "insert_of_a_query_with_the_column",
            table("Memo").insert_query(["Text", "TenantId"], from("User").select([prop("Name"), prop("Age")])),
        )
        .scope(tenant()),
        case("insert_that_no_values_decide", table("Customer").insert(["Name"], vec!["Ann".into()]))
            .scope(Scope::new().filter_of("Customer", exists_related("Order", None))),
        case("insert_past_a_filter_for_reads", table("Customer").insert(["Name"], vec!["Ann".into()]))
            .scope(customers()),
        case("insert_into_an_empty_set", order(&["Text"], vec!["a".into()]))
            .scope(Scope::new().column_in("TenantId", [] as [i32; 0])),
    ]
}

fn upserts() -> Vec<Case> {
    let ticket = |columns: &[&str], values| ticket(columns, values).on_conflict_update([] as [&str; 0]);
    vec![
        case("upsert", ticket(&["Id", "Title"], vec![1.into(), "a".into()])).scope(tenant()),
        case("upsert_within_a_set", ticket(&["Id", "Title", "TenantId"], vec![1.into(), "a".into(), 9.into()]))
            .scope(tenants()),
        case("upsert_of_another_value", ticket(&["Id", "TenantId"], vec![1.into(), 8.into()])).scope(tenant()),
        case(
            "upsert_do_nothing",
            self::ticket(&["Id", "Title"], vec![1.into(), "a".into()]).on_conflict_do_nothing([] as [&str; 0]),
        )
        .scope(tenant()),
        case(
            "upsert_that_moves_the_row",
            self::ticket(&["Id", "Title"], vec![1.into(), "a".into()])
                .conflict([] as [&str; 0], ConflictAction::Update(vec![("TenantId".into(), 8.into())])),
        )
        .scope(tenant()),
    ]
}

fn marks() -> Vec<Case> {
    let memos = || from("Memo").select([prop("Id")]);
    let tickets = || from("Ticket").select([prop("Id")]);
    let remove = || table("Memo").delete().filter(prop("Id").eq(1));
    vec![
        case("marked_rows_are_hidden", memos()),
        case("rows_marked_by_a_time_are_hidden", tickets()).scope(tenant()),
        case("marked_rows_of_a_joined_table", from("TicketView").select([prop("Id"), prop("MemoText")]))
            .scope(tenant()),
        case("with_deleted", memos()).scope(Scope::new().with_deleted("Memo")),
        case("only_deleted", memos()).scope(Scope::new().only_deleted("Memo")),
        case("only_deleted_by_a_time", tickets()).scope(tenant().only_deleted("Ticket")),
        case("delete_marks", remove()).scope(tenant()),
        case("delete_marks_by_a_time", table("Ticket").delete().filter(prop("Id").eq(1))).scope(tenant()),
        case("delete_marks_by_a_joined_column", table("TicketView").delete().filter(prop("MemoText").eq("a")))
            .scope(tenant()),
        case("delete_marks_and_gives_the_row", DeleteExpr { returning: vec![prop("Id").into()], ..remove() }),
        case(
            "delete_for_good",
            table("Memo").without_filter("soft_delete", "a purge").delete().filter(prop("Id").eq(1)),
        )
        .scope(tenant()),
        case("restore", table("Memo").update([("Removed", false)]).filter(prop("Id").eq(1)))
            .scope(tenant().only_deleted("Memo")),
        case("insert_of_an_unmarked_row", table("Memo").insert(["Text", "TenantId"], vec!["a".into(), 7.into()])),
    ]
}

fn switches() -> Vec<Case> {
    let all = |entity| SqlSegment::Table(table(entity).without_filter("tenant", "a report"));
    vec![
        case("one_filter_is_off_at_one_node", all("Order").select([prop("Id")]))
            .scope(tenant().filter_of("Order", prop("Paid").is_true()).named("paid")),
        case(
            "off_outside_is_on_inside",
            all("Order").filter(prop("Id").in_list(from("Order").select([prop("Id")]))).select([prop("Id")]),
        )
        .scope(tenant()),
        case(
            "off_inside_is_on_outside",
            from("Order").filter(prop("Id").in_list(all("Order").select([prop("Id")]))).select([prop("Id")]),
        )
        .scope(tenant()),
        case("unscoped", from("Ticket").select([prop("Id")])).scope(Scope::unscoped("a report")),
    ]
}

fn refused() -> Vec<Case> {
    let tickets = || from("Ticket").select([prop("Id")]);
    vec![
        case("no_scope", tickets()),
        case("a_scope_of_something_else", tickets()).scope(adults()),
        case("no_scope_of_a_view", from("TicketView").select([prop("Id")])),
        case("no_scope_of_another_entity_over_the_table", from("OldTicket").select([prop("Id")])),
        case("another_entity_over_the_table", from("OldTicket").select([prop("Id")])).scope(tenant()),
        case(
            "no_scope_of_a_joined_table",
            from("Order")
                .join(TableJoinType::Left, from("Ticket").aliased("t"), prop_of("t", "Id").eq(prop_of("T0", "Id")))
                .select([prop_of("T0", "Id")]),
        ),
        case("no_scope_of_an_exists", from("Order").filter(exists("Ticket", prop("Id").eq(1))).select([prop("Id")])),
        case("no_scope_of_an_insert", ticket(&["Id"], vec![1.into()])),
        case("no_scope_of_an_update", table("Ticket").update([("Title", "a")]).filter(prop("Id").eq(1))),
        case("no_scope_of_a_delete", table("Ticket").delete().filter(prop("Id").eq(1))),
        case("a_filter_that_leads_back", from("User").select([prop("Id")])).scope(
            Scope::new()
                .filter_of("User", exists_related("Department", None))
                .filter_of("Department", exists_related("User", None)),
        ),
        case("two_filters_of_one_name", tickets()).scope(tenant().filter_of("Order", prop("Id").eq(1)).named("tenant")),
        case("a_filter_on_a_joined_column", from("User").select([prop("Id")]))
            .scope(Scope::new().filter_of("UserView", prop("DeptName").eq("a"))),
    ]
}
