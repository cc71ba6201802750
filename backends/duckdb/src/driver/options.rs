//! How a DuckDB database is opened.

use std::path::PathBuf;

use duckdb::{AccessMode, Config, Connection};
use isogloss_driver::{Error, ErrorKind, PoolOptions, Result};

use super::error::error;

/// How a DuckDB database is opened.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DuckDbOptions {
    /// The file; `None` is a database in memory, which its pool shares and which is gone with its backend.
    pub path: Option<PathBuf>,
    /// Whether a file that is not there is made.
    pub create: bool,
    /// Whether the file is only read. Several programs may have it open then.
    pub read_only: bool,
    /// How many threads DuckDB computes on; as many as there are processors if absent.
    pub threads: Option<u32>,
    /// How much memory DuckDB takes, as it spells it (`4GB`); most of the machine's if absent.
    pub memory_limit: Option<String>,
    /// Whether statements may read and write files beside the database, and attach others.
    pub external_access: bool,
    /// The pool.
    pub pool: PoolOptions,
}

impl DuckDbOptions {
    /// A file, made if it is not there.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self { path: Some(path.into()), ..Self::memory() }
    }

    /// A database in memory.
    #[must_use]
    pub fn memory() -> Self {
        Self {
            path: None,
            create: true,
            read_only: false,
            threads: None,
            memory_limit: None,
            external_access: true,
            pool: PoolOptions::default(),
        }
    }

    /// What a connection string says: `:memory:`, or the path of a file that is there, each alone or behind `duckdb:`, and
    /// perhaps parameters.
    ///
    /// `create=true` makes a file that is not there, and `mode` is `rwc` (with that), `rw` or `ro` (the file is only read).
    /// `threads`, `memory_limit` and `external_access` are as the fields of those names; there are also the parameters of
    /// [`PoolOptions::read`]. The path stands as it is, without escapes.
    ///
    /// ```
    /// use isogloss_duckdb::driver::DuckDbOptions;
    /// let options = DuckDbOptions::url("duckdb:sales.duckdb?mode=ro&threads=4&statement_timeout=60")?;
    /// assert!(options.read_only && options.threads == Some(4));
    /// assert!(!DuckDbOptions::url("sales.duckdb")?.create, "a wrong name is no new database");
    /// # Ok::<(), isogloss_driver::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`] for what is no such text.
    pub fn url(text: &str) -> Result<Self> {
        let text = text.trim();
        let behind = ["duckdb://", "duckdb:"].iter().find_map(|prefix| text.strip_prefix(prefix));
        let rest = behind.unwrap_or(text);
        let (place, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let mut options = if place == ":memory:" || place == "memory" && behind.is_some() {
            Self::memory()
        } else if place.is_empty() || place.contains("://") || place.contains(';') {
            return Err(bad("the connection string of DuckDB is the path of a file, or `:memory:`"));
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
        let truth = || match value {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(bad(format!("`{name}` is `true` or `false`"))),
        };
        match (name, value) {
            ("create", _) => self.create = truth()?,
            ("external_access", _) => self.external_access = truth()?,
            ("mode", "rwc") => (self.create, self.read_only) = (true, false),
            ("mode", "rw") => (self.create, self.read_only) = (false, false),
            ("mode", "ro") => (self.create, self.read_only) = (false, true),
            ("mode", _) => return Err(bad("`mode` is `rwc`, `rw` or `ro`")),
            ("threads", _) => match value.parse() {
                Ok(threads) if threads > 0 => self.threads = Some(threads),
                _ => return Err(bad("`threads` is a number over 0")),
            },
            ("memory_limit", _) => self.memory_limit = Some(value.to_owned()),
            _ if self.pool.read(name, value)? => {}
            _ => {
                let own = "create, mode, threads, memory_limit, external_access";
                let known = PoolOptions::PARAMETERS.join(", ");
                return Err(bad(format!("`{name}` is no parameter of it: {own}, {known} are")));
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

    /// On so many threads.
    #[must_use]
    pub fn threads(mut self, threads: u32) -> Self {
        self.threads = Some(threads);
        self
    }

    /// With or without files beside the database.
    #[must_use]
    pub fn external_access(mut self, external_access: bool) -> Self {
        self.external_access = external_access;
        self
    }

    /// With another pool.
    #[must_use]
    pub fn pool(mut self, pool: PoolOptions) -> Self {
        self.pool = pool;
        self
    }

    /// Opens the database.
    pub(super) fn open(&self) -> Result<Connection> {
        let config = self.config().map_err(|found| {
            let message = format!("DuckDB does not take its settings: {found}");
            Error::new(ErrorKind::Configuration, message).with_source(found)
        })?;
        let Some(path) = &self.path else {
            return Connection::open_in_memory_with_flags(config).map_err(|found| opening(found, ":memory:"));
        };
        if !self.create && !path.exists() {
            let message = "there is no such file; `create=true` in the connection string, or `DuckDbOptions::create`, \
                           makes a new one";
            return Err(Error::new(ErrorKind::Connect, message).at(path.display()));
        }
        Connection::open_with_flags(path, config).map_err(|found| opening(found, path.display()))
    }

    fn config(&self) -> duckdb::Result<Config> {
        let access = if self.read_only { AccessMode::ReadOnly } else { AccessMode::ReadWrite };
        // A function that is not there is an error, and nothing to fetch from the network.
        let mut config = Config::default()
            .enable_autoload_extension(false)?
            .with("autoinstall_known_extensions", "false")?
            .enable_external_access(self.external_access)?;
        if self.path.is_some() {
            config = config.access_mode(access)?;
        }
        if let Some(threads) = self.threads {
            config = config.threads(threads.into())?;
        }
        if let Some(limit) = &self.memory_limit {
            config = config.max_memory(limit)?;
        }
        Ok(config)
    }
}

fn opening(found: duckdb::Error, place: impl std::fmt::Display) -> Error {
    let found = error(found);
    let kind = if found.kind() == ErrorKind::Corrupt { ErrorKind::Corrupt } else { ErrorKind::Connect };
    Error::new(kind, found.message()).at(place).with_source(found)
}

fn bad(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Configuration, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_parameters() -> Result<()> {
        for memory in [":memory:", "duckdb::memory:", "duckdb://:memory:", "duckdb:memory"] {
            assert_eq!(DuckDbOptions::url(memory)?.path, None, "{memory}");
        }
        let options = DuckDbOptions::url("duckdb:/var/a.duckdb?mode=rwc&memory_limit=1GB&external_access=false")?;
        assert_eq!(options.path, Some("/var/a.duckdb".into()));
        assert!(options.create && !options.external_access && options.memory_limit.as_deref() == Some("1GB"));
        for wrong in ["", "postgres://a:b@c/d", "a?mode=what", "a?threads=0", "a?create=maybe", "a?cache=shared"] {
            assert_eq!(DuckDbOptions::url(wrong).map(drop).unwrap_err().kind(), ErrorKind::Configuration, "{wrong}");
        }
        Ok(())
    }
}
