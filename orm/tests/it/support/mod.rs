//! What several topics share.

pub(crate) mod clock;
pub(crate) mod engines;
pub(crate) mod money;
pub(crate) mod scripted;
pub(crate) mod shop;
pub(crate) mod stop;
