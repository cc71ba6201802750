//! The special forms, one by one. What the answers are is a matter of the conformance cases.

use isogloss_compiler::expr::*;
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef, TextMode, sample};
use isogloss_compiler::{Compiled, Compiler};

use crate::Oracle;

fn with<T>(expr: impl Into<Expr>, oracle: Oracle, read: impl FnOnce(Compiled<'_>) -> T) -> Result<T, String> {
    let expr = expr.into();
    let compiled = Compiler::new(sample::catalog()).compile(&expr, &oracle).map(read);
    compiled.map_err(|error| error.to_string())
}

fn sql_on(expr: impl Into<Expr>, oracle: Oracle) -> String {
    with(expr, oracle, |compiled| compiled.sql).unwrap_or_else(|error| error)
}

fn sql(expr: impl Into<Expr>) -> String {
    sql_on(expr, Oracle::V19)
}

/// What stands behind WHERE.
fn filter_on(filter: impl Into<LogicExpr>, oracle: Oracle) -> String {
    let text = sql_on(from("Order").filter(filter.into()).select([prop("Id")]), oracle).replace("\"T0\".", "");
    text.split_once(" WHERE ").map(|(_, filter)| filter.to_owned()).unwrap_or(text)
}

fn filter(filter: impl Into<LogicExpr>) -> String {
    filter_on(filter, Oracle::V19)
}

/// What stands for a value in a select list.
fn value_on(value: impl Into<ValueTypeExpr>, oracle: Oracle) -> String {
    let text = sql_on(from("Order").select([value.into().alias("x")]), oracle).replace("\"T0\".", "");
    let item = text.strip_prefix("SELECT ").and_then(|text| text.split_once(" AS \"x\" FROM"));
    item.map(|(item, _)| item.to_owned()).unwrap_or(text)
}

fn value_of(value: impl Into<ValueTypeExpr>) -> String {
    value_on(value, Oracle::V19)
}

fn call(name: &'static str, args: impl IntoIterator<Item = ValueTypeExpr>) -> String {
    value_of(func(name, args))
}

fn refused(expr: impl Into<Expr>, reason: &str) {
    let found = sql(expr);
    assert!(found.contains(reason), "{found}");
}

#[test]
fn a_version_has_its_name() {
    use isogloss_compiler::dialect::Dialect;
    let labels = [Oracle::V12_1, Oracle::V12_2, Oracle::V18, Oracle::default(), Oracle::V23].map(|o| o.label());
    assert_eq!(labels, ["oracle 12.1", "oracle 12.2", "oracle 18c", "oracle 19c", "oracle 23ai"]);
}

#[test]
fn identifiers_are_longer_since_12_2() {
    let query = || from("Order").select([prop("Id").alias("an_alias_of_more_than_thirty_bytes")]);
    assert!(sql_on(query(), Oracle::V12_1).contains("30"));
    assert!(sql_on(query(), Oracle::V12_2).contains("AS \"an_alias_of_more_than_thirty_bytes\""));
}

#[test]
fn truth_values_are_numbers_before_23ai() {
    assert_eq!(filter(prop("Paid").is_true()), "\"Paid\" = 1");
    assert_eq!(filter(!prop("Paid").is_true()), "\"Paid\" = 0");
    assert_eq!(filter(prop("Paid").eq(constant(true))), "\"Paid\" = 1");
    assert_eq!(filter(prop("Id").in_list([] as [i64; 0])), "1 = 0");
    let big = || ValueTypeExpr::from(prop("ShipDate").gt(prop("CreatedTime")));
    assert_eq!(
        value_of(big()),
        "CASE WHEN \"ShipDate\" > \"CreatedTime\" THEN 1 WHEN \"ShipDate\" <= \"CreatedTime\" THEN 0 END"
    );
    assert_eq!(filter_on(prop("Paid").is_true(), Oracle::V23), "\"Paid\"");
    assert_eq!(filter_on(prop("Paid").eq(constant(true)), Oracle::V23), "\"Paid\" = TRUE");
    assert_eq!(value_on(big(), Oracle::V23), "\"ShipDate\" > \"CreatedTime\"");
}

#[test]
fn the_empty_text_is_null() {
    assert_eq!(filter(prop("Note").eq("")), "\"Note\" IS NULL");
    assert_eq!(filter(prop("Note").ne("")), "\"Note\" IS NOT NULL");
    assert_eq!(filter(prop("Note").in_list(["x", ""])), "\"Note\" IN (:1) OR \"Note\" IS NULL");
    assert_eq!(filter(prop("Note").not_in_list(["x", ""])), "\"Note\" NOT IN (:1) AND \"Note\" IS NOT NULL");
    assert_eq!(filter(prop("Note").not_in_list([""])), "\"Note\" IS NOT NULL");
}

#[test]
fn paging_and_locks() {
    let orders = || from("Order").order_by([prop("Id").asc()]);
    let tail = |text: String| text.split_once(" ORDER BY ").map(|(_, tail)| tail.to_owned()).unwrap_or(text);
    let ids = |query: SqlSegment| query.select([prop("Id")]);
    assert_eq!(tail(sql(ids(orders().take(3)))), "\"T0\".\"Id\" FETCH FIRST :1 ROWS ONLY");
    assert_eq!(tail(sql(ids(orders().section(20, 10)))), "\"T0\".\"Id\" OFFSET :1 ROWS FETCH NEXT :2 ROWS ONLY");
    assert_eq!(tail(sql(ids(orders().skip(20)))), "\"T0\".\"Id\" OFFSET :1 ROWS");
    let locked = sql(orders().take(3).lock(LockMode::Update, LockWait::NoWait));
    assert!(
        locked.ends_with(
            " FROM \"Orders\" \"T0\" WHERE \"T0\".\"Id\" IN (SELECT \"T0\".\"Id\" FROM \"Orders\" \"T0\" \
             ORDER BY \"T0\".\"Id\" FETCH FIRST :1 ROWS ONLY) ORDER BY \"T0\".\"Id\" FOR UPDATE NOWAIT"
        ),
        "{locked}"
    );
    assert!(sql(orders().lock(LockMode::Update, LockWait::SkipLocked)).ends_with(" FOR UPDATE SKIP LOCKED"));
    refused(orders().take(3).lock(LockMode::Update, LockWait::SkipLocked), "leave out the limit");
    refused(orders().lock(LockMode::Share, LockWait::Wait), "use Update");
    let keyless = TableDef::new("Log").column(ColumnDef::new("Note", DbValueType::String));
    let page = from("Log").order_by([prop("Note").asc()]).take(3).lock(LockMode::Update, LockWait::Wait);
    let page = Expr::from(page.select([prop("Note")]));
    let error =
        Compiler::new(Catalog::builder().table(keyless).build().unwrap()).compile(&page, &Oracle::V19).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`a row lock with paging` is refused by oracle 19c: the table has no key to lock its rows by at $"
    );
}

