//! Many at once.

use isogloss::prelude::*;
use isogloss::service::{Change, EntityEvents, EntityOperation, EntityService, EventContext, async_trait};
use isogloss::session::{RetryOptions, SessionError};
use isogloss::{OrmContext, OrmError};

use crate::services::tape::Log;
use crate::services::{Audit, Item, each, item};

/// How many tasks there are.
const TASKS: i32 = 64;

/// Writes an audit inside of the transaction, and tells behind its end what has become of it.
struct Busy(Log);

#[async_trait]
impl EntityEvents<Item> for Busy {
    async fn on_inserted(&self, item: &Item, event: &EventContext) -> OrmResult<()> {
        let audits = EntityService::<Audit>::new(event.session());
        audits.insert(&mut Audit { id: 0, text: item.name.clone() }).await.map(drop)
    }

    async fn on_committed(&self, change: &Change<Item>, _: &EventContext) -> OrmResult<()> {
        if let Change::Inserted(item) = change {
            self.0.add(format!("committed {}", item.name));
        }
        Ok(())
    }

    async fn on_rolled_back(&self, change: &Change<Item>, _: &EventContext) -> OrmResult<()> {
        if let Change::Inserted(item) = change {
            self.0.add(format!("rolled back {}", item.name));
        }
        Ok(())
    }
}

/// What one task does: an item that is kept, one in a savepoint that is taken back, and a batch; each third fails as a whole.
async fn work(context: OrmContext, n: i32) -> OrmResult<()> {
    let session = context.create_session()?;
    let items = EntityService::<Item>::new(&session);
    let items = &items;
    let once = async |tx: &Session| {
        items.insert(&mut item(&format!("kept {n}"), n)).await?;
        let back = async |_: &Session| {
            items.insert(&mut item(&format!("back {n}"), n)).await?;
            Err::<(), OrmError>(SessionError::NoCurrent.into())
        };
        match tx.transaction(back).await {
            Err(OrmError::Session(SessionError::NoCurrent)) => {}
            other => other?,
        }
        let mut batch = [
            EntityOperation::insert(item(&format!("first {n}"), n)),
            EntityOperation::insert(item(&format!("last {n}"), n)),
        ];
        items.batch(&mut batch).await?;
        if n % 3 == 0 { Err(SessionError::NoCurrent.into()) } else { OrmResult::Ok(()) }
    };
    match session.transaction_with(RetryOptions::attempts(20), once).await {
        Err(OrmError::Session(SessionError::NoCurrent)) if n % 3 == 0 => Ok(()),
        other => other,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn tasks_share_nothing_by_mistake() {
    let log = Log::default();
    let builder = || {
        let log = log.clone();
        Orm::builder().entity_events::<Item, _>(move |_| Ok(Busy(log.clone())))
    };
    each(builder, async |context: OrmContext| {
        let tasks: Vec<_> = (0..TASKS).map(|n| tokio::spawn(work(context.clone(), n))).collect();
        for task in tasks {
            task.await.unwrap().unwrap();
        }
        let session = context.create_session().unwrap();
        let mut names: Vec<String> =
            EntityService::<Item>::new(&session).search_as(from("Item").select(["Name"])).await.unwrap();
        let mut audits: Vec<String> =
            EntityService::<Audit>::new(&session).search_as(from("Audit").select(["Text"])).await.unwrap();
        let mut wanted: Vec<String> = (0..TASKS)
            .filter(|n| n % 3 != 0)
            .flat_map(|n| ["kept", "first", "last"].map(|what| format!("{what} {n}")))
            .collect();
        for list in [&mut names, &mut audits, &mut wanted] {
            list.sort();
        }
        assert_eq!(names, wanted);
        assert_eq!(audits, wanted);
        // What was told is what is there, whatever was run again.
        let told = log.take();
        let mut committed: Vec<&str> = told.iter().filter_map(|line| line.strip_prefix("committed ")).collect();
        committed.sort_unstable();
        assert_eq!(committed, wanted);
        for n in 0..TASKS {
            assert!(told.contains(&format!("rolled back back {n}")), "{n}");
        }
    })
    .await;
}
