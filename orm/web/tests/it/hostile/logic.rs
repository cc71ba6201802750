//! Conditions that would be true of more rows than they say.

use crate::hostile::app::{App, ORDERS};

const ALL: u64 = ORDERS as u64;

#[tokio::test]
async fn case_10_empty_lists_and_null_in_lists_mean_what_they_say() {
    let app = App::new().await;
    let total = async |sign: &str, list: &str| {
        app.total(&format!(r##"{{"$":"{sign}","Left":{{"#":"Id"}},"Right":{list}}}"##)).await
    };
    for (list, of_in, of_not_in) in [
        (r##"{"@":[]}"##, 0, ALL),
        (r##"{"$":"set","List":[]}"##, 0, ALL),
        (r##"{"@":[1]}"##, 1, ALL - 1),
        (r##"{"@":[null]}"##, 0, 0),
        (r##"{"@":[1,null]}"##, 1, 0),
        (r##"{"$":"set","List":[{"@":1},null]}"##, 1, 0),
    ] {
        assert_eq!((total("in", list).await, total("notin", list).await), (of_in, of_not_in), "{list}");
    }
}

#[tokio::test]
async fn case_11_nothing_of_a_condition_is_dropped() {
    let app = App::new().await;
    assert_eq!(app.total(r##"{"$and":[]}"##).await, ALL);
    assert_eq!(app.total(r##"{"$or":[]}"##).await, 0);
    assert_eq!(app.total(r##"{"!":{"$and":[]}}"##).await, 0);
    assert_eq!(app.total(r##"{"$and":[{"$or":[]},{"$":">","Left":{"#":"Id"},"Right":0}]}"##).await, 0);
    for tree in [
        r##"{"!":null}"##,
        r##"{"!":{}}"##,
        r##"{"$and":null}"##,
        r##"{"$and":[null]}"##,
        r##"{"$or":[null,{"$":"==","Left":{"#":"Id"},"Right":1}]}"##,
        r##"{"$and":{}}"##,
        r##"{"$":"==","Left":{"#":"Id"}}"##,
        r##"{"$":"==","Right":1}"##,
        r##"{"$":"=="}"##,
        r##"{"$section":{"$where":null},"Take":5}"##,
        r##"{"$section":{"$where":null,"Where":null},"Take":5}"##,
        r##"{"$section":{"$where":null,"Where":true},"Take":5}"##,
    ] {
        app.refuses(tree).await;
    }
}

#[tokio::test]
async fn case_12_no_or_leads_out_of_the_tenant() {
    let app = App::new().await;
    for tree in [
        r##"{"$or":[{"$":"==","Left":{"#":"Id"},"Right":1},{"$":">=","Left":{"#":"Id"},"Right":0}]}"##,
        r##"{"$or":[{"$":"==","Left":{"#":"TenantId"},"Right":2},{"$":"!=","Left":{"#":"TenantId"},"Right":2}]}"##,
        r##"{"!":{"$":"<","Left":{"#":"Id"},"Right":0}}"##,
        r##"{"$section":{"$where":null,"Where":{"$or":[{"$and":[]}]}},"Take":100}"##,
    ] {
        let answer = app.page(tree).await;
        assert_eq!(answer.at("/total"), ALL, "{tree} {answer:?}");
        let items = answer.at("/items");
        assert!(items.as_array().unwrap().iter().all(|order| order["tenantId"] == 1), "{answer:?}");
    }
    // 1 = 1 is about no row.
    app.refuses(r##"{"$or":[{"$":"==","Left":{"#":"Id"},"Right":1},{"$":"==","Left":{"@":1},"Right":{"@":1}}]}"##)
        .await;
}

#[tokio::test]
async fn case_13_the_servers_own_condition_may_name_what_clients_may_not() {
    let app = App::new().await;
    app.refuses(r##"{"$istrue":{"#":"IsDeleted"}}"##).await;
    let deleted = app.everything().await.into_iter().find(|order| order.is_deleted).unwrap();
    let by_id = format!(r##"{{"$":"==","Left":{{"#":"Id"}},"Right":{}}}"##, deleted.id);
    assert_eq!(app.total(&by_id).await, 0);
    assert_eq!(app.send(&format!("GET /api/Order/{}", deleted.id), "").await.text, "null");
    assert_eq!(app.send("GET /api/Order/count", "").await.text, ALL.to_string());
    assert_eq!(app.send("GET /api/Order", "").await.json().as_array().unwrap().len(), ORDERS);
}
