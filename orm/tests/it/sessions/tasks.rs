//! Many tasks at once.

use std::time::Duration;

use futures_util::StreamExt as _;
use isogloss::driver::TransactionOptions;
use isogloss::prelude::*;
use isogloss::session::{Purpose, RetryOptions};
use isogloss::{OrmContext, OrmError, Session};

use crate::sessions::place::each;
use crate::sessions::{Bank, Outcome, catalog, create};
use crate::support::clock::skip;

const TASKS: i32 = 64;
const ACCOUNTS: i32 = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn tasks_lose_and_duplicate_nothing() -> Outcome {
    each("tasks", async |place| {
        let context = OrmContext::new(catalog());
        context.add_data_source(place.source("main", 0).max_pool_size(8).pool_size(4))?;
        create(&context, "main").await?;
        let session = context.create_session()?;
        for id in 0..ACCOUNTS {
            Bank(&session, None).open(id, 1000).await?;
        }
        let tasks = (0..TASKS).map(|task| {
            let context = context.clone();
            tokio::spawn(async move {
                let session = context.create_session()?;
                let mut moved = 0;
                for round in 0..5 {
                    let (from, to) = ((task + round) % ACCOUNTS, (task * 3 + round + 1) % ACCOUNTS);
                    let gives_up = (task + round) % 5 == 0;
                    // Each waits for the others: those that got in each other's way are run again.
                    let options =
                        RetryOptions::attempts(50).pauses(Duration::from_millis(2), Duration::from_millis(50));
                    let done: Result<(), Box<dyn std::error::Error + Send + Sync>> = session
                        .transaction_with(options, async |tx: &Session| {
                            let bank = Bank(tx, None);
                            // In one order mostly, as deadlocks take an engine a second to find; but not always.
                            let mut steps = [(from, -1), (to, 1)];
                            if task % 16 > 0 {
                                steps.sort_unstable();
                            }
                            for (account, money) in steps {
                                bank.add(account, money).await?;
                            }
                            bank.open(1000 + task * 10 + round, 0).await?;
                            if gives_up { Err("no".into()) } else { Ok(()) }
                        })
                        .await;
                    match done {
                        Ok(()) => moved += 1,
                        Err(error) if gives_up && error.to_string() == "no" => {}
                        Err(error) => return Err(error),
                    }
                }
                Outcome::Ok(moved)
            })
        });
        let mut moved = 0_i64;
        for task in tasks.collect::<Vec<_>>() {
            moved += task.await??;
        }
        let (accounts, money) = Bank(&session, None).total().await?;
        assert_eq!((accounts - i64::from(ACCOUNTS), money), (moved, i64::from(ACCOUNTS) * 1000));
        assert_eq!(moved, i64::from(TASKS) * 4);
        let status = context.data_source(None)?.backend().await?.status();
        assert!(status.open <= 8 && status.open == status.idle, "{status:?}");
        Ok(())
    })
    .await
}

/// One session in many tasks: they take turns.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_session_is_shared_by_tasks_of_one_unit() -> Outcome {
    each("shared", async |place| {
        let context = place.context().await?;
        let session = context.create_session()?;
        session
            .transaction(async |tx: &Session| {
                let tasks: Vec<_> = (0..16)
                    .map(|id| {
                        let tx = tx.clone();
                        tokio::spawn(async move { Bank(&tx, None).open(id, 1).await })
                    })
                    .collect();
                for task in tasks {
                    task.await.map_err(|lost| {
                        isogloss::driver::Error::new(isogloss::driver::ErrorKind::Other, lost.to_string())
                    })??;
                }
                Ok::<_, OrmError>(())
            })
            .await?;
        assert_eq!(Bank(&session, None).total().await?, (16, 16));
        Ok(())
    })
    .await
}

/// Reads all accounts in a task, which has the first of them at once, and the others after a second and a half.
async fn reads_slowly(session: &Session) -> Outcome<tokio::task::JoinHandle<usize>> {
    let lease = session.lease(None, Purpose::Read).await?;
    let statement = lease.target().compile(&from("Account").select(["Id"]).into_segment())?.into_owned();
    let mut rows = Box::pin(lease.into_stream::<(i64,)>(statement));
    rows.next().await.ok_or("a row")??;
    Ok(tokio::spawn(async move {
        skip(Duration::from_millis(1_500)).await;
        rows.count().await + 1
    }))
}

/// A stream that comes to its end in another task takes nothing back.
#[tokio::test]
async fn the_end_of_a_transaction_waits_for_a_stream_in_it() -> Outcome {
    each("ending", async |place| {
        let context = place.context().await?;
        let session = context.create_session()?;
        let fill = async |tx: &Session| {
            for id in 0..2_000 {
                Bank(tx, None).open(id, 1).await?;
            }
            Outcome::Ok(())
        };
        session.transaction(fill).await?;
        let reader = session.transaction(async |tx: &Session| {
            Bank(tx, None).open(2_000, 1).await?;
            reads_slowly(tx).await
        });
        assert_eq!(reader.await?.await?, 2_001);
        assert_eq!(Bank(&session, None).money(2_000).await?, Some(1));

        for commits in [true, false] {
            session.begin(&TransactionOptions::default()).await?;
            Bank(&session, None).open(if commits { 3_000 } else { 4_000 }, 1).await?;
            let reader = reads_slowly(&session).await?;
            if commits {
                session.commit().await?
            } else {
                session.rollback().await?
            }
            assert!(reader.await? > 2_000);
        }
        assert_eq!(
            (Bank(&session, None).money(3_000).await?, Bank(&session, None).money(4_000).await?),
            (Some(1), None)
        );
        Ok(())
    })
    .await
}
