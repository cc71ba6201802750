//! Values of every type, as parameters and as constants.

use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta};
use isogloss_compiler::expr::*;
use uuid::Uuid;

use super::{of_orders, orders};
use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    let date = NaiveDate::from_ymd_opt(2024, 2, 29).unwrap_or_default();
    let time = NaiveTime::from_hms_micro_opt(13, 5, 7, 250_000).unwrap_or_default();
    let values: Vec<(&str, Value)> = vec![
        ("null", Value::Null),
        ("boolean", true.into()),
        ("integer", 42.into()),
        ("negative_integer", (-42).into()),
        ("big_integer", i64::MIN.into()),
        ("unsigned_integer", u64::MAX.into()),
        ("float", 0.1.into()),
        ("float_without_fraction", 1e21.into()),
        ("decimal", "12345678901234567890.12345".parse::<Decimal>().map_or(Value::Null, Value::from)),
        ("text", "it's".into()),
        ("empty_text", "".into()),
        ("text_with_a_backslash", r"a\'b".into()),
        ("text_with_a_line_break", "a\nb".into()),
        ("text_with_backslashes_before_line_breaks", "a\\\r\nb\\\nc".into()),
        ("bytes", vec![0xDE_u8, 0xAD, 0x00].into()),
        ("date", date.into()),
        ("time", time.into()),
        ("datetime", date.and_time(time).into()),
        (
            "datetime_with_offset",
            DateTime::parse_from_rfc3339("2024-02-29T13:05:07.25+02:00").map_or(Value::Null, Value::from),
        ),
        ("timespan", TimeDelta::seconds(3_725).into()),
        ("guid", Uuid::from_u128(0x0011_2233_4455_6677_8899_aabb_ccdd_eeff).into()),
        ("json", Value::Json(r#"{"a":[1,"it's"]}"#.into())),
        ("nan", f64::NAN.into()),
        ("infinity", f64::INFINITY.into()),
    ];
    let mut cases: Vec<Case> = Vec::new();
    for (name, v) in values {
        cases.push(case(format!("parameter_{name}"), of_orders(value(v.clone()))));
        cases.push(case(format!("constant_{name}"), of_orders(constant(v))));
    }
    cases.push(case("array_beside_an_array", orders(prop("Tags").eq(Value::from(vec![Value::from("a"), "b".into()])))));
    cases.push(case("json_compared", orders(prop("Data").eq(Value::Json("[1]".into())))));
    cases.push(case("json_compared_with_a_column", orders(prop("Data").ne(prop("Data")))));
    cases.push(case("json_is_distinct", orders(prop("Data").is_distinct_from(Value::Json("[1]".into())))));
    cases.push(case("json_less_than_json", orders(prop("Data").lt(Value::Json("[1]".into())))));
    cases.push(case(
        "json_in_a_list",
        orders(prop("Data").in_list([Value::Json("[1]".into()), Value::Json("[2]".into())])),
    ));
    cases.push(case("json_in_an_order", from("Order").order_by([prop("Data").asc()])));
    cases.push(case("json_as_the_key_of_a_group", from("Order").group_by([prop("Data")]).select([prop("Data")])));
    cases.push(case("json_distinct", from("Order").select([prop("Data")]).distinct()));
    cases.push(case(
        "json_in_a_union",
        from("Order").select([prop("Data")]).union(from("Order").select([prop("Data")])),
    ));
    cases.push(case(
        "json_in_a_union_all",
        from("Order").select([prop("Data")]).union_all(from("Order").select([prop("Data")])),
    ));
    cases.push(case("json_in_min", from("Order").select([func("Min", [prop("Data")])])));
    cases.push(case("json_not_equal", orders(prop("Data").ne(Value::Json("[1]".into())))));
    cases.push(case(
        "json_beside_json",
        from("Order").filter(prop("Data").is_not_null()).select([prop("Data"), prop("Tags"), prop("Token")]),
    ));
    cases
}
