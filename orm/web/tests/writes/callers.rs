//! Writes by nobody, and by somebody who may not.

use std::sync::Arc;

use axum::Router;
use isogloss::config::DataSourceConfig;
use isogloss::entity::Linked as _;
use isogloss::model::Catalog;
use isogloss::prelude::*;
use isogloss::service::{Interception, PermissionRule, Principal, SessionPrincipal};
use isogloss_web::{EntityController as _, Host};

use crate::shop::Article;
use crate::support::{Plain, send_as};

struct Somebody;

impl Principal for Somebody {
    fn id(&self) -> &'static str {
        "ann"
    }

    fn has_role(&self, _: &str) -> bool {
        false
    }
}

/// An API that readers alone may use.
async fn api() -> Router {
    let rule = PermissionRule::roles(&["Reader"]);
    let interception = Interception::new().principals(SessionPrincipal).entity_permissions(rule, rule);
    let catalog = Catalog::builder().entity::<Article>().build().unwrap();
    let context = Orm::builder().catalog(catalog).with_interception(interception).build().await.unwrap();
    context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true), true).unwrap();
    // The program itself, and no service, writes the row that is there.
    let mut first = Article { code: "a".into(), ..Article::default() };
    ObjectDao::new(&context.create_session().unwrap()).insert(&mut first).await.unwrap();
    let host = Host::new(&context).authenticate(|head, _| {
        let known = head.headers.contains_key("authorization");
        async move { Ok(known.then(|| Arc::new(Somebody) as Arc<dyn Principal>)) }
    });
    Plain::<Article>::new().router(&host).unwrap()
}

/// D.5 case 27: whatever else the request says. Whether the row has the version that a request names is not looked at before
/// the caller's permission is.
#[tokio::test]
async fn nobody_is_told_to_log_in() {
    let api = api().await;
    let put = r#"{"id":1,"code":"a","price":1,"state":1}"#;
    let versioned = r#"{"id":1,"code":"a","price":1,"state":1,"version":1}"#;
    for (request, body) in [
        ("POST /Article", Some(r#"{"code":"a","price":1,"state":1}"#)),
        ("PUT /Article", Some(put)),
        ("PUT /Article", Some(versioned)),
        ("DELETE /Article/1", None),
        ("GET /Article/1", None),
    ] {
        for tags in [
            &[][..],
            &[("if-match", "*")],
            &[("if-match", "\"1\"")],
            &[("if-match", "\"9\"")],
            &[("if-match", "\"1\", \"2\"")],
            &[("if-none-match", "*")],
        ] {
            let nobody = send_as(&api, request, body, tags).await;
            assert_eq!(
                (nobody.status.as_u16(), nobody.at("/code")),
                (401, "unauthenticated".into()),
                "{request} {tags:?}"
            );
            let known: Vec<(&str, &str)> = tags.iter().copied().chain([("authorization", "Bearer 1")]).collect();
            let refused = send_as(&api, request, body, &known).await;
            assert_eq!((refused.status.as_u16(), refused.at("/code")), (403, "forbidden".into()), "{request} {tags:?}");
            assert_eq!(refused.header("etag"), "", "{request} {tags:?}");
        }
    }
}