#[test]
fn long_lists_are_one_parameter() {
    let list = |item: &str, column: &str| {
        let table = format!("JSON_TABLE(:1, '$[*]' ERROR ON ERROR COLUMNS (v {column} PATH '$'))");
        format!("(SELECT /*+ CARDINALITY(l 100) */ {item} FROM {table} l)")
    };
    let numbers = || (0..70).map(Value::from).collect::<Vec<_>>();
    assert_eq!(filter(prop("Qty").in_list(numbers())), format!("\"Qty\" IN {}", list("v", "NUMBER")));
    assert_eq!(filter(prop("Qty").not_in_list(numbers())), format!("\"Qty\" NOT IN {}", list("v", "NUMBER")));
    let more = filter(prop("Qty").in_list((0..70_001).map(Value::from).collect::<Vec<_>>()));
    assert!(more.contains("CARDINALITY(l 100000)"), "{more}");
    let texts: Vec<Value> = (0..70).map(|n| Value::from(format!("n{n}"))).collect();
    assert_eq!(filter(prop("Note").in_list(texts)), format!("\"Note\" IN {}", list("v", "VARCHAR2(4000)")));
    let days = chrono::NaiveDate::from_ymd_opt(2024, 1, 31).unwrap().iter_days().take(70);
    let days: Vec<Value> = days.map(Value::from).collect();
    assert_eq!(
        filter(prop("ShipDate").in_list(days)),
        format!("\"ShipDate\" IN {}", list("TO_DATE(v, 'YYYY-MM-DD')", "VARCHAR2(10)"))
    );
}

#[test]
fn comparisons() {
    assert_eq!(filter(prop("Note").is_distinct_from("x")), "(\"Note\" <> :1 OR \"Note\" IS NULL)");
    assert_eq!(
        filter(prop("SalesUserId").is_distinct_from(prop("CreatedByUserId"))),
        "DECODE(\"SalesUserId\", \"CreatedByUserId\", 0, 1) = 1"
    );
    assert_eq!(
        filter(prop("ShipDate").is_distinct_from(prop("UpdatedTime"))),
        "DECODE(FROM_TZ(CAST(\"ShipDate\" AS TIMESTAMP), 'UTC'), \"UpdatedTime\", 0, 1) = 1"
    );
    assert_eq!(filter(prop("Note").contains("50%")), "\"Note\" LIKE :1 ESCAPE '\\'");
    assert_eq!(filter(prop("Note").contains("50")), "\"Note\" LIKE :1");
    assert_eq!(filter(prop("Note").ilike("x%")), "LOWER(\"Note\") LIKE LOWER(:1)");
    assert_eq!(filter(prop("Note").regexp_like("^x")), "REGEXP_LIKE(\"Note\", :1, 'cn')");
    let pair = |a: i64, b: i64| Value::from(vec![Value::from(a), Value::from(b)]);
    let pairs = row([prop("Id"), prop("Qty")]).in_list(vec![pair(1, 2), pair(3, 4)]);
    assert_eq!(filter(pairs), "(\"Id\", \"Qty\") IN ((:1, :2), (:3, :4))");
}

