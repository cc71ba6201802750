//! A PgBouncer of the test's own, in its mode `transaction`.
#![allow(dead_code, clippy::print_stdout, reason = "each test takes what it needs, and says what it skips")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use futures_util::FutureExt;
use isogloss_driver::{AnyConnection, Backend, ConnectionExt, PoolOptions};
use isogloss_postgres::driver::{PostgresBackend, PostgresOptions};
use tempfile::TempDir;

use super::process::{Port, Process, spare_ports};
use super::server::{is_root, nobody};
use super::{Outcome, plain, pool, unique, urls};

/// A database of the test's own, and what stands before it.
pub(crate) struct Pooled {
    pub(crate) pooler: Pooler,
    /// The database without the pooler.
    pub(crate) direct: PostgresOptions,
}

impl Pooled {
    /// A pool of connections to the pooler.
    pub(crate) async fn pool(&self) -> Outcome<PostgresBackend> {
        self.pool_with(pool(100)).await
    }

    /// A pool of connections to the pooler, with options of its own.
    pub(crate) async fn pool_with(&self, options: PoolOptions) -> Outcome<PostgresBackend> {
        Ok(PostgresBackend::connect(PostgresOptions::url(&self.pooler.url(true))?.pool(options)).await?)
    }

    /// A connection past the pooler.
    pub(crate) async fn direct(&self) -> Outcome<AnyConnection> {
        Ok(Backend::connect(&PostgresBackend::connect(self.direct.clone()).await?).await?)
    }
}

/// Runs a test on each server, behind a PgBouncer that keeps no prepared statements, and one that does where it can.
pub(crate) async fn pooled(name: &str, test: impl AsyncFn(&Pooled) -> Outcome) -> Outcome {
    pooled_by(SESSIONS, name, test).await
}

/// With so many sessions of the server.
pub(crate) async fn pooled_by(sessions: u32, name: &str, test: impl AsyncFn(&Pooled) -> Outcome) -> Outcome {
    let Some(version) = version() else {
        isogloss_testkit::skipped("no pgbouncer: install the package pgbouncer");
        return Ok(());
    };
    for url in urls() {
        for prepared in [0, 100] {
            if prepared > 0 && version < (1, 21) {
                isogloss_testkit::skipped(format_args!(
                    "pgbouncer {version:?} keeps no prepared statements, 1.21 does"
                ));
                continue;
            }
            let prepared_name = format!("{name}{prepared}");
            on(&url, &prepared_name, sessions, (version >= (1, 21)).then_some(prepared), &test).await?;
        }
    }
    Ok(())
}

async fn on(
    url: &str,
    name: &str,
    sessions: u32,
    prepared: Option<u32>,
    test: &impl AsyncFn(&Pooled) -> Outcome,
) -> Outcome {
    let mut direct = PostgresOptions::url(url)?.pool(pool(100));
    let database = format!("isogloss_{name}_{}", unique());
    let admin = PostgresBackend::connect(direct.clone()).await?;
    let mut admin = Backend::connect(&admin).await?;
    let may = plain("SELECT rolsuper OR rolcreatedb FROM pg_roles WHERE rolname = current_user");
    if !admin.fetch_one::<(bool,)>(&may).await?.0 {
        isogloss_testkit::skipped(format_args!("the user of {:?} may not create databases", direct.hosts));
        return Ok(());
    }
    let gone = format!("DROP DATABASE IF EXISTS {database} WITH (FORCE)");
    admin.script(&gone).await?;
    admin.script(&format!("CREATE DATABASE {database}")).await?;
    // What PostgreSQL is set up with in some countries, and what nobody is.
    admin.script(&format!("ALTER DATABASE {database} SET TimeZone = 'Asia/Tokyo'")).await?;
    admin.script(&format!("ALTER DATABASE {database} SET DateStyle = 'SQL, DMY'")).await?;
    direct.database = Some(database.clone());
    let done = async {
        let pooled = Pooled { pooler: Pooler::start(&direct, sessions, prepared)?, direct };
        test(&pooled).await
    };
    let done = AssertUnwindSafe(done).catch_unwind().await;
    admin.script(&gone).await?;
    match done {
        Ok(done) => done.map_err(|error| format!("{url} {name}: {error:?}").into()),
        Err(panic) => resume_unwind(panic),
    }
}

/// It ends with the test.
pub(crate) struct Pooler {
    database: String,
    process: Process,
    folder: TempDir,
}

/// How many sessions of the server its programs share.
pub(crate) const SESSIONS: u32 = 3;

impl Pooler {
    fn start(server: &PostgresOptions, sessions: u32, prepared: Option<u32>) -> Outcome<Self> {
        let folder = tempfile::Builder::new().prefix("isogloss-pooler-").tempdir()?;
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700))?;
        for port in spare_ports().take(10) {
            if let Some(process) = Self::run(&folder, port, server, sessions, prepared)? {
                let database = server.database.clone().unwrap_or_default();
                return Ok(Self { database, process, folder });
            }
        }
        Err(fs::read_to_string(folder.path().join("log"))?.into())
    }

    /// Runs it on a port. `None` if it ends at once.
    fn run(
        folder: &TempDir,
        port: Port,
        server: &PostgresOptions,
        sessions: u32,
        prepared: Option<u32>,
    ) -> Outcome<Option<Process>> {
        let folder = folder.path();
        let (host, to) = server.hosts.first().ok_or("the server has a host")?;
        let database = server.database.clone().ok_or("the test has a database")?;
        let password = server.password.as_ref().map(|password| format!(" password={password}")).unwrap_or_default();
        let mut settings = format!(
            "[databases]\n{database} = host={host} port={to} user={}{password}\n[pgbouncer]\n\
             listen_addr = 127.0.0.1\nlisten_port = {}\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\n\
             default_pool_size = {sessions}\nmax_client_conn = 500\nserver_idle_timeout = 60\nlogfile = {}\n",
            server.user,
            port.number,
            folder.join("log").display(),
        );
        if let Some(prepared) = prepared {
            settings.push_str(&format!("max_prepared_statements = {prepared}\n"));
        }
        let file = folder.join("pgbouncer.ini");
        fs::write(&file, settings)?;
        let mut command = Command::new(program().ok_or("there is no pgbouncer")?);
        // It refuses to be root.
        if is_root()? {
            let (user, group) = nobody()?;
            chown(folder, Some(user), Some(group))?;
            chown(&file, Some(user), Some(group))?;
            command.uid(user).gid(group);
        }
        command.arg(&file).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Process::start(&mut command, folder, port)?)
    }

    /// Where it is; whether it shall be known for what it is.
    pub(crate) fn url(&self, known: bool) -> String {
        let pooled = if known { "?pooled=true" } else { "" };
        format!("postgres://anybody@127.0.0.1:{}/{}{pooled}", self.process.port(), self.database)
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("{}", fs::read_to_string(self.folder.path().join("log")).unwrap_or_default());
        }
    }
}

fn program() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&folders).collect();
    folders.push("/usr/sbin".into());
    folders.into_iter().map(|folder| folder.join("pgbouncer")).find(|file| file.exists())
}

/// `PgBouncer 1.18.0`.
fn version() -> Option<(u32, u32)> {
    let told = Command::new(program()?).arg("--version").output().ok()?;
    let told = String::from_utf8(told.stdout).ok()?;
    let mut numbers = told.split_whitespace().nth(1)?.split('.').map(|number| number.parse().unwrap_or(0));
    Some((numbers.next()?, numbers.next()?))
}
