//! What a session does where a call of the engine fails: every call of a transaction, in every way.

use std::cell::Cell;
use std::time::Duration;

use isogloss::config::{DataSourceConfig, ReplicaConfig};
use isogloss::driver::{ErrorKind, TransactionOptions};
use isogloss::expr::DbValueType;
use isogloss::model::{ColumnDef, TableDef};
use isogloss::prelude::*;
use isogloss::session::{Ending, Purpose, RetryOptions, SessionError};
use isogloss::{Compiled, Orm, OrmContext, OrmError, OrmResult, Session};

use crate::sessions::{Bank, Outcome, catalog, create, plain};
use crate::support::clock::Frozen;
use crate::support::scripted::{Call, Fault, Scripted, Servers};
use crate::support::stop::until;

/// Each way in which a call fails.
const FAULTS: [Fault; 7] = [
    Fault::Refused(ErrorKind::Other),
    Fault::Refused(ErrorKind::Timeout),
    Fault::Done(ErrorKind::Timeout),
    Fault::Done(ErrorKind::ConnectionLost),
    Fault::Lost,
    Fault::Ended { known: true },
    Fault::Ended { known: false },
];

/// A context over the servers: the first is the default, the others are replicas of it or sources of their own.
async fn context(servers: &Servers, replicas: bool) -> Outcome<OrmContext> {
    let pause = Duration::from_secs(60);
    let context =
        Orm::builder().catalog(catalog()).provider(servers.clone()).replica_pause(pause, pause).build().await?;
    let mut main = DataSourceConfig::new("main", "scripted", "0");
    for number in 1..servers.all.len() {
        match replicas {
            true => main = main.replica(ReplicaConfig::new().connection_string(number.to_string())),
            false => {
                let other = DataSourceConfig::new("other", "scripted", number.to_string());
                context.add_data_source(other)?;
            }
        }
    }
    context.add_default_data_source(main)?;
    create(&context, "main").await?;
    if !replicas && servers.all.len() > 1 {
        create(&context, "other").await?;
    }
    Ok(context)
}

/// The rows of a source, by a session of its own.
async fn rows(context: &OrmContext, source: Option<&str>) -> Outcome<Vec<i32>> {
    let session = context.create_session()?;
    let mut lease = session.lease(source, Purpose::Write).await?;
    let query = from("Account").order_by(["Id"]).select(["Id"]).into_segment();
    let statement = lease.target().compile(&query)?.into_owned();
    let found = lease.fetch::<(i32,)>(&statement).await?.into_iter().map(|row| row.0).collect();
    lease.execute(&lease.target().compile(&table("Account").delete().all_rows())?.into_owned()).await?;
    Ok(found)
}

/// The closure of a savepoint fails with that.
fn unwilling() -> OrmError {
    OrmError::from(SessionError::NoCurrent)
}

/// A transaction with a savepoint that is kept and one that is taken back, on each source. Gives the rows that are
/// written if it succeeds: whoever runs the first savepoint goes on without it.
async fn run(session: &Session, sources: &[Option<&str>], kept: &Cell<bool>) -> OrmResult<()> {
    kept.set(false);
    session
        .transaction(async |tx: &Session| {
            let open = async |id: i32| {
                for source in sources {
                    Bank(tx, *source).open(id, 1).await?;
                }
                OrmResult::Ok(())
            };
            open(1).await?;
            kept.set(tx.transaction(async |_: &Session| open(2).await).await.is_ok());
            let back = async |_: &Session| {
                open(3).await?;
                Err::<(), _>(unwilling())
            };
            match tx.transaction(back).await {
                Err(OrmError::Session(SessionError::NoCurrent)) => {}
                other => other?,
            }
            open(4).await
        })
        .await
}

