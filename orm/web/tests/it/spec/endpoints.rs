//! B1 to B5: the endpoints but that of pages.

use isogloss_web::Rules;
use serde_json::json;

use crate::support::{api, api_of, context, send, shop};

/// A request, the status of its answer, and its body.
const TABLE: &[(&str, &str, u16, &str)] = &[
    ("B2 a row by its key", "GET /api/Customer/2", 200, r#"{"id":2,"name":"Bob"}"#),
    (
        "B2 a row as its view",
        "GET /api/Order/7",
        200,
        r#"{"id":7,"customerId":2,"orderNo":"A-007","total":7,"status":"Open","customerName":"Bob"}"#,
    ),
    ("B2 a row that is not there is null", "GET /api/Order/9000", 200, "null"),
    ("B2 a key of two columns", "GET /api/Seat/3,B%2C1", 200, "null"),
    ("B5 all rows", "GET /api/Order/count", 200, "135"),
    ("B5 no keyword", "GET /api/Customer/count?keyword=", 200, "3"),
    ("B5 rows whose name contains the keyword", "GET /api/Customer/count?keyword=Ann", 200, "2"),
    ("B5 a keyword is no pattern", "GET /api/Customer/count?keyword=%25", 200, "0"),
    ("B5 other parameters are none of count's", "GET /api/Customer/count?x=1&keyword=n+Lee", 200, "1"),
    ("B5 there", "GET /api/Order/exists/7", 200, "true"),
    ("B5 not there", "GET /api/Order/exists/9000", 200, "false"),
    ("B4 a row is deleted", "DELETE /api/Order/7", 200, "true"),
    ("B4 it is gone", "DELETE /api/Order/7", 200, "false"),
    ("B4 it is not found", "GET /api/Order/7", 200, "null"),
];

#[tokio::test]
async fn endpoints_answer_as_the_specification_says() {
    let api = api(&shop().await);
    for (what, request, status, body) in TABLE {
        let answer = send(&api, request, None).await;
        assert_eq!((answer.status.as_u16(), &*answer.text), (*status, *body), "{what}");
        assert_eq!(answer.header("content-type"), "application/json", "{what}");
    }
}

#[tokio::test]
async fn b4_a_row_is_inserted_and_updated() {
    let api = api(&shop().await);
    let body = r#"{"customerId":1,"orderNo":"B-1","total":12.5,"status":"Paid"}"#;
    let inserted = send(&api, "POST /api/Order", body).await;
    assert_eq!((inserted.status.as_u16(), &*inserted.text), (200, "true"));
    let row = json!({"id":136,"customerId":1,"orderNo":"B-1","total":12.5,"status":"Paid","customerName":"Ann Lee"});
    assert_eq!(send(&api, "GET /api/Order/136", None).await.json(), row);
    let body = r#"{"id":136,"customerId":2,"orderNo":"B-2","total":13,"status":"Open"}"#;
    assert_eq!(send(&api, "PUT /api/Order", body).await.text, "true");
    let row = json!({"id":136,"customerId":2,"orderNo":"B-2","total":13,"status":"Open","customerName":"Bob"});
    assert_eq!(send(&api, "GET /api/Order/136", None).await.json(), row);
    let body = r#"{"id":9000,"customerId":2,"orderNo":"B-2","total":13,"status":"Open"}"#;
    assert_eq!(send(&api, "PUT /api/Order", body).await.text, "false");
    // What a client does not see stays as it was.
    let context = shop().await;
    let shown = api_of(&isogloss_web::Host::new(&context), Rules::new().show(["MarginNote"]));
    let body = r#"{"id":1,"customerId":2,"orderNo":"B-3","total":13,"status":"Open"}"#;
    assert_eq!(send(&shown, "PUT /api/Order", body).await.text, "true");
    let row = send(&shown, "GET /api/Order/1", None).await.json();
    assert_eq!((&row["orderNo"], &row["marginNote"]), (&json!("B-3"), &json!("secret margin")));
}

#[tokio::test]
async fn b2_an_id_that_does_not_fit_its_type_is_a_400() {
    let api = api(&shop().await);
    for id in [
        "x",
        "1.5",
        "01",
        "-0",
        "9223372036854775808",
        "%ff",
        "%00",
        "1,2",
        "true",
        "null",
        "''",
        "1%20OR%201=1",
        "..%2f7",
    ] {
        for request in ["GET /api/Order/", "DELETE /api/Order/", "GET /api/Order/exists/"] {
            let answer = send(&api, &format!("{request}{id}"), None).await;
            assert_eq!((answer.status.as_u16(), &answer.at("/code")), (400, &json!("bad-id")), "{request}{id}");
        }
    }
    let answer = send(&api, "GET /api/Seat/3", None).await;
    assert_eq!(answer.at("/detail"), json!("An id has 2 values, with `,` between; this one has 1."));
}

#[tokio::test]
async fn b3_all_rows_up_to_the_bound() {
    let context = shop().await;
    let answer = send(&api(&context), "GET /api/Order", None).await;
    let rows = answer.json();
    assert_eq!((rows.as_array().unwrap().len(), answer.header("x-max-rows")), (135, "1000"));
    assert_eq!((&rows[0]["id"], &rows[134]["id"]), (&json!(1), &json!(135)));
    assert_eq!(rows[0].as_object().unwrap().len(), 6);

    let few = api_of(&isogloss_web::Host::new(&context), Rules::new().max_list(3));
    let answer = send(&few, "GET /api/Order", None).await;
    assert_eq!((answer.json().as_array().unwrap().len(), answer.header("x-max-rows")), (3, "3"));
    let all = api_of(&isogloss_web::Host::new(&context), Rules::new().max_list(None));
    assert!(!send(&all, "GET /api/Order", None).await.headers.contains_key("x-max-rows"));
    assert_eq!(send(&api(&self::context()), "GET /api/Order", None).await.text, "[]");
}

#[tokio::test]
async fn b5_a_keyword_needs_a_name_that_clients_may_ask_for() {
    let api = api(&shop().await);
    let refused = send(&api, "GET /api/Order/count?keyword=a", None).await;
    assert_eq!((refused.status.as_u16(), &refused.at("/code")), (400, &json!("bad-request")));
    let twice = send(&api, "GET /api/Customer/count?keyword=a&keyword=b", None).await;
    assert_eq!(twice.status, 400);
}

#[tokio::test]
async fn b1_paths_and_methods() {
    let api = api(&shop().await);
    for (request, status, allow) in [
        ("HEAD /api/Order", 200, ""),
        ("GET /api/Order/", 200, ""),
        ("HEAD /api/Order/7", 200, ""),
        ("PATCH /api/Order", 405, "GET, HEAD, POST, PUT"),
        ("DELETE /api/Order", 405, "GET, HEAD, POST, PUT"),
        ("PUT /api/Order/7", 405, "GET, HEAD, DELETE"),
        ("POST /api/Order/7", 405, "GET, HEAD, DELETE"),
        ("GET /api/Order/page", 405, "POST"),
        ("POST /api/Order/count", 405, "GET, HEAD"),
        ("POST /api/Order/exists/7", 405, "GET, HEAD"),
        ("OPTIONS /api/Order", 405, "GET, HEAD, POST, PUT"),
        ("GET /api/Order/7/", 404, ""),
        ("GET /api/Order/page/", 404, ""),
        ("GET /api/Order/7/8", 404, ""),
        ("GET /api/Order/exists/7/8", 404, ""),
        ("GET /api/Order/../Customer", 404, ""),
    ] {
        let answer = send(&api, request, None).await;
        assert_eq!((answer.status.as_u16(), answer.header("allow")), (status, allow), "{request}");
        if status > 200 {
            assert_eq!(answer.header("content-type"), "application/problem+json", "{request}");
        }
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{request}");
        assert_eq!(answer.header("cache-control"), "private, no-cache", "{request}");
        assert!(!answer.headers.contains_key("access-control-allow-origin"), "{request}");
    }
}