#[test]
fn arithmetic() {
    assert_eq!(value_of(prop("Qty") / 2), "TRUNC(\"Qty\" / :1)");
    assert_eq!(value_of(prop("Qty") / prop("TenantId")), "TRUNC(\"Qty\" / NULLIF(\"TenantId\", 0))");
    assert_eq!(value_of(prop("Qty") % prop("TenantId")), "MOD(\"Qty\", NULLIF(\"TenantId\", 0))");
    let mod_call = call("Mod", [prop("Qty").into(), prop("TenantId").into()]);
    assert_eq!(mod_call, "MOD(\"Qty\", NULLIF(\"TenantId\", 0))");
}

#[test]
fn constants() {
    let constants = |value: Value| value_of(constant(value));
    assert_eq!(constants(1.5.into()), "1.5D");
    assert_eq!(constants(1e300.into()), "1e300D");
    assert_eq!(constants(true.into()), "1");
    assert_eq!(constants("it's".into()), "'it''s'");
    assert_eq!(constants(vec![0xAB_u8, 1].into()), "HEXTORAW('AB01')");
    let day = chrono::NaiveDate::from_ymd_opt(2024, 1, 31).unwrap();
    let time = chrono::NaiveTime::from_hms_opt(10, 30, 0).unwrap();
    assert_eq!(constants(day.into()), "DATE '2024-01-31'");
    assert_eq!(constants(time.into()), "INTERVAL '10:30:00.000000' HOUR TO SECOND");
    assert_eq!(constants(day.and_time(time).into()), "TIMESTAMP '2024-01-31 10:30:00.000000'");
    let offset = day.and_time(time).and_utc().fixed_offset();
    assert_eq!(constants(offset.into()), "TIMESTAMP '2024-01-31 10:30:00.000000 +00:00'");
    let long = "is refused by oracle 19c: its literals are shorter: use a parameter at $";
    assert_eq!(constants("x".repeat(5_000).into()), format!("`a constant of over 4,000 bytes` {long}"));
    assert_eq!(constants(vec![0_u8; 2_001].into()), format!("`a constant of over 2,000 bytes` {long}"));
    assert_eq!(constants(f64::NAN.into()), "BINARY_DOUBLE_NAN");
    assert_eq!(constants(f64::NEG_INFINITY.into()), "-BINARY_DOUBLE_INFINITY");
    assert!(filter(prop("Amount").gt(f64::NAN)).contains("a decimal is finite"));
}

#[test]
fn casts_follow_no_format_of_the_session() {
    assert_eq!(value_of(prop("CreatedTime").cast(DbValueType::Date)), "TRUNC(\"CreatedTime\")");
    assert_eq!(value_of(prop("Note").cast(DbValueType::Date)), "TO_DATE(\"Note\", 'YYYY-MM-DD')");
    assert_eq!(value_of(prop("OrderNo").cast(DbValueType::Time)), "TO_DSINTERVAL('0 ' || \"OrderNo\")");
    assert_eq!(value_of(prop("ShipDate").cast(DbValueType::String)), "TO_CHAR(\"ShipDate\", 'YYYY-MM-DD')");
    assert_eq!(value_of(prop("Qty").cast(DbValueType::Int64)), "CAST(\"Qty\" AS NUMBER(19))");
    assert_eq!(value_of(prop("Note").cast(DbValueType::Guid)), "HEXTORAW(REPLACE(\"Note\", '-'))");
    assert_eq!(
        value_of(prop("Token").cast(DbValueType::String)),
        "REGEXP_REPLACE(LOWER(RAWTOHEX(\"Token\")), '(.{8})(.{4})(.{4})(.{4})(.{12})', '\\1-\\2-\\3-\\4-\\5')"
    );
}

#[test]
fn texts() {
    let note = || ValueTypeExpr::from(prop("Note"));
    let int = |n: i64| ValueTypeExpr::from(value(n));
    let text = |t: &str| ValueTypeExpr::from(value(t));
    assert_eq!(call("Substring", [note(), int(2), int(3)]), "SUBSTR(\"Note\", :1 + 1, :2)");
    assert_eq!(call("Substring", [note(), prop("Qty").into()]), "SUBSTR(\"Note\", GREATEST(\"Qty\", 0) + 1)");
    assert_eq!(call("Left", [note(), int(-1)]), "SUBSTR(\"Note\", 1, :1)");
    assert_eq!(call("Right", [note(), int(3)]), "SUBSTR(\"Note\", GREATEST(LENGTH(\"Note\") - :1, 0) + 1)");
    assert_eq!(call("IndexOf", [note(), text("x")]), "INSTR(\"Note\", :1) - 1");
    assert_eq!(call("PadLeft", [note(), int(9)]), "LPAD(' ', :1 - LENGTH(\"Note\")) || \"Note\"");
    assert_eq!(
        call("PadRight", [note(), prop("Qty").into(), text("0")]),
        "NVL2(\"Qty\", \"Note\" || REPLACE(RPAD(' ', \"Qty\" - LENGTH(\"Note\")), ' ', :1), NULL)"
    );
    assert_eq!(call("Trim", [note(), text("xy")]), "LTRIM(RTRIM(\"Note\", :1), :2)");
    assert_eq!(call("Repeat", [note(), int(3)]), "REPLACE(RPAD(' ', :1), ' ', \"Note\")");
    assert_eq!(
        call("Concat", [note(), prop("Qty").into()]),
        "CASE WHEN \"Note\" IS NULL THEN NULL ELSE \"Note\" || TO_CHAR(\"Qty\") END"
    );
    assert_eq!(
        call("ConcatWs", [text(", "), note(), prop("OrderNo").into()]),
        "SUBSTR(CASE WHEN \"Note\" IS NULL THEN '' ELSE :1 || \"Note\" END || :2 || \"OrderNo\", 2 + 1)"
    );
    let agg = || func("StringAgg", [note(), text(",")]);
    assert_eq!(value_of(agg()), "LISTAGG(\"Note\", :1)");
    assert_eq!(value_on(agg(), Oracle::V18), "LISTAGG(\"Note\", :1) WITHIN GROUP (ORDER BY NULL)");
    assert_eq!(
        value_of(agg().order_by([prop("Id").desc()])),
        "LISTAGG(\"Note\", :1) WITHIN GROUP (ORDER BY \"Id\" DESC)"
    );
}

