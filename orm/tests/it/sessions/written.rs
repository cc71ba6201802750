//! What a session has written is read where it is: from the source, until a replica has it.

use std::time::Duration;

use futures_util::{StreamExt as _, TryStreamExt as _};
use isogloss::config::{DataSourceConfig, ReplicaConfig};
use isogloss::driver::ErrorKind;
use isogloss::session::Purpose;
use isogloss::{Compiled, Orm, OrmContext, OrmResult, Session};
use tokio::time::timeout;

use crate::sessions::{Bank, Outcome, catalog, create, plain};
use crate::support::clock::{Frozen, skip};
use crate::support::engines::real_pause;
use crate::support::scripted::{Call, Fault, Servers};
use crate::support::stop::until;

/// A source with replicas, each of which is a database of its own that says how far it is.
struct Copies {
    context: OrmContext,
    servers: Servers,
}

impl Copies {
    /// With so many connections each, and so many replicas.
    async fn open(test: &str, connections: u32, replicas: usize) -> Outcome<Self> {
        let servers = Servers::replicated(test, replicas + 1);
        let pause = Duration::from_millis(50);
        let builder = Orm::builder().catalog(catalog()).provider(servers.clone()).replica_pause(pause, pause);
        let context = builder.build().await?;
        for number in 0..=replicas {
            context.add_data_source(DataSourceConfig::new(
                format!("server{number}"),
                "scripted",
                number.to_string(),
            ))?;
        }
        // Callers that wait for a connection in vain wait longer than any test.
        let wait = Duration::from_secs(600);
        let source = DataSourceConfig::new("main", "scripted", "0").pool_size(connections).max_pool_size(connections);
        let replica = |number: usize| {
            let replica = ReplicaConfig::new().connection_string(number.to_string());
            replica.pool_size(connections).max_pool_size(connections)
        };
        let source = source.pool_wait(wait);
        context.add_data_source((1..=replicas).fold(source, |source, number| source.replica(replica(number))))?;
        let copies = Self { context, servers };
        for number in 0..=replicas {
            create(&copies.context, &format!("server{number}")).await?;
            copies.is_at(number, 0).await?;
        }
        Ok(copies)
    }

    /// A server says from now on that it is that far.
    async fn is_at(&self, number: usize, position: u32) -> Outcome {
        let backend = self.context.data_source(&*format!("server{number}"))?.backend().await?;
        let mut connection = backend.connect().await?;
        connection.script("CREATE TABLE IF NOT EXISTS Positions (n INTEGER)").await?;
        connection.script(&format!("INSERT INTO Positions VALUES ({position})")).await?;
        Ok(())
    }

    /// A session that reads from the first replica, and whose write is at position 1.
    async fn written(&self) -> Outcome<Session> {
        let session = self.context.create_session()?;
        assert_eq!(self.reads(&session).await?, Some(0));
        Bank(&session, Some("main")).open(1, 10).await?;
        self.is_at(0, 1).await?;
        Ok(session)
    }

    async fn reads(&self, session: &Session) -> OrmResult<Option<usize>> {
        Ok(session.lease(Some("main"), Purpose::Read).await?.replica())
    }

    /// Reads until it is a replica, for a second of the clock that is stopped.
    async fn reads_of_replicas(&self, session: &Session, clock: &Frozen) -> Outcome<usize> {
        for _ in 0..100 {
            if let Some(replica) = self.reads(session).await? {
                return Ok(replica);
            }
            clock.skip(Duration::from_millis(10)).await;
        }
        Err("it does not come back".into())
    }

    fn end(self) {
        self.context.close();
        drop(self.context);
        self.servers.end();
    }
}

