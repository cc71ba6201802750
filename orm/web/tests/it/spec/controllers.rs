//! B1: controllers of the program's own, and whose rows they serve.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use isogloss::prelude::*;
use isogloss::service::{EntityService, EntityServiceOps, Principal};
use isogloss::{OrmResult, Scope};
use isogloss_web::{Call, EntityController, Host, Problem, ProblemKind, Rules, WebResult};
use serde_json::json;

use crate::support::{Answer, Order, OrderView, api_of, send, send_as, shop};

/// One endpoint is its own, the others are inherited.
struct Orders {
    made: Arc<AtomicUsize>,
}

impl EntityController for Orders {
    type Entity = Order;
    type View = OrderView;

    fn rules(&self) -> Rules {
        Rules::new().allow_writes().filled(["MarginNote"]).name("my-orders")
    }

    fn service(&self, call: &Call) -> OrmResult<Box<dyn EntityServiceOps<Order, OrderView>>> {
        self.made.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(EntityService::new(call.session())))
    }

    async fn delete(&self, call: &Call, id: &str) -> WebResult {
        if id == "1" {
            return Err(Problem::new(ProblemKind::Forbidden, "The first order stays."));
        }
        call.delete(id).await
    }
}

#[tokio::test]
async fn b1_an_endpoint_is_overridden_and_the_others_are_inherited() {
    let made = Arc::new(AtomicUsize::new(0));
    let orders = Orders { made: Arc::clone(&made) }.router(&Host::new(&shop().await)).unwrap();
    let api = Router::new().nest("/api", orders);
    for id in ["1", "%31"] {
        let answer = send(&api, &format!("DELETE /api/my-orders/{id}"), None).await;
        assert_eq!((answer.status.as_u16(), answer.at("/detail")), (403, json!("The first order stays.")), "{id}");
    }
    assert_eq!(send(&api, "DELETE /api/my-orders/01", None).await.status, 400);
    assert_eq!(made.load(Ordering::Relaxed), 0);
    assert_eq!(send(&api, "DELETE /api/my-orders/2", None).await.text, "true");
    assert_eq!(send(&api, "GET /api/my-orders/count", None).await.text, "134");
    // A service for each request.
    assert_eq!(made.load(Ordering::Relaxed), 2);
    assert_eq!(send(&api, "GET /api/Order/count", None).await.status, 404);
}

#[derive(Debug)]
struct User {
    name: String,
    tenant: i32,
}

impl Principal for User {
    fn id(&self) -> &str {
        &self.name
    }

    fn has_role(&self, _: &str) -> bool {
        false
    }
}

/// Who calls is said by a token, whose rows are meant by who calls.
fn tenants(context: &OrmContext) -> Router {
    let host = Host::new(context)
        .authenticate(|head, session| {
            let token = head.headers.get("authorization").and_then(|token| token.to_str().ok()).map(str::to_owned);
            async move {
                // A token is looked up in the database.
                let known = isogloss::dao::ObjectViewDao::<crate::support::Customer>::new(&session);
                let Some(name) = token.and_then(|token| token.strip_prefix("Bearer ").map(str::to_owned)) else {
                    return Ok(None);
                };
                let user = known.search(prop("Name").eq(&*name)).first().await?;
                match user {
                    Some(user) => {
                        let tenant = user.tenant_id.unwrap_or_default();
                        Ok(Some(Arc::new(User { name, tenant }) as Arc<dyn Principal>))
                    }
                    None => Err(Problem::new(ProblemKind::Unauthenticated, "The token is not known.")),
                }
            }
        })
        .scope(|_, caller| match caller.and_then(|caller| caller.downcast_ref::<User>()) {
            Some(user) => Ok(Scope::new().column("TenantId", user.tenant)),
            None => Err(Problem::of(ProblemKind::Unauthenticated)),
        });
    api_of(&host, Rules::new().lenient_pages())
}

async fn of(api: &Router, user: &str, request: &str, body: Option<&str>) -> Answer {
    send_as(api, request, body, &[("authorization", &format!("Bearer {user}"))]).await
}

