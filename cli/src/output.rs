//! Standard output and standard error: buffered, coloured on a terminal only.

use std::borrow::Cow;
use std::io::{self, BufWriter, IsTerminal as _, Stdout, Write};

use clap::ValueEnum;
use console::{Style, style};
use serde::Serialize;

use crate::failure::Result;
use crate::text::{one_line, visible};

/// When colours are used.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    Always,
    Never,
}

impl Color {
    pub(crate) fn apply(self) {
        let enabled = match self {
            Self::Auto => return,
            Self::Always => true,
            Self::Never => false,
        };
        console::set_colors_enabled(enabled);
        console::set_colors_enabled_stderr(enabled);
    }
}

/// For people, or for programs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    #[default]
    Text,
    Json,
}

/// A text that programs read, too: as it is in a pipe or a file, without what would steer it on a terminal.
pub(crate) fn data(text: &str) -> Cow<'_, str> {
    if io::stdout().is_terminal() { visible(text) } else { Cow::Borrowed(text) }
}

/// Standard output as it is, or nothing where nobody reads it any more, as behind `| head`: a command then goes on, and its
/// exit status is what it finds.
#[derive(Debug)]
struct Heard(Stdout);

impl Write for Heard {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        unless_broken(self.0.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        unless_broken(self.0.flush(), ())
    }
}

fn unless_broken<T>(result: io::Result<T>, unheard: T) -> io::Result<T> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(unheard),
        result => result,
    }
}

/// Standard output.
#[derive(Debug)]
pub(crate) struct Out(BufWriter<Heard>);

impl Out {
    pub(crate) fn new() -> Self {
        Self(BufWriter::new(Heard(io::stdout())))
    }

    pub(crate) fn line(&mut self, text: &str) -> Result<()> {
        Ok(writeln!(self.0, "{text}")?)
    }

    /// Lines that programs read, too.
    pub(crate) fn data(&mut self, text: &str) -> Result<()> {
        self.line(&data(text))
    }

    /// The name of what follows, on one line.
    pub(crate) fn heading(&mut self, text: &str) -> Result<()> {
        Ok(writeln!(self.0, "{}", Style::new().bold().apply_to(one_line(text)))?)
    }

    /// What is said about it, on one line.
    pub(crate) fn aside(&mut self, text: &str) -> Result<()> {
        Ok(writeln!(self.0, "{}", Style::new().dim().apply_to(one_line(text)))?)
    }

    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<()> {
        self.data(&serde_json::to_string_pretty(value).map_err(io::Error::from)?)
    }

    /// Something that is amiss, on standard error, behind what was written so far.
    pub(crate) fn amiss(&mut self, what: &str, message: &str) -> Result<()> {
        self.0.flush()?;
        tell(what, message);
        Ok(())
    }

    /// Writes what is left. What is not said to be finished is lost.
    pub(crate) fn finish(mut self) -> Result<()> {
        Ok(self.0.flush()?)
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// `error: why`, on standard error. Where nobody reads that, nothing is left to be told.
pub(crate) fn tell(what: &str, message: &str) {
    let what = style(what).for_stderr().red().bold();
    let _ = writeln!(io::stderr().lock(), "{what}: {}", visible(message));
}

/// `note: what`, on standard error.
pub(crate) fn note(message: &str) {
    let _ = writeln!(io::stderr().lock(), "{}: {}", style("note").for_stderr().yellow().bold(), one_line(message));
}