/// The calls of a run in which nothing fails, each with its number among those of its kind.
async fn calls(
    context: &OrmContext,
    servers: &Servers,
    sources: &[Option<&str>],
) -> Outcome<Vec<(usize, Call, usize)>> {
    servers.all.iter().for_each(Scripted::clear);
    run(&context.create_session()?, sources, &Cell::new(false)).await?;
    let mut numbered = Vec::new();
    for (server, scripted) in servers.all.iter().enumerate() {
        let calls = scripted.script().calls.clone();
        for (place, call) in calls.iter().enumerate() {
            numbered.push((server, *call, calls.iter().take(place + 1).filter(|other| *other == call).count()));
        }
    }
    for source in sources {
        assert_eq!(rows(context, *source).await?, [1, 2, 4]);
    }
    Ok(numbered)
}

#[tokio::test]
async fn whatever_call_fails_the_transaction_is_all_or_nothing() -> Outcome {
    let servers = Servers::new("whole", 1);
    let context = context(&servers, false).await?;
    let server = &servers.all[0];
    let all = calls(&context, &servers, &[None]).await?;
    for call in
        [Call::Connect, Call::Execute, Call::Begin, Call::Savepoint, Call::Release, Call::RollbackTo, Call::Commit]
    {
        assert!(all.iter().any(|(_, called, _)| *called == call), "{call:?}");
    }
    for (_, call, nth) in all {
        for fault in FAULTS {
            // Alone, and with one more of the ways back in vain.
            for also in [None, Some(Call::RollbackTo), Some(Call::Rollback)] {
                let what = format!("{call:?} {nth}: {fault:?}, {also:?}");
                server.fails(call, nth, fault);
                if let Some(also) = also.filter(|also| *also != call) {
                    server.fails_too(also, 1, Fault::Refused(ErrorKind::Other));
                }
                let (session, kept) = (context.create_session()?, Cell::new(false));
                let done = run(&session, &[None], &kept).await;
                server.clear();
                assert_eq!(session.depth(), 0, "{what}");
                let wanted = if kept.get() { vec![1, 2, 4] } else { vec![1, 4] };
                let found = rows(&context, None).await?;
                match done {
                    Ok(()) => assert_eq!(found, wanted, "{what}"),
                    // Committed, and not told so, if it has come to that.
                    Err(_)
                        if call == Call::Commit
                            && matches!(fault, Fault::Done(_))
                            && also != Some(Call::RollbackTo) =>
                    {
                        assert_eq!(found, wanted, "{what}");
                    }
                    Err(error) => assert_eq!(found, [] as [i32; 0], "{what}: {error}"),
                }
                // The session is fit, by another connection if that one was lost.
                run(&session, &[None], &kept).await.unwrap_or_else(|error| panic!("{what}: {error}"));
                assert_eq!(rows(&context, None).await?, [1, 2, 4], "{what}");
            }
        }
    }
    context.close();
    servers.end();
    Ok(())
}

/// The error that is told is that of the call, or says that nothing but to roll back is left.
#[tokio::test]
async fn the_error_that_is_told_is_why_it_failed() -> Outcome {
    let servers = Servers::new("told", 1);
    let context = context(&servers, false).await?;
    let server = &servers.all[0];
    let session = context.create_session()?;
    for (call, nth, unusable) in [
        (Call::Connect, 1, false),
        (Call::Begin, 1, false),
        (Call::Execute, 1, false),
        (Call::Commit, 1, false),
        // The savepoint that is not taken back: the next statement is told.
        (Call::RollbackTo, 1, true),
    ] {
        server.fails(call, nth, Fault::Refused(ErrorKind::Other));
        let error = run(&session, &[None], &Cell::new(false)).await.unwrap_err();
        match unusable {
            true => assert!(matches!(error, OrmError::Session(SessionError::Unusable)), "{call:?}: {error}"),
            false => assert!(error.to_string().contains("as the script says"), "{call:?}: {error}"),
        }
        server.clear();
        assert_eq!(rows(&context, None).await?, [] as [i32; 0]);
    }
    // By hand: a savepoint that was not released is still open, and taken back; so is one that was.
    session.begin(&TransactionOptions::default()).await?;
    Bank(&session, None).open(1, 1).await?;
    session.begin(&TransactionOptions::default()).await?;
    Bank(&session, None).open(2, 1).await?;
    server.fails(Call::Release, 1, Fault::Refused(ErrorKind::Other));
    session.commit().await.unwrap_err();
    assert_eq!(session.depth(), 2);
    session.rollback().await?;
    session.commit().await?;
    assert_eq!(rows(&context, None).await?, [1]);
    context.close();
    servers.end();
    Ok(())
}

