//! A physical standby of PostgreSQL, whose replay is stopped: what a session has written is read from the primary until the standby
//! has it. Where the distribution's PostgreSQL is not installed, nothing is run.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a test")]

use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use isogloss::Compiled;
use isogloss::config::{DataSourceConfig, ReplicaConfig};
use isogloss::driver::{AnyConnection, Backend, ConnectionExt as _};
use isogloss::entity::Linked as _;
use isogloss::postgres::driver::{PostgresBackend, PostgresOptions};
use isogloss::prelude::*;
use isogloss::session::Purpose;
use isogloss_faults::Outcome;
use isogloss_faults::own::{Listener, unprivileged};
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

async fn open(port: u16) -> Outcome<PostgresBackend> {
    let url = format!("postgres://postgres@127.0.0.1:{port}/postgres");
    for _ in 0..200 {
        if let Ok(backend) = PostgresBackend::connect(PostgresOptions::url(&url)?).await {
            return Ok(backend);
        }
        sleep(Duration::from_millis(50)).await;
    }
    Ok(PostgresBackend::connect(PostgresOptions::url(&url)?).await?)
}

async fn tell(connection: &mut AnyConnection, sql: &str) -> Outcome<()> {
    connection.fetch::<(Option<i64>,)>(&Compiled { sql: sql.into(), ..Compiled::default() }).await?;
    Ok(())
}

async fn count(session: &Session) -> Outcome<(Option<usize>, u64)> {
    let replica = session.lease(None, Purpose::Read).await?.replica();
    Ok((replica, ObjectViewDao::<Note>::new(session).count(()).await?))
}

/// Until something is so, for some seconds.
async fn until(what: impl AsyncFn() -> Outcome<bool>) -> Outcome<()> {
    for _ in 0..200 {
        if what().await? {
            return Ok(());
        }
        sleep(Duration::from_millis(50)).await;
    }
    Err("it never came".into())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_reads_what_it_has_written() -> Outcome<()> {
    let Some(bin) = programs() else {
        println!("skipped: the package postgresql is not installed");
        return Ok(());
    };
    let folder = Folder::new()?;
    let [main, copy] = ["main", "copy"].map(|name| folder.0.join(name).display().to_string());
    run(
        bin.join("initdb"),
        &["-D", &main, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"],
    )?;
    let primary = server(&bin, &main).await?;
    open(primary.port).await?;
    let port = primary.port.to_string();
    run(
        bin.join("pg_basebackup"),
        &["-h", "127.0.0.1", "-p", &port, "-U", "postgres", "-D", &copy, "-R", "-c", "fast", "--no-sync"],
    )?;
    let standby = server(&bin, &copy).await?;
    let replica = open(standby.port).await?;
    let mut replay = replica.connect().await?;

    let url = |port: u16| format!("postgres://postgres@127.0.0.1:{port}/postgres");
    let source = DataSourceConfig::new("main", "postgres", url(primary.port));
    let of = |source: DataSourceConfig| {
        let context = OrmContext::new(Catalog::builder().entity::<Note>().build()?);
        context.add_data_source(source.replica(ReplicaConfig::new().connection_string(url(standby.port))))?;
        Outcome::Ok(context)
    };
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
