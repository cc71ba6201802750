//! A PostgreSQL server of the tests' own, which all of them share.
#![allow(
    dead_code,
    clippy::panic,
    clippy::print_stdout,
    reason = "each test takes what it needs, and says what it skips"
)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;

use super::Outcome;
use super::process::{Process, spare_ports};

/// Of the user `postgres`.
pub(crate) const PASSWORD: &str = "correct horse";

/// A server in a temporary folder. It ends with the tests, and its data with it.
///
/// It lets everybody into the database `template1`, and into others over TLS with a password only. Its certificate is for
/// `localhost`.
#[derive(Debug)]
pub(crate) struct Server {
    process: Process,
    files: Files,
}

impl Server {
    /// The server, if this machine has PostgreSQL and openssl; it says so if not.
    pub(crate) fn shared() -> Option<&'static Self> {
        static SERVER: OnceLock<Option<Server>> = OnceLock::new();
        SERVER.get_or_init(|| Self::start().unwrap_or_else(|error| panic!("{error}"))).as_ref()
    }

    fn start() -> Outcome<Option<Self>> {
        let Some(bin) = binaries() else {
            isogloss_testkit::skipped("no initdb in /usr/lib/postgresql: install the package postgresql");
            return Ok(None);
        };
        if Command::new("openssl").arg("version").output().is_err() {
            isogloss_testkit::skipped("no openssl is installed");
            return Ok(None);
        }
        let files = Files::new()?;
        fs::write(files.place("password"), PASSWORD)?;
        files.run(
            &bin.join("initdb"),
            "--username=postgres --auth=trust --encoding=UTF8 --locale=C.UTF-8 --no-sync --pwfile=password -D data",
        )?;
        files.certify()?;
        let access = "host template1 all all trust\nhostssl all all all scram-sha-256\n";
        fs::write(files.place("data/pg_hba.conf"), access)?;
        for port in spare_ports().take(10) {
            let log = fs::File::create(files.place("log"))?;
            let mut command = files.command(&bin.join("postgres"));
            command.arg("-D").arg(files.place("data")).args(["-p", &port.number.to_string()]);
            for setting in [
                "listen_addresses=127.0.0.1".to_owned(),
                "unix_socket_directories=".into(),
                "fsync=off".into(),
                "ssl=on".into(),
                format!("ssl_cert_file={}", files.place("server.pem").display()),
                format!("ssl_key_file={}", files.place("server.key").display()),
            ] {
                command.args(["-c", &setting]);
            }
            command.stdout(log.try_clone()?).stderr(log);
            let Some(mut process) = Process::start(&mut command, files.folder.path(), port)? else { continue };
            // It takes connections before it lets anybody in.
            while !process.has_ended()? {
                let mut ready = files.command(&bin.join("pg_isready"));
                if ready.args(["-q", "-h", "127.0.0.1", "-p", &process.port().to_string()]).status()?.success() {
                    return Ok(Some(Self { process, files }));
                }
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
        }
        Err(fs::read_to_string(files.place("log"))?.into())
    }

    /// The certificate of who vouches for the server.
    pub(crate) fn authority(&self) -> PathBuf {
        self.files.place("ca.pem")
    }

    /// The certificate of somebody who vouches for nobody here.
    pub(crate) fn stranger(&self) -> PathBuf {
        self.files.place("stranger.pem")
    }

    /// What it has told since its start.
    pub(crate) fn log(&self) -> Outcome<String> {
        Ok(fs::read_to_string(self.files.place("log"))?)
    }

    pub(crate) fn port(&self) -> u16 {
        self.process.port()
    }

    /// The database that everybody gets into.
    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/template1", self.process.port())
    }
}

/// The folder of a server, and the user whose it is.
#[derive(Debug)]
struct Files {
    folder: TempDir,
    user: Option<(u32, u32)>,
}

impl Files {
    fn new() -> Outcome<Self> {
        let folder = tempfile::Builder::new().prefix("isogloss-postgres-").tempdir()?;
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700))?;
        // PostgreSQL refuses to be root.
        let user = if is_root()? { Some(nobody()?) } else { None };
        if let Some((user, group)) = user {
            chown(folder.path(), Some(user), Some(group))?;
        }
        Ok(Self { folder, user })
    }

    fn place(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Makes a certificate for `localhost`, the one of who vouches for it, and a stranger's.
    fn certify(&self) -> Outcome {
        let openssl = Path::new("openssl");
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
        for name in ["ca", "stranger"] {
            let make = format!("req -x509 {key} -keyout {name}.key -out {name}.pem -subj /CN={name} -days 2");
            self.run(openssl, &make)?;
        }
        self.run(openssl, &format!("req {key} -keyout server.key -out server.req -subj /CN=localhost"))?;
        fs::write(self.place("names"), "subjectAltName=DNS:localhost")?;
        let sign =
            "x509 -req -in server.req -CA ca.pem -CAkey ca.key -CAcreateserial -out server.pem -days 2 -extfile names";
        self.run(openssl, sign)
    }

    fn run(&self, program: &Path, arguments: &str) -> Outcome {
        let done = self.command(program).args(arguments.split(' ')).output()?;
        if done.status.success() {
            return Ok(());
        }
        Err(format!("{}: {}", program.display(), String::from_utf8_lossy(&done.stderr)).into())
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        if let Some((user, group)) = self.user {
            command.uid(user).gid(group);
        }
        command
    }
}

/// The newest that Debian's packages have put there.
fn binaries() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let found = versions.filter_map(|version| Some(version.ok()?.path().join("bin")));
    found.filter(|bin| bin.join("initdb").exists()).max()
}

pub(crate) fn is_root() -> Outcome<bool> {
    let status = fs::read_to_string("/proc/self/status")?;
    Ok(status.lines().any(|line| line.starts_with("Uid:") && line.split_whitespace().nth(1) == Some("0")))
}

/// The numbers of the user `nobody` and its group.
pub(crate) fn nobody() -> Outcome<(u32, u32)> {
    let users = fs::read_to_string(Path::new("/etc/passwd"))?;
    let line = users.lines().find(|line| line.starts_with("nobody:")).ok_or("there is no user `nobody`")?;
    let mut fields = line.split(':').skip(2);
    let mut number = || Ok::<u32, Box<dyn std::error::Error>>(fields.next().unwrap_or_default().parse()?);
    Ok((number()?, number()?))
}
