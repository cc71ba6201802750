//! The command line, and the filter that may come from a pipe.

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::io::{self, BufRead as _, IsTerminal as _, Read};
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use lexopt::{Arg, Parser};

use crate::tpch::Scale;

pub(crate) const HELP: &str = "\
Loads TPC-H into SQLite, and asks it a question: as a tree, as SQL, and its rows.

Usage: quickstart [FILTER_JSON] [OPTIONS]

  FILTER_JSON        an expression as JSON; `-`, or a pipe and no filter, reads standard input

Options:
  --scale X          size of the data, 0.001 to 10; 1 is some 8.7 million rows [default: 0.01]
  --db FILE          keep the data in FILE, and reuse it at the same scale     [default: in memory]
  --take N           rows to take                                              [default: 20]
  --skip N           rows to skip before                                       [default: 0]
  --dialect NAME     whose SQL is shown: sqlite, postgres, mysql, mariadb, sqlserver,
                     oracle or all                                             [default: sqlite]
  --sql-only         show the SQL, load and run nothing
  -h, --help         this text
";

/// In the order in which their SQL is shown.
pub(crate) const DIALECTS: [&str; 6] = ["sqlite", "postgres", "mysql", "mariadb", "sqlserver", "oracle"];

/// No filter is longer.
const FILTER_BYTES: u64 = 16 << 20;

/// How long a pipe that nobody mentioned may stay silent.
const SILENCE: Duration = Duration::from_millis(500);

/// What the user wants.
#[derive(Debug, PartialEq)]
pub(crate) enum Command {
    Help,
    Run(Args),
}

/// A run and its options.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Args {
    pub(crate) filter: Filter,
    pub(crate) scale: Scale,
    pub(crate) db: Option<PathBuf>,
    pub(crate) page: Page,
    pub(crate) dialects: Dialects,
    pub(crate) sql_only: bool,
}

/// Whose SQL is shown.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(crate) enum Dialects {
    /// Nothing said: SQLite's, which runs, and what the others do otherwise in short.
    #[default]
    Run,
    /// One of [`DIALECTS`].
    One(&'static str),
    All,
}

impl Dialects {
    /// Whether the SQL of a dialect is shown.
    pub(crate) fn has(self, dialect: &str) -> bool {
        match self {
            Self::Run => dialect == DIALECTS[0],
            Self::One(name) => dialect == name,
            Self::All => true,
        }
    }
}

/// Which rows of the answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Page {
    pub(crate) skip: u32,
    pub(crate) take: u32,
}

impl Default for Page {
    fn default() -> Self {
        Self { skip: 0, take: 20 }
    }
}

/// Where the filter comes from.
#[derive(Debug, Default, PartialEq)]
pub(crate) enum Filter {
    Json(String),
    /// `-`: wait for standard input.
    Stdin,
    /// Nothing said: standard input if it is a pipe that has something to say.
    #[default]
    Unsaid,
}

/// A command line that makes no sense.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UsageError {
    #[error("{option} wants {wants}, not `{value}`")]
    Value { option: &'static str, wants: String, value: String },
    #[error("one filter only: `{0}` is too many")]
    SecondFilter(String),
    #[error("the filter is empty")]
    EmptyFilter,
    #[error(transparent)]
    Syntax(#[from] lexopt::Error),
}

/// A filter that cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FilterError {
    #[error("cannot read the filter from standard input: {0}")]
    Read(#[from] io::Error),
    #[error("the filter on standard input is longer than {FILTER_BYTES} bytes")]
    TooLong,
    #[error("there is no filter on standard input")]
    Empty,
}

/// Reads the arguments, without the program's name.
pub(crate) fn parse<I>(args: I) -> Result<Command, UsageError>
where
    I: IntoIterator,
    I::Item: Into<OsString>,
{
    let mut parser = Parser::from_args(args);
    let mut args = Args::default();
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            Arg::Long("scale") => args.scale = scale(&parser.value()?)?,
            Arg::Long("take") => args.page.take = rows("--take", &parser.value()?)?,
            Arg::Long("skip") => args.page.skip = rows("--skip", &parser.value()?)?,
            Arg::Long("db") => args.db = Some(parser.value()?.into()),
            Arg::Long("dialect") => args.dialects = dialects(&parser.value()?)?,
            Arg::Long("sql-only") => args.sql_only = true,
            Arg::Value(text) => {
                let text = text.into_string().map_err(lexopt::Error::NonUnicodeValue)?;
                if args.filter != Filter::Unsaid {
                    return Err(UsageError::SecondFilter(text));
                }
                args.filter = match text.trim() {
                    "" => return Err(UsageError::EmptyFilter),
                    "-" => Filter::Stdin,
                    _ => Filter::Json(text),
                };
            }
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Command::Run(args))
}

fn scale(text: &OsStr) -> Result<Scale, UsageError> {
    let text = text.to_string_lossy();
    text.parse().map_err(|wants| wrong("--scale", &wants, &text))
}

fn rows(option: &'static str, text: &OsStr) -> Result<u32, UsageError> {
    let text = text.to_string_lossy();
    text.parse().map_err(|_| wrong(option, &"a number of rows", &text))
}