/// The rights to ask for it may be missing, or the primary may be a standby itself.
#[tokio::test]
async fn a_primary_that_does_not_tell_its_position_is_read_from() -> Outcome {
    let copies = Copies::open("untold", 4, 1).await?;
    let clock = Frozen::new();
    let session = copies.written().await?;
    copies.servers.all[0].fails(Call::Query, 1, Fault::Refused(ErrorKind::Permission));
    for _ in 0..3 {
        assert_eq!(copies.reads(&session).await?, None);
        clock.skip(Duration::from_millis(30)).await;
    }
    assert_eq!(Bank(&session, Some("main")).money(1).await?, Some(10));
    // What it asks is asked once.
    assert_eq!(copies.servers.all[0].count(Call::Query), 2);

    // A connection that is lost says nothing of the next one.
    Bank(&session, Some("main")).set(1, 11).await?;
    copies.is_at(1, 1).await?;
    copies.servers.all[0].fails(Call::Query, 1, Fault::Lost);
    assert_eq!(Bank(&session, Some("main")).money(1).await?, Some(11));
    clock.skip(Duration::from_millis(1_100)).await;
    assert_eq!(copies.reads_of_replicas(&session, &clock).await?, 0);
    drop(session);
    copies.end();
    Ok(())
}

#[tokio::test]
async fn nobody_holds_the_replicas_connection_and_waits_for_the_primarys() -> Outcome {
    let copies = Copies::open("both", 1, 1).await?;
    let session = copies.written().await?;

    // All that the replica has is taken: the source is read from, and nobody waits.
    let other = copies.context.create_session()?;
    let taken = other.lease(Some("main"), Purpose::Read).await?;
    assert_eq!(taken.replica(), Some(0));
    assert_eq!(timeout(Duration::from_secs(60), copies.reads(&session)).await??, None);
    drop(taken);

    // All that the primary has is taken: who waits for that has nothing of the replica.
    let writer = copies.context.create_session()?;
    let taken = writer.lease(Some("main"), Purpose::Write).await?;
    // The replica may be asked again.
    skip(Duration::from_millis(30)).await;
    let waits = copies.reads(&session);
    let source = copies.context.data_source("main")?;
    let reads = async {
        until(|| source.status().pool.is_some_and(|pool| pool.waiting == 1)).await;
        let read = timeout(Duration::from_secs(60), copies.reads(&other)).await;
        drop(taken);
        read
    };
    let (waited, read) = tokio::join!(waits, reads);
    assert_eq!((waited?, read??), (None, Some(0)));
    drop((session, other, writer));
    copies.end();
    Ok(())
}

#[tokio::test]
async fn what_one_replica_has_another_may_lack() -> Outcome {
    let copies = Copies::open("another", 4, 2).await?;
    let clock = Frozen::new();
    let session = copies.written().await?;
    copies.is_at(1, 1).await?;
    assert_eq!(copies.reads_of_replicas(&session, &clock).await?, 0);

    copies.servers.all[1].fails(Call::Connect, 1, Fault::Lost);
    assert_eq!(copies.reads(&session).await?, None, "the second one does not have it");
    assert_eq!(Bank(&session, Some("main")).money(1).await?, Some(10));
    copies.is_at(2, 1).await?;
    assert!(copies.reads_of_replicas(&session, &clock).await? < 2);
    drop(session);
    copies.end();
    Ok(())
}

#[tokio::test]
async fn a_replica_that_is_lost_while_it_is_asked_is_asked_again() -> Outcome {
    let copies = Copies::open("asked", 4, 1).await?;
    let clock = Frozen::new();
    let session = copies.written().await?;
    copies.is_at(1, 1).await?;
    assert_eq!(copies.reads(&session).await?, None);
    copies.servers.all[1].fails(Call::Query, 1, Fault::Lost);
    let source = copies.context.data_source("main")?;
    assert_eq!((copies.reads(&session).await?, source.replicas_up()), (None, 0));
    clock.skip(Duration::from_millis(1_100)).await;
    assert_eq!((copies.reads_of_replicas(&session, &clock).await?, source.replicas_up()), (0, 1));
    drop(session);
    copies.end();
    Ok(())
}

