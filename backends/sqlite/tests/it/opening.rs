//! How files are opened, and what they may do then.

use std::path::{Path, PathBuf};
use std::time::Duration;

use isogloss_compiler::expr::Value;
use isogloss_driver::{AnyConnection, Backend, ConnectionExt, ErrorKind, Result, TransactionOptions};
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};
use tempfile::TempDir;

use crate::support::{Outcome, number, plain, unless_it_hangs, with};

/// A folder of its own, which is gone with it.
struct Folder(TempDir);

impl Folder {
    fn new() -> std::io::Result<Self> {
        Ok(Self(tempfile::Builder::new().prefix("isogloss-").tempdir()?))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn file(&self) -> PathBuf {
        self.path().join("a.db")
    }

    /// A connection to its file, which has a table of one row.
    async fn filled(&self) -> Result<(SqliteBackend, AnyConnection)> {
        let backend = SqliteBackend::open(SqliteOptions::file(self.file())).await?;
        let mut connection = backend.connect().await?;
        connection.execute(&plain("CREATE TABLE t (a INTEGER)")).await?;
        connection.execute(&plain("INSERT INTO t VALUES (1)")).await?;
        Ok((backend, connection))
    }
}

/// Waits until the last connection to a file is closed, which takes its log away.
async fn until_closed(file: &Path) -> Outcome {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    let gone = async {
        while Path::new(&log).exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Ok(())
    };
    unless_it_hangs(gone).await
}

async fn opened(text: &str) -> Result<AnyConnection> {
    SqliteBackend::open(SqliteOptions::url(text)?).await?.connect().await
}

async fn rows(connection: &mut AnyConnection) -> Result<i64> {
    number(&mut **connection, "SELECT COUNT(*) FROM t").await
}

#[tokio::test]
async fn a_wrong_name_is_no_new_database() -> Outcome {
    let folder = Folder::new()?;
    let file = folder.file().display().to_string();
    for text in [file.clone(), format!("sqlite:{file}"), format!("{file}?mode=ro")] {
        let error = opened(&text).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Connect);
        assert!(error.message().contains("create=true") && error.message().contains(&file), "{error}");
        assert!(!Path::new(&file).exists());
    }
    opened(&format!("{file}?create=true")).await?.script("CREATE TABLE t (a)").await?;
    assert_eq!(rows(&mut opened(&file).await?).await?, 0);
    for wrong in ["", ":memory:"] {
        let error = SqliteBackend::open(SqliteOptions::file(wrong)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration, "`{wrong}`");
    }
    Ok(())
}

#[tokio::test]
async fn a_file_that_is_only_read_stays_as_it_is() -> Outcome {
    let folder = Folder::new()?;
    let (backend, mut connection) = folder.filled().await?;
    connection.script("PRAGMA journal_mode = DELETE").await?;
    drop((connection, backend));
    let before = std::fs::read(folder.file())?;
    let mut connection = opened(&format!("{}?mode=ro", folder.file().display())).await?;
    assert_eq!(rows(&mut connection).await?, 1);
    let error = connection.execute(&plain("INSERT INTO t VALUES (2)")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Permission);
    drop(connection);
    assert_eq!(std::fs::read(folder.file())?, before);
    assert_eq!(std::fs::read_dir(folder.path())?.count(), 1);
    Ok(())
}

/// Runs a test of this program again as the user `nobody`, if this one is the administrator, who may write everything. Says whether
/// it did.
#[cfg(target_os = "linux")]
fn ran_as_nobody(test: &str) -> std::result::Result<bool, Box<dyn std::error::Error>> {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;
    let status = std::fs::read_to_string("/proc/self/status")?;
    if !status.lines().any(|line| line.starts_with("Uid:") && line.split_whitespace().nth(1) == Some("0")) {
        return Ok(false);
    }
    let users = std::fs::read_to_string("/etc/passwd")?;
    let nobody = users.lines().find(|line| line.starts_with("nobody:")).ok_or("there is no user `nobody`")?;
    let numbers: Vec<u32> = nobody.split(':').skip(2).take(2).map(str::parse).collect::<std::result::Result<_, _>>()?;
    let [user, group] = numbers[..] else { return Err("`nobody` has no numbers".into()) };
    // The folders above this program may be closed to others.
    let folder = Folder::new()?;
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755))?;
    let program = folder.path().join("it");
    std::fs::copy(std::env::current_exe()?, &program)?;
    let mut child = std::process::Command::new(&program);
    child.args([test, "--exact"]).current_dir(folder.path()).env("TMPDIR", std::env::temp_dir()).uid(user).gid(group);
    let done = child.output()?;
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&done.stderr));
    Ok(true)
}

