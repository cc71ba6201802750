//! Where SQL Server by itself would give another answer than the other engines.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use isogloss_compiler::dialect::Dialect as _;
use isogloss_compiler::expr::{DbValueType as T, *};
use isogloss_sqlserver::SqlServer;

use crate::support::{condition, item, item_in, query, refused, rules};

const TOKEN: &str = "LOWER(CAST([T0].[Token] AS nvarchar(36)))";

#[test]
fn columns_take_what_a_cast_would_give() {
    let from = |from, to: &[T]| {
        let all = [T::Boolean, T::Int32, T::Decimal, T::String, T::Json, T::Xml];
        let all = all.iter().chain(&[T::Date, T::Time, T::DateTime, T::DateTime2, T::DateTimeOffset]);
        let taken: Vec<T> = all.copied().filter(|to| SqlServer::V2019.assigns(from, *to)).collect();
        assert_eq!(taken, to, "{from:?}");
    };
    from(T::Boolean, &[T::Boolean, T::Int32, T::Decimal]);
    from(T::Int32, &[T::Boolean, T::Int32, T::Decimal]);
    from(T::Decimal, &[T::Boolean, T::Decimal]);
    from(T::String, &[T::String, T::Json, T::Xml]);
    from(T::Date, &[T::Date, T::DateTime, T::DateTime2, T::DateTimeOffset]);
    from(T::Time, &[T::Time]);
    from(T::DateTime2, &[T::Date, T::Time, T::DateTime, T::DateTime2, T::DateTimeOffset]);
    from(T::DateTimeOffset, &[T::DateTimeOffset]);
}

#[test]
fn uuids_are_in_the_order_of_their_texts() {
    let key = "12345678-0000-0000-0000-000000000000";
    assert_eq!(condition(prop("Token").gt(key)), format!("{TOKEN} > @P1"));
    assert_eq!(condition(prop("Token").le(prop("Token"))), format!("{TOKEN} <= {TOKEN}"));
    // An index serves these.
    assert_eq!(condition(prop("Token").eq(key)), "[T0].[Token] = @P1");
    assert_eq!(condition(prop("Token").ne(key)), "[T0].[Token] <> @P1");
    assert_eq!(condition(prop("Token").in_list([key])), "[T0].[Token] IN (@P1)");
    let ordered = |query: SqlSegment| query.order_by([prop("Token").desc()]);
    assert_eq!(
        query(ordered(from("Order")).select([prop("Id")])),
        format!("SELECT [T0].[Id] FROM [Orders] [T0] ORDER BY {TOKEN} DESC")
    );
    assert_eq!(
        query(ordered(from("Order")).select([prop("Token").alias("Key")])),
        format!("SELECT [T0].[Token] AS [Key] FROM [Orders] [T0] ORDER BY {TOKEN} DESC")
    );
    let tokens = || from("Order").select([prop("Token")]);
    assert_eq!(
        query(tokens().union(tokens()).into_segment().order_by([prop("Token").asc()]).take(1)),
        "SELECT TOP (@P1) * FROM (SELECT [T0].[Token] FROM [Orders] [T0] UNION SELECT [T1].[Token] FROM [Orders] [T1]) \
         [T2] ORDER BY LOWER(CAST([Token] AS nvarchar(36)))"
    );
    assert!(refused(tokens().distinct().into_segment().order_by([prop("Token").asc()])).contains("distinct UUIDs"));
    assert_eq!(item(prop("Token").max()), "CAST(MAX(CAST([T0].[Token] AS char(36))) AS uniqueidentifier)");
    for version in [SqlServer::V2019, SqlServer::V2022] {
        let greatest = item_in(version, func("Greatest", [prop("Token"), prop("Token")]));
        assert!(greatest.starts_with(&format!("CASE WHEN {TOKEN} >= {TOKEN} THEN [T0].[Token] ")), "{greatest}");
    }
    let number = func("RowNumber", [] as [ValueTypeExpr; 0]).over().order_by([prop("Token").asc()]);
    assert_eq!(item(number), format!("ROW_NUMBER() OVER (ORDER BY {TOKEN})"));
    assert_eq!(rules(prop("Token").min()), ["guid_text"]);
}

#[test]
fn a_sum_of_decimals_keeps_the_digits_of_both() {
    let (sum, average) = (|| prop("Amount").sum(), || prop("Amount").avg());
    assert_eq!(item(sum() + average()), "CAST(SUM([T0].[Amount]) AS decimal(38, 6)) + AVG([T0].[Amount])");
    assert_eq!(item(average() - sum()), "AVG([T0].[Amount]) - CAST(SUM([T0].[Amount]) AS decimal(38, 6))");
    assert_eq!(item(sum() + sum()), "SUM([T0].[Amount]) + SUM([T0].[Amount])");
    assert_eq!(item(prop("Amount") + prop("Qty")), "[T0].[Amount] + [T0].[Qty]");
    assert_eq!(rules(prop("Amount") + prop("Amount") + 1), [] as [&str; 0]);
    assert_eq!(rules(sum() + 1), [] as [&str; 0]);
    // Of a CASE and a COALESCE it is said, besides that of the average by itself.
    let two = |name: &'static str, a: FunctionExpr, b: FunctionExpr| rules(func(name, [a, b]));
    assert_eq!(two("Coalesce", sum(), average()), ["decimal_digits"; 2]);
    assert_eq!(two("Coalesce", sum(), sum()), [] as [&str; 0]);
}

