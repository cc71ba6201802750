//! B6 to B20: the rules of the page endpoint.

use isogloss::walk::QueryPolicy;
use isogloss_web::{Host, Rules};
use serde_json::{Value as Json, json};

use isogloss_testkit::events;
use isogloss_web::EntityController as _;

use crate::support::{Answer, Orders, api, api_of, send, shop};

/// What is asked, the body, the status, and values of the answer by their JSON pointers.
type Row = (&'static str, &'static str, u16, &'static [(&'static str, &'static str)]);

const TABLE: &[Row] = &[
    // Rule 1
    ("B6 no JSON", "{", 400, &[("/error", r#""Invalid Expr JSON.""#), ("/path", r#""$""#)]),
    ("B6 an empty body", "", 400, &[("/error", r#""Invalid Expr JSON.""#)]),
    (
        "B6 a tree that is none",
        r##"{"$":"==","Left":{"#":"Id"}}"##,
        400,
        &[("/error", r#""Invalid Expr JSON.""#), ("/detail", r#""missing key \"Right\"""#)],
    ),
    ("B6 what is in the wrong place", r##"{"$where":null,"Where":{"#":"Id"}}"##, 400, &[("/path", r#""$.Where""#)]),
    ("B6 a key twice", r##"{"$section":null,"Take":1,"Take":2}"##, 400, &[("/error", r#""Invalid Expr JSON.""#)]),
    (
        "B6 an operator that is none",
        r##"{"$":"=~","Left":{"#":"Id"},"Right":1}"##,
        400,
        &[("/error", r#""Invalid Expr JSON.""#)],
    ),
    ("B7 null", " null ", 400, &[("/error", r#""Request body must be a valid Expr JSON.""#), ("/detail", "null")]),
    // Rule 2
    (
        "B8 UPDATE",
        r##"{"$update":{"$table":"Order"},"Sets":[{"Total":0}],"AllRows":true}"##,
        400,
        &[
            ("/error", r#""Expr contains disallowed node types.""#),
            ("/failedType", r#""UpdateExpr""#),
            ("/path", r#""$""#),
        ],
    ),
    ("B8 DELETE", r##"{"$delete":{"$table":"Order"},"AllRows":true}"##, 400, &[("/failedType", r#""DeleteExpr""#)]),
    (
        "B8 INSERT",
        r##"{"$insert":{"$table":"Order"},"Columns":["Total"],"Values":[[1]]}"##,
        400,
        &[("/failedType", r#""InsertExpr""#)],
    ),
    (
        "B8 a fragment inside of an operand",
        r##"{"$and":[{"$":">","Left":{"#":"Id"},"Right":{"$":"sql","Key":"k","Arg":1}}]}"##,
        400,
        &[("/failedType", r#""GenericSqlExpr""#), ("/path", r#""$.$and[0].Right""#)],
    ),
    (
        "B8 UPDATE in an EXISTS",
        r##"{"$exists":{"$update":{"$table":"Order"},"Sets":[{"Total":0}],"AllRows":true}}"##,
        400,
        &[("/error", r#""Invalid Expr JSON.""#)],
    ),
    (
        "B8 a fragment in a list, in CASE, in a function",
        r##"{"$":"==","Left":{"$":"func","CASE":[{"$":"==","Left":{"#":"Id"},"Right":1},{"$":"func","ABS":[{"$":"sql","Key":"k","Arg":1}]},2]},"Right":1}"##,
        400,
        &[("/failedType", r#""GenericSqlExpr""#)],
    ),
    (
        "B8 a common table",
        r##"{"$section":{"$cte":{"$select":null,"Selects":[{"Value":{"#":"Id"}}]},"Alias":"x"}}"##,
        400,
        &[("/failedType", r#""CommonTableExpr""#)],
    ),
    ("B8 a lock below a page", r##"{"$section":{"$lock":null}}"##, 400, &[("/failedType", r#""LockExpr""#)]),
    // Rule 3
    (
        "B10 a page",
        r##"{"$section":{"$orderby":{"$where":null,"Where":{"$":">","Left":{"#":"Total"},"Right":10}},"OrderBys":[{"Field":{"#":"Total"},"Asc":false}]},"Skip":2,"Take":3}"##,
        200,
        &[
            ("/skip", "2"),
            ("/take", "3"),
            ("/total", "125"),
            ("/items/0/id", "133"),
            ("/items/2/id", "131"),
            ("/items/3", "null"),
        ],
    ),
    (
        "B10 Skip below 0 is 0",
        r##"{"$section":null,"Skip":-5,"Take":1}"##,
        200,
        &[("/skip", "0"), ("/items/0/id", "1")],
    ),
    ("B10 no Skip is 0", r##"{"$section":null,"Take":1}"##, 200, &[("/skip", "0")]),
    (
        "B10 Take 0 is 20",
        r##"{"$section":null,"Take":0}"##,
        200,
        &[("/take", "20"), ("/items/19/id", "20"), ("/items/20", "null")],
    ),
    ("B10 Take below 0 is 20", r##"{"$section":null,"Take":-1}"##, 200, &[("/take", "20"), ("/items/20", "null")]),
    ("B10 no Take is 20", r##"{"$section":null}"##, 200, &[("/take", "20"), ("/items/20", "null")]),
    (
        "B10 Take of no rows is 20",
        r##"{"$section":null,"NoRows":true}"##,
        200,
        &[("/take", "20"), ("/items/19/id", "20")],
    ),
    (
        "B10 Take 100 is 100",
        r##"{"$section":null,"Take":100}"##,
        200,
        &[("/take", "100"), ("/items/99/id", "100"), ("/items/100", "null")],
    ),
    (
        "B10 Take above 100 is 100",
        r##"{"$section":null,"Take":101}"##,
        200,
        &[("/take", "100"), ("/items/100", "null")],
    ),
    ("B10 a huge Take is 100", r##"{"$section":null,"Take":9223372036854775807}"##, 200, &[("/take", "100")]),
    (
        "B10 a huge Skip finds nothing",
        r##"{"$section":null,"Skip":9223372036854775807}"##,
        200,
        &[("/total", "135"), ("/items/0", "null")],
    ),
    ("B10 Take of another type", r##"{"$section":null,"Take":"20"}"##, 400, &[("/error", r#""Invalid Expr JSON.""#)]),
    (
        "B10 a page in a page",
        r##"{"$section":{"$section":null,"Take":500},"Take":500}"##,
        200,
        &[("/take", "100"), ("/items/100", "null")],
    ),
    (
        "B10 without a source it is one of the view",
        r##"{"$section":null,"Take":1}"##,
        200,
        &[("/items/0/customerName", r#""Bob""#)],
    ),
    (
        "B10 over the view's table",
        r##"{"$section":{"$table":"OrderView"},"Take":1}"##,
        200,
        &[("/items/0/customerName", r#""Bob""#), ("/total", "135")],
    ),
    (
        "B10 a list of the client's own",
        r##"{"$section":{"$select":{"$group":null,"GroupBys":[{"#":"Status"}]},"Selects":[{"Value":{"#":"Status"}},{"Alias":"Sum","Value":{"$":"func","SUM":[{"#":"Total"}],"IsAggregate":true}}]}}"##,
        200,
        &[("/items/0/status", r#""Open""#), ("/items/0/sum", "4624"), ("/items/1/sum", "4556")],
    ),
    (
        "B10 groups without a list are ignored",
        r##"{"$section":{"$group":null,"GroupBys":[{"#":"Status"}]},"Skip":2,"Take":3}"##,
        200,
        &[("/skip", "2"), ("/take", "3"), ("/total", "135"), ("/items/0/id", "3"), ("/items/3", "null")],
    ),
    (
        "B10 distinct rows without a list are ignored",
        r##"{"$section":{"$select":{"$where":null,"Where":{"$":"<=","Left":{"#":"Id"},"Right":7}},"Distinct":true}}"##,
        200,
        &[("/total", "135"), ("/items/19/id", "20"), ("/items/0/customerName", r#""Bob""#)],
    ),
    (
        "B10 names of an enumeration in a set",
        r##"{"$section":{"$select":null,"Selects":[{"Value":{"#":"Status"}}],"Next":[{"SetType":"Union","$select":null,"Selects":[{"Value":{"#":"Status"}}]}]}}"##,
        200,
        &[("/items/0/status", r#""Open""#), ("/items/1/status", r#""Paid""#), ("/items/2", "null")],
    ),
    (
        "B10 no names for other numbers in a set",
        r##"{"$section":{"$select":{"$where":null,"Where":{"$":"<=","Left":{"#":"Id"},"Right":1}},"Selects":[{"Value":{"#":"Status"}}],"Next":[{"SetType":"UnionAll","$select":{"$where":null,"Where":{"$":"==","Left":{"#":"Id"},"Right":2}},"Selects":[{"Value":{"#":"Id"}}]}]}}"##,
        200,
        &[("/items/0/status", "1"), ("/items/1/status", "2")],
    ),
    // Rule 4
    (
        "B11 a filter",
        r##"{"$":"==","Left":{"#":"Status"},"Right":"Paid"}"##,
        200,
        &[
            ("/skip", "0"),
            ("/take", "20"),
            ("/total", "67"),
            ("/items/0/id", "2"),
            ("/items/19/id", "40"),
            ("/items/20", "null"),
        ],
    ),
    (
        "B11 a filter of the view's own column",
        r##"{"$":"startswith","Left":{"#":"CustomerName"},"Right":"Annika"}"##,
        200,
        &[("/total", "5"), ("/items/4/id", "135")],
    ),
    // Rule 5
    (
        "B12 a select is ignored",
        r##"{"$select":null,"Selects":[{"Value":{"#":"Id"}}]}"##,
        200,
        &[
            ("/skip", "0"),
            ("/take", "20"),
            ("/total", "135"),
            ("/items/0/orderNo", r#""A-001""#),
            ("/items/20", "null"),
        ],
    ),
    (
        "B12 an order without a page is ignored",
        r##"{"$orderby":null,"OrderBys":[{"Field":{"#":"Id"},"Asc":false}]}"##,
        200,
        &[("/total", "135"), ("/items/0/id", "1"), ("/items/20", "null")],
    ),
    (
        "B12 a filter as a query is ignored",
        r##"{"$where":null,"Where":{"$":"==","Left":{"#":"Id"},"Right":7}}"##,
        200,
        &[("/total", "135")],
    ),
    ("B12 a value is ignored", r##"{"@":5}"##, 200, &[("/total", "135")]),
    (
        "B12 a bare number is ignored",
        "5",
        200,
        &[("/skip", "0"), ("/take", "20"), ("/total", "135"), ("/items/0/id", "1")],
    ),
    ("B12 a bare text is ignored", r#""Ann""#, 200, &[("/total", "135")]),
    ("B12 a bare truth value is ignored", "true", 200, &[("/total", "135")]),
    ("B12 a list is ignored", "[1,2]", 200, &[("/total", "135")]),
    (
        "B12 an AND without items is ignored",
        r##"{"$":"and","Left":{"$":"==","Left":{"#":"Id"},"Right":7},"Right":{"$":"==","Left":{"#":"Id"},"Right":7}}"##,
        200,
        &[("/skip", "0"), ("/take", "20"), ("/total", "135"), ("/items/0/id", "1")],
    ),
    (
        "B10 a page over a filter is one of all rows",
        r##"{"$section":{"$":"==","Left":{"#":"Id"},"Right":7},"Skip":2,"Take":3}"##,
        200,
        &[("/skip", "2"), ("/take", "3"), ("/total", "135"), ("/items/0/id", "3"), ("/items/3", "null")],
    ),
    (
        "B8 a page over a filter that writes",
        r##"{"$section":{"$":"==","Left":{"$":"sql","Key":"k","Arg":1},"Right":7}}"##,
        400,
        &[("/failedType", r#""GenericSqlExpr""#)],
    ),
    // Rule 6
    (
        "B13 the filter below page and order",
        r##"{"$section":{"$orderby":{"$where":null,"Where":{"$":"<=","Left":{"#":"Id"},"Right":7}},"OrderBys":[{"Field":{"#":"Id"}}]},"Take":2}"##,
        200,
        &[("/total", "7"), ("/items/1/id", "2")],
    ),
    (
        "B13 the filter below a page",
        r##"{"$section":{"$where":{"$table":"OrderView","Alias":"o"},"Where":{"$":"<=","Left":{"#":"o.Id"},"Right":7}}}"##,
        200,
        &[("/total", "7"), ("/items/6/id", "7")],
    ),
    (
        "B13 no filter",
        r##"{"$section":{"$orderby":null,"OrderBys":[{"Field":{"#":"Id"}}]}}"##,
        200,
        &[("/total", "135")],
    ),
    (
        "B13 behind a list all are counted",
        r##"{"$section":{"$select":{"$where":null,"Where":{"$":"<=","Left":{"#":"Id"},"Right":7}},"Selects":[{"Value":{"#":"Id"}}]}}"##,
        200,
        &[("/total", "135"), ("/items/6/id", "7"), ("/items/7", "null")],
    ),
    // What is not the client's to name
    (
        "B16 the entity below the view",
        r##"{"$section":{"$table":"Order"}}"##,
        400,
        &[("/code", r#""bad-query""#), ("/path", r#""$.$section""#)],
    ),
    (
        "B16 another entity",
        r##"{"$section":{"$where":{"$table":"Customer"},"Where":{"$":"==","Left":{"#":"Password"},"Right":"x"}}}"##,
        400,
        &[("/code", r#""bad-query""#)],
    ),
    (
        "B17 a property that is not there",
        r##"{"$and":[{"$":"==","Left":{"#":"Id"},"Right":1},{"$":"==","Left":{"#":"Totl"},"Right":1}]}"##,
        400,
        &[
            ("/code", r#""bad-query""#),
            ("/path", r#""$.$and[1].Left""#),
            ("/pointer", r#""/$and/1/Left""#),
            ("/detail", r#""`Totl` is not available on `OrderView`""#),
        ],
    ),
    (
        "B17 a hidden property",
        r##"{"$":"==","Left":{"#":"MarginNote"},"Right":1}"##,
        400,
        &[("/detail", r#""`MarginNote` is not available on `OrderView`""#)],
    ),
    (
        "B17 a hidden property in an order",
        r##"{"$section":{"$orderby":null,"OrderBys":[{"Field":{"#":"TenantId"}}]}}"##,
        400,
        &[("/path", r#""$.$section.OrderBys[0].Field""#)],
    ),
    (
        "B17 a hidden property as an aggregate",
        r##"{"$section":{"$select":null,"Selects":[{"Alias":"Id","Value":{"$":"func","MAX":[{"#":"MarginNote"}],"IsAggregate":true}}]}}"##,
        400,
        &[("/code", r#""bad-query""#)],
    ),
    (
        "B17 a value of another type",
        r##"{"$section":{"$where":null,"Where":{"$":"==","Left":{"#":"Id"},"Right":"soon"}}}"##,
        400,
        &[("/code", r#""bad-query""#), ("/path", r#""$.$section.Where.Right""#)],
    ),
    (
        "B17 a column beside groups",
        r##"{"$section":{"$select":{"$group":null,"GroupBys":[{"#":"Status"}]},"Selects":[{"Value":{"#":"Id"}}]}}"##,
        400,
        &[
            ("/code", r#""bad-query""#),
            ("/detail", r#""this is misplaced: each group has many rows: group by it too, or take its Min or Max""#),
        ],
    ),
    (
        "B17 two columns of one name",
        r##"{"$section":{"$select":null,"Selects":[{"Alias":"x","Value":{"#":"Id"}},{"Alias":"X","Value":{"#":"Total"}}]}}"##,
        400,
        &[("/code", r#""bad-query""#)],
    ),
    (
        "B19 a function that is not on the list",
        r##"{"$":"==","Left":{"$":"func","REPEAT":[{"#":"OrderNo"},1000]},"Right":"x"}"##,
        400,
        &[("/code", r#""bad-query""#)],
    ),
    (
        "B19 a function that nobody knows",
        r##"{"$":"==","Left":{"$":"func","LOAD_FILE":[{"#":"OrderNo"}]},"Right":"x"}"##,
        400,
        &[("/code", r#""bad-query""#)],
    ),
    (
        "B19 a regular expression",
        r##"{"$":"regexp","Left":{"#":"OrderNo"},"Right":"(a+)+$"}"##,
        400,
        &[("/code", r#""bad-query""#)],
    ),
    (
        "B19 another entity in an EXISTS",
        r##"{"$foreign":"Customer","AutoRelated":true,"InnerExpr":{"$":"==","Left":{"#":"Password"},"Right":"x"}}"##,
        400,
        &[("/code", r#""bad-query""#)],
    ),
    (
        "B19 arguments of a table",
        r##"{"$section":{"$table":"OrderView","TableArgs":["x"]}}"##,
        400,
        &[("/code", r#""bad-query""#)],
    ),
];

/// What is wrong with an answer.
fn wrong((_, _, status, expected): &Row, answer: &Answer) -> Vec<String> {
    let mut wrong = Vec::new();
    if answer.status.as_u16() != *status {
        wrong.push(format!("the status is {}", answer.status));
    }
    for (pointer, value) in *expected {
        let value: Json = serde_json::from_str(value).unwrap();
        if answer.at(pointer) != value {
            wrong.push(format!("{pointer} is {}, not {value}", answer.at(pointer)));
        }
    }
    for secret in ["SELECT", "hunter2", "secret margin", "enant", "sqlite"] {
        if answer.text.contains(secret) && !answer.text.contains("`TenantId` is not available") {
            wrong.push(format!("it tells `{secret}`"));
        }
    }
    let content = if answer.text.contains("\"type\"") { "application/problem+json" } else { "application/json" };
    if answer.header("content-type") != content {
        wrong.push(format!("it is {}", answer.header("content-type")));
    }
    wrong
}

#[tokio::test]
async fn pages_are_as_the_specification_says() {
    let api = api(&shop().await);
    let mut all = Vec::new();
    for row in TABLE {
        let answer = send(&api, "POST /api/Order/page", row.1).await;
        let wrong = wrong(row, &answer);
        all.extend((!wrong.is_empty()).then(|| format!("{}: {}: {}", row.0, wrong.join(", "), answer.text)));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[tokio::test]
async fn b14_the_answer_has_these_members() {
    let api = api(&shop().await);
    let body = r##"{"$section":{"$where":null,"Where":{"$":"==","Left":{"#":"Id"},"Right":1}},"Take":1}"##;
    let answer = send(&api, "POST /api/Order/page", body).await;
    let expected = r#"{"skip":0,"take":1,"total":1,"items":[{"id":1,"customerId":2,"orderNo":"A-001","total":1,"status":"Open","customerName":"Bob"}]}"#;
    assert_eq!(answer.text, expected);
}

/// Rows that are equal in the client's order come in that of their key, so that no page shows a row twice.
#[tokio::test]
async fn b14_pages_do_not_overlap() {
    let api = api(&shop().await);
    let mut seen = Vec::new();
    for skip in [0, 50, 100] {
        let body = format!(
            r##"{{"$section":{{"$where":{{"$orderby":null,"OrderBys":[{{"Field":{{"#":"Status"}},"Asc":false}}]}},"Where":{{"$":">","Left":{{"#":"Id"}},"Right":0}}}},"Skip":{skip},"Take":50}}"##
        );
        let answer = send(&api, "POST /api/Order/page", &*body).await;
        seen.extend(answer.at("/items").as_array().unwrap().iter().map(|item| item["id"].as_i64().unwrap()));
    }
    let expected: Vec<i64> = (1..=67).map(|half| half * 2).chain((0..68).map(|half| half * 2 + 1)).collect();
    assert_eq!(seen, expected);
    // The key itself in the order is not named twice.
    let body = r##"{"$section":{"$orderby":null,"OrderBys":[{"Field":{"#":"Id"},"Asc":false}]},"Take":1}"##;
    assert_eq!(send(&api, "POST /api/Order/page", body).await.at("/items/0/id"), json!(135));
}

/// Rows that are equal in the order around a page come in that of the page.
#[tokio::test]
async fn b14_a_page_inside_keeps_its_order() {
    let api = api(&shop().await);
    let mut seen = Vec::new();
    for skip in [0, 20, 40] {
        let body = format!(
            r##"{{"$section":{{"$orderby":{{"$section":{{"$orderby":null,"OrderBys":[{{"Field":{{"#":"Total"}},"Asc":false}}]}},"Take":50}},"OrderBys":[{{"Field":{{"#":"Status"}}}}]}},"Skip":{skip},"Take":20}}"##
        );
        let answer = send(&api, "POST /api/Order/page", &*body).await;
        seen.extend(answer.at("/items").as_array().unwrap().iter().map(|item| item["id"].as_i64().unwrap()));
    }
    let (open, paid): (Vec<i64>, Vec<i64>) = (86..=135).rev().partition(|id| id % 2 == 1);
    assert_eq!(seen, [open, paid].concat());
}

#[tokio::test]
async fn b12_a_strict_controller_ignores_nothing() {
    let api = api_of(&Host::new(&shop().await), Rules::new());
    for body in [
        r##"{"$where":null,"Where":{"$":"==","Left":{"#":"Id"},"Right":7}}"##,
        r##"{"$select":null,"Selects":[{"Value":{"#":"Id"}}]}"##,
        r##"{"@":5}"##,
        r##"{"$orderby":null,"OrderBys":[{"Field":{"#":"Id"}}]}"##,
        r##"{"$section":{"$group":null,"GroupBys":[{"#":"Status"}]}}"##,
        r##"{"$section":{"$select":null,"Distinct":true}}"##,
    ] {
        let answer = send(&api, "POST /api/Order/page", body).await;
        assert_eq!((answer.status.as_u16(), answer.at("/code")), (400, json!("bad-query")), "{body}");
    }
    for body in [
        "5",
        "true",
        r#""Ann""#,
        "[1,2]",
        r##"{"$section":{"$":"==","Left":{"#":"Id"},"Right":7}}"##,
        r##"{"$":"and","Left":{"$":"==","Left":{"#":"Id"},"Right":7},"Right":{"$":"==","Left":{"#":"Id"},"Right":7}}"##,
    ] {
        assert_eq!(send(&api, "POST /api/Order/page", body).await.status, 400, "{body}");
    }
    let answer = send(&api, "POST /api/Order/page", r##"{"$":">","Left":{"#":"Id"},"Right":0}"##).await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn b12_the_log_names_each_controller_that_ignores_trees() {
    let host = Host::new(&shop().await);
    let warnings = |rules: Rules| {
        let (events, _guard) = events::capture("isogloss::web", tracing::Level::WARN);
        drop(Orders(rules).router(&host).unwrap());
        events.take_messages().into_iter().filter(|line| line.contains("Rules::lenient_pages")).collect::<Vec<_>>()
    };
    assert!(warnings(Rules::new()).is_empty() && warnings(Rules::new().lenient_pages().strict()).is_empty());
    let told = warnings(Rules::new().lenient_pages());
    assert!(told.len() == 1 && told[0].contains("`POST /Order/page`"), "{told:?}");
}

#[tokio::test]
async fn b19_a_policy_widens_and_narrows() {
    let policy = QueryPolicy::new("OrderView")
        .allow_entity("Customer")
        .deny_properties("Order", ["Total"])
        .allow_functions(["Replace"]);
    let api = api_of(&Host::new(&shop().await), Rules::new().policy(policy));
    let related =
        r##"{"$foreign":"Customer","AutoRelated":true,"InnerExpr":{"$":"==","Left":{"#":"Name"},"Right":"Annika"}}"##;
    let answer = send(&api, "POST /api/Order/page", related).await;
    // What may not be named is not shown either.
    assert_eq!((answer.at("/total"), answer.at("/items/0/total")), (json!(5), Json::Null), "{}", answer.text);
    for (body, status) in [
        (r##"{"$":"==","Left":{"$":"func","REPLACE":[{"#":"OrderNo"},"A","B"]},"Right":"B-001"}"##, 200),
        (r##"{"$":"==","Left":{"#":"Total"},"Right":1}"##, 400),
        (
            r##"{"$foreign":"Customer","AutoRelated":true,"InnerExpr":{"$":"==","Left":{"#":"Password"},"Right":"x"}}"##,
            400,
        ),
    ] {
        assert_eq!(send(&api, "POST /api/Order/page", body).await.status, status, "{body}");
    }
}

#[tokio::test]
async fn b20_sizes_are_bounded() {
    let context = shop().await;
    let rules = Rules::new().page_sizes(5, 7).max_skip(10).lenient_pages();
    let api = api_of(&Host::new(&context), rules);
    for (body, take) in [(r#"{"$section":null}"#, 5), (r#"{"$section":null,"Take":8}"#, 7), (r#"{"@":1}"#, 5)] {
        assert_eq!(send(&api, "POST /api/Order/page", body).await.at("/take"), json!(take), "{body}");
    }
    let far = send(&api, "POST /api/Order/page", r#"{"$section":null,"Skip":11}"#).await;
    assert_eq!((far.status.as_u16(), far.at("/path")), (400, json!("$.Skip")));
    // Those inside count, too.
    for (body, path) in [
        (r#"{"$section":{"$section":null,"Skip":11,"Take":50}}"#, "$.$section.Skip"),
        (r#"{"$section":{"$section":null,"Skip":6,"Take":50},"Skip":5}"#, "$.$section.Skip"),
        (
            r##"{"$section":{"$where":{"$section":{"$orderby":null,"OrderBys":[{"Field":{"#":"Id"}}]},"Skip":11,"Take":50},"Where":{"$":">","Left":{"#":"Id"},"Right":0}}}"##,
            "$.$section.$where.Skip",
        ),
    ] {
        let far = send(&api, "POST /api/Order/page", body).await;
        assert_eq!((far.status.as_u16(), far.at("/path")), (400, json!(path)), "{}", far.text);
    }
    let near =
        send(&api, "POST /api/Order/page", r#"{"$section":{"$section":null,"Skip":5,"Take":50},"Skip":5}"#).await;
    assert_eq!((near.status.as_u16(), near.at("/items/0/id")), (200, json!(11)), "{}", near.text);

    let api = crate::support::api(&context);
    let filter = |depth: usize| {
        let inner = r##"{"$":"==","Left":{"#":"Id"},"Right":1}"##;
        format!("{}{inner}{}", r#"{"!":"#.repeat(depth), "}".repeat(depth))
    };
    let list = format!(r##"{{"$":"in","Left":{{"#":"Id"}},"Right":[{}1]}}"##, "1,".repeat(20_000));
    let wide = format!(r##"{{"$or":[{}{}]}}"##, format!("{},", filter(0)).repeat(4_000), filter(0));
    for (body, status) in [(filter(10), 200), (filter(70), 400), (filter(10_000), 400), (list, 400), (wide, 400)] {
        let answer = send(&api, "POST /api/Order/page", &*body).await;
        assert_eq!(answer.status, status, "{:.80}", body);
    }
    let large = format!(r##"{{"$":"==","Left":{{"#":"OrderNo"}},"Right":"{}"}}"##, "x".repeat(300_000));
    let answer = send(&api, "POST /api/Order/page", &*large).await;
    assert_eq!((answer.status.as_u16(), answer.at("/code")), (413, json!("too-large")));
}
