//! Errors of the data access layer.

use std::sync::Arc;

use isogloss_compiler::model::CatalogErrors;
use isogloss_compiler::{ErrorKind as CompileKind, ScopeError};
use isogloss_driver::ErrorKind;

use crate::config::ConfigError;
use crate::entity::FieldError;
#[cfg(feature = "services")]
use crate::service::ServiceError;
use crate::session::SessionError;

/// The result of a call to the data access layer.
pub type OrmResult<T> = Result<T, OrmError>;

/// An error of the data access layer: what failed, and where.
///
/// Use [`kind`](Self::kind) and the `is_` methods to decide; they mean the same on every engine. Neither `Display` nor
/// `Debug` shows connection strings or values of the database. A value of the program that a column does not accept is
/// shown shortened. The cause is the error's [`source`](std::error::Error::source).
///
/// ```
/// use isogloss::driver::{Error, ErrorKind};
/// use isogloss::OrmError;
/// let error = OrmError::from(Error::new(ErrorKind::UniqueViolation, "the key is there already")).at("main");
/// assert_eq!(error.to_string(), "data source `main`: unique violation: the key is there already");
/// assert!(error.is_unique_violation());
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OrmError {
    /// The statement cannot be compiled.
    #[error("the statement does not compile: {0}")]
    Compile(#[source] isogloss_compiler::Error),
    /// The statement uses an entity that requires a scope, and the session has none for it. Set one by
    /// [`scoped`](crate::Session::scoped), or use [`unscoped`](crate::Session::unscoped) with a reason.
    #[error("{error}")]
    NoScope {
        /// The name of the entity.
        entity: Box<str>,
        /// The compiler's error, with the place in the statement.
        #[source]
        error: isogloss_compiler::Error,
    },
    /// A row to be written is outside of the session's scope. Nothing is written.
    #[error("{error}")]
    OutOfScope {
        /// The entity of the row.
        entity: Box<str>,
        /// The filter, by its name, its property or its entity.
        filter: Box<str>,
        /// The compiler's error: the reason, and the place in the statement. It shows no values.
        #[source]
        error: isogloss_compiler::Error,
    },
    /// The scope does not fit the catalog.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// The engine, its driver or the pool reported an error.
    #[error("{}{error}", place(.data_source))]
    Driver {
        /// The data source, if it is known.
        data_source: Option<Arc<str>>,
        /// The reported error.
        #[source]
        error: isogloss_driver::Error,
    },
    /// A field cannot be stored, or cannot hold a value of the database.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// One row of a batch failed.
    #[error("row {row} of `{entity}`: {error}")]
    Row {
        /// The entity of the row.
        entity: String,
        /// The position in the batch, counted from 1.
        row: usize,
        /// The error of this row.
        #[source]
        error: Box<OrmError>,
    },
    /// The definitions of entities contradict each other.
    #[error(transparent)]
    Catalog(#[from] CatalogErrors),
    /// The configuration is invalid.
    #[error(transparent)]
    Config(Box<ConfigError>),
    /// The session does not support the operation, or not in its current state.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The rows of a relation need more queries than may be asked, as `dao::RelatedQuery::at_most_queries` says.
    #[error(
        "relation `{relation}` needs more than {most} queries: ask for the rows of fewer parents, or let the columns of its key \
         tell texts apart"
    )]
    TooManyQueries {
        /// The name of the relation.
        relation: Box<str>,
        /// How many queries may be asked.
        most: usize,
    },
    /// The principal may not call this method of a service.
    #[cfg(feature = "services")]
    #[error("`{service}.{method}` is not permitted: it needs {permission}")]
    Forbidden {
        /// The name of the service.
        service: &'static str,
        /// The name of the method.
        method: &'static str,
        /// The permission that is missing.
        permission: String,
    },
    /// A service does not support the operation, or a subscriber or handler failed.
    #[cfg(feature = "services")]
    #[error(transparent)]
    Service(Box<ServiceError>),
}

#[cfg(feature = "services")]
impl From<ServiceError> for OrmError {
    fn from(error: ServiceError) -> Self {
        Self::Service(Box::new(error))
    }
}

impl From<isogloss_compiler::Error> for OrmError {
    fn from(error: isogloss_compiler::Error) -> Self {
        match error.kind() {
            CompileKind::NoScope { entity } => Self::NoScope { entity: entity.as_str().into(), error },
            CompileKind::OutOfScope { entity, filter, .. } => {
                Self::OutOfScope { entity: entity.as_str().into(), filter: filter.as_str().into(), error }
            }
            _ => Self::Compile(error),
        }
    }
}

fn place(data_source: &Option<Arc<str>>) -> String {
    data_source.as_ref().map(|name| format!("data source `{name}`: ")).unwrap_or_default()
}

