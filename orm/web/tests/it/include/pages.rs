//! `POST /page` with related rows.

use isogloss::config::DataSourceConfig;
use isogloss::prelude::*;
use serde_json::{Value as Json, json};

use crate::include::shop::{Order, Shop, problem, rules};
use crate::support::places::each;

const ONE: &str = r##"{"$":"==","Left":{"#":"Id"},"Right":1}"##;

async fn nested(engine: &str, config: DataSourceConfig) {
    let shop = Shop::at(config, rules()).await;
    let page = shop.send("POST /Order/page?include=items.product,customer", ONE).await;
    let expected = concat!(
        r#"{"skip":0,"take":20,"total":1,"items":[{"id":1,"orderNo":"A-1","version":1,"#,
        r#""items":[{"id":11,"pieces":5,"productName":"tea","product":{"id":1,"name":"tea"}},"#,
        r#"{"id":12,"pieces":5,"productName":null,"product":null}],"#,
        r#""customer":{"id":1,"name":"Ann"}}]}"#
    );
    assert_eq!(page.text, expected, "{engine}");
    // The orders, their items, products and customers: a page that is not full is not counted.
    assert_eq!(shop.statements(), 4, "{engine}");

    let all = shop.page("include=items,customer,tags").await;
    let of = |order: usize, member: &str| all.at(&format!("/items/{order}/{member}"));
    assert_eq!((of(1, "items/0/id"), of(2, "items")), (json!(21), json!([])), "{engine}: {all:?}");
    // The customer of the third order is another tenant's.
    assert_eq!((of(1, "customer/name"), of(2, "customer")), (json!("Ann"), Json::Null), "{engine}");
    assert_eq!((of(0, "tags"), of(2, "tags")), (json!([{"name": "new", "of": "tea"}]), json!([])), "{engine}: {all:?}");

    let cycle = shop.send("POST /Order/page?include=customer.orders.customer", ONE).await;
    let orders = cycle.at("/items/0/customer/orders");
    assert_eq!(orders.as_array().unwrap().len(), 2, "{engine}: {cycle:?}");
    assert_eq!(orders[1]["customer"], json!({"id": 1, "name": "Ann"}), "{engine}");
}

#[tokio::test]
async fn related_rows_are_the_same_on_every_engine() {
    each(nested).await;
}

