//! Who listens to what is done to entities.

/// The subscribers of all entities.
#[derive(Debug, Default)]
pub(crate) struct Subscribers {}