#[test]
fn dates() {
    let day = || ValueTypeExpr::from(prop("ShipDate"));
    let time = || ValueTypeExpr::from(prop("CreatedTime"));
    let int = |n: i64| ValueTypeExpr::from(value(n));
    assert_eq!(call("DayOfWeek", [day()]), "MOD(TRUNC(\"ShipDate\") - TRUNC(\"ShipDate\", 'IW') + 1, 7)");
    assert_eq!(
        call("AddMonths", [day(), int(1)]),
        "LEAST(ADD_MONTHS(\"ShipDate\", :1), \
         ADD_MONTHS(TRUNC(\"ShipDate\", 'MM'), :2) + (\"ShipDate\" - TRUNC(\"ShipDate\", 'MM')))"
    );
    assert_eq!(
        call("AddMonths", [time(), int(1)]),
        "\"CreatedTime\" + NUMTODSINTERVAL(LEAST(ADD_MONTHS(TRUNC(\"CreatedTime\"), :1), \
         ADD_MONTHS(TRUNC(\"CreatedTime\", 'MM'), :2) + (TRUNC(\"CreatedTime\") - TRUNC(\"CreatedTime\", 'MM'))) \
         - TRUNC(\"CreatedTime\"), 'DAY')"
    );
    assert_eq!(call("AddDays", [day(), int(1)]), "\"ShipDate\" + :1");
    assert_eq!(call("AddDays", [time(), int(1)]), "\"CreatedTime\" + NUMTODSINTERVAL(:1, 'DAY')");
    assert_eq!(call("AddHours", [day(), int(1)]), "CAST(\"ShipDate\" AS TIMESTAMP) + NUMTODSINTERVAL(:1, 'HOUR')");
    assert_eq!(
        call("DateDiffDays", [time(), day()]),
        "EXTRACT(DAY FROM (CAST(\"CreatedTime\" AS TIMESTAMP) - \"ShipDate\"))"
    );
    assert_eq!(
        call("DateDiffMonths", [day(), time()]),
        "TRUNC(MONTHS_BETWEEN(TRUNC(\"ShipDate\", 'MM'), TRUNC(\"CreatedTime\", 'MM')) + CASE \
         WHEN CAST(\"ShipDate\" AS TIMESTAMP) - TRUNC(\"ShipDate\", 'MM') \
         < CAST(\"CreatedTime\" AS TIMESTAMP) - TRUNC(\"CreatedTime\", 'MM') THEN -0.5 \
         WHEN CAST(\"ShipDate\" AS TIMESTAMP) - TRUNC(\"ShipDate\", 'MM') \
         > CAST(\"CreatedTime\" AS TIMESTAMP) - TRUNC(\"CreatedTime\", 'MM') THEN 0.5 ELSE 0 END)"
    );
    assert_eq!(call("TruncMonth", [time()]), "CAST(TRUNC(\"CreatedTime\", 'MM') AS TIMESTAMP)");
    assert_eq!(
        call("Format", [time(), value("d MMMM yyyy 'at' HH:mm").into()]),
        "TO_CHAR(\"CreatedTime\", 'FMDDFM FMMonthFM YYYY \"at\" HH24:MI', 'NLS_DATE_LANGUAGE=ENGLISH')"
    );
}

#[test]
fn json() {
    let data = || ValueTypeExpr::from(prop("Data"));
    assert_eq!(
        call("JsonValue", [data(), value("$.a.\"b c\"[0]").into()]),
        "CASE WHEN JSON_QUERY(\"Data\", '$.a.\"b c\"' RETURNING CLOB) LIKE '[%' THEN JSON_VALUE(\"Data\", '$.a.\"b c\"[0]') END"
    );
    assert_eq!(
        call("JsonExists", [data(), value("$.a.\"b c\"").into()]),
        "CASE WHEN JSON_EXISTS(\"Data\", '$.a.\"b c\"') THEN 1 WHEN \"Data\" IS NOT NULL THEN 0 END"
    );
    assert_eq!(
        call("JsonObject", [value("a").into(), prop("Qty").into(), value("b").into(), prop("Id").into()]),
        "JSON_OBJECT('a' VALUE \"Qty\", 'b' VALUE \"Id\" RETURNING CLOB)"
    );
    assert!(call("JsonObject", [value("a").into()]).contains("a value for every name"));
    let set = || func("JsonSet", [data(), value("$.a").into(), prop("Qty").into()]);
    assert!(value_of(set()).contains("19.10"));
    assert_eq!(value_on(set(), Oracle::new(19, 10)), "JSON_TRANSFORM(\"Data\", SET '$.a' = \"Qty\" RETURNING CLOB)");
    let filtered = func("JsonArrayAgg", [prop("Qty")]).filter(prop("Paid").is_true());
    assert!(value_of(filtered).contains("filter in a subquery"));
}

