//! UNION, INTERSECT and EXCEPT.

use isogloss_compiler::expr::*;

use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    let customers = || from("Customer").select([prop("Name")]);
    let users = || from("User").select([prop("Name")]);
    let products = || from("Product").select([prop("Name")]);
    let top = || from("User").order_by([prop("Age").desc()]).take(3).select([prop("Name")]);
    let shipped = || from("Order").select([prop("ShipDate").alias("Birthday")]);
    vec![
        case("union_all", customers().union_all(users())),
        case("union", customers().union(users())),
        case("intersect", customers().intersect(users())),
        case("except", customers().except(users())),
        case("three", customers().union_all(users()).union_all(products())),
        case("equal_rank_from_left_to_right", customers().union(users()).intersect(products())),
        case("a_nested_member", customers().except(users().union(products()))),
        case("a_nested_intersection", customers().union(users().intersect(products()))),
        case("a_member_with_a_limit", customers().union_all(top())),
        case("a_first_member_with_a_limit", top().union_all(customers())),
        case("ordered", customers().union(users()).into_segment().order_by([prop("Name").asc()])),
        case("paged", customers().union_all(users()).into_segment().order_by([prop("Name").asc()]).section(10, 5)),
        case("paged_to_nothing", customers().union(users()).into_segment().skip(2).take(0)),
        case("paged_without_an_order", customers().union_all(users()).into_segment().take(5)),
        case(
            "paged_in_a_derived_table",
            customers().union_all(users()).into_segment().order_by([prop("Name").asc()]).take(3).select([prop("Name")]),
        ),
        case(
            "paged_in_a_list",
            from("Order")
                .filter(
                    prop("Note").in_list(
                        customers().union(users()).into_segment().order_by([prop("Name").asc()]).section(1, 2),
                    ),
                )
                .select([prop("Id")]),
        ),
        case(
            "a_paged_member",
            customers()
                .union(users())
                .into_segment()
                .order_by([prop("Name").asc()])
                .take(3)
                .select([prop("Name")])
                .except(products()),
        ),
        case(
            "filtered",
            customers().union_all(users()).into_segment().filter(prop("Name").starts_with("A")).select([prop("Name")]),
        ),
        case("counted", customers().union_all(users())).verb(isogloss_compiler::Verb::Count),
        case(
            "of_constants",
            from("Customer")
                .select([SelectItemExpr::from("Name"), constant("customer").alias("Kind")])
                .union_all(from("User").select([SelectItemExpr::from("Name"), constant("user").alias("Kind")])),
        ),
        case(
            "with_parameters",
            from("Customer")
                .select([SelectItemExpr::from("Name"), value(1).alias("Kind")])
                .union_all(from("User").select([SelectItemExpr::from("Name"), value(2).alias("Kind")])),
        ),
        case(
            "with_nulls_before_the_type",
            from("Customer")
                .select([null().alias("Birthday")])
                .union_all(from("User").select([null().alias("Birthday")]))
                .union_all(shipped()),
        ),
        case(
            "with_null_in_distinct_rows",
            from("Customer").select([null().alias("Birthday")]).distinct().union_all(shipped()),
        ),
        case(
            "with_null_in_a_page",
            from("Customer")
                .order_by([prop("Name").asc()])
                .take(2)
                .select([null().alias("Birthday")])
                .union_all(shipped()),
        ),
        case(
            "with_null_in_a_page_without_an_order",
            from("Customer").take(2).select([null().alias("Birthday")]).union_all(shipped()),
        ),
        case(
            "with_null_in_groups",
            from("Customer").group_by([prop("Name")]).select([null().alias("Birthday")]).union_all(shipped()),
        ),
        case(
            "with_nulls_in_a_nested_member",
            shipped().union(
                from("Customer")
                    .select([null().alias("Birthday")])
                    .except(from("Product").select([null().alias("Birthday")])),
            ),
        ),
        case(
            "with_null",
            from("Customer")
                .select([SelectItemExpr::from("Name"), "Birthday".into()])
                .union_all(from("User").select([SelectItemExpr::from("Name"), null().alias("Birthday")])),
        ),
        case(
            "in_a_list",
            from("Order")
                .filter(
                    prop("CustomerId").in_list(
                        from("Customer")
                            .filter(prop("City").eq("Oslo"))
                            .select([prop("Id")])
                            .union(from("User").filter(prop("IsAdmin").is_true()).select([prop("Id")])),
                    ),
                )
                .select([prop("Id")]),
        ),
        case(
            "as_a_derived_table",
            SqlSegment::from(FromExpr {
                source: customers().union(users()).into_segment().aliased("n"),
                joins: vec![],
            })
            .group_by([prop("Name")])
            .select([SelectItemExpr::from("Name"), count_all().alias("N")]),
        ),
        case("of_two_tables_over_the_root", customers().union(users())).root("Customer"),
        case("of_two_tables_over_another_root", customers().union(users())).root("User"),
        case("of_two_tables_filtered", customers().union(users()).into_segment().filter(prop("Name").eq("x")))
            .root("Customer"),
        case("of_other_widths", from("Customer").select([prop("Id"), prop("Name")]).union(users())),
    ]
}