#[tokio::test]
async fn a_transaction_over_two_sources_tells_how_it_ended_on_each() -> Outcome {
    let servers = Servers::new("two", 2);
    let context = context(&servers, false).await?;
    let sources = [None, Some("other")];
    for (server, call, nth) in calls(&context, &servers, &sources).await? {
        for fault in FAULTS {
            let what = format!("server {server}, {call:?} {nth}: {fault:?}");
            servers.all.iter().for_each(Scripted::clear);
            servers.all[server].fails(call, nth, fault);
            let (session, kept) = (context.create_session()?, Cell::new(false));
            let done = run(&session, &sources, &kept).await;
            servers.all.iter().for_each(Scripted::clear);
            let wanted = if kept.get() { vec![1, 2, 4] } else { vec![1, 4] };
            let found = [rows(&context, None).await?, rows(&context, sources[1]).await?];
            match done {
                Ok(()) => assert_eq!(found, [wanted.clone(), wanted], "{what}"),
                Err(OrmError::Session(SessionError::Commit(ended))) => {
                    assert_eq!((call, ended.outcomes().len()), (Call::Commit, 2), "{what}");
                    for (outcome, found) in ended.outcomes().iter().zip(found) {
                        match outcome.ending {
                            Ending::Committed => assert_eq!(found, wanted, "{what}"),
                            Ending::RolledBack | Ending::Failed(_) => assert_eq!(found, [] as [i32; 0], "{what}"),
                            _ => assert!(found == wanted || found.is_empty(), "{what}"),
                        }
                    }
                }
                Err(error) => assert!(found.iter().all(Vec::is_empty), "{what}: {error}"),
            }
            run(&session, &sources, &kept).await.unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!((rows(&context, None).await?, rows(&context, sources[1]).await?.len()), (vec![1, 2, 4], 3));
        }
    }
    context.close();
    servers.end();
    Ok(())
}

/// A COMMIT that was sent and not answered may have taken effect, also where it is of one source: that is told apart from a
/// connection that was lost before.
#[tokio::test]
async fn a_commit_that_is_not_answered_is_told() -> Outcome {
    let servers = Servers::new("unanswered", 1);
    let context = context(&servers, false).await?;
    let server = &servers.all[0];
    let session = context.create_session()?;
    for (call, fault, unknown) in [
        (Call::Commit, Fault::Done(ErrorKind::ConnectionLost), true),
        (Call::Commit, Fault::Lost, true),
        (Call::Commit, Fault::Refused(ErrorKind::SerializationFailure), false),
        (Call::Execute, Fault::Lost, false),
    ] {
        server.fails(call, 1, fault);
        let error = run(&session, &[None], &Cell::new(false)).await.unwrap_err();
        server.clear();
        match &error {
            OrmError::Session(SessionError::Commit(ended)) => {
                assert!(unknown && matches!(ended.outcomes(), [only] if matches!(only.ending, Ending::Unknown(_))));
                assert!(ended.is_partial() && !error.is_conflict());
                let said = "data source `main`: whether the transaction is committed is not known: connection lost";
                assert!(error.to_string().starts_with(said), "{error}");
            }
            _ => assert!(!unknown, "{call:?} {fault:?}: {error:?}"),
        }
        let written = rows(&context, None).await?;
        assert_eq!(written.is_empty(), fault != Fault::Done(ErrorKind::ConnectionLost), "{fault:?}");
    }
    context.close();
    servers.end();
    Ok(())
}

