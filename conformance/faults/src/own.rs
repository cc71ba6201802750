//! A server of a scenario's own.

use std::env;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::time::{Duration, Instant};

use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::task::block_in_place;
use tokio::time::sleep;

use crate::place::Place;
use crate::{HANG, Outcome, settled};

const SERVERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../engines/local.sh");

/// A server, which ends with this, with its data.
pub struct Server {
    /// Where it has its files.
    pub folder: PathBuf,
    /// Where it listens.
    pub port: u16,
    /// A database there, as a connection string.
    pub url: String,
    engine: &'static str,
    pid: String,
}

impl Server {
    /// Starts a server of the place's kind.
    ///
    /// # Errors
    /// It cannot be had here.
    pub async fn start(place: &Place, number: u8) -> Outcome<Self> {
        Self::with_room(place, number, "").await
    }

    /// Starts one whose data has a file system of its own, of that size.
    ///
    /// # Errors
    /// It cannot be had here.
    pub async fn with_room(place: &Place, number: u8, room: &str) -> Outcome<Self> {
        let (engine, form) = match place.provider.as_str() {
            "postgres" if place.engine.ends_with(" 18") => ("postgres18", "postgres://postgres@127.0.0.1:_/postgres"),
            "postgres" => ("postgres", "postgres://postgres@127.0.0.1:_/postgres"),
            _ if place.engine.starts_with("mariadb") => ("mariadb", "mysql://root@127.0.0.1:_/mysql"),
            _ => ("mysql", "mysql://root@127.0.0.1:_/mysql"),
        };
        let folder = env::temp_dir().join(format!("{}_{number}", place.name));
        // What it has begun ends with this, too.
        let mut server = Self { folder, port: 0, url: String::new(), engine, pid: String::new() };
        server.told(Command::new(SERVERS).args(["up", engine]).env("ISOGLOSS_ENGINES_ROOM", room)).await?;
        server.port = server.file("port")?.parse()?;
        server.url = form.replace('_', &server.port.to_string());
        Ok(server)
    }

    /// Kills its processes, which have no time to do anything more, and waits until they are gone.
    ///
    /// # Errors
    /// The system does not tell which they are, or does not let go of them.
    pub async fn kill(&self) -> Outcome<()> {
        let stopped = self.stop()?;
        signal("KILL", &stopped.0)?;
        // PostgreSQL takes for a server that runs what nobody has waited for yet, too.
        let is_there = |pid: &String| Path::new("/proc").join(pid).exists();
        settled(|| async {
            match stopped.0.iter().find(|pid| is_there(pid)) {
                Some(pid) => Err(format!("process {pid} does not end").into()),
                None => Ok(()),
            }
        })
        .await
    }

    /// Starts it again on what it has left.
    ///
    /// # Errors
    /// It does not start.
    pub async fn again(&mut self) -> Outcome<()> {
        self.told(Command::new(SERVERS).args(["again", self.engine])).await
    }

    /// Leaves so many mebibytes of room for its data.
    ///
    /// # Errors
    /// It has no file system of its own.
    pub async fn leave(&self, mebibytes: u64) -> Outcome<()> {
        // What is written between the two questions may take the room that was to be left.
        settled(|| self.remounted(mebibytes)).await
    }

    async fn remounted(&self, mebibytes: u64) -> Outcome<()> {
        let data = self.folder.join(self.engine).join("data");
        let used = Command::new("df").args(["--block-size=1M", "--output=used"]).arg(&data).output().await?;
        let used = String::from_utf8(used.stdout)?;
        let used: u64 = used.lines().last().unwrap_or_default().trim().parse()?;
        let size = format!("remount,size={}m", used + mebibytes);
        let status = Command::new("mount").args(["-o", &size]).arg(&data).status().await?;
        if status.success() { Ok(()) } else { Err(format!("mount -o {size}: {status}").into()) }
    }

    /// Lets its processes stand still until what this gives is dropped.
    ///
    /// # Errors
    /// The system does not tell which they are, or does not stop them.
    pub fn stop(&self) -> Outcome<Stopped> {
        // The first process makes no others then.
        let mut stopped = Stopped(Vec::new());
        stopped.add(&self.pid)?;
        let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", self.pid))?;
        children.split_whitespace().try_for_each(|pid| stopped.add(pid))?;
        Ok(stopped)
    }

    async fn told(&mut self, command: &mut Command) -> Outcome<()> {
        if let Some(others) = env::var_os("ISOGLOSS_ENGINES") {
            command.env("ISOGLOSS_ENGINES_LIKE", others);
        }
        let done = command.env("ISOGLOSS_ENGINES", &self.folder).output().await?;
        if !done.status.success() {
            return Err(String::from_utf8_lossy(&done.stderr).trim().into());
        }
        self.pid = self.file("pid")?;
        Ok(())
    }

