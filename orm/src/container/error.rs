//! What keeps a program from having its services.

use std::error::Error;

use di::ValidationError;

use crate::OrmError;
use crate::service::ServiceError;

/// Services that are not there, or do not fit together.
///
/// Its [`kind`](OrmError::kind) is that of a configuration error: it is to be corrected in the program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContainerError {
    /// A service cannot be registered, as it cannot be made in this program.
    #[error("service `{service}` cannot be registered: {error}")]
    Service {
        /// The path of its type.
        service: &'static str,
        /// Why not.
        #[source]
        error: Box<OrmError>,
    },
    /// A callback of [`configure_services`](super::OrmServices::configure_services) has failed.
    #[error("`configure_services` has failed: {0}")]
    Configure(#[source] Box<dyn Error + Send + Sync>),
    /// A dependency is missing or leads back to its own service, or a singleton holds what is scoped.
    #[error("the services do not fit together: {0}")]
    Unfit(#[from] ValidationError),
    /// A collection has one context.
    #[error("a context has been added to these services already: call `add_orm` once")]
    AddedTwice,
    /// What needs a context was registered before it.
    #[error("there is no context among these services: call `add_orm` first")]
    NoContext,
    /// The session of a scope is the one that ends with it.
    #[error(
        "the closure of `create_scope_with` gave another session: give the one that it gets, on other terms, as `scoped` and \
         `with_principal` make it"
    )]
    OtherSession,
    /// Nobody has registered it.
    #[error(
        "no service `{service}` is registered: write `#[auto_register]` on it, or add it to the service collection; or \
         `auto_register_services` or `only_modules` leaves it out"
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
