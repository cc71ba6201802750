//! Measurements, reported to the recorder of the `metrics` facade that the program has installed. Names and units
//! follow OpenTelemetry's conventions for databases. Without the feature `metrics` nothing is measured.

#[cfg(not(feature = "metrics"))]
mod off;
#[cfg(feature = "metrics")]
mod on;

#[cfg(not(feature = "metrics"))]
pub(crate) use off::*;
#[cfg(feature = "metrics")]
pub(crate) use on::*;
