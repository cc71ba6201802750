//! Tests of the crate: the SQL of MySQL and MariaDB, and the driver on the servers in `ISOGLOSS_MYSQL_URL`.

mod dialect;
mod numbered;

#[cfg(feature = "driver")]
mod answers;
#[cfg(feature = "driver")]
mod bulk;
#[cfg(feature = "driver")]
mod cancel;
#[cfg(feature = "driver")]
mod decoding;
#[cfg(feature = "driver")]
mod driver;
#[cfg(feature = "driver")]
mod endings;
#[cfg(feature = "driver")]
mod errors;
#[cfg(feature = "driver")]
mod faults;
#[cfg(feature = "driver")]
mod late;
#[cfg(feature = "driver")]
mod live;
#[cfg(feature = "driver")]
mod outages;
#[cfg(feature = "driver")]
mod rests;
#[cfg(feature = "driver")]
mod silence;
#[cfg(feature = "driver")]
mod values;
