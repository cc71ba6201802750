//! Replicas: whose turn it is, and what happens when one is down.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::StreamExt as _;
use isogloss::config::{DataSourceConfig, ReplicaConfig};
use isogloss::dao::{DataViewDao, ObjectViewDao};
use isogloss::driver::TransactionOptions;
use isogloss::prelude::*;
use isogloss::session::Purpose;
use isogloss::{ExprString, Orm, OrmContext, Session};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::task::{JoinHandle, JoinSet};

use crate::sessions::place::{Engine, Place, each};
use crate::sessions::{Bank, Outcome, catalog, create};
use crate::support::clock::{Frozen, skip};
use crate::support::scripted::{Call, Fault, Servers};
use crate::support::stop::until;

/// The accounts of the catalog as rows.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "Accounts")]
pub(crate) struct Account {
    #[column(primary_key)]
    id: i32,
    money: i64,
}

/// Leads connections on to a server. While it is down, it ends those that it has and each new one. It keeps its port.
struct Proxy {
    is_up: watch::Sender<bool>,
    port: u16,
    task: JoinHandle<()>,
}

impl Proxy {
    async fn start(server: String) -> Outcome<Self> {
        Self::at(TcpListener::bind("127.0.0.1:0").await?, server)
    }

    fn at(listener: TcpListener, server: String) -> Outcome<Self> {
        let port = listener.local_addr()?.port();
        let is_up = watch::Sender::new(true);
        let state = is_up.clone();
        let task = tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let (server, mut state) = (server.clone(), state.subscribe());
                tokio::spawn(async move {
                    let leads_on = async {
                        if let Ok(mut server) = TcpStream::connect(server).await {
                            copy_bidirectional(&mut client, &mut server).await.ok();
                        }
                    };
                    tokio::select! {
                        biased;
                        _ = state.wait_for(|is_up| !is_up) => {}
                        () = leads_on => {}
                    }
                });
            }
        });
        Ok(Self { is_up, port, task })
    }

    /// Ends all connections, and waits until they have.
    async fn goes_down(&self) {
        self.is_up.send_replace(false);
        // Only the listener is left of those who look at it.
        until(|| self.is_up.receiver_count() == 0).await;
    }

    fn comes_up(&self) {
        self.is_up.send_replace(true);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
        self.is_up.send_replace(false);
    }
}

/// A pause that lasts longer than any test.
const HOUR: Duration = Duration::from_secs(3_600);

/// Where a session reads: 1 is a replica of its own data, 0 the source itself.
async fn reads(session: &Session) -> Outcome<Option<usize>> {
    Ok(session.lease(None, Purpose::Read).await?.replica())
}

async fn with_replicas(place: &Place, replicas: Vec<String>, pause: Duration) -> Outcome<OrmContext> {
    with_pauses(place, replicas, pause, pause).await
}

