//! The portable functions: a case for each, and more where the kind of its argument matters.

use chrono::NaiveDate;
use isogloss_compiler::expr::*;
use isogloss_compiler::functions::{Class, Func};

use super::{of_customers, of_orders, of_products, orders};
use crate::{Case, case};

fn p(name: &'static str) -> ValueTypeExpr {
    prop(name).into()
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    let mut before = ' ';
    for c in name.chars() {
        if c.is_uppercase() && (before.is_lowercase() || before.is_ascii_digit()) {
            out.push('_');
        }
        out.extend(c.to_lowercase());
        before = c;
    }
    out
}

/// The function's usual call.
fn call(f: Func, args: Vec<ValueTypeExpr>) -> Case {
    named(&snake(f.signature().name), f, args)
}

/// Another call of the function: `name` is added to its own.
fn also(name: &str, f: Func, args: Vec<ValueTypeExpr>) -> Case {
    named(&format!("{}_{name}", snake(f.signature().name)), f, args)
}

fn named(name: &str, f: Func, args: Vec<ValueTypeExpr>) -> Case {
    debug_assert!(f.signature().class == Class::Scalar, "{name}");
    case(name, of_orders(func(f.signature().name, args)))
}

pub(super) fn text() -> Vec<Case> {
    use Func as F;
    let (no, note) = (|| p("OrderNo"), || p("Note"));
    vec![
        case("lengths_of_what_has_no_type", from("Order").select([F::Length, F::ByteLength].map(untyped))),
        call(F::Length, vec![note()]),
        call(F::ByteLength, vec![note()]),
        call(F::Remove, vec![note(), 2.into()]),
        call(F::Insert, vec![note(), 2.into(), "x".into()]),
        call(F::Lower, vec![note()]),
        call(F::Upper, vec![note()]),
        call(F::Trim, vec![note()]),
        also("of_characters", F::Trim, vec![note(), "x".into()]),
        call(F::TrimStart, vec![note()]),
        also("of_characters", F::TrimStart, vec![note(), "x".into()]),
        call(F::TrimEnd, vec![note()]),
        also("of_characters", F::TrimEnd, vec![note(), "x".into()]),
        call(F::Substring, vec![note(), 2.into(), 3.into()]),
        also("to_the_end", F::Substring, vec![note(), 2.into()]),
        also("by_columns", F::Substring, vec![note(), p("Qty"), p("TenantId")]),
        call(F::IndexOf, vec![note(), "x".into()]),
        also("from_a_position", F::IndexOf, vec![note(), "x".into(), 3.into()]),
        call(F::Replace, vec![note(), "a".into(), "b".into()]),
        also("by_a_nullable_column", F::Replace, vec![no(), "a".into(), note()]),
        call(F::Left, vec![note(), 3.into()]),
        call(F::Right, vec![note(), 3.into()]),
        call(F::PadLeft, vec![no(), 10.into()]),
        also("with_a_character", F::PadLeft, vec![no(), 10.into(), "0".into()]),
        call(F::PadRight, vec![no(), 10.into()]),
        also("with_a_character", F::PadRight, vec![no(), 10.into(), ".".into()]),
        also("with_nothing", F::PadLeft, vec![no(), 10.into(), "".into()]),
        also("with_a_column", F::PadRight, vec![no(), 10.into(), p("Status")]),
        also("to_a_long_text", F::PadLeft, vec![no(), 2000.into()]),
        also("with_a_character_to_a_long_text", F::PadLeft, vec![no(), 2000.into(), "0".into()]),
        also("with_a_character_to_a_long_text", F::PadRight, vec![no(), 2000.into(), ".".into()]),
        call(F::Repeat, vec![no(), 3.into()]),
        also("to_a_long_text", F::Repeat, vec![no(), 300.into()]),
        also("of_a_long_text", F::Repeat, vec![note(), 2.into()]),
        call(F::Reverse, vec![no()]),
        call(F::Space, vec![p("Qty")]),
        call(F::Ascii, vec![no()]),
        call(F::Char, vec![p("Qty")]),
        also("of_a_nullable_column", F::Char, vec![p("SalesUserId")]),
        call(F::Concat, vec![no(), note(), "!".into()]),
        also("of_numbers", F::Concat, vec![no(), p("Qty")]),
        call(F::ConcatWs, vec![", ".into(), no(), note()]),
        also("of_three", F::ConcatWs, vec![" ".into(), note(), no(), note()]),
        call(F::RegexpReplace, vec![note(), "[0-9]+".into(), "#".into()]),
        also("with_a_backslash", F::RegexpReplace, vec![note(), "[0-9]+".into(), r"C:\1 $1".into()]),
        also("by_a_column", F::RegexpReplace, vec![note(), "[0-9]+".into(), no()]),
        also("of_a_column", F::RegexpReplace, vec![no(), note(), "#".into()]),
        also("to_the_end", F::Remove, vec![note(), 1.into(), 2_147_483_647.into()]),
        also("far_out", F::Substring, vec![note(), 3_000_000_000_i64.into()]),
        call(F::RegexpSubstr, vec![note(), "[0-9]+".into()]),
        call(F::RegexpCount, vec![note(), "[0-9]+".into()]),
    ]
}

