//! Servers of the tests' own. All tests of the executable share them.

use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use isogloss_mysql::driver::MySqlOptions;
use tempfile::TempDir;

use super::pool;
use super::process::{Process, spare_ports};

/// A MariaDB that ends with the tests.
#[derive(Debug)]
pub struct Private {
    /// Whether it has a certificate, which it has signed itself.
    pub is_encrypted: bool,
    process: Process,
    _folder: TempDir,
}

impl Private {
    /// One that waits no longer than a second for who reads or writes, and knows encryption if openssl is installed.
    /// `None` where MariaDB is not installed.
    pub fn impatient() -> Option<&'static Self> {
        static SERVER: OnceLock<Option<Private>> = OnceLock::new();
        SERVER.get_or_init(|| Self::start(&["--net-read-timeout=1", "--net-write-timeout=1"], true)).as_ref()
    }

    /// One that takes no files of its clients. `None` where MariaDB is not installed.
    pub fn without_local_files() -> Option<&'static Self> {
        static SERVER: OnceLock<Option<Private>> = OnceLock::new();
        SERVER.get_or_init(|| Self::start(&["--local-infile=0"], false)).as_ref()
    }

    /// How many statements [`forgetful`](Self::forgetful) keeps.
    pub const STATEMENTS: i64 = 20;

    /// One that keeps few prepared statements for all of its clients. `None` where MariaDB is not installed.
    pub fn forgetful() -> Option<&'static Self> {
        static SERVER: OnceLock<Option<Private>> = OnceLock::new();
        let most = format!("--max-prepared-stmt-count={}", Self::STATEMENTS);
        SERVER.get_or_init(|| Self::start(&[&most], false)).as_ref()
    }

    fn start(options: &[&str], encrypted: bool) -> Option<Self> {
        let folder = tempfile::Builder::new().prefix("isogloss-mariadb-").tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        std::fs::create_dir(place("tmp")).unwrap();
        let user = is_root(folder.path()).then_some("--user=root");
        let made = Command::new("mariadb-install-db")
            .args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db"])
            .args(user)
            .arg(format!("--datadir={}", place("data").display()))
            .env("TMPDIR", place("tmp"))
            .output();
        let made = match made {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                isogloss_testkit::skipped("no mariadb-server-core and mariadb-client-core are installed");
                return None;
            }
            made => made.unwrap(),
        };
        let said = [made.stdout, made.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
        assert!(made.status.success(), "{said}");
        let is_encrypted = encrypted && certify(folder.path());
        for port in spare_ports().take(10) {
            let mut command = Command::new("mariadbd");
            command
                .args(["--no-defaults", "--bind-address=127.0.0.1", "--max-connections=200"])
                .args(user)
                .args(options)
                .arg(format!("--port={}", port.number))
                .arg(format!("--datadir={}", place("data").display()))
                .arg(format!("--socket={}", place("socket").display()))
                .arg(format!("--log-error={}", place("log").display()))
                .env("TMPDIR", place("tmp"))
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            if is_encrypted {
                command.arg(format!("--ssl-key={}", place("key.pem").display()));
                command.arg(format!("--ssl-cert={}", place("certificate.pem").display()));
            }
            if let Some(process) = Process::start(&mut command, folder.path(), port).unwrap() {
                return Some(Self { is_encrypted, process, _folder: folder });
            }
        }
        panic!("{}", std::fs::read_to_string(place("log")).unwrap_or_default());
    }

    pub fn options(&self) -> MySqlOptions {
        MySqlOptions::url(&format!("mysql://root@127.0.0.1:{}/mysql", self.process.port())).unwrap().pool(pool(100))
    }
}

/// Returns whether the owner of a folder is root, for whom MariaDB needs `--user=root`.
#[cfg(unix)]
fn is_root(folder: &Path) -> bool {
    std::os::unix::fs::MetadataExt::uid(&folder.metadata().unwrap()) == 0
}

#[cfg(not(unix))]
fn is_root(_: &Path) -> bool {
    false
}

/// Makes a key and a certificate. Returns `false` if openssl is not installed.
fn certify(folder: &Path) -> bool {
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=elsewhere"])
        .args(["-keyout", "key.pem", "-out", "certificate.pem"])
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    made.is_ok_and(|status| status.success())
}
