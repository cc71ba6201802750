//! Tests of the crate: the SQL of PostgreSQL, and the driver on the servers in `ISOGLOSS_POSTGRES_URL`.

mod template;

#[cfg(feature = "driver")]
mod bulk;
#[cfg(feature = "driver")]
mod decoding;
#[cfg(feature = "driver")]
mod driver;
#[cfg(feature = "driver")]
mod functions;
#[cfg(feature = "driver")]
mod log;
#[cfg(feature = "driver")]
mod pooled;
#[cfg(feature = "driver")]
mod pooled_sessions;
#[cfg(feature = "driver")]
mod shared;
#[cfg(feature = "driver")]
mod streams;
#[cfg(feature = "driver")]
mod support;
#[cfg(feature = "driver")]
mod texts;
#[cfg(feature = "driver")]
mod tls;
#[cfg(feature = "driver")]
mod values;
#[cfg(feature = "driver")]
mod variants;
