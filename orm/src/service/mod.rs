//! Services: an object for each entity, and those of the program, with events, permissions, logs and transactions
//! around what they do.
//!
//! - [`EntityService`] writes an entity's rows and reads them, or those of a view; [`EntityViewService`] reads only. To
//!   those who take a trait object, or a double in a test, they are an [`EntityServiceOps`] and an [`EntityViewServiceOps`].
//! - [`EntityEvents`] is what listens to what they write.

mod chain;
mod entity;
mod error;
mod events;
mod interception;
mod listened;
mod operation;
mod ops;
mod query;
mod subscribers;
mod view;

pub use async_trait::async_trait;
pub use entity::EntityService;
pub use error::ServiceError;
pub use events::{Change, EntityEvents, EventContext, SetWrite};
pub use operation::{BatchResult, EntityOperation, OpDef};
pub use ops::{AnyRow, EntityServiceOps, EntityViewServiceOps, ReadAny};
pub use query::{QueryOf, ServiceQuery};
pub use view::EntityViewService;

pub(crate) use interception::Interception;
pub(crate) use subscribers::Subscribers;

use crate::session::Session;

/// What the services of a context have in common.
#[derive(Debug, Default)]
pub(crate) struct Services {
    /// Who listens to what is done to entities.
    pub(crate) subscribers: Subscribers,
    /// What stands around calls of services, if the program has asked for that.
    pub(crate) interception: Option<Interception>,
}

/// What each method of an entity's service runs through: its session, its entity, and its name are those of the call.
fn call<F: Future>(_: &Session, _: &'static str, _: &'static str, run: F) -> F {
    run
}
