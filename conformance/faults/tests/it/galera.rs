//! A cluster of MariaDB Galera, each node of which takes writes: `conformance/engines/galera.sh up` makes one, and says how it is
//! found. Without one, nothing is run.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::future::try_join_all;
use isogloss::config::DataSourceConfig;
use isogloss::driver::{AnyConnection, Backend, ConnectionExt as _, ErrorKind, Isolation, TransactionOptions};
use isogloss::entity::Linked as _;
use isogloss::model::Catalog;
use isogloss::mysql::driver::{MySqlBackend, MySqlOptions};
use isogloss::prelude::*;
use isogloss::session::{Purpose, RetryOptions};
use isogloss::{Compiled, OrmContext, OrmError};
use isogloss_faults::Outcome;
use isogloss_faults::proxy::Proxy;
use isogloss_faults::rows::Row;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

/// What a cluster is found by: a URL for each node, and the folder where each has its own.
fn cluster() -> Option<(Vec<String>, String)> {
    let urls = std::env::var("ISOGLOSS_GALERA_URL").unwrap_or_default();
    let urls: Vec<String> = urls.split_whitespace().map(str::to_owned).collect();
    if urls.len() < 3 {
        isogloss_testkit::skipped(
            "no ISOGLOSS_GALERA_URL with three nodes, as conformance/engines/galera.sh up has them",
        );
        return None;
    }
    Some((urls, std::env::var("ISOGLOSS_GALERA_FOLDER").unwrap_or_default()))
}

fn plain(sql: impl Into<String>) -> Compiled<'static> {
    Compiled { sql: sql.into(), ..Compiled::default() }
}

/// The parts come one after the other: the last one ends a node.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_cluster_does() -> Outcome<()> {
    let Some((urls, folder)) = cluster() else { return Ok(()) };
    let name = isogloss_faults::servers::name("isogloss_galera");
    let of = |url: &String| {
        let mut options = MySqlOptions::url(url).unwrap();
        options.database = Some(name.clone());
        options
    };
    let first = MySqlBackend::connect(MySqlOptions::url(&urls[0])?).await?;
    first.connect().await?.script(&format!("CREATE DATABASE {name}")).await?;
    let nodes = try_join_all(urls.iter().map(|url| MySqlBackend::connect(of(url)))).await?;
    for node in &nodes {
        assert!(node.dialect().label().starts_with("galera "), "{}", node.dialect().label());
        assert_eq!(node.origin().system, "mariadb");
    }
    let contexts: Vec<OrmContext> =
        urls.iter().map(|url| context(&url.replace("/mysql", &format!("/{name}")))).collect::<Outcome<_>>()?;

    the_loser_of_a_conflict_does_nothing_more(&nodes).await?;
    what_is_not_kept_is_refused(&nodes).await?;
    tables_are_made_by_all_nodes_at_once(&contexts, &nodes).await?;
    a_conflict_is_retried(&contexts, &nodes).await?;
    a_node_waits_for_what_others_have_committed(&nodes, of(&urls[1])).await?;
    nobody_is_killed_behind_a_balancer(&urls, &name).await?;
    a_pool_follows_its_name(&urls, &name).await?;
    a_node_ends(&nodes, &folder).await?;

    first.connect().await?.script(&format!("DROP DATABASE {name}")).await?;
    for context in contexts {
        context.close_and_wait(Duration::from_secs(5)).await?;
    }
    Ok(())
}

fn context(url: &str) -> Outcome<OrmContext> {
    let context = OrmContext::new(Catalog::builder().entity::<Row>().build()?);
    context.add_data_source(DataSourceConfig::new("main", "mysql", url).sync_table(true))?;
    Ok(context)
}

async fn number(connection: &mut AnyConnection, sql: &str) -> Outcome<i64> {
    Ok(connection.fetch_one::<(i64,)>(&plain(sql)).await?.0)
}

/// Until each node sees what the others have committed.
async fn settled(nodes: &[MySqlBackend]) -> Outcome<()> {
    for node in nodes {
        let mut connection = node.connect().await?;
        connection.script("SET SESSION wsrep_sync_wait = 1").await?;
        number(&mut connection, "SELECT COUNT(*) FROM mysql.db").await?;
    }
    Ok(())
}

