//! What the variants of PostgreSQL make of a case that PostgreSQL spells otherwise.

use isogloss_compiler::expr::*;
use isogloss_postgres::{CockroachDb, Postgres, citus, yugabytedb};

use super::{insert_item, of_orders, orders};
use crate::{Case, Target, case};

/// PostgreSQL, and the variants whose text differs.
fn engines() -> Vec<Target> {
    let variants: [Target; 4] = [
        CockroachDb::V25_2.into(),
        CockroachDb::V24_1.into(),
        yugabytedb(2025, 1).into(),
        citus(13, 0, Postgres::V15).into(),
    ];
    let mut all = vec![Postgres::V15.into()];
    all.extend(variants.map(|target| Target { unlike: Some("postgres"), ..target }));
    all
}

pub(super) fn cases() -> Vec<Case> {
    use DbValueType as T;
    let test = |name: &str, pattern: &str| case(name, orders(prop("Note").regexp_like(pattern)));
    let replaced = |with: &str| {
        let args = [prop("Note").into(), ValueTypeExpr::from("[0-9]+"), with.into()];
        of_orders(func("RegexpReplace", args))
    };
    let json = |path: &str| of_orders(func("JsonValue", [prop("Data").into(), ValueTypeExpr::from(path)]));
    let customers = from("Customer").filter(prop("CreditLimit").gt(100)).select([prop("Id")]);
    [
        case("a_quotient_of_whole_numbers", of_orders(prop("Qty") / prop("CustomerId") * 2 - 1)),
        case("a_whole_number_of_32_bits", of_orders(prop("Id").cast(T::Int32))),
        case("a_decimal_as_text", of_orders(prop("Amount").cast(T::String))),
        case("a_root_of_a_whole_number", of_orders(func("Sqrt", [prop("Qty")]))),
        case(
            "an_order_that_says_where_nulls_are",
            from("Order").order_by([prop("Note").asc().nulls_last()]).select([prop("Id")]),
        ),
        case("least_of_nulls", from("Order").select([ValueTypeExpr::from(null()).min().alias("Least")])),
        test("any_character", "a.b"),
        test("a_word", r"\bcat\b"),
        test("a_look_ahead", "a(?=b)"),
        test("a_reference", r"(a|b)\1"),
        case("replaced_by_a_backslash", replaced(r"\1")),
        case("replaced_by_both", replaced(r"\&")),
        case("a_member_of_json", json("$.a.b")),
        case("an_item_of_json", json("$.a[3]")),
        case("not_in_a_subquery", orders(prop("CustomerId").not_in_list(customers))),
        case(
            "no_wait",
            from("Order").filter(prop("Id").eq(5)).lock(LockMode::Update, LockWait::NoWait).select([prop("Id")]),
        ),
        case("an_identity", table("Category").insert(["Id", "Name"], vec![7.into(), "Tea".into()])),
        case(
            "a_time_with_digits_that_a_column_has_no_room_for",
            table("Shift")
                .update([
                    ("Coarse", ValueTypeExpr::from(prop("Fine"))),
                    ("UtcTime", func("AddMinutes", [prop("UtcFine").into(), ValueTypeExpr::from(5)]).into()),
                    ("Tea", func("TimeOfDay", [prop("Fine")]).into()),
                ])
                .filter(prop("Id").eq(1)),
        ),
        case("a_row_without_a_place", insert_item(&["LineNo", "ProductId", "Qty", "Price"])),
        case("a_row_with_its_place", insert_item(&["OrderId", "LineNo", "ProductId", "Qty", "Price"])),
        case("a_row_that_moves", table("OrderItem").update([("OrderId", 2)]).filter(prop("OrderId").eq(1))),
    ]
    .into_iter()
    .map(|case| case.on(engines()))
    .collect()
}
