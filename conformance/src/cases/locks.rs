//! Row locks.

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
        case("of_groups", from("Order").group_by([prop("CustomerId")]).lock(Update, Wait).select([prop("CustomerId")])),
    ]
}
