//! What is answered to which statement.

use isogloss_compiler::expr::Value;
use isogloss_driver::{Error, ErrorKind};
use serde::{Deserialize, Serialize};

use crate::notation;

/// A call of a connection: a statement with its parameters, or `BEGIN`, `SAVEPOINT`, `COMMIT`, `RELEASE` or `ROLLBACK`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Asked {
    /// The SQL text.
    pub sql: String,
    /// The parameters, in their order.
    #[serde(default, with = "notation::values", skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<Value>,
    /// The rows of a statement that was run once for each of them, or of a bulk insert.
    #[serde(default, with = "notation::rows", skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<Vec<Value>>,
}

impl Asked {
    pub(crate) fn new(sql: impl Into<String>, params: Vec<Value>) -> Self {
        Self { sql: sql.into(), params, rows: Vec::new() }
    }
}

/// A statement without parameters.
impl From<&str> for Asked {
    fn from(sql: &str) -> Self {
        Self::new(sql, Vec::new())
    }
}

/// A statement with its parameters: `("SELECT name FROM users WHERE id = ?", [7])`.
impl<V: Into<Value>, const N: usize> From<(&str, [V; N])> for Asked {
    fn from((sql, params): (&str, [V; N])) -> Self {
        Self::new(sql, params.into_iter().map(Into::into).collect())
    }
}

/// What a connection answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Answer {
    /// The rows of a query.
    Rows {
        /// The names of the columns.
        columns: Vec<String>,
        /// The rows, each with a value for every column.
        #[serde(with = "notation::rows")]
        rows: Vec<Vec<Value>>,
    },
    /// The number of rows that a write has changed.
    Changed(u64),
    /// The keys that the database has generated for the rows of a bulk insert.
    Keys(#[serde(with = "notation::values")] Vec<Value>),
    /// An error: see `Answer::from`.
    #[non_exhaustive]
    Fails {
        /// The name of its [kind](ErrorKind::name), such as `unique_violation`.
        kind: String,
        /// Its message.
        message: String,
        /// The engine's [code](Error::code).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<String>,
        /// The [constraint](Error::constraint) that was violated.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        constraint: Option<String>,
        /// What the engine reports [beyond the message](Error::detail).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
        /// Whether it is [in doubt](Error::is_in_doubt) that the write took effect.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        in_doubt: bool,
    },
}

/// ```
/// use isogloss_driver::{Error, ErrorKind};
/// use isogloss_testing::{Answer, Answers};
///
/// let taken = Error::new(ErrorKind::UniqueViolation, "the name is taken").with_code("23505").with_constraint("users_name_key");
/// let answers = Answers::new().answer("INSERT INTO users DEFAULT VALUES", Answer::from(&taken));
/// # assert_eq!(answers.exchanges().len(), 1);
/// ```
impl From<&Error> for Answer {
    fn from(error: &Error) -> Self {
        Self::Fails {
            kind: error.kind().name().to_owned(),
            message: error.message().to_owned(),
            code: error.code().map(ToOwned::to_owned),
            constraint: error.constraint().map(ToOwned::to_owned),
            detail: error.detail().map(ToOwned::to_owned),
            in_doubt: error.is_in_doubt(),
        }
    }
}

impl Answer {
    pub(crate) fn error(&self) -> Option<Error> {
        let Self::Fails { kind, message, code, constraint, detail, in_doubt } = self else { return None };
        let mut error = Error::new(ErrorKind::from_name(kind).unwrap_or(ErrorKind::Other), message);
        if let Some(code) = code {
            error = error.with_code(code);
        }
        if let Some(constraint) = constraint {
            error = error.with_constraint(constraint);
        }
        if let Some(detail) = detail {
            error = error.with_detail(detail);
        }
        Some(if *in_doubt { error.in_doubt() } else { error })
    }

