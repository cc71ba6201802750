//! A server of the test's own.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use isogloss_mysql::driver::MySqlOptions;
use tokio::net::TcpStream;
use tokio::time::sleep;

/// A private MariaDB, to be killed at will.
pub struct Private {
    server: Option<Child>,
    folder: PathBuf,
    port: u16,
    options: Vec<String>,
}

impl Private {
    /// `None` where MariaDB is not installed.
    pub async fn new(name: &str, option: &'static str) -> Option<Self> {
        Self::with(folder(name), vec![option.to_owned()]).await
    }

    /// One with a certificate that it has signed itself. `None` also where there is no openssl to make that.
    pub async fn encrypted(name: &str) -> Option<Self> {
        let keys = folder(&format!("{name}-keys"));
        let (key, certificate) = (keys.join("key.pem"), keys.join("certificate.pem"));
        let made = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=elsewhere"])
            .arg("-keyout")
            .arg(&key)
            .arg("-out")
            .arg(&certificate)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        let server = match made {
            Ok(status) if status.success() => {
                let options =
                    vec![format!("--ssl-key={}", key.display()), format!("--ssl-cert={}", certificate.display())];
                Self::with(folder(name), options).await
            }
            _ => {
                println!("skipped: no openssl is installed");
                None
            }
        };
        // The server has read them when it answers.
        let _ = std::fs::remove_dir_all(&keys);
        server
    }

    async fn with(folder: PathBuf, options: Vec<String>) -> Option<Self> {
        let made = Command::new("mariadb-install-db")
            .args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db", "--user=root"])
            .arg(format!("--datadir={}", folder.display()))
            .env("TMPDIR", temporary(&folder))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        let mut private = Self { server: None, folder, port: spare_port(), options };
        match made {
            Ok(status) if status.success() && private.start().await => Some(private),
            _ => {
                println!("skipped: no mariadb-server-core and mariadb-client-core are installed");
                None
            }
        }
    }

    pub async fn start(&mut self) -> bool {
        let server = Command::new("mariadbd")
            .args(["--no-defaults", "--user=root", "--bind-address=127.0.0.1", "--max-connections=200"])
            .args(&self.options)
            .arg(format!("--port={}", self.port))
            .arg(format!("--datadir={}", self.folder.display()))
            .arg(format!("--socket={}", self.folder.join("socket").display()))
            .arg(format!("--log-error={}", self.folder.join("log").display()))
            .env("TMPDIR", temporary(&self.folder))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(server) = server else { return false };
        self.server = Some(server);
        for _ in 0..300 {
            if TcpStream::connect(("127.0.0.1", self.port)).await.is_ok() {
                return true;
            }
            sleep(Duration::from_millis(100)).await;
        }
        false
    }

    /// As a power cut does, without a word to anybody.
    pub fn kill(&mut self) {
        if let Some(mut server) = self.server.take() {
            server.kill().unwrap();
            server.wait().unwrap();
        }
    }

    pub fn options(&self) -> MySqlOptions {
        MySqlOptions::url(&format!("mysql://root@127.0.0.1:{}/mysql", self.port)).unwrap()
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        self.kill();
        let _ = std::fs::remove_dir_all(&self.folder);
        let _ = std::fs::remove_dir_all(temporary(&self.folder));
    }
}

/// Where a server puts what it needs for a while. One that starts takes away what another of its kind has there.
fn temporary(folder: &Path) -> PathBuf {
    folder.with_extension("tmp")
}

/// An empty folder of the test's own.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("isogloss-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir(&folder).unwrap();
    std::fs::create_dir_all(temporary(&folder)).unwrap();
    folder
}

/// A port that is still the server's own when it has been killed and starts again: below those that the system gives to the
/// near ends of connections (32768 and up).
fn spare_port() -> u16 {
    static TRIED: AtomicU16 = AtomicU16::new(0);
    // Tests of other processes begin elsewhere.
    let first = u16::try_from(std::process::id() % 12_000).unwrap_or_default();
    let mut ports = (0..12_000).map(|_| 20_000 + (first + TRIED.fetch_add(1, Ordering::Relaxed)) % 12_000);
    ports.find(|port| std::net::TcpListener::bind(("127.0.0.1", *port)).is_ok()).unwrap()
}
