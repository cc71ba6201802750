//! A physical standby of PostgreSQL, whose replay is stopped: what a session has written is read from the primary until the standby
//! has it. Where the distribution's PostgreSQL is not installed, nothing is run.

use std::collections::HashSet;
use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::try_join_all;
use isogloss::Compiled;
use isogloss::config::{DataSourceConfig, ReplicaConfig};
use isogloss::driver::{AnyConnection, Backend, ConnectionExt as _};
use isogloss::entity::Linked as _;
use isogloss::postgres::driver::{PostgresBackend, PostgresOptions};
use isogloss::prelude::*;
use isogloss::session::{Purpose, RetryOptions};
use isogloss_faults::own::{Listener, unprivileged};
use isogloss_faults::proxy::Proxy;
use isogloss_faults::{HANG, Outcome, settled};
use tokio::time::sleep;

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "notes", columns = "snake_case")]
struct Note {
    #[column(primary_key, identity)]
    id: i64,
    #[column(length = 100)]
    text: String,
}

/// The newest programs of the distribution.
fn programs() -> Option<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir("/usr/lib/postgresql").ok()?.flatten().map(|at| at.path().join("bin")).collect();
    found.retain(|bin| ["initdb", "pg_basebackup", "postgres"].iter().all(|program| bin.join(program).exists()));
    found.sort();
    found.pop()
}

/// A folder that ends with this, which the server may write to.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Outcome<Self> {
        let folder = std::env::temp_dir().join(isogloss_faults::servers::name("isogloss_replication"));
        fs::create_dir_all(&folder)?;
        fs::set_permissions(&folder, Permissions::from_mode(0o777))?;
        Ok(Self(folder))
    }

    fn data(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    async fn primary(&self, bin: &Path) -> Outcome<Listener> {
        let data = self.data("main");
        let encoding = ["--encoding=UTF8", "--locale=C.UTF-8"];
        let usual = ["-D", &data, "-U", "postgres", "--auth=trust", "--no-sync"];
        run(bin.join("initdb"), &[usual.as_slice(), &encoding].concat())?;
        let primary = server(bin, &data).await?;
        open(primary.port).await?;
        Ok(primary)
    }

    async fn standby(&self, bin: &Path, name: &str, primary: &Listener) -> Outcome<Listener> {
        let (data, port) = (self.data(name), primary.port.to_string());
        let of = ["-h", "127.0.0.1", "-p", &port, "-U", "postgres"];
        run(bin.join("pg_basebackup"), &[of.as_slice(), &["-D", &data, "-R", "-c", "fast", "--no-sync"]].concat())?;
        server(bin, &data).await
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn run(program: PathBuf, args: &[&str]) -> Outcome<()> {
    let command = unprivileged(program)?;
    let mut command: Command = command.into_std();
    let done = command.current_dir("/").args(args).stdin(Stdio::null()).output()?;
    if done.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&done.stderr).trim().into()) }
}

/// A server on a data folder.
async fn server(bin: &Path, data: &str) -> Outcome<Listener> {
    let mut command = unprivileged(bin.join("postgres"))?;
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    command.current_dir("/").args(["-D", data, "-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1"]);
    command.args(["-c", "unix_socket_directories=", "-c", "fsync=off"]);
    Listener::at(port, command).await
}

fn url(port: u16) -> String {
    format!("postgres://postgres@127.0.0.1:{port}/postgres")
}

async fn open(port: u16) -> Outcome<PostgresBackend> {
    let options = PostgresOptions::url(&url(port))?;
    Ok(settled(|| async { PostgresBackend::connect(options.clone()).await }).await?)
}

fn context(source: DataSourceConfig, replicas: &[&Listener]) -> Outcome<OrmContext> {
    let context = OrmContext::new(Catalog::builder().entity::<Note>().build()?);
    let replica = |port: u16| ReplicaConfig::new().connection_string(url(port));
    context.add_data_source(replicas.iter().fold(source, |source, at| source.replica(replica(at.port))))?;
    Ok(context)
}

async fn tell(connection: &mut AnyConnection, sql: &str) -> Outcome<()> {
    connection.fetch::<(Option<i64>,)>(&Compiled { sql: sql.into(), ..Compiled::default() }).await?;
    Ok(())
}

async fn count(session: &Session) -> Outcome<(Option<usize>, u64)> {
    let replica = session.lease(None, Purpose::Read).await?.replica();
    Ok((replica, ObjectViewDao::<Note>::new(session).count(()).await?))
}