/// Its rows do not make a write a read, whatever the lease was taken for.
#[tokio::test]
async fn a_write_that_gives_rows_is_a_write() -> Outcome {
    let copies = Copies::open("rows", 4, 1).await?;
    for id in 0..5 {
        let run = async |session: &Session, statement: &Compiled<'static>| {
            let mut lease = session.lease(Some("main"), Purpose::Read).await?;
            assert_eq!(lease.replica(), None);
            OrmResult::Ok(match id {
                0 => lease.fetch::<(i32,)>(statement).await?.len(),
                1 => lease.fetch_first::<(i32,)>(statement).await?.iter().len(),
                2 => usize::from(lease.fetch_one::<(i32,)>(statement).await?.0 == id),
                3 => lease.stream::<(i32,)>(statement).try_collect::<Vec<_>>().await?.len(),
                _ => lease.into_stream::<(i32,)>(statement.clone()).count().await,
            })
        };
        let session = copies.context.create_session()?;
        assert_eq!(copies.reads(&session).await?, Some(0));
        let insert = plain(format!("INSERT INTO Accounts (Id, Money) VALUES ({id}, 1) RETURNING Id"));
        assert_eq!(session.transaction(async |tx: &Session| run(tx, &insert).await).await?, 1);
        assert_eq!((id, Bank(&session, Some("main")).money(id).await?), (id, Some(1)));

        let session = copies.context.create_session()?;
        let update = plain(format!("UPDATE Accounts SET Money = 3 WHERE Id = {id} RETURNING Id"));
        assert_eq!(run(&session.on_primary(), &update).await?, 1);
        assert_eq!((id, Bank(&session, Some("main")).money(id).await?), (id, Some(3)));
    }
    copies.end();
    Ok(())
}

/// Who reads beside it would ask the source for its position before that is behind the write.
#[tokio::test]
async fn a_stream_of_a_write_has_the_session() -> Outcome {
    let copies = Copies::open("stream", 4, 1).await?;
    let session = copies.context.create_session()?;
    let rows = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)";
    session
        .lease(Some("main"), Purpose::Write)
        .await?
        .script(&format!("INSERT INTO Accounts {rows} SELECT i, 1 FROM n"))
        .await?;

    let reader = copies.context.create_session()?;
    let lease = reader.on_primary().lease(Some("main"), Purpose::Read).await?;
    let update = plain("UPDATE Accounts SET Money = 3 RETURNING Id");
    let mut rows = Box::pin(lease.into_stream::<(i32,)>(update));
    assert!(rows.next().await.is_some());
    // It does not give up, either.
    let clock = Frozen::new();
    tokio::select! {
        biased;
        read = copies.reads(&reader) => panic!("it does not wait: {read:?}"),
        () = real_pause() => {}
    }
    drop(clock);
    assert_eq!(rows.count().await, 499);
    assert_eq!(Bank(&reader, Some("main")).money(7).await?, Some(3));
    drop((session, reader));
    copies.end();
    Ok(())
}

/// It may have been done, where a replica is one in name only.
#[tokio::test]
async fn a_write_that_a_replica_breaks_at_is_not_run_elsewhere() -> Outcome {
    let copies = Copies::open("breaks", 4, 1).await?;
    let session = copies.context.create_session()?;
    let insert = plain("INSERT INTO Accounts (Id, Money) VALUES (1, 1) RETURNING Id");
    let mut lease = session.lease(Some("main"), Purpose::Read).await?;
    assert_eq!(lease.replica(), Some(0));
    copies.servers.all[1].fails(Call::Query, 1, Fault::Lost);
    let error = lease.fetch::<(i32,)>(&insert).await.unwrap_err();
    assert_eq!(error.kind(), Some(ErrorKind::ConnectionLost));
    drop(lease);
    assert_eq!(Bank(&session.on_primary(), Some("main")).money(1).await?, None);
    drop(session);
    copies.end();
    Ok(())
}
