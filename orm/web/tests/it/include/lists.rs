//! `GET /` with related rows.

use serde_json::json;

use crate::include::shop::{Shop, problem, rules};

async fn list(shop: &Shop, query: &str, accept: &str) -> crate::support::Answer {
    shop.send_with(&format!("GET /Order?{query}"), "", &[("authorization", "Bearer 1"), ("accept", accept)]).await
}

#[tokio::test]
async fn a_list_has_them_in_what_can_nest() {
    let shop = Shop::new(rules().ndjson_end()).await;
    let rows = list(&shop, "include=customer", "application/json").await;
    assert_eq!((rows.at("/2/id"), rows.at("/0/customer/name")), (json!(3), json!("Ann")), "{rows:?}");
    assert_eq!((rows.header("x-max-rows"), rows.header("vary")), ("1000", "Accept"));
    assert_eq!(shop.statements(), 2);

    let lines = list(&shop, "include=tags", "text/csv, application/x-ndjson;q=0.5").await;
    assert_eq!(lines.header("content-type"), "application/x-ndjson");
    let expected = concat!(
        r#"{"id":1,"orderNo":"A-1","version":1,"tags":[{"name":"new","of":"tea"}]}"#,
        "\n",
        r#"{"id":2,"orderNo":"A-2","version":1,"tags":[{"name":"new","of":"tea"}]}"#,
        "\n",
        r#"{"id":3,"orderNo":"A-3","version":1,"tags":[]}"#,
        "\n",
        "{\"$end\":{\"rows\":3}}\n"
    );
    assert_eq!(lines.text, expected);

    let flat = list(&shop, "include=tags", "text/csv").await;
    let told = "Accept one of application/json, application/x-ndjson.";
    assert_eq!(problem(&flat), (406, "not-acceptable".into(), told.into()));
    let nothing = list(&shop, "include=", "text/csv").await;
    assert_eq!((nothing.status.as_u16(), nothing.text.lines().count()), (200, 4), "{nothing:?}");
}

#[tokio::test]
async fn a_query_string_has_them_beside_its_conditions() {
    let shop = Shop::new(rules().query_string()).await;
    let rows = list(&shop, "orderNo=A-2&include=items&page=1", "*/*").await;
    assert_eq!(rows.at("/0/items/0/id"), json!(21), "{rows:?}");
    assert_eq!(rows.json().as_array().unwrap().len(), 1);
    // A list without one takes nothing else.
    let closed = list(&Shop::new(rules()).await, "include=items&orderNo=A-2", "*/*").await;
    assert_eq!(problem(&closed), (400, "bad-query".into(), "This list takes no query string.".into()));
}
