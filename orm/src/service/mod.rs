//! Services: an object for each entity, and those of the program, with events, permissions, logs and transactions
//! around what they do.

mod error;
mod from_session;
mod interception;
mod subscribers;

pub use async_trait::async_trait;
pub use error::ServiceError;
pub use from_session::FromSession;

pub(crate) use interception::Interception;
pub(crate) use subscribers::Subscribers;

/// What the services of a context have in common.
#[derive(Debug, Default)]
pub(crate) struct Services {
    /// Who listens to what is done to entities.
    pub(crate) subscribers: Subscribers,
    /// What stands around calls of services, if the program has asked for that.
    pub(crate) interception: Option<Interception>,
}
