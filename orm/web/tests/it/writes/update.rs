//! `PUT /`

use crate::writes::shop::{Shop, State, each};

/// B4
#[tokio::test]
async fn a_row_is_written_over() {
    each(async |shop: Shop| {
        let body = r#"{"code":"a","title":"First","price":1,"stock":5,"state":1}"#;
        assert_eq!(shop.send("POST /api/Article", body).await.text, "true");
        let body = r#"{"id":1,"code":"b","price":2.5,"state":"Live","stock":null}"#;
        let answer = shop.send("PUT /api/Article", body).await;
        assert_eq!(
            (answer.status.as_u16(), &*answer.text, answer.header("etag")),
            (200, "true", "\"2\""),
            "{answer:?}"
        );
        let stored = shop.stored("1").await.unwrap();
        assert_eq!((stored.code.as_str(), stored.state, stored.stock), ("b", State::Live, None));
        // What is not there stays: what clients may leave out, and what is not theirs.
        assert_eq!((stored.title.as_deref(), stored.owner_id, stored.tenant_id), (Some("First"), 42, Some(1)));
        shop
    })
    .await;
}

/// B4
#[tokio::test]
async fn a_row_that_is_not_there_is_not_written() {
    let shop = Shop::new().await;
    let answer = shop.send("PUT /api/Article", r#"{"id":7,"code":"b","price":2,"state":2}"#).await;
    assert_eq!((answer.status.as_u16(), &*answer.text, answer.header("etag")), (200, "false", ""));
    let id = shop.article("a").await;
    let body = format!(r#"{{"id":{id},"code":"b","price":2,"state":2,"title":"veto"}}"#);
    for headers in [&[][..], &[("if-match", "\"1\"")]] {
        let answer = shop.send_with("PUT /api/Article", &*body, headers).await;
        assert_eq!((answer.status.as_u16(), &*answer.text), (200, "false"), "a subscriber does not want it");
    }
    assert_eq!(shop.stored(&id).await.unwrap().code, "a");
}

#[tokio::test]
async fn a_body_says_which_row_and_what_is_required() {
    let shop = Shop::new().await;
    let answer = shop.send("PUT /api/Article", r#"{"title":"x"}"#).await;
    let fields =
        answer.at("/errors").as_array().unwrap().iter().map(|error| error["field"].clone()).collect::<Vec<_>>();
    assert_eq!(
        (answer.status.as_u16(), fields),
        (422, vec!["id".into(), "code".into(), "price".into(), "state".into()])
    );
}

/// A row that was read has members that are not to be written: the answer names each, also where its value is the same.
#[tokio::test]
async fn what_is_to_be_left_out_of_a_row_that_was_read_is_told() {
    let shop = Shop::new().await;
    let article = shop.article("a").await;
    assert_eq!(
        shop.send("POST /api/Line", &*format!(r#"{{"no":"n","articleId":{article},"qty":2}}"#)).await.text,
        "true"
    );
    let told = async |request: &str, path: &str| {
        let mut row = shop.send(&format!("GET {path}"), None).await.json();
        let answer = shop.send(request, &*row.to_string()).await;
        assert_eq!(answer.status, 422, "{answer:?}");
        let errors = answer.at("/errors").as_array().unwrap().clone();
        for error in &errors {
            assert_eq!(error["code"], "not-writable");
            assert!(error["detail"].as_str().unwrap().ends_with("leave it out."), "{error}");
            row.as_object_mut().unwrap().remove(error["field"].as_str().unwrap());
        }
        assert_eq!(shop.send(request, &*row.to_string()).await.text, "true");
        errors.into_iter().map(|error| error["field"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(told("PUT /api/Line", "/api/Line/n").await, ["articleCode"]);
    assert_eq!(told("PUT /api/Article", &format!("/api/Article/{article}")).await, ["ownerId"]);
}

#[tokio::test]
async fn a_key_is_not_changed() {
    let shop = Shop::new().await;
    let article = shop.article("a").await;
    let line = format!(r#"{{"no":"n1","articleId":{article},"qty":2}}"#);
    assert_eq!(shop.send("POST /api/Line", &*line).await.text, "true");
    assert_eq!(shop.send("PUT /api/Line", &*line.replace("n1", "n2")).await.text, "false");
    assert_eq!(shop.send("PUT /api/Line", &*line.replace(":2}", ":3}")).await.text, "true");
    assert_eq!(shop.send("GET /api/Line/n1", None).await.at("/qty"), 3);
    assert_eq!(shop.send("GET /api/Line/count", None).await.text, "1");
}
