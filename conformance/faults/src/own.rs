//! A server of a scenario's own.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::{self, Stdio};

use tokio::process::Command;

use crate::Outcome;
use crate::place::Place;

const SERVERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../engines/local.sh");

/// A server, which ends with this, with its data.
pub struct Server {
    /// Where it has its files.
    pub folder: PathBuf,
    /// Where it listens.
    pub port: u16,
    pid: String,
}

impl Server {
    /// Starts a server of the place's kind.
    ///
    /// # Errors
    /// It cannot be had here.
    pub async fn start(place: &Place, number: u8) -> Outcome<Self> {
        let engine = match place.provider.as_str() {
            "postgres" if place.engine.ends_with(" 18") => "postgres18",
            "mysql" if place.engine.starts_with("mariadb") => "mariadb",
            provider => provider,
        };
        let folder = env::temp_dir().join(format!("{}_{number}", place.name));
        // What it has begun ends with this, too.
        let mut server = Self { folder, port: 0, pid: String::new() };
        let done = Command::new(SERVERS).args(["up", engine]).env("ISOGLOSS_ENGINES", &server.folder).output().await?;
        if !done.status.success() {
            return Err(String::from_utf8_lossy(&done.stderr).trim().into());
        }
        let told = |file: &str| fs::read_to_string(server.folder.join(engine).join(file));
        let (port, pid) = (told("port")?, told("pid")?);
        server.port = port.trim().parse()?;
        server.pid = pid.trim().to_owned();
        Ok(server)
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
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut down = process::Command::new(SERVERS);
        let _ =
            down.arg("down").env("ISOGLOSS_ENGINES", &self.folder).stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}

/// Processes that stand still until this is dropped.
pub struct Stopped(Vec<String>);

impl Stopped {
    fn add(&mut self, pid: &str) -> Outcome<()> {
        let status = process::Command::new("kill").args(["-STOP", pid]).status()?;
        if !status.success() {
            return Err(format!("process {pid} cannot be stopped").into());
        }
        self.0.push(pid.to_owned());
        Ok(())
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = process::Command::new("kill").arg("-CONT").args(&self.0).status();
    }
}
