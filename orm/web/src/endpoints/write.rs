//! `POST /` and `PUT /`.

use axum::response::Response;
use bytes::Bytes;

use crate::{Call, Problem, ProblemKind, WebResult};

impl Call {
    /// Done by the controller, unless it has its own.
    ///
    /// # Errors
    /// The problem that the client is told.
    pub async fn insert(&self, _body: Bytes) -> WebResult<Response> {
        Err(Problem::new(ProblemKind::NotFound, "not yet"))
    }

    /// Done by the controller, unless it has its own.
    ///
    /// # Errors
    /// The problem that the client is told.
    pub async fn update(&self, _body: Bytes) -> WebResult<Response> {
        Err(Problem::new(ProblemKind::NotFound, "not yet"))
    }
}