    fn file(&self, name: &str) -> Outcome<String> {
        Ok(fs::read_to_string(self.folder.join(self.engine).join(name))?.trim().to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut down = process::Command::new(SERVERS);
        down.arg("down").env("ISOGLOSS_ENGINES", &self.folder).stdout(Stdio::null()).stderr(Stdio::null());
        // It takes seconds, in which the clocks of the tasks beside this one go on.
        let _ = block_in_place(|| down.status());
    }
}

/// Processes that stand still until this is dropped.
pub struct Stopped(Vec<String>);

impl Stopped {
    fn add(&mut self, pid: &str) -> Outcome<()> {
        signal("STOP", &[pid.to_owned()])?;
        self.0.push(pid.to_owned());
        Ok(())
    }
}

impl Stopped {
    /// Waits until the last of their threads stands still.
    ///
    /// # Errors
    /// The system does not tell, or one runs on.
    pub async fn stand_still(&self) -> Outcome<()> {
        settled(|| async { if self.is_still()? { Ok(()) } else { Err("a stopped process runs on".into()) } }).await
    }

    fn is_still(&self) -> Outcome<bool> {
        for pid in &self.0 {
            for thread in fs::read_dir(format!("/proc/{pid}/task"))? {
                let status = fs::read_to_string(thread?.path().join("stat"))?;
                // The state follows the name, which is in parentheses.
                if !status.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(['T', 't'])) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        // Those that were killed are no more.
        let mut go_on = process::Command::new("kill");
        let _ = go_on.arg("-CONT").args(&self.0).stderr(Stdio::null()).status();
    }
}

fn signal(name: &str, pids: &[String]) -> Outcome<()> {
    let status = process::Command::new("kill").arg(format!("-{name}")).args(pids).status()?;
    if status.success() { Ok(()) } else { Err(format!("kill -{name} {pids:?}: {status}").into()) }
}

/// Lets this process have so many files open, and each that it starts.
///
/// # Errors
/// The system does not let it.
pub async fn may_open(files: u64) -> Outcome<()> {
    let limits = fs::read_to_string("/proc/self/limits")?;
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max open files")).unwrap_or_default();
    let limit = limit.split_whitespace().next().unwrap_or_default();
    if limit.parse::<u64>().is_ok_and(|most| most < files) {
        let (pid, limit) = (format!("--pid={}", process::id()), format!("--nofile={files}:"));
        let status = Command::new("prlimit").args([pid, limit]).status().await?;
        if !status.success() {
            return Err(format!("{files} files may not be open at once: `ulimit -Hn` says how many").into());
        }
    }
    Ok(())
}

/// A program that listens on a port of its own, and ends with this.
pub struct Listener {
    /// Where it listens.
    pub port: u16,
    _child: Child,
}

impl Listener {
    /// Starts the program with settings that are made for the port, in a file of that folder, which is the last argument.
    ///
    /// # Errors
    /// It does not listen.
    pub async fn start(folder: &Path, settings: impl FnOnce(u16) -> String, mut command: Command) -> Outcome<Self> {
        let port = TcpListener::bind("127.0.0.1:0").await?.local_addr()?.port();
        let file = folder.join(format!("isogloss_faults_{}_{port}.conf", process::id()));
        fs::write(&file, settings(port))?;
        command.arg(&file);
        let listener = Self::at(port, command).await?;
        fs::remove_file(&file)?;
        Ok(listener)
    }

    /// Starts a program that was told to listen on that port.
    ///
    /// # Errors
    /// It does not listen.
    pub async fn at(port: u16, mut command: Command) -> Outcome<Self> {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true).spawn()?;
        let begun = Instant::now();
        while child.try_wait()?.is_none() && begun.elapsed() < HANG {
            if TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
                return Ok(Self { port, _child: child });
            }
            sleep(Duration::from_millis(20)).await;
        }
        Err(format!("{command:?} does not answer").into())
    }
}

/// Where a program is, which may not be on the path of everybody.
#[must_use]
pub fn program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain([PathBuf::from("/usr/sbin")])
        .map(|folder| folder.join(name))
        .find(|file| file.exists())
}

/// A command that runs as nobody where root asks for it: some programs refuse to be root.
///
/// # Errors
/// The system does not tell who asks.
pub fn unprivileged(program: PathBuf) -> Outcome<Command> {
    if fs::metadata("/proc/self")?.uid() != 0 {
        return Ok(Command::new(program));
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups"]).arg(program);
    Ok(command)
}