#[test]
fn windows() {
    let listed = || func("StringAgg", [ValueTypeExpr::from(prop("Note")), constant(", ").into()]).over();
    assert_eq!(value_of(listed()), "LISTAGG(\"Note\", ', ') OVER ()");
    assert!(value_of(listed().order_by([prop("Id").asc()])).contains("leave order and frame out"));
    let rank = func("Rank", [] as [ValueTypeExpr; 0]).over().partition_by([prop("CustomerId")]);
    assert_eq!(value_of(rank), "RANK() OVER (PARTITION BY \"CustomerId\" ORDER BY NULL)");
}

#[test]
fn queries() {
    let ids = |entity: &'static str| from(entity).select([prop("Id")]);
    assert_eq!(
        sql(ids("Order").except(ids("Customer"))),
        "SELECT \"T0\".\"Id\" FROM \"Orders\" \"T0\" MINUS SELECT \"T1\".\"Id\" FROM \"Customers\" \"T1\""
    );
    let first = from("Order").order_by([prop("Id").asc()]).take(1).select([prop("Id")]);
    assert_eq!(
        sql(first.union(ids("Customer"))),
        "SELECT * FROM (SELECT \"T0\".\"Id\" FROM \"Orders\" \"T0\" ORDER BY \"T0\".\"Id\" \
         FETCH FIRST :1 ROWS ONLY) \"T2\" UNION SELECT \"T1\".\"Id\" FROM \"Customers\" \"T1\""
    );
}

fn customers(rows: &[(i64, &str)]) -> InsertExpr {
    let values = rows.iter().flat_map(|(id, name)| [Value::from(*id), Value::from(*name)]).collect();
    table("Customer").insert(["Id", "Name"], values)
}

#[test]
fn rows_of_an_insert_are_a_query_before_23ai() {
    let two = || customers(&[(1, "x"), (2, "y")]);
    assert_eq!(
        sql(two()),
        "INSERT INTO \"Customers\" (\"Id\", \"Name\") SELECT :1 AS \"Id\", :2 AS \"Name\" FROM DUAL \
         UNION ALL SELECT :3, :4 FROM DUAL"
    );
    assert_eq!(sql_on(two(), Oracle::V23), "INSERT INTO \"Customers\" (\"Id\", \"Name\") VALUES (:1, :2), (:3, :4)");
    let target = Compiler::new(sample::catalog()).target(&Oracle::V19);
    let bulk = target.bulk_insert("Customer", &["Id", "Name"], &[]).unwrap();
    assert_eq!(
        bulk.complete(&mut vec![1.into(), "".into()]).unwrap_err().to_string(),
        "a bulk insert of `Customer`: the engine stores NULL for an empty text, and `Name` is never NULL at $"
    );
    let long = "x".repeat(5_000);
    let types = "`several rows with texts over 4,000 bytes` is refused by oracle 19c: Oracle binds them as another type: \
                 insert one row at a time at $";
    assert_eq!(sql(customers(&[(1, "x"), (2, &long)])), types);
    let rows: Vec<(i64, &str)> = (0..5_001).map(|id| (id, "x")).collect();
    refused(customers(&rows), "bulk_insert");
    refused(customers(&rows).on_conflict_update(["Id"]), "bulk_insert");
    let most = rows.split_last().map(|(_, most)| most).unwrap();
    assert_eq!(sql(customers(most)).matches(" UNION ALL ").count(), 4_999);
    assert_eq!(sql_on(customers(&rows), Oracle::V23).matches("), (").count(), 5_000);
    assert!(sql(customers(&[(1, &long)])).ends_with("VALUES (:1, :2)"));
}

#[test]
fn what_comes_back_fills_parameters() {
    let one = table("Customer").insert(["Name"], vec!["x".into()]).returning([prop("Id")]);
    let (text, outputs) = with(one, Oracle::V19, |c| (c.sql, c.outputs)).unwrap();
    assert_eq!(text, "INSERT INTO \"Customers\" (\"Name\") VALUES (:1) RETURNING \"Id\" INTO :2");
    assert_eq!(outputs.len(), 1);
    assert_eq!((outputs[0].name.as_str(), outputs[0].ty), ("Id", Some(DbValueType::Int32.into())));
    let update = table("Order").update([("Qty", prop("Qty") + 1)]).filter(prop("Id").eq(7));
    assert_eq!(
        sql(update.returning([prop("Id"), prop("Qty")])),
        "UPDATE \"Orders\" SET \"Qty\" = \"Qty\" + :1 WHERE \"Id\" = :2 RETURNING \"Id\", \"Qty\" INTO :3, :4"
    );
    refused(customers(&[(1, "x"), (2, "y")]).returning([prop("Id")]), "one row at a time");
    let users = from("User").select([prop("Id"), prop("Email")]);
    assert_eq!(
        sql(table("Customer").insert_query(["Id", "Name"], users).returning([prop("Id")])),
        "`RETURNING of an INSERT from a query` is refused by oracle 19c: Oracle gives back the row of VALUES only: select \
         the rows by key at $"
    );
}

