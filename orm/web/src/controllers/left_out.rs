//! Entities without a generated controller.

use isogloss::service::NotDynamic;

/// An entity that no generated controller serves.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// The name of the entity.
    pub entity: String,
    /// The reason.
    pub why: WhyLeftOut,
}

/// Why no generated controller serves an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum WhyLeftOut {
    /// The program has a controller of its own for it.
    #[error("the program has a controller of its own")]
    Own,
    /// It is excluded by `only` or `except`.
    #[error("`only` or `except` leaves it out")]
    Excepted,
    /// Its name ends with `View`.
    #[error("its name ends with `View`")]
    NamedView,
    /// It has no primary key.
    #[error("it has no primary key")]
    NoKey,
    /// Its table is sharded.
    #[error("its table is sharded, and a request does not say which shard is meant")]
    Sharded,
    /// Clients would see none of its properties.
    #[error("clients may see no property of it")]
    NothingVisible,
    /// The entity cannot be served by values.
    #[error(transparent)]
    NotDynamic(NotDynamic),
}
