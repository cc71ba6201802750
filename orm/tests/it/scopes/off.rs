//! What switches a filter off, and what cannot.

use isogloss::dao::ObjectViewDao;
use isogloss::expr::SqlSegment;
use isogloss::prelude::*;
use isogloss::session::Purpose;
use isogloss::{Buffers, ExprString, Request, Scope, json};
use isogloss_testkit::events;
use tracing::Level;

use crate::support::stop::Stop;

use super::{A, Customer, Order, Two, count, each_two, ids, last, order, tenant};

/// A tenant's small orders.
fn small() -> Scope {
    tenant(A).filter::<Order>(expr!(|o: Order| o.total < 30)).named("small")
}

#[tokio::test]
async fn b2_22_one_filter_is_off_at_one_node() {
    each_two(async |two| {
        let session = two.all.context().create_session().unwrap().scoped(&small()).unwrap();
        assert_eq!(ids(&session, ()).await, [1, 2]);
        let any = || SqlSegment::from(table("Order").without_filter("small", "the largest are asked for"));
        // The tenant stays.
        assert_eq!(ids(&session, any()).await, [1, 2, 3, 4]);
        // What is off inside is not off outside, nor the other way.
        let inside = prop("Id").in_list(any().select(["Id"]));
        assert_eq!(ids(&session, inside).await, [1, 2]);
        let outside = any().filter(prop("Id").in_list(from("Order").select(["Id"])));
        assert_eq!(ids(&session, outside).await, [1, 2]);
        // A name that is not there switches nothing off.
        let other = SqlSegment::from(table("Order").without_filter("large", "a mistake"));
        assert_eq!(ids(&session, other).await, [1, 2]);

        let lease = session.lease(None, Purpose::Read).await.unwrap();
        let (query, scope) = (any().select(["Id"]).into_segment(), small());
        let compiled =
            lease.target().compile_with(&query, &Request::default().scope(&scope), Buffers::default()).unwrap();
        let told: Vec<(&str, Option<&str>)> =
            compiled.filters.iter().map(|filter| (filter.filter.as_str(), filter.off.as_deref())).collect();
        assert_eq!(told, [("tenant", None), ("small", Some("the largest are asked for"))]);
    })
    .await;
}

#[tokio::test]
async fn b2_22_what_is_off_is_logged_with_its_reason() {
    each_two(async |two| {
        let session = two.all.context().create_session().unwrap().scoped(&small()).unwrap();
        let (heard, _listens) = events::capture("isogloss", Level::INFO);
        ids(&session, ()).await;
        assert_eq!(heard.take_text(), "");
        ids(&session, SqlSegment::from(table("Order").without_filter("small", "a listing"))).await;
        let said = heard.take_text();
        assert!(
            said.contains("reason=a listing") && said.contains("filter=small") && said.contains("entity=Order"),
            "{said}"
        );
        drop(session.unscoped("the night's report"));
        assert!(heard.take_text().contains("the night's report"));
        // By a scope that says so, too.
        drop(two.all.context().create_session().unwrap().scoped(&Scope::unscoped("the day's report")).unwrap());
        assert!(heard.take_text().contains("the day's report"));
    })
    .await;
}

#[tokio::test]
async fn b2_23_off_ends_with_what_it_was_said_for() {
    each_two(async |two| {
        let Two { a, .. } = &two;
        let failed: Result<(), OrmError> = a
            .transaction(async |session: &Session| {
                assert_eq!(ids(session, ()).await.len(), 4);
                assert_eq!(ids(&session.unscoped("a look"), ()).await.len(), 7);
                assert_eq!(ids(session, ()).await.len(), 4);
                let wide = session.unscoped("a scope of its own");
                let inside = wide.transaction(async |wide: &Session| OrmResult::Ok(ids(wide, ()).await.len()));
                assert_eq!(inside.await?, 7);
                assert_eq!(ids(session, ()).await.len(), 4);
                wide.scope(async { assert_eq!(ids(&Session::current().unwrap(), ()).await.len(), 7) }).await;
                ObjectViewDao::<Order>::new(&session.unscoped("fails"))
                    .search(prop("Nothing").eq(1))
                    .all()
                    .await
                    .map(drop)
            })
            .await;
        assert!(matches!(failed, Err(OrmError::Compile(_))), "{failed:?}");
        assert_eq!(ids(a, ()).await.len(), 4);

        // What is given up in the middle leaves nothing behind.
        let stop = Stop::default();
        let given_up = async {
            let wide = a.unscoped("is given up");
            wide.scope(async {
                ids(&Session::current().unwrap(), ()).await;
                stop.here::<()>().await;
            })
            .await;
        };
        stop.is_reached_by(given_up).await;
        assert_eq!(ids(a, ()).await.len(), 4);

        // A scope in a scope is narrower.
        let big = Scope::new().filter::<Order>(expr!(|o: Order| o.total > 15));
        let inner = a.scoped(&big).unwrap();
        assert_eq!((ids(&inner, ()).await, ids(a, ()).await), (vec![2, 3, 4], vec![1, 2, 3, 4]));
        let other = a.scoped(&Scope::new().column("TenantId", super::B)).unwrap();
        assert_eq!(ids(&other, ()).await, [] as [i32; 0]);
        let wider = a.scoped(&Scope::unscoped("does not widen")).unwrap();
        assert_eq!(ids(&wider, ()).await, [1, 2, 3, 4]);
        assert_eq!(ids(&a.unscoped("a look").scoped(&tenant(A)).unwrap(), ()).await, [1, 2, 3, 4]);
    })
    .await;
}

