//! Databases by their URLs: which engine, whose password, and the connection.

use std::env;
use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use console::Term;
use isogloss::config::DataSourceConfig;
use isogloss::driver::introspect::{IntrospectOptions, SchemaReport, introspect};
use isogloss::driver::{self, AnyConnection, Backend, TransactionOptions};
use isogloss::model::TextMode;
use isogloss::provider::{self, Provider};
use isogloss::{Compiler, Target};

use crate::failure::{Failure, Result};
use crate::project::Project;
use crate::text::{masked_url, visible};

/// The variable with the password for URLs that have none.
const PASSWORD: &str = "ISOGLOSS_PASSWORD";

/// How databases are connected to.
#[derive(Debug, Args)]
#[command(next_help_heading = "Connecting")]
pub(crate) struct ConnectArgs {
    /// Ask for the password of URLs that have none, instead of taking it from ISOGLOSS_PASSWORD
    #[arg(long)]
    password: bool,
    /// How long a statement may run, or each wait for the rows of `run`, in seconds or as in 500ms; 0 is without a limit [default: the
    /// URL's, else 30]
    #[arg(long, value_name = "TIME", value_parser = time)]
    timeout: Option<Duration>,
}

/// A time on the command line.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    isogloss::driver::time("timeout", text).map_err(|error| error.message().to_owned())
}

/// A database that was connected to.
#[derive(Debug)]
pub(crate) struct Database {
    /// How it is shown: its name in the project, or its URL without the password.
    pub(crate) label: String,
    /// The engine's name, which is that of its feature: `postgres`.
    pub(crate) engine: String,
    pub(crate) backend: Arc<dyn Backend>,
}

impl Database {
    /// Connects to what a command line names: a URL, `env:NAME`, or a database of the project.
    pub(crate) async fn connect(project: &Project, said: &str, args: &ConnectArgs) -> Result<Self> {
        let (label, url) = place(project, said)?;
        let provider = provider_of(&url).map_err(|error| match label == masked_url(&url) {
            true => error,
            false => Failure::input(format!("the database `{label}`: {error}")),
        })?;
        let url = with_password(url, &label, args)?;
        let engine = provider.names().first().copied().unwrap_or_default().to_owned();
        let mut config = DataSourceConfig::new(&*label, &*engine, url);
        config.statement_timeout = args.timeout;
        let backend = provider.connect(&config.primary()).await.map_err(Failure::of(&label))?;
        Ok(Self { label, engine, backend })
    }

    /// Connects to each of what a command line names; without any, to the only database of the project.
    pub(crate) async fn connect_all(project: &Project, urls: &[String], args: &ConnectArgs) -> Result<Vec<Self>> {
        let mut databases = Vec::new();
        for url in project.said(urls)? {
            databases.push(Self::connect(project, url, args).await?);
        }
        Ok(databases)
    }

    /// What its schemas have; without any, the one that names without a schema are looked for in.
    pub(crate) async fn introspect(&self, schemas: &[String]) -> Result<SchemaReport> {
        let options = schemas.iter().fold(IntrospectOptions::default(), |options, schema| options.schema(schema));
        let mut connection = self.connection().await?;
        introspect(&mut *connection, self.backend.ddl(), &options).await.map_err(Failure::of(&self.label))
    }

    /// The compiler for it.
    pub(crate) fn target(&self, compiler: &Compiler, text: TextMode) -> Arc<Target> {
        compiler.target_of(self.backend.dialect(), text, &[])
    }

    /// Runs a closure in a transaction that is rolled back.
    pub(crate) async fn undone<T>(&self, run: impl AsyncFnOnce(&mut AnyConnection) -> driver::Result<T>) -> Result<T> {
        let mut connection = self.connection().await?;
        let done = async {
            connection.begin(&TransactionOptions::default()).await?;
            let done = run(&mut connection).await;
            connection.rollback().await?;
            done
        };
        done.await.map_err(Failure::of(&self.label))
    }

