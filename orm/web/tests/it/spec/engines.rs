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

/// The items of all pages of a source, as they come.
async fn walked(api: &axum::Router, source: &str, take: usize) -> Vec<String> {
    let mut items = Vec::new();
    loop {
        let body = format!(r#"{{"$section":{source},"Skip":{},"Take":{take}}}"#, items.len());
        let page = send(api, "POST /api/Order/page", body.as_str()).await;
        let found = page.at("/items");
        let found = found.as_array().unwrap_or_else(|| panic!("{source}: {}", page.text));
        items.extend(found.iter().map(ToString::to_string));
        if found.len() < take || items.len() > 1_000 {
            return items;
        }
    }
}

async fn pages_with_ties(engine: &str, config: DataSourceConfig) {
    let context = context_at(config);
    fill(&context).await;
    let api = api(&context);
    let by_status = r##""OrderBys":[{"Field":{"#":"Status"}}]"##;
    let list = r##""Selects":[{"Value":{"#":"Status"}},{"Value":{"#":"Id"}}]"##;
    let pair = r##""Selects":[{"Value":{"#":"Status"}},{"Value":{"#":"Total"}}]"##;
    let count = r##"{"Alias":"N","Value":{"$":"func","COUNT":[{"#":"Id"}],"IsAggregate":true}}"##;
    let groups = format!(
        r##"{{"$orderby":{{"$select":{{"$group":null,"GroupBys":[{{"#":"Total"}}]}},"Selects":[{{"Value":{{"#":"Total"}}}},{count}]}},"OrderBys":[{{"Field":{{"#":"N"}}}}]}}"##
    );
    for (source, rows) in [
        (format!(r#"{{"$orderby":null,{by_status}}}"#), 135),
        (format!(r#"{{"$orderby":{{"$select":null,{list}}},{by_status}}}"#), 135),
        (format!(r#"{{"$select":{{"$orderby":null,{by_status}}},{list}}}"#), 135),
        (groups, 0),
        (format!(r#"{{"$orderby":{{"$select":null,{pair},"Distinct":true}},{by_status}}}"#), 0),
        (
            format!(
                r##"{{"$orderby":{{"$select":null,{list},"Next":[{{"SetType":"UnionAll","$select":{{"$where":null,"Where":{{"$":"<","Left":{{"#":"Id"}},"Right":0}}}},{list}}}]}},{by_status}}}"##
            ),
            135,
        ),
    ] {
        let (some, more) = (walked(&api, &source, 7).await, walked(&api, &source, 50).await);
        let mut once = some.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), some.len(), "{engine}: {source}");
        assert_eq!(some, more, "{engine}: {source}");
        assert!(rows == 0 || some.len() == rows, "{engine}: {source}: {}", some.len());
    }
    // The total is of the rows of the same inner page.
    for skip in [0, 13, 40] {
        let body = format!(
            r##"{{"$section":{{"$where":{{"$section":{{"$orderby":null,{by_status}}},"Skip":{skip},"Take":40}},"Where":{{"$":">","Left":{{"#":"Total"}},"Right":60}}}},"Take":100}}"##
        );
        let whole = send(&api, "POST /api/Order/page", body.as_str()).await;
        let (shown, total) = (whole.at("/items").as_array().unwrap().len(), whole.at("/total"));
        assert_eq!(total, json!(shown), "{engine}: {}", whole.text);
        let few = send(&api, "POST /api/Order/page", body.replace(r#""Take":100"#, r#""Take":1"#).as_str()).await;
        assert_eq!(few.at("/total"), total, "{engine}: {}", few.text);
    }
}

/// B14
#[tokio::test]
async fn pages_with_ties_have_each_row_once_and_totals_count_them() {
    each(pages_with_ties).await;
}

#[tokio::test]
async fn b21_rows_are_the_same_on_every_engine() {
    each(rows).await;
}

#[tokio::test]
async fn b14_pages_are_the_same_on_every_engine() {
    each(pages).await;
}
