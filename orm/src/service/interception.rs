//! What stands around the calls of services.

/// What stands around each call of a service.
#[derive(Debug, Default)]
pub(crate) struct Interception {}
