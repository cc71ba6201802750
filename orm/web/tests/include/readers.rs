//! Who may read what is related.

use serde_json::Value as Json;

use isogloss::walk::QueryPolicy;
use isogloss_web::{EntityController, Int64, Rules};

use crate::shop::{Item, ItemView, Orders, Shop, host, rules};
use crate::support::send_as;

#[tokio::test]
async fn whoever_may_not_read_an_entity_does_not_read_it_in_another() {
    let shop = Shop::new(rules()).await;
    let (page, all) = ("POST /Order/page", r#"{"$section":null}"#);
    for (caller, refused, allowed) in [
        ("1 Guest", "items.product", "items,customer,tags"),
        ("1 Blocked", "customer", "items.product,tags"),
        ("1 Blocked", "customer.orders", "items"),
    ] {
        for request in [page.to_owned(), "GET /Order".into(), "GET /Order/1".into()] {
            let body = if request == page { all } else { "" };
            let answer = shop.send_as(caller, &format!("{request}?include={refused}"), body).await;
            let told = (answer.status.as_u16(), answer.at("/code"), answer.at("/field"));
            assert_eq!(told, (403, "forbidden".into(), "include".into()), "{caller} {request} {answer:?}");
            let answer = shop.send_as(caller, &format!("{request}?include={allowed}"), body).await;
            assert_eq!(answer.status, 200, "{caller} {request} {answer:?}");
        }
    }
    // By its own address it is the same.
    assert_eq!(shop.send_as("1 Guest", "GET /Product/1", "").await.status, 403);
    let nobody = shop.send_with(&format!("{page}?include=items"), all, &[]).await;
    assert_eq!(nobody.status, 401);
}

/// Items with numbers as texts, of which clients do not see how many pieces they have.
struct Terse;

impl EntityController for Terse {
    type Entity = Item;
    type View = ItemView;

    fn rules(&self) -> Rules {
        let policy = QueryPolicy::new("ItemView").deny_properties("ItemView", ["Pieces"]);
        Rules::new().name("Terse").policy(policy).int64(Int64::String).show(["Gone"])
    }
}

#[tokio::test]
async fn the_rules_of_the_related_entity_hold() {
    let shop = Shop::new(rules()).await;
    let host = host(&shop.context);
    let orders = Orders::new(Rules::new().include(["items"]));
    let api = orders.router(&host).unwrap().merge(Terse.router(&host).unwrap());
    let ask = async |request: &str| send_as(&api, request, None, &[("authorization", "Bearer 1")]).await.text;
    let item = ask("GET /Terse/21").await;
    assert_eq!(item, r#"{"id":"21","gone":null,"productName":null}"#);
    assert_eq!(
        ask("GET /Order/2?include=items").await,
        format!(r#"{{"id":2,"orderNo":"A-2","version":1,"items":[{item}]}}"#)
    );
}

/// The rows of another tenant, those that are deleted, and hidden columns are in no answer: see `Shop::send_with`.
#[tokio::test]
async fn a_scope_holds_for_what_is_related() {
    let shop = Shop::new(rules()).await;
    let page = shop.page("include=items.product,items.order,customer.orders,tags").await;
    let ids = |pointer: &str| -> Vec<i64> {
        let rows = page.at(pointer);
        rows.as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect()
    };
    assert_eq!((ids("/items/0/items"), ids("/items/0/customer/orders")), (vec![11, 12], vec![1, 2]), "{page:?}");
    assert_eq!((page.at("/items/0/items/1/product"), page.at("/items/2/customer")), (Json::Null, Json::Null));
}
