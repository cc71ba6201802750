//! Every node's canonical text, in both directions.

use super::{canonical, tree};
use crate::expr::*;
use crate::json::{ReadLimits, read, to_string};

fn p(name: &str) -> PropertyExpr {
    prop(name)
}

#[test]
fn values() {
    canonical("null", null());
    canonical("5", constant(5));
    canonical("-9223372036854775808", constant(i64::MIN));
    canonical("18446744073709551615", constant(u64::MAX));
    canonical("true", constant(true));
    canonical(r#""a\"b\\c\n\u0001é𝄞""#, constant("a\"b\\c\n\u{1}é𝄞"));
    canonical("[1,\"a\",null,[2]]", constant(vec![1.into(), "a".into(), Value::Null, vec![Value::from(2)].into()]));
    canonical(r#"{"@":5}"#, value(5));
    canonical(r#"{"@":[]}"#, value(Vec::<Value>::new()));
    canonical(r#"{"@":{"$double":1.5}}"#, value(1.5));
    canonical(r#"{"@":{"$double":1e+300}}"#, value(1e300));
    canonical(r#"{"@":{"$double":5.0}}"#, value(5.0));
    canonical(r#"{"@":{"$double":-0.0}}"#, value(-0.0));
    canonical(r#"{"@":{"a":1,"b":[true]}}"#, value(map(&[("a", 1.into()), ("b", vec![Value::from(true)].into())])));
    canonical(r#"{"@":{"$map":{"$x":1}}}"#, value(map(&[("$x", 1.into())])));
    canonical(r#"{"$map":{"a":1}}"#, constant(map(&[("a", 1.into())])));
    canonical(r##"{"#":"Name"}"##, p("Name"));
    canonical(r##"{"#":"T0.Name"}"##, prop_of("T0", "Name"));
}

fn map(entries: &[(&str, Value)]) -> Value {
    Value::Map(entries.iter().map(|(key, value)| ((*key).into(), value.clone())).collect())
}

#[test]
fn typed_values() {
    use chrono::{DateTime, NaiveDate, TimeDelta};
    let day = NaiveDate::from_ymd_opt(2024, 1, 31).unwrap();
    let noon = day.and_hms_milli_opt(10, 20, 30, 500).unwrap();
    canonical(r#"{"@":{"$date":"2024-01-31"}}"#, value(day));
    canonical(r#"{"$date":"2024-01-31"}"#, constant(day));
    canonical(r#"{"@":{"$time":"10:20:30.5"}}"#, value(noon.time()));
    canonical(r#"{"@":{"$datetime":"2024-01-31T10:20:30.5"}}"#, value(noon));
    canonical(r#"{"@":{"$datetime":"2024-01-31T00:00:00"}}"#, value(day.and_hms_opt(0, 0, 0).unwrap()));
    let zoned = DateTime::parse_from_rfc3339("2024-01-31T10:20:30.5-02:30").unwrap();
    canonical(r#"{"@":{"$datetimeoffset":"2024-01-31T10:20:30.5-02:30"}}"#, value(zoned));
    for (text, span) in [
        ("00:00:00", TimeDelta::zero()),
        ("01:02:03", TimeDelta::seconds(3723)),
        ("1.00:00:00.5000000", TimeDelta::milliseconds(86_400_500)),
        ("-00:00:00.5000000", TimeDelta::milliseconds(-500)),
        ("-10.00:00:01", TimeDelta::seconds(-864_001)),
        ("00:00:00.000000001", TimeDelta::nanoseconds(1)),
        ("106751991167.07:12:55.807000000", TimeDelta::MAX),
        ("-106751991167.07:12:55.807000000", TimeDelta::MIN),
    ] {
        let text = text.replace(".807000000", ".8070000");
        canonical(&format!(r#"{{"@":{{"$timespan":"{text}"}}}}"#), value(span));
    }
    let id = uuid::Uuid::from_u128(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef);
    canonical(r#"{"@":{"$guid":"01234567-89ab-cdef-0123-456789abcdef"}}"#, value(id));
    canonical(r#"{"@":{"$bytes":"AAH/"}}"#, value(vec![0, 1, 255_u8]));
    canonical(r#"{"@":{"$decimal":"1.50"}}"#, value("1.50".parse::<Decimal>().unwrap()));
    canonical(r#"{"@":1.25}"#, value("1.25".parse::<Decimal>().unwrap()));
    canonical(r#"{"@":{"$double":"-1.07974684233623025e15"}}"#, value(-4_318_987_369_344_921.0 / 4.0));
    canonical(r#"{"@":{"$double":"NaN"}}"#, value(f64::NAN));
    canonical(r#"{"@":{"$double":"-Infinity"}}"#, value(f64::NEG_INFINITY));
    canonical(r#"{"@":{"$json":"{\"a\": 1}"}}"#, value(Value::Json(r#"{"a": 1}"#.into())));
    canonical(r#"{"@":[{"$date":"2024-01-31"},1]}"#, value(vec![day.into(), Value::from(1)]));
}

#[test]
fn predicates() {
    let eq = || p("A").eq(1);
    const EQ: &str = r##"{"$":"==","Left":{"#":"A"},"Right":{"@":1}}"##;
    canonical(EQ, eq());
    for operator in LogicOperator::ALL {
        let text = format!(r##"{{"$":"{}","Left":{{"#":"A"}},"Right":{{"@":"b"}}}}"##, operator.sign());
        canonical(&text, p("A").compare(operator, "b"));
    }
    canonical(r##"{"$":"==","Left":{"#":"X"},"Right":null}"##, p("X").is_null());
    canonical(r##"{"$":"in","Left":{"#":"X"},"Right":{"@":[1,2,3]}}"##, p("X").in_list([1, 2, 3]));
    canonical(&format!(r#"{{"$and":[{EQ},{{"$or":[{EQ},{EQ}]}}]}}"#), eq() & (eq() | eq()));
    canonical(r#"{"$and":[]}"#, LogicExpr::default());
    canonical(&format!(r#"{{"!":{EQ}}}"#), !eq());
    canonical(r##"{"$istrue":{"#":"Active"}}"##, p("Active").is_true());
    canonical(r#"{"$":"sql","Key":"k","Arg":{"a":1}}"#, sql("k", map(&[("a", 1.into())])));
    canonical(r#"{"$":"sql","Key":"k"}"#, sql("k", Value::Null));
    canonical(
        &format!(r#"{{"$foreign":"Ns.Dept","Alias":"d","AutoRelated":true,"InnerExpr":{EQ},"TableArgs":["2024"]}}"#),
        exists_related("Ns.Dept", eq()).aliased("d").table_args(["2024"]),
    );
    canonical(r#"{"$foreign":"Dept"}"#, exists("Dept", None));
    canonical(r#"{"$exists":{"$table":"Dept"}}"#, exists_query(from("Dept")));
}

#[test]
fn computed_values() {
    canonical(r##"{"$":"+","Left":{"#":"A"},"Right":{"@":1}}"##, p("A") + 1);
    for (sign, operator) in [
        ("+", ValueOperator::Add),
        ("-", ValueOperator::Subtract),
        ("*", ValueOperator::Multiply),
        ("/", ValueOperator::Divide),
        ("%", ValueOperator::Modulo),
        ("||", ValueOperator::Concat),
    ] {
        let node = ValueBinaryExpr { left: p("A").into(), operator, right: p("B").into() };
        canonical(&format!(r##"{{"$":"{sign}","Left":{{"#":"A"}},"Right":{{"#":"B"}}}}"##), ValueTypeExpr::from(node));
    }
    canonical(r##"{"$":"unary","Nagive":{"#":"A"}}"##, -p("A"));
    canonical(r##"{"$":"unary","BitwiseNot":{"#":"A"}}"##, !p("A"));
    canonical(
        r##"{"$":"set","List":[{"#":"A"},{"@":1}]}"##,
        ValueTypeExpr::from(row([p("A").into(), ValueTypeExpr::from(1)])),
    );
    canonical(r##"{"$":"set","Concat":[{"#":"A"},{"@":"b"}]}"##, ValueTypeExpr::from(p("A").concat("b")));
    canonical(
        r##"{"$":"set","Blank":[]}"##,
        ValueTypeExpr::from(ValueSet { join: ValueJoinType::Blank, items: Vec::new() }),
    );
    canonical(r##"{"$":"func","UPPER":[{"#":"A"}]}"##, func("UPPER", [p("A")]));
    canonical(
        r##"{"$":"func","Count":[{"$":"unary","Distinct":{"#":"A"}}],"IsAggregate":true,"Filter":{"$and":[]},"OrderBy":[{"Field":{"#":"B"},"Asc":false}]}"##,
        p("A").count_distinct().filter(LogicExpr::default()).order_by([p("B").desc()]),
    );
    canonical(r##"{"$":"func","FunctionName":"Filter","Args":[{"#":"A"}]}"##, func("Filter", [p("A")]));
    canonical(
        r##"{"$":"func","CASE":[{"$":"==","Left":{"#":"A"},"Right":{"@":1}},{"@":2},{"@":3}]}"##,
        if_else(p("A").eq(1), 2, 3),
    );
    canonical(
        r##"{"$":"func","CASE":[{"$":"sql","Key":"k"},{"$":"sql","Key":"v"}]}"##,
        case([(sql("k", Value::Null).into(), ValueTypeExpr::Sql(sql("v", Value::Null).into()))], None),
    );
    canonical(r##"{"$":"func","CAST":[{"#":"A"},"Int32"]}"##, ValueTypeExpr::from(p("A").cast(DbValueType::Int32)));
    canonical(
        r##"{"$":"func","CAST":[{"#":"A"},"Int32[]"]}"##,
        ValueTypeExpr::from(p("A").cast(DbType::array_of(DbValueType::Int32))),
    );
    let window = p("A").sum().over().partition_by([p("B")]).order_by([p("C").asc().nulls_last()]);
    let mut framed = window.clone().frame(FrameUnit::Rows, FrameBound::UnboundedPreceding, FrameBound::Preceding(3));
    framed.frame.as_mut().unwrap().exclude = FrameExclude::Ties;
    const WINDOW: &str = r##"{"$":"over","Func":{"$":"func","Sum":[{"#":"A"}],"IsAggregate":true},"PartitionBy":[{"#":"B"}],"OrderBy":[{"Field":{"#":"C"},"Nulls":"Last"}]"##;
    canonical(&format!("{WINDOW}}}"), ValueTypeExpr::from(window));
    canonical(
        &format!(
            r#"{WINDOW},"Frame":{{"Unit":"Rows","Start":"UnboundedPreceding","End":{{"Preceding":3}},"Exclude":"Ties"}}}}"#
        ),
        ValueTypeExpr::from(framed),
    );
    canonical(r##"{"$truth":{"$and":[]}}"##, ValueTypeExpr::from(LogicExpr::default()));
    canonical(r##"{"$":"value","Value":{"$table":"T"}}"##, ValueTypeExpr::from(from("T")));
    canonical(r##"{"$":"value","Value":{"$":"sql","Key":"k"}}"##, ValueTypeExpr::Sql(sql("k", Value::Null).into()));
    canonical(
        r##"{"$":"in","Left":{"#":"A"},"Right":{"$select":{"$table":"T"},"Selects":[{"Value":{"#":"B"}}]}}"##,
        p("A").in_list(from("T").select([p("B")])),
    );
}

#[test]
fn queries() {
    let t = || from("Ns.T");
    canonical(r#"{"$table":"Ns.T"}"#, t());
    canonical(r#"{"$table":"T","TableArgs":["2024","05"],"Alias":"a"}"#, from_args("T", ["2024", "05"]).aliased("a"));
    canonical(
        r##"{"$from":{"$table":"Ns.T"},"Joins":[{"$join":{"$table":"U"},"On":{"$istrue":{"#":"X"}},"JoinType":"Inner"},{"$join":{"$table":"V"},"JoinType":"Cross"}]}"##,
        t().join(TableJoinType::Inner, from("U"), p("X").is_true()).join(TableJoinType::Cross, from("V"), None),
    );
    canonical(
        r##"{"$from":{"$table":"Ns.T"},"Joins":[{"$join":{"$table":"U"},"Lateral":true}]}"##,
        t().join_lateral(TableJoinType::Left, from("U"), None),
    );
    canonical(r##"{"$where":{"$table":"Ns.T"},"Where":{"$istrue":{"#":"X"}}}"##, t().filter(p("X").is_true()));
    canonical(
        r##"{"$where":null,"Where":{"$and":[]}}"##,
        SqlSegment::from(WhereExpr { source: None, filter: LogicExpr::default() }),
    );
    canonical(r##"{"$group":{"$table":"Ns.T"},"GroupBys":[{"#":"A"}]}"##, t().group_by([p("A")]));
    canonical(
        r##"{"$having":{"$group":{"$table":"Ns.T"},"GroupBys":[{"#":"A"}]},"Having":{"$istrue":{"#":"X"}}}"##,
        t().group_by([p("A")]).having(p("X").is_true()),
    );
    canonical(
        r##"{"$orderby":{"$table":"Ns.T"},"OrderBys":[{"Field":{"#":"A"},"Asc":false},{"Field":{"#":"B"},"Nulls":"First"}]}"##,
        t().order_by([p("A").desc(), p("B").asc().nulls_first()]),
    );
    canonical(r##"{"$section":{"$table":"Ns.T"},"Skip":5,"Take":10}"##, t().section(5, 10));
    canonical(r##"{"$section":{"$table":"Ns.T"}}"##, t().skip(0));
    canonical(r##"{"$section":{"$table":"Ns.T"},"NoRows":true}"##, t().take(0));
    canonical(
        r##"{"$section":{"$table":"Ns.T"},"Take":10,"After":[{"@":5},{"@":"a"}]}"##,
        t().after([value(5), value("a")], 10),
    );
    canonical(r##"{"$lock":{"$table":"Ns.T"},"Mode":"Update"}"##, t().lock(LockMode::Update, LockWait::Wait));
    canonical(
        r##"{"$lock":{"$table":"Ns.T"},"Mode":"Share","Wait":"SkipLocked"}"##,
        t().lock(LockMode::Share, LockWait::SkipLocked),
    );
}

#[test]
fn selects() {
    let s = |name: &str| from("T").select([p(name).alias("x")]);
    canonical(r##"{"$select":{"$table":"T"},"Selects":[{"Alias":"x","Value":{"#":"A"}}]}"##, s("A"));
    canonical(
        r##"{"$select":{"$table":"T"},"Selects":[],"Distinct":true,"As":"d"}"##,
        from("T").select_all().distinct().into_segment().aliased("d"),
    );
    canonical(r##"{"$select":null,"Selects":[],"Distinct":[{"#":"A"}]}"##, SelectExpr::default().distinct_on([p("A")]));
    let inner = r##"{"Alias":"x","Value":{"#":"C"}}"##;
    canonical(
        &format!(
            r##"{{"$select":{{"$table":"T"}},"Selects":[{{"Alias":"x","Value":{{"#":"A"}}}}],"Next":[{{"SetType":"Union","$select":{{"$table":"T"}},"Selects":[{{"Alias":"x","Value":{{"#":"B"}}}}],"Next":[{{"SetType":"Except","$select":{{"$table":"T"}},"Selects":[{inner}]}}]}},{{"SetType":"UnionAll","$select":{{"$table":"T"}},"Selects":[{inner}]}}]}}"##
        ),
        s("A").union(s("B").except(s("C"))).union_all(s("C")),
    );
    canonical(
        r##"{"$cte":{"$select":{"$table":"T"},"Selects":[]},"Alias":"x"}"##,
        SqlSegment::from(from("T").select_all().with("x")),
    );
    canonical(r##"{"$cte":"x"}"##, cte("x"));
    // A recursive one: the reference stands inside of its definition.
    let recursive = from("T").select_all().union_all(cte("x").select_all()).with("x");
    let text = to_string(&recursive);
    assert_eq!(tree(&text), Expr::from(SqlSegment::from(recursive)));
    canonical(r##"{"$":"selectitem","Alias":"x","Value":{"#":"A"}}"##, p("A").alias("x"));
    canonical(r##"{"$":"orderbyitem","Field":{"#":"A"},"Asc":true}"##, p("A").asc());
    canonical(
        r##"{"$join":{"$table":"T"},"JoinType":"Full"}"##,
        TableJoinExpr { source: from("T"), on: None, join_type: TableJoinType::Full, lateral: false },
    );
}

#[test]
fn statements() {
    let values = || vec![1.into(), "a".into(), 2.into(), Value::Null];
    let insert = || table("T").insert(["A", "B"], values());
    const VALUES: &str = r##"{"$insert":{"$table":"T"},"Columns":["A","B"],"Values":[[1,"a"],[2,null]]"##;
    canonical(&format!("{VALUES}}}"), insert());
    canonical(
        &format!(r#"{VALUES},"Conflict":{{"Action":"DoNothing"}}}}"#),
        insert().on_conflict_do_nothing([] as [&str; 0]),
    );
    canonical(
        &format!(
            r##"{VALUES},"Conflict":{{"Target":["A"],"Action":"UpdateAll"}},"Returning":[{{"Value":{{"#":"A"}}}}]}}"##
        ),
        insert().on_conflict_update(["A"]).returning([p("A")]),
    );
    let sets = vec![("B".into(), prop_of("excluded", "B").into())];
    canonical(
        &format!(r##"{VALUES},"Conflict":{{"Target":["A"],"Action":{{"Update":[{{"B":{{"#":"excluded.B"}}}}]}}}}}}"##),
        insert().conflict(["A"], ConflictAction::Update(sets)),
    );
    let rows = InsertSource::Exprs(vec![p("X") + 1, 2.into()]);
    canonical(
        r##"{"$insert":{"$table":"T"},"Columns":["A","B"],"Rows":[[{"$":"+","Left":{"#":"X"},"Right":{"@":1}},{"@":2}]]}"##,
        InsertExpr { source: rows, ..insert() },
    );
    canonical(
        r##"{"$insert":{"$table":"T"},"Columns":["A"],"Query":{"$table":"U"}}"##,
        table("T").insert_query(["A"], from("U")),
    );
    canonical(
        r##"{"$update":{"$table":"T"},"Sets":[{"A":{"@":1}},{"B":{"#":"C"}}],"Where":{"$istrue":{"#":"X"}},"Returning":[{"Alias":"y","Value":{"#":"A"}}]}"##,
        table("T").update([("A", 1)]).set("B", p("C")).filter(p("X").is_true()).returning([p("A").alias("y")]),
    );
    canonical(
        r##"{"$update":{"$table":"T"},"Sets":[{"A":{"@":1}}],"AllRows":true}"##,
        table("T").update([("A", 1)]).all_rows(),
    );
    canonical(
        r##"{"$delete":{"$table":"T"},"Where":{"$istrue":{"#":"X"}}}"##,
        table("T").delete().filter(p("X").is_true()),
    );
    canonical(r##"{"$delete":{"$table":"T"},"AllRows":true}"##, table("T").delete().all_rows());
}

/// A node struct by itself has the text of the node.
#[test]
fn structs_stand_alone() {
    macro_rules! alone {
        ($($node:ty = $text:literal;)*) => {$(
            let node: $node = read($text, &ReadLimits::DEFAULT).unwrap();
            assert_eq!(to_string(&node), $text);
            assert_eq!(serde_json::from_str::<$node>(&serde_json::to_string(&node).unwrap()).unwrap(), node);
        )*};
    }
    alone! {
        Value = r#"{"$date":"2024-01-31"}"#;
        ValueExpr = r#"{"@":1}"#;
        PropertyExpr = r##"{"#":"a.B"}"##;
        UnaryExpr = r##"{"$":"unary","Nagive":{"#":"A"}}"##;
        ValueBinaryExpr = r##"{"$":"-","Left":{"#":"A"},"Right":{"#":"B"}}"##;
        FunctionExpr = r#"{"$":"func","Now":[]}"#;
        ValueSet = r#"{"$":"set","List":[]}"#;
        CaseExpr = r#"{"$":"func","CASE":[{"$and":[]},{"@":1}]}"#;
        CastExpr = r#"{"$":"func","CAST":[{"@":1},"Xml"]}"#;
        WindowExpr = r#"{"$":"over","Func":{"$":"func","RowNumber":[]}}"#;
        LogicExpr = r#"{"$or":[]}"#;
        LogicBinaryExpr = r##"{"$":"<","Left":{"#":"A"},"Right":{"#":"B"}}"##;
        AndExpr = r#"{"$and":[]}"#;
        OrExpr = r#"{"$or":[]}"#;
        NotExpr = r#"{"!":{"$or":[]}}"#;
        ForeignExpr = r#"{"$foreign":"T"}"#;
        GenericSqlExpr = r#"{"$":"sql","Key":"k"}"#;
        ValueTypeExpr = r#"{"$":"sql","Key":"k"}"#;
        SqlSegment = r#"{"$table":"T"}"#;
        TableExpr = r#"{"$table":"T"}"#;
        FromExpr = r#"{"$from":{"$table":"T"},"Joins":[]}"#;
        TableJoinExpr = r#"{"$join":{"$table":"T"}}"#;
        WhereExpr = r#"{"$where":null,"Where":{"$or":[]}}"#;
        GroupByExpr = r#"{"$group":null,"GroupBys":[]}"#;
        HavingExpr = r#"{"$having":null,"Having":{"$or":[]}}"#;
        OrderByExpr = r#"{"$orderby":null,"OrderBys":[]}"#;
        SectionExpr = r#"{"$section":null}"#;
        LockExpr = r#"{"$lock":null,"Mode":"Update"}"#;
        SelectExpr = r#"{"$select":null,"Selects":[]}"#;
        NextSelect = r#"{"SetType":"Except","$select":null,"Selects":[]}"#;
        CommonTableExpr = r#"{"$cte":"x"}"#;
        SelectItemExpr = r#"{"$":"selectitem","Value":{"@":1}}"#;
        OrderByItemExpr = r##"{"$":"orderbyitem","Field":{"#":"A"},"Asc":false}"##;
        InsertExpr = r#"{"$insert":{"$table":"T"},"Columns":[],"Values":[]}"#;
        UpdateExpr = r#"{"$update":{"$table":"T"},"Sets":[]}"#;
        DeleteExpr = r#"{"$delete":{"$table":"T"}}"#;
    }
}
