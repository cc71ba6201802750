//! Servers that a test starts: they end with it, however it ends.

#![allow(dead_code, reason = "each test takes what it needs")]

use std::io::{self, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How long a server may take to start. Only one that hangs takes so long.
const START: Duration = Duration::from_secs(120);

/// Kills a process and removes its folder, unless it reads a line: its input ends with the process of the test. A signal to
/// all processes of the test does not end it.
const WATCH: &str = "trap '' HUP INT TERM; read -r ended && exit; kill -9 \"$1\"
for _ in 1 2 3 4 5; do rm -rf \"$2\" && exit; sleep 1; done";

/// A server that is killed when this is dropped, or when the process of the test is gone.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    watch: Child,
    port: Port,
}

impl Process {
    /// Starts a program whose files are in `folder`, and waits until its port answers. `None` if it ends before that.
    pub(crate) fn start(command: &mut Command, folder: &Path, port: Port) -> io::Result<Option<Self>> {
        let mut child = command.stdin(Stdio::null()).spawn()?;
        let watch = Command::new("sh")
            .args(["-c", WATCH, "sh"])
            .arg(child.id().to_string())
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let watch = watch.inspect_err(|_| drop(child.kill()))?;
        let mut process = Self { child, watch, port };
        let begun = Instant::now();
        while begun.elapsed() < START {
            if process.has_ended()? {
                return Ok(None);
            }
            if TcpStream::connect(("127.0.0.1", process.port())).is_ok() {
                return Ok(Some(process));
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err(io::Error::new(io::ErrorKind::TimedOut, "the server does not answer"))
    }

    pub(crate) fn has_ended(&mut self) -> io::Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    pub(crate) fn port(&self) -> u16 {
        self.port.number
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(mut input) = self.watch.stdin.take() {
            let _ = input.write_all(b"ended\n");
        }
        let _ = self.watch.wait();
    }
}

/// A port that no other test takes while this exists: the UDP port of the same number says so to all processes.
#[derive(Debug)]
pub(crate) struct Port {
    pub(crate) number: u16,
    _taken: UdpSocket,
}

/// Ports that no server has, below those that the system gives to clients (32768 and up). A server that does not start is
/// started again on the next port.
pub(crate) fn spare_ports() -> impl Iterator<Item = Port> {
    static TRIED: AtomicU16 = AtomicU16::new(0);
    // Tests of other processes begin elsewhere.
    let first = u16::try_from(std::process::id() % 12_000).unwrap_or_default();
    let numbers = (0..12_000).map(move |_| 20_000 + (first + TRIED.fetch_add(1, Ordering::Relaxed)) % 12_000);
    numbers.filter_map(|number| {
        let taken = UdpSocket::bind(("127.0.0.1", number)).ok()?;
        TcpListener::bind(("127.0.0.1", number)).ok()?;
        Some(Port { number, _taken: taken })
    })
}
