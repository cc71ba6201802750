//! Clients that set what is not theirs to set.

use serde_json::Value as Json;

use crate::support::Answer;
use crate::writes::shop::{Shop, State};

const MEMBERS: [(&str, &str); 7] = [
    ("id", "not-writable"),
    ("ownerId", "not-writable"),
    ("version", "not-writable"),
    ("tenantId", "unknown"),
    ("secret", "unknown"),
    ("Secret", "unknown"),
    ("nothing", "unknown"),
];

fn told(answer: &Answer) -> Json {
    answer.at("/errors/0")
}

/// D.5 case 26
#[tokio::test]
async fn no_member_is_set_that_is_not_writable() {
    let shop = Shop::new().await;
    for (member, code) in MEMBERS {
        let body = format!(r#"{{"code":"a","price":1,"state":1,"{member}":2}}"#);
        let answer = shop.send("POST /api/Article", &*body).await;
        assert_eq!((answer.status.as_u16(), &told(&answer)["code"]), (422, &code.into()), "{member}");
        assert_eq!((answer.at("/field"), answer.at("/pointer")), (member.into(), format!("/{member}").into()));
    }
    assert_eq!(shop.send("GET /api/Article/count", None).await.text, "0");

    let id = shop.article("a").await;
    let before = shop.stored(&id).await;
    for (member, code) in MEMBERS.into_iter().filter(|(member, _)| !matches!(*member, "id" | "version")) {
        let body = format!(r#"{{"id":{id},"code":"b","price":2,"state":2,"{member}":2}}"#);
        let answer = shop.send("PUT /api/Article", &*body).await;
        assert_eq!((answer.status.as_u16(), &told(&answer)["code"]), (422, &code.into()), "{member}");
    }
    assert_eq!(shop.stored(&id).await, before);
}

/// D.5 cases 1, 26: whether there is such a column is not told.
#[tokio::test]
async fn a_hidden_column_answers_as_an_unknown_one() {
    let shop = Shop::new().await;
    let answer = async |member: &str, value: &str| {
        let body = format!(r#"{{"code":"a","price":1,"state":1,"{member}":{value}}}"#);
        shop.send("POST /api/Article", &*body).await.text.replace(member, "?")
    };
    for value in ["\"x\"", "null", "5", "{}"] {
        let unknown = answer("sicret", value).await;
        assert_eq!(answer("secret", value).await, unknown);
        assert_eq!(answer("tenantId", value).await, unknown);
    }
}

/// D.5 case 25
#[tokio::test]
async fn a_row_of_another_tenant_is_not_written() {
    let shop = Shop::new().await;
    let id = shop.article("a").await;
    let before = shop.stored(&id).await;
    let body = format!(r#"{{"id":{id},"code":"b","price":2,"state":2}}"#);
    let missing = body.replace(&format!("\"id\":{id}"), "\"id\":999");
    let path = |id: &str| format!("/api/Article/{id}");
    for headers in [&[][..], &[("if-match", "\"1\"")], &[("if-match", "*")]] {
        for (request, body, unknown, no_body) in [
            ("PUT /api/Article".to_owned(), Some(&*body), "PUT /api/Article".to_owned(), Some(&*missing)),
            (format!("DELETE {}", path(&id)), None, format!("DELETE {}", path("999")), None),
            (format!("GET {}", path(&id)), None, format!("GET {}", path("999")), None),
        ] {
            let theirs = shop.send_of("2", &request, body, headers).await;
            let nobodys = shop.send_of("2", &unknown, no_body, headers).await;
            assert_eq!((theirs.status, &theirs.text), (nobodys.status, &nobodys.text), "{request} {headers:?}");
            assert!(matches!(&*theirs.text, "false" | "null") || theirs.status == 412, "{request} {theirs:?}");
        }
    }
    assert_eq!(shop.stored(&id).await, before);
}

/// D.5 case 25
#[tokio::test]
async fn a_row_is_not_moved_out_of_the_scope() {
    let shop = Shop::new().await;
    let send = async |request: &str, body: &str| shop.send_of("9", request, Some(body), &[]).await;
    let draft = r#"{"code":"a","price":1,"state":"Draft"}"#;
    assert_eq!(send("POST /api/Article", draft).await.text, "true");
    for (request, body) in [
        ("POST /api/Article", draft.replace("Draft", "Live").replace("\"a\"", "\"b\"")),
        ("PUT /api/Article", draft.replace("Draft", "Live").replace('{', "{\"id\":1,")),
    ] {
        let answer = send(request, &body).await;
        assert_eq!((answer.status.as_u16(), answer.at("/type")), (403, "/problems/out-of-scope".into()), "{answer:?}");
    }
    assert_eq!(shop.stored("1").await.unwrap().state, State::Draft);
    assert_eq!(shop.send_of("9", "GET /api/Article/count", None, &[]).await.text, "1");
}

/// D.5 case 31
#[tokio::test]
async fn headers_change_neither_tenant_nor_method() {
    let shop = Shop::new().await;
    let headers =
        [("x-tenant", "2"), ("x-tenant-id", "2"), ("x-http-method-override", "DELETE"), ("x-method-override", "PUT")];
    let answer = shop.send_with("POST /api/Article", r#"{"code":"a","price":1,"state":1}"#, &headers).await;
    assert_eq!(answer.text, "true", "{answer:?}");
    assert_eq!(shop.stored("1").await.unwrap().tenant_id, Some(1));
    assert_eq!(shop.send_with("GET /api/Article/count", None, &headers).await.text, "1");
}
