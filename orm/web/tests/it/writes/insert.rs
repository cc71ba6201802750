//! `POST /`

use crate::writes::shop::{Shop, State, each};

/// B4
#[tokio::test]
async fn a_row_is_inserted_and_found_where_it_is_said_to_be() {
    each(async |shop: Shop| {
        let body =
            r#"{"code":"A-1","title":"Löffel \"groß\"","price":1234567890.12,"stock":9007199254740993,"state":"Live"}"#;
        let answer = shop.send("POST /api/Article", body).await;
        assert_eq!((answer.status.as_u16(), &*answer.text), (200, "true"), "{} {answer:?}", shop.engine);
        assert_eq!((answer.header("location"), answer.header("etag")), ("/api/Article/1", "\"1\""));
        let stored = shop.stored("1").await.unwrap();
        assert_eq!((stored.code.as_str(), stored.title.as_deref()), ("A-1", Some("Löffel \"groß\"")));
        assert_eq!((stored.price.to_string().as_str(), stored.state), ("1234567890.12", State::Live));
        // What the program gives, and what the scope.
        assert_eq!((stored.owner_id, stored.tenant_id, stored.version), (42, Some(1), 1));
        let found = shop.send(&format!("GET {}", answer.header("location")), None).await;
        // D.5 case 23: with every digit.
        assert!(found.text.contains(r#""stock":9007199254740993"#), "{}", found.text);
        assert!(found.text.contains(r#""price":1234567890.12"#), "{}", found.text);
        assert_eq!(found.header("etag"), "\"1\"");
        shop
    })
    .await;
}

#[tokio::test]
async fn a_key_that_the_client_chooses_is_in_the_location() {
    let shop = Shop::new().await;
    let article = shop.article("A-1").await;
    let body = format!(r#"{{"no":"x/y,z ä","articleId":{article},"qty":2}}"#);
    let answer = shop.send("POST /api/Line", &*body).await;
    assert_eq!((&*answer.text, answer.header("location")), ("true", "/api/Line/x%2Fy%2Cz%20%C3%A4"), "{answer:?}");
    let found = shop.send(&format!("GET {}", answer.header("location")), None).await;
    assert_eq!((found.at("/no"), found.at("/articleCode")), ("x/y,z ä".into(), "A-1".into()));
}

#[tokio::test]
async fn a_row_whose_key_is_no_address_is_not_inserted() {
    let shop = Shop::new().await;
    let article = shop.article("A-1").await;
    let post = async |no: &str| {
        shop.send("POST /api/Line", &*format!(r#"{{"no":"{no}","articleId":{article},"qty":2}}"#)).await
    };
    for no in ["", ".", "..", "count", "page"] {
        let answer = post(no).await;
        assert_eq!((answer.status.as_u16(), answer.at("/errors/0/code")), (422, "no-address".into()), "{no}");
        assert_eq!(answer.at("/field"), "no");
    }
    assert_eq!(shop.send("GET /api/Line/count", None).await.text, "0");
    for (no, location) in [("...", "/api/Line/..."), ("Count", "/api/Line/Count"), ("exists", "/api/Line/exists")] {
        let answer = post(no).await;
        assert_eq!((&*answer.text, answer.header("location")), ("true", location), "{no}");
        assert_eq!(shop.send(&format!("GET {location}"), None).await.at("/no"), no);
    }
}

/// B4
#[tokio::test]
async fn what_a_subscriber_does_not_want_is_not_inserted() {
    let shop = Shop::new().await;
    let answer = shop.send("POST /api/Article", r#"{"code":"A-1","title":"veto","price":1,"state":1}"#).await;
    assert_eq!((answer.status.as_u16(), &*answer.text), (200, "false"));
    assert!(answer.header("location").is_empty() && answer.header("etag").is_empty());
    assert_eq!(shop.send("GET /api/Article/count", None).await.text, "0");
}

/// D.5 cases 7, 8, 23
#[tokio::test]
async fn what_cannot_be_read_is_refused() {
    let shop = Shop::new().await;
    let post = async |body: &str| shop.send("POST /api/Article", body).await;
    for body in ["", "null", "true", "[]", "{", "{\"code\":\"a\",}"] {
        let answer = post(body).await;
        assert_eq!((answer.status.as_u16(), answer.at("/code")), (400, "bad-json".into()), "{body}");
        assert_eq!(answer.header("content-type"), "application/problem+json");
    }
    let answer = post(r#"{"code":"a","Code":"b","price":0.001,"stock":1e400,"state":"Gone"}"#).await;
    assert_eq!((answer.status.as_u16(), answer.at("/type")), (422, "/problems/invalid-body".into()));
    let told: Vec<String> = answer
        .at("/errors")
        .as_array()
        .unwrap()
        .iter()
        .map(|error| format!("{} {}", error["pointer"], error["code"]))
        .collect();
    let expected = [r#""/Code" "duplicate""#, r#""/price" "too-precise""#, r#""/stock" "type""#, r#""/state" "type""#];
    assert_eq!(told, expected);
    let one = post(r#"{"code":"a","state":1}"#).await;
    assert_eq!(
        (one.at("/field"), one.at("/path"), one.at("/pointer")),
        ("price".into(), "$.price".into(), "/price".into())
    );
    assert_eq!(shop.send("GET /api/Article/count", None).await.text, "0");
    let typed = shop.send_with("POST /api/Article", r#"{"code":"a"}"#, &[("content-type", "text/plain")]).await;
    assert_eq!(typed.status, 415);
}

#[tokio::test]
async fn nobody_writes_who_is_not_known() {
    let shop = Shop::new().await;
    let answer = shop.send_of("x", "POST /api/Article", Some(r#"{"code":"a","price":1,"state":1}"#), &[]).await;
    assert_eq!((answer.status.as_u16(), answer.header("www-authenticate")), (401, "Bearer"));
    assert_eq!(shop.send("GET /api/Article/count", None).await.text, "0");
}
