//! What a database refuses.

use serde_json::Value as Json;

use crate::support::Answer;
use crate::writes::shop::{Shop, each};

/// Status, code and field, of an answer that says nothing of the engine and of values.
fn told(shop: &Shop, answer: &Answer) -> (u16, Json, Json) {
    assert_eq!(answer.header("content-type"), "application/problem+json", "{} {answer:?}", shop.engine);
    let lower = answer.text.to_lowercase();
    for word in [
        "secret-value",
        "articles",
        "article_lines",
        "constraint",
        "sqlite",
        "postgres",
        "mysql",
        "tenant",
        "insert",
        "sqlstate",
    ] {
        assert!(!lower.contains(word), "{} {word}: {}", shop.engine, answer.text);
    }
    (answer.status.as_u16(), answer.at("/code"), answer.at("/field"))
}

/// D.5 case 33
#[tokio::test]
async fn a_key_that_is_taken_names_the_field() {
    each(async |shop: Shop| {
        shop.article("secret-value").await;
        let second = shop.article("other").await;
        let insert = shop.send("POST /api/Article", r#"{"code":"secret-value","price":1,"state":1}"#).await;
        assert_eq!(told(&shop, &insert), (409, "unique-violation".into(), "code".into()), "{}", shop.engine);
        assert_eq!(insert.at("/pointer"), "/code");
        // Also one of a row that the client does not see.
        let other =
            shop.send_of("2", "POST /api/Article", Some(r#"{"code":"secret-value","price":1,"state":1}"#), &[]).await;
        assert_eq!(told(&shop, &other), (409, "unique-violation".into(), "code".into()), "{}", shop.engine);
        let body = format!(r#"{{"id":{second},"code":"secret-value","price":1,"state":1}}"#);
        let update = shop.send("PUT /api/Article", &*body).await;
        assert_eq!(told(&shop, &update), (409, "unique-violation".into(), "code".into()), "{}", shop.engine);
        assert_eq!(shop.send("GET /api/Article/count", None).await.text, "2");
        shop
    })
    .await;
}

/// D.5 case 33
#[tokio::test]
async fn a_line_is_refused_for_what_is_wrong_with_it() {
    each(async |shop: Shop| {
        let article = shop.article("a").await;
        let post = async |no: &str, article: &str, place: &str, qty: i32| {
            let body = format!(r#"{{"no":"{no}","articleId":{article},"place":"{place}","qty":{qty}}}"#);
            shop.send("POST /api/Line", &*body).await
        };
        assert_eq!(post("n1", &article, "secret-value", 1).await.text, "true");
        let key = post("n1", &article, "p", 1).await;
        assert_eq!(told(&shop, &key), (409, "unique-violation".into(), "no".into()), "{}", shop.engine);
        // A key of a hidden column and one that is seen. MySQL says the name of an index only.
        let place = post("n2", &article, "secret-value", 1).await;
        let field = if shop.engine == "mysql" { Json::Null } else { "place".into() };
        assert_eq!(told(&shop, &place), (409, "unique-violation".into(), field), "{}", shop.engine);
        let foreign = post("n3", "99", "q", 1).await;
        assert_eq!(told(&shop, &foreign).0, 409, "{}", shop.engine);
        assert_eq!(foreign.at("/type"), "/problems/foreign-key-violation");
        let check = post("n4", &article, "r", 0).await;
        assert_eq!(told(&shop, &check), (422, "check-violation".into(), Json::Null), "{}", shop.engine);
        assert_eq!(shop.send("GET /api/Line/count", None).await.text, "1");
        // It is still referred to.
        let delete = shop.send(&format!("DELETE /api/Article/{article}"), None).await;
        assert_eq!(told(&shop, &delete).1, "foreign-key-violation", "{}", shop.engine);
        let delete = shop.send_with(&format!("DELETE /api/Article/{article}"), None, &[("if-match", "\"1\"")]).await;
        assert_eq!(told(&shop, &delete).1, "foreign-key-violation", "{}", shop.engine);
        shop
    })
    .await;
}
