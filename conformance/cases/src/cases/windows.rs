//! Windows: parts, orders and frames.

use isogloss_compiler::expr::*;

use super::of_orders;
use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    use FrameBound::{CurrentRow, Following, Preceding, UnboundedFollowing, UnboundedPreceding};
    let by_id = || [prop("Id").asc()];
    let sum = || prop("Amount").sum().over();
    let framed = |unit, start, end| of_orders(sum().order_by(by_id()).frame(unit, start, end));
    let excluding = |exclude| {
        let mut window = sum().order_by(by_id()).frame(FrameUnit::Rows, UnboundedPreceding, CurrentRow);
        if let Some(frame) = &mut window.frame {
            frame.exclude = exclude;
        }
        of_orders(window)
    };
    let ranked = from("Order").select([
        SelectItemExpr::from("Id"),
        func("RowNumber", [] as [ValueTypeExpr; 0])
            .over()
            .partition_by([prop("CustomerId")])
            .order_by([prop("Amount").desc()])
            .alias("Place"),
    ]);
    vec![
        case("over_all_rows", of_orders(sum())),
        case("over_a_part", of_orders(sum().partition_by([prop("CustomerId")]))),
        case("running_total", of_orders(sum().partition_by([prop("CustomerId")]).order_by(by_id()))),
        case("count_over", of_orders(count_all().over().partition_by([prop("CustomerId")]))),
        case("rows_between", framed(FrameUnit::Rows, Preceding(2), CurrentRow)),
        case("rows_to_the_end", framed(FrameUnit::Rows, CurrentRow, UnboundedFollowing)),
        case("rows_around", framed(FrameUnit::Rows, Preceding(1), Following(1))),
        case("range_to_the_current_row", framed(FrameUnit::Range, UnboundedPreceding, CurrentRow)),
        case("range_with_an_offset", framed(FrameUnit::Range, Preceding(5), CurrentRow)),
        case(
            "range_with_an_offset_over_dates",
            of_orders(sum().order_by([prop("ShipDate").asc()]).frame(FrameUnit::Range, Preceding(5), CurrentRow)),
        ),
        case("groups", framed(FrameUnit::Groups, Preceding(1), CurrentRow)),
        case("exclude_current_row", excluding(FrameExclude::CurrentRow)),
        case("exclude_group", excluding(FrameExclude::Group)),
        case("exclude_ties", excluding(FrameExclude::Ties)),
        case(
            "order_with_nulls_last",
            of_orders(func("Rank", [] as [ValueTypeExpr; 0]).over().order_by([prop("ShipDate").desc().nulls_last()])),
        ),
        case(
            "with_a_filter",
            of_orders(prop("Amount").sum().filter(prop("Paid").is_true()).over().partition_by([prop("CustomerId")])),
        ),
        case("first_value_of_a_constant", of_orders(func("FirstValue", [constant("a")]).over().order_by(by_id()))),
        case("in_a_function", of_orders(func("Lag", [prop("Qty")]).over().order_by(by_id()).if_null(0))),
        case(
            "in_a_function_that_is_spelled_as_a_subquery",
            of_orders(func("Reverse", [func("Lag", [prop("Note")]).over().order_by(by_id())])),
        ),
        case(
            "in_an_order",
            from("Order")
                .order_by([func("RowNumber", [] as [ValueTypeExpr; 0]).over().order_by(by_id()).asc()])
                .select([prop("Id")]),
        ),
        case("the_best_of_each_group", ranked.into_segment().filter(prop("Place").le(3)).select([prop("Id")])),
        case(
            "row_number_without_an_order",
            of_orders(func("RowNumber", [] as [ValueTypeExpr; 0]).over().partition_by([prop("CustomerId")])),
        ),
        case(
            "in_a_subquery_of_in",
            from("Customer")
                .filter(prop("Id").in_list(
                    from("Order").select([func("RowNumber", [] as [ValueTypeExpr; 0]).over().order_by(by_id())]),
                ))
                .select([prop("Id")]),
        ),
        case(
            "in_a_subquery_of_in_that_looks_outside",
            from("Customer")
                .filter(
                    !prop("Id").in_list(
                        from("Order").filter(prop("CustomerId").eq(prop_of("T0", "Id"))).select([func(
                            "RowNumber",
                            [] as [ValueTypeExpr; 0],
                        )
                        .over()
                        .order_by(by_id())]),
                    ),
                )
                .select([prop("Id")]),
        ),
        case(
            "first_value_in_a_frame",
            of_orders(func("FirstValue", [prop("Qty")]).over().order_by(by_id()).frame(
                FrameUnit::Rows,
                Preceding(3),
                CurrentRow,
            )),
        ),
    ]
}
