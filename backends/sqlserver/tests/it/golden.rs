//! The text of every form that is special to SQL Server.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use isogloss_compiler::Compiler;
use isogloss_compiler::expr::*;
use isogloss_compiler::legalize::Rule;
use isogloss_compiler::model::{ColumnDef, TableDef, sample};
use isogloss_sqlserver::SqlServer;

use crate::support::{condition, condition_in, ids, item, item_in, query, refused};

#[test]
fn a_page_is_top_or_offset() {
    let orders = || from("Order").order_by([prop("Qty").desc()]);
    assert_eq!(
        query(orders().take(3).select([prop("Id")])),
        "SELECT TOP (@P1) [T0].[Id] FROM [Orders] [T0] ORDER BY [T0].[Qty] DESC, [T0].[Id]"
    );
    assert_eq!(
        query(orders().section(20, 10).select([prop("Id")])),
        "SELECT [T0].[Id] FROM [Orders] [T0] ORDER BY [T0].[Qty] DESC, [T0].[Id] OFFSET @P1 ROWS FETCH NEXT @P2 ROWS ONLY"
    );
    assert_eq!(
        query(orders().skip(20).select([prop("Id")])),
        "SELECT [T0].[Id] FROM [Orders] [T0] ORDER BY [T0].[Qty] DESC, [T0].[Id] OFFSET @P1 ROWS"
    );
    // FETCH NEXT 0 is an error; TOP (0) is not.
    assert_eq!(
        query(orders().section(20, 0).select([prop("Id")])),
        "SELECT TOP (@P1) [T0].[Id] FROM [Orders] [T0] ORDER BY [T0].[Qty] DESC, [T0].[Id]"
    );
    assert_eq!(
        query(from("Order").select([prop("Status")]).distinct().into_segment().take(2)),
        "SELECT DISTINCT TOP (@P1) [T0].[Status] FROM [Orders] [T0] ORDER BY [T0].[Status]"
    );
    assert_eq!(
        query(from("Order").select([count_all()]).into_segment().skip(1)),
        "SELECT COUNT_BIG(*) FROM [Orders] [T0] ORDER BY (SELECT NULL) OFFSET @P1 ROWS"
    );
}

#[test]
fn a_set_has_its_page_behind_it_and_members_theirs_inside() {
    assert_eq!(
        query(ids("Order").union(ids("Customer")).into_segment().take(5)),
        "SELECT [T0].[Id] FROM [Orders] [T0] UNION SELECT [T1].[Id] FROM [Customers] [T1] ORDER BY [Id] \
         OFFSET 0 ROWS FETCH NEXT @P1 ROWS ONLY"
    );
    assert_eq!(
        query(ids("Order").union_all(from("Customer").take(1).select([func("Abs", [prop("Id")])]))),
        "SELECT [T0].[Id] FROM [Orders] [T0] UNION ALL SELECT * FROM \
         (SELECT TOP (@P1) ABS([T1].[Id]) AS [C0] FROM [Customers] [T1] ORDER BY [T1].[Id]) [T2]"
    );
    assert_eq!(
        query(ids("Order").union(ids("Customer")).intersect(ids("Product")).except(ids("User"))),
        "(SELECT [T0].[Id] FROM [Orders] [T0] UNION SELECT [T1].[Id] FROM [Customers] [T1]) INTERSECT \
         SELECT [T2].[Id] FROM [Products] [T2] EXCEPT SELECT [T3].[Id] FROM [Users] [T3]"
    );
    // An order by NULLs is no column of the set.
    assert_eq!(
        query(
            from("Customer")
                .select([prop("City")])
                .union(from("Customer").select([prop("City")]))
                .into_segment()
                .order_by([prop("City").asc().nulls_last()])
        ),
        "SELECT * FROM (SELECT [T0].[City] FROM [Customers] [T0] UNION SELECT [T1].[City] FROM [Customers] [T1]) [T2] \
         ORDER BY CASE WHEN [T2].[City] IS NULL THEN 1 ELSE 0 END, [T2].[City]"
    );
}

