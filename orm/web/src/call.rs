//! A request to a controller.

use std::sync::Arc;

use axum::http::request::Parts;
use isogloss::Session;
use isogloss::expr::Value;
use isogloss::service::{DynamicServiceOps, Principal};
use tokio::time::Instant;

use crate::host::RequestSession;
use crate::id::key_of;
use crate::routes::Endpoints;
use crate::{Mounted, WebResult};

/// A request to a controller: its session, and the default implementation of each endpoint as a method. An endpoint of
/// the program's own can call them.
pub struct Call {
    pub(crate) mounted: Arc<Mounted>,
    pub(crate) endpoints: Arc<dyn Endpoints>,
    pub(crate) parts: Parts,
    pub(crate) session: RequestSession,
    /// When the answer has to be there.
    pub(crate) deadline: Instant,
    /// The key in the path, with the id that it is written as.
    pub(crate) key: Option<(String, Vec<Value>)>,
}

impl Call {
    /// The session of the request, with the caller's principal and the request's scope.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The caller, if the host has identified one.
    #[must_use]
    pub fn principal(&self) -> Option<&Arc<dyn Principal>> {
        self.session().principal()
    }

    /// The head of the request: method, URI and headers.
    #[must_use]
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// The entity and view that the controller serves.
    #[must_use]
    pub fn mounted(&self) -> &Mounted {
        &self.mounted
    }

    /// The container scope of the request, if the host has a container.
    #[cfg(feature = "di")]
    #[must_use]
    pub fn services(&self) -> Option<&isogloss::container::ServiceProvider> {
        self.session.services()
    }

    /// It as one to another controller.
    pub(crate) fn by(&self, endpoints: &Arc<dyn Endpoints>) -> Self {
        Self {
            mounted: Arc::clone(endpoints.mounted()),
            endpoints: Arc::clone(endpoints),
            parts: self.parts.clone(),
            session: self.session.clone(),
            deadline: self.deadline,
            key: None,
        }
    }

    /// The key that an id means. That of the path has been read.
    pub(crate) fn key_of(&self, id: &str) -> WebResult<Vec<Value>> {
        match &self.key {
            Some((text, key)) if text == id => Ok(key.clone()),
            _ => key_of(self.mounted.entity(), id),
        }
    }

    /// The service that the request is done by.
    pub(crate) fn service(&self) -> WebResult<Box<dyn DynamicServiceOps>> {
        self.endpoints.service(self).map_err(|error| self.session.told(error))
    }
}

impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call")
            .field("name", &self.mounted.name)
            .field("session", self.session())
            .finish_non_exhaustive()
    }
}