async fn with_pauses(place: &Place, replicas: Vec<String>, first: Duration, longest: Duration) -> Outcome<OrmContext> {
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
        let context = with_replicas(place, vec![place.connection_string(1), place.connection_string(0)], HOUR).await?;
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
        let context = with_replicas(place, vec![replica], HOUR).await?;
        let session = context.create_session()?;
        assert_eq!((reads(&session).await?, context.data_source(None)?.replicas_up()), (None, 0));
        std::fs::create_dir(&folder)?;
        assert_eq!(reads(&session).await?, None, "it is left alone for a while");
        skip(HOUR).await;
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

    let (clock, mut readers) = (Frozen::new(), JoinSet::new());
    // 5 seconds.
    for _ in 0..250 {
        let session = context.create_session()?;
        readers.spawn(async move { reads(&session).await });
        clock.skip(Duration::from_millis(20)).await;
    }
    drop(clock);
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
    let builder = Orm::builder().catalog(catalog()).provider(servers.clone()).replica_pause(HOUR, HOUR);
    let context = builder.build().await?;
    let source = DataSourceConfig::new("main", "scripted", "0");
    context.add_data_source(source.replica(ReplicaConfig::new().connection_string("1")))?;
    let session = context.create_session()?;
    assert_eq!(reads(&session).await?, Some(0));
    let replica = &servers.all[1];
    replica.fails(Call::Connect, 1, Fault::Lost);
    replica.fails_too(Call::Query, 1, Fault::Lost);
    assert_eq!((reads(&session).await?, context.data_source(None)?.replicas_up()), (None, 0));
    skip(HOUR).await;
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
        // Who waits for a connection in vain waits longer than the test.
        let replica = ReplicaConfig::new().connection_string(place.connection_string(0));
        let replica = replica.pool_size(1).max_pool_size(1);
        let source = place.source("main", 0).pool_wait(HOUR).read_your_writes(false);
        context.add_data_source(source.replica(replica))?;
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
        // It would wait for the stream, and that for it.
        let beside = tokio::time::timeout(Duration::from_secs(60), reads(&session)).await;
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
        let context = with_pauses(place, vec![replica], HOUR, HOUR * 100).await?;
        let sessions: Vec<_> = (0..8).map(|_| context.create_session()).collect::<Result<_, _>>()?;
        let is_over = AtomicBool::new(false);
        let outage = async {
            let (client, _) = listener.accept().await?;
            // A reader that did not wait would be done after as much as this.
            let beside = context.create_session()?.on_primary();
            for _ in 0..8 {
                Bank(&beside, None).money(1).await?;
            }
            is_over.store(true, Ordering::Relaxed);
            drop(client);
            Outcome::Ok(())
        };
        let read = async |session: &Session| {
            let seen = reads(session).await?;
            assert!(is_over.load(Ordering::Relaxed), "they wait for it");
            Outcome::Ok(seen)
        };
        let (seen, outage) = tokio::join!(futures_util::future::join_all(sessions.iter().map(read)), outage);
        outage?;
        for seen in seen {
            assert_eq!(seen?, None);
        }
        let _proxy = Proxy::at(listener, server.clone())?;
        assert_eq!((reads(&sessions[0]).await?, context.data_source(None)?.replicas_up()), (None, 0));
        skip(HOUR).await;
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
        let proxy = Proxy::start(server.clone()).await?;
        let behind = |port: u16| place.connection_string(0).replace(written, &format!("127.0.0.1:{port}"));
        assert!(behind(proxy.port).starts_with(user));
        // Nobody listens at port 1.
        let context = with_replicas(place, vec![behind(1), behind(proxy.port)], Duration::from_millis(200)).await?;
        // Who has written would read from the source itself.
        Bank(&context.create_session()?, None).open(1, 10).await?;
        let session = context.create_session()?;
        assert_eq!((reads(&session).await?, Bank(&session, None).money(1).await?), (Some(1), Some(10)));

        // It breaks while a session has it: the statement is run again elsewhere.
        let mut early = context.create_session()?.lease(None, Purpose::Read).await?;
        assert_eq!(early.replica(), Some(1));
        let mut lease = session.lease(None, Purpose::Read).await?;
        assert_eq!(lease.replica(), Some(1));
        proxy.goes_down().await;
        let query = isogloss::prelude::from("Account").select(["Money"]).into_segment();
        let statement = lease.target().compile(&query)?.into_owned();
        assert_eq!((lease.fetch::<(i64,)>(&statement).await?, lease.replica()), (vec![(10,)], None));
        drop(lease);
        assert_eq!((reads(&session).await?, context.data_source(None)?.replicas_up()), (None, 0));

        proxy.comes_up();
        let back = async {
            loop {
                let seen = reads(&context.create_session()?).await?;
                if seen.is_some() {
                    return Outcome::Ok(seen);
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        assert_eq!(tokio::time::timeout(Duration::from_secs(60), back).await??, Some(1));
        // A connection of before says nothing of how it is now.
        assert_eq!((early.fetch::<(i64,)>(&statement).await?, early.replica()), (vec![(10,)], Some(1)));
        drop(early);
        assert_eq!((reads(&session).await?, context.data_source(None)?.replicas_up()), (Some(1), 1));
        assert_eq!(Bank(&session, None).money(1).await?, Some(10));
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
        let proxy = Proxy::start(server.clone()).await?;
        let behind = place.connection_string(0).replace(written, &format!("127.0.0.1:{}", proxy.port));
        let context = with_replicas(place, vec![behind], Duration::ZERO).await?;
        // By the name of its column, the test finds it on the server.
        let slow = &match place.engine {
            Engine::Postgres => format!("SELECT 7 AS {} FROM pg_sleep(1)", place.name),
            _ => format!("SELECT 7 + SLEEP(1) AS {}", place.name),
        };
        let text = || ExprString::new().text(slow.clone());
        for what in 0..3 {
            let session = context.create_session()?;
            assert_eq!(reads(&session).await?, Some(0));
            let views = ObjectViewDao::<Account>::new(&session);
            let is_done = Notify::new();
            let found = async {
                let found = match what {
                    0 => views.search_as::<(i64,)>(text()).all().await?.len(),
                    1 => views.search_as::<(i64,)>(text()).first().await?.iter().count(),
                    _ => DataViewDao::<Account>::new(&session).search(text()).await?.len(),
                };
                is_done.notify_one();
                Outcome::Ok(found)
            };
            let breaks = async {
                tokio::select! {
                    running = place.until_runs(slow) => running?,
                    // The machine is too slow to see it run.
                    () = is_done.notified() => return Outcome::Ok(()),
                }
                proxy.goes_down().await;
                proxy.comes_up();
                Outcome::Ok(())
            };
            let (found, broken) = tokio::join!(found, breaks);
            broken?;
            assert_eq!(found?, 1, "{what}");
        }
        Ok(())
    })
    .await
}