#[test]
fn truth_is_a_bit_or_a_predicate() {
    assert_eq!(condition(prop("Paid").is_true()), "[T0].[Paid] = 1");
    // An index on a truth value serves `= 0`, and a filtered one has it as its condition.
    assert_eq!(condition(!prop("Paid").is_true()), "[T0].[Paid] = 0");
    assert_eq!(condition(prop("Paid").ne(constant(true))), "[T0].[Paid] = 0");
    assert_eq!(condition(prop("Qty").ne(constant(1))), "[T0].[Qty] <> 1");
    assert_eq!(condition(!prop("Paid").is_true()), "[T0].[Paid] = 0");
    assert_eq!(condition(prop("Paid").eq(constant(false))), "[T0].[Paid] = 0");
    assert_eq!(condition(prop("Id").in_list([] as [i32; 0])), "1 = 0");
    assert_eq!(item(prop("Qty").gt(1)), "CASE WHEN [T0].[Qty] > @P1 THEN CAST(1 AS bit) ELSE CAST(0 AS bit) END");
    assert_eq!(
        item(prop("Note").eq("x")),
        "CASE WHEN [T0].[Note] = @P1 THEN CAST(1 AS bit) WHEN [T0].[Note] <> @P1 THEN CAST(0 AS bit) END"
    );
    assert_eq!(item(func("BoolAnd", [prop("Paid")])), "CAST(MIN(CAST([T0].[Paid] AS tinyint)) AS bit)");
    assert_eq!(item(func("BoolOr", [prop("Paid")]).over()), "CAST(MAX(CAST([T0].[Paid] AS tinyint)) OVER () AS bit)");
}

#[test]
fn orders_say_where_nulls_go_and_name_a_column_once() {
    let order = |keys: Vec<OrderByItemExpr>| {
        let text = query(from("Order").select([prop("Id")]).into_segment().order_by(keys));
        text.split_once(" ORDER BY ").map(|(_, order)| order.to_owned()).unwrap_or_default()
    };
    assert_eq!(order(vec![prop("Id").asc(), prop("Id").desc()]), "[T0].[Id]");
    let ordered = |key| query(from("Order").order_by([key]).select([prop("Id")]));
    assert!(ordered(prop("Note").asc().nulls_first()).ends_with("ORDER BY [T0].[Note]"));
    assert!(ordered(prop("Note").desc().nulls_last()).ends_with("ORDER BY [T0].[Note] DESC"));
    assert!(
        ordered(prop("Note").desc().nulls_first())
            .ends_with("ORDER BY CASE WHEN [T0].[Note] IS NULL THEN 0 ELSE 1 END, [T0].[Note] DESC")
    );
}

#[test]
fn rows_are_compared_column_by_column() {
    let rows = || row([prop("Id"), prop("Qty")]);
    assert_eq!(condition(rows().gt(row([1, 2]))), "[T0].[Id] >= @P1 AND ([T0].[Id] > @P1 OR [T0].[Qty] > @P2)");
    assert_eq!(
        condition(rows().in_list([Value::List([1.into(), 2.into()].into()), Value::List([3.into(), 4.into()].into())])),
        "[T0].[Id] = @P1 AND [T0].[Qty] = @P2 OR [T0].[Id] = @P3 AND [T0].[Qty] = @P4"
    );
}

#[test]
fn a_long_list_is_one_parameter() {
    let many: Vec<i32> = (0..100).collect();
    assert_eq!(
        condition(prop("Qty").in_list(many.clone())),
        "[T0].[Qty] IN (SELECT [v] FROM OPENJSON(@P1) WITH ([v] int '$'))"
    );
    assert_eq!(
        condition(prop("Amount").not_in_list(many)),
        "[T0].[Amount] NOT IN (SELECT [v] FROM OPENJSON(@P1) WITH ([v] decimal(18, 2) '$') WHERE [v] IS NOT NULL)"
    );
    let texts: Vec<String> = (0..100).map(|n| n.to_string()).collect();
    assert_eq!(
        condition(prop("OrderNo").in_list(texts)),
        "[T0].[OrderNo] IN (SELECT [v] FROM OPENJSON(@P1) WITH ([v] nvarchar(32) '$'))"
    );
}

#[test]
fn text_is_added_and_cut_nowhere() {
    assert_eq!(item(prop("OrderNo").concat("-")), "[T0].[OrderNo] + @P1");
    assert_eq!(item(prop("OrderNo").concat(prop("Qty"))), "[T0].[OrderNo] + CAST([T0].[Qty] AS nvarchar(max))");
    // 4,000 characters and one more.
    assert_eq!(item(prop("Note").concat("-")), "CAST([T0].[Note] AS nvarchar(max)) + @P1");
    assert_eq!(
        item(func("Upper", [prop("OrderNo")]).concat(func("Lower", [prop("OrderNo")]))),
        "UPPER([T0].[OrderNo]) + LOWER([T0].[OrderNo])"
    );
    assert_eq!(
        item(func("ConcatWs", [value(", ").into(), ValueTypeExpr::from(prop("Note")), prop("Qty").into()])),
        "CONCAT_WS(@P1, CAST([T0].[Note] AS nvarchar(max)), CAST([T0].[Qty] AS nvarchar(max)))"
    );
}

