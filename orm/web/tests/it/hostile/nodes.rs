//! Nodes that no client may send, and texts that are no trees.

use isogloss_web::Rules;

use crate::hostile::app::{App, ORDERS};

const DELETE: &str = r##"{"$delete":{"$table":"Order"},"Where":{"$":">","Left":{"#":"Id"},"Right":0}}"##;
const UPDATE: &str = r##"{"$update":{"$table":"Order"},"Sets":[{"Points":0}],"AllRows":true}"##;
const INSERT: &str = r##"{"$insert":{"$table":"Order"},"Columns":["OrderNo"],"Values":[["x"]]}"##;
const SQL: &str = r##"{"$":"sql","Key":"k","Arg":"1=1"}"##;

#[tokio::test]
async fn case_06_statements_and_fragments_are_refused_wherever_they_stand() {
    let app = App::new().await;
    let before = app.everything().await;
    for (node, name) in
        [(DELETE, "DeleteExpr"), (UPDATE, "UpdateExpr"), (INSERT, "InsertExpr"), (SQL, "GenericSqlExpr")]
    {
        let answer = app.refuses(node).await;
        assert_eq!(answer.at("/error"), "Expr contains disallowed node types.", "{answer:?}");
        assert_eq!((answer.at("/failedType"), answer.at("/path")), (name.into(), "$".into()), "{answer:?}");
        for place in [
            r##"{"$":"==","Left":{"#":"Id"},"Right":NODE}"##,
            r##"{"$":"==","Left":NODE,"Right":1}"##,
            r##"{"$":"in","Left":{"#":"Id"},"Right":{"$":"set","List":[NODE]}}"##,
            r##"{"$":"in","Left":{"#":"Id"},"Right":NODE}"##,
            r##"{"$exists":NODE}"##,
            r##"{"$foreign":"Customer","InnerExpr":NODE}"##,
            r##"{"$and":[NODE]}"##,
            r##"{"!":NODE}"##,
            r##"{"$":"==","Left":{"$":"func","CASE":[NODE,1,2]},"Right":1}"##,
            r##"{"$":"==","Left":{"$":"func","Length":[NODE]},"Right":1}"##,
            r##"{"$section":NODE,"Take":5}"##,
            r##"{"$section":{"$where":NODE,"Where":{"$":">","Left":{"#":"Id"},"Right":0}}}"##,
            r##"{"$section":{"$where":null,"Where":NODE}}"##,
            r##"{"$section":{"$orderby":null,"OrderBys":[{"Field":NODE}]}}"##,
            r##"{"$section":{"$select":null,"Selects":[{"Value":NODE}]}}"##,
        ] {
            app.refuses(&place.replace("NODE", node)).await;
        }
    }
    // What is allowed only where the program says so.
    for node in [
        r##"{"$lock":null,"Mode":"Update"}"##,
        r##"{"$section":{"$lock":null,"Mode":"Update"}}"##,
        r##"{"$section":{"$cte":{"$select":null,"Selects":[{"Value":{"#":"Id"}}]},"Alias":"c"}}"##,
        r##"{"$section":{"$from":{"$table":"OrderView"},"Joins":[{"$join":{"$table":"Customer"}}]}}"##,
        r##"{"$":"nosuch","Left":1,"Right":2}"##,
        r##"{"$nosuch":null}"##,
    ] {
        app.refuses(node).await;
    }
    assert_eq!(app.everything().await, before);
}

#[tokio::test]
async fn case_07_no_key_is_there_twice_and_none_is_ignored() {
    let app = App::new().await;
    for tree in [
        r##"{"$":"==","Left":{"#":"Id"},"Left":{"#":"Points"},"Right":1}"##,
        r##"{"$":"==","$":"!=","Left":{"#":"Id"},"Right":1}"##,
        r##"{"$":"section","$":"delete"}"##,
        r##"{"$section":null,"$delete":{"$table":"Order"}}"##,
        r##"{"$section":null,"Take":5,"Take":500}"##,
        r##"{"$section":null,"take":5}"##,
        r##"{"#":"Id","#":"Secret"}"##,
        r##"{"#":"Id","@":5}"##,
        r##"{"$and":[],"$or":[]}"##,
        r##"{"$":"==","Left":{"#":"Id"},"Right":1,"Extra":1}"##,
        r##"{"$":"==","left":{"#":"Id"},"Right":1}"##,
        r##"{"__proto__":{},"$section":null}"##,
        r##"{"$":"==","Left":{"#":"Id"},"Right":{"@":{"a":1,"a":2}}}"##,
        r##"{"$":"==","Left":{"#":"Id"},"Right":1} {"$section":null}"##,
    ] {
        app.refuses(tree).await;
    }
    let twice = app.send("POST /api/Order", r#"{"customerId":1,"orderNo":"x","points":1,"points":2}"#).await;
    assert_eq!(twice.status, 422, "{twice:?}");
    assert_eq!(app.everything().await.len(), ORDERS + 6);
}

#[tokio::test]
async fn case_08_a_body_that_is_no_tree_is_a_400_and_one_that_is_no_json_a_415() {
    let app = App::new().await;
    for body in
        ["true", "null", " null ", "[]", "5", r#""x""#, "{}", "nul", "{", "\u{feff}{}", "\0", "{\"$section\":null}x"]
    {
        let answer = app.page(body).await;
        assert_eq!(answer.status, 400, "{body} {answer:?}");
        assert_eq!(answer.header("content-type"), "application/json", "{body}");
        assert!(answer.at("/error").is_string(), "{body} {answer:?}");
    }
    let json = &[("authorization", "Bearer 1"), ("content-type", "application/json")];
    let empty = app.send_with("POST /api/Order/page", "", json).await;
    assert_eq!(empty.status, 400, "{empty:?}");

    let tree = r##"{"$section":null}"##;
    for content in [
        "",
        "text/plain",
        "text/json",
        "application/xml",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=utf-16",
        "application/json, text/plain",
        "application/octet-stream",
        "json",
        "*/*",
        "text/html",
    ] {
        let headers = [("authorization", "Bearer 1"), ("content-type", content)];
        for request in ["POST /api/Order/page", "POST /api/Order", "PUT /api/Order"] {
            let answer = app.send_with(request, tree, &headers).await;
            assert_eq!(answer.status, 415, "{request} {content} {answer:?}");
        }
    }
}

#[tokio::test]
async fn case_09_a_tree_without_a_page_is_one_page_of_ones_own_rows() {
    let app = App::with(Rules::new().lenient_pages()).await;
    for tree in [
        r##"{"$select":null,"Selects":[{"Value":{"#":"Id"}}]}"##,
        r##"{"$orderby":null,"OrderBys":[{"Field":{"#":"Id"}}]}"##,
        r##"{"$table":"OrderView"}"##,
        r##"{"$where":null,"Where":{"$":">","Left":{"#":"Id"},"Right":0}}"##,
        r##"{"#":"Id"}"##,
    ] {
        let answer = app.page(tree).await;
        assert_eq!(answer.status, 200, "{tree} {answer:?}");
        assert_eq!((answer.at("/total"), answer.at("/take")), (ORDERS.into(), 20.into()), "{answer:?}");
        let items = answer.at("/items");
        let items = items.as_array().unwrap();
        assert!(items.len() == 20 && items.iter().all(|order| order["tenantId"] == 1), "{answer:?}");
    }
}
