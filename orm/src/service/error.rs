//! What a service, or what listens to it, may fail with.

use crate::OrmError;

/// What a service cannot do, or what listens to it has failed with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceError {
    /// A handler or subscriber panicked. What the call has written is taken back.
    #[error("`{who}` panicked: what the call has written is taken back")]
    Panicked {
        /// Its type, or what it was called for.
        who: String,
    },
    /// A subscriber could not be made. The next operation tries it again.
    #[error("subscriber `{subscriber}` of `{entity}` could not be made: {error}")]
    NotMade {
        /// Its type.
        subscriber: &'static str,
        /// The entity that it listens to.
        entity: &'static str,
        /// Why.
        #[source]
        error: OrmError,
    },
    /// Subscribers have written, and what listens to that has written again, and so on.
    #[error("subscribers write without end: {chain}: let one of them leave alone what the other has written")]
    Cycle {
        /// The entities, from where they begin to come again.
        chain: String,
    },
}