    /// Runs a closure in a transaction that only reads.
    pub(crate) async fn reading<T>(&self, run: impl AsyncFnOnce(&mut AnyConnection) -> driver::Result<T>) -> Result<T> {
        let only_reads = TransactionOptions::default().read_only();
        self.connection().await?.transaction(&only_reads, run).await.map_err(Failure::of(&self.label))
    }

    pub(crate) async fn connection(&self) -> Result<AnyConnection> {
        self.backend.connect().await.map_err(Failure::of(&self.label))
    }

    /// The engine and its version, behind the name.
    pub(crate) fn title(&self) -> String {
        format!("{}: {}", self.label, self.backend.dialect().label())
    }
}

/// Whether a text names a database, rather than a file of definitions.
pub(crate) fn is_database(project: &Project, text: &str) -> bool {
    let end = Path::new(text).extension();
    project.databases.contains_key(text)
        || text.starts_with("env:")
        || scheme(text).is_some()
        || ["db", "db3", "sqlite", "sqlite3"].iter().any(|known| end.is_some_and(|end| end.eq_ignore_ascii_case(known)))
}

/// Whether a text may be a file of SQLite, whatever its name ends with: it is there, in memory, or has options to make one.
fn is_file(text: &str) -> bool {
    text.starts_with(':') || text.contains('?') || Path::new(text).exists()
}

/// Whether two texts on the command line or in the project name one database.
pub(crate) fn is_same(project: &Project, one: &str, other: &str) -> bool {
    match (place(project, one), place(project, other)) {
        (Ok((_, one)), Ok((_, other))) => one == other,
        _ => false,
    }
}

/// How a database is shown, and its URL.
fn place(project: &Project, said: &str) -> Result<(String, String)> {
    let (label, url) = match project.databases.get(said) {
        Some(url) => (Some(said), url.as_str()),
        None if is_database(project, said) || is_file(said) => (None, said),
        None => {
            let names: Vec<&str> = project.databases.keys().map(String::as_str).collect();
            let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(Failure::input(format!(
                "no database of `isogloss.toml` is called `{said}`, and no file: it has {known}. A URL begins as in `postgres://`"
            )));
        }
    };
    let Some(name) = url.strip_prefix("env:") else {
        return Ok((label.map_or_else(|| masked_url(url), str::to_owned), url.to_owned()));
    };
    let url = env::var(name).map_err(|_| {
        Failure::input(format!("the database `{said}`: the environment has no variable `{name}` with its URL"))
    })?;
    Ok((label.unwrap_or(said).to_owned(), url))
}

/// What stands before the first colon, if it may be a scheme. A single letter is a drive.
fn scheme(url: &str) -> Option<&str> {
    let (scheme, _) = url.split_once(':')?;
    let is_scheme =
        scheme.len() > 1 && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    is_scheme.then_some(scheme)
}

/// The engine of a URL. What has no scheme is a file of SQLite.
fn provider_of(url: &str) -> Result<Arc<dyn Provider>> {
    let name = scheme(url).unwrap_or("sqlite");
    let known = provider::built_in();
    let found = known.iter().find(|provider| provider.names().iter().any(|known| known.eq_ignore_ascii_case(name)));
    found.cloned().ok_or_else(|| {
        let names: Vec<String> = known.iter().flat_map(|one| one.names()).map(|name| format!("{name}:")).collect();
        // Nobody knows where such a URL has its password.
        Failure::input(format!(
            "no engine of this program has a URL that begins with `{name}:`: give one with {}, or the path of an SQLite file",
            names.join(", ")
        ))
    })
}

/// The URL with the password of the environment or the prompt, where it has a user without one.
fn with_password(url: String, label: &str, args: &ConnectArgs) -> Result<String> {
    let Some((before, user, behind)) = without_password(&url) else { return Ok(url) };
    let password = match env::var(PASSWORD) {
        _ if args.password && user.is_empty() => {
            let message = format!("the URL of {label} has no user whose password --password could be: write user@host");
            return Err(Failure::input(message));
        }
        _ if args.password => asked_for(user, label)?,
        Ok(password) if !user.is_empty() => password,
        _ => return Ok(url),
    };
    Ok(format!("{before}{user}:{}{behind}", escaped(&password)))
}

