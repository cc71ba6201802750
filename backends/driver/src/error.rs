//! Errors of running a statement: the same kinds on every engine.

use std::error::Error as StdError;
use std::fmt;

use isogloss_compiler::Compiled;

/// A result of running something.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What an engine, a driver or a pool reported.
///
/// Its text says what happened and what the engine called it, and `Debug` the statement. Values of rows are in
/// [`parameters`](Error::parameters) and [`detail`](Error::detail) only, and in what the driver itself reported, its
/// source.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    message: String,
    code: Option<String>,
    constraint: Option<String>,
    sql: Option<String>,
    parameters: Vec<String>,
    detail: Option<String>,
    in_doubt: bool,
    unsent: bool,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// The kinds of errors that a program tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A row with that key is there already.
    UniqueViolation,
    /// A row refers to one that is not there, or is still referred to.
    ForeignKeyViolation,
    /// A column that is never NULL got none.
    NotNullViolation,
    /// A CHECK constraint does not hold.
    CheckViolation,
    /// Two transactions waited for each other, and this one was chosen to end. Run it again.
    Deadlock,
    /// A concurrent transaction got in the way of this one's isolation. Run it again.
    SerializationFailure,
    /// A statement of the transaction has failed in a way that ended it: it takes nothing but a rollback.
    TransactionFailed,
    /// The statement, or the wait for a lock, took longer than it may.
    Timeout,
    /// The caller gave it up.
    Cancelled,
    /// No connection became free in time.
    PoolExhausted,
    /// The server cannot be reached, or does not let the program in.
    Connect,
    /// The connection broke. Whether a statement that was under way took effect is not known.
    ConnectionLost,
    /// The engine does not understand the statement, or does not know a name in it.
    Syntax,
    /// The user may not do that.
    Permission,
    /// A value that the engine cannot hold or compute with, most often found before anything was sent: one out of range, a text
    /// that is no number, a division by zero.
    BadValue,
    /// There is no room for more: the disk, the file or the table is full.
    StorageFull,
    /// What the engine has stored is damaged. Trying again does not help: stop, and look at its file or restore it.
    Corrupt,
    /// The statement does not compile for this engine, or not with these rows.
    Compile,
    /// A column that the caller's type cannot hold.
    Decode,
    /// The configuration is wrong.
    Configuration,
    /// Anything else.
    Other,
}

/// How many parameters an error keeps, and how many characters of each.
const SHOWN: usize = 64;

fn shortened(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(SHOWN) {
        text.truncate(end);
        text.push('…');
    }
    text
}

impl ErrorKind {
    /// Whether the same transaction may succeed when it is run again from its start.
    #[must_use]
    pub fn is_transient(self) -> bool {
        matches!(self, Self::Deadlock | Self::SerializationFailure | Self::PoolExhausted)
    }

    /// What traces and metrics call it, without blanks: `unique_violation`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::UniqueViolation => "unique_violation",
            Self::ForeignKeyViolation => "foreign_key_violation",
            Self::NotNullViolation => "not_null_violation",
            Self::CheckViolation => "check_violation",
            Self::Deadlock => "deadlock",
            Self::SerializationFailure => "serialization_failure",
            Self::TransactionFailed => "transaction_failed",
            Self::Timeout => "timeout",
            Self::Cancelled => "cancelled",
            Self::PoolExhausted => "pool_exhausted",
            Self::Connect => "connect",
            Self::ConnectionLost => "connection_lost",
            Self::Syntax => "syntax",
            Self::Permission => "permission",
            Self::BadValue => "bad_value",
            Self::StorageFull => "storage_full",
            Self::Corrupt => "corrupt",
            Self::Compile => "compile",
            Self::Decode => "decode",
            Self::Configuration => "configuration",
            Self::Other => "other",
        }
    }

    /// What a message calls it: `unique violation`.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::UniqueViolation => "unique violation",
            Self::ForeignKeyViolation => "foreign key violation",
            Self::NotNullViolation => "not null violation",
            Self::CheckViolation => "check violation",
            Self::Deadlock => "deadlock",
            Self::SerializationFailure => "serialization failure",
            Self::TransactionFailed => "transaction failed",
            Self::Timeout => "timeout",
            Self::Cancelled => "cancelled",
            Self::PoolExhausted => "pool exhausted",
            Self::Connect => "cannot connect",
            Self::ConnectionLost => "connection lost",
            Self::Syntax => "syntax error or unknown name",
            Self::Permission => "no permission",
            Self::BadValue => "bad value",
            Self::StorageFull => "storage full",
            Self::Corrupt => "data corrupt",
            Self::Compile => "cannot compile",
            Self::Decode => "cannot decode",
            Self::Configuration => "bad configuration",
            Self::Other => "error",
        }
    }
}

