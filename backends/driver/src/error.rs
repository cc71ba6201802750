//! Errors of running a statement, of the same kinds on every engine.

use std::error::Error as StdError;
use std::fmt;

use isogloss_compiler::Compiled;

use crate::InUse;

/// The result of a call to a database.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error that an engine, a driver or a pool reported.
///
/// Decide by its [`kind`](Error::kind), which is the same on every engine. `Display` says what happened and how the
/// engine called it, `Debug` also has the statement. Values that the database holds may appear in
/// [`parameters`](Error::parameters), in [`detail`](Error::detail), and in the driver's own error, which is the source; never in
/// `Display` or `Debug`. A value of the program that a column does not accept is shown shortened there.
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
    in_use: Vec<InUse>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// The kind of an [`Error`], the same on every engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A row with this unique key exists already.
    UniqueViolation,
    /// A foreign key refers to a row that does not exist, or the row is still referred to.
    ForeignKeyViolation,
    /// NULL in a column that must not be NULL.
    NotNullViolation,
    /// A CHECK constraint is violated.
    CheckViolation,
    /// Two transactions waited for each other, and this one was chosen to fail. Run it again.
    Deadlock,
    /// The isolation level could not be kept because of a concurrent transaction. Run the transaction again.
    SerializationFailure,
    /// An earlier statement has failed in a way that aborted the transaction. It accepts nothing but a rollback.
    TransactionFailed,
    /// The statement, or waiting for a lock, exceeded its time limit.
    Timeout,
    /// The caller cancelled the statement.
    Cancelled,
    /// The server accepts no writes: it was a primary and is a replica now, or is being switched over. Nothing was written.
    /// The connection is closed, so that the next one may lead to another server. Run the transaction again.
    ReadOnly,
    /// Others are using the database: another connection holds SQLite's lock, or the server has no room for another
    /// prepared statement. The statement was not run. Try again later.
    Busy,
    /// No connection became free within the time that a caller may wait.
    PoolExhausted,
    /// The server cannot be reached, or rejects the credentials.
    Connect,
    /// The connection was lost. See [`Error::is_in_doubt`] for whether a write may have taken effect.
    ConnectionLost,
    /// The engine does not understand the statement, or does not know a name in it.
    Syntax,
    /// The user lacks the permission.
    Permission,
    /// A value that the engine cannot store or compute with: out of range, a text that is not a number, a division by
    /// zero. Most are detected before anything is sent.
    BadValue,
    /// The disk, the file or the table is full.
    StorageFull,
    /// Stored data is damaged. Retrying does not help: stop the program, and check or restore the database.
    Corrupt,
    /// The statement cannot be compiled for this engine, or not for these rows.
    Compile,
    /// A column does not fit into the caller's type.
    Decode,
    /// The configuration is invalid.
    Configuration,
    /// Any other error.
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

/// How a write was run whose error is told by the next call: see [`Error::of_earlier_write`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EarlierWrite {
    /// Outside of a transaction: it would have committed by itself.
    ByItself,
    /// In a transaction, which still decides about it.
    InTransaction,
}

impl EarlierWrite {
    /// A write within so many transactions and savepoints.
    #[must_use]
    pub fn at(depth: u32) -> Self {
        if depth == 0 { Self::ByItself } else { Self::InTransaction }
    }
}

impl ErrorKind {
    const ALL: [Self; 23] = [
        Self::UniqueViolation,
        Self::ForeignKeyViolation,
        Self::NotNullViolation,
        Self::CheckViolation,
        Self::Deadlock,
        Self::SerializationFailure,
        Self::TransactionFailed,
        Self::Timeout,
        Self::Cancelled,
        Self::ReadOnly,
        Self::Busy,
        Self::PoolExhausted,
        Self::Connect,
        Self::ConnectionLost,
        Self::Syntax,
        Self::Permission,
        Self::BadValue,
        Self::StorageFull,
        Self::Corrupt,
        Self::Compile,
        Self::Decode,
        Self::Configuration,
        Self::Other,
    ];

    /// Whether the same transaction may succeed when it is run again from its start.
    #[must_use]
    pub fn is_transient(self) -> bool {
        matches!(self, Self::Deadlock | Self::SerializationFailure | Self::ReadOnly | Self::Busy | Self::PoolExhausted)
    }

    /// The name of the kind in traces and metrics, without blanks: `unique_violation`.
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
            Self::ReadOnly => "read_only",
            Self::Busy => "busy",
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

    /// The kind with this [name](Self::name).
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The name of the kind in messages: `unique violation`.
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
            Self::ReadOnly => "server is read-only",
            Self::Busy => "database is busy",
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
    /// The same of another kind.
    pub(crate) fn with_kind(mut self, kind: ErrorKind) -> Self {
        self.0.kind = kind;
        self
    }

