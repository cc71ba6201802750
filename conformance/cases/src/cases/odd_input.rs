//! Input that wants out of its place.

use isogloss_compiler::expr::*;

use super::{of_orders, orders};
use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    vec![
        case("quotes_in_a_value", orders(prop("Note").eq("'; DROP TABLE Orders; --"))),
        case("quotes_in_a_constant", orders(prop("Note").eq(constant("'; DROP TABLE Orders; --")))),
        case("a_backslash_in_a_constant", orders(prop("Note").eq(constant(r"\'; DROP TABLE Orders; --")))),
        case("unicode", orders(prop("Note").eq("Grüße, 世界 🎉"))),
        case("unicode_in_a_constant", orders(prop("Note").eq(constant("Grüße, 世界 🎉")))),
        case("unicode_in_an_alias", from("Order").select([prop("Qty").alias("Größe")])),
        case("a_zero_byte_in_a_value", orders(prop("Note").eq("a\0b"))),
        case("a_zero_byte_in_a_constant", orders(prop("Note").eq(constant("a\0b")))),
        case("a_placeholder_in_a_constant", orders(prop("Note").eq(constant("$1 ? :1 @P1")) & prop("Qty").eq(5))),
        case("a_comment_in_a_constant", orders(prop("Note").eq(constant("-- /* */")))),
        case("a_function_that_is_none", of_orders(func("pg_sleep", [ValueTypeExpr::from(10)]))),
        case("a_function_with_a_blank", of_orders(func("upper(x); drop table y; --", [prop("Note")]))),
        case("a_property_that_is_sql", orders(prop("1=1 OR Qty").eq(5))),
        case("an_entity_that_is_sql", from("Orders; DROP TABLE x")),
        case(
            "quotes_in_a_json_path",
            of_orders(func("JsonValue", [prop("Data").into(), ValueTypeExpr::from(r#"$."a'b""#)])),
        ),
        case(
            "a_json_path_that_is_none",
            of_orders(func("JsonValue", [prop("Data").into(), ValueTypeExpr::from("$.a') OR 1=1 --")])),
        ),
        case("a_json_path_that_is_computed", of_orders(func("JsonValue", [prop("Data"), prop("Note")]))),
        case(
            "quotes_in_a_format",
            of_orders(func("Format", [prop("CreatedTime").into(), ValueTypeExpr::from("yyyy') OR 1=1 --")])),
        ),
        case("a_like_pattern_of_wildcards", orders(prop("Note").contains("%_[]^\\*?"))),
        case("an_unregistered_fragment", orders(sql("nowhere", 1))),
        case("a_big_number_for_a_small_column", orders(prop("Qty").eq(i64::MAX))),
        case("a_fraction_for_a_whole_number", orders(prop("Qty").eq(1.5))),
        case("a_whole_number_over_a_fraction", orders(prop("Qty").gt(1.5))),
    ]
}