/// Until something is so.
async fn until(what: impl AsyncFn() -> Outcome<bool>) -> Outcome<()> {
    let begun = Instant::now();
    while !what().await? {
        if begun.elapsed() > HANG {
            return Err("it never came".into());
        }
        sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_reads_what_it_has_written() -> Outcome<()> {
    let Some(bin) = programs() else {
        isogloss_testkit::skipped("the package postgresql is not installed");
        return Ok(());
    };
    let folder = Folder::new()?;
    let primary = folder.primary(&bin).await?;
    let standby = folder.standby(&bin, "copy", &primary).await?;
    let replica = open(standby.port).await?;
    let mut replay = replica.connect().await?;

    let source = DataSourceConfig::new("main", "postgres", url(primary.port));
    let of = |source: DataSourceConfig| context(source, &[&standby]);
    let context = of(source.clone())?;
    context.sync_table("Note", [""; 0]).await?;
    let session = context.create_session()?;
    until(async || Ok(count(&session).await.is_ok_and(|found| found == (Some(0), 0)))).await?;

    // The standby receives what is written, and does not apply it.
    tell(&mut replay, "SELECT 1::bigint FROM (SELECT pg_wal_replay_pause()) p").await?;
    let note = |text: &str| Note { text: text.into(), ..Note::default() };
    ObjectDao::new(&session).insert(&mut note("first")).await?;
    assert_eq!(count(&session).await?, (None, 1));
    let other = context.create_session()?;
    assert_eq!(count(&other).await?, (Some(0), 0));
    other.transaction(async |tx: &Session| ObjectDao::new(tx).insert(&mut note("second")).await).await?;
    assert_eq!(count(&other).await?, (None, 2));

    // A source that does not ask for it.
    let careless = of(source.read_your_writes(false))?;
    let careless = careless.create_session()?;
    ObjectDao::new(&careless).insert(&mut note("third")).await?;
    assert_eq!(count(&careless).await?, (Some(0), 0));

    // As soon as the standby has it, it is read from there again.
    tell(&mut replay, "SELECT 1::bigint FROM (SELECT pg_wal_replay_resume()) p").await?;
    for session in [&session, &other] {
        until(async || Ok(count(session).await?.0 == Some(0))).await?;
        assert_eq!(count(session).await?, (Some(0), 3));
    }

    // A standby that has become a primary has no such position: what is written elsewhere is not looked for there.
    tell(&mut replay, "SELECT 1::bigint FROM (SELECT pg_promote()) p").await?;
    ObjectDao::new(&session).insert(&mut note("fourth")).await?;
    assert_eq!(count(&session).await?, (None, 4));
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_standby_has_another_may_lack() -> Outcome<()> {
    let Some(bin) = programs() else {
        isogloss_testkit::skipped("the package postgresql is not installed");
        return Ok(());
    };
    let folder = Folder::new()?;
    let primary = folder.primary(&bin).await?;
    let main = DataSourceConfig::new("main", "postgres", url(primary.port));
    context(main.clone(), &[])?.sync_table("Note", [""; 0]).await?;
    let quick = folder.standby(&bin, "quick", &primary).await?;
    let slow = folder.standby(&bin, "slow", &primary).await?;
    let mut replay = open(slow.port).await?.connect().await?;
    open(quick.port).await?;
    tell(&mut replay, "SELECT 1::bigint FROM (SELECT pg_wal_replay_pause()) p").await?;
    let context = context(main, &[&quick, &slow])?;
    let session = context.create_session()?;
    assert_eq!(count(&session).await?, (Some(0), 0));

    // What it writes gives rows, by a lease that may read.
    let insert = |text: &str| {
        let sql = format!("INSERT INTO notes (text) VALUES ('{text}') RETURNING id");
        Compiled { sql, ..Compiled::default() }
    };
    let in_transaction = insert("first");
    let write = async |tx: &Session| tx.lease(None, Purpose::Read).await?.fetch_one::<(i64,)>(&in_transaction).await;
    session.transaction(write).await?;
    assert_eq!(count(&session).await?.1, 1);
    session.on_primary().lease(None, Purpose::Read).await?.fetch::<(i64,)>(&insert("second")).await?;
    assert_eq!(count(&session).await?.1, 2);

    // The first standby has it, and ends. The second one does not have it.
    until(async || Ok(count(&session).await? == (Some(0), 2))).await?;
    drop(quick);
    let leaves = async || {
        let (replica, found) = count(&session).await?;
        assert_eq!(found, 2);
        Ok(replica.is_none())
    };
    until(leaves).await?;
    tell(&mut replay, "SELECT 1::bigint FROM (SELECT pg_wal_replay_resume()) p").await?;
    until(async || Ok(count(&session).await? == (Some(1), 2))).await?;

    // A standby that is written to by mistake tells no position, and is read from all the same.
    let mistaken = self::context(DataSourceConfig::new("main", "postgres", url(slow.port)), &[&slow])?;
    let session = mistaken.create_session()?;
    session.lease(None, Purpose::Write).await?;
    assert_eq!(count(&session).await?, (None, 2));
    Ok(())
}

/// The primary is killed under load, the standby promoted, and the name led to it. A COMMIT waits until the standby has applied it,
/// so that each confirmed write is there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_that_is_promoted_under_load_takes_over() -> Outcome<()> {
    const WRITERS: usize = 6;
    const SOME: usize = 60;
    let Some(bin) = programs() else {
        isogloss_testkit::skipped("the package postgresql is not installed");
        return Ok(());
    };
    let folder = Folder::new()?;
    let primary = folder.primary(&bin).await?;
    let main = url(primary.port);
    context(DataSourceConfig::new("main", "postgres", main), &[])?.sync_table("Note", [""; 0]).await?;
    let standby = folder.standby(&bin, "copy", &primary).await?;
    let mut copy = open(standby.port).await?.connect().await?;
    let mut first = open(primary.port).await?.connect().await?;
    for setting in ["synchronous_standby_names = '*'", "synchronous_commit = 'remote_apply'"] {
        first.execute(&Compiled { sql: format!("ALTER SYSTEM SET {setting}"), ..Compiled::default() }).await?;
    }
    tell(&mut first, "SELECT 1::bigint FROM (SELECT pg_reload_conf()) r").await?;
    drop(first);

    let name = Proxy::to(format!("127.0.0.1:{}", primary.port)).await?;
    let source = DataSourceConfig::new("main", "postgres", url(name.address.port())).max_pool_size(8);
    let context = context(source, &[&standby])?;
    let (confirmed, failed, ended) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let write = async |writer: usize| {
        let mut own = Vec::new();
        for n in 0.. {
            if ended.load(Ordering::Relaxed) {
                break;
            }
            let (text, session) = (format!("{writer}/{n}"), context.create_session()?);
            let inserted = async |tx: &Session| {
                let mut note = Note { text: text.clone(), ..Note::default() };
                ObjectDao::new(tx).insert(&mut note).await
            };
            if session.transaction_with(RetryOptions::attempts(3), inserted).await.is_err() {
                failed.fetch_add(1, Ordering::Relaxed);
                sleep(Duration::from_millis(5)).await;
                continue;
            }
            // Whoever has written it reads it, wherever that is.
            let of_text = query!(|n: Note| n.filter(n.text == text));
            match ObjectViewDao::<Note>::new(&session).count(of_text).await {
                Ok(found) => assert_eq!(found, 1, "{text}"),
                Err(_) => _ = failed.fetch_add(1, Ordering::Relaxed),
            }
            own.push(text);
            confirmed.fetch_add(1, Ordering::Relaxed);
        }
        Outcome::Ok(own)
    };
    let more = async || {
        let before = confirmed.load(Ordering::Relaxed);
        until(async || Ok(confirmed.load(Ordering::Relaxed) >= before + SOME)).await
    };
    let breaks = async {
        more().await?;
        drop(primary);
        let before = failed.load(Ordering::Relaxed);
        until(async || Ok(failed.load(Ordering::Relaxed) > before)).await?;
        tell(&mut copy, "SELECT 1::bigint FROM (SELECT pg_promote()) p").await?;
        name.lead_to(format!("127.0.0.1:{}", standby.port));
        more().await?;
        ended.store(true, Ordering::Relaxed);
        Ok(())
    };
    let (written, ()) = tokio::try_join!(try_join_all((0..WRITERS).map(write)), breaks)?;
    let texts = Compiled { sql: "SELECT text FROM notes".into(), ..Compiled::default() };
    let there: HashSet<String> = copy.fetch::<(String,)>(&texts).await?.into_iter().map(|row| row.0).collect();
    let lost: Vec<String> = written.concat().into_iter().filter(|text| !there.contains(text)).collect();
    assert!(lost.is_empty(), "{lost:?}");
    Ok(())
}
