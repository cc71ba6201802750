//! How a SQLite database is opened.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use isogloss_driver::{Error, ErrorKind, PoolOptions, Result, time};
use rusqlite::{Connection, OpenFlags};

use super::error::error;

/// How a SQLite database is opened.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SqliteOptions {
    /// The file; `None` is a database in memory, which has one connection and is gone with its backend.
    pub path: Option<PathBuf>,
    /// Whether the path is no file, but the name of a database in memory that the connections of this process share. It is
    /// gone with the last of them.
    pub shared_memory: bool,
    /// Whether a file that is not there is made.
    pub create: bool,
    /// Whether the file is only read. Nothing about it is changed then, its journal among that.
    pub read_only: bool,
    /// Whether the file cannot change while it is open, as on a read-only medium. SQLite then takes no locks and needs no
    /// `-wal` or `-shm` file. If the file does change, results are wrong. Requires `read_only`. A file with something in
    /// its `-wal` or `-journal` is refused.
    pub immutable: bool,
    /// The pool. SQLite itself builds no value and no row that has more than twice its `value_bytes` (or a mebibyte, if
    /// that is more): a longer one is an error of the kind `BadValue`, whatever a statement concatenates.
    pub pool: PoolOptions,
    /// How long a statement waits for others that write, if it may run for so long.
    pub busy_timeout: Duration,
}

impl SqliteOptions {
    /// A file, made if it is not there.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self { path: Some(path.into()), ..Self::memory() }
    }

    /// A database in memory.
    #[must_use]
    pub fn memory() -> Self {
        let (pool, busy_timeout) = (PoolOptions::default(), Duration::from_secs(5));
        Self { path: None, shared_memory: false, create: true, read_only: false, immutable: false, pool, busy_timeout }
    }

    /// What a connection string says: `:memory:`, or the path of a file that is there, each alone or behind `sqlite:`, and
    /// perhaps parameters.
    ///
    /// `create=true` makes a file that is not there, and `mode` is `rwc` (with that), `rw`, `ro` (the file is only read) or
    /// `memory` (the path is the name of a database in memory that the connections of this process share). With `mode=ro`,
    /// `immutable=true` says that the file does not change, see [`immutable`](Self::immutable). `busy_timeout`
    /// is how long a statement waits for others that write, in seconds, or milliseconds as in `500ms`; there are also the
    /// parameters of [`PoolOptions::read`]. The path stands as it is, without escapes.
    ///
    /// ```
    /// use isogloss_sqlite::driver::SqliteOptions;
    /// let options = SqliteOptions::url("sqlite:shop.db?create=true&statement_timeout=2")?;
    /// assert!(options.create && options.path.is_some_and(|path| path.ends_with("shop.db")));
    /// assert!(!SqliteOptions::url("shop.db")?.create, "a wrong name is no new database");
    /// # Ok::<(), isogloss_driver::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`] for what is no such text.
    pub fn url(text: &str) -> Result<Self> {
        let text = text.trim();
        let behind = ["sqlite://", "sqlite:"].iter().find_map(|prefix| text.strip_prefix(prefix));
        let rest = behind.unwrap_or(text);
        let (place, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let mut options = if place == ":memory:" || place == "memory" && behind.is_some() {
            Self::memory()
        } else if is_foreign(place) {
            return Err(bad("the connection string of SQLite is the path of a file, or `:memory:`"));
        } else {
            Self { create: false, ..Self::file(place) }
        };
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            options.read(name, value)?;
        }
        Ok(options)
    }

    fn read(&mut self, name: &str, value: &str) -> Result<()> {
        match (name, value) {
            ("create", "true") => self.create = true,
            ("create", "false") => self.create = false,
            ("create", _) => return Err(bad("`create` is `true` or `false`")),
            ("mode", "rwc") => (self.create, self.read_only) = (true, false),
            ("mode", "rw") => (self.create, self.read_only) = (false, false),
            ("mode", "ro") => (self.create, self.read_only) = (false, true),
            ("mode", "memory") => (self.shared_memory, self.create) = (true, true),
            ("immutable", "true") => self.immutable = true,
            ("immutable", "false") => self.immutable = false,
            ("immutable", _) => return Err(bad("`immutable` is `true` or `false`")),
            ("mode", _) => return Err(bad("`mode` is `rwc`, `rw`, `ro` or `memory`")),
            ("busy_timeout", _) => self.busy_timeout = time(name, value)?,
            _ if self.pool.read(name, value)? => {}
            _ => {
                let known = PoolOptions::PARAMETERS.join(", ");
                return Err(bad(format!(
                    "`{name}` is no parameter of it: create, mode, immutable, busy_timeout, {known} are"
                )));
            }
        }
        Ok(())
    }

    /// Made if it is not there, or not.
    #[must_use]
    pub fn create(mut self, create: bool) -> Self {
        self.create = create;
        self
    }

    /// Only read.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// Only read, as a file that does not change: see the field [`immutable`](Self::immutable).
    #[must_use]
    pub fn immutable(mut self) -> Self {
        (self.read_only, self.immutable) = (true, true);
        self
    }

    /// With another pool.
    #[must_use]
    pub fn pool(mut self, pool: PoolOptions) -> Self {
        self.pool = pool;
        self
    }

    /// Opens it.
    pub(super) fn connection(&self) -> Result<Connection> {
        let Some(path) = &self.path else {
            return Connection::open_in_memory().map_err(|found| error(found, ":memory:"));
        };
        if path.as_os_str().is_empty() || path.as_os_str() == ":memory:" {
            return Err(bad("there is no file of that name: a database in memory is `SqliteOptions::memory()`"));
        }
        let access = match (self.read_only, self.create) {
            (true, _) => OpenFlags::SQLITE_OPEN_READ_ONLY,
            (false, false) => OpenFlags::SQLITE_OPEN_READ_WRITE,
            (false, true) => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        };
        if self.shared_memory {
            let name =
                path.to_str().filter(|name| name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)));
            let name =
                name.ok_or_else(|| bad("the name of a database in memory has letters, digits, `-`, `_` and `.`"))?;
            let flags = access | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let uri = format!("file:{name}?mode=memory&cache=shared");
            return Connection::open_with_flags(&uri, flags).map_err(|found| error(found, "").at(uri));
        }
        let opened = if self.immutable {
            if !self.read_only {
                return Err(bad("`immutable=true` goes with `mode=ro`"));
            }
            if has_log(path) {
                let message = "the file has a log or a journal beside it, which `immutable=true` would leave unread: open it once \
                               where it can be written, which takes that in";
                return Err(Error::new(ErrorKind::Configuration, message).at(path.display()));
            }
            let flags = access | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            Connection::open_with_flags(immutable_uri(path), flags)
        } else {
            Connection::open_with_flags(literal(path), access | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        };
        opened.map_err(|found| {
            if path.exists() || self.create && !self.read_only {
                return error(found, "").at(path.display());
            }
            let message = "there is no such file; `create=true` in the connection string, or `SqliteOptions::create`, \
                           makes a new one";
            Error::new(ErrorKind::Connect, message).at(path.display()).with_source(found)
        })
    }
}