impl Error {
    /// An error of that kind.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self(Box::new(Inner {
            kind,
            message,
            code: None,
            constraint: None,
            sql: None,
            parameters: Vec::new(),
            detail: None,
            in_doubt: false,
            unsent: false,
            source: None,
        }))
    }

    /// With the engine's code: an SQLSTATE, or a number.
    #[must_use]
    pub fn with_code(mut self, code: impl Into<String>) -> Self {
        self.0.code = Some(code.into());
        self
    }

    /// With the name of the constraint, or what the engine says in its place.
    #[must_use]
    pub fn with_constraint(mut self, constraint: impl Into<String>) -> Self {
        self.0.constraint = Some(constraint.into());
        self
    }

    /// With the statement, unless it has one.
    #[must_use]
    pub fn with_sql(mut self, sql: &str) -> Self {
        self.0.sql.get_or_insert_with(|| sql.to_owned());
        self
    }

    /// With the statement, unless it has one, and with what was bound.
    #[must_use]
    pub fn with_statement(mut self, statement: &Compiled<'_>) -> Self {
        self.0.sql.get_or_insert_with(|| statement.sql.clone());
        if self.0.parameters.is_empty() && self.0.sql.as_deref() == Some(&statement.sql) {
            self.0.parameters = statement.params.iter().take(SHOWN).map(|param| shortened(param.to_string())).collect();
        }
        self
    }

    /// Of a COMMIT, or a write that commits by itself, that was sent and not answered: see [`is_in_doubt`](Self::is_in_doubt).
    /// One that was refused as [unsent](Self::unsent) is in no doubt.
    #[must_use]
    pub fn in_doubt(mut self) -> Self {
        self.0.in_doubt |= !self.0.unsent;
        self
    }

    /// Of what was refused before anything of it was sent, so that it has had no effect, whatever has become of the
    /// connection. What an error says of something else, as a COMMIT before that, stays in doubt.
    #[must_use]
    pub fn unsent(mut self) -> Self {
        self.0.unsent = true;
        self
    }

    /// Of an earlier write, rows of which were taken as if it were done, told in place of what comes next: that was not sent.
    /// Where the write would have committed by itself, no [transient](ErrorKind::is_transient) kind is told: who runs the next
    /// statement again does not run the write again.
    #[must_use]
    pub fn of_earlier_write(self, alone: bool) -> Self {
        let told = if alone && self.kind().is_transient() {
            let other = Self::new(ErrorKind::Other, self.to_string());
            let other = match self.code() {
                Some(code) => other.with_code(code),
                None => other,
            };
            other.with_source(self)
        } else {
            self
        };
        told.at("the rest of an earlier write, not all rows of which were taken; this one was not sent").unsent()
    }

    /// With what the engine says beyond its message, which may have the values of a row in it.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.0.detail = Some(detail.into());
        self
    }

    /// Without what was bound, and without the engine's detail and the driver's own error, which may tell it: for a
    /// place where the values of rows may not get.
    #[must_use]
    pub fn without_parameters(mut self) -> Self {
        self.0.parameters.clear();
        (self.0.detail, self.0.source) = (None, None);
        self
    }

    /// With a place in front of its message: a field, the number of a row.
    ///
    /// ```
    /// use isogloss_driver::{Error, ErrorKind};
    /// let error = Error::new(ErrorKind::Decode, "it is NULL").at("Order.Amount").at("row 17");
    /// assert_eq!(error.to_string(), "cannot decode: row 17: Order.Amount: it is NULL");
    /// ```
    #[must_use]
    pub fn at(mut self, place: impl fmt::Display) -> Self {
        self.0.message = format!("{place}: {}", self.0.message);
        self
    }

    /// With what the driver reported.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// The error for another caller who waits for the very thing that has failed: kind, message and code, without the statement and the driver's own error.
    #[must_use]
    pub fn again(&self) -> Self {
        let again = Self::new(self.kind(), self.message());
        match self.code() {
            Some(code) => again.with_code(code),
            None => again,
        }
    }

    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// What happened, without its kind and code.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The engine's code.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.0.code.as_deref()
    }

    /// Whether a COMMIT was sent and not answered, or a write that commits by itself, so that nobody knows whether it took
    /// effect. It is not to be run again before that was looked at.
    #[must_use]
    pub fn is_in_doubt(&self) -> bool {
        self.0.in_doubt
    }

    /// The constraint that does not hold, where the engine tells it.
    #[must_use]
    pub fn constraint(&self) -> Option<&str> {
        self.0.constraint.as_deref()
    }

    /// The statement that was run.
    #[must_use]
    pub fn sql(&self) -> Option<&str> {
        self.0.sql.as_deref()
    }

    /// The first of the statement's parameters, each with its kind, long ones shortened: `text 'R&D'`. Neither
    /// `Display` nor `Debug` shows them.
    #[must_use]
    pub fn parameters(&self) -> &[String] {
        &self.0.parameters
    }

    /// What the engine says beyond its message, such as PostgreSQL's `Key (name)=(Ann) already exists.` Neither
    /// `Display` nor `Debug` shows it.
    #[must_use]
    pub fn detail(&self) -> Option<&str> {
        self.0.detail.as_deref()
    }
}

