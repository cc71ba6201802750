//! What measures nothing, and takes no time.

use std::time::Duration;

use crate::Origin;

pub(crate) fn operation(
    _: &Origin,
    _: (Option<&str>, Option<&str>),
    _: Duration,
    _: Option<(&'static str, Option<&str>)>,
) {
}

#[cfg(feature = "pool")]
pub(crate) struct Meter;

#[cfg(feature = "pool")]
pub(crate) struct Under;

#[cfg(feature = "pool")]
impl Meter {
    pub(crate) fn new(_: &str, _: &crate::PoolOptions) -> Self {
        Self
    }

    pub(crate) fn opening(&self) -> Under {
        Under
    }

    pub(crate) fn opened(&self, _: Under) {}

    pub(crate) fn closed(&self) {}

    pub(crate) fn taken(&self) -> Under {
        Under
    }

    pub(crate) fn waiting(&self) -> Under {
        Under
    }

    pub(crate) fn timed_out(&self) {}
}

#[cfg(feature = "pool")]
#[derive(Debug)]
pub(crate) struct PreparedGauge;

#[cfg(feature = "pool")]
impl PreparedGauge {
    pub(crate) fn new(_: &str) -> Self {
        Self
    }

    pub(crate) fn up(&self) {}

    pub(crate) fn down(&self) {}
}