/// The error comes with whatever is sent next, and what is sent behind it would commit by itself.
async fn the_loser_of_a_conflict_does_nothing_more(nodes: &[MySqlBackend]) -> Outcome<()> {
    let (mut winner, mut loser) = (nodes[0].connect().await?, nodes[1].connect().await?);
    winner.script("CREATE TABLE c (id INT PRIMARY KEY, v INT NOT NULL)").await?;
    winner.script("INSERT INTO c VALUES (1, 0)").await?;
    let insert = plain("INSERT INTO c VALUES (7, 7)");
    for next in ["execute", "query", "savepoint", "commit"] {
        settled(nodes).await?;
        winner.begin(&TransactionOptions::default()).await?;
        winner.execute(&plain("UPDATE c SET v = v + 1 WHERE id = 1")).await?;
        loser.begin(&TransactionOptions::default()).await?;
        loser.execute(&plain("UPDATE c SET v = v + 10 WHERE id = 1")).await?;
        winner.commit().await?;
        settled(nodes).await?;
        let error = match next {
            "execute" => loser.execute(&insert).await.map(drop),
            "query" => loser.fetch::<(i64,)>(&plain("SELECT id FROM c")).await.map(drop),
            "savepoint" => loser.begin(&TransactionOptions::default()).await,
            _ => loser.commit().await,
        }
        .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Deadlock, "{next}: {error}");
        if next == "commit" {
            assert_eq!(loser.depth(), 0);
            continue;
        }
        // It says so until it is rolled back, and nothing is done.
        for _ in 0..2 {
            let error = loser.execute(&insert).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Deadlock, "{next}: {error}");
            assert!(error.message().contains("roll back"), "{error}");
        }
        if next == "execute" {
            assert_eq!(loser.commit().await.unwrap_err().kind(), ErrorKind::Deadlock);
        } else {
            loser.rollback().await?;
        }
        assert_eq!(loser.depth(), 0);
    }
    settled(nodes).await?;
    assert_eq!(number(&mut loser, "SELECT COUNT(*) FROM c").await?, 1);
    assert_eq!(number(&mut loser, "SELECT v FROM c").await?, 4);
    Ok(())
}

async fn what_is_not_kept_is_refused(nodes: &[MySqlBackend]) -> Outcome<()> {
    let mut connection = nodes[0].connect().await?;
    let serializable = TransactionOptions::default().isolation(Isolation::Serializable);
    let error = connection.begin(&serializable).await.unwrap_err();
    assert!(error.kind() == ErrorKind::Configuration && error.message().contains("RepeatableRead"), "{error}");
    assert_eq!(connection.depth(), 0);
    connection.begin(&TransactionOptions::default().isolation(Isolation::RepeatableRead)).await?;
    connection.rollback().await?;
    Ok(())
}

async fn tables_are_made_by_all_nodes_at_once(contexts: &[OrmContext], nodes: &[MySqlBackend]) -> Outcome<()> {
    for round in 0..5 {
        if round > 0 {
            nodes[0].connect().await?.script("DROP TABLE fault_rows").await?;
            settled(nodes).await?;
        }
        let contexts: Vec<OrmContext> = match round {
            0 => contexts.to_vec(),
            // A context looks at a table once.
            _ => nodes.iter().map(|node| context(&url_of(node))).collect::<Outcome<_>>()?,
        };
        try_join_all(contexts.iter().map(OrmContext::sync_all)).await?;
        settled(nodes).await?;
        for node in nodes {
            let found = "SELECT COUNT(*) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() \
                         AND TABLE_NAME = 'fault_rows'";
            assert_eq!(number(&mut node.connect().await?, found).await?, 3);
        }
        for context in &contexts {
            assert!(context.sync_plan().await?.is_empty());
        }
    }
    Ok(())
}

fn url_of(node: &MySqlBackend) -> String {
    let origin = node.origin();
    let (address, port) = (origin.address.clone().unwrap_or_default(), origin.port.unwrap_or_default());
    format!("mysql://root@{address}:{port}/{}", origin.namespace.clone().unwrap_or_default())
}

