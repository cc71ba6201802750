//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::prelude::*;

use crate::engine::Place;

/// What `--help` prints.
pub const HELP: &str = "\
A page with a query tree as JSON, its SQL in every dialect and version, and its rows.

usage: playground [OPTIONS]

  --port PORT           listen there on 127.0.0.1; a spare port if it is 0 [default: 7117]
  --scale SCALE         TPC-H data of that scale in the embedded SQLite, 0.01 to 1 [default: 0.01]
  --engine NAME=URL     run queries there, too: postgres=postgres://.., mysql=mysql://.., mariadb=mysql://..
                        It makes the schema `isogloss_playground` there, and keeps it. Can be given several times.
                        Not SQL Server and Oracle: making the schema was tried on no server of theirs yet.
  --wasm DIR            the compiler for browsers, made by compiler/wasm/build.sh [default: target/wasm, if it is there];
                        without it, the page asks this server
  --export DIR          write the page as static files, which need --wasm and have no rows, and end
  -h, --help            print this
";

/// What is asked for.
#[derive(Debug)]
pub enum Command {
    /// The page, by a server.
    Serve(Args),
    /// The page, as files.
    Export {
        /// Where to.
        folder: PathBuf,
        /// Where the compiler for browsers is.
        wasm: Option<PathBuf>,
    },
    /// The help.
    Help,
}

/// How the server is started.
#[derive(Debug)]
pub struct Args {
    /// The port; 0 for a spare one.
    pub port: u16,
    /// How much data there is.
    pub scale: f64,
    /// The other engines.
    pub engines: Vec<Place>,
    /// Where the compiler for browsers is.
    pub wasm: Option<PathBuf>,
}

/// Reads the command line, without the program's name.
///
/// # Errors
/// What is wrong with it, for people.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Command, lexopt::Error> {
    let mut parser = lexopt::Parser::from_args(args);
    let mut export = None;
    let mut read = Args { port: 7117, scale: 0.01, engines: Vec::new(), wasm: None };
    while let Some(arg) = parser.next()? {
        match arg {
            Long("port") => read.port = parser.value()?.parse()?,
            Long("scale") => read.scale = parser.value()?.parse_with(scale)?,
            Long("engine") => read.engines.push(parser.value()?.parse_with(engine)?),
            Long("wasm") => read.wasm = Some(parser.value()?.into()),
            Long("export") => export = Some(parser.value()?.into()),
            Short('h') | Long("help") => return Ok(Command::Help),
            _ => return Err(arg.unexpected()),
        }
    }
    Ok(match export {
        Some(folder) => Command::Export { folder, wasm: read.wasm },
        None => Command::Serve(read),
    })
}

/// Below it, the generator gives some rows twice.
fn scale(text: &str) -> Result<f64, String> {
    let scale = text.parse().ok().filter(|scale| (0.01..=1.0).contains(scale));
    scale.ok_or_else(|| "a scale is a number from 0.01 to 1".to_owned())
}

fn engine(text: &str) -> Result<Place, String> {
    let (name, url) = text.split_once('=').unwrap_or((text, ""));
    match name {
        _ if url.is_empty() => {
            Err("an engine is NAME=URL, as in postgres=postgres://user@127.0.0.1/postgres".to_owned())
        }
        "postgres" => Ok(Place::Postgres(url.to_owned())),
        "mysql" | "mariadb" => Ok(Place::MySql(url.to_owned())),
        _ => Err(format!("`{name}` is no engine that can run here: they are postgres, mysql and mariadb")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(args: &[&str]) -> Result<Command, lexopt::Error> {
        parse(args.iter().map(OsString::from))
    }

    #[test]
    fn everything_has_a_default() {
        let Ok(Command::Serve(args)) = read(&[]) else { panic!("it is a server") };
        assert_eq!((args.port, args.scale, args.engines.len(), args.wasm), (7117, 0.01, 0, None));
    }

    #[test]
    fn engines_are_read_with_their_urls() {
        let Ok(Command::Serve(args)) = read(&[
            "--engine",
            "postgres=postgres://a?b=c",
            "--engine=mariadb=mysql://d",
            "--port=0",
            "--scale",
            "0.1",
        ]) else {
            panic!("it is a server")
        };
        assert!(
            matches!(&*args.engines, [Place::Postgres(a), Place::MySql(d)] if a == "postgres://a?b=c" && d == "mysql://d")
        );
        assert_eq!((args.port, args.scale), (0, 0.1));
    }

    #[test]
    fn mistakes_are_told() {
        for (args, why) in [
            (&["--engine", "db2=x"][..], "`db2` is no engine"),
            (&["--engine", "postgres"], "an engine is NAME=URL"),
            (&["--scale", "2"], "from 0.01 to 1"),
            (&["--prot", "1"], "--prot"),
        ] {
            let error = read(args).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
