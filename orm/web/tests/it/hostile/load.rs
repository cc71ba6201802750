//! Too many at once, clients that go away, and what the engine refuses.

use std::fmt::{Debug, Write as _};
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use axum::http::Request;
use futures_util::future::join_all;
use isogloss::config::DataSourceConfig;
use isogloss::entity::Linked as _;
use isogloss::prelude::*;
use isogloss::service::{Interception, PermissionRule, Principal, SessionPrincipal};
use isogloss_testkit::events;
use isogloss_web::{Controllers, Host};
use tower::ServiceExt as _;
use tracing::field::Field;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::hostile::app::{App, ORDERS, Region, problem};

/// A query that takes its time.
const COSTLY: &str = r##"{"$exists":{"$where":{"$table":"Customer"},"Where":{"$exists":{"$where":{"$table":"Region"},"Where":{"$":">","Left":{"$":"+","Left":{"#":"T0.Points"},"Right":{"#":"T1.Id"}},"Right":{"#":"Id"}}}}}}"##;

/// Polls a future at most so many times, and drops it.
async fn given_up<T>(polls: usize, future: impl Future<Output = T>) {
    let mut future = pin!(future);
    let mut left = polls;
    poll_fn(|context| {
        if left == 0 || future.as_mut().poll(context).is_ready() {
            return Poll::Ready(());
        }
        left -= 1;
        Poll::Pending
    })
    .await;
}

#[tokio::test]
async fn case_32_many_at_once_are_served_or_told_to_wait_and_leave_nothing_behind() {
    // A busy machine takes its time for them.
    let app = App::with(App::wide_rules().timeout(Duration::from_secs(3_600))).await;
    let answers = join_all((0..1_000).map(|_| app.page(COSTLY))).await;
    for answer in &answers {
        assert!([200, 400, 429, 503].contains(&answer.status.as_u16()), "{answer:?}");
        assert!(answer.status != 503 || !answer.header("retry-after").is_empty(), "{answer:?}");
    }
    // Clients that go away while they are served.
    for polls in 0..50 {
        given_up(polls % 10, app.page(COSTLY)).await;
    }
    let put = r#"{"id":1,"customerId":1,"orderNo":"gone","points":1}"#;
    for polls in 0..50 {
        given_up(polls % 10, app.send("PUT /api/Order", put)).await;
    }
    // No connection is lost, and none has another's transaction.
    let answers = join_all((0..100).map(|_| app.send("GET /api/Order/count", ""))).await;
    assert!(answers.iter().all(|answer| answer.text == ORDERS.to_string()), "{answers:?}");
}

#[tokio::test]
async fn case_33_what_the_engine_refuses_is_told_by_the_field() {
    let app = App::new().await;
    let unique = app.send("POST /api/Order", r#"{"customerId":1,"orderNo":"A-001","points":1}"#).await;
    let told = problem(&unique);
    assert_eq!(
        (unique.status.as_u16(), &told["code"], &told["field"]),
        (409, &"unique-violation".into(), &"orderNo".into()),
        "{unique:?}"
    );
    // One that another tenant has is told in the same words.
    let others = app.send("POST /api/Order", r#"{"customerId":1,"orderNo":"A-032","points":1}"#).await;
    assert_eq!(unique.text, others.text);
    let put = app.send("PUT /api/Order", r#"{"id":1,"customerId":1,"orderNo":"A-002","points":1}"#).await;
    assert_eq!((put.status.as_u16(), &problem(&put)["field"]), (409, &"orderNo".into()), "{put:?}");
    let long =
        app.send("POST /api/Order", &format!(r#"{{"customerId":1,"orderNo":"{}","points":1}}"#, "x".repeat(101))).await;
    assert_eq!((long.status.as_u16(), &problem(&long)["field"]), (422, &"orderNo".into()), "{long:?}");
    assert_eq!(app.everything().await.len(), ORDERS + 6);
}

/// What is logged at all levels but the most talkative ones.
#[derive(Clone, Default)]
struct Logged(Arc<Mutex<String>>);

impl Subscriber for Logged {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::INFO
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        span.record(&mut |_: &Field, value: &dyn Debug| self.add(value));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, record: &Record<'_>) {
        record.record(&mut |_: &Field, value: &dyn Debug| self.add(value));
    }

    fn event(&self, event: &Event<'_>) {
        event.record(&mut |_: &Field, value: &dyn Debug| self.add(value));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

impl Logged {
    fn add(&self, value: &dyn Debug) {
        let _ = writeln!(self.0.lock().unwrap(), "{value:?}");
    }
}

#[tokio::test]
async fn case_34_neither_answers_nor_logs_have_values_that_are_hidden() {
    let app = App::new().await;
    let logged = Logged::default();
    let _guard = events::listen(logged.clone());
    tracing::error!("it listens");
    // Each answer of these tests is looked through; these are the ones that would have SQL or values.
    for (request, body) in [
        ("POST /api/Order/page", r##"{"$":"==","Left":{"#":"Id"},"Right":{"@":"hunter"}}"##),
        ("POST /api/Order", r#"{"customerId":77,"orderNo":"A-001","points":1}"#),
        ("PUT /api/Order", r#"{"id":1,"customerId":77,"orderNo":"A-002","points":1}"#),
        ("DELETE /api/Customer/1", ""),
        ("GET /api/Nosuch", ""),
        ("GET /openapi.json", ""),
        ("GET /api", ""),
    ] {
        let answer = app.send(request, body).await;
        assert!(answer.status.as_u16() < 500, "{request} {answer:?}");
        assert!(!answer.text.contains("INSERT") && !answer.text.contains("UPDATE"), "{answer:?}");
    }
    let logged = logged.0.lock().unwrap();
    assert!(logged.contains("it listens"));
    for value in ["hunter2", "top secret", "A-001", "A-002", "Annika"] {
        assert!(!logged.contains(value), "`{value}` in {logged}");
    }
}

/// Whoever asks about its roles panics.
struct Trap;

impl Principal for Trap {
    fn id(&self) -> &'static str {
        "trap"
    }

    fn has_role(&self, _: &str) -> bool {
        panic!("a broken rule")
    }
}

/// The rows of a list come from a task of their own, where the permission is asked, too: the log has what the client is not told.
#[tokio::test]
async fn a_panic_behind_a_list_is_logged() {
    let (events, _guard) = events::capture("isogloss", Level::ERROR);
    let rule = PermissionRule::roles(&["Reader"]);
    let interception = Interception::new().principals(SessionPrincipal).entity_permissions(rule, rule);
    let catalog = Catalog::builder().entity::<Region>().build().unwrap();
    let context = Orm::builder().catalog(catalog).with_interception(interception).build().await.unwrap();
    context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true)).unwrap();
    let host = Host::new(&context).authenticate(|_, _| async { Ok(Some(Arc::new(Trap) as Arc<dyn Principal>)) });
    let api = Controllers::of(host).router().unwrap();
    let list = Request::get("/Region").body(axum::body::Body::empty()).unwrap();
    assert_eq!(api.oneshot(list).await.unwrap().status(), 500);
    let logged = events.take_text();
    assert!(logged.contains("a request has failed: `PrincipalProvider` panicked"), "{logged}");
}