/// What is run again is a whole transaction that lost to another one, and nothing else.
#[tokio::test]
async fn only_a_whole_transaction_is_run_again() -> Outcome {
    let servers = Servers::new("again", 1);
    let context = context(&servers, false).await?;
    let server = &servers.all[0];
    let session = context.create_session()?;
    let attempts = Cell::new(0);
    let retry = || RetryOptions::attempts(3).pauses(Duration::from_millis(1), Duration::from_millis(1));
    let inner_attempts = Cell::new(0);
    let work = async |tx: &Session| {
        attempts.set(attempts.get() + 1);
        Bank(tx, None).open(1, 1).await?;
        // In a savepoint nothing is run again: the conflict is the transaction's.
        let inner = async |tx: &Session| {
            inner_attempts.set(inner_attempts.get() + 1);
            Bank(tx, None).open(2, 1).await
        };
        tx.transaction_with(retry(), inner).await
    };
    let conflict = Fault::Refused(ErrorKind::SerializationFailure);
    let ended = [Fault::Ended { known: true }, Fault::Ended { known: false }];
    for (call, nth, fault, expected) in [
        (Call::Execute, 1, conflict, 2),
        (Call::Execute, 2, conflict, 2),
        (Call::Execute, 2, ended[0], 2),
        (Call::Execute, 2, ended[1], 2),
        (Call::Release, 1, conflict, 2),
        (Call::Commit, 1, conflict, 2),
        (Call::Execute, 2, Fault::Refused(ErrorKind::Timeout), 1),
        (Call::Execute, 1, Fault::Lost, 1),
        (Call::Begin, 1, Fault::Lost, 1),
        (Call::Commit, 1, Fault::Lost, 1),
        (Call::Commit, 1, Fault::Done(ErrorKind::ConnectionLost), 1),
        (Call::Commit, 1, Fault::Done(ErrorKind::Timeout), 1),
    ] {
        let what = format!("{call:?} {nth}: {fault:?}");
        server.fails(call, nth, fault);
        attempts.set(0);
        inner_attempts.set(0);
        let done = session.transaction_with(retry(), work).await;
        server.clear();
        let again = expected > 1;
        assert_eq!((attempts.get(), done.is_ok()), (expected, again), "{what}");
        assert!(inner_attempts.get() <= attempts.get(), "{what}");
        let written = again || matches!((call, fault), (Call::Commit, Fault::Done(_)));
        assert_eq!(rows(&context, None).await?, if written { vec![1, 2] } else { vec![] }, "{what}");
    }
    context.close();
    servers.end();
    Ok(())
}

/// One that is busy stays in its place; one that breaks is set aside. A read that has given nothing goes elsewhere.
#[tokio::test]
async fn behind_a_script_no_other_connection_is_taken() -> Outcome {
    let servers = Servers::new("scripted", 3);
    let [_, first, _] = &servers.all[..] else { return Err("three servers".into()) };
    let context = context(&servers, true).await?;
    let session = context.create_session()?;
    let mut lease = session.lease(None, Purpose::Read).await?;
    lease.script("CREATE TEMP TABLE kept (n INTEGER)").await?;
    first.fails(Call::Query, 1, Fault::Lost);
    let lost = lease.fetch::<(i64,)>(&plain("SELECT 1")).await.unwrap_err();
    assert_eq!((lost.kind(), lease.replica()), (Some(ErrorKind::ConnectionLost), Some(0)));
    drop(lease);
    context.close();
    servers.end();
    Ok(())
}

