//! What is told behind the end of a transaction.

use isogloss::OrmContext;
use isogloss::config::DataSourceConfig;
use isogloss::driver::ErrorKind;
use isogloss::prelude::*;
use isogloss::service::{Change, EntityEvents, EntityService, EventContext, async_trait};
use isogloss::session::SessionError;

use crate::services::tape::{Answer, Log, Tape};
use crate::services::{Audit, Item, each, item};
use crate::support::scripted::{Call, Fault, Servers};
use crate::support::stop::Stop;

fn unwilling() -> isogloss::OrmError {
    SessionError::NoCurrent.into()
}

#[tokio::test]
async fn ended_changes_are_told_when_the_outermost_transaction_is() {
    let log = Log::default();
    let builder = || {
        let tape = Tape::new("", &log);
        Orm::builder().entity_events::<Item, _>(move |_| Ok(tape.clone()))
    };
    each(builder, async |context: OrmContext| {
        let session = context.create_session().unwrap();
        let items = EntityService::<Item>::new(&session);
        let done = session.transaction(async |tx: &Session| {
            items.insert(&mut item("first", 1)).await?;
            let back = tx.transaction(async |_: &Session| {
                items.insert(&mut item("back", 1)).await?;
                Err::<(), _>(unwilling())
            });
            back.await.unwrap_err();
            items.insert(&mut item("last", 1)).await?;
            assert!(!log.take().iter().any(|line| line.contains(": ")));
            OrmResult::Ok(())
        });
        done.await.unwrap();
        assert_eq!(log.take(), ["committed: inserted first", "rolled back: inserted back", "committed: inserted last"]);
        let failed = session.transaction(async |_: &Session| {
            items.insert(&mut item("x", 1)).await?;
            Err::<(), _>(unwilling())
        });
        failed.await.unwrap_err();
        assert_eq!(log.take(), ["inserting x", "inserted x", "rolled back: inserted x"]);
        // A future that is given up tells it with the session's next operation.
        let stop = Stop::default();
        let waits = session.transaction(async |_: &Session| {
            items.insert(&mut item("y", 1)).await?;
            stop.here::<OrmResult<()>>().await
        });
        stop.is_reached_by(waits).await;
        assert_eq!(items.count(()).await.unwrap(), 2);
        assert_eq!(log.take(), ["inserting y", "inserted y", "rolled back: inserted y"]);
    })
    .await;
}

/// The COMMIT is done and not answered, or refused: who listens hears which.
#[tokio::test]
async fn ended_an_unknown_outcome_is_told_as_such() {
    let (servers, log) = (Servers::new("services", 1), Log::default());
    let tape = Tape::new("", &log);
    let builder = Orm::builder().catalog(crate::services::catalog()).provider(servers.clone());
    let context = builder.entity_events::<Item, _>(move |_| Ok(tape.clone())).build().await.unwrap();
    context.add_data_source(DataSourceConfig::new("main", "scripted", "0")).unwrap();
    context.sync_table("Item", [""; 0]).await.unwrap();
    let session = context.create_session().unwrap();
    let items = EntityService::<Item>::new(&session);
    for (name, fault, told, there) in [
        ("done", Fault::Done(ErrorKind::ConnectionLost), "unknown", true),
        ("lost", Fault::Lost, "unknown", false),
        ("refused", Fault::Refused(ErrorKind::Other), "rolled back", false),
    ] {
        servers.all[0].fails(Call::Commit, 1, fault);
        let error = items.insert(&mut item(name, 1)).await.unwrap_err();
        servers.all[0].clear();
        assert_eq!(error.is_in_doubt(), told == "unknown", "{error}");
        assert_eq!(log.take()[2..], [format!("{told}: inserted {name}")]);
        assert_eq!(items.exists(Item::NAME.eq(name)).await.unwrap(), there);
    }
    context.close();
    servers.end();
}

#[tokio::test]
async fn ended_one_error_stops_nobody_and_undoes_nothing() {
    let log = Log::default();
    let builder = || {
        let first = Tape::new("1 ", &log).to("committed: inserted a", Answer::Fails);
        let second = Tape::new("2 ", &log).to("committed: inserted a", Answer::Panics);
        let third = Tape::new("3 ", &log);
        Orm::builder()
            .entity_events::<Item, _>(move |_| Ok(first.clone()))
            .entity_events::<Item, _>(move |_| Ok(second.clone()))
            .entity_events::<Item, _>(move |_| Ok(third.clone()))
    };
    each(builder, async |context: OrmContext| {
        let session = context.create_session().unwrap();
        let items = EntityService::<Item>::new(&session);
        assert_eq!(items.batch_insert(&mut [item("a", 1), item("b", 1)]).await.unwrap().written, 2);
        let told: Vec<String> = log.take().into_iter().filter(|line| line.contains("committed")).collect();
        let all = ["a", "b"].map(|name| [1, 2, 3].map(|tape| format!("{tape} committed: inserted {name}")));
        assert_eq!(told, all.concat());
        assert_eq!(items.count(()).await.unwrap(), 2);
        let errors: Vec<String> = session.take_hook_errors().iter().map(ToString::to_string).collect();
        assert!(
            matches!(&errors[..], [first, second] if first == "unwilling" && second.contains("panicked")),
            "{errors:?}"
        );
    })
    .await;
}

/// Writes an audit for each item that is committed, by the session that it is given.
struct Audits;

#[async_trait]
impl EntityEvents<Item> for Audits {
    async fn on_committed(&self, change: &Change<Item>, event: &EventContext) -> OrmResult<()> {
        let Change::Inserted(item) = change else { return Ok(()) };
        let session = event.session();
        assert!(Session::current()?.is(session) && !session.in_transaction());
        // It is there, for whoever reads.
        assert!(EntityService::<Item>::new(session).exists_id(item.id).await?);
        EntityService::<Audit>::new(session).insert(&mut Audit { id: 0, text: item.name.clone() }).await?;
        Ok(())
    }
}

#[tokio::test]
async fn ended_what_is_written_there_is_of_its_own() {
    let builder = || Orm::builder().entity_events::<Item, _>(|_| Ok(Audits));
    each(builder, async |context: OrmContext| {
        let session = context.create_session().unwrap();
        let (items, audits) = (EntityService::<Item>::new(&session), EntityService::<Audit>::new(&session));
        items.insert(&mut item("a", 1)).await.unwrap();
        let done = session.transaction(async |_: &Session| items.batch_insert(&mut [item("b", 1), item("c", 1)]).await);
        done.await.unwrap();
        let mut texts: Vec<String> = audits.search_as(from("Audit").select(["Text"])).await.unwrap();
        texts.sort();
        assert_eq!((texts, session.take_hook_errors().len()), (vec!["a".into(), "b".into(), "c".into()], 0));
    })
    .await;
}
