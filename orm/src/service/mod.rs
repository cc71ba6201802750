//! Services: one for each entity, and those of the program, with events, permissions, logs and transactions.
//!
//! - [`EntityService`] writes and reads an entity's rows, or reads those of a view; [`EntityViewService`] only reads.
//!   As trait objects, or for test doubles, there are [`EntityServiceOps`] and [`EntityViewServiceOps`].
//! - [`EntityEvents`] subscribes to what they write.
//! - `#[service]` turns a struct of the program into a service, around whose calls an [`Interception`] adds
//!   transactions, permissions and logs.

mod call;
mod chain;
mod context;
mod declare;
mod dynamic;
mod each;
mod entity;
mod entity_call;
mod error;
mod events;
mod failure;
mod interception;
mod listened;
mod log;
mod method;
mod nesting;
mod operation;
mod ops;
mod permission;
mod query;
mod remote;
mod subscribers;
mod view;

pub use async_trait::async_trait;
pub use context::{Arguments, ServiceCall, ServiceExceptionContext, ServiceInvokeContext};
pub use declare::{FromSession, Service, service};
pub use dynamic::{DynamicObject, DynamicService, DynamicServiceOps, NotDynamic, TypedService};
pub use each::EachRow;
pub use entity::EntityService;
pub use error::ServiceError;
pub use events::{Change, EntityEvents, EventContext, SetWrite};
pub use failure::{Returned, ServiceFailure};
pub use interception::{Interception, ServiceExceptionEvent, ServiceInvokedEvent, ServiceInvokingEvent};
pub use method::{LogFormat, LogLevel, LogRule, Method, PermissionRule, TransactionRule};
pub use operation::{BatchResult, EntityOperation, OpDef};
pub use ops::{AnyRow, EntityServiceOps, EntityViewServiceOps, ReadAny};
pub use permission::{Principal, PrincipalProvider, SessionPrincipal};
pub use query::{QueryOf, ServiceQuery};
pub use remote::{RemoteAnswer, RemoteErrorContext, RemoteErrorEvent};
pub use view::EntityViewService;

pub(crate) use ops::known;
pub(crate) use remote::apart;
pub(crate) use subscribers::Subscribers;

/// Called by generated code. It is not part of the public interface.
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
    /// What is known of the catalog's entities, for services by values.
    pub(crate) entities: dynamic::Entities,
    /// What stands around calls of services, if the program has asked for that.
    pub(crate) interception: Option<Interception>,
}
