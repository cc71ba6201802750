//! Row locks.

use isogloss_compiler::Verb;
use isogloss_compiler::expr::*;

use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    use LockMode::{Share, Update};
    use LockWait::{NoWait, SkipLocked, Wait};
    let one = || from("Order").filter(prop("Id").eq(5));
    let queue = |wait| {
        from("Order")
            .filter(prop("Status").eq("Open"))
            .order_by([prop("Id").asc()])
            .take(10)
            .lock(Update, wait)
            .select([prop("Id"), prop("OrderNo")])
    };
    vec![
        case("update", one().lock(Update, Wait)),
        case("share", one().lock(Share, Wait).select([prop("Id")])),
        case("no_wait", one().lock(Update, NoWait).select([prop("Id")])),
        case("share_no_wait", one().lock(Share, NoWait).select([prop("Id")])),
        case("skip_locked", one().lock(Update, SkipLocked).select([prop("Id")])),
        case("a_queue", queue(SkipLocked)),
        case("a_page_that_waits", queue(Wait)),
        case(
            "an_offset",
            from("Order").order_by([prop("Id").asc()]).section(5, 10).lock(Update, Wait).select([prop("Id")]),
        ),
        case(
            "a_composite_key_and_a_limit",
            from("OrderItem")
                .order_by([prop("Price").asc()])
                .take(3)
                .lock(Update, Wait)
                .select([prop("OrderId"), prop("LineNo")]),
        ),
        case(
            "a_view_with_joins",
            from("OrderView").filter(prop("CustomerCity").eq("Oslo")).lock(Update, Wait).select([prop("Id")]),
        ),
        case("twice", one().lock(Update, SkipLocked).lock(Share, Wait)),
        case("under_distinct", one().lock(Update, Wait).select([prop("CustomerId")]).distinct()),
        case("under_a_group", one().lock(Update, Wait).group_by([prop("Id")]).select([prop("Id")])),
        case("under_an_aggregate", one().lock(Update, Wait).select([count_all()])),
        case("under_a_window", one().lock(Update, Wait).select([prop("Qty").sum().over().alias("Total")])),
        case(
            "in_a_member_of_a_set",
            one().lock(Update, Wait).select([prop("Id")]).union(from("Order").select([prop("Id")])),
        ),
        case(
            "of_a_set",
            from("Order")
                .select([prop("Id")])
                .union(from("Order").select([prop("Id")]))
                .into_segment()
                .lock(Update, Wait),
        ),
        case("in_a_subquery", from("Customer").filter(exists_query(one().lock(Update, Wait)))),
        case("in_a_derived_table", one().take(5).lock(Update, Wait).filter(prop("Qty").gt(1))),
        case("counted", one().lock(Update, Wait)).verb(Verb::Count),
        case("of_groups", from("Order").group_by([prop("CustomerId")]).lock(Update, Wait).select([prop("CustomerId")])),
    ]
}
