//! How many rows, and whether there is one.

use isogloss_compiler::Verb;
use isogloss_compiler::expr::*;

use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    let paged = || {
        from("OrderView").filter(prop("CustomerCity").eq("Oslo")).order_by([prop("CustomerName").asc()]).section(20, 10)
    };
    vec![
        case("count", from("Order")).verb(Verb::Count),
        case("count_of_a_filter", from("Order").filter(prop("Paid").is_true())).verb(Verb::Count),
        case("count_of_a_bare_filter", prop("Paid").is_true()).verb(Verb::Count).root("Order"),
        case(
            "count_of_a_bare_filter_over_another_table",
            prop("CustomerId").in_list(from("Customer").filter(prop("City").eq("Oslo")).select([prop("Id")])),
        )
        .verb(Verb::Count)
        .root("Order"),
        case("count_leaves_order_and_paging_out", paged()).verb(Verb::Count),
        case("count_of_a_select", from("Order").select([prop("Id"), prop("Qty")])).verb(Verb::Count),
        case("count_of_an_aggregate", from("Order").select([count_all()])).verb(Verb::Count),
        case("exists", from("Order")).verb(Verb::Exists),
        case("exists_of_a_filter", from("Order").filter(prop("Paid").is_true())).verb(Verb::Exists),
        case("exists_of_a_bare_filter", prop("Id").eq(5)).verb(Verb::Exists).root("OrderView"),
        case("exists_leaves_order_and_paging_out", paged()).verb(Verb::Exists),
        case(
            "exists_of_a_view_with_an_inner_join",
            from("OrderItemView").order_by([prop("CustomerName").asc()]).section(20, 10),
        )
        .verb(Verb::Exists),
        case("count_of_a_view_with_an_inner_join", from("OrderItemView").filter(prop("Qty").gt(1))).verb(Verb::Count),
        case(
            "count_of_a_view_in_an_order",
            from("OrderView").order_by([prop("CustomerName").asc()]).select([prop("Id"), prop("ProductName")]),
        )
        .verb(Verb::Count),
        case(
            "count_of_a_filter_behind_an_order_of_a_view",
            from("OrderView")
                .order_by([prop("CustomerName").asc()])
                .select([prop("Id"), prop("ProductName")])
                .into_segment()
                .filter(prop("ProductName").eq("Saw"))
                .section(20, 10),
        )
        .verb(Verb::Count),
        case(
            "count_behind_an_order_by_an_inner_join",
            from("OrderItemView")
                .order_by([prop("CustomerName").asc()])
                .select([prop("LineNo")])
                .into_segment()
                .filter(prop("LineNo").gt(1)),
        )
        .verb(Verb::Count),
        case("exists_of_none", from("Order").take(0)).verb(Verb::Exists),
        case(
            "exists_of_distinct_rows_with_an_offset",
            from("Order").select([prop("Status")]).distinct().into_segment().section(2, 1),
        )
        .verb(Verb::Exists),
        case(
            "exists_of_groups",
            from("Order").group_by([prop("CustomerId")]).having(count_all().gt(3)).select([prop("CustomerId")]),
        )
        .verb(Verb::Exists),
        case("exists_of_a_union", from("Customer").select([prop("Id")]).union(from("User").select([prop("Id")])))
            .verb(Verb::Exists),
    ]
}
