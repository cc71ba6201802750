//! `GET /{id}` with related rows.

use isogloss::prelude::*;
use serde_json::{Value as Json, json};

use crate::shop::{Item, Shop, rules};

#[tokio::test]
async fn a_row_has_them_and_its_tag_covers_them() {
    let shop = Shop::new(rules()).await;
    let ask = async |query: &str, known: &str| {
        let headers = [("authorization", "Bearer 1"), ("if-none-match", known)];
        shop.send_with(&format!("GET /Order/2{query}"), "", &headers).await
    };
    let row = ask("?include=items", "").await;
    assert_eq!(row.text, r#"{"id":2,"orderNo":"A-2","version":1,"items":[{"id":21,"pieces":5,"productName":null}]}"#);
    let tag = row.header("etag").to_owned();
    assert_eq!(ask("?include=items", &tag).await.status, 304);
    // It is of another answer, and so is that of the row alone.
    let alone = ask("", "").await;
    assert_eq!((alone.header("etag"), ask("", &tag).await.status.as_u16()), ("\"1\"", 200));
    assert_eq!(ask("?include=items", "\"1\"").await.status, 200);

    let session = shop.context.create_session().unwrap();
    let changed = Item { id: 21, tenant_id: 1, order_id: 2, pieces: 6, ..Item::default() };
    ObjectDao::<Item>::new(&session).update(&mut { changed }).await.unwrap();
    let later = ask("?include=items", &tag).await;
    assert_eq!((later.status.as_u16(), later.at("/items/0/pieces")), (200, json!(6)));
    assert_ne!(later.header("etag"), tag);
}

#[tokio::test]
async fn a_row_that_is_not_there_is_null() {
    let shop = Shop::new(rules()).await;
    for id in [4, 99_999_999] {
        let row = shop.send(&format!("GET /Order/{id}?include=items,customer"), "").await;
        assert_eq!((row.status.as_u16(), row.json()), (200, Json::Null), "{id}");
    }
}