impl From<isogloss_compiler::Error> for Error {
    fn from(error: isogloss_compiler::Error) -> Self {
        Self::new(ErrorKind::Compile, error.to_string()).with_source(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.kind.title())?;
        if let Some(code) = &self.0.code {
            write!(f, " ({code})")?;
        }
        write!(f, ": {}", self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        match &self.0.sql {
            Some(sql) => write!(f, " in `{sql}`"),
            None => Ok(()),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.0.source {
            Some(source) => Some(&**source),
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_names_the_kind_and_the_code_and_no_statement() {
        let error = Error::new(ErrorKind::UniqueViolation, "the key (1) is there already")
            .with_code("23505")
            .with_constraint("orders_pkey")
            .with_sql("INSERT INTO orders VALUES ($1)");
        assert_eq!(error.to_string(), "unique violation (23505): the key (1) is there already");
        assert_eq!(error.constraint(), Some("orders_pkey"));
        assert!(format!("{error:?}").ends_with("in `INSERT INTO orders VALUES ($1)`"));
        assert!(!error.kind().is_transient() && ErrorKind::Deadlock.is_transient());
        let told = error.with_detail("Key (1) is taken").with_source(fmt::Error);
        assert!(!format!("{told} {told:?}").contains("taken") && told.detail() == Some("Key (1) is taken"));
        let plain = told.without_parameters();
        assert!(plain.detail().is_none() && plain.source().is_none());
    }

    #[test]
    fn an_earlier_write_is_not_run_again_with_the_next_statement() {
        let deadlock = || Error::new(ErrorKind::Deadlock, "chosen to end").with_code("1213");
        let told = deadlock().of_earlier_write(true);
        assert_eq!((told.kind(), told.code()), (ErrorKind::Other, Some("1213")));
        assert!(told.source().is_some_and(|source| source.to_string() == deadlock().to_string()));
        // In a transaction, that is run again as a whole.
        assert!(deadlock().of_earlier_write(false).kind().is_transient());
        assert!(!told.in_doubt().is_in_doubt());
    }

    #[test]
    fn what_was_not_sent_is_in_no_doubt() {
        let lost = || Error::new(ErrorKind::ConnectionLost, "it is gone");
        assert!(lost().in_doubt().is_in_doubt() && !lost().unsent().in_doubt().is_in_doubt());
        // That of a COMMIT, told where the next statement was to be sent.
        assert!(lost().in_doubt().unsent().is_in_doubt());
    }
}
