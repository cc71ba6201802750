//! INSERT or UPDATE in one statement.

use isogloss_compiler::expr::*;

use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    let none = [] as [&str; 0];
    let category = || table("Category").insert(["Id", "Name", "ParentId"], vec![1.into(), "Tea".into(), Value::Null]);
    let lines = || {
        table("OrderItem").insert(
            ["OrderId", "LineNo", "ProductId", "Qty", "Price"],
            vec![1.into(), 1.into(), 2.into(), 3.into(), 4.into(), 1.into(), 2.into(), 2.into(), 3.into(), 4.into()],
        )
    };
    vec![
        case("by_the_primary_key", category().on_conflict_update(none)),
        case("do_nothing", category().on_conflict_do_nothing(none)),
        case(
            "by_a_unique_column",
            table("User")
                .insert(
                    ["Name", "Email", "Age", "IsAdmin", "Password"],
                    vec!["Ada".into(), "ada@x.org".into(), 36.into(), false.into(), "x".into()],
                )
                .on_conflict_update(["Email"]),
        ),
        case("by_a_composite_key", lines().on_conflict_update(none)),
        case("do_nothing_by_a_composite_key", lines().on_conflict_do_nothing(none)),
        case(
            "some_columns",
            category()
                .conflict(none, ConflictAction::Update(vec![("Name".into(), prop_of("excluded", "Name").into())])),
        ),
        case(
            "the_sum_of_both",
            lines().conflict(
                none,
                ConflictAction::Update(vec![
                    ("Qty".into(), prop("Qty") + prop_of("excluded", "Qty")),
                    ("Price".into(), value(5).into()),
                ]),
            ),
        ),
        case("returning", category().on_conflict_update(none).returning([prop("Id"), prop("Name")])),
        case("do_nothing_returning", category().on_conflict_do_nothing(none).returning([prop("Id")])),
        case(
            "of_a_query",
            table("Category")
                .insert_query(["Id", "Name"], from("Customer").select([prop("Id"), prop("Name")]))
                .on_conflict_update(none),
        ),
        case("only_the_key", table("Category").insert(["Id"], vec![1.into()]).on_conflict_update(none)),
        case("without_its_key", table("Category").insert(["Name"], vec!["Tea".into()]).on_conflict_update(none)),
    ]
}
