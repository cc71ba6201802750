//! The dialect and the driver of SQL Server, through the public API of the crate.

#[cfg(feature = "driver")]
mod connect;
mod functions;
mod golden;
#[cfg(feature = "driver")]
mod live;
mod meanings;
mod support;
