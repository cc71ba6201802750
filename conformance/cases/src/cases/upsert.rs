//! INSERT or UPDATE in one statement.

use isogloss_compiler::expr::*;

use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    let none = [] as [&str; 0];
    let region = || table("Region").insert(["Id", "Name", "ParentId"], vec![1.into(), "North".into(), Value::Null]);
    let regions = |ids: [i32; 2]| {
        table("Region").insert(["Id", "Name"], ids.into_iter().flat_map(|id| [id.into(), "North".into()]).collect())
    };
    let coded = || table("Region").insert(["Id", "Name", "Code"], vec![1.into(), "North".into(), "N".into()]);
    let lines = || {
        table("OrderItem").insert(
            ["OrderId", "LineNo", "ProductId", "Qty", "Price"],
            vec![1.into(), 1.into(), 2.into(), 3.into(), 4.into(), 1.into(), 2.into(), 2.into(), 3.into(), 4.into()],
        )
    };
    vec![
        case("by_the_primary_key", region().on_conflict_update(none)),
        case("do_nothing", region().on_conflict_do_nothing(none)),
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
            region().conflict(none, ConflictAction::Update(vec![("Name".into(), prop_of("excluded", "Name").into())])),
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
        case(
            "a_subquery_of_the_proposed_row",
            lines().conflict(
                none,
                ConflictAction::Update(vec![(
                    "Price".into(),
                    ValueTypeExpr::from(
                        from("Product")
                            .filter(prop("Id").eq(prop_of("excluded", "ProductId")))
                            .select([prop("Price").max()])
                            .into_segment(),
                    ),
                )]),
            ),
        ),
        case(
            "other_types",
            lines().conflict(
                none,
                ConflictAction::Update(vec![
                    ("Qty".into(), prop_of("excluded", "Price") / 2),
                    ("Price".into(), prop_of("excluded", "Qty").into()),
                    ("RefLineNo".into(), prop_of("excluded", "Price").into()),
                ]),
            ),
        ),
        case(
            "a_constant_that_reads_like_a_query",
            region()
                .conflict(none, ConflictAction::Update(vec![("Name".into(), constant("see (SELECT help)").into())])),
        ),
        case(
            "the_value_of_a_query",
            region().conflict(
                none,
                ConflictAction::Update(vec![("Name".into(), from("Customer").select([prop("Name").max()]).into())]),
            ),
        ),
        case("returning", region().on_conflict_update(none).returning([prop("Id"), prop("Name")])),
        case("do_nothing_returning", region().on_conflict_do_nothing(none).returning([prop("Id")])),
        case(
            "of_a_query",
            table("Region")
                .insert_query(["Id", "Name"], from("Customer").select([prop("Id"), prop("Name")]))
                .on_conflict_update(none),
        ),
        case("only_the_key", table("Region").insert(["Id"], vec![1.into()]).on_conflict_update(none)),
        case("without_its_key", table("Region").insert(["Name"], vec!["North".into()]).on_conflict_update(none)),
        case(
            "by_an_identity_key",
            table("Category").insert(["Id", "Name"], vec![1.into(), "Tea".into()]).on_conflict_update(none),
        ),
        case(
            "do_nothing_by_an_identity_key",
            table("Category").insert(["Id", "Name"], vec![1.into(), "Tea".into()]).on_conflict_do_nothing(none),
        ),
        case("a_key_twice", regions([1, 1]).on_conflict_update(none)),
        case("a_key_twice_and_do_nothing", regions([1, 1]).on_conflict_do_nothing(none)),
        case("two_rows", regions([1, 2]).on_conflict_update(none)),
        case(
            "do_nothing_of_a_query",
            table("Region")
                .insert_query(["Id", "Name"], from("Customer").select([prop("Id"), prop("Name")]))
                .on_conflict_do_nothing(none),
        ),
        case(
            "do_nothing_by_a_nullable_key",
            table("Region")
                .insert(
                    ["Id", "Name", "Code"],
                    vec![1.into(), "North".into(), Value::Null, 2.into(), "South".into(), Value::Null],
                )
                .on_conflict_do_nothing(["Code"]),
        ),
        case("beside_another_key", coded().on_conflict_update(none)),
        case("do_nothing_beside_another_key", coded().on_conflict_do_nothing(none)),
        case("by_another_key", coded().on_conflict_update(["Code"])),
        case(
            "of_a_cross_join",
            table("Region")
                .insert_query(
                    ["Id", "Name"],
                    from("Customer")
                        .join(TableJoinType::Cross, from("Category").aliased("c"), None)
                        .select([prop("Id"), prop_of("c", "Name")]),
                )
                .on_conflict_update(none),
        ),
    ]
}
