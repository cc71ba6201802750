//! The list by a query string: requirement A12.

use axum::Router;
use isogloss_web::Rules;

use super::items::{api, item, stored};
use crate::support::{Answer, send};

async fn shop(rules: Rules) -> Router {
    api(&stored((1..=30).map(item)).await, rules)
}

fn ids(answer: &Answer) -> Vec<i64> {
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json().as_array().unwrap().iter().map(|item| item["id"].as_i64().unwrap()).collect()
}

#[tokio::test]
async fn a12_a_list_takes_a_query_string_where_it_may() {
    let api = shop(Rules::new().query_string().page_sizes(4, 100)).await;
    for (query, expected) in [
        ("id=>=28", &[28, 29, 30][..]),
        ("id=3,1,2&orderby=id%20desc", &[3, 2, 1]),
        ("id=!>=4", &[1, 2, 3]),
        ("id=<=5&rank=", &[3]),
        ("id=<=5&rank=!", &[1, 2, 4, 5]),
        ("name=item%206&price=>=1", &[6, 13, 27]),
        ("name=%25em%206&price=>=1&orderby=price,id desc", &[6, 27, 13]),
        ("page=2", &[5, 6, 7, 8]),
        ("page=0", &[1, 2, 3, 4]),
        ("page=-1&orderby=price desc", &[4, 9, 14, 19]),
        ("page=99", &[]),
    ] {
        let query = query.replace(' ', "+").replace('<', "%3C").replace('>', "%3E");
        assert_eq!(ids(&send(&api, &format!("GET /Item?{query}"), None).await), expected, "{query}");
    }
    let all = send(&api, "GET /Item", None).await;
    assert_eq!((ids(&all).len(), all.header("x-max-rows")), (30, "1000"));
    assert_eq!(send(&api, "GET /Item?page=2", None).await.header("x-max-rows"), "4");
}

#[tokio::test]
async fn a12_what_is_wrong_is_a_400_with_the_name_of_the_key() {
    let api = shop(Rules::new().query_string()).await;
    for (query, field) in [
        ("rank=high", "rank"),
        ("nothing=1", "nothing"),
        ("secret=hunter2", "secret"),
        ("name=$%5E(a%2B)%2B$", "name"),
        ("orderby=secret", "orderby"),
        ("page=two", "page"),
        ("name=%ff", "name"),
    ] {
        let answer = send(&api, &format!("GET /Item?{query}"), None).await;
        assert_eq!((answer.status.as_u16(), answer.at("/type")), (400, "/problems/bad-query".into()), "{query}");
        assert_eq!(answer.at("/field"), field, "{query}");
        assert!(!answer.text.to_lowercase().contains("select"), "{answer:?}");
    }
    let of = async |query: &str| send(&api, &format!("GET /Item?{query}"), None).await.text;
    assert_eq!(of("secret=hunter2").await.replace("secret", "nothing"), of("nothing=1").await);
}

#[tokio::test]
async fn a12_what_names_nothing_is_ignored_where_the_rules_say_so() {
    let api = shop(Rules::new().lenient_query_string()).await;
    for query in ["id=1,2&nothing=1", "id=1,2&secret=hunter2", "id=1,2&orderby=secret,id"] {
        assert_eq!(ids(&send(&api, &format!("GET /Item?{query}"), None).await), [1, 2], "{query}");
    }
    for query in ["rank=high", "page=two", "orderby=id up"] {
        let answer = send(&api, &format!("GET /Item?{}", query.replace(' ', "+")), None).await;
        assert_eq!((answer.status.as_u16(), answer.at("/type")), (400, "/problems/bad-query".into()), "{query}");
    }
}

#[tokio::test]
async fn a12_a_page_skips_no_more_rows_than_it_may() {
    let api = shop(Rules::new().query_string().page_sizes(4, 100).max_skip(8)).await;
    assert_eq!(ids(&send(&api, "GET /Item?page=3", None).await), [9, 10, 11, 12]);
    let answer = send(&api, "GET /Item?page=4", None).await;
    assert_eq!((answer.status.as_u16(), answer.at("/field")), (400, "page".into()), "{answer:?}");
}

#[tokio::test]
async fn a12_a_list_takes_none_from_the_start() {
    let api = shop(Rules::new()).await;
    let answer = send(&api, "GET /Item?id=1", None).await;
    assert_eq!((answer.status.as_u16(), answer.at("/type")), (400, "/problems/bad-query".into()), "{answer:?}");
    assert_eq!(ids(&send(&api, "GET /Item?", None).await).len(), 30);
}