/// A file that is not to be written, and a folder that takes no log: both can be read.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_cannot_be_written_can_be_read() -> Outcome {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;
    if ran_as_nobody("opening::what_cannot_be_written_can_be_read")? {
        return Ok(());
    }
    for (file, in_folder) in [(0o444, 0o755), (0o644, 0o555), (0o444, 0o555)] {
        let folder = Folder::new()?;
        set_permissions(folder.path(), Permissions::from_mode(0o755))?;
        let (backend, mut connection) = folder.filled().await?;
        connection.script("PRAGMA journal_mode = DELETE").await?;
        drop((connection, backend));
        set_permissions(folder.file(), Permissions::from_mode(file))?;
        set_permissions(folder.path(), Permissions::from_mode(in_folder))?;
        let is_closed = std::fs::File::create(folder.path().join("b")).is_err();
        let found = async { rows(&mut opened(&folder.file().display().to_string()).await?).await }.await;
        // The folder is removed in any case.
        set_permissions(folder.path(), Permissions::from_mode(0o755))?;
        assert!(in_folder != 0o555 || is_closed);
        assert_eq!(found?, 1);
    }
    Ok(())
}

#[tokio::test]
async fn a_file_s_name_is_no_uri() -> Outcome {
    /// Removes the file, which is in the folder of the crate: a name that begins with `file:` has no folder.
    struct Named(String);

    impl Named {
        fn remove(&self) {
            for suffix in ["", "-wal", "-shm"] {
                let _ = std::fs::remove_file(format!("{}{suffix}", self.0));
            }
        }
    }

    impl Drop for Named {
        fn drop(&mut self) {
            self.remove();
        }
    }

    let named = Named(format!("file:isogloss-uri-{}.db?mode=memory", std::process::id()));
    // A process of the same id may have been killed before.
    named.remove();
    let backend = SqliteBackend::open(SqliteOptions::file(&named.0)).await?;
    backend.connect().await?.execute(&plain("CREATE TABLE t (a)")).await?;
    drop(backend);
    assert!(Path::new(&named.0).exists(), "it is a file of that name");
    Ok(())
}

#[tokio::test]
async fn a_database_in_memory_can_be_shared() -> Outcome {
    let name = format!("isogloss-shared-{}?mode=memory", std::process::id());
    let mut first = opened(&name).await?;
    first.execute(&plain("CREATE TABLE t (a)")).await?;
    assert_eq!(rows(&mut opened(&name).await?).await?, 0);
    assert!(!Path::new(&name).exists());
    Ok(())
}

#[tokio::test]
async fn what_a_file_brings_with_it_is_not_trusted() -> Outcome {
    let mut connection = opened(":memory:").await?;
    connection.script("CREATE VIEW v AS SELECT name FROM pragma_database_list").await?;
    let error = connection.fetch::<(String,)>(&plain("SELECT name FROM v")).await.unwrap_err();
    assert!(error.message().contains("unsafe"), "{error}");
    // The functions that the dialect's texts use stand in views, indexes and columns.
    let schema = "CREATE TABLE t (a REAL CHECK (floor(a) < 100), b REAL AS (pow(a, 2)) STORED);
         CREATE INDEX t_a ON t (ceil(a));
         CREATE VIEW w AS SELECT sqrt(b) AS c, mod(a, 2) AS d FROM t;
         INSERT INTO t (a) VALUES (2.5)";
    connection.script(schema).await?;
    let sql = plain("SELECT c, d FROM w WHERE EXISTS (SELECT 1 FROM t WHERE ceil(a) = 3)");
    assert_eq!(connection.fetch_one::<(f64, f64)>(&sql).await?, (2.5, 0.5));
    Ok(())
}

#[tokio::test]
async fn no_statement_damages_the_file() -> Outcome {
    let mut connection = opened(":memory:").await?;
    let damage = "CREATE TABLE t (a); PRAGMA writable_schema = 1; UPDATE sqlite_schema SET rootpage = 7";
    assert!(connection.script(damage).await.is_err());
    let found = connection.fetch_one::<(i64,)>(&plain("SELECT rootpage FROM sqlite_schema")).await?;
    assert_ne!(found, (7,));
    Ok(())
}

