//! What a service, or what listens to it, may fail with.

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
    /// The services of a container are not there, or do not fit together.
    #[cfg(feature = "di")]
    #[error(transparent)]
    Container(#[from] crate::container::ContainerError),
}
