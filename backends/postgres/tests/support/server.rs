//! A PostgreSQL server of the test's own, to be killed.
#![allow(dead_code, clippy::print_stdout, reason = "each test takes what it needs, and says what it skips")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use super::support::Outcome;

/// Of the user `postgres`.
pub(crate) const PASSWORD: &str = "correct horse";

/// A server in a temporary folder. It ends with the test, and its data with it.
pub(crate) struct Server {
    bin: PathBuf,
    folder: PathBuf,
    user: Option<(u32, u32)>,
    settings: Vec<String>,
    port: u16,
    child: Option<Child>,
}

impl Server {
    /// Starts one, if this machine has PostgreSQL; it says so if not.
    pub(crate) fn start(name: &str) -> Outcome<Option<Self>> {
        let Some(bin) = binaries() else {
            println!("skipped: no initdb in /usr/lib/postgresql: install the package postgresql");
            return Ok(None);
        };
        let folder = std::env::temp_dir().join(format!("isogloss-{name}-{}", std::process::id()));
        fs::create_dir(&folder)?;
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700))?;
        // PostgreSQL refuses to be root.
        let user = if is_root()? { Some(nobody()?) } else { None };
        if let Some((user, group)) = user {
            chown(&folder, Some(user), Some(group))?;
        }
        let port = spare_port().ok_or("there is no spare port")?;
        let mut server = Self { bin, folder, user, settings: Vec::new(), port, child: None };
        fs::write(server.folder.join("password"), PASSWORD)?;
        server.run(
            &server.bin.join("initdb"),
            "--username=postgres --auth=trust --encoding=UTF8 --locale=C.UTF-8 --no-sync --pwfile=password -D data",
        )?;
        server.restart()?;
        Ok(Some(server))
    }

    /// Has it take passwords over TLS only, with a certificate for `localhost`. Gives the one of who vouches for it.
    pub(crate) fn encrypt(&mut self) -> Outcome<PathBuf> {
        let openssl = Path::new("openssl");
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
        self.run(openssl, &format!("req -x509 {key} -keyout ca.key -out ca.pem -subj /CN=ca -days 2"))?;
        self.run(openssl, &format!("req {key} -keyout server.key -out server.req -subj /CN=localhost"))?;
        fs::write(self.folder.join("names"), "subjectAltName=DNS:localhost")?;
        let sign =
            "x509 -req -in server.req -CA ca.pem -CAkey ca.key -CAcreateserial -out server.pem -days 2 -extfile names";
        self.run(openssl, sign)?;
        fs::write(self.folder.join("data/pg_hba.conf"), "hostssl all all all scram-sha-256\n")?;
        let file = |name: &str| self.folder.join(name).display().to_string();
        self.settings = vec![
            "ssl=on".into(),
            format!("ssl_cert_file={}", file("server.pem")),
            format!("ssl_key_file={}", file("server.key")),
        ];
        self.kill()?;
        self.restart()?;
        Ok(self.folder.join("ca.pem"))
    }

    /// The certificate of somebody who vouches for nobody here.
    pub(crate) fn stranger(&self) -> Outcome<PathBuf> {
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
        let make = format!("req -x509 {key} -keyout stranger.key -out stranger.pem -subj /CN=stranger -days 2");
        self.run(Path::new("openssl"), &make)?;
        Ok(self.folder.join("stranger.pem"))
    }

    /// What it has told since its last start.
    pub(crate) fn log(&self) -> Outcome<String> {
        Ok(fs::read_to_string(self.folder.join("log"))?)
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
        command.current_dir(&self.folder).stdin(Stdio::null());
        if let Some((user, group)) = self.user {
            command.uid(user).gid(group);
        }
        command
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// As a loss of power would, as far as one machine can tell.
    pub(crate) fn kill(&mut self) -> Outcome {
        if let Some(mut child) = self.child.take() {
            child.kill()?;
            child.wait()?;
        }
        Ok(())
    }

    /// Starts it again, and waits until it lets in whoever comes.
    pub(crate) fn restart(&mut self) -> Outcome {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(60) {
            // While processes of the one that was killed are still ending, there cannot be another.
            if self.child.as_mut().is_none_or(|child| !matches!(child.try_wait(), Ok(None))) {
                let log = fs::File::create(self.folder.join("log"))?;
                let mut command = self.command(&self.bin.join("postgres"));
                command.arg("-D").arg(self.folder.join("data")).args(["-p", &self.port.to_string()]);
                command.args(["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off"]);
                command.args(self.settings.iter().flat_map(|setting| ["-c", setting]));
                self.child = Some(command.stdout(log.try_clone()?).stderr(log).spawn()?);
            }
            let mut ready = self.command(&self.bin.join("pg_isready"));
            ready.args(["-q", "-h", "127.0.0.1", "-p", &self.port.to_string()]);
            if ready.status()?.success() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Err(fs::read_to_string(self.folder.join("log"))?.into())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.kill();
        // Its other processes see that it is gone.
        std::thread::sleep(Duration::from_millis(300));
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A port that is still the server's own when it has been killed and starts again: below those that the system gives to the
/// near ends of connections (32768 and up).
fn spare_port() -> Option<u16> {
    static TRIED: AtomicU16 = AtomicU16::new(0);
    // Tests of other processes begin elsewhere.
    let first = u16::try_from(std::process::id() % 12_000).unwrap_or_default();
    let mut ports = (0..12_000).map(|_| 20_000 + (first + TRIED.fetch_add(1, Ordering::Relaxed)) % 12_000);
    ports.find(|port| std::net::TcpListener::bind(("127.0.0.1", *port)).is_ok())
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