    /// What it is, for messages.
    pub(crate) fn title(&self) -> &'static str {
        match self {
            Self::Rows { .. } => "rows",
            Self::Changed(_) => "a number of changed rows",
            Self::Keys(_) => "generated keys",
            Self::Fails { .. } => "an error",
        }
    }
}

/// A call with its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Exchange {
    /// The call.
    pub asked: Asked,
    /// The answer.
    pub answer: Answer,
}

/// A text that has no answers in it.
#[derive(Debug, thiserror::Error)]
#[error("bad answers: {0}")]
pub struct BadAnswers(#[from] serde_json::Error);

/// Answers for [`Recorded`](crate::Recorded), by hand or from a [`Recorder`](crate::Recorder).
///
/// Answers to equal calls are given in their order, and the last of them every further time. Texts of statements must be equal,
/// and so must values, where numbers of different types are compared by their value.
///
/// ```
/// use isogloss_compiler::expr::Value;
/// use isogloss_driver::ErrorKind;
/// use isogloss_testing::Answers;
///
/// let answers = Answers::new()
///     .rows(("SELECT id, name FROM users WHERE id = ?", [7]), ["id", "name"], [[Value::from(7), "Ann".into()]])
///     .changed(("UPDATE users SET name = ? WHERE id = ?", [Value::from("Bob"), 7.into()]), 1)
///     .fails(("DELETE FROM users WHERE id = ?", [7]), ErrorKind::ForeignKeyViolation, "it is referred to");
///
/// // As a text, for a file beside the test.
/// assert_eq!(Answers::from_json(&answers.to_json()?)?, answers);
/// # Ok::<(), isogloss_testing::BadAnswers>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Answers(pub(crate) Vec<Exchange>);

impl Answers {
    /// No answers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers a statement by rows.
    #[must_use]
    pub fn rows<C: Into<String>, R: IntoIterator<Item: Into<Value>>>(
        self,
        asked: impl Into<Asked>,
        columns: impl IntoIterator<Item = C>,
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        let columns = columns.into_iter().map(Into::into).collect();
        let rows = rows.into_iter().map(|row| row.into_iter().map(Into::into).collect()).collect();
        self.answer(asked, Answer::Rows { columns, rows })
    }

    /// Answers a write by the number of rows that it has changed.
    #[must_use]
    pub fn changed(self, asked: impl Into<Asked>, rows: u64) -> Self {
        self.answer(asked, Answer::Changed(rows))
    }

    /// Answers a statement, or `COMMIT`, by an error. A COMMIT whose connection is lost [is in doubt](Error::is_in_doubt).
    #[must_use]
    pub fn fails(self, asked: impl Into<Asked>, kind: ErrorKind, message: impl Into<String>) -> Self {
        let (asked, error) = (asked.into(), Error::new(kind, message));
        let in_doubt = asked.sql == "COMMIT" && kind == ErrorKind::ConnectionLost;
        self.answer(asked, Answer::from(&if in_doubt { error.in_doubt() } else { error }))
    }

    /// Adds an answer.
    #[must_use]
    pub fn answer(mut self, asked: impl Into<Asked>, answer: Answer) -> Self {
        self.0.push(Exchange { asked: asked.into(), answer });
        self
    }

    /// The calls with their answers, in their order.
    #[must_use]
    pub fn exchanges(&self) -> &[Exchange] {
        &self.0
    }

    /// Reads the text that [`to_json`](Self::to_json) writes.
    ///
    /// # Errors
    /// The text is not JSON, or has something else in it.
    pub fn from_json(text: &str) -> Result<Self, BadAnswers> {
        Ok(serde_json::from_str(text)?)
    }

    /// Writes them as JSON: a list of objects with `asked` (`sql`, `params`, `rows`) and `answer` (`rows`, `changed`, `keys`
    /// or `fails`). Values are written as in [trees](isogloss_compiler::json).
    ///
    /// # Errors
    /// A value that has no JSON.
    pub fn to_json(&self) -> Result<String, BadAnswers> {
        Ok(serde_json::to_string_pretty(self)?)
    }
}
