//! `ETag`, `If-None-Match` and `If-Match`.

use isogloss_web::{Controllers, Host, Rules};

use crate::support::{Answer, send_as};
use crate::writes::shop::{Shop, each};

fn body(id: &str, price: u32) -> String {
    format!(r#"{{"id":{id},"code":"a","price":{price},"state":1}}"#)
}

fn outcome(answer: &Answer) -> (u16, String) {
    match answer.status.as_u16() {
        200 => (200, answer.text.clone()),
        status => (status, answer.at("/code").as_str().unwrap_or_default().to_owned()),
    }
}

fn is(status: u16, text: &str) -> (u16, String) {
    (status, text.to_owned())
}

#[tokio::test]
async fn a_row_that_the_client_has_is_not_sent_again() {
    let shop = Shop::new().await;
    let id = shop.article("a").await;
    let get =
        async |tags: &str| shop.send_with(&format!("GET /api/Article/{id}"), None, &[("if-none-match", tags)]).await;
    for tags in ["\"1\"", "W/\"1\"", "\"0\", \"1\"", "*"] {
        let answer = get(tags).await;
        assert_eq!((answer.status.as_u16(), &*answer.text, answer.header("etag")), (304, "", "\"1\""), "{tags}");
    }
    assert_eq!(get("\"2\"").await.status, 200);
    assert_eq!(get("1").await.status, 400);
    assert_eq!(shop.send("PUT /api/Article", &*body(&id, 2)).await.text, "true");
    let answer = get("\"1\"").await;
    assert_eq!((answer.status.as_u16(), answer.header("etag")), (200, "\"2\""));
    // None is there.
    let missing = shop.send_with("GET /api/Article/99", None, &[("if-none-match", "*")]).await;
    assert_eq!((missing.status.as_u16(), &*missing.text, missing.header("etag")), (200, "null", ""));
}

/// What a view joins may be another while the row's own version is the same.
#[tokio::test]
async fn a_row_with_columns_of_others_is_sent_again_when_those_change() {
    let shop = Shop::new().await;
    let article = shop.article("a").await;
    let line = format!(r#"{{"no":"n","articleId":{article},"qty":2}}"#);
    assert_eq!(shop.send("POST /api/Line", &*line).await.header("etag"), "\"1\"");
    let get = async |tags: &str| shop.send_with("GET /api/Line/n", None, &[("if-none-match", tags)]).await;
    let first = get("\"1\"").await;
    let tag = first.header("etag");
    assert_eq!((first.status.as_u16(), tag.starts_with("\"1~")), (200, true), "{first:?}");
    assert_eq!(get(tag).await.status, 304);
    assert_eq!(shop.send("PUT /api/Article", &*body(&article, 2).replace("\"a\"", "\"b\"")).await.text, "true");
    let second = get(tag).await;
    assert_eq!((second.status.as_u16(), second.at("/articleCode")), (200, "b".into()));
    assert_ne!(second.header("etag"), tag);
    // The row itself is as it was.
    let put = async |qty: u32, tags: &str| {
        let line = line.replace(":2}", &format!(":{qty}}}"));
        outcome(&shop.send_with("PUT /api/Line", &*line, &[("if-match", tags)]).await)
    };
    assert_eq!(put(3, tag).await, is(200, "true"));
    assert_eq!(put(4, second.header("etag")).await, is(412, "version-conflict"));
}

#[tokio::test]
async fn an_update_on_top_of_another_version_is_refused() {
    each(async |shop: Shop| {
        let id = shop.article("a").await;
        let put = async |price: u32, tags: &str| {
            outcome(&shop.send_with("PUT /api/Article", &*body(&id, price), &[("if-match", tags)]).await)
        };
        assert_eq!(put(2, "\"1\"").await, is(200, "true"));
        assert_eq!(put(3, "\"1\"").await, is(412, "version-conflict"));
        assert_eq!(put(3, "W/\"2\"").await, is(412, "version-conflict"));
        assert_eq!(put(3, "\"x\"").await, is(412, "version-conflict"));
        assert_eq!(put(3, "\"8\", \"9\"").await, is(412, "version-conflict"));
        assert_eq!(put(3, "2").await, is(400, "bad-request"));
        assert_eq!(shop.stored(&id).await.unwrap().price, 2.into());
        assert_eq!(put(3, "\"1\", \"2\"").await, is(200, "true"));
        assert_eq!(put(4, "*").await, is(200, "true"));
        // The body says it as well.
        let versioned = |version: u32| body(&id, 5).replace('}', &format!(",\"version\":{version}}}"));
        let put = async |version: u32, tags: Option<&str>| {
            let headers: Vec<(&str, &str)> = tags.map(|tags| ("if-match", tags)).into_iter().collect();
            outcome(&shop.send_with("PUT /api/Article", &*versioned(version), &headers).await)
        };
        assert_eq!(put(3, None).await, is(412, "version-conflict"));
        assert_eq!(put(4, Some("\"3\"")).await, is(412, "version-conflict"));
        assert_eq!(put(4, Some("\"4\"")).await, is(200, "true"));
        assert_eq!(put(5, None).await, is(200, "true"));
        assert_eq!(shop.stored(&id).await.unwrap().version, 6);
        // There is none to be of a version.
        let gone = async |tags: &str| {
            outcome(&shop.send_with("PUT /api/Article", &*body("99", 1), &[("if-match", tags)]).await)
        };
        // RFC 9110, 13.1.1: no representation is none that a tag names.
        for tags in ["\"1\"", "\"1\", \"2\"", "\"x\"", "*"] {
            assert_eq!(gone(tags).await, is(412, "version-conflict"), "{tags}");
        }
        let gone = versioned(6).replace(&format!("\"id\":{id}"), "\"id\":99");
        assert_eq!(outcome(&shop.send("PUT /api/Article", &*gone).await), is(200, "false"));
        shop
    })
    .await;
}

#[tokio::test]
async fn a_delete_of_another_version_is_refused() {
    each(async |shop: Shop| {
        let id = shop.article("a").await;
        assert_eq!(shop.send("PUT /api/Article", &*body(&id, 2)).await.text, "true");
        let delete = async |id: &str, tags: &str| {
            outcome(&shop.send_with(&format!("DELETE /api/Article/{id}"), None, &[("if-match", tags)]).await)
        };
        for tags in ["\"1\"", "W/\"2\"", "\"x\"", "\"7\", \"8\""] {
            assert_eq!(delete(&id, tags).await, is(412, "version-conflict"), "{} {tags}", shop.engine);
        }
        assert_eq!(shop.stored(&id).await.unwrap().version, 2);
        assert_eq!(delete(&id, "\"2\"").await, is(200, "true"));
        assert_eq!(delete(&id, "\"2\"").await, is(412, "version-conflict"));
        assert_eq!(delete(&id, "*").await, is(412, "version-conflict"));
        // A subscriber wants this one to stay.
        assert_eq!(shop.article("b").await, "2");
        assert_eq!(delete("2", "\"1\"").await, is(200, "false"));
        assert!(shop.stored("2").await.is_some());
        shop
    })
    .await;
}

/// RFC 9110, 13.1.2
#[tokio::test]
async fn a_row_that_is_excluded_is_not_written() {
    let shop = Shop::new().await;
    let id = shop.article("a").await;
    let put =
        async |id: &str, tags: &[(&str, &str)]| outcome(&shop.send_with("PUT /api/Article", &*body(id, 2), tags).await);
    for tags in ["*", "\"1\"", "W/\"1\"", "\"7\", \"1\""] {
        assert_eq!(put(&id, &[("if-none-match", tags)]).await, is(412, "version-conflict"), "{tags}");
        let both = [("if-match", "\"1\""), ("if-none-match", tags)];
        assert_eq!(put(&id, &both).await, is(412, "version-conflict"), "{tags}");
        let delete = shop.send_with(&format!("DELETE /api/Article/{id}"), None, &[("if-none-match", tags)]).await;
        assert_eq!(outcome(&delete), is(412, "version-conflict"), "{tags}");
    }
    assert_eq!(put(&id, &[("if-none-match", "1")]).await, is(400, "bad-request"));
    assert_eq!(put("99", &[("if-none-match", "*")]).await, is(200, "false"));
    assert_eq!(put(&id, &[("if-none-match", "\"7\"")]).await, is(200, "true"));
    assert_eq!(put(&id, &[("if-none-match", "\"1\""), ("if-match", "\"2\"")]).await, is(200, "true"));
    assert_eq!(shop.stored(&id).await.unwrap().version, 3);
}

/// RFC 6585, 3: where the rules want it, nobody writes over a row whose version they do not say.
#[tokio::test]
async fn a_version_that_has_to_be_said_is_a_428_without() {
    let shop = Shop::new().await;
    let id = shop.article("a").await;
    let host = Host::new(&shop.context);
    let controllers =
        Controllers::of(host).only(["Article", "Note"]).defaults(Rules::new().allow_writes().require_version());
    let api = controllers.router().unwrap();
    let send = async |request: &str, body: Option<&str>, tags: &[(&str, &str)]| {
        outcome(&send_as(&api, request, body, tags).await)
    };
    let (put, delete) = (body(&id, 2), format!("DELETE /Article/{id}"));
    for tags in [&[][..], &[("if-none-match", "\"7\"")]] {
        assert_eq!(send("PUT /Article", Some(&put), tags).await, is(428, "precondition-required"));
        assert_eq!(send(&delete, None, tags).await, is(428, "precondition-required"));
    }
    assert_eq!(shop.stored(&id).await.unwrap().version, 1);
    let versioned = put.replace('}', ",\"version\":1}");
    assert_eq!(send("PUT /Article", Some(&versioned), &[]).await, is(200, "true"));
    assert_eq!(send("PUT /Article", Some(&put), &[("if-match", "\"2\"")]).await, is(200, "true"));
    assert_eq!(send("PUT /Article", Some(&put), &[("if-match", "*")]).await, is(200, "true"));
    assert_eq!(send(&delete, None, &[("if-match", "\"1\"")]).await, is(412, "version-conflict"));
    assert_eq!(send(&delete, None, &[("if-match", "\"4\"")]).await, is(200, "true"));
    // A row that has no version has none to say.
    assert_eq!(send("POST /Note", Some(r#"{"text":"a"}"#), &[]).await, is(200, "true"));
    assert_eq!(send("PUT /Note", Some(r#"{"id":1,"text":"b"}"#), &[]).await, is(200, "true"));
    assert_eq!(send("DELETE /Note/1", None, &[]).await, is(200, "true"));
}

#[tokio::test]
async fn of_two_writers_of_one_version_one_is_refused() {
    each(async |shop: Shop| {
        for round in 0..10 {
            let id = shop.article(&format!("c{round}")).await;
            let code = format!("\"c{round}\"");
            let first = body(&id, 2).replace("\"a\"", &code);
            let tag = [("if-match", "\"1\"")];
            let path = format!("DELETE /api/Article/{id}");
            let second = async {
                if round % 2 == 0 || id == "2" {
                    shop.send_with("PUT /api/Article", &*first, &tag).await
                } else {
                    shop.send_with(&path, None, &tag).await
                }
            };
            let (one, two) = tokio::join!(shop.send_with("PUT /api/Article", &*first, &tag), second);
            let mut outcomes = [outcome(&one), outcome(&two)];
            outcomes.sort();
            let refused = outcomes[1].0 == 412 || outcomes[1].0 == 503 || outcomes[0].1 == "false";
            assert!(refused && outcomes.contains(&is(200, "true")), "{} {outcomes:?}", shop.engine);
        }
        shop
    })
    .await;
}

#[tokio::test]
async fn a_row_without_versions_has_no_tag() {
    let shop = Shop::new().await;
    let inserted = shop.send("POST /api/Note", r#"{"text":"a"}"#).await;
    assert_eq!((&*inserted.text, inserted.header("location"), inserted.header("etag")), ("true", "/api/Note/1", ""));
    let found = shop.send_with("GET /api/Note/1", None, &[("if-none-match", "*")]).await;
    assert_eq!((found.status.as_u16(), found.header("etag")), (200, ""));
    let put = async |tags: &str| {
        outcome(&shop.send_with("PUT /api/Note", r#"{"id":1,"text":"b"}"#, &[("if-match", tags)]).await)
    };
    assert_eq!(put("\"1\"").await, is(412, "version-conflict"));
    assert_eq!(put("*").await, is(200, "true"));
    let delete = async |tags: &str| outcome(&shop.send_with("DELETE /api/Note/1", None, &[("if-match", tags)]).await);
    assert_eq!(delete("\"1\"").await, is(412, "version-conflict"));
    assert_eq!(delete("*").await, is(200, "true"));
}