/// The user of a URL that has no password, between what is before and behind. A file has none, whatever its name is.
fn without_password(url: &str) -> Option<(&str, &str, &str)> {
    let (scheme, authority) = url.split_once("://").filter(|(scheme, _)| *scheme != "sqlite")?;
    let (authority, _) = authority.split_at(authority.find(['/', '?', '#']).unwrap_or(authority.len()));
    let user = authority.rsplit_once('@').map_or("", |(user, _)| user);
    let (before, behind) = url.split_at(scheme.len() + "://".len());
    let (user, behind) = behind.split_at(user.len());
    let user = user.strip_suffix(':').unwrap_or(user);
    (!user.contains(':')).then_some((before, user, behind))
}

/// What somebody at a terminal says is the password.
fn asked_for(user: &str, label: &str) -> Result<String> {
    let term = Term::stderr();
    // It reads nothing where there is no terminal, and does not say so.
    if !term.is_term() || !io::stdin().is_terminal() {
        let message =
            format!("no terminal to ask for the password of {label}: set {PASSWORD}, and leave --password away");
        return Err(Failure::input(message));
    }
    term.write_str(&visible(&format!("password of {user} for {label}: ")))?;
    Ok(term.read_secure_line()?)
}

/// A password as URLs have it.
fn escaped(password: &str) -> String {
    let escape = |byte: u8| match char::from(byte) {
        c if c.is_ascii_alphanumeric() => c.to_string(),
        _ => format!("%{byte:02X}"),
    };
    password.bytes().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_known_by_their_schemes() {
        for (url, is_known) in [
            ("shop.db", true),
            (":memory:", true),
            ("sqlite:shop.db", true),
            (r"C:\shop.db", true),
            ("db2://a:secret@host/d", false),
            ("jdbc:oracle:thin:app/secret@host/d", false),
        ] {
            let found = provider_of(url);
            assert_eq!(found.is_ok(), is_known, "{url}");
            if let Err(error) = found {
                assert!(!error.to_string().contains("secret"), "{error}");
            }
        }
    }

    #[test]
    fn passwords_stand_behind_the_user() {
        for (url, expected) in [
            ("postgres://app@h1:5432,h2:5432/shop", Some(("postgres://", "app", "@h1:5432,h2:5432/shop"))),
            ("mysql://app@h?x=1@2", Some(("mysql://", "app", "@h?x=1@2"))),
            ("sqlserver://app:@h", Some(("sqlserver://", "app", "@h"))),
            ("oracle://a@[::1]:1521/s", Some(("oracle://", "a", "@[::1]:1521/s"))),
            ("postgres://h1,h2/shop", Some(("postgres://", "", "h1,h2/shop"))),
            ("postgres:///shop?user=app", Some(("postgres://", "", "/shop?user=app"))),
            ("postgres://app:known@h1,h2/shop", None),
            ("sqlite:///shop@home.db", None),
            ("shop.db", None),
        ] {
            assert_eq!(without_password(url), expected, "{url}");
        }
        assert_eq!(escaped("a%41 ä:@/"), "a%2541%20%C3%A4%3A%40%2F");
    }

    #[test]
    fn a_database_is_named_or_said() {
        let databases = [("main".to_owned(), "postgres://app:secret@db/shop".to_owned())].into();
        let project = Project { databases, ..Project::default() };
        assert_eq!(place(&project, "main").unwrap().0, "main");
        assert_eq!(place(&project, "mysql://a:x@h/d").unwrap().0, "mysql://a:***@h/d");
        assert_eq!(project.said(&[]).unwrap(), ["main"]);
        assert!(Project::default().said(&[]).is_err());
        for unknown in ["env:ISOGLOSS_NO_SUCH_VARIABLE", "mian", ""] {
            assert!(place(&project, unknown).is_err(), "{unknown}");
        }
        for file in ["shop.db", "shop.SQLite3", ":memory:", "shop?create=true", "C:\\shop.db", "Cargo.toml"] {
            assert_eq!(place(&project, file).unwrap(), (file.to_owned(), file.to_owned()));
        }
    }
}
