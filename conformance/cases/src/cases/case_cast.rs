//! CASE and CAST.

use isogloss_compiler::expr::*;

use super::{of_orders, of_products, orders};
use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    use DbValueType as T;
    let mut cases = vec![
        case("case", of_orders(if_else(prop("Qty").gt(5), "many", "few"))),
        case(
            "case_without_else",
            of_orders(isogloss_compiler::expr::case([(prop("Qty").gt(5), prop("Amount").into())], None)),
        ),
        case("case_of_several", of_orders(if_else(prop("Qty").gt(5), "many", "few").when(prop("Qty").eq(0), "none"))),
        case("case_of_columns_of_other_types", of_orders(if_else(prop("Paid").is_true(), prop("Amount"), prop("Qty")))),
        case("case_compared", orders(if_else(prop("Paid").is_true(), prop("Amount"), 0).gt(10))),
        case("case_of_parameters_compared", orders(if_else(prop("Paid").is_true(), 1, 0).eq(1))),
    ];
    let to = [
        (T::String, "OrderNo"),
        (T::AnsiString, "OrderNo"),
        (T::Int16, "OrderNo"),
        (T::Int32, "OrderNo"),
        (T::Int64, "OrderNo"),
        (T::Byte, "Qty"),
        (T::Decimal, "OrderNo"),
        (T::Double, "Amount"),
        (T::Single, "Amount"),
        (T::Boolean, "Qty"),
        (T::Date, "CreatedTime"),
        (T::Time, "CreatedTime"),
        (T::DateTime2, "ShipDate"),
        (T::DateTimeOffset, "CreatedTime"),
        (T::Guid, "OrderNo"),
        (T::Binary, "OrderNo"),
        (T::Json, "Note"),
        (T::UInt64, "Qty"),
        (T::Xml, "Note"),
    ];
    cases.extend(
        to.map(|(ty, column)| case(format!("cast_to_{}", ty.name().to_lowercase()), of_orders(prop(column).cast(ty)))),
    );
    cases.push(case("cast_number_to_text", of_orders(prop("Amount").cast(T::String))));
    cases.push(case("cast_datetime_to_text", of_orders(prop("CreatedTime").cast(T::String))));
    cases.push(case("cast_date_to_text", of_orders(prop("ShipDate").cast(T::String))));
    cases.push(case(
        "cast_computed_date_to_text",
        of_orders(
            func(
                "Coalesce",
                [prop("ShipDate").into(), ValueTypeExpr::from(chrono::NaiveDate::from_ymd_opt(2024, 2, 29))],
            )
            .cast(T::String),
        ),
    ));
    cases.push(case("cast_float_to_text", of_products(prop("Weight").cast(T::String))));
    cases.push(case("cast_time_with_an_offset_to_text", of_orders(prop("UpdatedTime").cast(T::String))));
    cases.push(case("cast_boolean_to_text", of_orders(prop("Paid").cast(T::String))));
    cases.push(case("cast_boolean_to_number", of_orders(prop("Paid").cast(T::Int32))));
    cases.push(case("cast_decimal_to_number", of_orders(prop("Amount").cast(T::Int32))));
    cases.push(case("cast_integer_to_decimal", of_orders(prop("Qty").cast(T::Decimal) * prop("Amount"))));
    cases.push(case("cast_decimal_to_decimal", of_orders((prop("Amount") + 1).cast(T::Decimal) * 2)));
    let bytes = || prop("OrderNo").cast(T::Binary);
    cases.push(case("no_bytes", orders(bytes().eq(Value::from(&b""[..])) | bytes().ne(Value::from(&b""[..])))));
    cases.push(case("a_list_with_no_bytes", orders(bytes().in_list([Value::from(&b""[..]), Value::from(&b"a"[..])]))));
    cases.push(case("cast_binary_to_text", of_orders(prop("OrderNo").cast(T::Binary).cast(T::String))));
    cases.push(case("cast_text_to_boolean", of_orders(prop("OrderNo").cast(T::Boolean))));
    cases.push(case("cast_text_to_datetime", of_orders(prop("OrderNo").cast(T::DateTime2))));
    cases.push(case("cast_text_to_time", of_orders(prop("OrderNo").cast(T::Time))));
    cases.push(case("cast_text_that_may_be_null_to_time", of_orders(prop("Note").cast(T::Time))));
    cases.push(case("cast_text_to_double", of_orders(prop("OrderNo").cast(T::Double))));
    cases.push(case("cast_of_a_parameter", of_orders(value("5").cast(T::Int32))));
    cases.push(case("cast_a_time_with_an_offset_to_datetime2", of_orders(prop("UpdatedTime").cast(T::DateTime2))));
    cases.push(case("cast_a_time_with_an_offset_to_date", of_orders(prop("UpdatedTime").cast(T::Date))));
    cases.push(case("cast_a_date_to_a_time_with_an_offset", of_orders(prop("ShipDate").cast(T::DateTimeOffset))));
    cases.push(case(
        "cast_of_a_random_number",
        of_orders((ValueTypeExpr::from(func("Random", [] as [ValueTypeExpr; 0])) * 6).cast(T::Int32)),
    ));
    cases.push(case(
        "case_of_a_date_and_a_datetime",
        of_orders(if_else(prop("Paid").is_true(), prop("ShipDate"), prop("CreatedTime"))),
    ));
    cases.push(case("cast_of_a_constant", of_orders(constant(2.75).cast(T::Int32))));
    cases.push(case("cast_of_text_that_does_not_fit", of_orders(value("five").cast(T::Int32))));
    cases.push(case("cast_to_an_array", of_orders(null().cast(DbType::array_of(T::Int32)))));
    cases
}
