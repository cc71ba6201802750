//! The dialect and the driver of SQLite, through the public API of the crate.

#[cfg(feature = "driver")]
mod blocking;
#[cfg(feature = "driver")]
mod decoding;
#[cfg(feature = "driver")]
mod driver;
#[cfg(feature = "driver")]
mod endings;
#[cfg(feature = "driver")]
mod leavings;
#[cfg(feature = "driver")]
mod opening;
mod stored;
#[cfg(feature = "driver")]
mod support;
#[cfg(feature = "driver")]
mod waits;