/// A counter that is read and written again loses nothing, whichever node does it.
async fn a_conflict_is_retried(contexts: &[OrmContext], nodes: &[MySqlBackend]) -> Outcome<()> {
    const TIMES: i64 = 30;
    let session = contexts[0].create_session()?;
    let write = async |session: &Session, sql: String| {
        session.lease(None, Purpose::Write).await?.execute(&plain(sql)).await.map(drop)
    };
    write(&session, "INSERT INTO fault_rows VALUES (1, 0, '')".into()).await?;
    settled(nodes).await?;
    let counted = contexts.iter().map(|context| {
        let context = context.clone();
        tokio::spawn(async move {
            let (session, tries) = (context.create_session()?, AtomicI64::new(0));
            for _ in 0..TIMES {
                session
                    .transaction_with(RetryOptions::attempts(200), async |tx: &Session| {
                        tries.fetch_add(1, Ordering::Relaxed);
                        let mut lease = tx.lease(None, Purpose::Write).await?;
                        let read = plain("SELECT pair FROM fault_rows WHERE id = 1 FOR UPDATE");
                        let (pair,): (i64,) = lease.fetch_one(&read).await?;
                        let write = plain(format!("UPDATE fault_rows SET pair = {} WHERE id = 1", pair + 1));
                        lease.execute(&write).await?;
                        Ok::<_, OrmError>(())
                    })
                    .await?;
            }
            Ok::<i64, OrmError>(tries.into_inner())
        })
    });
    let mut tries = 0;
    for counted in try_join_all(counted.collect::<Vec<_>>()).await? {
        tries += counted?;
    }
    let times = TIMES * i64::try_from(contexts.len())?;
    println!("{times} times counted in {tries} tries");
    settled(nodes).await?;
    let read = plain("SELECT pair FROM fault_rows WHERE id = 1");
    let (pair,): (i64,) = session.lease(None, Purpose::Write).await?.fetch_one(&read).await?;
    assert_eq!(pair, times);
    assert!(tries > times, "no two of {times} were in conflict");
    Ok(())
}

async fn a_node_waits_for_what_others_have_committed(nodes: &[MySqlBackend], mut options: MySqlOptions) -> Outcome<()> {
    options.wsrep_sync_wait = Some(1);
    let waits = MySqlBackend::connect(options).await?;
    let (mut here, mut there) = (nodes[0].connect().await?, waits.connect().await?);
    assert_eq!(number(&mut there, "SELECT @@wsrep_sync_wait").await?, 1);
    here.script("CREATE TABLE own (id INT PRIMARY KEY)").await?;
    for id in 0..200 {
        here.execute(&plain(format!("INSERT INTO own VALUES ({id})"))).await?;
        assert_eq!(number(&mut there, &format!("SELECT COUNT(*) FROM own WHERE id = {id}")).await?, 1);
    }
    Ok(())
}

/// The first connection leads to one node, and all others to another one: a KILL there would end a stranger's.
async fn nobody_is_killed_behind_a_balancer(urls: &[String], name: &str) -> Outcome<()> {
    let options = |url: &str| MySqlOptions::url(url).unwrap();
    let ports = [options(&urls[0]).port, options(&urls[1]).port];
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let (port, heard) = (listener.local_addr()?.port(), Arc::new(Mutex::new(Vec::new())));
    let hears = Arc::clone(&heard);
    let balancer = tokio::spawn(async move {
        let mut count = 0;
        while let Ok((client, _)) = listener.accept().await {
            let server = TcpStream::connect(("127.0.0.1", ports[usize::from(count > 0)])).await.unwrap();
            count += 1;
            let ((mut asks, mut takes), (mut answers, mut told)) = (client.into_split(), server.into_split());
            tokio::spawn(async move { tokio::io::copy(&mut answers, &mut takes).await });
            let hears = Arc::clone(&hears);
            tokio::spawn(async move {
                let mut buffer = [0; 4096];
                while let Ok(bytes @ 1..) = asks.read(&mut buffer).await {
                    hears.lock().unwrap().extend_from_slice(&buffer[..bytes]);
                    if told.write_all(&buffer[..bytes]).await.is_err() {
                        break;
                    }
                }
            });
        }
    });
    let mut options = options(&urls[0]);
    (options.port, options.database) = (port, Some(name.to_owned()));
    // What is sent can be read.
    options.tls = isogloss::mysql::driver::TlsMode::Off;
    let backend = MySqlBackend::connect(options).await?;
    let mut connection = backend.connect().await?;
    let slow = plain("SELECT SLEEP(30)");
    assert!(timeout(Duration::from_millis(200), connection.fetch::<(i64,)>(&slow)).await.is_err());
    drop(connection);
    let has = |text: &[u8]| heard.lock().unwrap().windows(text.len()).any(|part| part == text);
    isogloss_faults::settled(|| async {
        if has(b"Uptime") { Ok(()) } else { Err("it does not ask which server it is") }
    })
    .await?;
    // It has asked which server it is, and says no more.
    sleep(Duration::from_millis(500)).await;
    assert_eq!(number(&mut backend.connect().await?, "SELECT 7").await?, 7);
    assert!(
        has(b"SLEEP(30)") && has(b"Uptime") && !has(b"KILL"),
        "{}",
        String::from_utf8_lossy(&heard.lock().unwrap())
    );
    balancer.abort();
    Ok(())
}

