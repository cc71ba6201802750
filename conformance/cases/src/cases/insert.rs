//! INSERT.

use isogloss_compiler::expr::*;

use super::order_rows;
use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    let names = |n: usize| (0..n).flat_map(|i| [Value::from(format!("n{i}")), Value::Null]).collect::<Vec<_>>();
    let exprs = InsertExpr {
        source: InsertSource::Exprs(vec![
            func("Upper", [ValueTypeExpr::from("ada")]).into(),
            ValueTypeExpr::from(SqlSegment::from(from("Category").select([prop("Id").max()]))),
        ]),
        ..table("Category").insert(["Name", "ParentId"], vec![])
    };
    let own = InsertExpr {
        source: InsertSource::Exprs(
            ["a", "b"]
                .into_iter()
                .flat_map(|name| {
                    let most = SqlSegment::from(from("Category").select([prop("Id").max()]));
                    [ValueTypeExpr::from(name), ValueTypeExpr::from(most)]
                })
                .collect(),
        ),
        ..table("Category").insert(["Name", "ParentId"], vec![])
    };
    vec![
        case("rows_that_look_at_their_table", own),
        case("one_row", table("Category").insert(["Name", "ParentId"], vec!["Tea".into(), 1.into()])),
        case("a_row_of_which_the_database_makes_all", table("Category").insert([] as [&str; 0], Vec::new())),
        case(
            "a_row_of_which_the_database_makes_all_gives_its_number",
            table("Category").insert([] as [&str; 0], Vec::new()).returning([prop("Id")]),
        ),
        case("a_row_that_only_its_fixed_filter_fills", table("Department").insert([] as [&str; 0], Vec::new())),
        case("a_null", table("Category").insert(["Name", "ParentId"], vec!["Tea".into(), Value::Null])),
        case("three_rows", table("Category").insert(["Name", "ParentId"], names(3))),
        case(
            "values_of_every_type",
            table("Order").insert(
                [
                    "OrderNo",
                    "CustomerId",
                    "ProductId",
                    "Qty",
                    "Amount",
                    "Status",
                    "Paid",
                    "CreatedByUserId",
                    "CreatedTime",
                    "ShipDate",
                    "UpdatedTime",
                    "TenantId",
                    "Token",
                    "Data",
                    "IsDeleted",
                ],
                vec![
                    "N1".into(),
                    1.into(),
                    2.into(),
                    3.into(),
                    9.5.into(),
                    "Open".into(),
                    true.into(),
                    4.into(),
                    "2024-01-31T10:20:30".into(),
                    "2024-02-29".into(),
                    "2024-01-31T10:20:30+02:00".into(),
                    1.into(),
                    "00112233-4455-6677-8899-aabbccddeeff".into(),
                    Value::Json(r#"{"a":1}"#.into()),
                    false.into(),
                ],
            ),
        ),
        case("computed_values", exprs),
        case(
            "a_query",
            table("Category")
                .insert_query(["Name"], from("Customer").filter(prop("City").eq("Oslo")).select([prop("Name")])),
        ),
        case(
            "a_query_over_its_own_table",
            table("Category").insert_query(
                ["Name", "ParentId"],
                from("Category").filter(prop("ParentId").is_null()).select([prop("Name"), prop("Id")]),
            ),
        ),
        case(
            "into_a_schema",
            table("OrderItem").insert(
                ["OrderId", "LineNo", "ProductId", "Qty", "Price"],
                vec![1.into(), 1.into(), 2.into(), 3.into(), 4.into()],
            ),
        ),
        case("returning_the_key", table("Category").insert(["Name"], vec!["Tea".into()]).returning([prop("Id")])),
        case(
            "several_rows_returning",
            table("Category")
                .insert(["Name"], vec!["Tea".into(), "Coffee".into()])
                .returning([prop("Id"), prop("Name")]),
        ),
        case(
            "returning_an_expression",
            table("Category")
                .insert(["Name"], vec!["Tea".into()])
                .returning([SelectItemExpr::from("Id"), func("Upper", [prop("Name")]).alias("Shout")]),
        ),
        case("a_thousand_and_one_rows", table("Category").insert(["Name", "ParentId"], names(1_001))),
        case("an_empty_text", table("Category").insert(["Name"], vec!["".into()])),
        case(
            "an_empty_text_that_may_be_null",
            table("Customer").insert(["Name", "City"], vec!["Ada".into(), "".into()]),
        ),
        case("an_identity", table("Category").insert(["Id", "Name"], vec![7.into(), "Tea".into()])),
        case(
            "a_quotient",
            InsertExpr {
                source: InsertSource::Exprs(vec![
                    "Tea".into(),
                    func("Abs", [ValueTypeExpr::from(-5)]) / func("Abs", [ValueTypeExpr::from(0)]),
                ]),
                ..table("Category").insert(["Name", "ParentId"], vec![])
            },
        ),
        case(
            "a_query_of_other_types",
            table("Product").insert_query(
                ["Name", "Price", "CategoryId"],
                from("Order").select([prop("Id").into(), prop("Amount") / 3, ValueTypeExpr::from(prop("Amount"))]),
            ),
        ),
        case(
            "a_query_of_a_window_beside_a_subquery",
            table("Product").insert_query(
                ["Name", "Price"],
                from("Order").select([
                    ValueTypeExpr::from(prop("OrderNo")),
                    ValueTypeExpr::from(
                        func("RowNumber", Vec::<ValueTypeExpr>::new()).over().order_by([prop("Id").asc()]),
                    ) / 3
                        + ValueTypeExpr::from(from("Order").select([prop("Amount").max()])),
                ]),
            ),
        ),
        case(
            "a_query_of_other_types_without_equals",
            table("Category")
                .insert_query(["Name", "ParentId"], from("Order").select([prop("Token"), prop("Amount")]).distinct()),
        ),
        case(
            "a_set_operation_of_other_types",
            table("Customer").insert_query(
                ["Name", "Birthday", "Tier", "Active"],
                from("Order").select([prop("OrderNo"), prop("CreatedTime"), prop("Qty"), prop("TenantId")]).union_all(
                    from("Order").select([prop("OrderNo"), prop("CreatedTime"), prop("Qty"), prop("TenantId")]),
                ),
            ),
        ),
        case(
            "a_query_of_times_with_more_digits",
            table("Shift").insert_query(
                ["Id", "BeginTime", "EndTime"],
                from("Shift").select([prop("Id") + 1, prop("Fine").into(), prop("BeginTime").into()]),
            ),
        ),
        case(
            "a_time_without_an_offset_from_one_with",
            table("Order").insert_query(["CreatedTime"], from("Order").select([prop("UpdatedTime")])),
        ),
        case(
            "a_query_of_a_type_that_does_not_fit",
            table("Category")
                .insert_query(["Name", "ParentId"], from("Order").select([prop("OrderNo"), prop("Token")])),
        ),
        case(
            "rows_of_other_types",
            InsertExpr {
                source: InsertSource::Exprs(vec![
                    func("Abs", [ValueTypeExpr::from(-5)]).into(),
                    "1.005".parse::<Decimal>().unwrap_or_default().into(),
                    "Tea".into(),
                    func("Abs", [ValueTypeExpr::from(-2.5)]).into(),
                ]),
                ..table("Product").insert(["Name", "Price"], vec![])
            },
        ),
        case("null_for_a_column_that_is_never_null", table("Category").insert(["Name"], vec![Value::Null])),
        case("a_computed_column", table("OrderItem").insert(["Total"], vec![1.into()])),
        case("no_whole_rows", table("Category").insert(["Name", "ParentId"], vec!["Tea".into()])),
        case(
            "a_query_of_another_width",
            table("Category").insert_query(["Name", "ParentId"], order_rows(prop("Qty").gt(1))),
        ),
        case("a_view", table("OrderView").insert(["CustomerName"], vec!["Ada".into()])),
    ]
}