#[test]
fn upserts_are_merges() {
    let key = [] as [&str; 0];
    assert_eq!(
        sql(customers(&[(1, "x"), (2, "y")]).on_conflict_update(key)),
        "MERGE INTO \"Customers\" T USING (SELECT :1 AS \"Id\", :2 AS \"Name\" FROM DUAL UNION ALL \
         SELECT :3, :4 FROM DUAL) S ON (T.\"Id\" = S.\"Id\") WHEN MATCHED THEN UPDATE SET \"Name\" = S.\"Name\" \
         WHEN NOT MATCHED THEN INSERT (\"Id\", \"Name\") VALUES (S.\"Id\", S.\"Name\")"
    );
    let department = table("Department").insert(["Id", "Name"], vec![1.into(), "x".into()]);
    let merge = sql(department.on_conflict_update(key));
    assert!(merge.contains("SET \"Name\" = S.\"Name\" WHERE T.\"State\" = 1 WHEN NOT MATCHED"), "{merge}");
    let users = from("User").select([prop("Id"), prop("Email")]);
    let merge = sql(table("Customer").insert_query(["Id", "Name"], users).on_conflict_do_nothing(key));
    assert_eq!(
        merge,
        "MERGE INTO \"Customers\" T USING (SELECT v.*, ROW_NUMBER() OVER (PARTITION BY v.\"Id\" ORDER BY NULL) AS \
         \"copy\" FROM (WITH v (\"Id\", \"Name\") AS (SELECT \"T1\".\"Id\", \"T1\".\"Email\" \
         FROM \"Users\" \"T1\") SELECT * FROM v) v) S ON (T.\"Id\" = S.\"Id\") \
         WHEN NOT MATCHED THEN INSERT (\"Id\", \"Name\") VALUES (S.\"Id\", S.\"Name\") WHERE S.\"copy\" = 1"
    );
    let sets = vec![("Name".into(), ValueTypeExpr::from(value("y")))];
    let by_name = customers(&[(1, "x")]).conflict(["Name"], ConflictAction::Update(sets));
    refused(by_name, "by which it finds the row");
}

#[test]
fn json_in_json_is_no_text() {
    let set = |value: ValueTypeExpr| func("JsonSet", [prop("Data").into(), "$.x".into(), value]);
    let transform = |value: &str| format!("JSON_TRANSFORM(\"Data\", SET '$.x' = {value} RETURNING CLOB)");
    let v19_10 = Oracle::new(19, 10);
    assert_eq!(value_on(set(prop("Note").into()), v19_10), transform("\"Note\""));
    assert_eq!(value_on(set(prop("Data").into()), v19_10), transform("\"Data\" FORMAT JSON"));
    // From 21c on the column is of the type JSON, and from 23ai on there are truth values.
    assert_eq!(value_on(set(prop("Data").into()), Oracle::V21), transform("\"Data\""));
    assert_eq!(value_on(set(Value::Json("[1]".into()).into()), Oracle::V21), transform(":1 FORMAT JSON"));
    let paid = "CASE WHEN \"Paid\" = 1 THEN 'true' ELSE 'false' END FORMAT JSON";
    assert_eq!(value_on(set(prop("Paid").into()), Oracle::V21), transform(paid));
    assert_eq!(value_on(set(prop("Paid").into()), Oracle::V23), transform("\"Paid\""));
    let inner = func("JsonArray", [prop("Id")]);
    assert_eq!(
        value_of(func("JsonArray", [inner])),
        "JSON_ARRAY(JSON_ARRAY(\"Id\" NULL ON NULL RETURNING CLOB) NULL ON NULL RETURNING CLOB)"
    );
}

#[test]
fn a_date_keeps_no_time() {
    let set = |column: &'static str, value: &'static str| {
        sql(table("Order").update([(column, prop(value))]).filter(prop("Id").eq(7)))
    };
    assert!(set("ShipDate", "CreatedTime").contains(" SET \"ShipDate\" = TRUNC(\"CreatedTime\") "));
    assert!(set("ShipDate", "ShipDate").contains(" SET \"ShipDate\" = \"ShipDate\" "));
    let both = || [ValueTypeExpr::from(prop("ShipDate")), prop("CreatedTime").into()];
    assert_eq!(call("Least", both()), "LEAST(CAST(\"ShipDate\" AS TIMESTAMP), \"CreatedTime\")");
    assert_eq!(call("NullIf", both()), "CASE WHEN \"ShipDate\" = \"CreatedTime\" THEN NULL ELSE \"ShipDate\" END");
    let query = from("Order").select([prop("Id"), prop("CreatedTime")]);
    assert_eq!(
        sql(table("Order").insert_query(["Id", "ShipDate"], query)),
        "INSERT INTO \"Orders\" (\"Id\", \"ShipDate\") SELECT \"T1\".\"Id\", TRUNC(\"T1\".\"CreatedTime\") FROM \"Orders\" \"T1\""
    );
}

