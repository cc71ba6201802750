//! What clients who mean no good include.

use isogloss_web::Rules;
use serde_json::json;

use crate::include::shop::{Shop, problem, rules};

const ALL: &str = r#"{"$section":null}"#;

#[tokio::test]
async fn a_name_that_is_not_allowed_is_told_as_one_that_is_not_there() {
    let shop = Shop::new(Rules::new().include(["items"])).await;
    let told = |name: &str| {
        (400, "bad-query".to_owned(), format!("There is no relation `{name}` to include. There is `items`."))
    };
    for name in [
        "customer",
        "itms",
        "items.product",
        "items.items",
        "tenant",
        "password",
        "items.",
        ".items",
        "*",
        "items.*",
        "T0.items",
        "items;drop",
        "items\u{0}",
        "OrderView",
        "items..product",
        "ıtems",
    ] {
        let encoded: String = name.bytes().map(|byte| format!("%{byte:02X}")).collect();
        for request in ["POST /Order/page", "GET /Order", "GET /Order/1"] {
            let body = if request.starts_with("POST") { ALL } else { "" };
            let answer = shop.send(&format!("{request}?include={encoded}"), body).await;
            assert_eq!(problem(&answer), told(name), "{request} {name}");
            assert_eq!(answer.at("/field"), json!("include"));
        }
        let body = json!({"$section": null, "include": ["items", name]}).to_string();
        let answer = shop.send("POST /Order/page", &body).await;
        assert_eq!((problem(&answer), answer.at("/pointer")), (told(name), json!("/include/1")), "{name}");
    }
    // An empty name between others is none that is there.
    assert_eq!(shop.send("POST /Order/page?include=items,,items", ALL).await.status, 400);
}

#[tokio::test]
async fn nothing_is_included_from_the_start() {
    let shop = Shop::new(Rules::new()).await;
    let told = (400, "bad-query".to_owned(), "These rows have nothing to include.".to_owned());
    for (request, body) in [("POST /Order/page?include=items", ALL), ("GET /Order/1?include=items", "")] {
        assert_eq!(problem(&shop.send(request, body).await), told, "{request}");
    }
    assert_eq!(shop.send("GET /Order?include=items", "").await.status, 400);
    let in_body = shop.send("POST /Order/page", r#"{"$section":null,"include":["items"]}"#).await;
    assert_eq!((in_body.status.as_u16(), in_body.at("/error")), (400, json!("Invalid Expr JSON.")), "{in_body:?}");
}

#[tokio::test]
async fn cycles_end_where_the_rules_end() {
    let shop = Shop::new(rules()).await;
    for depth in [2, 1_000] {
        let path = format!("customer{}", ".orders.customer".repeat(depth));
        let answer = shop.send(&format!("POST /Order/page?include={path}"), ALL).await;
        assert_eq!(answer.status, 400, "{depth}");
        assert!(answer.text.len() < 1_000, "{depth}: {answer:?}");
        let answer = shop.send("POST /Order/page", &json!({"$section": null, "include": [path]}).to_string()).await;
        assert_eq!((answer.status.as_u16(), answer.at("/pointer")), (400, json!("/include/0")), "{depth}");
    }
}

#[tokio::test]
async fn many_names_are_refused_and_long_ones_not_repeated() {
    let shop = Shop::new(rules()).await;
    let hundred = vec!["items"; 100].join(",");
    assert_eq!(shop.send(&format!("POST /Order/page?include={hundred}"), ALL).await.status, 200);
    assert_eq!(shop.statements(), 2);
    let told = (400, "bad-query".to_owned(), "At most 100 paths are included.".to_owned());
    for names in [vec!["items".to_owned(); 10_000], (0..10_000).map(|n| format!("n{n}")).collect()] {
        let url = shop.send(&format!("POST /Order/page?include={}", &names[..1_000].join(",")), ALL).await;
        assert_eq!(problem(&url), told);
        let body = shop.send("POST /Order/page", &json!({"$section": null, "include": names}).to_string()).await;
        assert_eq!(problem(&body), told);
    }
    for long in ["x".repeat(200_000), "items.".repeat(40_000), ".".repeat(200_000)] {
        let answer = shop.send("POST /Order/page", &json!({"$section": null, "include": [long]}).to_string()).await;
        assert_eq!(answer.status, 400);
        assert!(answer.text.len() < 1_000, "{answer:?}");
    }
}

#[tokio::test]
async fn an_include_of_another_form_is_refused() {
    let shop = Shop::new(rules()).await;
    let told = (
        400,
        "bad-json".to_owned(),
        r#"`include` is there once, a list of relations: ["items.product", "customer"]."#.to_owned(),
    );
    for include in [r#""items""#, "null", "1", "{}", "[1]", r#"["items",null]"#, r#"[["items"]]"#] {
        let answer = shop.send("POST /Order/page", &format!(r#"{{"include":{include},"$section":null}}"#)).await;
        assert_eq!((problem(&answer), answer.at("/pointer")), (told.clone(), json!("/include")), "{include}");
    }
    let twice = shop.send("POST /Order/page", r#"{"include":[],"$section":null,"include":["items"]}"#).await;
    assert_eq!(problem(&twice), told);
    for url in ["include=items&include=tags", "include=%FF", "Include=items", "includes=items"] {
        assert_eq!(shop.send(&format!("POST /Order/page?{url}"), ALL).await.status, 400, "{url}");
    }
    for url in ["include=items&include=tags", "include=%FF"] {
        for path in ["/Order", "/Order/1"] {
            let answer = shop.send(&format!("GET {path}?{url}"), "").await;
            assert_eq!((answer.status.as_u16(), answer.at("/field")), (400, json!("include")), "{path} {url}");
        }
    }
    // Inside of a tree it is nothing, and a tree that is wrong is told as ever.
    let inside = shop.send("POST /Order/page", r#"{"$section":{"$where":null,"include":["items"]}}"#).await;
    assert_eq!((inside.status.as_u16(), inside.at("/error")), (400, json!("Invalid Expr JSON.")), "{inside:?}");
    let wrong = r##"{"include":["items"],"$":"==","Left":{"#":"Nope"},"Right":1}"##;
    let wrong = shop.send("POST /Order/page", wrong).await;
    assert_eq!((wrong.status.as_u16(), wrong.at("/pointer")), (400, json!("/Left")), "{wrong:?}");
    for broken in [r#"{"include":["items"],"$section":null"#, r#"["include"]"#, r#""include""#] {
        assert_eq!(shop.send("POST /Order/page", broken).await.status, 400, "{broken}");
    }
}
