//! Keys of texts, and of several columns.

use axum::Router;
use isogloss::config::DataSourceConfig;
use isogloss::entity::{Linked as _, Many, One};
use isogloss::prelude::*;
use isogloss_web::{Controllers, Host, Rules};
use serde_json::json;

use crate::include::shop::problem;
use crate::support::places::each;
use crate::support::send;

/// Its key is a text, which a collation may compare.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "inc_makers", columns = "snake_case")]
struct Maker {
    #[column(primary_key, length = 20)]
    code: String,
}

/// Its texts are compared by code points on every engine.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "inc_badges", columns = "snake_case")]
struct Badge {
    #[column(primary_key, length = 20, text = "exact")]
    code: String,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "inc_visits", columns = "snake_case")]
struct Visit {
    #[column(primary_key)]
    id: i64,
    #[foreign(Maker)]
    #[column(length = 20)]
    maker_code: String,
    #[belongs_to]
    maker: One<Maker>,
    #[foreign(Badge)]
    #[column(length = 20)]
    badge_code: String,
    #[belongs_to]
    badge: One<Badge>,
}

/// A tree, and a key of two columns.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "inc_nodes", columns = "snake_case")]
#[table_join(Node, keys(region, up), prime_keys(region, id), alias = "Upper")]
struct Node {
    #[column(primary_key)]
    region: i32,
    #[column(primary_key)]
    id: i32,
    up: Option<i32>,
    #[belongs_to(key = "Upper")]
    upper: One<Node>,
    #[has_many(key = up)]
    lower: Many<Node>,
}

async fn api(config: DataSourceConfig) -> (OrmContext, Router) {
    let context = OrmContext::new(
        Catalog::builder().entity::<Maker>().entity::<Badge>().entity::<Visit>().entity::<Node>().build().unwrap(),
    );
    context.add_data_source(config).unwrap();
    let session = context.create_session().unwrap();
    ObjectDao::<Maker>::new(&session).insert(&mut Maker { code: "abc".into() }).await.unwrap();
    let node = |region, id, up| Node { region, id, up, ..Node::default() };
    let mut nodes = [node(1, 1, None), node(1, 2, Some(1)), node(1, 3, Some(1)), node(2, 1, None), node(2, 2, Some(1))];
    ObjectDao::<Node>::new(&session).batch_insert(&mut nodes).await.unwrap();
    let controllers = Controllers::of(Host::new(&context))
        .rules("Visit", Rules::new().include(["maker", "badge"]))
        .rules("Node", Rules::new().include(["lower", "upper"]));
    let api = controllers.router().unwrap();
    (context, api)
}

/// A visit whose keys are one of 16 spellings of a text that a collation may take for one.
fn visit(number: usize) -> Visit {
    let letter = |(place, letter): (usize, char)| match number >> place & 1 {
        1 => letter.to_ascii_uppercase(),
        _ => letter,
    };
    let code: String = "abcd".chars().enumerate().map(letter).collect();
    Visit { id: i64::try_from(number).unwrap(), maker_code: code.clone(), badge_code: code, ..Visit::default() }
}

async fn several(engine: &str, config: DataSourceConfig) {
    let (_, api) = api(config).await;
    let page = send(&api, "POST /Node/page?include=lower,upper", Some(r#"{"$section":null}"#)).await;
    let of = |node: usize, member: &str| page.at(&format!("/items/{node}/{member}"));
    let ids = |node: usize| -> Vec<_> {
        of(node, "lower").as_array().unwrap().iter().map(|node| (node["region"].clone(), node["id"].clone())).collect()
    };
    assert_eq!(ids(0), [(json!(1), json!(2)), (json!(1), json!(3))], "{engine} {page:?}");
    assert_eq!((ids(1), ids(3)), (vec![], vec![(json!(2), json!(2))]), "{engine} {page:?}");
    assert_eq!((of(0, "upper"), of(4, "upper/region")), (json!(null), json!(2)), "{engine} {page:?}");
    // No key is left, as NULL is in each.
    let roots = r##"{"$":"==","Left":{"#":"Up"},"Right":null}"##;
    let roots = send(&api, "POST /Node/page?include=upper", Some(roots)).await;
    assert_eq!((roots.status.as_u16(), roots.at("/items/1/upper")), (200, json!(null)), "{engine} {roots:?}");
}

#[tokio::test]
async fn keys_of_several_columns() {
    each(several).await;
}

/// Where a collation may take texts for one, each takes a query of its own, and some are too many.
async fn texts(engine: &str, config: DataSourceConfig) {
    let (context, api) = api(config).await;
    let session = context.create_session().unwrap();
    ObjectDao::<Maker>::new(&session).insert(&mut Maker { code: "abcd".into() }).await.unwrap();
    ObjectDao::<Badge>::new(&session).insert(&mut Badge { code: "abcd".into() }).await.unwrap();
    let visits = ObjectDao::<Visit>::new(&session);
    visits.batch_insert(&mut (0..8).map(visit).collect::<Vec<_>>()).await.unwrap();
    let page = async |include: &str| {
        send(&api, &format!("POST /Visit/page?include={include}"), Some(r#"{"$section":null}"#)).await
    };
    let few = page("maker,badge").await;
    let of = |visit: usize, member: &str| few.at(&format!("/items/{visit}/{member}/code"));
    assert_eq!((of(0, "maker"), of(0, "badge")), (json!("abcd"), json!("abcd")), "{engine} {few:?}");
    assert!(of(7, "badge").is_null(), "{engine} {few:?}");

    visits.batch_insert(&mut [visit(8)]).await.unwrap();
    let told = "`maker`: it would take more than 8 queries, ask for fewer rows at once.";
    assert_eq!(problem(&page("maker").await), (422, "answer-too-large".into(), told.into()), "{engine}");
    assert_eq!(page("badge").await.status, 200, "{engine}");
}

#[tokio::test]
async fn keys_of_texts() {
    each(texts).await;
}
