//! Replicas: whose turn it is, and what happens when one is down.

use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use isogloss::config::{DataSourceConfig, ReplicaConfig};
use isogloss::dao::{DataViewDao, ObjectViewDao};
use isogloss::driver::TransactionOptions;
use isogloss::prelude::*;
use isogloss::session::Purpose;
use isogloss::{ExprString, Orm, OrmContext, Session};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

use crate::place::{Engine, Place, each};
use crate::scripted::{Call, Fault, Servers};
use crate::{Bank, Outcome, catalog, create};

/// The accounts of the catalog as rows.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "Accounts")]
pub(crate) struct Account {
    #[column(primary_key)]
    id: i32,
    money: i64,
}

/// Leads connections on to a server, until it is dropped.
struct Proxy(JoinHandle<()>);

impl Proxy {
    async fn start(port: u16, server: String) -> Outcome<(Self, u16)> {
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        let port = listener.local_addr()?.port();
        let task = tokio::spawn(async move {
            let mut open = JoinSet::new();
            while let Ok((mut client, _)) = listener.accept().await {
                let server = server.clone();
                open.spawn(async move {
                    if let Ok(mut server) = TcpStream::connect(server).await {
                        copy_bidirectional(&mut client, &mut server).await.ok();
                    }
                });
            }
        });
        Ok((Self(task), port))
    }

    async fn stop(self) {
        self.0.abort();
        self.0.await.ok();
    }
}

/// Where a session reads: 1 is a replica of its own data, 0 the source itself.
async fn reads(session: &Session) -> Outcome<Option<usize>> {
    Ok(session.lease(None, Purpose::Read).await?.replica())
}

async fn with_replicas(place: &Place, replicas: Vec<String>, pause: u64) -> Outcome<OrmContext> {
    with_pauses(place, replicas, pause, pause).await
}

async fn with_pauses(place: &Place, replicas: Vec<String>, first: u64, longest: u64) -> Outcome<OrmContext> {
    let [first, longest] = [first, longest].map(Duration::from_millis);
    let context = Orm::builder().catalog(catalog()).replica_pause(first, longest).build().await?;
    let source = replicas
        .into_iter()
        .fold(place.source("main", 0), |source, url| source.replica(ReplicaConfig::new().connection_string(url)));
    context.add_data_source(source)?;
    create(&context, "main").await?;
    Ok(context)
}

