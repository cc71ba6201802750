//! Which writes the rules open, and rows that clients cannot complete.

use axum::Router;
use isogloss::config::DataSourceConfig;
use isogloss::entity::Linked as _;
use isogloss::model::Catalog;
use isogloss::prelude::*;
use isogloss_testkit::events;
use isogloss_web::{Controllers, EntityController as _, Host, MountError, Rules};

use crate::support::{Answer, Plain, send};

/// An account, of which its owner may change the phone number.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "accounts", columns = "snake_case")]
struct Account {
    #[column(primary_key, identity)]
    id: i64,
    #[column(length = 40, writable)]
    phone: String,
    #[column(length = 40)]
    email: Option<String>,
}

/// A row that needs more than clients set.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "members", columns = "snake_case", fixed_filter = prop("Kind").eq(1))]
struct Member {
    #[column(primary_key, identity)]
    id: i64,
    kind: i32,
    tenant_id: i64,
    #[column(length = 40, writable)]
    phone: String,
    #[column(length = 40)]
    email: String,
    #[column(length = 40, not_filterable)]
    password_hash: String,
    #[column(length = 9, default = "'new'")]
    state: String,
    note: Option<String>,
    #[column(soft_delete, not_filterable)]
    is_deleted: bool,
    #[column(timestamp)]
    version: i64,
}

fn context() -> OrmContext {
    events::install();
    let context = OrmContext::new(Catalog::builder().entity::<Account>().entity::<Member>().build().unwrap());
    context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true)).unwrap();
    context
}

/// A controller with types, and a generated one.
fn both<T>(host: impl Fn() -> Host, name: &str, rules: &Rules) -> [Router; 2]
where
    T: isogloss::entity::Table + isogloss::entity::View<Of = T> + Clone + Default,
{
    let generated = Controllers::of(host()).only([name]).rules(name, rules.clone()).router().unwrap();
    [Plain::<T>::by(rules.clone()).router(&host()).unwrap(), generated]
}

#[tokio::test]
async fn a_writable_column_alone_opens_no_write() {
    let only = |verbs: [bool; 3]| {
        let rules = Rules::new();
        let rules = if verbs[0] { rules.allow_insert() } else { rules };
        let rules = if verbs[1] { rules.allow_update() } else { rules };
        if verbs[2] { rules.allow_delete() } else { rules }
    };
    for (rules, opens) in [
        (Rules::new(), [false; 3]),
        (only([true, false, false]), [true, false, false]),
        (only([false, true, false]), [false, true, false]),
        (only([false, false, true]), [false, false, true]),
        (Rules::new().allow_writes(), [true; 3]),
        (Rules::new().allow_writes().read_only(), [false; 3]),
    ] {
        let context = context();
        for api in both::<Account>(|| Host::new(&context), "Account", &rules) {
            let session = context.create_session().unwrap();
            let mut account = Account { phone: "1".into(), ..Account::default() };
            ObjectDao::new(&session).insert(&mut account).await.unwrap();
            let put = format!(r#"{{"id":{},"phone":"2"}}"#, account.id);
            let delete = format!("DELETE /Account/{}", account.id);
            let all = ["GET", "HEAD"].into_iter().chain(opens[0].then_some("POST")).chain(opens[1].then_some("PUT"));
            let one = ["GET", "HEAD"].into_iter().chain(opens[2].then_some("DELETE"));
            let (all, one) = (all.collect::<Vec<_>>().join(", "), one.collect::<Vec<_>>().join(", "));
            for (request, body, is_open, allow) in [
                ("PUT /Account", Some(&*put), opens[1], &all),
                ("POST /Account", Some(r#"{"phone":"3"}"#), opens[0], &all),
                (&*delete, None, opens[2], &one),
            ] {
                let answer = send(&api, request, body).await;
                let expected = if is_open { (200, "") } else { (405, allow.as_str()) };
                assert_eq!((answer.status.as_u16(), answer.header("allow")), expected, "{request} {rules:?}");
            }
            let left = ObjectViewDao::<Account>::new(&session).get(account.id).await.unwrap();
            let phone = left.map(|account| account.phone);
            assert_eq!(phone.as_deref(), (!opens[2]).then_some(if opens[1] { "2" } else { "1" }));
        }
    }
}

fn told(answer: &Answer) -> Vec<String> {
    let errors = answer.at("/errors");
    let errors = errors.as_array().into_iter().flatten();
    errors.map(|error| format!("{} {}", error["field"], error["code"]).replace('"', "")).collect()
}

#[tokio::test]
async fn a_row_that_lacks_a_required_column_is_not_inserted() {
    let context = context();
    let tenant = || Host::new(&context).scope(|_, _| Ok(Scope::new().column("TenantId", 7)));
    let nobody = || Host::new(&context);
    let rules = Rules::new().allow_writes();
    let body = r#"{"phone":"1"}"#;
    for (host, filled, expected) in [
        // What the scope, a default, the version and the fixed filter give is not missed; a hidden column is not named.
        (&tenant as &dyn Fn() -> Host, &[][..], (422, &["email required"][..])),
        (&nobody, &[], (422, &["tenantId required", "email required"])),
        (&tenant, &["Email"], (422, &[])),
        (&tenant, &["Email", "PasswordHash"], (200, &[])),
    ] {
        for api in both::<Member>(host, "Member", &rules.clone().filled(filled.iter().copied())) {
            let (events, _guard) = events::capture("isogloss::web", tracing::Level::ERROR);
            for _ in 0..2 {
                let answer = send(&api, "POST /Member", body).await;
                assert_eq!(
                    (answer.status.as_u16(), told(&answer)),
                    (expected.0, expected.1.iter().map(|text| (*text).to_owned()).collect()),
                    "{filled:?} {answer:?}"
                );
                assert!(!answer.text.contains("asswordHash"), "{answer:?}");
            }
            let log = events.take_messages();
            assert_eq!(log.len(), usize::from(expected.0 == 422), "{log:?}");
            assert!(log.iter().all(|line| line.contains("PasswordHash") && line.contains("Rules::filled")), "{log:?}");
        }
    }
    let session = context.create_session().unwrap();
    let stored = ObjectViewDao::<Member>::new(&session).search(()).all().await.unwrap();
    assert!(stored.iter().all(|member| member.tenant_id == 7), "{stored:?}");
    assert_eq!(stored.len(), 4);
}

#[test]
fn a_filled_column_is_one_of_the_entity() {
    let error = Plain::<Account>::by(Rules::new().filled(["Emial"])).router(&Host::new(&context())).unwrap_err();
    let expected = MountError::UnknownColumn { entity: "Account".into(), column: "Emial".into() };
    assert_eq!(error, expected);
    assert_eq!(error.to_string(), "`Rules::filled` names `Emial`, and `Account` has no column of that name");
}