impl From<isogloss_driver::Error> for OrmError {
    fn from(error: isogloss_driver::Error) -> Self {
        // A row of the fast path is held to the scope where the driver reads it.
        let compile =
            std::error::Error::source(&error).and_then(|source| source.downcast_ref::<isogloss_compiler::Error>());
        match compile.filter(|compile| matches!(compile.kind(), CompileKind::OutOfScope { .. })) {
            Some(compile) => compile.clone().into(),
            None => Self::Driver { data_source: None, error },
        }
    }
}

impl From<ConfigError> for OrmError {
    fn from(error: ConfigError) -> Self {
        Self::Config(Box::new(error))
    }
}

impl OrmError {
    /// Adds the data source, if the error is of a driver and has none.
    #[must_use]
    pub fn at(self, data_source: impl Into<Arc<str>>) -> Self {
        match self {
            Self::Driver { data_source: None, error } => Self::Driver { data_source: Some(data_source.into()), error },
            other => other,
        }
    }

    /// As that of the row at a place, from 0.
    pub(crate) fn of_row(self, entity: &str, place: usize) -> Self {
        match self {
            Self::Row { .. } => self,
            error => Self::Row { entity: entity.to_owned(), row: place + 1, error: Box::new(error) },
        }
    }

    /// The error without the row that it is of.
    pub(crate) fn cause(&self) -> &Self {
        match self {
            Self::Row { error, .. } => error.cause(),
            error => error,
        }
    }

    /// The error that the driver reported, if it is one. For a failed commit it is the reason.
    #[must_use]
    pub fn driver(&self) -> Option<&isogloss_driver::Error> {
        match self {
            Self::Driver { error, .. } => Some(error),
            Self::Row { error, .. } => error.driver(),
            Self::Session(SessionError::Commit(failed)) => failed.error(),
            _ => None,
        }
    }

    /// The data source of the error, if it is known.
    #[must_use]
    pub fn data_source(&self) -> Option<&str> {
        match self {
            Self::Driver { data_source, .. } => data_source.as_deref(),
            Self::Row { error, .. } => error.data_source(),
            Self::Session(error) => error.data_source(),
            _ => None,
        }
    }

    /// The kind of the driver's error, or the kind that is equivalent for an error of another origin.
    #[must_use]
    pub fn kind(&self) -> Option<ErrorKind> {
        match self {
            Self::Compile(_) | Self::NoScope { .. } | Self::OutOfScope { .. } => Some(ErrorKind::Compile),
            Self::Config(_) | Self::Scope(_) => Some(ErrorKind::Configuration),
            #[cfg(feature = "di")]
            Self::Service(error) if matches!(**error, ServiceError::Container(_)) => Some(ErrorKind::Configuration),
            Self::Session(SessionError::Unusable) => Some(ErrorKind::TransactionFailed),
            Self::Session(SessionError::SyncBlocked { .. }) => Some(ErrorKind::Timeout),
            Self::Row { error, .. } => error.kind(),
            _ => self.driver().map(isogloss_driver::Error::kind),
        }
    }

    /// Whether a COMMIT, or a write that commits by itself, was sent and not answered, so that it is unknown whether it
    /// took effect. Check the data before you run it again.
    #[must_use]
    pub fn is_in_doubt(&self) -> bool {
        self.driver().is_some_and(isogloss_driver::Error::is_in_doubt)
    }

    /// Whether a row with this unique key exists already.
    #[must_use]
    pub fn is_unique_violation(&self) -> bool {
        self.kind() == Some(ErrorKind::UniqueViolation)
    }

    /// Whether a foreign key refers to a row that does not exist, or the row is still referred to.
    #[must_use]
    pub fn is_foreign_key_violation(&self) -> bool {
        self.kind() == Some(ErrorKind::ForeignKeyViolation)
    }

    /// Whether a row to be written is outside of the session's scope.
    #[must_use]
    pub fn is_out_of_scope(&self) -> bool {
        matches!(self.cause(), Self::OutOfScope { .. })
    }

    /// Whether the same transaction may succeed when it is run again from its start. It is false if one data source has
    /// committed and another has not.
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        let whole = !matches!(self, Self::Session(SessionError::Commit(failed)) if failed.is_partial());
        whole && self.kind().is_some_and(is_run_again)
    }
}

/// Returns whether a transaction that failed so may succeed when it is run again: another one was in its way, or its server was
/// demoted, and the next connection may lead to the new primary.
pub(crate) fn is_run_again(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Deadlock | ErrorKind::SerializationFailure | ErrorKind::ReadOnly)
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[test]
    fn the_chain_is_kept() {
        let driver = isogloss_driver::Error::new(ErrorKind::Deadlock, "chosen").with_source(std::fmt::Error);
        let error = OrmError::from(driver).at("a").at("b");
        assert_eq!(error.to_string(), "data source `a`: deadlock: chosen");
        assert!(error.is_conflict() && error.source().and_then(|error| error.source()).is_some());
        assert!(size_of::<OrmError>() <= 64, "{}", size_of::<OrmError>());
    }
}