#[test]
fn patterns_escape_brackets() {
    assert_eq!(condition(prop("Note").starts_with("a")), "[T0].[Note] LIKE @P1");
    assert_eq!(condition(prop("Note").contains("[a]%")), "[T0].[Note] LIKE @P1 ESCAPE '\\'");
    assert_eq!(condition(prop("Note").ilike("A%")), "LOWER([T0].[Note]) LIKE LOWER(@P1)");
    assert_eq!(
        condition(prop("Note").starts_with(prop("OrderNo"))),
        "CAST(LEFT([T0].[Note], LEN(REPLACE([T0].[OrderNo], ' ', '.'))) AS nvarchar(max)) + N'.' = [T0].[OrderNo] + N'.'"
    );
    assert!(
        refused(from("Order").filter(prop("Note").regexp_like("a+"))).contains("no regular expressions before 2025")
    );
    assert_eq!(condition_in(SqlServer::V2025, prop("Note").regexp_like("a+")), "REGEXP_LIKE([T0].[Note], @P1, 's')");
}

#[test]
fn versions_bring_what_was_expanded_before() {
    assert_eq!(condition(prop("Note").is_distinct_from("x")), "[T0].[Note] <> @P1 OR [T0].[Note] IS NULL");
    assert_eq!(
        condition(!prop("Note").is_not_distinct_from("x")),
        "NOT ([T0].[Note] = @P1 AND [T0].[Note] IS NOT NULL)"
    );
    assert_eq!(
        item(prop("Note").is_distinct_from("x")),
        "CASE WHEN [T0].[Note] <> @P1 OR [T0].[Note] IS NULL THEN CAST(1 AS bit) ELSE CAST(0 AS bit) END"
    );
    assert_eq!(condition_in(SqlServer::V2022, prop("Note").is_distinct_from("x")), "[T0].[Note] IS DISTINCT FROM @P1");
    let greatest = || func("Greatest", [prop("Qty"), prop("Id")]);
    assert_eq!(
        item(greatest()),
        "CASE WHEN [T0].[Qty] >= [T0].[Id] THEN [T0].[Qty] WHEN [T0].[Id] >= [T0].[Qty] THEN [T0].[Id] END"
    );
    assert_eq!(item_in(SqlServer::V2022, greatest()), "GREATEST([T0].[Qty], [T0].[Id])");
    // GREATEST passes over NULL.
    assert!(item_in(SqlServer::V2022, func("Greatest", [prop("ShipDate"), prop("ShipDate")])).starts_with("CASE "));
    let month = || func("TruncMonth", [prop("CreatedTime")]);
    assert_eq!(
        item(month()),
        "CAST(DATEFROMPARTS(YEAR([T0].[CreatedTime]), MONTH([T0].[CreatedTime]), 1) AS datetime2)"
    );
    assert_eq!(item_in(SqlServer::V2022, month()), "DATETRUNC(month, [T0].[CreatedTime])");
}

#[test]
fn numbers_keep_their_meaning() {
    assert_eq!(item(prop("Qty") / prop("Id")), "[T0].[Qty] / NULLIF([T0].[Id], 0)");
    assert_eq!(item(prop("Qty") % 3), "[T0].[Qty] % @P1");
    assert_eq!(item(func("Round", [prop("Amount")])), "ROUND([T0].[Amount] + 0, 0)");
    assert_eq!(item(func("Sum", [prop("Qty")])), "SUM(CAST([T0].[Qty] AS bigint))");
    assert_eq!(item(prop("Qty").sum().over()), "SUM(CAST([T0].[Qty] AS bigint)) OVER ()");
    assert_eq!(item(func("Avg", [prop("Qty")])), "AVG(CAST([T0].[Qty] AS float))");
    assert_eq!(item(func("BitAnd", [prop("Qty"), prop("Id")]) + 1), "[T0].[Qty] & [T0].[Id] + @P1");
}

#[test]
fn constants_have_their_types() {
    assert_eq!(item(constant("it's")), "N'it''s'");
    assert_eq!(item(constant("a\\\nb")), "(N'a\\' + N'\nb')");
    assert_eq!(item(constant(1.5)), "1.5E0");
    assert_eq!(item(constant(3_000_000_000_i64)), "CAST(3000000000 AS bigint)");
    assert_eq!(item(constant(true)), "CAST(1 AS bit)");
    assert_eq!(item(constant(Value::Bytes(vec![1, 0xAB].into()))), "0x01AB");
    assert!(refused(from("Order").select([value(f64::NAN)])).contains("no NaN"));
}