#[test]
fn a_null_is_not_replaced_by_nothing() {
    assert_eq!(
        call("Replace", [prop("OrderNo").into(), "a".into(), prop("Note").into()]),
        "CASE WHEN \"Note\" IS NULL THEN NULL ELSE REPLACE(\"OrderNo\", :1, \"Note\") END"
    );
    assert_eq!(call("Replace", [prop("OrderNo").into(), "a".into(), "".into()]), "REPLACE(\"OrderNo\", :1, :2)");
}

#[test]
fn a_number_in_a_text_is_cut() {
    assert_eq!(
        value_of(prop("Note").cast(DbValueType::Int32)),
        "CAST(TRUNC(TO_NUMBER(REPLACE(\"Note\", '.', SUBSTR(TO_CHAR(0.5), 1, 1)))) AS NUMBER(10))"
    );
}

#[test]
fn no_long_binary_is_compared() {
    let column = |name: &'static str| ColumnDef::new(name, DbValueType::Binary);
    let file = TableDef::new("File")
        .column(ColumnDef::new("Id", DbValueType::Int32).primary_key())
        .column(column("Content").length(2_001).nullable())
        .column(column("Hash").length(2_000).nullable())
        .column(column("Plain"));
    let compiler = Compiler::new(Catalog::builder().table(file).build().unwrap());
    let sql = |query: SelectExpr| {
        let query = Expr::from(query);
        compiler.compile(&query, &Oracle::V19).map(|compiled| compiled.sql).map_err(|error| error.to_string())
    };
    let filtered = |filter: LogicExpr| sql(from("File").filter(filter).select([prop("Id")]));
    let bytes = |len: usize| Value::from(vec![1_u8; len]);
    let all = || from("File").select([prop("Content")]);
    for filter in [
        prop("Content").eq(bytes(1)),
        prop("Content").ne(bytes(1)),
        prop("Hash").lt(prop("Content")),
        prop("Content").between(bytes(1), bytes(2)),
        prop("Content").is_distinct_from(bytes(1)),
        prop("Content").is_distinct_from(prop("Hash")),
        prop("Content").in_list([bytes(1)]),
        prop("Hash").in_list(all()),
        prop("Content").in_list(from("File").select([prop("Hash")])),
        func("NullIf", [prop("Content").into(), ValueTypeExpr::from(bytes(1))]).is_null(),
        // A value that is long itself, in every place where it would be compared.
        prop("Hash").eq(bytes(2_001)),
        prop("Hash").is_distinct_from(bytes(2_001)),
        prop("Hash").between(bytes(1), bytes(2_001)),
        prop("Hash").in_list([bytes(1), bytes(2_001)]),
        prop("Hash").in_list((0..70).map(|_| bytes(2_001)).collect::<Vec<_>>()),
        func("NullIf", [prop("Hash").into(), ValueTypeExpr::from(bytes(2_001))]).is_null(),
        row([prop("Id"), prop("Hash")]).in_list([(1, bytes(2_001))]),
    ] {
        let error = filtered(filter.clone()).expect_err(&format!("{filter:?}"));
        assert!(error.contains("a binary value of over 2,000 bytes is a BLOB"), "{filter:?}: {error}");
    }
    let long = |query| {
        let error: String = sql(query).unwrap_err();
        error.split_once("; here it is ").expect(&error).1.split(" at $").next().unwrap_or_default().to_owned()
    };
    let hashes = || from("File").select([prop("Hash")]);
    assert_eq!(long(from("File").order_by([prop("Content").asc()]).select([prop("Id")])), "an order");
    assert_eq!(long(all().distinct()), "DISTINCT");
    assert_eq!(long(from("File").group_by([prop("Content")]).select([prop("Content")])), "the key of a group");
    assert_eq!(long(all().union(hashes())), "a set operation other than UNION ALL");
    assert_eq!(long(hashes().except(all())), "a set operation other than UNION ALL");
    assert_eq!(long(from("File").select([func("Max", [prop("Content")]).alias("Last")])), "Max");
    assert_eq!(long(from("File").select([func("Count", [prop("Content")]).distinct().alias("All")])), "Count");
    let window = func("Lag", [prop("Content")]).over().order_by([prop("Id").asc()]);
    assert_eq!(long(from("File").select([window.alias("Before")])), "the value of a window");
    let window = func("RowNumber", [] as [ValueTypeExpr; 0]).over().partition_by([prop("Content")]);
    assert_eq!(
        long(from("File").select([window.order_by([prop("Id").asc()]).alias("No")])),
        "the partition of a window"
    );
    let file = table("File").insert_rows(["Id", "Content"], [[Value::from(1), bytes(1)]]);
    let upsert = Expr::from(file.on_conflict_update(["Content"]));
    let error = compiler.compile(&upsert, &Oracle::V19).unwrap_err().to_string();
    assert!(error.contains("here it is the key of an upsert at $.Conflict.Target"), "{error}");
    // What Oracle does with a BLOB, and with what is none.
    for filter in [
        prop("Content").is_null(),
        func("ByteLength", [prop("Content")]).gt(2_000),
        func("Length", [prop("Content")]).gt(2_000),
        prop("Hash").eq(bytes(2_000)),
        prop("Plain").eq(bytes(2_000)),
        prop("Plain").in_list([bytes(2_000)]),
    ] {
        assert_eq!(filtered(filter.clone()).err(), None, "{filter:?}");
    }
    assert!(sql(all().union_all(all())).is_ok());
}

