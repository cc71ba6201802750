//! Entities that no controller was made for.

use isogloss::service::NotDynamic;

/// An entity that is not served by a generated controller.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// Its name.
    pub entity: String,
    /// Why it is not served.
    pub why: WhyLeftOut,
}

/// Why an entity is not served by a generated controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum WhyLeftOut {
    /// The program has a controller of its own.
    #[error("the program has a controller of its own")]
    Own,
    /// `only` or `except` leaves it out.
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
    /// Clients would see nothing of it.
    #[error("clients may see no property of it")]
    NothingVisible,
    /// No rows of it can be made.
    #[error(transparent)]
    NotDynamic(NotDynamic),
}