#[tokio::test]
async fn a_replica_that_is_busy_is_not_broken() -> Outcome {
    let servers = Servers::new("replicas", 3);
    let [main, first, second] = &servers.all[..] else { return Err("three servers".into()) };
    let reader = async |context: &OrmContext| {
        let session = context.create_session()?;
        let mut lease = session.lease(None, Purpose::Read).await?;
        let one = Compiled { sql: "SELECT 1".into(), ..Compiled::default() };
        let found = lease.fetch::<i64>(&one).await;
        Outcome::Ok((lease.replica(), context.data_source(None)?.replicas_up(), found.map_err(|error| error.kind())))
    };
    // The first connection of a replica is the look for collations.
    for (call, nth, fault, expected) in [
        (Call::Connect, 2, Fault::Refused(ErrorKind::PoolExhausted), (Some(1), 2, Ok(vec![1]))),
        (Call::Connect, 2, Fault::Refused(ErrorKind::Connect), (Some(1), 1, Ok(vec![1]))),
        (Call::Query, 1, Fault::Lost, (Some(1), 1, Ok(vec![1]))),
        // It says something of the statement, and not of the replica.
        (Call::Query, 1, Fault::Refused(ErrorKind::Timeout), (Some(0), 2, Err(Some(ErrorKind::Timeout)))),
        (Call::Query, 1, Fault::Refused(ErrorKind::Syntax), (Some(0), 2, Err(Some(ErrorKind::Syntax)))),
    ] {
        servers.all.iter().for_each(Scripted::clear);
        let context = context(&servers, true).await?;
        first.fails(call, nth, fault);
        assert_eq!(reader(&context).await?, expected, "{call:?} {nth}: {fault:?}");
        drop_table(&context).await?;
    }
    // All are busy: the source itself reads, and both are asked again next time.
    servers.all.iter().for_each(Scripted::clear);
    let context = context(&servers, true).await?;
    for server in [first, second] {
        server.fails(Call::Connect, 2, Fault::Refused(ErrorKind::PoolExhausted));
    }
    assert_eq!(reader(&context).await?, (None, 2, Ok(vec![1])));
    assert_eq!(reader(&context).await?, (Some(1), 2, Ok(vec![1])));
    // In a transaction a lost connection is the end: what it has read and written is gone.
    let session = context.create_session()?;
    session.begin(&TransactionOptions::default()).await?;
    Bank(&session, None).open(1, 1).await?;
    main.fails(Call::Query, 1, Fault::Lost);
    assert_eq!(Bank(&session, None).money(1).await.unwrap_err().kind(), Some(ErrorKind::ConnectionLost));
    assert!(session.commit().await.is_err());
    main.clear();
    assert_eq!(rows(&context, None).await?, [] as [i32; 0]);
    context.close();
    servers.end();
    Ok(())
}

async fn drop_table(context: &OrmContext) -> Outcome {
    let backend = context.data_source(None)?.backend().await?;
    backend.connect().await?.script("DROP TABLE Accounts").await?;
    context.close();
    Ok(())
}

/// A look for the collations that fails, or is not answered, is repeated.
#[tokio::test]
async fn a_look_for_collations_in_vain_is_repeated() -> Outcome {
    let servers = Servers::new("look", 1);
    let server = &servers.all[0];
    for fault in [Fault::Refused(ErrorKind::ConnectionLost), Fault::Silent] {
        server.fails(Call::Look, 1, fault);
        let name = ColumnDef::new("Name", DbValueType::String).length(20);
        let account =
            TableDef::new("Named").column(ColumnDef::new("Id", DbValueType::Int32).primary_key()).column(name);
        let catalog = Catalog::builder().table(account).build()?;
        let context = Orm::builder().catalog(catalog).provider(servers.clone()).build().await?;
        context.add_data_source(DataSourceConfig::new("main", "scripted", "0"))?;
        let source = context.data_source(None)?;
        let clock = Frozen::new();
        let filter = from("Named").filter(prop("Name").eq("x")).select(["Id"]).into_segment();
        let notes = async || {
            let compiled = source.target().await?.compile(&filter)?.into_owned();
            Outcome::Ok(compiled.notes.iter().map(|note| note.rule.name()).collect::<Vec<_>>())
        };
        // Nobody answers for longer than a look may take.
        let is_silent = async {
            until(|| server.count(Call::Look) == 1).await;
            clock.skip(Duration::from_secs(4)).await;
        };
        let first = match fault {
            Fault::Silent => tokio::join!(notes(), is_silent).0,
            _ => notes().await,
        };
        assert_eq!(first?, [] as [&str; 0], "nothing is known");
        // Not at once, and not by everybody.
        assert_eq!((notes().await?.len(), server.count(Call::Look)), (0, 1));
        clock.skip(Duration::from_millis(600)).await;
        assert_eq!(notes().await?, ["database_text"]);
        assert_eq!((notes().await?.len(), server.count(Call::Look)), (1, 2), "what is known is kept");
        context.close();
    }
    servers.end();
    Ok(())
}
