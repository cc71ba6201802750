//! Many tasks at once.

use std::time::Duration;

use isogloss::session::RetryOptions;
use isogloss::{OrmContext, OrmError, Session};

use crate::place::each;
use crate::{Bank, Outcome, catalog, create};

const TASKS: i32 = 64;
const ACCOUNTS: i32 = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn tasks_lose_and_duplicate_nothing() -> Outcome {
    each("tasks", async |place| {
        let context = OrmContext::new(catalog());
        context.add_data_source(place.source("main", 0).max_pool_size(8).pool_size(4), true)?;
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