#[tokio::test]
async fn one_query_a_level_whatever_the_number_of_rows() {
    let shop = Shop::new(rules()).await;
    let session = shop.context.create_session().unwrap();
    let order = |id: i64| Order { id, tenant_id: 1, customer_id: 1, order_no: format!("B-{id}"), ..Order::default() };
    let mut orders: Vec<Order> = (100..180).map(order).collect();
    ObjectDao::<Order>::new(&session).batch_insert(&mut orders).await.unwrap();
    let page =
        shop.send("POST /Order/page?count=none&include=items.product,customer", r#"{"$section":null,"Take":90}"#);
    assert_eq!(page.await.at("/items").as_array().unwrap().len(), 83);
    assert_eq!(shop.statements(), 4);
}

#[tokio::test]
async fn paths_merge_and_come_by_the_url_or_the_body() {
    let shop = Shop::new(rules()).await;
    let whole = shop.send("POST /Order/page?include=items.product,customer", ONE).await;
    for url in
        ["items,items.product,customer,items", "ITEMS.Product,%20customer%20", "items.product%2Citems%2Ccustomer"]
    {
        let page = shop.send(&format!("POST /Order/page?include={url}"), ONE).await;
        assert_eq!((page.text, shop.statements()), (whole.text.clone(), 4), "{url}");
    }
    let body = |paths: &str| format!(r##"{{"include":{paths},"$":"==","Left":{{"#":"Id"}},"Right":1}}"##);
    let page = shop.send("POST /Order/page", &body(r#"["items.product","customer"]"#)).await;
    assert_eq!(page.text, whole.text);
    let page = shop.send("POST /Order/page?include=items.product", &body(r#"["customer"]"#)).await;
    assert_eq!(page.text, whole.text);
    let alone = shop.send("POST /Order/page", ONE).await;
    for nothing in [shop.send("POST /Order/page?include=", ONE).await, shop.send("POST /Order/page", &body("[]")).await]
    {
        assert_eq!(nothing.text, alone.text);
    }
}

#[tokio::test]
async fn each_page_of_a_walk_has_them() {
    let shop = Shop::new(rules()).await;
    let tree = r#"{"$section":null,"Take":2}"#;
    let first = shop.send("POST /Order/page?cursor=true&include=customer", tree).await;
    assert_eq!((first.at("/items/1/id"), first.at("/items/1/customer/id")), (json!(2), json!(1)), "{first:?}");
    let next = first.at("/next");
    let last = format!("POST /Order/page?after={}&include=items,customer", next.as_str().unwrap());
    let last = shop.send(&last, tree).await;
    let of = |member: &str| last.at(&format!("/items/0/{member}"));
    assert_eq!(
        (of("id"), of("items"), of("customer"), last.at("/next")),
        (json!(3), json!([]), Json::Null, Json::Null)
    );
    // A cursor is of the rows, whatever is in them.
    let bare = shop.send(&format!("POST /Order/page?after={}", next.as_str().unwrap()), tree).await;
    assert_eq!((bare.at("/items/0/id"), bare.at("/items/0/customer")), (json!(3), Json::Null), "{bare:?}");
    assert!(!bare.text.contains("customer"), "{bare:?}");
}

#[tokio::test]
async fn a_list_of_the_clients_need_not_have_the_keys() {
    let shop = Shop::new(rules()).await;
    let list = |selects: &str| {
        format!(
            r##"{{"$section":{{"$select":{{"$orderby":null,"OrderBys":[{{"Field":{{"#":"Id"}}}}]}},"Selects":[{selects}]}}}}"##
        )
    };
    let page = shop.send("POST /Order/page?include=items,customer", &list(r##"{"Value":{"#":"OrderNo"}}"##)).await;
    assert_eq!(page.at("/items/0/orderNo"), json!("A-1"), "{page:?}");
    assert_eq!(page.at("/items/0").as_object().unwrap().len(), 3, "{page:?}");
    assert_eq!(page.at("/items/0/customer"), json!({"id": 1, "name": "Ann"}), "{page:?}");
    assert_eq!(page.at("/items/1/items/0/id"), json!(21), "{page:?}");
    // What is called as the key is not the key.
    let other = list(r##"{"Alias":"Id","Value":{"#":"Version"}},{"Alias":"IncludeKey0","Value":{"#":"OrderNo"}}"##);
    let page = crate::support::send_as(
        &shop.api,
        "POST /Order/page?include=items",
        Some(&other),
        &[("authorization", "Bearer 1")],
    )
    .await;
    let second = json!({"id": 1, "includeKey0": "A-2", "items": [{"id": 21, "pieces": 5, "productName": null}]});
    assert_eq!(page.at("/items/1"), second, "{page:?}");

    let taken = shop.send("POST /Order/page?include=items", &list(r##"{"Alias":"Items","Value":{"#":"Id"}}"##)).await;
    let told = "A column of the list is called `items`, as a relation is: give it another `Alias`.";
    assert_eq!(problem(&taken), (400, "bad-query".into(), told.into()));
}

#[tokio::test]
async fn what_is_no_row_of_the_view_relates_to_nothing() {
    let shop = Shop::new(rules()).await;
    let told = "Groups, sets, distinct rows and those of joins relate to nothing: leave `include` out.";
    for tree in [
        r##"{"$section":{"$select":{"$group":null,"GroupBys":[{"#":"OrderNo"}]},"Selects":[{"Value":{"#":"OrderNo"}}]}}"##,
        r##"{"$section":{"$select":null,"Distinct":true,"Selects":[{"Value":{"#":"OrderNo"}}]}}"##,
        r##"{"$section":{"$select":null,"Selects":[{"Alias":"N","Value":{"$":"func","MAX":[{"#":"Id"}],"IsAggregate":true}}]}}"##,
        r##"{"$section":{"$select":null,"Selects":[{"Value":{"#":"Id"}}],"Next":[{"SetType":"UnionAll","$select":null,"Selects":[{"Value":{"#":"Id"}}]}]}}"##,
    ] {
        let page = shop.send("POST /Order/page?include=items", tree).await;
        assert_eq!(problem(&page), (400, "bad-query".into(), told.into()), "{tree}");
        assert_eq!(page.at("/field"), json!("include"));
        let alone = shop.send("POST /Order/page", tree).await;
        assert_eq!(alone.status, 200, "{tree} {alone:?}");
    }
}