    /// Creates an error of a kind.
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
            in_use: Vec::new(),
            source: None,
        }))
    }

    /// Adds the engine's code: an SQLSTATE, or a number.
    #[must_use]
    pub fn with_code(mut self, code: impl Into<String>) -> Self {
        self.0.code = Some(code.into());
        self
    }

    /// Adds the name of the constraint, or what the engine reports in its place.
    #[must_use]
    pub fn with_constraint(mut self, constraint: impl Into<String>) -> Self {
        self.0.constraint = Some(constraint.into());
        self
    }

    /// Adds the statement, unless the error has one.
    #[must_use]
    pub fn with_sql(mut self, sql: &str) -> Self {
        self.0.sql.get_or_insert_with(|| sql.to_owned());
        self
    }

    /// Adds the statement and its bound parameters, unless the error has one.
    #[must_use]
    pub fn with_statement(mut self, statement: &Compiled<'_>) -> Self {
        self.0.sql.get_or_insert_with(|| statement.sql.clone());
        if self.0.parameters.is_empty() && self.0.sql.as_deref() == Some(&statement.sql) {
            self.0.parameters = statement.params.iter().take(SHOWN).map(|param| shortened(param.to_string())).collect();
        }
        self
    }

    /// Marks a COMMIT, or a write that commits by itself, that was sent and not answered: see
    /// [`is_in_doubt`](Self::is_in_doubt). An error that is marked [`unsent`](Self::unsent) stays certain.
    #[must_use]
    pub fn in_doubt(mut self) -> Self {
        self.0.in_doubt |= !self.0.unsent;
        self
    }

    /// Marks a call that certainly had no effect, whatever became of the connection: it failed before anything was sent, or
    /// before the COMMIT of the transaction that it had begun.
    /// An earlier call that the error also reports, such as a COMMIT, stays in doubt.
    #[must_use]
    pub fn unsent(mut self) -> Self {
        self.0.unsent = true;
        self
    }

    /// Turns the error of an earlier write, whose rows were already consumed as if it had succeeded, into the error of
    /// the next call, which was not sent.
    ///
    /// Of a write that would have committed by itself, the error's kind is not [transient](ErrorKind::is_transient):
    /// running the next statement again would not repeat the write.
    #[must_use]
    pub fn of_earlier_write(self, write: EarlierWrite) -> Self {
        let told = if write == EarlierWrite::ByItself && self.kind().is_transient() {
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

    /// Adds what the engine reports beyond its message, which may contain values of a row.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.0.detail = Some(detail.into());
        self
    }

    /// Adds the connections that were in use.
    #[cfg(feature = "pool")]
    pub(crate) fn with_in_use(mut self, in_use: Vec<InUse>) -> Self {
        self.0.in_use = in_use;
        self
    }

    /// Removes everything that may contain values of rows: the parameters, the engine's detail, and the driver's own
    /// error.
    #[must_use]
    pub fn without_parameters(mut self) -> Self {
        self.0.parameters.clear();
        (self.0.detail, self.0.source) = (None, None);
        self
    }

    /// Puts a place in front of the message, such as a field or the number of a row.
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

    /// Adds the driver's own error as the source.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// A copy for another caller that waited for the same event: kind, message and code, without the statement and the
    /// driver's own error.
    #[must_use]
    pub fn again(&self) -> Self {
        let again = Self::new(self.kind(), self.message());
        match self.code() {
            Some(code) => again.with_code(code),
            None => again,
        }
    }

    /// The kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// What happened, without kind and code.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The engine's code: an SQLSTATE, or a number.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.0.code.as_deref()
    }

    /// Whether a COMMIT, or a write that commits by itself, was sent and not answered, so that it is unknown whether it
    /// took effect. Check the data before you run it again.
    #[must_use]
    pub fn is_in_doubt(&self) -> bool {
        self.0.in_doubt
    }

    /// The name of the violated constraint, if the engine reports it.
    #[must_use]
    pub fn constraint(&self) -> Option<&str> {
        self.0.constraint.as_deref()
    }

    /// The statement that failed.
    #[must_use]
    pub fn sql(&self) -> Option<&str> {
        self.0.sql.as_deref()
    }

    /// The first parameters of the statement, each with its type and shortened if it is long: `text 'R&D'`. Neither
    /// `Display` nor `Debug` shows them.
    #[must_use]
    pub fn parameters(&self) -> &[String] {
        &self.0.parameters
    }

    /// Of a pool without a free connection ([`ErrorKind::PoolExhausted`]): those of its connections that have been in use for the
    /// longest time, at most 16. The first three are named in the message, too.
    #[must_use]
    pub fn in_use(&self) -> &[InUse] {
        &self.0.in_use
    }

    /// What the engine reports beyond its message, such as PostgreSQL's `Key (name)=(Ann) already exists.` Neither
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
        let told = deadlock().of_earlier_write(EarlierWrite::ByItself);
        assert_eq!((told.kind(), told.code()), (ErrorKind::Other, Some("1213")));
        assert!(told.source().is_some_and(|source| source.to_string() == deadlock().to_string()));
        // In a transaction, that is run again as a whole.
        assert!(deadlock().of_earlier_write(EarlierWrite::InTransaction).kind().is_transient());
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