pub(super) fn numbers() -> Vec<Case> {
    use Func as F;
    let (qty, amount) = (|| p("Qty"), || p("Amount"));
    let weight = |name: &str, f: Func, args: Vec<ValueTypeExpr>| {
        case(format!("{}{name}", snake(f.signature().name)), of_products(func(f.signature().name, args)))
    };
    let plain = |f: Func| weight("", f, vec![p("Weight")]);
    vec![
        call(F::Abs, vec![amount()]),
        call(F::Sign, vec![amount()]),
        call(F::Ceiling, vec![amount()]),
        weight("_of_floats", F::Ceiling, vec![p("Weight")]),
        call(F::Floor, vec![amount()]),
        weight("_of_floats", F::Floor, vec![p("Weight")]),
        call(F::Round, vec![amount()]),
        also("to_digits", F::Round, vec![amount(), 1.into()]),
        also("to_tens", F::Round, vec![amount(), (-1).into()]),
        also("to_computed_digits", F::Round, vec![amount(), qty()]),
        weight("_of_floats", F::Round, vec![p("Weight")]),
        weight("_of_floats_to_digits", F::Round, vec![p("Weight"), 1.into()]),
        call(F::Truncate, vec![amount()]),
        also("to_digits", F::Truncate, vec![amount(), 1.into()]),
        weight("_of_floats", F::Truncate, vec![p("Weight")]),
        weight("_of_floats_to_digits", F::Truncate, vec![p("Weight"), 1.into()]),
        plain(F::Sqrt),
        weight("", F::Power, vec![p("Weight"), 2.into()]),
        also("of_integers", F::Power, vec![qty(), 2.into()]),
        weight("_of_a_column", F::Power, vec![p("Weight"), p("Price")]),
        also("of_columns", F::Power, vec![amount(), qty()]),
        plain(F::Exp),
        plain(F::Log),
        plain(F::Log10),
        plain(F::Log2),
        plain(F::Sin),
        plain(F::Cos),
        plain(F::Tan),
        plain(F::Asin),
        plain(F::Acos),
        plain(F::Atan),
        weight("", F::Atan2, vec![p("Weight"), p("Price")]),
        plain(F::Degrees),
        plain(F::Radians),
        call(F::Pi, vec![]),
        call(F::Mod, vec![qty(), 3.into()]),
        also("of_decimals", F::Mod, vec![amount(), 3.into()]),
        call(F::Random, vec![]),
        also("of_a_random_number", F::Floor, vec![ValueTypeExpr::from(func("Random", [] as [ValueTypeExpr; 0])) * 6]),
        call(F::Greatest, vec![qty(), p("TenantId")]),
        also("of_nullable", F::Greatest, vec![p("SalesUserId"), qty(), 5.into()]),
        call(F::Least, vec![qty(), p("TenantId")]),
        also("of_nullable", F::Least, vec![p("SalesUserId"), qty(), 5.into()]),
        call(F::BitAnd, vec![qty(), 6.into()]),
        call(F::BitOr, vec![qty(), 6.into()]),
        call(F::BitXor, vec![qty(), 6.into()]),
        call(F::ShiftLeft, vec![qty(), 2.into()]),
        call(F::ShiftRight, vec![qty(), 2.into()]),
        case("bits_in_a_comparison", orders(func("BitAnd", [qty(), 6.into()]).eq(2))),
    ]
}

