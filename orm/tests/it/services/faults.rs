//! What goes wrong around services.

use isogloss::config::DataSourceConfig;
use isogloss::driver::TransactionOptions;
use isogloss::prelude::*;
use isogloss::service::{Change, EntityEvents, EntityService, EventContext, ServiceError, async_trait};
use isogloss::session::SessionError;
use isogloss::{OrmContext, OrmError};

use crate::services::tape::{Log, Tape};
use crate::services::{Audit, Doc, Item, each, item};

/// Two that write what the other listens to.
struct Mirror;

#[async_trait]
impl EntityEvents<Item> for Mirror {
    async fn on_inserted(&self, item: &Item, event: &EventContext) -> OrmResult<()> {
        let audits = EntityService::<Audit>::new(event.session());
        audits.insert(&mut Audit { id: 0, text: format!("{}!", item.name) }).await.map(drop)
    }

    async fn on_committed(&self, change: &Change<Item>, event: &EventContext) -> OrmResult<()> {
        let Change::Updated(item) = change else { return Ok(()) };
        let mut item = Item { price: item.price + 1, ..item.clone() };
        EntityService::<Item>::new(event.session()).update(&mut item).await.map(drop)
    }
}

#[async_trait]
impl EntityEvents<Audit> for Mirror {
    async fn on_inserted(&self, audit: &Audit, event: &EventContext) -> OrmResult<()> {
        let name = format!("{}?", audit.text);
        EntityService::<Item>::new(event.session()).insert(&mut item(&name, 1)).await.map(drop)
    }
}

/// Writes a given number of items, each inside of the one before.
struct Deep(usize);

#[async_trait]
impl EntityEvents<Item> for Deep {
    async fn on_inserted(&self, item: &Item, event: &EventContext) -> OrmResult<()> {
        if item.name.len() < self.0 {
            let mut next = crate::services::item(&format!("{}x", item.name), 1);
            EntityService::<Item>::new(event.session()).insert(&mut next).await?;
        }
        Ok(())
    }
}

#[tokio::test]
async fn faults_writing_without_end_names_the_cycle() {
    let builder = || Orm::builder().entity_events::<Item, _>(|_| Ok(Mirror)).entity_events::<Audit, _>(|_| Ok(Mirror));
    each(builder, async |context: OrmContext| {
        let session = context.create_session().unwrap();
        let items = EntityService::<Item>::new(&session);
        let error = items.insert(&mut item("a", 1)).await.unwrap_err();
        let OrmError::Service(error) = error else { panic!("{error}") };
        assert!(matches!(&*error, ServiceError::Cycle { chain } if chain == "Item -> Audit -> Item"), "{error}");
        assert_eq!((items.count(()).await.unwrap(), session.depth()), (0, 0));
    })
    .await;
}

#[tokio::test]
async fn faults_eight_may_stand_inside_of_each_other() {
    for (depth, fits) in [(8, true), (9, false)] {
        let builder = || Orm::builder().entity_events::<Item, _>(move |_| Ok(Deep(depth)));
        each(builder, async |context: OrmContext| {
            let items = EntityService::<Item>::new(&context.create_session().unwrap());
            assert_eq!(items.insert(&mut item("x", 1)).await.is_ok(), fits);
            assert_eq!(items.count(()).await.unwrap(), if fits { 8 } else { 0 });
        })
        .await;
    }
}

/// Behind the end of each transaction the next one begins: that is no reason not to count.
#[tokio::test]
async fn faults_writing_without_end_behind_the_end() {
    let builder = || Orm::builder().entity_events::<Item, _>(|_| Ok(Mirror));
    each(builder, async |context: OrmContext| {
        let session = context.create_session().unwrap();
        let items = EntityService::<Item>::new(&session);
        let mut saw = item("saw", 0);
        isogloss::dao::ObjectDao::<Item>::new(&session).insert(&mut saw).await.unwrap();
        assert!(items.update(&mut saw).await.unwrap());
        assert_eq!(items.get_object(saw.id).await.unwrap().unwrap().price, 7);
    })
    .await;
}

#[tokio::test]
async fn faults_a_transaction_that_cannot_begin() {
    let log = Log::default();
    let builder = || {
        let tape = Tape::new("", &log);
        Orm::builder().entity_events::<Item, _>(move |_| Ok(tape.clone()))
    };
    // Nobody answers.
    let context = builder().catalog(crate::services::catalog()).build().await.unwrap();
    let nowhere = std::env::temp_dir().join("isogloss_no_such_folder").join("none.db");
    context.add_data_source(DataSourceConfig::new("main", "sqlite", nowhere.display().to_string())).unwrap();
    let items = EntityService::<Item>::new(&context.create_session().unwrap());
    let error = items.insert(&mut item("a", 1)).await.unwrap_err();
    assert!(matches!(error, OrmError::Driver { .. }), "{error}");
    assert_eq!((log.take(), items.session().depth()), (vec!["inserting a".to_owned()], 0));

    each(builder, async |context: OrmContext| {
        let session = context.create_session().unwrap();
        let items = EntityService::<Item>::new(&session);
        // The session is at work elsewhere: its transaction was ended beside the closure.
        let error = session.transaction(async |tx: &Session| {
            tx.rollback().await?;
            items.insert(&mut item("a", 1)).await
        });
        assert!(matches!(error.await, Err(OrmError::Session(SessionError::Overlap))));
        session.begin(&TransactionOptions::default()).await.unwrap();
        session.rollback().await.unwrap();
        assert_eq!(log.take(), [""; 0]);
        // The context is closed.
        context.close();
        let error = items.insert(&mut item("a", 1)).await.unwrap_err();
        assert!(matches!(error, OrmError::Session(SessionError::Closed)), "{error}");
        assert_eq!(log.take(), [""; 0]);
    })
    .await;
}

/// The transaction has failed for the engine: PostgreSQL takes nothing more, and the others go on.
#[tokio::test]
async fn faults_a_statement_that_fails_leaves_the_transaction_usable() {
    let log = Log::default();
    let builder = || {
        let tape = Tape::new("", &log);
        Orm::builder().entity_events::<Doc, _>(move |_| Ok(tape.clone()))
    };
    each(builder, async |context: OrmContext| {
        let session = context.create_session().unwrap();
        let docs = EntityService::<Doc>::new(&session);
        let done = session.transaction(async |_: &Session| {
            let mut doc = Doc { id: 1, ..Doc::default() };
            docs.insert(&mut doc).await?;
            assert!(docs.insert(&mut doc.clone()).await.unwrap_err().is_unique_violation());
            assert!(docs.batch_insert(&mut [doc.clone()]).await.unwrap_err().is_unique_violation());
            docs.insert(&mut Doc { id: 2, ..Doc::default() }).await
        });
        assert!(done.await.unwrap());
        assert_eq!(docs.count(()).await.unwrap(), 2);
        let told: Vec<String> = log.take().into_iter().filter(|line| line.contains(": ")).collect();
        assert_eq!(told, ["committed: inserted 1", "committed: inserted 2"]);
    })
    .await;
}
