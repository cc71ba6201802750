//! What is the same on every engine: rows as JSON, lists and pages.

use isogloss::config::DataSourceConfig;
use isogloss::prelude::*;
use serde_json::json;

use crate::spec::rows::MEMBERS;
use crate::support::places::each;
use crate::support::{api, context_at, fill, kind, send};

async fn rows(engine: &str, config: DataSourceConfig) {
    let context = context_at(config);
    let session = context.create_session().unwrap();
    let kinds = ObjectDao::new(&session);
    kinds.insert(&mut kind()).await.unwrap();
    let api = api(&context);
    let row = send(&api, "GET /api/Kind/1", None).await;
    for member in MEMBERS {
        assert!(row.text.contains(member), "{engine}: {member}: {}", row.text);
    }
    assert_eq!(row.at("/json"), json!({"a": [1, null, "x"]}), "{engine}");
    let at = row.at("/atOffset");
    let at: isogloss::chrono::DateTime<isogloss::chrono::FixedOffset> = at.as_str().unwrap().parse().unwrap();
    assert_eq!(Some(at), kind().at_offset, "{engine}");
}

async fn pages(engine: &str, config: DataSourceConfig) {
    let context = context_at(config);
    fill(&context).await;
    let api = api(&context);
    let list = send(&api, "GET /api/Order", None).await;
    assert_eq!(list.json().as_array().unwrap().len(), 135, "{engine}");
    let body = r##"{"$section":{"$orderby":{"$where":null,"Where":{"$":"==","Left":{"#":"CustomerName"},"Right":"Annika"}},"OrderBys":[{"Field":{"#":"Status"},"Asc":false}]},"Skip":1,"Take":2}"##;
    let page = send(&api, "POST /api/Order/page", body).await;
    let ids = [page.at("/items/0/id"), page.at("/items/1/id")];
    assert_eq!((page.at("/total"), ids), (json!(5), [json!(134), json!(131)]), "{engine}: {}", page.text);
    let body = r##"{"$section":{"$orderby":{"$select":{"$group":null,"GroupBys":[{"#":"Status"}]},"Selects":[{"Value":{"#":"Status"}},{"Alias":"N","Value":{"$":"func","COUNT":[{"#":"Id"}],"IsAggregate":true}},{"Alias":"Sum","Value":{"$":"func","SUM":[{"#":"Total"}],"IsAggregate":true}}]},"OrderBys":[{"Field":{"#":"Status"}}]}}"##;
    let page = send(&api, "POST /api/Order/page", body).await;
    let sums = page.at("/items/1/sum").as_f64();
    let (status, count) = (page.at("/items/0/status"), page.at("/items/0/n"));
    assert_eq!((status, count, sums), (json!("Open"), json!(68), Some(4556.0)), "{engine}: {}", page.text);
    let overflow =
        r##"{"$":">","Left":{"$":"func","ABS":[{"$":"*","Left":{"#":"Id"},"Right":9223372036854775807}]},"Right":1}"##;
    let refused = send(&api, "POST /api/Order/page", overflow).await;
    for word in ["overflow", "out of range", "BIGINT", "bigint", "orders", "SELECT"] {
        assert!(!refused.text.contains(word), "{engine}: {}", refused.text);
    }
    assert!(matches!(refused.status.as_u16(), 200 | 422), "{engine}: {}", refused.text);
}

#[tokio::test]
async fn b21_rows_are_the_same_on_every_engine() {
    each(rows).await;
}

#[tokio::test]
async fn b14_pages_are_the_same_on_every_engine() {
    each(pages).await;
}