#[tokio::test]
async fn reads_go_round_and_transactions_stay() -> Outcome {
    each("round", async |place| {
        if place.is_memory() {
            return Ok(());
        }
        // The replica is another database, so that it is seen who has answered.
        let context = with_replicas(place, vec![place.connection_string(1), place.connection_string(0)], 1000).await?;
        let other = OrmContext::new(catalog());
        other.add_data_source(place.source("copy", 1))?;
        create(&other, "copy").await?;
        Bank(&other.create_session()?, None).open(1, 11).await?;

        let mut seen = Vec::new();
        for _ in 0..4 {
            let session = context.create_session()?;
            let first = reads(&session).await?;
            // A session stays with its replica: what it has seen is there at its next look.
            assert_eq!((reads(&session).await?, reads(&session).await?), (first, first));
            seen.push(first);
        }
        assert_eq!(seen, [Some(0), Some(1), Some(0), Some(1)]);

        let session = context.create_session()?;
        assert_eq!(Bank(&session, None).money(1).await?, Some(11));
        // What it has written is not at the replica, and is read from where it was written, in a transaction and behind it.
        Bank(&session, None).open(2, 22).await?;
        assert_eq!((Bank(&session, None).money(2).await?, reads(&session).await?), (Some(22), None));
        session.begin(&TransactionOptions::default()).await?;
        assert_eq!((Bank(&session, None).money(1).await?, Bank(&session, None).money(2).await?), (None, Some(22)));
        assert_eq!(reads(&session).await?, None);
        session.commit().await?;
        assert_eq!(Bank(&session, None).money(2).await?, Some(22));
        assert_eq!(reads(&context.create_session()?).await?, Some(1));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_replica_that_is_down_is_left_out_until_it_is_back() -> Outcome {
    each("down", async |place| {
        if place.engine != Engine::File {
            return Ok(());
        }
        let folder = place.folder().join("mounted");
        let replica = format!("{}?create=true", folder.join("copy").display());
        let context = with_replicas(place, vec![replica], 3_000).await?;
        let session = context.create_session()?;
        assert_eq!((reads(&session).await?, context.data_source(None)?.replicas_up()), (None, 0));
        std::fs::create_dir(&folder)?;
        assert_eq!(reads(&session).await?, None, "it is left alone for a while");
        tokio::time::sleep(Duration::from_millis(3_100)).await;
        assert_eq!((reads(&session).await?, context.data_source(None)?.replicas_up()), (Some(0), 1));
        Ok(())
    })
    .await
}

/// An attempt lasts longer than the first pause. The pauses get longer all the same, however many ask meanwhile.
#[tokio::test]
async fn a_replica_that_says_nothing_is_asked_less_and_less_often() -> Outcome {
    let servers = Servers::new("silent", 2);
    let [first, longest] = [50, 60_000].map(Duration::from_millis);
    let builder = Orm::builder().catalog(catalog()).provider(servers.clone()).replica_pause(first, longest);
    let context = builder.build().await?;
    let source = DataSourceConfig::new("main", "scripted", "0");
    context.add_data_source(source.replica(ReplicaConfig::new().connection_string("1")))?;
    let session = context.create_session()?;
    assert_eq!(reads(&session).await?, Some(0));
    let replica = &servers.all[1];
    replica.falls_silent(Duration::from_millis(400));
    assert_eq!((reads(&session).await?, replica.count(Call::Connect)), (None, 1));

    let (begun, mut readers) = (Instant::now(), JoinSet::new());
    while begun.elapsed() < Duration::from_secs(5) {
        let session = context.create_session()?;
        readers.spawn(async move { reads(&session).await });
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    while let Some(seen) = readers.join_next().await {
        assert_eq!(seen??, None);
    }
    // Between attempts of 400 ms there are pauses of 50, 100, 200, 400, 800 and 1,600 ms.
    let attempts = replica.count(Call::Connect);
    assert!((2..=7).contains(&attempts), "{attempts} attempts");
    context.close();
    drop((session, context));
    servers.end();
    Ok(())
}

/// What finds a replica back, and loses it again, says something new.
#[tokio::test]
async fn a_replica_that_is_back_and_breaks_at_once_is_set_aside() -> Outcome {
    let servers = Servers::new("breaks_again", 2);
    let pause = Duration::from_millis(50);
    let builder = Orm::builder().catalog(catalog()).provider(servers.clone()).replica_pause(pause, pause);
    let context = builder.build().await?;
    let source = DataSourceConfig::new("main", "scripted", "0");
    context.add_data_source(source.replica(ReplicaConfig::new().connection_string("1")))?;
    let session = context.create_session()?;
    assert_eq!(reads(&session).await?, Some(0));
    let replica = &servers.all[1];
    replica.fails(Call::Connect, 1, Fault::Lost);
    replica.fails_too(Call::Query, 1, Fault::Lost);
    assert_eq!((reads(&session).await?, context.data_source(None)?.replicas_up()), (None, 0));
    tokio::time::sleep(pause * 2).await;
    let mut lease = session.lease(None, Purpose::Read).await?;
    assert_eq!((lease.replica(), context.data_source(None)?.replicas_up()), (Some(0), 1));
    let statement = lease.target().compile(&ExprString::new().text("SELECT 7"))?.into_owned();
    assert_eq!((lease.fetch::<(i64,)>(&statement).await?, lease.replica()), (vec![(7,)], None));
    assert_eq!(context.data_source(None)?.replicas_up(), 0);
    drop(lease);
    context.close();
    drop((session, context));
    servers.end();
    Ok(())
}

/// A stream has the only connection of its replica, and the source has others.
#[tokio::test]
async fn a_session_goes_on_beside_a_stream_of_a_replica_with_one_connection() -> Outcome {
    each("single", async |place| {
        if place.is_memory() {
            return Ok(());
        }
        let context = OrmContext::new(catalog());
        let replica = ReplicaConfig::new().connection_string(place.connection_string(0)).pool_size(1).max_pool_size(1);
        context.add_data_source(place.source("main", 0).read_your_writes(false).replica(replica))?;
        create(&context, "main").await?;
        let session = context.create_session()?;
        session
            .transaction(async |tx: &Session| {
                for id in 0..2_000 {
                    Bank(tx, None).open(id, 1).await?;
                }
                Ok::<_, isogloss::OrmError>(())
            })
            .await?;
        let lease = session.lease(None, Purpose::Read).await?;
        assert_eq!(lease.replica(), Some(0));
        let query = isogloss::prelude::from("Account").select(["Id", "Money"]).into_segment();
        let statement = lease.target().compile(&query)?.into_owned();
        let mut rows = lease.into_stream::<(i64, i64)>(statement);
        assert!(matches!(rows.next().await, Some(Ok(_))));
        Bank(&session, None).open(5_000, 1).await?;
        // It would wait for the stream, and that for it: 30 seconds.
        let beside = tokio::time::timeout(Duration::from_secs(15), reads(&session)).await;
        assert_eq!(beside.expect("it does not wait")?, None);
        assert!(rows.count().await >= 1_999);
        assert_eq!(reads(&session).await?, Some(0));
        Ok(())
    })
    .await
}

/// What fails together is one failure, however many have waited for it.
#[tokio::test]
async fn one_outage_makes_one_pause() -> Outcome {
    each("outage", async |place| {
        if !place.is_server() {
            return Ok(());
        }
        let (_, written, server) = place.server()?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let replica = place.connection_string(0).replace(written, &format!("127.0.0.1:{port}"));
        let context = with_pauses(place, vec![replica], 3_000, 60_000).await?;
        let outage = tokio::spawn(async move {
            let (client, _) = listener.accept().await?;
            tokio::time::sleep(Duration::from_millis(300)).await;
            drop((client, listener));
            std::io::Result::Ok(())
        });
        let sessions: Vec<_> = (0..8).map(|_| context.create_session()).collect::<Result<_, _>>()?;
        let begun = Instant::now();
        let seen = futures_util::future::join_all(sessions.iter().map(reads)).await;
        assert!(begun.elapsed() >= Duration::from_millis(300), "they have waited for it");
        for seen in seen {
            assert_eq!(seen?, None);
        }
        outage.await??;
        let _proxy = Proxy::start(port, server.clone()).await?;
        assert_eq!((reads(&sessions[0]).await?, context.data_source(None)?.replicas_up()), (None, 0));
        tokio::time::sleep(Duration::from_millis(3_100)).await;
        assert_eq!((reads(&sessions[0]).await?, context.data_source(None)?.replicas_up()), (Some(0), 1));
        Ok(())
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_goes_and_comes() -> Outcome {
    each("goes", async |place| {
        if !place.is_server() {
            return Ok(());
        }
        let (user, written, server) = place.server()?;
        let (proxy, port) = Proxy::start(0, server.clone()).await?;
        let behind = |port: u16| place.connection_string(0).replace(written, &format!("127.0.0.1:{port}"));
        assert!(behind(port).starts_with(user));
        // Nobody listens at port 1.
        let context = with_replicas(place, vec![behind(1), behind(port)], 200).await?;
        // Who has written would read from the source itself.
        Bank(&context.create_session()?, None).open(1, 10).await?;
        let session = context.create_session()?;
        assert_eq!((reads(&session).await?, Bank(&session, None).money(1).await?), (Some(1), Some(10)));

        // It breaks while a session has it: the statement is run again elsewhere.
        let mut early = context.create_session()?.lease(None, Purpose::Read).await?;
        assert_eq!(early.replica(), Some(1));
        let mut lease = session.lease(None, Purpose::Read).await?;
        assert_eq!(lease.replica(), Some(1));
        proxy.stop().await;
        let query = isogloss::prelude::from("Account").select(["Money"]).into_segment();
        let statement = lease.target().compile(&query)?.into_owned();
        assert_eq!((lease.fetch::<(i64,)>(&statement).await?, lease.replica()), (vec![(10,)], None));
        drop(lease);
        assert_eq!((reads(&session).await?, context.data_source(None)?.replicas_up()), (None, 0));

        let (proxy, _) = Proxy::start(port, server.clone()).await?;
        let mut back = None;
        for _ in 0..50 {
            tokio::time::sleep(Duration::from_millis(50)).await;
            back = reads(&context.create_session()?).await?;
            if back.is_some() {
                break;
            }
        }
        assert_eq!(back, Some(1));
        // A connection of before says nothing of how it is now.
        assert_eq!((early.fetch::<(i64,)>(&statement).await?, early.replica()), (vec![(10,)], Some(1)));
        drop(early);
        assert_eq!((reads(&session).await?, context.data_source(None)?.replicas_up()), (Some(1), 1));
        assert_eq!(Bank(&session, None).money(1).await?, Some(10));
        proxy.stop().await;
        Ok(())
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_whose_replica_breaks_is_run_elsewhere() -> Outcome {
    each("breaks", async |place| {
        if !place.is_server() {
            return Ok(());
        }
        let (_, written, server) = place.server()?;
        let (mut proxy, port) = Proxy::start(0, server.clone()).await?;
        let behind = place.connection_string(0).replace(written, &format!("127.0.0.1:{port}"));
        let context = with_replicas(place, vec![behind], 1).await?;
        let slow = if place.engine == Engine::Postgres { "SELECT 7 FROM pg_sleep(1)" } else { "SELECT 7 + SLEEP(1)" };
        let slow = || ExprString::new().text(slow);
        for what in 0..3 {
            let session = context.create_session()?;
            assert_eq!(reads(&session).await?, Some(0));
            let views = ObjectViewDao::<Account>::new(&session);
            let found = async {
                Outcome::Ok(match what {
                    0 => views.search_as::<(i64,)>(slow()).all().await?.len(),
                    1 => views.search_as::<(i64,)>(slow()).first().await?.iter().count(),
                    _ => DataViewDao::<Account>::new(&session).search(slow()).await?.len(),
                })
            };
            let breaks = async {
                tokio::time::sleep(Duration::from_millis(400)).await;
                proxy.stop().await;
                Proxy::start(port, server.clone()).await
            };
            let (found, again) = tokio::join!(found, breaks);
            assert_eq!(found?, 1, "{what}");
            proxy = again?.0;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        proxy.stop().await;
        Ok(())
    })
    .await
}