#[test]
fn casts_name_lengths() {
    let cast = |ty| item(prop("Note").cast(ty)).replace("CAST([T0].[Note] AS ", "");
    assert_eq!(cast(DbValueType::String), "[T0].[Note]", "it is one already");
    assert_eq!(cast(DbValueType::AnsiString), "varchar(max))");
    assert_eq!(cast(DbValueType::Decimal), "decimal(38, 10))");
    assert_eq!(cast(DbValueType::DateTime2), "datetime2)");
    assert_eq!(
        item(prop("CreatedTime").cast(DbValueType::String)),
        "FORMAT([T0].[CreatedTime], 'yyyy-MM-dd HH:mm:ss.FFFFFFF', 'en-US')"
    );
    assert_eq!(item(prop("Token").cast(DbValueType::String)), "LOWER(CAST([T0].[Token] AS nvarchar(36)))");
    assert_eq!(cast(DbValueType::Guid), "uniqueidentifier)");
    assert!(
        refused(from("Order").select([prop("Note").cast(DbType::array_of(DbValueType::Int32))])).contains("arrays")
    );
}

#[test]
fn a_window_has_an_order_where_one_is_asked_for() {
    let none: [ValueTypeExpr; 0] = [];
    assert_eq!(item(func("RowNumber", none).over()), "ROW_NUMBER() OVER (ORDER BY (SELECT NULL))");
    assert_eq!(
        item(
            func("StringAgg", [ValueTypeExpr::from(prop("OrderNo")), value(", ").into()]).order_by([prop("Id").desc()])
        ),
        "STRING_AGG(CAST([T0].[OrderNo] AS nvarchar(max)), @P1) WITHIN GROUP (ORDER BY [T0].[Id] DESC)"
    );
    let texts = || [ValueTypeExpr::from(prop("OrderNo")), value(", ").into()];
    assert!(refused(from("Order").select([func("StringAgg", texts()).over()])).contains("over no window"));
    assert_eq!(item(count_all().filter(prop("Paid").is_true())), "COUNT_BIG(CASE WHEN [T0].[Paid] = 1 THEN 1 END)");
}

#[test]
fn distinct_on_is_a_row_number() {
    assert_eq!(
        query(
            from("Order")
                .order_by([prop("CustomerId").asc(), prop("Id").desc()])
                .select([prop("Id")])
                .distinct_on([prop("CustomerId")])
        ),
        "SELECT [T1].[Id] FROM (SELECT [T0].[Id], [T0].[CustomerId] AS [o0], ROW_NUMBER() OVER \
         (PARTITION BY [T0].[CustomerId] ORDER BY [T0].[Id] DESC) AS [rn] FROM [Orders] [T0]) [T1] \
         WHERE [T1].[rn] = 1 ORDER BY [T1].[o0], [T1].[Id] DESC"
    );
    // In a subquery an order by itself is an error.
    let inner =
        from("Order").order_by([prop("CustomerId").asc()]).select([prop("Id")]).distinct_on([prop("CustomerId")]);
    assert!(condition(prop("Id").in_list(inner)).ends_with(".[rn] = 1)"));
}

#[test]
fn lateral_is_apply() {
    let lines = from("OrderItem").aliased("i").filter(prop_of("i", "OrderId").eq(prop_of("T0", "Id"))).take(1);
    let lines = lines.select([prop_of("i", "Qty").alias("Q")]).into_segment().aliased("x");
    assert_eq!(
        query(from("Order").join_lateral(TableJoinType::Left, lines, None).select([prop("Id")])),
        "SELECT [T0].[Id] FROM [Orders] [T0] OUTER APPLY (SELECT TOP (@P1) [i].[Qty] AS [Q] FROM [sales].[OrderItems] [i] \
         WHERE [i].[OrderId] = [T0].[Id] ORDER BY [i].[OrderId], [i].[Line No]) [x]"
    );
}

#[test]
fn recursion_has_no_word_and_no_end() {
    let roots = || from("Category").filter(prop("ParentId").eq(null())).select([prop("Id")]);
    let children = || {
        let on = prop_of("c", "ParentId").eq(prop_of("tree", "Id"));
        cte("tree").join(TableJoinType::Inner, from("Category").aliased("c"), on).select([prop_of("c", "Id")])
    };
    assert_eq!(
        query(SqlSegment::from(roots().union_all(children()).with("tree")).select([prop("Id")])),
        "WITH [tree] ([Id]) AS (SELECT [T1].[Id] FROM [Categories] [T1] WHERE [T1].[ParentId] IS NULL UNION ALL \
         SELECT [c].[Id] FROM [tree] JOIN [Categories] [c] ON [c].[ParentId] = [tree].[Id]) \
         SELECT [tree].[Id] FROM [tree] OPTION (MAXRECURSION 0)"
    );
    let union = SqlSegment::from(roots().union(children()).with("tree")).select([prop("Id")]);
    assert!(refused(union).contains("UNION ALL only"));
}

