//! Comparisons, and how a value takes the type of the column beside it.

use isogloss_compiler::expr::*;

use super::orders;
use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case("equal", orders(prop("Qty").eq(5))),
        case("not_equal", orders(prop("Qty").ne(5))),
        case("less", orders(prop("Qty").lt(5))),
        case("less_or_equal", orders(prop("Qty").le(5))),
        case("greater", orders(prop("Qty").gt(5))),
        case("greater_or_equal", orders(prop("Qty").ge(5))),
        case("between", orders(prop("Amount").between(10, 20))),
        case("two_columns", orders(prop("CreatedByUserId").eq(prop("SalesUserId")))),
        case("value_on_the_left", orders(value(5).lt(prop("Qty")))),
        case("two_values", orders(value(5).lt(7))),
        case("a_constant_is_in_the_text", orders(prop("Qty").eq(constant(5)))),
        case("a_constant_text_is_quoted", orders(prop("OrderNo").eq(constant("it's")))),
        case("integer_beside_decimal", orders(prop("Amount").eq(5))),
        case("text_beside_date", orders(prop("ShipDate").ge("2024-01-31"))),
        case("text_beside_datetime", orders(prop("CreatedTime").lt("2024-01-31T10:20:30"))),
        case("text_beside_datetime_with_offset", orders(prop("UpdatedTime").lt("2024-01-31T10:20:30+02:00"))),
        case("text_beside_guid", orders(prop("Token").eq("00112233-4455-6677-8899-aabbccddeeff"))),
        case("text_beside_number", orders(prop("Qty").eq("5"))),
        case("enum_name_stored_as_text", orders(prop("Status").eq("shipped"))),
        case("enum_number_stored_as_text", orders(prop("Status").eq(2))),
        case("enum_name_stored_as_number", from("Customer").filter(prop("Tier").ge("Silver")).select([prop("Id")])),
        case("boolean", orders(prop("Paid").eq(true))),
        case("boolean_not_equal", orders(prop("Paid").ne(true))),
        case("rows_equal", orders(row([prop("CustomerId"), prop("ProductId")]).eq(row([1, 2])))),
        case(
            "rows_equal_with_null",
            orders(row([prop("CustomerId"), prop("SalesUserId")]).eq(row([value(1), null()]))),
        ),
        case("a_date_beside_a_datetime", orders(prop("ShipDate").eq(prop("CreatedTime")))),
        case("a_date_is_distinct_from_a_datetime", orders(prop("ShipDate").is_distinct_from(prop("CreatedTime")))),
        case("a_datetime_beside_one_with_an_offset", orders(prop("CreatedTime").lt(prop("UpdatedTime")))),
        case("a_date_beside_one_with_an_offset", orders(prop("UpdatedTime").ge(prop("ShipDate")))),
        case(
            "a_date_in_a_list_with_a_datetime",
            orders(prop("ShipDate").in_list(row([prop("CreatedTime"), prop("ShipDate")]))),
        ),
        case(
            "a_date_in_a_subquery_of_datetimes",
            orders(prop("ShipDate").in_list(from("Order").select([prop("CreatedTime")]))),
        ),
        case(
            "a_date_in_a_row_beside_a_datetime",
            orders(row([prop("Id"), prop("ShipDate")]).gt(row([prop("Id"), prop("CreatedTime")]))),
        ),
        case("rows_greater", orders(row([prop("CustomerId"), prop("Id")]).gt(row([1, 2])))),
        case("rows_less_or_equal", orders(row([prop("CustomerId"), prop("Id")]).le(row([1, 2])))),
        case("an_empty_text_less", orders(value("").lt(prop("Note")))),
        case("an_empty_text_at_most", orders(value("").le(prop("Note")))),
        case("an_empty_text_greater", orders(value("").gt(prop("Note")))),
        case("an_empty_text_at_least", orders(value("").ge(prop("Note")))),
        case("an_empty_text_equal", orders(value("").eq(prop("Note")))),
        case("an_empty_text_not_equal", orders(value("").ne(prop("Note")))),
    ]
}
