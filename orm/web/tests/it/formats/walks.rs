//! A walk from cursor to cursor has each row exactly once.

use axum::Router;
use isogloss::dao::ObjectDao;
use isogloss_web::Rules;
use serde_json::Value as Json;

use super::items::{Item, api, catalog, insert, item, stored};
use crate::support::engines::each_place;
use crate::support::send;

const ITEMS: i64 = 57;

/// Orders with NULLs in them, and with rows that are equal but for their key.
const ORDERS: [&str; 8] = [
    r##"{"Field":{"#":"Rank"}}"##,
    r##"{"Field":{"#":"Rank"},"Asc":false}"##,
    r##"{"Field":{"#":"Rank"},"Nulls":"First"},{"Field":{"#":"Name"},"Asc":false,"Nulls":"Last"}"##,
    r##"{"Field":{"#":"Name"},"Nulls":"Last"},{"Field":{"#":"Rank"},"Nulls":"First"},{"Field":{"#":"Price"},"Asc":false}"##,
    r##"{"Field":{"#":"Price"}}"##,
    r##"{"Field":{"#":"Price"},"Asc":false},{"Field":{"#":"Id"},"Asc":false}"##,
    r##"{"Field":{"#":"Id"},"Asc":false}"##,
    r##"{"Field":{"#":"Price"}},{"Field":{"#":"Price"},"Asc":false}"##,
];

fn by(order: &str, take: u64) -> String {
    format!(
        r##"{{"$section":{{"$orderby":{{"$where":{{"$table":"Item"}},"Where":{{"$":">","Left":{{"#":"Id"}},"Right":0}}}},"OrderBys":[{order}]}},"Take":{take}}}"##
    )
}

/// The ids of a page, and the cursor behind it.
async fn page(api: &Router, tree: &str, after: Option<&str>) -> (Vec<i64>, Option<String>) {
    let query = after.map_or_else(|| "cursor=true".to_owned(), |cursor| format!("after={cursor}"));
    let answer = send(api, &format!("POST /Item/page?{query}&count=none"), tree).await;
    assert_eq!(answer.status, 200, "{tree} {answer:?}");
    let body = answer.json();
    assert_eq!((&body["total"], &body["skip"]), (&Json::Null, &Json::from(0)));
    let ids = body["items"].as_array().unwrap().iter().map(|item| item["id"].as_i64().unwrap()).collect();
    (ids, body["next"].as_str().map(str::to_owned))
}

/// All ids, page by page. `between` is done behind each.
async fn walk(api: &Router, tree: &str, between: impl AsyncFn(usize)) -> Vec<i64> {
    let (mut all, mut pages, mut next) = (Vec::new(), 0, None);
    loop {
        let (ids, cursor) = page(api, tree, next.as_deref()).await;
        all.extend(ids);
        pages += 1;
        assert!(pages < 200, "it does not end");
        match cursor {
            Some(cursor) => next = Some(cursor),
            None => return all,
        }
        between(pages).await;
    }
}

#[tokio::test]
async fn e_each_row_once_in_the_order_of_one_page() {
    each_place(async |place| {
        let context = place.context(catalog(), true);
        insert(&context, (1..=ITEMS).map(item)).await;
        let api = api(&context, Rules::new());
        for order in ORDERS {
            let (whole, end) = page(&api, &by(order, 100), None).await;
            assert_eq!((whole.len(), end), (57, None), "{order}");
            for take in [1, 7, 19, 57] {
                assert_eq!(walk(&api, &by(order, take), async |_| {}).await, whole, "{order} by {take}");
            }
        }
        context.close();
    })
    .await;
}

#[tokio::test]
async fn e_each_row_once_while_others_are_inserted() {
    each_place(async |place| {
        for order in ORDERS {
            let context = place.context(catalog(), true);
            let session = context.create_session().unwrap();
            ObjectDao::<Item>::new(&session).delete_all_rows().await.unwrap();
            insert(&context, (1..=ITEMS).map(item)).await;
            let api = api(&context, Rules::new());
            // Before, between and behind the rows of the pages.
            let more = async |page: usize| {
                let number = i64::try_from(page).unwrap();
                insert(&context, [item(1_000 + number), item(2_000 - number)]).await;
            };
            let mut seen = walk(&api, &by(order, 5), more).await;
            seen.sort_unstable();
            let distinct = seen.len();
            seen.dedup();
            assert_eq!(seen.len(), distinct, "{order}: a row came twice");
            seen.retain(|id| *id <= ITEMS);
            assert_eq!(seen, (1..=ITEMS).collect::<Vec<_>>(), "{order}");
            context.close();
        }
    })
    .await;
}

#[tokio::test]
async fn e_a_filter_alone_is_walked_by_the_key() {
    let context = stored((1..=ITEMS).map(item)).await;
    let api = api(&context, Rules::new().page_sizes(10, 100).lenient_pages());
    let filter = r##"{"$":">","Left":{"#":"Id"},"Right":20}"##;
    assert_eq!(walk(&api, filter, async |_| {}).await, (21..=ITEMS).collect::<Vec<_>>());
    // What is no filter and no page means all rows.
    assert_eq!(walk(&api, r##"{"#":"Id"}"##, async |_| {}).await, (1..=ITEMS).collect::<Vec<_>>());
    let no_table = r##"{"$section":null,"Take":10}"##;
    assert_eq!(walk(&api, no_table, async |_| {}).await, (1..=ITEMS).collect::<Vec<_>>());
}