#[tokio::test]
async fn a_damaged_file_has_an_error_of_its_own() -> Outcome {
    let folder = Folder::new()?;
    let (backend, mut connection) = folder.filled().await?;
    let many =
        "INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9999) SELECT i FROM n";
    connection.execute(&plain(many)).await?;
    connection.script("PRAGMA journal_mode = DELETE").await?;
    drop((connection, backend));
    let mut bytes = std::fs::read(folder.file())?;
    bytes[4096..].fill(0x5a);
    std::fs::write(folder.file(), bytes)?;
    let mut connection = opened(&folder.file().display().to_string()).await?;
    let error = connection.fetch::<(i64,)>(&plain("SELECT a FROM t")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    Ok(())
}

/// A write that gives more bytes than are kept of a short answer is done once.
#[tokio::test]
async fn a_write_with_a_long_answer_is_done_once() -> Outcome {
    let mut connection = opened(":memory:").await?;
    connection.script("CREATE TABLE t (a TEXT)").await?;
    let insert = |length: usize| with("INSERT INTO t VALUES (?) RETURNING a", [Value::from("x".repeat(length))]);
    for in_transaction in [false, true] {
        if in_transaction {
            connection.begin(&TransactionOptions::default()).await?;
        }
        for length in [1, 1, 1, 1, 1, 1, 700_000] {
            assert_eq!(connection.fetch_one::<(String,)>(&insert(length)).await?.0.len(), length);
        }
    }
    assert_eq!(rows(&mut connection).await?, 14);
    Ok(())
}

/// A database in memory would be gone with a connection that is closed.
#[tokio::test]
async fn a_closed_connection_in_memory_loses_nothing() -> Outcome {
    let backend = SqliteBackend::open(SqliteOptions::memory()).await?;
    let mut connection = backend.connect().await?;
    connection.execute(&plain("CREATE TABLE t (a)")).await?;
    connection.close();
    drop(connection);
    assert_eq!(rows(&mut backend.connect().await?).await?, 0);
    Ok(())
}

/// What is written then is in no file that anybody can open.
#[cfg(unix)]
#[tokio::test]
async fn a_file_that_is_deleted_or_replaced_takes_no_writes() -> Outcome {
    let folder = Folder::new()?;
    let (backend, mut connection) = folder.filled().await?;
    drop(connection);
    let away = folder.path().join("away.db");
    std::fs::rename(folder.file(), &away)?;
    let error = backend.connect().await.map(drop).unwrap_err();
    assert!(error.kind() == ErrorKind::Connect && error.message().contains("was deleted"), "{error}");
    assert!(!folder.file().exists());
    std::fs::write(folder.file(), b"")?;
    let error = backend.connect().await.map(drop).unwrap_err();
    assert!(error.kind() == ErrorKind::Connect && error.message().contains("was replaced"), "{error}");
    // It is back.
    std::fs::rename(&away, folder.file())?;
    connection = backend.connect().await?;
    assert_eq!(rows(&mut connection).await?, 1);
    Ok(())
}

/// With a write-ahead log, who only reads makes a file beside it as well, which cannot be made here.
#[cfg(unix)]
#[tokio::test]
async fn a_file_that_nobody_writes_needs_none_beside_it() -> Outcome {
    let folder = Folder::new()?;
    let (backend, connection) = folder.filled().await?;
    drop((connection, backend));
    until_closed(&folder.file()).await?;
    let file = folder.file().display().to_string();
    assert_eq!(std::fs::read_dir(folder.path())?.count(), 1);
    std::os::unix::fs::symlink("/nowhere/at/all", format!("{file}-shm"))?;
    let error = opened(&format!("{file}?mode=ro")).await.unwrap_err();
    assert!(error.kind() == ErrorKind::Connect && error.message().contains("immutable=true"), "{error}");
    let text = format!("{file}?mode=ro&immutable=true");
    let mut connection = opened(&text).await?;
    assert_eq!(rows(&mut connection).await?, 1);
    let error = connection.execute(&plain("INSERT INTO t VALUES (2)")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Permission);
    let error = opened(&format!("{file}?immutable=true")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
    // What stands in the log alone would be left out.
    std::fs::write(format!("{file}-wal"), b"rows")?;
    let error = opened(&text).await.unwrap_err();
    assert!(error.kind() == ErrorKind::Configuration && error.message().contains("log"), "{error}");
    std::fs::remove_file(format!("{file}-wal"))?;
    // A journal of a transaction that has ended begins with zeros; another one would be taken back.
    std::fs::write(format!("{file}-journal"), [0; 28])?;
    assert_eq!(rows(&mut opened(&text).await?).await?, 1);
    std::fs::write(format!("{file}-journal"), b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7")?;
    assert_eq!(opened(&text).await.unwrap_err().kind(), ErrorKind::Configuration);
    Ok(())
}

#[cfg(unix)]
#[tokio::test]
async fn the_name_of_a_file_that_nobody_writes_is_taken_as_it_stands() -> Outcome {
    let folder = Folder::new()?;
    let odd = folder.path().join("50% of a?b#c &d.db");
    let backend = SqliteBackend::open(SqliteOptions::file(&odd)).await?;
    backend.connect().await?.script("CREATE TABLE t (a INTEGER)").await?;
    drop(backend);
    until_closed(&odd).await?;
    let backend = SqliteBackend::open(SqliteOptions::file(&odd).immutable()).await?;
    assert_eq!(rows(&mut backend.connect().await?).await?, 0);
    // Two slashes begin no authority.
    let twice = format!("/{}", odd.display());
    let backend = SqliteBackend::open(SqliteOptions::file(twice).immutable()).await?;
    assert_eq!(rows(&mut backend.connect().await?).await?, 0);
    Ok(())
}