#[test]
fn no_page_is_ordered_by_what_oracle_does_not_sort() {
    let file = TableDef::new("File")
        .column(ColumnDef::new("Id", DbValueType::Int32).primary_key())
        .column(ColumnDef::new("Content", DbValueType::Binary).length(2_001))
        .column(ColumnDef::new("Text", DbValueType::String).length(4_001));
    let compiler = Compiler::new(Catalog::builder().table(file).build().unwrap());
    let all = || from("File").select([prop("Content"), prop("Id"), prop("Text")]);
    let derived = FromExpr { source: all().into_segment().aliased("D"), joins: vec![] };
    for query in [
        SqlSegment::from(derived).section(1, 2).select([prop("Id")]).into_segment(),
        all().union_all(all()).into_segment().section(1, 2),
    ] {
        let sql = compiler.compile(&Expr::from(query), &Oracle::V19).unwrap().sql;
        let (_, order) = sql.rsplit_once(" ORDER BY ").unwrap();
        assert!(!order.contains("Content") && !order.contains("Text") && order.contains("Id"), "{sql}");
    }
}

#[test]
fn no_name_holds_a_quote_and_no_long_text_is_compared() {
    let column = |name: &'static str| ColumnDef::new(name, DbValueType::String);
    let catalog = Catalog::builder()
        .table(TableDef::new("Quoted").column(column("Text").column("a\"b")))
        .table(TableDef::new("Long").column(column("Text").length(4_001)).column(column("Short").length(4_000)))
        .build()
        .unwrap();
    let compiler = Compiler::new(catalog);
    let error = |query: SelectExpr| {
        let query = Expr::from(query);
        compiler.compile(&query, &Oracle::V19).map(|compiled| compiled.sql).map_err(|error| error.to_string())
    };
    assert!(error(from("Quoted").select([prop("Text")])).unwrap_err().contains("quote"));
    let long = |filter: LogicExpr| error(from("Long").filter(filter).select([prop("Text")]));
    for filter in [prop("Text").eq("x"), prop("Text").in_list(["x"]), prop("Short").lt(prop("Text"))] {
        assert!(long(filter).unwrap_err().contains("CLOB"));
    }
    // A value that is long itself, in every place where it would be compared.
    let value = || "é".repeat(2_001);
    for filter in [
        prop("Short").eq(value()),
        prop("Short").ne(value()),
        prop("Short").lt(value()),
        prop("Short").between("a", value()),
        prop("Short").is_distinct_from(value()),
        prop("Short").in_list(["x".into(), value()]),
        prop("Short").in_list((0..70).map(|_| value()).collect::<Vec<_>>()),
        func("Upper", [prop("Short")]).eq(value()),
    ] {
        assert!(long(filter.clone()).is_err_and(|error| error.contains("CLOB")), "{filter:?}");
    }
    assert!(long(prop("Short").eq("é".repeat(2_000))).is_ok());
    assert!(long(prop("Text").is_null() | prop("Text").contains("x") | prop("Short").eq("x")).is_ok());
    for query in [
        from("Long").order_by([prop("Text").asc()]).select([prop("Short")]),
        from("Long").select([prop("Text")]).distinct(),
        from("Long").group_by([prop("Text")]).select([prop("Text")]),
        from("Long").select([prop("Text")]).union(from("Long").select([prop("Short")])),
        from("Long").select([prop("Short")]).union(from("Long").select([prop("Text")])),
        from("Long").select([prop("Short").concat("x").alias("Both")]).union(from("Long").select([prop("Text")])),
    ] {
        assert!(error(query).unwrap_err().contains("CLOB"));
    }
    let before =
        from("Long").select([func("Lag", [prop("Text")]).over().order_by([prop("Short").asc()]).alias("Before")]);
    assert!(error(before).unwrap_err().contains("here it is the value of a window"));
    // A large object has no collation: what looks into it goes by the session's.
    let filter = prop("Text").contains("x") & prop("Short").contains("x");
    let query = Expr::from(from("Long").filter(filter).select([prop("Short")]));
    let exact = compiler.with_text(TextMode::Exact).compile(&query, &Oracle::V19).unwrap().sql;
    let filter = exact.split_once(" WHERE ").unwrap().1;
    assert_eq!(filter, r#""T0"."Text" LIKE :1 AND "T0"."Short" COLLATE BINARY LIKE :2"#);
}
