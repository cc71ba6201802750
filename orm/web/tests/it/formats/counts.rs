//! How many rows there are, as far as somebody wants to know it.

use isogloss_web::Rules;
use serde_json::Value as Json;

use super::items::{api, catalog, insert, item};
use crate::support::engines::each_place;
use crate::support::send;

#[tokio::test]
async fn e_count_is_exact_capped_or_left_out() {
    each_place(async |place| {
        let context = place.context(catalog(), true);
        insert(&context, (1..=30).map(item)).await;
        let api = api(&context, Rules::new().count_cap(10));
        let all = r##"{"$section":{"$orderby":{"$table":"Item"},"OrderBys":[{"Field":{"#":"Rank"}}]},"Take":3}"##;
        let some = r##"{"$":"<=","Left":{"#":"Id"},"Right":10}"##;
        for (query, tree, total, is_capped) in [
            ("", all, Json::from(30), Json::Null),
            ("count=exact", all, 30.into(), Json::Null),
            ("count=none", all, Json::Null, Json::Null),
            ("count=capped", all, 10.into(), true.into()),
            ("count=capped", some, 10.into(), false.into()),
            ("count=capped&cursor=true", all, 10.into(), true.into()),
        ] {
            let answer = send(&api, &format!("POST /Item/page?{query}"), tree).await;
            assert_eq!(answer.status, 200, "{answer:?}");
            assert_eq!((answer.at("/total"), answer.at("/totalIsCapped")), (total, is_capped), "{query} {tree}");
        }
        let answer = send(&api, "POST /Item/page?count=guess", all).await;
        assert_eq!((answer.status.as_u16(), answer.at("/type")), (400, "/problems/bad-query".into()));
        context.close();
    })
    .await;
}
