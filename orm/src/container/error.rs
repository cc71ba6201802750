//! Errors of registering services.

use std::error::Error;

use di::ValidationError;

use crate::OrmError;
use crate::service::ServiceError;

/// Services that are missing or contradict each other.
///
/// Its [`kind`](OrmError::kind) is that of a configuration error: the program has to be corrected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContainerError {
    /// A service cannot be registered, as it cannot be created in this program.
    #[error("service `{service}` cannot be registered: {error}")]
    Service {
        /// The path of its type.
        service: &'static str,
        /// Why it cannot be created.
        #[source]
        error: Box<OrmError>,
    },
    /// A callback of [`configure_services`](super::OrmServices::configure_services) failed.
    #[error("`configure_services` has failed: {0}")]
    Configure(#[source] Box<dyn Error + Send + Sync>),
    /// A dependency is missing or cyclic, or a singleton depends on a scoped service.
    #[error("the services do not fit together: {0}")]
    Unfit(#[from] ValidationError),
    /// A second context was added to a collection.
    #[error("a context has been added to these services already: call `add_orm` once")]
    AddedTwice,
    /// A service that needs a context was registered before it.
    #[error("there is no context among these services: call `add_orm` first")]
    NoContext,
    /// The closure has returned another session than the scope's.
    #[error(
        "the closure of `create_scope_with` gave another session: give the one that it gets, on other terms, as `scoped` and \
         `with_principal` make it"
    )]
    OtherSession,
    /// The service is not registered.
    #[error(
        "no service `{service}` is registered: write `#[auto_register]` on it, or add it to the service collection; or \
         `without_auto_registered` or `only_modules` leaves it out"
    )]
    Missing {
        /// The path of its type.
        service: &'static str,
    },
}

impl From<ContainerError> for OrmError {
    fn from(error: ContainerError) -> Self {
        ServiceError::from(error).into()
    }
}

impl From<ValidationError> for OrmError {
    fn from(error: ValidationError) -> Self {
        ContainerError::from(error).into()
    }
}
