//! Transactions, savepoints, and what ends them.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures_util::{FutureExt, StreamExt};
use isogloss::config::DataSourceConfig;
use isogloss::driver::{ErrorKind, Isolation, TransactionOptions};
use isogloss::session::{Ending, Holder, Purpose, RetryOptions, SessionError};
use isogloss::{Orm, OrmContext, OrmError, Session};

use crate::sessions::place::{Engine, Place, each};
use crate::sessions::{Bank, Outcome, catalog, create, plain};
use crate::support::clock::skip;
use crate::support::stop::Stop;

#[tokio::test]
async fn a_transaction_is_all_or_nothing() -> Outcome {
    each("unit", async |place| {
        let context = place.context().await?;
        let session = context.create_session()?;
        let bank = Bank(&session, None);
        session.transaction(async |tx: &Session| Bank(tx, None).open(1, 100).await).await?;
        assert_eq!((bank.money(1).await?, session.depth()), (Some(100), 0));

        // An error takes it back, and is told. What a transaction has written it reads.
        let failed: Outcome = session
            .transaction(async |tx: &Session| {
                Bank(tx, None).open(2, 50).await?;
                assert_eq!(Bank(tx, Some("MAIN")).money(2).await?, Some(50));
                assert!(tx.in_transaction() && tx.is(&session));
                Err("on second thought".into())
            })
            .await;
        assert_eq!(failed.unwrap_err().to_string(), "on second thought");
        assert_eq!(bank.money(2).await?, None);

        // Errors of the engine have their kind and their place.
        let error = session.transaction(async |tx: &Session| Bank(tx, None).open(1, 1).await).await.unwrap_err();
        assert!(error.is_unique_violation() && !error.is_conflict(), "{error}");
        assert!(error.to_string().starts_with("data source `main`: unique violation"), "{error}");

        // By hand.
        session.begin(&TransactionOptions::default()).await?;
        bank.open(3, 1).await?;
        session.rollback().await?;
        session.begin(&TransactionOptions::default()).await?;
        bank.open(4, 1).await?;
        session.commit().await?;
        assert_eq!(bank.total().await?, (2, 101));
        for done in [session.commit().await, session.rollback().await] {
            assert!(matches!(done, Err(OrmError::Session(SessionError::NoTransaction))));
        }

        // An empty one asks no engine.
        session.transaction(async |_: &Session| Ok::<_, OrmError>(())).await?;

        // A session that is dropped takes its transaction back, and the next has a clean connection.
        let other = context.create_session()?;
        other.begin(&TransactionOptions::default()).await?;
        Bank(&other, None).open(5, 1).await?;
        drop(other);
        assert_eq!(bank.total().await?, (2, 101));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn what_is_inside_is_a_savepoint() -> Outcome {
    each("inside", async |place| {
        let context = place.context().await?;
        let session = context.create_session()?;
        session
            .transaction(async |tx: &Session| {
                let bank = Bank(tx, None);
                bank.open(1, 1).await?;
                let inner: Result<(), OrmError> = tx
                    .transaction(async |tx: &Session| {
                        Bank(tx, None).open(2, 2).await?;
                        assert_eq!(tx.depth(), 2);
                        // The other source comes in at the second level.
                        Bank(tx, Some("other")).open(2, 2).await?;
                        Bank(tx, None).open(1, 2).await.map(drop)
                    })
                    .await;
                assert!(inner.unwrap_err().is_unique_violation());
                assert_eq!(bank.total().await?, (1, 1));
                tx.transaction(async |tx: &Session| {
                    tx.transaction(async |tx: &Session| Bank(tx, None).open(3, 3).await).await?;
                    Bank(tx, Some("other")).open(3, 3).await
                })
                .await?;
                // A panic inside takes back what is inside.
                let panics = tx.transaction(async |tx: &Session| {
                    Bank(tx, None).open(4, 4).await?;
                    if tx.depth() == 2 {
                        panic!("no more");
                    }
                    Ok::<_, OrmError>(())
                });
                assert!(AssertUnwindSafe(panics).catch_unwind().await.is_err());
                assert_eq!((bank.total().await?, tx.depth()), ((2, 4), 1));

                let serious = TransactionOptions::default().isolation(Isolation::Serializable);
                let options = tx.begin(&serious).await.unwrap_err();
                assert_eq!(options.kind(), Some(ErrorKind::Configuration));
                Ok::<_, OrmError>(())
            })
            .await?;
        assert_eq!(Bank(&session, None).total().await?, (2, 4));
        assert_eq!(Bank(&session, Some("other")).total().await?, (1, 3));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn panics_and_dropped_futures_leave_nothing_open() -> Outcome {
    each("dropped", async |place| {
        let context = place.context().await?;
        let session = context.create_session()?;

        // A task that panics.
        let panics = session.clone();
        let task = tokio::spawn(async move {
            panics
                .transaction(async |tx: &Session| {
                    Bank(tx, None).open(1, 1).await?;
                    if tx.in_transaction() {
                        panic!("no more");
                    }
                    Ok::<_, OrmError>(())
                })
                .await
        });
        assert!(task.await.unwrap_err().is_panic());
        assert_eq!(session.depth(), 0);

        // A future that is dropped between statements, and one that is dropped in a savepoint.
        let stop = Stop::default();
        let waits = session.transaction(async |tx: &Session| {
            Bank(tx, None).open(2, 1).await?;
            stop.here::<Result<(), OrmError>>().await
        });
        stop.is_reached_by(waits).await;
        assert_eq!(session.depth(), 0);
        session
            .transaction(async |tx: &Session| {
                Bank(tx, None).open(3, 1).await?;
                let waits = tx.transaction(async |tx: &Session| {
                    Bank(tx, None).open(4, 1).await?;
                    stop.here::<Result<(), OrmError>>().await
                });
                stop.is_reached_by(waits).await;
                Bank(tx, None).open(5, 1).await
            })
            .await?;

        // One that is dropped while another task has the connection.
        let (holder, (has, had)) = (session.clone(), tokio::sync::oneshot::channel());
        let (go, goes) = tokio::sync::oneshot::channel::<()>();
        let held = session.transaction(async |tx: &Session| {
            Bank(tx, None).open(6, 1).await?;
            let task = tokio::spawn(async move {
                let lease = holder.lease(None, Purpose::Read).await;
                has.send(()).ok();
                goes.await.ok();
                drop(lease);
            });
            had.await.ok();
            stop.here::<()>().await;
            task.await.ok();
            Ok::<_, OrmError>(())
        });
        stop.is_reached_by(held).await;
        go.send(()).ok();

        // Whoever comes next has a clean connection, in this session and in others.
        let other = context.create_session()?;
        assert_eq!(Bank(&session, None).total().await?, (2, 2));
        assert_eq!(Bank(&other, None).total().await?, (2, 2));
        let status = context.data_source(None)?.backend().await?.status();
        assert_eq!(status.open, status.idle, "{status:?}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn several_sources_are_one_unit() -> Outcome {
    each("several", async |place| {
        let context = place.context().await?;
        let session = context.create_session()?;
        session
            .transaction(async |tx: &Session| {
                Bank(tx, None).open(1, 5).await?;
                Bank(tx, Some("other")).open(1, 7).await
            })
            .await?;
        let error: Result<(), OrmError> = session
            .transaction(async |tx: &Session| {
                Bank(tx, Some("other")).add(1, 100).await?;
                Bank(tx, None).add(1, 100).await?;
                Bank(tx, None).open(1, 5).await.map(drop)
            })
            .await;
        assert!(error.unwrap_err().is_unique_violation());
        assert_eq!(Bank(&session, None).total().await?, (1, 5));
        assert_eq!(Bank(&session, Some("other")).total().await?, (1, 7));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn how_it_ended_on_each_source_is_told() -> Outcome {
    each("endings", async |place| {
        let context = Orm::builder().catalog(catalog()).build().await?;
        context.add_data_source(place.source("first", 0))?;
        // What is wrong here is found at the commit.
        context.add_data_source(isogloss::config::DataSourceConfig::new("second", "sqlite", ":memory:"))?;
        context.add_data_source(place.source("third", 1))?;
        create(&context, "first").await?;
        create(&context, "third").await?;
        let session = context.create_session()?;
        let deferred = "CREATE TABLE a (id INTEGER PRIMARY KEY); \
                        CREATE TABLE b (a INTEGER REFERENCES a DEFERRABLE INITIALLY DEFERRED)";
        session.lease(Some("second"), Purpose::Write).await?.script(deferred).await?;

        let orphan = async |tx: &Session| {
            tx.lease(Some("second"), Purpose::Write).await?.execute(&plain("INSERT INTO b VALUES (7)")).await
        };
        let error = session
            .transaction(async |tx: &Session| {
                Bank(tx, None).open(1, 1).await?;
                orphan(tx).await?;
                Bank(tx, Some("third")).open(1, 1).await
            })
            .await
            .unwrap_err();
        assert!(error.to_string().contains("committed on `first`; failed on `second`: foreign key"), "{error}");
        assert!(error.to_string().ends_with("; rolled back on `third`"), "{error}");
        assert!(error.is_foreign_key_violation() && std::error::Error::source(&error).is_some());
        let OrmError::Session(SessionError::Commit(failed)) = &error else { panic!("{error:?}") };
        assert!(failed.is_partial());
        assert!(matches!(
            failed.outcomes().iter().map(|outcome| &outcome.ending).collect::<Vec<_>>()[..],
            [Ending::Committed, Ending::Failed(_), Ending::RolledBack]
        ));
        assert_eq!(Bank(&session, None).total().await?, (1, 1));
        assert_eq!(Bank(&session, Some("third")).total().await?, (0, 0));

        // Of one source, it is that source's error.
        let error = session.transaction(orphan).await.unwrap_err();
        assert!(matches!(error, OrmError::Driver { .. }) && error.is_foreign_key_violation(), "{error:?}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_transaction_that_lost_is_run_again() -> Outcome {
    each("again", async |place| {
        if !place.is_server() {
            return Ok(());
        }
        let context = place.context().await?;
        let session = context.create_session()?;
        Bank(&session, None).open(1, 0).await?;
        let serializable = TransactionOptions::default().isolation(Isolation::Serializable);

        // Both read, then both write what they have read and one: without the second attempt, one of them is lost.
        let barrier = std::sync::Arc::new(tokio::sync::Barrier::new(2));
        let mut tasks = Vec::new();
        for _ in 0..2 {
            let (context, barrier) = (context.clone(), barrier.clone());
            tasks.push(tokio::spawn(async move {
                let session = context.create_session()?;
                let attempts = AtomicU32::new(0);
                let options = RetryOptions::attempts(5).options(serializable);
                let done = session
                    .transaction_with(options, async |tx: &Session| {
                        let attempt = attempts.fetch_add(1, Ordering::Relaxed);
                        let bank = Bank(tx, None);
                        let money = bank.money(1).await?.unwrap_or_default();
                        if attempt == 0 {
                            barrier.wait().await;
                        }
                        bank.set(1, money + 1).await
                    })
                    .await;
                done.map(|_| attempts.into_inner())
            }));
        }
        let mut attempts = 0;
        for task in tasks {
            attempts += task.await??;
        }
        assert_eq!(Bank(&session, None).money(1).await?, Some(2));
        assert!(attempts >= 3, "nobody lost: {attempts}");

        // No more often than said, and not for what would fail again.
        let attempts = AtomicU32::new(0);
        let error = session
            .transaction_with(RetryOptions::attempts(4), async |tx: &Session| {
                attempts.fetch_add(1, Ordering::Relaxed);
                Bank(tx, None).open(1, 0).await
            })
            .await
            .unwrap_err();
        assert!(error.is_unique_violation() && attempts.into_inner() == 1);
        Ok(())
    })
    .await?;

    let place = Place { engine: Engine::Memory, name: String::new(), url: String::new() };
    let session = place.context().await?.create_session()?;
    let attempts = AtomicU32::new(0);
    let pauses = Duration::from_millis(1);
    let options = RetryOptions::attempts(4).pauses(pauses, pauses);
    let error: Result<(), OrmError> = session
        .transaction_with(options, async |_: &Session| {
            attempts.fetch_add(1, Ordering::Relaxed);
            Err(isogloss::driver::Error::new(ErrorKind::Deadlock, "always").into())
        })
        .await;
    assert!(error.unwrap_err().is_conflict() && attempts.into_inner() == 4);
    Ok(())
}

#[tokio::test]
async fn transactions_of_two_tasks_that_overlap_are_rolled_back() -> Outcome {
    each("overlap", async |place| {
        let context = place.context().await?;
        let session = context.create_session()?;
        let both = Arc::new(tokio::sync::Barrier::new(2));
        let (end, has_ended) = tokio::sync::oneshot::channel();
        let (one, meets) = (session.clone(), Arc::clone(&both));
        let first = tokio::spawn(async move {
            let first = one.transaction(async |tx: &Session| {
                Bank(tx, None).open(1, 1).await?;
                meets.wait().await;
                meets.wait().await;
                Ok::<_, OrmError>(())
            });
            let first = first.await;
            end.send(()).ok();
            first
        });
        let two = session.clone();
        let second = tokio::spawn(async move {
            both.wait().await;
            two.transaction(async |tx: &Session| {
                Bank(tx, None).open(2, 1).await?;
                both.wait().await;
                has_ended.await.ok();
                // Its transaction is over: nothing of it may be written by itself.
                let late = Bank(tx, None).open(3, 1).await;
                assert!(matches!(late, Err(OrmError::Session(SessionError::Overlap))), "{late:?}");
                let late = tx.transaction(async |tx: &Session| Bank(tx, None).open(4, 1).await).await;
                assert!(matches!(late, Err(OrmError::Session(SessionError::Overlap))), "{late:?}");
                Ok::<_, OrmError>(())
            })
            .await
        });
        let (first, second) = (first.await?, second.await?);
        assert!(matches!(first, Err(OrmError::Session(SessionError::Overlap))), "{first:?}");
        assert!(second.is_err(), "{second:?}");
        assert_eq!((Bank(&session, None).total().await?, session.depth()), ((0, 0), 0));
        Ok(())
    })
    .await
}

/// Also where no engine lets the first one wait, as a database in memory.
#[tokio::test]
async fn of_two_transactions_in_a_join_the_second_is_refused() -> Outcome {
    let both = async |context: &OrmContext| {
        let session = context.create_session()?;
        let add = async |id: i32| {
            session
                .transaction(async |tx: &Session| {
                    // One inside of another is a savepoint.
                    tx.transaction(async |tx: &Session| Bank(tx, None).open(id, 1).await).await?;
                    Bank(&session, None).open(id + 10, 1).await
                })
                .await
        };
        let (first, second) = tokio::join!(add(1), add(2));
        first?;
        assert!(matches!(second, Err(OrmError::Session(SessionError::Overlap))), "{second:?}");
        assert_eq!((Bank(&session, None).total().await?, session.depth()), ((2, 2), 0));
        add(3).await?;
        assert_eq!(Bank(&session, None).total().await?, (4, 4));
        Outcome::Ok(())
    };
    let memory = OrmContext::new(catalog());
    memory.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:"))?;
    create(&memory, "main").await?;
    both(&memory).await?;
    each("beside", async |place| both(&place.context().await?).await).await
}

#[tokio::test]
async fn the_last_statements_are_kept_without_values() -> Outcome {
    each("stack", async |place| {
        let context = place.context().await?;
        let session = context.create_session()?;
        for id in 0..12 {
            Bank(&session, None).open(id, 987_654).await?;
        }
        Bank(&session, None).money(3).await?;
        let stack = session.sql_stack();
        assert_eq!(stack.len(), 10);
        assert!(stack[0].starts_with("INSERT") && stack[9].starts_with("SELECT"), "{stack:?}");
        assert!(stack.iter().all(|sql| !sql.contains("987654")));
        session.clear_sql_stack();
        assert!(session.sql_stack().is_empty());

        let asked = Orm::builder().catalog(catalog()).stack_parameters().build().await?;
        asked.add_data_source(place.source("main", 0))?;
        if place.is_memory() {
            create(&asked, "main").await?;
        }
        let session = asked.create_session()?;
        Bank(&session, None).open(77, 987_654).await?;
        assert!(session.sql_stack()[0].contains("987654"), "{:?}", session.sql_stack());
        Ok(())
    })
    .await
}

/// What a closure has ended by itself has ended as it has ended it.
#[tokio::test]
async fn a_closure_may_commit_by_itself() -> Outcome {
    each("by_itself", async |place| {
        let context = place.context().await?;
        let session = context.create_session()?;
        session
            .transaction(async |tx: &Session| {
                Bank(tx, None).open(1, 1).await?;
                tx.commit().await
            })
            .await?;
        assert_eq!(Bank(&session, None).total().await?, (1, 1));
        // So does one in a savepoint, whose transaction is then committed around it.
        session
            .transaction(async |tx: &Session| {
                tx.transaction(async |tx: &Session| {
                    Bank(tx, None).open(2, 1).await?;
                    tx.commit().await
                })
                .await
            })
            .await?;
        assert_eq!(Bank(&session, None).total().await?, (2, 2));
        // What is taken back is not told to be done.
        let back = session
            .transaction(async |tx: &Session| {
                Bank(tx, None).open(3, 1).await?;
                tx.rollback().await
            })
            .await;
        assert!(matches!(back, Err(OrmError::Session(SessionError::RolledBack))), "{back:?}");
        assert_eq!((Bank(&session, None).total().await?, session.depth()), ((2, 2), 0));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_stream_may_own_its_connection() -> Outcome {
    each("stream", async |place| {
        let context = Orm::builder().catalog(catalog()).lease_wait(Duration::from_millis(50)).build().await?;
        context.add_data_source(place.source("main", 0))?;
        create(&context, "main").await?;
        let session = context.create_session()?;
        session
            .transaction(async |tx: &Session| {
                for id in 0..600 {
                    Bank(tx, None).open(id, 1).await?;
                }
                Ok::<_, OrmError>(())
            })
            .await?;
        let lease = session.lease(None, Purpose::Read).await?;
        let query = isogloss::prelude::from("Account").select(["Id", "Money"]).into_segment();
        let statement = lease.target().compile(&query)?.into_owned();
        let mut rows = lease.into_stream::<(i64, i64)>(statement.clone());
        let mut count = 0;
        while let Some(row) = rows.next().await {
            count += row?.1;
            if count == 300 && !place.is_memory() {
                // Meanwhile, the session goes on by another connection.
                assert_eq!(Bank(&session, None).money(7).await?, Some(1));
            }
        }
        assert_eq!(count, 600);
        // In a transaction there is one connection: the session says who has it, and does not wait for good.
        session
            .transaction(async |tx: &Session| {
                let lease = tx.lease(None, Purpose::Read).await?;
                let mut rows = lease.into_stream::<(i64, i64)>(statement.clone());
                assert!(matches!(rows.next().await, Some(Ok(_))));
                let busy = session.lease(None, Purpose::Write).await.map(drop).unwrap_err();
                assert_eq!(
                    busy.to_string(),
                    "a stream of the session has been under way for 50ms: end it first, or use a session for each task"
                );
                assert!(matches!(&busy, OrmError::Session(SessionError::Busy { holder: Holder::Stream, .. })));
                Ok::<_, OrmError>(())
            })
            .await?;
        // At its end the connection is free, even while the stream is there.
        assert_eq!(Bank(&session, None).money(7).await?, Some(1));
        drop(rows);

        // Given up in the middle, by a stream that borrows.
        let mut lease = session.lease(None, Purpose::Read).await?;
        let firsts = lease.stream::<(i64, i64)>(&statement).take(3).collect::<Vec<_>>().await;
        assert!(firsts.iter().all(Result::is_ok) && firsts.len() == 3);
        drop(lease);
        let wrong = session.lease(None, Purpose::Read).await?.into_stream::<(i64,)>(plain("SELECT no FROM such"));
        let wrong: Vec<_> = wrong.collect().await;
        assert!(matches!(&wrong[..], [Err(error)] if error.to_string().starts_with("data source `main`: ")));
        Ok(())
    })
    .await
}

/// Who holds a stream and asks for more hears it soon, and not when the wait for an operation is over.
#[tokio::test]
async fn what_waits_for_a_stream_soon_hears_it() -> Outcome {
    each("held", async |place| {
        let context = Orm::builder().catalog(catalog()).build().await?;
        context.add_data_source(place.source("main", 0).pool_size(1).max_pool_size(1))?;
        create(&context, "main").await?;
        let session = context.create_session()?;
        session
            .transaction(async |tx: &Session| {
                for id in 0..2_000 {
                    Bank(tx, None).open(id, 1).await?;
                }
                Ok::<_, OrmError>(())
            })
            .await?;
        let soon = async |what: &str| {
            // It has waited for so long as a stream is waited for.
            let waits = async {
                tokio::task::yield_now().await;
                skip(Duration::from_secs(1)).await;
            };
            let busy = tokio::join!(session.lease(None, Purpose::Read), waits).0.map(drop);
            let Err(OrmError::Session(SessionError::Busy { waited, holder: Holder::Stream })) = busy else {
                panic!("{what}: {busy:?}")
            };
            assert!(waited <= Duration::from_secs(1), "{what}: {waited:?}");
        };
        let query = isogloss::prelude::from("Account").select(["Id", "Money"]).into_segment();
        for purpose in [Purpose::Read, Purpose::Write] {
            let lease = session.lease(None, purpose).await?;
            let statement = lease.target().compile(&query)?.into_owned();
            let mut rows = lease.into_stream::<(i64, i64)>(statement.clone());
            assert!(matches!(rows.next().await, Some(Ok(_))));
            soon("outside of a transaction, where the pool has one connection").await;
            drop(rows);
            assert_eq!(Bank(&session, None).money(7).await?, Some(1));
            session
                .transaction(async |tx: &Session| {
                    let mut rows = tx.lease(None, purpose).await?.into_stream::<(i64, i64)>(statement);
                    assert!(matches!(rows.next().await, Some(Ok(_))));
                    soon("in a transaction").await;
                    Ok::<_, OrmError>(())
                })
                .await?;
        }
        // A plain lease comes to its end, and is waited for.
        let lease = session.lease(None, Purpose::Write).await?;
        let other = session.clone();
        let waits = tokio::spawn(async move { Bank(&other, None).money(7).await });
        tokio::task::yield_now().await;
        // Longer than a stream is waited for.
        skip(Duration::from_millis(1_200)).await;
        drop(lease);
        assert_eq!(waits.await??, Some(1));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_transaction_that_cannot_end_in_time_is_taken_back() -> Outcome {
    each("late", async |place| {
        let wait = Duration::from_millis(50);
        let context = Orm::builder().catalog(catalog()).lease_wait(wait).build().await?;
        context.add_data_source(place.source("main", 0))?;
        create(&context, "main").await?;
        let session = context.create_session()?;
        let other = session.clone();
        let (ready, is_ready) = tokio::sync::oneshot::channel();
        let (go, goes) = tokio::sync::oneshot::channel::<()>();
        let error = session
            .transaction(async |tx: &Session| {
                Bank(tx, None).open(1, 1).await?;
                tokio::spawn(async move {
                    let lease = other.lease(None, Purpose::Read).await;
                    ready.send(()).ok();
                    goes.await.ok();
                    drop(lease);
                });
                is_ready.await.ok();
                Ok::<_, OrmError>(())
            })
            .await
            .unwrap_err();
        assert!(matches!(error, OrmError::Session(SessionError::Busy { .. })), "{error}");
        go.send(()).ok();
        assert_eq!((Bank(&session, None).total().await?, session.depth()), ((0, 0), 0));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_statement_that_is_given_up_leaves_the_session_fit() -> Outcome {
    each("given", async |place| {
        let sleep = plain(match place.engine {
            Engine::Postgres => "SELECT 1 FROM pg_sleep(600)",
            Engine::MySql => "SELECT SLEEP(600)",
            Engine::Memory | Engine::File => {
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
            }
        });
        let context = place.context().await?;
        let session = context.create_session()?;
        Bank(&session, None).open(1, 1).await?;
        let given_up = async || {
            let mut lease = session.lease(None, Purpose::Write).await?;
            let rows = lease.fetch::<(i64,)>(&sleep);
            assert!(tokio::time::timeout(Duration::from_millis(100), rows).await.is_err());
            Outcome::Ok(())
        };
        let goes_on = async {
            given_up().await?;
            assert_eq!(Bank(&session, None).total().await?, (1, 1));
            session.begin(&TransactionOptions::default()).await?;
            Bank(&session, None).open(2, 1).await?;
            given_up().await?;
            session.rollback().await?;
            assert_eq!(Bank(&session, None).total().await?, (1, 1));
            Outcome::Ok(())
        };
        tokio::time::timeout(Duration::from_secs(60), goes_on).await.expect("the statement has ended")
    })
    .await
}

#[tokio::test]
async fn a_savepoint_is_released_on_every_source_or_nothing_is_committed() -> Outcome {
    each("release", async |place| {
        let context = place.context().await?;
        let session = context.create_session()?;
        let banks = [Bank(&session, None), Bank(&session, Some("other"))];
        let script = async |sql: &str| session.lease(Some("other"), Purpose::Write).await?.script(sql).await;
        for id in [1, 2] {
            session.begin(&TransactionOptions::default()).await?;
            for bank in &banks {
                bank.open(id, 1).await?;
            }
        }
        // The second source has lost the savepoint, which the first has released by then.
        script("RELEASE SAVEPOINT s1").await?;
        let error = session.commit().await.unwrap_err();
        assert!(matches!(error, OrmError::Driver { .. }), "{error}");
        let _ = script("SAVEPOINT s1").await;
        let again = session.commit().await.unwrap_err();
        assert_eq!((again.kind(), session.depth()), (Some(ErrorKind::TransactionFailed), 2), "{again}");
        let _ = session.rollback().await;
        let error = session.commit().await.unwrap_err();
        assert!(matches!(error, OrmError::Session(SessionError::Unusable)), "{error}");
        // That has rolled it back, and the session is fit.
        assert_eq!((banks[0].total().await?, banks[1].total().await?, session.depth()), ((0, 0), (0, 0), 0));
        Ok(())
    })
    .await
}
