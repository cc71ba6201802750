//! Who may read what is related.

use isogloss::OrmResult;
use isogloss::service::EntityServiceOps;
use isogloss::walk::QueryPolicy;
use isogloss_web::{Call, EntityController, Int64, Rules};
use serde_json::{Value as Json, json};

use crate::include::shop::{Item, ItemView, OrderTags, Orders, Product, Products, Shop, Tags, host, problem, rules};
use crate::support::send_as;

#[tokio::test]
async fn whoever_may_not_read_an_entity_does_not_read_it_in_another() {
    let shop = Shop::guarded(rules()).await;
    let (page, all) = ("POST /Order/page", r#"{"$section":null}"#);
    for (caller, refused, allowed) in [
        ("1 Guest", "items.product", "items,customer,tags"),
        ("1 Visitor", "items.product", "items,customer,tags"),
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

/// Whether somebody is refused tells nothing of rows: not whether they have a key, nor whether there are any.
#[tokio::test]
async fn whoever_may_not_read_is_refused_even_where_nothing_is_related() {
    let shop = Shop::guarded(rules()).await;
    let none = r##"{"$":"==","Left":{"#":"Id"},"Right":9}"##;
    for caller in ["1 Guest", "1 Visitor"] {
        for (request, body) in [
            ("GET /Order/1", ""),
            // Its item has no product, and the third has no items.
            ("GET /Order/2", ""),
            ("GET /Order/3", ""),
            ("POST /Order/page", none),
        ] {
            let answer = shop.send_as(caller, &format!("{request}?include=items.product"), body).await;
            let told = "`items.product`: You are not allowed to do this.";
            assert_eq!(problem(&answer), (403, "forbidden".into(), told.into()), "{caller} {request}");
            assert_eq!(answer.at("/field"), json!("include"));
        }
    }
    let body = json!({"$section": null, "include": ["items", "tags", "items.product"]}).to_string();
    let answer = shop.send_as("1 Guest", "POST /Order/page", &body).await;
    assert_eq!((answer.status.as_u16(), answer.at("/pointer")), (403, json!("/include/2")), "{answer:?}");
    // Whoever may read them gets nothing, by one query a level.
    let shop = Shop::new(rules()).await;
    let empty = shop.send("POST /Order/page?include=items.product,invoice", none).await;
    assert_eq!((empty.status.as_u16(), empty.at("/items"), shop.statements()), (200, json!([]), 4), "{empty:?}");
}

/// The links of many to many have a controller of their own, or none.
#[tokio::test]
async fn whoever_may_not_read_links_does_not_read_what_they_lead_to() {
    let shop = Shop::guarded(rules()).await;
    assert_eq!(shop.send_as("1 Guest", "GET /Order/1?include=tags", "").await.status, 200);
    let host = host(&shop.context);
    let orders = Orders::new(Rules::new().include(["tags"]));
    let api = orders.router(&host).unwrap();
    let api = api.merge(Tags.router(&host).unwrap()).merge(OrderTags.router(&host).unwrap());
    for (caller, status) in [("1", 200), ("1 Guest", 403), ("1 Blocked", 403)] {
        for order in [1, 3] {
            let caller = format!("Bearer {caller}");
            let request = format!("GET /Order/{order}?include=tags");
            let answer = send_as(&api, &request, None, &[("authorization", &caller)]).await;
            assert_eq!(answer.status, status, "{caller} {order} {answer:?}");
        }
    }
}

/// Orders that some callers may not read.
struct Secret;

impl EntityController for Secret {
    type Entity = Product;
    type View = Product;

    fn rules(&self) -> Rules {
        Rules::new().include(["tags"])
    }

    fn service(&self, call: &Call) -> OrmResult<Box<dyn EntityServiceOps<Product, Product>>> {
        Products.service(call)
    }
}

#[tokio::test]
async fn whoever_may_not_read_rows_is_not_told_what_they_relate_to() {
    let shop = Shop::guarded(rules()).await;
    let host = host(&shop.context);
    let api = Secret.router(&host).unwrap().merge(Tags.router(&host).unwrap());
    for (caller, status) in [("1", 400), ("1 Guest", 403), ("1 Visitor", 403)] {
        let headers = [("authorization", &*format!("Bearer {caller}"))];
        for request in ["GET /Product", "GET /Product/1", "POST /Product/page"] {
            let body = request.starts_with("POST").then_some(r#"{"$section":null}"#);
            let answer = send_as(&api, &format!("{request}?include=nope"), body, &headers).await;
            assert_eq!(answer.status, status, "{caller} {request} {answer:?}");
            assert_eq!(answer.text.contains("`tags`"), status == 400, "{caller} {request} {answer:?}");
        }
    }
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
