//! The command line.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use lexopt::{Arg, Parser};

use crate::app::Place;

pub(crate) const HELP: &str = "\
Orders of two tenants in the browser: an HTTP API with logins, and its page.

Usage: order-demo [OPTIONS]

Options:
  --database URL    postgres://.., mysql://.., mariadb://.., or a file of SQLite [default: a file that is gone at the end]
  --replica URL     a copy of the database to read from, which its server keeps up to date
  --scale N         20,000 orders so many times, 1 to 100                        [default: 1]
  --port N          where the server listens on 127.0.0.1; 0 is any that is free [default: 8080]
  -h, --help        this text
";

/// What the user wants.
#[derive(Debug)]
pub(crate) enum Command {
    Help,
    Run(Args),
}

/// A run and its options.
#[derive(Debug, Clone)]
pub(crate) struct Args {
    /// Without one, a file that is gone at the end.
    pub(crate) database: Option<String>,
    pub(crate) replica: Option<String>,
    pub(crate) scale: usize,
    pub(crate) port: u16,
}

/// A command line that makes no sense.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UsageError {
    #[error("{option} wants {wants}, not `{value}`")]
    Value { option: &'static str, wants: &'static str, value: String },
    #[error(transparent)]
    Syntax(#[from] lexopt::Error),
}

/// Reads the arguments, without the program's name.
pub(crate) fn parse<I>(args: I) -> Result<Command, UsageError>
where
    I: IntoIterator,
    I::Item: Into<OsString>,
{
    let mut parser = Parser::from_args(args);
    let mut args = Args { database: None, replica: None, scale: 1, port: 8080 };
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            Arg::Long("database") => args.database = Some(text(parser.value()?)?),
            Arg::Long("replica") => args.replica = Some(text(parser.value()?)?),
            Arg::Long("scale") => args.scale = scale(&parser.value()?)?,
            Arg::Long("port") => args.port = port(&parser.value()?)?,
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Command::Run(args))
}

/// The provider that a URL is of, and the place as it takes it.
pub(crate) fn place(url: &str, replica: Option<String>) -> Place {
    let provider = match url.split_once("://").map(|(scheme, _)| scheme) {
        Some("postgres" | "postgresql") => "postgres",
        Some("mysql" | "mariadb") => "mysql",
        _ => "sqlite",
    };
    let url = match provider {
        "sqlite" if !url.contains('?') && url != ":memory:" => format!("{url}?create=true"),
        _ => url.to_owned(),
    };
    Place { provider, url, replica }
}

/// A file that no other run has.
pub(crate) fn temporary() -> PathBuf {
    std::env::temp_dir().join(format!("isogloss-order-demo-{}.db", std::process::id()))
}

fn text(value: OsString) -> Result<String, UsageError> {
    Ok(value.into_string().map_err(lexopt::Error::NonUnicodeValue)?)
}

fn scale(value: &OsStr) -> Result<usize, UsageError> {
    let text = value.to_string_lossy();
    let wrong = || UsageError::Value { option: "--scale", wants: "a number from 1 to 100", value: text.to_string() };
    text.parse().ok().filter(|scale| (1..=100).contains(scale)).ok_or_else(wrong)
}

fn port(value: &OsStr) -> Result<u16, UsageError> {
    let text = value.to_string_lossy();
    text.parse().map_err(|_| UsageError::Value { option: "--port", wants: "a port", value: text.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_read() {
        let Ok(Command::Run(args)) = parse(["--database", "shop.db", "--scale", "5", "--port", "0"]) else { panic!() };
        assert_eq!((args.database.as_deref(), args.scale, args.port), (Some("shop.db"), 5, 0));
        assert!(matches!(parse(["-h"]), Ok(Command::Help)));
        for (line, said) in [
            (&["--scale", "0"][..], "--scale wants a number from 1 to 100, not `0`"),
            (&["--port", "http"], "--port wants a port, not `http`"),
            (&["--colour"], "invalid option '--colour'"),
        ] {
            assert_eq!(parse(line).unwrap_err().to_string(), said);
        }
    }

    #[test]
    fn the_url_says_the_provider() {
        for (url, provider, place_of) in [
            ("postgres://a@b/c", "postgres", "postgres://a@b/c"),
            ("postgresql://a@b/c", "postgres", "postgresql://a@b/c"),
            ("mariadb://a@b/c", "mysql", "mariadb://a@b/c"),
            ("shop.db", "sqlite", "shop.db?create=true"),
            ("shop.db?create=false", "sqlite", "shop.db?create=false"),
            (":memory:", "sqlite", ":memory:"),
        ] {
            let place = place(url, None);
            assert_eq!((place.provider, &*place.url), (provider, place_of));
        }
    }
}
