//! What a cursor is good for, and for whom. Case 29 of hostile requests.

use axum::Router;
use isogloss_web::Rules;

use super::items::{Item, api, item, stored};
use crate::support::{Answer, send_as};

const TREE: &str = r##"{"$section":{"$orderby":{"$table":"Item"},"OrderBys":[{"Field":{"#":"Rank"}}]},"Take":5}"##;

async fn shop() -> Router {
    let other = |id| Item { tenant_id: 2, ..item(id) };
    api(&stored((1..=40).map(item).chain((41..=60).map(other))).await, Rules::new())
}

async fn ask(api: &Router, query: &str, tree: &str, headers: &[(&str, &str)]) -> Answer {
    send_as(api, &format!("POST /Item/page?{query}"), Some(tree), headers).await
}

async fn cursor(api: &Router, headers: &[(&str, &str)]) -> String {
    ask(api, "cursor=true", TREE, headers).await.at("/next").as_str().unwrap().to_owned()
}

#[track_caller]
fn is_refused(answer: &Answer, kind: &str) {
    assert_eq!((answer.status.as_u16(), answer.at("/type")), (400, format!("/problems/{kind}").into()), "{answer:?}");
    assert_eq!(answer.header("content-type"), "application/problem+json");
}

#[tokio::test]
async fn b14_the_body_has_no_cursor_unless_it_is_asked_for() {
    let api = shop().await;
    let body = ask(&api, "", TREE, &[]).await.json();
    let members: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(members.len(), 4);
    assert!(["skip", "take", "total", "items"].iter().all(|member| members.iter().any(|own| own == member)));
    let with = ask(&api, "cursor=true", TREE, &[]).await.json();
    assert_eq!((&with["total"], &with["take"]), (&60.into(), &5.into()));
    assert!(with["next"].as_str().unwrap().starts_with("v1.a."));
}

#[tokio::test]
async fn d5_29_a_changed_cursor_is_refused() {
    let api = shop().await;
    let cursor = cursor(&api, &[]).await;
    assert_eq!(ask(&api, &format!("after={cursor}"), TREE, &[]).await.status, 200);
    let (head, tail) = cursor.split_at(cursor.len() / 2);
    let other = if tail.starts_with('A') { 'B' } else { 'A' };
    let changed = format!("{head}{other}{}", &tail[1..]);
    for bad in [&*changed, head, tail, "", "v1", "null", "%00", "1' OR '1'='1"] {
        let bad = bad.replace(' ', "%20");
        is_refused(&ask(&api, &format!("after={bad}"), TREE, &[]).await, "bad-cursor");
    }
}

#[tokio::test]
async fn d5_29_a_cursor_is_of_one_filter_and_order() {
    let api = shop().await;
    let after = format!("after={}", cursor(&api, &[]).await);
    for other in [
        TREE.replace(r##"{"Field":{"#":"Rank"}}"##, r##"{"Field":{"#":"Rank"},"Asc":false}"##),
        TREE.replace(r##"{"Field":{"#":"Rank"}}"##, r##"{"Field":{"#":"Name"}}"##),
        r##"{"$":">","Left":{"#":"Id"},"Right":0}"##.to_owned(),
    ] {
        is_refused(&ask(&api, &after, &other, &[]).await, "bad-cursor");
    }
    // How many rows a page has is no part of what is asked.
    let wider = TREE.replace(r#""Take":5"#, r#""Take":9"#);
    assert_eq!(ask(&api, &after, &wider, &[]).await.json()["items"].as_array().unwrap().len(), 9);
}

#[tokio::test]
async fn d5_29_a_cursor_is_of_one_user_and_scope() {
    let api = shop().await;
    let (ann, bob) = ([("user", "ann"), ("tenant", "1")], [("user", "bob"), ("tenant", "1")]);
    let after = format!("after={}", cursor(&api, &ann).await);
    assert_eq!(ask(&api, &after, TREE, &ann).await.status, 200);
    for others in [&bob[..], &[("user", "ann"), ("tenant", "2")], &[("user", "ann")], &[("tenant", "1")], &[]] {
        is_refused(&ask(&api, &after, TREE, others).await, "bad-cursor");
    }
    // The scope is the request's, whatever the cursor is.
    let rest = ask(&api, &after, &TREE.replace(r#""Take":5"#, r#""Take":100"#), &ann).await.json();
    assert!(rest["items"].as_array().unwrap().iter().all(|item| item["tenantId"] == 1));
    assert_eq!(rest["items"].as_array().unwrap().len(), 35);
}

#[tokio::test]
async fn e_a_cursor_goes_by_visible_properties_that_have_an_order() {
    let api = shop().await;
    let by = |order: &str| {
        format!(r##"{{"$section":{{"$orderby":{{"$table":"Item"}},"OrderBys":[{{"Field":{order}}}]}},"Take":5}}"##)
    };
    for order in [r##"{"#":"Weight"}"##, r##"{"$":"func","Abs":[{"#":"Rank"}]}"##] {
        is_refused(&ask(&api, "cursor=true", &by(order), &[]).await, "bad-query");
    }
    // Hidden, and not there: the same answer but for the name.
    let hidden = ask(&api, "cursor=true", &by(r##"{"#":"Secret"}"##), &[]).await;
    let unknown = ask(&api, "cursor=true", &by(r##"{"#":"Nothng"}"##), &[]).await;
    assert_eq!(hidden.status, 400);
    assert_eq!(hidden.text.replace("Secret", "Nothng"), unknown.text);
}

#[tokio::test]
async fn e_a_cursor_needs_rows_and_no_skip() {
    let api = shop().await;
    let skips = TREE.replace(r#""Take":5"#, r#""Skip":5,"Take":5"#);
    let selects = r##"{"$section":{"$select":{"$table":"Item"},"Selects":[{"Value":{"#":"Id"}}]},"Take":5}"##;
    let raw = TREE.replace(r#""Take":5"#, r#""Take":5,"After":[{"@":1}]"#);
    let nested = r##"{"$section":{"$section":{"$table":"Item"},"Take":3},"Take":5}"##;
    for tree in [&*skips, selects, &raw, nested] {
        let answer = ask(&api, "cursor=true", tree, &[]).await;
        is_refused(&answer, "bad-query");
        assert!(answer.at("/path").is_string(), "{answer:?}");
    }
    is_refused(&ask(&api, "cursors=true", TREE, &[]).await, "bad-query");
    is_refused(&ask(&api, "cursor=maybe", TREE, &[]).await, "bad-query");
    is_refused(&ask(&api, "after=a&after=b", TREE, &[]).await, "bad-query");
    // Policies let values of the client's own stand behind an order only.
    let no_order = r##"{"$section":{"$table":"Item"},"Take":5,"After":[{"@":1}]}"##;
    assert_eq!(ask(&api, "", no_order, &[]).await.status, 400);
}
