//! How much may be included.

use isogloss::prelude::*;
use serde_json::{Value as Json, json};

use crate::include::shop::{Item, Shop, problem, rules};

async fn asked(shop: &Shop, include: &str) -> crate::support::Answer {
    shop.send(&format!("POST /Order/page?include={include}"), r#"{"$section":null}"#).await
}

#[tokio::test]
async fn more_than_the_rules_allow_is_refused_and_never_cut() {
    let shop = Shop::new(rules().max_included(1, 5_000)).await;
    let told = "`items`: a row has more than 1 of them, ask for them at their own address.";
    assert_eq!(problem(&asked(&shop, "items").await), (422, "answer-too-large".into(), told.into()));
    assert_eq!(asked(&shop, "tags,customer").await.status, 200);

    // Three items; a customer that two orders share, and a tag that is there for each of its links.
    let all = rules().max_included(100, 4);
    let shop = Shop::new(all).await;
    let told = "`tags`: more than 4 rows would be included: ask for fewer rows, or include less with each.";
    for (include, is_too_much) in [("items", false), ("items,customer", false), ("items,customer,tags", true)] {
        let answer = asked(&shop, include).await;
        if is_too_much {
            assert_eq!(problem(&answer), (422, "answer-too-large".into(), told.into()), "{include}");
        } else {
            assert_eq!(answer.status, 200, "{include} {answer:?}");
        }
    }
    for (include, enough) in [("items", 3), ("customer", 1), ("tags", 2), ("invoice", 3)] {
        let status = async |most| asked(&Shop::new(rules().max_included(100, most)).await, include).await.status;
        assert_eq!((status(enough - 1).await.as_u16(), status(enough).await.as_u16()), (422, 200), "{include}");
    }
}

/// The place is that of the path in the body which asks for it first.
#[tokio::test]
async fn a_limit_that_is_passed_has_a_place() {
    let shop = Shop::new(rules().max_included(1, 5_000)).await;
    for (include, told, pointer) in [
        (json!(["tags", "items.order"]), "items", "/include/1"),
        (json!(["tags", "customer.orders.customer", "invoice"]), "customer.orders", "/include/1"),
    ] {
        let body = json!({"$section": null, "include": include}).to_string();
        let answer = shop.send("POST /Order/page", &body).await;
        let told = format!("`{told}`: a row has more than 1 of them, ask for them at their own address.");
        assert_eq!(problem(&answer), (422, "answer-too-large".into(), told), "{include}");
        assert_eq!((answer.at("/pointer"), answer.at("/field")), (json!(pointer), Json::Null), "{include}");
    }
    let answer = asked(&shop, "tags,items").await;
    assert_eq!((answer.at("/pointer"), answer.at("/field")), (Json::Null, json!("include")), "{answer:?}");
}

#[tokio::test]
async fn an_answer_is_no_longer_with_them() {
    let bare = asked(&Shop::new(rules()).await, "").await.text.len();
    for request in ["POST /Order/page", "GET /Order", "GET /Order/1"] {
        let shop = Shop::new(rules().max_answer(bare)).await;
        let body = if request.starts_with("POST") { r#"{"$section":null}"# } else { "" };
        assert_eq!(shop.send(request, body).await.status, 200);
        let answer = shop.send(&format!("{request}?include=items.order,items.product,customer.orders"), body).await;
        assert_eq!(
            (answer.status.as_u16(), answer.at("/code")),
            (422, "answer-too-large".into()),
            "{request} {answer:?}"
        );
    }
}

/// What is shared is read once, and would be written many times: a few rows that make a long answer.
#[tokio::test]
async fn what_is_shared_counts_as_often_as_it_is_written() {
    let shop = Shop::new(rules().max_answer(20_000)).await;
    let session = shop.context.create_session().unwrap();
    let item = |id: i64| Item { id, tenant_id: 1, order_id: 1, product_id: Some(1), pieces: 1, ..Item::default() };
    let mut items: Vec<Item> = (1_000..1_090).map(item).collect();
    ObjectDao::<Item>::new(&session).batch_insert(&mut items).await.unwrap();
    assert_eq!(asked(&shop, "items.product").await.status, 200);
    let mut orders: Vec<crate::include::shop::Order> = (100..190)
        .map(|id| crate::include::shop::Order {
            id,
            tenant_id: 1,
            customer_id: 1,
            order_no: "B".into(),
            ..Default::default()
        })
        .collect();
    ObjectDao::<crate::include::shop::Order>::new(&session).batch_insert(&mut orders).await.unwrap();
    let tree = r#"{"$section":null,"Take":100}"#;
    assert_eq!(shop.send("POST /Order/page?include=customer", tree).await.status, 200);
    let answer = shop.send("POST /Order/page?include=customer.orders", tree).await;
    assert_eq!((answer.status.as_u16(), answer.at("/code")), (422, "answer-too-large".into()), "{answer:?}");
}