/// A value of which no type is known.
fn untyped(function: Func) -> SelectItemExpr {
    let name = function.signature().name;
    func(name, [ValueTypeExpr::Sql(Child::new(sql("untyped", 1)))]).alias(name)
}

pub(super) fn dates() -> Vec<Case> {
    use Func as F;
    let (at, day, zoned) = (|| p("CreatedTime"), || p("ShipDate"), || p("UpdatedTime"));
    let mut cases = vec![call(F::Now, vec![]), call(F::UtcNow, vec![]), call(F::Today, vec![])];
    let parts = [
        F::Year,
        F::Quarter,
        F::Month,
        F::Week,
        F::Day,
        F::DayOfYear,
        F::DayOfWeek,
        F::Hour,
        F::Minute,
        F::Second,
        F::Millisecond,
        F::Date,
        F::TimeOfDay,
    ];
    cases.extend(parts.map(|f| call(f, vec![at()])));
    let parts = [F::Year, F::Quarter, F::Month, F::Week, F::Day, F::DayOfYear, F::DayOfWeek];
    cases.push(case("parts_of_what_has_no_type", from("Order").select(parts.map(untyped))));
    cases.push(also("of_a_date", F::Year, vec![day()]));
    cases.push(also("with_offset", F::Hour, vec![zoned()]));
    cases.push(also("with_offset", F::Date, vec![zoned()]));
    cases.push(also("with_offset", F::DayOfWeek, vec![zoned()]));
    cases.push(also("with_offset", F::AddMonths, vec![zoned(), 1.into()]));
    cases.push(also("with_offset", F::TruncMonth, vec![zoned()]));
    cases.push(also("with_offset", F::Format, vec![zoned(), "yyyy-MM-dd HH:mm".into()]));
    let adds = [
        F::AddYears,
        F::AddQuarters,
        F::AddMonths,
        F::AddWeeks,
        F::AddDays,
        F::AddHours,
        F::AddMinutes,
        F::AddSeconds,
        F::AddMilliseconds,
    ];
    for f in adds {
        cases.push(call(f, vec![at(), 5.into()]));
        cases.push(also("to_a_date", f, vec![day(), 5.into()]));
    }
    cases.push(also("of_a_column", F::AddDays, vec![at(), p("Qty")]));
    cases.push(also("backwards", F::AddMonths, vec![at(), (-1).into()]));
    cases.push(also("with_offset", F::AddHours, vec![zoned(), 5.into()]));
    cases.push(also("with_offset", F::AddMilliseconds, vec![zoned(), 5.into()]));
    cases.push(also("of_a_column_with_offset", F::AddMilliseconds, vec![zoned(), p("Qty")]));
    cases.push(also("of_a_large_number_with_offset", F::AddMilliseconds, vec![zoned(), 5_000_000_000_i64.into()]));
    cases.push(also("with_offset", F::TruncDay, vec![zoned()]));
    cases.push(also("of_offsets", F::DateDiffDays, vec![zoned(), zoned()]));
    cases.push(also("of_an_offset_and_a_datetime", F::DateDiffDays, vec![zoned(), at()]));
    cases.push(also("of_a_date_and_a_datetime", F::Coalesce, vec![day(), at()]));
    cases.push(also("of_a_date_and_a_datetime", F::Greatest, vec![day(), at()]));
    cases.push(also("of_a_date_and_a_datetime", F::NullIf, vec![day(), at()]));
    cases.push(also("of_a_datetime_and_an_offset", F::Coalesce, vec![at(), zoned()]));
    let differences = [
        F::DateDiffYears,
        F::DateDiffMonths,
        F::DateDiffDays,
        F::DateDiffHours,
        F::DateDiffMinutes,
        F::DateDiffSeconds,
        F::DateDiffMilliseconds,
    ];
    cases.extend(differences.map(|f| call(f, vec![at(), func("Now", [] as [ValueTypeExpr; 0]).into()])));
    cases.push(also("of_dates", F::DateDiffDays, vec![day(), func("Today", [] as [ValueTypeExpr; 0]).into()]));
    cases.push(also("of_dates", F::DateDiffMonths, vec![day(), func("Today", [] as [ValueTypeExpr; 0]).into()]));
    cases.push(also("of_a_date_and_a_datetime", F::DateDiffHours, vec![at(), day()]));
    cases.push(also("of_a_date_and_a_datetime", F::DateDiffMonths, vec![at(), day()]));
    cases.push(also("of_a_datetime_and_an_offset", F::DateDiffMonths, vec![at(), zoned()]));
    cases.push(also("of_an_offset_and_a_date", F::DateDiffYears, vec![zoned(), day()]));
    cases.push(also("from_a_parameter", F::DateDiffDays, vec![at(), "2024-01-31T00:00:00".into()]));
    let truncations =
        [F::TruncYear, F::TruncQuarter, F::TruncMonth, F::TruncWeek, F::TruncDay, F::TruncHour, F::TruncMinute];
    cases.extend(truncations.map(|f| call(f, vec![at()])));
    cases.push(also("of_a_date", F::TruncMonth, vec![day()]));
    cases.push(also("of_a_date", F::TruncWeek, vec![day()]));
    cases.push(call(F::LastDay, vec![at()]));
    cases.push(call(F::MakeDate, vec![2024.into(), p("TenantId"), 1.into()]));
    cases.push(call(F::ToUnixSeconds, vec![at()]));
    cases.push(also("of_a_date", F::ToUnixSeconds, vec![day()]));
    cases.push(call(F::FromUnixSeconds, vec![p("Id")]));
    cases.push(call(F::Format, vec![at(), constant("yyyy-MM-dd HH:mm:ss").into()]));
    cases.push(also("with_milliseconds", F::Format, vec![at(), "yyyyMMdd.fff".into()]));
    cases.push(also("with_names", F::Format, vec![at(), "ddd, d MMM yy h:mm tt".into()]));
    cases.push(also("with_text", F::Format, vec![at(), "'it''s' yyyy".into()]));
    cases.push(case("year_in_a_filter", orders(func("Year", [at()]).eq(2024))));
    cases.push(case(
        "a_span_in_a_filter",
        orders(at().gt(func("AddDays", [func("Now", [] as [ValueTypeExpr; 0]).into(), ValueTypeExpr::from(-7)]))),
    ));
    let given = |year, month, day| value(NaiveDate::from_ymd_opt(year, month, day).unwrap_or_default());
    let moved = |f: F, from: ValueExpr, by: ValueExpr| func(f.signature().name, [from, by]);
    let constant_date = ValueExpr { is_const: true, ..given(2024, 3, 1) };
    cases.push(case(
        "a_given_date_that_is_moved",
        orders(
            day().ge(moved(F::AddMonths, given(2024, 1, 31), value(1)))
                & day().lt(moved(F::AddYears, given(2024, 2, 29), value(-1)))
                & day().ne(moved(F::AddWeeks, constant_date, constant(-1))),
        ),
    ));
    // There is no such date of four digits: the engine may say so.
    cases.push(case(
        "a_given_date_that_is_moved_too_far",
        orders(day().lt(moved(F::AddYears, given(9999, 1, 1), value(1)))),
    ));
    cases
}