fn dialects(name: &OsStr) -> Result<Dialects, UsageError> {
    let name = name.to_string_lossy();
    if name.eq_ignore_ascii_case("all") {
        return Ok(Dialects::All);
    }
    let found = DIALECTS.into_iter().find(|dialect| dialect.eq_ignore_ascii_case(&name));
    found
        .map(Dialects::One)
        .ok_or_else(|| wrong("--dialect", &format!("all, or one of {}", DIALECTS.join(", ")), &name))
}

fn wrong(option: &'static str, wants: &dyn Display, value: &str) -> UsageError {
    UsageError::Value { option, wants: wants.to_string(), value: value.to_owned() }
}

impl Filter {
    /// The JSON, or nothing where there is no filter.
    pub(crate) fn read(self) -> Result<Option<String>, FilterError> {
        match self {
            Self::Json(text) => Ok(Some(text)),
            Self::Stdin => json(io::stdin().lock())?.ok_or(FilterError::Empty).map(Some),
            Self::Unsaid if io::stdin().is_terminal() => Ok(None),
            Self::Unsaid if !stdin_speaks()? => Ok(None),
            Self::Unsaid => json(io::stdin().lock()),
        }
    }
}

/// Standard input has a first byte. Whoever starts programs from programs leaves pipes open that never say a word, so a
/// pipe is given up after a while; the thread then waits on, until the process ends.
fn stdin_speaks() -> io::Result<bool> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        // What is read here stays in the buffer of standard input. Nobody listens any more after a silence.
        let _ = sender.send(io::stdin().lock().fill_buf().map(|bytes| !bytes.is_empty()));
    });
    receiver.recv_timeout(SILENCE).unwrap_or_else(|_| {
        eprintln!("note: standard input is silent, so there is no filter; `-` would wait for one");
        Ok(false)
    })
}

/// All of `input`; nothing where it is blank.
fn json(input: impl Read) -> Result<Option<String>, FilterError> {
    let mut text = String::new();
    input.take(FILTER_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > FILTER_BYTES {
        return Err(FilterError::TooLong);
    }
    Ok(if text.trim().is_empty() { None } else { Some(text) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(args: &[&str]) -> Args {
        match parse(args).unwrap() {
            Command::Run(args) => args,
            Command::Help => panic!("help for {args:?}"),
        }
    }

    fn error(args: &[&str]) -> String {
        parse(args).unwrap_err().to_string()
    }

    #[test]
    fn nothing_means_the_defaults() {
        assert_eq!(run(&[]), Args::default());
        assert_eq!(Args::default().page, Page { skip: 0, take: 20 });
        assert_eq!(Args::default().scale.to_string(), "0.01");
    }

    #[test]
    fn everything_at_once_in_any_order() {
        let args = run(&[
            "--take=5",
            "--skip",
            "10",
            r##"{"#":"Name"}"##,
            "--db",
            "a.db",
            "--scale",
            "0.1",
            "--dialect",
            "Oracle",
            "--sql-only",
        ]);
        let expected = Args {
            filter: Filter::Json(r##"{"#":"Name"}"##.to_owned()),
            scale: "0.1".parse().unwrap(),
            db: Some("a.db".into()),
            page: Page { skip: 10, take: 5 },
            dialects: Dialects::One("oracle"),
            sql_only: true,
        };
        assert_eq!(args, expected);
    }

    #[test]
    fn a_filter_may_come_from_standard_input_or_look_like_an_option() {
        assert_eq!(run(&["-"]).filter, Filter::Stdin);
        assert_eq!(run(&["--", "--take"]).filter, Filter::Json("--take".to_owned()));
    }

    #[test]
    fn help_wins_where_it_comes_first() {
        for args in [&["--help"][..], &["-h", "--nonsense"], &["{}", "--help"]] {
            assert_eq!(parse(args).unwrap(), Command::Help);
        }
        for option in ["--scale", "--db", "--take", "--skip", "--dialect", "--sql-only"] {
            assert!(HELP.contains(option), "{option}");
        }
        assert!(HELP.lines().all(|line| line.len() <= 100));
    }

    #[test]
    fn mistakes_say_what_was_wanted() {
        for (args, expected) in [
            (&["--take", "-1"][..], "--take wants a number of rows, not `-1`"),
            (&["--scale", "huge"], "--scale wants a number from 0.001 to 10, not `huge`"),
            (&["--scale=100"], "--scale wants a number from 0.001 to 10, not `100`"),
            (
                &["--dialect", "db2"],
                "--dialect wants all, or one of sqlite, postgres, mysql, mariadb, sqlserver, oracle, not `db2`",
            ),
            (&["--take"], "missing argument for option '--take'"),
            (&["--sql-only=yes"], "unexpected argument for option '--sql-only': \"yes\""),
            (&["--nonsense"], "invalid option '--nonsense'"),
            (&["{}", "[]"], "one filter only: `[]` is too many"),
            (&[" "], "the filter is empty"),
        ] {
            assert_eq!(error(args), expected, "{args:?}");
        }
    }

    #[test]
    fn input_is_text_of_some_length() {
        assert_eq!(json(&b" {} "[..]).unwrap().as_deref(), Some(" {} "));
        assert_eq!(json(&b" \n"[..]).unwrap(), None);
        assert!(matches!(json(&b"\xff"[..]), Err(FilterError::Read(_))));
        assert!(matches!(json(io::repeat(b' ')), Err(FilterError::TooLong)));
    }
}
