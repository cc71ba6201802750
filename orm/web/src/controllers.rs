//! Controllers of all entities that there are.

use axum::Router;

use crate::Host;

/// The controllers of a program.
#[derive(Debug)]
pub struct Controllers {
    host: Host,
}

impl Controllers {
    /// Those of a host.
    #[must_use]
    pub fn of(host: Host) -> Self {
        Self { host }
    }

    /// Their routes, for `/api`.
    #[must_use]
    pub fn router(self) -> Router {
        let _ = self.host;
        Router::new()
    }
}
