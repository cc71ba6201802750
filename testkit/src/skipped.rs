use std::env;
use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::Write;

/// Reports why a test, or a part of it, does not run on this machine.
///
/// The output of a test that passes is hidden. `.ci/run` therefore sets `ISOGLOSS_SKIPPED` to the path of a file, to which
/// each reason is appended as a line, and prints its lines at the end.
///
/// # Panics
/// The file cannot be written.
#[allow(clippy::print_stdout, reason = "for a test that is run with --nocapture")]
pub fn skipped(reason: impl Display) {
    println!("skipped: {reason}");
    if let Some(path) = env::var_os("ISOGLOSS_SKIPPED") {
        let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
        // One write, so that the lines of two processes do not mix.
        file.write_all(format!("{reason}\n").as_bytes()).unwrap();
    }
}
