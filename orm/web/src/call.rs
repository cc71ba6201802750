//! A request to a controller.

use std::sync::Arc;

use axum::http::request::Parts;
use isogloss::Session;
use isogloss::service::DynamicServiceOps;

use crate::Mounted;

/// A request to a controller: its session, and each endpoint as a method, which an endpoint of the program's own may call.
pub struct Call {
    pub(crate) mounted: Arc<Mounted>,
    pub(crate) parts: Parts,
    pub(crate) session: Session,
    pub(crate) service: Box<dyn DynamicServiceOps>,
}

impl Call {
    /// The session of the request, with its principal and its scope.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The head of the request.
    #[must_use]
    pub fn parts(&self) -> &Parts {
        &self.parts
    }
}

impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call").field("name", &self.mounted.name).field("session", &self.session).finish_non_exhaustive()
    }
}
