//! Rows that a written row refers to.

use serde_json::Value as Json;

use crate::support::Answer;
use crate::writes::shop::{Shop, each};

fn told(answer: &Answer) -> (u16, Json, Json) {
    (answer.status.as_u16(), answer.at("/code"), answer.at("/field"))
}

/// A foreign key of the database takes any row that is there, also one of another tenant.
#[tokio::test]
async fn a_row_of_another_tenant_is_not_referred_to() {
    each(async |shop: Shop| {
        let theirs = shop.article("theirs").await;
        let own = shop.send_of("2", "POST /api/Article", Some(r#"{"code":"own","price":1,"state":1}"#), &[]).await;
        let own = own.header("location").rsplit('/').next().unwrap().to_owned();
        let send = async |method: &str, no: &str, article: &str| {
            let body = format!(r#"{{"no":"{no}","articleId":{article},"qty":2}}"#);
            shop.send_of("2", &format!("{method} /api/Line"), Some(&body), &[]).await
        };
        assert_eq!(send("POST", "n", &own).await.text, "true", "{}", shop.engine);
        for (method, no) in [("POST", "m"), ("PUT", "n")] {
            let (other, nowhere) = (send(method, no, &theirs).await, send(method, no, "999").await);
            let expected = (409, "foreign-key-violation".into(), "articleId".into());
            assert_eq!(told(&other), expected, "{} {method} {other:?}", shop.engine);
            assert_eq!(other.text, nowhere.text, "{} {method}", shop.engine);
        }
        assert_eq!(shop.send_of("2", "GET /api/Line/count", None, &[]).await.text, "1", "{}", shop.engine);
        let line = shop.send_of("2", "GET /api/Line/n", None, &[]).await;
        assert_eq!(line.at("/articleId").to_string(), own, "{}", shop.engine);
        // Its own article is still one that it may refer to, and a row that is not there is not written.
        assert_eq!(send("PUT", "n", &own).await.text, "true", "{}", shop.engine);
        assert_eq!(send("PUT", "none", &theirs).await.text, "false", "{}", shop.engine);
        shop
    })
    .await;
}
