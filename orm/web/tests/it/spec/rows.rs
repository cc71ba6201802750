//! B21: rows as JSON.

use isogloss::prelude::*;
use isogloss_web::{EntityController, Host, Int64, Rules};
use serde_json::json;

use crate::support::{Kind, Orders, api, context, kind, send, send_as, shop};

/// How each type is written, on every engine.
pub(crate) const MEMBERS: &[&str] = &[
    r#""truth":true"#,
    r#""big":9223372036854775807"#,
    r#""exact":1234567.12345678"#,
    r#""float":0.1"#,
    r#""text":"\"Ä\\\n\u0001</script>""#,
    r#""bytes":"AP8Q""#,
    r#""date":"2024-02-29""#,
    r#""time":"23:59:59.5""#,
    r#""at":"2024-02-29T23:59:59""#,
    r#""uuid":"00000000-0000-0000-0000-000000000007""#,
    r#""status":"Paid""#,
];

#[tokio::test]
async fn b21_every_type_has_its_form() {
    let context = context();
    let session = context.create_session().unwrap();
    let kinds = ObjectDao::<Kind>::new(&session);
    let mut full = kind();
    kinds.insert(&mut full).await.unwrap();
    kinds.insert(&mut Kind { id: 2, ..Kind::default() }).await.unwrap();
    let api = api(&context);
    let text = send(&api, "GET /api/Kind/1", None).await.text;
    for member in MEMBERS.iter().chain(&[r#""json":{"a":[1,null,"x"]}"#]) {
        assert!(text.contains(member), "{member}: {text}");
    }
    let at: isogloss::chrono::DateTime<isogloss::chrono::FixedOffset> =
        send(&api, "GET /api/Kind/1", None).await.at("/atOffset").as_str().unwrap().parse().unwrap();
    assert_eq!(Some(at), full.at_offset);
    let nulls = send(&api, "GET /api/Kind/2", None).await.json();
    assert!(nulls.as_object().unwrap().values().skip(1).all(|value| value.is_null() || value == 2), "{nulls}");
}

#[tokio::test]
async fn b21_whole_numbers_as_texts() {
    let context = shop().await;
    let rules = Rules::new().int64(Int64::String);
    let api = Orders(rules).router(&Host::new(&context)).unwrap();
    let expected =
        r#"{"id":"2","customerId":"1","orderNo":"A-002","total":"2","status":"Paid","customerName":"Ann Lee"}"#;
    assert_eq!(send(&api, "GET /Order/2", None).await.text, expected);
    let body = r##"{"$section":{"$select":null,"Selects":[{"Alias":"TheSum","Value":{"$":"func","SUM":[{"#":"Total"}],"IsAggregate":true}},{"Alias":"N","Value":{"$":"func","COUNT":[{"#":"Id"}],"IsAggregate":true}}]}}"##;
    let page = send(&api, "POST /Order/page", body).await;
    assert_eq!(page.at("/items/0"), json!({"theSum": "9180", "n": "135"}), "{}", page.text);
}

#[tokio::test]
async fn b21_what_is_shown_all_the_same() {
    let api = Orders(Rules::new().show(["MarginNote"])).router(&Host::new(&shop().await)).unwrap();
    assert_eq!(send(&api, "GET /Order/2", None).await.at("/marginNote"), json!("secret margin"));
    let named = send(&api, "POST /Order/page", r##"{"$":"==","Left":{"#":"MarginNote"},"Right":"x"}"##).await;
    assert_eq!(named.status, 400);
}

#[tokio::test]
async fn b21_bytes_in_csv_are_no_formula() {
    let context = context();
    let mut kind = Kind { id: 1, bytes: Some(vec![0xf8, 0, 0]), ..Kind::default() };
    ObjectDao::new(&context.create_session().unwrap()).insert(&mut kind).await.unwrap();
    let csv = send_as(&api(&context), "GET /api/Kind", None, &[("accept", "text/csv")]).await.text;
    assert!(csv.contains(",'+AAA,"), "{csv}");
}
