//! Writes by nobody, and by somebody who may not.

use std::future::{Ready, ready};
use std::sync::Arc;

use axum::Router;
use axum::http::request::Parts;
use isogloss::config::DataSourceConfig;
use isogloss::entity::Linked as _;
use isogloss::model::Catalog;
use isogloss::prelude::*;
use isogloss::service::{Interception, PermissionRule, Principal, SessionPrincipal};
use isogloss_web::{EntityController, Host, Rules, WebResult};

use crate::support::{Plain, send_as};
use crate::writes::shop::Article;

struct Somebody;

impl Principal for Somebody {
    fn id(&self) -> &'static str {
        "ann"
    }

    fn has_role(&self, _: &str) -> bool {
        false
    }
}

/// Whoever says anything is somebody.
fn by_header(head: &Parts, _: Session) -> Ready<WebResult<Option<Arc<dyn Principal>>>> {
    let known = head.headers.contains_key("authorization");
    ready(Ok(known.then(|| Arc::new(Somebody) as Arc<dyn Principal>)))
}

/// An API that readers alone may use.
async fn api() -> Router {
    let rule = PermissionRule::roles(&["Reader"]);
    let interception = Interception::new().principals(SessionPrincipal).entity_permissions(rule, rule);
    let catalog = Catalog::builder().entity::<Article>().build().unwrap();
    let context = Orm::builder().catalog(catalog).with_interception(interception).build().await.unwrap();
    context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true)).unwrap();
    // The program itself, and no service, writes the row that is there.
    let mut first = Article { code: "a".into(), ..Article::default() };
    ObjectDao::new(&context.create_session().unwrap()).insert(&mut first).await.unwrap();
    let host = Host::new(&context).authenticate(by_header);
    Plain::<Article>::by(writes()).router(&host).unwrap()
}

fn writes() -> Rules {
    Rules::new().allow_writes().filled(["OwnerId"])
}

/// Articles by some rules.
struct Articles(Rules);

impl EntityController for Articles {
    type Entity = Article;
    type View = Article;

    fn rules(&self) -> Rules {
        self.0.clone()
    }
}

/// D.5 case 27, where no service has permissions: a caller who is asked for a name and gives none may read, and writes where the
/// rules say so.
#[tokio::test]
async fn nobody_writes_where_callers_are_asked_who_they_are() {
    let insert = Some(r#"{"code":"a","price":1,"state":1}"#);
    let put = Some(r#"{"id":1,"code":"a","price":2,"state":1,"version":1}"#);
    let ann: &[(&str, &str)] = &[("authorization", "Bearer 1")];
    for (asks, rules, caller, status) in [
        (true, writes(), &[][..], 401),
        (true, writes(), ann, 200),
        (true, writes().anonymous_writes(), &[], 200),
        (false, writes(), &[], 200),
        (true, writes().read_only(), &[], 405),
    ] {
        let context = OrmContext::new(Catalog::builder().entity::<Article>().build().unwrap());
        context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true)).unwrap();
        let host = Host::new(&context);
        let host = if asks { host.authenticate(by_header) } else { host };
        let api = Articles(rules).router(&host).unwrap();
        for (request, body) in [("POST /Article", insert), ("PUT /Article", put), ("DELETE /Article/1", None)] {
            let answer = send_as(&api, request, body, caller).await;
            assert_eq!(answer.status, status, "{request} {answer:?}");
        }
        assert_eq!(send_as(&api, "GET /Article", None, caller).await.text, "[]");
    }
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