#[test]
fn locks_are_hints_of_the_main_table() {
    let locked = |entity: &str, mode, wait| {
        let text = query(from(entity).filter(prop("Id").eq(5)).lock(mode, wait));
        text.split_once(" FROM ").map(|(_, from)| from.to_owned()).unwrap_or_default()
    };
    assert_eq!(
        locked("Order", LockMode::Update, LockWait::Wait),
        "[Orders] [T0] WITH (UPDLOCK, ROWLOCK) WHERE [T0].[Id] = @P1"
    );
    assert_eq!(
        locked("Order", LockMode::Update, LockWait::SkipLocked),
        "[Orders] [T0] WITH (UPDLOCK, ROWLOCK, READPAST) WHERE [T0].[Id] = @P1"
    );
    assert_eq!(
        locked("UserView", LockMode::Share, LockWait::NoWait),
        "[Users] [T0] WITH (REPEATABLEREAD, ROWLOCK, NOWAIT) LEFT JOIN [Departments] [Department] ON \
         [T0].[DeptId] = [Department].[Id] AND [Department].[State] = 1 WHERE [T0].[Id] = @P1"
    );
    let joined = from("User").join(
        TableJoinType::Inner,
        from("Customer").aliased("c"),
        prop_of("c", "Id").eq(prop_of("T0", "Id")),
    );
    assert!(
        query(joined.lock(LockMode::Update, LockWait::NoWait).select([prop_of("T0", "Id")]))
            .ends_with("[Users] [T0] WITH (UPDLOCK, ROWLOCK, NOWAIT) JOIN [Customers] [c] ON [c].[Id] = [T0].[Id]")
    );
}

#[test]
fn writes_give_rows_back_by_output() {
    assert_eq!(
        query(
            table("Order")
                .update([("Qty", prop("Qty") + 1)])
                .filter(prop("Id").eq(7))
                .returning([prop("Id"), prop("Qty")])
        ),
        "UPDATE [Orders] SET [Qty] = [Qty] + @P1 OUTPUT inserted.[Id], inserted.[Qty] WHERE [Id] = @P2"
    );
    assert_eq!(
        query(table("Department").delete().filter(prop("Id").eq(7)).returning([prop("Id")])),
        "DELETE FROM [Departments] OUTPUT deleted.[Id] WHERE [State] = 1 AND [Id] = @P1"
    );
    let customers = vec![Value::from("x"), true.into(), "y".into(), false.into()];
    assert_eq!(
        query(table("Customer").insert(["Name", "Active"], customers).returning([prop("Id")])),
        "INSERT INTO [Customers] ([Name], [Active]) OUTPUT inserted.[Id] VALUES (@P1, @P2), (@P3, @P4)"
    );
    let count = ValueTypeExpr::Query(ids("Customer").into_segment().take(1).into());
    let deleted = table("Order").delete().filter(prop("Id").eq(7)).returning([count]);
    assert!(refused(deleted).contains("OUTPUT takes no subquery"));
}

#[test]
fn more_than_a_thousand_rows_are_a_derived_table() {
    let rows = |n: i64| query(table("OrderItem").insert(["Qty"], (0..n).map(Value::from).collect()));
    assert!(rows(1_000).starts_with("INSERT INTO [sales].[OrderItems] ([Qty]) VALUES (@P1), (@P2)"));
    let text = rows(1_001);
    assert!(text.starts_with("INSERT INTO [sales].[OrderItems] ([Qty]) SELECT * FROM (VALUES (@P1), (@P2)"));
    assert!(text.ends_with(", (@P1001)) [v] ([Qty])"));
}

