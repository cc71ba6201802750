//! Services: an object for each entity, and those of the program, with events, permissions, logs and transactions
//! around what they do.

mod call;
mod caught;
mod context;
mod declare;
mod error;
mod failure;
mod interception;
mod log;
mod method;
mod nesting;
mod permission;
mod remote;
mod subscribers;

pub use async_trait::async_trait;
pub use context::{Arguments, ServiceCall, ServiceExceptionContext, ServiceInvokeContext};
pub use declare::{FromSession, Service, service};
pub use error::ServiceError;
pub use failure::{Returned, ServiceFailure};
pub use interception::{Interception, ServiceExceptionEvent, ServiceInvokedEvent, ServiceInvokingEvent};
pub use method::{LogFormat, LogLevel, LogRule, Method, PermissionRule, TransactionRule};
pub use permission::{Principal, PrincipalProvider, SessionPrincipal};
pub use remote::{RemoteAnswer, RemoteErrorContext, RemoteErrorEvent};

pub(crate) use subscribers::Subscribers;

/// What woven code calls. Nothing here is for programs.
#[doc(hidden)]
pub mod __private {
    pub use super::call::{Again, Call};
    pub use super::context::Argument;
    pub use super::declare::probe_service;
    pub use super::failure::refused;
    pub use crate::entity::__private::probe;
}

/// What the services of a context have in common.
#[derive(Debug, Default)]
pub(crate) struct Services {
    /// Who listens to what is done to entities.
    pub(crate) subscribers: Subscribers,
    /// What stands around calls of services, if the program has asked for that.
    pub(crate) interception: Option<Interception>,
}