/// Another entity over the orders' table, which does not say that it wants a scope.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "orders", columns = "snake_case")]
pub(crate) struct Twin {
    #[column(primary_key)]
    pub(crate) id: i32,
    pub(crate) tenant_id: Option<i32>,
    pub(crate) total: i32,
}

#[tokio::test]
async fn b2_24_no_json_turns_a_filter_off() {
    each_two(async |two| {
        let search = async |text: &str| -> Result<Vec<i32>, String> {
            let tree = json::from_str(text).map_err(|error| error.to_string())?;
            let found = ObjectViewDao::<Order>::new(&two.a).search_as::<i32>(tree).all().await;
            found.map_err(|error| error.to_string())
        };
        // What the JSON of a query is, with another table in it.
        let plain = json::to_string(&from("Order").select(["Id"]).into_segment());
        let of = |table: &str| plain.replace(&json::to_string(&from("Order")), table);
        let named = r#"{"$":"table","Type":"Order""#;
        for (table, answered) in [
            (format!("{named}}}"), true),
            (r#"{"$":"table","Type":"Twin"}"#.to_owned(), false),
            (format!(r#"{named},"Alias":"tenant"}}"#), true),
            (format!(r#"{named},"Alias":"T0 WHERE 1 = 1 --"}}"#), false),
            (format!(r#"{named},"$scope":null}}"#), false),
            (format!(r#"{named},"Scope":"none"}}"#), false),
            (format!(r#"{named},"WithoutFilter":"tenant"}}"#), false),
            (format!(r#"{named},"FiltersOff":[{{"Name":"tenant","Reason":"please"}}]}}"#), false),
            (format!(r#"{named},"filters_off":[{{"name":"tenant","reason":"please"}}]}}"#), false),
        ] {
            let found = search(&of(&table)).await;
            assert_eq!(found.is_ok(), answered, "{table}: {found:?}");
            if let Ok(mut ids) = found {
                ids.sort_unstable();
                assert_eq!(ids, [1, 2, 3, 4], "{table}");
            }
        }
        // Neither does a table that is written by another name.
        assert_eq!(count::<Twin>(&two.a).await, 4);
        let fresh = two.all.context().create_session().unwrap();
        let error = ObjectViewDao::<Twin>::new(&fresh).count(()).await.unwrap_err();
        assert!(matches!(error, OrmError::NoScope { .. }), "{error}");
        // A tree with a switch has no JSON.
        let tree = SqlSegment::from(table("Order").without_filter("tenant", "a test"));
        assert!(!json::to_string(&tree).contains("tenant"));
    })
    .await;
}

#[tokio::test]
async fn b2_25_a_text_of_the_programs_holds_the_scope_or_is_refused() {
    each_two(async |two| {
        let views = |session: &Session| ObjectViewDao::<Order>::new(session);
        let found = async |session: &Session, text: ExprString| {
            let mut ids = views(session).search_as::<i32>(text).all().await?;
            ids.sort_unstable();
            OrmResult::Ok(ids)
        };
        let ten = 10;
        let whole = || sql!("SELECT [id] FROM [orders] WHERE [total] >= {ten}");
        let table = || sql!("SELECT [T0].[id] FROM {Table} [T0] WHERE [T0].[total] >= {ten}");
        let filter = || sql!("SELECT [T0].[id] FROM {Table} [T0] WHERE {FixedFilter} AND [T0].[total] >= {ten}");
        let source = || sql!("SELECT [T0].[id] FROM {From} WHERE [T0].[total] >= {ten}");
        for refused in [whole(), table()] {
            let error = found(&two.a, refused).await.unwrap_err();
            assert!(matches!(error.kind(), Some(isogloss::driver::ErrorKind::Compile)), "{error}");
        }
        for bound in [filter(), source()] {
            assert_eq!(found(&two.a, bound.clone()).await.unwrap(), [1, 2, 3, 4], "{}", last(&two.a));
            assert_eq!(found(&two.b, bound).await.unwrap(), [5, 6, 7]);
        }
        let free = two.a.unscoped("a text of the program's");
        for text in [whole(), table(), filter(), source()] {
            assert_eq!(found(&free, text).await.unwrap(), [1, 2, 3, 4, 5, 6, 7]);
        }
        // Within a tree that a template holds, tables have their conditions.
        let within = sql!(
            "SELECT [T0].[id] FROM {From} WHERE {filter}",
            filter = prop("BuyerId").in_list(from("Customer").select(["Id"]))
        );
        assert_eq!(found(&two.a, within).await.unwrap(), [1, 2]);
        // Without a scope they are refused as well.
        let fresh = two.all.context().create_session().unwrap();
        assert!(matches!(found(&fresh, source()).await, Err(OrmError::NoScope { .. })));
        assert_eq!(count::<Customer>(&two.a).await, 2);
        assert_eq!(two.orders().await[0], order(A, 1, Some(1), Some(2), 10));
    })
    .await;
}
