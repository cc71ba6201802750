//! A grammar in a process of its own.

use std::env;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use isogloss_compiler::dialect::Dialect;

use super::gaps;

/// A judge that cannot be asked.
#[derive(Debug, thiserror::Error)]
#[error("the judge `{command}` {problem}: run conformance/judges/*/setup.sh again, or mend the variable {variable}")]
pub struct JudgeError {
    command: String,
    problem: String,
    variable: &'static str,
}

/// A grammar that is asked about one statement after the other.
///
/// For T-SQL it is Microsoft's ScriptDom in its grammar of SQL Server 2019, for Oracle the PL/SQL grammar of ANTLR, which
/// knows all versions. Neither knows types, names or limits: see [`structure`](super::structure).
#[derive(Debug)]
pub struct Judge {
    dialect: &'static str,
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Judge {
    /// Starts the judge of a dialect in its version; `None` if the dialect has no judge or if it is not set up.
    ///
    /// The program is the value of `ISOGLOSS_TSQL_JUDGE` or `ISOGLOSS_PLSQL_JUDGE`, words between blanks. Without the variable, the
    /// program that `conformance/judges/tsql/setup.sh` or `conformance/judges/plsql/setup.sh` installs runs if `ISOGLOSS_LONG` is
    /// set, as in the nightly tier: a judge is slower than all engines together.
    ///
    /// # Errors
    /// A program that does not start.
    pub fn start(dialect: &dyn Dialect) -> Result<Option<Self>, JudgeError> {
        let (variable, folder) = match dialect.sheet().name {
            "sqlserver" => ("ISOGLOSS_TSQL_JUDGE", "tsql-judge"),
            "oracle" => ("ISOGLOSS_PLSQL_JUDGE", "plsql-judge"),
            _ => return Ok(None),
        };
        let Some(words) = command(variable, folder) else { return Ok(None) };
        let mut words = words.into_iter();
        let Some(program) = words.next() else { return Ok(None) };
        // The year: `sqlserver 2019`.
        let version = dialect.label().split(' ').nth(1).unwrap_or_default().to_owned();
        let error = |problem: String| JudgeError { command: program.display().to_string(), problem, variable };
        let mut child = Command::new(&program)
            .args(words)
            .arg(version)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|cause| error(format!("does not start ({cause})")))?;
        let questions = child.stdin.take();
        let answers = child.stdout.take().ok_or_else(|| error("has no output".into()))?;
        Ok(Some(Judge { dialect: dialect.sheet().name, child, questions, answers: BufReader::new(answers) }))
    }

    /// Whether the grammar takes the text as one statement. A construct that is newer than the grammar is put in the
    /// words of an older one before it is asked.
    ///
    /// # Errors
    /// What the grammar does not take; or that the judge does not answer.
    pub fn check(&mut self, sql: &str) -> Result<(), String> {
        let verdict = self
            .ask(&gaps::readable(self.dialect, sql))
            .map_err(|error| format!("the judge does not answer: {error}"))?;
        verdict.map_or(Ok(()), Err)
    }

    fn ask(&mut self, sql: &str) -> io::Result<Option<String>> {
        let questions = self.questions.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        let mut question = serde_json::to_string(sql)?;
        question.push('\n');
        questions.write_all(question.as_bytes())?;
        questions.flush()?;
        let mut answer = String::new();
        if self.answers.read_line(&mut answer)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(serde_json::from_str(&answer)?)
    }
}

impl Drop for Judge {
    /// It ends by itself when nothing more can be asked.
    fn drop(&mut self) {
        drop(self.questions.take());
        let _ = self.child.wait();
    }
}

/// The program and its arguments.
fn command(variable: &str, folder: &str) -> Option<Vec<PathBuf>> {
    if let Some(words) = env::var_os(variable) {
        return Some(words.to_string_lossy().split_whitespace().map(PathBuf::from).collect());
    }
    env::var_os("ISOGLOSS_LONG")?;
    let cache = env::var_os("XDG_CACHE_HOME")
        .filter(|folder| !folder.is_empty())
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache")))?;
    let program = cache.join("isogloss").join(folder).join("judge");
    program.is_file().then(|| vec![program])
}