pub(super) fn json() -> Vec<Case> {
    use Func as F;
    let data = || p("Data");
    vec![
        call(F::JsonValue, vec![data(), "$.customer.name".into()]),
        also("of_an_item", F::JsonValue, vec![data(), "$.lines[0].sku".into()]),
        also("of_a_name_of_digits", F::JsonValue, vec![data(), r#"$."0""#.into()]),
        also("of_an_item", F::JsonQuery, vec![data(), "$.lines[0]".into()]),
        also("of_an_item", F::JsonLength, vec![data(), "$.lines[0].parts".into()]),
        also("of_an_item", F::JsonSet, vec![data(), "$.lines[0].sku".into(), "x".into()]),
        also("of_bytes", F::JsonArray, vec![vec![0xDE_u8, 0xAD].into()]),
        also("of_an_odd_name", F::JsonValue, vec![data(), r#"$."it's a \"name\"""#.into()]),
        // MariaDB finds none.
        also("of_a_name_with_a_hyphen_first", F::JsonValue, vec![data(), r#"$."-a""#.into()]),
        call(F::JsonQuery, vec![data(), "$.lines".into()]),
        call(F::JsonExists, vec![data(), "$.lines[0]".into()]),
        also("of_a_member", F::JsonExists, vec![data(), "$.a.b".into()]),
        also("of_the_document", F::JsonExists, vec![data(), "$".into()]),
        call(F::JsonLength, vec![data()]),
        also("at_a_path", F::JsonLength, vec![data(), "$.lines".into()]),
        call(F::JsonContains, vec![data(), Value::Json(r#"{"a":1}"#.into()).into()]),
        call(F::JsonSet, vec![data(), "$.status".into(), "done".into()]),
        also("to_a_number", F::JsonSet, vec![data(), "$.n".into(), p("Qty")]),
        also("to_null", F::JsonSet, vec![data(), "$.n".into(), Value::Null.into()]),
        also("to_a_nullable_column", F::JsonSet, vec![data(), "$.n".into(), p("Note")]),
        also("to_a_truth_value", F::JsonSet, vec![data(), "$.n".into(), p("Paid")]),
        call(F::JsonObject, vec!["id".into(), p("Id"), "no".into(), p("OrderNo")]),
        also("in_an_object", F::JsonObject, vec!["a".into(), object(&["id"])]),
        also("of_odd_names", F::JsonObject, vec!["a.b".into(), p("Id")]),
        also("of_one_name", F::JsonObject, vec!["a".into(), p("Id"), "A".into(), p("Qty")]),
        also(
            "of_json",
            F::JsonObject,
            vec!["data".into(), data(), "lines".into(), func("JsonQuery", [data(), "$.lines".into()]).into()],
        ),
        also(
            "of_truth_values",
            F::JsonObject,
            vec![
                "paid".into(),
                p("Paid"),
                "big".into(),
                ValueTypeExpr::from(prop("SalesUserId").gt(5)),
                "yes".into(),
                constant(true).into(),
            ],
        ),
        call(F::JsonArray, vec![p("Id"), p("OrderNo"), p("Paid")]),
        also("of_json", F::JsonArray, vec![p("Id"), data()]),
        also("to_json", F::JsonSet, vec![data(), "$.more".into(), Value::Json("[1]".into()).into()]),
        call(F::IsJson, vec![p("Note")]),
        case("a_value_in_a_filter", orders(func("JsonValue", [data(), "$.customer.name".into()]).eq("Ada"))),
        case(
            "exists_among_others",
            orders(
                (func("JsonExists", [data(), "$.a".into()]).is_true() | prop("Qty").gt(1))
                    & !func("JsonExists", [data(), "$.b".into()]).is_true(),
            ),
        ),
        case("exists_in_a_filter", orders(func("JsonExists", [data(), "$.lines".into()]).is_true())),
        case(
            "contains_in_a_filter",
            orders(func("JsonContains", [data(), Value::Json("[1]".into()).into()]).is_true()),
        ),
    ]
}

/// An object of ids under some names.
fn object(names: &[&'static str]) -> ValueTypeExpr {
    let pairs = names.iter().flat_map(|name| [ValueTypeExpr::from(*name), p("Id")]);
    func("JsonObject", pairs.collect::<Vec<_>>()).into()
}

pub(super) fn other() -> Vec<Case> {
    use Func as F;
    vec![
        call(F::Coalesce, vec![p("Note"), p("OrderNo"), "".into()]),
        also("of_one", F::Coalesce, vec![p("Note")]),
        case("coalesce_to_nothing_compared", orders(func("Coalesce", [p("Note"), "".into()]).ne("x"))),
        case("coalesce_to_nothing_equal", orders(!func("Coalesce", [p("Note"), "".into()]).eq("x"))),
        call(F::NullIf, vec![p("Qty"), 0.into()]),
        call(F::NewGuid, vec![]),
        call(F::Hex, vec![vec![0xDE_u8, 0xAD].into()]),
        also("of_text", F::Hex, vec![p("OrderNo")]),
        case("an_alias_of_a_name", of_customers(func("ifnull", [p("City"), "-".into()]))),
    ]
}

pub(super) fn aggregates() -> Vec<Case> {
    let one =
        |f: Func, arg: ValueTypeExpr| case(snake(f.signature().name), of_orders(aggregate(f.signature().name, arg)));
    use Func as F;
    vec![
        case("count", of_orders(count_all())),
        case("count_of_a_column", of_orders(prop("SalesUserId").count())),
        one(F::Sum, p("Amount")),
        case("sum_of_integers", of_orders(prop("Qty").sum())),
        one(F::Avg, p("Amount")),
        case("avg_of_integers", of_orders(prop("Qty").avg())),
        case("avg_of_floats", of_products(prop("Weight").avg())),
        one(F::Min, p("CreatedTime")),
        one(F::Max, p("CreatedTime")),
        case("string_agg", of_orders(string_agg())),
        case("string_agg_in_an_order", of_orders(string_agg().order_by([prop("OrderNo").desc()]))),
        case("string_aggs_in_one_order", in_orders(&["OrderNo", "OrderNo"])),
        case("string_aggs_in_two_orders", in_orders(&["OrderNo", "Status"])),
        case("string_agg_distinct", of_orders(distinct_string_agg())),
        case(
            "string_agg_distinct_in_its_own_order",
            of_orders(distinct_string_agg().order_by([prop("OrderNo").desc()])),
        ),
        one(F::StdDev, p("Amount")),
        one(F::StdDevPop, p("Amount")),
        one(F::Variance, p("Amount")),
        one(F::VariancePop, p("Amount")),
        one(F::BoolAnd, p("Paid")),
        one(F::BoolOr, p("Paid")),
        case(
            "bool_and_of_a_predicate",
            of_orders(aggregate("BoolAnd", ValueTypeExpr::from(prop("SalesUserId").gt(5)))),
        ),
        one(F::JsonArrayAgg, p("OrderNo")),
        case("json_array_agg_of_json", of_orders(aggregate("JsonArrayAgg", p("Data")))),
        case("json_array_agg_of_truth_values", of_orders(aggregate("JsonArrayAgg", p("Paid")))),
    ]
}

/// A StringAgg in the order of each of some columns.
fn in_orders(columns: &[&'static str]) -> SelectExpr {
    let item = |(n, column): (usize, &&'static str)| {
        ValueTypeExpr::from(string_agg().order_by([prop(*column).asc()])).alias(format!("A{n}"))
    };
    from("Order").select(columns.iter().enumerate().map(item))
}

fn string_agg() -> FunctionExpr {
    FunctionExpr { is_aggregate: true, ..func("StringAgg", [p("OrderNo"), ", ".into()]) }
}

fn distinct_string_agg() -> FunctionExpr {
    let distinct = UnaryExpr { operator: UnaryOperator::Distinct, operand: p("OrderNo") };
    FunctionExpr { is_aggregate: true, ..func("StringAgg", [ValueTypeExpr::from(distinct), ", ".into()]) }
}

pub(super) fn windows() -> Vec<Case> {
    use Func as F;
    let over = |f: Func, args: Vec<ValueTypeExpr>| {
        let window =
            func(f.signature().name, args).over().partition_by([prop("CustomerId")]).order_by([prop("Id").asc()]);
        case(snake(f.signature().name), of_orders(window))
    };
    let nullable = func("Lag", [p("Note"), 1.into(), "none".into()]).over().order_by([prop("Id").asc()]);
    let third = func("Lag", [p("Qty"), 2.into(), 0.into()]).over().order_by([prop("Id").asc()]);
    vec![
        over(F::RowNumber, vec![]),
        over(F::Rank, vec![]),
        over(F::DenseRank, vec![]),
        over(F::PercentRank, vec![]),
        over(F::CumeDist, vec![]),
        over(F::NTile, vec![4.into()]),
        over(F::Lag, vec![p("Qty")]),
        over(F::Lead, vec![p("Qty"), 2.into()]),
        case("string_agg_of_a_partition", of_orders(string_agg().over().partition_by([prop("CustomerId")]))),
        case("string_agg_in_an_order", of_orders(string_agg().over().order_by([prop("Id").asc()]))),
        case("lag_with_a_default", of_orders(third)),
        case("lag_of_a_nullable_column_with_a_default", of_orders(nullable)),
        over(F::FirstValue, vec![p("Qty")]),
        over(F::LastValue, vec![p("Qty")]),
        over(F::NthValue, vec![p("Qty"), 2.into()]),
    ]
}