#[tokio::test]
async fn b12_each_tenant_has_its_own_rows() {
    let api = tenants(&shop().await);
    for (user, total, first) in [("Bob", 130, 1), ("Annika", 5, 131)] {
        let default_page = r##"{"$select":null,"Selects":[{"Value":{"#":"Id"}}]}"##;
        let or_true = r##"{"$or":[{"$":"==","Left":{"#":"Id"},"Right":1},{"$":">","Left":{"#":"Id"},"Right":0}]}"##;
        let section = r##"{"$section":{"$where":null,"Where":{"$":">","Left":{"#":"Id"},"Right":0}}}"##;
        for body in [default_page, or_true, section, r#"{"$section":null}"#] {
            let page = of(&api, user, "POST /api/Order/page", Some(body)).await;
            assert_eq!((page.at("/total"), page.at("/items/0/id")), (json!(total), json!(first)), "{user} {body}");
        }
        let list = of(&api, user, "GET /api/Order", None).await;
        assert_eq!(list.json().as_array().unwrap().len(), total);
        assert_eq!(of(&api, user, "GET /api/Order/count", None).await.text, total.to_string());
    }
    // The rows of the other tenant are as rows that are not there, for every endpoint.
    for request in ["GET /api/Order/131", "GET /api/Order/9000"] {
        assert_eq!(of(&api, "Bob", request, None).await.text, "null");
    }
    assert_eq!(of(&api, "Bob", "GET /api/Order/exists/131", None).await.text, "false");
    assert_eq!(of(&api, "Bob", "DELETE /api/Order/131", None).await.text, "false");
    assert_eq!(of(&api, "Annika", "GET /api/Order/exists/131", None).await.text, "true");
    assert_eq!(of(&api, "Annika", "GET /api/Customer/count?keyword=Ann", None).await.text, "1");
    let named = r##"{"$":"==","Left":{"#":"TenantId"},"Right":2}"##;
    assert_eq!(of(&api, "Bob", "POST /api/Order/page", Some(named)).await.status, 400);
}

#[tokio::test]
async fn b1_nobody_gets_a_401_before_the_body_is_looked_at() {
    let api = tenants(&shop().await);
    for (request, body) in
        [("GET /api/Order", None), ("POST /api/Order/page", Some("{")), ("DELETE /api/Order/x", None)]
    {
        let answer = send_as(&api, request, body, &[]).await;
        assert_eq!((answer.status.as_u16(), answer.header("www-authenticate")), (401, "Bearer"), "{request}");
    }
    let unknown = of(&api, "Mallory", "GET /api/Order", None).await;
    assert_eq!((unknown.status.as_u16(), unknown.at("/detail")), (401, json!("The token is not known.")));
}

/// A permission that is missing is a 403, and a 401 where nobody is known.
#[tokio::test]
async fn b1_permissions_are_those_of_the_services() {
    use isogloss::config::DataSourceConfig;
    use isogloss::service::{Interception, PermissionRule, SessionPrincipal};

    let rule = PermissionRule::roles(&["Reader"]);
    let interception = Interception::new().principals(SessionPrincipal).entity_permissions(rule, rule);
    let context =
        OrmContext::builder().catalog(crate::support::catalog()).with_interception(interception).build().await.unwrap();
    context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true)).unwrap();
    let host = Host::new(&context).authenticate(|head, _| {
        let name = head.headers.get("x-user").map(|name| name.to_str().unwrap().to_owned());
        async move { Ok(name.map(|name| Arc::new(User { name, tenant: 1 }) as Arc<dyn Principal>)) }
    });
    let api = api_of(&host, Rules::new());
    let page = Some(r#"{"$section":null}"#);
    for (request, body) in [
        ("GET /api/Order/1", None),
        ("GET /api/Order", None),
        ("GET /api/Order/count", None),
        ("GET /api/Order/exists/1", None),
        ("DELETE /api/Order/1", None),
        ("POST /api/Order/page", page),
    ] {
        assert_eq!(send(&api, request, body).await.status, 401, "{request}");
        assert_eq!(send_as(&api, request, body, &[("x-user", "ann")]).await.status, 403, "{request}");
    }
}

/// Each request has a scope of the container, and its session.
#[cfg(feature = "di")]
#[tokio::test]
async fn b1_services_are_those_of_a_containers_scope() {
    use isogloss::Session;
    use isogloss::container::{AddOrm as _, Resolve as _, ServiceCollection};

    struct Resolved;

    impl EntityController for Resolved {
        type Entity = Order;
        type View = OrderView;

        fn service(&self, call: &Call) -> OrmResult<Box<dyn EntityServiceOps<Order, OrderView>>> {
            let services = call.services().unwrap();
            assert!(services.resolve::<Session>()?.is(call.session()));
            services.resolve()
        }
    }

    let context = shop().await;
    let mut services = ServiceCollection::new();
    services.add_orm(&context).unwrap();
    let services = services.build_provider().unwrap();
    let host = Host::with_services(&services).unwrap().scope(|head, _| {
        let tenant = head.headers.get("x-shop").and_then(|tenant| tenant.to_str().ok()?.parse::<i32>().ok());
        tenant.map(|tenant| Scope::new().column("TenantId", tenant)).ok_or(Problem::of(ProblemKind::Unauthenticated))
    });
    let api = Resolved.router(&host).unwrap();
    for (tenant, count) in [("1", 130), ("2", 5)] {
        let answer = send_as(&api, "GET /Order/count", None, &[("x-shop", tenant)]).await;
        assert_eq!(answer.text, count.to_string());
        // The session lives until the list is at its end.
        let list = send_as(&api, "GET /Order", None, &[("x-shop", tenant)]).await;
        assert_eq!(list.json().as_array().unwrap().len(), count);
    }
}
