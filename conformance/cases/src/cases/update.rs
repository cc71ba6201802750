//! UPDATE.

use isogloss_compiler::expr::*;

use crate::{Case, case};

pub(super) fn cases() -> Vec<Case> {
    let order = || prop("Id").eq(7);
    let latest = || {
        ValueTypeExpr::from(SqlSegment::from(
            from("OrderItem").filter(prop("OrderId").eq(prop_of("T0", "Id"))).select([prop("Price").sum()]),
        ))
    };
    let decimal = |text: &str| ValueTypeExpr::from(text.parse::<Decimal>().unwrap_or_default());
    vec![
        case("a_value", table("Order").update([("Note", "x")]).filter(order())),
        case("an_expression", table("Order").update([("Qty", prop("Qty") + 1)]).filter(order())),
        case(
            "several",
            table("Order").update([("Qty", ValueTypeExpr::from(1)), ("Amount", prop("Amount") * 2)]).filter(order()),
        ),
        case("to_null", table("Order").update([("Note", Value::Null)]).filter(order())),
        case(
            "constants_that_read_like_columns",
            table("User").update([("Name", constant("`Email`")), ("Email", constant("`Name`"))]).filter(order()),
        ),
        case("an_enum_by_its_name", table("Order").update([("Status", "Shipped")]).filter(prop("Status").eq("Open"))),
        case(
            "a_predicate",
            table("Order").update([("Paid", ValueTypeExpr::from(prop("Amount").le(0)))]).filter(order()),
        ),
        case("a_case", table("Order").update([("Note", if_else(prop("Qty").gt(5), "many", "few"))]).filter(order())),
        case("a_date_from_a_datetime", table("Order").update([("ShipDate", prop("CreatedTime"))]).filter(order())),
        case(
            "a_date_from_what_is_computed_of_times",
            table("Order")
                .update([("ShipDate", func("Coalesce", [prop("UpdatedTime"), prop("CreatedTime")]))])
                .filter(order()),
        ),
        case(
            "a_whole_number_from_a_fraction",
            table("Order")
                .update([("Qty", prop("Amount") / 2), ("CustomerId", prop("ProductId").into())])
                .filter(order()),
        ),
        case(
            "texts_from_a_guid_and_a_truth_value",
            table("Order").update([("Note", prop("Token")), ("OrderNo", prop("Paid"))]).filter(order()),
        ),
        case(
            "texts_from_a_decimal_and_a_time",
            table("Order").update([("Note", prop("Amount")), ("OrderNo", prop("CreatedTime"))]).filter(order()),
        ),
        case("a_text_from_a_whole_number", table("Order").update([("Note", prop("Qty"))]).filter(order())),
        case("a_truth_value_from_a_number", table("Order").update([("Paid", prop("Qty"))]).filter(order())),
        case(
            "numbers_from_a_truth_value",
            table("Order").update([("Qty", prop("Paid")), ("Amount", prop("Paid"))]).filter(order()),
        ),
        case("a_truth_value_from_a_text", table("Order").update([("Paid", prop("Note"))]).filter(order())),
        case(
            "a_time_with_an_offset_from_one_without",
            table("Order").update([("UpdatedTime", prop("CreatedTime")), ("Token", prop("Note"))]).filter(order()),
        ),
        case(
            "digits_that_a_column_has_no_room_for",
            table("Order").update([("Amount", prop("Amount") * decimal("1.05"))]).filter(order()),
        ),
        case(
            "a_value_with_digits_that_a_column_has_no_room_for",
            table("Order").update([("Amount", decimal("-1.005"))]).filter(order()),
        ),
        case(
            "times_with_digits_that_a_column_has_no_room_for",
            table("Shift")
                .update([
                    ("BeginTime", func("Now", [] as [ValueTypeExpr; 0]).into()),
                    ("EndTime", func("AddMinutes", [prop("Fine").into(), ValueTypeExpr::from(5)]).into()),
                    ("Coarse", ValueTypeExpr::from(prop("Fine"))),
                    ("UtcTime", func("AddMinutes", [prop("UtcFine").into(), ValueTypeExpr::from(5)]).into()),
                    ("UtcFine", func("AddMinutes", [prop("UtcFine").into(), ValueTypeExpr::from(5)]).into()),
                    ("Lunch", func("TimeOfDay", [prop("Fine")]).into()),
                    ("Tea", func("TimeOfDay", [prop("Fine")]).into()),
                    ("Fine", func("Now", [] as [ValueTypeExpr; 0]).into()),
                ])
                .filter(order()),
        ),
        case(
            "times_without_digits_that_a_column_has_no_room_for",
            table("Shift")
                .update([
                    ("EndTime", ValueTypeExpr::from(prop("BeginTime"))),
                    ("UtcTime", ValueTypeExpr::from(prop("UtcTime"))),
                    ("Fine", ValueTypeExpr::from(prop("BeginTime"))),
                    ("Coarse", func("TruncDay", [prop("BeginTime")]).into()),
                ])
                .filter(order()),
        ),
        case(
            "a_random_time",
            table("Shift")
                .update([(
                    "Coarse",
                    func(
                        "AddSeconds",
                        [
                            ValueTypeExpr::from(prop("Fine")),
                            ValueTypeExpr::from(func("Random", [] as [ValueTypeExpr; 0])) * 60,
                        ],
                    ),
                )])
                .filter(order()),
        ),
        case(
            "a_time_of_a_subquery",
            table("Shift")
                .update([("Coarse", ValueTypeExpr::from(SqlSegment::from(from("Shift").select([prop("Fine").max()]))))])
                .filter(order()),
        ),
        case("a_guid_from_a_number", table("Order").update([("Token", prop("Qty"))]).filter(order())),
        case("a_date_from_a_number", table("Order").update([("ShipDate", prop("Qty") + 1)]).filter(order())),
        case("an_enum_from_a_number", table("Order").update([("Status", prop("Qty"))]).filter(order())),
        case("an_array_from_a_text", table("Order").update([("Tags", prop("Note"))]).filter(order())),
        case("a_text_from_json", table("Order").update([("Note", prop("Data"))]).filter(order())),
        case("a_scalar_subquery", table("Order").update([("Amount", latest())]).filter(order())),
        case(
            "a_scalar_of_several_rows",
            table("Order")
                .update([(
                    "Amount",
                    ValueTypeExpr::from(SqlSegment::from(
                        from("OrderItem").filter(prop("OrderId").eq(prop_of("T0", "Id"))).select([prop("Price")]),
                    )),
                )])
                .filter(order()),
        ),
        case("all_rows", table("Order").update([("Note", "x")]).all_rows()),
        case("where_a_constant_is_itself", table("Order").update([("Note", "x")]).filter(value(1).eq(1))),
        case("where_one_of_two_is_true", table("Order").update([("Note", "x")]).filter(order() | value("a").eq("a"))),
        case("where_one_of_two_is_false", table("Order").update([("Note", "x")]).filter(order() | value(1).eq(2))),
        case(
            "over_the_root_with_a_subquery_over_another_table",
            table("Order").update([("Note", "x")]).filter(
                prop("CustomerId").in_list(from("Customer").filter(prop("City").eq("Oslo")).select([prop("Id")])),
            ),
        )
        .root("Order"),
        case(
            "a_related_filter",
            table("Order").update([("Note", "x")]).filter(exists_related("Customer", prop("City").eq("Oslo"))),
        ),
        case(
            "a_filter_over_a_joined_column",
            table("OrderView").update([("Note", "x")]).filter(prop("CustomerCity").eq("Oslo")),
        ),
        case(
            "a_filter_over_a_joined_column_and_its_own",
            table("OrderView").update([("Status", "Closed")]).filter(
                prop("Status").eq("Open") & prop("CustomerCity").eq("Oslo") & func("Length", [prop("Note")]).gt(5),
            ),
        ),
        case(
            "a_fixed_filter_and_a_joined_column",
            table("Department").update([("Name", "x")]).filter(prop_of("Parent", "Name").eq("Sales")),
        ),
        case("an_identity", table("Order").update([("Id", 8)]).filter(order())),
        case("a_quotient", table("Order").update([("Qty", prop("Qty") / prop("CustomerId"))]).filter(order())),
        case("a_remainder", table("Order").update([("Qty", prop("Qty") % prop("CustomerId"))]).filter(order())),
        case(
            "a_logarithm",
            table("Product").update([("Weight", func("Log", [prop("Weight")]))]).filter(prop("Id").eq(1)),
        ),
        case("an_empty_text", table("Customer").update([("Name", "")]).filter(prop("Id").eq(1))),
        case(
            "returning_from_a_schema",
            table("OrderItem").update([("Qty", 1)]).filter(prop("OrderId").eq(1)).returning([prop("Qty")]),
        ),
        case(
            "a_correlated_list_over_its_own_table",
            table("Category").update([("Name", "x")]).filter(
                prop("ParentId").in_list(
                    from("Category")
                        .aliased("c")
                        .filter(prop_of("c", "Name").eq(prop_of("T0", "Name")))
                        .select([prop_of("c", "Id")]),
                ),
            ),
        ),
        case(
            "a_value_of_its_own_table",
            table("Category")
                .update([(
                    "ParentId",
                    ValueTypeExpr::from(SqlSegment::from(from("Category").select([prop("Id").max()]))),
                )])
                .filter(prop("Id").eq(1)),
        ),
        case(
            "a_correlated_value_of_its_own_table",
            table("Category")
                .update([(
                    "ParentId",
                    ValueTypeExpr::from(SqlSegment::from(
                        from("Category")
                            .aliased("c")
                            .filter(prop_of("c", "Name").eq(prop_of("T0", "Name")))
                            .select([prop_of("c", "Id").max()]),
                    )),
                )])
                .filter(prop("Id").eq(1)),
        ),
        case(
            "a_filter_over_its_own_table",
            table("Category")
                .update([("Name", "x")])
                .filter(prop("ParentId").in_list(from("Category").filter(prop("Name").eq("Tea")).select([prop("Id")]))),
        ),
        case(
            "a_composite_key_over_joined_columns",
            table("OrderItemView").update([("Qty", 1)]).filter(prop("CustomerName").eq("Ada")),
        ),
        case(
            "with_a_version",
            table("OrderItem")
                .update([("Qty", 1)])
                .filter(prop("OrderId").eq(1) & prop("LineNo").eq(2) & prop("Version").eq(3)),
        ),
        case(
            "returning",
            table("Order").update([("Qty", prop("Qty") + 1)]).filter(order()).returning([prop("Id"), prop("Qty")]),
        ),
        case(
            "returning_what_is_spelled_with_a_subquery",
            table("Order").update([("Qty", 1)]).filter(order()).returning([func("JsonLength", [prop("Data")])]),
        ),
        case(
            "returning_a_text_that_reads_like_a_subquery",
            table("Order")
                .update([("Qty", 1)])
                .filter(order())
                .returning([constant("see (SELECT help)").alias("Help")]),
        ),
        case(
            "returning_a_fragment_with_a_subquery",
            table("Order").update([("Qty", 1)]).filter(order()).returning([SelectItemExpr {
                value: ValueTypeExpr::Sql(Child::new(sql("latest", 1))),
                alias: Some("Latest".into()),
            }]),
        ),
        case(
            "returning_a_subquery",
            table("Order").update([("Qty", 1)]).filter(order()).returning([ValueTypeExpr::from(SqlSegment::from(
                from("Customer").filter(prop("Id").eq(prop_of("T0", "CustomerId"))).select([prop("Name")]),
            ))
            .alias("Customer")]),
        ),
        case("without_a_condition", table("Order").update([("Note", "x")])),
        case(
            "with_a_condition_that_is_always_true",
            table("Order").update([("Note", "x")]).filter(LogicExpr::default()),
        ),
        case(
            "of_a_column_that_is_never_changed",
            table("Order").update([("CreatedTime", "2024-01-31")]).filter(order()),
        ),
        case("twice_the_same_column", table("Order").update([("Note", "x"), ("note", "y")]).filter(order())),
        case(
            "with_an_alias",
            TableExpr { alias: Some("o".into()), ..table("Order") }
                .update([("Note", prop_of("o", "OrderNo"))])
                .filter(prop_of("o", "Id").eq(7)),
        ),
        case(
            "with_a_function",
            table("Order")
                .update([("Note", func("Concat", [prop("Note").into(), ValueTypeExpr::from("!")]))])
                .filter(order()),
        ),
    ]
}
