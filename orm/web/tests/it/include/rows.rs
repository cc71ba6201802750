//! `GET /{id}` with related rows.

use isogloss::prelude::*;
use isogloss_web::EntityController as _;
use serde_json::{Value as Json, json};

use crate::include::shop::{Item, Order, Products, Shop, Task, Tasks, host, rules};
use crate::support::send_as;

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

/// Where several rows are there, it is the first by the primary key, as `Session::load` has it.
#[tokio::test]
async fn of_several_rows_for_one_it_is_the_first() {
    let shop = Shop::new(rules()).await;
    let page = shop.page("include=invoice").await;
    let of = |order: usize| page.at(&format!("/items/{order}/invoice"));
    assert_eq!((of(0), of(1), of(2)), (json!({"id": 72}), json!({"id": 74}), Json::Null), "{page:?}");
    let session = shop.context.create_session().unwrap().scoped(&Scope::new().column("TenantId", 1)).unwrap();
    let mut orders = ObjectViewDao::<Order>::new(&session).search(()).all().await.unwrap();
    session.load(&mut orders, Order::invoice()).await.unwrap();
    let loaded: Vec<_> = orders.iter().map(|order| order.invoice.get().unwrap().map(|invoice| invoice.id)).collect();
    assert_eq!(loaded, [Some(72), Some(74), None]);
}

/// Behind the version of a tag is a hash of what is included; writes compare the version.
#[tokio::test]
async fn a_tag_of_a_row_with_others_is_one_that_writes_take() {
    let shop = Shop::new(rules()).await;
    let host = host(&shop.context);
    let api = Tasks.router(&host).unwrap().merge(Products.router(&host).unwrap());
    let send = async |request: &str, body: Option<&str>, known: &str| {
        send_as(&api, request, body, &[("authorization", "Bearer 1"), ("if-match", known)]).await
    };
    let session = shop.context.create_session().unwrap();
    ObjectDao::<Task>::new(&session).insert(&mut Task { id: 1, ..Task::default() }).await.unwrap();
    let tag = async || send("GET /Task/1?include=product", None, "*").await.header("etag").to_owned();
    let first = tag().await;
    assert!(first.starts_with("\"1~"), "{first}");
    let body = r#"{"id":1,"text":"a"}"#;
    assert_eq!(send("PUT /Task", Some(body), &first).await.status, 200);
    assert_eq!(send("PUT /Task", Some(body), &first).await.status, 412);
    assert_eq!(send("DELETE /Task/1", None, &first).await.status, 412);
    let second = tag().await;
    assert!(second.starts_with("\"2~"), "{second}");
    assert_eq!(send("DELETE /Task/1", None, &second).await.text, "true");
}
