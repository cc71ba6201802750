//! Rows of others, and members of a row that are not the client's.

use crate::hostile::app::{App, ORDERS, problem};

/// An order of the second tenant, one that is deleted, and none.
const NOT_OURS: [i64; 3] = [32, 31, 999_999];

#[tokio::test]
async fn case_25_a_row_of_another_is_one_that_is_not_there() {
    let app = App::new().await;
    let before = app.everything().await;
    let mut answers = Vec::new();
    for id in NOT_OURS {
        let mut of_one = Vec::new();
        for (request, body) in [
            (format!("GET /api/Order/{id}"), String::new()),
            (format!("GET /api/Order/exists/{id}"), String::new()),
            (format!("DELETE /api/Order/{id}"), String::new()),
            ("PUT /api/Order".to_owned(), format!(r#"{{"id":{id},"customerId":1,"orderNo":"mine","points":7}}"#)),
        ] {
            let answer = app.send(&request, &body).await;
            of_one.push((answer.status.as_u16(), answer.text));
        }
        answers.push(of_one);
    }
    assert!(answers.iter().all(|of_one| *of_one == answers[0]), "{answers:?}");
    assert_eq!(
        (answers[0][0].1.as_str(), answers[0][1].1.as_str(), answers[0][2].1.as_str()),
        ("null", "false", "false")
    );
    assert_eq!(app.everything().await, before);
    // Nor are there rows for nobody.
    let nobody = app.send_with("GET /api/Order/1", "", &[]).await;
    assert_eq!((nobody.status.as_u16(), &problem(&nobody)["code"]), (401, &"unauthenticated".into()), "{nobody:?}");
}

#[tokio::test]
async fn a_row_that_refers_to_one_of_another_shows_nothing_of_it() {
    let app = App::new().await;
    // Customer 3 is the second tenant's; that it is there is looked for in each answer.
    let answer = app.send("POST /api/Order", r#"{"customerId":3,"orderNo":"curious","points":1}"#).await;
    assert!(answer.status == 200 || answer.status == 409, "{answer:?}");
    let id = app.everything().await.last().unwrap().id;
    for (request, body) in [
        (format!("GET /api/Order/{id}"), ""),
        ("GET /api/Order".to_owned(), ""),
        ("POST /api/Order/page".to_owned(), r##"{"$":"==","Left":{"#":"OrderNo"},"Right":"curious"}"##),
    ] {
        let answer = app.send(&request, body).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    let by_name = r##"{"$":"startswith","Left":{"#":"CustomerName"},"Right":"Annik"}"##;
    assert_eq!(app.total(by_name).await, 0);
}

#[tokio::test]
async fn case_26_members_that_are_not_the_clients_are_refused() {
    let app = App::new().await;
    let before = app.everything().await;
    for member in [
        "tenantId",
        "TenantId",
        "isDeleted",
        "secret",
        "version",
        "roles",
        "nosuch",
        "__proto__",
        "constructor",
        "customerName",
    ] {
        let answer =
            app.send("POST /api/Order", &format!(r#"{{"customerId":1,"orderNo":"x","points":1,"{member}":1}}"#)).await;
        assert_eq!((answer.status.as_u16(), &problem(&answer)["field"]), (422, &member.into()), "{answer:?}");
    }
    let put = |member: &str| format!(r#"{{"id":1,"customerId":1,"orderNo":"x","points":1,"{member}":2}}"#);
    for member in ["tenantId", "isDeleted", "secret", "roles", "nosuch"] {
        let answer = app.send("PUT /api/Order", &put(member)).await;
        assert_eq!((answer.status.as_u16(), &problem(&answer)["field"]), (422, &member.into()), "{answer:?}");
    }
    // What is hidden is refused as what is not there.
    let told = async |member: &str| app.send("PUT /api/Order", &put(member)).await.text.replace(member, "MEMBER");
    assert_eq!(told("secret").await, told("nosuch").await);
    assert_eq!(told("isDeleted").await, told("nosuch").await);
    let key = app.send("POST /api/Order", r#"{"id":5000,"customerId":1,"orderNo":"x","points":1}"#).await;
    assert_eq!(key.status, 422, "{key:?}");
    let stale = app.send("PUT /api/Order", &put("version")).await;
    assert!(stale.status == 412 || stale.text == "false", "{stale:?}");
    assert_eq!(app.everything().await, before);
    // The tenant is that of who asks.
    assert_eq!(app.send("POST /api/Order", r#"{"customerId":1,"orderNo":"mine","points":1}"#).await.text, "true");
    let orders = app.everything().await;
    let mine = orders.iter().find(|order| order.order_no == "mine").unwrap();
    assert_eq!((mine.tenant_id, mine.is_deleted, mine.secret.as_str()), (1, false, ""));
}

#[tokio::test]
async fn bodies_of_other_types_are_refused() {
    let app = App::new().await;
    for body in ["null", "[]", "5", r#""x""#, "true", "[{}]", "{", r#"{"orderNo":"x"}{}"#, "\u{feff}{}"] {
        for request in ["POST /api/Order", "PUT /api/Order"] {
            let answer = app.send(request, body).await;
            assert!(answer.status == 400 || answer.status == 422, "{request} {body} {answer:?}");
        }
    }
    for (member, value) in [
        ("points", r#""x""#),
        ("points", r#"" 5""#),
        ("points", r#""""#),
        ("points", "5.5"),
        ("points", "1e400"),
        ("points", "9223372036854775808"),
        ("points", "null"),
        ("points", "{}"),
        ("orderNo", "5"),
        ("orderNo", "[]"),
        ("orderNo", "null"),
        ("orderNo", "\"a\\u0000b\""),
        ("customerId", "true"),
    ] {
        let rest = [("customerId", "1"), ("orderNo", r#""z""#), ("points", "1")];
        let members = rest.map(|(name, usual)| format!(r#""{name}":{}"#, if name == member { value } else { usual }));
        let answer = app.send("POST /api/Order", &format!("{{{}}}", members.join(","))).await;
        assert_eq!(answer.status, 422, "{member} {value} {answer:?}");
        assert_eq!(problem(&answer)["field"], member, "{value} {answer:?}");
    }
    assert_eq!(app.everything().await.len(), ORDERS + 6);
}

#[tokio::test]
async fn ids_of_other_types_are_refused() {
    let app = App::new().await;
    for id in [
        "x",
        "1.5",
        "1e3",
        "0x10",
        "9223372036854775808",
        "-9223372036854775809",
        "1%00",
        "%00",
        "1;DROP%20TABLE%20orders",
        "1'%20OR%20'1'='1",
        "null",
        "true",
        "NaN",
        "1,2",
        "%7B%7D",
        "[1]",
        "%FF",
        "%C0%AF",
        "1%0d%0aSet-Cookie:%20a=b",
        "٣",
        "1%20OR%201=1",
        "+",
        "-",
        "--1",
    ] {
        for request in ["GET /api/Order/", "GET /api/Order/exists/", "DELETE /api/Order/"] {
            let answer = app.send(&format!("{request}{}", escaped(id)), "").await;
            assert!(answer.status == 400 && problem(&answer)["code"] == "bad-id", "{request}{id} {answer:?}");
        }
    }
    assert_eq!(app.everything().await.len(), ORDERS + 6);
}

/// With what no URL holds as it stands.
fn escaped(id: &str) -> String {
    id.bytes()
        .map(
            |byte| if byte.is_ascii() && byte != b'\'' { char::from(byte).to_string() } else { format!("%{byte:02X}") },
        )
        .collect()
}

#[tokio::test]
async fn case_27_a_tenant_of_others_is_one_that_is_not_there() {
    let app = App::new().await;
    let of =
        async |tenant: i32| app.page(&format!(r##"{{"$":"==","Left":{{"#":"TenantId"}},"Right":{tenant}}}"##)).await;
    let (other, none, own) = (of(2).await, of(99).await, of(1).await);
    assert_eq!((other.at("/total"), &other.text), (0.into(), &none.text));
    assert_eq!(own.at("/total"), ORDERS);
}

#[tokio::test]
async fn case_28_a_keyword_looks_into_no_name_that_is_hidden() {
    let app = App::new().await;
    assert_eq!(app.send("GET /api/Customer/count?keyword=Ann", "").await.text, "1");
    assert_eq!(app.send("GET /api/Customer/count?keyword=%25", "").await.text, "0");
    // The name of a region is hidden, and an order has none.
    let hidden = app.send("GET /api/Region/count?keyword=north", "").await;
    let none = app.send("GET /api/Order/count?keyword=north", "").await;
    assert_eq!((hidden.status.as_u16(), &hidden.text), (400, &none.text), "{hidden:?}");
    assert_eq!(app.send("GET /api/Region/count", "").await.text, "1");
    for query in ["keyword=a&keyword=b", "keyword=%FF", "keyword=%00"] {
        let answer = app.send(&format!("GET /api/Customer/count?{query}"), "").await;
        assert!(answer.status == 400 || answer.text == "0", "{query} {answer:?}");
    }
}

#[tokio::test]
async fn case_30_a_key_that_another_has_used_does_nothing() {
    let app = App::new().await;
    for (tenant, number) in [(1, "k1"), (2, "k2")] {
        let headers = [("authorization", &*format!("Bearer {tenant}")), ("idempotency-key", "\"same\"")];
        let customer = if tenant == 1 { 1 } else { 3 };
        let body = format!(r#"{{"customerId":{customer},"orderNo":"{number}","points":1}}"#);
        assert_eq!(app.send_with("POST /api/Order", &body, &headers).await.text, "true");
    }
    let orders = app.everything().await;
    let tenants: Vec<i32> =
        orders.iter().filter(|order| order.order_no.starts_with('k')).map(|order| order.tenant_id).collect();
    assert_eq!(tenants, [1, 2]);
}

#[tokio::test]
async fn case_31_headers_change_neither_the_tenant_nor_the_method() {
    let app = App::new().await;
    for header in [
        "x-tenant",
        "x-tenant-id",
        "x-user",
        "x-forwarded-user",
        "x-original-url",
        "x-rewrite-url",
        "x-forwarded-host",
        "forwarded",
    ] {
        let answer = app.send_with("GET /api/Order/count", "", &[("authorization", "Bearer 1"), (header, "2")]).await;
        assert_eq!(answer.text, ORDERS.to_string(), "{header} {answer:?}");
    }
    for header in ["x-http-method-override", "x-http-method", "x-method-override", "x-method"] {
        for request in ["GET /api/Order/1", "GET /api/Order/1?_method=DELETE"] {
            let answer = app.send_with(request, "", &[("authorization", "Bearer 1"), (header, "DELETE")]).await;
            assert_eq!((answer.status.as_u16(), answer.at("/id")), (200, 1.into()), "{header} {answer:?}");
        }
        let post = app.send_with("POST /api/Order/1", "{}", &[("authorization", "Bearer 1"), (header, "DELETE")]).await;
        assert_eq!(post.status, 405, "{header} {post:?}");
    }
    for method in ["TRACE", "CONNECT", "PATCH", "PROPFIND", "DELETE"] {
        let answer = app.send(&format!("{method} /api/Order"), "").await;
        assert_eq!(answer.status, 405, "{method} {answer:?}");
    }
    assert_eq!(app.everything().await.len(), ORDERS + 6);
}