/// The path as SQLite takes it for nothing else: it may have been built to read a name that begins with `file:` as a URI,
/// whose parameters choose what is opened.
fn literal(path: &Path) -> PathBuf {
    if path.as_os_str().as_encoded_bytes().starts_with(b"file:") { Path::new(".").join(path) } else { path.to_owned() }
}

/// Returns whether a file's write-ahead log has anything, or its rollback journal something to take back: that of a
/// transaction which has ended is empty, or begins with zeros.
fn has_log(path: &Path) -> bool {
    let beside = |end: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        let mut first = [0];
        std::fs::File::open(name).and_then(|mut file| file.read_exact(&mut first)).map(|()| first[0])
    };
    beside("-wal").is_ok() || beside("-journal").is_ok_and(|first| first != 0)
}

/// The URI of a file that does not change, by <https://www.sqlite.org/uri.html>
fn immutable_uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    let bytes = path.as_os_str().as_encoded_bytes();
    // Without an authority, the path of which `//` would be taken for one.
    if bytes.starts_with(b"/") {
        uri.push_str("//");
    } else if bytes.get(1) == Some(&b':') && cfg!(windows) {
        uri.push_str("///");
    }
    for &byte in bytes {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    uri
}

/// What other libraries and engines write, which would be made a file of that name.
fn is_foreign(place: &str) -> bool {
    let lower = place.to_ascii_lowercase();
    place.contains("://") || place.contains(';') || lower.starts_with("data source") || lower.starts_with("file:")
}

fn bad(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Configuration, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Result<Option<String>, String> {
        let options = SqliteOptions::url(text).map_err(|error| error.to_string())?;
        Ok(options.path.map(|path| path.display().to_string()))
    }

    #[test]
    fn places() {
        for memory in [":memory:", "sqlite::memory:", "sqlite://:memory:", "sqlite:memory", ":memory:?busy_timeout=1"] {
            assert_eq!(path(memory), Ok(None), "{memory}");
        }
        assert_eq!(path("sqlite:///var/app.db?mode=rwc"), Ok(Some("/var/app.db".into())));
        assert_eq!(path("memory"), Ok(Some("memory".into())));
        for wrong in ["Data Source=app.db", "postgres://a:b@c/d", "app.db;Version=3", "file:app.db?mode=memory"] {
            assert!(path(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn parameters() -> Result<()> {
        let options = SqliteOptions::url("a.db?create=true&busy_timeout=250ms&statement_timeout=0&pool_wait=2")?;
        assert!(options.create && !options.read_only);
        assert_eq!(options.busy_timeout, Duration::from_millis(250));
        assert_eq!((options.pool.statement_timeout, options.pool.wait), (None, Duration::from_secs(2)));
        let modes = ["a.db", "a.db?mode=rwc", "a.db?mode=rw", "a.db?mode=ro", "a?mode=memory"];
        let modes = modes.map(|text| SqliteOptions::url(text).map(|options| (options.create, options.read_only)));
        let modes = modes.into_iter().collect::<Result<Vec<_>>>()?;
        assert_eq!(modes, [(false, false), (true, false), (false, false), (false, true), (true, false)]);
        for wrong in ["create=maybe", "mode=what", "immutable=what", "busy_timeout=soon", "cache=shared", "create"] {
            let error = SqliteOptions::url(&format!("a.db?{wrong}")).map(drop).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Configuration);
            assert!(error.message().contains(wrong.split('=').next().unwrap()), "{error}");
        }
        Ok(())
    }
}
