//! Standard output and standard error: buffered, coloured on a terminal only.

use std::io::{self, BufWriter, Stdout, Write};

use clap::ValueEnum;
use console::{Style, style};
use serde::Serialize;

use crate::failure::Result;
use crate::text::visible;

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

/// Standard output.
#[derive(Debug)]
pub(crate) struct Out(BufWriter<Stdout>);

impl Out {
    pub(crate) fn new() -> Self {
        Self(BufWriter::new(io::stdout()))
    }

    pub(crate) fn line(&mut self, text: &str) -> Result<()> {
        Ok(writeln!(self.0, "{text}")?)
    }

    /// The name of what follows.
    pub(crate) fn heading(&mut self, text: &str) -> Result<()> {
        Ok(writeln!(self.0, "{}", Style::new().bold().apply_to(text))?)
    }

    /// What is said about it.
    pub(crate) fn aside(&mut self, text: &str) -> Result<()> {
        Ok(writeln!(self.0, "{}", Style::new().dim().apply_to(text))?)
    }

    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<()> {
        serde_json::to_writer_pretty(&mut self.0, value).map_err(io::Error::from)?;
        self.line("")
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
    let _ = writeln!(io::stderr().lock(), "{}: {}", style("note").for_stderr().yellow().bold(), visible(message));
}