#[test]
fn an_upsert_is_a_merge_that_locks_the_key() {
    let lines = || table("OrderItem").insert(["OrderId", "LineNo", "Qty"], vec![1.into(), 2.into(), 3.into()]);
    let head = "MERGE INTO [sales].[OrderItems] WITH (HOLDLOCK, UPDLOCK) [T0] USING (VALUES (@P1, @P2, @P3)) [excluded] \
                ([OrderId], [Line No], [Qty]) ON ([T0].[OrderId] = [excluded].[OrderId] AND \
                [T0].[Line No] = [excluded].[Line No])";
    let insert = "WHEN NOT MATCHED THEN INSERT ([OrderId], [Line No], [Qty]) VALUES ([excluded].[OrderId], \
                  [excluded].[Line No], [excluded].[Qty])";
    let none: [&str; 0] = [];
    assert_eq!(
        query(lines().on_conflict_update(none).returning([prop("OrderId"), prop("LineNo")])),
        format!(
            "{head} WHEN MATCHED THEN UPDATE SET [Qty] = [excluded].[Qty] {insert} \
             OUTPUT inserted.[OrderId], inserted.[Line No] AS [LineNo];"
        )
    );
    assert_eq!(query(lines().on_conflict_do_nothing(none)), format!("{head} {insert};"));
    // The fixed filter of the table is kept.
    assert!(
        query(table("FixedTenantOrder").insert(["Id", "Title"], vec![1.into(), "x".into()]).on_conflict_update(none))
            .contains(" WHEN MATCHED AND [T0].[TenantKind] = 1 THEN UPDATE SET ")
    );
    // What the database numbers takes no value, neither in an INSERT nor in an UPDATE.
    let department = table("Department").insert(["Id", "Name"], vec![1.into(), "x".into()]);
    assert!(refused(department.on_conflict_update(none)).contains("IDENTITY_INSERT"));
    assert!(refused(table("Order").update([("Id", 1)]).filter(prop("Id").eq(2))).contains("IDENTITY_INSERT"));
}

#[test]
fn a_backslash_before_any_end_of_line_begins_a_new_literal() {
    assert_eq!(item(constant("a\\\r\n b\\\n c")), "(N'a\\' + N'\r\n b\\' + N'\n c')");
}

#[test]
fn names_with_brackets_are_escaped() {
    let aliased = query(from("Order").select([prop("Id").alias("Total")]));
    assert_eq!(aliased, "SELECT [T0].[Id] AS [Total] FROM [Orders] [T0]");
    let exists = exists_query(from("Customer").filter(prop("Id").eq(prop_of("T0", "CustomerId"))));
    assert_eq!(condition(exists), "EXISTS (SELECT 1 FROM [Customers] [T1] WHERE [T1].[Id] = [T0].[CustomerId])");
}

#[test]
fn there_are_2098_parameters() {
    let values = |n: i64| -> Vec<ValueExpr> { (0..n).map(value).collect() };
    let select = |n| Expr::from(from("Order").select(values(n)));
    assert!(query(select(2_098)).contains("@P2098"));
    assert!(refused(select(2_099)).contains("limit: 2098"));
}

#[test]
fn json_is_told_from_text() {
    assert!(refused(from("Order").select([func("JsonArray", [prop("Qty")])])).contains("before 2022"));
    let object = |v: ValueTypeExpr| func("JsonObject", [constant("a").into(), v]);
    assert_eq!(item_in(SqlServer::V2022, object(prop("Qty").into())), "JSON_OBJECT(N'a':[T0].[Qty])");
    assert_eq!(
        item(object(prop("Token").into())),
        "(SELECT LOWER(CAST([T0].[Token] AS nvarchar(36))) AS [a] FOR JSON PATH, INCLUDE_NULL_VALUES, \
         WITHOUT_ARRAY_WRAPPER)"
    );
    // A known object or array stays JSON.
    let known = || ValueTypeExpr::from(value(Value::Json("[1]".into())));
    assert_eq!(item_in(SqlServer::V2022, object(known())), "JSON_OBJECT(N'a':JSON_QUERY(@P1))");
    assert_eq!(
        item_in(SqlServer::V2022, object(object(known()).into())),
        "JSON_OBJECT(N'a':JSON_OBJECT(N'a':JSON_QUERY(@P1)))"
    );
    let nested = Expr::from(from("Order").select([object(prop("Data").into())]));
    let error = Compiler::new(sample::catalog()).compile(&nested, &SqlServer::V2022).unwrap_err();
    assert!(error.to_string().contains("quote it as text"), "{error}");
    assert_eq!(
        item(func("JsonValue", [ValueTypeExpr::from(prop("Data")), constant("$.a[0]").into()])),
        "JSON_VALUE([T0].[Data], N'$.\"a\"[0]')"
    );
    assert_eq!(
        item(func("Format", [ValueTypeExpr::from(prop("CreatedTime")), constant("d").into()])),
        "FORMAT([T0].[CreatedTime], N'%d', 'en-US')"
    );
    assert_eq!(
        item(func("Format", [ValueTypeExpr::from(prop("CreatedTime")), constant("yyyy-MM-dd 'at' HH:mm").into()])),
        "FORMAT([T0].[CreatedTime], N'yyyy-MM-dd ''at'' HH:mm', 'en-US')"
    );
}