#[test]
fn a_subquery_is_computed_once() {
    let one = |column: &'static str| -> ValueTypeExpr {
        SqlSegment::from(from("User").take(1).select([prop(column)])).into()
    };
    let found = |value: ValueTypeExpr, other: ValueTypeExpr| item(func("Coalesce", [value, other]));
    assert!(found(one("Age"), 5.into()).starts_with("ISNULL((SELECT "));
    assert!(found(one("Email"), "".into()).starts_with("ISNULL((SELECT "));
    // ISNULL would cut it to the length of the column.
    assert!(found(one("Email"), "nobody".into()).starts_with("COALESCE((SELECT "));
    let sum: ValueTypeExpr = SqlSegment::from(from("Order").select([prop("Amount").sum()])).into();
    assert!(found(sum, 0.into()).starts_with("ISNULL((SELECT "));
}

#[test]
fn a_random_value_is_drawn_once() {
    let random = || ValueTypeExpr::from(func("Random", [] as [ValueTypeExpr; 0]));
    let of = |name: &'static str, first: ValueTypeExpr, second: ValueTypeExpr| {
        refused(from("Order").select([func(name, [first, second])]))
    };
    assert!(of("Coalesce", random(), 1.into()).starts_with("Coalesce of a random value"));
    assert!(of("NullIf", random(), 1.into()).starts_with("NullIf of a random value"));
    assert_eq!(item(func("Coalesce", [prop("Qty").into(), random()])), "COALESCE([T0].[Qty], RAND(CHECKSUM(NEWID())))");
}

#[test]
fn a_long_span_is_added_in_two_steps() {
    let add =
        |name: &'static str, column: &'static str, span: ValueTypeExpr| item(func(name, [prop(column).into(), span]));
    assert_eq!(add("AddSeconds", "CreatedTime", prop("Qty").into()), "DATEADD(second, [T0].[Qty], [T0].[CreatedTime])");
    assert_eq!(
        add("AddSeconds", "CreatedTime", prop("Id").into()),
        "DATEADD(second, [T0].[Id] % 86400, DATEADD(day, [T0].[Id] / 86400, [T0].[CreatedTime]))"
    );
    // A column of whole seconds would keep no milliseconds.
    assert_eq!(
        add("AddMilliseconds", "CreatedTime", 60.into()),
        "DATEADD(millisecond, @P1, CAST([T0].[CreatedTime] AS datetime2))"
    );
    let far = add("AddMilliseconds", "ShipDate", 3_000_000_000_i64.into());
    assert_eq!(
        far,
        "DATEADD(millisecond, @P1 % 86400000, DATEADD(day, @P1 / 86400000, CAST([T0].[ShipDate] AS datetime2)))"
    );
}

#[test]
fn an_empty_text_and_a_filling_that_is_null() {
    let of = |name: &'static str, args: Vec<ValueTypeExpr>| item(func(name, args));
    assert_eq!(
        of("Ascii", vec![prop("Note").into()]),
        "CASE WHEN DATALENGTH([T0].[Note]) = 0 THEN 0 ELSE ASCII([T0].[Note]) END"
    );
    let pad = |fill: &'static str| of("PadLeft", vec![prop("OrderNo").into(), 5.into(), prop(fill).into()]);
    assert!(
        pad("Note").starts_with("CASE WHEN LEFT([T0].[Note], 1) IS NULL THEN NULL ELSE CASE WHEN LEN("),
        "{}",
        pad("Note")
    );
    assert!(pad("Status").starts_with("CASE WHEN LEN("));
}

#[test]
fn not_in_passes_over_no_null() {
    let list = |last: Value| (0..70).map(Value::from).chain([last]).collect::<Vec<_>>();
    let text = |last: Value| condition(prop("SalesUserId").not_in_list(list(last)));
    assert!(text(70.into()).ends_with(" WHERE [v] IS NOT NULL)"), "{}", text(70.into()));
}

/// `Category` and what stands below it, by rounds of that form.
fn below(rounds: impl FnOnce(SqlSegment) -> SelectExpr, kind: TableJoinType) -> Expr {
    let step =
        cte("tree").join(kind, from("Category").aliased("c"), prop_of("c", "ParentId").eq(prop_of("tree", "Id")));
    let first = from("Category").filter(prop("ParentId").is_null()).select([prop("Id")]);
    SqlSegment::from(first.union_all(rounds(step)).with("tree")).select([prop("Id")]).into()
}

#[test]
fn a_round_of_a_recursion_has_rows_of_inner_joins_only() {
    let ids = |step: SqlSegment| step.select([prop_of("c", "Id")]);
    let inner = |rounds: fn(SqlSegment) -> SelectExpr| refused(below(rounds, TableJoinType::Inner));
    assert!(refused(below(ids, TableJoinType::Left)).ends_with("here it is an outer join"));
    // In a subquery; in the round itself, it is an error on every engine.
    assert!(
        inner(|step| {
            let most: ValueTypeExpr = SqlSegment::from(from("User").select([prop("Id").max()])).into();
            step.filter(prop_of("c", "Id").lt(most)).select([prop_of("c", "Id")])
        })
        .ends_with("here it is a group or an aggregate")
    );
    // The first member may have all of them.
    assert!(query(below(ids, TableJoinType::Inner)).contains(" UNION ALL "));
}
