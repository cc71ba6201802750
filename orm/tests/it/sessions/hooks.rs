//! What runs when a transaction has ended, and what it is told.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use isogloss::config::{DataSourceConfig, ReplicaConfig};
use isogloss::driver::{ErrorKind, TransactionOptions};
use isogloss::session::{Outcome, Purpose, RetryOptions, SessionError};
use isogloss::{Orm, OrmContext, OrmError, OrmResult, Session};

use crate::sessions::place::each;
use crate::sessions::{Bank, Outcome as Tested, catalog, create};
use crate::support::scripted::{Call, Fault, Scripted, Servers};
use crate::support::stop::{Stop, until};

/// What hooks have been told, in their order.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<(&'static str, Outcome)>>>);

impl Told {
    async fn add(&self, session: &Session, name: &'static str) -> OrmResult<()> {
        let told = self.clone();
        session
            .at_end(async move |_, outcome| {
                told.0.lock().expect("a list").push((name, outcome));
                Ok(())
            })
            .await
    }

    fn take(&self) -> Vec<(&'static str, Outcome)> {
        std::mem::take(&mut self.0.lock().expect("a list"))
    }
}

fn unwilling() -> OrmError {
    SessionError::NoCurrent.into()
}

#[tokio::test]
async fn hooks_run_in_order_when_the_outermost_transaction_has_ended() -> Tested {
    each("hooks", async |place| {
        let context = place.context().await?;
        let (session, told) = (context.create_session()?, Told::default());
        session
            .transaction(async |tx: &Session| {
                told.add(tx, "outer").await?;
                Bank(tx, None).open(1, 1).await?;
                tx.transaction(async |tx: &Session| told.add(tx, "kept").await).await?;
                let back = async |tx: &Session| {
                    told.add(tx, "back").await?;
                    // What was released belongs to the one around it.
                    tx.transaction(async |tx: &Session| told.add(tx, "inside").await).await?;
                    Err::<(), _>(unwilling())
                };
                tx.transaction(back).await.unwrap_err();
                told.add(tx, "last").await?;
                assert_eq!(told.take(), []);
                OrmResult::Ok(())
            })
            .await?;
        let (committed, back) = (Outcome::Committed, Outcome::RolledBack);
        let all = [("outer", committed), ("kept", committed), ("back", back), ("inside", back), ("last", committed)];
        assert_eq!(told.take(), all);

        // One that fails takes everything back, also what was released.
        let failed = session
            .transaction(async |tx: &Session| {
                tx.transaction(async |tx: &Session| told.add(tx, "kept").await).await?;
                Err::<(), _>(unwilling())
            })
            .await;
        assert!(matches!(failed, Err(OrmError::Session(SessionError::NoCurrent))));
        assert_eq!(told.take(), [("kept", back)]);

        // By hand, and without a transaction.
        session.begin(&TransactionOptions::default()).await?;
        session.begin(&TransactionOptions::default()).await?;
        told.add(&session, "by hand").await?;
        session.commit().await?;
        assert_eq!(told.take(), []);
        session.rollback().await?;
        assert_eq!(told.take(), [("by hand", back)]);
        told.add(&session, "alone").await?;
        assert_eq!(told.take(), [("alone", committed)]);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn hooks_have_a_session_of_their_own() -> Tested {
    each("hook_session", async |place| {
        let context = place.context().await?;
        let session = context.create_session()?;
        let writer = session.clone();
        session
            .transaction(async |tx: &Session| {
                Bank(tx, None).open(1, 1).await?;
                tx.after_commit(async move |after: Session| {
                    assert!(!after.is(&writer) && !after.in_transaction());
                    assert!(Session::current()?.is(&after));
                    // What was written is there, and what it writes now is of a transaction of its own.
                    assert_eq!(Bank(&after, None).money(1).await?, Some(1));
                    let failed = after.transaction(async |tx: &Session| {
                        Bank(tx, None).open(2, 2).await?;
                        Err::<(), _>(unwilling())
                    });
                    failed.await.unwrap_err();
                    Bank(&after, None).open(3, 3).await?;
                    // The writer may be used again: its transaction is over.
                    assert_eq!(Bank(&writer, None).total().await?, (2, 4));
                    Ok(())
                })
                .await
            })
            .await?;
        assert_eq!((Bank(&session, None).total().await?, session.take_hook_errors().len()), ((2, 4), 0));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn an_error_of_a_hook_stops_nothing() -> Tested {
    each("hook_errors", async |place| {
        let context = place.context().await?;
        let (session, told) = (context.create_session()?, Told::default());
        session
            .transaction(async |tx: &Session| {
                Bank(tx, None).open(1, 1).await?;
                tx.after_commit(async |_| Err(unwilling())).await?;
                tx.after_commit(|_| -> std::future::Ready<OrmResult<()>> { panic!("on purpose") }).await?;
                tx.after_commit(async |_| panic!("on purpose")).await?;
                told.add(tx, "last").await
            })
            .await?;
        assert_eq!((told.take(), Bank(&session, None).money(1).await?), (vec![("last", Outcome::Committed)], Some(1)));
        let errors = session.take_hook_errors();
        use SessionError::{HookPanicked, NoCurrent};
        assert!(
            matches!(
                &errors[..],
                [OrmError::Session(NoCurrent), OrmError::Session(HookPanicked), OrmError::Session(HookPanicked)]
            ),
            "{errors:?}"
        );
        assert_eq!(session.take_hook_errors().len(), 0);
        // They are kept in bounds.
        for _ in 0..150 {
            session.after_commit(async |_| Err(unwilling())).await?;
        }
        assert_eq!(session.take_hook_errors().len(), 100);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn hooks_of_what_was_given_up_run_with_the_next_operation() -> Tested {
    each("hook_dropped", async |place| {
        let context = place.context().await?;
        let (session, told) = (context.create_session()?, Told::default());
        let stop = Arc::new(Stop::default());
        let waits = session.transaction(async |tx: &Session| {
            told.add(tx, "dropped").await?;
            stop.here::<OrmResult<()>>().await
        });
        stop.is_reached_by(waits).await;
        assert_eq!((told.take(), session.depth()), (vec![], 0));
        assert_eq!(Bank(&session, None).money(1).await?, None);
        assert_eq!(told.take(), [("dropped", Outcome::RolledBack)]);

        // A savepoint tells it when the whole has ended.
        session
            .transaction(async |tx: &Session| {
                let waits = tx.transaction(async |tx: &Session| {
                    told.add(tx, "inside").await?;
                    stop.here::<OrmResult<()>>().await
                });
                stop.is_reached_by(waits).await;
                Bank(tx, None).open(1, 1).await?;
                told.add(tx, "outside").await
            })
            .await?;
        assert_eq!(told.take(), [("inside", Outcome::RolledBack), ("outside", Outcome::Committed)]);

        // Where the future is dropped that runs them, the next operation goes on with those behind.
        let stuck = session.transaction(async |tx: &Session| {
            let stop = Arc::clone(&stop);
            tx.after_commit(async move |_| stop.here().await).await?;
            told.add(tx, "behind").await
        });
        stop.is_reached_by(stuck).await;
        assert_eq!(told.take(), []);
        told.add(&session, "next").await?;
        assert_eq!(told.take(), [("behind", Outcome::Committed), ("next", Outcome::Committed)]);
        Ok(())
    })
    .await
}

/// A context over scripted servers: the first is the default, the second another source.
async fn scripted(servers: &Servers) -> Tested<OrmContext> {
    let context = Orm::builder().catalog(catalog()).provider(servers.clone()).build().await?;
    for (number, name) in ["main", "other"].into_iter().take(servers.all.len()).enumerate() {
        context.add_data_source(DataSourceConfig::new(name, "scripted", number.to_string()))?;
        create(&context, name).await?;
    }
    Ok(context)
}

#[tokio::test]
async fn what_becomes_of_a_commit_is_told() -> Tested {
    let servers = Servers::new("hooks", 2);
    let context = scripted(&servers).await?;
    let (main, other, told) = (&servers.all[0], &servers.all[1], Told::default());
    let cases = [
        (main, Call::Commit, Fault::Done(ErrorKind::ConnectionLost), 1, Outcome::Unknown),
        (main, Call::Commit, Fault::Lost, 1, Outcome::Unknown),
        (main, Call::Commit, Fault::Refused(ErrorKind::SerializationFailure), 1, Outcome::RolledBack),
        (main, Call::Commit, Fault::Ended { known: true }, 1, Outcome::RolledBack),
        (main, Call::Execute, Fault::Lost, 1, Outcome::RolledBack),
        // On both nothing is written; on one only; nobody knows.
        (main, Call::Commit, Fault::Refused(ErrorKind::Other), 2, Outcome::RolledBack),
        (other, Call::Commit, Fault::Refused(ErrorKind::Other), 2, Outcome::Unknown),
        (other, Call::Commit, Fault::Lost, 2, Outcome::Unknown),
        (main, Call::Connect, Fault::Refused(ErrorKind::Connect), 1, Outcome::RolledBack),
    ];
    for (id, (server, call, fault, sources, outcome)) in (1..).zip(cases) {
        let what = format!("{call:?}: {fault:?}, {sources}");
        let session = context.create_session()?;
        servers.all.iter().for_each(Scripted::clear);
        server.fails(call, 1, fault);
        let done = session.transaction(async |tx: &Session| {
            told.add(tx, "it").await?;
            for source in [None, Some("other")].into_iter().take(sources) {
                Bank(tx, source).open(id, 1).await?;
            }
            OrmResult::Ok(())
        });
        assert!(done.await.is_err(), "{what}");
        assert_eq!(told.take(), [("it", outcome)], "{what}");
    }
    // A hook for commits alone hears nothing of that.
    servers.all.iter().for_each(Scripted::clear);
    main.fails(Call::Commit, 1, Fault::Lost);
    let session = context.create_session()?;
    let done = session.transaction(async |tx: &Session| {
        tx.after_commit(async |_| panic!("it is not known to be committed")).await?;
        Bank(tx, None).open(100, 1).await
    });
    assert!(done.await.unwrap_err().is_in_doubt());
    assert_eq!(session.take_hook_errors().len(), 0);

    // Who does not wait for the answer does not know either.
    main.fails(Call::Commit, 1, Fault::Silent);
    let waits = session.transaction(async |tx: &Session| {
        told.add(tx, "it").await?;
        Bank(tx, None).open(101, 1).await
    });
    tokio::select! {
        done = waits => panic!("the server is silent: {done:?}"),
        () = until(|| main.count(Call::Commit) == 1) => {}
    }
    assert_eq!(told.take(), []);
    Bank(&session, None).money(101).await?;
    assert_eq!(told.take(), [("it", Outcome::Unknown)]);
    context.close();
    servers.end();
    Ok(())
}

#[tokio::test]
async fn each_attempt_tells_how_it_ended() -> Tested {
    let servers = Servers::new("hook_attempts", 1);
    let context = scripted(&servers).await?;
    let (session, told) = (context.create_session()?, Told::default());
    servers.all[0].fails(Call::Commit, 1, Fault::Refused(ErrorKind::SerializationFailure));
    let pause = Duration::from_millis(1);
    let work = async |tx: &Session| {
        told.add(tx, "attempt").await?;
        Bank(tx, None).open(1, 1).await
    };
    session.transaction_with(RetryOptions::attempts(2).pauses(pause, pause), work).await?;
    assert_eq!(told.take(), [("attempt", Outcome::RolledBack), ("attempt", Outcome::Committed)]);
    context.close();
    servers.end();
    Ok(())
}

/// What was just committed may not have come to a replica yet.
#[tokio::test]
async fn hooks_read_from_the_primary() -> Tested {
    let servers = Servers::new("hook_replica", 2);
    let context = Orm::builder().catalog(catalog()).provider(servers.clone()).build().await?;
    let replica = ReplicaConfig::new().connection_string("1");
    context.add_data_source(DataSourceConfig::new("main", "scripted", "0").replica(replica))?;
    create(&context, "main").await?;
    let session = context.create_session()?;
    assert_eq!(session.lease(None, Purpose::Read).await?.replica(), Some(0));
    let wrote = session.transaction(async |tx: &Session| {
        tx.after_commit(async |after: Session| {
            assert_eq!(after.lease(None, Purpose::Read).await?.replica(), None);
            Ok(())
        })
        .await?;
        Bank(tx, None).open(1, 1).await
    });
    wrote.await?;
    assert_eq!(session.take_hook_errors().len(), 0);
    context.close();
    servers.end();
    Ok(())
}

/// A context that is closed waits for what runs behind a transaction that was open.
#[tokio::test]
async fn who_closes_the_context_waits_for_hooks() -> Tested {
    each("hook_close", async |place| {
        let context = place.context().await?;
        let (session, told) = (context.create_session()?, Told::default());
        session
            .transaction(async |tx: &Session| {
                Bank(tx, None).open(1, 1).await?;
                context.close();
                let closing = context.clone();
                tx.after_commit(async move |_| {
                    let early = closing.close_and_wait(Duration::from_millis(20)).await;
                    let open = matches!(early, Err(OrmError::Session(SessionError::StillOpen { transactions: 1, .. })));
                    if open { Ok(()) } else { Err(unwilling()) }
                })
                .await?;
                told.add(tx, "last").await
            })
            .await?;
        assert_eq!((told.take().len(), session.take_hook_errors().len()), (1, 0));
        context.close_and_wait(Duration::ZERO).await?;
        Ok(())
    })
    .await
}