#[test]
fn a_varchar_column_is_compared_with_varchar() {
    let kind = || ColumnDef::new("Kind", DbValueType::AnsiString).length(10);
    let table = TableDef::new("Part")
        .table("Parts")
        .column(ColumnDef::new("Id", DbValueType::Int32).primary_key())
        .column(kind().constant("A"))
        .column(ColumnDef::new("Code", DbValueType::AnsiString).length(20));
    let compiler = Compiler::new(sample::builder().table(table).build().unwrap());
    let condition = |filter: LogicExpr| {
        let query = from("Part").filter(filter).select([prop("Id")]);
        let sql = compiler.compile(&Expr::from(query), &SqlServer::V2019).unwrap().sql;
        sql.trim_start_matches("SELECT [T0].[Id] FROM [Parts] [T0] WHERE ").to_owned()
    };
    assert_eq!(condition(prop("Code").eq(constant("x"))), "[T0].[Kind] = 'A' AND [T0].[Code] = 'x'");
    // The code page may lack it.
    assert_eq!(condition(prop("Code").eq(constant("\u{142}"))), "[T0].[Kind] = 'A' AND [T0].[Code] = N'\u{142}'");
    // Beside an nvarchar in VALUES, a longer varchar would be cut.
    let long = |length| condition(prop("Code").eq(constant("x".repeat(length))));
    assert!(long(4_000).contains("[Code] = 'x") && long(4_001).contains("[Code] = N'x"));
    let list = |last: &str| {
        let items = (1..=80).map(|n| n.to_string()).chain([last.to_owned()]).collect::<Vec<_>>();
        condition(prop("Code").in_list(items))
    };
    let read =
        |ty: &str| format!("[T0].[Kind] = 'A' AND [T0].[Code] IN (SELECT [v] FROM OPENJSON(@P1) WITH ([v] {ty} '$'))");
    assert_eq!(list("x"), read("varchar(20)"));
    assert_eq!(list(&"x".repeat(21)), read("varchar(8000)"));
    assert_eq!(list("\u{142}"), read("nvarchar(20)"));
}

#[test]
fn a_backslash_at_the_end_of_a_line_ends_the_literal() {
    assert_eq!(item(constant("a\\\r\nb\\\nc")), "(N'a\\' + N'\r\nb\\' + N'\nc')");
    assert_eq!(item(constant("a\\\nb\\\r\nc")), "(N'a\\' + N'\nb\\' + N'\r\nc')");
}

#[test]
fn text_becomes_bytes_of_utf8_from_2019_on() {
    let cast = || prop("Note").cast(DbValueType::Binary);
    assert_eq!(
        item(cast()),
        "CAST(CAST([T0].[Note] COLLATE Latin1_General_100_BIN2_UTF8 AS varchar(max)) AS varbinary(max))"
    );
    let query: Expr = from("Order").select([cast()]).into();
    let error = Compiler::new(sample::catalog()).compile(&query, &SqlServer::V2017).unwrap_err();
    assert!(error.to_string().contains("UTF-8"), "{error}");
    assert!(refused(from("Order").select([cast().cast(DbValueType::String)])).contains("code page"));
}

#[test]
fn parts_of_a_time_with_an_offset_are_those_at_utc() {
    let at = |name: &'static str| item(func(name, [prop("UpdatedTime")]));
    assert_eq!(at("Year"), "YEAR(SWITCHOFFSET([T0].[UpdatedTime], '+00:00'))");
    assert_eq!(at("Hour"), "DATEPART(hour, SWITCHOFFSET([T0].[UpdatedTime], '+00:00'))");
    assert_eq!(at("Second"), "DATEPART(second, [T0].[UpdatedTime])");
    assert_eq!(at("Date"), "CAST(SWITCHOFFSET([T0].[UpdatedTime], '+00:00') AS date)");
    assert_eq!(at("TruncDay"), "CAST(CAST(SWITCHOFFSET([T0].[UpdatedTime], '+00:00') AS date) AS datetimeoffset)");
    assert_eq!(
        item_in(SqlServer::V2022, func("TruncHour", [prop("UpdatedTime")])),
        "DATETRUNC(hour, SWITCHOFFSET([T0].[UpdatedTime], '+00:00'))"
    );
    assert_eq!(
        item(prop("UpdatedTime").cast(DbValueType::DateTime2)),
        "CAST(SWITCHOFFSET([T0].[UpdatedTime], '+00:00') AS datetime2)"
    );
    let months = func("AddMonths", [ValueTypeExpr::from(prop("UpdatedTime")), 1.into()]);
    assert_eq!(item(months), "DATEADD(month, @P1, SWITCHOFFSET([T0].[UpdatedTime], '+00:00'))");
    let format = func("Format", [ValueTypeExpr::from(prop("UpdatedTime")), constant("yyyy").into()]);
    assert_eq!(item(format), "FORMAT(SWITCHOFFSET([T0].[UpdatedTime], '+00:00'), N'yyyy', 'en-US')");
}