/// The process of a node of ours ends at once. What was open there is lost, and said to be; others take the work.
/// A node is taken out of use, as for an update: it ends all connections, and answers none. The name leads to another node by then.
async fn a_pool_follows_its_name(urls: &[String], name: &str) -> Outcome<()> {
    let address = |url: &String| Outcome::Ok(MySqlOptions::url(url).map(|at| format!("{}:{}", at.host, at.port))?);
    let proxy = Proxy::to(address(&urls[2])?).await?;
    let mut by_name = MySqlOptions::url(&urls[2])?;
    (by_name.host, by_name.port) = (proxy.address.ip().to_string(), proxy.address.port());
    by_name.database = Some(name.to_owned());
    let pool = MySqlBackend::connect(by_name).await?;
    let mut admin = MySqlBackend::connect(MySqlOptions::url(&urls[2])?).await?.connect().await?;
    let (confirmed, ended) = (AtomicI64::new(0), AtomicBool::new(false));
    let write = async |writer: i64| {
        let mut own = Vec::new();
        for id in (1_000 + writer * 1_000_000).. {
            if ended.load(Ordering::Relaxed) {
                break;
            }
            let mut connection = pool.connect().await?;
            match connection.execute(&plain(format!("INSERT INTO c VALUES ({id}, 5)"))).await {
                Ok(_) => {
                    own.push(id);
                    confirmed.fetch_add(1, Ordering::Relaxed);
                }
                Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionLost, "{error}"),
            }
        }
        Outcome::Ok(own)
    };
    let more = async || {
        let wanted = confirmed.load(Ordering::Relaxed) + 60;
        while confirmed.load(Ordering::Relaxed) < wanted {
            sleep(Duration::from_millis(2)).await;
        }
    };
    let moves = async {
        more().await;
        proxy.lead_to(address(&urls[0])?);
        admin.script("SET GLOBAL wsrep_reject_queries = ALL").await?;
        proxy.cut();
        more().await;
        ended.store(true, Ordering::Relaxed);
        Ok(())
    };
    let (written, ()) = tokio::try_join!(try_join_all((0..4).map(write)), moves)?;
    // Who has set it may take it back.
    admin.script("SET GLOBAL wsrep_reject_queries = NONE").await?;
    let mut connection = pool.connect().await?;
    for id in written.concat() {
        assert_eq!(number(&mut connection, &format!("SELECT COUNT(*) FROM c WHERE id = {id}")).await?, 1, "{id}");
    }
    Ok(())
}

async fn a_node_ends(nodes: &[MySqlBackend], folder: &str) -> Outcome<()> {
    let pid = std::fs::read_to_string(Path::new(folder).join("3/pid"))?.trim().to_owned();
    let mut connection = nodes[2].connect().await?;
    connection.begin(&TransactionOptions::default()).await?;
    connection.execute(&plain("INSERT INTO c VALUES (30, 3)")).await?;
    assert!(Command::new("kill").args(["-KILL", &pid]).status()?.success());
    isogloss_faults::settled(|| async {
        if Path::new("/proc").join(&pid).exists() { Err("it runs on") } else { Ok(()) }
    })
    .await?;
    let error = connection.execute(&plain("INSERT INTO c VALUES (31, 3)")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionLost, "{error}");
    connection.rollback().await?;
    drop(connection);
    let error = nodes[2].connect().await.err().ok_or("a node that has ended takes connections")?;
    assert_eq!(error.kind(), ErrorKind::Connect, "{error}");

    // Until the others have given it up, they wait.
    let begun = Instant::now();
    let written = isogloss_faults::settled(|| async {
        let mut other = nodes[0].connect().await?;
        let written = other.execute(&plain("INSERT INTO c VALUES (40, 4)")).await;
        if let Err(error) = &written {
            let kinds = [ErrorKind::ConnectionLost, ErrorKind::Deadlock, ErrorKind::Timeout];
            assert!(kinds.contains(&error.kind()), "{error}");
        }
        written
    });
    written.await?;
    println!("the others write again after {:?}", begun.elapsed());
    settled(&nodes[..2]).await?;
    let mut other = nodes[1].connect().await?;
    assert_eq!(number(&mut other, "SELECT COUNT(*) FROM c WHERE id = 40").await?, 1);
    assert_eq!(number(&mut other, "SELECT COUNT(*) FROM c WHERE id IN (30, 31)").await?, 0);

    // It comes back, and has what it has missed.
    let mut again = tokio::process::Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../engines/galera.sh"));
    assert!(again.args(["again", "3"]).env("ISOGLOSS_GALERA_FOLDER", folder).status().await?.success());
    let there = number(&mut nodes[2].connect().await?, "SELECT COUNT(*) FROM c WHERE id = 40").await?;
    assert_eq!(there, 1);
    Ok(())
}