#[test]
fn what_is_outside_of_a_domain_is_null() {
    let of = |name: &'static str| item(func(name, [prop("Amount")]));
    assert_eq!(of("Asin"), "ASIN(CASE WHEN [T0].[Amount] BETWEEN -1 AND 1 THEN [T0].[Amount] END)");
    assert_eq!(
        item(func("Atan2", [prop("Amount"), prop("Qty")])),
        "CASE WHEN [T0].[Amount] = 0 AND [T0].[Qty] = 0 THEN 0 ELSE ATN2([T0].[Amount], [T0].[Qty]) END"
    );
    let power = |exponent: ValueTypeExpr| item(func("Power", [prop("Amount").into(), exponent]));
    assert_eq!(power(2.into()), "POWER(CAST([T0].[Amount] AS float), @P1)");
    assert!(power((-2).into()).starts_with("POWER(CASE WHEN [T0].[Amount] > 0 OR"));
}

#[test]
fn digits_that_are_cut_are_noted() {
    let notes = |value: ValueTypeExpr| {
        let query: Expr = from("Order").select([value]).into();
        let compiled = Compiler::new(sample::catalog()).compile(&query, &SqlServer::V2019).unwrap();
        compiled.notes.iter().any(|note| note.rule == Rule::DecimalDigits)
    };
    assert!(notes(prop("Amount") / prop("Amount")));
    assert!(notes(prop("Amount").avg().into()));
    assert!(notes(prop("OrderNo").cast(DbValueType::Decimal).into()));
    assert!(notes(prop("Amount").sum() * prop("Amount").sum()));
    // Nothing is lost.
    assert!(!notes(prop("Amount") * prop("Qty")));
    assert!(!notes(prop("Amount") * prop("Amount")));
    assert!(!notes(prop("Amount") * 2));
    assert!(!notes(prop("Qty").cast(DbValueType::Decimal).into()));
    assert!(!notes(prop("Qty").avg().into()));
}

#[test]
fn text_of_a_value_is_what_it_is_everywhere() {
    let text = |column: &'static str| item(prop(column).cast(DbValueType::String));
    assert_eq!(text("Amount"), "FORMAT([T0].[Amount], '0.##', 'en-US')");
    assert_eq!(text("CreatedTime"), "FORMAT([T0].[CreatedTime], 'yyyy-MM-dd HH:mm:ss.FFFFFFF', 'en-US')");
    assert_eq!(text("ShipDate"), "CAST([T0].[ShipDate] AS nvarchar(max))");
    assert_eq!(text("Token"), "LOWER(CAST([T0].[Token] AS nvarchar(36)))");
    assert_eq!(
        item(prop("CreatedTime").cast(DbValueType::Time).cast(DbValueType::String)),
        "FORMAT(CAST(CAST([T0].[CreatedTime] AS time) AS datetime2), 'HH:mm:ss.FFFFFFF', 'en-US')"
    );
    // The zeros at the end of one that is not whole stand behind a point and behind another digit.
    assert_eq!(
        item(prop("Amount").sum().cast(DbValueType::String)),
        "CASE WHEN SUM([T0].[Amount]) = FLOOR(SUM([T0].[Amount])) THEN CAST(FLOOR(SUM([T0].[Amount])) AS nvarchar(max)) \
         ELSE REPLACE(RTRIM(REPLACE(CAST(SUM([T0].[Amount]) AS nvarchar(max)), '0', ' ')), ' ', '0') END"
    );
    assert_eq!(item(prop("OrderNo").concat(prop("Amount"))), "[T0].[OrderNo] + FORMAT([T0].[Amount], '0.##', 'en-US')");
}

#[test]
fn a_value_that_a_rule_repeats_is_bound_once() {
    let compiled = |filter: LogicExpr| {
        let query: Expr = from("Order").filter(filter).select([prop("Id")]).into();
        Compiler::new(sample::catalog()).compile(&query, &SqlServer::V2019).unwrap().params.len()
    };
    let keys = || row([prop("CustomerId"), prop("ProductId"), prop("Id")]);
    assert_eq!(compiled(keys().gt(row([1, 2, 3]))), 3);
    // Two values are two, also if they are the same: the text does not depend on them.
    assert_eq!(compiled(keys().gt(row([1, 1, 1]))), 3);
    let pad = |n: i64| func("PadLeft", [ValueTypeExpr::from(prop("OrderNo")), n.into()]).eq("x");
    assert_eq!(compiled(pad(5) & pad(5)), 4);
}
